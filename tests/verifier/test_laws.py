"""Laws of steps that a game breaks are refuted by that game, and not left open because Z3 cannot tell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from playproof.referee import Match, Variant
from playproof.verifier.kernel.laws import Law, does_end_of_line_break_law
from playproof.verifier.proof import laws
from playproof.verifier.proof.laws import find_law_breach_by_compiled_or_none
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.laws import law_spec_to_law
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.conftest import recheck

FERRY = str(Path(__file__).parent / "games" / "ferry")
SPENT = Question(
    "obol-pays", "step", {"action": "spend", "needs": "obols > 0 and fresh == 1", "changes": {"obols": -1}}
)


def asked(kind: str, question: Question, tmp_path: Path, work: float = 15) -> Answer:
    (answer,) = prove(FERRY, {"kind": kind}, claims=[question], machine=False, work=work, output=tmp_path)
    return answer


@pytest.mark.parametrize(
    "law",
    [
        {"action": "spend", "needs": "fresh == 1"},
        {"action": "spend", "leads": "fresh == 1"},
        {"action": "spend", "when": "fresh == 0", "changes": {"obols": 0}},
    ],
    ids=["needs", "leads", "changes"],
)
def test_a_law_that_one_move_breaks_is_refuted_with_that_move(law: dict[str, object], tmp_path: Path) -> None:
    question = Question("q", "step", law)
    answer = asked("late", question, tmp_path)
    assert (answer.verdict, answer.method) == (Verdict.REFUTED, "games watched"), answer.reason
    assert recheck(answer, question, game=FERRY, kind="late") == []


def test_the_right_rules_keep_the_law(tmp_path: Path) -> None:
    answer = asked("right", SPENT, tmp_path)
    assert answer.verdict is Verdict.PROVEN
    assert recheck(answer, SPENT, game=FERRY, kind="right") == []


def test_what_happens_before_the_first_decision_refutes_a_law(tmp_path: Path) -> None:
    question = Question("dawn", "step", {"phase": "dawn", "changes": {"obols": 0}})
    answer = asked("early", question, tmp_path)
    assert answer.verdict is Verdict.REFUTED, answer.reason
    assert recheck(answer, question, game=FERRY, kind="early") == []


def test_a_step_that_no_game_reaches_refutes_nothing(tmp_path: Path) -> None:
    """Z3 spends the obol late in a state with a ghost, and no game has one; so the claim stays open."""
    answer = asked("unreachable", SPENT, tmp_path, 5)
    assert answer.verdict is Verdict.UNKNOWN
    assert "may break the law" in answer.reason


def is_broken_at_last(case: GameCase, rule: Law, line: Sequence[int]) -> bool:
    """Whether a line breaks a law with its last action, or because nothing is legal behind it that the law wants."""
    match = Match(Variant(case.ref, case.values)).apply_all(line)
    return does_end_of_line_break_law(case.play, rule, match.states[-2], line[-1:], match.state)


@pytest.mark.parametrize(("leads", "breaks"), [("lamp[0] + lamp[1] < 2", True), ("obols <= 2", False)])
def test_many_games_are_asked_at_their_end(leads: str, breaks: bool) -> None:
    case = GameCase(FERRY, {"kind": "right"}, machine=True)
    rule = law_spec_to_law(case.game, {"phase": "arrival", "leads": leads})
    line = find_law_breach_by_compiled_or_none(case, rule, Budget(30))
    assert (line is not None) == breaks
    if line is not None:
        assert Match(Variant(FERRY, {"kind": "right"})).apply_all(line).over
        assert is_broken_at_last(case, rule, line)


@pytest.mark.parametrize(
    ("kind", "wrong", "breaks"),
    [
        ("late", {"needs": "fresh == 1"}, True),
        ("late", {"legal": "obols > 0 and fresh == 1"}, True),
        ("right", {"legal": "obols > 0"}, True),
        ("right", {"when": "space == 3", "needs": "lamp[0] == 0"}, True),
        ("right", {"needs": "fresh == 1", "legal": "obols > 0 and fresh == 1"}, False),
    ],
    ids=["needs", "legal against the law", "refused against the law", "some", "kept"],
)
def test_many_games_are_asked_at_each_decision(kind: str, wrong: dict[str, str], breaks: bool) -> None:
    case = GameCase(FERRY, {"kind": kind}, machine=True)
    rule = law_spec_to_law(case.game, {"action": "spend", **wrong})
    line = find_law_breach_by_compiled_or_none(case, rule, Budget(30))
    assert (line is not None) == breaks
    if line is not None:
        assert is_broken_at_last(case, rule, line)


@pytest.mark.parametrize(("legal", "breaks"), [("lamp[lamp] == 0", False), ("lamp[lamp] == 0 or lamp == 7", True)])
def test_each_way_to_take_a_decision_is_asked(legal: str, breaks: bool) -> None:
    case = GameCase(FERRY, {"kind": "right"}, machine=True)
    rule = law_spec_to_law(case.game, {"action": "light", "legal": legal})
    line = find_law_breach_by_compiled_or_none(case, rule, Budget(30))
    assert (line is not None) == breaks
    if line is not None:
        assert case.game.show(line[-1]) == "light 7"


def test_a_greedy_game_of_hidden_cards_is_played_again_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking ahead, a greedy player sees games end that break the law; played again, it must see that too."""
    monkeypatch.setattr(laws, "_AT_RANDOM", laws._GREEDY)
    monkeypatch.setattr(laws, "_REPLAYED", 1)
    case = GameCase("opale", machine=True)
    rule = law_spec_to_law(case.game, {"action": "play Turtle Rider", "needs": "`round` < 12"})
    line = find_law_breach_by_compiled_or_none(case, rule, Budget(60))
    assert line is not None
    assert is_broken_at_last(case, rule, line)


def test_what_the_law_wants_and_nobody_may_do_is_found(tmp_path: Path) -> None:
    question = Question("q", "step", {"when": "obols == 1 and fresh == 0 and space == 3", "can": {"action": "spend"}})
    answer = asked("right", question, tmp_path)
    assert answer.verdict is Verdict.REFUTED
    assert recheck(answer, question, game=FERRY, kind="right") == []

"""The least and the greatest value of a number, shown by a line and by a proof that need not be all states."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.proof.certify import Certifier, replace_value_by_kernel_outcome
from playproof.verifier.proof.extremes import find_best_known_line_or_none
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Answer, Conclusion, Verdict
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.conftest import HARVEST, WIN, recheck

QUARREL, PORTERS = (str(Path(__file__).parent / "games" / name) for name in ("quarrel", "porters"))


def answer(ref: str, question: Question, output: Path, states: int = 12_000_000, work: float = 20.0) -> Answer:
    (found,) = prove(ref, claims=[question], output=output, machine=False, games=300, states=states, work=work)
    return found


@pytest.mark.parametrize("states", [30, 12_000_000])
def test_the_greatest_store_with_and_without_all_states(states: int, tmp_path: Path) -> None:
    question = Question("most", "maximum", {"number": "stored", "when": {"holds": "round == 1"}}, expect=2)
    found = answer(HARVEST, question, tmp_path, states)
    assert (found.verdict, found.value) == (Verdict.PROVEN, 2)
    why = {30: "every game keeps `stored` <= 4 * `round` + `tonight` + -4", 12_000_000: "games come to 74 states, "}
    assert str(found.bound["because"]).startswith(f"nothing better can be: {why[states]}")
    assert recheck(found, question) == []


def test_fewest_turns_of_two_players(tmp_path: Path) -> None:
    question = Question("few", "minimum", {"number": "round", "when": {"reason": "five steps gone"}}, expect=5)
    found = answer(QUARREL, question, tmp_path)
    assert (found.verdict, found.value) == (Verdict.PROVEN, 5)
    assert str(found.bound["because"]).startswith("nothing better can be: games come to 785 states, ")
    assert recheck(found, question, game=QUARREL) == []


def test_without_time_both_bounds_are_told(tmp_path: Path) -> None:
    question = Question("few", "minimum", {"number": "round", "when": WIN})
    found = answer(HARVEST, question, tmp_path, work=0.0)
    assert found.verdict is Verdict.UNKNOWN
    assert found.bound["at least"] == 1
    assert found.bound["at most"] is None


def test_what_the_kernel_does_not_confirm_has_no_why() -> None:
    question = Question("few", "minimum", {"number": "round", "when": WIN})
    certifier = Certifier(GameCase(HARVEST, machine=False), question, Budget(1.0))
    found = Conclusion(3, "a guess", bound={"because": "nothing better can be", "states": 9})
    refused = replace_value_by_kernel_outcome(found, certifier.offer_conclusion_to_kernel(found))
    assert (refused.known, refused.bound) == (False, {"states": 9})


@pytest.mark.parametrize(
    ("ask", "met", "bound"),
    [
        ("maximum", {"at least": 9, "at most": 45}, {"at least": 9, "at most": 9}),
        ("maximum", {"at least": None, "at most": 45}, {"at least": None, "at most": 9}),
        ("minimum", {"at least": 0, "at most": 9}, {"at least": 9, "at most": 9}),
        ("minimum", {"at least": 0, "at most": None}, {"at least": 9, "at most": None}),
    ],
)
def test_claims_given_narrow_what_is_open(ask: str, met: dict[str, int | None], bound: dict[str, int | None]) -> None:
    """Nine cubes are carried about, which no search has to find out where a claim given says so."""
    nine = Question("nine", "always", {"holds": "conserved == 1"})
    question = Question("cubes", ask, {"number": "cubes"}, given=(nine,))
    certifier = Certifier(GameCase(PORTERS, machine=False), question, Budget(20.0))
    assert certifier.tighten_open_bound_from_given_claims(Conclusion(None, "", bound=met)).bound == bound
    [(shown, _)] = certifier.good
    check_certificate_to_theorem(shown, certifier.case.game, Context())


def test_what_is_given_and_false_narrows_nothing() -> None:
    question = Question(
        "cubes", "maximum", {"number": "cubes"}, given=(Question("eight", "always", {"holds": "cubes <= 8"}),)
    )
    open_ = Conclusion(None, "", bound={"at least": 0, "at most": 45})
    assert (
        Certifier(GameCase(PORTERS, machine=False), question, Budget(20.0))
        .tighten_open_bound_from_given_claims(open_)
        .bound
        == open_.bound
    )


START = Question("start", "example", {"line": []})
NINE = Question("nine", "always", {"holds": "conserved == 1"})


def test_an_example_and_what_is_given_meet_without_a_search() -> None:
    question = Question("cubes", "maximum", {"number": "cubes"}, given=(NINE, START))
    certifier = Certifier(GameCase(PORTERS, machine=False), question, Budget(20.0))
    assert certifier.try_to_answer_by_claim_conditions()
    assert certifier.build_outcome_after_proving_assumptions().decision.value == 9
    for shown, _ in certifier.good:
        check_certificate_to_theorem(shown, certifier.case.game, Context())


def test_an_example_alone_is_no_bound(tmp_path: Path) -> None:
    question = Question("cubes", "maximum", {"number": "cubes"}, given=(START,))
    assert not Certifier(GameCase(PORTERS, machine=False), question, Budget(20.0)).try_to_answer_by_claim_conditions()
    found = answer(PORTERS, question, tmp_path, work=0.0)
    assert (found.verdict, found.bound["at least"], found.bound["at most"]) == (Verdict.UNKNOWN, 9, 45)


def test_the_best_moment_of_an_example_counts_up_to_what_does_not_follow() -> None:
    words = ["lift 3", "lift 2", "set down", "nobody can say this", "lift 3"]
    question = Question("most", "maximum", {"number": "load"}, given=(Question("line", "example", {"line": words}),))
    case = GameCase(PORTERS, machine=False)
    reached = find_best_known_line_or_none(case, question)
    assert reached is not None
    assert (reached[0], [case.game.show(i) for i in reached[1]]) == (5, words[:2])

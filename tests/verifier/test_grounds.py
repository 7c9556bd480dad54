"""What proofs rest on: bounds that are kept, rules that can be carried out, phases that end; how claims are read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from playproof.database.errors import InputError
from playproof.language import Interpreter, RulesError
from playproof.language.compiled import Compiled
from playproof.language.options import Options
from playproof.language.registry import build
from playproof.referee.simulate import simulate
from playproof.referee.variant import Variant
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.induction import Lemma, Split
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.statements import PHASES_END, Property
from playproof.verifier.proof.always import (
    build_target_that_must_not_happen,
    list_condition_texts_of_claim_and_given,
    list_condition_texts_written_in_claim,
)
from playproof.verifier.proof.length import RankFunction, find_rank_every_step_lowers_or_none
from playproof.verifier.proof.phases_end import find_phases_end_certificate_or_none
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.verdicts import Answer, Verdict, format_answer_as_lines
from playproof.verifier.search import lines_of_play
from playproof.verifier.search.case import Budget, GameCase
from tests.verifier.conftest import recheck

GAMES = Path(__file__).parent / "games"
OVERFLOW, PORTERS, HARVEST = (str(GAMES / name) for name in ("overflow", "porters", "harvest"))
PLAIN: Any = {"machine": False, "games": 100, "work": 15}
WIN = {"outcome": "win"}


def asked(kind: str, *questions: Question, **options: Any) -> dict[str, Answer]:
    """Claims about one of the small games whose rules break."""
    return {a.id: a for a in prove(OVERFLOW, {"kind": kind}, claims=questions, **{**PLAIN, **options})}


# -- rules that break ---------------------------------------------------------------------------------------------

BROKEN = [("only", 1), ("late", 4), ("begin", 0), ("endless", 2), ("at once", 0)]


@pytest.mark.parametrize(("kind", "steps"), BROKEN)
def test_a_broken_rule_refutes_the_bounds_with_its_line(kind: str, steps: int, tmp_path: Path) -> None:
    question = Question("bounds", "always", "bounds")
    found = asked(kind, question, output=tmp_path)["bounds"]
    assert found.verdict is Verdict.REFUTED
    assert "rules.py:" in found.bound["breaks"]
    assert recheck(found, question, game=OVERFLOW, kind=kind) == []
    known = lines_of_play.search_rule_break_breadth_first_or_none(
        GameCase(OVERFLOW, {"kind": kind}, machine=False), Budget(10)
    )
    assert known is not None
    assert len(known.idents) == steps


@pytest.mark.parametrize(("kind", "steps"), BROKEN)
def test_nothing_is_proved_beyond_a_broken_rule(kind: str, steps: int) -> None:
    found = asked(
        kind,
        Question("acts", "always", "no dead end"),
        Question("x", "always", {"holds": "x <= 5"}),
        Question("bounds", "always", "bounds"),
    )
    assert found["acts"].verdict is Verdict.UNKNOWN
    assert "break" in found["acts"].reason
    if kind == "endless":  # two steps lead into phases without end; no value leaves its bounds on the way
        assert found["x"].verdict is Verdict.PROVEN
    else:
        assert (found["x"].verdict, "break" in found["x"].reason) == (Verdict.UNKNOWN, True)


def test_other_claims_are_answered_beside_a_broken_rule() -> None:
    found = asked(
        "late",
        Question("win", "reach", WIN),
        Question("bounds", "always", "bounds"),
        Question("x", "reach", {"holds": "x == 5"}),
    )
    assert [found[n].value for n in ("win", "bounds", "x")] == [True, False, True]


def test_sound_rules_are_proved() -> None:
    found = asked("sound", Question("bounds", "always", "bounds"), Question("x", "always", {"holds": "x <= 5"}))
    assert [a.value for a in found.values()] == [True, True]
    assert "if" not in found["x"].bound


def test_where_bounds_are_open_an_answer_is_conditional(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nine cubes fit everywhere only because none is made; a claim about a number says so until that is proved."""
    monkeypatch.setattr("playproof.verifier.search.case.SMALL", 10)
    odd = Question("odd", "always", {"holds": "at <= 3"})
    counted = Question("counted", "always", {"holds": "conserved == 1"}, expect=True)
    bounds = Question("bounds", "always", "bounds", given=(counted,))
    [alone] = prove(PORTERS, claims=[odd], **PLAIN)
    assert (alone.verdict, "if" in alone.bound) == (Verdict.PROVEN, True)
    assert "if every game keeps: bounds" in format_answer_as_lines(alone)
    together = {a.id: a for a in prove(PORTERS, claims=[odd, counted, bounds], **PLAIN)}
    assert [*together][:2] == ["counted", "bounds"]
    assert "if" not in together["odd"].bound


# -- phases that end ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("machine", [False, True])
def test_endless_phases_are_found_and_not_waited_for(machine: bool) -> None:
    game = build(OVERFLOW, Options({"kind": "endless"}))
    with pytest.raises(RulesError, match=r"rules\.py:\d+:\d+: PP330") as error:
        Interpreter(game).apply([1, 0, 1, 0], 0)
    compiled, state = Compiled(game, machine=machine), [1, 0, 1, 0]
    if machine:
        left = compiled.run_playouts(20, 1)
        assert 0 in left.endings
    else:
        with pytest.raises(RulesError, match="PP330") as same:
            compiled.module.apply(state, 0)
        assert str(same.value) == str(error.value)


def test_phases_that_come_round_to_themselves_are_shown_to_end() -> None:
    """A countdown, and one within another: what they count is a rank; and no rank makes endless phases end."""
    endless = GameCase(OVERFLOW, {"kind": "endless"}, machine=False)
    assert find_phases_end_certificate_or_none(endless, (), Budget(100)) is None
    for kind in ("countdown", "nested"):
        case = GameCase(OVERFLOW, {"kind": kind}, machine=False)
        found = find_phases_end_certificate_or_none(case, (), Budget(100))
        assert found is not None
        found.require_valid_for_game(case.game, Context())
        if kind == "countdown":
            with pytest.raises(NotShown, match="may leave the rank"):
                found.require_valid_for_game(endless.game, Context())


def end(
    numbers: tuple[str, ...], layers: tuple[Lemma, ...] = (), splits: tuple[Split, ...] = (), kind: str = "nested"
) -> None:
    game = build(OVERFLOW, Options({"kind": kind}))
    InvariantCertificate(Property(PHASES_END), layers, splits=splits, numbers=numbers).require_valid_for_game(
        game, Context()
    )


ORDER = "5 * (phase == 0)"
WITHIN = (ORDER, "x", "y + 4 * (phase == 3)")


def test_a_rank_of_several_numbers_is_compared_in_their_order() -> None:
    end(WITHIN)
    end(WITHIN, splits=(Split("automatic spin", False, ("cell 4",)), Split("", True, ("cell 2",))))
    for few in (
        WITHIN[:2],
        WITHIN[1:2],
        (WITHIN[2], WITHIN[1]),
        ("0",),
        (),
        ("-x", *WITHIN),
        ("-y", *WITHIN),
        (ORDER, "x", "y"),
        (ORDER, "x - 9 * y"),
        (ORDER, "-x", "y"),
        (ORDER, "x", "y + 2 * (phase == 3)"),
        ("x * x - 3 * x", WITHIN[2]),
    ):
        with pytest.raises(NotShown, match="may leave the rank"):
            end(few)
    end(("8 * x + y + 4 * (phase == 3)",))
    with pytest.raises(NotShown, match="may leave the rank"):
        end(("4 * x + y + 4 * (phase == 3)",))  # what is taken from one number goes to another
    with pytest.raises(InputError):
        end(("z",))


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        ((Lemma(("phase == 1",), True, ()),), "at the start"),
        ((Lemma(("phase != 3",), True, ()),), "may break"),
        ((Lemma(("1 == 1",), True, (), (0,)),), "before it"),
        ((Lemma(("x <= 5",), True, ()),), "leave the rank"),
    ],
)
def test_a_rank_rests_on_conditions_that_are_kept(layers: tuple[Lemma, ...], said: str) -> None:
    with pytest.raises(NotShown, match=said):
        end((), layers)


@pytest.mark.parametrize("kind", ["endless", "at once"])
def test_endless_phases_are_not_proved_to_end(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor where nobody goes through all states; with the line that shows it. Bounds are refuted by it too."""
    monkeypatch.setattr(
        "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many", lambda case, budget: None
    )
    for of in ("automatic phases end", {"invariant": "automatic phases end", "with": ["x <= 5"]}, "bounds"):
        found = asked(kind, Question("q", "always", of))["q"]
        assert (found.verdict, found.value) == (Verdict.REFUTED, False)
    game = build(OVERFLOW, Options({"kind": kind}))
    for numbers in (WITHIN[:2], ("x", "-x"), ("-x", "x"), ("turns", "9 - turns"), ("phase == 1",)):
        with pytest.raises(NotShown, match="may leave the rank"):
            InvariantCertificate(Property(PHASES_END), numbers=numbers).require_valid_for_game(game, Context())


@pytest.mark.parametrize("kind", ["countdown", "nested", "sound"])
def test_that_phases_end_can_be_claimed(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With all states there, and by numbers; what the claim leans on goes into its certificate."""
    claims = [
        Question("end", "always", "automatic phases end"),
        Question("with", "always", {"invariant": "automatic phases end", "with": ["x <= 5"]}),
    ]
    for _ in range(2):
        found = asked(kind, *claims)
        assert [(a.verdict, a.assumed) for a in found.values()] == [(Verdict.PROVEN, ())] * 2
        monkeypatch.setattr(
            "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many",
            lambda case, budget: None,
        )
    assert found["with"].method == "invariant"


def test_phases_of_a_shipped_game_end() -> None:
    """Eila, Chapter 0: by the round, the order of phases, the place in a card's script and the tokens left."""
    [found] = prove("eila", only=["c0-phases-end"], machine=False)
    assert (found.verdict, found.method) == (Verdict.PROVEN, "invariant")


def test_the_rank_of_phases_is_found_where_an_answer_leans_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "playproof.verifier.search.case.GameCase.explore_all_states_or_none_if_many", lambda case, budget: None
    )
    found = asked("countdown", Question("bounds", "always", "bounds"))["bounds"]
    assert (found.verdict, found.assumed) == (Verdict.PROVEN, ())


def test_simulate_names_the_line_of_endless_phases() -> None:
    with pytest.raises(RulesError, match=r"rules\.py:\d+:\d+: PP330"):
        simulate(Variant(OVERFLOW, {"kind": "endless"}), 50, jobs=1)


def test_watched_games_name_it_too() -> None:
    game = build(OVERFLOW, Options({"kind": "endless"}))
    watched = Compiled(game, machine=False, watched=True)
    from playproof.language.watched_source import NO_END, find_flaw_noted_in_state

    state = watched.start()
    for _ in range(2):
        watched.apply(state, 0)
    flaw = find_flaw_noted_in_state(game, [int(v) for v in state])
    assert flaw is not None
    assert flaw.name == NO_END


# -- how claims are read ------------------------------------------------------------------------------------------


def test_within_limits_where_a_condition_must_hold() -> None:
    """Two grains may be stored in the first round, four in the second; nothing is said of later ones."""
    asked_of = {
        "claims": [
            Question("two", "always", {"holds": "stored <= 2"}, "round <= 1"),
            Question("three", "always", {"holds": "stored <= 3"}, "round <= 2"),
            Question("rounds", "always", {"holds": "stored <= 2"}, {"rounds": 1}),
        ]
    }
    found = {a.id: a.value for a in prove(HARVEST, **asked_of, **PLAIN)}
    assert found == {"two": True, "three": False, "rounds": True}


@pytest.mark.parametrize("of", ["bounds", "no dead end", {"ends": 40}])
def test_within_is_refused_where_it_says_nothing(of: Any) -> None:
    with pytest.raises(InputError, match="within"):
        prove(HARVEST, claims=[Question("b", "always", of, {"rounds": 2})], **PLAIN)


def test_every_condition_beside_an_outcome_is_heard() -> None:
    beside = ["grain <= 2", "stored <= 4"]
    assert list_condition_texts_written_in_claim(Question("n", "never", {"reason": "flood", "with": beside})) == beside
    assert (
        list_condition_texts_written_in_claim(Question("n", "never", {"holds": "grain > 5", "with": beside})) == beside
    )
    assert list_condition_texts_written_in_claim(Question("a", "always", {"outcome": "win", "with": beside})) == beside
    assert list_condition_texts_written_in_claim(Question("a", "always", {"holds": "grain <= 5", "with": beside})) == [
        "grain <= 5",
        *beside,
    ]
    given = Question("n", "never", {"reason": "flood", "with": beside[:1]})
    assert list_condition_texts_of_claim_and_given(Question("a", "always", "round <= 4", given=(given,))) == [
        "grain <= 2",
        "round <= 4",
    ]


def test_what_must_not_happen_is_the_negation_within_its_bound() -> None:
    case = GameCase(HARVEST, machine=False)
    target = build_target_that_must_not_happen(case, Question("a", "always", {"holds": "stored <= 2"}, {"rounds": 1}))
    state = case.play.start()
    play = case.play
    assert not play.value(target.condition, state)
    names = {f.name: f.offset for f in case.game.fields}
    state[names["stored"]] = 3
    assert play.value(target.condition, state)
    state[names["round"]] = 2
    assert not play.value(target.condition, state)


# -- fewest rounds, ranks, small games whole ------------------------------------------------------------------------


def test_the_winning_action_may_raise_the_counter(tmp_path: Path) -> None:
    """All of rounds 0 to n - 1 were searched, and the line of n is found: that is the minimum."""
    question = Question("fewest", "minimum", {"number": "moves", "when": WIN}, values={"start": "far", "count": 8})
    [found] = prove(str(GAMES / "sliding"), claims=[question], output=tmp_path, **PLAIN)
    assert (found.verdict, found.value) == (Verdict.PROVEN, 6)
    assert recheck(found, question, game=str(GAMES / "sliding")) == []


@pytest.mark.parametrize(
    "question",
    [
        Question("n", "reach", WIN, expect=False),
        Question("n", "never", WIN),
        Question("n", "always", {"holds": "outcome == 0"}),
    ],
)
def test_half_of_all_positions_have_no_solution(question: Question) -> None:
    """Few states are gone through before anything cleverer is tried; games that never end cost no time."""
    began = process_time()
    odd = replace(question, values={"start": "odd"})
    [found] = prove(str(GAMES / "sliding"), claims=[odd], **{**PLAIN, "work": 60})
    assert (found.verdict, found.method) == (Verdict.PROVEN, "exploration")
    assert process_time() - began < 3


@pytest.mark.parametrize("kinds", [3, 12])
def test_one_weight_an_array_makes_a_rank(kinds: int) -> None:
    """`2 * deck + hand` and the phase: found whatever the number of cards."""
    case = GameCase(str(GAMES / "deal"), {"kinds": str(kinds)}, machine=False)
    rank = find_rank_every_step_lowers_or_none(case, Budget(100))
    assert isinstance(rank, RankFunction)
    assert max(abs(w) for w in rank.weights.values()) <= 4
    assert rank.compute_upper_bound_on_steps(case) <= 4 * kinds + 4


def test_a_question_without_an_answer_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Z3 that never answers: each size of weights is tried once for each grouping, and then it is over."""
    from playproof.verifier.proof import length

    asked_for: list[RankFunction] = []
    monkeypatch.setattr(length, "_find_steps_not_lowering_rank_or_none", lambda p, rank: asked_for.append(rank))
    case = GameCase(str(GAMES / "deal"), {"kinds": "4"}, machine=False)
    assert length.find_rank_every_step_lowers_or_none(case, Budget(100)) is None
    assert 0 < len(asked_for) <= 2 * len(length._WEIGHTS)


def test_what_one_claim_has_shown_the_others_lean_on() -> None:
    """Bounds need the end of automatic phases, and these need bounds: asked together, neither is conditional."""
    asked = ["c0-phases-end", "c0-three-hearts", "c0-bounds"]
    assert {a.id: (a.verdict, a.assumed) for a in prove("eila", only=asked, machine=False)} == dict.fromkeys(
        asked, (Verdict.PROVEN, ())
    )

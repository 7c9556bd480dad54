"""Claims that were answered as other claims than they seemed to be, and games that stopped the verifier, each found by
attack."""

from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from playproof.database.errors import Finding, InputError, Where
from playproof.language import CHANCE, Game, IllegalAction, Interpreter, RulesError, lose, weight, win
from playproof.language.errors import BoundsError, Place
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.verifier.check import check_evidence_file_to_result
from playproof.verifier.kernel.claim_values import Decision, round_chance_to_nine_digits_or_none
from playproof.verifier.kernel.strategies import list_actions_allowed_by_strategy
from playproof.verifier.prove import prove
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Answer, Verdict, decide_verdict_from_value_and_expectation
from playproof.verifier.search.case import GameCase, get_work_units_done
from playproof.verifier.search.lines_of_play import GameInProgress
from playproof.verifier.search.random_games import sample_small_steps_of_random_games
from tests.verifier.conftest import HARVEST, PLAIN

GAMES = Path(__file__).parent / "games"
WHEEL, OVERFLOW = str(GAMES / "wheel"), str(GAMES / "overflow")
WIN = {"outcome": "win"}
RULES = """\
from playproof.language import Game, goto, lose, otherwise, require, tie, when, win


def build(options):
    options.number("level", range(1, 4), 1)
    g = Game("odd", players=2)
    s = g.state
    g.integer("x", 0, 5, 0)
    g.integer("rounds", 0, 5, 0)
    p, q = g.phase("p", 0), g.phase("q", 1)

    @g.action(p, "go {card}", card=["3", "2", "1"])
    def go(card):
        require((card != 1) | (s.rounds > 4), "R1", "the card called 2 comes late")
        s.x = card
        s.rounds += 1
        goto(q)

    @g.action(q, "stop")
    def halt():
        require(s.x > 4, "R2", "never")
        win("two", winner=1)

    @g.action(p, "stop")
    def stop():
        win("one", winner=0)

    @g.action(q, "end")
    def end():
        with when(s.x == 0):
            lose("lost")
        with otherwise():
            tie("even")

    g.quantity("round", s.x * 0 + 1)
    g.fact(invariants={"fine": s.x <= 3})
    return g
"""


@pytest.fixture
def odd(tmp_path: Path) -> str:
    """A game in whose names claims may go astray."""
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "rules.py").write_text(RULES, encoding="utf-8")
    return str(folder)


def answer(game: str, ask: str, of: Any, within: Any = None, **more: Any) -> Answer:
    """The answer to one claim."""
    [found] = prove(game, claims=[Question("q", ask, of, within, **more)], work=3, **PLAIN)
    return found


# -- claims that would be other claims ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ask", "of", "why"),
    [
        ("always", {"action": "stop"}, "is no condition"),
        ("never", {"not": {"action": "go"}}, "is no condition"),
        ("luck", {"not": {"action": "go"}}, "is no condition"),
        ("always", {"not": {"action": "go"}}, "is no condition"),
        ("never", {"outcome": "loss", "seat": 1}, "alone"),
        ("never", {"reason": "lost", "seat": 1}, "alone"),
        ("reach", {"outcome": "win", "seat": "--1"}, "whole number"),
        ("reach", {"outcome": "win", "seat": "²"}, "whole number"),
    ],
)
def test_targets_that_mean_nothing_are_refused(odd: str, ask: str, of: Any, why: str) -> None:
    """Each was PROVEN, whatever the game, or ended in a traceback."""
    with pytest.raises(InputError, match=why):
        answer(odd, ask, of)


@pytest.mark.parametrize(
    ("of", "why"),
    [
        ({"ask": "reach", "of": WIN, "withn": {"x": 0}}, "unknown key `withn`"),
        ({"claim": "q", "ask": "reach"}, "unknown key"),
        ({"ask": "luck", "of": WIN, "chance": "wrost"}, "expected best"),
        ({"ask": "luck", "of": WIN, "seeing": "al"}, "expected all"),
        ({"ask": "rech", "of": WIN}, "expected reach"),
        ({"ask": "same", "of": {"claim": "q"}}, "expected reach"),
    ],
)
def test_words_of_a_question_inside_same_are_read_as_strictly(odd: str, of: Any, why: str) -> None:
    with pytest.raises(InputError, match=why):
        answer(odd, "same", of, values={"level": [1, 2]})


@pytest.mark.parametrize("ask", ["same", "tune"])
def test_no_settings_answer_nothing(odd: str, ask: str) -> None:
    with pytest.raises(InputError, match="empty list"):
        answer(odd, ask, {"ask": "reach", "of": WIN}, values={"level": []})


@pytest.mark.parametrize(
    ("ask", "of", "expect"),
    [
        ("minimum", {"number": "x"}, False),
        ("minimum", {"number": "x"}, "0"),
        ("maximum", {"number": "x"}, 2.0),
        ("dead", {"every": "ending"}, "nothing"),
        ("dead", {"every": "ending"}, False),
    ],
)
def test_what_no_answer_can_be_is_not_expected(odd: str, ask: str, of: Any, expect: Any) -> None:
    """A least value of 0 was the `false` that was expected."""
    with pytest.raises(InputError, match="expected `expect` as"):
        answer(odd, ask, of, expect=expect)


def test_a_parameter_means_its_name_before_its_number(odd: str) -> None:
    """`card: 2` meant the card called 2, which is number 1, and the card of number 2 too."""
    reader = TargetReader(GameCase(odd, machine=False).game)
    assert reader.read_single_target_of_spec({"action": "go", "card": "2"}).idents == frozenset({1})
    assert reader.read_single_target_of_spec({"action": "go", "card": 0}).idents == frozenset({0})
    assert answer(odd, "reach", {"action": "go", "card": 2}).value is False


def test_actions_of_the_same_words_are_told_apart(odd: str) -> None:
    """One `stop` never happens, and hid behind the other."""
    dead = answer(odd, "dead", {"every": "action"})
    assert dead.value == ["go 2", "stop [#3]"]
    assert answer(odd, "never", {"action": "stop [#3]"}).verdict is Verdict.PROVEN


def test_a_field_is_no_plural_of_a_quantity(odd: str) -> None:
    """`within: {rounds: 0}` and `within: rounds <= 0` were two claims where the game has both words."""
    for within in ({"rounds": 0}, "rounds <= 0"):
        assert answer(odd, "reach", {"holds": "x == 2"}, within).value is False
    assert answer(odd, "reach", {"holds": "x == 2"}, {"round": 1}).value is True


def test_conditions_may_name_what_the_game_declares(odd: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such a claim ended in a traceback where states were not gone through."""
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda case, budget: None)
    assert answer(odd, "always", {"invariant": "fine"}).verdict is Verdict.PROVEN
    assert answer(odd, "never", {"holds": "not fine"}).verdict is Verdict.PROVEN


def test_an_extreme_of_an_expression_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GameCase, "explore_all_states_or_none_if_many", lambda case, budget: None)
    assert answer(HARVEST, "minimum", {"number": "2 * round", "when": WIN}).verdict in (Verdict.PROVEN, Verdict.UNKNOWN)


@pytest.mark.parametrize("name", ["a/../../b", "..", "", ".a", "/b"])
def test_a_claims_name_leads_to_no_other_folder(odd: str, name: str) -> None:
    folder = Path(odd)
    (folder / "game.yaml").write_text(
        '{title: Odd, version: "0.1", players: {min: 2, max: 2}, languages: [en], '
        "about: {en: Odd.}, source: mine, components: []}",
        encoding="utf-8",
    )
    (folder / "vocabulary.yaml").write_text("terms: {}\nkinds: {}\n", encoding="utf-8")
    claims = {"claims": {name: {"ask": "reach", "says": "It is won.", "of": WIN}}}
    (folder / "claims.yaml").write_text(json.dumps(claims), encoding="utf-8")
    with pytest.raises(InputError, match="PP206"):
        prove(odd, work=3, output=folder / "out", **PLAIN)


# -- chances --------------------------------------------------------------------------------------------------------


def nearly(likely: int) -> Game:
    """A game won with 1 of `likely` + 1."""
    g = Game("nearly")
    fall = g.phase("fall", CHANCE)

    @g.action(fall, "up")
    def up() -> None:
        win("up")

    @g.action(fall, "down")
    def down() -> None:
        weight(likely)
        lose("down")

    return g.seal()


@pytest.mark.parametrize(
    ("low", "high", "value"),
    [
        ("1/10000000000", "1/10000000000", 1e-10),
        ("9999999999/10000000000", "9999999999/10000000000", 1 - 1e-10),
        ("0", "1/10000000000", None),
        ("9999999999/10000000000", "1", None),
        ("0", "0", 0.0),
        ("1", "1", 1.0),
        ("-1/10000000000", "0", 0.0),
        ("1/3", "1/3", 0.333333333),
        ("499999999001/1000000000000", "1/2", None),
        ("1/2", "500000000999/1000000000000", None),
        ("4999999998/10000000000", "5000000002/10000000000", 0.5),
        ("49999999999/100000000000", "1/2", 0.5),
    ],
)
def test_only_the_certain_is_certain(low: str, high: str, value: float | None) -> None:
    """A chance of 1 in 10,000,000,000 was 0 if 0 was expected."""
    found = Decision(round_chance_to_nine_digits_or_none(Fraction(low), Fraction(high)))
    assert found.value == value
    if value is not None:
        for end in (0, 1, False, True):
            assert (decide_verdict_from_value_and_expectation(found, end) is Verdict.PROVEN) == (
                Fraction(low) <= end <= Fraction(high)
            )


def test_a_weight_fits_the_machine() -> None:
    """It ended in a traceback of the search."""
    with pytest.raises(RulesError, match="PP315") as told:
        nearly(2**31)
    assert told.value.code == "PP315"


# -- what stopped the verifier ----------------------------------------------------------------------------------------


def test_games_without_an_end_are_left() -> None:
    """Sampled games went on until they were over, so that `prove` never came back."""
    case = GameCase(WHEEL, {"kind": "stall"}, machine=False)
    assert len(sample_small_steps_of_random_games(case)) > 0
    assert answer(WHEEL, "always", {"ends": 9}, values={"kind": "half"}).verdict is not Verdict.PROVEN


def test_phases_that_run_for_ever_are_work() -> None:
    """Each game ran into the limit of 100,000 phases, and counted as one step."""
    case = GameCase(OVERFLOW, {"kind": "endless"}, machine=False)
    play, before = GameInProgress(case), get_work_units_done()
    while play.update_legal_actions_and_tell_if_any():
        play.take_action_or_end_if_rules_break(play.idents[0])
    assert play.broken
    assert get_work_units_done() - before > 1


def test_games_of_a_strategy_meet_phases_that_run_for_ever_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of 400 games ran into the limit, and counted as ten steps."""
    played = list[object]()

    def counted(*state: Any) -> list[int]:
        played.append(state)
        return list_actions_allowed_by_strategy(*state)

    monkeypatch.setattr("playproof.verifier.proof.worth.list_actions_allowed_by_strategy", counted)
    of = {"target": {"outcome": "win"}, "play": [{"most": "x"}]}
    question = Question("q", "strategy", of, values={"kind": "endless"}, chance="worst")
    [answered] = prove(OVERFLOW, claims=[question], **PLAIN)
    assert answered.verdict is Verdict.UNKNOWN
    assert len(played) == 2  # in one game


@pytest.mark.parametrize(
    "text",
    [
        "x * 2954312706550833698643 > 5",
        "x * 4611686018427387904 * 4 == 0",
        "x * 9223372036854775807 + x",
        "not (x * 99999999999999999999)",
        "x * 3037000500 * 3037000500 < 0",
        "2954312706550833698643 > x",
    ],
)
def test_searches_read_long_numbers_whole(text: str) -> None:
    g = Game("long")
    g.integer("x", -3, 9, 0)
    walk = g.phase("walk")

    @g.action(walk, "go")
    def go() -> None:
        win("there")

    term, play = ConditionReader(g.seal(), Where("long")).condition_text_to_term(text), Interpreter(g)
    rows = [[0, 0, x] for x in range(-3, 10)]
    assert evaluate_term_in_many_states(term, np.array(rows).T).tolist() == [play.value(term, row) for row in rows]


@pytest.mark.parametrize(
    "error",
    [
        InputError([Finding("PP701", Where("a", 1), "wrong")]),
        IllegalAction("go", ()),
        BoundsError("PP310", "too much", place=Place("a", 3)),
        RulesError("PP330", "endless"),
    ],
)
def test_errors_pass_from_a_child(error: Exception) -> None:
    """They were made anew from their text alone, and failed."""
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again), sorted(again.__dict__)) == (type(error), str(error), sorted(error.__dict__))


ORPHAN = """\
import os, sys, time
from playproof.verifier.search.case import Budget
from playproof.verifier.proof.certificate_offers import run_in_child_within_budget_or_none

def work(budget):
    print(os.getpid(), flush=True)
    time.sleep(600)

run_in_child_within_budget_or_none(work, Budget(100))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="children are forked")
def test_a_killed_run_leaves_no_child() -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        child = int(run.stdout.readline())
        run.send_signal(signal.SIGKILL)
    for _ in range(300):
        if not alive(child):
            break
        time.sleep(0.1)
    assert not alive(child)


def alive(process: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{process}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_evidence_of_a_named_folder_is_checked(odd: str, tmp_path: Path) -> None:
    [found] = prove(odd, claims=[Question("q", "reach", WIN)], output=tmp_path, work=3, **PLAIN)
    checked = check_evidence_file_to_result(found.evidence, game=odd, claims={"q": Question("q", "reach", WIN)})
    assert checked.verdict is Verdict.PROVEN

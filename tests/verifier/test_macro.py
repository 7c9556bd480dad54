"""Macro-steps answer as single steps do, and what they leave out was proved to be alike."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3

from playproof.language import Term
from playproof.language.expr import as_term
from playproof.verifier.proof.bounded import bounded
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.commuting import Renamings, Swaps
from playproof.verifier.search.macro_steps import Layers, Lean, layered, lean, run_key
from playproof.verifier.search.open_steps import Strides, formula
from playproof.verifier.search.portfolio import seek
from playproof.verifier.search.replay import replay
from tests.verifier.conftest import HARVEST, WIN

MARKET = str(Path(__file__).parent / "games" / "market")
LIGHTS = str(Path(__file__).parent / "games" / "lights")
ASKED = [
    (LIGHTS, {}, WIN, True),
    (LIGHTS, {"size": "2"}, {"holds": "0 == 1"}, False),
    ("nim", {"heaps": "2-3"}, {"outcome": "win", "seat": 1}, True),
    ("nim", {"heaps": "1-1-1"}, {"outcome": "win", "seat": 1}, False),
    ("tic_tac_toe", {}, {"outcome": "win", "seat": 0}, True),
    ("peg_solitaire", {"board": "plus"}, WIN, False),
    ("connect_four", {}, {"outcome": "win", "seat": 0}, True),
    (HARVEST, {"goal": "3"}, WIN, True),
    (HARVEST, {}, {"reason": "flood"}, False),
    (HARVEST, {}, {"action": "sleep"}, True),
    (HARVEST, {}, {"action": "trade"}, False),
    (MARKET, {"days": "1"}, {"holds": "points == 1"}, True),
    (MARKET, {"days": "1"}, WIN, False),
    (MARKET, {"goal": "1"}, {"action": "buy"}, True),
]


def _case(ref: str, values: dict[str, str] | None = None) -> Case:
    return Case(ref, values, machine=False)


def _target(case: Case, spec: object, within: object = None) -> Target:
    return Targets(case.game).one(spec, within)


@pytest.mark.parametrize(("ref", "values", "spec", "expected"), ASKED)
@pytest.mark.parametrize(("inner", "by_run"), [(4, False), (2, True)])
def test_layers_answer_as_single_steps_do(
    ref: str, values: dict[str, str], spec: object, expected: bool, inner: int, by_run: bool
) -> None:
    case = _case(ref, values)
    target, key = _target(case, spec), run_key(case) if by_run else None
    game = Layers(
        case, target, inner, key, lean(case, target, as_term(0) if key is None else key, Budget(60.0))
    )
    found, single = layered(case, target, 40, Budget(60.0), game), bounded(case, target, 40, Budget(60.0))
    assert (found.line is not None) == (single.line is not None) == expected
    assert found.complete == single.complete == (not expected)
    if found.line is not None:
        assert replay(case, found.line, target).hit == len(found.line)


@pytest.mark.parametrize(("gold", "points"), [(0, 0), (1, 1), (2, 1), (3, 1), (4, 0), (5, 0), (5, 1), (7, 0)])
def test_what_is_left_out_changes_no_answer(gold: int, points: int) -> None:
    case = _case(MARKET, {"night": "short", "days": "1"})
    target = _target(case, {"holds": f"gold == {gold} and points == {points}"})
    use = lean(case, target, as_term(0), Budget(60.0))
    assert use.after
    assert use.renamings
    game = Layers(case, target, 2, lean=use)
    found, plain = layered(case, target, 9, Budget(60.0), game), bounded(case, target, 40, Budget(60.0))
    assert (found.line is None) == (plain.line is None)
    assert found.complete == plain.complete


def test_seek_takes_macro_steps_where_exploring_is_stuck() -> None:
    case = _case(LIGHTS)
    found = seek(case, [_target(case, WIN)], Budget(200.0, states=20), walks=False)
    assert found.method == {0: "macro-steps"}
    assert len(found.lines[0]) == 5


def test_a_run_is_one_layer() -> None:
    case = _case(MARKET, {"goal": "3"})
    target = _target(case, WIN)
    found = layered(case, target, 9, Budget(60.0), Layers(case, target, 16, run_key(case)))
    assert found.line is not None
    assert case.play.quantity("round", replay(case, found.line, target).state) == 2
    assert found.steps == 16 + 16
    early = layered(case, target, 1, Budget(60.0), Layers(case, target, 16, run_key(case)))
    assert early.reason == "1 layers were searched, the limit"


def test_a_run_longer_than_a_layer_goes_on_in_the_next() -> None:
    case = _case(MARKET, {"goal": "1"})
    target = _target(case, WIN)
    line = layered(case, target, 9, Budget(60.0), Layers(case, target, 2, run_key(case))).line
    assert line is not None
    assert 3 <= len(line) <= 4


def test_automatic_phases_that_do_not_fold_take_a_stride_each() -> None:
    assert Strides(_case(MARKET).game).turns == 1
    assert Strides(_case(HARVEST).game).turns == 1
    assert Strides(_case("nim").game).turns == 0
    case = _case(MARKET, {"goal": "2"})
    target = _target(case, {"holds": "round == 2 and gold == 6"})
    found = layered(case, target, 40, Budget(60.0), Layers(case, target, 1, as_term(0)))
    assert found.line is not None
    assert found.steps > len(found.line)


def test_time_is_no_answer() -> None:
    case = _case("nim")
    found = layered(case, _target(case, WIN), 9, Budget(0.0))
    assert (found.line, found.complete) == (None, False)
    assert found.reason.startswith("time")


def test_pairs_that_commute_are_found_and_others_are_not() -> None:
    case = _case(MARKET)
    swaps = Swaps(case, run_key(case), _target(case, {"holds": "gold == 6"}))
    after = swaps.find(Budget(60.0)).after
    works, buy, sleep = range(4), 4, 5
    assert all(set(works[:b]) <= after[b] for b in works[1:])
    assert sleep not in after
    assert swaps.proved(3, 0, Budget(60.0))
    assert not swaps.proved(buy, 0, Budget(60.0))  # one point short of the goal it ends the game
    assert Swaps(case, run_key(case), _target(case, WIN)).proved(buy, 0, Budget(60.0)) is False


def test_an_order_may_be_left_out_where_the_other_meets_the_target_sooner() -> None:
    case = _case(LIGHTS)
    anything, win = (Swaps(case, as_term(0), _target(case, t)) for t in ({"holds": "0 == 1"}, WIN))
    assert not anything.proved(1, 0, Budget(60.0))
    assert win.proved(1, 0, Budget(60.0))


def test_identical_cards_are_proved_alike_and_others_are_refused() -> None:
    case = _case(MARKET, {"night": "short"})
    found = Renamings(case, run_key(case), _target(case, WIN)).find(Budget(60.0))
    first = case.game.field_named("worked").offset
    assert [sorted(c - first for c in r.cells) for r in found] == [[0, 1], [0, 2], [1, 2]]
    assert found[0].idents == (1, 0, 2, 3, 4, 5)
    assert found[0].rising == [0]
    by_name = _target(case, {"action": "card 0 works"})
    assert [r.idents[0] for r in Renamings(case, run_key(case), by_name).find(Budget(60.0))] == [0]
    in_order = _case(MARKET)
    assert Renamings(in_order, run_key(in_order), _target(in_order, WIN)).find(Budget(60.0)) == []


def test_only_the_least_of_lines_that_are_alike_is_found() -> None:
    case = _case(MARKET, {"night": "short", "goal": "1"})
    target, key = _target(case, {"holds": "gold == 2"}), run_key(case)
    every, least = (_lines(case, target, key, use) for use in (Lean(), lean(case, target, key, Budget(60.0))))
    assert every == {(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1), (3,), (3, 5)}
    assert least == {(0, 1), (3,), (3, 5)}


def _lines(case: Case, target: Target, key: Term, use: Lean) -> set[tuple[int, ...]]:
    """All lines of one layer of two strides."""
    game, found = Layers(case, target, 2, key, use), set()
    game.longer()
    game.solver.add(game.met())
    while game.solver.check() == z3.sat:
        model = game.solver.model()
        found.add(tuple(game.line()))
        choices = [s.choice for s in game.layers[0] if not isinstance(s.choice, int)]
        made = [formula(s.made) for s in game.layers[0]]
        game.solver.add(z3.Or(*(c != model.eval(c, model_completion=True) for c in [*choices, *made])))
    return found


def test_proofs_out_of_time_leave_nothing_out() -> None:
    case = _case(MARKET)
    assert lean(case, _target(case, WIN), run_key(case), Budget(0.0)) == Lean()

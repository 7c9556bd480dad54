"""The order-free relaxation: what it excludes no game does, and its certificates are checked to the last number."""

from __future__ import annotations

import copy
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Layer
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof.farkas import Row, contradiction, gap
from playproof.verifier.proof.reach import Goal, refuted
from playproof.verifier.proof.relaxation import Relaxed, by_sum, least, potential, relaxation
from playproof.verifier.proof.step_classes import Cut, counters, measures_of
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.portfolio import absent
from tests.verifier.conftest import HARVEST, WIN

GAMES = Path(__file__).parent / "games"
WORKSHOP, TOLL = str(GAMES / "workshop"), str(GAMES / "toll")


def _case(ref: str, **values: str) -> Case:
    return Case(ref, values, machine=False)


def _target(case: Case, spec: object, within: object = None) -> Target:
    return Targets(case.game).one(spec, within)


# -- linear arguments -------------------------------------------------------------------------------------------

TIGHT = [Row("sum", {0: 1, 1: 1}, 5), Row("first", {0: -1}, -2), Row("second", {1: -1}, -2)]


@pytest.mark.parametrize("own", [False, True])
def test_multipliers_are_found_by_both_solvers_and_only_where_there_is_a_contradiction(own: bool) -> None:
    if not own:
        pytest.importorskip("highspy")
    found = contradiction(TIGHT, 2, 5.0, own)
    assert found is not None
    assert gap(TIGHT, found) > 0
    loose = [*TIGHT[:2], Row("second", {1: -1}, -3)]
    assert contradiction(loose, 2, 5.0, own) is None
    circle = [Row("here", {0: 1, 1: -1}, 0, equal=True), Row("more", {0: 1, 1: -1}, 1)]
    found = contradiction(circle, 2, 5.0, own)
    assert found is not None
    assert found["here"] < 0


@pytest.mark.parametrize(
    "multipliers",
    [
        {},
        {"sum": Fraction(1)},
        {"sum": Fraction(1), "first": Fraction(1)},
        {"sum": Fraction(-1)},
        {"sum": Fraction(1), "first": Fraction(1), "second": Fraction(999_999, 1_000_000)},
        {"sum": Fraction(1), "first": Fraction(1), "second": Fraction(1), "other": Fraction(1)},
    ],
)
def test_what_does_not_add_up_exactly_shows_nothing(multipliers: dict[str, Fraction]) -> None:
    assert gap(TIGHT, multipliers) == 0


# -- agreement with exhaustive search ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ref", "goal"),
    [
        (HARVEST, "3"),
        (HARVEST, "5"),
        (HARVEST, "8"),
        (WORKSHOP, "1"),
        (WORKSHOP, "2"),
        (WORKSHOP, "3"),
        (WORKSHOP, "4"),
    ],
)
def test_the_bound_on_rounds_is_that_of_exhaustive_search(ref: str, goal: str) -> None:
    case, budget = _case(ref, goal=goal), Budget(60.0)
    target, number = _target(case, WIN), case.game.quantities["round"]
    found, relaxed = least(case, target, number, None, budget) or (1, None)
    seen = case.explored(budget)
    fewest = next(r for r in range(1, 7) if len(seen.rows(target.condition & (number <= r))))
    assert seen.complete
    assert found == fewest == (-(-int(goal) // 2) if ref == HARVEST else -(-4 * int(goal) // 3))
    if relaxed is not None:
        layers = (Layer(tuple(potential(case, relaxed)), True, ()),)
        Invariant(Event(target.spec, None, "round", "<", found), layers, k=1).check(case.game, Context())


@pytest.mark.parametrize("ref", [HARVEST, WORKSHOP, TOLL, "tic_tac_toe"])
def test_what_the_relaxation_excludes_no_state_shows(ref: str) -> None:
    case, budget = _case(ref), Budget(60.0)
    seen = case.explored(budget)
    assert seen.complete
    targets = Targets(case.game).read({"every": "action"}) + Targets(case.game).read({"every": "ending"})
    excluded = [t for t in targets if relaxation(case, t, budget, fine=False) is not None]
    assert all(absent(seen, t) for t in excluded)
    names = {HARVEST: ["call the flood", "the flood"], WORKSHOP: ["glue it"], TOLL: [], "tic_tac_toe": []}
    assert set(names[ref]) >= {t.name for t in excluded}
    assert ref != WORKSHOP or [t.name for t in excluded] == ["glue it"]


def test_it_is_too_weak_where_order_matters_and_says_nothing() -> None:
    for ref, spec in ((TOLL, WIN), (WORKSHOP, {"action": "read"})):
        case, budget = _case(ref), Budget(60.0)
        target = _target(case, spec)
        assert absent(case.explored(budget), target)
        assert relaxation(case, target, budget) is None


def test_a_target_that_holds_at_the_start_is_never_excluded() -> None:
    case = _case(TOLL, coins="5")
    assert relaxation(case, _target(case, {"holds": "coins == 5"}), Budget(20.0)) is None


def test_bounds_on_steps_hold_in_every_transition() -> None:
    case = _case(WORKSHOP)
    cut = Cut(case, counters(case.game), measures_of(case.game))
    steps = cut.classes(Budget(30.0))
    assert steps is not None
    assert cut.wrong(steps) == ""
    by_name = {s.move: s.change for s in steps if s.end[1] == 0}
    assert by_name["saw"] == {"`wood`": (-2, -2), "`planks`": (1, 1)}
    assert by_name["night" if "night" in by_name else "evening"]["`wood`"] == (0, 3)
    narrow = copy.deepcopy(steps)
    next(s for s in narrow if "`wood`" in s.change and s.move == "evening" and s.end[1] == 0).change[
        "`wood`"
    ] = (3, 3)
    assert "more than the bounds" in cut.wrong(narrow)
    assert "more than the bounds" in cut.wrong(steps[1:])


# -- in the portfolio, and its evidence -------------------------------------------------------------------------


SOON = Question("soon", "reach", WIN, {"rounds": 2}, expect=False)
TWO_DAYS = Event(WIN, {"rounds": 2})


@pytest.fixture(scope="module")
def relaxed() -> Relaxed:
    """What the relaxation says about two chairs within two days."""
    case = _case(WORKSHOP)
    target = _target(case, WIN, {"rounds": 2})
    [(name, proof)] = refuted(case, SOON, [Goal(TWO_DAYS, target)], Budget(60.0)).items()
    assert (name, proof.method) == ("win", "relaxation")
    found = relaxation(case, target, Budget(60.0))
    assert found is not None
    assert proof.offer == by_sum(case, TWO_DAYS, found)
    return found


def _potential(case: Case, relaxed: Relaxed, within: int = 2) -> Invariant:
    layer = Layer(tuple(potential(case, relaxed)), True, ())
    return Invariant(Event(WIN, {"rounds": within}), (layer,), k=1)


def test_the_kernel_accepts_it_as_a_number_that_no_step_raises(relaxed: Relaxed) -> None:
    case = _case(WORKSHOP)
    _potential(case, relaxed).check(case.game, Context())
    with pytest.raises(NotShown, match="may lead to it"):
        _potential(case, relaxed, within=3).check(case.game, Context())


@pytest.mark.parametrize("change", [lambda y: y / 2, lambda y: -y, lambda y: Fraction(0)])
def test_other_weights_show_nothing(relaxed: Relaxed, change: Callable[[Fraction], Fraction]) -> None:
    case = _case(WORKSHOP)
    wood = next(n for n in relaxed.multipliers if "`wood`" in n)
    other = {**relaxed.multipliers, wood: change(relaxed.multipliers[wood])}
    with pytest.raises(NotShown):
        _potential(case, replace(relaxed, multipliers=other)).check(case.game, Context())


def test_a_bound_from_below_is_refused_for_more_than_it_shows() -> None:
    case = _case(WORKSHOP)
    target, number = _target(case, WIN), case.game.quantities["round"]
    bound = least(case, target, number, None, Budget(30.0))
    assert bound is not None
    assert bound[0] == 3
    layers = (Layer(tuple(potential(case, bound[1])), True, ()),)
    for least_, shown in ((3, True), (4, False)):
        proof = Invariant(Event(WIN, None, "round", "<", least_), layers, k=1)
        with nullcontext() if shown else pytest.raises(NotShown):
            proof.check(case.game, Context())


def test_the_coarse_cut_leaves_out_what_counts_over_many_cells() -> None:
    """With the cards of the stand counted, the work for the fewest rounds of Chapter 1 was not enough."""
    game = Case("eila", {"chapter": "1"}, machine=False).game
    coarse, fine = (measures_of(game, arrays=arrays) for arrays in (False, True))
    assert "`in the stand`" in set(fine) - set(coarse)
    assert {"`round`", "`hearts`", "`placed`"} <= set(coarse)

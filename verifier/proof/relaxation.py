"""A quick proof that a target is out of reach: it ignores the order of a game's steps and solves
for their numbers.

A game may take each class of small steps any number of times. The classes must form a flow from the
start to an end where the target can hold. Each measure must get from its first value to one that it
can have at that end, and each class changes it within bounds that Z3 has proved. If no numbers of
steps satisfy this, no game reaches the target. (The state equation of Petri nets, with bounds in
place of constants: Murata, "Petri nets: properties, analysis and applications", Proc. IEEE 77,
1989.) The converse does not hold: a solution need not be a game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from playproof.database.errors import Where
from playproof.language import Game, Term
from playproof.language.symbolic import as_z3, conj, disj, truth
from playproof.verifier.kernel.induction import Layer
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import Event
from playproof.verifier.proof.evidence import Offer
from playproof.verifier.proof.farkas import Row, contradiction
from playproof.verifier.proof.step_classes import Bounds, Cut, Location, Step, counters, measures_of
from playproof.verifier.questions.conditions import Formula
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.caches import Cache
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import spend

_MOST_ENDS = 400
_LP = 1e-5  # work for a number in the equation
_LP_SECONDS = 200.0  # an emergency stop: what counts is how many steps the simplex method takes


_CLASSES: Cache[bool, tuple[Cut, list[Step] | None]] = Cache()
"""Classes of steps under the coarse cut (False) and the fine one (True)."""


@dataclass(frozen=True, slots=True)
class Relaxed:
    """Why no numbers of steps lead to a target: the cells that tell locations apart, the measures that the
    argument uses, from where to where the classes of steps lead, and the multipliers of the equation's rows."""

    control: tuple[int, ...]
    measures: tuple[str, ...]
    flow: tuple[tuple[Location, Location], ...]
    multipliers: Mapping[str, Fraction]


@dataclass(frozen=True, slots=True)
class End:
    """An end where a target can hold: after class `step` (or, if None, at location `at`), with the
    measures' bounds there."""

    step: int | None
    at: Location
    bounds: Mapping[str, Bounds]


def relaxation(case: Case, target: Target, budget: Budget, fine: bool = True) -> Relaxed | None:
    """Return a sum that shows a target out of reach, or None. It tries the coarse cut first, then,
    if `fine`, the fine one."""
    for finely in (False, True)[: 1 + fine]:
        relaxed = _with_cut(case, target, budget, finely) if budget.left > 0 else None
        if relaxed is not None:
            return relaxed
    return None


def least(
    case: Case, target: Target, number: Term, best: int | None, budget: Budget, above: int = 0
) -> tuple[int, Relaxed] | None:
    """Return a bound, where the target holds, on the number from below, and the sum that shows it; or None.

    The bound is the greatest one found between `above` and `best`. The coarse cut tries bounds
    downwards; from its bound on, the fine cut tries them upwards.
    """
    low, high = max(above, number.lo), number.hi if best is None else best
    best_sum = None
    for bound in range(high, low, -1):
        best_sum = _at_least(case, target, number, bound, budget, fine=False)
        if best_sum is not None:
            low = bound
            break
    for bound in range(low + 1, high + 1):
        better = _at_least(case, target, number, bound, budget, fine=True)
        if better is None:
            break
        low, best_sum = bound, better
    return None if best_sum is None else (low, best_sum)


def _at_least(
    case: Case, target: Target, number: Term, bound: int, budget: Budget, fine: bool
) -> Relaxed | None:
    return _with_cut(case, below(target, number, bound), budget, fine) if budget.left > 0 else None


def below(target: Target, number: Term, bound: int) -> Target:
    """Return the target restricted to states where the number is less than a bound."""
    return Target(target.name, target.spec, target.condition & (number < bound), target.idents)


def _with_cut(case: Case, target: Target, budget: Budget, fine: bool) -> Relaxed | None:
    cut, steps = _classes(case, budget, fine)
    if steps is None or _holds_at_start(case, target):
        return None
    ends = _ends(cut, steps, target, budget)
    if ends is None:
        return None
    rows = equation(cut, steps, ends)
    multipliers = contradiction(rows, len(steps) + len(ends), _LP_SECONDS)
    spend(_LP * sum(len(r.terms) for r in rows))
    if multipliers is None:
        return None
    used = [t for t in cut.terms if f"{t} rises" in multipliers or f"{t} falls" in multipliers]
    return Relaxed(tuple(cut.control), tuple(used), tuple((s.start, s.end) for s in steps), multipliers)


def _classes(case: Case, budget: Budget, fine: bool) -> tuple[Cut, list[Step] | None]:
    """Return the cut and the case's classes of steps under it, computed once; None in place of the
    classes if they were not found."""
    cache = _CLASSES.of(case)
    if fine not in cache:
        cut = Cut(case, counters(case.game) if fine else [], measures_of(case.game, arrays=fine))
        cache[fine] = (cut, cut.classes(budget))
    return cache[fine]


def _holds_at_start(case: Case, target: Target) -> bool:
    return target.idents is None and bool(case.play.value(target.condition, case.game.initial()))


# -- where the target can hold ----------------------------------------------------------------------------------


def _ends(cut: Cut, steps: Sequence[Step], target: Target, budget: Budget) -> list[End] | None:
    """Return every end with the least bounds on the measures. Return None if there are too many
    ends or the budget runs out."""
    ends: list[End] = []
    for n, at, solver, cells in _candidates(cut, steps, target):
        bounds = cut.tightest(solver, {t: cut.number(term, cells) for t, term in cut.terms.items()})
        if bounds is not None:
            ends.append(End(n, at, bounds))
        if budget.left <= 0 or len(ends) > _MOST_ENDS:
            return None
    return ends


def _candidates(cut: Cut, steps: Sequence[Step], target: Target) -> Any:
    """Yield (class, end location, solver, cells) for each class after which the target may hold;
    for an action, (None, location, solver, cells) for each location where it may be taken. The
    solver assumes that the target holds there. Cases that constant folding rules out are omitted.
    """
    if target.idents is not None:
        yield from _takings(cut, steps, target)
        return
    for n, step in enumerate(steps):
        state, moves = cut.moves(step.start)
        move = next(m for m in moves if m.name == step.move)
        cells = cut.after(move, step.end)
        holds = truth(cut.reading.value(target.condition, cells))
        if holds is not False:
            here = conj(move.outcome.sound, cut.key(move, step.params, step.end), holds)
            yield n, step.end, cut.solver(state, as_z3(here)), cells


def _takings(cut: Cut, steps: Sequence[Step], target: Target) -> Any:
    for location in dict.fromkeys([cut.start(), *(s.end for s in steps)]):
        state = cut.at(location)
        legal = disj(*(cut.reading.permits(state, i) for i in sorted(target.idents or ())))
        holds = conj(legal, truth(cut.reading.value(target.condition, state)))
        if holds is not False:
            yield None, location, cut.solver(state, as_z3(holds)), state


# -- the sum ----------------------------------------------------------------------------------------------------


def equation(cut: Cut, steps: Sequence[Step], ends: Sequence[End]) -> list[Row]:
    """Return the rows of the state equation: column c counts class c, and column `len(steps) + e`
    is 1 if the game stops at end e."""
    rows, many = _flow(cut, steps, ends), len(steps)
    for e, end in enumerate(ends):
        if end.step is not None:
            rows.append(Row(f"last {e}", {end.step: 1, many + e: -1}, 0))
    start = cut.case.game.initial()
    for text, term in cut.terms.items():
        first = cut.case.play.value(term, start)
        # The most that the steps add must reach an end's lower bound; the least, its upper bound.
        rises: dict[int, int] = {}
        falls: dict[int, int] = {}
        for c, step in enumerate(steps):
            low, high = step.change.get(text, (0, 0))
            if high:
                rises[c] = high
            if low:
                falls[c] = -low
        for e, end in enumerate(ends):
            low, high = end.bounds[text]
            rises[many + e], falls[many + e] = -low, high
        rows += [Row(f"{text} rises", rises, -first), Row(f"{text} falls", falls, first)]
    return rows


def _flow(cut: Cut, steps: Sequence[Step], ends: Sequence[End]) -> list[Row]:
    """Return the flow rows: a game leaves each location as often as it enters it, except for the
    start and the end."""
    leave: dict[Location, dict[int, int]] = {cut.start(): {}}
    for c, step in enumerate(steps):
        for location, sign in ((step.start, 1), (step.end, -1)):
            row = leave.setdefault(location, {})
            row[c] = row.get(c, 0) + sign
    for e, end in enumerate(ends):
        leave[end.at][len(steps) + e] = 1
    return [
        Row(f"at {' '.join(map(str, location))}", terms, int(location == cut.start()), equal=True)
        for location, terms in leave.items()
    ]


# -- evidence ---------------------------------------------------------------------------------------------------


def by_sum(case: Case, event: Event, relaxed: Relaxed) -> Offer:
    """Return the certificates that state a relaxation as a sum that no step raises."""
    layers = (Layer(tuple(potential(case, relaxed)), True, ()),)
    return Invariant(event, layers), Invariant(event, layers, k=1)


def potential(case: Case, relaxed: Relaxed) -> list[str]:
    """Return the same argument as conditions that steps keep: where play can be, and an integer sum
    that no step raises. The multipliers are the weights of the sum; those of locations change their
    sign."""
    multipliers = relaxed.multipliers
    scale = lcm(*(y.denominator for y in multipliers.values())) if multipliers else 1
    control = [cell_text(case.game, cell) for cell in relaxed.control]
    locations: set[Location] = {tuple(case.game.initial()[cell] for cell in relaxed.control)}
    for start, end in relaxed.flow:
        locations |= {start, end}
    nothing = Fraction(0)
    where: dict[Location, str] = {}
    weights: dict[str, Fraction] = {}
    for at in sorted(locations):
        where[at] = " and ".join(f"{cell} == {value}" for cell, value in zip(control, at, strict=True))
        weights[f"({where[at]})"] = -multipliers.get(f"at {' '.join(map(str, at))}", nothing)
    for text in relaxed.measures:
        rising, falling = multipliers.get(f"{text} rises", nothing), multipliers.get(f"{text} falls", nothing)
        weights[f"({text})"] = rising - falling
    terms = [f"{int(y * scale)} * {text}" for text, y in weights.items() if y]
    conjuncts = [" or ".join(f"({text})" for text in where.values())]
    if terms:
        formula = Formula(case.game, Where("potential"))
        first = case.play.value(formula.read(" + ".join(terms)), case.game.initial())
        conjuncts.append(f"{' + '.join(terms)} <= {first}")
    return conjuncts


def cell_text(game: Game, cell: int) -> str:
    """Return a cell's name as conditions write it."""
    f = next(f for f in game.fields if f.offset <= cell < f.offset + f.size)
    place = np.unravel_index(cell - f.offset, f.shape) if f.shape else ()
    name = f.name if f.name.isidentifier() else f"`{f.name}`"
    return f"{name}[{', '.join(str(int(i)) for i in place)}]" if f.shape else name

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
from playproof.language import Term
from playproof.language.symbolic import as_z3, conj, disj, truth
from playproof.verifier.proof.evidence import Part
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
class End:
    """An end where a target can hold: after class `step` (or, if None, at location `at`), with the
    measures' bounds there."""

    step: int | None
    at: Location
    bounds: Mapping[str, Bounds]


def relaxation(case: Case, target: Target, budget: Budget, fine: bool = True) -> Part | None:
    """Return a part that shows a target out of reach, or None. It tries the coarse cut first, then,
    if `fine`, the fine one."""
    for finely in (False, True)[: 1 + fine]:
        part = _with_cut(case, target, budget, finely) if budget.left > 0 else None
        if part is not None:
            return part
    return None


def least(
    case: Case, target: Target, number: Term, best: int | None, budget: Budget, above: int = 0
) -> Part | None:
    """Return a part that says: where the target holds, the number is at least some bound; or None.

    The bound is the greatest one found between `above` and `best`. The coarse cut tries bounds
    downwards; from its bound on, the fine cut tries them upwards.
    """
    low, high = max(above, number.lo), number.hi if best is None else best
    part = None
    for bound in range(high, low, -1):
        part = _at_least(case, target, number, bound, budget, fine=False)
        if part is not None:
            low = bound
            break
    for bound in range(low + 1, high + 1):
        better = _at_least(case, target, number, bound, budget, fine=True)
        if better is None:
            break
        part = better
    return part


def _at_least(
    case: Case, target: Target, number: Term, bound: int, budget: Budget, fine: bool
) -> Part | None:
    part = _with_cut(case, below(target, number, bound), budget, fine) if budget.left > 0 else None
    if part is None:
        return None
    name = next((n for n, t in case.game.quantities.items() if t is number), "")  # or an expression
    return {**part, "number": name, "least": bound}


def below(target: Target, number: Term, bound: int) -> Target:
    """Return the target restricted to states where the number is less than a bound."""
    return Target(target.name, target.spec, target.condition & (number < bound), target.idents)


def _with_cut(case: Case, target: Target, budget: Budget, fine: bool) -> Part | None:
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
    return _part(cut, steps, ends, multipliers, target)


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


def _part(
    cut: Cut, steps: Sequence[Step], ends: Sequence[End], multipliers: Mapping[str, Fraction], target: Target
) -> Part:
    """Return the evidence, with only the measures that the argument uses."""
    used = [t for t in cut.terms if f"{t} rises" in multipliers or f"{t} falls" in multipliers]
    moves: list[list[Any]] = []
    for step in steps:
        change = {text: list(bounds) for text, bounds in step.change.items() if text in used}
        moves.append([list(step.start), step.move, list(step.params), list(step.end), change])
    where = [[end.step, list(end.at), {text: list(end.bounds[text]) for text in used}] for end in ends]
    part: Part = {
        "kind": "relaxation",
        "target": target.spec,
        "name": target.name,
        "control": list(cut.control),
        "measures": used,
        "steps": moves,
        "ends": where,
        "multipliers": {n: str(y) for n, y in multipliers.items()},
    }
    return {**part, "words": words(part)}


def words(part: Part) -> list[str]:
    """Return the argument in words: a weighted sum that no numbers of steps raise by enough."""
    multipliers = {n: Fraction(y) for n, y in part["multipliers"].items()}
    if not part["measures"]:
        return [f"no chain of steps leads to: {part['name']}"]
    sides = []
    for text in part["measures"]:
        at_ends: list[Bounds] = [bounds[text] for _, _, bounds in part["ends"]]
        rising, falling = multipliers.get(f"{text} rises"), multipliers.get(f"{text} falls")
        if rising:
            must = f", which must be at least {min(low for low, _ in at_ends)}" if at_ends else ""
            sides.append(f"{text} counts {rising}{must}")
        if falling:
            must = f", which must be at most {max(high for _, high in at_ends)}" if at_ends else ""
            sides.append(f"{text} counts {-falling}{must}")
    moved: dict[str, dict[str, Bounds]] = {}
    for _, move, _, _, change in part["steps"]:
        for text, (low, high) in change.items():
            was = moved.setdefault(move, {}).get(text, (low, high))
            moved[move][text] = (min(was[0], low), max(was[1], high))
    lines = []
    for move, changes in moved.items():
        amounts = ", ".join(f"{text} {_by(bounds)}" for text, bounds in changes.items())
        lines.append(f"{move}: {amounts}")
    return [
        f"out of reach: {part['name']}",
        *sides,
        *lines,
        "from the start to there no numbers of these steps make the counts come out",
    ]


def _by(bounds: Bounds) -> str:
    low, high = bounds
    return f"{low:+d}" if low == high else f"{low:+d} to {high:+d}"


def potential(case: Case, part: Part) -> list[str]:
    """Return the same argument as conditions that steps keep: where play can be, and an integer sum
    that no step raises. The multipliers are the weights of the sum; those of locations change their
    sign."""
    multipliers = {str(n): Fraction(y) for n, y in part["multipliers"].items()}
    scale = lcm(*(y.denominator for y in multipliers.values())) if multipliers else 1
    control = [_cell_text(case, int(cell)) for cell in part["control"]]
    locations: set[Location] = {tuple(case.game.initial()[int(cell)] for cell in part["control"])}
    for start, _, _, end, _ in part["steps"]:
        locations |= {tuple(map(int, start)), tuple(map(int, end))}
    nothing = Fraction(0)
    where: dict[Location, str] = {}
    weights: dict[str, Fraction] = {}
    for at in sorted(locations):
        where[at] = " and ".join(f"{cell} == {value}" for cell, value in zip(control, at, strict=True))
        weights[f"({where[at]})"] = -multipliers.get(f"at {' '.join(map(str, at))}", nothing)
    for text in part["measures"]:
        rising, falling = multipliers.get(f"{text} rises", nothing), multipliers.get(f"{text} falls", nothing)
        weights[f"({text})"] = rising - falling
    terms = [f"{int(y * scale)} * {text}" for text, y in weights.items() if y]
    conjuncts = [" or ".join(f"({text})" for text in where.values())]
    if terms:
        formula = Formula(case.game, Where("potential"))
        first = case.play.value(formula.read(" + ".join(terms)), case.game.initial())
        conjuncts.append(f"{' + '.join(terms)} <= {first}")
    return conjuncts


def _cell_text(case: Case, cell: int) -> str:
    """Return a cell's name as conditions write it."""
    f = next(f for f in case.game.fields if f.offset <= cell < f.offset + f.size)
    place = np.unravel_index(cell - f.offset, f.shape) if f.shape else ()
    name = f.name if f.name.isidentifier() else f"`{f.name}`"
    return f"{name}[{', '.join(str(int(i)) for i in place)}]" if f.shape else name


__all__ = ["below", "equation", "least", "potential", "relaxation", "words"]

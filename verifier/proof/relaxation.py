"""A quick "no": the order of a game's steps is forgotten, and what is left is a sum that does not
come out.

Each class of small steps may be taken any number of times; the classes must make a flow from the
start to where the target can hold, and every measure must get from its first value to one it can
have there, each class changing it by no more than Z3 has proved. Where no numbers of steps do that,
no game does. (The state equation of Petri nets, with bounds in place of constants: Murata, "Petri
nets: properties, analysis and applications", Proc. IEEE 77, 1989.) The other way round nothing
follows: a sum that comes out need not be a game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from playproof.database.errors import Where
from playproof.rules.language import Term
from playproof.rules.language.symbolic import as_z3, conj, disj, truth
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
"""Classes of steps under the coarse cut and the fine one."""


@dataclass(frozen=True, slots=True)
class End:
    """Where a target can hold: behind class `step` (or, with None, at a location), and the
    measures' bounds there."""

    step: int | None
    at: Location
    bounds: Mapping[str, Bounds]


def relaxation(case: Case, target: Target, budget: Budget, fine: bool = True) -> Part | None:
    """A part that shows a target out of reach, first with the coarse cut, then with a `fine` one;
    or None."""
    for finely in (False, True)[: 1 + fine]:
        part = _with_cut(case, target, budget, finely) if budget.left > 0 else None
        if part is not None:
            return part
    return None


def least(case: Case, target: Target, number: Term, best: int | None, budget: Budget, above: int = 0) -> Part | None:
    """A part that says: where the target holds, the number is at least so much; the greatest bound
    there is between `above` and `best`: downwards with the coarse cut, then upwards from there with
    the fine one."""
    low, high = max(above, number.lo), number.hi if best is None else best
    found = None
    for bound in range(high, low, -1):
        found = _at_least(case, target, number, bound, budget, fine=False)
        if found is not None:
            low = bound
            break
    for bound in range(low + 1, high + 1):
        more = _at_least(case, target, number, bound, budget, fine=True)
        if more is None:
            break
        found = more
    return found


def _at_least(case: Case, target: Target, number: Term, bound: int, budget: Budget, fine: bool) -> Part | None:
    part = _with_cut(case, below(target, number, bound), budget, fine) if budget.left > 0 else None
    if part is None:
        return None
    name = next(n for n, t in case.game.quantities.items() if t is number)
    return {**part, "number": name, "least": bound}


def below(target: Target, number: Term, bound: int) -> Target:
    """The target where the number is less than a bound."""
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
    """The case's classes of steps under a cut, found once."""
    known = _CLASSES.of(case)
    if fine in known:
        return known[fine]
    cut = Cut(case, counters(case.game) if fine else [], measures_of(case.game, arrays=fine))
    made = known[fine] = (cut, cut.classes(budget))
    return made


def _holds_at_start(case: Case, target: Target) -> bool:
    return target.idents is None and bool(case.play.value(target.condition, case.game.initial()))


# -- where the target can hold ----------------------------------------------------------------------------------


def _ends(cut: Cut, steps: Sequence[Step], target: Target, budget: Budget) -> list[End] | None:
    """Every end with the least bounds on the measures; None where there are too many or time ran
    out."""
    found: list[End] = []
    for n, at, solver, cells in _candidates(cut, steps, target):
        bounds = cut.tightest(solver, {t: cut.number(term, cells) for t, term in cut.terms.items()})
        if bounds is not None:
            found.append(End(n, at, bounds))
        if budget.left <= 0 or len(found) > _MOST_ENDS:
            return None
    return found


def _candidates(cut: Cut, steps: Sequence[Step], target: Target) -> Any:
    """Classes behind which the target may hold (for an action: locations at which it may be taken),
    each with a solver that assumes it and the cells there. What folding decides is left out."""
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
    """The state equation: column c counts class c, column `len(steps) + e` is 1 if the game stops
    at end e."""
    rows, many = _flow(cut, steps, ends), len(steps)
    for e, end in enumerate(ends):
        if end.step is not None:
            rows.append(Row(f"last {e}", {end.step: 1, many + e: -1}, 0))
    start = cut.case.game.initial()
    for text, term in cut.terms.items():
        first = cut.case.play.value(term, start)
        high = {c: s.change[text][1] for c, s in enumerate(steps) if text in s.change and s.change[text][1]}
        low = {c: -s.change[text][0] for c, s in enumerate(steps) if text in s.change and s.change[text][0]}
        reached = {many + e: -end.bounds[text][0] for e, end in enumerate(ends)}
        kept = {many + e: end.bounds[text][1] for e, end in enumerate(ends)}
        rows += [Row(f"{text} rises", high | reached, -first), Row(f"{text} falls", low | kept, first)]
    return rows


def _flow(cut: Cut, steps: Sequence[Step], ends: Sequence[End]) -> list[Row]:
    """Each location is left as often as it is entered, but for the start and the end."""
    leave: dict[Location, dict[int, int]] = {cut.start(): {}}
    for c, step in enumerate(steps):
        for location, sign in ((step.start, 1), (step.end, -1)):
            row = leave.setdefault(location, {})
            row[c] = row.get(c, 0) + sign
    for e, end in enumerate(ends):
        leave[end.at][len(steps) + e] = 1
    return [Row(f"at {' '.join(map(str, location))}", terms, int(location == cut.start()), equal=True)
            for location, terms in leave.items()]


# -- evidence ---------------------------------------------------------------------------------------------------


def _part(cut: Cut, steps: Sequence[Step], ends: Sequence[End], multipliers: Mapping[str, Fraction],
          target: Target) -> Part:
    """The evidence: only measures that the argument uses are kept."""
    used = [t for t in cut.terms if f"{t} rises" in multipliers or f"{t} falls" in multipliers]
    kept = [[list(s.start), s.move, list(s.params), list(s.end),
             {t: list(b) for t, b in s.change.items() if t in used}] for s in steps]
    where = [[e.step, list(e.at), {t: list(e.bounds[t]) for t in used}] for e in ends]
    part: Part = {"kind": "relaxation", "target": target.spec, "name": target.name, "control": list(cut.control),
                  "measures": used, "steps": kept, "ends": where,
                  "multipliers": {n: str(y) for n, y in multipliers.items()}}
    return {**part, "words": words(part)}


def words(part: Part) -> list[str]:
    """The argument as a person would say it: a weighted sum that no step raises by enough."""
    multipliers = {n: Fraction(y) for n, y in part["multipliers"].items()}
    if not part["measures"]:
        return [f"no chain of steps leads to: {part['name']}"]
    sides = []
    for text in part["measures"]:
        for verb, side, factor in (("rises", "at least", 1), ("falls", "at most", -1)):
            y = multipliers.get(f"{text} {verb}")
            if y:
                ends = [bounds[text][0 if factor > 0 else 1] for _, _, bounds in part["ends"]]
                must = f", which must be {side} {min(ends) if factor > 0 else max(ends)}" if ends else ""
                sides.append(f"{text} counts {factor * y}{must}")
    moved: dict[str, dict[str, Bounds]] = {}
    for _, move, _, _, change in part["steps"]:
        for text, (low, high) in change.items():
            was = moved.setdefault(move, {}).get(text, (low, high))
            moved[move][text] = (min(was[0], low), max(was[1], high))
    lines = [f"{move}: " + ", ".join(f"{t} {_by(b)}" for t, b in changes.items()) for move, changes in moved.items()]
    return [f"out of reach: {part['name']}", *sides, *lines,
            "from the start to there no numbers of these steps make the counts come out"]


def _by(bounds: Bounds) -> str:
    low, high = bounds
    return f"{low:+d}" if low == high else f"{low:+d} to {high:+d}"


def potential(case: Case, part: Part) -> list[str]:
    """The same argument as conditions that steps keep: where play can be, and a whole number that
    no step raises. The multipliers are its weights, those of the locations with their signs
    turned."""
    multipliers = {str(n): Fraction(y) for n, y in part["multipliers"].items()}
    scale = lcm(*(y.denominator for y in multipliers.values())) if multipliers else 1
    control = [_cell_text(case, int(c)) for c in part["control"]]
    start = [case.game.initial()[int(c)] for c in part["control"]]
    locations = {tuple(map(int, where)) for step in part["steps"] for where in (step[0], step[3])} | {tuple(start)}
    where = {at: " and ".join(f"{c} == {v}" for c, v in zip(control, at, strict=True)) for at in sorted(locations)}
    weights = {f"({where[at]})": -multipliers.get(f"at {' '.join(map(str, at))}", Fraction(0)) for at in where}
    for text in part["measures"]:
        weights[f"({text})"] = multipliers.get(f"{text} rises", Fraction(0)) - multipliers.get(f"{text} falls",
                                                                                             Fraction(0))
    terms = [f"{int(y * scale)} * {text}" for text, y in weights.items() if y]
    conjuncts = [" or ".join(f"({text})" for text in where.values())]
    if terms:
        formula = Formula(case.game, Where("potential"))
        first = case.play.value(formula.read(" + ".join(terms)), case.game.initial())
        conjuncts.append(f"{' + '.join(terms)} <= {first}")
    return conjuncts


def _cell_text(case: Case, cell: int) -> str:
    """A cell as conditions write it."""
    f = next(f for f in case.game.fields if f.offset <= cell < f.offset + f.size)
    place = np.unravel_index(cell - f.offset, f.shape) if f.shape else ()
    name = f.name if f.name.isidentifier() else f"`{f.name}`"
    return f"{name}[{', '.join(str(int(i)) for i in place)}]" if f.shape else name


__all__ = ["below", "equation", "least", "potential", "relaxation", "words"]

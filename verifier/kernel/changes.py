"""Whether a condition that holds before a step still holds after it: the question of induction,
made small.

An equality of sums holds on if both sides change by the same amount. Summands that the step leaves
alone cancel before Z3 sees them. The others are taken apart: a cell written at an open index is
`If(index == 3, new, old)`, and at most one of the cells written at that index changes. So a sum
over forty cells becomes one choice among them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import z3

from playproof.language.expr import Apply, Const, Op, Reduce, Term
from playproof.verifier.kernel.reading import Cells, Env, Number, Reading, Truth, get_if_condition, is_same

BoundTerm = tuple[Term, Env]
"""One of the conditions that another consists of, and the values of its bound variables."""
SumChange = tuple[tuple[tuple[Truth, bool], ...], Number]
"""The amount that a step adds to a sum in one case, after the truths that hold or fail in that
case."""
_MOST_CASES = 16  # the limit of cases of one summand


def iter_conjuncts(term: Term, env: Env) -> Iterator[BoundTerm]:
    """Yield conditions whose conjunction is equivalent to the term. A conjunction may be written
    `... == 1`."""
    match term:
        case Op(op="and"):
            for each in term.args:
                yield from iter_conjuncts(each, env)
        case Reduce(kind="all"):
            for i in range(term.start, term.stop):
                yield from iter_conjuncts(term.body, {**env, term.var.number: i})
        case Op(op="==", args=(inner, Const(value=1))) if (inner.lo, inner.hi) == (0, 1):
            yield from iter_conjuncts(inner, env)
        case _:
            yield term, env


def build_kept_formula(reading: Reading, piece: BoundTerm, before: Cells, after: Cells) -> Truth:
    """Return the formula that a condition holds after a step, given that it held before."""
    term, env = piece
    if isinstance(term, Op) and term.op == "==" and max(a.hi - a.lo for a in term.args) > 1:
        sums = _SumChanges(reading, before, after)
        changes = [
            *sums.iter_summand_changes(term.args[0], env, 1),
            *sums.iter_summand_changes(term.args[1], env, -1),
        ]
        return reading.compare("==", sums.add_changes(changes), 0)
    seen = _ReadRecordingCells(after)
    now = reading.read_truth(term, seen, env)
    return all(is_same(before[n], after[n]) for n in seen.places) or now


class _SumChanges:
    """The changes that a step makes to sums."""

    def __init__(self, reading: Reading, before: Cells, after: Cells) -> None:
        self.reading, self.before, self.after = reading, before, after

    def iter_summand_changes(self, term: Term, env: Env, sign: int) -> Iterator[SumChange]:
        """Yield the change of each summand. A named function counts as a sum if its arguments stay
        the same."""
        match term:
            case Op(op="+" | "-", args=(left, right)):
                yield from self.iter_summand_changes(left, env, sign)
                yield from self.iter_summand_changes(right, env, sign if term.op == "+" else -sign)
                return
            case Reduce(kind="sum"):
                for i in range(term.start, term.stop):
                    yield from self.iter_summand_changes(term.body, {**env, term.var.number: i}, sign)
                return
            case Apply(function=function):
                was = [self.reading.read_number(x, self.before, env) for x in term.args]
                now = [self.reading.read_number(x, self.after, env) for x in term.args]
                if all(map(is_same, was, now)):
                    inner = {p.number: x for p, x in zip(function.params, was, strict=True)}
                    yield from self.iter_summand_changes(function.body, inner, sign)
                    return
        some = list(islice(self._iter_gains_by_case(term, env, sign, self.after), _MOST_CASES + 1))
        yield from (
            some if len(some) <= _MOST_CASES else [((), self._compute_gain(term, env, sign, self.after))]
        )

    def _compute_gain(self, term: Term, env: Env, sign: int, after: Cells) -> Number:
        was, now = (
            self.reading.read_number(term, self.before, env),
            self.reading.read_number(term, after, env),
        )
        return (
            0 if is_same(was, now) else self.reading.combine("-", *((now, was) if sign > 0 else (was, now)))
        )

    def _iter_gains_by_case(self, term: Term, env: Env, sign: int, after: Cells) -> Iterator[SumChange]:
        """Yield the changes of one summand by cases, as long as all cells that changed share one
        case."""
        seen = _ReadRecordingCells(after)
        gain = self._compute_gain(term, env, sign, seen)
        if is_same(gain, 0):
            return
        changed = [n for n in sorted(seen.places) if not is_same(self.before[n], after[n])]
        case = get_if_condition(after[changed[0]]) if changed else 0
        if isinstance(case, int) or not all(is_same(case, get_if_condition(after[n])) for n in changed):
            yield (), gain
            return
        for truth, argument in ((True, 1), (False, 2)):
            cells = list(after)
            for n in changed:
                cells[n] = after[n].arg(argument)
            for path, amount in self._iter_gains_by_case(term, env, sign, cells):
                yield ((case, truth), *path), amount

    def add_changes(self, changes: Sequence[SumChange]) -> Number:
        """Return the sum of changes. Of cases such as `index == 3` and `index == 4` at most one
        holds, so their amounts become one choice instead of a sum."""
        parts = [amount for path, amount in changes if not path]
        cases: dict[int, tuple[Truth, list[SumChange], list[SumChange]]] = {}
        for path, amount in changes:
            if path:
                (case, truth), *rest = path
                cases.setdefault(case.get_id(), (case, [], []))[1 if truth else 2].append(
                    (tuple(rest), amount)
                )
        choices: dict[int, Number] = {}
        for case, met, unmet in cases.values():
            yes, no, index = self.add_changes(met), self.add_changes(unmet), _get_compared_term_id(case)
            if index is None or not is_same(no, 0):
                parts.append(self.reading.pick(case, yes, no))
            else:
                choices[index] = self.reading.pick(case, yes, choices.get(index, 0))
        total: Number = 0
        for part in (*parts, *choices.values()):
            total = self.reading.combine("+", total, part)
        return total


class _ReadRecordingCells(list[Number]):
    """Cells that record which of them are read."""

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.places: set[int] = set()

    def __getitem__(self, place: Any) -> Any:
        self.places.add(place)
        return super().__getitem__(place)


def _get_compared_term_id(case: Truth) -> int | None:
    """Return the identity of the term that a case `index == 3` compares with a plain number, or
    None. The identity is valid as long as the case is kept."""
    plain = z3.is_eq(case) and (z3.is_int_value(case.arg(1)) or z3.is_bv_value(case.arg(1)))
    return case.arg(0).get_id() if plain else None

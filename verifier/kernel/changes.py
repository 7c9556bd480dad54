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
from playproof.verifier.kernel.reading import (
    Cells,
    Env,
    Number,
    Reading,
    Truth,
    get_condition_of_if_formula_or_zero,
    is_same_number_or_formula,
)

BoundTerm = tuple[Term, Env]
"""One of the conditions that another consists of, and the values of its bound variables."""
SumChange = tuple[tuple[tuple[Truth, bool], ...], Number]
"""The amount that a step adds to a sum in one case, after the truths that hold or fail in that
case."""
_MOST_CASES = 16  # the limit of cases of one summand


def iter_conjuncts_of_condition(condition: Term, local_values: Env) -> Iterator[BoundTerm]:
    """Yield conditions whose conjunction is equivalent to the term. A conjunction may be written
    `... == 1`."""
    match condition:
        case Op(op="and"):
            for each in condition.args:
                yield from iter_conjuncts_of_condition(each, local_values)
        case Reduce(kind="all"):
            for i in range(condition.start, condition.stop):
                yield from iter_conjuncts_of_condition(
                    condition.body, {**local_values, condition.var.number: i}
                )
        case Op(op="==", args=(inner, Const(value=1))) if (inner.lo, inner.hi) == (0, 1):
            yield from iter_conjuncts_of_condition(inner, local_values)
        case _:
            yield condition, local_values


def build_condition_still_holds_formula(
    reading: Reading, condition: BoundTerm, cells_before: Cells, cells_after: Cells
) -> Truth:
    """Return the formula that a condition holds after a step, given that it held before."""
    term, env = condition
    if isinstance(term, Op) and term.op == "==" and max(a.hi - a.lo for a in term.args) > 1:
        sums = _SumChanges(reading, cells_before, cells_after)
        changes = [
            *sums.iter_change_of_each_summand(term.args[0], env, 1),
            *sums.iter_change_of_each_summand(term.args[1], env, -1),
        ]
        return reading.build_comparison_formula("==", sums.combine_changes_into_total(changes), 0)
    seen = _ReadRecordingCells(cells_after)
    now = reading.build_term_is_true_formula(term, seen, env)
    return all(is_same_number_or_formula(cells_before[n], cells_after[n]) for n in seen.places) or now


class _SumChanges:
    """The changes that a step makes to sums."""

    def __init__(self, reading: Reading, before: Cells, after: Cells) -> None:
        self.reading, self.before, self.after = reading, before, after

    def iter_change_of_each_summand(
        self, sum_term: Term, local_values: Env, sign: int
    ) -> Iterator[SumChange]:
        """Yield the change of each summand. A named function counts as a sum if its arguments stay
        the same."""
        match sum_term:
            case Op(op="+" | "-", args=(left, right)):
                yield from self.iter_change_of_each_summand(left, local_values, sign)
                yield from self.iter_change_of_each_summand(
                    right, local_values, sign if sum_term.op == "+" else -sign
                )
                return
            case Reduce(kind="sum"):
                for i in range(sum_term.start, sum_term.stop):
                    yield from self.iter_change_of_each_summand(
                        sum_term.body, {**local_values, sum_term.var.number: i}, sign
                    )
                return
            case Apply(function=function):
                was = [self.reading.build_term_value(x, self.before, local_values) for x in sum_term.args]
                now = [self.reading.build_term_value(x, self.after, local_values) for x in sum_term.args]
                if all(map(is_same_number_or_formula, was, now)):
                    inner = {p.number: x for p, x in zip(function.params, was, strict=True)}
                    yield from self.iter_change_of_each_summand(function.body, inner, sign)
                    return
        some = list(
            islice(self._iter_term_change_by_case(sum_term, local_values, sign, self.after), _MOST_CASES + 1)
        )
        yield from (
            some
            if len(some) <= _MOST_CASES
            else [((), self._compute_signed_term_change(sum_term, local_values, sign, self.after))]
        )

    def _compute_signed_term_change(
        self, term: Term, local_values: Env, sign: int, cells_after: Cells
    ) -> Number:
        was, now = (
            self.reading.build_term_value(term, self.before, local_values),
            self.reading.build_term_value(term, cells_after, local_values),
        )
        return (
            0
            if is_same_number_or_formula(was, now)
            else self.reading.combine_numbers("-", *((now, was) if sign > 0 else (was, now)))
        )

    def _iter_term_change_by_case(
        self, term: Term, local_values: Env, sign: int, cells_after: Cells
    ) -> Iterator[SumChange]:
        """Yield the changes of one summand by cases, as long as all cells that changed share one
        case."""
        seen = _ReadRecordingCells(cells_after)
        gain = self._compute_signed_term_change(term, local_values, sign, seen)
        if is_same_number_or_formula(gain, 0):
            return
        changed = [
            n for n in sorted(seen.places) if not is_same_number_or_formula(self.before[n], cells_after[n])
        ]
        case = get_condition_of_if_formula_or_zero(cells_after[changed[0]]) if changed else 0
        if isinstance(case, int) or not all(
            is_same_number_or_formula(case, get_condition_of_if_formula_or_zero(cells_after[n]))
            for n in changed
        ):
            yield (), gain
            return
        for truth, argument in ((True, 1), (False, 2)):
            cells = list(cells_after)
            for n in changed:
                cells[n] = cells_after[n].arg(argument)
            for path, amount in self._iter_term_change_by_case(term, local_values, sign, cells):
                yield ((case, truth), *path), amount

    def combine_changes_into_total(self, changes: Sequence[SumChange]) -> Number:
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
            yes, no, index = (
                self.combine_changes_into_total(met),
                self.combine_changes_into_total(unmet),
                _get_id_of_term_compared_with_constant(case),
            )
            if index is None or not is_same_number_or_formula(no, 0):
                parts.append(self.reading.choose_by_condition(case, yes, no))
            else:
                choices[index] = self.reading.choose_by_condition(case, yes, choices.get(index, 0))
        total: Number = 0
        for part in (*parts, *choices.values()):
            total = self.reading.combine_numbers("+", total, part)
        return total


class _ReadRecordingCells(list[Number]):
    """Cells that record which of them are read."""

    def __init__(self, cells: Cells) -> None:
        super().__init__(cells)
        self.places: set[int] = set()

    def __getitem__(self, place: Any) -> Any:
        self.places.add(place)
        return super().__getitem__(place)


def _get_id_of_term_compared_with_constant(case_condition: Truth) -> int | None:
    """Return the identity of the term that a case `index == 3` compares with a plain number, or
    None. The identity is valid as long as the case is kept."""
    plain = z3.is_eq(case_condition) and (
        z3.is_int_value(case_condition.arg(1)) or z3.is_bv_value(case_condition.arg(1))
    )
    return case_condition.arg(0).get_id() if plain else None

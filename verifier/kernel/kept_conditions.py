"""Whether a condition that holds before a small step still holds after it: of a sum, only what the step adds and takes
is asked. Nearly all summands stay the same, and cancel before anything is asked about them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from playproof.language.expr import Apply, Const, Op, Reduce, Term
from playproof.verifier.kernel.formula_reading import Reading
from playproof.verifier.kernel.formulas import EQUAL, Formula, Number, Truth, is_choice, is_same_number_or_formula
from playproof.verifier.kernel.term_reading import Cells, Env

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
                yield from iter_conjuncts_of_condition(condition.body, {**local_values, condition.var.number: i})
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

    def iter_change_of_each_summand(self, sum_term: Term, local_values: Env, sign: int) -> Iterator[SumChange]:
        """Yield the change of each summand. A named function counts as a sum if its arguments stay
        the same."""
        match sum_term:
            case Op(op="+" | "-", args=(left, right)):
                yield from self.iter_change_of_each_summand(left, local_values, sign)
                yield from self.iter_change_of_each_summand(right, local_values, sign if sum_term.op == "+" else -sign)
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
        some = list(islice(self._iter_term_change_by_case(sum_term, local_values, sign, self.after), _MOST_CASES + 1))
        if len(some) > _MOST_CASES:
            some = [((), self._compute_signed_term_change(sum_term, local_values, sign, self.after))]
        yield from some

    def _compute_signed_term_change(self, term: Term, local_values: Env, sign: int, cells_after: Cells) -> Number:
        was, now = (self.reading.build_term_value(term, c, local_values) for c in (self.before, cells_after))
        if is_same_number_or_formula(was, now):
            return 0
        return self.reading.combine_numbers("-", *((now, was) if sign > 0 else (was, now)))

    def _iter_term_change_by_case(
        self, term: Term, local_values: Env, sign: int, cells_after: Cells
    ) -> Iterator[SumChange]:
        """Yield the changes of one summand by cases, as long as all cells that changed share one
        case."""
        seen = _ReadRecordingCells(cells_after)
        gain = self._compute_signed_term_change(term, local_values, sign, seen)
        if is_same_number_or_formula(gain, 0):
            return
        changed = [n for n in sorted(seen.places) if not is_same_number_or_formula(self.before[n], cells_after[n])]
        case = cells_after[changed[0]].args[0] if changed and is_choice(cells_after[changed[0]]) else None
        if case is None or not all(is_choice(cells_after[n]) and cells_after[n].args[0] is case for n in changed):
            yield (), gain
            return
        for truth, argument in ((True, 1), (False, 2)):
            cells = list(cells_after)
            for n in changed:
                cells[n] = cells_after[n].args[argument]
            for path, amount in self._iter_term_change_by_case(term, local_values, sign, cells):
                yield ((case, truth), *path), amount

    def combine_changes_into_total(self, changes: Sequence[SumChange]) -> Number:
        """Return the sum of changes. Of cases such as `index == 3` and `index == 4` at most one
        holds, so their amounts become one choice instead of a sum."""
        parts = [amount for path, amount in changes if not path]
        cases: dict[Formula, tuple[list[SumChange], list[SumChange]]] = {}
        for path, amount in changes:
            if path:
                (case, truth), *rest = path
                cases.setdefault(case, ([], []))[0 if truth else 1].append((tuple(rest), amount))
        choices: dict[Formula, Number] = {}
        for case, (met, unmet) in cases.items():
            yes, no = self.combine_changes_into_total(met), self.combine_changes_into_total(unmet)
            index = case.args[0] if case.op == EQUAL and isinstance(case.args[1], int) else None
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
        numbers = range(len(self))[place]
        self.places.update(numbers if isinstance(numbers, range) else [numbers])
        return super().__getitem__(place)

"""Ranges: whether formulas exclude each other, found without a solver by where the value of each part lies.

The theorem: if every case ends in a contradiction, no values of the variables make all formulas true. The premises:
each part begins with the range that it was made with; a range is made narrower only by what the part's meaning leaves
of it, given the ranges of the parts beside it (`_RangeSearch._narrow_part`); two comparisons that hold may be added up;
the cases of a split are all values of a part: a truth is true or false, a number lies in the lower or the upper half.
Source: Benhamou, Goualard, Granvilliers and Puget, "Revising hull and box consistency", ICLP 1999.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeAlias

from playproof.verifier.kernel.formulas import (
    AND,
    CHOICE,
    EQUAL,
    MINUS,
    NOT,
    OR,
    PLUS,
    QUOTIENT,
    REMAINDER,
    TIMES,
    TRUTHS,
    UP_TO,
    VARIABLE,
    Formula,
    Truth,
    list_parts_before_wholes,
)

_Case: TypeAlias = tuple[int, int, int]
"""A part, and the lowest and the highest value that it has in this case."""
_Sum: TypeAlias = dict[int, int]
"""What parts are multiplied by, by their numbers; `_PLAIN` stands for 1."""
_PLAIN = -1
_GLANCE = 0.2
"""Work of looking for what to split, for each part that is looked at."""


class _Contradiction(Exception):
    """A part has no value left."""


class _OutOfWork(Exception):
    """The parts were looked at too often."""


def do_ranges_exclude(formulas: Sequence[Truth], max_work: int) -> bool:
    """Return whether ranges show that formulas cannot be true together. `max_work` is how often a part is looked at; if
    that is not enough, the answer is False."""
    if any(formula is False for formula in formulas):
        return True
    try:
        return _RangeSearch([formula for formula in formulas if formula is not True], max_work).is_every_case_refuted()
    except _OutOfWork:
        return False


class _RangeSearch:
    """The parts of some formulas by number, each behind its own parts, and the ranges of their values. Plain numbers
    are parts too."""

    def __init__(self, formulas: Sequence[Formula], max_work: int) -> None:
        self.work: float = max_work
        self.ops, self.args = list[str](), list[tuple[int, ...]]()
        self.lows, self.highs = list[int](), list[int]()
        self.wholes = list[list[int]]()
        self.numbers = dict[Formula | int, int]()
        for part in list_parts_before_wholes(formulas):
            self._add_part(part)
        self.roots = [self.numbers[formula] for formula in formulas]
        self.compared = [number for number, op in enumerate(self.ops) if op in (EQUAL, UP_TO) and self._has_sum(number)]
        self.trail = list[tuple[int, int, int]]()
        self.waiting = dict.fromkeys(range(len(self.ops)))

    def _add_part(self, part: Formula) -> None:
        some = () if part.op == VARIABLE else part.args
        args = tuple(self._get_or_add_number(arg) for arg in some)
        self._append_part(part, part.op, args, part.lo, part.hi)
        for arg in args:
            self.wholes[arg].append(self.numbers[part])

    def _get_or_add_number(self, part: Formula | int) -> int:
        if part not in self.numbers:
            assert isinstance(part, int)
            self._append_part(part, VARIABLE, (), part, part)
        return self.numbers[part]

    def _has_sum(self, comparison: int) -> bool:
        """Return whether more than one part may be compared with plain numbers."""
        first, second = self.args[comparison]
        return len(self.args[first]) > 1 or len(self.args[second]) > 1 or self.lows[second] < self.highs[second]

    def _append_part(self, part: Formula | int, op: str, args: tuple[int, ...], lo: int, hi: int) -> None:
        self.numbers[part] = len(self.ops)
        self.ops.append(op)
        self.args.append(args)
        self.lows.append(lo)
        self.highs.append(hi)
        self.wholes.append([])

    # -- cases --------------------------------------------------------------------------------------------------------

    def is_every_case_refuted(self) -> bool:
        """Return whether each case of some splits ends in a contradiction. Raises _OutOfWork."""
        open_cases: list[tuple[int, _Case]] = []
        is_possible = all(self._can_case_hold((root, 1, 1)) for root in self.roots)
        while True:
            split = self._find_part_to_split() if is_possible else -1
            if is_possible and split < 0:
                return False
            if split >= 0:
                low, high = self.lows[split], self.highs[split]
                first, second = (split, low, (low + high) // 2), (split, (low + high) // 2 + 1, high)
                if self.ops[split] in TRUTHS:
                    first, second = second, first
                open_cases.append((len(self.trail), second))
                is_possible = self._can_case_hold(first)
            elif open_cases:
                mark, case = open_cases.pop()
                self._forget_ranges_behind(mark)
                is_possible = self._can_case_hold(case)
            else:
                return True

    def _can_case_hold(self, case: _Case) -> bool:
        try:
            self._set_range(*case)
            self._narrow_until_stable()
        except _Contradiction:
            self.waiting.clear()
            return False
        return not (self._is_last_root_settled() and self._do_two_sums_contradict())

    def _is_last_root_settled(self) -> bool:
        """Return whether the last formula, to which the others are premises, is true in one way alone."""
        split = self._find_part_to_split(self.roots[-1:])
        return split < 0 or self.ops[split] == VARIABLE

    def _forget_ranges_behind(self, mark: int) -> None:
        while len(self.trail) > mark:
            number, low, high = self.trail.pop()
            self.lows[number], self.highs[number] = low, high

    def _find_part_to_split(self, roots: Sequence[int] = ()) -> int:
        """Return an open part on which the truth of the formulas depends, of the last one first, and a truth if there
        is one; -1 if there is none. Where one true part of a disjunction is enough, the others do not matter, nor what
        a choice leaves out."""
        lows, highs, seen, waiting, number = self.lows, self.highs, set[int](), list(roots or self.roots), -1
        while waiting:
            here = waiting.pop()
            if here in seen:
                continue
            seen.add(here)
            self.work -= _GLANCE
            op, args = self.ops[here], self.args[here]
            is_open = lows[here] < highs[here]
            if op == VARIABLE:
                number = here if is_open and number < 0 else number
            elif op in (AND, OR):
                decisive = int(op == OR)
                deciding = [arg for arg in args if lows[arg] == highs[arg] == decisive]
                if is_open or (lows[here] == decisive and not deciding):
                    return next(arg for arg in args if lows[arg] < highs[arg])
                waiting += deciding[:1] if lows[here] == decisive else args[::-1]
            elif op == CHOICE and lows[args[0]] < highs[args[0]]:
                return args[0]
            elif op == CHOICE:
                waiting += [args[1 if lows[args[0]] else 2], args[0]]
            elif is_open and op in TRUTHS:
                return here
            else:
                waiting += args[::-1]
        return number

    # -- sums ---------------------------------------------------------------------------------------------------------

    def _do_two_sums_contradict(self) -> bool:
        """Return whether two comparisons that hold, added up, leave nothing: for example 8 <= a + b, and a + b <= 7."""
        sums = list(self._iter_sums_up_to_zero())
        self.work -= len(sums) ** 2
        return any(self._get_lowest_of_sum(each) > 0 for each in sums) or any(
            first.keys() & second.keys() - {_PLAIN} and self._get_lowest_of_sum(_add_sums(first, second)) > 0
            for first, second in combinations(sums, 2)
        )

    def _iter_sums_up_to_zero(self) -> Iterator[_Sum]:
        """Yield what the comparisons that are decided say, as sums that are not above 0."""
        for number in self.compared:
            op = self.ops[number]
            if self.lows[number] == self.highs[number]:
                sums = [dict[int, int](), dict[int, int]()]
                for sign, more in zip((1, -1), sums, strict=True):
                    self._add_to_sum(self.args[number][0], sign, more)
                    self._add_to_sum(self.args[number][1], -sign, more)
                if len(sums[0].keys() - {_PLAIN}) < 2:
                    continue
                if self.lows[number]:
                    yield from sums if op == EQUAL else sums[:1]
                elif op == UP_TO:
                    yield _add_sums(sums[1], {_PLAIN: 1})

    def _add_to_sum(self, number: int, factor: int, total: _Sum) -> None:
        """Add a multiple of a part to a sum of parts that are neither sums themselves nor chosen already."""
        op, args = self.ops[number], self.args[number]
        if self.lows[number] == self.highs[number]:
            total[_PLAIN] = total.get(_PLAIN, 0) + factor * self.lows[number]
        elif op in (PLUS, MINUS):
            self._add_to_sum(args[0], factor, total)
            self._add_to_sum(args[1], factor if op == PLUS else -factor, total)
        elif op == TIMES and self.lows[args[1]] == self.highs[args[1]]:
            self._add_to_sum(args[0], factor * self.lows[args[1]], total)
        elif op == CHOICE and self.lows[args[0]] == self.highs[args[0]]:
            self._add_to_sum(args[1 if self.lows[args[0]] else 2], factor, total)
        else:
            total[number] = total.get(number, 0) + factor

    def _get_lowest_of_sum(self, total: _Sum) -> int:
        parts = ((factor, number) for number, factor in total.items() if number != _PLAIN)
        ends = (factor * (self.lows if factor > 0 else self.highs)[number] for factor, number in parts)
        return total.get(_PLAIN, 0) + sum(ends)

    # -- ranges -------------------------------------------------------------------------------------------------------

    def _set_range(self, number: int, low: int, high: int) -> None:
        """Make a part's range narrower, and look again at what it is part of. Raises _Contradiction."""
        old_low, old_high = self.lows[number], self.highs[number]
        low, high = max(low, old_low), min(high, old_high)
        if low > high:
            raise _Contradiction
        if low > old_low or high < old_high:
            self.trail.append((number, old_low, old_high))
            self.lows[number], self.highs[number] = low, high
            self.waiting[number] = None
            for whole in self.wholes[number]:
                self.waiting[whole] = None

    def _narrow_until_stable(self) -> None:
        waiting = self.waiting
        while waiting:
            self.work -= 1
            if self.work < 0:
                raise _OutOfWork
            number = next(iter(waiting))
            del waiting[number]
            if self.args[number]:
                self._narrow_part(number)

    def _narrow_part(self, number: int) -> None:
        """Make the ranges of a part and of its parts narrower by what the part means."""
        op, args = self.ops[number], self.args[number]
        if op in (AND, OR):
            self._narrow_junction(number, args, int(op == AND))
        elif op == CHOICE:
            self._narrow_choice(number, *args)
        elif op == NOT:
            self._set_range(number, 1 - self.highs[args[0]], 1 - self.lows[args[0]])
            self._set_range(args[0], 1 - self.highs[number], 1 - self.lows[number])
        elif op == EQUAL:
            self._narrow_equality(number, *args)
        elif op == UP_TO:
            self._narrow_order(number, *args)
        else:
            self._narrow_arithmetic(op, number, *args)

    def _narrow_junction(self, whole: int, args: tuple[int, ...], neutral: int) -> None:
        """Of a conjunction (or with `neutral` 0 a disjunction): it is neutral exactly if all of its parts are."""
        lows, highs = self.lows, self.highs
        if lows[whole] == highs[whole] == neutral:
            for arg in args:
                self._set_range(arg, neutral, neutral)
            return
        left = [arg for arg in args if not lows[arg] == highs[arg] == neutral]
        if not left:
            self._set_range(whole, neutral, neutral)
        elif any(lows[arg] == highs[arg] for arg in left):
            self._set_range(whole, 1 - neutral, 1 - neutral)
        elif len(left) == 1 and lows[whole] == highs[whole]:
            self._set_range(left[0], 1 - neutral, 1 - neutral)

    def _narrow_choice(self, whole: int, condition: int, yes: int, no: int) -> None:
        lows, highs = self.lows, self.highs
        for side, other, truth in ((yes, no, 1), (no, yes, 0)):
            if lows[condition] == highs[condition] == truth:
                self._set_range(whole, lows[side], highs[side])
                self._set_range(side, lows[whole], highs[whole])
                return
            if lows[side] > highs[whole] or highs[side] < lows[whole]:
                self._set_range(condition, 1 - truth, 1 - truth)
                self._set_range(whole, lows[other], highs[other])
                self._set_range(other, lows[whole], highs[whole])
                return
        self._set_range(whole, min(lows[yes], lows[no]), max(highs[yes], highs[no]))

    def _narrow_equality(self, truth: int, left: int, right: int) -> None:
        lows, highs = self.lows, self.highs
        if lows[left] > highs[right] or highs[left] < lows[right]:
            self._set_range(truth, 0, 0)
        elif lows[truth]:
            self._set_range(left, lows[right], highs[right])
            self._set_range(right, lows[left], highs[left])
        elif lows[left] == highs[left] == lows[right] == highs[right]:
            self._set_range(truth, 1, 1)
        elif not highs[truth]:
            for one, other in ((left, right), (right, left)):
                if lows[one] == highs[one]:
                    value = lows[one]
                    self._set_range(other, lows[other] + (lows[other] == value), highs[other] - (highs[other] == value))

    def _narrow_order(self, truth: int, left: int, right: int) -> None:
        lows, highs = self.lows, self.highs
        if highs[left] <= lows[right]:
            self._set_range(truth, 1, 1)
        elif lows[left] > highs[right]:
            self._set_range(truth, 0, 0)
        elif lows[truth]:
            self._set_range(left, lows[left], highs[right])
            self._set_range(right, lows[left], highs[right])
        elif not highs[truth]:
            self._set_range(left, lows[right] + 1, highs[left])
            self._set_range(right, lows[right], highs[left] - 1)

    def _narrow_arithmetic(self, op: str, whole: int, left: int, right: int) -> None:
        lows, highs = self.lows, self.highs
        if op == PLUS:
            self._set_range(whole, lows[left] + lows[right], highs[left] + highs[right])
            self._set_range(left, lows[whole] - highs[right], highs[whole] - lows[right])
            self._set_range(right, lows[whole] - highs[left], highs[whole] - lows[left])
        elif op == MINUS:
            self._set_range(whole, lows[left] - highs[right], highs[left] - lows[right])
            self._set_range(left, lows[whole] + lows[right], highs[whole] + highs[right])
            self._set_range(right, lows[left] - highs[whole], highs[left] - lows[whole])
        elif op == TIMES:
            ends = [a * b for a in (lows[left], highs[left]) for b in (lows[right], highs[right])]
            self._set_range(whole, min(ends), max(ends))
            factor = lows[right]
            if factor == highs[right] and factor:
                some = (lows[whole], highs[whole]) if factor > 0 else (-highs[whole], -lows[whole])
                self._set_range(left, -(-some[0] // abs(factor)), some[1] // abs(factor))
        else:
            self._narrow_division(op, whole, left, lows[right])

    def _narrow_division(self, op: str, whole: int, dividend: int, divisor: int) -> None:
        lows, highs = self.lows, self.highs
        least, most = lows[dividend] // divisor, highs[dividend] // divisor
        if op == QUOTIENT:
            self._set_range(whole, least, most)
            self._set_range(dividend, lows[whole] * divisor, highs[whole] * divisor + divisor - 1)
        elif op == REMAINDER and least == most:
            self._set_range(whole, lows[dividend] - least * divisor, highs[dividend] - least * divisor)
            self._set_range(dividend, lows[whole] + least * divisor, highs[whole] + least * divisor)


def _add_sums(first: _Sum, second: _Sum) -> _Sum:
    return {number: first.get(number, 0) + second.get(number, 0) for number in first.keys() | second.keys()}

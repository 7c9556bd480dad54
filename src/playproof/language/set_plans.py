"""Chooses the banks and lanes of choices, so that a condition on all of them takes few operations on bits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise, product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.choice_sets import ChoiceBank, Mask, SetCompiler, SetNames
from playproof.language.expr import Read, Term
from playproof.language.known_values import (
    MOST_CASES,
    CaseNeededError,
    ChoiceFamily,
    ChoiceTermEvaluator,
    IntArray,
    NoSetError,
    inline_calls_and_short_loops,
)
from playproof.language.machine.sets import LANES
from playproof.language.statements import (
    iter_conditions_joined_by_and,
    iter_term_and_subterms,
    make_structural_key_or_identity,
)

_MOST_BANKS = 24
_LEAST_LANES = 6  # choices in a bank, on average
_FEWEST = 8  # choices
_CELL_COST = 10  # finding all cells of a field that hold a value, in operations


@dataclass(frozen=True)
class SetCase:
    """One case: the values that its numbers of the state have, and each bank's set."""

    values: tuple[int, ...]
    masks: tuple[Mask, ...]
    names: SetNames


@dataclass(frozen=True)
class SetPlan:
    """How a condition on many choices becomes one set for each bank. `splits` are the numbers of the state whose values
    are the cases. Choices go up with the bank, then the lane; or, `by_lane`, with the lane, then the bank."""

    banks: tuple[ChoiceBank, ...]
    by_lane: bool
    splits: tuple[Term, ...]
    cases: tuple[SetCase, ...]
    cost: int


def find_cheapest_set_plan(family: ChoiceFamily, condition: Term, *, must_keep_order: bool) -> SetPlan | None:
    """Return the cheapest plan for a condition on the choices of a family, or None if it has none. With
    `must_keep_order`, the order of the choices must be that of banks and lanes."""
    if family.count < _FEWEST:
        return None
    splits: list[Term] = []
    try:
        condition = inline_calls_and_short_loops(condition, family)
        while True:
            try:
                return _find_cheapest_plan_split_by_all_or_raise(family, condition, splits, must_keep_order)
            except CaseNeededError as error:
                splits.append(error.term)
                if prod(t.hi - t.lo + 1 for t in splits) > MOST_CASES:
                    return None
    except NoSetError:
        return None


def _find_cheapest_plan_split_by_all_or_raise(
    family: ChoiceFamily, condition: Term, splits: Sequence[Term], must_keep_order: bool
) -> SetPlan | None:
    keys = [make_structural_key_or_identity(t) for t in splits]
    every = [*product(*(range(t.lo, t.hi + 1) for t in splits))]
    cases = [dict(zip(keys, values, strict=True)) for values in every]
    readers = [ChoiceTermEvaluator(family, case) for case in cases]
    possible = _compute_mask_of_possible_choices(condition, readers)
    if possible.sum() < _FEWEST:
        return None
    best: SetPlan | None = None
    reads = _find_cell_numbers_read_by_choices(condition, readers)
    for banks in _iter_bank_layouts(family, np.flatnonzero(possible), reads):
        if len(banks) > min(_MOST_BANKS, int(possible.sum()) // _LEAST_LANES):
            continue
        order = _order_banks_by_choice_number_or_none(banks) if must_keep_order else (banks, False)
        if order is None:
            continue
        made = []
        for reader, values in zip(readers, every, strict=True):
            compiler = SetCompiler(order[0], reader)
            made.append(SetCase(values, tuple(compiler.compile_condition_to_mask_per_bank(condition)), compiler.names))
        cost = max(map(_estimate_operation_count_of_case, made)) + (6 * len(banks) if order[1] else 0)
        if best is None or cost < best.cost:
            best = SetPlan(tuple(order[0]), order[1], tuple(splits), tuple(made), cost)
    return best


def _compute_mask_of_possible_choices(condition: Term, readers: Sequence[ChoiceTermEvaluator]) -> npt.NDArray[Any]:
    """Return which choices what is known beforehand does not exclude in every case."""
    count = readers[0].family.count
    possible = np.zeros(count, dtype=bool)
    for reader in readers:
        known = [reader.evaluate_for_each_choice(part) for part in iter_conditions_joined_by_and(condition)]
        possible |= np.logical_and.reduce([np.ones(count, bool), *(k != 0 for k in known if k is not None)])
    return possible


def _find_cell_numbers_read_by_choices(condition: Term, readers: Sequence[ChoiceTermEvaluator]) -> list[IntArray]:
    """Return the cell number that each choice reads, for each cell that the condition reads in each case."""
    found: dict[bytes, IntArray] = {}
    for reader in readers:
        for node in iter_term_and_subterms(condition):
            if isinstance(node, Read) and reader.family.is_choice_dependent(node):
                index = reader.evaluate_for_each_choice(node.index)
                if index is not None:
                    found.setdefault(index.tobytes(), index)
    return [*found.values()]


def _iter_bank_layouts(
    family: ChoiceFamily, choices: IntArray, reads: Sequence[IntArray]
) -> Iterator[list[ChoiceBank]]:
    """Yield ways to put choices into banks and lanes: one bank; a lane for each value of a local; a lane for each cell
    that is read, and a bank for each distance of the other cells from it."""
    if len(choices) <= LANES:
        yield [ChoiceBank(choices, np.arange(len(choices)))]
    columns = [*family.values.values()]
    for place, column in enumerate(columns):
        if len(columns) > 1 and column.max() - column.min() < LANES:
            others = [c for k, c in enumerate(columns) if k != place]
            yield _group_choices_into_banks(choices, column - column.min(), others)
    for index in reads:
        if index[choices].max() < LANES:
            yield _group_choices_into_banks(choices, index, [other - index for other in reads])


def _group_choices_into_banks(choices: IntArray, lanes: IntArray, columns: Sequence[IntArray]) -> list[ChoiceBank]:
    """Return banks of choices that are alike in all columns, with no lane twice."""
    banks: dict[tuple[int, ...], list[int]] = {}
    seen: dict[tuple[int, ...], int] = {}
    for choice in choices.tolist():
        key = tuple(int(c[choice]) for c in columns)
        place = (*key, int(lanes[choice]))
        seen[place] = seen.get(place, -1) + 1
        banks.setdefault((*key, seen[place]), []).append(choice)
    return [ChoiceBank(np.array(members), lanes[members]) for members in banks.values()]


def _order_banks_by_choice_number_or_none(banks: Sequence[ChoiceBank]) -> tuple[list[ChoiceBank], bool] | None:
    """Return the banks in an order in which the choices' numbers go up, and whether they do so by lane, then bank.
    Return None if there is no such order."""
    ordered = sorted(banks, key=lambda bank: int(bank.members.min()))
    numbers = [n for bank in ordered for n in _list_choices_by_lane(bank)]
    if numbers == sorted(numbers):
        return ordered, False
    places = sorted(
        (int(lane), int(member), b)
        for b, bank in enumerate(ordered)
        for lane, member in zip(bank.lanes, bank.members, strict=True)
    )
    sorter: TopologicalSorter[int] = TopologicalSorter(dict.fromkeys(range(len(ordered)), ()))
    for (lane, _, b), (other_lane, _, c) in pairwise(places):
        if lane == other_lane:
            sorter.add(c, b)
    try:
        ordered = [ordered[b] for b in sorter.static_order()]
    except CycleError:
        return None
    members = [member for _, member, _ in places]
    return (ordered, True) if members == sorted(members) else None


def _list_choices_by_lane(bank: ChoiceBank) -> list[int]:
    return [int(n) for n in bank.members[np.argsort(bank.lanes)]]


def _estimate_operation_count_of_case(case: SetCase) -> int:
    """Return about how many operations the sets of a case take."""
    signs = sum(mask.count(sign) for mask in case.masks if isinstance(mask, str) for sign in "&|^<[")
    return signs + _CELL_COST * len(case.names.equal) + len(case.names.conditions)

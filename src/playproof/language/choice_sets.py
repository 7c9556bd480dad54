"""Finds sets of bits that answer a condition for many choices at once.

The choices of an action (or the rounds of a loop) are put into banks, where each has a lane: one bit of a word. All
that a condition asks of parameters alone is worked out here, for every choice. What is left are cells: if the choices
of a bank read cells at one distance from their lanes, `cell == value` is the set of all cells with that value, shifted.
So boards become bitboards, with no geometry declared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.expr import Const, Op, Read, Term, get_child_terms, make_comparison_term
from playproof.language.fields import Field
from playproof.language.known_values import (
    MOST_CASES,
    CaseNeededError,
    ChoiceTermEvaluator,
    IntArray,
    NoSetError,
    find_state_term_of_few_values,
)
from playproof.language.machine.sets import LANES
from playproof.language.statements import iter_term_and_subterms, make_structural_key_or_identity

Mask = int | str
"""The set of a bank's choices for which a condition holds: known, or an expression over cells."""
_MOST_VALUES = 64  # of a cell
_MOST_SCALAR_VALUES = 256  # of a number that chooses a set from a table
_MOST_SETS = 6  # values of a cell that are asked for one condition


@dataclass(frozen=True)
class ChoiceBank:
    """Choices that share a word: choice `members[k]` is bit `lanes[k]`."""

    members: IntArray
    lanes: IntArray

    def make_mask_of_members_where_true(self, truth_by_choice: npt.NDArray[Any]) -> int:
        """Return the set of the members for which an array over all choices is not 0."""
        return _make_mask_with_bits(self.lanes[truth_by_choice[self.members] != 0])

    @property
    def full_mask(self) -> int:
        """All members."""
        return _make_mask_with_bits(self.lanes)


def _make_mask_with_bits(bit_numbers: IntArray) -> int:
    return int(np.bitwise_or.reduce(np.left_shift(np.uint64(1), bit_numbers.astype(np.uint64)), initial=0))


# -- conditions as sets ---------------------------------------------------------------------------------------------


@dataclass
class SetNames:
    """What the expressions of one case are made of, each by the name that stands for it."""

    conditions: dict[object, tuple[str, Term]] = field(default_factory=dict)
    """Conditions that do not depend on the choice: all bits, or none."""
    equal: dict[object, tuple[str, Field, Term]] = field(default_factory=dict)
    """The cells of a field, from its first on, that hold a value."""
    tables: dict[tuple[int, ...], str] = field(default_factory=dict)
    scalars: dict[object, tuple[str, Term]] = field(default_factory=dict)


class SetCompiler:
    """Turns conditions into one set for each bank, in one case."""

    def __init__(self, banks: Sequence[ChoiceBank], reader: ChoiceTermEvaluator) -> None:
        self.family, self.banks, self.reader = reader.family, banks, reader
        self.names = SetNames()
        self.full = [bank.full_mask for bank in banks]

    def compile_condition_to_mask_per_bank(self, condition: Term) -> list[Mask]:
        """Return for each bank the set of its choices for which the condition holds. Raises NoSetError."""
        known = self.reader.evaluate_for_each_choice(condition)
        if known is not None:
            return self._make_mask_per_bank(known)
        if not self.family.is_choice_dependent(condition):
            return [
                self._combine_masks("&", self._get_or_add_name_of_condition_mask(condition), full) for full in self.full
            ]
        match condition:
            case Op(op="and" | "or"):
                sign = "&" if condition.op == "and" else "|"
                first, second = (self.compile_condition_to_mask_per_bank(a) for a in condition.args)
                return [self._combine_masks(sign, a, b) for a, b in zip(first, second, strict=True)]
            case Op(op="not"):
                return self._complement_masks(self.compile_condition_to_mask_per_bank(condition.args[0]))
            case Op(op="==" | "!=") if (held := self._compile_cell_equality_to_masks_or_none(condition)) is not None:
                return held if condition.op == "==" else self._complement_masks(held)
            case Op(op="pick") if all(a.lo >= 0 and a.hi <= 1 for a in condition.args):
                test, yes, no = (self.compile_condition_to_mask_per_bank(a) for a in condition.args)
                other = self._complement_masks(test)
                return [
                    self._combine_masks("|", self._combine_masks("&", c, a), self._combine_masks("&", d, b))
                    for c, a, d, b in zip(test, yes, other, no, strict=True)
                ]
        return self._compile_masks_by_values_of_cells(condition)

    def _make_mask_per_bank(self, truth_by_choice: IntArray) -> list[Mask]:
        return [bank.make_mask_of_members_where_true(truth_by_choice) for bank in self.banks]

    def _complement_masks(self, masks: list[Mask]) -> list[Mask]:
        return [
            full ^ mask if isinstance(mask, int) else f"({mask} ^ {full})"
            for mask, full in zip(masks, self.full, strict=True)
        ]

    @staticmethod
    def _combine_masks(operator: str, a: Mask, b: Mask) -> Mask:
        if isinstance(a, int) and isinstance(b, int):
            return a & b if operator == "&" else a | b
        if 0 in (a, b):
            return 0 if operator == "&" else a if b == 0 else b
        return f"({a} {operator} {b})"

    def _get_or_add_name_of_condition_mask(self, term: Term) -> str:
        known = self.names.conditions
        name, _ = known.setdefault(make_structural_key_or_identity(term), (f"c{len(known)}", term))
        return name

    def _compile_cell_equality_to_masks_or_none(self, term: Op) -> list[Mask] | None:
        """Return the sets of `cell == value` if the value does not depend on the choice."""
        for cell, value in (term.args, term.args[::-1]):
            if (
                isinstance(cell, Read)
                and self.family.is_choice_dependent(cell)
                and not self.family.is_choice_dependent(value)
                and self.reader.evaluate_for_each_choice(value) is None
            ):
                return self._compile_masks_where_cell_equals(
                    cell.field, self._evaluate_cell_index_per_choice_or_raise(cell), value
                )
        return None

    def _evaluate_cell_index_per_choice_or_raise(self, cell: Read) -> IntArray:
        index = self.reader.evaluate_for_each_choice(cell.index)
        if index is not None:
            return index
        needed = find_state_term_of_few_values(cell.index, self.reader)
        if needed is None:
            raise NoSetError
        raise CaseNeededError(needed)

    # -- cells ----------------------------------------------------------------------------------------------

    def _compile_masks_where_cell_equals(
        self, read_field: Field, cell_index_by_choice: IntArray, value: Term
    ) -> list[Mask]:
        """Return for each bank its choices whose cell `cell_index_by_choice` of a field holds a value."""
        return [
            self._compile_bank_mask_where_cell_equals(bank, read_field, cell_index_by_choice[bank.members], value)
            for bank in self.banks
        ]

    def _compile_bank_mask_where_cell_equals(
        self, bank: ChoiceBank, read_field: Field, cell_index_by_member: IntArray, value: Term
    ) -> Mask:
        made: Mask = 0
        left = np.ones(len(cell_index_by_member), dtype=bool)
        distance = cell_index_by_member - bank.lanes
        while left.any():
            near = left & (cell_index_by_member < LANES)
            steps, counts = np.unique(distance[near], return_counts=True)
            cells, same = np.unique(cell_index_by_member[left], return_counts=True)
            if len(steps) and counts.max() >= same.max():
                step = int(steps[counts.argmax()])
                part = near & (distance == step)
                held_by = _format_right_or_left_shift(
                    self._get_or_add_name_of_equal_cells_mask(read_field, value), step
                )
            else:
                cell = int(cells[same.argmax()])
                part = left & (cell_index_by_member == cell)
                held_by = self._get_or_add_name_of_condition_mask(
                    make_comparison_term("==", Read(read_field, Const(cell), 0), value)
                )
            mask = _make_mask_with_bits(bank.lanes[part])
            made = self._combine_masks("|", made, self._combine_masks("&", held_by, mask))
            left &= ~part
        return made

    def _get_or_add_name_of_equal_cells_mask(self, read_field: Field, value: Term) -> str:
        known = self.names.equal
        key = read_field.number, make_structural_key_or_identity(value)
        name, _, _ = known.setdefault(key, (f"q{len(known)}", read_field, value))
        return name

    # -- other conditions -----------------------------------------------------------------------------------

    def _compile_masks_by_values_of_cells(self, term: Term) -> list[Mask]:
        """Return the sets of a condition on few cells: for each value of a cell, the choices that have it there and
        for which the condition then holds."""
        cells = self._map_keys_to_choice_dependent_reads(term)
        if not cells:
            return self._compile_mask_per_bank_by_scalar_table(term)
        if len(cells) > 2:
            raise NoSetError
        return self._compile_masks_by_trying_cell_values(term, cells, {})

    def _map_keys_to_choice_dependent_reads(self, term: Term) -> dict[object, tuple[Read, IntArray]]:
        found: dict[object, tuple[Read, IntArray]] = {}
        for node in iter_term_and_subterms(term):
            if isinstance(node, Read) and self.family.is_choice_dependent(node):
                index = self._evaluate_cell_index_per_choice_or_raise(node)
                found[node.field.number, index.tobytes()] = node, index
        return found

    def _compile_masks_by_trying_cell_values(
        self, term: Term, cells: Mapping[object, tuple[Read, IntArray]], assumed_values: Mapping[object, int]
    ) -> list[Mask]:
        if not cells:
            known = self.reader.get_evaluator_with_assumed_values({}, assumed_values).evaluate_for_each_choice(term)
            if known is not None:
                return self._make_mask_per_bank(known)
            needed = find_state_term_of_few_values(term, self.reader)
            if needed is None or self.reader.evaluate_for_each_choice(needed) is not None:
                raise NoSetError
            raise CaseNeededError(needed)
        (key, (cell, index)), *rest = cells.items()
        values = range(cell.field.lo, cell.field.hi + 1)
        if len(values) > _MOST_VALUES:
            raise NoSetError
        never: list[Mask] = [0] * len(self.banks)
        always: list[Mask] = [*self.full]
        asked, failing = dict[int, list[Mask]](), dict[int, list[Mask]]()
        for v in values:
            masks = self._compile_masks_by_trying_cell_values(term, dict(rest), {**assumed_values, key: v})
            if masks != never:
                asked[v] = masks
            if rest or masks != always:
                failing[v] = self._complement_masks(masks)
            if min(len(asked), len(failing)) > _MOST_SETS:
                raise NoSetError
        fails = not rest and len(failing) < len(asked)
        asked = failing if fails else asked
        if len(asked) > _MOST_SETS:
            raise NoSetError
        result = never
        for v, masks in asked.items():
            found = self._compile_masks_where_cell_equals(cell.field, index, Const(v))
            result = [
                self._combine_masks("|", a, self._combine_masks("&", b, c))
                for a, b, c in zip(result, found, masks, strict=True)
            ]
        return self._complement_masks(result) if fails else result

    def _compile_mask_per_bank_by_scalar_table(self, term: Term) -> list[Mask]:
        """Return the sets of a condition on one number of the state: a table has the set for each of its values."""
        scalars = {make_structural_key_or_identity(t): t for t in self._iter_largest_choice_free_parts(term)}
        if len(scalars) != 1:
            needed = find_state_term_of_few_values(term, self.reader)
            if needed is None:
                raise NoSetError
            raise CaseNeededError(needed)
        (key, scalar), *_ = scalars.items()
        if scalar.hi - scalar.lo >= _MOST_SCALAR_VALUES:
            raise NoSetError
        if scalar.hi - scalar.lo < MOST_CASES and find_state_term_of_few_values(scalar, self.reader) is scalar:
            raise CaseNeededError(scalar)
        columns: list[list[int]] = [[] for _ in self.banks]
        for value in range(scalar.lo, scalar.hi + 1):
            known = self.reader.get_evaluator_with_assumed_values({key: value}, {}).evaluate_for_each_choice(term)
            if known is None:
                raise NoSetError
            for column, bank in zip(columns, self.banks, strict=True):
                column.append(bank.make_mask_of_members_where_true(known))
        return [self._make_table_lookup_mask(column, key, scalar) for column in columns]

    def _iter_largest_choice_free_parts(self, term: Term) -> Iterator[Term]:
        """Yield the largest parts of a term that need the state and do not depend on the choice."""
        if self.reader.evaluate_for_each_choice(term) is not None:
            return
        if not self.family.is_choice_dependent(term):
            yield term
            return
        for child in get_child_terms(term):
            yield from self._iter_largest_choice_free_parts(child)

    def _make_table_lookup_mask(self, masks_by_value: list[int], key: object, scalar: Term) -> Mask:
        if len(set(masks_by_value)) == 1:
            return masks_by_value[0]
        table = self.names.tables.setdefault(tuple(masks_by_value), f"t{len(self.names.tables)}")
        name, _ = self.names.scalars.setdefault(key, (f"s{len(self.names.scalars)}", scalar))
        place = name if scalar.lo == 0 else f"{name} - {scalar.lo}"
        return f"({table}[{place}] & {(1 << LANES) - 1})"


def _format_right_or_left_shift(mask_name: str, right_shift_or_negative: int) -> str:
    """Return the set whose bit `i` is bit `i + bit_count` of the named one."""
    if right_shift_or_negative == 0:
        return mask_name
    return (
        f"({mask_name} >> {right_shift_or_negative})"
        if right_shift_or_negative > 0
        else f"({mask_name} << {-right_shift_or_negative})"
    )

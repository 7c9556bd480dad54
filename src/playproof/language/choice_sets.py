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

from playproof.language.expr import (
    Const,
    Op,
    Read,
    Term,
    compare,
    get_child_terms,
)
from playproof.language.fields import Field
from playproof.language.known_values import (
    MOST_CASES,
    CaseNeededError,
    IntArray,
    NoSetError,
    StaticReader,
    find_needed_case,
)
from playproof.language.machine.sets import LANES
from playproof.language.statements import iter_subterms, make_shape_key

Mask = int | str
"""The set of a bank's choices for which a condition holds: known, or an expression over cells."""
_MOST_VALUES = 64  # of a cell
_MOST_SCALAR_VALUES = 256  # of a number that chooses a set from a table
_MOST_SETS = 6  # values of a cell that are asked for one condition


@dataclass(frozen=True)
class Bank:
    """Choices that share a word: choice `members[k]` is bit `lanes[k]`."""

    members: IntArray
    lanes: IntArray

    def make_mask(self, holds: npt.NDArray[Any]) -> int:
        """Return the set of the members for which an array over all choices is not 0."""
        return _join_bits(self.lanes[holds[self.members] != 0])

    @property
    def full(self) -> int:
        """All members."""
        return _join_bits(self.lanes)


def _join_bits(lanes: IntArray) -> int:
    return int(np.bitwise_or.reduce(np.left_shift(np.uint64(1), lanes.astype(np.uint64)), initial=0))


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

    def __init__(self, banks: Sequence[Bank], reader: StaticReader) -> None:
        self.family, self.banks, self.reader = reader.family, banks, reader
        self.names = SetNames()
        self.full = [bank.full for bank in banks]

    def compile_condition(self, term: Term) -> list[Mask]:
        """Return for each bank the set of its choices for which the condition holds. Raises NoSetError."""
        known = self.reader.evaluate(term)
        if known is not None:
            return self._make_masks(known)
        if not self.family.has_any_of(term):
            return [self._join("&", self._name_condition(term), full) for full in self.full]
        match term:
            case Op(op="and" | "or"):
                sign = "&" if term.op == "and" else "|"
                first, second = (self.compile_condition(a) for a in term.args)
                return [self._join(sign, a, b) for a, b in zip(first, second, strict=True)]
            case Op(op="not"):
                return self._complement(self.compile_condition(term.args[0]))
            case Op(op="==" | "!=") if (held := self._compile_equality(term)) is not None:
                return held if term.op == "==" else self._complement(held)
            case Op(op="pick") if all(a.lo >= 0 and a.hi <= 1 for a in term.args):
                test, yes, no = (self.compile_condition(a) for a in term.args)
                other = self._complement(test)
                return [
                    self._join("|", self._join("&", c, a), self._join("&", d, b))
                    for c, a, d, b in zip(test, yes, other, no, strict=True)
                ]
        return self._compile_by_values(term)

    def _make_masks(self, holds: IntArray) -> list[Mask]:
        return [bank.make_mask(holds) for bank in self.banks]

    def _complement(self, masks: list[Mask]) -> list[Mask]:
        return [
            full ^ mask if isinstance(mask, int) else f"({mask} ^ {full})"
            for mask, full in zip(masks, self.full, strict=True)
        ]

    @staticmethod
    def _join(sign: str, a: Mask, b: Mask) -> Mask:
        if isinstance(a, int) and isinstance(b, int):
            return a & b if sign == "&" else a | b
        if 0 in (a, b):
            return 0 if sign == "&" else a if b == 0 else b
        return f"({a} {sign} {b})"

    def _name_condition(self, term: Term) -> str:
        known = self.names.conditions
        name, _ = known.setdefault(make_shape_key(term), (f"c{len(known)}", term))
        return name

    def _compile_equality(self, term: Op) -> list[Mask] | None:
        """Return the sets of `cell == value` if the value does not depend on the choice."""
        for cell, value in (term.args, term.args[::-1]):
            if (
                isinstance(cell, Read)
                and self.family.has_any_of(cell)
                and not self.family.has_any_of(value)
                and self.reader.evaluate(value) is None
            ):
                return self._find_cells(cell.field, self._evaluate_index(cell), value)
        return None

    def _evaluate_index(self, cell: Read) -> IntArray:
        index = self.reader.evaluate(cell.index)
        if index is not None:
            return index
        needed = find_needed_case(cell.index, self.reader)
        if needed is None:
            raise NoSetError
        raise CaseNeededError(needed)

    # -- cells ----------------------------------------------------------------------------------------------

    def _find_cells(self, held: Field, index: IntArray, value: Term) -> list[Mask]:
        """Return for each bank its choices whose cell `index` of a field holds a value."""
        return [self._find_cells_of_bank(bank, held, index[bank.members], value) for bank in self.banks]

    def _find_cells_of_bank(self, bank: Bank, held: Field, index: IntArray, value: Term) -> Mask:
        made: Mask = 0
        left = np.ones(len(index), dtype=bool)
        distance = index - bank.lanes
        while left.any():
            near = left & (index < LANES)
            steps, counts = np.unique(distance[near], return_counts=True)
            cells, same = np.unique(index[left], return_counts=True)
            if len(steps) and counts.max() >= same.max():
                step = int(steps[counts.argmax()])
                part = near & (distance == step)
                held_by = _format_shift(self._name_equal_cells(held, value), step)
            else:
                cell = int(cells[same.argmax()])
                part = left & (index == cell)
                held_by = self._name_condition(compare("==", Read(held, Const(cell), 0), value))
            mask = _join_bits(bank.lanes[part])
            made = self._join("|", made, self._join("&", held_by, mask))
            left &= ~part
        return made

    def _name_equal_cells(self, held: Field, value: Term) -> str:
        known = self.names.equal
        key = held.number, make_shape_key(value)
        name, _, _ = known.setdefault(key, (f"q{len(known)}", held, value))
        return name

    # -- other conditions -----------------------------------------------------------------------------------

    def _compile_by_values(self, term: Term) -> list[Mask]:
        """Return the sets of a condition on few cells: for each value of a cell, the choices that have it there and
        for which the condition then holds."""
        cells = self._find_cell_reads(term)
        if not cells:
            return self._compile_by_scalar(term)
        if len(cells) > 2:
            raise NoSetError
        return self._compile_with_cells(term, cells, {})

    def _find_cell_reads(self, term: Term) -> dict[object, tuple[Read, IntArray]]:
        found: dict[object, tuple[Read, IntArray]] = {}
        for node in iter_subterms(term):
            if isinstance(node, Read) and self.family.has_any_of(node):
                index = self._evaluate_index(node)
                found[node.field.number, index.tobytes()] = node, index
        return found

    def _compile_with_cells(
        self,
        term: Term,
        cells: Mapping[object, tuple[Read, IntArray]],
        held: Mapping[object, int],
    ) -> list[Mask]:
        if not cells:
            known = self.reader.assume({}, held).evaluate(term)
            if known is not None:
                return self._make_masks(known)
            needed = find_needed_case(term, self.reader)
            if needed is None or self.reader.evaluate(needed) is not None:
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
            masks = self._compile_with_cells(term, dict(rest), {**held, key: v})
            if masks != never:
                asked[v] = masks
            if rest or masks != always:
                failing[v] = self._complement(masks)
            if min(len(asked), len(failing)) > _MOST_SETS:
                raise NoSetError
        fails = not rest and len(failing) < len(asked)
        asked = failing if fails else asked
        if len(asked) > _MOST_SETS:
            raise NoSetError
        result = never
        for v, masks in asked.items():
            found = self._find_cells(cell.field, index, Const(v))
            result = [
                self._join("|", a, self._join("&", b, c))
                for a, b, c in zip(result, found, masks, strict=True)
            ]
        return self._complement(result) if fails else result

    def _compile_by_scalar(self, term: Term) -> list[Mask]:
        """Return the sets of a condition on one number of the state: a table has the set for each of its values."""
        scalars = {make_shape_key(t): t for t in self._iter_scalars(term)}
        if len(scalars) != 1:
            needed = find_needed_case(term, self.reader)
            if needed is None:
                raise NoSetError
            raise CaseNeededError(needed)
        (key, scalar), *_ = scalars.items()
        if scalar.hi - scalar.lo >= _MOST_SCALAR_VALUES:
            raise NoSetError
        if scalar.hi - scalar.lo < MOST_CASES and find_needed_case(scalar, self.reader) is scalar:
            raise CaseNeededError(scalar)
        columns: list[list[int]] = [[] for _ in self.banks]
        for value in range(scalar.lo, scalar.hi + 1):
            known = self.reader.assume({key: value}, {}).evaluate(term)
            if known is None:
                raise NoSetError
            for column, bank in zip(columns, self.banks, strict=True):
                column.append(bank.make_mask(known))
        return [self._look_up_set(column, key, scalar) for column in columns]

    def _iter_scalars(self, term: Term) -> Iterator[Term]:
        """Yield the largest parts of a term that need the state and do not depend on the choice."""
        if self.reader.evaluate(term) is not None:
            return
        if not self.family.has_any_of(term):
            yield term
            return
        for child in get_child_terms(term):
            yield from self._iter_scalars(child)

    def _look_up_set(self, column: list[int], key: object, scalar: Term) -> Mask:
        if len(set(column)) == 1:
            return column[0]
        table = self.names.tables.setdefault(tuple(column), f"t{len(self.names.tables)}")
        name, _ = self.names.scalars.setdefault(key, (f"s{len(self.names.scalars)}", scalar))
        place = name if scalar.lo == 0 else f"{name} - {scalar.lo}"
        return f"({table}[{place}] & {(1 << LANES) - 1})"


def _format_shift(name: str, step: int) -> str:
    """Return the set whose bit `i` is bit `i + step` of the named one."""
    if step == 0:
        return name
    return f"({name} >> {step})" if step > 0 else f"({name} << {-step})"

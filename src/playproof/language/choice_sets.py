"""Finds sets of bits that answer a condition for many choices at once.

The choices of an action (or the rounds of a loop) are put into banks, where each has a lane: one bit of a word. All
that a condition asks of parameters alone is worked out here, for every choice. What is left are cells: if the choices
of a bank read cells at one distance from their lanes, `cell == value` is the set of all cells with that value, shifted.
So boards become bitboards, with no geometry declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.expr import (
    OPERATORS,
    Apply,
    Const,
    Local,
    Lookup,
    Op,
    Read,
    Reduce,
    Term,
    compare,
    get_child_terms,
    logical_and,
    logical_or,
)
from playproof.language.fields import Field
from playproof.language.walks import iter_subterms, make_shape_key, substitute_locals

IntArray = npt.NDArray[np.int64]
Mask = int | str
"""The set of a bank's choices for which a condition holds: known, or an expression over cells."""
LANES = 64
_MOST_NODES = 4000  # of a condition with functions written in place
_MOST_ROUNDS = 8  # of an inner loop that is written in place
_MOST_VALUES = 64  # of a cell
_MOST_SCALAR_VALUES = 256  # of a number that chooses a set from a table
MOST_CASES = 8
_MOST_SETS = 6  # values of a cell that are asked for one condition


class NoSetError(Exception):
    """A condition is not answered by sets; the source goes through the choices instead."""


class CaseNeededError(Exception):
    """A number with few values, such as whose turn it is, moves cells: each of its values is a case."""

    def __init__(self, term: Term) -> None:
        super().__init__()
        self.term = term


@dataclass(frozen=True)
class ChoiceFamily:
    """Choices by number: the value that each local has in each of them."""

    count: int
    values: Mapping[int, IntArray]

    def has_any_of(self, term: Term) -> bool:
        """Return whether a term depends on the choice."""
        return any(local.number in self.values for local in term.locals)


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


# -- conditions in place --------------------------------------------------------------------------------------------


def write_calls_in_place(term: Term, family: ChoiceFamily) -> Term:
    """Return a term without calls and short loops that depend on the choice. Raises NoSetError if it grows too long."""
    return _write_calls_in_place(term, family, [_MOST_NODES])


def _write_calls_in_place(term: Term, family: ChoiceFamily, left: list[int]) -> Term:
    left[0] -= 1
    if left[0] < 0:
        raise NoSetError
    if not family.has_any_of(term):
        return term
    match term:
        case Apply():
            values = {p.number: a for p, a in zip(term.function.params, term.args, strict=True)}
            return _write_calls_in_place(substitute_locals(term.function.body, values), family, left)
        case Reduce(kind="any" | "all") if term.stop - term.start <= _MOST_ROUNDS:
            join = logical_or if term.kind == "any" else logical_and
            made: Term = Const(int(term.kind == "all"))
            for i in range(term.start, term.stop):
                body = substitute_locals(term.body, {term.var.number: Const(i)})
                made = join(made, _write_calls_in_place(body, family, left))
            return made
        case Reduce():
            raise NoSetError
        case Read():
            return Read(term.field, _write_calls_in_place(term.index, family, left), 0)
        case Lookup():
            return Lookup(term.table, _write_calls_in_place(term.index, family, left))
        case Op():
            return OPERATORS[term.op](*(_write_calls_in_place(a, family, left) for a in term.args))
    return term


# -- what is known before any game ----------------------------------------------------------------------------------

_OPERATIONS: dict[str, Callable[..., Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.mod,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    "and": lambda a, b: (a != 0) & (b != 0),
    "or": lambda a, b: (a != 0) | (b != 0),
    "not": lambda a: a == 0,
    "pick": lambda c, a, b: np.where(c != 0, a, b),
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
}


class StaticReader:
    """Values of terms for each choice, as far as they follow from the choice, the case and `cells`, which hold what
    some cells are taken to hold."""

    def __init__(
        self, family: ChoiceFamily, case: Mapping[object, int], cells: Mapping[object, int] | None = None
    ) -> None:
        self.family, self.case, self.cells = family, case, cells or {}
        self._values: dict[int, tuple[Term, IntArray | None]] = {}
        self._others: dict[object, StaticReader] = {}

    def assume(self, values: Mapping[object, int], cells: Mapping[object, int]) -> StaticReader:
        """Return the reader for which numbers of the state and cells have these values too."""
        key = frozenset(values.items()), frozenset(cells.items())
        if key not in self._others:
            self._others[key] = StaticReader(self.family, {**self.case, **values}, cells)
        return self._others[key]

    def evaluate(self, term: Term) -> IntArray | None:
        """Return a term's value for each choice, or None if it needs the state."""
        if id(term) not in self._values:
            self._values[id(term)] = term, self._evaluate(term)
        return self._values[id(term)][1]

    def _evaluate(self, term: Term) -> IntArray | None:
        if isinstance(term, Const):
            return self._repeat(term.value)
        if isinstance(term, Local) and term.number in self.family.values:
            return self.family.values[term.number]
        if self.case and not self.family.has_any_of(term):
            value = self.case.get(make_shape_key(term))
            if value is not None:
                return self._repeat(value)
        match term:
            case Read():
                index = self.evaluate(term.index)
                held = None if index is None else self.cells.get((term.field.number, index.tobytes()))
                return None if held is None else self._repeat(held)
            case Lookup():
                index = self.evaluate(term.index)
                return None if index is None else np.array(term.table.values, dtype=np.int64)[index]
            case Op():
                return self._evaluate_operation(term, [self.evaluate(a) for a in term.args])
        return None

    def _evaluate_operation(self, term: Op, args: list[IntArray | None]) -> IntArray | None:
        if term.op in ("and", "or"):
            for side in args:  # one side may decide
                if side is not None and bool(np.all((side != 0) == (term.op == "or"))):
                    return self._repeat(int(term.op == "or"))
        if any(a is None for a in args):
            return None
        return np.asarray(_OPERATIONS[term.op](*args)).astype(np.int64)

    def _repeat(self, value: int) -> IntArray:
        return np.full(self.family.count, value, dtype=np.int64)


def _find_needed_case(term: Term, reader: StaticReader) -> Term | None:
    """Return a number of the state in a term that has few values and does not depend on the choice."""
    for node in iter_subterms(term):
        free = isinstance(node, Local) and node in term.locals
        single = free or (isinstance(node, Read) and isinstance(node.index, Const))
        if single and node.hi - node.lo < MOST_CASES and reader.evaluate(node) is None:
            return node
    return None


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
        needed = _find_needed_case(cell.index, self.reader)
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
            needed = _find_needed_case(term, self.reader)
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
            needed = _find_needed_case(term, self.reader)
            if needed is None:
                raise NoSetError
            raise CaseNeededError(needed)
        (key, scalar), *_ = scalars.items()
        if scalar.hi - scalar.lo >= _MOST_SCALAR_VALUES:
            raise NoSetError
        if scalar.hi - scalar.lo < MOST_CASES and _find_needed_case(scalar, self.reader) is scalar:
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

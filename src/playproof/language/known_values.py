"""Values of terms for every choice of an action at once, as far as they follow from the choice alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
    check_operator_coverage,
    logical_and,
    logical_or,
)
from playproof.language.statements import iter_subterms, make_shape_key, substitute_locals

IntArray = npt.NDArray[np.int64]
MOST_CASES = 8
_MOST_VALUE = 1 << 62  # a greater one might not fit into the arrays here
_MOST_NODES = 4000  # of a condition with functions written in place
_MOST_ROUNDS = 8  # of an inner loop that is written in place


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
check_operator_coverage("values known beforehand", _OPERATIONS)


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
        if term.lo < -_MOST_VALUE or term.hi > _MOST_VALUE:
            return None
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


def find_needed_case(term: Term, reader: StaticReader) -> Term | None:
    """Return a number of the state in a term that has few values and does not depend on the choice."""
    for node in iter_subterms(term):
        free = isinstance(node, Local) and node in term.locals
        single = free or (isinstance(node, Read) and isinstance(node.index, Const))
        if single and node.hi - node.lo < MOST_CASES and reader.evaluate(node) is None:
            return node
    return None

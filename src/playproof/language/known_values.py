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
    make_and_term,
    make_or_term,
    require_coverage_of_all_operators,
)
from playproof.language.statements import iter_term_and_subterms, make_structural_key_or_identity, substitute_locals

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

    def is_choice_dependent(self, term: Term) -> bool:
        """Return whether a term depends on the choice."""
        return any(local.number in self.values for local in term.locals)


# -- conditions in place --------------------------------------------------------------------------------------------


def inline_calls_and_short_loops(term: Term, family: ChoiceFamily) -> Term:
    """Return a term without calls and short loops that depend on the choice. Raises NoSetError if it grows too long."""
    return _inline_within_node_budget(term, family, [_MOST_NODES])


def _inline_within_node_budget(term: Term, family: ChoiceFamily, remaining_nodes: list[int]) -> Term:
    remaining_nodes[0] -= 1
    if remaining_nodes[0] < 0:
        raise NoSetError
    if not family.is_choice_dependent(term):
        return term
    match term:
        case Apply():
            values = {p.number: a for p, a in zip(term.function.params, term.args, strict=True)}
            return _inline_within_node_budget(substitute_locals(term.function.body, values), family, remaining_nodes)
        case Reduce(kind="any" | "all") if term.stop - term.start <= _MOST_ROUNDS:
            join = make_or_term if term.kind == "any" else make_and_term
            made: Term = Const(int(term.kind == "all"))
            for i in range(term.start, term.stop):
                body = substitute_locals(term.body, {term.var.number: Const(i)})
                made = join(made, _inline_within_node_budget(body, family, remaining_nodes))
            return made
        case Reduce():
            raise NoSetError
        case Read():
            return Read(term.field, _inline_within_node_budget(term.index, family, remaining_nodes), 0)
        case Lookup():
            return Lookup(term.table, _inline_within_node_budget(term.index, family, remaining_nodes))
        case Op():
            return OPERATORS[term.op](*(_inline_within_node_budget(a, family, remaining_nodes) for a in term.args))
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
require_coverage_of_all_operators("values known beforehand", _OPERATIONS)


class ChoiceTermEvaluator:
    """Values of terms for each choice, as far as they follow from the choice, the case and `cells`, which hold what
    some cells are taken to hold."""

    def __init__(
        self, family: ChoiceFamily, case: Mapping[object, int], cells: Mapping[object, int] | None = None
    ) -> None:
        self.family, self.case, self.cells = family, case, cells or {}
        self._values: dict[int, tuple[Term, IntArray | None]] = {}
        self._others: dict[object, ChoiceTermEvaluator] = {}

    def get_evaluator_with_assumed_values(
        self, assumed_numbers: Mapping[object, int], assumed_cells: Mapping[object, int]
    ) -> ChoiceTermEvaluator:
        """Return the reader for which numbers of the state and cells have these values too."""
        key = frozenset(assumed_numbers.items()), frozenset(assumed_cells.items())
        if key not in self._others:
            self._others[key] = ChoiceTermEvaluator(self.family, {**self.case, **assumed_numbers}, assumed_cells)
        return self._others[key]

    def evaluate_for_each_choice(self, term: Term) -> IntArray | None:
        """Return a term's value for each choice, or None if it needs the state."""
        if id(term) not in self._values:
            self._values[id(term)] = term, self._compute_term_for_each_choice(term)
        return self._values[id(term)][1]

    def _compute_term_for_each_choice(self, term: Term) -> IntArray | None:
        if term.lo < -_MOST_VALUE or term.hi > _MOST_VALUE:
            return None
        if isinstance(term, Const):
            return self._repeat_for_each_choice(term.value)
        if isinstance(term, Local) and term.number in self.family.values:
            return self.family.values[term.number]
        if self.case and not self.family.is_choice_dependent(term):
            value = self.case.get(make_structural_key_or_identity(term))
            if value is not None:
                return self._repeat_for_each_choice(value)
        match term:
            case Read():
                index = self.evaluate_for_each_choice(term.index)
                held = None if index is None else self.cells.get((term.field.number, index.tobytes()))
                return None if held is None else self._repeat_for_each_choice(held)
            case Lookup():
                index = self.evaluate_for_each_choice(term.index)
                return None if index is None else np.array(term.table.values, dtype=np.int64)[index]
            case Op():
                return self._compute_operation_for_each_choice(
                    term, [self.evaluate_for_each_choice(a) for a in term.args]
                )
        return None

    def _compute_operation_for_each_choice(self, term: Op, args: list[IntArray | None]) -> IntArray | None:
        if term.op in ("and", "or"):
            for side in args:  # one side may decide
                if side is not None and bool(np.all((side != 0) == (term.op == "or"))):
                    return self._repeat_for_each_choice(int(term.op == "or"))
        if any(a is None for a in args):
            return None
        return np.asarray(_OPERATIONS[term.op](*args)).astype(np.int64)

    def _repeat_for_each_choice(self, value: int) -> IntArray:
        return np.full(self.family.count, value, dtype=np.int64)


def find_state_term_of_few_values(term: Term, reader: ChoiceTermEvaluator) -> Term | None:
    """Return a number of the state in a term that has few values and does not depend on the choice."""
    for node in iter_term_and_subterms(term):
        free = isinstance(node, Local) and node in term.locals
        single = free or (isinstance(node, Read) and isinstance(node.index, Const))
        if single and node.hi - node.lo < MOST_CASES and reader.evaluate_for_each_choice(node) is None:
            return node
    return None

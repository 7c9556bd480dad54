"""Evaluates terms over many states at once; each cell is a row of a numpy array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.expr import (
    Apply,
    Const,
    Local,
    Lookup,
    Op,
    Read,
    Reduce,
    Term,
    check_operator_coverage,
)

Column = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own if a term outgrows these."""
_MOST = 2**62
_REDUCERS: dict[str, np.ufunc] = {
    "sum": np.add,
    "any": np.maximum,
    "all": np.minimum,
    "min": np.minimum,
    "max": np.maximum,
}


def evaluate_term(term: Term, cells: Column, local_values: dict[int, Column] | None = None) -> Column:
    """Return the term's value in every state; `cells` has the shape cells x states."""
    env = {} if local_values is None else local_values
    width = cells.shape[1]
    match term:
        case Const():
            return np.full(width, term.value, dtype=_choose_column_type(term))
        case Local():
            return env[term.number]
        case Read():
            rows = term.field.offset + evaluate_term(term.index, cells, env)
            return np.asarray(cells[rows, np.arange(width)])
        case Lookup():
            return np.asarray(term.table.values, dtype=np.int64)[evaluate_term(term.index, cells, env)]
        case Apply():
            inner = {
                p.number: evaluate_term(a, cells, env)
                for p, a in zip(term.function.params, term.args, strict=True)
            }
            return evaluate_term(term.function.body, cells, inner)
        case Reduce():
            return _evaluate_reduction(term, cells, env)
        case Op():
            return _evaluate_operation(term, [evaluate_term(a, cells, env) for a in term.args])
    raise TypeError(f"unknown term {term!r}")


def _evaluate_reduction(term: Reduce, cells: Column, env: dict[int, Column]) -> Column:
    width = cells.shape[1]
    values = np.stack(
        [
            evaluate_term(term.body, cells, {**env, term.var.number: np.full(width, i, dtype=np.int64)})
            for i in range(term.start, term.stop)
        ]
    )
    result: Column = _REDUCERS[term.kind].reduce(values.astype(_choose_column_type(term)), axis=0)
    return result


_OPERATIONS: dict[str, Callable[..., npt.NDArray[Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.mod,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "pick": lambda condition, yes, no: np.asarray(np.where(condition != 0, yes, no)),
}
check_operator_coverage("the vector reading", _OPERATIONS)


_LOGIC = ("and", "or", "not")


def _evaluate_operation(term: Op, args: list[Column]) -> Column:
    kind = _choose_column_type(term, *term.args)
    if kind is not object:
        return np.asarray(_OPERATIONS[term.op](*args)).astype(np.int64)
    whole = [a != 0 if term.op in _LOGIC else a.astype(object) for a in args]
    return np.asarray(_OPERATIONS[term.op](*whole)).astype(_choose_column_type(term))


def _choose_column_type(*terms: Term) -> type:
    """Return the type of a column for terms: Python's whole numbers, which are slow, where the
    machine's are too short."""
    return object if any(t.lo < -_MOST or t.hi > _MOST for t in terms) else np.int64

"""Terms over many states at once: each cell is a row of a numpy array."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.rules.language.expr import Apply, Const, Local, Lookup, Op, Read, Reduce, Term

Column = npt.NDArray[np.int64]
_REDUCERS: dict[str, np.ufunc] = {"sum": np.add, "any": np.maximum, "all": np.minimum, "min": np.minimum,
                                  "max": np.maximum}


def evaluate(term: Term, cells: Column, bound: dict[int, Column] | None = None) -> Column:
    """The term's value in every state; `cells` is cells x states."""
    env = {} if bound is None else bound
    width = cells.shape[1]
    match term:
        case Const():
            return np.full(width, term.value, dtype=np.int64)
        case Local():
            return env[term.number]
        case Read():
            rows = term.field.offset + evaluate(term.index, cells, env)
            return cells[rows, np.arange(width)]
        case Lookup():
            return np.asarray(term.table.values, dtype=np.int64)[evaluate(term.index, cells, env)]
        case Apply():
            inner = {p.number: evaluate(a, cells, env) for p, a in zip(term.function.params, term.args, strict=True)}
            return evaluate(term.function.body, cells, inner)
        case Reduce():
            return _reduce(term, cells, env)
        case Op():
            return _operate(term.op, [evaluate(a, cells, env) for a in term.args])
    raise TypeError(f"unknown term {term!r}")


def _reduce(term: Reduce, cells: Column, env: dict[int, Column]) -> Column:
    width = cells.shape[1]
    values = np.stack([
        evaluate(term.body, cells, {**env, term.var.number: np.full(width, i, dtype=np.int64)})
        for i in range(term.start, term.stop)])
    result: Column = _REDUCERS[term.kind].reduce(values, axis=0)
    return result


def _operate(op: str, args: list[Column]) -> Column:
    a, b = args[0], args[-1]
    if op == "pick":
        return np.where(a != 0, args[1], args[2])
    operations: dict[str, Callable[[], npt.NDArray[Any]]] = {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "//": lambda: a // b, "%": lambda: a % b,
        "==": lambda: a == b, "!=": lambda: a != b, "<": lambda: a < b, "<=": lambda: a <= b,
        "and": lambda: (a != 0) & (b != 0), "or": lambda: (a != 0) | (b != 0), "not": lambda: a == 0,
        "min": lambda: np.minimum(a, b), "max": lambda: np.maximum(a, b),
    }
    return np.asarray(operations[op]()).astype(np.int64)

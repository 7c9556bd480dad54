"""Finds conditions that compare many cells of an array with one value, so that generated code can
compare all these cells at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from playproof.language.expr import Const, Local, Op, Read, Term, add
from playproof.language.fields import Field
from playproof.language.walks import make_shape_key

FEWEST = 3  # cells that are asked at once rather than one by one


@dataclass(frozen=True)
class CellRow:
    """The condition `field[first + var] == value` for each value of a variable, or `!=` if `apart`
    is true."""

    field: Field
    first: Term
    value: Term
    apart: bool


def find_cell_row(condition: Term, var: Local) -> CellRow | None:
    """Return the row of cells that a condition compares over `var`, or None for any other
    condition."""
    if not isinstance(condition, Op) or condition.op not in ("==", "!="):
        return None
    for cell, value in (condition.args, condition.args[::-1]):
        if isinstance(cell, Read) and var in cell.locals and var not in value.locals:
            first = _subtract_variable(cell.index, var)
            return None if first is None else CellRow(cell.field, first, value, condition.op == "!=")
    return None


def _subtract_variable(index: Term, var: Local) -> Term | None:
    """Return what an index adds to the variable, or None if the index is not a sum with the
    variable."""
    if index is var:
        return Const(0)
    if isinstance(index, Op) and index.op == "+":
        for side, other in (index.args, index.args[::-1]):
            rest = _subtract_variable(side, var) if var not in other.locals else None
            if rest is not None:
                return add(rest, other)
    return None


@dataclass(frozen=True)
class CellPattern:
    """Numbers of cells of a field that must all hold one value; `rest` holds the other
    conditions."""

    field: Field
    cells: frozenset[int]
    value: Term
    rest: tuple[Term, ...]


def find_largest_pattern(conditions: Sequence[Term]) -> CellPattern | None:
    """Return the pattern that most of these conditions share: cells of one field compared with one
    value. Return None if it has fewer than `FEWEST` cells."""
    groups: dict[tuple[int, object], list[tuple[Term, Read, Const, Term]]] = {}
    for part in conditions:
        if not (isinstance(part, Op) and part.op == "=="):
            continue
        for cell, value in (part.args, part.args[::-1]):
            if isinstance(cell, Read) and isinstance(cell.index, Const):
                key = (cell.field.number, make_shape_key(value))
                groups.setdefault(key, []).append((part, cell, cell.index, value))
                break
    most = max(groups.values(), key=len, default=[])
    if len(most) < FEWEST:
        return None
    _, first_cell, _, value = most[0]
    cells = frozenset(index.value for _, _, index, _ in most)
    taken = {id(part) for part, *_ in most}
    rest = tuple(part for part in conditions if id(part) not in taken)
    return CellPattern(first_cell.field, cells, value, rest)

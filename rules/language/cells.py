"""Conditions that compare many cells of an array with one value: found in terms, so that they can
be asked at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from playproof.rules.language.expr import Const, Local, Op, Read, Term, add
from playproof.rules.language.fields import Field

FEWEST = 3  # cells that are asked at once rather than one by one


@dataclass(frozen=True)
class Row:
    """`field[first + var] == value` for each value of a variable, or `!=` where `apart`."""

    field: Field
    first: Term
    value: Term
    apart: bool


def row_of(condition: Term, var: Local) -> Row | None:
    """The row of cells that a condition on a variable looks at; None for any other condition."""
    if not isinstance(condition, Op) or condition.op not in ("==", "!="):
        return None
    for cell, value in (condition.args, condition.args[::-1]):
        if isinstance(cell, Read) and var in cell.locals and var not in value.locals:
            first = _without(cell.index, var)
            return None if first is None else Row(cell.field, first, value, condition.op == "!=")
    return None


def _without(index: Term, var: Local) -> Term | None:
    """What is added to the variable in an index; None where it is not just that."""
    if index is var:
        return Const(0)
    if isinstance(index, Op) and index.op == "+":
        for one, other in (index.args, index.args[::-1]):
            rest = _without(one, var) if var not in other.locals else None
            if rest is not None:
                return add(rest, other)
    return None


def conjuncts(term: Term) -> Iterator[Term]:
    """The conditions that a term joins with `and`."""
    if isinstance(term, Op) and term.op == "and":
        for part in term.args:
            yield from conjuncts(part)
    else:
        yield term


@dataclass(frozen=True)
class Pattern:
    """Cells of a field, by number, that shall all hold one value; `rest` are the other
    conditions."""

    field: Field
    cells: frozenset[int]
    value: Term
    rest: tuple[Term, ...]


def pattern_of(parts: Sequence[Term]) -> Pattern | None:
    """A field with at least `FEWEST` known cells that these conditions compare with the same
    value."""
    found: dict[tuple[int, object], list[tuple[Term, Read, Const, Term]]] = {}
    for part in parts:
        if isinstance(part, Op) and part.op == "==":
            for cell, value in (part.args, part.args[::-1]):
                if isinstance(cell, Read) and isinstance(cell.index, Const):
                    found.setdefault((cell.field.number, shape(value)), []).append((part, cell, cell.index, value))
                    break
    most = max(found.values(), key=len, default=[])
    if len(most) < FEWEST:
        return None
    taken = {id(part) for part, *_ in most}
    return Pattern(most[0][1].field, frozenset(index.value for _, _, index, _ in most), most[0][3],
                   tuple(part for part in parts if id(part) not in taken))


def shape(term: Term) -> object:
    """Equal for small terms that are written alike; others are only like themselves."""
    match term:
        case Const():
            return term.value
        case Local():
            return ("local", term.number)
        case Read():
            return ("cell", term.field.number, shape(term.index))
        case Op():
            return (term.op, *(shape(a) for a in term.args))
    return id(term)

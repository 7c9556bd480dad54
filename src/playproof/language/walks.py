"""Walks over terms: whoever looks for something in a term walks with these functions.

`expr.children` says what lies directly below a term, and `traced_statements.walk` goes through a body. The
readings use neither: each says of every kind of term what it means, and they share no code because each
checks the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

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
    get_child_terms,
)
from playproof.language.fields import Field


def iter_subterms(term: Term, *, functions: bool = False) -> Iterator[Term]:
    """Yield a term and all below it, as often as it is written, a term before its children. With
    `functions`, also the body of each function that is applied, once."""
    todo, entered = [term], set[int]()
    while todo:
        node = todo.pop()
        yield node
        todo += reversed(get_child_terms(node))
        if functions and isinstance(node, Apply) and node.function.number not in entered:
            entered.add(node.function.number)
            todo.append(node.function.body)


def find_fields_read(term: Term) -> tuple[Field, ...]:
    """Return the fields that a term's value depends on, each once, also through functions."""
    return tuple({node.field: None for node in iter_subterms(term, functions=True) if isinstance(node, Read)})


def iter_conjuncts(term: Term) -> Iterator[Term]:
    """Yield the conditions that a term joins with `and`."""
    if isinstance(term, Op) and term.op == "and":
        for part in term.args:
            yield from iter_conjuncts(part)
    else:
        yield term


def make_shape_key(term: Term) -> object:
    """Return a key that is equal for small terms that are written alike; any other term has a key
    of its own."""
    match term:
        case Const():
            return term.value
        case Local():
            return ("local", term.number)
        case Read():
            return ("cell", term.field.number, make_shape_key(term.index))
        case Lookup():
            return ("table", term.table.number, make_shape_key(term.index))
        case Op():
            return (term.op, *(make_shape_key(a) for a in term.args))
    return id(term)


def substitute_locals(term: Term, values: Mapping[int, Term]) -> Term:
    """Return a term with other terms in place of some of its locals, by the locals' numbers."""
    if not values or not any(local.number in values for local in term.locals):
        return term
    match term:
        case Local():
            return values.get(term.number, term)
        case Read():
            return Read(term.field, substitute_locals(term.index, values), 0)
        case Lookup():
            index = substitute_locals(term.index, values)
            return (
                Const(term.table.values[index.value])
                if isinstance(index, Const)
                else Lookup(term.table, index)
            )
        case Op():
            return OPERATORS[term.op](*(substitute_locals(a, values) for a in term.args))
        case Reduce():
            return Reduce(term.kind, term.var, term.start, term.stop, substitute_locals(term.body, values))
        case Apply():
            return Apply(term.function, tuple(substitute_locals(a, values) for a in term.args), 0)
    return term

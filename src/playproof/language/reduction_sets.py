"""Decides which loops and long lists of conditions are answered by sets of bits (playproof.language.choice_sets)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from playproof.language.action_sets import find_plan
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
    logical_not,
    make_fresh_local,
)
from playproof.language.known_values import ChoiceFamily, IntArray
from playproof.language.set_plans import SetPlan, plan_sets

_LEAST_ROUNDS = 16  # fewer are gone through one by one
_MOST_ROUNDS = 4096
_LEAST_ALIKE = 8  # conditions of a list


@dataclass(frozen=True)
class ListPlan:
    """A plan for those terms of a list that are written alike, and the other terms."""

    plan: SetPlan
    others: tuple[Term, ...]


def find_reduction_plan(term: Reduce) -> SetPlan | None:
    """Return the plan for the rounds of a loop: those for which its body holds or, of `all`, fails."""
    counts = term.kind == "sum" and term.body.lo >= 0 and term.body.hi <= 1
    if not (counts or term.kind in ("any", "all")) or not _can_pay(term):
        return None
    return find_plan(term, lambda: _plan_reduction(term))


def _can_pay(term: Reduce) -> bool:
    loops = [*_iter_nested_loops(term)]
    return _LEAST_ROUNDS <= prod(r.stop - r.start for r in loops) <= _MOST_ROUNDS


def _iter_nested_loops(term: Term) -> Iterator[Reduce]:
    """Yield loops of one kind that lie directly inside one another."""
    kind = term.kind if isinstance(term, Reduce) else ""
    while isinstance(term, Reduce) and term.kind == kind:
        yield term
        term = term.body


def _plan_reduction(term: Reduce) -> SetPlan | None:
    loops = [*_iter_nested_loops(term)]
    count = prod(r.stop - r.start for r in loops)
    values: dict[int, IntArray] = {}
    numbers, below = np.arange(count, dtype=np.int64), count
    for r in loops:
        below //= r.stop - r.start
        values[r.var.number] = numbers // below % (r.stop - r.start) + r.start
    body = loops[-1].body
    condition = logical_not(body) if term.kind == "all" else body
    plan = plan_sets(ChoiceFamily(count, values), condition, ordered=False)
    return plan if plan is not None and plan.cost < 2 * count else None


# -- lists ----------------------------------------------------------------------------------------------------------


def list_joined_terms(term: Op) -> list[Term]:
    """Return the terms that an operator joins, as far as it goes on."""
    found: list[Term] = []
    todo: list[Term] = [term]
    while todo:
        node = todo.pop()
        if isinstance(node, Op) and node.op == term.op:
            todo += reversed(node.args)
        else:
            found.append(node)
    return found


def find_list_plan(term: Op) -> ListPlan | None:
    """Return the plan for a long list of conditions that `or`, `and` or `+` joins: the set of those that hold or,
    of `and`, fail. Return None if too few are written alike."""
    joined = list_joined_terms(term)
    groups: dict[object, list[Term]] = {}
    for part in joined:
        if part.lo >= 0 and part.hi <= 1 and not isinstance(part, Const):
            groups.setdefault(_make_outline(part), []).append(part)
    alike = max(groups.values(), key=len, default=[])
    if len(alike) < _LEAST_ALIKE:
        return None
    plan = find_plan(term, lambda: _plan_list(alike, negated=term.op == "and"))
    taken = {id(part) for part in alike}
    return None if plan is None else ListPlan(plan, tuple(p for p in joined if id(p) not in taken))


def _plan_list(alike: Sequence[Term], *, negated: bool) -> SetPlan | None:
    values: dict[int, IntArray] = {}
    common = _find_common_term(alike, values)
    plan = plan_sets(
        ChoiceFamily(len(alike), values), logical_not(common) if negated else common, ordered=False
    )
    return plan if plan is not None and plan.cost < 3 * len(alike) else None


def _make_outline(term: Term) -> object:
    """Return a key that is equal for terms that differ in plain numbers alone."""
    match term:
        case Const():
            return "number"
        case Local():
            return ("local", term.number)
        case Read():
            return ("cell", term.field.number, _make_outline(term.index))
        case Lookup():
            return ("table", term.table.number, _make_outline(term.index))
        case Apply():
            return ("call", term.function.number, *map(_make_outline, term.args))
        case Op():
            return (term.op, *map(_make_outline, term.args))
    return id(term)


def _find_common_term(terms: Sequence[Term], values: dict[int, IntArray]) -> Term:
    """Return the term that terms of one outline have in common, with locals for their numbers; `values` receives the
    value of each local in each term."""
    first = terms[0]
    if isinstance(first, Const):
        numbers = [t.value for t in terms if isinstance(t, Const)]
        if min(numbers) == max(numbers):
            return first
        known = np.array(numbers, dtype=np.int64)
        local = make_fresh_local("i", min(numbers), max(numbers))
        values[local.number] = known
        return local
    parts = [_find_common_term(below, values) for below in zip(*map(get_child_terms, terms), strict=True)]
    match first:
        case Read():
            return Read(first.field, parts[0], 0)
        case Lookup():
            return Lookup(first.table, parts[0])
        case Apply():
            return Apply(first.function, tuple(parts), 0)
        case Op():
            return OPERATORS[first.op](*parts)
    return first

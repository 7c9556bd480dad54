"""Decides which loops and long lists of conditions are answered by sets of bits (playproof.language.choice_sets)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from playproof.language.action_sets import get_or_make_cached_plan
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
    make_fresh_local,
    make_not_term,
)
from playproof.language.known_values import ChoiceFamily, IntArray
from playproof.language.set_plans import SetPlan, find_cheapest_set_plan

_LEAST_ROUNDS = 16  # fewer are gone through one by one
_MOST_ROUNDS = 4096
_LEAST_ALIKE = 8  # conditions of a list


@dataclass(frozen=True)
class ListPlan:
    """A plan for those terms of a list that are written alike, and the other terms."""

    plan: SetPlan
    others: tuple[Term, ...]


def find_set_plan_for_loop(loop: Reduce) -> SetPlan | None:
    """Return the plan for the rounds of a loop: those for which its body holds or, of `all`, fails."""
    counts = loop.kind == "sum" and loop.body.lo >= 0 and loop.body.hi <= 1
    if not (counts or loop.kind in ("any", "all")) or not _has_enough_rounds_for_sets(loop):
        return None
    return get_or_make_cached_plan(loop, lambda: _plan_sets_for_loop_if_cheaper(loop))


def _has_enough_rounds_for_sets(loop: Reduce) -> bool:
    loops = [*_iter_loop_and_directly_nested(loop)]
    return _LEAST_ROUNDS <= prod(r.stop - r.start for r in loops) <= _MOST_ROUNDS


def _iter_loop_and_directly_nested(term: Term) -> Iterator[Reduce]:
    """Yield loops of one kind that lie directly inside one another."""
    kind = term.kind if isinstance(term, Reduce) else ""
    while isinstance(term, Reduce) and term.kind == kind:
        yield term
        term = term.body


def _plan_sets_for_loop_if_cheaper(loop: Reduce) -> SetPlan | None:
    loops = [*_iter_loop_and_directly_nested(loop)]
    count = prod(r.stop - r.start for r in loops)
    values: dict[int, IntArray] = {}
    numbers, below = np.arange(count, dtype=np.int64), count
    for r in loops:
        below //= r.stop - r.start
        values[r.var.number] = numbers // below % (r.stop - r.start) + r.start
    body = loops[-1].body
    condition = make_not_term(body) if loop.kind == "all" else body
    plan = find_cheapest_set_plan(ChoiceFamily(count, values), condition, must_keep_order=False)
    return plan if plan is not None and plan.cost < 2 * count else None


# -- lists ----------------------------------------------------------------------------------------------------------


def list_terms_joined_by_operator(term: Op) -> list[Term]:
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


def find_set_plan_for_condition_list(term: Op) -> ListPlan | None:
    """Return the plan for a long list of conditions that `or`, `and` or `+` joins: the set of those that hold or,
    of `and`, fail. Return None if too few are written alike."""
    joined = list_terms_joined_by_operator(term)
    groups: dict[object, list[Term]] = {}
    for part in joined:
        if part.lo >= 0 and part.hi <= 1 and not isinstance(part, Const):
            groups.setdefault(_make_structural_key_ignoring_numbers(part), []).append(part)
    alike = max(groups.values(), key=len, default=[])
    if len(alike) < _LEAST_ALIKE:
        return None
    plan = get_or_make_cached_plan(term, lambda: _plan_sets_for_conditions_if_cheaper(alike, negated=term.op == "and"))
    taken = {id(part) for part in alike}
    return None if plan is None else ListPlan(plan, tuple(p for p in joined if id(p) not in taken))


def _plan_sets_for_conditions_if_cheaper(similar_conditions: Sequence[Term], *, negated: bool) -> SetPlan | None:
    values: dict[int, IntArray] = {}
    common = _replace_differing_numbers_by_locals(similar_conditions, values)
    plan = find_cheapest_set_plan(
        ChoiceFamily(len(similar_conditions), values),
        make_not_term(common) if negated else common,
        must_keep_order=False,
    )
    return plan if plan is not None and plan.cost < 3 * len(similar_conditions) else None


def _make_structural_key_ignoring_numbers(term: Term) -> object:
    """Return a key that is equal for terms that differ in plain numbers alone."""
    match term:
        case Const():
            return "number"
        case Local():
            return ("local", term.number)
        case Read():
            return ("cell", term.field.number, _make_structural_key_ignoring_numbers(term.index))
        case Lookup():
            return ("table", term.table.number, _make_structural_key_ignoring_numbers(term.index))
        case Apply():
            return ("call", term.function.number, *map(_make_structural_key_ignoring_numbers, term.args))
        case Op():
            return (term.op, *map(_make_structural_key_ignoring_numbers, term.args))
    return id(term)


def _replace_differing_numbers_by_locals(
    terms: Sequence[Term], values_by_new_local_to_fill: dict[int, IntArray]
) -> Term:
    """Return the term that terms of one outline have in common, with locals for their numbers; `values_by_local`
    receives the value of each local in each term."""
    first = terms[0]
    if isinstance(first, Const):
        numbers = [t.value for t in terms if isinstance(t, Const)]
        if min(numbers) == max(numbers):
            return first
        known = np.array(numbers, dtype=np.int64)
        local = make_fresh_local("i", min(numbers), max(numbers))
        values_by_new_local_to_fill[local.number] = known
        return local
    parts = [
        _replace_differing_numbers_by_locals(below, values_by_new_local_to_fill)
        for below in zip(*map(get_child_terms, terms), strict=True)
    ]
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

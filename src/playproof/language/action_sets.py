"""Decides which actions are listed and drawn by sets of bits (`choice_sets`), and keeps their plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from playproof.language.expr import Const, Term, make_conjunction_term
from playproof.language.game import Action
from playproof.language.known_values import ChoiceFamily, IntArray
from playproof.language.set_plans import SetPlan, find_cheapest_set_plan
from playproof.language.statements import Keep, Require, Statement, count_requirements, substitute_locals

_LEAST_CHOICES = 16  # fewer are tested one by one
_MOST_CHOICES = 4096
_PLANS: dict[int, tuple[object, SetPlan | None]] = {}
"""The plan of each condition, and what holds the condition, so that no other has its identity."""
_MOST_PLANS = 1000


def get_or_make_cached_plan(key_object: object, make_plan: Callable[[], SetPlan | None]) -> SetPlan | None:
    """Return the plan that belongs to an object; it is made once, since a game's source is written several times."""
    known = _PLANS.get(id(key_object))
    if known is None:
        known = key_object, make_plan()
        if len(_PLANS) >= _MOST_PLANS:
            _PLANS.clear()
        _PLANS[id(key_object)] = known
    return known[1]


def find_set_plan_for_legal_choices(action: Action) -> SetPlan | None:
    """Return the plan for the legal choices of an action, or None if they are to be tested one by one."""
    if not _LEAST_CHOICES <= action.count <= _MOST_CHOICES or not has_constant_weight_one(action):
        return None
    return get_or_make_cached_plan(action.body, lambda: _plan_sets_if_cheaper_than_testing(action))


def _plan_sets_if_cheaper_than_testing(action: Action) -> SetPlan | None:
    conditions = list_requirements_with_kept_values_substituted(action.body)
    if not conditions:
        return None
    plan = find_cheapest_set_plan(
        _make_family_of_all_choices(action), make_conjunction_term(conditions), must_keep_order=True
    )
    return plan if plan is not None and plan.cost < 2 * action.count else None


def has_constant_weight_one(action: Action) -> bool:
    """Return whether every legal choice of the action has weight 1."""
    return action.weight is None or (isinstance(action.weight, Const) and action.weight.value == 1)


def _make_family_of_all_choices(action: Action) -> ChoiceFamily:
    values: dict[int, IntArray] = {}
    numbers, below = np.arange(action.count, dtype=np.int64), action.count
    for p in action.params:
        below //= p.count
        values[p.local.number] = numbers // below % p.count + p.low
    return ChoiceFamily(prod(p.count for p in action.params), values)


def list_ground_action_numbers(action: Action) -> IntArray:
    """Return the number of each choice of an action."""
    return np.arange(action.first, action.first + action.count, dtype=np.int64)


def list_requirements_with_kept_values_substituted(body: Sequence[Statement]) -> list[Term] | None:
    """Return the requirements of a body, with the terms of values that are kept among them in place of their names.
    Return None if other statements decide too."""
    conditions: list[Term] = []
    values: dict[int, Term] = {}
    left = count_requirements(body)
    for statement in body:
        if not left:
            break
        if isinstance(statement, Require):
            conditions.append(substitute_locals(statement.condition, values))
            left -= 1
        elif isinstance(statement, Keep) and statement.local.number not in values:
            value = substitute_locals(statement.value, values)
            if value.lo < statement.local.lo or value.hi > statement.local.hi:
                return None
            values[statement.local.number] = value
        else:
            return None
    return conditions

"""Decides which actions are listed and drawn by sets of bits (`choice_sets`), and keeps their plans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from playproof.language.expr import Const, Term, conjunction
from playproof.language.game import Action
from playproof.language.known_values import ChoiceFamily, IntArray
from playproof.language.set_plans import SetPlan, plan_sets
from playproof.language.statements import Keep, Require, Statement, count_requirements, substitute_locals

_LEAST_CHOICES = 16  # fewer are tested one by one
_MOST_CHOICES = 4096
_PLANS: dict[int, tuple[object, SetPlan | None]] = {}
"""The plan of each condition, and what holds the condition, so that no other has its identity."""
_MOST_PLANS = 1000


def find_plan(owner: object, make: Callable[[], SetPlan | None]) -> SetPlan | None:
    """Return the plan that belongs to an object; it is made once, since a game's source is written several times."""
    known = _PLANS.get(id(owner))
    if known is None:
        known = owner, make()
        if len(_PLANS) >= _MOST_PLANS:
            _PLANS.clear()
        _PLANS[id(owner)] = known
    return known[1]


def find_action_plan(action: Action) -> SetPlan | None:
    """Return the plan for the legal choices of an action, or None if they are to be tested one by one."""
    if not _LEAST_CHOICES <= action.count <= _MOST_CHOICES or not _has_weight_one(action):
        return None
    return find_plan(action.body, lambda: _plan_action(action))


def _plan_action(action: Action) -> SetPlan | None:
    conditions = find_conditions_with_values(action.body)
    if not conditions:
        return None
    plan = plan_sets(_make_family(action), conjunction(conditions), ordered=True)
    return plan if plan is not None and plan.cost < 2 * action.count else None


def _has_weight_one(action: Action) -> bool:
    return action.weight is None or (isinstance(action.weight, Const) and action.weight.value == 1)


def _make_family(action: Action) -> ChoiceFamily:
    values: dict[int, IntArray] = {}
    numbers, below = np.arange(action.count, dtype=np.int64), action.count
    for p in action.params:
        below //= p.count
        values[p.local.number] = numbers // below % p.count + p.low
    return ChoiceFamily(prod(p.count for p in action.params), values)


def list_action_numbers(action: Action) -> IntArray:
    """Return the number of each choice of an action."""
    return np.arange(action.first, action.first + action.count, dtype=np.int64)


def find_conditions_with_values(body: Sequence[Statement]) -> list[Term] | None:
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

"""How far a state is from a target, as a number read from the rules: how many of the conditions that lead to it
fail, and by how much.

For example, where the rules say `with when(all_of(tile[k] == k for k in ...)): win(...)`, the number is how many tiles
are out of place. It guides searches and decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from playproof.language import Term
from playproof.language.expr import (
    Apply,
    Const,
    Function,
    Lookup,
    Op,
    Read,
    Reduce,
    absolute,
    as_truth_term,
    compare,
    conjunction,
    disjunction,
    logical_not,
    maximum,
    minimum,
    sub,
    sum_terms,
)
from playproof.language.game import Game
from playproof.language.traced_statements import Finish, If, Invoke, Keep, Loop, Require, Statement
from playproof.language.walks import substitute_locals
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import GameCase
from playproof.verifier.search.lines import find_endings_meeting_target

_MOST_WAYS = 64
TermsByLocal = Mapping[int, Term]
"""Terms that stand for locals, by the locals' numbers."""


def build_distance_term(case: GameCase, target: Target) -> Term:
    """Return a number that falls on the way to a target: the least over the ways that the rules have to come to it.
    It is 0 everywhere if the rules tell nothing."""
    ways = [
        sum_terms(map(build_failure_amount_term, way)) for way in list_condition_sets_for_target(case, target)
    ]
    near: Term = minimum(*ways[:_MOST_WAYS]) if ways else Const(0)
    return near


def list_condition_sets_for_target(case: GameCase, target: Target) -> list[list[Term]]:
    """Return, for each way to come to a target, the conditions that must hold for it, as far as they read nothing
    but the state."""
    game = case.game
    if target.idents is not None:
        return [
            [
                *_keep_conditions_over_state_only(_list_legality_conditions(game, ident)),
                *_keep_conditions_over_state_only([target.condition]),
            ]
            for ident in sorted(target.idents)
        ]
    holds = find_endings_meeting_target(case, target)
    if holds is None:
        return [_keep_conditions_over_state_only([target.condition])]
    wanted = {int(ending) for ending in np.flatnonzero(holds)}
    return [
        _keep_conditions_over_state_only(conditions)
        for body in [a.body for a in game.actions] + [p.body or () for p in game.phases]
        for ending, conditions in _iter_reachable_endings(body, {}, [])
        if ending in wanted
    ]


def _list_legality_conditions(game: Game, ident: int) -> list[Term]:
    """Return the conditions for an action to be legal."""
    action = game.get_action_of_ident(ident)
    values = action.bind_parameters([Const(v) for v in action.get_parameter_values(ident)])
    return [
        substitute_locals(statement.condition, values)
        for statement in action.body
        if isinstance(statement, Require)
    ]


def _keep_conditions_over_state_only(conditions: Sequence[Term]) -> list[Term]:
    return [c for c in conditions if not c.locals and not isinstance(c, Const)]


def _iter_reachable_endings(
    body: Sequence[Statement], values: TermsByLocal, path_conditions: list[Term]
) -> Iterator[tuple[int, list[Term]]]:
    """Yield the endings that a body can come to, each with the conditions on the way."""
    values, path_conditions = dict(values), list(path_conditions)
    for statement in body:
        match statement:
            case Keep():
                values[statement.local.number] = substitute_locals(statement.value, values)
            case Require():
                path_conditions.append(substitute_locals(statement.condition, values))
            case Finish():
                yield statement.ending, path_conditions
            case If():
                condition = substitute_locals(statement.condition, values)
                yield from _iter_reachable_endings(statement.then, values, [*path_conditions, condition])
                yield from _iter_reachable_endings(
                    statement.other, values, [*path_conditions, logical_not(condition)]
                )
            case Loop():
                yield from _iter_reachable_endings(statement.body, values, path_conditions)
            case Invoke():
                yield from _iter_reachable_endings(statement.procedure.body, values, path_conditions)


def build_failure_amount_term(condition: Term) -> Term:
    """Return by how much a condition fails: 0 exactly if it holds."""
    match condition:
        case Op(op="and"):
            return sum_terms(map(build_failure_amount_term, condition.args))
        case Op(op="or"):
            return minimum(*map(build_failure_amount_term, condition.args))
        case Op(op="not", args=(inner,)) if (opposite := _negate_without_not(inner)) is not None:
            return build_failure_amount_term(opposite)
        case Op(op="==", args=(inner, Const(value=1))) if (inner.lo, inner.hi) == (0, 1):
            return build_failure_amount_term(inner)
        case Op(op="==", args=(a, b)) if not (_is_symbolic_value(a) or _is_symbolic_value(b)):
            return absolute(sub(a, b))
        case Op(op="<", args=(a, b)):
            return maximum(sub(a, b) + 1, 0)
        case Op(op="<=", args=(a, b)):
            return maximum(sub(a, b), 0)
        case Reduce(kind="all" | "any"):
            kind = "sum" if condition.kind == "all" else "min"
            return Reduce(
                kind,
                condition.var,
                condition.start,
                condition.stop,
                build_failure_amount_term(condition.body),
            )
        case Apply(args=(), function=Function(body=body)):
            return build_failure_amount_term(body)
    return sub(Const(1), as_truth_term(condition))


def _negate_without_not(condition: Term) -> Term | None:
    """Return a condition that holds exactly where another does not, without a `not` around it; None if it is of no
    such kind."""
    match condition:
        case Op(op="<", args=(a, b)):
            return compare("<=", b, a)
        case Op(op="<=", args=(a, b)):
            return compare("<", b, a)
        case Op(op="!=", args=(a, b)):
            return compare("==", a, b)
        case Op(op="and"):
            return disjunction(map(logical_not, condition.args))
        case Op(op="or"):
            return conjunction(map(logical_not, condition.args))
        case Reduce(kind="all" | "any"):
            kind = "any" if condition.kind == "all" else "all"
            return Reduce(kind, condition.var, condition.start, condition.stop, logical_not(condition.body))
    return None


def _is_symbolic_value(term: Term) -> bool:
    """Return whether a term's value is a name and no amount: a cell of an array, such as the tile at a place."""
    return (isinstance(term, Read | Lookup) and not isinstance(term.index, Const)) or (
        isinstance(term, Read) and term.field.size > 1
    )

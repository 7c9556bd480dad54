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
    compare,
    conjunction,
    disjunction,
    maximum,
    minimum,
    negate,
    sub,
    summed,
    truth,
)
from playproof.language.game import Game
from playproof.language.traced_statements import Finish, If, Invoke, Keep, Loop, Require, Statement
from playproof.language.walks import substitute
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Case
from playproof.verifier.search.lines import endings_of

_MOST_WAYS = 64
Values = Mapping[int, Term]
"""Terms that stand for locals, by the locals' numbers."""


def distance(case: Case, target: Target) -> Term:
    """Return a number that falls on the way to a target: the least over the ways that the rules have to come to it.
    It is 0 everywhere if the rules tell nothing."""
    ways = [summed(map(apart, way)) for way in ways_to(case, target)]
    near: Term = minimum(*ways[:_MOST_WAYS]) if ways else Const(0)
    return near


def ways_to(case: Case, target: Target) -> list[list[Term]]:
    """Return, for each way to come to a target, the conditions that must hold for it, as far as they read nothing
    but the state."""
    game = case.game
    if target.idents is not None:
        return [
            [*_closed(_heads(game, ident)), *_closed([target.condition])] for ident in sorted(target.idents)
        ]
    holds = endings_of(case, target)
    if holds is None:
        return [_closed([target.condition])]
    wanted = {int(ending) for ending in np.flatnonzero(holds)}
    return [
        _closed(conditions)
        for body in [a.body for a in game.actions] + [p.body or () for p in game.phases]
        for ending, conditions in _finishes(body, {}, [])
        if ending in wanted
    ]


def _heads(game: Game, ident: int) -> list[Term]:
    """Return the conditions for an action to be legal."""
    action = game.action_of(ident)
    values = action.bound([Const(v) for v in action.values(ident)])
    return [
        substitute(statement.condition, values) for statement in action.body if isinstance(statement, Require)
    ]


def _closed(conditions: Sequence[Term]) -> list[Term]:
    return [c for c in conditions if not c.locals and not isinstance(c, Const)]


def _finishes(
    body: Sequence[Statement], values: Values, before: list[Term]
) -> Iterator[tuple[int, list[Term]]]:
    """Yield the endings that a body can come to, each with the conditions on the way."""
    values, before = dict(values), list(before)
    for statement in body:
        match statement:
            case Keep():
                values[statement.local.number] = substitute(statement.value, values)
            case Require():
                before.append(substitute(statement.condition, values))
            case Finish():
                yield statement.ending, before
            case If():
                condition = substitute(statement.condition, values)
                yield from _finishes(statement.then, values, [*before, condition])
                yield from _finishes(statement.other, values, [*before, negate(condition)])
            case Loop():
                yield from _finishes(statement.body, values, before)
            case Invoke():
                yield from _finishes(statement.procedure.body, values, before)


def apart(condition: Term) -> Term:
    """Return by how much a condition fails: 0 exactly if it holds."""
    match condition:
        case Op(op="and"):
            return summed(map(apart, condition.args))
        case Op(op="or"):
            return minimum(*map(apart, condition.args))
        case Op(op="not", args=(inner,)) if (opposite := _opposite(inner)) is not None:
            return apart(opposite)
        case Op(op="==", args=(inner, Const(value=1))) if (inner.lo, inner.hi) == (0, 1):
            return apart(inner)
        case Op(op="==", args=(a, b)) if not (_symbol(a) or _symbol(b)):
            return absolute(sub(a, b))
        case Op(op="<", args=(a, b)):
            return maximum(sub(a, b) + 1, 0)
        case Op(op="<=", args=(a, b)):
            return maximum(sub(a, b), 0)
        case Reduce(kind="all" | "any"):
            kind = "sum" if condition.kind == "all" else "min"
            return Reduce(kind, condition.var, condition.start, condition.stop, apart(condition.body))
        case Apply(args=(), function=Function(body=body)):
            return apart(body)
    return sub(Const(1), truth(condition))


def _opposite(condition: Term) -> Term | None:
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
            return disjunction(map(negate, condition.args))
        case Op(op="or"):
            return conjunction(map(negate, condition.args))
        case Reduce(kind="all" | "any"):
            kind = "any" if condition.kind == "all" else "all"
            return Reduce(kind, condition.var, condition.start, condition.stop, negate(condition.body))
    return None


def _symbol(term: Term) -> bool:
    """Return whether a term's value is a name and no amount: a cell of an array, such as the tile at a place."""
    return (isinstance(term, Read | Lookup) and not isinstance(term.index, Const)) or (
        isinstance(term, Read) and term.field.size > 1
    )

"""A game's payoffs: the least and greatest return, and whether two seats' returns always cancel."""

from __future__ import annotations

from playproof.language import Game
from playproof.language.expr import Const, Op, Term
from playproof.language.fields import Field


def bounds(game: Game) -> tuple[int, int]:
    """Return the least and greatest return of a seat."""
    if game.payoffs is None:
        return -1, 1
    return min(t.lo for t in game.payoffs), max(t.hi for t in game.payoffs)


def zero_sum(game: Game) -> bool:
    """Return whether the description shows that two seats' returns always cancel. False may mean
    only that it does not show it."""
    if game.players != 2:
        return False
    if game.payoffs is None:
        together = len(game.teams) == 1 or any(end.shared for end in game.endings)
        return not together and all(end.kind != "loss" for end in game.endings)
    first, second = game.payoffs
    return _is_minus(first, second) or _is_minus(second, first)


def _is_minus(first: Term, second: Term) -> bool:
    if not isinstance(second, Op) or second.op != "-":
        return False
    left, right = second.args
    if isinstance(left, Const) and left.value == 0:
        return _same(first, right)
    return (
        isinstance(first, Op)
        and first.op == "-"
        and _same(first.args[0], right)
        and _same(first.args[1], left)
    )


def _same(first: Term, second: Term) -> bool:
    """Return whether two terms have the same form."""
    if isinstance(first, Const) and isinstance(second, Const):
        return first.value == second.value
    if isinstance(first, Op) and isinstance(second, Op):
        return first.op == second.op and all(map(_same, first.args, second.args))
    field, index = getattr(first, "field", None), getattr(first, "index", None)
    if not isinstance(field, Field) or field is not getattr(second, "field", None):
        return False
    other = getattr(second, "index", None)
    return isinstance(index, Term) and isinstance(other, Term) and _same(index, other)


# -- play -----------------------------------------------------------------------------------------------------------

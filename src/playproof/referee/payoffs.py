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
    one, other = game.payoffs
    return _is_minus(one, other) or _is_minus(other, one)


def _is_minus(one: Term, other: Term) -> bool:
    if not isinstance(other, Op) or other.op != "-":
        return False
    left, right = other.args
    if isinstance(left, Const) and left.value == 0:
        return _same(one, right)
    return isinstance(one, Op) and one.op == "-" and _same(one.args[0], right) and _same(one.args[1], left)


def _same(one: Term, other: Term) -> bool:
    """Return whether two terms have the same form."""
    if isinstance(one, Const) and isinstance(other, Const):
        return one.value == other.value
    if isinstance(one, Op) and isinstance(other, Op):
        return one.op == other.op and all(_same(a, b)
                                          for a, b in zip(one.args, other.args, strict=True))
    field, index = getattr(one, "field", None), getattr(one, "index", None)
    return (isinstance(field, Field) and field is getattr(other, "field", None)
            and isinstance(index, Term)
            and _same(index, other.index))  # type: ignore[attr-defined]  # a read of the same field, as just checked


# -- play -----------------------------------------------------------------------------------------------------------

"""A game's payoffs: the least and greatest return, and whether two seats' returns always cancel."""

from __future__ import annotations

from playproof.language.expr import Const, Op, Term
from playproof.language.game import Game
from playproof.language.walks import shape


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
        together = len(game.sides) == 1 or any(end.shared for end in game.endings)
        return not together and all(end.kind != "loss" for end in game.endings)
    first, second = game.payoffs
    return _is_minus(first, second) or _is_minus(second, first)


def _is_minus(first: Term, second: Term) -> bool:
    if not isinstance(second, Op) or second.op != "-":
        return False
    left, right = second.args
    if isinstance(left, Const) and left.value == 0:
        return shape(first) == shape(right)
    return isinstance(first, Op) and shape(first) == ("-", shape(right), shape(left))

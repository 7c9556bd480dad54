"""A game's payoffs: the least and greatest return, and whether the returns of two sides always cancel."""

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
    return game.players == 2 and len(game.sides) == 2 and _cancel(game)


def first_decides(game: Game) -> bool:
    """Return whether the description shows that the first seat's return gives all others': all play together, or two
    sides against each other, whose seats get the same each."""
    if game.payoffs is not None:
        for side in game.sides:
            if len({shape(game.payoffs[seat]) for seat in side}) > 1:
                return False
    return len(game.sides) == 1 or (len(game.sides) == 2 and _cancel(game))


def _cancel(game: Game) -> bool:
    """Return whether the returns of two sides cancel, each taken from its first seat."""
    if game.payoffs is None:
        return not any(end.shared or end.kind == "loss" for end in game.endings)
    first, second = (game.payoffs[side[0]] for side in game.sides)
    return _is_minus(first, second) or _is_minus(second, first)


def _is_minus(first: Term, second: Term) -> bool:
    if not isinstance(second, Op) or second.op != "-":
        return False
    left, right = second.args
    if isinstance(left, Const) and left.value == 0:
        return shape(first) == shape(right)
    return isinstance(first, Op) and shape(first) == ("-", shape(right), shape(left))

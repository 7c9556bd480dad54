"""A game's payoffs: the least and greatest return, and whether the returns of two sides always cancel."""

from __future__ import annotations

from playproof.language.expr import Const, Op, Term
from playproof.language.game import Game
from playproof.language.walks import make_shape_key


def get_return_bounds(game: Game) -> tuple[int, int]:
    """Return the least and greatest return of a seat."""
    if game.payoffs is None:
        return -1, 1
    return min(t.lo for t in game.payoffs), max(t.hi for t in game.payoffs)


def is_zero_sum(game: Game) -> bool:
    """Return whether the description shows that two seats' returns always cancel. False may mean
    only that it does not show it."""
    return game.players == 2 and len(game.sides) == 2 and _has_cancelling_returns(game)


def is_decided_by_first_seat(game: Game) -> bool:
    """Return whether the description shows that the first seat's return gives all others': all play together, or two
    sides against each other, whose seats get the same each."""
    if game.payoffs is not None:
        for side in game.sides:
            if len({make_shape_key(game.payoffs[seat]) for seat in side}) > 1:
                return False
    return len(game.sides) == 1 or (len(game.sides) == 2 and _has_cancelling_returns(game))


def _has_cancelling_returns(game: Game) -> bool:
    """Return whether the returns of two sides cancel, each taken from its first seat."""
    if game.payoffs is None:
        return not any(end.shared or end.kind == "loss" for end in game.endings)
    first, second = (game.payoffs[side[0]] for side in game.sides)
    return _is_negation_of(first, second) or _is_negation_of(second, first)


def _is_negation_of(first: Term, second: Term) -> bool:
    if not isinstance(second, Op) or second.op != "-":
        return False
    left, right = second.args
    if isinstance(left, Const) and left.value == 0:
        return make_shape_key(first) == make_shape_key(right)
    return isinstance(first, Op) and make_shape_key(first) == (
        "-",
        make_shape_key(right),
        make_shape_key(left),
    )

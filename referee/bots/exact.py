"""The exact bot: memoised expectiminimax for small games of open information that never repeat a position.

With one seat it maximises, with two or more each seat maximises its own return (for two seats and returns that sum to
a constant that is minimax). Ties go to the action with the lowest number.
"""

from __future__ import annotations

from collections.abc import Sequence
from weakref import WeakKeyDictionary

from playproof.referee.bots.base import BotError, Position
from playproof.referee.engine import Engine
from playproof.rules.language import CHANCE
from playproof.rules.language.random import Stream

Values = tuple[float, ...]


class Exact:
    """Plays perfectly. `limit` bounds the positions it keeps; beyond it, it refuses with a BotError."""

    name = "exact"

    def __init__(self, limit: int = 500_000) -> None:
        self.limit = limit
        self._solved: WeakKeyDictionary[Engine, dict[tuple[int, ...], Values]] = WeakKeyDictionary()

    def choose(self, position: Position, stream: Stream) -> int:
        """The action with the best exact value."""
        engine, state, seat = position.engine, position.states[-1], position.seat
        values = {i: self.value(engine, engine.apply(state, i)) for i in position.legal}
        return max(values, key=lambda i: (values[i][seat], -i))

    def value(self, engine: Engine, state: Sequence[int]) -> Values:
        """Each seat's return from here under best play by all, chance at its mean."""
        if engine.secrets:
            raise BotError(f"exact cannot play `{engine.game.name}`: something is hidden from a player; use mcts")
        known = self._solved.setdefault(engine, {})
        root = tuple(state)
        open_: set[tuple[int, ...]] = set()
        stack = [root]
        while stack:
            here = stack[-1]
            if here in known:
                stack.pop()
                continue
            follow = self._follow(engine, here)
            missing = [after for _, after in follow if after not in known]
            if missing and here in open_:
                raise BotError(f"exact cannot play `{engine.game.name}`: a position can come again")
            if missing:
                open_.add(here)
                stack += missing
                self._check(engine, len(known) + len(open_))
                continue
            known[here] = self._combine(engine, here, [(w, known[after]) for w, after in follow])
            open_.discard(here)
            stack.pop()
        return known[root]

    def _check(self, engine: Engine, positions: int) -> None:
        if positions > self.limit:
            raise BotError(f"exact cannot play `{engine.game.name}`: more than {self.limit} positions; use mcts")

    @staticmethod
    def _follow(engine: Engine, state: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        if state[1]:
            return []
        legal, weights = engine.weighted(state)
        return [(w, tuple(engine.apply(state, i))) for i, w in zip(legal, weights, strict=True)]

    @staticmethod
    def _combine(engine: Engine, state: Sequence[int], below: Sequence[tuple[int, Values]]) -> Values:
        if not below:
            return tuple(float(v) for v in engine.returns(state))
        actor = engine.actor(state)
        if actor == CHANCE:
            mass = sum(w for w, _ in below)
            return tuple(sum(w * v[seat] for w, v in below) / mass for seat in range(engine.game.players))
        return max((v for _, v in below), key=lambda v: v[actor])

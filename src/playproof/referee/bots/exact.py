"""The exact bot: best play in games of open information whose positions all fit in memory, with or
without cycles.

The explorer finds the positions, and sweeps over their graph value them, both in compiled code.
With one seat, or a team alone, the bot maximises. Two seats or teams whose returns cancel play against
each other. In other games each seat maximises its own return, which is computed backwards from the ends and requires
that no position can recur. Play without end is worth nothing to either of two sides, and to one side alone as little
as the worst end: sweeps start from that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE
from playproof.language.explorer import MEAN, Exploration, GraphTooLargeError, SuccessorGraph, explore, graph
from playproof.language.game import Game
from playproof.language.game_analysis import is_first_return_deciding_all_returns
from playproof.language.machine.state_table import mix_word_into_hash
from playproof.language.random import Stream
from playproof.referee.bots.base import BotError, Looks, Sight
from playproof.referee.engine import Engine

SeatValues = tuple[float, ...]
_NEAR = 1e-9  # values that differ by less are equal
_STILL = 1e-10  # the last sweep changes less than this
_MOST = 3_000_000
_OVER = -9  # the actor of an end position
_SWEEPS = 1_000_000


class Exact:
    """Plays perfectly. `limit` bounds the number of positions kept; a game with more raises
    BotError."""

    name = "exact"
    looks: ClassVar[Looks] = "table"

    def __init__(self, limit: int = _MOST) -> None:
        self.limit = limit

    def choose(self, sight: Sight, stream: Stream) -> int:
        """Return an action with the best exact value, drawn evenly among equals. The draw brings a
        won game with cycles to its end."""
        state = sight.world(stream) if not sight.engine.has_hidden_fields else []
        values: list[float] = []
        for ident in sight.legal:
            after = sight.engine.apply(state, ident) if state else state
            values.append(self.value(sight.engine, after)[sight.seat])
        best = max(values)
        return sight.legal[stream.choose_greatest_index_drawing_ties([float(best - v <= _NEAR) for v in values])]

    def value(self, engine: Engine, state: Sequence[int]) -> SeatValues:
        """Return each seat's return from this state under best play by all, with chance at its
        mean. Raises BotError."""
        if engine.has_hidden_fields:
            raise BotError(f"exact cannot play `{engine.game.name}`: something is hidden from a player; use mcts")
        return _get_cached_solution(engine, self.limit).get_best_play_returns_of_seats(state)


@lru_cache(maxsize=4)
def _get_cached_solution(engine: Engine, max_positions: int) -> _SweepSolution | _BackwardSolution:
    """Return a game's positions with their values, computed once. The cache keeps the engine alive,
    so that no other engine takes its identity."""
    if is_first_return_deciding_all_returns(engine.game):
        return _SweepSolution.explore_and_solve(engine, max_positions)
    return _BackwardSolution(engine, max_positions)


@dataclass(frozen=True)
class _SweepSolution:
    """Values of the first seat, by row of a complete exploration."""

    engine: Engine
    seen: Exploration
    values: npt.NDArray[np.float64]

    @classmethod
    def explore_and_solve(cls, engine: Engine, max_positions: int) -> _SweepSolution:
        """Explore the game and solve it. Raises BotError."""
        seen = explore(engine.compiled, states=max_positions)
        if not seen.complete:
            raise _make_too_many_positions_error(engine, max_positions)
        try:
            net = copy_graph_with_sides_as_actors(graph(seen), engine.game)
        except GraphTooLargeError as error:
            raise BotError(f"exact cannot play `{engine.game.name}`: {error}") from None
        return cls(engine, seen, _iterate_values_to_fixed_point(engine, net))

    def get_best_play_returns_of_seats(self, state: Sequence[int]) -> SeatValues:
        """Return each seat's value of a state."""
        first, game = float(self.values[self._find_explored_row_of_state_or_raise(state)]), self.engine.game
        return tuple(first if seat in game.get_team_of_seat(0) else -first for seat in range(game.players))

    def _find_explored_row_of_state_or_raise(self, state: Sequence[int]) -> int:
        """Return the row of a state, with the lookup that compiled code uses. Raises BotError if no
        game reaches it."""
        table = self.seen.table
        packed = np.zeros((1, self.seen.packed.shape[1]), dtype=np.uint64)
        self.engine.compiled.module.pack(np.array(state, dtype=np.int64), packed, 0)
        code = 0
        for word in packed[0].tolist():
            code = mix_word_into_hash(code, word)
        slot = (code ^ (code >> 32)) & (len(table) - 1)
        while table[slot] >= 0:
            if (self.seen.packed[table[slot]] == packed[0]).all():
                return int(table[slot])
            slot = (slot + 1) & (len(table) - 1)
        raise BotError(f"exact cannot play `{self.engine.game.name}` from a position that no game reaches")


def copy_graph_with_sides_as_actors(successors: SuccessorGraph, game: Game) -> SuccessorGraph:
    """Return a graph in which the side of seat 0 acts as seat 0, and the other side as seat 1."""
    other = np.array([seat not in game.get_team_of_seat(0) for seat in range(game.players)], dtype=np.int8)
    acts = np.where(successors.actors >= 0, other[np.maximum(successors.actors, 0)], successors.actors)
    return replace(successors, actors=acts.astype(np.int8))


def _iterate_values_to_fixed_point(engine: Engine, successors: SuccessorGraph) -> npt.NDArray[np.float64]:
    """Sweep until nothing changes, from what play without end is worth. Raises BotError.

    A side alone, which waits, gets the least. Of two sides, who waits so as not to lose has neither won nor lost.
    """
    over = successors.actors == _OVER
    least = successors.returned[over].min() if over.any() and len(engine.game.sides) == 1 else 0.0
    values = np.where(over, successors.returned, least)
    for _ in range(_SWEEPS):
        moved = engine.compiled.module.sweep_best_play_values(
            successors.first, successors.to, successors.chance, successors.actors, values, MEAN
        )
        if moved <= _STILL:
            return values
    raise BotError(f"exact cannot play `{engine.game.name}`: after {_SWEEPS:,} sweeps its values are not settled")


class _BackwardSolution:
    """Values of all seats by position, each the best for whoever acts. For games whose returns do
    not cancel."""

    def __init__(self, engine: Engine, limit: int) -> None:
        self.engine, self.limit = engine, limit
        self._values: dict[tuple[int, ...], SeatValues] = {}

    def get_best_play_returns_of_seats(self, state: Sequence[int]) -> SeatValues:
        """Return each seat's value of a state, computed backwards from the ends. Raises BotError if
        a position can recur or there are too many."""
        root, values = tuple(state), self._values
        open_: set[tuple[int, ...]] = set()
        stack = [root]
        while stack:
            here = stack[-1]
            if here in values:
                stack.pop()
                continue
            follow = self._list_weighted_successors(here)
            missing = [after for _, after in follow if after not in values]
            if missing and here in open_:
                raise BotError(
                    f"exact cannot play `{self.engine.game.name}`: a position can come again, and its "
                    "players' returns do not cancel"
                )
            if missing:
                open_.add(here)
                stack += missing
                if len(values) + len(open_) > self.limit:
                    raise _make_too_many_positions_error(self.engine, self.limit)
                continue
            values[here] = self._compute_values_from_successors(here, [(w, values[after]) for w, after in follow])
            open_.discard(here)
            stack.pop()
        return values[root]

    def _list_weighted_successors(self, state: Sequence[int]) -> list[tuple[int, tuple[int, ...]]]:
        if state[1]:
            return []
        legal, weights = self.engine.list_legal_actions_and_weights(state)
        return [(w, tuple(self.engine.apply(state, i))) for i, w in zip(legal, weights, strict=True)]

    def _compute_values_from_successors(
        self, state: Sequence[int], weighted_successor_values: Sequence[tuple[int, SeatValues]]
    ) -> SeatValues:
        if not weighted_successor_values:
            return tuple(float(v) for v in self.engine.returns(state))
        actor = self.engine.actor(state)
        if actor == CHANCE:
            mass = sum(weight for weight, _ in weighted_successor_values)
            means: list[float] = []
            for seat in range(self.engine.game.players):
                means.append(sum(weight * values[seat] for weight, values in weighted_successor_values) / mass)
            return tuple(means)
        return max((v for _, v in weighted_successor_values), key=lambda v: v[actor])


def _make_too_many_positions_error(engine: Engine, max_positions: int) -> BotError:
    return BotError(f"exact cannot play `{engine.game.name}`: more than {max_positions} positions; use mcts")

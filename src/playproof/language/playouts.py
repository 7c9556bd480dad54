"""Whole games in a compiled reading, many at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.machine.players import STOPPED, ActionCountArrays, GameLimits, PlayoutResultArrays
from playproof.language.random import MASK

IntArray = npt.NDArray[np.int64]
_NOTES = 1024  # decisions of a game that are noted before there must be more room
LONGEST_GAME = 10_000
"""Steps of a game, those of chance included, after which it is stopped if the rules declare no bound."""
LONGEST_THOUGHTFUL_GAME = 2_000
"""The same where players think at each step, so that a game without an end takes seconds and not minutes; also the
longest random game that such a player imagines."""
_WITHOUT = 1 << 40  # more decisions than any game has
_FIRST_GAMES = 32  # games in the quick form of machine code before the good one is considered


@dataclass(frozen=True, slots=True)
class PlayoutResults:
    """The results of a batch of games, one row per game: ending number, decisions (of players
    only), round reached, returns of each seat, and the seat that decided first (-1 if nobody did or
    nothing was counted). For each ground action, `taken` counts how often players took it and
    `worth` sums the takers' returns."""

    endings: IntArray
    decisions: IntArray
    rounds: IntArray
    returns: IntArray
    starters: IntArray
    taken: IntArray
    worth: IntArray


@dataclass(frozen=True)
class PlayoutRunner:
    """Plays a game from its first state `initial`. `module` holds its functions, in machine code if
    `machine` is true. `players_move` holds for each ground action 1 if a player takes it, 0 if
    chance does."""

    module: Any
    machine: bool
    players: int
    ground: int
    initial: Sequence[int]
    players_move: Sequence[int]

    def run_playouts(
        self,
        games: int,
        seed: int,
        *,
        first_game: int = 0,
        policies: Sequence[int] | None = None,
        count_actions: bool = True,
        start_state: Sequence[int] | None = None,
        max_decisions: int | None = None,
        limits: GameLimits | None = None,
    ) -> PlayoutResults:
        """Play `games` games with numbers first, first+1, ... of the run `seed`.

        `policies` names each seat's player: 0 random, 1 greedy (one step ahead on the declared evaluation; what it does
        not see is imagined), 2 greedy and sees everything. `start_state` is the first state of each game (default: the
        game's first). A game with more than `max_decisions` decisions is stopped, since it may never end: its ending is
        0 and its actions do not count. One that reaches the `limits` (default: 100,000 steps) is stopped too, and its
        ending is STOPPED, or 0 with `max_decisions`.
        """
        wide = self.ground if count_actions else 1
        result = PlayoutResults(
            _make_array_with_number_per_game(games),
            _make_array_with_number_per_game(games),
            _make_array_with_number_per_game(games),
            np.zeros((games, self.players), dtype=np.int64),
            _make_array_with_number_per_game(games),
            np.zeros(wide, dtype=np.int64),
            np.zeros(wide, dtype=np.int64),
        )
        mixed = [np.array(policies, dtype=np.int64)] if policies is not None and any(policies) else []
        entry = "playouts_with_policies" if mixed else "playouts"
        begin = np.array(self.initial if start_state is None else start_state, dtype=np.int64)
        moves = np.array(self.players_move, dtype=np.int64)
        columns = (result.endings, result.decisions, result.rounds, result.returns, result.starters)
        done, size, notes = 0, _FIRST_GAMES, _NOTES
        while done < games:
            whole = not self.machine or self.module.is_optimized_code_of_function_ready(entry)
            stop = games if whole else min(games, done + size)
            results = PlayoutResultArrays(*(column[done:stop] for column in columns))
            room = (np.zeros(notes, dtype=np.int64) for _ in range(2))
            counts = ActionCountArrays(result.taken, result.worth, moves, *room)
            bounds = limits or GameLimits(_WITHOUT, 10 * LONGEST_GAME)
            run = (begin.copy(), seed & MASK, first_game + done, stop - done, *mixed, count_actions, bounds)
            played = int(getattr(self.module, entry)(*run, results, counts))
            done, size = done + played, 2 * size
            if done < stop and max_decisions is not None and notes >= max_decisions:
                result.endings[done], result.decisions[done], result.starters[done] = 0, notes, -1
                result.rounds[done], result.returns[done] = 0, 0
                done += 1
            elif done < stop:
                notes *= 2
        if max_decisions is not None:
            result.endings[result.endings == STOPPED] = 0
        return result


def make_game_limits(ends_within: object, steps_within: object, default_steps: int = LONGEST_GAME) -> GameLimits:
    """Return the limits of a game from the bounds that its rules declare, if they do; `default_steps` holds where they
    declare none."""
    decisions = ends_within if isinstance(ends_within, int) else _WITHOUT
    if isinstance(steps_within, int):
        return GameLimits(decisions, steps_within)
    return GameLimits(decisions, default_steps if decisions == _WITHOUT else max(default_steps, 10 * decisions))


def _make_array_with_number_per_game(game_count: int) -> IntArray:
    """Return an array that each game writes at its place; what it holds before is left open."""
    return np.empty(game_count, dtype=np.int64)

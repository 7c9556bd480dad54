"""Games of a run played again in compiled code, with a record of what happened."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled
from playproof.language.game import Game
from playproof.language.machine import records
from playproof.language.machine.lazy_parts import RECORDS
from playproof.language.random import MASK

IntArray = npt.NDArray[np.int64]
_ROWS = 4096  # rows of a record before there must be more room
_CELLS = 8_000_000  # cells of states that are kept at once


@dataclass(frozen=True, slots=True)
class GameRecords:
    """Steps of several games, a row for each state: `steps` has the columns GAME (position in `numbers`), ACTOR,
    IDENT and LEGAL of `playproof.language.machine.records`; `states` the cells; `options` the legal actions, row
    after row."""

    numbers: IntArray
    steps: IntArray
    states: IntArray
    options: IntArray


@dataclass(frozen=True, slots=True)
class WinChanceCurves:
    """Steps as in `GameRecords`, and for each state how many of `games` random games from there each seat wins."""

    numbers: IntArray
    steps: IntArray
    wins: IntArray
    games: int


@dataclass(frozen=True, slots=True)
class TreatedGames:
    """Games with a change for one seat (the game's number modulo the seats): whether that seat won, its return,
    and whether the change applied."""

    won: IntArray
    returned: IntArray
    changed: IntArray


class GameRecorder:
    """Plays games of a game description, as `Compiled.run_playouts` does, and keeps records."""

    def __init__(self, compiled: Compiled) -> None:
        self.game, self.compiled = compiled.game, compiled

    @cached_property
    def module(self) -> Any:
        """The functions of `playproof.language.machine.records` for this game."""
        return self.compiled.load_functions_of_game_and_parts([RECORDS])

    def iter_batches_of_game_records(
        self, run_seed: int, game_numbers: Sequence[int] | IntArray, policies: Sequence[int]
    ) -> Iterator[GameRecords]:
        """Yield the records of the games with these numbers, several games at a time."""
        left = np.asarray(game_numbers, dtype=np.int64)
        rows = max(256, min(_ROWS, _CELLS // max(1, self.game.cells)))
        while len(left):
            wide = 8 * rows + max(1, self.game.ground)
            steps = np.zeros((rows, 4), dtype=np.int64)
            states = np.zeros((rows, self.game.cells), dtype=np.int64)
            options, used = np.zeros(wide, dtype=np.int64), np.zeros(2, dtype=np.int64)
            played = int(
                self.module.write_states_and_steps_of_games(
                    self._make_start_state(),
                    run_seed & MASK,
                    left,
                    self._make_policy_array(policies),
                    states,
                    steps,
                    options,
                    used,
                )
            )
            if played == 0:
                rows *= 2
                continue
            end, listed = int(used[0]), int(used[1])
            yield GameRecords(left[:played], steps[:end], states[:end], options[:listed])
            left = left[played:]

    def iter_batches_of_win_chance_curves(
        self, run_seed: int, game_numbers: Sequence[int] | IntArray, policies: Sequence[int], games_per_state: int
    ) -> Iterator[WinChanceCurves]:
        """Yield the chances to win along the games with these numbers, from `games_per_state` random games per
        state."""
        left, rows = np.asarray(game_numbers, dtype=np.int64), _ROWS
        ends = encode_who_wins_by_ending(self.game)
        while len(left):
            steps, used = np.zeros((rows, 4), dtype=np.int64), np.zeros(2, dtype=np.int64)
            wins = np.zeros((rows, self.game.players), dtype=np.int64)
            played = int(
                self.module.write_win_chances_along_games(
                    self._make_start_state(),
                    run_seed & MASK,
                    left[:_AT_ONCE],
                    self._make_policy_array(policies),
                    games_per_state,
                    ends,
                    steps,
                    wins,
                    used,
                )
            )
            if played == 0:
                rows *= 2
                continue
            end = int(used[0])
            yield WinChanceCurves(left[:played], steps[:end], wins[:end], games_per_state)
            left = left[played:]

    def play_games_changing_seats_in_turn(
        self,
        run_seed: int,
        first_game: int,
        game_count: int,
        policies: Sequence[int],
        change_kind: int,
        mark_by_action: IntArray,
        cells_by_seat: IntArray,
    ) -> TreatedGames:
        """Play games `first_game`, `first_game` + 1 ... with the change `change_kind`. `mark_by_action` says for each
        ground action whether it deals or uses the thing; `cells_by_seat` holds for each seat how many cells hold the
        thing for it, and each of these with the value that means the thing (-1: the cell counts it)."""
        made = TreatedGames(*(np.zeros(game_count, dtype=np.int64) for _ in range(3)))
        self.module.play_games_with_one_change(
            self._make_start_state(),
            run_seed & MASK,
            first_game,
            self._make_policy_array(policies),
            records.Treatment(change_kind, mark_by_action, cells_by_seat),
            encode_who_wins_by_ending(self.game),
            made.won,
            made.returned,
            made.changed,
        )
        return made

    def _make_start_state(self) -> IntArray:
        return np.array(self.compiled.initial, dtype=np.int64)

    @staticmethod
    def _make_policy_array(policies: Sequence[int]) -> IntArray:
        return np.array(policies, dtype=np.int64)


_AT_ONCE = 8  # games whose chances one call computes: calls cannot be interrupted


def encode_who_wins_by_ending(game: Game) -> records.EndingMeanings:
    """Return for each ending number what it means for who has won, and the team of each seat.

    The meaning is that of `playproof.referee.batches`: all seats win a win of everybody, and the seats of the only
    team any win; other wins and scores go to whose return is above those of all other teams.
    """
    alone = len(game.sides) == 1
    kinds = np.zeros(len(game.endings) + 1, dtype=np.int64)
    for end in game.endings:
        if end.kind == "win" and (alone or end.shared):
            kinds[end.number] = records.TO_ALL
        elif end.kind in ("win", "scores") and not alone:
            kinds[end.number] = records.TO_THE_GREATEST
    team = np.zeros(game.players, dtype=np.int64)
    for number, seats in enumerate(game.sides):
        team[list(seats)] = number
    return records.EndingMeanings(kinds, team)

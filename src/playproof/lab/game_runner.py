"""Plays games of a variant for the lab, on all cores or on a cluster, with numbers that decide every game."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled
from playproof.language.game import Game
from playproof.language.machine.players import STOPPED
from playproof.language.playouts import PlayoutResults
from playproof.language.recorded_playouts import GameRecorder, GameRecords, TreatedGames, WinChanceCurves
from playproof.referee.batches import (
    POLICIES,
    Batch,
    can_play_compiled,
    get_game_limits,
    is_played_for_score,
    make_engine,
    play_games_stepwise,
)
from playproof.referee.cluster import DescribedVariant, count_parallel_slots, map_on_cluster
from playproof.referee.engine import Engine
from playproof.referee.errors import make_length_error
from playproof.referee.simulate import assign_bots_to_seats, map_on_processes
from playproof.referee.variant import Variant

IntArray = npt.NDArray[np.int64]
_T = TypeVar("_T")
_W = TypeVar("_W")
_PART = 20_000  # games of one piece of work
_FEW_THOUGHTFUL = 40  # games of bots that think, for which no process is worth starting


class GameRunner:
    """A variant with the bots that play it, in compiled code. `can_play_compiled` says whether these bots can:
    random ones always, greedy ones where the game declares an evaluation, and what may be exchanged unseen if it
    hides anything. With a Dask `client`, work is spread over its workers."""

    def __init__(
        self, variant: Variant, bots: Sequence[str], seed: int, jobs: int | None = None, client: Any = None
    ) -> None:
        self.variant, self.seed, self.client = variant, seed, client
        self.bots = assign_bots_to_seats(bots, variant.game.players)
        self.jobs = jobs or (os.cpu_count() or 1 if client is None else count_parallel_slots(client))

    def with_random_bots(self) -> GameRunner:
        """Return the same games between random players."""
        return GameRunner(self.variant, ["random"], self.seed, self.jobs, self.client)

    @cached_property
    def engine(self) -> Engine:
        """The steps of the game."""
        return Engine(self.variant.game)

    @property
    def compiled(self) -> Compiled:
        """The compiled reading."""
        return self.engine.compiled

    @cached_property
    def recorder(self) -> GameRecorder:
        """The compiled reading that keeps records."""
        return GameRecorder(self.compiled)

    @cached_property
    def can_play_compiled(self) -> bool:
        """Whether compiled code plays these bots."""
        return can_play_compiled(self.engine, self.bots)

    @property
    def policy_numbers(self) -> list[int]:
        """The number of each seat's bot in compiled code; random, if that cannot play it."""
        return [POLICIES[name] if self.can_play_compiled else 0 for name in self.bots]

    @cached_property
    def is_for_score(self) -> bool:
        """Whether nobody can win, and what counts is a score."""
        return is_played_for_score(self.variant.game)

    @property
    def players_text(self) -> str:
        """Who plays what is computed in compiled code, in words."""
        names = sorted(set(self.bots)) if self.can_play_compiled else ["random"]
        return " and ".join(names) + " players"

    def play_compiled_games(self, first: int, count: int) -> PlayoutResults:
        """Play games `first` to `first + count - 1` of the run. Raises LengthError if one does not end in time."""
        limits = get_game_limits(self.variant.game)
        batch = self.compiled.run_playouts(
            count, self.seed, first=first, policies=self.policy_numbers, limits=limits
        )
        check_no_game_stopped(self.variant.game, batch, first, self.seed)
        return batch

    def iter_records(self, numbers: Sequence[int] | IntArray) -> Iterator[GameRecords]:
        """Yield records of the games with these numbers."""
        return self.recorder.iter_records(self.seed, numbers, self.policy_numbers)

    def win_chance_curves(self, numbers: Sequence[int] | IntArray, games: int) -> list[WinChanceCurves]:
        """Return the chances to win along these games, from `games` random games per state."""
        parts = [
            part for part in np.array_split(np.asarray(numbers, dtype=np.int64), 8 * self.jobs) if len(part)
        ]
        made = self.map_parallel(partial(_curves_of_games, games=games), parts)
        return [curve for part in made for curve in part]

    def play_treated_games(
        self, games: int, arm: int, marks: IntArray, cells: IntArray, first: int = 0
    ) -> TreatedGames:
        """Play games of the run from `first` on with a change for one seat (`GameRecorder.play_treated_games`)."""
        return self.recorder.play_treated_games(
            self.seed, first, games, self.policy_numbers, arm, marks, cells
        )

    def map_parallel(self, work: Callable[[GameRunner, _W], _T], parts: Sequence[_W]) -> list[_T]:
        """Return `work` of this bench and each part: on as many threads as there are jobs, since compiled code runs
        side by side, or on the cluster."""
        if self.client is not None:
            return list(self.map_on_cluster(work, parts))
        if self.can_play_compiled:
            self.play_compiled_games(0, 1)  # machine code is made once, before the threads ask for it
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(partial(work, self), parts))

    def map_on_cluster(self, work: Callable[[GameRunner, _W], _T], parts: Iterable[_W]) -> Iterator[_T]:
        """Yield the work on each part as the cluster's workers do it; `work` is a module's function."""
        items = ((self.bots, self.seed, work, part) for part in parts)
        return map_on_cluster(self.client, DescribedVariant(self.variant), _run_on_cached_runner, items)


_benches: dict[tuple[str, Sequence[str], int], GameRunner] = {}
_MAKING = Lock()  # a worker may have several threads


def _run_on_cached_runner(
    described: DescribedVariant, item: tuple[Sequence[str], int, Callable[[GameRunner, Any], _T], Any]
) -> _T:
    """Do a piece of a bench's work in a worker, which keeps the bench for the next one."""
    bots, seed, work, part = item
    key = (described.digest, tuple(bots), seed)
    with _MAKING:
        if key not in _benches:
            bench = _benches[key] = GameRunner(described.variant, bots, seed, 1)
            _ = bench.can_play_compiled and bench.play_compiled_games(0, 1), bench.recorder
    return work(_benches[key], part)


def play_games(bench: GameRunner, first: int, count: int) -> PlayoutResults:
    """Play games of a run: in compiled code, or step by step if that cannot play the bots."""
    size = max(1, min(_PART, -(-count // bench.jobs)))
    spans = [(at, min(size, first + count - at)) for at in range(first, first + count, size)]
    if not bench.can_play_compiled and bench.client is None:
        return join_playouts(list(_iter_stepwise_batches(bench, spans)))
    return join_playouts(bench.map_parallel(_play_span, spans))


def _iter_stepwise_batches(bench: GameRunner, spans: Sequence[tuple[int, int]]) -> Iterator[PlayoutResults]:
    """Yield games of bots that no compiled code plays: never on threads, since the steps of an engine share its lists.
    Cards that were given do not travel to other processes."""
    if bench.jobs == 1 or bench.variant.own_cards or sum(count for _, count in spans) < _FEW_THOUGHTFUL:
        yield from (_play_span(bench, span) for span in spans)
        return
    batches = [Batch(bench.variant, tuple(bench.bots), bench.seed, *span) for span in spans]
    for span, batch in zip(spans, map_on_processes(bench.jobs, batches, _play_batch_stepwise), strict=True):
        check_no_game_stopped(bench.variant.game, batch, span[0], bench.seed)
        yield batch


def _play_batch_stepwise(batch: Batch) -> PlayoutResults:
    return play_games_stepwise(batch, make_engine(batch.variant.game, watch=False))


def _play_span(bench: GameRunner, span: tuple[int, int]) -> PlayoutResults:
    if bench.can_play_compiled:
        return bench.play_compiled_games(*span)
    batch = play_games_stepwise(Batch(bench.variant, tuple(bench.bots), bench.seed, *span), bench.engine)
    check_no_game_stopped(bench.variant.game, batch, span[0], bench.seed)
    return batch


def _curves_of_games(bench: GameRunner, part: IntArray, games: int) -> list[WinChanceCurves]:
    return list(bench.recorder.iter_win_chances(bench.seed, part, bench.policy_numbers, games))


def check_no_game_stopped(game: Game, batch: PlayoutResults, first: int, seed: int) -> None:
    """Raise LengthError if a game of a batch was stopped. `first` is the number of its first game."""
    stopped = np.flatnonzero(batch.endings == STOPPED)
    if len(stopped):
        row = int(stopped[0])
        steps = get_game_limits(game).steps
        raise make_length_error(game, steps, int(batch.decisions[row]), f"game {first + row} of seed {seed}")


def join_playouts(parts: Sequence[PlayoutResults]) -> PlayoutResults:
    """Return several batches that follow each other as one."""
    if len(parts) == 1:
        return parts[0]
    rows = ("endings", "decisions", "rounds", "returns", "starters")
    sums = ("taken", "worth")
    return PlayoutResults(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in rows},
        **{name: np.sum([getattr(part, name) for part in parts], axis=0) for name in sums},
    )

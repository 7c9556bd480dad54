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
    can_compiled_code_play_bots,
    is_played_only_for_score,
    make_declared_or_default_limits,
    make_engine_with_checks_if_watched,
    play_games_stepwise,
)
from playproof.referee.cluster import DescribedVariant, count_cluster_threads_or_one, map_items_on_dask_workers_in_order
from playproof.referee.engine import Engine
from playproof.referee.errors import make_too_long_game_error
from playproof.referee.simulate import (
    find_rule_broken_in_sampled_games_or_none,
    list_full_bot_name_of_each_seat_or_raise,
    map_in_order_on_spawned_processes,
)
from playproof.referee.variant import Variant

IntArray = npt.NDArray[np.int64]
_T = TypeVar("_T")
_W = TypeVar("_W")
_PART = 20_000  # games of one piece of work
_FEW_THOUGHTFUL = 40  # games of bots that think, for which no process is worth starting


class GameRunner:
    """A variant with the bots that play it, in compiled code. `can_compiled_code_play_bots` says whether these bots
    can: random ones always, greedy ones where the game declares an evaluation, and what may be exchanged unseen if it
    hides anything. With a Dask `client`, work is spread over its workers."""

    def __init__(
        self, variant: Variant, bots: Sequence[str], seed: int, jobs: int | None = None, client: Any = None
    ) -> None:
        self.variant, self.seed, self.client = variant, seed, client
        self.bots = list_full_bot_name_of_each_seat_or_raise(bots, variant.game.players)
        self.jobs = jobs or (os.cpu_count() or 1 if client is None else count_cluster_threads_or_one(client))

    def create_runner_with_random_bots(self) -> GameRunner:
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
        return can_compiled_code_play_bots(self.engine, self.bots)

    @property
    def policy_numbers(self) -> list[int]:
        """The number of each seat's bot in compiled code; random, if that cannot play it."""
        return [POLICIES[name] if self.can_play_compiled else 0 for name in self.bots]

    @cached_property
    def is_for_score(self) -> bool:
        """Whether nobody can win, and what counts is a score."""
        return is_played_only_for_score(self.variant.game)

    @property
    def players_text(self) -> str:
        """Who plays what is computed in compiled code, in words."""
        names = sorted(set(self.bots)) if self.can_play_compiled else ["random"]
        return " and ".join(names) + " players"

    def play_games_in_compiled_code_or_raise(self, first_game: int, count: int) -> PlayoutResults:
        """Play games `first_game` to `first_game + count - 1` of the run. Raises LengthError if one does not end
        in time."""
        limits = make_declared_or_default_limits(self.variant.game)
        batch = self.compiled.run_playouts(
            count, self.seed, first_game=first_game, policies=self.policy_numbers, limits=limits
        )
        raise_if_game_was_stopped(self.variant.game, batch, first_game, self.seed)
        return batch

    def raise_if_compiled_games_break_rules(self, games: int) -> None:
        """Raise RulesError if a value leaves its bounds in a sample of so many games: compiled code plays on."""
        if self.can_play_compiled:
            error = find_rule_broken_in_sampled_games_or_none(self.variant.game, self.bots, self.seed, games)
            if error is not None:
                raise error

    def play_and_iter_game_records(self, game_numbers: Sequence[int] | IntArray) -> Iterator[GameRecords]:
        """Yield records of the games with these numbers."""
        return self.recorder.iter_batches_of_game_records(self.seed, game_numbers, self.policy_numbers)

    def compute_win_chance_curves(
        self, game_numbers: Sequence[int] | IntArray, random_games_per_state: int
    ) -> list[WinChanceCurves]:
        """Return the chances to win along these games, from `random_games_per_state` random games per state."""
        parts = [part for part in np.array_split(np.asarray(game_numbers, dtype=np.int64), 8 * self.jobs) if len(part)]
        made = self.map_on_threads_or_cluster(
            partial(_compute_win_chance_curves_of_games, random_games_per_state=random_games_per_state), parts
        )
        return [curve for part in made for curve in part]

    def play_games_with_change_for_one_seat(
        self, games: int, change_kind: int, action_marks: IntArray, holding_cells_by_seat: IntArray, first_game: int = 0
    ) -> TreatedGames:
        """Play games of the run from `first_game` on with a change for one seat
        (`GameRecorder.play_games_changing_seats_in_turn`)."""
        return self.recorder.play_games_changing_seats_in_turn(
            self.seed, first_game, games, self.policy_numbers, change_kind, action_marks, holding_cells_by_seat
        )

    def map_on_threads_or_cluster(self, work: Callable[[GameRunner, _W], _T], parts: Sequence[_W]) -> list[_T]:
        """Return `work` of this bench and each part: on as many threads as there are jobs, since compiled code runs
        side by side, or on the cluster."""
        if self.client is not None:
            return list(self.map_on_cluster(work, parts))
        if self.can_play_compiled:
            self.play_games_in_compiled_code_or_raise(0, 1)  # machine code is made once, before the threads ask for it
        with ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(partial(work, self), parts))

    def map_on_cluster(self, work: Callable[[GameRunner, _W], _T], parts: Iterable[_W]) -> Iterator[_T]:
        """Yield the work on each part as the cluster's workers do it; `work` is a module's function."""
        items = ((self.bots, self.seed, work, part) for part in parts)
        return map_items_on_dask_workers_in_order(
            self.client, DescribedVariant(self.variant), _run_on_cached_runner, items
        )


_benches: dict[tuple[str, Sequence[str], int], GameRunner] = {}
_MAKING = Lock()  # a worker may have several threads


def _run_on_cached_runner(
    described: DescribedVariant,
    bots_seed_work_and_part: tuple[Sequence[str], int, Callable[[GameRunner, Any], _T], Any],
) -> _T:
    """Do a piece of a bench's work in a worker, which keeps the bench for the next one."""
    bots, seed, work, part = bots_seed_work_and_part
    key = (described.digest, tuple(bots), seed)
    with _MAKING:
        if key not in _benches:
            bench = _benches[key] = GameRunner(described.variant, bots, seed, 1)
            _ = bench.can_play_compiled and bench.play_games_in_compiled_code_or_raise(0, 1), bench.recorder
    return work(_benches[key], part)


def play_games_of_any_bots(bench: GameRunner, first_game: int, count: int) -> PlayoutResults:
    """Play games of a run: in compiled code, or step by step if that cannot play the bots."""
    size = max(1, min(_PART, -(-count // bench.jobs)))
    spans = [(at, min(size, first_game + count - at)) for at in range(first_game, first_game + count, size)]
    if not bench.can_play_compiled and bench.client is None:
        return concatenate_playout_batches(list(_iter_batches_of_uncompiled_bots(bench, spans)))
    return concatenate_playout_batches(bench.map_on_threads_or_cluster(_play_span_compiled_or_stepwise, spans))


def _iter_batches_of_uncompiled_bots(
    bench: GameRunner, first_and_count_spans: Sequence[tuple[int, int]]
) -> Iterator[PlayoutResults]:
    """Yield games of bots that no compiled code plays: never on threads, since the steps of an engine share its lists.
    Cards that were given do not travel to other processes."""
    if bench.jobs == 1 or bench.variant.own_cards or sum(count for _, count in first_and_count_spans) < _FEW_THOUGHTFUL:
        yield from (_play_span_compiled_or_stepwise(bench, span) for span in first_and_count_spans)
        return
    batches = [Batch(bench.variant, tuple(bench.bots), bench.seed, *span) for span in first_and_count_spans]
    for span, batch in zip(
        first_and_count_spans,
        map_in_order_on_spawned_processes(bench.jobs, batches, _play_batch_on_new_engine),
        strict=True,
    ):
        raise_if_game_was_stopped(bench.variant.game, batch, span[0], bench.seed)
        yield batch


def _play_batch_on_new_engine(batch: Batch) -> PlayoutResults:
    return play_games_stepwise(batch, make_engine_with_checks_if_watched(batch.variant.game, watch=False))


def _play_span_compiled_or_stepwise(bench: GameRunner, first_and_count: tuple[int, int]) -> PlayoutResults:
    if bench.can_play_compiled:
        return bench.play_games_in_compiled_code_or_raise(*first_and_count)
    batch = play_games_stepwise(Batch(bench.variant, tuple(bench.bots), bench.seed, *first_and_count), bench.engine)
    raise_if_game_was_stopped(bench.variant.game, batch, first_and_count[0], bench.seed)
    return batch


def _compute_win_chance_curves_of_games(
    bench: GameRunner, game_numbers: IntArray, random_games_per_state: int
) -> list[WinChanceCurves]:
    return list(
        bench.recorder.iter_batches_of_win_chance_curves(
            bench.seed, game_numbers, bench.policy_numbers, random_games_per_state
        )
    )


def raise_if_game_was_stopped(game: Game, batch: PlayoutResults, first_game: int, seed: int) -> None:
    """Raise LengthError if a game of a batch was stopped. `first_game` is the number of its first game."""
    stopped = np.flatnonzero(batch.endings == STOPPED)
    if len(stopped):
        row = int(stopped[0])
        steps = make_declared_or_default_limits(game).steps
        raise make_too_long_game_error(
            game, steps, int(batch.decisions[row]), f"game {first_game + row} of seed {seed}"
        )


def concatenate_playout_batches(parts: Sequence[PlayoutResults]) -> PlayoutResults:
    """Return several batches that follow each other as one."""
    if len(parts) == 1:
        return parts[0]
    rows = ("endings", "decisions", "rounds", "returns", "starters")
    sums = ("taken", "worth")
    return PlayoutResults(
        **{name: np.concatenate([getattr(part, name) for part in parts]) for name in rows},
        **{name: np.sum([getattr(part, name) for part in parts], axis=0) for name in sums},
    )

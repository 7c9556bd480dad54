"""Bots in separate processes, which delay no page: their moves, and the chances of each seat over a
finished game.

A worker builds each game once and keeps the games under way. It receives the numbers of all actions
and answers with one number.

Simple bots play from the true state, so the curve is shown only when the game is over."""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from multiprocessing import get_context
from statistics import NormalDist
from time import monotonic
from typing import NamedTuple, TypeVar

from playproof.database.worker_processes import PortableErrors, prepare_worker_process_of_parent
from playproof.language.keyed_random import KeyedStream
from playproof.referee.bots import make_bot, make_sight_that_bot_asks_for
from playproof.referee.engine import Engine
from playproof.referee.variant import Variant

# -- worker pool ---------------------------------------------------------------------------------------------
# Processes that work for the server: what they do delays no page, and what they need does not fill its
# memory.

T = TypeVar("T")


class WorkerPool:
    """So many processes, started when the first is needed. `prepare` is called in each of them first; `nice` is by
    how much they stand back behind the server, so that a page is answered before a bot has thought."""

    def __init__(self, workers: int, prepare: Callable[[], object] | None = None, *, nice: int = 5) -> None:
        self.workers, self._prepare, self._nice = workers, prepare, nice
        self._pool: ProcessPoolExecutor | None = None

    async def run_in_worker_retrying_once(self, function: Callable[..., T], *arguments: object) -> T:
        """Let a process do this. If it died, start new ones once and try again."""
        for last in (False, True):
            try:
                return await asyncio.get_running_loop().run_in_executor(
                    self._get_or_start_process_pool(), PortableErrors(function), *arguments
                )
            except BrokenProcessPool:
                self.stop_workers()
                if last:
                    raise
        raise AssertionError("a loop that returns or raises")

    def _get_or_start_process_pool(self) -> ProcessPoolExecutor:
        if self._pool is None:
            # Spawned, not forked: the server has threads of its own.
            self._pool = ProcessPoolExecutor(
                self.workers,
                mp_context=get_context("spawn"),
                initializer=_initialize_worker_process,
                initargs=(os.getpid(), self._nice, self._prepare),
            )
        return self._pool

    def stop_workers(self) -> None:
        """End the processes. The next work starts new ones."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


def _initialize_worker_process(server_process_id: int, nice: int, prepare: Callable[[], object] | None) -> None:
    prepare_worker_process_of_parent(server_process_id, nice)
    if prepare is not None:
        prepare()


# Bots in separate processes: a bot that thinks for seconds delays no page.

_MOST_GAMES = 40  # that a worker keeps

SortedChoices = tuple[tuple[str, str], ...]
# a game, its options, its rulings, the file of its description
VariantKey = tuple[str, SortedChoices, SortedChoices, str]

_engines: dict[VariantKey, Engine] = {}
_under_way: OrderedDict[tuple[VariantKey, int], tuple[list[int], list[list[int]]]] = OrderedDict()


def choose_bot_action_in_worker(variant_key: VariantKey, seed: int, bot_name: str, actions: tuple[int, ...]) -> int:
    """Return the bot's choice after these actions. Runs in a worker."""
    engine = _get_cached_engine(variant_key)
    states = _list_states_after_actions_using_cache(engine, (variant_key, seed), actions)
    mind = make_bot(bot_name)
    here = make_sight_that_bot_asks_for(mind, engine, states, list(actions), engine.play.actor(states[-1]))
    return mind.choose(here, KeyedStream(seed, "bot", len(actions)))


def estimate_win_chances_in_worker(variant_key: VariantKey, seed: int, actions: tuple[int, ...]) -> WinChances:
    """Return the chances over a finished game. Runs in a worker."""
    engine = _get_cached_engine(variant_key)
    states = [engine.play.start()]
    for ident in actions:
        states.append(engine.play.apply(states[-1], ident))
    return estimate_win_chances_over_game(engine, states, seed)


def _get_cached_engine(variant_key: VariantKey) -> Engine:
    if variant_key not in _engines:
        ref, options, rulings, file = variant_key
        _engines[variant_key] = Engine(Variant(ref, dict(options), dict(rulings), file).game)
    return _engines[variant_key]


def _list_states_after_actions_using_cache(
    engine: Engine, variant_key_and_seed: tuple[VariantKey, int], actions: tuple[int, ...]
) -> list[list[int]]:
    """Return all states of a game. Plays only the actions that are new since the last question."""
    taken, states = _under_way.pop(variant_key_and_seed, ([], [engine.play.start()]))
    same = next(
        (n for n, (a, b) in enumerate(zip(taken, actions, strict=False)) if a != b), min(len(taken), len(actions))
    )
    taken, states = taken[:same], states[: same + 1]
    for ident in actions[same:]:
        states.append(engine.play.apply(states[-1], ident))
        taken.append(ident)
    _under_way[variant_key_and_seed] = taken, states
    while len(_under_way) > _MOST_GAMES:
        _under_way.popitem(last=False)
    return states


class BotPool(WorkerPool):
    """The worker processes, started when the first bot has to think. Chances are computed in a process of their own:
    no bot at any table waits for those of a finished game."""

    def __init__(self, workers: int | None = None) -> None:
        super().__init__(workers or max(1, min(4, (os.cpu_count() or 2) - 1)))
        self._of_chances = WorkerPool(1, nice=10)

    def stop_workers(self) -> None:
        """End the processes. The next work starts new ones."""
        super().stop_workers()
        self._of_chances.stop_workers()

    async def ask_worker_for_bot_action(self, variant: Variant, seed: int, bot_name: str, actions: list[int]) -> int:
        """Return a bot's next action."""
        return await self.run_in_worker_retrying_once(
            choose_bot_action_in_worker, make_hashable_key_of_variant(variant), seed, bot_name, tuple(actions)
        )

    async def estimate_win_chances_of_finished_game(
        self, variant: Variant, seed: int, actions: list[int]
    ) -> WinChances:
        """Return the chances over a finished game."""
        return await self._of_chances.run_in_worker_retrying_once(
            estimate_win_chances_in_worker, make_hashable_key_of_variant(variant), seed, tuple(actions)
        )


def make_hashable_key_of_variant(variant: Variant) -> VariantKey:
    """Return what names a variant, here and in other processes."""
    return (
        variant.ref,
        _make_sorted_tuple_of_choices(variant.options),
        _make_sorted_tuple_of_choices(variant.rulings),
        variant.file,
    )


def _make_sorted_tuple_of_choices(choices: Mapping[str, str]) -> SortedChoices:
    return tuple(sorted(choices.items()))


# -- chances -------------------------------------------------------------------------------------------------
# The chances of each seat over a finished game: many games played on from moments of it.

MOMENTS = 40  # at most, spread evenly over the game
PLAYOUTS = 200  # from each moment, if there is time
TURNS = 3  # spans in which each step is looked at
_CLOSER = 12  # steps of such a span, at most
_LEAST = 20
_DOUBT = 0.05  # how often an interval may be wrong
_SECONDS = 12.0  # that all moments together may take; a slow game gets fewer playouts


class ChanceBounds(NamedTuple):
    low: float
    high: float


@dataclass(frozen=True)
class WinChances:
    """`shares[n][seat]` is the share of the playouts after step `steps[n]` that the seat won. A tie is shared."""

    steps: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    playouts: int
    player: str

    @property
    def margin_of_even_chance(self) -> float:
        """By how much a share of one half may be wrong, in 19 of 20 cases."""
        low, high = self._compute_wilson_interval(0.5, NormalDist().inv_cdf(1 - _DOUBT / 2), self.playouts)
        return (high - low) / 2

    def compute_bounds_of_chance_change(self, moment_index: int, seat: int) -> ChanceBounds:
        """Return between which bounds a seat's chance changed from moment `moment_index` - 1 to moment `moment_index`.
        In 19 of 20 games the bounds of all moments and seats together hold, so that the largest of many changes is not
        taken for more than it is (Newcombe's interval of a difference, Bonferroni's correction). The end itself is
        certain."""
        looks = max(1, (len(self.steps) - 1) * len(self.shares[0]))
        z = NormalDist().inv_cdf(1 - _DOUBT / looks / 2)
        before, after = self.shares[moment_index - 1][seat], self.shares[moment_index][seat]
        is_end = moment_index == len(self.steps) - 1
        low_before, high_before = self._compute_wilson_interval(before, z, self.playouts)
        low_after, high_after = (after, after) if is_end else self._compute_wilson_interval(after, z, self.playouts)
        change = after - before
        return ChanceBounds(
            change - hypot(after - low_after, high_before - before),
            change + hypot(high_after - after, before - low_before),
        )

    @staticmethod
    def _compute_wilson_interval(share: float, z: float, count: int) -> ChanceBounds:
        """Return Wilson's interval of a share of so many games."""
        middle = (share + z * z / (2 * count)) / (1 + z * z / count)
        half = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
        return ChanceBounds(middle - half, middle + half)


def estimate_win_chances_over_game(engine: Engine, states: Sequence[list[int]], seed: int) -> WinChances:
    """Return the chances after moments of a game that is over, its states given from the start."""
    last = len(states) - 1
    count = min(MOMENTS, last)
    steps = sorted({round(n * last / count) for n in range(count + 1)}) if count else [0]
    _estimate_win_shares_by_playouts(engine, states[0], _LEAST, seed)  # the first may wait until the game is compiled
    begun = monotonic()
    _estimate_win_shares_by_playouts(engine, states[0], _LEAST, seed)
    each = max(monotonic() - begun, 1e-6) / _LEAST
    playouts = max(_LEAST, min(PLAYOUTS, int(_SECONDS / (len(steps) + TURNS * _CLOSER) / each)))
    shares = {step: _estimate_win_shares_by_playouts(engine, states[step], playouts, seed + step) for step in steps}
    for step in _iter_steps_in_spans_of_greatest_change(steps, shares):
        shares[step] = _estimate_win_shares_by_playouts(engine, states[step], playouts, seed + step)
    ordered = tuple(sorted(shares))
    player = "greedy" if engine.evaluates else "random"
    return WinChances(ordered, tuple(shares[step] for step in ordered), playouts, player)


def _iter_steps_in_spans_of_greatest_change(
    steps: Sequence[int], shares: Mapping[int, Sequence[float]]
) -> Iterator[int]:
    """Yield the moments inside the spans in which the chances changed most: there each step is looked at."""

    def change(span: tuple[int, int]) -> float:
        return max(abs(a - b) for a, b in zip(shares[span[0]], shares[span[1]], strict=True))

    spans = sorted(pairwise(steps), key=change, reverse=True)
    for first, last in spans[:TURNS]:
        yield from range(first + 1, min(last, first + 1 + _CLOSER))


def _estimate_win_shares_by_playouts(engine: Engine, state: list[int], playouts: int, seed: int) -> tuple[float, ...]:
    """Return each seat's share of won games from a state."""
    players, sides = engine.game.players, engine.game.sides
    if state[1]:
        returns = [engine.returns(state)]
    else:
        policies = [1] * players if engine.evaluates else None
        returns = engine.run_playouts_from_state(state, playouts, seed, policies).returns.tolist()
    if len(sides) == 1:
        return (sum(row[0] > 0 for row in returns) / len(returns),) * players
    won = [0.0] * players
    for row in returns:
        best = [side for side in sides if max(row[seat] for seat in side) == max(row)]
        for side in best:
            for seat in side:
                won[seat] += 1 / len(best)
    return tuple(value / len(returns) for value in won)

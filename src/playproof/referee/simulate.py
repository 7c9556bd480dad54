"""Play many games on all cores. Every game has its own seed, made from the run's seed and its
index, so it can be replayed alone.

Random players run in compiled code on threads. So do greedy players if the game declares an
evaluation and hides nothing. Other bots step through the generated Python in several processes or
on a Dask cluster. Every compiled run plays some of its games again in the interpreter and compares
the results.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice
from time import perf_counter, thread_time
from typing import TYPE_CHECKING, Any, TypeVar

from playproof.database.worker_processes import (
    PortableErrors,
    ignore_interrupts_while_starting,
    prepare_worker_process_of_parent,
)
from playproof.language.errors import BoundsError, RulesError
from playproof.language.playouts import LONGEST_GAME
from playproof.language.random import Stream, make_game_seed
from playproof.referee.batches import (
    POLICIES,
    Batch,
    CompiledCallPacer,
    SummaryGamePlayer,
    Tally,
    can_compiled_code_play_bots,
    get_compiled_playout_runner,
    get_default_step_limit_for_bots,
    make_declared_or_default_limits,
    make_engine_with_checks_if_watched,
    play_batch_stepwise,
    play_batch_with_cached_engine,
    play_checked_batch_compiled_until_stopped,
    play_game_to_states_actions_and_choices,
)
from playproof.referee.cluster import DescribedVariant, count_cluster_threads_or_one, map_items_on_dask_workers_in_order
from playproof.referee.variant import StoredResults, Variant

if TYPE_CHECKING:  # a run of an unchanged game needs neither engines nor bots
    from playproof.language.game import Game
    from playproof.referee.engine import Engine
    from playproof.referee.match import Match

Progress = Callable[[int, int], None]
_B = TypeVar("_B")
_R = TypeVar("_R")
_BATCH_COMPILED = 20_000
_BATCH_QUICK = 50  # games of bots that do not search
_FEW, _FEW_THOUGHTFUL = 40, 4  # for so few games, separate processes do not pay
_AHEAD = 4  # batches that wait for each process
_SAMPLED_STEPS = 2_000  # looked at of such a game, if the rules declare no bound
_PLAIN_SECONDS = 0.4  # of plain Python for a run of few games; machine code of a large game takes longer to make
_SAMPLED = 64  # games of a compiled run that are played again with the bounds checked


@dataclass
class SimulationResult:
    """The outcome of a run."""

    variant: Variant
    bots: tuple[str, ...]
    seed: int
    tally: Tally
    seconds: float
    reading: str
    checked: int = 0
    watched: bool = False
    beyond: int | None = None  # a sampled game in which a value left its bounds; machine code moves it there
    options: dict[str, str] = field(default_factory=dict)
    asked: int = 0  # games that were asked for; a run that is interrupted has fewer
    longest: int = LONGEST_GAME  # steps after which a game without a declared bound is stopped

    @property
    def interrupted(self) -> bool:
        """Whether fewer games were played than asked for, although no check ended the run."""
        stopped_by_check = self.first_game_with_violation is not None
        return self.tally.games < self.asked and not stopped_by_check

    @property
    def first_game_beyond_declared_length(self) -> int | None:
        """The first game that is longer than the rules declare, or None."""
        summary = self.variant.summary
        is_declared = summary.ends_within is not None or summary.steps_within is not None
        return self.tally.first_stopped if is_declared else None

    @property
    def first_game_with_violation(self) -> int | None:
        """The first game in which something does not hold, as far as the run looked; None if there is none."""
        found = [self.first_game_beyond_declared_length, self.tally.flawed if self.watched else self.beyond]
        return min((number for number in found if number is not None), default=None)


def simulate(
    variant: Variant,
    games: int,
    bots: Sequence[str] = ("random",),
    seed: int = 0,
    *,
    jobs: int | None = None,
    progress: Progress | None = None,
    client: Any = None,
    watch: bool = False,
    longest: int | None = None,
) -> SimulationResult:
    """Play `games` games and count what happened.

    `bots` names one bot for all seats, or one per seat. `client` may be a Dask client, whose workers must have the same
    program and game, else the run raises `referee.cluster.WorkerMismatchError`. With `watch`, every invariant is
    checked after every step, and the run stops soon after the first game that breaks one. `tally.flawed` is then its
    number, and `playproof.referee.watched_games.replay_game_to_its_violation_or_raise` says what broke. So it is,
    watched or not, with a game that goes beyond the bound that its rules declare
    (`SimulationResult.first_game_beyond_declared_length`). Without such a bound, a game is stopped after `longest`
    steps (by default 10,000, or 2,000 of bots that are not compiled); `tally.stopped` counts these games. Ctrl-C ends
    the run within a second and keeps the games that are done; `tally.games` counts them. Raises BotError for an unknown
    bot or one that cannot play this game.
    """
    names = list_full_bot_name_of_each_seat_or_raise(bots, variant.summary.players)
    if not watch and client is None:
        few = _simulate_few_random_games_or_none(variant, names, seed, games, longest or LONGEST_GAME)
        if few is not None:
            if progress:
                progress(games, games)
            return few
    engine = _make_engine_or_summary_player(variant, names, seed, games, watch, longest or LONGEST_GAME)
    compiled = can_compiled_code_play_bots(engine, names)
    longest = longest or get_default_step_limit_for_bots(engine, names)
    began = perf_counter()
    workers = max(1, jobs or (count_cluster_threads_or_one(client) if client is not None else os.cpu_count() or 1))
    whole_run = Batch(variant, names, seed, 0, games, watch=watch, longest=longest)
    batches = list(_split_whole_run_into_batches(whole_run, workers, compiled))
    is_bounded = variant.summary.ends_within is not None or variant.summary.steps_within is not None
    tally = Tally(variant.summary.players, variant.summary.ground)
    try:
        for part in _play_batches_where_fastest(batches, engine, compiled, workers, client):
            tally.add_in_place(part)
            if progress:
                progress(tally.games, games)
            if (watch and tally.flawed is not None) or (is_bounded and tally.stopped):
                break
    except KeyboardInterrupt:
        pass  # the games that are done are kept; the result says that fewer were played
    if tally.flawed is not None and not watch:
        # raises where the rules break, unless it is just a dead end
        replay(variant, names, seed, tally.flawed, longest=longest)
    whole = tally.games == games
    looks_beyond = compiled and not watch and whole and not (is_bounded and tally.stopped)
    beyond = _get_or_find_game_out_of_bounds_or_none(variant, engine, names, seed, games) if looks_beyond else None
    checked = sum(batch.check for batch in batches) if whole else 0
    reading = "compiled" if compiled else "stepwise"
    return SimulationResult(
        variant,
        names,
        seed,
        tally,
        perf_counter() - began,
        reading,
        checked,
        watch,
        beyond,
        {**variant.options, **variant.rulings},
        games,
        longest,
    )


def _simulate_few_random_games_or_none(
    variant: Variant, bot_names: tuple[str, ...], seed: int, games: int, longest: int
) -> SimulationResult | None:
    """Play a run of few random games in plain Python, which checks all bounds: to make machine code would take longer.
    Return None for a run that machine code has to play, because it has more games or these take long, and for one that
    does not go as it should: what then looks closer plays it again."""
    if games > _SAMPLED or set(bot_names) != {"random"} or not variant.summary.digest:
        return None
    began, summary = perf_counter(), variant.summary
    stored = StoredResults(summary, bot_names, seed, games, longest)
    player = SummaryGamePlayer(summary, summary.checked_player, stored)
    tally, left = Tally(summary.players, summary.ground), _PLAIN_SECONDS
    for number in range(games):
        batch = Batch(variant, bot_names, seed, number, 1, check=number == 0, longest=longest)
        game_began = thread_time()
        try:
            part = play_checked_batch_compiled_until_stopped(batch, player)
        except BoundsError:
            return None
        if not batch.check:  # with the check goes a game of the interpreter, which is played in any case
            left -= thread_time() - game_began
        if part.stopped or part.flawed is not None or left < 0:
            return None
        tally.add_in_place(part)
    stored.save_if_changed()
    options = {**variant.options, **variant.rulings}
    return SimulationResult(
        variant,
        bot_names,
        seed,
        tally,
        perf_counter() - began,
        "compiled",
        1,
        options=options,
        asked=games,
        longest=longest,
    )


def _make_engine_or_summary_player(
    variant: Variant, bot_names: Sequence[str], seed: int, games: int, watch: bool, longest: int
) -> Engine | SummaryGamePlayer:
    """Return what plays the run: `SummaryGamePlayer` for unwatched random games of a compiled game, else an
    engine."""
    if set(bot_names) == {"random"} and not watch and variant.summary_with_machine_source.source:
        summary = variant.summary_with_machine_source
        return SummaryGamePlayer(summary, summary.player, StoredResults(summary, bot_names, seed, games, longest))
    return make_engine_with_checks_if_watched(variant.game, watch)


def _get_or_find_game_out_of_bounds_or_none(
    variant: Variant, engine: Engine | SummaryGamePlayer, bot_names: Sequence[str], seed: int, games: int
) -> int | None:
    """Return `find_sampled_game_out_of_bounds_or_none` of a run, from disk if it is known there."""
    if not isinstance(engine, SummaryGamePlayer):
        return find_sampled_game_out_of_bounds_or_none(variant.game, bot_names, seed, games)
    if "beyond" not in engine.stored:
        engine.stored["beyond"] = find_sampled_game_out_of_bounds_or_none(variant.game, bot_names, seed, games)
    engine.stored.save_if_changed()
    beyond: int | None = engine.stored["beyond"]
    return beyond


def find_sampled_game_out_of_bounds_or_none(game: Game, bots: Sequence[str], seed: int, games: int) -> int | None:
    """Return the number of a game in which a value leaves its bounds, or None.

    Plays a sample of the run, evenly spread, and returns the first such game of the sample.
    """
    from playproof.language.compiled import Compiled

    plain, policies = Compiled(game, machine=False), [POLICIES[name] for name in bots]
    limits = make_declared_or_default_limits(game, _SAMPLED_STEPS)
    for number in range(0, games, -(-games // _SAMPLED)):
        try:
            plain.run_playouts(1, seed, first_game=number, policies=policies, count_actions=False, limits=limits)
        except BoundsError:
            return number
    return None


def find_rule_broken_in_sampled_games_or_none(
    game: Game, bots: Sequence[str], seed: int, games: int
) -> RulesError | None:
    """Return where a value leaves its bounds in a sample of a run of compiled games, which do not look at bounds
    themselves; None if none does."""
    from playproof.referee.bots import load_builtin_or_user_bot
    from playproof.referee.engine import InterpretedEngine

    number = find_sampled_game_out_of_bounds_or_none(game, bots, seed, games)
    if number is None:
        return None
    players = [load_builtin_or_user_bot(name) for name in bots]
    limits = make_declared_or_default_limits(game, _SAMPLED_STEPS)
    stream = Stream(make_game_seed(seed, number))
    try:
        play_game_to_states_actions_and_choices(InterpretedEngine(game), players, stream, limits)
    except RulesError as error:
        return error
    return None


def list_full_bot_name_of_each_seat_or_raise(bots: Sequence[str], seat_count: int) -> tuple[str, ...]:
    """Return a bot's name for each seat, from which the bot can be made again. Raises BotError
    if a name is unknown or their number is wrong."""
    named = tuple(name if name in POLICIES else _get_full_bot_name(name) for name in bots)
    if len(named) == 1:
        return named * seat_count
    if len(named) != seat_count:
        from playproof.referee.bots import BotError

        raise BotError(f"{seat_count} seats need one bot for all or {seat_count} bots, found {len(named)}")
    return named


def _get_full_bot_name(bot_name: str) -> str:
    from playproof.referee.bots import load_builtin_or_user_bot

    return load_builtin_or_user_bot(bot_name).name


def _split_whole_run_into_batches(run: Batch, workers: int, compiled: bool) -> Iterator[Batch]:
    """Yield a run in batches for workers."""
    fair = -(-run.count // (4 * workers))  # four pieces per worker, so that a slow one delays little
    if compiled:
        size = min(_BATCH_COMPILED, max(fair, 1000))
    elif set(run.bots) <= set(POLICIES):
        size = max(1, min(fair, _BATCH_QUICK))
    else:
        size = 1  # a game of a bot that searches takes long enough
    for first in range(0, run.count, size):
        ends = compiled and (first == 0 or first + size >= run.count)
        yield replace(run, first=first, count=min(size, run.count - first), check=ends)


def _play_batches_where_fastest(
    batches: Sequence[Batch], engine: Engine | SummaryGamePlayer, compiled: bool, workers: int, dask_client: Any
) -> Iterator[Tally]:
    if dask_client is not None:
        yield from play_batches_outside_this_process(batches, workers, dask_client)
    elif compiled or isinstance(engine, SummaryGamePlayer):
        yield from _play_batches_on_threads(workers, batches, engine)
    elif workers == 1 or sum(b.count for b in batches) < (_FEW if batches[0].count > 1 else _FEW_THOUGHTFUL):
        for batch in batches:
            yield play_batch_stepwise(batch, engine)
    else:
        yield from play_batches_outside_this_process(batches, workers, None)


def play_batches_outside_this_process(batches: Sequence[Batch], workers: int, dask_client: Any) -> Iterator[Tally]:
    """Yield the tallies of batches of one game in their order, from a cluster, or from processes without a client."""
    if dask_client is None:
        yield from map_in_order_on_spawned_processes(workers, batches, play_batch_with_cached_engine)
    else:
        yield from map_items_on_dask_workers_in_order(
            dask_client, DescribedVariant(batches[0].variant), _play_batch_with_received_variant, batches
        )


def _play_batch_with_received_variant(described: DescribedVariant, batch: Batch) -> Tally:
    return play_batch_with_cached_engine(replace(batch, variant=described.variant))


def _play_batches_on_threads(
    workers: int, batches: Sequence[Batch], engine: Engine | SummaryGamePlayer
) -> Iterator[Tally]:
    """Yield the tallies of batches played in compiled code on threads. Sets a stop flag at the
    end, because threads cannot be interrupted."""
    get_compiled_playout_runner(engine).run_playouts(1, 0)  # made once, before the threads ask for it
    pace = CompiledCallPacer()
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from _map_batches_in_pool_in_order(
                pool, lambda batch: play_checked_batch_compiled_until_stopped(batch, engine, pace), batches
            )
        finally:
            pace.stop.set()


def map_in_order_on_spawned_processes(workers: int, batches: Sequence[_B], work: Callable[[_B], _R]) -> Iterator[_R]:
    """Yield the results of work on batches, done in processes, in their order. Terminates the processes,
    even in the middle of a game, if the caller stops asking."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=prepare_worker_process_of_parent, initargs=(os.getpid(),)
    )
    left, open_, ended = iter(batches), deque[Future[_R]](), False
    task = PortableErrors(work)
    try:
        with ignore_interrupts_while_starting():
            open_.extend(pool.submit(task, batch) for batch in islice(left, _AHEAD * workers))
        while open_:
            yield open_.popleft().result()
            open_.extend(pool.submit(task, batch) for batch in islice(left, 1))
        ended = True
    finally:
        if not ended:
            for process in list((pool._processes or {}).values()):
                process.terminate()  # the pool then gives up what is left
        pool.shutdown(cancel_futures=True)


def _map_batches_in_pool_in_order(
    pool: Executor, work: Callable[[Batch], Tally], batches: Sequence[Batch]
) -> Iterator[Tally]:
    """Yield results in the order of the batches. Cancels batches that have not begun if the
    caller stops asking."""
    open_ = [pool.submit(work, batch) for batch in batches]
    try:
        for future in open_:
            yield future.result()
    finally:
        for future in open_:
            future.cancel()


# -- one game of many -----------------------------------------------------------------------------------------------


def replay(
    variant: Variant,
    bots: Sequence[str],
    run_seed: int,
    game_index: int,
    engine: Engine | None = None,
    longest: int | None = None,
) -> Match:
    """Play game `game_index` of a run again, alone, and carry out each step in the interpreter. An `engine` chooses the
    steps several times as fast as the interpreter, which then only checks that each is legal. `longest` is as in
    `simulate`."""
    from playproof.referee.bots import load_builtin_or_user_bot
    from playproof.referee.engine import Engine, InterpretedEngine
    from playproof.referee.match import Match

    names = list_full_bot_name_of_each_seat_or_raise(bots, variant.game.players)
    game_seed = make_game_seed(run_seed, game_index)
    fast = not set(names) <= set(POLICIES)  # a search in the interpreter would take minutes
    engine = engine or (Engine(variant.game) if fast else InterpretedEngine(variant.game))
    minds, limits = (
        [load_builtin_or_user_bot(name) for name in names],
        make_declared_or_default_limits(variant.game, longest or get_default_step_limit_for_bots(engine, names)),
    )
    _, actions, _ = play_game_to_states_actions_and_choices(engine, minds, Stream(game_seed), limits)
    return Match(variant, game_seed, seats=names).apply_all(actions)

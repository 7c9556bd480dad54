"""Play many games on all cores. Every game has its own seed, made from the run's seed and its
index, so it can be replayed alone.

Random players run in compiled code on threads. So do greedy players if the game declares an
evaluation and hides nothing. Other bots step through the generated Python in several processes or
on a Dask cluster. Every compiled run plays some of its games again in the interpreter and compares
the results.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from playproof.database.worker_process import watch_for
from playproof.language.errors import BoundsError
from playproof.language.parts import CHANCE
from playproof.language.playouts import Player, Playouts
from playproof.language.random import Stream, seed_of
from playproof.referee.game_summary import GameSummary, StoredResults
from playproof.referee.tally import Tally
from playproof.referee.variant import Variant

if TYPE_CHECKING:  # a run of an unchanged game needs neither engines nor bots
    from playproof.language.compiled import Compiled
    from playproof.language.game import Game
    from playproof.referee.bots import Bot
    from playproof.referee.engine import Engine
    from playproof.referee.match import Match
    from playproof.referee.notation import Lexicon

Progress = Callable[[int, int], None]
_B = TypeVar("_B")
_R = TypeVar("_R")
_POLICIES = {"random": 0, "greedy": 1}
_BATCH_COMPILED = 20_000
_BATCH_QUICK = 50  # games of bots that do not search
_PIECE = 250  # games in the first call of compiled code: calls cannot be interrupted
_LONG = 0.2  # seconds that a call should take at most
_FEW, _FEW_THOUGHTFUL = 40, 4  # for so few games, separate processes do not pay
_AHEAD = 4  # batches that wait for each process
_SAMPLED = 64  # games of a compiled run that are played again with the bounds checked


class ReadingsDiffer(RuntimeError):
    """A compiled game did not replay in the interpreter: a fault of Playproof, never of the
    user."""


@dataclass(frozen=True)
class Batch:
    """Games `first` to `first + count - 1` of a run. Can be pickled for other processes."""

    variant: Variant
    bots: tuple[str, ...]
    seed: int
    first: int
    count: int
    check: bool = False
    watch: bool = False


@dataclass
class Result:
    """The outcome of a run."""

    variant: Variant
    bots: tuple[str, ...]
    seed: int
    tally: Tally
    seconds: float
    reading: str
    checked: int = 0
    watched: bool = False
    beyond: int | None = (
        None  # a sampled game in which a value left its bounds; machine code does not check them
    )
    options: dict[str, str] = field(default_factory=dict)
    asked: int = 0  # games that were asked for; a run that is interrupted has fewer

    @property
    def interrupted(self) -> bool:
        """Whether fewer games were played than asked for, although no check ended the run."""
        stopped_by_check = self.watched and self.tally.flawed is not None
        return self.tally.games < self.asked and not stopped_by_check


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
) -> Result:
    """Play `games` games and count what happened.

    `bots` names one bot for all seats, or one per seat. `client` may be a Dask client, whose workers
    must have the same program and game, else the run raises `referee.cluster.OtherWorkers`. With
    `watch`, every invariant is checked after every step, and the run stops soon after the first
    game that breaks one. `tally.flawed` is then its number, and
    `playproof.referee.watched_games.explain` says what broke. Ctrl-C ends the run within a second
    and keeps the games that are done; `tally.games` counts them. Raises BotError for an unknown bot
    or one that cannot play this game.
    """
    names = seated(bots, variant.summary.players)
    engine = _table(variant, names, seed, games, watch)
    compiled = _can_compile(engine, names)
    began = perf_counter()
    workers = max(1, jobs or _width(client))
    batches = list(_batches(Batch(variant, names, seed, 0, games, watch=watch), workers, compiled))
    tally = Tally(variant.summary.players, variant.summary.ground)
    try:
        for part in _run(batches, engine, compiled, workers, client):
            tally.add(part)
            if progress:
                progress(tally.games, games)
            if watch and tally.flawed is not None:
                break
    except KeyboardInterrupt:
        pass  # the games that are done are kept; the result says that fewer were played
    if tally.flawed is not None and not watch:
        replay(
            variant, names, seed, tally.flawed
        )  # raises where the rules break, unless it is just a dead end
    whole = tally.games == games
    beyond = _beyond(variant, engine, names, seed, games) if compiled and not watch and whole else None
    checked = sum(batch.check for batch in batches) if whole else 0
    reading = "compiled" if compiled else "stepwise"
    return Result(
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
    )


def _width(client: Any) -> int:
    """Return how many games can be played at once, on the cluster or on this machine."""
    if client is not None and hasattr(client, "nthreads"):
        return sum(client.nthreads().values()) or 1
    return os.cpu_count() or 1


@dataclass(frozen=True)
class SummaryPlayer:
    """A player of random games that needs only a game's summary, not the game itself."""

    game: GameSummary
    compiled: Player
    stored: StoredResults


def _table(
    variant: Variant, names: Sequence[str], seed: int, games: int, watch: bool
) -> Engine | SummaryPlayer:
    """Return what plays the run: `SummaryPlayer` for unwatched random games of a compiled game, else an
    engine."""
    if variant.summary.source and set(names) == {"random"} and not watch:
        return SummaryPlayer(
            variant.summary, variant.summary.player, StoredResults(variant.summary, names, seed, games)
        )
    return make_engine(variant.game, watch)


def _beyond(
    variant: Variant, engine: Engine | SummaryPlayer, names: Sequence[str], seed: int, games: int
) -> int | None:
    """Return `beyond_bounds` of a run, from disk if it is known there."""
    if not isinstance(engine, SummaryPlayer):
        return beyond_bounds(variant.game, names, seed, games)
    if "beyond" not in engine.stored:
        engine.stored["beyond"] = beyond_bounds(variant.game, names, seed, games)
    engine.stored.keep()
    beyond: int | None = engine.stored["beyond"]
    return beyond


def beyond_bounds(game: Game, names: Sequence[str], seed: int, games: int) -> int | None:
    """Return the number of a game in which a value leaves its bounds, or None.

    Plays a sample of the run, evenly spread, and returns the first such game of the sample.
    """
    from playproof.language.compiled import Compiled

    plain, policies = Compiled(game, machine=False), [_POLICIES[name] for name in names]
    for number in range(0, games, -(-games // _SAMPLED)):
        try:
            plain.playouts(1, seed, first=number, policies=policies, count=False)
        except BoundsError:
            return number
    return None


def make_engine(game: Game, watch: bool) -> Engine:
    """Return the engine for a run, watched or not."""
    from playproof.referee.engine import Engine, Watched

    return Watched(game) if watch else Engine(game)


def seated(bots: Sequence[str], seats: int) -> tuple[str, ...]:
    """Return a bot's name for each seat, from which the bot can be made again. Raises BotError
    if a name is unknown or their number is wrong."""
    named = tuple(name if name in _POLICIES else _bot_name(name) for name in bots)
    if len(named) == 1:
        return named * seats
    if len(named) != seats:
        from playproof.referee.bots import BotError

        raise BotError(f"{seats} seats need one bot for all or {seats} bots, found {len(named)}")
    return named


def _bot_name(name: str) -> str:
    from playproof.referee.bots import load_bot

    return load_bot(name).name


def _can_compile(engine: Engine | SummaryPlayer, names: Sequence[str]) -> bool:
    if isinstance(engine, SummaryPlayer):
        return True
    if not set(names) <= set(_POLICIES):
        return False
    return "greedy" not in names or (engine.evaluates and not engine.secrets)


def _batches(run: Batch, workers: int, compiled: bool) -> Iterator[Batch]:
    """Yield a run in batches for workers."""
    fair = -(-run.count // (4 * workers))  # four pieces per worker, so that a slow one delays little
    if compiled:
        size = min(_BATCH_COMPILED, max(fair, 1000))
    elif set(run.bots) <= set(_POLICIES):
        size = max(1, min(fair, _BATCH_QUICK))
    else:
        size = 1  # a game of a bot that searches takes long enough
    for first in range(0, run.count, size):
        ends = compiled and (first == 0 or first + size >= run.count)
        yield replace(run, first=first, count=min(size, run.count - first), check=ends)


def _run(
    batches: Sequence[Batch], engine: Engine | SummaryPlayer, compiled: bool, workers: int, client: Any
) -> Iterator[Tally]:
    if client is not None:
        from playproof.referee.cluster import on_cluster

        yield from on_cluster(client, batches)
    elif compiled or isinstance(engine, SummaryPlayer):
        yield from _on_threads(workers, batches, engine)
    elif workers == 1 or sum(b.count for b in batches) < (_FEW if batches[0].count > 1 else _FEW_THOUGHTFUL):
        for batch in batches:
            yield play_stepwise(batch, engine)
    else:
        yield from on_processes(workers, batches, play_batch)


def _on_threads(workers: int, batches: Sequence[Batch], engine: Engine | SummaryPlayer) -> Iterator[Tally]:
    """Yield the tallies of batches played in compiled code on threads. Sets a stop flag at the
    end, because threads cannot be interrupted."""
    _reading(engine).playouts(1, 0)  # made once, before the threads ask for it
    pace = Pace()
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from _pooled(pool, lambda batch: play_compiled(batch, engine, pace), batches)
        finally:
            pace.stop.set()


def on_processes(workers: int, batches: Sequence[_B], work: Callable[[_B], _R]) -> Iterator[_R]:
    """Yield the results of work on batches, done in processes, in their order. Terminates the processes,
    even in the middle of a game, if the caller stops asking."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=_begin, initargs=(os.getpid(),)
    )
    left, open_, ended = iter(batches), deque[Future[_R]](), False
    try:
        open_.extend(pool.submit(work, batch) for batch in islice(left, _AHEAD * workers))
        while open_:
            yield open_.popleft().result()
            open_.extend(pool.submit(work, batch) for batch in islice(left, 1))
        ended = True
    finally:
        if not ended:
            for process in list((pool._processes or {}).values()):
                process.terminate()  # the pool then gives up what is left
        pool.shutdown(cancel_futures=True)


def _begin(parent: int) -> None:
    """Prepare a worker: ignore Ctrl-C, which the parent handles, and end with the parent if it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    watch_for(parent)


def _pooled(pool: Executor, work: Callable[[Batch], Tally], batches: Sequence[Batch]) -> Iterator[Tally]:
    """Yield results in the order of the batches. Cancels batches that have not begun if the
    caller stops asking."""
    open_ = [pool.submit(work, batch) for batch in batches]
    try:
        for future in open_:
            yield future.result()
    finally:
        for future in open_:
            future.cancel()


def _reading(engine: Engine | SummaryPlayer) -> Compiled | Player:
    """Return the compiled reading that plays the batches: the watched one of a watched engine."""
    return getattr(engine, "watched", None) or engine.compiled


# -- one batch ------------------------------------------------------------------------------------------------------

_engines: dict[str, Engine] = {}


def engine_key(batch: Batch) -> str:
    """Return a text that is equal for batches that one engine plays."""
    return repr(
        (
            batch.variant.ref,
            sorted(batch.variant.options.items()),
            sorted(batch.variant.rulings.items()),
            batch.watch,
        )
    )


def play_batch(batch: Batch) -> Tally:
    """Play one batch in this process, which keeps its engine for the next one."""
    key = engine_key(batch)
    if key not in _engines:
        _engines[key] = make_engine(batch.variant.game, batch.watch)
    engine = _engines[key]
    return play_compiled(batch, engine) if _can_compile(engine, batch.bots) else play_stepwise(batch, engine)


@dataclass
class Pace:
    """How many games one call of compiled code plays, and whether the run must stop. A running
    call cannot be interrupted."""

    games: int = _PIECE
    stop: threading.Event = field(default_factory=threading.Event)

    def took(self, games: int, seconds: float) -> None:
        """Adapt the number of games per call to the time that a call took."""
        if seconds > _LONG:
            self.games = max(1, games // 2)
        elif games >= self.games:
            self.games = 2 * games


def play_compiled(batch: Batch, engine: Engine | SummaryPlayer, pace: Pace | None = None) -> Tally:
    """Play the batch in compiled code, or a part of it if told to stop.

    If the batch asks for a check, compare its first game with the interpreter, or with the
    interpreter's stored result for the same run of the same game.
    """
    reading, policies = _reading(engine), [_POLICIES[name] for name in batch.bots]
    tally, pace = Tally(engine.game.players, engine.game.ground), pace or Pace()
    while tally.games < batch.count and not pace.stop.is_set():
        first, began = batch.first + tally.games, perf_counter()
        count = min(pace.games, batch.count - tally.games)
        played = reading.playouts(count, batch.seed, first=first, policies=policies)
        part = Tally.of(engine.game, played, first)
        if batch.check and first == batch.first and part.flawed is None:
            stored = engine.stored if isinstance(engine, SummaryPlayer) else None
            _check(batch, played, stored)
        tally.add(part)
        pace.took(count, perf_counter() - began)
    return tally


def _check(batch: Batch, played: Playouts, stored: StoredResults | None) -> None:
    game = str(batch.first)
    if stored is not None and game in stored:
        expected = stored[game]
    else:
        expected = _interpreted(batch)
        if stored is not None:
            stored[game] = expected
    played_out = [int(played.endings[0]), int(played.decisions[0]), played.returns[0].tolist()]
    if expected != played_out:
        raise ReadingsDiffer(
            f"game {batch.first} of seed {batch.seed}: the interpreter gives {expected}, "
            f"compiled code {played_out} (ending, decisions, returns)"
        )


def _interpreted(batch: Batch) -> list[Any]:
    """Return the interpreter's result for the first game of a batch: ending, decisions, returns."""
    from playproof.referee.bots import make_bot
    from playproof.referee.engine import Reference

    engine = Reference(batch.variant.game)
    minds = [make_bot(name) for name in batch.bots]
    states, _, choices = play_steps(engine, minds, Stream(seed_of(batch.seed, batch.first)))
    return [states[-1][1], len(choices), engine.returns(states[-1])]


def play_stepwise(batch: Batch, engine: Engine) -> Tally:
    """Play the batch step by step on the generated Python, with any bots."""
    seats = batch.variant.game.players
    rows = [np.zeros(batch.count, dtype=np.int64) for _ in range(3)]
    returns = np.zeros((batch.count, seats), dtype=np.int64)
    taken = np.zeros(batch.variant.game.ground, dtype=np.int64)
    worth = np.zeros(batch.variant.game.ground, dtype=np.int64)
    starters = np.full(batch.count, -1, dtype=np.int64)
    minds = [_mind(name) for name in batch.bots]
    for row in range(batch.count):
        states, _, choices = play_steps(engine, minds, Stream(seed_of(batch.seed, batch.first + row)))
        final = states[-1]
        rows[0][row], rows[1][row], rows[2][row] = final[1], len(choices), engine.round(final)
        returns[row] = engine.returns(final)
        starters[row] = choices[0][0] if choices else -1
        for seat, ident in choices:
            taken[ident] += 1
            worth[ident] += returns[row, seat]
    return Tally.of(
        engine.game, Playouts(rows[0], rows[1], rows[2], returns, starters, taken, worth), batch.first
    )


@lru_cache(maxsize=32)
def _mind(name: str) -> Bot:
    """Return a bot that is kept from batch to batch, so that it keeps what it computed about a
    game."""
    from playproof.referee.bots import load_bot

    return load_bot(name)


def play_steps(
    engine: Engine, minds: Sequence[Bot], stream: Stream
) -> tuple[list[list[int]], list[int], list[tuple[int, int]]]:
    """Play one game. Returns its states, all actions, and (seat, action) of the players' own."""
    states, actions = [engine.start()], list[int]()
    choices: list[tuple[int, int]] = []
    while not states[-1][1]:
        legal, weights = engine.weighted(states[-1])
        if not legal:
            break
        actor = engine.actor(states[-1])
        if actor == CHANCE:
            ident = legal[stream.weighted(weights)]
        else:
            ident = chosen(minds[actor], engine.imagined, states, actions, actor, stream)
            choices.append((actor, ident))
        states.append(engine.apply(states[-1], ident))
        actions.append(ident)
    return states, actions, choices


def chosen(
    mind: Bot,
    engine: Engine,
    states: Sequence[Sequence[int]],
    actions: Sequence[int],
    seat: int,
    stream: Stream,
) -> int:
    """Return the bot's choice. Raises BotError if it is not legal."""
    from playproof.referee.bots import BotError, sight_for

    sight = sight_for(mind, engine, states, actions, seat)
    ident = mind.choose(sight, stream)
    if ident not in sight.legal:
        offered = ", ".join(f"{i} ({engine.game.show(i)})" for i in sight.legal[:5])
        more = " and more" if len(sight.legal) > 5 else ""
        raise BotError(
            f"the bot `{mind.name}` chose {ident!r}, which is not legal; it was offered {offered}{more}"
        )
    return ident


# -- one game of many -----------------------------------------------------------------------------------------------


def replay(
    variant: Variant, bots: Sequence[str], seed: int, index: int, lexicon: Lexicon | None = None
) -> Match:
    """Play game `index` of a run again, alone, and carry out each step in the interpreter."""
    from playproof.referee.bots import load_bot
    from playproof.referee.engine import Engine, Reference
    from playproof.referee.match import Match

    names = seated(bots, variant.game.players)
    game_seed = seed_of(seed, index)
    fast = not set(names) <= set(_POLICIES)  # a search in the interpreter would take minutes
    engine = Engine(variant.game) if fast else Reference(variant.game)
    _, actions, _ = play_steps(engine, [load_bot(name) for name in names], Stream(game_seed))
    return Match(variant, game_seed, seats=names, lexicon=lexicon).follow(actions)

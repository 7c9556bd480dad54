"""Plays a batch of a run's games, in compiled code or step by step, in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.language.machine.players import STOPPED, Limits
from playproof.language.parts import CHANCE
from playproof.language.playouts import LONGEST_GAME, Player, Playouts, limits_of
from playproof.language.random import Stream, seed_of
from playproof.referee.game_summary import GameSummary, StoredResults
from playproof.referee.tally import Tally
from playproof.referee.variant import Variant

if TYPE_CHECKING:  # a run of an unchanged game needs neither engines nor bots
    from playproof.language.compiled import Compiled
    from playproof.language.game import Game
    from playproof.referee.bots import Bot
    from playproof.referee.engine import Engine

POLICIES = {"random": 0, "greedy": 1}
_PIECE = 250  # games in the first call of compiled code: calls cannot be interrupted
_LONG = 0.2  # seconds that a call should take at most


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
    longest: int = LONGEST_GAME

    @property
    def limits(self) -> Limits:
        """How long its games may last."""
        summary = self.variant.summary
        return limits_of(summary.ends_within, summary.steps_within, self.longest)


@dataclass(frozen=True)
class SummaryPlayer:
    """A player of random games that needs only a game's summary, not the game itself."""

    game: GameSummary
    compiled: Player
    stored: StoredResults


def make_engine(game: Game, watch: bool) -> Engine:
    """Return the engine for a run, watched or not."""
    from playproof.referee.engine import Engine, WatchedEngine

    return WatchedEngine(game) if watch else Engine(game)


def can_compile(engine: Engine | SummaryPlayer, names: Sequence[str]) -> bool:
    """Return whether compiled code plays these bots."""
    if isinstance(engine, SummaryPlayer):
        return True
    if not set(names) <= set(POLICIES):
        return False
    return "greedy" not in names or (engine.evaluates and engine.imagines)


def compiled_reading(engine: Engine | SummaryPlayer) -> Compiled | Player:
    """Return the compiled reading that plays the batches: the watched one of a watched engine."""
    return getattr(engine, "watched", None) or engine.compiled


_engines: dict[str, Engine] = {}


def engine_key(batch: Batch) -> str:
    """Return a text that is equal for batches that one engine plays."""
    variant = batch.variant
    choices = sorted(variant.options.items()), sorted(variant.rulings.items())
    return repr((variant.ref, choices, variant.file, variant.own_cards and variant.digest, batch.watch))


def play_batch(batch: Batch) -> Tally:
    """Play one batch in this process, which keeps its engine for the next one."""
    key = engine_key(batch)
    if key not in _engines:
        _engines[key] = make_engine(batch.variant.game, batch.watch)
    engine = _engines[key]
    return play_compiled(batch, engine) if can_compile(engine, batch.bots) else play_stepwise(batch, engine)


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
    reading, policies = compiled_reading(engine), [POLICIES[name] for name in batch.bots]
    tally, pace = Tally(engine.game.players, engine.game.ground), pace or Pace()
    while tally.games < batch.count and not pace.stop.is_set():
        first, began = batch.first + tally.games, perf_counter()
        count = min(pace.games, batch.count - tally.games)
        played = reading.playouts(count, batch.seed, first=first, policies=policies, limits=batch.limits)
        part = Tally.of(engine.game, played, first)
        if batch.check and first == batch.first and part.flawed is None and not part.stopped:
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
    stream = Stream(seed_of(batch.seed, batch.first))
    states, _, choices = play_steps(engine, minds, stream, batch.limits)
    return [states[-1][1], len(choices), engine.returns(states[-1])]


def play_stepwise(batch: Batch, engine: Engine) -> Tally:
    """Play the batch step by step on the generated Python, with any bots."""
    return Tally.of(engine.game, stepwise(batch, engine), batch.first)


def stepwise(batch: Batch, engine: Engine) -> Playouts:
    """Return the games of a batch, played step by step."""
    seats = batch.variant.game.players
    rows = [np.zeros(batch.count, dtype=np.int64) for _ in range(3)]
    returns = np.zeros((batch.count, seats), dtype=np.int64)
    taken = np.zeros(batch.variant.game.ground, dtype=np.int64)
    worth = np.zeros(batch.variant.game.ground, dtype=np.int64)
    starters = np.full(batch.count, -1, dtype=np.int64)
    minds = [_mind(name) for name in batch.bots]
    for row in range(batch.count):
        stream = Stream(seed_of(batch.seed, batch.first + row))
        states, actions, choices = play_steps(engine, minds, stream, batch.limits)
        final = states[-1]
        if reaches_limit(final, len(actions), len(choices), batch.limits):
            rows[0][row], rows[1][row], rows[2][row] = STOPPED, len(choices), engine.round(final)
            starters[row] = choices[0][0] if choices else -1
            continue
        rows[0][row], rows[1][row], rows[2][row] = final[1], len(choices), engine.round(final)
        returns[row] = engine.returns(final)
        starters[row] = choices[0][0] if choices else -1
        for seat, ident in choices:
            taken[ident] += 1
            worth[ident] += returns[row, seat]
    return Playouts(rows[0], rows[1], rows[2], returns, starters, taken, worth)


@lru_cache(maxsize=32)
def _mind(name: str) -> Bot:
    """Return a bot that is kept from batch to batch, so that it keeps what it computed about a
    game."""
    from playproof.referee.bots import load_bot

    return load_bot(name)


def game_limits(game: Game, longest: int = LONGEST_GAME) -> Limits:
    """Return the limits of a game's runs: what its rules declare, else `longest` steps."""
    return limits_of(game.facts.get("ends_within"), game.facts.get("steps_within"), longest)


def reaches_limit(state: Sequence[int], steps: int, decisions: int, limits: Limits) -> bool:
    """Return whether a game that came so far is stopped."""
    return decisions > limits.decisions or (not state[1] and steps >= limits.steps)


def play_steps(
    engine: Engine, minds: Sequence[Bot], stream: Stream, limits: Limits | None = None
) -> tuple[list[list[int]], list[int], list[tuple[int, int]]]:
    """Play one game, up to its limits (default: those of `limits_of`). Returns its states, all actions, and (seat,
    action) of the players' own."""
    limits = limits or game_limits(engine.game)
    states, actions = [engine.start()], list[int]()
    choices: list[tuple[int, int]] = []
    while not states[-1][1] and not reaches_limit(states[-1], len(actions), len(choices), limits):
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

"""Plays a batch of a run's games, in compiled code or step by step, in this process."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from playproof.language.machine.players import STOPPED, GameLimits
from playproof.language.parts import CHANCE
from playproof.language.playouts import LONGEST_GAME, PlayoutResults, PlayoutRunner, make_limits
from playproof.language.random import Stream, make_game_seed
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
    def limits(self) -> GameLimits:
        """How long its games may last."""
        summary = self.variant.summary
        return make_limits(summary.ends_within, summary.steps_within, self.longest)


@dataclass(frozen=True)
class SummaryGamePlayer:
    """A player of random games that needs only a game's summary, not the game itself."""

    game: GameSummary
    compiled: PlayoutRunner
    stored: StoredResults


def make_engine(game: Game, watch: bool) -> Engine:
    """Return the engine for a run, watched or not."""
    from playproof.referee.engine import Engine, WatchedEngine

    return WatchedEngine(game) if watch else Engine(game)


def can_play_compiled(engine: Engine | SummaryGamePlayer, names: Sequence[str]) -> bool:
    """Return whether compiled code plays these bots."""
    if isinstance(engine, SummaryGamePlayer):
        return True
    if not set(names) <= set(POLICIES):
        return False
    return "greedy" not in names or (engine.evaluates and engine.can_imagine_worlds)


def get_compiled_reading(engine: Engine | SummaryGamePlayer) -> Compiled | PlayoutRunner:
    """Return the compiled reading that plays the batches: the watched one of a watched engine."""
    return getattr(engine, "watched", None) or engine.compiled


_engines: dict[str, Engine] = {}


def make_engine_cache_key(batch: Batch) -> str:
    """Return a text that is equal for batches that one engine plays."""
    variant = batch.variant
    choices = sorted(variant.options.items()), sorted(variant.rulings.items())
    return repr((variant.ref, choices, variant.file, variant.own_cards and variant.digest, batch.watch))


def play_batch(batch: Batch) -> Tally:
    """Play one batch in this process, which keeps its engine for the next one."""
    key = make_engine_cache_key(batch)
    if key not in _engines:
        _engines[key] = make_engine(batch.variant.game, batch.watch)
    engine = _engines[key]
    return (
        play_batch_compiled(batch, engine)
        if can_play_compiled(engine, batch.bots)
        else play_batch_stepwise(batch, engine)
    )


@dataclass
class CompiledCallPacer:
    """How many games one call of compiled code plays, and whether the run must stop. A running
    call cannot be interrupted."""

    games: int = _PIECE
    stop: threading.Event = field(default_factory=threading.Event)

    def adapt_to_call_time(self, games: int, seconds: float) -> None:
        """Adapt the number of games per call to the time that a call took."""
        if seconds > _LONG:
            self.games = max(1, games // 2)
        elif games >= self.games:
            self.games = 2 * games


def play_batch_compiled(
    batch: Batch, engine: Engine | SummaryGamePlayer, pacer: CompiledCallPacer | None = None
) -> Tally:
    """Play the batch in compiled code, or a part of it if told to stop.

    If the batch asks for a check, compare its first game with the interpreter, or with the
    interpreter's stored result for the same run of the same game.
    """
    reading, policies = get_compiled_reading(engine), [POLICIES[name] for name in batch.bots]
    tally, pacer = Tally(engine.game.players, engine.game.ground), pacer or CompiledCallPacer()
    while tally.games < batch.count and not pacer.stop.is_set():
        first, began = batch.first + tally.games, perf_counter()
        count = min(pacer.games, batch.count - tally.games)
        played = reading.run_playouts(count, batch.seed, first=first, policies=policies, limits=batch.limits)
        part = Tally.from_playouts(engine.game, played, first)
        if batch.check and first == batch.first and part.flawed is None and not part.stopped:
            stored = engine.stored if isinstance(engine, SummaryGamePlayer) else None
            _compare_with_interpreter(batch, played, stored)
        tally.add(part)
        pacer.adapt_to_call_time(count, perf_counter() - began)
    return tally


def _compare_with_interpreter(batch: Batch, playouts: PlayoutResults, stored: StoredResults | None) -> None:
    game = str(batch.first)
    if stored is not None and game in stored:
        expected = stored[game]
    else:
        expected = _play_first_game_interpreted(batch)
        if stored is not None:
            stored[game] = expected
    played_out = [int(playouts.endings[0]), int(playouts.decisions[0]), playouts.returns[0].tolist()]
    if expected != played_out:
        raise ReadingsDiffer(
            f"game {batch.first} of seed {batch.seed}: the interpreter gives {expected}, "
            f"compiled code {played_out} (ending, decisions, returns)"
        )


def _play_first_game_interpreted(batch: Batch) -> list[Any]:
    """Return the interpreter's result for the first game of a batch: ending, decisions, returns."""
    from playproof.referee.bots import make_bot
    from playproof.referee.engine import InterpretedEngine

    engine = InterpretedEngine(batch.variant.game)
    minds = [make_bot(name) for name in batch.bots]
    stream = Stream(make_game_seed(batch.seed, batch.first))
    states, _, choices = play_one_game(engine, minds, stream, batch.limits)
    return [states[-1][1], len(choices), engine.returns(states[-1])]


def play_batch_stepwise(batch: Batch, engine: Engine) -> Tally:
    """Play the batch step by step on the generated Python, with any bots."""
    return Tally.from_playouts(engine.game, play_games_stepwise(batch, engine), batch.first)


def play_games_stepwise(batch: Batch, engine: Engine) -> PlayoutResults:
    """Return the games of a batch, played step by step."""
    seats = batch.variant.game.players
    rows = [np.zeros(batch.count, dtype=np.int64) for _ in range(3)]
    returns = np.zeros((batch.count, seats), dtype=np.int64)
    taken = np.zeros(batch.variant.game.ground, dtype=np.int64)
    worth = np.zeros(batch.variant.game.ground, dtype=np.int64)
    starters = np.full(batch.count, -1, dtype=np.int64)
    minds = [_load_cached_bot(name) for name in batch.bots]
    for row in range(batch.count):
        stream = Stream(make_game_seed(batch.seed, batch.first + row))
        states, actions, choices = play_one_game(engine, minds, stream, batch.limits)
        final = states[-1]
        if has_reached_limit(final, len(actions), len(choices), batch.limits):
            rows[0][row], rows[1][row], rows[2][row] = STOPPED, len(choices), engine.get_round_number(final)
            starters[row] = choices[0][0] if choices else -1
            continue
        rows[0][row], rows[1][row], rows[2][row] = final[1], len(choices), engine.get_round_number(final)
        returns[row] = engine.returns(final)
        starters[row] = choices[0][0] if choices else -1
        for seat, ident in choices:
            taken[ident] += 1
            worth[ident] += returns[row, seat]
    return PlayoutResults(rows[0], rows[1], rows[2], returns, starters, taken, worth)


@lru_cache(maxsize=32)
def _load_cached_bot(name: str) -> Bot:
    """Return a bot that is kept from batch to batch, so that it keeps what it computed about a
    game."""
    from playproof.referee.bots import load_bot

    return load_bot(name)


def get_game_limits(game: Game, longest: int = LONGEST_GAME) -> GameLimits:
    """Return the limits of a game's runs: what its rules declare, else `longest` steps."""
    return make_limits(game.facts.get("ends_within"), game.facts.get("steps_within"), longest)


def has_reached_limit(state: Sequence[int], steps: int, decisions: int, limits: GameLimits) -> bool:
    """Return whether a game that came so far is stopped."""
    return decisions > limits.decisions or (not state[1] and steps >= limits.steps)


def play_one_game(
    engine: Engine, bots: Sequence[Bot], stream: Stream, limits: GameLimits | None = None
) -> tuple[list[list[int]], list[int], list[tuple[int, int]]]:
    """Play one game, up to its limits (default: those of `make_limits`). Returns its states, all actions, and (seat,
    action) of the players' own."""
    limits = limits or get_game_limits(engine.game)
    states, actions = [engine.start()], list[int]()
    choices: list[tuple[int, int]] = []
    while not states[-1][1] and not has_reached_limit(states[-1], len(actions), len(choices), limits):
        legal, weights = engine.list_weighted_actions(states[-1])
        if not legal:
            break
        actor = engine.actor(states[-1])
        if actor == CHANCE:
            ident = legal[stream.draw_weighted_index(weights)]
        else:
            ident = ask_bot_for_action(bots[actor], engine.engine_for_bots, states, actions, actor, stream)
            choices.append((actor, ident))
        states.append(engine.apply(states[-1], ident))
        actions.append(ident)
    return states, actions, choices


def ask_bot_for_action(
    bot: Bot,
    engine: Engine,
    states: Sequence[Sequence[int]],
    actions: Sequence[int],
    seat: int,
    stream: Stream,
) -> int:
    """Return the bot's choice. Raises BotError if it is not legal."""
    from playproof.referee.bots import BotError, make_sight_for_bot

    sight = make_sight_for_bot(bot, engine, states, actions, seat)
    ident = bot.choose(sight, stream)
    if ident not in sight.legal:
        offered = ", ".join(f"{i} ({engine.game.show(i)})" for i in sight.legal[:5])
        more = " and more" if len(sight.legal) > 5 else ""
        raise BotError(
            f"the bot `{bot.name}` chose {ident!r}, which is not legal; it was offered {offered}{more}"
        )
    return ident

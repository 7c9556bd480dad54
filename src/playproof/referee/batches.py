"""Plays a batch of a run's games, in compiled code or step by step, and adds their results up:
endings, lengths, returns, and counts of every action."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import sqrt
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from playproof.language.machine.players import STOPPED, GameLimits
from playproof.language.parts import CHANCE
from playproof.language.playouts import (
    LONGEST_GAME,
    LONGEST_THOUGHTFUL_GAME,
    IntArray,
    PlayoutResults,
    PlayoutRunner,
    make_game_limits,
)
from playproof.language.random import Stream, make_game_seed
from playproof.referee.variant import GameSummary, StoredResults, Variant

if TYPE_CHECKING:
    from playproof.language.compiled import Compiled
    from playproof.language.game import Ending, Game
    from playproof.referee.bots import Bot
    from playproof.referee.engine import Engine
    from playproof.referee.variant import EndingSummary


# Plays a batch of a run's games, in compiled code or step by step, in this process.

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
        return make_game_limits(summary.ends_within, summary.steps_within, self.longest)


@dataclass(frozen=True)
class SummaryGamePlayer:
    """A player of random games that needs only a game's summary, not the game itself."""

    game: GameSummary
    compiled: PlayoutRunner
    stored: StoredResults


def make_engine_with_checks_if_watched(game: Game, watch: bool) -> Engine:
    """Return the engine for a run, watched or not."""
    from playproof.referee.engine import Engine, WatchedEngine

    return WatchedEngine(game) if watch else Engine(game)


def can_compiled_code_play_bots(engine: Engine | SummaryGamePlayer, bot_names: Sequence[str]) -> bool:
    """Return whether compiled code plays these bots."""
    if isinstance(engine, SummaryGamePlayer):
        return True
    if not set(bot_names) <= set(POLICIES):
        return False
    return "greedy" not in bot_names or (engine.evaluates and engine.can_imagine_worlds)


def get_default_step_limit_for_bots(engine: Engine | SummaryGamePlayer, bot_names: Sequence[str]) -> int:
    """Return after how many steps a game between these bots is stopped if neither its rules nor the user say it."""
    return LONGEST_GAME if can_compiled_code_play_bots(engine, bot_names) else LONGEST_THOUGHTFUL_GAME


def get_compiled_playout_runner(engine: Engine | SummaryGamePlayer) -> Compiled | PlayoutRunner:
    """Return the compiled reading that plays the batches: the watched one of a watched engine."""
    return getattr(engine, "watched", None) or engine.compiled


_engines: dict[str, Engine] = {}


def make_engine_cache_key_of_batch(batch: Batch) -> str:
    """Return a text that is equal for batches that one engine plays."""
    variant = batch.variant
    choices = sorted(variant.options.items()), sorted(variant.rulings.items())
    return repr((variant.ref, choices, variant.file, variant.own_cards and variant.digest, batch.watch))


def play_batch_with_cached_engine(batch: Batch) -> Tally:
    """Play one batch in this process, which keeps its engine for the next one."""
    key = make_engine_cache_key_of_batch(batch)
    if key not in _engines:
        _engines[key] = make_engine_with_checks_if_watched(batch.variant.game, batch.watch)
    engine = _engines[key]
    return (
        play_checked_batch_compiled_until_stopped(batch, engine)
        if can_compiled_code_play_bots(engine, batch.bots)
        else play_batch_stepwise(batch, engine)
    )


@dataclass
class CompiledCallPacer:
    """How many games one call of compiled code plays, and whether the run must stop. A running
    call cannot be interrupted."""

    games: int = _PIECE
    stop: threading.Event = field(default_factory=threading.Event)

    def adapt_games_per_call_to_time(self, games: int, seconds: float) -> None:
        """Adapt the number of games per call to the time that a call took."""
        if seconds > _LONG:
            self.games = max(1, games // 2)
        elif games >= self.games:
            self.games = 2 * games


def play_checked_batch_compiled_until_stopped(
    batch: Batch, engine: Engine | SummaryGamePlayer, pacer: CompiledCallPacer | None = None
) -> Tally:
    """Play the batch in compiled code, or a part of it if told to stop.

    If the batch asks for a check, compare its first game with the interpreter, or with the
    interpreter's stored result for the same run of the same game.
    """
    reading, policies = get_compiled_playout_runner(engine), [POLICIES[name] for name in batch.bots]
    tally, pacer = Tally(engine.game.players, engine.game.ground), pacer or CompiledCallPacer()
    while tally.games < batch.count and not pacer.stop.is_set():
        first, began = batch.first + tally.games, perf_counter()
        count = min(pacer.games, batch.count - tally.games)
        played = reading.run_playouts(count, batch.seed, first_game=first, policies=policies, limits=batch.limits)
        part = Tally.from_playout_results(engine.game, played, first)
        if batch.check and first == batch.first and part.flawed is None and not part.stopped:
            stored = engine.stored if isinstance(engine, SummaryGamePlayer) else None
            _raise_if_first_game_differs(batch, played, _get_stored_or_play_first_game(batch, stored))
        tally.add_in_place(part)
        pacer.adapt_games_per_call_to_time(count, perf_counter() - began)
    return tally


def _raise_if_first_game_differs(batch: Batch, playouts: PlayoutResults, expected: _EndingDecisionsReturns) -> None:
    played_out = [int(playouts.endings[0]), int(playouts.decisions[0]), playouts.returns[0].tolist()]
    if expected != played_out:
        raise ReadingsDiffer(
            f"game {batch.first} of seed {batch.seed}: the interpreter gives {expected}, "
            f"compiled code {played_out} (ending, decisions, returns)"
        )


_EndingDecisionsReturns = list[Any]
"""The number of the ending, the number of decisions, and the return of each seat."""


def _get_stored_or_play_first_game(batch: Batch, stored: StoredResults | None) -> _EndingDecisionsReturns:
    """Return the interpreter's result for the first game of a batch; add it to `stored` if it is not there."""
    if stored is None:
        return _play_first_game_with_interpreter(batch)
    game = str(batch.first)
    if game not in stored:
        stored[game] = _play_first_game_with_interpreter(batch)
    result: _EndingDecisionsReturns = stored[game]
    return result


def _play_first_game_with_interpreter(batch: Batch) -> _EndingDecisionsReturns:
    """Return the interpreter's result for the first game of a batch: ending, decisions, returns."""
    from playproof.referee.bots import make_bot
    from playproof.referee.engine import InterpretedEngine

    engine = InterpretedEngine(batch.variant.game)
    minds = [make_bot(name) for name in batch.bots]
    stream = Stream(make_game_seed(batch.seed, batch.first))
    states, _, choices = play_game_to_states_actions_and_choices(engine, minds, stream, batch.limits)
    return [states[-1][1], len(choices), engine.returns(states[-1])]


def play_batch_stepwise(batch: Batch, engine: Engine) -> Tally:
    """Play the batch step by step on the generated Python, with any bots."""
    return Tally.from_playout_results(engine.game, play_games_stepwise(batch, engine), batch.first)


def play_games_stepwise(batch: Batch, engine: Engine) -> PlayoutResults:
    """Return the games of a batch, played step by step."""
    seats = batch.variant.game.players
    rows = [np.zeros(batch.count, dtype=np.int64) for _ in range(3)]
    returns = np.zeros((batch.count, seats), dtype=np.int64)
    taken = np.zeros(batch.variant.game.ground, dtype=np.int64)
    worth = np.zeros(batch.variant.game.ground, dtype=np.int64)
    starters = np.full(batch.count, -1, dtype=np.int64)
    minds = [_get_cached_bot(name) for name in batch.bots]
    for row in range(batch.count):
        stream = Stream(make_game_seed(batch.seed, batch.first + row))
        states, actions, choices = play_game_to_states_actions_and_choices(engine, minds, stream, batch.limits)
        final = states[-1]
        if has_reached_limit(final, len(actions), len(choices), batch.limits):
            rows[0][row], rows[1][row], rows[2][row] = (STOPPED, len(choices), engine.get_round_number_or_zero(final))
            starters[row] = choices[0][0] if choices else -1
            continue
        rows[0][row], rows[1][row], rows[2][row] = (final[1], len(choices), engine.get_round_number_or_zero(final))
        returns[row] = engine.returns(final)
        starters[row] = choices[0][0] if choices else -1
        for seat, ident in choices:
            taken[ident] += 1
            worth[ident] += returns[row, seat]
    return PlayoutResults(rows[0], rows[1], rows[2], returns, starters, taken, worth)


@lru_cache(maxsize=32)
def _get_cached_bot(bot_name: str) -> Bot:
    """Return a bot that is kept from batch to batch, so that it keeps what it computed about a
    game."""
    from playproof.referee.bots import load_builtin_or_user_bot

    return load_builtin_or_user_bot(bot_name)


def make_declared_or_default_limits(game: Game, default_steps: int = LONGEST_GAME) -> GameLimits:
    """Return the limits of a game's runs: what its rules declare, else `default_steps` steps."""
    return make_game_limits(game.facts.get("ends_within"), game.facts.get("steps_within"), default_steps)


def has_reached_limit(state: Sequence[int], steps: int, decisions: int, limits: GameLimits) -> bool:
    """Return whether a game that came so far is stopped."""
    return decisions > limits.decisions or (not state[1] and steps >= limits.steps)


def play_game_to_states_actions_and_choices(
    engine: Engine, bots: Sequence[Bot], stream: Stream, limits: GameLimits | None = None
) -> tuple[list[list[int]], list[int], list[tuple[int, int]]]:
    """Play one game, up to its limits (default: those of `make_declared_or_default_limits`). Returns its
    states, all actions, and (seat, action) of the players' own."""
    limits = limits or make_declared_or_default_limits(engine.game)
    states, actions = [engine.start()], list[int]()
    choices: list[tuple[int, int]] = []
    while not states[-1][1] and not has_reached_limit(states[-1], len(actions), len(choices), limits):
        legal, weights = engine.list_legal_actions_and_weights(states[-1])
        if not legal:
            break
        actor = engine.actor(states[-1])
        if actor == CHANCE:
            ident = legal[stream.draw_weighted_index(weights)]
        else:
            ident = get_legal_action_from_bot_or_raise(
                bots[actor], engine.engine_for_bots, states, actions, actor, stream
            )
            choices.append((actor, ident))
        states.append(engine.apply(states[-1], ident))
        actions.append(ident)
    return states, actions, choices


def get_legal_action_from_bot_or_raise(
    bot: Bot, engine: Engine, states: Sequence[Sequence[int]], actions: Sequence[int], seat: int, stream: Stream
) -> int:
    """Return the bot's choice. Raises BotError if it is not legal."""
    from playproof.referee.bots import BotError, make_sight_that_bot_asks_for

    sight = make_sight_that_bot_asks_for(bot, engine, states, actions, seat)
    ident = bot.choose(sight, stream)
    if ident not in sight.legal:
        offered = ", ".join(f"{i} ({engine.game.show(i)})" for i in sight.legal[:5])
        more = " and more" if len(sight.legal) > 5 else ""
        raise BotError(f"the bot `{bot.name}` chose {ident!r}, which is not legal; it was offered {offered}{more}")
    return ident


# -- tally ---------------------------------------------------------------------------------------------------
# The results of many games in a form that adds up: counts of endings, lengths, returns, and of every
# action.

BoolArray = npt.NDArray[np.bool_]

_CLOSE = 4096  # values in a range up to this are counted in an array
_Z = 1.959964  # two-sided 95 %
NOBODY = "nobody can act"


@dataclass
class Tally:
    """Counts over games. `returns[seat]` and the other counters map a value to the number of games
    that had it.

    `taken` and `worth` are by ground action: how often players took it, and the sum of the taker's
    returns. `flawed` is the number of the first game that did not end by one of the game's endings:
    nobody could act, or an invariant failed. `began[seat]` counts the games in which that seat made
    the first decision. `began_and_won` counts the games won by the seat that began. Several seats may win a game
    (`wins`). `ties` counts ties, not losses. `stopped` counts the games that reached a limit, `first_stopped` is the
    number of the first; they are games that nobody wins.
    """

    seats: int
    ground: int
    games: int = 0
    endings: Counter[int] = field(default_factory=Counter)
    decisions: Counter[int] = field(default_factory=Counter)
    rounds: Counter[int] = field(default_factory=Counter)
    returns: list[Counter[int]] = field(default_factory=list)
    wins: list[int] = field(default_factory=list)
    ties: int = 0
    stopped: int = 0
    first_stopped: int | None = None
    taken: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    worth: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    flawed: int | None = None
    began: list[int] = field(default_factory=list)
    began_and_won: int = 0

    def __post_init__(self) -> None:
        self.began = self.began or [0] * self.seats
        self.returns = self.returns or [Counter() for _ in range(self.seats)]
        self.wins = self.wins or [0] * self.seats
        if not len(self.taken):
            self.taken = np.zeros(self.ground, dtype=np.int64)
            self.worth = np.zeros(self.ground, dtype=np.int64)

    @classmethod
    def from_playout_results(
        cls, game: Game | GameSummary, results: PlayoutResults, first_game_number: int = 0
    ) -> Tally:
        """Return the counts of a batch whose games are numbered from `first_game_number`."""
        tally = cls(
            game.players,
            game.ground,
            len(results.endings),
            _count_values(results.endings),
            _count_values(results.decisions),
            _count_values(results.rounds),
            [_count_values(results.returns[:, seat]) for seat in range(game.players)],
            taken=results.taken,
            worth=results.worth,
        )
        won, tied = flag_games_won_by_each_seat_and_tied(game, results.endings, results.returns)
        began = _count_values(results.starters)
        tally.wins = [int(np.count_nonzero(games)) for games in won]
        tally.ties = int(np.count_nonzero(tied))
        tally.began = [began[seat] for seat in range(game.players)]
        tally.began_and_won = sum(
            int(np.count_nonzero(games & (results.starters == seat))) for seat, games in enumerate(won)
        )
        tally.stopped = tally.endings[STOPPED]
        if tally.stopped:
            tally.first_stopped = first_game_number + int(np.argmax(results.endings == STOPPED))
        if any(not 1 <= ending <= len(game.endings) for ending in tally.endings if ending != STOPPED):
            flawed = (results.endings < 1) | (results.endings > len(game.endings))
            flawed &= results.endings != STOPPED
            tally.flawed = first_game_number + int(np.argmax(flawed))
        return tally

    def add_in_place(self, other_tally: Tally) -> Tally:
        """Add another tally in place and return this one."""
        self.games += other_tally.games
        self.ties += other_tally.ties
        for mine, theirs in (
            (self.endings, other_tally.endings),
            (self.decisions, other_tally.decisions),
            (self.rounds, other_tally.rounds),
            *zip(self.returns, other_tally.returns, strict=True),
        ):
            mine.update(theirs)
        self.wins = [a + b for a, b in zip(self.wins, other_tally.wins, strict=True)]
        self.began = [a + b for a, b in zip(self.began, other_tally.began, strict=True)]
        self.began_and_won += other_tally.began_and_won
        self.taken = self.taken + other_tally.taken
        self.worth = self.worth + other_tally.worth
        self.stopped += other_tally.stopped
        self.flawed = _get_lower_game_number_or_none(self.flawed, other_tally.flawed)
        self.first_stopped = _get_lower_game_number_or_none(self.first_stopped, other_tally.first_stopped)
        return self


def _get_lower_game_number_or_none(first_number: int | None, second_number: int | None) -> int | None:
    """Return the lower of two numbers of games; None stands for no game."""
    return min((number for number in (first_number, second_number) if number is not None), default=None)


def _count_values(values: IntArray) -> Counter[int]:
    """Return how often each value occurs. Uses an array of counts for values close together,
    which avoids sorting."""
    if not len(values):
        return Counter()
    least, most = int(values.min()), int(values.max())
    if least == most:
        return Counter({least: len(values)})
    if most - least <= _CLOSE:
        occurrences = np.bincount(values - least if least else values)
        return Counter({least + k: n for k, n in enumerate(occurrences.tolist()) if n})
    kinds, counts = np.unique(values, return_counts=True)
    return Counter(dict(zip(kinds.tolist(), counts.tolist(), strict=True)))


def flag_games_won_by_each_seat_and_tied(
    game: Game | GameSummary, ending_numbers: IntArray, returns_of_games: IntArray
) -> tuple[list[BoolArray], BoolArray]:
    """Return for each seat which games it won, and which games are ties.

    All seats win an ending that everybody wins; so do the seats of the only team at a win. Of the other wins and of
    scores, a seat is a winner if its return is greater than that of every seat outside its team. A tie is an ending
    by a tie, or one of these without a winner. A loss, and a game without an ending, is neither.
    """
    alone = len(game.sides) == 1
    contest = _flag_games_ended_by(
        game, ending_numbers, lambda end: end.kind == "win" or (end.kind == "scores" and not alone)
    )
    tied = _flag_games_ended_by(game, ending_numbers, lambda end: end.kind == "draw")
    if alone:
        return [contest] * game.players, tied
    shared = _flag_games_ended_by(game, ending_numbers, lambda end: end.kind == "win" and end.shared)
    won = [shared | (contest & ahead) for ahead in _flag_games_each_seat_leads(game, returns_of_games)]
    return won, tied | (contest & ~np.logical_or.reduce(won))


def is_played_only_for_score(game: Game | GameSummary) -> bool:
    """Return whether nobody can win: one side plays, for a score."""
    kinds = {end.kind for end in game.endings}
    return len(game.sides) == 1 and "scores" in kinds and "win" not in kinds


def _flag_games_ended_by(
    game: Game | GameSummary, ending_numbers: IntArray, is_wanted_ending: Callable[[Ending | EndingSummary], bool]
) -> BoolArray:
    """Return which games reached one of the wanted endings."""
    reached = np.zeros(len(ending_numbers), dtype=np.bool_)
    for end in game.endings:  # much faster than numpy's `isin`, as there are few
        if is_wanted_ending(end):
            reached |= ending_numbers == end.number
    return reached


def _flag_games_each_seat_leads(game: Game | GameSummary, returns_of_games: IntArray) -> list[BoolArray]:
    """Return for each seat in which games its return is greater than that of every seat outside its team."""
    if game.players == 2:  # numpy is slow along short rows
        return [returns_of_games[:, 0] > returns_of_games[:, 1], returns_of_games[:, 1] > returns_of_games[:, 0]]
    ahead: dict[int, BoolArray] = {}
    for team in game.sides:
        others = [seat for seat in range(game.players) if seat not in team]
        most = returns_of_games[:, others].max(axis=1)
        ahead |= {seat: returns_of_games[:, seat] > most for seat in team}
    return [ahead[seat] for seat in range(game.players)]


# -- figures --------------------------------------------------------------------------------------------------------


def compute_95_percent_wilson_interval(wins: float, games: int) -> tuple[float, float]:
    """Return the 95 % interval of a rate (Wilson, JASA 22, 1927). Without games it is 0 to 1. A shared win may count
    as a part of one.

    >>> compute_95_percent_wilson_interval(0, 0)
    (0.0, 1.0)
    """
    if games == 0:
        return 0.0, 1.0
    rate, z2 = wins / games, _Z * _Z
    centre = (rate + z2 / (2 * games)) / (1 + z2 / games)
    half = _Z / (1 + z2 / games) * sqrt(rate * (1 - rate) / games + z2 / (4 * games * games))
    low = 0.0 if wins == 0 else max(0.0, centre - half)
    return low, 1.0 if wins == games else min(1.0, centre + half)


def compute_mean_of_counted_values_or_none(games_by_value: Counter[int]) -> float | None:
    """Return the mean of counted values; None without games."""
    games = sum(games_by_value.values())
    return sum(v * n for v, n in games_by_value.items()) / games if games else None


def compute_95_percent_mean_interval_or_none(games_by_value: Counter[int]) -> tuple[float, float] | None:
    """Return the 95 % interval of the mean by the normal approximation.

    Returns None if all games have one value, or there are fewer than two: they do not show how far apart values may
    lie, and an interval without width would claim certainty.
    """
    games, centre = sum(games_by_value.values()), compute_mean_of_counted_values_or_none(games_by_value)
    if centre is None or len(games_by_value) < 2:
        return None
    spread = sum(n * (v - centre) ** 2 for v, n in games_by_value.items()) / (games - 1)
    half = _Z * sqrt(spread / games)
    return centre - half, centre + half


def compute_quantile_of_counts_or_zero(games_by_value: Counter[int], share: float) -> int:
    """Return the least value that at least `share` of the games do not exceed."""
    need, seen = share * sum(games_by_value.values()), 0
    for value in sorted(games_by_value):
        seen += games_by_value[value]
        if seen >= need:
            return value
    return 0

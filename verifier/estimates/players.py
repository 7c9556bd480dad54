"""How often bots win, or what they score: what a player reaches at least, as an estimate."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from time import process_time

from playproof.referee.batches import Batch, play_batch
from playproof.referee.engine import Engine
from playproof.referee.tally import Tally, compute_wilson_interval
from playproof.referee.variant import Variant
from playproof.verifier.search.work import spend_work

_BOTS = ("random", "greedy", "mcts:20", "mcts:100")
_TO_CHOOSE, _LEAST, _MOST = 24, 48, 400
_MOST_RANDOM = 2_000
_ITERATION = 1e-4  # work for an iteration of a search, for each decision that is left in the game
_PIECE, _LONGEST = 4, 30.0  # games played at a time, and seconds after which no more are
_Z = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True)
class IntervalEstimate:
    """An estimated chance or score with its 95 % interval, from so many games."""

    value: float
    low: float
    high: float
    games: int

    def format_with_interval(self, digits: int = 2) -> str:
        """Return it as `0.41 (0.38 to 0.44)`."""
        return f"{self.value:.{digits}f} ({self.low:.{digits}f} to {self.high:.{digits}f})"


@dataclass(frozen=True)
class BestBot:
    """The best of the bots that were tried, and how it does in games that did not choose it."""

    name: str
    figure: IntervalEstimate


def estimate_share(hits: float, games: int) -> IntervalEstimate:
    """Return a share of games with Wilson's interval."""
    return IntervalEstimate(hits / games, *compute_wilson_interval(hits, games), games)


def estimate_mean(values: list[float], low: float, high: float) -> IntervalEstimate:
    """Return a mean of values that lie in low..high. If all are equal, the interval says that one more may differ."""
    count = len(values)
    mean = sum(values) / count
    spread = sqrt(sum((value - mean) ** 2 for value in values) / max(1, count - 1))
    half = _Z * spread / sqrt(count) if spread else (high - low) * 3 / count
    return IntervalEstimate(mean, max(low, mean - half), min(high, mean + half), count)


def find_best_bot(variant: Variant, seat: int, work: float, *, for_score: bool) -> BestBot | None:
    """Return the bot that wins most, or scores most, as a seat of a side that plays against nobody. `work` decides how
    many games are played; None if it pays for too few."""
    engine = Engine(variant.game)
    bots = [bot for bot in _BOTS if bot != "greedy" or engine.evaluates]
    length = max(1.0, _compute_mean_of_counts(_play_games(variant, "random", 10_000, 20).decisions))
    tried: dict[str, float] = {}
    for bot in bots:
        if _estimate_work_per_game(bot, length) * (_TO_CHOOSE + _LEAST) <= work / 2:
            tally = _play_games(variant, bot, 20_000, _TO_CHOOSE)
            tried[bot] = _compute_mean_of_counts(tally.returns[seat]) if for_score else tally.wins[seat]
    if not tried:
        return None
    name = max(tried, key=tried.__getitem__)
    most = _MOST if name.startswith("mcts") else _MOST_RANDOM
    games = int(max(_LEAST, min(most, work / 2 / _estimate_work_per_game(name, length))))
    tally = _play_games(variant, name, 0, games)
    if not for_score:
        return BestBot(name, estimate_share(tally.wins[seat], tally.games))
    term = variant.game.results[seat]
    return BestBot(name, estimate_mean(list(map(float, tally.returns[seat].elements())), term.lo, term.hi))


def _estimate_work_per_game(bot: str, length: float) -> float:
    name, _, count = bot.partition(":")
    return _ITERATION * length * (int(count) if name == "mcts" else 0.1)


def _compute_mean_of_counts(counts: dict[int, int]) -> float:
    total = sum(counts.values())
    return sum(value * count for value, count in counts.items()) / total if total else 0.0


def _play_games(variant: Variant, bot: str, first: int, games: int) -> Tally:
    bots = (bot,) * variant.game.players
    tally, late = Tally(variant.game.players, variant.game.ground), process_time() + _LONGEST
    while tally.games < games and process_time() < late:
        part = min(_PIECE if bot.startswith("mcts") else games, games - tally.games)
        tally.add(play_batch(Batch(variant, bots, 0, first + tally.games, part)))
    spend_work(games * _estimate_work_per_game(bot, max(1.0, _compute_mean_of_counts(tally.decisions))))
    return tally

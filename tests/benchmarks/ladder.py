"""Is each bot better than the one before? Duplicate deals and paired seats, for every game of
Playproof.

Two seats: each deal is played twice, with the better bot in either seat. The pair's mean result (1
a win, 1/2 a tie) is one observation; the interval is that of the mean over pairs. One seat: both
bots play the same deals, and the difference of their wins is one observation. Slow, so it runs only
when named: `python -m tests.benchmarks ladder`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import cache
from math import sqrt
from multiprocessing import get_context

from playproof.language.random import Stream, make_game_seed
from playproof.referee import Variant
from playproof.referee.batches import compute_95_percent_wilson_interval, play_game_to_states_actions_and_choices
from playproof.referee.bots import make_bot
from playproof.referee.engine import Engine
from tests.benchmarks.measure import Row

SLOW = True
RUN = 2026
RUNGS = ("random", "greedy", "mcts:100", "mcts:400")
ENOUGH = 0.95  # with one seat, a bot with this rate need not be beaten
_Z = 1.959964


@dataclass(frozen=True)
class Ladder:
    """A game, and how many deals each step of its ladder takes."""

    title: str
    ref: str
    options: tuple[tuple[str, str], ...]
    deals: tuple[int, int, int]


LADDERS = (
    Ladder("Opale", "opale", (), (100, 60, 100)),
    Ladder("Eila, chapter 0", "eila", (), (500, 200, 200)),
    Ladder("Eila, chapter 1", "eila", (("chapter", "1"),), (200, 100, 400)),
    Ladder("Eurydice", "eurydice", (), (2000, 500, 500)),
    Ladder("Olith, two players", "olith", (("players", "2"),), (60, 20, 20)),
)


def run() -> list[Row]:
    """Run every step of every ladder. Each row is printed as soon as it is known."""
    with ProcessPoolExecutor(os.cpu_count(), mp_context=get_context("spawn")) as pool:
        return [row for ladder in LADDERS for row in steps(ladder, pool)]


def steps(ladder: Ladder, pool: ProcessPoolExecutor) -> list[Row]:
    """Compare each bot with the one before."""
    rows = []
    for worse, better, deals in zip(RUNGS, RUNGS[1:], ladder.deals, strict=False):
        found = list(pool.map(deal, [(ladder, better, worse, n) for n in range(deals)], chunksize=5))
        seats = len(found[0])
        rows.append((alone if seats == 1 else paired)(f"{ladder.title}: {better} against {worse}", found))
        print("| " + " | ".join(rows[-1].cells()) + " |", flush=True)
    return rows


@cache
def _engine(ladder: Ladder) -> Engine:
    return Engine(Variant(ladder.ref, dict(ladder.options)).game)


# for each seat of the better bot: its result and, with one seat, the other's
Result = list[tuple[float, float]]


def deal(task: tuple[Ladder, str, str, int]) -> Result:
    """Play one deal, with the better bot in each seat."""
    ladder, better, worse, number = task
    engine = _engine(ladder)
    if engine.game.players == 1:
        return [(_won(engine, [better], number, 0), _won(engine, [worse], number, 0))]
    seats = range(engine.game.players)
    return [(_won(engine, [better if n == seat else worse for n in seats], number, seat), 0.0) for seat in seats]


def _won(engine: Engine, bots: Sequence[str], number: int, seat: int) -> float:
    """Return 1 if the seat alone has the best return, its share if several have it; with one
    seat, 1 if the return is positive."""
    states, _, _ = play_game_to_states_actions_and_choices(
        engine, [make_bot(bot) for bot in bots], Stream(make_game_seed(RUN, number))
    )
    returns = engine.returns(states[-1])
    if len(returns) == 1:
        return float(returns[0] > 0)
    return float(returns[seat] == max(returns)) / returns.count(max(returns))


def paired(what: str, found: Sequence[Result]) -> Row:
    """Return the mean over deals, each played from all seats."""
    means = [sum(mine for mine, _ in one) / len(one) for one in found]
    mean, low, high = interval(means)
    verdict = "above half" if low > 0.5 else "NOT above half"
    return Row(
        what,
        f"{100 * mean:.1f} % of {len(means)} deals from {len(found[0])} seats",
        f"{100 * max(0.0, low):.1f} to {100 * min(1.0, high):.1f} %",
        verdict,
        "more than 50 %",
    )


def alone(what: str, found: Sequence[Result]) -> Row:
    """Return both bots' rates on the same deals, and the interval of their difference."""
    ours, theirs = (sum(one[0][k] for one in found) for k in (0, 1))
    _, low, high = interval([one[0][0] - one[0][1] for one in found])
    rates = [compute_95_percent_wilson_interval(int(wins), len(found)) for wins in (ours, theirs)]
    good = low > 0 or theirs / len(found) > ENOUGH
    return Row(
        what,
        f"{100 * ours / len(found):.1f} % ({100 * rates[0][0]:.1f} to {100 * rates[0][1]:.1f})",
        f"{100 * theirs / len(found):.1f} % ({100 * rates[1][0]:.1f} to {100 * rates[1][1]:.1f})",
        f"{100 * low:+.1f} to {100 * high:+.1f} points on {len(found)} deals" + ("" if good else ", NOT better"),
        "better, or over 95 % before",
    )


def interval(values: Sequence[float]) -> tuple[float, float, float]:
    """Return the mean and its 95 % interval by the normal approximation. Two made-up
    observations widen it if all values are alike."""
    mean = sum(values) / len(values)
    spread = (sum((v - mean) ** 2 for v in values) + 2 * 0.25) / len(values)
    half = _Z * sqrt(spread / len(values))
    return mean, mean - half, mean + half

"""The chances of each seat over a finished game: many games played on from moments of it.

Simple bots play from the true state, so the curve is shown only when the game is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from statistics import NormalDist
from time import monotonic

from playproof.referee.engine import Engine

MOMENTS = 40  # at most, spread evenly over the game
PLAYOUTS = 200  # from each moment, if there is time
TURNS = 3  # spans in which each step is looked at
_CLOSER = 12  # steps of such a span, at most
_LEAST = 20
_DOUBT = 0.05  # how often an interval may be wrong
_SECONDS = 12.0  # that all moments together may take; a slow game gets fewer playouts


@dataclass(frozen=True)
class WinChances:
    """`shares[n][seat]` is the share of the playouts after step `steps[n]` that the seat won. A tie is shared."""

    steps: tuple[int, ...]
    shares: tuple[tuple[float, ...], ...]
    playouts: int
    player: str

    @property
    def error(self) -> float:
        """The largest standard error of a share."""
        return float(0.5 / self.playouts**0.5)

    @property
    def within(self) -> float:
        """By how much a share of one half may be wrong, in 19 of 20 cases."""
        low, high = self._compute_wilson_interval(0.5, NormalDist().inv_cdf(1 - _DOUBT / 2), self.playouts)
        return (high - low) / 2

    def compute_change_bounds(self, at: int, seat: int) -> tuple[float, float]:
        """Return between which bounds a seat's chance changed from moment `at` - 1 to moment `at`. In 19 of 20 games
        the bounds of all moments and seats together hold, so that the largest of many changes is not taken for more
        than it is (Newcombe's interval of a difference, Bonferroni's correction). The end itself is certain."""
        looks = max(1, (len(self.steps) - 1) * len(self.shares[0]))
        z = NormalDist().inv_cdf(1 - _DOUBT / looks / 2)
        before, after = self.shares[at - 1][seat], self.shares[at][seat]
        is_end = at == len(self.steps) - 1
        low_before, high_before = self._compute_wilson_interval(before, z, self.playouts)
        low_after, high_after = (
            (after, after) if is_end else self._compute_wilson_interval(after, z, self.playouts)
        )
        change = after - before
        return (
            change - hypot(after - low_after, high_before - before),
            change + hypot(high_after - after, before - low_before),
        )

    @staticmethod
    def _compute_wilson_interval(share: float, z: float, count: int) -> tuple[float, float]:
        """Return Wilson's interval of a share of so many games."""
        middle = (share + z * z / (2 * count)) / (1 + z * z / count)
        half = z / (1 + z * z / count) * sqrt(share * (1 - share) / count + z * z / (4 * count * count))
        return middle - half, middle + half


def estimate_win_chances(engine: Engine, states: Sequence[list[int]], seed: int) -> WinChances:
    """Return the chances after moments of a game that is over, its states given from the start."""
    last = len(states) - 1
    count = min(MOMENTS, last)
    steps = sorted({round(n * last / count) for n in range(count + 1)}) if count else [0]
    _estimate_win_shares(engine, states[0], _LEAST, seed)  # the first may wait until the game is compiled
    begun = monotonic()
    _estimate_win_shares(engine, states[0], _LEAST, seed)
    each = max(monotonic() - begun, 1e-6) / _LEAST
    playouts = max(_LEAST, min(PLAYOUTS, int(_SECONDS / (len(steps) + TURNS * _CLOSER) / each)))
    shares = {step: _estimate_win_shares(engine, states[step], playouts, seed + step) for step in steps}
    for step in _iter_steps_of_greatest_change(steps, shares):
        shares[step] = _estimate_win_shares(engine, states[step], playouts, seed + step)
    ordered = tuple(sorted(shares))
    player = "greedy" if engine.evaluates else "random"
    return WinChances(ordered, tuple(shares[step] for step in ordered), playouts, player)


def _iter_steps_of_greatest_change(
    steps: Sequence[int], shares: Mapping[int, Sequence[float]]
) -> Iterator[int]:
    """Yield the moments inside the spans in which the chances changed most: there each step is looked at."""

    def change(span: tuple[int, int]) -> float:
        return max(abs(a - b) for a, b in zip(shares[span[0]], shares[span[1]], strict=True))

    spans = sorted(pairwise(steps), key=change, reverse=True)
    for first, last in spans[:TURNS]:
        yield from range(first + 1, min(last, first + 1 + _CLOSER))


def _estimate_win_shares(engine: Engine, state: list[int], playouts: int, seed: int) -> tuple[float, ...]:
    """Return each seat's share of won games from a state."""
    players, sides = engine.game.players, engine.game.sides
    if state[1]:
        returns = [engine.returns(state)]
    else:
        policies = [1] * players if engine.evaluates else None
        returns = engine.run_playouts(state, playouts, seed, policies).returns.tolist()
    if len(sides) == 1:
        return (sum(row[0] > 0 for row in returns) / len(returns),) * players
    won = [0.0] * players
    for row in returns:
        best = [side for side in sides if max(row[seat] for seat in side) == max(row)]
        for side in best:
            for seat in side:
                won[seat] += 1 / len(best)
    return tuple(value / len(returns) for value in won)

"""Estimates with 95 % intervals, and corrections for many tests. Every estimate names how many games it is from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, exp, inf, lgamma, log, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.referee.batches import compute_95_percent_wilson_interval

Z = 1.959964  # two-sided 95 %
_EXACT_SIGNS = 2000  # signs up to which the sign test sums exactly
_FEWEST_PEERS = 3  # effects without which none stands apart
_FEW = 30  # values below which an interval of a mean uses Student's factor
_STUDENT = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its 95 % interval, from `games` games. `exact` says that it is computed from all positions and
    not estimated; its interval then has no width. `game` is the number of a game that shows it, if one does."""

    value: float | None
    low: float | None
    high: float | None
    games: int
    exact: bool = False
    game: int | None = None

    @property
    def excludes_zero(self) -> bool:
        """Whether the interval lies on one side of zero."""
        return self.low is not None and self.high is not None and (self.low > 0 or self.high < 0)


NO_ESTIMATE = Estimate(None, None, None, 0)
"""What is said of no games."""


def build_exact_estimate(value: float) -> Estimate:
    """Return a value that is no estimate."""
    return Estimate(value, value, value, 0, exact=True)


def estimate_share_with_wilson_interval(hits: int, games: int, example_game: int | None = None) -> Estimate:
    """Return a share of games with Wilson's interval; no value without games."""
    low, high = compute_95_percent_wilson_interval(hits, games)
    return Estimate(hits / games if games else None, low, high, games, game=example_game)


def estimate_mean_share_with_wilson_interval(shares: Sequence[float] | npt.NDArray[Any]) -> Estimate:
    """Return the mean of shares of games (1 a win, between for ties) with Wilson's interval: no values between 0 and 1
    vary more than as many wins and losses of the same mean, so that it is never too short, also where all are equal.

    >>> estimate_mean_share_with_wilson_interval([1.0] * 38).low > 0.9
    True
    """
    total, count = float(np.sum(shares)), len(shares)
    low, high = compute_95_percent_wilson_interval(total, count)
    return Estimate(total / count if count else None, low, high, count)


def estimate_mean_with_t_interval(
    values: npt.NDArray[Any] | Sequence[float],
    example_game: int | None = None,
    value_range: tuple[float, float] = (-inf, inf),
) -> Estimate:
    """Return the mean of independent values with the interval of Student's t, as far as it lies `within` what the
    values can be. The interval is missing below two values, and if all are equal: they do not show how far apart
    values may lie."""
    numbers = np.asarray(values, dtype=np.float64)
    count = len(numbers)
    if not count:
        return Estimate(None, None, None, 0, game=example_game)
    centre = float(numbers.mean())
    spread = float(numbers.std(ddof=1)) if count > 1 else 0.0
    if spread == 0.0:
        return Estimate(centre, None, None, count, game=example_game)
    half = compute_t_factor_of_95_percent(count - 1) * spread / sqrt(count)
    low, high = max(value_range[0], centre - half), min(value_range[1], centre + half)
    return Estimate(centre, low, high, count, game=example_game)


def compute_t_factor_of_95_percent(degrees_of_freedom: int) -> float:
    """Return Student's two-sided 95 % factor for so many degrees of freedom."""
    if degrees_of_freedom < _FEW:
        return _STUDENT[max(1, degrees_of_freedom) - 1]
    return Z + (Z**3 + Z) / (4 * degrees_of_freedom)  # Cornish and Fisher's first term


def estimate_ratio_of_means(numerators: npt.NDArray[Any], denominators: npt.NDArray[Any]) -> Estimate:
    """Return mean(above) / mean(below) of paired values, with the interval of the delta method. There is no value where
    mean(below) is not told apart from zero: the ratio could then be anything."""
    base = estimate_mean_with_t_interval(denominators)
    if base.value is None or not base.excludes_zero:
        return Estimate(None, None, None, base.games)
    value = float(np.mean(numerators)) / base.value
    spread = float(np.std(np.asarray(numerators) - value * np.asarray(denominators), ddof=1)) / abs(base.value)
    half = compute_t_factor_of_95_percent(base.games - 1) * spread / sqrt(base.games)
    return Estimate(value, value - half, value + half, base.games)


# -- paired games -------------------------------------------------------------------------------------------------


def estimate_paired_win_difference_and_p_value(
    treated: npt.NDArray[Any], plain: npt.NDArray[Any]
) -> tuple[Estimate, float]:
    """Return the difference of two shares of wins over the same seeds, and the probability of a difference as large
    without an effect.

    The interval is that of Agresti and Min ("Simple improved confidence intervals for comparing matched
    proportions", Statistics in Medicine 24, 2005); the probability is McNemar's exact sign test.
    """
    games = len(treated)
    better = int(np.count_nonzero(treated > plain))
    worse = int(np.count_nonzero(treated < plain))
    if not games:
        return Estimate(None, None, None, 0), 1.0
    centre = (better - worse) / (games + 2)
    spread = sqrt(max(0.0, (better + worse + 1) - (better - worse) ** 2 / (games + 2))) / (games + 2)
    low, high = max(-1.0, centre - Z * spread), min(1.0, centre + Z * spread)
    return Estimate((better - worse) / games, low, high, games), compute_p_value_of_sign_test(better, worse)


def compute_p_value_of_mean(values: npt.NDArray[Any]) -> float:
    """Return the two-sided probability of a mean as far from 0 if there is no effect, for many values.

    >>> round(compute_p_value_of_mean(np.array([1.0, -1.0, 1.0, 0.0] * 100)), 6)
    0.0
    """
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    if spread == 0.0:
        return float(not np.any(values))
    return erfc(abs(float(np.mean(values))) * sqrt(len(values) / 2) / spread)


def compute_p_value_of_sign_test(better_count: int, worse_count: int) -> float:
    """Return the two-sided probability of a split at least as uneven, if both signs are equally likely.

    >>> compute_p_value_of_sign_test(5, 0)
    0.0625
    """
    total, least = better_count + worse_count, min(better_count, worse_count)
    if not total:
        return 1.0
    if total > _EXACT_SIGNS:
        return erfc(max(0.0, abs(better_count - worse_count) - 1) / sqrt(2 * total))
    if total < 60:
        return min(1.0, float(2 * sum(comb(total, k) for k in range(least + 1)) / 2**total))
    logs = [lgamma(total + 1) - lgamma(k + 1) - lgamma(total - k + 1) - total * log(2) for k in range(least + 1)]
    return min(1.0, 2 * sum(map(exp, logs)))


def flag_discoveries_by_benjamini_hochberg(p_values: Sequence[float], false_discovery_rate: float = 0.05) -> list[bool]:
    """Return which of many tests count, so that at most `false_discovery_rate` of those that count are
    expected to be chance (Benjamini and Hochberg, JRSS B 57, 1995).

    >>> flag_discoveries_by_benjamini_hochberg([0.001, 0.04, 0.9])
    [True, False, False]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    last = 0
    for rank, number in enumerate(order, 1):
        if p_values[number] <= false_discovery_rate * rank / len(p_values):
            last = rank
    chosen = set(order[:last])
    return [number in chosen for number in range(len(p_values))]


def classify_effects_above_or_below_others(effects: Sequence[Estimate], error: float = 0.05) -> list[int]:
    """Return for each effect whether its interval lies above (1) or below (-1) the interval of the mean of all others,
    or neither (0). Both are widened, so that none of them all is misjudged with a probability of at least 1 - `error`
    (Bonferroni).

    >>> wide = [Estimate(value, value - 0.02, value + 0.02, 100) for value in (0.0, 0.01, 0.0, 0.5)]
    >>> classify_effects_above_or_below_others(wide)
    [-1, -1, -1, 1]
    """
    known = [e for e in effects if e.value is not None and e.low is not None and e.high is not None]
    if len(known) < _FEWEST_PEERS:
        return [0] * len(effects)
    wider = NormalDist().inv_cdf(1 - error / (4 * len(known))) / Z
    centres = [e.value or 0.0 for e in known]
    halves = [((e.high or 0.0) - (e.low or 0.0)) / 2 for e in known]
    made = []
    for effect in effects:
        if effect.value is None or effect.low is None or effect.high is None:
            made.append(0)
            continue
        own = (effect.high - effect.low) / 2
        others = len(known) - 1
        middle = (sum(centres) - effect.value) / others
        # The games of the pairs have the same seeds, so the halves add up at worst.
        half = wider * (own + (sum(halves) - own) / others)
        off = effect.value - middle
        made.append(1 if off > half else -1 if off < -half else 0)
    return made

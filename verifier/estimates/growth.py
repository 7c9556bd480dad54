"""How many states a game has, from sampled growth: some states of each distance from the start are followed, and how
often these meet says how many there are.

Of n states at one distance a part r is followed. Of the states behind all of them, those that one followed state leads
to (f1) and those that two do (f2) say how many are behind others only: f1^2 / (2 f2 + f1 r / (1 - r)) (Chao and Lin,
"Nonparametric lower bounds for species richness and shared species richness under sampling without replacement",
Biometrics 68, 2012). Those are like the ones that were met once, so these are followed the more often. States with very
few ways to them are missed: in six games of 3 to 184 million states the estimate was 0.26 to 0.95 of the number.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np

from playproof.verifier.estimates.many_states import BatchedGame, IntArray, hash_states

_SAMPLE = 8_000  # states that are followed of each distance
_TIMED, _LEAST_SAMPLE, _SECONDS = 50, 100, 0.5  # the sample is smaller where one distance would take longer
_FEWER = 2_000  # the same where little work is allowed
_MOST_LAYERS = 600
_ENOUGH = 1e13  # states, more than any machine goes through
# units of work for an estimated state, so that three times as many are no harm
_STATE_WORK, _LEAST_WORK = (6e-6, 20.0)
_STATE_BYTES, _BASE_BYTES = 45, 2.5e8
MOST_STATES = 500_000_000
"""States that compiled code goes through at most (`search/machine_layers.py`)."""


@dataclass(frozen=True)
class StateCountEstimate:
    """About how many states there are, rather more. `exact` if all were met; `endless` if the walk was cut: then there
    are more."""

    states: float
    exact: bool
    endless: bool

    @property
    def work(self) -> int:
        """The units of work that an exact answer takes, rounded up to a number that one types."""
        units = max(_LEAST_WORK, self.states * _STATE_WORK)
        step = 10 ** (len(str(int(units))) - 1)
        return int(-(-units // step) * step)

    def format_exact_answer_cost(self) -> str:
        """Return what an exact answer would take, as `prove` says it."""
        states = f"{'' if self.exact else 'about '}{format_rounded_count(self.states)} states"
        if self.states > MOST_STATES:
            more = "more than" if self.endless else "about"
            return f"exact: no; there are {more} {format_rounded_count(self.states)} states (estimated)"
        if self.endless:
            return (
                f"exact: unknown; there are more than {format_rounded_count(self.states)} states (estimated)"
            )
        memory = (_BASE_BYTES + self.states * _STATE_BYTES) / 1e9
        how = "" if self.exact else " (estimated)"
        return f"exact takes {states}{how}, about {memory:.1f} GB: --work {self.work}"


def format_rounded_count(states: float) -> str:
    """Return a large number with the digits that an estimate has.

    >>> [format_rounded_count(n) for n in (812.0, 41_200_000.0, 7.3e10, 5e15)]
    ['812', '41 million', '73 thousand million', '5e+15']
    """
    if states < 1e4:
        return f"{states:.0f}"
    for size, word in ((1e9, "thousand million"), (1e6, "million"), (1e3, "thousand")):
        if size <= states < 1e12:
            return f"{states / size:.2g} {word}" if states / size < 100 else f"{states / size:.0f} {word}"
    return f"{states:.0e}"


def estimate_state_count(
    batched_game: BatchedGame,
    start_cells: IntArray,
    can_go_on: Callable[[], bool] = lambda: True,
    *,
    quick: bool = False,
) -> StateCountEstimate:
    """Return about how many states there are behind a state (a row of cells). Raises NotShown where the rules break."""
    most = _FEWER if quick else _SAMPLE
    draw = np.random.default_rng(11)
    sample, count, total, whole = start_cells.reshape(1, -1), 1.0, 1.0, True
    rate = 0.0  # seconds for a state
    for _ in range(_MOST_LAYERS):
        began = process_time()
        over, _earned = batched_game.compute_earnings(sample)
        open_ = sample[~over]
        if not len(open_):
            return StateCountEstimate(total, whole, endless=False)
        steps = batched_game.list_steps(open_)
        rate = max(rate, (process_time() - began) / len(open_)) if len(open_) > _TIMED else rate
        if not len(steps.rows):
            return StateCountEstimate(total, whole, endless=False)
        part = min(1.0, len(sample) / count)
        _, places, times = np.unique(hash_states(steps.after), return_index=True, return_counts=True)
        unseen = _estimate_unseen_states(times, part)
        count = len(places) + unseen
        total += count
        if total > _ENOUGH or not can_go_on():
            return StateCountEstimate(total, exact=False, endless=True)
        whole &= part >= 1 and len(places) <= most
        most = max(_LEAST_SAMPLE, min(most, int(_SECONDS / rate))) if rate else most
        if len(places) > most:
            once = times == 1
            likely = np.where(once, 1 + unseen / max(1, once.sum()), 1.0)
            places = draw.choice(places, most, replace=False, p=likely / likely.sum())
        sample = steps.after[places]
    return StateCountEstimate(total, exact=False, endless=True)


def _estimate_unseen_states(times: IntArray, followed_share: float) -> float:
    """Return how many states lie behind others than those that were followed, which are this part of all. `times` says
    for each state that was met how many ways to it were."""
    if followed_share >= 1:
        return 0.0
    once, twice = float((times == 1).sum()), float((times == 2).sum())
    return once * once / max(1.0, 2 * twice + once * followed_share / (1 - followed_share))

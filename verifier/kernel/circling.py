"""Values of states, computed layer by layer from the last: chances of an event, and expected numbers at the end.

A value lies from 0 to 1 and is held as a whole number of SCALE, once rounded down (`lower`) and once up (`upper`). An
expected number is first brought there: 0 is the least and 1 the greatest value that its term has in an end.

The theorem: in an end, and in a state of the event, the value is known. Elsewhere it is the greatest of its successors'
values where the seeker chooses, the least where others choose against it, and the mean where chance (or a player who
plays at random) does. Successors lie in later layers or are ends, so the sweep has their values. Each rounding goes to
the safe side, so `lower` <= value <= `upper`.

The premises, and where they are checked: the states are there once, and no decision leads to an earlier layer
(`layers`); every weight is above 0 (`layers`); the weights of a state are so few that no sum leaves 62 bits
(`compute_weighted_means`); the values of the ends are from 0 to 1 (`bound_values`).

A layer may have *circles*: play may come back to a state, and go on for ever. There, let T be one step of best play, as
above. Whoever runs the kernel proposes values for the states of such a layer; here they are confirmed. The theorems:

  1. If play that goes on for ever is worth 0, the value is the least fixed point of T, and each `upper` that is 0 or
     more with T(`upper`), rounded up, <= `upper` in all states is at least the value (Knaster and Tarski). Circles that
     the seeker need not leave are no harm here.
  2. Under the same convention a `lower` is a bound from below if T(`lower`), rounded down, >= `lower`, and play that
     keeps it leaves the circles: from each state whose bound is above 0 the seeker has a step, the others have only
     steps, to a state of lower rank with no smaller bound; chance has one to a lower rank. A step out of the layer, or
     to a state whose bound is 0, counts as lower. For then play leaves with probability 1: from each state it may leave
     within as many steps as there are ranks, and the chance of that is at least some number above 0. On the way the
     bound does not fall on average (optional stopping). Where the bound is 0, nothing is claimed. A state of the event
     needs no rank. Where a step adds a gain, its state needs none either: play that gains again and again is worth
     more than any bound, and the bound together with the gains so far does not fall on average.
  3. Let the others seek, and count 1 - value instead: then 1 - `lower` of theirs bounds the seeker's value from above,
     if endless play is worth 1 to the seeker. It holds for all that endless play may be worth, from 0 to 1, since the
     value can only fall with it. States of an event, dead ends and gains are worth the same to both sides: there may
     be none.

The premises, and where they are checked: every bound is from 0 to SCALE (`_store_proposed_bounds`); T and the
ranks, in each state (`check_lower_bounds`, `check_upper_bounds`). Where proposals come from is no premise.
Sources: Condon, "The complexity of stochastic games", Information and Computation 96, 1992; Chatterjee and others,
"Fixed point certificates for reachability and expected rewards in MDPs", TACAS 2025.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import CHANCE
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.context import Context, SideBounds
from playproof.verifier.kernel.layers import Column, Layers, StateLayer

BEYOND = "a value is more than 1"
SCALE = 1 << 46
_HEAVIEST = 1 << 15  # the weights of one state together
MOST, LEAST, MEAN = 1, -1, 0
LUCK = MappingProxyType({"best": MOST, "worst": LEAST, "mean": MEAN})
"""How the edges of chance count under each kind of luck."""


def map_actors_to_operators(luck: str, seats: Sequence[int]) -> dict[int, int]:
    """Return how the edges of chance and of these seats, which want the event, count."""
    return {CHANCE: LUCK[luck], **dict.fromkeys(seats, MOST)}


class ValueStep:
    """One step of play from the states of a layer: their values from those of their successors."""

    def __init__(
        self, layer: StateLayer, who: Mapping[int, int], others: int, gain: int = 0, free: Sequence[int] = ()
    ) -> None:
        """`who` maps actors (-1 is chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Each step adds
        `gain`, but those of the actors `free`."""
        self.layer, self.own = layer, slice(layer.base, layer.beyond)
        self.rows = np.flatnonzero(layer.degree)
        self.degree = layer.degree[self.rows].astype(np.int64)
        self.firsts = np.cumsum(self.degree) - self.degree
        self.how = np.full(len(self.rows), others, dtype=np.int8)
        for each, counts in who.items():
            self.how[layer.actor[self.rows] == each] = counts
        self.gain = np.where(np.isin(layer.actor[self.rows], list(free)), 0, gain)
        self.total = self.degree
        if layer.weight is not None and len(self.rows):
            self.total = np.where(self.how == MEAN, np.add.reduceat(self.get_edge_weights(), self.firsts), 1)

    def get_edge_weights(self) -> Column:
        """Return the weight of each edge."""
        if self.layer.weight is None:
            return np.ones(len(self.layer.to), dtype=np.int64)
        return self.layer.weight.astype(np.int64)

    def get_successor_values(self, values: Column, ends: Column) -> Column:
        """Return the value behind each edge. `values` are those of all states, `ends` those of the ends."""
        behind = values[np.maximum(self.layer.to, 0)]
        over = np.flatnonzero(self.layer.to < 0)
        behind[over] = ends[-1 - self.layer.to[over].astype(np.int64)]
        return behind

    def compute_values(self, values: Column, ends: Column, round_up: bool) -> Column:
        """Return the values of the layer's states after one step, rounded up or down. Raises NotShown."""
        after = np.zeros(len(self.layer.degree), dtype=values.dtype)
        if len(self.rows):
            behind = self.get_successor_values(values, ends)
            chosen, mean = np.empty(len(self.rows), dtype=values.dtype), self.how == MEAN
            if not mean.all():
                chosen = reduce_edges_by_chooser(self.how, behind, self.firsts, np.maximum, np.minimum)
            if mean.any():
                chosen[mean] = compute_weighted_means(
                    behind, self.get_edge_weights(), self.total, self.firsts, round_up
                )[mean]
            after[self.rows] = chosen + self.gain
        after[self.layer.met] = SCALE  # whatever comes behind it
        return after


def reduce_edges_by_chooser(
    operators: npt.NDArray[np.int8], behind: npt.NDArray[Any], firsts: Column, most: np.ufunc, least: np.ufunc
) -> npt.NDArray[Any]:
    """Return `most` of what lies behind the edges of each state, or `least` of it where others choose."""
    chosen: npt.NDArray[Any] = most.reduceat(behind, firsts)
    others = operators == LEAST
    if others.any():
        chosen[others] = least.reduceat(behind, firsts)[others]
    return chosen


def compute_weighted_means(
    behind: Column, weight: Column, total: Column, firsts: Column, round_up: bool
) -> Column:
    """Return means of the values behind edges, rounded up or down, but fractions as they are; `firsts` are the places
    where the edges of each state begin, and `total` is the sum of their weights. Raises NotShown."""
    sums = np.add.reduceat(behind * weight, firsts)
    if sums.dtype == np.object_:
        return np.asarray(sums / total)
    if total.max() > _HEAVIEST:
        raise NotShown(f"the weights of a state are more than {_HEAVIEST:,} together")
    return -(-sums // total) if round_up else sums // total


def group_layers_by_measure(layers: Layers) -> list[list[StateLayer]]:
    """Return the layers by their measures, in order."""
    return [list(of_one) for _, of_one in groupby(layers.layers, key=lambda layer: layer.block)]


def has_edge_within_measure(block: Sequence[StateLayer]) -> bool:
    """Return whether an edge stays in its measure."""
    first, beyond = block[0].base, block[-1].beyond
    return any(((layer.to >= first) & (layer.to < beyond)).any() for layer in block)


def bound_values(
    layers: Layers,
    ends: tuple[Column, Column],
    operators: Mapping[int, int],
    other_operator: int,
    context: Context,
    *,
    endless: bool,
    gain: int = 0,
    gainless_actors: Sequence[int] = (),
) -> tuple[Column, Column]:
    """Return the bounds of each state's value. `ends` are the values of the ends, rounded down and up; `who` maps
    actors (-1 is chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Endless play is worth 0, or (if
    `endless`) any number from 0 to 1. Each step adds `gain`, but those of the actors `free`. Raises NotShown, also if a
    gain leads beyond 1."""
    for values in ends:
        if not 0 <= values.min() <= values.max() <= SCALE:
            raise NotShown("a value is not from 0 to 1")
    if endless and (gain or any(layer.met.any() or not layer.degree.all() for layer in layers.layers)):
        raise NotShown("a state of an event, a dead end, or a gain is worth the same to both sides")
    lower, other = np.zeros(layers.states, dtype=np.int64), np.zeros(layers.states, dtype=np.int64)
    below, above = (lower, ends[0]), (other, SCALE - ends[1] if endless else ends[1])
    against = {actor: -how for actor, how in operators.items()}
    for block in reversed(group_layers_by_measure(layers)):
        steps = [ValueStep(layer, operators, other_operator, gain, gainless_actors) for layer in block]
        circles = layers.circles and has_edge_within_measure(block)
        if endless:
            _set_block_bounds(steps, below, None, circles, context)
            _set_block_bounds(
                [ValueStep(layer, against, -other_operator) for layer in block], above, None, circles, context
            )
        else:
            _set_block_bounds(steps, below, above, circles, context)
        if other[block[0].base : block[-1].beyond].max() > SCALE:
            raise NotShown(BEYOND)
    return lower, SCALE - other if endless else other


def _set_block_bounds(
    steps: Sequence[ValueStep], below: SideBounds, above: SideBounds | None, circles: bool, context: Context
) -> None:
    """Set the bounds of some layers' states from those behind them. Raises NotShown."""
    if not circles:
        for step in steps:
            below[0][step.own] = step.compute_values(*below, round_up=False)
            if above is not None:
                above[0][step.own] = step.compute_values(*above, round_up=True)
        return
    if context.propose is None:
        raise NotShown("play may come back to a state, and nobody proposes bounds")
    for step in steps:  # what proposes bounds may not change what they are held against
        for part in (*vars(step).values(), *vars(step.layer).values()):
            if isinstance(part, np.ndarray):
                part.flags.writeable = False
    seen = _make_readonly_views(below), None if above is None else _make_readonly_views(above)
    lower, ranks, upper = context.propose(steps, *seen)
    _store_proposed_bounds(steps, below, lower)
    check_lower_bounds(steps, below, ranks)
    if above is not None:
        _store_proposed_bounds(steps, above, upper)
        check_upper_bounds(steps, above)


def _make_readonly_views(side: SideBounds) -> SideBounds:
    """Return the same values, which nobody can change by it."""
    views = side[0].view(), side[1].view()
    for view in views:
        view.flags.writeable = False
    return views


def _store_proposed_bounds(steps: Sequence[ValueStep], side: SideBounds, bounds: Column | None) -> None:
    """Take bounds up among the values of all states. Raises NotShown if they are no such bounds."""
    own = slice(steps[0].own.start, steps[-1].own.stop)
    if bounds is None or bounds.shape != (own.stop - own.start,) or bounds.dtype != np.int64:
        raise NotShown("expected one bound for each state")
    if not 0 <= bounds.min() <= bounds.max() <= SCALE:
        raise NotShown("a bound is not from 0 to 1")
    side[0][own] = bounds


def check_upper_bounds(steps: Sequence[ValueStep], side: SideBounds) -> None:
    """Check that the bounds of some layers' states are bounds from above (1). Raises NotShown."""
    if any((step.compute_values(*side, round_up=True) > side[0][step.own]).any() for step in steps):
        raise NotShown("best play may do better than the bound from above")


def check_lower_bounds(steps: Sequence[ValueStep], side: SideBounds, ranks: npt.NDArray[Any]) -> None:
    """Check that the bounds of some layers' states are bounds from below, by these ranks (2). Raises NotShown."""
    own = slice(steps[0].own.start, steps[-1].own.stop)
    if ranks.shape != (own.stop - own.start,):
        raise NotShown("expected one rank for each state")
    for step in steps:
        if (step.compute_values(*side, round_up=False) < side[0][step.own]).any() or not _do_ranks_fall(
            step, side, ranks, own
        ):
            raise NotShown("the bound from below is not reached")


def _do_ranks_fall(step: ValueStep, side: SideBounds, ranks: npt.NDArray[Any], own: slice) -> bool:
    """Return whether play comes to a lower rank, as 2 says, from each state of a layer that needs one."""
    if not len(step.rows):
        return True
    rows, to = step.layer.base + step.rows, step.layer.to
    here, behind = side[0][rows], step.get_successor_values(*side)
    inside = (to >= own.start) & (to < own.stop)
    ranked = ranks[np.where(inside, to - own.start, 0)] < np.repeat(ranks[rows - own.start], step.degree)
    down = ~inside | (behind <= 0) | ranked
    good = down & (behind >= np.repeat(here, step.degree))
    leads = reduce_edges_by_chooser(step.how, good, step.firsts, np.logical_or, np.logical_and)
    leads |= (step.how == MEAN) & np.logical_or.reduceat(down, step.firsts)
    return bool((leads | (here <= 0) | (step.gain > 0) | step.layer.met[step.rows]).all())

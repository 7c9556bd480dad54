"""Values of states, computed layer by layer from the last: chances of an event, and expected numbers at the end.

A value lies from 0 to 1 and is held as a whole number of SCALE, once rounded down (`lower`) and once up (`upper`). An
expected number is first brought there: 0 is the least and 1 the greatest value that its term has in an end.

The theorem: in an end, and in a state of the event, the value is known. Elsewhere it is the greatest of its successors'
values where the seeker chooses, the least where others choose against it, and the mean where chance (or a player who
plays at random) does. Successors lie in later layers or are ends, so the sweep has their values. Each rounding goes to
the safe side, so `lower` <= value <= `upper`. `circling` takes these steps, also in layers with circles.

The premises, and where they are checked: the states are there once, and no decision leads to an earlier layer
(`layers`); every weight is above 0 (`layers`); the weights of a state are so few that no sum leaves 62 bits
(`mean_of`); the values of the ends are from 0 to 1 (`circling`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.layers import Column, Layer, Layers

SCALE = 1 << 46
_HEAVIEST = 1 << 15  # the weights of one state together
MOST, LEAST, MEAN = 1, -1, 0
LUCK = MappingProxyType({"best": MOST, "worst": LEAST, "mean": MEAN})
"""How the edges of chance count under each kind of luck."""


class Step:
    """One step of play from the states of a layer: their values from those of their successors."""

    def __init__(
        self, layer: Layer, who: Mapping[int, int], others: int, gain: int = 0, free: Sequence[int] = ()
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
            self.total = np.where(self.how == MEAN, np.add.reduceat(self.weights(), self.firsts), 1)

    def weights(self) -> Column:
        """Return the weight of each edge."""
        if self.layer.weight is None:
            return np.ones(len(self.layer.to), dtype=np.int64)
        return self.layer.weight.astype(np.int64)

    def behind(self, values: Column, ends: Column) -> Column:
        """Return the value behind each edge. `values` are those of all states, `ends` those of the ends."""
        behind = values[np.maximum(self.layer.to, 0)]
        over = np.flatnonzero(self.layer.to < 0)
        behind[over] = ends[-1 - self.layer.to[over].astype(np.int64)]
        return behind

    def taken(self, values: Column, ends: Column, up: bool) -> Column:
        """Return the values of the layer's states after one step, rounded up or down. Raises NotShown."""
        after = np.zeros(len(self.layer.degree), dtype=values.dtype)
        if len(self.rows):
            behind = self.behind(values, ends)
            chosen, mean = np.empty(len(self.rows), dtype=values.dtype), self.how == MEAN
            if not mean.all():
                chosen = by_choice(self.how, behind, self.firsts, np.maximum, np.minimum)
            if mean.any():
                chosen[mean] = mean_of(behind, self.weights(), self.total, self.firsts, up)[mean]
            after[self.rows] = chosen + self.gain
        after[self.layer.met] = SCALE  # whatever comes behind it
        return after


def by_choice(
    how: npt.NDArray[np.int8], behind: npt.NDArray[Any], firsts: Column, most: np.ufunc, least: np.ufunc
) -> npt.NDArray[Any]:
    """Return `most` of what lies behind the edges of each state, or `least` of it where others choose."""
    chosen: npt.NDArray[Any] = most.reduceat(behind, firsts)
    others = how == LEAST
    if others.any():
        chosen[others] = least.reduceat(behind, firsts)[others]
    return chosen


def mean_of(behind: Column, weight: Column, total: Column, firsts: Column, up: bool) -> Column:
    """Return means of the values behind edges, rounded up or down, but fractions as they are; `firsts` are the places
    where the edges of each state begin, and `total` is the sum of their weights. Raises NotShown."""
    sums = np.add.reduceat(behind * weight, firsts)
    if sums.dtype == np.object_:
        return np.asarray(sums / total)
    if total.max() > _HEAVIEST:
        raise NotShown(f"the weights of a state are more than {_HEAVIEST:,} together")
    return -(-sums // total) if up else sums // total


def blocks(made: Layers) -> list[list[Layer]]:
    """Return the layers by their measures, in order."""
    return [list(of_one) for _, of_one in groupby(made.layers, key=lambda layer: layer.block)]


def returns(block: Sequence[Layer]) -> bool:
    """Return whether an edge stays in its measure."""
    first, beyond = block[0].base, block[-1].beyond
    return any(((layer.to >= first) & (layer.to < beyond)).any() for layer in block)

"""Values of states, computed layer by layer from the last: chances of an event, and expected numbers at the end.

A value lies from 0 to 1 and is held as a whole number of SCALE, once rounded down (`lower`) and once up (`upper`). An
expected number is first brought there: 0 is the least and 1 the greatest value that its term has in an end.

The theorem: in an end, and in a state of the event, the value is known. Elsewhere it is the greatest of its successors'
values where the seeker chooses, the least where others choose against it, and the mean where chance (or a player who
plays at random) does. Successors lie in later layers or are ends, so the sweep has their values. Each rounding goes to
the safe side, so `lower` <= value <= `upper`. `circling` takes these steps, also in layers with circles.

The premises, and where they are checked: the states are there once, and no decision leads to an earlier layer
(`layers`); every weight is above 0 (`layers`); the weights of a state are so few that no sum leaves 62 bits
(`Step`); the values of the ends are from 0 to 1 (`circling`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.layers import Column, Layer, Layers

SCALE = 1 << 46
_HEAVIEST = 1 << 15  # the weights of one state together
MOST, LEAST, MEAN = 1, -1, 0


class Step:
    """One step of play from the states of a layer: their values from those of their successors."""

    def __init__(self, layer: Layer, ends: Column, who: Mapping[int, int], others: int) -> None:
        """`who` maps actors (-1 is chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Raises
        NotShown."""
        self.layer, self.ends = layer, ends
        self.rows = np.flatnonzero(layer.degree)
        degree = layer.degree[self.rows].astype(np.int64)
        self.firsts = np.cumsum(degree) - degree
        self.how = np.full(len(self.rows), others, dtype=np.int8)
        for each, counts in who.items():
            self.how[layer.actor[self.rows] == each] = counts
        self.successors = np.maximum(layer.to, 0)
        self.over = np.flatnonzero(layer.to < 0)
        self.beyond = ends[-1 - layer.to[self.over].astype(np.int64)]
        self.heavy = None if layer.weight is None else layer.weight.astype(np.int64)
        self.total = degree
        if self.heavy is not None and len(self.rows):
            self.total = np.where(self.how == MEAN, np.add.reduceat(self.heavy, self.firsts), 1)
        if len(self.rows) and self.total.max() > _HEAVIEST:
            raise NotShown(f"the weights of a state are more than {_HEAVIEST:,} together")

    def following(self, values: Column) -> Column:
        """Return the value behind each edge."""
        behind = values[self.successors]
        behind[self.over] = self.beyond
        return behind

    def taken(self, values: Column, up: bool) -> Column:
        """Return the values of the layer's states after one step, rounded up or down."""
        layer = self.layer
        after = np.zeros(len(layer.degree), dtype=np.int64)
        if len(self.rows):
            after[self.rows] = self._chosen(self.following(values), up)
        after[layer.met] = SCALE  # whatever comes behind it
        return after

    def _chosen(self, following: Column, up: bool) -> Column:
        chosen = np.empty(len(self.rows), dtype=np.int64)
        most, least, mean = self.how == MOST, self.how == LEAST, self.how == MEAN
        if most.any():
            chosen[most] = np.maximum.reduceat(following, self.firsts)[most]
        if least.any():
            chosen[least] = np.minimum.reduceat(following, self.firsts)[least]
        if mean.any():
            weighed = following if self.heavy is None else following * self.heavy
            sums = np.add.reduceat(weighed, self.firsts)[mean]
            chosen[mean] = -(-sums // self.total[mean]) if up else sums // self.total[mean]
        return chosen


def blocks(made: Layers) -> list[list[Layer]]:
    """Return the layers by their measures, in order."""
    return [list(of_one) for _, of_one in groupby(made.layers, key=lambda layer: layer.block)]


def returns(block: Sequence[Layer]) -> bool:
    """Return whether an edge stays in its measure."""
    first, beyond = block[0].base, block[-1].beyond
    return any(((layer.to >= first) & (layer.to < beyond)).any() for layer in block)

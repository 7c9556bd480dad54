"""Values of states, computed layer by layer from the last: chances of an event, and expected numbers at the end.

A value lies from 0 to 1 and is held as a whole number of SCALE, once rounded down (`lower`) and once up (`upper`). An
expected number is first brought there: 0 is the least and 1 the greatest value that its term has in an end.

The theorem: in an end, and in a state of the event, the value is known. Elsewhere it is the greatest of its successors'
values where the seeker chooses, the least where others choose against it, and the mean where chance (or a player who
plays at random) does. Successors lie in later layers or are ends, so the sweep has their values. Each rounding goes to
the safe side, so `lower` <= value <= `upper`.

The premises, and where they are checked: the states are there once, and every decision leads to a later layer or an
end (`layers`); every weight is above 0 (`layers`); the weights of a state are so few that no sum leaves 62 bits
(`_mean`); the values of the ends are from 0 to 1 (`swept`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.layers import Column, Layer, Layers

SCALE = 1 << 46
_HEAVIEST = 1 << 15  # the weights of one state together
MOST, LEAST, MEAN = 1, -1, 0


def swept(made: Layers, ends: Column, who: Mapping[int, int], others: int, up: bool) -> Column:
    """Return the value of each state, rounded up or down. `ends` are the values of the ends, `who` maps actors (-1 is
    chance) to MOST, LEAST or MEAN, and `others` is for all other actors. Raises NotShown."""
    if len(ends) and not 0 <= ends.min() <= ends.max() <= SCALE:
        raise NotShown("a value is not from 0 to 1")
    values = np.zeros(made.states, dtype=np.int64)
    for layer in reversed(made.layers):
        rows = np.flatnonzero(layer.degree)
        mine = values[layer.base : layer.base + len(layer.degree)]
        if len(rows):
            mine[rows] = _chosen(
                layer, rows, _following(layer, values, ends), _how(layer.actor[rows], who, others), up
            )
        mine[layer.met] = SCALE  # whatever comes behind it
    return values


def _how(actor: npt.NDArray[np.int8], who: Mapping[int, int], others: int) -> npt.NDArray[np.int8]:
    """Return how each state's edges count."""
    how = np.full(len(actor), others, dtype=np.int8)
    for each, counts in who.items():
        how[actor == each] = counts
    return how


def _following(layer: Layer, values: Column, ends: Column) -> Column:
    """Return the value behind each edge."""
    following = values[np.maximum(layer.to, 0)]
    over = np.flatnonzero(layer.to < 0)
    following[over] = ends[-1 - layer.to[over].astype(np.int64)]
    return following


def _chosen(layer: Layer, rows: Column, following: Column, how: Any, up: bool) -> Column:
    """Return the value of each state with edges."""
    firsts = np.concatenate([[0], np.cumsum(layer.degree[rows])])[:-1]
    chosen = np.empty(len(rows), dtype=np.int64)
    if (how == MOST).any():
        chosen[how == MOST] = np.maximum.reduceat(following, firsts)[how == MOST]
    if (how == LEAST).any():
        chosen[how == LEAST] = np.minimum.reduceat(following, firsts)[how == LEAST]
    if (how == MEAN).any():
        chosen[how == MEAN] = _mean(layer, rows, firsts, following, up)[how == MEAN]
    return chosen


def _mean(layer: Layer, rows: Column, firsts: Column, following: Column, up: bool) -> Column:
    if layer.weight is None:
        total, sums = layer.degree[rows], np.add.reduceat(following, firsts)
    else:
        heavy = layer.weight.astype(np.int64)
        total, sums = np.add.reduceat(heavy, firsts), np.add.reduceat(following * heavy, firsts)
    if total.max() > _HEAVIEST:
        raise NotShown(f"the weights of a state are more than {_HEAVIEST:,} together")
    return -(-sums // total) if up else sums // total

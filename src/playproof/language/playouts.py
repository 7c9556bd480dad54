"""The results of many games in a compiled reading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Playouts:
    """The results of a batch of games, one row per game: ending number, decisions (of players
    only), round reached, returns of each seat, and the seat that decided first (-1 if nobody did or
    nothing was counted). For each ground action, `taken` counts how often players took it and
    `worth` sums the takers' returns."""

    endings: Ints
    decisions: Ints
    rounds: Ints
    returns: Ints
    starters: Ints
    taken: Ints
    worth: Ints

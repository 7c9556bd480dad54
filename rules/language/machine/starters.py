"""Who begins: the seat that makes the first decision of each game of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.rules.language.machine.draws import copy
from playproof.rules.language.machine.given import CELLS, WIDTH, actor, settle, step
from playproof.rules.language.random import seed_of

if TYPE_CHECKING:
    from playproof.rules.language.machine.kinds import Cells, Ints, Word


def starters(start: Cells, run: Word, first: int, began: Ints) -> None:
    """Write for games `first`, `first` + 1, ... of a run who decides first, -1 where nobody does. Chance draws the same
    numbers as in `playouts`, so these are the starters of its games."""
    S = np.zeros(CELLS, dtype=np.int64)
    R = np.zeros(1, dtype=np.uint64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    settle(start)
    for game in range(len(began)):
        copy(S, start)
        R[0] = seed_of(run, first + game)
        while S[1] == 0 and actor(S) < 0:
            if step(S, R, out, weights) < 0:
                break
            settle(S)
        began[game] = actor(S) if S[1] == 0 else -1

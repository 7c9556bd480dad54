"""One depth of the beam, compiled to machine code together with a game's generated source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from playproof.language.machine.draws import below, copy
from playproof.language.machine.generated_functions import CELLS, WIDTH, apply, legal, pack, round_of, unpack
from playproof.language.machine.state_table import place

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice, Ints, Ints32, Packed, RealGrid, Reals


def place_first(start: Cells, P: Packed, table: Ints32, mask: int) -> None:
    """Store a state as row 0 of an empty table."""
    pack(start, P, 0)
    table[place(P, 0, table, mask)] = 0


def widen(
    P: Packed,
    parent: Ints32,
    taken: Ints32,
    table: Ints32,
    mask: int,
    rows: Ints32,
    size: int,
    lows: Ints,
    weights: RealGrid,
    wanted: Ints,
    most_rounds: int,
    noise: float,
    R: Dice,
    fresh: Ints32,
    score: Reals,
    facts: Ints,
) -> int:
    """Expand the states in `rows[:size]`: write the new states' rows to `fresh` and their worth to
    `score`.

    Returns the row of the first state with a wanted ending, -1 if there is none, -2 if the room is
    used up. `facts` holds the number of states so far (0) and of new states at this depth (1).
    """
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    chances = np.zeros(WIDTH, dtype=np.int64)
    room = len(parent) - 2
    count = int(facts[0])
    found = 0
    for k in range(size):
        i = int(rows[k])
        unpack(P, i, S)
        n = legal(S, out, chances)
        for a in range(n):
            copy(T, S)
            apply(T, int(out[a]))
            if T[1] != 0 and wanted[T[1]] == 0:
                continue
            if round_of(T) > most_rounds:
                continue
            pack(T, P, count)
            slot = place(P, count, table, mask)
            if table[slot] >= 0:
                continue
            table[slot] = count
            parent[count] = i
            taken[count] = out[a]
            if T[1] != 0:
                facts[0] = count + 1
                return count
            value = noise * below(R, 1000) / 1000.0
            for cell in range(CELLS):
                value += weights[cell, T[cell] - lows[cell]]
            fresh[found] = count
            score[found] = value
            found += 1
            count += 1
            if count >= room:
                facts[0] = count
                return -2
    facts[0] = count
    facts[1] = found
    return -1

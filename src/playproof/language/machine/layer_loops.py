"""Layers of a game's states: the steps from one to later ones.

The measure that orders the layers is the game's `round_of`, which every step has to raise. `worth_of(S, EVENT)` says
whether the event has happened, `worth_of(S, BEYOND)` whether a state is left open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playproof.language.machine.draws import copy_state
from playproof.language.machine.generated_functions import (
    CELLS,
    WIDTH,
    WORDS,
    actor,
    apply,
    legal,
    pack,
    round_of,
    unpack,
    worth_of,
)
from playproof.language.machine.state_table import find_slot, prefetch_slot

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Ints, Ints8, Ints32, Packed

EVENT = 0
BEYOND = 1
# Where an edge leads if not to a state: -1 - the end in which nothing is won, an open state, or the event.
NOTHING = 0
OPEN = 1
WON = 2
# Who acts in a state that has no edges: -1 - nobody, because the event has happened, or since nobody can.
MET = 1
STUCK = 2
# Entries of `facts`: the edges written; whether a weight does not fit 32 bits, and whether a state is left open.
EDGES = 0
TOO_HEAVY = 1
LEFT_OPEN = 2
_AHEAD = 12
_HEAVIEST = 2147483647


class LayerEdges(NamedTuple):
    """The edges of some states in the order of the states: the packed state behind each, its measure and its weight,
    and where it leads if not to a state. Each state has a degree and an actor. `facts` count."""

    after: Packed
    measured: Ints
    weight: Ints32
    to: Ints32
    degree: Ints32
    actor: Ints8
    facts: Ints


def successors(P: Packed, first: int, stop: int, made: LayerEdges) -> int:
    """Write the edges of the rows first..stop-1 of `P`, as many as there is room for; return the row behind the last
    that was done. A state's place in `degree` is counted from `first`."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    n = 0
    for i in range(first, stop):
        if n + WIDTH > len(made.to):
            made.facts[EDGES] = n
            return i
        unpack(P, i, S)
        if worth_of(S, EVENT) != 0:
            made.degree[i - first] = 0
            made.actor[i - first] = -1 - MET
            continue
        choices = legal(S, out, weights)
        made.degree[i - first] = choices
        if choices == 0:
            made.actor[i - first] = -1 - STUCK
            continue
        who = actor(S)
        made.actor[i - first] = who
        for a in range(choices):
            copy_state(T, S)
            apply(T, int(out[a]))
            weight = 1
            if who < 0:
                weight = int(weights[a])
                if weight > _HEAVIEST:
                    made.facts[TOO_HEAVY] = 1
            made.weight[n] = weight
            write_edge_target(T, made, n)
            n += 1
    made.facts[EDGES] = n
    return stop


def write_edge_target(T: Cells, made: LayerEdges, n: int) -> None:
    """Write where edge `n` leads, if the state `T` lies behind it."""
    if T[1] != 0:
        made.to[n] = -1 - NOTHING
        if worth_of(T, EVENT) != 0:
            made.to[n] = -1 - WON
    elif worth_of(T, BEYOND) != 0:
        made.to[n] = -1 - OPEN
        made.facts[LEFT_OPEN] = 1
    else:
        made.to[n] = 0
        made.measured[n] = round_of(T)
        pack(T, made.after, n)


class WaitingStates(NamedTuple):
    """States that wait in a layer: packed rows, their numbers, and the table of hashes, which has to have room."""

    rows: Packed
    numbers: Ints32
    table: Ints32


def join(after: Packed, which: Ints32, to: Ints32, count: int, following: int, layer: WaitingStates) -> int:
    """Let the states `which` of `after` wait in a layer that has `count` states; new ones are numbered from `following`
    on. Write their numbers into `to`; return how many states the layer then has."""
    mask = len(layer.table) - 1
    last = len(which) - 1
    for k in range(len(which)):
        e = int(which[k])
        prefetch_slot(after, int(which[min(k + _AHEAD, last)]), layer.table, mask)
        for w in range(WORDS):
            layer.rows[count, w] = after[e, w]
        slot = find_slot(layer.rows, count, layer.table, mask)
        if layer.table[slot] < 0:
            layer.table[slot] = count
            layer.numbers[count] = following
            following += 1
            count += 1
        to[e] = layer.numbers[int(layer.table[slot])]
    return count

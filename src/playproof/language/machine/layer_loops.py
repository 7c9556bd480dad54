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
from playproof.language.machine.state_table import find_slot_of_equal_row_or_free_slot, prefetch_hash_slot_of_row

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


def write_edges_of_layer_states(packed_states: Packed, first_row: int, end_row: int, edges_out: LayerEdges) -> int:
    """Write the edges of the rows first..stop-1 of `packed_states`, as many as there is room for; return the row
    behind the last that was done. A state's place in `degree` is counted from `first_row`."""
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    n = 0
    for i in range(first_row, end_row):
        if n + WIDTH > len(edges_out.to):
            edges_out.facts[EDGES] = n
            return i
        unpack(packed_states, i, S)
        if worth_of(S, EVENT) != 0:
            edges_out.degree[i - first_row] = 0
            edges_out.actor[i - first_row] = -1 - MET
            continue
        choices = legal(S, out, weights)
        edges_out.degree[i - first_row] = choices
        if choices == 0:
            edges_out.actor[i - first_row] = -1 - STUCK
            continue
        who = actor(S)
        edges_out.actor[i - first_row] = who
        for a in range(choices):
            copy_state(T, S)
            apply(T, int(out[a]))
            weight = 1
            if who < 0:
                weight = int(weights[a])
                if weight > _HEAVIEST:
                    edges_out.facts[TOO_HEAVY] = 1
            edges_out.weight[n] = weight
            write_target_of_edge(T, edges_out, n)
            n += 1
    edges_out.facts[EDGES] = n
    return end_row


def write_target_of_edge(state_behind_edge: Cells, edges: LayerEdges, edge_number: int) -> None:
    """Write where edge `edge_number` leads, if the state `state_behind_edge` lies behind it."""
    if state_behind_edge[1] != 0:
        edges.to[edge_number] = -1 - NOTHING
        if worth_of(state_behind_edge, EVENT) != 0:
            edges.to[edge_number] = -1 - WON
    elif worth_of(state_behind_edge, BEYOND) != 0:
        edges.to[edge_number] = -1 - OPEN
        edges.facts[LEFT_OPEN] = 1
    else:
        edges.to[edge_number] = 0
        edges.measured[edge_number] = round_of(state_behind_edge)
        pack(state_behind_edge, edges.after, edge_number)


class WaitingStates(NamedTuple):
    """States that wait in a layer: packed rows, their numbers, and the table of hashes, which has to have room."""

    rows: Packed
    numbers: Ints32
    table: Ints32


def add_states_to_waiting_layer(
    states_behind_edges: Packed,
    selected_edges: Ints32,
    state_numbers: Ints32,
    state_count: int,
    next_number: int,
    waiting_states: WaitingStates,
) -> int:
    """Let the states `selected_edges` of `states_behind_edges` wait in a layer that has `state_count` states; new ones
    are numbered from `next_number` on. Write their numbers into `state_numbers`; return how many states the layer then
    has."""
    mask = len(waiting_states.table) - 1
    last = len(selected_edges) - 1
    for k in range(len(selected_edges)):
        e = int(selected_edges[k])
        prefetch_hash_slot_of_row(
            states_behind_edges, int(selected_edges[min(k + _AHEAD, last)]), waiting_states.table, mask
        )
        for w in range(WORDS):
            waiting_states.rows[state_count, w] = states_behind_edges[e, w]
        slot = find_slot_of_equal_row_or_free_slot(waiting_states.rows, state_count, waiting_states.table, mask)
        if waiting_states.table[slot] < 0:
            waiting_states.table[slot] = state_count
            waiting_states.numbers[state_count] = next_number
            next_number += 1
            state_count += 1
        state_numbers[e] = waiting_states.numbers[int(waiting_states.table[slot])]
    return state_count

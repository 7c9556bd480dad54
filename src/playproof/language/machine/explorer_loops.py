"""The explorer's loops: they expand states, layer them by round, build the graph of successors and
sweep over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from playproof.language.machine.draws import copy_state
from playproof.language.machine.generated_functions import (
    BATCH,
    CELLS,
    SEATS,
    WIDTH,
    actor,
    apply,
    legal,
    pack,
    returns,
    round_of,
    unpack,
)
from playproof.language.machine.state_table import (
    copy_row,
    find_slot,
    find_vacant_slot,
    prefetch_row_in_slot,
    prefetch_slot,
)

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Ints, Ints8, Ints32, Packed, Reals

_AHEAD = 12  # rows between asking memory for a slot and using it


def rehash(P: Packed, count: int, table: Ints32, mask: int) -> None:
    """Put the first `count` rows, which are all distinct, into an empty table."""
    for i in range(count):
        prefetch_slot(P, min(i + _AHEAD, count - 1), table, mask)
        table[find_vacant_slot(P, i, table, mask)] = i


# Entries of `facts`: the states so far; where the queue of this round begins and ends; how many states of later
# rounds wait; steps taken; in how many states nobody can act, and the first of them.
STATES = 0
HEAD = 1
TAIL = 2
WAITING = 3
STEPS = 4
STUCK = 5
FIRST_STUCK = 6


class ExplorationArrays(NamedTuple):
    """The states so far: packed rows, from which of them each was reached, the table of hashes, the queue, the first
    row and the number of states of each ending, the first row in which each action is legal, and `facts`."""

    rows: Packed
    parent: Ints32
    table: Ints32
    order: Ints32
    end_first: Ints
    end_count: Ints
    took_first: Ints
    facts: Ints


def expand(seen: ExplorationArrays, layer: int, budget: int, room: int, deepest: bool) -> None:
    """Expand queued states until the queue, the budget or the room ends; `deepest` takes the newest
    first.

    `order` holds the queue of this round from the left and the states of later rounds from the
    right. All successors of some states are packed first, into the rows from `facts[STATES]`. Memory can
    meanwhile fetch their places in the table, and then the rows to compare them with; the new ones
    stay.
    """
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    origins = np.zeros(BATCH, dtype=np.int64)
    endings = np.zeros(BATCH, dtype=np.int64)
    rounds = np.zeros(BATCH, dtype=np.int64)
    mask = len(seen.table) - 1
    while seen.facts[HEAD] < seen.facts[TAIL] and budget > 0 and seen.facts[STATES] < room:
        count = int(seen.facts[STATES])
        head = int(seen.facts[HEAD])
        tail = int(seen.facts[TAIL])
        n = 0
        # as if they were all new
        while head < tail and budget > 0 and n < BATCH - WIDTH and count + n < room:
            if deepest:
                tail -= 1
                i = int(seen.order[tail])
            else:
                i = int(seen.order[head])
                head += 1
            budget -= 1
            unpack(seen.rows, i, S)
            choices = legal(S, out, weights)
            if choices == 0 and S[1] == 0:
                if seen.facts[STUCK] == 0:
                    seen.facts[FIRST_STUCK] = i
                seen.facts[STUCK] += 1
            for a in range(choices):
                ident = int(out[a])
                if seen.took_first[ident] < 0:
                    seen.took_first[ident] = i
                copy_state(T, S)
                apply(T, ident)
                pack(T, seen.rows, count + n)
                prefetch_slot(seen.rows, count + n, seen.table, mask)
                origins[n] = i
                endings[n] = T[1]
                rounds[n] = round_of(T)
                n += 1
            if deepest:  # the newest may be among these
                break
        seen.facts[HEAD] = head
        seen.facts[TAIL] = tail
        seen.facts[STEPS] += n
        add_new_states(seen, mask, layer, deepest, n, origins, endings, rounds)


def add_new_states(
    seen: ExplorationArrays,
    mask: int,
    layer: int,
    deepest: bool,
    n: int,
    origins: Cells,
    endings: Cells,
    rounds: Cells,
) -> None:
    """Keep those of the `n` rows after the last state that are new: put them into the table, and into the queue of
    their round unless the game has ended there."""
    count = int(seen.facts[STATES])
    tail = int(seen.facts[TAIL])
    waiting = int(seen.facts[WAITING])
    for a in range(n):
        prefetch_row_in_slot(seen.rows, count + a, seen.table, mask)
    fresh = count
    for a in range(n):
        if fresh + a != count:
            copy_row(seen.rows, fresh + a, count)
        slot = find_slot(seen.rows, count, seen.table, mask)
        if seen.table[slot] >= 0:
            continue
        seen.table[slot] = count
        seen.parent[count] = int(origins[a])
        ending = int(endings[a])
        if ending != 0:
            if seen.end_count[ending] == 0:
                seen.end_first[ending] = count
            seen.end_count[ending] += 1
        elif not deepest and rounds[a] > layer:
            waiting += 1
            seen.order[len(seen.order) - waiting] = count
        else:
            seen.order[tail] = count
            tail += 1
        count += 1
    seen.facts[STATES] = count
    seen.facts[TAIL] = tail
    seen.facts[WAITING] = waiting


def split(P: Packed, order: Ints32, waiting: int, layer: int) -> int:
    """Move waiting states of rounds up to `layer` to the (empty) queue on the left; return how many
    moved."""
    S = np.zeros(CELLS, dtype=np.int64)
    end = len(order)
    later = 0
    moved = 0
    for k in range(1, waiting + 1):
        row = int(order[end - k])
        unpack(P, row, S)
        if round_of(S) <= layer:
            order[moved] = row
            moved += 1
        else:
            later += 1
            order[end - later] = row
    return moved


def next_layer(P: Packed, order: Ints32, waiting: int) -> int:
    """Return the least round among the waiting states."""
    S = np.zeros(CELLS, dtype=np.int64)
    least = 1 << 60
    for k in range(1, waiting + 1):
        unpack(P, int(order[len(order) - k]), S)
        least = min(least, round_of(S))
    return least


def edges(
    P: Packed,
    table: Ints32,
    mask: int,
    start: int,
    stop: int,
    scratch: int,
    first: Ints,
    to: Ints32,
    chance: Ints32,
    actors: Ints8,
    value: Reals,
) -> int:
    """Write the successors of rows start..stop-1 as rows of the table; stop early when `to` is
    full. Return the number of rows done.

    `first[i]` is the offset of row i's successors in `to`; `chance` holds the weights; `actors[i]`
    is the seat, -1 for chance, -9 for an end; `value[i]` is the first seat's return in an end.
    """
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    used = int(first[start])
    for i in range(start, stop):
        unpack(P, i, S)
        if S[1] != 0:
            actors[i] = -9
            for k in range(SEATS):
                gain[k] = 0
            returns(S, gain)
            value[i] = gain[0]
            first[i + 1] = used
            continue
        n = legal(S, out, weights)
        if used + n > len(to):
            return i
        actors[i] = actor(S) if n > 0 else -9
        for a in range(n):
            copy_state(T, S)
            apply(T, int(out[a]))
            pack(T, P, scratch)
            to[used] = table[find_slot(P, scratch, table, mask)]
            chance[used] = weights[a]
            used += 1
        first[i + 1] = used
    return stop


def sweep(first: Ints, to: Ints32, chance: Ints32, actors: Ints8, value: Reals, luck: int) -> float:
    """One Gauss-Seidel pass of best play, last row first. Even seats maximise, odd seats minimise.

    `luck`: 0 mean, 1 best, 2 worst. Returns the largest change.
    """
    change = 0.0
    for k in range(len(actors)):
        i = len(actors) - 1 - k
        a = int(actors[i])
        if a == -9 or first[i] == first[i + 1]:
            continue
        if a == -1 and luck == 0:
            total = 0.0
            mean = 0.0
            for e in range(first[i], first[i + 1]):
                mean += chance[e] * value[to[e]]
                total += chance[e]
            new = mean / total
        else:
            high = (a == -1 and luck == 1) or (a >= 0 and a % 2 == 0)
            new = float(value[to[first[i]]])
            for e in range(first[i] + 1, first[i + 1]):
                v = float(value[to[e]])
                if (v > new) == high and v != new:
                    new = v
        change = max(change, abs(new - float(value[i])))
        value[i] = new
    return change

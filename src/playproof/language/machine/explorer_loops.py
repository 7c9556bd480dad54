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
    copy_packed_row,
    find_free_hash_slot,
    find_slot_of_equal_row_or_free_slot,
    prefetch_hash_slot_of_row,
    prefetch_row_stored_in_hash_slot,
)

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Ints, Ints8, Ints32, Packed, Reals

_AHEAD = 12  # rows between asking memory for a slot and using it


def put_rows_into_empty_table(packed_states: Packed, count: int, table: Ints32, table_mask: int) -> None:
    """Put the first `count` rows, which are all distinct, into an empty table."""
    for i in range(count):
        prefetch_hash_slot_of_row(packed_states, min(i + _AHEAD, count - 1), table, table_mask)
        table[find_free_hash_slot(packed_states, i, table, table_mask)] = i


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


def expand_queued_states(
    exploration: ExplorationArrays, current_round: int, budget: int, max_states: int, newest_first: bool
) -> None:
    """Expand queued states until the queue, the budget or the room ends; `newest_first` takes the newest
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
    mask = len(exploration.table) - 1
    while exploration.facts[HEAD] < exploration.facts[TAIL] and budget > 0 and exploration.facts[STATES] < max_states:
        count = int(exploration.facts[STATES])
        head = int(exploration.facts[HEAD])
        tail = int(exploration.facts[TAIL])
        n = 0
        # as if they were all new
        while head < tail and budget > 0 and n < BATCH - WIDTH and count + n < max_states:
            if newest_first:
                tail -= 1
                i = int(exploration.order[tail])
            else:
                i = int(exploration.order[head])
                head += 1
            budget -= 1
            unpack(exploration.rows, i, S)
            choices = legal(S, out, weights)
            if choices == 0 and S[1] == 0:
                if exploration.facts[STUCK] == 0:
                    exploration.facts[FIRST_STUCK] = i
                exploration.facts[STUCK] += 1
            for a in range(choices):
                ident = int(out[a])
                if exploration.took_first[ident] < 0:
                    exploration.took_first[ident] = i
                copy_state(T, S)
                apply(T, ident)
                pack(T, exploration.rows, count + n)
                prefetch_hash_slot_of_row(exploration.rows, count + n, exploration.table, mask)
                origins[n] = i
                endings[n] = T[1]
                rounds[n] = round_of(T)
                n += 1
            if newest_first:  # the newest may be among these
                break
        exploration.facts[HEAD] = head
        exploration.facts[TAIL] = tail
        exploration.facts[STEPS] += n
        append_new_states_to_queues(exploration, mask, current_round, newest_first, n, origins, endings, rounds)


def append_new_states_to_queues(
    exploration: ExplorationArrays,
    table_mask: int,
    current_round: int,
    newest_first: bool,
    candidate_count: int,
    parent_by_candidate: Cells,
    ending_by_candidate: Cells,
    round_by_candidate: Cells,
) -> None:
    """Keep those of the `candidate_count` rows after the last state that are new: put them into the table, and
    into the queue of their round unless the game has ended there."""
    count = int(exploration.facts[STATES])
    tail = int(exploration.facts[TAIL])
    waiting = int(exploration.facts[WAITING])
    for a in range(candidate_count):
        prefetch_row_stored_in_hash_slot(exploration.rows, count + a, exploration.table, table_mask)
    fresh = count
    for a in range(candidate_count):
        if fresh + a != count:
            copy_packed_row(exploration.rows, fresh + a, count)
        slot = find_slot_of_equal_row_or_free_slot(exploration.rows, count, exploration.table, table_mask)
        if exploration.table[slot] >= 0:
            continue
        exploration.table[slot] = count
        exploration.parent[count] = int(parent_by_candidate[a])
        ending = int(ending_by_candidate[a])
        if ending != 0:
            if exploration.end_count[ending] == 0:
                exploration.end_first[ending] = count
            exploration.end_count[ending] += 1
        elif not newest_first and round_by_candidate[a] > current_round:
            waiting += 1
            exploration.order[len(exploration.order) - waiting] = count
        else:
            exploration.order[tail] = count
            tail += 1
        count += 1
    exploration.facts[STATES] = count
    exploration.facts[TAIL] = tail
    exploration.facts[WAITING] = waiting


def move_waiting_states_to_queue(
    packed_states: Packed, queue_rows: Ints32, waiting_count: int, current_round: int
) -> int:
    """Move waiting states of rounds up to `current_round` to the (empty) queue on the left; return how many
    moved."""
    S = np.zeros(CELLS, dtype=np.int64)
    end = len(queue_rows)
    later = 0
    moved = 0
    for k in range(1, waiting_count + 1):
        row = int(queue_rows[end - k])
        unpack(packed_states, row, S)
        if round_of(S) <= current_round:
            queue_rows[moved] = row
            moved += 1
        else:
            later += 1
            queue_rows[end - later] = row
    return moved


def find_least_waiting_round(packed_states: Packed, queue_rows: Ints32, waiting_count: int) -> int:
    """Return the least round among the waiting states."""
    S = np.zeros(CELLS, dtype=np.int64)
    least = 1 << 60
    for k in range(1, waiting_count + 1):
        unpack(packed_states, int(queue_rows[len(queue_rows) - k]), S)
        least = min(least, round_of(S))
    return least


def write_successor_edges(
    packed_states: Packed,
    table: Ints32,
    table_mask: int,
    first_row: int,
    end_row: int,
    scratch_row: int,
    edge_offsets: Ints,
    edge_targets: Ints32,
    edge_weights: Ints32,
    actor_by_row: Ints8,
    row_values: Reals,
) -> int:
    """Write the successors of rows start..stop-1 as rows of the table; stop early when `edge_targets` is
    full. Return the number of rows done.

    `edge_offsets[i]` is the offset of row i's successors in `edge_targets`; `edge_weights` holds the weights;
    `actor_by_row[i]` is the seat, -1 for chance, -9 for an end; `row_values[i]` is the first seat's return in an end.
    """
    S = np.zeros(CELLS, dtype=np.int64)
    T = np.zeros(CELLS, dtype=np.int64)
    out = np.zeros(WIDTH, dtype=np.int64)
    weights = np.zeros(WIDTH, dtype=np.int64)
    gain = np.zeros(SEATS, dtype=np.int64)
    used = int(edge_offsets[first_row])
    for i in range(first_row, end_row):
        unpack(packed_states, i, S)
        if S[1] != 0:
            actor_by_row[i] = -9
            for k in range(SEATS):
                gain[k] = 0
            returns(S, gain)
            row_values[i] = gain[0]
            edge_offsets[i + 1] = used
            continue
        n = legal(S, out, weights)
        if used + n > len(edge_targets):
            return i
        actor_by_row[i] = actor(S) if n > 0 else -9
        for a in range(n):
            copy_state(T, S)
            apply(T, int(out[a]))
            pack(T, packed_states, scratch_row)
            edge_targets[used] = table[
                find_slot_of_equal_row_or_free_slot(packed_states, scratch_row, table, table_mask)
            ]
            edge_weights[used] = weights[a]
            used += 1
        edge_offsets[i + 1] = used
    return end_row


def sweep_best_play_values(
    edge_offsets: Ints,
    edge_targets: Ints32,
    edge_weights: Ints32,
    actor_by_row: Ints8,
    row_values: Reals,
    chance_mode: int,
) -> float:
    """One Gauss-Seidel pass of best play, last row first. Even seats maximise, odd seats minimise.

    `chance_mode`: 0 mean, 1 best, 2 worst. Returns the largest change.
    """
    change = 0.0
    for k in range(len(actor_by_row)):
        i = len(actor_by_row) - 1 - k
        a = int(actor_by_row[i])
        if a == -9 or edge_offsets[i] == edge_offsets[i + 1]:
            continue
        if a == -1 and chance_mode == 0:
            total = 0.0
            mean = 0.0
            for e in range(edge_offsets[i], edge_offsets[i + 1]):
                mean += edge_weights[e] * row_values[edge_targets[e]]
                total += edge_weights[e]
            new = mean / total
        else:
            high = (a == -1 and chance_mode == 1) or (a >= 0 and a % 2 == 0)
            new = float(row_values[edge_targets[edge_offsets[i]]])
            for e in range(edge_offsets[i] + 1, edge_offsets[i + 1]):
                v = float(row_values[edge_targets[e]])
                if (v > new) == high and v != new:
                    new = v
        change = max(change, abs(new - float(row_values[i])))
        row_values[i] = new
    return change

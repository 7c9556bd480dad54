"""The explorer: compiled code finds every reachable state, packs it into 64-bit words and orders
states by round. Terms are evaluated over many states at once, each cell a row of a numpy array.

Memory per state: 8 bytes per word, 4 for its parent, 4 for its place in the queue, and 5 to 11 in
the table. If a search runs out of states, time or patience, `complete` is False and `reason` says
why; the search can be resumed."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language.compiled import Compiled, compute_max_states_built_at_once, iter_cell_places_in_packed_state
from playproof.language.expr import (
    Apply,
    Const,
    Local,
    Lookup,
    Op,
    Read,
    Reduce,
    Term,
    require_coverage_of_all_operators,
)
from playproof.language.machine.explorer_loops import (
    FIRST_STUCK,
    HEAD,
    STATES,
    STEPS,
    STUCK,
    TAIL,
    WAITING,
    ExplorationArrays,
)

# The explorer: compiled code finds every reachable state, packs it into 64-bit words, and orders states by
# round.

ProgressCallback = Callable[["Exploration"], bool]
_CHUNK = 200_000  # states expanded in one call at most: calls are not interrupted
_FIRST_CHUNK = 256
_ANY_ROUND = 2**62
# a chunk of fewer steps than so many (in machine code or not) is doubled
_LONG = {True: 500_000, False: 20_000}


@dataclass
class Exploration:
    """The states a search has found so far. Row 0 is the start; rows are in order of discovery,
    rounds ascending.

    `layers[r]` counts the states discovered up to the end of round r. `end_first[k]` is the first
    row with ending k (-1: none), `end_count[k]` the number of such states. `took_first[ident]` is
    the first row in which a ground action is legal. `stuck` counts states that are not over and
    offer no action.
    """

    compiled: Compiled
    packed: npt.NDArray[np.uint64]
    parent: npt.NDArray[np.int32]
    table: npt.NDArray[np.int32]
    order: npt.NDArray[np.int32]
    end_first: npt.NDArray[np.int64]
    end_count: npt.NDArray[np.int64]
    took_first: npt.NDArray[np.int64]
    facts: npt.NDArray[np.int64]
    layer: int = 0
    chunk: int = _FIRST_CHUNK
    layers: dict[int, int] = field(default_factory=dict)
    complete: bool = False
    depth_first: bool = False
    reason: str = ""
    seconds: float = 0.0

    @property
    def states(self) -> int:
        """The number of distinct states discovered."""
        return int(self.facts[STATES])

    @property
    def steps(self) -> int:
        """The number of transitions taken."""
        return int(self.facts[STEPS])

    @property
    def stuck(self) -> int:
        """States that are not over and in which nobody can act."""
        return int(self.facts[STUCK])

    def unpack_state_of_row(self, row: int) -> list[int]:
        """A row as a flat state."""
        cells = np.zeros(self.compiled.game.cells, dtype=np.int64)
        self.compiled.module.unpack(self.packed, row, cells)
        return [int(v) for v in cells]

    def list_action_numbers_from_start_to_row(self, row: int) -> list[int]:
        """Return the ground actions from the start to a row, found by following parents; the rounds
        are the fewest, unless the search went depth first."""
        idents: list[int] = []
        while row > 0:
            before = int(self.parent[row])
            idents.append(self._find_action_number_between_rows(before, row))
            row = before
        return idents[::-1]

    def _find_action_number_between_rows(self, parent_row: int, child_row: int) -> int:
        wanted = self.unpack_state_of_row(child_row)
        start = np.array(self.unpack_state_of_row(parent_row), dtype=np.int64)
        for ident in self.compiled.legal(start):
            trial = start.copy()
            self.compiled.apply(trial, ident)
            if trial.tolist() == wanted:
                return ident
        raise LookupError("a parent does not lead to its child")

    def find_rows_where_condition_holds(self, condition: Term, *, chunk: int = 500_000) -> npt.NDArray[np.int64]:
        """The rows in which a term holds."""
        parts = []
        for first in range(0, self.states, chunk):
            last = min(self.states, first + chunk)
            parts.append(
                np.flatnonzero(evaluate_term_in_many_states(condition, self.unpack_rows_into_columns(first, last)))
                + first
            )
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)

    def unpack_rows_into_columns(self, first_row: int, end_row: int) -> npt.NDArray[np.int64]:
        """The states from `first_row` to `end_row` - 1 as an array of cells x states."""
        return unpack_states_into_columns(self.compiled, self.packed[first_row:end_row])


def unpack_states_into_columns(compiled: Compiled, packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Return packed states as an array of cells x states; of plain objects, where values need more
    than 64 bits."""
    fits = all(f.lo >= -(2**63) and f.hi < 2**63 for f in compiled.game.fields)
    kind: type[np.generic] = np.int64 if fits else np.object_
    out: npt.NDArray[Any] = np.zeros((compiled.game.cells, len(packed)), dtype=kind)
    for cell, held, word, shift in iter_cell_places_in_packed_state(compiled.game):
        out[cell] = held.lo
        if word >= 0:
            bits = (packed[:, word] >> np.uint64(shift)) & np.uint64((1 << min(held.bits, 64)) - 1)
            out[cell] += bits.astype(out.dtype)
    return out


def create_exploration_from_start(
    compiled: Compiled, *, row_capacity: int = 3 << 14, start_state: Sequence[int] | None = None
) -> Exploration:
    """Return a search that holds only the start, or the state given as `start_state`."""
    module, game = compiled.module, compiled.game
    words = int(module.WORDS)
    seen = Exploration(
        compiled,
        np.zeros((row_capacity, words), dtype=np.uint64),
        np.full(row_capacity, -1, dtype=np.int32),
        np.full(_compute_hash_table_size(row_capacity), -1, dtype=np.int32),
        np.zeros(row_capacity, dtype=np.int32),
        np.full(len(game.endings) + 1, -1, dtype=np.int64),
        np.zeros(len(game.endings) + 1, dtype=np.int64),
        np.full(max(1, game.ground), -1, dtype=np.int64),
        np.zeros(8, dtype=np.int64),
    )
    first = compiled.start() if start_state is None else np.array(start_state, dtype=np.int64)
    module.pack(first, seen.packed, 0)
    _rebuild_hash_table(seen, 1)
    seen.facts[STATES], seen.facts[TAIL], seen.facts[FIRST_STUCK] = 1, 1, -1
    seen.layer = int(module.round_of(first))
    if first[1] != 0:
        seen.end_first[first[1]], seen.end_count[first[1]] = 0, 1
    return seen


def explore(
    compiled: Compiled,
    *,
    states: int = 20_000_000,
    steps: int | None = None,
    rounds: int | None = None,
    progress: ProgressCallback | None = None,
    resumed: Exploration | None = None,
    depth_first: bool = False,
) -> Exploration:
    """Visit every reachable state, round by round, within limits on states, steps (including those
    of the search it resumes) and rounds. The limits alone decide what the search sees, not the
    speed of the machine.

    `depth_first` takes the newest state first, whatever its round. It finds long lines soon, but
    not the fewest rounds. It is for a new search without `rounds`.

    `progress` is called between chunks and stops the search by returning False. `resumed` is a
    search to go on with.
    """
    if depth_first and (rounds is not None or resumed is not None):
        raise ValueError("depth first begins a search of its own, without rounds")
    seen = resumed or create_exploration_from_start(compiled)
    seen.depth_first = seen.depth_first or depth_first
    began, seen.reason = time.perf_counter(), ""
    while True:
        seen.reason = _describe_reached_limit_or_empty(seen, states, steps, progress)
        if seen.reason:
            break
        _expand_chunk_of_queue(compiled, seen, states)
        if seen.facts[HEAD] < seen.facts[TAIL]:
            continue
        seen.layers[seen.layer] = seen.states
        if seen.facts[WAITING] == 0:
            seen.complete = True
            break
        following = int(compiled.module.find_least_waiting_round(seen.packed, seen.order, seen.facts[WAITING]))
        if rounds is not None and following > rounds:
            seen.reason = f"stopped after round {rounds}, as asked"
            break
        moved = int(
            compiled.module.move_waiting_states_to_queue(seen.packed, seen.order, seen.facts[WAITING], following)
        )
        seen.layer, seen.facts[HEAD], seen.facts[TAIL] = following, 0, moved
        seen.facts[WAITING] -= moved
    seen.seconds += time.perf_counter() - began
    return seen


def _describe_reached_limit_or_empty(
    exploration: Exploration, max_states: int, max_steps: int | None, progress: ProgressCallback | None
) -> str:
    if exploration.states >= max_states:
        return f"{exploration.states:,} states, the limit"
    if max_steps is not None and exploration.steps >= max_steps:
        return (
            f"{exploration.steps:,} steps, the limit, in round {exploration.layer} after {exploration.states:,} states"
        )
    if progress is not None and not progress(exploration):
        return f"stopped in round {exploration.layer} after {exploration.states:,} states"
    return ""


def _expand_chunk_of_queue(compiled: Compiled, exploration: Exploration, max_states: int) -> None:
    """Expand one chunk of the queue. Grow the arrays first if the next state's children may not
    fit."""
    margin, before = compute_max_states_built_at_once(compiled.game) + 2, exploration.steps
    if exploration.states + margin >= len(exploration.packed):
        _double_row_capacity(exploration)
    reached = ExplorationArrays(
        exploration.packed,
        exploration.parent,
        exploration.table,
        exploration.order,
        exploration.end_first,
        exploration.end_count,
        exploration.took_first,
        exploration.facts,
    )
    room = min(max_states, len(exploration.packed) - margin)
    compiled.module.expand_queued_states(reached, exploration.layer, exploration.chunk, room, exploration.depth_first)
    took, long = exploration.steps - before, _LONG[compiled.machine]
    if took < long:
        exploration.chunk = min(_CHUNK, 2 * exploration.chunk)
    elif took > 2 * long:
        exploration.chunk = max(_FIRST_CHUNK, exploration.chunk // 2)


def expand_rows_into_new_rows(exploration: Exploration, rows: npt.NDArray[np.int32]) -> range:
    """Expand these rows of a search, whatever their rounds, and return the rows that are new. The caller keeps
    the queue, so `explore` cannot go on with the search."""
    first, margin = exploration.states, compute_max_states_built_at_once(exploration.compiled.game) + 2
    while len(rows):
        while exploration.states + len(rows) + margin >= len(exploration.packed):
            _double_row_capacity(exploration)
        exploration.order[: len(rows)] = rows
        exploration.facts[HEAD], exploration.facts[TAIL], exploration.facts[WAITING] = 0, len(rows), 0
        exploration.layer, exploration.chunk = _ANY_ROUND, len(rows)
        _expand_chunk_of_queue(exploration.compiled, exploration, len(exploration.packed))
        rows = rows[int(exploration.facts[HEAD]) :]
    exploration.facts[HEAD] = exploration.facts[TAIL] = exploration.facts[WAITING] = 0
    return range(first, exploration.states)


def _double_row_capacity(exploration: Exploration) -> None:
    old, room = len(exploration.packed), 2 * len(exploration.packed)
    exploration.packed, exploration.parent = (
        _copy_into_larger_array(exploration.packed, room),
        _copy_into_larger_array(exploration.parent, room),
    )
    order, waiting = _copy_into_larger_array(exploration.order, room), int(exploration.facts[WAITING])
    order[room - waiting :] = exploration.order[old - waiting :]
    exploration.order = order
    exploration.table = np.full(_compute_hash_table_size(room), -1, dtype=np.int32)
    _rebuild_hash_table(exploration, int(exploration.facts[STATES]))


def _rebuild_hash_table(exploration: Exploration, row_count: int) -> None:
    exploration.compiled.module.put_rows_into_empty_table(
        exploration.packed, row_count, exploration.table, len(exploration.table) - 1
    )


def _copy_into_larger_array(old: npt.NDArray[Any], row_capacity: int) -> npt.NDArray[Any]:
    new = np.zeros((row_capacity, *old.shape[1:]), dtype=old.dtype)
    new[: len(old)] = old
    return new


def _compute_hash_table_size(row_capacity: int) -> int:
    """Return the least power of two of which `row_capacity` rows fill at most three quarters."""
    size = 1
    while 3 * size < 4 * row_capacity:
        size *= 2
    return size


# -- values -----------------------------------------------------------------------------------------------------

MEAN, BEST, WORST = 0, 1, 2


@dataclass(frozen=True)
class GameValueBounds:
    """The value of the start under best play: `low <= value <= high`; the bounds differ by `gap`.
    `sweeps` counts the sweeps. A gap remains if the value depends on what endless play is worth."""

    low: float
    high: float
    sweeps: int
    values: npt.NDArray[np.float64]

    @property
    def gap(self) -> float:
        """The distance between the bounds."""
        return self.high - self.low


class GraphTooLargeError(Exception):
    """The graph of successors does not fit the limit given."""


@dataclass(frozen=True)
class SuccessorGraph:
    """Successors of every state of a complete exploration in compressed rows."""

    first: npt.NDArray[np.int64]
    to: npt.NDArray[np.int32]
    chance: npt.NDArray[np.int32]
    actors: npt.NDArray[np.int8]
    returned: npt.NDArray[np.float64]


def graph(seen: Exploration, *, edges: int = 400_000_000) -> SuccessorGraph:
    """Return the successor graph of a complete exploration. Raises GraphTooLargeError beyond `edges`."""
    if not seen.complete:
        raise GraphTooLargeError("the exploration is not complete: " + seen.reason)
    if seen.steps > edges:
        raise GraphTooLargeError(f"{seen.steps:,} steps, the limit is {edges:,}")
    n = seen.states
    if n + 1 >= len(seen.packed):
        _double_row_capacity(seen)
    made = SuccessorGraph(
        np.zeros(n + 1, dtype=np.int64),
        np.zeros(seen.steps, dtype=np.int32),
        np.zeros(seen.steps, dtype=np.int32),
        np.zeros(n, dtype=np.int8),
        np.zeros(n, dtype=np.float64),
    )
    done = seen.compiled.module.write_successor_edges(
        seen.packed,
        seen.table,
        len(seen.table) - 1,
        0,
        n,
        n,
        made.first,
        made.to,
        made.chance,
        made.actors,
        made.returned,
    )
    if done != n:
        raise GraphTooLargeError(f"successors of {n - int(done):,} states do not fit")
    return made


def solve(
    compiled: Compiled,
    net: SuccessorGraph,
    ends: npt.NDArray[np.float64],
    luck: int = MEAN,
    *,
    tolerance: float = 1e-12,
    sweeps: int = 100_000,
) -> GameValueBounds:
    """Compute best play on a graph whose ends are worth `ends[row]`; even seats maximise, odd seats
    minimise.

    Endless play is worth no less than the worst end and no more than the best. It may be worth 0,
    since nobody then gets anything. One run starts below all of these and one above, so the value
    lies between the two whatever cycles the graph has (Haddad and Monmege, "Interval iteration
    algorithm for MDPs and IMDPs", 2018). If the bounds do not meet,
    `playproof.verifier.proof.best_play` computes the chance of winning under best play, with
    endless play counted as a loss.
    """
    over = net.actors == -9
    worths = [0.0, *ends[over].tolist()]  # endless play may be worth 0
    bounds = [min(worths), max(worths)]
    runs = []
    used = 0
    for edge in bounds:
        value = np.where(over, ends, edge)
        for count in range(1, sweeps + 1):
            used = max(used, count)
            if (
                compiled.module.sweep_best_play_values(net.first, net.to, net.chance, net.actors, value, luck)
                <= tolerance
            ):
                break
        runs.append(value)
    return GameValueBounds(float(runs[0][0]), float(runs[1][0]), used, runs[0])


# -- vector --------------------------------------------------------------------------------------------------
# Evaluates terms over many states at once; each cell is a row of a numpy array.

Column = npt.NDArray[Any]
"""Whole numbers: of 64 bits, or Python's own if a term outgrows these."""
_MOST = 2**62
_REDUCERS: dict[str, np.ufunc] = {
    "sum": np.add,
    "any": np.maximum,
    "all": np.minimum,
    "min": np.minimum,
    "max": np.maximum,
}


def evaluate_term_in_many_states(
    term: Term, state_columns: Column, local_values: dict[int, Column] | None = None
) -> Column:
    """Return the term's value in every state; `state_columns` has the shape cells x states."""
    env = {} if local_values is None else local_values
    width = state_columns.shape[1]
    match term:
        case Const():
            return np.full(width, term.value, dtype=_choose_column_type(term))
        case Local():
            return env[term.number]
        case Read():
            rows = term.field.offset + evaluate_term_in_many_states(term.index, state_columns, env)
            return np.asarray(state_columns[rows, np.arange(width)])
        case Lookup():
            return np.asarray(term.table.values, dtype=np.int64)[
                evaluate_term_in_many_states(term.index, state_columns, env)
            ]
        case Apply():
            inner = {
                p.number: evaluate_term_in_many_states(a, state_columns, env)
                for p, a in zip(term.function.params, term.args, strict=True)
            }
            return evaluate_term_in_many_states(term.function.body, state_columns, inner)
        case Reduce():
            return _evaluate_reduction(term, state_columns, env)
        case Op():
            return _evaluate_operation(term, [evaluate_term_in_many_states(a, state_columns, env) for a in term.args])
    raise TypeError(f"unknown term {term!r}")


def _evaluate_reduction(term: Reduce, state_columns: Column, local_values: dict[int, Column]) -> Column:
    width = state_columns.shape[1]
    values = np.stack(
        [
            evaluate_term_in_many_states(
                term.body, state_columns, {**local_values, term.var.number: np.full(width, i, dtype=np.int64)}
            )
            for i in range(term.start, term.stop)
        ]
    )
    result: Column = _REDUCERS[term.kind].reduce(values.astype(_choose_column_type(term)), axis=0)
    return result


_OPERATIONS: dict[str, Callable[..., npt.NDArray[Any]]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "//": np.floor_divide,
    "%": np.mod,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "min": np.minimum,
    "max": np.maximum,
    "abs": np.abs,
    "pick": lambda condition, yes, no: np.asarray(np.where(condition != 0, yes, no)),
}
require_coverage_of_all_operators("the vector reading", _OPERATIONS)


_LOGIC = ("and", "or", "not")


def _evaluate_operation(term: Op, args: list[Column]) -> Column:
    kind = _choose_column_type(term, *term.args)
    if kind is not object:
        return np.asarray(_OPERATIONS[term.op](*args)).astype(np.int64)
    whole = [a != 0 if term.op in _LOGIC else a.astype(object) for a in args]
    return np.asarray(_OPERATIONS[term.op](*whole)).astype(_choose_column_type(term))


def _choose_column_type(*terms: Term) -> type:
    """Return the type of a column for terms: Python's whole numbers, which are slow, where the
    machine's are too short."""
    return object if any(t.lo < -_MOST or t.hi > _MOST for t in terms) else np.int64

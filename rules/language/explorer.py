"""The explorer: every reachable state, packed into 64-bit words, layered by round, found by compiled code.

Memory a state: 8 bytes a word, 4 for its parent, 4 for its place in the order of work, and 5 to 11 in the table.
It stops honestly: `complete` is False with a `reason` when states, time or patience ran out, and can go on.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from rules.language.compiled import Compiled
from rules.language.expr import Term
from rules.language.vector import evaluate

Progress = Callable[["Exploration"], bool]
_CHUNK = 200_000


@dataclass
class Exploration:
    """What a search has seen so far. Row 0 is the start; rows are in the order of discovery, rounds ascending.

    `layers[r]` counts the states discovered up to the end of round r. `end_first[k]` is the first row with ending k
    (-1: none), `end_count[k]` how many such states. `took_first[ident]` is the first row in which a ground action is
    legal. `stuck` counts states that are not over and offer no action, `stuck_first` is one of them.
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
    layers: dict[int, int] = field(default_factory=dict)
    complete: bool = False
    reason: str = ""
    seconds: float = 0.0

    @property
    def states(self) -> int:
        """Distinct states discovered."""
        return int(self.facts[0])

    @property
    def steps(self) -> int:
        """Transitions taken."""
        return int(self.facts[4])

    @property
    def stuck(self) -> int:
        """States that are not over and in which nobody can act."""
        return int(self.facts[5])

    @property
    def bytes_a_state(self) -> float:
        """Memory in use by the states found, in bytes a state."""
        words = int(self.packed.shape[1])
        return 8.0 * float(words) + 4 + 4 + 4 * len(self.table) / max(1, self.states)

    def state(self, row: int) -> list[int]:
        """A row as a flat state."""
        cells = np.zeros(self.compiled.game.cells, dtype=np.int64)
        self.compiled.module.call_unpack(self.packed, row, cells)
        return [int(v) for v in cells]

    def path(self, row: int) -> list[int]:
        """Ground actions from the start to a row: fewest rounds first, found by walking parents."""
        idents: list[int] = []
        while row > 0:
            before = int(self.parent[row])
            idents.append(self._between(before, row))
            row = before
        return idents[::-1]

    def _between(self, before: int, after: int) -> int:
        wanted = self.state(after)
        start = np.array(self.state(before), dtype=np.int64)
        for ident in self.compiled.legal(start):
            trial = start.copy()
            self.compiled.apply(trial, ident)
            if trial.tolist() == wanted:
                return ident
        raise LookupError("a parent does not lead to its child")

    def rows(self, condition: Term, *, chunk: int = 500_000) -> npt.NDArray[np.int64]:
        """Rows in which a term holds."""
        found = []
        for first in range(0, self.states, chunk):
            last = min(self.states, first + chunk)
            found.append(np.flatnonzero(evaluate(condition, self.columns(first, last))) + first)
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def columns(self, first: int, last: int) -> npt.NDArray[np.int64]:
        """States first..last-1 as an array of cells x states."""
        return unpack_columns(self.compiled, self.packed[first:last])


def unpack_columns(compiled: Compiled, packed: npt.NDArray[np.uint64]) -> npt.NDArray[np.int64]:
    """Packed states as an array of cells x states."""
    game = compiled.game
    out = np.zeros((game.cells, len(packed)), dtype=np.int64)
    word = used = 0
    for held in game.fields:
        for cell in range(held.offset, held.offset + held.size):
            if held.bits == 0:
                out[cell] = held.lo
                continue
            if used + held.bits > 64:
                word, used = word + 1, 0
            bits = (packed[:, word] >> np.uint64(used)) & np.uint64((1 << held.bits) - 1)
            out[cell] = bits.astype(np.int64) + held.lo
            used += held.bits
    return out


def begin(compiled: Compiled, *, room: int = 3 << 14) -> Exploration:
    """A search that has seen only the start."""
    module, game = compiled.module, compiled.game
    words = int(module.WORDS)
    seen = Exploration(
        compiled, np.zeros((room, words), dtype=np.uint64), np.full(room, -1, dtype=np.int32),
        np.full(_table_size(room), -1, dtype=np.int32), np.zeros(room, dtype=np.int32),
        np.full(len(game.endings) + 1, -1, dtype=np.int64), np.zeros(len(game.endings) + 1, dtype=np.int64),
        np.full(max(1, game.ground), -1, dtype=np.int64), np.zeros(8, dtype=np.int64))
    start = compiled.start()
    module.call_pack(start, seen.packed, 0)
    module.rehash(seen.packed, 1, seen.table, np.uint64(len(seen.table) - 1))
    seen.facts[0], seen.facts[2], seen.facts[6] = 1, 1, -1
    seen.layer = int(module.call_round_of(start))
    if start[1] != 0:
        seen.end_first[start[1]], seen.end_count[start[1]] = 0, 1
    return seen


def explore(compiled: Compiled, *, states: int = 20_000_000, seconds: float = 600.0, rounds: int | None = None,
            progress: Progress | None = None, go_on: Exploration | None = None) -> Exploration:
    """Visit every reachable state, round by round, within limits on states, seconds and (optionally) rounds.

    `progress` is called between chunks and stops the search by returning False. `go_on` resumes a search.
    """
    # Hashing wraps around on purpose; plain Python would warn of it.
    with np.errstate(over="ignore"):
        return _explore(compiled, go_on or begin(compiled), states, seconds, rounds, progress)


def _explore(compiled: Compiled, seen: Exploration, states: int, seconds: float, rounds: int | None,
             progress: Progress | None) -> Exploration:
    began, seen.reason = time.perf_counter(), ""
    while True:
        seen.reason = _limit(seen, states, seconds - (time.perf_counter() - began), progress)
        if seen.reason:
            break
        _chunk(compiled, seen, states)
        if seen.facts[1] < seen.facts[2]:
            continue
        seen.layers[seen.layer] = seen.states
        if seen.facts[3] == 0:
            seen.complete = True
            break
        following = int(compiled.module.next_layer(seen.packed, seen.order, seen.facts[3]))
        if rounds is not None and following > rounds:
            seen.reason = f"stopped after round {rounds}, as asked"
            break
        moved = int(compiled.module.split(seen.packed, seen.order, seen.facts[3], following))
        seen.layer, seen.facts[1], seen.facts[2] = following, 0, moved
        seen.facts[3] -= moved
    seen.seconds += time.perf_counter() - began
    return seen


def _limit(seen: Exploration, states: int, seconds: float, progress: Progress | None) -> str:
    if seen.states >= states:
        return f"{seen.states:,} states, the limit"
    if seconds <= 0:
        return f"out of time in round {seen.layer} after {seen.states:,} states"
    if progress is not None and not progress(seen):
        return f"stopped in round {seen.layer} after {seen.states:,} states"
    return ""


def _chunk(compiled: Compiled, seen: Exploration, most: int) -> None:
    """Expand one chunk of the queue, growing the arrays first where the next state's children may not fit."""
    margin = compiled.game.ground + 2
    if seen.states + margin >= len(seen.packed):
        _grow(compiled, seen)
    compiled.module.expand(
        seen.packed, seen.parent, seen.table, np.uint64(len(seen.table) - 1), seen.facts[0], seen.order,
        seen.facts[1], seen.facts[2], seen.facts[3], seen.layer, _CHUNK,
        min(most, len(seen.packed) - margin), seen.end_first, seen.end_count, seen.took_first, seen.facts)


def _grow(compiled: Compiled, seen: Exploration) -> None:
    old, room = len(seen.packed), 2 * len(seen.packed)
    seen.packed, seen.parent = _longer(seen.packed, room), _longer(seen.parent, room)
    order, waiting = _longer(seen.order, room), int(seen.facts[3])
    order[room - waiting :] = seen.order[old - waiting :]
    seen.order = order
    seen.table = np.full(_table_size(room), -1, dtype=np.int32)
    compiled.module.rehash(seen.packed, seen.facts[0], seen.table, np.uint64(len(seen.table) - 1))


def _longer(old: npt.NDArray[Any], room: int) -> npt.NDArray[Any]:
    new = np.zeros((room, *old.shape[1:]), dtype=old.dtype)
    new[: len(old)] = old
    return new


def _table_size(room: int) -> int:
    """The least power of two that `room` rows fill to at most three quarters."""
    size = 1
    while 3 * size < 4 * room:
        size *= 2
    return size


# -- values -----------------------------------------------------------------------------------------------------

MEAN, BEST, WORST = 0, 1, 2


@dataclass(frozen=True)
class Value:
    """The value of the start under best play: `low <= value <= high`, equal up to `gap`; sweeps needed."""

    low: float
    high: float
    sweeps: int
    values: npt.NDArray[np.float64]

    @property
    def gap(self) -> float:
        """How far apart the bounds are."""
        return self.high - self.low


class TooLarge(Exception):
    """The graph of successors does not fit the limit given."""


@dataclass(frozen=True)
class Graph:
    """Successors of every state of a complete exploration in compressed rows."""

    first: npt.NDArray[np.int64]
    to: npt.NDArray[np.int32]
    chance: npt.NDArray[np.int32]
    actors: npt.NDArray[np.int8]
    returned: npt.NDArray[np.float64]


def graph(seen: Exploration, *, edges: int = 400_000_000) -> Graph:
    """The successor graph of a complete exploration; raises TooLarge beyond `edges`."""
    if not seen.complete:
        raise TooLarge("the exploration is not complete: " + seen.reason)
    if seen.steps > edges:
        raise TooLarge(f"{seen.steps:,} steps, the limit is {edges:,}")
    n = seen.states
    if n + 1 >= len(seen.packed):
        _grow(seen.compiled, seen)
    made = Graph(np.zeros(n + 1, dtype=np.int64), np.zeros(seen.steps, dtype=np.int32),
                 np.zeros(seen.steps, dtype=np.int32), np.zeros(n, dtype=np.int8), np.zeros(n, dtype=np.float64))
    with np.errstate(over="ignore"):
        done = seen.compiled.module.edges(seen.packed, seen.table, np.uint64(len(seen.table) - 1), 0, n, n,
                                          made.first, made.to, made.chance, made.actors, made.returned)
    if done != n:
        raise TooLarge(f"successors of {n - int(done):,} states do not fit")
    return made


def solve(compiled: Compiled, net: Graph, ends: npt.NDArray[np.float64], luck: int = MEAN, *,
          tolerance: float = 1e-12, sweeps: int = 100_000) -> Value:
    """Best play on a graph whose ends are worth `ends[row]`; even seats maximise, odd seats minimise.

    Interval iteration: one run from below and, where the graph has circles, one from above; the start's value lies
    between them (Haddad and Monmege, "Interval iteration algorithm for MDPs and IMDPs", 2018).
    """
    over = net.actors == -9
    bounds = [float(ends[over].min()), float(ends[over].max())] if over.any() else [0.0, 0.0]
    runs = []
    used = 0
    for edge in bounds:
        value = np.where(over, ends, edge)
        for count in range(1, sweeps + 1):
            used = max(used, count)
            if compiled.module.sweep(net.first, net.to, net.chance, net.actors, value, luck) <= tolerance:
                break
        runs.append(value)
    return Value(float(runs[0][0]), float(runs[1][0]), used, runs[0])

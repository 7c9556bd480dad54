"""Best-first search: of the states seen, those that look nearest to the target are expanded first.

Machine code expands states and drops those seen before; this module says in which order. Three queues take turns.

* *Near*: states by their distance from the target (`goals.py`), the newest first.
* *New*: states by how new they are, then by their distance. A state is new if a cell has a value, or two cells have
  values, that no state of the same distance had before.
* *Cheap*: states by the additive estimate of the steps that are left (`relaxed.py`), where the rules give one.

Source: Lipovetzky and Geffner, "Best-first width search", AAAI 2017; Frances, Ramirez, Lipovetzky and Geffner, "Purely
declarative action descriptions are overrated", IJCAI 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import RulesError, Term
from playproof.language.explorer import Exploration, begin, expand_rows, unpack_columns
from playproof.language.expr import Const
from playproof.language.vector import evaluate
from playproof.verifier.questions.targets import Target
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.goals import distance
from playproof.verifier.search.lines import kind_of
from playproof.verifier.search.relaxed import Estimate
from playproof.verifier.search.work import done as counted, spend

Rows = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.int64]
_PARTS = 200
"""A batch has this part of all states seen: few states at first, when each matters."""
_SMALLEST, _LARGEST = 4, 1_024
_PAIRS = 25
"""Two to this power is how many pairs of values the search remembers."""
_MOST_CELLS = 96
"""Cells of a state beyond which pairs of values are not looked at."""
_COST = 10.0
"""What a state costs here, in steps of the explorer."""


def search(case: Case, target: Target, budget: Budget) -> list[int] | None:
    """Return a line to a target, or None if none is found within the budget."""
    number = distance(case, target)
    if kind_of(case.game) is not np.int64 or (target.idents is not None and isinstance(number, Const)):
        return None  # numbers that machine code does not hold, or nothing that would lead there
    fresh = range(1)
    try:
        seen = begin(case.compiled)
        guide = Guide(case, target, number, seen)
        while budget.left > 0 and seen.states < budget.states:
            line = _arrived(seen, target, fresh)
            if line is not None:
                return line
            rows = guide.next(fresh)
            if rows is None:
                return None
            before = seen.steps
            fresh = expand_rows(seen, rows)
            spend(case.step * (seen.steps - before + _COST * len(fresh)))
            budget.say(f"{seen.states:,} states, the nearest to the target first")
    except (
        RulesError,
        OverflowError,
    ):  # rules that break are another method's; so are numbers beyond 64 bits
        pass
    return None


class Guide:
    """Says which states come next. `done` are the rows that were expanded. `guess` is what a row's estimate is, if that
    is `sure`; until then it is that of the row before it."""

    def __init__(self, case: Case, target: Target, number: Term, seen: Exploration) -> None:
        self.number, self.seen, self.novelty = number, seen, Novelty(case)
        self.near, self.new, self.cheap = Queue(), Queue(), Queue()
        self.turns = [self.near, self.new]
        self.estimate = Estimate(case, target)
        self.done, self.sure = np.zeros(1, dtype=bool), np.zeros(1, dtype=bool)
        self.guess = np.zeros(1, dtype=np.int64)
        self.by_estimate = self.estimate.useful
        self.spent, self.mark = {True: 0.0, False: 0.0}, counted()

    def next(self, fresh: range) -> Rows | None:
        """Take in new rows and return those to expand, or None if none are left. Estimates get as much work as the
        other two queues together."""
        now = counted()
        self.spent[self.by_estimate] += now - self.mark
        self.mark = now
        if len(fresh):
            self._enter(fresh)
        most = int(np.clip(self.seen.states // _PARTS, _SMALLEST, _LARGEST))
        first = self.estimate.useful and self.spent[True] <= self.spent[False]
        for self.by_estimate in (first, not first):
            rows = self._estimated(most) if self.by_estimate else self._other(most)
            if len(rows):
                self.done[rows] = True
                return rows
        return None

    def _other(self, most: int) -> Rows:
        """Return rows of the two other queues, which take turns."""
        self.turns.append(self.turns.pop(0))
        rows = self.turns[0].take(most, self.done)
        return rows if len(rows) else self.turns[1].take(most, self.done)

    def _estimated(self, most: int) -> Rows:
        """Return rows with the least estimates. Those without one of their own are estimated first, and wait if it
        is higher."""
        while len(rows := self.cheap.take(most, self.done)):
            open_ = rows[~self.sure[rows]]
            if not len(open_):
                break
            before = self.guess[open_]
            self._estimate(open_, unpack_columns(self.seen.compiled, self.seen.packed[open_]))
            waits = self.guess[open_] > before
            self.cheap.add(self.guess[open_[waits]], open_[waits])
            rows = rows[~np.isin(rows, open_[waits])]
            if len(rows):
                break
        return rows

    def _estimate(self, rows: Rows, cells: npt.NDArray[Any]) -> None:
        self.guess[rows] = self.estimate.of(cells)
        self.sure[rows] = True

    def _enter(self, fresh: range) -> None:
        """Put new rows that are not over into the queues."""
        cells = self.seen.columns(fresh.start, fresh.stop)
        runs = np.flatnonzero(cells[1] == 0)
        cells, rows = cells[:, runs], (runs + fresh.start).astype(np.int32)
        near = evaluate(self.number, cells).astype(np.int64)
        self.near.add(near, rows)
        self.new.add((self.novelty.classes(cells, near) << 32) + near, rows)
        self.done, self.sure = _longer(self.done, fresh.stop), _longer(self.sure, fresh.stop)
        self.guess = _longer(self.guess, fresh.stop)
        if self.estimate.useful:
            self.guess[rows] = self.guess[np.maximum(self.seen.parent[rows], 0)]
            if self.by_estimate:
                self._estimate(rows, cells)
            self.cheap.add(self.guess[rows], rows)


def _longer(array: npt.NDArray[Any], count: int) -> npt.NDArray[Any]:
    """Return an array that has room for so many rows."""
    if count <= len(array):
        return array
    longer = np.zeros(2 * count, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _arrived(seen: Exploration, target: Target, fresh: range) -> list[int] | None:
    """Return the line to the first of the new states that meets the target, or None."""
    if not len(fresh):
        return None
    hits = np.flatnonzero(evaluate(target.condition, seen.columns(fresh.start, fresh.stop)))
    for row in (fresh.start + int(hit) for hit in hits):
        if target.idents is None:
            return seen.path(row)
        legal = target.idents.intersection(seen.compiled.legal(np.array(seen.state(row), dtype=np.int64)))
        if legal and not seen.state(row)[1]:
            return [*seen.path(row), min(legal)]
    return None


class Queue:
    """Rows by a number; those with the least one come first, and of these the newest."""

    def __init__(self) -> None:
        self._rows: dict[int, list[Rows]] = {}

    def add(self, numbers: Numbers, rows: Rows) -> None:
        """Add rows with their numbers."""
        for number in np.unique(numbers):
            self._rows.setdefault(int(number), []).append(rows[numbers == number])

    def take(self, most: int, done: npt.NDArray[np.bool_]) -> Rows:
        """Remove and return at most so many rows that are not done."""
        taken: list[Rows] = []
        while self._rows and most > 0:
            least = min(self._rows)
            several = self._rows[least]
            rows = several.pop()
            rows = rows[~done[rows]]
            if len(rows) > most:
                several.append(rows[:-most])
                rows = rows[-most:]
            if not several:
                del self._rows[least]
            most -= len(rows)
            taken.append(rows)
        return np.concatenate(taken) if taken else np.zeros(0, dtype=np.int32)


class Novelty:
    """What values cells had in states of each distance: singly, and in pairs by a hash, so that a pair may count as
    seen that is not."""

    def __init__(self, case: Case) -> None:
        fields = [f for f in case.game.fields for _ in range(f.size)]
        self.cells = [n for n, f in enumerate(fields) if f.hi > f.lo and n != 1]
        sizes = [min(fields[n].hi - fields[n].lo + 1, 4_096) for n in self.cells]
        self.lows = np.array([fields[n].lo for n in self.cells], dtype=np.int64)[:, None]
        self.sizes = np.array(sizes, dtype=np.int64)[:, None]
        self.firsts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)[:, None]
        self.single: dict[int, npt.NDArray[np.bool_]] = {}
        self.total = sum(sizes)
        self.pairs = np.zeros(1 << _PAIRS, dtype=bool) if len(self.cells) <= _MOST_CELLS else None

    def classes(self, cells: npt.NDArray[Any], near: Numbers) -> Numbers:
        """Return 0 for each state with a new value, 1 for a new pair of values, and 2 for others."""
        values = self.firsts + np.clip(cells[self.cells] - self.lows, 0, self.sizes - 1)
        result = np.full(values.shape[1], 2, dtype=np.int64)
        if self.pairs is not None:
            result[self._new_pairs(values.astype(np.uint32), near)] = 1
        for number in np.unique(near):
            table = self.single.setdefault(int(number), np.zeros(self.total, dtype=bool))
            states = np.flatnonzero(near == number)
            here = values[:, states]
            result[states[~table[here].all(axis=0)]] = 0
            table[here] = True
        return result

    def _new_pairs(self, values: npt.NDArray[np.uint32], near: Numbers) -> npt.NDArray[np.bool_]:
        """Return which states have a pair of values that is new at their distance, and note the pairs."""
        assert self.pairs is not None
        fresh = np.zeros(values.shape[1], dtype=bool)
        salt = (near.astype(np.uint32) * np.uint32(0x9E3779B1))[None, :]
        mixed = values * np.uint32(0x85EBCA6B)
        for n in range(1, len(values)):
            key = ((mixed[:n] ^ (values[n] * np.uint32(0xC2B2AE35))[None, :]) + salt) * np.uint32(0x27D4EB2F)
            key >>= np.uint32(32 - _PAIRS)
            fresh |= ~self.pairs[key].all(axis=0)
            self.pairs[key] = True
        return fresh

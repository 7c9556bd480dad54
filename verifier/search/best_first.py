"""Best-first search: of the states seen, those that look nearest to the target are expanded first.

Machine code expands states and drops those seen before; this module says in which order. A state's distance is the
additive estimate of the steps that are left (`relaxed.py`), where the rules give one; else by how much the conditions
of the target fail (`goals.py`). Two queues take turns.

* *Near*: states by their distance, the newest first.
* *New*: states by how new they are, then by their distance. A state is new if a cell has a value, or two cells have
  values, that no state had before of which the conditions fail as much and the distance is the same.

Source: Lipovetzky and Geffner, "Best-first width search", AAAI 2017; Frances, Ramirez, Lipovetzky and Geffner, "Purely
declarative action descriptions are overrated", IJCAI 2017.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import RulesError, Term
from playproof.language.explorer import (
    Exploration,
    create_exploration_from_start,
    evaluate_term_in_many_states,
    expand_rows_into_new_rows,
)
from playproof.language.expr import Const
from playproof.language.machine.relaxed_costs import UNMADE
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.search.case import Budget, GameCase, add_work_units_done
from playproof.verifier.search.lines_of_play import ActionLine, choose_dtype_holding_every_cell
from playproof.verifier.search.target_distance import RelaxedPlanEstimate, build_estimated_distance_to_target_term

RowArray = npt.NDArray[np.int32]
NumberArray = npt.NDArray[np.int64]
_PARTS = 200
"""A batch has this part of all states seen: few states at first, when each matters."""
_SMALLEST, _LARGEST = 4, 1_024
_PAIRS = 25
"""Two to this power is how many pairs of values the search remembers."""
_AT_ONCE = 100_000
"""Pairs of values looked at together."""
_MOST_CELLS = 96
"""Cells of a state beyond which pairs of values are not looked at."""
_COST = 25.0
"""What a state costs here, in steps of the explorer."""


def search_line_best_first_or_none(case: GameCase, target: Target, budget: Budget) -> ActionLine | None:
    """Return a line to a target, or None if none is found within the budget."""
    number = build_estimated_distance_to_target_term(case, target)
    if choose_dtype_holding_every_cell(case.game) is not np.int64 or (
        target.idents is not None and isinstance(number, Const)
    ):
        return None  # numbers that machine code does not hold, or nothing that would lead there
    fresh = range(1)
    try:
        seen = create_exploration_from_start(case.compiled)
        guide = SearchFrontier(case, target, number, seen)
        while budget.left > 0 and seen.states < budget.states:
            line = _find_line_to_new_target_row_or_none(seen, target, fresh)
            if line is not None:
                return line
            rows = guide.add_rows_and_take_next_to_expand_or_none(fresh)
            if rows is None:
                return None
            before = seen.steps
            fresh = expand_rows_into_new_rows(seen, rows)
            add_work_units_done(case.step_cost * (seen.steps - before + _COST * len(fresh)))
            budget.report_progress_line(f"{seen.states:,} states, the nearest to the target first")
    except (RulesError, OverflowError):  # rules that break are another method's; so are numbers beyond 64 bits
        pass
    return None


class SearchFrontier:
    """Says which states come next. `done` are the rows that were expanded, or that lie in a dead end."""

    def __init__(self, case: GameCase, target: Target, number: Term, seen: Exploration) -> None:
        self.number, self.seen, self.novelty = number, seen, NoveltyTable(case)
        self.estimate = RelaxedPlanEstimate(case, target)
        self.queues = BucketQueue(), BucketQueue()
        self.turns = [*self.queues]
        self.done = np.zeros(1, dtype=bool)

    def add_rows_and_take_next_to_expand_or_none(self, new_rows: range) -> RowArray | None:
        """Take in new rows and return those to expand, or None if none are left."""
        self.done = _copy_array_doubled_if_too_short(self.done, new_rows.stop)
        if len(new_rows):
            self._add_promising_rows_to_queues(new_rows)
        most = int(np.clip(self.seen.states // _PARTS, _SMALLEST, _LARGEST))
        self.turns.reverse()
        for queue in self.turns:
            rows = queue.take_rows_of_least_priority(most, self.done)
            if len(rows):
                self.done[rows] = True
                return rows
        return None

    def _add_promising_rows_to_queues(self, new_rows: range) -> None:
        """Put new rows that are not over into the queues."""
        cells = self.seen.unpack_rows_into_columns(new_rows.start, new_rows.stop)
        runs = np.flatnonzero(cells[1] == 0)
        far = evaluate_term_in_many_states(self.number, cells[:, runs]).astype(np.int64)
        near = far
        if self.estimate.useful:
            near = self.estimate.estimate_steps_to_target(cells[:, runs])
            alive = near < UNMADE
            near, far, runs = near[alive], far[alive], runs[alive]
        cells, rows = cells[:, runs], (runs + new_rows.start).astype(np.int32)
        by_distance, by_novelty = self.queues
        by_distance.add_rows_with_priorities(near, rows)
        by_novelty.add_rows_with_priorities(
            (self.novelty.classify_novelty_0_to_2_and_record_it(cells, (far << 20) + near) << 32) + near, rows
        )


def _copy_array_doubled_if_too_short(array: npt.NDArray[Any], least_length: int) -> npt.NDArray[Any]:
    """Return an array that has room for so many rows."""
    if least_length <= len(array):
        return array
    longer = np.zeros(2 * least_length, dtype=array.dtype)
    longer[: len(array)] = array
    return longer


def _find_line_to_new_target_row_or_none(
    exploration: Exploration, target: Target, new_rows: range
) -> ActionLine | None:
    """Return the line to the first of the new states that meets the target, or None."""
    if not len(new_rows):
        return None
    hits = np.flatnonzero(
        evaluate_term_in_many_states(
            target.condition, exploration.unpack_rows_into_columns(new_rows.start, new_rows.stop)
        )
    )
    for row in (new_rows.start + int(hit) for hit in hits):
        if target.idents is None:
            return exploration.list_action_numbers_from_start_to_row(row)
        legal = target.idents.intersection(
            exploration.compiled.legal(np.array(exploration.unpack_state_of_row(row), dtype=np.int64))
        )
        if legal and not exploration.unpack_state_of_row(row)[1]:
            return [*exploration.list_action_numbers_from_start_to_row(row), min(legal)]
    return None


class BucketQueue:
    """Rows by a number; those with the least one come first, and of these the newest."""

    def __init__(self) -> None:
        self._rows: dict[int, list[RowArray]] = {}

    def add_rows_with_priorities(self, priorities: NumberArray, rows: RowArray) -> None:
        """Add rows with their numbers."""
        for number in np.unique(priorities):
            self._rows.setdefault(int(number), []).append(rows[priorities == number])

    def take_rows_of_least_priority(self, max_rows: int, is_done_by_row: npt.NDArray[np.bool_]) -> RowArray:
        """Remove and return at most so many rows that are not done."""
        taken: list[RowArray] = []
        while self._rows and max_rows > 0:
            least = min(self._rows)
            several = self._rows[least]
            rows = several.pop()
            rows = rows[~is_done_by_row[rows]]
            if len(rows) > max_rows:
                several.append(rows[:-max_rows])
                rows = rows[-max_rows:]
            if not several:
                del self._rows[least]
            max_rows -= len(rows)
            taken.append(rows)
        return np.concatenate(taken) if taken else np.zeros(0, dtype=np.int32)


class NoveltyTable:
    """What values cells had in states of each group: singly, and in pairs by a hash, so that a pair may count as
    seen that is not."""

    def __init__(self, case: GameCase) -> None:
        fields = [f for f in case.game.fields for _ in range(f.size)]
        self.cells = [n for n, f in enumerate(fields) if f.hi > f.lo and n != 1]
        sizes = [min(fields[n].hi - fields[n].lo + 1, 4_096) for n in self.cells]
        self.lows = np.array([fields[n].lo for n in self.cells], dtype=np.int64)[:, None]
        self.sizes = np.array(sizes, dtype=np.int64)[:, None]
        self.firsts = np.cumsum([0, *sizes[:-1]], dtype=np.int64)[:, None]
        self.single: dict[int, npt.NDArray[np.bool_]] = {}
        self.total = sum(sizes)
        few = 1 < len(self.cells) <= _MOST_CELLS
        self.pairs = np.zeros(1 << _PAIRS, dtype=bool) if few else None
        self.first_of_pair, self.second_of_pair = np.triu_indices(len(self.cells) if few else 0, 1)

    def classify_novelty_0_to_2_and_record_it(
        self, state_columns: npt.NDArray[Any], group_by_state: NumberArray
    ) -> NumberArray:
        """Return 0 for each state with a value that is new in its group, 1 for a new pair of values, 2 for others."""
        values = self.firsts + np.clip(state_columns[self.cells] - self.lows, 0, self.sizes - 1)
        result = np.full(values.shape[1], 2, dtype=np.int64)
        if self.pairs is not None:
            result[self._mark_states_with_new_value_pairs(values.astype(np.uint32), group_by_state)] = 1
        for number in np.unique(group_by_state):
            table = self.single.setdefault(int(number), np.zeros(self.total, dtype=bool))
            states = np.flatnonzero(group_by_state == number)
            here = values[:, states]
            result[states[~table[here].all(axis=0)]] = 0
            table[here] = True
        return result

    def _mark_states_with_new_value_pairs(
        self, cell_values: npt.NDArray[np.uint32], group_by_state: NumberArray
    ) -> npt.NDArray[np.bool_]:
        """Return which states have a pair of values that is new in their group, and note the pairs."""
        assert self.pairs is not None
        fresh = np.zeros(cell_values.shape[1], dtype=bool)
        salt = (group_by_state.astype(np.uint32) * np.uint32(0x9E3779B1))[None, :]
        most = max(1, _AT_ONCE // len(self.first_of_pair))
        for k in range(0, len(fresh), most):
            some = cell_values[:, k : k + most]
            left = (some * np.uint32(0x85EBCA6B))[self.first_of_pair]
            key = (left ^ (some * np.uint32(0xC2B2AE35))[self.second_of_pair]) + salt[:, k : k + most]
            key = (key * np.uint32(0x27D4EB2F)) >> np.uint32(32 - _PAIRS)
            fresh[k : k + most] = ~self.pairs[key].all(axis=0)
            self.pairs[key] = True
        return fresh

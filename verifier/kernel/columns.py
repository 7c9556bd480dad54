"""The reading of `reading`, on many states at once: each cell is a column of numbers, each state a
row.

Arithmetic on columns takes the place of formulas; only `reading` says what rules mean. Both sides
of a condition are computed in all rows, and each row takes the side that holds in it. The reading
ends with NotShown if a value leaves its bounds in any row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from playproof.language import Action, Phase
from playproof.language.expr import Function, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, NumbersTooLarge
from playproof.verifier.kernel.reading import Cells, Env, Number, Reading, SmallStep, Truth, conj, is_same

Column: TypeAlias = npt.NDArray[np.int64]
_BITS = 62  # sums and differences of such numbers fit int64
_PHASES_IN_A_ROW = 1_000
_BREAKS = "the rules break on the way: a value leaves its bounds"


class ColumnReading(Reading):
    """Reads one game. A state is a list of columns, or of plain numbers that all rows share."""

    def __init__(self, game: Game, extra: Sequence[Term] = ()) -> None:
        super().__init__(game, False, extra)
        if self.width > _BITS:
            raise NumbersTooLarge("numbers of the game are too large for columns of 64 bits")

    # -- arithmetic -------------------------------------------------------------------------------------------

    def make_constant(self, value: int) -> Number:
        """Return the number itself: columns compare with plain numbers."""
        return value

    def pick(self, condition: Truth, yes: Number, no: Number) -> Number:
        """Return `yes` in the rows in which the condition holds, else `no`."""
        if isinstance(condition, bool):
            return yes if condition else no
        return yes if is_same(yes, no) else np.where(condition, yes, no)

    def simplify_condition(self, condition: Truth) -> Truth:
        """Return a plain truth if all rows agree, so that the other branch need not be computed."""
        if isinstance(condition, bool):
            return condition
        return bool(condition[0]) if (condition == condition[0]).all() else condition

    def divide(self, op: str, a: Number, b: int, least_dividend: int) -> Number:
        """Compute // or %, rounding down."""
        return a // b if op == "//" else a % b

    def _read_at(
        self, index: Term, get_value: Callable[[int], Number], size: int, cells: Sequence[Number], env: Env
    ) -> Number:
        where = self.read_number(index, cells, env)
        if isinstance(where, int):
            return get_value(where)
        values = [get_value(i) for i in range(size)]
        if all(isinstance(value, int) for value in values):
            return np.array(values)[where]
        rows = np.empty((size, len(where)), dtype=np.int64)
        for i, value in enumerate(values):
            rows[i] = value
        return rows[where, np.arange(len(where))]

    def move_into_bounds(self, value: Number, lo: int, hi: int) -> Number:
        """Return numbers moved into their bounds: rows in which a value left them, and rows that take
        the other branch, are computed too."""
        return (
            np.clip(value, lo, hi)
            if isinstance(value, np.ndarray)
            else super().move_into_bounds(value, lo, hi)
        )

    def _apply_function(self, function: Function, args: Sequence[Number], cells: Sequence[Number]) -> Number:
        env = {p.number: x for p, x in zip(function.params, args, strict=True)}
        return self.read_number(function.body, cells, env)

    # -- rows -------------------------------------------------------------------------------------------------

    def evaluate_term(self, term: Term, cells: Column) -> Column:
        """Return a term's value in each of the states (rows x cells)."""
        return self._broadcast_to_rows(self.read_number(term, self.to_columns(cells), {}), len(cells))

    def to_columns(self, cells: Column) -> Cells:
        """Return states (rows x cells) as a list of columns."""
        return list(np.ascontiguousarray(cells.T).astype(np.int64))

    def iter_legal_steps(self, cells: Column) -> Iterator[tuple[Column, int, Column]]:
        """Yield, for each ground action that is legal in some of the states: the rows of these
        states, the action's number, and the successor states."""
        for phase in self.game.phases:
            rows = np.flatnonzero(cells[:, 0] == phase.number)
            state = self.to_columns(cells[rows])
            for action in phase.actions if len(rows) else ():
                for ident in action.idents:
                    here = rows[self.find_legal_rows(action, ident, state)]
                    if len(here):
                        yield here, ident, self.apply_action(action, ident, cells[here])

    def find_legal_rows(self, action: Action, ident: int, state: Cells) -> Column:
        """Return the rows in which a ground action is legal. Raises NotShown if the rules break when
        somebody asks."""
        guards, faults = self.build_guards(action, state, action.get_parameter_values(ident))
        if any(np.any(fault.when) for fault in faults):
            raise NotShown(_BREAKS)
        return np.flatnonzero(self._broadcast_to_rows(conj(guards), len(state[0])))

    def evaluate_weights(self, action: Action, ident: int, cells: Column) -> Column:
        """Return a chance action's weight in each of the states (1 for a player's action)."""
        return self._broadcast_to_rows(
            self.read_weight(action, self.to_columns(cells), action.get_parameter_values(ident)), len(cells)
        )

    def apply_action(self, action: Action, ident: int, cells: Column) -> Column:
        """Return the states after a legal action and the automatic phases that follow it. Raises
        NotShown if the rules break."""
        after = cells.astype(np.int64)
        self._apply_step_in_place(action, action.get_parameter_values(ident), after, np.arange(len(cells)))
        for _ in range(_PHASES_IN_A_ROW):
            now = np.where(after[:, 1] == 0, after[:, 0], -1)
            due = [p for p in self.game.phases if p.automatic and (now == p.number).any()]
            if not due:
                return after
            for phase in due:
                self._apply_step_in_place(phase, (), after, np.flatnonzero(now == phase.number))
        raise NotShown(f"more than {_PHASES_IN_A_ROW:,} automatic phases in a row")

    def _apply_step_in_place(
        self, part: Action | Phase, params: Sequence[int], cells: Column, rows: Column
    ) -> None:
        """Apply a small step to some of the rows, in place."""
        step: SmallStep = self.build_step(part, self.to_columns(cells[rows]), params)
        if not np.all(step.sound):
            raise NotShown(_BREAKS)
        for n, column in enumerate(step.after):
            self.write_column(cells, rows, n, column)

    def write_column(self, cells: Column, rows: Column, n: int, column: Number) -> None:
        """Write a column into some of the rows, in place."""
        cells[rows, n] = column

    def _broadcast_to_rows(self, value: Number, count: int) -> Column:
        return np.broadcast_to(np.asarray(value, dtype=np.int64), count)

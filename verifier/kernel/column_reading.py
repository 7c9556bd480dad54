"""The reading of `formula_reading`, on many states at once: each cell is a column of numbers, each state a
row of all columns. And the same where some cells are not known: what asks for them is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Never, TypeAlias

import numpy as np
import numpy.typing as npt

from playproof.language import Action, Phase
from playproof.language.expr import Function, Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, NumbersTooLarge
from playproof.verifier.kernel.formula_reading import (
    Cells,
    Env,
    Number,
    Reading,
    SmallStep,
    Truth,
    conjoin_formulas,
    is_same_number_or_formula,
)

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

    def to_constant_number(self, value: int) -> Number:
        """Return the number itself: columns compare with plain numbers."""
        return value

    def choose_by_condition(self, condition: Truth, value_if_true: Number, value_if_false: Number) -> Number:
        """Return `value_if_true` in the rows in which the condition holds, else `value_if_false`."""
        if isinstance(condition, bool):
            return value_if_true if condition else value_if_false
        if is_same_number_or_formula(value_if_true, value_if_false):
            return value_if_true
        return np.where(condition, value_if_true, value_if_false)

    def to_plain_bool_if_all_rows_agree(self, condition: Truth) -> Truth:
        """Return a plain truth if all rows agree, so that the other branch need not be computed."""
        if isinstance(condition, bool):
            return condition
        return bool(condition[0]) if (condition == condition[0]).all() else condition

    def floor_divide_or_modulo(self, op: str, dividend: Number, plain_divisor: int, least_dividend: int) -> Number:
        """Compute // or %, rounding down."""
        return dividend // plain_divisor if op == "//" else dividend % plain_divisor

    def _read_value_at_index(
        self, index: Term, get_value: Callable[[int], Number], size: int, cells: Sequence[Number], local_values: Env
    ) -> Number:
        where = self.build_term_value(index, cells, local_values)
        if isinstance(where, int):
            return get_value(where)
        values = [get_value(i) for i in range(size)]
        if all(isinstance(value, int) for value in values):
            return np.array(values)[where]
        rows = np.empty((size, len(where)), dtype=np.int64)
        for i, value in enumerate(values):
            rows[i] = value
        return rows[where, np.arange(len(where))]

    def clamp_plain_numbers_to_bounds(self, value: Number, lo: int, hi: int) -> Number:
        """Return numbers moved into their bounds: rows in which a value left them, and rows that take
        the other branch, are computed too."""
        is_column = isinstance(value, np.ndarray)
        return np.clip(value, lo, hi) if is_column else super().clamp_plain_numbers_to_bounds(value, lo, hi)

    def _evaluate_named_function(
        self, function: Function, argument_values: Sequence[Number], cells: Sequence[Number]
    ) -> Number:
        env = {p.number: x for p, x in zip(function.params, argument_values, strict=True)}
        return self.build_term_value(function.body, cells, env)

    # -- rows -------------------------------------------------------------------------------------------------

    def evaluate_term_in_each_state(self, term: Term, state_rows: Column) -> Column:
        """Return a term's value in each of the states (rows x cells)."""
        return self._broadcast_value_to_rows(
            self.build_term_value(term, self.state_rows_to_columns(state_rows), {}), len(state_rows)
        )

    def state_rows_to_columns(self, state_rows: Column) -> Cells:
        """Return states (rows x cells) as a list of columns."""
        return list(np.ascontiguousarray(state_rows.T).astype(np.int64))

    def iter_legal_actions_with_successors(self, state_rows: Column) -> Iterator[tuple[Column, int, Column]]:
        """Yield, for each ground action that is legal in some of the states: the rows of these
        states, the action's number, and the successor states."""
        for phase in self.game.phases:
            rows = np.flatnonzero(state_rows[:, 0] == phase.number)
            state = self.state_rows_to_columns(state_rows[rows])
            for action in phase.actions if len(rows) else ():
                for ident in action.idents:
                    here = rows[self.find_rows_where_action_is_legal(action, ident, state)]
                    if len(here):
                        yield (here, ident, self.apply_action_and_automatic_phases(action, ident, state_rows[here]))

    def find_rows_where_action_is_legal(self, action: Action, action_id: int, state_columns: Cells) -> Column:
        """Return the rows in which a ground action is legal. Raises NotShown if the rules break when
        somebody asks."""
        guards, faults = self.build_legality_guards_and_faults(
            action, state_columns, action.get_values_of_ground_action(action_id)
        )
        if any(np.any(fault.when) for fault in faults):
            raise NotShown(_BREAKS)
        return np.flatnonzero(self._broadcast_value_to_rows(conjoin_formulas(guards), len(state_columns[0])))

    def evaluate_action_weight_in_each_state(self, action: Action, action_id: int, state_rows: Column) -> Column:
        """Return a chance action's weight in each of the states (1 for a player's action)."""
        return self._broadcast_value_to_rows(
            self.build_action_weight(
                action, self.state_rows_to_columns(state_rows), action.get_values_of_ground_action(action_id)
            ),
            len(state_rows),
        )

    def apply_action_and_automatic_phases(self, action: Action, action_id: int, state_rows: Column) -> Column:
        """Return the states after a legal action and the automatic phases that follow it. Raises
        NotShown if the rules break."""
        after = state_rows.astype(np.int64)
        self._apply_action_or_phase_in_place(
            action, action.get_values_of_ground_action(action_id), after, np.arange(len(state_rows))
        )
        for _ in range(_PHASES_IN_A_ROW):
            now = np.where(after[:, 1] == 0, after[:, 0], -1)
            due = [p for p in self.game.phases if p.automatic and (now == p.number).any()]
            if not due:
                return after
            for phase in due:
                self._apply_action_or_phase_in_place(phase, (), after, np.flatnonzero(now == phase.number))
        raise NotShown(f"more than {_PHASES_IN_A_ROW:,} automatic phases in a row")

    def _apply_action_or_phase_in_place(
        self, action_or_phase: Action | Phase, params: Sequence[int], state_rows: Column, rows: Column
    ) -> None:
        """Apply a small step to some of the rows, in place."""
        step: SmallStep = self.build_symbolic_step(
            action_or_phase, self.state_rows_to_columns(state_rows[rows]), params
        )
        if not np.all(step.sound):
            raise NotShown(_BREAKS)
        for n, column in enumerate(step.after):
            self.write_cell_column_in_place(state_rows, rows, n, column)

    def write_cell_column_in_place(
        self, state_rows: Column, rows: Column, cell_number: int, new_values: Number
    ) -> None:
        """Write a column into some of the rows, in place."""
        state_rows[rows, cell_number] = new_values

    def _broadcast_value_to_rows(self, value: Number, row_count: int) -> Column:
        return np.broadcast_to(np.asarray(value, dtype=np.int64), row_count)


# -- cells that are not known -----------------------------------------------------------------------------------------


class UnknownCellUsed(NotShown):
    """Raised if the reading asks for the value of a cell that is not known, or writes it."""

    def __init__(self, cell: int) -> None:
        super().__init__(f"cell {cell} is not known")
        self.cell = cell


class UnknownCell:
    """The value of a cell that is not known. It may be handed on, and nothing else."""

    __slots__ = ("cell",)
    __hash__ = None  # type: ignore[assignment]  # nor may it be looked up

    def __init__(self, cell: int) -> None:
        self.cell = cell

    def _refuse(self, *_: object, **__: object) -> Never:
        raise UnknownCellUsed(self.cell)

    __getattr__ = __getitem__ = __len__ = __iter__ = __contains__ = __bool__ = __int__ = __index__ = _refuse
    __float__ = __array__ = __array_ufunc__ = __array_function__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _refuse
    __mod__ = __rmod__ = __and__ = __rand__ = __or__ = __ror__ = __neg__ = __invert__ = __abs__ = _refuse


class PartialReading(ColumnReading):
    """Reads one game whose cells `unknown` are not known. The numbers that states hold there have no meaning."""

    def __init__(self, game: Game, extra: Sequence[Term], unknown: Iterable[int]) -> None:
        super().__init__(game, extra)
        self.unknown = {n: UnknownCell(n) for n in unknown}

    def state_rows_to_columns(self, state_rows: Column) -> Cells:
        """Return states as a list of columns, and of what is not known."""
        columns = super().state_rows_to_columns(state_rows)
        for n, unknown in self.unknown.items():
            columns[n] = unknown
        return columns

    def write_cell_column_in_place(
        self, state_rows: Column, rows: Column, cell_number: int, new_values: Number
    ) -> None:
        """Write a column, unless it is what is not known there. Raises UnknownCellUsed."""
        if isinstance(new_values, UnknownCell) and new_values.cell != cell_number:
            raise UnknownCellUsed(new_values.cell)
        if not isinstance(new_values, UnknownCell) and cell_number in self.unknown:
            raise UnknownCellUsed(cell_number)
        if not isinstance(new_values, UnknownCell):
            super().write_cell_column_in_place(state_rows, rows, cell_number, new_values)

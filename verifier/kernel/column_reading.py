"""The reading of `formula_reading`, on many states at once: each cell is a column of numbers, each state a
row of all columns. And the same where some cells are not known: what asks for them is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, Never, TypeAlias

import numpy as np
import numpy.typing as npt

from playproof.language import Action, Phase
from playproof.language.expr import Apply, Function, Op, Reduce, Term, get_child_terms
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, NumbersTooLarge
from playproof.verifier.kernel.formula_reading import Reading, SmallStep, iter_all_terms_of_rules
from playproof.verifier.kernel.formulas import Number, Truth, conjoin_formulas, is_same_number_or_formula
from playproof.verifier.kernel.term_reading import Cells, Env, get_number_or_formula_key

SPARE_BITS = 3
"""Bits for a sign, and for differences of two terms that are added."""
Column: TypeAlias = npt.NDArray[np.int64]
LegalRows: TypeAlias = tuple[Action, int | Column, Column]
"""An action, the numbers of ground actions of it (one for all rows, or one for each), and the rows of the states."""
_BITS = 62  # sums and differences of such numbers fit int64
_PHASES_IN_A_ROW = 1_000
_BREAKS = "the rules break on the way: a value leaves its bounds"


def compute_overflow_free_bit_width(game: Game, extra_terms: Sequence[Term]) -> int:
    """Return the number of bits in which no term overflows, including a sign and a difference of two terms."""
    todo, most, seen = [*extra_terms, *iter_all_terms_of_rules(game)], 1, set()
    while todo:
        term = todo.pop()
        if id(term) not in seen:  # the game and `extra_terms` keep every term, and so its id, alive
            seen.add(id(term))
            most = max(most, abs(term.lo), abs(term.hi))
            todo += [*get_child_terms(term), *((term.function.body,) if isinstance(term, Apply) else ())]
    bounds = [abs(b) for f in game.fields for b in (f.lo, f.hi, f.size)]
    return max(most, *bounds, game.ground).bit_length() + SPARE_BITS


class ColumnReading(Reading):
    """Reads one game. A state is a list of columns, or of plain numbers that all rows share. Of at most `few_rows`
    states many ground actions are read at once, so many that there are at most `few_pairs` pairs of a state and one."""

    few_rows: ClassVar[int] = 2_000
    few_pairs: ClassVar[int] = 20_000

    def __init__(self, game: Game, extra: Sequence[Term] = ()) -> None:
        super().__init__(game)
        self._keeps_values = False
        """Whether terms without locals are asked of the same columns again and again, for other parameters."""
        width = compute_overflow_free_bit_width(game, extra)
        if width > _BITS:
            raise NumbersTooLarge("numbers of the game are too large for columns of 64 bits")
        self.most = (1 << width >> SPARE_BITS) - 1

    # -- arithmetic -------------------------------------------------------------------------------------------

    def build_comparison_formula(self, operator: str, left: Number, right: Number) -> Truth:
        """Return the rows in which `left operator right`, for == != < <=."""
        match operator:
            case "==":
                return left == right
            case "!=":
                return left != right
            case "<":
                return left < right
            case "<=":
                return left <= right
        raise ValueError(f"no comparison `{operator}`")

    def combine_numbers(self, operator: str, left: Number, right: Number) -> Number:
        """Return `left operator right`, for + - * // % min max."""
        match operator:
            case "+":
                if is_same_number_or_formula(left, 0):
                    return right
                return left if is_same_number_or_formula(right, 0) else left + right
            case "-":
                return left if is_same_number_or_formula(right, 0) else left - right
            case "*":
                if is_same_number_or_formula(left, 0) or is_same_number_or_formula(right, 0):
                    return 0
                return left * right
            case "//":
                return left // right
            case "%":
                return left % right
        return super().combine_numbers(operator, left, right)

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

    def _read_value_at_index(
        self, index: Term, get_value: Callable[[int], Number], size: int, cells: Sequence[Number], local_values: Env
    ) -> Number:
        where = self.build_term_value(index, cells, local_values)
        if isinstance(where, int):
            return get_value(where)
        values = [get_value(i) for i in range(size)]
        if all(isinstance(value, int) for value in values):
            return np.array(values)[where]
        return self._stack_columns_cached(values, len(where))[where, np.arange(len(where))]

    def _stack_columns_cached(self, columns: Sequence[Number], row_count: int) -> Column:
        """Return columns as one array. Rules look up places of the same columns again and again, so it is kept."""
        key = ("stack", *map(get_number_or_formula_key, columns))
        if key not in self._made:
            stacked = np.empty((len(columns), row_count), dtype=np.int64)
            for i, column in enumerate(columns):
                stacked[i] = column
            self._made[key] = stacked, columns
        return np.asarray(self._made[key][0])

    def clamp_to_bounds_unless_formula(self, value: Number, lo: int, hi: int) -> Number:
        """Return numbers moved into their bounds: rows in which a value left them, and rows that take
        the other branch, are computed too."""
        is_column = isinstance(value, np.ndarray)
        return np.clip(value, lo, hi) if is_column else super().clamp_to_bounds_unless_formula(value, lo, hi)

    def _evaluate_named_function(
        self, function: Function, argument_values: Sequence[Number], cells: Sequence[Number]
    ) -> Number:
        env = {p.number: x for p, x in zip(function.params, argument_values, strict=True)}
        return self.build_term_value(function.body, cells, env)

    def build_term_value(self, term: Term, cells: Sequence[Number], local_values: Env) -> Number:
        """Return a term's value, if need be the one that is kept. Raises NotShown if the term may overflow."""
        if not -self.most <= term.lo <= term.hi <= self.most:
            raise NotShown("a number is too large for the bits in which the game is read")
        build = super().build_term_value
        if not self._keeps_values or not _is_worth_keeping(term):
            return build(term, cells, local_values)
        return self._get_or_build_kept_value(build, term, cells)

    def build_term_is_true_formula(self, term: Term, cells: Sequence[Number], local_values: Env) -> Truth:
        """Return the rows in which a term is not 0, if need be those that are kept."""
        build = super().build_term_is_true_formula
        if not self._keeps_values or isinstance(term, Apply) or not _is_worth_keeping(term):
            return build(term, cells, local_values)
        return self._get_or_build_kept_value(build, term, cells)

    def _get_or_build_kept_value(
        self, build: Callable[[Term, Sequence[Number], Env], Number], term: Term, cells: Sequence[Number]
    ) -> Number:
        """Return what was built of a term without locals and of the cells that it reads, or build and keep it. What
        its parts are is not kept."""
        read = self.list_cells_term_reads(term, cells)
        key = (build.__name__, id(term), *map(get_number_or_formula_key, read))
        if key not in self._made:
            self._keeps_values = False
            self._made[key] = build(term, cells, {}), (term, read)
            self._keeps_values = True
        return self._made[key][0]

    # -- rows -------------------------------------------------------------------------------------------------

    def evaluate_term_in_each_state(self, term: Term, state_rows: Column) -> Column:
        """Return a term's value in each of the states (rows x cells)."""
        return self._broadcast_value_to_rows(
            self.build_term_value(term, self.state_rows_to_columns(state_rows), {}), len(state_rows)
        )

    def state_rows_to_columns(self, state_rows: Column) -> Cells:
        """Return states (rows x cells) as a list of columns. All but the first are plain numbers where all rows
        agree."""
        columns = self.split_rows_into_columns(state_rows)
        agree = [len(column) > 0 and bool((column == column[0]).all()) for column in columns[1:]]
        others = zip(columns[1:], agree, strict=True)
        return [columns[0], *(int(column[0]) if is_plain else column for column, is_plain in others)]

    def split_rows_into_columns(self, state_rows: Column) -> Cells:
        """Return states (rows x cells) as a list of columns. What was kept of earlier columns is of no use any more."""
        self._made.clear()
        return list(np.ascontiguousarray(state_rows.T).astype(np.int64))

    def iter_legal_actions_with_successors(self, state_rows: Column) -> Iterator[tuple[Column, int | Column, Column]]:
        """Yield, for ground actions that are legal in some of the states: the rows of these states, the action's
        number (one for all, or one for each row), and the successor states."""
        for phase in self.game.phases:
            rows = np.flatnonzero(state_rows[:, 0] == phase.number)
            if not len(rows):
                continue
            for action, ident, here in _join_moves_of_few_rows(
                list(self._iter_legal_rows(phase, state_rows[rows])), self.few_rows
            ):
                moved = state_rows[rows[here]]
                yield rows[here], ident, self.apply_action_and_automatic_phases(action, ident, moved)

    def _iter_legal_rows(self, phase: Phase, state_rows: Column) -> Iterator[LegalRows]:
        """Yield ground actions, and the rows of states of a phase in which each is legal: each by itself, or of few
        states many of one action at once, whose parameters are columns then."""
        count, columns = len(state_rows), self.state_rows_to_columns(state_rows)
        at_once = self.few_pairs // count if count <= self.few_rows else 1
        for action in phase.actions:
            for idents in (action.idents[n : n + at_once] for n in range(0, len(action.idents), at_once)):
                ident: int | Column = idents[0]
                rows = np.arange(count)
                if at_once > 1:
                    ident, rows = np.repeat(np.array(idents), count), np.tile(rows, len(idents))
                    columns = self.state_rows_to_columns(state_rows[rows])
                self._keeps_values = at_once == 1
                here = self.find_rows_where_action_is_legal(action, ident, columns)
                self._keeps_values = False
                if len(here):
                    yield action, ident if isinstance(ident, int) else ident[here], rows[here]

    def find_rows_where_action_is_legal(self, action: Action, action_id: int | Column, state_columns: Cells) -> Column:
        """Return the rows in which a ground action, or one for each row, is legal. Raises NotShown if the rules break
        when somebody asks."""
        guards, faults = self.build_legality_guards_and_faults(
            action, state_columns, self._get_parameter_values(action, action_id)
        )
        if any(np.any(fault.when) for fault in faults):
            raise NotShown(_BREAKS)
        return np.flatnonzero(self._broadcast_value_to_rows(conjoin_formulas(guards), len(state_columns[0])))

    def _get_parameter_values(self, action: Action, action_id: int | Column) -> Sequence[Number]:
        """Return the parameters of a ground action, as columns if each row has an action of its own."""
        if isinstance(action_id, int):
            return action.get_values_of_ground_action(action_id)
        distinct, which = np.unique(action_id, return_inverse=True)
        values = np.array([action.get_values_of_ground_action(ident) for ident in distinct.tolist()], dtype=np.int64)
        return list(values.reshape(len(distinct), -1)[which].T)

    def evaluate_action_weight_in_each_state(self, action: Action, action_id: int, state_rows: Column) -> Column:
        """Return a chance action's weight in each of the states (1 for a player's action)."""
        return self._broadcast_value_to_rows(
            self.build_action_weight(
                action, self.state_rows_to_columns(state_rows), action.get_values_of_ground_action(action_id)
            ),
            len(state_rows),
        )

    def apply_action_and_automatic_phases(self, action: Action, action_id: int | Column, state_rows: Column) -> Column:
        """Return the states after a legal action (one for all, or one for each) and the automatic phases that follow
        it. Raises NotShown if the rules break."""
        after = state_rows.astype(np.int64)
        self._apply_action_or_phase_in_place(
            action, self._get_parameter_values(action, action_id), after, np.arange(len(state_rows))
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
        self, action_or_phase: Action | Phase, params: Sequence[Number], state_rows: Column, rows: Column
    ) -> None:
        """Apply a small step to some of the rows, in place."""
        before = self.state_rows_to_columns(state_rows[rows])
        step: SmallStep = self.build_symbolic_step(action_or_phase, before, params)
        if not np.all(step.sound):
            raise NotShown(_BREAKS)
        for n, column in enumerate(step.after):
            if column is not before[n]:
                self.write_cell_column_in_place(state_rows, rows, n, column)

    def write_cell_column_in_place(
        self, state_rows: Column, rows: Column, cell_number: int, new_values: Number
    ) -> None:
        """Write a column into some of the rows, in place."""
        state_rows[rows, cell_number] = new_values

    def _broadcast_value_to_rows(self, value: Number, row_count: int) -> Column:
        return np.broadcast_to(np.asarray(value, dtype=np.int64), row_count)


def _join_moves_of_few_rows(moves: Sequence[LegalRows], few_rows: int) -> Iterator[LegalRows]:
    """Yield the moves in their order. Neighbours by one action are joined while each is of few rows, into at most four
    times so many: what is done for each row then costs more than what is done for each ground action."""
    waiting = list[LegalRows]()
    for move in moves:
        count = sum(len(each[2]) for each in waiting) + len(move[2])
        if waiting and (waiting[0][0] is not move[0] or len(move[2]) > few_rows or count > 4 * few_rows):
            yield _join_moves(waiting)
            waiting = []
        waiting.append(move)
        if len(move[2]) > few_rows:
            yield _join_moves(waiting)
            waiting = []
    if waiting:
        yield _join_moves(waiting)


def _join_moves(moves: Sequence[LegalRows]) -> LegalRows:
    """Return moves by one action as one."""
    if len(moves) == 1:
        return moves[0]
    idents = np.concatenate([np.full(len(rows), ident) for _, ident, rows in moves])
    return moves[0][0], idents, np.concatenate([rows for _, _, rows in moves])


def _is_worth_keeping(term: Term) -> bool:
    return not term.locals and bool(term.reads) and isinstance(term, Op | Reduce | Apply)


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

    def _raise_unknown_cell_used(self, *_: object, **__: object) -> Never:
        raise UnknownCellUsed(self.cell)

    __getattr__ = __getitem__ = __len__ = __iter__ = __contains__ = __bool__ = __int__ = __index__ = (
        _raise_unknown_cell_used
    )
    __float__ = __array__ = __array_ufunc__ = __array_function__ = _raise_unknown_cell_used
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _raise_unknown_cell_used
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = (
        _raise_unknown_cell_used
    )
    __mod__ = __rmod__ = __and__ = __rand__ = __or__ = __ror__ = __neg__ = __invert__ = __abs__ = (
        _raise_unknown_cell_used
    )


class PartialReading(ColumnReading):
    """Reads one game whose cells `unknown` are not known. The numbers that states hold there have no meaning. Each
    ground action is read by itself: it alone decides what is asked for."""

    few_rows = 0

    def __init__(self, game: Game, extra: Sequence[Term], unknown: Iterable[int]) -> None:
        super().__init__(game, extra)
        self.unknown = {n: UnknownCell(n) for n in unknown}

    def state_rows_to_columns(self, state_rows: Column) -> Cells:
        """Return states as a list of columns, and of what is not known."""
        columns = self.split_rows_into_columns(state_rows)
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

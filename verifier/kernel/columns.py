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
from playproof.verifier.kernel.certificate import NotShown, TooWide
from playproof.verifier.kernel.reading import Cells, Env, Number, Reading, SmallStep, Truth, alike, conj

Column: TypeAlias = npt.NDArray[np.int64]
_BITS = 62  # sums and differences of such numbers fit int64
_PHASES_IN_A_ROW = 1_000
_BREAKS = "the rules break on the way: a value leaves its bounds"


class Columns(Reading):
    """Reads one game. A state is a list of columns, or of plain numbers that all rows share."""

    def __init__(self, game: Game, extra: Sequence[Term] = ()) -> None:
        super().__init__(game, False, extra)
        if self.width > _BITS:
            raise TooWide("numbers of the game are too large for columns of 64 bits")

    # -- arithmetic -------------------------------------------------------------------------------------------

    def constant(self, value: int) -> Number:
        """Return the number itself: columns compare with plain numbers."""
        return value

    def pick(self, condition: Truth, yes: Number, no: Number) -> Number:
        """Return `yes` in the rows in which the condition holds, else `no`."""
        if isinstance(condition, bool):
            return yes if condition else no
        return yes if alike(yes, no) else np.where(condition, yes, no)

    def decided(self, condition: Truth) -> Truth:
        """Return a plain truth if all rows agree, so that the other branch need not be computed."""
        if isinstance(condition, bool):
            return condition
        return bool(condition[0]) if (condition == condition[0]).all() else condition

    def quotient(self, op: str, a: Number, b: int, lo: int) -> Number:
        """Compute // or %, rounding down."""
        return a // b if op == "//" else a % b

    def _at(
        self, index: Term, at: Callable[[int], Number], size: int, cells: Sequence[Number], env: Env
    ) -> Number:
        where = self.number(index, cells, env)
        if isinstance(where, int):
            return at(where)
        values = [at(i) for i in range(size)]
        if all(isinstance(value, int) for value in values):
            return np.array(values)[where]
        rows = np.empty((size, len(where)), dtype=np.int64)
        for i, value in enumerate(values):
            rows[i] = value
        return rows[where, np.arange(len(where))]

    def moved(self, value: Number, lo: int, hi: int) -> Number:
        """Return numbers moved into their bounds: rows in which a value left them, and rows that take
        the other branch, are computed too."""
        return np.clip(value, lo, hi) if isinstance(value, np.ndarray) else super().moved(value, lo, hi)

    def _apply(self, function: Function, args: Sequence[Number], cells: Sequence[Number]) -> Number:
        env = {p.number: x for p, x in zip(function.params, args, strict=True)}
        return self.number(function.body, cells, env)

    # -- rows -------------------------------------------------------------------------------------------------

    def values(self, term: Term, cells: Column) -> Column:
        """Return a term's value in each of the states (rows x cells)."""
        return self._filled(self.number(term, self.columns(cells), {}), len(cells))

    def columns(self, cells: Column) -> Cells:
        """Return states (rows x cells) as a list of columns."""
        return list(np.ascontiguousarray(cells.T).astype(np.int64))

    def steps(self, cells: Column) -> Iterator[tuple[Column, int, Column]]:
        """Yield, for each ground action that is legal in some of the states: the rows of these
        states, the action's number, and the successor states."""
        for phase in self.game.phases:
            rows = np.flatnonzero(cells[:, 0] == phase.number)
            state = self.columns(cells[rows])
            for action in phase.actions if len(rows) else ():
                for ident in action.idents:
                    here = rows[self.legal(action, ident, state)]
                    if len(here):
                        yield here, ident, self.applied(action, ident, cells[here])

    def legal(self, action: Action, ident: int, state: Cells) -> Column:
        """Return the rows in which a ground action is legal. Raises NotShown if the rules break when
        somebody asks."""
        guards, faults = self.guards(action, state, action.get_parameter_values(ident))
        if any(np.any(fault.when) for fault in faults):
            raise NotShown(_BREAKS)
        return np.flatnonzero(self._filled(conj(guards), len(state[0])))

    def weights(self, action: Action, ident: int, cells: Column) -> Column:
        """Return a chance action's weight in each of the states (1 for a player's action)."""
        return self._filled(
            self.weight(action, self.columns(cells), action.get_parameter_values(ident)), len(cells)
        )

    def applied(self, action: Action, ident: int, cells: Column) -> Column:
        """Return the states after a legal action and the automatic phases that follow it. Raises
        NotShown if the rules break."""
        after = cells.astype(np.int64)
        self._carry_out(action, action.get_parameter_values(ident), after, np.arange(len(cells)))
        for _ in range(_PHASES_IN_A_ROW):
            now = np.where(after[:, 1] == 0, after[:, 0], -1)
            due = [p for p in self.game.phases if p.automatic and (now == p.number).any()]
            if not due:
                return after
            for phase in due:
                self._carry_out(phase, (), after, np.flatnonzero(now == phase.number))
        raise NotShown(f"more than {_PHASES_IN_A_ROW:,} automatic phases in a row")

    def _carry_out(self, what: Action | Phase, params: Sequence[int], cells: Column, rows: Column) -> None:
        """Apply a small step to some of the rows, in place."""
        step: SmallStep = self.step(what, self.columns(cells[rows]), params)
        if not np.all(step.sound):
            raise NotShown(_BREAKS)
        for n, column in enumerate(step.after):
            self.put(cells, rows, n, column)

    def put(self, cells: Column, rows: Column, n: int, column: Number) -> None:
        """Write a column into some of the rows, in place."""
        cells[rows, n] = column

    def _filled(self, value: Number, count: int) -> Column:
        return np.broadcast_to(np.asarray(value, dtype=np.int64), count)

"""The reading of `columns` where some cells are not known.

Each such cell holds an `UnknownCell`, which no operation takes: whatever asks for its value is refused with
`UnknownCellUsed`. So
what a step is read to require and to do without a refusal is the same whatever these cells hold, and it leaves them as
they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Never

from playproof.language.expr import Term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.columns import Column, ColumnReading
from playproof.verifier.kernel.reading import Cells, Number


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
        """Write a column, unless it is what is not known there. Raises Touched."""
        if isinstance(new_values, UnknownCell) and new_values.cell != cell_number:
            raise UnknownCellUsed(new_values.cell)
        if not isinstance(new_values, UnknownCell) and cell_number in self.unknown:
            raise UnknownCellUsed(cell_number)
        if not isinstance(new_values, UnknownCell):
            super().write_cell_column_in_place(state_rows, rows, cell_number, new_values)

"""How many cards fit on a paper, and where. Cards without bleed share cut lines; between cards with
bleed there is a gap."""

from __future__ import annotations

from math import floor
from typing import Literal, NamedTuple

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import EPSILON, Size, Slot

Orientation = Literal["portrait", "landscape"]


class Spacing(NamedTuple):
    """The room around the cards in mm: the sheet's margin, each card's bleed, and free paper
    between bleeds."""

    margin: float = 5.0
    bleed: float = 0.0
    gutter: float = 0.0
    gutter_down: float | None = None  # between rows; None is as between columns

    @property
    def between(self) -> float:
        """The distance from one card's cut to its neighbour's; 0 means that they share one cut."""
        return 2 * self.bleed + self.gutter

    @property
    def between_rows(self) -> float:
        """The same distance from row to row."""
        return self.between if self.gutter_down is None else 2 * self.bleed + self.gutter_down


def count_cells_that_fit(available_length: float, cell_length: float, gutter: float = 0.0) -> int:
    """Return how many cells of this size fit side by side into the room, with gutters only between
    them.

    >>> count_cells_that_fit(190.5, 63.5)
    3
    """
    return max(0, floor((available_length + gutter) / (cell_length + gutter) + EPSILON))


class Grid(NamedTuple):
    """Rows and columns of equal cards, centred in an area of the sheet."""

    sheet: Size
    trim: Size
    columns: int
    rows: int
    between: float
    origin: tuple[float, float]  # the top left card's trim corner
    rows_apart: float | None = None  # between rows; None is as between columns
    turned: tuple[int, ...] = ()  # places, counted from 1, whose cards lie upside down

    @property
    def between_rows(self) -> float:
        """The distance from a row's cut to the next row's."""
        return self.between if self.rows_apart is None else self.rows_apart

    @property
    def slots(self) -> int:
        return self.columns * self.rows

    def get_slot(self, index: int) -> Slot:
        """Return the slot at `index`, counted along the rows from the top left."""
        row, column = divmod(index, self.columns)
        x = self.origin[0] + column * (self.trim.width + self.between)
        y = self.origin[1] + row * (self.trim.height + self.between_rows)
        return Slot(Rect(x, y, self.trim.width, self.trim.height), index + 1 in self.turned)

    @property
    def block(self) -> Rect:
        """The rectangle around all trims, bleed not included."""
        width = self.columns * (self.trim.width + self.between) - self.between
        height = self.rows * (self.trim.height + self.between_rows) - self.between_rows
        return Rect(self.origin[0], self.origin[1], width, height)

    @property
    def cuts_x(self) -> tuple[float, ...]:
        """The positions of the vertical cuts, from the left; a shared cut is listed once."""
        return _list_cut_positions(self.origin[0], self.trim.width, self.between, self.columns)

    @property
    def cuts_y(self) -> tuple[float, ...]:
        """The positions of the horizontal cuts, from the top; a shared cut is listed once."""
        return _list_cut_positions(self.origin[1], self.trim.height, self.between_rows, self.rows)


def fit_grid(sheet: Size, trim: Size, spacing: Spacing, area: Rect | None = None) -> Grid:
    """Return the fullest grid in `area` (by default the sheet inside its margin), centred. It may
    have no slots."""
    room = area or Rect(0, 0, sheet.width, sheet.height).expand(-spacing.margin)
    cell = Size(trim.width + 2 * spacing.bleed, trim.height + 2 * spacing.bleed)
    columns = count_cells_that_fit(room.width, cell.width, spacing.gutter)
    rows = count_cells_that_fit(room.height, cell.height, spacing.between_rows - 2 * spacing.bleed)
    x = _compute_centred_start(room.x, room.width, trim.width, spacing.between, columns)
    y = _compute_centred_start(room.y, room.height, trim.height, spacing.between_rows, rows)
    return Grid(sheet, trim, columns, rows, spacing.between, (x, y), _get_row_distance(spacing))


def _get_row_distance(spacing: Spacing) -> float | None:
    return None if spacing.gutter_down is None else spacing.between_rows


class FixedPlaces(NamedTuple):
    """What a plan fixes of a grid: how many columns and rows (None is as many as fit), where the first card's cut
    begins from the left and the top (None is centred), and which places are turned."""

    columns: int | None = None
    rows: int | None = None
    left: float | None = None
    top: float | None = None
    turned: tuple[int, ...] = ()


def fit_fixed_grid(sheet: Size, trim: Size, spacing: Spacing, fixed: FixedPlaces) -> Grid:
    """Return the grid of fixed places. It has no slots if its cards reach beyond the paper, or beyond the margin
    where the plan does not say where they begin."""
    free = fit_grid(sheet, trim, spacing)
    columns = fixed.columns or free.columns
    rows = fixed.rows or free.rows
    x = (
        _compute_centred_start(0, sheet.width, trim.width, spacing.between, columns)
        if fixed.left is None
        else fixed.left
    )
    y = (
        _compute_centred_start(0, sheet.height, trim.height, spacing.between_rows, rows)
        if fixed.top is None
        else fixed.top
    )
    grid = free._replace(columns=columns, rows=rows, origin=(x, y), turned=fixed.turned)
    room_x = spacing.margin + spacing.bleed if fixed.left is None else 0.0
    room_y = spacing.margin + spacing.bleed if fixed.top is None else 0.0
    block = grid.block
    fits_across = room_x - EPSILON <= block.x and block.right <= sheet.width - room_x + EPSILON
    fits_down = room_y - EPSILON <= block.y and block.bottom <= sheet.height - room_y + EPSILON
    return grid if fits_across and fits_down else grid._replace(columns=0, rows=0)


def shrink_grid_to_cards(grid: Grid, cards: int) -> Grid:
    """Return the grid with the fewest rows and columns that these cards need, centred on the sheet.

    >>> shrink_grid_to_cards(fit_grid(Size(210, 297), Size(63, 88), Spacing()), 4).rows
    2
    """
    columns = min(grid.columns, cards)
    rows = -(-cards // grid.columns)
    x = _compute_centred_start(0, grid.sheet.width, grid.trim.width, grid.between, columns)
    y = _compute_centred_start(0, grid.sheet.height, grid.trim.height, grid.between_rows, rows)
    return grid._replace(columns=columns, rows=rows, origin=(x, y))


def choose_orientation(paper: Size, trim: Size, spacing: Spacing) -> Orientation:
    """Return the orientation of the paper that holds more cards; portrait if both hold the same
    number."""
    upright, turned = fit_grid(paper, trim, spacing), fit_grid(paper.swap_sides(), trim, spacing)
    return "landscape" if turned.slots > upright.slots else "portrait"


def _compute_centred_start(
    start: float, available_length: float, trim: float, between: float, count: int
) -> float:
    return start + (available_length - (count * (trim + between) - between)) / 2


def _list_cut_positions(start: float, trim: float, between: float, count: int) -> tuple[float, ...]:
    firsts = [start + i * (trim + between) for i in range(count)]
    if between < EPSILON:
        return (*firsts, start + count * trim) if count else ()
    return tuple(edge for first in firsts for edge in (first, first + trim))

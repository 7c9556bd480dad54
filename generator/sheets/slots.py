"""The slots of a sheet: how many cards fit on a paper and where, where their backs lie, and which card goes
into which slot. Millimetres from the top left corner, y downwards."""

from __future__ import annotations

from collections.abc import Iterable
from math import floor
from typing import Literal, NamedTuple, TypeVar

from playproof.generator.scene import Rect, Transform

# -- geometry ------------------------------------------------------------------------------------------------
# Slots and line segments on a sheet: millimetres from the top left corner, y downwards, as in the scene.

EPSILON = 1e-6  # mm; sums of binary fractions of a tenth of a millimetre stay far below it


class Size(NamedTuple):
    """Width and height in mm."""

    width: float
    height: float

    def swap_sides(self) -> Size:
        """The same paper or card on its side."""
        return Size(self.height, self.width)


class Segment(NamedTuple):
    """A straight line from (x1, y1) to (x2, y2), mm."""

    x1: float
    y1: float
    x2: float
    y2: float

    @property
    def box(self) -> Rect:
        """The smallest rectangle around the segment."""
        x, y = min(self.x1, self.x2), min(self.y1, self.y2)
        return Rect(x, y, abs(self.x2 - self.x1), abs(self.y2 - self.y1))

    @property
    def length(self) -> float:
        """The segment's length. Segments on a sheet are upright or level."""
        return abs(self.x2 - self.x1) + abs(self.y2 - self.y1)

    def translate(self, dx: float, dy: float) -> Segment:
        """Shifted right by `dx` and down by `dy`."""
        return Segment(self.x1 + dx, self.y1 + dy, self.x2 + dx, self.y2 + dy)


class Slot(NamedTuple):
    """The place of one card on a sheet: its trimmed rectangle, and whether the card is upside
    down."""

    trim: Rect
    upside_down: bool = False

    def translate(self, dx: float, dy: float) -> Slot:
        """Shifted right by `dx` and down by `dy`."""
        return self._replace(trim=self.trim.translate(dx, dy))

    @property
    def transform(self) -> Transform:
        """The map from the card's millimetres (from its trim's top left) to the sheet's."""
        if self.upside_down:
            return Transform(-1, 0, 0, -1, self.trim.right, self.trim.bottom)
        return Transform.move(self.trim.x, self.trim.y)


# -- grid ----------------------------------------------------------------------------------------------------
# How many cards fit on a paper, and where. Cards without bleed share cut lines; between cards with bleed
# there is a gap.

Orientation = Literal["portrait", "landscape"]


class Spacing(NamedTuple):
    """The room around the cards in mm: the sheet's margin, each card's bleed, and free paper
    between bleeds."""

    margin: float = 5.0
    bleed: float = 0.0
    gutter: float = 0.0
    gutter_down: float | None = None  # between rows; None is as between columns

    @property
    def distance_between_columns(self) -> float:
        """The distance from one card's cut to its neighbour's; 0 means that they share one cut."""
        return 2 * self.bleed + self.gutter

    @property
    def distance_between_rows(self) -> float:
        """The same distance from row to row."""
        return self.distance_between_columns if self.gutter_down is None else 2 * self.bleed + self.gutter_down


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
    def distance_between_rows(self) -> float:
        """The distance from a row's cut to the next row's."""
        return self.between if self.rows_apart is None else self.rows_apart

    @property
    def slot_count(self) -> int:
        return self.columns * self.rows

    def get_slot_at_index(self, index: int) -> Slot:
        """Return the slot at `index`, counted along the rows from the top left."""
        row, column = divmod(index, self.columns)
        x = self.origin[0] + column * (self.trim.width + self.between)
        y = self.origin[1] + row * (self.trim.height + self.distance_between_rows)
        return Slot(Rect(x, y, self.trim.width, self.trim.height), index + 1 in self.turned)

    @property
    def bounds_of_all_trims(self) -> Rect:
        """The rectangle around all trims, bleed not included."""
        width = self.columns * (self.trim.width + self.between) - self.between
        height = self.rows * (self.trim.height + self.distance_between_rows) - self.distance_between_rows
        return Rect(self.origin[0], self.origin[1], width, height)

    @property
    def x_of_vertical_cuts(self) -> tuple[float, ...]:
        """The positions of the vertical cuts, from the left; a shared cut is listed once."""
        return _list_ascending_cut_positions(self.origin[0], self.trim.width, self.between, self.columns)

    @property
    def y_of_horizontal_cuts(self) -> tuple[float, ...]:
        """The positions of the horizontal cuts, from the top; a shared cut is listed once."""
        return _list_ascending_cut_positions(self.origin[1], self.trim.height, self.distance_between_rows, self.rows)


def build_fullest_centred_grid(sheet: Size, card_size: Size, spacing: Spacing, area: Rect | None = None) -> Grid:
    """Return the fullest grid in `area` (by default the sheet inside its margin), centred. It may
    have no slots."""
    room = area or Rect(0, 0, sheet.width, sheet.height).expand(-spacing.margin)
    cell = Size(card_size.width + 2 * spacing.bleed, card_size.height + 2 * spacing.bleed)
    columns = count_cells_that_fit(room.width, cell.width, spacing.gutter)
    rows = count_cells_that_fit(room.height, cell.height, spacing.distance_between_rows - 2 * spacing.bleed)
    x = _compute_centred_start(room.x, room.width, card_size.width, spacing.distance_between_columns, columns)
    y = _compute_centred_start(room.y, room.height, card_size.height, spacing.distance_between_rows, rows)
    return Grid(
        sheet,
        card_size,
        columns,
        rows,
        spacing.distance_between_columns,
        (x, y),
        _get_unusual_row_distance_or_none(spacing),
    )


def _get_unusual_row_distance_or_none(spacing: Spacing) -> float | None:
    return None if spacing.gutter_down is None else spacing.distance_between_rows


class FixedPlaces(NamedTuple):
    """What a plan fixes of a grid: how many columns and rows (None is as many as fit), where the first card's cut
    begins from the left and the top (None is centred), and which places are turned."""

    columns: int | None = None
    rows: int | None = None
    left: float | None = None
    top: float | None = None
    turned: tuple[int, ...] = ()


def build_grid_at_fixed_places_or_empty(sheet: Size, card_size: Size, spacing: Spacing, fixed: FixedPlaces) -> Grid:
    """Return the grid of fixed places. It has no slots if its cards reach beyond the paper, or beyond the margin
    where the plan does not say where they begin."""
    free = build_fullest_centred_grid(sheet, card_size, spacing)
    columns = fixed.columns or free.columns
    rows = fixed.rows or free.rows
    x = (
        _compute_centred_start(0, sheet.width, card_size.width, spacing.distance_between_columns, columns)
        if fixed.left is None
        else fixed.left
    )
    y = (
        _compute_centred_start(0, sheet.height, card_size.height, spacing.distance_between_rows, rows)
        if fixed.top is None
        else fixed.top
    )
    grid = free._replace(columns=columns, rows=rows, origin=(x, y), turned=fixed.turned)
    room_x = spacing.margin + spacing.bleed if fixed.left is None else 0.0
    room_y = spacing.margin + spacing.bleed if fixed.top is None else 0.0
    block = grid.bounds_of_all_trims
    fits_across = room_x - EPSILON <= block.x and block.right <= sheet.width - room_x + EPSILON
    fits_down = room_y - EPSILON <= block.y and block.bottom <= sheet.height - room_y + EPSILON
    return grid if fits_across and fits_down else grid._replace(columns=0, rows=0)


def copy_grid_shrunk_to_card_count(grid: Grid, card_count: int) -> Grid:
    """Return the grid with the fewest rows and columns that these cards need, centred on the sheet.

    >>> copy_grid_shrunk_to_card_count(build_fullest_centred_grid(Size(210, 297), Size(63, 88), Spacing()), 4).rows
    2
    """
    columns = min(grid.columns, card_count)
    rows = -(-card_count // grid.columns)
    x = _compute_centred_start(0, grid.sheet.width, grid.trim.width, grid.between, columns)
    y = _compute_centred_start(0, grid.sheet.height, grid.trim.height, grid.distance_between_rows, rows)
    return grid._replace(columns=columns, rows=rows, origin=(x, y))


def choose_orientation_holding_more_cards(paper: Size, card_size: Size, spacing: Spacing) -> Orientation:
    """Return the orientation of the paper that holds more cards; portrait if both hold the same
    number."""
    upright, turned = (
        build_fullest_centred_grid(paper, card_size, spacing),
        build_fullest_centred_grid(paper.swap_sides(), card_size, spacing),
    )
    return "landscape" if turned.slot_count > upright.slot_count else "portrait"


def _compute_centred_start(
    start: float, available_length: float, card_length: float, distance_between: float, count: int
) -> float:
    return start + (available_length - (count * (card_length + distance_between) - distance_between)) / 2


def _list_ascending_cut_positions(
    start: float, card_length: float, distance_between: float, count: int
) -> tuple[float, ...]:
    firsts = [start + i * (card_length + distance_between) for i in range(count)]
    if distance_between < EPSILON:
        return (*firsts, start + count * card_length) if count else ()
    return tuple(edge for first in firsts for edge in (first, first + card_length))


# -- backs ---------------------------------------------------------------------------------------------------
# Where backs lie so that they fit their fronts: duplex, and gutterfold.

FOLD_GAP = 5.0  # mm from the fold to the nearest bleed (PnP makers' rule: at least 5 mm)
Fold = Literal["across", "down"]


class FoldedSheet(NamedTuple):
    """A sheet folded in the middle: the grid of the fronts and the line of the fold."""

    fronts: Grid
    fold: Fold

    @property
    def fold_line(self) -> Segment:
        """The fold, from edge to edge of the paper."""
        sheet = self.fronts.sheet
        if self.fold == "across":
            return Segment(0, sheet.height / 2, sheet.width, sheet.height / 2)
        return Segment(sheet.width / 2, 0, sheet.width / 2, sheet.height)

    @property
    def half_with_fronts(self) -> Rect:
        """The half of the sheet that holds the fronts."""
        sheet = self.fronts.sheet
        if self.fold == "across":
            return Rect(0, 0, sheet.width, sheet.height / 2)
        return Rect(0, 0, sheet.width / 2, sheet.height)

    def get_slot_of_back_folding_onto(self, index: int) -> Slot:
        """Return the slot of the back that folds onto slot `index` of the fronts."""
        slot, sheet = self.fronts.get_slot_at_index(index), self.fronts.sheet
        trim = slot.trim
        if self.fold == "across":
            return Slot(Rect(trim.x, sheet.height - trim.bottom, trim.width, trim.height), True)
        return Slot(Rect(sheet.width - trim.right, trim.y, trim.width, trim.height))


def choose_fold_holding_more_cards(
    sheet: Size, card_size: Size, spacing: Spacing, distance_from_fold: float = FOLD_GAP
) -> FoldedSheet:
    """Return the fold that holds more cards; across the sheet if both hold the same number."""
    room = Rect(0, 0, sheet.width, sheet.height).expand(-spacing.margin)
    upper = Rect(room.x, room.y, room.width, room.height / 2 - distance_from_fold)
    left = Rect(room.x, room.y, room.width / 2 - distance_from_fold, room.height)
    above, beside = (
        build_fullest_centred_grid(sheet, card_size, spacing, upper),
        build_fullest_centred_grid(sheet, card_size, spacing, left),
    )
    across = FoldedSheet(
        _copy_grid_moved_by(above, 0, upper.bottom - spacing.bleed - above.bounds_of_all_trims.bottom), "across"
    )
    down = FoldedSheet(
        _copy_grid_moved_by(beside, left.right - spacing.bleed - beside.bounds_of_all_trims.right, 0), "down"
    )
    return down if down.fronts.slot_count > across.fronts.slot_count else across


def _copy_grid_moved_by(grid: Grid, dx: float, dy: float) -> Grid:
    """Move the grid to the fold: a crooked fold shifts backs in proportion to their distance from
    it."""
    return grid._replace(origin=(grid.origin[0] + dx, grid.origin[1] + dy))


Flip = Literal["long", "short"]
Axis = Literal["vertical", "horizontal"]


def get_axis_printer_turns_sheet_about(sheet: Size, flip: Flip) -> Axis:
    """Return the axis of the page about which the printer turns the sheet.

    It is vertical for portrait and long edge, or landscape and short edge. A square sheet counts as
    portrait.
    """
    portrait = sheet.height >= sheet.width
    return "vertical" if portrait == (flip == "long") else "horizontal"


def get_slot_on_back_behind_front_slot(slot: Slot, sheet: Size, flip: Flip) -> Slot:
    """Return the slot on the back page exactly behind this slot of the front page."""
    trim = slot.trim
    if get_axis_printer_turns_sheet_about(sheet, flip) == "vertical":
        mirrored = Rect(sheet.width - trim.right, trim.y, trim.width, trim.height)
        return Slot(mirrored, slot.upside_down)
    mirrored = Rect(trim.x, sheet.height - trim.bottom, trim.width, trim.height)
    return Slot(mirrored, not slot.upside_down)


# -- order ---------------------------------------------------------------------------------------------------
# Assigns cards to slots: reading order, cut-and-stack, copies by count.

Item = TypeVar("Item")
Sheet = tuple[int | None, ...]


def assign_cards_to_slots_in_sequence(card_count: int, slots_per_sheet: int) -> tuple[Sheet, ...]:
    """Place cards 0, 1, 2 ... along the rows of sheet 1, then of sheet 2.

    >>> assign_cards_to_slots_in_sequence(5, 3)
    ((0, 1, 2), (3, 4, None))
    """
    return tuple(
        _build_sheet_with_empty_slots_past_last_card(range(first, first + slots_per_sheet), card_count)
        for first in range(0, card_count, slots_per_sheet)
    )


def assign_cards_to_slots_for_cut_and_stack(card_count: int, slots_per_sheet: int) -> tuple[Sheet, ...]:
    """Place cards so that the whole stack of sheets is cut at once: pile j holds consecutive cards,
    and the piles stack in order.

    With S = ceil(cards / slots) sheets, slot j of sheet s holds card j*S + s.

    >>> assign_cards_to_slots_for_cut_and_stack(7, 3)
    ((0, 3, 6), (1, 4, None), (2, 5, None))
    """
    sheets = -(-card_count // slots_per_sheet)
    return tuple(
        _build_sheet_with_empty_slots_past_last_card(range(first, slots_per_sheet * sheets, sheets), card_count)
        for first in range(sheets)
    )


def _build_sheet_with_empty_slots_past_last_card(card_indices: Iterable[int], card_count: int) -> Sheet:
    """Return a sheet with these cards in its slots; a slot for which there is no card is empty."""
    return tuple(index if index < card_count else None for index in card_indices)


def repeat_items_by_count(items_with_counts: Iterable[tuple[Item, int]]) -> tuple[Item, ...]:
    """Repeat each item as often as its count says, copies side by side; a count of 0 leaves it out.

    >>> repeat_items_by_count([("a", 2), ("b", 0), ("c", 1)])
    ('a', 'a', 'c')
    """
    return tuple(item for item, count in items_with_counts for _ in range(count))

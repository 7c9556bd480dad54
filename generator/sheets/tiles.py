"""Splits boards larger than the paper into overlapping tiles that are glued into one.

Each tile lies on top of its left and upper neighbour. Its left and top edges are cut; the neighbour
keeps a strip to glue on, and a tick in the neighbour's margin shows where the edge must lie.
"""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from playproof.generator.scene import Rect
from playproof.generator.sheets.cropmarks import EDGE, GAP
from playproof.generator.sheets.geometry import EPSILON, Segment, Size

OVERLAP = 10.0  # mm of picture printed on both neighbours: a glue strip one can hold
MARK = 4.0  # mm


class Tile(NamedTuple):
    """One sheet of a board: its row and column (from 0), the part of the board that it shows, and
    its place on the paper."""

    row: int
    column: int
    part: Rect
    at: Rect

    @property
    def name(self) -> str:
        """The tile's name: A1 at the top left, A2 to its right, B1 below (AA follows Z).

        >>> Tile(1, 2, Rect(0, 0, 1, 1), Rect(0, 0, 1, 1)).name
        'B3'
        """
        high, low = divmod(self.row, 26)
        return (chr(64 + high) if high else "") + chr(65 + low) + str(self.column + 1)


class Tiling(NamedTuple):
    """How a board is split: the sheet (portrait or landscape), rows, columns, and all tiles row by
    row."""

    sheet: Size
    rows: int
    columns: int
    overlap: float
    tiles: tuple[Tile, ...]
    bleed: float = 0.0  # mm of picture beyond the board's own edges

    def get_outer_bleed(self, tile: Tile) -> tuple[float, float, float, float]:
        """Return the tile's bleed left, above, right and below. Only the board's own edges have
        bleed."""
        last = (tile.column == self.columns - 1, tile.row == self.rows - 1)
        sides = (tile.column == 0, tile.row == 0, *last)
        left, top, right, bottom = (self.bleed if side else 0.0 for side in sides)
        return left, top, right, bottom

    def get_printed_area(self, tile: Tile) -> Rect:
        """Return the tile's printed area, bleed included."""
        return expand_sides(tile.at, self.get_outer_bleed(tile))

    def list_cut_marks(self, tile: Tile) -> tuple[Segment, ...]:
        """Return marks for the edges that are cut: the board's own edges, and each tile's left and
        top."""
        at, far = self.get_printed_area(tile), GAP + MARK
        reach = Rect(0, 0, self.sheet.width, self.sheet.height).expand(-EDGE)
        xs = [tile.at.x] + ([tile.at.right] if tile.column == self.columns - 1 else [])
        ys = [tile.at.y] + ([tile.at.bottom] if tile.row == self.rows - 1 else [])
        upright = [s for x in xs for s in _build_vertical_mark_pair(x, at, far)]
        level = [s for y in ys for s in _build_horizontal_mark_pair(y, at, far)]
        return tuple(short for mark in (*upright, *level) if (short := _clip_mark(mark, reach)) is not None)

    def list_tick_marks(self, tile: Tile) -> tuple[Segment, ...]:
        """Return marks where the cut edges of the right and the lower neighbour must lie on this
        tile."""
        at, far = self.get_printed_area(tile), GAP + MARK / 2
        xs = [tile.at.right - self.overlap] if tile.column < self.columns - 1 else []
        ys = [tile.at.bottom - self.overlap] if tile.row < self.rows - 1 else []
        upright = [s for x in xs for s in _build_vertical_mark_pair(x, at, far)]
        level = [s for y in ys for s in _build_horizontal_mark_pair(y, at, far)]
        return (*upright, *level)


def tile_board(
    board: Size, paper: Size, margin: float, overlap: float = OVERLAP, bleed: float = 0.0
) -> Tiling | None:
    """Return the tiling with fewer sheets (portrait if equal); None if the paper has no room."""
    ways = [
        way
        for sheet in (paper, paper.swap_sides())
        if (way := _build_tiling(board, sheet, margin, overlap, bleed))
    ]
    return min(ways, key=lambda way: len(way.tiles)) if ways else None


def expand_sides(rect: Rect, margins: tuple[float, float, float, float]) -> Rect:
    """Return the rectangle enlarged by these amounts left, above, right and below."""
    left, top, right, bottom = margins
    return Rect(rect.x - left, rect.y - top, rect.width + left + right, rect.height + top + bottom)


def _build_tiling(board: Size, sheet: Size, margin: float, overlap: float, bleed: float) -> Tiling | None:
    across = _split_into_spans(board.width, sheet.width - 2 * margin, overlap)
    down = _split_into_spans(board.height, sheet.height - 2 * margin, overlap)
    tiles = tuple(
        _build_tile(row, column, Rect(x, y, width, height), sheet)
        for row, (y, height) in enumerate(down)
        for column, (x, width) in enumerate(across)
    )
    return Tiling(sheet, len(down), len(across), overlap, tiles, bleed) if tiles else None


def _build_tile(row: int, column: int, part: Rect, sheet: Size) -> Tile:
    x, y = (sheet.width - part.width) / 2, (sheet.height - part.height) / 2
    return Tile(row, column, part, Rect(x, y, part.width, part.height))


def _split_into_spans(length: float, max_span: float, overlap: float) -> list[tuple[float, float]]:
    """Return equal spans of at most `room` that cover the length; each overlaps the one before.
    Empty if `room` is too small."""
    if length <= max_span + EPSILON:
        return [(0.0, length)]
    if max_span <= 2 * overlap:  # a tile must show more than its two glue strips
        return []
    count = ceil((length - overlap) / (max_span - overlap) - EPSILON)
    span = (length + (count - 1) * overlap) / count
    return [(i * (span - overlap), span) for i in range(count)]


def _clip_mark(mark: Segment, printable_area: Rect) -> Segment | None:
    """Return the part of a mark that printers print; None if it begins beyond that."""
    if not (
        printable_area.x <= mark.x1 <= printable_area.right
        and printable_area.y <= mark.y1 <= printable_area.bottom
    ):
        return None
    x2, y2 = (
        min(max(mark.x2, printable_area.x), printable_area.right),
        min(max(mark.y2, printable_area.y), printable_area.bottom),
    )
    return Segment(mark.x1, mark.y1, x2, y2)


def _build_vertical_mark_pair(x: float, at: Rect, outer_distance: float) -> tuple[Segment, Segment]:
    return Segment(x, at.y - GAP, x, at.y - outer_distance), Segment(
        x, at.bottom + GAP, x, at.bottom + outer_distance
    )


def _build_horizontal_mark_pair(y: float, at: Rect, outer_distance: float) -> tuple[Segment, Segment]:
    return Segment(at.x - GAP, y, at.x - outer_distance, y), Segment(
        at.right + GAP, y, at.right + outer_distance, y
    )

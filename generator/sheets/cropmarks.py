"""Crop marks: thin lines at the sheet's edge for every cut, outside the cards, clear of their
bleed."""

from __future__ import annotations

from functools import lru_cache

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import Segment, Size
from playproof.generator.sheets.grid import Grid
from playproof.generator.sheets.margins import STRIP

WIDTH = 0.15  # mm, the width PnP makers ask for: one sees it, the knife hides it
GAP = 1.0  # mm of white between the bleed and the mark
LENGTH = 5.0  # mm, when the margin has the room
SHORT = 2.0  # mm, where longer marks would leave no room for the ruler
EDGE = 2.0  # mm of paper left blank; printers leave out about 4 mm, so some of a mark always shows


@lru_cache(maxsize=64)
def build_crop_marks(grid: Grid, bleed: float, inside: Rect | None = None) -> tuple[Segment, ...]:
    """Return the marks for every cut of the grid, on all four sides of the block.

    `inside` is the area for marks: by default the sheet without EDGE; for a gutterfold, one half.
    """
    room = inside or Rect(0, 0, grid.sheet.width, grid.sheet.height).expand(-EDGE)
    printed = grid.block.expand(bleed + GAP)
    above = _compute_mark_span(printed.y, -1, room.y)
    below = _compute_mark_span(printed.bottom, 1, room.bottom)
    left = _compute_mark_span(printed.x, -1, room.x)
    right = _compute_mark_span(printed.right, 1, room.right)
    upright = [Segment(x, a, x, b) for x in grid.cuts_x for a, b in (above, below) if a != b]
    level = [Segment(a, y, b, y) for y in grid.cuts_y for a, b in (left, right) if a != b]
    return (*upright, *level)


def mirror_marks_to_back(marks: tuple[Segment, ...], sheet: Size, axis: str) -> tuple[Segment, ...]:
    """Return the same marks, mirrored for the other side of the sheet."""
    if axis == "vertical":
        return tuple(Segment(sheet.width - m.x1, m.y1, sheet.width - m.x2, m.y2) for m in marks)
    return tuple(Segment(m.x1, sheet.height - m.y1, m.x2, sheet.height - m.y2) for m in marks)


def _compute_mark_span(start: float, outwards: int, limit: float) -> tuple[float, float]:
    """Return a span from `start` in the direction `outwards`, 1 or -1, cut short at the limit. It has no length if
    the limit lies before the start."""
    space = (limit - start) * outwards
    beside_notes = round(space + EDGE - STRIP, 3)
    length = beside_notes if SHORT <= beside_notes < LENGTH else min(LENGTH, max(0.0, space))
    return start, start + outwards * length

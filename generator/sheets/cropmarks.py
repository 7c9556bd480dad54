"""Crop marks: thin lines at the sheet's edge for every cut, outside the cards, clear of their
bleed."""

from __future__ import annotations

from functools import lru_cache

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import Segment, Size
from playproof.generator.sheets.grid import Grid

WIDTH = 0.15  # mm, the width PnP makers ask for: one sees it, the knife hides it
GAP = 1.0  # mm of white between the bleed and the mark
LENGTH = 5.0  # mm, when the margin has the room
EDGE = 2.0  # mm of paper left blank; printers leave out about 4 mm, so some of a mark always shows


@lru_cache(maxsize=64)
def crop_marks(grid: Grid, bleed: float, inside: Rect | None = None) -> tuple[Segment, ...]:
    """Return the marks for every cut of the grid, on all four sides of the block.

    `inside` is the area for marks: by default the sheet without EDGE; for a gutterfold, one half.
    """
    room = inside or Rect(0, 0, grid.sheet.width, grid.sheet.height).grown(-EDGE)
    printed = grid.block.grown(bleed + GAP)
    above = _span(printed.y, -LENGTH, room.y)
    below = _span(printed.bottom, LENGTH, room.bottom)
    left = _span(printed.x, -LENGTH, room.x)
    right = _span(printed.right, LENGTH, room.right)
    upright = [Segment(x, a, x, b) for x in grid.cuts_x for a, b in (above, below) if a != b]
    level = [Segment(a, y, b, y) for y in grid.cuts_y for a, b in (left, right) if a != b]
    return (*upright, *level)


def on_the_back(marks: tuple[Segment, ...], sheet: Size, axis: str) -> tuple[Segment, ...]:
    """Return the same marks, mirrored for the other side of the sheet."""
    if axis == "vertical":
        return tuple(Segment(sheet.width - m.x1, m.y1, sheet.width - m.x2, m.y2) for m in marks)
    return tuple(Segment(m.x1, sheet.height - m.y1, m.x2, sheet.height - m.y2) for m in marks)


def _span(start: float, length: float, limit: float) -> tuple[float, float]:
    """Return a span from `start` outwards, cut short at the limit. It has no length if the limit
    lies before the start."""
    end = start + length
    clipped = max(end, limit) if length < 0 else min(end, limit)
    return (start, clipped) if (clipped - start) * length > 0 else (start, start)

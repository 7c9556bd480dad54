"""Slots and line segments on a sheet: millimetres from the top left corner, y downwards, as in the
scene."""

from __future__ import annotations

from typing import NamedTuple

from playproof.generator.scene import Rect, Transform

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

"""Where backs lie so that they fit their fronts: duplex, and gutterfold.

Duplex turns the sheet on its long or short edge. Gutterfold has fronts on one half of the sheet, backs on the other;
fold, glue, then cut through both layers. No other way aligns better at home, because one printed side holds both. The
fold runs across the sheet, with fronts above and backs below upside down, or down the sheet, with fronts left and backs
right, upright.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import Segment, Size, Slot
from playproof.generator.sheets.grid import Grid, Spacing, fit_grid

FOLD_GAP = 5.0  # mm from the fold to the nearest bleed (PnP makers' rule: at least 5 mm)
Fold = Literal["across", "down"]


class FoldedSheet(NamedTuple):
    """A sheet folded in the middle: the grid of the fronts and the line of the fold."""

    fronts: Grid
    fold: Fold

    @property
    def line(self) -> Segment:
        """The fold, from edge to edge of the paper."""
        sheet = self.fronts.sheet
        if self.fold == "across":
            return Segment(0, sheet.height / 2, sheet.width, sheet.height / 2)
        return Segment(sheet.width / 2, 0, sheet.width / 2, sheet.height)

    @property
    def half(self) -> Rect:
        """The half of the sheet that holds the fronts."""
        sheet = self.fronts.sheet
        if self.fold == "across":
            return Rect(0, 0, sheet.width, sheet.height / 2)
        return Rect(0, 0, sheet.width / 2, sheet.height)

    def get_back_slot(self, index: int) -> Slot:
        """Return the slot of the back that folds onto slot `index` of the fronts."""
        slot, sheet = self.fronts.get_slot(index), self.fronts.sheet
        trim = slot.trim
        if self.fold == "across":
            return Slot(Rect(trim.x, sheet.height - trim.bottom, trim.width, trim.height), True)
        return Slot(Rect(sheet.width - trim.right, trim.y, trim.width, trim.height))


def choose_fold(sheet: Size, trim: Size, spacing: Spacing, gap: float = FOLD_GAP) -> FoldedSheet:
    """Return the fold that holds more cards; across the sheet if both hold the same number."""
    room = Rect(0, 0, sheet.width, sheet.height).expand(-spacing.margin)
    upper = Rect(room.x, room.y, room.width, room.height / 2 - gap)
    left = Rect(room.x, room.y, room.width / 2 - gap, room.height)
    above, beside = fit_grid(sheet, trim, spacing, upper), fit_grid(sheet, trim, spacing, left)
    across = FoldedSheet(_move_grid(above, 0, upper.bottom - spacing.bleed - above.block.bottom), "across")
    down = FoldedSheet(_move_grid(beside, left.right - spacing.bleed - beside.block.right, 0), "down")
    return down if down.fronts.slots > across.fronts.slots else across


def _move_grid(grid: Grid, dx: float, dy: float) -> Grid:
    """Move the grid to the fold: a crooked fold shifts backs in proportion to their distance from
    it."""
    return grid._replace(origin=(grid.origin[0] + dx, grid.origin[1] + dy))


Flip = Literal["long", "short"]
Axis = Literal["vertical", "horizontal"]


def get_turning_axis(sheet: Size, flip: Flip) -> Axis:
    """Return the axis of the page about which the printer turns the sheet.

    It is vertical for portrait and long edge, or landscape and short edge. A square sheet counts as
    portrait.
    """
    portrait = sheet.height >= sheet.width
    return "vertical" if portrait == (flip == "long") else "horizontal"


def get_slot_behind(slot: Slot, sheet: Size, flip: Flip) -> Slot:
    """Return the slot on the back page exactly behind this slot of the front page."""
    trim = slot.trim
    if get_turning_axis(sheet, flip) == "vertical":
        mirrored = Rect(sheet.width - trim.right, trim.y, trim.width, trim.height)
        return Slot(mirrored, slot.upside_down)
    mirrored = Rect(trim.x, sheet.height - trim.bottom, trim.width, trim.height)
    return Slot(mirrored, not slot.upside_down)

"""Places backs so that they lie behind their fronts.

A duplex printer turns a sheet about one of its edges. A turn about the vertical axis mirrors x and
keeps "up"; a turn about the horizontal axis mirrors y and swaps "up" and "down", so the backs are
printed upside down. They are upright when a player turns the card sideways.
"""

from __future__ import annotations

from typing import Literal

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import Size, Slot

Flip = Literal["long", "short"]
Axis = Literal["vertical", "horizontal"]


def turning_axis(sheet: Size, flip: Flip) -> Axis:
    """Return the axis of the page about which the printer turns the sheet.

    It is vertical for portrait and long edge, or landscape and short edge. A square sheet counts as
    portrait.
    """
    portrait = sheet.height >= sheet.width
    return "vertical" if portrait == (flip == "long") else "horizontal"


def behind(slot: Slot, sheet: Size, flip: Flip) -> Slot:
    """Return the slot on the back page exactly behind this slot of the front page."""
    trim = slot.trim
    if turning_axis(sheet, flip) == "vertical":
        mirrored = Rect(sheet.width - trim.right, trim.y, trim.width, trim.height)
        return Slot(mirrored, slot.upside_down)
    mirrored = Rect(trim.x, sheet.height - trim.bottom, trim.width, trim.height)
    return Slot(mirrored, not slot.upside_down)

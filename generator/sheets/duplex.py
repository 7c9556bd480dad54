"""Where backs go so that they lie behind their fronts.

A sheet comes out of a duplex printer turned about one of its edges. Turned about the vertical axis,
x is mirrored and "up" stays up; turned about the horizontal axis, y is mirrored and "up" becomes
"down", so the backs are printed upside down. They are then upright when a player turns the card
sideways.
"""

from __future__ import annotations

from typing import Literal

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import Size, Slot

Flip = Literal["long", "short"]
Axis = Literal["vertical", "horizontal"]


def turning_axis(sheet: Size, flip: Flip) -> Axis:
    """The axis of the page about which the sheet is turned.

    Portrait and long edge, or landscape and short edge: vertical. A square sheet counts as
    portrait.
    """
    portrait = sheet.height >= sheet.width
    return "vertical" if portrait == (flip == "long") else "horizontal"


def behind(slot: Slot, sheet: Size, flip: Flip) -> Slot:
    """The slot on the back page that lies exactly behind this slot of the front page."""
    trim = slot.trim
    if turning_axis(sheet, flip) == "vertical":
        mirrored = Rect(sheet.width - trim.right, trim.y, trim.width, trim.height)
        return Slot(mirrored, slot.upside_down)
    mirrored = Rect(trim.x, sheet.height - trim.bottom, trim.width, trim.height)
    return Slot(mirrored, not slot.upside_down)

"""The faces of a die as stickers, one strip per die. They are a little smaller than the faces of a
wooden or plastic die."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.generator.papercraft.net import Net, Picture
from playproof.generator.scene import Colour, Face, Group, Rect, Transform

SHARE = 0.875  # of the die's edge: 14 mm on the common die of 16 mm, whose edges are rounded


def sticker_strip(name: str, edge: float, pictures: Sequence[Picture], ground: Colour | None = None) -> Face:
    """Return the pictures side by side, cut apart. Each is drawn for a square of `edge` (mm) and
    made smaller."""
    size = edge * SHARE
    strip = Net(name, len(pictures) * size, size)
    for at, picture in enumerate(pictures):
        small = Group(tuple(picture), Transform(SHARE, 0, 0, SHARE, 0, 0))
        strip.panel(Rect(at * size, 0, size, size), (small,), 0.0, ground)
        strip.cut((at * size, 0), (at * size, size))
    wide = len(pictures) * size
    strip.cut((0, 0), (wide, 0), (wide, size), (0, size))
    return strip.face()

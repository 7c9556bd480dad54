"""A standee: two pictures back to back, folded at the top. Its feet are folded out and glued to a
base."""

from __future__ import annotations

from playproof.generator.papercraft.net import FLAP, Net, Picture
from playproof.generator.scene import Colour, Path, Rect, rectangle

FOOT = 10.0  # mm


def build_standee_net(
    name: str, width: float, height: float, front: Picture, back: Picture, ground: Colour | None = None
) -> Net:
    """Return the net: foot, back (upside down), front, foot. Pictures are `width` by `height` mm.

    With a ground, colour runs on beyond each picture's cuts: the colour that fills the picture, or
    the ground if none does.
    """
    net = Net(name, width, 2 * height + 2 * FOOT)
    box = Rect(0, 0, width, height)
    for at, picture, turn in ((FOOT, back, 180.0), (FOOT + height, front, 0.0)):
        net.add_panel(
            box.translate(0, at), picture, turn, ground and (_get_filling_colour(picture, box) or ground)
        )
    bottom = FOOT + 2 * height
    net.add_flap([(width, FOOT), (width, 0), (0, 0), (0, FOOT)], FLAP, glued=False)
    net.add_flap(
        [(0, bottom), (0, bottom + FOOT), (width, bottom + FOOT), (width, bottom)], FLAP, glued=False
    )
    net.add_fold((0, FOOT + height), (width, FOOT + height), 180.0)
    net.add_cut((0, FOOT), (0, bottom))
    net.add_cut((width, FOOT), (width, bottom))
    return net


def _get_filling_colour(picture: Picture, box: Rect) -> Colour | None:
    """Return the colour of the picture's first rectangle if it fills the box."""
    first = picture[0] if picture else None
    if (
        isinstance(first, Path)
        and isinstance(first.fill, Colour)
        and first.commands == rectangle(box).commands
    ):
        return first.fill
    return None

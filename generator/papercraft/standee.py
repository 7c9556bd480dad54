"""A standee: two pictures back to back, folded at the top, with feet that are folded out and glued
to a base."""

from __future__ import annotations

from playproof.generator.papercraft.net import FLAP, Net, Picture
from playproof.generator.scene import Colour, Rect

FOOT = 10.0  # mm


def standee_net(
    name: str, width: float, height: float, front: Picture, back: Picture, ground: Colour | None = None
) -> Net:
    """The net: foot, back (upside down), front, foot. Pictures are drawn for width by height."""
    net = Net(name, width, 2 * height + 2 * FOOT)
    net.panel(Rect(0, FOOT, width, height), back, 180.0, ground)
    net.panel(Rect(0, FOOT + height, width, height), front, 0.0, ground)
    bottom = FOOT + 2 * height
    net.flap([(width, FOOT), (width, 0), (0, 0), (0, FOOT)], FLAP, glued=False)
    net.flap([(0, bottom), (0, bottom + FOOT), (width, bottom + FOOT), (width, bottom)], FLAP, glued=False)
    net.fold((0, FOOT + height), (width, FOOT + height), 180.0)
    net.cut((0, FOOT), (0, bottom))
    net.cut((width, FOOT), (width, bottom))
    return net

"""A tuckbox for a deck: five panels in a row, a lid that tucks in, and flaps at the bottom to
glue."""

from __future__ import annotations

from typing import NamedTuple

from playproof.generator.papercraft.net import CUT, Net, Picture
from playproof.generator.scene import WHITE, Colour, Path, Rect

GLUE = 10.0  # mm: the strip that closes the sleeve
TUCK = 14.0  # mm: how far the lid reaches inside
THUMB = 8.0  # mm: radius of the notch to take the cards by
LEAN = 0.12  # of a flap's width: how much its free corners are taken in
KAPPA = 0.5522847498307936


MM_PER_GRAM = 0.32 / 300  # the thickness of common card stock for each g/m2 of its weight
SLEEVE = 0.18  # mm that a sleeve adds to a card's thickness: two films of 90 micrometres
SLEEVE_RIM = (3.0, 3.0)  # mm that a sleeve is wider and higher than its card


class Stock(NamedTuple):
    """The material of the cards: paper weight in g/m2, two glued layers if ``folded``, sleeves if
    ``sleeved``.

    >>> round(Stock(folded=True).thickness / Stock().thickness)
    2
    """

    weight: float = 300.0
    folded: bool = False
    sleeved: bool = False

    @property
    def thickness(self) -> float:
        """The thickness of one card in mm."""
        layers = 2 if self.folded else 1
        return layers * self.weight * MM_PER_GRAM + (SLEEVE if self.sleeved else 0.0)

    @property
    def rim(self) -> tuple[float, float]:
        """How much wider and higher than the card its sleeve is, in mm."""
        return SLEEVE_RIM if self.sleeved else (0.0, 0.0)


COMMON = Stock()


class Box(NamedTuple):
    """The inside of a box in mm."""

    width: float
    height: float
    depth: float

    @classmethod
    def around(cls, width: float, height: float, cards: int, stock: Stock = COMMON, room: float = 1.0) -> Box:
        """Return a box for this many cards, with `room` mm to spare in depth and 1.5 times as much
        in width and height."""
        wider, higher = stock.rim
        return cls(width + wider + 1.5 * room, height + higher + 1.5 * room, cards * stock.thickness + room)


def tuckbox_net(
    name: str, box: Box, front: Picture, back: Picture, side: Picture = (), ground: Colour = WHITE
) -> Net:
    """Return the net. Pictures are drawn for panels of the box's sizes; ``side`` is depth by
    height."""
    w, h, d = box.width, box.height, box.depth
    dust = min(d, w / 2, TUCK)
    net = Net(name, GLUE + 2 * w + 2 * d, TUCK + d + h + d)
    top, bottom = TUCK + d, TUCK + d + h
    xs = [GLUE, GLUE + w, GLUE + w + d, GLUE + 2 * w + d, GLUE + 2 * w + 2 * d]
    net.flap([(xs[0], bottom), (0, bottom - GLUE / 2), (0, top + GLUE / 2), (xs[0], top)])
    panels = ((back, w), (side, d), (front, w), (side, d))
    for x, (picture, width) in zip(xs, panels, strict=False):
        net.panel(Rect(x, top, width, h), picture, 0.0, ground)
    _lid(net, xs[0], w, d, ground)
    for x, width in ((xs[1], d), (xs[3], d)):
        _flap(net, x, width, top, -dust)
        _flap(net, x, width, bottom, dust)
    _flap(net, xs[0], w, bottom, d)  # the bottom: two flaps as deep as the box, glued on each other
    _flap(net, xs[2], w, bottom, d)
    _thumb(net, xs[2] + w / 2, top, xs[2], xs[3])
    for x in xs[1:4]:
        net.fold((x, top), (x, bottom))
    net.cut((xs[4], top), (xs[4], bottom))
    return net


def _lid(net: Net, x: float, w: float, d: float, ground: Colour) -> None:
    """Draw the lid above the back panel, and the flap that tucks in, with round corners."""
    net.panel(Rect(x, TUCK, w, d), (), 0.0, ground)
    net.cut((x, TUCK), (x, TUCK + d))
    net.cut((x + w, TUCK), (x + w, TUCK + d))
    net.fold((x, TUCK + d), (x + w, TUCK + d))
    lean = min(6.0, w * LEAN)
    corners = [
        (x, TUCK),
        (x + lean / 3, lean),
        (x + lean, 0),
        (x + w - lean, 0),
        (x + w - lean / 3, lean),
        (x + w, TUCK),
    ]
    net.flap(corners, glued=False)


def _flap(net: Net, x: float, width: float, y: float, reach: float) -> None:
    lean = width * LEAN
    net.flap([(x, y), (x + lean, y + reach), (x + width - lean, y + reach), (x + width, y)], glued=False)


def _thumb(net: Net, x: float, y: float, left: float, right: float) -> None:
    """Cut a half circle out of the front's upper edge. It is drawn white."""
    k = THUMB * KAPPA
    half = (
        ("M", (x - THUMB, y)),
        ("C", (x - THUMB, y + k, x - k, y + THUMB, x, y + THUMB)),
        ("C", (x + k, y + THUMB, x + THUMB, y + k, x + THUMB, y)),
    )
    net.hole(Rect(x - THUMB, y, 2 * THUMB, THUMB), Path(half, WHITE, CUT))
    net.cut((left, y), (x - THUMB, y))
    net.cut((x + THUMB, y), (right, y))

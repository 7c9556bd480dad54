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


class CardStock(NamedTuple):
    """The material of the cards: paper weight in g/m2, two glued layers if ``folded``, sleeves if
    ``sleeved``.

    >>> round(CardStock(folded=True).thickness / CardStock().thickness)
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


COMMON = CardStock()


class BoxInterior(NamedTuple):
    """The inside of a box in mm."""

    width: float
    height: float
    depth: float

    @classmethod
    def create_for_deck(
        cls, width: float, height: float, cards: int, stock: CardStock = COMMON, spare_depth: float = 1.0
    ) -> BoxInterior:
        """Return a box for this many cards, with `room` mm to spare in depth and 1.5 times as much
        in width and height."""
        wider, higher = stock.rim
        return cls(
            width + wider + 1.5 * spare_depth,
            height + higher + 1.5 * spare_depth,
            cards * stock.thickness + spare_depth,
        )


def build_tuckbox_net(
    name: str, box: BoxInterior, front: Picture, back: Picture, side: Picture = (), ground: Colour = WHITE
) -> Net:
    """Return the net. Pictures are drawn for panels of the box's sizes; ``side`` is depth by
    height."""
    w, h, d = box.width, box.height, box.depth
    dust = min(d, w / 2, TUCK)
    net = Net(name, GLUE + 2 * w + 2 * d, TUCK + d + h + d)
    top, bottom = TUCK + d, TUCK + d + h
    xs = [GLUE, GLUE + w, GLUE + w + d, GLUE + 2 * w + d, GLUE + 2 * w + 2 * d]
    net.add_flap([(xs[0], bottom), (0, bottom - GLUE / 2), (0, top + GLUE / 2), (xs[0], top)])
    panels = ((back, w), (side, d), (front, w), (side, d))
    for x, (picture, width) in zip(xs, panels, strict=False):
        net.add_panel(Rect(x, top, width, h), picture, 0.0, ground)
    _add_lid(net, xs[0], w, d, ground)
    for x, width in ((xs[1], d), (xs[3], d)):
        _add_free_flap(net, x, width, top, -dust)
        _add_free_flap(net, x, width, bottom, dust)
    _add_free_flap(net, xs[0], w, bottom, d)  # the bottom: two flaps as deep as the box, glued on each other
    _add_free_flap(net, xs[2], w, bottom, d)
    _cut_thumb_notch(net, xs[2] + w / 2, top, xs[2], xs[3])
    for x in xs[1:4]:
        net.add_fold((x, top), (x, bottom))
    net.add_cut((xs[4], top), (xs[4], bottom))
    return net


def _add_lid(net: Net, x: float, width: float, depth: float, ground: Colour) -> None:
    """Draw the lid above the back panel, and the flap that tucks in, with round corners."""
    net.add_panel(Rect(x, TUCK, width, depth), (), 0.0, ground)
    net.add_cut((x, TUCK), (x, TUCK + depth))
    net.add_cut((x + width, TUCK), (x + width, TUCK + depth))
    net.add_fold((x, TUCK + depth), (x + width, TUCK + depth))
    lean = min(6.0, width * LEAN)
    corners = [
        (x, TUCK),
        (x + lean / 3, lean),
        (x + lean, 0),
        (x + width - lean, 0),
        (x + width - lean / 3, lean),
        (x + width, TUCK),
    ]
    net.add_flap(corners, glued=False)


def _add_free_flap(net: Net, x: float, width: float, y: float, reach: float) -> None:
    lean = width * LEAN
    net.add_flap([(x, y), (x + lean, y + reach), (x + width - lean, y + reach), (x + width, y)], glued=False)


def _cut_thumb_notch(net: Net, x: float, y: float, left: float, right: float) -> None:
    """Cut a half circle out of the front's upper edge. It is drawn white."""
    k = THUMB * KAPPA
    half = (
        ("M", (x - THUMB, y)),
        ("C", (x - THUMB, y + k, x - k, y + THUMB, x, y + THUMB)),
        ("C", (x + k, y + THUMB, x + THUMB, y + k, x + THUMB, y)),
    )
    net.add_hole(Rect(x - THUMB, y, 2 * THUMB, THUMB), Path(half, WHITE, CUT))
    net.add_cut((left, y), (x - THUMB, y))
    net.add_cut((x + THUMB, y), (right, y))

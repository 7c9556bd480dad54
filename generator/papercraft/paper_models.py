"""The nets that come ready made: a tuckbox for a deck, a die or stickers for one, a standee, a stand for
cards."""

from __future__ import annotations

from collections.abc import Sequence
from math import acos, degrees
from typing import NamedTuple

from playproof.generator.papercraft.net import CUT, FLAP, Net, Picture
from playproof.generator.scene import WHITE, Colour, Face, Group, Node, Path, Rect, Transform, build_rectangle_path
from playproof.generator.type.shaping import typeset_anchored_text_line
from playproof.generator.wording import SheetWording

# -- tuckbox -------------------------------------------------------------------------------------------------
# A tuckbox for a deck: five panels in a row, a lid that tucks in, and flaps at the bottom to glue.

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

    >>> round(CardStock(folded=True).card_thickness_in_mm / CardStock().card_thickness_in_mm)
    2
    """

    weight: float = 300.0
    folded: bool = False
    sleeved: bool = False

    @property
    def card_thickness_in_mm(self) -> float:
        """The thickness of one card in mm."""
        layers = 2 if self.folded else 1
        return layers * self.weight * MM_PER_GRAM + (SLEEVE if self.sleeved else 0.0)

    @property
    def sleeve_excess_in_mm(self) -> tuple[float, float]:
        """How much wider and higher than the card its sleeve is, in mm."""
        return SLEEVE_RIM if self.sleeved else (0.0, 0.0)


COMMON = CardStock()


class BoxInterior(NamedTuple):
    """The inside of a box in mm."""

    width: float
    height: float
    depth: float

    @classmethod
    def create_for_card_count(
        cls, width: float, height: float, card_count: int, stock: CardStock = COMMON
    ) -> BoxInterior:
        """Return a box for this many cards, with 1 mm to spare in depth and 1.5 mm in width and height."""
        wider, higher = stock.sleeve_excess_in_mm
        return cls(
            width + wider + 1.5,
            height + higher + 1.5,
            card_count * stock.card_thickness_in_mm + 1.0,
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
    net.add_flap_cut_and_folded([(xs[0], bottom), (0, bottom - GLUE / 2), (0, top + GLUE / 2), (xs[0], top)])
    panels = ((back, w), (side, d), (front, w), (side, d))
    for x, (picture, width) in zip(xs, panels, strict=False):
        net.add_panel_with_picture(Rect(x, top, width, h), picture, 0.0, ground)
    _add_tuckbox_lid(net, xs[0], w, d, ground)
    for x, width in ((xs[1], d), (xs[3], d)):
        _add_tapered_flap_without_glue(net, x, width, top, -dust)
        _add_tapered_flap_without_glue(net, x, width, bottom, dust)
    _add_tapered_flap_without_glue(
        net, xs[0], w, bottom, d
    )  # the bottom: two flaps as deep as the box, glued on each other
    _add_tapered_flap_without_glue(net, xs[2], w, bottom, d)
    _add_thumb_notch(net, xs[2] + w / 2, top, xs[2], xs[3])
    for x in xs[1:4]:
        net.add_fold_line((x, top), (x, bottom))
    net.add_cut_line((xs[4], top), (xs[4], bottom))
    return net


def _add_tuckbox_lid(net: Net, x: float, width: float, depth: float, ground: Colour) -> None:
    """Draw the lid above the back panel, and the flap that tucks in, with round corners."""
    net.add_panel_with_picture(Rect(x, TUCK, width, depth), (), 0.0, ground)
    net.add_cut_line((x, TUCK), (x, TUCK + depth))
    net.add_cut_line((x + width, TUCK), (x + width, TUCK + depth))
    net.add_fold_line((x, TUCK + depth), (x + width, TUCK + depth))
    lean = min(6.0, width * LEAN)
    corners = [
        (x, TUCK),
        (x + lean / 3, lean),
        (x + lean, 0),
        (x + width - lean, 0),
        (x + width - lean / 3, lean),
        (x + width, TUCK),
    ]
    net.add_flap_cut_and_folded(corners, glued=False)


def _add_tapered_flap_without_glue(net: Net, x: float, width: float, y: float, reach: float) -> None:
    lean = width * LEAN
    net.add_flap_cut_and_folded(
        [(x, y), (x + lean, y + reach), (x + width - lean, y + reach), (x + width, y)], glued=False
    )


def _add_thumb_notch(net: Net, x: float, y: float, left: float, right: float) -> None:
    """Cut a half circle out of the front's upper edge. It is drawn white."""
    k = THUMB * KAPPA
    half = (
        ("M", (x - THUMB, y)),
        ("C", (x - THUMB, y + k, x - k, y + THUMB, x, y + THUMB)),
        ("C", (x + k, y + THUMB, x + THUMB, y + k, x + THUMB, y)),
    )
    net.add_hole_in_panel(Rect(x - THUMB, y, 2 * THUMB, THUMB), Path(half, WHITE, CUT))
    net.add_cut_line((left, y), (x - THUMB, y))
    net.add_cut_line((x + THUMB, y), (right, y))


# -- die -----------------------------------------------------------------------------------------------------
# A die of paper: six faces in a cross, with tabs to glue; or stickers for a die of wood or plastic. Faces 1
# and 6, 2 and 5, 3 and 4 are opposite.

DIE_TAB = 5.0  # mm
# Where face 1 to 6 lies, in edges, so that opposite faces add up to seven when it is folded.
PLACES = ((1, 0), (0, 1), (1, 1), (3, 1), (2, 1), (1, 2))


def build_die_net_from_six_pictures(
    name: str, edge: float, pictures: Sequence[Picture], ground: Colour | None = None
) -> Net:
    """Return the net of a die with this edge (mm). Raises ValueError unless there are six pictures,
    each drawn for a square of `edge`."""
    if len(pictures) != 6:
        raise ValueError(f"a die has six faces, found {len(pictures)}")
    net = Net(name, 4 * edge + 2 * DIE_TAB, 3 * edge + 2 * DIE_TAB)
    for (column, row), picture in zip(PLACES, pictures, strict=True):
        net.add_panel_with_picture(
            Rect(DIE_TAB + column * edge, DIE_TAB + row * edge, edge, edge), picture, 0.0, ground
        )
    _add_die_folds(net, edge)
    _add_die_tabs_and_cuts(net, edge)
    return net


def _add_die_folds(net: Net, edge: float) -> None:
    for column in (1, 2, 3):
        net.add_fold_line((DIE_TAB + column * edge, DIE_TAB + edge), (DIE_TAB + column * edge, DIE_TAB + 2 * edge))
    for row in (1, 2):
        net.add_fold_line((DIE_TAB + edge, DIE_TAB + row * edge), (DIE_TAB + 2 * edge, DIE_TAB + row * edge))


def _add_die_tabs_and_cuts(net: Net, edge: float) -> None:
    """Add seven tabs and seven cuts: the cross has 14 free edges that meet in pairs, and each pair
    needs one tab."""
    left, top = DIE_TAB, DIE_TAB
    for column in (0, 2, 3):
        x = left + column * edge
        _add_glue_tab(net, (x, top + edge), (x + edge, top + edge), -DIE_TAB)
        _add_glue_tab(net, (x, top + 2 * edge), (x + edge, top + 2 * edge), DIE_TAB)
    x = left + 4 * edge
    net.add_flap_cut_and_folded(
        [(x, top + edge), (x + DIE_TAB, top + 1.2 * edge), (x + DIE_TAB, top + 1.8 * edge), (x, top + 2 * edge)]
    )
    net.add_cut_line((left, top + edge), (left, top + 2 * edge))
    for row in (0, 2):
        y = top + row * edge
        net.add_cut_line((left + edge, y), (left + edge, y + edge))
        net.add_cut_line((left + 2 * edge, y), (left + 2 * edge, y + edge))
        outer = y if row == 0 else y + edge
        net.add_cut_line((left + edge, outer), (left + 2 * edge, outer))


def _add_glue_tab(net: Net, start: tuple[float, float], end: tuple[float, float], reach: float) -> None:
    lean = (end[0] - start[0]) * 0.2
    net.add_flap_cut_and_folded([start, (start[0] + lean, start[1] + reach), (end[0] - lean, end[1] + reach), end])


SHARE = 0.875  # of the die's edge: 14 mm on the common die of 16 mm, whose edges are rounded


def build_strip_of_die_stickers(
    name: str, edge: float, pictures: Sequence[Picture], ground: Colour | None = None
) -> Face:
    """Return the pictures side by side, cut apart. Each is drawn for a square of `edge` (mm) and
    made smaller."""
    size = edge * SHARE
    strip = Net(name, len(pictures) * size, size)
    for at, picture in enumerate(pictures):
        small = Group(tuple(picture), Transform(SHARE, 0, 0, SHARE, 0, 0))
        strip.add_panel_with_picture(Rect(at * size, 0, size, size), (small,), 0.0, ground)
        strip.add_cut_line((at * size, 0), (at * size, size))
    wide = len(pictures) * size
    strip.add_cut_line((0, 0), (wide, 0), (wide, size), (0, size))
    return strip.build_face_of_net()


# -- standee -------------------------------------------------------------------------------------------------
# A standee: two pictures back to back, folded at the top. Its feet are folded out and glued to a base.

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
        net.add_panel_with_picture(
            box.translate(0, at),
            picture,
            turn,
            ground and (_get_colour_if_first_shape_fills_box(picture, box) or ground),
        )
    bottom = FOOT + 2 * height
    net.add_flap_cut_and_folded([(width, FOOT), (width, 0), (0, 0), (0, FOOT)], FLAP, glued=False)
    net.add_flap_cut_and_folded(
        [(0, bottom), (0, bottom + FOOT), (width, bottom + FOOT), (width, bottom)], FLAP, glued=False
    )
    net.add_fold_line((0, FOOT + height), (width, FOOT + height), 180.0)
    net.add_cut_line((0, FOOT), (0, bottom))
    net.add_cut_line((width, FOOT), (width, bottom))
    return net


def _get_colour_if_first_shape_fills_box(picture: Picture, box: Rect) -> Colour | None:
    """Return the colour of the picture's first rectangle if it fills the box."""
    first = picture[0] if picture else None
    if (
        isinstance(first, Path)
        and isinstance(first.fill, Colour)
        and first.commands == build_rectangle_path(box).commands
    ):
        return first.fill
    return None


# -- stand for cards -----------------------------------------------------------------------------------------
# A stand for cards: a strip folded into a triangular tube, with a slot in its slope for the cards.

RIM = 8.0  # mm of paper at either end of the slot
WEDGE_TAB = 12.0  # mm
LABEL = 7.5  # pt


def build_card_stand_net_or_raise(
    name: str,
    slot_width: float,
    depth: float,
    height: float,
    slot_length: float,
    slope_back_and_base_pictures: tuple[Picture, Picture, Picture],
    ground: Colour = WHITE,
    language: str = "en",
) -> Net:
    """Return the net for a slot of ``slot_width`` by ``slot_length`` mm, with pictures of slope, back and base
    (see `compute_card_stand_sizes_by_panel_in_mm`).

    Raises ValueError if the slot leaves no rim of paper on the slope.
    """
    wide = slot_width + 2 * RIM
    lengths = compute_card_stand_sizes_by_panel_in_mm(slot_width, depth, height)
    slope, back, base = (size for _, size in lengths.values())
    if slot_length > slope - 2 * RIM:
        raise ValueError(f"a slot of {slot_length:g} mm leaves no paper on a slope of {slope:.1f} mm")
    net = Net(name, wide, slope + back + base + WEDGE_TAB)
    say = SheetWording(language)
    tops = (0.0, slope, slope + back)
    for top, length, picture in zip(tops, (slope, back, base), slope_back_and_base_pictures, strict=True):
        net.add_panel_with_picture(Rect(0, top, wide, length), picture, 0.0, ground)
    end = slope + back + base
    net.add_fold_line((0, tops[1]), (wide, tops[1]), 180 - _compute_angle_between_sides_in_degrees(slope, back, base))
    net.add_fold_line((0, tops[2]), (wide, tops[2]), 180 - _compute_angle_between_sides_in_degrees(back, base, slope))
    lean = wide * 0.06
    net.add_flap_cut_and_folded(
        [(0, end), (lean, end + WEDGE_TAB), (wide - lean, end + WEDGE_TAB), (wide, end)],
        angle=180 - _compute_angle_between_sides_in_degrees(base, slope, back),
    )
    net.add_cut_line((0, end), (0, 0), (wide, 0), (wide, end))
    hole = Rect((wide - slot_width) / 2, (slope - slot_length) / 2, slot_width, slot_length)
    net.add_hole_in_panel(hole)
    net.add_label_nodes(
        _typeset_line_centred_in_box(say("cut out"), hole),
        _typeset_line_centred_in_box(say("glue under", panel=say("slope")), Rect(0, end, wide, WEDGE_TAB)),
    )
    return net


def compute_card_stand_sizes_by_panel_in_mm(
    width: float, depth: float, height: float
) -> dict[str, tuple[float, float]]:
    """Return the width and the length, in mm, of the slope, the back and the base."""
    wide = width + 2 * RIM
    return {"slope": (wide, (depth**2 + height**2) ** 0.5), "back": (wide, height), "base": (wide, depth)}


def _compute_angle_between_sides_in_degrees(first_side: float, second_side: float, opposite_side: float) -> float:
    """Return the angle in degrees between two sides of a triangle, from the lengths of all
    three."""
    return degrees(acos((first_side**2 + second_side**2 - opposite_side**2) / (2 * first_side * second_side)))


def _typeset_line_centred_in_box(text: str, box: Rect) -> Node:
    x, y = box.centre
    return typeset_anchored_text_line(text, x, y + 1.0, LABEL, anchor="middle")

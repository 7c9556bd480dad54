"""A stand for cards: a strip folded into a triangular tube, with a slot in its slope for the cards.

slope   the front, with the slot
back    upright
base    on the table
tab     glued under the slope's free edge
"""

from __future__ import annotations

from math import acos, degrees

from playproof.generator.papercraft.net import Net, Picture
from playproof.generator.scene import WHITE, Colour, Glyphs, Rect
from playproof.generator.sheets.lettering import set_text_line
from playproof.generator.wording import SheetWording

RIM = 8.0  # mm of paper at either end of the slot
TAB = 12.0  # mm
LABEL = 7.5  # pt


def build_wedge_net(
    name: str,
    width: float,
    depth: float,
    height: float,
    slot: float,
    pictures: tuple[Picture, Picture, Picture],
    ground: Colour = WHITE,
    language: str = "en",
) -> Net:
    """Return the net for a slot of ``width`` by ``slot`` mm, with pictures of slope, back and base
    (see `compute_panel_sizes`).

    Raises ValueError if the slot leaves no rim of paper on the slope.
    """
    wide = width + 2 * RIM
    lengths = compute_panel_sizes(width, depth, height)
    slope, back, base = (size for _, size in lengths.values())
    if slot > slope - 2 * RIM:
        raise ValueError(f"a slot of {slot:g} mm leaves no paper on a slope of {slope:.1f} mm")
    net = Net(name, wide, slope + back + base + TAB)
    say = SheetWording(language)
    tops = (0.0, slope, slope + back)
    for top, length, picture in zip(tops, (slope, back, base), pictures, strict=True):
        net.add_panel(Rect(0, top, wide, length), picture, 0.0, ground)
    end = slope + back + base
    net.add_fold((0, tops[1]), (wide, tops[1]), 180 - _compute_triangle_angle(slope, back, base))
    net.add_fold((0, tops[2]), (wide, tops[2]), 180 - _compute_triangle_angle(back, base, slope))
    lean = wide * 0.06
    net.add_flap(
        [(0, end), (lean, end + TAB), (wide - lean, end + TAB), (wide, end)],
        angle=180 - _compute_triangle_angle(base, slope, back),
    )
    net.add_cut((0, end), (0, 0), (wide, 0), (wide, end))
    hole = Rect((wide - width) / 2, (slope - slot) / 2, width, slot)
    net.add_hole(hole)
    net.add_label_nodes(
        _set_centred_text(say("cut out"), hole),
        _set_centred_text(say("glue under", panel=say("slope")), Rect(0, end, wide, TAB)),
    )
    return net


def compute_panel_sizes(width: float, depth: float, height: float) -> dict[str, tuple[float, float]]:
    """Return the width and the length, in mm, of the slope, the back and the base."""
    wide = width + 2 * RIM
    return {"slope": (wide, (depth**2 + height**2) ** 0.5), "back": (wide, height), "base": (wide, depth)}


def _compute_triangle_angle(side: float, other: float, opposite: float) -> float:
    """Return the angle in degrees between two sides of a triangle, from the lengths of all
    three."""
    return degrees(acos((side**2 + other**2 - opposite**2) / (2 * side * other)))


def _set_centred_text(text: str, box: Rect) -> Glyphs:
    x, y = box.centre
    return set_text_line(text, x, y + 1.0, LABEL, anchor="middle")

"""A die of paper: six faces in a cross, with tabs to glue; or stickers for a die of wood or plastic. Faces 1 and 6, 2
and 5, 3 and 4 are opposite."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.generator.papercraft.net import Net, Picture
from playproof.generator.scene import Colour, Face, Group, Rect, Transform

TAB = 5.0  # mm
# Where face 1 to 6 lies, in edges, so that opposite faces add up to seven when it is folded.
PLACES = ((1, 0), (0, 1), (1, 1), (3, 1), (2, 1), (1, 2))


def build_die_net(name: str, edge: float, pictures: Sequence[Picture], ground: Colour | None = None) -> Net:
    """Return the net of a die with this edge (mm). Raises ValueError unless there are six pictures,
    each drawn for a square of `edge`."""
    if len(pictures) != 6:
        raise ValueError(f"a die has six faces, found {len(pictures)}")
    net = Net(name, 4 * edge + 2 * TAB, 3 * edge + 2 * TAB)
    for (column, row), picture in zip(PLACES, pictures, strict=True):
        net.add_panel(Rect(TAB + column * edge, TAB + row * edge, edge, edge), picture, 0.0, ground)
    _add_folds(net, edge)
    _add_tabs(net, edge)
    return net


def _add_folds(net: Net, edge: float) -> None:
    for column in (1, 2, 3):
        net.add_fold((TAB + column * edge, TAB + edge), (TAB + column * edge, TAB + 2 * edge))
    for row in (1, 2):
        net.add_fold((TAB + edge, TAB + row * edge), (TAB + 2 * edge, TAB + row * edge))


def _add_tabs(net: Net, edge: float) -> None:
    """Add seven tabs and seven cuts: the cross has 14 free edges that meet in pairs, and each pair
    needs one tab."""
    left, top = TAB, TAB
    for column in (0, 2, 3):
        x = left + column * edge
        _add_tab(net, (x, top + edge), (x + edge, top + edge), -TAB)
        _add_tab(net, (x, top + 2 * edge), (x + edge, top + 2 * edge), TAB)
    x = left + 4 * edge
    net.add_flap(
        [(x, top + edge), (x + TAB, top + 1.2 * edge), (x + TAB, top + 1.8 * edge), (x, top + 2 * edge)]
    )
    net.add_cut((left, top + edge), (left, top + 2 * edge))
    for row in (0, 2):
        y = top + row * edge
        net.add_cut((left + edge, y), (left + edge, y + edge))
        net.add_cut((left + 2 * edge, y), (left + 2 * edge, y + edge))
        outer = y if row == 0 else y + edge
        net.add_cut((left + edge, outer), (left + 2 * edge, outer))


def _add_tab(net: Net, start: tuple[float, float], end: tuple[float, float], reach: float) -> None:
    lean = (end[0] - start[0]) * 0.2
    net.add_flap([start, (start[0] + lean, start[1] + reach), (end[0] - lean, end[1] + reach), end])


SHARE = 0.875  # of the die's edge: 14 mm on the common die of 16 mm, whose edges are rounded


def build_sticker_strip(
    name: str, edge: float, pictures: Sequence[Picture], ground: Colour | None = None
) -> Face:
    """Return the pictures side by side, cut apart. Each is drawn for a square of `edge` (mm) and
    made smaller."""
    size = edge * SHARE
    strip = Net(name, len(pictures) * size, size)
    for at, picture in enumerate(pictures):
        small = Group(tuple(picture), Transform(SHARE, 0, 0, SHARE, 0, 0))
        strip.add_panel(Rect(at * size, 0, size, size), (small,), 0.0, ground)
        strip.add_cut((at * size, 0), (at * size, size))
    wide = len(pictures) * size
    strip.add_cut((0, 0), (wide, 0), (wide, size), (0, size))
    return strip.build_face()

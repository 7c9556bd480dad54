"""Put a book's pages on sheets that are folded once and stapled in the middle.

A booklet's sheet holds two pages per side. When the sheets are printed on both sides (turned over
the short edge), folded together and stapled, the pages follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from playproof.generator.book.flow import BookPage
from playproof.generator.scene import Colour, Node, Page, Passage, Placement, Stroke, Transform, line

FOLD = Stroke(Colour.parse("#9a948c"), 0.15)
PAGES = 4  # on a sheet that is folded once
EDGE = 5.0  # mm of paper that home printers may leave white
TICK = 4.0  # mm: the marks that show where to fold and to staple


def impose_saddle_stitched(leaves: Sequence[BookPage], width: float, height: float) -> list[Page]:
    """Place the leaves two to a side on sheets of ``width`` by ``height`` mm (landscape), fronts
    and backs in turn. Their passages stay tagged, and are read in the order of the leaves.

    Blank pages at the end bring the number of pages to a multiple of four.
    """
    count = len(leaves) + -len(leaves) % PAGES
    sides = []
    for sheet in range(count // 4):
        first, last = 2 * sheet, count - 1 - 2 * sheet
        sides.append(_build_sheet_side(leaves, (last, first), width, height))
        sides.append(_build_sheet_side(leaves, (first + 1, last - 1), width, height))
    return sides


def _build_sheet_side(
    leaves: Sequence[BookPage], numbers: tuple[int, int], width: float, height: float
) -> Page:
    middle = width / 2
    placed: list[Placement] = []
    passages: list[Passage] = []
    for at, x in zip(numbers, (0.0, middle), strict=True):
        if at >= len(leaves):
            continue  # a blank page
        ground = leaves[at].ground
        scale = min(middle / ground.width, height / ground.height)
        across, down = (middle - ground.width * scale) / 2, (height - ground.height * scale) / 2
        place = Transform(scale, 0, 0, scale, x + across, down)
        placed.append(Placement(ground, place))
        passages += [each.apply_upright_transform(place)._replace(leaf=at) for each in leaves[at].passages]
    marks: tuple[Node, ...] = (
        line(middle, EDGE, middle, EDGE + TICK, FOLD),
        line(middle, height - EDGE - TICK, middle, height - EDGE, FOLD),
    )
    return Page(width, height, tuple(placed), marks, passages=tuple(passages))

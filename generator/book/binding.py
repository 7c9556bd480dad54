"""Put a book's pages on sheets that are folded once and stapled in the middle.

A booklet's sheet holds two pages per side. When the sheets are printed on both sides (turned over
the short edge), folded together and stapled, the pages follow each other.
"""

from __future__ import annotations

from collections.abc import Sequence

from playproof.generator.book.flow import Leaf
from playproof.generator.scene import Colour, Face, Node, Page, Placement, Stroke, Transform, line

FOLD = Stroke(Colour.parse("#9a948c"), 0.15)
PAGES = 4  # on a sheet that is folded once
TICK = 4.0  # mm: the marks that show where to fold and to staple


def saddle_stitched(leaves: Sequence[Leaf], width: float, height: float) -> list[Page]:
    """Place the leaves two to a side on sheets of ``width`` by ``height`` mm (landscape), fronts
    and backs in turn.

    Blank pages at the end bring the number of pages to a multiple of four.
    """
    faces: list[Face | None] = [leaf.face for leaf in leaves]
    faces += [None] * (-len(faces) % PAGES)
    count = len(faces)
    sides = []
    for sheet in range(count // 4):
        first, last = 2 * sheet, count - 1 - 2 * sheet
        sides.append(_side(faces[last], faces[first], width, height))
        sides.append(_side(faces[first + 1], faces[last - 1], width, height))
    return sides


def _side(left: Face | None, right: Face | None, width: float, height: float) -> Page:
    middle = width / 2
    placed = []
    for face, x in ((left, 0.0), (right, middle)):
        if face is not None:
            scale = min(middle / face.width, height / face.height)
            across, down = (middle - face.width * scale) / 2, (height - face.height * scale) / 2
            placed.append(Placement(face, Transform(scale, 0, 0, scale, x + across, down)))
    marks: tuple[Node, ...] = (
        line(middle, 0, middle, TICK, FOLD),
        line(middle, height - TICK, middle, height, FOLD),
    )
    return Page(width, height, tuple(placed), marks)

"""The parts of every net: panels with pictures, flaps, cuts and folds.

A net keeps its geometry beside the picture, so that a test can fold it and check
whether it closes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from playproof.generator.scene import (
    BLACK,
    Colour,
    Face,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Transform,
    line,
    polygon,
    rectangle,
)

CUT = Stroke(BLACK, 0.3)
FOLD = Stroke(BLACK, 0.25, dash=(2.0, 1.4))
FLAP = Colour.parse("#f2efe8")
BLEED = 1.5  # mm of a panel's colour beyond its cuts, so that a knife that strays leaves no white edge

Point = tuple[float, float]
Picture = Sequence[Node]


class Edge(NamedTuple):
    """A straight line that is cut, or folded away from the viewer by ``angle`` degrees."""

    start: Point
    end: Point
    angle: float = 0.0


class Flap(NamedTuple):
    """A flap that is folded at ``hinge``. A ``glued`` flap holds another edge; the others tuck in
    or stand out."""

    points: tuple[Point, ...]
    hinge: Edge
    glued: bool


class Net:
    """A net while it is drawn. The origin is at the top left; lengths are in millimetres."""

    def __init__(self, name: str, width: float, height: float) -> None:
        self.name = name
        self.width = width
        self.height = height
        self.panels: list[Rect] = []
        self.flaps: list[Flap] = []
        self.cuts: list[Edge] = []
        self.folds: list[Edge] = []
        self.holes: list[Rect] = []
        self._grounds: list[Node] = []
        self._leaves: list[Node] = []
        self._pictures: list[Node] = []
        self._lines: list[Node] = []

    def add_panel(self, at: Rect, picture: Picture, angle: float = 0.0, ground: Colour | None = None) -> None:
        """Place a picture, drawn for a box of the panel's size before the turn, and clip it to the
        panel."""
        self.panels.append(at)
        if ground is not None:
            self._grounds.append(rectangle(at.expand(BLEED), ground))
        wide, high = (at.height, at.width) if angle % 180 else (at.width, at.height)
        centred = (
            Transform.move(-wide / 2, -high / 2)
            .then(Transform.rotate(angle))
            .then(Transform.move(*at.centre))
        )
        inside = rectangle(Rect(0, 0, wide, high))
        self._pictures.append(Group((Group(tuple(picture), clip=inside),), centred))

    def add_flap(
        self, points: Sequence[Point], ground: Colour = FLAP, *, glued: bool = True, angle: float = 90.0
    ) -> None:
        """Add a filled flap. Its outline is cut, except the side from the last point to the first,
        which is folded."""
        self._leaves.append(polygon(tuple(points), ground))
        self.add_cut(*points)
        self.add_fold(points[-1], points[0], angle)
        self.flaps.append(Flap(tuple(points), self.folds[-1], glued))

    def add_cut(self, *points: Point) -> None:
        """Add a line that is cut through."""
        first, *rest = points
        self._lines.append(Path((("M", first), *(("L", point) for point in rest)), None, CUT))
        self.cuts += [Edge(start, end) for start, end in zip(points, rest, strict=False)]

    def add_hole(self, at: Rect, path: Path | None = None) -> None:
        """Add a hole in a panel, drawn white: the rectangle, or a shape that fills it."""
        self.holes.append(at)
        self._lines.append(path or rectangle(at, Colour(1, 1, 1), CUT))

    def add_fold(self, start: Point, end: Point, angle: float = 90.0) -> None:
        """Add a line along which the paper is folded away from the viewer."""
        self._lines.append(line(*start, *end, FOLD))
        self.folds.append(Edge(start, end, angle))

    def add_label_nodes(self, *nodes: Node) -> None:
        """Draw words on a flap or in a hole."""
        self._lines += nodes

    def build_face(self) -> Face:
        """Return the finished net: grounds at the bottom, then flaps, then pictures, then lines."""
        nodes = (*self._grounds, *self._leaves, *self._pictures, *self._lines)
        return Face(self.name, self.width, self.height, nodes, BLEED, 0.0)

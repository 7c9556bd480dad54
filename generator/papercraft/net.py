"""The parts of every net: panels with pictures, flaps, cuts and folds; and the check of nets that a layout
draws itself, where a solid line on a dashed one would cut the fold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import dist
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
    Use,
    build_line_path,
    build_polygon_path,
    build_rectangle_path,
)

# The parts of every net: panels with pictures, flaps, cuts and folds.

CUT = Stroke(BLACK, 0.3)
FOLD = Stroke(BLACK, 0.25, dash=(2.0, 1.4))
FLAP = Colour.parse_hex_or_cmyk_colour_or_raise("#f2efe8")
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

    def add_panel_with_picture(
        self, rect: Rect, picture: Picture, angle: float = 0.0, ground: Colour | None = None
    ) -> None:
        """Place a picture, drawn for a box of the panel's size before the turn, and clip it to the
        panel."""
        self.panels.append(rect)
        if ground is not None:
            self._grounds.append(build_rectangle_path(rect.expand(BLEED), ground))
        wide, high = (rect.height, rect.width) if angle % 180 else (rect.width, rect.height)
        centred = Transform.move(-wide / 2, -high / 2).then(Transform.rotate(angle)).then(Transform.move(*rect.centre))
        inside = build_rectangle_path(Rect(0, 0, wide, high))
        self._pictures.append(Group((Group(tuple(picture), clip=inside),), centred))

    def add_flap_cut_and_folded(
        self, points: Sequence[Point], ground: Colour = FLAP, *, glued: bool = True, angle: float = 90.0
    ) -> None:
        """Add a filled flap. Its outline is cut, except the side from the last point to the first,
        which is folded."""
        self._leaves.append(build_polygon_path(tuple(points), ground))
        self.add_cut_line(*points)
        self.add_fold_line(points[-1], points[0], angle)
        self.flaps.append(Flap(tuple(points), self.folds[-1], glued))

    def add_cut_line(self, *points: Point) -> None:
        """Add a line that is cut through."""
        first, *rest = points
        self._lines.append(Path((("M", first), *(("L", point) for point in rest)), None, CUT))
        self.cuts += [Edge(start, end) for start, end in zip(points, rest, strict=False)]

    def add_hole_in_panel(self, rect: Rect, path: Path | None = None) -> None:
        """Add a hole in a panel, drawn white: the rectangle, or a shape that fills it."""
        self.holes.append(rect)
        self._lines.append(path or build_rectangle_path(rect, Colour(1, 1, 1), CUT))

    def add_fold_line(self, start: Point, end: Point, angle: float = 90.0) -> None:
        """Add a line along which the paper is folded away from the viewer."""
        self._lines.append(build_line_path(*start, *end, FOLD))
        self.folds.append(Edge(start, end, angle))

    def add_label_nodes(self, *nodes: Node) -> None:
        """Draw words on a flap or in a hole."""
        self._lines += nodes

    def build_face_of_net(self) -> Face:
        """Return the finished net: grounds at the bottom, then flaps, then pictures, then lines."""
        nodes = (*self._grounds, *self._leaves, *self._pictures, *self._lines)
        return Face(self.name, self.width, self.height, nodes, BLEED, 0.0)


# -- net checks ----------------------------------------------------------------------------------------------
# Checks nets that a layout draws itself: a solid line on a dashed one would cut the fold.

CLOSE = 0.3  # mm: lines nearer than this are one line for a knife
LEAST = 2.0  # mm that two lines must share to count as the same


def list_folds_that_cuts_run_along(face: Face) -> list[Edge]:
    """Return the folds (dashed lines) of a face that a solid line runs along, in the face's
    millimetres."""
    solid: list[Edge] = []
    dashed: list[Edge] = []
    for edge, is_fold in _iter_stroked_lines_and_whether_dashed(face.nodes, Transform()):
        (dashed if is_fold else solid).append(edge)
    return [fold for fold in dashed if any(_measure_fold_length_along_cut_in_mm(fold, cut) > LEAST for cut in solid)]


def _iter_stroked_lines_and_whether_dashed(nodes: tuple[Node, ...], place: Transform) -> Iterator[tuple[Edge, bool]]:
    """Yield every stroked straight line, and whether it is dashed."""
    for node in nodes:
        if isinstance(node, Group):
            yield from _iter_stroked_lines_and_whether_dashed(node.children, node.transform.then(place))
        elif isinstance(node, Use):
            yield from _iter_stroked_lines_and_whether_dashed(node.symbol.children, node.transform.then(place))
        elif isinstance(node, Path) and node.stroke is not None:
            for edge in _iter_straight_edges_of_path(node, place):
                yield edge, bool(node.stroke.dash)


def _iter_straight_edges_of_path(path: Path, place: Transform) -> Iterator[Edge]:
    start = at = (0.0, 0.0)
    for letter, numbers in path.commands:
        after = place.apply(numbers[-2], numbers[-1]) if numbers else start
        if letter == "M":
            start = after
        elif letter in "LZ":
            yield Edge(at, after)
        at = after


def _measure_fold_length_along_cut_in_mm(fold: Edge, cut: Edge) -> float:
    """Return how many millimetres of the fold the cut runs along."""
    steps = max(1, round(dist(fold.start, fold.end) / 0.5))
    places = [
        (
            fold.start[0] + (fold.end[0] - fold.start[0]) * step / steps,
            fold.start[1] + (fold.end[1] - fold.start[1]) * step / steps,
        )
        for step in range(steps + 1)
    ]
    return sum(_measure_distance_to_segment(place, cut) < CLOSE for place in places) * 0.5


def _measure_distance_to_segment(point: Point, segment: Edge) -> float:
    """Return the distance of a point from a line segment."""
    (x1, y1), (x2, y2) = segment.start, segment.end
    length = (x2 - x1) ** 2 + (y2 - y1) ** 2
    share = ((point[0] - x1) * (x2 - x1) + (point[1] - y1) * (y2 - y1)) / length if length else 0.0
    share = min(1.0, max(0.0, share))
    return dist(point, (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share))

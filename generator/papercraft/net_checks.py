"""Checks nets that a layout draws itself: a solid line on a dashed one would cut the fold."""

from __future__ import annotations

from collections.abc import Iterator
from math import dist

from playproof.generator.papercraft.net import Edge, Point
from playproof.generator.scene import Face, Group, Node, Path, Transform, Use

CLOSE = 0.3  # mm: lines nearer than this are one line for a knife
LEAST = 2.0  # mm that two lines must share to count as the same


def find_cut_folds(face: Face) -> list[Edge]:
    """Return the folds (dashed lines) of a face that a solid line runs along, in the face's
    millimetres."""
    solid: list[Edge] = []
    dashed: list[Edge] = []
    for edge, is_fold in _iter_stroked_lines(face.nodes, Transform()):
        (dashed if is_fold else solid).append(edge)
    return [fold for fold in dashed if any(_measure_shared_length(fold, cut) > LEAST for cut in solid)]


def _iter_stroked_lines(nodes: tuple[Node, ...], place: Transform) -> Iterator[tuple[Edge, bool]]:
    """Yield every stroked straight line, and whether it is dashed."""
    for node in nodes:
        if isinstance(node, Group):
            yield from _iter_stroked_lines(node.children, node.transform.then(place))
        elif isinstance(node, Use):
            yield from _iter_stroked_lines(node.symbol.children, node.transform.then(place))
        elif isinstance(node, Path) and node.stroke is not None:
            for edge in _iter_straight_edges(node, place):
                yield edge, bool(node.stroke.dash)


def _iter_straight_edges(path: Path, place: Transform) -> Iterator[Edge]:
    start = at = (0.0, 0.0)
    for letter, numbers in path.commands:
        after = place.apply(numbers[-2], numbers[-1]) if numbers else start
        if letter == "M":
            start = after
        elif letter in "LZ":
            yield Edge(at, after)
        at = after


def _measure_shared_length(fold: Edge, cut: Edge) -> float:
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


def _measure_distance_to_segment(point: Point, line: Edge) -> float:
    """Return the distance of a point from a line segment."""
    (x1, y1), (x2, y2) = line.start, line.end
    length = (x2 - x1) ** 2 + (y2 - y1) ** 2
    share = ((point[0] - x1) * (x2 - x1) + (point[1] - y1) * (y2 - y1)) / length if length else 0.0
    share = min(1.0, max(0.0, share))
    return dist(point, (x1 + (x2 - x1) * share, y1 + (y2 - y1) * share))

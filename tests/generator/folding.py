"""Checks a net. The module folds the net in space; every edge must then find what it needs.

    faults(die_net("d6", 16, pictures)) == []

- no line is both cut and folded, and no cut runs through a panel or a flap, except round a hole;
- every edge of a panel is cut or folded, so nothing is left hanging and nothing falls apart;
- where two cut edges of panels meet after folding, one of them has a flap;
- every glued flap has an edge to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import cos, dist, radians, sin
from typing import TypeAlias

from playproof.generator.papercraft.net import Edge, Net, Point
from playproof.generator.scene import Rect

CLOSE = 0.05  # mm
MEET = 0.6  # mm that folded paper gives
STEP = 0.5  # mm between the places looked at along an edge

Place: TypeAlias = tuple[float, float, float]
# A panel in space: its origin, and where one millimetre right and one millimetre down lead.
Frame: TypeAlias = tuple[Place, Place, Place]


def faults(net: Net) -> list[str]:
    """Return what is wrong with a net, in words; an empty list if it can be cut, folded and
    glued."""
    return [*_cut_folds(net), *_cut_panels(net), *_loose_edges(net), *_open_edges(net), *_idle_flaps(net)]


def _cut_folds(net: Net) -> Iterator[str]:
    for fold in net.folds:
        shared = sum(_along(fold, lambda point: any(_on(cut, point) for cut in net.cuts)))
        if shared > 2:  # a cut may touch the ends of a fold
            yield f"the fold {_named(fold)} is cut too"


def _cut_panels(net: Net) -> Iterator[str]:
    for cut in net.cuts:
        middle = ((cut.start[0] + cut.end[0]) / 2, (cut.start[1] + cut.end[1]) / 2)
        if any(_inside(panel, middle) for panel in net.panels):
            yield f"the cut {_named(cut)} runs through a panel"


def _loose_edges(net: Net) -> Iterator[str]:
    lines = [*net.cuts, *net.folds]
    for panel in net.panels:
        for edge in _edges(panel):
            bare = _along(edge, lambda at: not any(_on(line, at) for line in lines) and not _in_hole(net, at))
            if sum(bare):
                yield f"the edge {_named(edge)} of a panel is neither cut nor folded"


def _open_edges(net: Net) -> Iterator[str]:
    hinges = [flap.hinge for flap in net.flaps]
    for one, other in _meeting(net):
        if not any(_same(hinge, edge) for hinge in hinges for edge in (one, other)):
            yield f"nothing holds the edges {_named(one)} and {_named(other)}, which meet: a flap is missing"


def _idle_flaps(net: Net) -> Iterator[str]:
    met = [edge for pair in _meeting(net) for edge in pair]
    for flap in net.flaps:
        if flap.glued and not any(_same(flap.hinge, edge) for edge in met):
            yield f"the flap at {_named(flap.hinge)} has no edge to be glued to"


def _meeting(net: Net) -> list[tuple[Edge, Edge]]:
    """Return the pairs of free panel edges that lie on each other after folding. Edges along a fold
    are not free.

    Panels folded flat on each other are glued over their whole face: their edges need nothing.
    """
    frames = _folded(net)
    free = [
        (number, edge, tuple(_in_space(frames[number], point) for point in (edge.start, edge.end)))
        for number, panel in enumerate(net.panels)
        for edge in _edges(panel)
        if not any(_same(fold, edge) and _between_panels(net, fold) for fold in net.folds)
    ]
    return [
        (one, other)
        for at, (first, one, ends) in enumerate(free)
        for second, other, others in free[at + 1 :]
        if _meet(ends, others) and not _same(one, other) and not _flat(net, frames, first, second)
    ]


def _flat(net: Net, frames: list[Frame], one: int, other: int) -> bool:
    """Return whether two panels lie face on face."""
    corners = [[_in_space(frames[at], edge.start) for edge in _edges(net.panels[at])] for at in (one, other)]
    return all(any(dist(corner, there) < MEET for there in corners[1]) for corner in corners[0])


def _meet(one: tuple[Place, ...], other: tuple[Place, ...]) -> bool:
    return any(
        dist(one[0], ends[0]) < MEET and dist(one[1], ends[1]) < MEET for ends in (other, tuple(reversed(other)))
    )


def _between_panels(net: Net, fold: Edge) -> bool:
    return sum(any(_same(fold, edge) for edge in _edges(panel)) for panel in net.panels) == 2


def _folded(net: Net) -> list[Frame]:
    """Return the position of each panel in space; the first stays on the table. Raises ValueError
    if no fold holds a panel."""
    frames: dict[int, Frame] = {0: ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))}
    waiting = [0]
    while waiting:
        at = waiting.pop()
        for other, panel in enumerate(net.panels):
            fold = _fold_between(net, net.panels[at], panel) if other not in frames else None
            if fold is not None:
                frames[other] = _turned(frames[at], fold, panel)
                waiting.append(other)
    if len(frames) < len(net.panels):
        raise ValueError(f"{net.name}: a panel hangs on no fold")
    return [frames[at] for at in range(len(net.panels))]


def _fold_between(net: Net, one: Rect, other: Rect) -> Edge | None:
    for fold in net.folds:
        if all(any(_same(fold, edge) for edge in _edges(panel)) for panel in (one, other)):
            return fold
    return None


def _turned(frame: Frame, fold: Edge, panel: Rect) -> Frame:
    """Return the frame of a panel next to a fold: its neighbour's frame, turned about the fold away
    from the viewer."""
    length = dist(fold.start, fold.end)
    along = ((fold.end[0] - fold.start[0]) / length, (fold.end[1] - fold.start[1]) / length)
    centre = panel.centre
    side = along[0] * (centre[1] - fold.start[1]) - along[1] * (centre[0] - fold.start[0])
    angle = radians(fold.angle) * (1 if side < 0 else -1)
    _, right, down = frame
    axis = _sum(_times(right, along[0]), _times(down, along[1]))
    hinge = _in_space(frame, fold.start)
    new_right, new_down = (_rotated(way, axis, angle) for way in (right, down))
    origin = _sum(hinge, _sum(_times(new_right, -fold.start[0]), _times(new_down, -fold.start[1])))
    return origin, new_right, new_down


def _rotated(way: Place, axis: Place, angle: float) -> Place:
    """Turn a direction about an axis of length 1 (Rodrigues' formula)."""
    turned = _sum(_times(way, cos(angle)), _times(_cross(axis, way), sin(angle)))
    return _sum(turned, _times(axis, _dot(axis, way) * (1 - cos(angle))))


def _in_space(frame: Frame, point: Point) -> Place:
    origin, right, down = frame
    return _sum(origin, _sum(_times(right, point[0]), _times(down, point[1])))


def _sum(one: Place, other: Place) -> Place:
    return (one[0] + other[0], one[1] + other[1], one[2] + other[2])


def _times(way: Place, factor: float) -> Place:
    return (way[0] * factor, way[1] * factor, way[2] * factor)


def _dot(one: Place, other: Place) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


def _cross(a: Place, b: Place) -> Place:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def _edges(panel: Rect) -> tuple[Edge, ...]:
    corners = ((panel.x, panel.y), (panel.right, panel.y), (panel.right, panel.bottom), (panel.x, panel.bottom))
    return tuple(Edge(corners[at], corners[(at + 1) % 4]) for at in range(4))


def _same(one: Edge, other: Edge) -> bool:
    ends = (other.start, other.end)
    return any(dist(one.start, a) < CLOSE and dist(one.end, b) < CLOSE for a, b in (ends, ends[::-1]))


def _along(edge: Edge, test: Callable[[Point], bool]) -> Iterator[bool]:
    """Yield the test's result at points along an edge, without its ends."""
    steps = max(2, round(dist(edge.start, edge.end) / STEP))
    for step in range(1, steps):
        share = step / steps
        x = edge.start[0] + (edge.end[0] - edge.start[0]) * share
        y = edge.start[1] + (edge.end[1] - edge.start[1]) * share
        yield test((x, y))


def _on(line: Edge, point: Point) -> bool:
    """Return whether a point lies on a line."""
    return dist(line.start, point) + dist(point, line.end) < dist(line.start, line.end) + CLOSE / 10


def _inside(panel: Rect, point: Point) -> bool:
    return panel.x + CLOSE < point[0] < panel.right - CLOSE and panel.y + CLOSE < point[1] < panel.bottom - CLOSE


def _in_hole(net: Net, point: Point) -> bool:
    return any(hole.expand(CLOSE).contains(Rect(*point, 0, 0)) for hole in net.holes)


def _named(edge: Edge) -> str:
    (x1, y1), (x2, y2) = edge.start, edge.end
    return f"({x1:.1f}, {y1:.1f})-({x2:.1f}, {y2:.1f})"

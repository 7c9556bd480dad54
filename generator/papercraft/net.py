"""What all nets are made of: panels with pictures, flaps, cuts and folds."""

from __future__ import annotations

from collections.abc import Sequence

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

Point = tuple[float, float]
Picture = Sequence[Node]


class Net:
    """A net in the making; origin at the top left, millimetres."""

    def __init__(self, name: str, width: float, height: float) -> None:
        self.name = name
        self.width = width
        self.height = height
        self._grounds: list[Node] = []
        self._pictures: list[Node] = []
        self._lines: list[Node] = []

    def panel(self, at: Rect, picture: Picture, turn: float = 0.0, ground: Colour | None = None) -> None:
        """A picture drawn for a box of the panel's size (before the turn), put in its place and cut to it."""
        if ground is not None:
            self._grounds.append(rectangle(at, ground))
        wide, high = (at.height, at.width) if turn % 180 else (at.width, at.height)
        centred = Transform.move(-wide / 2, -high / 2).then(Transform.rotate(turn)).then(Transform.move(*at.centre))
        inside = rectangle(Rect(0, 0, wide, high))
        self._pictures.append(Group((Group(tuple(picture), clip=inside),), centred))

    def flap(self, points: Sequence[Point], ground: Colour = FLAP) -> None:
        """A flap: filled, its outline cut but for the side from the last point to the first, which is folded."""
        self._grounds.append(polygon(tuple(points), ground))
        first, *rest = points
        self._lines.append(Path((("M", first), *(("L", point) for point in rest)), None, CUT))
        self.fold(points[-1], first)

    def cut(self, *points: Point) -> None:
        first, *rest = points
        self._lines.append(Path((("M", first), *(("L", point) for point in rest)), None, CUT))

    def shape(self, path: Path) -> None:
        """A cut of any shape, white inside."""
        self._lines.append(path)

    def fold(self, start: Point, end: Point) -> None:
        self._lines.append(line(*start, *end, FOLD))

    def face(self) -> Face:
        """The finished net: grounds below, pictures above them, lines on top."""
        nodes = (*self._grounds, *self._pictures, *self._lines)
        return Face(self.name, self.width, self.height, nodes, 0.0, 0.0)

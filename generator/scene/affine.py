"""Rectangles and affine maps."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin
from typing import NamedTuple


class Rect(NamedTuple):
    """An upright rectangle: top-left corner, width and height in millimetres."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x + self.width / 2, self.y + self.height / 2)

    def expand(self, margin: float) -> Rect:
        """Return this rectangle with ``by`` added on each of its four sides, or taken away if
        negative."""
        return Rect(self.x - margin, self.y - margin, self.width + 2 * margin, self.height + 2 * margin)

    def translate(self, dx: float, dy: float) -> Rect:
        return Rect(self.x + dx, self.y + dy, self.width, self.height)

    def apply_upright_transform(self, upright: Transform) -> Rect:
        """Return the rectangle moved and scaled; ``upright`` turns nothing."""
        x, y = upright.apply(self.x, self.y)
        return Rect(x, y, upright.a * self.width, upright.d * self.height)

    def intersect(self, other: Rect) -> Rect:
        """Return what both share; a rectangle of no size if they share nothing."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Rect(x, y, max(0.0, right - x), max(0.0, bottom - y))

    @staticmethod
    def build_bounding_box(boxes: Sequence[Rect]) -> Rect:
        """Return the least rectangle that holds all of them."""
        x, y = min(box.x for box in boxes), min(box.y for box in boxes)
        return Rect(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)

    def contains(self, other: Rect, slack: float = 1e-6) -> bool:
        """Return whether the other rectangle lies inside this one, borders included."""
        return (
            other.x >= self.x - slack
            and other.y >= self.y - slack
            and other.x + other.width <= self.x + self.width + slack
            and other.y + other.height <= self.y + self.height + slack
        )

    def overlaps(self, other: Rect, slack: float = 1e-6) -> bool:
        """Return whether the insides meet. A shared edge is no overlap; a line counts as its own
        inside."""
        return (
            self.x < other.x + other.width - slack
            and other.x < self.x + self.width - slack
            and self.y < other.y + other.height - slack
            and other.y < self.y + self.height - slack
        )


class Transform(NamedTuple):
    """The affine map x' = a x + c y + e, y' = b x + d y + f (the order of PDF and SVG)."""

    a: float = 1
    b: float = 0
    c: float = 0
    d: float = 1
    e: float = 0
    f: float = 0

    @classmethod
    def move(cls, x: float, y: float) -> Transform:
        return cls(1, 0, 0, 1, x, y)

    @classmethod
    def scale(cls, x: float, y: float | None = None) -> Transform:
        return cls(x, 0, 0, x if y is None else y, 0, 0)

    @classmethod
    def rotate(cls, degrees: float, about: tuple[float, float] = (0, 0)) -> Transform:
        """Return a clockwise turn (y points down) about a point. Right angles are exact."""
        exact = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
        turn = float(degrees % 360)
        cosine, sine = exact.get(turn) or (cos(radians(turn)), sin(radians(turn)))
        x, y = about
        return cls(cosine, sine, -sine, cosine, x - cosine * x + sine * y, y - sine * x - cosine * y)

    def then(self, after: Transform) -> Transform:
        """Return the map that applies this one first and ``after`` second.

        >>> Transform.scale(2).then(Transform.move(1, 0)).apply(3, 4)
        (7, 8)
        """
        return Transform(
            after.a * self.a + after.c * self.b,
            after.b * self.a + after.d * self.b,
            after.a * self.c + after.c * self.d,
            after.b * self.c + after.d * self.d,
            after.a * self.e + after.c * self.f + after.e,
            after.b * self.e + after.d * self.f + after.f,
        )

    def apply(self, x: float, y: float) -> tuple[float, float]:
        return (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)

    def transform_bounding_box(self, box: Rect) -> Rect:
        """Return the upright rectangle around a box that this map moves."""
        if self is IDENTITY:
            return box
        if not (self.b or self.c) and self.a > 0 < self.d:
            return box.apply_upright_transform(self)
        xs, ys = zip(
            *(self.apply(x, y) for x in (box.x, box.right) for y in (box.y, box.bottom)), strict=True
        )
        return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


IDENTITY = Transform()

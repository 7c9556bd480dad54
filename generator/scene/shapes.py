"""Common shapes as paths."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from math import atan2, cos

from playproof.generator.scene.affine import Rect
from playproof.generator.scene.nodes import Command, Paint, Path, Stroke


def rectangle(
    rect: Rect,
    fill: Paint | None = None,
    stroke: Stroke | None = None,
    radius: float = 0,
    square_below: bool = False,
) -> Path:
    """Return a rectangle, its corners rounded to ``radius`` mm. With ``square_below`` the lower
    corners stay square."""
    if radius <= 0:
        corners = ((rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom))
        return polygon(corners, fill, stroke)
    rounded = tuple(_iter_rounded_rectangle_commands(rect, min(radius, rect.width / 2, rect.height / 2)))
    if square_below:
        rounded = (
            *rounded[:3],
            ("L", (rect.right, rect.bottom)),
            ("L", (rect.x, rect.bottom)),
            *rounded[-3:],
        )
    return Path(rounded, fill, stroke)


# Handle length for a quarter circle drawn as one cubic, as a share of the radius (error below 0.03
# %).
KAPPA = 0.5522847498307936


def _iter_rounded_rectangle_commands(rect: Rect, radius: float) -> Iterator[Command]:
    x, y, right, bottom, inner = rect.x, rect.y, rect.right, rect.bottom, radius * (1 - KAPPA)
    yield ("M", (x + radius, y))
    yield ("L", (right - radius, y))
    yield ("C", (right - inner, y, right, y + inner, right, y + radius))
    yield ("L", (right, bottom - radius))
    yield ("C", (right, bottom - inner, right - inner, bottom, right - radius, bottom))
    yield ("L", (x + radius, bottom))
    yield ("C", (x + inner, bottom, x, bottom - inner, x, bottom - radius))
    yield ("L", (x, y + radius))
    yield ("C", (x, y + inner, x + inner, y, x + radius, y))
    yield ("Z", ())


def ellipse(
    x: float, y: float, rx: float, ry: float, fill: Paint | None = None, stroke: Stroke | None = None
) -> Path:
    """Return an ellipse about (x, y)."""
    kx, ky = rx * KAPPA, ry * KAPPA
    return Path(
        (
            ("M", (x + rx, y)),
            ("C", (x + rx, y + ky, x + kx, y + ry, x, y + ry)),
            ("C", (x - kx, y + ry, x - rx, y + ky, x - rx, y)),
            ("C", (x - rx, y - ky, x - kx, y - ry, x, y - ry)),
            ("C", (x + kx, y - ry, x + rx, y - ky, x + rx, y)),
            ("Z", ()),
        ),
        fill,
        stroke,
    )


def circle(x: float, y: float, r: float, fill: Paint | None = None, stroke: Stroke | None = None) -> Path:
    """Return a circle about (x, y)."""
    return ellipse(x, y, r, r, fill, stroke)


def polygon(
    points: tuple[tuple[float, float], ...], fill: Paint | None = None, stroke: Stroke | None = None
) -> Path:
    """Return a closed shape through the points."""
    first, *rest = points
    commands = (("M", first), *(("L", point) for point in rest), ("Z", ()))
    return Path(commands, fill, stroke)


def line(x1: float, y1: float, x2: float, y2: float, stroke: Stroke) -> Path:
    """Return a straight line."""
    return Path((("M", (x1, y1)), ("L", (x2, y2))), None, stroke)


def hexagon_in_box(box: Rect) -> Path:
    """Return the hexagon that fills a box: with a flat top in a box that is wider than high, else on its point."""
    x, y = box.centre
    if box.width >= box.height:
        near, far = box.x + box.width / 4, box.right - box.width / 4
        return polygon(
            ((box.x, y), (near, box.y), (far, box.y), (box.right, y), (far, box.bottom), (near, box.bottom))
        )
    near, far = box.y + box.height / 4, box.bottom - box.height / 4
    return polygon(
        ((box.x, near), (x, box.y), (box.right, near), (box.right, far), (x, box.bottom), (box.x, far))
    )


@lru_cache(maxsize=1024)
def has_corner_between_miter_limits(commands: tuple[Command, ...], limit: float, other_limit: float) -> bool:
    """Return whether a line along the commands looks otherwise with the one limit of pointed corners than with the
    other: whether a corner reaches farther than the less times its width, and not farther than the greater."""
    least, most = sorted((limit, other_limit))
    return least != most and any(least < reach <= most for reach in _iter_corner_reaches(commands))


def _iter_corner_reaches(commands: tuple[Command, ...]) -> Iterator[float]:
    """Yield how far each corner reaches in widths of the line: 1 / sin(half its angle)."""
    start = at = (0.0, 0.0)
    first: tuple[float, float] | None = None  # the direction in which the part begins
    last: tuple[float, float] | None = None  # the direction in which the line arrives
    for letter, points in commands:
        if letter == "M":
            start = at = (points[0], points[1])
            first = last = None
            continue
        ends = [(points[n], points[n + 1]) for n in range(0, len(points), 2)] if letter != "Z" else [start]
        path = [at, *ends]
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(path) if a != b]
        if steps:
            if last is not None:
                yield _compute_corner_reach(last, steps[0])
            first, last = first or steps[0], steps[-1]
        if letter == "Z" and last is not None and first is not None:
            yield _compute_corner_reach(last, first)
            first = last = None
        at = ends[-1]


def _compute_corner_reach(arriving: tuple[float, float], leaving: tuple[float, float]) -> float:
    turn = atan2(
        arriving[0] * leaving[1] - arriving[1] * leaving[0],
        arriving[0] * leaving[0] + arriving[1] * leaving[1],
    )
    half = cos(turn / 2)
    return 1 / half if half > 1e-9 else float("inf")

"""Common shapes as paths."""

from __future__ import annotations

from collections.abc import Iterator

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
    rounded = tuple(_rounded(rect, min(radius, rect.width / 2, rect.height / 2)))
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


def _rounded(rect: Rect, radius: float) -> Iterator[Command]:
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

"""Outlines of SVG pictures: their bounds, their maps, their turning sense."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import sqrt

from playproof.generator.art.svg_errors import NotDrawableAsVectors
from playproof.generator.scene import Command, Rect, Transform


def compute_outline_bounds(commands: Iterable[Command]) -> Rect:
    """Return the smallest rectangle around an outline, curves by where they turn back and not by their handles."""
    xs: list[float] = []
    ys: list[float] = []
    x = y = 0.0
    for letter, points in commands:
        if letter == "C":
            xs += _iter_cubic_extremes(x, *points[0::2])
            ys += _iter_cubic_extremes(y, *points[1::2])
        if points:
            x, y = points[-2], points[-1]
            xs.append(x)
            ys.append(y)
    if not xs:
        return Rect(0, 0, 0, 0)
    return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def _iter_cubic_extremes(p0: float, p1: float, p2: float, p3: float) -> Iterator[float]:
    """Yield the values of a cubic where its derivative is 0."""
    a, b, c = 3 * (p3 - 3 * p2 + 3 * p1 - p0), 6 * (p2 - 2 * p1 + p0), 3 * (p1 - p0)
    if abs(a) < 1e-12:
        times = [-c / b] if abs(b) > 1e-12 else []
    else:
        root = b * b - 4 * a * c
        times = [(-b + sign * sqrt(root)) / (2 * a) for sign in (1, -1)] if root >= 0 else []
    for t in times:
        if 0 < t < 1:
            s = 1 - t
            yield s**3 * p0 + 3 * s * s * t * p1 + 3 * s * t * t * p2 + t**3 * p3


def transform_outline(commands: Iterable[Command], transform: Transform) -> tuple[Command, ...]:
    """Return the outline after the map."""
    return tuple(
        (
            letter,
            tuple(
                part
                for at in range(0, len(points), 2)
                for part in transform.apply(points[at], points[at + 1])
            ),
        )
        for letter, points in commands
    )


def invert_transform(transform: Transform) -> Transform:
    """Return the map back. Raises ValueError if there is none."""
    a, b, c, d, e, f = transform
    area = a * d - b * c
    if not area:
        raise NotDrawableAsVectors("a transform that flattens its picture cannot be drawn here")
    return Transform(d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area)


def unite_outlines(outlines: list[tuple[Command, ...]]) -> tuple[Command, ...]:
    """Return one outline that holds what any of these holds under the nonzero rule: all turn the same way."""
    return tuple(
        command
        for outline in outlines
        for command in (outline if _compute_signed_double_area(outline) >= 0 else _reverse_outline(outline))
    )


def _compute_signed_double_area(commands: Iterable[Command]) -> float:
    """Return twice the area of the polygon through the points and handles, signed by its sense."""
    total = 0.0
    x = y = start_x = start_y = 0.0
    for letter, points in commands:
        if letter == "M":
            total += x * start_y - start_x * y
            start_x, start_y = x, y = points[0], points[1]
            continue
        for at in range(0, len(points), 2):
            total += x * points[at + 1] - points[at] * y
            x, y = points[at], points[at + 1]
    return total + x * start_y - start_x * y


def _reverse_outline(commands: Iterable[Command]) -> tuple[Command, ...]:
    """Return the same outline, each part from its end to its beginning."""
    made: list[Command] = []
    part: list[Command] = []
    for command in (*commands, ("M", ())):
        if command[0] == "M" and part:
            closing = part[-1][0] == "Z"
            drawn = part[:-1] if closing else part
            ends = [points[-2:] for _, points in drawn]
            made.append(("M", ends[-1]))
            for at in range(len(drawn) - 1, 0, -1):
                handles = drawn[at][1][:-2]
                made.append((drawn[at][0], (*handles[2:], *handles[:2], *ends[at - 1])))
            if closing:
                made.append(("Z", ()))
            part = []
        part.append(command)
    return tuple(made)

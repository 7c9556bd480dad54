"""Outlines: SVG path data as scene commands (SVG 1.1, 8.3), and their bounds, maps, unions and turning
sense."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from math import atan2, ceil, cos, pi, radians, sin, sqrt, tan

from playproof.generator.art.picture_files import NotDrawableAsVectors
from playproof.generator.scene import Command, Rect, Transform

# -- svg path ------------------------------------------------------------------------------------------------
# SVG path data as scene commands: absolute moves, lines and cubics (SVG 1.1, 8.3).

NUMBER = re.compile(r"[ ,\t\r\n]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
ARGUMENTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
NOTHING = re.compile(r"[\s,]*[Mm]?[\s,Zz]*")  # a path that draws nothing, as editors leave it behind
FLAGS = re.compile(r"[\s,]*([01])")


def parse_svg_path_to_absolute_commands(path_data: str) -> tuple[Command, ...]:
    """Parse a ``d`` attribute into commands. Raises ValueError with the number of the character
    that it cannot read."""
    if NOTHING.fullmatch(path_data):
        return ()
    if not path_data.lstrip(" ,\t\r\n").startswith(("M", "m")):  # nobody draws such a path
        raise ValueError("path data: expected M, which begins a path, at character 1")
    builder = _PathBuilder()
    for letter, numbers in _iter_path_segments(path_data):
        builder.append_segment_as_absolute_commands(letter, numbers)
    return tuple(builder.commands)


def _iter_path_segments(path_data: str) -> Iterator[tuple[str, list[float]]]:
    """Yield each segment with its letter. Repeated arguments repeat the letter (L after M)."""
    at, letter, kind = 0, "", ""
    while True:
        at = _find_index_of_next_non_separator(path_data, at)
        if at >= len(path_data):
            return
        if path_data[at].upper() in ARGUMENTS:
            letter, at = path_data[at], at + 1
            kind = letter.upper()
            if kind == "Z":
                yield letter, []
                continue
        elif not letter or kind == "Z":
            raise ValueError(f"path data: expected a command at character {at + 1}")
        numbers: list[float] = []
        for index in range(ARGUMENTS[kind]):
            match = (FLAGS if kind == "A" and index in (3, 4) else NUMBER).match(path_data, at)
            if match is None:
                raise ValueError(
                    f"path data: expected a number at character {_find_index_of_next_non_separator(path_data, at) + 1}"
                )
            numbers.append(float(match[1]))
            at = match.end()
        yield letter, numbers
        letter = {"M": "L", "m": "l"}.get(letter, letter)


def _find_index_of_next_non_separator(data: str, start: int) -> int:
    while start < len(data) and data[start] in " ,\t\r\n":
        start += 1
    return start


class _PathBuilder:
    """Follows the pen and writes absolute commands."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.x = self.y = self.start_x = self.start_y = 0.0
        self.handle: tuple[str, float, float] | None = None  # the last curve's second handle, and its kind

    def append_segment_as_absolute_commands(self, letter: str, numbers: list[float]) -> None:
        kind = letter.upper()
        ox, oy = (self.x, self.y) if letter.islower() else (0.0, 0.0)
        handle, self.handle = self.handle, None
        if kind == "Z":
            self.commands.append(("Z", ()))
            self.x, self.y = self.start_x, self.start_y
        elif kind == "M":
            self._append_command_and_move_pen("M", numbers[0] + ox, numbers[1] + oy)
            self.start_x, self.start_y = self.x, self.y
        elif kind == "L":
            self._append_command_and_move_pen("L", numbers[0] + ox, numbers[1] + oy)
        elif kind == "H":
            self._append_command_and_move_pen("L", numbers[0] + ox, self.y)
        elif kind == "V":
            self._append_command_and_move_pen("L", self.x, numbers[0] + oy)
        elif kind == "A":
            self._append_arc_as_cubics(numbers[:5], numbers[5] + ox, numbers[6] + oy)
        else:
            points = [number + (oy if at % 2 else ox) for at, number in enumerate(numbers)]
            self._append_curve_as_cubic(kind, points, handle)

    def _append_command_and_move_pen(self, letter: str, *points: float) -> None:
        self.commands.append((letter, points))
        self.x, self.y = points[-2], points[-1]

    def _append_curve_as_cubic(
        self, kind: str, points: list[float], previous_handle: tuple[str, float, float] | None
    ) -> None:
        family = "C" if kind in "CS" else "Q"
        if kind in "ST":
            smooth = previous_handle if previous_handle and previous_handle[0] == family else ("", self.x, self.y)
            points = [2 * self.x - smooth[1], 2 * self.y - smooth[2], *points]
        if family == "C":
            hx, hy = points[2], points[3]
            self._append_command_and_move_pen("C", *points)
        else:
            hx, hy, x, y = points
            self._append_command_and_move_pen(
                "C",
                self.x + (hx - self.x) * 2 / 3,
                self.y + (hy - self.y) * 2 / 3,
                x + (hx - x) * 2 / 3,
                y + (hy - y) * 2 / 3,
                x,
                y,
            )
        self.handle = (family, hx, hy)

    def _append_arc_as_cubics(self, radii_rotation_and_flags: list[float], x: float, y: float) -> None:
        """Append an elliptical arc as cubics of at most a quarter turn each (SVG 1.1, F.6.5)."""
        rx, ry, turn, large, sweep = (
            abs(radii_rotation_and_flags[0]),
            abs(radii_rotation_and_flags[1]),
            radians(radii_rotation_and_flags[2]),
            radii_rotation_and_flags[3],
            radii_rotation_and_flags[4],
        )
        if (x, y) == (self.x, self.y):
            return
        if not rx or not ry:
            self._append_command_and_move_pen("L", x, y)
            return
        cosine, sine = cos(turn), sin(turn)
        dx, dy = (self.x - x) / 2, (self.y - y) / 2
        px, py = cosine * dx + sine * dy, cosine * dy - sine * dx
        grow = max(1.0, sqrt((px / rx) ** 2 + (py / ry) ** 2))
        rx, ry = rx * grow, ry * grow
        rest = max(0.0, 1 - (px / rx) ** 2 - (py / ry) ** 2)
        factor = sqrt(rest / ((px / rx) ** 2 + (py / ry) ** 2)) * (1 if large != sweep else -1)
        qx, qy = factor * rx * py / ry, -factor * ry * px / rx
        cx = cosine * qx - sine * qy + (self.x + x) / 2
        cy = sine * qx + cosine * qy + (self.y + y) / 2
        begin = atan2((py - qy) / ry, (px - qx) / rx)
        extent = atan2((-py - qy) / ry, (-px - qx) / rx) - begin
        if sweep and extent < 0:
            extent += 2 * pi
        elif not sweep and extent > 0:
            extent -= 2 * pi
        pieces = max(1, ceil(abs(extent) / (pi / 2) - 1e-9))
        step = extent / pieces
        reach = 4 / 3 * tan(step / 4)

        def point(ux: float, uy: float) -> tuple[float, float]:
            return (cosine * rx * ux - sine * ry * uy + cx, sine * rx * ux + cosine * ry * uy + cy)

        for piece in range(pieces):
            start_angle, end_angle = begin + piece * step, begin + (piece + 1) * step
            start_x, start_y = cos(start_angle), sin(start_angle)
            end_x, end_y = cos(end_angle), sin(end_angle)
            first = point(start_x - reach * start_y, start_y + reach * start_x)
            second = point(end_x + reach * end_y, end_y - reach * end_x)
            end = (x, y) if piece == pieces - 1 else point(end_x, end_y)
            self._append_command_and_move_pen("C", *first, *second, *end)


# -- svg geometry --------------------------------------------------------------------------------------------
# Outlines of SVG pictures: their bounds, their maps, their turning sense.


def compute_outline_bounds_without_handles(commands: Iterable[Command]) -> Rect:
    """Return the smallest rectangle around an outline, curves by where they turn back and not by their handles."""
    xs: list[float] = []
    ys: list[float] = []
    x = y = 0.0
    for letter, points in commands:
        if letter == "C":
            xs += _iter_cubic_values_at_turning_points(x, *points[0::2])
            ys += _iter_cubic_values_at_turning_points(y, *points[1::2])
        if points:
            x, y = points[-2], points[-1]
            xs.append(x)
            ys.append(y)
    if not xs:
        return Rect(0, 0, 0, 0)
    return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def _iter_cubic_values_at_turning_points(p0: float, p1: float, p2: float, p3: float) -> Iterator[float]:
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
        (letter, tuple(part for at in range(0, len(points), 2) for part in transform.apply(points[at], points[at + 1])))
        for letter, points in commands
    )


def invert_transform_or_raise(transform: Transform) -> Transform:
    """Return the map back. Raises ValueError if there is none."""
    a, b, c, d, e, f = transform
    area = a * d - b * c
    if not area:
        raise NotDrawableAsVectors("a transform that flattens its picture cannot be drawn here")
    return Transform(d / area, -b / area, -c / area, a / area, (c * f - d * e) / area, (b * e - a * f) / area)


def has_part_without_length(commands: Iterable[Command]) -> bool:
    """Return whether a part of an outline is drawn, and ends where it begins without having been elsewhere."""
    start: tuple[float, ...] = ()
    is_drawn = moves = False
    for letter, points in (*commands, ("M", (0.0, 0.0))):
        if letter == "M":
            if is_drawn and not moves:
                return True
            start, is_drawn, moves = points, False, False
            continue
        is_drawn = True
        moves = moves or any(points[at : at + 2] != start for at in range(0, len(points), 2))
    return False


def is_outline_surely_simple(commands: Iterable[Command]) -> bool:
    """Return whether an outline is one part that does not cross itself: its points and handles make a convex polygon.
    False says only that it was not seen."""
    corners: list[tuple[float, float]] = []
    for at, (letter, points) in enumerate(commands):
        if letter == "M" and at:
            return False
        for corner in zip(points[0::2], points[1::2], strict=True):
            if not corners or corner != corners[-1]:
                corners.append(corner)
    if corners and corners[0] == corners[-1]:
        corners.pop()
    edges = [(b[0] - a[0], b[1] - a[1]) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    pairs = list(zip(edges, edges[1:] + edges[:1], strict=True))
    turns = [atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]) for a, b in pairs]
    least, most = min(turns, default=0.0), max(turns, default=0.0)
    return (least > -ALMOST_STRAIGHT or most < ALMOST_STRAIGHT) and abs(sum(turns)) < 3 * pi


ALMOST_STRAIGHT = 1e-6  # radians: a turn by less is none


def join_outlines_all_turning_one_way(outlines: list[tuple[Command, ...]]) -> tuple[Command, ...]:
    """Return one outline that holds what any of these holds under the nonzero rule: all turn the same way."""
    return tuple(
        command
        for outline in outlines
        for command in (outline if _compute_signed_double_area(outline) >= 0 else _reverse_outline_direction(outline))
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


def _reverse_outline_direction(commands: Iterable[Command]) -> tuple[Command, ...]:
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

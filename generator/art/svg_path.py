"""SVG path data as scene commands: absolute moves, lines and cubics (SVG 1.1, 8.3)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import atan2, ceil, cos, pi, radians, sin, sqrt, tan

from playproof.generator.scene import Command

NUMBER = re.compile(r"[ ,\t\r\n]*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")
ARGUMENTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
NOTHING = re.compile(r"[\s,]*[Mm]?[\s,Zz]*")  # a path that draws nothing, as editors leave it behind
FLAGS = re.compile(r"[\s,]*([01])")


def parse_path(data: str) -> tuple[Command, ...]:
    """Parse a ``d`` attribute into commands. Raises ValueError with the number of the character
    that it cannot read."""
    if NOTHING.fullmatch(data):
        return ()
    if not data.lstrip(" ,\t\r\n").startswith(("M", "m")):  # nobody draws such a path
        raise ValueError("path data: expected M, which begins a path, at character 1")
    builder = _PathBuilder()
    for letter, numbers in _iter_path_segments(data):
        builder.add_segment(letter, numbers)
    return tuple(builder.commands)


def _iter_path_segments(data: str) -> Iterator[tuple[str, list[float]]]:
    """Yield each segment with its letter. Repeated arguments repeat the letter (L after M)."""
    at, letter, kind = 0, "", ""
    while True:
        at = _skip_separators(data, at)
        if at >= len(data):
            return
        if data[at].upper() in ARGUMENTS:
            letter, at = data[at], at + 1
            kind = letter.upper()
            if kind == "Z":
                yield letter, []
                continue
        elif not letter or kind == "Z":
            raise ValueError(f"path data: expected a command at character {at + 1}")
        numbers: list[float] = []
        for index in range(ARGUMENTS[kind]):
            match = (FLAGS if kind == "A" and index in (3, 4) else NUMBER).match(data, at)
            if match is None:
                raise ValueError(
                    f"path data: expected a number at character {_skip_separators(data, at) + 1}"
                )
            numbers.append(float(match[1]))
            at = match.end()
        yield letter, numbers
        letter = {"M": "L", "m": "l"}.get(letter, letter)


def _skip_separators(data: str, at: int) -> int:
    while at < len(data) and data[at] in " ,\t\r\n":
        at += 1
    return at


class _PathBuilder:
    """Follows the pen and writes absolute commands."""

    def __init__(self) -> None:
        self.commands: list[Command] = []
        self.x = self.y = self.start_x = self.start_y = 0.0
        self.handle: tuple[str, float, float] | None = None  # the last curve's second handle, and its kind

    def add_segment(self, letter: str, numbers: list[float]) -> None:
        kind = letter.upper()
        ox, oy = (self.x, self.y) if letter.islower() else (0.0, 0.0)
        handle, self.handle = self.handle, None
        if kind == "Z":
            self.commands.append(("Z", ()))
            self.x, self.y = self.start_x, self.start_y
        elif kind == "M":
            self._append_command("M", numbers[0] + ox, numbers[1] + oy)
            self.start_x, self.start_y = self.x, self.y
        elif kind == "L":
            self._append_command("L", numbers[0] + ox, numbers[1] + oy)
        elif kind == "H":
            self._append_command("L", numbers[0] + ox, self.y)
        elif kind == "V":
            self._append_command("L", self.x, numbers[0] + oy)
        elif kind == "A":
            self._append_arc(numbers[:5], numbers[5] + ox, numbers[6] + oy)
        else:
            points = [number + (oy if at % 2 else ox) for at, number in enumerate(numbers)]
            self._append_curve(kind, points, handle)

    def _append_command(self, letter: str, *points: float) -> None:
        self.commands.append((letter, points))
        self.x, self.y = points[-2], points[-1]

    def _append_curve(self, kind: str, points: list[float], handle: tuple[str, float, float] | None) -> None:
        family = "C" if kind in "CS" else "Q"
        if kind in "ST":
            smooth = handle if handle and handle[0] == family else ("", self.x, self.y)
            points = [2 * self.x - smooth[1], 2 * self.y - smooth[2], *points]
        if family == "C":
            hx, hy = points[2], points[3]
            self._append_command("C", *points)
        else:
            hx, hy, x, y = points
            self._append_command(
                "C",
                self.x + (hx - self.x) * 2 / 3,
                self.y + (hy - self.y) * 2 / 3,
                x + (hx - x) * 2 / 3,
                y + (hy - y) * 2 / 3,
                x,
                y,
            )
        self.handle = (family, hx, hy)

    def _append_arc(self, shape: list[float], x: float, y: float) -> None:
        """Return an elliptical arc as cubics of at most a quarter turn each (SVG 1.1, F.6.5)."""
        rx, ry, turn, large, sweep = abs(shape[0]), abs(shape[1]), radians(shape[2]), shape[3], shape[4]
        if (x, y) == (self.x, self.y):
            return
        if not rx or not ry:
            self._append_command("L", x, y)
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
            self._append_command("C", *first, *second, *end)

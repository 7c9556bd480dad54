"""Small charts: bars, intervals, a curve, a scale, a card's worth. Readable without colours.

A chart is a list of marks, so that a page draws it as SVG (`svg`) and a sheet of paper as it draws cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, TypeAlias

from playproof.lab.estimates import Estimate

INK, SOFT, FILL, GOOD, BAD, RULE = "#26242c", "#8a8578", "#4a6fa5", "#2f7d4f", "#b5482f", "#ddd8ca"
LETTERS = 13.0
"""The size of words; a chart's lengths are pixels of a page."""
_ROW, _MOST_LETTERS = 20, 46


@dataclass(frozen=True, slots=True)
class Bar:
    """A rectangle. `note` is what a page says of it under the mouse."""

    x: float
    y: float
    width: float
    height: float
    colour: str = FILL
    radius: float = 0.0
    opacity: float = 1.0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line through points."""

    points: tuple[tuple[float, float], ...]
    colour: str = SOFT
    width: float = 1.0
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Dot:
    """A filled circle."""

    x: float
    y: float
    radius: float
    colour: str = FILL


@dataclass(frozen=True, slots=True)
class Words:
    """A line of text whose baseline starts, is centred or ends at (x, y)."""

    x: float
    y: float
    text: str
    anchor: Literal["start", "middle", "end"] = "start"
    size: float = LETTERS
    colour: str = INK


Mark: TypeAlias = Bar | Line | Dot | Words


@dataclass(frozen=True, slots=True)
class Chart:
    """Marks in a box, in the order in which they are drawn."""

    width: float
    height: float
    marks: tuple[Mark, ...]


def bars(rows: Mapping[str, float], *, total: float, width: int = 640, left: int = 250) -> Chart:
    """Draw a bar per row, as long as its share of the greatest, with its share of the total."""
    most, room = max([*rows.values(), 1e-9]), width - left - 80
    marks: list[Mark] = []
    for number, (name, value) in enumerate(rows.items()):
        y, length = number * _ROW, room * value / most
        marks.append(Words(left - 8, y + 14, _short(name), "end"))
        marks.append(Bar(left, y + 3, length, _ROW - 6))
        marks.append(Words(left + length + 6, y + 14, f"{100 * value / max(total, 1e-9):.1f} %"))
    return Chart(width, len(rows) * _ROW, tuple(marks))


def columns(counts: Sequence[tuple[str, float]], *, width: int = 640, height: int = 120) -> Chart:
    """Draw a histogram: a column per bin; the names of the first, the middle and the last bin below."""
    most, wide = max([*(n for _, n in counts), 1e-9]), width / max(1, len(counts))
    marks: list[Mark] = []
    for place, (name, count) in enumerate(counts):
        tall = (height - 6) * count / most
        note = f"{name}: {count:,.0f}"
        marks.append(Bar(place * wide + 1, height - tall, max(1.0, wide - 2), tall, note=note))
    if counts:
        middle = len(counts) // 2
        marks.append(Words(0, height + 15, counts[0][0]))
        marks.append(Words((middle + 0.5) * wide, height + 15, counts[middle][0], "middle"))
        marks.append(Words(width, height + 15, counts[-1][0], "end"))
    return Chart(width, height + 20, tuple(marks))


def interval(estimate: Estimate | None, reach: float, *, width: float = 200, clear: bool = False) -> Chart:
    """Draw an effect with its interval on a line with zero in the middle; `reach` is the value at both ends."""
    middle = width / 2
    marks: list[Mark] = [Line(((middle, 2), (middle, 18)), dashed=True)]
    if estimate is not None and estimate.value is not None:
        colour = _colour(estimate, clear)

        def x(value: float) -> float:
            return middle + max(-1.0, min(1.0, value / reach)) * (middle - 6)

        if estimate.low is not None and estimate.high is not None:
            marks.append(Line(((x(estimate.low), 10), (x(estimate.high), 10)), colour, 3))
        marks.append(Dot(x(estimate.value), 10, 4.5, colour))
    return Chart(width, 20, tuple(marks))


def label(value: str, effect: Estimate, reach: float, below: str, *, clear: bool) -> Chart:
    """Draw what a card is worth, to lie on the lower edge of its printed face: the value, its interval, and a smaller
    line below, which may be empty."""
    width, height, line = 200, 46 if below else 30, interval(effect, reach, width=120, clear=clear)
    marks: list[Mark] = [Bar(0, 0, width, height, "#ffffff"), Line(((0, 0), (width, 0)))]
    marks.append(Words(66, 22, value, "end", 20, _colour(effect, clear)))
    marks += [_moved(mark, 74, 5) for mark in line.marks]
    if below:
        marks.append(Words(width / 2, 39, below, "middle", 11.5))
    return Chart(width, height, tuple(marks))


def curve(values: Sequence[float], *, width: int = 640, height: int = 140) -> Chart:
    """Draw values between 0 and 1 from the beginning to the end of a game."""
    left, room, tall = 34, width - 44, height - 10
    marks: list[Mark] = []
    for value in (0, 0.5, 1):
        y = 5 + tall * (1 - value)
        marks += [
            Line(((left, y), (left + room, y)), RULE),
            Words(left - 6, y + 4, f"{value:g}", "end"),
        ]
    points = [
        (left + room * k / max(1, len(values) - 1), 5 + tall * (1 - value)) for k, value in enumerate(values)
    ]
    if points:
        marks.append(Line(tuple(points), FILL, 2.5))
    marks += [Dot(x, y, 3) for x, y in points]
    marks.append(Words(left, height + 14, "start"))
    marks.append(Words(left + room, height + 14, "end of the game", "end"))
    return Chart(width, height + 20, tuple(marks))


def scale(value: Estimate, low: str, high: str, *, width: int = 640) -> Chart:
    """Draw a value between -1 and 1, with its interval, on a scale with words at both ends."""

    def x(number: float) -> float:
        return 10 + (number + 1) / 2 * (width - 20)

    marks: list[Mark] = [
        Bar(10, 10, width - 20, 8, RULE, 4),
        Line(((x(0), 5), (x(0), 23))),
        Words(10, 40, low),
        Words(width - 10, 40, high, "end"),
    ]
    if value.value is not None:
        if value.low is not None and value.high is not None:
            wide = max(1.0, x(value.high) - x(value.low))
            marks.append(Bar(x(value.low), 8, wide, 12, opacity=0.5))
        marks.append(Dot(x(value.value), 14, 7))
    return Chart(width, 46, tuple(marks))


def svg(chart: Chart) -> str:
    """Return a chart as SVG that stands in a page."""
    drawn = "".join(map(_drawn, chart.marks))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {chart.width:g} {chart.height:g}" '
        f'width="{chart.width:g}" height="{chart.height:g}" font-size="{LETTERS:g}" fill="{INK}" role="img">'
        f"{drawn}</svg>"
    )


def _drawn(mark: Mark) -> str:
    match mark:
        case Bar():
            shape = (
                f'<rect x="{mark.x:.1f}" y="{mark.y:.1f}" width="{mark.width:.1f}" height="{mark.height:.1f}" '
                f'rx="{mark.radius:g}" fill="{mark.colour}" opacity="{mark.opacity:g}"'
            )
            return f"{shape}><title>{escape(mark.note)}</title></rect>" if mark.note else f"{shape}/>"
        case Line():
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in mark.points)
            dashes = ' stroke-dasharray="2 2"' if mark.dashed else ""
            stroke = f'stroke="{mark.colour}" stroke-width="{mark.width:g}"{dashes}'
            return f'<polyline points="{points}" fill="none" {stroke}/>'
        case Dot():
            return f'<circle cx="{mark.x:.1f}" cy="{mark.y:.1f}" r="{mark.radius:g}" fill="{mark.colour}"/>'
        case Words():
            look = f'text-anchor="{mark.anchor}" font-size="{mark.size:g}" fill="{mark.colour}"'
            return f'<text x="{mark.x:.1f}" y="{mark.y:.1f}" {look}>{escape(mark.text)}</text>'


def _colour(effect: Estimate, clear: bool) -> str:
    if not clear:
        return SOFT
    return GOOD if (effect.value or 0.0) > 0 else BAD


def _moved(mark: Mark, x: float, y: float) -> Mark:
    match mark:
        case Line():
            points = tuple((left + x, top + y) for left, top in mark.points)
            return Line(points, mark.colour, mark.width, mark.dashed)
        case Dot():
            return Dot(mark.x + x, mark.y + y, mark.radius, mark.colour)
        case Bar() | Words():
            raise TypeError(mark)  # an interval has none


def _short(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1] + "…"

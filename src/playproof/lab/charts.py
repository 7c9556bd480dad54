"""Small charts as SVG that stands in a page: bars, intervals, a curve, a scale. Readable without colours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from playproof.lab.estimates import Estimate

INK, SOFT, FILL, GOOD, BAD = "#26242c", "#8a8578", "#4a6fa5", "#2f7d4f", "#b5482f"
_ROW, _LETTERS = 20, 46


def bars(rows: Mapping[str, float], *, total: float, width: int = 640, left: int = 250) -> str:
    """Draw a bar per row, as long as its share of the greatest, with its share of the total."""
    most, room = max([*rows.values(), 1e-9]), width - left - 80
    lines = []
    for number, (name, value) in enumerate(rows.items()):
        y = number * _ROW
        length = room * value / most
        lines.append(
            f'<text x="{left - 8}" y="{y + 14}" text-anchor="end">{escape(_short(name))}</text>'
            f'<rect x="{left}" y="{y + 3}" width="{length:.1f}" height="{_ROW - 6}" fill="{FILL}"/>'
            f'<text x="{left + length + 6:.1f}" y="{y + 14}">{100 * value / max(total, 1e-9):.1f} %</text>'
        )
    return _svg(width, len(rows) * _ROW, lines)


def columns(counts: Sequence[tuple[str, float]], *, width: int = 640, height: int = 120) -> str:
    """Draw a histogram: a column per bin; the names of the first, the middle and the last bin below."""
    most, wide = max([*(n for _, n in counts), 1e-9]), width / max(1, len(counts))
    lines = [
        f'<rect x="{k * wide + 1:.1f}" y="{height - (height - 6) * n / most:.1f}" width="{max(1.0, wide - 2):.1f}" '
        f'height="{(height - 6) * n / most:.1f}" fill="{FILL}"><title>{escape(name)}: {n:,.0f}</title></rect>'
        for k, (name, n) in enumerate(counts)
    ]
    for k, anchor in ((0, "start"), (len(counts) // 2, "middle"), (len(counts) - 1, "end")):
        if counts:
            x = {"start": 0.0, "middle": (k + 0.5) * wide, "end": float(width)}[anchor]
            lines.append(
                f'<text x="{x:.1f}" y="{height + 15}" text-anchor="{anchor}">{escape(counts[k][0])}</text>'
            )
    return _svg(width, height + 20, lines)


def interval(estimate: Estimate | None, reach: float, *, width: int = 200, clear: bool = False) -> str:
    """Draw an effect with its interval on a line with zero in the middle; `reach` is the value at both ends."""
    middle = width / 2
    lines = [f'<line x1="{middle}" x2="{middle}" y1="2" y2="18" stroke="{SOFT}" stroke-dasharray="2 2"/>']
    if estimate is not None and estimate.value is not None:
        colour = (GOOD if estimate.value > 0 else BAD) if clear else SOFT

        def x(value: float) -> float:
            return middle + max(-1.0, min(1.0, value / reach)) * (middle - 6)

        if estimate.low is not None and estimate.high is not None:
            lines.append(
                f'<line x1="{x(estimate.low):.1f}" x2="{x(estimate.high):.1f}" y1="10" y2="10" '
                f'stroke="{colour}" stroke-width="3"/>'
            )
        lines.append(f'<circle cx="{x(estimate.value):.1f}" cy="10" r="4.5" fill="{colour}"/>')
    return _svg(width, 20, lines)


def curve(values: Sequence[float], *, width: int = 640, height: int = 140) -> str:
    """Draw values between 0 and 1 from the beginning to the end of a game."""
    left, room, tall = 34, width - 44, height - 10
    points = [
        (left + room * k / max(1, len(values) - 1), 5 + tall * (1 - value)) for k, value in enumerate(values)
    ]
    lines = [
        f'<line x1="{left}" x2="{left + room}" y1="{5 + tall * (1 - v)}" y2="{5 + tall * (1 - v)}" stroke="#ddd8ca"/>'
        f'<text x="{left - 6}" y="{9 + tall * (1 - v)}" text-anchor="end">{v:g}</text>'
        for v in (0, 0.5, 1)
    ]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    lines.append(f'<polyline points="{path}" fill="none" stroke="{FILL}" stroke-width="2.5"/>')
    lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{FILL}"/>' for x, y in points]
    for text, x, anchor in (("start", left, "start"), ("end of the game", left + room, "end")):
        lines.append(f'<text x="{x}" y="{height + 14}" text-anchor="{anchor}">{text}</text>')
    return _svg(width, height + 20, lines)


def scale(value: Estimate, low: str, high: str, *, width: int = 640) -> str:
    """Draw a value between -1 and 1, with its interval, on a scale with words at both ends."""

    def x(number: float) -> float:
        return 10 + (number + 1) / 2 * (width - 20)

    lines = [
        f'<rect x="10" y="10" width="{width - 20}" height="8" rx="4" fill="#ddd8ca"/>',
        f'<line x1="{x(0)}" x2="{x(0)}" y1="5" y2="23" stroke="{SOFT}"/>',
        f'<text x="10" y="40">{escape(low)}</text>',
        f'<text x="{width - 10}" y="40" text-anchor="end">{escape(high)}</text>',
    ]
    if value.value is not None:
        if value.low is not None and value.high is not None:
            wide = max(1.0, x(value.high) - x(value.low))
            box = f'x="{x(value.low):.1f}" y="8" width="{wide:.1f}" height="12"'
            lines.append(f'<rect {box} fill="{FILL}" opacity="0.5"/>')
        lines.append(f'<circle cx="{x(value.value):.1f}" cy="14" r="7" fill="{FILL}"/>')
    return _svg(width, 46, lines)


def _svg(width: int, height: float, lines: Sequence[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'font-size="13" fill="{INK}" role="img">{"".join(lines)}</svg>'
    )


def _short(name: str) -> str:
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"

"""A run as a picture (SVG): the lengths of its games, the returns, the endings. Readable without
colours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from html import escape
from pathlib import Path

from playproof.database.files import write_atomically
from playproof.referee.simulate import SimulationResult
from playproof.referee.simulation_report import count_ending_reasons

_WIDTH, _BAR, _LEFT, _TOP = 680, 18, 230, 30
_LETTERS = 36
_MOST_BARS = 24


def write_plot(result: SimulationResult, path: Path) -> None:
    """Write the picture of a run. Replaces the file atomically, and makes its folder if missing."""
    write_atomically(path, draw_result_svg(result).encode())


def draw_result_svg(result: SimulationResult) -> str:
    """Draw bars for endings, decisions per game, and each seat's return."""
    panels: list[tuple[str, Mapping[str, int]]] = [
        ("How games ended", count_ending_reasons(result)),
        ("Decisions per game", _bin_counts(result.tally.decisions)),
    ]
    for seat, counts in enumerate(result.tally.returns):
        name = result.variant.summary.seats[seat]
        panels.append((f"Return of {name} ({result.bots[seat]})", _bin_counts(counts)))
    parts, top = [], 0
    for title, bars in panels:
        parts.append(f'<g transform="translate(0 {top})">{_draw_bar_panel(title, bars)}</g>')
        top += _TOP + 20 + _BAR * len(bars)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {top}" width="{_WIDTH}" height="{top}" '
        f'font-family="sans-serif" font-size="12" fill="#222">{"".join(parts)}</svg>\n'
    )


def _draw_bar_panel(title: str, bars: Mapping[str, int]) -> str:
    total, most = max(1, sum(bars.values())), max(1, *bars.values()) if bars else 1
    room = _WIDTH - _LEFT - 110
    lines = [f'<text x="8" y="20" font-weight="bold" font-size="14">{escape(title)}</text>']
    for row, (name, count) in enumerate(bars.items()):
        y = _TOP + row * _BAR
        lines.append(
            f'<text x="{_LEFT - 8}" y="{y + 12}" text-anchor="end">{escape(_shorten_name(name))}</text>'
            f'<rect x="{_LEFT}" y="{y + 2}" width="{room * count / most:.1f}" height="{_BAR - 5}" '
            f'fill="#4a6fa5"/><text x="{_LEFT + 6 + room * count / most:.1f}" y="{y + 12}">'
            f"{count:,} ({100 * count / total:.1f} %)</text>"
        )
    return "".join(lines)


def _shorten_name(name: str) -> str:
    return name if len(name) <= _LETTERS else name[: _LETTERS - 1] + "…"


def _bin_counts(counts: Counter[int]) -> dict[str, int]:
    """Group the counted values, in order, into at most 24 bins of equal width."""
    if not counts:
        return {}
    low, high = min(counts), max(counts)
    width = -(-(high - low + 1) // _MOST_BARS)
    bins: dict[str, int] = {}
    for start in range(low, high + 1, width):
        name = str(start) if width == 1 else f"{start} to {start + width - 1}"
        bins[name] = sum(counts[v] for v in range(start, start + width))
    return bins

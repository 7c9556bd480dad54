"""What does not fit on a screen, in pages of whole parts. A part that is higher than a screen is cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.console import Console, RenderableType
from rich.segment import Segment, SegmentLines

_BELOW = 3  # rows below a page: where one is, a hint, and the prompt

SegmentLine = list[Segment]


@dataclass(frozen=True)
class ScreenPart:
    """Something to show. Where not all fit on one screen, those of a lower `rank` come first, and the parts `instead`
    of this one, if it has any."""

    drawn: RenderableType
    rank: int = 0
    instead: tuple[ScreenPart, ...] = ()


def split_into_screen_pages(console: Console, parts: Sequence[ScreenPart]) -> list[SegmentLines]:
    """Return the pages of these parts: one in the order given if it fits, else several by rank."""
    rows = max(4, console.height - _BELOW)
    drawn = _render_part_lines(console, parts)
    if sum(len(lines) for _, lines in drawn) <= rows:
        return [SegmentLines([line for _, lines in drawn for line in lines], new_lines=True)]
    drawn = _render_part_lines(console, [small for part in parts for small in part.instead or (part,)])
    made: list[list[SegmentLine]] = [[]]
    for _, lines in sorted(drawn, key=lambda each: each[0]):
        rest = lines
        if len(made[-1]) + len(rest) > rows and made[-1]:
            made.append([])
        while len(rest) > rows:
            made[-1], rest = rest[:rows], rest[rows:]
            made.append([])
        made[-1] += rest
    return [SegmentLines(lines, new_lines=True) for lines in made if lines]


def _render_part_lines(console: Console, parts: Sequence[ScreenPart]) -> list[tuple[int, list[SegmentLine]]]:
    """Return the lines of each part, behind its rank."""
    return [(part.rank, console.render_lines(part.drawn, console.options, pad=False)) for part in parts]

"""The margin of a sheet: the scale ruler, and a line that names the sheet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil

from playproof.generator.scene import Group, Node, Rect, Transform, Use
from playproof.generator.sheets.free_paper import FreePlace, find_free_place
from playproof.generator.sheets.geometry import Segment, Size
from playproof.generator.sheets.lettering import measure_text_width, set_text_line
from playproof.generator.sheets.ruler import RULER, get_ruler_symbol

EDGE = 5.0  # mm of paper that home printers may leave blank
CLEAR = 0.5  # mm of white round marks
APART = 3.0  # mm between the ruler and the note
STRIP = EDGE + RULER.height + CLEAR  # mm from the paper's edge to marks that leave room for the ruler
NOTE = 6.0  # pt
NOTE_HEIGHT = 2.6  # mm


def build_margin_notes(
    sheet: Size, printed: Sequence[Rect], marks: Sequence[Segment], note: str, with_ruler: bool
) -> tuple[Node, ...]:
    """Place the ruler and the note on free paper; either is left out if there is no room."""
    width = float(ceil(measure_text_width(note, NOTE)))  # so that sheet 12 has its note where sheet 11 has
    for_ruler, for_note = _find_places(sheet, tuple(printed), tuple(marks), width, with_ruler)
    nodes: list[Node] = []
    if for_ruler:
        nodes.append(move_to_place((Use(get_ruler_symbol()),), for_ruler))
    if for_note:
        nodes.append(move_to_place((set_text_line(note, 0, NOTE_HEIGHT - 0.7, NOTE),), for_note))
    return tuple(nodes)


@lru_cache(maxsize=256)
def _find_places(
    sheet: Size, printed: tuple[Rect, ...], marks: tuple[Segment, ...], note: float, with_ruler: bool
) -> tuple[FreePlace | None, FreePlace | None]:
    """Return the places of the ruler and of a note of that width, which are the same for all sheets
    of a pile."""
    taken = [*printed, *(mark.box.expand(CLEAR) for mark in marks)]
    for_ruler = find_free_place(sheet, RULER, taken, EDGE) if with_ruler else None
    if for_ruler:
        taken.append(for_ruler.rect.expand(APART))
    for_note = find_free_place(sheet, Size(note, NOTE_HEIGHT), taken, EDGE) if note else None
    return for_ruler, for_note


def move_to_place(nodes: tuple[Node, ...], place: FreePlace) -> Group:
    """Return the nodes, drawn from the top left of their box, at a place; turned to the left if it
    is upright."""
    rect = place.rect
    if not place.upright:
        return Group(nodes, Transform.move(rect.x, rect.y))
    return Group(nodes, Transform(0, -1, 1, 0, rect.x, rect.bottom))

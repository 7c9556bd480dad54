"""The margin of a sheet: the scale ruler and a line that says what the sheet is."""

from __future__ import annotations

from collections.abc import Sequence

from generator.scene import Group, Node, Rect, Transform
from generator.sheets.geometry import Segment, Size
from generator.sheets.lettering import letter, width_of
from generator.sheets.places import Place, free_place
from generator.sheets.ruler import RULER, ruler

EDGE = 4.0  # mm that most printers can print up to
CLEAR = 0.5  # mm of white round marks
APART = 3.0  # mm between the ruler and the note
NOTE = 6.0  # pt
NOTE_HEIGHT = 2.6  # mm


def margin_notes(
    sheet: Size, printed: Sequence[Rect], marks: Sequence[Segment], note: str, with_ruler: bool
) -> tuple[Node, ...]:
    """Ruler and note where there is free paper; either is left out where there is none."""
    taken = [*printed, *(mark.box.grown(CLEAR) for mark in marks)]
    nodes: list[Node] = []
    if with_ruler and (place := free_place(sheet, RULER, taken, EDGE)):
        nodes.append(moved(ruler(), place))
        taken.append(place.rect.grown(APART))
    size = Size(width_of(note, NOTE), NOTE_HEIGHT)
    if note and (place := free_place(sheet, size, taken, EDGE)):
        nodes.append(moved((letter(note, 0, NOTE_HEIGHT - 0.7, NOTE),), place))
    return tuple(nodes)


def moved(nodes: tuple[Node, ...], place: Place) -> Group:
    """The nodes, drawn from the top left of their box, in a place; turned to the left when it is upright."""
    rect = place.rect
    if not place.upright:
        return Group(nodes, Transform.move(rect.x, rect.y))
    return Group(nodes, Transform(0, -1, 1, 0, rect.x, rect.bottom))

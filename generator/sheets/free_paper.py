"""Finds free paper for the ruler and the sheet's label, outside the cards and their marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import Size

STEP = 0.5  # mm


class FreePlace(NamedTuple):
    """A free rectangle. If `upright`, its contents read upwards, turned a quarter to the left."""

    rect: Rect
    upright: bool


def find_free_place(sheet: Size, size: Size, taken: Iterable[Rect], edge: float) -> FreePlace | None:
    """Return the first free place along the bottom, top, left or right, `edge` mm from the sheet's
    edge; None if there is none."""
    room = Rect(0, 0, sheet.width, sheet.height).expand(-edge)
    obstacles = tuple(taken)
    for strip, places in _iter_edge_strips(room, size):
        near = [each for each in obstacles if strip.overlaps(each)]
        for place in places:
            if room.contains(place.rect) and not any(place.rect.overlaps(each) for each in near):
                return place
    return None


def _iter_edge_strips(room: Rect, size: Size) -> Iterator[tuple[Rect, Iterator[FreePlace]]]:
    """Yield each strip along an edge with the places in it."""
    wide, high = size.width, size.height
    for y in (room.bottom - high, room.y):
        across = _iter_positions_from_middle(room.x, room.right - wide)
        yield Rect(room.x, y, room.width, high), (FreePlace(Rect(x, y, wide, high), False) for x in across)
    for x in (room.x, room.right - high):
        down = _iter_positions_from_middle(room.y, room.bottom - wide)
        yield Rect(x, room.y, high, room.height), (FreePlace(Rect(x, y, high, wide), True) for y in down)


def _iter_positions_from_middle(first: float, last: float) -> Iterator[float]:
    """Yield positions from the middle outwards, so that things are centred if possible."""
    middle, reach = (first + last) / 2, (last - first) / 2
    for step in range(int(reach / STEP) + 1 if reach >= 0 else 0):
        yield middle - step * STEP
        if step:
            yield middle + step * STEP

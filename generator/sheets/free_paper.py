"""Finds free paper for the ruler and the sheet's label, outside the cards and their marks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from playproof.generator.scene import Rect
from playproof.generator.sheets.geometry import Size

STEP = 0.5  # mm


class Place(NamedTuple):
    """A free rectangle. If `upright`, its contents read upwards, turned a quarter to the left."""

    rect: Rect
    upright: bool


def free_place(sheet: Size, size: Size, taken: Iterable[Rect], edge: float) -> Place | None:
    """Return the first free place along the bottom, top, left or right, `edge` mm from the sheet's
    edge; None if there is none."""
    obstacles, room = tuple(taken), Rect(0, 0, sheet.width, sheet.height).grown(-edge)
    for place in _candidates(room, size):
        if room.contains(place.rect) and not any(place.rect.overlaps(other) for other in obstacles):
            return place
    return None


def _candidates(room: Rect, size: Size) -> Iterator[Place]:
    for y in (room.bottom - size.height, room.y):
        for x in _steps(room.x, room.right - size.width):
            yield Place(Rect(x, y, size.width, size.height), False)
    for x in (room.x, room.right - size.height):
        for y in _steps(room.y, room.bottom - size.width):
            yield Place(Rect(x, y, size.height, size.width), True)


def _steps(first: float, last: float) -> Iterator[float]:
    """Yield positions from the middle outwards, so that things are centred if possible."""
    middle, reach = (first + last) / 2, (last - first) / 2
    for step in range(int(reach / STEP) + 1 if reach >= 0 else 0):
        yield middle - step * STEP
        if step:
            yield middle + step * STEP

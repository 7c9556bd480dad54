"""Assigns cards to slots: reading order, cut-and-stack, copies by count.

Sheets are tuples of indices into the list of cards; `None` is an empty slot.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

Item = TypeVar("Item")
Sheet = tuple[int | None, ...]


def assign_in_sequence(cards: int, slots: int) -> tuple[Sheet, ...]:
    """Place cards 0, 1, 2 ... along the rows of sheet 1, then of sheet 2.

    >>> assign_in_sequence(5, 3)
    ((0, 1, 2), (3, 4, None))
    """
    return tuple(_build_sheet(range(first, first + slots), cards) for first in range(0, cards, slots))


def assign_for_cut_and_stack(cards: int, slots: int) -> tuple[Sheet, ...]:
    """Place cards so that the whole stack of sheets is cut at once: pile j holds consecutive cards,
    and the piles stack in order.

    With S = ceil(cards / slots) sheets, slot j of sheet s holds card j*S + s.

    >>> assign_for_cut_and_stack(7, 3)
    ((0, 3, 6), (1, 4, None), (2, 5, None))
    """
    sheets = -(-cards // slots)
    return tuple(_build_sheet(range(first, slots * sheets, sheets), cards) for first in range(sheets))


def _build_sheet(indices: Iterable[int], cards: int) -> Sheet:
    """Return a sheet with these cards in its slots; a slot for which there is no card is empty."""
    return tuple(index if index < cards else None for index in indices)


def repeat_by_count(items: Iterable[tuple[Item, int]]) -> tuple[Item, ...]:
    """Repeat each item as often as its count says, copies side by side; a count of 0 leaves it out.

    >>> repeat_by_count([("a", 2), ("b", 0), ("c", 1)])
    ('a', 'a', 'c')
    """
    return tuple(item for item, count in items for _ in range(count))

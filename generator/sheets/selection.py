"""Selects which cards to print: `--only 101-110,H01`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from playproof.database.errors import FindingCollector, Where, did_you_mean

ONLY = Where("--only")
_RANGE = re.compile(r"(?P<prefix>\D*)(?P<first>\d{1,18})\s*-\s*(?P=prefix)(?P<last>\d{1,18})")
_NUMBERED = re.compile(r"(\D*)(\d{1,18})")


def select_ids(text: str, ids: Sequence[str], where: Where = ONLY) -> tuple[str, ...]:
    """Return the ids that the text names, in the order of `ids`, each once.

    Parts are separated by commas: an id, or a range of numbers with one prefix, both ends included.
    InputError names every part that matches nothing.

    >>> select_ids("101-103,H01", ["H01", "H02", "101", "102", "104"])
    ('H01', '101', '102')
    """
    collector, chosen = FindingCollector(), set[str]()
    for part in (piece.strip() for piece in text.split(",")):
        matched = _find_matching_ids(part, ids)
        if not matched:
            empty = "expected an id or a range such as 101-110" if not part else f'"{part}" matches no card'
            collector.add_finding("PP544", where, empty, did_you_mean(part, ids) if part else "")
        chosen.update(matched)
    collector.raise_if_errors()
    return tuple(card for card in ids if card in chosen)


def _find_matching_ids(part: str, ids: Sequence[str]) -> list[str]:
    if part in ids:
        return [part]
    limits = _RANGE.fullmatch(part)
    if not limits:
        return []
    first, last = int(limits["first"]), int(limits["last"])
    return [card for card in ids if _is_in_range(card, limits["prefix"], first, last)]


def _is_in_range(card: str, prefix: str, first: int, last: int) -> bool:
    numbered = _NUMBERED.fullmatch(card)
    return bool(numbered and numbered[1] == prefix and first <= int(numbered[2]) <= last)

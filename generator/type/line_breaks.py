"""Where a line may end inside a word that no space parts: Unicode annex 14, as ICU reads it.

ICU knows the signs that end a line and those that must not begin one (Chinese, Japanese), and has dictionaries of
languages that write no spaces (Thai, Lao, Khmer, Burmese). Some of its breaks are poor type and are left out here.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import accumulate

JOINER = "\u2060"
"""Stands for an icon: no line ends beside one without a space."""
SOFT_HYPHEN = "\u00ad"
ZERO_WIDTH_SPACE = "\u200b"
# A text without any of these has no break but at its spaces; ICU need not be asked.
_HAS_BREAKS = re.compile(
    "[-/|\u00ad\u058a\u05be\u0964-\u109f\u1100-\u1dff\u2000-\u2006\u2008-\u200b\u2010\u2012-\u2015\u2e00-\U0010ffff]"
)
_ADDRESS = re.compile(r"\S+://\S+")
_DASHES = "\u2012\u2013\u2014\u2015"


@lru_cache(maxsize=8192)
def find_break_places(text: str, language: str) -> frozenset[int]:
    """Return the indexes before which a line may begin though no space stands there.

    >>> sorted(find_break_places("a well-known either/or", "en"))
    [7, 19]
    """
    if _HAS_BREAKS.search(text) is None:
        return frozenset()
    from icu4py.breakers import LineBreaker  # most texts of most games have no such place

    ends = accumulate(map(len, LineBreaker(text, language)))  # its own indexes count UTF-16
    addresses = [match.span() for match in _ADDRESS.finditer(text)] if "://" in text else []
    return frozenset(
        end
        for end in ends
        if end < len(text)
        and text[end - 1] not in " \t"
        and _is_good_break(text, end)
        and _is_good_break_in_address(text, end, addresses)
    )


def _is_good_break(text: str, at: int) -> bool:
    """Return whether a break that the annex allows is good type: it leaves no dash at the head of a line, and keeps
    numbers such as 2–3 and signs such as -5 together."""
    before, after = text[at - 1], text[at]
    if after in _DASHES or after in " \t":
        return False
    if before in "-\u2010\u2012\u2013/":
        return not (after.isdigit() or at < 2 or text[at - 2] in " \t(")
    return True


def _is_good_break_in_address(text: str, at: int, addresses: list[tuple[int, int]]) -> bool:
    """Return whether a break leaves an address readable: it follows a single slash, since a hyphen may belong to the
    address or not."""
    inside = any(start < at < end for start, end in addresses)
    return not inside or (text[at - 1] == "/" and text[at - 2] not in "/:")


def strip_break_controls(piece: str) -> tuple[str, bool]:
    """Return a piece of a text without the characters that only say where a line may end, and whether it ends in a
    soft hyphen."""
    bare = piece.replace(ZERO_WIDTH_SPACE, "")
    return bare.replace(SOFT_HYPHEN, ""), bare.endswith(SOFT_HYPHEN)

"""Lines of text: where a line may end (Unicode annex 14), and where it best ends."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate
from math import inf

# -- breaking ------------------------------------------------------------------------------------------------
# Line breaking by widths alone: greedy, balanced and least-ragged. All lengths are in one unit, whichever
# it is.

# The start index of each line.
Breaks = list[int]


def find_line_start_indexes_greedily(
    widths: Sequence[float],
    space_after_each_word: Sequence[float],
    line_width: float,
    hyphen_widths: Sequence[float] = (),
) -> Breaks:
    """Fill each line as far as it goes; return the start of each line. A word wider than the limit
    stands alone. ``hyphen_widths`` are what each word gains if a line ends behind it.

    >>> find_line_start_indexes_greedily([3, 3, 3], [1, 1, 0], 7)
    [0, 2]
    """
    if not widths:
        return []
    starts = [0]
    used = widths[0]
    for at in range(1, len(widths)):
        wider = used + space_after_each_word[at - 1] + widths[at]
        if wider + (hyphen_widths[at] if hyphen_widths else 0.0) > line_width + 1e-6:
            starts.append(at)
            used = widths[at]
        else:
            used = wider
    return starts


def find_line_starts_with_shortest_long_line(
    widths: Sequence[float],
    space_after_each_word: Sequence[float],
    line_width: float,
    hyphen_widths: Sequence[float] = (),
) -> Breaks:
    """Return the starts of as few lines as greedy takes, with the longest line as short as
    possible.

    >>> find_line_starts_with_shortest_long_line([3, 3, 3, 3], [1, 1, 1, 0], 11)
    [0, 2]
    """
    best = find_line_start_indexes_greedily(widths, space_after_each_word, line_width, hyphen_widths)
    if len(best) < 2:
        return best
    low, high = max(widths), line_width
    for _ in range(12):  # 2^-12 of the line is far below what can be seen
        middle = (low + high) / 2
        tried = find_line_start_indexes_greedily(widths, space_after_each_word, middle, hyphen_widths)
        if len(tried) <= len(best):
            best, high = tried, middle
        else:
            low = middle
    return best


def find_least_ragged_line_starts(
    widths: Sequence[float],
    space_after_each_word: Sequence[float],
    line_width: float,
    hyphen_widths: Sequence[float] = (),
) -> Breaks:
    """Return the breaks with the least sum of squared gaps (the last line is free), or those of
    greedy if a word is too wide.

    The classic dynamic programme over break points (Knuth and Plass 1981, without stretch classes).
    """
    count = len(widths)
    cost = [inf] * count + [0.0]
    after = [count] * (count + 1)
    for start in range(count - 1, -1, -1):
        used = 0.0
        for end in range(start, count):
            used += widths[end] + (space_after_each_word[end - 1] if end > start else 0.0)
            if used > line_width + 1e-6:
                break
            whole = used + (hyphen_widths[end] if hyphen_widths else 0.0)
            if whole > line_width + 1e-6:
                continue
            gap = 0.0 if end == count - 1 else (line_width - whole) ** 2
            if gap + cost[end + 1] < cost[start]:
                cost[start], after[start] = gap + cost[end + 1], end + 1
    if count and cost[0] == inf:
        return find_line_start_indexes_greedily(widths, space_after_each_word, line_width, hyphen_widths)
    starts, at = [], 0
    while at < count:
        starts.append(at)
        at = after[at]
    return starts


# -- line breaks ---------------------------------------------------------------------------------------------
# Where a line may end inside a word that no space parts: Unicode annex 14, as ICU reads it.

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
def find_break_indexes_without_spaces(text: str, language: str) -> frozenset[int]:
    """Return the indexes before which a line may begin though no space stands there.

    >>> sorted(find_break_indexes_without_spaces("a well-known either/or", "en"))
    [7, 20]
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
        and _does_break_leave_address_readable(text, end, addresses)
    )


def _is_good_break(text: str, index: int) -> bool:
    """Return whether a break that the annex allows is good type: it leaves no dash at the head of a line, and keeps
    numbers such as 2–3 and signs such as -5 together."""
    before, after = text[index - 1], text[index]
    if after in _DASHES or after in " \t":
        return False
    if before in "-\u2010\u2012\u2013/":
        return not (after.isdigit() or index < 2 or text[index - 2] in " \t(")
    return True


def _does_break_leave_address_readable(text: str, index: int, addresses: list[tuple[int, int]]) -> bool:
    """Return whether a break leaves an address readable: it follows a single slash, since a hyphen may belong to the
    address or not."""
    inside = any(start < index < end for start, end in addresses)
    return not inside or (text[index - 1] == "/" and text[index - 2] not in "/:")


def strip_break_signs_and_tell_soft_hyphen(piece: str) -> tuple[str, bool]:
    """Return a piece of a text without the characters that only say where a line may end, and whether it ends in a
    soft hyphen."""
    bare = piece.replace(ZERO_WIDTH_SPACE, "")
    return bare.replace(SOFT_HYPHEN, ""), bare.endswith(SOFT_HYPHEN)

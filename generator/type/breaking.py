"""Line breaking by widths alone: greedy, balanced and least-ragged. All lengths are in one unit,
whichever it is."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf

# The start index of each line.
Breaks = list[int]


def break_lines_greedily(
    widths: Sequence[float], spaces: Sequence[float], limit: float, hyphens: Sequence[float] = ()
) -> Breaks:
    """Fill each line as far as it goes; return the start of each line. A word wider than the limit
    stands alone. ``hyphens`` are what each word gains if a line ends behind it.

    >>> break_lines_greedily([3, 3, 3], [1, 1, 0], 7)
    [0, 2]
    """
    if not widths:
        return []
    starts = [0]
    used = widths[0]
    for at in range(1, len(widths)):
        wider = used + spaces[at - 1] + widths[at]
        if wider + (hyphens[at] if hyphens else 0.0) > limit + 1e-6:
            starts.append(at)
            used = widths[at]
        else:
            used = wider
    return starts


def break_lines_balanced(
    widths: Sequence[float], spaces: Sequence[float], limit: float, hyphens: Sequence[float] = ()
) -> Breaks:
    """Return the starts of as few lines as greedy takes, with the longest line as short as
    possible.

    >>> break_lines_balanced([3, 3, 3, 3], [1, 1, 1, 0], 11)
    [0, 2]
    """
    best = break_lines_greedily(widths, spaces, limit, hyphens)
    if len(best) < 2:
        return best
    low, high = max(widths), limit
    for _ in range(12):  # 2^-12 of the line is far below what can be seen
        middle = (low + high) / 2
        tried = break_lines_greedily(widths, spaces, middle, hyphens)
        if len(tried) <= len(best):
            best, high = tried, middle
        else:
            low = middle
    return best


def break_lines_least_ragged(
    widths: Sequence[float], spaces: Sequence[float], limit: float, hyphens: Sequence[float] = ()
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
            used += widths[end] + (spaces[end - 1] if end > start else 0.0)
            if used > limit + 1e-6:
                break
            whole = used + (hyphens[end] if hyphens else 0.0)
            if whole > limit + 1e-6:
                continue
            gap = 0.0 if end == count - 1 else (limit - whole) ** 2
            if gap + cost[end + 1] < cost[start]:
                cost[start], after[start] = gap + cost[end + 1], end + 1
    if count and cost[0] == inf:
        return break_lines_greedily(widths, spaces, limit, hyphens)
    starts, at = [], 0
    while at < count:
        starts.append(at)
        at = after[at]
    return starts

"""Entries to random programs: the functions `f`, `wrapping` and `real` stand in generated source."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Ints, Ints8, Ints32, RealGrid, Word, Words


def f(S: Cells, a: int, b: int) -> int:
    """Given by the source."""
    raise NotImplementedError


def run(S: Cells, a: int, b: int) -> int:
    """Call the random program."""
    return f(S, a, b)


def words(values: Words, by: int) -> Word:
    """Shifts, masks and products of words without a sign."""
    h: Word = 0
    for i in range(len(values)):
        h = ((h ^ int(values[i])) * 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        h = h ^ (h >> by)
    return h // 3 + h % 7


def narrow(small: Ints8, middle: Ints32, out: Ints) -> int:
    """Narrow cells keep their signs."""
    total = 0
    for i in range(len(small)):
        total += int(small[i]) * int(middle[i])
        out[i] = small[i] - middle[i]
        small[i] = -int(small[i])
    return total


def real(grid: RealGrid, scale: float, high: bool) -> float:
    """Doubles: the greatest (or least) scaled value, and a mean."""
    best = 0.0
    count = 0
    for i in range(len(grid)):
        v = float(grid[i, i % 2]) * scale / 3.0
        if (v > best) == high and v != best:
            best = v
            count += 1
    return max(best, abs(-best) / 2.0) + count


def zeros(n: int) -> int:
    """Room that is empty at each call."""
    S = np.zeros(4, dtype=np.int64)
    total = 0
    for i in range(n):
        S[i % 4] += i
        total += int(S[0])
    return total

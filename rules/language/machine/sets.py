"""Sets of small numbers, kept as the bits of an integer: what processors have instructions for.

Small cells of a field may be kept as planes: bit i of plane k, the cell S[first + k], is bit k of
cell i. Then one operation asks all of them.

Machine code uses those instructions; where there is none, and in plain Python, these functions run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.rules.language.machine.kinds import Cells

MOST = 62  # members of a set: numbers 0..61 leave the sign alone


def ones(bits: int) -> int:
    """How many members a set has."""
    return bits.bit_count()


def lowest(bits: int) -> int:
    """The least member of a set that has one."""
    return (bits & -bits).bit_length() - 1


def kth(bits: int, k: int) -> int:
    """Member number k of a set, the least being 0."""
    for _ in range(k):
        bits &= bits - 1
    return lowest(bits)


def equals(S: Cells, first: int, count: int, value: int) -> int:
    """Which of the cells first .. first + count - 1 hold a value: a set of 0 .. count - 1."""
    found = 0
    for i in range(count):
        if S[first + i] == value:
            found |= 1 << i
    return found


def held(S: Cells, first: int, planes: int, i: int) -> int:
    """Cell i of a field that is kept as planes."""
    value = 0
    for k in range(planes):
        value |= ((int(S[first + k]) >> i) & 1) << k
    return value


def hold(S: Cells, first: int, planes: int, i: int, value: int) -> None:
    """Write cell i of a field that is kept as planes."""
    for k in range(planes):
        S[first + k] = (int(S[first + k]) & ~(1 << i)) | (((value >> k) & 1) << i)


def alike(S: Cells, first: int, planes: int, count: int, value: int) -> int:
    """Which of the `count` cells of a field that is kept as planes hold a value: a set."""
    found = (1 << count) - 1
    for k in range(planes):
        found &= int(S[first + k]) ^ (((value >> k) & 1) - 1)
    return found


def spread(S: Cells, first: int, planes: int, count: int, least: int) -> None:
    """Turn the cells of a field, which hold `least` and more, into at most three planes."""
    a, b, c = 0, 0, 0
    for i in range(count):
        value = int(S[first + i]) - least
        a |= (value & 1) << i
        b |= ((value >> 1) & 1) << i
        c |= ((value >> 2) & 1) << i
        S[first + i] = 0
    S[first] = a
    if planes > 1:
        S[first + 1] = b
    if planes > 2:
        S[first + 2] = c


def deposit(bits: int, mask: int) -> int:
    """The lowest bits, one after the other, at the places of a mask."""
    made = 0
    while mask != 0:
        place = mask & -mask
        if bits & 1 != 0:
            made |= place
        bits >>= 1
        mask ^= place
    return made


def extract(bits: int, mask: int) -> int:
    """The bits at the places of a mask, one after the other."""
    made, k = 0, 0
    while mask != 0:
        place = mask & -mask
        if bits & place != 0:
            made |= 1 << k
        k += 1
        mask ^= place
    return made

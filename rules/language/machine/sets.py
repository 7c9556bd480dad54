"""Sets of small numbers, kept as the bits of an integer: what processors have instructions for.

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

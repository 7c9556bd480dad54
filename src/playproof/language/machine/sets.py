"""Sets of small numbers, kept as the bits of an integer, with operations that processors have
instructions for.

Small cells of a field may be kept as planes: bit i of plane k, the cell S[first + k], is bit k of
cell i. Then one operation compares all of them.

Machine code uses those instructions. On processors without them, and in plain Python, these
functions run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells

LANES = 64  # bits of a word
MOST = 62  # members of a set: numbers 0..61 leave the sign alone


def ones(bits: int) -> int:
    """Return the number of members of a set."""
    return bits.bit_count()


def lowest(bits: int) -> int:
    """Return the least member of a non-empty set."""
    return (bits & -bits).bit_length() - 1


def kth(bits: int, position: int) -> int:
    """Return member number k of a set, counted from 0 at the least."""
    for _ in range(position):
        bits &= bits - 1
    return lowest(bits)


def equals(state: Cells, first_cell: int, cell_count: int, value: int) -> int:
    """Return the set of the i in 0 .. count - 1 for which cell first + i holds the value."""
    places = 0
    for i in range(cell_count):
        if state[first_cell + i] == value:
            places |= 1 << i
    return places


def held(state: Cells, first_plane: int, plane_count: int, cell_number: int) -> int:
    """Return cell i of a field that is kept as planes."""
    value = 0
    for k in range(plane_count):
        value |= ((int(state[first_plane + k]) >> cell_number) & 1) << k
    return value


def hold(state: Cells, first_plane: int, plane_count: int, cell_number: int, value: int) -> None:
    """Write cell i of a field that is kept as planes."""
    for k in range(plane_count):
        state[first_plane + k] = (int(state[first_plane + k]) & ~(1 << cell_number)) | (
            ((value >> k) & 1) << cell_number
        )


def alike(state: Cells, first_plane: int, plane_count: int, cell_count: int, value: int) -> int:
    """Return the set of those of the `cell_count` cells of a field kept as planes that hold the
    value."""
    places = (1 << cell_count) - 1
    for k in range(plane_count):
        places &= int(state[first_plane + k]) ^ (((value >> k) & 1) - 1)
    return places


def spread(state: Cells, first_cell: int, plane_count: int, cell_count: int, least_value: int) -> None:
    """Turn the cells of a field, whose values are at least `least_value`, into at most three planes."""
    a, b, c = 0, 0, 0
    for i in range(cell_count):
        value = int(state[first_cell + i]) - least_value
        a |= (value & 1) << i
        b |= ((value >> 1) & 1) << i
        c |= ((value >> 2) & 1) << i
        state[first_cell + i] = 0
    state[first_cell] = a
    if plane_count > 1:
        state[first_cell + 1] = b
    if plane_count > 2:
        state[first_cell + 2] = c


def deposit(bits: int, mask: int) -> int:
    """Move the lowest bits, in order, to the places of a mask."""
    made = 0
    while mask != 0:
        place = mask & -mask
        if bits & 1 != 0:
            made |= place
        bits >>= 1
        mask ^= place
    return made


def extract(bits: int, mask: int) -> int:
    """Gather the bits at the places of a mask, in order, into the lowest bits."""
    made, k = 0, 0
    while mask != 0:
        place = mask & -mask
        if bits & place != 0:
            made |= 1 << k
        k += 1
        mask ^= place
    return made

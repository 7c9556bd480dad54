"""The table of packed states: hashes, equality, and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.machine.generated_functions import WORDS
from playproof.language.random import MASK

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Ints32, Packed, Word

_SPREAD = 0x9E3779B97F4A7C15


def stir_hash(h: Word, word: Word) -> Word:
    """Return the hash after one more word."""
    h = ((h ^ word) * _SPREAD) & MASK
    return h ^ (h >> 29)


def hash_row(P: Packed, i: int) -> Word:
    """Return the hash of row i."""
    h: Word = 0
    for w in range(WORDS):
        h = stir_hash(h, int(P[i, w]))
    return h ^ (h >> 32)


def are_rows_equal(P: Packed, i: int, j: int) -> bool:
    """Return whether two rows hold the same state."""
    for w in range(WORDS):  # noqa: SIM110  # this becomes machine code, where there are no generators
        if P[i, w] != P[j, w]:
            return False
    return True


def copy_row(P: Packed, i: int, to: int) -> None:
    """Copy row i to row `to`."""
    for w in range(WORDS):
        P[to, w] = P[i, w]


def prefetch_slot(P: Packed, i: int, table: Ints32, mask: int) -> None:
    """Prefetch the table slot of row i, which `find_slot` reads soon."""
    slot: int = hash_row(P, i) & mask
    prefetch(table, slot)


def prefetch_row_in_slot(P: Packed, i: int, table: Ints32, mask: int) -> None:
    """Once the slot is loaded, prefetch the row in it, which row i is then compared with."""
    slot: int = hash_row(P, i) & mask
    row = int(table[slot])
    if row >= 0:
        prefetch(P, (row, 0))


def prefetch(array: Ints32 | Packed, at: int | tuple[int, int]) -> None:
    """Prefetch an array's cell in machine code; do nothing in Python."""


def find_vacant_slot(P: Packed, i: int, table: Ints32, mask: int) -> int:
    """Return the first free slot for row i, which equals no other row."""
    slot: int = hash_row(P, i) & mask
    while table[slot] >= 0:
        slot = (slot + 1) & mask
    return slot


def find_slot(P: Packed, i: int, table: Ints32, mask: int) -> int:
    """Return the table slot for row i: that of an earlier equal row, or the first free slot."""
    slot: int = hash_row(P, i) & mask
    while table[slot] >= 0:
        if are_rows_equal(P, i, int(table[slot])):
            return slot
        slot = (slot + 1) & mask
    return slot

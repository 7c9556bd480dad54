"""The table of packed states: hashes, equality, slots, and orders by which one state is better than
another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.machine.generated_functions import WORDS, comparable, unpack
from playproof.language.random import MASK

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, IntGrid, Ints32, Packed, Word, Words

_SPREAD = 0x9E3779B97F4A7C15


def stirred(h: Word, word: Word) -> Word:
    """Return the hash after one more word."""
    h = ((h ^ word) * _SPREAD) & MASK
    return h ^ (h >> 29)


def hash_of(P: Packed, i: int) -> Word:
    """Return the hash of row i."""
    h: Word = 0
    for w in range(WORDS):
        h = stirred(h, int(P[i, w]))
    return h ^ (h >> 32)


def equal(P: Packed, i: int, j: int) -> bool:
    """Return whether two rows hold the same state."""
    for w in range(WORDS):  # noqa: SIM110  # this becomes machine code, where there are no generators
        if P[i, w] != P[j, w]:
            return False
    return True


def move(P: Packed, i: int, to: int) -> None:
    """Copy row i to row `to`."""
    for w in range(WORDS):
        P[to, w] = P[i, w]


def ahead(P: Packed, i: int, table: Ints32, mask: int) -> None:
    """Prefetch the table slot of row i, which `place` reads soon."""
    slot: int = hash_of(P, i) & mask
    prefetch(table, slot)


def nearer(P: Packed, i: int, table: Ints32, mask: int) -> None:
    """Once the slot is loaded, prefetch the row in it, which row i is then compared with."""
    slot: int = hash_of(P, i) & mask
    row = int(table[slot])
    if row >= 0:
        prefetch(P, (row, 0))


def prefetch(array: Ints32 | Packed, at: int | tuple[int, int]) -> None:
    """Prefetch an array's cell in machine code; do nothing in Python."""


def vacant(P: Packed, i: int, table: Ints32, mask: int) -> int:
    """Return the first free slot for row i, which equals no other row."""
    slot: int = hash_of(P, i) & mask
    while table[slot] >= 0:
        slot = (slot + 1) & mask
    return slot


def place(P: Packed, i: int, table: Ints32, mask: int) -> int:
    """Return the table slot for row i: that of an earlier equal row, or the first free slot."""
    slot: int = hash_of(P, i) & mask
    while table[slot] >= 0:
        if equal(P, i, int(table[slot])):
            return slot
        slot = (slot + 1) & mask
    return slot


def find(P: Packed, i: int, table: Ints32, mask: int, keys: Words, order: IntGrid, U: Cells) -> int:
    """Return a slot as `place` does, but accept an earlier row that is better or equal.

    `order` has one row (word, shift, mask, sign) per ordered cell. `keys` masks the bits of all
    other cells, which a better row shares. U is scratch.
    """
    if len(order) == 0:
        return place(P, i, table, mask)
    h: Word = 0
    for w in range(WORDS):
        h = stirred(h, int(P[i, w]) & int(keys[w]))
    slot: int = (h ^ (h >> 32)) & mask
    unpack(P, i, U)
    ordered = comparable(U) != 0
    while table[slot] >= 0:
        j = int(table[slot])
        if equal(P, i, j) or (ordered and better(P, j, i, keys, order, U)):
            return slot
        slot = (slot + 1) & mask
    return slot


def better(P: Packed, j: int, i: int, keys: Words, order: IntGrid, U: Cells) -> bool:
    """Return whether row j is better than or equal to row i, and comparable."""
    for w in range(WORDS):
        if (int(P[j, w]) ^ int(P[i, w])) & int(keys[w]) != 0:
            return False
    for k in range(len(order)):
        word = int(order[k, 0])
        shift = int(order[k, 1])
        mask = int(order[k, 2])
        ours: int = (int(P[j, word]) >> shift) & mask
        theirs: int = (int(P[i, word]) >> shift) & mask
        if order[k, 3] * (ours - theirs) < 0:
            return False
    unpack(P, j, U)
    return comparable(U) != 0

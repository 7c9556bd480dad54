"""The table of packed states: hashes, equality, and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.machine.generated_functions import WORDS
from playproof.language.random import MASK

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Ints32, Packed, Word

_SPREAD = 0x9E3779B97F4A7C15


def mix_word_into_hash(hash_value: Word, word: Word) -> Word:
    """Return the hash after one more word."""
    hash_value = ((hash_value ^ word) * _SPREAD) & MASK
    return hash_value ^ (hash_value >> 29)


def hash_packed_row(packed_states: Packed, row: int) -> Word:
    """Return the hash of row i."""
    h: Word = 0
    for w in range(WORDS):
        h = mix_word_into_hash(h, int(packed_states[row, w]))
    return h ^ (h >> 32)


def are_packed_rows_equal(packed_states: Packed, first_row: int, second_row: int) -> bool:
    """Return whether two rows hold the same state."""
    for w in range(WORDS):  # noqa: SIM110  # this becomes machine code, where there are no generators
        if packed_states[first_row, w] != packed_states[second_row, w]:
            return False
    return True


def copy_packed_row(packed_states: Packed, source_row: int, target_row: int) -> None:
    """Copy row i to row `target_row`."""
    for w in range(WORDS):
        packed_states[target_row, w] = packed_states[source_row, w]


def prefetch_hash_slot_of_row(packed_states: Packed, row: int, table: Ints32, table_mask: int) -> None:
    """Prefetch the table slot of row i, which `find_slot_of_equal_row_or_free_slot` reads soon."""
    slot: int = hash_packed_row(packed_states, row) & table_mask
    prefetch(table, slot)


def prefetch_row_stored_in_hash_slot(packed_states: Packed, compared_row: int, table: Ints32, table_mask: int) -> None:
    """Once the slot is loaded, prefetch the row in it, which row i is then compared with."""
    slot: int = hash_packed_row(packed_states, compared_row) & table_mask
    row = int(table[slot])
    if row >= 0:
        prefetch(packed_states, (row, 0))


def prefetch(array: Ints32 | Packed, index: int | tuple[int, int]) -> None:
    """Prefetch an array's cell in machine code; do nothing in Python."""


def find_free_hash_slot(packed_states: Packed, row: int, table: Ints32, table_mask: int) -> int:
    """Return the first free slot for row i, which equals no other row."""
    slot: int = hash_packed_row(packed_states, row) & table_mask
    while table[slot] >= 0:
        slot = (slot + 1) & table_mask
    return slot


def find_slot_of_equal_row_or_free_slot(packed_states: Packed, row: int, table: Ints32, table_mask: int) -> int:
    """Return the table slot for row i: that of an earlier equal row, or the first free slot."""
    slot: int = hash_packed_row(packed_states, row) & table_mask
    while table[slot] >= 0:
        if are_packed_rows_equal(packed_states, row, int(table[slot])):
            return slot
        slot = (slot + 1) & table_mask
    return slot

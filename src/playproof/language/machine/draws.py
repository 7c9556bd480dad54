"""Random numbers and draws: the stream of `random.Stream`, kept in one cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.machine.generated_functions import CELLS
from playproof.language.random import GOLDEN, MASK, mix_bits

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice


def below(R: Dice, n: int) -> int:
    """Return a number in 0..n-1, as `Stream.below` does."""
    R[0] = (int(R[0]) + GOLDEN) & MASK
    return ((mix_bits(int(R[0])) >> 32) * n) >> 32


def chosen(R: Dice, weights: Cells, n: int, total: int) -> int:
    """Return an index drawn in proportion to the first n weights, whose sum is `total`."""
    rest = below(R, total)
    for i in range(n):
        rest -= int(weights[i])
        if rest < 0:
            return i
    return n - 1


def draw_weighted_index(R: Dice, weights: Cells, n: int) -> int:
    """Return an index as `chosen` does, if the total is not known."""
    total = 0
    for i in range(n):
        total += int(weights[i])
    return chosen(R, weights, n, total)


def copy_state(to: Cells, source: Cells) -> None:
    """Copy a state."""
    for i in range(CELLS):
        to[i] = source[i]

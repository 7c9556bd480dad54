"""Random numbers and draws: the stream of `random.Stream`, kept in one cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playproof.language.machine.generated_functions import CELLS
from playproof.language.random import GOLDEN, MASK, mix_bits

if TYPE_CHECKING:
    from playproof.language.machine.kinds import Cells, Dice


def below(random_state: Dice, bound: int) -> int:
    """Return a number in 0..n-1, as `Stream.below` does."""
    random_state[0] = (int(random_state[0]) + GOLDEN) & MASK
    return ((mix_bits(int(random_state[0])) >> 32) * bound) >> 32


def chosen(random_state: Dice, action_weights: Cells, weight_count: int, total: int) -> int:
    """Return an index drawn in proportion to the first n weights, whose sum is `total`."""
    rest = below(random_state, total)
    for i in range(weight_count):
        rest -= int(action_weights[i])
        if rest < 0:
            return i
    return weight_count - 1


def draw_weighted_index(random_state: Dice, action_weights: Cells, weight_count: int) -> int:
    """Return an index as `chosen` does, if the total is not known."""
    total = 0
    for i in range(weight_count):
        total += int(action_weights[i])
    return chosen(random_state, action_weights, weight_count, total)


def copy_state(target: Cells, source_state: Cells) -> None:
    """Copy a state."""
    for i in range(CELLS):
        target[i] = source_state[i]

"""Splitmix64 without a counter: one stream per game, with the same numbers in the interpreter and
in compiled code.

Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014. The seed
of each game is made from the run's seed and the game's index, so each game can be replayed alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language.machine.kinds import Word

GOLDEN = 0x9E3779B97F4A7C15
MIX_1 = 0xBF58476D1CE4E5B9
MIX_2 = 0x94D049BB133111EB
MASK = 0xFFFFFFFFFFFFFFFF


def mix_bits(bits: Word) -> Word:
    """The output function of splitmix64 on 64 bits."""
    bits = ((bits ^ (bits >> 30)) * MIX_1) & MASK
    bits = ((bits ^ (bits >> 27)) * MIX_2) & MASK
    return bits ^ (bits >> 31)


def make_game_seed(run_seed: Word, game_index: Word) -> Word:
    """Return the 64-bit seed of game number `game_index` of a run."""
    return mix_bits((mix_bits(run_seed & MASK) + game_index * GOLDEN) & MASK)


class Stream:
    """The random numbers of one game."""

    def __init__(self, seed: int) -> None:
        self.state = seed & MASK

    def below(self, n: int) -> int:
        """Return a number in 0..n-1 (bias under n / 2**32)."""
        self.state = (self.state + GOLDEN) & MASK
        return ((mix_bits(self.state) >> 32) * n) >> 32

    def draw_weighted_index(self, weights: Sequence[int]) -> int:
        """Return an index drawn in proportion to the weights."""
        rest = self.below(sum(weights))
        for index, weight in enumerate(weights):
            rest -= weight
            if rest < 0:
                return index
        raise ValueError("all weights are zero")

    def choose_greatest_index_drawing_ties(self, values: Sequence[float]) -> int:
        """Return the index of the greatest value. Ties are drawn with equal probability, as the
        compiled greedy player draws them."""
        best, ties, chosen = values[0], 1, 0
        for index, value in enumerate(values[1:], 1):
            if value > best:
                best, ties, chosen = value, 1, index
            elif value == best:
                ties += 1
                if self.below(ties) == 0:
                    chosen = index
        return chosen

"""The random numbers of a game that people play: nobody can compute them from those already seen.

Each number is a keyed hash of a counter (BLAKE2b, RFC 7693). The key is made from the game's seed
and a label that says what the numbers are for. Nobody can compute a key or a later number from the
numbers of one label. A seed that somebody knows tells everything, so `generate_secret_seed` makes seeds that
cannot be guessed.

Simulations use `playproof.language.random` instead: machine code draws the same numbers, and
bots have nothing to gain from a seed.
"""

from __future__ import annotations

import secrets
from hashlib import blake2b

from playproof.language.random import Stream

SEED_BITS = 128
_BLOCK = 512  # bits of one digest


def generate_secret_seed() -> int:
    """Return a new seed of 128 bits from the operating system's source of secrets."""
    return secrets.randbits(SEED_BITS)


class KeyedStream(Stream):
    """The numbers for one purpose of one game: `KeyedStream(seed, "chance", 12)`.

    Each label has numbers of its own, so numbers drawn for one purpose say nothing about another.
    """

    def __init__(self, seed: int, *label: str | int) -> None:
        self._key = blake2b(repr((hex(seed), *label)).encode(), digest_size=64).digest()
        self._drawn = 0

    def below(self, n: int) -> int:
        """Return a number in 0..n-1, each with exactly the same probability."""
        # Blocks above the last whole multiple of n are drawn again, or small numbers would come
        # more often.
        fair = (1 << _BLOCK) - (1 << _BLOCK) % n
        while (block := self._generate_next_block()) >= fair:
            pass
        return block % n

    def _generate_next_block(self) -> int:
        counter = self._drawn.to_bytes(16, "little")
        self._drawn += 1
        return int.from_bytes(blake2b(counter, key=self._key).digest(), "little")

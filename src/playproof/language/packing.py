"""The place of each cell of a state that is packed into 64-bit words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from playproof.language.fields import Field
from playproof.language.game import Game

_AT_ONCE = 32


def places(game: Game) -> Iterator[tuple[int, Field, int, int]]:
    """Yield the place of each cell in a packed state: cell, field, word, shift. Cells without bits
    have word -1."""
    word = used = 0
    for held in game.fields:
        for cell in range(held.offset, held.offset + held.size):
            if held.bits == 0:
                yield cell, held, -1, 0
                continue
            if used + held.bits > 64:
                word, used = word + 1, 0
            yield cell, held, word, used
            used += held.bits


def batch_of(game: Game) -> int:
    """Return the largest number of states that the explorer builds at once. All successors of a
    state are built together; a few more let memory prefetch work ahead."""
    return max(1, game.ground) + _AT_ONCE


def words_of(game: Game) -> int:
    """Return the number of words of a packed state, at least one."""
    return 1 + max(0, *(word for _, _, word, _ in places(game)))


def packing(game: Game, planes: frozenset[int]) -> tuple[list[str], list[str]]:
    """Return the lines of `pack(S, P, i)` and `unpack(P, i, S)`. A cell never straddles two words.
    Fields that are kept as `planes` have the same place in the words as any other field."""
    pack: list[list[str]] = [[] for _ in range(words_of(game))]
    unpack = []
    for cell, held, word, shift in places(game):
        if held.number in planes:
            continue
        if word < 0:
            unpack.append(f"S[{cell}] = {held.lo}")
            continue
        bits = f"int(S[{cell}])" if not held.lo else f"(int(S[{cell}]) - {held.lo})"
        pack[word].append(f"{bits} << {shift}" if shift else bits)
        mask = (1 << held.bits) - 1
        back = f"((int(P[i, {word}]) >> {shift}) & {mask})"
        unpack.append(f"S[{cell}] = {back} + {held.lo}" if held.lo else f"S[{cell}] = {back}")
    for run in _runs(game, planes):
        for k in range(run.field.bits):
            pack[run.word].append(run.packed(k))
            unpack.append(run.unpacked(k))
    packed: list[str] = []
    for word, parts in enumerate(pack):
        packed += _gathered(word, parts)
    return packed, unpack


@dataclass(frozen=True)
class _Run:
    """Cells of a field kept as planes that lie in one word: the first cell, the number of cells,
    and their place in the word."""

    field: Field
    first: int
    count: int
    word: int
    shift: int

    def mask(self, plane: int) -> int:
        """The mask of a plane's bits in the word, before the shift."""
        return sum(1 << (i * self.field.bits + plane) for i in range(self.count))

    def packed(self, plane: int) -> str:
        """Return the expression that moves a plane's bits to their place in the word."""
        bits = f"(int(S[{self.field.offset + plane}]) >> {self.first})"
        return f"deposit({bits}, {self.mask(plane)}) << {self.shift}"

    def unpacked(self, plane: int) -> str:
        """Return the line that moves the bits back into the plane; the line for a field's first
        cells clears the plane first."""
        bits = f"(extract(int(P[i, {self.word}]) >> {self.shift}, {self.mask(plane)}) << {self.first})"
        cell = f"S[{self.field.offset + plane}]"
        return f"{cell} = {cell} | {bits}" if self.first else f"{cell} = {bits}"


def _runs(game: Game, planes: frozenset[int]) -> Iterator[_Run]:
    cells = [
        (held, cell - held.offset, word, shift)
        for cell, held, word, shift in places(game)
        if held.number in planes
    ]
    for (held, word), group in groupby(cells, key=lambda c: (c[0], c[2])):
        listed = list(group)
        yield _Run(held, listed[0][1], len(listed), word, listed[0][3])


def _gathered(word: int, bits: list[str]) -> list[str]:
    """Return lines that build one word step by step: a single expression of a hundred cells is too
    deep for some parsers."""
    return [f"w = {bits[0] if bits else 0}", *(f"w = w | ({b})" for b in bits[1:]), f"P[i, {word}] = w"]

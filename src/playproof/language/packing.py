"""The place of each cell of a state that is packed into 64-bit words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from playproof.language.fields import Field
from playproof.language.game import Game

_AT_ONCE = 32


def iter_cell_places(game: Game) -> Iterator[tuple[int, Field, int, int]]:
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


def compute_batch_size(game: Game) -> int:
    """Return the largest number of states that the explorer builds at once. All successors of a
    state are built together; a few more let memory prefetch work ahead."""
    return max(1, game.ground) + _AT_ONCE


def count_packed_words(game: Game) -> int:
    """Return the number of words of a packed state, at least one."""
    return 1 + max(0, *(word for _, _, word, _ in iter_cell_places(game)))


def generate_packing_lines(game: Game, planes: frozenset[int]) -> tuple[list[str], list[str]]:
    """Return the lines of `pack(S, P, i)` and `unpack(P, i, S)`. A cell never straddles two words.
    Fields that are kept as `planes` have the same place in the words as any other field."""
    pack: list[list[str]] = [[] for _ in range(count_packed_words(game))]
    unpack = []
    for cell, held, word, shift in iter_cell_places(game):
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
    for run in _iter_plane_runs(game, planes):
        for k in range(run.field.bits):
            pack[run.word].append(run.format_pack_expression(k))
            unpack.append(run.format_unpack_line(k))
    packed: list[str] = []
    for word, parts in enumerate(pack):
        packed += _generate_word_lines(word, parts)
    return packed, unpack


@dataclass(frozen=True)
class _PlaneRun:
    """Cells of a field kept as planes that lie in one word: the first cell, the number of cells,
    and their place in the word."""

    field: Field
    first: int
    count: int
    word: int
    shift: int

    def compute_mask(self, plane: int) -> int:
        """The mask of a plane's bits in the word, before the shift."""
        return sum(1 << (i * self.field.bits + plane) for i in range(self.count))

    def format_pack_expression(self, plane: int) -> str:
        """Return the expression that moves a plane's bits to their place in the word."""
        bits = f"(int(S[{self.field.offset + plane}]) >> {self.first})"
        return f"deposit({bits}, {self.compute_mask(plane)}) << {self.shift}"

    def format_unpack_line(self, plane: int) -> str:
        """Return the line that moves the bits back into the plane; the line for a field's first
        cells clears the plane first."""
        bits = (
            f"(extract(int(P[i, {self.word}]) >> {self.shift}, {self.compute_mask(plane)}) << {self.first})"
        )
        cell = f"S[{self.field.offset + plane}]"
        return f"{cell} = {cell} | {bits}" if self.first else f"{cell} = {bits}"


def _iter_plane_runs(game: Game, planes: frozenset[int]) -> Iterator[_PlaneRun]:
    cells = [
        (held, cell - held.offset, word, shift)
        for cell, held, word, shift in iter_cell_places(game)
        if held.number in planes
    ]
    for (held, word), group in groupby(cells, key=lambda c: (c[0], c[2])):
        listed = list(group)
        yield _PlaneRun(held, listed[0][1], len(listed), word, listed[0][3])


def _generate_word_lines(word: int, bits: list[str]) -> list[str]:
    """Return lines that build one word step by step: a single expression of a hundred cells is too
    deep for some parsers."""
    return [f"w = {bits[0] if bits else 0}", *(f"w = w | ({b})" for b in bits[1:]), f"P[i, {word}] = w"]

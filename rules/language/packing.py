"""Where the cells of a state lie when it is packed into 64-bit words."""

from __future__ import annotations

from collections.abc import Iterator

from playproof.rules.language.fields import Field
from playproof.rules.language.game import Game


def places(game: Game) -> Iterator[tuple[int, Field, int, int]]:
    """Each cell of a packed state: cell, field, word, shift; cells without bits have word -1."""
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


def words_of(game: Game) -> int:
    """How many words a packed state takes, at least one."""
    return 1 + max(0, *(word for _, _, word, _ in places(game)))


def packing(game: Game) -> tuple[list[str], list[str]]:
    """The lines of `pack(S, P, i)` and `unpack(P, i, S)`; a cell never straddles two words."""
    pack: list[list[str]] = [[] for _ in range(words_of(game))]
    unpack = []
    for cell, held, word, shift in places(game):
        if word < 0:
            unpack.append(f"S[{cell}] = {held.lo}")
            continue
        bits = f"int(S[{cell}])" if not held.lo else f"(int(S[{cell}]) - {held.lo})"
        pack[word].append(f"{bits} << {shift}" if shift else bits)
        mask = (1 << held.bits) - 1
        back = f"((int(P[i, {word}]) >> {shift}) & {mask})"
        unpack.append(f"S[{cell}] = {back} + {held.lo}" if held.lo else f"S[{cell}] = {back}")
    return [line for word, found in enumerate(pack) for line in _gathered(word, found)], unpack


def _gathered(word: int, bits: list[str]) -> list[str]:
    """One word, put together line by line: one expression of a hundred cells would be too deep for some parsers."""
    return [f"w = {bits[0] if bits else 0}", *(f"w = w | ({b})" for b in bits[1:]), f"P[i, {word}] = w"]

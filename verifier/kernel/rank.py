"""Ranks: a whole number that every small step lowers, so that no game is longer than it is great."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from playproof.rules.language import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.induction import Inductive, Layer, kept
from playproof.verifier.kernel.reading import Number, Reading, conj
from playproof.verifier.kernel.statements import BOUNDS, Ends, Statement

Weight = tuple[int, int, int]
"""A cell, one of its values (or -1: the cell itself), and what that counts."""


@dataclass(frozen=True)
class Rank(Certificate):
    """The sum of `weights` falls by 1 at least with every small step from a state that the layers allow, and from the
    start it can fall by `most` at most."""

    kind: ClassVar[str] = "rank"
    rests: ClassVar[str] = "Z3"
    most: int
    weights: tuple[Weight, ...]
    layers: tuple[Layer, ...]

    def statement(self) -> Statement:
        """Every game is over after so many decisions, if no value leaves its bounds."""
        return Ends(self.most, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Each small step lowers it, and its span is not greater."""
        if any(not 0 <= cell < game.cells for cell, _, _ in self.weights):
            raise NotShown("a weight is of no cell")
        kept(game, self.layers)
        span = self._of_plain(game.initial()) - self._least(game)
        if span > self.most:
            raise NotShown(f"the rank allows {span} steps")
        conjuncts = [text for layer in self.layers for text in layer.conjuncts]
        allowed = Inductive(game, conjuncts, True, ())
        for what in allowed.reading.kinds():
            allowed.refuse(what, lambda step, before: conj([step.sound, allowed.reading.compare(
                "<", self._of(allowed.reading, before), self._plus_one(allowed.reading, step.after))]),
                "a step leaves the rank as it is")

    def _plus_one(self, reading: Reading, cells: Sequence[Number]) -> Number:
        return reading.combine("+", self._of(reading, cells), 1)

    def _of(self, reading: Reading, cells: Sequence[Number]) -> Number:
        total: Number = 0
        for cell, value, weight in self.weights:
            here = cells[cell] if value == -1 else reading.pick(reading.compare("==", cells[cell], value), 1, 0)
            total = reading.combine("+", total, reading.combine("*", here, weight))
        return total

    def _of_plain(self, state: Sequence[int]) -> int:
        return sum(w * (state[cell] if value == -1 else int(state[cell] == value)) for cell, value, w in self.weights)

    def _least(self, game: Game) -> int:
        """A number that the rank never falls below while all cells are within their bounds."""
        fields = [f for f in game.fields for _ in range(f.size)]
        least = 0
        for cell in {c for c, _, _ in self.weights}:
            lo, hi = fields[cell].lo, fields[cell].hi
            mine = [(value, weight) for c, value, weight in self.weights if c == cell]
            times = sum(w for value, w in mine if value == -1)
            single: dict[int, int] = {}
            for value, weight in mine:
                if value != -1:
                    single[value] = single.get(value, 0) + weight
            least += min(times * lo, times * hi) + min(0, *single.values(), 0)
        return least


__all__ = ["Rank", "Weight"]

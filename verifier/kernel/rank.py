"""Ranks: a whole number that every small step lowers, so that no game is longer than it is great."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from playproof.rules.language import Game, Phase
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.induction import Inductive, Layer, kept
from playproof.verifier.kernel.reading import Cells, Number, Reading, Step, Truth, conj
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Ends, Keeps, Statement

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
        known_cells(game, self.weights)
        span = self._of_plain(game.initial()) - self._least(game)
        if span > self.most:
            raise NotShown(f"the rank allows {span} steps")
        falls(game, self.weights, self.layers, automatic=False)

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


@dataclass(frozen=True)
class PhasesEnd(Certificate):
    """The sum of `weights` falls by 1 at least with every automatic phase, and no cell can let it fall for ever."""

    kind: ClassVar[str] = "phases end"
    rests: ClassVar[str] = "Z3"
    weights: tuple[Weight, ...]
    layers: tuple[Layer, ...]

    def statement(self) -> Statement:
        """Automatic phases end, if no value leaves its bounds."""
        return Keeps(PHASES_END, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Each automatic phase lowers it; bounded cells give it a least value."""
        known_cells(game, self.weights)
        falls(game, self.weights, self.layers, automatic=True)


def known_cells(game: Game, weights: Sequence[Weight]) -> None:
    """Every weight is of a cell that there is. Raises NotShown."""
    if any(not 0 <= cell < game.cells for cell, _, _ in weights):
        raise NotShown("a weight is of no cell")


def falls(game: Game, weights: Sequence[Weight], layers: Sequence[Layer], automatic: bool) -> None:
    """The layers are kept, and every small step (every `automatic` one) from a state that they allow lowers the
    weighted sum. Raises NotShown."""
    kept(game, layers)
    allowed = Inductive(game, [text for layer in layers for text in layer.conjuncts], True, ())
    reading = allowed.reading

    def wrong(step: Step, before: Cells) -> Truth:
        after = reading.combine("+", weighed(reading, weights, step.after), 1)
        return conj([step.sound, reading.compare("<", weighed(reading, weights, before), after)])

    for what in reading.kinds():
        if isinstance(what, Phase) or not automatic:
            allowed.refuse(what, [wrong], f"`{what.name}` may leave the rank as it is")


def weighed(reading: Reading, weights: Sequence[Weight], cells: Sequence[Number]) -> Number:
    """The weighted sum of open cells."""
    total: Number = 0
    for cell, value, weight in weights:
        here = cells[cell] if value == -1 else reading.pick(reading.compare("==", cells[cell], value), 1, 0)
        total = reading.combine("+", total, reading.combine("*", here, weight))
    return total


__all__ = ["PhasesEnd", "Rank", "Weight"]

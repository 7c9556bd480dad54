"""Ranks: numbers that steps lower, so that they come to an end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from playproof.rules.language import Game, Interpreter, Phase, Term
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.induction import Inductive, Layer, Split, kept, read
from playproof.verifier.kernel.reading import Cells, Reading, Step, Truth, conj, disj, neg
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Ends, Keeps, Statement


@dataclass(frozen=True)
class Rank(Certificate):
    """The number falls by 1 at least with every small step from a state that the layers allow, and from the start it
    can fall by `most` at most."""

    kind: ClassVar[str] = "rank"
    rests: ClassVar[str] = "Z3"
    most: int
    number: str
    layers: tuple[Layer, ...]

    def statement(self) -> Statement:
        """Every game is over after so many decisions, if no value leaves its bounds."""
        return Ends(self.most, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Each small step lowers it, and its span is not greater."""
        number = read(game, self.number)
        span = Interpreter(game).value(number, game.initial()) - number.lo
        if span > self.most:
            raise NotShown(f"the rank allows {span} steps")
        kept(game, self.layers)
        allowed = Inductive(game, [t for layer in self.layers for t in layer.conjuncts], True, (), [number])
        for what in allowed.reading.kinds():
            allowed.refuse(what, [partial(stays, allowed.reading, [number])], f"`{what.name}` may leave the rank")


@dataclass(frozen=True)
class PhasesEnd(Certificate):
    """Every automatic phase behind which another one is due lowers one of the numbers and raises none of those before
    it, from every state that the layers allow. No number falls for ever, since none is without a least value; `splits`
    are for the questions about the numbers."""

    kind: ClassVar[str] = "phases end"
    rests: ClassVar[str] = "Z3"
    numbers: tuple[str, ...]
    layers: tuple[Layer, ...]
    splits: tuple[Split, ...]

    def statement(self) -> Statement:
        """Automatic phases end, if no value leaves its bounds."""
        return Keeps(PHASES_END, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Every layer is kept, and each automatic phase lowers the numbers."""
        kept(game, self.layers)
        numbers = [read(game, text) for text in self.numbers]
        texts = [text for layer in self.layers for text in layer.conjuncts]
        allowed = Inductive(game, texts, True, self.splits, numbers)
        for phase in game.phases:
            if phase.automatic:
                lowers(allowed, numbers, phase)


def lowers(allowed: Inductive, numbers: Sequence[Term], phase: Phase) -> None:
    """An automatic phase lowers the numbers or leaves no other due. Raises NotShown."""
    side = allowed.side(phase)
    side.refuse(phase, [partial(goes_on, side.reading, numbers)], f"`{phase.name}` may leave the rank")


def goes_on(reading: Reading, numbers: Sequence[Term], step: Step, before: Cells) -> Truth:
    """That another automatic phase is due behind a step that does not lower the numbers."""
    return conj([neg(reading.settled(step.after)), stays(reading, numbers, step, before)])


def stays(reading: Reading, numbers: Sequence[Term], step: Step, before: Cells) -> Truth:
    """That a step does not lower the first of the numbers that it changes."""
    falls: Truth = False
    for number in reversed(numbers):
        was, now = reading.number(number, before, {}), reading.number(number, step.after, {})
        falls = disj([reading.compare("<", now, was), conj([reading.compare("==", now, was), falls])])
    return conj([step.sound, neg(falls)])


__all__ = ["PhasesEnd", "Rank", "goes_on", "lowers", "stays"]

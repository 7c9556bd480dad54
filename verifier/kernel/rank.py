"""Ranks: numbers that steps lower, so that the steps end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from playproof.rules.language import Game, Interpreter, Phase, Term
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.induction import Inductive, Layer, Split, kept, read
from playproof.verifier.kernel.reading import Cells, Reading, Step, Truth, conj, disj, neg
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Length, Property, Statement


@dataclass(frozen=True)
class Rank(Certificate):
    """A number that every small step from a state that the layers allow lowers by at least 1, and
    that can fall by at most `most` from its value at the start."""

    kind: ClassVar[str] = "rank"
    rests: ClassVar[str] = "Z3"
    most: int
    number: str
    layers: tuple[Layer, ...]

    def statement(self) -> Statement:
        """State that every game is over after at most `most` decisions, if no value leaves its
        bounds."""
        return Statement(Length(self.most), True, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Check that each small step lowers the number, and that it can fall by at most `most`.
        Raises NotShown."""
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
    """Numbers that automatic phases lower, from every state that the layers allow. If another
    automatic phase is due after a phase, the phase lowers one of the numbers and raises none before
    it. Each number has a least value, so none falls for ever. `splits` apply to the questions about
    the numbers."""

    kind: ClassVar[str] = "phases end"
    rests: ClassVar[str] = "Z3"
    numbers: tuple[str, ...]
    layers: tuple[Layer, ...]
    splits: tuple[Split, ...]

    def statement(self) -> Statement:
        """State that automatic phases end, if no value leaves its bounds."""
        return Statement(Property(PHASES_END), True, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Check that steps keep every layer, and that each automatic phase lowers the numbers.
        Raises NotShown."""
        kept(game, self.layers)
        numbers = [read(game, text) for text in self.numbers]
        texts = [text for layer in self.layers for text in layer.conjuncts]
        allowed = Inductive(game, texts, True, self.splits, numbers)
        for phase in game.phases:
            if phase.automatic:
                lowers(allowed, numbers, phase)


def lowers(allowed: Inductive, numbers: Sequence[Term], phase: Phase) -> None:
    """Check that an automatic phase lowers the numbers, or that no other is due after it. Raises
    NotShown."""
    side = allowed.side(phase)
    side.refuse(phase, [partial(goes_on, side.reading, numbers)], f"`{phase.name}` may leave the rank")


def goes_on(reading: Reading, numbers: Sequence[Term], step: Step, before: Cells) -> Truth:
    """Return the formula that another automatic phase is due after a step that does not lower the
    numbers."""
    return conj([neg(reading.settled(step.after)), stays(reading, numbers, step, before)])


def stays(reading: Reading, numbers: Sequence[Term], step: Step, before: Cells) -> Truth:
    """Return the formula that a step does not lower the first of the numbers that it changes."""
    falls: Truth = False
    for number in reversed(numbers):
        was, now = reading.number(number, before, {}), reading.number(number, step.after, {})
        falls = disj([reading.compare("<", now, was), conj([reading.compare("==", now, was), falls])])
    return conj([step.sound, neg(falls)])


__all__ = ["PhasesEnd", "Rank", "goes_on", "lowers", "stays"]

"""Explorations of more states than the kernel goes through. Compiled code goes through them, which the kernel
does not contain: the caller lends it in the context, and the verdict says that it rests on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from playproof.language import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.exploration import MOST_STATES, beyond_excludes, never_falls
from playproof.verifier.kernel.statements import Event, Statement
from playproof.verifier.questions.targets import Targets

COMPILED = "compiled code, which went through the states: they are more than the kernel reads"


@dataclass(frozen=True)
class CompiledExploration(Certificate):
    """No reachable state meets the event, as an `Exploration` states it, if compiled code went through the
    states rightly. There are at most `states`, and more than the kernel goes through itself."""

    kind: ClassVar[str] = "compiled exploration"
    rests: ClassVar[str] = COMPILED
    about: Event
    states: int
    number: str = ""
    most: int = 0

    def leans_on(self) -> str:
        """Return compiled code, and Z3 if a number limits the states."""
        return f"{self.rests}, and Z3 for the states beyond" if self.number else self.rests

    def statement(self) -> Statement:
        """State that the event never happens."""
        return Statement(self.about, False)

    def check(self, game: Game, context: Context) -> None:
        """Let compiled code go through the states. Raises NotShown."""
        if self.states <= MOST_STATES:
            raise NotShown(f"the kernel goes through {self.states:,} states itself")
        if context.compiled is None:
            raise NotShown(f"{self.states:,} states are more than the kernel goes through")
        if self.most and not self.number:
            raise NotShown("there is no number that would be limited")
        target = self.about.target(game)
        if self.number:
            number = Targets(game).number(self.number)
            never_falls(game, number, context)
            beyond_excludes(game, target, number, self.most, context)
        fault = context.compiled(game, target, (self.number, self.most), self.states)
        if fault:
            raise NotShown(fault)

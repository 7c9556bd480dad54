"""Chains of small steps: bounded search from the start, and k-induction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from playproof.rules.language import Action, Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.induction import Inductive, Layer, kept
from playproof.verifier.kernel.reading import Cells, Truth, conj, disj, neg
from playproof.verifier.kernel.solving import answer, refuse
from playproof.verifier.kernel.statements import BOUNDS, Event, Statement

_LONGEST = 400


class Chain:
    """Symbolic states joined by small steps. The first state is given, or open if `first` is None.
    `parts` are the formulas that join the states."""

    def __init__(self, game: Game, event: Event, conjuncts: tuple[str, ...], integers: bool,
                 first: Cells | None) -> None:
        self.target = event.target(game)
        self.allowed = Inductive(game, conjuncts, integers, (), [self.target.condition])
        self.reading = self.allowed.reading
        self.cells = self.reading.state("k0_") if first is None else first
        self.parts: list[Truth] = [self.reading.typed(self.cells)]
        self.length = 0

    def longer(self) -> None:
        """Append one more small step."""
        self.length += 1
        after = self.reading.state(f"k{self.length}_")
        steps = []
        for what in self.reading.kinds():
            tag = f"k{self.length}_{what.number}_{'a' if isinstance(what, Action) else 'p'}"
            step = self.reading.step(what, self.cells, self.reading.params(what, tag))
            same = (self.reading.compare("==", x, y) for x, y in zip(step.after, after, strict=True))
            steps.append(conj([step.sound, *same]))
        self.parts += [self.reading.typed(after), disj(steps)]
        self.cells = after

    def meets(self) -> Truth:
        """Return the formula that the last state is settled and meets the event."""
        here = conj([self.reading.settled(self.cells), self.reading.truth(self.target.condition, self.cells, {})])
        if self.target.idents is None:
            return here
        game = self.reading.game
        taken = (self.reading.step(game.action_of(i), self.cells, game.action_of(i).values(i)).legal
                 for i in sorted(self.target.idents))
        return conj([here, disj(taken)])


@dataclass(frozen=True)
class BoundedSearch(Certificate):
    """Bounded model checking: no line of small steps from the start meets the event, and no line is
    longer than `steps`."""

    kind: ClassVar[str] = "bounded search"
    rests: ClassVar[str] = "Z3"
    event: Event
    steps: int

    def statement(self) -> Statement:
        """State that the event never happens, if no value leaves its bounds."""
        return Statement(self.event, False, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Ask Z3 at each length, until no longer line exists. Raises NotShown."""
        chain = Chain(game, self.event, (), False, list(game.initial()))
        for length in range(min(self.steps, _LONGEST) + 1):
            refuse([*chain.parts, chain.meets()], False, f"after {length} small steps")
            chain.longer()
            if answer(chain.parts, False) == "unsat":
                return
        raise NotShown(f"there may be more than {self.steps} small steps")


@dataclass(frozen=True)
class KInduction(Certificate):
    """k-induction. No line of fewer than `k` small steps meets the event. After `k` states in a row
    that do not meet it, and that satisfy the layers' conditions, the next state does not meet it
    either. Source: Sheeran, Singh, Stålmarck, FMCAD 2000."""

    kind: ClassVar[str] = "k-induction"
    rests: ClassVar[str] = "Z3"
    event: Event
    k: int
    layers: tuple[Layer, ...]

    def statement(self) -> Statement:
        """State that the event never happens, if no value leaves its bounds."""
        return Statement(self.event, False, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Check the layers, the base case and the induction step. Raises NotShown."""
        if not 1 <= self.k <= _LONGEST:
            raise NotShown(f"expected k from 1 to {_LONGEST}, found {self.k}")
        kept(game, self.layers)
        conjuncts = tuple(text for layer in self.layers for text in layer.conjuncts)
        base = Chain(game, self.event, conjuncts, False, list(game.initial()))
        for length in range(self.k):
            refuse([*base.parts, base.meets()], False, f"after {length} small steps")
            base.longer()
        step = Chain(game, self.event, conjuncts, False, None)
        for _ in range(self.k):
            step.parts += [*step.allowed.assumed(step.cells), neg(step.meets())]
            step.longer()
        step.parts += step.allowed.assumed(step.cells)
        refuse([*step.parts, step.meets()], False, f"{self.k} states in a row do not exclude it in the next")


__all__ = ["BoundedSearch", "KInduction"]

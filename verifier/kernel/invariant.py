"""Invariants: what never happens or always holds, because every small step keeps some conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from playproof.language import Action, Phase, Place
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.induction import Inductive, Lemma, Split, Wrong, kept
from playproof.verifier.kernel.rank import every_step_falls, phases_end
from playproof.verifier.kernel.reading import Cells, Fault, SmallStep, Truth, disj, neg
from playproof.verifier.kernel.statements import (
    BOUNDS,
    NO_DEAD_END,
    PHASES_END,
    About,
    Event,
    Law,
    Length,
    Property,
    Secrecy,
    Statement,
)
from playproof.verifier.kernel.step_laws import every_step_obeys
from playproof.verifier.kernel.unwinding import every_step_keeps
from playproof.verifier.questions.targets import Target


@dataclass(frozen=True)
class Invariant(Certificate):
    """Layers of conditions that every small step keeps, and what follows from them:

        an event        never happens: no allowed state meets it
        a property      no step leaves bounds; whoever is to act can; automatic phases lower `numbers`
        a length        is not exceeded: every step lowers the one of `numbers`
        a law           is obeyed by every step
        a secret        is kept by every step, from any two states that are alike but for it

    `integers` and `splits` say how Z3 is asked what follows, as they do in a layer.
    """

    kind: ClassVar[str] = "invariant"
    rests: ClassVar[str] = "Z3"
    about: About
    layers: tuple[Lemma, ...] = ()
    integers: bool = True
    splits: tuple[Split, ...] = ()
    numbers: tuple[str, ...] = ()

    def statement(self) -> Statement:
        """State that the event never happens, or that the property, the length or the law is kept;
        all but BOUNDS themselves are shown only if no value leaves its bounds."""
        grounds: tuple[str, ...] = (BOUNDS,)
        if self.about == Property(BOUNDS):
            grounds = ()
        elif self.about == Property(NO_DEAD_END):
            grounds = (BOUNDS, PHASES_END)
        return Statement(self.about, not isinstance(self.about, Event), grounds)

    def check(self, game: Game, context: Context) -> None:
        """Check that steps keep every layer, and that the statement follows. Raises NotShown."""
        kept(game, self.layers, context)
        conjuncts = [text for layer in self.layers for text in layer.conjuncts]
        match self.about:
            case Event():
                excluded(game, conjuncts, self.about.target(game), self.integers, context)
            case Property(name=name) if name == BOUNDS:
                allowed = Inductive(game, conjuncts, self.integers, self.splits, context)
                for what in allowed.reading.kinds():
                    within_bounds(allowed, what)
            case Property(name=name) if name == NO_DEAD_END:
                allowed = Inductive(game, conjuncts, self.integers, self.splits, context)
                for phase in game.phases:
                    no_dead_end(allowed, phase)
            case Property(name=name) if name == PHASES_END:
                phases_end(game, conjuncts, self.numbers, self.splits, context)
            case Length(most=most):
                every_step_falls(game, conjuncts, self.numbers, most, context)
            case Law(law=law):
                every_step_obeys(game, conjuncts, self.integers, law, context)
            case Secrecy(of=of):
                every_step_keeps(game, conjuncts, self.integers, of, context)
            case _:
                raise NotShown("no invariant can show this")


def excluded(game: Game, conjuncts: Sequence[str], target: Target, integers: bool, context: Context) -> None:
    """Check that no state that satisfies the conditions meets the target, at rest: no automatic phase is due there.
    Raises NotShown."""
    allowed = Inductive(game, conjuncts, integers, (), context, [target.condition])
    reading, cells = allowed.reading, allowed.state
    here = [reading.settled(cells), reading.truth(target.condition, cells, {})]
    ways: list[list[Truth]] = [here]
    if target.idents is not None:
        ways = [[*here, reading.can(cells, ident)] for ident in sorted(target.idents)]
    for way in ways:
        allowed.exclude(cells, way, "the conditions leave room for it")


def within_bounds(allowed: Inductive, what: Action | Phase) -> None:
    """Check that a kind of step from an allowed state within bounds makes no value leave its
    bounds. Raises NotShown."""
    allowed.never("bounds", what, (), f"`{what.name}` may leave bounds", lambda side: faults(side, what))


def faults(allowed: Inductive, what: Action | Phase) -> list[Wrong]:
    """Return what may go wrong in a kind of step: one entry for each known kind of fault, then one
    for any other."""
    kinds = list(dict.fromkeys(map(_kind, allowed.step(what).faults)))
    return allowed.made(
        "faults",
        what,
        (),
        lambda: [
            *(partial(_happens, (kind,), True) for kind in kinds),
            partial(_happens, tuple(kinds), False),
        ],
    )


def _happens(kinds: Sequence[tuple[str, Place]], among: bool, step: SmallStep, _: Cells) -> Truth:
    """Return the formula that a step has a fault among these kinds, or (if not `among`) of any
    other kind."""
    return disj(f.when for f in step.faults if (_kind(f) in kinds) == among)


def _kind(fault: Fault) -> tuple[str, Place]:
    return fault.message, fault.place


def no_dead_end(allowed: Inductive, phase: Phase) -> None:
    """Check that whoever is to act in a phase, in an allowed state, has a legal action. Raises NotShown."""
    if phase.automatic:
        return
    cells = [phase.number, 0, *allowed.state[2:]]
    legal = [allowed.reading.can(cells, ident) for action in phase.actions for ident in action.idents]
    allowed.exclude(cells, [neg(disj(legal))], f"a dead end in phase `{phase.name}`")

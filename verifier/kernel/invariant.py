"""Invariants: events that never happen and properties that always hold, because every small step
keeps some conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from playproof.rules.language import Action, Game, Interpreter, Phase, Place
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.induction import Inductive, Layer, Split, Wrong, kept
from playproof.verifier.kernel.reading import Cells, Fault, Step, Truth, conj, disj, neg
from playproof.verifier.kernel.solving import refuse
from playproof.verifier.kernel.statements import BOUNDS, NO_DEAD_END, PHASES_END, Event, Property, Statement


def _conjuncts(layers: Sequence[Layer]) -> tuple[str, ...]:
    return tuple(text for layer in layers for text in layer.conjuncts)


@dataclass(frozen=True)
class Invariant(Certificate):
    """Layers of conditions that steps keep and that exclude the event. With `behind`, they exclude
    it after every step from a state that they allow. `integers` has the meaning that it has in a
    layer."""

    kind: ClassVar[str] = "invariant"
    rests: ClassVar[str] = "Z3"
    event: Event
    layers: tuple[Layer, ...]
    integers: bool
    behind: bool

    def statement(self) -> Statement:
        """State that the event never happens, if no value leaves its bounds."""
        return Statement(self.event, False, (BOUNDS,))

    def check(self, game: Game) -> None:
        """Check that steps keep every layer, and that the conditions exclude the event (with
        `behind`: in every successor). Raises NotShown."""
        kept(game, self.layers)
        (behind_steps if self.behind else excluded)(game, _conjuncts(self.layers), self.event, self.integers)


def excluded(game: Game, conjuncts: Sequence[str], event: Event, integers: bool) -> None:
    """Check that no state that the conditions allow, in which somebody is to act or the game is
    over, meets the event. Raises NotShown."""
    target = event.target(game)
    allowed = Inductive(game, conjuncts, integers, (), [target.condition])
    reading, cells = allowed.reading, allowed.state
    here = [*allowed.assumed(cells), reading.settled(cells), reading.truth(target.condition, cells, {})]
    if target.idents is None:
        refuse(here, integers, "the conditions leave room for it")
    for ident in sorted(target.idents or ()):
        action = game.action_of(ident)
        step = reading.step(action, cells, action.values(ident))
        refuse([*here, step.legal], integers, f"the conditions leave room for: {game.show(ident)}")


def behind_steps(game: Game, conjuncts: Sequence[str], event: Event, integers: bool) -> None:
    """Check that the start does not meet the event, and that no step from a state that the
    conditions allow leads to one that does. Raises NotShown."""
    target, start = event.target(game), game.initial()
    if target.idents is not None or Interpreter(game).value(target.condition, start):
        raise NotShown("it is an action, or holds at the start")
    allowed = Inductive(game, conjuncts, integers, (), [target.condition])
    reading = allowed.reading
    for what in reading.kinds():
        step = reading.step(what, allowed.state, reading.params(what))
        met = conj([step.sound, reading.settled(step.after), reading.truth(target.condition, step.after, {})])
        if met is not False:
            refuse([*allowed.assumed(allowed.state), met], integers, f"`{step.name}` may lead to it")


@dataclass(frozen=True)
class Sound(Certificate):
    """Layers of conditions that steps keep and under which the rules keep a property: no value
    leaves its bounds, or whoever is to act has a legal action. `splits` apply to the questions
    about bounds."""

    kind: ClassVar[str] = "sound rules"
    rests: ClassVar[str] = "Z3"
    property: str
    layers: tuple[Layer, ...]
    integers: bool
    splits: tuple[Split, ...]

    def statement(self) -> Statement:
        """State that every game keeps the property."""
        grounds = () if self.property == BOUNDS else (BOUNDS, PHASES_END)
        return Statement(Property(self.property), True, grounds)

    def check(self, game: Game) -> None:
        """Check that steps keep every layer, and that the conditions imply the property. Raises
        NotShown."""
        kept(game, self.layers)
        allowed = Inductive(game, _conjuncts(self.layers), self.integers, self.splits)
        if self.property == BOUNDS:
            for what in allowed.reading.kinds():
                within_bounds(allowed, what)
        elif self.property == NO_DEAD_END:
            _no_dead_end(allowed)
        else:
            raise NotShown(f"expected {BOUNDS} or {NO_DEAD_END}, found {self.property[:40]!r}")


def within_bounds(allowed: Inductive, what: Action | Phase) -> None:
    """Check that a kind of step from an allowed state within bounds makes no value leave its
    bounds. Raises NotShown."""
    allowed.once("bounds", what, (), lambda: allowed.side(what).refuse(
        what, faults(allowed.side(what), what), f"`{what.name}` may leave bounds"))


def faults(allowed: Inductive, what: Action | Phase) -> list[Wrong]:
    """Return what may go wrong in a kind of step: one entry for each known kind of fault, then one
    for any other."""
    found = list(dict.fromkeys(map(_kind, allowed.step(what).faults)))
    return allowed.made("faults", what, (), lambda: [*(partial(_happens, (kind,), True) for kind in found),
                                                    partial(_happens, tuple(found), False)])


def _happens(kinds: Sequence[tuple[str, Place]], among: bool, step: Step, _: Cells) -> Truth:
    """Return the formula that a step has a fault among these kinds, or (if not `among`) of any
    other kind."""
    return disj(f.when for f in step.faults if (_kind(f) in kinds) == among)


def _kind(fault: Fault) -> tuple[str, Place]:
    return fault.message, fault.place


def _no_dead_end(allowed: Inductive) -> None:
    reading = allowed.reading
    for phase in allowed.game.phases:
        if not phase.automatic:
            cells = [phase.number, 0, *allowed.state[2:]]
            steps = [reading.step(a, cells, a.values(i)) for a in phase.actions
                     for i in range(a.first, a.first + a.count)]
            stuck = neg(disj(s.legal for s in steps))
            refuse([*allowed.assumed(cells), conj([stuck])], allowed.integers, f"a dead end in phase `{phase.name}`")


__all__ = ["Invariant", "Sound", "behind_steps", "excluded", "within_bounds"]

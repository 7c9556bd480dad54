"""Counts and distances: how many states of a game meet a condition, and how far from the start they are.

The theorem: the states in which somebody is to act or the game is over, and that some game comes to, are
the least set that holds the start and, with each state, every state that one decision leads to. Layer 0 is
the start; the next layer is what one decision leads to from a layer, without the states of all layers before.
So a state lies in layer n if and only if n decisions lead to it and no fewer do, and each state lies in one
layer. The check makes the layers itself. Its premises are those of an exploration: the reading is the
interpreter's, and `states` is the size of the set, which decides who reads it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from playproof.language import Game, Interpreter, RulesError, Term
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.columns import Columns
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.exploration import (
    FEW_STATES,
    VECTORS,
    Edges,
    Plainly,
    keys,
    narrow,
)
from playproof.verifier.kernel.statements import About, Event, Statement

MOST_COUNTED = 5_000_000
"""States that are counted, not kept with their moves, are read in columns up to so many."""
_AT_ONCE = 50_000


@dataclass(frozen=True)
class Numbered(About):
    """So many of the states that games come to meet the event."""

    kind: ClassVar[str] = "numbered"
    event: Event
    number: int

    def said(self, so: bool) -> str:
        """Say how many states there are."""
        states = "state meets" if self.number == 1 else "states meet"
        return f"{'' if so else 'not '}{self.number:,} {states}: {self.event.words()}"


@dataclass(frozen=True)
class Count(Certificate):
    """Of the `states` that games come to, `number` meet the event."""

    kind: ClassVar[str] = "count"
    event: Event
    states: int
    number: int

    def leans_on(self) -> str:
        """Return what enumerates the states: the interpreter for few, the vector reading for many."""
        return VECTORS if self.states > FEW_STATES else self.rests

    def statement(self) -> Statement:
        """State how many states meet the event."""
        return Statement(Numbered(self.event, self.number))

    def check(self, game: Game, context: Context) -> None:
        """Enumerate the states and count those that meet the event. Raises NotShown."""
        condition = condition_of(game, self.event)
        states, number, _ = counted(*_begun(game, condition, self.states), min(self.states, MOST_COUNTED))
        if (states, number) != (self.states, self.number):
            raise NotShown(
                f"{number:,} of {states:,} states meet it, the evidence speaks of {self.number:,} of "
                f"{self.states:,}"
            )


@dataclass(frozen=True)
class Away(About):
    """Of the states that meet the event, the one nearest to the start (if `far`, the farthest one) is `number`
    decisions away by the shortest way."""

    kind: ClassVar[str] = "away"
    event: Event
    far: bool
    number: int

    def said(self, so: bool) -> str:
        """Say how far away it is."""
        which = "farthest" if self.far else "nearest"
        decisions = "1 decision" if self.number == 1 else f"{self.number:,} decisions"
        return f"{'' if so else 'not '}{decisions} to the {which} state with: {self.event.words()}"


@dataclass(frozen=True)
class Distance(Certificate):
    """The nearest (if `far`, the farthest) state that meets the event is `number` decisions away; so many `states`
    are not farther (if `far`, there are so many in all)."""

    kind: ClassVar[str] = "distance"
    event: Event
    far: bool
    states: int
    number: int

    def leans_on(self) -> str:
        """Return what enumerates the states, as a count does."""
        return VECTORS if self.states > FEW_STATES else self.rests

    def statement(self) -> Statement:
        """State how far the state is."""
        return Statement(Away(self.event, self.far, self.number))

    def check(self, game: Game, context: Context) -> None:
        """Go through the layers. Raises NotShown."""
        if self.number < 0:  # so `distance` says that no state meets the event
            raise NotShown("a distance is no negative number")
        most = min(self.states, MOST_COUNTED)
        if distance(game, self.event, self.far, most, context) != (self.states, self.number):
            raise NotShown(f"{self.states:,} states and {self.number:,} decisions are not what there is")


def condition_of(game: Game, event: Event) -> Term:
    """Return the condition of an event on states. Raises NotShown if it is about actions."""
    target = event.target(game)
    if target.idents is not None:
        raise NotShown("states are counted, not actions")
    return target.condition


def distance(game: Game, event: Event, far: bool, most: int, context: Context) -> tuple[int, int]:
    """Return how many states were gone through, and how many decisions the nearest or the farthest state that meets
    the event is away, -1 if none of them does. Raises NotShown if there are more than `most`, or if the rules
    break."""
    condition = condition_of(game, event)

    def made() -> tuple[int, int]:
        reader, _, start = _begun(game, condition, most)
        states, met = 0, -1
        for number, layer in enumerate(layers(reader, start, most)):
            states += len(layer)
            met = number if _met(reader, condition, layer) else met
            if met == number and not far:
                break
        return states, met

    return context.once(game, ("distance", event.key, far, most <= FEW_STATES), made)


def _begun(game: Game, condition: Term, states: int) -> tuple[Plainly | Columns, Term, Edges]:
    """Return who reads so many states, the condition, and the start."""
    reader = Plainly(game) if states <= FEW_STATES else Columns(game, [condition])
    return reader, condition, np.array([Interpreter(game).start()], dtype=narrow(game))


def counted(
    reader: Plainly | Columns, condition: Term, start: Edges, most: int, phases: Sequence[int] = ()
) -> tuple[int, int, int]:
    """Return how many states play comes to from a start, how many of them meet a condition, and in how many
    one of the phases is under way. Raises NotShown if there are more than `most`, or if the rules break."""
    states = met = under_way = 0
    for layer in layers(reader, start, most):
        states += len(layer)
        met += _met(reader, condition, layer)
        under_way += int(np.isin(layer[layer[:, 1] == 0, 0], phases).sum())
    return states, met, under_way


def _met(reader: Plainly | Columns, condition: Term, states: Edges) -> int:
    """Return how many of the states meet a condition."""
    return sum(int(np.count_nonzero(reader.values(condition, block))) for block in _blocks(states))


def _blocks(states: Edges) -> list[Edges]:
    return [states[first : first + _AT_ONCE] for first in range(0, len(states), _AT_ONCE)]


def layers(reader: Plainly | Columns, start: Edges, most: int) -> Iterator[Edges]:
    """Yield the states that are 0, 1, 2 and more decisions away from a start by the shortest way. No moves are
    kept, so that more states fit. Raises NotShown if there are more than `most`, or if the rules break."""
    layer, seen = start, set(keys(start))
    try:
        while len(layer):
            yield layer
            fresh = [layer[:0]]
            for block in _blocks(layer):
                for _, _, after in reader.steps(block[block[:, 1] == 0]):
                    fresh.append(_new(seen, after.astype(start.dtype)))
                    if len(seen) > most:
                        raise NotShown(f"there are more than {most:,} states")
            layer = np.concatenate(fresh)
    except RulesError as error:
        raise NotShown(f"the rules break on the way: {error.message}") from None


def _new(seen: set[object], states: Edges) -> Edges:
    """Return the states that were not seen before; `seen` takes them up."""
    new = []
    for row, key in enumerate(keys(states)):
        if key not in seen:
            seen.add(key)
            new.append(row)
    return states[new]

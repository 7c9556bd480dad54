"""Counts: how many states of a game meet a condition.

The theorem: the states in which somebody is to act or the game is over, and that some game comes to, are
the least set that holds the start and, with each state, every state that one decision leads to. The check
makes that set itself and counts. Its premises are those of an exploration: the reading is the
interpreter's, and `states` is the size of the set, which decides who reads it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from playproof.language import Game, Interpreter, RulesError, Term
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.columns import Columns
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.exploration import (
    FEW_STATES,
    MOST_STATES,
    VECTORS,
    Edges,
    explored,
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
    YES = "states that meet {event}: {number}"
    event: Event
    number: int


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
        target = self.event.target(game)
        if target.idents is not None:
            raise NotShown("states are counted, not actions")
        if self.states > MOST_STATES:
            start = np.array([Interpreter(game).start()], dtype=narrow(game))
            reader, most = Columns(game, [target.condition]), min(self.states, MOST_COUNTED)
            states, number, _ = counted(reader, target.condition, start, most)
        else:
            graph = explored(game, self.states, context)
            states, number = len(graph.cells), int(np.count_nonzero(graph.holds(game, target.condition)))
        if (states, number) != (self.states, self.number):
            raise NotShown(
                f"{number:,} of {states:,} states meet it, the evidence speaks of {self.number:,} of "
                f"{self.states:,}"
            )


def counted(
    reader: Columns, condition: Term, start: Edges, most: int, phases: Sequence[int] = ()
) -> tuple[int, int, int]:
    """Return how many states play comes to from a start, how many of them meet a condition, and in how many
    one of the phases is under way. No moves are kept, so that more states fit. Raises NotShown if there are
    more than `most`, or if the rules break."""
    todo, seen, met, under_way = start, set(keys(start)), 0, 0
    try:
        while len(todo):
            block, todo = todo[:_AT_ONCE], todo[_AT_ONCE:]
            live = block[block[:, 1] == 0]
            met += int(np.count_nonzero(reader.values(condition, block)))
            under_way += int(np.isin(live[:, 0], phases).sum())
            fresh: list[Edges] = [todo]
            for _, _, after in reader.steps(live):
                fresh.append(_new(seen, after.astype(start.dtype)))
                if len(seen) > most:
                    raise NotShown(f"there are more than {most:,} states")
            todo = np.concatenate(fresh)
    except RulesError as error:
        raise NotShown(f"the rules break on the way: {error.message}") from None
    return len(seen), met, under_way


def _new(seen: set[object], states: Edges) -> Edges:
    """Return the states that were not seen before; `seen` takes them up."""
    new = []
    for row, key in enumerate(keys(states)):
        if key not in seen:
            seen.add(key)
            new.append(row)
    return states[new]

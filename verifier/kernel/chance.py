"""Chances: lower and upper bounds on the chance of an event, as fixed points that one sweep
confirms.

One seat wants the event and all others are against it. Play that goes on for ever counts as not
reaching it. Let T be one step of best play (1 at the event, 0 in any other end). The chance is the
least fixed point of T, so

    from above     any `upper` with T(upper) <= upper and 0 <= upper bounds it. Below 0 it does not:
                   in a circle every number bounds itself;
    from below     `lower` <= T(lower) alone does not, since play may go in circles at any height.
                   The `ranks` exclude that. From every state whose `lower` is positive, the
                   seeker can move, the others must move, and chance may move to a state of lower
                   rank, to the event, or to a state whose `lower` is 0 (for which nothing is
                   claimed). So play that follows the ranks ends with probability 1.

The premises, and where they are checked: every bound lies in 0..1 (`_listed`); every state that play
reaches is there once, and no other (`check` counts them); each weight is greater than 0, and every
state in which play goes on has a successor (`places`); T's steps themselves (`sweep`).

States are numbered in the order of their cells, so that a certificate lists numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import ClassVar

import numpy as np

from playproof.language import CHANCE, Game, Term
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.exploration import FEW_STATES, MOST_STATES, VECTORS, Edges, explored
from playproof.verifier.kernel.statements import Event, Statement, Worth

COUNTS = MappingProxyType({"best": "most", "worst": "least", "mean": "mean"})
"""How an edge of chance counts under each kind of luck."""
SEE_ALL = "players who see all cards"
Edge = tuple[int, int]
"""The number of a successor state, and its weight."""


@dataclass(frozen=True)
class Place:
    """One state. `worth` is 1 at the event, 0 in any other end, and None if play goes on.

    `chooses` says how the edges count: "most" (the seeker acts, or chance at its best), "least", or
    "mean" (also in ends).
    """

    worth: int | None
    chooses: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class ChanceBounds(Certificate):
    """Bounds on the chance that `seat` brings about the event. `upper`, `lower` and `ranks` have
    one entry for each state; the bounds are indices into `values`. `start` is the number of the
    first state."""

    kind: ClassVar[str] = "chance"
    event: Event
    chance: str
    seat: int
    values: tuple[Fraction, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    ranks: tuple[int, ...]
    start: int

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """The lower and the upper bound at the start."""
        return self.values[self.lower[self.start]], self.values[self.upper[self.start]]

    def leans_on(self) -> str:
        """Return the interpreter if there are few states, else the vector reading."""
        return self.rests if len(self.upper) <= FEW_STATES else VECTORS

    def statement(self) -> Statement:
        """State that the chance lies between the two bounds of the start."""
        low, high = self.bounds if self._listed() else (Fraction(0), Fraction(1))
        return Statement(Worth(self.event, self.chance, self.seat, low, high))

    def check(self, game: Game, context: Context) -> None:
        """Check that one step of best play keeps the bounds of every state. Raises NotShown."""
        target = self.event.target(game)
        if target.idents is not None:
            raise NotShown("chances are of conditions, not of actions")
        if self.chance not in COUNTS or not 0 <= self.seat < game.players:
            raise NotShown(f"there is no luck `{self.chance[:40]}` for seat {self.seat}")
        if not self._listed():
            raise NotShown("expected chances from 0 to 1, and for each state two of them and a rank")
        found, start = places(game, target.condition, self.chance, self.seat, context, len(self.upper))
        if (len(found), start) != (len(self.upper), self.start):
            raise NotShown(f"the game has {len(found):,} states, the evidence speaks of others")
        fault = self.sweep(found)
        if fault:
            raise NotShown(fault)

    def _listed(self) -> bool:
        same_length = len(self.upper) == len(self.lower) == len(self.ranks)
        numbers = all(0 <= n < len(self.values) for n in (*self.upper, *self.lower))
        chances = all(0 <= value <= 1 for value in self.values)
        return same_length and numbers and chances and 0 <= self.start < len(self.upper)

    def sweep(self, found: Sequence[Place]) -> str:
        """Return why one step of best play among these states does not keep the bounds, or ""."""
        for number, place in enumerate(found):
            if not self._above(number, place):
                return f"state {number}: best play may do better than the bound from above"
            if not self._below(number, place):
                return f"state {number}: the bound from below is not reached"
        return ""

    def _above(self, number: int, place: Place) -> bool:
        """Return whether T(upper) <= upper in this state."""
        mine = self.values[self.upper[number]]
        if place.worth is not None:
            return mine >= place.worth
        following = [self.values[self.upper[to]] for to, _ in place.edges]
        if place.chooses == "most":
            return all(mine >= x for x in following)
        if place.chooses == "least":
            return any(mine >= x for x in following)
        return mine * _total(place) >= sum(x * w for x, (_, w) in zip(following, place.edges, strict=True))

    def _below(self, number: int, place: Place) -> bool:
        """Return whether lower <= T(lower) in this state, and its moves lower the rank as the
        module says."""
        mine = self.values[self.lower[number]]
        if mine <= 0 or place.worth is not None:
            return mine <= (place.worth or 0)
        following = [
            (self.values[self.lower[to]], self.ranks[to] < self.ranks[number]) for to, _ in place.edges
        ]
        if place.chooses == "most":
            return any(mine <= x and falls for x, falls in following)
        if place.chooses == "least":
            return all(mine <= x and falls for x, falls in following)
        enough = mine * _total(place) <= sum(
            x * w for (x, _), (_, w) in zip(following, place.edges, strict=True)
        )
        return enough and any(falls or x <= 0 for x, falls in following)


def _total(place: Place) -> int:
    return sum(w for _, w in place.edges)


def _in_order(cells: Edges) -> Edges:
    """Return the rows in the order of their cells; plain objects have no order of their own."""
    if cells.dtype == np.object_:
        return np.array(sorted(range(len(cells)), key=cells.tolist().__getitem__))
    return np.lexsort(cells.T[::-1])


def places(
    game: Game, event: Term, chance: str, seat: int, context: Context, most: int = MOST_STATES
) -> tuple[list[Place], int]:
    """Return every state that play reaches, in the order of its cells, and the number of the first.
    Raises NotShown if there are more than `most`."""
    graph = explored(game, most, context)
    reached, actors, weights = graph.holds(game, event), graph.actors(game), graph.weights(game)
    order = _in_order(graph.cells)
    number = np.argsort(order)
    found = []
    for row in order.tolist():
        moves = slice(graph.first[row], graph.first[row + 1])
        if reached[row] or moves.start == moves.stop:
            found.append(Place(int(reached[row]), "mean", ()))
            continue
        actor = int(actors[row])
        chooses = COUNTS[chance] if actor == CHANCE else "most" if actor == seat else "least"
        edges = tuple(zip(number[graph.edges[moves, 2]].tolist(), weights[moves].tolist(), strict=True))
        if any(weight <= 0 for _, weight in edges):
            raise NotShown("a result of chance has no weight")
        found.append(Place(None, chooses, edges))
    return found, int(number[0])

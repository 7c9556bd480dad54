"""A certificate about a chance game: what the chance is at least and at most, as fixed points that one sweep confirms.

One seat wants the target, all others are against it; what goes on for ever counts as not reached. Let T be one step of
best play (1 where the target holds, 0 in any other end). The chance is the least fixed point of T, so

    from above     any `upper` with T(upper) <= upper bounds it;
    from below     `lower` <= T(lower) alone does not, for play may go in circles at any height. The `ranks` close
                   that: from every state whose `lower` is positive the seeker can move, the others must move, and
                   chance may move to a state of lower rank, to the target, or to where `lower` is 0 (for which
                   nothing is claimed). So play that follows them comes to an end with certainty.

States are found by the interpreter and numbered in the order of their cells, so that a certificate lists numbers only.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from playproof.rules.language import CHANCE, Game, Interpreter, Term

MOST_STATES = 200_000
"""More than these are not walked by the interpreter."""
_FRACTION = re.compile(r"-?\d{1,400}(/[1-9]\d{0,400})?")
LUCKS = ("best", "worst", "mean")
Cells = tuple[int, ...]
Edge = tuple[int, int]
"""The number of a state that may follow, and its weight."""


@dataclass(frozen=True, slots=True)
class Place:
    """One state of the game: `worth` is 1 at the target, 0 in any other end, None where play goes on.

    `chooses` says how its edges count: "most" (the seeker, or chance at its best), "least" or "mean" (and in ends).
    """

    worth: int | None
    chooses: str
    edges: tuple[Edge, ...]


@dataclass(frozen=True, slots=True)
class ChanceBounds:
    """The certificate. `upper`, `lower` and `ranks` have one entry a state; the bounds are numbers of `values`."""

    luck: str
    seat: int
    values: tuple[Fraction, ...]
    upper: tuple[int, ...]
    lower: tuple[int, ...]
    ranks: tuple[int, ...]
    start: int

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        """What is shown of the start: at least, at most."""
        return self.values[self.lower[self.start]], self.values[self.upper[self.start]]

    @staticmethod
    def read(data: Mapping[str, Any]) -> ChanceBounds:
        """The certificate as a file keeps it; raises ValueError for anything else."""
        keys = {"kind", "luck", "seat", "values", "upper", "lower", "ranks", "start"}
        if set(data) != keys or data["kind"] != "chance" or not isinstance(data["luck"], str):
            raise ValueError(f"expected a chance certificate with {', '.join(sorted(keys))}")
        values = tuple(_fraction(text) for text in data["values"])
        upper, lower, ranks = (_numbers(data[key]) for key in ("upper", "lower", "ranks"))
        seat, start = _numbers([data["seat"], data["start"]])
        if not 0 <= start < len(upper) or not all(0 <= i < len(values) for i in (*upper, *lower)):
            raise ValueError("a state has a value that is not listed")
        return ChanceBounds(data["luck"], seat, values, upper, lower, ranks, start)

    def as_json(self) -> dict[str, Any]:
        """The certificate as a file keeps it: fractions are texts such as `1/3`."""
        return {"kind": "chance", "luck": self.luck, "seat": self.seat, "values": [str(v) for v in self.values],
                "upper": list(self.upper), "lower": list(self.lower), "ranks": list(self.ranks), "start": self.start}

    def statement(self) -> str:
        """What the certificate shows, in words."""
        low, high = self.bounds
        how = {"mean": "chance falling as it does", "best": "with any luck", "worst": "against all luck"}[self.luck]
        amount = f"exactly {low}" if low == high else f"at least {low} and at most {high}"
        return f"for players who see all cards, {how}, best play by seat {self.seat} reaches it with chance {amount}"

    def check(self, game: Game, target: Term) -> str:
        """Why the certificate shows nothing of this game and target, or ""."""
        if self.luck not in LUCKS or not 0 <= self.seat < game.players:
            return f"luck `{self.luck}` and seat {self.seat} are not understood"
        states = reachable(game, target)
        if states is None:
            return f"there are more than {MOST_STATES:,} states"
        count = len(states)
        if not count == len(self.upper) == len(self.lower) == len(self.ranks):
            return f"the game has {count} states, the certificate speaks of {len(self.upper)}"
        if self.start != sorted(states).index(tuple(Interpreter(game).start())):
            return "the start is another state"
        return self.sweep(numbered(game, target, states, self.luck, self.seat))

    def sweep(self, places: Sequence[Place]) -> str:
        """Why these bounds are not kept by one step of best play among these states, or ""."""
        for number, place in enumerate(places):
            if not self._above(number, place):
                return f"state {number}: best play may do better than the bound from above"
            if not self._below(number, place):
                return f"state {number}: the bound from below is not reached"
        return ""

    def _above(self, number: int, place: Place) -> bool:
        """T(upper) <= upper, here."""
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
        """lower <= T(lower), here, with a way down the ranks."""
        mine = self.values[self.lower[number]]
        if mine <= 0 or place.worth is not None:
            return mine <= (place.worth or 0)
        following = [(self.values[self.lower[to]], self.ranks[to] < self.ranks[number]) for to, _ in place.edges]
        if place.chooses == "most":
            return any(mine <= x and falls for x, falls in following)
        if place.chooses == "least":
            return all(mine <= x and falls for x, falls in following)
        enough = mine * _total(place) <= sum(x * w for (x, _), (_, w) in zip(following, place.edges, strict=True))
        return enough and any(falls or x <= 0 for x, falls in following)


def _fraction(text: Any) -> Fraction:
    if not isinstance(text, str) or not _FRACTION.fullmatch(text):
        raise ValueError(f"{text!r} is no fraction such as `1/3`")
    return Fraction(text)


def _numbers(given: Any) -> tuple[int, ...]:
    if not isinstance(given, list) or any(type(n) is not int for n in given):
        raise ValueError("expected a list of whole numbers")
    return tuple(given)


def _total(place: Place) -> int:
    return sum(w for _, w in place.edges)


def reachable(game: Game, target: Term) -> dict[Cells, list[tuple[Cells, int]]] | None:
    """Every state that play can come to, with what may follow it and how likely; the target is not played beyond.
    None where there are too many."""
    play = Interpreter(game)
    start = tuple(play.start())
    found: dict[Cells, list[tuple[Cells, int]]] = {start: []}
    todo = [start]
    while todo:
        state = todo.pop()
        if play.value(target, state):
            continue
        for ident in play.legal(state):
            after = tuple(play.apply(state, ident))
            found[state].append((after, play.weight(state, ident)))
            if after not in found:
                found[after] = []
                todo.append(after)
        if len(found) > MOST_STATES:
            return None
    return found


def numbered(game: Game, target: Term, states: dict[Cells, list[tuple[Cells, int]]], luck: str,
             seat: int) -> list[Place]:
    """The states in the order of their cells."""
    play, order = Interpreter(game), sorted(states)
    number = {state: n for n, state in enumerate(order)}
    places = []
    for state in order:
        edges = tuple((number[after], weight) for after, weight in states[state])
        if play.value(target, state) or not edges:
            places.append(Place(int(bool(play.value(target, state))), "mean", ()))
            continue
        actor = play.actor(state)
        chance = {"best": "most", "worst": "least", "mean": "mean"}[luck]
        places.append(Place(None, chance if actor == CHANCE else "most" if actor == seat else "least", edges))
    return places


__all__ = ["LUCKS", "MOST_STATES", "ChanceBounds", "Place", "numbered", "reachable"]

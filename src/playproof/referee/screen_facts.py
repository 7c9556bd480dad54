"""What a game declares about its looks on a screen, all optional: `g.fact(...)`.

names={"have": ["food", "gold"], "hand": [None, KINDS]}   an array's places: one list, or one per dimension
values={"owner": ["nobody", "blue", "red"]}               a number's values in words
titles={"slot": "locations"}                              a field's title, if its name is not enough
grid={"board": 3}                                         a board's columns, or its rows (None is a gap)
boards=[{...}]                                            a board of several fields (shared_boards.py)
texts={"region": "{colour} {level}"}                      a line made of fields, which are not drawn elsewhere
each=["row"]                                              drawn place by place (`1: rope`), not grouped by value
sizes={"hand": "hand_size"}                               the public number of things in a hidden array
totals=["deck"]                                           drawn only as a number
common=["row"]                                            shared, although it has one place per seat
beside={"slot": "guard"}                                  the field drawn next to the thing a value names
only={"dice": "fighting"}                                 drawn only while that quantity is not 0
hidden=["at"]                                             bookkeeping, never drawn
show=["points"]                                           quantities drawn under the table
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from playproof.language.fields import Field
from playproof.language.game import Game

UNKNOWN = "?"
Cells = Sequence[int | None]


@dataclass(frozen=True)
class Look:
    """The facts about drawing. A fact that is not declared is empty."""

    game: Game
    names: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    values: Mapping[str, Sequence[str]] = field(default_factory=dict)
    titles: Mapping[str, str] = field(default_factory=dict)
    grid: Mapping[str, int | list[list[int | None]]] = field(default_factory=dict)
    boards: Sequence[Mapping[str, Any]] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    each: Sequence[str] = ()
    sizes: Mapping[str, str] = field(default_factory=dict)
    totals: Sequence[str] = ()
    common: Sequence[str] = ()
    beside: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, game: Game) -> Look:
        """Return what a game declares."""
        wanted = {name for name in cls.__dataclass_fields__ if name != "game"}
        return cls(game, **{name: cast(Any, value) for name, value in game.facts.items() if name in wanted})

    def title(self, name: str) -> str:
        """Return a field's title on the table."""
        return self.titles.get(name, name.replace("_", " ").removesuffix(" bag"))

    def words(self, held: Field) -> Sequence[str]:
        """Return the names of a field's values: those declared for drawing, else its labels."""
        return self.values.get(held.name, held.labels)

    def by_seat(self, held: Field) -> bool:
        """Return whether each seat has its own part of an array."""
        several = self.game.players > 1 and bool(held.shape) and held.shape[0] == self.game.players
        return several and held.name not in self.common

    def word(self, held: Field, value: int | None) -> str:
        """Return a value as it is drawn."""
        words = self.words(held)
        if value is None:
            return UNKNOWN
        return words[value - held.lo] if words else str(value)

    def axis(self, held: Field, dimension: int) -> Sequence[str] | None:
        """Return the declared names of an array's places along a dimension, or None."""
        declared = self.names.get(held.name)
        if declared is None:
            return None
        if all(isinstance(name, str) for name in declared):
            return declared if dimension == len(held.shape) - 1 else None
        chosen: Sequence[str] | None = declared[dimension]
        return chosen

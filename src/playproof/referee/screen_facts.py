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
VisibleCells = Sequence[int | None]


@dataclass(frozen=True)
class DisplayFacts:
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
    def from_game(cls, game: Game) -> DisplayFacts:
        """Return what a game declares."""
        wanted = {name for name in cls.__dataclass_fields__ if name != "game"}
        return cls(game, **{name: cast(Any, value) for name, value in game.facts.items() if name in wanted})

    def get_field_title(self, name: str) -> str:
        """Return a field's title on the table."""
        return self.titles.get(name, name.replace("_", " ").removesuffix(" bag"))

    def get_value_names(self, game_field: Field) -> Sequence[str]:
        """Return the names of a field's values: those declared for drawing, else its labels."""
        return self.values.get(game_field.name, game_field.labels)

    def has_part_per_seat(self, game_field: Field) -> bool:
        """Return whether each seat has its own part of an array."""
        several = (
            self.game.players > 1 and bool(game_field.shape) and game_field.shape[0] == self.game.players
        )
        return several and game_field.name not in self.common

    def format_value(self, game_field: Field, value: int | None) -> str:
        """Return a value as it is drawn."""
        words = self.get_value_names(game_field)
        if value is None:
            return UNKNOWN
        return words[value - game_field.lo] if words else str(value)

    def get_place_names(self, game_field: Field, dimension: int) -> Sequence[str] | None:
        """Return the declared names of an array's places along a dimension, or None."""
        declared = self.names.get(game_field.name)
        if declared is None:
            return None
        if all(isinstance(name, str) for name in declared):
            return declared if dimension == len(game_field.shape) - 1 else None
        chosen: Sequence[str] | None = declared[dimension]
        return chosen

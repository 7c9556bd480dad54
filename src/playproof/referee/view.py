"""The part of a state that a seat sees: the visible cells, and what a game declares about its looks on
a screen.

A field declares its visibility once (`sees=`). `playproof.referee.observations` says
what a seat sees happen and all it has seen so far.

What a game declares about its looks on a screen, all optional: `g.fact(...)`.

names={"have": ["food", "gold"], "hand": [None, KINDS]}   an array's places: one list, or one per dimension
values={"owner": ["nobody", "blue", "red"]}               a number's values in words
titles={"slot": "locations"}                              a field's title, if its name is not enough
grid={"board": 3}                                         a board's columns, or its rows (None is a gap)
boards=[{...}]                                            a board of several fields (field_rendering.py)
texts={"region": "{colour} {level}"}                      a line made of fields, which are not drawn elsewhere
each=["row"]                                              drawn place by place (`1: rope`), not grouped by value
sizes={"hand": "hand_size"}                               the public number of things in a hidden array
totals=["deck"]                                           drawn only as a number
common=["row"]                                            shared, although it has one place per seat
beside={"slot": "guard"}                                  the field drawn next to the thing a value names
only={"dice": "fighting"}                                 drawn only while that quantity is not 0
hidden=["at"]                                             bookkeeping, never drawn
show=["points"]                                           quantities drawn under the table"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, cast

from playproof.language import Interpreter
from playproof.language.expr import Read, Term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.statements import find_fields_term_depends_on

# The part of a state that a seat sees: the visible cells.


SeatOrReferee = int | None
"""A seat, or None for the referee, who sees everything."""


@dataclass(frozen=True, slots=True)
class View:
    """A state as one seat sees it. `cells` holds None for each hidden cell."""

    seat: SeatOrReferee
    cells: tuple[int | None, ...]

    @classmethod
    def of(cls, game: Game, state: Sequence[int], seat: SeatOrReferee) -> View:
        """Return what `seat` sees of a state (None: everything, as the referee does)."""
        if seat is None:
            return cls(seat, tuple(state))
        mask = get_flags_of_cells_seat_may_see(game, seat)
        return cls(seat, tuple(v if seen else None for v, seen in zip(state, mask, strict=True)))


def get_flags_of_cells_seat_may_see(game: Game, seat: int) -> tuple[bool, ...]:
    """Return for each cell of the flat state whether that seat sees it."""
    return _compute_visibility_mask(id(game), game, seat)


@lru_cache(maxsize=256)
def _compute_visibility_mask(_: int, game: Game, seat: int) -> tuple[bool, ...]:
    return tuple(seen for field in game.fields for seen in field.make_mask_of_cells_seen_by_seat(seat, game.players))


def list_fields_drawn_on_table(game: Game) -> list[Field]:
    """Return the fields that the table draws.

    The heading already shows who acts and the phase. Bookkeeping is left out: every field with a
    leading underscore, the fields named by `g.fact(hidden=[...])`, and remembered phases.
    """
    hidden = {"phase", "outcome", *game.facts.get("hidden", ())}
    hidden |= {phase.actor.field.name for phase in game.phases if isinstance(phase.actor, Read)}
    phases = tuple(p.name for p in game.phases)
    return [f for f in game.fields if f.name not in hidden and not f.name.startswith("_") and f.labels != phases]


def has_fields_hidden_from_any_seat(game: Game) -> bool:
    """Return whether any field is hidden from any seat."""
    return any(not all(get_flags_of_cells_seat_may_see(game, seat)) for seat in range(game.players))


def can_seat_see_all_fields_of_term(game: Game, term: Term, seat: int) -> bool:
    """Return whether a seat may know a quantity's value: the seat sees every field it reads as a
    whole."""
    mask = get_flags_of_cells_seat_may_see(game, seat)
    return all(all(mask[f.offset : f.offset + f.size]) for f in find_fields_term_depends_on(term))


_WIDTH = 100


def format_table_as_lines(play: Interpreter, state: Sequence[int], seat: SeatOrReferee = None) -> str:
    """Return one line per field, as a seat sees it. Leaves out runs of zeros in long arrays."""
    game = play.game
    view = View.of(game, state, seat)
    lines = [f"phase: {game.phases[state[0]].text}"]
    for drawn in list_fields_drawn_on_table(game):
        text = _format_field_cells(drawn, view.cells[drawn.offset : drawn.offset + drawn.size])
        if text:
            lines.append(f"{drawn.name.replace('_', ' ')}: {text}"[:_WIDTH])
    return "\n".join(lines)


def _format_field_cells(field: Field, cells: Sequence[int | None]) -> str:
    if not field.shape:
        return _format_cell_or_question_mark(field, cells[0])
    if field.size <= 12:
        return " ".join(_format_cell_or_question_mark(field, c) for c in cells)
    filled = [f"{n}={_format_cell_or_question_mark(field, c)}" for n, c in enumerate(cells) if c]
    return " ".join(filled)


def _format_cell_or_question_mark(field: Field, value: int | None) -> str:
    return "?" if value is None else field.format_value(value)


# -- screen facts --------------------------------------------------------------------------------------------
# What a game declares about its looks on a screen, all optional: `g.fact(...)`.

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

    def get_field_title(self, field_name: str) -> str:
        """Return a field's title on the table."""
        return self.titles.get(field_name, field_name.replace("_", " ").removesuffix(" bag"))

    def get_names_of_field_values(self, game_field: Field) -> Sequence[str]:
        """Return the names of a field's values: those declared for drawing, else its labels."""
        return self.values.get(game_field.name, game_field.labels)

    def has_separate_part_per_seat(self, game_field: Field) -> bool:
        """Return whether each seat has its own part of an array."""
        several = self.game.players > 1 and bool(game_field.shape) and game_field.shape[0] == self.game.players
        return several and game_field.name not in self.common

    def format_field_value(self, game_field: Field, value: int | None) -> str:
        """Return a value as it is drawn."""
        words = self.get_names_of_field_values(game_field)
        if value is None:
            return UNKNOWN
        return words[value - game_field.lo] if words else str(value)

    def get_declared_place_names_or_none(self, game_field: Field, dimension: int) -> Sequence[str] | None:
        """Return the declared names of an array's places along a dimension, or None."""
        declared = self.names.get(game_field.name)
        if declared is None:
            return None
        if all(isinstance(name, str) for name in declared):
            return declared if dimension == len(game_field.shape) - 1 else None
        chosen: Sequence[str] | None = declared[dimension]
        return chosen

"""The part of a state that a seat sees: the visible cells.

A field declares its visibility once (`sees=`). `playproof.referee.witness` says what a seat sees
happen, `playproof.referee.information` all it has seen so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from playproof.language import Interpreter
from playproof.language.expr import Read, Term
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.language.walks import find_fields_read


@dataclass(frozen=True, slots=True)
class View:
    """A state as one seat sees it. `cells` holds None for each hidden cell."""

    seat: int | None
    cells: tuple[int | None, ...]

    @classmethod
    def of(cls, game: Game, state: Sequence[int], seat: int | None) -> View:
        """Return what `seat` sees of a state (None: everything, as the referee does)."""
        if seat is None:
            return cls(seat, tuple(state))
        mask = get_visibility_mask(game, seat)
        return cls(seat, tuple(v if seen else None for v, seen in zip(state, mask, strict=True)))


def get_visibility_mask(game: Game, seat: int) -> tuple[bool, ...]:
    """Return for each cell of the flat state whether that seat sees it."""
    return _compute_visibility_mask(id(game), game, seat)


@lru_cache(maxsize=256)
def _compute_visibility_mask(_: int, game: Game, seat: int) -> tuple[bool, ...]:
    return tuple(seen for field in game.fields for seen in field.make_visibility_mask(seat, game.players))


def list_drawn_fields(game: Game) -> list[Field]:
    """Return the fields that the table draws.

    The heading already shows who acts and the phase. Bookkeeping is left out: every field with a
    leading underscore, the fields named by `g.fact(hidden=[...])`, and remembered phases.
    """
    hidden = {"phase", "outcome", *game.facts.get("hidden", ())}
    hidden |= {phase.actor.field.name for phase in game.phases if isinstance(phase.actor, Read)}
    phases = tuple(p.name for p in game.phases)
    return [
        f for f in game.fields if f.name not in hidden and not f.name.startswith("_") and f.labels != phases
    ]


def has_hidden_fields(game: Game) -> bool:
    """Return whether any field is hidden from any seat."""
    return any(not all(get_visibility_mask(game, seat)) for seat in range(game.players))


def can_see_term(game: Game, term: Term, seat: int) -> bool:
    """Return whether a seat may know a quantity's value: the seat sees every field it reads as a
    whole."""
    mask = get_visibility_mask(game, seat)
    return all(all(mask[f.offset : f.offset + f.size]) for f in find_fields_read(term))


_WIDTH = 100


def format_position(play: Interpreter, state: Sequence[int], seat: int | None = None) -> str:
    """Return one line per field, as a seat sees it. Leaves out runs of zeros in long arrays."""
    game = play.game
    view = View.of(game, state, seat)
    lines = [f"phase: {game.phases[state[0]].text}"]
    for field in list_drawn_fields(game):
        text = _format_field(field, view.cells[field.offset : field.offset + field.size])
        if text:
            lines.append(f"{field.name.replace('_', ' ')}: {text}"[:_WIDTH])
    return "\n".join(lines)


def _format_field(field: Field, cells: Sequence[int | None]) -> str:
    if not field.shape:
        return _format_cell(field, cells[0])
    if field.size <= 12:
        return " ".join(_format_cell(field, c) for c in cells)
    filled = [f"{n}={_format_cell(field, c)}" for n, c in enumerate(cells) if c]
    return " ".join(filled)


def _format_cell(field: Field, value: int | None) -> str:
    return "?" if value is None else field.format_value(value)

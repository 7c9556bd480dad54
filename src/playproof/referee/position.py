"""A state in a few lines of words, for error messages and for readers of transcripts."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.language import Interpreter
from playproof.language.fields import Field
from playproof.referee.view import View, drawn_fields

_WIDTH = 100


def position_text(play: Interpreter, state: Sequence[int], seat: int | None = None) -> str:
    """Return one line per field, as a seat sees it. Leaves out runs of zeros in long arrays."""
    game = play.game
    view = View.of(game, state, seat)
    lines = [f"phase: {game.phases[state[0]].text}"]
    for field in drawn_fields(game):
        text = _field_text(field, view.cells[field.offset : field.offset + field.size])
        if text:
            lines.append(f"{field.name.replace('_', ' ')}: {text}"[:_WIDTH])
    return "\n".join(lines)


def _field_text(field: Field, cells: Sequence[int | None]) -> str:
    if not field.shape:
        return _cell(field, cells[0])
    if field.size <= 12:
        return " ".join(_cell(field, c) for c in cells)
    filled = [f"{n}={_cell(field, c)}" for n, c in enumerate(cells) if c]
    return " ".join(filled)


def _cell(field: Field, value: int | None) -> str:
    return "?" if value is None else field.show(value)

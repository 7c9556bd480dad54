"""Boards that hold several things: who stands at a place, what was dug there, whose token lies
there.

    g.fact(boards=[{
        "title": "board", "columns": ["blue", "red"], "rows": ["level 2", "level 1"],
        "cells": [[[4], [9]], [[0, 1], [5, 6]]],          # for each row and column, numbers of places
        "places": ["a", "b", ...],                        # what each place is called there
        "marks": [{"field": "owner", "words": ["", "P1", "P2"], "seats": True}, {"field": "dug", "words": ["", "dug"]}],
        "legend": "P1: a unit of player 1",
    }])

Each mark is an array with one cell per place. The word of its value follows the place's name; ""
adds nothing. With `seats` the value minus one is a seat, and the word has its colour. Other marks:

    {"field": "rows", "cells": [[0, 1], [2]], "names": ["1", "2", "1"], "room": [3, 1]}
                                    several cells per place, each named as often as its value says; `_` for free room
    {"word": "you", "by": ["row", "lane"], "at": [[None, None], [0, 1]]}
                                    one thing, at the place those fields select: a number of a place, None for nowhere

`blank` leaves the sign for an empty place out. A board with `"while": ["board", 1]` is drawn while
that field has that value.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from playproof.referee.line_breaks import WrappedItems
from playproof.referee.screen_facts import UNKNOWN, DisplayFacts
from playproof.referee.view import View

SEATS = ("cyan", "magenta", "yellow", "green", "blue", "red")  # colour only repeats what names say
_EMPTY, _FREE = "·", "_"


def seat_colour(seat: int) -> str:
    """Return the colour of a seat's things."""
    return SEATS[seat % len(SEATS)]


def iter_board_fields(board: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that a board draws, which need no line of their own."""
    for mark in board["marks"]:
        if "field" in mark:
            yield mark["field"]


def is_board_shown(display: DisplayFacts, view: View, board: Mapping[str, Any]) -> bool:
    """Return whether a board is on the table now."""
    if "while" not in board:
        return True
    name, value = board["while"]
    return bool(view.cells[display.game.get_field(name).offset] == value)


def render_board(display: DisplayFacts, view: View, board: Mapping[str, Any]) -> RenderableType:
    """Draw the board as a table. Each cell shows its places in sequence."""
    named = bool(board.get("title")) or any(board["rows"])
    table = Table.grid(padding=(0, 2), expand=True)
    if named:
        table.add_column(style="dim", no_wrap=True)
    # Columns with headings have equal widths; others fit their content.
    ratio = 1 if any(board["columns"]) else None
    for _ in board["columns"]:
        table.add_column(ratio=ratio)
    first: list[str | Text] = [board.get("title", "")] if named else []
    if any(board["columns"]):
        table.add_row(*first, *(Text(name, _get_column_style(name)) for name in board["columns"]))
    for name, row in zip(board["rows"], board["cells"], strict=True):
        cells = [WrappedItems([_render_place(display, view, board, n) for n in places], 2) for places in row]
        table.add_row(*([name] if named else []), *cells)
    legend = board.get("legend")
    return Group(table, Text(str(legend), "dim")) if legend else table


def _get_column_style(name: str) -> str:
    """Return the style of a column heading: a column named after a colour has that colour."""
    return f"bold {name}" if name in (*SEATS, "white") else "bold"


def _render_place(display: DisplayFacts, view: View, board: Mapping[str, Any], number: int) -> Text:
    text = Text.assemble((board["places"][number], "dim"))
    marks = [mark for spec in board["marks"] if (mark := _render_mark(display, view, spec, number))]
    nothing = [] if board.get("blank") else [Text(_EMPTY, "dim")]
    for mark in marks or nothing:
        text.append(" ")
        text.append_text(mark)
    return text


def _render_mark(display: DisplayFacts, view: View, spec: Mapping[str, Any], number: int) -> Text | None:
    """Return what a mark says at a place; None for nothing."""
    if "by" in spec:
        return _render_single_thing(display, view, spec, number)
    held = display.game.get_field(spec["field"])
    if "names" in spec:
        own = spec["cells"][number]
        cells = [view.cells[held.offset + n] for n in own]
        names = [spec["names"][n] for n in own]
        room = spec["room"][number] if "room" in spec else 0
        return _render_counted_things(cells, names, room)
    own = spec["cells"][number] if "cells" in spec else [number]
    return _render_value_words(spec, [view.cells[held.offset + n] for n in own], held.lo)


def _render_value_words(spec: Mapping[str, Any], cells: Sequence[int | None], least: int) -> Text | None:
    """Return the word for each value; None if there are no words."""
    text, words = Text(), spec["words"]
    for value in cells:
        word = UNKNOWN if value is None else words[value - least]
        style = "dim" if value is None else "bold"
        if spec.get("seats") and value is not None:
            style = f"bold {seat_colour(value - least - 1)}"
        text.append(f"{' ' if text and word else ''}{word}", style)
    return text or None


def _render_counted_things(cells: Sequence[int | None], names: Sequence[str], room: int) -> Text | None:
    """Return each thing's name, as often as the thing is there, and signs for the free room;
    None if both are empty."""
    there = [name for value, name in zip(cells, names, strict=True) for _ in range(value or 0)]
    free = " ".join([_FREE] * (room - len(there)))
    text = Text(" ".join(there), "bold")
    if free:
        text.append(f"{' ' if there else ''}{free}", "dim")
    return text or None


def _render_single_thing(
    display: DisplayFacts, view: View, spec: Mapping[str, Any], number: int
) -> Text | None:
    """Return the one thing if the fields say that it is at this place, else None."""
    place: Any = spec["at"]
    for name in spec["by"]:
        held = display.game.get_field(name)
        value = view.cells[held.offset]
        if value is None:
            return None
        place = place[value - held.lo]
    return Text(f"<{spec['word']}>", f"bold reverse {seat_colour(0)}") if place == number else None

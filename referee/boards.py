"""Boards on which several things lie: who stands where, what was dug there, whose token it bears.

    g.fact(boards=[{
        "title": "board", "columns": ["blue", "red"], "rows": ["level 2", "level 1"],
        "cells": [[[4], [9]], [[0, 1], [5, 6]]],          # for each row and column, numbers of places
        "places": ["a", "b", ...],                        # what each place is called there
        "marks": [{"field": "owner", "words": ["", "P1", "P2"], "seats": True}, {"field": "dug", "words": ["", "dug"]}],
        "legend": "P1: a unit of player 1",
    }])

Each mark is an array with one cell a place; its value's word is written behind the place's name, nothing for "". With
`seats` the value less one is a seat, whose colour the word has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from playproof.referee.display import UNKNOWN, Look
from playproof.referee.flow import Flow
from playproof.referee.view import View

SEATS = ("cyan", "magenta", "yellow", "green", "blue", "red")  # a second sign only: names say the same
_EMPTY = "·"


def seat_colour(seat: int) -> str:
    """The colour of a seat's things."""
    return SEATS[seat % len(SEATS)]


def fields_of(board: Mapping[str, Any]) -> Iterator[str]:
    """The fields that lie on a board."""
    for mark in board["marks"]:
        yield mark["field"]


def draw_board(look: Look, view: View, board: Mapping[str, Any]) -> RenderableType:
    """The board as a table: a column a column, in each cell its places one after the other."""
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(style="dim", no_wrap=True)
    for _ in board["columns"]:
        table.add_column(ratio=1)
    table.add_row(board.get("title", ""), *(Text(name, _column_style(name)) for name in board["columns"]))
    for name, row in zip(board["rows"], board["cells"], strict=True):
        table.add_row(name, *(Flow([_place(look, view, board, n) for n in places], 2) for places in row))
    legend = board.get("legend")
    return Group(table, Text(str(legend), "dim")) if legend else table


def _column_style(name: str) -> str:
    """A column called after a colour has it; the word says the same."""
    return f"bold {name}" if name in (*SEATS, "white") else "bold"


def _place(look: Look, view: View, board: Mapping[str, Any], number: int) -> Text:
    text = Text.assemble((board["places"][number], "dim"))
    marks = [mark for spec in board["marks"] if (mark := _mark(look, view, spec, number))]
    for mark in marks or [Text(_EMPTY, "dim")]:
        text.append(" ")
        text.append_text(mark)
    return text


def _mark(look: Look, view: View, spec: Mapping[str, Any], number: int) -> Text | None:
    held = look.game.field_named(spec["field"])
    value = view.cells[held.offset + number]
    if value is None:
        return Text(UNKNOWN, "dim")
    words: Sequence[str] = spec["words"]
    word = words[value - held.lo]
    style = f"bold {seat_colour(value - held.lo - 1)}" if spec.get("seats") else "bold"
    return Text(word, style) if word else None

"""Fields of the table as text: a number, a word, a list, a pile, and boards of letters or of several
things.

An empty field gives `NOTHING`, which the table leaves out.

Boards that hold several things: who stands at a place, what was dug there, whose token lies
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
that field has that value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isqrt, prod
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from playproof.language.fields import Field
from playproof.referee.view import UNKNOWN, DisplayFacts, View, VisibleCells

# -- line breaks ---------------------------------------------------------------------------------------------
# Short texts in sequence, with line breaks only between them.


@dataclass(frozen=True)
class WrappedItems:
    """Items on as few lines as possible, `gap` spaces between them."""

    items: Sequence[Text]
    gap: int = 3

    def iter_wrapped_lines(self, width: int) -> Iterator[Text]:
        """Yield the items in lines of at most `width` characters. A longer item has a line of
        its own."""
        line = Text()
        for item in self.items:
            if line and line.cell_len + self.gap + item.cell_len > width:
                yield line
                line = Text()
            if line:
                line.append(" " * self.gap)
            line.append_text(item)
        if line:
            yield line

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        yield from self.iter_wrapped_lines(options.max_width)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        widths = [item.cell_len for item in self.items]
        whole = sum(widths) + self.gap * max(0, len(widths) - 1)
        return Measurement(max(widths, default=0), whole).with_maximum(options.max_width)


# -- one field as text ---------------------------------------------------------------------------------------
# One field of the table as text: a number, a word, a list of things, a pile, a board of letters.

NOTHING = Text("none", "dim")
RenderedThing = Text | WrappedItems | Group
_FEW, _MANY = 4, 8  # up to the first number, empty places are shown; above the second, only filled ones
_SHORT = 9  # between the two, all are shown if their names are no longer than this
_LONG = 12  # longer arrays without names show only values above the least
_MOST_OF = 10  # a value is shown as 3/7 if the maximum is at most this
# labels not worth a line of their own
_NO_NEWS = ("none", "nobody", "nothing", "blank", "empty", ".", "-", " ")


def get_visible_cells_of_field(view: View, game_field: Field) -> VisibleCells:
    """Return a field's part of a view."""
    return view.cells[game_field.offset : game_field.offset + game_field.size]


def render_field_value(display: DisplayFacts, game_field: Field, value: int | None) -> Text:
    """Draw one value."""
    if value is None:
        return Text(UNKNOWN, "dim")
    if (
        display.get_names_of_field_values(game_field)
        or game_field.lo < 0
        or game_field.hi > _MOST_OF
        or game_field.hi - game_field.lo <= 1
    ):
        return Text(display.format_field_value(game_field, value), "bold")
    return Text.assemble((str(value), "bold"), (f"/{game_field.hi}", "dim"))


def render_pile(display: DisplayFacts, game_field: Field, cells: VisibleCells, card_count: int | None) -> Text:
    """Draw cards in their order."""
    if card_count is None:
        return Text(UNKNOWN, "dim")
    if card_count == 0:
        return NOTHING
    names = [display.format_field_value(game_field, c) for c in cells[:card_count]]
    order = "" if card_count == 1 else "  (top last)"
    return Text(" ".join(names) + order)


def render_array_from_dimension(
    display: DisplayFacts, view: View, game_field: Field, cells: VisibleCells, first_dimension: int
) -> RenderedThing:
    """Draw an array whose indices in the dimensions before `first_dimension` are already chosen."""
    shape = game_field.shape[first_dimension:]
    if game_field.name in display.totals:
        return _render_sum_of_cells(cells)
    if all(c is None for c in cells):
        return Text(UNKNOWN, "dim")
    rows = _split_board_into_rows_of_cells_or_empty(display, game_field, shape)
    if rows:
        return _render_board_of_one_field(
            game_field, cells, rows, with_cell_numbers=game_field.name not in display.grid
        )
    if len(shape) == 1:
        return _render_array_of_one_dimension(
            display, view, game_field, cells, display.get_declared_place_names_or_none(game_field, first_dimension)
        )
    names = display.get_declared_place_names_or_none(game_field, first_dimension)
    inner = len(cells) // shape[0]
    parts: list[RenderableType] = []
    for number in range(shape[0]):
        inside = render_array_from_dimension(
            display, view, game_field, cells[number * inner : (number + 1) * inner], first_dimension + 1
        )
        row = Table.grid(padding=(0, 1))
        row.add_row(Text(f"{names[number] if names else number}:", "dim"), inside)
        parts.append(row)
    return Group(*parts)


def _render_sum_of_cells(cells: VisibleCells) -> Text:
    if any(c is None for c in cells):
        return Text(UNKNOWN, "dim")
    count = sum(c for c in cells if c is not None)
    return Text(str(count), "bold") if count else NOTHING


def _split_board_into_rows_of_cells_or_empty(
    display: DisplayFacts, game_field: Field, shape: Sequence[int]
) -> list[list[int | None]]:
    """Return the rows of a board as cell numbers, or an empty list if the field is no board.

    A board is declared, or it is an array of single letters that is square or has two dimensions.
    """
    declared = display.grid.get(game_field.name, 0)
    if isinstance(declared, list):
        return declared
    columns = declared or _guess_board_column_count_or_zero(game_field, shape)
    if not columns:
        return []
    cells: list[int | None] = list(range(prod(shape)))
    return [cells[start : start + columns] for start in range(0, len(cells), columns)]


def _guess_board_column_count_or_zero(game_field: Field, shape: Sequence[int]) -> int:
    """Return the number of columns of an undeclared board, or 0 if the field is no board.

    A guessed board holds single letters. It has two dimensions, or one whose length is a square
    number.
    """
    if not game_field.labels or any(len(label) != 1 for label in game_field.labels):
        return 0
    if len(shape) == 2:
        return shape[1]
    side = isqrt(shape[0])
    return side if side * side == shape[0] else 0


def _render_board_of_one_field(
    game_field: Field, cells: VisibleCells, rows: Sequence[Sequence[int | None]], *, with_cell_numbers: bool
) -> Text:
    """Draw a board. With `with_cell_numbers`, actions name its cells by number, so an empty cell shows
    its number."""
    labels = game_field.labels or ("0",)
    highest_number = str(len(cells) - 1) if with_cell_numbers else ""
    width = max(1, len(highest_number), *map(len, labels))
    lowest_is_empty = not game_field.labels or game_field.labels[0] in (".", " ", "-")
    text = Text()
    for place, row in enumerate(rows):
        text.append("\n" if place else "")
        for number in row:
            if number is None:  # a hole in the board
                text.append(" " * (width + 1))
                continue
            value = cells[number]
            if value == game_field.lo and lowest_is_empty:
                mark = number if with_cell_numbers else game_field.format_value(value)
                text.append(f"{mark:>{width}} ", "dim")
            else:
                mark = UNKNOWN if value is None else game_field.format_value(value)
                text.append(f"{mark:>{width}} ", "bold")
    return text


def _render_array_of_one_dimension(
    display: DisplayFacts, view: View, game_field: Field, cells: VisibleCells, place_names: Sequence[str] | None
) -> RenderedThing:
    if place_names is None:
        return _render_values_without_place_names(display, game_field, cells)
    if game_field.name in display.each:
        return _render_filled_places_one_by_one(display, view, game_field, cells, place_names)
    if display.get_names_of_field_values(game_field):
        return _render_place_names_by_value(display, game_field, cells, place_names)
    there = [(name, count) for name, count in zip(place_names, cells, strict=False) if count != 0]
    times = any(name[-1:].isdigit() for name in place_names)
    everything = not times and (len(cells) <= _FEW or (len(cells) <= _MANY and max(map(len, place_names)) <= _SHORT))
    if not there and ((game_field.lo, game_field.hi) == (0, 1) or times or len(cells) > _FEW):
        return NOTHING
    if (game_field.lo, game_field.hi) == (0, 1):  # there or not there: the names say it all
        return WrappedItems([Text(name if count else f"{name} {UNKNOWN}") for name, count in there], 2)
    listed = list(zip(place_names, cells, strict=False)) if everything else there
    return WrappedItems([_render_named_count(name, count, count_first=times) for name, count in listed], 2)


def _render_values_without_place_names(display: DisplayFacts, game_field: Field, cells: VisibleCells) -> RenderedThing:
    """Draw values without names in sequence. A long array shows only the values above the least,
    each with its number."""
    if len(cells) <= _LONG:
        return WrappedItems([Text(display.format_field_value(game_field, c)) for c in cells], 1)
    there = [(number, value) for number, value in enumerate(cells) if value != game_field.lo]
    if not there:
        least = display.format_field_value(game_field, game_field.lo)
        return NOTHING if least in ("0", *_NO_NEWS) else Text(f"{len(cells)} × {least}", "dim")
    return WrappedItems(
        [
            Text.assemble((f"{number}:", "dim"), display.format_field_value(game_field, value))
            for number, value in there
        ],
        1,
    )


def _render_named_count(name: str, count: int | None, *, count_first: bool) -> Text:
    """Return a count as text: `food 3`, or `3 × card 7` with `count_first`, for names that end in
    numbers."""
    number = UNKNOWN if count is None else str(count)
    style, name_style = ("bold", "") if count else ("dim", "dim")
    if count_first:
        return Text.assemble((number, style), (" × ", "dim"), (name, name_style))
    return Text.assemble((f"{name} ", name_style), (number, style))


def _render_filled_places_one_by_one(
    display: DisplayFacts, view: View, game_field: Field, cells: VisibleCells, place_names: Sequence[str]
) -> RenderedThing:
    """Draw the values place by place without the empty ones. Adds the field beside, if declared:
    `valley: garden (guard)`."""
    beside = display.beside.get(game_field.name)
    items = []
    for name, value in zip(place_names, cells, strict=True):
        word = display.format_field_value(game_field, value)
        if value == game_field.lo and word in _NO_NEWS:
            continue
        item = Text.assemble((f"{name}: ", "dim"), word)
        if beside and value is not None and value > game_field.lo:
            item.append_text(_render_value_of_field_beside(display, view, beside, value - game_field.lo - 1))
        items.append(item)
    return WrappedItems(items, 2) if items else NOTHING


def _render_value_of_field_beside(display: DisplayFacts, view: View, beside_field_name: str, place_index: int) -> Text:
    held = display.game.get_field(beside_field_name)
    value = view.cells[held.offset + place_index]
    return Text() if value == held.lo else Text(f" ({display.format_field_value(held, value)})")


def _render_place_names_by_value(
    display: DisplayFacts, game_field: Field, cells: VisibleCells, place_names: Sequence[str]
) -> RenderedThing:
    """Draw things by the place they are in: `stand: 001 002`. Leaves out things that are
    nowhere."""
    rows: list[RenderableType] = []
    for value, label in enumerate(display.get_names_of_field_values(game_field), game_field.lo):
        here = [name for name, cell in zip(place_names, cells, strict=False) if cell == value]
        no_news = value == game_field.lo and label in _NO_NEWS
        if not here or no_news:
            continue
        # names of several words need more room between them
        gap = 2 if any(" " in name for name in here) else 1
        rows.append(WrappedItems([Text(f"{label}:", "dim"), *map(Text, here)], gap))
    unknown = sum(cell is None for cell in cells)
    if unknown:
        rows.append(Text(f"{UNKNOWN}: {unknown}", "dim"))
    return Group(*rows) if rows else NOTHING


# -- shared boards -------------------------------------------------------------------------------------------
# Boards that hold several things: who stands at a place, what was dug there, whose token lies there.

SEATS = ("cyan", "magenta", "yellow", "green", "blue", "red")  # colour only repeats what names say
_EMPTY, _FREE = "·", "_"


def seat_colour(seat: int) -> str:
    """Return the colour of a seat's things."""
    return SEATS[seat % len(SEATS)]


def iter_names_of_fields_on_board(board: Mapping[str, Any]) -> Iterator[str]:
    """Yield the fields that a board draws, which need no line of their own."""
    for mark in board["marks"]:
        if "field" in mark:
            yield mark["field"]


def is_declared_board_shown(display: DisplayFacts, view: View, board: Mapping[str, Any]) -> bool:
    """Return whether a board is on the table now."""
    if "while" not in board:
        return True
    name, value = board["while"]
    return bool(view.cells[display.game.get_field(name).offset] == value)


def render_declared_board(display: DisplayFacts, view: View, board: Mapping[str, Any]) -> RenderableType:
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
        table.add_row(*first, *(Text(name, _get_column_heading_style(name)) for name in board["columns"]))
    for name, row in zip(board["rows"], board["cells"], strict=True):
        cells = [
            WrappedItems([_render_board_place_with_marks(display, view, board, n) for n in places], 2) for places in row
        ]
        table.add_row(*([name] if named else []), *cells)
    legend = board.get("legend")
    return Group(table, Text(str(legend), "dim")) if legend else table


def _get_column_heading_style(column_name: str) -> str:
    """Return the style of a column heading: a column named after a colour has that colour."""
    return f"bold {column_name}" if column_name in (*SEATS, "white") else "bold"


def _render_board_place_with_marks(
    display: DisplayFacts, view: View, board: Mapping[str, Any], place_number: int
) -> Text:
    text = Text.assemble((board["places"][place_number], "dim"))
    marks = [
        mark for spec in board["marks"] if (mark := _render_mark_at_place_or_none(display, view, spec, place_number))
    ]
    nothing = [] if board.get("blank") else [Text(_EMPTY, "dim")]
    for mark in marks or nothing:
        text.append(" ")
        text.append_text(mark)
    return text


def _render_mark_at_place_or_none(
    display: DisplayFacts, view: View, mark_spec: Mapping[str, Any], place_number: int
) -> Text | None:
    """Return what a mark says at a place; None for nothing."""
    if "by" in mark_spec:
        return _render_single_thing_if_there_or_none(display, view, mark_spec, place_number)
    held = display.game.get_field(mark_spec["field"])
    if "names" in mark_spec:
        own = mark_spec["cells"][place_number]
        cells = [view.cells[held.offset + n] for n in own]
        names = [mark_spec["names"][n] for n in own]
        room = mark_spec["room"][place_number] if "room" in mark_spec else 0
        return _render_names_by_count_and_free_room(cells, names, room)
    own = mark_spec["cells"][place_number] if "cells" in mark_spec else [place_number]
    return _render_words_of_values_or_none(mark_spec, [view.cells[held.offset + n] for n in own], held.lo)


def _render_words_of_values_or_none(
    mark_spec: Mapping[str, Any], cells: Sequence[int | None], lowest_value: int
) -> Text | None:
    """Return the word for each value; None if there are no words."""
    text, words = Text(), mark_spec["words"]
    for value in cells:
        word = UNKNOWN if value is None else words[value - lowest_value]
        style = "dim" if value is None else "bold"
        if mark_spec.get("seats") and value is not None:
            style = f"bold {seat_colour(value - lowest_value - 1)}"
        text.append(f"{' ' if text and word else ''}{word}", style)
    return text or None


def _render_names_by_count_and_free_room(
    counts: Sequence[int | None], names: Sequence[str], total_room: int
) -> Text | None:
    """Return each thing's name, as often as the thing is there, and signs for the free room;
    None if both are empty."""
    there = [name for value, name in zip(counts, names, strict=True) for _ in range(value or 0)]
    free = " ".join([_FREE] * (total_room - len(there)))
    text = Text(" ".join(there), "bold")
    if free:
        text.append(f"{' ' if there else ''}{free}", "dim")
    return text or None


def _render_single_thing_if_there_or_none(
    display: DisplayFacts, view: View, mark_spec: Mapping[str, Any], place_number: int
) -> Text | None:
    """Return the one thing if the fields say that it is at this place, else None."""
    place: Any = mark_spec["at"]
    for name in mark_spec["by"]:
        held = display.game.get_field(name)
        value = view.cells[held.offset]
        if value is None:
            return None
        place = place[value - held.lo]
    return Text(f"<{mark_spec['word']}>", f"bold reverse {seat_colour(0)}") if place == place_number else None

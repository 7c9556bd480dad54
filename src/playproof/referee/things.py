"""One field of the table as text: a number, a word, a list of things, a pile, a board of letters.

An empty field gives `NOTHING`, which the table leaves out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt, prod

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from playproof.language.fields import Field
from playproof.referee.line_breaks import WrappedItems
from playproof.referee.screen_facts import UNKNOWN, DisplayFacts, VisibleCells
from playproof.referee.view import View

NOTHING = Text("none", "dim")
RenderedThing = Text | WrappedItems | Group
_FEW, _MANY = 4, 8  # up to the first number, empty places are shown; above the second, only filled ones
_SHORT = 9  # between the two, all are shown if their names are no longer than this
_LONG = 12  # longer arrays without names show only values above the least
_MOST_OF = 10  # a value is shown as 3/7 if the maximum is at most this
# labels not worth a line of their own
_NO_NEWS = ("none", "nobody", "nothing", "blank", "empty", ".", "-", " ")


def get_field_cells(view: View, game_field: Field) -> VisibleCells:
    """Return a field's part of a view."""
    return view.cells[game_field.offset : game_field.offset + game_field.size]


def render_value(display: DisplayFacts, game_field: Field, value: int | None) -> Text:
    """Draw one value."""
    if value is None:
        return Text(UNKNOWN, "dim")
    if (
        display.get_value_names(game_field)
        or game_field.lo < 0
        or game_field.hi > _MOST_OF
        or game_field.hi - game_field.lo <= 1
    ):
        return Text(display.format_value(game_field, value), "bold")
    return Text.assemble((str(value), "bold"), (f"/{game_field.hi}", "dim"))


def render_pile(display: DisplayFacts, game_field: Field, cells: VisibleCells, size: int | None) -> Text:
    """Draw cards in their order."""
    if size is None:
        return Text(UNKNOWN, "dim")
    if size == 0:
        return NOTHING
    names = [display.format_value(game_field, c) for c in cells[:size]]
    order = "" if size == 1 else "  (top last)"
    return Text(" ".join(names) + order)


def render_array(
    display: DisplayFacts, view: View, game_field: Field, cells: VisibleCells, first: int
) -> RenderedThing:
    """Draw an array whose indices in the dimensions before `first` are already chosen."""
    shape = game_field.shape[first:]
    if game_field.name in display.totals:
        return _render_total(cells)
    if all(c is None for c in cells):
        return Text(UNKNOWN, "dim")
    rows = _split_into_board_rows(display, game_field, shape)
    if rows:
        return _render_board(game_field, cells, rows, numbered=game_field.name not in display.grid)
    if len(shape) == 1:
        return _render_row_of_cells(
            display, view, game_field, cells, display.get_place_names(game_field, first)
        )
    names = display.get_place_names(game_field, first)
    inner = len(cells) // shape[0]
    parts: list[RenderableType] = []
    for number in range(shape[0]):
        inside = render_array(
            display, view, game_field, cells[number * inner : (number + 1) * inner], first + 1
        )
        row = Table.grid(padding=(0, 1))
        row.add_row(Text(f"{names[number] if names else number}:", "dim"), inside)
        parts.append(row)
    return Group(*parts)


def _render_total(cells: VisibleCells) -> Text:
    if any(c is None for c in cells):
        return Text(UNKNOWN, "dim")
    count = sum(c for c in cells if c is not None)
    return Text(str(count), "bold") if count else NOTHING


def _split_into_board_rows(
    display: DisplayFacts, game_field: Field, shape: Sequence[int]
) -> list[list[int | None]]:
    """Return the rows of a board as cell numbers, or an empty list if the field is no board.

    A board is declared, or it is an array of single letters that is square or has two dimensions.
    """
    declared = display.grid.get(game_field.name, 0)
    if isinstance(declared, list):
        return declared
    columns = declared or _guess_board_columns(game_field, shape)
    if not columns:
        return []
    cells: list[int | None] = list(range(prod(shape)))
    return [cells[start : start + columns] for start in range(0, len(cells), columns)]


def _guess_board_columns(game_field: Field, shape: Sequence[int]) -> int:
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


def _render_board(
    game_field: Field, cells: VisibleCells, rows: Sequence[Sequence[int | None]], *, numbered: bool
) -> Text:
    """Draw a board. With `numbered`, actions name its cells by number, so an empty cell shows
    its number."""
    labels = game_field.labels or ("0",)
    highest_number = str(len(cells) - 1) if numbered else ""
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
                mark = number if numbered else game_field.format_value(value)
                text.append(f"{mark:>{width}} ", "dim")
            else:
                mark = UNKNOWN if value is None else game_field.format_value(value)
                text.append(f"{mark:>{width}} ", "bold")
    return text


def _render_row_of_cells(
    display: DisplayFacts, view: View, game_field: Field, cells: VisibleCells, names: Sequence[str] | None
) -> RenderedThing:
    if names is None:
        return _render_unnamed_values(display, game_field, cells)
    if game_field.name in display.each:
        return _render_place_by_place(display, view, game_field, cells, names)
    if display.get_value_names(game_field):
        return _render_grouped_by_value(display, game_field, cells, names)
    there = [(name, count) for name, count in zip(names, cells, strict=False) if count != 0]
    times = any(name[-1:].isdigit() for name in names)
    everything = not times and (
        len(cells) <= _FEW or (len(cells) <= _MANY and max(map(len, names)) <= _SHORT)
    )
    if not there and ((game_field.lo, game_field.hi) == (0, 1) or times or len(cells) > _FEW):
        return NOTHING
    if (game_field.lo, game_field.hi) == (0, 1):  # there or not there: the names say it all
        return WrappedItems([Text(name if count else f"{name} {UNKNOWN}") for name, count in there], 2)
    listed = list(zip(names, cells, strict=False)) if everything else there
    return WrappedItems([_render_count(name, count, times=times) for name, count in listed], 2)


def _render_unnamed_values(display: DisplayFacts, game_field: Field, cells: VisibleCells) -> RenderedThing:
    """Draw values without names in sequence. A long array shows only the values above the least,
    each with its number."""
    if len(cells) <= _LONG:
        return WrappedItems([Text(display.format_value(game_field, c)) for c in cells], 1)
    there = [(number, value) for number, value in enumerate(cells) if value != game_field.lo]
    if not there:
        least = display.format_value(game_field, game_field.lo)
        return NOTHING if least in ("0", *_NO_NEWS) else Text(f"{len(cells)} × {least}", "dim")
    return WrappedItems(
        [
            Text.assemble((f"{number}:", "dim"), display.format_value(game_field, value))
            for number, value in there
        ],
        1,
    )


def _render_count(name: str, count: int | None, *, times: bool) -> Text:
    """Return a count as text: `food 3`, or `3 × card 7` with `times`, for names that end in
    numbers."""
    number = UNKNOWN if count is None else str(count)
    style, name_style = ("bold", "") if count else ("dim", "dim")
    if times:
        return Text.assemble((number, style), (" × ", "dim"), (name, name_style))
    return Text.assemble((f"{name} ", name_style), (number, style))


def _render_place_by_place(
    display: DisplayFacts, view: View, game_field: Field, cells: VisibleCells, names: Sequence[str]
) -> RenderedThing:
    """Draw the values place by place without the empty ones. Adds the field beside, if declared:
    `valley: garden (guard)`."""
    beside = display.beside.get(game_field.name)
    items = []
    for name, value in zip(names, cells, strict=True):
        word = display.format_value(game_field, value)
        if value == game_field.lo and word in _NO_NEWS:
            continue
        item = Text.assemble((f"{name}: ", "dim"), word)
        if beside and value is not None and value > game_field.lo:
            item.append_text(_render_field_beside(display, view, beside, value - game_field.lo - 1))
        items.append(item)
    return WrappedItems(items, 2) if items else NOTHING


def _render_field_beside(display: DisplayFacts, view: View, name: str, place: int) -> Text:
    held = display.game.get_field(name)
    value = view.cells[held.offset + place]
    return Text() if value == held.lo else Text(f" ({display.format_value(held, value)})")


def _render_grouped_by_value(
    display: DisplayFacts, game_field: Field, cells: VisibleCells, names: Sequence[str]
) -> RenderedThing:
    """Draw things by the place they are in: `stand: 001 002`. Leaves out things that are
    nowhere."""
    rows: list[RenderableType] = []
    for value, label in enumerate(display.get_value_names(game_field), game_field.lo):
        here = [name for name, cell in zip(names, cells, strict=False) if cell == value]
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

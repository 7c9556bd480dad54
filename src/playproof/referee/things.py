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
from playproof.referee.line_breaks import Flow
from playproof.referee.screen_facts import UNKNOWN, Cells, Look
from playproof.referee.view import View

NOTHING = Text("none", "dim")
Drawn = Text | Flow | Group
_FEW, _MANY = 4, 8  # up to the first number, empty places are shown; above the second, only filled ones
_SHORT = 9  # between the two, all are shown if their names are no longer than this
_LONG = 12  # longer arrays without names show only values above the least
_MOST_OF = 10  # a value is shown as 3/7 if the maximum is at most this
_NO_NEWS = (
    "none",
    "nobody",
    "nothing",
    "blank",
    "empty",
    ".",
    "-",
    " ",
)  # labels not worth a line of their own


def cells_of(view: View, held: Field) -> Cells:
    """Return a field's part of a view."""
    return view.cells[held.offset : held.offset + held.size]


def single(look: Look, held: Field, value: int | None) -> Text:
    """Draw one value."""
    if value is None:
        return Text(UNKNOWN, "dim")
    if look.words(held) or held.lo < 0 or held.hi > _MOST_OF or held.hi - held.lo <= 1:
        return Text(look.word(held, value), "bold")
    return Text.assemble((str(value), "bold"), (f"/{held.hi}", "dim"))


def pile(look: Look, held: Field, cells: Cells, size: int | None) -> Text:
    """Draw cards in their order."""
    if size is None:
        return Text(UNKNOWN, "dim")
    if size == 0:
        return NOTHING
    names = [look.word(held, c) for c in cells[:size]]
    order = "" if size == 1 else "  (top last)"
    return Text(" ".join(names) + order)


def array(look: Look, view: View, held: Field, cells: Cells, first: int) -> Drawn:
    """Draw an array whose indices in the dimensions before `first` are already chosen."""
    shape = held.shape[first:]
    if held.name in look.totals:
        return _total(cells)
    if all(c is None for c in cells):
        return Text(UNKNOWN, "dim")
    rows = _board(look, held, shape)
    if rows:
        return _grid(held, cells, rows, numbered=held.name not in look.grid)
    if len(shape) == 1:
        return _row(look, view, held, cells, look.axis(held, first))
    names = look.axis(held, first)
    inner = len(cells) // shape[0]
    parts: list[RenderableType] = []
    for number in range(shape[0]):
        inside = array(look, view, held, cells[number * inner : (number + 1) * inner], first + 1)
        row = Table.grid(padding=(0, 1))
        row.add_row(Text(f"{names[number] if names else number}:", "dim"), inside)
        parts.append(row)
    return Group(*parts)


def _total(cells: Cells) -> Text:
    if any(c is None for c in cells):
        return Text(UNKNOWN, "dim")
    count = sum(c for c in cells if c is not None)
    return Text(str(count), "bold") if count else NOTHING


def _board(look: Look, held: Field, shape: Sequence[int]) -> list[list[int | None]]:
    """Return the rows of a board as cell numbers, or an empty list if the field is no board.

    A board is declared, or it is an array of single letters that is square or has two dimensions.
    """
    declared = look.grid.get(held.name, 0)
    if isinstance(declared, list):
        return declared
    columns = declared or _guessed_columns(held, shape)
    if not columns:
        return []
    cells: list[int | None] = list(range(prod(shape)))
    return [cells[start : start + columns] for start in range(0, len(cells), columns)]


def _guessed_columns(held: Field, shape: Sequence[int]) -> int:
    """Return the number of columns of an undeclared board, or 0 if the field is no board.

    A guessed board holds single letters. It has two dimensions, or one whose length is a square
    number.
    """
    if not held.labels or any(len(label) != 1 for label in held.labels):
        return 0
    if len(shape) == 2:
        return shape[1]
    side = isqrt(shape[0])
    return side if side * side == shape[0] else 0


def _grid(held: Field, cells: Cells, rows: Sequence[Sequence[int | None]], *, numbered: bool) -> Text:
    """Draw a board. With `numbered`, actions name its cells by number, so an empty cell shows
    its number."""
    labels = held.labels or ("0",)
    highest_number = str(len(cells) - 1) if numbered else ""
    width = max(1, len(highest_number), *map(len, labels))
    lowest_is_empty = not held.labels or held.labels[0] in (".", " ", "-")
    text = Text()
    for place, row in enumerate(rows):
        text.append("\n" if place else "")
        for number in row:
            if number is None:  # a hole in the board
                text.append(" " * (width + 1))
                continue
            value = cells[number]
            if value == held.lo and lowest_is_empty:
                mark = number if numbered else held.show(value)
                text.append(f"{mark:>{width}} ", "dim")
            else:
                mark = UNKNOWN if value is None else held.show(value)
                text.append(f"{mark:>{width}} ", "bold")
    return text


def _row(look: Look, view: View, held: Field, cells: Cells, names: Sequence[str] | None) -> Drawn:
    if names is None:
        return _plain(look, held, cells)
    if held.name in look.each:
        return _each(look, view, held, cells, names)
    if look.words(held):
        return _grouped(look, held, cells, names)
    there = [(name, count) for name, count in zip(names, cells, strict=False) if count != 0]
    times = any(name[-1:].isdigit() for name in names)
    everything = not times and (
        len(cells) <= _FEW or (len(cells) <= _MANY and max(map(len, names)) <= _SHORT)
    )
    if not there and ((held.lo, held.hi) == (0, 1) or times or len(cells) > _FEW):
        return NOTHING
    if (held.lo, held.hi) == (0, 1):  # there or not there: the names say it all
        return Flow([Text(name if count else f"{name} {UNKNOWN}") for name, count in there], 2)
    listed = list(zip(names, cells, strict=False)) if everything else there
    return Flow([_counted(name, count, times=times) for name, count in listed], 2)


def _plain(look: Look, held: Field, cells: Cells) -> Drawn:
    """Draw values without names in sequence. A long array shows only the values above the least,
    each with its number."""
    if len(cells) <= _LONG:
        return Flow([Text(look.word(held, c)) for c in cells], 1)
    there = [(number, value) for number, value in enumerate(cells) if value != held.lo]
    if not there:
        least = look.word(held, held.lo)
        return NOTHING if least in ("0", *_NO_NEWS) else Text(f"{len(cells)} × {least}", "dim")
    return Flow([Text.assemble((f"{number}:", "dim"), look.word(held, value)) for number, value in there], 1)


def _counted(name: str, count: int | None, *, times: bool) -> Text:
    """Return a count as text: `food 3`, or `3 × card 7` with `times`, for names that end in
    numbers."""
    number = UNKNOWN if count is None else str(count)
    style, name_style = ("bold", "") if count else ("dim", "dim")
    if times:
        return Text.assemble((number, style), (" × ", "dim"), (name, name_style))
    return Text.assemble((f"{name} ", name_style), (number, style))


def _each(look: Look, view: View, held: Field, cells: Cells, names: Sequence[str]) -> Drawn:
    """Draw the values place by place without the empty ones. Adds the field beside, if declared:
    `valley: garden (guard)`."""
    beside = look.beside.get(held.name)
    items = []
    for name, value in zip(names, cells, strict=True):
        word = look.word(held, value)
        if value == held.lo and word in _NO_NEWS:
            continue
        item = Text.assemble((f"{name}: ", "dim"), word)
        if beside and value is not None and value > held.lo:
            item.append_text(_beside(look, view, beside, value - held.lo - 1))
        items.append(item)
    return Flow(items, 2) if items else NOTHING


def _beside(look: Look, view: View, name: str, place: int) -> Text:
    held = look.game.field_named(name)
    value = view.cells[held.offset + place]
    return Text() if value == held.lo else Text(f" ({look.word(held, value)})")


def _grouped(look: Look, held: Field, cells: Cells, names: Sequence[str]) -> Drawn:
    """Draw things by the place they are in: `stand: 001 002`. Leaves out things that are
    nowhere."""
    rows: list[RenderableType] = []
    for value, label in enumerate(look.words(held), held.lo):
        here = [name for name, cell in zip(names, cells, strict=False) if cell == value]
        no_news = value == held.lo and label in _NO_NEWS
        if not here or no_news:
            continue
        gap = (
            2 if any(" " in name for name in here) else 1
        )  # names of several words need more room between them
        rows.append(Flow([Text(f"{label}:", "dim"), *map(Text, here)], gap))
    unknown = sum(cell is None for cell in cells)
    if unknown:
        rows.append(Text(f"{UNKNOWN}: {unknown}", "dim"))
    return Group(*rows) if rows else NOTHING

"""The table as a seat sees it, drawn generically from fields, labels and names; in lines that also read in a pipe.

A game helps by declaring facts: `names={"have": ["food", "gold"], "hand": [None, KINDS]}` names an array's places (one
list, or one a dimension), `grid={"board": 3}` gives a board's columns, or its rows as lists of cell numbers (None is a
gap), `values={"owner": ["nobody", "blue", "red"]}` says numbers in words, `hidden=["at"]` leaves bookkeeping out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, prod

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from referee.flow import Flow
from referee.view import View, drawn_fields, sees_term
from referee.words import round_of, seat_name, seat_names
from rules.language import Game, Interpreter, Sees
from rules.language.fields import Field

_FEW, _MANY = 4, 8  # so few places are all shown though empty; of more than so many only the filled ones
_LONG = 12  # longer arrays without names are drawn by what stands out
_MOST_OF = 10  # a value is shown as 3/7 where seven is few enough to mean something
_UNKNOWN = "?"
_NOTHING = ("none", "nobody", "nothing", "blank", "empty", ".", "-", " ")  # labels not worth a line of their own
Cells = Sequence[int | None]
Drawn = Text | Flow | Group


@dataclass(frozen=True, slots=True)
class _Line:
    """One named part of the table: `text`, or a text for each seat."""

    name: str
    texts: tuple[Drawn, ...]


def draw(play: Interpreter, state: Sequence[int], seat: int | None, title: str) -> RenderableType:
    """The whole table: a heading, what belongs to all, what belongs to each seat."""
    lines = list(_lines(play.game, View.of(play.game, state, seat)))
    parts: list[RenderableType] = [Rule(Text(heading(play, state, title), "bold"), style="dim")]
    scalars = [line.texts[0] for line in lines if not line.name]
    if scalars:
        parts.append(Padding(Flow([text for text in scalars if isinstance(text, Text)]), (0, 1)))
    shared = [line for line in lines if line.name and len(line.texts) == 1]
    if shared:
        parts.append(_shared(shared))
    own = [line for line in lines if len(line.texts) > 1]
    if own:
        parts.append(_by_seat(play.game, own, seat))
    extra = _quantities(play, state, seat)
    if extra:
        parts.append(Padding(extra, (0, 1)))
    return Group(*parts)


def heading(play: Interpreter, state: Sequence[int], title: str) -> str:
    """Title, round, and who acts or how it ended."""
    number = round_of(play, state)
    parts = [title] + ([f"round {number}"] if number is not None else [])
    parts.append("the game is over" if play.terminal(state) else seat_name(play.game, play.actor(state)))
    return " | ".join(parts)


def moment(play: Interpreter, state: Sequence[int]) -> str:
    """What is to be done now, or how the game ended."""
    end = play.ending(state)
    return end.reason if end else play.game.phases[state[0]].text


def _shared(lines: Sequence[_Line]) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column()
    for line in lines:
        table.add_row(line.name, line.texts[0])
    return Padding(table, (0, 1))


def _by_seat(game: Game, lines: Sequence[_Line], seat: int | None) -> RenderableType:
    table = Table(box=None, pad_edge=True, padding=(0, 1), header_style="bold")
    table.add_column("", justify="right", style="dim", no_wrap=True)
    for number, name in enumerate(seat_names(game)):
        table.add_column(f"{name} (you)" if number == seat else name, ratio=1)
    for line in lines:
        table.add_row(line.name, *line.texts)
    return table


def _quantities(play: Interpreter, state: Sequence[int], seat: int | None) -> Flow | None:
    """The quantities that the fact `show` names and the seat may know."""
    game = play.game
    wanted = [n for n in game.facts.get("show", ()) if n in game.quantities]
    seen = [n for n in wanted if seat is None or sees_term(game, game.quantities[n], seat)]
    texts = [Text.assemble((f"{name} ", "dim"), (str(play.quantity(name, state)), "bold")) for name in seen]
    return Flow(texts) if texts else None


# -- fields ---------------------------------------------------------------------------------------------------------


def _lines(game: Game, view: View) -> list[_Line]:
    unseen = Sees.NOBODY if view.seat is not None else None  # nobody's field is no news to a player
    fields = {f.name: f for f in drawn_fields(game) if f.sees is not unseen}
    lines = []
    for name, field in fields.items():
        base = name.removesuffix("_cards")
        if name.endswith("_size") and f"{name.removesuffix('_size')}_cards" in fields:
            continue
        cells = _cells(view, field)
        if f"{base}_size" in fields and base != name:
            (size,) = _cells(view, fields[f"{base}_size"])
            lines.append(_Line(_title(base), (_pile(game, field, cells, size),)))
        elif not field.shape:
            lines.append(_Line("", (Text.assemble((f"{_title(name)} ", "dim"), _single(game, field, cells[0])),)))
        elif game.players > 1 and field.shape[0] == game.players:
            lines.append(_per_seat(game, field, cells))
        else:
            lines.append(_Line(_title(name), (_array(game, field, cells, 0),)))
    return lines


def _cells(view: View, field: Field) -> Cells:
    return view.cells[field.offset:field.offset + field.size]


def _title(name: str) -> str:
    return name.replace("_", " ").removesuffix(" bag")


def _per_seat(game: Game, field: Field, cells: Cells) -> _Line:
    share = field.size // field.shape[0]
    texts: list[Drawn] = []
    for seat in range(field.shape[0]):
        own = cells[seat * share:(seat + 1) * share]
        texts.append(_single(game, field, own[0]) if len(field.shape) == 1 else _array(game, field, own, 1))
    return _Line(_title(field.name), tuple(texts))


def _single(game: Game, field: Field, value: int | None) -> Text:
    if value is None:
        return Text(_UNKNOWN, "dim")
    if value_names(game, field) or field.lo < 0 or field.hi > _MOST_OF or field.hi - field.lo <= 1:
        return Text(_word(game, field, value), "bold")
    return Text.assemble((str(value), "bold"), (f"/{field.hi}", "dim"))


def _pile(game: Game, field: Field, cells: Cells, size: int | None) -> Text:
    if size is None:
        return Text(_UNKNOWN, "dim")
    if size == 0:
        return Text("empty", "dim")
    names = [_word(game, field, c) for c in cells[:size]]
    return Text(" ".join(names) + ("" if size == 1 else "  (top last)"))


def _array(game: Game, field: Field, cells: Cells, first: int) -> Drawn:
    """An array whose dimensions before `first` are already chosen."""
    shape = field.shape[first:]
    if all(c is None for c in cells):
        return Text(_UNKNOWN, "dim")
    rows = _board(game, field, shape)
    if rows:
        return _grid(field, cells, rows, numbered=field.name not in game.facts.get("grid", {}))
    if len(shape) == 1:
        return _row(game, field, cells, axis_names(game, field, first))
    names = axis_names(game, field, first)
    inner = len(cells) // shape[0]
    parts: list[RenderableType] = []
    for number in range(shape[0]):
        inside = _array(game, field, cells[number * inner:(number + 1) * inner], first + 1)
        row = Table.grid(padding=(0, 1))
        row.add_row(Text(f"{names[number] if names else number}:", "dim"), inside)
        parts.append(row)
    return Group(*parts)


def value_names(game: Game, field: Field) -> Sequence[str]:
    """What a field's values are called: its labels, or what the game declares for drawing."""
    declared: Sequence[str] = game.facts.get("values", {}).get(field.name, ())
    return field.labels or declared


def _word(game: Game, field: Field, value: int | None) -> str:
    """A value as it is drawn."""
    words = value_names(game, field)
    if value is None:
        return _UNKNOWN
    return words[value - field.lo] if words else str(value)


def axis_names(game: Game, field: Field, dimension: int) -> Sequence[str] | None:
    """The names of an array's places along a dimension, where the game declares them."""
    declared = game.facts.get("names", {}).get(field.name)
    if declared is None:
        return None
    flat = all(isinstance(name, str) for name in declared)
    if flat:
        return declared if dimension == len(field.shape) - 1 else None
    chosen: Sequence[str] | None = declared[dimension]
    return chosen


def _board(game: Game, field: Field, shape: Sequence[int]) -> list[list[int | None]]:
    """The rows of a board as cell numbers, none for what is no board.

    It is declared, or it is an array of single letters in two dimensions or in a square.
    """
    declared: int | list[list[int | None]] = game.facts.get("grid", {}).get(field.name, 0)
    if isinstance(declared, list):
        return declared
    columns = declared
    if not columns and field.labels and all(len(label) == 1 for label in field.labels):
        side = isqrt(shape[0])
        columns = shape[1] if len(shape) == 2 else side if side * side == shape[0] else 0
    cells: list[int | None] = list(range(prod(shape)))
    return [cells[start:start + columns] for start in range(0, len(cells), columns)] if columns else []


def _grid(field: Field, cells: Cells, rows: Sequence[Sequence[int | None]], *, numbered: bool) -> Text:
    """A board. Where actions name its cells by number (`numbered`), an empty cell shows that number."""
    width = max(len(str(len(cells) - 1)) if numbered else 1, *(len(label) for label in field.labels or ("0",)))
    text = Text()
    for place, row in enumerate(rows):
        text.append("\n" if place else "")
        for number in row:
            value = None if number is None else cells[number]
            empty = value == field.lo and (not field.labels or field.labels[0] in (".", " ", "-"))
            shown = "" if number is None else _UNKNOWN if value is None else field.show(value)
            text.append(f"{number if empty and numbered else shown:>{width}} ", "dim" if empty else "bold")
    return text


def _row(game: Game, field: Field, cells: Cells, names: Sequence[str] | None) -> Drawn:
    if names is None:
        return _plain(game, field, cells)
    if value_names(game, field):
        return _grouped(game, field, cells, names)
    there = [(name, count) for name, count in zip(names, cells, strict=False) if count != 0]
    if not there and ((field.lo, field.hi) == (0, 1) or len(cells) > _FEW):
        return Text("none", "dim")
    if (field.lo, field.hi) == (0, 1):  # there or not there: the names say it all
        return Flow([Text(name if count else f"{name} {_UNKNOWN}") for name, count in there], 2)
    shown = there if len(cells) > _MANY else list(zip(names, cells, strict=False))
    return Flow([_counted(name, count, times=any(n[-1:].isdigit() for n in names)) for name, count in shown], 2)


def _plain(game: Game, field: Field, cells: Cells) -> Drawn:
    """Values without names: one after the other, of many only those above the least, by their number."""
    if len(cells) <= _LONG:
        return Flow([Text(_word(game, field, c)) for c in cells], 1)
    there = [(number, value) for number, value in enumerate(cells) if value != field.lo]
    if not there:
        least = _word(game, field, field.lo)
        return Text("none" if least in ("0", *_NOTHING) else f"{len(cells)} × {least}", "dim")
    return Flow([Text.assemble((f"{number}:", "dim"), _word(game, field, value)) for number, value in there], 1)


def _counted(name: str, count: int | None, *, times: bool) -> Text:
    """How many of something: `food 3`, or `3 × card 7` where names end in numbers of their own."""
    number, style = (_UNKNOWN if count is None else str(count)), ("bold" if count else "dim")
    if times:
        return Text.assemble((number, style), (" × ", "dim"), (name, "" if count else "dim"))
    return Text.assemble((f"{name} ", "" if count else "dim"), (number, style))


def _grouped(game: Game, field: Field, cells: Cells, names: Sequence[str]) -> Drawn:
    """Things by the place they are in: `stand: 001 002`; what is nowhere is left out."""
    rows: list[RenderableType] = []
    for value, label in enumerate(value_names(game, field), field.lo):
        here = [name for name, cell in zip(names, cells, strict=False) if cell == value]
        if here and not (value == field.lo and label in _NOTHING):
            rows.append(Flow([Text(f"{label}:", "dim"), *map(Text, here)], 1 if all(" " not in n for n in here) else 2))
    if any(c is None for c in cells):
        rows.append(Text(f"{_UNKNOWN}: {sum(c is None for c in cells)}", "dim"))
    return Group(*rows) if rows else Text("none", "dim")

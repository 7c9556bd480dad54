"""The table as a seat sees it, drawn from fields, labels and what the game declares
(playproof.referee.screen_facts).

From top to bottom: title, round and who acts; single values; shared fields; the fields of each
seat, in columns; the names of empty fields, in one line; boards, which stay next to the choices.
The lines can also be read in a pipe.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from string import Formatter

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from playproof.language import Interpreter, Sees
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.referee.line_breaks import WrappedItems
from playproof.referee.notation import normalize_text, read_round_number, seat_name, seat_names
from playproof.referee.screen_facts import UNKNOWN, DisplayFacts
from playproof.referee.screen_pages import ScreenPart
from playproof.referee.shared_boards import is_board_shown, iter_board_fields, render_board, seat_colour
from playproof.referee.things import (
    NOTHING,
    RenderedThing,
    get_field_cells,
    render_array,
    render_pile,
    render_value,
)
from playproof.referee.view import View, can_see_term, list_drawn_fields

CHOICES, _HAND, _BOARD, _MORE = 1, 2, 3, 4  # on a small screen: behind the overview, in this order
_NARROWEST = 20  # columns a seat needs; if the window has fewer, seats stand below each other


@dataclass(frozen=True, slots=True)
class TableRow:
    """One named part of the table: one thing, or one thing per seat. A line without a name is a
    single value that names itself."""

    name: str
    things: tuple[RenderedThing, ...]
    is_private: bool = False  # each seat sees its own

    @property
    def empty(self) -> bool:
        """Return whether the line has a name and all its things are empty."""
        return bool(self.name) and all(thing is NOTHING for thing in self.things)


def render_table(play: Interpreter, state: Sequence[int], seat: int | None, title: str) -> RenderableType:
    """Draw the whole table: a heading, the shared fields, the fields of each seat."""
    return Group(*(part.drawn for part in render_table_parts(play, state, seat, title)))


def render_table_parts(
    play: Interpreter, state: Sequence[int], seat: int | None, title: str
) -> list[ScreenPart]:
    """Return the parts of the table. A small screen shows what is short first, then boards, then what each has."""
    game, look, view = play.game, DisplayFacts.from_game(play.game), View.of(play.game, state, seat)
    everything = list(_iter_table_rows(play, look, view, state))
    lines = [line for line in everything if not line.empty]
    parts = [ScreenPart(Rule(Text(format_table_heading(play, state, title), "bold"), style="dim"))]
    scalars = [line.things[0] for line in lines if not line.name]
    if scalars:
        parts.append(
            ScreenPart(Padding(WrappedItems([text for text in scalars if isinstance(text, Text)]), (0, 1)))
        )
    shared = [line for line in lines if line.name and len(line.things) == 1]
    if shared:
        parts.append(ScreenPart(_render_shared_rows(shared), _MORE))
    own = [line for line in lines if len(line.things) > 1]
    if own:
        parts.append(
            ScreenPart(SeatColumns(game, own, seat), _MORE, tuple(_split_hands_from_rest(game, own, seat)))
        )
    if quantities := _render_shown_quantities(play, state, seat):
        parts.append(ScreenPart(Padding(quantities, (0, 1))))
    if empty := _render_empty_field_names(everything):
        parts.append(ScreenPart(Padding(empty, (0, 1)), _MORE))
    # Boards come last, next to the choices, because a small window scrolls the top away.
    parts += [ScreenPart(board, _BOARD) for board in _iter_rendered_boards(look, view)]
    return parts


def _split_hands_from_rest(game: Game, own: Sequence[TableRow], seat: int | None) -> Iterator[ScreenPart]:
    """Yield what each seat has in two parts for a small screen: a hand stands near the choices."""
    hands = [line for line in own if line.is_private]
    others = [line for line in own if not line.is_private]
    if hands and others:
        yield ScreenPart(SeatColumns(game, hands, seat), _HAND)
        yield ScreenPart(SeatColumns(game, others, seat), _MORE)


def render_boards(play: Interpreter, state: Sequence[int], seat: int | None) -> list[RenderableType]:
    """Return the boards of the table, one by one."""
    return list(_iter_rendered_boards(DisplayFacts.from_game(play.game), View.of(play.game, state, seat)))


def _iter_rendered_boards(display: DisplayFacts, view: View) -> Iterator[RenderableType]:
    for board in display.boards:
        if is_board_shown(display, view, board):
            yield Padding(render_board(display, view, board), (0, 1))


def render_fields_by_words(
    play: Interpreter, state: Sequence[int], seat: int | None, words: str
) -> RenderableType | None:
    """Draw in full the fields whose names contain these words; return None if there are none."""
    game = play.game
    look, view = (
        replace(DisplayFacts.from_game(game), totals=(), only={}, sizes={}),
        View.of(game, state, seat),
    )
    wanted = normalize_text(words)
    fields = [
        f
        for f in list_drawn_fields(game)
        if wanted in normalize_text(look.get_field_title(f.name))
        or wanted in normalize_text(f.name.replace("_", " "))
    ]
    lines = [_make_field_row(look, view, held, {}) for held in fields]
    parts: list[RenderableType] = [Padding(line.things[0], (0, 1)) for line in lines if not line.name]
    shared = [line for line in lines if line.name and len(line.things) == 1]
    own = [line for line in lines if len(line.things) > 1]
    parts += [_render_shared_rows(shared)] if shared else []
    parts += [SeatColumns(game, own, seat)] if own else []
    return Group(*parts) if parts else None


def format_table_heading(play: Interpreter, state: Sequence[int], title: str) -> str:
    """Return the title, the round, and who acts or that the game is over."""
    parts = [title]
    number = read_round_number(play, state)
    if number is not None:
        parts.append(f"round {number}")
    if play.terminal(state):
        parts.append("the game is over")
    else:
        parts.append(seat_name(play.game, play.actor(state)))
    return " | ".join(parts)


def describe_phase_or_ending(play: Interpreter, state: Sequence[int]) -> str:
    """Return the text of the current phase, or how the game ended."""
    end = play.ending(state)
    return end.reason if end else play.game.phases[state[0]].text


def _render_shared_rows(lines: Sequence[TableRow]) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column()
    for line in lines:
        table.add_row(line.name, line.things[0])
    return Padding(table, (0, 1))


@dataclass(frozen=True)
class SeatColumns:
    """A table with one column per seat, as many side by side as the width allows."""

    game: Game
    lines: Sequence[TableRow]
    seat: int | None

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        room = options.max_width - max(len(line.name) for line in self.lines) - 3
        beside = max(1, min(self.game.players, room // _NARROWEST))
        rows = -(-self.game.players // beside)
        beside = -(-self.game.players // rows)  # four seats with room for three: two rows of two
        for first in range(0, self.game.players, beside):
            yield self._render_columns(range(first, min(first + beside, self.game.players)))

    def _render_columns(self, seats: range) -> Table:
        table = Table(box=None, pad_edge=True, padding=(0, 1), header_style="bold")
        table.add_column(
            "",
            justify="right",
            style="dim",
            no_wrap=True,
            min_width=max(len(line.name) for line in self.lines),
        )
        names = seat_names(self.game)
        for seat in seats:
            name = f"{names[seat]} (you)" if seat == self.seat else names[seat]
            table.add_column(Text(name, f"bold {seat_colour(seat)}"), ratio=1)
        for line in self.lines:
            things = [line.things[seat] for seat in seats]
            if any(thing is not NOTHING for thing in things):
                table.add_row(
                    line.name, *(Text("-", "dim") if thing is NOTHING else thing for thing in things)
                )
        return table


def _render_empty_field_names(lines: Iterable[TableRow]) -> Text | None:
    """Return one line that names the empty fields, or None if there are none."""
    names = [line.name for line in lines if line.empty]
    return Text(f"none: {', '.join(names)}", "dim") if names else None


def _render_shown_quantities(
    play: Interpreter, state: Sequence[int], seat: int | None
) -> WrappedItems | None:
    """Return the quantities that the fact `show` names and that the seat may know."""
    game = play.game
    wanted = [n for n in game.facts.get("show", ()) if n in game.quantities]
    seen = [n for n in wanted if seat is None or can_see_term(game, game.quantities[n], seat)]
    texts = [Text.assemble((f"{name} ", "dim"), (str(play.quantity(name, state)), "bold")) for name in seen]
    return WrappedItems(texts) if texts else None


# -- lines ----------------------------------------------------------------------------------------------------------


def _iter_table_rows(
    play: Interpreter, display: DisplayFacts, view: View, state: Sequence[int]
) -> Iterator[TableRow]:
    """Yield the lines made from texts, then one line for each field not drawn elsewhere."""

    def now(name: str) -> bool:
        return name not in display.only or play.quantity(display.only[name], state) != 0

    unseen = Sees.NOBODY if view.seat is not None else None  # players do not see the fields that nobody sees
    fields = {f.name: f for f in list_drawn_fields(play.game) if f.sees is not unseen and now(f.name)}
    used = {name for board in display.boards for name in iter_board_fields(board)} | set(
        display.sizes.values()
    )
    for title, template in display.texts.items():
        used |= _list_template_fields(template)
        if now(title):
            yield _make_single_value_row(title, Text(_fill_template(display, view, template), "bold"))
    for name, held in fields.items():
        paired = name.endswith("_size") and f"{name.removesuffix('_size')}_cards" in fields
        if name not in used and not paired:
            yield _make_field_row(display, view, held, fields)


def _list_template_fields(template: str) -> set[str]:
    """Return the names of the fields that a text uses."""
    return {name.partition("[")[0] for _, name, _, _ in Formatter().parse(template) if name}


def _fill_template(display: DisplayFacts, view: View, template: str) -> str:
    words: dict[str, str | list[str]] = {}
    for name in _list_template_fields(template):
        held = display.game.get_field(name)
        texts = [display.format_value(held, c) for c in get_field_cells(view, held)]
        words[name] = texts if held.shape else texts[0]
    return template.format(**words)


def _make_field_row(
    display: DisplayFacts, view: View, game_field: Field, fields: dict[str, Field]
) -> TableRow:
    cells = get_field_cells(view, game_field)
    base = game_field.name.removesuffix("_cards")
    if base != game_field.name and f"{base}_size" in fields:
        (size,) = get_field_cells(view, fields[f"{base}_size"])
        return TableRow(display.get_field_title(base), (render_pile(display, game_field, cells, size),))
    title = display.get_field_title(game_field.name)
    if not game_field.shape:
        return _make_single_value_row(title, render_value(display, game_field, cells[0]))
    if display.has_part_per_seat(game_field):
        things = tuple(
            _render_part_of_seat(display, view, game_field, seat) for seat in range(display.game.players)
        )
        return TableRow(title, things, game_field.sees is Sees.OWNER)
    thing = render_array(display, view, game_field, cells, 0)
    if game_field.name in display.totals and isinstance(thing, Text) and thing is not NOTHING:
        return _make_single_value_row(title, thing)
    return TableRow(title, (thing,))


def _make_single_value_row(title: str, thing: Text) -> TableRow:
    return TableRow("", (Text.assemble((f"{title} ", "dim"), thing),))


def _render_part_of_seat(display: DisplayFacts, view: View, game_field: Field, seat: int) -> RenderedThing:
    share = game_field.size // game_field.shape[0]
    own = get_field_cells(view, game_field)[seat * share : (seat + 1) * share]
    if game_field.name in display.sizes and all(c is None for c in own):
        size = get_field_cells(view, display.game.get_field(display.sizes[game_field.name]))[seat]
        return NOTHING if size == 0 else Text(f"{size} × {UNKNOWN}", "dim")
    return (
        render_value(display, game_field, own[0])
        if len(game_field.shape) == 1
        else render_array(display, view, game_field, own, 1)
    )

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
from playproof.referee.line_breaks import Flow
from playproof.referee.notation import plain, round_of, seat_name, seat_names
from playproof.referee.screen_facts import UNKNOWN, Look
from playproof.referee.screen_pages import ScreenPart
from playproof.referee.shared_boards import draw_board, fields_of, is_drawn, seat_colour
from playproof.referee.things import NOTHING, Drawn, array, cells_of, pile, single
from playproof.referee.view import View, drawn_fields, sees_term

CHOICES, _HAND, _BOARD, _MORE = 1, 2, 3, 4  # on a small screen: behind the overview, in this order
_NARROWEST = 20  # columns a seat needs; if the window has fewer, seats stand below each other


@dataclass(frozen=True, slots=True)
class TableRow:
    """One named part of the table: one thing, or one thing per seat. A line without a name is a
    single value that names itself."""

    name: str
    things: tuple[Drawn, ...]
    is_private: bool = False  # each seat sees its own

    @property
    def empty(self) -> bool:
        """Return whether the line has a name and all its things are empty."""
        return bool(self.name) and all(thing is NOTHING for thing in self.things)


def draw(play: Interpreter, state: Sequence[int], seat: int | None, title: str) -> RenderableType:
    """Draw the whole table: a heading, the shared fields, the fields of each seat."""
    return Group(*(part.drawn for part in draw_in_parts(play, state, seat, title)))


def draw_in_parts(play: Interpreter, state: Sequence[int], seat: int | None, title: str) -> list[ScreenPart]:
    """Return the parts of the table. A small screen shows what is short first, then boards, then what each has."""
    game, look, view = play.game, Look.of(play.game), View.of(play.game, state, seat)
    everything = list(_lines(play, look, view, state))
    lines = [line for line in everything if not line.empty]
    parts = [ScreenPart(Rule(Text(heading(play, state, title), "bold"), style="dim"))]
    scalars = [line.things[0] for line in lines if not line.name]
    if scalars:
        parts.append(ScreenPart(Padding(Flow([text for text in scalars if isinstance(text, Text)]), (0, 1))))
    shared = [line for line in lines if line.name and len(line.things) == 1]
    if shared:
        parts.append(ScreenPart(_shared(shared), _MORE))
    own = [line for line in lines if len(line.things) > 1]
    if own:
        parts.append(ScreenPart(BySeat(game, own, seat), _MORE, tuple(_in_two(game, own, seat))))
    if quantities := _quantities(play, state, seat):
        parts.append(ScreenPart(Padding(quantities, (0, 1))))
    if empty := _empty(everything):
        parts.append(ScreenPart(Padding(empty, (0, 1)), _MORE))
    # Boards come last, next to the choices, because a small window scrolls the top away.
    parts += [ScreenPart(board, _BOARD) for board in _boards(look, view)]
    return parts


def _in_two(game: Game, own: Sequence[TableRow], seat: int | None) -> Iterator[ScreenPart]:
    """Yield what each seat has in two parts for a small screen: a hand stands near the choices."""
    hands = [line for line in own if line.is_private]
    others = [line for line in own if not line.is_private]
    if hands and others:
        yield ScreenPart(BySeat(game, hands, seat), _HAND)
        yield ScreenPart(BySeat(game, others, seat), _MORE)


def draw_boards(play: Interpreter, state: Sequence[int], seat: int | None) -> list[RenderableType]:
    """Return the boards of the table, one by one."""
    return list(_boards(Look.of(play.game), View.of(play.game, state, seat)))


def _boards(look: Look, view: View) -> Iterator[RenderableType]:
    for board in look.boards:
        if is_drawn(look, view, board):
            yield Padding(draw_board(look, view, board), (0, 1))


def draw_parts(
    play: Interpreter, state: Sequence[int], seat: int | None, words: str
) -> RenderableType | None:
    """Draw in full the fields whose names contain these words; return None if there are none."""
    game = play.game
    look, view = replace(Look.of(game), totals=(), only={}, sizes={}), View.of(game, state, seat)
    wanted = plain(words)
    fields = [
        f
        for f in drawn_fields(game)
        if wanted in plain(look.title(f.name)) or wanted in plain(f.name.replace("_", " "))
    ]
    lines = [_line(look, view, held, {}) for held in fields]
    parts: list[RenderableType] = [Padding(line.things[0], (0, 1)) for line in lines if not line.name]
    shared = [line for line in lines if line.name and len(line.things) == 1]
    own = [line for line in lines if len(line.things) > 1]
    parts += [_shared(shared)] if shared else []
    parts += [BySeat(game, own, seat)] if own else []
    return Group(*parts) if parts else None


def heading(play: Interpreter, state: Sequence[int], title: str) -> str:
    """Return the title, the round, and who acts or that the game is over."""
    parts = [title]
    number = round_of(play, state)
    if number is not None:
        parts.append(f"round {number}")
    if play.terminal(state):
        parts.append("the game is over")
    else:
        parts.append(seat_name(play.game, play.actor(state)))
    return " | ".join(parts)


def moment(play: Interpreter, state: Sequence[int]) -> str:
    """Return the text of the current phase, or how the game ended."""
    end = play.ending(state)
    return end.reason if end else play.game.phases[state[0]].text


def _shared(lines: Sequence[TableRow]) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column()
    for line in lines:
        table.add_row(line.name, line.things[0])
    return Padding(table, (0, 1))


@dataclass(frozen=True)
class BySeat:
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
            yield self._table(range(first, min(first + beside, self.game.players)))

    def _table(self, seats: range) -> Table:
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


def _empty(lines: Iterable[TableRow]) -> Text | None:
    """Return one line that names the empty fields, or None if there are none."""
    names = [line.name for line in lines if line.empty]
    return Text(f"none: {', '.join(names)}", "dim") if names else None


def _quantities(play: Interpreter, state: Sequence[int], seat: int | None) -> Flow | None:
    """Return the quantities that the fact `show` names and that the seat may know."""
    game = play.game
    wanted = [n for n in game.facts.get("show", ()) if n in game.quantities]
    seen = [n for n in wanted if seat is None or sees_term(game, game.quantities[n], seat)]
    texts = [Text.assemble((f"{name} ", "dim"), (str(play.quantity(name, state)), "bold")) for name in seen]
    return Flow(texts) if texts else None


# -- lines ----------------------------------------------------------------------------------------------------------


def _lines(play: Interpreter, look: Look, view: View, state: Sequence[int]) -> Iterator[TableRow]:
    """Yield the lines made from texts, then one line for each field not drawn elsewhere."""

    def now(name: str) -> bool:
        return name not in look.only or play.quantity(look.only[name], state) != 0

    unseen = Sees.NOBODY if view.seat is not None else None  # players do not see the fields that nobody sees
    fields = {f.name: f for f in drawn_fields(play.game) if f.sees is not unseen and now(f.name)}
    used = {name for board in look.boards for name in fields_of(board)} | set(look.sizes.values())
    for title, template in look.texts.items():
        used |= _named(template)
        if now(title):
            yield _single_line(title, Text(_filled(look, view, template), "bold"))
    for name, held in fields.items():
        paired = name.endswith("_size") and f"{name.removesuffix('_size')}_cards" in fields
        if name not in used and not paired:
            yield _line(look, view, held, fields)


def _named(template: str) -> set[str]:
    """Return the names of the fields that a text uses."""
    return {name.partition("[")[0] for _, name, _, _ in Formatter().parse(template) if name}


def _filled(look: Look, view: View, template: str) -> str:
    words: dict[str, str | list[str]] = {}
    for name in _named(template):
        held = look.game.field_named(name)
        texts = [look.word(held, c) for c in cells_of(view, held)]
        words[name] = texts if held.shape else texts[0]
    return template.format(**words)


def _line(look: Look, view: View, held: Field, fields: dict[str, Field]) -> TableRow:
    cells = cells_of(view, held)
    base = held.name.removesuffix("_cards")
    if base != held.name and f"{base}_size" in fields:
        (size,) = cells_of(view, fields[f"{base}_size"])
        return TableRow(look.title(base), (pile(look, held, cells, size),))
    title = look.title(held.name)
    if not held.shape:
        return _single_line(title, single(look, held, cells[0]))
    if look.by_seat(held):
        things = tuple(_of_seat(look, view, held, seat) for seat in range(look.game.players))
        return TableRow(title, things, held.sees is Sees.OWNER)
    thing = array(look, view, held, cells, 0)
    if held.name in look.totals and isinstance(thing, Text) and thing is not NOTHING:
        return _single_line(title, thing)
    return TableRow(title, (thing,))


def _single_line(title: str, thing: Text) -> TableRow:
    return TableRow("", (Text.assemble((f"{title} ", "dim"), thing),))


def _of_seat(look: Look, view: View, held: Field, seat: int) -> Drawn:
    share = held.size // held.shape[0]
    own = cells_of(view, held)[seat * share : (seat + 1) * share]
    if held.name in look.sizes and all(c is None for c in own):
        size = cells_of(view, look.game.field_named(look.sizes[held.name]))[seat]
        return NOTHING if size == 0 else Text(f"{size} × {UNKNOWN}", "dim")
    return single(look, held, own[0]) if len(held.shape) == 1 else array(look, view, held, own, 1)

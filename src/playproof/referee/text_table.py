"""The table as a seat sees it, as text: drawn from fields, labels and what the game declares, with the
legal actions as a numbered list, in pages that fit a screen.

From top to bottom: title, round and who acts; single values; shared fields; the fields of each
seat, in columns; the names of empty fields, in one line; boards, which stay next to the choices.
The lines can also be read in a pipe.

The legal actions as a numbered list, grouped by kind, with common words said once.

to ...  1 blue 1b  2 blue 1c  3 red 1a
4 to Port"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from string import Formatter

from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.segment import Segment, SegmentLines
from rich.table import Table
from rich.text import Text

from playproof.language import Interpreter, Move, Sees
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.referee.field_rendering import (
    NOTHING,
    RenderedThing,
    WrappedItems,
    get_visible_cells_of_field,
    is_declared_board_shown,
    iter_names_of_fields_on_board,
    render_array_from_dimension,
    render_declared_board,
    render_field_value,
    render_pile,
    seat_colour,
)
from playproof.referee.notation import (
    get_declared_round_number_or_none,
    has_word_for_each_wanted_beginning,
    normalize_text_for_comparison,
    seat_name,
    seat_names,
    use_an_before_capital_vowels,
)
from playproof.referee.view import (
    UNKNOWN,
    DisplayFacts,
    SeatOrReferee,
    View,
    can_seat_see_all_fields_of_term,
    list_fields_drawn_on_table,
)

# The table as a seat sees it, drawn from fields, labels and what the game declares
# (playproof.referee.view).

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


def render_table_seen_by_seat(
    play: Interpreter, state: Sequence[int], seat: SeatOrReferee, title: str
) -> RenderableType:
    """Draw the whole table: a heading, the shared fields, the fields of each seat."""
    return Group(*(part.drawn for part in render_table_as_screen_parts(play, state, seat, title)))


def render_table_as_screen_parts(
    play: Interpreter, state: Sequence[int], seat: SeatOrReferee, title: str
) -> list[ScreenPart]:
    """Return the parts of the table. A small screen shows what is short first, then boards, then what each has."""
    game, look, view = play.game, DisplayFacts.from_game(play.game), View.of(play.game, state, seat)
    everything = list(_iter_rows_of_texts_and_fields(play, look, view, state))
    lines = [line for line in everything if not line.empty]
    parts = [ScreenPart(Rule(Text(format_title_round_and_actor(play, state, title), "bold"), style="dim"))]
    scalars = [line.things[0] for line in lines if not line.name]
    if scalars:
        parts.append(ScreenPart(Padding(WrappedItems([text for text in scalars if isinstance(text, Text)]), (0, 1))))
    shared = [line for line in lines if line.name and len(line.things) == 1]
    if shared:
        parts.append(ScreenPart(_render_rows_shared_by_all_seats(shared), _MORE))
    own = [line for line in lines if len(line.things) > 1]
    if own:
        parts.append(
            ScreenPart(SeatColumns(game, own, seat), _MORE, tuple(_iter_hand_and_rest_if_both(game, own, seat)))
        )
    if quantities := _render_quantities_seat_may_know_or_none(play, state, seat):
        parts.append(ScreenPart(Padding(quantities, (0, 1))))
    if empty := _render_line_naming_empty_rows_or_none(everything):
        parts.append(ScreenPart(Padding(empty, (0, 1)), _MORE))
    # Boards come last, next to the choices, because a small window scrolls the top away.
    parts += [ScreenPart(board, _BOARD) for board in _iter_rendered_boards(look, view)]
    return parts


def _iter_hand_and_rest_if_both(
    game: Game, rows_per_seat: Sequence[TableRow], seat: SeatOrReferee
) -> Iterator[ScreenPart]:
    """Yield what each seat has in two parts for a small screen: a hand stands near the choices."""
    hands = [line for line in rows_per_seat if line.is_private]
    others = [line for line in rows_per_seat if not line.is_private]
    if hands and others:
        yield ScreenPart(SeatColumns(game, hands, seat), _HAND)
        yield ScreenPart(SeatColumns(game, others, seat), _MORE)


def render_boards_seen_by_seat(play: Interpreter, state: Sequence[int], seat: SeatOrReferee) -> list[RenderableType]:
    """Return the boards of the table, one by one."""
    return list(_iter_rendered_boards(DisplayFacts.from_game(play.game), View.of(play.game, state, seat)))


def _iter_rendered_boards(display: DisplayFacts, view: View) -> Iterator[RenderableType]:
    for board in display.boards:
        if is_declared_board_shown(display, view, board):
            yield Padding(render_declared_board(display, view, board), (0, 1))


def render_fields_with_words_in_name_or_none(
    play: Interpreter, state: Sequence[int], seat: SeatOrReferee, field_words: str
) -> RenderableType | None:
    """Draw in full the fields whose names contain these words; return None if there are none."""
    game = play.game
    look, view = (replace(DisplayFacts.from_game(game), totals=(), only={}, sizes={}), View.of(game, state, seat))
    wanted = normalize_text_for_comparison(field_words)
    fields = [
        f
        for f in list_fields_drawn_on_table(game)
        if wanted in normalize_text_for_comparison(look.get_field_title(f.name))
        or wanted in normalize_text_for_comparison(f.name.replace("_", " "))
    ]
    lines = [_make_field_row(look, view, held, {}) for held in fields]
    parts: list[RenderableType] = [Padding(line.things[0], (0, 1)) for line in lines if not line.name]
    shared = [line for line in lines if line.name and len(line.things) == 1]
    own = [line for line in lines if len(line.things) > 1]
    parts += [_render_rows_shared_by_all_seats(shared)] if shared else []
    parts += [SeatColumns(game, own, seat)] if own else []
    return Group(*parts) if parts else None


def format_title_round_and_actor(
    play: Interpreter, state: Sequence[int], title: str, *, with_actor: bool = True
) -> str:
    """Return the title, the round, and, unless that is told elsewhere, who acts or that the game is over."""
    parts = [title]
    number = get_declared_round_number_or_none(play, state)
    if number is not None:
        parts.append(f"round {number}")
    if with_actor:
        parts.append("the game is over" if play.terminal(state) else seat_name(play.game, play.actor(state)))
    return " | ".join(parts)


def describe_phase_or_ending(play: Interpreter, state: Sequence[int]) -> str:
    """Return the text of the current phase, or how the game ended."""
    end = play.ending(state)
    return end.reason if end else play.game.phases[state[0]].text


def _render_rows_shared_by_all_seats(rows: Sequence[TableRow]) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    table.add_column(justify="right", style="dim", no_wrap=True)
    table.add_column()
    for line in rows:
        table.add_row(line.name, line.things[0])
    return Padding(table, (0, 1))


@dataclass(frozen=True)
class SeatColumns:
    """A table with one column per seat, as many side by side as the width allows."""

    game: Game
    lines: Sequence[TableRow]
    seat: SeatOrReferee

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        room = options.max_width - max(len(line.name) for line in self.lines) - 3
        beside = max(1, min(self.game.players, room // _NARROWEST))
        rows = -(-self.game.players // beside)
        beside = -(-self.game.players // rows)  # four seats with room for three: two rows of two
        for first in range(0, self.game.players, beside):
            yield self._render_table_of_seats(range(first, min(first + beside, self.game.players)))

    def _render_table_of_seats(self, seats_side_by_side: range) -> Table:
        table = Table(box=None, pad_edge=True, padding=(0, 1), header_style="bold")
        table.add_column(
            "", justify="right", style="dim", no_wrap=True, min_width=max(len(line.name) for line in self.lines)
        )
        names = seat_names(self.game)
        for seat in seats_side_by_side:
            name = f"{names[seat]} (you)" if seat == self.seat else names[seat]
            table.add_column(Text(name, f"bold {seat_colour(seat)}"), ratio=1)
        for line in self.lines:
            things = [line.things[seat] for seat in seats_side_by_side]
            if any(thing is not NOTHING for thing in things):
                table.add_row(line.name, *(Text("-", "dim") if thing is NOTHING else thing for thing in things))
        return table


def _render_line_naming_empty_rows_or_none(rows: Iterable[TableRow]) -> Text | None:
    """Return one line that names the empty fields, or None if there are none."""
    names = [line.name for line in rows if line.empty]
    return Text(f"none: {', '.join(names)}", "dim") if names else None


def _render_quantities_seat_may_know_or_none(
    play: Interpreter, state: Sequence[int], seat: SeatOrReferee
) -> WrappedItems | None:
    """Return the quantities that the fact `show` names and that the seat may know."""
    game = play.game
    wanted = [n for n in game.facts.get("show", ()) if n in game.quantities]
    seen = [n for n in wanted if seat is None or can_seat_see_all_fields_of_term(game, game.quantities[n], seat)]
    texts = [Text.assemble((f"{name} ", "dim"), (str(play.quantity(name, state)), "bold")) for name in seen]
    return WrappedItems(texts) if texts else None


# -- lines ----------------------------------------------------------------------------------------------------------


def _iter_rows_of_texts_and_fields(
    play: Interpreter, display: DisplayFacts, view: View, state: Sequence[int]
) -> Iterator[TableRow]:
    """Yield the lines made from texts, then one line for each field not drawn elsewhere."""

    def now(name: str) -> bool:
        return name not in display.only or play.quantity(display.only[name], state) != 0

    unseen = Sees.NOBODY if view.seat is not None else None  # players do not see the fields that nobody sees
    fields = {f.name: f for f in list_fields_drawn_on_table(play.game) if f.sees is not unseen and now(f.name)}
    used = {name for board in display.boards for name in iter_names_of_fields_on_board(board)} | set(
        display.sizes.values()
    )
    for title, template in display.texts.items():
        used |= _list_field_names_in_template(template)
        if now(title):
            yield _make_unnamed_value_row(
                title, Text(_fill_template_with_field_values(display, view, template), "bold")
            )
    for name, held in fields.items():
        paired = name.endswith("_size") and f"{name.removesuffix('_size')}_cards" in fields
        if name not in used and not paired:
            yield _make_field_row(display, view, held, fields)


def _list_field_names_in_template(template: str) -> set[str]:
    """Return the names of the fields that a text uses."""
    return {name.partition("[")[0] for _, name, _, _ in Formatter().parse(template) if name}


def _fill_template_with_field_values(display: DisplayFacts, view: View, template: str) -> str:
    words: dict[str, str | list[str]] = {}
    for name in _list_field_names_in_template(template):
        held = display.game.get_field(name)
        texts = [display.format_field_value(held, c) for c in get_visible_cells_of_field(view, held)]
        words[name] = texts if held.shape else texts[0]
    return template.format(**words)


def _make_field_row(
    display: DisplayFacts, view: View, game_field: Field, shown_fields_by_name: dict[str, Field]
) -> TableRow:
    cells = get_visible_cells_of_field(view, game_field)
    base = game_field.name.removesuffix("_cards")
    if base != game_field.name and f"{base}_size" in shown_fields_by_name:
        (size,) = get_visible_cells_of_field(view, shown_fields_by_name[f"{base}_size"])
        return TableRow(display.get_field_title(base), (render_pile(display, game_field, cells, size),))
    title = display.get_field_title(game_field.name)
    if not game_field.shape:
        # A word after a word would read as a sentence: "the end not over".
        words = display.get_names_of_field_values(game_field)
        return _make_unnamed_value_row(
            f"{title}:" if words else title, render_field_value(display, game_field, cells[0])
        )
    if display.has_separate_part_per_seat(game_field):
        things = tuple(
            _render_field_part_of_seat(display, view, game_field, seat) for seat in range(display.game.players)
        )
        return TableRow(title, things, game_field.sees is Sees.OWNER)
    thing = render_array_from_dimension(display, view, game_field, cells, 0)
    if game_field.name in display.totals and isinstance(thing, Text) and thing is not NOTHING:
        return _make_unnamed_value_row(title, thing)
    return TableRow(title, (thing,))


def _make_unnamed_value_row(title: str, value_text: Text) -> TableRow:
    return TableRow("", (Text.assemble((f"{title} ", "dim"), value_text),))


def _render_field_part_of_seat(display: DisplayFacts, view: View, game_field: Field, seat: int) -> RenderedThing:
    share = game_field.size // game_field.shape[0]
    own = get_visible_cells_of_field(view, game_field)[seat * share : (seat + 1) * share]
    if game_field.name in display.sizes and all(c is None for c in own):
        size = get_visible_cells_of_field(view, display.game.get_field(display.sizes[game_field.name]))[seat]
        return NOTHING if size == 0 else Text(f"{size} × {UNKNOWN}", "dim")
    return (
        render_field_value(display, game_field, own[0])
        if len(game_field.shape) == 1
        else render_array_from_dimension(display, view, game_field, own, 1)
    )


# -- numbered choices ----------------------------------------------------------------------------------------
# The legal actions as a numbered list, grouped by kind, with common words said once.

_IN_LINES = 10  # up to so many choices have a line each
_ALIKE = 3  # from so many on, choices of a kind form a group
_LONGEST = 60  # a longer group shows its first choices and the number of others
_FIRST = 24
_WIDEST = 34  # a longer heading has a line of its own
_GAP = "…"


@dataclass(frozen=True, slots=True)
class NumberedChoice:
    """A legal action and its number in the list."""

    number: int
    move: Move


@dataclass(frozen=True, slots=True)
class ChoiceGroup:
    """Choices that differ in some words only: the words they share, and the words that each has
    in place of the gap."""

    heading: str
    choices: Sequence[NumberedChoice]
    own: Sequence[str]


def filter_choices_by_word_beginnings(choices: Sequence[NumberedChoice], word_beginnings: str) -> list[NumberedChoice]:
    """Return the choices that, for each word of `word_beginnings`, contain a word that begins like it."""
    return [choice for choice in choices if has_word_for_each_wanted_beginning(choice.move.text, word_beginnings)]


def render_numbered_choices(game: Game, choices: Sequence[NumberedChoice]) -> RenderableType:
    """Draw all choices: few as lines, many by kind."""
    wide = len(str(max((c.number for c in choices), default=0)))
    if len(choices) <= _IN_LINES:
        return Group(*(Text(" ") + _render_numbered_text(c.number, c.move.text, wide) for c in choices))
    parts: list[RenderableType] = []
    for alone, group in groupby(iter_choices_grouped_by_shared_words(game, choices), key=lambda kind: not kind.heading):
        if alone:
            rows = [_render_numbered_text(c.number, c.move.text, wide) for kind in group for c in kind.choices]
            parts.append(Padding(Columns(rows, padding=(0, 2), column_first=True), (0, 1)))
        else:
            parts += [_render_choice_group(kind) for kind in group]
    return Group(*parts)


def _render_numbered_text(choice_number: int, text: str, number_width: int) -> Text:
    return Text.assemble((f"{choice_number:>{number_width}} ", "bold"), use_an_before_capital_vowels(text))


def _render_choice_group(choice_group: ChoiceGroup) -> RenderableType:
    listed = len(choice_group.choices) if len(choice_group.choices) <= _LONGEST else _FIRST
    wide = len(str(choice_group.choices[-1].number))
    items = [
        _render_numbered_text(c.number, own, wide)
        for c, own in zip(choice_group.choices[:listed], choice_group.own, strict=False)
    ]
    body: list[RenderableType] = [Columns(items, padding=(0, 2))]
    if listed < len(choice_group.choices):
        body.append(Text(f"and {len(choice_group.choices) - listed} more: type some of their words", "dim"))
    heading = Text(choice_group.heading, "dim")
    if heading.cell_len > _WIDEST:
        return Padding(Group(heading, Padding(Group(*body), (0, 0, 0, 4))), (0, 1))
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row(heading, Group(*body))
    return Padding(table, (0, 1))


def iter_choices_grouped_by_shared_words(game: Game, choices: Sequence[NumberedChoice]) -> Iterator[ChoiceGroup]:
    """Yield the choices by kind. Neighbours of the same action form a kind if there are enough
    of them and they share words."""
    for _, same in groupby(choices, key=lambda c: game.get_action_of_ground_action_number(c.move.ident).number):
        group = list(same)
        texts = [use_an_before_capital_vowels(c.move.text) for c in group]
        shared = (
            _split_shared_from_own_words_or_none([text.split() for text in texts]) if len(group) >= _ALIKE else None
        )
        if shared:
            yield ChoiceGroup(shared[0], group, shared[1])
        else:
            yield from (ChoiceGroup("", [c], [text]) for c, text in zip(group, texts, strict=True))


def _split_shared_from_own_words_or_none(texts_as_words: Sequence[Sequence[str]]) -> tuple[str, list[str]] | None:
    """Return the words that all texts begin and end with, and each text's own words; None if they
    share none.

    Also returns None if a text's own words have no letter, because a bare number would read as a
    number of the list.
    """
    first = _count_shared_first_words_leaving_one(texts_as_words)
    last = _count_shared_first_words_leaving_one([text[first:][::-1] for text in texts_as_words])
    own = [" ".join(text[first : len(text) - last]) for text in texts_as_words]
    if first + last == 0 or not all(_has_letter(text) for text in own):
        return None
    tail = [*texts_as_words[0][len(texts_as_words[0]) - last :]] if last else []
    return " ".join([*texts_as_words[0][:first], _GAP, *tail]), own


def _has_letter(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _count_shared_first_words_leaving_one(texts_as_words: Sequence[Sequence[str]]) -> int:
    """Return how many first words all texts share. Leaves each text at least one word."""
    most = min(map(len, texts_as_words)) - 1
    for place in range(most):
        words = {text[place] for text in texts_as_words}
        if len(words) > 1:
            return place
    return max(0, most)


# -- screen pages --------------------------------------------------------------------------------------------
# What does not fit on a screen, in pages of whole parts. A part that is higher than a screen is cut.

_BELOW = 3  # rows below a page: where one is, a hint, and the prompt

SegmentLine = list[Segment]


@dataclass(frozen=True)
class ScreenPart:
    """Something to show. Where not all fit on one screen, those of a lower `rank` come first, and the parts `instead`
    of this one, if it has any."""

    drawn: RenderableType
    rank: int = 0
    instead: tuple[ScreenPart, ...] = ()


def split_rendered_parts_into_screen_pages(console: Console, screen_parts: Sequence[ScreenPart]) -> list[SegmentLines]:
    """Return the pages of these parts: one in the order given if it fits, else several by rank."""
    rows = max(4, console.height - _BELOW)
    drawn = _render_parts_to_ranked_lines(console, screen_parts)
    if sum(len(lines) for _, lines in drawn) <= rows:
        return [SegmentLines([line for _, lines in drawn for line in lines], new_lines=True)]
    drawn = _render_parts_to_ranked_lines(
        console, [small for part in screen_parts for small in part.instead or (part,)]
    )
    made: list[list[SegmentLine]] = [[]]
    for _, lines in sorted(drawn, key=lambda each: each[0]):
        rest = lines
        if len(made[-1]) + len(rest) > rows and made[-1]:
            made.append([])
        while len(rest) > rows:
            made[-1], rest = rest[:rows], rest[rows:]
            made.append([])
        made[-1] += rest
    return [SegmentLines(lines, new_lines=True) for lines in made if lines]


def _render_parts_to_ranked_lines(
    console: Console, screen_parts: Sequence[ScreenPart]
) -> list[tuple[int, list[SegmentLine]]]:
    """Return the lines of each part, behind its rank."""
    return [(part.rank, console.render_lines(part.drawn, console.options, pad=False)) for part in screen_parts]

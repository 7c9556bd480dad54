"""The legal actions as a numbered list, grouped by kind, with common words said once.

to ...  1 blue 1b  2 blue 1c  3 red 1a
4 to Port
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from playproof.language import Move
from playproof.language.game import Game
from playproof.referee.notation import has_all_word_beginnings, mend_article

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


def filter_choices_by_words(choices: Sequence[NumberedChoice], text: str) -> list[NumberedChoice]:
    """Return the choices that, for each word of `text`, contain a word that begins like it."""
    return [choice for choice in choices if has_all_word_beginnings(choice.move.text, text)]


def render_choices(game: Game, choices: Sequence[NumberedChoice]) -> RenderableType:
    """Draw all choices: few as lines, many by kind."""
    wide = len(str(max((c.number for c in choices), default=0)))
    if len(choices) <= _IN_LINES:
        return Group(*(Text(" ") + _render_choice(c.number, c.move.text, wide) for c in choices))
    parts: list[RenderableType] = []
    for alone, group in groupby(iter_choice_groups(game, choices), key=lambda kind: not kind.heading):
        if alone:
            rows = [_render_choice(c.number, c.move.text, wide) for kind in group for c in kind.choices]
            parts.append(Padding(Columns(rows, padding=(0, 2), column_first=True), (0, 1)))
        else:
            parts += [_render_choice_group(kind) for kind in group]
    return Group(*parts)


def _render_choice(number: int, text: str, wide: int) -> Text:
    return Text.assemble((f"{number:>{wide}} ", "bold"), mend_article(text))


def _render_choice_group(kind: ChoiceGroup) -> RenderableType:
    listed = len(kind.choices) if len(kind.choices) <= _LONGEST else _FIRST
    wide = len(str(kind.choices[-1].number))
    items = [
        _render_choice(c.number, own, wide) for c, own in zip(kind.choices[:listed], kind.own, strict=False)
    ]
    body: list[RenderableType] = [Columns(items, padding=(0, 2))]
    if listed < len(kind.choices):
        body.append(Text(f"and {len(kind.choices) - listed} more: type some of their words", "dim"))
    heading = Text(kind.heading, "dim")
    if heading.cell_len > _WIDEST:
        return Padding(Group(heading, Padding(Group(*body), (0, 0, 0, 4))), (0, 1))
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column()
    table.add_row(heading, Group(*body))
    return Padding(table, (0, 1))


def iter_choice_groups(game: Game, choices: Sequence[NumberedChoice]) -> Iterator[ChoiceGroup]:
    """Yield the choices by kind. Neighbours of the same action form a kind if there are enough
    of them and they share words."""
    for _, same in groupby(choices, key=lambda c: game.get_action_of_ident(c.move.ident).number):
        group = list(same)
        texts = [mend_article(c.move.text) for c in group]
        shared = _split_off_shared_words([text.split() for text in texts]) if len(group) >= _ALIKE else None
        if shared:
            yield ChoiceGroup(shared[0], group, shared[1])
        else:
            yield from (ChoiceGroup("", [c], [text]) for c, text in zip(group, texts, strict=True))


def _split_off_shared_words(texts: Sequence[Sequence[str]]) -> tuple[str, list[str]] | None:
    """Return the words that all texts begin and end with, and each text's own words; None if they
    share none.

    Also returns None if a text's own words have no letter, because a bare number would read as a
    number of the list.
    """
    first = _count_shared_first_words(texts)
    last = _count_shared_first_words([text[first:][::-1] for text in texts])
    own = [" ".join(text[first : len(text) - last]) for text in texts]
    if first + last == 0 or not all(_has_letter(text) for text in own):
        return None
    tail = [*texts[0][len(texts[0]) - last :]] if last else []
    return " ".join([*texts[0][:first], _GAP, *tail]), own


def _has_letter(text: str) -> bool:
    return any(letter.isalpha() for letter in text)


def _count_shared_first_words(texts: Sequence[Sequence[str]]) -> int:
    """Return how many first words all texts share. Leaves each text at least one word."""
    most = min(map(len, texts)) - 1
    for place in range(most):
        words = {text[place] for text in texts}
        if len(words) > 1:
            return place
    return max(0, most)

"""What each column of a sheet of cards is for, as its values show: a title, a picture, a number, a text.

for column in find_columns(game, "card"):
    print(column.heading, column.role)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from playproof.database.game import Game
from playproof.database.sheet_headings import NAMES, is_key_heading, split_words

ColumnRole = Literal[
    "title", "picture", "number", "key", "flag", "colour", "line", "text", "address", "blank"
]

PICTURE_NAME = re.compile(r"[^\n]{1,200}\.(png|jpe?g|svg|webp|avif|gif|tiff?|bmp)", re.IGNORECASE)
_PICTURE_WORDS = frozenset(
    ["picture", "image", "art", "artwork", "illustration", "img", "pic", "bild", "image"]
)
_STAT = re.compile(r"[-+±×x]?\d{1,4}(?:[./:-]\d{1,3})?[+%]?|[XYZ*∞?-]")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_ADDRESS = re.compile(r"https?://\S+")
_YES = ("yes", "true", "x", "✓", "✔")
_FLAG = re.compile(f"no|false|{'|'.join(_YES)}", re.IGNORECASE)
FLAVOUR = ("flavour", "flavor", "quote", "lore")
"""Parts of headings of what is told beside a card's rules."""
LONGEST_LINE = 28
"""Letters of a text that still stands in one line of a card."""
_MOSTLY = 0.6


class SheetColumn(NamedTuple):
    """A property of a kind: its heading in the sheet, its role, and its values as texts, of which a card may have
    none. `condition` is the expression that says whether a card has a value; for a flag, whether it says yes."""

    name: str
    heading: str
    role: ColumnRole
    values: tuple[str, ...]
    condition: str = ""

    @property
    def longest(self) -> int:
        """Return the letters of its longest value."""
        return max(map(len, self.values), default=0)

    @property
    def is_always_filled(self) -> bool:
        """Return whether every card has a value."""
        return all(self.values)


def list_columns_with_roles(
    game: Game, kind: str, is_picture: Callable[[str], bool] = lambda _: False
) -> list[SheetColumn]:
    """Return the columns of a kind in the order of its sheet, each with its role. ``is_picture`` says whether a picture
    is called so: some people leave the suffix out."""
    headings = _get_headings_by_property(game, kind)
    columns = []
    for name in game.vocabulary.kinds[kind].fields:
        values = tuple(_value_to_text(card.get(name)) for card in game.of_kind(kind))
        heading = headings.get(name, name.replace("_", " "))
        role = _guess_column_role(name, heading, values, is_picture)
        is_text = role == "flag" and game.vocabulary.kinds[kind].fields[name].type != "flag"
        columns.append(
            SheetColumn(name, heading, role, values, _make_yes_condition(name, values) if is_text else name)
        )
    return _choose_title_column(columns)


def _get_headings_by_property(game: Game, kind: str) -> Mapping[str, str]:
    """Return the heading of each property, without its language."""
    sheets = (sheet for sheet in game.facts.sheets if sheet.kind == kind)
    named = (
        (str(name).split(".")[0], heading)
        for sheet in sheets
        for heading, name in sheet.columns.items()
        if name
    )
    return {name: heading.strip() for name, heading in reversed(list(named))}


def _make_yes_condition(name: str, values: Sequence[str]) -> str:
    """Return the expression that says whether a text says yes."""
    yes = sorted({value for value in values if value.casefold() in _YES})
    return f"{name} in [{', '.join(repr(value) for value in yes)}]"


def _value_to_text(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value is None else str(value).strip()


def _guess_column_role(
    name: str, heading: str, values: Sequence[str], is_picture: Callable[[str], bool]
) -> ColumnRole:
    filled = [value for value in values if value]
    if not filled:
        return "blank"
    if name in NAMES:
        return "title"
    tests: list[tuple[ColumnRole, Callable[[str], object], float]] = [
        ("picture", PICTURE_NAME.fullmatch, _MOSTLY),
        ("address", _ADDRESS.fullmatch, _MOSTLY),
        ("colour", _COLOUR.fullmatch, 1.0),
    ]
    for role, test, share in tests:
        if sum(1 for value in filled if test(value)) >= share * len(filled):
            return role
    if _PICTURE_WORDS.intersection(split_words(heading)) and any(map(is_picture, filled)):
        return "picture"
    if all(_STAT.fullmatch(value) for value in filled) and any(
        any(map(str.isdigit, value)) for value in filled
    ):
        return "key" if is_key_heading(heading) and len(set(filled)) == len(values) else "number"
    if all(map(_FLAG.fullmatch, filled)):
        return "flag"
    if is_key_heading(heading) and len(set(filled)) == len(values):
        return "key"
    is_flavour = any(word in name for word in FLAVOUR)
    return (
        "text"
        if is_flavour or max(map(len, filled)) > LONGEST_LINE or any("\n" in value for value in filled)
        else "line"
    )


def _choose_title_column(columns: list[SheetColumn]) -> list[SheetColumn]:
    """Return columns of which one is the title, if any can be: without one by its heading, the line that tells most
    cards apart."""
    if any(column.role == "title" for column in columns):
        return columns
    lines = [column for column in columns if column.role == "line"]
    if not lines:
        return columns
    best = max(lines, key=lambda column: len(set(column.values)))
    if len(set(best.values)) < 2:
        return columns
    return [column._replace(role="title") if column is best else column for column in columns]


def find_common_suffix(names: Sequence[str]) -> str:
    """Return the suffix that all these names of picture files have, "" if they differ."""
    suffixes = {PurePosixPath(name).suffix for name in names}
    return suffixes.pop() if len(suffixes) == 1 else ""

"""The headings of a spreadsheet, and the names of properties and ids that are made from what its cells say.

Any heading is a heading: `Rules`, `class`, `1st edition`, a heading that stands there twice, none at all.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple

from playproof.database.errors import column_letters
from playproof.database.worksheets import Worksheet

NOTE = "#"
"""A heading that begins so is of a column for notes."""
ID = "id"
NAMES = ("title", "name")
"""Headings of what a card is called."""
_LONGEST_ID = 40
"""Letters of an id that is made from a text: it also becomes the name of files."""
_KEYS = frozenset(
    (
        "key",
        "uid",
        "uuid",
        "guid",
        "code",
        "nr",
        "no",
        "num",
        "number",
        "sku",
        "ref",
        "nummer",
        "numero",
        "numéro",
    )
)


_NUMBER = re.compile(r"\d[\d_]*(e\d*)?|0[xob][\da-f_]+")


class MadeId(NamedTuple):
    """The id of a row that has none written, and whether it changes when the rows are sorted."""

    id: str
    by_order: bool


def is_note_heading(heading: str) -> bool:
    """Return whether a column holds notes: its heading begins with `#`."""
    return heading.startswith(NOTE)


def split_words(text: str) -> list[str]:
    """Return the words of a text, which fold case and width: letters and digits with the marks on them.

    >>> split_words("Title (fr)"), split_words("ชื่อ!")
    (['title', 'fr'], ['ชื่อ'])
    """
    words, word = list[str](), ""
    for char in unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()):
        if char.isalnum() or (word and unicodedata.category(char).startswith("M")):
            word += char
        elif word:
            words.append(word)
            word = ""
    return [*words, word] if word else words


def normalize_heading(heading: str) -> str:
    """Return a heading so that `Title (fr)`, `title.fr` and `TITLE_FR` are one. One without a word is as it stands.

    >>> normalize_heading("Title (fr)"), normalize_heading("title.fr"), normalize_heading(" ❤ ")
    ('title fr', 'title fr', '❤')
    """
    return " ".join(split_words(heading)) or heading.strip()


def make_property_name(heading: str) -> str:
    """Return the name of the property that a heading gives a kind, or "" for one without a word.

    >>> make_property_name("Cost (gold)"), make_property_name("__class__")
    ('cost_gold', 'class')
    >>> make_property_name("1st Edition"), make_property_name("2")
    ('1st_edition', 'n2')
    """
    name = "_".join(split_words(heading))
    return f"n{name}" if _NUMBER.fullmatch(name) else name  # an expression reads a number as one


def make_id_from_title(title: str) -> str:
    """Return an id made from a title: it stays the same when rows move. One of many words keeps the first of them.

    >>> make_id_from_title("The Old Well!")
    'the-old-well'
    """
    words = split_words(title)
    while len(words) > 1 and len("-".join(words)) > _LONGEST_ID:
        words.pop()
    return "-".join(words)[:_LONGEST_ID]


def list_headings(table: Worksheet) -> list[str]:
    """Return what each column is called, each by a name of its own: the second `Text` is `Text 2`, and a column with
    cells below no heading, or one without a word, is called by its letters: `Column C`. A blank column is ""."""
    named = list[str]()
    times = Counter[str]()
    for number, heading in enumerate(table.rows[0] if table.rows else ()):
        name = heading.strip()
        if is_note_heading(name):
            named.append(name)
            continue
        if not split_words(name):
            has_cells = any(row[number].strip() for row in table.rows[1:] if number < len(row))
            name = f"Column {column_letters(number + 1)}" if name or has_cells else ""
        times[normalize_heading(name)] += 1
        named.append(
            f"{name} {times[normalize_heading(name)]}"
            if name and times[normalize_heading(name)] > 1
            else name
        )
    return named


def is_key_heading(heading: str) -> bool:
    """Return whether a heading is that of a column which tells rows apart, such as `Unique ID` or `Nr`."""
    words = normalize_heading(heading).split(" ")
    return words[-1] in _KEYS or (len(words) > 1 and words[-1] == ID)


def make_ids(
    names: Sequence[str], keys: Sequence[Sequence[str]], written: Iterable[str] = ()
) -> list[MadeId]:
    """Return an id for each row, made from its name. Rows of one name get behind it what a column of ``keys`` says,
    if one tells them apart; else a number in the order of the rows. No id is one of those ``written``.

    >>> [made.id for made in make_ids(["Axe", "Bow", "Axe"], [])]
    ['axe', 'bow', 'axe-2']
    >>> [made.id for made in make_ids(["Axe", "Bow", "Axe"], [["7", "8", "9"]])]
    ['axe-7', 'bow', 'axe-9']
    """
    groups: dict[str, list[int]] = {}
    for row, name in enumerate(names):
        groups.setdefault(make_id_from_title(name), []).append(row)
    taken = {*written, *(base for base, rows in groups.items() if len(rows) == 1)}
    made: dict[int, MadeId] = {}
    for base, rows in groups.items():
        if len(rows) == 1 and base not in written:
            made[rows[0]] = MadeId(base, False)
            continue
        suffixes = _find_suffixes(rows, keys)
        for at, row in enumerate(rows):
            wanted = f"{base}-{suffixes[at]}" if suffixes else base
            ident = find_free_id(wanted, taken)
            taken.add(ident)
            made[row] = MadeId(ident, not suffixes)
    return [made[row] for row in range(len(names))]


def _find_suffixes(rows: Sequence[int], keys: Sequence[Sequence[str]]) -> list[str]:
    """Return what the first column that tells these rows apart says of each, or [] if none does."""
    for column in keys:
        cells = [make_id_from_title(column[row]) for row in rows]
        if all(cells) and len(set(cells)) == len(cells):
            return cells
    return []


def find_free_id(base_id: str, taken: Container[str]) -> str:
    """Return the id, or with the least number from 2 on behind it that nobody has taken."""
    number, ident = 1, base_id
    while ident in taken:
        number += 1
        ident = f"{base_id}-{number}"
    return ident

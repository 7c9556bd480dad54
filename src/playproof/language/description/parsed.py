"""A file's JSON, read strictly. Every value carries its line, so that an error can name it."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NoReturn

from playproof.language.description.rows import (
    LISTED,
    SECTIONS,
    VERSION,
    DescriptionError,
    Json,
    first_lines,
    unprintable,
)
from playproof.language.errors import Place

CODE = "PP370"
MOST_BYTES = 16_000_000
MOST_ROWS = 500_000
_MOST_ROWS = {"phases": 4_096, "endings": 4_095, "fields": 20_000, "quantities": 20_000, "facts": 100}
_MOST_DIGITS = 80
_MOST_LETTERS = 10_000  # of one text


@dataclass(frozen=True, slots=True)
class Node:
    """A value of the file: its name in messages, such as `actions[2].text`, and its place."""

    value: Json
    name: str
    place: Place

    def fail(self, message: str, hint: str = "") -> NoReturn:
        """Raise the error for this value."""
        raise DescriptionError(CODE, f"`{self.name}`: {message}", hint, self.place)

    def expected(self, what: str) -> NoReturn:
        """Raise the error for a value of another kind."""
        text = json.dumps(self.value, ensure_ascii=False)
        self.fail(f"expected {what}, found {text if len(text) <= 60 else f'{text[:56]} ...'}")

    def part(self, key: str, value: Json) -> Node:
        """Return a value inside this one."""
        return Node(value, f"{self.name}{key}", self.place)

    def items(self, most: int, least: int = 0) -> list[Node]:
        """Return the values of a list."""
        if type(self.value) is not list:
            self.expected("a list")
        if not least <= len(self.value) <= most:
            self.fail(f"expected {least} to {most:,} values, found {len(self.value):,}")
        return [self.part(f"[{n}]", value) for n, value in enumerate(self.value)]

    def mapping(self, *keys: str) -> list[Node]:
        """Return the values of a mapping that has exactly these keys, in their order."""
        if type(self.value) is not dict:
            self.expected("a mapping")
        for key in self.value:
            if key not in keys:
                self.fail(f"there is no key `{key[:40]}`", f"the keys are {', '.join(keys)}")
        for key in keys:
            if key not in self.value:
                self.fail(f"the key `{key}` is missing")
        return [self.part(f".{key}", self.value[key]) for key in keys]

    def integer(self, lo: int, hi: int) -> int:
        """Return a whole number in lo..hi."""
        if type(self.value) is not int:
            self.expected("a whole number")
        if not lo <= self.value <= hi:
            self.fail(f"expected {lo}..{hi}, found {self.value}")
        return self.value

    def integers(self, lo: int, hi: int, most: int, least: int = 0) -> tuple[int, ...]:
        """Return a list of whole numbers, each in lo..hi."""
        return tuple(item.integer(lo, hi) for item in self.items(most, least))

    def truth(self) -> bool:
        """Return a truth value."""
        if type(self.value) is not bool:
            self.expected("true or false")
        return self.value

    def text(self, *, lines: bool = False) -> str:
        """Return a text of printable letters on one line, or on several."""
        if type(self.value) is not str:
            self.expected("a text")
        if len(self.value) > _MOST_LETTERS:
            self.fail(f"expected at most {_MOST_LETTERS:,} letters, found {len(self.value):,}")
        if unprintable(self.value, lines=lines):
            self.fail("expected printable letters on one line", "control characters are not allowed")
        return self.value

    def word(self, words: Collection[str]) -> str:
        """Return a text that is one of these words."""
        if type(self.value) is not str or self.value not in words:
            self.expected(f"one of {', '.join(words)}")
        return self.value

    def texts(self, most: int = 10_000) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(item.text() for item in self.items(most))

    def by_name(self) -> dict[str, str]:
        """Return texts by name."""
        if type(self.value) is not dict:
            self.expected("a mapping of texts")
        return {
            self.part("", key).text(): self.part(f".{key[:40]}", value).text()
            for key, value in self.value.items()
        }

    def setting(self) -> dict[str, dict[str, str]]:
        """Return chosen options and rulings, each by name."""
        options, rulings = self.mapping("options", "rulings")
        return {"options": options.by_name(), "rulings": rulings.by_name()}

    def names(self, allowed: Collection[str], what: str) -> frozenset[str]:
        """Return a sorted list of names, each of which is one of a `what`."""
        names = self.texts()
        for name in names:
            if name not in allowed:
                self.fail(f"`{name[:40]}` is no {what}")
        if list(names) != sorted(set(names)):
            self.fail("expected each name once, in alphabetical order")
        return frozenset(names)


def sections_of(data: bytes, file: str) -> dict[str, list[Node]]:
    """Return the sections of a file, each as one value or as one for each row. Raises DescriptionError."""
    whole = whole_of(data, file)
    value = whole.value
    if type(value) is not dict or "playproof-game" not in value:
        whole.fail("expected the description of a game")
    if type(value["playproof-game"]) is not int or value["playproof-game"] != VERSION:
        version = str(value["playproof-game"])[:40]
        whole.fail(
            f"expected version {VERSION} of descriptions, found {version}",
            "the program and the file must have the same version",
        )
    whole.mapping(*SECTIONS)
    for name in LISTED:
        if type(value[name]) is not list:
            Node(value[name], name, whole.place).expected("a list")
        if len(value[name]) > _MOST_ROWS.get(name, MOST_ROWS):
            most = _MOST_ROWS.get(name, MOST_ROWS)
            whole.fail(f"expected at most {most:,} rows of {name}, found {len(value[name]):,}")
    lines = first_lines(value)
    return {name: list(_nodes(name, value[name], lines[name], file)) for name in SECTIONS}


def whole_of(data: bytes, file: str) -> Node:
    """Return the value of a JSON file of whole numbers. Raises DescriptionError."""
    whole = Node(None, "file", Place(file, 1))
    if len(data) > MOST_BYTES:
        whole.fail(f"expected at most {MOST_BYTES:,} bytes, found {len(data):,}")
    try:
        value = json.loads(data.decode(), parse_float=_refused, parse_constant=_refused, parse_int=_integer)
    except (ValueError, RecursionError) as error:
        whole.fail(f"expected JSON in UTF-8: {str(error)[:200]}")
    return Node(value, "file", whole.place)


def _nodes(name: str, value: Json, line: int, file: str) -> Sequence[Node]:
    if name not in LISTED:
        return [Node(value, name, Place(file, line))]
    return [Node(row, f"{name}[{n}]", Place(file, line + n)) for n, row in enumerate(value)]


def _refused(text: str) -> NoReturn:
    raise ValueError(f"expected whole numbers, found {text[:40]}")


def _integer(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"expected at most {_MOST_DIGITS} digits, found {len(text)}")
    return int(text)

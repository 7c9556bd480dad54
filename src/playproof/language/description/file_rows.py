"""The rows of a description's file: its version, sections and lines, and the strict reading of their
JSON, in which every value carries its line."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

from playproof.language.errors import Place, RulesError
from playproof.language.expr import require_coverage_of_all_operators

# -- rows ----------------------------------------------------------------------------------------------------
# What the writer and the reader share: the version, the order of the sections, and the lines they fill.

VERSION = 1
Json: TypeAlias = Any
SECTIONS = (
    "playproof-game",
    "name",
    "players",
    "teams",
    "setting",
    "fields",
    "tables",
    "locals",
    "terms",
    "functions",
    "blocks",
    "procedures",
    "phases",
    "actions",
    "endings",
    "payoffs",
    "quantities",
    "facts",
)
LISTED = frozenset(SECTIONS) - {"playproof-game", "name", "players", "teams", "setting", "payoffs"}
"""The sections that have a line for each row."""
PHASES, ENDINGS = "phases", "endings"  # bounds of the fields that hold a phase's or an ending's number
NOBODY, CHANCE = "nobody", "chance"  # actors that are no seat
OPERATIONS = {  # how many arguments each operator has
    **dict.fromkeys(("+", "-", "*", "//", "%", "==", "!=", "<", "<=", "and", "or", "min", "max"), 2),
    "not": 1,
    "abs": 1,
    "pick": 3,
}
require_coverage_of_all_operators("descriptions", OPERATIONS)
LOOPS = ("sum", "any", "all", "min of", "max of")
"""Terms that go over a range; `min` and `max` are of two values."""


_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def has_unprintable_characters(text: str, *, allow_line_breaks: bool = False) -> bool:
    """Return whether a text holds control characters, line breaks (unless it may have `allow_line_breaks`), or marks
    that turn the direction of what follows."""
    return bool(_UNPRINTABLE.search(text.replace("\n", "") if allow_line_breaks else text))


class DescriptionError(RulesError):
    """A file is no description of a game. The message says what was expected, and where."""


def format_description_file(sections: Mapping[str, Json]) -> str:
    """Return the file's text: each section in its order, and each row of a list on a line of its own."""
    return (
        "{"
        + ",\n".join(f"{_format_compact_json(name)}:{_format_section(name, sections[name])}" for name in SECTIONS)
        + "}\n"
    )


def _format_section(name: str, value: Json) -> str:
    if name not in LISTED or not value:
        return _format_compact_json(value)
    return "[\n" + ",\n".join(map(_format_compact_json, value)) + "\n]"


def _format_compact_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def find_first_line_of_sections(sections: Mapping[str, Json]) -> dict[str, int]:
    """Return the line of each section's first row, counted from 1."""
    return dict(_iter_first_line_of_sections(sections))


def _iter_first_line_of_sections(sections: Mapping[str, Json]) -> Iterator[tuple[str, int]]:
    line = 1
    for name in SECTIONS:
        rows = len(sections[name]) if name in LISTED else 0
        yield name, line + 1 if rows else line
        line += rows + 2 if rows else 1


# -- parsed --------------------------------------------------------------------------------------------------
# A file's JSON, read strictly. Every value carries its line, so that an error can name it.

CODE = "PP370"
MOST_BYTES = 16_000_000
MOST_ROWS = 500_000
_MOST_ROWS = {"phases": 4_096, "endings": 4_095, "fields": 20_000, "quantities": 20_000, "facts": 100}
_MOST_DIGITS = 80
_MOST_LETTERS = 10_000  # of one text


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value of the file: its name in messages, such as `actions[2].text`, and its place."""

    value: Json
    name: str
    place: Place

    def raise_error(self, message: str, hint: str = "") -> NoReturn:
        """Raise the error for this value."""
        raise DescriptionError(CODE, f"`{self.name}`: {message}", hint, self.place)

    def raise_expected_but_found(self, expectation: str) -> NoReturn:
        """Raise the error for a value of another kind."""
        text = json.dumps(self.value, ensure_ascii=False)
        self.raise_error(f"expected {expectation}, found {text if len(text) <= 60 else f'{text[:56]} ...'}")

    def make_child(self, key: str, value: Json) -> JsonNode:
        """Return a value inside this one."""
        return JsonNode(value, f"{self.name}{key}", self.place)

    def read_list_items(self, max_items: int, min_items: int = 0) -> list[JsonNode]:
        """Return the values of a list."""
        if type(self.value) is not list:
            self.raise_expected_but_found("a list")
        if not min_items <= len(self.value) <= max_items:
            self.raise_error(f"expected {min_items} to {max_items:,} values, found {len(self.value):,}")
        return [self.make_child(f"[{n}]", value) for n, value in enumerate(self.value)]

    def read_values_of_exact_keys(self, *keys: str) -> list[JsonNode]:
        """Return the values of a mapping that has exactly these keys, in their order."""
        if type(self.value) is not dict:
            self.raise_expected_but_found("a mapping")
        for key in self.value:
            if key not in keys:
                self.raise_error(f"there is no key `{key[:40]}`", f"the keys are {', '.join(keys)}")
        for key in keys:
            if key not in self.value:
                self.raise_error(f"the key `{key}` is missing")
        return [self.make_child(f".{key}", self.value[key]) for key in keys]

    def read_integer(self, lo: int, hi: int) -> int:
        """Return a whole number in lo..hi."""
        if type(self.value) is not int:
            self.raise_expected_but_found("a whole number")
        if not lo <= self.value <= hi:
            self.raise_error(f"expected {lo}..{hi}, found {self.value}")
        return self.value

    def read_integers(self, lo: int, hi: int, max_items: int, min_items: int = 0) -> tuple[int, ...]:
        """Return a list of whole numbers, each in lo..hi."""
        return tuple(item.read_integer(lo, hi) for item in self.read_list_items(max_items, min_items))

    def read_bool(self) -> bool:
        """Return a truth value."""
        if type(self.value) is not bool:
            self.raise_expected_but_found("true or false")
        return self.value

    def read_text(self, *, allow_line_breaks: bool = False) -> str:
        """Return a text of printable letters on one line, or on several."""
        if type(self.value) is not str:
            self.raise_expected_but_found("a text")
        if len(self.value) > _MOST_LETTERS:
            self.raise_error(f"expected at most {_MOST_LETTERS:,} letters, found {len(self.value):,}")
        if has_unprintable_characters(self.value, allow_line_breaks=allow_line_breaks):
            self.raise_error("expected printable letters on one line", "control characters are not allowed")
        return self.value

    def read_one_of_words(self, words: Collection[str]) -> str:
        """Return a text that is one of these words."""
        if type(self.value) is not str or self.value not in words:
            self.raise_expected_but_found(f"one of {', '.join(words)}")
        return self.value

    def read_texts(self, max_items: int = 10_000) -> tuple[str, ...]:
        """Return a list of texts."""
        return tuple(item.read_text() for item in self.read_list_items(max_items))

    def read_text_mapping(self) -> dict[str, str]:
        """Return texts by name."""
        if type(self.value) is not dict:
            self.raise_expected_but_found("a mapping of texts")
        return {
            self.make_child("", key).read_text(): self.make_child(f".{key[:40]}", value).read_text()
            for key, value in self.value.items()
        }

    def read_options_and_rulings(self) -> dict[str, dict[str, str]]:
        """Return chosen options and rulings, each by name."""
        options, rulings = self.read_values_of_exact_keys("options", "rulings")
        return {"options": options.read_text_mapping(), "rulings": rulings.read_text_mapping()}

    def read_sorted_known_names(self, allowed_names: Collection[str], kind: str) -> frozenset[str]:
        """Return a sorted list of names, each of which is among `allowed_names`, things of one `kind`."""
        names = self.read_texts()
        for name in names:
            if name not in allowed_names:
                self.raise_error(f"`{name[:40]}` is no {kind}")
        if list(names) != sorted(set(names)):
            self.raise_error("expected each name once, in alphabetical order")
        return frozenset(names)


def parse_description_sections(data: bytes, file: str) -> dict[str, list[JsonNode]]:
    """Return the sections of a file, each as one value or as one for each row. Raises DescriptionError."""
    whole = parse_strict_json(data, file)
    value = whole.value
    if type(value) is not dict or "playproof-game" not in value:
        whole.raise_error("expected the description of a game")
    if type(value["playproof-game"]) is not int or value["playproof-game"] != VERSION:
        version = str(value["playproof-game"])[:40]
        whole.raise_error(
            f"expected version {VERSION} of descriptions, found {version}",
            "the program and the file must have the same version",
        )
    whole.read_values_of_exact_keys(*SECTIONS)
    for name in LISTED:
        if type(value[name]) is not list:
            JsonNode(value[name], name, whole.place).raise_expected_but_found("a list")
        if len(value[name]) > _MOST_ROWS.get(name, MOST_ROWS):
            most = _MOST_ROWS.get(name, MOST_ROWS)
            whole.raise_error(f"expected at most {most:,} rows of {name}, found {len(value[name]):,}")
    lines = find_first_line_of_sections(value)
    return {name: list(_make_nodes_of_section(name, value[name], lines[name], file)) for name in SECTIONS}


def parse_strict_json(data: bytes, file: str) -> JsonNode:
    """Return the value of a JSON file of whole numbers. Raises DescriptionError."""
    whole = JsonNode(None, "file", Place(file, 1))
    if len(data) > MOST_BYTES:
        whole.raise_error(f"expected at most {MOST_BYTES:,} bytes, found {len(data):,}")
    try:
        value = json.loads(
            data.decode(),
            parse_float=_refuse_fractional_number,
            parse_constant=_refuse_fractional_number,
            parse_int=_parse_integer_of_limited_length,
        )
    except (ValueError, RecursionError) as error:
        whole.raise_error(f"expected JSON in UTF-8: {str(error)[:200]}")
    return JsonNode(value, "file", whole.place)


def _make_nodes_of_section(name: str, value: Json, line: int, file: str) -> Sequence[JsonNode]:
    if name not in LISTED:
        return [JsonNode(value, name, Place(file, line))]
    return [JsonNode(row, f"{name}[{n}]", Place(file, line + n)) for n, row in enumerate(value)]


def _refuse_fractional_number(text: str) -> NoReturn:
    raise ValueError(f"expected whole numbers, found {text[:40]}")


def _parse_integer_of_limited_length(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"expected at most {_MOST_DIGITS} digits, found {len(text)}")
    return int(text)

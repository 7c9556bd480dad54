"""What the writer and the reader share: the version, the order of the sections, and the lines they fill."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

from playproof.language.errors import RulesError
from playproof.language.expr import check_operator_coverage

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
check_operator_coverage("descriptions", OPERATIONS)
LOOPS = ("sum", "any", "all", "min of", "max of")
"""Terms that go over a range; `min` and `max` are of two values."""


_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def has_unprintable_characters(text: str, *, lines: bool = False) -> bool:
    """Return whether a text holds control characters, line breaks (unless it may have `lines`), or marks
    that turn the direction of what follows."""
    return bool(_UNPRINTABLE.search(text.replace("\n", "") if lines else text))


class DescriptionError(RulesError):
    """A file is no description of a game. The message says what was expected, and where."""


def format_sections(sections: Mapping[str, Json]) -> str:
    """Return the file's text: each section in its order, and each row of a list on a line of its own."""
    return (
        "{"
        + ",\n".join(
            f"{_format_compact_json(name)}:{_format_section(name, sections[name])}" for name in SECTIONS
        )
        + "}\n"
    )


def _format_section(name: str, value: Json) -> str:
    if name not in LISTED or not value:
        return _format_compact_json(value)
    return "[\n" + ",\n".join(map(_format_compact_json, value)) + "\n]"


def _format_compact_json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def find_first_lines(sections: Mapping[str, Json]) -> dict[str, int]:
    """Return the line of each section's first row, counted from 1."""
    return dict(_iter_first_lines(sections))


def _iter_first_lines(sections: Mapping[str, Json]) -> Iterator[tuple[str, int]]:
    line = 1
    for name in SECTIONS:
        rows = len(sections[name]) if name in LISTED else 0
        yield name, line + 1 if rows else line
        line += rows + 2 if rows else 1

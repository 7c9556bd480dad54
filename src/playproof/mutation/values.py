"""Values of YAML files, changed one at a time while they are read. The files stay as they are."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

from playproof.database.errors import short_path
from playproof.database.game import find_game
from playproof.database.source import Node, read, reads_as
from playproof.generator.layout.layout_files import layouts_of

LEFT_OUT = ("claims",)
"""Files whose values are claims about the other files."""
_WORD = re.compile(r"[a-z][a-z0-9-]*\Z")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")
_NUMBER = re.compile(r"\d+")
_BLOCK = re.compile(r"[|>][-+]?\Z")
_ANCHOR = re.compile(r"&\S+\s+")
"""The anchor of a value."""
_PLAIN = re.compile(r"[^\s,\]}#]+")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_QUOTES = "\"'"


@dataclass(frozen=True)
class Value:
    """One scalar of a YAML file. `path` are the keys that lead to it, `was` its text. `other` is
    the text that replaces it, `again` a second replacement ("" for none). `folder` names the file's
    folder if it is not the game's."""

    file: Path
    line: int
    column: int
    path: tuple[str | int, ...]
    was: str
    other: str
    again: str = ""
    folder: str = ""

    @property
    def card(self) -> str:
        """The component's id, or ""."""
        return str(self.path[1]) if len(self.path) > 2 and self.path[0] == "components" else ""

    @property
    def place(self) -> str:
        """The place as `file:line`."""
        return f"{short_path(self.file)}:{self.line}"

    @property
    def key(self) -> str:
        """The name of the change."""
        keys = ".".join(map(str, self.path))
        return f"{self.place} {keys}: {self.other} for {self.was}"[:200]

    @property
    def name(self) -> str:
        """The value's name in all games that have it: `rulebook.rules.R6.text.en`,
        `layouts/base.styles.rules.size`."""
        return f"{self.folder}{self.file.stem}.{'.'.join(map(str, self.path))}"

    @property
    def said(self) -> str:
        """The change within its card, as a report words it: `effects.0.gain.coin: 2 for 1`."""
        within = self.path[2:] if self.card else self.path
        return f"{'.'.join(map(str, within))}: {self.other} for {self.was}"

    @property
    def plays(self) -> bool:
        """Whether the value is a number, a boolean or a name rather than a sentence."""
        return self.was.lstrip("-").isdigit() or self.was in ("true", "false") or bool(_WORD.match(self.was))


def values(ref: str, files: tuple[str, ...] = ()) -> list[Value]:
    """Return every value of a game's files and layouts that can be changed in place, each with a
    replacement: a neighbouring number, the other boolean, another name used in the same role, or a
    longer text."""
    folder = find_game(ref)
    looks = layouts_of(folder)
    found = [*values_of(_yaml(folder, looks)), *values_of(_yaml(looks), "layouts/")]
    return [value for value in found if not files or value.file.stem in files]


def _yaml(folder: Path, without: Path | None = None) -> list[Path]:
    """Return the YAML files of a folder, without claims and without those in the folder
    `without`."""
    return [path for path in sorted(folder.glob("**/*.yaml"))
            if path.stem not in LEFT_OUT and not (without and path.is_relative_to(without))]


def values_of(files: Sequence[Path], folder: str = "") -> list[Value]:
    """Return every value of these files."""
    nodes = {path: read(path) for path in files}
    used: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for _, keys, node in _scalars(nodes):
        if isinstance(node.value, str) and _WORD.match(node.value):
            used[_shape(keys)].add(node.value)
    found = []
    for path, keys, node in _scalars(nodes):
        lines = path.read_text(encoding="utf-8").splitlines()
        line, column = node.where.line, node.where.column
        if _BLOCK.match(lines[line - 1][column - 1:]):
            line, column = line + 1, len(lines[line]) - len(lines[line].lstrip()) + 1
        anchor = _ANCHOR.match(lines[line - 1][column - 1:])
        column += anchor.end() if anchor else 0
        raw = _raw(lines[line - 1][column - 1:], node.value)
        whole = raw in _written(node.value) or not isinstance(node.value, str)
        made = _others(node.value, used[_shape(keys)]) if whole else (f"{_bare(raw)}x",)
        if made and raw:
            first, second = (_quoted(raw, other) for other in (made[0], made[-1]))
            found.append(Value(path, line, column, keys, raw, first, second if second != first else "", folder))
    return found


def _scalars(nodes: dict[Path, Node]) -> Iterator[tuple[Path, tuple[str | int, ...], Node]]:
    seen: set[tuple[Path, int, int]] = set()
    for path, root in nodes.items():
        for keys, node in _walk(root, ()):
            at = (path, node.where.line, node.where.column)
            if at not in seen:  # an alias stands where its anchor does
                seen.add(at)
                yield path, keys, node


def _walk(node: Node, keys: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], Node]]:
    for key, entry in node.entries.items():
        yield from _walk(entry.node, (*keys, key))
    for number, item in enumerate(node.items):
        yield from _walk(item, (*keys, number))
    if not node.entries and not node.items and not isinstance(node.value, dict | tuple) and node.value is not None:
        yield keys, node


def _shape(keys: tuple[str | int, ...]) -> tuple[str, ...]:
    """Return what values in the same role share: the keys that lead to them, without the id of a
    component or term and without list positions."""
    own = {"components": 1, "terms": 2}.get(str(keys[0]), -1)
    return tuple(key for n, key in enumerate(keys) if isinstance(key, str) and n != own)


def _others(value: object, used: set[str]) -> tuple[str, ...]:
    """Return one or two texts that may replace a value; () if none can."""
    if isinstance(value, bool):
        return ("false" if value else "true",)
    if isinstance(value, int):
        return str(value + 1), str(value // 2)
    if isinstance(value, float):
        return str(round(value + 0.1, 6)), str(round(value / 2, 6))
    if not isinstance(value, str):
        return ()
    others = sorted(used - {value})
    if _WORD.match(value) and others:
        above, below = [o for o in others if o > value], [o for o in others if o < value]
        return (above or others)[0], (below or others)[-1]
    if _COLOUR.match(value):
        return (value[:-1] + ("1" if value[-1] == "0" else "0"),)
    number = _NUMBER.search(value)
    if number:
        near = (int(number[0]) + 1, int(number[0]) // 2)
        return tuple(f"{value[:number.start()]}{str(n).zfill(len(number[0]))}{value[number.end():]}" for n in near)
    return (f"{value}x",)


def _written(value: object) -> tuple[str, ...]:
    """Return the ways to write a value on one line."""
    plain = str(value).lower() if isinstance(value, bool) else str(value)
    return f'"{plain}"', f"'{plain}'", plain


def _raw(text: str, value: object) -> str:
    """Return the value as its line writes it; for a longer text, the rest of its first line."""
    whole = next((written for written in _written(value) if written and text.startswith(written)), "")
    if whole:
        return whole
    if not isinstance(value, str):  # `+30`, `True`
        plain = _PLAIN.match(text)
        return plain[0] if plain else ""
    quoted = _QUOTED.match(text)
    return quoted[0] if quoted else text.rstrip()


def _bare(raw: str) -> str:
    """Return the text without quotes."""
    if raw[:1] not in _QUOTES:
        return raw
    return raw[1:-1] if len(raw) > 1 and raw[-1] == raw[0] else raw[1:]


def _quoted(raw: str, other: str) -> str:
    return f"{raw[0]}{other}{raw[0]}" if raw[0] in _QUOTES else other


def marked(value: Value, mark: str) -> Value:
    """Return the change that appends a mark to the text."""
    end = value.was[-1] if value.was[-1] in "\"'" else ""
    return replace(value, other=f"{value.was[:len(value.was) - len(end)]} {mark}{end}")


@contextmanager
def reading(*values: Value) -> Iterator[None]:
    """While the context lasts, this process reads the values' replacements; the files themselves
    stay unchanged."""
    with ExitStack() as stack:
        for file, mine in groupby(sorted(values, key=lambda v: v.file), key=lambda v: v.file):
            stack.enter_context(reads_as(file, with_others(file.read_text(encoding="utf-8"), list(mine))))
        yield


def with_others(text: str, values: Sequence[Value]) -> str:
    """Return a file's text with some of its values replaced."""
    lines = text.split("\n")
    for value in sorted(values, key=lambda v: (v.line, -v.column)):  # from the end of each line
        line, at = lines[value.line - 1], value.column - 1
        lines[value.line - 1] = line[:at] + value.other + line[at + len(value.was):]
    return "\n".join(lines)

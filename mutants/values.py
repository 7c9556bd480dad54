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
"""Files whose values are beliefs about the others."""
_WORD = re.compile(r"[a-z][a-z0-9-]*\Z")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\Z")
_NUMBER = re.compile(r"\d+")
_BLOCK = re.compile(r"[|>][-+]?\Z")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_QUOTES = "\"'"


@dataclass(frozen=True)
class Value:
    """One scalar of a file: `path` are the keys that lead to it, `other` the text that stands in
    its place, `again` another one ("" for none), `folder` the name of the folder that the file is
    in, where that is not the game's."""

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
        """The component's id."""
        return str(self.path[1]) if len(self.path) > 2 and self.path[0] == "components" else ""

    @property
    def place(self) -> str:
        """file:line."""
        return f"{short_path(self.file)}:{self.line}"

    @property
    def key(self) -> str:
        """The change's name."""
        keys = ".".join(map(str, self.path))
        return f"{self.place} {keys}: {self.other} for {self.was}"[:200]

    @property
    def name(self) -> str:
        """The value in all games that have it: `rulebook.rules.R6.text.en`,
        `layouts/base.styles.rules.size`."""
        return f"{self.folder}{self.file.stem}.{'.'.join(map(str, self.path))}"

    @property
    def said(self) -> str:
        """The change within its card, as a report says it: `effects.0.gain.coin: 2 for 1`."""
        within = self.path[2:] if self.card else self.path
        return f"{'.'.join(map(str, within))}: {self.other} for {self.was}"

    @property
    def plays(self) -> bool:
        """Whether it is a number or a name, and no sentence."""
        return self.was.lstrip("-").isdigit() or self.was in ("true", "false") or bool(_WORD.match(self.was))


def values(ref: str, files: tuple[str, ...] = ()) -> list[Value]:
    """Every value of a game's files and of its layouts that can be changed where it stands, with
    what stands in its place: a neighbouring number, the other truth, another name used for the
    same, a longer text."""
    folder = find_game(ref)
    looks = layouts_of(folder)
    found = [*values_of(_yaml(folder, looks)), *values_of(_yaml(looks), "layouts/")]
    return [value for value in found if not files or value.file.stem in files]


def _yaml(folder: Path, without: Path | None = None) -> list[Path]:
    """The files of a folder, but for claims and for those of a folder in it."""
    return [path for path in sorted(folder.glob("**/*.yaml"))
            if path.stem not in LEFT_OUT and not (without and path.is_relative_to(without))]


def values_of(files: Sequence[Path], folder: str = "") -> list[Value]:
    """Every value of some files."""
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
        raw = _raw(lines[line - 1][column - 1:], node.value)
        whole = raw in _written(node.value)
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
    """What values of one sort share: the keys that lead to them, but for the id of a component or a
    term and list positions."""
    own = {"components": 1, "terms": 2}.get(str(keys[0]), -1)
    return tuple(key for n, key in enumerate(keys) if isinstance(key, str) and n != own)


def _others(value: object, used: set[str]) -> tuple[str, ...]:
    """What may stand in a value's place: one or two texts."""
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
    """How a value may be written on one line."""
    plain = str(value).lower() if isinstance(value, bool) else str(value)
    return f'"{plain}"', f"'{plain}'", plain


def _raw(text: str, value: object) -> str:
    """The value as it is written at its place; the first line of a longer text, without its closing
    quote."""
    whole = next((written for written in _written(value) if written and text.startswith(written)), "")
    if whole or not isinstance(value, str):
        return whole
    quoted = _QUOTED.match(text)
    return quoted[0] if quoted else text.rstrip()


def _bare(raw: str) -> str:
    """Without quotes."""
    if raw[:1] not in _QUOTES:
        return raw
    return raw[1:-1] if len(raw) > 1 and raw[-1] == raw[0] else raw[1:]


def _quoted(raw: str, other: str) -> str:
    return f"{raw[0]}{other}{raw[0]}" if raw[0] in _QUOTES else other


def marked(value: Value, mark: str) -> Value:
    """The change that puts a mark behind the text."""
    end = value.was[-1] if value.was[-1] in "\"'" else ""
    return replace(value, other=f"{value.was[:len(value.was) - len(end)]} {mark}{end}")


@contextmanager
def reading(*values: Value) -> Iterator[None]:
    """While it lasts, this process reads other values in the place of some; the files stay as they
    are."""
    with ExitStack() as stack:
        for file, mine in groupby(sorted(values, key=lambda v: v.file), key=lambda v: v.file):
            stack.enter_context(reads_as(file, with_others(file.read_text(encoding="utf-8"), list(mine))))
        yield


def with_others(text: str, values: Sequence[Value]) -> str:
    """A file's text in which some of its values are others."""
    lines = text.split("\n")
    for value in sorted(values, key=lambda v: (v.line, -v.column)):  # those behind first
        line, at = lines[value.line - 1], value.column - 1
        lines[value.line - 1] = line[:at] + value.other + line[at + len(value.was):]
    return "\n".join(lines)

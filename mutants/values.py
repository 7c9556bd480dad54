"""Values of YAML files, changed one at a time in a copy of the game's folder."""

from __future__ import annotations

import re
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from playproof.database.errors import short_path
from playproof.database.game import find_game
from playproof.database.source import Node, read

LEFT_OUT = ("claims",)
"""Files whose values are beliefs about the others."""
_WORD = re.compile(r"[a-z][a-z0-9-]*\Z")


@dataclass(frozen=True)
class Value:
    """One scalar of a file: `path` are the keys that lead to it, `other` the text that stands in its place."""

    file: Path
    line: int
    column: int
    path: tuple[str | int, ...]
    was: str
    other: str

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
    def plays(self) -> bool:
        """Whether it is a number or a name, and no sentence."""
        return self.was.lstrip("-").isdigit() or self.was in ("true", "false") or bool(_WORD.match(self.was))


def values(ref: str, files: tuple[str, ...] = ()) -> list[Value]:
    """Every value of a game's files that can be changed where it stands (a text over several lines cannot), with what
    stands in its place: a neighbouring number, the other truth, another name used for the same, a longer text."""
    folder = find_game(ref)
    nodes = {path: read(path) for path in sorted(folder.glob("**/*.yaml")) if path.stem not in LEFT_OUT}
    used: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for _, keys, node in _scalars(nodes):
        if isinstance(node.value, str) and _WORD.match(node.value):
            used[_shape(keys)].add(node.value)
    found = []
    for path, keys, node in _scalars(nodes):
        if files and path.stem not in files:
            continue
        text = path.read_text(encoding="utf-8").splitlines()[node.where.line - 1][node.where.column - 1:]
        made = _other(node.value, used[_shape(keys)])
        raw = _raw(text, node.value)
        if made is not None and raw:
            found.append(Value(path, node.where.line, node.where.column, keys, raw, _quoted(raw, made)))
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
    """What values of one sort share: the keys that lead to them, but for the id of a component or a term and list
    positions."""
    own = {"components": 1, "terms": 2}.get(str(keys[0]), -1)
    return tuple(key for n, key in enumerate(keys) if isinstance(key, str) and n != own)


def _other(value: object, used: set[str]) -> str | None:
    if isinstance(value, bool):
        return "false" if value else "true"
    if isinstance(value, int):
        return str(value + 1)
    if isinstance(value, float):
        return str(value + 1)
    if isinstance(value, str) and value:
        others = sorted(used - {value})
        if _WORD.match(value) and others:
            return next((o for o in others if o > value), others[0])
        return f"{value}x"
    return None


def _raw(text: str, value: object) -> str:
    """The value as it is written at its place; "" where it goes over several lines."""
    plain = str(value).lower() if isinstance(value, bool) else str(value)
    for written in (plain, f'"{plain}"', f"'{plain}'"):
        if text.startswith(written):
            return written
    return ""


def _quoted(raw: str, other: str) -> str:
    return f"{raw[0]}{other}{raw[0]}" if raw[0] in "\"'" else other


def marked(value: Value, mark: str) -> Value:
    """The change that puts a mark behind the text."""
    end = value.was[-1] if value.was[-1] in "\"'" else ""
    return replace(value, other=f"{value.was[:len(value.was) - len(end)]} {mark}{end}")


@contextmanager
def changed(ref: str, *values: Value) -> Iterator[Path]:
    """A copy of the game's folder, of the same name, in which some values are others."""
    folder = find_game(ref)
    with TemporaryDirectory(prefix="playproof-mutant-") as temporary:
        copy = Path(temporary) / folder.resolve().name
        shutil.copytree(folder, copy)
        for value in sorted(values, key=lambda v: (v.file, v.line, -v.column)):  # those behind first
            file = copy / value.file.relative_to(folder)
            lines = file.read_text(encoding="utf-8").split("\n")
            line, at = lines[value.line - 1], value.column - 1
            lines[value.line - 1] = line[:at] + value.other + line[at + len(value.was):]
            file.write_text("\n".join(lines), encoding="utf-8")
        yield copy

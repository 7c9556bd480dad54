"""Reads YAML text into plain data that holds the place of every key and value.

The dialect is the part of YAML 1.2 that people write by hand: mappings with text keys, lists, text,
whole and decimal numbers, true, false, null, anchors and aliases. It differs from PyYAML's YAML 1.1
where that surprises: `yes` and `no` are text, a date is text, and a number with a leading zero
(`006`) is text, because it is a card.

Refused, each with a coded finding: tabs, duplicate keys, tags, merge keys, several documents, text
that is not UTF-8, and anything that would grow beyond LIMITS when its aliases are followed.
"""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import yaml

from playproof.database.errors import Collector, Finding, InputError, Where, did_you_mean, short_path

Key = str | int
Path_ = Sequence[Key]
Data = bool | int | float | str | list["Data"] | dict[str, "Data"] | None

# The C parser is about ten times faster; the pure one stands in where it is missing.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

NON_PRINTABLE = yaml.reader.Reader.NON_PRINTABLE
"""A character that no text of a game may hold: YAML forbids it, and so do sheets."""
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)\Z")
_DECIMAL = re.compile(r"[-+]?(0|[1-9][0-9]*)(\.[0-9]+)([eE][-+]?[0-9]+)?\Z")
_WORDS: dict[str, bool | None] = {
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
    "null": None, "Null": None, "NULL": None, "~": None, "": None,
}  # fmt: skip


class Limits(NamedTuple):
    """The largest size of a file, as written and with its aliases followed."""

    bytes: int = 4_000_000
    depth: int = 48
    nodes: int = 200_000
    digits: int = 18


LIMITS = Limits()
MOST_RECORDED = 16_000_000
"""The largest recorded game, in bytes: about 300,000 moves."""
_MOST_BYTES = 64_000_000
"""Above `LIMITS.bytes`, so that a YAML file that is only somewhat too large keeps its own finding, PP111."""


class Node(NamedTuple):
    """A value and its place. `value` is a scalar, a tuple of nodes, or a mapping of key to
    Entry."""

    value: bool | int | float | str | tuple[Node, ...] | dict[str, Entry] | None
    where: Where
    size: int = 1
    depth: int = 1

    @property
    def data(self) -> Data:
        """The value as plain Python data, without places."""
        value = self.value
        if isinstance(value, dict):
            return {key: entry.node.data for key, entry in value.items()}
        if isinstance(value, tuple):
            return [node.data for node in value]
        return value

    @property
    def entries(self) -> Mapping[str, Entry]:
        """The entries of a mapping; empty for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> tuple[Node, ...]:
        """The items of a list; empty for anything else."""
        return self.value if isinstance(self.value, tuple) else ()

    def get(self, key: Key) -> Node | None:
        """Return the child under a key of a mapping or an index of a list, or None."""
        if isinstance(key, int):
            return self.items[key] if 0 <= key < len(self.items) else None
        entry = self.value.get(key) if isinstance(self.value, dict) else None
        return entry.node if entry else None

    def at(self, path: Path_) -> Node:
        """Return the node at `path`, or its nearest existing ancestor."""
        node = self
        for key in path:
            child = node.get(key)
            if child is None:
                break
            node = child
        return node

    def key_where(self, path: Path_) -> Where:
        """Return the place of the last key of `path`; for a list item, the place of the item."""
        *above, last = path
        parent = self.at(above)
        entry = parent.entries.get(str(last)) if not isinstance(last, int) else None
        return entry.key_where if entry else self.at(path).where

    @property
    def kind(self) -> str:
        """The kind of the value, as error messages name it."""
        if isinstance(self.value, tuple):
            return "a list"
        if isinstance(self.value, dict):
            return "a mapping"
        if self.value is None:
            return "nothing"
        return f"{self.value!r}" if isinstance(self.value, str) else str(self.value).lower()


class Entry(NamedTuple):
    """One `key: value` of a mapping, with the place of the key."""

    key: str
    key_where: Where
    node: Node


_kept: dict[Path, tuple[bytes, Node]] | None = None
_instead: dict[Path, bytes] = {}  # by the file's real path


def read(path: Path | str) -> Node:
    """Read one YAML file. Raises InputError with every finding of the file."""
    name = short_path(Path(path))
    start = Where(name)
    collector = Collector()
    try:
        raw = content(path)
    except OSError as error:
        collector.add("PP101", start, f"cannot read this file: {error.strerror or error}")
        raise InputError(collector.findings) from None
    parsed = _kept.get(name) if _kept is not None else None
    if parsed is not None and parsed[0] == raw:
        return parsed[1]
    if len(raw) > LIMITS.bytes:
        collector.add("PP111", start, f"expected at most {LIMITS.bytes} bytes, found {len(raw)}")
        raise InputError(collector.findings)
    node = parse(decoded(raw, name), name)
    if _kept is not None:
        _kept[name] = (raw, node)
    return node


def decoded(raw: bytes, file: Path | str) -> str:
    """Return the text of a file's bytes, without the mark that some editors put before it. Raises InputError at
    the first byte that is not UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = _after(error.object[: error.start].decode("utf-8", "replace"), file)
        finding = Finding(
            "PP102", where, f"expected UTF-8 text, found the byte 0x{error.object[error.start]:02x}"
        )
        raise InputError([finding]) from None


def _after(before: str, file: Path | str) -> Where:
    """Return the place that follows a text's beginning."""
    return Where(file, before.count("\n") + 1, len(before) - before.rfind("\n"))


def plain_bytes(path: Path | str, most: int) -> bytes:
    """Return the bytes of a plain file of at most `most` bytes. Raises OSError, also for a larger file, and for a
    pipe, a device or a folder: these may have endless bytes, or never any."""
    # Without O_NONBLOCK, opening a pipe waits until somebody writes into it.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "expected a plain file, found something else", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            raw = file.read(most + 1)  # the file may grow meanwhile, so its size alone does not bound this
    finally:
        os.close(descriptor)
    if len(raw) > most:
        raise OSError(errno.EFBIG, f"expected at most {most:,} bytes, found more", str(path))
    return raw


def content(path: Path | str) -> bytes:
    """Return the bytes of a file, or the bytes that `reads_as` has put in their place. Raises
    OSError, also for a file that is no plain one or larger than any that is read."""
    changed = _instead.get(Path(path).resolve()) if _instead else None
    return plain_bytes(path, _MOST_BYTES) if changed is None else changed


@contextmanager
def reads_as(path: Path, text: str) -> Iterator[None]:
    """Make this process read other text in place of a YAML file or a chapter inside the `with` block;
    the file stays unchanged."""
    key = path.resolve()
    _instead[key] = text.encode("utf-8")
    try:
        yield
    finally:
        del _instead[key]


def keep_parsed() -> None:
    """Keep the parsed content of each file from now on, so that an unchanged file is not parsed
    again.

    This is for programs that read the same game repeatedly while people edit it. It keeps all nodes
    in memory.
    """
    global _kept
    _kept = {} if _kept is None else _kept


def parse(text: str, file: Path | str = "<text>") -> Node:
    """Parse YAML text. Raises InputError with every finding."""
    collector = Collector()
    _refuse_tabs(text, file, collector)
    collector.check()  # a tab makes the parser's own message worse than useless
    builder = _Builder(file, collector)
    try:
        root = builder.document(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Where(file, mark.line + 1, mark.column + 1) if mark else Where(file)
        context = f" {error.context}" if error.context else ""
        hint = _quotes_wanted(text, where) if mark else ""
        collector.add("PP104", where, f"this is not YAML: {error.problem}{context}", hint)
    except yaml.YAMLError:  # the C parser gives no place for a character that YAML forbids
        odd = NON_PRINTABLE.search(text)
        where = _after(text[: odd.start()], file) if odd else Where(file)
        what = f"found the character U+{ord(odd[0]):04X}" if odd else "found something else"
        collector.add("PP104", where, f"this is not YAML: expected readable text, {what}", "delete it")
    except _Stop:
        pass
    collector.check()
    return root


def _quotes_wanted(text: str, where: Where) -> str:
    """Return a hint if the parser stopped at a colon inside a text: it reads a second key there."""
    line = (*text.split("\n"), "")[where.line - 1]  # the parser may stop behind the last line
    key, colon, rest = line[: where.column - 1].rpartition(": ")
    if not colon or line[where.column - 1 : where.column] != ":":
        return ""
    words = (
        rest + re.split("[,}]", line[where.column - 1 :])[0]
        if "{" in key
        else rest + line[where.column - 1 :]
    )
    return f'a text with a colon needs quotes: "{words.strip()}"'


def _refuse_tabs(text: str, file: Path | str, collector: Collector) -> None:
    if "\t" not in text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        column = line.find("\t")
        if column >= 0:
            where = Where(file, number, column + 1)
            collector.add("PP103", where, "expected spaces, found a tab", "indent with two spaces")


class _Stop(Exception):
    """The rest of the file cannot be read; the reason is in the collector."""


class _Builder:
    """Turns parser events into nodes, counting what aliases would expand to."""

    def __init__(self, file: Path | str, collector: Collector) -> None:
        self.file = file
        self.collector = collector
        self.anchors: dict[str, Node | None] = {}  # None while the anchored value is still open
        self.nodes = 0

    def document(self, text: str) -> Node:
        """Return the text's one document; an empty text has the value None."""
        events = iter(_Loader(text).get_event, None)
        root: Node | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self._stop("PP108", self._where(event), "expected one document per file, found another")
                root = self._node(next(events), events, 1)
        return root or Node(None, Where(self.file))

    def _where(self, event: yaml.Event) -> Where:
        mark = event.start_mark
        return Where(self.file, mark.line + 1, mark.column + 1) if mark else Where(self.file)

    def _stop(self, code: str, where: Where, message: str) -> None:
        self.collector.add(code, where, message)
        raise _Stop

    def _count(self, amount: int, depth: int, where: Where, alias: bool = False) -> None:
        """Stop if the file, with every alias followed, exceeds LIMITS."""
        self.nodes += amount
        if self.nodes > LIMITS.nodes:
            code, what = ("PP106", "aliases that expand to") if alias else ("PP111", "a file of")
            self._stop(code, where, f"expected at most {LIMITS.nodes} values, found {what} more")
        if depth > LIMITS.depth:
            self._stop("PP110", where, f"expected at most {LIMITS.depth} levels, found more")

    def _node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> Node:
        where = self._where(event)
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, where, depth)
        self._count(1, depth, where)
        if isinstance(event, yaml.ScalarEvent) and not event.anchor and not event.tag:  # most are
            return Node(self._scalar(event, where), where)
        anchor: str | None = getattr(event, "anchor", None)
        if anchor:
            self.anchors[anchor] = None
        tag: str | None = getattr(event, "tag", None)
        if tag:
            self.collector.add("PP109", where, f"tags are not allowed, found {tag}", "remove the tag")
        if isinstance(event, yaml.ScalarEvent):
            node = Node(self._scalar(event, where), where)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._sequence(events, where, depth)
        else:
            node = self._mapping(events, where, depth)
        if anchor:
            self.anchors[anchor] = node
        return node

    def _alias(self, event: yaml.AliasEvent, where: Where, depth: int) -> Node:
        name = str(event.anchor)
        node = self.anchors.get(name)
        if node is None:
            inside = name in self.anchors
            fault = "stands inside itself" if inside else "has no anchor before it"
            hint = "" if inside else did_you_mean(name, self.anchors)
            self.collector.add("PP107", where, f"the alias *{name} {fault}", hint)
            raise _Stop
        self._count(node.size, depth + node.depth - 1, where, alias=True)
        return node

    def _scalar(self, event: yaml.ScalarEvent, where: Where) -> bool | int | float | str | None:
        text = str(event.value)
        if event.style:  # quoted or block text is always text
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.match(text):
            if len(text) > LIMITS.digits:
                self.collector.add("PP109", where, f"expected a number of at most {LIMITS.digits} digits")
                return 0
            return int(text)
        return float(text) if _DECIMAL.match(text) else text

    def _sequence(self, events: Iterator[yaml.Event], where: Where, depth: int) -> Node:
        items: list[Node] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._node(event, events, depth + 1))
        size = 1 + sum(item.size for item in items)
        return Node(tuple(items), where, size, 1 + max((item.depth for item in items), default=0))

    def _mapping(self, events: Iterator[yaml.Event], where: Where, depth: int) -> Node:
        entries: dict[str, Entry] = {}
        size, deepest = 1, 0
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key_where = self._where(event)
            key = self._key(event, key_where, events, depth)
            node = self._node(next(events), events, depth + 1)
            _, _, inner, below = node
            size += 1 + inner
            deepest = max(deepest, below)
            if key in entries:
                first = entries[key].key_where
                self.collector.add(
                    "PP105", key_where, f'the key "{key}" stands twice', f"first in line {first.line}"
                )
                continue
            entries[key] = Entry(key, key_where, node)
        return Node(entries, where, size, 1 + deepest)

    def _key(self, event: yaml.Event, where: Where, events: Iterator[yaml.Event], depth: int) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            node = self._node(event, events, depth + 1)
            self.collector.add("PP109", where, f"expected a word as key, found {node.kind}")
            return f"<{where.line}:{where.column}>"
        self._count(1, depth, where)
        if event.value == "<<" and not event.style:
            self.collector.add("PP109", where, "merge keys are not allowed", "write the entries out")
        return str(event.value)

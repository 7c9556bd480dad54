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
from typing import NamedTuple, NoReturn

import yaml

from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)

YamlKey = str | int
YamlPath = Sequence[YamlKey]
YamlData = bool | int | float | str | list["YamlData"] | dict[str, "YamlData"] | None

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


class YamlNode(NamedTuple):
    """A value and its place. `value` is a scalar, a tuple of nodes, or a mapping of key to
    Entry."""

    value: bool | int | float | str | tuple[YamlNode, ...] | dict[str, YamlEntry] | None
    where: Where
    size: int = 1
    depth: int = 1

    @property
    def data(self) -> YamlData:
        """The value as plain Python data, without places."""
        value = self.value
        if isinstance(value, dict):
            return {key: entry.node.data for key, entry in value.items()}
        if isinstance(value, tuple):
            return [node.data for node in value]
        return value

    @property
    def entries(self) -> Mapping[str, YamlEntry]:
        """The entries of a mapping; empty for anything else."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def items(self) -> tuple[YamlNode, ...]:
        """The items of a list; empty for anything else."""
        return self.value if isinstance(self.value, tuple) else ()

    def get(self, key: YamlKey) -> YamlNode | None:
        """Return the child under a key of a mapping or an index of a list, or None."""
        if isinstance(key, int):
            return self.items[key] if 0 <= key < len(self.items) else None
        entry = self.value.get(key) if isinstance(self.value, dict) else None
        return entry.node if entry else None

    def get_node_or_nearest_ancestor(self, path: YamlPath) -> YamlNode:
        """Return the node at `path`, or its nearest existing ancestor."""
        node = self
        for key in path:
            child = node.get(key)
            if child is None:
                break
            node = child
        return node

    def get_place_of_last_key(self, path: YamlPath) -> Where:
        """Return the place of the last key of `path`; for a list item, the place of the item."""
        *above, last = path
        parent = self.get_node_or_nearest_ancestor(above)
        entry = parent.entries.get(str(last)) if not isinstance(last, int) else None
        return entry.key_where if entry else self.get_node_or_nearest_ancestor(path).where

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


class KindAndNode(NamedTuple):
    kind: str  # of a component
    node: YamlNode


class YamlEntry(NamedTuple):
    """One `key: value` of a mapping, with the place of the key."""

    key: str
    key_where: Where
    node: YamlNode


_kept: dict[Path, tuple[bytes, YamlNode]] | None = None
_instead: dict[Path, bytes] = {}  # by the file's real path


def read_yaml_file(path: Path | str) -> YamlNode:
    """Read one YAML file. Raises InputError with every finding of the file."""
    name = make_path_relative_to_working_folder(Path(path))
    start = Where(name)
    collector = FindingCollector()
    try:
        raw = read_file_or_its_override(path)
    except OSError as error:
        collector.add_finding("PP101", start, f"cannot read this file: {error.strerror or error}")
        raise InputError(collector.findings) from None
    parsed = _kept.get(name) if _kept is not None else None
    if parsed is not None and parsed[0] == raw:
        return parsed[1]
    if len(raw) > LIMITS.bytes:
        collector.add_finding("PP111", start, f"expected at most {LIMITS.bytes} bytes, found {len(raw)}")
        raise InputError(collector.findings)
    node = parse_yaml(decode_utf8_without_byte_mark(raw, name), name)
    if _kept is not None:
        _kept[name] = (raw, node)
    return node


def decode_utf8_without_byte_mark(raw: bytes, file: Path | str) -> str:
    """Return the text of a file's bytes, without the mark that some editors put before it. Raises InputError at
    the first byte that is not UTF-8."""
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = _get_place_after_text(error.object[: error.start].decode("utf-8", "replace"), file)
        finding = Finding("PP102", where, f"expected UTF-8 text, found the byte 0x{error.object[error.start]:02x}")
        raise InputError([finding]) from None


def _get_place_after_text(text_before: str, file: Path | str) -> Where:
    """Return the place that follows a text's beginning."""
    return Where(file, text_before.count("\n") + 1, len(text_before) - text_before.rfind("\n"))


def read_limited_plain_file_or_raise(path: Path | str, max_bytes: int) -> bytes:
    """Return the bytes of a plain file of at most `most` bytes. Raises OSError, also for a larger file, and for a
    pipe, a device or a folder: these may have endless bytes, or never any."""
    # Without O_NONBLOCK, opening a pipe waits until somebody writes into it.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "expected a plain file, found something else", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            # the file may grow meanwhile, so its size alone does not bound this
            raw = file.read(max_bytes + 1)
    finally:
        os.close(descriptor)
    if len(raw) > max_bytes:
        raise OSError(errno.EFBIG, f"expected at most {max_bytes:,} bytes, found more", str(path))
    return raw


def read_file_or_its_override(path: Path | str) -> bytes:
    """Return the bytes of a file, or the bytes that `override_file_content_in_block` has put in their place. Raises
    OSError, also for a file that is no plain one or larger than any that is read."""
    changed = _instead.get(Path(path).resolve()) if _instead else None
    return read_limited_plain_file_or_raise(path, _MOST_BYTES) if changed is None else changed


@contextmanager
def override_file_content_in_block(path: Path, text: str) -> Iterator[None]:
    """Make this process read other text in place of a YAML file or a chapter inside the `with` block;
    the file stays unchanged."""
    key = path.resolve()
    _instead[key] = text.encode("utf-8")
    try:
        yield
    finally:
        del _instead[key]


def enable_cache_of_parsed_files() -> None:
    """Keep the parsed content of each file from now on, so that an unchanged file is not parsed
    again.

    This is for programs that read the same game repeatedly while people edit it. It keeps all nodes
    in memory.
    """
    global _kept
    _kept = {} if _kept is None else _kept


def parse_yaml(text: str, file: Path | str = "<text>") -> YamlNode:
    """Parse YAML text. Raises InputError with every finding."""
    collector = FindingCollector()
    _record_tabs_as_findings(text, file, collector)
    collector.raise_if_errors()  # a tab makes the parser's own message worse than useless
    builder = _NodeBuilder(file, collector)
    try:
        root = builder.build_document(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = Where(file, mark.line + 1, mark.column + 1) if mark else Where(file)
        context = f" {error.context}" if error.context else ""
        hint = _make_missing_quotes_hint_or_empty(text, where) if mark else ""
        collector.add_finding("PP104", where, f"this is not YAML: {error.problem}{context}", hint)
    except yaml.YAMLError:  # the C parser gives no place for a character that YAML forbids
        odd = NON_PRINTABLE.search(text)
        where = _get_place_after_text(text[: odd.start()], file) if odd else Where(file)
        what = f"found the character U+{ord(odd[0]):04X}" if odd else "found something else"
        collector.add_finding("PP104", where, f"this is not YAML: expected readable text, {what}", "delete it")
    except _StopParsing:
        pass
    collector.raise_if_errors()
    return root


def _make_missing_quotes_hint_or_empty(text: str, where: Where) -> str:
    """Return a hint if the parser stopped at a colon inside a text: it reads a second key there."""
    line = (*text.split("\n"), "")[where.line - 1]  # the parser may stop behind the last line
    key, colon, rest = line[: where.column - 1].rpartition(": ")
    if not colon or line[where.column - 1 : where.column] != ":":
        return ""
    words = rest + re.split("[,}]", line[where.column - 1 :])[0] if "{" in key else rest + line[where.column - 1 :]
    return f'a text with a colon needs quotes: "{words.strip()}"'


def _record_tabs_as_findings(text: str, file: Path | str, collector: FindingCollector) -> None:
    if "\t" not in text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        column = line.find("\t")
        if column >= 0:
            where = Where(file, number, column + 1)
            collector.add_finding("PP103", where, "expected spaces, found a tab", "indent with two spaces")


class _StopParsing(Exception):
    """The rest of the file cannot be read; the reason is in the collector."""


class _NodeBuilder:
    """Turns parser events into nodes, counting what aliases would expand to."""

    def __init__(self, file: Path | str, collector: FindingCollector) -> None:
        self.file = file
        self.collector = collector
        self.anchors: dict[str, YamlNode | None] = {}  # None while the anchored value is still open
        self.nodes = 0

    def build_document(self, text: str) -> YamlNode:
        """Return the text's one document; an empty text has the value None."""
        events = iter(_Loader(text).get_event, None)
        root: YamlNode | None = None
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self._stop_with_finding(
                        "PP108", self._get_place_of_event(event), "expected one document per file, found another"
                    )
                root = self._build_node(next(events), events, 1)
        return root or YamlNode(None, Where(self.file))

    def _get_place_of_event(self, event: yaml.Event) -> Where:
        mark = event.start_mark
        return Where(self.file, mark.line + 1, mark.column + 1) if mark else Where(self.file)

    def _stop_with_finding(self, code: str, where: Where, message: str) -> NoReturn:
        self.collector.add_finding(code, where, message)
        raise _StopParsing

    def _count_nodes_or_stop_at_limit(self, amount: int, depth: int, where: Where, is_alias: bool = False) -> None:
        """Stop if the file, with every alias followed, exceeds LIMITS."""
        self.nodes += amount
        if self.nodes > LIMITS.nodes:
            code, what = ("PP106", "aliases that expand to") if is_alias else ("PP111", "a file of")
            self._stop_with_finding(code, where, f"expected at most {LIMITS.nodes} values, found {what} more")
        if depth > LIMITS.depth:
            self._stop_with_finding("PP110", where, f"expected at most {LIMITS.depth} levels, found more")

    def _build_node(self, event: yaml.Event, events: Iterator[yaml.Event], depth: int) -> YamlNode:
        where = self._get_place_of_event(event)
        if isinstance(event, yaml.AliasEvent):
            return self._resolve_alias(event, where, depth)
        self._count_nodes_or_stop_at_limit(1, depth, where)
        if isinstance(event, yaml.ScalarEvent) and not event.anchor and not event.tag:  # most are
            return YamlNode(self._parse_scalar(event, where), where)
        anchor: str | None = getattr(event, "anchor", None)
        if anchor:
            self.anchors[anchor] = None
        tag: str | None = getattr(event, "tag", None)
        if tag:
            self.collector.add_finding("PP109", where, f"tags are not allowed, found {tag}", "remove the tag")
        if isinstance(event, yaml.ScalarEvent):
            node = YamlNode(self._parse_scalar(event, where), where)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._build_sequence(events, where, depth)
        else:
            node = self._build_mapping(events, where, depth)
        if anchor:
            self.anchors[anchor] = node
        return node

    def _resolve_alias(self, event: yaml.AliasEvent, where: Where, depth: int) -> YamlNode:
        name = str(event.anchor)
        node = self.anchors.get(name)
        if node is None:
            inside = name in self.anchors
            fault = "stands inside itself" if inside else "has no anchor before it"
            hint = "" if inside else make_nearest_or_possible_words_hint(name, self.anchors)
            self.collector.add_finding("PP107", where, f"the alias *{name} {fault}", hint)
            raise _StopParsing
        self._count_nodes_or_stop_at_limit(node.size, depth + node.depth - 1, where, is_alias=True)
        return node

    def _parse_scalar(self, event: yaml.ScalarEvent, where: Where) -> bool | int | float | str | None:
        text = str(event.value)
        if event.style:  # quoted or block text is always text
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INTEGER.match(text):
            if len(text) > LIMITS.digits:
                self.collector.add_finding("PP109", where, f"expected a number of at most {LIMITS.digits} digits")
                return 0
            return int(text)
        return float(text) if _DECIMAL.match(text) else text

    def _build_sequence(self, events: Iterator[yaml.Event], where: Where, depth: int) -> YamlNode:
        items: list[YamlNode] = []
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            items.append(self._build_node(event, events, depth + 1))
        size = 1 + sum(item.size for item in items)
        return YamlNode(tuple(items), where, size, 1 + max((item.depth for item in items), default=0))

    def _build_mapping(self, events: Iterator[yaml.Event], where: Where, depth: int) -> YamlNode:
        entries: dict[str, YamlEntry] = {}
        size, deepest = 1, 0
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key_where = self._get_place_of_event(event)
            key = self._read_key_as_text(event, key_where, events, depth)
            node = self._build_node(next(events), events, depth + 1)
            _, _, inner, below = node
            size += 1 + inner
            deepest = max(deepest, below)
            if key in entries:
                first = entries[key].key_where
                self.collector.add_finding(
                    "PP105", key_where, f'the key "{key}" stands twice', f"first in line {first.line}"
                )
                continue
            entries[key] = YamlEntry(key, key_where, node)
        return YamlNode(entries, where, size, 1 + deepest)

    def _read_key_as_text(self, event: yaml.Event, where: Where, events: Iterator[yaml.Event], depth: int) -> str:
        if not isinstance(event, yaml.ScalarEvent):
            node = self._build_node(event, events, depth + 1)
            self.collector.add_finding("PP109", where, f"expected a word as key, found {node.kind}")
            return f"<{where.line}:{where.column}>"
        self._count_nodes_or_stop_at_limit(1, depth, where)
        if event.value == "<<" and not event.style:
            self.collector.add_finding("PP109", where, "merge keys are not allowed", "write the entries out")
        return str(event.value)

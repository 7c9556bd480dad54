"""Takes sheets back into a game's YAML files. What did not change keeps every byte: comments, order, line breaks,
quotes. Either all files are written or none.

The new texts are read again, and must hold exactly what the sheets hold; otherwise nothing is written.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from playproof.database.errors import Collector, InputError, Where, did_you_mean, short_path
from playproof.database.game import load_game, load_with
from playproof.database.sheet_cells import flow, quoted, scalar
from playproof.database.sheet_export import SEPARATOR, component_files
from playproof.database.sheet_source import SheetSpec, table_nodes
from playproof.database.source import Data, Entry, Node, content, decoded, parse, read
from playproof.database.spreadsheets import is_spreadsheet, read_tables
from playproof.database.worksheets import Worksheet

_ComposeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INDENT = "  "


class Edit(NamedTuple):
    """A part of a text, by its first and its last index, and what stands there instead."""

    start: int
    end: int
    text: str


def tables_in(source: Path) -> list[Worksheet]:
    """Return the sheets of a file, or of all files in a folder. Raises InputError."""
    files = sorted(filter(is_spreadsheet, source.iterdir())) if source.is_dir() else [source]
    if not files:
        message = "expected a spreadsheet in this folder, found none"
        raise InputError.of("PP260", Where(short_path(source)), message)
    return [table for file in files for table in read_tables(file)]


def taken_back(folder: Path, tables: Sequence[Worksheet]) -> dict[Path, bytes]:
    """Return the YAML files that change, with their new content. Raises InputError, with places in the sheets, if the
    game could not be read with what the sheets hold."""
    game = load_game(folder, errata=False)
    collector, wanted = Collector(), dict[str, Node]()
    kinds = {path.stem: str(read(path).at(["kind"]).value) for path in component_files(folder)}
    for table in tables:
        kind = kinds.get(table.name) or (table.name if table.name in game.vocabulary.kinds else None)
        if kind is None:
            hint = did_you_mean(table.name, [*kinds, *game.vocabulary.kinds])
            message = f'there is no file "{table.name}.yaml", and no kind of that name'
            collector.add("PP263", table.where(0, 0), message, hint)
            continue
        spec = SheetSpec(file=table.name, kind=kind, separator=SEPARATOR)
        try:
            wanted[table.name] = table_nodes(table, spec, game.vocabulary, collector)
        except InputError as error:
            collector.extend(error.findings)
    collector.check()
    nodes = {stem: _file_node(folder, stem, kinds.get(stem, stem), node) for stem, node in wanted.items()}
    load_with(folder, nodes)
    changed = dict[Path, bytes]()
    for stem, node in wanted.items():
        path = folder / f"{stem}.yaml"
        raw = content(path) if stem in kinds else f"kind: {scalar(stem)}\ncomponents:\n".encode()
        new = _rewritten(path, raw, node)
        if stem not in kinds or new != raw:
            changed[path] = new
    return changed


def write_all(files: Mapping[Path, bytes]) -> None:
    """Write all files, or none: each goes beside its place first."""
    parts = {path: path.with_suffix(".yaml.part") for path in files}
    try:
        for path, part in parts.items():
            part.write_bytes(files[path])
        for path, part in parts.items():
            os.replace(part, path)
    finally:
        for part in parts.values():
            part.unlink(missing_ok=True)


def _file_node(folder: Path, stem: str, kind: str, components: Node) -> Node:
    """Return a YAML file's node with the components of a sheet in it."""
    path = folder / f"{stem}.yaml"
    entries = dict(read(path).entries) if path.is_file() else {}
    where = components.where
    entries.setdefault("kind", Entry("kind", where, Node(kind, where)))
    entries["components"] = Entry("components", where, components)
    return Node(entries, where)


def _rewritten(path: Path, raw: bytes, wanted: Node) -> bytes:
    """Return a YAML file with other components. Raises InputError if the change cannot be written."""
    text = decoded(raw, path)
    mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    new = _Rewriter(text, path).with_components(
        {key: entry.node.data for key, entry in wanted.entries.items()}
    )
    try:
        before, after = parse(text, path).data, parse(new, path).data
        as_wanted = _same(after, {**before, "components": wanted.data}) if isinstance(before, dict) else False
        as_wanted = as_wanted and list(parse(new, path).at(["components"]).entries) == list(wanted.entries)
    except InputError:
        as_wanted = False
    if not as_wanted:
        message = f"the changes cannot be written into {path.name} as it is laid out"
        raise InputError.of("PP265", wanted.where, message, "make them in the YAML file")
    return mark + new.encode("utf-8")


def _same(value: object, other: object) -> bool:
    """Return whether two values are the same for YAML: `1` and `true` are not."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


@dataclass(frozen=True, slots=True)
class _Block:
    """The lines of one component: those before it, which are blank or comments, and its own, up to `end`."""

    key: str
    lead: int
    start: int
    end: int
    node: yaml.Node


class _Rewriter:
    """Changes the components of one YAML text."""

    def __init__(self, text: str, path: Path) -> None:
        self.text = text
        root = yaml.compose(text, Loader=_ComposeLoader)
        pairs = {key.value: (key, value) for key, value in root.value} if root is not None else {}
        self.key, self.components = pairs["components"]
        self.old = parse(text, path).at(["components"]).entries

    def with_components(self, wanted: Mapping[str, Data]) -> str:
        """Return the text with these components, in their order."""
        blocks = {block.key: block for block in self._blocks()}
        if not blocks:
            head = self.text[: self.key.end_mark.index] + ":\n"
            return head + "".join(
                f"{_INDENT}{scalar(key, key=True)}: {flow(data)}\n" for key, data in wanted.items()
            )
        first, last = next(iter(blocks.values())), next(reversed(blocks.values()))
        written = {
            key: self._changed(block, wanted.get(key)) for key, block in blocks.items() if key in wanted
        }
        leads = self._leads(blocks, wanted)
        if list(wanted) == list(blocks):
            middle = "".join(leads[key] + written[key] for key in blocks)
        else:
            placed = (
                leads.get(key, "") + self._placed(key, data, blocks, written) for key, data in wanted.items()
            )
            middle = "".join(placed) + leads[""]
        return self.text[: first.lead] + middle + self.text[last.end :]

    def _leads(self, blocks: Mapping[str, _Block], wanted: Mapping[str, Data]) -> dict[str, str]:
        """Return the lines above each component. Comments above one that goes pass to the next; those behind the last
        have the name ""."""
        leads, carried = dict[str, str](), ""
        for key, block in blocks.items():
            lead = self.text[block.lead : block.start]
            if key in wanted:
                leads[key] = carried + lead
                carried = ""
            elif "#" in lead:
                carried += lead
        return {**leads, "": carried}

    def _blocks(self) -> Iterator[_Block]:
        """Yield each component with the lines above it that belong to no other."""
        after = self.text.find("\n", self.key.end_mark.index) + 1
        for key, value in self.components.value:
            start = self.text.rfind("\n", 0, key.start_mark.index) + 1
            end = self._line_end(_end(self.text, value))
            yield _Block(key.value, after, start, end, value)
            after = end

    def _line_end(self, index: int) -> int:
        """Return the index behind the line break that follows."""
        end = self.text.find("\n", index)
        return len(self.text) if end < 0 else end + 1

    def _placed(self, key: str, data: Data, blocks: Mapping[str, _Block], written: Mapping[str, str]) -> str:
        block = blocks.get(key)
        if block is not None:
            return written[key] if written[key].endswith("\n") else f"{written[key]}\n"
        pattern = next(iter(blocks.values()))
        head = self.text[pattern.start : pattern.node.start_mark.index]
        indent = head[: len(head) - len(head.lstrip())]
        name = quoted(key) if head.lstrip().startswith('"') else scalar(key, key=True)
        if _is_flow(pattern.node) or not isinstance(data, dict):
            return f"{indent}{name}: {flow(data)}\n"
        lines = "".join(f"{indent}{_INDENT}{scalar(k, key=True)}: {flow(v)}\n" for k, v in data.items())
        return f"{indent}{name}:\n{lines}"

    def _changed(self, block: _Block, data: Data) -> str:
        """Return a component's lines with what differs in it changed."""
        edits = sorted(set(self._edits(block.node, self.old[block.key].node.data, data)))
        pieces, at = list[str](), block.start
        for edit in edits:
            pieces += [self.text[at : edit.start], edit.text]
            at = edit.end
        return "".join([*pieces, self.text[at : block.end]])

    def _edits(self, node: yaml.Node, old: Data, new: Data) -> Iterator[Edit]:
        """Yield what has to change in a value's text. Parts that stay are not touched."""
        if _same(old, new):
            return
        if isinstance(node, yaml.MappingNode) and isinstance(old, dict) and isinstance(new, dict) and new:
            yield from self._entry_edits(node, old, new)
        elif isinstance(node, yaml.SequenceNode) and isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                yield self._replacement(node, new)
                return
            for child, before, after in zip(node.value, old, new, strict=True):
                yield from self._edits(child, before, after)
        else:
            yield self._replacement(node, new)

    def _entry_edits(
        self, node: yaml.MappingNode, old: dict[str, Any], new: dict[str, Any]
    ) -> Iterator[Edit]:
        pairs = {key.value: (key, value) for key, value in node.value}
        remaining = [key for key in pairs if key in new]
        if not remaining:
            yield self._replacement(node, new)
            return
        for key in pairs:
            if key in new:
                yield from self._edits(pairs[key][1], old[key], new[key])
            else:
                yield self._removal(node, list(pairs), key, pairs)
        previous = ""
        inserted = dict[str, list[str]]()
        for key in new:
            if key in pairs:
                previous = key
            else:
                inserted.setdefault(previous, []).append(f"{scalar(key, key=True)}: {flow(new[key])}")
        for behind, entries in inserted.items():
            yield self._insertion(node, pairs, behind, entries)

    def _removal(self, node: yaml.MappingNode, keys: list[str], key: str, pairs: Mapping[str, Any]) -> Edit:
        """Return the edit that removes an entry with its comma or its lines."""
        mark, value = pairs[key]
        number = keys.index(key)
        if not _is_flow(node):
            start = self.text.rfind("\n", 0, mark.start_mark.index) + 1
            if self.text[start : mark.start_mark.index].strip():  # the first key stands behind a dash
                start = mark.start_mark.index
            return Edit(start, self._line_end(_end(self.text, value)), "")
        if number + 1 < len(keys):
            return Edit(mark.start_mark.index, pairs[keys[number + 1]][0].start_mark.index, "")
        return Edit(_end(self.text, pairs[keys[number - 1]][1]), _end(self.text, value), "")

    def _insertion(
        self, node: yaml.MappingNode, pairs: Mapping[str, Any], behind: str, entries: list[str]
    ) -> Edit:
        """Return the edit that adds entries behind another, or in front of all."""
        first = next(iter(pairs.values()))[0].start_mark
        if _is_flow(node):
            if not behind:
                return Edit(first.index, first.index, "".join(f"{entry}, " for entry in entries))
            at = _end(self.text, pairs[behind][1])
            return Edit(at, at, "".join(f", {entry}" for entry in entries))
        indent = " " * first.column
        if not behind:
            return Edit(first.index, first.index, "".join(f"{entry}\n{indent}" for entry in entries))
        at = self._line_end(_end(self.text, pairs[behind][1]))
        lines = "".join(f"{indent}{entry}\n" for entry in entries)
        return Edit(at, at, lines if self.text[at - 1 : at] == "\n" else f"\n{lines}")

    def _replacement(self, node: yaml.Node, new: Data) -> Edit:
        start, end = node.start_mark.index, _end(self.text, node)
        if isinstance(node, yaml.ScalarNode) and isinstance(new, str):
            if node.style:  # quoted, or a block
                return Edit(start, end, quoted(new))
            return Edit(start, end, new if self._reads_plain(new) else quoted(new))
        return Edit(start, end, flow(new))

    def _reads_plain(self, text: str) -> bool:
        """Return whether a text needs no quotes, wherever it stands."""
        if not text or "\n" in text:
            return False
        try:
            return parse(f"[{text}]").data == [text] and parse(f"k: {text}").data == {"k": text}
        except InputError:
            return False


def _is_flow(node: yaml.Node) -> bool:
    """Return whether a mapping or a list stands in braces or brackets."""
    return bool(getattr(node, "flow_style", False))


def _end(text: str, node: yaml.Node) -> int:
    """Return the index behind a value. What a block ends with is not counted: line breaks, and comments behind it."""
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.ScalarNode) or _is_flow(node):
        return start + len(text[start:end].rstrip())
    children = (
        [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
    )
    return max((_end(text, child) for child in children), default=end)

"""Takes a game's cards to spreadsheets and back, and fetches published sheets once. What did not
change keeps every byte of its YAML.

The new texts are read again, and must hold exactly what the sheets hold; otherwise nothing is written."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from playproof.database.component_files import SPECIAL
from playproof.database.errors import (
    FindingCollector,
    InputError,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.game import Game, load_game, load_unpatched_game_with_replaced_files
from playproof.database.sheet_cells import (
    ID,
    CellError,
    ColumnProperty,
    format_as_one_line_yaml,
    format_value_as_cell_or_raise,
    format_yaml_scalar,
    get_possible_columns_by_name,
    quote_yaml_text,
)
from playproof.database.sheet_source import SheetSpec, get_declared_sheet_nodes, read_components_of_worksheet
from playproof.database.source import (
    LIMITS,
    YamlData,
    YamlEntry,
    YamlNode,
    decode_utf8_without_byte_mark,
    parse_yaml,
    read_file_or_its_override,
    read_yaml_file,
)
from playproof.database.spreadsheets import Worksheet, is_spreadsheet, read_visible_worksheets
from playproof.database.yaml_models import validate_node_or_record_findings

# -- sheet export --------------------------------------------------------------------------------------------
# Writes a game's cards as spreadsheets: a sheet per YAML file of components, a row per component.
# `sheet_import` takes them back.

SEPARATOR = ";"
_WIDEST = 60  # characters of a column
_OPENED = ("words", "options", "record")


class SheetRows(NamedTuple):
    """One sheet to write: its name, and its rows, the headings first."""

    name: str
    rows: Sequence[Sequence[str]]


def make_sheets_of_unpatched_game(folder: Path) -> tuple[SheetRows, ...]:
    """Return the sheets of a game, as published first. Raises InputError if the game cannot be read, or if a cell
    cannot hold a value of it."""
    game = load_game(folder, errata=False)
    collector = FindingCollector()
    sheets = []
    for path in list_component_yaml_files(folder):
        node = read_yaml_file(path)
        properties = get_possible_columns_by_name(
            game.vocabulary, str(node.get_node_or_nearest_ancestor(["kind"]).value)
        )
        components = node.get_node_or_nearest_ancestor(["components"]).entries
        cells = {
            key: _format_component_cells_by_column(entry.node, properties, collector)
            for key, entry in components.items()
        }
        sheets.append(SheetRows(path.stem, _make_rows_with_headings(cells)))
    collector.raise_if_errors()
    return tuple(sheets)


def list_component_yaml_files(folder: Path) -> list[Path]:
    """Return the YAML files of a game that hold components."""
    return [path for path in sorted(folder.glob("*.yaml")) if path.stem not in SPECIAL]


def _make_rows_with_headings(cells_by_component: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
    columns = list(_merge_lists_of_names_in_order([list(row) for row in cells_by_component.values()]))
    return [
        [ID, *columns],
        *([key, *(row.get(name, "") for name in columns)] for key, row in cells_by_component.items()),
    ]


def _merge_lists_of_names_in_order(name_lists: Sequence[Sequence[str]]) -> list[str]:
    """Return all names, each behind those that precede it where it is first met."""
    names = list[str]()
    for order in name_lists:
        position = 0
        for name in order:
            if name in names:
                position = names.index(name) + 1
            else:
                names.insert(position, name)
                position += 1
    return names


def _format_component_cells_by_column(
    component: YamlNode, properties: Mapping[str, ColumnProperty], collector: FindingCollector
) -> dict[str, str]:
    """Return each property of a component as its cell."""
    cells = dict[str, str]()
    for name, node in _iter_column_values((), component, properties):
        try:
            cells[name] = format_value_as_cell_or_raise(node.data, properties[name], SEPARATOR)
        except CellError as error:
            collector.add_finding("PP265", node.where, f"`{name}`: {error}")
    return cells


def _iter_column_values(
    path: tuple[str, ...], node: YamlNode, properties: Mapping[str, ColumnProperty]
) -> Iterator[tuple[str, YamlNode]]:
    """Yield each value that has a column of its own: the parts of a text in several languages, of lettered options,
    of records and of sources."""
    for key, entry in node.entries.items():
        name = ".".join((*path, key))
        inner = entry.node
        opened = name == "source" or properties[name].type in _OPENED
        if opened and inner.entries and all(f"{name}.{part}" in properties for part in inner.entries):
            yield from _iter_column_values((*path, key), inner, properties)
        else:
            yield name, inner


def encode_sheet_files_by_name(sheets: Sequence[SheetRows], file_format: str, workbook_name: str) -> dict[str, bytes]:
    """Return the files of a format by name: one workbook, or one text file per sheet."""
    if file_format == "xlsx":
        return {f"{workbook_name}.xlsx": _encode_xlsx_workbook_of_text_cells(sheets)}
    separator = "\t" if file_format == "tsv" else ","
    return {f"{sheet.name}.{file_format}": _encode_rows_as_csv(sheet.rows, separator) for sheet in sheets}


def _encode_rows_as_csv(rows: Sequence[Sequence[str]], separator: str) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue().encode("utf-8-sig")  # without the mark, Excel takes it for another encoding


def _encode_xlsx_workbook_of_text_cells(sheets: Sequence[SheetRows]) -> bytes:
    """Return a workbook whose cells are all text, so that no program makes dates or numbers of them."""
    from datetime import datetime

    import xlsxwriter

    raw = io.BytesIO()
    with xlsxwriter.Workbook(raw, {"in_memory": True}) as book:
        book.set_properties({"created": datetime(2026, 1, 1)})  # the same cells give the same bytes
        cell = book.add_format({"num_format": "@", "text_wrap": True, "valign": "top"})
        heading = book.add_format({"num_format": "@", "bold": True, "bg_color": "#e8e4da"})
        for sheet in sheets:
            page = book.add_worksheet(sheet.name)
            page.freeze_panes(1, 1)
            for number, column in enumerate(zip(*sheet.rows, strict=True)):
                page.set_column(number, number, min(_WIDEST, 2 + max(map(len, column))), cell)
            for row, texts in enumerate(sheet.rows):
                for number, text in enumerate(texts):
                    page.write_string(row, number, text, cell if row else heading)
    return raw.getvalue()


# -- sheet import --------------------------------------------------------------------------------------------
# Takes sheets back into a game's YAML files. What did not change keeps every byte: comments, order, line
# breaks, quotes. Either all files are written or none.

_ComposeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INDENT = "  "


class TextEdit(NamedTuple):
    """A part of a text, by its first and its last index, and what stands there instead."""

    start: int
    end: int
    text: str


def read_worksheets_of_file_or_folder(source: Path) -> list[Worksheet]:
    """Return the sheets of a file, or of all files in a folder. Raises InputError."""
    files = sorted(filter(is_spreadsheet, source.iterdir())) if source.is_dir() else [source]
    if not files:
        message = "expected a spreadsheet in this folder, found none"
        raise InputError.from_single_finding("PP260", Where(make_path_relative_to_working_folder(source)), message)
    return [table for file in files for table in read_visible_worksheets(file)]


def make_changed_yaml_files_from_sheets(folder: Path, tables: Sequence[Worksheet]) -> dict[Path, bytes]:
    """Return the YAML files that change, with their new content. Raises InputError, with places in the sheets, if the
    game could not be read with what the sheets hold."""
    game = load_game(folder, errata=False)
    collector, wanted = FindingCollector(), dict[str, YamlNode]()
    kinds = {
        path.stem: str(read_yaml_file(path).get_node_or_nearest_ancestor(["kind"]).value)
        for path in list_component_yaml_files(folder)
    }
    for table in tables:
        kind = kinds.get(table.name) or (table.name if table.name in game.vocabulary.kinds else None)
        if kind is None:
            hint = make_nearest_or_possible_words_hint(table.name, [*kinds, *game.vocabulary.kinds])
            message = f'there is no file "{table.name}.yaml", and no kind of that name'
            collector.add_finding("PP263", table.get_place_of_cell(0, 0), message, hint)
            continue
        spec = SheetSpec(file=table.name, kind=kind, separator=SEPARATOR)
        try:
            wanted[table.name] = read_components_of_worksheet(table, spec, game.vocabulary, collector)
        except InputError as error:
            collector.add_findings(error.findings)
    collector.raise_if_errors()
    nodes = {
        stem: _make_node_of_component_file(folder, stem, kinds.get(stem, stem), node) for stem, node in wanted.items()
    }
    load_unpatched_game_with_replaced_files(folder, nodes)
    changed = dict[Path, bytes]()
    for stem, node in wanted.items():
        path = folder / f"{stem}.yaml"
        raw = (
            read_file_or_its_override(path)
            if stem in kinds
            else f"kind: {format_yaml_scalar(stem)}\ncomponents:\n".encode()
        )
        new = _rewrite_components_of_yaml_or_raise(path, raw, node)
        if stem not in kinds or new != raw:
            changed[path] = new
    return changed


def write_all_files_or_none(files: Mapping[Path, bytes]) -> None:
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


def _make_node_of_component_file(folder: Path, stem: str, kind: str, components: YamlNode) -> YamlNode:
    """Return a YAML file's node with the components of a sheet in it."""
    path = folder / f"{stem}.yaml"
    entries = dict(read_yaml_file(path).entries) if path.is_file() else {}
    where = components.where
    entries.setdefault("kind", YamlEntry("kind", where, YamlNode(kind, where)))
    entries["components"] = YamlEntry("components", where, components)
    return YamlNode(entries, where)


def _rewrite_components_of_yaml_or_raise(path: Path, raw: bytes, new_components: YamlNode) -> bytes:
    """Return a YAML file with other components. Raises InputError if the change cannot be written."""
    text = decode_utf8_without_byte_mark(raw, path)
    mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    new = _YamlRewriter(text, path).rewrite_text_with_components(
        {key: entry.node.data for key, entry in new_components.entries.items()}
    )
    try:
        before, after = parse_yaml(text, path).data, parse_yaml(new, path).data
        as_wanted = (
            _are_equal_as_yaml(after, {**before, "components": new_components.data})
            if isinstance(before, dict)
            else False
        )
        as_wanted = as_wanted and list(
            parse_yaml(new, path).get_node_or_nearest_ancestor(["components"]).entries
        ) == list(new_components.entries)
    except InputError:
        as_wanted = False
    if not as_wanted:
        message = f"the changes cannot be written into {path.name} as it is laid out"
        raise InputError.from_single_finding("PP265", new_components.where, message, "make them in the YAML file")
    return mark + new.encode("utf-8")


def _are_equal_as_yaml(value: object, other: object) -> bool:
    """Return whether two values are the same for YAML: `1` and `true` are not."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


@dataclass(frozen=True, slots=True)
class _ComponentBlock:
    """The lines of one component: those before it, which are blank or comments, and its own, up to `end`."""

    key: str
    lead: int
    start: int
    end: int
    node: yaml.Node


class _YamlRewriter:
    """Changes the components of one YAML text."""

    def __init__(self, text: str, path: Path) -> None:
        self.text = text
        root = yaml.compose(text, Loader=_ComposeLoader)
        pairs = {key.value: (key, value) for key, value in root.value} if root is not None else {}
        self.key, self.components = pairs["components"]
        self.old = parse_yaml(text, path).get_node_or_nearest_ancestor(["components"]).entries

    def rewrite_text_with_components(self, new_components: Mapping[str, YamlData]) -> str:
        """Return the text with these components, in their order."""
        blocks = {block.key: block for block in self._iter_component_blocks()}
        if not blocks:
            head = self.text[: self.key.end_mark.index] + ":\n"
            return head + "".join(
                f"{_INDENT}{format_yaml_scalar(key, key=True)}: {format_as_one_line_yaml(data)}\n"
                for key, data in new_components.items()
            )
        first, last = next(iter(blocks.values())), next(reversed(blocks.values()))
        written = {
            key: self._rewrite_component_lines(block, new_components.get(key))
            for key, block in blocks.items()
            if key in new_components
        }
        leads = self._collect_lines_above_components(blocks, new_components)
        if list(new_components) == list(blocks):
            middle = "".join(leads[key] + written[key] for key in blocks)
        else:
            placed = (
                leads.get(key, "") + self._format_kept_or_new_component(key, data, blocks, written)
                for key, data in new_components.items()
            )
            middle = "".join(placed) + leads[""]
        return self.text[: first.lead] + middle + self.text[last.end :]

    def _collect_lines_above_components(
        self, blocks: Mapping[str, _ComponentBlock], new_components: Mapping[str, YamlData]
    ) -> dict[str, str]:
        """Return the lines above each component. Comments above one that goes pass to the next; those behind the last
        have the name ""."""
        leads, carried = dict[str, str](), ""
        for key, block in blocks.items():
            lead = self.text[block.lead : block.start]
            if key in new_components:
                leads[key] = carried + lead
                carried = ""
            elif "#" in lead:
                carried += lead
        return {**leads, "": carried}

    def _iter_component_blocks(self) -> Iterator[_ComponentBlock]:
        """Yield each component with the lines above it that belong to no other."""
        after = self.text.find("\n", self.key.end_mark.index) + 1
        for key, value in self.components.value:
            start = self.text.rfind("\n", 0, key.start_mark.index) + 1
            end = self._find_index_after_line_break(_find_index_after_value(self.text, value))
            yield _ComponentBlock(key.value, after, start, end, value)
            after = end

    def _find_index_after_line_break(self, index: int) -> int:
        """Return the index behind the line break that follows."""
        end = self.text.find("\n", index)
        return len(self.text) if end < 0 else end + 1

    def _format_kept_or_new_component(
        self, key: str, data: YamlData, blocks: Mapping[str, _ComponentBlock], rewritten_lines: Mapping[str, str]
    ) -> str:
        block = blocks.get(key)
        if block is not None:
            return rewritten_lines[key] if rewritten_lines[key].endswith("\n") else f"{rewritten_lines[key]}\n"
        pattern = next(iter(blocks.values()))
        head = self.text[pattern.start : pattern.node.start_mark.index]
        indent = head[: len(head) - len(head.lstrip())]
        name = quote_yaml_text(key) if head.lstrip().startswith('"') else format_yaml_scalar(key, key=True)
        if _is_flow_style(pattern.node) or not isinstance(data, dict):
            return f"{indent}{name}: {format_as_one_line_yaml(data)}\n"
        lines = "".join(
            f"{indent}{_INDENT}{format_yaml_scalar(k, key=True)}: {format_as_one_line_yaml(v)}\n"
            for k, v in data.items()
        )
        return f"{indent}{name}:\n{lines}"

    def _rewrite_component_lines(self, block: _ComponentBlock, data: YamlData) -> str:
        """Return a component's lines with what differs in it changed."""
        edits = sorted(set(self._iter_edits_of_value(block.node, self.old[block.key].node.data, data)))
        pieces, at = list[str](), block.start
        for edit in edits:
            pieces += [self.text[at : edit.start], edit.text]
            at = edit.end
        return "".join([*pieces, self.text[at : block.end]])

    def _iter_edits_of_value(self, node: yaml.Node, old: YamlData, new: YamlData) -> Iterator[TextEdit]:
        """Yield what has to change in a value's text. Parts that stay are not touched."""
        if _are_equal_as_yaml(old, new):
            return
        if isinstance(node, yaml.MappingNode) and isinstance(old, dict) and isinstance(new, dict) and new:
            yield from self._iter_edits_of_mapping(node, old, new)
        elif isinstance(node, yaml.SequenceNode) and isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                yield self._make_edit_replacing_value(node, new)
                return
            for child, before, after in zip(node.value, old, new, strict=True):
                yield from self._iter_edits_of_value(child, before, after)
        else:
            yield self._make_edit_replacing_value(node, new)

    def _iter_edits_of_mapping(
        self, node: yaml.MappingNode, old: dict[str, Any], new: dict[str, Any]
    ) -> Iterator[TextEdit]:
        pairs = {key.value: (key, value) for key, value in node.value}
        remaining = [key for key in pairs if key in new]
        if not remaining:
            yield self._make_edit_replacing_value(node, new)
            return
        for key in pairs:
            if key in new:
                yield from self._iter_edits_of_value(pairs[key][1], old[key], new[key])
            else:
                yield self._make_edit_removing_entry(node, list(pairs), key, pairs)
        previous = ""
        inserted = dict[str, list[str]]()
        for key in new:
            if key in pairs:
                previous = key
            else:
                inserted.setdefault(previous, []).append(
                    f"{format_yaml_scalar(key, key=True)}: {format_as_one_line_yaml(new[key])}"
                )
        for behind, entries in inserted.items():
            yield self._make_edit_adding_entries(node, pairs, behind, entries)

    def _make_edit_removing_entry(
        self, node: yaml.MappingNode, keys: list[str], key: str, pairs: Mapping[str, Any]
    ) -> TextEdit:
        """Return the edit that removes an entry with its comma or its lines."""
        mark, value = pairs[key]
        number = keys.index(key)
        if not _is_flow_style(node):
            start = self.text.rfind("\n", 0, mark.start_mark.index) + 1
            if self.text[start : mark.start_mark.index].strip():  # the first key stands behind a dash
                start = mark.start_mark.index
            return TextEdit(start, self._find_index_after_line_break(_find_index_after_value(self.text, value)), "")
        if number + 1 < len(keys):
            return TextEdit(mark.start_mark.index, pairs[keys[number + 1]][0].start_mark.index, "")
        return TextEdit(
            _find_index_after_value(self.text, pairs[keys[number - 1]][1]),
            _find_index_after_value(self.text, value),
            "",
        )

    def _make_edit_adding_entries(
        self, node: yaml.MappingNode, pairs: Mapping[str, Any], behind: str, entries: list[str]
    ) -> TextEdit:
        """Return the edit that adds entries behind another, or in front of all."""
        first = next(iter(pairs.values()))[0].start_mark
        if _is_flow_style(node):
            if not behind:
                return TextEdit(first.index, first.index, "".join(f"{entry}, " for entry in entries))
            at = _find_index_after_value(self.text, pairs[behind][1])
            return TextEdit(at, at, "".join(f", {entry}" for entry in entries))
        indent = " " * first.column
        if not behind:
            return TextEdit(first.index, first.index, "".join(f"{entry}\n{indent}" for entry in entries))
        at = self._find_index_after_line_break(_find_index_after_value(self.text, pairs[behind][1]))
        lines = "".join(f"{indent}{entry}\n" for entry in entries)
        return TextEdit(at, at, lines if self.text[at - 1 : at] == "\n" else f"\n{lines}")

    def _make_edit_replacing_value(self, node: yaml.Node, new: YamlData) -> TextEdit:
        start, end = node.start_mark.index, _find_index_after_value(self.text, node)
        if isinstance(node, yaml.ScalarNode) and isinstance(new, str):
            if node.style:  # quoted, or a block
                return TextEdit(start, end, quote_yaml_text(new))
            return TextEdit(start, end, new if self._can_be_plain_text(new) else quote_yaml_text(new))
        return TextEdit(start, end, format_as_one_line_yaml(new))

    def _can_be_plain_text(self, text: str) -> bool:
        """Return whether a text needs no quotes, wherever it stands."""
        if not text or "\n" in text:
            return False
        try:
            return parse_yaml(f"[{text}]").data == [text] and parse_yaml(f"k: {text}").data == {"k": text}
        except InputError:
            return False


def _is_flow_style(node: yaml.Node) -> bool:
    """Return whether a mapping or a list stands in braces or brackets."""
    return bool(getattr(node, "flow_style", False))


def _find_index_after_value(text: str, node: yaml.Node) -> int:
    """Return the index behind a value. What a block ends with is not counted: line breaks, and comments behind it."""
    start, end = node.start_mark.index, node.end_mark.index
    if isinstance(node, yaml.ScalarNode) or _is_flow_style(node):
        return start + len(text[start:end].rstrip())
    children = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
    return max((_find_index_after_value(text, child) for child in children), default=end)


# -- sheet fetch ---------------------------------------------------------------------------------------------
# Fetches published sheets once and keeps them beside the game: reading a game never asks the network.

PATIENCE = 30.0
"""Seconds that a server may take."""
_EDITED = re.compile(r"(https://docs\.google\.com/spreadsheets/d/(?!e/)[\w-]+)/edit\S*?(?:[#&?]gid=(\d+))?$")
_HINT = "publish the sheet to the web as CSV, and take that link"


def make_csv_address_if_google_sheet(url: str) -> str:
    """Return the address of a Google Sheet's cells as CSV, also for the address that its editor shows.

    >>> make_csv_address_if_google_sheet("https://docs.google.com/spreadsheets/d/1aB/edit#gid=7")
    'https://docs.google.com/spreadsheets/d/1aB/export?format=csv&gid=7'
    """
    edited = _EDITED.match(url)
    return f"{edited[1]}/export?format=csv&gid={edited[2] or 0}" if edited else url


def download_published_sheets_into_game(folder: Path) -> list[Path]:
    """Fetch every sheet of a game that has an address, and return the files. Raises InputError, and leaves all files
    as they were, if one cannot be fetched or if the game cannot be read with them."""
    collector = FindingCollector()
    # Sheets give a game without vocabulary.yaml what else its game.yaml leaves out.
    entries = get_declared_sheet_nodes(read_yaml_file(folder / "game.yaml"))
    specs = [validate_node_or_record_findings(SheetSpec, entry, collector) for entry in entries]
    collector.raise_if_errors()
    fetched = dict[Path, bytes]()
    for spec, entry in zip(specs, entries, strict=True):
        if spec and spec.url:
            fetched[
                _require_sheet_path_inside_folder(folder, spec, entry.get_node_or_nearest_ancestor(["file"]).where)
            ] = _download_sheet_or_raise(spec.url, entry.get_node_or_nearest_ancestor(["url"]).where)
    before = {path: path.read_bytes() if path.is_file() else None for path in fetched}
    try:
        for path, raw in fetched.items():
            path.write_bytes(raw)
            read_visible_worksheets(path)
        _ = _load_game_to_check_sheets(folder)
    except BaseException:
        for path, old in before.items():
            path.unlink(missing_ok=True)
            if old is not None:
                path.write_bytes(old)
        raise
    return list(fetched)


def _load_game_to_check_sheets(folder: Path) -> Game:
    return load_game(folder)


def _require_sheet_path_inside_folder(folder: Path, spec: SheetSpec, where: Where) -> Path:
    path = folder / spec.file
    if not path.resolve().is_relative_to(folder.resolve()) or path.suffix.lower() not in (".csv", ".tsv", ".json"):
        message = f"expected a CSV, TSV or JSON file inside the game's folder, found {spec.file}"
        raise InputError.from_single_finding("PP264", where, message)
    return path


def _download_sheet_or_raise(url: str, where: Where) -> bytes:
    """Return what stands at an address. Raises InputError if nothing does, or a page for people."""
    request = urllib.request.Request(make_csv_address_if_google_sheet(url), headers={"User-Agent": "playproof"})
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            raw = bytes(answer.read(LIMITS.bytes + 1))
            kind = str(answer.headers.get_content_type())
    except (OSError, ValueError) as error:  # URLError is an OSError
        reason = error.reason if isinstance(error, urllib.error.URLError) else error
        raise InputError.from_single_finding("PP264", where, f"cannot fetch this sheet: {reason}", _HINT) from None
    if len(raw) > LIMITS.bytes:
        raise InputError.from_single_finding("PP264", where, f"expected at most {LIMITS.bytes} bytes, found more")
    if kind == "text/html":
        raise InputError.from_single_finding("PP264", where, "expected a sheet, found a web page", _HINT)
    return raw

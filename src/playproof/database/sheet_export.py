"""Writes a game's cards as spreadsheets: a sheet per YAML file of components, a row per component. `sheet_import` takes
them back."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from playproof.database.errors import FindingCollector
from playproof.database.game import SPECIAL, load_game
from playproof.database.sheet_cells import ID, CellError, ColumnProperty, format_cell, get_column_properties
from playproof.database.source import YamlNode, read_yaml_file

SEPARATOR = ";"
_WIDEST = 60  # characters of a column
_OPENED = ("words", "options", "record")


class SheetRows(NamedTuple):
    """One sheet to write: its name, and its rows, the headings first."""

    name: str
    rows: Sequence[Sequence[str]]


def export_sheets(folder: Path) -> tuple[SheetRows, ...]:
    """Return the sheets of a game, as published first. Raises InputError if the game cannot be read, or if a cell
    cannot hold a value of it."""
    game = load_game(folder, errata=False)
    collector = FindingCollector()
    sheets = []
    for path in list_component_files(folder):
        node = read_yaml_file(path)
        properties = get_column_properties(game.vocabulary, str(node.get_nearest(["kind"]).value))
        components = node.get_nearest(["components"]).entries
        cells = {key: _format_cells(entry.node, properties, collector) for key, entry in components.items()}
        sheets.append(SheetRows(path.stem, _make_rows(cells)))
    collector.raise_if_errors()
    return tuple(sheets)


def list_component_files(folder: Path) -> list[Path]:
    """Return the YAML files of a game that hold components."""
    return [path for path in sorted(folder.glob("*.yaml")) if path.stem not in SPECIAL]


def _make_rows(cells: Mapping[str, Mapping[str, str]]) -> list[list[str]]:
    columns = list(_merge_orders([list(row) for row in cells.values()]))
    return [[ID, *columns], *([key, *(row.get(name, "") for name in columns)] for key, row in cells.items())]


def _merge_orders(orders: Sequence[Sequence[str]]) -> list[str]:
    """Return all names, each behind those that precede it where it is first met."""
    names = list[str]()
    for order in orders:
        position = 0
        for name in order:
            if name in names:
                position = names.index(name) + 1
            else:
                names.insert(position, name)
                position += 1
    return names


def _format_cells(
    component: YamlNode, properties: Mapping[str, ColumnProperty], collector: FindingCollector
) -> dict[str, str]:
    """Return each property of a component as its cell."""
    cells = dict[str, str]()
    for name, node in _iter_column_values((), component, properties):
        try:
            cells[name] = format_cell(node.data, properties[name], SEPARATOR)
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


def format_sheet_files(sheets: Sequence[SheetRows], form: str, name: str) -> dict[str, bytes]:
    """Return the files of a format by name: one workbook, or one text file per sheet."""
    if form == "xlsx":
        return {f"{name}.xlsx": _format_workbook(sheets)}
    separator = "\t" if form == "tsv" else ","
    return {f"{sheet.name}.{form}": _format_csv(sheet.rows, separator) for sheet in sheets}


def _format_csv(rows: Sequence[Sequence[str]], separator: str) -> bytes:
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=separator).writerows(rows)
    return text.getvalue().encode("utf-8-sig")  # without the mark, Excel takes it for another encoding


def _format_workbook(sheets: Sequence[SheetRows]) -> bytes:
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

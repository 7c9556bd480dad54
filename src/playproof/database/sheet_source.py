"""Cards from a spreadsheet, in place of a YAML file: a row is a card, a column one of its properties.

`game.yaml` says which sheet holds which kind, and what its headings mean. `sheet_inference.py` says it for a folder
that declares nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from playproof.database.errors import Finding, FindingCollector, InputError, Where, did_you_mean, shorten_path
from playproof.database.field_types import StrictModel
from playproof.database.sheet_cells import (
    WORDS,
    CellError,
    ColumnProperty,
    get_column_properties,
    node_from_data,
    parse_cell,
)
from playproof.database.sheet_headings import (
    ID,
    NAMES,
    NOTE,
    find_free_id,
    is_key_heading,
    is_note_heading,
    list_headings,
    make_id_from_title,
    make_ids,
    make_property_name,
    normalize_heading,
)
from playproof.database.source import YamlData, YamlEntry, YamlNode
from playproof.database.spreadsheets import UNCOMPUTED, find_table, is_spreadsheet
from playproof.database.vocabulary import Vocabulary
from playproof.database.worksheets import AlteredCell, JsonCell, Worksheet

COUNTS = ("count", "copies", "quantity", "qty", "anzahl", "exemplaires")


def use_forward_slashes(path: str) -> str:
    """Return a path as every system reads it, if it is written as Windows does."""
    return path.replace("\\", "/")


class SheetSpec(StrictModel):
    """A spreadsheet whose rows are the cards of one kind. Each column holds the property that its heading names, or
    that `columns` gives it; a blank cell leaves the property to `defaults`."""

    file: Annotated[str, AfterValidator(use_forward_slashes)] = Field(
        description="a CSV, TSV, XLSX, ODS or JSON file in the game's folder"
    )
    sheet: str | None = Field(default=None, description="which sheet of a workbook, if it has several")
    kind: str
    url: str = Field(
        default="",
        pattern=r"^(https?://\S+)?$",
        description="where `playproof sheet fetch` gets the file, such as a published Google Sheet's CSV link",
    )
    columns: dict[str, str | None] = Field(
        default={}, description="heading to property, as in `Nom: title.fr`; null for a column of notes"
    )
    separator: Annotated[str, Field(min_length=1, max_length=3)] = Field(
        default=";", description="what stands between the items of a list, beside a line break"
    )
    defaults: dict[str, Any] = Field(default={}, description="properties that all rows share")
    repeats: Literal["copies", "number"] | None = Field(
        default=None,
        description="rows that repeat: equal ones are `copies` of one card, or a `number` tells their ids apart",
    )


def get_sheet_nodes(game: YamlNode) -> tuple[YamlNode, ...]:
    """Return the entries of `sheets` in game.yaml."""
    declared = game.get("sheets")
    return declared.items if declared else ()


OfRow = Callable[[str, str, Sequence[Finding]], None]
"""Hears what is wrong with a card: its id, or the place of a row without one; its kind; the findings."""


def _ignore_row_findings(name: str, kind: str, findings: Sequence[Finding]) -> None:
    """Hear nothing."""


def load_sheet_components(
    specs: Sequence[SheetSpec],
    game: YamlNode,
    folder: Path,
    vocabulary: Vocabulary,
    collector: FindingCollector,
    of_row: OfRow = _ignore_row_findings,
) -> dict[str, YamlNode]:
    """Return what each sheet holds, as the node of a YAML file with `kind`, `defaults` and `components` would be; by
    a name that no YAML file has. Note what is wrong; `of_row` hears which card it is wrong with, or which file."""
    nodes = dict[str, YamlNode]()
    for number, (spec, node) in enumerate(zip(specs, get_sheet_nodes(game), strict=True)):
        kind = node.get_nearest(["kind"])
        if spec.kind not in vocabulary.kinds:
            message = f"there is no kind {kind.kind} in the vocabulary"
            collector.add_finding("PP206", kind.where, message, did_you_mean(spec.kind, vocabulary.kinds))
            continue
        before = len(collector.findings)
        try:
            table = find_table(_find_sheet_file(folder, spec, node), spec.sheet, node.where)
            reader = _TableReader(table, spec, node, vocabulary, collector, of_row)
            of_headings = collector.findings[before:]
            components = reader.read_components()
            for key in components.entries if of_headings else ():  # each lacks what stands below the heading
                of_row(key, spec.kind, of_headings)
            if not any(map(any, table.rows[1:])):
                collector.add_finding("PP265", table.get_place(0, 0), "below the headings there is no card")
                of_row(spec.file, spec.kind, collector.findings[-1:])
        except InputError as error:
            collector.add_findings(error.findings)
            of_row(spec.file, spec.kind, collector.findings[before:])
            continue
        entries = {"kind": kind, "components": components}
        if node.get("defaults"):
            entries["defaults"] = node.get_nearest(["defaults"])
        places = {key: YamlEntry(key, node.where, value) for key, value in entries.items()}
        nodes[f"sheets/{number}"] = YamlNode(places, node.where)
    return nodes


def find_order_dependent_ids(
    specs: Sequence[SheetSpec], game: YamlNode, folder: Path, vocabulary: Vocabulary
) -> list[Finding]:
    """Return a warning for each sheet in which the order of the rows decides ids. The sheets have been read before."""
    collector = FindingCollector()
    load_sheet_components(specs, game, folder, vocabulary, collector)
    return [finding for finding in collector.findings if finding.severity == "warning"]


def read_table_components(
    table: Worksheet, spec: SheetSpec, vocabulary: Vocabulary, collector: FindingCollector
) -> YamlNode:
    """Return the components that one table holds. Raises InputError if it has no column that names them."""
    return _TableReader(
        table, spec, YamlNode(None, table.get_place(0, 0)), vocabulary, collector
    ).read_components()


def _find_sheet_file(folder: Path, spec: SheetSpec, node: YamlNode) -> Path:
    """Return the file of a sheet. Raises InputError if it is outside the folder, or has yet to be fetched."""
    path, where = folder / spec.file, node.get_nearest(["file"]).where
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"expected a file inside the game's folder, found {spec.file}"
        raise InputError.from_single_finding("PP260", where, message)
    if not path.is_file() and spec.url:
        message = f"{spec.file} has not been fetched"
        raise InputError.from_single_finding(
            "PP264", where, message, f"`playproof sheet fetch {shorten_path(folder)}`"
        )
    if not path.is_file():
        others = [each.name for each in folder.iterdir() if is_spreadsheet(each)]
        message = f"there is no file {spec.file} in this folder"
        raise InputError.from_single_finding("PP260", where, message, did_you_mean(spec.file, others))
    return path


class CardRow(NamedTuple):
    """A card of a sheet: its id, the row that holds it, and those that are further copies of it."""

    id: str
    number: int
    copies: tuple[int, ...] = ()


class _TableReader:
    """Reads one table as components."""

    def __init__(
        self,
        table: Worksheet,
        spec: SheetSpec,
        node: YamlNode,
        vocabulary: Vocabulary,
        collector: FindingCollector,
        of_row: OfRow = _ignore_row_findings,
    ) -> None:
        self.table, self.spec, self.node, self.collector, self.of_row = table, spec, node, collector, of_row
        self.properties, self.languages = get_column_properties(vocabulary, spec.kind), vocabulary.languages
        self.headings = list_headings(table)
        numbers = self._map_columns()
        if not numbers:
            listed = ", ".join(filter(None, self.headings[:8])) or "an empty sheet"
            message = f"expected headings that name properties of a {spec.kind}, found {listed}"
            raise InputError.from_single_finding(
                "PP261", table.get_place(0, 0), message, "the first row that is filled holds the headings"
            )
        self.columns = {number: self.properties[name] for name, number in numbers.items() if name != ID}
        self.id_column = numbers.get(ID)
        titles = [number for name, number in numbers.items() if name.split(".")[0] in NAMES]
        self.name_column = (
            titles[0] if titles else None if ID in numbers else self._find_distinguishing_column()
        )
        self.is_untitled = ID not in numbers and not titles

    def read_components(self) -> YamlNode:
        """Return the components by id, in the order of the rows."""
        entries = dict[str, YamlEntry]()
        for row in self._list_rows():
            where, before = self._get_row_place(row.number), len(self.collector.findings)
            if row.id in entries:
                message = f'two rows have the id "{row.id}"'
                hint = f"the other is at {entries[row.id].key_where}; {_REPEATS}"
                self.collector.add_finding("PP209", where, message, hint)
            else:
                entries[row.id] = YamlEntry(row.id, where, self._build_component(row, where))
            self._report_row_findings(row.id, before)
        return YamlNode(entries, self.table.get_place(0, 0))

    def _report_row_findings(self, name: str, earlier_count: int) -> None:
        """Say which card the findings are about that were noted since there were so many."""
        if len(self.collector.findings) > earlier_count:
            self.of_row(name, self.spec.kind, self.collector.findings[earlier_count:])

    def _get_row_place(self, row: int) -> Where:
        """Return the place of what a row is called by."""
        column = self.id_column if self.id_column is not None else self.name_column
        return self.table.get_place(row, column or 0)

    def _find_distinguishing_column(self) -> int | None:
        """Return the column of texts that tells most rows of a sheet apart, for one without titles."""
        best, most = None, 0
        for number, column in self.columns.items():
            cells = {cell for row in self.table.rows[1:] if (cell := self._get_cell(row, number))}
            if column.type in WORDS and len(cells) > most:
                best, most = number, len(cells)
        return best

    def _map_columns(self) -> dict[str, int]:
        """Return the number of each property's column, the id's too. Note headings that name none."""
        written = self.table.rows[0] if self.table.rows else []
        self._check_mapping([*self.headings, *written])
        by_name = dict.fromkeys(COUNTS, "count") | {
            normalize_heading(name): name for name in (ID, *self.properties)
        }
        mapped = {normalize_heading(heading): name for heading, name in self.spec.columns.items()}
        numbers = dict[str, int]()
        for number, (heading, as_written) in enumerate(zip(self.headings, written, strict=True)):
            if not heading or is_note_heading(heading):
                continue
            key, where = normalize_heading(heading), self.table.get_place(0, number)
            if make_property_name(heading) in self.properties:
                by_name.setdefault(key, make_property_name(heading))
            if key not in mapped and key not in by_name and as_written.strip():
                # a second `Text` that is nothing of its own
                heading, key = (as_written, normalize_heading(as_written))
            elif key not in mapped and key not in by_name:
                continue  # nobody gave the column a heading, and nothing asks for it
            name = mapped[key] if key in mapped else by_name.get(key)
            if name is None and key not in mapped:
                hint = did_you_mean(heading, (ID, *self.properties))
                more = f"; or map it under `columns`, or begin it with {NOTE} if it is a note"
                message = f'the heading "{heading}" names no property of a {self.spec.kind}'
                self.collector.add_finding("PP261", where, message, hint + more)
            elif name in numbers:
                message = f'two columns are {name}: "{written[numbers[name]]}" and "{heading}"'
                self.collector.add_finding("PP261", where, message)
            elif name == ID or name in self.properties:
                numbers[name] = number
        return {self._add_main_language(name, numbers): number for name, number in numbers.items()}

    def _add_main_language(self, name: str, numbers: Mapping[str, int]) -> str:
        """Return a text's property in the main language, if another column has it in a language of its own."""
        main = f"{name}.{self.languages[0]}"
        others = [other for other in numbers if other.startswith(f"{name}.")]
        is_text = name in self.properties and self.properties[name].type == "words"
        return main if is_text and others and main not in numbers else name

    def _check_mapping(self, headings: Sequence[str]) -> None:
        """Note entries of `columns` that name no heading of the sheet, or no property."""
        present = {normalize_heading(heading) for heading in headings}
        for heading, name in self.spec.columns.items():
            if normalize_heading(heading) not in present:
                message = f'there is no heading "{heading}" in {self.table.place}'
                place = self.node.get_key_place(["columns", heading])
                self.collector.add_finding(
                    "PP261", place, message, did_you_mean(heading, filter(None, headings))
                )
            if name is not None and name != ID and name not in self.properties:
                message = f'a {self.spec.kind} has no property "{name}"'
                place = self.node.get_nearest(["columns", heading]).where
                hint = did_you_mean(name, (ID, *self.properties))
                more = f"; or declare it in vocabulary.yaml under `fields` of {self.spec.kind}"
                self.collector.add_finding("PP261", place, message, hint + more)

    def _list_rows(self) -> list[CardRow]:
        """Return each card's row with its id, made from its name if none is written. Note rows without either, and
        ids that follow the order of the rows."""
        named = list(self._iter_named_rows())
        if self.spec.repeats == "copies":
            named = self._join_copies(named)
        written = [ident for _, ident, _ in named if ident]
        unnamed = [row for row, ident, _ in named if not ident]
        keys = [
            [self._get_cell(self.table.rows[row.number], column) for row in unnamed]
            for column, heading in enumerate(self.headings)
            if is_key_heading(heading)
        ]
        made = make_ids([name for _, ident, name in named if not ident], keys, written)
        self._warn_of_row_order(
            [(row, each.id) for row, each in zip(unnamed, made, strict=True) if each.by_order]
        )
        of_unnamed = iter(made)
        rows, taken = list[CardRow](), set[str]()
        for row, ident, _ in named:
            ident = ident or next(of_unnamed).id
            if self.spec.repeats == "number":
                ident = find_free_id(ident, taken)
                taken.add(ident)
            rows.append(row._replace(id=ident))
        return rows

    def _iter_named_rows(self) -> Iterator[tuple[CardRow, str, str]]:
        """Yield each row that has a card, with the id that is written and what an id can be made from."""
        looked_at = [column for column in (self.id_column, *self.columns) if column is not None]
        for number, row in enumerate(self.table.rows[1:], 1):
            if not any(self._get_cell(row, each) for each in looked_at):
                continue
            ident = self._get_cell(row, self.id_column) if self.id_column is not None else ""
            name = self._get_cell(row, self.name_column) if self.name_column is not None else ""
            is_made = self.id_column is None or self.spec.repeats is not None
            if not ident and not (is_made and name) and not self.is_untitled:
                hint = "every card needs one, and keeps it; of merged cells only the first has the text"
                place, before = self._get_row_place(number), len(self.collector.findings)
                self.collector.add_finding("PP265", place, "this row has no id", hint)
                self._report_row_findings(f"{self.spec.file} row {place.line}", before)
                continue
            yield CardRow("", number), ident, name if make_id_from_title(name) else self.spec.kind

    def _join_copies(self, named_rows: Sequence[tuple[CardRow, str, str]]) -> list[tuple[CardRow, str, str]]:
        """Return the rows with those that say the same of one card joined as its copies."""
        alike = dict[tuple[str, ...], tuple[CardRow, str, str]]()
        for row, ident, name in named_rows:
            cells = self.table.rows[row.number]
            told = (
                self._get_cell(cells, number)
                for number, column in self.columns.items()
                if not _is_count_column(column)
            )
            key = (ident, *told)
            first = alike.get(key, (row, ident, name))
            more = (row.number,) if key in alike else ()
            alike[key] = (first[0]._replace(copies=(*first[0].copies, *more)), ident, name)
        return list(alike.values())

    def _warn_of_row_order(self, rows: Sequence[tuple[CardRow, str]]) -> None:
        """Note rows whose ids their order decides: moved rows would be other cards."""
        later = [
            f"{ident} ({self._get_row_place(row.number)})" for row, ident in rows if ident[-1:].isdigit()
        ]
        if not later:
            return
        listed = ", ".join(later[:3]) + (f" and {len(later) - 3} more" if len(later) > 3 else "")
        message = f"rows repeat a name or have none, and their order decides their ids: {listed}"
        hint = f"a column of their own, `id` or `Nr`, keeps them when rows move; {_REPEATS}"
        self.collector.add_finding("PP637", self._get_row_place(rows[0][0].number), message, hint, "warning")

    def _get_cell(self, row: Sequence[str], column: int) -> str:
        return row[column].strip() if 0 <= column < len(row) else ""

    def _build_component(self, card: CardRow, where: Where) -> YamlNode:
        """Return one row as a component. A blank cell is left out."""
        component: dict[str, Any] = {}
        row, surplus = card.number, len(self.table.rows[0])
        if any(self.table.rows[row][surplus:]):  # in a workbook all rows are as long as the longest
            message = f"this row has more cells than the {surplus} headings"
            hint = "a text with a separator in it stands in double quotes"
            self.collector.add_finding("PP261", self.table.get_place(row, surplus), message, hint)
        for column, name in self.columns.items():
            if not self._get_cell(self.table.rows[row], column):
                continue
            place = self.table.get_place(row, column)
            cell = self.table.rows[row][column]
            if isinstance(cell, AlteredCell):
                message = (
                    f'`{".".join(name.path)}`: expected what its author wrote, found "{cell}": {cell.why}'
                )
                hint = "" if cell.why == UNCOMPUTED else "format the cell as text, and write it again"
                self.collector.add_finding("PP262", place, message, hint)
                continue
            try:
                data = _parse_cell_data(cell, name, self.spec.separator)
            except CellError as error:
                self.collector.add_finding("PP262", place, f"`{'.'.join(name.path)}`: {error}")
                continue
            self._put_value(component, name.path, node_from_data(data, place))
        if card.copies and isinstance(component.get("count", YamlNode(1, where)).data, int):
            component["count"] = node_from_data(sum(map(self._read_copies, (row, *card.copies))), where)
        return _make_node(component, where)

    def _read_copies(self, row: int) -> int:
        """Return how many copies a row says it stands for."""
        column = next((number for number, column in self.columns.items() if _is_count_column(column)), None)
        cell = self._get_cell(self.table.rows[row], column) if column is not None else ""
        usual = self.spec.defaults.get("count", 1)
        return int(cell) if cell.isdecimal() else usual if isinstance(usual, int) else 1

    def _put_value(self, component: dict[str, Any], path: Sequence[str], value: YamlNode) -> None:
        """Put a value at its path. Two columns that fill one place are a mistake."""
        *above, last = path
        for key in above:
            component = component.setdefault(key, {})
            if isinstance(component, YamlNode):
                message = f"`{'.'.join(path)}`: `{key}` has a cell of its own in this row"
                self.collector.add_finding("PP261", value.where, message, "clear one of the two")
                return
        if last in component:
            message = f"`{'.'.join(path)}`: this row has cells for parts of it too"
            self.collector.add_finding("PP261", value.where, message, "clear one of the two")
        else:
            component[last] = value


def _make_node(tree: dict[str, Any] | YamlNode, where: Where) -> YamlNode:
    """Return nested columns as one node."""
    if isinstance(tree, YamlNode):
        return tree
    children = {key: _make_node(value, where) for key, value in tree.items()}
    return YamlNode({key: YamlEntry(key, child.where, child) for key, child in children.items()}, where)


def _is_count_column(column: ColumnProperty) -> bool:
    return column.path == ("count",)


def _parse_cell_data(cell: str, column: ColumnProperty, separator: str) -> YamlData:
    """Return what a cell means. Raises CellError."""
    if isinstance(cell, JsonCell) and cell.kind == "list" and column.type in WORDS:
        raise CellError("expected a text, found a list")
    return parse_cell(cell.strip(), column, separator)


_REPEATS = (
    "under `sheets` of game.yaml, `repeats: copies` counts equal rows, `repeats: number` tells them apart"
)

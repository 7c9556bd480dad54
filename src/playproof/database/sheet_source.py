"""Cards from a spreadsheet, in place of a YAML file: a row is a card, a column one of its properties.
`game.yaml` says which sheet holds which kind; for a folder without vocabulary it is inferred.

`game.yaml` says which sheet holds which kind, and what its headings mean. `sheet_source.py` says it for a folder
that declares nothing.

Without a vocabulary.yaml each heading is a property of its kind, whatever it is called, and without `sheets` in
game.yaml each sheet of the folder is a kind: that is enough to print."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    Where,
    format_spreadsheet_column_letters,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.sheet_cells import (
    COUNTS,
    ID_WORD,
    NAMES,
    NOTE,
    WORDS,
    CellError,
    ColumnProperty,
    find_index_of_copies_column,
    get_possible_columns_by_name,
    is_cell_naming_a_total,
    is_heading_marked_as_note,
    is_heading_of_card_texts,
    is_heading_of_card_titles,
    is_heading_of_ids_or_numbers,
    is_note_sheet_name,
    list_distinct_column_headings,
    make_free_id_by_adding_number,
    make_id_from_title,
    make_ids_of_unnamed_rows,
    make_property_name_from_heading,
    make_singular_of_kind_id,
    normalize_heading,
    parse_cell_by_column_type,
    parse_copies_or_none,
    split_into_casefolded_words,
    yaml_node_from_data_at_one_place,
)
from playproof.database.sheet_notes import (
    is_group_heading_row,
    is_sheet_name_of_removed_cards,
    is_sheet_name_of_statistics,
    is_table_of_statistics,
)
from playproof.database.source import YamlData, YamlEntry, YamlNode, read_yaml_file
from playproof.database.spreadsheets import (
    UNCOMPUTED,
    AlteredCell,
    JsonCell,
    Worksheet,
    choose_title_of_worksheet,
    is_spreadsheet,
    read_visible_worksheets,
    require_worksheet,
)
from playproof.database.vocabulary import Vocabulary
from playproof.database.workbook_looks import ShownNumber
from playproof.database.yaml_models import StrictModel

# Cards from a spreadsheet, in place of a YAML file: a row is a card, a column one of its properties.


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


def get_declared_sheet_nodes(game: YamlNode) -> tuple[YamlNode, ...]:
    """Return the entries of `sheets` in game.yaml."""
    declared = game.get("sheets")
    return declared.items if declared else ()


OfRow = Callable[[str, str, Sequence[Finding]], None]
"""Hears what is wrong with a card: its id, or the place of a row without one; its kind; the findings."""


def _ignore_row_findings(name: str, kind: str, findings: Sequence[Finding]) -> None:
    """Hear nothing."""


def load_component_nodes_from_sheets(
    specs: Sequence[SheetSpec],
    game: YamlNode,
    folder: Path,
    vocabulary: Vocabulary,
    collector: FindingCollector,
    report_row_findings: OfRow = _ignore_row_findings,
) -> dict[str, YamlNode]:
    """Return what each sheet holds, as the node of a YAML file with `kind`, `defaults` and `components` would be; by
    a name that no YAML file has. Note what is wrong; `report_row_findings` hears which card it is wrong with, or
    which file."""
    nodes, taken = dict[str, YamlNode](), dict[str, Where]()
    for number, (spec, node) in enumerate(zip(specs, get_declared_sheet_nodes(game), strict=True)):
        kind = node.get_node_or_nearest_ancestor(["kind"])
        if spec.kind not in vocabulary.kinds:
            message = f"there is no kind {kind.kind} in the vocabulary"
            collector.add_finding(
                "PP206", kind.where, message, make_nearest_or_possible_words_hint(spec.kind, vocabulary.kinds)
            )
            continue
        before = len(collector.findings)
        try:
            table = require_worksheet(_require_sheet_file(folder, spec, node), spec.sheet, node.where)
            reader = _TableReader(table, spec, node, vocabulary, collector, report_row_findings, taken)
            of_headings = collector.findings[before:]
            components = reader.read_components_by_id_as_node()
            taken |= {key: entry.key_where for key, entry in components.entries.items() if key not in taken}
            for key in components.entries if of_headings else ():  # each lacks what stands below the heading
                report_row_findings(key, spec.kind, of_headings)
            if not any(map(any, table.rows[1:])):
                collector.add_finding("PP265", table.get_place_of_cell(0, 0), "below the headings there is no card")
                report_row_findings(spec.file, spec.kind, collector.findings[-1:])
        except InputError as error:
            collector.add_findings(error.findings)
            report_row_findings(spec.file, spec.kind, collector.findings[before:])
            continue
        entries = {"kind": kind, "components": components}
        if node.get("defaults"):
            entries["defaults"] = node.get_node_or_nearest_ancestor(["defaults"])
        places = {key: YamlEntry(key, node.where, value) for key, value in entries.items()}
        nodes[f"sheets/{number}"] = YamlNode(places, node.where)
    return nodes


def find_warnings_of_sheet_rows(
    specs: Sequence[SheetSpec], game: YamlNode, folder: Path, vocabulary: Vocabulary
) -> list[Finding]:
    """Return what lint has to say of rows that are read: ids that their order decides, totals that are no cards. The
    sheets have been read before."""
    collector = FindingCollector()
    load_component_nodes_from_sheets(specs, game, folder, vocabulary, collector)
    return [finding for finding in collector.findings if finding.severity == "warning"]


def read_components_of_worksheet(
    table: Worksheet, spec: SheetSpec, vocabulary: Vocabulary, collector: FindingCollector
) -> YamlNode:
    """Return the components that one table holds. Raises InputError if it has no column that names them."""
    return _TableReader(
        table, spec, YamlNode(None, table.get_place_of_cell(0, 0)), vocabulary, collector
    ).read_components_by_id_as_node()


def _require_sheet_file(folder: Path, spec: SheetSpec, node: YamlNode) -> Path:
    """Return the file of a sheet. Raises InputError if it is outside the folder, or has yet to be fetched."""
    path, where = folder / spec.file, node.get_node_or_nearest_ancestor(["file"]).where
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"expected a file inside the game's folder, found {spec.file}"
        raise InputError.from_single_finding("PP260", where, message)
    if not path.is_file() and spec.url:
        message = f"{spec.file} has not been fetched"
        raise InputError.from_single_finding(
            "PP264", where, message, f"`playproof sheet fetch {make_path_relative_to_working_folder(folder)}`"
        )
    if not path.is_file():
        others = [each.name for each in folder.iterdir() if is_spreadsheet(each)]
        message = f"there is no file {spec.file} in this folder"
        raise InputError.from_single_finding(
            "PP260", where, message, make_nearest_or_possible_words_hint(spec.file, others)
        )
    return path


def _guess_column_of_card_names(table: Worksheet, headings: Sequence[str], text_columns: Sequence[int]) -> int | None:
    """Return which of the columns of texts says what cards are called, where none is `title` or `name`: by its heading,
    as `Card Name`, or else the one that tells most rows apart."""
    distinct = {
        number: {cell for row in table.rows[1:] if number < len(row) and (cell := row[number].strip())}
        for number in text_columns
    }
    called = next((each for each in text_columns if distinct[each] and is_heading_of_card_titles(headings[each])), None)
    if called is not None:
        return called
    best = max(text_columns, key=lambda number: len(distinct[number]), default=None)
    return best if best is not None and distinct[best] else None


class CardRow(NamedTuple):
    """A card of a sheet: its id, the row that holds it, and those that are further copies of it."""

    id: str
    number: int
    copies: tuple[int, ...] = ()


class NamedRow(NamedTuple):
    row: CardRow
    written_id: str
    name_for_id: str


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
        taken: Mapping[str, Where] | None = None,
    ) -> None:
        self.table, self.spec, self.node, self.collector, self.of_row = table, spec, node, collector, of_row
        self.taken = taken or {}
        self.properties, self.languages = (get_possible_columns_by_name(vocabulary, spec.kind), vocabulary.languages)
        self.headings = list_distinct_column_headings(table)
        numbers = self._map_properties_to_columns()
        if not numbers:
            listed = ", ".join(filter(None, self.headings[:8])) or "an empty sheet"
            message = f"expected headings that name properties of a {spec.kind}, found {listed}"
            raise InputError.from_single_finding(
                "PP261", table.get_place_of_cell(0, 0), message, "the first row that is filled holds the headings"
            )
        self.columns = {number: self.properties[name] for name, number in numbers.items() if name != ID_WORD}
        self.id_column = numbers.get(ID_WORD)
        self.count_column = numbers.get("count")
        titles = [number for name, number in numbers.items() if name.split(".")[0] in NAMES]
        self.name_column = titles[0] if titles else None if ID_WORD in numbers else self._guess_column_of_card_names()
        self.is_untitled = ID_WORD not in numbers and not titles

    def read_components_by_id_as_node(self) -> YamlNode:
        """Return the components by id, in the order of the rows."""
        entries = dict[str, YamlEntry]()
        self._add_warnings_on_merged_cells()
        self._add_warnings_on_formatted_numbers()
        for row in self._list_card_rows_with_ids():
            where, before = self._get_place_of_row_name(row.number), len(self.collector.findings)
            if row.id in entries:
                message = f'two rows have the id "{row.id}"'
                hint = f"the other is at {entries[row.id].key_where}; {_REPEATS}"
                self.collector.add_finding("PP209", where, message, hint)
            else:
                entries[row.id] = YamlEntry(row.id, where, self._build_component_from_row(row, where))
            self._report_findings_of_row_since(row.id, before)
        return YamlNode(entries, self.table.get_place_of_cell(0, 0))

    def _report_findings_of_row_since(self, name: str, earlier_count: int) -> None:
        """Say which card the findings are about that were noted since there were so many."""
        if len(self.collector.findings) > earlier_count:
            self.of_row(name, self.spec.kind, self.collector.findings[earlier_count:])

    def _get_place_of_row_name(self, row: int) -> Where:
        """Return the place of what a row is called by."""
        column = self.id_column if self.id_column is not None else self.name_column
        return self.table.get_place_of_cell(row, column or 0)

    def _guess_column_of_card_names(self) -> int | None:
        """Return the column that a sheet without titles has its names in."""
        texts = [number for number, column in self.columns.items() if column.type in WORDS]
        return _guess_column_of_card_names(self.table, self.headings, texts)

    def _map_properties_to_columns(self) -> dict[str, int]:
        """Return the number of each property's column, the id's too. Note headings that name none."""
        written = self.table.rows[0] if self.table.rows else []
        self._record_wrong_entries_of_column_mapping([*self.headings, *written])
        by_name = dict.fromkeys(COUNTS, "count") | {
            normalize_heading(name): name for name in (ID_WORD, *self.properties)
        }
        mapped = {normalize_heading(heading): name for heading, name in self.spec.columns.items()}
        count_column = self._find_ambiguous_column_of_copies()
        numbers = dict[str, int]()
        for number, (heading, as_written) in enumerate(zip(self.headings, written, strict=True)):
            if number == count_column:
                numbers["count"] = number
                continue
            if not heading or is_heading_marked_as_note(heading):
                continue
            key, where = normalize_heading(heading), self.table.get_place_of_cell(0, number)
            if make_property_name_from_heading(heading) in self.properties:
                by_name.setdefault(key, make_property_name_from_heading(heading))
            if key not in mapped and key not in by_name and as_written.strip():
                # a second `Text` that is nothing of its own
                heading, key = (as_written, normalize_heading(as_written))
            elif key not in mapped and key not in by_name:
                continue  # nobody gave the column a heading, and nothing asks for it
            name = mapped[key] if key in mapped else by_name.get(key)
            if name is None and key not in mapped:
                hint = make_nearest_or_possible_words_hint(heading, (ID_WORD, *self.properties))
                more = f"; or map it under `columns`, or begin it with {NOTE} if it is a note"
                message = f'the heading "{heading}" names no property of a {self.spec.kind}'
                self.collector.add_finding("PP261", where, message, hint + more)
            elif name in numbers:
                message = f'two columns are {name}: "{written[numbers[name]]}" and "{heading}"'
                self.collector.add_finding("PP261", where, message)
            elif name == ID_WORD or name in self.properties:
                numbers[name] = number
        return {self._add_main_language_if_translated(name, numbers): number for name, number in numbers.items()}

    def _find_ambiguous_column_of_copies(self) -> int | None:
        """Return the column that counts copies by a heading which may mean another thing, or by the one that
        `columns` writes with its sign for notes: `# Copies`."""
        mapped = {heading.strip(): name for heading, name in self.spec.columns.items()}
        for number, heading in enumerate(self.headings):
            if is_heading_marked_as_note(heading) and mapped.get(heading) == "count":
                return number
        if "count" in mapped.values():
            return None
        meant = {normalize_heading(name) for name in (*mapped, *self.properties) if name != "count"}
        found = find_index_of_copies_column(self.table, meant)
        if found is None or is_heading_marked_as_note(self.headings[found]):
            return found
        return None if normalize_heading(self.headings[found]) in COUNTS else found

    def _add_main_language_if_translated(self, property_name: str, column_by_property: Mapping[str, int]) -> str:
        """Return a text's property in the main language, if another column has it in a language of its own."""
        main = f"{property_name}.{self.languages[0]}"
        others = [other for other in column_by_property if other.startswith(f"{property_name}.")]
        is_text = property_name in self.properties and self.properties[property_name].type == "words"
        return main if is_text and others and main not in column_by_property else property_name

    def _record_wrong_entries_of_column_mapping(self, headings: Sequence[str]) -> None:
        """Note entries of `columns` that name no heading of the sheet, or no property."""
        present = {normalize_heading(heading) for heading in headings}
        for heading, name in self.spec.columns.items():
            if normalize_heading(heading) not in present:
                message = f'there is no heading "{heading}" in {self.table.place}'
                place = self.node.get_place_of_last_key(["columns", heading])
                self.collector.add_finding(
                    "PP261", place, message, make_nearest_or_possible_words_hint(heading, filter(None, headings))
                )
            if name is not None and name != ID_WORD and name not in self.properties:
                message = f'a {self.spec.kind} has no property "{name}"'
                place = self.node.get_node_or_nearest_ancestor(["columns", heading]).where
                hint = make_nearest_or_possible_words_hint(name, (ID_WORD, *self.properties))
                more = f"; or declare it in vocabulary.yaml under `fields` of {self.spec.kind}"
                self.collector.add_finding("PP261", place, message, hint + more)

    def _list_card_rows_with_ids(self) -> list[CardRow]:
        """Return each card's row with its id, made from its name if none is written. Note rows without either, and
        ids that follow the order of the rows."""
        named = list(self._iter_card_rows_with_id_and_name())
        if self.spec.repeats == "copies":
            named = self._join_equal_rows_as_copies(named)
        written = [ident for _, ident, _ in named if ident]
        unnamed = [row for row, ident, _ in named if not ident]
        keys = [
            [self._get_stripped_cell(self.table.rows[row.number], column) for row in unnamed]
            for column, heading in enumerate(self.headings)
            if is_heading_of_ids_or_numbers(heading)
        ]
        made = make_ids_of_unnamed_rows([name for _, ident, name in named if not ident], keys, written)
        self._record_warning_of_row_order(
            [(row, each.id) for row, each in zip(unnamed, made, strict=True) if each.by_order]
        )
        of_unnamed = iter(made)
        rows, taken = list[CardRow](), set[str]()
        for row, ident, _ in named:
            ident = ident or self._choose_id_free_in_other_sheets(next(of_unnamed).id, row.number)
            if self.spec.repeats == "number":
                ident = make_free_id_by_adding_number(ident, taken)
                taken.add(ident)
            rows.append(row._replace(id=ident))
        return rows

    def _choose_id_free_in_other_sheets(self, made_id: str, row_number: int) -> str:
        """Return an id that was made of a name; with the kind before it, if a card of an earlier sheet has that id."""
        if made_id not in self.taken:
            return made_id
        ident = make_free_id_by_adding_number(f"{self.spec.kind}-{made_id}", self.taken)
        message = f"a card of another sheet is called so, at {self.taken[made_id]}: this one has the id {ident}"
        hint = "a column `id` gives each card one that stays; a column `Nr` tells equal names apart"
        self.collector.add_finding("PP637", self._get_place_of_row_name(row_number), message, hint, "warning")
        return ident

    def _add_warnings_on_merged_cells(self) -> None:
        """Say which texts stand in the first of merged cells alone, though all of them show it."""
        above = self.table.above
        for first_row, first_column, last_row, last_column in self.table.merged:
            columns = [column for column in range(first_column, last_column + 1) if column in self.columns]
            if first_row <= above or not columns or first_row - above >= len(self.table.rows):
                continue
            if is_group_heading_row(self.table.rows, first_row - above):  # which is no card, and said already
                continue
            text = self._get_stripped_cell(self.table.rows[first_row - above], first_column)
            if text:
                place = self.table.get_place_of_cell(first_row - above, first_column)
                size = (last_row - first_row + 1) * (last_column - first_column + 1)
                message = f'{size} merged cells show "{text}", and only the first of them has it'
                self.collector.add_finding(
                    "PP271", place, message, "unmerge them, and write the text into each that has it", "warning"
                )

    def _add_warnings_on_formatted_numbers(self) -> None:
        """Say which numbers print in another form than the spreadsheet shows, once for each column and format."""
        rows = len(self.table.rows)
        of_column: dict[tuple[int, str], list[ShownNumber]] = {}
        for number in self.table.shown:
            at, column = number.row_from_0 - self.table.above, number.column_from_0
            if column in self.columns and column != self.count_column and 0 < at < rows:
                cell = self._get_stripped_cell(self.table.rows[at], column)
                if cell and cell != number.shown:
                    of_column.setdefault((column, number.format_code), []).append(number)
        for (column, code), numbers in of_column.items():
            at, shown = numbers[0].row_from_0 - self.table.above, numbers[0].shown
            seen = f"as {shown}" if shown else f"by the format {code}"
            more = f", and {len(numbers) - 1} more cells below it" if len(numbers) > 1 else ""
            cell = self._get_stripped_cell(self.table.rows[at], column)
            message = f"the card has {cell}, which the spreadsheet shows {seen}{more}"
            hint = "format the column as text, and type what is to be printed"
            self.collector.add_finding("PP270", self.table.get_place_of_cell(at, column), message, hint, "warning")

    def _iter_card_rows_with_id_and_name(self) -> Iterator[NamedRow]:
        """Yield each row that has a card, with the id that is written and what an id can be made from."""
        looked_at = [column for column in (self.id_column, *self.columns) if column is not None]
        for number, row in enumerate(self.table.rows[1:], 1):
            if not any(self._get_stripped_cell(row, each) for each in looked_at):
                continue
            if self._is_group_heading_row_noting_finding(number) or self._is_total_row_noting_finding(number):
                continue
            ident = self._get_stripped_cell(row, self.id_column) if self.id_column is not None else ""
            name = self._get_stripped_cell(row, self.name_column) if self.name_column is not None else ""
            is_made = self.id_column is None or self.spec.repeats is not None
            if not ident and not (is_made and name) and not self.is_untitled:
                hint = "every card needs one, and keeps it; of merged cells only the first has the text"
                place, before = self._get_place_of_row_name(number), len(self.collector.findings)
                self.collector.add_finding("PP265", place, "this row has no id", hint)
                self._report_findings_of_row_since(f"{self.spec.file} row {place.line}", before)
                continue
            yield NamedRow(CardRow("", number), ident, name if make_id_from_title(name) else self.spec.kind)

    def _is_group_heading_row_noting_finding(self, row_number: int) -> bool:
        """Note a row that is the heading of those below it, which is no card. Return whether it is one."""
        if not is_group_heading_row(self.table.rows, row_number):
            return False
        column, cell = next((at, cell) for at, cell in enumerate(self.table.rows[row_number]) if cell.strip())
        message = f"this row is a heading of those below it, and is no card: {cell.strip()}"
        hint = "if it is a card, fill another of its cells"
        place = self.table.get_place_of_cell(row_number, column)
        self.collector.add_finding("PP269", place, message, hint, "warning")
        return True

    def _is_total_row_noting_finding(self, row_number: int) -> bool:
        """Note a row that sums up those above it, which is no card, or that has a count and nothing else: it would be
        blank cards. Return whether it is one."""
        looked_at = [column for column in (self.id_column, *self.columns) if column is not None]
        row = self.table.rows[row_number]
        cells = {column: cell for column in looked_at if (cell := self._get_stripped_cell(row, column))}
        total = self._find_column_of_total(row_number, cells)
        if total is not None:
            adds_up = cells[total].isdecimal() and int(cells[total]) in self._collect_possible_sums_above_row(
                row_number, total
            )
            what = "sums up those above it" if adds_up or len(cells) == 1 else "is a total that does not add up"
            message = f"this row {what}, and is no card: {', '.join(cells.values())}"
            hint = "if it is a card, write words into another of its cells"
            place = self.table.get_place_of_cell(row_number, total)
            self.collector.add_finding("PP268", place, message, hint, "warning")
            return True
        if [*cells] != [self.count_column] or len(looked_at) == 1:
            return False
        [(column, count)] = cells.items()
        before, place = len(self.collector.findings), self.table.get_place_of_cell(row_number, column)
        message = f"this row has a count, {count}, and nothing else"
        hint = f"is it a total? delete it, or put it below a heading that begins with {NOTE}; a card needs other cells"
        self.collector.add_finding("PP265", place, message, hint)
        self._report_findings_of_row_since(f"{self.spec.file} row {place.line}", before)
        return True

    def _find_column_of_total(self, row_number: int, cells: Mapping[int, str]) -> int | None:
        """Return the column in which a row that says `Total`, and has numbers besides, has a sum; None without one."""
        words = [column for column, cell in cells.items() if is_cell_naming_a_total(cell)]
        others = [column for column in cells if column not in words]
        if row_number < 3:
            return None
        only = next(iter(cells)) if [*cells] == [self.count_column] and len(self.columns) > 1 else None
        if only is not None:
            sums = self._collect_possible_sums_above_row(row_number, only)
            return only if cells[only].isdecimal() and int(cells[only]) in sums else None
        if len(words) != 1 or not all(re.fullmatch(r"\d+([.,]\d+)?", cells[each]) for each in others):
            return None
        for column in others:
            if (
                column != self.id_column
                and cells[column].isdecimal()
                and int(cells[column]) in self._collect_possible_sums_above_row(row_number, column)
            ):
                return column
        if others and row_number == max(at for at, row in enumerate(self.table.rows) if any(map(str.strip, row))):
            return others[0]  # the last row of a sheet, called a total, with numbers alone: perhaps of an earlier day
        in_words = [int(word) for word in split_into_casefolded_words(cells[words[0]]) if word.isdecimal()]
        counted = self._collect_possible_sums_above_row(row_number, self.count_column) if not others else ()
        return words[0] if any(each in counted for each in in_words) else None

    def _collect_possible_sums_above_row(self, row_number: int, column: int | None) -> set[int]:
        """Return the sums of a column above a row: with and without 1 for each card that has no number, of all rows and
        of those since the total before. Without a column each row is one card."""
        sums, blank, plain = set[int](), 0, 0
        for row in reversed(self.table.rows[1:row_number]):
            if any(map(is_cell_naming_a_total, row)):
                sums |= {plain, plain + blank}
                continue
            cell = self._get_stripped_cell(row, column) if column is not None else ""
            plain += parse_copies_or_none(cell) or 0
            blank += 1 if not cell and any(row) else 0
        return {*sums, plain, plain + blank} - {0}

    def _join_equal_rows_as_copies(self, named_rows: Sequence[NamedRow]) -> list[NamedRow]:
        """Return the rows with those that say the same of one card joined as its copies."""
        alike = dict[tuple[str, ...], NamedRow]()
        for row, ident, name in named_rows:
            cells = self.table.rows[row.number]
            told = (
                self._get_stripped_cell(cells, number)
                for number, column in self.columns.items()
                if not _is_count_column(column)
            )
            key = (ident, *told)
            first = alike.get(key, NamedRow(row, ident, name))
            more = (row.number,) if key in alike else ()
            alike[key] = NamedRow(first.row._replace(copies=(*first.row.copies, *more)), ident, name)
        return list(alike.values())

    def _record_warning_of_row_order(self, rows: Sequence[tuple[CardRow, str]]) -> None:
        """Note rows whose ids their order decides: moved rows would be other cards."""
        later = [f"{ident} ({self._get_place_of_row_name(row.number)})" for row, ident in rows if ident[-1:].isdigit()]
        if not later:
            return
        listed = ", ".join(later[:3]) + (f" and {len(later) - 3} more" if len(later) > 3 else "")
        message = f"rows repeat a name or have none, and their order decides their ids: {listed}"
        hint = f"a column of their own, `id` or `Nr`, keeps them when rows move; {_REPEATS}"
        self.collector.add_finding("PP637", self._get_place_of_row_name(rows[0][0].number), message, hint, "warning")

    def _get_stripped_cell(self, row: Sequence[str], column: int) -> str:
        return row[column].strip() if 0 <= column < len(row) else ""

    def _build_component_from_row(self, card: CardRow, where: Where) -> YamlNode:
        """Return one row as a component. A blank cell is left out."""
        component: dict[str, Any] = {}
        row, surplus = card.number, len(self.table.rows[0])
        if any(self.table.rows[row][surplus:]):  # in a workbook all rows are as long as the longest
            message = f"this row has more cells than the {surplus} headings"
            hint = "a text with a separator in it stands in double quotes"
            self.collector.add_finding("PP261", self.table.get_place_of_cell(row, surplus), message, hint)
        for column, name in self.columns.items():
            if not self._get_stripped_cell(self.table.rows[row], column):
                continue
            place = self.table.get_place_of_cell(row, column)
            cell = self.table.rows[row][column]
            if isinstance(cell, AlteredCell):
                message = f'`{".".join(name.path)}`: expected what its author wrote, found "{cell}": {cell.why}'
                hint = "" if cell.why == UNCOMPUTED else "format the cell as text, and write it again"
                self.collector.add_finding("PP262", place, message, hint)
                continue
            try:
                data = _parse_cell_refusing_list_as_text(cell, name, self.spec.separator)
            except CellError as error:
                self.collector.add_finding("PP262", place, f"`{'.'.join(name.path)}`: {error}")
                continue
            self._put_value_at_path_or_record_finding(
                component, name.path, yaml_node_from_data_at_one_place(data, place)
            )
        if card.copies and isinstance(component.get("count", YamlNode(1, where)).data, int):
            component["count"] = yaml_node_from_data_at_one_place(
                sum(map(self._read_copy_count_of_row, (row, *card.copies))), where
            )
        return _make_node_from_nested_values(component, where)

    def _read_copy_count_of_row(self, row_index: int) -> int:
        """Return how many copies a row says it stands for."""
        column = next((number for number, column in self.columns.items() if _is_count_column(column)), None)
        cell = self._get_stripped_cell(self.table.rows[row_index], column) if column is not None else ""
        usual = self.spec.defaults.get("count", 1)
        written = parse_copies_or_none(cell)
        return written if written is not None else usual if isinstance(usual, int) else 1

    def _put_value_at_path_or_record_finding(
        self, component: dict[str, Any], path: Sequence[str], value: YamlNode
    ) -> None:
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


def _make_node_from_nested_values(tree: dict[str, Any] | YamlNode, where: Where) -> YamlNode:
    """Return nested columns as one node."""
    if isinstance(tree, YamlNode):
        return tree
    children = {key: _make_node_from_nested_values(value, where) for key, value in tree.items()}
    return YamlNode({key: YamlEntry(key, child.where, child) for key, child in children.items()}, where)


def _is_count_column(column: ColumnProperty) -> bool:
    return column.path == ("count",)


def _parse_cell_refusing_list_as_text(cell: str, column: ColumnProperty, separator: str) -> YamlData:
    """Return what a cell means. Raises CellError."""
    if isinstance(cell, JsonCell) and cell.kind == "list" and column.type in WORDS:
        raise CellError("expected a text, found a list")
    return parse_cell_by_column_type(cell.strip(), column, separator)


_REPEATS = "under `sheets` of game.yaml, `repeats: copies` counts equal rows, `repeats: number` tells them apart"


# -- sheet inference -----------------------------------------------------------------------------------------
# What game.yaml and vocabulary.yaml would say of a folder that has spreadsheets and no vocabulary.yaml.

_LANGUAGE = re.compile(r"(.+?)\s*[.(]\s*([a-z]{2}|[A-Z]{2})(-[A-Z]{2})?\s*\)?\Z")
_LANGUAGES = (
    "aa ab ae af ak am an ar as av ay az ba be bg bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo "
    "es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka "
    "kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng "
    "nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su "
    "sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
)
"""The codes of ISO 639-1: `Weight (mm)` is no language."""
_COMMON = ("source", "rules")
"""Properties of every component, unless a heading says otherwise."""


class InferredFiles(NamedTuple):
    game_yaml: dict[str, YamlData]
    vocabulary_yaml: dict[str, YamlData]


def infer_game_and_vocabulary_from_sheets(
    folder: Path, game: YamlNode, report_file_findings: OfRow | None = None
) -> InferredFiles | None:
    """Return what game.yaml and vocabulary.yaml would say of a folder that has spreadsheets and no vocabulary.yaml, or
    None if it has none. If `game`, which is game.yaml, declares sheets, these are all there are. Raises InputError if
    one cannot be read, unless `report_file_findings` hears of it."""
    declared_languages = _list_declared_languages(game)
    languages, kinds = _LanguagesOfSheets(declared_languages), dict[str, dict[str, YamlData]]()
    if game.get("sheets"):
        sheets: list[YamlData] = []  # those that game.yaml declares, as it declares them
        for node in get_declared_sheet_nodes(game):
            _infer_and_add_kind_of_sheet_entry(folder, node, kinds, languages)
    else:
        sheets = [*_iter_sheet_entries_and_add_kinds(folder, kinds, languages, report_file_findings)]
    if not kinds:
        return None
    used = declared_languages or languages.found or ["en"]
    for declared in kinds.values():
        declared["name"] = dict.fromkeys(used, declared["name"])
    facts: dict[str, YamlData] = {
        "title": folder.resolve().name.replace("_", " ").replace("-", " ").title(),
        "players": {"min": 1, "max": 8},
        "languages": [*used],
        "source": "mine",
        "sheets": sheets,
    }
    return InferredFiles(facts, {"terms": {}, "kinds": {**kinds}})


def _list_declared_languages(game: YamlNode) -> list[str]:
    """Return the languages that game.yaml names; the first is that of texts which name none."""
    declared = game.get("languages")
    return [str(item.value) for item in declared.items] if declared else []


class _LanguagesOfSheets:
    """The languages of the texts of sheets, in the order in which headings name them, and the one of texts whose
    heading names none: the first that game.yaml declares, else English."""

    def __init__(self, declared: Sequence[str]) -> None:
        self.main = declared[0] if declared else "en"
        self.found = list(declared)

    def add(self, language: str) -> None:
        """Have one more."""
        if language not in self.found:
            self.found.append(language)

    def add_main_language(self) -> str:
        """Have the language of texts that name none, and return it."""
        self.add(self.main)
        return self.main


def _iter_sheet_entries_and_add_kinds(
    folder: Path,
    kinds: dict[str, dict[str, YamlData]],
    languages: _LanguagesOfSheets,
    report_file_findings: OfRow | None,
) -> Iterator[dict[str, YamlData]]:
    """Yield an entry of `sheets` for each table of a folder, and declare its kind."""
    for path in sorted(path for path in folder.iterdir() if is_spreadsheet(path)) if folder.is_dir() else ():
        try:
            tables = read_visible_worksheets(path)
        except InputError as error:
            if report_file_findings is None:
                raise
            report_file_findings(path.name, "", error.findings)
            continue
        of_cards = select_worksheets_holding_cards(tables)
        for table in of_cards:
            title = choose_title_of_worksheet(table, path, len(of_cards) == 1)
            kind = _choose_free_kind_of_worksheet(folder, path, title, kinds)
            columns, fields = _infer_property_by_heading_and_types(table, {}, languages)
            defaults: dict[str, YamlData] = {} if "source" in fields else {"source": "mine"}
            called_by = _find_property_of_card_names_or_none(table, columns, fields)
            kinds[kind] = {"name": title, "fields": fields, "called_by": called_by}
            sheet: dict[str, YamlData] = {"file": path.name, "sheet": table.name, "kind": kind}
            yield {**sheet, "columns": columns, "defaults": defaults}


def _find_property_of_card_names_or_none(
    table: Worksheet, property_by_heading: Mapping[str, YamlData], type_by_property: Mapping[str, YamlData]
) -> str | None:
    """Return the property that says what cards are called, if none is `title` or `name` and another has short texts."""
    if not type_by_property.keys().isdisjoint(NAMES):
        return None
    headings = list_distinct_column_headings(table)
    texts = {
        number: str(property_by_heading[each]) for number, each in enumerate(headings) if each in property_by_heading
    }
    spec = {number: type_by_property.get(name) for number, name in texts.items()}
    columns = [number for number in texts if isinstance(of := spec[number], dict) and of["type"] == "text"]
    found = _guess_column_of_card_names(table, headings, columns)
    if found is None:
        return None
    cells = [cell for row in table.rows[1:] if found < len(row) and (cell := row[found].strip())]
    is_short = all(len(cell) <= _LONGEST_NAME and "\n" not in cell for cell in cells)
    return texts[found] if is_short and not any(map(_FILE_NAME.fullmatch, cells)) else None


_LONGEST_NAME = 40
_FILE_NAME = re.compile(r".+\.(png|jpe?g|svg|webp|gif|tiff?|bmp)|https?://\S+", re.IGNORECASE)


def _choose_free_kind_of_worksheet(folder: Path, file: Path, title: str, taken: Container[str]) -> str:
    """Return the kind of the cards of a sheet: its title for one card. A layout that an earlier version has drafted
    under another name keeps it."""
    written = make_id_from_title(title)
    kind, earlier = make_singular_of_kind_id(written), written.removesuffix("s")
    if kind != earlier and (folder / "layouts" / f"{earlier}.yaml").is_file():
        kind = earlier
    return kind if kind not in taken else make_id_from_title(f"{file.stem} {title}")


def _infer_and_add_kind_of_sheet_entry(
    folder: Path, node: YamlNode, kinds: dict[str, dict[str, YamlData]], languages: _LanguagesOfSheets
) -> None:
    """Declare the kind of an entry of `sheets`, unless a mistake in it, which its check reports, hides its table."""
    data = node.data if isinstance(node.data, dict) else {}
    kind, mapped, defaults = data.get("kind"), data.get("columns"), data.get("defaults")
    if not isinstance(kind, str):
        return
    fields = kinds.setdefault(kind, {"name": kind, "fields": {}})["fields"]
    assert isinstance(fields, dict)
    for name in defaults if isinstance(defaults, dict) else ():
        if name not in ("count", *_COMMON):
            fields.setdefault(name, {"type": "text", "required": False})
    with suppress(InputError):
        file, sheet = data.get("file"), data.get("sheet")
        table = require_worksheet(
            folder / use_forward_slashes(str(file)), sheet if isinstance(sheet, str) else None, node.where
        )
        declared = [*defaults] if isinstance(defaults, dict) else []
        fields |= _infer_property_by_heading_and_types(
            table, mapped if isinstance(mapped, dict) else {}, languages, declared
        ).type_by_property


def select_worksheets_holding_cards(tables: Sequence[Worksheet]) -> Sequence[Worksheet]:
    """Return the sheets of a workbook that hold cards. Beside them people keep ideas: a sheet that is called so,
    that has no row below its headings, or no column of names where another sheet has one."""
    filled = [table for table in tables if any(map(any, table.rows))] or tables  # Excel adds empty ones
    of_cards = [table for table in filled if not _is_note_sheet(table, filled)] or filled
    with_rows = [table for table in of_cards if any(map(any, table.rows[1:]))] or of_cards
    titled = list(filter(_has_id_or_title_column, with_rows))
    return [table for table in with_rows if table in titled or _looks_like_cards_beside(table, titled)] or with_rows


_RULES = {"rule", "regel", "regla", "regola", "regra", "règle"}


def _looks_like_cards_beside(table: Worksheet, titled: Sequence[Worksheet]) -> bool:
    """Return whether a sheet without titles holds cards all the same: it counts copies, or its headings name a text
    or a picture of cards, or what one of its sheet is called, or half of what another sheet has."""
    words = _collect_normalized_headings(table)
    first = next((normalize_heading(heading) for row in table.rows[:1] for heading in row if heading.strip()), "")
    of_one = {"card", "karte", "carte", "carta", make_singular_of_kind_id(make_id_from_title(table.name))} - _RULES
    return (
        find_index_of_copies_column(table) is not None
        or make_id_from_title(first) in of_one
        or any(map(is_heading_of_card_texts, words))
        or any(2 * len(words & other) >= len(other) > 1 for other in map(_collect_normalized_headings, titled))
    )


def _is_note_sheet(table: Worksheet, tables: Sequence[Worksheet]) -> bool:
    """Return whether a sheet is called as notes, statistics or removed cards are, or has sums about another sheet. One
    that counts copies, or has half of the headings of another sheet, holds cards that are called so."""
    if is_sheet_name_of_removed_cards(table.name) or is_table_of_statistics(table, tables):
        return True
    if not _is_sheet_name_without_cards(table.name) or find_index_of_copies_column(table) is not None:
        return False
    own = _collect_normalized_headings(table)
    others = (_collect_normalized_headings(other) for other in tables if other is not table)
    return not any(2 * len(own & other) >= len(other) > 1 for other in others)


def _is_sheet_name_without_cards(name: str) -> bool:
    return is_note_sheet_name(name) or is_sheet_name_of_statistics(name) or is_sheet_name_of_removed_cards(name)


def _collect_normalized_headings(table: Worksheet) -> set[str]:
    return {normalize_heading(heading) for row in table.rows[:1] for heading in row if heading.strip()}


def list_worksheets_left_out_as_notes(specs: Sequence[SheetSpec], folder: Path) -> list[Worksheet]:
    """Return the sheets that hold something, and that are no kind of cards although no file says which are. The sheets
    have been read before."""
    if _has_declared_sheets(folder / "game.yaml"):
        return []
    left_out = list[Worksheet]()
    for file in sorted({spec.file for spec in specs}):
        chosen = {spec.sheet for spec in specs if spec.file == file}
        tables = read_visible_worksheets(folder / file)
        left_out += [each for each in tables if each.name not in chosen and any(map(any, each.rows))]
    return left_out


def _has_declared_sheets(path: Path) -> bool:
    """Return whether a game.yaml says which sheets there are."""
    return path.is_file() and bool(get_declared_sheet_nodes(read_yaml_file(path)))


def list_warnings_on_left_out_sheets(specs: Sequence[SheetSpec], folder: Path) -> list[Finding]:
    """Return a warning for each sheet that is taken for notes though it is not called so."""
    hint = (
        "give it a column `title` with what its cards are called; or call it `Notes`; or hide it; "
        "or name the sheets of cards under `sheets` of game.yaml"
    )
    return [
        Finding(
            "PP267",
            table.get_place_of_cell(0, 0),
            f'the sheet "{table.name}" is taken for notes: no card is made of it',
            hint,
            "warning",
        )
        for table in list_worksheets_left_out_as_notes(specs, folder)
        if not _is_sheet_name_without_cards(table.name)
    ]


def _has_id_or_title_column(table: Worksheet) -> bool:
    """Return whether a sheet has a column of ids or titles."""
    headings = [heading for row in table.rows[:1] for heading in row if heading.strip()]
    first_words = {normalize_heading(heading).split(" ")[0] for heading in headings}
    return not {ID_WORD, *NAMES}.isdisjoint(first_words) or any(map(is_heading_of_card_titles, headings))


class InferredColumns(NamedTuple):
    property_by_heading: dict[str, YamlData]
    type_by_property: dict[str, YamlData]


def _infer_property_by_heading_and_types(
    table: Worksheet,
    property_by_heading: Mapping[str, YamlData],
    languages: _LanguagesOfSheets,
    default_properties: Sequence[str] = (),
) -> InferredColumns:
    """Return the property that each heading names, or is `mapped` to, and the type of each property as its cells have
    it. A heading `source` is where facts come from if `declared` defaults say so, and else a text as any other."""
    columns, fields = dict[str, YamlData](), dict[str, YamlData]()
    of_heading = {normalize_heading(heading): name for heading, name in property_by_heading.items()}
    headings = list_distinct_column_headings(table)
    is_counted = any(normalize_heading(str(name)) in COUNTS for name in property_by_heading.values())
    count_column = None if is_counted else find_index_of_copies_column(table, of_heading)
    filled = [row for row in table.rows[1:] if any(row)]
    for number, heading in enumerate(headings):
        if number == count_column:
            columns[heading] = "count"
            continue
        if not heading or is_heading_marked_as_note(heading):
            continue
        is_mapped = normalize_heading(heading) in of_heading
        meant = str(of_heading[normalize_heading(heading)] or NOTE) if is_mapped else heading
        if is_heading_marked_as_note(meant):
            continue
        name = (
            meant if is_mapped else make_property_name_from_heading(meant)
        ) or f"column_{format_spreadsheet_column_letters(number + 1).lower()}"
        cells = [row[number] for row in filled if number < len(row) and row[number].strip()]
        parts = _split_text_and_language_of_heading(meant, headings)
        if parts is not None:
            base = make_property_name_from_heading(parts[0])
            if any(normalize_heading(other) == normalize_heading(parts[0]) for other in headings):
                languages.add_main_language()  # the same text without a language is in the main one
            languages.add(parts[1])
            columns[heading], fields[base] = f"{base}.{parts[1]}", {"type": "words", "required": False}
        elif name == ID_WORD:
            columns[heading] = ID_WORD
        elif is_mapped and normalize_heading(meant) in COUNTS and "count" not in columns.values():
            columns[heading] = "count"
        elif (is_mapped or name in default_properties) and name.split(".")[0] in _COMMON:
            columns[heading] = name
        else:
            columns[heading] = name
            fields.setdefault(name, _infer_field_spec_from_cells(name, cells))
            if name in NAMES:
                main = languages.add_main_language()
                columns[heading] = name if main == "en" else f"{name}.{main}"
    return InferredColumns(columns, fields)


def _split_text_and_language_of_heading(heading: str, headings: Sequence[str]) -> tuple[str, str] | None:
    """Return the text and the language that a heading such as `Title (fr)` or `title.pt-BR` names. In capitals, as in
    `Title (FR)`, two letters may mean another thing: they name a language if another heading has the same text."""
    match = _LANGUAGE.match(heading)
    if match is None or match[2].lower() not in _LANGUAGES.split() or not split_into_casefolded_words(match[1]):
        return None
    base = normalize_heading(match[1])
    if match[2].isupper() and not any(
        _get_heading_without_language(other) == base for other in headings if other != heading
    ):
        return None
    return match[1], match[2].lower() + (match[3] or "")


def _get_heading_without_language(heading: str) -> str:
    match = _LANGUAGE.match(heading)
    return normalize_heading(match[1] if match else heading)


def _infer_field_spec_from_cells(name: str, cells: Sequence[str]) -> YamlData:
    """Return the type of a property as its cells have it."""
    kinds = {cell.kind if isinstance(cell, JsonCell) else "text" for cell in cells}
    if name in NAMES:
        return {"type": "words", "required": False}
    if kinds == {"list"}:
        return {"type": "list", "of": "any", "required": False}
    if kinds == {"flag"}:
        return {"type": "flag", "required": False}
    if kinds and kinds <= {"integer", "number"}:
        return {"type": "number" if "number" in kinds else "integer", "required": False}
    whole = bool(cells) and all(re.fullmatch(r"[-+]?(0|[1-9]\d*)", cell.strip()) for cell in cells)
    return {"type": "integer" if whole else "text", "required": False}

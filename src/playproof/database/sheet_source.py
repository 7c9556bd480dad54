"""Cards from a spreadsheet, in place of a YAML file: a row is a card, a column one of its properties. `game.yaml` says
which sheet holds which kind, and what its headings mean; `sheet_inference.py` says it for a folder that declares
nothing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, Field

from playproof.database.errors import (
    Finding,
    FindingCollector,
    InputError,
    Where,
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
    is_heading_of_card_titles,
    is_heading_of_ids_or_numbers,
    list_distinct_column_headings,
    make_distinct_ids_from_row_names,
    make_free_id_by_adding_number,
    make_id_from_title,
    make_property_name_from_heading,
    normalize_heading,
    parse_cell_or_leave_as_text,
    parse_copies_or_none,
    split_into_casefolded_words,
    yaml_node_from_data_at_one_place,
)
from playproof.database.sheet_notes import is_group_heading_row
from playproof.database.source import YamlData, YamlEntry, YamlNode
from playproof.database.spreadsheets import (
    UNCOMPUTED,
    AlteredCell,
    JsonCell,
    Worksheet,
    is_spreadsheet,
    require_named_or_only_worksheet,
)
from playproof.database.vocabulary import Vocabulary
from playproof.database.workbook_looks import ShownNumber
from playproof.database.yaml_models import StrictModel


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
            table = require_named_or_only_worksheet(_require_sheet_file(folder, spec, node), spec.sheet, node.where)
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


def guess_column_of_card_names(table: Worksheet, headings: Sequence[str], text_columns: Sequence[int]) -> int | None:
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
        return guess_column_of_card_names(self.table, self.headings, texts)

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
        made = make_distinct_ids_from_row_names([name for _, ident, name in named if not ident], keys, written)
        self._record_warning_of_row_order(
            [(row, each.id) for row, each in zip(unnamed, made, strict=True) if each.by_order]
        )
        of_unnamed = iter(made)
        rows, taken = list[CardRow](), set[str]()
        for row, ident, _ in named:
            ident = ident or self._choose_free_id_warning_if_changed(next(of_unnamed).id, row.number)
            if self.spec.repeats == "number":
                ident = make_free_id_by_adding_number(ident, taken)
                taken.add(ident)
            rows.append(row._replace(id=ident))
        return rows

    def _choose_free_id_warning_if_changed(self, made_id: str, row_number: int) -> str:
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
    return parse_cell_or_leave_as_text(cell.strip(), column, separator)


_REPEATS = "under `sheets` of game.yaml, `repeats: copies` counts equal rows, `repeats: number` tells them apart"

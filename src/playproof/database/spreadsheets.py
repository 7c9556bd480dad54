"""Reads spreadsheets as tables of text: CSV, TSV, XLSX, ODS, and arrays of objects in JSON. A cell is
text as a person sees it.

A cell is text as a person sees it: `3`, not `3.0`. What a spreadsheet program has made of a text without being asked
(a date, the error of a formula) is refused where a card uses it, and not guessed back.

An array of texts is a table with the one heading `text`. An object at the top names several tables. Unlike `json`, this
reader keeps the line and column of every value, and refuses a key that stands twice."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from xml.etree import ElementTree

from playproof.database.errors import (
    InputError,
    SheetName,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.database.source import LIMITS, NON_PRINTABLE, decode_utf8_without_byte_mark, read_file_or_its_override
from playproof.database.workbook_looks import (
    MergedCells,
    ShownNumber,
    find_numbers_shown_differently_in_xlsx,
    find_percents_and_amounts_of_ods,
    read_number_formats_of_xlsx_styles,
)

# Reads spreadsheets as tables of text: CSV, TSV, XLSX, ODS, and arrays of objects in JSON.

SUFFIXES = (".csv", ".tsv", ".xlsx", ".ods", ".json")
_PLAIN_NAME = re.compile(r"(sheet|table|tabelle|feuil|feuille|hoja|foglio|planilha)\s*\d*\Z", re.IGNORECASE)
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""What Excel's `Unicode Text` begins with."""
FAILED = "the formula has no value"
_FORMULA_ERROR = re.compile(
    r"#(?:REF|VALUE|DIV/0|NUM|NULL|ERROR|SPILL|CALC|WERT|BEZUG|ZAHL|VALEUR|NOMBRE)!|#(?:NAME|NOM)\?|#N/A|#NV|Err:\d{3}"
)
"""What Excel, Google Sheets and LibreOffice write into a text file for a formula that has failed."""
_MOST_UNPACKED = 64_000_000
"""Bytes that a workbook, which is a zip archive, may unpack to."""


def is_spreadsheet(path: Path) -> bool:
    """Return whether a file's name is that of a spreadsheet, and of no file that an open program has put beside it. Of
    JSON files only those that begin as an array are decks."""
    if path.suffix.lower() not in SUFFIXES or path.name.startswith((".", "~")):
        return False
    return path.suffix.lower() != ".json" or _is_file_beginning_with_json_array(path)


def require_spreadsheet_file_name(path: Path) -> None:
    """Check that a file's name is that of a sheet of cards. Raises InputError."""
    if is_spreadsheet(path):
        return
    is_json = path.suffix.lower() == ".json"
    hint = "a JSON file of cards is a list, [...]" if is_json else "save it as XLSX or CSV"
    message = f"expected a sheet of cards ({', '.join(SUFFIXES)}), found `{path.name}`"
    raise InputError.from_single_finding("PP260", Where(make_path_relative_to_working_folder(path)), message, hint)


def _is_file_beginning_with_json_array(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["
    except OSError:
        return False


def read_visible_worksheets(path: Path) -> tuple[Worksheet, ...]:
    """Return every visible sheet of a file, in its order. Raises InputError with all that is wrong."""
    name = SheetName(make_path_relative_to_working_folder(path))
    try:
        raw = read_file_or_its_override(path)
    except OSError as error:
        raise _make_unreadable_spreadsheet_error(name, f"cannot read this file: {error.strerror or error}") from None
    if path.suffix.lower() in (".csv", ".tsv"):
        return (_make_worksheet_skipping_title_rows(path.stem, name, _read_csv_or_tsv_rows(path, raw, name)),)
    if path.suffix.lower() in (".xlsx", ".ods"):
        return tuple(_iter_visible_workbook_sheets(path, raw, name))
    if path.suffix.lower() == ".json":
        return tuple(iter_worksheets_of_json(raw, str(name), path.stem))
    raise _make_unreadable_spreadsheet_error(name, f"expected a file named {', '.join(SUFFIXES)}, found {path.name}")


def require_named_or_only_worksheet(path: Path, sheet_name: str | None, where: Where) -> Worksheet:
    """Return the sheet of this name, or the only one. Raises InputError at `where`, which names the sheet."""
    tables = read_visible_worksheets(path)
    if sheet_name is None and len(tables) == 1:
        return tables[0]
    for table in tables:
        if table.name == sheet_name:
            return table
    names = [table.name for table in tables]
    if sheet_name is None:
        message, hint = f"{path.name} has {len(names)} sheets", f"name one: `sheet: {(*names, 'Cards')[0]}`"
    else:
        message, hint = (
            f'there is no sheet "{sheet_name}" in {path.name}',
            make_nearest_or_possible_words_hint(sheet_name, names),
        )
    raise InputError.from_single_finding("PP263", where, message, hint)


def choose_title_of_worksheet(table: Worksheet, path: Path, is_only_table: bool) -> str:
    """Return the name that a sheet's author gave: its own, or that of its file if the sheet has the program's."""
    return path.stem if is_only_table and _PLAIN_NAME.match(table.name) else table.name


def _make_unreadable_spreadsheet_error(name: SheetName, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding("PP260", Where(name), message, hint)


def _read_csv_or_tsv_rows(path: Path, raw: bytes, name: SheetName) -> list[list[str]]:
    """Return the rows of a CSV or TSV file. German and French programs separate cells by semicolons."""
    if len(raw) > LIMITS.bytes:
        raise _make_unreadable_spreadsheet_error(name, f"expected at most {LIMITS.bytes} bytes, found {len(raw)}")
    try:
        text = raw.decode("utf-16") if raw[:2] in UTF_16 else decode_utf8_without_byte_mark(raw, name)
    except UnicodeDecodeError as error:
        raise _make_unreadable_spreadsheet_error(
            name, f"expected UTF-16 text: {error.reason}", "save it as `CSV UTF-8`"
        ) from None
    except InputError as error:
        [finding] = error.findings
        raise _make_foreign_encoding_error(path, raw, name, finding.message) from None
    if text.lstrip()[:9].lower() in ("<!doctype", "<html", "<html lan"):
        raise _make_unreadable_spreadsheet_error(
            name, "expected a table, found a web page", "publish the sheet to the web as CSV"
        )
    separator = "\t" if path.suffix.lower() == ".tsv" else _guess_cell_separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    try:
        rows.extend([_mark_formula_error(cell) for cell in row] for row in reader)
    except csv.Error as error:
        where = Where(name, len(rows) + 1, 1)
        raise InputError.from_single_finding(
            "PP260", where, f"this row is not {path.suffix[1:].upper()}: {error}"
        ) from None
    return rows


def _mark_formula_error(cell: str) -> str:
    """Return the cell; one that a program wrote for a formula without a value says so."""
    return AlteredCell(cell, FAILED) if cell[:1] in ("#", "E") and _FORMULA_ERROR.fullmatch(cell) else cell


def _make_foreign_encoding_error(path: Path, raw: bytes, name: SheetName, message: str) -> InputError:
    """Return the error of a file that is not UTF-8, at the cell with the first byte that is not. Old programs write the
    code page of their country: what the cell says in that of Western Europe shows whether it is meant."""
    try:
        raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before, after = (part.decode("cp1252", "replace") for part in (raw[: error.start], raw[error.start :]))
    separator = "\t" if path.suffix.lower() == ".tsv" else _guess_cell_separator(before + after)
    rows = list(csv.reader(io.StringIO(before, newline=""), delimiter=separator)) or [[""]]
    if before.endswith(("\n", "\r")):
        rows.append([""])
    cell = re.split(f'[{re.escape(separator)}"\r\n]', after)[0]
    where = Where(name, len(rows), max(1, len(rows[-1])))
    read = " ".join(f"{rows[-1][-1] if rows[-1] else ''}{cell}".split())
    near = f"as Windows-1252 the cell reads `{read[:60]}`"
    hint = f"save it as `CSV UTF-8`; {near}: if that is right, `iconv -f CP1252 -t UTF-8` converts the file"
    return InputError.from_single_finding("PP260", where, message, hint)


def _guess_cell_separator(text: str) -> str:
    """Return the sign that gives the first row the most cells."""

    def cells(sign: str) -> int:
        try:
            return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=sign), []))
        except csv.Error:
            return 0

    return max(",;\t|", key=cells)


def _iter_visible_workbook_sheets(path: Path, raw: bytes, name: SheetName) -> Iterator[Worksheet]:
    """Yield the visible sheets of an XLSX or ODS file."""
    import python_calamine as calamine  # only games that keep their cards in a workbook need it

    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            if unpacked > _MOST_UNPACKED:
                raise _make_unreadable_spreadsheet_error(
                    name, f"expected at most {_MOST_UNPACKED} bytes unpacked, found {unpacked}"
                )
            odd = _find_failed_formula_cells_by_sheet(archive)
            shown = _find_formatted_numbers_by_sheet(archive)
        book = calamine.load_workbook(io.BytesIO(raw))
    except (calamine.CalamineError, zipfile.BadZipFile, ElementTree.ParseError, KeyError) as error:
        kind = path.suffix[1:].upper()
        raise _make_unreadable_spreadsheet_error(
            name, f"this is no {kind} file: {error}", "save it again, without a password"
        ) from None
    for sheet in book.sheets_metadata:
        if sheet.visible == calamine.SheetVisibleEnum.Visible and sheet.typ == calamine.SheetTypeEnum.WorkSheet:
            page = book.get_sheet_by_name(sheet.name)
            cells = page.to_python(skip_empty_area=False)
            if sum(map(len, cells)) > LIMITS.nodes:
                raise _make_unreadable_spreadsheet_error(
                    name, f"expected at most {LIMITS.nodes} cells, found more", "delete empty rows"
                )
            place = SheetName(f"{name}, sheet {sheet.name}")
            rows = [[_format_workbook_cell_marking_dates(cell) for cell in row] for row in cells]
            _put_failed_cells_into_rows(rows, odd.get(sheet.name, ()))
            table = _make_worksheet_skipping_title_rows(sheet.name, place, rows)
            yield replace(table, shown=tuple(shown.get(sheet.name, ())), merged=_list_merged_cells(page))


def _make_worksheet_skipping_title_rows(name: str, place: SheetName, rows: Sequence[Sequence[str]]) -> Worksheet:
    """Return a sheet from its headings on. Above them people leave blank rows, or write a title into one cell; Excel
    writes `sep=;` there. A sheet with a single column has nothing above it."""
    for number, row in enumerate(rows, 1):
        odd = NON_PRINTABLE.search("".join(row))
        if odd:
            column = next(at for at, cell in enumerate(row, 1) if odd[0] in cell)
            message = f"expected readable text, found the character U+{ord(odd[0]):04X}"
            raise InputError.from_single_finding("PP260", Where(place, number, column), message, "delete it")
    cells = [sum(1 for cell in row if cell.strip()) for row in rows]
    above = next((number for number, count in enumerate(cells) if count > 1), 0)
    return Worksheet(name, place, rows[above:], above)


def _format_workbook_cell_marking_dates(cell: object) -> str:
    """Return a cell as its author reads it."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else f"{cell:.15g}"  # as many digits as spreadsheet programs show
    return AlteredCell(str(cell), "the spreadsheet has made a date of it")


_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
UNCOMPUTED = "the file has this formula without its value; open it in a spreadsheet program and save it"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


class CellIndex(NamedTuple):
    row_from_0: int
    column_from_0: int


class FailedCell(NamedTuple):
    """A cell whose formula gives an error such as `#REF!`, or has no value in the file because no program has
    computed it."""

    row_from_0: int
    column_from_0: int
    cell: AlteredCell


def _find_failed_formula_cells_by_sheet(archive: zipfile.ZipFile) -> dict[str, list[FailedCell]]:
    """Return the cells of failed formulas for each sheet of a workbook. The reader of workbooks takes them for empty
    ones."""
    names = archive.namelist()
    if "xl/workbook.xml" in names:
        return _find_failed_xlsx_formulas_by_sheet(archive)
    return _find_failed_ods_formulas_by_sheet(archive.read("content.xml")) if "content.xml" in names else {}


def _iter_names_and_bytes_of_xlsx_sheets(archive: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {each.get("Id"): str(each.get("Target")) for each in relations}
    for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter(f"{_MAIN}sheet"):
        target = targets.get(sheet.get(_RELATION), "")
        yield str(sheet.get("name")), archive.read(target.lstrip("/") if target.startswith("/") else f"xl/{target}")


def _find_formatted_numbers_by_sheet(archive: zipfile.ZipFile) -> Mapping[str, list[ShownNumber]]:
    """Return the numbers of each sheet of a workbook that are seen in another form than their value's."""
    names = archive.namelist()
    if "xl/workbook.xml" not in names:
        return find_percents_and_amounts_of_ods(archive.read("content.xml")) if "content.xml" in names else {}
    formats = read_number_formats_of_xlsx_styles(archive)
    if not any(formats):
        return {}
    return {
        name: find_numbers_shown_differently_in_xlsx(raw, formats)
        for name, raw in _iter_names_and_bytes_of_xlsx_sheets(archive)
    }


def _list_merged_cells(page: Any) -> tuple[MergedCells, ...]:
    """Return the merged cells of a sheet of calamine, which knows none of an ODS file."""
    return tuple(MergedCells(*start, *end) for start, end in page.merged_cell_ranges or ())


def _find_failed_xlsx_formulas_by_sheet(archive: zipfile.ZipFile) -> dict[str, list[FailedCell]]:
    odd: dict[str, list[FailedCell]] = {}
    for name, raw in _iter_names_and_bytes_of_xlsx_sheets(archive):
        if b't="e"' not in raw and b"<f" not in raw and b":f" not in raw:
            continue
        found = []
        for cell in ElementTree.fromstring(raw).iter(f"{_MAIN}c"):
            formula, value = cell.find(f"{_MAIN}f"), cell.findtext(f"{_MAIN}v")
            if cell.get("t") == "e":
                altered = AlteredCell(value or "#ERROR", FAILED)
                found.append(FailedCell(*_parse_row_and_column_from_zero(str(cell.get("r"))), altered))
            elif formula is not None and not value and cell.get("t") != "str":  # a text may be empty
                altered = AlteredCell(f"={formula.text or '...'}", UNCOMPUTED)
                found.append(FailedCell(*_parse_row_and_column_from_zero(str(cell.get("r"))), altered))
        odd[name] = found
    return odd


def _find_failed_ods_formulas_by_sheet(raw: bytes) -> dict[str, list[FailedCell]]:
    if b"table:formula" not in raw:
        return {}
    odd: dict[str, list[FailedCell]] = {}
    for sheet in ElementTree.fromstring(raw).iter(f"{_TABLE}table"):
        found = odd[str(sheet.get(f"{_TABLE}name"))] = []
        row = 0
        for cells in sheet.iter(f"{_TABLE}table-row"):
            column = 0
            for cell in cells:
                formula = cell.get(f"{_TABLE}formula")
                if formula is not None and cell.get(f"{_CALC}value-type") == "error":
                    found.append(FailedCell(row, column, AlteredCell("".join(cell.itertext()), FAILED)))
                elif formula is not None and cell.get(f"{_OFFICE}value-type") is None and not "".join(cell.itertext()):
                    found.append(FailedCell(row, column, AlteredCell(formula.partition(":")[2] or formula, UNCOMPUTED)))
                column += int(cell.get(f"{_TABLE}number-columns-repeated", "1"))
            row += int(cells.get(f"{_TABLE}number-rows-repeated", "1"))
    return odd


def _parse_row_and_column_from_zero(reference: str) -> CellIndex:
    """Return the cell that a reference such as `B5` names.

    >>> _parse_row_and_column_from_zero("AA5")
    CellIndex(row_from_0=4, column_from_0=26)
    """
    letters = reference.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return CellIndex(int(reference[len(letters) :]) - 1, column - 1)


def _put_failed_cells_into_rows(rows: list[list[str]], failed_cells: Sequence[FailedCell]) -> None:
    for row, column, cell in failed_cells:
        rows.extend([] for _ in range(len(rows), row + 1))
        rows[row].extend("" for _ in range(len(rows[row]), column + 1))
        rows[row][column] = cell


# -- json tables ---------------------------------------------------------------------------------------------
# Reads decks in JSON as tables of text, as `spreadsheets.py` reads sheets: an array of objects is a table,
# an object a row, a key a heading. Objects inside objects are columns with a dot: `title.fr`, `cost.gold`.

_BLANKS = " \t\r\n"
_DEEPEST = 40


class _JsonValue(NamedTuple):
    """A value and where it begins. Arrays hold values, objects pairs of a key and a value."""

    data: str | int | float | bool | tuple[_JsonValue, ...] | dict[str, _JsonValue] | None
    at: int


def iter_worksheets_of_json(raw: bytes, file_name: str, sheet_name: str) -> Iterator[Worksheet]:
    """Yield the tables of a JSON file. Raises InputError if it is none, or holds no array of objects."""
    text = decode_utf8_without_byte_mark(raw, file_name)
    if len(raw) > LIMITS.bytes:
        raise InputError.from_single_finding(
            "PP260", Where(file_name), f"expected at most {LIMITS.bytes} bytes, found {len(raw)}"
        )
    top = _JsonParser(text, file_name).read_document()
    places = _PlaceFinder(text, file_name)
    if isinstance(top.data, tuple):
        yield _make_worksheet_from_array(sheet_name, top, places)
        return
    arrays = {} if not isinstance(top.data, dict) else top.data
    tables = {key: value for key, value in arrays.items() if _is_array_with_objects(value)}
    if not tables:
        hint = 'as in `[{"title": "Ant", "cost": 2}, {"title": "Bee"}]`'
        raise InputError.from_single_finding(
            "PP260", places.get_place_of_value(top), "expected an array of objects, one for each card", hint
        )
    for key, value in tables.items():
        yield _make_worksheet_from_array(key, value, places)


def _is_array_with_objects(value: _JsonValue) -> bool:
    return isinstance(value.data, tuple) and any(isinstance(item.data, dict) for item in value.data)


def _make_worksheet_from_array(name: str, array: _JsonValue, places: _PlaceFinder) -> Worksheet:
    """Return an array as a table whose headings are the keys of all its objects, in the order of the file."""
    assert isinstance(array.data, tuple)
    rows = [dict(_iter_headings_with_values(item, places)) for item in array.data]
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    where = {(0, -1): places.get_place_of_value(array)}
    table = [headings]
    for number, (item, row) in enumerate(zip(array.data, rows, strict=True), 1):
        where[number, -1] = places.get_place_of_value(item)
        for column, heading in enumerate(headings):
            if heading in row:
                where[number, column] = places.get_place_of_value(row[heading])
        table.append([_format_json_cell(row[heading]) if heading in row else "" for heading in headings])
    return Worksheet(name, places.name, table, places=where)


def _iter_headings_with_values(
    json_object: _JsonValue, places: _PlaceFinder, heading_prefix: str = ""
) -> Iterator[tuple[str, _JsonValue]]:
    """Yield the cells of one object by their headings."""
    if isinstance(json_object.data, str) and not heading_prefix:
        yield "text", json_object
        return
    if not isinstance(json_object.data, dict):
        raise InputError.from_single_finding(
            "PP260", places.get_place_of_value(json_object), "expected an object or a text for each card"
        )
    for key, value in json_object.data.items():
        if isinstance(value.data, dict):
            yield from _iter_headings_with_values(value, places, f"{heading_prefix}{key}.")
        else:
            yield f"{heading_prefix}{key}", value


def _format_json_cell(value: _JsonValue) -> str:
    if value.data is None:
        return ""
    if isinstance(value.data, str):
        return value.data
    if isinstance(value.data, bool):
        return JsonCell(str(value.data).lower(), "flag")
    if isinstance(value.data, tuple | dict):
        return JsonCell(json.dumps(_convert_json_value_to_plain_data(value), ensure_ascii=False), "list")
    number = value.data
    whole = isinstance(number, int) or number.is_integer()
    return JsonCell(str(int(number)), "integer") if whole else JsonCell(repr(number), "number")


def _convert_json_value_to_plain_data(value: _JsonValue) -> object:
    if isinstance(value.data, tuple):
        return [_convert_json_value_to_plain_data(item) for item in value.data]
    if isinstance(value.data, dict):
        return {key: _convert_json_value_to_plain_data(item) for key, item in value.data.items()}
    return value.data


class _PlaceFinder:
    """The line and column of an index into a text."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self._breaks = [index for index, char in enumerate(text) if char == "\n"]

    def get_place_of_value(self, value: _JsonValue) -> Where:
        return self.get_place_of_index(value.at)

    def get_place_of_index(self, index: int) -> Where:
        line = bisect_right(self._breaks, index - 1)
        start = self._breaks[line - 1] + 1 if line else 0
        return Where(self.name, line + 1, index - start + 1)


class _JsonParser:
    """Parses one text. Strings and numbers are read by Python's own decoder."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self._decoder = json.JSONDecoder(parse_constant=self._refuse_nan_and_infinity)

    def read_document(self) -> _JsonValue:
        value, end = self._read_value_and_its_end(self._find_index_after_blanks(0), 0)
        end = self._find_index_after_blanks(end)
        if end < len(self.text):
            raise self._make_json_error_at_index("expected nothing behind the end", end)
        return value

    def _read_value_and_its_end(self, index: int, depth: int) -> tuple[_JsonValue, int]:
        if depth > _DEEPEST:
            raise self._make_json_error_at_index(f"expected at most {_DEEPEST} levels, found more", index)
        sign = self.text[index : index + 1]
        if sign == "[":
            return self._read_array_and_its_end(index, depth)
        if sign == "{":
            return self._read_object_and_its_end(index, depth)
        try:
            data, end = self._decoder.raw_decode(self.text, index)
        except json.JSONDecodeError as error:
            raise self._make_json_error_at_index(f"this is no JSON: {error.msg}", error.pos) from None
        return _JsonValue(data, index), end

    def _read_array_and_its_end(self, index: int, depth: int) -> tuple[_JsonValue, int]:
        items = list[_JsonValue]()
        end = self._find_index_after_blanks(index + 1)
        while self.text[end : end + 1] != "]" or items:
            value, end = self._read_value_and_its_end(end, depth + 1)
            items.append(value)
            end, is_last = self._skip_comma_or_find_close(end, "]")
            if is_last:
                break
        return _JsonValue(tuple(items), index), end + 1

    def _read_object_and_its_end(self, index: int, depth: int) -> tuple[_JsonValue, int]:
        entries = dict[str, _JsonValue]()
        end = self._find_index_after_blanks(index + 1)
        while self.text[end : end + 1] != "}" or entries:
            key, behind = self._read_value_and_its_end(end, depth + 1)
            if not isinstance(key.data, str):
                raise self._make_json_error_at_index("expected a key in double quotes", end)
            if key.data in entries:
                raise self._make_json_error_at_index(f'the key "{key.data}" stands twice in this object', end)
            end = self._find_index_after_blanks(behind)
            if self.text[end : end + 1] != ":":
                raise self._make_json_error_at_index("expected a colon behind the key", end)
            entries[key.data], end = self._read_value_and_its_end(self._find_index_after_blanks(end + 1), depth + 1)
            end, is_last = self._skip_comma_or_find_close(end, "}")
            if is_last:
                break
        return _JsonValue(entries, index), end + 1

    def _skip_comma_or_find_close(self, index: int, close: str) -> tuple[int, bool]:
        """Return the index of the next item, or of the closing bracket and True."""
        index = self._find_index_after_blanks(index)
        sign = self.text[index : index + 1]
        if sign == close:
            return index, True
        if sign != ",":
            raise self._make_json_error_at_index(f"expected a comma or `{close}`", index)
        return self._find_index_after_blanks(index + 1), False

    def _find_index_after_blanks(self, index: int) -> int:
        while index < len(self.text) and self.text[index] in _BLANKS:
            index += 1
        return index

    def _refuse_nan_and_infinity(self, word: str) -> NoReturn:
        raise InputError.from_single_finding("PP260", Where(self.name), f"{word} is no JSON")

    def _make_json_error_at_index(self, message: str, index: int) -> InputError:
        return InputError.from_single_finding(
            "PP260", _PlaceFinder(self.text, self.name).get_place_of_index(index), message
        )


# -- worksheets ----------------------------------------------------------------------------------------------
# A table of text, whatever file it comes from, and the cells that are more than text.


class AlteredCell(str):
    """A cell that is not what its author wrote; `why` says what became of it."""

    why: str

    def __new__(cls, text: str, why: str) -> AlteredCell:
        cell = super().__new__(cls, text)
        cell.why = why
        return cell


class JsonCell(str):
    """A cell that JSON holds as another thing than a text; `kind` says as what: flag, integer, number or list."""

    kind: str

    def __new__(cls, text: str, kind: str) -> JsonCell:
        cell = super().__new__(cls, text)
        cell.kind = kind
        return cell


@dataclass(frozen=True, slots=True)
class Worksheet:
    """One sheet. `rows` holds the headings and each row below them; `above` counts the rows before them. `place` names
    file and sheet in messages. `places` are those of rows (column -1) and cells if the file has lines instead. `shown`
    and `merged` are what the program shows otherwise than the cells are read; they count all rows."""

    name: str
    place: str
    rows: Sequence[Sequence[str]] = field(repr=False)
    above: int = 0
    places: Mapping[tuple[int, int], Where] = field(default_factory=dict, repr=False)
    shown: Sequence[ShownNumber] = field(default=(), repr=False)
    merged: Sequence[MergedCells] = field(default=(), repr=False)

    def get_place_of_cell(self, row: int, column: int) -> Where:
        """Return the place of a cell; row and column count from 0."""
        if self.places:
            return self.places.get((row, column)) or self.places[row, -1]
        return Where(self.place, self.above + row + 1, column + 1)

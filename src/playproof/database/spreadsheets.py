"""Reads spreadsheets as tables of text: CSV, TSV, XLSX, ODS, and arrays of objects in JSON.

A cell is text as a person sees it: `3`, not `3.0`. What a spreadsheet program has made of a text without being asked
(a date, the error of a formula) is refused where a card uses it, and not guessed back.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from xml.etree import ElementTree

from playproof.database.errors import InputError, SheetName, Where, did_you_mean, shorten_path
from playproof.database.json_tables import iter_json_tables
from playproof.database.source import LIMITS, NON_PRINTABLE, decode_utf8, read_content
from playproof.database.worksheets import AlteredCell, Worksheet

SUFFIXES = (".csv", ".tsv", ".xlsx", ".ods", ".json")
_PLAIN_NAME = re.compile(r"(sheet|table|tabelle|feuil|feuille|hoja|foglio|planilha)\s*\d*\Z", re.IGNORECASE)
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""What Excel's `Unicode Text` begins with."""
_MOST_UNPACKED = 64_000_000
"""Bytes that a workbook, which is a zip archive, may unpack to."""


def is_spreadsheet(path: Path) -> bool:
    """Return whether a file's name is that of a spreadsheet, and of no file that an open program has put beside it. Of
    JSON files only those that begin as an array are decks."""
    if path.suffix.lower() not in SUFFIXES or path.name.startswith((".", "~")):
        return False
    return path.suffix.lower() != ".json" or _is_json_array(path)


def check_spreadsheet_suffix(path: Path) -> None:
    """Check that a file's name is that of a sheet of cards. Raises InputError."""
    if is_spreadsheet(path):
        return
    is_json = path.suffix.lower() == ".json"
    hint = "a JSON file of cards is a list, [...]" if is_json else "save it as XLSX or CSV"
    message = f"expected a sheet of cards ({', '.join(SUFFIXES)}), found `{path.name}`"
    raise InputError.from_single_finding("PP260", Where(shorten_path(path)), message, hint)


def _is_json_array(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"["
    except OSError:
        return False


def read_tables(path: Path) -> tuple[Worksheet, ...]:
    """Return every visible sheet of a file, in its order. Raises InputError with all that is wrong."""
    name = SheetName(shorten_path(path))
    try:
        raw = read_content(path)
    except OSError as error:
        raise _make_unreadable_error(name, f"cannot read this file: {error.strerror or error}") from None
    if path.suffix.lower() in (".csv", ".tsv"):
        return (_make_worksheet(path.stem, name, _read_text_rows(path, raw, name)),)
    if path.suffix.lower() in (".xlsx", ".ods"):
        return tuple(_iter_workbook_sheets(path, raw, name))
    if path.suffix.lower() == ".json":
        return tuple(iter_json_tables(raw, str(name), path.stem))
    raise _make_unreadable_error(name, f"expected a file named {', '.join(SUFFIXES)}, found {path.name}")


def find_table(path: Path, name: str | None, where: Where) -> Worksheet:
    """Return the sheet of this name, or the only one. Raises InputError at `where`, which names the sheet."""
    tables = read_tables(path)
    if name is None and len(tables) == 1:
        return tables[0]
    for table in tables:
        if table.name == name:
            return table
    names = [table.name for table in tables]
    if name is None:
        message, hint = f"{path.name} has {len(names)} sheets", f"name one: `sheet: {(*names, 'Cards')[0]}`"
    else:
        message, hint = f'there is no sheet "{name}" in {path.name}', did_you_mean(name, names)
    raise InputError.from_single_finding("PP263", where, message, hint)


def get_table_title(table: Worksheet, path: Path, is_only_table: bool) -> str:
    """Return the name that a sheet's author gave: its own, or that of its file if the sheet has the program's."""
    return path.stem if is_only_table and _PLAIN_NAME.match(table.name) else table.name


def _make_unreadable_error(name: SheetName, message: str, hint: str = "") -> InputError:
    return InputError.from_single_finding("PP260", Where(name), message, hint)


def _read_text_rows(path: Path, raw: bytes, name: SheetName) -> list[list[str]]:
    """Return the rows of a CSV or TSV file. German and French programs separate cells by semicolons."""
    if len(raw) > LIMITS.bytes:
        raise _make_unreadable_error(name, f"expected at most {LIMITS.bytes} bytes, found {len(raw)}")
    try:
        text = raw.decode("utf-16") if raw[:2] in UTF_16 else decode_utf8(raw, name)
    except UnicodeDecodeError as error:
        raise _make_unreadable_error(
            name, f"expected UTF-16 text: {error.reason}", "save it as `CSV UTF-8`"
        ) from None
    except InputError as error:
        [finding] = error.findings
        raise _make_unreadable_error(name, finding.message, "save it as `CSV UTF-8`") from None
    if text.lstrip()[:9].lower() in ("<!doctype", "<html", "<html lan"):
        raise _make_unreadable_error(
            name, "expected a table, found a web page", "publish the sheet to the web as CSV"
        )
    separator = "\t" if path.suffix.lower() == ".tsv" else _guess_separator(text)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows: list[list[str]] = []
    try:
        rows.extend(reader)
    except csv.Error as error:
        where = Where(name, len(rows) + 1, 1)
        raise InputError.from_single_finding(
            "PP260", where, f"this row is not {path.suffix[1:].upper()}: {error}"
        ) from None
    return rows


def _guess_separator(text: str) -> str:
    """Return the sign that gives the first row the most cells."""

    def cells(sign: str) -> int:
        try:
            return len(next(csv.reader(io.StringIO(text, newline=""), delimiter=sign), []))
        except csv.Error:
            return 0

    return max(",;\t", key=cells)


def _iter_workbook_sheets(path: Path, raw: bytes, name: SheetName) -> Iterator[Worksheet]:
    """Yield the visible sheets of an XLSX or ODS file."""
    import python_calamine as calamine  # only games that keep their cards in a workbook need it

    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
            if unpacked > _MOST_UNPACKED:
                raise _make_unreadable_error(
                    name, f"expected at most {_MOST_UNPACKED} bytes unpacked, found {unpacked}"
                )
            odd = _find_failed_formulas(archive)
        book = calamine.load_workbook(io.BytesIO(raw))
    except (calamine.CalamineError, zipfile.BadZipFile, ElementTree.ParseError, KeyError) as error:
        kind = path.suffix[1:].upper()
        raise _make_unreadable_error(
            name, f"this is no {kind} file: {error}", "save it again, without a password"
        ) from None
    for sheet in book.sheets_metadata:
        if (
            sheet.visible == calamine.SheetVisibleEnum.Visible
            and sheet.typ == calamine.SheetTypeEnum.WorkSheet
        ):
            cells = book.get_sheet_by_name(sheet.name).to_python(skip_empty_area=False)
            if sum(map(len, cells)) > LIMITS.nodes:
                raise _make_unreadable_error(
                    name, f"expected at most {LIMITS.nodes} cells, found more", "delete empty rows"
                )
            place = SheetName(f"{name}, sheet {sheet.name}")
            rows = [[_format_cell(cell) for cell in row] for row in cells]
            _mark_failed_cells(rows, odd.get(sheet.name, ()))
            yield _make_worksheet(sheet.name, place, rows)


def _make_worksheet(name: str, place: SheetName, rows: Sequence[Sequence[str]]) -> Worksheet:
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


def _format_cell(cell: object) -> str:
    """Return a cell as its author reads it."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, int):
        return str(cell)
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return AlteredCell(str(cell), "the spreadsheet has made a date of it")


_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_CALC = "{urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0}"
UNCOMPUTED = "the file has this formula without its value; open it in a spreadsheet program and save it"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


def _find_failed_formulas(archive: zipfile.ZipFile) -> dict[str, list[tuple[int, int, AlteredCell]]]:
    """Return, for each sheet of a workbook, the cells (row and column from 0) whose formula gives an error such as
    `#REF!`, or has no value in the file because no program has computed it. The reader of workbooks takes them for
    empty ones."""
    names = archive.namelist()
    if "xl/workbook.xml" in names:
        return _find_failed_formulas_in_xlsx(archive)
    return _find_failed_formulas_in_ods(archive.read("content.xml")) if "content.xml" in names else {}


def _find_failed_formulas_in_xlsx(archive: zipfile.ZipFile) -> dict[str, list[tuple[int, int, AlteredCell]]]:
    relations = ElementTree.fromstring(archive.read("xl/_rels/workbook.xml.rels"))
    targets = {each.get("Id"): str(each.get("Target")) for each in relations}
    odd: dict[str, list[tuple[int, int, AlteredCell]]] = {}
    for sheet in ElementTree.fromstring(archive.read("xl/workbook.xml")).iter(f"{_MAIN}sheet"):
        target = targets.get(sheet.get(_RELATION), "")
        raw = archive.read(target.lstrip("/") if target.startswith("/") else f"xl/{target}")
        if b't="e"' not in raw and b"<f" not in raw and b":f" not in raw:
            continue
        found = []
        for cell in ElementTree.fromstring(raw).iter(f"{_MAIN}c"):
            formula, value = cell.find(f"{_MAIN}f"), cell.findtext(f"{_MAIN}v")
            if cell.get("t") == "e":
                found.append(
                    (
                        *_parse_cell_reference(str(cell.get("r"))),
                        AlteredCell(value or "#ERROR", "the formula has no value"),
                    )
                )
            elif formula is not None and not value and cell.get("t") != "str":  # a text may be empty
                found.append(
                    (
                        *_parse_cell_reference(str(cell.get("r"))),
                        AlteredCell(f"={formula.text or '...'}", UNCOMPUTED),
                    )
                )
        odd[str(sheet.get("name"))] = found
    return odd


def _find_failed_formulas_in_ods(raw: bytes) -> dict[str, list[tuple[int, int, AlteredCell]]]:
    if b"table:formula" not in raw:
        return {}
    odd: dict[str, list[tuple[int, int, AlteredCell]]] = {}
    for sheet in ElementTree.fromstring(raw).iter(f"{_TABLE}table"):
        found = odd[str(sheet.get(f"{_TABLE}name"))] = []
        row = 0
        for cells in sheet.iter(f"{_TABLE}table-row"):
            column = 0
            for cell in cells:
                formula = cell.get(f"{_TABLE}formula")
                if formula is not None and cell.get(f"{_CALC}value-type") == "error":
                    found.append(
                        (row, column, AlteredCell("".join(cell.itertext()), "the formula has no value"))
                    )
                elif (
                    formula is not None
                    and cell.get(f"{_OFFICE}value-type") is None
                    and not "".join(cell.itertext())
                ):
                    found.append((row, column, AlteredCell(formula.partition(":")[2] or formula, UNCOMPUTED)))
                column += int(cell.get(f"{_TABLE}number-columns-repeated", "1"))
            row += int(cells.get(f"{_TABLE}number-rows-repeated", "1"))
    return odd


def _parse_cell_reference(reference: str) -> tuple[int, int]:
    """Return row and column, from 0.

    >>> _parse_cell_reference("B5"), _parse_cell_reference("AA1")
    ((4, 1), (0, 26))
    """
    letters = reference.rstrip("0123456789")
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(reference[len(letters) :]) - 1, column - 1


def _mark_failed_cells(rows: list[list[str]], odd: Sequence[tuple[int, int, AlteredCell]]) -> None:
    for row, column, cell in odd:
        rows.extend([] for _ in range(len(rows), row + 1))
        rows[row].extend("" for _ in range(len(rows[row]), column + 1))
        rows[row][column] = cell

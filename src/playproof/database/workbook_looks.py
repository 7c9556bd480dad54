"""What a workbook shows and a reader of values does not see: formats of numbers, such as `50%` for 0.5, and merged
cells. A card prints the value of a cell; where its author sees something else, a finding says so."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import NamedTuple
from xml.etree import ElementTree

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
    **dict.fromkeys((5, 6, 7, 8, 37, 38, 39, 40, 41, 42, 43, 44), "a currency"), 48: "##0.0E+0",
}  # fmt: skip
"""Formats that Excel knows by number (ECMA-376, part 1, 18.8.30), without those of dates."""
_SIMPLE = re.compile(r"(?P<thousands>#,##)?0(?:\.(?P<decimals>0+))?(?P<percent>%)?")
_DATE = re.compile(r"[ymdhs]", re.IGNORECASE)
_QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')
_STYLED_CELL = re.compile(rb'<(?:\w+:)?c [^>]*\bs="(\d+)"')


class ShownNumber(NamedTuple):
    """A number of a workbook, by row and column from 0, that its author sees in another form: the form if it can be
    told, else the format."""

    row_from_0: int
    column_from_0: int
    shown: str
    format_code: str


class MergedCells(NamedTuple):
    """Cells that are seen as one, by the first row and column and the last, from 0."""

    first_row: int
    first_column: int
    last_row: int
    last_column: int


def find_numbers_shown_differently_in_xlsx(raw_sheet: bytes, formats: Sequence[str]) -> list[ShownNumber]:
    """Return the numbers of a sheet that are seen in another form than their value's. ``formats`` are those of the
    workbook's styles; "" shows a value as it is."""
    used = {int(number) for number in _STYLED_CELL.findall(raw_sheet)}
    if not any(number < len(formats) and formats[number] for number in used):
        return []
    found = []
    for row, cells in enumerate(ElementTree.fromstring(raw_sheet).iter(f"{_MAIN}row")):
        for column, cell in enumerate(cells.iter(f"{_MAIN}c")):
            style, value = int(cell.get("s", "0")), cell.findtext(f"{_MAIN}v")
            if not value or cell.get("t", "n") != "n" or style >= len(formats) or not formats[style]:
                continue
            shown = _format_number_or_empty(value, formats[style])
            if shown != _format_plain_number(value):
                place = _parse_cell_reference(cell.get("r", "")) or (row, column)
                found.append(ShownNumber(*place, shown, formats[style]))
    return found


def read_number_formats_of_xlsx_styles(archive: zipfile.ZipFile) -> list[str]:
    """Return the format of numbers of each style of a workbook: "" for one that shows a value as it is, or a date."""
    if "xl/styles.xml" not in archive.namelist():
        return []
    root = ElementTree.fromstring(archive.read("xl/styles.xml"))
    own = {str(each.get("numFmtId")): str(each.get("formatCode")) for each in root.iter(f"{_MAIN}numFmt")}
    styles = root.find(f"{_MAIN}cellXfs")
    numbers = [str(style.get("numFmtId", "0")) for style in (styles if styles is not None else ())]
    codes = [own.get(number) or _BUILT_IN.get(int(number) if number.isdigit() else 0, "") for number in numbers]
    return ["" if code in ("General", "@") or _is_date_format(code) else code for code in codes]


def find_percents_and_amounts_of_ods(raw: bytes) -> Mapping[str, list[ShownNumber]]:
    """Return the numbers of each sheet that are seen with a sign: percentages and amounts of money."""
    if b'"percentage"' not in raw and b'"currency"' not in raw:
        return {}
    return {
        str(sheet.get(f"{_TABLE}name")): list(_iter_percents_and_amounts_of_sheet(sheet))
        for sheet in ElementTree.fromstring(raw).iter(f"{_TABLE}table")
    }


def _iter_percents_and_amounts_of_sheet(sheet: ElementTree.Element) -> Iterator[ShownNumber]:
    row = 0
    for cells in sheet.iter(f"{_TABLE}table-row"):
        column = 0
        for cell in cells:
            if cell.get(f"{_OFFICE}value-type") in ("percentage", "currency"):
                yield ShownNumber(row, column, "".join(cell.itertext()), "")
            column += int(cell.get(f"{_TABLE}number-columns-repeated", "1"))
        row += int(cells.get(f"{_TABLE}number-rows-repeated", "1"))


def _is_date_format(code: str) -> bool:
    return bool(_DATE.search(_QUOTED.sub("", code))) and "General" not in code


def _format_number_or_empty(value: str, code: str) -> str:
    """Return a number as a simple format shows it, or "" for another format.

    >>> _format_number_or_empty("0.5", "0%"), _format_number_or_empty("1234.5", "#,##0.00")
    ('50%', '1,234.50')
    """
    simple = _SIMPLE.fullmatch(code)
    if simple is None:
        return ""
    try:
        number = Decimal(value) * (100 if simple["percent"] else 1)
        rounded = number.quantize(Decimal(1).scaleb(-len(simple["decimals"] or "")), ROUND_HALF_UP)
    except InvalidOperation:
        return ""
    return f"{rounded:{',' if simple['thousands'] else ''}f}{simple['percent'] or ''}"


def _format_plain_number(value: str) -> str:
    number = float(value)
    return str(int(number)) if number.is_integer() else f"{number:.15g}"


def _parse_cell_reference(reference: str) -> tuple[int, int] | None:
    letters = reference.rstrip("0123456789")
    if not letters or letters == reference:
        return None
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return int(reference[len(letters) :]) - 1, column - 1

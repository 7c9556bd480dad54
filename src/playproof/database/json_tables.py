"""Reads decks in JSON as tables of text, as `spreadsheets.py` reads sheets: an array of objects is a table, an object a
row, a key a heading. Objects inside objects are columns with a dot: `title.fr`, `cost.gold`.

An array of texts is a table with the one heading `text`. An object at the top names several tables. Unlike `json`, this
reader keeps the line and column of every value, and refuses a key that stands twice.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from playproof.database.errors import InputError, Where
from playproof.database.source import LIMITS, decode_utf8
from playproof.database.worksheets import JsonCell, Worksheet

_BLANKS = " \t\r\n"
_DEEPEST = 40


class _JsonValue(NamedTuple):
    """A value and where it begins. Arrays hold values, objects pairs of a key and a value."""

    data: str | int | float | bool | tuple[_JsonValue, ...] | dict[str, _JsonValue] | None
    at: int


def iter_json_tables(raw: bytes, name: str, stem: str) -> Iterator[Worksheet]:
    """Yield the tables of a JSON file. Raises InputError if it is none, or holds no array of objects."""
    text = decode_utf8(raw, name)
    if len(raw) > LIMITS.bytes:
        raise InputError.from_single_finding(
            "PP260", Where(name), f"expected at most {LIMITS.bytes} bytes, found {len(raw)}"
        )
    top = _JsonParser(text, name).read_document()
    places = _PlaceFinder(text, name)
    if isinstance(top.data, tuple):
        yield _make_table(stem, top, places)
        return
    arrays = {} if not isinstance(top.data, dict) else top.data
    tables = {key: value for key, value in arrays.items() if _is_table(value)}
    if not tables:
        hint = 'as in `[{"title": "Ant", "cost": 2}, {"title": "Bee"}]`'
        raise InputError.from_single_finding(
            "PP260", places.get_place_of_value(top), "expected an array of objects, one for each card", hint
        )
    for key, value in tables.items():
        yield _make_table(key, value, places)


def _is_table(value: _JsonValue) -> bool:
    return isinstance(value.data, tuple) and any(isinstance(item.data, dict) for item in value.data)


def _make_table(name: str, array: _JsonValue, places: _PlaceFinder) -> Worksheet:
    """Return an array as a table whose headings are the keys of all its objects, in the order of the file."""
    assert isinstance(array.data, tuple)
    rows = [dict(_iter_cells(item, places)) for item in array.data]
    headings = list(dict.fromkeys(heading for row in rows for heading in row))
    where = {(0, -1): places.get_place_of_value(array)}
    table = [headings]
    for number, (item, row) in enumerate(zip(array.data, rows, strict=True), 1):
        where[number, -1] = places.get_place_of_value(item)
        for column, heading in enumerate(headings):
            if heading in row:
                where[number, column] = places.get_place_of_value(row[heading])
        table.append([_format_cell_text(row[heading]) if heading in row else "" for heading in headings])
    return Worksheet(name, places.name, table, places=where)


def _iter_cells(item: _JsonValue, places: _PlaceFinder, above: str = "") -> Iterator[tuple[str, _JsonValue]]:
    """Yield the cells of one object by their headings."""
    if isinstance(item.data, str) and not above:
        yield "text", item
        return
    if not isinstance(item.data, dict):
        raise InputError.from_single_finding(
            "PP260", places.get_place_of_value(item), "expected an object or a text for each card"
        )
    for key, value in item.data.items():
        if isinstance(value.data, dict):
            yield from _iter_cells(value, places, f"{above}{key}.")
        else:
            yield f"{above}{key}", value


def _format_cell_text(value: _JsonValue) -> str:
    if value.data is None:
        return ""
    if isinstance(value.data, str):
        return value.data
    if isinstance(value.data, bool):
        return JsonCell(str(value.data).lower(), "flag")
    if isinstance(value.data, tuple | dict):
        return JsonCell(json.dumps(_to_plain_data(value), ensure_ascii=False), "list")
    number = value.data
    whole = isinstance(number, int) or number.is_integer()
    return JsonCell(str(int(number)), "integer") if whole else JsonCell(repr(number), "number")


def _to_plain_data(value: _JsonValue) -> object:
    if isinstance(value.data, tuple):
        return [_to_plain_data(item) for item in value.data]
    if isinstance(value.data, dict):
        return {key: _to_plain_data(item) for key, item in value.data.items()}
    return value.data


class _PlaceFinder:
    """The line and column of an index into a text."""

    def __init__(self, text: str, name: str) -> None:
        self.name = name
        self._breaks = [index for index, char in enumerate(text) if char == "\n"]

    def get_place_of_value(self, value: _JsonValue) -> Where:
        return self.get_place(value.at)

    def get_place(self, index: int) -> Where:
        line = bisect_right(self._breaks, index - 1)
        start = self._breaks[line - 1] + 1 if line else 0
        return Where(self.name, line + 1, index - start + 1)


class _JsonParser:
    """Parses one text. Strings and numbers are read by Python's own decoder."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name = text, name
        self._decoder = json.JSONDecoder(parse_constant=self._refuse_constant)

    def read_document(self) -> _JsonValue:
        value, end = self._read_value(self._skip_blanks(0), 0)
        end = self._skip_blanks(end)
        if end < len(self.text):
            raise self._make_error("expected nothing behind the end", end)
        return value

    def _read_value(self, index: int, depth: int) -> tuple[_JsonValue, int]:
        if depth > _DEEPEST:
            raise self._make_error(f"expected at most {_DEEPEST} levels, found more", index)
        sign = self.text[index : index + 1]
        if sign == "[":
            return self._read_array(index, depth)
        if sign == "{":
            return self._read_object(index, depth)
        try:
            data, end = self._decoder.raw_decode(self.text, index)
        except json.JSONDecodeError as error:
            raise self._make_error(f"this is no JSON: {error.msg}", error.pos) from None
        return _JsonValue(data, index), end

    def _read_array(self, index: int, depth: int) -> tuple[_JsonValue, int]:
        items = list[_JsonValue]()
        end = self._skip_blanks(index + 1)
        while self.text[end : end + 1] != "]" or items:
            value, end = self._read_value(end, depth + 1)
            items.append(value)
            end, is_last = self._skip_comma(end, "]")
            if is_last:
                break
        return _JsonValue(tuple(items), index), end + 1

    def _read_object(self, index: int, depth: int) -> tuple[_JsonValue, int]:
        entries = dict[str, _JsonValue]()
        end = self._skip_blanks(index + 1)
        while self.text[end : end + 1] != "}" or entries:
            key, behind = self._read_value(end, depth + 1)
            if not isinstance(key.data, str):
                raise self._make_error("expected a key in double quotes", end)
            if key.data in entries:
                raise self._make_error(f'the key "{key.data}" stands twice in this object', end)
            end = self._skip_blanks(behind)
            if self.text[end : end + 1] != ":":
                raise self._make_error("expected a colon behind the key", end)
            entries[key.data], end = self._read_value(self._skip_blanks(end + 1), depth + 1)
            end, is_last = self._skip_comma(end, "}")
            if is_last:
                break
        return _JsonValue(entries, index), end + 1

    def _skip_comma(self, index: int, close: str) -> tuple[int, bool]:
        """Return the index of the next item, or of the closing bracket and True."""
        index = self._skip_blanks(index)
        sign = self.text[index : index + 1]
        if sign == close:
            return index, True
        if sign != ",":
            raise self._make_error(f"expected a comma or `{close}`", index)
        return self._skip_blanks(index + 1), False

    def _skip_blanks(self, index: int) -> int:
        while index < len(self.text) and self.text[index] in _BLANKS:
            index += 1
        return index

    def _refuse_constant(self, word: str) -> object:
        raise InputError.from_single_finding("PP260", Where(self.name), f"{word} is no JSON")

    def _make_error(self, message: str, index: int) -> InputError:
        return InputError.from_single_finding(
            "PP260", _PlaceFinder(self.text, self.name).get_place(index), message
        )

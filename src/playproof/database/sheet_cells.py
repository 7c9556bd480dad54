"""What stands in one cell of a spreadsheet: the words that YAML takes, without the signs that only YAML needs.

    title.fr        Le vieux puits                  text as it is
    cost            gold: 1, food: 2                amounts and other mappings, without braces
    effects         gain: {coin: 3}; lose: {light: 2}
    plays           expedition; combat              a list of words
    options.A       do: [{gain: {food: 1}}], to: future
    fast            yes, no, x

Whatever begins with `[` or `{` is read as YAML writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple, get_args

from playproof.database.components import SourceKind
from playproof.database.errors import InputError, Where
from playproof.database.field_types import Fields, FieldSpec
from playproof.database.source import YamlData, YamlEntry, YamlNode, parse_yaml
from playproof.database.vocabulary import Vocabulary

_WHOLE = re.compile(r"[-+]?(0|[1-9]\d{0,17})\Z")
_DECIMAL = re.compile(r"[-+]?\d{1,18}[.,]\d{1,18}\Z")
_FLAGS = {"true": True, "yes": True, "x": True, "false": False, "no": False}
_BARE = re.compile(r"[^\W\d_](?:[\w./' -]*[\w.])?\Z")
_RESERVED = frozenset(("true", "false", "null", "yes", "no", "~"))
_MAPPINGS = ("amounts", "map", "record", "options", "option")
WORDS = ("text", "words", "choice", "term", "icon", "image", "reference")
ID = "id"


class ColumnProperty(NamedTuple):
    """What a column may hold: the path of a value in a component, and its type. The type `option` is one lettered
    option."""

    path: tuple[str, ...]
    type: str
    of: FieldSpec | None = None


class CellError(ValueError):
    """A cell that does not read as its property; the message says what was expected."""


def get_column_properties(vocabulary: Vocabulary, kind: str) -> dict[str, ColumnProperty]:
    """Return every column that a sheet of this kind may have, by its name as `title.en`."""
    text = FieldSpec(type="text")
    rules = FieldSpec(type="list", of=text)
    columns = [
        ColumnProperty(("count",), "integer"),
        ColumnProperty(("source",), "text"),
        ColumnProperty(("rules",), "list", rules.of),
    ]
    columns += [ColumnProperty(("source", word), "text") for word in get_args(SourceKind)]
    columns += _iter_properties_below((), vocabulary.kinds[kind].fields, vocabulary)
    return {".".join(column.path): column for column in columns}


def _iter_properties_below(
    path: tuple[str, ...], fields: Fields, vocabulary: Vocabulary
) -> Iterable[ColumnProperty]:
    for name, spec in fields.items():
        here = (*path, name)
        yield ColumnProperty(here, spec.type, spec.of)
        if spec.type == "words":
            yield from (ColumnProperty((*here, language), "text") for language in vocabulary.languages)
        elif spec.type == "options":
            yield from (
                ColumnProperty((*here, letter), "option") for letter in vocabulary.spec.options.letters
            )
        elif spec.type == "amounts":
            yield from (
                ColumnProperty((*here, term), "integer") for term in vocabulary.group(spec.group or "")
            )
        elif spec.type == "record":
            yield from _iter_properties_below(here, spec.fields or {}, vocabulary)


def parse_cell(text: str, column: ColumnProperty, separator: str) -> YamlData:
    """Return the value that a cell's text means. Raises CellError."""
    if column.type in WORDS:
        return text
    if column.type == "integer":
        return int(text) if _WHOLE.match(text) else text  # the schema says what was expected
    if column.type == "number":
        if _WHOLE.match(text):
            return int(text)
        return float(text.replace(",", ".")) if _DECIMAL.match(text) else text
    if column.type == "flag":
        return _FLAGS.get(text.casefold(), text)
    if column.type in _MAPPINGS:
        return _parse_yaml(text if text.startswith("{") else f"{{{text}}}")
    if column.type not in ("effects", "list"):
        return _parse_yaml(text)
    if text.startswith("["):
        return _parse_yaml(text)
    items = split_outside_brackets(text, separator)
    if column.type == "effects":
        return [_parse_yaml(item if item.startswith("{") else f"{{{item}}}") for item in items]
    inner = ColumnProperty((), column.of.type if column.of else "any", column.of.of if column.of else None)
    return [parse_cell(item, inner, separator) for item in items]


def _parse_yaml(text: str) -> YamlData:
    try:
        return parse_yaml(text).data
    except InputError as error:
        message = error.findings[0].message.removeprefix("this is not YAML: ")
        raise CellError(f"expected the words that YAML takes, found `{text}`: {message}") from None


def split_outside_brackets(text: str, separator: str) -> list[str]:
    """Return the parts between separators that stand in no brackets and no quotes.

    >>> split_outside_brackets('gain: {food: 1}; say: "a; b"', ";")
    ['gain: {food: 1}', 'say: "a; b"']
    """
    parts, depth, quote, start = list[str](), 0, "", 0
    for index, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign == '"' and (depth or not text[start:index].strip() or text[:index].rstrip()[-1:] in ":,"):
            quote = sign
        elif sign in "[{":
            depth += 1
        elif sign in "]}":
            depth -= 1
        elif not depth and (text.startswith(separator, index) or sign == "\n"):
            parts.append(text[start:index])
            start = index + (1 if sign == "\n" else len(separator))
    return [part.strip() for part in (*parts, text[start:]) if part.strip()]


def format_cell(data: YamlData, column: ColumnProperty, separator: str) -> str:
    """Return the cell that `parse_cell` reads as this value; the signs that YAML needs around it are left out where
    what remains still means the same."""
    for text in (_format_plain(data, column, separator), format_flow_yaml(data)):
        try:
            if text is not None and text.strip() == text and parse_cell(text, column, separator) == data:
                return text
        except CellError:
            continue
    raise CellError(f"a cell cannot hold {format_flow_yaml(data)}")


def _format_plain(data: YamlData, column: ColumnProperty, separator: str) -> str | None:
    if isinstance(data, bool):
        return "yes" if data else "no"
    if isinstance(data, str | int | float):
        return str(data) if column.type != "any" else None
    if isinstance(data, dict):
        return format_flow_yaml(data)[1:-1] if data and column.type in _MAPPINGS else None
    if not isinstance(data, list) or not data:
        return None
    if column.type == "effects":
        return f"{separator} ".join(
            format_flow_yaml(item)[1:-1] if isinstance(item, dict) else format_flow_yaml(item)
            for item in data
        )
    if all(isinstance(item, str | int) for item in data):
        return f"{separator} ".join(map(str, data))
    return None


def format_flow_yaml(data: YamlData) -> str:
    """Return a value as YAML writes it on one line.

    >>> format_flow_yaml({"gain": {"food": 1}, "to": "a: b"})
    '{gain: {food: 1}, to: "a: b"}'
    """
    if isinstance(data, Mapping):
        return (
            "{"
            + ", ".join(
                f"{format_yaml_scalar(key, key=True)}: {format_flow_yaml(value)}"
                for key, value in data.items()
            )
            + "}"
        )
    if isinstance(data, list):
        return "[" + ", ".join(map(format_flow_yaml, data)) + "]"
    return format_yaml_scalar(data)


def format_yaml_scalar(data: YamlData, *, key: bool = False) -> str:
    """Return a text, number, flag or nothing as YAML. A text is quoted if it could mean something else."""
    if data is None:
        return "null"
    if not isinstance(data, str):
        return str(data).lower()
    if _BARE.match(data) and data.casefold() not in _RESERVED:
        return data
    if key and _WHOLE.match(data) is None and re.fullmatch(r"[\w-]+", data):
        return data
    return quote_text(data)


def quote_text(text: str) -> str:
    """Return a text in double quotes, as YAML reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t")
    return f'"{escaped}"'


def node_from_data(data: YamlData, where: Where) -> YamlNode:
    """Return a value as a node, all parts of which have one place."""
    if isinstance(data, dict):
        entries = {key: YamlEntry(key, where, node_from_data(value, where)) for key, value in data.items()}
        return YamlNode(entries, where)
    if isinstance(data, list):
        return YamlNode(tuple(node_from_data(item, where) for item in data), where)
    return YamlNode(data, where)

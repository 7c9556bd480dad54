"""Cards from a spreadsheet, in place of a YAML file: a row is a card, a column one of its properties.

`game.yaml` says which sheet holds which kind, and what its headings mean. Without a vocabulary.yaml each heading is a
property of its kind, and without `sheets` in game.yaml each sheet of the folder is a kind: that is enough to print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field

from playproof.database.errors import Collector, InputError, Where, did_you_mean, short_path
from playproof.database.field_types import Strict
from playproof.database.sheet_cells import ID, CellError, data_of, node_of, properties_of
from playproof.database.source import Data, Entry, Node
from playproof.database.spreadsheets import (
    SUFFIXES,
    UNCOMPUTED,
    Odd,
    Worksheet,
    is_spreadsheet,
    read_tables,
    table_of,
    title_of,
)
from playproof.database.vocabulary import Vocabulary

NOTE = "#"
"""A heading that begins so is of a column for notes."""
_COUNTS = ("count", "copies", "quantity", "qty", "anzahl", "exemplaires")
_EVERYWHERE = ("count", "source", "rules")
"""Properties that every component may have."""
_LANGUAGE = re.compile(r"(.+?)\s*[.(]\s*([a-z]{2}(?:-[A-Z]{2})?)\s*\)?\Z")


def _forward(path: str) -> str:
    """Return a path as every system reads it, if it is written as Windows does."""
    return path.replace("\\", "/")


class SheetSpec(Strict):
    """A spreadsheet whose rows are the cards of one kind. Each column holds the property that its heading names, or
    that `columns` gives it; a blank cell leaves the property to `defaults`."""

    file: Annotated[str, AfterValidator(_forward)] = Field(
        description="a CSV, TSV, XLSX or ODS file in the game's folder"
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


def spec_nodes(game: Node) -> tuple[Node, ...]:
    """Return the entries of `sheets` in game.yaml."""
    declared = game.get("sheets")
    return declared.items if declared else ()


def card_nodes(
    specs: Sequence[SheetSpec], game: Node, folder: Path, vocabulary: Vocabulary, collector: Collector
) -> dict[str, Node]:
    """Return what each sheet holds, as the node of a YAML file with `kind`, `defaults` and `components` would be; by
    a name that no YAML file has. Note what is wrong."""
    nodes = dict[str, Node]()
    for number, (spec, node) in enumerate(zip(specs, spec_nodes(game), strict=True)):
        kind = node.at(["kind"])
        if spec.kind not in vocabulary.kinds:
            message = f"there is no kind {kind.kind} in the vocabulary"
            collector.add("PP206", kind.where, message, did_you_mean(spec.kind, vocabulary.kinds))
            continue
        try:
            table = table_of(_file(folder, spec, node), spec.sheet, node.where)
            components = _Reader(table, spec, node, vocabulary, collector).components()
            if not any(map(any, table.rows[1:])):
                collector.add("PP265", table.where(0, 0), "below the headings there is no card")
        except InputError as error:
            collector.extend(error.findings)
            continue
        entries = {"kind": kind, "components": components}
        if node.get("defaults"):
            entries["defaults"] = node.at(["defaults"])
        places = {key: Entry(key, node.where, value) for key, value in entries.items()}
        nodes[f"sheets/{number}"] = Node(places, node.where)
    return nodes


def table_nodes(table: Worksheet, spec: SheetSpec, vocabulary: Vocabulary, collector: Collector) -> Node:
    """Return the components that one table holds. Raises InputError if it has no column that names them."""
    return _Reader(table, spec, Node(None, table.where(0, 0)), vocabulary, collector).components()


def _file(folder: Path, spec: SheetSpec, node: Node) -> Path:
    """Return the file of a sheet. Raises InputError if it is outside the folder, or has yet to be fetched."""
    path, where = folder / spec.file, node.at(["file"]).where
    if not path.resolve().is_relative_to(folder.resolve()):
        message = f"expected a file inside the game's folder, found {spec.file}"
        raise InputError.of("PP260", where, message)
    if not path.is_file() and spec.url:
        message = f"{spec.file} has not been fetched"
        raise InputError.of("PP264", where, message, f"`playproof sheet fetch {short_path(folder)}`")
    if not path.is_file():
        others = [each.name for each in folder.iterdir() if is_spreadsheet(each)]
        message = f"there is no file {spec.file} in this folder"
        raise InputError.of("PP260", where, message, did_you_mean(spec.file, others))
    return path


def plain(heading: str) -> str:
    """Return a heading so that `Title (fr)`, `title.fr` and `TITLE_FR` are one.

    >>> plain("Title (fr)"), plain("title.fr")
    ('title fr', 'title fr')
    """
    return " ".join(re.findall(r"[^\W_]+", heading.casefold()))


class _Reader:
    """Reads one table as components."""

    def __init__(
        self, table: Worksheet, spec: SheetSpec, node: Node, vocabulary: Vocabulary, collector: Collector
    ) -> None:
        self.table, self.spec, self.node, self.collector = table, spec, node, collector
        self.properties, self.languages = properties_of(vocabulary, spec.kind), vocabulary.languages
        numbers = self._columns()
        self.columns = {number: self.properties[name] for name, number in numbers.items() if name != ID}
        titles = [number for name, number in numbers.items() if name.split(".")[0] in ("title", "name")]
        if ID not in numbers and not titles:
            headings = [heading.strip() for row in table.rows[:1] for heading in row if heading.strip()]
            listed = ", ".join(headings[:8]) or "an empty sheet"
            message = f"expected a heading `{ID}`, `title` or `name`, found {listed}"
            raise InputError.of(
                "PP261", table.where(0, 0), message, "the first row that is filled holds the headings"
            )
        self.is_made = ID not in numbers  # a card's id is then made from its title
        self.names_row = numbers.get(ID, *titles[:1])

    def components(self) -> Node:
        """Return the components by id, in the order of the rows."""
        entries = dict[str, Entry]()
        for row, ident in self._ids():
            where = self.table.where(row, self.names_row)
            if ident in entries:
                message = f'two rows have the id "{ident}"'
                self.collector.add("PP209", where, message, f"the other is at {entries[ident].key_where}")
                continue
            entries[ident] = Entry(ident, where, self._component(row, where))
        return Node(entries, self.table.where(0, 0))

    def _columns(self) -> dict[str, int]:
        """Return the number of each property's column, the id's too. Note headings that name none."""
        headings = self.table.rows[0] if self.table.rows else []
        self._check_mapping(headings)
        by_name = dict.fromkeys(_COUNTS, "count") | {plain(name): name for name in (ID, *self.properties)}
        mapped = {plain(heading): name for heading, name in self.spec.columns.items()}
        numbers = dict[str, int]()
        for number, heading in enumerate(headings):
            if not heading.strip() or heading.startswith(NOTE):
                continue
            key, where = plain(heading), self.table.where(0, number)
            name = mapped[key] if key in mapped else by_name.get(key)
            if name is None and key not in mapped:
                hint = did_you_mean(heading, (ID, *self.properties))
                more = f"; or map it under `columns`, or begin it with {NOTE} if it is a note"
                message = f'the heading "{heading}" names no property of a {self.spec.kind}'
                self.collector.add("PP261", where, message, hint + more)
            elif name in numbers:
                message = f'two columns are {name}: "{headings[numbers[name]]}" and "{heading}"'
                self.collector.add("PP261", where, message)
            elif name == ID or name in self.properties:
                numbers[name] = number
        return {self._in_language(name, numbers): number for name, number in numbers.items()}

    def _in_language(self, name: str, numbers: Mapping[str, int]) -> str:
        """Return a text's property in the main language, if another column has it in a language of its own."""
        main = f"{name}.{self.languages[0]}"
        others = [other for other in numbers if other.startswith(f"{name}.")]
        is_text = name in self.properties and self.properties[name].type == "words"
        return main if is_text and others and main not in numbers else name

    def _check_mapping(self, headings: Sequence[str]) -> None:
        """Note entries of `columns` that name no heading of the sheet, or no property."""
        present = {plain(heading) for heading in headings}
        for heading, name in self.spec.columns.items():
            if plain(heading) not in present:
                message = f'there is no heading "{heading}" in {self.table.place}'
                place = self.node.key_where(["columns", heading])
                self.collector.add("PP261", place, message, did_you_mean(heading, headings))
            if name is not None and name != ID and name not in self.properties:
                message = f'a {self.spec.kind} has no property "{name}"'
                place = self.node.at(["columns", heading]).where
                hint = did_you_mean(name, (ID, *self.properties))
                more = f"; or declare it in vocabulary.yaml under `fields` of {self.spec.kind}"
                self.collector.add("PP261", place, message, hint + more)

    def _ids(self) -> Iterator[tuple[int, str]]:
        """Yield each row with its id. Note rows that have none, if anything is written there."""
        for number, row in enumerate(self.table.rows[1:], 1):
            if not any(self._cell(row, each) for each in (self.names_row, *self.columns)):
                continue
            named = self._cell(row, self.names_row)
            ident = slug(named) if self.is_made else named
            if ident:
                yield number, ident
            else:
                where = self.table.where(number, self.names_row)
                hint = "every card needs one, and keeps it; of merged cells only the first has the text"
                self.collector.add("PP265", where, "this row has no id", hint)

    def _cell(self, row: Sequence[str], column: int) -> str:
        return row[column].strip() if 0 <= column < len(row) else ""

    def _component(self, row: int, where: Where) -> Node:
        """Return one row as a component. A blank cell is left out."""
        component: dict[str, Any] = {}
        surplus = len(self.table.rows[0])
        if any(self.table.rows[row][surplus:]):  # in a workbook all rows are as long as the longest
            message = f"this row has more cells than the {surplus} headings"
            hint = "a text with a separator in it stands in double quotes"
            self.collector.add("PP261", self.table.where(row, surplus), message, hint)
        for column, name in self.columns.items():
            if not self._cell(self.table.rows[row], column):
                continue
            place = self.table.where(row, column)
            cell = self.table.rows[row][column]
            if isinstance(cell, Odd):
                message = (
                    f'`{".".join(name.path)}`: expected what its author wrote, found "{cell}": {cell.why}'
                )
                hint = "" if cell.why == UNCOMPUTED else "format the cell as text, and write it again"
                self.collector.add("PP262", place, message, hint)
                continue
            try:
                data = data_of(cell.strip(), name, self.spec.separator)
            except CellError as error:
                self.collector.add("PP262", place, f"`{'.'.join(name.path)}`: {error}")
                continue
            self._put(component, name.path, node_of(data, place))
        return _nodes(component, where)

    def _put(self, component: dict[str, Any], path: Sequence[str], value: Node) -> None:
        """Put a value at its path. Two columns that fill one place are a mistake."""
        *above, last = path
        for key in above:
            component = component.setdefault(key, {})
            if isinstance(component, Node):
                message = f"`{'.'.join(path)}`: `{key}` has a cell of its own in this row"
                self.collector.add("PP261", value.where, message, "clear one of the two")
                return
        if last in component:
            message = f"`{'.'.join(path)}`: this row has cells for parts of it too"
            self.collector.add("PP261", value.where, message, "clear one of the two")
        else:
            component[last] = value


def _nodes(tree: dict[str, Any] | Node, where: Where) -> Node:
    """Return nested columns as one node."""
    if isinstance(tree, Node):
        return tree
    children = {key: _nodes(value, where) for key, value in tree.items()}
    return Node({key: Entry(key, child.where, child) for key, child in children.items()}, where)


def slug(title: str) -> str:
    """Return an id made from a title: it stays the same when rows move.

    >>> slug("The Old Well!")
    'the-old-well'
    """
    return "-".join(re.findall(r"[^\W_]+", title.casefold()))


def bare_game(folder: Path, game: Node) -> tuple[dict[str, Data], dict[str, Data]] | None:
    """Return what game.yaml and vocabulary.yaml would say of a folder that has spreadsheets and no vocabulary.yaml, or
    None if it has none. If `game`, which is game.yaml, declares sheets, these are all there are. Raises InputError if
    one cannot be read."""
    languages, kinds = dict[str, None](), dict[str, dict[str, Data]]()
    if game.get("sheets"):
        sheets: list[Data] = []  # those that game.yaml declares, as it declares them
        for node in spec_nodes(game):
            _declare(folder, node, kinds, languages)
    else:
        sheets = [*_all_sheets(folder, kinds, languages)]
    if not kinds:
        return None
    for declared in kinds.values():
        declared["name"] = dict.fromkeys(languages or ("en",), declared["name"])
    facts: dict[str, Data] = {
        "title": folder.resolve().name.replace("_", " ").replace("-", " ").title(),
        "players": {"min": 1, "max": 8},
        "languages": [*languages] or ["en"],
        "source": "mine",
        "sheets": sheets,
    }
    return facts, {"terms": {}, "kinds": {**kinds}}


def _all_sheets(
    folder: Path, kinds: dict[str, dict[str, Data]], languages: dict[str, None]
) -> Iterator[dict[str, Data]]:
    """Yield an entry of `sheets` for each table of a folder, and declare its kind."""
    for path in sorted(path for path in folder.iterdir() if is_spreadsheet(path)) if folder.is_dir() else ():
        tables = read_tables(path)
        tables = tuple(filter(_names_cards, tables)) or tables  # a sheet of ideas beside the cards is no kind
        for table in tables:
            title = title_of(table, path, len(tables) == 1)
            kind = slug(title).removesuffix("s") if slug(title) not in kinds else slug(f"{path.stem} {title}")
            columns, fields = _inferred(table, {}, languages)
            kinds[kind] = {"name": title, "fields": fields}
            sheet: dict[str, Data] = {"file": path.name, "sheet": table.name, "kind": kind}
            yield {**sheet, "columns": columns, "defaults": {"source": "mine"}}


def _declare(folder: Path, node: Node, kinds: dict[str, dict[str, Data]], languages: dict[str, None]) -> None:
    """Declare the kind of an entry of `sheets`, unless a mistake in it, which its check reports, hides its table."""
    data = node.data if isinstance(node.data, dict) else {}
    kind, mapped, defaults = data.get("kind"), data.get("columns"), data.get("defaults")
    if not isinstance(kind, str):
        return
    fields = kinds.setdefault(kind, {"name": kind, "fields": {}})["fields"]
    assert isinstance(fields, dict)
    for name in defaults if isinstance(defaults, dict) else ():
        if name not in _EVERYWHERE:
            fields.setdefault(name, {"type": "text", "required": False})
    with suppress(InputError):
        file, sheet = data.get("file"), data.get("sheet")
        table = table_of(folder / _forward(str(file)), sheet if isinstance(sheet, str) else None, node.where)
        fields |= _inferred(table, mapped if isinstance(mapped, dict) else {}, languages)[1]


def _names_cards(table: Worksheet) -> bool:
    """Return whether a sheet has a column of ids or titles."""
    headings = [plain(heading).split(" ")[0] for row in table.rows[:1] for heading in row if heading.strip()]
    return not {ID, "title", "name"}.isdisjoint(headings)


def _inferred(
    table: Worksheet, mapped: Mapping[str, Data], languages: dict[str, None]
) -> tuple[dict[str, Data], dict[str, Data]]:
    """Return the property that each heading names, or is `mapped` to, and the type of each property as its cells have
    it."""
    columns, fields = dict[str, Data](), dict[str, Data]()
    of_heading = {plain(heading): name for heading, name in mapped.items()}
    headings = [
        str(of_heading.get(plain(heading), heading) or NOTE) for row in table.rows[:1] for heading in row
    ]
    filled = [row for row in table.rows[1:] if any(row)]
    for number, heading in enumerate(headings):
        name = re.sub(r"\W+", "_", heading.casefold()).strip("_")
        if not name or heading.startswith(NOTE):
            continue
        language = _LANGUAGE.match(heading)
        cells = [row[number].strip() for row in filled if number < len(row) and row[number].strip()]
        if language is not None:
            base = re.sub(r"\W+", "_", language[1].casefold()).strip("_")
            if any(plain(other) == plain(language[1]) for other in headings):
                languages.setdefault("en")  # the same text without a language is in the main one
            languages.setdefault(language[2])
            columns[heading], fields[base] = f"{base}.{language[2]}", {"type": "words", "required": False}
        elif name in (ID, *_COUNTS):
            columns[heading] = ID if name == ID else "count"
        elif name in _EVERYWHERE and mapped:
            columns[heading] = name
        else:
            whole = bool(cells) and all(re.fullmatch(r"[-+]?(0|[1-9]\d*)", cell) for cell in cells)
            kind = "words" if name in ("title", "name") else "integer" if whole else "text"
            columns[heading] = name
            fields.setdefault(name, {"type": kind, "required": False})
    return columns, fields


__all__ = ["NOTE", "SUFFIXES", "SheetSpec", "bare_game", "card_nodes", "plain", "slug"]

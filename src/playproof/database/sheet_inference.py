"""What game.yaml and vocabulary.yaml would say of a folder that has spreadsheets and no vocabulary.yaml.

Without a vocabulary.yaml each heading is a property of its kind, whatever it is called, and without `sheets` in
game.yaml each sheet of the folder is a kind: that is enough to print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from playproof.database.errors import InputError, column_letters
from playproof.database.sheet_headings import (
    ID,
    NAMES,
    NOTE,
    is_note_heading,
    list_headings,
    make_id_from_title,
    make_property_name,
    normalize_heading,
    split_words,
)
from playproof.database.sheet_source import COUNTS, OfRow, get_sheet_nodes, use_forward_slashes
from playproof.database.source import YamlData, YamlNode
from playproof.database.spreadsheets import find_table, get_table_title, is_spreadsheet, read_tables
from playproof.database.worksheets import JsonCell, Worksheet

_LANGUAGE = re.compile(r"(.+?)\s*[.(]\s*([a-z]{2})(-[A-Z]{2})?\s*\)?\Z")
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


def infer_game_files(
    folder: Path, game: YamlNode, of_file: OfRow | None = None
) -> tuple[dict[str, YamlData], dict[str, YamlData]] | None:
    """Return what game.yaml and vocabulary.yaml would say of a folder that has spreadsheets and no vocabulary.yaml, or
    None if it has none. If `game`, which is game.yaml, declares sheets, these are all there are. Raises InputError if
    one cannot be read, unless `of_file` hears of it."""
    languages, kinds = dict[str, None](), dict[str, dict[str, YamlData]]()
    if game.get("sheets"):
        sheets: list[YamlData] = []  # those that game.yaml declares, as it declares them
        for node in get_sheet_nodes(game):
            _declare_kind(folder, node, kinds, languages)
    else:
        sheets = [*_iter_sheets(folder, kinds, languages, of_file)]
    if not kinds:
        return None
    for declared in kinds.values():
        declared["name"] = dict.fromkeys(languages or ("en",), declared["name"])
    facts: dict[str, YamlData] = {
        "title": folder.resolve().name.replace("_", " ").replace("-", " ").title(),
        "players": {"min": 1, "max": 8},
        "languages": [*languages] or ["en"],
        "source": "mine",
        "sheets": sheets,
    }
    return facts, {"terms": {}, "kinds": {**kinds}}


def _iter_sheets(
    folder: Path,
    kinds: dict[str, dict[str, YamlData]],
    languages: dict[str, None],
    of_file: OfRow | None,
) -> Iterator[dict[str, YamlData]]:
    """Yield an entry of `sheets` for each table of a folder, and declare its kind."""
    for path in sorted(path for path in folder.iterdir() if is_spreadsheet(path)) if folder.is_dir() else ():
        try:
            tables = read_tables(path)
        except InputError as error:
            if of_file is None:
                raise
            of_file(path.name, "", error.findings)
            continue
        filled = tuple(table for table in tables if any(map(any, table.rows)))  # Excel adds empty ones
        tables = filled or tables
        # a sheet of ideas beside the cards is no kind
        tables = tuple(filter(_has_name_column, tables)) or tables
        for table in tables:
            title = get_table_title(table, path, len(tables) == 1)
            kind = (
                make_id_from_title(title).removesuffix("s")
                if make_id_from_title(title) not in kinds
                else make_id_from_title(f"{path.stem} {title}")
            )
            columns, fields = _infer_columns(table, {}, languages)
            defaults: dict[str, YamlData] = {} if "source" in fields else {"source": "mine"}
            kinds[kind] = {"name": title, "fields": fields}
            sheet: dict[str, YamlData] = {"file": path.name, "sheet": table.name, "kind": kind}
            yield {**sheet, "columns": columns, "defaults": defaults}


def _declare_kind(
    folder: Path, node: YamlNode, kinds: dict[str, dict[str, YamlData]], languages: dict[str, None]
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
        table = find_table(
            folder / use_forward_slashes(str(file)), sheet if isinstance(sheet, str) else None, node.where
        )
        declared = [*defaults] if isinstance(defaults, dict) else []
        fields |= _infer_columns(table, mapped if isinstance(mapped, dict) else {}, languages, declared)[1]


def _has_name_column(table: Worksheet) -> bool:
    """Return whether a sheet has a column of ids or titles."""
    headings = [
        normalize_heading(heading).split(" ")[0]
        for row in table.rows[:1]
        for heading in row
        if heading.strip()
    ]
    return not {ID, *NAMES}.isdisjoint(headings)


def _infer_columns(
    table: Worksheet, mapped: Mapping[str, YamlData], languages: dict[str, None], declared: Sequence[str] = ()
) -> tuple[dict[str, YamlData], dict[str, YamlData]]:
    """Return the property that each heading names, or is `mapped` to, and the type of each property as its cells have
    it. A heading `source` is where facts come from if `declared` defaults say so, and else a text as any other."""
    columns, fields = dict[str, YamlData](), dict[str, YamlData]()
    of_heading = {normalize_heading(heading): name for heading, name in mapped.items()}
    headings = list_headings(table)
    filled = [row for row in table.rows[1:] if any(row)]
    for number, heading in enumerate(headings):
        if not heading or is_note_heading(heading):
            continue
        is_mapped = normalize_heading(heading) in of_heading
        meant = str(of_heading[normalize_heading(heading)] or NOTE) if is_mapped else heading
        if is_note_heading(meant):
            continue
        name = (
            meant if is_mapped else make_property_name(meant)
        ) or f"column_{column_letters(number + 1).lower()}"
        cells = [row[number] for row in filled if number < len(row) and row[number].strip()]
        parts = _parse_language_heading(meant)
        if parts is not None:
            base = make_property_name(parts[0])
            if any(normalize_heading(other) == normalize_heading(parts[0]) for other in headings):
                languages.setdefault("en")  # the same text without a language is in the main one
            languages.setdefault(parts[1])
            columns[heading], fields[base] = f"{base}.{parts[1]}", {"type": "words", "required": False}
        elif name == ID or (name in COUNTS and "count" not in columns.values()):
            columns[heading] = ID if name == ID else "count"
        elif (is_mapped or name in declared) and name.split(".")[0] in _COMMON:
            columns[heading] = name
        else:
            columns[heading] = name
            fields.setdefault(name, _infer_type(name, cells))
            if name in NAMES:
                languages.setdefault("en")  # a title without a language is English
    return columns, fields


def _parse_language_heading(heading: str) -> tuple[str, str] | None:
    """Return the text and the language that a heading such as `Title (fr)` or `title.pt-BR` names."""
    match = _LANGUAGE.match(heading)
    if match is None or match[2] not in _LANGUAGES or not split_words(match[1]):
        return None
    return match[1], match[2] + (match[3] or "")


def _infer_type(name: str, cells: Sequence[str]) -> YamlData:
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

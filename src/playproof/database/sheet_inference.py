"""What game.yaml and vocabulary.yaml would say of a folder that has spreadsheets and declares nothing, and which sheets
hold cards.

Without a vocabulary.yaml each heading is a property of its kind, whatever it is called, and without `sheets` in
game.yaml each sheet of the folder is a kind: that is enough to print."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from playproof.database.errors import Finding, InputError, format_spreadsheet_column_letters
from playproof.database.sheet_cells import (
    COUNTS,
    ID_WORD,
    NAMES,
    NOTE,
    find_index_of_copies_column,
    is_heading_marked_as_note,
    is_heading_of_card_texts,
    is_heading_of_card_titles,
    is_note_sheet_name,
    list_distinct_column_headings,
    make_id_from_title,
    make_property_name_from_heading,
    make_singular_of_kind_id,
    normalize_heading,
    split_into_casefolded_words,
)
from playproof.database.sheet_notes import (
    is_sheet_name_of_removed_cards,
    is_sheet_name_of_statistics,
    is_table_of_statistics,
)
from playproof.database.sheet_source import (
    OfRow,
    SheetSpec,
    get_declared_sheet_nodes,
    guess_column_of_card_names,
    use_forward_slashes,
)
from playproof.database.source import YamlData, YamlNode, read_yaml_file
from playproof.database.spreadsheets import (
    JsonCell,
    Worksheet,
    choose_title_of_worksheet,
    is_spreadsheet,
    read_visible_worksheets,
    require_named_or_only_worksheet,
)

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

    def add_language_if_new(self, language: str) -> None:
        """Have one more."""
        if language not in self.found:
            self.found.append(language)

    def add_and_get_main_language(self) -> str:
        """Have the language of texts that name none, and return it."""
        self.add_language_if_new(self.main)
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
        of_cards = select_card_worksheets_or_all(tables)
        for table in of_cards:
            title = choose_title_of_worksheet(table, path, len(of_cards) == 1)
            kind = _choose_free_kind_of_worksheet(folder, path, title, kinds)
            columns, fields = _infer_columns_and_add_languages(table, {}, languages)
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
    found = guess_column_of_card_names(table, headings, columns)
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
        table = require_named_or_only_worksheet(
            folder / use_forward_slashes(str(file)), sheet if isinstance(sheet, str) else None, node.where
        )
        declared = [*defaults] if isinstance(defaults, dict) else []
        fields |= _infer_columns_and_add_languages(
            table, mapped if isinstance(mapped, dict) else {}, languages, declared
        ).type_by_property


def select_card_worksheets_or_all(tables: Sequence[Worksheet]) -> Sequence[Worksheet]:
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


def _infer_columns_and_add_languages(
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
                languages.add_and_get_main_language()  # the same text without a language is in the main one
            languages.add_language_if_new(parts[1])
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
                main = languages.add_and_get_main_language()
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

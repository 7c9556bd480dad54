"""Cards in spreadsheets: as their source, and to and fro between a sheet and the YAML files."""

from __future__ import annotations

import csv
import http.server
import io
import shutil
import threading
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import xlsxwriter

from playproof.database.errors import FindingCollector, InputError, Where, merge_findings_differing_in_subject
from playproof.database.game import CARDS, load_game
from playproof.database.lint import lint
from playproof.database.sheet_cells import yaml_node_from_data_at_one_place
from playproof.database.sheet_exchange import (
    _rewrite_components_of_yaml_or_raise,
    download_published_sheets_into_game,
    encode_sheet_files_by_name,
    list_component_yaml_files,
    make_changed_yaml_files_from_sheets,
    make_csv_address_if_google_sheet,
    make_sheets_of_unpatched_game,
    read_worksheets_of_file_or_folder,
    write_all_files_or_none,
)
from playproof.database.source import read_yaml_file
from playproof.database.spreadsheets import read_visible_worksheets

Rows = Sequence[Sequence[object]]
GAMES = ("eila", "eurydice", "olith", "opale")
GAME = """\
title: Wells
players: {min: 1, max: 2}
languages: [en, fr]
sheets:
  - file: FILE
    kind: well
    columns: {Nr: id, Nom: title.fr, Notes: null}
    defaults: {source: mine, depth: 1}
"""
VOCABULARY = """\
terms:
  goods:
    coin: {name: {en: Coin, fr: Piece}, icon: gold}
    light: {name: {en: Light, fr: Lampe}, icon: lantern}
effects:
  gain: {args: {amounts: {type: amounts, group: goods}}, each: amounts, text: "+{n} {term}"}
  say: {args: {words: {type: text}}, text: "{words}"}
kinds:
  well:
    name: {en: Well, fr: Puits}
    fields:
      title: words
      depth: integer
      fast: {type: flag, required: false}
      cost: {type: amounts, group: goods, required: false}
      plays: {type: list, of: {type: choice, choices: [day, night]}, required: false}
      effects: effects
"""
HEAD = ["Nr", "Title", "Nom", "depth", "fast", "cost", "plays", "effects", "Notes", "# mine", ""]
OLD = ["01", "The Old Well", "Le vieux puits", "", "x", "coin: 2, light: 1", "day; night", "gain: {coin: 1}", "?", "!"]
NEW = ["02", "New: Well", "Neuf", 3, "no", "", "[day]", 'say: "a; b"; gain: {coin: 1, light: 2}', "", ""]


def workbook(path: Path, sheets: dict[str, Rows]) -> None:
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            page = book.add_worksheet(name)
            for row, cells in enumerate(rows):
                for column, cell in enumerate(cells):
                    page.write(row, column, cell, None) if cell != "" else None


def opendocument(path: Path, name: str, rows: Rows) -> None:
    """An ODS file by hand: the parts that every reader needs."""

    def cell(value: object) -> str:
        if isinstance(value, int):
            return f'<table:table-cell office:value-type="float" office:value="{value}"/>'
        text = str(value).replace("&", "&amp;")
        return f'<table:table-cell office:value-type="string"><text:p>{text}</text:p></table:table-cell>'

    body = "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
    spaces = " ".join(f'xmlns:{n}="urn:oasis:names:tc:opendocument:xmlns:{n}:1.0"' for n in ("office", "table", "text"))
    content = (
        f"<office:document-content {spaces}><office:body><office:spreadsheet>"
        f'<table:table table:name="{name}">{body}</table:table></office:spreadsheet></office:body>'
        "</office:document-content>"
    )
    manifest = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
        'manifest:full-path="/" manifest:media-type="application/vnd.oasis.opendocument.spreadsheet"/>'
        "</manifest:manifest>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
        archive.writestr("META-INF/manifest.xml", manifest)


def text_file(path: Path, rows: Rows, separator: str) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator).writerows(rows)


def make(folder: Path, file: str, rows: Rows = (HEAD, OLD, NEW)) -> Path:
    """A game whose cards stand in a sheet."""
    folder.mkdir()
    (folder / "game.yaml").write_text(GAME.replace("FILE", file), "utf-8")
    (folder / "vocabulary.yaml").write_text(VOCABULARY, "utf-8")
    if file.endswith(".xlsx"):
        workbook(folder / file, {"Wells": rows})
    elif file.endswith(".ods"):
        opendocument(folder / file, "Wells", rows)
    else:
        text_file(folder / file, rows, "\t" if file.endswith(".tsv") else ";")
    return folder


def refused(folder: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        load_game(folder)
    return [str(finding) for finding in caught.value.findings]


@pytest.mark.parametrize("file", ["wells.csv", "wells.tsv", "wells.xlsx", "wells.ods"])
def test_every_format_is_a_source_of_cards(tmp_path: Path, file: str) -> None:
    game = load_game(make(tmp_path / "wells", file))
    old, new = game.components["01"], game.components["02"]
    assert [old.fields["title"].text(language) for language in ("en", "fr")] == ["The Old Well", "Le vieux puits"]
    assert (old.fields["depth"], old.fields["fast"], old.fields["cost"]) == (1, True, {"coin": 2, "light": 1})
    assert (old.fields["plays"], new.fields["plays"]) == (("day", "night"), ("day",))
    assert (new.fields["depth"], new.fields["fast"], new.fields["cost"]) == (3, False, None)
    say, gain = new.fields["effects"]
    assert (say.args, gain.amounts) == ({"words": "a; b"}, {"coin": 1, "light": 2})
    assert str(old.source) == "mine"
    assert game.digest != load_game(make(tmp_path / "other", file, (HEAD, OLD))).digest


@pytest.mark.parametrize(
    ("column", "cell", "said"),
    [
        ("depth", "deep", "row 2, column D: PP205 well 01: expected a whole number for `depth`"),
        ("Nr", "", "row 2, column A: PP265 this row has no id"),
        ("Nr", "02", 'row 3, column A: PP209 two rows have the id "02"'),
        ("effects", "gian: {coin: 1}", 'row 2, column H: PP207 well 01: there is no effect "gian" here'),
        ("effects", "gain: {coin: 1", "row 2, column H: PP262 `effects`: expected the words that YAML takes"),
        ("cost", "gold: 2", "row 2, column F: PP208"),
        ("fast", "perhaps", "row 2, column E: PP205"),
        ("plays", "day; nigth", "row 2, column G: PP206 well 01: expected a known value"),
        ("Title", "", "row 2, column A: PP203"),
    ],
)
@pytest.mark.parametrize("file", ["wells.csv", "wells.xlsx"])
def test_a_mistake_is_named_by_sheet_row_and_column(
    tmp_path: Path, file: str, column: str, cell: str, said: str
) -> None:
    row = [cell if name == column else old for name, old in zip(HEAD, OLD, strict=False)]
    if column == "Title":
        row[HEAD.index("Nom")] = ""
    messages = refused(make(tmp_path / "wells", file, (HEAD, row, NEW)))
    place = f"wells/{file}{', sheet Wells' if file.endswith('xlsx') else ''}, {said}"
    assert any(place in message for message in messages), messages


@pytest.mark.parametrize(
    ("heading", "said"),
    [
        ("Deepth", 'row 1, column D: PP261 the heading "Deepth" names no property of a well (did you mean "depth"?'),
        ("Title (en)", "row 3, column D: PP261 `title.en`: `title` has a cell of its own in this row"),
        ("Title (fr)", 'row 1, column D: PP261 two columns are title.fr: "Nom" and "Title (fr)"'),
    ],
)
def test_a_heading_that_names_nothing_or_the_same(tmp_path: Path, heading: str, said: str) -> None:
    head = [heading if name == "depth" else name for name in HEAD]
    assert any(said in message for message in refused(make(tmp_path / "wells", "wells.csv", (head, OLD, NEW))))


def test_what_a_spreadsheet_made_of_a_cell_is_refused(tmp_path: Path) -> None:
    """`1-2` becomes a date, `=1/0` an error, which readers take for an empty cell."""
    import datetime

    folder = make(tmp_path / "wells", "wells.xlsx")
    with xlsxwriter.Workbook(folder / "wells.xlsx") as book:
        page = book.add_worksheet("Wells")
        page.write_row(0, 0, HEAD)
        page.write_row(1, 0, OLD)
        page.write_datetime(1, 1, datetime.datetime(2026, 1, 2), book.add_format({"num_format": "d mmm"}))
        page.write_formula(1, 3, "=1/0", None, "#DIV/0!")
    date, error = refused(folder)
    assert "row 2, column B: PP262 `title.en`: expected what its author wrote" in date
    assert 'row 2, column D: PP262 `depth`: expected what its author wrote, found "#DIV/0!"' in error


@pytest.mark.parametrize("file", ["wells.xlsx", "wells.ods"])
def test_a_formula_that_no_program_has_computed_is_refused(tmp_path: Path, file: str) -> None:
    """Programs that write workbooks for others leave the value out; a cell would print blank."""
    folder = make(tmp_path / "wells", file)
    if file.endswith(".xlsx"):
        with xlsxwriter.Workbook(folder / file) as book:
            page = book.add_worksheet("Wells")
            page.write_row(0, 0, HEAD)
            page.write_row(1, 0, OLD)
            page.write_formula(1, 3, "=1+1", None, "none")
            page.write_formula(1, 8, "=LEFT(A1,0)", None, "blank")  # a text that is empty by its formula
        part = "xl/worksheets/sheet1.xml"
        _replace(folder / file, part, b' t="str"><f>1+1</f><v>none</v>', b"><f>1+1</f><v></v>")
        _replace(folder / file, part, b"<v>blank</v>", b"<v></v>")
    else:
        blank = b'<table:table-cell office:value-type="string"><text:p></text:p></table:table-cell>'
        before = b"Le vieux puits</text:p></table:table-cell>"
        formula = b'<table:table-cell table:formula="of:=1+1"/>'
        _replace(folder / file, "content.xml", before + blank, before + formula)
    (message,) = refused(folder)
    assert 'row 2, column D: PP262 `depth`: expected what its author wrote, found "=1+1"' in message
    assert message.endswith("without its value; open it in a spreadsheet program and save it")


def test_the_error_of_a_formula_in_a_text_file_is_refused(tmp_path: Path) -> None:
    """Excel, Sheets and LibreOffice export it as a word, which a card would print."""
    folder = make(tmp_path / "wells", "wells.csv")
    for word in ("#REF!", "#N/A", "#NAME?", "#DIV/0!", "Err:509", "#BEZUG!"):
        text_file(folder / "wells.csv", [HEAD, [*OLD[:3], word, *OLD[4:]]], ";")
        (message,) = refused(folder)
        assert f'row 2, column D: PP262 `depth`: expected what its author wrote, found "{word}"' in message


def test_a_computed_number_is_read_as_the_spreadsheet_shows_it(tmp_path: Path) -> None:
    with xlsxwriter.Workbook(tmp_path / "sums.xlsx") as book:
        page = book.add_worksheet("Sums")
        page.write_row(0, 0, ["title", "sum"])
        page.write_row(1, 0, ["Tenths", 0.1 + 0.2])
    (sheet,) = read_visible_worksheets(tmp_path / "sums.xlsx")
    assert sheet.rows[1] == ["Tenths", "0.3"]


def _replace(path: Path, part: str, found: bytes, by: bytes) -> None:
    """Change one part of a workbook at the first place that it is found."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert found in parts[part]
    parts[part] = parts[part].replace(found, by, 1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"Nr;Title\n1;W\xfcste\n", "save it as `CSV UTF-8`"),
        (b'Nr;Title\n1;"open\n', "row 2, column A: PP260 this row is not CSV"),
        (b"Nr;Title\n1;a\0b\n", "row 2, column B: PP260 expected readable text, found the character U+0000"),
        (b"<!DOCTYPE html><html></html>", "found a web page"),
    ],
)
def test_a_file_that_is_no_table(tmp_path: Path, raw: bytes, said: str) -> None:
    folder = make(tmp_path / "wells", "wells.csv")
    (folder / "wells.csv").write_bytes(raw)
    assert any(said in message for message in refused(folder))


def test_a_workbook_that_is_none(tmp_path: Path) -> None:
    folder = make(tmp_path / "wells", "wells.xlsx")
    (folder / "wells.xlsx").write_bytes(b"PK no")
    assert "PP260 this is no XLSX file" in refused(folder)[0]


@pytest.mark.parametrize("file", ["../wells.csv", "/etc/passwd", "wellz.csv"])
def test_a_sheet_lies_in_the_games_folder(tmp_path: Path, file: str) -> None:
    folder = make(tmp_path / "wells", "wells.csv")
    (folder / "game.yaml").write_text(GAME.replace("FILE", file), "utf-8")
    assert "game.yaml:5:11: PP260" in refused(folder)[0]


def test_a_table_and_a_layout_are_enough_to_print(tmp_path: Path) -> None:
    folder = tmp_path / "my-deck"
    (folder / "layouts").mkdir(parents=True)
    text_file(folder / "cards.csv", [["Title", "Title (fr)", "Cost"], ["The Old Well", "Le puits", "3"]], ",")
    game = load_game(folder)
    [card] = game.components.values()
    assert (game.title, game.languages, card.id, card.kind) == ("My Deck", ("en", "fr"), "the-old-well", "card")
    assert (card.fields["cost"], card.fields["title"].text("fr")) == (3, "Le puits")


def test_columns_are_mapped_without_a_vocabulary(tmp_path: Path) -> None:
    """`sheets` in game.yaml says what the headings mean; which properties there are follows from the sheet."""
    (tmp_path / "layouts").mkdir()
    (tmp_path / "game.yaml").write_text(
        "title: Tides\nlanguages: [en, fr]\nplayers: {min: 2, max: 2}\n"
        "sheets:\n  - file: deck.csv\n    kind: goal\n    defaults: {source: mine, side: day}\n"
        "    columns: {Name: title.en, Nom: title.fr, Rule: rules, Memo: null}\n",
        encoding="utf-8",
    )
    (tmp_path / "deck.csv").write_text(
        "Name;Nom;Points;copies;Rule;Memo\nNight Tide;Marée;3;2;;later\n", encoding="utf-8"
    )
    game = load_game(tmp_path)
    card = game.components["night-tide"]
    assert (str(card.fields["title"]), card.fields["title"].text("fr")) == ("Night Tide", "Marée")
    assert (card.count, card.fields["points"], card.fields["side"], card.rules) == (2, 3, "day", ())
    (tmp_path / "deck.csv").write_text("Name,Nom\nNight Tide,Marée\n", encoding="utf-8")
    with pytest.raises(InputError) as caught:
        load_game(tmp_path)
    assert [finding.code for finding in caught.value.findings] == ["PP261", "PP261"]  # two headings left


def test_a_workbook_as_people_keep_it(tmp_path: Path) -> None:
    """Without a layout the message asks for one; a sheet of ideas is no kind of card; copies are counted."""
    folder = tmp_path / "spirits"
    folder.mkdir()
    rows = [["Nr", "Title", "Title (fr)", "Copies"], [1, "Rain", "Pluie", 2], ["", "", "", ""], [2, "Ember", "", 3]]
    workbook(folder / "Spirits.xlsx", {"Spirits": rows, "Ideas": [["just some thoughts"]]})
    assert "a table needs a layout too" in refused(folder)[0]
    (folder / "layouts").mkdir()
    cards = load_game(folder).components.values()
    assert [(card.kind, card.id, card.count) for card in cards] == [("spirit", "rain", 2), ("spirit", "ember", 3)]


PLAIN = "id;title;text;qty\na;Ant;One;3\n"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        (PLAIN.encode("utf-16"), 2),  # Excel's Unicode Text
        (f"sep=;\r\n{PLAIN}".encode(), 3),
        (f"My game, version 3;;;\n\n;;;\n{PLAIN}".encode(), 5),
        (PLAIN.replace(";", "\t").encode("utf-16"), 2),
        (PLAIN.replace("\n", "\r").encode(), 2),
    ],
)
def test_a_table_as_excel_and_people_leave_it(tmp_path: Path, text: bytes, first: int) -> None:
    """What stands above the headings is no heading, and rows keep the numbers that the program shows."""
    (tmp_path / "deck" / "layouts").mkdir(parents=True)
    (tmp_path / "deck" / "cards.csv").write_bytes(text)
    [card] = load_game(tmp_path / "deck").components.values()
    assert (card.id, card.count, card.where.line) == ("a", 3, first)


def test_a_text_knows_its_cell(tmp_path: Path) -> None:
    """Cards with one mistake are named together, at the cell of the first."""
    (tmp_path / "deck" / "layouts").mkdir(parents=True)
    (tmp_path / "deck" / "cards.csv").write_text("id,title,text\na,Ant,Pay {coin}\nb,Bee,Pay {coin}\n", "utf-8")
    [finding] = merge_findings_differing_in_subject(lint(load_game(tmp_path / "deck"), {"coin"}))
    assert str(finding).endswith(
        "cards.csv, row 2, column C: PP253 warning: a and 1 more: `text` is printed as it stands, with {coin} "
        "(an icon in a text is written `:coin:`; a backslash before a brace prints it)"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("id,title,text\na,Ant,One, two\n", "row 2, column D: PP261 this row has more cells than the 3 headings"),
        ("id,title,text\n,,\n", "row 1, column A: PP265 below the headings there is no card"),
        ("# a,# b\nAnt,3\n", "PP261 expected headings that name properties of a card, found # a, # b"),
        ("", "found an empty sheet"),
    ],
)
def test_no_cell_and_no_card_is_lost_in_silence(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "deck" / "layouts").mkdir(parents=True)
    (tmp_path / "deck" / "cards.csv").write_text(text, "utf-8")
    assert any(said in message for message in refused(tmp_path / "deck"))


def test_a_table_of_ones_own_needs_no_source(tmp_path: Path) -> None:
    """Also if game.yaml names the sheet, as a published one has to be."""
    (tmp_path / "deck" / "layouts").mkdir(parents=True)
    (tmp_path / "deck" / "cards.csv").write_text("id,title\na,Ant\n", "utf-8")
    (tmp_path / "deck" / "game.yaml").write_text("sheets: [{file: cards.csv, kind: card}]\n", "utf-8")
    assert lint(load_game(tmp_path / "deck")) == []


# ---- to a sheet and back


@pytest.mark.parametrize("name", GAMES)
def test_a_game_comes_back_byte_for_byte(tmp_path: Path, name: str) -> None:
    """Export to a workbook; then empty the cards of a copy, and take everything back."""
    for file, raw in encode_sheet_files_by_name(make_sheets_of_unpatched_game(CARDS / name), "xlsx", name).items():
        (tmp_path / file).write_bytes(raw)
    tables = read_worksheets_of_file_or_folder(tmp_path / f"{name}.xlsx")
    assert make_changed_yaml_files_from_sheets(CARDS / name, tables) == {}
    for path in list_component_yaml_files(CARDS / name):
        [table] = [table for table in tables if table.name == path.stem]
        assert [row[0] for row in table.rows[1:]] == list(
            read_yaml_file(path).get_node_or_nearest_ancestor(["components"]).entries
        )


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_text_files_hold_what_the_workbook_holds(tmp_path: Path, form: str) -> None:
    sheets = make_sheets_of_unpatched_game(CARDS / "opale")
    for file, raw in encode_sheet_files_by_name(sheets, form, "opale").items():
        (tmp_path / file).write_bytes(raw)
    assert [(t.name, [list(row) for row in t.rows]) for t in read_worksheets_of_file_or_folder(tmp_path)] == [
        (sheet.name, [list(row) for row in sheet.rows]) for sheet in sheets
    ]


def _paths(data: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from _paths(value, (*path, key))
    else:
        yield path


@pytest.mark.parametrize("name", GAMES)
def test_every_nth_value_changes_and_comes_back(name: str) -> None:
    """Each change alters the file; taking the old cards back restores every byte of it."""
    for file in list_component_yaml_files(CARDS / name):
        raw, old = file.read_bytes(), read_yaml_file(file).get_node_or_nearest_ancestor(["components"])
        for path in [*_paths(old.data)][::97]:
            new = read_yaml_file(file).get_node_or_nearest_ancestor(["components"]).data
            inner = new
            for key in path[:-1]:
                inner = inner[key]  # type: ignore[index,call-overload]
            value = inner[path[-1]]  # type: ignore[index,call-overload]
            inner[path[-1]] = f"{value}s" if isinstance(value, str) else int(value) + 1  # type: ignore[index,call-overload]
            changed = _rewrite_components_of_yaml_or_raise(file, raw, yaml_node_from_data_at_one_place(new, Where("x")))
            assert changed != raw
            assert _rewrite_components_of_yaml_or_raise(file, changed, old) == raw, path


def test_cards_come_go_and_move(tmp_path: Path) -> None:
    """Comments stay with the card below them, also when another card goes."""
    file = tmp_path / "cards.yaml"
    file.write_text(
        "# top\nkind: card\ncomponents:\n  a: {n: 1}  # one\n  # two\n  b: {n: 2}\n\n"
        "  c: {n: 3, m: x}\ndefaults: {m: y}\n",
        "utf-8",
    )
    wanted = {"c": {"n": 3}, "new": {"n": 4, "m": "a: b"}, "a": {"m": "z", "n": 1}}
    assert _rewrite_components_of_yaml_or_raise(
        file, file.read_bytes(), yaml_node_from_data_at_one_place(wanted, Where("x"))
    ).decode() == (
        "# top\nkind: card\ncomponents:\n  # two\n\n  c: {n: 3}\n"
        '  new: {n: 4, m: "a: b"}\n  a: {m: z, n: 1}  # one\ndefaults: {m: y}\n'
    )


def test_what_cannot_be_written_back_is_refused(tmp_path: Path) -> None:
    """Two cards share a value by an alias: to change one would change the other."""
    file = tmp_path / "cards.yaml"
    file.write_text("kind: card\ncomponents:\n  a: {n: &x {m: 1}}\n  b: {n: *x}\n", "utf-8")
    wanted = {"a": {"n": {"m": 2}}, "b": {"n": {"m": 1}}}
    with pytest.raises(InputError, match="PP265 the changes cannot be written"):
        _rewrite_components_of_yaml_or_raise(
            file, file.read_bytes(), yaml_node_from_data_at_one_place(wanted, Where("x"))
        )


def test_a_wrong_cell_changes_no_file(tmp_path: Path) -> None:
    folder = tmp_path / "opale"
    shutil.copytree(CARDS / "opale", folder, ignore=shutil.ignore_patterns("rules"))
    before = {path: path.read_bytes() for path in folder.glob("*.yaml")}
    sheets = {sheet.name: [list(row) for row in sheet.rows] for sheet in make_sheets_of_unpatched_game(folder)}
    sheets["pawn"][1][sheets["pawn"][0].index("title.en")] = "Another Dragon"
    spots = sheets["spots"]
    silhouettes = spots[2][spots[0].index("silhouettes")]
    spots[2][spots[0].index("silhouettes")] = "many"
    workbook(tmp_path / "b.xlsx", sheets)
    with pytest.raises(InputError, match=r"b.xlsx, sheet spots, row 3, column [A-Z]: PP205 spot 2"):
        make_changed_yaml_files_from_sheets(folder, read_worksheets_of_file_or_folder(tmp_path / "b.xlsx"))
    assert {path: path.read_bytes() for path in folder.glob("*.yaml")} == before
    spots[2][spots[0].index("silhouettes")] = silhouettes
    workbook(tmp_path / "b.xlsx", sheets)
    write_all_files_or_none(
        make_changed_yaml_files_from_sheets(folder, read_worksheets_of_file_or_folder(tmp_path / "b.xlsx"))
    )
    changed = [path.name for path, raw in before.items() if path.read_bytes() != raw]
    assert (changed, load_game(folder).components["pawn"].name) == (["pawn.yaml"], "Another Dragon")


def test_the_same_cards_from_a_workbook_as_from_yaml(tmp_path: Path) -> None:
    """A bundled game whose YAML files of cards are replaced by a workbook: every component is equal."""
    folder = tmp_path / "olith"
    shutil.copytree(CARDS / "olith", folder, ignore=shutil.ignore_patterns("rules"))
    (folder / "cards.xlsx").write_bytes(
        encode_sheet_files_by_name(make_sheets_of_unpatched_game(folder), "xlsx", "cards")["cards.xlsx"]
    )
    entries = []
    for path in list_component_yaml_files(folder):
        node = read_yaml_file(path)
        defaults = node.get_node_or_nearest_ancestor(["defaults"]).data if node.get("defaults") else {}
        entries.append(
            {
                "file": "cards.xlsx",
                "sheet": path.stem,
                "kind": node.get_node_or_nearest_ancestor(["kind"]).data,
                "defaults": defaults,
            }
        )
        path.unlink()
    import json

    with (folder / "game.yaml").open("a", encoding="utf-8") as facts:
        facts.write(f"\nsheets: {json.dumps(entries, ensure_ascii=False)}\n")
    assert load_game(folder, errata=False).components == load_game("olith", errata=False).components


# ---- a published sheet


@pytest.fixture
def published() -> Iterator[tuple[str, dict[str, tuple[str, bytes]]]]:
    """A server on this machine: its address, and what it answers by path."""
    pages: dict[str, tuple[str, bytes]] = {}

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            kind, raw = pages.get(self.path, ("text/html", b"<html>"))
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_: object) -> None:
            """Be silent."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", pages
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_published_sheet_is_fetched_once_and_kept(
    tmp_path: Path, published: tuple[str, dict[str, tuple[str, bytes]]]
) -> None:
    address, pages = published
    folder = make(tmp_path / "wells", "wells.csv")
    kept = folder / "wells.csv"
    raw = kept.read_bytes()
    kept.unlink()
    facts = GAME.replace("FILE", f"wells.csv\n    url: {address}/wells")
    (folder / "game.yaml").write_text(facts, "utf-8")
    [message] = refused(folder)
    assert "PP264 wells.csv has not been fetched (`playproof sheet fetch" in message
    pages["/wells"] = ("text/csv", raw)
    assert download_published_sheets_into_game(folder) == [kept]
    pages.clear()  # reading asks the network for nothing
    assert str(load_game(folder).components["01"].name) == "The Old Well"
    with pytest.raises(InputError, match="expected a sheet, found a web page"):
        download_published_sheets_into_game(folder)
    pages["/wells"] = ("text/csv", raw.replace(b"gain", b"gian"))
    with pytest.raises(InputError, match='there is no effect "gian"'):
        download_published_sheets_into_game(folder)
    assert kept.read_bytes() == raw
    (folder / "game.yaml").write_text(facts.replace("http:", "file:"), "utf-8")
    with pytest.raises(InputError, match="url"):
        download_published_sheets_into_game(folder)


def test_a_sheet_can_be_fetched_for_a_game_that_is_nothing_else(
    tmp_path: Path, published: tuple[str, dict[str, tuple[str, bytes]]]
) -> None:
    address, pages = published
    pages["/cards"] = ("text/csv", b"id,title\nfox,The Fox\n")
    entry = f"sheets:\n  - {{file: cards.csv, url: '{address}/cards', kind: card}}\n"
    (tmp_path / "game.yaml").write_text(entry, "utf-8")
    assert download_published_sheets_into_game(tmp_path) == [tmp_path / "cards.csv"]
    assert str(load_game(tmp_path).components["fox"].name) == "The Fox"


def test_the_editors_address_of_a_google_sheet_is_understood() -> None:
    editor = "https://docs.google.com/spreadsheets/d/1a-B_c/edit?usp=sharing#gid=12"
    assert (
        make_csv_address_if_google_sheet(editor)
        == "https://docs.google.com/spreadsheets/d/1a-B_c/export?format=csv&gid=12"
    )
    link = "https://docs.google.com/spreadsheets/d/e/2PACX-1/pub?gid=0&single=true&output=csv"
    assert make_csv_address_if_google_sheet(link) == link


def test_hidden_sheets_and_large_files(tmp_path: Path) -> None:
    path = tmp_path / "b.xlsx"
    with xlsxwriter.Workbook(path) as book:
        book.add_worksheet("Cards").write(0, 0, "id")
        book.add_worksheet("Secret").hide()
    assert [table.name for table in read_visible_worksheets(path)] == ["Cards"]
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/a.xml", b" " * 65_000_000)
    path.write_bytes(bomb.getvalue())
    with pytest.raises(InputError, match="bytes unpacked"):
        read_visible_worksheets(path)


def test_no_finding_is_lost(tmp_path: Path) -> None:
    """All mistakes of a sheet come together."""
    bad = ["01", "A", "B", "deep", "perhaps", "gold: 1", "dusk", "gian: 1", "", ""]
    assert len(refused(make(tmp_path / "wells", "wells.csv", (HEAD, bad, NEW)))) == 5
    assert not FindingCollector().findings

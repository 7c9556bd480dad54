"""A designer's first evening: a sheet becomes a deck that prints, and what lies in a wrong place is said."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from PIL import Image

from playproof.database.files import write_file_atomically
from playproof.database.game import load_game
from playproof.generator.layout.first_layout import list_sheet_columns_with_roles

Call = Callable[..., Any]
HEADINGS = ("Name", "Type", "Cost", "Power", "Ability", "Flavour", "Art", "Link", "Unique", "Notes")
ANIMALS = ("Fox", "Owl", "Bear", "Moth")
LONG = "When you play this, look at the top three cards of any deck and put them back in any order. "


def rows(count: int) -> list[tuple[str, ...]]:
    """Cards as people write them: some without a picture, some without a cost."""
    return [
        (
            f"{ANIMALS[n % 4]} {n}",
            ("Beast", "Bird")[n % 2],
            str(n % 7) if n % 5 else "",
            str(n % 9),
            LONG * (1 + n % 2),
            ("", "The night is long.")[n % 2],
            f"{ANIMALS[n % 4].lower()}.png" if n % 3 else "",
            "https://example.org/a",
            ("yes", "no")[n % 2],
            "",
        )
        for n in range(count)
    ]


def write_sheet(path: Path, lines: list[tuple[str, ...]]) -> None:
    if path.suffix == ".xlsx":
        with xlsxwriter.Workbook(path) as book:
            page = book.add_worksheet("Sheet1")
            for number, line in enumerate(lines):
                page.write_row(number, 0, line)
    elif path.suffix == ".json":
        path.write_text(json.dumps([dict(zip(lines[0], line, strict=True)) for line in lines[1:]]), "utf-8")
    else:
        path.write_text("".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines), "utf-8")


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with pictures in a folder of it."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "art").mkdir()
    for name in ("fox", "owl", "bear"):
        Image.new("RGB", (80, 60), (90, 120, 90)).save(tmp_path / "art" / f"{name}.png")
    return tmp_path


@pytest.mark.parametrize("suffix", ["xlsx", "csv", "json"])
def test_a_sheet_becomes_a_deck_that_prints_at_once(playproof: Call, desk: Path, suffix: str) -> None:
    write_sheet(desk / f"animals.{suffix}", [HEADINGS, *rows(12)])
    made = playproof("new", "zoo", "--sheet", f"animals.{suffix}")
    assert made.status == 0
    assert "12 cards of the kind `animal`" in made.out
    assert "pictures found nowhere beside the sheet: moth.png" in made.out
    assert sorted(path.name for path in (desk / "zoo" / "pictures").iterdir()) == ["bear.png", "fox.png", "owl.png"]
    roles = {column.heading: column.role for column in list_sheet_columns_with_roles(load_game(desk / "zoo"), "animal")}
    wanted = ["title", "line", "number", "number", "text", "text", "picture", "address", "flag", "blank"]
    assert roles == dict(zip(HEADINGS, wanted, strict=True))
    built = playproof("build", "zoo", "--paper", "A4")
    assert built.status == 0
    assert "PP50" not in built.err.replace("PP506", "")
    assert built.err.count("there is no picture") == 1 + built.err.count("and ")
    assert "fox.png" not in built.err
    linted = playproof("lint", "zoo")
    assert (linted.status, "error" in linted.out.replace("no errors", "")) == (0, False)


def test_texts_that_need_room_get_it(playproof: Call, desk: Path) -> None:
    write_sheet(desk / "wall.csv", [("Title", "Text"), ("Wall", LONG * 14)])
    assert playproof("new", "wall", "--sheet", "wall.csv").status == 0
    assert "size: tarot" in (desk / "wall" / "layouts" / "wall.yaml").read_text("utf-8")
    assert playproof("build", "wall", "--paper", "A4").status == 0


def test_any_heading_may_be_shown(playproof: Call, desk: Path) -> None:
    lines = [("if", "class", 'a "b" {c}', "1st edition"), ("Mage", "2", "3", "Blue"), ("Thief", "1", "", "")]
    text = "".join("\t".join(line) + "\n" for line in lines).replace('a "b"', "a 'b'")
    (desk / "odd.tsv").write_text(text, "utf-8")
    assert playproof("new", "odd", "--sheet", "odd.tsv").status == 0
    assert playproof("build", "odd", "--paper", "A4").status == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("empty.csv", "", "PP261"),
        ("heads.csv", "Name,Power\n", "PP265"),
        ("twice.csv", "id,Name\na,A\na,B\n", "twice.csv, row 3, column A: PP209"),
        ("deck.json", '{"cards": []}', "a JSON file of cards is a list"),
        ("deck.xlsx", "nothing", "PP260 this is no XLSX file"),
        ("deck.txt", "Name\n", "PP260 expected a sheet of cards"),
    ],
)
def test_a_sheet_that_is_none_leaves_nothing_behind(
    playproof: Call, desk: Path, name: str, text: str, said: str
) -> None:
    (desk / name).write_text(text, "utf-8")
    refused = playproof("new", "deck", "--sheet", name)
    assert (refused.status, said in refused.err, (desk / "deck").exists()) == (2, True, False), refused.err
    assert "deck/" not in refused.err


def test_a_sheet_and_a_kind_contradict_each_other(playproof: Call, desk: Path) -> None:
    write_sheet(desk / "a.csv", [("Name",), ("Fox",)])
    assert playproof("new", "deck", "--sheet", "a.csv", "--kind", "cards").status == 2


@pytest.fixture
def deck(playproof: Call, desk: Path) -> Path:
    playproof("new", "deck", "--kind", "cards")
    return desk / "deck"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("layouts/build.yaml", "build.yaml", "move it to deck/layouts/build.yaml"),
        ("cards.csv", "layouts/cards.csv", "move deck/layouts/cards.csv to deck/cards.csv"),
        ("cards.csv", "sheets/cards.csv", "move deck/sheets/cards.csv to deck/cards.csv"),
        ("layouts/card.yaml", "card.yaml", "move the layout card.yaml to deck/layouts/card.yaml"),
        ("cards.csv", "beasts.csv", 'beasts.csv makes the kind "beast": write `kind: beast`'),
    ],
)
def test_a_file_in_a_wrong_place_is_told_the_right_one(
    playproof: Call, deck: Path, old: str, new: str, said: str
) -> None:
    (deck / "layouts" / "build.yaml").write_text("products: {cards: {title: {en: Cards}, kinds: [card]}}\n", "utf-8")
    if "build" not in old:
        (deck / "layouts" / "build.yaml").unlink()
    (deck / new).parent.mkdir(exist_ok=True)
    (deck / old).rename(deck / new)
    if not any((deck / "layouts").iterdir()):
        (deck / "layouts").rmdir()
    refused = playproof("build", "deck")
    assert (refused.status, said in refused.err) == (2, True), refused.err


def test_rules_in_a_wrong_place_are_found(playproof: Call, desk: Path) -> None:
    playproof("new", "lamp_walk")
    (desk / "lamp_walk" / "rules.py").rename(desk / "lamp_walk" / "layouts" / "rules.py")
    said = "move lamp_walk/layouts/rules.py to lamp_walk/rules.py"
    assert said in playproof("play", "lamp_walk").err
    assert "PP112 warning: nothing reads rules.py here" in playproof("lint", "lamp_walk").out


@pytest.mark.parametrize(
    ("named", "said"),
    [
        ("owl.PNG", "but there is 'pictures/owl.png'"),
        ("owl.jpg", "but there is 'pictures/owl.png'"),
        ("great owl.png", "but there is 'pictures/great_owl.png'"),
        ("owll.png", "did you mean 'pictures/owl.png'?"),
        ("zebra.png", "there is no picture 'pictures/zebra.png' ("),
    ],
)
def test_the_picture_that_is_meant_is_named(playproof: Call, deck: Path, named: str, said: str) -> None:
    (deck / "pictures").mkdir()
    for name in ("owl", "great_owl"):
        Image.new("RGB", (80, 60)).save(deck / "pictures" / f"{name}.png")
    write_sheet(deck / "cards.csv", [("title", "art"), ("Owl", named), ("Fox", "")])
    image = '{image: "pictures/{art}", box: {x: 8, right: 8, y: 26, height: 24}}'
    (deck / "layouts" / "card.yaml").write_text(f"kind: card\nsize: poker\nfront: {{elements: [{image}]}}\n", "utf-8")
    linted = playproof("lint", "deck").out
    assert said in linted
    assert linted.count("PP506") == 1  # a blank cell is no picture that is missing


@pytest.mark.parametrize("named", ["Star.svg", "STAR", ":star:", "starr"])
def test_the_icon_that_is_meant_is_named(playproof: Call, deck: Path, named: str) -> None:
    layout = deck / "layouts" / "card.yaml"
    layout.write_text(layout.read_text("utf-8").replace("icon: star", f'icon: "{named}"'), "utf-8")
    assert 'did you mean "star"?' in playproof("lint", "deck").out


@pytest.mark.skipif(os.name == "nt", reason="links need rights on Windows")
def test_a_link_in_a_circle_is_an_error(playproof: Call, deck: Path) -> None:
    (deck / "loop.png").symlink_to("loop.png")
    layout = deck / "layouts" / "card.yaml"
    layout.write_text(layout.read_text("utf-8").replace("icon: star", "image: loop.png"), "utf-8")
    answer = playproof("build", "deck", "--paper", "A4")
    assert (answer.status, "leads in a circle" in answer.err) == (2, True)
    (deck.parent / "round").symlink_to("round")
    assert "leads nowhere, or in a circle" in playproof("lint", "round").err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes of this kind")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_files_have_the_usual_mode(tmp_path: Path, mask: int, mode: int) -> None:
    before = os.umask(mask)
    try:
        write_file_atomically(tmp_path / "a" / "file.json", b"{}")
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "file.json").stat().st_mode & 0o777 == mode
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["file.json"]


def test_evidence_of_ones_own_game_is_checked_as_it_lies(
    playproof: Call, desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    playproof("new", "lamp_walk")
    playproof("prove", "lamp_walk", "--claim", "winnable")
    file = Path("output", "lamp_walk", "evidence", "winnable.json")
    assert playproof("check", file).status == 0
    monkeypatch.chdir(desk / "lamp_walk")
    assert playproof("check", ".." / file).status == 0
    data = json.loads((".." / file).read_text("utf-8"))
    # a file never says whose rules are run
    for name in ("lamp_walk", "../lamp_walk", "/etc", "a\0b", str(desk / "lamp_walk")):
        Path("forged.json").write_text(json.dumps({**data, "game": name}), "utf-8")
        refused = playproof("check", "forged.json")
        assert (refused.status, "no installed game is called" in refused.out) == (1, True), name
    monkeypatch.chdir(desk / "art")
    assert "name its folder with --game" in playproof("check", Path("..") / file).out


def test_an_overflow_in_a_check_names_the_line_of_the_rules(playproof: Call, desk: Path) -> None:
    playproof("new", "lamp_walk")
    rules = desk / "lamp_walk" / "rules.py"
    text = rules.read_text("utf-8").replace("GOAL, LIGHT, MOST = 5, 4, 12", "GOAL, LIGHT, MOST = 5, 4, 2**62")
    text = text.replace("min_of(s.coins + coins[card], MOST)", "s.coins * 1000 + coins[card] * (1 << 50)")
    rules.write_text(text, "utf-8")
    checked = playproof("simulate", "lamp_walk", "--games", "60", "--check")
    assert (checked.status, "the rules give 9223372036854775807 or more" in checked.out) == (1, True)
    assert "playproof_plain" not in checked.err
    assert "rules.py:59:9: PP310" in playproof("simulate", "lamp_walk", "--games", "60").err


# ---- copies and totals
CREW = ("Wren,3,Sings first.", "Owl,2,Sees.", "Crow,4,Steals.")


def write_crew(folder: Path, headings: str, *more: str, crew: tuple[str, ...] = CREW) -> None:
    (folder / "crew.csv").write_text("\n".join((headings, *crew, *more)) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("headings", "total", "said"),
    [
        ("Name,Qty.,Text", ",9,", "row 6, column B: PP268 warning: this row sums up those above it, and is no card: 9"),
        ("Bird,Qty.,Text", ",9,", "row 6, column B: PP268"),
        ("Name,Amount,Text", ",9,", "row 6, column B: PP268"),
        ("Name,Qty.,Text", "TOTAL,9,", "row 6, column B: PP268 warning: this row sums up those above it"),
        ("Bird,Qty.,Text", ",9,Summe", "row 6, column B: PP268"),
        ("Name,Power,Text", "Total:,9,", "row 6, column B: PP268"),
        ("Name,Qty.,Text", "Total cards: 9,,", "row 6, column A: PP268"),
    ],
)
def test_a_total_below_the_cards_is_no_card(playproof: Call, desk: Path, headings: str, total: str, said: str) -> None:
    write_crew(desk, headings, ",,", total)
    made = playproof("new", "crew", "--sheet", "crew.csv")
    assert made.status == 0, made.err
    assert "3 cards of the kind `crew`" in made.out
    for call in (("lint", "crew"), ("build", "crew", "--paper", "A4")):
        answer = playproof(*call)
        assert answer.status == 0, call
        assert f"crew.csv, {said}" in answer.out + answer.err, call
    assert said in made.out


def test_what_a_workbook_shows_otherwise_than_it_is_printed_is_said(playproof: Call, desk: Path) -> None:
    """Formats of numbers and merged cells: the author sees 50% and three texts."""
    with xlsxwriter.Workbook(desk / "crew.xlsx") as book:
        page = book.add_worksheet("Cards")
        page.write_row(0, 0, ["Name", "Chance", "Price", "Plain", "Group"])
        for row, (name, chance) in enumerate((("Wren", 0.5), ("Owl", 0.25), ("Crow", 1)), 1):
            page.write(row, 0, name)
            page.write(row, 1, chance, book.add_format({"num_format": "0%"}))
            page.write(row, 2, row, book.add_format({"num_format": '0.00 "\u20ac"'}))
            page.write(row, 3, row, book.add_format({"num_format": "0"}))
        page.merge_range(1, 4, 3, 4, "Birds")
        page.merge_range(4, 0, 4, 4, "-- MACHINES --")
        page.write_row(5, 0, ["Mill", 1, 5, 5, "Mills"])
    made = playproof("new", "crew", "--sheet", "crew.xlsx")
    assert made.status == 0, made.err
    for answer in (made, playproof("lint", "crew"), playproof("build", "crew", "--paper", "A4")):
        said = answer.out + answer.err
        assert "row 2, column B: PP270 warning: the card has 0.5, which the spreadsheet shows as 50%, and 2" in said
        assert "row 2, column C: PP270 warning: the card has 1, which the spreadsheet shows by the format 0.00" in said
        assert "row 2, column D: PP270" not in said
        assert 'row 2, column E: PP271 warning: 3 merged cells show "Birds"' in said
        assert said.count("PP271") == 1  # and not of the row that heads a group


def test_a_draft_prints_lists_and_columns_between_bars(playproof: Call, desk: Path) -> None:
    (desk / "crew.json").write_text('[{"title": "Wren", "tags": ["bird", "small"]}, {"title": "Owl"}]', "utf-8")
    (desk / "ships.csv").write_text("title|text\nGull|Sails fast.\n", "utf-8")
    for name, file in (("crew", "crew.json"), ("ships", "ships.csv")):
        assert playproof("new", name, "--sheet", file).status == 0
        assert playproof("lint", name).status == 0
    assert "{text}" in (desk / "ships" / "layouts" / "ship.yaml").read_text("utf-8")


def test_a_count_that_is_no_sum_and_stands_alone_is_refused(playproof: Call, desk: Path) -> None:
    write_crew(desk, "Name,Qty.,Text", ",8,")
    answer = playproof("new", "crew", "--sheet", "crew.csv")
    assert answer.status == 2
    assert "row 5, column B: PP265 this row has a count, 8, and nothing else (is it a total?" in answer.err


def test_a_total_below_subtotals_is_no_card_as_these_are(playproof: Call, desk: Path) -> None:
    write_crew(desk, "Name,Qty.,Text", "Subtotal,9,", "Rook,1,Waits.", "Jay,,Chats.", "Subtotal,2,", "Total,11,")
    answer = playproof("new", "crew", "--sheet", "crew.csv")
    assert "5 cards of the kind `crew`" in answer.out
    for row, number in ((5, 9), (8, 2), (9, 11)):
        said = f"row {row}, column B: PP268 warning: this row sums up those above it, and is no card: "
        assert said in answer.out, number


@pytest.mark.parametrize("row", ["Total,9,Ends the game.", "Total Eclipse,9,Dark.", "Sum,,"])
def test_a_card_that_is_called_so_is_a_card(playproof: Call, desk: Path, row: str) -> None:
    write_crew(desk, "Name,Qty.,Text", row)
    assert "4 cards of the kind `crew`" in playproof("new", "crew", "--sheet", "crew.csv").out


@pytest.mark.parametrize(
    "heading",
    [
        "How Many?",
        "# Copies",
        "#",
        "Anzahl",
        "Anzahl Karten",
        "Menge",
        "Nb",
        "Nb ex.",
        "Nombre",
        "No. of copies",
        "Number of copies",
        "Amount",
    ],
)
def test_a_heading_that_counts_copies(playproof: Call, desk: Path, heading: str) -> None:
    write_crew(desk, f"Name,{heading},Text")
    made = playproof("new", "crew", "--sheet", "crew.csv")
    assert f"  9 copies, by `{heading}`" in made.out
    (desk / "crew" / "game.yaml").write_text("sheets: [{file: crew.csv, kind: crew}]\n", "utf-8")
    for _ in range(2):
        game = load_game(desk / "crew")
        assert [card.count for card in game.components.values()] == [3, 2, 4]
        assert set(game.vocabulary.kinds["crew"].fields) == {"name", "text"}
        mapped = f'sheets: [{{file: crew.csv, kind: crew, columns: {{"{heading}": count}}}}]\n'
        (desk / "crew" / "game.yaml").write_text(mapped, "utf-8")


@pytest.mark.parametrize(
    ("headings", "crew", "said"),
    [
        ("Name,Amount,Text", ("Wren,3,One", "Owl,a few,Two"), "one copy of each row"),
        ("Name,Nombre,Text", ("Wren,300,One", "Owl,2,Two"), "one copy of each row"),
        ("Name,Amount,Qty.", ("Wren,3,1", "Owl,2,4"), "5 copies, by `Qty.`"),
        ("Name,#,Text", ("Wren,1,One", "Owl,2,Two", "Crow,3,Three"), "one copy of each row"),
        ("Name,#,Text", ("Wren,2,One", "Owl,1,Two", "Crow,3,Three"), "one copy of each row"),
        ("Name,# Copies,Text", ("Wren,2 or 3?,One", "Owl,1,Two"), "one copy of each row"),
        ("Name,Number,Text", ("Wren,2,One", "Owl,2,Two"), "one copy of each row (a column `count` would say how many)"),
    ],
)
def test_a_heading_that_means_another_thing(
    playproof: Call, desk: Path, headings: str, crew: tuple[str, ...], said: str
) -> None:
    write_crew(desk, headings, crew=crew)
    made = playproof("new", "crew", "--sheet", "crew.csv")
    assert (made.status, said in made.out) == (0, True)


@pytest.mark.parametrize("heading", ["Card Name", "Name of card", "Titel", "Nom de la carte"])
def test_the_title_is_what_is_called_so(playproof: Call, desk: Path, heading: str) -> None:
    lines = [("Type", "Artist name", heading), ("Bird", "Ann", "The Very Long-Winded Keeper"), ("Fish", "Bo", "7")]
    write_sheet(desk / "crew.csv", lines)
    made = playproof("new", "crew", "--sheet", "crew.csv")
    assert f"  {heading:<24} title" in made.out
    assert "crew.csv was copied: edit crew/crew.csv from now on" in made.out
    assert [*load_game(desk / "crew").components] == ["the-very-long-winded-keeper", "7"]


def test_ids_that_begin_so_are_named_first(playproof: Call, desk: Path) -> None:
    write_crew(desk, "Name,Qty.,Text", "Rats and mice in the hold,1,Bite.", "Brats,1,Cry.")
    playproof("new", "crew", "--sheet", "crew.csv")
    answer = playproof("build", "crew", "--paper", "A4", "--only", "rats")
    assert (answer.status, 'did you mean "rats-and-mice-in-the-hold"?' in answer.err) == (2, True)


def write_workbook(path: Path, sheets: dict[str, list[list[object]]]) -> None:
    with xlsxwriter.Workbook(path) as book:
        for name, lines in sheets.items():
            page = book.add_worksheet(name)
            for number, line in enumerate(lines):
                page.write_row(number, 0, line)


WELL = [["Kartenname", "Text", "Notizen"], ["Brunnen", "Ziehe zwei Karten und lege eine ab.", "zu stark?"]]


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("Ideen", [["Titel", "Stand"], ["Wetter", "später"]]),
        ("To do", [["buy sleeves"]]),
        ("Sheet2", [["Karte", "Wert"]]),
        ("Rules", [["how to play it"], ["draw two, keep one"]]),
    ],
)
def test_notes_beside_the_cards_are_named(playproof: Call, desk: Path, name: str, lines: list[list[object]]) -> None:
    """The sheet of cards is imported; of each other the answer says that no card was made of it."""
    write_workbook(desk / "wald.xlsx", {"Karten": WELL, name: lines})
    made = playproof("new", "wald", "--sheet", "wald.xlsx")
    assert (made.status, made.out.count("cards of the kind")) == (0, 1), made.err
    assert f"the sheet `{name}` is taken for notes" in made.out
    linted = playproof("lint", "wald")
    assert linted.status == 0
    assert ("PP267" in linted.out + linted.err) == (name in ("Sheet2", "Rules"))
    built = playproof("build", "wald", "--paper", "A4")
    assert ("PP267" in built.err) == (name in ("Sheet2", "Rules")), built.err


def test_a_sheet_that_looks_like_cards_needs_no_titles(playproof: Call, desk: Path) -> None:
    """Beside a sheet with titles: one that counts copies, one with a text, one whose heading is the sheet's name."""
    sheets: dict[str, list[list[object]]] = {
        "Heroes": [["Name", "Power"], ["Ada", 3], ["Bo", 2]],
        "Terrain": [["Ground", "Qty"], ["Moor", 4], ["Ford", 1]],
        "Helps": [["Symbol", "Description"], ["->", "Move to the next tile."]],
        "Wishes": [["Wish", "Worth"], ["More rain", 1]],
        "Playtests": [["Date", "Who"], ["May", "Kim"]],
    }
    write_workbook(desk / "moor.xlsx", sheets)
    made = playproof("new", "moor", "--sheet", "moor.xlsx")
    kinds = re.findall(r"cards of the kind `(.+)`", made.out)
    assert (kinds, made.status) == (["hero", "terrain", "help", "wish"], 0), made.out
    assert "the sheet `Playtests` is taken for notes" in made.out
    assert playproof("build", "moor", "--paper", "A4").status == 0


def test_cards_of_two_sheets_may_have_one_name(playproof: Call, desk: Path) -> None:
    sheets: dict[str, list[list[object]]] = {
        "Bosses": [["Name", "Power"], ["The Baron", 3]],
        "Chapters": [["Name", "Text"], ["The Baron", "He comes to dinner."], ["Dawn", "All is well."]],
    }
    write_workbook(desk / "tale.xlsx", sheets)
    made = playproof("new", "tale", "--sheet", "tale.xlsx")
    assert "column A: PP637 warning: a card of another sheet is called so" in made.out, made.err
    assert [*load_game(desk / "tale").components] == ["the-baron", "chapter-the-baron", "dawn"]
    assert playproof("build", "tale", "--paper", "A4").status == 0


def test_headings_of_signs_are_printed_and_x_counts_copies(playproof: Call, desk: Path) -> None:
    rows = ["Card,$$,x,to do / status", "Skiff,2,3,ok", "Cutter,4,1,needs art", "Lugger,1,3,ok"]
    (desk / "bay.csv").write_text("\n".join(rows) + "\n", "utf-8")
    made = playproof("new", "bay", "--sheet", "bay.csv")
    assert "7 copies, by `x`" in made.out
    assert re.search(r"to do / status +notes, not shown", made.out)
    assert '{text: "$$",' in (desk / "bay" / "layouts" / "bay.yaml").read_text("utf-8")
    (desk / "map.csv").write_text("Tile,x,y\nFord,1,2\nMoor,3,4\n", "utf-8")
    assert "one copy of each row" in playproof("new", "map", "--sheet", "map.csv").out


def test_more_short_texts_than_a_card_has_room_for_are_named(playproof: Call, desk: Path) -> None:
    headings = ["Name", *(f"Step {n}" for n in range(40))]
    rows = [headings, *([name, *[f"{name} goes {n} more miles"] * 40] for n, name in enumerate(("Ada", "Bo")))]
    write_sheet(desk / "walk.csv", rows)
    made = playproof("new", "walk", "--sheet", "walk.csv")
    assert re.search(r"Step 39 +short text, not shown", made.out), made.out
    assert re.search(r"Step 0 +short text\n", made.out)
    assert playproof("build", "walk", "--paper", "A4").status == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wirf eine Münze in den Brunnen und ziehe zwei Karten.", "de"),
        ("Défaussez une carte de votre main et piochez la suivante avec le joueur de gauche.", "fr"),
        ("El jugador roba una carta de la pila y la descarta.", "es"),
        ("Draw a card, or give the Weltgeist to the player on your left.", "en"),
    ],
)
def test_the_language_of_the_texts_is_told(playproof: Call, desk: Path, text: str, language: str) -> None:
    write_sheet(desk / "deck.csv", [("Name", "Text"), ("Alpha", text), ("Beta", text)])
    made = playproof("new", "deck", "--sheet", "deck.csv")
    assert load_game(desk / "deck").languages == (language,)
    assert ("the texts are taken for" in made.out) == (language != "en")
    assert playproof("build", "deck", "--paper", "A4").status == 0
    assert (desk / "output" / "deck" / "print" / "A4" / f"deck-{language}.pdf").is_file()
    if language != "en":
        (desk / "deck" / "game.yaml").write_text("languages: [en]\n", "utf-8")
        assert load_game(desk / "deck").components["alpha"].name == "Alpha"


def test_a_layout_of_an_earlier_draft_keeps_its_kind(playproof: Call, desk: Path) -> None:
    write_sheet(desk / "Heroes.csv", [("Name", "Power"), ("Ada", "3")])
    assert "of the kind `hero`" in playproof("new", "party", "--sheet", "Heroes.csv").out
    layout = desk / "party" / "layouts" / "hero.yaml"
    (desk / "party" / "layouts" / "heroe.yaml").write_text(
        layout.read_text("utf-8").replace("kind: hero", "kind: heroe"), "utf-8"
    )
    layout.unlink()
    assert playproof("build", "party", "--paper", "A4").status == 0


def test_a_kind_of_cards_may_be_called_ideas(playproof: Call, desk: Path) -> None:
    ideas = [["Kartenname", "Text", "Anzahl"], ["Blitz", "Nimm drei Münzen von der Bank.", 2]]
    write_workbook(desk / "wald.xlsx", {"Karten": WELL, "Ideen": ideas})
    made = playproof("new", "wald", "--sheet", "wald.xlsx")
    assert (made.status, made.out.count("cards of the kind"), "for notes" in made.out) == (0, 2, False)


@pytest.mark.parametrize(
    ("title", "note"),
    [
        ("Kartenname", "Notizen"),
        ("Titre", "Commentaires"),
        ("Título", "Observaciones"),
        ("Nome", "Appunti"),
        ("Nome da carta", "Comentários"),
        ("Kaartnaam", "Opmerkingen"),
        ("Nazwa", "Uwagi"),
        ("Name", "Design notes"),
    ],
)
def test_titles_and_notes_in_other_languages(playproof: Call, desk: Path, title: str, note: str) -> None:
    """A column that tells the cards apart better is no title, and what a designer writes for herself is not printed."""
    lines = [("Dateiname", title, "Effect", note)]
    lines += [(f"x{n}", "Fox" if n < 2 else f"Owl {n}", LONG, "too strong?") for n in range(4)]
    write_sheet(desk / "deck.csv", lines)
    made = playproof("new", "deck", "--sheet", "deck.csv")
    assert made.status == 0, made.err
    roles = {each.heading: each.role for each in list_sheet_columns_with_roles(load_game(desk / "deck"), "deck")}
    assert (roles[title], roles[note], roles["Effect"]) == ("title", "note", "text")
    assert "too strong" not in (desk / "deck" / "layouts" / "deck.yaml").read_text("utf-8")
    assert f"  {note:<24} notes, not shown" in made.out


def test_notes_that_are_the_only_text_are_shown(playproof: Call, desk: Path) -> None:
    write_sheet(desk / "deck.csv", [("Name", "Cost", "Notes"), ("Fox", "1", LONG)])
    assert playproof("new", "deck", "--sheet", "deck.csv").status == 0
    assert "{notes}" in (desk / "deck" / "layouts" / "deck.yaml").read_text("utf-8")


@pytest.mark.parametrize(("size", "written"), [("mini", "mini"), ("Euro Poker", "euro-poker"), ("45x68mm", "[45, 68]")])
def test_a_deck_of_a_size_that_is_asked_for(playproof: Call, desk: Path, size: str, written: str) -> None:
    write_sheet(desk / "deck.csv", [HEADINGS[:4], *(row[:4] for row in rows(6))])
    assert playproof("new", "deck", "--sheet", "deck.csv", "--size", size).status == 0
    assert f"\nsize: {written}\n" in (desk / "deck" / "layouts" / "deck.yaml").read_text("utf-8")
    built = playproof("build", "deck", "--paper", "A4")
    assert (built.status, "PP50" in built.err) == (0, False), built.err


@pytest.mark.parametrize("size", ["mni", "5x5", "big"])
def test_a_size_that_is_none_is_refused(playproof: Call, desk: Path, size: str) -> None:
    write_sheet(desk / "deck.csv", [("Name",), ("Fox",)])
    refused = playproof("new", "deck", "--sheet", "deck.csv", "--size", size)
    assert (refused.status, f"found `{size}`" in refused.err, (desk / "deck").exists()) == (2, True, False)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Titel;Text\r\nMöwe;fliegt\r\n", "row 2, column A"),
        ('Titel;Text\nA;"zwei\nZeilen: Möwe"\n', "row 2, column B"),
        ('Titel;Text\nA;"zwei\nZeilen"\nB;Möwe\n', "row 3, column B"),
    ],
)
def test_another_encoding_is_refused_at_its_cell(playproof: Call, desk: Path, text: str, place: str) -> None:
    (desk / "deck.csv").write_bytes(text.encode("cp1252"))
    refused = playproof("new", "deck", "--sheet", "deck.csv")
    assert refused.status == 2
    assert f"deck.csv, {place}: PP260 expected UTF-8 text, found the byte 0xf6" in refused.err
    assert "Möwe`" in refused.err


def test_an_existing_folder_names_the_way_out(playproof: Call, deck: Path) -> None:
    refused = playproof("new", "deck")
    assert (refused.status, "`playproof build deck` prints it" in refused.err, "`deck2`" in refused.err) == (
        2,
        True,
        True,
    )


def test_a_missing_field_says_how_it_may_be_missing(playproof: Call, desk: Path) -> None:
    playproof("new", "lamp")
    cards, words = desk / "lamp" / "paths.yaml", desk / "lamp" / "vocabulary.yaml"
    cards.write_text(cards.read_text("utf-8").replace(' flavour: "Wishes, mostly.",', ""), "utf-8")
    answer = playproof("lint", "lamp")
    said = answer.out + answer.err
    assert "PP203 path 03: expected the field `flavour` (if some path has none: `flavour: {type: ..., req" in said
    optional = words.read_text("utf-8").replace("flavour: words", "flavour: {type: words, required: false}")
    words.write_text(optional, "utf-8")
    assert playproof("lint", "lamp").status == 0


def test_an_erratum_of_a_sheet_names_types_and_classes(playproof: Call, desk: Path) -> None:
    write_sheet(desk / "bay.csv", [("Card", "Cost"), ("Skiff", "2"), ("Cutter", "-")])
    playproof("new", "bay", "--sheet", "bay.csv")
    patch = desk / "bay" / "errata" / "1.1.yaml"
    patch.parent.mkdir()
    lines = (
        'version: "1.1"',
        "date: 2026-11-29",
        "class: correction",
        "note: The skiff costs more.",
        "reason: It was too good.",
        "changes:",
        "  - {component: skiff, path: cost, from: 2, to: 3}",
    )
    patch.write_text("\n".join(lines) + "\n", "utf-8")
    said = playproof("errata", "bay").err
    assert 'found "correction" (one of: typo, clarification, function, balance)' in said
    patch.write_text("\n".join(lines).replace("correction", "function") + "\n", "utf-8")
    said = playproof("errata", "bay").err
    assert 'should be 2 before the change, found "2" (its type is another: write "2"; it stands at ' in said

"""A workbook as designers keep it: what lies among the cards and is none is left out, and `new` says so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import xlsxwriter
from PIL import Image

from playproof.database.game import load_game
from playproof.generator.build.press import Press
from playproof.generator.layout.game_from_sheet import create_game_folder_from_sheet
from playproof.generator.playability import find_words_set_in_fallback_fonts

Call = Callable[..., Any]
Rows = Sequence[Sequence[object]]
BIRDS = [(f"Bird {n}", ("Wader", "Diver", "Singer")[n % 3], n % 4, f"Look at {n} cards.", 1 + n % 2) for n in range(12)]


def write_workbook(path: Path, sheets: Mapping[str, Rows]) -> None:
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            page = book.add_worksheet(name)
            for number, row in enumerate(rows):
                page.write_row(number, 0, row)


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


HEADINGS = ("Nome", "Tipo", "Ovos", "Efeito", "Qtd.")


@pytest.mark.parametrize("heading", ["— WADERS —", "~~ Waders", "WADERS", "Waders ---", "* Waders *"])
def test_a_row_that_heads_a_group_is_no_card(playproof: Call, desk: Path, heading: str) -> None:
    write_workbook(desk / "birds.xlsx", {"Aves": [HEADINGS, (heading,), *BIRDS[:6], ("", heading), *BIRDS[6:]]})
    made = playproof("new", "birds", "--sheet", "birds.xlsx")
    assert made.out.count("PP269 warning: this row is a heading of those below it, and is no card") == 2
    assert "18 copies, by `Qtd.`" in made.out
    assert len(load_game(desk / "birds").components) == 12
    assert "PP269" in playproof("lint", "birds").out


@pytest.mark.parametrize(
    "alone",
    [("Fog",), ("Unwritten",), ("*",), ("X-RAY", "Diver", 1, "", 1)],
    ids=["a card without a text", "another", "no word", "filled"],
)
def test_a_row_that_may_be_a_card_is_one(playproof: Call, desk: Path, alone: Sequence[object]) -> None:
    write_workbook(desk / "birds.xlsx", {"Aves": [HEADINGS, *BIRDS[:6], alone, *BIRDS[6:]]})
    assert "PP269" not in playproof("new", "birds", "--sheet", "birds.xlsx").out
    assert len(load_game(desk / "birds").components) == 13


def test_titles_in_capitals_are_titles(playproof: Call, desk: Path) -> None:
    loud = [(str(name).upper(), *rest) for name, *rest in BIRDS]
    write_workbook(
        desk / "birds.xlsx", {"Aves": [HEADINGS, *loud, ("WILD BIRD",), ("LAST BIRD", "Diver", 1, "Stop.", 1)]}
    )
    assert "PP269" not in playproof("new", "birds", "--sheet", "birds.xlsx").out
    assert len(load_game(desk / "birds").components) == 14


COUNTED = [("Tipo", "Quantas", "Média"), ("Wader", 4, 1.5), ("Diver", 4, 2), ("Singer", 4, 1)]
COMPUTED = [("Name", "Supply", "Demand"), ("Egg", 1.5454545454545454, 0.6470588235294118), ("Nest", 0.4, 0.875471698)]


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("Quantas há", COUNTED),
        ("Economy", [*COMPUTED, ("Twig", 0.3333333333333333, 1.0731707317073171)]),
        ("Balance v2", [("Name", "Text"), ("Wader", "too strong")]),
        ("Removed Cards", [HEADINGS, *BIRDS[:2]]),
        ("Alte Karten", [HEADINGS, *BIRDS[:2]]),
    ],
)
def test_a_sheet_about_cards_holds_none(playproof: Call, desk: Path, name: str, rows: Rows) -> None:
    write_workbook(desk / "birds.xlsx", {"Aves": [HEADINGS, *BIRDS], name: rows})
    made = playproof("new", "birds", "--sheet", "birds.xlsx")
    assert f"the sheet `{name}` is taken for notes: no card is made of it" in made.out
    assert {card.kind for card in load_game(desk / "birds").components.values()} == {"ave"}


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("Balance of Power", [("Name", "Text", "Cost"), ("Truce", "Nobody fights.", 2), ("War", "All fight.", 3)]),
        ("Old Gods", [HEADINGS, *BIRDS[:2]]),
        ("Kinds", [("Tipo", "Texto"), ("Wader", "Wades."), ("Diver", "Dives."), ("Singer", "Sings.")]),
    ],
)
def test_a_sheet_that_is_called_alike_holds_cards(playproof: Call, desk: Path, name: str, rows: Rows) -> None:
    write_workbook(desk / "birds.xlsx", {"Aves": [HEADINGS, *BIRDS], name: rows})
    made = playproof("new", "birds", "--sheet", "birds.xlsx")
    assert "taken for notes" not in made.out
    assert len({card.kind for card in load_game(desk / "birds").components.values()}) == 2


@pytest.mark.parametrize("count", ["x2", "2x", "× 2", "2"])
def test_a_number_of_copies_as_people_write_it(playproof: Call, desk: Path, count: str) -> None:
    (desk / "deck.csv").write_text(f"Ship,Danger,Copies\nThe Petrel,4,{count}\nThe Goose,5,1\n", "utf-8")
    assert "3 copies, by `Copies`" in playproof("new", "deck", "--sheet", "deck.csv").out


@pytest.mark.parametrize(
    ("total", "said"),
    [
        ("6", "this row sums up those above it, and is no card: Summe, 6"),
        ("7", "this row is a total that does not add up"),
    ],
)
def test_a_last_row_that_is_called_a_total_is_no_card(playproof: Call, desk: Path, total: str, said: str) -> None:
    """Of a deck with `2x` among its counts the total became a card of 68 copies."""
    lines = [
        "Name,Anz.,Text",
        "Eule,2x,Sieht alles.",
        "Fuchs,1,Ist klug.",
        "Dachs,,Schläft.",
        "Reh,2,Rennt.",
        f"Summe,{total},",
    ]
    (desk / "tiere.csv").write_text("\n".join(lines) + "\n", "utf-8")
    assert f"PP268 warning: {said}" in playproof("new", "tiere", "--sheet", "tiere.csv").out
    assert [card.count for card in load_game(desk / "tiere").components.values()] == [2, 1, 1, 2]


@pytest.mark.parametrize(("values", "role"), [("ok,prüfen,", "notes, not shown"), ("ok,poisoned,", "short text")])
def test_a_status_of_the_work_is_no_part_of_the_card(playproof: Call, desk: Path, values: str, role: str) -> None:
    cards = "\n".join(f"Karte {n},Zieht {n} Karten.,{value}" for n, value in enumerate(values.split(",")))
    (desk / "deck.csv").write_text(f"Name,Text,Status\n{cards}\n", "utf-8")
    made = playproof("new", "deck", "--sheet", "deck.csv").out
    assert f"Status                   {role}" in made


def test_a_check_mark_heads_notes_and_numbers_called_ideas_are_none(playproof: Call, desk: Path) -> None:
    lines = ["✓,Name,Ideas,Starting ideas,Text", "x,Wren,2,1,Sings first and acts last.", ",Owl,3,2,Sees all."]
    (desk / "deck.csv").write_text("\n".join(lines) + "\n", "utf-8")
    made = playproof("new", "deck", "--sheet", "deck.csv").out
    assert [" ".join(line.split()) for line in made.splitlines()[2:7]] == [
        "✓ notes, not shown",
        "Name title",
        "Ideas number",
        "Starting ideas number",
        "Text short text",
    ]


def test_a_card_is_called_by_the_column_that_names_it(playproof: Call, desk: Path) -> None:
    """A report and an erratum call cards as people do, and not by an id that was made of the name."""
    (desk / "deck.csv").write_text("Ship,Danger,Text\nThe Petrel,4,A bird.\nThe Goose,5,Black.\n", "utf-8")
    playproof("new", "deck", "--sheet", "deck.csv")
    cards = load_game(desk / "deck").components
    assert [(card.id, card.name, str(card.title)) for card in cards.values()] == [
        ("the-petrel", "The Petrel", "The Petrel"),
        ("the-goose", "The Goose", "The Goose"),
    ]


def test_a_column_of_long_texts_names_nothing(playproof: Call, desk: Path) -> None:
    said = ["Draw two cards and put one of them under the deck.", "Discard a card; each other player does the same."]
    (desk / "deck.csv").write_text("Nr,Rule\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(said)), "utf-8")
    playproof("new", "deck", "--sheet", "deck.csv")
    assert all(card.name == card.id for card in load_game(desk / "deck").components.values())


def test_capitals_name_a_language_beside_the_same_text(playproof: Call, desk: Path) -> None:
    (desk / "deck.csv").write_text(
        "Title (EN),Title (FR),Level (LV)\nThe Owl,Le hibou,2\nThe Fox,Le renard,3\n", "utf-8"
    )
    playproof("new", "deck", "--sheet", "deck.csv")
    game = load_game(desk / "deck")
    assert game.languages == ("en", "fr")
    assert set(game.vocabulary.kinds["deck"].fields) == {"title", "level_lv"}


def test_a_translation_beside_the_text_does_not_hide_its_language(playproof: Call, desk: Path) -> None:
    lines = ["Carta,Efeito,Effect EN,Qtd."]
    lines += [
        f"Polvo {n},Compra uma carta e descarta a outra.,Draw one of the cards and discard it.,1" for n in range(4)
    ]
    (desk / "deck.csv").write_text("\n".join(lines) + "\n", "utf-8")
    assert "the texts are taken for Portuguese (pt)" in playproof("new", "deck", "--sheet", "deck.csv").out


MADE_BY_A_PROGRAM = """\
slug,cardName,manaCost,rulesText,designerNote,effectsJson,artFile
tall-heron,Tall Heron,2,Look at the top card of the deck.,"Ruling 3: ask, later.","{""op"": ""look""}",heron.png
old-ferry,Old Ferry,1,Bring one of your cards across the water.,,{},Ferry
last-bell,Last Bell,3,All players draw a card and show it.,,"[{""op"": ""draw"", ""n"": 1}]",
"""


@pytest.fixture
def deck_of_a_program(playproof: Call, desk: Path) -> str:
    """What `new` says of a sheet with headings as programs write them, and pictures with and without suffix."""
    (desk / "cards.csv").write_text(MADE_BY_A_PROGRAM, encoding="utf-8")
    for name in ("heron.png", "ferry.png"):
        Image.new("RGB", (70, 50), "#558").save(desk / name)
    made = playproof("new", "tides", "--sheet", "cards.csv")
    assert made.status == 0, made.err
    return made.out


def test_columns_for_programs_are_not_printed_and_a_picture_needs_no_suffix(
    playproof: Call, desk: Path, deck_of_a_program: str
) -> None:
    roles = {line.split()[0]: " ".join(line.split()[1:]) for line in deck_of_a_program.splitlines() if line[:2] == "  "}
    assert roles["slug"] == "small number"
    assert roles["cardName"] == "title"
    assert roles["designerNote"] == "notes, not shown"
    assert roles["effectsJson"] == "for programs, not shown"
    assert sorted(path.name for path in (desk / "tides" / "pictures").iterdir()) == ["Ferry.png", "heron.png"]
    built = playproof("build", "tides", "--paper", "A4")
    assert (built.status, "PP" in built.err) == (0, False)
    assert "PP253" not in playproof("lint", "tides").out
    Image.new("RGB", (70, 50), "#855").save(desk / "tides" / "pictures" / "Ferry.jpg")
    refused = playproof("build", "tides", "--paper", "A4")
    assert refused.status == 2
    assert "'Ferry' may be each of Ferry.jpg, Ferry.png: write the suffix too" in refused.err


@pytest.mark.parametrize(
    ("path", "hint"),
    [
        ("title", "what it is called is its `cardname`: write `path: cardname`"),
        ("cardname.en", "`cardname` is one value, without parts: write `path: cardname`"),
        ("manacosts", 'did you mean "manacost"?'),
    ],
)
def test_an_erratum_of_a_sheet_says_what_a_card_has(
    playproof: Call, desk: Path, deck_of_a_program: str, path: str, hint: str
) -> None:
    (desk / "tides" / "errata").mkdir()
    text = "version: '1.1'\ndate: 2026-01-02\nnote: A change.\nchanges:\n"
    change = f"  - {{component: old-ferry, path: {path}, from: Old Ferry, to: New Ferry}}\n"
    (desk / "tides" / "errata" / "1.1.yaml").write_text(text + change, encoding="utf-8")
    refused = playproof("errata", "tides", "--no-proof", "--games", "0")
    assert refused.status == 2
    assert hint in refused.err


@pytest.mark.parametrize(
    ("words", "title", "others"),
    [
        ("דרקון,משוך שני קלפים ואז השלך קלף אחד", "notoserifhebrew", "notoserifhebrew"),
        ("Żmija,Weź dwie karty i odrzuć jedną z nich", "alegreya, bold: true", "alegreya"),
        ("Дракон,Возьмите две карты и сбросьте одну", "alegreya, bold: true", "alegreya"),
        ("Dragon,Draw two cards then discard one", "almendra, bold: true", "alegreya"),
    ],
)
def test_a_draft_takes_families_that_draw_its_letters(tmp_path: Path, words: str, title: str, others: str) -> None:
    (tmp_path / "cards.csv").write_text(f"Name,Text,Cost\n{words},3\n{words.replace(',', ' 2,')},2\n", "utf-8")
    create_game_folder_from_sheet(tmp_path / "cards.csv", tmp_path / "game")
    (layout,) = (tmp_path / "game" / "layouts").glob("*.yaml")
    styles = [line.strip() for line in layout.read_text("utf-8").splitlines() if "family: " in line]
    assert f"title: {{family: {title}, size" in "\n".join(styles)
    assert any(f"family: {others}" in line for line in styles)
    press = Press(load_game(tmp_path / "game"))
    assert [*find_words_set_in_fallback_fonts(press)] == []

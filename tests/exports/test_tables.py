"""Virtual tables: files as the programs' own documentation describes them, and pictures in their places."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from PIL import Image

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.generator.build.export_jobs import build_virtual_table_of_game
from playproof.generator.build.run import Builder
from playproof.generator.exports import (
    card_game_simulator,
    playingcards_io,
    tabletop_playground,
    tabletop_simulator,
    vassal,
)
from playproof.generator.exports.raster import choose_atlas_grid_filling_rows_first
from playproof.generator.exports.virtual_table import (
    Deck,
    Die,
    StartPlace,
    TableSetup,
    VirtualTable,
    split_into_decks_and_loose_pieces,
)
from playproof.generator.scene import Symbol, Transform, Use, build_circle_path
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.slots import Size
from playproof.table import setup_positions
from playproof.table.rulebook_games import RefereedGamePlayer
from tests.sheets.makers import BLUE, GREEN, RED, face

BACK = face("back", BLUE)
COLOURS = (RED, GREEN)


def cards(count: int) -> tuple[Piece, ...]:
    """Red and green cards in turn."""
    fronts = [face(str(n), COLOURS[n % 2]) for n in range(count)]
    return tuple(Piece(f"Card {n}", front, BACK, 2 if n == 1 else 1) for n, front in enumerate(fronts))


def table(count: int = 5) -> VirtualTable:
    board = Piece("The map", face("map", GREEN, 200, 150))
    return VirtualTable("A game", (Deck("Events", cards(count)), Deck("Goals", cards(2))), (board,))


def simulator(made: VirtualTable, folder: Path) -> dict[str, Any]:
    """The saved object without the card that asks for a newer version, which has tests of its own."""
    path = tabletop_simulator.write_tabletop_simulator_files(made, folder, "https://example.org/x/")
    saved: dict[str, Any] = json.loads(path.read_text())
    assert "LuaScript" in saved["ObjectStates"].pop()
    return saved


def near(pixel: Any, colour: Any) -> bool:
    parts = (colour.red, colour.green, colour.blue)
    return all(abs(a - b * 255) < 3 for a, b in zip(pixel, parts, strict=True))


def _inside(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [thing for made in objects for thing in (made, *_inside(made.get("ContainedObjects", [])))]


def test_no_two_things_of_the_simulator_share_a_number(tmp_path: Path) -> None:
    things = _inside(simulator(table(), tmp_path)["ObjectStates"])
    assert len(things) == 2 + 6 + 3 + 1  # two decks, their cards with two copies of one, the map
    assert len({thing["GUID"] for thing in things}) == len(things)
    assert all(re.fullmatch(r"[0-9a-f]{6}", thing["GUID"]) for thing in things)


@pytest.mark.parametrize("count", [1, 2, 9, 10, 68, 69])
def test_sheets_keep_the_last_place_free_and_the_size_small(count: int) -> None:
    atlas = choose_atlas_grid_filling_rows_first(count, Size(63.5, 88.9), (10, 7), 4096, empty_places=1)
    assert atlas.columns * atlas.rows > count
    assert 2 <= atlas.columns <= 10
    assert 2 <= atlas.rows <= 7
    assert max(atlas.width_and_height_in_pixels) <= 4096


def test_a_full_sheet_is_as_large_as_the_published_one() -> None:
    atlas = choose_atlas_grid_filling_rows_first(69, Size(63.5, 88.9), (10, 7), 4096, empty_places=1)
    assert (atlas.columns, atlas.rows, atlas.cell) == (10, 7, (409, 573))


def test_simulator_deck(tmp_path: Path) -> None:
    events, goals, board = simulator(table(), tmp_path)["ObjectStates"]
    assert events["Name"] == "DeckCustom"
    assert events["DeckIDs"] == [100, 101, 101, 102, 103, 104]  # card 1 comes twice
    assert [card["CardID"] for card in events["ContainedObjects"]] == events["DeckIDs"]
    assert events["ContainedObjects"][1]["Nickname"] == "Card 1"
    assert list(goals["CustomDeck"]) == ["2"]  # keys never meet
    sheet = events["CustomDeck"]["1"]
    assert sheet["FaceURL"].startswith("https://example.org/x/events-1-fronts.png?v=")
    assert sheet["BackIsHidden"]
    assert not sheet["UniqueBack"]
    assert board["Name"] == "Custom_Tile"
    assert "/the-map-front.png?v=" in board["CustomImage"]["ImageURL"]


def test_every_picture_named_is_there_and_small_enough(tmp_path: Path) -> None:
    text = json.dumps(simulator(table(), tmp_path))
    named = {part.split("?v=")[0] for part in text.split("https://example.org/x/")[1:]}
    assert named == {file.name for file in tmp_path.glob("*.png")}
    for name in named:
        with Image.open(tmp_path / name) as picture:
            assert picture.mode == "RGB"
            assert max(picture.size) <= 4096


def test_cards_lie_where_their_numbers_say(tmp_path: Path) -> None:
    saved = simulator(table(12), tmp_path)
    sheet = saved["ObjectStates"][0]["CustomDeck"]["1"]
    with Image.open(tmp_path / "events-1-fronts.png") as picture:
        wide, high = picture.width // sheet["NumWidth"], picture.height // sheet["NumHeight"]
        for number in range(12):
            row, column = divmod(number, sheet["NumWidth"])
            assert near(picture.getpixel((column * wide + 8, row * high + 8)), COLOURS[number % 2])
        assert picture.getpixel((picture.width - 8, picture.height - 8)) == (255, 255, 255)


def test_a_deck_of_seventy_takes_two_sheets(tmp_path: Path) -> None:
    deck = simulator(VirtualTable("T", (Deck("All", cards(70)),)), tmp_path)["ObjectStates"][0]
    assert sorted(deck["CustomDeck"]) == ["1", "2"]
    assert deck["DeckIDs"][-1] == 200
    assert max(deck["DeckIDs"][:-1]) == 168


def test_backs_that_differ_get_a_sheet_of_their_own(tmp_path: Path) -> None:
    mixed = tuple(replace(card, back=face(f"b{n}", COLOURS[n % 2])) for n, card in enumerate(cards(3)))
    (deck, *_) = simulator(VirtualTable("T", (Deck("All", mixed),)), tmp_path)["ObjectStates"]
    sheet = deck["CustomDeck"]["1"]
    assert sheet["UniqueBack"]
    backs, fronts = (tmp_path / f"all-1-{side}.png" for side in ("backs", "fronts"))
    with Image.open(backs) as one, Image.open(fronts) as other:
        assert one.size == other.size


def test_one_card_is_no_deck(tmp_path: Path) -> None:
    (card,) = simulator(VirtualTable("T", (Deck("One", cards(1)),)), tmp_path)["ObjectStates"]
    assert (card["Name"], card["CardID"]) == ("Card", 100)


def pieces() -> VirtualTable:
    """A round token of which there are three, a figure, a die, and a board too large to lie on another."""
    token = Piece(
        "coin", replace(face("coin", RED, 20, 20), outline=build_circle_path(10, 10, 10)), None, 3, title="Gold Coin"
    )
    figure, board = Piece("hero", face("hero", GREEN, 22, 34)), Piece("map", face("map", GREEN, 300, 200))
    fate = Die("Fate", ("up", "up", "0", "0", "down", "down"), 2)
    return VirtualTable("T", (), (token, board), (figure,), (fate,))


def test_tokens_come_as_often_as_they_count_and_round(tmp_path: Path) -> None:
    dice, figure, coins, board = simulator(pieces(), tmp_path)["ObjectStates"]
    assert (coins["Name"], coins["Nickname"], len(coins["ContainedObjects"])) == ("Bag", "Gold Coin", 3)
    assert coins["ContainedObjects"][0]["CustomImage"]["CustomTile"]["Type"] == 2  # a circle
    assert len({coin["GUID"] for coin in coins["ContainedObjects"]}) == 3
    assert (figure["Name"], board["Name"]) == ("Figurine_Custom", "Custom_Tile")
    assert [value["Value"] for value in dice["ContainedObjects"][0]["RotationValues"]][:3] == ["up", "up", "0"]


def test_nothing_lies_on_anything_else(tmp_path: Path) -> None:
    boards = tuple(Piece(f"b{n}", face(f"b{n}", GREEN, 250, 150)) for n in range(9))
    objects = simulator(VirtualTable("T", (Deck("Events", cards(5)),), boards), tmp_path)["ObjectStates"]
    places = [(o["Transform"]["posX"], o["Transform"]["posZ"]) for o in objects[1:]]
    width, depth = 250 / 25.4, 150 / 25.4
    for (x, z), (u, w) in combinations(places, 2):
        assert abs(x - u) >= width or abs(z - w) >= depth
    assert all(abs(x) <= 22 for x, _ in places)


def test_a_module_holds_every_token_in_a_stack(tmp_path: Path) -> None:
    build, _ = module(pieces(), tmp_path)
    stacks = {s.get("name"): len(list(s)) for s in build.iter("VASSAL.build.module.map.SetupStack")}
    assert stacks == {"Gold Coin": 3, "hero": 1}
    boards = [b.get("name") for b in build.iter("VASSAL.build.module.map.boardPicker.Board")]
    assert boards == ["Cloth", "map"]


def test_a_module_rolls_dice_and_brings_the_rulebook(tmp_path: Path) -> None:
    die = Die("Fate", ("bad", "bad", "none", "none", "good", "good"))
    build, names = module(replace(table(), dice=(die,), rulebook=b"%PDF-1.4"), tmp_path)
    (button,) = build.iter("VASSAL.build.module.SpecialDiceButton")
    faces = [face.get("text") for face in button.iter("VASSAL.build.module.SpecialDieFace")]
    assert (button.get("name"), tuple(faces)) == ("Fate", die.faces)
    (book,) = build.iter("VASSAL.build.module.documentation.BrowserPDFFile")
    assert book.get("pdfFile") in names


def prepared() -> VirtualTable:
    """The pieces of above with a deck, laid out: the map in the middle, two of three coins on it, a pile beside it."""
    places = {
        "map": (StartPlace(0, 0),),
        "coin": (StartPlace(-100, 50, count=2),),
        "hero": (StartPlace(30, -20, 90),),
        "Card 0": (StartPlace(170, 0),),
        "Card 1": (StartPlace(170, 60, count=4),),
    }
    return replace(pieces(), decks=(Deck("Events", cards(5)),), prepared=TableSetup(500, 300, places))


def test_a_prepared_table_lies_as_the_set_up_says(tmp_path: Path) -> None:
    objects = simulator(prepared(), tmp_path)["ObjectStates"]
    found: dict[str, list[Any]] = {}
    for one in objects:
        found.setdefault(one["Nickname"], []).append(one)
    (deck,), (hero,), coins, (board,) = found["Events"], found["hero"], found["Gold Coin"], found["map"]
    assert (deck["Transform"]["posX"], deck["Transform"]["posZ"]) == (round(170 / 25.4, 3), round(-60 / 25.4, 3))
    assert [coin["Name"] for coin in coins] == ["Custom_Tile", "Custom_Tile", "Custom_Tile"]
    assert [coin["Transform"]["posX"] for coin in coins[:2]] == [round(-100 / 25.4, 3)] * 2
    assert coins[2]["Transform"]["posZ"] < -150 / 25.4  # what is left over lies below the table
    assert hero["Transform"]["rotY"] == 270
    assert (board["Locked"], board["Transform"]["posX"]) == (True, 0)
    assert board["Transform"]["posY"] < coins[0]["Transform"]["posY"]


def test_a_prepared_module_has_its_board_under_its_pieces(tmp_path: Path) -> None:
    build, _ = module(prepared(), tmp_path)
    stacks = [(s.get("name"), s.get("x"), len(list(s))) for s in build.iter("VASSAL.build.module.map.SetupStack")]
    x = 40 + round(150 * 100 / 25.4)
    assert [(name, count) for name, _, count in stacks] == [
        ("hero", 1),
        ("Gold Coin", 1),
        ("Gold Coin", 1),
        ("Gold Coin", 1),
    ]
    assert [place for name, place, _ in stacks if name == "Gold Coin"][:2] == [str(x)] * 2
    (table,) = build.iter("VASSAL.build.module.map.boardPicker.Board")
    with zipfile.ZipFile(tmp_path / "game.vmod") as archive, archive.open("images/cloth.png") as file:
        cloth = Image.open(file)
        edge = cloth.getpixel((40 + round(102 * 100 / 25.4), 40 + round(150 * 100 / 25.4)))
    assert table.get("name") == "Table"
    assert near(edge, GREEN)  # the left edge of the map


def test_a_prepared_package_brings_the_script_that_lays_it_out(tmp_path: Path) -> None:
    tabletop_playground.write_tabletop_playground_package(prepared(), tmp_path)
    script = (tmp_path / "Scripts" / "prepared.js").read_text()
    lying = json.loads(script[script.index("LYING = ") + 8 : script.index(";\n\nfunction")])
    known = {path.stem: json.loads(path.read_text())["Name"] for path in (tmp_path / "Templates").iterdir()}
    assert {known[template]: places for template, places, _ in lying} == {
        "Events": [[-6, 17, 0]],
        "map": [[0, 0, 0]],
        "Gold Coin": [[-5, -10, 0]] * 2,
        "hero": [[2, 3, 90]],
    }
    assert [face_down for _, _, face_down in lying] == [False, False, False, True]  # decks lie on boards


@pytest.mark.parametrize("name", ["eila", "opale"])
def test_a_game_with_rules_comes_laid_out(name: str, tmp_path: Path) -> None:
    builder = Builder(load_game(name), tmp_path, plays=RefereedGamePlayer())
    made = build_virtual_table_of_game(
        builder, "en", setup_positions.compute_new_game_positions_or_empty(builder, "en")
    )
    boards = [board for board in made.boards if max(board.size) > 90]
    assert any(made.prepared.list_one_setup_place_for_each_copy(board) for board in boards)
    assert any(made.prepared.find_place_of_most_copies_or_none(deck.cards) for deck in made.decks)
    half = made.prepared.width / 2, made.prepared.height / 2
    for places in made.prepared.places.values():
        assert all(abs(one.x) <= half[0] and abs(one.y) <= half[1] for one in places)


class TestDecksOf:
    def test_layouts_may_say_which_deck_a_card_belongs_to(self) -> None:
        cards = [Piece(str(n), face(str(n)), face(f"back {n}"), pile=("Day", "Night")[n % 2]) for n in range(5)]
        found, loose = split_into_decks_and_loose_pieces("All", cards)
        assert [(deck.name, [card.name for card in deck.cards]) for deck in found] == [
            ("Day", ["0", "2", "4"]),
            ("Night", ["1", "3"]),
        ]
        assert loose == []

    def test_one_deck_a_back(self) -> None:
        blue, red = face("blue back", BLUE), face("red back", RED)
        found, loose = split_into_decks_and_loose_pieces(
            "All", [Piece(str(n), face(str(n)), blue if n < 3 else red) for n in range(5)]
        )
        assert [(deck.name, len(deck.cards)) for deck in found] == [("All · 1", 3), ("All · 2", 2)]
        assert loose == []

    def test_a_part_that_two_layouts_share_is_one_back(self) -> None:
        backs = [replace(BACK, nodes=(Use(Symbol(f"s{n}", BACK.trim, BACK.nodes)),)) for n in range(2)]
        moved = replace(BACK, nodes=(Use(Symbol("s", BACK.trim, BACK.nodes), Transform.move(9, 0)),))
        pieces = [Piece(str(n), face(str(n)), back) for n, back in enumerate([BACK, *backs, moved, moved])]
        assert [len(deck.cards) for deck in split_into_decks_and_loose_pieces("All", pieces)[0]] == [3, 2]

    def test_numbered_backs_are_one_deck(self) -> None:
        found, _ = split_into_decks_and_loose_pieces(
            "All", [Piece(str(n), face(str(n)), face(f"back {n}")) for n in range(5)]
        )
        assert [(deck.name, len(deck.cards)) for deck in found] == [("All", 5)]

    def test_tokens_and_boards_are_no_cards(self) -> None:
        token = replace(face("t", RED, 20, 20), outline=build_circle_path(10, 10, 10))
        found, loose = split_into_decks_and_loose_pieces(
            "All", [Piece("t", token, token, 5), Piece("b", face("b", RED, 300, 200), face("c"))]
        )
        assert found == []
        assert [piece.name for piece in loose] == ["t", "b"]


def test_playground_package(tmp_path: Path) -> None:
    manifest = json.loads(tabletop_playground.write_tabletop_playground_package(table(), tmp_path).read_text())
    assert (manifest["Name"], len(manifest["GUID"])) == ("A game", 32)
    templates = [json.loads(file.read_text()) for file in sorted((tmp_path / "Templates").iterdir())]
    events = next(template for template in templates if template["Name"] == "Events")
    assert (events["Type"], events["Width"], events["Height"]) == ("Card", 6.35, 8.89)
    assert events["Indices"] == [0, 1, 1, 2, 3, 4]
    assert events["CardNames"]["4"] == "Card 4"
    for template in templates:
        sizes = []
        for key in ("FrontTexture", "BackTexture"):
            with Image.open(tmp_path / "Textures" / template[key]) as picture:
                sizes.append(picture.size)
        assert sizes[0] == sizes[1]
    assert {template["Name"] for template in templates} == {"Events", "Goals", "The map"}
    assert len({template["GUID"] for template in templates} | {manifest["GUID"]}) == 4


def test_playground_needs_more_textures_for_more_than_a_hundred(tmp_path: Path) -> None:
    tabletop_playground.write_tabletop_playground_package(VirtualTable("T", (Deck("All", cards(101)),)), tmp_path)
    (file,) = (tmp_path / "Templates").iterdir()
    template = json.loads(file.read_text())
    assert template["ExtraFrontTextures"] == ["all-2-fronts.png"]
    assert max(template["Indices"]) == 100


# What the program's schema asks of a template (github.com/plasticity-studios/tabletop-playground-schemas, schema.json).
OF_ALL = {"CollisionType", "GUID", "Metadata", "Models", "Name", "SurfaceType", "Tags", "Type"}
OF_A_CARD = {"BackIndex", "CardMetadata", "CardNames", "CardTags", "FrontTexture", "HiddenIndex", "Indices"}
AT_LEAST = {
    "BackIndex": -3,
    "HiddenIndex": -3,
    "NumHorizontal": 1,
    "NumVertical": 1,
    "Width": 0.1,
    "Height": 0.1,
    "Thickness": 0.01,
    "Friction": 0,
    "Density": 0,
    "Roughness": 0,
    "Metallic": 0,
}
AT_MOST = {"NumHorizontal": 128, "NumVertical": 128, "Friction": 1, "Density": 1, "Roughness": 1, "Metallic": 1}


def test_playground_templates_keep_to_the_programs_schema(tmp_path: Path) -> None:
    tabletop_playground.write_tabletop_playground_package(pieces(), tmp_path)
    templates = [json.loads(path.read_text()) for path in (tmp_path / "Templates").iterdir()]
    assert {template["Type"] for template in templates} == {"Card", "Cardboard Figure"}
    for template in templates:
        card = template["Type"] == "Card"
        assert (OF_ALL | (OF_A_CARD if card else {"FrontTexture"})) <= template.keys()
        assert all(template[key] >= least for key, least in AT_LEAST.items() if key in template)
        assert all(template[key] <= most for key, most in AT_MOST.items() if key in template)
        assert len(template["GUID"]) == 32
        assert template["SurfaceType"] == "Cardboard"
        assert (tmp_path / "Textures" / template["FrontTexture"]).is_file()
        if card:
            assert template["Model"] in ("Hexagonal", "Round", "Rounded", "Square")
            assert template["Indices"]
            assert set(map(str, template["Indices"])) <= template["CardNames"].keys()


def test_playground_tokens_boards_and_figures_are_what_they_are(tmp_path: Path) -> None:
    """By the program's own schema: model and thickness of a token, a figure's own type; none is held in a hand."""
    tabletop_playground.write_tabletop_playground_package(pieces(), tmp_path)
    made = {t["Name"]: t for t in (json.loads(file.read_text()) for file in (tmp_path / "Templates").iterdir())}
    coin, plan_, hero = made["Gold Coin"], made["map"], made["hero"]
    assert (coin["Type"], coin["Model"], coin["HiddenInHand"], coin["CanStack"]) == ("Card", "Round", False, True)
    assert (plan_["Model"], plan_["CanStack"]) == ("Square", False)
    assert coin["Thickness"] > 0.1
    assert hero["Type"] == "Cardboard Figure"
    assert (tmp_path / "Textures" / hero["FrontTexture"]).is_file()
    assert not {"Indices", "Model", "NumHorizontal"} & set(hero)


def test_the_upload_list_names_every_file_and_its_address(tmp_path: Path) -> None:
    (tmp_path / "old.png").write_bytes(b"from an earlier build")
    saved = json.dumps(simulator(replace(pieces(), rulebook=b"%PDF-1.4"), tmp_path))
    lines = [line.split("\t") for line in (tmp_path / "upload.txt").read_text().splitlines()]
    assert all((tmp_path / name).is_file() for name, _ in lines)
    assert all(address in saved for name, address in lines if name != "newest.json")
    assert {"rulebook.pdf", "newest.json"} <= {name for name, _ in lines}
    assert "old.png" not in [name for name, _ in lines]
    assert saved.count("https://example.org/x/") >= len(lines)


def module(made: VirtualTable, folder: Path) -> tuple[ET.Element, list[str]]:
    path = vassal.write_vassal_module_file(made, folder / "game.vmod")
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        data = ET.fromstring(archive.read("moduledata"))
        assert data.findtext("name") == made.name
        return ET.fromstring(archive.read("buildFile.xml")), archive.namelist()


def test_vassal_module(tmp_path: Path) -> None:
    build, names = module(table(), tmp_path)
    assert build.tag == "VASSAL.build.GameModule"
    assert names[:2] == ["buildFile.xml", "moduledata"]
    assert all(name.count("/") == 1 for name in names[2:])  # images lie flat
    piles = build.findall(".//VASSAL.build.module.map.DrawPile")
    assert [pile.get("name") for pile in piles] == ["Events", "Goals"]
    slots = build.findall(".//VASSAL.build.widget.CardSlot")
    assert [slot.get("gpid") for slot in slots] == [str(n) for n in range(9)]
    assert build.get("nextPieceSlotId") == "9"


def test_every_picture_a_module_names_is_in_it(tmp_path: Path) -> None:
    build, names = module(table(), tmp_path)
    named = {board.get("image") for board in build.iter("VASSAL.build.module.map.boardPicker.Board")}
    for slot in build.iter("VASSAL.build.widget.CardSlot"):
        (_, mask, piece), states = traits_of(slot)
        named |= {mask.split(";")[2], piece.split(";")[3]}
        assert states[-1].split(";")[3] == slot.get("gpid")
    assert {f"images/{name}" for name in named} == set(names[2:])


def traits_of(slot: ET.Element) -> tuple[list[str], list[str]]:
    """A piece's traits and states, read as VASSAL reads them: each keeps what is inside it after the first tab that is
    not escaped, with one escape taken away."""
    _, _, types, states = (slot.text or "").split("/")
    return _unnested(types), _unnested(states)


def _unnested(text: str) -> list[str]:
    outer, *inner = re.split(r"(?<!\\)\t", text, maxsplit=1)
    return [outer, *(_unnested(inner[0].replace("\\\t", "\t")) if inner else [])]


def test_every_piece_of_a_module_can_be_turned_and_lies_turned_as_it_is_set_up(tmp_path: Path) -> None:
    """By VASSAL's own source (FreeRotator): the number of places, two keys, two commands; the state is the place."""
    made = replace(pieces(), prepared=TableSetup(400, 300, {"coin": (StartPlace(0, 0, 90.0), StartPlace(9, 0))}))
    build, _ = module(made, tmp_path)
    turned = {}
    for slot in (*build.iter("VASSAL.build.widget.CardSlot"), *build.iter("VASSAL.build.widget.PieceSlot")):
        traits, states = traits_of(slot)
        assert traits[0].split(";")[:2] == ["rotate", "8"]
        assert [word for word in traits[0].split(";") if word.startswith("Turn ")] == ["Turn right", "Turn left"]
        assert len(traits) == len(states) == (3 if "obs;" in (slot.text or "") else 2)
        turned.setdefault(slot.get("entryName"), []).append(states[0])
    assert turned.pop("Gold Coin")[:3] == ["2", "0", "0"]
    assert {state for each in turned.values() for state in each} == {"0"}


def test_names_that_would_break_a_module(tmp_path: Path) -> None:
    odd = tuple(Piece("A/B;C\tD <&>", face(str(n), RED), BACK) for n in range(2))
    build, names = module(VirtualTable("<T & U>", (Deck("All", odd),)), tmp_path)
    slots = list(build.iter("VASSAL.build.widget.CardSlot"))
    assert all(len(part) == 3 for slot in slots for part in traits_of(slot))
    assert len([name for name in names if "a-b-c-d" in name]) == 2  # two cards of one name keep two pictures


@pytest.mark.parametrize("maker", ["simulator", "playground", "vassal"])
def test_the_same_table_gives_the_same_bytes(maker: str, tmp_path: Path) -> None:
    def made(folder: Path) -> dict[str, bytes]:
        folder.mkdir()
        if maker == "simulator":
            tabletop_simulator.write_tabletop_simulator_files(table(), folder, "https://example.org")
        elif maker == "playground":
            tabletop_playground.write_tabletop_playground_package(table(), folder)
        else:
            vassal.write_vassal_module_file(table(), folder / "game.vmod")
        return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*.*")}

    assert made(tmp_path / "one") == made(tmp_path / "two")


def test_tables_that_cannot_be_made(tmp_path: Path) -> None:
    mixed = Deck("Mixed", (*cards(1), Piece("big", face("big", RED, 70, 120), face("b", RED, 70, 120))))
    bare = Deck("Bare", (Piece("bare", face("bare")),))
    empty = Deck("Empty", ())
    with pytest.raises(InputError) as error:
        vassal.write_vassal_module_file(VirtualTable("T", (mixed, bare, empty)), tmp_path / "t.vmod")
    assert sorted(finding.code for finding in error.value.findings) == ["PP543", "PP547", "PP549"]
    with pytest.raises(InputError, match="twice"):
        vassal.write_vassal_module_file(
            VirtualTable("T", (Deck("A b", cards(1)), Deck("a-B", cards(1)))), tmp_path / "t.vmod"
        )
    assert not list(tmp_path.iterdir())


TOKEN = Piece("Coin", replace(face("coin", RED, 20, 20), outline=build_circle_path(10, 10, 10)), None, 3)


def whole_table() -> VirtualTable:
    """Two decks of different sizes, a board, a token and a die."""
    small = tuple(
        replace(card, front=face(card.name, RED, 44, 68), back=face("small", BLUE, 44, 68)) for card in cards(2)
    )
    made = table()
    die = Die("Fate", ("1", "1", "2", "2", "3", "X"), 2)
    return replace(made, decks=(made.decks[0], Deck("Small", small)), boards=(*made.boards, TOKEN), dice=(die,))


def test_a_room_of_playingcards_io_is_read_back_as_its_readers_do(tmp_path: Path) -> None:
    """As two published readers: widgets.json in a zip; cards name a deck and a kind in it; a kind's values fill the
    templates of the deck; an address begins with package:// and names a file of the zip, with one dot, below 2 MB."""
    archive = zipfile.ZipFile(playingcards_io.write_playingcards_room_file(whole_table(), tmp_path))
    widgets = json.loads(archive.read("widgets.json"))
    by_id = {widget["id"]: widget for widget in widgets}
    assert len(by_id) == len(widgets)
    dealt: dict[str, int] = {}
    for card in (widget for widget in widgets if widget["type"] == "card"):
        deck = by_id[card["deck"]]
        kind = deck["cardTypes"][card["cardType"]]
        dealt[kind["label"]] = dealt.get(kind["label"], 0) + 1
        assert card.get("parent") == deck.get("parent")
        assert not card["faceup"]
        (whole,) = deck["faceTemplate"]["objects"]
        assert (whole["valueType"], whole["w"], whole["h"]) == ("dynamic", deck["cardWidth"], deck["cardHeight"])
        name = kind[whole["value"]].removeprefix("package://")
        with Image.open(io.BytesIO(archive.read(name))) as picture:
            colour = RED if deck["cardWidth"] < 100 else COLOURS[int(kind["label"][-1]) % 2]
            assert near(picture.getpixel((8, 8)), colour)
            assert abs(picture.width / picture.height - deck["cardWidth"] / deck["cardHeight"]) < 0.01
    assert dealt == {"Card 0": 2, "Card 1": 4, "Card 2": 1, "Card 3": 1, "Card 4": 1, "Coin": 3}
    assert [widget["options"][-1] for widget in widgets if widget["type"] == "spinner"] == ["X", "X"]
    named = set(re.findall(r"package://([^\"]+)", archive.read("widgets.json").decode()))
    assert named == set(archive.namelist()) - {"widgets.json"}
    assert all(name.count(".") == 1 and archive.getinfo(name).file_size < 2 << 20 for name in named)
    spots = [
        (w["x"], w["y"], w["width"], w["height"]) for w in widgets if w["type"] in ("cardPile", "board", "spinner")
    ]
    assert all(x >= 0 and y >= 0 and x + width <= 1600 and y + height <= 820 for x, y, width, height in spots)
    for (x, y, width, height), (x2, y2, width2, height2) in combinations(spots, 2):
        assert x + width <= x2 or x2 + width2 <= x or y + height <= y2 or y2 + height2 <= y


# What the published schema (docs/schema/cgs.json of the program's repository) says of the keys that are written. It
# allows no others.
CGS = {
    "name": str,
    "autoUpdate": int,
    "cardNameIsUnique": bool,
    "cardSize": {"x": float, "y": float},
    "cardBackFaceImageUrls": [{"id": str, "url": str}],
    "deckUrls": [{"name": str, "url": str, "txt": str, "isAvailable": bool}],
    "gameStartDecks": [{"name": str, "url": str, "txt": str, "isAvailable": bool}],
    "gameBoardUrls": [{"id": str, "url": str}],
    "gameBoardCards": [
        {"card": str, "boards": [{"id": str, "offsetMin": {"x": float, "y": float}, "size": {"x": float, "y": float}}]}
    ],
    "playMatSize": {"x": float, "y": float},
    "autoUpdateUrl": str,
    "allCardsUrl": str,
    "allSetsUrl": str,
    "cardBackImageUrl": str,
    "cardImageUrl": str,
    "rulesUrl": str,
}


def fits(value: Any, shape: Any) -> bool:
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(key in shape and fits(item, shape[key]) for key, item in value.items())
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    return isinstance(value, (int, float) if shape is float else shape)


def test_a_game_of_card_game_simulator_is_read_back_as_the_program_does(tmp_path: Path) -> None:
    """A deck's lines are `count [id]`; a card's picture is sets/SET/ID.png, its back backs/ID.png; all of one size."""
    archive = zipfile.ZipFile(card_game_simulator.write_card_game_simulator_folder_and_zip(whole_table(), tmp_path))
    assert {name.split("/")[0] for name in archive.namelist()} == {"a-game"}  # the folder is the game's id
    game, known = (json.loads(archive.read(f"a-game/{name}.json")) for name in ("cgs", "AllCards"))
    assert fits(game, CGS)
    by_id = {card["id"]: card for card in known}
    sets = {entry["code"] for entry in json.loads(archive.read("a-game/AllSets.json"))}
    counts = []
    for deck in game["gameStartDecks"]:
        for line in archive.read(f"a-game/decks/{deck['name']}.txt").decode().splitlines():
            count, ident = line.split()
            card = by_id[ident[1:-1]]
            counts.append((card["name"], int(count)))
            assert card["set"] in sets
            for side in (f"sets/{card['set']}/{card['id']}", f"backs/{card['backs'][0]}"):
                with Image.open(io.BytesIO(archive.read(f"a-game/{side}.png"))) as picture:
                    # a poker card; a smaller one stands on white, not stretched
                    assert picture.size == (731, 1024)
    assert counts == [(card.label, card.count) for deck in whole_table().decks for card in deck.cards]
    assert game["gameBoardCards"][0]["card"] in by_id
    assert "a-game/boards/the-map.png" in archive.namelist()
    assert game["autoUpdate"] < 0  # nothing to fetch it from
    published = card_game_simulator.write_card_game_simulator_folder_and_zip(
        whole_table(), tmp_path / "again", "https://example.org/a game/"
    )
    online = json.loads(zipfile.ZipFile(published).read("a-game/cgs.json"))
    assert fits(online, CGS)
    assert online["autoUpdateUrl"] == "https://example.org/a game/cgs.json"
    assert (tmp_path / "again" / "a-game" / "cgs.json").is_file()
    assert [piece.name for piece in card_game_simulator.list_tokens_and_figures_left_out(whole_table())] == ["Coin"]

"""Tabletop Simulator: card sheets of 10 x 7 and a saved object that spawns the decks, with a card that asks
the published address of its game for a newer version."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playproof.database.files import format_json_bytes, write_atomically
from playproof.generator.exports.raster import (
    TOKEN,
    choose_atlas_grid,
    draw_atlas,
    draw_face_picture,
    encode_png,
)
from playproof.generator.exports.virtual_table import (
    LARGEST_CARD,
    Deck,
    Die,
    StartPlace,
    VirtualTable,
    build_stable_id,
    check_table,
    iter_pieces_with_places,
    slugify,
)
from playproof.generator.sheets.pieces import Piece

# Tabletop Simulator: card sheets of 10 x 7 and a saved object that spawns the decks.

MOST = (10, 7)
WIDEST = 4096  # px
PLACES = MOST[0] * MOST[1] - 1  # the last one is the hidden card
APART = 1.0  # the game's units (inches) between things on the table
SHELF = 44.0  # inches: a row of things, as wide as the game's common table
DECK = (2.5, 3.5)  # inches that a deck of scale 1 takes
INCH = 25.4  # mm
GROUND, PIECES = 1.0, 1.6  # heights from which boards, and then the pieces on them, drop
BOX, CIRCLE = 0, 2  # shapes of a custom tile
FIGURE = (1.5, 1.5)  # inches
RULEBOOK = "rulebook.pdf"
UPLOADS = "upload.txt"
CARD = 63.5  # mm; a card of scale 1 is as wide as a poker card

JsonObject = dict[str, Any]  # the game's JSON, as its documentation lists it


def write_tabletop_simulator_save(table: VirtualTable, folder: Path, base_url: str = "") -> Path:
    """Write the pictures and the saved object, and return the path of the JSON file.

    `address` is where players' computers find the pictures; by default it is the folder itself. With an
    address, a card on the table asks it for a newer version.
    """
    check_table(table)
    files = _PublishedFiles(folder, base_url.rstrip("/"))
    objects = []
    key = 1
    shelf = _TablePlacer(-table.prepared.height / 2 / INCH - APART if table.prepared.places else SHELF / 3)
    for deck in table.decks:
        made, sheets = _build_deck(deck, key, files)
        place = table.prepared.find_largest_pile_place(deck.cards)
        objects.append(
            _place_object_at_setup(made, place, PIECES) if place else shelf.place_object(made, DECK)
        )
        key += sheets
    for die in table.dice:
        objects.append(
            shelf.place_object(
                _wrap_copies_in_bag(die.name, [_build_die(die, n) for n in range(die.count)]), FIGURE
            )
        )
    for figure, places, left in iter_pieces_with_places(table.prepared, table.figures):
        image = _write_piece_images(figure, files)
        copies = [_build_figurine(figure, image, n) for n in range(figure.count)]
        objects += [
            _place_object_at_setup(copy, place, PIECES) for copy, place in zip(copies, places, strict=False)
        ]
        if left:
            objects.append(shelf.place_object(_wrap_copies_in_bag(figure.label, copies[-left:]), FIGURE))
    for board, places, left in iter_pieces_with_places(
        table.prepared, sorted(table.boards, key=lambda board: max(board.size))
    ):
        image = _write_piece_images(board, files)
        copies = [_build_tile(board, image, n) for n in range(board.count)]
        large = max(board.size) > LARGEST_CARD or board.name in table.prepared.grounds
        height = GROUND if large else PIECES
        objects += [
            _place_object_at_setup(copy, place, height) | {"Locked": large}
            for copy, place in zip(copies, places, strict=False)
        ]
        if left:
            size = FIGURE if left > 1 else (board.size.width / INCH, board.size.height / INCH)
            objects.append(shelf.place_object(_wrap_copies_in_bag(board.label, copies[-left:]), size))
    if table.rulebook:
        objects.append(shelf.place_object(_build_rulebook_object(table, files), DECK))
    if base_url:
        note = shelf.place_object(
            _build_object("Notecard", table.name, build_stable_id("version", table.name, digits=6)), DECK
        )
        _make_guids_distinct([*objects, note], set())
        note = add_version_check_script(
            note, objects, table.name, f"playproof {slugify(table.name)}", files.get_address(NEWEST)
        )
        files.write_file(NEWEST, format_json_bytes(build_newest_version_file(note, objects), indent=2))
        objects.append(note)
    else:
        _make_guids_distinct(objects, set())
    files.write_upload_list()
    path = folder / f"{slugify(table.name)}.json"
    saved = {"SaveName": table.name, "GameMode": table.name, "ObjectStates": objects}
    write_atomically(path, format_json_bytes(saved, indent=2))
    return path


def _make_guids_distinct(objects: list[JsonObject], taken: set[str]) -> None:
    """Give each object a number of its own, copies of a card too: scripts and saves find things by it."""
    for made in objects:
        while made["GUID"] in taken:
            made["GUID"] = build_stable_id(made["GUID"], "again", digits=6).lower()
        taken.add(made["GUID"])
        _make_guids_distinct(made.get("ContainedObjects", []), taken)


def _build_rulebook_object(table: VirtualTable, files: _PublishedFiles) -> JsonObject:
    made = _build_object("Custom_PDF", table.name, build_stable_id("rulebook", table.name, digits=6))
    address = files.write_file(RULEBOOK, table.rulebook)
    return made | {
        "CustomPDF": {"PDFUrl": address, "PDFPassword": "", "PDFPage": 0, "PDFPageOffset": 0},
    }


@dataclass
class _PublishedFiles:
    """The folder, the address at which players find its files, and the names written so far."""

    folder: Path
    published: str  # "" if they stay on this machine
    names: set[str] = field(default_factory=set)

    def get_address(self, name: str) -> str:
        """Return where the program finds a file."""
        return f"{self.published or self.folder.resolve().as_uri()}/{quote(name)}"

    def write_file(self, name: str, data: bytes) -> str:
        """Write a file and return its address. The program keeps what it got from an address for ever, so a
        published address holds the digest, which changes with the content; servers ignore it."""
        write_atomically(self.folder / name, data)
        self.names.add(name)
        return self.get_address(name) + (f"?v={compute_short_digest(data)}" if self.published else "")

    def write_upload_list(self) -> None:
        """Write which files to upload, and where, one a line, so that the table loads on another machine."""
        lines = [f"{name}\t{self.get_address(name)}\n" for name in sorted(self.names)]
        write_atomically(self.folder / UPLOADS, "".join(lines).encode())


def _build_deck(deck: Deck, first_key: int, files: _PublishedFiles) -> tuple[JsonObject, int]:
    """Return the deck as an object, and the number of its sheets."""
    cards = [card for card in deck.cards if card.count]
    chunks = [cards[at : at + PLACES] for at in range(0, len(cards), PLACES)]
    sheets: dict[str, JsonObject] = {}
    card_ids: list[tuple[int, Piece]] = []
    for number, chunk in enumerate(chunks):
        key = first_key + number
        sheets[str(key)] = _write_card_sheet(deck, chunk, number, files)
        # the game's own numbers: the sheet, then two digits for the place
        for place, card in enumerate(chunk):
            card_ids += [(key * 100 + place, card)] * card.count
    contained = [_build_card(deck, card_id, card, sheets) for card_id, card in card_ids]
    if len(contained) == 1:  # the game spawns no deck of one card
        return contained[0], len(chunks)
    made = _build_object("DeckCustom", deck.name, build_stable_id(deck.name, digits=6))
    made |= {
        "DeckIDs": [card_id for card_id, _ in card_ids],
        "CustomDeck": sheets,
        "ContainedObjects": contained,
    }
    return made, len(chunks)


def _build_card(deck: Deck, card_id: int, card: Piece, sheets: Mapping[str, JsonObject]) -> JsonObject:
    made = _build_object("Card", card.label, build_stable_id(deck.name, card.name, digits=6))
    scale = deck.size.width / CARD
    made["Transform"] |= {"scaleX": scale, "scaleZ": scale}
    key = str(card_id // 100)
    return made | {"CardID": card_id, "CustomDeck": {key: sheets[key]}}


def _write_card_sheet(deck: Deck, cards: list[Piece], number: int, files: _PublishedFiles) -> JsonObject:
    """Write the pictures of one sheet and return its entry of CustomDeck."""
    atlas = choose_atlas_grid(len(cards), deck.size, MOST, WIDEST, empty_places=1)
    stem = f"{slugify(deck.name)}-{number + 1}"
    one_back = deck.shared_back
    backs = (
        draw_face_picture(one_back, max_pixels=WIDEST)
        if one_back
        else draw_atlas(list(_iter_backs(cards)), atlas)
    )
    return {
        "FaceURL": files.write_file(
            f"{stem}-fronts.png", encode_png(draw_atlas([card.front for card in cards], atlas))
        ),
        "BackURL": files.write_file(f"{stem}-backs.png", encode_png(backs)),
        "NumWidth": atlas.columns,
        "NumHeight": atlas.rows,
        "BackIsHidden": True,
        "UniqueBack": one_back is None,
        "Type": 0,
    }


def _iter_backs(cards: list[Piece]) -> Iterator[Any]:
    for card in cards:
        assert card.back is not None, "check_table() lets only cards with backs through"
        yield card.back


class _TablePlacer:
    """Hands out places on the table, left to right and then towards the players."""

    def __init__(self, z: float) -> None:
        self.x, self.z, self.deep = -SHELF / 2, z, 0.0

    def place_object(self, table_object: JsonObject, size: tuple[float, float]) -> JsonObject:
        """Move the object to the next free place of this size (inches) and return it."""
        width, depth = size
        if self.x + width > SHELF / 2 and self.deep:
            self.x, self.z, self.deep = -SHELF / 2, self.z - self.deep - APART, 0.0
        table_object["Transform"]["posX"] = round(self.x + width / 2, 3)
        table_object["Transform"]["posZ"] = round(self.z - depth / 2, 3)
        self.x += width + APART
        self.deep = max(self.deep, depth)
        return table_object


def _place_object_at_setup(table_object: JsonObject, place: StartPlace, height: float) -> JsonObject:
    """Return the object at its place in the set-up. The game counts inches from the middle; z
    points away from the players."""
    moved = {"posX": round(place.x / INCH, 3), "posY": height, "posZ": round(-place.y / INCH, 3)}
    moved["rotY"] = (table_object["Transform"]["rotY"] + place.turn) % 360
    return table_object | {"Transform": table_object["Transform"] | moved}


def _wrap_copies_in_bag(name: str, copies: list[JsonObject]) -> JsonObject:
    """Return the only copy, or a bag of all copies."""
    if len(copies) == 1:
        return copies[0]
    return _build_object("Bag", name, build_stable_id("bag", name, digits=6)) | {"ContainedObjects": copies}


def _write_piece_images(piece: Piece, files: _PublishedFiles) -> JsonObject:
    """Write both sides of a piece and return its entry for the game's custom image."""
    sides = {"front": piece.front, "back": piece.back or piece.front}
    front, back = (
        files.write_file(
            f"{slugify(piece.name)}-{side}.png", encode_png(draw_face_picture(face, 150, WIDEST, TOKEN))
        )
        for side, face in sides.items()
    )
    return {
        "ImageURL": front,
        "ImageSecondaryURL": back,
        "ImageScalar": 1.0,
        "WidthScale": 0.0,
    }


def _build_tile(board: Piece, image: JsonObject, number: int) -> JsonObject:
    """Return a flat tile as wide as the board, round if the board has an outline, its back on the
    other side."""
    made = _build_object("Custom_Tile", board.label, build_stable_id(board.name, str(number), digits=6))
    scale = board.size.width / 25.4 / 2  # a tile of scale 1 is about two of the game's inches wide
    made["Transform"] |= {"scaleX": scale, "scaleZ": scale}
    shape = CIRCLE if board.front.is_round else BOX
    tile = {"Type": shape, "Thickness": 0.1, "Stackable": board.count > 1, "Stretch": True}
    return made | {"CustomImage": {**image, "CustomTile": tile}}


def _build_figurine(figure: Piece, image: JsonObject, number: int) -> JsonObject:
    """Return a picture that stands on a foot."""
    made = _build_object("Figurine_Custom", figure.label, build_stable_id(figure.name, str(number), digits=6))
    return made | {"CustomImage": image}


# How the game's own die lies when 1 to 6 is on top, in degrees (its knowledge base, rotation
# values).
LIES = ((-90, 0, 0), (0, 0, 0), (0, 0, -90), (0, 0, 90), (0, 0, -180), (90, 0, 0))


def _build_die(die: Die, number: int) -> JsonObject:
    """Return the game's own die. Its tooltip says what the face on top means."""
    made = _build_object("Die_6", die.name, build_stable_id("die", die.name, str(number), digits=6))
    values = [
        {"Value": text, "Rotation": {"x": float(x), "y": float(y), "z": float(z)}}
        for text, (x, y, z) in zip(die.faces, LIES, strict=True)
    ]
    listed = "\n".join(f"{pips}: {text}" for pips, text in enumerate(die.faces, 1))
    return made | {"Description": listed, "RotationValues": values}


def _build_object(kind: str, name: str, guid: str) -> JsonObject:
    place = {"posX": 0.0, "posY": 1.0, "posZ": 0.0, "rotX": 0.0, "rotY": 180.0, "rotZ": 180.0}
    if kind not in ("DeckCustom", "Card"):  # cards lie face down
        place["rotZ"] = 0.0
    return {
        "Name": kind,
        "Transform": {**place, "scaleX": 1.0, "scaleY": 1.0, "scaleZ": 1.0},
        "Nickname": name,
        "Description": "",
        "GUID": guid.lower(),
    }


# -- newer version -------------------------------------------------------------------------------------------
# A card of Tabletop Simulator that asks the published address of its game for a newer version.

NEWEST = "newest.json"  # at the published address: the version, and its objects as JSON texts
SCRIPT = Path(__file__).with_suffix(".lua")

SavedObject = dict[str, Any]


def compute_short_digest(data: bytes) -> str:
    """Return what tells this content from others: 12 hexadecimal digits."""
    return sha256(data).hexdigest()[:12]


def add_version_check_script(
    card: SavedObject, objects: list[SavedObject], title: str, tag: str, address: str
) -> SavedObject:
    """Return the card as one that asks, and tag it and the other objects of the table as parts of the game.

    `address` is that of NEWEST. The version is the digest of the objects. Tags are lower case, since the program
    does not tell cases apart.
    """
    for made in _iter_nested_objects([card, *objects]):
        made["Tags"] = [tag]
    version = compute_short_digest(json.dumps(objects, sort_keys=True).encode())
    about = {"title": title, "address": address, "version": version, "tag": tag}
    script = SCRIPT.read_text(encoding="utf-8")
    return card | {
        "Description": f"When the table loads, this card looks at {address} for a newer version.",
        "LuaScript": script,
        "LuaScriptState": json.dumps(about, ensure_ascii=False),
    }


def build_newest_version_file(card: SavedObject, objects: list[SavedObject]) -> SavedObject:
    """Return what the published address answers. Each object is a text, so that Lua takes nothing of it apart."""
    version = json.loads(card["LuaScriptState"])["version"]
    return {
        "version": version,
        "objects": [json.dumps(made, ensure_ascii=False) for made in (*objects, card)],
    }


def _iter_nested_objects(objects: list[SavedObject]) -> Iterator[SavedObject]:
    for made in objects:
        yield made
        yield from _iter_nested_objects(made.get("ContainedObjects", []))

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

from playproof.database.files import format_json_bytes, write_file_atomically
from playproof.generator.exports.raster import (
    TOKEN,
    choose_atlas_grid_filling_rows_first,
    draw_faces_in_grid_picture,
    draw_trimmed_face_at_resolution,
    encode_reproducible_png,
)
from playproof.generator.exports.virtual_table import (
    LARGEST_CARD,
    Deck,
    Die,
    StartPlace,
    VirtualTable,
    build_uppercase_hex_id_from_words,
    iter_pieces_places_and_unplaced_counts,
    refuse_impossible_virtual_table,
    slugify_name,
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


def write_tabletop_simulator_files(table: VirtualTable, folder: Path, base_url: str = "") -> Path:
    """Write the pictures and the saved object, and return the path of the JSON file.

    `base_url` is where players' computers find the pictures; by default it is the folder itself. With an
    address, a card on the table asks it for a newer version.
    """
    refuse_impossible_virtual_table(table)
    files = _PublishedFiles(folder, base_url.rstrip("/"))
    objects = []
    key = 1
    shelf = _TablePlacer(-table.prepared.height / 2 / INCH - APART if table.prepared.places else SHELF / 3)
    for deck in table.decks:
        made, sheets = _write_sheets_get_deck_object_and_count(deck, key, files)
        place = table.prepared.find_place_of_most_copies_or_none(deck.cards)
        objects.append(
            _copy_object_to_setup_place(made, place, PIECES)
            if place
            else shelf.move_object_in_place_to_next_free_place(made, DECK)
        )
        key += sheets
    for die in table.dice:
        objects.append(
            shelf.move_object_in_place_to_next_free_place(
                _get_only_copy_or_bag_of_copies(die.name, [_build_die_object(die, n) for n in range(die.count)]), FIGURE
            )
        )
    for figure, places, left in iter_pieces_places_and_unplaced_counts(table.prepared, table.figures):
        image = _write_both_sides_and_build_image_entry(figure, files)
        copies = [_build_figurine_object(figure, image, n) for n in range(figure.count)]
        objects += [
            _copy_object_to_setup_place(copy, place, PIECES) for copy, place in zip(copies, places, strict=False)
        ]
        if left:
            objects.append(
                shelf.move_object_in_place_to_next_free_place(
                    _get_only_copy_or_bag_of_copies(figure.label, copies[-left:]), FIGURE
                )
            )
    for board, places, left in iter_pieces_places_and_unplaced_counts(
        table.prepared, sorted(table.boards, key=lambda board: max(board.size))
    ):
        image = _write_both_sides_and_build_image_entry(board, files)
        copies = [_build_board_tile_object(board, image, n) for n in range(board.count)]
        large = max(board.size) > LARGEST_CARD or board.name in table.prepared.grounds
        height = GROUND if large else PIECES
        objects += [
            _copy_object_to_setup_place(copy, place, height) | {"Locked": large}
            for copy, place in zip(copies, places, strict=False)
        ]
        if left:
            size = FIGURE if left > 1 else (board.size.width / INCH, board.size.height / INCH)
            objects.append(
                shelf.move_object_in_place_to_next_free_place(
                    _get_only_copy_or_bag_of_copies(board.label, copies[-left:]), size
                )
            )
    if table.rulebook:
        objects.append(
            shelf.move_object_in_place_to_next_free_place(_write_rulebook_and_build_object(table, files), DECK)
        )
    if base_url:
        objects.append(_write_version_and_build_update_card(table, objects, shelf, files))
    else:
        _make_guids_unique_in_place(objects, set())
    files.write_list_of_files_to_upload()
    path = folder / f"{slugify_name(table.name)}.json"
    saved = {"SaveName": table.name, "GameMode": table.name, "ObjectStates": objects}
    write_file_atomically(path, format_json_bytes(saved, indent=2))
    return path


def _write_version_and_build_update_card(
    table: VirtualTable, objects: list[dict[str, Any]], shelf: _TablePlacer, files: _PublishedFiles
) -> dict[str, Any]:
    """Write what the published address answers, and return the card that asks it. Tags the objects."""
    ident = build_uppercase_hex_id_from_words("version", table.name, digits=6)
    note = shelf.move_object_in_place_to_next_free_place(_build_object_of_kind("Notecard", table.name, ident), DECK)
    _make_guids_unique_in_place([*objects, note], set())
    address = files.get_published_or_local_address(NEWEST)
    note = tag_objects_and_copy_card_with_script(
        note, objects, table.name, f"playproof {slugify_name(table.name)}", address
    )
    newest = build_newest_version_file_content(note, objects)
    files.write_file_and_return_address(NEWEST, format_json_bytes(newest, indent=2))
    return note


def _make_guids_unique_in_place(objects: list[JsonObject], taken_guids: set[str]) -> None:
    """Give each object a number of its own, copies of a card too: scripts and saves find things by it."""
    for made in objects:
        while made["GUID"] in taken_guids:
            made["GUID"] = build_uppercase_hex_id_from_words(made["GUID"], "again", digits=6).lower()
        taken_guids.add(made["GUID"])
        _make_guids_unique_in_place(made.get("ContainedObjects", []), taken_guids)


def _write_rulebook_and_build_object(table: VirtualTable, files: _PublishedFiles) -> JsonObject:
    made = _build_object_of_kind(
        "Custom_PDF", table.name, build_uppercase_hex_id_from_words("rulebook", table.name, digits=6)
    )
    address = files.write_file_and_return_address(RULEBOOK, table.rulebook)
    return made | {"CustomPDF": {"PDFUrl": address, "PDFPassword": "", "PDFPage": 0, "PDFPageOffset": 0}}


@dataclass
class _PublishedFiles:
    """The folder, the address at which players find its files, and the names written so far."""

    folder: Path
    published: str  # "" if they stay on this machine
    names: set[str] = field(default_factory=set)

    def get_published_or_local_address(self, file_name: str) -> str:
        """Return where the program finds a file."""
        return f"{self.published or self.folder.resolve().as_uri()}/{quote(file_name)}"

    def write_file_and_return_address(self, file_name: str, data: bytes) -> str:
        """Write a file and return its address. The program keeps what it got from an address for ever, so a
        published address holds the digest, which changes with the content; servers ignore it."""
        write_file_atomically(self.folder / file_name, data)
        self.names.add(file_name)
        return self.get_published_or_local_address(file_name) + (
            f"?v={compute_12_hex_digit_digest(data)}" if self.published else ""
        )

    def write_list_of_files_to_upload(self) -> None:
        """Write which files to upload, and where, one a line, so that the table loads on another machine."""
        lines = [f"{name}\t{self.get_published_or_local_address(name)}\n" for name in sorted(self.names)]
        write_file_atomically(self.folder / UPLOADS, "".join(lines).encode())


def _write_sheets_get_deck_object_and_count(
    deck: Deck, first_sheet_number: int, files: _PublishedFiles
) -> tuple[JsonObject, int]:
    """Return the deck as an object, and the number of its sheets."""
    cards = [card for card in deck.cards if card.count]
    chunks = [cards[at : at + PLACES] for at in range(0, len(cards), PLACES)]
    sheets: dict[str, JsonObject] = {}
    card_ids: list[tuple[int, Piece]] = []
    for number, chunk in enumerate(chunks):
        key = first_sheet_number + number
        sheets[str(key)] = _write_card_sheet_and_build_entry(deck, chunk, number, files)
        # the game's own numbers: the sheet, then two digits for the place
        for place, card in enumerate(chunk):
            card_ids += [(key * 100 + place, card)] * card.count
    contained = [_build_card_object(deck, card_id, card, sheets) for card_id, card in card_ids]
    if len(contained) == 1:  # the game spawns no deck of one card
        return contained[0], len(chunks)
    made = _build_object_of_kind("DeckCustom", deck.name, build_uppercase_hex_id_from_words(deck.name, digits=6))
    made |= {"DeckIDs": [card_id for card_id, _ in card_ids], "CustomDeck": sheets, "ContainedObjects": contained}
    return made, len(chunks)


def _build_card_object(
    deck: Deck, card_id: int, card: Piece, sheet_entries_by_number: Mapping[str, JsonObject]
) -> JsonObject:
    made = _build_object_of_kind("Card", card.label, build_uppercase_hex_id_from_words(deck.name, card.name, digits=6))
    scale = deck.size.width / CARD
    made["Transform"] |= {"scaleX": scale, "scaleZ": scale}
    key = str(card_id // 100)
    return made | {"CardID": card_id, "CustomDeck": {key: sheet_entries_by_number[key]}}


def _write_card_sheet_and_build_entry(
    deck: Deck, cards: list[Piece], sheet_index: int, files: _PublishedFiles
) -> JsonObject:
    """Write the pictures of one sheet and return its entry of CustomDeck."""
    atlas = choose_atlas_grid_filling_rows_first(len(cards), deck.size, MOST, WIDEST, empty_places=1)
    stem = f"{slugify_name(deck.name)}-{sheet_index + 1}"
    one_back = deck.shared_back
    backs = (
        draw_trimmed_face_at_resolution(one_back, max_pixels=WIDEST)
        if one_back
        else draw_faces_in_grid_picture(list(_iter_required_backs_of_cards(cards)), atlas)
    )
    return {
        "FaceURL": files.write_file_and_return_address(
            f"{stem}-fronts.png",
            encode_reproducible_png(draw_faces_in_grid_picture([card.front for card in cards], atlas)),
        ),
        "BackURL": files.write_file_and_return_address(f"{stem}-backs.png", encode_reproducible_png(backs)),
        "NumWidth": atlas.columns,
        "NumHeight": atlas.rows,
        "BackIsHidden": True,
        "UniqueBack": one_back is None,
        "Type": 0,
    }


def _iter_required_backs_of_cards(cards: list[Piece]) -> Iterator[Any]:
    for card in cards:
        assert card.back is not None, "check_table() lets only cards with backs through"
        yield card.back


class _TablePlacer:
    """Hands out places on the table, left to right and then towards the players."""

    def __init__(self, z: float) -> None:
        self.x, self.z, self.deep = -SHELF / 2, z, 0.0

    def move_object_in_place_to_next_free_place(
        self, table_object: JsonObject, size_in_inches: tuple[float, float]
    ) -> JsonObject:
        """Move the object to the next free place of this size (inches) and return it."""
        width, depth = size_in_inches
        if self.x + width > SHELF / 2 and self.deep:
            self.x, self.z, self.deep = -SHELF / 2, self.z - self.deep - APART, 0.0
        table_object["Transform"]["posX"] = round(self.x + width / 2, 3)
        table_object["Transform"]["posZ"] = round(self.z - depth / 2, 3)
        self.x += width + APART
        self.deep = max(self.deep, depth)
        return table_object


def _copy_object_to_setup_place(table_object: JsonObject, place: StartPlace, height: float) -> JsonObject:
    """Return the object at its place in the set-up. The game counts inches from the middle; z
    points away from the players."""
    moved = {"posX": round(place.x / INCH, 3), "posY": height, "posZ": round(-place.y / INCH, 3)}
    moved["rotY"] = (table_object["Transform"]["rotY"] + place.turn) % 360
    return table_object | {"Transform": table_object["Transform"] | moved}


def _get_only_copy_or_bag_of_copies(name: str, copies: list[JsonObject]) -> JsonObject:
    """Return the only copy, or a bag of all copies."""
    if len(copies) == 1:
        return copies[0]
    return _build_object_of_kind("Bag", name, build_uppercase_hex_id_from_words("bag", name, digits=6)) | {
        "ContainedObjects": copies
    }


def _write_both_sides_and_build_image_entry(piece: Piece, files: _PublishedFiles) -> JsonObject:
    """Write both sides of a piece and return its entry for the game's custom image."""
    sides = {"front": piece.front, "back": piece.back or piece.front}
    front, back = (
        files.write_file_and_return_address(
            f"{slugify_name(piece.name)}-{side}.png",
            encode_reproducible_png(draw_trimmed_face_at_resolution(face, 150, WIDEST, TOKEN)),
        )
        for side, face in sides.items()
    )
    return {"ImageURL": front, "ImageSecondaryURL": back, "ImageScalar": 1.0, "WidthScale": 0.0}


def _build_board_tile_object(board: Piece, image_entry: JsonObject, copy_index: int) -> JsonObject:
    """Return a flat tile as wide as the board, round if the board has an outline, its back on the
    other side."""
    made = _build_object_of_kind(
        "Custom_Tile", board.label, build_uppercase_hex_id_from_words(board.name, str(copy_index), digits=6)
    )
    scale = board.size.width / 25.4 / 2  # a tile of scale 1 is about two of the game's inches wide
    made["Transform"] |= {"scaleX": scale, "scaleZ": scale}
    shape = CIRCLE if board.front.is_round else BOX
    tile = {"Type": shape, "Thickness": 0.1, "Stackable": board.count > 1, "Stretch": True}
    return made | {"CustomImage": {**image_entry, "CustomTile": tile}}


def _build_figurine_object(figure: Piece, image_entry: JsonObject, copy_index: int) -> JsonObject:
    """Return a picture that stands on a foot."""
    made = _build_object_of_kind(
        "Figurine_Custom", figure.label, build_uppercase_hex_id_from_words(figure.name, str(copy_index), digits=6)
    )
    return made | {"CustomImage": image_entry}


# How the game's own die lies when 1 to 6 is on top, in degrees (its knowledge base, rotation
# values).
LIES = ((-90, 0, 0), (0, 0, 0), (0, 0, -90), (0, 0, 90), (0, 0, -180), (90, 0, 0))


def _build_die_object(die: Die, copy_index: int) -> JsonObject:
    """Return the game's own die. Its tooltip says what the face on top means."""
    made = _build_object_of_kind(
        "Die_6", die.name, build_uppercase_hex_id_from_words("die", die.name, str(copy_index), digits=6)
    )
    values = [
        {"Value": text, "Rotation": {"x": float(x), "y": float(y), "z": float(z)}}
        for text, (x, y, z) in zip(die.faces, LIES, strict=True)
    ]
    listed = "\n".join(f"{pips}: {text}" for pips, text in enumerate(die.faces, 1))
    return made | {"Description": listed, "RotationValues": values}


def _build_object_of_kind(kind: str, name: str, guid: str) -> JsonObject:
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


def compute_12_hex_digit_digest(data: bytes) -> str:
    """Return what tells this content from others: 12 hexadecimal digits."""
    return sha256(data).hexdigest()[:12]


def tag_objects_and_copy_card_with_script(
    card: SavedObject, objects: list[SavedObject], title: str, tag: str, address: str
) -> SavedObject:
    """Return the card as one that asks, and tag it and the other objects of the table as parts of the game.

    `address` is that of NEWEST. The version is the digest of the objects. Tags are lower case, since the program
    does not tell cases apart.
    """
    for made in _iter_objects_and_contained_ones([card, *objects]):
        made["Tags"] = [tag]
    version = compute_12_hex_digit_digest(json.dumps(objects, sort_keys=True).encode())
    about = {"title": title, "address": address, "version": version, "tag": tag}
    script = SCRIPT.read_text(encoding="utf-8")
    return card | {
        "Description": f"When the table loads, this card looks at {address} for a newer version.",
        "LuaScript": script,
        "LuaScriptState": json.dumps(about, ensure_ascii=False),
    }


def build_newest_version_file_content(card: SavedObject, objects: list[SavedObject]) -> SavedObject:
    """Return what the published address answers. Each object is a text, so that Lua takes nothing of it apart."""
    version = json.loads(card["LuaScriptState"])["version"]
    return {"version": version, "objects": [json.dumps(made, ensure_ascii=False) for made in (*objects, card)]}


def _iter_objects_and_contained_ones(objects: list[SavedObject]) -> Iterator[SavedObject]:
    for made in objects:
        yield made
        yield from _iter_objects_and_contained_ones(made.get("ContainedObjects", []))

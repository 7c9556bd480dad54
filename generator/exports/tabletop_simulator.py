"""Tabletop Simulator: card sheets of 10 x 7 and a saved object that spawns the decks.

Sources: the game's own documentation (kb.tabletopsimulator.com, custom content) and public
generators. The last place of a sheet is the hidden card; pictures are RGB and at most 4096 pixels
wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from playproof.database.files import json_bytes, write_atomically
from playproof.generator.exports.atlas import TOKEN, grid, picture_of, sheet
from playproof.generator.exports.newer_version import NEWEST, asking, newest, short_digest
from playproof.generator.exports.raster import png
from playproof.generator.exports.safe_names import identity, slug
from playproof.generator.exports.start_positions import Lying, laid_out
from playproof.generator.exports.virtual_table import LARGEST_CARD, Deck, Die, VirtualTable, check_table
from playproof.generator.sheets.pieces import Piece

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

Object = dict[str, Any]  # the game's JSON, as its documentation lists it


def write(table: VirtualTable, folder: Path, address: str = "") -> Path:
    """Write the pictures and the saved object, and return the path of the JSON file.

    `address` is where players' computers find the pictures; by default it is the folder itself. With an
    address, a card on the table asks it for a newer version.
    """
    check_table(table)
    files = _Files(folder, address.rstrip("/"))
    objects = []
    key = 1
    shelf = _Shelf(-table.prepared.height / 2 / INCH - APART if table.prepared.places else SHELF / 3)
    for deck in table.decks:
        made, sheets = _deck(deck, key, files)
        place = table.prepared.pile(deck.cards)
        objects.append(_laid(made, place, PIECES) if place else shelf.put(made, DECK))
        key += sheets
    for die in table.dice:
        objects.append(shelf.put(_bagged(die.name, [_die(die, n) for n in range(die.count)]), FIGURE))
    for figure, places, left in laid_out(table.prepared, table.figures):
        image = _image(figure, files)
        copies = [_figure(figure, image, n) for n in range(figure.count)]
        objects += [_laid(copy, place, PIECES) for copy, place in zip(copies, places, strict=False)]
        if left:
            objects.append(shelf.put(_bagged(figure.label, copies[-left:]), FIGURE))
    for board, places, left in laid_out(
        table.prepared, sorted(table.boards, key=lambda board: max(board.size))
    ):
        image = _image(board, files)
        copies = [_tile(board, image, n) for n in range(board.count)]
        large = max(board.size) > LARGEST_CARD or board.name in table.prepared.grounds
        height = GROUND if large else PIECES
        objects += [
            _laid(copy, place, height) | {"Locked": large}
            for copy, place in zip(copies, places, strict=False)
        ]
        if left:
            size = FIGURE if left > 1 else (board.size.width / INCH, board.size.height / INCH)
            objects.append(shelf.put(_bagged(board.label, copies[-left:]), size))
    if table.rulebook:
        objects.append(shelf.put(_rulebook(table, files), DECK))
    if address:
        note = shelf.put(_object("Notecard", table.name, identity("version", table.name, digits=6)), DECK)
        _make_distinct([*objects, note], set())
        note = asking(note, objects, table.name, f"playproof {slug(table.name)}", files.address(NEWEST))
        files.write(NEWEST, json_bytes(newest(note, objects), indent=2))
        objects.append(note)
    else:
        _make_distinct(objects, set())
    files.write_list()
    path = folder / f"{slug(table.name)}.json"
    saved = {"SaveName": table.name, "GameMode": table.name, "ObjectStates": objects}
    write_atomically(path, json_bytes(saved, indent=2))
    return path


def _make_distinct(objects: list[Object], taken: set[str]) -> None:
    """Give each object a number of its own, copies of a card too: scripts and saves find things by it."""
    for made in objects:
        while made["GUID"] in taken:
            made["GUID"] = identity(made["GUID"], "again", digits=6).lower()
        taken.add(made["GUID"])
        _make_distinct(made.get("ContainedObjects", []), taken)


def _rulebook(table: VirtualTable, files: _Files) -> Object:
    made = _object("Custom_PDF", table.name, identity("rulebook", table.name, digits=6))
    address = files.write(RULEBOOK, table.rulebook)
    return made | {
        "CustomPDF": {"PDFUrl": address, "PDFPassword": "", "PDFPage": 0, "PDFPageOffset": 0},
    }


@dataclass
class _Files:
    """The folder, the address at which players find its files, and the names written so far."""

    folder: Path
    published: str  # "" if they stay on this machine
    names: set[str] = field(default_factory=set)

    def address(self, name: str) -> str:
        """Return where the program finds a file."""
        return f"{self.published or self.folder.resolve().as_uri()}/{quote(name)}"

    def write(self, name: str, data: bytes) -> str:
        """Write a file and return its address. The program keeps what it got from an address for ever, so a
        published address holds the digest, which changes with the content; servers ignore it."""
        write_atomically(self.folder / name, data)
        self.names.add(name)
        return self.address(name) + (f"?v={short_digest(data)}" if self.published else "")

    def write_list(self) -> None:
        """Write which files to upload, and where, one a line, so that the table loads on another machine."""
        lines = [f"{name}\t{self.address(name)}\n" for name in sorted(self.names)]
        write_atomically(self.folder / UPLOADS, "".join(lines).encode())


def _deck(deck: Deck, first_key: int, files: _Files) -> tuple[Object, int]:
    """Return the deck as an object, and the number of its sheets."""
    cards = [card for card in deck.cards if card.count]
    chunks = [cards[at : at + PLACES] for at in range(0, len(cards), PLACES)]
    sheets: dict[str, Object] = {}
    card_ids: list[tuple[int, Piece]] = []
    for number, chunk in enumerate(chunks):
        key = first_key + number
        sheets[str(key)] = _sheet(deck, chunk, number, files)
        for place, card in enumerate(
            chunk
        ):  # the game's own numbers: the sheet, then two digits for the place
            card_ids += [(key * 100 + place, card)] * card.count
    contained = [_card(deck, card_id, card, sheets) for card_id, card in card_ids]
    if len(contained) == 1:  # the game spawns no deck of one card
        return contained[0], len(chunks)
    made = _object("DeckCustom", deck.name, identity(deck.name, digits=6))
    made |= {
        "DeckIDs": [card_id for card_id, _ in card_ids],
        "CustomDeck": sheets,
        "ContainedObjects": contained,
    }
    return made, len(chunks)


def _card(deck: Deck, card_id: int, card: Piece, sheets: Mapping[str, Object]) -> Object:
    made = _object("Card", card.label, identity(deck.name, card.name, digits=6))
    scale = deck.size.width / CARD
    made["Transform"] |= {"scaleX": scale, "scaleZ": scale}
    key = str(card_id // 100)
    return made | {"CardID": card_id, "CustomDeck": {key: sheets[key]}}


def _sheet(deck: Deck, cards: list[Piece], number: int, files: _Files) -> Object:
    """Write the pictures of one sheet and return its entry of CustomDeck."""
    atlas = grid(len(cards), deck.size, MOST, WIDEST, spare=1)
    stem = f"{slug(deck.name)}-{number + 1}"
    one_back = deck.one_back
    backs = picture_of(one_back, widest=WIDEST) if one_back else sheet(list(_backs(cards)), atlas)
    return {
        "FaceURL": files.write(f"{stem}-fronts.png", png(sheet([card.front for card in cards], atlas))),
        "BackURL": files.write(f"{stem}-backs.png", png(backs)),
        "NumWidth": atlas.columns,
        "NumHeight": atlas.rows,
        "BackIsHidden": True,
        "UniqueBack": one_back is None,
        "Type": 0,
    }


def _backs(cards: list[Piece]) -> Iterator[Any]:
    for card in cards:
        assert card.back is not None, "check_table() lets only cards with backs through"
        yield card.back


class _Shelf:
    """Hands out places on the table, left to right and then towards the players."""

    def __init__(self, z: float) -> None:
        self.x, self.z, self.deep = -SHELF / 2, z, 0.0

    def put(self, made: Object, size: tuple[float, float]) -> Object:
        """Move the object to the next free place of this size (inches) and return it."""
        width, depth = size
        if self.x + width > SHELF / 2 and self.deep:
            self.x, self.z, self.deep = -SHELF / 2, self.z - self.deep - APART, 0.0
        made["Transform"]["posX"] = round(self.x + width / 2, 3)
        made["Transform"]["posZ"] = round(self.z - depth / 2, 3)
        self.x += width + APART
        self.deep = max(self.deep, depth)
        return made


def _laid(made: Object, place: Lying, height: float) -> Object:
    """Return the object at its place in the set-up. The game counts inches from the middle; z
    points away from the players."""
    moved = {"posX": round(place.x / INCH, 3), "posY": height, "posZ": round(-place.y / INCH, 3)}
    moved["rotY"] = (made["Transform"]["rotY"] + place.turn) % 360
    return made | {"Transform": made["Transform"] | moved}


def _bagged(name: str, copies: list[Object]) -> Object:
    """Return the only copy, or a bag of all copies."""
    if len(copies) == 1:
        return copies[0]
    return _object("Bag", name, identity("bag", name, digits=6)) | {"ContainedObjects": copies}


def _image(piece: Piece, files: _Files) -> Object:
    """Write both sides of a piece and return its entry for the game's custom image."""
    sides = {"front": piece.front, "back": piece.back or piece.front}
    front, back = (
        files.write(f"{slug(piece.name)}-{side}.png", png(picture_of(face, 150, WIDEST, TOKEN)))
        for side, face in sides.items()
    )
    return {
        "ImageURL": front,
        "ImageSecondaryURL": back,
        "ImageScalar": 1.0,
        "WidthScale": 0.0,
    }


def _tile(board: Piece, image: Object, number: int) -> Object:
    """Return a flat tile as wide as the board, round if the board has an outline, its back on the
    other side."""
    made = _object("Custom_Tile", board.label, identity(board.name, str(number), digits=6))
    scale = board.size.width / 25.4 / 2  # a tile of scale 1 is about two of the game's inches wide
    made["Transform"] |= {"scaleX": scale, "scaleZ": scale}
    shape = CIRCLE if board.front.is_round else BOX
    tile = {"Type": shape, "Thickness": 0.1, "Stackable": board.count > 1, "Stretch": True}
    return made | {"CustomImage": {**image, "CustomTile": tile}}


def _figure(figure: Piece, image: Object, number: int) -> Object:
    """Return a picture that stands on a foot."""
    made = _object("Figurine_Custom", figure.label, identity(figure.name, str(number), digits=6))
    return made | {"CustomImage": image}


# How the game's own die lies when 1 to 6 is on top, in degrees (its knowledge base, rotation
# values).
LIES = ((-90, 0, 0), (0, 0, 0), (0, 0, -90), (0, 0, 90), (0, 0, -180), (90, 0, 0))


def _die(die: Die, number: int) -> Object:
    """Return the game's own die. Its tooltip says what the face on top means."""
    made = _object("Die_6", die.name, identity("die", die.name, str(number), digits=6))
    values = [
        {"Value": text, "Rotation": {"x": float(x), "y": float(y), "z": float(z)}}
        for text, (x, y, z) in zip(die.faces, LIES, strict=True)
    ]
    listed = "\n".join(f"{pips}: {text}" for pips, text in enumerate(die.faces, 1))
    return made | {"Description": listed, "RotationValues": values}


def _object(kind: str, name: str, guid: str) -> Object:
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

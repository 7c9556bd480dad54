"""Tabletop Simulator: card sheets of 10 x 7 and a saved object that spawns the decks.

Read in the game's own documentation (kb.tabletopsimulator.com, custom content) and in public generators: the
last place of a sheet is the hidden card, pictures are RGB and at most 4096 pixels wide.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from generator.exports.raster import png
from generator.exports.table import Deck, Table, accepted, grid, identity, picture_of, sheet, slug
from generator.files import write_atomically
from generator.sheets.pieces import Piece

MOST = (10, 7)
WIDEST = 4096  # px
PLACES = MOST[0] * MOST[1] - 1  # the last one is the hidden card
APART = 3.0  # the game's units (inches) between decks on the table
CARD = 63.5  # mm; a card of scale 1 is as wide as a poker card

Object = dict[str, Any]  # the game's JSON, as its documentation lists it


def write(table: Table, folder: Path, address: str = "") -> Path:
    """Pictures and the saved object; returns the JSON's path.

    `address` is where players' machines find the pictures; without it, the folder itself.
    """
    accepted(table)
    base = address.rstrip("/") or folder.resolve().as_uri()
    objects = []
    key = 1
    for number, deck in enumerate(table.decks):
        made, sheets = _deck(deck, key, folder, base)
        made["Transform"]["posX"] = number * APART
        objects.append(made)
        key += sheets
    for number, board in enumerate(table.boards):
        objects.append(_board(board, folder, base, number))
    path = folder / f"{slug(table.name)}.json"
    saved = {"SaveName": table.name, "GameMode": table.name, "ObjectStates": objects}
    write_atomically(path, (json.dumps(saved, indent=2, ensure_ascii=False) + "\n").encode())
    return path


def _deck(deck: Deck, first_key: int, folder: Path, base: str) -> tuple[Object, int]:
    """The deck as an object, and how many sheets it took."""
    cards = [card for card in deck.cards if card.count]
    chunks = [cards[at : at + PLACES] for at in range(0, len(cards), PLACES)]
    sheets = {str(first_key + number): _sheet(deck, chunk, number, folder, base) for number, chunk in enumerate(chunks)}
    ids = [
        ((first_key + number) * 100 + place, card)
        for number, chunk in enumerate(chunks)
        for place, card in enumerate(chunk)
        for _ in range(card.count)
    ]
    contained = [_card(deck, card_id, card, sheets) for card_id, card in ids]
    if len(contained) == 1:  # the game spawns no deck of one card
        return contained[0], len(chunks)
    made = _object("DeckCustom", deck.name, identity(deck.name, digits=6))
    made |= {"DeckIDs": [i for i, _ in ids], "CustomDeck": sheets, "ContainedObjects": contained}
    return made, len(chunks)


def _card(deck: Deck, card_id: int, card: Piece, sheets: Mapping[str, Object]) -> Object:
    made = _object("Card", card.name, identity(deck.name, card.name, digits=6))
    scale = deck.size.width / CARD
    made["Transform"] |= {"scaleX": scale, "scaleZ": scale}
    key = str(card_id // 100)
    return made | {"CardID": card_id, "CustomDeck": {key: sheets[key]}}


def _sheet(deck: Deck, cards: list[Piece], number: int, folder: Path, base: str) -> Object:
    """Writes the pictures of one sheet; returns its entry of CustomDeck."""
    atlas = grid(len(cards), deck.size, MOST, WIDEST, spare=1)
    stem = f"{slug(deck.name)}-{number + 1}"
    fronts, backs = f"{stem}-fronts.png", f"{stem}-backs.png"
    write_atomically(folder / fronts, png(sheet([card.front for card in cards], atlas)))
    one_back = deck.one_back
    if one_back is not None:
        write_atomically(folder / backs, png(picture_of(one_back, widest=WIDEST)))
    else:
        write_atomically(folder / backs, png(sheet(list(_backs(cards)), atlas)))
    return {
        "FaceURL": f"{base}/{quote(fronts)}",
        "BackURL": f"{base}/{quote(backs)}",
        "NumWidth": atlas.columns,
        "NumHeight": atlas.rows,
        "BackIsHidden": True,
        "UniqueBack": one_back is None,
        "Type": 0,
    }


def _backs(cards: list[Piece]) -> Iterator[Any]:
    for card in cards:
        assert card.back is not None, "accepted() lets only cards with backs through"
        yield card.back


def _board(board: Piece, folder: Path, base: str, number: int) -> Object:
    """A flat tile of the board's size, its back on the other side."""
    sides = {"front": board.front, "back": board.back or board.front}
    for side, face in sides.items():
        write_atomically(folder / f"{slug(board.name)}-{side}.png", png(picture_of(face, 150, WIDEST)))
    made = _object("Custom_Tile", board.name, identity(board.name, digits=6))
    scale = board.size.width / 25.4 / 2  # a tile of scale 1 is about two of the game's inches wide
    made["Transform"] |= {"posZ": -10.0 - 15.0 * number, "scaleX": scale, "scaleZ": scale}
    return made | {
        "CustomImage": {
            "ImageURL": f"{base}/{quote(slug(board.name))}-front.png",
            "ImageSecondaryURL": f"{base}/{quote(slug(board.name))}-back.png",
            "ImageScalar": 1.0,
            "WidthScale": 0.0,
            "CustomTile": {"Type": 0, "Thickness": 0.1, "Stackable": False, "Stretch": True},
        }
    }


def _object(kind: str, name: str, guid: str) -> Object:
    place = {"posX": 0.0, "posY": 1.0, "posZ": 0.0, "rotX": 0.0, "rotY": 180.0, "rotZ": 180.0}
    if kind == "Custom_Tile":
        place["rotZ"] = 0.0
    return {
        "Name": kind,
        "Transform": {**place, "scaleX": 1.0, "scaleY": 1.0, "scaleZ": 1.0},
        "Nickname": name,
        "Description": "",
        "GUID": guid.lower(),
    }

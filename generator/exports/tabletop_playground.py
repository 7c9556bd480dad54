"""Tabletop Playground: a package folder with `Manifest.json`, card templates and their textures.

Sources: the program's own schemas (github.com/plasticity-studios/tabletop-playground-schemas), two
public generators and its knowledge base. Index -3 means that the back of every front stands at the
same place of the texture of backs.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

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
    StartPlace,
    VirtualTable,
    build_uppercase_hex_id_from_words,
    refuse_impossible_virtual_table,
    slugify_name,
)
from playproof.generator.scene import Face
from playproof.generator.sheets.pieces import Piece

MOST = (10, 10)
WIDEST = 4096  # px
THICKNESS = 0.05  # cm
THICK = 0.2  # cm, of tokens and boards on grey board
SCRIPT = """// Lays the table out as the rules set it up. Choose it as the global script of a session of this package.
const { world, Rotator, Vector } = require("@tabletop-playground/api");

// Template, places (cm forward, cm right, degrees), face down or not. Copies beyond the places stay a pile.
const LYING = @LYING@;

function setDown(thing, [x, y, turn], faceDown, layer) {
  thing.setPosition(new Vector(x, y, world.getTableHeight(new Vector(x, y, 0)) + layer));
  thing.setRotation(new Rotator(0, turn, faceDown ? 180 : 0));
}

if (world.getAllObjects().length === 0) {
  LYING.forEach(([template, places, faceDown], layer) => {
    const [first, ...others] = places;
    const thing = world.createObjectFromTemplate(template, new Vector(first[0], first[1], 100));
    if (!thing) return;
    const height = 0.5 + 0.3 * layer;
    for (const place of others) {
      const there = thing.getPosition();
      const one = thing.takeCards ? thing.takeCards(1) : world.createObjectFromTemplate(template, there);
      if (one) setDown(one, place, faceDown, height);
    }
    setDown(thing, first, faceDown, height);
  });
}
"""
NOT_HIDDEN = -1  # the program's own grey, for pieces that are never in a hand
RULEBOOK = "rulebook.pdf"
OWN_BACK = -3


def write_tabletop_playground_package(table: VirtualTable, folder: Path) -> Path:
    """Write the package and return the path of its manifest."""
    refuse_impossible_virtual_table(table)
    templates = [_write_textures_and_build_deck_template(table, deck, folder) for deck in table.decks]
    templates += [_write_textures_and_build_flat_template(table, piece, folder) for piece in table.boards]
    templates += [_write_texture_and_build_figure_template(table, piece, folder) for piece in table.figures]
    for template in templates:
        write_file_atomically(folder / "Templates" / f"{template['GUID']}.json", format_json_bytes(template))
    if table.rulebook:
        write_file_atomically(folder / "PDF" / RULEBOOK, table.rulebook)
    if table.prepared.places:
        _write_script_that_lays_out_table(table, folder)
    manifest = {"Name": table.name, "Version": "1", "GUID": build_uppercase_hex_id_from_words(table.name, digits=32)}
    path = folder / "Manifest.json"
    write_file_atomically(path, format_json_bytes(manifest))
    return path


def _write_script_that_lays_out_table(table: VirtualTable, folder: Path) -> None:
    """Write a global script that lays out the table. The program saves tables in its own format,
    but it runs scripts."""
    lying: list[list[object]] = []
    boards = sorted(table.boards, key=lambda board: (board.name not in table.prepared.grounds, -max(board.size)))
    for piece in (*boards, *table.figures):
        places = table.prepared.list_one_setup_place_for_each_copy(piece)
        words = ("figure", piece.name) if piece in table.figures else (piece.label,)
        if places:
            lying.append(
                [
                    build_uppercase_hex_id_from_words(table.name, *words, digits=32),
                    [_place_to_forward_right_cm_and_turn(place) for place in places],
                    False,
                ]
            )
    for deck in table.decks:
        place = table.prepared.find_place_of_most_copies_or_none(deck.cards)
        if place is not None:
            lying.append(
                [
                    build_uppercase_hex_id_from_words(table.name, deck.name, digits=32),
                    [_place_to_forward_right_cm_and_turn(place)],
                    True,
                ]
            )
    script = SCRIPT.replace("@LYING@", json.dumps(lying, ensure_ascii=False).replace('], ["', '],\n  ["'))
    write_file_atomically(folder / "Scripts" / "prepared.js", script.encode())


def _place_to_forward_right_cm_and_turn(place: StartPlace) -> list[float]:
    """Return the place as centimetres forward and right of the table's middle, and the turn."""
    return [round(-place.y / 10, 2), round(place.x / 10, 2), place.turn]


def _copy_piece_using_front_as_missing_back(piece: Piece) -> Piece:
    """Return the piece with a back: without one of its own, its front is shown on both sides."""
    return piece if piece.back is not None else replace(piece, back=piece.front)


def _write_textures_and_build_flat_template(table: VirtualTable, piece: Piece, folder: Path) -> dict[str, Any]:
    """Return the template of a token or a board: thicker than a card, not held in a hand, stackable
    unless it is a board."""
    made = _write_textures_and_build_deck_template(
        table, Deck(piece.label, (_copy_piece_using_front_as_missing_back(piece),)), folder
    )
    board = max(piece.size) > LARGEST_CARD
    return made | {
        "Model": "Round" if piece.front.is_round else "Square",
        "Thickness": THICK,
        "HiddenInHand": False,
        "UsedWithCardHolders": False,
        "CanStack": not board,
        "ShouldSnap": not board,
        "HiddenIndex": NOT_HIDDEN,
    }


def _write_texture_and_build_figure_template(table: VirtualTable, piece: Piece, folder: Path) -> dict[str, Any]:
    """Return the template of a standing cardboard figure; the program cuts its shape from the
    picture."""
    name = f"{slugify_name(piece.name)}-figure.png"
    write_file_atomically(
        folder / "Textures" / name,
        encode_reproducible_png(draw_trimmed_face_at_resolution(piece.front, 150, WIDEST, TOKEN)),
    )
    return _COMMON | {
        "Type": "Cardboard Figure",
        "GUID": build_uppercase_hex_id_from_words(table.name, "figure", piece.name, digits=32),
        "Name": piece.label,
        "FrontTexture": name,
        "BackTexture": "",
        "FrontExtraMap": "",
        "BackExtraMap": "",
        "FigureWidth": 1,
        "FigureHeight": 1,
        "FigureZOffset": 0,
        "UseAlpha": False,
        "Collide": True,
    }


def _write_textures_and_build_deck_template(table: VirtualTable, deck: Deck, folder: Path) -> dict[str, Any]:
    cards = [card for card in deck.cards if card.count]
    places = MOST[0] * MOST[1]
    chunks = [cards[at : at + places] for at in range(0, len(cards), places)]
    alone = len(cards) == 1  # a picture of one card has no empty places
    atlas = choose_atlas_grid_filling_rows_first(
        min(len(cards), places), deck.size, MOST, WIDEST, min_side=1 if alone else 2
    )
    fronts, backs = [], []
    for number, chunk in enumerate(chunks, 1):
        stem = f"{slugify_name(deck.name)}-{number}"
        sides: dict[str, list[Face]] = {
            f"{stem}-fronts.png": [card.front for card in chunk],
            f"{stem}-backs.png": [card.back for card in chunk if card.back is not None],
        }
        for name, faces in sides.items():
            write_file_atomically(
                folder / "Textures" / name, encode_reproducible_png(draw_faces_in_grid_picture(faces, atlas))
            )
        front, back = sides
        fronts.append(front)
        backs.append(back)
    return {
        **_CARD,
        "GUID": build_uppercase_hex_id_from_words(table.name, deck.name, digits=32),
        "Name": deck.name,
        "FrontTexture": fronts[0],
        "BackTexture": backs[0],
        "ExtraFrontTextures": fronts[1:],
        "ExtraBackTextures": backs[1:],
        "NumHorizontal": atlas.columns,
        "NumVertical": atlas.rows,
        "Width": round(deck.size.width / 10, 4),
        "Height": round(deck.size.height / 10, 4),
        "Indices": [index for index, card in enumerate(cards) for _ in range(card.count)],
        "CardNames": {str(index): card.label for index, card in enumerate(cards)},
    }


# Values of a plain object that every template of the game carries.
_COMMON: dict[str, Any] = {
    "Metadata": "",
    "CollisionType": "Regular",
    "Friction": 0.7,
    "Restitution": 0,
    "Density": 0.5,
    "SurfaceType": "Cardboard",
    "Roughness": 1,
    "Metallic": 0,
    "PrimaryColor": {"R": 255, "G": 255, "B": 255},
    "SecondaryColor": {"R": 0, "G": 0, "B": 0},
    "Flippable": True,
    "AutoStraighten": False,
    "ShouldSnap": True,
    "ScriptName": "",
    "Blueprint": "",
    "Models": [],
    "Collision": [],
    "SnapPointsGlobal": False,
    "SnapPoints": [],
    "ZoomViewDirection": {"X": 0, "Y": 0, "Z": 0},
    "Tags": [],
}
_CARD: dict[str, Any] = _COMMON | {
    "Type": "Card",
    "HiddenTexture": "",
    "BackIndex": OWN_BACK,
    "HiddenIndex": OWN_BACK,
    "Thickness": THICKNESS,
    "HiddenInHand": True,
    "UsedWithCardHolders": True,
    "CanStack": True,
    "UsePrimaryColorForSide": False,
    "FrontTextureOverrideExposed": False,
    "AllowFlippedInStack": False,
    "MirrorBack": False,
    "EmissiveFront": False,
    "Model": "Rounded",
    "CardMetadata": {},
    "CardTags": {},
}

"""PlayingCards.io: a zip (.pcio) with `widgets.json` and the pictures, which a room imports.

The site publishes no schema. Two programs that read its files say what they hold, and an older generator of such
files what the site takes: docs/decisions/0022-other-tables.md names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from playproof.database.files import format_json_bytes, make_reproducible_zip, write_file_atomically
from playproof.generator.exports.raster import draw_faces_sharing_pictures_of_repeats, encode_reproducible_png
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
from playproof.generator.scene import Face
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.slots import Size

ROOM = Size(1600, 820)  # the room's pixels above the hands of the players
HAND = {"id": "hand", "type": "hand", "x": 50, "y": 820, "z": 1, "width": 1500, "height": 180}
CARD = 103 / 63.5  # pixels for a millimetre: a poker card is as wide as the site's own cards
APART = 24  # pixels between things without a place in the set-up
RIM = 4  # pixels of a holder beside its cards
MUCH = 0.75  # of a card's size: holders that overlap by more are put apart
WIDE = 60  # pixels of a holder with a label: above narrow ones the labels would run into each other
FINE = 4  # a picture has so many times the pixels of its place, for players who look at it enlarged
LONGEST = 1400  # px: readers of the format leave out pictures of 2 MB and more
DIE = 80  # px

Widget = dict[str, Any]
Spot = tuple[int, int, float]  # the top left corner in pixels, and the clockwise turn in degrees


def write_playingcards_room_file(table: VirtualTable, folder: Path) -> Path:
    """Write the file that a room imports, and return its path."""
    refuse_impossible_virtual_table(table)
    room = _RoomBuilder(table)
    for piece, places, left in iter_pieces_places_and_unplaced_counts(table.prepared, (*table.boards, *table.figures)):
        flat = _is_piece_that_stays_in_place(table, piece)
        for place in [*places, *([None] * left if flat or left == 1 else [])]:
            if flat:
                room.add_fixed_board_picture(piece, place)
            else:
                room.add_card_pile_or_loose_cards(Deck(piece.label, (piece,)), place, pile=False)
        if left > 1 and not flat:
            room.add_card_pile_or_loose_cards(Deck(piece.label, (replace(piece, count=left),)), None, pile=True)
    for deck in table.decks:
        room.add_card_pile_or_loose_cards(deck, table.prepared.find_place_of_most_copies_or_none(deck.cards), pile=True)
    for die in table.dice:
        room.add_die_spinners(die)
    path = folder / f"{slugify_name(table.name)}.pcio"
    write_file_atomically(
        path, make_reproducible_zip({"widgets.json": format_json_bytes([HAND, *room.widgets]), **room.assets})
    )
    return path


class _RoomBuilder:
    """Gathers the widgets of a room and their pictures. What the set-up does not place stands in rows."""

    def __init__(self, table: VirtualTable) -> None:
        prepared = table.prepared
        waiting = [deck.size for deck in table.decks if prepared.find_place_of_most_copies_or_none(deck.cards) is None]
        for piece, _, left in iter_pieces_places_and_unplaced_counts(prepared, (*table.boards, *table.figures)):
            waiting += [piece.size] * (left if _is_piece_that_stays_in_place(table, piece) else min(left, 1))
        waiting += [Size(DIE / CARD, DIE / CARD)] * sum(die.count for die in table.dice)
        self.scale = min(CARD, ROOM.width / (prepared.width or 1))
        while prepared.height * self.scale + _compute_height_of_rows_in_pixels(waiting, self.scale) > ROOM.height:
            self.scale *= 0.95
        high = prepared.height * self.scale
        self.middle = (ROOM.width / 2, high / 2 + (RIM if high else 0))
        self.row = _RowPlacer(high + APART)
        self.holders: list[tuple[int, int]] = []
        self.widgets: list[Widget] = []
        self.assets: dict[str, bytes] = {}

    def add_fixed_board_picture(self, board: Piece, place: StartPlace | None) -> None:
        """Put a board on the table: a picture that players do not move."""
        (image,) = self._store_pictures_once_and_iter_addresses(board.name, "board", [board.front], board.size)
        width, height = self._millimetres_to_room_pixels(board.size)
        self._append_widget_and_return_it(
            "board",
            self._get_setup_spot_or_take_next_free_spot(board.size, place),
            boardImage=image,
            width=width,
            height=height,
        )

    def add_card_pile_or_loose_cards(self, deck: Deck, place: StartPlace | None, *, pile: bool) -> None:
        """Put cards on the table: shuffled face down in a holder with a label, or open and loose."""
        spot = self._get_setup_spot_or_take_next_free_spot(deck.size, place)
        width, height = self._millimetres_to_room_pixels(deck.size)
        parent: Widget = {}
        if pile:
            if place is not None:
                spot = self._reserve_spot_clear_of_other_holders(spot, width, height)
            corner = (spot[0] - RIM, spot[1] - RIM, 0.0)
            size = {"width": width + 2 * RIM, "height": height + 2 * RIM}
            parent["parent"] = self._append_widget_and_return_it(
                "cardPile", corner, label=deck.name if width >= WIDE else "", **size
            )["id"]
        cards = [card for card in deck.cards if card.count]
        fronts = self._store_pictures_once_and_iter_addresses(
            deck.name, "front", [card.front for card in cards], deck.size
        )
        backs = self._store_pictures_once_and_iter_addresses(
            deck.name, "back", [card.back or card.front for card in cards], deck.size
        )
        types = {
            f"{number:03d}-{slugify_name(card.name)}": {"label": card.label, "image": front, "back": back}
            for number, (card, front, back) in enumerate(zip(cards, fronts, backs, strict=True), 1)
        }
        widget = self._append_widget_and_return_it(
            "cardDeck",
            spot,
            cardTypes=types,
            faceTemplate=_build_one_picture_side_template("image", width, height),
            backTemplate=_build_one_picture_side_template("back", width, height),
            cardWidth=width,
            cardHeight=height,
            enlarge=True,
            **parent,
        )
        for kind, card in zip(types, cards, strict=True):
            for _ in range(card.count if pile else 1):
                self._append_widget_and_return_it(
                    "card", spot, deck=widget["id"], cardType=kind, faceup=not pile, **parent
                )

    def _reserve_spot_clear_of_other_holders(self, spot: Spot, width: int, height: int) -> Spot:
        """Return a place to the right at which a holder covers no other: they would take each other's cards."""
        x, y, turn = spot
        while any(abs(x - other) < width * MUCH and abs(y - high) < height * MUCH for other, high in self.holders):
            x += width + 2 * RIM
        self.holders.append((x, y))
        return x, y, turn

    def add_die_spinners(self, die: Die) -> None:
        """Put a spinner for each copy of a die on the table: it shows one of the die's faces."""
        for _ in range(die.count):
            side = Size(DIE / CARD, DIE / CARD)
            width, height = self._millimetres_to_room_pixels(side)
            faces = {"options": list(die.faces), "value": die.faces[0]}
            self._append_widget_and_return_it(
                "spinner", self._get_setup_spot_or_take_next_free_spot(side, None), width=width, height=height, **faces
            )

    def _millimetres_to_room_pixels(self, size: Size) -> tuple[int, int]:
        return max(1, round(size.width * self.scale)), max(1, round(size.height * self.scale))

    def _get_setup_spot_or_take_next_free_spot(self, size: Size, place: StartPlace | None) -> Spot:
        """Return the top left corner and the turn of a thing: where the set-up puts it, or the next free place."""
        width, height = self._millimetres_to_room_pixels(size)
        if place is not None:
            x, y = (at + mm * self.scale for at, mm in zip(self.middle, (place.x, place.y), strict=True))
            return round(x - width / 2), round(y - height / 2), place.turn
        return (*self.row.take_next_free_corner(width, height), 0.0)

    def _append_widget_and_return_it(self, kind: str, spot: Spot, **values: object) -> Widget:
        x, y, turn = spot
        number = len(self.widgets) + 2  # later things lie on top of earlier ones
        ident = build_uppercase_hex_id_from_words(kind, str(number), digits=12).lower()
        widget = {"id": ident, "type": kind, "x": x, "y": y, "z": number, **values}
        if turn:
            widget["r"] = turn
        self.widgets.append(widget)
        return widget

    def _store_pictures_once_and_iter_addresses(
        self, name: str, side: str, faces: Sequence[Face], size: Size
    ) -> Iterator[str]:
        """Keep the picture of each face and yield its address; equal pictures are kept once."""
        width, height = self._millimetres_to_room_pixels(size)
        finer = min(FINE, LONGEST / max(width, height))
        for picture in draw_faces_sharing_pictures_of_repeats(
            faces, (max(1, round(width * finer)), max(1, round(height * finer)))
        ):
            data = encode_reproducible_png(picture)
            stem = f"{slugify_name(name)}-{side}-{build_uppercase_hex_id_from_words(data.hex(), digits=8).lower()}"
            self.assets[f"userassets/{stem}.png"] = data
            yield f"package://userassets/{stem}.png"


class _RowPlacer:
    """Hands out places in rows below what the set-up places."""

    def __init__(self, top: float) -> None:
        self.x, self.y, self.high = APART, round(top), 0

    def take_next_free_corner(self, width: int, height: int) -> tuple[int, int]:
        """Return the top left corner of the next free place of this size, in pixels."""
        if self.x + width > ROOM.width and self.high:
            self.x, self.y, self.high = APART, self.y + self.high + APART, 0
        corner = self.x, self.y
        self.x, self.high = self.x + width + APART, max(self.high, height)
        return corner


def _compute_height_of_rows_in_pixels(sizes: Sequence[Size], scale: float) -> int:
    """Return how high the rows of things of these sizes are, in pixels."""
    row = _RowPlacer(APART)
    for size in sizes:
        row.take_next_free_corner(round(size.width * scale), round(size.height * scale))
    return row.y + row.high


def _is_piece_that_stays_in_place(table: VirtualTable, piece: Piece) -> bool:
    """Return whether a piece is a board, which stays where it lies."""
    return piece.name in table.prepared.grounds or max(piece.size) > LARGEST_CARD


def _build_one_picture_side_template(picture_property: str, width: int, height: int) -> Widget:
    """Return a side of a card that is one picture: the one that the card's kind names so."""
    place = {"x": 0, "y": 0, "w": width, "h": height}
    whole = {"type": "image", **place, "color": "white", "valueType": "dynamic", "value": picture_property}
    return {"includeBorder": False, "includeRadius": True, "objects": [whole]}

"""Card Game Simulator: a folder with `cgs.json`, cards, decks and pictures, and a .cgs.zip of it to import.

The program publishes a JSON Schema of each file; its source says where it looks for pictures and decks that are
there already: docs/decisions/0022-other-tables.md names both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from PIL import Image, ImageOps

from playproof.database.files import (
    format_json_bytes,
    make_reproducible_zip,
    make_safe_file_name,
    write_file_atomically,
)
from playproof.generator.exports.raster import (
    MM_PER_INCH,
    draw_faces_sharing_pictures_of_repeats,
    draw_trimmed_face_at_resolution,
    encode_reproducible_png,
)
from playproof.generator.exports.virtual_table import (
    LARGEST_CARD,
    Deck,
    VirtualTable,
    build_uppercase_hex_id_from_words,
    iter_pieces_places_and_unplaced_counts,
    refuse_impossible_virtual_table,
    slugify_name,
)
from playproof.generator.sheets.pieces import Piece, group_pieces_by_trimmed_size
from playproof.generator.sheets.slots import Size

LONGEST = 1024  # px of a card's picture
BOARD = 2048  # px
MAT = 36.0  # inches of the program's own table
NEVER = -1  # days after which the program fetches the game again

Data = dict[str, Any]


def write_card_game_simulator_folder_and_zip(table: VirtualTable, folder: Path, base_url: str = "") -> Path:
    """Write the game's folder and the zip of it, and return the path of the zip.

    With `base_url`, where the folder is published, the program fetches the game from there and again when it is newer.
    """
    refuse_impossible_virtual_table(table)
    table = _copy_table_keeping_cards_and_boards(table)
    name = slugify_name(table.name)
    files = dict(_iter_paths_in_game_folder_and_contents(table, base_url.rstrip("/")))
    for file, data in files.items():
        write_file_atomically(folder / name / file, data)
    path = folder / f"{name}.cgs.zip"
    write_file_atomically(path, make_reproducible_zip({f"{name}/{file}": data for file, data in files.items()}))
    return path


def list_tokens_and_figures_left_out(table: VirtualTable) -> list[Piece]:
    """Return the pieces that a game of the program has no place for: it holds cards and boards alone."""
    return [*table.figures, *(piece for piece in table.boards if _is_small_piece_with_outline(piece))]


def _is_small_piece_with_outline(piece: Piece) -> bool:
    return piece.front.outline is not None and max(piece.size) <= LARGEST_CARD


def _copy_table_keeping_cards_and_boards(table: VirtualTable) -> VirtualTable:
    """Return the table with single small pieces as cards of a deck for each size, and without tokens."""
    small = [
        piece for piece in table.boards if max(piece.size) <= LARGEST_CARD and not _is_small_piece_with_outline(piece)
    ]
    small = [piece for piece in small if piece.name not in table.prepared.grounds]
    sized = group_pieces_by_trimmed_size(replace(piece, back=piece.back or piece.front) for piece in small)
    loose = [Deck(f"{size.width:g} x {size.height:g} mm", pieces) for size, pieces in sized.items()]
    boards = tuple(piece for piece in table.boards if piece not in small and not _is_small_piece_with_outline(piece))
    return replace(table, decks=(*table.decks, *loose), boards=boards)


def _iter_paths_in_game_folder_and_contents(table: VirtualTable, base_url: str) -> Iterator[tuple[str, bytes]]:
    """Yield the path of each file below the game's folder, and its bytes."""
    size = _find_commonest_card_size_or_poker(table.decks)
    finest = LONGEST / max(size)
    pixels = round(size.width * finest), round(size.height * finest)
    cards: list[Data] = []
    backs: dict[bytes, str] = {}
    for deck in table.decks:
        lines = []
        for card, front, back in _iter_cards_with_front_and_back_png(deck, pixels):
            ident = (
                f"{slugify_name(card.name)}-{build_uppercase_hex_id_from_words(deck.name, card.name, digits=4).lower()}"
            )
            yield f"sets/{slugify_name(deck.name)}/{ident}.png", front
            behind = backs.setdefault(back, f"back-{len(backs) + 1}")
            cards.append({"id": ident, "name": card.label, "set": slugify_name(deck.name), "backs": [behind]})
            lines.append(f"{card.count} [{ident}]\n")
        yield f"decks/{make_safe_file_name(deck.name)}.txt", "".join(lines).encode()
    for back, ident in backs.items():
        yield f"backs/{ident}.png", back
    if backs:
        yield "CardBack.png", next(iter(backs))
    for board in table.boards:
        yield (
            f"boards/{slugify_name(board.name)}.png",
            encode_reproducible_png(draw_trimmed_face_at_resolution(board.front, 150, BOARD)),
        )
    if table.rulebook:
        yield "rulebook.pdf", table.rulebook
    yield "AllCards.json", format_json_bytes(cards)
    yield (
        "AllSets.json",
        format_json_bytes([{"code": slugify_name(deck.name), "name": deck.name} for deck in table.decks]),
    )
    yield ("cgs.json", format_json_bytes(_build_cgs_json_content(table, size, cards, list(backs.values()), base_url)))


def _build_cgs_json_content(
    table: VirtualTable, card_size: Size, cards: Sequence[Data], back_names: Sequence[str], base_url: str
) -> Data:
    """Return the game's own file. Without an address the program takes every picture from its folder."""

    def at(file: str) -> Data:
        return {"url": f"{base_url}/{quote(file)}"} if base_url else {}

    decks = [{"name": make_safe_file_name(deck.name)} for deck in table.decks]
    urls = [deck | at(f"decks/{deck['name']}.txt") for deck in decks]
    made: Data = {
        "name": table.name,
        "autoUpdate": 1 if base_url else NEVER,
        "cardNameIsUnique": False,
        "cardSize": _size_to_inches_in_x_and_y(card_size),
        "cardBackFaceImageUrls": [{"id": back} | at(f"backs/{back}.png") for back in back_names],
        "deckUrls": urls,
        "gameStartDecks": urls,
        "gameBoardUrls": [
            {"id": slugify_name(board.name)} | at(f"boards/{slugify_name(board.name)}.png") for board in table.boards
        ],
    }
    if table.boards and cards:  # the program lays boards out when a deck with this card is loaded
        made["gameBoardCards"] = [{"card": cards[0]["id"], "boards": list(_iter_board_copies_as_json_in_inches(table))}]
    if table.prepared.places:
        made["playMatSize"] = _size_to_inches_in_x_and_y(Size(table.prepared.width, table.prepared.height))
    if base_url:
        files = {"autoUpdate": "cgs.json", "allCards": "AllCards.json", "allSets": "AllSets.json"}
        files |= {"cardBackImage": "CardBack.png"} | ({"rules": "rulebook.pdf"} if table.rulebook else {})
        made |= {f"{key}Url": f"{base_url}/{file}" for key, file in files.items()}
        made["cardImageUrl"] = f"{base_url}/sets/{{cardSet}}/{{cardId}}.{{cardImageFileType}}"
    return made


def _iter_board_copies_as_json_in_inches(table: VirtualTable) -> Iterator[Data]:
    """Yield each copy of a board with its bottom left corner in inches, from the table's middle upwards. What the
    set-up does not place stands in a row beside the table."""
    beside = MAT / 2
    for board, places, left in iter_pieces_places_and_unplaced_counts(table.prepared, table.boards):
        inches = _size_to_inches_in_x_and_y(board.size)
        corners = [
            (place.x / MM_PER_INCH - inches["x"] / 2, -place.y / MM_PER_INCH - inches["y"] / 2) for place in places
        ]
        for _ in range(left):
            corners.append((beside, -inches["y"] / 2))
            beside += inches["x"]
        for x, y in corners:
            corner = {"x": round(x, 3), "y": round(y, 3)}
            yield {"id": slugify_name(board.name), "offsetMin": corner, "size": inches}


def _iter_cards_with_front_and_back_png(
    deck: Deck, common_pixel_size: tuple[int, int]
) -> Iterator[tuple[Piece, bytes, bytes]]:
    """Yield each card with both sides. All cards of the program have one size: others are drawn with white beside
    them, and not stretched."""
    cards = [card for card in deck.cards if card.count]
    scale = min(common_pixel_size[0] / deck.size.width, common_pixel_size[1] / deck.size.height)
    own = max(1, round(deck.size.width * scale)), max(1, round(deck.size.height * scale))
    fronts = draw_faces_sharing_pictures_of_repeats([card.front for card in cards], own)
    backs = draw_faces_sharing_pictures_of_repeats([card.back for card in cards if card.back is not None], own)
    drawn: dict[int, bytes] = {}
    for card, front, back in zip(cards, fronts, backs, strict=True):
        if id(back) not in drawn:
            drawn[id(back)] = _pad_picture_and_encode_png(back, common_pixel_size)
        yield card, _pad_picture_and_encode_png(front, common_pixel_size), drawn[id(back)]


def _pad_picture_and_encode_png(picture: Image.Image, pixel_size: tuple[int, int]) -> bytes:
    return encode_reproducible_png(
        ImageOps.pad(picture, pixel_size, color="white") if picture.size != pixel_size else picture
    )


def _find_commonest_card_size_or_poker(decks: Sequence[Deck]) -> Size:
    """Return the size of most cards; a poker card's without cards."""
    counts = Counter[Size]()
    for deck in decks:
        counts[deck.size] += sum(card.count for card in deck.cards)
    return counts.most_common(1)[0][0] if counts else Size(63.5, 88.9)


def _size_to_inches_in_x_and_y(size: Size) -> dict[str, float]:
    return {"x": round(size.width / MM_PER_INCH, 4), "y": round(size.height / MM_PER_INCH, 4)}

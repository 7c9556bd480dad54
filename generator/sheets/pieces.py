"""The pieces that go on sheets (a component's front, back and count), the checks before any sheet is made,
and the selection of cards to print: `--only 101-110,H01`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from playproof.database.errors import FindingCollector, Where, make_nearest_or_possible_words_hint
from playproof.generator.scene import Face
from playproof.generator.sheets.slots import Size

# The pieces that go on sheets (a component's front, back and count), and the checks before any layout.

NOWHERE = Where("<cards>")
MOST = 10_000  # copies of one card; a typing error beyond


@dataclass(frozen=True, slots=True)
class Piece:
    """One component: its faces, its count and the place of its declaration (for messages).

    A ``net`` is cut out along its own lines and folded: "die", "standee", "tuckbox", "wedge", or
    "drawn" by its layout; "" is no net. ``title`` is the name for people, ``pile`` the deck that it
    belongs to on a virtual table.
    """

    name: str
    front: Face
    back: Face | None = None
    count: int = 1
    where: Where = NOWHERE
    net: str = ""
    title: str = ""
    pile: str = ""

    @property
    def label(self) -> str:
        """The title, or the name if there is none."""
        return self.title or self.name

    @property
    def size(self) -> Size:
        return Size(self.front.width, self.front.height)


def raise_if_no_or_unprintable_pieces(pieces: Sequence[Piece]) -> None:
    """Raise InputError with every reason why these pieces cannot be printed."""
    collector = FindingCollector()
    for piece in pieces:
        for face in (piece.front, piece.back):
            if face is not None and not _has_printable_size(face):
                size = f"{face.width:g} x {face.height:g} mm with {face.bleed:g} mm of bleed"
                message = f"{piece.name}: expected a size above 0 and bleed of at least 0, found {size}"
                collector.add_finding("PP541", piece.where, message)
        if piece.back is not None and (piece.back.width, piece.back.height) != piece.size:
            back = f"{piece.back.width:g} x {piece.back.height:g} mm"
            front = f"{piece.size.width:g} x {piece.size.height:g} mm"
            collector.add_finding("PP547", piece.where, f"{piece.name}: front of {front}, back of {back}")
        if not 0 <= piece.count <= MOST:
            message = f"{piece.name}: expected 0 to {MOST} copies, found {piece.count}"
            collector.add_finding("PP545", piece.where, message)
    if not any(piece.count > 0 for piece in pieces):
        collector.add_finding("PP549", pieces[0].where if pieces else NOWHERE, "there is nothing to print")
    collector.raise_if_errors()


def group_pieces_by_trimmed_size(pieces: Iterable[Piece]) -> dict[Size, tuple[Piece, ...]]:
    """Group the pieces by trimmed size, sizes in the order of their first appearance."""
    groups: dict[tuple[float, float], list[Piece]] = {}
    for piece in pieces:
        groups.setdefault((piece.front.width, piece.front.height), []).append(piece)
    return {Size(*size): tuple(group) for size, group in groups.items()}


def _has_printable_size(face: Face) -> bool:
    sizes = (face.width, face.height, face.bleed)
    return all(map(isfinite, sizes)) and face.width > 0 and face.height > 0 and face.bleed >= 0


# -- selection -----------------------------------------------------------------------------------------------
# Selects which cards to print: `--only 101-110,H01`.

ONLY = Where("--only")
_RANGE = re.compile(r"(?P<prefix>\D*)(?P<first>\d{1,18})\s*-\s*(?P=prefix)(?P<last>\d{1,18})")
_NUMBERED = re.compile(r"(\D*)(\d{1,18})")


def select_ids_named_in_text_or_raise(text: str, ids: Sequence[str]) -> tuple[str, ...]:
    """Return the ids that the text names, in the order of `ids`, each once.

    Parts are separated by commas: an id, or a range of numbers with one prefix, both ends included.
    InputError names every part that matches nothing.

    >>> select_ids_named_in_text_or_raise("101-103,H01", ["H01", "H02", "101", "102", "104"])
    ('H01', '101', '102')
    """
    collector, chosen = FindingCollector(), set[str]()
    for part in (piece.strip() for piece in text.split(",")):
        matched = _list_ids_of_id_or_number_range(part, ids)
        if not matched:
            empty = "expected an id or a range such as 101-110" if not part else f'"{part}" matches no card'
            collector.add_finding("PP544", ONLY, empty, _format_hint_of_similar_ids(part, ids) if part else "")
        chosen.update(matched)
    collector.raise_if_errors()
    return tuple(card for card in ids if card in chosen)


def _format_hint_of_similar_ids(part: str, ids: Sequence[str]) -> str:
    """Return a hint for a part that matches nothing: ids that begin with it, or else the nearest."""
    begun = [card for card in ids if card.casefold().startswith(part.casefold())]
    if not begun:
        return make_nearest_or_possible_words_hint(part, ids)
    listed = ", ".join(f'"{card}"' for card in begun[:3])
    return f"did you mean {listed}" + (f" or {len(begun) - 3} more?" if begun[3:] else "?")


def _list_ids_of_id_or_number_range(part: str, ids: Sequence[str]) -> list[str]:
    if part in ids:
        return [part]
    limits = _RANGE.fullmatch(part)
    if not limits:
        return []
    first, last = int(limits["first"]), int(limits["last"])
    return [card for card in ids if _is_id_in_numbered_range(card, limits["prefix"], first, last)]


def _is_id_in_numbered_range(card_id: str, prefix: str, first: int, last: int) -> bool:
    numbered = _NUMBERED.fullmatch(card_id)
    return bool(numbered and numbered[1] == prefix and first <= int(numbered[2]) <= last)

"""The pieces that go on sheets (a component's front, back and count), and the checks before any
layout."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite

from playproof.database.errors import FindingCollector, Where
from playproof.generator.scene import Face
from playproof.generator.sheets.geometry import Size

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


def check_pieces(pieces: Sequence[Piece]) -> None:
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


def group_by_size(pieces: Iterable[Piece]) -> dict[Size, tuple[Piece, ...]]:
    """Group the pieces by trimmed size, sizes in the order of their first appearance."""
    groups: dict[tuple[float, float], list[Piece]] = {}
    for piece in pieces:
        groups.setdefault((piece.front.width, piece.front.height), []).append(piece)
    return {Size(*size): tuple(group) for size, group in groups.items()}


def _has_printable_size(face: Face) -> bool:
    sizes = (face.width, face.height, face.bleed)
    return all(map(isfinite, sizes)) and face.width > 0 and face.height > 0 and face.bleed >= 0

"""Where components lie before the first move, so that a virtual table opens as the set-up says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from playproof.generator.sheets.pieces import Piece

Names = Mapping[str, "tuple[Lying, ...]"]


@dataclass(frozen=True, slots=True)
class Lying:
    """One place of a component: its middle in mm right of and below the table's middle, its
    clockwise turn in degrees, and the number of copies there."""

    x: float
    y: float
    turn: float = 0.0
    count: int = 1


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table with the components laid out: its size in mm, and each component's places by id.
    Without a set-up there are no places.

    ``grounds`` are the components on which others lie.
    """

    width: float = 0.0
    height: float = 0.0
    places: Names = field(default_factory=dict)
    grounds: frozenset[str] = frozenset()

    def singles(self, piece: Piece) -> list[Lying]:
        """Return one place for each copy that is laid out, at most `piece.count`."""
        ident, _, variant = piece.name.partition("-")
        places = self.places.get(piece.name) or (self.places.get(ident, ()) if variant else ())
        each = [Lying(place.x, place.y, place.turn) for place in places for _ in range(place.count)]
        return each[: piece.count]

    def pile(self, cards: Sequence[Piece]) -> Lying | None:
        """Return the place with the most copies of one of these cards; None if none of them is laid
        out."""
        lying = [place for card in cards for place in self.places.get(card.name, ())]
        return max(lying, key=lambda place: place.count, default=None)


def laid_out(prepared: Prepared, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, list[Lying], int]]:
    """Yield each piece, its places, and the number of copies that have no place."""
    for piece in pieces:
        places = prepared.singles(piece)
        yield piece, places, piece.count - len(places)

"""Where components lie before the first move, so that a virtual table opens as the set-up says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from playproof.generator.sheets.pieces import Piece

PlacesByComponent = Mapping[str, "tuple[StartPlace, ...]"]


@dataclass(frozen=True, slots=True)
class StartPlace:
    """One place of a component: its middle in mm right of and below the table's middle, its
    clockwise turn in degrees, and the number of copies there."""

    x: float
    y: float
    turn: float = 0.0
    count: int = 1


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A table with the components laid out: its size in mm, and each component's places by id.
    Without a set-up there are no places.

    ``grounds`` are the components on which others lie.
    """

    width: float = 0.0
    height: float = 0.0
    places: PlacesByComponent = field(default_factory=dict)
    grounds: frozenset[str] = frozenset()

    def list_copy_places(self, piece: Piece) -> list[StartPlace]:
        """Return one place for each copy that is laid out, at most `piece.count`."""
        ident, _, variant = piece.name.partition("-")
        places = self.places.get(piece.name) or (self.places.get(ident, ()) if variant else ())
        each = [StartPlace(place.x, place.y, place.turn) for place in places for _ in range(place.count)]
        return each[: piece.count]

    def find_largest_pile_place(self, cards: Sequence[Piece]) -> StartPlace | None:
        """Return the place with the most copies of one of these cards; None if none of them is laid
        out."""
        lying = [place for card in cards for place in self.places.get(card.name, ())]
        return max(lying, key=lambda place: place.count, default=None)


def iter_pieces_with_places(
    setup: TableSetup, pieces: Sequence[Piece]
) -> Iterator[tuple[Piece, list[StartPlace], int]]:
    """Yield each piece, its places, and the number of copies that have no place."""
    for piece in pieces:
        places = setup.list_copy_places(piece)
        yield piece, places, piece.count - len(places)

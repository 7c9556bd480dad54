"""Where things lie before the first move, so that a virtual table comes laid out as the set-up
says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from playproof.generator.sheets.pieces import Piece

Names = Mapping[str, "tuple[Lying, ...]"]


@dataclass(frozen=True, slots=True)
class Lying:
    """A place of a component: its middle in mm from the table's, right and down; clockwise degrees;
    how many there."""

    x: float
    y: float
    turn: float = 0.0
    count: int = 1


@dataclass(frozen=True, slots=True)
class Prepared:
    """A table laid out: its size in mm, and the places of each component by its id. An empty one
    has no places.

    ``grounds`` are the components that others lie on.
    """

    width: float = 0.0
    height: float = 0.0
    places: Names = field(default_factory=dict)
    grounds: frozenset[str] = frozenset()

    def singles(self, piece: Piece) -> list[Lying]:
        """A place for each copy that lies somewhere; copies beyond these are not laid out."""
        ident, _, variant = piece.name.partition("-")
        places = self.places.get(piece.name) or (self.places.get(ident, ()) if variant else ())
        each = [Lying(one.x, one.y, one.turn) for one in places for _ in range(one.count)]
        return each[: piece.count]

    def pile(self, cards: Sequence[Piece]) -> Lying | None:
        """Where a deck lies: where most of its cards do."""
        lying = [place for card in cards for place in self.places.get(card.name, ())]
        return max(lying, key=lambda place: place.count, default=None)


def laid_out(prepared: Prepared, pieces: Sequence[Piece]) -> Iterator[tuple[Piece, list[Lying], int]]:
    """Each piece with its places, and how many of it are left over."""
    for piece in pieces:
        places = prepared.singles(piece)
        yield piece, places, piece.count - len(places)

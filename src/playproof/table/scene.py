"""The table at one moment, as one seat sees it: surfaces, the pieces on them, spots that actions
may name.

All values are immutable, in millimetres from the top left corner. Nothing here knows how it is
drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

Crop = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Picture:
    """One printed face: a component, its side, and the shown part of it (x, y, width, height in
    mm)."""

    component: str
    side: str = "front"
    crop: Crop | None = None


@dataclass(frozen=True, slots=True)
class Surface:
    """A printed board, mat or sheet on the table, a bare place for piles, or a hand. A bare place
    has no picture.

    `seat` is its owner, None for all. `x` and `y` are on the table, in mm.
    """

    key: str
    title: str
    x: float
    y: float
    width: float
    height: float
    picture: Picture | None = None
    seat: int | None = None
    hand: bool = False


@dataclass(frozen=True, slots=True)
class TablePiece:
    """Something printed that lies on a surface. `x` and `y` are its middle on the surface, `turn`
    is in clockwise degrees.

    `key` stays the same while the piece moves. `count` is how many lie here as one (0: not known).
    `words` are its names in actions. `shows` names the fields of the rules that put it here.
    """

    key: str
    surface: str
    picture: Picture
    name: str
    x: float
    y: float
    width: float
    height: float
    turn: float = 0.0
    count: int | None = None
    words: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a surface that actions name, empty or not: a box in mm of the surface."""

    key: str
    surface: str
    name: str
    x: float
    y: float
    width: float
    height: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's score: `3 points`."""

    seat: int
    title: str
    value: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The whole table. `width` and `height` are in mm. The pieces are in drawing order."""

    width: float
    height: float
    surfaces: tuple[Surface, ...]
    pieces: tuple[TablePiece, ...]
    spots: tuple[Spot, ...]
    scores: tuple[Score, ...] = ()

    def list_pieces_on(self, surface: Surface) -> tuple[TablePiece, ...]:
        """Return the pieces on a surface, from below to above."""
        return tuple(piece for piece in self.pieces if piece.surface == surface.key)

    def list_spots_on(self, surface: Surface) -> tuple[Spot, ...]:
        """Return the named places of a surface."""
        return tuple(spot for spot in self.spots if spot.surface == surface.key)

"""Plain coloured faces and pieces for tests of sheets."""

from __future__ import annotations

from playproof.generator.scene import WHITE, Colour, Face, Rect, build_rectangle_path
from playproof.generator.sheets.pieces import Piece
from playproof.generator.type.shaping import typeset_anchored_text_line

RED, GREEN, BLUE = Colour(0.8, 0.2, 0.2), Colour(0.2, 0.6, 0.3), Colour(0.1, 0.25, 0.4)


def face(name: str, colour: Colour = RED, width: float = 63.5, height: float = 88.9, bleed: float = 3.0) -> Face:
    """A card with a coloured edge that runs into the bleed, and its name at the top."""
    trim = Rect(0, 0, width, height)
    nodes = (
        build_rectangle_path(trim.expand(bleed), colour),
        build_rectangle_path(trim.expand(-min(4.0, width / 4, height / 4)), WHITE),
        typeset_anchored_text_line(name, width / 2, 14, 12, anchor="middle"),
    )
    return Face(name, width, height, nodes, bleed=bleed)


def piece(name: str, count: int = 1, width: float = 63.5, height: float = 88.9, back: bool = True) -> Piece:
    """A card with a red front and, commonly, a blue back."""
    rear = face(f"{name} back", BLUE, width, height) if back else None
    return Piece(name, face(name, RED, width, height), rear, count)


def deck(cards: int) -> list[Piece]:
    """Cards 101, 102 ... with one back shared by all."""
    back = face("back", BLUE)
    return [Piece(str(101 + i), face(str(101 + i)), back) for i in range(cards)]

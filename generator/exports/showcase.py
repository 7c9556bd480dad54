"""A showcase picture: a hand of cards, fanned out, for a page about the game. Its ground is see-through."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import cos, radians, sin
from typing import TYPE_CHECKING, NamedTuple

from playproof.generator.exports.raster import render_faces
from playproof.generator.scene import Colour, Face, Path, rectangle

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

WIDTH = 1200  # px of the picture
FINER = 2  # cards are drawn so much finer, and scaled down after they are turned
STEP = 8.0  # degrees from one card of the hand to the next
WIDEST = 56.0  # degrees from the first to the last
ARM = 2.6  # from the elbow that cards turn about to the middle of a card, in heights of a card
ROUND = 3.0  # mm, of corners where a layout does not say
SHADOW = 0.38  # how dark the shadow of a card is
SHADOW_DOWN, SHADOW_BLUR = 0.012, 0.028  # of a card's height
EDGE = 0.06  # of a card's height, free round the hand


class _PlacedCard(NamedTuple):
    """A card of the hand: its picture, and its middle and turn on the whole picture."""

    picture: Picture
    x: float
    y: float
    turn: float


def draw_showcase(faces: Sequence[Face], width: int = WIDTH) -> Picture:
    """Return a hand of these faces as a picture with a see-through ground, ``width`` pixels wide. The faces have one
    size; the first lies at the left, below the others."""
    from PIL import Image as pillow
    from PIL.Image import Resampling

    card = faces[0]
    turns = _compute_card_turns(len(faces))
    arm = ARM * card.height
    middles = [(arm * sin(radians(turn)), -arm * cos(radians(turn))) for turn in turns]
    corners = [
        corner
        for turn, at in zip(turns, middles, strict=True)
        for corner in _compute_turned_corners(card, turn, at)
    ]
    edge = EDGE * card.height
    left, top = min(x for x, _ in corners) - edge, min(y for _, y in corners) - edge
    across = max(x for x, _ in corners) + edge - left
    down = max(y for _, y in corners) + edge - top
    dots = width * FINER / across  # pixels per mm
    whole = pillow.new("RGBA", (width * FINER, round(down * dots)))
    for picture, turn, (x, y) in zip(_draw_card_pictures(faces, dots), turns, middles, strict=True):
        _paste_card_with_shadow(whole, _PlacedCard(picture, (x - left) * dots, (y - top) * dots, turn))
    return whole.resize((width, round(whole.height / FINER)), Resampling.LANCZOS)


def _compute_card_turns(count: int) -> list[float]:
    """Return the clockwise turn of each card in degrees."""
    step = min(STEP, WIDEST / max(1, count - 1))
    return [step * (number - (count - 1) / 2) for number in range(count)]


def _compute_turned_corners(
    card: Face, turn: float, middle: tuple[float, float]
) -> list[tuple[float, float]]:
    """Return where the corners of a turned card lie, in mm."""
    cosine, sine = cos(radians(turn)), sin(radians(turn))
    halves = [(x * card.width / 2, y * card.height / 2) for x in (-1, 1) for y in (-1, 1)]
    return [(middle[0] + x * cosine - y * sine, middle[1] + x * sine + y * cosine) for x, y in halves]


def _draw_card_pictures(faces: Sequence[Face], dots: float) -> list[Picture]:
    """Return each face with what is cut off see-through."""
    size = (round(faces[0].width * dots), round(faces[0].height * dots))
    shapes = [replace(face, nodes=(_build_cut_shape(face),), bleed=0.0) for face in faces]
    cut = []
    for drawn, shape in zip(render_faces(faces, size), render_faces(shapes, size), strict=True):
        drawn.putalpha(shape.convert("L").point(lambda grey: 255 - grey))
        cut.append(drawn)
    return cut


def _build_cut_shape(face: Face) -> Path:
    """Return what is cut out of a face, in black."""
    black = Colour(0, 0, 0)
    if face.outline is not None:
        return face.outline._replace(fill=black, stroke=None)
    return rectangle(face.trim, black, radius=face.corner or ROUND)


def _paste_card_with_shadow(whole: Picture, card: _PlacedCard) -> None:
    """Lay a card and its shadow on the picture."""
    from PIL import Image as pillow, ImageFilter
    from PIL.Image import Resampling

    turned = card.picture.rotate(-card.turn, Resampling.BICUBIC, expand=True)
    height = card.picture.height
    blur = height * SHADOW_BLUR
    pad = round(3 * blur)
    alpha = pillow.new("L", (turned.width + 2 * pad, turned.height + 2 * pad))
    alpha.paste(turned.getchannel("A"), (pad, pad))
    alpha = alpha.filter(ImageFilter.GaussianBlur(blur)).point(lambda grey: round(grey * SHADOW))
    shadow = pillow.new("RGBA", alpha.size, (20, 16, 12, 0))
    shadow.putalpha(alpha)
    left, top = round(card.x - turned.width / 2), round(card.y - turned.height / 2)
    _paste_clipped(whole, shadow, left - pad, top - pad + round(height * SHADOW_DOWN))
    _paste_clipped(whole, turned, left, top)


def _paste_clipped(whole: Picture, part: Picture, left: int, top: int) -> None:
    """Lay a part over the picture; what lies outside is left out."""
    source = (max(0, -left), max(0, -top))
    right, bottom = min(part.width, whole.width - left), min(part.height, whole.height - top)
    if right > source[0] and bottom > source[1]:
        whole.alpha_composite(part.crop((*source, right, bottom)), (max(0, left), max(0, top)))

"""Pictures for virtual tables: many cards on one sheet, or one face."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

from PIL import Image

from playproof.generator.exports.raster import MM_PER_INCH, render_faces
from playproof.generator.scene import Face
from playproof.generator.sheets.geometry import Size

FINEST = 300.0  # dots per inch; more only costs players memory
TOKEN = 320  # px, the longer side of a small piece: players look at it from near


@dataclass(frozen=True, slots=True)
class Atlas:
    """The grid of a picture of many cards: columns, rows, and the pixels of one card."""

    columns: int
    rows: int
    cell: tuple[int, int]

    @property
    def pixels(self) -> tuple[int, int]:
        return self.columns * self.cell[0], self.rows * self.cell[1]


def choose_atlas_grid(
    cards: int,
    size: Size,
    max_grid: tuple[int, int],
    max_pixels: int,
    empty_places: int = 0,
    min_side: int = 2,
) -> Atlas:
    """Return the smallest grid for the cards and `spare` empty places, at least `least` by `least`.

    Its resolution is as high as `widest` (pixels) and FINEST allow.
    """
    columns = min(max_grid[0], max(min_side, cards))
    rows = min(max_grid[1], max(min_side, ceil((cards + empty_places) / columns)))
    finest = FINEST / MM_PER_INCH
    scale = min(max_pixels / columns / size.width, max_pixels / rows / size.height, finest)
    return Atlas(columns, rows, (floor(size.width * scale), floor(size.height * scale)))


def draw_atlas(faces: Sequence[Face], atlas: Atlas) -> Image.Image:
    """Draw the trimmed faces row by row on one picture, without bleed."""
    whole = Image.new("RGB", atlas.pixels, "white")
    for index, picture in enumerate(draw_each_face(faces, atlas.cell)):
        row, column = divmod(index, atlas.columns)
        whole.paste(picture, (column * atlas.cell[0], row * atlas.cell[1]))
    return whole


def draw_each_face(faces: Sequence[Face], pixels: tuple[int, int]) -> list[Image.Image]:
    """Draw the trimmed faces, each in this many pixels. A face that stands there often is drawn once, and its
    picture is the same object."""
    distinct = {id(face): face for face in faces}
    drawn = dict(zip(distinct, render_faces(list(distinct.values()), pixels), strict=True))
    return [drawn[id(face)] for face in faces]


def draw_face_picture(
    face: Face, per_inch: float = FINEST, max_pixels: int = 4096, min_pixels: int = 0
) -> Image.Image:
    """Draw one trimmed face at this resolution, at most `widest` pixels long. A small face is drawn
    larger, `least` pixels long."""
    longest = max(face.width, face.height)
    scale = min(max(per_inch / MM_PER_INCH, min_pixels / longest), max_pixels / longest)
    pixels = max(1, round(face.width * scale)), max(1, round(face.height * scale))
    (picture,) = render_faces([face], pixels)
    return picture

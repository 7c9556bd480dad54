"""Two pictures of one face: through the PDF, drawn by PDFium, and through the SVG, drawn by resvg. The two programs
share no code, and our two writers share no more than the scene, so what one of them writes wrong shows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import NamedTuple

import numpy
import numpy.typing
import resvg_py
from PIL import Image, ImageFilter

from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.scene import Face
from playproof.generator.svg import render_face_to_svg_text
from playproof.generator.type.fonts import FontBook

PER_MM = 6  # pixels
TILE = 12  # pixels, 2 mm: what is wrong is at least as large as a letter
SOFT = 0.6  # pixels: edges are smoothed in different ways
APART = 30.0  # of 255, the mean difference of a tile: 1,998 of 2,000 faces that are alike stay below half of it


class Compared(NamedTuple):
    """A face's two pictures, and how much their most different tile differs (of 255)."""

    face: Face
    by_pdf: Image.Image
    by_svg: Image.Image
    apart: float
    place: tuple[float, float]  # of that tile, mm from the left and the top


def compare(faces: Sequence[Face], fonts: FontBook | None = None) -> Iterator[Compared]:
    """Draw the faces twice. Those of one size are in one PDF, as on a sheet."""
    by_size: dict[tuple[int, int], list[Face]] = {}
    for face in faces:
        size = max(1, round(face.width * PER_MM)), max(1, round(face.height * PER_MM))
        by_size.setdefault(size, []).append(face)
    for size, alike in by_size.items():
        for face, by_pdf in zip(alike, render_faces_at_exact_pixels(alike, size, fonts=fonts), strict=True):
            by_svg = drawn_by_resvg(render_face_to_svg_text(face, fonts=fonts), size)
            apart, place = differ(by_pdf, by_svg)
            yield Compared(face, by_pdf, by_svg, apart, place)


def drawn_by_resvg(text: str, size: tuple[int, int]) -> Image.Image:
    """An SVG as pixels on white, of exactly this size: resvg keeps the shape of a picture, and rounds its sides."""
    text = re.sub(r' (?:width|height)="[^"]*mm"', "", text, count=2)
    text = text.replace("<svg ", f'<svg preserveAspectRatio="none" width="{size[0]}" height="{size[1]}" ', 1)
    data = resvg_py.svg_to_bytes(svg_string=text, width=size[0], height=size[1], background="white", dpi=96)
    with Image.open(BytesIO(bytes(data))) as picture:
        return picture.convert("RGB").resize(size)


def differ(one: Image.Image, other: Image.Image) -> tuple[float, tuple[float, float]]:
    """Return the mean difference of the most different tile, and its place in mm. A pixel differs by how far it lies
    outside of what the other picture has there and in the pixels around: an edge may lie one pixel beside."""
    far = numpy.maximum(_outside(one, other), _outside(other, one)).max(axis=2)
    high, wide = (max(1, side // TILE) for side in far.shape)
    far = far[: high * TILE, : wide * TILE] if min(far.shape) >= TILE else far
    tiles = far.reshape(high, far.shape[0] // high, wide, far.shape[1] // wide).mean(axis=(1, 3))
    row, column = numpy.unravel_index(int(tiles.argmax()), tiles.shape)
    return float(tiles.max()), (column * TILE / PER_MM, row * TILE / PER_MM)


def _outside(one: Image.Image, other: Image.Image) -> numpy.typing.NDArray[numpy.int16]:
    """How far each pixel of one lies outside of the other's least and greatest around it."""
    soft = one.filter(ImageFilter.GaussianBlur(SOFT)), other.filter(ImageFilter.GaussianBlur(SOFT))
    value = numpy.asarray(soft[0], dtype=numpy.int16)
    least = numpy.asarray(soft[1].filter(ImageFilter.MinFilter(3)), dtype=numpy.int16)
    most = numpy.asarray(soft[1].filter(ImageFilter.MaxFilter(3)), dtype=numpy.int16)
    zero = numpy.zeros_like(value)
    return numpy.maximum(numpy.maximum(least - value, value - most), zero)


def beside(compared: Compared) -> Image.Image:
    """Both pictures beside each other, to look at."""
    width, height = compared.by_pdf.size
    sheet = Image.new("RGB", (2 * width + 8, height), "red")
    sheet.paste(compared.by_pdf, (0, 0))
    sheet.paste(compared.by_svg, (width + 8, 0))
    return sheet

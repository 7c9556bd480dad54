"""Faces and PDF pages as pixels: drawn as PDF and rendered by PDFium at an exact size, many cards on one
sheet, a hand of cards for a page about the game."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from io import BytesIO
from math import ceil, cos, floor, radians, sin
from typing import TYPE_CHECKING, NamedTuple

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.scene import Colour, Face, Page, Path, Placement, Rect, Transform, rectangle
from playproof.generator.sheets.slots import Size
from playproof.generator.type.fonts import FontBook

if TYPE_CHECKING:
    from PIL.Image import Image as Picture


# Faces as pixels: drawn as PDF, rendered by PDFium at an exact size.

MM_PER_INCH = 25.4


def build_face_page(
    face: Face, bleed: float | Rect, label: str = "", *, scale: float = 1.0, turn: float = 0.0
) -> Page:
    """Return a page as large as the face with this much bleed (mm), or as this window on the face; its page boxes are
    set. It is scaled, and turned clockwise by ``turn`` degrees, a multiple of 90."""
    window = bleed if isinstance(bleed, Rect) else face.trim.expand(bleed)
    lying = Transform.move(-window.x, -window.y).then(Transform.scale(scale)).then(Transform.rotate(turn))
    page = lying.transform_bounding_box(window)
    placed = lying.then(Transform.move(-page.x, -page.y))
    boxes = (placed.transform_bounding_box(face.trim), placed.transform_bounding_box(window))
    beyond = max(0.0, -window.x, -window.y)
    return Page(page.width, page.height, (Placement(face, placed, beyond),), (), *boxes, label=label)


def render_faces(
    faces: Sequence[Face], pixels: tuple[int, int], bleed: float | Rect = 0.0, fonts: FontBook | None = None
) -> Iterator[Image.Image]:
    """Yield each face as an opaque RGB picture on white, of exactly this many pixels; `bleed` is in
    mm or a window on the face."""
    pages = [build_face_page(face, bleed) for face in faces]
    data = render_pdf(pages, metadata=Metadata("pictures"), fonts=fonts)
    with pdfium.PdfDocument(data) as document:
        for index in range(len(document)):
            yield _render_page(document[index], pixels)


def render_first_page(data: bytes, resolution: float) -> Image.Image:
    """Return the first page of a PDF as a picture with so many pixels per inch."""
    with pdfium.PdfDocument(data) as document:
        page = document[0]
        width, height = page.get_size()  # points
        return _render_page(page, (round(width * resolution / 72), round(height * resolution / 72)))


def _render_page(page: pdfium.PdfPage, pixels: tuple[int, int]) -> Image.Image:
    """Render the page at exactly this many pixels. (PDFium's own scaling rounds sizes up.)"""
    width, height = pixels
    bitmap = pdfium.PdfBitmap.new_native(width, height, pdfium_c.FPDFBitmap_BGRx)
    bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
    flags = pdfium_c.FPDF_ANNOT
    pdfium_c.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
    picture: Image.Image = bitmap.to_pil().convert("RGB")
    return picture


def encode_png(picture: Image.Image, resolution: float | None = None) -> bytes:
    """Return the picture as PNG bytes. The same pixels give the same bytes."""
    out = BytesIO()
    dpi = (resolution, resolution) if resolution else None
    if dpi:
        picture.save(out, "PNG", compress_level=6, dpi=dpi)
    else:
        picture.save(out, "PNG", compress_level=6)
    return out.getvalue()


# -- atlas ---------------------------------------------------------------------------------------------------
# Pictures for virtual tables: many cards on one sheet, or one face.

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


# -- showcase ------------------------------------------------------------------------------------------------
# A showcase picture: a hand of cards, fanned out, for a page about the game. Its ground is see-through.

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


# -- png -----------------------------------------------------------------------------------------------------
# Previews: PDF pages as pixels, and pixels embedded in an HTML page.


def render_pdf_pages_to_png(pdf: bytes, resolution: float = 100.0) -> Iterator[bytes]:
    """Return each page of a PDF as PNG bytes at this many dots per inch."""
    import pypdfium2

    with pypdfium2.PdfDocument(pdf) as document:
        for index in range(len(document)):
            picture = document[index].render(scale=resolution / 72).to_pil()
            out = BytesIO()
            picture.save(out, "PNG", compress_level=3)
            yield out.getvalue()


def embed_picture_in_html(data: bytes, width: int, alt_text: str) -> str:
    """Return a picture on white as an `<img>` with its data inside, `width` pixels wide; ``words``
    describe it."""
    from PIL import Image

    image = Image.open(BytesIO(data)).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image)
    height = round(image.height * width / image.width)
    out = BytesIO()
    ground.convert("RGB").resize((width, height), Image.Resampling.LANCZOS).save(out, "WEBP", quality=82)
    text = b64encode(out.getvalue()).decode("ascii")
    size = f"width='{width}' height='{height}'"
    return f"<img src='data:image/webp;base64,{text}' {size} alt='{escape(alt_text)}'>"

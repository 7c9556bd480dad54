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

from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.scene import Colour, Face, Page, Path, Placement, Rect, Transform, build_rectangle_path
from playproof.generator.sheets.slots import Size
from playproof.generator.type.fonts import FontBook

if TYPE_CHECKING:
    from PIL.Image import Image as Picture


# Faces as pixels: drawn as PDF, rendered by PDFium at an exact size.

MM_PER_INCH = 25.4


def build_page_of_face_and_bleed(
    face: Face, bleed_or_window: float | Rect, label: str = "", *, scale: float = 1.0, turn: float = 0.0
) -> Page:
    """Return a page as large as the face with this much bleed (mm), or as this window on the face; its page boxes are
    set. It is scaled, and turned clockwise by ``turn`` degrees, a multiple of 90."""
    window = bleed_or_window if isinstance(bleed_or_window, Rect) else face.trim.expand(bleed_or_window)
    lying = Transform.move(-window.x, -window.y).then(Transform.scale(scale)).then(Transform.rotate(turn))
    page = lying.transform_bounding_box(window)
    placed = lying.then(Transform.move(-page.x, -page.y))
    boxes = (placed.transform_bounding_box(face.trim), placed.transform_bounding_box(window))
    beyond = max(0.0, -window.x, -window.y)
    return Page(page.width, page.height, (Placement(face, placed, beyond),), (), *boxes, label=label)


def render_faces_at_exact_pixels(
    faces: Sequence[Face],
    pixel_size: tuple[int, int],
    bleed_or_window: float | Rect = 0.0,
    fonts: FontBook | None = None,
) -> Iterator[Image.Image]:
    """Yield each face as an opaque RGB picture on white, of exactly this many pixels; `bleed_or_window` is in
    mm or a window on the face."""
    pages = [build_page_of_face_and_bleed(face, bleed_or_window) for face in faces]
    data = render_pages_to_pdf_bytes(pages, metadata=Metadata("pictures"), fonts=fonts)
    with pdfium.PdfDocument(data) as document:
        for index in range(len(document)):
            yield _render_pdf_page_at_exact_pixels(document[index], pixel_size)


def render_first_pdf_page(pdf_bytes: bytes, dots_per_inch: float) -> Image.Image:
    """Return the first page of a PDF as a picture with so many pixels per inch."""
    with pdfium.PdfDocument(pdf_bytes) as document:
        page = document[0]
        width, height = page.get_size()  # points
        return _render_pdf_page_at_exact_pixels(
            page, (round(width * dots_per_inch / 72), round(height * dots_per_inch / 72))
        )


def _render_pdf_page_at_exact_pixels(page: pdfium.PdfPage, pixel_size: tuple[int, int]) -> Image.Image:
    """Render the page at exactly this many pixels. (PDFium's own scaling rounds sizes up.)"""
    width, height = pixel_size
    bitmap = pdfium.PdfBitmap.new_native(width, height, pdfium_c.FPDFBitmap_BGRx)
    bitmap.fill_rect((255, 255, 255, 255), 0, 0, width, height)
    flags = pdfium_c.FPDF_ANNOT
    pdfium_c.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, flags)
    picture: Image.Image = bitmap.to_pil().convert("RGB")
    return picture


def encode_reproducible_png(picture: Image.Image, dots_per_inch: float | None = None) -> bytes:
    """Return the picture as PNG bytes. The same pixels give the same bytes."""
    out = BytesIO()
    dpi = (dots_per_inch, dots_per_inch) if dots_per_inch else None
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
    def width_and_height_in_pixels(self) -> tuple[int, int]:
        return self.columns * self.cell[0], self.rows * self.cell[1]


def choose_atlas_grid_filling_rows_first(
    card_count: int,
    card_size: Size,
    max_grid: tuple[int, int],
    max_pixels: int,
    empty_places: int = 0,
    min_side: int = 2,
) -> Atlas:
    """Return the smallest grid for the cards and `empty_places` empty places, at least `min_side` by `min_side`.

    Its resolution is as high as `max_pixels` (pixels) and FINEST allow.
    """
    columns = min(max_grid[0], max(min_side, card_count))
    rows = min(max_grid[1], max(min_side, ceil((card_count + empty_places) / columns)))
    finest = FINEST / MM_PER_INCH
    scale = min(max_pixels / columns / card_size.width, max_pixels / rows / card_size.height, finest)
    return Atlas(columns, rows, (floor(card_size.width * scale), floor(card_size.height * scale)))


def draw_faces_in_grid_picture(faces: Sequence[Face], atlas: Atlas) -> Image.Image:
    """Draw the trimmed faces row by row on one picture, without bleed."""
    whole = Image.new("RGB", atlas.width_and_height_in_pixels, "white")
    for index, picture in enumerate(draw_faces_sharing_pictures_of_repeats(faces, atlas.cell)):
        row, column = divmod(index, atlas.columns)
        whole.paste(picture, (column * atlas.cell[0], row * atlas.cell[1]))
    return whole


def draw_faces_sharing_pictures_of_repeats(faces: Sequence[Face], pixel_size: tuple[int, int]) -> list[Image.Image]:
    """Draw the trimmed faces, each in this many pixels. A face that stands there often is drawn once, and its
    picture is the same object."""
    distinct = {id(face): face for face in faces}
    drawn = dict(zip(distinct, render_faces_at_exact_pixels(list(distinct.values()), pixel_size), strict=True))
    return [drawn[id(face)] for face in faces]


def draw_trimmed_face_at_resolution(
    face: Face, dots_per_inch: float = FINEST, max_pixels: int = 4096, min_pixels: int = 0
) -> Image.Image:
    """Draw one trimmed face at this resolution, at most `max_pixels` pixels long. A small face is drawn
    larger, `min_pixels` pixels long."""
    longest = max(face.width, face.height)
    scale = min(max(dots_per_inch / MM_PER_INCH, min_pixels / longest), max_pixels / longest)
    pixels = max(1, round(face.width * scale)), max(1, round(face.height * scale))
    (picture,) = render_faces_at_exact_pixels([face], pixels)
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


def draw_fanned_hand_of_cards(faces: Sequence[Face], width_in_pixels: int = WIDTH) -> Picture:
    """Return a hand of these faces as a picture with a see-through ground, ``width_in_pixels`` pixels wide. The
    faces have one size; the first lies at the left, below the others."""
    from PIL import Image as pillow
    from PIL.Image import Resampling

    card = faces[0]
    turns = _compute_card_turns_in_degrees(len(faces))
    arm = ARM * card.height
    middles = [(arm * sin(radians(turn)), -arm * cos(radians(turn))) for turn in turns]
    corners = [
        corner for turn, at in zip(turns, middles, strict=True) for corner in _compute_turned_corners(card, turn, at)
    ]
    edge = EDGE * card.height
    left, top = min(x for x, _ in corners) - edge, min(y for _, y in corners) - edge
    across = max(x for x, _ in corners) + edge - left
    down = max(y for _, y in corners) + edge - top
    dots = width_in_pixels * FINER / across  # pixels per mm
    whole = pillow.new("RGBA", (width_in_pixels * FINER, round(down * dots)))
    for picture, turn, (x, y) in zip(_draw_faces_cut_to_shape(faces, dots), turns, middles, strict=True):
        _paste_card_with_shadow(whole, _PlacedCard(picture, (x - left) * dots, (y - top) * dots, turn))
    return whole.resize((width_in_pixels, round(whole.height / FINER)), Resampling.LANCZOS)


def _compute_card_turns_in_degrees(card_count: int) -> list[float]:
    """Return the clockwise turn of each card in degrees."""
    step = min(STEP, WIDEST / max(1, card_count - 1))
    return [step * (number - (card_count - 1) / 2) for number in range(card_count)]


def _compute_turned_corners(card: Face, turn: float, middle: tuple[float, float]) -> list[tuple[float, float]]:
    """Return where the corners of a turned card lie, in mm."""
    cosine, sine = cos(radians(turn)), sin(radians(turn))
    halves = [(x * card.width / 2, y * card.height / 2) for x in (-1, 1) for y in (-1, 1)]
    return [(middle[0] + x * cosine - y * sine, middle[1] + x * sine + y * cosine) for x, y in halves]


def _draw_faces_cut_to_shape(faces: Sequence[Face], pixels_per_mm: float) -> list[Picture]:
    """Return each face with what is cut off see-through."""
    size = (round(faces[0].width * pixels_per_mm), round(faces[0].height * pixels_per_mm))
    shapes = [replace(face, nodes=(_build_black_shape_of_card(face),), bleed=0.0) for face in faces]
    cut = []
    for drawn, shape in zip(
        render_faces_at_exact_pixels(faces, size), render_faces_at_exact_pixels(shapes, size), strict=True
    ):
        drawn.putalpha(shape.convert("L").point(lambda grey: 255 - grey))
        cut.append(drawn)
    return cut


def _build_black_shape_of_card(face: Face) -> Path:
    """Return what is cut out of a face, in black."""
    black = Colour(0, 0, 0)
    if face.outline is not None:
        return face.outline._replace(fill=black, stroke=None)
    return build_rectangle_path(face.trim, black, radius=face.corner or ROUND)


def _paste_card_with_shadow(hand_picture: Picture, card: _PlacedCard) -> None:
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
    _paste_part_clipped_to_picture(hand_picture, shadow, left - pad, top - pad + round(height * SHADOW_DOWN))
    _paste_part_clipped_to_picture(hand_picture, turned, left, top)


def _paste_part_clipped_to_picture(picture: Picture, part: Picture, left: int, top: int) -> None:
    """Lay a part over the picture; what lies outside is left out."""
    source = (max(0, -left), max(0, -top))
    right, bottom = min(part.width, picture.width - left), min(part.height, picture.height - top)
    if right > source[0] and bottom > source[1]:
        picture.alpha_composite(part.crop((*source, right, bottom)), (max(0, left), max(0, top)))


# -- png -----------------------------------------------------------------------------------------------------
# Previews: PDF pages as pixels, and pixels embedded in an HTML page.


def iter_pdf_pages_as_png(pdf: bytes, dots_per_inch: float = 100.0) -> Iterator[bytes]:
    """Yield each page of a PDF as PNG bytes at this many dots per inch."""
    import pypdfium2

    with pypdfium2.PdfDocument(pdf) as document:
        for index in range(len(document)):
            picture = document[index].render(scale=dots_per_inch / 72).to_pil()
            out = BytesIO()
            picture.save(out, "PNG", compress_level=3)
            yield out.getvalue()


def build_img_tag_with_embedded_picture(picture_bytes: bytes, width_in_pixels: int, alt_text: str) -> str:
    """Return a picture on white as an `<img>` with its data inside, `width_in_pixels` pixels wide; ``alt_text``
    describe it."""
    from PIL import Image

    image = Image.open(BytesIO(picture_bytes)).convert("RGBA")
    ground = Image.new("RGBA", image.size, "white")
    ground.alpha_composite(image)
    height = round(image.height * width_in_pixels / image.width)
    out = BytesIO()
    ground.convert("RGB").resize((width_in_pixels, height), Image.Resampling.LANCZOS).save(out, "WEBP", quality=82)
    text = b64encode(out.getvalue()).decode("ascii")
    size = f"width='{width_in_pixels}' height='{height}'"
    return f"<img src='data:image/webp;base64,{text}' {size} alt='{escape(alt_text)}'>"

"""Faces as pixels: drawn as PDF, rendered by PDFium at an exact size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c
from PIL import Image

from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.scene import Face, Page, Placement, Rect, Transform
from playproof.generator.type.font_book import FontBook

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

"""A PDF opened for preflight: its objects, the facts of each page, the position of its text, its
pixels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
from PIL import Image

from playproof.generator.preflight.page_content import Operations, PageFacts, collect_page_facts

Box = tuple[float, float, float, float]  # left, bottom, right, top in points
POINTS_PER_MM = 72 / 25.4


@dataclass
class OpenPdf:
    """One open PDF. In messages, pages count from 1."""

    path: Path
    pdf: pikepdf.Pdf
    renderer: pdfium.PdfDocument
    cache: dict[tuple[int, int], Operations] = field(default_factory=dict)

    @cached_property
    def facts(self) -> list[PageFacts]:
        """The facts of each page."""
        return [collect_page_facts(page.obj, self.cache) for page in self.pdf.pages]

    @property
    def pages(self) -> Iterator[tuple[int, pikepdf.Object, PageFacts]]:
        """Yield the number, dictionary and facts of every page."""
        for number, (page, facts) in enumerate(zip(self.pdf.pages, self.facts, strict=True), 1):
            yield number, page.obj, facts

    def get_page_box(self, page: pikepdf.Object, name: str) -> Box | None:
        """Return a page's box with its corners in order. Only the media and the crop box are
        inherited."""
        value = page.get(name)
        above = page
        while value is None and name in ("/MediaBox", "/CropBox") and "/Parent" in above:
            above = above["/Parent"]
            value = above.get(name)
        if value is None or len(value) != 4:
            return None
        x1, y1, x2, y2 = (float(part) for part in value)
        return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)

    def get_trim_box(self, page: pikepdf.Object) -> Box:
        """Return the box that the page is cut to: its trim box, else its art, crop or media box."""
        for name in ("/TrimBox", "/ArtBox", "/CropBox", "/MediaBox"):
            box = self.get_page_box(page, name)
            if box is not None:
                return box
        return (0.0, 0.0, 612.0, 792.0)

    def list_page_labels(self) -> list[str]:
        """Return the pages' labels; an empty list if the file has none."""
        if "/PageLabels" not in self.pdf.Root:
            return []
        return [str(page.label) for page in self.pdf.pages]

    def list_text_boxes(self, number: int) -> list[Box]:
        """Return the rectangles of the text on a page."""
        text = self.renderer[number - 1].get_textpage()
        return [text.get_rect(index) for index in range(text.count_rects())]

    def render_page(self, number: int, per_inch: float) -> Image.Image:
        """Return the page as RGB pixels, at this many pixels per inch."""
        rendered: Image.Image = self.renderer[number - 1].render(scale=per_inch / 72).to_pil().convert("RGB")
        return rendered


@contextmanager
def open_pdf(path: Path) -> Iterator[OpenPdf]:
    """Open the file for a `with` block. Raises what pikepdf or PDFium raise on a broken file."""
    with pikepdf.open(path) as pdf, pdfium.PdfDocument(path) as renderer:
        yield OpenPdf(path, pdf, renderer)

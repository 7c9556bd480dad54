"""A PDF opened for preflight: its objects, what each page draws, the position of its text, how it
looks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pikepdf
import pypdfium2 as pdfium
from PIL import Image

from playproof.generator.preflight.drawn_content import Facts, Operations, facts_of

Box = tuple[float, float, float, float]  # left, bottom, right, top in points
POINTS_PER_MM = 72 / 25.4


@dataclass
class Document:
    """One open PDF. Pages count from 1 in everything that people see."""

    path: Path
    pdf: pikepdf.Pdf
    shown: pdfium.PdfDocument
    cache: dict[tuple[int, int], Operations] = field(default_factory=dict)

    @cached_property
    def facts(self) -> list[Facts]:
        """What each page draws."""
        return [facts_of(page.obj, self.cache) for page in self.pdf.pages]

    @property
    def pages(self) -> Iterator[tuple[int, pikepdf.Object, Facts]]:
        """Number, dictionary and facts of every page."""
        for number, (page, facts) in enumerate(zip(self.pdf.pages, self.facts, strict=True), 1):
            yield number, page.obj, facts

    def box(self, page: pikepdf.Object, name: str) -> Box | None:
        """A page's box with its corners in order; inherited for the media and the crop box only."""
        value = page.get(name)
        above = page
        while value is None and name in ("/MediaBox", "/CropBox") and "/Parent" in above:
            above = above["/Parent"]
            value = above.get(name)
        if value is None or len(value) != 4:
            return None
        x1, y1, x2, y2 = (float(part) for part in value)
        return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)

    def trim(self, page: pikepdf.Object) -> Box:
        """Where the page is cut: its trim box, or else its art, crop or media box."""
        for name in ("/TrimBox", "/ArtBox", "/CropBox", "/MediaBox"):
            box = self.box(page, name)
            if box is not None:
                return box
        return (0.0, 0.0, 612.0, 792.0)

    def labels(self) -> list[str]:
        """The pages' labels where the file has any, else an empty list."""
        if "/PageLabels" not in self.pdf.Root:
            return []
        return [str(page.label) for page in self.pdf.pages]

    def text_boxes(self, number: int) -> list[Box]:
        """The rectangles of the text on a page."""
        text = self.shown[number - 1].get_textpage()
        return [text.get_rect(index) for index in range(text.count_rects())]

    def picture(self, number: int, per_inch: float) -> Image.Image:
        """The page as RGB pixels, its media box whole."""
        rendered: Image.Image = self.shown[number - 1].render(scale=per_inch / 72).to_pil().convert("RGB")
        return rendered


@contextmanager
def opened(path: Path) -> Iterator[Document]:
    """The file, open for as long as it is looked at. Raises what pikepdf or PDFium raise on a
    broken one."""
    with pikepdf.open(path) as pdf, pdfium.PdfDocument(path) as shown:
        yield Document(path, pdf, shown)

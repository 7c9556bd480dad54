"""From pages to a PDF file: pages, boxes, metadata."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path as FilePath
from typing import Literal

from reportlab.pdfbase.pdfdoc import (
    PDFDictionary,
    PDFDocument,
    PDFName,
    PDFPage,
    PDFStream,
)

from playproof.generator.files import write_atomically
from playproof.generator.pdf.assembly import Assembly
from playproof.generator.pdf.pool import Pool
from playproof.generator.scene import PT_PER_MM, Page, Rect
from playproof.generator.type.fonts import FontBook, default_fonts

ColourSpace = Literal["rgb", "cmyk"]

# A PDF names the moment it was made; a fixed one keeps builds equal byte for byte.
EPOCH = "2000-01-01T00:00:00Z"


@dataclass(frozen=True, slots=True)
class Metadata:
    """What the file says of itself."""

    title: str
    author: str = ""
    subject: str = ""
    keywords: str = ""
    language: str = "en"
    creator: str = "Playproof"


def write_pdf(
    pages: Sequence[Page],
    path: FilePath,
    *,
    metadata: Metadata,
    colour_space: ColourSpace = "rgb",
    transparency: bool = True,
    fonts: FontBook | None = None,
    pool: Pool | None = None,
) -> None:
    """Draw the pages into a PDF at ``path``, atomically. The same pages give the same bytes.

    With ``transparency=False`` a see-through group raises ValueError (PDF/X-1a knows none).
    A ``pool`` kept from an earlier file of the same colour space saves drawing the same faces again.
    """
    data = pdf_bytes(
        pages, metadata=metadata, colour_space=colour_space, transparency=transparency, fonts=fonts, pool=pool
    )
    write_atomically(path, data)


def pdf_bytes(
    pages: Sequence[Page],
    *,
    metadata: Metadata,
    colour_space: ColourSpace = "rgb",
    transparency: bool = True,
    fonts: FontBook | None = None,
    pool: Pool | None = None,
) -> bytes:
    """The PDF as bytes; see `write_pdf`."""
    document = PDFDocument(invariant=1, pdfVersion=(1, 4), lang=metadata.language)
    pool = pool or Pool(fonts or default_fonts(), colour_space, transparency)
    assembly = Assembly(document, pool)
    for page in pages:
        _add_page(document, assembly, pool, page)
    assembly.finish()
    _describe(document, metadata)
    return bytes(document.GetPDFData(None))


def _add_page(document: PDFDocument, assembly: Assembly, pool: Pool, page: Page) -> None:
    drawn = pool.page(page)
    sheet = PDFPage()
    whole = Rect(0, 0, page.width, page.height)
    sheet.MediaBox = _box(whole, page.height)
    sheet.TrimBox = _box(page.trim_box or whole, page.height)
    sheet.BleedBox = _box(page.bleed_box or whole, page.height)
    sheet.Resources = assembly.resources(drawn.parts, drawn.shapes)
    sheet.Contents = PDFStream(PDFDictionary({"Filter": PDFName("FlateDecode")}), drawn.data)
    document.inPage()
    document.addPage(sheet)


def _box(rect: Rect, height: float) -> bytes:
    """A page box in points, y upwards, rounded to 1/10,000 pt so that 63.5 mm stays 180 pt."""
    numbers = (rect.x, height - rect.bottom, rect.right, height - rect.y)
    return f"[{' '.join(f'{round(number * PT_PER_MM, 4):.9g}' for number in numbers)}]".encode()


def _describe(document: PDFDocument, metadata: Metadata) -> None:
    document.setTitle(metadata.title)
    document.setAuthor(metadata.author)
    document.setSubject(metadata.subject)
    document.setKeywords(metadata.keywords)
    document.setCreator(metadata.creator)
    document.setProducer("Playproof, on ReportLab")
    xmp = PDFStream(PDFDictionary({"Type": PDFName("Metadata"), "Subtype": PDFName("XML")}), _xmp(metadata).encode())
    document.Catalog.Metadata = document.Reference(xmp)
    document.Catalog.__NoDefault__ = [*document.Catalog.__NoDefault__, "Metadata"]


def _xmp(metadata: Metadata) -> str:
    title, author = escape(metadata.title), escape(metadata.author)
    creators = f"<dc:creator><rdf:Seq><rdf:li>{author}</rdf:li></rdf:Seq></dc:creator>" if author else ""
    return (
        '<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>\n'
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n'
        '<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/"'
        ' xmlns:xmp="http://ns.adobe.com/xap/1.0/">\n'
        f'<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>{creators}\n'
        f"<dc:language><rdf:Bag><rdf:li>{escape(metadata.language)}</rdf:li></rdf:Bag></dc:language>\n"
        f"<xmp:CreateDate>{EPOCH}</xmp:CreateDate><xmp:MetadataDate>{EPOCH}</xmp:MetadataDate>"
        f"<xmp:CreatorTool>{escape(metadata.creator)}</xmp:CreatorTool>\n"
        '</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>\n'
    )

"""Writes a PDF file from pages: contents, boxes, metadata, and once each part that pages share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from operator import itemgetter
from pathlib import Path as FilePath
from typing import Literal, NamedTuple

from playproof.database.files import write_atomically
from playproof.generator.pdf.objects import Document, Name, Raw, Reference, Stream, Value
from playproof.generator.pdf.parts import Form, PdfResource
from playproof.generator.pdf.pool import DrawnPage, Pool
from playproof.generator.pdf.structure import is_read, readable
from playproof.generator.scene import PT_PER_MM, Page, Pieces, Rect, Shape
from playproof.generator.type.font_book import FontBook, default_fonts

ColourSpace = Literal["rgb", "cmyk"]

# A PDF names the moment it was made; a fixed one keeps builds equal byte for byte.
EPOCH = "2000-01-01T00:00:00Z"
MADE = "D:20000101000000Z"  # the same, as the information dictionary writes it
PRODUCER = "Playproof, on ReportLab"
LARGE = 4096  # bytes of a face's content


class Metadata(NamedTuple):
    """What the file states about itself."""

    title: str
    author: str = ""
    language: str = "en"


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
    """Write the pages to ``path`` as a PDF, atomically. The same pages give the same bytes.

    With ``transparency=False`` a see-through group raises ValueError (PDF/X-1a allows none). A
    ``pool`` from an earlier file of the same colour space saves drawing the same faces again.
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
    """Return the PDF as bytes; see `write_pdf`."""
    pool = pool or Pool(fonts or default_fonts(), colour_space, transparency)
    document = Document()
    root, tree = document.reserve(), document.reserve()
    assembly = Assembly(document, pool)
    alone = _alone(pool, pages)
    sheets = [document.reserve() for _ in pages]
    tagged = pool.speaks and any(page.passages or is_read(page) for page in pages)
    more, on_pages = readable(document, pages, sheets) if tagged else ({}, [{}] * len(pages))
    for page, sheet, on_page in zip(pages, sheets, on_pages, strict=True):
        drawn = pool.page(page, alone, tagged)
        document.put(sheet, {**_page(document, assembly, drawn, page), "Parent": tree, **on_page})
    assembly.finish()
    document.put(tree, {"Type": Name("Pages"), "Kids": sheets, "Count": len(sheets)})
    xmp = Stream({"Type": Name("Metadata"), "Subtype": Name("XML")}, _xmp(metadata).encode())
    catalog: dict[str, Value] = {
        "Type": Name("Catalog"),
        "Pages": tree,
        "Metadata": document.add(xmp),
        "Lang": metadata.language,
    }
    document.put(root, {**catalog, **more})
    return document.file(root, document.add(_information(metadata)))


def _alone(pool: Pool, pages: Sequence[Page]) -> frozenset[str]:
    """Return the names of the faces that pages take in: small ones that occur once. A large one is an object of its
    own, which all files of a build share, compressed once."""
    faces = [pool.face(each.face) for page in pages for each in page.placements]
    placed = Counter(face.name for face in faces)
    return frozenset(face.name for face in faces if placed[face.name] == 1 and len(face.content) < LARGE)


def _page(document: Document, assembly: Assembly, drawn: DrawnPage, page: Page) -> dict[str, Value]:
    whole = Rect(0, 0, page.width, page.height)
    return {
        "Type": Name("Page"),
        "MediaBox": _box(whole, page.height),
        "TrimBox": _box(page.trim_box or whole, page.height),
        "BleedBox": _box(page.bleed_box or whole, page.height),
        "Resources": assembly.resources(drawn.parts, drawn.lines),
        "Contents": document.add(Stream({"Filter": Name("FlateDecode")}, drawn.data)),
    }


def _box(rect: Rect, height: float) -> Raw:
    """Return a page box in points, y upwards, rounded to 1/10,000 pt so that 63.5 mm stays 180
    pt."""
    numbers = (rect.x, height - rect.bottom, rect.right, height - rect.y)
    return Raw(f"[{' '.join(f'{round(number * PT_PER_MM, 4):.9g}' for number in numbers)}]".encode())


def _information(metadata: Metadata) -> Value:
    """Return the document information dictionary, without empty entries."""
    entries = {
        "Title": metadata.title,
        "Author": metadata.author,
        "Creator": "Playproof",
        "Producer": PRODUCER,
        "CreationDate": MADE,
        "ModDate": MADE,
    }
    return {**{key: text for key, text in entries.items() if text}, "Trapped": Name("False")}


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
        f"<xmp:CreatorTool>Playproof</xmp:CreatorTool>\n"
        '</rdf:Description></rdf:RDF></x:xmpmeta>\n<?xpacket end="w"?>\n'
    )


SHAPE = itemgetter(1)  # of a piece of a line


class Assembly:
    """The shared objects of one PDF document."""

    def __init__(self, document: Document, pool: Pool) -> None:
        self._document = document
        self._pool = pool
        self._places: dict[str, Reference] = {}
        self._shapes: set[Shape] = set()
        self._dictionaries: dict[tuple[str, ...], Reference] = {}

    def resources(self, parts: Iterable[PdfResource], lines: Iterable[Pieces]) -> Reference:
        """Return the resource dictionary of a stream that uses these parts. Streams with the same
        parts share it."""
        for pieces in lines:
            self._shapes.update(map(SHAPE, pieces))
        ordered = sorted(parts, key=lambda part: (part.category, part.name))
        names = tuple(part.name for part in ordered)
        reference = self._dictionaries.get(names)
        if reference is None:
            used: dict[str, dict[str, Value]] = {}
            for part in ordered:
                used.setdefault(part.category, {})[part.name] = self._place(part)
            reference = self._dictionaries[names] = self._document.add(used)
        return reference

    def finish(self) -> None:
        """Add each font with the glyphs that were shown, which are known only now."""
        by_font: dict[str, set[Shape]] = {}
        for shape in self._shapes:
            by_font.setdefault(shape.font, set()).add(shape)
        for key in sorted(by_font):
            font = self._pool.fonts[key]
            font.embed(self._document, self._places[font.name], by_font[key])

    def _place(self, part: PdfResource) -> Reference:
        """Return a part's reference in this document. The first call adds the part."""
        reference = self._places.get(part.name)
        if reference is None:
            reference = self._places[part.name] = self._document.reserve()
            if isinstance(part, Form):
                self._document.put(reference, part.stream(self.resources(part.parts, part.lines)))
            elif part.put is not None:
                part.put(self._document, reference)
        return reference

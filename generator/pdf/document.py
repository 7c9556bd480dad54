"""Writes a PDF file from pages: contents, boxes, metadata, and once each part that pages share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from operator import itemgetter
from pathlib import Path as FilePath
from typing import Literal, NamedTuple

from playproof.database.files import write_file_atomically
from playproof.generator.pdf.content import Form, PdfResource
from playproof.generator.pdf.objects import Name, PdfFileBuilder, Raw, Reference, Stream, Value
from playproof.generator.pdf.part_pool import DrawnPage, PdfPartPool
from playproof.generator.pdf.structure import add_structure_and_get_extra_entries, has_faces_with_titles
from playproof.generator.scene import PT_PER_MM, Page, Pieces, Rect, ShapedText
from playproof.generator.type.fonts import FontBook, get_fonts_of_game_in_export_or_project

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


def write_pages_to_pdf_file(
    pages: Sequence[Page],
    path: FilePath,
    *,
    metadata: Metadata,
    colour_space: ColourSpace = "rgb",
    transparency: bool = True,
    fonts: FontBook | None = None,
    pool: PdfPartPool | None = None,
) -> None:
    """Write the pages to ``path`` as a PDF, atomically. The same pages give the same bytes.

    With ``transparency=False`` a see-through group raises ValueError (PDF/X-1a allows none). A
    ``pool`` from an earlier file of the same colour space saves drawing the same faces again.
    """
    data = render_pages_to_pdf_bytes(
        pages, metadata=metadata, colour_space=colour_space, transparency=transparency, fonts=fonts, pool=pool
    )
    write_file_atomically(path, data)


def render_pages_to_pdf_bytes(
    pages: Sequence[Page],
    *,
    metadata: Metadata,
    colour_space: ColourSpace = "rgb",
    transparency: bool = True,
    fonts: FontBook | None = None,
    pool: PdfPartPool | None = None,
) -> bytes:
    """Return the PDF as bytes; see `write_pages_to_pdf_file`."""
    pool = pool or PdfPartPool(fonts or get_fonts_of_game_in_export_or_project(), colour_space, transparency)
    document = PdfFileBuilder()
    root, tree = document.reserve_object_number(), document.reserve_object_number()
    assembly = ResourceAssembly(document, pool)
    alone = _list_names_of_small_faces_placed_once(pool, pages)
    sheets = [document.reserve_object_number() for _ in pages]
    tagged = pool.speaks and any(page.passages or has_faces_with_titles(page) for page in pages)
    more, on_pages = add_structure_and_get_extra_entries(document, pages, sheets) if tagged else ({}, [{}] * len(pages))
    for page, sheet, on_page in zip(pages, sheets, on_pages, strict=True):
        drawn = pool.get_or_draw_page_content(page, alone, tagged)
        document.fill_reserved_object(
            sheet, {**_build_page_dictionary(document, assembly, drawn, page), "Parent": tree, **on_page}
        )
    assembly.embed_fonts_with_only_shown_glyphs()
    document.fill_reserved_object(tree, {"Type": Name("Pages"), "Kids": sheets, "Count": len(sheets)})
    xmp = Stream({"Type": Name("Metadata"), "Subtype": Name("XML")}, _build_xmp_metadata(metadata).encode())
    catalog: dict[str, Value] = {
        "Type": Name("Catalog"),
        "Pages": tree,
        "Metadata": document.add_object_and_get_reference(xmp),
        "Lang": metadata.language,
    }
    document.fill_reserved_object(root, {**catalog, **more})
    return document.to_pdf_file_bytes(
        root, document.add_object_and_get_reference(_build_information_dictionary(metadata))
    )


def _list_names_of_small_faces_placed_once(pool: PdfPartPool, pages: Sequence[Page]) -> frozenset[str]:
    """Return the names of the faces that pages take in: small ones that occur once. A large one is an object of its
    own, which all files of a build share, compressed once."""
    faces = [pool.get_or_draw_form_of_face(each.face) for page in pages for each in page.placements]
    placed = Counter(face.name for face in faces)
    return frozenset(face.name for face in faces if placed[face.name] == 1 and len(face.content) < LARGE)


def _build_page_dictionary(
    document: PdfFileBuilder, resource_assembly: ResourceAssembly, drawn_page: DrawnPage, page: Page
) -> dict[str, Value]:
    whole = Rect(0, 0, page.width, page.height)
    return {
        "Type": Name("Page"),
        "MediaBox": _format_page_box_in_points(whole, page.height),
        "TrimBox": _format_page_box_in_points(page.trim_box or whole, page.height),
        "BleedBox": _format_page_box_in_points(page.bleed_box or whole, page.height),
        "Resources": resource_assembly.record_shapes_and_get_resource_dictionary(drawn_page.parts, drawn_page.lines),
        "Contents": document.add_object_and_get_reference(Stream({"Filter": Name("FlateDecode")}, drawn_page.data)),
    }


def _format_page_box_in_points(rect: Rect, height: float) -> Raw:
    """Return a page box in points, y upwards, rounded to 1/10,000 pt so that 63.5 mm stays 180
    pt."""
    numbers = (rect.x, height - rect.bottom, rect.right, height - rect.y)
    return Raw(f"[{' '.join(f'{round(number * PT_PER_MM, 4):.9g}' for number in numbers)}]".encode())


def _build_information_dictionary(metadata: Metadata) -> Value:
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


def _build_xmp_metadata(metadata: Metadata) -> str:
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


class ResourceAssembly:
    """The shared objects of one PDF document."""

    def __init__(self, document: PdfFileBuilder, pool: PdfPartPool) -> None:
        self._document = document
        self._pool = pool
        self._places: dict[str, Reference] = {}
        self._shapes: set[ShapedText] = set()
        self._dictionaries: dict[tuple[str, ...], Reference] = {}

    def record_shapes_and_get_resource_dictionary(
        self, parts: Iterable[PdfResource], glyph_lines: Iterable[Pieces]
    ) -> Reference:
        """Return the resource dictionary of a stream that uses these parts. Streams with the same
        parts share it."""
        for pieces in glyph_lines:
            self._shapes.update(map(SHAPE, pieces))
        ordered = sorted(parts, key=lambda part: (part.category, part.name))
        names = tuple(part.name for part in ordered)
        reference = self._dictionaries.get(names)
        if reference is None:
            used: dict[str, dict[str, Value]] = {}
            for part in ordered:
                used.setdefault(part.category, {})[part.name] = self._get_or_add_resource(part)
            reference = self._dictionaries[names] = self._document.add_object_and_get_reference(used)
        return reference

    def embed_fonts_with_only_shown_glyphs(self) -> None:
        """Add each font with the glyphs that were shown, which are known only now."""
        by_font: dict[str, set[ShapedText]] = {}
        for shape in self._shapes:
            by_font.setdefault(shape.font, set()).add(shape)
        for key in sorted(by_font):
            font = self._pool.fonts[key]
            font.embed_subset_for_shapes(self._document, self._places[font.name], by_font[key])

    def _get_or_add_resource(self, resource: PdfResource) -> Reference:
        """Return a part's reference in this document. The first call adds the part."""
        reference = self._places.get(resource.name)
        if reference is None:
            reference = self._places[resource.name] = self._document.reserve_object_number()
            if isinstance(resource, Form):
                self._document.fill_reserved_object(
                    reference,
                    resource.build_form_xobject_stream(
                        self.record_shapes_and_get_resource_dictionary(resource.parts, resource.lines)
                    ),
                )
            elif resource.put is not None:
                resource.put(self._document, reference)
        return reference

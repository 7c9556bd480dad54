"""What was drawn once and may be used again: streams, fonts, images, gradients, each named by its content.

A pool outlives a document, so that after one card has changed only that card is drawn anew. Names come
from hashes of content, so that a rebuilt file equals one built from nothing, byte for byte.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise

from reportlab.pdfbase.pdfdoc import PDFArray, PDFDictionary, PDFDocument, PDFName, PDFObject, PDFStream

from playproof.generator.pdf.content import Content, number
from playproof.generator.pdf.fonts import PdfFont
from playproof.generator.pdf.images import image_streams
from playproof.generator.pdf.names import fill_font, font_name
from playproof.generator.scene import (
    PT_PER_MM,
    Colour,
    Face,
    Image,
    LinearGradient,
    Node,
    Page,
    RadialGradient,
    Rect,
    Shape,
    Stop,
    Symbol,
    rectangle,
)
from playproof.generator.type.fonts import FontBook

# A see-through group has no bounds of its own; this box (mm) is larger than any sheet.
EVERYWHERE = Rect(-2000, -2000, 4000, 4000)
NO_SHAPES: frozenset[Shape] = frozenset()


@dataclass(frozen=True, eq=False)
class Part:
    """Something a stream refers to by name: its category in the resource dictionary and how to make it.

    ``make`` builds the PDF object anew for each document, given its own resources; ``parts`` and ``shapes``
    are what it uses in turn. ``fill`` completes what needs more objects of its document.
    """

    name: str
    category: str
    make: Callable[[PDFObject], PDFObject]
    parts: tuple[Part, ...] = ()
    shapes: frozenset[Shape] = NO_SHAPES
    mask: Callable[[], PDFObject] | None = field(default=None)
    fill: Callable[[PDFDocument, PDFDictionary], None] | None = None


@dataclass(frozen=True, eq=False)
class DrawnPage:
    """A page's content stream, compressed, and what it uses."""

    data: bytes
    parts: tuple[Part, ...]
    shapes: frozenset[Shape]


class Pool:
    """Parts drawn for one colour space, with one set of fonts."""

    def __init__(self, fonts: FontBook, colour_space: str = "rgb", transparency: bool = True) -> None:
        self.book = fonts
        self.cmyk = colour_space == "cmyk"
        self.speaks = not self.cmyk  # a print shop reads no icons aloud, and may not know their fonts
        self._transparency = transparency
        self._fonts: dict[str, PdfFont] = {}
        self._numbers = {key: at for at, key in enumerate(sorted(fonts.fonts), 1)}
        self._colours: dict[Colour, str] = {}
        self._parts: dict[object, Part] = {}
        self._kept: list[object] = []  # owners known by identity must live as long as the pool
        self._pages: dict[object, DrawnPage] = {}

    def colour(self, colour: Colour) -> str:
        """The operator that fills in this colour (upper-cased, it strokes)."""
        known = self._colours.get(colour)
        if known is None:
            parts = colour.inks() if self.cmyk else (colour.red, colour.green, colour.blue)
            known = " ".join(number(part) for part in parts) + (" k" if self.cmyk else " rg")
            self._colours[colour] = known
        return known

    def type_colour(self, colour: Colour) -> str:
        """The same for type: dark greys are black ink alone."""
        if not self.cmyk:
            return self.colour(colour)
        return " ".join(number(part) for part in colour.type_inks()) + " k"

    def font(self, key: str) -> PdfFont:
        known = self._fonts.get(key)
        if known is None:
            font = self.book[key]
            known = self._fonts[key] = PdfFont(font, f"F{self._numbers[key]}")
            known.part = Part(known.name, "Font", lambda _: PDFDictionary({}))
        return known

    def name(self, text: str) -> Part:
        """The font whose one glyph says this name."""
        key = ("name", text)
        if key not in self._parts:
            fill = partial(fill_font, text)
            self._parts[key] = Part(font_name(text), "Font", lambda _: PDFDictionary({}), fill=fill)
        return self._parts[key]

    def page(self, page: Page) -> DrawnPage:
        """A page's content; the same faces in the same places with the same marks are drawn once."""
        places = tuple((id(each.face), each.transform, each.bleed) for each in page.placements)
        key = (page.height, places, page.marks, page.passages)
        known = self._pages.get(key)
        if known is None:
            self._kept += [each.face for each in page.placements]
            content = Content(self, page.height)
            with content.marked("Artifact", bool(page.passages)):
                for placement in page.placements:
                    window = rectangle(placement.face.trim.grown(min(placement.bleed, placement.face.bleed)))
                    with content.saved(placement.transform, window):
                        content.draw(self.face(placement.face))
                for mark in page.marks:
                    content.node(mark)
            for number, passage in enumerate(page.passages):
                with content.tagged(passage.role, number):
                    for node in passage.nodes:
                        content.node(node)
            data = zlib.compress(content.bytes(), 6)
            known = DrawnPage(data, tuple(content.parts.values()), frozenset(content.shapes))
            self._pages[key] = known
        return known

    def face(self, face: Face) -> Part:
        """A face as a form."""
        return self._form(face, face.bleed_box, face.nodes)

    def symbol(self, symbol: Symbol) -> Part:
        return self._form(symbol, symbol.bounds, symbol.children, picture=symbol.picture)

    def see_through(self, children: Sequence[Node]) -> Part:
        """Nodes drawn as one group, to be made see-through together."""
        group = PDFDictionary({"S": PDFName("Transparency"), "Type": PDFName("Group")})
        return self._form(children, EVERYWHERE, children, {"Group": group})

    def opacity(self, share: float) -> Part:
        if not self._transparency:
            raise ValueError("a see-through group cannot be drawn: this file knows no transparency")
        key = ("opacity", share)
        if key not in self._parts:
            entries = {"Type": PDFName("ExtGState"), "ca": share, "CA": share}
            self._parts[key] = Part(f"G{share * 1000:.0f}", "ExtGState", lambda _: PDFDictionary(entries))
        return self._parts[key]

    def image(self, image: Image) -> Part:
        key = (image.file, image.crop)
        if key not in self._parts:
            stream, mask = image_streams(image, self.cmyk, self._transparency)
            name = "I" + _digest(stream.content, repr(image.crop).encode())
            self._parts[key] = Part(
                name, "XObject", lambda _: _copied(stream), mask=(lambda: _copied(mask)) if mask else None
            )
        return self._parts[key]

    def shading(self, paint: LinearGradient | RadialGradient, top: float) -> Part:
        """The gradient in the coordinates of a stream whose scene origin lies ``top`` points up."""
        key = (paint, top)
        if key not in self._parts:
            name = "S" + _digest(repr(key).encode())
            self._parts[key] = Part(name, "Shading", lambda _: self._gradient(paint, top))
        return self._parts[key]

    def _gradient(self, paint: LinearGradient | RadialGradient, top: float) -> PDFDictionary:
        def place(x: float, y: float) -> list[float]:
            return [round(x * PT_PER_MM, 3), round(top - y * PT_PER_MM, 3)]

        if isinstance(paint, LinearGradient):
            kind, coordinates = 2, [*place(paint.x1, paint.y1), *place(paint.x2, paint.y2)]
        else:
            centre = place(paint.x, paint.y)
            kind, coordinates = 3, [*centre, 0, *centre, round(paint.radius * PT_PER_MM, 3)]
        return PDFDictionary(
            {
                "ShadingType": kind,
                "ColorSpace": PDFName("DeviceCMYK" if self.cmyk else "DeviceRGB"),
                "Coords": PDFArray(coordinates),
                "Function": self._blend(paint.stops),
                "Extend": PDFArray(["true", "true"]),
            }
        )

    def _blend(self, stops: Sequence[Stop]) -> PDFDictionary:
        """The function from 0..1 to colours: one straight piece between each two stops."""
        pieces = [
            PDFDictionary(
                {
                    "FunctionType": 2,
                    "Domain": PDFArray([0, 1]),
                    "C0": PDFArray(self._inks(one.colour)),
                    "C1": PDFArray(self._inks(two.colour)),
                    "N": 1,
                }
            )
            for one, two in pairwise(stops)
        ]
        if len(pieces) == 1:
            return pieces[0]
        return PDFDictionary(
            {
                "FunctionType": 3,
                "Domain": PDFArray([0, 1]),
                "Functions": PDFArray(pieces),
                "Bounds": PDFArray([stop.at for stop in stops[1:-1]]),
                "Encode": PDFArray([0, 1] * len(pieces)),
            }
        )

    def _inks(self, colour: Colour) -> list[float]:
        parts = colour.inks() if self.cmyk else (colour.red, colour.green, colour.blue)
        return [round(part, 4) for part in parts]

    def _form(
        self,
        owner: object,
        bounds: Rect,
        nodes: Sequence[Node],
        more: dict[str, PDFObject] | None = None,
        picture: bool = False,
    ) -> Part:
        key = ("form", id(owner))
        known = self._parts.get(key)
        if known is None:
            self._kept.append(owner)
            content = Content(self)
            with content.marked("Picture", picture):
                for node in nodes:
                    content.node(node)
            known = self._parts[key] = form_part(content, bounds, more)
        return known


def form_part(content: Content, bounds: Rect, more: dict[str, PDFObject] | None = None) -> Part:
    """A finished content stream as a form XObject with these bounds (mm)."""
    plain = content.bytes()
    data = zlib.compress(plain, 6)
    box = [round(edge * PT_PER_MM, 3) for edge in (bounds.x, -bounds.bottom, bounds.right, -bounds.y)]

    def make(resources: PDFObject) -> PDFObject:
        if more:
            entries = {"Type": PDFName("XObject"), "Subtype": PDFName("Form"), "BBox": PDFArray(box), **more}
            entries |= {"Resources": resources, "Filter": PDFName("FlateDecode")}
            return PDFStream(PDFDictionary(entries), data)
        return PlainForm(head, resources, data)

    corners = " ".join(number(edge) for edge in box)
    head = f"<< /Type /XObject /Subtype /Form /BBox [{corners}] /Filter /FlateDecode /Length {len(data)}"

    name = "X" + _digest(plain, repr((box, sorted(more or ()))).encode())
    return Part(name, "XObject", make, tuple(content.parts.values()), frozenset(content.shapes))


class PlainForm(PDFObject):  # type: ignore[misc]  # reportlab is read as Any
    """A form XObject that formats itself: one card is one form, and the general dictionary is slow."""

    __RefOnly__ = 1

    def __init__(self, head: str, resources: PDFObject, data: bytes) -> None:
        self._head = head
        self._resources = resources
        self._data = data

    def format(self, document: PDFDocument) -> bytes:
        """The object as it stands in the file."""
        reference = self._resources.format(document)
        return b"%s /Resources %s >>\nstream\n%s\nendstream" % (self._head.encode(), reference, self._data)


def _copied(stream: PDFStream) -> PDFStream:
    """A document marks the objects it holds; each gets its own."""
    return PDFStream(PDFDictionary(dict(stream.dictionary.dict)), stream.content)


def _digest(*parts: bytes) -> str:
    """Ten characters that name this content."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:10]

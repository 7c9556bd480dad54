"""What content streams refer to by name: fonts, forms, images, shadings, opacities. Each is stored once."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from itertools import pairwise

from reportlab.pdfbase.pdfdoc import (
    PDFArray,
    PDFDictionary,
    PDFDocument,
    PDFName,
    PDFObject,
    PDFStream,
)

from generator.pdf.content import Content, number
from generator.pdf.fonts import PdfFont
from generator.pdf.images import image_streams
from generator.scene import (
    PT_PER_MM,
    Colour,
    Face,
    Image,
    LinearGradient,
    Node,
    RadialGradient,
    Rect,
    Stop,
    Symbol,
)
from generator.type.fonts import FontBook

Named = tuple[str, PDFObject]

# A see-through group has no bounds of its own; this box (mm) is larger than any sheet.
EVERYWHERE = Rect(-2000, -2000, 4000, 4000)


class Resources:
    """The shared objects of one PDF document."""

    def __init__(self, document: PDFDocument, fonts: FontBook, colour_space: str, transparency: bool) -> None:
        self._document = document
        self._book = fonts
        self._cmyk = colour_space == "cmyk"
        self._transparency = transparency
        self._fonts: dict[str, PdfFont] = {}
        self._colours: dict[Colour, str] = {}
        self._named: dict[object, Named] = {}
        self._kept: list[object] = []  # objects known by identity must outlive the document

    def finish(self) -> None:
        """Add what is known only at the end: the fonts with the glyphs that were used."""
        for font in self._fonts.values():
            font.finish(self._document)

    def colour(self, colour: Colour) -> str:
        """The operator that fills in this colour (upper-cased, it strokes)."""
        known = self._colours.get(colour)
        if known is None:
            parts = colour.inks() if self._cmyk else (colour.red, colour.green, colour.blue)
            known = " ".join(number(part) for part in parts) + (" k" if self._cmyk else " rg")
            self._colours[colour] = known
        return known

    def font(self, key: str) -> PdfFont:
        known = self._fonts.get(key)
        if known is None:
            known = self._fonts[key] = PdfFont(self._document, self._book[key], f"F{len(self._fonts) + 1}")
        return known

    def face(self, face: Face) -> Named:
        """A face placed more than once, as a form."""
        return self._form(face, face.bleed_box, face.nodes)

    def symbol(self, symbol: Symbol) -> Named:
        return self._form(symbol, symbol.bounds, symbol.children)

    def transparent_group(self, children: Sequence[Node]) -> Named:
        group = PDFDictionary({"S": PDFName("Transparency"), "Type": PDFName("Group")})
        return self._form(children, EVERYWHERE, children, {"Group": group})

    def opacity(self, share: float) -> Named:
        if not self._transparency:
            raise ValueError("a see-through group cannot be drawn: this file knows no transparency")
        key = ("opacity", share)
        if key not in self._named:
            state = PDFDictionary({"Type": PDFName("ExtGState"), "ca": share, "CA": share})
            self._name(key, "G", state)
        return self._named[key]

    def image(self, image: Image) -> Named:
        key = (image.file, image.crop)
        if key not in self._named:
            stream, mask = image_streams(image, self._cmyk, self._transparency)
            if mask is not None:
                stream.dictionary["SMask"] = self._document.Reference(mask)
            self._name(key, "I", stream)
        return self._named[key]

    def shading(self, paint: LinearGradient | RadialGradient, top: float) -> Named:
        """The gradient in the coordinates of a stream whose scene origin lies ``top`` points up."""
        key = (paint, top)
        if key not in self._named:
            self._name(key, "S", self._gradient(paint, top))
        return self._named[key]

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
                "ColorSpace": PDFName("DeviceCMYK" if self._cmyk else "DeviceRGB"),
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
                    "C0": PDFArray(self._parts(one.colour)),
                    "C1": PDFArray(self._parts(two.colour)),
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

    def _parts(self, colour: Colour) -> list[float]:
        parts = colour.inks() if self._cmyk else (colour.red, colour.green, colour.blue)
        return [round(part, 4) for part in parts]

    def _form(
        self, owner: object, bounds: Rect, nodes: Sequence[Node], more: dict[str, PDFObject] | None = None
    ) -> Named:
        key = ("form", id(owner))
        if key not in self._named:
            self._kept.append(owner)
            content = Content(self)
            for node in nodes:
                content.node(node)
            box = (bounds.x, -bounds.bottom, bounds.right, -bounds.y)
            entries = {
                "Type": PDFName("XObject"),
                "Subtype": PDFName("Form"),
                "BBox": PDFArray([round(edge * PT_PER_MM, 3) for edge in box]),
                "Resources": content.resource_dictionary(),
                "Filter": PDFName("FlateDecode"),
                **(more or {}),
            }
            self._name(key, "X", PDFStream(PDFDictionary(entries), zlib.compress(content.bytes(), 6)))
        return self._named[key]

    def _name(self, key: object, letter: str, value: PDFObject) -> None:
        name = f"{letter}{len(self._named) + 1}"
        self._named[key] = (name, self._document.Reference(value, f"playproof.{name}"))

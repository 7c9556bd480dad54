"""Putting a document together: every part that pages use is added once, fonts last, with what was shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from reportlab.pdfbase.pdfdoc import PDFDictionary, PDFDocument, PDFObject

from playproof.generator.pdf.pool import Part, Pool
from playproof.generator.scene import Shape


class Assembly:
    """The shared objects of one PDF document."""

    def __init__(self, document: PDFDocument, pool: Pool) -> None:
        self._document = document
        self._pool = pool
        self._references: dict[str, PDFObject] = {}
        self._fonts: dict[str, PDFDictionary] = {}
        self._shapes: set[Shape] = set()
        self._dictionaries: dict[tuple[str, ...], PDFObject] = {}

    def resources(self, parts: Iterable[Part], shapes: Iterable[Shape]) -> PDFObject:
        """The resource dictionary of a stream that uses these; streams that use the same share it."""
        self._shapes.update(shapes)
        ordered = sorted(parts, key=lambda part: part.name)
        names = tuple(part.name for part in ordered)
        known = self._dictionaries.get(names)
        if known is None:
            used: dict[str, dict[str, PDFObject]] = {}
            for part in ordered:
                used.setdefault(part.category, {})[part.name] = self._reference(part)
            made = Resources(used)
            known = self._dictionaries[names] = self._document.Reference(made, f"resources {names}")
        return known

    def finish(self) -> None:
        """Add what is known only at the end: each font with the glyphs that were shown."""
        by_font: dict[str, set[Shape]] = {}
        for shape in self._shapes:
            by_font.setdefault(shape.font, set()).add(shape)
        for key in sorted(by_font):
            font = self._pool.font(key)
            font.embed(self._document, self._fonts[font.name], by_font[key])

    def _reference(self, part: Part) -> PDFObject:
        known = self._references.get(part.name)
        if known is None:
            made = part.make(self.resources(part.parts, part.shapes))
            if part.fill is not None:
                part.fill(self._document, made)
            elif part.category == "Font":
                self._fonts[part.name] = made
            if part.mask is not None:
                made.dictionary["SMask"] = self._document.Reference(part.mask())
            known = self._references[part.name] = self._document.Reference(made, f"playproof.{part.name}")
        return known


class Resources(PDFObject):  # type: ignore[misc]  # reportlab is read as Any
    """A resource dictionary that formats itself: there is one a card, and the general dictionary is slow."""

    __RefOnly__ = 1

    def __init__(self, used: Mapping[str, Mapping[str, PDFObject]]) -> None:
        self._used = used

    def format(self, document: PDFDocument) -> bytes:
        """The object as it stands in the file; names are plain letters and digits."""
        groups = []
        for category, named in sorted(self._used.items()):
            entries = b" ".join(b"/%s %s" % (name.encode(), part.format(document)) for name, part in named.items())
            groups.append(b"/%s << %s >>" % (category.encode(), entries))
        return b"<< %s >>" % b"\n".join(groups)

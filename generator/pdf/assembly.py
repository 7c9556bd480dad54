"""Assembles a document: adds each part that pages use once, and the fonts last, with the glyphs
that were shown."""

from __future__ import annotations

from collections.abc import Iterable
from operator import itemgetter

from playproof.generator.pdf.objects import Document, Reference, Value
from playproof.generator.pdf.parts import Form, Part
from playproof.generator.pdf.pool import Pool
from playproof.generator.scene import Pieces, Shape

SHAPE = itemgetter(1)  # of a piece of a line


class Assembly:
    """The shared objects of one PDF document."""

    def __init__(self, document: Document, pool: Pool) -> None:
        self._document = document
        self._pool = pool
        self._places: dict[str, Reference] = {}
        self._shapes: set[Shape] = set()
        self._dictionaries: dict[tuple[str, ...], Reference] = {}

    def resources(self, parts: Iterable[Part], lines: Iterable[Pieces]) -> Reference:
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

    def _place(self, part: Part) -> Reference:
        """Return a part's reference in this document. The first call adds the part."""
        reference = self._places.get(part.name)
        if reference is None:
            reference = self._places[part.name] = self._document.reserve()
            if isinstance(part, Form):
                self._document.put(reference, part.stream(self.resources(part.parts, part.lines)))
            elif part.put is not None:
                part.put(self._document, reference)
        return reference

"""Parts of a document that streams name, and what a stream asks of the pool that has them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from playproof.generator.art.true_pixels import UPRIGHT
from playproof.generator.lazy_dict import LazyDict
from playproof.generator.pdf.font_objects import PdfFont
from playproof.generator.pdf.objects import LEVEL, PdfFileBuilder, Reference, Stream, Value
from playproof.generator.scene import (
    Colour,
    Image,
    LinearGradient,
    Node,
    Pieces,
    RadialGradient,
    Rect,
    Symbol,
)
from playproof.generator.scene.nodes import WHOLE

PutIntoDocument = Callable[[PdfFileBuilder, Reference], None]


@dataclass(frozen=True, eq=False)
class PdfResource:
    """A resource that a stream names: its category in the resource dictionary, and the function
    that puts it into a document.

    A font has no ``put``: it is written last, with the glyphs that were shown.
    """

    name: str
    category: str
    put: PutIntoDocument | None = None


@dataclass(frozen=True, eq=False)
class PdfPicture(PdfResource):
    """A picture of pixels. ``reach`` is where its pixels lie, in shares of the place that it fills; the matrix
    ``turn`` makes them upright there."""

    reach: Rect = WHOLE
    turn: tuple[int, int, int, int, int, int] = UPRIGHT


@dataclass(frozen=True, eq=False)
class Form(PdfResource):
    """A part that is a content stream, with the parts and lines it uses. A page that is its only
    user takes the stream in."""

    content: bytes = b""
    entries: Mapping[str, Value] = field(default_factory=dict)
    parts: tuple[PdfResource, ...] = ()
    lines: tuple[Pieces, ...] = ()

    @cached_property
    def _data(self) -> bytes:
        return zlib.compress(self.content, LEVEL)

    def build_stream(self, resources: Value) -> Stream:
        """Return the form XObject for a document, with these resources."""
        return Stream({**self.entries, "Resources": resources}, self._data)


class PdfPartSource(Protocol):
    """The pool, as a stream sees it: what it needs is drawn when it is first asked for."""

    speaks: bool
    colours: LazyDict[Colour, str]
    type_colours: LazyDict[Colour, str]
    fonts: LazyDict[str, PdfFont]

    def get_name_font(self, text: str) -> PdfResource: ...
    def get_symbol_form(self, symbol: Symbol) -> Form: ...
    def get_transparency_group(self, children: Sequence[Node]) -> Form: ...
    def get_opacity_state(self, share: float) -> PdfResource: ...
    def get_image(self, image: Image) -> PdfPicture: ...
    def get_shading(self, paint: LinearGradient | RadialGradient, top: float) -> PdfResource: ...

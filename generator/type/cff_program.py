"""A PostScript font program (CFF) of some glyphs, made from their outlines.

PDF embeds CFF of version 1 without variations. Made from outlines, it comes out alike for a CFF font, one of CFF 2, a
variable one and one whose glyphs go by the numbers of a character collection (as those of Chinese fonts do).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.generator.type.fonts import Font


def build_cff_program(font: Font, glyphs: Sequence[int]) -> bytes:
    """Return the program. Glyph numbers stay; those between are blank. Units are thousandths of an em."""
    from fontTools.fontBuilder import FontBuilder  # few games bring such a font

    count = max(glyphs, default=0) + 1
    names = [".notdef", *(f"g{number}" for number in range(1, count))]
    wanted = set(glyphs)
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(names)
    drawings = {name: _build_charstring(font, at if at in wanted else None) for at, name in enumerate(names)}
    builder.setupCFF(font.postscript_name, {}, drawings, {})
    written = io.BytesIO()
    builder.font["CFF "].cff.compile(written, builder.font, isCFF2=False)
    return written.getvalue()


def _build_charstring(font: Font, glyph: int | None) -> object:
    """Return a glyph as a charstring; None draws nothing."""
    from fontTools.pens.t2CharStringPen import T2CharStringPen

    if glyph is None:
        return T2CharStringPen(0, None).getCharString()
    pen = T2CharStringPen(font.get_advance(glyph), None, roundTolerance=0.01)
    is_open = False
    for letter, numbers in font.get_outline(glyph):
        points = list(zip(numbers[0::2], numbers[1::2], strict=True))
        if letter == "M":
            if is_open:
                pen.closePath()
            pen.moveTo(points[0])
            is_open = True
        elif letter == "L":
            pen.lineTo(points[0])
        elif letter == "C":
            pen.curveTo(*points)
        elif is_open:
            pen.closePath()
            is_open = False
    if is_open:
        pen.closePath()
    return pen.getCharString()

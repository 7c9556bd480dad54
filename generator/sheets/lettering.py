"""Short lines of text in the sheet's margin and on its helper pages: labels, rulers,
instructions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Literal

import uharfbuzz as hb

from playproof.generator.scene import BLACK, Colour, Glyphs, Pt, ShapedText, pt_to_mm
from playproof.generator.type.font_book import get_default_fonts

PLAIN, BOLD = "alegreyasans-regular", "alegreyasans-bold"
Anchor = Literal["start", "middle", "end"]


@lru_cache(maxsize=4096)
def shape_text(text: str, font: str = PLAIN) -> ShapedText:
    """Shape the text as glyphs of one font; characters that the font lacks are left out."""
    face = get_default_fonts()[font]
    drawn = face.codepoints
    drawable = text
    if not drawn.issuperset(map(ord, text)):
        drawable = "".join(char for char in text if ord(char) in drawn)
    buffer = hb.Buffer()
    buffer.add_str(drawable)
    buffer.guess_segment_properties()
    # One glyph a character: a ligature would leave the text of its second letter without a glyph.
    hb.shape(face.hb_font, buffer, {"liga": False, "clig": False, "lnum": True})
    infos, places = buffer.glyph_infos or [], buffer.glyph_positions or []  # None without a character
    return ShapedText(
        font,
        tuple([info.codepoint for info in infos]),
        tuple([place.x_advance * face.thousandths_per_font_unit for place in places]),
        tuple([drawable[info.cluster] for info in infos]),
    )


def measure_text_width(text: str, size: float, font: str = PLAIN) -> float:
    """Return the width in mm of a line of text at `size` points."""
    return shape_text(text, font).width / 1000 * pt_to_mm(size)


def set_text_line(
    text: str,
    x: float,
    y: float,
    size: float,
    *,
    font: str = PLAIN,
    anchor: Anchor = "start",
    colour: Colour = BLACK,
) -> Glyphs:
    """Return one line with its baseline at `y` that starts, is centred or ends at `x` (mm); `size`
    is in points."""
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    return Glyphs(
        x - shift * measure_text_width(text, size, font),
        y,
        Pt(size),
        colour,
        ((0.0, shape_text(text, font)),),
    )


def iter_wrapped_lines(text: str, width: float, size: float, font: str = PLAIN) -> Iterator[str]:
    """Break the text at spaces into lines no wider than `width` mm. A longer word gets a line of
    its own."""
    line = ""
    for word in text.split(" "):  # a no-break space does not part words
        longer = f"{line} {word}".strip()
        if line and measure_text_width(longer, size, font) > width:
            yield line
            line = word
        else:
            line = longer
    if line:
        yield line

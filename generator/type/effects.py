"""Outlines and shadows of text, as shapes below it: the text itself stays text, said and found once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from playproof.generator.art.svg_geometry import transform_outline
from playproof.generator.scene import Colour, Command, Glyphs, Node, Path, Stroke, Transform, pt_to_mm
from playproof.generator.type.font_book import FontBook


class Shadow(NamedTuple):
    """A copy of letters below them: its colour, and how far it lies to the right and down (mm)."""

    colour: Colour
    right: float
    down: float


def draw_text_effects(
    nodes: Iterable[Node], book: FontBook, outline: Stroke | None, shadow: Shadow | None
) -> Iterator[Path]:
    """Yield the shapes that lie below a text: first its shadow, then a line around its letters. The outline's width
    is what is seen of it beside the letters; a shadow is that of the letters with their outline."""
    lines = [node for node in nodes if isinstance(node, Glyphs)]
    wide = outline._replace(width=2 * outline.width) if outline is not None else None
    if shadow is not None:
        line = wide._replace(colour=shadow.colour) if wide is not None else None
        for glyphs in lines:
            yield Path(_outline_glyphs(glyphs, book, shadow.right, shadow.down), shadow.colour, line)
    if wide is not None:
        for glyphs in lines:
            yield Path(_outline_glyphs(glyphs, book), wide.colour, wide)


def _outline_glyphs(
    glyphs: Glyphs, book: FontBook, right: float = 0.0, down: float = 0.0
) -> tuple[Command, ...]:
    """Return the outlines of a line of type, moved."""
    scale = pt_to_mm(glyphs.size) / 1000
    commands: list[Command] = []
    for start, shape in glyphs.pieces:
        x = glyphs.x + right + start
        offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
        for glyph, advance, (aside, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
            place = Transform(scale, 0, 0, -scale, x + aside * scale, glyphs.y + down - up * scale)
            commands += transform_outline(book[shape.font].get_outline(glyph), place)
            x += advance * scale
    return tuple(commands)

"""Type as outlines: what is lettered on a small picture is seen, and not found, copied or read aloud with the page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from playproof.generator.art.svg_geometry import transform_outline
from playproof.generator.scene import (
    Colour,
    Glyphs,
    Group,
    Node,
    Path,
    Rect,
    Symbol,
    Transform,
    Use,
    pt_to_mm,
)
from playproof.generator.type.font_book import FontBook

EM = 10.0  # mm, the size at which a letter is drawn


class TypeOutliner:
    """Replaces type by the outlines of its letters. Each symbol is replaced once."""

    def __init__(self, fonts: FontBook) -> None:
        self.fonts = fonts
        self._symbols: dict[int, tuple[Symbol, Symbol]] = {}  # with the old one, which keeps its `id()` alive
        self._letters: dict[tuple[str, int, Colour], Symbol] = {}

    def convert_type_to_outlines(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Return the nodes with outlines in place of type, and icons without their names."""
        return tuple(map(self._convert_node, nodes))

    def _convert_node(self, node: Node) -> Node:
        if isinstance(node, Glyphs):
            return Group(tuple(self._iter_letter_uses(node)))
        if isinstance(node, Group):
            return node._replace(children=self.convert_type_to_outlines(node.children))
        if isinstance(node, Use):
            return Use(self._convert_symbol(node.symbol), node.transform)
        return node

    def _convert_symbol(self, symbol: Symbol) -> Symbol:
        """Return the symbol itself if there is no type on it: pages and pictures then share one."""
        if id(symbol) not in self._symbols:
            children = self.convert_type_to_outlines(symbol.children)
            same = children == tuple(symbol.children)
            made = symbol if same else Symbol(f"{symbol.name}.lines", symbol.bounds, children)
            self._symbols[id(symbol)] = symbol, made
        return self._symbols[id(symbol)][1]

    def _iter_letter_uses(self, glyphs: Glyphs) -> Iterator[Use]:
        scale = pt_to_mm(glyphs.size) / EM
        for start, shape in glyphs.pieces:
            x = glyphs.x + start
            offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
            for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
                letter = self._build_letter_symbol(shape.font, glyph, glyphs.fill)
                em = scale * EM / 1000
                if letter.children:
                    place = Transform(scale, 0, 0, scale, x + right * em, glyphs.y - up * em)
                    yield Use(letter, place)
                x += advance * em

    def _build_letter_symbol(self, font: str, glyph: int, fill: Colour) -> Symbol:
        """Return a glyph in a colour, EM large: a document draws each once and places it often."""
        key = (font, glyph, fill)
        if key not in self._letters:
            outline = transform_outline(
                self.fonts[font].get_outline(glyph), Transform(EM / 1000, 0, 0, -EM / 1000)
            )
            paths = (Path(outline, fill),) if outline else ()
            self._letters[key] = Symbol(f"letter.{font}.{glyph}", Rect(-EM, -2 * EM, 4 * EM, 4 * EM), paths)
        return self._letters[key]

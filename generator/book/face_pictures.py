"""Small pictures of component faces inside a book, with their letters as outlines, and the words on them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from playproof.database.components import Component
from playproof.database.errors import FindingCollector
from playproof.generator.art.outlines import transform_outline
from playproof.generator.book.play_interface import TablePicture
from playproof.generator.layout.layout_renderer import PANEL, STICKERS, LayoutRenderer
from playproof.generator.scene import (
    Colour,
    Face,
    Glyphs,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_rectangle_path,
    pt_to_mm,
)
from playproof.generator.type.fonts import FontBook

# -- pictures ------------------------------------------------------------------------------------------------
# Small pictures of component faces inside a book, and the words on them.

EDGE = Stroke(Colour.parse_hex_or_cmyk_colour_or_raise("#8a8580"), 0.15)


class BookFaceRenderer:
    """Draws the faces that books of one language show, each of them once. A game's books of several sizes share
    them, and with them the pictures of the table and the icons that are printed."""

    def __init__(self, looks: LayoutRenderer, language: str) -> None:
        self.looks = looks
        self.language = language
        self.letters = TypeOutliner(looks.fonts)
        self.scenes: dict[tuple[str | int | None, ...], TablePicture | None] = {}
        self.printed: Mapping[str, None] = {}  # the icons on faces, once a legend asked for them
        self._symbols: dict[int, Symbol] = {}
        self._kept: list[Face] = []  # keeps the faces alive, because `_symbols` knows them by `id()`

    def draw_flat_component_face_or_none(
        self, component: Component, collector: FindingCollector, side: str = "front"
    ) -> Face | None:
        """Return the flat picture of a component: a standee's panel, a die's stickers, else a side.
        Return None if the component has no layout or no such side. Each problem is noted once."""
        layout = self.looks.find_layout_for_component_or_none(component, self.language)
        if layout is None:
            return None
        side = {"standee": PANEL, "die": STICKERS}.get(layout.net or "", side)
        problems = FindingCollector()
        face = self.looks.get_or_draw_face_and_note_problems(component, side, self.language, problems)
        collector.add_findings(each for each in problems.findings if each not in collector.findings)
        return face

    def build_nodes_of_face_fitted_into_box(self, face: Face, box: Rect, draw_edge: bool = True) -> tuple[Node, ...]:
        """Return the nodes of the face in the middle of the box, as large as the box allows."""
        symbol = self._symbols.get(id(face))
        if symbol is None:
            self._kept.append(face)
            symbol = self._symbols[id(face)] = Symbol(
                f"book.{face.name}", face.trim, self.letters.convert_type_to_outlines(face.nodes), picture=True
            )
        scale = min(box.width / face.width, box.height / face.height)
        width, height = face.width * scale, face.height * scale
        x, y = box.x + (box.width - width) / 2, box.y + (box.height - height) / 2
        frame = Rect(x, y, width, height)
        place = Transform(scale, 0, 0, scale, x, y)
        shape = build_rectangle_path(frame, radius=face.corner * scale)
        if face.is_round:
            shape = build_rectangle_path(frame, radius=width / 2)
        elif face.outline is not None:
            shape = Path(transform_outline(face.outline.commands, place))
        nodes: list[Node] = [Group((Use(symbol, place),), clip=shape)]
        if draw_edge:
            nodes.append(shape._replace(stroke=EDGE))
        return tuple(nodes)


def get_component_title_or_name(component: Component, language: str) -> str:
    """Return what people call a component: its title, else its name."""
    return component.title.text(language) if component.title is not None else component.name


def iter_texts_and_icon_names_as_drawn(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield all text on the nodes, in the order of drawing: words, and the names of icons."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield node.text
        elif isinstance(node, Group):
            yield from iter_texts_and_icon_names_as_drawn(node.children)
        elif isinstance(node, Use):
            if node.says is not None:
                yield node.says.text
            else:
                yield from iter_texts_and_icon_names_as_drawn(node.symbol.children)


def iter_icon_names_on_nodes(nodes: Sequence[Node], icon_names_by_symbol_id: Mapping[int, str]) -> Iterator[str]:
    """Yield the names of the icons among the nodes. ``icon_names_by_symbol_id`` maps the `id()` of a symbol to its
    name."""
    for node in nodes:
        if isinstance(node, Group):
            yield from iter_icon_names_on_nodes(node.children, icon_names_by_symbol_id)
        elif isinstance(node, Use):
            name = icon_names_by_symbol_id.get(id(node.symbol))
            if name is not None:
                yield name
            else:
                yield from iter_icon_names_on_nodes(node.symbol.children, icon_names_by_symbol_id)


# -- letters -------------------------------------------------------------------------------------------------
# Type as outlines: what is lettered on a small picture is seen, and not found, copied or read aloud with
# the page.

EM = 10.0  # mm, the size at which a letter is drawn


class TypeOutliner:
    """Replaces type by the outlines of its letters. Each symbol is replaced once."""

    def __init__(self, fonts: FontBook) -> None:
        self.fonts = fonts
        self._symbols: dict[int, tuple[Symbol, Symbol]] = {}  # with the old one, which keeps its `id()` alive
        self._letters: dict[tuple[str, int, Colour], Symbol] = {}

    def convert_type_to_outlines(self, nodes: Sequence[Node]) -> tuple[Node, ...]:
        """Return the nodes with outlines in place of type, and icons without their names."""
        return tuple(map(self._convert_type_in_node, nodes))

    def _convert_type_in_node(self, node: Node) -> Node:
        if isinstance(node, Glyphs):
            return Group(tuple(self._iter_letter_outlines_in_place(node)))
        if isinstance(node, Group):
            return node._replace(children=self.convert_type_to_outlines(node.children))
        if isinstance(node, Use):
            return Use(self._convert_type_in_symbol(node.symbol), node.transform)
        return node

    def _convert_type_in_symbol(self, symbol: Symbol) -> Symbol:
        """Return the symbol itself if there is no type on it: pages and pictures then share one."""
        if id(symbol) not in self._symbols:
            children = self.convert_type_to_outlines(symbol.children)
            same = children == tuple(symbol.children)
            made = symbol if same else Symbol(f"{symbol.name}.lines", symbol.bounds, children)
            self._symbols[id(symbol)] = symbol, made
        return self._symbols[id(symbol)][1]

    def _iter_letter_outlines_in_place(self, glyphs: Glyphs) -> Iterator[Use]:
        scale = pt_to_mm(glyphs.size) / EM
        for start, shape in glyphs.pieces:
            x = glyphs.x + start
            offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
            for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
                letter = self._get_or_build_letter_symbol(shape.font, glyph, glyphs.fill)
                em = scale * EM / 1000
                if letter.children:
                    place = Transform(scale, 0, 0, scale, x + right * em, glyphs.y - up * em)
                    yield Use(letter, place)
                x += advance * em

    def _get_or_build_letter_symbol(self, font: str, glyph: int, fill: Colour) -> Symbol:
        """Return a glyph in a colour, EM large: a document draws each once and places it often."""
        key = (font, glyph, fill)
        if key not in self._letters:
            outline = transform_outline(
                self.fonts[font].get_glyph_outline(glyph), Transform(EM / 1000, 0, 0, -EM / 1000)
            )
            paths = (Path(outline, fill),) if outline else ()
            self._letters[key] = Symbol(f"letter.{font}.{glyph}", Rect(-EM, -2 * EM, 4 * EM, 4 * EM), paths)
        return self._letters[key]

"""Find the files that a game is drawn with: the icons, motifs, pictures and fonts that its faces and booklets
show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath

from playproof.database.errors import FindingCollector
from playproof.generator.book.flow import LAST, TAIL, BookTypesetter
from playproof.generator.layout.bind import LayoutRenderer
from playproof.generator.scene import Glyphs, Group, Node, Use
from playproof.generator.sheets.lettering import BOLD, PLAIN

STYLES = (
    "text", "lead", "heading", "subheading", "small-heading", "box-heading", "caption", "table", "table-head",
    "contents", "component", "face-title", "mark", "label", "marker",
)  # fmt: skip
"""The styles in which booklets set type."""


def find_used_files(book: BookTypesetter) -> frozenset[FilePath]:
    """Return the files. To find them, draw every face, the boxes, a page, the cover, and a letter
    in each style of booklets."""
    looks = book.looks
    fonts = {PLAIN, BOLD}  # the sheets' own lettering
    drawn = [*_iter_face_nodes(looks, book.language), *_iter_box_nodes(looks, book.language)]
    drawn += [book.draw_page_furniture(side) for side in ("front", "back", LAST, TAIL)]
    drawn += [
        book.typeset_text("a", book.width, style).nodes for style in STYLES if style in book.layout.styles
    ]
    for nodes in drawn:
        fonts.update(iter_font_keys(nodes))
    return looks.list_drawn_picture_files(book.language) | {looks.fonts[font].path for font in fonts}


def find_face_font_files(looks: LayoutRenderer, language: str) -> frozenset[FilePath]:
    """Return the font files that a game's faces are set in, and the sheets' own."""
    fonts = {PLAIN, BOLD}
    for nodes in _iter_face_nodes(looks, language):
        fonts.update(iter_font_keys(nodes))
    return frozenset(looks.fonts[font].path for font in fonts)


def _iter_face_nodes(looks: LayoutRenderer, language: str) -> Iterator[Sequence[Node]]:
    for component in looks.game.components.values():
        layout = looks.find_layout(component, language)
        for side in layout.sides if layout is not None else ():
            for variant in looks.list_variants(component):
                face = looks.try_draw_face(component, side, language, FindingCollector(), variant)
                yield face.nodes if face is not None else ()


def _iter_box_nodes(looks: LayoutRenderer, language: str) -> Iterator[Sequence[Node]]:
    for layout in looks.boxes.values():
        for elements in (*layout.sides.values(), *layout.parts.values()):
            drawing = looks.create_blank_drawing(
                layout, language, looks.game.titles.text(language), FindingCollector()
            )
            drawing.scope["cards"] = 0
            drawing.draw_elements(elements)
            yield drawing.nodes


def iter_font_keys(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the key of every font that the nodes use."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield from (shape.font for _, shape in node.pieces)
        elif isinstance(node, Group):
            yield from iter_font_keys(node.children)
        elif isinstance(node, Use):
            yield from iter_font_keys(node.symbol.children)

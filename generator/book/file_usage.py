"""Find the files that a game is drawn with: the icons, motifs, pictures and fonts that its faces and booklets
show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path as FilePath

from playproof.database.errors import Collector
from playproof.generator.book.flow import LAST, TAIL, Book
from playproof.generator.layout.bind import Looks
from playproof.generator.scene import Glyphs, Group, Node, Use
from playproof.generator.sheets.lettering import BOLD, PLAIN

STYLES = (
    "text", "lead", "heading", "subheading", "small-heading", "box-heading", "caption", "table", "table-head",
    "contents", "component", "face-title", "mark", "label", "marker",
)  # fmt: skip
"""The styles in which booklets set type."""


def used_files(book: Book) -> frozenset[FilePath]:
    """Return the files. To find them, draw every face, the boxes, a page, the cover, and a letter
    in each style of booklets."""
    looks = book.looks
    fonts = {PLAIN, BOLD}  # the sheets' own lettering
    drawn = [*_faces(looks, book.language), *_boxes(looks, book.language)]
    drawn += [book.furniture(side) for side in ("front", "back", LAST, TAIL)]
    drawn += [book.set("a", book.width, style).nodes for style in STYLES if style in book.layout.styles]
    for nodes in drawn:
        fonts.update(fonts_in(nodes))
    return looks.picture_files(book.language) | {looks.fonts[font].path for font in fonts}


def fonts_of_faces(looks: Looks, language: str) -> frozenset[FilePath]:
    """Return the font files that a game's faces are set in, and the sheets' own."""
    fonts = {PLAIN, BOLD}
    for nodes in _faces(looks, language):
        fonts.update(fonts_in(nodes))
    return frozenset(looks.fonts[font].path for font in fonts)


def _faces(looks: Looks, language: str) -> Iterator[Sequence[Node]]:
    for component in looks.game.components.values():
        layout = looks.layout_for(component, language)
        for side in layout.sides if layout is not None else ():
            for variant in looks.variants(component):
                face = looks.draw(component, side, language, Collector(), variant)
                yield face.nodes if face is not None else ()


def _boxes(looks: Looks, language: str) -> Iterator[Sequence[Node]]:
    for layout in looks.boxes.values():
        for elements in (*layout.sides.values(), *layout.parts.values()):
            drawing = looks.blank(layout, language, looks.game.titles.text(language), Collector())
            drawing.scope["cards"] = 0
            drawing.elements(elements)
            yield drawing.nodes


def fonts_in(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the key of every font that the nodes use."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield from (shape.font for _, shape in node.pieces)
        elif isinstance(node, Group):
            yield from fonts_in(node.children)
        elif isinstance(node, Use):
            yield from fonts_in(node.symbol.children)

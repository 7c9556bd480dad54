"""Blocks flow down columns and over pages; the page's own look comes from a layout.

The layout (``book: true``) gives size, safe zone, styles, the page's furniture (``front``: it may name
``page``, ``pages`` and ``title``) and the cover (``back``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from playproof.database.errors import Collector, Where
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.looks import Layout
from playproof.generator.scene import Face, Group, Node, Rect, Transform

NOWHERE = Where("")
ENDLESS = 10_000.0  # mm: a box no text overflows


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text in a style of the layout; ``label`` stands in the margin beside it.

    ``keep`` holds it together with the block after it (headings). Space above in mm.
    """

    text: str
    style: str = "text"
    label: str = ""
    above: float = 1.2
    keep: bool = False
    span: Literal["column", "page"] = "column"
    where: Where = NOWHERE


@dataclass(frozen=True, slots=True)
class _Set:
    """A block after setting: what it draws at the top left, and its height."""

    nodes: tuple[Node, ...]
    height: float
    block: Block


@dataclass
class _Sheet:
    """A page being filled."""

    nodes: list[Node] = field(default_factory=list)


class Book:
    """One booklet in one language."""

    def __init__(self, looks: Looks, layout: Layout, language: str, title: str) -> None:
        self.looks = looks
        self.layout = layout
        self.language = language
        self.title = title

    def faces(self, blocks: Sequence[Block], cover: bool = True) -> list[Face]:
        """The pages. Raises InputError with every word that does not fit its column."""
        collector = Collector()
        area = self.layout.trim.grown(-self.layout.safe)
        columns = self.layout.columns
        width = (area.width - self.layout.column_gap * (columns - 1)) / columns
        sets = [self._set(block, width, collector) for block in blocks]
        collector.check()
        sheets = self._filled(sets, area, width)
        total = len(sheets) + (1 if cover else 0)
        faces = [self._page("back", (), 1, total, collector)] if cover else []
        for sheet in sheets:
            faces.append(self._page("front", tuple(sheet.nodes), len(faces) + 1, total, collector))
        collector.check()
        return faces

    def _set(self, block: Block, width: float, collector: Collector) -> _Set:
        drawing = self.looks.blank(self.layout, self.language, self.title, collector)
        indent = self.layout.label_width if block.label else 0.0
        from playproof.generator.layout.draw_text import set_text

        body = set_text(drawing, block.text, Rect(indent, 0, width - indent, ENDLESS), block.style)
        nodes = list(body.nodes)
        problems = list(body.problems)
        if block.label:
            label = set_text(drawing, block.label, Rect(0, 0, indent, ENDLESS), "label")
            nodes += label.nodes
            problems += label.problems
        for problem in problems:
            collector.add("PP501", block.where, f"{block.label or block.text[:40]!r}: {problem}")
        return _Set(tuple(nodes), body.box.height, block)

    def _filled(self, sets: Sequence[_Set], area: Rect, width: float) -> list[_Sheet]:
        """Put the blocks into columns, left to right, page after page; a heading never ends a column."""
        sheets = [_Sheet()]
        column, y = 0, area.y
        for at, each in enumerate(sets):
            needed = each.height + self._kept_with(sets, at)
            above = each.block.above if y > area.y else 0.0
            if y > area.y and y + above + needed > area.bottom:
                column, y, above = column + 1, area.y, 0.0
                if column == self.layout.columns:
                    sheets.append(_Sheet())
                    column = 0
            x = area.x + column * (width + self.layout.column_gap)
            sheets[-1].nodes.append(Group(each.nodes, Transform.move(x, y + above)))
            y += above + each.height
        return sheets

    @staticmethod
    def _kept_with(sets: Sequence[_Set], at: int) -> float:
        """The height of what must follow in the same column."""
        needed = 0.0
        while at < len(sets) and sets[at].block.keep:
            at += 1
            if at < len(sets):
                needed += sets[at].block.above + sets[at].height
        return needed

    def _page(self, side: str, nodes: tuple[Node, ...], page: int, pages: int, collector: Collector) -> Face:
        layout = self.layout
        drawing = self.looks.blank(layout, self.language, self.title, collector)
        drawing.scope |= {"page": page, "pages": pages}
        drawing.elements(layout.sides.get(side, ()))
        furniture = tuple(drawing.nodes)
        name = f"{layout.name}.{page}"
        return Face(name, layout.width, layout.height, furniture + nodes, layout.bleed, layout.safe)

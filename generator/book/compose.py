"""Turn a document into pieces: headings, paragraphs, lists, tables, boxes. The other directives are
in data_directives.py and display_directives.py."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from playproof.database.errors import Where
from playproof.database.game import Game
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    Entry,
    Fact,
    Heading,
    Link,
    Listing,
    Number,
    Paragraph,
    Span,
    TableBlock,
)
from playproof.generator.book.fact_values import fact_functions, fact_text
from playproof.generator.book.flow import Book, SetBlock, beside, noted, shifted, stacked
from playproof.generator.book.mentions import Mentions
from playproof.generator.book.pictures import Faces
from playproof.generator.book.play_interface import Plays
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.scene import (
    Glyphs,
    Group,
    Node,
    Passage,
    Rect,
    Role,
    Stroke,
    line,
    pt_to_mm,
    rectangle,
)
from playproof.generator.type.markup import plain_text
from playproof.generator.wording import words_of

HELD = "\u00a0"
HEADINGS: Mapping[int, tuple[str, float]] = {
    1: ("heading", 7.0),
    2: ("subheading", 4.2),
    3: ("small-heading", 3.0),
}
PAD = 3.0  # mm inside a box
GUTTER = 4.0  # mm between columns
CELL = 2.4  # mm of white in a table's cell
BELOW = 2.0  # mm below a table's last rule, in addition to the white above the next piece
LETTER = 1.5  # mm: about the width of a letter
NARROW = 0.28  # of a table: a column no wider than this never breaks its lines
WHOLE = 60.0  # mm: a table up to this height, a third of a page, stays on one page
LEAD_IN = 6.0  # mm: a paragraph of one line below a heading stays with the piece after it

Pages = Mapping[str, tuple[int, ...]]  # where notes stand: the pages of each
Maker = Callable[["Composer", Directive], list[SetBlock]]
MAKERS: dict[str, Maker] = {}


def makes(name: str) -> Callable[[Maker], Maker]:
    """Register the function that makes the pieces of the directive ``name``."""

    def register(maker: Maker) -> Maker:
        MAKERS[name] = maker
        return maker

    return register


class Composer:
    """Makes the pieces of one book, whose document is `checked`. It prints the page numbers that
    headings, rules and index entries had when the pages were last filled."""

    def __init__(self, book: Book, game: Game, document: Document, plays: Plays | None, faces: Faces) -> None:
        self.book = book
        self.game = game
        self.document = document
        self.plays = plays
        self.faces = faces
        self.language = book.language
        self.words = words_of("booklets", self.language)
        self._pages: Pages = {}
        self._page_asked = False
        self._settled: dict[int, list[SetBlock]] = {}  # by the place in the document
        self.mentions = Mentions(document)
        self.scope: dict[str, Any] = {
            **book.drawing.scope,
            **fact_functions(game, book.language),
        }

    def pieces(self, pages: Pages) -> list[SetBlock]:
        """Return the pieces of the whole document. ``pages`` holds the pages of each note from the
        last filling."""
        self._pages = pages
        return self.blocks(self.document.blocks, self._settled)

    @property
    def pages(self) -> Pages:
        """The pages of each note from the last filling. What reads them is composed for every filling anew."""
        self._page_asked = True
        return self._pages

    def complain(self, code: str, where: Where, message: str, hint: str = "") -> None:
        """Add a finding about the document."""
        self.book.collector.add(code, where, message, hint)

    def blocks(
        self, blocks: Sequence[Block], settled: dict[int, list[SetBlock]] | None = None
    ) -> list[SetBlock]:
        """Return the pieces of some blocks. A paragraph of one line below a heading stays with the
        piece after it. `settled` holds those that name no page: they are the same in every filling."""
        made: list[SetBlock] = []
        for number, (before, block) in enumerate(zip((None, *blocks), blocks, strict=False)):
            if settled is not None:
                if number in settled:
                    made += settled[number]
                    continue
                self._page_asked = False
            pieces = self._block(block)
            if isinstance(before, Heading) and isinstance(block, Paragraph) and pieces[0].height <= LEAD_IN:
                pieces = [replace(pieces[0], keep=True)]
            if settled is not None and not self._page_asked:
                settled[number] = pieces
            made += pieces
        return made

    def _block(self, block: Block) -> list[SetBlock]:
        if isinstance(block, Heading):
            return [self._heading(block)]
        if isinstance(block, Paragraph):
            return [self.paragraph(block)]
        if isinstance(block, Listing):
            return self.listing(block)
        if isinstance(block, TableBlock):
            return self.table(block)
        made = MAKERS[block.name](self, block)
        rules = block.options.get("rules", "").split()
        return [self.marked(made[0], rules, block.where), *made[1:]] if made and rules else made

    # -- words ----------------------------------------------------------------------------------------------

    def markup(self, spans: Sequence[Span], where: Where) -> str:
        """Return spans as text to set: facts are evaluated, and links get their page numbers."""
        return "".join(self._span(span, where) for span in spans)

    def _span(self, span: Span, where: Where) -> str:
        if isinstance(span, str):
            return span
        if isinstance(span, Entry | Number):
            return span.text
        if isinstance(span, Fact):
            return self._fact(span, where)
        place = f"{self.words['page']}{HELD}{self.page_of(f'heading:{span.target}')}"
        return f"{span.text} ({place})" if span.text else place

    def _fact(self, fact: Fact, where: Where) -> str:
        try:
            return fact_text(fact.source, self.scope)
        except ExpressionError as error:
            self.complain(error.code, where, f"{{fact}}`{fact.source}`: {error}", error.hint)
            return ""

    def page_of(self, note: str) -> str:
        """Return the page on which a note last stood, or 00 if it is not known yet, which is about
        as wide."""
        pages = self.pages.get(note, ())
        return str(pages[0]) if pages else "00"

    # -- text -----------------------------------------------------------------------------------------------

    def _heading(self, heading: Heading) -> SetBlock:
        style, above = HEADINGS[min(heading.level, 3)]
        words = self.markup(heading.spans, heading.where)
        block = self.book.set(words, self.book.width, style, heading.where)
        height = block.box.height
        under: tuple[Node, ...] = ()
        if heading.level == 1:
            colour = self.book.drawing.style(style).colour
            under = (line(0, height + 1.0, self.book.width, height + 1.0, Stroke(colour, 0.35)),)
            height += 1.6
        role: Role = "H1" if heading.level == 1 else "H2" if heading.level == 2 else "H3"
        passage = Passage(
            role,
            block.nodes,
            Rect(0, 0, self.book.width, height),
            anchor=heading.slug,
            title=plain_text(words),
            level=heading.level,
        )
        return SetBlock((passage,), height, above, under, keep=True, notes=(f"heading:{heading.slug}",))

    def paragraph(
        self,
        paragraph: Paragraph,
        style: str = "text",
        role: Role = "P",
        width: float | None = None,
        bullet: str = "",
        marks: bool = True,
    ) -> SetBlock:
        """Return a paragraph with the ids of its rules in the margin; `bullet` hangs before it."""
        words = self.markup(paragraph.spans, paragraph.where)
        indent = 4.6 if bullet else 0.0
        room = self.book.width if width is None else width
        block = self.book.set(words, room - indent, style, paragraph.where)
        links = self._links(paragraph, block.nodes, indent)
        nodes = shifted(block.nodes, indent)
        if bullet:
            nodes = (*self.book.set(bullet, indent + 4, style, paragraph.where).nodes, *nodes)
        passage = Passage(role, nodes, Rect(0, 0, room, block.box.height), links=links)
        piece = SetBlock((passage,), block.box.height, keep=words.rstrip().endswith(":"))
        if marks:
            piece = self.marked(piece, paragraph.rules, paragraph.where)
        return noted(piece, *self.notes(paragraph))

    def marked(self, piece: SetBlock, rules: Sequence[str], where: Where) -> SetBlock:
        """Return the piece with the ids of rules in the margin beside its first words. Rulings get
        no mark; only their page is noted."""
        shown_ = [rule for rule in rules if rule in self.game.rules]
        piece = noted(piece, *(f"rule:{rule}" for rule in rules))
        piece = replace(piece, smaller=tuple(self.marked(other, rules, where) for other in piece.smaller))
        if not shown_ or not piece.passages or not self.book.layout.rule_ids:
            return piece
        mark = self.book.set(" ".join(shown_), self.book.margin - 1.0, "mark", where)
        first = piece.passages[0]
        nodes = (*first.nodes, *shifted(mark.nodes, -self.book.margin, first.box.y + 0.55))
        passages = (first._replace(nodes=nodes), *piece.passages[1:])
        return replace(piece, passages=passages, height=max(piece.height, mark.box.height + 0.55))

    def notes(self, paragraph: Paragraph) -> list[str]:
        """Return the notes of a paragraph, whose page is looked up later: its index entries, those
        that it mentions, and its rules."""
        entries = [f"index:{span.entry}" for span in paragraph.spans if isinstance(span, Entry)]
        return [
            *entries,
            *(f"mention:{entry}" for entry in self.mentions.of(paragraph)),
            *(f"rule:{rule}" for rule in paragraph.rules),
        ]  # rules too, for places that show no marks

    def _links(
        self, paragraph: Paragraph, nodes: Sequence[Node], indent: float
    ) -> tuple[tuple[Rect, str], ...]:
        """Return the boxes of "page 12" in a set paragraph with their targets, in the order of its
        links."""
        targets = [span.target for span in paragraph.spans if isinstance(span, Link)]
        boxes = list(_page_words(nodes, f"{self.words['page']}{HELD}"))
        return tuple((box.moved(indent, 0), target) for box, target in zip(boxes, targets, strict=False))

    def listing(self, listing: Listing, width: float | None = None) -> list[SetBlock]:
        """Return the items, close together. The first stays on the page of the second."""
        pieces = []
        for number, item in enumerate(listing.items):
            bullet = "•" if listing.start is None else f"**{listing.start + number}**"
            piece = self.paragraph(item, role="LI", bullet=bullet, width=width)
            above, keep = (1.8, len(listing.items) > 1) if number == 0 else (1.0, False)
            pieces.append(replace(piece, above=above, keep=keep))
        return pieces

    def table(self, table: TableBlock, width: float | None = None) -> list[SetBlock]:
        """Return the rows with a rule below each. The first row holds the headings. A long table
        may continue on the next page."""
        room = self.book.width if width is None else width
        widths = self._widths(table, room)
        rows: list[SetBlock] = []
        rule = Stroke(self.book.drawing.style("label").colour, 0.2)
        for number, row in enumerate(table.rows):
            cells, x = [], 0.0
            for cell, each in zip(row, widths, strict=True):
                piece = self.paragraph(
                    cell, "table-head" if number == 0 else "table", "P", each - CELL, marks=False
                )
                cells.append((x + 1.0, piece))
                x += each
            set_ = beside(cells, above=2.2 if number == 0 else 1.5)
            under = (*set_.under, line(0, set_.height + 0.8, room, set_.height + 0.8, rule))
            made = replace(set_, under=under, keep=number == 0)
            if width is None:
                rules = [rule for cell in row for rule in cell.rules]
                made = self.marked(made, rules, row[0].where)
            rows.append(noted(made, *(note for cell in row for note in self.notes(cell))))
        rows[-1] = replace(rows[-1], height=rows[-1].height + BELOW)
        short = sum(row.above + row.height for row in rows) <= WHOLE
        head = replace(rows[0], notes=())
        last = len(rows) - 1
        held = (
            range(last) if short else (0, 1, last - 1)
        )  # neither the first row nor the last stands alone on a page
        return [
            replace(row, keep=number in held and number < last, head=head if number > 1 else None)
            for number, row in enumerate(rows)
        ]

    def _widths(self, table: TableBlock, room: float) -> list[float]:
        """Return the widths of the columns in mm. Each column holds its longest word, or its whole
        text if that is narrow. Columns with long texts share the rest of the width."""
        least: list[float] = []
        wanted: list[float] = []
        for column in zip(*table.rows, strict=True):
            texts = [self.markup(cell.spans, cell.where) for cell in column]
            longest_word = max(" ".join(texts).split(), key=len, default="")
            width = self.book.set(f"**{longest_word}**", room, "table").box.width + CELL
            whole = max(self.book.set(text, room, "table").box.width for text in texts) + CELL
            least.append(whole if width < whole <= NARROW * room else width)
            longest_text = max(map(len, texts))
            wanted.append(max(0.0, longest_text * LETTER - least[-1]))
        spare = max(0.0, room - sum(least))
        share = spare / (sum(wanted) or 1.0)
        return [width + share * want for width, want in zip(least, wanted, strict=True)]

    def boxed(self, pieces: Sequence[SetBlock], colour: str = "shade") -> SetBlock:
        """Return the pieces in a tinted box as wide as the text. The pieces must be set `2 * PAD`
        narrower."""
        inner = stacked(pieces, PAD)
        height = inner.height + 2 * PAD
        fill = self.book.looks.ink.ground(self.book.layout.colours.get(colour))
        edge = Stroke(self.book.drawing.style("label").colour, 0.25) if fill is None else None
        ground = rectangle(Rect(0, 0, self.book.width, height), fill, edge, 1.6)
        passages = tuple(passage.moved(0, PAD) for passage in inner.passages)
        return SetBlock(passages, height, 3.0, (ground, *shifted(inner.under, 0, PAD)), notes=inner.notes)


def _page_words(nodes: Sequence[Node], start: str) -> list[Rect]:
    """Return the boxes of the words that consist of `start` and a number."""
    boxes: list[Rect] = []
    pattern = re.compile(rf"\W*{re.escape(start)}\d")
    for node in nodes:
        if isinstance(node, Group):
            boxes += _page_words(node.children, start)
        elif isinstance(node, Glyphs):
            em = pt_to_mm(node.size)
            for x, shape in node.pieces:
                if pattern.match(shape.text):
                    boxes.append(Rect(node.x + x, node.y - em * 0.75, shape.width / 1000 * em, em))
    return boxes


@makes("note")
def note(composer: Composer, directive: Directive) -> list[SetBlock]:
    """Make a box with a hint or a common mistake. The argument is its heading."""
    width = composer.book.width - 2 * PAD
    pieces: list[SetBlock] = []
    if directive.argument:
        block = composer.book.set(directive.argument, width, "box-heading", directive.where)
        pieces.append(
            SetBlock((Passage("H3", block.nodes, Rect(0, 0, width, block.box.height)),), block.box.height)
        )
    pieces += inner(composer, directive.body, width)
    return [composer.boxed(pieces)]


def inner(composer: Composer, blocks: Sequence[Block], width: float) -> list[SetBlock]:
    """Set blocks at a smaller width, for a box. A box holds only paragraphs, lists, tables and
    directives."""
    pieces: list[SetBlock] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            pieces.append(composer.paragraph(block, width=width, marks=False))
        elif isinstance(block, Listing):
            items = (
                composer.paragraph(item, role="LI", bullet="•", width=width, marks=False)
                for item in block.items
            )
            pieces += [replace(item, above=1.0) for item in items]
        elif isinstance(block, TableBlock):
            pieces.append(stacked(composer.table(block, width)))
        elif isinstance(block, Directive):
            pieces += MAKERS[block.name](composer, block)
        else:
            composer.complain("PP523", block.where, "a box holds paragraphs, lists, tables and directives")
    return pieces

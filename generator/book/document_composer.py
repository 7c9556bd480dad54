"""Turn a document into typeset pieces: headings, paragraphs, lists, tables, boxes; its `{fact}` expressions
are evaluated and its index entries are found. The other directives register themselves here."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from playproof.database.components import Component, iter_effects_nested_in_value
from playproof.database.errors import Where
from playproof.database.game import Game
from playproof.database.number_words import format_number_in_letters_if_small, format_ordinal_in_letters_if_small
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    FactSpan,
    Heading,
    IndexSpan,
    LinkSpan,
    Listing,
    NumberSpan,
    Paragraph,
    Span,
    TableBlock,
)
from playproof.generator.book.face_pictures import BookFaceRenderer
from playproof.generator.book.page_flow import (
    BookTypesetter,
    TypesetBlock,
    copy_block_with_more_notes,
    join_blocks_side_by_side,
    stack_blocks_into_one,
    wrap_nodes_in_shifted_group_if_moved,
)
from playproof.generator.book.play_interface import RecordedGamePlayer
from playproof.generator.layout.expression import Expression, ExpressionError, format_value_for_text_or_raise
from playproof.generator.layout.views import ComponentViewer
from playproof.generator.scene import (
    Glyphs,
    Group,
    Node,
    Passage,
    Rect,
    Role,
    Stroke,
    build_line_path,
    build_rectangle_path,
    pt_to_mm,
)
from playproof.generator.type.markup import markup_to_plain_text_with_icon_names
from playproof.generator.wording import get_words_by_key_or_english_ones

# -- compose -------------------------------------------------------------------------------------------------
# Turn a document into pieces: headings, paragraphs, lists, tables, boxes. The other directives are in
# data_directives.py and display_directives.py.

HELD = "\u00a0"
HEADINGS: Mapping[int, tuple[str, float]] = {1: ("heading", 7.0), 2: ("subheading", 4.2), 3: ("small-heading", 3.0)}
PAD = 3.0  # mm inside a box
GUTTER = 4.0  # mm between columns
CELL = 2.4  # mm of white in a table's cell
BELOW = 2.0  # mm below a table's last rule, in addition to the white above the next piece
LETTER = 1.5  # mm: about the width of a letter
NARROW = 0.28  # of a table: a column no wider than this never breaks its lines
WHOLE = 60.0  # mm: a table up to this height, a third of a page, stays on one page
LEAD_IN = 6.0  # mm: a paragraph of one line below a heading stays with the piece after it

PagesByNote = Mapping[str, tuple[int, ...]]  # where notes stand: the pages of each
DirectiveComposer = Callable[["DocumentComposer", Directive], list[TypesetBlock]]
DIRECTIVE_COMPOSERS: dict[str, DirectiveComposer] = {}


def register_directive_composer(directive_name: str) -> Callable[[DirectiveComposer], DirectiveComposer]:
    """Register the function that makes the pieces of the directive ``directive_name``."""

    def register(maker: DirectiveComposer) -> DirectiveComposer:
        DIRECTIVE_COMPOSERS[directive_name] = maker
        return maker

    return register


class DocumentComposer:
    """Makes the pieces of one book, whose document has been checked. It prints the page numbers that
    headings, rules and index entries had when the pages were last filled."""

    def __init__(
        self,
        book: BookTypesetter,
        game: Game,
        document: Document,
        plays: RecordedGamePlayer | None,
        faces: BookFaceRenderer,
    ) -> None:
        self.book = book
        self.game = game
        self.document = document
        self.plays = plays
        self.faces = faces
        self.language = book.language
        self.words = get_words_by_key_or_english_ones("booklets", self.language)
        self._pages: PagesByNote = {}
        self._page_asked = False
        self._settled: dict[int, list[TypesetBlock]] = {}  # by the place in the document
        self.mentions = IndexEntryFinder(document)
        self.scope: dict[str, Any] = {**book.drawing.scope, **build_fact_functions_by_name(game, book.language)}

    def compose_document(self, pages_by_note: PagesByNote) -> list[TypesetBlock]:
        """Return the pieces of the whole document. ``pages_by_note`` holds the pages of each note from the
        last filling."""
        self._pages = pages_by_note
        return self.compose_blocks(self.document.blocks, self._settled)

    @property
    def pages_by_note(self) -> PagesByNote:
        """The pages of each note from the last filling. What reads them is composed for every filling anew."""
        self._page_asked = True
        return self._pages

    def add_finding(self, code: str, where: Where, message: str, hint: str = "") -> None:
        """Add a finding about the document."""
        self.book.collector.add_finding(code, where, message, hint)

    def compose_blocks(
        self, blocks: Sequence[Block], cache_without_page_numbers: dict[int, list[TypesetBlock]] | None = None
    ) -> list[TypesetBlock]:
        """Return the pieces of some blocks. A paragraph of one line below a heading stays with the
        piece after it. `cache_without_page_numbers` holds those that name no page: they are the same in every
        filling."""
        made: list[TypesetBlock] = []
        for number, (before, block) in enumerate(zip((None, *blocks), blocks, strict=False)):
            if cache_without_page_numbers is not None:
                if number in cache_without_page_numbers:
                    made += cache_without_page_numbers[number]
                    continue
                self._page_asked = False
            pieces = self._compose_block(block)
            if isinstance(before, Heading) and isinstance(block, Paragraph) and pieces[0].height <= LEAD_IN:
                pieces = [replace(pieces[0], keep=True)]
            if cache_without_page_numbers is not None and not self._page_asked:
                cache_without_page_numbers[number] = pieces
            made += pieces
        return made

    def _compose_block(self, block: Block) -> list[TypesetBlock]:
        if isinstance(block, Heading):
            return [self._compose_heading(block)]
        if isinstance(block, Paragraph):
            return [self.compose_paragraph(block)]
        if isinstance(block, Listing):
            return self.compose_list_items(block)
        if isinstance(block, TableBlock):
            return self.compose_table_rows(block)
        made = DIRECTIVE_COMPOSERS[block.name](self, block)
        rules = block.options.get("rules", "").split()
        return (
            [self.copy_block_with_rule_ids_in_margin(made[0], rules, block.where), *made[1:]]
            if made and rules
            else made
        )

    # -- words ----------------------------------------------------------------------------------------------

    def evaluate_spans_and_note_errors(self, spans: Sequence[Span], where: Where) -> str:
        """Return spans as text to set: facts are evaluated, and links get their page numbers."""
        return "".join(self._evaluate_span_and_note_error(span, where) for span in spans)

    def _evaluate_span_and_note_error(self, span: Span, where: Where) -> str:
        if isinstance(span, str):
            return span
        if isinstance(span, IndexSpan | NumberSpan):
            return span.text
        if isinstance(span, FactSpan):
            return self._evaluate_fact_or_note_error_as_empty(span, where)
        place = f"{self.words['page']}{HELD}{self.format_first_page_of_note_or_00(f'heading:{span.target}')}"
        return f"{span.text} ({place})" if span.text else place

    def _evaluate_fact_or_note_error_as_empty(self, fact: FactSpan, where: Where) -> str:
        try:
            return evaluate_fact_to_printed_text_or_raise(fact.source, self.scope)
        except ExpressionError as error:
            self.add_finding(error.code, where, f"{{fact}}`{fact.source}`: {error}", error.hint)
            return ""

    def format_first_page_of_note_or_00(self, note: str) -> str:
        """Return the page on which a note last stood, or 00 if it is not known yet, which is about
        as wide."""
        pages = self.pages_by_note.get(note, ())
        return str(pages[0]) if pages else "00"

    # -- text -----------------------------------------------------------------------------------------------

    def _compose_heading(self, heading: Heading) -> TypesetBlock:
        style, above = HEADINGS[min(heading.level, 3)]
        words = self.evaluate_spans_and_note_errors(heading.spans, heading.where)
        block = self.book.typeset_text_and_note_problems(words, self.book.width, style, heading.where)
        height = block.box.height
        under: tuple[Node, ...] = ()
        if heading.level == 1:
            colour = self.book.drawing.resolve_style_name_or_spec(style).colour
            under = (build_line_path(0, height + 1.0, self.book.width, height + 1.0, Stroke(colour, 0.35)),)
            height += 1.6
        role: Role = "H1" if heading.level == 1 else "H2" if heading.level == 2 else "H3"
        passage = Passage(
            role,
            block.nodes,
            Rect(0, 0, self.book.width, height),
            anchor=heading.slug,
            title=markup_to_plain_text_with_icon_names(words),
            level=heading.level,
        )
        return TypesetBlock((passage,), height, above, under, keep=True, notes=(f"heading:{heading.slug}",))

    def compose_paragraph(
        self,
        paragraph: Paragraph,
        style: str = "text",
        role: Role = "P",
        width: float | None = None,
        bullet: str = "",
        marks: bool = True,
    ) -> TypesetBlock:
        """Return a paragraph with the ids of its rules in the margin; `bullet` hangs before it."""
        words = self.evaluate_spans_and_note_errors(paragraph.spans, paragraph.where)
        indent = 4.6 if bullet else 0.0
        room = self.book.width if width is None else width
        block = self.book.typeset_text_and_note_problems(words, room - indent, style, paragraph.where)
        links = self._find_page_reference_boxes_and_targets(paragraph, block.nodes, indent)
        nodes = wrap_nodes_in_shifted_group_if_moved(block.nodes, indent)
        if bullet:
            nodes = (
                *self.book.typeset_text_and_note_problems(bullet, indent + 4, style, paragraph.where).nodes,
                *nodes,
            )
        passage = Passage(role, nodes, Rect(0, 0, room, block.box.height), links=links)
        piece = TypesetBlock((passage,), block.box.height, keep=words.rstrip().endswith(":"))
        if marks:
            piece = self.copy_block_with_rule_ids_in_margin(piece, paragraph.rules, paragraph.where)
        return copy_block_with_more_notes(piece, *self.list_index_and_rule_notes_of_paragraph(paragraph))

    def copy_block_with_rule_ids_in_margin(
        self, block: TypesetBlock, rule_ids: Sequence[str], where: Where
    ) -> TypesetBlock:
        """Return the piece with the ids of rules in the margin beside its first words. Rulings get
        no mark; only their page is noted."""
        shown_ = [rule for rule in rule_ids if rule in self.game.rules]
        block = copy_block_with_more_notes(block, *(f"rule:{rule}" for rule in rule_ids))
        block = replace(
            block,
            smaller=tuple(self.copy_block_with_rule_ids_in_margin(other, rule_ids, where) for other in block.smaller),
        )
        if not shown_ or not block.passages or not self.book.layout.rule_ids:
            return block
        mark = self.book.typeset_text_and_note_problems(" ".join(shown_), self.book.margin - 1.0, "mark", where)
        first = block.passages[0]
        nodes = (*first.nodes, *wrap_nodes_in_shifted_group_if_moved(mark.nodes, -self.book.margin, first.box.y + 0.55))
        passages = (first._replace(nodes=nodes), *block.passages[1:])
        return replace(block, passages=passages, height=max(block.height, mark.box.height + 0.55))

    def list_index_and_rule_notes_of_paragraph(self, paragraph: Paragraph) -> list[str]:
        """Return the notes of a paragraph, whose page is looked up later: its index entries, those
        that it mentions, and its rules."""
        entries = [f"index:{span.entry}" for span in paragraph.spans if isinstance(span, IndexSpan)]
        # rules too, for places that show no marks
        return [
            *entries,
            *(f"mention:{entry}" for entry in self.mentions.list_index_entries_mentioned(paragraph)),
            *(f"rule:{rule}" for rule in paragraph.rules),
        ]

    def _find_page_reference_boxes_and_targets(
        self, paragraph: Paragraph, nodes: Sequence[Node], indent: float
    ) -> tuple[tuple[Rect, str], ...]:
        """Return the boxes of "page 12" in a set paragraph with their targets, in the order of its
        links."""
        targets = [span.target for span in paragraph.spans if isinstance(span, LinkSpan)]
        boxes = list(_list_boxes_of_page_references(nodes, f"{self.words['page']}{HELD}"))
        return tuple((box.translate(indent, 0), target) for box, target in zip(boxes, targets, strict=False))

    def compose_list_items(
        self, listing: Listing, width: float | None = None, *, marks: bool = True, space_above: float = 1.8
    ) -> list[TypesetBlock]:
        """Return the items, close together, `space_above` mm below what precedes them. The first stays on the page
        of the second."""
        pieces = []
        for number, item in enumerate(listing.items):
            bullet = "•" if listing.start is None else f"**{listing.start + number}**"
            piece = self.compose_paragraph(item, role="LI", bullet=bullet, width=width, marks=marks)
            above, keep = (space_above, len(listing.items) > 1) if number == 0 else (1.0, False)
            pieces.append(replace(piece, above=above, keep=keep))
        return pieces

    def compose_table_rows(self, table: TableBlock, width: float | None = None) -> list[TypesetBlock]:
        """Return the rows with a rule below each. The first row holds the headings. A long table
        may continue on the next page."""
        room = self.book.width if width is None else width
        widths = self._compute_table_column_widths_in_mm(table, room)
        rows: list[TypesetBlock] = []
        rule = Stroke(self.book.drawing.resolve_style_name_or_spec("label").colour, 0.2)
        for number, row in enumerate(table.rows):
            cells, x = [], 0.0
            for cell, each in zip(row, widths, strict=True):
                piece = self.compose_paragraph(
                    cell, "table-head" if number == 0 else "table", "P", each - CELL, marks=False
                )
                cells.append((x + 1.0, piece))
                x += each
            set_ = join_blocks_side_by_side(cells, space_above=2.2 if number == 0 else 1.5)
            under = (*set_.under, build_line_path(0, set_.height + 0.8, room, set_.height + 0.8, rule))
            made = replace(set_, under=under, keep=number == 0)
            if width is None:
                rules = [rule for cell in row for rule in cell.rules]
                made = self.copy_block_with_rule_ids_in_margin(made, rules, row[0].where)
            rows.append(
                copy_block_with_more_notes(
                    made, *(note for cell in row for note in self.list_index_and_rule_notes_of_paragraph(cell))
                )
            )
        rows[-1] = replace(rows[-1], height=rows[-1].height + BELOW)
        short = sum(row.above + row.height for row in rows) <= WHOLE
        head = replace(rows[0], notes=())
        last = len(rows) - 1
        # neither the first row nor the last stands alone on a page
        held = range(last) if short else (0, 1, last - 1)
        return [
            replace(row, keep=number in held and number < last, head=head if number > 1 else None)
            for number, row in enumerate(rows)
        ]

    def _compute_table_column_widths_in_mm(self, table: TableBlock, available_width: float) -> list[float]:
        """Return the widths of the columns in mm. Each column holds its longest word, or its whole
        text if that is narrow. Columns with long texts share the rest of the width."""
        least: list[float] = []
        wanted: list[float] = []
        for column in zip(*table.rows, strict=True):
            texts = [self.evaluate_spans_and_note_errors(cell.spans, cell.where) for cell in column]
            longest_word = max(" ".join(texts).split(), key=len, default="")
            width = (
                self.book.typeset_text_and_note_problems(f"**{longest_word}**", available_width, "table").box.width
                + CELL
            )
            whole = (
                max(
                    self.book.typeset_text_and_note_problems(text, available_width, "table").box.width for text in texts
                )
                + CELL
            )
            least.append(whole if width < whole <= NARROW * available_width else width)
            longest_text = max(map(len, texts))
            wanted.append(max(0.0, longest_text * LETTER - least[-1]))
        spare = max(0.0, available_width - sum(least))
        share = spare / (sum(wanted) or 1.0)
        return [width + share * want for width, want in zip(least, wanted, strict=True)]

    def compose_tinted_box_around(self, pieces: Sequence[TypesetBlock]) -> TypesetBlock:
        """Return the pieces in a tinted box as wide as the text. The pieces must be set `2 * PAD`
        narrower."""
        inner = stack_blocks_into_one(pieces, PAD)
        height = inner.height + 2 * PAD
        fill = self.book.looks.ink.get_ground_colour_to_print_or_none(self.book.layout.colours.get("shade"))
        edge = Stroke(self.book.drawing.resolve_style_name_or_spec("label").colour, 0.25) if fill is None else None
        ground = build_rectangle_path(Rect(0, 0, self.book.width, height), fill, edge, 1.6)
        passages = tuple(passage.translate(0, PAD) for passage in inner.passages)
        return TypesetBlock(
            passages,
            height,
            3.0,
            (ground, *wrap_nodes_in_shifted_group_if_moved(inner.under, 0, PAD)),
            notes=inner.notes,
        )


def _list_boxes_of_page_references(nodes: Sequence[Node], word_before_number: str) -> list[Rect]:
    """Return the boxes of the words that consist of `word_before_number` and a number."""
    boxes: list[Rect] = []
    pattern = re.compile(rf"\W*{re.escape(word_before_number)}\d")
    for node in nodes:
        if isinstance(node, Group):
            boxes += _list_boxes_of_page_references(node.children, word_before_number)
        elif isinstance(node, Glyphs):
            em = pt_to_mm(node.size)
            for x, shape in node.pieces:
                if pattern.match(shape.text):
                    boxes.append(Rect(node.x + x, node.y - em * 0.75, shape.width / 1000 * em, em))
    return boxes


@register_directive_composer("note")
def compose_note_box(composer: DocumentComposer, directive: Directive) -> list[TypesetBlock]:
    """Make a box with a hint or a common mistake. The argument is its heading."""
    width = composer.book.width - 2 * PAD
    pieces: list[TypesetBlock] = []
    if directive.argument:
        block = composer.book.typeset_text_and_note_problems(directive.argument, width, "box-heading", directive.where)
        pieces.append(
            TypesetBlock((Passage("H3", block.nodes, Rect(0, 0, width, block.box.height)),), block.box.height)
        )
    pieces += compose_blocks_for_box(composer, directive.body, width)
    return [composer.compose_tinted_box_around(pieces)]


def compose_blocks_for_box(composer: DocumentComposer, blocks: Sequence[Block], width: float) -> list[TypesetBlock]:
    """Set blocks at a smaller width, for a box. A box holds only paragraphs, lists, tables and
    directives."""
    pieces: list[TypesetBlock] = []
    for block in blocks:
        if isinstance(block, Paragraph):
            pieces.append(composer.compose_paragraph(block, width=width, marks=False))
        elif isinstance(block, Listing):
            pieces += composer.compose_list_items(block, width, marks=False, space_above=1.0)
        elif isinstance(block, TableBlock):
            pieces.append(stack_blocks_into_one(composer.compose_table_rows(block, width)))
        elif isinstance(block, Directive):
            pieces += DIRECTIVE_COMPOSERS[block.name](composer, block)
        else:
            composer.add_finding("PP523", block.where, "a box holds paragraphs, lists, tables and directives")
    return pieces


# -- fact values ---------------------------------------------------------------------------------------------
# Evaluate the `{fact}` expressions of the prose over a game's components and numbers.


def build_fact_functions_by_name(game: Game, language: str) -> dict[str, Any]:
    """Return the functions that a fact may call besides those of every layout: counts, lists of
    fields and ids, numbers in words."""
    viewer = ComponentViewer(game, language)

    def count(*refs: str) -> int:
        """Return how many components, with copies, have one of these kinds or ids."""
        components = [c for c in game.components.values() if c.kind in refs or c.id in refs]
        if not components:
            raise ExpressionError(f"no component is of the kind, or called, {' '.join(refs)}")
        return sum(component.count for component in components)

    def each(field: str, **wanted: str) -> str:
        """Return a field of all components whose other fields have these values, once for each
        copy, as layouts see it: ``each("points", spot="1")``."""
        values: list[str] = []
        for card in game.components.values():
            if field in card.fields and _has_field_values(card, wanted):
                values += [str(viewer.view_component_fields(card)[field])] * card.count
        if not values:
            raise ExpressionError(f"no component has the field {field!r} with {wanted}")
        return " ".join(values)

    def ids(kind: str, **wanted: str) -> list[str]:
        """Return the ids of the components of a kind whose fields have these values, in ascending
        order."""
        matching = [card.id for card in game.of_kind(kind) if _has_field_values(card, wanted)]
        if not matching:
            raise ExpressionError(f"no {kind} has {wanted}")
        return sorted(matching)

    return {
        "count": count,
        "most": partial(_get_largest_effect_number_or_raise, game),
        "times": lambda items, item: list(items).count(item),
        "each": each,
        "ids": ids,
        "word": lambda number: format_number_in_letters_if_small(number, language),
        "ordinal": lambda number: format_ordinal_in_letters_if_small(number, language),
    }


def _has_field_values(card: Component, expected_values: Mapping[str, str]) -> bool:
    """Return whether the card's fields have these values, as they are written."""
    return all(str(card.fields.get(name)) == value for name, value in expected_values.items())


def _get_largest_effect_number_or_raise(game: Game, kind: str, effect_name: str, **wanted: str) -> int:
    """Return the largest number in an effect of the matching components: ``most("location", "camp",
    slot="forest")``. Raises ExpressionError if there is none."""
    numbers = []
    for card in game.of_kind(kind):
        if not _has_field_values(card, wanted):
            continue
        effects = [
            node
            for value in card.fields.values()
            for node in iter_effects_nested_in_value(value)
            if node.op == effect_name
        ]
        numbers += [number for node in effects for number in node.args.values() if isinstance(number, int)]
    if not numbers:
        raise ExpressionError(f"no {kind} has the effect {effect_name!r} with {wanted}")
    return max(numbers)


def evaluate_fact_to_printed_text_or_raise(expression_source: str, scope: Mapping[str, Any]) -> str:
    """Return the value of a fact as it is printed. Raises ExpressionError if it cannot be
    evaluated."""
    return format_value_for_text_or_raise(Expression(expression_source)(scope))


def build_fact_values_by_name(game: Game, language: str) -> Mapping[str, Any]:
    """Return the names that a fact may use."""
    return {
        **ComponentViewer(game, language).build_expression_scope(_EmptyLayout, {}),
        **build_fact_functions_by_name(game, language),
    }


def get_printed_text_of_span_or_empty(span: Span, fact_scope: Mapping[str, Any]) -> str:
    """Return a span's words as the book prints them; "" for a fact that cannot be evaluated."""
    if isinstance(span, str):
        return span
    if isinstance(span, FactSpan):
        try:
            return evaluate_fact_to_printed_text_or_raise(span.source, fact_scope)
        except ExpressionError:
            return ""  # PP509 reports it
    return span.text


class _EmptyLayout:
    """A layout without words and tables, for evaluating facts."""

    tables: Mapping[str, Any] = {}
    words: Mapping[str, Any] = {}


# -- mentions ------------------------------------------------------------------------------------------------
# Which index entries a text mentions, so that the index leads to more than the marked places.

ENDING = r"\w{0,2}"
"""A word may take an ending: units, Consumables, Gottheiten. Longer ones make other words."""


class IndexEntryFinder:
    """The index entries of a document, as words to look for."""

    def __init__(self, document: Document) -> None:
        spans = (span for paragraph in document.iter_paragraphs_of_document() for span in paragraph.spans)
        marked = {span.entry for span in spans if isinstance(span, IndexSpan)}
        self._words = {entry: re.compile(rf"\b{re.escape(entry)}{ENDING}\b", re.IGNORECASE) for entry in sorted(marked)}

    def list_index_entries_mentioned(self, block: Paragraph | Heading) -> list[str]:
        """Return the entries whose words, in any case, stand in the text."""
        parts = (span.text if isinstance(span, IndexSpan | NumberSpan) else span for span in block.spans)
        text = "".join(part for part in parts if isinstance(part, str))
        return [entry for entry, words in self._words.items() if words.search(text)]

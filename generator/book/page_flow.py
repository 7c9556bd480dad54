"""Place pieces down the pages of a book. A layout gives the pages their look.

The layout (``book: true``) gives the size, safe zone, styles, the page's furniture (``front``: it
may name ``page``, ``pages`` and ``title``) and the cover (``back``). No piece is split over two
pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from playproof.database.errors import FindingCollector, Where
from playproof.generator.layout.draw_text import typeset_text_and_record_size
from playproof.generator.layout.drawing import FaceDrawing
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.layout.layout_files import Layout
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.layout.model import StyleSpec
from playproof.generator.scene import (
    Colour,
    Face,
    Group,
    Node,
    Page,
    Passage,
    Placement,
    Rect,
    Role,
    Stroke,
    Transform,
    build_line_path,
)
from playproof.generator.type.icon_names import remove_icon_name_repeated_in_next_cell
from playproof.generator.type.typesetter import TextBlock

NOWHERE = Where("")
ENDLESS = 10_000.0  # mm: a box no text overflows
LAST = "last"  # the part of a book's layout that draws its back cover
TAIL = "tail"  # the part of a layout that fills what the last page leaves free
TAIL_ROOM = 48.0  # mm, from which on it does
BLOCK = 1.6  # mm of white above a piece; a piece with less is a row or item of a list and keeps its white
STRETCH = 1.0  # of the white above a piece: what is added at most, so that a page reaches its foot
RULING = 8.0  # mm between the lines of a page to write on
RULE = Stroke(Colour.parse_hex_or_cmyk_colour_or_raise("#b9b2a8"), 0.15)


@dataclass(frozen=True, slots=True)
class TypesetBlock:
    """A set block as wide as the column: what it draws from its top left, and its height in mm.

    ``under`` is decoration drawn below the passages. ``keep`` holds the piece on the page of the
    next piece (headings). ``floats`` lets the text after the piece fill the page that has no room for it: a picture or
    an example, which then begins the next page. ``new_page`` begins a new page. ``notes`` name the headings, index
    entries and rules that stand here, so that their page can be looked up. ``head`` is set again
    above the piece if the piece begins a page. ``smaller`` are pieces that may stand in its place where
    it would leave the foot of a page white.
    """

    passages: tuple[Passage, ...]
    height: float
    above: float = 1.8
    under: tuple[Node, ...] = ()
    keep: bool = False
    floats: bool = False
    new_page: bool = False
    notes: tuple[str, ...] = ()
    head: TypesetBlock | None = None
    smaller: tuple[TypesetBlock, ...] = ()


@dataclass
class BookPage:
    """A page, while it is filled and when it is finished. Lengths are in mm."""

    width: float
    height: float
    bleed: float = 0.0
    safe: float = 0.0
    name: str = ""
    furniture: tuple[Node, ...] = ()
    placed: list[tuple[TypesetBlock, float]] = field(default_factory=list)
    under: list[Node] = field(default_factory=list)
    passages: list[Passage] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def face(self) -> Face:
        """The whole page as one face, to draw as a picture."""
        inside = tuple(node for passage in self.passages for node in passage.nodes)
        ground = self.face_without_passages
        return replace(ground, nodes=(*ground.nodes, *inside))

    @property
    def face_without_passages(self) -> Face:
        """What the page shows besides its passages: decoration for a screen reader."""
        nodes = (*self.furniture, *self.under)
        return Face(self.name, self.width, self.height, nodes, self.bleed, self.safe)

    @property
    def page(self) -> Page:
        """The page by itself, with tagged passages."""
        placed = (Placement(self.face_without_passages, Transform()),)
        return Page(self.width, self.height, placed, passages=tuple(self.passages))


class BookTypesetter:
    """Sets the text and fills the pages of one booklet in one language."""

    def __init__(self, looks: LayoutRenderer, layout: Layout, language: str, title: str) -> None:
        self.looks = looks
        self.layout = layout
        self.language = language
        self.title = title
        self.collector = FindingCollector()
        self.drawing: FaceDrawing = looks.create_drawing_without_component(layout, language, title, self.collector)
        self.area = layout.trim.expand(-layout.safe)
        self._set: dict[tuple[str, float, str | StyleSpec], TextBlock] = {}  # pages are filled several times

    @property
    def width(self) -> float:
        """The width of the text in mm, without the margin for labels."""
        return self.area.width - self.margin

    @property
    def margin(self) -> float:
        """The width in mm of the margin for ids; 0.0 if the book names no ids."""
        return self.layout.label_width if self.layout.rule_ids else 0.0

    # -- setting --------------------------------------------------------------------------------------------

    def typeset_text_and_note_problems(
        self, text: str, width: float, style: str | StyleSpec, where: Where = NOWHERE
    ) -> TextBlock:
        """Set words in a style of the layout, at the top left. Words that cannot be set are noted
        with their place."""
        block = self._set.get((text, width, style))
        if block is None:
            try:
                block = typeset_text_and_record_size(self.drawing, text, Rect(0, 0, width, ENDLESS), style)
            except ExpressionError as error:  # the layout lacks the style, or asks for too small type
                self.collector.add_finding(error.code, self.layout.where, f"style {style!r}: {error}", error.hint)
                return TextBlock((), 0.0, Rect(0, 0, 0, 0), 0)
            self._set[text, width, style] = block
        for problem in block.problems:
            self.collector.add_finding("PP501", where, f"{text[:40]!r}: {problem}")
        return block

    def can_typeset_text_without_problems(self, text: str, width: float, style: str) -> bool:
        """Return whether words can be set at a width; what cannot is not noted."""
        return not typeset_text_and_record_size(self.drawing, text, Rect(0, 0, width, ENDLESS), style).problems

    def typeset_paragraph_as_block(
        self,
        text: str,
        style: str = "text",
        *,
        role: Role = "P",
        label: str = "",
        space_above: float = 1.8,
        keep_with_next: bool = False,
        where: Where = NOWHERE,
    ) -> TypesetBlock:
        """Return a paragraph as a piece; ``label`` stands in the margin beside it, or before it if there is none."""
        if label and not self.margin:
            text, label = f"**{label}** {text}", ""
        block = self.typeset_text_and_note_problems(text, self.width, style, where)
        nodes, height = block.nodes, block.box.height
        if label:
            mark = self.typeset_text_and_note_problems(label, self.margin - 1.2, "label", where)
            nodes += wrap_nodes_in_shifted_group_if_moved(mark.nodes, -self.margin)
            height = max(height, mark.box.height)
        passage = Passage(role, nodes, Rect(0, 0, self.width, height))
        return TypesetBlock((passage,), height, space_above, keep=keep_with_next)

    # -- filling --------------------------------------------------------------------------------------------

    def build_pages_from_blocks_or_raise(
        self, blocks: Sequence[TypesetBlock], with_cover: bool = True, max_chapters_waiting: int = 1
    ) -> list[BookPage]:
        """Return the finished pages. Pieces that float wait while at most ``max_chapters_waiting`` chapters begin.
        Raises InputError with everything that could not be set."""
        leaves = [self._create_blank_page()] if with_cover else []
        leaves += self._lay_out_blocks_on_pages(blocks, max_chapters_waiting)
        return self._copy_decorated_pages_or_raise_findings(leaves, with_cover)

    def add_note_pages_and_back_up_to_multiple(
        self, book_pages: Sequence[BookPage], page_multiple: int, heading: str
    ) -> list[BookPage]:
        """Return the leaves, followed by pages up to a multiple of ``page_multiple``: a back cover if the layout
        has one (its part ``last``), and before it ruled pages to write on, which bear the heading."""
        spare = -len(book_pages) % page_multiple
        if not spare:
            return list(book_pages)
        closing = [self._create_blank_page()] if LAST in self.layout.parts else []
        ruled = [self._build_lined_page_for_notes(heading) for _ in range(spare - len(closing))]
        return self._copy_decorated_pages_or_raise_findings(
            [*book_pages, *ruled, *closing], has_back_cover=bool(closing)
        )

    def copy_pages_with_tail_picture_if_sparse(self, pages: Sequence[BookPage]) -> list[BookPage]:
        """Return the leaves. If the last leaves much of its page free, the layout's part ``tail`` is drawn below its
        words; the name ``filled`` tells the part where they end, in mm from the top."""
        filled = max((passage.box.bottom for passage in pages[-1].passages), default=self.area.y)
        if TAIL not in self.layout.parts or self.area.bottom - filled < TAIL_ROOM:
            return list(pages)
        tail = self.draw_layout_side_or_part(TAIL, filled_down_to=filled)
        return [*pages[:-1], replace(pages[-1], under=[*pages[-1].under, *tail])]

    def _build_lined_page_for_notes(self, heading: str) -> BookPage:
        """Return a page with a heading and lines to write on."""
        leaf = self._lay_out_blocks_on_pages([self.typeset_paragraph_as_block(heading, "heading", role="H1")])[0]
        left, right = self.area.x + self.margin, self.area.right
        y = self.area.y + 2 * RULING
        while y <= self.area.bottom - RULING:
            leaf.under.append(build_line_path(left, y, right, y, RULE))
            y += RULING
        return leaf

    def _copy_decorated_pages_or_raise_findings(
        self, book_pages: Sequence[BookPage], has_cover: bool = True, has_back_cover: bool = False
    ) -> list[BookPage]:
        """Return the pages with their names and with what the layout draws on each of them."""
        count, decorated = len(book_pages), list[BookPage]()
        for number, leaf in enumerate(book_pages, 1):
            last = LAST if has_back_cover and number == count else "front"
            furniture = self.draw_layout_side_or_part("back" if has_cover and number == 1 else last, number, count)
            decorated.append(replace(leaf, name=f"{self.layout.name}.{number}", furniture=furniture))
        self.collector.raise_if_errors()
        return decorated

    def _create_blank_page(self) -> BookPage:
        layout = self.layout
        return BookPage(layout.width, layout.height, layout.bleed, layout.safe)

    def _lay_out_blocks_on_pages(self, blocks: Sequence[TypesetBlock], max_chapters_waiting: int = 1) -> list[BookPage]:
        """Place the pieces below each other, page after page. A heading never ends a page. A piece that floats and
        finds no room waits for the next page, where it comes first; others that float wait behind it. No piece waits
        for more than ``max_chapters_waiting`` chapters."""
        leaves, waiting, y = [self._create_blank_page()], list[list[TypesetBlock]](), self.area.y
        chapters = 0  # that have begun while pieces wait
        for group in _iter_block_groups_kept_together(blocks):
            floats = len(group) == 1 and group[0].floats
            if y > self.area.y and floats and (waiting or not self._has_room_for_group_or_smaller(group, y)):
                chapters = chapters if waiting else 0
                waiting.append(group)
                continue
            chapters += _is_group_starting_chapter(group)
            turns = group[0].new_page or not self._has_room_for_group_or_smaller(group, y)
            turns = turns or (bool(waiting) and chapters > max_chapters_waiting)
            while waiting and turns:  # each page that begins shows what waits, as far as there is room
                y = self._append_group_and_return_bottom(leaves, waiting.pop(0), y, on_new_page=True)
                while waiting and self._has_room_for_group_or_smaller(waiting[0], y):
                    y = self._append_group_and_return_bottom(leaves, waiting.pop(0), y)
                chapters, turns = 0, group[0].new_page or not self._has_room_for_group_or_smaller(group, y)
            y = self._append_group_and_return_bottom(leaves, group, y, turns)
        for group in waiting:
            y = self._append_group_and_return_bottom(
                leaves, group, y, not self._has_room_for_group_or_smaller(group, y)
            )
        for number, leaf in enumerate(leaves):
            self._draw_placed_blocks_on_page(leaf, is_last=number == len(leaves) - 1)
        return leaves

    def _draw_placed_blocks_on_page(self, page: BookPage, is_last: bool) -> None:
        """Draw the pieces of a page. The white that a page leaves at its foot goes between its pieces."""
        gaps = [piece.above for piece, _ in page.placed[1:] if piece.above >= BLOCK]
        filled = max((y + piece.height for piece, y in page.placed), default=self.area.y)
        spare = 0.0 if is_last else max(0.0, self.area.bottom - filled)
        stretch = min(STRETCH, spare / sum(gaps)) if gaps else 0.0
        down = 0.0
        for number, (piece, y) in enumerate(page.placed):
            down += stretch * piece.above if number and piece.above >= BLOCK else 0.0
            self._draw_block_on_page(page, piece, y + down)

    def _has_room_for_group_or_smaller(self, group: list[TypesetBlock], filled_down_to: float) -> bool:
        """Return whether a page filled down to ``filled_down_to`` has room for a group, or for it with its last
        piece smaller."""
        room = self.area.bottom - filled_down_to
        fitted = _shrink_last_block_if_that_fits(group, room)
        return fitted[0].above + _measure_group_height_without_top_space(fitted) <= room

    def _append_group_and_return_bottom(
        self, book_pages: list[BookPage], group: list[TypesetBlock], y: float, on_new_page: bool = False
    ) -> float:
        """Put a group below ``y`` on the last page, or on a new one if the page ``on_new_page``. Return where it
        ends."""
        area, first = self.area, y <= self.area.y
        group = _shrink_last_block_if_that_fits(group, area.bottom - y)
        if on_new_page and not first:
            book_pages.append(self._create_blank_page())
            y, first = (self._repeat_table_head_and_return_bottom(book_pages[-1], group[0]), group[0].head is None)
        for number, piece in enumerate(group):
            y += 0.0 if first and number == 0 else piece.above
            if y + piece.height > area.bottom + 1e-6 and y > area.y:  # a group higher than a page
                book_pages.append(self._create_blank_page())
                y = self._repeat_table_head_and_return_bottom(book_pages[-1], piece)
                y += piece.above if piece.head is not None else 0.0
            book_pages[-1].placed.append((piece, y))
            y += piece.height
        return y

    def _repeat_table_head_and_return_bottom(self, page: BookPage, first_block: TypesetBlock) -> float:
        """Return where a page's first piece begins. If its table began on an earlier page, repeat
        the table's head above it."""
        if first_block.head is None:
            return self.area.y
        page.placed.append((first_block.head, self.area.y))
        return self.area.y + first_block.head.height

    def _draw_block_on_page(self, page: BookPage, block: TypesetBlock, y: float) -> None:
        left = self.area.x + self.margin
        page.under += wrap_nodes_in_shifted_group_if_moved(block.under, left, y)
        page.passages += [passage.translate(left, y) for passage in block.passages]
        page.notes += block.notes

    def draw_layout_side_or_part(
        self, side: str, page: int = 1, pages: int = 1, filled_down_to: float = 0.0
    ) -> tuple[Node, ...]:
        """Return the nodes that every page shows (``front``), those of the cover (``back``), or those of a part: the
        back cover (``last``), or a picture below the last words (``tail``)."""
        drawing = self.looks.create_drawing_without_component(self.layout, self.language, self.title, self.collector)
        drawing.scope |= {"page": page, "pages": pages, "filled": filled_down_to}
        drawing.draw_elements_in_order(self.layout.sides.get(side) or self.layout.parts.get(side, ()))
        return tuple(drawing.nodes)


def _iter_block_groups_kept_together(blocks: Sequence[TypesetBlock]) -> Iterator[list[TypesetBlock]]:
    """Yield the groups of pieces that stay on one page."""
    group: list[TypesetBlock] = []
    for piece in blocks:
        group.append(piece)
        if not piece.keep:
            yield group
            group = []
    if group:
        yield group


def _is_group_starting_chapter(group: Sequence[TypesetBlock]) -> bool:
    return any(passage.level == 1 for passage in group[0].passages)


def _shrink_last_block_if_that_fits(group: list[TypesetBlock], room: float) -> list[TypesetBlock]:
    """Return the pieces, the last of them smaller if the rest of the page then holds them."""
    for last in (group[-1], *group[-1].smaller):
        changed = [*group[:-1], last]
        if changed[0].above + _measure_group_height_without_top_space(changed) <= room:
            return changed
    return group


def _measure_group_height_without_top_space(group: Sequence[TypesetBlock]) -> float:
    """Return the height of a group in mm, without the white above its first piece."""
    return sum(piece.height for piece in group) + sum(piece.above for piece in group[1:])


def wrap_nodes_in_shifted_group_if_moved(nodes: Sequence[Node], x: float, y: float = 0.0) -> tuple[Node, ...]:
    """Return the nodes moved together by (``x``, ``y``) mm. No nodes give an empty tuple."""
    if not nodes or (x == 0 and y == 0):
        return tuple(nodes)
    return (Group(tuple(nodes), Transform.move(x, y)),)


def stack_blocks_into_one(blocks: Sequence[TypesetBlock], indent: float = 0.0) -> TypesetBlock:
    """Return one piece with the pieces below each other. Pages never split it."""
    passages: list[Passage] = []
    under: list[Node] = []
    y = 0.0
    for number, piece in enumerate(blocks):
        y += piece.above if number else 0.0
        passages += [passage.translate(indent, y) for passage in piece.passages]
        under += wrap_nodes_in_shifted_group_if_moved(piece.under, indent, y)
        y += piece.height
    notes = tuple(note for piece in blocks for note in piece.notes)
    above = blocks[0].above if blocks else 0.0
    return TypesetBlock(tuple(passages), y, above, tuple(under), notes=notes)


def join_blocks_side_by_side(
    blocks_at_x: Sequence[tuple[float, TypesetBlock]], space_above: float = 1.8
) -> TypesetBlock:
    """Return one piece with the pieces side by side, each at its x in mm."""
    passages = [passage.translate(x, 0) for x, piece in blocks_at_x for passage in piece.passages]
    for at, (passage, following) in enumerate(pairwise(passages)):
        passages[at] = passage._replace(nodes=remove_icon_name_repeated_in_next_cell(passage.nodes, following.nodes))
    under = [node for x, piece in blocks_at_x for node in wrap_nodes_in_shifted_group_if_moved(piece.under, x)]
    notes = tuple(note for _, piece in blocks_at_x for note in piece.notes)
    height = max((piece.height for _, piece in blocks_at_x), default=0.0)
    return TypesetBlock(tuple(passages), height, space_above, tuple(under), notes=notes)


def copy_block_with_more_notes(block: TypesetBlock, *notes: str) -> TypesetBlock:
    """Return the piece with more notes."""
    return replace(block, notes=(*block.notes, *notes))

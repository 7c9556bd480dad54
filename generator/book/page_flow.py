"""Place pieces down the pages of a book. A layout gives the pages their look.

The layout (``book: true``) gives the size, safe zone, styles, the page's furniture (``front``: it
may name ``page``, ``pages`` and ``title``) and the cover (``back``). No piece is split over two
pages."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from playproof.database.errors import FindingCollector, Where
from playproof.generator.layout.draw_text import typeset_text
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
    line,
)
from playproof.generator.type.icon_names import remove_explained_icon_name
from playproof.generator.type.typesetter import TextBlock

NOWHERE = Where("")
ENDLESS = 10_000.0  # mm: a box no text overflows
LAST = "last"  # the part of a book's layout that draws its back cover
TAIL = "tail"  # the part of a layout that fills what the last page leaves free
TAIL_ROOM = 48.0  # mm, from which on it does
BLOCK = 1.6  # mm of white above a piece; a piece with less is a row or item of a list and keeps its white
STRETCH = 1.0  # of the white above a piece: what is added at most, so that a page reaches its foot
RULING = 8.0  # mm between the lines of a page to write on
RULE = Stroke(Colour.parse("#b9b2a8"), 0.15)


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
        ground = self.ground
        return replace(ground, nodes=(*ground.nodes, *inside))

    @property
    def ground(self) -> Face:
        """What the page shows besides its passages: decoration for a screen reader."""
        nodes = (*self.furniture, *self.under)
        return Face(self.name, self.width, self.height, nodes, self.bleed, self.safe)

    @property
    def page(self) -> Page:
        """The page by itself, with tagged passages."""
        placed = (Placement(self.ground, Transform()),)
        return Page(self.width, self.height, placed, passages=tuple(self.passages))


class BookTypesetter:
    """Sets the text and fills the pages of one booklet in one language."""

    def __init__(self, looks: LayoutRenderer, layout: Layout, language: str, title: str) -> None:
        self.looks = looks
        self.layout = layout
        self.language = language
        self.title = title
        self.collector = FindingCollector()
        self.drawing: FaceDrawing = looks.create_blank_drawing(layout, language, title, self.collector)
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

    def typeset_text(
        self, text: str, width: float, style: str | StyleSpec, where: Where = NOWHERE
    ) -> TextBlock:
        """Set words in a style of the layout, at the top left. Words that cannot be set are noted
        with their place."""
        block = self._set.get((text, width, style))
        if block is None:
            try:
                block = typeset_text(self.drawing, text, Rect(0, 0, width, ENDLESS), style)
            except ExpressionError as error:  # the layout lacks the style, or asks for too small type
                self.collector.add_finding(
                    error.code, self.layout.where, f"style {style!r}: {error}", error.hint
                )
                return TextBlock((), 0.0, Rect(0, 0, 0, 0), 0)
            self._set[text, width, style] = block
        for problem in block.problems:
            self.collector.add_finding("PP501", where, f"{text[:40]!r}: {problem}")
        return block

    def fits_width(self, text: str, width: float, style: str) -> bool:
        """Return whether words can be set at a width; what cannot is not noted."""
        return not typeset_text(self.drawing, text, Rect(0, 0, width, ENDLESS), style).problems

    def typeset_paragraph(
        self,
        text: str,
        style: str = "text",
        *,
        role: Role = "P",
        label: str = "",
        above: float = 1.8,
        keep: bool = False,
        where: Where = NOWHERE,
        indent: float = 0.0,
    ) -> TypesetBlock:
        """Return a paragraph as a piece; ``label`` stands in the margin beside it, or before it if there is none."""
        if label and not self.margin:
            text, label = f"**{label}** {text}", ""
        block = self.typeset_text(text, self.width - indent, style, where)
        nodes = shift_nodes(block.nodes, indent)
        height = block.box.height
        if label:
            mark = self.typeset_text(label, self.margin - 1.2, "label", where)
            nodes += shift_nodes(mark.nodes, -self.margin)
            height = max(height, mark.box.height)
        passage = Passage(role, nodes, Rect(0, 0, self.width, height))
        return TypesetBlock((passage,), height, above, keep=keep)

    # -- filling --------------------------------------------------------------------------------------------

    def fill_pages(
        self, pieces: Sequence[TypesetBlock], cover: bool = True, max_chapters_waiting: int = 1
    ) -> list[BookPage]:
        """Return the finished pages. Pieces that float wait while at most ``patience`` chapters begin. Raises
        InputError with everything that could not be set."""
        leaves = [self._create_blank_page()] if cover else []
        leaves += self._place_pieces_on_pages(pieces, max_chapters_waiting)
        return self._draw_furniture_and_check(leaves, cover)

    def pad_to_page_multiple(self, leaves: Sequence[BookPage], pages: int, heading: str) -> list[BookPage]:
        """Return the leaves, followed by pages up to a multiple of ``pages``: a back cover if the layout has one
        (its part ``last``), and before it ruled pages to write on, which bear the heading."""
        spare = -len(leaves) % pages
        if not spare:
            return list(leaves)
        leaves = [replace(leaf) for leaf in leaves]  # the pages that were given keep their furniture
        closing = [self._create_blank_page()] if LAST in self.layout.parts else []
        ruled = [self._build_ruled_page(heading) for _ in range(spare - len(closing))]
        return self._draw_furniture_and_check([*leaves, *ruled, *closing], closing=bool(closing))

    def draw_tail_below_last_words(self, leaves: list[BookPage]) -> list[BookPage]:
        """Return the leaves. If the last leaves much of its page free, the layout's part ``tail`` is drawn below its
        words; the name ``filled`` tells the part where they end, in mm from the top."""
        filled = max((passage.box.bottom for passage in leaves[-1].passages), default=self.area.y)
        if TAIL in self.layout.parts and self.area.bottom - filled >= TAIL_ROOM:
            leaves[-1].under += self.draw_page_furniture(TAIL, filled=filled)
        return leaves

    def _build_ruled_page(self, heading: str) -> BookPage:
        """Return a page with a heading and lines to write on."""
        leaf = self._place_pieces_on_pages([self.typeset_paragraph(heading, "heading", role="H1")])[0]
        left, right = self.area.x + self.margin, self.area.right
        y = self.area.y + 2 * RULING
        while y <= self.area.bottom - RULING:
            leaf.under.append(line(left, y, right, y, RULE))
            y += RULING
        return leaf

    def _draw_furniture_and_check(
        self, leaves: list[BookPage], cover: bool = True, closing: bool = False
    ) -> list[BookPage]:
        for at, leaf in enumerate(leaves):
            side = "back" if cover and at == 0 else LAST if closing and leaf is leaves[-1] else "front"
            leaf.name = f"{self.layout.name}.{at + 1}"
            leaf.furniture = self.draw_page_furniture(side, at + 1, len(leaves))
        self.collector.raise_if_errors()
        return leaves

    def _create_blank_page(self) -> BookPage:
        layout = self.layout
        return BookPage(layout.width, layout.height, layout.bleed, layout.safe)

    def _place_pieces_on_pages(
        self, pieces: Sequence[TypesetBlock], max_chapters_waiting: int = 1
    ) -> list[BookPage]:
        """Place the pieces below each other, page after page. A heading never ends a page. A piece that floats and
        finds no room waits for the next page, where it comes first; others that float wait behind it. No piece waits
        for more than ``patience`` chapters."""
        leaves, waiting, y = [self._create_blank_page()], list[list[TypesetBlock]](), self.area.y
        chapters = 0  # that have begun while pieces wait
        for group in _iter_groups_kept_together(pieces):
            floats = len(group) == 1 and group[0].floats
            if y > self.area.y and floats and (waiting or not self._has_room_for_group(group, y)):
                chapters = chapters if waiting else 0
                waiting.append(group)
                continue
            chapters += _begins_chapter(group)
            turns = group[0].new_page or not self._has_room_for_group(group, y)
            turns = turns or (bool(waiting) and chapters > max_chapters_waiting)
            while waiting and turns:  # each page that begins shows what waits, as far as there is room
                y = self._place_group(leaves, waiting.pop(0), y, turns=True)
                while waiting and self._has_room_for_group(waiting[0], y):
                    y = self._place_group(leaves, waiting.pop(0), y)
                chapters, turns = 0, group[0].new_page or not self._has_room_for_group(group, y)
            y = self._place_group(leaves, group, y, turns)
        for group in waiting:
            y = self._place_group(leaves, group, y, not self._has_room_for_group(group, y))
        for number, leaf in enumerate(leaves):
            self._draw_placed_pieces(leaf, is_last=number == len(leaves) - 1)
        return leaves

    def _draw_placed_pieces(self, leaf: BookPage, is_last: bool) -> None:
        """Draw the pieces of a page. The white that a page leaves at its foot goes between its pieces."""
        gaps = [piece.above for piece, _ in leaf.placed[1:] if piece.above >= BLOCK]
        filled = max((y + piece.height for piece, y in leaf.placed), default=self.area.y)
        spare = 0.0 if is_last else max(0.0, self.area.bottom - filled)
        stretch = min(STRETCH, spare / sum(gaps)) if gaps else 0.0
        down = 0.0
        for number, (piece, y) in enumerate(leaf.placed):
            down += stretch * piece.above if number and piece.above >= BLOCK else 0.0
            self._draw_piece(leaf, piece, y + down)

    def _has_room_for_group(self, group: list[TypesetBlock], y: float) -> bool:
        """Return whether a page filled down to ``y`` has room for a group, or for it with its last piece smaller."""
        room = self.area.bottom - y
        fitted = _shrink_last_piece_to_fit(group, room)
        return fitted[0].above + _measure_group_height(fitted) <= room

    def _place_group(
        self, leaves: list[BookPage], group: list[TypesetBlock], y: float, turns: bool = False
    ) -> float:
        """Put a group below ``y`` on the last page, or on a new one if the page ``turns``. Return where it ends."""
        area, first = self.area, y <= self.area.y
        group = _shrink_last_piece_to_fit(group, area.bottom - y)
        if turns and not first:
            leaves.append(self._create_blank_page())
            y, first = self._place_repeated_head(leaves[-1], group[0]), group[0].head is None
        for number, piece in enumerate(group):
            y += 0.0 if first and number == 0 else piece.above
            if y + piece.height > area.bottom + 1e-6 and y > area.y:  # a group higher than a page
                leaves.append(self._create_blank_page())
                y = self._place_repeated_head(leaves[-1], piece)
                y += piece.above if piece.head is not None else 0.0
            leaves[-1].placed.append((piece, y))
            y += piece.height
        return y

    def _place_repeated_head(self, leaf: BookPage, piece: TypesetBlock) -> float:
        """Return where a page's first piece begins. If its table began on an earlier page, repeat
        the table's head above it."""
        if piece.head is None:
            return self.area.y
        leaf.placed.append((piece.head, self.area.y))
        return self.area.y + piece.head.height

    def _draw_piece(self, leaf: BookPage, piece: TypesetBlock, y: float) -> None:
        left = self.area.x + self.margin
        leaf.under += shift_nodes(piece.under, left, y)
        leaf.passages += [passage.translate(left, y) for passage in piece.passages]
        leaf.notes += piece.notes

    def draw_page_furniture(
        self, side: str, page: int = 1, pages: int = 1, filled: float = 0.0
    ) -> tuple[Node, ...]:
        """Return the nodes that every page shows (``front``), those of the cover (``back``), or those of a part: the
        back cover (``last``), or a picture below the last words (``tail``)."""
        drawing = self.looks.create_blank_drawing(self.layout, self.language, self.title, self.collector)
        drawing.scope |= {"page": page, "pages": pages, "filled": filled}
        drawing.draw_elements(self.layout.sides.get(side) or self.layout.parts.get(side, ()))
        return tuple(drawing.nodes)


def _iter_groups_kept_together(pieces: Sequence[TypesetBlock]) -> Iterator[list[TypesetBlock]]:
    """Yield the groups of pieces that stay on one page."""
    group: list[TypesetBlock] = []
    for piece in pieces:
        group.append(piece)
        if not piece.keep:
            yield group
            group = []
    if group:
        yield group


def _begins_chapter(group: Sequence[TypesetBlock]) -> bool:
    return any(passage.level == 1 for passage in group[0].passages)


def _shrink_last_piece_to_fit(group: list[TypesetBlock], room: float) -> list[TypesetBlock]:
    """Return the pieces, the last of them smaller if the rest of the page then holds them."""
    for last in (group[-1], *group[-1].smaller):
        changed = [*group[:-1], last]
        if changed[0].above + _measure_group_height(changed) <= room:
            return changed
    return group


def _measure_group_height(group: Sequence[TypesetBlock]) -> float:
    """Return the height of a group in mm, without the white above its first piece."""
    return sum(piece.height for piece in group) + sum(piece.above for piece in group[1:])


def shift_nodes(nodes: Sequence[Node], x: float, y: float = 0.0) -> tuple[Node, ...]:
    """Return the nodes moved together by (``x``, ``y``) mm. No nodes give an empty tuple."""
    if not nodes or (x == 0 and y == 0):
        return tuple(nodes)
    return (Group(tuple(nodes), Transform.move(x, y)),)


def stack_pieces(pieces: Sequence[TypesetBlock], indent: float = 0.0) -> TypesetBlock:
    """Return one piece with the pieces below each other. Pages never split it."""
    passages: list[Passage] = []
    under: list[Node] = []
    y = 0.0
    for number, piece in enumerate(pieces):
        y += piece.above if number else 0.0
        passages += [passage.translate(indent, y) for passage in piece.passages]
        under += shift_nodes(piece.under, indent, y)
        y += piece.height
    notes = tuple(note for piece in pieces for note in piece.notes)
    above = pieces[0].above if pieces else 0.0
    return TypesetBlock(tuple(passages), y, above, tuple(under), notes=notes)


def place_pieces_side_by_side(
    pieces: Sequence[tuple[float, TypesetBlock]], above: float = 1.8
) -> TypesetBlock:
    """Return one piece with the pieces side by side, each at its x in mm."""
    passages = [passage.translate(x, 0) for x, piece in pieces for passage in piece.passages]
    for at, (passage, following) in enumerate(pairwise(passages)):
        passages[at] = passage._replace(nodes=remove_explained_icon_name(passage.nodes, following.nodes))
    under = [node for x, piece in pieces for node in shift_nodes(piece.under, x)]
    notes = tuple(note for _, piece in pieces for note in piece.notes)
    height = max((piece.height for _, piece in pieces), default=0.0)
    return TypesetBlock(tuple(passages), height, above, tuple(under), notes=notes)


def add_notes(piece: TypesetBlock, *notes: str) -> TypesetBlock:
    """Return the piece with more notes."""
    return replace(piece, notes=(*piece.notes, *notes))

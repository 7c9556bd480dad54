"""The first pages of a "Print me" file: the contents, the paper, the order, and how to cut.

Pictures and steps are those of the helper pages of single products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from playproof.generator.scene import Glyphs, Group, Node, Page, Symbol, Transform, Use
from playproof.generator.sheets.assembly_page import draw_tiling_diagram, list_gluing_steps
from playproof.generator.sheets.boards import split_board_into_tiles
from playproof.generator.sheets.column import MARGIN, InstructionColumn
from playproof.generator.sheets.gang import StockSheets
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.impose import SheetLayout
from playproof.generator.sheets.instructions import draw_small_sheet, list_cutting_steps, list_folding_steps
from playproof.generator.sheets.lettering import iter_wrapped_lines, set_text_line
from playproof.generator.sheets.paper import Paper
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.ruler import RULER, draw_ruler
from playproof.generator.wording import SheetWording

Thing = TypeVar("Thing")

PICTURE = Size(62.0, 62.0)  # mm, the box of one sheet's picture; several stand in a row
TILED = Size(90.0, 60.0)  # mm, the same of a board in tiles
APART = 16.0  # mm between pictures, where the numbers of their cuts stand
NET_APART = 6.0  # mm between small nets
NEEDS = 92.0  # mm that a heading, its steps and a row of pictures take
JOINED = " · "  # between titles, which may have commas of their own
CAPTION = 7.5  # pt
LEAST_TYPE = 5.0  # pt: type that a small net shows smaller is left out
CAPTION_LEADING = 3.4  # mm


@dataclass(frozen=True, slots=True)
class PrintMeContents:
    """The game's contents: its title, its counted components, what else is needed, and the titles
    of booklets."""

    title: str
    counted: Sequence[str]
    also: Sequence[str] = ()
    booklets: Sequence[str] = ()


class PrintMePages:
    """The pages while they are filled. A part that no longer fits begins a new page."""

    def __init__(self, paper: Paper, contents: PrintMeContents, language: str) -> None:
        self.paper = paper
        self.title = contents.title
        self.say = SheetWording(language)
        self.columns: list[InstructionColumn] = []

    def get_current_page(self) -> InstructionColumn:
        """Return the page that is being filled."""
        return self.columns[-1]

    def begin_page(self) -> InstructionColumn:
        """Begin a new page with the title on it."""
        self.columns.append(InstructionColumn(self.paper.portrait, self.title))
        return self.columns[-1]

    def build_pages(self) -> list[Page]:
        """Return all pages."""
        return [
            Page(*self.paper.portrait, (), tuple(column.nodes), label=f"instructions {number}")
            for number, column in enumerate(self.columns, 1)
        ]


def build_print_me_pages(
    parts: Sequence[StockSheets], paper: Paper, contents: PrintMeContents, *, language: str = "en"
) -> list[Page]:
    """Return the whole file: the instructions, then the sheets of every part in order."""
    first = _build_instructions(parts, paper, contents, language, 1)
    # page numbers depend on how many there are
    made = _build_instructions(parts, paper, contents, language, len(first) + 1)
    return [*made, *(page for part in parts for page in part.pages)]


def _build_instructions(
    parts: Sequence[StockSheets], paper: Paper, contents: PrintMeContents, language: str, start: int
) -> list[Page]:
    book = PrintMePages(paper, contents, language)
    page, say = book.begin_page(), book.say
    page.add_heading(say("what you get"))
    for text in contents.counted:
        page.add_line(text)
    for key, things in (("also", contents.also), ("booklets", contents.booklets)):
        if things:
            page.add_line(say(key, **{"things" if key == "also" else "titles": ", ".join(things)}))
    page.add_heading(say("print"))
    both_sides = [say("offset")] if any(part.duplex for part in parts) else []
    page.add_numbered_steps(
        [_format_total(parts, paper, say), say("size"), say("all first"), *both_sides, say("order")]
    )
    number, sheet = start, 1
    for part in parts:
        page.add_line(_format_part_range(part, number, sheet, say), bold=True)
        page.add_line(_format_paper_line(part, say))
        number += len(part.pages)
        sheet += part.sheets
    page.add_drawing(draw_ruler(), RULER)
    for part in parts:
        _add_part(book, part)
    return book.build_pages()


def _format_total(parts: Sequence[StockSheets], paper: Paper, say: SheetWording) -> str:
    both = sum(part.sheets for part in parts if part.duplex)
    sheets = sum(part.sheets for part in parts)
    duplex = say("of both one") if both == 1 else say("of both", n=both)
    counted = say.format_count("paper", sheets)
    if not both:
        return say("together one side", sheets=counted, paper=paper.name)
    return say("together", sheets=counted, paper=paper.name, duplex=duplex)


def _format_part_range(part: StockSheets, page: int, sheet: int, say: SheetWording) -> str:
    """Return which pages of the file and which sheets of paper a part takes, and what is on them."""
    last_page, last_sheet = page + len(part.pages) - 1, sheet + part.sheets - 1
    pages = say("page range" if last_page > page else "page at", first=page, last=last_page)
    sheets = say("sheet range" if last_sheet > sheet else "sheet at", first=sheet, last=last_sheet)
    line = say("part", pages=pages, sheets=sheets, titles=JOINED.join(part.titles))
    return line + " " + say("instead", title=part.instead_of) if part.instead_of else line


def _format_paper_line(part: StockSheets, say: SheetWording) -> str:
    flip = part.plans[0].flip if part.plans else "long"
    key = f"paper {part.stock}" + (" both" if part.stock == "board" and part.duplex else "")
    return say(key, flip=say(f"{flip} edge"))


def _add_part(book: PrintMePages, part: StockSheets) -> None:
    """Add how one part is cut, with a picture of each kind of its sheets."""
    say = book.say
    if book.get_current_page().y + NEEDS > book.paper.portrait.height - MARGIN:
        book.begin_page()
    page = book.get_current_page()
    page.add_heading(say("how", title=JOINED.join(part.titles)))
    pieces = [piece for layout in part.layouts for piece in layout.cards]
    if part.stock == "net":
        page.add_numbered_steps(list_folding_steps(pieces, say))
        _add_net_pictures(book, pieces)
    elif part.layouts:
        common = [say("common")] if part.common else []
        page.add_numbered_steps([*list_cutting_steps(part.plans[0], part.layouts, say), *common])
        _add_sheet_pictures(book, part.layouts)
    for (piece, plan), others in _group_alike(part.tiled, lambda tiled: tiled[0].size):
        _add_board(book, piece, plan, others)


def _add_sheet_pictures(book: PrintMePages, layouts: Sequence[SheetLayout]) -> None:
    """Draw sheets with their cuts side by side, in rows."""
    row: list[SheetLayout] = []
    across = max(1, int((book.get_current_page().width + APART) / (PICTURE.width + APART)))
    for layout in layouts:
        row.append(layout)
        if len(row) == across:
            _add_picture_row(book, row)
            row = []
    if row:
        _add_picture_row(book, row)


def _add_net_pictures(book: PrintMePages, pieces: Sequence[Piece]) -> None:
    """Draw one small net of each kind and size. Solid lines are cut, dashed lines folded."""
    alike = _group_alike(pieces, lambda piece: (piece.net, piece.size))
    across = max(1, int((book.get_current_page().width + NET_APART) / (PICTURE.width + NET_APART)))
    for at in range(0, len(alike), across):
        row = [piece for piece, _ in alike[at : at + across]]
        fitted = [
            min(PICTURE.width / piece.size.width, PICTURE.height / piece.size.height, 1.0) for piece in row
        ]
        tallest = max(piece.size.height * scale for piece, scale in zip(row, fitted, strict=True))
        if book.get_current_page().y + tallest + APART > book.paper.portrait.height - MARGIN:
            book.begin_page()
        page = book.get_current_page()
        left = MARGIN + 6
        for (piece, others), scale in zip(alike[at : at + across], fitted, strict=True):
            place = Transform(scale, 0, 0, scale, left, page.y)
            drawn = tuple(_iter_nodes_without_small_type(piece.front.nodes, scale))
            symbol = Symbol(f"net {piece.name}", piece.front.trim, drawn, picture=True)
            page.nodes.append(Use(symbol, place))
            below = page.y + piece.size.height * scale + 4
            for words in iter_wrapped_lines(_format_caption(piece, others, book.say), PICTURE.width, CAPTION):
                page.nodes.append(set_text_line(words, left, below, CAPTION))
                below += CAPTION_LEADING
            left += PICTURE.width + NET_APART
        page.y += tallest + APART


def _iter_nodes_without_small_type(nodes: Sequence[Node], scale: float) -> Iterator[Node]:
    """Yield the nodes of a picture that is drawn at a scale, without lines of type that nobody could read."""
    for node in nodes:
        if isinstance(node, Glyphs) and node.size * scale < LEAST_TYPE:
            continue
        if isinstance(node, Group):
            larger = scale * math.sqrt(
                abs(node.transform.a * node.transform.d - node.transform.b * node.transform.c)
            )
            node = node._replace(children=tuple(_iter_nodes_without_small_type(node.children, larger)))
        yield node


def _add_picture_row(book: PrintMePages, layouts: Sequence[SheetLayout]) -> None:
    if book.get_current_page().y + PICTURE.height + APART > book.paper.portrait.height - MARGIN:
        book.begin_page()
    page = book.get_current_page()
    left, top = MARGIN + 12, page.y + 8
    for layout in layouts:
        scale = min(PICTURE.width / layout.sheet.width, PICTURE.height / layout.sheet.height)
        page.nodes.append(Group(tuple(draw_small_sheet(layout, scale, 0.0, 0.0)), Transform.move(left, top)))
        size = book.say("size of", width=f"{layout.size.width:g}", height=f"{layout.size.height:g}")
        page.nodes.append(set_text_line(size, left, top + layout.sheet.height * scale + 4, CAPTION))
        left += PICTURE.width + APART
    page.y = top + PICTURE.height + 10


def _group_alike(things: Sequence[Thing], kind: Callable[[Thing], object]) -> list[tuple[Thing, int]]:
    """Return the first thing of each kind, with the number of other things of that kind."""
    kinds: dict[object, list[Thing]] = {}
    for thing in things:
        kinds.setdefault(kind(thing), []).append(thing)
    return [(first, len({id(other) for other in others} - {id(first)})) for first, *others in kinds.values()]


def _format_caption(piece: Piece, similar_count: int, say: SheetWording) -> str:
    """Return a picture's caption: the piece, and how many other pieces are cut like it."""
    return say("alike", name=piece.label, n=similar_count) if similar_count else piece.label


def _add_board(book: PrintMePages, piece: Piece, plan: Plan, similar_count: int) -> None:
    tiling = split_board_into_tiles(piece.front, piece, plan)
    if book.get_current_page().y + TILED.height + 30 > book.paper.portrait.height - MARGIN:
        book.begin_page()
    page = book.get_current_page()
    page.add_line(_format_caption(piece, similar_count, book.say), bold=True)
    page.add_numbered_steps(list_gluing_steps(tiling, book.say))
    if len(tiling.tiles) > 1:
        draw_tiling_diagram(page, tiling, piece.size, TILED)

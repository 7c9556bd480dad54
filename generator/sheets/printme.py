"""The first pages of a "Print me" file: the contents, the paper, the order, and how to cut.

Pictures and steps are those of the helper pages of single products.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from playproof.generator.scene import Glyphs, Group, Node, Page, Symbol, Transform, Use
from playproof.generator.sheets.assembly_page import diagram, gluing
from playproof.generator.sheets.boards import tiled
from playproof.generator.sheets.column import MARGIN, Column
from playproof.generator.sheets.gang import StockSheets
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.impose import Layout
from playproof.generator.sheets.instructions import cutting, folding, sheet_picture
from playproof.generator.sheets.lettering import broken, letter
from playproof.generator.sheets.paper import Paper
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.ruler import RULER, ruler
from playproof.generator.wording import Wording

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
class Contents:
    """The game's contents: its title, its counted components, what else is needed, and the titles
    of booklets."""

    title: str
    counted: Sequence[str]
    also: Sequence[str] = ()
    booklets: Sequence[str] = ()


class PrintMe:
    """The pages while they are filled. A part that no longer fits begins a new page."""

    def __init__(self, paper: Paper, contents: Contents, language: str) -> None:
        self.paper = paper
        self.title = contents.title
        self.say = Wording(language)
        self.columns: list[Column] = []

    def page(self) -> Column:
        """Return the page that is being filled."""
        return self.columns[-1]

    def begin(self) -> Column:
        """Begin a new page with the title on it."""
        self.columns.append(Column(self.paper.portrait, self.title))
        return self.columns[-1]

    def pages(self) -> list[Page]:
        """Return all pages."""
        return [
            Page(*self.paper.portrait, (), tuple(column.nodes), label=f"instructions {number}")
            for number, column in enumerate(self.columns, 1)
        ]


def print_me(
    parts: Sequence[StockSheets], paper: Paper, contents: Contents, *, language: str = "en"
) -> list[Page]:
    """Return the whole file: the instructions, then the sheets of every part in order."""
    first = _instructions(parts, paper, contents, language, 1)
    made = _instructions(
        parts, paper, contents, language, len(first) + 1
    )  # page numbers depend on how many there are
    return [*made, *(page for part in parts for page in part.pages)]


def _instructions(
    parts: Sequence[StockSheets], paper: Paper, contents: Contents, language: str, start: int
) -> list[Page]:
    book = PrintMe(paper, contents, language)
    page, say = book.begin(), book.say
    page.heading(say("what you get"))
    for line in contents.counted:
        page.line(line)
    for key, things in (("also", contents.also), ("booklets", contents.booklets)):
        if things:
            page.line(say(key, **{"things" if key == "also" else "titles": ", ".join(things)}))
    page.heading(say("print"))
    both_sides = [say("offset")] if any(part.duplex for part in parts) else []
    page.steps([_total(parts, paper, say), say("size"), say("all first"), *both_sides, say("order")])
    number, sheet = start, 1
    for part in parts:
        page.line(_range_of(part, number, sheet, say), bold=True)
        page.line(_paper(part, say))
        number += len(part.pages)
        sheet += part.sheets
    page.put(ruler(), RULER)
    for part in parts:
        _part(book, part)
    return book.pages()


def _total(parts: Sequence[StockSheets], paper: Paper, say: Wording) -> str:
    both = sum(part.sheets for part in parts if part.duplex)
    sheets = sum(part.sheets for part in parts)
    duplex = say("of both one") if both == 1 else say("of both", n=both)
    counted = say.counted("paper", sheets)
    if not both:
        return say("together one side", sheets=counted, paper=paper.name)
    return say("together", sheets=counted, paper=paper.name, duplex=duplex)


def _range_of(part: StockSheets, page: int, sheet: int, say: Wording) -> str:
    """Return which pages of the file and which sheets of paper a part takes, and what is on them."""
    last_page, last_sheet = page + len(part.pages) - 1, sheet + part.sheets - 1
    pages = say("page range" if last_page > page else "page at", first=page, last=last_page)
    sheets = say("sheet range" if last_sheet > sheet else "sheet at", first=sheet, last=last_sheet)
    line = say("part", pages=pages, sheets=sheets, titles=JOINED.join(part.titles))
    return line + " " + say("instead", title=part.instead_of) if part.instead_of else line


def _paper(part: StockSheets, say: Wording) -> str:
    flip = part.plans[0].flip if part.plans else "long"
    key = f"paper {part.stock}" + (" both" if part.stock == "board" and part.duplex else "")
    return say(key, flip=say(f"{flip} edge"))


def _part(book: PrintMe, part: StockSheets) -> None:
    """Add how one part is cut, with a picture of each kind of its sheets."""
    say = book.say
    if book.page().y + NEEDS > book.paper.portrait.height - MARGIN:
        book.begin()
    page = book.page()
    page.heading(say("how", title=JOINED.join(part.titles)))
    pieces = [piece for layout in part.layouts for piece in layout.cards]
    if part.stock == "net":
        page.steps(folding(pieces, say))
        _nets(book, pieces)
    elif part.layouts:
        common = [say("common")] if part.common else []
        page.steps([*cutting(part.plans[0], part.layouts, say), *common])
        _pictures(book, part.layouts)
    for (piece, plan), others in _alike(part.tiled, lambda tiled: tiled[0].size):
        _board(book, piece, plan, others)


def _pictures(book: PrintMe, layouts: Sequence[Layout]) -> None:
    """Draw sheets with their cuts side by side, in rows."""
    row: list[Layout] = []
    across = max(1, int((book.page().width + APART) / (PICTURE.width + APART)))
    for layout in layouts:
        row.append(layout)
        if len(row) == across:
            _row(book, row)
            row = []
    if row:
        _row(book, row)


def _nets(book: PrintMe, pieces: Sequence[Piece]) -> None:
    """Draw one small net of each kind and size. Solid lines are cut, dashed lines folded."""
    alike = _alike(pieces, lambda piece: (piece.net, piece.size))
    across = max(1, int((book.page().width + NET_APART) / (PICTURE.width + NET_APART)))
    for at in range(0, len(alike), across):
        row = [piece for piece, _ in alike[at : at + across]]
        fitted = [
            min(PICTURE.width / piece.size.width, PICTURE.height / piece.size.height, 1.0) for piece in row
        ]
        tallest = max(piece.size.height * scale for piece, scale in zip(row, fitted, strict=True))
        if book.page().y + tallest + APART > book.paper.portrait.height - MARGIN:
            book.begin()
        page = book.page()
        left = MARGIN + 6
        for (piece, others), scale in zip(alike[at : at + across], fitted, strict=True):
            place = Transform(scale, 0, 0, scale, left, page.y)
            drawn = tuple(_without_small_type(piece.front.nodes, scale))
            symbol = Symbol(f"net {piece.name}", piece.front.trim, drawn, picture=True)
            page.nodes.append(Use(symbol, place))
            below = page.y + piece.size.height * scale + 4
            for words in broken(_called(piece, others, book.say), PICTURE.width, CAPTION):
                page.nodes.append(letter(words, left, below, CAPTION))
                below += CAPTION_LEADING
            left += PICTURE.width + NET_APART
        page.y += tallest + APART


def _without_small_type(nodes: Sequence[Node], scale: float) -> Iterator[Node]:
    """Yield the nodes of a picture that is drawn at a scale, without lines of type that nobody could read."""
    for node in nodes:
        if isinstance(node, Glyphs) and node.size * scale < LEAST_TYPE:
            continue
        if isinstance(node, Group):
            larger = scale * math.sqrt(
                abs(node.transform.a * node.transform.d - node.transform.b * node.transform.c)
            )
            node = node._replace(children=tuple(_without_small_type(node.children, larger)))
        yield node


def _row(book: PrintMe, layouts: Sequence[Layout]) -> None:
    if book.page().y + PICTURE.height + APART > book.paper.portrait.height - MARGIN:
        book.begin()
    page = book.page()
    left, top = MARGIN + 12, page.y + 8
    for layout in layouts:
        scale = min(PICTURE.width / layout.sheet.width, PICTURE.height / layout.sheet.height)
        page.nodes.append(Group(tuple(sheet_picture(layout, scale, 0.0, 0.0)), Transform.move(left, top)))
        size = book.say("size of", width=f"{layout.size.width:g}", height=f"{layout.size.height:g}")
        page.nodes.append(letter(size, left, top + layout.sheet.height * scale + 4, CAPTION))
        left += PICTURE.width + APART
    page.y = top + PICTURE.height + 10


def _alike(things: Sequence[Thing], kind: Callable[[Thing], object]) -> list[tuple[Thing, int]]:
    """Return the first thing of each kind, with the number of other things of that kind."""
    kinds: dict[object, list[Thing]] = {}
    for thing in things:
        kinds.setdefault(kind(thing), []).append(thing)
    return [(first, len({id(other) for other in others} - {id(first)})) for first, *others in kinds.values()]


def _called(piece: Piece, others: int, say: Wording) -> str:
    """Return a picture's caption: the piece, and how many other pieces are cut like it."""
    return say("alike", name=piece.label, n=others) if others else piece.label


def _board(book: PrintMe, piece: Piece, plan: Plan, others: int) -> None:
    tiling = tiled(piece.front, piece, plan)
    if book.page().y + TILED.height + 30 > book.paper.portrait.height - MARGIN:
        book.begin()
    page = book.page()
    page.line(_called(piece, others, book.say), bold=True)
    page.steps(gluing(tiling, book.say))
    if len(tiling.tiles) > 1:
        diagram(page, tiling, piece.size, TILED)

"""All pieces of a game on as few sheets as possible: pieces of one size together, the rest on
common sheets.

    for part in gang(products, paper("A4")): print(part.title, part.pages)

Full sheets are those of `impose`. Cards that do not fill a sheet become a block with its own marks.
Blocks of different sizes stand one above the other, each centred, so that backs stay behind their
fronts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from playproof.generator.scene import Page, Placement, Rect, Use
from playproof.generator.sheets.boards import board_tiles
from playproof.generator.sheets.cropmarks import GAP, LENGTH
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.grid import Spacing, few, fit
from playproof.generator.sheets.impose import (
    Job,
    Layout,
    Side,
    layouts,
    marks_symbol,
    outlines,
    pages_of,
    sides_of,
)
from playproof.generator.sheets.margins import margin_notes
from playproof.generator.sheets.order import in_sequence
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.printer import Printer
from playproof.generator.wording import Wording

Stock = Literal["cards", "board", "net", "page"]
MARKS = GAP + LENGTH  # mm that the crop marks of a block reach beyond its bleed
MARGIN = 5.0  # mm at the sides of a common sheet
FOOT = 12.0  # mm at the foot of a common sheet for its ruler and its line of text
STOCKS: tuple[Stock, ...] = ("cards", "page", "board", "net")  # in the order they are printed


@dataclass(frozen=True, slots=True)
class Wanted:
    """The pieces of one product: its title, the pieces, the plan that lays them out, whether they are boards, and
    the title of the product that it may stand in for ("" if it is no alternative)."""

    title: str
    pieces: tuple[Piece, ...]
    plan: Plan
    tiled: bool = False
    instead_of: str = ""


@dataclass(slots=True)
class StockSheets:
    """Sheets of one stock that are printed together: the titles on them, the pages, the layouts to
    cut by, and the boards."""

    stock: Stock
    duplex: bool
    instead_of: str = ""  # the title of the product that this part is an alternative to
    titles: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    layouts: list[Layout] = field(default_factory=list)
    common: int = 0  # sheets that hold leftovers of several sizes
    tiled: list[tuple[Piece, Plan]] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)

    @property
    def sheets(self) -> int:
        """The number of sheets of paper."""
        return len(self.pages) // 2 if self.duplex else len(self.pages)


class PartKey(NamedTuple):
    """What sheets have in common that are printed together."""

    stock: Stock
    duplex: bool
    instead_of: str


DrawSheet = Callable[[str], list[Page]]
"""Draws one sheet of paper, one page or two, with these words as its number."""


def gang(
    products: Iterable[Wanted], *, title: str = "", printer: Printer | None = None, language: str = "en"
) -> list[StockSheets]:
    """Return the sheets of all products, in parts by the stock they are printed on. The sheets of paper are numbered
    through all parts. Raises InputError as `impose` does."""
    groups: dict[PartKey, list[Wanted]] = {}
    for product in products:
        for wanted in _by_backs(product):
            key = PartKey(stock_of(wanted), _duplex(wanted), wanted.instead_of)
            groups.setdefault(key, []).append(wanted)
    say = Wording(language)
    parts = [
        _lay_out_part(key, groups[key], title, printer or Printer(), say)
        for key in sorted(groups, key=_order)
    ]
    total = sum(len(sheets) for _, sheets in parts)
    number = 0
    for part, sheets in parts:
        for draw_sheet in sheets:
            number += 1
            part.pages += draw_sheet(say("sheet", n=number, of=total))
    return [part for part, _ in parts]


def _order(key: PartKey) -> tuple[bool, int, bool]:
    """Alternatives come last; then by stock, and what is printed on both sides first."""
    return bool(key.instead_of), STOCKS.index(key.stock), not key.duplex


def _by_backs(product: Wanted) -> list[Wanted]:
    """Split a product into pieces with backs and pieces without, which are printed differently."""
    if product.tiled:
        return [product]
    halves = [tuple(p for p in product.pieces if (p.back is not None) == backs) for backs in (True, False)]
    return [replace(product, pieces=half) for half in halves if half]


def stock_of(wanted: Wanted) -> Stock:
    """Return the stock for the pieces: card, paper to glue on board, stiff paper for nets, or plain
    paper."""
    if wanted.tiled or any(piece.front.outline is not None for piece in wanted.pieces):
        return "board"
    if any(piece.net for piece in wanted.pieces):
        return "net"
    return "cards" if _duplex(wanted) else "page"


def _duplex(wanted: Wanted) -> bool:
    return not wanted.tiled and wanted.plan.backs == "duplex" and any(piece.back for piece in wanted.pieces)


def _lay_out_part(
    key: PartKey, products: Sequence[Wanted], title: str, printer: Printer, say: Wording
) -> tuple[StockSheets, list[DrawSheet]]:
    """Return a part without its pages, and what draws each of its sheets of paper."""
    part = StockSheets(*key, list(dict.fromkeys(product.title for product in products)))
    note = " · ".join(word for word in (title, say(f"stock {key.stock}")) if word)
    sheets: list[DrawSheet] = []
    blocks: list[tuple[Job, Layout]] = []
    for plan, pieces in _by_plan(products).items():
        part.plans.append(plan)
        job = Job(plan, note, printer, say)
        for layout in layouts(pieces, plan):
            part.layouts.append(layout)
            full, rest = _parted(layout) if plan.is_free else (len(layout.sheets), None)
            sheets += (_full_sheet(job, layout, number) for number in range(full))
            if rest is not None:
                blocks.append((job, rest))
    common = _common(blocks)
    part.common = sum(len(sheet) > 1 for sheet in common)
    sheets += (_common_sheet(sheet, key.duplex) for sheet in common)
    for product in products:
        for piece in product.pieces if product.tiled else ():
            part.tiled.append((piece, product.plan))
            sheets += _board_sheets(piece, product.plan, note, say.language)
    return part, sheets


def _full_sheet(job: Job, layout: Layout, number: int) -> DrawSheet:
    return lambda name: pages_of(job._replace(sheet_name=name), layout, [number])


def _common_sheet(blocks: Sequence[tuple[Job, Layout]], duplex: bool) -> DrawSheet:
    return lambda name: _sheet(blocks, name, duplex)


def _board_sheets(piece: Piece, plan: Plan, note: str, language: str) -> Iterator[DrawSheet]:
    """Yield what draws each tile of a board; a board of several copies is drawn as often."""

    def draw_tile(draw: Callable[[str], Page]) -> DrawSheet:
        return lambda name: [draw(f"{note} · {name}")]

    yield from map(draw_tile, board_tiles(piece, plan, language=language))


def _by_plan(products: Sequence[Wanted]) -> dict[Plan, list[Piece]]:
    """Return the pieces that are not boards, grouped by plan."""
    plans: dict[Plan, list[Piece]] = {}
    for product in products:
        if not product.tiled:
            plans.setdefault(product.plan.model_copy(update={"name": "", "description": ""}), []).extend(
                product.pieces
            )
    return plans


def _parted(layout: Layout) -> tuple[int, Layout | None]:
    """Return the number of full sheets, and a layout of the remaining cards, on upright paper if
    they fit; None if none remain."""
    slots = fit(layout.sheet, layout.size, _spacing(layout)).slots
    full = len(layout.cards) // slots
    rest = layout.cards[full * slots :]
    if not rest:
        return full, None
    sheet = Size(min(layout.sheet), max(layout.sheet))
    grid = fit(sheet, layout.size, _spacing(layout))
    if grid.slots < len(rest):  # it needs the paper on its side
        sheet, grid = layout.sheet, layout.grid
    grid = few(grid, len(rest))
    backed = any(piece.back for piece in rest)
    sheets = in_sequence(len(rest), grid.slots)
    return full, layout._replace(sheet=sheet, grid=grid, cards=rest, sheets=sheets, backed=backed)


def _spacing(layout: Layout) -> Spacing:
    return Spacing(MARGIN, layout.bleed, layout.grid.between - 2 * layout.bleed)


def _common(blocks: Sequence[tuple[Job, Layout]]) -> list[list[tuple[Job, Layout]]]:
    """Distribute blocks to sheets: the tallest first, each on the first sheet with room below its
    other blocks."""
    sheets: list[list[tuple[Job, Layout]]] = []
    for job, layout in sorted(blocks, key=lambda block: -_tall(block[1])):
        for sheet in sheets:
            if (
                sheet[0][1].sheet == layout.sheet
                and _used(sheet) + _tall(layout) <= layout.sheet.height - FOOT
            ):
                sheet.append((job, layout))
                break
        else:
            sheets.append([(job, layout)])
    return sheets


def _tall(layout: Layout) -> float:
    return layout.grid.block.height + 2 * layout.bleed + (0.0 if layout.nets else 2 * MARKS)


def _used(sheet: Sequence[tuple[Job, Layout]]) -> float:
    return sum(_tall(layout) for _, layout in sheet)


def _sheet(blocks: Sequence[tuple[Job, Layout]], name: str, duplex: bool) -> list[Page]:
    """Return the one or two pages of a common sheet."""
    placed = list(blocks) if len(blocks) == 1 else _stacked(blocks)
    sides = [sides_of(job, layout, 0) for job, layout in placed]
    return [
        _page(placed, [side[at] for side in sides if at < len(side)], name, duplex)
        for at in range(2 if duplex else 1)
    ]


def _stacked(blocks: Sequence[tuple[Job, Layout]]) -> list[tuple[Job, Layout]]:
    """Stack the blocks and divide the remaining height evenly between them."""
    sheet = blocks[0][1].sheet
    spare = (sheet.height - FOOT - _used(blocks)) / (len(blocks) + 1)
    top, placed = spare, []
    for job, layout in blocks:
        marks = 0.0 if layout.nets else MARKS
        grid = layout.grid._replace(origin=(layout.grid.origin[0], top + marks + layout.bleed))
        placed.append((job, layout._replace(grid=grid)))
        top += _tall(layout) + spare
    return placed


def _page(placed: Sequence[tuple[Job, Layout]], sides: Sequence[Side], sheet: str, duplex: bool) -> Page:
    job, first = placed[0]
    placements: list[Placement] = []
    drawn: list[Use] = []
    printed: list[Rect] = []
    marks = tuple(mark.moved(*side.shift) for side in sides for mark in side.marks)
    for (_, layout), side in zip(placed, sides, strict=True):
        for face, slot in side.faces:
            place = slot.moved(*side.shift).transform
            placements.append(Placement(face, place, min(face.bleed, layout.bleed)))
        drawn += outlines(side) if job.plan.marks else ()
        printed.append(layout.grid.block.grown(layout.bleed).moved(*side.shift))
    side_name = job.say(sides[0].name) if duplex or first.folded is not None else ""
    note = " · ".join(word for word in (job.title, sheet, side_name) if word)
    notes = margin_notes(first.sheet, printed, marks, note, job.plan.ruler)
    crop = (Use(marks_symbol(first.sheet, marks, ())),) if marks else ()
    return Page(*first.sheet, tuple(placements), (*drawn, *crop, *notes), label=f"{sides[0].name} {sheet}")

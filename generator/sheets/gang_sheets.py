"""All pieces of a game on as few sheets as possible: pieces of one size together, the rest on
common sheets.

    for part in lay_out_products_on_fewest_sheets(products): print(part.title, part.pages)

Full sheets are those of `impose_pieces_on_pages`. Cards that do not fill a sheet become a block with its own marks.
Blocks of different sizes stand one above the other, each centred, so that backs stay behind their
fronts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from playproof.generator.scene import Page, Placement, Rect, Use
from playproof.generator.sheets.boards import list_tile_drawers_of_all_copies
from playproof.generator.sheets.imposition import (
    ImpositionJob,
    SheetLayout,
    SheetSide,
    build_one_or_two_sides_of_sheet,
    build_pages_of_numbered_sheets,
    build_symbol_of_cut_and_fold_marks,
    draw_hairlines_around_unusual_fronts,
    lay_out_pieces_by_size_or_raise,
)
from playproof.generator.sheets.marks import GAP, LENGTH, place_ruler_and_note_where_room
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.printer import Printer
from playproof.generator.sheets.slots import (
    Size,
    Spacing,
    assign_cards_to_slots_in_sequence,
    build_fullest_centred_grid,
    copy_grid_shrunk_to_card_count,
)
from playproof.generator.wording import SheetWording

StockKind = Literal["cards", "board", "net", "page"]
MARKS = GAP + LENGTH  # mm that the crop marks of a block reach beyond its bleed
MARGIN = 5.0  # mm at the sides of a common sheet
FOOT = 12.0  # mm at the foot of a common sheet for its ruler and its line of text
STOCKS: tuple[StockKind, ...] = ("cards", "page", "board", "net")  # in the order they are printed


@dataclass(frozen=True, slots=True)
class ProductToPrint:
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

    stock: StockKind
    duplex: bool
    instead_of: str = ""  # the title of the product that this part is an alternative to
    titles: list[str] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    layouts: list[SheetLayout] = field(default_factory=list)
    common: int = 0  # sheets that hold leftovers of several sizes
    tiled: list[tuple[Piece, Plan]] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)

    @property
    def paper_sheet_count(self) -> int:
        """The number of sheets of paper."""
        return len(self.pages) // 2 if self.duplex else len(self.pages)


class PartKey(NamedTuple):
    """What sheets have in common that are printed together."""

    stock: StockKind
    duplex: bool
    instead_of: str


DrawSheet = Callable[[str], list[Page]]
"""Draws one sheet of paper, one page or two, with these words as its number."""


def lay_out_products_on_fewest_sheets(
    products: Iterable[ProductToPrint], *, title: str = "", printer: Printer | None = None, language: str = "en"
) -> list[StockSheets]:
    """Return the sheets of all products, in parts by the stock they are printed on. The sheets of paper are numbered
    through all parts. Raises InputError as `impose_pieces_on_pages` does."""
    groups: dict[PartKey, list[ProductToPrint]] = {}
    for product in products:
        for wanted in _split_pieces_with_and_without_backs(product):
            key = PartKey(choose_paper_stock_for_pieces(wanted), _is_printed_on_both_sides(wanted), wanted.instead_of)
            groups.setdefault(key, []).append(wanted)
    say = SheetWording(language)
    parts = [
        _lay_out_part_and_list_sheet_drawers(key, groups[key], title, printer or Printer(), say)
        for key in sorted(groups, key=_build_print_order_key_of_part)
    ]
    total = sum(len(sheets) for _, sheets in parts)
    number = 0
    for part, sheets in parts:
        for draw_sheet in sheets:
            number += 1
            part.pages += draw_sheet(say("sheet", n=number, of=total))
    return [part for part, _ in parts]


def _build_print_order_key_of_part(key: PartKey) -> tuple[bool, int, bool]:
    """Alternatives come last; then by stock, and what is printed on both sides first."""
    return bool(key.instead_of), STOCKS.index(key.stock), not key.duplex


def _split_pieces_with_and_without_backs(product: ProductToPrint) -> list[ProductToPrint]:
    """Split a product into pieces with backs and pieces without, which are printed differently."""
    if product.tiled:
        return [product]
    halves = [tuple(p for p in product.pieces if (p.back is not None) == backs) for backs in (True, False)]
    return [replace(product, pieces=half) for half in halves if half]


def choose_paper_stock_for_pieces(product: ProductToPrint) -> StockKind:
    """Return the stock for the pieces: card, paper to glue on board, stiff paper for nets, or plain
    paper."""
    if product.tiled or any(piece.front.outline is not None for piece in product.pieces):
        return "board"
    if any(piece.net for piece in product.pieces):
        return "net"
    return "cards" if _is_printed_on_both_sides(product) else "page"


def _is_printed_on_both_sides(product: ProductToPrint) -> bool:
    return not product.tiled and product.plan.backs == "duplex" and any(piece.back for piece in product.pieces)


def _lay_out_part_and_list_sheet_drawers(
    key: PartKey, products: Sequence[ProductToPrint], title: str, printer: Printer, say: SheetWording
) -> tuple[StockSheets, list[DrawSheet]]:
    """Return a part without its pages, and what draws each of its sheets of paper."""
    part = StockSheets(*key, list(dict.fromkeys(product.title for product in products)))
    note = " · ".join(word for word in (title, say(f"stock {key.stock}")) if word)
    sheets: list[DrawSheet] = []
    blocks: list[tuple[ImpositionJob, SheetLayout]] = []
    for plan, pieces in _group_untiled_pieces_by_plan(products).items():
        part.plans.append(plan)
        job = ImpositionJob(plan, note, printer, say)
        for layout in lay_out_pieces_by_size_or_raise(pieces, plan):
            part.layouts.append(layout)
            full, rest = (
                _count_full_sheets_and_lay_out_remainder(layout)
                if plan.can_mix_card_sizes
                else (len(layout.sheets), None)
            )
            sheets += (_create_function_drawing_full_sheet(job, layout, number) for number in range(full))
            if rest is not None:
                blocks.append((job, rest))
    common = _distribute_blocks_tallest_first(blocks)
    part.common = sum(len(sheet) > 1 for sheet in common)
    sheets += (_create_function_drawing_common_sheet(sheet, key.duplex) for sheet in common)
    for product in products:
        for piece in product.pieces if product.tiled else ():
            part.tiled.append((piece, product.plan))
            sheets += _iter_functions_drawing_board_tiles(piece, product.plan, note, say.language)
    return part, sheets


def _create_function_drawing_full_sheet(job: ImpositionJob, layout: SheetLayout, sheet_index: int) -> DrawSheet:
    return lambda name: build_pages_of_numbered_sheets(job._replace(sheet_name=name), layout, [sheet_index])


def _create_function_drawing_common_sheet(
    blocks: Sequence[tuple[ImpositionJob, SheetLayout]], duplex: bool
) -> DrawSheet:
    return lambda name: _build_common_sheet_pages(blocks, name, duplex)


def _iter_functions_drawing_board_tiles(piece: Piece, plan: Plan, note: str, language: str) -> Iterator[DrawSheet]:
    """Yield what draws each tile of a board; a board of several copies is drawn as often."""

    def draw_tile(draw: Callable[[str], Page]) -> DrawSheet:
        return lambda name: [draw(f"{note} · {name}")]

    yield from map(draw_tile, list_tile_drawers_of_all_copies(piece, plan, language=language))


def _group_untiled_pieces_by_plan(products: Sequence[ProductToPrint]) -> dict[Plan, list[Piece]]:
    """Return the pieces that are not boards, grouped by plan."""
    plans: dict[Plan, list[Piece]] = {}
    for product in products:
        if not product.tiled:
            plans.setdefault(product.plan.model_copy(update={"name": "", "description": ""}), []).extend(product.pieces)
    return plans


def _count_full_sheets_and_lay_out_remainder(layout: SheetLayout) -> tuple[int, SheetLayout | None]:
    """Return the number of full sheets, and a layout of the remaining cards, on upright paper if
    they fit; None if none remain."""
    slots = build_fullest_centred_grid(
        layout.sheet, layout.size, _make_spacing_with_gutter_of_layout(layout)
    ).slot_count
    full = len(layout.cards) // slots
    rest = layout.cards[full * slots :]
    if not rest:
        return full, None
    sheet = Size(min(layout.sheet), max(layout.sheet))
    grid = build_fullest_centred_grid(sheet, layout.size, _make_spacing_with_gutter_of_layout(layout))
    if grid.slot_count < len(rest):  # it needs the paper on its side
        sheet, grid = layout.sheet, layout.grid
    grid = copy_grid_shrunk_to_card_count(grid, len(rest))
    backed = any(piece.back for piece in rest)
    sheets = assign_cards_to_slots_in_sequence(len(rest), grid.slot_count)
    return full, layout._replace(sheet=sheet, grid=grid, cards=rest, sheets=sheets, backed=backed)


def _make_spacing_with_gutter_of_layout(layout: SheetLayout) -> Spacing:
    return Spacing(MARGIN, layout.bleed, layout.grid.between - 2 * layout.bleed)


def _distribute_blocks_tallest_first(
    blocks: Sequence[tuple[ImpositionJob, SheetLayout]],
) -> list[list[tuple[ImpositionJob, SheetLayout]]]:
    """Distribute blocks to sheets: the tallest first, each on the first sheet with room below its
    other blocks."""
    sheets: list[list[tuple[ImpositionJob, SheetLayout]]] = []
    for job, layout in sorted(blocks, key=lambda block: -_measure_height_of_block_with_marks(block[1])):
        for sheet in sheets:
            if (
                sheet[0][1].sheet == layout.sheet
                and _sum_block_heights_on_sheet(sheet) + _measure_height_of_block_with_marks(layout)
                <= layout.sheet.height - FOOT
            ):
                sheet.append((job, layout))
                break
        else:
            sheets.append([(job, layout)])
    return sheets


def _measure_height_of_block_with_marks(layout: SheetLayout) -> float:
    return layout.grid.bounds_of_all_trims.height + 2 * layout.bleed + (0.0 if layout.has_only_nets else 2 * MARKS)


def _sum_block_heights_on_sheet(sheet: Sequence[tuple[ImpositionJob, SheetLayout]]) -> float:
    return sum(_measure_height_of_block_with_marks(layout) for _, layout in sheet)


def _build_common_sheet_pages(
    blocks: Sequence[tuple[ImpositionJob, SheetLayout]], sheet_name: str, duplex: bool
) -> list[Page]:
    """Return the one or two pages of a common sheet."""
    placed = list(blocks) if len(blocks) == 1 else _place_blocks_evenly_below_each_other(blocks)
    sides = [build_one_or_two_sides_of_sheet(job, layout, 0) for job, layout in placed]
    return [
        _build_one_side_of_common_sheet(placed, [side[at] for side in sides if at < len(side)], sheet_name, duplex)
        for at in range(2 if duplex else 1)
    ]


def _place_blocks_evenly_below_each_other(
    blocks: Sequence[tuple[ImpositionJob, SheetLayout]],
) -> list[tuple[ImpositionJob, SheetLayout]]:
    """Stack the blocks and divide the remaining height evenly between them."""
    sheet = blocks[0][1].sheet
    spare = (sheet.height - FOOT - _sum_block_heights_on_sheet(blocks)) / (len(blocks) + 1)
    top, placed = spare, []
    for job, layout in blocks:
        marks = 0.0 if layout.has_only_nets else MARKS
        grid = layout.grid._replace(origin=(layout.grid.origin[0], top + marks + layout.bleed))
        placed.append((job, layout._replace(grid=grid)))
        top += _measure_height_of_block_with_marks(layout) + spare
    return placed


def _build_one_side_of_common_sheet(
    placed: Sequence[tuple[ImpositionJob, SheetLayout]], sides: Sequence[SheetSide], sheet_name: str, duplex: bool
) -> Page:
    job, first = placed[0]
    placements: list[Placement] = []
    drawn: list[Use] = []
    printed: list[Rect] = []
    marks = tuple(mark.translate(*side.shift) for side in sides for mark in side.marks)
    for (_, layout), side in zip(placed, sides, strict=True):
        for face, slot in side.faces:
            place = slot.translate(*side.shift).transform
            placements.append(Placement(face, place, min(face.bleed, layout.bleed)))
        drawn += draw_hairlines_around_unusual_fronts(side) if job.plan.marks else ()
        printed.append(layout.grid.bounds_of_all_trims.expand(layout.bleed).translate(*side.shift))
    side_name = job.say(sides[0].name) if duplex or first.folded is not None else ""
    note = " · ".join(word for word in (job.title, sheet_name, side_name) if word)
    notes = place_ruler_and_note_where_room(first.sheet, printed, marks, note, job.plan.ruler)
    crop = (Use(build_symbol_of_cut_and_fold_marks(first.sheet, marks, ())),) if marks else ()
    return Page(*first.sheet, tuple(placements), (*drawn, *crop, *notes), label=f"{sides[0].name} {sheet_name}")

"""Pages of instructions: the first pages of a "Print me" file (the contents, the paper, the order), and for
any sheets how to print, cut, fold and assemble them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from playproof.generator.scene import (
    BLACK,
    Colour,
    Glyphs,
    Group,
    Node,
    Page,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_circle_path,
    build_line_path,
    build_rectangle_path,
)
from playproof.generator.sheets.boards import (
    add_tiling_diagram_if_column_has_room,
    list_cutting_and_gluing_steps_of_board,
    split_board_into_tiles_or_raise,
)
from playproof.generator.sheets.gang_sheets import StockSheets
from playproof.generator.sheets.imposition import SheetLayout, lay_out_pieces_by_size_or_raise
from playproof.generator.sheets.marks import RULER, build_ruler_nodes
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import Paper, Plan
from playproof.generator.sheets.slots import Grid, Size
from playproof.generator.sheets.text_columns import MARGIN, InstructionColumn
from playproof.generator.type.shaping import iter_lines_wrapped_to_width, typeset_anchored_text_line
from playproof.generator.wording import SheetWording

# -- printme -------------------------------------------------------------------------------------------------
# The first pages of a "Print me" file: the contents, the paper, the order, and how to cut.

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

    def get_column_being_filled(self) -> InstructionColumn:
        """Return the page that is being filled."""
        return self.columns[-1]

    def begin_new_page_column_with_title(self) -> InstructionColumn:
        """Begin a new page with the title on it."""
        self.columns.append(InstructionColumn(self.paper.portrait, self.title))
        return self.columns[-1]

    def build_pages_of_columns(self) -> list[Page]:
        """Return all pages."""
        return [
            Page(*self.paper.portrait, (), tuple(column.nodes), label=f"instructions {number}")
            for number, column in enumerate(self.columns, 1)
        ]


def build_pages_of_instructions_and_sheets(
    parts: Sequence[StockSheets], paper: Paper, contents: PrintMeContents, *, language: str = "en"
) -> list[Page]:
    """Return the whole file: the instructions, then the sheets of every part in order."""
    first = _build_print_me_instructions(parts, paper, contents, language, 1)
    # page numbers depend on how many there are
    made = _build_print_me_instructions(parts, paper, contents, language, len(first) + 1)
    return [*made, *(page for part in parts for page in part.pages)]


def _build_print_me_instructions(
    parts: Sequence[StockSheets], paper: Paper, contents: PrintMeContents, language: str, first_sheet_page: int
) -> list[Page]:
    book = PrintMePages(paper, contents, language)
    page, say = book.begin_new_page_column_with_title(), book.say
    page.add_heading_below_text(say("what you get"))
    for text in contents.counted:
        page.add_unnumbered_sentence(text)
    for key, things in (("also", contents.also), ("booklets", contents.booklets)):
        if things:
            page.add_unnumbered_sentence(say(key, **{"things" if key == "also" else "titles": ", ".join(things)}))
    page.add_heading_below_text(say("print"))
    both_sides = [say("offset")] if any(part.duplex for part in parts) else []
    page.add_numbered_steps(
        [_format_total_sheet_count(parts, paper, say), say("size"), say("all first"), *both_sides, say("order")]
    )
    number, sheet = first_sheet_page, 1
    for part in parts:
        page.add_unnumbered_sentence(_format_page_and_sheet_range_of_part(part, number, sheet, say), bold=True)
        page.add_unnumbered_sentence(_format_paper_and_flip_of_part(part, say))
        number += len(part.pages)
        sheet += part.paper_sheet_count
    page.add_drawing_below_text(build_ruler_nodes(), RULER)
    for part in parts:
        _add_cutting_instructions_of_part(book, part)
    return book.build_pages_of_columns()


def _format_total_sheet_count(parts: Sequence[StockSheets], paper: Paper, wording: SheetWording) -> str:
    both = sum(part.paper_sheet_count for part in parts if part.duplex)
    sheets = sum(part.paper_sheet_count for part in parts)
    duplex = wording("of both one") if both == 1 else wording("of both", n=both)
    counted = wording.format_count_with_noun("paper", sheets)
    if not both:
        return wording("together one side", sheets=counted, paper=paper.name)
    return wording("together", sheets=counted, paper=paper.name, duplex=duplex)


def _format_page_and_sheet_range_of_part(
    part: StockSheets, first_page: int, first_sheet: int, wording: SheetWording
) -> str:
    """Return which pages of the file and which sheets of paper a part takes, and what is on them."""
    last_page, last_sheet = first_page + len(part.pages) - 1, first_sheet + part.paper_sheet_count - 1
    pages = wording("page range" if last_page > first_page else "page at", first=first_page, last=last_page)
    sheets = wording("sheet range" if last_sheet > first_sheet else "sheet at", first=first_sheet, last=last_sheet)
    line = wording("part", pages=pages, sheets=sheets, titles=JOINED.join(part.titles))
    return line + " " + wording("instead", title=part.instead_of) if part.instead_of else line


def _format_paper_and_flip_of_part(part: StockSheets, wording: SheetWording) -> str:
    flip = part.plans[0].flip if part.plans else "long"
    key = f"paper {part.stock}" + (" both" if part.stock == "board" and part.duplex else "")
    return wording(key, flip=wording(f"{flip} edge"))


def _add_cutting_instructions_of_part(book: PrintMePages, part: StockSheets) -> None:
    """Add how one part is cut, with a picture of each kind of its sheets."""
    say = book.say
    if book.get_column_being_filled().y + NEEDS > book.paper.portrait.height - MARGIN:
        book.begin_new_page_column_with_title()
    page = book.get_column_being_filled()
    page.add_heading_below_text(say("how", title=JOINED.join(part.titles)))
    pieces = [piece for layout in part.layouts for piece in layout.cards]
    if part.stock == "net":
        page.add_numbered_steps(list_net_folding_steps(pieces, say))
        _add_one_small_net_of_each_size(book, pieces)
    elif part.layouts:
        common = [say("common")] if part.common else []
        page.add_numbered_steps([*list_sheet_cutting_steps(part.plans[0], part.layouts, say), *common])
        _add_rows_of_sheet_pictures(book, part.layouts)
    for (piece, plan), others in _list_firsts_and_count_distinct_others(part.tiled, lambda tiled: tiled[0].size):
        _add_instructions_of_board(book, piece, plan, others)


def _add_rows_of_sheet_pictures(book: PrintMePages, layouts: Sequence[SheetLayout]) -> None:
    """Draw sheets with their cuts side by side, in rows."""
    row: list[SheetLayout] = []
    across = max(1, int((book.get_column_being_filled().width + APART) / (PICTURE.width + APART)))
    for layout in layouts:
        row.append(layout)
        if len(row) == across:
            _add_one_row_of_sheet_pictures(book, row)
            row = []
    if row:
        _add_one_row_of_sheet_pictures(book, row)


def _add_one_small_net_of_each_size(book: PrintMePages, pieces: Sequence[Piece]) -> None:
    """Draw one small net of each kind and size. Solid lines are cut, dashed lines folded."""
    alike = _list_firsts_and_count_distinct_others(pieces, lambda piece: (piece.net, piece.size))
    across = max(1, int((book.get_column_being_filled().width + NET_APART) / (PICTURE.width + NET_APART)))
    for at in range(0, len(alike), across):
        row = [piece for piece, _ in alike[at : at + across]]
        fitted = [min(PICTURE.width / piece.size.width, PICTURE.height / piece.size.height, 1.0) for piece in row]
        tallest = max(piece.size.height * scale for piece, scale in zip(row, fitted, strict=True))
        if book.get_column_being_filled().y + tallest + APART > book.paper.portrait.height - MARGIN:
            book.begin_new_page_column_with_title()
        page = book.get_column_being_filled()
        left = MARGIN + 6
        for (piece, others), scale in zip(alike[at : at + across], fitted, strict=True):
            place = Transform(scale, 0, 0, scale, left, page.y)
            drawn = tuple(_iter_nodes_without_unreadable_type(piece.front.nodes, scale))
            symbol = Symbol(f"net {piece.name}", piece.front.trim, drawn, picture=True)
            page.nodes.append(Use(symbol, place))
            below = page.y + piece.size.height * scale + 4
            for words in iter_lines_wrapped_to_width(
                _format_piece_caption(piece, others, book.say), PICTURE.width, CAPTION
            ):
                page.nodes.append(typeset_anchored_text_line(words, left, below, CAPTION))
                below += CAPTION_LEADING
            left += PICTURE.width + NET_APART
        page.y += tallest + APART


def _iter_nodes_without_unreadable_type(nodes: Sequence[Node], scale: float) -> Iterator[Node]:
    """Yield the nodes of a picture that is drawn at a scale, without lines of type that nobody could read."""
    for node in nodes:
        if isinstance(node, Glyphs) and node.size * scale < LEAST_TYPE:
            continue
        if isinstance(node, Group):
            larger = scale * math.sqrt(abs(node.transform.a * node.transform.d - node.transform.b * node.transform.c))
            node = node._replace(children=tuple(_iter_nodes_without_unreadable_type(node.children, larger)))
        yield node


def _add_one_row_of_sheet_pictures(book: PrintMePages, layouts: Sequence[SheetLayout]) -> None:
    if book.get_column_being_filled().y + PICTURE.height + APART > book.paper.portrait.height - MARGIN:
        book.begin_new_page_column_with_title()
    page = book.get_column_being_filled()
    left, top = MARGIN + 12, page.y + 8
    for layout in layouts:
        scale = min(PICTURE.width / layout.sheet.width, PICTURE.height / layout.sheet.height)
        page.nodes.append(
            Group(tuple(build_small_sheet_picture_with_cuts(layout, scale, 0.0, 0.0)), Transform.move(left, top))
        )
        size = book.say("size of", width=f"{layout.size.width:g}", height=f"{layout.size.height:g}")
        page.nodes.append(typeset_anchored_text_line(size, left, top + layout.sheet.height * scale + 4, CAPTION))
        left += PICTURE.width + APART
    page.y = top + PICTURE.height + 10


def _list_firsts_and_count_distinct_others(
    items: Sequence[Thing], get_kind: Callable[[Thing], object]
) -> list[tuple[Thing, int]]:
    """Return the first thing of each kind, with the number of other things of that kind."""
    kinds: dict[object, list[Thing]] = {}
    for thing in items:
        kinds.setdefault(get_kind(thing), []).append(thing)
    return [(first, len({id(other) for other in others} - {id(first)})) for first, *others in kinds.values()]


def _format_piece_caption(piece: Piece, similar_count: int, wording: SheetWording) -> str:
    """Return a picture's caption: the piece, and how many other pieces are cut like it."""
    return wording("alike", name=piece.label, n=similar_count) if similar_count else piece.label


def _add_instructions_of_board(book: PrintMePages, piece: Piece, plan: Plan, similar_count: int) -> None:
    tiling = split_board_into_tiles_or_raise(piece.front, piece, plan)
    if book.get_column_being_filled().y + TILED.height + 30 > book.paper.portrait.height - MARGIN:
        book.begin_new_page_column_with_title()
    page = book.get_column_being_filled()
    page.add_unnumbered_sentence(_format_piece_caption(piece, similar_count, book.say), bold=True)
    page.add_numbered_steps(list_cutting_and_gluing_steps_of_board(tiling, book.say))
    if len(tiling.tiles) > 1:
        add_tiling_diagram_if_column_has_room(page, tiling, piece.size, TILED)


# The page of instructions for the sheets: how to print them at size, cut, fold and assemble them.

HAND, SMALL = 145.0, 40.0  # mm, the longest and the shortest side of what is still called a card
DIAGRAM = Size(100.0, 100.0)  # mm, the box a sheet's picture is drawn into
STICKERS = "stickers"
NUMBER_APART = 4.0  # mm between the circles of two numbers in one row
THIN, FOLD = Stroke(BLACK, 0.2), Stroke(BLACK, 0.35, dash=(1.2, 0.8))
CUT = Stroke(Colour(0.75, 0.15, 0.1), 0.35)
CARD = Colour(0.9, 0.93, 0.96)


def build_instructions_page_for_sheets(
    pieces: Sequence[Piece], plan: Plan, *, title: str, language: str = "en"
) -> Page:
    """Return one page for these sheets. Its drawing shows the first card size as the example."""
    say = SheetWording(language)
    made = lay_out_pieces_by_size_or_raise(pieces, plan)
    page = InstructionColumn(plan.paper.portrait, title)
    page.add_heading_below_text(say("print"))
    page.add_numbered_steps(_list_printing_steps(plan, made, say))
    page.add_drawing_below_text(build_ruler_nodes(), RULER)
    if all(piece.net for piece in pieces):
        folded = any(piece.net != STICKERS for piece in pieces)
        page.add_heading_below_text(say("cut, fold, glue") if folded else say("cut"))
        page.add_numbered_steps(list_net_folding_steps(pieces, say))
    else:
        page.add_heading_below_text(say("fold, glue, cut") if plan.backs == "gutterfold" else say("cut"))
        page.add_numbered_steps(list_sheet_cutting_steps(plan, made, say))
        _add_sheet_diagram_if_column_has_room(page, made[0])
    return Page(*plan.paper.portrait, (), tuple(page.nodes), label="instructions")


def list_net_folding_steps(pieces: Sequence[Piece], wording: SheetWording) -> list[str]:
    """Return the steps to cut, fold and glue nets of these kinds."""
    kinds = list(dict.fromkeys(piece.net for piece in pieces))
    if kinds == [STICKERS]:
        return [wording("glue stickers")]
    return [wording("net cut"), wording("net fold"), *(wording(f"glue {kind}") for kind in kinds)]


def list_cut_directions_and_positions(grid: Grid) -> tuple[tuple[str, float], ...]:
    """Return every cut, full-width ones first: across the sheet from the top, then down the strips
    from the left."""
    return (*(("across", y) for y in grid.y_of_horizontal_cuts), *(("down", x) for x in grid.x_of_vertical_cuts))


def _list_printing_steps(plan: Plan, sheet_layouts: Sequence[SheetLayout], wording: SheetWording) -> list[str]:
    sheets = sum(len(layout.sheets) for layout in sheet_layouts)
    cards = [piece for layout in sheet_layouts for piece in layout.cards]
    things = wording.format_count_with_noun("card" if all(map(_is_piece_called_a_card, cards)) else "piece", len(cards))
    steps = [
        wording("count", things=things, sheets=wording.format_count_with_noun("paper", sheets), paper=plan.paper.name),
        wording("size"),
    ]
    if plan.backs == "duplex" and any(piece.back for piece in cards):
        steps += [wording(plan.flip), wording("offset")]
    if plan.low_ink:
        steps.append(wording("low ink"))
    return [*steps, wording("ruler")]


def _is_piece_called_a_card(piece: Piece) -> bool:
    """Return whether a reader would call it a card: flat, not round, and small enough for a
    hand."""
    return not piece.net and piece.front.outline is None and max(piece.size) <= HAND and min(piece.size) >= SMALL


def list_sheet_cutting_steps(plan: Plan, sheet_layouts: Sequence[SheetLayout], wording: SheetWording) -> list[str]:
    steps = []
    if plan.backs == "gutterfold":
        steps += [wording("score"), wording("press")]
    if plan.order == "stack":
        steps.append(wording("pile"))
    steps += [wording("rule"), wording("shared" if sheet_layouts[0].grid.between == 0 else "apart")]
    fronts = [piece.front for layout in sheet_layouts for piece in layout.cards]
    if any(front.is_round for front in fronts):
        steps.append(wording("round", sizes=_format_round_piece_diameters_in_mm(sheet_layouts)))
    if any(front.outline is not None and not front.is_round for front in fronts):
        steps.append(wording("outlined"))
    if plan.order == "stack":
        steps.append(wording("stack"))
    return steps


def _format_round_piece_diameters_in_mm(sheet_layouts: Sequence[SheetLayout]) -> str:
    """Return the diameters of the round pieces, smallest first, for readers who own a punch."""
    sizes = {piece.size.width for layout in sheet_layouts for piece in layout.cards if piece.front.is_round}
    return ", ".join(f"{size:g}" for size in sorted(sizes))


def _add_sheet_diagram_if_column_has_room(column: InstructionColumn, layout: SheetLayout) -> None:
    """Draw the sheet small, with its cuts numbered in order."""
    left, top = MARGIN + 14, column.y + 8
    room = column.compute_size_left_for_drawing(left, top, DIAGRAM)
    scale = min(room.width / layout.sheet.width, room.height / layout.sheet.height)
    if scale <= 0:  # small paper, full of text
        return
    column.nodes += build_small_sheet_picture_with_cuts(layout, scale, left, top)
    column.y = top + layout.sheet.height * scale + 6


def build_small_sheet_picture_with_cuts(layout: SheetLayout, scale: float, left: float, top: float) -> list[Node]:
    sheet, grid = layout.sheet, layout.grid
    width, height = sheet.width * scale, sheet.height * scale
    nodes: list[Node] = [build_rectangle_path(Rect(left, top, width, height), stroke=THIN)]
    slots = [grid.get_slot_at_index(i).trim for i in range(grid.slot_count)]
    if layout.folded is not None:
        slots += [layout.folded.get_slot_of_back_folding_onto(i).trim for i in range(grid.slot_count)]
        fold = layout.folded.fold_line
        ends = (left + fold.x1 * scale, top + fold.y1 * scale, left + fold.x2 * scale, top + fold.y2 * scale)
        nodes.append(build_line_path(*ends, FOLD))
    for trim in slots:
        card = Rect(left + trim.x * scale, top + trim.y * scale, trim.width * scale, trim.height * scale)
        nodes.append(build_rectangle_path(card, CARD))
    last_numbered: dict[tuple[str, bool], float] = {}
    for number, (way, at) in enumerate(list_cut_directions_and_positions(grid), 1):
        cuts = grid.x_of_vertical_cuts if way == "down" else grid.y_of_horizontal_cuts
        step_out = grid.between > 0 and cuts.index(at) % 2 == 1
        before = last_numbered.get((way, step_out))
        has_room = before is None or abs(at - before) * scale >= NUMBER_APART
        if has_room:
            last_numbered[way, step_out] = at
        label = str(number) if has_room else ""
        nodes += _build_numbered_cut_line(label, way, at * scale, Rect(left, top, width, height), step_out)
    return nodes


def _build_numbered_cut_line(
    label: str, direction: str, position: float, sheet: Rect, is_number_farther_out: bool
) -> list[Node]:
    """Draw a red line over the small sheet, with its number in a circle beyond the edge; without one if its
    neighbours leave no room for it."""
    away = 7.4 if is_number_farther_out else 3.2
    if direction == "across":
        cut = build_line_path(sheet.x, sheet.y + position, sheet.right, sheet.y + position, CUT)
        x, y = sheet.x - away, sheet.y + position
    else:
        cut = build_line_path(sheet.x + position, sheet.y, sheet.x + position, sheet.bottom, CUT)
        x, y = sheet.x + position, sheet.y - away
    if not label:
        return [cut]
    return [
        cut,
        build_circle_path(x, y, 1.9, stroke=THIN),
        typeset_anchored_text_line(label, x, y + 0.8, 6.5, anchor="middle"),
    ]

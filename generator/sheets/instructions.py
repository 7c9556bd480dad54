"""The page of instructions for the sheets: how to print them at size, cut, fold and assemble
them."""

from __future__ import annotations

from collections.abc import Sequence

from playproof.generator.scene import BLACK, Colour, Node, Page, Rect, Stroke, circle, line, rectangle
from playproof.generator.sheets.column import MARGIN, InstructionColumn
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.grid import Grid
from playproof.generator.sheets.impose import SheetLayout, lay_out_pieces
from playproof.generator.sheets.lettering import set_text_line
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.ruler import RULER, draw_ruler
from playproof.generator.wording import SheetWording

HAND, SMALL = 145.0, 40.0  # mm, the longest and the shortest side of what is still called a card
DIAGRAM = Size(100.0, 100.0)  # mm, the box a sheet's picture is drawn into
STICKERS = "stickers"
NUMBER_APART = 4.0  # mm between the circles of two numbers in one row
THIN, FOLD = Stroke(BLACK, 0.2), Stroke(BLACK, 0.35, dash=(1.2, 0.8))
CUT = Stroke(Colour(0.75, 0.15, 0.1), 0.35)
CARD = Colour(0.9, 0.93, 0.96)


def build_instructions_page(pieces: Sequence[Piece], plan: Plan, *, title: str, language: str = "en") -> Page:
    """Return one page for these sheets. Its drawing shows the first card size as the example."""
    say = SheetWording(language)
    made = lay_out_pieces(pieces, plan)
    page = InstructionColumn(plan.paper.portrait, title)
    page.add_heading(say("print"))
    page.add_numbered_steps(_list_printing_steps(plan, made, say))
    page.add_drawing(draw_ruler(), RULER)
    if all(piece.net for piece in pieces):
        folded = any(piece.net != STICKERS for piece in pieces)
        page.add_heading(say("cut, fold, glue") if folded else say("cut"))
        page.add_numbered_steps(list_folding_steps(pieces, say))
    else:
        page.add_heading(say("fold, glue, cut") if plan.backs == "gutterfold" else say("cut"))
        page.add_numbered_steps(list_cutting_steps(plan, made, say))
        _draw_sheet_diagram(page, made[0])
    return Page(*plan.paper.portrait, (), tuple(page.nodes), label="instructions")


def list_folding_steps(pieces: Sequence[Piece], say: SheetWording) -> list[str]:
    """Return the steps to cut, fold and glue nets of these kinds."""
    kinds = list(dict.fromkeys(piece.net for piece in pieces))
    if kinds == [STICKERS]:
        return [say("glue stickers")]
    return [say("net cut"), say("net fold"), *(say(f"glue {kind}") for kind in kinds)]


def list_cuts_in_order(grid: Grid) -> tuple[tuple[str, float], ...]:
    """Return every cut, full-width ones first: across the sheet from the top, then down the strips
    from the left."""
    return (*(("across", y) for y in grid.cuts_y), *(("down", x) for x in grid.cuts_x))


def _list_printing_steps(plan: Plan, sheet_layouts: Sequence[SheetLayout], say: SheetWording) -> list[str]:
    sheets = sum(len(layout.sheets) for layout in sheet_layouts)
    cards = [piece for layout in sheet_layouts for piece in layout.cards]
    things = say.format_count("card" if all(map(_is_card, cards)) else "piece", len(cards))
    steps = [
        say("count", things=things, sheets=say.format_count("paper", sheets), paper=plan.paper.name),
        say("size"),
    ]
    if plan.backs == "duplex" and any(piece.back for piece in cards):
        steps += [say(plan.flip), say("offset")]
    if plan.low_ink:
        steps.append(say("low ink"))
    return [*steps, say("ruler")]


def _is_card(piece: Piece) -> bool:
    """Return whether a reader would call it a card: flat, not round, and small enough for a
    hand."""
    return (
        not piece.net and piece.front.outline is None and max(piece.size) <= HAND and min(piece.size) >= SMALL
    )


def list_cutting_steps(plan: Plan, sheet_layouts: Sequence[SheetLayout], say: SheetWording) -> list[str]:
    steps = []
    if plan.backs == "gutterfold":
        steps += [say("score"), say("press")]
    if plan.order == "stack":
        steps.append(say("pile"))
    steps += [say("rule"), say("shared" if sheet_layouts[0].grid.between == 0 else "apart")]
    fronts = [piece.front for layout in sheet_layouts for piece in layout.cards]
    if any(front.is_round for front in fronts):
        steps.append(say("round", sizes=_format_punch_diameters(sheet_layouts)))
    if any(front.outline is not None and not front.is_round for front in fronts):
        steps.append(say("outlined"))
    if plan.order == "stack":
        steps.append(say("stack"))
    return steps


def _format_punch_diameters(sheet_layouts: Sequence[SheetLayout]) -> str:
    """Return the diameters of the round pieces, smallest first, for readers who own a punch."""
    sizes = {piece.size.width for layout in sheet_layouts for piece in layout.cards if piece.front.is_round}
    return ", ".join(f"{size:g}" for size in sorted(sizes))


def _draw_sheet_diagram(page: InstructionColumn, layout: SheetLayout) -> None:
    """Draw the sheet small, with its cuts numbered in order."""
    left, top = MARGIN + 14, page.y + 8
    room = page.compute_room_for_drawing(left, top, DIAGRAM)
    scale = min(room.width / layout.sheet.width, room.height / layout.sheet.height)
    if scale <= 0:  # small paper, full of text
        return
    page.nodes += draw_small_sheet(layout, scale, left, top)
    page.y = top + layout.sheet.height * scale + 6


def draw_small_sheet(layout: SheetLayout, scale: float, left: float, top: float) -> list[Node]:
    sheet, grid = layout.sheet, layout.grid
    width, height = sheet.width * scale, sheet.height * scale
    nodes: list[Node] = [rectangle(Rect(left, top, width, height), stroke=THIN)]
    slots = [grid.get_slot(i).trim for i in range(grid.slots)]
    if layout.folded is not None:
        slots += [layout.folded.get_back_slot(i).trim for i in range(grid.slots)]
        fold = layout.folded.line
        ends = (left + fold.x1 * scale, top + fold.y1 * scale, left + fold.x2 * scale, top + fold.y2 * scale)
        nodes.append(line(*ends, FOLD))
    for trim in slots:
        card = Rect(left + trim.x * scale, top + trim.y * scale, trim.width * scale, trim.height * scale)
        nodes.append(rectangle(card, CARD))
    last_numbered: dict[tuple[str, bool], float] = {}
    for number, (way, at) in enumerate(list_cuts_in_order(grid), 1):
        cuts = grid.cuts_x if way == "down" else grid.cuts_y
        step_out = grid.between > 0 and cuts.index(at) % 2 == 1
        before = last_numbered.get((way, step_out))
        has_room = before is None or abs(at - before) * scale >= NUMBER_APART
        if has_room:
            last_numbered[way, step_out] = at
        label = str(number) if has_room else ""
        nodes += _draw_numbered_cut(label, way, at * scale, Rect(left, top, width, height), step_out)
    return nodes


def _draw_numbered_cut(label: str, way: str, at: float, sheet: Rect, step_out: bool) -> list[Node]:
    """Draw a red line over the small sheet, with its number in a circle beyond the edge; without one if its
    neighbours leave no room for it."""
    away = 7.4 if step_out else 3.2
    if way == "across":
        cut = line(sheet.x, sheet.y + at, sheet.right, sheet.y + at, CUT)
        x, y = sheet.x - away, sheet.y + at
    else:
        cut = line(sheet.x + at, sheet.y, sheet.x + at, sheet.bottom, CUT)
        x, y = sheet.x + at, sheet.y - away
    if not label:
        return [cut]
    return [cut, circle(x, y, 1.9, stroke=THIN), set_text_line(label, x, y + 0.8, 6.5, anchor="middle")]

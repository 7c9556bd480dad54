"""The page that comes with the sheets: how to print them at size, cut, fold and assemble them."""

from __future__ import annotations

from collections.abc import Sequence

from generator.scene import BLACK, Colour, Node, Page, Rect, Stroke, circle, line, rectangle
from generator.sheets.column import MARGIN, Column
from generator.sheets.geometry import Size
from generator.sheets.grid import Grid
from generator.sheets.impose import Layout, layouts
from generator.sheets.lettering import letter
from generator.sheets.pieces import Piece
from generator.sheets.plan import Plan
from generator.sheets.ruler import RULER, ruler

DIAGRAM = Size(100.0, 100.0)  # mm, the box a sheet's picture is drawn into
THIN, FOLD = Stroke(BLACK, 0.2), Stroke(BLACK, 0.35, dash=(1.2, 0.8))
CUT = Stroke(Colour(0.75, 0.15, 0.1), 0.35)
CARD = Colour(0.9, 0.93, 0.96)


def instructions(pieces: Sequence[Piece], plan: Plan, *, title: str) -> Page:
    """One page for these sheets. The first card size is drawn as the example."""
    made = layouts(pieces, plan)
    page = Column(plan.paper.portrait, title)
    page.heading("Print")
    page.steps(_printing(plan, made))
    page.put(ruler(), RULER)
    page.heading("Fold, glue and cut" if plan.backs == "gutterfold" else "Cut")
    page.steps(_cutting(plan, made[0]))
    _diagram(page, made[0])
    return Page(*plan.paper.portrait, (), tuple(page.nodes), label="instructions")


def cuts_in_order(grid: Grid) -> tuple[tuple[str, float], ...]:
    """Every cut, full-width ones first: across the sheet from the top, then down the strips from the left."""
    return (*(("across", y) for y in grid.cuts_y), *(("down", x) for x in grid.cuts_x))


def _printing(plan: Plan, made: Sequence[Layout]) -> list[str]:
    sheets = sum(len(layout.sheets) for layout in made)
    cards = sum(len(layout.cards) for layout in made)
    steps = [f"{cards} cards on {sheets} {'sheet' if sheets == 1 else 'sheets'} of {plan.paper.name}."]
    steps.append('Print at 100\u00a0% or "actual size", never "fit to page".')
    if plan.backs == "duplex":
        steps.append(f"Print on both sides, turned on the {plan.flip} edge. Fronts and backs alternate.")
        steps.append("Are backs off? Print the calibration sheet once; later sheets are corrected.")
    if plan.low_ink:
        steps.append("This is the low-ink version.")
    steps.append("Measure the ruler of the first sheet before you print the others:")
    return steps


def _cutting(plan: Plan, layout: Layout) -> list[str]:
    grid = layout.grid
    steps = []
    if plan.backs == "gutterfold":
        steps.append("Score the dashed line with a blunt point and fold the backs away from you.")
        steps.append("Glue the halves together, press them flat under books, and let them dry.")
    if plan.order == "stack":
        steps.append("Keep the printed sheets in a pile and cut the pile as one.")
    steps.append("Lay a steel rule from mark to mark; the marks are outside the cards and fall away.")
    shared = "Neighbours share one cut." if grid.between == 0 else "There are two cuts between neighbours."
    steps.append(f"Cut in the order of the numbers: right across first, then the strips. {shared}")
    if plan.order == "stack":
        steps.append("Lay the piles on each other in reading order, the first on top.")
    return steps


def _diagram(page: Column, layout: Layout) -> None:
    """The sheet, small, with its cuts numbered in order."""
    left, top = MARGIN + 14, page.y + 8
    room = page.room(left, top, DIAGRAM)
    scale = min(room.width / layout.sheet.width, room.height / layout.sheet.height)
    if scale <= 0:  # small paper, full of text
        return
    page.nodes += _sheet_picture(layout, scale, left, top)
    page.y = top + layout.sheet.height * scale + 6


def _sheet_picture(layout: Layout, scale: float, left: float, top: float) -> list[Node]:
    sheet, grid = layout.sheet, layout.grid
    width, height = sheet.width * scale, sheet.height * scale
    nodes: list[Node] = [rectangle(Rect(left, top, width, height), stroke=THIN)]
    slots = [grid.slot(i).trim for i in range(grid.slots)]
    if layout.folded is not None:
        slots += [layout.folded.back(i).trim for i in range(grid.slots)]
        fold = layout.folded.line
        ends = (left + fold.x1 * scale, top + fold.y1 * scale, left + fold.x2 * scale, top + fold.y2 * scale)
        nodes.append(line(*ends, FOLD))
    for trim in slots:
        card = Rect(left + trim.x * scale, top + trim.y * scale, trim.width * scale, trim.height * scale)
        nodes.append(rectangle(card, CARD))
    for number, (way, at) in enumerate(cuts_in_order(grid), 1):
        step_out = grid.between > 0 and (grid.cuts_x if way == "down" else grid.cuts_y).index(at) % 2 == 1
        nodes += _numbered_cut(number, way, at * scale, Rect(left, top, width, height), step_out)
    return nodes


def _numbered_cut(number: int, way: str, at: float, sheet: Rect, step_out: bool) -> list[Node]:
    """A red line over the little sheet, and its number in a circle beyond the edge."""
    away = 7.4 if step_out else 3.2
    if way == "across":
        cut = line(sheet.x, sheet.y + at, sheet.right, sheet.y + at, CUT)
        x, y = sheet.x - away, sheet.y + at
    else:
        cut = line(sheet.x + at, sheet.y, sheet.x + at, sheet.bottom, CUT)
        x, y = sheet.x + at, sheet.y - away
    return [cut, circle(x, y, 1.9, stroke=THIN), letter(str(number), x, y + 0.8, 6.5, anchor="middle")]

"""The page that explains how to put a tiled board together."""

from __future__ import annotations

from playproof.generator.scene import BLACK, Colour, Node, Page, Rect, Stroke, line, rectangle
from playproof.generator.sheets.boards import split_board_into_tiles
from playproof.generator.sheets.column import MARGIN, InstructionColumn
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.lettering import BOLD, set_text_line
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.ruler import RULER, draw_ruler
from playproof.generator.sheets.tiles import Tiling
from playproof.generator.wording import SheetWording

DIAGRAM = Size(110.0, 110.0)  # mm, the box the board is drawn into
EDGE, GLUE = Stroke(BLACK, 0.3), Colour(0.85, 0.87, 0.9)
CUT = Stroke(Colour(0.75, 0.15, 0.1), 0.5)
NAME = 14.0  # pt


def build_assembly_page(piece: Piece, plan: Plan, *, title: str, language: str = "en") -> Page:
    """Return the page for one board. Raises InputError if the paper leaves no room for its
    tiles."""
    say = SheetWording(language)
    tiling = split_board_into_tiles(piece.front, piece, plan)
    page = InstructionColumn(plan.paper.portrait, title)
    page.add_heading(say("print"))
    sheets = say.format_count("paper", len(tiling.tiles) * piece.count)
    page.add_numbered_steps([say("board count", sheets=sheets, paper=plan.paper.name), say("ruler")])
    page.add_drawing(draw_ruler(), RULER)
    page.add_heading(say("cut, glue" if len(tiling.tiles) > 1 else "cut"))
    page.add_numbered_steps(list_gluing_steps(tiling, say))
    draw_tiling_diagram(page, tiling, piece.size, DIAGRAM)
    return Page(*plan.paper.portrait, (), tuple(page.nodes), label="assembly")


def list_gluing_steps(tiling: Tiling, say: SheetWording) -> list[str]:
    if len(tiling.tiles) == 1:
        return [say("four edges")]
    return [say("thin marks"), say("begin"), say("overlap", overlap=f"{tiling.overlap:g}"), say("rows")]


def draw_tiling_diagram(page: InstructionColumn, tiling: Tiling, board: Size, max_size: Size) -> None:
    """Draw the board small: tiles with their names, glue strips grey, cut edges red."""
    left, top = MARGIN + 6, page.y + 2
    room = page.compute_room_for_drawing(left, top, max_size)
    scale = min(room.width / board.width, room.height / board.height)
    if scale <= 0:  # small paper, full of text
        return
    for tile in tiling.tiles:
        part = tile.part
        box = Rect(left + part.x * scale, top + part.y * scale, part.width * scale, part.height * scale)
        page.nodes += _build_glue_strips(tiling, tile.row, tile.column, box, tiling.overlap * scale)
        page.nodes.append(rectangle(box, stroke=EDGE))
        page.nodes += [line(box.x, box.y, box.right, box.y, CUT), line(box.x, box.y, box.x, box.bottom, CUT)]
        x, y = box.centre
        page.nodes.append(set_text_line(tile.name, x, y + 1.7, NAME, font=BOLD, anchor="middle"))
    right, bottom = left + board.width * scale, top + board.height * scale
    page.nodes += [line(left, bottom, right, bottom, CUT), line(right, top, right, bottom, CUT)]
    page.y = bottom + 6


def _build_glue_strips(tiling: Tiling, row: int, column: int, box: Rect, strip_width: float) -> list[Node]:
    """Return the strips that the right and the lower neighbour cover."""
    strips: list[Node] = []
    if column < tiling.columns - 1:
        strips.append(rectangle(Rect(box.right - strip_width, box.y, strip_width, box.height), GLUE))
    if row < tiling.rows - 1:
        strips.append(rectangle(Rect(box.x, box.bottom - strip_width, box.width, strip_width), GLUE))
    return strips

"""Boards and mats on paper: on one sheet if they fit, otherwise in overlapping tiles that are glued into
one, with the page that explains how."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import NamedTuple

from playproof.database.errors import InputError
from playproof.generator.scene import (
    BLACK,
    Colour,
    Face,
    Group,
    Node,
    Page,
    Placement,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_line_path,
    build_rectangle_path,
)
from playproof.generator.sheets.marks import (
    EDGE,
    GAP,
    RULER,
    WIDTH,
    build_ruler_nodes,
    place_ruler_and_note_where_room,
)
from playproof.generator.sheets.pieces import Piece, raise_if_no_or_unprintable_pieces
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.slots import EPSILON, Segment, Size
from playproof.generator.sheets.text_columns import MARGIN, InstructionColumn
from playproof.generator.type.shaping import BOLD, typeset_anchored_text_line
from playproof.generator.wording import SheetWording

# -- tiles ---------------------------------------------------------------------------------------------------
# Splits boards larger than the paper into overlapping tiles that are glued into one.

OVERLAP = 10.0  # mm of picture printed on both neighbours: a glue strip one can hold
MARK = 4.0  # mm


class Tile(NamedTuple):
    """One sheet of a board: its row and column (from 0), the part of the board that it shows, and
    its place on the paper."""

    row: int
    column: int
    part: Rect
    at: Rect

    @property
    def name(self) -> str:
        """The tile's name: A1 at the top left, A2 to its right, B1 below (AA follows Z).

        >>> Tile(1, 2, Rect(0, 0, 1, 1), Rect(0, 0, 1, 1)).name
        'B3'
        """
        high, low = divmod(self.row, 26)
        return (chr(64 + high) if high else "") + chr(65 + low) + str(self.column + 1)


class Tiling(NamedTuple):
    """How a board is split: the sheet (portrait or landscape), rows, columns, and all tiles row by
    row."""

    sheet: Size
    rows: int
    columns: int
    overlap: float
    tiles: tuple[Tile, ...]
    bleed: float = 0.0  # mm of picture beyond the board's own edges

    def get_left_top_right_bottom_bleed_in_mm(self, tile: Tile) -> tuple[float, float, float, float]:
        """Return the tile's bleed left, above, right and below. Only the board's own edges have
        bleed."""
        last = (tile.column == self.columns - 1, tile.row == self.rows - 1)
        sides = (tile.column == 0, tile.row == 0, *last)
        left, top, right, bottom = (self.bleed if side else 0.0 for side in sides)
        return left, top, right, bottom

    def get_printed_area_of_tile(self, tile: Tile) -> Rect:
        """Return the tile's printed area, bleed included."""
        return expand_rect_by_side_margins(tile.at, self.get_left_top_right_bottom_bleed_in_mm(tile))

    def list_cut_marks_of_tile(self, tile: Tile) -> tuple[Segment, ...]:
        """Return marks for the edges that are cut: the board's own edges, and each tile's left and
        top."""
        at, far = self.get_printed_area_of_tile(tile), GAP + MARK
        reach = Rect(0, 0, self.sheet.width, self.sheet.height).expand(-EDGE)
        xs = [tile.at.x] + ([tile.at.right] if tile.column == self.columns - 1 else [])
        ys = [tile.at.y] + ([tile.at.bottom] if tile.row == self.rows - 1 else [])
        upright = [s for x in xs for s in _build_vertical_mark_pair(x, at, far)]
        level = [s for y in ys for s in _build_horizontal_mark_pair(y, at, far)]
        return tuple(
            short
            for mark in (*upright, *level)
            if (short := _clip_mark_to_printable_area_or_none(mark, reach)) is not None
        )

    def list_marks_aligning_right_and_lower_tile(self, tile: Tile) -> tuple[Segment, ...]:
        """Return marks where the cut edges of the right and the lower neighbour must lie on this
        tile."""
        at, far = self.get_printed_area_of_tile(tile), GAP + MARK / 2
        xs = [tile.at.right - self.overlap] if tile.column < self.columns - 1 else []
        ys = [tile.at.bottom - self.overlap] if tile.row < self.rows - 1 else []
        upright = [s for x in xs for s in _build_vertical_mark_pair(x, at, far)]
        level = [s for y in ys for s in _build_horizontal_mark_pair(y, at, far)]
        return (*upright, *level)


def choose_tiling_of_fewest_sheets_or_none(
    board: Size, paper: Size, margin: float, overlap: float = OVERLAP, bleed: float = 0.0
) -> Tiling | None:
    """Return the tiling with fewer sheets (portrait if equal); None if the paper has no room."""
    ways = [
        way
        for sheet in (paper, paper.swap_sides())
        if (way := _build_tiling_or_none(board, sheet, margin, overlap, bleed))
    ]
    return min(ways, key=lambda way: len(way.tiles)) if ways else None


def expand_rect_by_side_margins(rect: Rect, left_top_right_bottom: tuple[float, float, float, float]) -> Rect:
    """Return the rectangle enlarged by these amounts left, above, right and below."""
    left, top, right, bottom = left_top_right_bottom
    return Rect(rect.x - left, rect.y - top, rect.width + left + right, rect.height + top + bottom)


def _build_tiling_or_none(board: Size, sheet: Size, margin: float, overlap: float, bleed: float) -> Tiling | None:
    across = _list_starts_and_lengths_of_equal_spans(board.width, sheet.width - 2 * margin, overlap)
    down = _list_starts_and_lengths_of_equal_spans(board.height, sheet.height - 2 * margin, overlap)
    tiles = tuple(
        _build_tile(row, column, Rect(x, y, width, height), sheet)
        for row, (y, height) in enumerate(down)
        for column, (x, width) in enumerate(across)
    )
    return Tiling(sheet, len(down), len(across), overlap, tiles, bleed) if tiles else None


def _build_tile(row: int, column: int, part: Rect, sheet: Size) -> Tile:
    x, y = (sheet.width - part.width) / 2, (sheet.height - part.height) / 2
    return Tile(row, column, part, Rect(x, y, part.width, part.height))


def _list_starts_and_lengths_of_equal_spans(
    length: float, max_span: float, overlap: float
) -> list[tuple[float, float]]:
    """Return equal spans of at most `max_span` that cover the length; each overlaps the one before.
    Empty if `max_span` is too small."""
    if length <= max_span + EPSILON:
        return [(0.0, length)]
    if max_span <= 2 * overlap:  # a tile must show more than its two glue strips
        return []
    count = ceil((length - overlap) / (max_span - overlap) - EPSILON)
    span = (length + (count - 1) * overlap) / count
    return [(i * (span - overlap), span) for i in range(count)]


def _clip_mark_to_printable_area_or_none(mark: Segment, printable_area: Rect) -> Segment | None:
    """Return the part of a mark that printers print; None if it begins beyond that."""
    if not (
        printable_area.x <= mark.x1 <= printable_area.right and printable_area.y <= mark.y1 <= printable_area.bottom
    ):
        return None
    x2, y2 = (
        min(max(mark.x2, printable_area.x), printable_area.right),
        min(max(mark.y2, printable_area.y), printable_area.bottom),
    )
    return Segment(mark.x1, mark.y1, x2, y2)


def _build_vertical_mark_pair(x: float, at: Rect, outer_distance: float) -> tuple[Segment, Segment]:
    return Segment(x, at.y - GAP, x, at.y - outer_distance), Segment(x, at.bottom + GAP, x, at.bottom + outer_distance)


def _build_horizontal_mark_pair(y: float, at: Rect, outer_distance: float) -> tuple[Segment, Segment]:
    return Segment(at.x - GAP, y, at.x - outer_distance, y), Segment(at.right + GAP, y, at.right + outer_distance, y)


# Boards and mats on paper: on one sheet if they fit, otherwise in overlapping tiles with assembly marks.

CUT = Stroke(BLACK, WIDTH)
TICK = Stroke(BLACK, 0.4)
ROOM = GAP + MARK  # mm of margin that assembly marks need


def build_pages_of_tiled_board(piece: Piece, plan: Plan, *, title: str = "", language: str = "en") -> list[Page]:
    """Return the sheets of one board, front then back, each side tiled; `piece.count` copies of it.

    Tiled sides are glued back to back, so the back is tiled like a board of its own. Raises
    InputError if there is no room.
    """
    return [draw(title or piece.name) for draw in list_tile_drawers_of_all_copies(piece, plan, language=language)]


def list_tile_drawers_of_all_copies(piece: Piece, plan: Plan, *, language: str = "en") -> list[Callable[[str], Page]]:
    """Return what draws each sheet of a board under a title, in the order of `build_pages_of_tiled_board`. Raises
    InputError if there is no room."""
    raise_if_no_or_unprintable_pieces([piece])
    say = SheetWording(language)
    sides = [("fronts", piece.front)]
    if piece.back and plan.backs != "none":
        sides.append(("backs", piece.back))
    drawn: list[Callable[[str], Page]] = []
    for side, face in sides:
        tiling = split_board_into_tiles_or_raise(face, piece, plan)
        art = Symbol(f"board {face.name}", face.bleed_box, face.nodes)  # stored once for all tiles
        side_name = say(side) if len(sides) > 1 else ""
        drawn += (
            _create_function_drawing_tile(art, tiling, tile, plan, side_name, say, "" if at else face.title)
            for at, tile in enumerate(tiling.tiles)  # each draws all words, so the first is read
        )
    return drawn * piece.count


def _create_function_drawing_tile(
    board_picture: Symbol, tiling: Tiling, tile: Tile, plan: Plan, side: str, wording: SheetWording, spoken_title: str
) -> Callable[[str], Page]:
    def draw(title: str) -> Page:
        words = f"{title} · {side}" if side else title
        return _build_tile_page(board_picture, tiling, tile, plan, words, wording, spoken_title)

    return draw


def split_board_into_tiles_or_raise(board_side: Face, piece: Piece, plan: Plan) -> Tiling:
    """Split a board on the plan's paper. Raises InputError if the paper leaves no room."""
    bleed = min(board_side.bleed, plan.bleed)
    margin = max(plan.margin, bleed + (ROOM if plan.marks else 0.0))
    paper = plan.paper
    tiling = choose_tiling_of_fewest_sheets_or_none(
        Size(board_side.width, board_side.height), paper.portrait, margin, plan.overlap, bleed
    )
    if tiling is None:
        board = f"{piece.name} of {board_side.width:g} x {board_side.height:g} mm"
        message = f"{board} cannot be tiled on {paper.name} ({paper.width:g} x {paper.height:g} mm)"
        room = f"margins of {margin:g} mm and overlaps of {plan.overlap:g} mm leave no room"
        raise InputError.from_single_finding("PP542", piece.where, f"{message}: {room}", "take larger paper")
    return tiling


def _build_tile_page(
    board_picture: Symbol, tiling: Tiling, tile: Tile, plan: Plan, title: str, wording: SheetWording, spoken_title: str
) -> Page:
    part = _build_face_of_board_part(
        board_picture,
        expand_rect_by_side_margins(tile.part, tiling.get_left_top_right_bottom_bleed_in_mm(tile)),
        tile.name,
        spoken_title,
    )
    at = tiling.get_printed_area_of_tile(tile)
    cuts, ticks = (
        (tiling.list_cut_marks_of_tile(tile), tiling.list_marks_aligning_right_and_lower_tile(tile))
        if plan.marks
        else ((), ())
    )
    notes = place_ruler_and_note_where_room(
        tiling.sheet, [at], (*cuts, *ticks), _format_margin_note_of_tile(tiling, tile, title, wording), plan.ruler
    )
    drawn = (*(build_line_path(*mark, CUT) for mark in cuts), *(build_line_path(*tick, TICK) for tick in ticks))
    placement = Placement(part, Transform.move(at.x, at.y))
    return Page(*tiling.sheet, (placement,), (*drawn, *notes), label=part.name)


def _build_face_of_board_part(board_picture: Symbol, part: Rect, tile_name: str, spoken_title: str) -> Face:
    """Return a part of the board, bleed included, as a face."""
    board = Group((Use(board_picture),), Transform.move(-part.x, -part.y))
    return Face(f"{board_picture.name} {tile_name}", part.width, part.height, (board,), title=spoken_title)


def _format_margin_note_of_tile(tiling: Tiling, tile: Tile, title: str, wording: SheetWording) -> str:
    if len(tiling.tiles) == 1:
        return title
    by_place = {(other.row, other.column): other.name for other in tiling.tiles}
    under = [by_place.get((tile.row, tile.column - 1)), by_place.get((tile.row - 1, tile.column))]
    names = wording("and").join(name for name in under if name)
    words = [title, wording("tile", tile=tile.name, last=tiling.tiles[-1].name)]
    return " · ".join([*words, wording("over", tiles=names)] if names else words)


# -- assembly page -------------------------------------------------------------------------------------------
# The page that explains how to put a tiled board together.

DIAGRAM = Size(110.0, 110.0)  # mm, the box the board is drawn into
DIAGRAM_EDGE, GLUE = Stroke(BLACK, 0.3), Colour(0.85, 0.87, 0.9)
DIAGRAM_CUT = Stroke(Colour(0.75, 0.15, 0.1), 0.5)
NAME = 14.0  # pt


def build_assembly_page_of_board(piece: Piece, plan: Plan, *, title: str, language: str = "en") -> Page:
    """Return the page for one board. Raises InputError if the paper leaves no room for its
    tiles."""
    say = SheetWording(language)
    tiling = split_board_into_tiles_or_raise(piece.front, piece, plan)
    page = InstructionColumn(plan.paper.portrait, title)
    page.add_heading_below_text(say("print"))
    sheets = say.format_count_with_noun("paper", len(tiling.tiles) * piece.count)
    page.add_numbered_steps([say("board count", sheets=sheets, paper=plan.paper.name), say("ruler")])
    page.add_drawing_below_text(build_ruler_nodes(), RULER)
    page.add_heading_below_text(say("cut, glue" if len(tiling.tiles) > 1 else "cut"))
    page.add_numbered_steps(list_cutting_and_gluing_steps_of_board(tiling, say))
    add_tiling_diagram_if_column_has_room(page, tiling, piece.size, DIAGRAM)
    return Page(*plan.paper.portrait, (), tuple(page.nodes), label="assembly")


def list_cutting_and_gluing_steps_of_board(tiling: Tiling, wording: SheetWording) -> list[str]:
    if len(tiling.tiles) == 1:
        return [wording("four edges")]
    return [wording("thin marks"), wording("begin"), wording("overlap", overlap=f"{tiling.overlap:g}"), wording("rows")]


def add_tiling_diagram_if_column_has_room(
    column: InstructionColumn, tiling: Tiling, board: Size, max_size: Size
) -> None:
    """Draw the board small: tiles with their names, glue strips grey, cut edges red."""
    left, top = MARGIN + 6, column.y + 2
    room = column.compute_size_left_for_drawing(left, top, max_size)
    scale = min(room.width / board.width, room.height / board.height)
    if scale <= 0:  # small paper, full of text
        return
    for tile in tiling.tiles:
        part = tile.part
        box = Rect(left + part.x * scale, top + part.y * scale, part.width * scale, part.height * scale)
        column.nodes += _build_glue_strips_covered_by_neighbours(
            tiling, tile.row, tile.column, box, tiling.overlap * scale
        )
        column.nodes.append(build_rectangle_path(box, stroke=DIAGRAM_EDGE))
        column.nodes += [
            build_line_path(box.x, box.y, box.right, box.y, DIAGRAM_CUT),
            build_line_path(box.x, box.y, box.x, box.bottom, DIAGRAM_CUT),
        ]
        x, y = box.centre
        column.nodes.append(typeset_anchored_text_line(tile.name, x, y + 1.7, NAME, font=BOLD, anchor="middle"))
    right, bottom = left + board.width * scale, top + board.height * scale
    column.nodes += [
        build_line_path(left, bottom, right, bottom, DIAGRAM_CUT),
        build_line_path(right, top, right, bottom, DIAGRAM_CUT),
    ]
    column.y = bottom + 6


def _build_glue_strips_covered_by_neighbours(
    tiling: Tiling, row: int, column: int, box: Rect, strip_width: float
) -> list[Node]:
    """Return the strips that the right and the lower neighbour cover."""
    strips: list[Node] = []
    if column < tiling.columns - 1:
        strips.append(build_rectangle_path(Rect(box.right - strip_width, box.y, strip_width, box.height), GLUE))
    if row < tiling.rows - 1:
        strips.append(build_rectangle_path(Rect(box.x, box.bottom - strip_width, box.width, strip_width), GLUE))
    return strips

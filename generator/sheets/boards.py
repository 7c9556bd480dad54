"""Boards and mats on paper: on one sheet if they fit, otherwise in overlapping tiles with assembly
marks."""

from __future__ import annotations

from collections.abc import Callable

from playproof.database.errors import InputError
from playproof.generator.scene import (
    BLACK,
    Face,
    Group,
    Page,
    Placement,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    line,
)
from playproof.generator.sheets.cropmarks import GAP, WIDTH
from playproof.generator.sheets.geometry import Size
from playproof.generator.sheets.margins import build_margin_notes
from playproof.generator.sheets.pieces import Piece, check_pieces
from playproof.generator.sheets.plan import Plan
from playproof.generator.sheets.tiles import MARK, Tile, Tiling, expand_sides, tile_board
from playproof.generator.wording import SheetWording

CUT = Stroke(BLACK, WIDTH)
TICK = Stroke(BLACK, 0.4)
ROOM = GAP + MARK  # mm of margin that assembly marks need


def impose_board(piece: Piece, plan: Plan, *, title: str = "", language: str = "en") -> list[Page]:
    """Return the sheets of one board, front then back, each side tiled; `piece.count` copies of it.

    Tiled sides are glued back to back, so the back is tiled like a board of its own. Raises
    InputError if there is no room.
    """
    return [draw(title or piece.name) for draw in list_board_tile_drawers(piece, plan, language=language)]


def list_board_tile_drawers(piece: Piece, plan: Plan, *, language: str = "en") -> list[Callable[[str], Page]]:
    """Return what draws each sheet of a board under a title, in the order of `impose_board`. Raises InputError if
    there is no room."""
    check_pieces([piece])
    say = SheetWording(language)
    sides = [("fronts", piece.front)]
    if piece.back and plan.backs != "none":
        sides.append(("backs", piece.back))
    drawn: list[Callable[[str], Page]] = []
    for side, face in sides:
        tiling = split_board_into_tiles(face, piece, plan)
        art = Symbol(f"board {face.name}", face.bleed_box, face.nodes)  # stored once for all tiles
        side_name = say(side) if len(sides) > 1 else ""
        drawn += (
            _create_tile_drawer(art, tiling, tile, plan, side_name, say, "" if at else face.title)
            for at, tile in enumerate(tiling.tiles)  # each draws all words, so the first is read
        )
    return drawn * piece.count


def _create_tile_drawer(
    art: Symbol, tiling: Tiling, tile: Tile, plan: Plan, side: str, say: SheetWording, spoken_title: str
) -> Callable[[str], Page]:
    def draw(title: str) -> Page:
        words = f"{title} · {side}" if side else title
        return _build_tile_page(art, tiling, tile, plan, words, say, spoken_title)

    return draw


def split_board_into_tiles(face: Face, piece: Piece, plan: Plan) -> Tiling:
    """Split a board on the plan's paper. Raises InputError if the paper leaves no room."""
    bleed = min(face.bleed, plan.bleed)
    margin = max(plan.margin, bleed + (ROOM if plan.marks else 0.0))
    paper = plan.paper
    tiling = tile_board(Size(face.width, face.height), paper.portrait, margin, plan.overlap, bleed)
    if tiling is None:
        board = f"{piece.name} of {face.width:g} x {face.height:g} mm"
        message = f"{board} cannot be tiled on {paper.name} ({paper.width:g} x {paper.height:g} mm)"
        room = f"margins of {margin:g} mm and overlaps of {plan.overlap:g} mm leave no room"
        raise InputError.from_single_finding("PP542", piece.where, f"{message}: {room}", "take larger paper")
    return tiling


def _build_tile_page(
    art: Symbol, tiling: Tiling, tile: Tile, plan: Plan, title: str, say: SheetWording, spoken_title: str
) -> Page:
    part = _crop_board(art, expand_sides(tile.part, tiling.get_outer_bleed(tile)), tile.name, spoken_title)
    at = tiling.get_printed_area(tile)
    cuts, ticks = (tiling.list_cut_marks(tile), tiling.list_tick_marks(tile)) if plan.marks else ((), ())
    notes = build_margin_notes(
        tiling.sheet, [at], (*cuts, *ticks), _format_tile_note(tiling, tile, title, say), plan.ruler
    )
    drawn = (*(line(*mark, CUT) for mark in cuts), *(line(*tick, TICK) for tick in ticks))
    placement = Placement(part, Transform.move(at.x, at.y))
    return Page(*tiling.sheet, (placement,), (*drawn, *notes), label=part.name)


def _crop_board(art: Symbol, part: Rect, name: str, spoken_title: str) -> Face:
    """Return a part of the board, bleed included, as a face."""
    board = Group((Use(art),), Transform.move(-part.x, -part.y))
    return Face(f"{art.name} {name}", part.width, part.height, (board,), title=spoken_title)


def _format_tile_note(tiling: Tiling, tile: Tile, title: str, say: SheetWording) -> str:
    if len(tiling.tiles) == 1:
        return title
    by_place = {(other.row, other.column): other.name for other in tiling.tiles}
    under = [by_place.get((tile.row, tile.column - 1)), by_place.get((tile.row - 1, tile.column))]
    names = say("and").join(name for name in under if name)
    words = [title, say("tile", tile=tile.name, last=tiling.tiles[-1].name)]
    return " · ".join([*words, say("over", tiles=names)] if names else words)

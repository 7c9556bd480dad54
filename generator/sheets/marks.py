"""The marks around the pieces: crop marks, the scale ruler and the line that names the sheet; registration
marks, and the outlines to cut as SVG and DXF for cutting machines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from html import escape
from math import ceil
from typing import NamedTuple

from playproof.generator.art.outlines import transform_outline
from playproof.generator.scene import (
    BLACK,
    Command,
    Face,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_line_path,
    build_rectangle_path,
)
from playproof.generator.sheets.slots import Grid, Segment, Size, Slot
from playproof.generator.type.shaping import measure_text_line_width_in_mm, typeset_anchored_text_line

# -- cropmarks -----------------------------------------------------------------------------------------------
# Crop marks: thin lines at the sheet's edge for every cut, outside the cards, clear of their bleed.

WIDTH = 0.15  # mm, the width PnP makers ask for: one sees it, the knife hides it
GAP = 1.0  # mm of white between the bleed and the mark
LENGTH = 5.0  # mm, when the margin has the room
SHORT = 2.0  # mm, where longer marks would leave no room for the ruler
EDGE = 2.0  # mm of paper left blank; printers leave out about 4 mm, so some of a mark always shows


@lru_cache(maxsize=64)
def build_crop_marks_around_grid(grid: Grid, bleed: float, area_for_marks: Rect | None = None) -> tuple[Segment, ...]:
    """Return the marks for every cut of the grid, on all four sides of the block.

    `area_for_marks` is the area for marks: by default the sheet without EDGE; for a gutterfold, one half.
    """
    room = area_for_marks or Rect(0, 0, grid.sheet.width, grid.sheet.height).expand(-EDGE)
    printed = grid.bounds_of_all_trims.expand(bleed + GAP)
    above = _compute_mark_span_clear_of_notes(printed.y, -1, room.y)
    below = _compute_mark_span_clear_of_notes(printed.bottom, 1, room.bottom)
    left = _compute_mark_span_clear_of_notes(printed.x, -1, room.x)
    right = _compute_mark_span_clear_of_notes(printed.right, 1, room.right)
    upright = [Segment(x, a, x, b) for x in grid.x_of_vertical_cuts for a, b in (above, below) if a != b]
    level = [Segment(a, y, b, y) for y in grid.y_of_horizontal_cuts for a, b in (left, right) if a != b]
    return (*upright, *level)


def mirror_marks_for_back_of_sheet(marks: tuple[Segment, ...], sheet: Size, axis: str) -> tuple[Segment, ...]:
    """Return the same marks, mirrored for the other side of the sheet."""
    if axis == "vertical":
        return tuple(Segment(sheet.width - m.x1, m.y1, sheet.width - m.x2, m.y2) for m in marks)
    return tuple(Segment(m.x1, sheet.height - m.y1, m.x2, sheet.height - m.y2) for m in marks)


def _compute_mark_span_clear_of_notes(start: float, direction: int, limit: float) -> tuple[float, float]:
    """Return a span from `start` in the direction `direction`, 1 or -1, cut short at the limit. It has no length if
    the limit lies before the start."""
    space = (limit - start) * direction
    beside_notes = round(space + EDGE - STRIP, 3)
    length = beside_notes if SHORT <= beside_notes < LENGTH else min(LENGTH, max(0.0, space))
    return start, start + direction * length


# -- ruler ---------------------------------------------------------------------------------------------------
# The scale ruler: 50 mm and 2 inches on every sheet, so that users notice "fit to page" before they cut.

RULER = Size(59.5, 3.0)  # mm, labels included
HAIR = Stroke(BLACK, 0.15)
TALL, LOW = 1.5, 0.8  # mm, ticks
LABEL = 6.0  # pt: two lines of capitals are as high as the ticks


def build_ruler_nodes() -> tuple[Node, ...]:
    """Draw the ruler from the top left corner of a box of the size RULER."""
    middle = RULER.height / 2
    marks: list[Node] = [build_line_path(0, middle, 50.8, middle, HAIR)]
    for mm in range(51):
        marks.append(build_line_path(mm, middle, mm, middle - _get_ruler_tick_height(mm, whole=10, half=5), HAIR))
    for eighth in range(17):
        x = eighth * 25.4 / 8
        marks.append(build_line_path(x, middle, x, middle + _get_ruler_tick_height(eighth, whole=8, half=4), HAIR))
    marks.append(typeset_anchored_text_line("50 mm", 51.8, middle - 0.1, LABEL))
    marks.append(typeset_anchored_text_line("2 in", 51.8, middle + 1.5, LABEL))
    return tuple(marks)


def _get_ruler_tick_height(step: int, *, whole: int, half: int) -> float:
    """Return the height of a mark: tall at whole units, lower at halves, lowest between."""
    if step % whole == 0:
        return TALL
    return LOW if step % half == 0 else LOW / 2


@lru_cache(maxsize=1)
def get_shared_ruler_symbol() -> Symbol:
    """Return the ruler as a symbol, so that a file stores it once."""
    return Symbol("ruler", Rect(0, 0, RULER.width, RULER.height).expand(0.5), build_ruler_nodes())


# -- margins -------------------------------------------------------------------------------------------------
# The margin of a sheet: the scale ruler, and a line that names the sheet.

UNPRINTED_EDGE = 5.0  # mm of paper that home printers may leave blank
CLEAR_OF_NOTES = 0.5  # mm of white round marks
APART = 3.0  # mm between the ruler and the note
STRIP = (
    UNPRINTED_EDGE + RULER.height + CLEAR_OF_NOTES
)  # mm from the paper's edge to marks that leave room for the ruler
NOTE = 6.0  # pt
NOTE_HEIGHT = 2.6  # mm


def place_ruler_and_note_where_room(
    sheet: Size, printed: Sequence[Rect], marks: Sequence[Segment], note: str, with_ruler: bool
) -> tuple[Node, ...]:
    """Place the ruler and the note on free paper; either is left out if there is no room."""
    width = float(ceil(measure_text_line_width_in_mm(note, NOTE)))  # so that sheet 12 has its note where sheet 11 has
    for_ruler, for_note = _find_free_ruler_and_note_places(sheet, tuple(printed), tuple(marks), width, with_ruler)
    nodes: list[Node] = []
    if for_ruler:
        nodes.append(move_nodes_to_free_place((Use(get_shared_ruler_symbol()),), for_ruler))
    if for_note:
        nodes.append(
            move_nodes_to_free_place((typeset_anchored_text_line(note, 0, NOTE_HEIGHT - 0.7, NOTE),), for_note)
        )
    return tuple(nodes)


@lru_cache(maxsize=256)
def _find_free_ruler_and_note_places(
    sheet: Size, printed: tuple[Rect, ...], marks: tuple[Segment, ...], note_width: float, with_ruler: bool
) -> tuple[FreePlace | None, FreePlace | None]:
    """Return the places of the ruler and of a note of that width, which are the same for all sheets
    of a pile."""
    taken = [*printed, *(mark.box.expand(CLEAR_OF_NOTES) for mark in marks)]
    for_ruler = find_free_place_along_edges_or_none(sheet, RULER, taken, UNPRINTED_EDGE) if with_ruler else None
    if for_ruler:
        taken.append(for_ruler.rect.expand(APART))
    for_note = (
        find_free_place_along_edges_or_none(sheet, Size(note_width, NOTE_HEIGHT), taken, UNPRINTED_EDGE)
        if note_width
        else None
    )
    return for_ruler, for_note


def move_nodes_to_free_place(nodes: tuple[Node, ...], place: FreePlace) -> Group:
    """Return the nodes, drawn from the top left of their box, at a place; turned to the left if it
    is upright."""
    rect = place.rect
    if not place.upright:
        return Group(nodes, Transform.move(rect.x, rect.y))
    return Group(nodes, Transform(0, -1, 1, 0, rect.x, rect.bottom))


# -- free paper ----------------------------------------------------------------------------------------------
# Finds free paper for the ruler and the sheet's label, outside the cards and their marks.

STEP = 0.5  # mm


class FreePlace(NamedTuple):
    """A free rectangle. If `upright`, its contents read upwards, turned a quarter to the left."""

    rect: Rect
    upright: bool


def find_free_place_along_edges_or_none(
    sheet: Size, size: Size, taken: Iterable[Rect], distance_from_edge: float
) -> FreePlace | None:
    """Return the first free place along the bottom, top, left or right, `distance_from_edge` mm from the sheet's
    edge; None if there is none."""
    room = Rect(0, 0, sheet.width, sheet.height).expand(-distance_from_edge)
    obstacles = tuple(taken)
    for strip, places in _iter_edge_strips_with_places(room, size):
        near = [each for each in obstacles if strip.overlaps(each)]
        for place in places:
            if room.contains(place.rect) and not any(place.rect.overlaps(each) for each in near):
                return place
    return None


def _iter_edge_strips_with_places(room: Rect, size: Size) -> Iterator[tuple[Rect, Iterator[FreePlace]]]:
    """Yield each strip along an edge with the places in it."""
    wide, high = size.width, size.height
    for y in (room.bottom - high, room.y):
        across = _iter_positions_from_middle_outwards(room.x, room.right - wide)
        yield Rect(room.x, y, room.width, high), (FreePlace(Rect(x, y, wide, high), False) for x in across)
    for x in (room.x, room.right - high):
        down = _iter_positions_from_middle_outwards(room.y, room.bottom - wide)
        yield Rect(x, room.y, high, room.height), (FreePlace(Rect(x, y, high, wide), True) for y in down)


def _iter_positions_from_middle_outwards(first: float, last: float) -> Iterator[float]:
    """Yield positions from the middle outwards, so that things are centred if possible."""
    middle, reach = (first + last) / 2, (last - first) / 2
    for step in range(int(reach / STEP) + 1 if reach >= 0 else 0):
        yield middle - step * STEP
        if step:
            yield middle + step * STEP


# -- cutting -------------------------------------------------------------------------------------------------
# For cutting machines: registration marks on the sheet, and the outlines to cut as SVG and DXF.

INSET, SQUARE, ARM, PEN = 10.0, 5.0, 20.0, 0.3  # mm
INSIDE = INSET + SQUARE + 2  # mm: a margin that lies inside of all marks
CLEAR = 1.0  # mm of white between a mark and what is printed
PIECES = 16  # straight lines for a curve: a rounded corner of 3 mm is off by less than 0.01 mm

Outline = tuple[Command, ...]


def build_registration_mark_nodes(sheet: Size) -> tuple[Node, ...]:
    """Return the marks of a sheet."""
    pen = Stroke(BLACK, PEN)
    square = build_rectangle_path(Rect(INSET, INSET, SQUARE, SQUARE), BLACK)
    lines = (
        Path((("M", (arm.x1, arm.y1)), ("L", (arm.x2, arm.y2))), None, pen) for arm in list_registration_lines(sheet)
    )
    return (square, *lines)


def list_registration_lines(sheet: Size) -> tuple[Segment, ...]:
    """Return the lines of the marks: two at the top right, two at the bottom left."""
    right, bottom = sheet.width - INSET, sheet.height - INSET
    return (
        Segment(right - ARM, INSET, right, INSET),
        Segment(right, INSET, right, INSET + ARM),
        Segment(INSET, bottom, INSET + ARM, bottom),
        Segment(INSET, bottom - ARM, INSET, bottom),
    )


def is_too_near_registration_marks(sheet: Size, printed: Rect) -> bool:
    """Return whether what is printed leaves too little white round a mark."""
    marks = [Rect(INSET, INSET, SQUARE, SQUARE), *(arm.box.expand(PEN / 2) for arm in list_registration_lines(sheet))]
    return any(printed.overlaps(mark.expand(CLEAR)) for mark in marks)


def list_outlines_of_faces_on_sheet(faces: Sequence[tuple[Face, Slot]]) -> list[Outline]:
    """Return the outlines of faces on a sheet, in mm of the sheet."""
    return [
        transform_outline(
            (face.outline or build_rectangle_path(face.trim, radius=face.corner)).commands, slot.transform
        )
        for face, slot in faces
    ]


def format_cut_outlines_as_svg(sheet: Size, outlines_by_layer_name: dict[str, list[Outline]]) -> bytes:
    """Return the outlines as SVG in millimetres, one group for each size of cards."""
    width, height = f"{sheet.width:g}", f"{sheet.height:g}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}">'
    ]
    for name, outlines in outlines_by_layer_name.items():
        lines.append(f'<g id="{escape(name)}" fill="none" stroke="#ff0000" stroke-width="0.1">')
        lines += [f'<path d="{_format_outline_as_svg_path_data(outline)}"/>' for outline in outlines]
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""]).encode()


def _format_outline_as_svg_path_data(outline: Outline) -> str:
    return " ".join(letter + " ".join(f"{part:.4f}" for part in points) for letter, points in outline)


def format_cut_outlines_as_dxf(sheet: Size, outlines_by_layer_name: dict[str, list[Outline]]) -> bytes:
    """Return the outlines as closed polylines of a DXF file (release 12, millimetres, y upwards)."""
    tags: list[tuple[int, object]] = [(0, "SECTION"), (2, "HEADER"), (9, "$ACADVER"), (1, "AC1009")]
    tags += [(9, "$INSUNITS"), (70, 4), (0, "ENDSEC"), (0, "SECTION"), (2, "ENTITIES")]
    for name, outlines in outlines_by_layer_name.items():
        for outline in outlines:
            for part in _iter_closed_polylines_of_outline(outline):
                tags += [(0, "POLYLINE"), (8, name), (66, 1), (70, 1), (10, 0.0), (20, 0.0), (30, 0.0)]
                for x, y in part:
                    tags += [(0, "VERTEX"), (8, name), (10, f"{x:.4f}"), (20, f"{sheet.height - y:.4f}"), (30, 0.0)]
                tags += [(0, "SEQEND"), (8, name)]
    tags += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code}\n{value}\n" for code, value in tags).encode("ascii")


def _iter_closed_polylines_of_outline(outline: Iterable[Command]) -> Iterator[list[tuple[float, float]]]:
    """Yield each closed part of an outline as the corners of straight lines."""
    part: list[tuple[float, float]] = []
    for letter, points in outline:
        if letter == "M" and part:
            yield _copy_corners_without_repeated_last(part)
            part = []
        if letter in "ML":
            part.append((points[0], points[1]))
        elif letter == "C":
            part += _iter_cubic_curve_points_after_start(part[-1], points)
    if part:
        yield _copy_corners_without_repeated_last(part)


def _copy_corners_without_repeated_last(part: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners without a last one that repeats the first: the polyline is closed already."""
    last, first = part[-1], part[0]
    same = abs(last[0] - first[0]) < 1e-6 and abs(last[1] - first[1]) < 1e-6
    return part[:-1] if same and len(part) > 1 else part


def _iter_cubic_curve_points_after_start(
    start: tuple[float, float], control_coordinates: tuple[float, ...]
) -> Iterator[tuple[float, float]]:
    (x0, y0), (x1, y1, x2, y2, x3, y3) = start, control_coordinates
    for step in range(1, PIECES + 1):
        t = step / PIECES
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3

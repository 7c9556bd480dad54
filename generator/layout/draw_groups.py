"""Draw elements that hold elements: groups, parts, lists, grids, tracks."""

from __future__ import annotations

from itertools import pairwise
from math import hypot
from typing import Any

from playproof.database.errors import FindingCollector, make_nearest_or_possible_words_hint
from playproof.generator.layout.drawing import FaceDrawing, compute_point_at_shares_of_rect, register_element_drawer
from playproof.generator.layout.expression import Number
from playproof.generator.layout.layout_files import Element
from playproof.generator.layout.model import GridSpec, GroupSpec, ListSpec, PartSpec, TrackSpec
from playproof.generator.layout.text_styles import NoSuchName
from playproof.generator.scene import Group, Node, Path, Rect, Transform, build_rectangle_path

DEPTH = "depth of parts "  # in scope under a name no expression can write
DEEPEST = 12


@register_element_drawer(GroupSpec)
def draw_group_element(drawing: FaceDrawing, spec: GroupSpec, element: Element, box: Rect) -> Rect:
    """Draw elements in a box of their own. Later elements may refer to their names."""
    inner = drawing.create_drawing_for_inner_area(box, {})
    inner.draw_elements_in_order(element.children)
    if spec.clip:
        drawing.nodes.append(Group(tuple(inner.nodes), clip=build_rectangle_path(box)))
    else:
        drawing.nodes.extend(inner.nodes)
    drawing.boxes.update(inner.boxes)
    return box


@register_element_drawer(PartSpec)
def draw_named_part_element(drawing: FaceDrawing, spec: PartSpec, element: Element, box: Rect) -> Rect:
    """Draw a part of the layout with values of its own."""
    parts = drawing.layout.parts
    if spec.part not in parts:
        raise NoSuchName(f"there is no part {spec.part!r}", make_nearest_or_possible_words_hint(spec.part, parts))
    depth = drawing.scope.get(DEPTH, 0) + 1
    if depth > DEEPEST:
        raise NoSuchName(f"there is no end to the part {spec.part!r}: it holds itself")
    values = {name: template.evaluate_to_value_or_text(drawing.scope) for name, template in spec.values.items()}
    inner = drawing.create_drawing_for_inner_area(box, {**values, DEPTH: depth})
    inner.draw_elements_in_order(parts[spec.part])
    drawing.nodes.extend(inner.nodes)
    return box


@register_element_drawer(ListSpec)
def draw_list_element(drawing: FaceDrawing, spec: ListSpec, element: Element, box: Rect) -> Rect:
    """Draw a row (or column) of elements for each item, aligned in the box as ``valign`` asks."""
    items = drawing.evaluate_to_items_or_range_of_count(spec.items)
    if not items:
        return Rect(box.x, box.y, box.width, 0)
    if spec.flow == "across":
        return _draw_row_and_note_overflow(drawing, spec, element, box, items)
    gap = spec.gap(drawing.scope)
    drawn = [
        _draw_list_row_and_measure_height(drawing, spec, element, box, item, at, len(items))
        for at, item in enumerate(items)
    ]
    total = sum(height for _, height in drawn) + gap * (len(drawn) - 1)
    free = box.height - total
    if free < -1e-6:
        message = f"{len(items)} rows are {total:.1f} mm high and their box {box.height:.1f} mm"
        drawing.add_finding_about_card("PP511", drawing.place, message, f"the layout is at {element.where}")
    if spec.valign == "fill" and free > 0:
        even = (box.height - gap * (len(items) - 1)) / len(items)
        if all(height <= even for _, height in drawn):
            drawn = [
                _draw_list_row_and_measure_height(drawing, spec, element, box, item, at, len(items), even)
                for at, item in enumerate(items)
            ]
            free = 0.0
    y = box.y + {"middle": free / 2, "bottom": free}.get(spec.valign, 0.0)
    if spec.valign == "spread" and len(drawn) > 1:
        gap += max(free, 0.0) / (len(drawn) - 1)
    top = y
    for nodes, height in drawn:
        drawing.nodes.append(Group(tuple(nodes), Transform.move(0, y - box.y)))
        y += height + gap
    return Rect(box.x, top, box.width, y - gap - top)


def _draw_list_row_and_measure_height(
    drawing: FaceDrawing,
    spec: ListSpec,
    element: Element,
    box: Rect,
    item: Any,
    index: int,
    count: int,
    height: float | None = None,
) -> tuple[list[Node], float]:
    """Draw one row at the top of the box and return its nodes and height. If the height is
    ``auto``, a first drawing measures it."""
    values = {spec.as_: item, "index": index, "last": index == count - 1}
    if height is None and spec.height == "auto":
        height = max(_measure_row_height_in_trial_drawing(drawing, element, box, values), spec.least(drawing.scope))
    if height is None:
        assert isinstance(spec.height, Number)  # "auto" was worked out above
        height = spec.height(drawing.scope)
    row = Rect(box.x, box.y, box.width, height)
    inner = drawing.create_drawing_for_inner_area(row, {**values, "row_height": height})
    for child in element.children:
        inner.draw_element_with_source_if_traced(child)
    return inner.nodes, height


TRIAL = 1000.0  # mm: a row so high that it tells what hangs from its foot from what has a height of its own


def _measure_row_height_in_trial_drawing(
    drawing: FaceDrawing, element: Element, box: Rect, values: dict[str, Any]
) -> float:
    """Return the height in mm that a row's texts need, measured in a very high row that is then
    discarded."""
    row = Rect(box.x, box.y, box.width, TRIAL)
    trial = drawing.create_drawing_for_inner_area(row, {**values, "row_height": TRIAL})
    trial.collector, trial.natural = FindingCollector(), []
    for child in element.children:
        trial.draw_element_with_source_if_traced(child)
    needed = 0.0
    for text_box, height in trial.natural:
        above, below = text_box.y - row.y, row.bottom - text_box.bottom
        needed = max(needed, above + (height + below if below < TRIAL / 2 else text_box.height))
    return needed


def _draw_row_and_note_overflow(
    drawing: FaceDrawing, spec: ListSpec, element: Element, box: Rect, items: list[Any]
) -> Rect:
    gap = spec.gap(drawing.scope)
    width = spec.width(drawing.scope) if spec.width else (box.width - gap * (len(items) - 1)) / len(items)
    for at, item in enumerate(items):
        cell = Rect(box.x + at * (width + gap), box.y, width, box.height)
        _draw_children_in_cell(drawing, element, cell, {spec.as_: item, "index": at, "last": at == len(items) - 1})
    total = len(items) * (width + gap) - gap
    if total > box.width + 1e-6:
        drawing.add_finding_about_card(
            "PP511", element.where, f"the row is {total:.1f} mm wide, its box {box.width:.1f} mm"
        )
    return Rect(box.x, box.y, total, box.height)


def _draw_children_in_cell(drawing: FaceDrawing, element: Element, cell: Rect, scope_values: dict[str, Any]) -> None:
    inner = drawing.create_drawing_for_inner_area(cell, scope_values)
    for child in element.children:
        inner.draw_element_with_source_if_traced(child)
    drawing.nodes.extend(inner.nodes)


@register_element_drawer(GridSpec)
def draw_grid_element(drawing: FaceDrawing, spec: GridSpec, element: Element, box: Rect) -> Rect:
    """Draw cells from left to right, then down."""
    items = drawing.evaluate_to_items_or_range_of_count(spec.grid)
    columns = max(1, int(spec.columns(drawing.scope)))
    rows_needed = -(-len(items) // columns)
    count = int(spec.rows(drawing.scope)) if spec.rows else max(rows_needed, 1)
    if rows_needed > count:
        drawing.add_finding_about_card("PP511", element.where, f"{len(items)} cells do not fit {columns} by {count}")
    gap = spec.gap(drawing.scope)
    for at, item in enumerate(items):
        column, row = at % columns, at // columns
        cell = (_compute_hexagon_cell_box if spec.cells == "hex" else _compute_rectangular_cell_box)(
            box, columns, count, column, row, gap
        )
        _draw_children_in_cell(drawing, element, cell, {spec.as_: item, "index": at, "column": column, "row": row})
    return box


def _compute_rectangular_cell_box(box: Rect, columns: int, rows: int, column: int, row: int, gap: float) -> Rect:
    width = (box.width - gap * (columns - 1)) / columns
    height = (box.height - gap * (rows - 1)) / rows
    return Rect(box.x + column * (width + gap), box.y + row * (height + gap), width, height)


def _compute_hexagon_cell_box(box: Rect, columns: int, rows: int, column: int, row: int, gap: float) -> Rect:
    """Return the box around a flat-topped hexagon. Odd columns sit half a cell lower."""
    width = min(box.width / (0.75 * columns + 0.25), box.height / (rows + (0.5 if columns > 1 else 0)) / 0.8660254)
    height = width * 0.8660254
    x = box.x + column * width * 0.75
    y = box.y + row * height + (height / 2 if column % 2 else 0)
    return Rect(x, y, width, height).expand(-gap / 2)


@register_element_drawer(TrackSpec)
def draw_track_element(drawing: FaceDrawing, spec: TrackSpec, element: Element, box: Rect) -> Rect:
    """Draw spaces along a line, and the line beneath them."""
    items = drawing.evaluate_to_items_or_range_of_count(spec.track)
    points = [compute_point_at_shares_of_rect(box, point) for point in spec.points]
    stroke = drawing.resolve_stroke_for_ink_or_none(spec.stroke)
    if stroke:
        commands = [("M", points[0]), *(("L", point) for point in points[1:])]
        drawing.nodes.append(Path(tuple(commands), None, stroke))
    size = spec.size(drawing.scope)
    for at, item in enumerate(items):
        x, y = _compute_point_at_share_of_line(points, at / max(len(items) - 1, 1))
        cell = Rect(x - size / 2, y - size / 2, size, size)
        _draw_children_in_cell(drawing, element, cell, {spec.as_: item, "index": at, "last": at == len(items) - 1})
    return box


def _compute_point_at_share_of_line(points: list[tuple[float, float]], share_of_way: float) -> tuple[float, float]:
    """Return the point at a share (0..1) of the length of a line of points."""
    lengths = [hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(points)]
    left = share_of_way * sum(lengths)
    for ((ax, ay), (bx, by)), length in zip(pairwise(points), lengths, strict=True):
        if left <= length + 1e-9:
            part = left / length if length else 0.0
            return (ax + (bx - ax) * part, ay + (by - ay) * part)
        left -= length
    return points[-1]

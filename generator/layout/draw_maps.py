"""Draw parts of maps: land, roads and marks."""

from __future__ import annotations

from playproof.database.errors import did_you_mean
from playproof.generator.art.maps import (
    MARKS,
    MapMarkColours,
    build_closed_spline,
    build_coast_outline,
    build_open_spline,
    build_winding_line,
    draw_map_marks,
    expand_outline,
)
from playproof.generator.layout.boxes import scale_point_to_rect
from playproof.generator.layout.drawing import FaceDrawing, register_drawer
from playproof.generator.layout.elements import Element
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.layout.model import LandSpec, MarksSpec, RoadSpec
from playproof.generator.layout.styles import NoSuchName
from playproof.generator.scene import WHITE, Path, Rect, Stroke

PEN = 0.25  # mm: the lines of marks, thick enough to be printed


@register_drawer(LandSpec)
def draw_land(drawing: FaceDrawing, spec: LandSpec, element: Element, box: Rect) -> Rect:
    """Draw a piece of land with an uneven edge, and the lines of water around it."""
    outline = build_coast_outline(
        box, spec.land(drawing.scope), spec.rough(drawing.scope), spec.radius(drawing.scope)
    )
    if spec.water is not None:
        for ring in range(spec.rings, 0, -1):
            shore = build_closed_spline(expand_outline(outline, box, ring * spec.apart))
            drawing.nodes.append(Path(shore, None, Stroke(drawing.resolve_line_colour(spec.water), PEN)))
    drawing.draw_shape(Path(build_closed_spline(outline)), spec.fill, spec.stroke, box)
    return box


@register_drawer(RoadSpec)
def draw_road(drawing: FaceDrawing, spec: RoadSpec, element: Element, box: Rect) -> Rect:
    """Draw a line that bends a little on its way from point to point."""
    points = [scale_point_to_rect(box, point) for point in spec.road]
    way = build_open_spline(build_winding_line(points, spec.seed(drawing.scope), spec.stray(drawing.scope)))
    if spec.edge is not None:
        drawing.nodes.append(Path(way, None, drawing.resolve_stroke(spec.edge)))
    drawing.nodes.append(Path(way, None, drawing.resolve_stroke(spec.stroke)))
    return box


@register_drawer(MarksSpec)
def draw_marks(drawing: FaceDrawing, spec: MarksSpec, element: Element, box: Rect) -> Rect:
    """Draw small trees, peaks or ruins where nothing is to be read."""
    scope = drawing.scope
    kinds = spec.of(scope).split()
    for kind in kinds:
        if kind not in MARKS:
            raise NoSuchName(f"there is no mark {kind!r}", did_you_mean(kind, MARKS))
    ink = MapMarkColours(
        drawing.resolve_line_colour(spec.colour), drawing.resolve_ground_colour(spec.light) or WHITE, spec.pen
    )
    count, size = round(spec.count(scope)), spec.size(scope)
    drawing.nodes += draw_map_marks(
        box, spec.marks(scope), kinds, count, size, _list_areas_to_avoid(drawing, spec, box), ink
    )
    return box


def _list_areas_to_avoid(drawing: FaceDrawing, spec: MarksSpec, box: Rect) -> list[Rect]:
    """Return the areas to keep free. Raises ExpressionError if they are not lists of four numbers."""
    if spec.avoid is None:
        return []
    areas = []
    for area in drawing.evaluate_items(spec.avoid):
        if len(area) != 4:
            raise ExpressionError(f"an area is x, y, width and height, found {area!r}")
        x, y, width, height = (float(number) for number in area)
        areas.append(Rect(box.x + x, box.y + y, width, height))
    return areas

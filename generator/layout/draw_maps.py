"""Draw parts of maps: land, roads and marks."""

from __future__ import annotations

from playproof.database.errors import did_you_mean
from playproof.generator.art.maps import MARKS, Ink, closed, coast, marks, spread, through, wandering
from playproof.generator.layout.boxes import share
from playproof.generator.layout.drawing import Drawing, draws
from playproof.generator.layout.elements import Element
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.layout.model import LandSpec, MarksSpec, RoadSpec
from playproof.generator.layout.styles import NoSuchName
from playproof.generator.scene import WHITE, Path, Rect, Stroke

PEN = 0.25  # mm: the lines of marks, thick enough to be printed


@draws(LandSpec)
def land(drawing: Drawing, spec: LandSpec, element: Element, box: Rect) -> Rect:
    """Draw a piece of land with an uneven edge, and the lines of water around it."""
    outline = coast(box, spec.land(drawing.scope), spec.rough(drawing.scope), spec.radius(drawing.scope))
    if spec.water is not None:
        for ring in range(spec.rings, 0, -1):
            shore = closed(spread(outline, box, ring * spec.apart))
            drawing.nodes.append(Path(shore, None, Stroke(drawing.pen(spec.water), PEN)))
    drawing.shape(Path(closed(outline)), spec.fill, spec.stroke, box)
    return box


@draws(RoadSpec)
def road(drawing: Drawing, spec: RoadSpec, element: Element, box: Rect) -> Rect:
    """Draw a line that bends a little on its way from point to point."""
    points = [share(box, point) for point in spec.road]
    way = through(wandering(points, spec.seed(drawing.scope), spec.stray(drawing.scope)))
    if spec.edge is not None:
        drawing.nodes.append(Path(way, None, drawing.stroke(spec.edge)))
    drawing.nodes.append(Path(way, None, drawing.stroke(spec.stroke)))
    return box


@draws(MarksSpec)
def scattered(drawing: Drawing, spec: MarksSpec, element: Element, box: Rect) -> Rect:
    """Draw small trees, peaks or ruins where nothing is to be read."""
    scope = drawing.scope
    kinds = spec.of(scope).split()
    for kind in kinds:
        if kind not in MARKS:
            raise NoSuchName(f"there is no mark {kind!r}", did_you_mean(kind, MARKS))
    ink = Ink(drawing.pen(spec.colour), drawing.ground(spec.light) or WHITE, spec.pen)
    count, size = round(spec.count(scope)), spec.size(scope)
    drawing.nodes += marks(box, spec.marks(scope), kinds, count, size, _areas(drawing, spec, box), ink)
    return box


def _areas(drawing: Drawing, spec: MarksSpec, box: Rect) -> list[Rect]:
    """Return the areas to keep free. Raises ExpressionError if they are not lists of four numbers."""
    if spec.avoid is None:
        return []
    areas = []
    for area in drawing.listed(spec.avoid):
        if len(area) != 4:
            raise ExpressionError(f"an area is x, y, width and height, found {area!r}")
        x, y, width, height = (float(number) for number in area)
        areas.append(Rect(box.x + x, box.y + y, width, height))
    return areas

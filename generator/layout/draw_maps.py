"""Draw parts of maps: land with a coast, roads, and small marks such as trees, peaks and ruins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import atan2, ceil, cos, hypot, pi, sin
from random import Random

from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.generator.layout.drawing import FaceDrawing, compute_point_at_shares_of_rect, register_element_drawer
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.layout.layout_files import Element
from playproof.generator.layout.model import LandSpec, MarksSpec, RoadSpec
from playproof.generator.layout.text_styles import NoSuchName
from playproof.generator.scene import (
    WHITE,
    Colour,
    Command,
    Node,
    Path,
    Rect,
    Stroke,
    build_circle_path,
    build_ellipse_path,
    build_polygon_path,
    build_rectangle_path,
)

# Draw parts of maps: land, roads and marks.

PEN = 0.25  # mm: the lines of marks, thick enough to be printed


@register_element_drawer(LandSpec)
def draw_map_land_element(drawing: FaceDrawing, spec: LandSpec, element: Element, box: Rect) -> Rect:
    """Draw a piece of land with an uneven edge, and the lines of water around it."""
    outline = build_random_coast_points(
        box, spec.land(drawing.scope), spec.rough(drawing.scope), spec.radius(drawing.scope)
    )
    if spec.water is not None:
        for ring in range(spec.rings, 0, -1):
            shore = build_closed_spline_path(scale_outline_points_outwards(outline, box, ring * spec.apart))
            drawing.nodes.append(Path(shore, None, Stroke(drawing.resolve_line_colour_for_ink(spec.water), PEN)))
    drawing.draw_filled_and_stroked_outline(Path(build_closed_spline_path(outline)), spec.fill, spec.stroke, box)
    return box


@register_element_drawer(RoadSpec)
def draw_map_road_element(drawing: FaceDrawing, spec: RoadSpec, element: Element, box: Rect) -> Rect:
    """Draw a line that bends a little on its way from point to point."""
    points = [compute_point_at_shares_of_rect(box, point) for point in spec.road]
    way = build_open_spline_path(build_random_winding_line(points, spec.seed(drawing.scope), spec.stray(drawing.scope)))
    if spec.edge is not None:
        drawing.nodes.append(Path(way, None, drawing.resolve_stroke_for_ink_or_none(spec.edge)))
    drawing.nodes.append(Path(way, None, drawing.resolve_stroke_for_ink_or_none(spec.stroke)))
    return box


@register_element_drawer(MarksSpec)
def draw_map_marks_element(drawing: FaceDrawing, spec: MarksSpec, element: Element, box: Rect) -> Rect:
    """Draw small trees, peaks or ruins where nothing is to be read."""
    scope = drawing.scope
    kinds = spec.of(scope).split()
    for kind in kinds:
        if kind not in MARKS:
            raise NoSuchName(f"there is no mark {kind!r}", make_nearest_or_possible_words_hint(kind, MARKS))
    ink = MapMarkColours(
        drawing.resolve_line_colour_for_ink(spec.colour),
        drawing.resolve_ground_colour_or_none_for_white(spec.light) or WHITE,
        spec.pen,
    )
    count, size = round(spec.count(scope)), spec.size(scope)
    drawing.nodes += draw_random_map_marks(
        box, spec.marks(scope), kinds, count, size, _list_areas_to_avoid_or_raise(drawing, spec, box), ink
    )
    return box


def _list_areas_to_avoid_or_raise(drawing: FaceDrawing, spec: MarksSpec, box: Rect) -> list[Rect]:
    """Return the areas to keep free. Raises ExpressionError if they are not lists of four numbers."""
    if spec.avoid is None:
        return []
    areas = []
    for area in drawing.evaluate_to_items_or_range_of_count(spec.avoid):
        if len(area) != 4:
            raise ExpressionError(f"an area is x, y, width and height, found {area!r}")
        x, y, width, height = (float(number) for number in area)
        areas.append(Rect(box.x + x, box.y + y, width, height))
    return areas


# -- maps ----------------------------------------------------------------------------------------------------
# Parts of drawn maps: land with a coast, roads, and small marks such as trees, peaks and ruins.

Point = tuple[float, float]
STEP = 9.0
"""How far apart (mm) the points of a coast are before they stray."""
TENSION = 6.0
"""A Catmull-Rom spline has its handles at a sixth of the way between a point's neighbours."""


def build_random_coast_points(box: Rect, seed: str, max_stray_mm: float, radius: float) -> list[Point]:
    """Return points of an uneven outline inside a box. None strays further than ``max_stray_mm`` (mm) from
    its edge."""
    random = Random(f"coast {seed}")
    points = []
    for x, y, outward in _list_rounded_box_points_with_out_angles(box.expand(-max_stray_mm / 2), radius):
        stray = random.uniform(-0.5, 0.5) * max_stray_mm
        points.append((x + cos(outward) * stray, y + sin(outward) * stray))
    return points


def _list_rounded_box_points_with_out_angles(box: Rect, radius: float) -> list[tuple[float, float, float]]:
    """Return points along a rounded rectangle, clockwise, each with the angle that leads out."""
    radius = min(radius, box.width / 2, box.height / 2)
    inner = box.expand(-radius)
    sides = (
        ((inner.x, box.y), (inner.right, box.y), (inner.right, inner.y), -pi / 2),
        ((box.right, inner.y), (box.right, inner.bottom), (inner.right, inner.bottom), 0.0),
        ((inner.right, box.bottom), (inner.x, box.bottom), (inner.x, inner.bottom), pi / 2),
        ((box.x, inner.bottom), (box.x, inner.y), (inner.x, inner.y), pi),
    )
    points = []
    for (ax, ay), (bx, by), (cx, cy), outward in sides:
        length = hypot(bx - ax, by - ay)
        pieces = ceil(length / STEP)
        # Points close together would stray into a barb, so a short side has one, in its middle.
        shares = [at / pieces for at in range(pieces + 1)] if length > STEP / 2 else [0.5]
        for share in shares:
            points.append((ax + (bx - ax) * share, ay + (by - ay) * share, outward))
        turn = outward + pi / 4
        points.append((cx + cos(turn) * radius, cy + sin(turn) * radius, turn))
    return points


def build_closed_spline_path(points: Sequence[Point]) -> tuple[Command, ...]:
    """Return a smooth closed curve through the points (a Catmull-Rom spline)."""
    count = len(points)
    commands: list[Command] = [("M", points[0])]
    for at in range(count):
        around = (points[at - 1], points[at], points[(at + 1) % count], points[(at + 2) % count])
        commands.append(_build_spline_segment(*around))
    return (*commands, ("Z", ()))


def build_open_spline_path(points: Sequence[Point]) -> tuple[Command, ...]:
    """Return a smooth open curve through the points (a Catmull-Rom spline)."""
    ends = [points[0], *points, points[-1]]
    pieces = (_build_spline_segment(*ends[at : at + 4]) for at in range(len(points) - 1))
    return (("M", points[0]), *pieces)


def _build_spline_segment(before: Point, start: Point, end: Point, after: Point) -> Command:
    first = (start[0] + (end[0] - before[0]) / TENSION, start[1] + (end[1] - before[1]) / TENSION)
    second = (end[0] - (after[0] - start[0]) / TENSION, end[1] - (after[1] - start[1]) / TENSION)
    return ("C", (*first, *second, *end))


def scale_outline_points_outwards(points: Sequence[Point], box: Rect, distance_mm: float) -> list[Point]:
    """Return an outline moved outwards by ``distance_mm`` mm, seen from the middle of its box."""
    middle_x, middle_y = box.centre
    across, down = 1 + 2 * distance_mm / box.width, 1 + 2 * distance_mm / box.height
    return [(middle_x + (x - middle_x) * across, middle_y + (y - middle_y) * down) for x, y in points]


def build_random_winding_line(points: Sequence[Point], seed: str, max_stray_mm: float) -> list[Point]:
    """Return a line with a point more between each two, up to ``max_stray_mm`` mm off the straight way."""
    random = Random(f"road {seed}")
    way = [points[0]]
    for (ax, ay), (bx, by) in pairwise(points):
        across = atan2(by - ay, bx - ax) + pi / 2
        off = random.uniform(-max_stray_mm, max_stray_mm)
        way.append(((ax + bx) / 2 + cos(across) * off, (ay + by) / 2 + sin(across) * off))
        way.append((bx, by))
    return way


# -- marks ----------------------------------------------------------------------------------------------------------


def draw_random_map_marks(
    box: Rect,
    seed: str,
    kinds: Sequence[str],
    count: int,
    size: float,
    areas_to_avoid: Sequence[Rect],
    colours: MapMarkColours,
) -> list[Node]:
    """Return up to ``count`` small drawings spread over a box, none of them on an area of ``areas_to_avoid`` or
    on another. Those further down are nearer, so they are drawn later.

    Raises KeyError for a kind that is not in `MARKS`.
    """
    random = Random(f"marks {seed}")
    taken: list[Rect] = list(areas_to_avoid)
    placed: list[tuple[float, float, str, float]] = []
    for _ in range(count * 12):
        if len(placed) == count:
            break
        kind, height = random.choice(list(kinds)), size * random.uniform(0.75, 1.15)
        x = random.uniform(box.x + height / 2, box.right - height / 2)
        foot = random.uniform(box.y + height, box.bottom)
        place = Rect(x - height * 0.6, foot - height, height * 1.2, height * 1.1)
        if any(place.overlaps(other) for other in taken):
            continue
        taken.append(place)
        placed.append((foot, x, kind, height))
    nodes: list[Node] = []
    for foot, x, kind, height in sorted(placed):
        nodes += MARKS[kind](x, foot, height, colours, random)
    return nodes


class MapMarkColours:
    """The colours of marks: what they are drawn in, their lit side, and their lines (mm)."""

    def __init__(self, dark: Colour, light: Colour, pen: float) -> None:
        self.dark, self.light = dark, light
        self.shade = dark.mix_with(light, 0.45)
        self.line = Stroke(dark, pen, (), "round", "round")


DrawMark = Callable[[float, float, float, MapMarkColours, Random], list[Node]]


def _draw_peak_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    half, top = height * random.uniform(0.5, 0.62), (x + height * random.uniform(-0.08, 0.08), foot - height)
    ridge = (top[0] + height * 0.06, foot - height * 0.45)
    left, right = (x - half, foot), (x + half, foot)
    fold = (x + height * 0.02, foot)
    return [
        build_polygon_path((left, top, right), ink.light, ink.line),
        build_polygon_path((top, right, fold, ridge), ink.shade),
        Path((("M", left), ("L", top), ("L", right)), None, ink.line),
    ]


def _draw_hill_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    half, top = height * 0.6, foot - height * random.uniform(0.5, 0.65)
    dome: tuple[Command, ...] = (
        ("M", (x - half, foot)),
        ("C", (x - half * 0.5, top, x + half * 0.5, top, x + half, foot)),
    )
    slope = ("C", (x + half * 0.3, foot - height * 0.3, x + half * 0.6, foot - height * 0.15, x + half, foot))
    shade: tuple[Command, ...] = (("M", (x + half * 0.15, foot - height * 0.42)), slope)
    return [Path(dome, ink.light), Path(dome, None, ink.line), Path(shade, None, ink.line)]


def _draw_pine_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    nodes: list[Node] = [
        build_rectangle_path(Rect(x - height * 0.04, foot - height * 0.2, height * 0.08, height * 0.2), ink.dark)
    ]
    for low, high, wide in ((0.15, 0.6, 0.28), (0.36, 0.82, 0.22), (0.58, 1.0, 0.16)):
        boughs = (
            (x - wide * height, foot - low * height),
            (x, foot - high * height),
            (x + wide * height, foot - low * height),
        )
        nodes.append(build_polygon_path(boughs, ink.shade, ink.line))
    return nodes


def _draw_tree_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    crown = build_ellipse_path(x, foot - height * 0.62, height * 0.3, height * 0.36, ink.light, ink.line)
    shade = build_ellipse_path(x + height * 0.1, foot - height * 0.55, height * 0.16, height * 0.24, ink.shade)
    stem = build_rectangle_path(Rect(x - height * 0.04, foot - height * 0.28, height * 0.08, height * 0.28), ink.dark)
    return [stem, crown, shade]


def _draw_rock_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    lean = height * random.uniform(-0.1, 0.1)
    top = foot - height * 0.6
    outline = (
        (x - height * 0.4, foot),
        (x - height * 0.28 + lean, top + height * 0.16),
        (x + lean, top),
        (x + height * 0.3, top + height * 0.24),
        (x + height * 0.42, foot),
    )
    return [
        build_polygon_path(outline, ink.light, ink.line),
        build_polygon_path((outline[2], outline[3], outline[4], (x + height * 0.1, foot)), ink.shade),
    ]


def _draw_ruin_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    """Return broken columns on a step, one of them with its capital."""
    step = build_rectangle_path(
        Rect(x - height * 0.55, foot - height * 0.1, height * 1.1, height * 0.1), ink.light, ink.line
    )
    nodes: list[Node] = [step]
    for at, share in enumerate((-0.36, 0.0, 0.36)):
        tall = height * (0.85 if at == 0 else random.uniform(0.35, 0.7))
        left = x + share * height - height * 0.09
        shaft = Rect(left, foot - height * 0.1 - tall, height * 0.18, tall)
        shadow = Rect(left + height * 0.1, shaft.y, height * 0.08, tall)
        nodes += [build_rectangle_path(shaft, ink.light, ink.line), build_rectangle_path(shadow, ink.shade)]
        if at == 0:
            capital = Rect(left - height * 0.05, shaft.y - height * 0.07, height * 0.28, height * 0.07)
            nodes.append(build_rectangle_path(capital, ink.light, ink.line))
    return nodes


def _draw_wave_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    wide, crest = height * 0.3, foot - height * 0.5
    rise = ("C", (x - wide * 1.4, crest - height * 0.2, x - wide * 0.6, crest - height * 0.2, x, crest))
    fall = ("C", (x + wide * 0.6, crest + height * 0.2, x + wide * 1.4, crest + height * 0.2, x + 2 * wide, crest))
    return [Path((("M", (x - 2 * wide, crest)), rise, fall), None, ink.line)]


def _draw_reeds_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    blades: list[Node] = []
    for off, tall in ((-0.2, 0.5), (-0.07, 0.75), (0.08, 0.62), (0.22, 0.42)):
        tip = (x + off * height * 1.7, foot - tall * height)
        bend = ("C", (x + off * height, foot - tall * height * 0.5, *tip, *tip))
        blades.append(Path((("M", (x + off * height * 0.6, foot)), bend), None, ink.line))
    return blades


def _draw_tower_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    wide = height * 0.34
    wall = Rect(x - wide / 2, foot - height * 0.72, wide, height * 0.72)
    shadow = Rect(x + wide * 0.1, wall.y, wide * 0.4, wall.height)
    door = Rect(x - wide * 0.14, foot - height * 0.2, wide * 0.28, height * 0.2)
    roof = ((x - wide * 0.7, wall.y), (x, foot - height), (x + wide * 0.7, wall.y))
    return [
        build_rectangle_path(wall, ink.light, ink.line),
        build_rectangle_path(shadow, ink.shade),
        build_rectangle_path(door, ink.dark, None, wide * 0.14, True),
        build_polygon_path(roof, ink.shade, ink.line),
    ]


def _draw_boat_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    side = 1 if random.random() < 0.5 else -1
    rim = foot - height * 0.26
    hull: tuple[Command, ...] = (
        ("M", (x - height * 0.46, rim)),
        ("L", (x + height * 0.46, rim)),
        ("C", (x + height * 0.3, foot, x - height * 0.3, foot, x - height * 0.46, rim)),
        ("Z", ()),
    )
    sail = ((x, foot - height), (x, rim - height * 0.06), (x + side * height * 0.4, rim - height * 0.06))
    mast = Path((("M", (x, foot - height)), ("L", (x, rim))), None, ink.line)
    return [Path(hull, ink.shade, ink.line), build_polygon_path(sail, ink.light, ink.line), mast]


def _draw_volcano_mark(x: float, foot: float, height: float, ink: MapMarkColours, random: Random) -> list[Node]:
    """Return a fire mountain: a cut peak with smoke."""
    half, rim = height * 0.58, foot - height * 0.66
    cone = ((x - half, foot), (x - height * 0.16, rim), (x + height * 0.16, rim), (x + half, foot))
    shade = ((x + height * 0.05, rim), (x + height * 0.16, rim), (x + half, foot), (x + height * 0.12, foot))
    puffs = ((0.02, 0.78, 0.09), (0.12, 0.92, 0.11))
    smoke = [
        build_circle_path(x + at * height, foot - up * height, wide * height, ink.light, ink.line)
        for at, up, wide in puffs
    ]
    return [build_polygon_path(cone, ink.light, ink.line), build_polygon_path(shade, ink.shade), *smoke]


MARKS: dict[str, DrawMark] = {
    "boat": _draw_boat_mark,
    "fire": _draw_volcano_mark,
    "hill": _draw_hill_mark,
    "peak": _draw_peak_mark,
    "pine": _draw_pine_mark,
    "reeds": _draw_reeds_mark,
    "rock": _draw_rock_mark,
    "ruin": _draw_ruin_mark,
    "tower": _draw_tower_mark,
    "tree": _draw_tree_mark,
    "wave": _draw_wave_mark,
}
"""What can stand on a map, by its name in layouts."""

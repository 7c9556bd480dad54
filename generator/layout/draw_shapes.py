"""Draw shapes, frames, patterns and arrows."""

from __future__ import annotations

from collections.abc import Sequence
from math import atan2, cos, hypot, pi, radians, sin

from playproof.generator.art.outlines import parse_svg_path_to_absolute_commands
from playproof.generator.layout.drawing import FaceDrawing, compute_point_at_shares_of_rect, register_element_drawer
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.layout.layout_files import Element
from playproof.generator.layout.model import ArrowSpec, FrameSpec, PatternSpec, ShapeSpec
from playproof.generator.scene import (
    Colour,
    Command,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_circle_path,
    build_ellipse_path,
    build_polygon_path,
    build_rectangle_path,
)

Point = tuple[float, float]


@register_element_drawer(ShapeSpec)
def draw_shape_element(drawing: FaceDrawing, spec: ShapeSpec, element: Element, box: Rect) -> Rect:
    """Draw a filled or stroked shape in its box."""
    drawing.draw_filled_and_stroked_outline(_build_shape_outline(drawing, spec, box), spec.fill, spec.stroke, box)
    return box


def _build_shape_outline(drawing: FaceDrawing, spec: ShapeSpec, box: Rect) -> Path:
    if spec.shape == "rect":
        return build_rectangle_path(box, radius=spec.radius(drawing.scope), square_below=spec.tab)
    if spec.shape == "ellipse":
        return build_ellipse_path(*box.centre, box.width / 2, box.height / 2)
    if spec.shape == "hexagon":
        return build_flat_topped_hexagon(*box.centre, min(box.width, box.height / (3**0.5 / 2)) / 2)
    if spec.shape == "path":
        return Path(parse_path_in_shares_of_box(spec.path, box))
    points = tuple(compute_point_at_shares_of_rect(box, point) for point in spec.points or [(0, 0), (1, 1)])
    closed = build_polygon_path(points)
    return closed if spec.shape == "polygon" else Path(closed.commands[:-1])


def parse_path_in_shares_of_box(path_data: str, box: Rect) -> tuple[Command, ...]:
    """Return path data in shares of the box as commands in mm. Raises ExpressionError if the data
    does not parse."""
    try:
        commands = parse_svg_path_to_absolute_commands(path_data)
    except ValueError as error:
        raise ExpressionError(f"cannot work out the path: {error}") from None
    return tuple((letter, _scale_share_coordinates_to_box(points, box)) for letter, points in commands)


def _scale_share_coordinates_to_box(points: Sequence[float], box: Rect) -> tuple[float, ...]:
    """Return the coordinates x, y, x, y ... of a path in mm."""
    return tuple(
        (box.y + value * box.height) if at % 2 else (box.x + value * box.width) for at, value in enumerate(points)
    )


def build_flat_topped_hexagon(x: float, y: float, radius: float) -> Path:
    """Return a hexagon with a flat top, ``radius`` mm from its middle to its corners."""
    corners = tuple((x + radius * cos(radians(60 * k)), y + radius * sin(radians(60 * k))) for k in range(6))
    return build_polygon_path(corners)


@register_element_drawer(FrameSpec)
def draw_frame_element_and_get_inner_area(drawing: FaceDrawing, spec: FrameSpec, element: Element, box: Rect) -> Rect:
    """Draw a border along the inside of its box. Return the area that it leaves free."""
    colour, radius = drawing.resolve_line_colour_for_ink(spec.colour), spec.radius(drawing.scope)
    pen, gap = drawing.kit.ink.get_line_width_to_print(spec.width), spec.width * 2.2
    drawing.nodes.append(build_rectangle_path(box.expand(-spec.width / 2), None, Stroke(colour, pen), radius))
    if spec.frame == "line":
        return box.expand(-spec.width)
    inner = box.expand(-spec.width - gap)
    drawing.nodes.append(build_rectangle_path(inner, None, Stroke(colour, pen * 0.4), max(radius - gap, 0.01)))
    if spec.frame == "storybook":
        drawing.nodes.extend(_build_two_leaves_per_corner(inner, pen * 5, colour))
    return box.expand(-spec.width * 1.2 - gap)


def _build_two_leaves_per_corner(box: Rect, size: float, colour: Colour) -> list[Node]:
    """Return two leaves in each corner."""
    outline = parse_svg_path_to_absolute_commands("M0 0 C0.5 -0.35 0.9 -0.2 1 0 C0.8 0.25 0.4 0.3 0 0 Z")
    leaf = Path(outline, colour)
    corners = ((box.x, box.y, 45), (box.right, box.y, 135), (box.right, box.bottom, 225), (box.x, box.bottom, 315))
    nodes: list[Node] = []
    for x, y, angle in corners:
        for turn in (-28, 28):
            place = Transform.scale(size).then(Transform.rotate(angle + turn)).then(Transform.move(x, y))
            nodes.append(Group((leaf,), place))
    return nodes


MOTIFS = {
    "leaves": "M0.5 0.1 C0.85 0.3 0.85 0.65 0.5 0.9 C0.15 0.65 0.15 0.3 0.5 0.1 Z",
    "diamonds": "M0.5 0.12 L0.82 0.5 L0.5 0.88 L0.18 0.5 Z",
    "waves": "M0 0.5 C0.25 0.2 0.25 0.2 0.5 0.5 C0.75 0.8 0.75 0.8 1 0.5 L1 0.62"
    " C0.75 0.92 0.75 0.92 0.5 0.62 C0.25 0.32 0.25 0.32 0 0.62 Z",
    "spirals": "M0.5 0.5 C0.5 0.4 0.64 0.42 0.64 0.54 C0.64 0.7 0.36 0.7 0.34 0.5"
    " C0.32 0.26 0.72 0.22 0.76 0.5 L0.7 0.5 C0.66 0.3 0.4 0.32 0.41 0.5"
    " C0.42 0.62 0.58 0.62 0.57 0.54 C0.57 0.5 0.53 0.5 0.5 0.5 Z",
    "bricks": "M0.04 0.1 L0.96 0.1 L0.96 0.46 L0.04 0.46 Z",
}


@register_element_drawer(PatternSpec)
def draw_pattern_element(drawing: FaceDrawing, spec: PatternSpec, element: Element, box: Rect) -> Rect:
    """Draw a motif in staggered rows, cut to the box."""
    ground, colour = (
        drawing.resolve_ground_colour_or_none_for_white(spec.ground),
        drawing.resolve_ground_colour_or_none_for_white(spec.colour),
    )
    if ground is not None:
        drawing.nodes.append(build_rectangle_path(box, ground))
    if colour is None:
        return box
    key = ("pattern", spec.pattern, colour, box, spec.size)
    nodes = drawing.kit.scenes.get(key)
    if nodes is None:
        uses = _list_symbol_uses_in_staggered_rows(
            _get_or_build_pattern_symbol(drawing, spec.pattern, colour), box, spec.size
        )
        nodes = drawing.kit.scenes[key] = (Group(tuple(uses), clip=build_rectangle_path(box)),)
    drawing.nodes += nodes
    return box


def _get_or_build_pattern_symbol(drawing: FaceDrawing, pattern: str, colour: Colour) -> Symbol:
    key = ("pattern", pattern, colour)
    motif = drawing.kit.statics.get(key)
    if motif is None:
        mark: Node = (
            build_circle_path(0.5, 0.5, 0.16, colour)
            if pattern == "dots"
            else Path(parse_svg_path_to_absolute_commands(MOTIFS[pattern]), colour)
        )
        name = f"pattern.{pattern}.{colour.hex}"
        motif = drawing.kit.statics[key] = Symbol(name, Rect(0, 0, 1, 1), (mark,))
    return motif


def _list_symbol_uses_in_staggered_rows(motif: Symbol, box: Rect, tile_size: float) -> list[Node]:
    uses: list[Node] = []
    row = 0
    step = tile_size * 0.8
    while row * step < box.height + tile_size:
        shift = tile_size / 2 if row % 2 else 0.0
        column = -1
        while column * tile_size + shift < box.width:
            place = Transform(
                tile_size, 0, 0, tile_size, box.x + column * tile_size + shift, box.y + row * step - tile_size / 2
            )
            uses.append(Use(motif, place))
            column += 1
        row += 1
    return uses


@register_element_drawer(ArrowSpec)
def draw_arrow_element(drawing: FaceDrawing, spec: ArrowSpec, element: Element, box: Rect) -> Rect:
    """Draw an arrow along a line of points, or a lane if it has no head."""
    points = [compute_point_at_shares_of_rect(box, point) for point in spec.arrow]
    width, head = spec.width(drawing.scope), spec.head(drawing.scope)
    drawing.draw_filled_and_stroked_outline(
        build_polygon_path(tuple(_build_arrow_outline_points(points, width, head))), spec.fill, spec.stroke, box
    )
    return box


def _build_arrow_outline_points(points: list[Point], width: float, head: float) -> list[Point]:
    """Return the outline: both sides of the line, and the head at its end. Corners are mitred."""
    tip, before = points[-1], points[-2]
    angle = atan2(tip[1] - before[1], tip[0] - before[0])
    reach = min(head * 0.9, hypot(tip[0] - before[0], tip[1] - before[1]))
    neck = (tip[0] - cos(angle) * reach, tip[1] - sin(angle) * reach) if head else tip
    spine = [*points[:-1], neck]
    left, right = _move_line_points_sideways(spine, width / 2), _move_line_points_sideways(spine, -width / 2)
    if not head:
        return [*left, *reversed(right)]
    across = angle + pi / 2
    wing = head / 2 + width / 2
    left_corner = (neck[0] + cos(across) * wing, neck[1] + sin(across) * wing)
    right_corner = (neck[0] - cos(across) * wing, neck[1] - sin(across) * wing)
    return [*left, left_corner, tip, right_corner, *reversed(right)]


def _move_line_points_sideways(points: list[Point], offset: float) -> list[Point]:
    """Return the spine moved sideways by ``offset``. Each corner keeps the same distance from both
    its segments."""
    moved = []
    for at, (x, y) in enumerate(points):
        angles = []
        if at:
            angles.append(atan2(y - points[at - 1][1], x - points[at - 1][0]))
        if at + 1 < len(points):
            angles.append(atan2(points[at + 1][1] - y, points[at + 1][0] - x))
        half = (angles[-1] - angles[0]) / 2
        half = (half + pi / 2) % pi - pi / 2
        across = angles[0] + half + pi / 2
        reach = offset / max(cos(half), 0.2)
        moved.append((x + cos(across) * reach, y + sin(across) * reach))
    return moved

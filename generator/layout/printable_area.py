"""What a face draws beyond its canvas: text, icons and pictures there are cut off or never seen.

Decoration may run into the bleed and beyond it. What people read may not: a text or an icon keeps
inside the cut, and a picture inside the bleed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import NamedTuple

from playproof.database.errors import Where
from playproof.generator.scene import (
    IDENTITY,
    MM_PER_PT,
    Glyphs,
    Group,
    Image,
    Node,
    Path,
    Rect,
    Symbol,
    Transform,
    Use,
)

SLACK = 0.05  # mm, from rounding
# of the type size: from the baseline to the top of capitals, and to the foot of a "p"
ASCENT, DESCENT = (0.66, 0.2)
PICTURE = "picture."  # how the names of SVG pictures begin


class CutOffContent(NamedTuple):
    """Something that lies beyond the canvas: what it is, beyond which edge, and where its element
    is written (None if the drawing was not traced)."""

    what: str
    edge: str
    where: Where | None

    def format_message(self, trim: Rect, bleed: float) -> str:
        """Return what is wrong, in words that are the same for all cards drawn alike."""
        size = f"{trim.width:g} x {trim.height:g} mm"
        if self.what == "shape":
            return f"this shape lies beyond the {self.edge} edge of the {size} that are printed, so nobody sees it"
        if self.what == "picture":
            area = f"{size} and {bleed:g} mm of bleed"
            return f"this picture reaches beyond the {self.edge} edge of {area}, and is cut off"
        return f"this {self.what} reaches beyond the {self.edge} edge of {size}, or of a clip, and is cut off"

    @property
    def hint(self) -> str:
        """What mends it."""
        if self.what == "picture":
            return "keep its box within `bleed`, or crop it in a group with `clip: true`"
        return "a box counts from the upper left corner; `right` and `bottom` are distances inwards"


@dataclass(frozen=True, slots=True)
class PrintableArea:
    """The part of a face that people see. `shape` is what is cut out of the trim; `icons` are the ids of the symbols
    that are icons."""

    trim: Rect
    bleed: Rect
    shape: str  # rect, circle or hexagon
    icons: Set[int]

    def iter_content_beyond_canvas(self, nodes: Iterable[Node]) -> Iterator[CutOffContent]:
        """Yield what the nodes draw beyond the canvas."""
        yield from self._iter_cut_off_content_of_nodes(
            nodes, IDENTITY, _VisibleRegion(self.trim, self.bleed, None, False)
        )

    def _iter_cut_off_content_of_nodes(
        self, nodes: Iterable[Node], transform_so_far: Transform, visible_region: _VisibleRegion
    ) -> Iterator[CutOffContent]:
        pattern: Symbol | None = None  # it has thousands of uses
        for node in nodes:
            if isinstance(node, Use):
                if node.symbol is pattern:
                    continue
                if visible_region.clipped and self._is_decorative_pattern(node.symbol):
                    pattern = node.symbol
                else:
                    yield from self._iter_cut_off_content_of_use(node, transform_so_far, visible_region)
            elif isinstance(node, Glyphs):
                box = transform_so_far.transform_bounding_box(_estimate_text_line_box(node))
                # a faster question than the next
                if self.shape != "rect" or not visible_region.reading.contains(box, SLACK):
                    yield from self._iter_cut_off_text_or_icon("text", box, visible_region)
            elif isinstance(node, Group):
                yield from self._iter_cut_off_content_of_group(node, transform_so_far, visible_region)
            elif isinstance(node, Image):
                yield from self._iter_cut_off_picture_unless_clipped(
                    transform_so_far.transform_bounding_box(node.rect), visible_region
                )
            elif not visible_region.clipped and (bounds := _compute_control_point_bounds_or_none(node)) is not None:
                yield from self._iter_shape_wholly_outside(
                    "shape", transform_so_far.transform_bounding_box(bounds), visible_region
                )

    def _iter_cut_off_content_of_group(
        self, group: Group, transform_so_far: Transform, visible_region: _VisibleRegion
    ) -> Iterator[CutOffContent]:
        if group.source:
            visible_region = visible_region._replace(where=group.source[0])
        inner = group.transform.then(transform_so_far) if transform_so_far is not IDENTITY else group.transform
        if group.clip is not None:
            window = _compute_control_point_bounds_or_none(group.clip)
            if window is None:
                return
            seen = inner.transform_bounding_box(window)
            yield from self._iter_cut_off_picture_unless_clipped(seen, visible_region)
            visible_region = visible_region._replace(
                reading=visible_region.reading.intersect_or_get_empty_rectangle(seen), clipped=True
            )
        yield from self._iter_cut_off_content_of_nodes(group.children, inner, visible_region)

    def _is_decorative_pattern(self, symbol: Symbol) -> bool:
        """Return whether a symbol has nothing that people read: it is no icon, and holds only shapes."""
        return id(symbol) not in self.icons and all(isinstance(child, Path) for child in symbol.children)

    def _iter_cut_off_content_of_use(
        self, use: Use, transform_so_far: Transform, visible_region: _VisibleRegion
    ) -> Iterator[CutOffContent]:
        inner = use.transform.then(transform_so_far) if transform_so_far is not IDENTITY else use.transform
        if id(use.symbol) in self.icons:
            yield from self._iter_cut_off_text_or_icon(
                "icon", inner.transform_bounding_box(use.symbol.bounds), visible_region
            )
        elif use.symbol.name.startswith(PICTURE):
            yield from self._iter_cut_off_picture_unless_clipped(
                inner.transform_bounding_box(use.symbol.bounds), visible_region
            )
        else:
            yield from self._iter_cut_off_content_of_nodes(use.symbol.children, inner, visible_region)

    def _iter_cut_off_text_or_icon(
        self, kind: str, box: Rect, visible_region: _VisibleRegion
    ) -> Iterator[CutOffContent]:
        """Yield what people read or look for and what the cut or a clip takes away."""
        edge = _find_most_crossed_edge_or_empty(box, visible_region.reading)
        if not edge and self.shape != "rect":
            # An icon seldom fills the corners of its box; a line of text fills its box.
            points = _iter_corners_of_box(box) if kind == "text" else _iter_middle_points_of_box_sides(box)
            if self.shape == "circle":
                edge = "" if _are_points_in_inscribed_circle(points, self.trim) else "round"
            else:
                edge = "" if _are_points_in_inscribed_hexagon(points, self.trim) else "slanted"
        if edge:
            yield CutOffContent(kind, edge, visible_region.where)

    def _iter_cut_off_picture_unless_clipped(
        self, box: Rect, visible_region: _VisibleRegion
    ) -> Iterator[CutOffContent]:
        edge = "" if visible_region.clipped else _find_most_crossed_edge_or_empty(box, visible_region.printed)
        if edge:
            yield CutOffContent("picture", edge, visible_region.where)

    def _iter_shape_wholly_outside(
        self, kind: str, box: Rect, visible_region: _VisibleRegion
    ) -> Iterator[CutOffContent]:
        """Yield a shape of which nothing is printed."""
        if (
            box.right < visible_region.printed.x
            or box.x > visible_region.printed.right
            or (box.bottom < visible_region.printed.y or box.y > visible_region.printed.bottom)
        ):
            yield CutOffContent(
                kind, _find_most_crossed_edge_or_empty(box, visible_region.printed), visible_region.where
            )


class _VisibleRegion(NamedTuple):
    """What is seen at a place of the tree: the part for reading, the part that is printed, the
    element's place, and whether a clip limits it on purpose."""

    reading: Rect
    printed: Rect
    where: Where | None
    clipped: bool


def _find_most_crossed_edge_or_empty(box: Rect, canvas: Rect) -> str:
    """Return the edge of the canvas that a box crosses most, or "" if it lies within."""
    if canvas.contains(box, SLACK):  # nearly all do
        return ""
    over = {
        "left": canvas.x - box.x,
        "top": canvas.y - box.y,
        "right": box.right - canvas.right,
        "bottom": box.bottom - canvas.bottom,
    }
    edge = max(over, key=lambda name: over[name])
    return edge if over[edge] > SLACK else ""


def _are_points_in_inscribed_circle(points: Iterable[tuple[float, float]], trim: Rect) -> bool:
    x, y = trim.centre
    radius = min(trim.width, trim.height) / 2 + SLACK
    return all(hypot(across - x, down - y) <= radius for across, down in points)


def _are_points_in_inscribed_hexagon(points: Iterable[tuple[float, float]], trim: Rect) -> bool:
    """Return whether points lie in the hexagon that fills the trim: from the middle of the long sides on, each
    quarter of the longer way takes half of the shorter."""
    x, y = trim.centre
    wide = trim.width >= trim.height
    long, short = (trim.width / 2, trim.height / 2) if wide else (trim.height / 2, trim.width / 2)
    for across, down in points:
        along, aside = (abs(across - x), abs(down - y)) if wide else (abs(down - y), abs(across - x))
        if aside > short + SLACK or along - SLACK > long - aside / short * long / 2:
            return False
    return True


def _iter_corners_of_box(box: Rect) -> Iterator[tuple[float, float]]:
    yield from product((box.x, box.right), (box.y, box.bottom))


def _iter_middle_points_of_box_sides(box: Rect) -> Iterator[tuple[float, float]]:
    """Yield the middle of each side."""
    x, y = box.centre
    yield from ((box.x, y), (box.right, y), (x, box.y), (x, box.bottom))


def _compute_control_point_bounds_or_none(path: Path) -> Rect | None:
    """Return a box around a path and its control points; None for an empty path."""
    numbers = [number for _, place in path.commands for number in place]
    if not numbers:
        return None
    xs, ys = numbers[0::2], numbers[1::2]
    return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def iter_drawn_boxes_as_text_or_shape(
    nodes: Iterable[Node], transform_so_far: Transform = IDENTITY
) -> Iterator[tuple[str, Rect]]:
    """Yield the boxes of what nodes draw: "text" for a line, "shape" for a path, a picture, an icon or all that
    a clip holds."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield "text", transform_so_far.transform_bounding_box(_estimate_text_line_box(node))
        elif isinstance(node, Image):
            yield "shape", transform_so_far.transform_bounding_box(node.rect)
        elif isinstance(node, Path):
            box = _compute_control_point_bounds_or_none(node)
            if box is not None:
                yield "shape", transform_so_far.transform_bounding_box(box)
        elif isinstance(node, Use):
            yield from iter_drawn_boxes_as_text_or_shape(node.symbol.children, node.transform.then(transform_so_far))
        elif node.clip is not None and (window := _compute_control_point_bounds_or_none(node.clip)) is not None:
            yield "shape", node.transform.then(transform_so_far).transform_bounding_box(window)
        else:
            yield from iter_drawn_boxes_as_text_or_shape(node.children, node.transform.then(transform_so_far))


def _estimate_text_line_box(line: Glyphs) -> Rect:
    size = line.size * MM_PER_PT
    return Rect(line.x, line.y - ASCENT * size, line.width, (ASCENT + DESCENT) * size)

"""Type that hardly differs from what it is printed on, such as black letters on a night sky."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from playproof.generator.art.svg_geometry import invert_transform
from playproof.generator.scene import (
    IDENTITY,
    WHITE,
    Colour,
    Command,
    Face,
    Glyphs,
    Group,
    Image,
    Node,
    Path,
    Rect,
    Transform,
    Use,
)

LEAST = 1.6
"""Contrast of WCAG 2.2 below which nobody is meant to read a text: 1 is none, 21 black on white, and 4.5 is asked
for on screens."""
_ACROSS = (0.2, 0.5, 0.8)  # where a line of type is compared with its ground, in shares of its width
_UP = 0.12  # mm per point: the middle of small letters above their baseline
_NOWHERE = Rect(0, 0, 0, 0)
_SLICES = 6  # straight pieces that a curve is measured by


class FaintText(NamedTuple):
    """A text, its colour, and the colour of what lies below it."""

    text: str
    ink: Colour
    ground: Colour


@dataclass(frozen=True)
class _DrawnLayer:
    """A node that is no group. Its measures are taken when type lies on it: most layers have none."""

    node: Path | Glyphs | Image
    place: Transform

    @cached_property
    def face_to_node_transform(self) -> Transform | None:
        """The map from the face to the node's own coordinates; None if it has no area."""
        flat = abs(self.place.a * self.place.d - self.place.b * self.place.c) < 1e-12
        return None if flat else invert_transform(self.place)

    @cached_property
    def box(self) -> Rect:
        """A box outside of which the node paints nothing."""
        return _compute_bounding_box(self.node)


def find_faint_type(face: Face) -> Iterator[FaintText]:
    """Yield each line of type whose contrast with its ground is below `LEAST` all along. A ground that is a picture or
    changes its colour is not compared."""
    layers = list(_iter_drawn_layers(face.nodes, IDENTITY))
    for number, layer in enumerate(layers):
        if isinstance(layer.node, Glyphs):
            line = layer.node
            points = [
                layer.place.apply(line.x + line.width * share, line.y - line.size * _UP) for share in _ACROSS
            ]
            grounds = [_find_ground_colour(layers[:number], point) for point in points]
            if all(ground is not None and compute_contrast(line.fill, ground) < LEAST for ground in grounds):
                yield FaintText(line.text, line.fill, grounds[0] or WHITE)


def compute_contrast(colour: Colour, other: Colour) -> float:
    """Return the contrast of two colours by WCAG 2.2, from 1 to 21.

    >>> round(compute_contrast(Colour(0, 0, 0), Colour(1, 1, 1)))
    21
    """
    dark, light = sorted((colour.luminance, other.luminance))
    return (light + 0.05) / (dark + 0.05)


def _iter_drawn_layers(nodes: Sequence[Node], place: Transform) -> Iterator[_DrawnLayer]:
    """Yield what is drawn, lowest first. What is see-through hides nothing, so it is left out."""
    for node in nodes:
        if isinstance(node, Use):
            yield from _iter_drawn_layers(node.symbol.children, node.transform.then(place))
        elif isinstance(node, Group):
            if node.opacity >= 1:
                yield from _iter_drawn_layers(node.children, node.transform.then(place))
        else:
            yield _DrawnLayer(node, place)


def _find_ground_colour(below: Sequence[_DrawnLayer], point: tuple[float, float]) -> Colour | None:
    """Return the colour at a point: paper, if nothing lies there; None for a picture or a gradient."""
    for layer in reversed(below):
        if isinstance(layer.node, Glyphs) or layer.face_to_node_transform is None:
            continue
        x, y = layer.face_to_node_transform.apply(*point)
        if not _contains_point(layer.box, x, y):
            continue
        if isinstance(layer.node, Image):
            return None
        if layer.node.fill is not None and _is_inside_outline(layer.node.commands, x, y):
            return layer.node.fill if isinstance(layer.node.fill, Colour) else None
    return WHITE


def _compute_bounding_box(node: Path | Glyphs | Image) -> Rect:
    """Return the box of a picture, or that of an outline's points and handles: no curve leaves these."""
    if not isinstance(node, Path):
        return node.rect if isinstance(node, Image) else _NOWHERE
    xs = [x for _, numbers in node.commands for x in numbers[0::2]]
    ys = [y for _, numbers in node.commands for y in numbers[1::2]]
    return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)) if xs else _NOWHERE


def _contains_point(rect: Rect, x: float, y: float) -> bool:
    return rect.x <= x <= rect.right and rect.y <= y <= rect.bottom


def _is_inside_outline(commands: Sequence[Command], x: float, y: float) -> bool:
    """Return whether a point lies in an outline, by how often a ray from it crosses the edge."""
    crossed = False
    for (x1, y1), (x2, y2) in _iter_edges(commands, y):
        if (y1 > y) != (y2 > y) and x < (x2 - x1) * (y - y1) / (y2 - y1) + x1:
            crossed = not crossed
    return crossed


def _iter_edges(
    commands: Sequence[Command], height: float
) -> Iterator[tuple[tuple[float, float], tuple[float, float]]]:
    """Yield the edges of an outline, without those of curves that lie all above or all below a height."""
    start = here = (0.0, 0.0)
    for letter, numbers in commands:
        if letter == "M":
            yield here, start
            start = here = (numbers[0], numbers[1])
        elif letter == "L":
            yield here, (numbers[0], numbers[1])
            here = (numbers[0], numbers[1])
        elif letter == "C":
            heights = (here[1], *numbers[1::2])
            if min(heights) <= height < max(heights):
                for there in _iter_curve_points(here, numbers):
                    yield here, there
                    here = there
            here = (numbers[4], numbers[5])
    yield here, start


def _iter_curve_points(start: tuple[float, float], numbers: Sequence[float]) -> Iterator[tuple[float, float]]:
    for step in range(1, _SLICES + 1):
        t = step / _SLICES
        shares = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        xs, ys = (start[0], *numbers[0::2]), (start[1], *numbers[1::2])
        yield (
            sum(share * x for share, x in zip(shares, xs, strict=True)),
            sum(share * y for share, y in zip(shares, ys, strict=True)),
        )

"""Gradients of SVG pictures as paints of the scene (SVG 1.1, 13.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple
from xml.etree.ElementTree import Element

from playproof.generator.art.svg_errors import NotDrawableAsVectors
from playproof.generator.art.svg_use import get_referenced_id
from playproof.generator.scene import (
    Colour,
    LinearGradient,
    Paint,
    RadialGradient,
    Rect,
    Stop,
    Transform,
)

GRADIENTS = ("linearGradient", "radialGradient")
ALIKE = 1e-6  # shares of a length that count as nothing


class GradientPaint(NamedTuple):
    """A paint, the space that it is defined in (mapped to the shape's), and how opaque it is."""

    paint: Paint
    space: Transform
    opacity: float


class StopColour(NamedTuple):
    at: float
    colour: Colour
    opacity: float


def convert_gradient_to_paint(
    gradient: Element,
    ids: Mapping[str, Element],
    box: Rect,
    parse_stop: Callable[[Element], StopColour],
    parse_matrix: Callable[[str], Transform],
) -> GradientPaint | None:
    """Return the paint that a gradient element gives to a shape with these bounds, None if it has no colours. Raises
    ValueError for one that the scene cannot hold."""
    chain = _list_referenced_gradients(gradient, ids)
    listed = next((stops for element in chain if (stops := _parse_stops(element, parse_stop))), [])
    if not listed:
        return None
    if max(stop.opacity for stop in listed) - min(stop.opacity for stop in listed) > 0.01:
        raise NotDrawableAsVectors(
            "a gradient that fades out (its `stop-opacity` changes) cannot be drawn here"
        )
    kind = str(gradient.tag).rpartition("}")[2]
    read = _InheritedAttributes(chain)
    if read.get_text("spreadMethod", "pad") != "pad" and len(listed) > 1:
        raise NotDrawableAsVectors("a gradient that repeats cannot be drawn here")
    matrix = parse_matrix(read.get_text("gradientTransform", ""))
    if read.get_text("gradientUnits", "objectBoundingBox") == "objectBoundingBox":
        matrix = matrix.then(Transform(box.width, 0, 0, box.height, box.x, box.y))
    else:
        read.whole = 0.0
    opacity = listed[0].opacity
    if len(listed) == 1:
        return GradientPaint(listed[0].colour, Transform(), opacity)
    colours = _extend_stops_to_ends(listed)
    if kind == "linearGradient":
        return GradientPaint(_build_linear_gradient(read, matrix, colours), Transform(), opacity)
    paint, space = _build_radial_gradient(read, matrix, colours)
    return GradientPaint(paint, space, opacity)


def _list_referenced_gradients(server: Element, ids: Mapping[str, Element]) -> list[Element]:
    """Return the gradient and those that it refers to: what it does not say, they say."""
    chain = [server]
    while name := get_referenced_id(chain[-1]):
        if name not in ids or ids[name] in chain:
            raise ValueError(f"a gradient refers to {name!r}, which is not in the picture, or to itself")
        chain.append(ids[name])
    return chain


def _parse_stops(element: Element, parse_stop: Callable[[Element], StopColour]) -> list[StopColour]:
    return [parse_stop(child) for child in element if str(child.tag).rpartition("}")[2] == "stop"]


def _extend_stops_to_ends(listed: list[StopColour]) -> tuple[Stop, ...]:
    """Return the stops from 0 to 1, none before its forerunner."""
    stops = [Stop(0.0, listed[0].colour)] if listed[0].at > 0 else []
    highest = 0.0
    for stop in listed:
        highest = max(highest, min(1.0, stop.at))
        stops.append(Stop(highest, stop.colour))
    if highest < 1:
        stops.append(Stop(1.0, stops[-1].colour))
    return tuple(stops)


class _InheritedAttributes:
    """The attributes of a chain of gradients; the first that has one decides."""

    def __init__(self, chain: list[Element]) -> None:
        self.chain = chain
        self.whole = 1.0  # what 100 % is; 0 if only the picture's size would say it

    def get_text(self, name: str, default: str) -> str:
        return next((word for element in self.chain if (word := element.get(name))), default).strip()

    def parse_number(self, name: str, default: str) -> float:
        text = self.get_text(name, default)
        if not text.endswith("%"):
            return float(text.removesuffix("px"))
        share = float(text[:-1]) / 100
        if share and not self.whole:
            raise NotDrawableAsVectors(f"{name}={text!r} of a gradient cannot be drawn here")
        return share * self.whole


def _build_linear_gradient(
    read: _InheritedAttributes, matrix: Transform, stops: tuple[Stop, ...]
) -> LinearGradient:
    """Return the gradient in the shape's own space. Lines of one colour are at a right angle to the gradient's line
    before the matrix; after it, the line's end moves along its colour until the angle is right again."""
    x1, y1 = read.parse_number("x1", "0%"), read.parse_number("y1", "0%")
    x2, y2 = read.parse_number("x2", "100%"), read.parse_number("y2", "0%")
    ax, ay = matrix.apply(x1, y1)
    bx, by = matrix.apply(x2, y2)
    sideways = matrix.apply(x1 - (y2 - y1), y1 + (x2 - x1))
    nx, ny = sideways[1] - ay, ax - sideways[0]
    length = nx * nx + ny * ny
    if not length:
        raise NotDrawableAsVectors("a gradient without length cannot be drawn here")
    share = ((bx - ax) * nx + (by - ay) * ny) / length
    return LinearGradient(ax, ay, ax + nx * share, ay + ny * share, stops)


def _build_radial_gradient(
    read: _InheritedAttributes, matrix: Transform, stops: tuple[Stop, ...]
) -> tuple[RadialGradient, Transform]:
    """Return the gradient, and the space in which it is a circle."""
    cx, cy, radius = (
        read.parse_number("cx", "50%"),
        read.parse_number("cy", "50%"),
        read.parse_number("r", "50%"),
    )
    fx, fy = read.parse_number("fx", str(cx)), read.parse_number("fy", str(cy))
    if max(abs(fx - cx), abs(fy - cy)) > 0.01 * radius:
        raise NotDrawableAsVectors("a radial gradient whose light is not in its middle cannot be drawn here")
    area = abs(matrix.a * matrix.d - matrix.b * matrix.c)
    if not area or not radius:
        raise NotDrawableAsVectors("a gradient without size cannot be drawn here")
    scale = area**0.5
    skewed = abs(matrix.a * matrix.c + matrix.b * matrix.d) + abs(
        matrix.a**2 + matrix.b**2 - matrix.c**2 - matrix.d**2
    )
    if skewed < ALIKE * area:
        return RadialGradient(*matrix.apply(cx, cy), radius * scale, stops), Transform()
    # In a space of the shape's own scale, coordinates keep their digits when they are written.
    space = Transform.scale(1 / scale).then(matrix)
    return RadialGradient(cx * scale, cy * scale, radius * scale, stops), space

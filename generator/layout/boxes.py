"""Place elements: a box spec and the boxes placed before it give a rectangle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from playproof.database.errors import did_you_mean
from playproof.generator.layout.expression import ExpressionError, NoSuchField, Number, Scope
from playproof.generator.layout.model import BoxSpec
from playproof.generator.scene import Rect


class BadBox(ExpressionError):
    """A box whose width or height is zero or negative."""

    code = "PP507"


def resolve_box(spec: BoxSpec, area: Rect, boxes: Mapping[str, Rect], scope: Scope) -> Rect:
    """Return the element's rectangle. Raises BadBox if it has no size, and NoSuchField if it names
    a box that is not placed yet."""
    around = _get_named_box(boxes, spec.inside) if spec.inside else area
    inset = spec.inset(scope)
    if inset:
        around = around.expand(-inset)
    gap = spec.gap(scope)
    left, right = around.x, around.right
    top, bottom = around.y, around.bottom
    if spec.after:
        left = _get_named_box(boxes, spec.after).right + gap
    if spec.before:
        right = _get_named_box(boxes, spec.before).x - gap
    if spec.below:
        top = _get_named_box(boxes, spec.below).bottom + gap
    if spec.above:
        bottom = _get_named_box(boxes, spec.above).y - gap
    across = spec.centre in ("both", "across")
    down = spec.centre in ("both", "down")
    x, width = _resolve_axis(spec.x, spec.right, spec.width, left, right, bool(spec.before), across, scope)
    y, height = _resolve_axis(spec.y, spec.bottom, spec.height, top, bottom, bool(spec.above), down, scope)
    if width <= 0 or height <= 0:
        raise BadBox(f"expected a box larger than nought, found {width:.2f} by {height:.2f} mm")
    return Rect(x, y, width, height)


def _resolve_axis(
    offset: Number | None,
    far: Number | None,
    length: Number | None,
    lower: float,
    upper: float,
    from_far: bool,
    centred: bool,
    scope: Scope,
) -> tuple[float, float]:
    """Return the start and the length along one axis between ``low`` and ``high``."""
    start = lower + (offset(scope) if offset else 0.0)
    end = upper - (far(scope) if far else 0.0)
    if length is None:
        return start, end - start
    size = length(scope)
    if centred:
        return (start + end - size) / 2, size
    if (far is not None or from_far) and offset is None:
        return end - size, size
    return start, size


def _get_named_box(boxes: Mapping[str, Rect], name: str) -> Rect:
    try:
        return boxes[name]
    except KeyError:
        message = f"there is no box {name!r} yet: only elements above this one can be named"
        raise NoSuchField(message, did_you_mean(name, boxes)) from None


def scale_point_to_rect(rect: Rect, point: Any) -> tuple[float, float]:
    """Return the point at these shares of a rectangle's width and height."""
    return (rect.x + point[0] * rect.width, rect.y + point[1] * rect.height)

"""SVG pictures as scene symbols: the safe, drawable part of SVG 1.1.

Drawn: svg, g, path, rect, circle, ellipse, line, polyline, polygon; fill, stroke, widths, dashes,
ends, corners, fill rule, opacity (of fill and stroke too), display, visibility, transform, lengths
in units and percent, and the same properties in a ``style`` attribute. Refused as unsafe: scripts,
event handlers, entities, references outside the file, embedded pages. Refused because they would
silently come out wrong: filters, masks, clips, patterns, text, style sheets, and every attribute
that is neither drawn (`DRAWN`) nor known to be harmless (`HARMLESS_ATTRIBUTES`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path as FilePath
from typing import NamedTuple
from xml.etree.ElementTree import Element, ParseError, fromstring

from playproof.database.source import plain_bytes
from playproof.generator.art.svg_path import parse_path
from playproof.generator.scene import (
    BLACK,
    Colour,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Symbol,
    Transform,
    circle,
    ellipse,
    rectangle,
)

LARGEST = 4_000_000  # bytes; a drawing for a card is far below
HARMLESS = {"title", "desc", "metadata", "defs"}
PROPERTIES = {
    "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
    "stroke-linejoin", "stroke-dasharray", "opacity", "display", "visibility", "transform",
}  # fmt: skip
GEOMETRY = {
    "x",
    "y",
    "width",
    "height",
    "rx",
    "ry",
    "cx",
    "cy",
    "r",
    "x1",
    "y1",
    "x2",
    "y2",
    "d",
    "points",
    "viewBox",
}
DRAWN = PROPERTIES | GEOMETRY
HARMLESS_ATTRIBUTES = {
    "id", "class", "style", "version", "baseProfile", "lang", "space", "role", "focusable", "xmlns", "color",
    "preserveAspectRatio", "shape-rendering", "text-rendering", "image-rendering", "color-rendering",
    "color-interpolation", "pointer-events", "enable-background", "overflow", "stroke-miterlimit", "clip-rule",
}  # fmt: skip
# Attributes that are accepted only with these values, which change nothing.
PLAIN_VALUES = {
    "stroke-dashoffset": ("0", "0px"), "filter": ("none",), "mask": ("none",), "clip-path": ("none",),
    "marker": ("none",), "marker-start": ("none",), "marker-mid": ("none",), "marker-end": ("none",),
    "paint-order": ("normal",), "mix-blend-mode": ("normal",), "vector-effect": ("none",), "isolation": ("auto",),
}  # fmt: skip
TEXT_PROPERTIES = (
    "font",
    "text",
    "letter",
    "word",
    "writing",
    "line-height",
    "white-space",
    "-inkscape",
    "solid",
)
ACROSS, DOWN = {"x", "width", "rx", "cx", "x1", "x2"}, {"y", "height", "ry", "cy", "y1", "y2"}
UNITS = {"": 1.0, "px": 1.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0, "pt": 96 / 72, "pc": 16.0}
NAMED = {
    "black": BLACK,
    "white": Colour(1, 1, 1),
    "red": Colour(1, 0, 0),
    "green": Colour(0, 128 / 255, 0),
    "blue": Colour(0, 0, 1),
    "currentcolor": BLACK,
}


class BadPicture(ValueError):
    """The file is not a picture that can be drawn safely and faithfully; the message says why."""


class _Look(NamedTuple):
    """The drawing properties that children inherit."""

    fill: Colour | None = BLACK
    stroke: Colour | None = None
    width: float = 1.0
    cap: str = "butt"
    join: str = "miter"
    even_odd: bool = False
    dash: tuple[float, ...] = ()
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    hidden: bool = False


def read_svg(path: FilePath, name: str | None = None) -> Symbol:
    """Read the picture as a symbol in the units of its viewBox. Raises BadPicture."""
    try:
        return parse_svg(plain_bytes(path, LARGEST), name or path.stem)
    except OSError as error:  # a pipe or a device too, which would never end
        raise BadPicture(error.strerror or str(error)) from None


def parse_svg(data: bytes, name: str) -> Symbol:
    """Do what `read_svg` does, for bytes."""
    root = _tree(data)
    if _tag(root) != "svg":
        raise BadPicture(f"expected an svg element, found {_tag(root)!r}")
    try:
        bounds = _view_box(root)
        _check_attributes(root)
        _resolve_percent(root, bounds)
        nodes = tuple(_children(root, _look(root, _Look())))
    except ValueError as error:
        raise BadPicture(str(error)) from None
    return Symbol(name, bounds, nodes)


def _tree(data: bytes) -> Element:
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text or "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise BadPicture("document types and entities are refused")
        return fromstring(text)
    except UnicodeDecodeError:
        raise BadPicture("expected UTF-8 text") from None
    except ParseError as error:
        raise BadPicture(f"not XML: {error}") from None


def _tag(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _view_box(root: Element) -> Rect:
    text = root.get("viewBox")
    if text:
        parts = [float(part) for part in text.replace(",", " ").split()]
        if len(parts) == 4 and parts[2] > 0 and parts[3] > 0:
            return Rect(*parts)
        raise BadPicture(f"viewBox: expected x y width height, found {text!r}")
    width, height = _length(root.get("width", "")), _length(root.get("height", ""))
    if width <= 0 or height <= 0:
        raise BadPicture("expected a viewBox, or width and height above 0")
    return Rect(0, 0, width, height)


def _children(parent: Element, look: _Look) -> Iterator[Node]:
    for child in parent:
        _refuse_unsafe(child)
        tag = _tag(child)
        if tag not in HARMLESS and not _foreign(child):
            _check_attributes(child)
        if _property(child, "display") == "none":
            continue
        if tag == "svg" and any(child.get(name) for name in ("x", "y", "width", "height", "viewBox")):
            raise BadPicture("a picture inside the picture, with a place of its own, cannot be drawn here")
        if tag in HARMLESS:
            _refuse_inside(child)
            continue
        own = _look(child, look)
        if tag in ("g", "svg"):
            nodes = tuple(_children(child, own))
        elif tag in SHAPES:
            look_of = own._replace(fill=None) if tag == "line" else own  # a line has no inside
            nodes = _styled(SHAPES[tag](child), look_of)
        elif _foreign(child):  # an editor's own notes
            continue
        else:
            raise BadPicture(f"the element {tag!r} cannot be drawn here")
        yield from _wrapped(child, nodes)


def _foreign(element: Element) -> bool:
    """Return whether the element is not SVG, such as the notes of a drawing program."""
    space = str(element.tag).partition("}")[0].lstrip("{")
    return str(element.tag).startswith("{") and space != "http://www.w3.org/2000/svg"


def _check_attributes(element: Element) -> None:
    """Raise BadPicture for an attribute or property that is neither drawn nor harmless."""
    pairs = [(key, value) for key, value in element.attrib.items() if "}" not in key]
    for declaration in element.get("style", "").split(";"):
        if declaration.strip():
            key, _, value = declaration.partition(":")
            pairs.append((key, value))
    for key, value in pairs:
        name, word = key.strip(), value.strip()
        if (
            name in DRAWN
            or name in HARMLESS_ATTRIBUTES
            or name.startswith(("data-", "aria-", *TEXT_PROPERTIES))
        ):
            continue
        if word not in PLAIN_VALUES.get(name, ()):
            raise BadPicture(f"{name!r} cannot be drawn here")


def _resolve_percent(root: Element, bounds: Rect) -> None:
    """Replace lengths in percent by numbers: of the picture's width or height; for radii, of its
    diagonal divided by the root of 2."""
    diagonal = ((bounds.width**2 + bounds.height**2) / 2) ** 0.5
    wholes = {"r": diagonal} | dict.fromkeys(DOWN, bounds.height) | dict.fromkeys(ACROSS, bounds.width)
    for element in root.iter():
        if element is root:  # its lengths are the picture's own
            continue
        for name, whole in wholes.items():
            text = element.get(name, "").strip()
            if text.endswith("%"):
                element.set(name, repr(float(text[:-1]) / 100 * whole))


def _wrapped(element: Element, nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the nodes, inside a group if the element moves them or makes them see-through."""
    transform = parse_transform(element.get("transform", ""))
    opacity = _share(_property(element, "opacity") or "1")
    if transform == Transform() and opacity >= 1:
        return nodes
    return (Group(nodes, transform, None, opacity),)


def _refuse_inside(element: Element) -> None:
    for inner in element.iter():
        _refuse_unsafe(inner)


def _refuse_unsafe(element: Element) -> None:
    tag = _tag(element)
    if tag in ("script", "foreignObject", "iframe", "image", "use", "a", "style", "animate", "set"):
        raise BadPicture(f"the element {tag!r} is refused")
    for key, value in element.attrib.items():
        name = key.rpartition("}")[2]
        if name.lower().startswith("on"):
            raise BadPicture(f"the event handler {name!r} is refused")
        if name in ("href", "src") or "url(" in value.replace(" ", ""):
            raise BadPicture(f"the reference {value!r} is refused")
        if name in ("filter", "mask", "clip-path"):
            raise BadPicture(f"{name!r} cannot be drawn here")


def _property(element: Element, name: str) -> str:
    """Return a presentation property from the style attribute or the attribute of its name."""
    for declaration in element.get("style", "").split(";"):
        key, _, value = declaration.partition(":")
        if key.strip() == name:
            return value.strip()
    return element.get(name, "")


def _look(element: Element, look: _Look) -> _Look:
    """Return the inherited look with the element's own properties."""
    changes: dict[str, object] = {}
    for name in ("fill", "stroke"):
        text = _property(element, name)
        if text and text != "inherit":
            changes[name] = _colour(text)
        if share := _property(element, f"{name}-opacity"):
            changes[f"{name}_opacity"] = _share(share)
    if width := _property(element, "stroke-width"):
        changes["width"] = _length(width)
    if cap := _property(element, "stroke-linecap"):
        changes["cap"] = cap
    if join := _property(element, "stroke-linejoin"):
        changes["join"] = join if join in ("miter", "round", "bevel") else "miter"
    if dash := _property(element, "stroke-dasharray"):
        changes["dash"] = _dashes(dash)
    if visibility := _property(element, "visibility"):
        changes["hidden"] = visibility in ("hidden", "collapse")
    if rule := _property(element, "fill-rule"):
        changes["even_odd"] = rule == "evenodd"
    return look._replace(**changes)  # type: ignore[arg-type]  # keys and types are those set just above


def _colour(text: str) -> Colour | None:
    word = text.strip().lower()
    if word in ("none", "transparent"):
        return None
    if word in NAMED:
        return NAMED[word]
    if match := re.fullmatch(r"rgb\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)", word):
        red, green, blue = (int(part) / 255 for part in match.groups())
        return Colour(red, green, blue)
    return Colour.parse(word)


def _share(text: str) -> float:
    """Read an opacity (a number or a percentage) and clamp it to 0..1."""
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    return min(1.0, max(0.0, value))


def _dashes(text: str) -> tuple[float, ...]:
    """Return the lengths on and off. An odd number of them is repeated once (SVG 1.1, 11.4)."""
    if text.strip() == "none":
        return ()
    lengths = tuple(_length(part) for part in text.replace(",", " ").split())
    if min(lengths, default=0) < 0 or not sum(lengths):
        return ()
    return lengths * 2 if len(lengths) % 2 else lengths


def _length(text: str) -> float:
    """Return a length in user units (1/96 in), 0 if the text is empty. Raises ValueError for a unit
    that is not absolute."""
    if not text.strip():
        return 0.0
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-z]*)\s*", text)
    if match is None or match[2] not in UNITS:
        raise ValueError(f"the length {text.strip()!r} cannot be drawn here")
    return float(match[1]) * UNITS[match[2]]


def _styled(shape: Path | None, look: _Look) -> tuple[Node, ...]:
    """Return the shape with its paint, or nothing if it is invisible. Fill and stroke are separate
    nodes if either is see-through."""
    if shape is None or look.hidden:
        return ()
    fill = look.fill if look.fill_opacity > 0 else None
    stroke = None
    if look.stroke is not None and look.width > 0 and look.stroke_opacity > 0:
        stroke = Stroke(look.stroke, look.width, look.dash, look.cap, look.join)  # type: ignore[arg-type]  # SVG's words
    if fill is None and stroke is None:
        return ()
    if (fill is None or look.fill_opacity >= 1) and (stroke is None or look.stroke_opacity >= 1):
        return (Path(shape.commands, fill, stroke, look.even_odd),)
    parts = ((fill, None, look.fill_opacity), (None, stroke, look.stroke_opacity))
    return tuple(
        Group((Path(shape.commands, paint, line, look.even_odd),), Transform(), None, share)
        for paint, line, share in parts
        if paint is not None or line is not None
    )


def _number(element: Element, name: str) -> float:
    return _length(element.get(name, "0"))


def _rect(element: Element) -> Path | None:
    rect = Rect(*(_number(element, name) for name in ("x", "y", "width", "height")))
    radius = max(_number(element, "rx"), _number(element, "ry"))
    return rectangle(rect, radius=radius) if rect.width > 0 and rect.height > 0 else None


def _circle(element: Element) -> Path | None:
    return circle(_number(element, "cx"), _number(element, "cy"), _number(element, "r"))


def _ellipse(element: Element) -> Path | None:
    cx, cy, rx, ry = (_number(element, name) for name in ("cx", "cy", "rx", "ry"))
    return ellipse(cx, cy, rx, ry)


def _line(element: Element) -> Path | None:
    ends = tuple(_number(element, name) for name in ("x1", "y1", "x2", "y2"))
    return Path((("M", ends[:2]), ("L", ends[2:])))


def _polyline(element: Element) -> Path | None:
    closing = " Z" if _tag(element) == "polygon" else ""
    points = element.get("points", "").strip()
    return Path(parse_path(f"M {points}{closing}")) if points else None


def _path(element: Element) -> Path | None:
    commands = parse_path(element.get("d", ""))
    return Path(commands) if commands else None


SHAPES = {
    "path": _path,
    "rect": _rect,
    "circle": _circle,
    "ellipse": _ellipse,
    "line": _line,
    "polyline": _polyline,
    "polygon": _polyline,
}


def parse_transform(text: str) -> Transform:
    """Return an SVG ``transform`` list as one map. Raises ValueError for a transform that SVG does
    not define."""
    result = Transform()
    for name, arguments in re.findall(r"(\w+)\s*\(([^)]*)\)", text):
        numbers = [float(part) for part in arguments.replace(",", " ").split()]
        if name == "translate":
            step = Transform.move(numbers[0], numbers[1] if len(numbers) > 1 else 0)
        elif name == "scale":
            step = Transform.scale(numbers[0], numbers[-1])
        elif name == "rotate":
            step = Transform.rotate(numbers[0], (numbers[1], numbers[2]) if len(numbers) == 3 else (0, 0))
        elif name == "matrix" and len(numbers) == 6:
            step = Transform(*numbers)
        else:
            raise ValueError(f"transform: {name!r} cannot be drawn here")
        result = step.then(result)
    return result

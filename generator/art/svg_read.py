"""SVG pictures as scene symbols: the safe, drawable part of SVG 1.1.

Drawn: svg, g, path, rect, circle, ellipse, line, polyline, polygon, text in the game's fonts; fill,
stroke, widths, dashes, ends, corners, fill rule, opacity (of fill and stroke too), gradients as fill,
clips, display, visibility, transform, lengths in units and percent, and the same properties in a
``style`` attribute or in style sheets; ``use`` and ``symbol``. Refused as unsafe: scripts, event
handlers, entities, references outside the file, embedded pages. Refused because they would silently
come out wrong: filters, masks, patterns, and every attribute that is neither drawn (`DRAWN`) nor
known to be harmless (`HARMLESS_ATTRIBUTES`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import radians, tan
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element, ParseError, fromstring

from playproof.database.source import plain_bytes
from playproof.generator.art.svg_errors import BadPicture, BeyondVectors
from playproof.generator.art.svg_geometry import bounds as bounds_of, inverse, mapped, united
from playproof.generator.art.svg_gradient import GRADIENTS, StopColour, gradient_paint
from playproof.generator.art.svg_path import parse_path
from playproof.generator.art.svg_style import write_out_styles
from playproof.generator.art.svg_use import write_out_uses
from playproof.generator.scene import (
    BLACK,
    MITER,
    Colour,
    Group,
    LinearGradient,
    Node,
    Path,
    RadialGradient,
    Rect,
    Stroke,
    Symbol,
    Transform,
    circle,
    cuts_corners,
    ellipse,
    rectangle,
)

if TYPE_CHECKING:
    from playproof.generator.type.shaping import Shaper

LARGEST = 4_000_000  # bytes; a drawing for a card is far below
WIDEST = 2000  # units; what is see-through is cut to a square of twice that in a PDF
HARMLESS = {
    "title",
    "desc",
    "metadata",
    "defs",
    "clipPath",
    "symbol",
    *GRADIENTS,
}  # drawn where they are named
PROPERTIES = {
    "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
    "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray", "opacity", "display", "visibility", "transform",
    "clip-path", "stop-color", "stop-opacity", "color", "paint-order",
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
    "id", "class", "style", "version", "baseProfile", "lang", "space", "role", "focusable", "xmlns",
    "preserveAspectRatio", "shape-rendering", "text-rendering", "image-rendering", "color-rendering",
    "color-interpolation", "pointer-events", "enable-background", "overflow", "clip-rule",
    "href", "target",
}  # fmt: skip
# Attributes that are accepted only with these values, which change nothing.
PLAIN_VALUES = {
    "stroke-dashoffset": ("0", "0px"), "filter": ("none",), "mask": ("none",),
    "marker": ("none",), "marker-start": ("none",), "marker-mid": ("none",), "marker-end": ("none",),
    "mix-blend-mode": ("normal",), "vector-effect": ("none",), "isolation": ("auto", "isolate"),
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
    "shape-",
    "inline-size",
    "color-interpolation-filters",
    "dominant-baseline",
    "baseline-shift",
    "direction",
)  # those that move or change letters are refused where there are letters: svg_text.UNDRAWN
ACROSS, DOWN = {"x", "width", "rx", "cx", "x1", "x2"}, {"y", "height", "ry", "cy", "y1", "y2"}
UNITS = {"": 1.0, "px": 1.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0, "pt": 96 / 72, "pc": 16.0}
HEXADECIMAL = re.compile("#[0-9a-f]{3}(?:[0-9a-f]{3})?")
NAMED = {
    "black": BLACK,
    "white": Colour(1, 1, 1),
    "red": Colour(1, 0, 0),
    "green": Colour(0, 128 / 255, 0),
    "blue": Colour(0, 0, 1),
}


DATA = re.compile(r"\s*data:image/(png|jpe?g|gif|webp|bmp|x-ms-bmp);base64,")
LOCAL = re.compile(r"url\(\s*[\"']?#([^\"')\s]+)[\"']?\s*\)")
# What drawing programs write above the picture, with names for addresses in brackets. Nobody fetches an address.
PUBLIC_TYPE = re.compile(
    r"<!DOCTYPE\s+svg\s+PUBLIC\s+\"[^\"<>\[\]]*\"\s+\"[^\"<>\[\]]*\"\s*(?:\[([^\[\]]*)\]\s*)?>"
)
# Illustrator's names for addresses, which are plain text: none holds another, so a file does not grow by them.
NAMED_ADDRESS = re.compile(r"\s*<!ENTITY\s+(\w+)\s+\"(https?://[^\"<>&%]{1,80})\"\s*>")


class _Look(NamedTuple):
    """The drawing properties that children inherit, and what all elements may refer to."""

    fill: Colour | Element | None = BLACK  # an element is a gradient
    stroke: Colour | None = None
    width: float = 1.0
    cap: str = "butt"
    join: str = "miter"
    even_odd: bool = False
    miter: float = 4.0  # SVG's own limit
    dash: tuple[float, ...] = ()
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    hidden: bool = False
    colour: Colour | None = BLACK  # what `currentColor` means
    line_first: bool = False  # the fill lies on the stroke
    ids: Mapping[str, Element] = {}  # never changed
    shaper: Shaper | None = None


def read_svg(path: FilePath, name: str | None = None, shaper: Shaper | None = None) -> Symbol:
    """Read the picture as a symbol in the units of its viewBox, its text in the shaper's fonts. Raises BadPicture."""
    try:
        return parse_svg(plain_bytes(path, LARGEST), name or path.stem, shaper)
    except OSError as error:  # a pipe or a device too, which would never end
        raise BadPicture(error.strerror or str(error)) from None


def parse_svg(data: bytes, name: str, shaper: Shaper | None = None) -> Symbol:
    """Do what `read_svg` does, for bytes."""
    root = svg_tree(data)
    if tag_of(root) != "svg":
        raise BadPicture(f"expected an svg element, found {tag_of(root)!r}")
    try:
        bounds = view_box(root)
        _refuse_other_shape(root, bounds)
        write_out_styles(root)
        write_out_uses(root, _ids(root))
        _check_attributes(root)
        _resolve_percent(root, bounds)
        nodes = tuple(_children(root, _look(root, _Look(ids=_ids(root), shaper=shaper))))
    except BadPicture:
        raise
    except RecursionError:
        raise BadPicture("its groups are nested too deep") from None
    except ValueError as error:
        raise BadPicture(str(error)) from None
    reach = max(map(abs, (bounds.x, bounds.y, bounds.right, bounds.bottom)))
    if reach > WIDEST:  # CorelDRAW counts hundredths of a millimetre
        scale = WIDEST / reach
        nodes = tuple(_scaled(node, scale) for node in nodes)
        bounds = Rect(*(edge * scale for edge in bounds))
    return Symbol(name, bounds, nodes)


def svg_tree(data: bytes) -> Element:
    try:
        text = _without_type(data.decode("utf-8-sig"))
        if "\0" in text or "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise BadPicture("document types and entities are refused")
        return _without_extensions(fromstring(text))
    except UnicodeDecodeError:
        raise BadPicture("expected UTF-8 text") from None
    except ParseError as error:
        raise BadPicture(f"not XML: {error}") from None


def _without_type(text: str) -> str:
    """Return a picture's text without its document type, and with the addresses that the type has names for."""
    head = PUBLIC_TYPE.search(text)
    if head is None:
        return text
    named, inside = dict(NAMED_ADDRESS.findall(head[1] or "")), NAMED_ADDRESS.sub("", head[1] or "")
    if inside.strip():
        raise BadPicture("document types and entities are refused")
    text = text[: head.start()] + text[head.end() :]
    for name, address in named.items():
        text = text.replace(f"&{name};", address)
    return text


def _without_extensions(root: Element) -> Element:
    """Take out what only a program of one's own shows, as each `switch` does that a program cannot read."""
    for parent in root.iter():
        for child in [child for child in parent if child.get("requiredExtensions")]:
            parent.remove(child)
    return root


def _scaled(node: Node, scale: float) -> Node:
    """Return the node in other units: all its lengths multiplied."""
    size = Transform.scale(scale)
    if isinstance(node, Group):
        place = node.transform._replace(e=node.transform.e * scale, f=node.transform.f * scale)
        clip = node.clip and node.clip._replace(commands=mapped(node.clip.commands, size))
        return Group(tuple(_scaled(child, scale) for child in node.children), place, clip, node.opacity)
    assert isinstance(node, Path)  # pictures from SVG hold nothing else
    fill, stroke = node.fill, node.stroke
    if isinstance(fill, LinearGradient):
        fill = LinearGradient(fill.x1 * scale, fill.y1 * scale, fill.x2 * scale, fill.y2 * scale, fill.stops)
    elif isinstance(fill, RadialGradient):
        fill = RadialGradient(fill.x * scale, fill.y * scale, fill.radius * scale, fill.stops)
    if stroke is not None:
        dash = tuple(length * scale for length in stroke.dash)
        stroke = stroke._replace(width=stroke.width * scale, dash=dash)
    return Path(mapped(node.commands, size), fill, stroke, node.even_odd)


def _ids(root: Element) -> dict[str, Element]:
    return {name: element for element in root.iter() if (name := element.get("id"))}


def tag_of(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def view_box(root: Element) -> Rect:
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


def _refuse_other_shape(root: Element, bounds: Rect) -> None:
    """Raise BadPicture for a picture that is stretched or cut into a size of another shape than its viewBox."""
    fit = root.get("preserveAspectRatio", "")
    sides = [root.get(side, "") for side in ("width", "height")]
    if (
        not root.get("viewBox")
        or not ("none" in fit or "slice" in fit)
        or not all(sides)
        or "%" in "".join(sides)
    ):
        return
    width, height = map(_length, sides)
    if height and abs(width / height / (bounds.width / bounds.height) - 1) > 0.01:
        raise BadPicture(
            f"preserveAspectRatio={fit!r} stretches or cuts it: give it a viewBox of the shape of its width and height"
        )


def _children(parent: Element, look: _Look) -> Iterator[Node]:
    for child in parent:
        refuse_unsafe(child)
        tag = tag_of(child)
        if tag not in HARMLESS and not _foreign(child):
            _check_attributes(child)
        if property_of(child, "display") == "none":
            continue
        if tag in HARMLESS:
            _refuse_inside(child)
            continue
        own = _look(child, look)
        if tag in ("g", "a", "switch") and not (tag == "switch" and _chooses(child)):
            nodes = tuple(_children(child, own))
        elif tag == "svg":
            nodes = _inner_picture(child, own)
        elif tag == "text":
            nodes = _text(child, own)
        elif tag in SHAPES:
            look_of = own._replace(fill=None) if tag == "line" else own  # a line has no inside
            nodes = _styled(SHAPES[tag](child), look_of)
        elif _foreign(child):  # an editor's own notes
            continue
        else:
            raise BeyondVectors(f"the element {tag!r} cannot be drawn here")
        yield from _wrapped(child, nodes, own)


def _chooses(switch: Element) -> bool:
    """Return whether a ``switch`` has several pictures, of which a reader shows one."""
    return len(switch) > 1 or any(child.get("systemLanguage") for child in switch)


def _inner_picture(element: Element, look: _Look) -> tuple[Node, ...]:
    """Return a picture inside the picture, fitted into the middle of its place and cut to it (SVG 1.1, 7.8)."""
    nodes = tuple(_children(element, look))
    x, y = _number(element, "x"), _number(element, "y")
    if not element.get("viewBox"):
        if element.get("width") or element.get("height"):
            raise BeyondVectors(
                "a picture inside the picture with a size and no viewBox cannot be drawn here"
            )
        return (Group(nodes, Transform.move(x, y)),) if x or y else nodes
    window = view_box(element)
    if element.get("preserveAspectRatio", "xMidYMid meet") not in ("xMidYMid meet", "xMidYMid", "none"):
        raise BeyondVectors("'preserveAspectRatio' of a picture inside the picture cannot be drawn here")
    width, height = _number(element, "width"), _number(element, "height")
    across, down = width / window.width, height / window.height
    if element.get("preserveAspectRatio") != "none":
        across = down = min(across, down)
    left = x + (width - window.width * across) / 2 - window.x * across
    top = y + (height - window.height * down) / 2 - window.y * down
    whole = property_of(element, "overflow") in ("visible", "auto")
    place = Rect((x - left) / across, (y - top) / down, width / across, height / down)
    return (Group(nodes, Transform(across, 0, 0, down, left, top), None if whole else rectangle(place)),)


def _text(element: Element, look: _Look) -> tuple[Node, ...]:
    """Return a text as outlines, each run in the paint of its element."""
    from playproof.generator.art.svg_text import text_runs  # few pictures have text

    looks = {id(element): look}
    for parent in element.iter():
        for child in parent:
            _check_attributes(child)
            looks[id(child)] = _look(child, looks[id(parent)])
    runs = text_runs(element, property_of, _length, look.shaper)
    return tuple(
        node for run in runs for node in _styled(Path(run.commands), looks[id(run.element)]) if run.commands
    )


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
            raise BeyondVectors(f"{name!r} cannot be drawn here")


def _resolve_percent(root: Element, bounds: Rect) -> None:
    """Replace lengths in percent by numbers: of the width or height of the picture, or of the picture inside it that
    they stand in; for radii, of its diagonal divided by the root of 2."""
    diagonal = ((bounds.width**2 + bounds.height**2) / 2) ** 0.5
    wholes = {"r": diagonal} | dict.fromkeys(DOWN, bounds.height) | dict.fromkeys(ACROSS, bounds.width)
    for element in root:
        if tag_of(element) in GRADIENTS:  # shares of a shape
            continue
        for name, whole in wholes.items():
            text = element.get(name, "").strip()
            if text.endswith("%"):
                element.set(name, repr(float(text[:-1]) / 100 * whole))
        inner = view_box(element) if tag_of(element) == "svg" and element.get("viewBox") else bounds
        _resolve_percent(element, inner)


def _wrapped(element: Element, nodes: tuple[Node, ...], look: _Look) -> tuple[Node, ...]:
    """Return the nodes, inside a group if the element moves or cuts them or makes them see-through."""
    transform = parse_transform(property_of(element, "transform"))
    opacity = _share(property_of(element, "opacity") or "1")
    clips = _clips(property_of(element, "clip-path"), look) if nodes else []
    for clip in clips[1:]:
        nodes = (Group(nodes, clip=clip),)
    if transform == Transform() and opacity >= 1 and not clips:
        return nodes
    return (Group(nodes, transform, clips[0] if clips else None, opacity),)


def _clips(reference: str, look: _Look) -> list[Path]:
    """Return the outlines that cut an element: that of its clip, and that of the clip's own clip."""
    if reference in ("", "none"):
        return []
    clip = _target(reference, look, ("clipPath",))
    if clip.get("clipPathUnits", "userSpaceOnUse") != "userSpaceOnUse":
        raise BeyondVectors("a clip in shares of what it cuts cannot be drawn here")
    place = parse_transform(property_of(clip, "transform"))
    outlines, even_odd = [], False
    for child in clip:
        copy, matrix = child, place
        while tag_of(copy) == "g" and len(copy) == 1:  # what a `use` became
            matrix = parse_transform(property_of(copy, "transform")).then(matrix)
            copy = copy[0]
        if tag_of(copy) in ("title", "desc") or property_of(copy, "display") == "none":
            continue
        if tag_of(copy) not in SHAPES or any(
            property_of(part, "clip-path") not in ("", "none") for part in (child, copy)
        ):
            raise BeyondVectors(f"a clip of {tag_of(copy)!r} cannot be drawn here")
        if shape := SHAPES[tag_of(copy)](copy):
            matrix = parse_transform(property_of(copy, "transform")).then(matrix)
            outlines.append(mapped(shape.commands, matrix))
            even_odd = even_odd or "evenodd" in (
                property_of(copy, "clip-rule"),
                property_of(clip, "clip-rule"),
            )
    if even_odd and len(outlines) > 1:
        raise BeyondVectors("a clip of several shapes with the rule 'evenodd' cannot be drawn here")
    commands = outlines[0] if len(outlines) == 1 else united(outlines)
    commands = commands or (("M", (0.0, 0.0)), ("Z", ()))  # a clip without shapes hides everything
    others = {name: element for name, element in look.ids.items() if element is not clip}
    own = _clips(property_of(clip, "clip-path"), look._replace(ids=others))
    return [Path(commands, even_odd=even_odd), *own]


def _target(reference: str, look: _Look, kinds: tuple[str, ...]) -> Element:
    """Return the element that ``url(#id)`` names. Raises ValueError if it is of another kind, or not there."""
    match = LOCAL.fullmatch(reference)
    target = look.ids.get(match[1]) if match else None
    if target is None:
        raise BadPicture(f"the reference {reference!r} is refused: nothing in the file has that id")
    if tag_of(target) not in kinds:
        raise BeyondVectors(f"{tag_of(target)!r} cannot be drawn here")
    return target


def _refuse_inside(element: Element) -> None:
    for inner in element.iter():
        refuse_unsafe(inner)


def refuse_unsafe(element: Element, images: bool = False) -> None:
    """Raise BadPicture for what runs, moves, or refers outside the file. With ``images``, pictures of pixels
    that the file itself holds may be in it."""
    tag = tag_of(element)
    if tag in ("script", "foreignObject", "iframe", "animate", "set"):
        raise BadPicture(f"the element {tag!r} is refused")
    if tag == "image" and not images and _held(element):
        raise BeyondVectors("a picture of pixels inside the picture cannot be drawn here")
    for key, value in element.attrib.items():
        name = key.rpartition("}")[2]
        if name.lower().startswith("on"):
            raise BadPicture(f"the event handler {name!r} is refused")
        inside = value.startswith("#") or (tag == "image" and _held(element))
        if tag == "a" and name == "href":  # a page to go to, which no picture does
            continue
        if (
            name == "src"
            or (name == "href" and not inside)
            or "url(" in LOCAL.sub("", value).replace(" ", "")
        ):
            raise BadPicture(f"the reference {shortened(value)!r} is refused")


def shortened(value: str) -> str:
    """Return a value for a message: a picture inside the picture is thousands of letters long."""
    return value if len(value) < 80 else f"{value[:60]}..."


def _held(image: Element) -> bool:
    """Return whether a picture inside the picture is held by the file itself, as PNG, JPEG or the like."""
    addresses = [value for key, value in image.attrib.items() if key.rpartition("}")[2] == "href"]
    return bool(addresses) and all(DATA.match(address) for address in addresses)


def property_of(element: Element, name: str) -> str:
    """Return a presentation property from the style attribute or the attribute of its name."""
    style = element.get("style")
    for declaration in reversed(style.split(";")) if style else ():
        key, _, value = declaration.partition(":")
        if key.strip() == name:
            return value.strip()
    return element.get(name, "")


def _look(element: Element, look: _Look) -> _Look:
    """Return the inherited look with the element's own properties."""
    changes: dict[str, object] = {}
    if colour := property_of(element, "color"):
        changes["colour"] = _colour(colour.lower(), look)[0]
        look = look._replace(colour=changes["colour"])  # type: ignore[arg-type]
    if order := property_of(element, "paint-order"):
        before, stroke, _ = order.partition("stroke")
        changes["line_first"] = bool(stroke) and "fill" not in before
    for name in ("fill", "stroke"):
        text = property_of(element, name)
        if text and text != "inherit":
            changes[name], opaque = _paint(text, look)
            if opaque < 1:
                changes[f"{name}_opacity"] = opaque
        if share := property_of(element, f"{name}-opacity"):
            changes[f"{name}_opacity"] = _share(share)
    if isinstance(changes.get("stroke"), Element):
        raise BeyondVectors("a line painted with a gradient cannot be drawn here")
    if width := property_of(element, "stroke-width"):
        changes["width"] = _length(width)
    if cap := property_of(element, "stroke-linecap"):
        changes["cap"] = cap
    if join := property_of(element, "stroke-linejoin"):
        changes["join"] = join if join in ("miter", "round", "bevel") else "miter"
    if miter := property_of(element, "stroke-miterlimit"):
        changes["miter"] = max(1.0, float(miter))
    if dash := property_of(element, "stroke-dasharray"):
        changes["dash"] = _dashes(dash)
    if visibility := property_of(element, "visibility"):
        changes["hidden"] = visibility in ("hidden", "collapse")
    if rule := property_of(element, "fill-rule"):
        changes["even_odd"] = rule == "evenodd"
    return look._replace(**changes)  # type: ignore[arg-type]  # keys and types are those set just above


def _paint(text: str, look: _Look) -> tuple[Colour | Element | None, float]:
    """Return a paint and how opaque it is: a colour, a gradient of the file, or nothing."""
    word = text.strip()
    reference = LOCAL.match(word)
    if reference and word[reference.end() :] and reference[1] not in look.ids:
        word = word[reference.end() :].strip()  # what stands behind a reference that names nothing
    elif reference:
        return _target(reference[0], look, GRADIENTS), 1.0
    return _colour(word.lower(), look)


def _colour(word: str, look: _Look | None = None) -> tuple[Colour | None, float]:
    if word in ("none", "transparent"):
        return None, 1.0
    if word == "currentcolor":
        return look.colour if look else BLACK, 1.0
    if word in NAMED:
        return NAMED[word], 1.0
    if word.startswith("cmyk(") or HEXADECIMAL.fullmatch(word):
        return Colour.parse(word), 1.0
    from tinycss2.color4 import parse_color  # the forms above are all that most pictures have

    colour = parse_color(word)
    if colour is None or isinstance(colour, str):
        return Colour.parse(word), 1.0
    return Colour(*colour.to("srgb").coordinates), float(colour.alpha)


def _stop(element: Element) -> StopColour:
    """Return a gradient's stop: its place from 0 to 1, its colour, and how opaque it is."""
    colour, opaque = _colour((property_of(element, "stop-color") or "black").lower())
    share = _share(property_of(element, "stop-opacity") or "1")
    return StopColour(_share(element.get("offset", "0")), colour or BLACK, share * opaque if colour else 0.0)


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
        raise BeyondVectors(f"the length {text.strip()!r} cannot be drawn here")
    return float(match[1]) * UNITS[match[2]]


def _styled(shape: Path | None, look: _Look) -> tuple[Node, ...]:
    """Return the shape with its paint, or nothing if it is invisible. Fill and stroke are separate
    nodes if either is see-through."""
    if shape is None or look.hidden:
        return ()
    if look.line_first and look.fill is not None and look.stroke is not None:
        line, inside = look._replace(fill=None), look._replace(stroke=None)
        return (*_styled(shape, line), *_styled(shape, inside))
    if isinstance(look.fill, Element):
        return (*_graded(shape, look.fill, look), *_styled(shape, look._replace(fill=None)))
    fill = look.fill if look.fill_opacity > 0 else None
    stroke = None
    if look.stroke is not None and look.width > 0 and look.stroke_opacity > 0:
        pointed = look.join == "miter" and cuts_corners(shape.commands, look.miter, MITER)
        limit = look.miter if pointed else MITER
        stroke = Stroke(look.stroke, look.width, look.dash, look.cap, look.join, limit)  # type: ignore[arg-type]  # SVG's words
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


def _graded(shape: Path, server: Element, look: _Look) -> tuple[Node, ...]:
    """Return the shape filled with a gradient, in a group where the gradient has a space of its own."""
    box = bounds_of(shape.commands)
    if not box.width or not box.height:  # it has no share to fill (SVG 1.1, 7.11)
        return ()
    graded = gradient_paint(server, look.ids, box, _stop, parse_transform)
    if graded is None or not graded.opacity * look.fill_opacity:
        return ()
    commands = shape.commands
    if graded.space != Transform():
        commands = mapped(commands, inverse(graded.space))
    path = Path(commands, graded.paint, None, look.even_odd)
    opacity = graded.opacity * look.fill_opacity
    if graded.space == Transform() and opacity >= 1:
        return (path,)
    return (Group((path,), graded.space, None, opacity),)


def _number(element: Element, name: str) -> float:
    return _length(element.get(name, "0"))


def _rect(element: Element) -> Path | None:
    rect = Rect(*(_number(element, name) for name in ("x", "y", "width", "height")))
    if rect.width <= 0 or rect.height <= 0:
        return None
    rx, ry = (_length(element.get(name, "")) for name in ("rx", "ry"))
    rx, ry = (
        min(rx or ry, rect.width / 2),
        min(ry or rx, rect.height / 2),
    )  # one that is not given is the other
    if rx == ry:
        return rectangle(rect, radius=rx)
    squeeze = ry / rx  # of a rectangle with round corners
    high = rectangle(rect._replace(y=rect.y / squeeze, height=rect.height / squeeze), radius=rx)
    return Path(mapped(high.commands, Transform.scale(1, squeeze)))


def _circle(element: Element) -> Path | None:
    return circle(_number(element, "cx"), _number(element, "cy"), _number(element, "r"))


def _ellipse(element: Element) -> Path | None:
    cx, cy, rx, ry = (_number(element, name) for name in ("cx", "cy", "rx", "ry"))
    return ellipse(cx, cy, rx, ry)


def _line(element: Element) -> Path | None:
    ends = tuple(_number(element, name) for name in ("x1", "y1", "x2", "y2"))
    return Path((("M", ends[:2]), ("L", ends[2:])))


def _polyline(element: Element) -> Path | None:
    closing = " Z" if tag_of(element) == "polygon" else ""
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
        elif name in ("skewX", "skewY"):
            slope = tan(radians(numbers[0]))
            step = Transform(1, 0, slope, 1) if name == "skewX" else Transform(1, slope, 0, 1)
        elif name == "matrix" and len(numbers) == 6:
            step = Transform(*numbers)
        else:
            raise BeyondVectors(f"transform: {name!r} cannot be drawn here")
        result = step.then(result)
    return result

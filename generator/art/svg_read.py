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
from collections.abc import Iterable, Iterator, Mapping
from math import radians, tan
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, NamedTuple
from xml.etree.ElementTree import Element, ParseError, fromstring

from playproof.database.source import read_limited_plain_file_or_raise
from playproof.generator.art.outlines import (
    compute_outline_bounds_without_handles as bounds_of,
    has_part_without_length,
    invert_transform_or_raise,
    is_outline_surely_simple,
    join_outlines_all_turning_one_way,
    parse_svg_path_to_absolute_commands,
    transform_outline,
)
from playproof.generator.art.picture_files import BadPicture, NotDrawableAsVectors
from playproof.generator.art.svg_references import (
    GRADIENTS,
    MADE_OF_USE,
    StopColour,
    apply_css_for_svg_in_place,
    convert_gradient_to_paint_or_none,
    get_local_tag,
    parse_css_colour_or_none,
    replace_use_elements_in_place,
)
from playproof.generator.scene import (
    BLACK,
    IDENTITY,
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
    build_circle_path,
    build_ellipse_path,
    build_rectangle_path,
    is_drawn_differently_with_other_miter_limit,
)

if TYPE_CHECKING:
    from playproof.generator.type.shaping import Shaper

LARGEST = 4_000_000  # bytes; a drawing for a card is far below
WIDEST = 2000  # units; what is see-through is cut to a square of twice that in a PDF
# drawn where they are named
HARMLESS = {"title", "desc", "metadata", "defs", "clipPath", "symbol", *GRADIENTS}
PROPERTIES = {
    "fill", "fill-opacity", "fill-rule", "stroke", "stroke-width", "stroke-opacity", "stroke-linecap",
    "stroke-linejoin", "stroke-miterlimit", "stroke-dasharray", "opacity", "display", "visibility", "transform",
    "clip-path", "stop-color", "stop-opacity", "color", "paint-order",
}  # fmt: skip
GEOMETRY = {"x", "y", "width", "height", "rx", "ry", "cx", "cy", "r", "x1", "y1", "x2", "y2", "d", "points", "viewBox"}
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
# those that move or change letters are refused where there are letters: svg_text.UNDRAWN
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
)
ACROSS, DOWN = {"x", "width", "rx", "cx", "x1", "x2"}, {"y", "height", "ry", "cy", "y1", "y2"}
XML_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
SAME_SHAPE = 0.01  # of the ratio of its sides: drawing programs round them
OVERFLOW = 0.01  # of the longer side: what lies farther outside of a picture's view box is cut off
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
PUBLIC_TYPE = re.compile(r"<!DOCTYPE\s+svg\s+PUBLIC\s+\"[^\"<>\[\]]*\"\s+\"[^\"<>\[\]]*\"\s*(?:\[([^\[\]]*)\]\s*)?>")
# Illustrator's names for addresses, which are plain text: none holds another, so a file does not grow by them.
NAMED_ADDRESS = re.compile(r"\s*<!ENTITY\s+(\w+)\s+\"(https?://[^\"<>&%]{1,80})\"\s*>")


class _InheritedStyle(NamedTuple):
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
    of_colour: frozenset[str] = frozenset()  # which of fill and stroke are `currentColor`
    rule_of_clips: Mapping[int, str] = {}  # what a clip inherits of those around it, by the element's id()
    text_parents: tuple[Element, ...] = ()  # those that say how letters look, the outermost first
    ids: Mapping[str, Element] = {}  # never changed
    shaper: Shaper | None = None


def read_svg_file_as_symbol_or_raise(path: FilePath, name: str | None = None, shaper: Shaper | None = None) -> Symbol:
    """Read the picture as a symbol in the units of its viewBox, its text in the shaper's fonts. Raises BadPicture."""
    try:
        return parse_svg_bytes_as_symbol_or_raise(
            read_limited_plain_file_or_raise(path, LARGEST), name or path.stem, shaper
        )
    except OSError as error:  # a pipe or a device too, which would never end
        raise BadPicture(error.strerror or str(error)) from None


def parse_svg_bytes_as_symbol_or_raise(data: bytes, name: str, shaper: Shaper | None = None) -> Symbol:
    """Do what `read_svg_file_as_symbol_or_raise` does, for bytes."""
    root = parse_safe_svg_tree_or_raise(data)
    if get_local_tag(root) != "svg":
        raise BadPicture(f"expected an svg element, found {get_local_tag(root)!r}")
    try:
        bounds = read_view_box_or_size_or_raise(root)
        _refuse_distorted_aspect_ratio(root, bounds)
        shown = read_viewport_of_whole_picture(root, bounds)
        apply_css_for_svg_in_place(root)
        replace_use_elements_in_place(root, _index_elements_by_id(root))
        _refuse_undrawable_attributes(root)
        _refuse_properties_of_whole_picture(root)
        _replace_percentages_in_place(root, bounds)
        nodes = tuple(
            _iter_drawn_child_nodes(
                root,
                _merge_own_style_into_inherited(
                    root,
                    _InheritedStyle(
                        ids=_index_elements_by_id(root),
                        rule_of_clips=_map_clips_to_inherited_rules(root),
                        shaper=shaper,
                    ),
                ),
            )
        )
    except BadPicture:
        raise
    except RecursionError:
        raise BadPicture("its groups are nested too deep") from None
    except ValueError as error:
        raise BadPicture(describe_value_error(error)) from None
    reach = max(map(abs, (shown.x, shown.y, shown.right, shown.bottom)))
    if reach > WIDEST:  # CorelDRAW counts hundredths of a millimetre
        scale = WIDEST / reach
        nodes = tuple(_multiply_node_lengths(node, scale) for node in nodes)
        shown = Rect(*(edge * scale for edge in shown))
    if any(
        not shown.expand(OVERFLOW * max(shown.width, shown.height)).contains(box)
        for box in _iter_boxes_of_shapes_and_clips(nodes)
    ):
        nodes = (Group(nodes, clip=build_rectangle_path(shown)),)
    return Symbol(name, shown, nodes)


def describe_value_error(error: ValueError) -> str:
    """Return what is wrong with a value of a picture, in our words where they are Python's."""
    return str(error).replace("could not convert string to float:", "expected a number, found")


def _iter_boxes_of_shapes_and_clips(nodes: Iterable[Node], place: Transform = IDENTITY) -> Iterator[Rect]:
    """Yield a box around each shape with its line, as far as nothing clips it."""
    for node in nodes:
        if isinstance(node, Path):
            box = bounds_of(node.commands)
            line = node.stroke.width / 2 if node.stroke is not None else 0.0
            yield place.transform_bounding_box(box.expand(line))
        elif isinstance(node, Group):
            children = node.children if node.clip is None else (node.clip,)
            yield from _iter_boxes_of_shapes_and_clips(children, node.transform.then(place))


def parse_safe_svg_tree_or_raise(data: bytes) -> Element:
    try:
        text = _strip_doctype_and_refuse_other_entities(data.decode("utf-8-sig"))
        if "\0" in text or "<!DOCTYPE" in text or "<!ENTITY" in text:
            raise BadPicture("document types and entities are refused")
        if "<?xml-stylesheet" in text:
            raise BadPicture("a style sheet outside of the file is refused; save the picture with its styles in it")
        root = fromstring(text)
    except UnicodeDecodeError:
        found = "a compressed picture (SVGZ)" if data.startswith(b"\x1f\x8b") else "another encoding"
        raise BadPicture(f"expected UTF-8 text, found {found}; save the picture as plain SVG") from None
    except ParseError as error:
        raise BadPicture(f"not XML: {error}") from None
    _remove_elements_for_own_programs_in_place(root)
    return root


def _strip_doctype_and_refuse_other_entities(text: str) -> str:
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


def _remove_elements_for_own_programs_in_place(root: Element) -> None:
    """Take out what only a program of one's own shows, as each `switch` does that a program cannot read."""
    for parent in root.iter():
        for child in [child for child in parent if child.get("requiredExtensions")]:
            parent.remove(child)


def _multiply_node_lengths(node: Node, scale: float) -> Node:
    """Return the node in other units: all its lengths multiplied."""
    size = Transform.scale(scale)
    if isinstance(node, Group):
        place = node.transform._replace(e=node.transform.e * scale, f=node.transform.f * scale)
        clip = node.clip and node.clip._replace(commands=transform_outline(node.clip.commands, size))
        return Group(tuple(_multiply_node_lengths(child, scale) for child in node.children), place, clip, node.opacity)
    assert isinstance(node, Path)  # pictures from SVG hold nothing else
    fill, stroke = node.fill, node.stroke
    if isinstance(fill, LinearGradient):
        fill = LinearGradient(fill.x1 * scale, fill.y1 * scale, fill.x2 * scale, fill.y2 * scale, fill.stops)
    elif isinstance(fill, RadialGradient):
        fill = RadialGradient(fill.x * scale, fill.y * scale, fill.radius * scale, fill.stops)
    if stroke is not None:
        dash = tuple(length * scale for length in stroke.dash)
        stroke = stroke._replace(width=stroke.width * scale, dash=dash)
    return Path(transform_outline(node.commands, size), fill, stroke, node.even_odd)


def _index_elements_by_id(root: Element) -> dict[str, Element]:
    """Return the first element of each id."""
    return {name: element for element in reversed([*root.iter()]) if (name := element.get("id"))}


def read_view_box_or_size_or_raise(root: Element) -> Rect:
    text = root.get("viewBox")
    if text:
        parts = [float(part) for part in text.replace(",", " ").split()]
        if len(parts) == 4 and parts[2] > 0 and parts[3] > 0:
            return Rect(*parts)
        raise BadPicture(f"viewBox: expected x y width height, found {text!r}")
    width, height = (
        _parse_length_in_user_units_or_zero(root.get("width", "")),
        _parse_length_in_user_units_or_zero(root.get("height", "")),
    )
    if width <= 0 or height <= 0:
        raise BadPicture("expected a viewBox, or width and height above 0")
    return Rect(0, 0, width, height)


def read_viewport_of_whole_picture(root: Element, view_box: Rect) -> Rect:
    """Return what a picture shows, in its own units: more than its view box where width and height are of another
    shape, and the view box stands inside of them (SVG 1.1, 7.8)."""
    sides = [root.get(side, "") for side in ("width", "height")]
    if not root.get("viewBox") or not all(sides) or any(side.strip().endswith("%") for side in sides):
        return view_box
    width, height = map(_parse_length_in_user_units_or_zero, sides)
    if width <= 0 or height <= 0 or abs(width / height / (view_box.width / view_box.height) - 1) <= SAME_SHAPE:
        return view_box
    scale = min(width / view_box.width, height / view_box.height)
    wide, high = width / scale, height / scale
    fit = root.get("preserveAspectRatio", "") or "xMidYMid"
    shares = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}
    across = next((share for word, share in shares.items() if f"x{word}" in fit), 0.5)
    down = next((share for word, share in shares.items() if f"Y{word}" in fit), 0.5)
    return Rect(view_box.x - (wide - view_box.width) * across, view_box.y - (high - view_box.height) * down, wide, high)


def _refuse_distorted_aspect_ratio(root: Element, bounds: Rect) -> None:
    """Raise BadPicture for a picture that is stretched or cut into a size of another shape than its viewBox."""
    fit = root.get("preserveAspectRatio", "")
    sides = [root.get(side, "") for side in ("width", "height")]
    if not root.get("viewBox") or not ("none" in fit or "slice" in fit) or not all(sides) or "%" in "".join(sides):
        return
    width, height = map(_parse_length_in_user_units_or_zero, sides)
    if height and abs(width / height / (bounds.width / bounds.height) - 1) > SAME_SHAPE:
        raise BadPicture(
            f"preserveAspectRatio={fit!r} stretches or cuts it: give it a viewBox of the shape of its width and height"
        )


def _refuse_properties_of_whole_picture(root: Element) -> None:
    """Raise NotDrawableAsVectors where the outermost element hides, cuts, moves or fades all that is in it."""
    plain = {
        "clip-path": ("none",),
        "opacity": ("1", "1.0", "100%"),
        "display": ("inline", "block", "inline-block"),
        "transform": (),
    }
    for name, words in plain.items():
        if (word := get_style_or_attribute_value_or_empty(root, name)) and word not in words:
            raise NotDrawableAsVectors(f"{name!r} of the whole picture cannot be drawn here")


def _iter_drawn_child_nodes(parent: Element, inherited_style: _InheritedStyle) -> Iterator[Node]:
    for child in parent:
        refuse_unsafe_svg_element(child)
        tag = get_local_tag(child)
        if has_non_svg_namespace(child):  # an editor's own notes, whatever they are called
            continue
        if tag not in HARMLESS:
            _refuse_undrawable_attributes(child)
        if get_style_or_attribute_value_or_empty(child, "display") == "none":
            continue
        if tag in HARMLESS:
            _refuse_unsafe_descendants(child)
            continue
        own = _merge_own_style_into_inherited(child, inherited_style)
        if tag in ("g", "a", "switch") and not (tag == "switch" and _is_switch_with_alternatives(child)):
            nodes = tuple(_iter_drawn_child_nodes(child, own))
        elif tag == "svg":
            nodes = _convert_nested_svg_to_clipped_group(child, own)
        elif tag == "text":
            nodes = _convert_text_to_outlines(child, own)
        elif tag in SHAPES:
            look_of = own._replace(fill=None) if tag == "line" else own  # a line has no inside
            nodes = _build_styled_shape_nodes(SHAPES[tag](child), look_of)
        else:
            raise NotDrawableAsVectors(f"the element {tag!r} cannot be drawn here")
        yield from _wrap_in_group_if_needed(child, nodes, own)


def _is_switch_with_alternatives(switch: Element) -> bool:
    """Return whether a ``switch`` has several pictures, of which a reader shows one."""
    return len(switch) > 1 or any(child.get("systemLanguage") for child in switch)


def _convert_nested_svg_to_clipped_group(element: Element, look: _InheritedStyle) -> tuple[Node, ...]:
    """Return a picture inside the picture, fitted into the middle of its place and cut to it (SVG 1.1, 7.8)."""
    nodes = tuple(_iter_drawn_child_nodes(element, look))
    x, y = (_parse_length_attribute_in_user_units(element, "x"), _parse_length_attribute_in_user_units(element, "y"))
    if not element.get("viewBox"):
        return _cut_picture_without_view_box(element, nodes, x, y)
    window = read_view_box_or_size_or_raise(element)
    if element.get("preserveAspectRatio", "xMidYMid meet") not in ("xMidYMid meet", "xMidYMid", "none"):
        raise NotDrawableAsVectors("'preserveAspectRatio' of a picture inside the picture cannot be drawn here")
    width, height = (
        _parse_length_attribute_in_user_units(element, "width"),
        _parse_length_attribute_in_user_units(element, "height"),
    )
    if width <= 0 or height <= 0:
        raise NotDrawableAsVectors("a picture inside the picture without a size cannot be drawn here")
    across, down = width / window.width, height / window.height
    if element.get("preserveAspectRatio") != "none":
        across = down = min(across, down)
    left = x + (width - window.width * across) / 2 - window.x * across
    top = y + (height - window.height * down) / 2 - window.y * down
    whole = get_style_or_attribute_value_or_empty(element, "overflow") in ("visible", "auto")
    place = Rect((x - left) / across, (y - top) / down, width / across, height / down)
    return (Group(nodes, Transform(across, 0, 0, down, left, top), None if whole else build_rectangle_path(place)),)


def _cut_picture_without_view_box(element: Element, nodes: tuple[Node, ...], x: float, y: float) -> tuple[Node, ...]:
    """Return what a picture inside the picture draws, cut to its size where more is drawn; one without a size is as
    large as the picture around it, which is cut itself."""
    width, height = (_parse_length_attribute_in_user_units(element, side) for side in ("width", "height"))
    clip = None
    if (width or height) and get_style_or_attribute_value_or_empty(element, "overflow") not in ("visible", "auto"):
        if not (width and height):
            raise NotDrawableAsVectors("a picture inside the picture with one side alone cannot be drawn here")
        place = Rect(0, 0, width, height)
        if not all(map(place.expand(OVERFLOW).contains, _iter_boxes_of_shapes_and_clips(nodes))):
            clip = build_rectangle_path(place)
    return (Group(nodes, Transform.move(x, y), clip),) if x or y or clip else nodes


def _convert_text_to_outlines(element: Element, look: _InheritedStyle) -> tuple[Node, ...]:
    """Return a text as outlines, each run in the paint of its element."""
    from playproof.generator.art.svg_text import list_outlines_of_text_runs_or_raise  # few pictures have text

    looks = {id(element): look}
    for parent in element.iter():
        for child in parent:
            _refuse_undrawable_attributes(child)
            looks[id(child)] = _merge_own_style_into_inherited(child, looks[id(parent)])
    fills = [own.fill for own in looks.values() if isinstance(own.fill, Element)]
    if any(fill.get("gradientUnits") != "userSpaceOnUse" for fill in fills):  # its box is that of the letters' cells
        raise NotDrawableAsVectors("text painted with a gradient cannot be drawn here")
    if len({own.line_first for own in looks.values()}) > 1:
        raise NotDrawableAsVectors("'paint-order' of a part of a text cannot be drawn here")
    runs = list_outlines_of_text_runs_or_raise(
        element,
        [parent for parent in look.text_parents if parent is not element],
        get_style_or_attribute_value_or_empty,
        _parse_length_in_user_units_or_zero,
        look.shaper,
    )
    return tuple(
        node
        for run in runs
        # no rule of filling applies to letters (SVG 2, 11.3)
        for node in _build_styled_shape_nodes(Path(run.commands), looks[id(run.element)]._replace(even_odd=False))
        if run.commands
    )


def has_non_svg_namespace(element: Element) -> bool:
    """Return whether the element is not SVG, such as the notes of a drawing program."""
    space = str(element.tag).partition("}")[0].lstrip("{")
    return str(element.tag).startswith("{") and space != "http://www.w3.org/2000/svg"


def _refuse_undrawable_attributes(element: Element) -> None:
    """Raise BadPicture for an attribute or property that is neither drawn nor harmless."""
    pairs = [(key, value) for key, value in element.attrib.items() if "}" not in key]
    for declaration in element.get("style", "").split(";"):
        if declaration.strip():
            key, _, value = declaration.partition(":")
            pairs.append((key, value))
    for key, value in pairs:
        name, word = key.strip(), value.strip()
        if name in DRAWN or name in HARMLESS_ATTRIBUTES or name.startswith(("data-", "aria-", *TEXT_PROPERTIES)):
            continue
        if word not in PLAIN_VALUES.get(name, ()):
            raise NotDrawableAsVectors(f"{name!r} cannot be drawn here")


def _replace_percentages_in_place(root: Element, bounds: Rect) -> None:
    """Replace lengths in percent by numbers: of the width or height of the picture, or of the picture inside it that
    they stand in; for radii, of its diagonal divided by the root of 2."""
    diagonal = ((bounds.width**2 + bounds.height**2) / 2) ** 0.5
    wholes = {"r": diagonal} | dict.fromkeys(DOWN, bounds.height) | dict.fromkeys(ACROSS, bounds.width)
    for element in root:
        if get_local_tag(element) in GRADIENTS:  # shares of a shape
            continue
        for name, whole in wholes.items():
            text = element.get(name, "").strip()
            if text.endswith("%"):
                element.set(name, repr(float(text[:-1]) / 100 * whole))
        inner = bounds
        if get_local_tag(element) == "svg" and (element.get("viewBox") or all(map(element.get, ("width", "height")))):
            inner = read_view_box_or_size_or_raise(element)
        _replace_percentages_in_place(element, inner)


def _wrap_in_group_if_needed(element: Element, nodes: tuple[Node, ...], look: _InheritedStyle) -> tuple[Node, ...]:
    """Return the nodes, inside a group if the element moves or cuts them or makes them see-through."""
    transform = parse_transform_attribute(get_style_or_attribute_value_or_empty(element, "transform"))
    opacity = _parse_number_or_percent_as_share(get_style_or_attribute_value_or_empty(element, "opacity") or "1")
    clips = (
        _list_nested_clips_or_raise(get_style_or_attribute_value_or_empty(element, "clip-path"), look) if nodes else []
    )
    for clip in clips[1:]:
        nodes = (Group(nodes, clip=clip),)
    if transform == Transform() and opacity >= 1 and not clips:
        return nodes
    return (Group(nodes, transform, clips[0] if clips else None, opacity),)


def _list_nested_clips_or_raise(reference: str, look: _InheritedStyle) -> list[Path]:
    """Return the outlines that cut an element: that of its clip, and that of the clip's own clip."""
    if reference in ("", "none"):
        return []
    clip = _get_referenced_element_or_raise(reference, look, ("clipPath",))
    if clip.get("clipPathUnits", "userSpaceOnUse") != "userSpaceOnUse":
        raise NotDrawableAsVectors("a clip in shares of what it cuts cannot be drawn here")
    if get_style_or_attribute_value_or_empty(clip, "transform-origin"):
        raise NotDrawableAsVectors("'transform-origin' of a clip cannot be drawn here")
    place = parse_transform_attribute(get_style_or_attribute_value_or_empty(clip, "transform"))
    outlines, even_odd, overlaps = [], False, False
    clip_parents_rule = look.rule_of_clips.get(id(clip), "")
    for child in clip:
        copy, matrix = child, place
        if copy.get(MADE_OF_USE):  # a group of the file itself cuts nothing, nor does one that a `use` names
            matrix = parse_transform_attribute(get_style_or_attribute_value_or_empty(copy, "transform")).then(matrix)
            copy = copy[0]
        if get_local_tag(copy) in ("title", "desc") or get_style_or_attribute_value_or_empty(copy, "display") == "none":
            continue
        if any(
            get_style_or_attribute_value_or_empty(part, "visibility") not in ("", "visible")
            for part in (clip, child, copy)
        ):
            raise NotDrawableAsVectors("a clip with hidden parts cannot be drawn here")
        if get_local_tag(copy) not in SHAPES or any(
            get_style_or_attribute_value_or_empty(part, "clip-path") not in ("", "none") for part in (child, copy)
        ):
            raise NotDrawableAsVectors(f"a clip of {get_local_tag(copy)!r} cannot be drawn here")
        if shape := SHAPES[get_local_tag(copy)](copy):
            matrix = parse_transform_attribute(get_style_or_attribute_value_or_empty(copy, "transform")).then(matrix)
            outlines.append(transform_outline(shape.commands, matrix))
            rules = (get_style_or_attribute_value_or_empty(part, "clip-rule") for part in (copy, child, clip))
            is_even_odd = next(filter(None, rules), clip_parents_rule) == "evenodd"
            even_odd = even_odd or is_even_odd
            overlaps = overlaps or (is_even_odd and not is_outline_surely_simple(outlines[-1]))
    if overlaps and len(outlines) > 1:
        raise NotDrawableAsVectors("a clip of several shapes with the rule 'evenodd' cannot be drawn here")
    even_odd = even_odd and len(outlines) == 1
    commands = outlines[0] if len(outlines) == 1 else join_outlines_all_turning_one_way(outlines)
    commands = commands or (("M", (0.0, 0.0)), ("Z", ()))  # a clip without shapes hides everything
    others = {name: element for name, element in look.ids.items() if element is not clip}
    own = _list_nested_clips_or_raise(
        get_style_or_attribute_value_or_empty(clip, "clip-path"), look._replace(ids=others)
    )
    return [Path(commands, even_odd=even_odd), *own]


def _map_clips_to_inherited_rules(parent: Element, rule: str = "") -> dict[int, str]:
    """Return the `clip-rule` that each clip inherits, by the id() of its element."""
    rule = get_style_or_attribute_value_or_empty(parent, "clip-rule") or rule
    found = {id(parent): rule} if get_local_tag(parent) == "clipPath" and rule else {}
    for child in parent:
        found |= _map_clips_to_inherited_rules(child, rule)
    return found


def _get_referenced_element_or_raise(reference: str, look: _InheritedStyle, allowed_tags: tuple[str, ...]) -> Element:
    """Return the element that ``url(#id)`` names. Raises ValueError if it is of another kind, or not there."""
    match = LOCAL.fullmatch(reference)
    if match is None:
        raise NotDrawableAsVectors(f"the reference {reference!r} cannot be drawn here")
    target = look.ids.get(match[1])
    if target is None:
        raise BadPicture(f"the reference {reference!r} is refused: nothing in the file has that id")
    if get_local_tag(target) not in allowed_tags:
        raise NotDrawableAsVectors(f"{get_local_tag(target)!r} cannot be drawn here")
    return target


def _refuse_unsafe_descendants(element: Element) -> None:
    for inner in element.iter():
        refuse_unsafe_svg_element(inner)


def refuse_unsafe_svg_element(element: Element, allow_embedded_images: bool = False) -> None:
    """Raise BadPicture for what runs, moves, or refers outside the file. With ``allow_embedded_images``, pictures
    of pixels that the file itself holds may be in it."""
    tag = get_local_tag(element)
    if tag in ("script", "foreignObject", "iframe", "animate", "set"):
        hint = "; turn the text into outlines" if tag == "foreignObject" else ""
        raise BadPicture(f"the element {tag!r} is refused{hint}")
    if tag == "image" and not allow_embedded_images and _is_embedded_image(element):
        raise NotDrawableAsVectors("a picture of pixels inside the picture cannot be drawn here")
    for key, value in element.attrib.items():
        name = key.rpartition("}")[2]
        if name.lower().startswith("on"):
            raise BadPicture(f"the event handler {name!r} is refused")
        inside = value.startswith("#") or (tag == "image" and _is_embedded_image(element))
        if tag == "a" and name == "href":  # a page to go to, which no picture does
            continue
        if name == "src" or (name == "href" and not inside) or "url(" in LOCAL.sub("", value).replace(" ", ""):
            hint = "; embed the picture in the file (Inkscape: Extensions, Images, Embed)" if tag == "image" else ""
            if value.lstrip().startswith("data:"):
                hint = "; expected a picture of pixels (PNG, JPEG, GIF, WebP or BMP) with its kind"
            raise BadPicture(f"the reference {shorten_value_for_message(value)!r} is refused{hint}")


def shorten_value_for_message(value: str) -> str:
    """Return a value for a message: a picture inside the picture is thousands of letters long."""
    return value if len(value) < 80 else f"{value[:60]}..."


def _is_embedded_image(image: Element) -> bool:
    """Return whether a picture inside the picture is held by the file itself, as PNG, JPEG or the like."""
    addresses = [value for key, value in image.attrib.items() if key.rpartition("}")[2] == "href"]
    return bool(addresses) and all(DATA.match(address) for address in addresses)


def get_style_or_attribute_value_or_empty(element: Element, name: str) -> str:
    """Return a presentation property from the style attribute or the attribute of its name."""
    style = element.get("style")
    for declaration in reversed(style.split(";")) if style else ():
        key, _, value = declaration.partition(":")
        if key.strip() == name:
            return value.strip()
    return element.get(name, "")


def _merge_own_style_into_inherited(element: Element, look: _InheritedStyle) -> _InheritedStyle:
    """Return the inherited look with the element's own properties."""
    changes: dict[str, object] = {}
    if (colour := get_style_or_attribute_value_or_empty(element, "color")) and colour != "inherit":
        changes["colour"] = _parse_colour_and_opacity(colour.lower(), look)[0]
        look = look._replace(colour=changes["colour"])  # type: ignore[arg-type]
        changes |= dict.fromkeys(look.of_colour, changes["colour"])
    if order := get_style_or_attribute_value_or_empty(element, "paint-order"):
        before, stroke, _ = order.partition("stroke")
        changes["line_first"] = bool(stroke) and "fill" not in before
    for name in ("fill", "stroke"):
        text = get_style_or_attribute_value_or_empty(element, name)
        if text and text != "inherit":
            changes[name], opaque = _parse_paint_and_opacity(text, look)
            other = look.of_colour - {name}
            look = look._replace(of_colour=other | {name} if text.lower() == "currentcolor" else other)
            if opaque < 1:
                changes[f"{name}_opacity"] = opaque
        if share := get_style_or_attribute_value_or_empty(element, f"{name}-opacity"):
            changes[f"{name}_opacity"] = _parse_number_or_percent_as_share(share)
    if isinstance(changes.get("stroke"), Element):
        raise NotDrawableAsVectors("a line painted with a gradient cannot be drawn here")
    if width := get_style_or_attribute_value_or_empty(element, "stroke-width"):
        changes["width"] = _parse_length_in_user_units_or_zero(width)
    if cap := get_style_or_attribute_value_or_empty(element, "stroke-linecap"):
        changes["cap"] = cap if cap in ("butt", "round", "square") else "butt"
    if join := get_style_or_attribute_value_or_empty(element, "stroke-linejoin"):
        if join in ("miter-clip", "arcs"):
            raise NotDrawableAsVectors(f"corners of lines as {join!r} cannot be drawn here")
        changes["join"] = join if join in ("miter", "round", "bevel") else "miter"
    if miter := get_style_or_attribute_value_or_empty(element, "stroke-miterlimit"):
        changes["miter"] = max(1.0, float(miter))
    if dash := get_style_or_attribute_value_or_empty(element, "stroke-dasharray"):
        changes["dash"] = _parse_dash_lengths(dash)
    if visibility := get_style_or_attribute_value_or_empty(element, "visibility"):
        changes["hidden"] = visibility in ("hidden", "collapse")
    if rule := get_style_or_attribute_value_or_empty(element, "fill-rule"):
        changes["even_odd"] = rule == "evenodd"
    if _says_how_letters_look(element):
        changes["text_parents"] = (*look.text_parents, element)
    return look._replace(**changes)  # type: ignore[arg-type]  # keys and types are those set just above


def _says_how_letters_look(element: Element) -> bool:
    """Return whether an element has a property of text that its children inherit."""
    words = ("font", "text-", "letter-", "word-", "writing", "direction", "dominant-", "baseline-")
    style = element.get("style", "")
    return any(word in style for word in words) or any(
        key.startswith(words) or key == XML_SPACE for key in element.attrib
    )


def _parse_paint_and_opacity(text: str, look: _InheritedStyle) -> tuple[Colour | Element | None, float]:
    """Return a paint and how opaque it is: a colour, a gradient of the file, or nothing."""
    word = text.strip()
    if word in ("context-fill", "context-stroke"):
        raise NotDrawableAsVectors(f"the paint {word!r} cannot be drawn here")
    reference = LOCAL.match(word)
    if reference and word[reference.end() :] and reference[1] not in look.ids:
        word = word[reference.end() :].strip()  # what stands behind a reference that names nothing
    elif reference:
        return _get_referenced_element_or_raise(reference[0], look, GRADIENTS), 1.0
    return _parse_colour_and_opacity(word.lower(), look)


def _parse_colour_and_opacity(word: str, look: _InheritedStyle | None = None) -> tuple[Colour | None, float]:
    if word in ("none", "transparent"):
        return None, 1.0
    if word == "currentcolor":
        return look.colour if look else BLACK, 1.0
    if word in NAMED:
        return NAMED[word], 1.0
    if word.startswith("cmyk(") or HEXADECIMAL.fullmatch(word):
        return Colour.parse_hex_or_cmyk_colour_or_raise(word), 1.0
    colour = parse_css_colour_or_none(word)  # the forms above are all that most pictures have
    if colour is None:
        return Colour.parse_hex_or_cmyk_colour_or_raise(word), 1.0
    return Colour(*colour[:3]), colour.opacity


def _parse_gradient_stop(element: Element) -> StopColour:
    """Return a gradient's stop: its place from 0 to 1, its colour, and how opaque it is."""
    if get_style_or_attribute_value_or_empty(element, "stop-color").lower() in ("currentcolor", "inherit"):
        raise NotDrawableAsVectors("a gradient of inherited colours cannot be drawn here")
    colour, opaque = _parse_colour_and_opacity(
        (get_style_or_attribute_value_or_empty(element, "stop-color") or "black").lower()
    )
    share = _parse_number_or_percent_as_share(get_style_or_attribute_value_or_empty(element, "stop-opacity") or "1")
    return StopColour(
        _parse_number_or_percent_as_share(element.get("offset", "0")),
        colour or BLACK,
        share * opaque if colour else 0.0,
    )


def _parse_number_or_percent_as_share(text: str) -> float:
    """Read an opacity (a number or a percentage) and clamp it to 0..1."""
    value = float(text[:-1]) / 100 if text.endswith("%") else float(text)
    return min(1.0, max(0.0, value))


def _parse_dash_lengths(text: str) -> tuple[float, ...]:
    """Return the lengths on and off. An odd number of them is repeated once (SVG 1.1, 11.4)."""
    if text.strip() == "none":
        return ()
    lengths = tuple(_parse_length_in_user_units_or_zero(part) for part in text.replace(",", " ").split())
    if min(lengths, default=0) < 0 or not sum(lengths):
        return ()
    lengths = lengths * 2 if len(lengths) % 2 else lengths
    return lengths if any(lengths[1::2]) else ()  # without gaps it is one line


def _parse_length_in_user_units_or_zero(text: str) -> float:
    """Return a length in user units (1/96 in), 0 if the text is empty. Raises ValueError for a unit
    that is not absolute."""
    if not text.strip():
        return 0.0
    match = re.fullmatch(r"\s*([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)\s*([a-z]*)\s*", text)
    if match is None or match[2] not in UNITS:
        raise NotDrawableAsVectors(f"the length {text.strip()!r} cannot be drawn here")
    return float(match[1]) * UNITS[match[2]]


def _build_styled_shape_nodes(shape: Path | None, look: _InheritedStyle) -> tuple[Node, ...]:
    """Return the shape with its paint, or nothing if it is invisible. Fill and stroke are separate
    nodes if either is see-through."""
    if shape is None or look.hidden:
        return ()
    if look.line_first and look.fill is not None and look.stroke is not None:
        line, inside = look._replace(fill=None), look._replace(stroke=None)
        return (*_build_styled_shape_nodes(shape, line), *_build_styled_shape_nodes(shape, inside))
    if isinstance(look.fill, Element):
        return (
            *_build_gradient_filled_nodes(shape, look.fill, look),
            *_build_styled_shape_nodes(shape, look._replace(fill=None)),
        )
    fill = look.fill if look.fill_opacity > 0 else None
    stroke = None
    if look.stroke is not None and look.width > 0 and look.stroke_opacity > 0:
        if look.cap != "round" and has_part_without_length(shape.commands):  # which readers of PDF draw in their ways
            raise NotDrawableAsVectors("a line without length, whose ends are not round, cannot be drawn here")
        pointed = look.join == "miter" and is_drawn_differently_with_other_miter_limit(
            shape.commands, look.miter, MITER
        )
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


def _build_gradient_filled_nodes(shape: Path, server: Element, look: _InheritedStyle) -> tuple[Node, ...]:
    """Return the shape filled with a gradient, in a group where the gradient has a space of its own."""
    box = bounds_of(shape.commands)
    if not box.width or not box.height:  # it has no share to fill (SVG 1.1, 7.11)
        return ()
    graded = convert_gradient_to_paint_or_none(server, look.ids, box, _parse_gradient_stop, parse_transform_attribute)
    if graded is None or not graded.opacity * look.fill_opacity:
        return ()
    commands = shape.commands
    if graded.space != Transform():
        commands = transform_outline(commands, invert_transform_or_raise(graded.space))
    path = Path(commands, graded.paint, None, look.even_odd)
    opacity = graded.opacity * look.fill_opacity
    if graded.space == Transform() and opacity >= 1:
        return (path,)
    return (Group((path,), graded.space, None, opacity),)


def _parse_length_attribute_in_user_units(element: Element, name: str) -> float:
    return _parse_length_in_user_units_or_zero(element.get(name, "0"))


def _convert_rect_to_path_or_none(element: Element) -> Path | None:
    rect = Rect(*(_parse_length_attribute_in_user_units(element, name) for name in ("x", "y", "width", "height")))
    if rect.width <= 0 or rect.height <= 0:
        return None
    written = [element.get(name, "").strip() for name in ("rx", "ry")]
    rx, ry = map(_parse_length_in_user_units_or_zero, written)
    if rx < 0 or ry < 0:
        raise NotDrawableAsVectors("a corner with a radius below 0 cannot be drawn here")
    if any(text and not radius for text, radius in zip(written, (rx, ry), strict=True)) and "auto" not in written:
        rx = ry = 0.0  # one that is 0 makes the corner sharp
    # one that is not given is the other
    rx, ry = (min(rx or ry, rect.width / 2), min(ry or rx, rect.height / 2))
    if rx == ry:
        return build_rectangle_path(rect, radius=rx)
    squeeze = ry / rx  # of a rectangle with round corners
    high = build_rectangle_path(rect._replace(y=rect.y / squeeze, height=rect.height / squeeze), radius=rx)
    return Path(transform_outline(high.commands, Transform.scale(1, squeeze)))


def _convert_circle_to_path_or_none(element: Element) -> Path | None:
    cx, cy, radius = (_parse_length_attribute_in_user_units(element, name) for name in ("cx", "cy", "r"))
    return build_circle_path(cx, cy, radius) if radius > 0 else None  # one without a radius is not drawn


def _convert_ellipse_to_path_or_none(element: Element) -> Path | None:
    cx, cy, rx, ry = (_parse_length_attribute_in_user_units(element, name) for name in ("cx", "cy", "rx", "ry"))
    if rx < 0 or ry < 0:
        raise NotDrawableAsVectors("an ellipse with a radius below 0 cannot be drawn here")
    rx, ry = (rx if element.get("rx") else ry), (ry if element.get("ry") else rx)  # one that is not given is the other
    return build_ellipse_path(cx, cy, rx, ry) if rx > 0 and ry > 0 else None


def _convert_line_to_path_or_none(element: Element) -> Path | None:
    ends = tuple(_parse_length_attribute_in_user_units(element, name) for name in ("x1", "y1", "x2", "y2"))
    return Path((("M", ends[:2]), ("L", ends[2:])))


def _convert_poly_points_to_path_or_none(element: Element) -> Path | None:
    closing = " Z" if get_local_tag(element) == "polygon" else ""
    points = element.get("points", "").strip()
    return Path(parse_svg_path_to_absolute_commands(f"M {points}{closing}")) if points else None


def _convert_path_element_to_path_or_none(element: Element) -> Path | None:
    commands = parse_svg_path_to_absolute_commands(element.get("d", ""))
    return Path(commands) if commands else None


SHAPES = {
    "path": _convert_path_element_to_path_or_none,
    "rect": _convert_rect_to_path_or_none,
    "circle": _convert_circle_to_path_or_none,
    "ellipse": _convert_ellipse_to_path_or_none,
    "line": _convert_line_to_path_or_none,
    "polyline": _convert_poly_points_to_path_or_none,
    "polygon": _convert_poly_points_to_path_or_none,
}


def parse_transform_attribute(text: str) -> Transform:
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
            raise NotDrawableAsVectors(f"transform: {name!r} cannot be drawn here")
        result = step.then(result)
    return result

"""What the elements of an SVG picture refer to, resolved: the rules of its style sheets, the elements that
`use` copies, and gradients (SVG 1.1, 13.2)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import count
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from playproof.generator.art.picture_files import BadPicture, NotDrawableAsVectors
from playproof.generator.scene import Colour, LinearGradient, Paint, RadialGradient, Rect, Stop, Transform

# -- svg style -----------------------------------------------------------------------------------------------
# Style sheets inside an SVG picture, written out: each element gets, in its ``style`` attribute, what the
# sheets say of it. Parsing and selectors are those of tinycss2 and cssselect2.


class _Declaration(NamedTuple):
    """One ``name: value`` with what decides between several of one name: the greatest wins."""

    important: bool
    specificity: tuple[int, ...]  # of its selector; an element's own ``style`` is above all sheets
    order: int
    name: str
    value: str


INLINE = (1 << 16,)
CSS = "text/css"
_WIDE = "color("  # a colour for screens of more colours, as Figma writes it behind the plain one
_SPACED = re.compile(r"(rgb|hsl)a?\([^,]+\)\Z|rebeccapurple\Z", re.IGNORECASE)  # newer words for a colour
_MEASURES = frozenset(["x", "y", "width", "height", "rx", "ry", "cx", "cy", "r"])
_UNIT = re.compile(r"(?<=\d)(px|deg)\b")


def get_local_tag(element: Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


def apply_css_for_svg_in_place(root: Element) -> None:
    """Take the ``style`` elements out of the picture and write their declarations where they apply. Raises ValueError
    for a sheet that cannot be read, or that would fetch something."""
    sheets = [(parent, child) for parent in root.iter() for child in parent if child.tag.rpartition("}")[2] == "style"]
    for parent, sheet in [pair for pair in sheets if pair[1].get("type", CSS).strip().lower() not in ("", CSS)]:
        parent.remove(sheet)  # in a language that no reader knows
        sheets.remove((parent, sheet))
    if sheets:
        _move_rules_into_element_styles(root, sheets)
    for element in root.iter():
        _rewrite_own_style_for_svg_1_1_in_place(element)


def _rewrite_own_style_for_svg_1_1_in_place(element: Element) -> None:
    """Write an element's own declarations as every reader of SVG 1.1 reads them."""
    written = element.get("style")
    if written is None:
        return
    declarations = []
    for name, colon, value in (declaration.partition(":") for declaration in written.split(";")):
        word = value.strip()
        if name.strip() == "transform-box" and word != "view-box":
            raise BadPicture(f"`transform-box: {word}` cannot be drawn: apply the transform to the shape")
        if name.strip() == "d":
            raise BadPicture("nobody draws the path ('d') of a style; write it as an attribute")
        if name.strip() == "transform":
            element.set("transform", _UNIT.sub("", word))
        elif name.strip() in _MEASURES:  # CSS may say these; readers of SVG 1.1 look at the attribute
            element.set(name.strip(), _UNIT.sub("", word))
        elif not word.startswith(_WIDE):
            declarations.append(
                f"{name}{colon}{_css_colour_to_rgba_if_parsable(word) if _SPACED.match(word) else value}"
            )
    element.set("style", ";".join(declarations))


class CssColour(NamedTuple):
    """A colour of a style sheet: red, green and blue from 0 to 1, and how opaque it is."""

    red: float
    green: float
    blue: float
    opacity: float


def parse_css_colour_or_none(css_colour: str) -> CssColour | None:
    """Return a colour as CSS writes it, None for other words. Raises BadPicture for one that is not of red, green and
    blue: resvg draws none of these."""
    from tinycss2.color4 import parse_color

    colour = parse_color(css_colour)
    if colour is None or isinstance(colour, str):
        return None
    try:
        red, green, blue = colour.to("srgb").coordinates
    except NotImplementedError:
        raise BadPicture(f"nobody draws the colour {css_colour!r}; write it as #rrggbb") from None
    return CssColour(red or 0.0, green or 0.0, blue or 0.0, float(colour.alpha or 0.0))


def _css_colour_to_rgba_if_parsable(css_colour: str) -> str:
    colour = parse_css_colour_or_none(css_colour)
    if colour is None:
        return css_colour
    shares = [f"{round(share * 255)}" for share in colour[:3]]
    return f"rgba({','.join(shares)},{colour.opacity:.3f})"


def _move_rules_into_element_styles(root: Element, sheets: list[tuple[Element, Element]]) -> None:
    text = "\n".join("".join(sheet.itertext()) for _, sheet in sheets)
    for parent, sheet in sheets:
        parent.remove(sheet)
    import cssselect2  # few pictures have style sheets

    matcher = cssselect2.Matcher()
    order = count()
    for selector, declarations in _iter_selectors_with_declarations(text, order):
        matcher.add_selector(selector, declarations)
    for wrapped in cssselect2.ElementWrapper.from_xml_root(root).iter_subtree():
        element: Element = wrapped.etree_element
        winners = [
            item._replace(specificity=specificity)
            for specificity, _, _, declarations in matcher.match(wrapped)
            for item in declarations
        ]
        if winners:
            winners += _iter_style_declarations(element.get("style", ""), order, INLINE)
            chosen = {item.name: item.value for item in sorted(winners)}
            element.set("style", ";".join(f"{name}:{value}" for name, value in chosen.items()))


def _iter_selectors_with_declarations(
    style_sheet: str, order_numbers: Iterator[int]
) -> Iterator[tuple[Any, list[_Declaration]]]:
    import cssselect2
    import tinycss2

    for rule in tinycss2.parse_stylesheet(style_sheet, skip_comments=True, skip_whitespace=True):
        if rule.type == "error":
            raise ValueError(f"style sheet, line {rule.source_line}: {rule.message}")
        if rule.type == "at-rule":
            dark = "prefers-color-scheme: dark" in tinycss2.serialize(rule.prelude)
            if rule.lower_at_keyword in ("charset", "namespace", "font-face") or dark:
                continue  # text in a font that the game lacks is refused where it stands
            raise NotDrawableAsVectors(
                f"style sheet, line {rule.source_line}: '@{rule.at_keyword}' cannot be drawn here"
            )
        declarations = list(_iter_style_declarations(tinycss2.serialize(rule.content), order_numbers))
        try:
            selectors = cssselect2.compile_selector_list(rule.prelude)
        except cssselect2.SelectorError as error:
            raise ValueError(f"style sheet, line {rule.source_line}: {error}") from None
        for selector in selectors:
            yield selector, declarations


def _iter_style_declarations(
    text: str, order_numbers: Iterator[int], specificity: tuple[int, ...] = ()
) -> Iterator[_Declaration]:
    import tinycss2

    for item in tinycss2.parse_declaration_list(text, skip_comments=True, skip_whitespace=True):
        if item.type == "declaration":
            value = tinycss2.serialize(item.value).strip()
            if not value.startswith(_WIDE):
                yield _Declaration(item.important, specificity, next(order_numbers), item.lower_name, value)


# -- svg use -------------------------------------------------------------------------------------------------
# ``use`` elements of an SVG picture, replaced by copies of what they name.

MADE_OF_USE = "{playproof}use"
"""The attribute of a group that a `use` became: clips may hold a `use`, and no group."""
MOST_ELEMENTS = 50_000  # of a picture with its copies: copies of copies double at each step
DEEPEST = 20  # copies in copies


def get_id_referenced_by_href_or_empty(element: Element) -> str:
    """Return the id that an element refers to, "" if it refers to nothing. Raises ValueError for a reference outside
    the file."""
    for key, value in sorted(element.attrib.items(), key=lambda pair: pair[0] != "href"):  # it goes before xlink's
        if key.rpartition("}")[2] == "href":
            if not value.startswith("#"):
                raise BadPicture(f"the reference {value[:60]!r} is refused")
            return value[1:]
    return ""


def replace_use_elements_in_place(root: Element, ids: Mapping[str, Element]) -> None:
    """Replace each ``use`` by a group that holds a copy of what it names, at its place. Raises ValueError for one that
    names nothing, or itself."""
    if any(get_local_tag(element) == "use" for element in root.iter()):
        _UseExpander(ids).replace_use_elements_below(root, 0)


class _UseExpander:
    """Counts what it copies, so that a small file cannot become a huge picture."""

    def __init__(self, ids: Mapping[str, Element]) -> None:
        self.ids = {name: deepcopy(element) for name, element in ids.items()}
        self.elements = 0

    def replace_use_elements_below(self, parent: Element, depth: int) -> None:
        for at, child in enumerate(parent):
            self.elements += 1
            if self.elements > MOST_ELEMENTS or depth > DEEPEST:
                raise BadPicture("its copies (`use`) contain each other, or are too many")
            if get_local_tag(child) == "use":
                parent[at] = self._build_group_with_copy(child)
                self.replace_use_elements_below(parent[at], depth + 1)
            else:
                self.replace_use_elements_below(child, depth)

    def _build_group_with_copy(self, use: Element) -> Element:
        name = get_id_referenced_by_href_or_empty(use)
        if name not in self.ids:
            raise BadPicture(f"`use` names {name!r}, which the picture does not have")
        copy = deepcopy(self.ids[name])
        space = use.tag[: -len("use")]
        keys = [key for key in use.attrib if key.rpartition("}")[2] not in ("x", "y", "width", "height", "href")]
        group = Element(f"{space}g", {key: use.attrib[key] for key in keys} | {MADE_OF_USE: "1"})
        x, y = use.get("x", "0"), use.get("y", "0")
        if (x, y) != ("0", "0"):
            group.set(
                "transform",
                (
                    f"{use.get('transform', '')} translate({_strip_px_unit_of_length(x)} {_strip_px_unit_of_length(y)})"
                ).strip(),
            )
        if get_local_tag(copy) == "svg":
            for side in ("width", "height"):
                if use.get(side):
                    copy.set(side, use.get(side, ""))
        if get_local_tag(copy) == "symbol":
            if copy.get("transform"):
                raise NotDrawableAsVectors("a symbol with a transform cannot be drawn here")
            copy.tag = f"{space}svg"
            for side in ("width", "height"):
                copy.set(side, use.get(side, "100%"))
        group.append(copy)
        return group


def _strip_px_unit_of_length(length: str) -> str:
    return str(float(length.strip().removesuffix("px")))


# -- svg gradient --------------------------------------------------------------------------------------------
# Gradients of SVG pictures as paints of the scene (SVG 1.1, 13.2).

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


def convert_gradient_to_paint_or_none(
    gradient: Element,
    ids: Mapping[str, Element],
    shape_bounds: Rect,
    parse_stop: Callable[[Element], StopColour],
    parse_matrix: Callable[[str], Transform],
) -> GradientPaint | None:
    """Return the paint that a gradient element gives to a shape with these bounds, None if it has no colours. Raises
    ValueError for one that the scene cannot hold."""
    chain = _list_gradient_and_those_it_refers_to(gradient, ids)
    listed = next((stops for element in chain if (stops := _parse_own_gradient_stops(element, parse_stop))), [])
    if not listed:
        return None
    if max(stop.opacity for stop in listed) - min(stop.opacity for stop in listed) > 0.01:
        raise NotDrawableAsVectors("a gradient that fades out (its `stop-opacity` changes) cannot be drawn here")
    kind = str(gradient.tag).rpartition("}")[2]
    read = _InheritedAttributes(chain)
    if any(element.get("transform-origin") for element in chain) or read.get_first_value_in_chain_or_default("fr", ""):
        raise NotDrawableAsVectors("'transform-origin' and 'fr' of a gradient cannot be drawn here")
    edges = (listed[:2], 0.0), (listed[-2:], 1.0)
    if any(len(pair) == 2 and pair[0].at == pair[1].at == at for pair, at in edges):
        raise NotDrawableAsVectors("a gradient with two colours at its edge cannot be drawn here")
    if read.get_first_value_in_chain_or_default("spreadMethod", "pad") != "pad" and len(listed) > 1:
        raise NotDrawableAsVectors("a gradient that repeats cannot be drawn here")
    matrix = parse_matrix(read.get_first_value_in_chain_or_default("gradientTransform", ""))
    if read.get_first_value_in_chain_or_default("gradientUnits", "objectBoundingBox") == "objectBoundingBox":
        matrix = matrix.then(Transform(shape_bounds.width, 0, 0, shape_bounds.height, shape_bounds.x, shape_bounds.y))
    else:
        read.whole = 0.0
    opacity = listed[0].opacity
    if len(listed) == 1:
        return GradientPaint(listed[0].colour, Transform(), opacity)
    colours = _extend_stops_to_0_and_1(listed)
    if kind == "linearGradient":
        return GradientPaint(_build_linear_gradient(read, matrix, colours), Transform(), opacity)
    paint, space = _build_radial_gradient_and_its_space(read, matrix, colours)
    return GradientPaint(paint, space, opacity)


def _list_gradient_and_those_it_refers_to(gradient: Element, ids: Mapping[str, Element]) -> list[Element]:
    """Return the gradient and those that it refers to: what it does not say, they say."""
    chain = [gradient]
    while name := get_id_referenced_by_href_or_empty(chain[-1]):
        if name not in ids or ids[name] in chain:
            raise ValueError(f"a gradient refers to {name!r}, which is not in the picture, or to itself")
        if get_local_tag(ids[name]) not in GRADIENTS:
            raise BadPicture(f"a gradient refers to {name!r}, which is no gradient")
        chain.append(ids[name])
    return chain


def _parse_own_gradient_stops(element: Element, parse_stop: Callable[[Element], StopColour]) -> list[StopColour]:
    return [parse_stop(child) for child in element if str(child.tag).rpartition("}")[2] == "stop"]


def _extend_stops_to_0_and_1(stops_in_file: list[StopColour]) -> tuple[Stop, ...]:
    """Return the stops from 0 to 1, none before its forerunner."""
    stops = [Stop(0.0, stops_in_file[0].colour)] if stops_in_file[0].at > 0 else []
    highest = 0.0
    for stop in stops_in_file:
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

    def get_first_value_in_chain_or_default(self, name: str, default: str) -> str:
        return next((word for element in self.chain if (word := element.get(name))), default).strip()

    def parse_number_or_percentage(self, name: str, default: str) -> float:
        text = self.get_first_value_in_chain_or_default(name, default)
        if not text.endswith("%"):
            return float(text.removesuffix("px"))
        share = float(text[:-1]) / 100
        if share and not self.whole:
            raise NotDrawableAsVectors(f"{name}={text!r} of a gradient cannot be drawn here")
        return share * self.whole


def _build_linear_gradient(
    attributes: _InheritedAttributes, matrix: Transform, stops: tuple[Stop, ...]
) -> LinearGradient:
    """Return the gradient in the shape's own space. Lines of one colour are at a right angle to the gradient's line
    before the matrix; after it, the line's end moves along its colour until the angle is right again."""
    x1, y1 = (attributes.parse_number_or_percentage("x1", "0%"), attributes.parse_number_or_percentage("y1", "0%"))
    x2, y2 = (attributes.parse_number_or_percentage("x2", "100%"), attributes.parse_number_or_percentage("y2", "0%"))
    ax, ay = matrix.apply(x1, y1)
    bx, by = matrix.apply(x2, y2)
    sideways = matrix.apply(x1 - (y2 - y1), y1 + (x2 - x1))
    nx, ny = sideways[1] - ay, ax - sideways[0]
    length = nx * nx + ny * ny
    if not length:
        raise NotDrawableAsVectors("a gradient without length cannot be drawn here")
    share = ((bx - ax) * nx + (by - ay) * ny) / length
    return LinearGradient(ax, ay, ax + nx * share, ay + ny * share, stops)


def _build_radial_gradient_and_its_space(
    attributes: _InheritedAttributes, matrix: Transform, stops: tuple[Stop, ...]
) -> tuple[RadialGradient, Transform]:
    """Return the gradient, and the space in which it is a circle."""
    cx, cy, radius = (
        attributes.parse_number_or_percentage("cx", "50%"),
        attributes.parse_number_or_percentage("cy", "50%"),
        attributes.parse_number_or_percentage("r", "50%"),
    )
    fx, fy = (
        attributes.parse_number_or_percentage("fx", str(cx)),
        attributes.parse_number_or_percentage("fy", str(cy)),
    )
    if max(abs(fx - cx), abs(fy - cy)) > 0.01 * radius:
        raise NotDrawableAsVectors("a radial gradient whose light is not in its middle cannot be drawn here")
    area = abs(matrix.a * matrix.d - matrix.b * matrix.c)
    if not area or not radius:
        raise NotDrawableAsVectors("a gradient without size cannot be drawn here")
    scale = area**0.5
    skewed = abs(matrix.a * matrix.c + matrix.b * matrix.d) + abs(matrix.a**2 + matrix.b**2 - matrix.c**2 - matrix.d**2)
    if skewed < ALIKE * area:
        return RadialGradient(*matrix.apply(cx, cy), radius * scale, stops), Transform()
    # In a space of the shape's own scale, coordinates keep their digits when they are written.
    space = Transform.scale(1 / scale).then(matrix)
    return RadialGradient(cx * scale, cy * scale, radius * scale, stops), space

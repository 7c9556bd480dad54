"""Draw a layout for one component: its elements become nodes in order, each in a box that may refer to
earlier ones, in full or in little ink."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any, TypeVar

from playproof.database.errors import Finding, FindingCollector, Where, make_nearest_or_possible_words_hint
from playproof.generator.art.icons import IconLibrary
from playproof.generator.art.outlines import compute_outline_bounds_without_handles
from playproof.generator.layout.expression import Expression, ExpressionError, NoSuchField, Number, Scope, Template
from playproof.generator.layout.layout_files import Element
from playproof.generator.layout.model import BoxSpec, ElementSpec, GradientSpec, StrokeSpec, StyleSpec
from playproof.generator.layout.text_styles import NoSuchName, is_style_same_for_every_card, resolve_text_style_or_raise
from playproof.generator.scene import (
    BLACK,
    WHITE,
    Colour,
    Group,
    LinearGradient,
    Node,
    Paint,
    Path,
    RadialGradient,
    Rect,
    Stop,
    Stroke,
    Symbol,
    Transform,
    Use,
)
from playproof.generator.type.typesetter import TextStyle, Typesetter

if TYPE_CHECKING:
    from playproof.generator.layout.layout_files import Layout


# Draw a layout for one component: its elements become nodes in order. A box may refer to earlier boxes.

Spec = TypeVar("Spec", bound=ElementSpec)
_template = lru_cache(maxsize=256)(Template)
DrawElement = Callable[["FaceDrawing", Any, Element, Rect], Rect]
ELEMENT_DRAWERS: dict[type[ElementSpec], DrawElement] = {}


def register_element_drawer(
    kind: type[Spec],
) -> Callable[[Callable[[FaceDrawing, Spec, Element, Rect], Rect]], DrawElement]:
    """Register the function that draws a kind of element. The function returns the box it really
    filled."""

    def register(function: Callable[[FaceDrawing, Spec, Element, Rect], Rect]) -> DrawElement:
        ELEMENT_DRAWERS[kind] = function
        return function

    return register


@dataclass(frozen=True, slots=True)
class DrawingResources:
    """What drawing needs besides the layout, shared by all cards of a language."""

    typesetter: Typesetter
    icons: IconLibrary
    folders: tuple[FilePath, ...]  # where pictures may be
    ink: FullInk
    traced: bool = False  # each element says where it is written
    statics: dict[object, Symbol] = field(default_factory=dict)
    pictures: dict[object, Any] = field(default_factory=dict)
    opened: set[FilePath] = field(default_factory=set)  # the files of `pictures`
    scenes: dict[object, tuple[Node, ...]] = field(default_factory=dict)  # of all languages
    dots: dict[FilePath, float] = field(default_factory=dict)
    """The fewest dots to the inch that a picture of pixels has anywhere."""
    missing: dict[str, Finding] = field(default_factory=dict)  # pictures that are not there, by name
    remarks: dict[object, Finding] = field(default_factory=dict)
    """What was printed otherwise than it was perhaps meant, by what makes two remarks one."""
    places: dict[tuple[Element, Rect], Rect] = field(default_factory=dict)  # the boxes of fixed elements
    # the styles that are the same for all cards
    styles: dict[object, TextStyle] = field(default_factory=dict)
    sizes: dict[tuple[str, str], set[float]] = field(default_factory=dict)
    """The sizes, in points, that each style of a kind was set in."""
    face_sizes: dict[str, set[float]] = field(default_factory=dict)  # of the styles on one face
    limits: dict[str, float] = field(default_factory=dict)  # the one size of a shared style on this face
    # whether an element's styles are the same on all cards
    constant: dict[object, bool] = field(default_factory=dict)
    owners: list[object] = field(default_factory=list)  # keeps alive what `styles` knows by `id()`

    def copy_for_other_version(self, traced: bool) -> DrawingResources:
        """Return what draws other cards of the same words: what is shaped and measured is shared, and nothing of which
        drawing takes notes."""
        return DrawingResources(
            self.typesetter,
            self.icons,
            self.folders,
            self.ink,
            traced,
            scenes=self.scenes,
            places=self.places,
            styles=self.styles,
            constant=self.constant,
            owners=self.owners,
        )


@dataclass
class FaceDrawing:
    """One face while it is drawn: its nodes and named boxes so far."""

    layout: Layout
    kit: DrawingResources
    scope: dict[str, Any]
    area: Rect
    subject: str  # what the card is called in messages
    place: Where  # where the card is written
    collector: FindingCollector
    boxes: dict[str, Rect] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)
    # of texts that have been told not to fit; shared by parts
    unfitting: list[Node] = field(default_factory=list)
    natural: list[tuple[Rect, float]] = field(default_factory=list)  # text boxes and the heights they need

    def draw_elements_in_order(self, elements: tuple[Element, ...]) -> None:
        """Draw the elements in order. Neighbouring static elements are drawn once for all cards."""
        at = 0
        while at < len(elements):
            run = at
            while run < len(elements) and self._can_be_drawn_once_for_all_cards(elements[run]):
                run += 1
            if run > at:
                self._draw_static_elements_as_one_symbol(elements[at:run])
                at = run
            else:
                self.draw_element_with_source_if_traced(elements[at])
                at += 1

    def _can_be_drawn_once_for_all_cards(self, element: Element) -> bool:
        """Return whether an element draws the same on every card, its styles included."""
        if not element.static or self.kit.traced:
            return False
        if not element.styles:
            return True
        key = (element, id(self.layout.styles))
        constant = self.kit.constant.get(key)
        if constant is None:
            constant = all(is_style_same_for_every_card(name, self.layout.styles) for name in element.styles)
            self.kit.constant[key] = constant
            self.kit.owners.append(self.layout.styles)
        return constant

    def _draw_static_elements_as_one_symbol(self, elements: tuple[Element, ...]) -> None:
        key = (elements[0], elements[-1], self.layout.name, self.area)
        symbol = self.kit.statics.get(key)
        if symbol is None or any(element.spec.name for element in elements):
            inner = self.create_drawing_for_inner_area(self.area, {})
            inner.boxes = self.boxes
            for element in elements:
                inner.draw_element_with_source_if_traced(element)
        if symbol is None:
            bounds = self.layout.bleed_box.expand(max(self.layout.width, self.layout.height))
            name = f"{self.layout.name}.{elements[0].where}.{elements[-1].where}"
            symbol = self.kit.statics[key] = Symbol(name, bounds, tuple(inner.nodes))
        if symbol.children:
            self.nodes.append(Use(symbol))

    def draw_element_with_source_if_traced(self, element: Element) -> None:
        first = len(self.nodes)
        self._draw_element_if_condition_holds(element)
        if self.kit.traced and len(self.nodes) > first:
            self.nodes[first:] = [
                Group(tuple(self.nodes[first:]), source=self._list_places_of_element_and_content(element))
            ]

    def _list_places_of_element_and_content(self, element: Element) -> tuple[Where, ...]:
        """Return where an element, and the words or the picture it shows, are written."""
        content = getattr(element.spec, "text", None) or getattr(element.spec, "image", None)
        return (
            (element.where, self.find_place_of_words_in_card_or_layout(content))
            if isinstance(content, Template)
            else (element.where,)
        )

    def _draw_element_if_condition_holds(self, element: Element) -> None:
        spec = element.spec
        try:
            if spec.condition is not None and not spec.condition(self.scope):
                return
            box = self._resolve_element_box(element)
            angle = spec.rotate(self.scope)
            if angle or spec.opacity < 1:
                box = self._draw_rotated_or_see_through_element(element, box, angle)
            else:
                box = ELEMENT_DRAWERS[type(spec)](self, spec, element, box)
            if spec.name:
                self.boxes[spec.name] = box
        except ExpressionError as error:
            self.add_finding_about_card(error.code, element.where, error)

    def _resolve_element_box(self, element: Element) -> Rect:
        """Return the box of an element. The box of a fixed element is computed once for all
        cards."""
        if not element.fixed:
            return resolve_box_spec_to_rect_or_raise(element.spec.box, self.area, self.boxes, self.scope)
        key = (element, self.area)
        box = self.kit.places.get(key)
        if box is None:
            box = self.kit.places[key] = resolve_box_spec_to_rect_or_raise(
                element.spec.box, self.area, self.boxes, self.scope
            )
        return box

    def _draw_rotated_or_see_through_element(self, element: Element, box: Rect, angle: float) -> Rect:
        inner = replace(self, nodes=[])
        filled = ELEMENT_DRAWERS[type(element.spec)](inner, element.spec, element, box)
        turn = Transform.rotate(angle, box.centre)
        self.nodes.append(Group(tuple(inner.nodes), turn, None, element.spec.opacity))
        return filled

    def create_drawing_for_inner_area(self, area: Rect, scope_values: Mapping[str, Any]) -> FaceDrawing:
        """Return a drawing with its own nodes in an area of this one, with more values in scope."""
        scope = {**self.scope, **scope_values} if scope_values else self.scope
        return replace(self, area=area, scope=scope, boxes=dict(self.boxes), nodes=[])

    def add_finding_about_card(
        self, code: str, where: Where, error_or_message: Exception | str, hint: str = ""
    ) -> None:
        """Add a finding about this card at ``where``."""
        hint = hint or getattr(error_or_message, "hint", "")
        self.collector.add_finding(code, where, str(error_or_message), hint, about=self.subject)

    def add_remark_once(self, code: str, where: Where, message: str, hint: str, key: object = None) -> None:
        """Note what was drawn, and perhaps meant otherwise. Remarks with an equal ``key`` are said once."""
        finding = Finding(code, where, message, hint, "warning", (self.subject,))
        self.kit.remarks.setdefault(key or (code, where, message), finding)

    def find_place_of_words_in_card_or_layout(self, template: Template, element: Element | None = None) -> Where:
        """Return where the words of a template are written: their place in the card's file, else the
        card's own place. A template without holes is written in its ``element``."""
        if element is not None and template.constant:
            return element.where
        try:
            place = template.find_file_place_of_first_value_or_none(self.scope)
        except ExpressionError:
            place = None
        return place if isinstance(place, Where) else self.place

    def resolve_colour_or_raise(self, template: Template) -> Colour:
        """Return the colour that a template gives, by a name of the layout or by its value. Raises
        NoSuchName if it is neither."""
        word = template(self.scope)
        named = self.layout.colours.get(word)
        if named is not None:
            return named
        try:
            return Colour.parse_hex_or_cmyk_colour_or_raise(word)
        except ValueError:
            hint = make_nearest_or_possible_words_hint(word, self.layout.colours)
            raise NoSuchName(f"there is no colour {word!r}", hint) from None

    def resolve_fill_to_paint_or_none(self, fill: Template | GradientSpec | None, box: Rect) -> Paint | None:
        """Return the paint that a fill gives over a box, or None without a fill."""
        if fill is None:
            return None
        if not isinstance(fill, GradientSpec):
            return self.resolve_colour_or_raise(fill)
        colours = [self.resolve_colour_or_raise(colour) for colour in fill.colours]
        places = fill.stops or [at / (len(colours) - 1) for at in range(len(colours))]
        stops = tuple(Stop(at, colour) for at, colour in zip(places, colours, strict=False))
        x, y = box.centre
        if fill.radial:
            return RadialGradient(x, y, max(box.width, box.height) / 2, stops)
        turn = Transform.rotate(fill.angle(self.scope))
        reach = (abs(turn.a) * box.width + abs(turn.b) * box.height) / 2
        dx, dy = turn.a * reach, turn.b * reach
        return LinearGradient(x - dx, y - dy, x + dx, y + dy, stops)

    def resolve_line_colour_for_ink(self, template: Template) -> Colour:
        """Return the colour of a line."""
        return self.kit.ink.get_line_colour_to_print(self.resolve_colour_or_raise(template))

    def resolve_ground_colour_or_none_for_white(self, template: Template | None) -> Colour | None:
        """Return the colour of a ground, or None for white paper."""
        return (
            self.kit.ink.get_ground_colour_to_print_or_none(self.resolve_colour_or_raise(template))
            if template is not None
            else None
        )

    def resolve_stroke_for_ink_or_none(self, spec: StrokeSpec | None) -> Stroke | None:
        if spec is None:
            return None
        width = self.kit.ink.get_line_width_to_print(spec.width)
        return Stroke(self.resolve_line_colour_for_ink(spec.colour), width, tuple(spec.dash), spec.cap, spec.join)

    def draw_filled_and_stroked_outline(
        self, outline: Path, fill: Template | GradientSpec | None, stroke: StrokeSpec | None, box: Rect
    ) -> None:
        """Draw an outline with its fill and its line."""
        trim = self.layout.trim
        shape = self.kit.ink.build_shape_to_print_or_none(
            outline,
            self.resolve_fill_to_paint_or_none(fill, box),
            self.resolve_stroke_for_ink_or_none(stroke),
            trim.width * trim.height,
        )
        if shape is not None:
            self.nodes.append(shape)

    def resolve_style_name_or_spec(self, style_or_name: str | StyleSpec) -> TextStyle:
        """Return a named style, or one written in place."""
        return resolve_text_style_or_raise(
            self.fill_holes_in_style_name(style_or_name),
            self.layout.styles,
            self.resolve_colour_or_raise,
            self.scope,
        )

    def fill_holes_in_style_name(self, style_or_name: str | StyleSpec) -> str | StyleSpec:
        """Return a style's name with its holes filled."""
        return (
            _template(style_or_name)(self.scope)
            if isinstance(style_or_name, str) and "{" in style_or_name
            else style_or_name
        )

    def evaluate_to_items_or_range_of_count(self, expression: Expression) -> list[Any]:
        """Return the items that an expression gives: those of a list, or the numbers below a
        count."""
        value = expression(self.scope)
        if isinstance(value, int) and not isinstance(value, bool):
            return list(range(value))
        return list(value or ())


# -- boxes ---------------------------------------------------------------------------------------------------
# Place elements: a box spec and the boxes placed before it give a rectangle.


class BadBox(ExpressionError):
    """A box whose width or height is zero or negative."""

    code = "PP507"


def resolve_box_spec_to_rect_or_raise(
    box_spec: BoxSpec, area: Rect, placed_boxes: Mapping[str, Rect], scope: Scope
) -> Rect:
    """Return the element's rectangle. Raises BadBox if it has no size, and NoSuchField if it names
    a box that is not placed yet."""
    around = _get_placed_box_or_raise(placed_boxes, box_spec.inside) if box_spec.inside else area
    inset = box_spec.inset(scope)
    if inset:
        around = around.expand(-inset)
    gap = box_spec.gap(scope)
    left, right = around.x, around.right
    top, bottom = around.y, around.bottom
    if box_spec.after:
        left = _get_placed_box_or_raise(placed_boxes, box_spec.after).right + gap
    if box_spec.before:
        right = _get_placed_box_or_raise(placed_boxes, box_spec.before).x - gap
    if box_spec.below:
        top = _get_placed_box_or_raise(placed_boxes, box_spec.below).bottom + gap
    if box_spec.above:
        bottom = _get_placed_box_or_raise(placed_boxes, box_spec.above).y - gap
    across = box_spec.centre in ("both", "across")
    down = box_spec.centre in ("both", "down")
    x, width = _resolve_start_and_length(
        box_spec.x, box_spec.right, box_spec.width, left, right, bool(box_spec.before), across, scope
    )
    y, height = _resolve_start_and_length(
        box_spec.y, box_spec.bottom, box_spec.height, top, bottom, bool(box_spec.above), down, scope
    )
    if width <= 0 or height <= 0:
        raise BadBox(f"expected a box larger than nought, found {width:.2f} by {height:.2f} mm")
    return Rect(x, y, width, height)


def _resolve_start_and_length(
    offset_from_lower: Number | None,
    offset_from_upper: Number | None,
    length: Number | None,
    lower_limit: float,
    upper_limit: float,
    is_next_to_upper: bool,
    centred: bool,
    scope: Scope,
) -> tuple[float, float]:
    """Return the start and the length along one axis between ``lower_limit`` and ``upper_limit``."""
    start = lower_limit + (offset_from_lower(scope) if offset_from_lower else 0.0)
    end = upper_limit - (offset_from_upper(scope) if offset_from_upper else 0.0)
    if length is None:
        return start, end - start
    size = length(scope)
    if centred:
        return (start + end - size) / 2, size
    if (offset_from_upper is not None or is_next_to_upper) and offset_from_lower is None:
        return end - size, size
    return start, size


def _get_placed_box_or_raise(placed_boxes: Mapping[str, Rect], name: str) -> Rect:
    try:
        return placed_boxes[name]
    except KeyError:
        message = f"there is no box {name!r} yet: only elements above this one can be named"
        raise NoSuchField(message, make_nearest_or_possible_words_hint(name, placed_boxes)) from None


def compute_point_at_shares_of_rect(rect: Rect, shares: Any) -> tuple[float, float]:
    """Return the point at these shares of a rectangle's width and height."""
    return (rect.x + shares[0] * rect.width, rect.y + shares[1] * rect.height)


# -- ink -----------------------------------------------------------------------------------------------------
# How much ink a face takes. Every element draws through these questions, and none of them asks which sheet
# it is on: what is drawn with little ink is decided here alone.

GROUND = 0.6  # of the face: a shape this large is its ground, and low ink leaves it white
PEN = 0.25  # mm: the line that stands for a filled shape
THIN = 1.3  # mm: a band no higher than this is a line already, and no line is wider
DOT = 12.0  # mm2: the pips of a die take little ink


class FullInk:
    """Everything is drawn as the layout says."""

    low = False

    def get_line_colour_to_print(self, colour: Colour) -> Colour:
        """Return the colour of a line."""
        return colour

    def get_line_width_to_print(self, width: float) -> float:
        """Return the width of a line (mm)."""
        return width

    def get_text_style_to_print(self, style: TextStyle) -> TextStyle:
        """Return the style of a text."""
        return style

    def get_ground_colour_to_print_or_none(self, colour: Colour | None) -> Colour | None:
        """Return the colour of a ground or pattern, which tells nothing by itself; None leaves the paper white."""
        return colour

    def build_shape_to_print_or_none(
        self, outline: Path, fill: Paint | None, stroke: Stroke | None, face_area: float
    ) -> Path | None:
        """Return a shape on a face of so many mm2. Return None if it has neither fill nor line."""
        return outline._replace(fill=fill, stroke=stroke) if fill is not None or stroke is not None else None

    def is_picture_printed(self, is_always_needed: bool) -> bool:
        """Return whether a picture is drawn. ``is_always_needed`` says that people need it."""
        return True

    def is_figure_printed_lit(self, is_lit_in_layout: bool) -> bool:
        """Return whether a figure stands in the light."""
        return is_lit_in_layout


class LowInk(FullInk):
    """White grounds, black type, outlines for colour, scenes in lines, and no pictures but those that people need."""

    low = True

    def get_line_colour_to_print(self, colour: Colour) -> Colour:
        """Darken a pale line, because the dark ground it was meant for is white now."""
        return colour.mix_with(BLACK, 0.6) if colour.luminance > 0.5 else colour

    def get_line_width_to_print(self, width: float) -> float:
        return min(width, THIN)

    def get_text_style_to_print(self, style: TextStyle) -> TextStyle:
        return style._replace(colour=BLACK, outline=None, shadow=None)

    def get_ground_colour_to_print_or_none(self, colour: Colour | None) -> None:
        return None

    def build_shape_to_print_or_none(
        self, outline: Path, fill: Paint | None, stroke: Stroke | None, face_area: float
    ) -> Path | None:
        """Return a filled shape white, with a line in its colour, dark enough to be seen.

        A ground loses its fill. A narrow band and a small dark dot stay filled.
        """
        if fill is not None:
            area, box = _estimate_sum_of_ring_areas(outline), compute_outline_bounds_without_handles(outline.commands)
            own = fill if isinstance(fill, Colour) else fill.stops[-1].colour
            dark = own.mix_with(BLACK, 0.5 if own.luminance > 0.4 else 0.0)
            if area >= GROUND * face_area:
                fill = None
            elif min(box.width, box.height) <= THIN or (own == dark and area <= DOT):
                fill = dark
            else:
                fill, stroke = WHITE, stroke or Stroke(dark, PEN)
        return super().build_shape_to_print_or_none(outline, fill, stroke, face_area)

    def is_picture_printed(self, is_always_needed: bool) -> bool:
        return is_always_needed

    def is_figure_printed_lit(self, is_lit_in_layout: bool) -> bool:
        return False


def _estimate_sum_of_ring_areas(outline: Path) -> float:
    """Return the area (mm2) inside an outline. Curves count with their control points."""
    rings: list[list[tuple[float, float]]] = []
    for letter, numbers in outline.commands:
        if letter == "M":
            rings.append([])
        rings[-1] += zip(numbers[0::2], numbers[1::2], strict=True)
    return sum(_compute_polygon_area(ring) for ring in rings)


def _compute_polygon_area(ring: list[tuple[float, float]]) -> float:
    turns = zip(ring, [*ring[1:], *ring[:1]], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in turns)) / 2

"""The layout language's elements as pydantic models: allowed values, defaults and units (mm, pt), and a
JSON Schema of them for editors."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema
from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import PydanticCustomError

from playproof.database.yaml_models import StrictModel
from playproof.generator.layout.expression import (
    Expression,
    ExpressionError,
    Number,
    Template,
    convert_lengths_in_expression_to_unit,
)

# The layout language's elements as pydantic models: allowed values, defaults and units (mm, pt).

RELATIONS = ("below", "above", "after", "before", "inside")


# The YAML values that each kind can be written as.
_WRITTEN_AS: dict[type[object], tuple[type, ...]] = {
    Number: (int, float, str),
    Expression: (int, str, bool),
    Template: (str,),
}


def _build_expression_validator(
    expression_class: type[Number] | type[Template] | type[Expression], unit: str = ""
) -> Any:
    def parse(value: object) -> object:
        is_stray_truth = isinstance(value, bool) and expression_class is not Expression  # for Python, True is an int
        if is_stray_truth or not isinstance(value, _WRITTEN_AS[expression_class]):
            raise PydanticCustomError("PP205", "expected {what}", {"what": _describe_expected_value(expression_class)})
        try:
            if expression_class is Number:
                return Number(value, unit)  # type: ignore[arg-type]  # checked above
            return expression_class(str(value) if expression_class is Expression else value)  # type: ignore[arg-type]  # checked above
        except ExpressionError as error:
            raise PydanticCustomError("PP206", "{message}", {"message": str(error)}) from None

    return BeforeValidator(parse)


def _describe_expected_value(kind: type[object]) -> str:
    words: dict[type[object], str] = {
        Number: "a number or an expression",
        Template: "text",
        Expression: "an expression",
    }
    return words[kind]


Num = Annotated[Any, _build_expression_validator(Number), WithJsonSchema({"type": ["number", "string"]})]
Len = Annotated[Any, _build_expression_validator(Number, "mm"), WithJsonSchema({"type": ["number", "string"]})]
"""A length in mm, or with its unit (in, pt, px, cm, mm), or an expression."""
Text = Annotated[Any, _build_expression_validator(Template), WithJsonSchema({"type": "string"})]
Expr = Annotated[Any, _build_expression_validator(Expression), WithJsonSchema({"type": ["string", "boolean"]})]


def _build_unit_validator(unit: str) -> BeforeValidator:
    """Return what reads a length with its unit as a number."""

    def convert(value: object) -> object:
        try:
            return convert_lengths_in_expression_to_unit(value, unit) if isinstance(value, str) else value
        except ExpressionError as error:
            raise PydanticCustomError("PP206", "{message}", {"message": str(error)}) from None

    return BeforeValidator(convert)


_LENGTH_SCHEMA = WithJsonSchema({"type": ["number", "string"], "pattern": r"^[-+.\d]+ *(mm|cm|in|pt|px)$"})
Length = Annotated[float, _build_unit_validator("mm"), _LENGTH_SCHEMA]
"""A length that is the same on every card, in mm or with its unit."""
Points = Annotated[float, _build_unit_validator("pt"), _LENGTH_SCHEMA]


def _get_type_size_or_raise_if_out_of_range(value: Number) -> Number:
    if value.constant and not 0 < value.fixed <= LARGEST_TYPE:
        raise PydanticCustomError("PP206", "expected more than 0 and at most {most} pt", {"most": LARGEST_TYPE})
    return value


LARGEST_TYPE = 400
TypeSize = Annotated[
    Any,
    _build_expression_validator(Number, "pt"),
    AfterValidator(_get_type_size_or_raise_if_out_of_range),
    WithJsonSchema({"type": ["number", "string"]}),
]
"""A size of type in points, or with its unit, or an expression."""


def _keep_bool_or_parse_expression_or_raise(value: object) -> object:
    return value if isinstance(value, bool) else _parse_expression_or_raise_pydantic_error(value)


def _parse_expression_or_raise_pydantic_error(value: object) -> Expression:
    try:
        return Expression(str(value))
    except ExpressionError as error:
        raise PydanticCustomError("PP206", "{message}", {"message": str(error)}) from None


Flag = Annotated[
    Any, BeforeValidator(_keep_bool_or_parse_expression_or_raise), WithJsonSchema({"type": ["boolean", "string"]})
]
"""True or false, or an expression."""


def _require_valid_style_name(name: str) -> str:
    if "{" in name:
        try:
            Template(name)
        except ExpressionError as error:
            raise PydanticCustomError("PP206", "{message}", {"message": str(error)}) from None
    return name


StyleName = Annotated[str, AfterValidator(_require_valid_style_name)]
"""The name of a style, which may have holes: `"{kind}"`."""


def _convert_list_of_two_to_tuple(value: object) -> object:
    """Return a list of two as a tuple, because YAML has only lists."""
    return tuple(value) if isinstance(value, list) and len(value) == 2 else value


Pair = Annotated[tuple[float, float], BeforeValidator(_convert_list_of_two_to_tuple), WithJsonSchema(
    {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}
)]  # fmt: skip


def _parse_size_name_or_pair(value: object) -> object:
    if isinstance(value, str):
        return value
    try:
        sides = list(value)  # type: ignore[call-overload]
        pair = _convert_list_of_two_to_tuple(
            [convert_lengths_in_expression_to_unit(side, "mm") if isinstance(side, str) else side for side in sides]
        )
    except (TypeError, ExpressionError):
        pair = None
    if isinstance(pair, tuple) and all(isinstance(side, int | float) for side in pair):
        return pair
    raise PydanticCustomError("PP205", "expected the name of a size, or [width, height] in millimetres", {})


Size = Annotated[Any, BeforeValidator(_parse_size_name_or_pair), WithJsonSchema(
    {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "number"}}]}
)]  # fmt: skip


class BoxSpec(StrictModel):
    """Where an element is. Sides are the container's unless given; ``right`` and ``bottom`` are
    distances."""

    x: Len | None = None
    y: Len | None = None
    width: Len | None = None
    height: Len | None = None
    right: Len | None = None
    bottom: Len | None = None
    below: str | None = None
    above: str | None = None
    after: str | None = None
    before: str | None = None
    inside: str | None = None
    gap: Len = Number(0)
    inset: Len = Number(0)
    centre: Literal["both", "across", "down"] | None = None


def _expand_box_shorthand(value: object) -> object:
    """Return the mapping that ``[x, y, width, height]`` or a name is short for."""
    if isinstance(value, list) and len(value) == 4:
        return dict(zip(("x", "y", "width", "height"), value, strict=True))
    if isinstance(value, str):
        return {"inside": value}
    return value


Box = Annotated[BoxSpec, BeforeValidator(_expand_box_shorthand)]


class GradientSpec(StrictModel):
    """A gradient over the element's box: an angle (0 runs right, 90 down) or ``radial``."""

    angle: Num = Number(90)
    radial: bool = False
    colours: list[Text] = Field(min_length=2)
    stops: list[float] | None = None


Fill = Text | GradientSpec


def _refuse_dash_without_length(lengths: list[float]) -> list[float]:
    """Raise PP206 for dashes that a PDF may not have: below 0, or all 0 (ISO 32000-1, 8.4.3.6)."""
    if lengths and (min(lengths) < 0 or not any(lengths)):
        message = "expected dashes and gaps of 0 mm or more that are not all 0; leave `dash` out for a whole line"
        raise PydanticCustomError("PP206", "{message}", {"message": message})
    return lengths


class StrokeSpec(StrictModel):
    """A line: colour, width in mm, dashes in mm."""

    colour: Text
    width: Length = Field(default=0.25, gt=0, le=20)
    dash: Annotated[list[Length], AfterValidator(_refuse_dash_without_length)] = Field(default=[])
    cap: Literal["butt", "round", "square"] = "butt"
    join: Literal["miter", "round", "bevel"] = "miter"


class OutlineSpec(StrictModel):
    """A line around the letters of a text, outside them."""

    colour: Text
    width: Length = Field(default=0.3, gt=0, le=10)


class ShadowSpec(StrictModel):
    """A copy of the letters below them, ``x`` to the right and ``y`` down."""

    colour: Text
    x: Length = 0.4
    y: Length = 0.4


class StyleSpec(StrictModel):
    """How text looks. ``extends`` names another style."""

    extends: str | None = None
    family: Text | None = None
    size: TypeSize | None = None
    min: TypeSize | None = None
    sizes: list[Points] | None = Field(
        default=None, min_length=1, description="the only sizes, in place of `size` and `min`: the largest that fits"
    )
    colour: Text | None = None
    bold: Flag | None = None
    italic: Flag | None = None
    align: Literal["left", "centre", "right", "justify"] | None = None
    valign: Literal["top", "middle", "bottom"] | None = None
    leading: float | None = Field(default=None, gt=0.5, le=4)
    gap: float | None = None
    balance: bool | None = None
    hyphenate: bool | None = None
    icon_scale: float | None = Field(default=None, gt=0, le=10)
    features: list[str] | None = None
    shared: bool | None = Field(
        default=None,
        description="whether all texts of this style on one face take the size of the one that needs the smallest",
    )
    tracking: float | None = Field(
        default=None, ge=-0.3, le=3, description="what is added between letters, in ems; ligatures are left out"
    )
    underline: Flag | None = None
    outline: OutlineSpec | None = None
    shadow: ShadowSpec | None = None


class ElementSpec(StrictModel):
    """What every element may have."""

    name: str | None = None
    condition: Expr | None = Field(default=None, alias="if")
    box: Box = BoxSpec()
    rotate: Num = Number(0)
    opacity: float = Field(default=1.0, gt=0, le=1)


class TextSpec(ElementSpec):
    """Text with markup (bold, italic, icons, bullets)."""

    text: Text
    style: StyleName | StyleSpec = "text"


class IconSpec(ElementSpec):
    """One icon, as large as its box allows. What it draws in black takes the ``colour``. A large one that is ``lit`` is
    modelled as figures are."""

    icon: Text
    colour: Text | None = None
    lit: bool = False


class IconsSpec(ElementSpec):
    """A row of icons, one for each item of a list (names, or things with an ``icon``)."""

    icons: Expr
    size: Len = Number(5)
    gap: Len = Number(1)
    align: Literal["left", "centre", "right"] = "left"


class ShapeSpec(ElementSpec):
    """A rectangle, ellipse, polygon or SVG path in its box (``points`` and ``path`` are in shares
    of it).

    A ``tab`` is a rectangle that is round at its upper corners alone.
    """

    shape: Literal["rect", "ellipse", "polygon", "path", "line", "hexagon"]
    fill: Fill | None = None
    stroke: StrokeSpec | None = None
    radius: Len = Number(0)
    tab: bool = False
    points: list[Pair] = Field(default=[])
    path: str = ""


class ImageSpec(ElementSpec):
    """A raster or SVG picture from the game's or layout's folder. In low ink it is left out, but for one that is
    ``always`` drawn. A coloured SVG figure that is ``lit`` has a lit edge and a shade on each part. ``crop`` (x, y,
    width, height in shares of the picture) is what is shown; ``mask`` hides what lies outside of a shape, an SVG path
    or the opaque (else light) parts of another picture."""

    image: Text
    always: bool = False
    lit: bool = False
    fit: Literal["cover", "contain", "stretch"] = "cover"
    focus: Pair = (0.5, 0.5)
    radius: Len = Number(0)
    crop: Annotated[list[Num], Field(min_length=4, max_length=4)] = Field(default=[])
    mask: Text = Template("")


class SceneSpec(ElementSpec):
    """A generated illustration: the same seed, mood and theme give the same picture."""

    scene: Text
    mood: Text = Template("day")
    motif: Text = Template("")
    companion: Text | list[Text] = Field(default=[])
    ground: Num = Number(1)
    view: Text = Template("land")
    radius: Len = Number(0)

    @property
    def companions(self) -> Sequence[Text]:
        """The names of the other figures in the picture, in the order in which the world numbers them."""
        return self.companion if isinstance(self.companion, list) else [self.companion]


class PatternSpec(ElementSpec):
    """A small motif repeated over the box (backs of cards)."""

    pattern: Literal["leaves", "diamonds", "waves", "dots", "spirals", "bricks"]
    colour: Text
    ground: Text | None = None
    size: Length = Field(default=6, gt=0.5, le=100)


class FrameSpec(ElementSpec):
    """A border: ``line`` (one), ``double``, or ``storybook`` (double with corner leaves)."""

    frame: Literal["line", "double", "storybook"]
    colour: Text
    width: Length = Field(default=0.5, gt=0, le=20)
    radius: Len = Number(2)


class GroupSpec(ElementSpec):
    """Elements in a box of their own, cut to it if ``clip``."""

    group: list[Any]
    clip: bool = False


class PartSpec(ElementSpec):
    """A part of the layout (``parts:``) drawn here, with values of its own."""

    part: str
    values: dict[str, Text] = Field(default={}, alias="with")


class ListSpec(ElementSpec):
    """Elements repeated for each item of a list, downwards or across.

    Each row is ``height`` mm (or ``auto``: as high as its texts need, at least ``least``).
    """

    items: Expr = Field(alias="list")
    as_: str = Field(default="item", alias="as")
    each: list[Any]
    height: Len | Literal["auto"] = "auto"
    width: Len | None = None
    least: Len = Number(0)
    gap: Len = Number(0)
    flow: Literal["down", "across"] = "down"
    valign: Literal["top", "middle", "bottom", "spread", "fill"] = "top"


class GridSpec(ElementSpec):
    """Cells in rows: ``grid`` items (or a number of cells), square or hexagonal (flat top)."""

    grid: Expr
    as_: str = Field(default="item", alias="as")
    columns: Num = Number(3)
    rows: Num | None = None
    gap: Len = Number(0)
    cells: Literal["square", "hex"] = "square"
    each: list[Any]


class TrackSpec(ElementSpec):
    """Spaces at even distances along a line of points (shares of the box), joined by a path."""

    track: Expr
    as_: str = Field(default="item", alias="as")
    points: list[Pair] = Field(min_length=2)
    size: Len = Number(8)
    stroke: StrokeSpec | None = None
    each: list[Any]


class ArrowSpec(ElementSpec):
    """A filled arrow through points (shares of the box); with ``head: 0`` a lane."""

    arrow: list[Pair] = Field(min_length=2)
    fill: Fill
    stroke: StrokeSpec | None = None
    width: Len = Number(2)
    head: Len = Number(5)


class LandSpec(ElementSpec):
    """A piece of land on a map, grown from a seed: its edge strays up to ``rough`` mm into its box.

    ``rings`` lines of water run around it, ``apart`` mm from each other.
    """

    land: Text
    fill: Fill | None = None
    stroke: StrokeSpec | None = None
    rough: Len = Number(2)
    radius: Len = Number(6)
    water: Text | None = None
    rings: int = Field(default=3, ge=0, le=12)
    apart: Length = Field(default=1.6, gt=0, le=20)


class RoadSpec(ElementSpec):
    """A line through points (shares of the box) that bends up to ``stray`` mm between them. ``edge`` is a wider
    line below it."""

    road: list[Pair] = Field(min_length=2)
    stroke: StrokeSpec
    edge: StrokeSpec | None = None
    seed: Text = Template("")
    stray: Len = Number(1)


class MarksSpec(ElementSpec):
    """Small drawings spread over the box by a seed: kinds in ``of``, with blanks between them.

    None stands on an area of ``avoid``, a list of [x, y, width, height] in mm inside the box.
    """

    marks: Text
    of: Text
    count: Num = Number(6)
    size: Len = Number(8)
    colour: Text
    light: Text
    pen: Length = Field(default=0.3, gt=0, le=5)
    avoid: Expr | None = None


class ColumnSpec(StrictModel):
    """A column of a table: its share of the width, its heading, what stands in each cell."""

    cell: Text
    heading: Text = Template("")
    share: float = Field(default=1, gt=0)
    style: StyleName | StyleSpec = "text"


class TableSpec(ElementSpec):
    """Rows of text in columns, ruled between."""

    table: Expr
    as_: str = Field(default="item", alias="as")
    columns: list[ColumnSpec] = Field(min_length=1)
    heading_style: StyleName | StyleSpec = "text"
    pad: Length = Field(default=1, ge=0)
    rule: StrokeSpec | None = None
    shade: Text | None = None


ELEMENTS: dict[str, type[ElementSpec]] = {
    "text": TextSpec,
    "icon": IconSpec,
    "icons": IconsSpec,
    "shape": ShapeSpec,
    "image": ImageSpec,
    "scene": SceneSpec,
    "pattern": PatternSpec,
    "frame": FrameSpec,
    "group": GroupSpec,
    "part": PartSpec,
    "list": ListSpec,
    "grid": GridSpec,
    "track": TrackSpec,
    "arrow": ArrowSpec,
    "land": LandSpec,
    "road": RoadSpec,
    "marks": MarksSpec,
    "table": TableSpec,
}


class MoodSpec(StrictModel):
    """The colours of generated scenes, from the top of the sky to the foreground, and of their
    light."""

    sky: str
    horizon: str
    far: str
    middle: str
    near: str
    light: str
    night: bool = False
    world: str = Field(default="forest", description="the world that scenes of this mood show: layouts/worlds/")


class SideSpec(StrictModel):
    """One side of the component: its elements, drawn in order; ``base`` of an extended layout come
    first."""

    elements: list[Any] = Field(default=[])


class LayoutSpec(StrictModel):
    """A whole layout file."""

    extends: str | None = None
    kind: str | None = None
    book: bool = Field(default=False, description="pages of booklets: `front` is the page, `back` the cover")
    label_width: Length = Field(default=9, gt=0)
    rule_ids: bool = Field(
        default=False, description="whether a booklet has a margin that names the rules that its words tell"
    )
    net: Literal["tuckbox", "die", "standee", "wedge"] | None = Field(
        default=None,
        description="folded from a net: `size` is that of a panel; a tuckbox takes its size from its deck, "
        "a wedge (a card stand) from its component",
    )
    ground: str | None = Field(default=None, description="the colour of a net's panels")
    variants: str | None = Field(
        default=None, description="a group of terms: each gets its share of the copies, drawn with it as `variant`"
    )
    pile: Text | None = Field(
        default=None, description="the deck that the card belongs to on a virtual table; else one for each back"
    )
    condition: Expr | None = Field(default=None, alias="if")
    size: Size | None = None
    bleed: Length | None = Field(default=None, ge=0, le=20)
    safe: Length | None = Field(default=None, ge=0, le=50)
    corner: Length | None = Field(default=None, ge=0, le=200)
    outline: Literal["rect", "circle", "hexagon"] | None = None
    min_type: Points | None = Field(default=None, gt=0, description="points; smaller type is an error")
    colours: dict[str, str] = Field(default={})
    styles: dict[str, StyleSpec] = Field(default={})
    moods: dict[str, MoodSpec] = Field(default={})
    tables: dict[str, dict[str, str]] = Field(default={}, description="look-ups: `tables.motif[id]`")
    words: dict[str, dict[str, Text]] = Field(
        default={}, description="the layout's own words, one text per language: `{words.night}`"
    )
    parts: dict[str, list[Any]] = Field(default={})
    front: SideSpec | None = None
    back: SideSpec | None = None


SIZES: dict[str, tuple[float, float]] = {
    "poker": (63.5, 88.9),
    "euro-poker": (63.0, 88.0),
    "bridge": (57.15, 88.9),
    "tarot": (69.85, 120.65),
    "tarot-eu": (70.0, 120.0),
    "mini": (44.45, 63.5),
    "mini-eu": (44.0, 68.0),
    "mini-us": (41.0, 63.0),
    "standard-eu": (59.0, 92.0),
    "standard-us": (56.0, 87.0),
    "skat": (58.9, 90.7),
    "business": (88.9, 50.8),
    "square": (70.0, 70.0),
    "jumbo": (88.9, 139.7),
    "a4": (210.0, 297.0),
    "a5": (148.0, 210.0),
    "a6": (105.0, 148.0),
    "letter": (215.9, 279.4),
    "half-letter": (139.7, 215.9),
}


# -- layout schema -------------------------------------------------------------------------------------------
# A JSON Schema of the layout language, for editors.

HOLDERS = ("group", "each")  # fields that hold elements


class EditorSchema(GenerateJsonSchema):
    """Leaves out defaults that are parsed expressions, which have no JSON."""

    def emit_warning(self, kind: str, detail: str) -> None:
        """Ignore the warnings, which are all about defaults without JSON."""


def build_layout_json_schema() -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12) of layout files, for editors that check and complete
    YAML."""
    definitions: dict[str, Any] = {}
    choices = []
    for name, model in ELEMENTS.items():
        schema = model.model_json_schema(by_alias=True, schema_generator=EditorSchema)
        definitions |= schema.pop("$defs", {})
        for holder in HOLDERS:
            if holder in schema["properties"]:
                schema["properties"][holder] = _build_element_list_json_schema()
        definitions[f"element-{name}"] = schema
        choices.append({"$ref": f"#/$defs/element-{name}"})
    definitions["element"] = {"anyOf": choices}
    whole = LayoutSpec.model_json_schema(by_alias=True, schema_generator=EditorSchema)
    definitions |= whole.pop("$defs", {})
    definitions["SideSpec"]["properties"]["elements"] = _build_element_list_json_schema()
    whole["properties"]["parts"]["additionalProperties"] = _build_element_list_json_schema()
    definitions["BoxSpec"] = _build_box_json_schema(definitions["BoxSpec"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "$defs": definitions}


@lru_cache(maxsize=1)
def format_layout_json_schema_as_file_text() -> str:
    """Return the schema as the text of a file; pydantic takes long to make it, and it is the same in each game."""
    return json.dumps(build_layout_json_schema(), indent=2) + "\n"


def _build_element_list_json_schema() -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": "#/$defs/element"}}


def _build_box_json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a box, which may also be a list of four or a name."""
    four = {"type": "array", "items": {"type": ["number", "string"]}, "minItems": 4, "maxItems": 4}
    return {"anyOf": [schema, four, {"type": "string"}]}

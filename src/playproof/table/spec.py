"""`layouts/<game>/table.yaml`: where each zone, track, hand and pile of the rules lies on the printed
components, and the stable codes of its errors (PP62x).

    surfaces:
      goal: {card: "goal-{options.chapter}", at: [0, 0]}
      hand: {hand: true, seat: me, at: [0, 200], size: [400, 92]}
    places:
      - {shows: [hearts], on: goal, each: {n: range(hearts)}, piece: heart, at: [61 + 16 * n, 70]}
    spots:
      - {on: goal, words: ["the Goal"], box: [61, 24, 83, 34]}
    throws:
      roll: {die: die, side: "face-{pips - 1}", on: goal, at: [20, 20]}

Expressions are those of layouts. They may name every field of the rules (a hidden one is None),
`me`, `players`, `options`, the layout's `tables`, what `let` defines, and the functions of
`table_layout.py`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from playproof.database.source import YamlNode
from playproof.database.yaml_models import StrictModel, read_validated_file_if_it_exists
from playproof.generator.layout.expression import Number
from playproof.generator.layout.model import EditorSchema, Expr, Num, Text, _build_expression_validator

# `layouts/<game>/table.yaml`: where each zone, track, hand and pile of the rules lies on the printed
# components.

FILE = "table.yaml"


def _convert_nested_lists_to_surface_tree(value: object) -> Tree:
    """Return nested lists of names as tuples."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or not value:
        message = "expected the name of a surface or a list of such, found {what}"
        raise PydanticCustomError("PP205", message, {"what": repr(value)})
    return tuple(map(_convert_nested_lists_to_surface_tree, value))


def _make_validator_of_number_list(count: int) -> Any:
    """Return a validator for a list of `count` numbers or expressions, which it parses."""
    parse = _build_expression_validator(Number).func

    def parse_numbers(value: object) -> object:
        if not isinstance(value, list) or len(value) != count:
            raise PydanticCustomError("PP205", "expected {count} numbers or expressions", {"count": count})
        return tuple(parse(part) for part in value)

    return BeforeValidator(parse_numbers)


def _make_json_schema_of_number_list(count: int) -> WithJsonSchema:
    item = {"type": ["number", "string"]}
    return WithJsonSchema({"type": "array", "items": item, "minItems": count, "maxItems": count})


Point = Annotated[Any, _make_validator_of_number_list(2), _make_json_schema_of_number_list(2)]
Box = Annotated[Any, _make_validator_of_number_list(4), _make_json_schema_of_number_list(4)]
Cells = Annotated[Any, _make_validator_of_number_list(6), _make_json_schema_of_number_list(6)]
_TREE_SCHEMA: dict[str, Any] = {"type": ["string", "array"], "minItems": 1}
Tree: TypeAlias = "str | tuple[Tree, ...]"  # a surface, or surfaces side by side or one below the other
Screens = Annotated[
    Any, BeforeValidator(lambda value: _convert_nested_lists_to_surface_tree(value)), WithJsonSchema(_TREE_SCHEMA)
]
Rounds = dict[str, Expr]  # for each value of each list, later lists inside earlier ones


class SurfaceSpec(StrictModel):
    """A printed face on the table (`card`), a bare place of the table (`size`), or a hand. `at` is
    its top left corner. A place whose `card` is empty is bare until it has one.

    With `each` there are several surfaces, named `name.value`: `mat.0`, `mat.1`.
    """

    card: Text | None = None
    side: Text | None = None
    title: dict[str, Text] = Field(default={})
    at: Point
    size: Point | None = None
    each: Rounds = Field(default={})
    condition: Expr | None = Field(default=None, alias="if")
    seat: Expr | None = Field(default=None, description="whose it is")
    hand: bool = Field(default=False, description="a hand, which only its seat sees from the front")
    shows: list[str] = Field(default=[], description="the fields of the rules that its title tells")


class PlaceSpec(StrictModel):
    """Pieces on a surface: which component, and the point of its middle (`at`) or the box it
    shares (`in`)."""

    shows: list[str] = Field(min_length=1, description="the fields of the rules that are seen here")
    on: Text
    each: Rounds = Field(default={})
    condition: Expr | None = Field(default=None, alias="if")
    piece: Text = Field(description="the id of a component")
    name: Text | None = Field(default=None, description="what people call it, if its component has no name")
    side: Text | None = None
    at: Point | None = None
    box: Box | None = Field(default=None, alias="in", description="laid in rows, one over the other where they must")
    cells: Cells | None = Field(default=None, description="x, y, width, height, columns, rows: filled one by one")
    step: Num | None = Field(default=None, description="of what shares a box, from left: mm from one to the next")
    crop: Box | None = Field(default=None, description="the part of the face that is the piece")
    scale: Num = Number(1)
    turn: Num = Number(0)
    count: Expr | None = Field(default=None, description="how many lie here as one; None is not known")
    words: list[Text] = Field(default=[], description="what actions call it, besides its name")


class SpotSpec(StrictModel):
    """A place that actions name and that may be empty: a site, a slot, the place of a pile."""

    on: Text
    each: Rounds = Field(default={})
    condition: Expr | None = Field(default=None, alias="if")
    box: Box
    words: list[Text] = Field(min_length=1)
    prints: Expr | None = Field(
        default=None, description="what is printed there in words; choices that name the spot say it"
    )


class ThrowSpec(StrictModel):
    """Dice that chance has just thrown and that no field keeps. The table shows them until somebody
    acts.

    Expressions may name the parameters of chance's action.
    """

    die: Text = Field(description="the id of a component")
    side: Text = Field(description="`face-0` to `face-5`")
    on: Text
    at: Point
    count: Expr | None = Field(default=None, description="what several dice show together")


class ScoreSpec(StrictModel):
    """A seat's score, or a part of it, shown by its name. The expression may name `seat`; the value
    None is not shown. At the end of the game nothing is hidden from it."""

    title: dict[str, Text] = Field(min_length=1)
    value: Expr


class TableSpec(StrictModel):
    """The content of the whole file."""

    let: dict[str, Expr] = Field(default={}, description="names for what several expressions need, in order")
    tables: dict[str, Any] = Field(default={}, description="look-ups and lists of numbers")
    off: dict[str, str] = Field(default={}, description="fields that lie nowhere, and why")
    sometimes: list[str] = Field(default=[], description="fields that only some options of the game have")
    surfaces: dict[str, SurfaceSpec] = Field(min_length=1)
    places: list[PlaceSpec] = Field(min_length=1)
    spots: list[SpotSpec] = Field(default=[])
    scores: list[ScoreSpec] = Field(default=[], description="what each seat has so far")
    screens: dict[Literal["wide", "square", "tablet", "phone"], Screens] = Field(
        default={},
        description="where surfaces lie on a kind of screen: a list stands, a list in it lies side by side, and so on",
    )
    throws: dict[str, ThrowSpec] = Field(default={}, description="actions of chance that throw dice, by name")


def iter_paths_and_surface_names(
    surface_tree: Tree, path: tuple[str | int, ...] = ()
) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the names of a tree of surfaces, each with its path in the file."""
    if isinstance(surface_tree, str):
        yield path, surface_tree
    else:
        for at, inner in enumerate(surface_tree):
            yield from iter_paths_and_surface_names(inner, (*path, at))


def make_json_schema_of_table_yaml() -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12) of `table.yaml`, for editors that check and complete
    YAML."""
    whole = TableSpec.model_json_schema(by_alias=True, schema_generator=EditorSchema)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "title": FILE}


def read_table_yaml_of_layouts(layouts_folder: Path) -> tuple[TableSpec, YamlNode] | None:
    """Return the table file of a game's layouts with its places for messages; None if there is
    no file. Raises InputError if the file is wrong."""
    return read_validated_file_if_it_exists(TableSpec, layouts_folder / FILE)


# -- codes ---------------------------------------------------------------------------------------------------
# The stable codes of errors in a `table.yaml` (PP62x; the table of hundreds is in database/errors.py).

CODES: dict[str, str] = {
    "PP621": "a table names a field or an action that the rules do not have",
    "PP622": "an expression of a table that cannot be worked out",
    "PP623": "a surface without a face and without a size",
    "PP624": "a table names a component that does not exist",
    "PP625": "a piece of the table that no layout draws",
    "PP626": "a field of the rules that lies nowhere on the table",
    "PP627": "a table names a surface that does not exist",
    "PP628": "a piece of the table that lies beside its surface",
    "PP629": "a title of the table without a language of the game, or in another (a warning)",
}

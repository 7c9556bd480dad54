"""Checks a YAML node by a pydantic model and turns its errors into findings with places; the types
that a vocabulary may give to a field.

The types that a vocabulary may give to a field.

    text       a line of text                      words      text in each language: {en: ..., fr: ...}
    integer    a whole number, min and max         number     a decimal number
    flag       true or false                       choice     one of a list of words (`of`)
    term       a term of a group (`group`)         amounts    {term: number} for terms of a group
    icon       the name of an icon                 image      a file inside the game's folder
    reference  the id of a component (`kinds`)     effects    a list of effects
    options    lettered options of a card          list, map, record: of other fields
    any        free data

A field is written as the name of its type, or as a mapping:
`{type: integer, min: 1, max: 8, required: false}`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeGuard, TypeVar, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails, PydanticCustomError

from playproof.database.errors import (
    CODES,
    FindingCollector,
    find_nearest_word_or_empty,
    make_nearest_or_possible_words_hint,
)
from playproof.database.source import YamlKey, YamlNode, read_yaml_file

# -- validation ----------------------------------------------------------------------------------------------
# Runs a pydantic model over a YAML node and turns its errors into findings with places.

Model = TypeVar("Model", bound=BaseModel)

_BOUND_KINDS = ("less_than", "greater_than", "too_", "string_too_", "string_pattern")
_BOUNDS = {
    "le": "expected at most {}",
    "ge": "expected at least {}",
    "gt": "expected more than {}",
    "min_length": "expected a length of at least {}",
    "max_length": "expected a length of at most {}",
    "pattern": "expected something like {}",
}

# A word this like another is misspelt; of one that is less so, the writer may mean any of a few.
_LIKENESS_OF_MISSPELT_WORD, _MOST_WORDS_BESIDE_NEAREST = (0.74, 8)  # a letter of four may be wrong

# pydantic's error types that mean "another type was expected", with what was expected in our words.
_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "list_type": "a list",
}


def validate_node_or_record_findings(
    model: type[Model], node: YamlNode, collector: FindingCollector, prefix: str = "", hint_if_missing: str = ""
) -> Model | None:
    """Validate a node. Note every mistake as a finding and return None if there is one.

    `prefix` names the thing in messages, as in `card 001: `; `hint_if_missing` says what helps if it has no `{field}`.
    """
    try:
        return model.model_validate(node.data)
    except ValidationError as error:
        mistakes = FindingCollector()
        for detail in _filter_out_misspelt_missing_fields(error.errors(include_url=False)):
            _add_finding_from_pydantic_error(model, node, detail, mistakes, prefix, hint_if_missing)
        # What a file's defaults get wrong is wrong once, not once for each component.
        noted = {(finding.code, finding.where) for finding in collector.findings}
        collector.add_findings(finding for finding in mistakes.findings if (finding.code, finding.where) not in noted)
        return None


def read_validated_file_if_it_exists(model: type[Model], file: Path) -> tuple[Model, YamlNode] | None:
    """Return what a file holds, and its places for messages; None if there is no file. Raises InputError with every
    mistake of its shape."""
    if not file.is_file():
        return None
    node, collector = read_yaml_file(file), FindingCollector()
    content = validate_node_or_record_findings(model, node, collector)
    collector.raise_if_errors()
    assert content is not None  # otherwise check() has raised
    return content, node


def _filter_out_misspelt_missing_fields(details: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return the errors without those of required fields that are only misspelt: a field that nobody
    declared, beside them, is nearly their name."""
    missing = {detail["loc"] for detail in details if detail["type"] == "missing"}
    misspelt = set[tuple[int | str, ...]]()
    for detail in details:
        *above, name = detail["loc"] or ("",)
        if detail["type"] == "extra_forbidden":
            beside = [str(loc[-1]) for loc in missing if list(loc[:-1]) == above]
            misspelt.add((*above, find_nearest_word_or_empty(name, beside)))
    return [detail for detail in details if detail["type"] != "missing" or detail["loc"] not in misspelt]


def _add_finding_from_pydantic_error(
    model: type[BaseModel],
    node: YamlNode,
    detail: ErrorDetails,
    collector: FindingCollector,
    prefix: str,
    hint_if_missing: str,
) -> None:
    loc = [key for key in detail["loc"] if key != "[key]"]
    is_key = "[key]" in detail["loc"]
    path, kind, context = list(loc), detail["type"], detail.get("ctx", {})
    where = node.get_place_of_last_key(path) if is_key and path else node.get_node_or_nearest_ancestor(path).where
    name = format_path_with_dots(path)
    if kind == "missing":
        code = "PP211" if len(path) == 3 and (path[0], path[2]) == ("options", "to") else "PP203"
        what = "this option has no destination: expected" if code == "PP211" else "expected"
        parent, field = path[:-1], path[-1]
        place = node.get_place_of_last_key(parent) if parent else node.where
        collector.add_finding(
            code,
            place,
            f"{prefix}{what} the field `{field}`{_format_parent_path_or_empty(parent)}",
            _make_hint_for_missing_field(code, str(field), hint_if_missing if not parent else ""),
        )
    elif kind == "extra_forbidden":
        names = _list_model_field_names_at_path(model, path[:-1])
        message = f"{prefix}nobody declared the field `{path[-1]}`{_format_parent_path_or_empty(path[:-1])}"
        collector.add_finding(
            "PP204", node.get_place_of_last_key(path), message, make_nearest_or_possible_words_hint(path[-1], names)
        )
    elif kind == "literal_error":
        words = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        code = "PP208" if is_key else "PP206"
        what = "word" if is_key else f"value for `{name}`"
        message = f"{prefix}expected a known {what}, found {_quote_shortened_value(detail['input'])}"
        hint = make_nearest_or_possible_words_hint(detail["input"], words)
        is_far = not find_nearest_word_or_empty(detail["input"], words, _LIKENESS_OF_MISSPELT_WORD)
        if is_far and 1 < len(words) <= _MOST_WORDS_BESIDE_NEAREST and "one of" not in hint:
            hint = f"one of: {', '.join(words)}"
        collector.add_finding(code, where, message, hint)
    elif kind in CODES:
        key = context.get("key")
        place = node.get_place_of_last_key([*path, str(key)]) if key is not None else where
        message = f"{prefix}{detail['msg']}"
        candidates = str(context["candidates"]).split() if "candidates" in context else []
        collector.add_finding(
            kind, place, message, make_nearest_or_possible_words_hint(key, candidates) if candidates else ""
        )
    elif kind in _EXPECTED:
        of_what = f" for `{name}`" if name else ""  # the whole has no name
        message = f"{prefix}expected {_EXPECTED[kind]}{of_what}, found {node.get_node_or_nearest_ancestor(path).kind}"
        collector.add_finding("PP205", where, message, _make_quote_number_hint_or_empty(kind, detail["input"]))
    else:
        expected = (
            _describe_expected_bound_or_empty(kind, dict(context)) or detail["msg"][:1].lower() + detail["msg"][1:]
        )
        what = f"`{name}`: " if name else ""
        collector.add_finding(
            "PP206", where, f"{prefix}{what}{expected}, found {_quote_shortened_value(detail['input'])}"
        )


def _describe_expected_bound_or_empty(kind: str, context: dict[str, object]) -> str:
    """Return what was expected, for pydantic's error types that name a bound."""
    for name, sentence in _BOUNDS.items():
        if name in context and kind.startswith(_BOUND_KINDS):
            return sentence.format(context[name])
    return ""


def format_path_with_dots(path: Sequence[YamlKey]) -> str:
    """Return a path as people write it: `options.A.do.0`."""
    return ".".join(map(str, path))


def _format_parent_path_or_empty(path: Sequence[YamlKey]) -> str:
    return f" in `{format_path_with_dots(path)}`" if path else ""


def _quote_shortened_value(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _make_hint_for_missing_field(code: str, field: str, hint_if_missing: str) -> str:
    return "write where the card goes, as in `to: past`" if code == "PP211" else hint_if_missing.format(field=field)


def _make_quote_number_hint_or_empty(kind: str, value: object) -> str:
    if kind == "string_type" and isinstance(value, int | float):
        return f'write it in quotes: "{value}"'
    return ""


def _list_model_field_names_at_path(model: type[BaseModel], path: Sequence[YamlKey]) -> list[str]:
    """Return the field names of the model that `path` leads to."""
    current: object = model
    for key in path:
        current = _get_inner_annotation(_unwrap_annotation(current), key)
    inner = _unwrap_annotation(current)
    return list(_get_annotations_by_yaml_name(inner)) if _is_pydantic_model(inner) else []


def _get_inner_annotation(annotation: object, key: YamlKey) -> object:
    """Return the annotation one key further down: a model's field, or a container's element."""
    if _is_pydantic_model(annotation):
        return _get_annotations_by_yaml_name(annotation).get(str(key))
    return get_args(annotation)[-1] if _is_parametrised_list_or_dict(annotation) else None


def _unwrap_annotation(annotation: object) -> object:
    """Return the model or container inside Annotated and unions."""
    if _is_pydantic_model(annotation) or _is_parametrised_list_or_dict(annotation):
        return annotation
    for inner in get_args(annotation):
        unwrapped = _unwrap_annotation(inner)
        if unwrapped is not None:
            return unwrapped
    return None


def _get_annotations_by_yaml_name(model: type[BaseModel]) -> dict[str, object]:
    """A model's fields as YAML names them, with their annotations."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _is_parametrised_list_or_dict(annotation: object) -> bool:
    return get_origin(annotation) in (list, dict)


def _is_pydantic_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    return (
        isinstance(annotation, type)
        and not _is_parametrised_list_or_dict(annotation)
        and issubclass(annotation, BaseModel)
    )


# -- field types ---------------------------------------------------------------------------------------------
# The types that a vocabulary may give to a field.

TypeName = Literal[
    "text", "words", "integer", "number", "flag", "choice", "term", "amounts", "icon", "image",
    "reference", "effects", "options", "list", "map", "record", "any",
]  # fmt: skip


Reader = Literal["rules", "print", "both"]
"""Who reads a value of a component: the rules of the game, what is printed, or both."""

FileName = Annotated[str, Field(pattern=r"^[\w-][\w .+-]*$")]
"""A name after which a file is called, such as a claim's, a kind's or a product's: it leads to no other folder."""


class StrictModel(BaseModel):
    """The base of all models here: it refuses undeclared fields and silent conversions."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True, defer_build=True)


def _expand_field_type_shorthand(value: object) -> object:
    """`title: words` is short for `title: {type: words}`."""
    return {"type": value} if isinstance(value, str) else value


class FieldSpec(StrictModel):
    """One declared field: its type and its bounds."""

    type: TypeName
    required: bool = True
    about: str = ""
    name: dict[str, str] = Field(default={}, description="what a reader calls it, by language")
    read_by: Reader | None = Field(
        default=None, description="who reads it; left out, `print` for texts, icons and images, and `both` for all else"
    )
    min: int | None = None
    max: int | None = None
    choices: Annotated[list[str], Field(min_length=1)] | None = None
    group: str | None = None
    kinds: list[str] | None = None
    where: dict[str, list[str]] | None = Field(
        default=None, description="reference: values the named fields of the target may have"
    )
    same: list[str] | None = Field(
        default=None, description="reference: fields in which the target should agree with the component that names it"
    )
    counts: str | None = Field(
        default=None, description="integer: the term of which it says how many are needed, as `heart`"
    )
    gives: bool = Field(
        default=False, description="amounts or term: what it says comes to a player, and is not asked of one"
    )
    of: FieldDecl | None = None
    fields: dict[str, FieldDecl] | None = None

    @model_validator(mode="after")
    def _require_parts_that_type_needs(self) -> FieldSpec:
        needed = {
            "choice": "choices",
            "term": "group",
            "amounts": "group",
            "reference": "kinds",
            "list": "of",
            "map": "of",
            "record": "fields",
        }.get(self.type)
        if needed and getattr(self, needed) is None:
            raise PydanticCustomError(
                "PP219", "a field of type {type} needs `{needed}`", {"type": self.type, "needed": needed}
            )
        if self.type in ("text", "list") and min(self.min or 0, self.max or 0) < 0:
            raise PydanticCustomError("PP219", "a length cannot be negative")
        return self

    def get_child_field(self, key: str | int) -> FieldSpec | None:
        """Return the field below this one with this key or index, or None if this type has none."""
        if self.type == "record" and self.fields is not None:
            return self.fields.get(str(key))
        if self.type in ("list", "map"):
            return self.of
        return None


FieldDecl = Annotated[
    FieldSpec, BeforeValidator(_expand_field_type_shorthand, json_schema_input_type=TypeName | FieldSpec)
]
FieldSpec.model_rebuild()

Fields = Mapping[str, FieldSpec]
JsonSchema = dict[str, Any]

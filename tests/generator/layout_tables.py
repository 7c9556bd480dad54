"""The tables of docs/reference/layouts.md, made from the models of the layout language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from playproof.generator.art.scenery import LAYERS
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.generator.layout.model import (
    ELEMENTS,
    HOLDERS,
    ColumnSpec,
    EditorSchema,
    ElementSpec,
    GradientSpec,
    LayoutSpec,
    MoodSpec,
    OutlineSpec,
    ShadowSpec,
    StrokeSpec,
    StyleSpec,
)

HELPERS: dict[str, type[BaseModel]] = {
    "gradient": GradientSpec,
    "stroke": StrokeSpec,
    "style": StyleSpec,
    "outline": OutlineSpec,
    "shadow": ShadowSpec,
    "mood": MoodSpec,
    "column": ColumnSpec,
}


def reference_tables() -> str:
    """Return the lists of docs/reference/layouts.md: every element, helper and layer with its fields and
    defaults."""
    shared = list(ElementSpec.model_fields)
    parts = ["### Every element", "", *_fields(ElementSpec, ())]
    for name, model in ELEMENTS.items():
        parts += ["", f"### `{name}`", "", _says(model), "", *_fields(model, shared)]
    for name, helper in HELPERS.items():
        parts += ["", f"### {'An' if name[0] in 'aeiou' else 'A'} {name}", "", _says(helper), "", *_fields(helper, ())]
    parts += ["", "### A layout file", "", *_fields(LayoutSpec, ())]
    parts += ["", "### Layers", "", "Each takes `when: day` or `when: night`. Fields in bold are needed.", ""]
    parts += [f"* `{name}`: {_says(layer)} {_row(layer)}".rstrip() for name, layer in LAYERS.items()]
    return "\n".join(parts) + "\n"


def _says(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split()).replace("``", "`")


def _fields(model: type[BaseModel], left_out: list[str] | tuple[str, ...]) -> Iterator[str]:
    """A line for each field: what it takes, its default, and what is said of it."""
    described = model.model_json_schema(by_alias=True, schema_generator=EditorSchema)["properties"]
    for name, field in model.model_fields.items():
        if name in left_out:
            continue
        key = field.alias or name
        what = "elements" if key in (*HOLDERS, "elements") else _what(described[key])
        default = _default(field.get_default(call_default_factory=True)) if not field.is_required() else "needed"
        said = f"; {field.description}" if field.description else ""
        yield f"* `{key}`: {what}{f', {default}' if default else ''}{said}"


def _row(layer: type[BaseModel]) -> str:
    """The fields of a layer in one line; those that it needs stand in bold."""
    fields = {field.alias or name: field for name, field in layer.model_fields.items() if name != "when"}
    return ", ".join(f"**`{name}`**" if field.is_required() else f"`{name}`" for name, field in fields.items())


def _what(schema: dict[str, Any]) -> str:
    """Return the type of a field in the words of the page."""
    if "enum" in schema or "const" in schema:
        return " ".join(f"`{choice}`" for choice in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        kinds = dict.fromkeys(_what(each) for each in schema["anyOf"] if each.get("type") != "null")
        return " or ".join(kinds)
    if "$ref" in schema or "allOf" in schema:
        name = str(schema.get("$ref") or schema["allOf"][0]["$ref"]).rpartition("/")[2]
        return f"{'an' if name[0] in 'AEIOU' else 'a'} {name.removesuffix('Spec').lower()}"
    kind = schema.get("type")
    if kind == ["number", "string"]:
        return "number"
    if kind in (["string", "boolean"], ["boolean", "string"]):
        return "expression"
    names = {
        "string": "text",
        "boolean": "true or false",
        "object": "mapping",
        "array": "list",
        "integer": "whole number",
    }
    return names.get(str(kind), str(kind or ""))


def _listed(value: object) -> str:
    """Return a list of numbers, or of such lists, as YAML writes it."""
    return f"[{', '.join(map(_listed, value))}]" if isinstance(value, tuple) else f"{value:g}"


def _default(value: object) -> str:
    if value is None or value in ({}, [], "", False) or isinstance(value, BaseModel):
        return ""
    if isinstance(value, Number):
        return f"`{value.fixed:g}`" if value.fixed else ""
    if isinstance(value, Template | Expression):
        return f"`{value.source}`" if value.source else ""
    if isinstance(value, tuple):
        return f"`{_listed(value)}`"
    return f"`{value}`"

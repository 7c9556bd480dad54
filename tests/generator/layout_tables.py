"""The tables of docs/reference/layouts.md, made from the models of the layout language."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from playproof.generator.art.scenery import LAYERS
from playproof.generator.layout.expression import Expression, Number, Template
from playproof.generator.layout.layout_schema import HOLDERS, EditorSchema
from playproof.generator.layout.model import (
    ELEMENTS,
    BoxSpec,
    ColumnSpec,
    ElementSpec,
    GradientSpec,
    LayoutSpec,
    MoodSpec,
    StrokeSpec,
    StyleSpec,
)

HELPERS: dict[str, type[BaseModel]] = {
    "box": BoxSpec,
    "gradient": GradientSpec,
    "stroke": StrokeSpec,
    "style": StyleSpec,
    "mood": MoodSpec,
    "column": ColumnSpec,
}


def reference_tables() -> str:
    """Return the tables of docs/reference/layouts.md: every element and helper with its fields and
    defaults."""
    shared = list(ElementSpec.model_fields)
    parts = ["### Every element", "", *_table(ElementSpec, ())]
    for name, model in ELEMENTS.items():
        parts += ["", f"### `{name}`", "", _says(model), "", *_table(model, shared)]
    for name, helper in HELPERS.items():
        parts += ["", f"### A {name}", "", _says(helper), "", *_table(helper, ())]
    for name, layer in LAYERS.items():
        parts += ["", f"### Layer `{name}`", "", _says(layer), "", *_table(layer, ())]
    parts += ["", "### A layout file", "", _says(LayoutSpec), "", *_table(LayoutSpec, ())]
    return "\n".join(parts) + "\n"


def _says(model: type[BaseModel]) -> str:
    return " ".join((model.__doc__ or "").split())


def _table(model: type[BaseModel], left_out: Iterator[str] | list[str] | tuple[str, ...]) -> Iterator[str]:
    described = model.model_json_schema(by_alias=True, schema_generator=EditorSchema)["properties"]
    yield "| field | what | default | |"
    yield "|---|---|---|---|"
    for name, field in model.model_fields.items():
        if name in left_out:
            continue
        default = "needed" if field.is_required() else _default(field.get_default(call_default_factory=True))
        key = field.alias or name
        what = "elements" if key in (*HOLDERS, "elements") else _what(described[key])
        yield f"| `{key}` | {what} | {default} | {field.description or ''} |"


def _what(schema: dict[str, Any]) -> str:
    """Return the type of a field in the words of the page."""
    if "enum" in schema or "const" in schema:
        return " ".join(f"`{choice}`" for choice in schema.get("enum", [schema.get("const")]))
    if "anyOf" in schema:
        kinds = dict.fromkeys(_what(each) for each in schema["anyOf"] if each.get("type") != "null")
        return " or ".join(kinds)
    if "$ref" in schema or "allOf" in schema:
        name = str(schema.get("$ref") or schema["allOf"][0]["$ref"]).rpartition("/")[2]
        return f"a {name.removesuffix('Spec').lower()}"
    kind = schema.get("type")
    if kind == ["number", "string"]:
        return "number or expression"
    if kind == ["string", "boolean"]:
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

"""A JSON Schema of the layout language, for editors."""

from __future__ import annotations

from typing import Any

from pydantic.json_schema import GenerateJsonSchema

from playproof.generator.layout.model import ELEMENTS, LayoutSpec

HOLDERS = ("group", "each")  # fields that hold elements


class EditorSchema(GenerateJsonSchema):
    """Leaves out defaults that are parsed expressions, which have no JSON."""

    def emit_warning(self, kind: str, detail: str) -> None:
        """Ignore the warnings, which are all about defaults without JSON."""


def build_layout_schema() -> dict[str, Any]:
    """Return a JSON Schema (draft 2020-12) of layout files, for editors that check and complete
    YAML."""
    definitions: dict[str, Any] = {}
    choices = []
    for name, model in ELEMENTS.items():
        schema = model.model_json_schema(by_alias=True, schema_generator=EditorSchema)
        definitions |= schema.pop("$defs", {})
        for holder in HOLDERS:
            if holder in schema["properties"]:
                schema["properties"][holder] = _build_element_list_schema()
        definitions[f"element-{name}"] = schema
        choices.append({"$ref": f"#/$defs/element-{name}"})
    definitions["element"] = {"anyOf": choices}
    whole = LayoutSpec.model_json_schema(by_alias=True, schema_generator=EditorSchema)
    definitions |= whole.pop("$defs", {})
    definitions["SideSpec"]["properties"]["elements"] = _build_element_list_schema()
    whole["properties"]["parts"]["additionalProperties"] = _build_element_list_schema()
    definitions["BoxSpec"] = _build_box_schema(definitions["BoxSpec"])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **whole, "$defs": definitions}


def _build_element_list_schema() -> dict[str, Any]:
    return {"type": "array", "items": {"$ref": "#/$defs/element"}}


def _build_box_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a box, which may also be a list of four or a name."""
    four = {"type": "array", "items": {"type": ["number", "string"]}, "minItems": 4, "maxItems": 4}
    return {"anyOf": [schema, four, {"type": "string"}]}

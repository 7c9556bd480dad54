"""As much of JSON Schema (draft 2020-12) as the schema of descriptions uses, written from the standard."""

from __future__ import annotations

from typing import Any

TYPES: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "boolean": bool,
    "null": type(None),
}
KEYWORDS = {
    "$ref",
    "additionalProperties",
    "anyOf",
    "const",
    "enum",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minItems",
    "minimum",
    "prefixItems",
    "properties",
    "required",
    "type",
}


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """Return whether a value has the schema's form."""
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if "anyOf" in schema:
        return any(fits(value, each, root) for each in schema["anyOf"])
    if "const" in schema:
        return type(value) is type(schema["const"]) and value == schema["const"]
    if "enum" in schema:
        return type(value) is str and value in schema["enum"]
    if type(value) is not TYPES[schema["type"]]:
        return False
    if isinstance(value, dict):
        return _mapping(value, schema, root)
    if isinstance(value, list):
        return _list(value, schema, root)
    if isinstance(value, str):
        return len(value) <= schema.get("maxLength", len(value))
    if isinstance(value, int):
        return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))
    return True


def _mapping(value: dict[str, Any], schema: dict[str, Any], root: dict[str, Any]) -> bool:
    if not set(schema.get("required", ())) <= set(value):
        return False
    known, other = schema.get("properties", {}), schema["additionalProperties"]
    return all(
        fits(part, known[key], root) if key in known else other and fits(part, other, root)
        for key, part in value.items()
    )


def _list(value: list[Any], schema: dict[str, Any], root: dict[str, Any]) -> bool:
    if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
        return False
    first = schema.get("prefixItems", [])
    rest = schema.get("items")
    heads = all(fits(part, each, root) for part, each in zip(value, first, strict=False))
    return heads and (rest is None or all(fits(part, rest, root) for part in value[len(first) :]))


def keywords_of(schema: Any) -> set[str]:
    """Return the keywords that a schema uses, so that none is passed over."""
    if isinstance(schema, list):
        return set().union(*map(keywords_of, schema))
    if not isinstance(schema, dict):
        return set()
    named = {"properties", "$defs"} & set(schema)
    inside = [part for key in named for part in schema[key].values()]
    inside += [part for key, part in schema.items() if key not in {*named, "const", "enum", "required"}]
    return set(schema).union(*map(keywords_of, inside)) - {"$defs", "$schema", "title", "description"}

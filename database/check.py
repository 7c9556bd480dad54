"""Runs a pydantic model over a YAML node and turns what it complains of into findings with places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from database.errors import CODES, Collector, did_you_mean
from database.source import Key, Node

Model = TypeVar("Model", bound=BaseModel)

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


def check(model: type[Model], node: Node, collector: Collector, prefix: str = "") -> Model | None:
    """Validate a node. Notes every mistake as a finding and returns None if there was one.

    `prefix` names the thing in messages, as in `card 001: `.
    """
    try:
        return model.model_validate(node.data)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            _note(model, node, detail, collector, prefix)
        return None


def _note(
    model: type[BaseModel], node: Node, detail: ErrorDetails, collector: Collector, prefix: str
) -> None:
    loc = [key for key in detail["loc"] if key != "[key]"]
    is_key = "[key]" in detail["loc"]
    path, kind, context = list(loc), detail["type"], detail.get("ctx", {})
    where = node.key_where(path) if is_key and path else node.at(path).where
    name = dotted(path)
    if kind == "missing":
        code = "PP211" if name.rsplit(".", 1)[-1] == "to" and "options" in path else "PP203"
        what = "this option has no destination: expected" if code == "PP211" else "expected"
        parent, field = path[:-1], path[-1]
        place = node.key_where(parent) if parent else node.where
        collector.add(
            code, place, f"{prefix}{what} the field `{field}`{_inside(parent)}", _hint_missing(code)
        )
    elif kind == "extra_forbidden":
        names = _names_at(model, path[:-1])
        found = f"{prefix}nobody declared the field `{path[-1]}`{_inside(path[:-1])}"
        collector.add("PP204", node.key_where(path), found, did_you_mean(path[-1], names))
    elif kind == "literal_error":
        words = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        code = "PP208" if is_key else "PP206"
        what = "word" if is_key else f"value for `{name}`"
        found = f"{prefix}expected a known {what}, found {_shown(detail['input'])}"
        collector.add(code, where, found, did_you_mean(detail["input"], words))
    elif kind in CODES:
        key = context.get("key")
        place = node.key_where([*path, str(key)]) if key is not None else where
        message = f"{prefix}{detail['msg']}"
        candidates = str(context["candidates"]).split() if "candidates" in context else []
        collector.add(kind, place, message, did_you_mean(key, candidates) if candidates else "")
    elif kind in _EXPECTED:
        message = f"{prefix}expected {_EXPECTED[kind]} for `{name}`, found {node.at(path).kind}"
        collector.add("PP205", where, message, _hint_quotes(kind, detail["input"]))
    else:
        message = detail["msg"][:1].lower() + detail["msg"][1:]
        collector.add("PP206", where, f"{prefix}`{name}`: {message}, found {_shown(detail['input'])}")


def dotted(path: Sequence[Key]) -> str:
    """A path as people write it: `options.A.do.0`."""
    return ".".join(map(str, path))


def _inside(path: Sequence[Key]) -> str:
    return f" in `{dotted(path)}`" if path else ""


def _shown(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _hint_missing(code: str) -> str:
    return "write where the card goes, as in `to: past`" if code == "PP211" else ""


def _hint_quotes(kind: str, value: object) -> str:
    if kind == "string_type" and isinstance(value, int | float):
        return f'write it in quotes: "{value}"'
    return ""


def _names_at(model: type[BaseModel], path: Sequence[Key]) -> list[str]:
    """The field names of the model that `path` leads to."""
    current: object = model
    for key in path:
        current = _step(current, key)
    found = _model_in(current)
    return [f.alias or name for name, f in found.model_fields.items()] if found else []


def _step(annotation: object, key: Key) -> object:
    """The annotation one key further down."""
    found = _model_in(annotation)
    if found is not None:
        by_name = {field.alias or name: field.annotation for name, field in found.model_fields.items()}
        return by_name.get(str(key))
    for inner in get_args(annotation):
        if _model_in(inner) is not None or get_args(inner):
            return _skip_to_model(annotation)
    return None


def _skip_to_model(annotation: object) -> object:
    """The value type of a list or dict annotation (its last argument)."""
    arguments = [a for a in get_args(annotation) if a is not type(None)]
    if len(arguments) == 1 and not isinstance(annotation, type):
        inner = arguments[0]
        return inner if _is_container(annotation) else _skip_to_model(inner)
    return arguments[-1] if arguments else None


def _is_container(annotation: object) -> bool:
    return getattr(annotation, "__origin__", None) in (list, dict, tuple)


def _model_in(annotation: object) -> type[BaseModel] | None:
    """The model an annotation stands for, through Annotated and optional."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if _is_container(annotation):
        return None
    for inner in get_args(annotation):
        found = _model_in(inner)
        if found is not None:
            return found
    return None

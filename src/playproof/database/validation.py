"""Runs a pydantic model over a YAML node and turns its errors into findings with places."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from playproof.database.errors import CODES, Collector, did_you_mean, nearest
from playproof.database.source import Key, Node, read

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
    """Validate a node. Note every mistake as a finding and return None if there is one.

    `prefix` names the thing in messages, as in `card 001: `.
    """
    try:
        return model.model_validate(node.data)
    except ValidationError as error:
        mistakes = Collector()
        for detail in _each_once(error.errors(include_url=False)):
            _note(model, node, detail, mistakes, prefix)
        # What a file's defaults get wrong is wrong once, not once for each component.
        noted = {(finding.code, finding.where) for finding in collector.findings}
        collector.extend(
            finding for finding in mistakes.findings if (finding.code, finding.where) not in noted
        )
        return None


def read_checked(model: type[Model], file: Path) -> tuple[Model, Node] | None:
    """Return what a file holds, and its places for messages; None if there is no file. Raises InputError with every
    mistake of its shape."""
    if not file.is_file():
        return None
    node, collector = read(file), Collector()
    content = check(model, node, collector)
    collector.check()
    assert content is not None  # otherwise check() has raised
    return content, node


def _each_once(details: list[ErrorDetails]) -> list[ErrorDetails]:
    """Return the errors without those of required fields that are only misspelt: a field that nobody
    declared, beside them, is nearly their name."""
    missing = {detail["loc"] for detail in details if detail["type"] == "missing"}
    misspelt = set[tuple[int | str, ...]]()
    for detail in details:
        *above, name = detail["loc"] or ("",)
        if detail["type"] == "extra_forbidden":
            beside = [str(loc[-1]) for loc in missing if list(loc[:-1]) == above]
            misspelt.add((*above, nearest(name, beside)))
    return [detail for detail in details if detail["type"] != "missing" or detail["loc"] not in misspelt]


def _note(
    model: type[BaseModel], node: Node, detail: ErrorDetails, collector: Collector, prefix: str
) -> None:
    loc = [key for key in detail["loc"] if key != "[key]"]
    is_key = "[key]" in detail["loc"]
    path, kind, context = list(loc), detail["type"], detail.get("ctx", {})
    where = node.key_where(path) if is_key and path else node.at(path).where
    name = dotted(path)
    if kind == "missing":
        code = "PP211" if len(path) == 3 and (path[0], path[2]) == ("options", "to") else "PP203"
        what = "this option has no destination: expected" if code == "PP211" else "expected"
        parent, field = path[:-1], path[-1]
        place = node.key_where(parent) if parent else node.where
        collector.add(
            code, place, f"{prefix}{what} the field `{field}`{_inside(parent)}", _hint_missing(code)
        )
    elif kind == "extra_forbidden":
        names = _names_at(model, path[:-1])
        message = f"{prefix}nobody declared the field `{path[-1]}`{_inside(path[:-1])}"
        collector.add("PP204", node.key_where(path), message, did_you_mean(path[-1], names))
    elif kind == "literal_error":
        words = re.findall(r"'([^']*)'", str(context.get("expected", "")))
        code = "PP208" if is_key else "PP206"
        what = "word" if is_key else f"value for `{name}`"
        message = f"{prefix}expected a known {what}, found {_quoted(detail['input'])}"
        collector.add(code, where, message, did_you_mean(detail["input"], words))
    elif kind in CODES:
        key = context.get("key")
        place = node.key_where([*path, str(key)]) if key is not None else where
        message = f"{prefix}{detail['msg']}"
        candidates = str(context["candidates"]).split() if "candidates" in context else []
        collector.add(kind, place, message, did_you_mean(key, candidates) if candidates else "")
    elif kind in _EXPECTED:
        of_what = f" for `{name}`" if name else ""  # the whole has no name
        message = f"{prefix}expected {_EXPECTED[kind]}{of_what}, found {node.at(path).kind}"
        collector.add("PP205", where, message, _hint_quotes(kind, detail["input"]))
    else:
        expected = _bound(kind, dict(context)) or detail["msg"][:1].lower() + detail["msg"][1:]
        what = f"`{name}`: " if name else ""
        collector.add("PP206", where, f"{prefix}{what}{expected}, found {_quoted(detail['input'])}")


def _bound(kind: str, context: dict[str, object]) -> str:
    """Return what was expected, for pydantic's error types that name a bound."""
    for name, sentence in _BOUNDS.items():
        if name in context and kind.startswith(_BOUND_KINDS):
            return sentence.format(context[name])
    return ""


def dotted(path: Sequence[Key]) -> str:
    """Return a path as people write it: `options.A.do.0`."""
    return ".".join(map(str, path))


def _inside(path: Sequence[Key]) -> str:
    return f" in `{dotted(path)}`" if path else ""


def _quoted(value: object) -> str:
    text = f'"{value}"' if isinstance(value, str) else str(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _hint_missing(code: str) -> str:
    return "write where the card goes, as in `to: past`" if code == "PP211" else ""


def _hint_quotes(kind: str, value: object) -> str:
    if kind == "string_type" and isinstance(value, int | float):
        return f'write it in quotes: "{value}"'
    return ""


def _names_at(model: type[BaseModel], path: Sequence[Key]) -> list[str]:
    """Return the field names of the model that `path` leads to."""
    current: object = model
    for key in path:
        current = _step(_unwrapped(current), key)
    inner = _unwrapped(current)
    return list(_fields(inner)) if _is_model(inner) else []


def _step(annotation: object, key: Key) -> object:
    """Return the annotation one key further down: a model's field, or a container's element."""
    if _is_model(annotation):
        return _fields(annotation).get(str(key))
    return get_args(annotation)[-1] if _is_container(annotation) else None


def _unwrapped(annotation: object) -> object:
    """Return the model or container inside Annotated and unions."""
    if _is_model(annotation) or _is_container(annotation):
        return annotation
    for inner in get_args(annotation):
        unwrapped = _unwrapped(inner)
        if unwrapped is not None:
            return unwrapped
    return None


def _fields(model: type[BaseModel]) -> dict[str, object]:
    """A model's fields as YAML names them, with their annotations."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _is_container(annotation: object) -> bool:
    return get_origin(annotation) in (list, dict)


def _is_model(annotation: object) -> TypeGuard[type[BaseModel]]:
    return (
        isinstance(annotation, type) and not _is_container(annotation) and issubclass(annotation, BaseModel)
    )

"""Evidence files as typed values. Reading is strict, limits size, depth and digits, and refuses
anything unknown.

    class Pair:                          {"left": 3, "ratio": "1/2"}
        left: int                        -> Pair(3, Fraction(1, 2))
        ratio: Fraction

Numbers are integers, or exact fractions written as strings. Floats and repeated, unknown or missing
keys are refused."""

from __future__ import annotations

import dataclasses
import json
import re
import typing
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, TypeAlias

Json: TypeAlias = Any
"""What JSON holds without floats: None, booleans, integers, strings, lists, and mappings with string keys."""

MOST_BYTES = 8_000_000
OMITTED = MappingProxyType({"omitted": True})
"""The metadata of a key that a file leaves out where it has its default, so that every value has one text."""
_MOST_DEPTH = 300
_MOST_DIGITS = 60
_TOKENS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[{]|[\]}]')
_FRACTION = re.compile(r"-?[0-9]{1,400}(/[1-9][0-9]{0,399})?")


class Unreadable(Exception):
    """Raised if a text is no evidence; the message says what was expected and where."""


@contextmanager
def raise_unreadable_for_wrong_shape(message: str) -> Iterator[None]:
    """Raise Unreadable with this message where data of any shape has not the shape that is read."""
    try:
        yield
    except (TypeError, ValueError, KeyError, AttributeError, IndexError, RecursionError):
        raise Unreadable(message) from None


def parse_strict_json_or_raise(text: str) -> Json:
    """Return the JSON data of a text. Raises Unreadable."""
    if len(text) > MOST_BYTES:
        raise Unreadable(f"expected at most {MOST_BYTES:,} characters, found {len(text):,}")
    _require_nesting_within_limit(text)
    try:
        data = json.loads(
            text,
            object_pairs_hook=_pairs_to_mapping_without_duplicates,
            parse_float=_raise_for_float,
            parse_constant=_raise_for_float,
            parse_int=_parse_integer_of_limited_digits,
        )
        to_canonical_json_text(data).encode("utf-8")  # a lone surrogate, as `\\ud800`, can be read but not printed
        return data
    except ValueError as error:
        raise Unreadable(str(error)) from None


def _require_nesting_within_limit(text: str) -> None:
    """Check the depth of nesting before the recursive parser runs. Raises Unreadable."""
    depth = 0
    for token in _TOKENS.finditer(text):
        first = token[0][0]
        depth += (first in "[{") - (first in "]}")
        if depth > _MOST_DEPTH:
            raise Unreadable(f"expected at most {_MOST_DEPTH} levels of nesting")


def _pairs_to_mapping_without_duplicates(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    mapping = dict(pairs)
    if len(mapping) != len(pairs):
        names = [name for name, _ in pairs]
        raise Unreadable(f"the key `{next(n for n in names if names.count(n) > 1)[:40]}` stands twice")
    return mapping


def _raise_for_float(text: str) -> Json:
    raise Unreadable(f"expected a whole number or a fraction in quotes, found {text[:40]}")


def _parse_integer_of_limited_digits(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise Unreadable(f"expected at most {_MOST_DIGITS} digits, found {len(text)}")
    return int(text)


# -- typed values -----------------------------------------------------------------------------------------------


class Tagged:
    """A base of dataclasses that a file tells apart by their `kind`."""

    kind: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        if map_kinds_to_subclasses(Tagged).get(cls.kind, cls) is not cls:
            raise TypeError(f"{cls.__name__}: expected a kind of its own, found {cls.kind!r}")


def map_kinds_to_subclasses(base: type[Tagged]) -> dict[str, type[Tagged]]:
    """Return `base` and the classes below it by their kinds; of two of one kind, the one defined first."""
    classes: dict[str, type[Tagged]] = {base.kind: base} if base.kind else {}
    for each in base.__subclasses__():
        classes = {**map_kinds_to_subclasses(each), **classes}
    return classes


def decode_json_as_type_or_raise(expected_type: Any, data: Json, path_in_file: str = "file") -> Any:
    """Return the value of type `expected_type` that `data` holds: a dataclass, a tuple, int,
    bool, str, Fraction or Json. Raises Unreadable."""
    if expected_type is Any:
        return data
    if typing.get_origin(expected_type) is tuple:
        if type(data) is not list:
            raise Unreadable(f"{path_in_file}: expected a list, found {format_data_shortened(data)}")
        kinds = typing.get_args(expected_type)
        if kinds[-1] is Ellipsis:
            kinds = (kinds[0],) * len(data)
        if len(kinds) != len(data):
            raise Unreadable(f"{path_in_file}: expected a list of {len(kinds)} entries, found {len(data)}")
        return tuple(
            decode_json_as_type_or_raise(kinds[n], item, f"{path_in_file}[{n}]") for n, item in enumerate(data)
        )
    if issubclass(expected_type, Tagged):
        return _decode_by_kind_key(expected_type, data, path_in_file)
    if dataclasses.is_dataclass(expected_type):
        return _decode_mapping_as_dataclass(expected_type, data, path_in_file)
    if expected_type is Fraction:
        if isinstance(data, str) and _FRACTION.fullmatch(data):
            return Fraction(data)
        raise Unreadable(
            f'{path_in_file}: expected a fraction in quotes such as "1/2", found {format_data_shortened(data)}'
        )
    if type(data) is not expected_type:  # not isinstance: a boolean is no integer here
        raise Unreadable(
            f"{path_in_file}: expected {_TYPES.get(expected_type, expected_type)}, found {format_data_shortened(data)}"
        )
    return data


_TYPES = MappingProxyType({int: "a whole number", bool: "true or false", str: "a text"})


def _decode_by_kind_key(base: type[Tagged], data: Json, path_in_file: str) -> Any:
    kind = data.get("kind") if type(data) is dict else None
    classes = map_kinds_to_subclasses(base)
    made = classes.get(kind) if type(kind) is str else None
    if made is None:
        names = ", ".join(sorted(classes))
        raise Unreadable(
            f"{path_in_file}: expected a mapping whose `kind` is one of {names}, found {format_data_shortened(kind)}"
        )
    return _decode_mapping_as_dataclass(
        made, {name: value for name, value in data.items() if name != "kind"}, path_in_file
    )


def _decode_mapping_as_dataclass(expected_type: Any, data: Json, path_in_file: str) -> Any:
    if type(data) is not dict:
        raise Unreadable(f"{path_in_file}: expected a mapping, found {format_data_shortened(data)}")
    wanted_types = typing.get_type_hints(expected_type)
    names = [f.name for f in dataclasses.fields(expected_type)]
    omitted = [f.name for f in dataclasses.fields(expected_type) if f.metadata == OMITTED and f.name not in data]
    unknown = [str(n)[:40] for n in data if n not in names]
    missing = [n for n in names if n not in data and n not in omitted]
    if unknown or missing:
        wrong = [f"unknown key `{n}`" for n in unknown[:3]] + [f"missing key `{n}`" for n in missing[:3]]
        raise Unreadable(f"{path_in_file}: " + ", ".join(wrong))
    values = {
        n: decode_json_as_type_or_raise(wanted_types[n], data[n], f"{path_in_file}.{n}")
        for n in names
        if n not in omitted
    }
    for each in dataclasses.fields(expected_type):
        if each.metadata == OMITTED and values.get(each.name) == each.default:
            raise Unreadable(
                f"{path_in_file}: `{each.name}` is left out where it is "
                f"{format_data_shortened(encode_typed_value_as_json(each.default))}"
            )
    return expected_type(**values)


def list_names_of_written_fields(dataclass_value: Any) -> list[str]:
    """Return the names of a dataclass's fields that a file holds."""
    return [
        each.name
        for each in dataclasses.fields(dataclass_value)
        if each.metadata != OMITTED or getattr(dataclass_value, each.name) != each.default
    ]


def encode_typed_value_as_json(value: Any) -> Json:
    """Return a typed value as JSON data that `decode_json_as_type_or_raise` reads back."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kind = {"kind": value.kind} if isinstance(value, Tagged) else {}
        return kind | {
            name: encode_typed_value_as_json(getattr(value, name)) for name in list_names_of_written_fields(value)
        }
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, list | tuple):
        return [item if type(item) is int else encode_typed_value_as_json(item) for item in value]
    return value


def to_plain_json_data(value: Any) -> Json:
    """Return free data (a claim's `of`, an option) as JSON data with the same meaning: keys become
    strings, and so do values that a file cannot hold."""
    if isinstance(value, dict):
        return {str(k): to_plain_json_data(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain_json_data(v) for v in value]
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def to_canonical_json_text(data: Json) -> str:
    """Return one text for all ways to write the same JSON."""
    return json.dumps(to_plain_json_data(data), sort_keys=True, ensure_ascii=False)


def format_data_shortened(data: Json) -> str:
    """Return a piece of data as a short text."""
    text = json.dumps(data, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:56] + " ..."

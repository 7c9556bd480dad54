"""Fingerprints: one hash of everything that a file depends on. Equal hashes mean equal bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from operator import attrgetter
from pathlib import Path as FilePath
from typing import Any

from playproof.database.components import Component, Words
from playproof.database.errors import Where
from playproof.generator.lazy_dict import LazyDict
from playproof.generator.wording import FOLDER as WORDING

PACKAGE = FilePath(__file__).resolve().parents[1]


def to_canonical_text(value: Any) -> str:
    """Return a value as text that does not depend on its place in a file."""
    kind = type(value)
    if kind is str or kind is int or value is None:
        return repr(value)
    if kind is Words:
        return repr(value.texts)
    if kind is Where:
        return ""
    values = FIELDS[kind]
    if values is not None:
        return f"{kind.__name__}({';'.join(map(to_canonical_text, values(value)))})"
    if kind is dict or isinstance(value, Mapping):
        return "{" + ";".join([f"{key}={to_canonical_text(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, tuple | list):
        return "[" + ";".join(map(to_canonical_text, value)) + "]"
    return repr(value)


def _build_field_reader(kind: type) -> Callable[[Any], tuple[Any, ...]] | None:
    """Return a function that reads the values of all fields of a dataclass, or None for any other
    type."""
    names = [each.name for each in fields(kind)] if is_dataclass(kind) else []
    if not names:
        return None
    read = attrgetter(*names)
    return read if len(names) > 1 else lambda value: (read(value),)


FIELDS = LazyDict(_build_field_reader)


def hash_component(component: Component) -> str:
    """Return the hash of everything that is printed of a component."""
    return hashlib.sha256(to_canonical_text(component).encode()).hexdigest()


def hash_files(paths: Iterable[FilePath]) -> str:
    """Return the hash of files by name and content."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


@lru_cache(maxsize=1)
def hash_generator_code() -> str:
    """Return the hash of the generator's own code and words, so that a new version rebuilds every file."""
    return hash_files([*PACKAGE.rglob("*.py"), *WORDING.glob("*.yaml")])


def hash_parts(*parts: object) -> str:
    """Return one hash of several parts."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()

"""Fingerprints: what a file depends on, as one hash; equal hash, equal bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Any

from playproof.database.components import Component, Words
from playproof.database.errors import Where

ROOM = FilePath(__file__).resolve().parents[1]


def canonical(value: Any) -> str:
    """A value as text that does not depend on where in a file it was written."""
    kind = type(value)
    if kind is str or kind is int or value is None:
        return repr(value)
    if kind is Words:
        return repr(value.texts)
    if kind is Where:
        return ""
    names = FIELDS[kind]
    if names:
        return f"{kind.__name__}({';'.join([canonical(getattr(value, name)) for name in names])})"
    if isinstance(value, Mapping):
        return "{" + ";".join(f"{key}={canonical(item)}" for key, item in value.items()) + "}"
    if isinstance(value, tuple | list):
        return "[" + ";".join(map(canonical, value)) + "]"
    return repr(value)


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of a dataclass, none of anything else; looked up once for each class."""

    def __missing__(self, kind: type) -> tuple[str, ...]:
        found = self[kind] = tuple(each.name for each in fields(kind)) if is_dataclass(kind) else ()
        return found


FIELDS = _Fields()


def of_component(component: Component) -> str:
    """The hash of all that is printed of a component."""
    return hashlib.sha256(canonical(component).encode()).hexdigest()


def of_files(paths: Iterable[FilePath]) -> str:
    """The hash of files by name and content."""
    total = hashlib.sha256()
    for path in sorted(paths):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


@lru_cache(maxsize=1)
def of_this_room() -> str:
    """The hash of the generator's own code: a new version makes everything anew."""
    return of_files(ROOM.rglob("*.py"))


def together(*parts: object) -> str:
    """One hash of several parts."""
    return hashlib.sha256("\0".join(map(str, parts)).encode()).hexdigest()

"""Compares what is printed of a game. Two pictures are the same if they print the same, whatever
their parts are called and wherever they are written."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import lru_cache
from typing import Any

from playproof.database.errors import Where
from playproof.generator.scene import Face, Glyphs, Group, Image, Page, Path, ShapedText, Symbol

_UNPRINTED: dict[type, frozenset[str]] = {
    Face: frozenset({"name"}),
    Symbol: frozenset({"name"}),
    Group: frozenset({"source"}),
    Page: frozenset({"label"}),
}
_PLAIN = (Path, Image, str, int, float, bool, type(None))
"""Types that hold no names and are compared by value."""


def alike(one: Any, other: Any) -> bool:
    """Return whether two values print the same. Names of symbols and places in files do not count.

    >>> alike(Face("a", 10, 10, ()), Face("b", 10, 10, ())), alike(Face("a", 10, 10, ()), Face("a", 10, 11, ()))
    (True, False)
    """
    if one is other:
        return True
    kind = type(one)
    if kind is not type(other):
        return False
    if kind in _PLAIN:
        return bool(one == other)
    if kind is tuple or kind is list:
        return len(one) == len(other) and all(map(alike, one, other))
    if kind is Glyphs:
        return _words(one) == _words(other)
    if kind is dict:
        return list(one) == list(other) and all(map(alike, one.values(), other.values()))
    names = _printed(kind)  # type: ignore[arg-type]  # mypy takes a class for unhashable
    if names is None:
        return bool(one == other)
    return all(alike(getattr(one, name), getattr(other, name)) for name in names)


def _words(line: Glyphs) -> tuple[Any, ...]:
    return line.x, line.y, line.size, line.fill, [(far, _shape(shape)) for far, shape in line.pieces]


def _shape(shape: ShapedText) -> tuple[Any, ...]:
    return shape.font, shape.glyphs, shape.advances, shape.offsets, shape.chars


@lru_cache
def _printed(kind: type) -> tuple[str, ...] | None:
    """Return the fields of a class that affect print, or None if its values are compared as a
    whole."""
    if kind is Where:
        return ()
    names = [field.name for field in fields(kind)] if is_dataclass(kind) else getattr(kind, "_fields", None)
    return None if names is None else tuple(name for name in names if name not in _UNPRINTED.get(kind, ()))

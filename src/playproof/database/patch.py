"""Dated patches: reads `errata/*.yaml` and applies them to the YAML nodes before these become
components.

A patch works on nodes, so that a patched card goes through the same checks as a written one, and a
mistake in the patch is reported at its place in the patch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date as day
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_core import PydanticCustomError

from playproof.database.components import Words
from playproof.database.errors import Collector, Where, did_you_mean
from playproof.database.field_types import Strict
from playproof.database.source import Entry, Node
from playproof.database.validation import check
from playproof.database.vocabulary import WordsSpec

_INDEX = re.compile(r"0|[1-9][0-9]{0,5}")


def _day(text: str) -> str:
    """Check that a date is a day of the calendar. Raises PydanticCustomError."""
    try:
        day.fromisoformat(text)
    except ValueError:
        raise PydanticCustomError(
            "PP206", "`date`: expected a day of the calendar, found {found}", {"found": text}
        ) from None
    return text


def _version(value: object) -> object:
    """Convert a version written as a bare number to text: 1.1 becomes "1.1"."""
    return str(value) if isinstance(value, int | float) else value


class ChangeSpec(Strict):
    """One changed value. Without `from`, there was no value before; without `to`, the value is
    removed."""

    component: str
    path: str = Field(min_length=1)
    from_: Any = Field(default=None, alias="from")
    to: Any = None


class ErratumSpec(Strict):
    """The content of one file in `errata/`."""

    version: Annotated[
        str, BeforeValidator(_version, json_schema_input_type=str | float), Field(min_length=1)
    ]
    date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_day)]
    note: WordsSpec
    changes: Annotated[list[ChangeSpec], Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class Change:
    """One change: at `path` of a component, `new` replaces `old`. None stands for a missing
    value."""

    component: str
    path: tuple[str, ...]
    old: Node | None
    new: Node | None
    where: Where = field(compare=False)


@dataclass(frozen=True, slots=True)
class Erratum:
    """A dated patch."""

    version: str
    date: str
    note: Words
    changes: tuple[Change, ...]
    where: Where = field(compare=False)


def read_erratum(node: Node, collector: Collector) -> Erratum | None:
    """Check and convert one erratum; return None after noting its errors."""
    spec = check(ErratumSpec, node, collector, "erratum: ")
    if spec is None:
        return None
    changes = tuple(_change(item) for item in node.at(["changes"]).items)
    return Erratum(spec.version, spec.date, Words(spec.note, node.where), changes, node.where)


def _change(node: Node) -> Change:
    path = tuple(str(node.at(["path"]).value).split("."))
    return Change(str(node.at(["component"]).value), path, node.get("from"), node.get("to"), node.where)


def apply(components: Mapping[str, Node], errata: Sequence[Erratum], collector: Collector) -> dict[str, Node]:
    """Return the component nodes after the errata, applied in order. Note each change that does not
    fit and skip it."""
    patched = dict(components)
    for erratum in errata:
        for change in erratum.changes:
            old = patched.get(change.component)
            if old is None:
                message = f'there is no component "{change.component}"'
                collector.add("PP401", change.where, message, did_you_mean(change.component, patched))
                continue
            new = _changed(old, change, collector)
            if new is not None:
                patched[change.component] = new
    return patched


def _changed(node: Node, change: Change, collector: Collector) -> Node | None:
    """Return the component with this change, or None after noting why it cannot be made."""
    above, last = change.path[:-1], change.path[-1]
    parent = _exact(node, above)
    if parent is None or not isinstance(parent.value, Mapping | tuple):
        message = f"{change.component} has nothing at `{'.'.join(above)}`"
        collector.add("PP401", change.where, message)
        return None
    stands = _child(parent, last)
    if isinstance(parent.value, tuple) and (wrong := _no_item(parent.value, last)):
        collector.add("PP401", change.where, f"{change.component}: {wrong}, found `{'.'.join(change.path)}`")
        return None
    if stands is None and change.old is None and change.new is None:
        message = f"{change.component}: the change to `{'.'.join(change.path)}` has neither `from` nor `to`"
        collector.add("PP401", change.where, message)
        return None
    if not _alike(stands, change.old):
        expected = change.old.data if change.old else "nothing"
        value = stands.data if stands else "nothing"
        place = change.old.where if change.old else change.where
        dotted = ".".join(change.path)
        hint = f"it stands at {stands.where}" if stands else did_you_mean(last, parent.entries)
        message = f"{change.component}: `{dotted}` should be {expected!r} before the change, found {value!r}"
        collector.add("PP402", place, message, hint)
        return None
    return _with(node, change.path, change.new, change.where)


def _no_item(items: Sequence[Node], key: str) -> str:
    """Return what was expected in place of `key`, which is no item of the list nor the next one; else ""."""
    if _INDEX.fullmatch(key) and int(key) <= len(items):
        return ""
    return f"expected an item of a list of {len(items)}, counted from 0, or {len(items)} to add one"


def _alike(stands: Node | None, old: Node | None) -> bool:
    """Return whether two values are equal and of the same types. For Python, 1 and 1.0 and true are equal."""
    return _written(stands) == _written(old)


def _written(node: Node | None) -> str:
    return json.dumps(node.data if node else None, sort_keys=True)


def _exact(node: Node, path: Sequence[str]) -> Node | None:
    """Return the node at a path, or None if it does not exist."""
    current: Node | None = node
    for key in path:
        current = _child(current, key) if current is not None else None
    return current


def _child(node: Node, key: str) -> Node | None:
    """Return the child under a key; in a list, the key is an index."""
    if isinstance(node.value, tuple):
        return node.get(int(key)) if _INDEX.fullmatch(key) else None
    return node.get(key)


def _with(node: Node, path: Sequence[str], new: Node | None, where: Where) -> Node:
    """Return a copy of `node` with `new` at `path`, or without a value there if `new` is None."""
    if not path:
        assert new is not None  # the last key is handled by its parent
        return new
    key, *rest = path
    if isinstance(node.value, tuple):
        items = list(node.value)
        index = int(key)
        child = _with(items[index], rest, new, where) if rest else new
        items[index : index + 1] = [child] if child is not None else []
        return node._replace(value=tuple(items))
    entries = dict(node.entries)
    child = _with(entries[key].node, rest, new, where) if rest else new
    if child is None:
        entries.pop(key)
    else:
        entries[key] = Entry(key, entries[key].key_where if key in entries else where, child)
    return node._replace(value=entries)

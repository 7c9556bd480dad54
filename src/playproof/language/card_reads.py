"""Which values of its cards the rules of a game read while its description is built.

    with_watch, reads = watch_cards(cards)
    build(ref, options, with_watch)
    reads.fields      {("item", "power"), ("item", "power.arrange.count"), ("item", "count"), ...}

The rules get components that look the same and note what is asked of them. A place is written as its kind's field, with
the effects and records below it; positions in lists, and the letters of options, are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from playproof.database.components import Component, Effect, Either, Option
from playproof.database.game import Game as Cards


@dataclass
class CardReads:
    """What was read: pairs of a kind and a place in it, and which components."""

    fields: set[tuple[str, str]] = field(default_factory=set)
    values: set[tuple[str, str]] = field(default_factory=set)
    """Pairs of a component's id and the name of a field, or `count`."""

    def record_read(self, kind: str, ident: str, place: str) -> None:
        """Note that a value was read."""
        self.fields.add((kind, place))
        self.values.add((ident, place.partition(".")[0]))


@dataclass(frozen=True)
class _WatchedPlace:
    """A place in a component that is watched."""

    reads: CardReads
    kind: str
    ident: str
    path: str = ""

    def make_child_place(self, key: str) -> _WatchedPlace:
        return replace(self, path=f"{self.path}.{key}" if self.path else key)

    def record_read(self) -> None:
        self.reads.record_read(self.kind, self.ident, self.path)


class _WatchedMapping(dict[str, Any]):
    """A mapping that notes which of its values are asked for."""

    at: _WatchedPlace

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any], at: _WatchedPlace) -> _WatchedMapping:
        """Return the values as a mapping that stands at a place."""
        made = cls(values)
        made.at = at
        return made

    def __getitem__(self, key: str) -> Any:
        value, at = super().__getitem__(key), self.at.make_child_place(key)
        at.record_read()
        return _wrap_value(value, at)

    def get(self, key: str, default: Any = None) -> Any:
        if key not in self:
            return default
        return self[key]

    def values(self) -> Any:
        return {key: self[key] for key in self}.values()

    def items(self) -> Any:
        return {key: self[key] for key in self}.items()


class _WatchedEffect(Effect):
    """An effect whose arguments are watched."""

    __slots__ = ()


class _WatchedOption(Option):
    """A lettered option that notes what is asked of it."""

    __slots__ = ("at",)
    at: _WatchedPlace

    def __getattribute__(self, name: str) -> Any:
        value = super().__getattribute__(name)
        if name in ("needs", "to", "cost", "effects"):
            at = (
                super()
                .__getattribute__("at")
                .make_child_place({"cost": "pay", "effects": "do"}.get(name, name))
            )
            at.record_read()
            return _wrap_value(value, at)
        return value


class _WatchedComponent(Component):
    """A component that notes what is asked of it."""

    __slots__ = ("at",)
    at: _WatchedPlace

    def __getattribute__(self, name: str) -> Any:
        if name == "count":
            super().__getattribute__("at").make_child_place("count").record_read()
        return super().__getattribute__(name)

    @property
    def options(self) -> tuple[Option, ...]:
        """All lettered options; no other field is read for them."""
        fields: _WatchedMapping = super().__getattribute__("fields")
        plain = dict.items(fields)
        found = [
            key
            for key, value in plain
            if isinstance(value, tuple) and any(isinstance(v, Option) for v in value)
        ]
        return tuple(option for key in found for option in fields[key])


def _wrap_value(value: Any, at: _WatchedPlace) -> Any:
    """Return a value that notes what is read of it, and is equal to the value in all else."""
    if isinstance(value, Option):
        made = _WatchedOption(
            value.letter, value.needs, value.cost, value.effects, value.to, value.text, value.where
        )
        object.__setattr__(made, "at", at)
        return made
    if isinstance(value, Effect):
        args = _WatchedMapping.from_mapping(value.args, at.make_child_place(value.op))
        return _WatchedEffect(value.op, args, value.where)
    if isinstance(value, Either):
        return Either(tuple(_wrap_value(way, at) for way in value.alternatives), value.where)
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return tuple(_wrap_value(item, at) for item in value)
    if type(value) is dict:
        return _WatchedMapping.from_mapping(value, at)
    return value


def watch_cards(cards: Cards) -> tuple[Cards, CardReads]:
    """Return the same cards, watched, and what will have been read of them."""
    reads = CardReads()
    return replace(
        cards, components={key: _wrap_component(c, reads) for key, c in cards.components.items()}
    ), reads


def _wrap_component(component: Component, reads: CardReads) -> Component:
    at = _WatchedPlace(reads, component.kind, component.id)
    fields = _WatchedMapping.from_mapping(component.fields, at)
    made = _WatchedComponent(
        component.id,
        component.kind,
        component.name,
        component.count,
        fields,
        component.source,
        component.rules,
        component.where,
    )
    object.__setattr__(made, "at", at)
    return made

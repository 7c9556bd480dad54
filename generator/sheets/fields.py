"""Reads typed fields of a YAML mapping and collects what is wrong with them, each at its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from playproof.database.errors import Collector, Where, did_you_mean
from playproof.database.source import Node


@dataclass(slots=True)
class Fields:
    """One mapping being read. Ask for every field once, then call `done` to refuse the rest."""

    node: Node
    findings: Collector
    known: set[str] = field(default_factory=set)

    def where(self, key: str) -> Where:
        """The place of a key's value, or of the mapping when the key is absent."""
        child = self.node.get(key)
        return child.where if child else self.node.where

    def _value(self, key: str) -> object:
        self.known.add(key)
        child = self.node.get(key)
        return child.value if child else None

    def number(
        self,
        key: str,
        default: float | None = None,
        *,
        above: float | None = None,
        least: float | None = None,
    ) -> float:
        """A number; required unless there is a default. `above` excludes its bound, `least` includes it."""
        value = self._value(key)
        if value is None and default is not None:
            return default
        if isinstance(value, bool) or not isinstance(value, int | float):
            self._wrong("PP548", key, "a number", value)
            return default or 1.0
        if (above is not None and value <= above) or (least is not None and value < least):
            bound = f"more than {above:g}" if above is not None else f"at least {least:g}"
            self._wrong("PP541", key, f"a number {bound}", value)
            return default or 1.0
        return float(value)

    def text(self, key: str, default: str | None = None, *, among: Iterable[str] = ()) -> str:
        """Text; required unless there is a default; one of `among` when that is given."""
        value = self._value(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            self._wrong("PP548", key, "text", value)
            return default or ""
        words = tuple(among)
        if words and value not in words:
            self.findings.add("PP548", self.where(key), f'{key}: found "{value}"', did_you_mean(value, words))
        return value

    def flag(self, key: str, default: bool) -> bool:
        """true or false."""
        value = self._value(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            self._wrong("PP548", key, "true or false", value)
            return default
        return value

    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """A list of exactly `count` positive numbers."""
        child = self.node.get(key)
        self.known.add(key)
        if child is None and default is not None:
            return default
        values = tuple(item.value for item in child.items) if child else ()
        good = tuple(float(v) for v in values if isinstance(v, int | float) and not isinstance(v, bool) and v > 0)
        if len(good) != count or len(values) != count:
            self._wrong("PP541", key, f"a list of {count} positive numbers", child.data if child else None)
            return (1.0,) * count
        return good

    def child(self, key: str) -> Node | None:
        """The node under a key, to be read by the caller; None when absent."""
        self.known.add(key)
        return self.node.get(key)

    def done(self) -> None:
        """Refuse every field that was not asked for."""
        for key, entry in self.node.entries.items():
            if key not in self.known:
                self.findings.add("PP548", entry.key_where, f'unknown field "{key}"', did_you_mean(key, self.known))

    def _wrong(self, code: str, key: str, expected: str, value: object) -> None:
        found = "nothing" if value is None else repr(value) if isinstance(value, str) else str(value)
        self.findings.add(code, self.where(key), f"{key}: expected {expected}, found {found}")

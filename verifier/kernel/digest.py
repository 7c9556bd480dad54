"""A digest of everything that decides how a game plays: rules, cards, quantities and facts.

The description is written as text, object by object with all fields of each, and hashed. Locals are
numbered anew, because their own numbers differ between processes. The place where a rule is written
does not count.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from playproof.language import Action, Game, RulesError
from playproof.language.expr import Local, Operand

_UNSAID = frozenset(("place", "reads", "locals", "clock"))
"""Slots that are not written: source places, and what follows from the other slots."""


def digest(game: Game) -> str:
    """Return the game's digest: 64 hexadecimal digits."""
    game.seal()
    written = _Written()
    written.say(
        "game",
        [
            game.name,
            game.players,
            game.teams,
            game.fields,
            game.tables,
            game.functions,
            game.procedures,
            game.phases,
            game.actions,
            game.endings,
            game.payoffs,
            game.quantities,
            game.facts,
        ],
    )
    return hashlib.sha256("\n".join(written.out).encode()).hexdigest()


class _Written:
    """Writes one game as lines of text. Each object is written once and then referred to by its
    number."""

    def __init__(self) -> None:
        self.out: list[str] = []
        self.known: dict[int, tuple[int, Any]] = {}  # by id; keeping the object keeps its id taken
        self.locals: dict[int, int] = {}

    def say(self, what: str, value: Any) -> None:
        """Append one line, after the lines of the objects that it refers to."""
        self.out.append(repr((what, self.data(value))))

    def data(self, value: Any) -> object:
        """Return a value as plain data: objects by their numbers, mappings and lists entry by
        entry."""
        match value:
            case None | bool() | int() | str():
                return value
            case float() | complex() | bytes() | range():
                return type(value).__name__, repr(value)
            case Enum():
                return value.name
            case Local():
                return "local", self.locals.setdefault(value.number, len(self.locals)), value.lo, value.hi
            case Mapping():
                return [(str(k), self.data(v)) for k, v in value.items()]
            case list() | tuple():
                return [self.data(v) for v in value]
            case set() | frozenset():
                return sorted(map(str, value))
            case _ if callable(value):
                return type(value).__name__
        if id(value) not in self.known:
            self.say(
                type(value).__name__, [(name, self.data(getattr(value, name))) for name in _names(value)]
            )
            if isinstance(value, Action):  # a function may make its words
                self.say(
                    "words",
                    [value.show(value.values(i)) for i in range(value.first, value.first + value.count)],
                )
            self.known[id(value)] = len(self.known), value
        return self.known[id(value)][0]


def _names(value: Any) -> Iterable[str]:
    """Return the names of an object's slots or fields that are written. Raises RulesError for an object of
    which nothing can be written, since two games that differ in it would look alike."""
    if isinstance(value, Operand) and not hasattr(value, "lo"):  # a field as it is written in rules
        return ("field",)
    slots = [name for kind in reversed(type(value).__mro__) for name in getattr(kind, "__slots__", ())]
    if not is_dataclass(value) and not slots and not hasattr(value, "__dict__"):
        raise RulesError(
            "PP338",
            f"a fact holds {value!r}, of which no digest can be made",
            "facts hold numbers, texts, lists and mappings",
        )
    names = [f.name for f in fields(value)] if is_dataclass(value) else slots or sorted(vars(value))
    return [name for name in names if name not in _UNSAID]


__all__ = ["digest"]

"""What a player may set before the game: chapter, number of players, and how the rulings are
read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from playproof.database.rulebook import Ruling


class OptionError(ValueError):
    """An option or ruling is not known to the game, or its value is not one of its choices."""


@dataclass(frozen=True)
class Options:
    """`values` such as {"chapter": "1"}; `rulings` such as {"A11": "heart"}. Whatever is not given
    has its default.

    A game asks for what it knows with `choice` and `ruling`; `unknown()` then names what nobody
    asked for, and `read` has the options of each ruling that was asked for, its default first,
    `choices` those of each option.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set, compare=False)
    read: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    def choice(self, name: str, choices: Sequence[str | int],
               default: str | int | None = None) -> str:
        """The value of an option, one of `choices` (the first is the default unless given)."""
        self.asked.add(name)
        allowed = [str(c) for c in choices]
        usual = str(choices[0] if default is None else default)
        self.choices[name] = tuple(dict.fromkeys((usual, *allowed)))
        found = str(self.values.get(name, usual))
        if found not in allowed:
            raise OptionError(f"{name}={found}: expected one of {', '.join(allowed)}")
        return found

    def text(self, name: str, default: str) -> str:
        """The value of an option that is free text."""
        self.asked.add(name)
        return str(self.values.get(name, default))

    def number(self, name: str, choices: range, default: int) -> int:
        """The value of a numeric option."""
        return int(self.choice(name, list(choices), default))

    def ruling(self, ident: str, default: str, options: Sequence[str]) -> str:
        """How a ruling is read: its default or one of its options."""
        self.asked.add(ident)
        self.read[ident] = tuple(dict.fromkeys((default, *options)))
        found = str(self.rulings.get(ident, default))
        if found not in self.read[ident]:
            raise OptionError(f"ruling {ident}={found}: expected one of {', '.join(self.read[ident])}")
        return found

    def unknown(self) -> list[str]:
        """Names given that the game never asked for."""
        return [n for n in (*self.values, *self.rulings) if n not in self.asked]


@dataclass(frozen=True)
class Readings:
    """How each ruling of a rulebook is read: `chosen` is the option of each, by its id; `known`
    says what it may be."""

    known: Mapping[str, Ruling]
    chosen: Mapping[str, str]

    def reads(self, ident: str, option: str) -> bool:
        """Whether this ruling is read in this way. Raises KeyError for a way that the rulebook does
        not give."""
        if option not in self.known[ident].options:
            raise KeyError(f"{ident} has no reading {option}")
        return self.chosen[ident] == option


def chosen_of(options: Options, known: Mapping[str, Ruling]) -> dict[str, str]:
    """The option of every ruling of a rulebook, as set or by default; what is not known raises
    OptionError."""
    return {ident: options.ruling(ident, ruling.default, list(ruling.options))
            for ident, ruling in known.items()}

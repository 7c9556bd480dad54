"""The settings that a player may choose before the game: chapter, number of players, and the
reading of each ruling."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from playproof.database.rulebook import Ruling
from playproof.language.errors import Place, RulesError, find_rule_place_in_call_stack, refuse_number_above_limit

MOST_VALUES = 100_000
"""Values of an option, at most: each is listed, offered and asked about."""


class OptionError(ValueError):
    """The game does not know an option or ruling, or the value is not one of its choices."""


@dataclass(frozen=True)
class Options:
    """`values` such as {"chapter": "1"}; `rulings` such as {"A11": "heart"}. A setting that is not
    given has its default.

    A game asks for its settings with `choice` and `ruling`. `list_names_never_asked_for()` then names those that nobody
    asked for. `read` holds the options of each ruling that was asked for, its default first; `in_force` holds the
    defaults that errata put in force, by ruling; `choices` holds those of each option, `lists` what an option of
    several may name, `usual` the default of each, and `places` where the rules ask for each ruling.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    rulings: Mapping[str, str] = field(default_factory=dict)
    asked: set[str] = field(default_factory=set, compare=False)
    read: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    choices: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False)
    lists: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, init=False)
    places: dict[str, Place] = field(default_factory=dict, compare=False, init=False)
    usual: dict[str, str] = field(default_factory=dict, compare=False, init=False)
    in_force: dict[str, str] = field(default_factory=dict, compare=False, init=False)

    def choice(self, name: str, choices: Sequence[str | int], default: str | int | None = None) -> str:
        """Return the value of an option, one of `choices` (default: the first)."""
        self.asked.add(name)
        refuse_number_above_limit(f"the values of option `{name}` are", len(choices), MOST_VALUES)
        allowed = [str(c) for c in choices]
        first = choices[0] if default is None else default
        usual = str(first)
        if usual not in allowed:
            raise RulesError(
                "PP323",
                f"the default of option `{name}` is {usual}, which is none of its choices",
                f"one of: {', '.join(allowed)}",
            )
        self.choices[name] = tuple(dict.fromkeys((usual, *allowed)))
        self.usual[name] = usual
        value = str(self.values.get(name, usual))
        if value not in allowed:
            raise OptionError(f"{name}={value}: expected one of {', '.join(allowed)}")
        return value

    def several(self, name: str, choices: Sequence[str]) -> tuple[str, ...]:
        """Return the value of an option that names some of `choices`, each at most once, in an order that counts:
        "I01 H01". By default it names none."""
        self.asked.add(name)
        self.usual[name] = ""
        self.lists[name] = tuple(choices)
        value = self._normalize_option_value(name, self.values.get(name, ""))
        chosen = tuple(value.split())
        if len(set(chosen)) < len(chosen) or not set(chosen) <= set(choices):
            listed = ", ".join(choices) or "nothing"
            raise OptionError(f"{name}={value}: expected each at most once out of {listed}")
        return chosen

    def _normalize_option_value(self, name: str, value: str | int) -> str:
        """Return a value in the one form that names it."""
        return " ".join(str(value).replace(",", " ").split()) if name in self.lists else str(value)

    def numbers(self, name: str, choices: range, default: Sequence[int], count: int | None = None) -> tuple[int, ...]:
        """Return the value of an option that is numbers joined by hyphens: "3-4-5"; `count` of them, if it is given."""
        usual = "-".join(map(str, default))
        self.asked.add(name)
        self.usual[name] = usual
        value = str(self.values.get(name, usual))
        parts = value.split("-")
        if not all(_is_number_of(part, choices) for part in parts) or count not in (None, len(parts)):
            some = "numbers" if count is None else f"{count} numbers"
            raise OptionError(
                f"{name}={value}: expected {some} from {choices[0]} to {choices[-1]}, joined as in {usual}"
            )
        return tuple(map(int, parts))

    def number(self, name: str, choices: range, default: int) -> int:
        """Return the value of a numeric option."""
        return int(self.choice(name, choices, default))

    def ruling(self, ident: str, default: str, options: Sequence[str]) -> str:
        """Return how a ruling is read: its default or one of its options. An erratum may have put another of these in
        force as the default."""
        if self.in_force.get(ident) in options:
            options, default = [default, *options], self.in_force[ident]
        self.asked.add(ident)
        self.places.setdefault(ident, find_rule_place_in_call_stack(2))
        self.read[ident] = tuple(dict.fromkeys((default, *options)))
        option = str(self.rulings.get(ident, default))
        if option not in self.read[ident]:
            raise OptionError(f"ruling {ident}={option}: expected one of {', '.join(self.read[ident])}")
        return option

    def get_non_default_setting(self) -> dict[str, dict[str, str]]:
        """Return the options and rulings that are chosen otherwise than by default."""
        rulings = {ident: options[0] for ident, options in self.read.items()}
        options = {name: self._normalize_option_value(name, value) for name, value in self.values.items()}
        return {
            "options": {n: v for n, v in options.items() if self.usual.get(n) != v},
            "rulings": {n: str(v) for n, v in self.rulings.items() if rulings.get(n) != str(v)},
        }

    def are_all_default_values(self, values: Mapping[str, str], rulings: Mapping[str, str]) -> bool:
        """Return whether these settings are the defaults of a game that was built without any: then it is the
        game of these settings too."""
        defaults = {ident: options[0] for ident, options in self.read.items() if ident not in self.choices}
        return values.items() <= self.usual.items() and rulings.items() <= defaults.items()

    def list_names_never_asked_for(self) -> list[str]:
        """Return the given names that the game never asked for as what they were given: an option is no
        ruling, and a ruling is no option."""
        rulings = self.read.keys() - self.choices.keys()
        return [
            *(name for name in self.values if name not in self.asked or name in rulings),
            *(name for name in self.rulings if name not in self.read),
        ]


def _is_number_of(text: str, choices: range) -> bool:
    """Return whether a text is one of the numbers, as Python writes it; the range may be of any size."""
    return text.isdecimal() and str(int(text)) == text and int(text) in choices


@dataclass(frozen=True)
class Readings:
    """The reading of each ruling of a rulebook. `chosen` holds the chosen option by ruling id;
    `known` holds the rulings."""

    known: Mapping[str, Ruling]
    chosen: Mapping[str, str]

    def reads(self, ident: str, option: str) -> bool:
        """Return whether the ruling is read as this option. Raises KeyError if the rulebook does
        not give the option."""
        if option not in self.known[ident].options:
            raise KeyError(f"{ident} has no reading {option}")
        return self.chosen[ident] == option


def chosen_of(options: Options, rulings: Mapping[str, Ruling]) -> dict[str, str]:
    """Return the chosen option of every ruling of a rulebook, set or by default. Raises OptionError
    for a value that is not known."""
    return {ident: options.ruling(ident, ruling.default, list(ruling.options)) for ident, ruling in rulings.items()}

"""A small table for one test: a few cards in the shorthand of the rules reference, and words to play them.

Shorthand of an option: `-1E -> +1F, +1G >`. F G S E K R are Food, Gold, Stone, Energy, Knowledge and Fear;
`>` goes to the Future, `<` to the Past, `@` back to the deck; `/` is a slash, `[I01]` a needed item, `#009` a
called card, `heart` a lost Heart, `item I01|I02` items joined by OR, `XG=K` any number of Gold into Knowledge.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from playproof.cards.eila.rules.names import Resource
from playproof.database.components import Component, Effect, Either, Option, Provenance, Step
from playproof.database.errors import Where
from playproof.database.game import Game as Data, load_game
from playproof.language import Game, Interpreter
from playproof.language.options import Options
from playproof.language.registry import build

NAMES = {"F": "food", "G": "gold", "S": "stone", "E": "energy", "K": "knowledge", "R": "fear"}
HERE = Where("test")
ZONES = {">": "future", "<": "past", "@": "deck"}
Cards = Mapping[str, Mapping[str, str]]


def place_of(name: str) -> int:
    """Where a resource stands in arrays of all resources."""
    return Resource[name.upper()]


@cache
def real() -> Data:
    """The game's own data."""
    return load_game("eila")


def effect(text: str) -> Effect:
    """One effect from shorthand."""
    if found := re.fullmatch(r"([+-])(\d+)([FGSEKR])", text):
        sign, n, letter = found.groups()
        return Effect("gain" if sign == "+" else "pay", {"amounts": {NAMES[letter]: int(n)}}, HERE)
    if found := re.fullmatch(r"X(.)=(.)", text):
        return Effect("convert", {"from": NAMES[found[1]], "to": NAMES[found[2]]}, HERE)
    if text == "heart":
        return Effect("lose_heart", {"hearts": 1}, HERE)
    if text.startswith("#"):
        return Effect("call", {"card": text[1:]}, HERE)
    if text.startswith("item "):
        return Effect("item", {"items": tuple(text[5:].split("|"))}, HERE)
    raise ValueError(text)


def effects(text: str) -> tuple[Effect, ...]:
    """A list of effects, commas between them."""
    return tuple(effect(part.strip()) for part in text.split(",") if part.strip())


def steps(text: str) -> tuple[Step, ...]:
    """Effects and slashes; a slash binds tighter than a comma."""
    found: list[Step] = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        ways = tuple(effects(way) for way in part.split("/"))
        found.append(Either(ways, HERE) if len(ways) > 1 else ways[0][0])
    return tuple(found)


def option(letter: str, text: str) -> Option:
    """One option from shorthand."""
    needs, body, zone = re.fullmatch(r"(?:\[(\w+)\])?(.*)([<>@])", text.strip()).groups()  # type: ignore[union-attr]
    cost, arrow, gain = body.rpartition("->")
    paid = effects(cost) if arrow else ()
    return Option(letter, needs or "", paid, steps(gain if arrow else body), ZONES[zone], None, HERE)


def data_of(cards: Cards, goal: str, health: int, base: Data | None = None) -> Data:
    """The real data with other cards and another goal for Chapter 0."""
    base = base or real()
    kept = {i: c for i, c in base.components.items() if c.kind not in ("event", "habit")}
    aim = kept["goal-0"]
    spaces = tuple(NAMES[letter] for letter in goal)
    kept["goal-0"] = replace(aim, fields={**aim.fields, "spaces": spaces, "health": health})
    for key, options in cards.items():
        ident, back = key.split()
        kind = "habit" if back == "habit" else "event"
        fields: dict[str, Any] = {"back": back, "options": tuple(option(k, v) for k, v in options.items())}
        fields |= {} if kind == "habit" else {"chapter": 0}
        kept[ident] = Component(ident, kind, f"Card {ident}", 1, fields, Provenance(), (), HERE)
    return replace(base, components=kept)


class Scene:
    """A game of these cards, and where it stands."""

    def __init__(
        self,
        cards: Cards | str,
        goal: str = "GGS",
        health: int = 3,
        *,
        rulings: Mapping[str, str] | None = None,
        options: Mapping[str, str] | None = None,
        owned: str = "",
    ) -> None:
        table = {"001 green": {"A": cards}} if isinstance(cards, str) else dict(cards)
        if owned:  # a card that never comes makes the items part of this chapter
            table["011 blue"] = {"A": "item " + "|".join(owned.split()) + " <"}
        data = data_of(table, goal, health)
        self.game: Game = build("eila", Options(options or {}, rulings or {}), data)
        self.play = Interpreter(self.game)
        self.state = self.play.start()
        self.ids = [c for c in self.game.get_field("present").labels if c != "none"]
        for n in range(len(owned.split())):
            self.set("owned", 1, n)

    # -- looking --------------------------------------------------------------------------------------------

    def get(self, name: str, index: int = 0) -> int:
        """A cell of a field."""
        return self.state[self.game.get_field(name).offset + index]

    def tokens(self, name: str) -> int:
        """How many tokens of a resource are held."""
        return self.get("have", place_of(name))

    def has(self, name: str) -> bool:
        """Whether the game has such a field."""
        return any(f.name == name for f in self.game.fields)

    @property
    def held(self) -> str:
        """Tokens held, e.g. "FFG" or ""."""
        return "".join(letter * self.tokens(name) for letter, name in NAMES.items())

    @property
    def phase(self) -> str:
        """The name of the phase."""
        return self.game.phases[self.state[0]].name

    @property
    def present(self) -> str:
        """The card in the Present, or "none"."""
        return (*self.ids, "none")[self.get("present")]

    def place(self, card: str) -> str:
        """Where a card is."""
        field = self.game.get_field("where")
        return field.format_value(self.state[field.offset + self.ids.index(card)])

    @property
    def texts(self) -> list[str]:
        """Legal actions in words."""
        return [m.text for m in self.play.moves(self.state)]

    @property
    def ending(self) -> str:
        """How the game ended, or ""."""
        end = self.play.ending(self.state)
        return end.reason if end else ""

    @property
    def result(self) -> str:
        """win, loss or "" while the game runs."""
        end = self.play.ending(self.state)
        return end.kind if end else ""

    # -- doing ----------------------------------------------------------------------------------------------

    def set(self, name: str, value: int, index: int = 0) -> Scene:
        """Set a cell."""
        self.state[self.game.get_field(name).offset + index] = value
        return self

    def hold(self, tokens: str) -> Scene:
        """Hold exactly these tokens."""
        for letter, name in NAMES.items():
            self.set("have", tokens.count(letter), place_of(name))
        return self

    def ident(self, name: str, *values: int) -> int:
        """The number of an action by its name."""
        action = next(a for a in self.game.actions if a.name == name)
        return action.get_ground_action_number(values)

    def do(self, name: str, *values: int) -> Scene:
        """Take an action by its name."""
        self.state = self.play.apply(self.state, self.ident(name, *values))
        return self

    def say(self, text: str) -> Scene:
        """Take the legal action whose words contain this."""
        found = [m.ident for m in self.play.moves(self.state) if text in m.text]
        assert len(found) == 1, (text, self.texts)
        self.state = self.play.apply(self.state, found[0])
        return self

    def choose(self, option: str = "A") -> Scene:
        """Choose an option of the card in the Present."""
        return self.do("choose", self.get("present"), "ABCD".index(option))

    def can(self, option: str = "A") -> bool:
        """Whether an option of the card in the Present can be chosen."""
        return not self.refused(option)

    def refused(self, option: str = "A") -> list[str]:
        """The rules that forbid an option of the card in the Present."""
        ident = self.ident("choose", self.get("present"), "ABCD".index(option))
        return [b.rule for b in self.play.why_not(self.state, ident)]

    def draw(self, card: str) -> Scene:
        """Chance reveals this card."""
        return self.do("draw", self.ids.index(card))

    def refused_rules(self, name: str, *values: int) -> list[str]:
        """The rules that forbid an action."""
        return [b.rule for b in self.play.why_not(self.state, self.ident(name, *values))]


def line(game: Game, ident: int) -> str:
    """A ground action in a form that survives new titles and numbers: `choose 121 C`, `place Gold`, `drop food`."""
    action = game.get_action_of_ground_action_number(ident)
    values = [p.format_value(v) for p, v in zip(action.params, action.get_values_of_ground_action(ident), strict=True)]
    return " ".join([action.name, *values])

"""A target: what a design is to be like, and what may change to get there, as `target.yaml` says it.

change:
  goal: [15, 18, 21]                      # values of an option or a ruling; `all` for every one
  ferryman: {cards: ["06"], path: effects.1.lose.light, from: 2, to: [1, 2, 3]}
change_at_most: 2                         # so many of these; all, if it is left out
bots: [searching]                         # or careful, by chance, or any bot
want:
  wins of player 1: [45, 55]              # per cent; figures have the names that `compare` prints
  decisions per game: [60, 90]
  wins of player 2: 35                    # one number: 5 per cent more or less, a tenth of what is no share
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import prod
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import Field

from playproof.database.errors import Collector, InputError, did_you_mean
from playproof.database.field_types import Strict
from playproof.database.game import load_game, load_proposed
from playproof.database.source import Node, parse, read
from playproof.database.validation import check
from playproof.lab.compare import figure_names
from playproof.lab.things import Thing, things_of
from playproof.language.registry import data_of
from playproof.referee.tally import plays_for_score
from playproof.referee.variant import Variant

WORTH = "worth of "
PLAYERS = {"by chance": "random", "careful": "greedy", "searching": "mcts:80"}
"""The bots of the ladder, by the words for players."""
_NEAR, _PART = (
    5.0,
    0.1,
)  # how far a figure may lie from one wanted number: per cent of games, or a part of another
Value = str | int
_Values = Annotated[list[Value], Field(min_length=1)]


class _CardsSpec(Strict):
    cards: Annotated[list[str], Field(min_length=1)]
    path: str = Field(min_length=1)
    from_: Any = Field(alias="from")
    to: Annotated[list[Any], Field(min_length=1)]


class _TargetSpec(Strict):
    bots: list[str] = Field(default=["random"])
    options: dict[str, Value] = Field(default={})
    change: Annotated[dict[str, _Values | Literal["all"] | _CardsSpec], Field(min_length=1)]
    change_at_most: Annotated[int, Field(ge=1)] | None = None
    want: Annotated[
        dict[str, Annotated[list[float | int], Field(min_length=2, max_length=2)] | float | int],
        Field(min_length=1),
    ]


@dataclass(frozen=True)
class Knob:
    """Something that may change, with its values in order. `cards` is empty for an option or a ruling; else these
    cards have the value `before` at `path`. `now` is the place of the value that the game has, if it is among them."""

    name: str
    values: tuple[Any, ...]
    cards: tuple[str, ...] = ()
    path: str = ""
    before: Any = None
    now: int | None = None


@dataclass(frozen=True)
class DesignTarget:
    """What is wanted of a game's figures (low and high, shares as parts of 1), and what may change: all of it, or at
    most so many knobs (`most`)."""

    ref: str
    bots: tuple[str, ...]
    options: Mapping[str, str]
    knobs: tuple[Knob, ...]
    want: Mapping[str, tuple[float, float]]
    units: Mapping[str, str]
    most: int | None = None

    @property
    def ways(self) -> int:
        """How many designs there are."""
        if self.most is None:
            return prod(len(knob.values) for knob in self.knobs)
        changed = [1]  # how many designs change 0, 1, 2 ... knobs
        for knob in self.knobs:
            others = len(knob.values) - 1
            changed = [
                (changed[n] if n < len(changed) else 0) + (others * changed[n - 1] if n else 0)
                for n in range(len(changed) + 1)
            ]
        return sum(changed[: self.most + 1])

    def allows(self, choice: Sequence[int]) -> bool:
        """Return whether a design changes no more than may change."""
        changed = sum(index != knob.now for knob, index in zip(self.knobs, choice, strict=True))
        return self.most is None or changed <= self.most

    def words(self, choice: Sequence[int]) -> str:
        """Return a design in words, as `goal 21, ferryman 1`."""
        return ", ".join(f"{knob.name} {value}" for knob, value in self._chosen(choice))

    def settings(self, choice: Sequence[int]) -> dict[str, str]:
        """Return the options and rulings that a design chooses."""
        return {knob.name: str(value) for knob, value in self._chosen(choice) if not knob.cards}

    def variant(self, choice: Sequence[int]) -> Variant:
        """Return a design as a game. Raises what the rules or the database raise for a design that cannot be."""
        erratum = self.erratum(choice, "a design that is tried")
        cards = load_proposed(self.ref, parse(erratum, "target.yaml")) if erratum else data_of(self.ref)
        return Variant.with_cards(self.ref, cards, {**self.options, **self.settings(choice)})

    def erratum(self, choice: Sequence[int], note: str, reason: str = "") -> str:
        """Return the proposed erratum that makes the cards of a design; "" if it changes no card."""
        changes = [
            {"component": card, "path": knob.path, "from": knob.before, "to": value}
            for knob, value in self._chosen(choice)
            for card in knob.cards
            if value != knob.before
        ]
        if not changes:
            return ""
        head = {"version": _next(self.ref), "date": date.today().isoformat(), "status": "proposed"}
        texts = {"class": "balance", "note": note, **({"reason": reason} if reason else {})}
        return yaml.safe_dump({**head, **texts, "changes": changes}, sort_keys=False, allow_unicode=True)

    def _chosen(self, choice: Sequence[int]) -> Iterator[tuple[Knob, Any]]:
        for knob, index in zip(self.knobs, choice, strict=True):
            yield knob, knob.values[index]


def thing_named(variant: Variant, figure: str) -> Thing:
    """Return the thing that a figure such as `worth of king` is about."""
    return next(thing for thing in things_of(variant) if figure == f"{WORTH}{thing.word}")


def _next(ref: str) -> str:
    """Return the version after a game's last erratum."""
    errata = load_game(ref, errata=False).errata
    head, last = (errata[-1].version if errata else "1.0").rpartition(".")[::2]
    return f"{head or last}.{int(last) + 1 if head and last.isdecimal() else 1}"


def read_target(path: Path, ref: str) -> DesignTarget:
    """Return the target of a file for a game. Raises InputError with all that is wrong."""
    node, collector = read(path), Collector()
    spec = check(_TargetSpec, node, collector, "target: ")
    if spec is None:
        raise InputError(collector.findings)
    fixed = {name: str(value) for name, value in spec.options.items()}
    variant = Variant.with_cards(ref, data_of(ref), fixed)
    settings = variant.offered()
    knobs = [
        knob
        for name, value in spec.change.items()
        if (knob := _knob(name, value, settings, node.at(["change", name]), collector))
    ]
    unit = "" if plays_for_score(variant.game) else "%"
    figures = {
        **dict(figure_names(variant)),
        **{f"{WORTH}{thing.word}": unit for thing in things_of(variant)},
    }
    if spec.change_at_most is not None:
        knobs = [_with_own_value(knob, settings) for knob in knobs]
    want = {}
    for name, wanted in spec.want.items():
        where = node.at(["want", name]).where
        if name not in figures:
            hint = did_you_mean(name, figures) or f"the figures are {', '.join(figures)}"
            collector.add("PP824", where, f"the game has no figure `{name}`", hint)
            continue
        whole = 100.0 if figures[name] == "%" else 1.0
        low, high = wanted if isinstance(wanted, list) else _around(wanted, figures[name])
        if not low < high:
            collector.add("PP824", where, f"`{name}`: expected [least, most], found [{low:g}, {high:g}]")
        want[name] = (low / whole, high / whole)
    collector.check()
    bots = tuple(PLAYERS.get(bot, bot) for bot in spec.bots)
    return DesignTarget(ref, bots, fixed, tuple(knobs), want, figures, spec.change_at_most)


def _around(wanted: float, unit: str) -> tuple[float, float]:
    """Return the least and the most for one wanted number."""
    if unit == "%":
        return max(0.0, wanted - _NEAR), min(100.0, wanted + _NEAR)
    near = abs(wanted) * _PART or _PART
    return wanted - near, wanted + near


def _with_own_value(knob: Knob, settings: Mapping[str, tuple[str, ...]]) -> Knob:
    """Return a knob with the value that the game has among its values: it may stay. An option's usual value stands
    first in what the game offers."""
    own = knob.before if knob.cards else next(iter(settings[knob.name]), None)
    if own is None:
        return knob
    values = knob.values if own in knob.values else (own, *knob.values)
    return replace(knob, values=values, now=values.index(own))


def _knob(
    name: str, spec: Any, settings: Mapping[str, tuple[str, ...]], node: Node, collector: Collector
) -> Knob | None:
    if isinstance(spec, _CardsSpec):
        return Knob(name, tuple(spec.to), tuple(spec.cards), spec.path, spec.from_)
    if name not in settings:
        cards = "cards change by {cards: [...], path: ..., from: ..., to: [...]}"
        hint = did_you_mean(name, settings) or cards
        collector.add("PP824", node.where, f"the game has no option or ruling `{name}`", hint)
        return None
    every = list(settings[name])
    if all(value.isdecimal() for value in every):
        every.sort(key=int)
    if spec == "all" and not every:
        collector.add("PP824", node.where, f"`{name}` takes any text", "list the values to try")
        return None
    values = tuple(every) if spec == "all" else tuple(map(str, spec))
    for value in values:
        if every and value not in every:
            hint = f"one of: {', '.join(every)}"
            collector.add("PP824", node.where, f"`{name}` cannot be {value}", hint)
    return Knob(name, values)

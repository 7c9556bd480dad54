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

from playproof.database.errors import FindingCollector, InputError, did_you_mean
from playproof.database.field_types import StrictModel
from playproof.database.game import load_game, load_game_with_erratum
from playproof.database.source import YamlNode, parse_yaml, read_yaml_file
from playproof.database.validation import validate_node
from playproof.lab.compare import figure_names
from playproof.lab.things import CardLikeThing, find_card_like_things
from playproof.language.registry import load_game_cards
from playproof.referee.tally import is_played_for_score
from playproof.referee.variant import Variant

WORTH = "worth of "
PLAYERS = {"by chance": "random", "careful": "greedy", "searching": "mcts:80"}
"""The bots of the ladder, by the words for players."""
# how far a figure may lie from one wanted number: per cent of games, or a part of another
_NEAR, _PART = (5.0, 0.1)
Value = str | int
_Values = Annotated[list[Value], Field(min_length=1)]


class _CardsSpec(StrictModel):
    cards: Annotated[list[str], Field(min_length=1)]
    path: str = Field(min_length=1)
    from_: Any = Field(alias="from")
    to: Annotated[list[Any], Field(min_length=1)]


class _TargetSpec(StrictModel):
    bots: list[str] = Field(default=["random"])
    options: dict[str, Value] = Field(default={})
    change: Annotated[dict[str, _Values | Literal["all"] | _CardsSpec], Field(min_length=1)]
    change_at_most: Annotated[int, Field(ge=1)] | None = None
    want: Annotated[
        dict[str, Annotated[list[float | int], Field(min_length=2, max_length=2)] | float | int],
        Field(min_length=1),
    ]


@dataclass(frozen=True)
class TunableParameter:
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
    knobs: tuple[TunableParameter, ...]
    want: Mapping[str, tuple[float, float]]
    units: Mapping[str, str]
    most: int | None = None

    @property
    def design_count(self) -> int:
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

    def is_allowed_choice(self, choice: Sequence[int]) -> bool:
        """Return whether a design changes no more than may change."""
        changed = sum(index != knob.now for knob, index in zip(self.knobs, choice, strict=True))
        return self.most is None or changed <= self.most

    def describe_design(self, choice: Sequence[int]) -> str:
        """Return a design in words, as `goal 21, ferryman 1`."""
        return ", ".join(f"{knob.name} {value}" for knob, value in self._iter_chosen_values(choice))

    def settings_of_design(self, choice: Sequence[int]) -> dict[str, str]:
        """Return the options and rulings that a design chooses."""
        return {knob.name: str(value) for knob, value in self._iter_chosen_values(choice) if not knob.cards}

    def build_variant(self, choice: Sequence[int]) -> Variant:
        """Return a design as a game. Raises what the rules or the database raise for a design that cannot be."""
        erratum = self.make_erratum_yaml(choice, "a design that is tried")
        cards = (
            load_game_with_erratum(self.ref, parse_yaml(erratum, "target.yaml"))
            if erratum
            else load_game_cards(self.ref)
        )
        return Variant.with_cards(self.ref, cards, {**self.options, **self.settings_of_design(choice)})

    def make_erratum_yaml(self, choice: Sequence[int], note: str, reason: str = "") -> str:
        """Return the proposed erratum that makes the cards of a design; "" if it changes no card."""
        changes = [
            {"component": card, "path": knob.path, "from": knob.before, "to": value}
            for knob, value in self._iter_chosen_values(choice)
            for card in knob.cards
            if value != knob.before
        ]
        if not changes:
            return ""
        head = {
            "version": _next_erratum_version(self.ref),
            "date": date.today().isoformat(),
            "status": "proposed",
        }
        texts = {"class": "balance", "note": note, **({"reason": reason} if reason else {})}
        return yaml.safe_dump({**head, **texts, "changes": changes}, sort_keys=False, allow_unicode=True)

    def _iter_chosen_values(self, choice: Sequence[int]) -> Iterator[tuple[TunableParameter, Any]]:
        for knob, index in zip(self.knobs, choice, strict=True):
            yield knob, knob.values[index]


def find_thing_for_figure(variant: Variant, figure: str) -> CardLikeThing:
    """Return the thing that a figure such as `worth of king` is about."""
    return next(thing for thing in find_card_like_things(variant) if figure == f"{WORTH}{thing.word}")


def _next_erratum_version(ref: str) -> str:
    """Return the version after a game's last erratum."""
    errata = load_game(ref, errata=False).errata
    head, last = (errata[-1].version if errata else "1.0").rpartition(".")[::2]
    return f"{head or last}.{int(last) + 1 if head and last.isdecimal() else 1}"


def read_target(path: Path, ref: str) -> DesignTarget:
    """Return the target of a file for a game. Raises InputError with all that is wrong."""
    node, collector = read_yaml_file(path), FindingCollector()
    spec = validate_node(_TargetSpec, node, collector, "target: ")
    if spec is None:
        raise InputError(collector.findings)
    fixed = {name: str(value) for name, value in spec.options.items()}
    variant = Variant.with_cards(ref, load_game_cards(ref), fixed)
    settings = variant.list_setting_values()
    knobs = [
        knob
        for name, value in spec.change.items()
        if (knob := _parse_knob(name, value, settings, node.get_nearest(["change", name]), collector))
    ]
    unit = "" if is_played_for_score(variant.game) else "%"
    figures = {
        **dict(figure_names(variant)),
        **{f"{WORTH}{thing.word}": unit for thing in find_card_like_things(variant)},
    }
    if spec.change_at_most is not None:
        knobs = [_add_current_value(knob, settings) for knob in knobs]
    want = {}
    for name, wanted in spec.want.items():
        where = node.get_nearest(["want", name]).where
        if name not in figures:
            hint = did_you_mean(name, figures) or f"the figures are {', '.join(figures)}"
            collector.add_finding("PP824", where, f"the game has no figure `{name}`", hint)
            continue
        whole = 100.0 if figures[name] == "%" else 1.0
        low, high = wanted if isinstance(wanted, list) else _range_around(wanted, figures[name])
        if not low < high:
            collector.add_finding(
                "PP824", where, f"`{name}`: expected [least, most], found [{low:g}, {high:g}]"
            )
        want[name] = (low / whole, high / whole)
    collector.raise_if_errors()
    bots = tuple(PLAYERS.get(bot, bot) for bot in spec.bots)
    return DesignTarget(ref, bots, fixed, tuple(knobs), want, figures, spec.change_at_most)


def _range_around(target_value: float, unit: str) -> tuple[float, float]:
    """Return the least and the most for one wanted number."""
    if unit == "%":
        return max(0.0, target_value - _NEAR), min(100.0, target_value + _NEAR)
    near = abs(target_value) * _PART or _PART
    return target_value - near, target_value + near


def _add_current_value(knob: TunableParameter, settings: Mapping[str, tuple[str, ...]]) -> TunableParameter:
    """Return a knob with the value that the game has among its values: it may stay. An option's usual value stands
    first in what the game offers."""
    own = knob.before if knob.cards else next(iter(settings[knob.name]), None)
    if own is None:
        return knob
    values = knob.values if own in knob.values else (own, *knob.values)
    return replace(knob, values=values, now=values.index(own))


def _parse_knob(
    name: str, spec: Any, settings: Mapping[str, tuple[str, ...]], node: YamlNode, collector: FindingCollector
) -> TunableParameter | None:
    if isinstance(spec, _CardsSpec):
        return TunableParameter(name, tuple(spec.to), tuple(spec.cards), spec.path, spec.from_)
    if name not in settings:
        cards = "cards change by {cards: [...], path: ..., from: ..., to: [...]}"
        hint = did_you_mean(name, settings) or cards
        collector.add_finding("PP824", node.where, f"the game has no option or ruling `{name}`", hint)
        return None
    every = list(settings[name])
    if all(value.isdecimal() for value in every):
        every.sort(key=int)
    if spec == "all" and not every:
        collector.add_finding("PP824", node.where, f"`{name}` takes any text", "list the values to try")
        return None
    values = tuple(every) if spec == "all" else tuple(map(str, spec))
    for value in values:
        if every and value not in every:
            hint = f"one of: {', '.join(every)}"
            collector.add_finding("PP824", node.where, f"`{name}` cannot be {value}", hint)
    return TunableParameter(name, values)

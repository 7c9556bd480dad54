"""What cards print, as rows that can be counted: one row a card, a copy, an option, or an effect.

A row has names. Those of a card's fields: `kind`, `level`, `cost.any`. Those of its effects, each with the sum
of what it prints: `gain.food` is how much Food the row gains, `gain` how much of everything, `item.I01` how
often it gives that item. Where a slash lets the player choose, a name counts the alternative with the most of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from types import MappingProxyType
from typing import Any, TypeAlias

from playproof.database.components import Component, Effect, Either, Option, Provenance, Words, effects_in
from playproof.database.errors import Where

EACH = ("card", "copy", "option", "effect")
Numbers: TypeAlias = Mapping[str, int]
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Row:
    """One row: its name for people, its numbers and texts by name, how many copies it stands for, and what the card
    prints there (`printed`), from which a worth is counted."""

    name: str
    numbers: Numbers
    texts: Mapping[str, str]
    weight: int = 1
    printed: tuple[tuple[str, object], ...] = ()


def rows(cards: Iterable[Component], each: str) -> list[Row]:
    """Return the rows of cards, in their order."""
    made = {"card": _of_card, "copy": _of_card, "option": _of_options, "effect": _of_effects}[each]
    return [row for card in cards for row in made(card, each)]


def _of_card(card: Component, each: str) -> Iterator[Row]:
    printed = tuple(card.fields.items())
    weight = card.count if each == "copy" else 1
    numbers, texts = _plainly(card)
    yield Row(card.id, {**totals(printed), **numbers}, texts, weight, printed)


def _of_options(card: Component, each: str) -> Iterator[Row]:
    numbers, texts = _plainly(card)
    for option in card.options:
        printed = (
            ("cost", option.cost),
            ("effects", option.effects),
            ("to", option.to),
            ("needs", option.needs),
        )
        own = {"option": option.letter, "to": option.to, "needs": option.needs}
        yield Row(f"{card.id} {option.letter}", {**totals(printed), **numbers}, {**texts, **own}, 1, printed)


def _of_effects(card: Component, each: str) -> Iterator[Row]:
    """Yield a row for each term of each effect: its `field`, `effect`, `term` and `amount`."""
    numbers, texts = _plainly(card)
    for place, own, effect in _effects(card):
        for term, amount in _terms(effect):
            name = " ".join(filter(None, (card.id, own.get("option", ""), effect.op, term)))
            more = {**texts, **own, "field": place, "effect": effect.op, "term": term}
            yield Row(name, {**numbers, "amount": amount}, more)


def _effects(card: Component) -> Iterator[tuple[str, dict[str, str], Effect]]:
    """Yield each effect of a card with the field that holds it, and the option."""
    for option in card.options:
        own = {"option": option.letter, "to": option.to, "needs": option.needs}
        yield from (("cost", own, effect) for effect in option.cost)
        yield from (("effects", own, effect) for effect in effects_in(option.effects))
    for name, value in card.fields.items():
        if not (isinstance(value, tuple) and any(isinstance(item, Option) for item in value)):
            yield from ((name, {}, effect) for effect in effects_in(value))


def _plainly(card: Component) -> tuple[dict[str, int], dict[str, str]]:
    """Return the plain values of a card: its numbers, and its texts."""
    values = {"name": card.name, **card.fields, "id": card.id, "kind": card.kind, "count": card.count}
    numbers = {name: int(value) for name, value in values.items() if isinstance(value, int)}
    return numbers, {name: value for name, value in values.items() if isinstance(value, str)}


# -- what is printed, as numbers ----------------------------------------------------------------------------------


def totals(printed: Iterable[tuple[str, object]]) -> dict[str, int]:
    """Return the numbers of what is printed in several fields, by name."""
    counted = Counter[str]()
    for name, value in printed:
        for part, number in _numbers(name, value).items():
            counted[part] += number
    return dict(counted)


def _numbers(name: str, value: object) -> Numbers:
    """Return the numbers of one value: those below its own name, and those of its effects."""
    match value:
        case Words() | None | float() | "":
            return _NONE
        case bool() | int():
            return {name: int(value)}
        case str():
            return {f"{name}.{value}": 1}
        case Effect():
            return _of_effect(value)
        case Either():
            ways = [totals((name, effect) for effect in way) for way in value.alternatives]
            parts = dict.fromkeys(chain.from_iterable(ways))
            return {part: max(way.get(part, 0) for way in ways) for part in parts}
        case Option():
            return totals([(name, value.cost), (name, value.effects)])
        case tuple():
            return _of_list(name, value)
        case Mapping():
            inner = totals((f"{name}.{key}", part) for key, part in value.items())
            plain = [part for part in value.values() if isinstance(part, int)]
            return {**inner, name: sum(plain)} if plain else inner
    return _NONE


def _of_list(name: str, value: tuple[object, ...]) -> Numbers:
    """Return the numbers of a list; texts in it are also counted together."""
    inner = totals((name, item) for item in value)
    texts = sum(isinstance(item, str) for item in value)
    return {**inner, name: texts} if texts else inner


def _of_effect(effect: Effect) -> Numbers:
    counted = Counter[str]()
    for term, number in _terms(effect):
        counted[effect.op] += number
        if term:
            counted[f"{effect.op}.{term}"] += number
    return counted


def _terms(effect: Effect) -> list[tuple[str, int]]:
    """Return what an effect speaks of, and how much of each: `gain: {food: 2}` of food, 2; `call: "120"` of 120,
    once; `draw: 2` of nothing by name, 2. An effect without numbers happens once."""
    terms = list[tuple[str, int]]()
    for value in effect.args.values():
        match value:
            case bool():
                continue
            case int():
                terms.append(("", value))
            case str():
                terms.append((value, 1))
            case Mapping():
                terms += [(str(key), part) for key, part in value.items() if isinstance(part, int)]
            case tuple():
                terms += [(item, 1) for item in value if isinstance(item, str)]
    return terms or [("", 1)]


# -- worth --------------------------------------------------------------------------------------------------------


def worth(printed: Iterable[tuple[str, object]], table: Numbers) -> int:
    """Return what is printed is worth by a designer's table. Of a slash the best alternative counts."""
    return sum(_worth(name, value, table) for name, value in printed)


def _worth(name: str, value: object, table: Numbers) -> int:
    match value:
        case Either():
            return max(worth(((name, effect) for effect in way), table) for way in value.alternatives)
        case Option():
            return worth([("cost", value.cost), ("effects", value.effects), ("to", value.to)], table)
        case tuple() if any(isinstance(item, Either | Option) for item in value):
            return worth(((name, item) for item in value), table)
    return sum(table.get(part, 0) * number for part, number in _numbers(name, value).items())


# -- content ------------------------------------------------------------------------------------------------------


def content(value: object) -> Any:
    """Return a card, or what it prints, as data without places and sources: equal data are equal cards."""
    if isinstance(value, Where | Provenance | Words) or value is None:
        return None
    if isinstance(value, Mapping):
        return {str(key): content(part) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [content(part) for part in value]
    if is_dataclass(value) and not isinstance(value, type):
        return [type(value).__name__, *(content(getattr(value, field.name)) for field in fields(value))]
    return str(value) if isinstance(value, float) else value

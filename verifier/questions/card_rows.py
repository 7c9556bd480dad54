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

from playproof.database.components import (
    Component,
    Effect,
    Either,
    Option,
    Provenance,
    Words,
    iter_effects_nested_in_value,
)
from playproof.database.errors import Where

EACH = ("card", "copy", "option", "effect")
NumbersByName: TypeAlias = Mapping[str, int]
_NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class CardRow:
    """One row: its name for people, its numbers and texts by name, how many copies it stands for, and what the card
    prints there (`printed`), from which a worth is counted."""

    name: str
    numbers: NumbersByName
    texts: Mapping[str, str]
    weight: int = 1
    printed: tuple[tuple[str, object], ...] = ()


def build_rows_of_cards(cards: Iterable[Component], row_kind: str) -> list[CardRow]:
    """Return the rows of cards, in their order."""
    made = {
        "card": _iter_single_row_of_card,
        "copy": _iter_single_row_of_card,
        "option": _iter_rows_of_card_options,
        "effect": _iter_rows_of_card_effect_terms,
    }[row_kind]
    return [row for card in cards for row in made(card, row_kind)]


def _iter_single_row_of_card(card: Component, row_kind: str) -> Iterator[CardRow]:
    printed = tuple(card.fields.items())
    weight = card.count if row_kind == "copy" else 1
    numbers, texts = _split_card_into_numbers_and_texts(card)
    yield CardRow(card.id, {**sum_numbers_of_printed_fields(printed), **numbers}, texts, weight, printed)


def _iter_rows_of_card_options(card: Component, row_kind: str) -> Iterator[CardRow]:
    numbers, texts = _split_card_into_numbers_and_texts(card)
    for option in card.options:
        printed = (("cost", option.cost), ("effects", option.effects), ("to", option.to), ("needs", option.needs))
        own = {"option": option.letter, "to": option.to, "needs": option.needs}
        yield CardRow(
            f"{card.id} {option.letter}",
            {**sum_numbers_of_printed_fields(printed), **numbers},
            {**texts, **own},
            1,
            printed,
        )


def _iter_rows_of_card_effect_terms(card: Component, row_kind: str) -> Iterator[CardRow]:
    """Yield a row for each term of each effect: its `field`, `effect`, `term` and `amount`."""
    numbers, texts = _split_card_into_numbers_and_texts(card)
    for place, own, effect in _iter_effects_with_field_and_option(card):
        for term, amount in _list_terms_and_amounts_of_effect(effect):
            name = " ".join(filter(None, (card.id, own.get("option", ""), effect.op, term)))
            more = {**texts, **own, "field": place, "effect": effect.op, "term": term}
            yield CardRow(name, {**numbers, "amount": amount}, more)


def _iter_effects_with_field_and_option(card: Component) -> Iterator[tuple[str, dict[str, str], Effect]]:
    """Yield each effect of a card with the field that holds it, and the option."""
    for option in card.options:
        own = {"option": option.letter, "to": option.to, "needs": option.needs}
        yield from (("cost", own, effect) for effect in option.cost)
        yield from (("effects", own, effect) for effect in iter_effects_nested_in_value(option.effects))
    for name, value in card.fields.items():
        if not (isinstance(value, tuple) and any(isinstance(item, Option) for item in value)):
            yield from ((name, {}, effect) for effect in iter_effects_nested_in_value(value))


def _split_card_into_numbers_and_texts(card: Component) -> tuple[dict[str, int], dict[str, str]]:
    """Return the plain values of a card: its numbers, and its texts."""
    values = {"name": card.name, **card.fields, "id": card.id, "kind": card.kind, "count": card.count}
    numbers = {name: int(value) for name, value in values.items() if isinstance(value, int)}
    return numbers, {name: value for name, value in values.items() if isinstance(value, str)}


# -- what is printed, as numbers ----------------------------------------------------------------------------------


def sum_numbers_of_printed_fields(printed_fields: Iterable[tuple[str, object]]) -> dict[str, int]:
    """Return the numbers of what is printed in several fields, by name."""
    counted = Counter[str]()
    for name, value in printed_fields:
        for part, number in _count_numbers_in_printed_value(name, value).items():
            counted[part] += number
    return dict(counted)


def _count_numbers_in_printed_value(field_name: str, printed_value: object) -> NumbersByName:
    """Return the numbers of one value: those below its own name, and those of its effects."""
    match printed_value:
        case Words() | None | float() | "":
            return _NONE
        case bool() | int():
            return {field_name: int(printed_value)}
        case str():
            return {f"{field_name}.{printed_value}": 1}
        case Effect():
            return _sum_effect_amounts_by_op_and_term(printed_value)
        case Either():
            ways = [
                sum_numbers_of_printed_fields((field_name, effect) for effect in way)
                for way in printed_value.alternatives
            ]
            parts = dict.fromkeys(chain.from_iterable(ways))
            return {part: max(way.get(part, 0) for way in ways) for part in parts}
        case Option():
            return sum_numbers_of_printed_fields(
                [(field_name, printed_value.cost), (field_name, printed_value.effects)]
            )
        case tuple():
            return _count_numbers_in_printed_list(field_name, printed_value)
        case Mapping():
            inner = sum_numbers_of_printed_fields((f"{field_name}.{key}", part) for key, part in printed_value.items())
            plain = [part for part in printed_value.values() if isinstance(part, int)]
            return {**inner, field_name: sum(plain)} if plain else inner
    return _NONE


def _count_numbers_in_printed_list(field_name: str, printed_list: tuple[object, ...]) -> NumbersByName:
    """Return the numbers of a list; texts in it are also counted together."""
    inner = sum_numbers_of_printed_fields((field_name, item) for item in printed_list)
    texts = sum(isinstance(item, str) for item in printed_list)
    return {**inner, field_name: texts} if texts else inner


def _sum_effect_amounts_by_op_and_term(effect: Effect) -> NumbersByName:
    counted = Counter[str]()
    for term, number in _list_terms_and_amounts_of_effect(effect):
        counted[effect.op] += number
        if term:
            counted[f"{effect.op}.{term}"] += number
    return counted


def _list_terms_and_amounts_of_effect(effect: Effect) -> list[tuple[str, int]]:
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


def compute_worth_of_printed_fields(printed_fields: Iterable[tuple[str, object]], worth_table: NumbersByName) -> int:
    """Return what is printed is worth by a designer's table. Of a slash the best alternative counts."""
    return sum(_compute_worth_of_printed_value(name, value, worth_table) for name, value in printed_fields)


def _compute_worth_of_printed_value(field_name: str, printed_value: object, worth_table: NumbersByName) -> int:
    match printed_value:
        case Either():
            return max(
                compute_worth_of_printed_fields(((field_name, effect) for effect in way), worth_table)
                for way in printed_value.alternatives
            )
        case Option():
            return compute_worth_of_printed_fields(
                [("cost", printed_value.cost), ("effects", printed_value.effects), ("to", printed_value.to)],
                worth_table,
            )
        case tuple() if any(isinstance(item, Either | Option) for item in printed_value):
            return compute_worth_of_printed_fields(((field_name, item) for item in printed_value), worth_table)
    return sum(
        worth_table.get(part, 0) * number
        for part, number in _count_numbers_in_printed_value(field_name, printed_value).items()
    )


# -- content ------------------------------------------------------------------------------------------------------


def card_content_to_comparable_json(content: object) -> Any:
    """Return a card, or what it prints, as data without places, sources and what says how it is called: equal data are
    equal cards."""
    if isinstance(content, Where | Provenance | Words) or content is None:
        return None
    if isinstance(content, Mapping):
        return {str(key): card_content_to_comparable_json(part) for key, part in content.items()}
    if isinstance(content, tuple | list):
        return [card_content_to_comparable_json(part) for part in content]
    if is_dataclass(content) and not isinstance(content, type):
        return [
            type(content).__name__,
            *(
                card_content_to_comparable_json(getattr(content, field.name))
                for field in fields(content)
                if not field.metadata.get("is_label")
            ),
        ]
    return ["float", str(content)] if isinstance(content, float) else content

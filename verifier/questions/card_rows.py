"""What cards print, as rows that can be counted: one row a card, a copy, an option, or an effect.

A row has names. Those of a card's fields: `kind`, `level`, `cost.any`. Those of its effects, each with the sum
of what it prints: `gain.food` is how much Food the row gains, `gain` how much of everything, `item.I01` how
often it gives that item. Where a slash lets the player choose, a name counts the alternative with the most of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
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
ChooseAlternative: TypeAlias = Callable[[Sequence[NumbersByName]], NumbersByName]


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


def sum_numbers_of_printed_fields(
    printed_fields: Iterable[tuple[str, object]], choose: ChooseAlternative | None = None
) -> NumbersByName:
    """Return the numbers of what is printed in several fields, by name. Of a slash `choose` takes one alternative;
    without it, each name counts the one with the most of it."""
    counted = Counter[str]()
    for name, value in printed_fields:
        for part, number in _count_numbers_in_printed_value(name, value, choose).items():
            counted[part] += number
    return counted


def compute_worth_of_printed_fields(printed_fields: Iterable[tuple[str, object]], worth_table: NumbersByName) -> int:
    """Return what is printed is worth by a designer's table. Of a slash the best alternative counts."""

    def compute_worth(numbers: NumbersByName) -> int:
        return sum(worth_table.get(part, 0) * number for part, number in numbers.items())

    return compute_worth(sum_numbers_of_printed_fields(printed_fields, lambda ways: max(ways, key=compute_worth)))


def _count_numbers_in_printed_value(
    field_name: str, printed_value: object, choose: ChooseAlternative | None
) -> NumbersByName:
    """Return the numbers of one value: those below its own name, and those of its effects. Texts of a list, and numbers
    of a mapping, are also counted together."""
    total: int | None = None
    match printed_value:
        case bool() | int():
            return {field_name: int(printed_value)}
        case str() if printed_value:
            return {f"{field_name}.{printed_value}": 1}
        case Effect():
            return _sum_effect_amounts_by_op_and_term(printed_value)
        case Either():
            alternatives = printed_value.alternatives
            ways = [sum_numbers_of_printed_fields(((field_name, e) for e in way), choose) for way in alternatives]
            if choose is not None:
                return choose(ways)
            return {part: max(way.get(part, 0) for way in ways) for part in dict.fromkeys(chain.from_iterable(ways))}
        case Option(cost=cost, effects=effects, to=to):
            parts: list[tuple[str, object]] = [("cost", cost), ("effects", effects), ("to", to)]
        case tuple():
            parts = [(field_name, item) for item in printed_value]
            total = sum(isinstance(item, str) for item in printed_value) or None
        case Mapping():
            parts = [(f"{field_name}.{key}", part) for key, part in printed_value.items()]
            plain = [part for part in printed_value.values() if isinstance(part, int)]
            total = sum(plain) if plain else None
        case _:
            return {}
    inner = sum_numbers_of_printed_fields(parts, choose)
    return inner if total is None else {**inner, field_name: total}


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

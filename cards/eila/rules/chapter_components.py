"""What is on the table in one chapter, read from the card data: facts only, no rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.database.components import (
    Component,
    Effect,
    Option,
    iter_effects_nested_in_value,
    raise_error_of_conflicting_components,
    raise_error_of_unplayable_value,
    require_playable_copy_count,
)
from playproof.database.errors import Where
from playproof.database.game import Game as Data

from .names import Resource

POWERS = {"unlock": "", "always": "widen", "day-start": "arrange", "before-energy": "pay", "heart-loss": "gain"}
"""The effect that an item of each moment has as its power; "" for none. One item can act at a moment, but for Tools
and Baskets."""
SHARED = ("unlock", "always")


@dataclass(frozen=True)
class Card:
    """An event or habit of this chapter. `basic` cards stand in the stand from the start (R6, R36)."""

    id: str
    title: str
    back: str
    basic: bool
    options: tuple[Option, ...]


@dataclass(frozen=True)
class Conversion:
    """A line at the foot of an inventory: pay `cost` of one resource for one of another (R45)."""

    pay: Resource
    cost: int
    gain: Resource


@dataclass(frozen=True)
class Item:
    """An item that can be had in this chapter. `amount` is the number its power speaks of, 0 for the Tool.
    `once` says that it acts once a chapter."""

    id: str
    title: str
    moment: str
    amount: int
    resource: Resource | None
    once: bool


@dataclass(frozen=True)
class Box:
    """One chapter's table: cards in day-one order (greens, then acquired habits), items, goal, tokens."""

    chapter: int
    cards: tuple[Card, ...]
    items: tuple[Item, ...]
    carried: tuple[str, ...]
    goal: tuple[tuple[Resource, int], ...]
    health: int
    track: int
    per_night: int
    supply: Mapping[Resource, int]
    spaces: Mapping[str, int]
    stores: Mapping[str, tuple[Resource, ...]]
    short: frozenset[Resource]
    conversions: tuple[Conversion, ...]
    hearts: int
    where: Where  # of the Goal

    def is_card_in_box(self, ident: str) -> bool:
        """Whether a card is in the box: an erratum may take it out."""
        return any(card.id == ident for card in self.cards)

    def is_item_in_box(self, ident: str) -> bool:
        """Whether an item is in the box."""
        return any(item.id == ident for item in self.items)

    def get_index_of_card(self, ident: str) -> int:
        """The number of a card."""
        return next(n for n, card in enumerate(self.cards) if card.id == ident)

    def get_index_of_item(self, ident: str) -> int:
        """The number of an item."""
        return next(n for n, item in enumerate(self.items) if item.id == ident)

    def list_item_indexes_at_moment(self, moment: str) -> list[int]:
        """Numbers of the items that act at this moment."""
        return [n for n, item in enumerate(self.items) if item.moment == moment]

    def list_resources_in_same_inventory(self, resource: Resource) -> tuple[Resource, ...]:
        """The resources that share an inventory with this one."""
        return next(held for held in self.stores.values() if resource in held)

    def get_count_that_goal_needs(self, resource: Resource) -> int:
        """How many of a resource the goal asks for."""
        return dict(self.goal).get(resource, 0)


def get_resource_by_name(name: str) -> Resource:
    """A resource by the name it has in the data."""
    return Resource[name.upper()]


def list_ids_carried_from_earlier_chapters(data: Data, chapter: int) -> list[str]:
    """Items and habits that an earlier chapter can leave behind, in ascending order (R35)."""
    earlier = [
        c for c in _list_components_not_removed(data, "event") if _get_whole_number_field(c, "chapter") < chapter
    ]
    return sorted(_collect_ids_that_cards_name(earlier, data, ("item", "habit")))


def collect_chapter_components_or_refuse(data: Data, chapter: int, carried: Sequence[str]) -> Box:
    """The table of a chapter, with the items and habits carried into it; habits in the order they shall stand in.
    Raises InputError where the rules cannot play what the cards say."""
    _refuse_impossible_components(data)
    goal = next(c for c in data.of_kind("goal") if c.fields["chapter"] == chapter)
    events = sorted(
        (c for c in _list_components_not_removed(data, "event") if c.fields["chapter"] == chapter), key=lambda c: c.id
    )
    named = _collect_ids_that_cards_name(events, data, ("item", "habit"))
    habits = [i for i in carried if data.components[i].kind == "habit"]
    habits += sorted(i for i in named - set(habits) if data.components[i].kind == "habit")
    named |= _collect_ids_that_cards_name([data.components[h] for h in habits], data, ("item",)) | set(carried)
    order = {"green": 0, "blue": 2, "red": 3}
    components = [*events, *(data.components[h] for h in habits)]
    _refuse_calls_to_other_chapters(components, data, chapter)
    cards = [_build_chapter_card(c, carried) for c in components]
    cards.sort(key=lambda c: order.get(c.back, 1 if c.id in carried else 4))
    return Box(
        chapter=chapter,
        cards=tuple(cards),
        carried=tuple(carried),
        items=tuple(
            _build_item_or_refuse(c, data) for c in _list_components_not_removed(data, "item") if c.id in named
        ),
        goal=_count_goal_spaces_by_resource(goal),
        health=_get_whole_number_field(goal, "health"),
        track=_get_whole_number_field(goal, "track"),
        per_night=_get_whole_number_field(goal, "per_night"),
        supply={r: _count_tokens_of_term(data, "resource", r.name.lower()) for r in Resource},
        spaces={str(c.fields["store"]): _get_whole_number_field(c, "spaces") for c in data.of_kind("inventory")},
        stores=_map_inventories_to_resources(data),
        short=frozenset(r for r in Resource if data.vocabulary.group("resource")[r.name.lower()].spec.short),
        conversions=tuple(_build_conversion_or_refuse(c) for c in data.of_kind("inventory")),
        hearts=_count_tokens_of_term(data, "health", "heart"),
        where=goal.where,
    )


def _list_components_not_removed(data: Data, kind: str) -> list[Component]:
    """The components of a kind that no erratum has taken out."""
    return [c for c in data.of_kind(kind) if c.count > 0]


def _count_tokens_of_term(data: Data, group: str, term: str) -> int:
    """How many tokens of a term there are, as the vocabulary counts them."""
    parts = data.vocabulary.group(group)[term].spec.supply or [f"{term}.count"]
    return sum(data.number(part) or 0 for part in parts)


def _refuse_impossible_components(data: Data) -> None:
    """Check what holds in every chapter, so that no chapter is built from cards that another one refuses."""
    for card in data.of_kind("event", "habit", "item"):
        require_playable_copy_count(card, (0, 1), "a number is called, and one card has it")
    for card in data.of_kind("goal", "inventory"):
        require_playable_copy_count(card, (1,), "each chapter has one Goal, and the player one inventory of each kind")
    for kind, field, wanted in (
        ("goal", "chapter", sorted(map(int, data.facts.options["chapter"].values))),
        ("inventory", "store", sorted(data.vocabulary.group("store"))),
    ):
        found: Any = sorted(c.fields[field] for c in data.of_kind(kind))
        if found != wanted:
            where = data.of_kind(kind)[0].where
            each, listed = (", ".join(map(str, values)) for values in (wanted, found))
            raise_error_of_conflicting_components(
                where, f"one {kind} for each {field}: {each}", listed, f"mend its `{field}`"
            )
    items = [_build_item_or_refuse(c, data) for c in _list_components_not_removed(data, "item")]
    for moment in POWERS:
        same = [i.id for i in items if i.moment == moment]
        if len(same) > 1 and moment not in SHARED:
            where = data.components[same[-1]].where
            raise_error_of_conflicting_components(
                where, f"one item that acts at the moment {moment}", ", ".join(same), "take one out"
            )


def _refuse_calls_to_other_chapters(cards: Sequence[Component], data: Data, chapter: int) -> None:
    """Check that the cards of a chapter call no card of another."""
    for card in cards:
        for option in card.options:
            for effect in iter_effects_nested_in_value(option):
                called = data.components.get(str(effect.args.get("card")))
                if effect.op == "call" and called is not None and called.get("chapter") not in (None, chapter):
                    found = f"{called.id} of chapter {called.get('chapter')}"
                    expected = f"calls of cards of chapter {chapter} on {card.id}"
                    raise_error_of_conflicting_components(option.where, expected, found, "its deck stays in the box")


def _get_whole_number_field(component: Component, name: str) -> int:
    value = component.fields[name]
    if not isinstance(value, int):
        raise TypeError(f"{component.where}: `{name}` of {component.id} is not a whole number")
    return value


def _build_chapter_card(component: Component, carried: Iterable[str]) -> Card:
    back = str(component.fields["back"])
    basic = back == "green" or component.id in carried
    return Card(component.id, component.name, back, basic, component.options)


def _count_goal_spaces_by_resource(goal: Component) -> tuple[tuple[Resource, int], ...]:
    spaces: Any = goal.fields["spaces"]
    return tuple((r, spaces.count(r.name.lower())) for r in Resource if r.name.lower() in spaces)


def _build_conversion_or_refuse(inventory: Component) -> Conversion:
    pay: Any = inventory.fields["pay"]
    gain: Any = inventory.fields["gain"]
    for field, amounts in (("pay", pay), ("gain", gain)):
        if len(amounts) != 1:
            raise_error_of_unplayable_value(inventory, field, "one kind of token", ", ".join(amounts))
    (cost, n), (into, m) = next(iter(pay.items())), next(iter(gain.items()))
    if m != 1:
        raise_error_of_unplayable_value(inventory, "gain", f"1 {into}, since a conversion gains one token at a time", m)
    if cost == into:
        raise_error_of_unplayable_value(inventory, "gain", f"another kind of token than {cost}, which it costs", into)
    return Conversion(get_resource_by_name(cost), n, get_resource_by_name(into))


def _map_inventories_to_resources(data: Data) -> dict[str, tuple[Resource, ...]]:
    """The resources on each inventory, as the vocabulary has them (R38, R39)."""
    terms = data.vocabulary.group("resource")
    return {
        store: tuple(r for r in Resource if terms[r.name.lower()].spec.store == store)
        for store in data.vocabulary.group("store")
    }


def _build_item_or_refuse(component: Component, data: Data) -> Item:
    """An item with its power, which has to be one that the rules know for its moment."""
    moment, once = str(component.fields["moment"]), bool(component.get("once"))
    powers: Any = component.fields["power"] or ()
    wanted = POWERS[moment]
    if [power.op for power in powers] != [wanted] * (wanted != ""):
        expected = f"`{wanted}` alone, since it acts at the moment {moment}" if wanted else "none for a Tool"
        found = ", ".join(power.op for power in powers) or "none"
        raise_error_of_unplayable_value(component, "power", expected, found, "change `moment` and `power` together")
    if once and moment == "always":
        hint = "an item that always works is never used up"
        raise_error_of_unplayable_value(component, "once", "no `once` beside `moment: always`", "true", hint)
    amount, of = 0, None
    for power in powers:
        amounts = power.amounts or {"": next(iter(power.args.values()))}
        name, amount = next(iter(amounts.items()))
        if len(amounts) != 1 or (wanted == "widen" and name != "hand"):
            expected = "more room in the hand" if wanted == "widen" else "one kind of token"
            raise_error_of_unplayable_value(component, "power", expected, ", ".join(amounts))
        of = None if name in ("", *data.vocabulary.group("store")) else get_resource_by_name(name)
    return Item(component.id, component.name, moment, amount, of, once)


def _collect_ids_that_cards_name(cards: Iterable[Component], data: Data, kinds: Sequence[str]) -> set[str]:
    """Ids of these kinds that the cards call, give or need, as far as they are in the box."""
    idents: set[str] = set()
    for card in cards:
        for option in card.options:
            idents |= {option.needs} if option.needs else set()
            for effect in iter_effects_nested_in_value(option):
                idents |= collect_card_or_item_ids_of_effect(effect)
    found = {i: data.components[i] for i in idents if i in data.components}
    return {i for i, c in found.items() if c.kind in kinds and c.count > 0}


def collect_card_or_item_ids_of_effect(effect: Effect) -> set[str]:
    """Ids of the card or items an effect names."""
    if effect.op == "call":
        return {str(effect.args["card"])}
    if effect.op == "item":
        items: Any = effect.args["items"]
        return set(items)
    return set()

"""What is on the table in one chapter, read from the card data: facts only, no rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.database.components import Component, Effect, Option, effects_in
from playproof.database.game import Game as Data

from .names import Resource


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

    def card(self, ident: str) -> int:
        """The number of a card."""
        return next(n for n, card in enumerate(self.cards) if card.id == ident)

    def item(self, ident: str) -> int:
        """The number of an item."""
        return next(n for n, item in enumerate(self.items) if item.id == ident)

    def items_at(self, moment: str) -> list[int]:
        """Numbers of the items that act at this moment."""
        return [n for n, item in enumerate(self.items) if item.moment == moment]

    def store_of(self, resource: Resource) -> tuple[Resource, ...]:
        """The resources that share an inventory with this one."""
        return next(held for held in self.stores.values() if resource in held)

    def need(self, resource: Resource) -> int:
        """How many of a resource the goal asks for."""
        return dict(self.goal).get(resource, 0)


def resource(name: str) -> Resource:
    """A resource by the name it has in the data."""
    return Resource[name.upper()]


def can_be_carried(data: Data, chapter: int) -> list[str]:
    """Items and habits that an earlier chapter can leave behind, in ascending order (R35)."""
    earlier = [c for c in data.of_kind("event") if _whole(c, "chapter") < chapter]
    return sorted(_named(earlier, data, ("item", "habit")))


def open_box(data: Data, chapter: int, carried: Sequence[str]) -> Box:
    """The table of a chapter, with the items and habits carried into it; habits in the order they shall stand in."""
    goal = next(c for c in data.of_kind("goal") if c.fields["chapter"] == chapter)
    events = sorted((c for c in data.of_kind("event") if c.fields["chapter"] == chapter), key=lambda c: c.id)
    named = _named(events, data, ("item", "habit"))
    habits = [i for i in carried if data.components[i].kind == "habit"]
    habits += sorted(i for i in named - set(habits) if data.components[i].kind == "habit")
    named |= _named([data.components[h] for h in habits], data, ("item",)) | set(carried)
    order = {"green": 0, "blue": 2, "red": 3}
    cards = [_card(c, carried) for c in (*events, *(data.components[h] for h in habits))]
    cards.sort(key=lambda c: order.get(c.back, 1 if c.id in carried else 4))
    return Box(
        chapter=chapter,
        cards=tuple(cards),
        carried=tuple(carried),
        items=tuple(_item(c, data) for c in data.of_kind("item") if c.id in named),
        goal=_spaces(goal),
        health=_whole(goal, "health"),
        track=_whole(goal, "track"),
        per_night=_whole(goal, "per_night"),
        supply={r: data.components[r.name.lower()].count for r in Resource},
        spaces={str(c.fields["store"]): _whole(c, "spaces") for c in data.of_kind("inventory")},
        stores=_stores(data),
        short=frozenset(r for r in Resource if data.vocabulary.group("resource")[r.name.lower()].spec.short),
        conversions=tuple(_conversion(c) for c in data.of_kind("inventory")),
    )


def _whole(component: Component, name: str) -> int:
    value = component.fields[name]
    if not isinstance(value, int):
        raise TypeError(f"{component.where}: `{name}` of {component.id} is not a whole number")
    return value


def _card(component: Component, carried: Iterable[str]) -> Card:
    back = str(component.fields["back"])
    basic = back == "green" or component.id in carried
    return Card(component.id, component.name, back, basic, component.options)


def _spaces(goal: Component) -> tuple[tuple[Resource, int], ...]:
    spaces: Any = goal.fields["spaces"]
    return tuple((r, spaces.count(r.name.lower())) for r in Resource if r.name.lower() in spaces)


def _conversion(inventory: Component) -> Conversion:
    pay: Any = inventory.fields["pay"]
    gain: Any = inventory.fields["gain"]
    (cost, n), (into, m) = next(iter(pay.items())), next(iter(gain.items()))
    if len(pay) != 1 or len(gain) != 1 or m != 1 or cost == into:
        raise ValueError(f"{inventory.where}: a conversion pays one kind and gains 1 of another")
    return Conversion(resource(cost), n, resource(into))


def _stores(data: Data) -> dict[str, tuple[Resource, ...]]:
    """The resources on each inventory, as the vocabulary has them (R38, R39)."""
    terms = data.vocabulary.group("resource")
    return {
        store: tuple(r for r in Resource if terms[r.name.lower()].spec.store == store)
        for store in data.vocabulary.group("store")
    }


def _item(component: Component, data: Data) -> Item:
    powers: Any = component.fields["power"]
    amount, of = 0, None
    for power in powers:
        for value in power.args.values():
            if isinstance(value, int):
                amount = value
            for name, n in value.items() if isinstance(value, Mapping) else ():
                amount, of = n, None if name in data.vocabulary.group("store") else resource(name)
    return Item(
        component.id, component.name, str(component.fields["moment"]), amount, of, bool(component.get("once"))
    )


def _named(cards: Iterable[Component], data: Data, kinds: Sequence[str]) -> set[str]:
    """Ids of these kinds that the cards call, give or need."""
    idents: set[str] = set()
    for card in cards:
        for option in card.options:
            idents |= {option.needs} if option.needs else set()
            for effect in effects_in(option):
                idents |= targets(effect)
    return {i for i in idents if data.components[i].kind in kinds}


def targets(effect: Effect) -> set[str]:
    """Ids of the card or items an effect names."""
    if effect.op == "call":
        return {str(effect.args["card"])}
    if effect.op == "item":
        items: Any = effect.args["items"]
        return set(items)
    return set()

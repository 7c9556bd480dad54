"""The names the rules speak with: resources, and the places a card can be in."""

from __future__ import annotations

from enum import IntEnum


class Resource(IntEnum):
    """Six kinds of token: the first three lie on the Hand Inventory, the others on the Heart Inventory (R38, R39)."""

    FOOD = 0
    GOLD = 1
    STONE = 2
    ENERGY = 3
    KNOWLEDGE = 4
    FEAR = 5


HAND = (Resource.FOOD, Resource.GOLD, Resource.STONE)
HEART = (Resource.ENERGY, Resource.KNOWLEDGE, Resource.FEAR)
STORES = {"hand": HAND, "heart": HEART}


def store_of(resource: Resource) -> tuple[Resource, ...]:
    """The resources that share an inventory with this one."""
    return HAND if resource in HAND else HEART


class Place(IntEnum):
    """Where a card is. `FRONT` is the part of the stand whose order is known, `STAND` the rest of it."""

    DECK = 0
    STAND = 1
    FRONT = 2
    PRESENT = 3
    FUTURE = 4
    PAST = 5

"""The names the rules speak with: resources, and the places a card can be in."""

from __future__ import annotations

from enum import IntEnum


class Resource(IntEnum):
    """Six kinds of token. On which inventory each lies, the vocabulary says (`store`)."""

    FOOD = 0
    GOLD = 1
    STONE = 2
    ENERGY = 3
    KNOWLEDGE = 4
    FEAR = 5


class CardPlace(IntEnum):
    """Where a card is. `FRONT` is the part of the stand whose order is known, `STAND` the rest of it."""

    DECK = 0
    STAND = 1
    FRONT = 2
    PRESENT = 3
    FUTURE = 4
    PAST = 5

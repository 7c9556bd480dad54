"""The cards as the rules need them: small typed values made from the card database."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .board import Site

Cost = tuple[int, int, int, int]
"""Soul, Power, Wisdom, and mana of any kind."""


class EffectOperation(IntEnum):
    """One step of a card's effect; its number is the step's argument."""

    END = 0
    DRAW = 1  # n cards
    SOUL = 2  # gain n
    POWER = 3
    WISDOM = 4
    ANY_MANA = 5  # gain n of one kind of your choice
    BLUE = 6  # move the Atlas Token n spaces
    RED = 7
    YELLOW = 8
    ANY_ATLAS = 9  # n spaces, each with a token of your choice
    RECOVER = 10  # up to n units from exhausted to camp
    ATTACK = 11  # + n AP in the combat that is going on
    PASS = 12  # this turn locked regions of level n or less are open to your units
    TIRELESS = 13  # this turn corrupting exhausts nobody
    AGAIN = 14  # your units may act once more
    RELOCATE = 15  # one unit on the board moves
    ROUT = 16  # one enemy unit on a site of level n or less is exhausted
    REROLL = 17  # your combat dice
    REFRESH = 18  # three new cards in the shop
    SALVAGE = 19  # one card from a discard pile


class Bonus(IntEnum):
    """What a Loyalty Card gives all game long."""

    ATTACK = 0  # AP in every combat
    CAMP = 1  # camp size
    UNLOCK = 2  # mana less for each region unlocked
    DRAW = 3  # cards more from the first excavation of a turn
    TACTICS = 4  # Wisdom with each Tactics Card
    SALE = 5  # mana more for a card sold
    RECOVER = 6  # units recovered free each turn beyond the first


class Skill(IntEnum):
    """What a Mercenary does beyond a Basic Unit."""

    EXCAVATE = 0  # cards more
    TACTICS = 1  # mana more
    ATTACK = 2  # AP attacking
    DEFEND = 3  # AP defending
    CORRUPT = 4  # mana less
    TRADE = 5  # sales more while in Port


Script = tuple[tuple[EffectOperation, int], ...]


@dataclass(frozen=True, slots=True)
class Artifact:
    """A card held in hand: its deck, the play symbols it matches, whether it returns to hand, its effect."""

    id: str
    name: str
    deck: int
    expedition: bool
    tactics: bool
    combat: bool
    returns: bool
    script: Script


@dataclass(frozen=True, slots=True)
class Location:
    """A card in a slot; `slot` is None where it fits any. `mana` of `kind` comes with each Tactics Card."""

    id: str
    name: str
    deck: int
    slot: int | None
    camp: int
    attack: int
    mana: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Mercenary:
    """A unit for hire."""

    id: str
    name: str
    cost: Cost
    skill: Skill
    amount: int


@dataclass(frozen=True, slots=True)
class Consumable:
    """A shop card that is played at any time."""

    id: str
    name: str
    cost: Cost
    script: Script


@dataclass(frozen=True, slots=True)
class LoyaltyCard:
    """A Loyalty Card: starting mana and one lasting bonus. `deck` is the player deck (colour) it is in."""

    id: str
    name: str
    deck: int
    mana: tuple[int, int, int]
    bonus: Bonus
    amount: int


@dataclass(frozen=True, slots=True)
class Mat:
    """What is printed on every mat: units the camp holds, mana to unlock levels 1 to 4, length of the mana tracks."""

    camp: int
    unlock: tuple[int, ...]
    track: int


@dataclass(frozen=True, slots=True)
class Cards:
    """Everything printed that the rules read."""

    artifacts: tuple[Artifact, ...]
    locations: tuple[Location, ...]
    mercenaries: tuple[Mercenary, ...]
    consumables: tuple[Consumable, ...]
    loyalties: tuple[LoyaltyCard, ...]
    sites: tuple[Site, ...]
    mat: Mat
    wheels: dict[str, tuple[str, ...]]
    combat_die: tuple[int, ...]
    colour_die: tuple[int, ...]
    level_die: tuple[int, ...]
    first_camp: int
    combat_dice: int
    offering: int
    tokens: int
    units: int

    @property
    def scripts(self) -> tuple[Script, ...]:
        """Effects by script number: artifacts first, then consumables."""
        return (*(c.script for c in self.artifacts), *(c.script for c in self.consumables))

    @property
    def shop_costs(self) -> tuple[Cost, ...]:
        """The cost of each shop card: mercenaries first, then consumables."""
        return (*(c.cost for c in self.mercenaries), *(c.cost for c in self.consumables))

    @property
    def shop_names(self) -> tuple[str, ...]:
        """Names of the shop cards, in the same order."""
        return (*(c.name for c in self.mercenaries), *(c.name for c in self.consumables))

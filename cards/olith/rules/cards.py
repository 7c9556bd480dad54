"""The words of the board (R4, R12-R14) and the cards as the rules need them: small typed values made from
the card database."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

# -- board ---------------------------------------------------------------------------------------------------
# The words of the board: colours, kinds of mana, decks, slots, and what a site is (R4, R12-R14).


class Mana(IntEnum):
    """Kinds of mana. A region's colour is numbered like the mana it gives: blue, red, yellow."""

    SOUL = 0
    POWER = 1
    WISDOM = 2


class ActionCard(IntEnum):
    """The Action Card lying in the play area; NOTHING outside an Action Turn."""

    NOTHING = 0
    EXPEDITION = 1
    TACTICS = 2
    COMBAT = 3


class Slot(IntEnum):
    """Location slots of a mat."""

    MOUNTAIN = 0
    VALLEY = 1
    FOREST = 2


class SiteCondition(IntEnum):
    """What lies on a site."""

    BLANK = 0
    EXCAVATED = 1
    CORRUPTED = 2


class ExcavationMark(IntEnum):
    """Whether a site was excavated in this turn: by the unit there, or by one that a card has moved away since."""

    NO = 0
    HERE = 1
    MOVED = 2


COLOURS = ("blue", "red", "yellow")
LEVELS = 4
DECKS = ("level 1", "blue 2", "red 2", "yellow 2", "blue 3", "red 3", "yellow 3", "level 4")


@dataclass(frozen=True, slots=True)
class Site:
    """One square of the board."""

    colour: int
    level: int
    letter: str

    def __str__(self) -> str:
        return f"{COLOURS[self.colour]} {self.level}{self.letter}"


def get_deck_index_of_region(colour: int, level: int) -> int:
    """The deck a region draws from: levels 1 and 4 share theirs (R46)."""
    return {1: 0, LEVELS: len(DECKS) - 1}.get(level, 1 + colour + 3 * (level - 2))


# The cards as the rules need them: small typed values made from the card database.

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

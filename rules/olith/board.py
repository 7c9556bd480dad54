"""The board as constants: colours, kinds of mana, regions, sites, decks and kinds of unit (R4, R12-R14)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Mana(IntEnum):
    """Kinds of mana. A region's colour is numbered like the mana it gives: blue, red, yellow."""

    SOUL = 0
    POWER = 1
    WISDOM = 2


class Play(IntEnum):
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


class Dug(IntEnum):
    """What lies on a site."""

    BLANK = 0
    EXCAVATED = 1
    CORRUPTED = 2


COLOURS = ("blue", "red", "yellow")
LEVELS = 4
SITES_PER_LEVEL = (4, 3, 2, 1)
DECKS = ("level 1", "blue 2", "red 2", "yellow 2", "blue 3", "red 3", "yellow 3", "level 4")
TOKENS = 8
BASIC_UNITS = 4
CAMP_SIZE = 2
UNLOCK_COST = (0, 0, 2, 4, 6)  # by the level that is unlocked (R59)


@dataclass(frozen=True, slots=True)
class Site:
    """One square of the board."""

    colour: int
    level: int
    letter: str

    def __str__(self) -> str:
        return f"{COLOURS[self.colour]} {self.level}{self.letter}"


SITES = tuple(Site(colour, level, "abcd"[i]) for colour in range(len(COLOURS)) for level in range(1, LEVELS + 1)
              for i in range(SITES_PER_LEVEL[level - 1]))
SITE_NAMES = tuple(map(str, SITES))
TOP_SITES = tuple(i for i, site in enumerate(SITES) if site.level == LEVELS)


def deck_of(colour: int, level: int) -> int:
    """The deck a region draws from: levels 1 and 4 share theirs (R46)."""
    return {1: 0, LEVELS: len(DECKS) - 1}.get(level, 1 + colour + 3 * (level - 2))


def site(name: str) -> int:
    """A site's number by its name, such as "red 1a". Raises ValueError."""
    return SITE_NAMES.index(name)

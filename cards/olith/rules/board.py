"""The words of the board: colours, kinds of mana, decks, slots, and what a site is (R4, R12-R14)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


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

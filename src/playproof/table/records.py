"""What a table keeps besides its match: who sits there, proposals, lines of the log, notes, tables that went on from
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

DESCRIPTIONS = "descriptions"  # in the folder of the journals
MOST_NOTES, LONGEST_NOTE = 100, 300  # of each seat, and of all who watch together
_SHOWN_NOTES, _SHOWN_OF_WATCHING = 30, 10  # on a page: the latest of those who play, and of those who watch


def get_description_path(folder: Path, digest: str) -> Path:
    """Return the file beside the journals that keeps a description, so that a game goes on as it began whatever
    becomes of its rules."""
    return folder / DESCRIPTIONS / f"{digest}.json"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Something that all people at the table must agree to: to go back to a step, here or at a
    new table."""

    kind: str
    step: int
    by: int
    agreed: frozenset[int]


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line of the log: the actor (a seat, CHANCE or AUTOMATIC), its name ("" for an automatic
    phase), and the words for the seat that reads it."""

    actor: int
    who: str
    words: str


@dataclass(slots=True)
class Branch:
    """Another table at which play goes on from a step. `tokens` are the secrets of the seats
    there, "" for a seat whose owner has left this table."""

    step: int
    ident: str
    tokens: list[str]


@dataclass(frozen=True, slots=True)
class Note:
    """A note that somebody wrote, and the step after which it was written."""

    step: int
    who: str
    text: str


def select_latest_notes(notes: Sequence[Note], spectator_name: str) -> list[Note]:
    """Return the notes that a page shows: those who watch cannot push those of the players away."""
    of_watching = [note for note in notes if note.who == spectator_name]
    dropped = {id(note) for note in of_watching[:-_SHOWN_OF_WATCHING]}
    dropped |= {id(note) for note in [n for n in notes if n.who != spectator_name][:-_SHOWN_NOTES]}
    return [note for note in notes if id(note) not in dropped]


LONGEST_NAME = 24
COLOURS = ("blue", "red", "green", "violet", "orange", "turquoise", "pink", "grey")
"""What a person may choose, in the order of the style sheet. A seat has the colour of its number until then."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a seat. `name` is "" for somebody who gave none; `colour` is a number in COLOURS."""

    name: str = ""
    colour: int = 0


def clean_to_one_line(text: str, max_length: int) -> str:
    """Return what somebody typed as one line of printable letters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:max_length].strip()

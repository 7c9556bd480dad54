"""Who the people at a table are: the name and the colour that each chose, and what each wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MOST_NOTES, LONGEST_NOTE = 100, 300  # of each seat, and of all who watch together
LONGEST_NAME = 24
COLOURS = ("blue", "red", "green", "violet", "orange", "turquoise", "pink", "grey")
"""What a person may choose, in the order of the style sheet. A seat has the colour of its number until then."""

_SHOWN_NOTES, _SHOWN_OF_WATCHING = 30, 10  # on a page: the latest of those who play, and of those who watch


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a seat. `name` is "" for somebody who gave none; `colour` is a number in COLOURS."""

    name: str = ""
    colour: int = 0


@dataclass(frozen=True, slots=True)
class Note:
    """A note that somebody wrote, and the step after which it was written."""

    step: int
    who: str
    text: str


def one_line(text: str, longest: int) -> str:
    """Return what somebody typed as one line of printable letters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:longest].strip()


def latest(notes: Sequence[Note], watching: str) -> list[Note]:
    """Return the notes that a page shows: those who watch cannot push those of the players away."""
    of_watching = [note for note in notes if note.who == watching]
    dropped = {id(note) for note in of_watching[:-_SHOWN_OF_WATCHING]}
    dropped |= {id(note) for note in [n for n in notes if n.who != watching][:-_SHOWN_NOTES]}
    return [note for note in notes if id(note) not in dropped]

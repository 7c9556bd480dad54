"""Who the people at a table are: the name and the colour that each chose."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_NAME = 24
COLOURS = ("blue", "red", "green", "violet", "orange", "turquoise", "pink", "grey")
"""What a person may choose, in the order of the style sheet. A seat has the colour of its number until then."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a seat. `name` is "" for somebody who gave none; `colour` is a number in COLOURS."""

    name: str = ""
    colour: int = 0


def one_line(text: str, longest: int) -> str:
    """Return what somebody typed as one line of printable letters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in text)
    return " ".join(printable.split())[:longest].strip()

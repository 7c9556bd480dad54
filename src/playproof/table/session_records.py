"""What a table keeps besides its match: who sits there and what look-alike names it refuses,
proposals, lines of the log, notes, clocks."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

# -- records -------------------------------------------------------------------------------------------------
# What a table keeps besides its match: who sits there, proposals, lines of the log, notes, tables that went
# on from it.

DESCRIPTIONS = "descriptions"  # in the folder of the journals
MOST_NOTES, LONGEST_NOTE = 100, 300  # of each seat, and of all who watch together
_SHOWN_NOTES, _SHOWN_OF_WATCHING = 30, 10  # on a page: the latest of those who play, and of those who watch


def get_path_of_stored_description(journal_folder: Path, digest: str) -> Path:
    """Return the file beside the journals that keeps a description, so that a game goes on as it began whatever
    becomes of its rules."""
    return journal_folder / DESCRIPTIONS / f"{digest}.json"


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


def select_notes_to_show(notes: Sequence[Note], spectator_name: str) -> list[Note]:
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


def reduce_to_one_printable_line(typed_text: str, max_length: int) -> str:
    """Return what somebody typed as one line of printable letters."""
    printable = "".join(letter if letter.isprintable() else " " for letter in typed_text)
    return " ".join(printable.split())[:max_length].strip()


# -- clock ---------------------------------------------------------------------------------------------------
# The clocks of a table: how long the people who wish one may think. They never act by themselves.

MOST_MINUTES, MOST_SECONDS = 600, 3_600
SAYS, PLAYS_ON = "says so", "bot"
"""What happens when somebody's time is up: the page says so; or, only if the table was set up so, a bot plays on."""


@dataclass(frozen=True)
class ClockSettings:
    """What a table's clocks are set to: so many `minutes` for each seat, and `seconds` more after each choice."""

    minutes: int
    seconds: int = 0
    up: str = SAYS

    def to_journal_json(self) -> list[Any]:
        """Return the shape that a journal records."""
        return [self.minutes, self.seconds, self.up]


@dataclass
class SeatClocks:
    """The time left to each seat that wishes a clock, in seconds. Between two choices of a seat its clock runs; `now`
    tells the time. A clock that has run out stays at 0."""

    terms: ClockSettings
    left: dict[int, float] = field(default_factory=dict)
    now: Callable[[], float] = time.monotonic
    running: int | None = None
    _since: float = 0.0
    _aside: dict[int, float] = field(default_factory=dict)  # what was left to a seat that wishes no clock now

    def give_or_remove_clock(self, seat: int, give: bool) -> None:
        """Give a seat a clock, or take it away. Who wishes it again finds on it what was left."""
        if give and seat not in self.left:
            self.left[seat] = self._aside.pop(seat, 60.0 * self.terms.minutes)
        elif not give and seat in self.left:
            self._aside[seat] = self.get_remaining_seconds(seat)
            del self.left[seat]
            self.running = None if self.running == seat else self.running

    def get_remaining_seconds(self, seat: int) -> float:
        """Return the seconds left to a seat now."""
        spent = self.now() - self._since if seat == self.running else 0.0
        return max(0.0, self.left[seat] - spent)

    def has_run_out(self, seat: int) -> bool:
        """Return whether a seat has a clock that has run out."""
        return seat in self.left and self.get_remaining_seconds(seat) <= 0.0

    def stop_running_clock_and_get_seat(self, *, acted_in_time: bool = False) -> int | None:
        """Stop the clock that runs, and return whose it is. Who `acted_in_time` in time gets the seconds of a
        choice."""
        seat, self.running = self.running, None
        if seat is None:
            return None
        left = max(0.0, self.left[seat] - (self.now() - self._since))
        self.left[seat] = left + self.terms.seconds if acted_in_time and left > 0.0 else left
        return seat

    def start_clock_if_time_left(self, seat: int) -> None:
        """Let a seat's clock run, if it has one and it is not up."""
        if seat in self.left and self.left[seat] > 0.0:
            self.running, self._since = seat, self.now()


def parse_clock_settings_or_none(form_fields: Mapping[str, str]) -> ClockSettings | None:
    """Return the clocks of a lobby's form; None if no time is named. Raises ValueError for anything else."""
    minutes, seconds = (form_fields.get(name, "").strip() or "0" for name in ("minutes", "seconds"))
    if not (minutes.isascii() and minutes.isdecimal() and len(minutes) < 5 and int(minutes) <= MOST_MINUTES):
        raise ValueError(f"expected 0 to {MOST_MINUTES} minutes on a clock, found {minutes[:20]}")
    if not (seconds.isascii() and seconds.isdecimal() and len(seconds) < 6 and int(seconds) <= MOST_SECONDS):
        raise ValueError(f"expected 0 to {MOST_SECONDS} seconds after each choice, found {seconds[:20]}")
    if minutes == "0":
        return None
    return ClockSettings(int(minutes), int(seconds), PLAYS_ON if form_fields.get("up") == PLAYS_ON else SAYS)


def format_clock_time(seconds: float) -> str:
    """Return a time as a clock shows it: `12:05`."""
    whole = int(seconds + 0.999)
    return f"{whole // 60}:{whole % 60:02}"


# -- look alikes ---------------------------------------------------------------------------------------------
# Names that look like another's: the same letters to the eye, whatever their numbers in Unicode.

MOST_MARKS = 2  # combining marks on one letter, as Vietnamese has them; more of them cover what stands around
_LATIN = str.maketrans(
    # Cyrillic, Greek and Armenian letters, and digits, that stand for Latin ones (Unicode TR 39, its commonest pairs).
    "авекмнорстухіјѕԁһԛԝыьґҽӏαβγδεηικνορτυχωϲϳօսոհ01|",
    "abekmhopctyxijsdhqwblrelabydenikvoptuxwcjounholl",
)


def has_too_many_combining_marks(name: str) -> bool:
    """Return whether a letter of a name bears more combining marks than any language puts on one.

    >>> [has_too_many_combining_marks(name) for name in ("Việt", "Z\u0301\u0302\u0303")]
    [False, True]
    """
    marks = 0
    for letter in unicodedata.normalize("NFD", name):
        marks = marks + 1 if unicodedata.combining(letter) else 0
        if marks > MOST_MARKS:
            return True
    return False


def make_skeleton_equal_for_lookalike_names(name: str) -> str:
    """Return what a name looks like: equal for two names that a reader takes for each other.

    >>> make_skeleton_equal_for_lookalike_names("Аdа") == make_skeleton_equal_for_lookalike_names("ADA.")
    True
    """
    plain = unicodedata.normalize("NFKD", name).casefold()
    letters = "".join(letter for letter in plain.translate(_LATIN) if letter.isalnum())
    return letters.replace("rn", "m").replace("vv", "w").replace("i", "l")

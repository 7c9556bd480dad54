"""What certificates can state about a game, as data and in words: that something is true, or false.

An *event* is what a claim asks about: a condition on a state, or an action taken while a condition
holds. It may also compare a number with a value. An event happens in a state in which somebody is
to act or the game is over. States that automatic phases pass through between two such states do not
count.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

from playproof.language import Game, Term
from playproof.verifier.kernel.strict import Json, Tagged, Unreadable, canonical, encode
from playproof.verifier.questions.targets import Target, Targets

BOUNDS, NO_DEAD_END, PHASES_END = "bounds", "no dead end", "automatic phases end"
PROPERTIES = (BOUNDS, NO_DEAD_END, PHASES_END)


@dataclass(frozen=True)
class About(Tagged, ABC):
    """The subject of a statement. `said` words it as true or as false."""

    @cached_property
    def key(self) -> str:
        """One text for each subject."""
        return canonical(encode(self))

    @abstractmethod
    def said(self, so: bool) -> str:
        """Return the statement as a sentence."""


@dataclass(frozen=True)
class Event(About):
    """An event: `of` and `within` as a claim writes them. If `number` (a quantity's name) is not
    "", the quantity must also stand in `relation` (<, ==, >) to `value`."""

    kind: ClassVar[str] = "event"
    of: Json
    within: Json = None
    number: str = ""
    relation: str = ""
    value: int = 0

    def target(self, game: Game) -> Target:
        """Return the condition and the actions meant. Raises InputError for names the game does not
        have, Unreadable if the data is no event."""
        try:
            return self._target(game)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError):  # free data, of any shape
            raise Unreadable(f"`{self.key[:80]}` is no event") from None

    def _target(self, game: Game) -> Target:
        reader = Targets(game)
        target = reader.one(self.of, self.within)
        if not self.number:
            return target
        return Target(
            target.name,
            target.spec,
            target.condition & self._compared(reader.number(self.number)),
            target.idents,
        )

    def _compared(self, number: Term) -> Term:
        match self.relation:
            case "<":
                return number < self.value
            case "==":
                return number == self.value
            case ">":
                return number > self.value
        raise ValueError(f"expected <, == or >, found {self.relation!r}")

    def said(self, so: bool) -> str:
        """Say that some game comes to the event, or that none does."""
        return f"{'a' if so else 'no'} game comes to: {self.words()}"

    def words(self) -> str:
        """Return the event as a person reads it."""
        text = _spoken(self.of)
        if self.within is not None:
            text += f" within {_spoken(self.within)}"
        return f"{text}, {self.number} {self.relation} {self.value}" if self.number else text


def _spoken(spec: Json) -> str:
    if isinstance(spec, dict):
        return ", ".join(f"{k} {_spoken(v)}" for k, v in spec.items())
    return str(spec)


@dataclass(frozen=True)
class Property(About):
    """The rules always keep a property: BOUNDS (no value leaves its bounds), NO_DEAD_END (whoever
    is to act has a legal action) or PHASES_END (automatic phases do not run for ever)."""

    kind: ClassVar[str] = "property"
    name: str

    def said(self, so: bool) -> str:
        """Say that every game keeps the property, or that some game breaks it."""
        return f"{'every game keeps' if so else 'a game breaks'}: {self.name}"


@dataclass(frozen=True)
class Length(About):
    """Every game is over after at most `most` decisions, those of chance included."""

    kind: ClassVar[str] = "length"
    most: int

    def said(self, so: bool) -> str:
        """Say that every game is over by then, or that some game is longer."""
        if so:
            return f"every game is over after at most {self.most} decisions"
        return f"a game has {self.most + 1} decisions or more"


@dataclass(frozen=True)
class Law(About):
    """Every decision of every game obeys a law of steps, as a claim writes it."""

    kind: ClassVar[str] = "law"
    law: Json

    def said(self, so: bool) -> str:
        """Say that every decision obeys the law, or that some game breaks it."""
        return f"{'every decision obeys' if so else 'a game breaks the law'}: {_spoken(self.law)}"


@dataclass(frozen=True)
class Played(About):
    """A worked example can be played as it says."""

    kind: ClassVar[str] = "played"
    example: Json

    def said(self, so: bool) -> str:
        """Say that the example can be played as it says, or that it cannot."""
        return f"the worked example {'is played as it says' if so else 'cannot be played as it says'}"


@dataclass(frozen=True)
class Secrecy(About):
    """Of two states of games that are alike but for a secret, all that a seat is sent is alike, then
    and after the next decision, if it is the same in both. `of` names the secret as a claim does."""

    kind: ClassVar[str] = "secrecy"
    of: Json

    def said(self, so: bool) -> str:
        """Say that nothing sent tells the secret, or that something does."""
        return f"{'nothing that the seat is sent tells' if so else 'the seat is sent what tells'}: {_spoken(self.of)}"


@dataclass(frozen=True)
class Apart(About):
    """Some states of games are alike but for a secret, and the secret differs."""

    kind: ClassVar[str] = "apart"
    of: Json

    def said(self, so: bool) -> str:
        """Say that there are such states, or that there are none."""
        return f"{'two' if so else 'no two'} states are alike but for: {_spoken(self.of)}"


@dataclass(frozen=True)
class Worth(About):
    """For players who see all cards, the chance of the event lies between `low` and `high`. `seat`
    wants the event and all others are against it. `chance` is mean (as it falls), best (it helps)
    or worst (it hinders)."""

    kind: ClassVar[str] = "worth"
    event: Event
    chance: str
    seat: int
    low: Fraction
    high: Fraction

    def said(self, so: bool) -> str:
        """Say the chance in words."""
        value = str(self.low) if self.low == self.high else f"between {self.low} and {self.high}"
        return (
            f"for players who see all cards, with {self.chance} luck, the chance of {self.event.words()} "
            f"under best play by seat {self.seat} is {value}"
        )


@dataclass(frozen=True)
class Statement:
    """A subject is true, or (if not `so`) false. `grounds` are the properties under which this
    holds; another certificate must show them."""

    about: About
    so: bool = True
    grounds: tuple[str, ...] = ()

    def words(self) -> str:
        """Return the statement as a sentence."""
        under = f" (if every game keeps: {', '.join(self.grounds)})" if self.grounds else ""
        return self.about.said(self.so) + under


__all__ = [
    "BOUNDS",
    "NO_DEAD_END",
    "PHASES_END",
    "PROPERTIES",
    "About",
    "Apart",
    "Event",
    "Law",
    "Length",
    "Played",
    "Property",
    "Secrecy",
    "Statement",
    "Worth",
]

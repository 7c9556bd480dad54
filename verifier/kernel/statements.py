"""What certificates may state about a game, as data and in words: something is so, or is not.

An *event* is what a claim speaks of: a condition on a state, or an action taken where a condition holds; perhaps only
where a number is less than, equal to or more than a value. An event happens in a state in which somebody is to act or
the game is over; what automatic phases pass through between two such states is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from playproof.rules.language import Game, Term
from playproof.verifier.kernel.strict import Json, Unreadable, canonical, encode
from playproof.verifier.questions.targets import Target, Targets

BOUNDS, NO_DEAD_END, PHASES_END = "bounds", "no dead end", "automatic phases end"
PROPERTIES = (BOUNDS, NO_DEAD_END, PHASES_END)


@dataclass(frozen=True)
class About:
    """What a statement is about; `said` says that it is so, or is not."""

    @cached_property
    def key(self) -> str:
        """One text for each such thing."""
        return canonical([type(self).__name__, encode(self)])

    def said(self, so: bool) -> str:
        """As a sentence."""
        raise NotImplementedError


@dataclass(frozen=True)
class Event(About):
    """`of` and `within` as a claim writes them; `number` (a quantity's name, or "") `relation` (<, ==, >) `value`."""

    of: Json
    within: Json = None
    number: str = ""
    relation: str = ""
    value: int = 0

    def target(self, game: Game) -> Target:
        """The condition and the actions meant. Raises InputError for names the game does not have, Unreadable for
        what is no event."""
        try:
            return self._target(game)
        except (TypeError, ValueError, KeyError, AttributeError, IndexError):  # free data, of any shape
            raise Unreadable(f"`{self.key[:80]}` is no event") from None

    def _target(self, game: Game) -> Target:
        reader = Targets(game)
        target = reader.one(self.of, self.within)
        if not self.number:
            return target
        return Target(target.name, target.spec, target.condition & self._compared(reader.number(self.number)),
                      target.idents)

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
        """Some game comes to it, or none does."""
        return f"{'a' if so else 'no'} game comes to: {self.words()}"

    def words(self) -> str:
        """The event as a person reads it."""
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
    """The rules keep it for ever: BOUNDS (no value leaves its bounds), NO_DEAD_END (who is to act can) or PHASES_END
    (automatic phases do not run for ever)."""

    name: str

    def said(self, so: bool) -> str:
        """Every game keeps it, or some game does not."""
        return f"{'every game keeps' if so else 'a game breaks'}: {self.name}"


@dataclass(frozen=True)
class Length(About):
    """Every game is over after at most `most` decisions, those of chance included."""

    most: int

    def said(self, so: bool) -> str:
        """So many at most; or some game has so many."""
        if so:
            return f"every game is over after at most {self.most} decisions"
        return f"a game has {self.most + 1} decisions or more"


@dataclass(frozen=True)
class Law(About):
    """Every decision of every game obeys a law of steps, as a claim writes it."""

    law: Json

    def said(self, so: bool) -> str:
        """It is obeyed, or some game breaks it."""
        return f"{'every decision obeys' if so else 'a game breaks the law'}: {_spoken(self.law)}"


@dataclass(frozen=True)
class Played(About):
    """A worked example can be played as it says."""

    example: Json

    def said(self, so: bool) -> str:
        """It can, or cannot."""
        return f"the worked example {'is played as it says' if so else 'cannot be played as it says'}"


@dataclass(frozen=True)
class Worth(About):
    """For players who see all cards the chance of the event, which `seat` wants and all others do not, lies between
    two numbers. `chance`: mean (as it falls), best or worst (it helps or hinders)."""

    event: Event
    chance: str
    seat: int
    low: Fraction
    high: Fraction

    def said(self, so: bool) -> str:
        """The chance in words."""
        value = str(self.low) if self.low == self.high else f"between {self.low} and {self.high}"
        return (f"for players who see all cards, with {self.chance} luck, the chance of {self.event.words()} "
                f"under best play by seat {self.seat} is {value}")


@dataclass(frozen=True)
class Statement:
    """It is so, or is not; `grounds` are what this holds under: properties that another certificate shows."""

    about: About
    so: bool = True
    grounds: tuple[str, ...] = ()

    def words(self) -> str:
        """The statement as a sentence."""
        under = f" (if every game keeps: {', '.join(self.grounds)})" if self.grounds else ""
        return self.about.said(self.so) + under


__all__ = ["BOUNDS", "NO_DEAD_END", "PHASES_END", "PROPERTIES", "About", "Event", "Law", "Length", "Played", "Property",
           "Statement", "Worth"]

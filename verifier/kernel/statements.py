"""What certificates may state about a game, as data and in words.

An *event* is what a claim speaks of: a condition on a state, or an action taken where a condition holds; perhaps only
where a number is less than, equal to or more than a value. An event happens in a state in which somebody is to act or
the game is over; what automatic phases pass through between two such states is not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from playproof.rules.language import Game, Term
from playproof.verifier.kernel.strict import Json, Unreadable, canonical
from playproof.verifier.questions.targets import Target, Targets

BOUNDS, NO_DEAD_END, PHASES_END = "bounds", "no dead end", "automatic phases end"
PROPERTIES = (BOUNDS, NO_DEAD_END, PHASES_END)


@dataclass(frozen=True)
class Event:
    """`of` and `within` as a claim writes them; `number` (a quantity's name, or "") `relation` (<, ==, >) `value`."""

    of: Json
    within: Json = None
    number: str = ""
    relation: str = ""
    value: int = 0

    @cached_property
    def key(self) -> str:
        """One text for each event."""
        return canonical([self.of, self.within, self.number, self.relation, self.value])

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
class Happens:
    """Some game comes to the event."""

    event: Event

    def words(self) -> str:
        """The statement as a sentence."""
        return f"a game comes to: {self.event.words()}"


@dataclass(frozen=True)
class Never:
    """No game comes to the event. `grounds` are what this holds under: properties that another certificate shows."""

    event: Event
    grounds: tuple[str, ...] = ()

    def words(self) -> str:
        """The statement as a sentence."""
        return f"no game comes to: {self.event.words()}{_under(self.grounds)}"


@dataclass(frozen=True)
class Keeps:
    """The rules keep a property for ever: BOUNDS (no value leaves its bounds), NO_DEAD_END (who is to act can) or
    PHASES_END (automatic phases do not run for ever)."""

    property: str
    grounds: tuple[str, ...] = ()

    def words(self) -> str:
        """The statement as a sentence."""
        return f"every game keeps: {self.property}{_under(self.grounds)}"


@dataclass(frozen=True)
class Breaks:
    """Some game breaks a property."""

    property: str

    def words(self) -> str:
        """The statement as a sentence."""
        return f"a game breaks: {self.property}"


@dataclass(frozen=True)
class Ends:
    """Every game is over after at most `most` decisions, those of chance included."""

    most: int
    grounds: tuple[str, ...] = ()

    def words(self) -> str:
        """The statement as a sentence."""
        return f"every game is over after at most {self.most} decisions{_under(self.grounds)}"


@dataclass(frozen=True)
class Lasts:
    """Some game has at least so many decisions."""

    decisions: int

    def words(self) -> str:
        """The statement as a sentence."""
        return f"a game has {self.decisions} decisions or more"


@dataclass(frozen=True)
class Worth:
    """For players who see all cards the chance of the event, which `seat` wants and all others do not, lies between
    two numbers. `chance`: mean (as it falls), best or worst (it helps or hinders)."""

    event: Event
    chance: str
    seat: int
    low: Fraction
    high: Fraction

    def words(self) -> str:
        """The statement as a sentence."""
        value = str(self.low) if self.low == self.high else f"between {self.low} and {self.high}"
        return (f"for players who see all cards, with {self.chance} luck, the chance of {self.event.words()} "
                f"under best play by seat {self.seat} is {value}")


@dataclass(frozen=True)
class Obeyed:
    """Every decision of every game obeys a law of steps, as a claim writes it."""

    law: Json
    grounds: tuple[str, ...] = ()

    def words(self) -> str:
        """The statement as a sentence."""
        return f"every decision obeys: {_spoken(self.law)}{_under(self.grounds)}"


@dataclass(frozen=True)
class Broken:
    """Some game breaks a law of steps."""

    law: Json

    def words(self) -> str:
        """The statement as a sentence."""
        return f"a game breaks the law: {_spoken(self.law)}"


@dataclass(frozen=True)
class Played:
    """A worked example can be played as it says (`so`), or cannot."""

    example: Json
    so: bool

    def words(self) -> str:
        """The statement as a sentence."""
        return f"the worked example {'is played as it says' if self.so else 'cannot be played as it says'}"


def _under(grounds: tuple[str, ...]) -> str:
    return f" (if every game keeps: {', '.join(grounds)})" if grounds else ""


Statement = Happens | Never | Keeps | Breaks | Ends | Lasts | Worth | Obeyed | Broken | Played

__all__ = ["BOUNDS", "NO_DEAD_END", "PHASES_END", "PROPERTIES", "Breaks", "Broken", "Ends", "Event", "Happens",
           "Keeps", "Lasts", "Never", "Obeyed", "Played", "Statement", "Worth"]

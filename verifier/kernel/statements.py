"""What certificates can state about a game, as data: that something is true, or false.

An *event* is what a claim asks about: a condition on a state, or an action taken while a condition
holds. It may also compare a number with a value. An event happens in a state in which somebody is
to act or the game is over. States that automatic phases pass through between two such states do not
count.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar

from playproof.language import Term
from playproof.language.game import Game
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.strict_json import (
    OMITTED,
    Json,
    Tagged,
    encode_typed_value_as_json,
    format_data_shortened,
    raise_unreadable_for_wrong_shape,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.questions.claims import NOW, Question

BOUNDS, NO_DEAD_END, PHASES_END = "bounds", "no dead end", "automatic phases end"
PROPERTIES = (BOUNDS, NO_DEAD_END, PHASES_END)
ENDS = "ends"
"""The word of an `always` claim that every game comes to an end, after whatever number of decisions."""


@dataclass(frozen=True)
class Subject(Tagged):
    """The subject of a statement: what is said to be true, or false."""

    @cached_property
    def key(self) -> str:
        """One text for each subject."""
        return to_canonical_json_text(encode_typed_value_as_json(self))

    def decide_question_if_about_it(self, game: Game, question: Question, context: Any) -> Any:
        """Return the decision that the subject, if it is true, gives of a question about a number; None if it is about
        something else. Kinds that answer one such question say how; `claim_values` says the rest."""
        return None

    def get_lower_bound_of_asked_chance(self, game: Game, question: Question, context: Context) -> Fraction:
        """Return the bound from below that the subject, if it is true, gives of the chance that a `luck` question asks
        for, whatever the players see."""
        return Fraction(0)

    def get_upper_bound_of_asked_chance(self, game: Game, question: Question) -> Fraction:
        """Return the bound from above that the subject, if it is true, gives of the chance that a `luck` question asks
        for, by what the players of the question see."""
        return Fraction(1)

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the parts of a claim in words that the subject says something of."""
        about = [getattr(self, each.name) for each in fields(self)]
        return [part for each in about if isinstance(each, Subject) for part in each.list_claim_parts()]


@dataclass(frozen=True)
class Event(Subject):
    """An event: `of` and `within` as a claim writes them. If `number` (a quantity's name) is not
    "", the quantity must also stand in `relation` (<, ==, >) to `value`."""

    kind: ClassVar[str] = "event"
    of: Json
    within: Json = None
    number: str = ""
    relation: str = ""
    value: int = 0

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the target, and the number that is compared."""
        return [("target", [self.of, self.within]), *([("number", self.number)] if self.number else [])]

    def build_condition_and_actions(self, game: Game, context: Context) -> Target:
        """Return the condition and the actions meant. Raises InputError for names the game does not
        have, Unreadable if the data is no event."""
        with raise_unreadable_for_wrong_shape(f"`{self.key[:80]}` is no event"):
            target = context.read_target(game, self.of, self.within)
            if not self.number:
                return target
            compared = self._build_comparison_with_value(context.read_number(game, self.number))
            return Target(target.name, target.spec, target.condition & compared, target.idents)

    def _build_comparison_with_value(self, number: Term) -> Term:
        match self.relation:
            case "<":
                return number < self.value
            case "==":
                return number == self.value
            case ">":
                return number > self.value
        raise ValueError(f"expected <, == or >, found {self.relation!r}")


def target_spec_to_event(target_spec: Any, limit_spec: Any = None) -> Event:
    """Return the event of a target, with what stands in `within`, as a claim writes them."""
    return Event(to_plain_json_data(target_spec), to_plain_json_data(limit_spec))


@dataclass(frozen=True)
class Property(Subject):
    """The rules always keep a property: BOUNDS (no value leaves its bounds), NO_DEAD_END (whoever
    is to act has a legal action) or PHASES_END (automatic phases do not run for ever)."""

    kind: ClassVar[str] = "property"
    name: str


@dataclass(frozen=True)
class LengthLimit(Subject):
    """No game has more than `most` decisions, those of chance included. One that is stuck is not over."""

    kind: ClassVar[str] = "length"
    most: int


@dataclass(frozen=True)
class LawObeyed(Subject):
    """Every decision of every game obeys a law of steps, as a claim writes it, or each of a list of laws."""

    kind: ClassVar[str] = "law"
    law: Json

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the law, or each of a list."""
        return [("law", law) for law in (self.law if isinstance(self.law, list) else [self.law])]


@dataclass(frozen=True)
class PlayableExample(Subject):
    """A worked example can be played as it says."""

    kind: ClassVar[str] = "played"
    example: Json

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return the conditions of the example."""
        now = [str(word).removeprefix(NOW) for word in self.example["line"] if str(word).startswith(NOW)]
        return [("condition", text) for text in [*now, *map(str, self.example.get("then", []))]]


@dataclass(frozen=True)
class Secrecy(Subject):
    """Of two states of games that are alike but for a secret, all that a seat is sent is alike, then
    and after the next decision, if it is the same in both. `of` names the secret as a claim does."""

    kind: ClassVar[str] = "secrecy"
    of: Json


@dataclass(frozen=True)
class SecretDiffers(Subject):
    """Some states of games are alike but for a secret, and the secret differs."""

    kind: ClassVar[str] = "apart"
    of: Json


@dataclass(frozen=True)
class EventChance(Subject):
    """For players who see all cards, the chance of the event lies between `low` and `high`. `seat` and its `partners`
    want the event and all others are against it. `chance` is mean (as it falls), best (it helps) or worst (it hinders).
    """

    kind: ClassVar[str] = "chance"
    event: Event
    chance: str
    seat: int
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)


@dataclass(frozen=True)
class EndlessPlay(Subject):
    """Some game goes on for ever."""

    kind: ClassVar[str] = "endless"


@dataclass(frozen=True)
class Statement:
    """A subject is true, or (if not `so`) false. `grounds` are the properties under which this
    holds; another certificate must show them."""

    about: Subject
    so: bool = True
    grounds: tuple[str, ...] = ()

    def format_as_data(self) -> str:
        """Return the statement as data, shortened, for a message."""
        data = format_data_shortened(encode_typed_value_as_json(self.about))
        return f"{data} is {'true' if self.so else 'false'}"

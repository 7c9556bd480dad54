"""What certificates can state about a game, as data and in words: that something is true, or false.

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
from playproof.verifier.kernel.claim_terms import Target, format_claim_term, format_law, format_target
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.strict_json import (
    OMITTED,
    Json,
    Tagged,
    encode_typed_value_as_json,
    list_names_of_written_fields,
    raise_unreadable_for_wrong_shape,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.questions.claims import NOW, Question

BOUNDS, NO_DEAD_END, PHASES_END = "bounds", "no dead end", "automatic phases end"
PROPERTIES = (BOUNDS, NO_DEAD_END, PHASES_END)
SEE_ALL = "players who see all cards"
ENDS = "ends"
"""The word of an `always` claim that every game comes to an end, after whatever number of decisions."""


@dataclass(frozen=True)
class Subject(Tagged):
    """The subject of a statement. `YES` and `NO` word it as true and as false. In them, the names of the subject's keys
    stand for what they hold, {words} for all of it, {players} for the seats that play, and {value} for what lies
    between `low` and `high`."""

    YES: ClassVar[str] = ""
    NO: ClassVar[str] = ""

    @cached_property
    def key(self) -> str:
        """One text for each subject."""
        return to_canonical_json_text(encode_typed_value_as_json(self))

    def format_subject_words(self) -> str:
        """Return the subject as a person reads it."""
        return ", ".join(format_claim_data_as_text(getattr(self, name)) for name in list_names_of_written_fields(self))

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

    def format_meaning(self, game: Game, context: Context) -> str:
        """Return what the subject says of states, printed from its claim terms; "" if it says nothing of them."""
        about = [getattr(self, each.name) for each in fields(self)]
        return "; ".join(each.format_meaning(game, context) for each in about if isinstance(each, Subject))

    def format_meaning_if_other_than_words(self, game: Game, context: Context) -> str:
        """Return what the subject says of states, or "" if its own words say exactly that."""
        words, meaning = self.format_subject_words(), self.format_meaning(game, context)
        same = {words, *(words.removeprefix(f"{key} ") for key in ("holds", "reach", "action"))}
        return "" if meaning in same else meaning

    def format_true_or_false_sentence(self, is_true: bool) -> str:
        """Return the statement as a sentence."""
        parts = {each.name: format_claim_data_as_text(getattr(self, each.name)) for each in fields(self)}
        if "low" in parts:
            low, high = parts["low"], parts["high"]
            parts["value"] = low if low == high else f"between {low} and {high}"
        return (self.YES if is_true else self.NO or f"it is not so: {self.YES}").format(
            words=self.format_subject_words(), players=self.format_seats_that_play(), **parts
        )

    def format_seats_that_play(self) -> str:
        """Return whose play the subject speaks of, if it names seats."""
        return ""


def format_claim_data_as_text(data: Any) -> str:
    """Return what a claim or a subject holds as a person reads it."""
    if isinstance(data, Subject):
        return data.format_subject_words()
    if isinstance(data, dict):
        return ", ".join(f"{k} {format_claim_data_as_text(v)}" for k, v in data.items())
    return f"{data:,}" if type(data) is int else "nothing" if data is None else str(data)


def format_seat_with_partners(seat: int, partners: tuple[int, ...]) -> str:
    """Return a seat and those that play together with it as a person reads them.

    >>> format_seat_with_partners(2, (0, 1))
    'seats 0, 1 and 2 together'
    """
    if not partners:
        return f"seat {seat}"
    *others, last = sorted((seat, *partners))
    return f"seats {', '.join(map(str, others))} and {last} together"


@dataclass(frozen=True)
class Event(Subject):
    """An event: `of` and `within` as a claim writes them. If `number` (a quantity's name) is not
    "", the quantity must also stand in `relation` (<, ==, >) to `value`."""

    kind: ClassVar[str] = "event"
    YES, NO = "a game comes to: {words}", "no game comes to: {words}"
    of: Json
    within: Json = None
    number: str = ""
    relation: str = ""
    value: int = 0

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

    def format_meaning(self, game: Game, context: Context) -> str:
        """Return the event, printed from its claim terms."""
        text = format_target(game, context.read_claim_part(game, "target", [self.of, self.within]))
        if not self.number:
            return text
        number = format_claim_term(game, context.read_claim_part(game, "number", self.number))
        return f"{text}, {number} {self.relation} {self.value}"

    def format_subject_words(self) -> str:
        """Return the event as a person reads it."""
        text = format_claim_data_as_text(self.of)
        if self.within is not None:
            text += f" within {format_claim_data_as_text(self.within)}"
        return f"{text}, {self.number} {self.relation} {self.value}" if self.number else text


def target_spec_to_event(target_spec: Any, limit_spec: Any = None) -> Event:
    """Return the event of a target, with what stands in `within`, as a claim writes them."""
    return Event(to_plain_json_data(target_spec), to_plain_json_data(limit_spec))


@dataclass(frozen=True)
class Property(Subject):
    """The rules always keep a property: BOUNDS (no value leaves its bounds), NO_DEAD_END (whoever
    is to act has a legal action) or PHASES_END (automatic phases do not run for ever)."""

    kind: ClassVar[str] = "property"
    YES, NO = "every game keeps: {words}", "a game breaks: {words}"
    name: str


@dataclass(frozen=True)
class LengthLimit(Subject):
    """No game has more than `most` decisions, those of chance included. One that is stuck is not over."""

    kind: ClassVar[str] = "length"
    YES, NO = "no game has more than {most} decisions", "a game has more than {most} decisions"
    most: int


@dataclass(frozen=True)
class LawObeyed(Subject):
    """Every decision of every game obeys a law of steps, as a claim writes it, or each of a list of laws."""

    kind: ClassVar[str] = "law"
    YES, NO = "every decision obeys: {words}", "a game breaks the law: {words}"
    law: Json

    def format_meaning(self, game: Game, context: Context) -> str:
        """Return the law, or each of a list, printed from its claim terms."""
        laws = self.law if isinstance(self.law, list) else [self.law]
        return " | ".join(format_law(game, context.read_claim_part(game, "law", law)) for law in laws)


@dataclass(frozen=True)
class PlayableExample(Subject):
    """A worked example can be played as it says."""

    kind: ClassVar[str] = "played"
    YES, NO = "the worked example is played as it says", "the worked example cannot be played as it says"
    example: Json

    def format_meaning(self, game: Game, context: Context) -> str:
        """Return the conditions of the example, printed from their claim terms."""
        now = [str(word).removeprefix(NOW) for word in self.example["line"] if str(word).startswith(NOW)]
        texts = [*now, *map(str, self.example.get("then", []))]
        conditions = (context.read_claim_part(game, "condition", text) for text in texts)
        return "; ".join(format_claim_term(game, condition) for condition in conditions)


@dataclass(frozen=True)
class Secrecy(Subject):
    """Of two states of games that are alike but for a secret, all that a seat is sent is alike, then
    and after the next decision, if it is the same in both. `of` names the secret as a claim does."""

    kind: ClassVar[str] = "secrecy"
    YES, NO = "nothing that the seat is sent tells: {words}", "the seat is sent what tells: {words}"
    of: Json


@dataclass(frozen=True)
class SecretDiffers(Subject):
    """Some states of games are alike but for a secret, and the secret differs."""

    kind: ClassVar[str] = "apart"
    YES, NO = "two states are alike but for: {words}", "no two states are alike but for: {words}"
    of: Json


@dataclass(frozen=True)
class EventChance(Subject):
    """For players who see all cards, the chance of the event lies between `low` and `high`. `seat` and its `partners`
    want the event and all others are against it. `chance` is mean (as it falls), best (it helps) or worst (it hinders).
    """

    kind: ClassVar[str] = "chance"
    YES = (
        "for players who see all cards, with {chance} luck, the chance of {event} under best play by {players} "
        "is {value}"
    )
    event: Event
    chance: str
    seat: int
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    def format_seats_that_play(self) -> str:
        """Return the seats that want the event."""
        return format_seat_with_partners(self.seat, self.partners)


@dataclass(frozen=True)
class EndlessPlay(Subject):
    """Some game goes on for ever."""

    kind: ClassVar[str] = "endless"
    YES, NO = "a game can go on for ever", "every game comes to an end"


@dataclass(frozen=True)
class Statement:
    """A subject is true, or (if not `so`) false. `grounds` are the properties under which this
    holds; another certificate must show them."""

    about: Subject
    so: bool = True
    grounds: tuple[str, ...] = ()

    def format_statement_sentence(self) -> str:
        """Return the statement as a sentence."""
        under = f" (if every game keeps: {', '.join(self.grounds)})" if self.grounds else ""
        return self.about.format_true_or_false_sentence(self.so) + under

"""What is stated of players who see only what the rules show them, and remember it: a chance, or an expected number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

from playproof.language import Interpreter, Term
from playproof.language.expr import as_term
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, require_partners_as_in_game
from playproof.verifier.kernel.claim_values import (
    Decision,
    get_asked_seat_or_first,
    has_no_opposing_sides,
    round_expected_value_or_none,
)
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.equilibrium import EndWorth
from playproof.verifier.kernel.statements import (
    Event,
    Subject,
    target_spec_to_event,
)
from playproof.verifier.kernel.strict_json import (
    OMITTED,
    Json,
    format_data_shortened,
    raise_unreadable_for_wrong_shape,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.kernel.ways_to_play import read_worth
from playproof.verifier.questions.claims import Question

State = tuple[int, ...]


@dataclass(frozen=True)
class BySight(Subject, ABC):
    """What best play is worth to seats that see what the rules show them, and remember it, whatever all others do by
    what they see and remember. Chance falls as its weights say."""

    @abstractmethod
    def get_bounds(self) -> tuple[Fraction, Fraction]:
        """Return the bounds of the chance or the number."""

    @abstractmethod
    def get_seat_and_partners(self) -> tuple[int, tuple[int, ...]]:
        """Return a seat, and those that play together with it."""

    @abstractmethod
    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return what a state is worth to the seats if play ends there. Raises InputError, or NotShown."""

    @abstractmethod
    def replace_bounds_by_those_of_worth(self, low: Fraction, high: Fraction) -> BySight:
        """Return the subject with what bounds of the worth say of its number."""


@dataclass(frozen=True)
class ChanceBySight(BySight):
    """By what they see and remember, `seat` and its `partners` bring the event about with a chance between `low` and
    `high` under best play."""

    kind: ClassVar[str] = "chance by sight"
    event: Event
    seat: int
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    def get_bounds(self) -> tuple[Fraction, Fraction]:
        """Return the bounds."""
        return self.low, self.high

    def get_seat_and_partners(self) -> tuple[int, tuple[int, ...]]:
        """Return a seat that wants the event, and its partners."""
        return self.seat, self.partners

    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return 1 where the event happens, 0 at another end. Raises NotShown for an event of actions."""
        target = self.event.build_condition_and_actions(game, context)
        if target.idents is not None:
            raise NotShown("chances are of conditions, not of actions")
        return make_event_worth(game, target.condition)

    def replace_bounds_by_those_of_worth(self, low: Fraction, high: Fraction) -> ChanceBySight:
        """Return the subject with these bounds of the chance."""
        return replace(self, low=max(low, Fraction(0)), high=high)

    def get_lower_bound_of_asked_chance(self, game: Game, question: Question, context: Context) -> Fraction:
        """Return the bound from below. Who sees more has no less, if nobody plays against them. Chance that hinders
        leaves what is sure."""
        if not self._is_asked_by(game, question):
            return Fraction(0)
        return self.low if question.chance == "mean" else Fraction(self.low >= 1)

    def get_upper_bound_of_asked_chance(self, game: Game, question: Question) -> Fraction:
        """Return the bound from above: none for players who see all."""
        if question.seeing == "all" or not self._is_asked_by(game, question):
            return Fraction(1)
        return self.high if question.chance == "mean" else Fraction(self.high >= 1)

    def _is_asked_by(self, game: Game, question: Question) -> bool:
        """Return whether the question is about this event and these seats. A bound that is less than 1 comes from play
        that ends, so chance that hinders can keep the event away from players alone unless they are sure of it: then
        its mean is 1. Against others nothing is known of such chance, nor of players who see all."""
        seats = self.seat, *self.partners
        same = self.event.key == target_spec_to_event(question.of, question.within).key
        alone = has_no_opposing_sides(game)
        lucks = ("mean", "worst") if alone else ("mean",)
        is_blind = question.seeing != "all" or alone
        return same and get_asked_seat_or_first(question) in seats and question.chance in lucks and is_blind


@dataclass(frozen=True)
class ExpectedBySight(BySight):
    """By what they see and remember, the expected value of what a `worth` claim asks for, which `of` names as the claim
    does, lies between `low` and `high` under best play."""

    kind: ClassVar[str] = "expected by sight"
    of: Json
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    def get_bounds(self) -> tuple[Fraction, Fraction]:
        """Return the bounds."""
        return self.low, self.high

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is asked of."""
        return [("worth", self.of)]

    def get_seat_and_partners(self) -> tuple[int, tuple[int, ...]]:
        """Return the seat for whom the number is, and its partners."""
        seat = self.of.get("seat", self.of.get("score", 0)) if isinstance(self.of, dict) else 0
        return (seat if isinstance(seat, int) else 0), self.partners

    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return the number where the game is over, below 0 for one that all lower. Raises NotShown for a number that
        is not read at the end, or that players against each other all lower."""
        number, play, sign = self._read_number_or_raise(game, context), Interpreter(game), self._get_sign()
        term = as_term(number)

        def compute_worth_or_none(state: State) -> int | None:
            return sign * play.value(term, state) if play.terminal(state) else None

        return compute_worth_or_none

    def _read_number_or_raise(self, game: Game, context: Context) -> Term:
        with raise_unreadable_for_wrong_shape(f"{format_data_shortened(self.of)} asks of no number"):
            number = read_worth(game, self.of, context)
        if number.term is None or number.after or number.options or number.spread:
            raise NotShown("expected a number at the end of the game, from the start on")
        if number.play == "best" or (number.play == "worst" and has_no_opposing_sides(game)):
            return number.term
        raise NotShown("expected best play, or worst play of players who are not against each other")

    def _get_sign(self) -> int:
        return -1 if isinstance(self.of, dict) and self.of.get("play") == "worst" else 1

    def replace_bounds_by_those_of_worth(self, low: Fraction, high: Fraction) -> ExpectedBySight:
        """Return the subject with the bounds of its number."""
        return replace(self, low=low, high=high) if self._get_sign() == 1 else replace(self, low=-high, high=-low)

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return the expected number to as many digits as are sure."""
        same = to_canonical_json_text(self.of) == to_canonical_json_text(to_plain_json_data(question.of))
        if question.ask != "worth" or not same or question.seeing == "all":
            return None
        value = round_expected_value_or_none(self.low, self.high, question.expect)
        return None if value is None else Decision(value)


def make_event_worth(game: Game, condition: Term) -> EndWorth:
    """Return what states are worth: 1 where the condition holds, 0 at another end, and where nobody can act."""
    play = Interpreter(game)

    def compute_worth_or_none(state: State) -> int | None:
        if play.value(condition, state):
            return 1
        return 0 if play.terminal(state) or play.has_no_legal_action(state) else None

    return compute_worth_or_none


def require_no_opponents(game: Game, about: BySight) -> None:
    """Check that nobody plays against the seats that a subject names. Raises NotShown."""
    seat, partners = about.get_seat_and_partners()
    if not has_no_opposing_sides(game) or not 0 <= seat < game.players:
        raise NotShown("expected players against whom nobody plays, and a seat")
    require_partners_as_in_game(game, seat, partners)


def require_same_subject(claimed: BySight, computed: BySight) -> None:
    """Check that a subject is the one that was computed. Raises NotShown."""
    if claimed != computed:
        found, said = (" to ".join(map(str, subject.get_bounds())) for subject in (computed, claimed))
        raise NotShown(f"found bounds of {found}, the evidence says {said}")

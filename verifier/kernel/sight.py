"""What is stated of players who see only what the rules show them, and remember it: a chance, an expected number, or
what a game is worth to two sides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from playproof.language import Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.claim_values import (
    CLOSE,
    Decision,
    get_asked_seat_or_first,
    has_no_opposing_sides,
    round_expected_value_or_none,
    round_middle_to_9_digits_or_none,
)
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.statements import Event, Subject, format_seat_with_partners, target_spec_to_event
from playproof.verifier.kernel.strict_json import (
    OMITTED,
    Json,
    format_data_shortened,
    raise_unreadable_for_wrong_shape,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.kernel.ways_to_play import format_worth, read_worth
from playproof.verifier.questions.claims import Question

State = tuple[int, ...]
EndWorth = Callable[[State], "int | None"]
"""What a state is worth if play ends there, else None. Raises NotShown."""


@dataclass(frozen=True)
class BySight(Subject, ABC):
    """A number that `seat` and its `partners` make great (small, if `goal` is -1), and all others small. It lies
    between `low` and `high` under best play by what each sees and remembers. Chance falls as its weights say."""

    seat: int
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    @property
    def goal(self) -> int:
        """1 if the seats want the number great, -1 if small."""
        return 1

    @abstractmethod
    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return what the number is in a state if play ends there. Raises InputError, or NotShown."""

    def format_seats_that_play(self) -> str:
        """Return the seats that want the number."""
        return format_seat_with_partners(self.seat, self.partners)


@dataclass(frozen=True)
class Equilibrium(BySight):
    """With best play by both sides the game is worth between `low` and `high` to the seat, on average."""

    kind: ClassVar[str] = "equilibrium"
    YES = "under best play the game is worth {value} to {players}"

    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return what the seat gets where the game is over. Raises NotShown where it is not the same for all seats of a
        side, or what two sides get is not 0 together."""
        play = Interpreter(game)

        def compute_worth_or_none(state: State) -> int | None:
            if not play.terminal(state):
                return None
            returns = play.returns(state)
            by_side = [{returns[seat] for seat in side} for side in game.sides]
            if any(len(worths) > 1 for worths in by_side):
                told = ", ".join(map(str, returns))
                raise NotShown(f"an end is worth {told}, not the same to all seats of a team")
            if len(by_side) > 1 and sum(map(sum, by_side)) != 0:
                told = " and ".join(str(*worths) for worths in by_side)
                raise NotShown(f"an end is worth {told}, which is not 0 together")
            return returns[self.seat]

        return compute_worth_or_none

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return what the game is worth to the question's seat, to nine digits, if the bounds are so close."""
        asked = question.ask == "equilibrium" and self.seat == get_asked_seat_or_first(question)
        value = round_middle_to_9_digits_or_none(self.low, self.high)
        return None if not asked or value is None or self.high - self.low > CLOSE else Decision(value)


@dataclass(frozen=True)
class ChanceBySight(BySight):
    """The number is 1 if the event happens, else 0: its chance lies between `low` and `high`."""

    kind: ClassVar[str] = "chance by sight"
    YES = "by what {players} may see, the chance of {event} under best play is {value}"
    event: Event

    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return 1 where the event happens, 0 at another end, and where nobody can act. Raises NotShown for an event of
        actions."""
        target, play = self.event.build_condition_and_actions(game, context), Interpreter(game)
        if target.idents is not None:
            raise NotShown("chances are of conditions, not of actions")

        def compute_worth_or_none(state: State) -> int | None:
            if play.value(target.condition, state):
                return 1
            return 0 if play.terminal(state) or play.has_no_legal_action(state) else None

        return compute_worth_or_none

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
    """The number is what a `worth` claim asks for, which `of` names as the claim does: its expected value lies between
    `low` and `high`."""

    kind: ClassVar[str] = "expected by sight"
    YES = "by what players may see, the expected value of {of} is {value}"
    of: Json

    @property
    def goal(self) -> int:
        """-1 for a number that all lower."""
        return -1 if isinstance(self.of, dict) and self.of.get("play") == "worst" else 1

    def format_meaning(self, game: Game, context: Context) -> str:
        """Return what is asked of, printed from its claim terms."""
        return format_worth(game, context.read_claim_part(game, "worth", self.of))

    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return the number where the game is over. Raises NotShown for a number that is not read at the end, that
        players against each other all lower, or that is for another seat."""
        with raise_unreadable_for_wrong_shape(f"{format_data_shortened(self.of)} asks of no number"):
            number = read_worth(game, self.of, context)
        term, play = number.term, Interpreter(game)
        if term is None or number.after or number.options or number.spread or number.seat != self.seat:
            raise NotShown("expected a number at the end of the game, from the start on, and the seat for whom it is")
        plays = ("best", "worst") if has_no_opposing_sides(game) else ("best",)
        if number.play not in plays or (number.play == "worst") != (self.goal == -1):
            raise NotShown("expected best play, or worst play of players who are not against each other")
        return lambda state: play.value(term, state) if play.terminal(state) else None

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return the expected number to as many digits as are sure."""
        same = to_canonical_json_text(self.of) == to_canonical_json_text(to_plain_json_data(question.of))
        if question.ask != "worth" or not same or question.seeing == "all":
            return None
        value = round_expected_value_or_none(self.low, self.high, question.expect)
        return None if value is None else Decision(value)

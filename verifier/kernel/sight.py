"""What is stated of players who see only what the rules show them, and remember it: a chance, an expected number, or
what a game is worth to two sides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar

from playproof.language import Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.best_answers import (
    MOST_FOLLOWED,
    BestAnswer,
    EndWorth,
    InformationSteps,
    PlanChooser,
    State,
)
from playproof.verifier.kernel.certificate import Certificate, NotShown, require_partners_as_in_game
from playproof.verifier.kernel.claim_values import (
    CLOSE,
    Decision,
    get_asked_seat_or_first,
    has_no_opposing_sides,
    round_expected_value_or_none,
    round_middle_to_9_digits_or_none,
)
from playproof.verifier.kernel.context import ClaimPart, Context
from playproof.verifier.kernel.statements import (
    Event,
    Statement,
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


@dataclass(frozen=True)
class BySight(Subject, ABC):
    """A number that `seat` and its `partners` make great, and all others small. It lies between `low` and `high` under
    best play by what each sees and remembers. Chance falls by its weights."""

    seat: int
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    @property
    def goal_sign(self) -> int:
        """1 if the seats want the number great, -1 if small."""
        return 1

    @abstractmethod
    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return what the number is in a state if play ends there. Raises InputError, or NotShown."""


@dataclass(frozen=True)
class Equilibrium(BySight):
    """With best play by both sides the game is worth between `low` and `high` to the seat, on average."""

    kind: ClassVar[str] = "equilibrium"

    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return what the seat gets where the game is over. Raises NotShown where it is not the same for all seats of a
        side, or what two sides get is not 0 together."""
        play = Interpreter(game)

        def compute_worth_or_none(state: State) -> int | None:
            if not play.terminal(state):
                return None
            returns = play.returns(state)
            by_side = [set(map(returns.__getitem__, side)) for side in game.sides]
            if any(len(worths) > 1 for worths in by_side) or (len(by_side) > 1 and sum(map(sum, by_side)) != 0):
                told = ", ".join(map(str, returns))
                raise NotShown(f"an end is worth {told}: not the same to all of a side, or not 0 to two sides together")
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
        same = self.event.key == target_spec_to_event(question.of, question.within).key
        alone = has_no_opposing_sides(game)
        lucks = ("mean", "worst") if alone else ("mean",)
        is_for_them = get_asked_seat_or_first(question) in (self.seat, *self.partners)
        return same and is_for_them and question.chance in lucks and (alone or question.seeing != "all")


@dataclass(frozen=True)
class ExpectedBySight(BySight):
    """The number is what a `worth` claim asks for, which `of` names as the claim does: its expected value lies between
    `low` and `high`."""

    kind: ClassVar[str] = "expected by sight"
    of: Json

    @property
    def goal_sign(self) -> int:
        """-1 for a number that all lower."""
        return -1 if isinstance(self.of, dict) and self.of.get("play") == "worst" else 1

    def list_claim_parts(self) -> list[ClaimPart]:
        """Return what is asked of."""
        return [("worth", self.of)]

    def read_end_worth(self, game: Game, context: Context) -> EndWorth:
        """Return the number where the game is over. Raises NotShown for a number that is not read at the end, that
        players against each other all lower, or that is for another seat."""
        with raise_unreadable_for_wrong_shape(f"{format_data_shortened(self.of)} asks of no number"):
            number = read_worth(game, self.of, context)
        term, play = number.term, Interpreter(game)
        if term is None or number.after or number.options or number.spread or number.seat != self.seat:
            raise NotShown("expected a number at the end of the game, from the start on, and the seat for whom it is")
        wanted = "best" if self.goal_sign == 1 else "worst"
        if number.play != wanted or (wanted == "worst" and len(game.sides) > 1):
            raise NotShown("expected best play, or worst play of players who are not against each other")
        return lambda state: play.value(term, state) if play.terminal(state) else None

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return the expected number to as many digits as are sure."""
        same = to_canonical_json_text(self.of) == to_canonical_json_text(to_plain_json_data(question.of))
        if question.ask != "worth" or not same or question.seeing == "all":
            return None
        value = round_expected_value_or_none(self.low, self.high, question.expect)
        return None if value is None else Decision(value)


# -- plans --------------------------------------------------------------------------------------------------------

SidePlan = tuple[tuple[int, ...], ...]
"""The weights of the actions of each information set, in the order in which the kernel meets them."""


class OrderedPlan:
    """A plan as evidence holds it, read row by row."""

    def __init__(self, rows: SidePlan) -> None:
        self.rows, self.waiting = rows, iter(rows)
        self.met: dict[object, tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def choose(self, knowledge: object, idents: tuple[int, ...]) -> tuple[int, ...]:
        """Return the weights of actions by what a seat knows. Raises NotShown for what is no plan."""
        if knowledge not in self.met:
            self.met[knowledge] = idents, next(self.waiting, ())
        legal, row = self.met[knowledge]
        if legal != idents:
            raise NotShown("a seat cannot tell two moments apart in which other actions are legal")
        if len(row) != len(idents) or min(row) < 0 or sum(row) <= 0:
            raise NotShown("expected a weight for each action that is met, none negative and not all 0")
        return row


def build_steps_to_ends_of_subject(game: Game, about: BySight, context: Context) -> InformationSteps:
    """Return the steps of a game up to where play ends for a subject. Raises NotShown if it names other seats than play
    together, or if more than two sides play."""
    if len(game.sides) > 2 or not 0 <= about.seat < game.players:
        raise NotShown(f"expected one player or two, or as many teams, and a seat; found seat {about.seat}")
    require_partners_as_in_game(game, about.seat, about.partners)
    return InformationSteps(game, about.read_end_worth(game, context))


def bound_by_best_answers(
    game: Game,
    about: BySight,
    steps: InformationSteps,
    plans: Sequence[PlanChooser],
    most: int = MOST_FOLLOWED,
    *,
    shared: bool = False,
) -> BySight:
    """Return a subject with the bounds that best answers give (`PlansCertificate`). Raises NotShown."""
    side, is_chance = game.get_team_of_seat(about.seat), isinstance(about, ChanceBySight)
    others = tuple(seat for seat in range(game.players) if seat not in side)
    if len(plans) != (2 if others else 0) or (shared and (others or not is_chance)):
        raise NotShown("expected a plan for each of two sides; for one alone none, and `shared` for a chance alone")
    if others:
        low = BestAnswer(steps, [others], plans[0], -1, most).compute_value()
        return replace(about, low=low, high=BestAnswer(steps, [side], plans[1], 1, most).compute_value())
    minds = [side] if shared else [(seat,) for seat in side]
    value = BestAnswer(steps, minds, None, about.goal_sign, most).compute_value()
    return replace(about, low=Fraction(0) if shared else value, high=value)


def require_same_bounds(claimed: BySight, found: BySight, plans: Sequence[OrderedPlan]) -> None:
    """Check that a subject is what was found, and that all rows of the plans were needed. Raises NotShown."""
    if any(len(plan.rows) != len(plan.met) for plan in plans):
        raise NotShown("a plan has more rows than information sets are met")
    if claimed != found:
        told = [f"{subject.low} to {subject.high}" for subject in (found, claimed)]
        raise NotShown(f"found bounds of {told[0]}, the evidence says {told[1]}")


@dataclass(frozen=True)
class PlansCertificate(Certificate):
    """What best play is worth. Of two sides, the plan for that of the seat, and the one for the other: the best answers
    to them bound the number, since either side can hold to its plan. A side alone has no plan here: the number is that
    of its best answer to chance; if `shared`, of partners who tell each other all they see, and from above alone."""

    kind: ClassVar[str] = "plans"
    about: BySight
    plans: tuple[SidePlan, ...]
    shared: bool = field(default=False, kw_only=True, metadata=OMITTED)

    def build_proved_statement(self) -> Statement:
        """State the bounds of what best play is worth."""
        return Statement(self.about)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Answer each plan as well as can be. Raises NotShown if that gives other bounds."""
        steps = build_steps_to_ends_of_subject(game, self.about, context)
        plans = [OrderedPlan(rows) for rows in self.plans]
        found = bound_by_best_answers(game, self.about, steps, [plan.choose for plan in plans], shared=self.shared)
        require_same_bounds(self.about, found, plans)


# -- what to do in each view --------------------------------------------------------------------------------------

MOST_SEEN = 400_000
"""States that are followed, each once after every number of decisions."""
_LONG, _FINE = 512, 1 << 200


@dataclass(frozen=True)
class ViewsCertificate(Certificate):
    """The chance is at least `low` if each seat follows a plan by what it sees and may do when it acts, and by nothing
    else. What has not ended after `steps` decisions counts as missed."""

    kind: ClassVar[str] = "views"
    about: ChanceBySight
    plan: SidePlan
    steps: int

    def build_proved_statement(self) -> Statement:
        """State the bound from below."""
        return Statement(self.about)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Follow the plan. Raises NotShown if it gives another chance."""
        if not has_no_opposing_sides(game):
            raise NotShown("expected players against whom nobody plays")
        steps, plan = build_steps_to_ends_of_subject(game, self.about, context), OrderedPlan(self.plan)
        low = compute_chance_of_plan_by_views(steps, plan.choose, self.steps)
        require_same_bounds(self.about, replace(self.about, low=low, high=Fraction(1)), [plan])


def compute_chance_of_plan_by_views(steps: InformationSteps, choose: PlanChooser, most: int) -> Fraction:
    """Return a bound from below of the chance of ends that are worth 1, if each seat takes the actions that are chosen
    by what it sees, and `most` decisions are taken. Raises NotShown."""
    total, seen = Fraction(steps.worth_at_start or 0), 0
    level = {0: Fraction(1)} if steps.worth_at_start is None else {}
    while level and most > 0:
        most, seen = most - 1, seen + len(level)
        if seen > MOST_SEEN:
            raise NotShown(f"the plan leads through more than {MOST_SEEN:,} states")
        following: dict[int, Fraction] = {}
        for number, chance in level.items():
            choices = steps.get_choices(number)
            weights = choices.weights or choose(steps.get_view(number), choices.idents)
            for weight, to, worth in zip(weights, choices.following, choices.worth, strict=True):
                share = chance * Fraction(weight, sum(weights))
                if worth is not None:
                    total += worth * share
                elif weight:  # a long fraction is replaced by one a little less
                    short = share.denominator.bit_length() <= _LONG
                    share = share if short else Fraction(int(share * _FINE), _FINE)
                    following[to] = following.get(to, Fraction(0)) + share
        level = following
    return total

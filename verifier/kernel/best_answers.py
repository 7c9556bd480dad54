"""What play is worth to players who see only what the rules show them, and remember it: the best answer to a plan.

The seats that *answer* do as well as can be. All others follow a *plan*, which says how often each takes each of its
actions, by all that it was sent so far (or by what it sees now, where it forgets the rest). A *moment* is a state with
what each *mind* knows in it: a seat of the plan, or the seats that answer, each apart or all as one. A *belief* is some
moments, each with how likely it is, such that no mind that answers takes one of them for a moment elsewhere.

The theorem: the best answer is worth what `BestAnswer.compute_value` returns. Behind a belief, each mind that answers
takes one action for all moments that it cannot tell apart, and the best way to choose these is found by trying them
all. What follows falls apart into beliefs, which are answered one by one: no mind meets two of them with the same
knowledge, now or later, since nothing is forgotten. How likely a belief is as a whole, and how what is known in it is
numbered, changes nothing of what is best, so the same belief is answered once. Source: Nayyar, Mahajan, Teneketzis,
"Decentralized stochastic control with partial historical sharing", 2013; Astrom, 1965, for one mind.

The premises, each where it is checked: an action is legal in all moments that a mind takes for one another
(`_list_information_sets`); weights of chance are above 0, and who is to act can (`InformationSteps.get_choices`); no
belief comes again behind itself, unless decisions are counted (`compute_value`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import compress, product
from math import gcd, lcm
from typing import ClassVar

from playproof.language import CHANCE, Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import (
    Certificate,
    NotShown,
    raise_rules_errors_as_not_shown,
    require_partners_as_in_game,
)
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.look_alikes import (
    get_information_sent_at_moment,
    get_what_seat_is_sent_of_decision,
    list_changed_views_during_decision,
)
from playproof.verifier.kernel.sight import BySight, ChanceBySight, EndWorth, State
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.kernel.strict_json import OMITTED
from playproof.verifier.questions.secrecy import Secret

MOST_FOLLOWED = 2_000_000
"""Moments of beliefs, each counted in every belief that holds it, and joint choices of several minds, at most."""
Known = tuple[int, ...]
"""What each mind knows, by number; -1 for one that acts no more."""
Moment = tuple[int, Known]
"""The number of a state, and what is known in it."""
Belief = tuple[tuple[int, int], ...]
"""Moments by number, ascending, each with how likely it is beside the others: whole numbers without common divisor."""
InformationSet = tuple[int, int]
"""A mind that acts, and what it knows."""
PlanChooser = Callable[[object, tuple[int, ...]], Sequence[int]]
"""Returns the weights of actions by what a seat knows. Raises NotShown."""


class TooManyFollowedError(NotShown):
    """Raised if more would have to be followed than may be."""


# -- steps, and what is sent of them ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choices:
    """What may be done in a state. Of each action: its weight, the number of the state behind it, what play is worth if
    it ends there, and what each seat is sent until then, by number."""

    actor: int
    idents: tuple[int, ...]
    weights: tuple[int, ...]
    following: tuple[int, ...]
    worth: tuple[int | None, ...]
    sent: tuple[tuple[int, ...], ...]


class InformationSteps:
    """The states of a game by number, the start first, and the steps between them. `seats` are those that are sent
    something, each what the rules say (`look_alikes`)."""

    def __init__(self, game: Game, end_worth: EndWorth, seats: Sequence[int]) -> None:
        self.play, self.end_worth = Interpreter(game), end_worth
        self.sees = [make_seat_view_without_secret(game, seat) for seat in range(game.players)]
        self.states: list[State] = []
        self._seats, self._numbers, self._sent = seats, dict[State, int](), dict[object, int]()
        self._knowledge: dict[object, int] = {}
        self._choices: dict[int, Choices] = {}
        self._now: dict[State, list[object]] = {}
        with raise_rules_errors_as_not_shown():
            start = tuple(self.play.start())
            self.worth_at_start = end_worth(start)
        self.get_number_of_state(start)

    def get_number_of_state(self, state: State) -> int:
        """Return the number of a state, a new one if it is new."""
        if state not in self._numbers:
            self._numbers[state] = len(self.states)
            self.states.append(state)
        return self._numbers[state]

    def get_knowledge_after(self, seats: tuple[int, ...], knowledge: int, sent: tuple[int, ...]) -> int:
        """Return what seats that are one mind know after what was sent, by number; at the start it is 0."""
        key = seats, knowledge, tuple(sent[seat] for seat in seats)
        return self._knowledge.setdefault(key, len(self._knowledge) + 1)

    def get_choices(self, number: int) -> Choices:
        """Return what may be done in a state. Raises NotShown if nothing may, or for chance without weight."""
        if number not in self._choices:
            self._choices[number] = self._list_choices(self.states[number])
        return self._choices[number]

    def _list_choices(self, state: State) -> Choices:
        play, actor, idents = self.play, self.play.actor(state), tuple(self.play.legal(state))
        if not idents:
            raise NotShown("somebody is to act and cannot")
        weights = tuple(play.weight(state, ident) for ident in idents) if actor == CHANCE else ()
        if weights and min(weights) <= 0:
            raise NotShown("a result of chance has no weight")
        following = [tuple(play.apply(state, ident)) for ident in idents]
        worth = tuple(self.end_worth(after) for after in following)
        numbers, sent = list[int](), list[tuple[int, ...]]()
        for ident, after, end in zip(idents, following, worth, strict=True):
            numbers.append(self.get_number_of_state(after) if end is None else -1)
            sent.append(self._get_numbers_of_what_is_sent(state, ident, after) if end is None else ())
        return Choices(actor, idents, weights, tuple(numbers), worth, tuple(sent))

    def _get_numbers_of_what_is_sent(self, state: State, ident: int, after: State) -> tuple[int, ...]:
        """Return what each seat is sent of a decision, while it is carried out, and behind it."""
        if after not in self._now:
            self._now[after] = [get_information_sent_at_moment(self.play, self.sees[n], after) for n in self._seats]
        reports = [
            (
                get_what_seat_is_sent_of_decision(self.play, self.sees[seat], state, ident),
                tuple(list_changed_views_during_decision(self.play, self.sees[seat], state, ident)),
                now,
            )
            for seat, now in zip(self._seats, self._now[after], strict=True)
        ]
        return tuple(self._sent.setdefault(report, len(self._sent)) for report in reports)


def make_seat_view_without_secret(game: Game, seat: int) -> Secret:
    """Return which cells a seat sees; nothing in particular is a secret."""
    shows: list[bool] = []
    for each in game.fields:
        shows += each.make_mask_of_cells_seen_by_seat(seat, game.players)
    return Secret(seat, frozenset(), frozenset(), tuple(shows))


# -- best answers -------------------------------------------------------------------------------------------------


class BestAnswer:
    """The best answer of some minds to the plan of all other seats, as `choose` gives it. A `sign` of -1 lets them
    lower what play is worth."""

    def __init__(
        self,
        steps: InformationSteps,
        answering: Sequence[tuple[int, ...]],
        choose: PlanChooser | None,
        sign: int = 1,
        most: int = MOST_FOLLOWED,
    ) -> None:
        planned = [(seat,) for seat in range(len(steps.sees)) if all(seat not in mind for mind in answering)]
        self.steps, self.choose, self.sign, self.left = steps, choose, sign, most
        self.minds, self.answering = [*answering, *planned], range(len(answering))
        self.mind_of = {seat: number for number, mind in enumerate(self.minds) for seat in mind}
        self.order: dict[int, int] = {}  # of states, as they are met: it does not hang on what `steps` followed before
        self.moments: list[Moment] = []
        self.numbers: tuple[dict[Moment, int], dict[Belief, int]] = ({}, {})
        self.beliefs: list[Belief] = []
        self.values: list[Fraction | None] = []
        self.learnt: dict[tuple[Known, tuple[int, ...]], Known] = {}
        self.ahead: dict[int, tuple[frozenset[int], Fraction]] = {}

    def compute_value(self) -> Fraction:
        """Return what the best answer is worth. Raises NotShown if the rules break a premise, or after too many
        moves."""
        if self.steps.worth_at_start is not None:
            return Fraction(self.steps.worth_at_start)
        if len(self.answering) > 1:
            self._look_ahead()
        [(_, first)] = self._split_into_beliefs({(0, (0,) * len(self.minds)): 1})
        waiting, behind_itself = [(first, self._find_value(first))], {first}
        while waiting:
            number, finding = waiting[-1]
            needed = next(finding, None)
            if needed is None:
                waiting.pop()
                behind_itself.discard(number)
                continue
            if needed in behind_itself:
                raise NotShown("play may come back to where players know no more than before")
            behind_itself.add(needed)
            waiting.append((needed, self._find_value(needed)))
        value = self.values[first]
        assert value is not None
        return self.sign * value

    def _count(self, more: int) -> None:
        self.left -= more
        if self.left < 0:
            raise TooManyFollowedError("more would have to be followed than is: beliefs, or joint plans of a team")

    def _find_value(self, number: int) -> Iterator[int]:
        """Find the value of a belief, once those that are yielded have theirs."""
        belief = self.beliefs[number]
        sets, best = self._list_information_sets(belief), None
        for places in product(*(range(count) for count in sets.values())):
            total, ended, moved = self._take_step(belief, dict(zip(sets, places, strict=True)))
            self._count(len(self.answering) - 1)
            if best is not None and self.ahead:
                most = sum((weight * self.ahead[state][1] for (state, _), weight in moved.items()), Fraction(ended))
                if most <= best * total:
                    continue
            value = Fraction(ended)
            for weight, behind in self._split_into_beliefs(moved):
                if self.values[behind] is None:
                    yield behind
                known = self.values[behind]
                assert known is not None
                value += weight * known
            best = value / total if best is None else max(best, value / total)
        self.values[number] = best

    def _list_information_sets(self, belief: Belief) -> dict[InformationSet, int]:
        """Return how many actions there are in each information set of who answers. Raises NotShown if they differ
        between moments that look alike."""
        sets: dict[InformationSet, tuple[int, ...]] = {}
        for number, _ in belief:
            state, known = self.moments[number]
            choices = self.steps.get_choices(state)
            mind = self.mind_of[choices.actor] if choices.actor != CHANCE else len(self.minds)
            if mind in self.answering and sets.setdefault((mind, known[mind]), choices.idents) != choices.idents:
                raise NotShown("a seat cannot tell two moments apart in which other actions are legal")
        return {key: len(idents) for key, idents in sets.items()}

    def _take_step(self, belief: Belief, chosen: dict[InformationSet, int]) -> tuple[int, int, dict[Moment, int]]:
        """Return what a step leads to: the moments behind it with their weights, what those that end there are worth
        with theirs, and what all weights are together."""
        rows = [(weight, *self._list_moves(*self.moments[number], chosen)) for number, weight in belief]
        common = lcm(*(sum(share for _, share in moves) for _, _, _, moves in rows))
        ended, moved = 0, dict[Moment, int]()
        for weight, choices, known, moves in rows:
            scale = weight * common // sum(share for _, share in moves)
            for place, share in moves:
                worth = choices.worth[place]
                if worth is not None:
                    ended += self.sign * worth * scale * share
                    continue
                moment = choices.following[place], self._learn(choices.following[place], known, choices.sent[place])
                moved[moment] = moved.get(moment, 0) + scale * share
        return common * sum(weight for weight, _, _, _ in rows), ended, moved

    def _list_moves(
        self, state: int, known: Known, chosen: dict[InformationSet, int]
    ) -> tuple[Choices, Known, list[tuple[int, int]]]:
        """Return what may be done at a moment, what is known there, and the places of what is done with its weights."""
        choices = self.steps.get_choices(state)
        if choices.actor == CHANCE:
            return choices, known, list(enumerate(choices.weights))
        mind = self.mind_of[choices.actor]
        if mind in self.answering:
            return choices, known, [(chosen[mind, known[mind]], 1)]
        assert self.choose is not None
        weights = self.choose((choices.actor, known[mind]), choices.idents)
        return choices, known, [(place, weight) for place, weight in enumerate(weights) if weight]

    def _learn(self, state: int, known: Known, sent: tuple[int, ...]) -> Known:
        """Return what each mind knows in a state, after what was sent."""
        if (known, sent) not in self.learnt:
            pairs = zip(self.minds, known, strict=True)
            self.learnt[known, sent] = tuple(self.steps.get_knowledge_after(m, k, sent) for m, k in pairs)
        learnt = self.learnt[known, sent]
        if not self.ahead:
            return learnt
        minds = self.ahead[state][0]
        return tuple(k if mind in minds else -1 for mind, k in enumerate(learnt))

    def _split_into_beliefs(self, moved: dict[Moment, int]) -> list[tuple[int, int]]:
        """Return the beliefs that moments fall apart into: how likely each is beside the others, and its number."""
        alike: dict[InformationSet, list[Moment]] = {}
        for moment in moved:
            for mind in self.answering:
                if moment[1][mind] >= 0:
                    alike.setdefault((mind, moment[1][mind]), []).append(moment)
        waiting, found = dict.fromkeys(moved), list[tuple[int, int]]()
        while waiting:
            part = [waiting.popitem()[0]]
            for _, known in part:
                for mind in self.answering:
                    for other in alike.pop((mind, known[mind]), ()):
                        if other in waiting:
                            del waiting[other]
                            part.append(other)
            found.append((sum(moved[moment] for moment in part), self._get_number_of_belief(part, moved)))
        return found

    def _get_number_of_belief(self, part: list[Moment], moved: dict[Moment, int]) -> int:
        """Return the number of a belief. What is known is numbered anew in it: only who knows the same counts."""
        names: list[dict[int, int]] = [{-1: -1} for _ in self.answering]
        divisor, belief = gcd(*(moved[moment] for moment in part)), list[tuple[int, int]]()
        for state, known in sorted(part, key=lambda moment: self.order.setdefault(moment[0], len(self.order))):
            anew = [name.setdefault(k, len(name) - 1) for name, k in zip(names, known, strict=False)]
            moment = state, (*anew, *known[len(anew) :])
            number = self.numbers[0].setdefault(moment, len(self.moments))
            if number == len(self.moments):
                self.moments.append(moment)
            belief.append((number, moved[state, known] // divisor))
        key = tuple(sorted(belief))
        number = self.numbers[1].setdefault(key, len(self.beliefs))
        if number == len(self.beliefs):
            self.beliefs.append(key)
            self.values.append(None)
            self._count(len(key))
        return number

    def _look_ahead(self) -> None:
        """Find for each state which minds act in it or later, and what play is worth at most: if all were seen. Raises
        NotShown if play may come back to a state: then it may do so for ever, and so may beliefs."""
        waiting = list[int]()
        for number, _ in enumerate(self.steps.states):
            self.steps.get_choices(number)
            self._count(1)
            waiting.insert(0, number)
        while waiting:
            later = [number for number in waiting if not self._look_ahead_from_state(number)]
            if len(later) == len(waiting):
                raise NotShown("play may come back to a state")
            waiting = later

    def _look_ahead_from_state(self, number: int) -> bool:
        choices = self.steps.get_choices(number)
        if any(to >= 0 and to not in self.ahead for to in choices.following):
            return False
        minds, worths = set[int](), list[Fraction]()
        for to, worth in zip(choices.following, choices.worth, strict=True):
            more, most = self.ahead[to] if worth is None else (frozenset[int](), Fraction(self.sign * worth))
            minds |= more
            worths.append(most)
        if choices.actor == CHANCE:
            mean = sum((w * c for w, c in zip(worths, choices.weights, strict=True)), Fraction(0)) / sum(
                choices.weights
            )
            self.ahead[number] = frozenset(minds), mean
        else:
            self.ahead[number] = frozenset(minds | {self.mind_of[choices.actor]}), max(worths)
        return True


# -- certificates -------------------------------------------------------------------------------------------------

SidePlan = tuple[tuple[int, ...], ...]
"""The weights of the actions of each information set, in the order in which they are met."""


class OrderedPlan:
    """A plan as evidence holds it: a row for each information set, in the order in which they are met."""

    def __init__(self, rows: SidePlan) -> None:
        self.rows = rows
        self.met: dict[object, tuple[int, tuple[int, ...]]] = {}

    def choose(self, knowledge: object, idents: tuple[int, ...]) -> tuple[int, ...]:
        """Return the weights of actions by what a seat knows. Raises NotShown for what is no plan."""
        number, known = self.met.setdefault(knowledge, (len(self.met), idents))
        if known != idents:
            raise NotShown("a seat cannot tell two moments apart in which other actions are legal")
        if number >= len(self.rows):
            raise NotShown("a plan has too few rows for the information sets that are met")
        row = self.rows[number]
        if len(row) != len(idents) or min(row) < 0 or sum(row) <= 0:
            raise NotShown("expected a weight for each action, none negative and not all 0")
        return row

    def require_all_rows_are_met(self) -> None:
        """Raise NotShown if the plan has more rows than information sets are met."""
        if len(self.rows) != len(self.met):
            raise NotShown("a plan has more rows than information sets are met")


@dataclass(frozen=True)
class PlansCertificate(Certificate):
    """What best play is worth. Two sides: a plan for that of the seat, one for the other, and the best answer to each
    bounds the number. Seats against whom nobody plays have no plan here, and the number is exactly that of their best
    answer to chance; `shared`: of the best answer if they told each other what they see, which bounds a chance from
    above."""

    kind: ClassVar[str] = "plans"
    about: BySight
    plans: tuple[SidePlan, ...]
    shared: bool = field(default=False, kw_only=True, metadata=OMITTED)

    def build_proved_statement(self) -> Statement:
        """State the bounds of what best play is worth."""
        return Statement(self.about)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Answer each plan as well as can be. Raises NotShown if that gives other bounds."""
        require_seat_and_partners(game, self.about)
        if len(game.sides) > 2 or len(self.plans) != (2 if len(game.sides) == 2 else 0):
            raise NotShown(
                "expected one player or two, or as many teams; a plan for each of two, and none for one alone"
            )
        plans = [OrderedPlan(rows) for rows in self.plans]
        steps = InformationSteps(game, self.about.read_end_worth(game, context), range(game.players))
        with raise_rules_errors_as_not_shown():
            found = bound_by_best_answers(game, self.about, steps, [plan.choose for plan in plans], shared=self.shared)
        for plan in plans:
            plan.require_all_rows_are_met()
        require_same_bounds(self.about, found)


def bound_by_best_answers(
    game: Game,
    about: BySight,
    steps: InformationSteps,
    plans: Sequence[PlanChooser],
    most: int = MOST_FOLLOWED,
    *,
    shared: bool = False,
) -> BySight:
    """Return a subject with the bounds that best answers give. Raises NotShown."""
    side = game.get_team_of_seat(about.seat)
    if not plans:
        minds = [side] if shared else [(seat,) for seat in side]
        value = BestAnswer(steps, minds, None, about.goal, most).compute_value()
        if shared and not isinstance(about, ChanceBySight):
            raise NotShown("what players would share bounds nothing but a chance")
        return replace(about, low=Fraction(0) if shared else value, high=value)
    others = tuple(seat for seat in range(game.players) if seat not in side)
    low = BestAnswer(steps, [others], plans[0], -1, most).compute_value()
    return replace(about, low=low, high=BestAnswer(steps, [side], plans[1], 1, most).compute_value())


def require_seat_and_partners(game: Game, about: BySight) -> None:
    """Check that a subject speaks of a seat of the game, and of those that play together with it. Raises NotShown."""
    if not 0 <= about.seat < game.players:
        raise NotShown(f"there is no seat {about.seat}")
    require_partners_as_in_game(game, about.seat, about.partners)


def require_same_bounds(claimed: BySight, found: BySight) -> None:
    """Check that a subject is what was found. Raises NotShown."""
    if claimed != found:
        told = [subject.format_true_or_false_sentence(True) for subject in (found, claimed)]
        raise NotShown(f"found that {told[0]}; the evidence says that {told[1]}")


# -- what to do in each view --------------------------------------------------------------------------------------

MOST_SEEN, MOST_STEPS = 400_000, 10_000
"""States and decisions that are followed, each state once after every number of decisions."""
_LONG, _FINE = 512, 1 << 200


@dataclass(frozen=True)
class ViewsCertificate(Certificate):
    """The chance is at least `low` if each seat follows a plan by what it sees and what it may do when it acts, and by
    nothing else. What has not ended after `steps` decisions counts as missed."""

    kind: ClassVar[str] = "views"
    about: ChanceBySight
    plan: SidePlan
    steps: int

    def build_proved_statement(self) -> Statement:
        """State the bound from below."""
        return Statement(self.about)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Follow the plan. Raises NotShown if it gives another chance."""
        require_seat_and_partners(game, self.about)
        if len(game.sides) != 1:
            raise NotShown("expected players against whom nobody plays")
        plan, worth = OrderedPlan(self.plan), self.about.read_end_worth(game, context)
        low = compute_chance_of_plan_by_views(game, worth, plan.choose, self.steps)
        plan.require_all_rows_are_met()
        require_same_bounds(self.about, replace(self.about, low=low, high=Fraction(1)))


def compute_chance_of_plan_by_views(game: Game, end_worth: EndWorth, choose: PlanChooser, max_steps: int) -> Fraction:
    """Return a bound from below of the chance of what is worth 1, if each seat takes the actions that are chosen for
    what it sees. Raises NotShown."""
    if not 0 <= max_steps <= MOST_STEPS:
        raise NotShown(f"expected at most {MOST_STEPS:,} decisions")
    with raise_rules_errors_as_not_shown():
        steps, left = InformationSteps(game, end_worth, ()), MOST_SEEN
        if steps.worth_at_start is not None:
            return Fraction(steps.worth_at_start)
        total, level = Fraction(0), {0: Fraction(1)}
        for _ in range(max_steps):
            left -= len(level)
            if left < 0:
                raise NotShown(f"the plan leads through more than {MOST_SEEN:,} states")
            following: dict[int, Fraction] = {}
            for number, chance in level.items():
                choices = steps.get_choices(number)
                weights = choices.weights or _choose_by_view(steps, number, choose)
                for weight, to, worth in zip(weights, choices.following, choices.worth, strict=True):
                    share = chance * Fraction(weight, sum(weights))
                    if worth is not None:
                        total += worth * share
                    elif weight:
                        following[to] = following.get(to, Fraction(0)) + _shorten_downwards(share)
            level = following
    return total


def _choose_by_view(steps: InformationSteps, number: int, choose: PlanChooser) -> Sequence[int]:
    choices = steps.get_choices(number)
    cells = tuple(compress(steps.states[number], steps.sees[choices.actor].shows))
    return choose((choices.actor, cells, choices.idents), choices.idents)


def _shorten_downwards(chance: Fraction) -> Fraction:
    """Return a chance, or one a little less whose denominator is short."""
    return chance if chance.denominator.bit_length() <= _LONG else Fraction(int(chance * _FINE), _FINE)

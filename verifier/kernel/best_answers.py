"""The best answer to a plan, for players who see only what the rules show them, and remember it.

The seats that *answer* do as well as can be. All others follow a *plan*: how often each takes each of its actions, by
all that it was sent so far. A *mind* is a seat of the plan, or of those that answer: each for itself, or all as one. A
*moment* is a state with what each mind knows there. A *belief* is moments, each with how likely it is, such that no
mind that answers takes one of them for a moment elsewhere.

The theorem: `BestAnswer.compute_value` returns what the best answer is worth. In a belief, each mind that answers takes
one action in all moments that look alike to it; all ways to choose these are tried. What follows falls apart into
beliefs, which are answered one by one: no mind knows the same in two of them, now or later, since nothing is forgotten.
Neither how likely a belief is as a whole nor how what is known in it is numbered changes what is best, so the same
belief is answered once. Sources: Astrom, "Optimal control of Markov processes with incomplete state information", 1965;
Nayyar, Mahajan, Teneketzis, "Decentralized stochastic control with partial historical sharing", 2013.

The premises, where they are checked: in moments that look alike the same is legal (`_list_options`); who is to act can,
and weights of chance are above 0 (`_list_choices`); no belief comes again behind itself (`compute_value`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, compress, product
from math import gcd, lcm

from playproof.language import CHANCE, Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown, raise_rules_errors_as_not_shown
from playproof.verifier.kernel.look_alikes import (
    get_information_sent_at_moment,
    get_what_seat_is_sent_of_decision,
    list_changed_views_during_decision,
)
from playproof.verifier.questions.secrecy import Secret

MOST_FOLLOWED = 2_000_000
"""Moments of beliefs, each counted in every belief that holds it, and joint choices of several minds, at most."""
State = tuple[int, ...]
EndWorth = Callable[[State], "int | None"]
"""What a state is worth if play ends there, else None. Raises NotShown."""
View = tuple[int, State, tuple[int, ...]]
"""Who is to act, the cells that it sees, and what it may do."""
Known = tuple[int, ...]
"""What each mind knows, by number; -1 for one that acts no more."""
Moment = tuple[int, Known]
"""The number of a state, and what is known there."""
Belief = tuple[tuple[Moment, int], ...]
"""Moments, each with how likely it is beside the others: whole numbers without a common divisor."""
PlanChooser = Callable[[object, tuple[int, ...]], Sequence[int]]
"""Returns the weights of actions by what a seat knows. Raises NotShown."""


class TooManyFollowedError(NotShown):
    """Raised if more would have to be followed than may be."""


# -- steps, and what is sent of them ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Choices:
    """What may be done in a state. Of each action: its weight if chance acts, the number of the state behind it (-1 for
    an end), and what play is worth if it ends there."""

    actor: int
    idents: tuple[int, ...]
    weights: tuple[int, ...]
    following: tuple[int, ...]
    worth: tuple[int | None, ...]


class InformationSteps:
    """The states of a game by number, the start first, the steps between them, and what each seat is sent of a step
    (`look_alikes`)."""

    def __init__(self, game: Game, end_worth: EndWorth) -> None:
        self.players, self.play, self.end_worth = game.players, Interpreter(game), end_worth
        self._sees = [self._make_view_of_seat(game, seat) for seat in range(game.players)]
        self.states: list[State] = []
        self._numbers, self._choices = dict[State, int](), dict[int, Choices]()
        self._sent, self._reports = dict[tuple[int, int, int], int](), dict[object, int]()
        self._now, self._knowledge = dict[tuple[int, int], object](), dict[object, int]()
        with raise_rules_errors_as_not_shown():
            start = tuple(self.play.start())
            self.worth_at_start = end_worth(start)
        self._get_number_of_state(start)

    @staticmethod
    def _make_view_of_seat(game: Game, seat: int) -> Secret:
        """Return which cells a seat sees; nothing in particular is a secret."""
        masks = (each.make_mask_of_cells_seen_by_seat(seat, game.players) for each in game.fields)
        return Secret(seat, frozenset(), frozenset(), tuple(chain.from_iterable(masks)))

    def _get_number_of_state(self, state: State) -> int:
        if state not in self._numbers:
            self._numbers[state] = len(self.states)
            self.states.append(state)
        return self._numbers[state]

    def get_choices(self, number: int) -> Choices:
        """Return what may be done in a state. Raises NotShown if nothing may, or for chance without weight."""
        if number not in self._choices:
            with raise_rules_errors_as_not_shown():
                self._choices[number] = self._list_choices(self.states[number])
        return self._choices[number]

    def _list_choices(self, state: State) -> Choices:
        play, actor, idents = self.play, self.play.actor(state), tuple(self.play.legal(state))
        weights = tuple(play.weight(state, ident) for ident in idents) if actor == CHANCE else ()
        if not idents or min(weights, default=1) <= 0:
            raise NotShown("somebody is to act and cannot, or a result of chance has no weight")
        behind = [tuple(play.apply(state, ident)) for ident in idents]
        worth = tuple(self.end_worth(after) for after in behind)
        numbers = (self._get_number_of_state(s) if w is None else -1 for s, w in zip(behind, worth, strict=True))
        return Choices(actor, idents, weights, tuple(numbers), worth)

    def get_view(self, number: int) -> View:
        """Return what whoever acts in a state sees, and may do."""
        choices = self.get_choices(number)
        return choices.actor, tuple(compress(self.states[number], self._sees[choices.actor].shows)), choices.idents

    def get_knowledge_after(self, seats: tuple[int, ...], knowledge: int, number: int, place: int) -> int:
        """Return what seats that are one mind know after an action in a state, by number; at the start it is 0."""
        key = seats, knowledge, tuple(self._get_number_of_what_is_sent(seat, number, place) for seat in seats)
        return self._knowledge.setdefault(key, len(self._knowledge) + 1)

    def _get_number_of_what_is_sent(self, seat: int, number: int, place: int) -> int:
        """Return what a seat is sent of a decision, while it is carried out, and behind it, by number."""
        if (seat, number, place) not in self._sent:
            play, sees, state, choices = self.play, self._sees[seat], self.states[number], self.get_choices(number)
            ident, after = choices.idents[place], choices.following[place]
            with raise_rules_errors_as_not_shown():
                if (seat, after) not in self._now:
                    self._now[seat, after] = get_information_sent_at_moment(play, sees, self.states[after])
                heard = get_what_seat_is_sent_of_decision(play, sees, state, ident)
                seen = tuple(list_changed_views_during_decision(play, sees, state, ident))
            report = heard, seen, self._now[seat, after]
            self._sent[seat, number, place] = self._reports.setdefault(report, len(self._reports))
        return self._sent[seat, number, place]


# -- best answers -------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Option:
    """What ends behind an action are worth, what else lies behind it, and what that is worth at most; all weighted."""

    ended: int = 0
    moved: Counter[Moment] = field(default_factory=Counter)
    most: Fraction | int = 0


class BestAnswer:
    """The best answer of some minds to the plan of all other seats, as `choose` gives it. With `sign` -1 they want play
    to be worth little."""

    def __init__(
        self,
        steps: InformationSteps,
        answering: Sequence[tuple[int, ...]],
        choose: PlanChooser | None,
        sign: int = 1,
        most: int = MOST_FOLLOWED,
    ) -> None:
        planned = [(seat,) for seat in range(steps.players) if seat not in set(chain.from_iterable(answering))]
        self.steps, self.choose, self.sign, self.left = steps, choose, sign, most
        self.minds, self.answering = [*answering, *planned], range(len(answering))
        self.mind_of = {seat: number for number, mind in enumerate(self.minds) for seat in mind}
        self.values: dict[Belief, Fraction | None] = {}  # None while it is being found
        self.ahead: dict[int, tuple[frozenset[int], Fraction]] = {}

    def compute_value(self) -> Fraction:
        """Return what the best answer is worth. Raises NotShown if a premise does not hold, or after too much."""
        if self.steps.worth_at_start is not None:
            return Fraction(self.steps.worth_at_start)
        if len(self.answering) > 1:
            self._look_ahead()
        first: Belief = (((0, (0,) * len(self.minds)), 1),)
        self.values[first], waiting = None, [self._find_value(first)]
        while waiting:
            needed = next(waiting[-1], None)
            if needed is None:
                waiting.pop()
            elif needed in self.values:
                raise NotShown("play may come back to where players know no more than before")
            else:
                self._count(len(needed))
                self.values[needed] = None
                waiting.append(self._find_value(needed))
        return self.sign * (self.values[first] or Fraction(0))

    def _count(self, more: int) -> None:
        self.left -= more
        if self.left < 0:
            raise TooManyFollowedError("there are more beliefs, or joint plans of a team, than are followed")

    def _find_value(self, belief: Belief) -> Iterator[Belief]:
        """Find the value of a belief, once those that are yielded have theirs."""
        total, options = self._list_options(belief)
        best: Fraction | None = None
        for chosen in product(*options):
            self._count(len(self.answering) - 1)
            if best is not None and self.ahead and sum(option.ended + option.most for option in chosen) <= best:
                continue
            value, moved = Fraction(sum(option.ended for option in chosen)), Counter[Moment]()
            for option in chosen:
                moved.update(option.moved)
            for part in self._split_by_knowledge(moved):
                behind = self._make_belief(part, moved)
                if self.values.get(behind) is None:
                    yield behind
                value += sum(moved[moment] for moment in part) * (self.values[behind] or 0)
            best = value if best is None else max(best, value)
        assert best is not None
        self.values[belief] = best / total

    def _list_options(self, belief: Belief) -> tuple[int, list[list[_Option]]]:
        """Return what all weights are together, and the actions of each information set of who answers; what chance and
        the plan do is one without a choice. Raises NotShown if moments that look alike differ in what is legal."""
        rows = [(moment, weight, self.steps.get_choices(moment[0])) for moment, weight in belief]
        shares = [self._get_shares(known, choices) for (_, known), _, choices in rows]
        common = lcm(*(sum(each) or 1 for each in shares))
        options: dict[tuple[int, int] | None, tuple[tuple[int, ...], list[_Option]]] = {None: ((), [_Option()])}
        for (moment, weight, choices), each in zip(rows, shares, strict=True):
            if each:
                for place, share in enumerate(each):
                    self._add_move(options[None][1][0], moment, place, weight * common // sum(each) * share)
                continue
            mind = self.mind_of[choices.actor]
            made = choices.idents, [_Option() for _ in choices.idents]
            legal, actions = options.setdefault((mind, moment[1][mind]), made)
            if legal != choices.idents:
                raise NotShown("a seat cannot tell two moments apart in which other actions are legal")
            for place, option in enumerate(actions):
                self._add_move(option, moment, place, weight * common)
        total = common * sum(weight for _, weight in belief)
        return total, [actions for _, actions in options.values()]

    def _get_shares(self, known: Known, choices: Choices) -> Sequence[int]:
        """Return how often chance or the plan takes each action; nothing for who answers."""
        mind = self.mind_of.get(choices.actor, -1)
        if choices.weights or mind in self.answering or self.choose is None:
            return choices.weights
        return self.choose((choices.actor, known[mind]), choices.idents)

    def _add_move(self, option: _Option, moment: Moment, place: int, weight: int) -> None:
        """Add what an action at a moment leads to, if it is taken at all."""
        (state, known), choices = moment, self.steps.get_choices(moment[0])
        worth, behind = choices.worth[place], choices.following[place]
        if worth is not None:
            option.ended += self.sign * worth * weight
        elif weight:
            acting, most = self.ahead.get(behind, (self.mind_of.values(), 0))
            learnt = tuple(
                self.steps.get_knowledge_after(seats, known[mind], state, place) if mind in acting else -1
                for mind, seats in enumerate(self.minds)
            )
            option.moved[behind, learnt] += weight
            option.most += most * weight

    def _split_by_knowledge(self, moved: Mapping[Moment, int]) -> Iterator[list[Moment]]:
        """Yield the parts of moments that no mind that answers takes for moments of another part."""
        alike: dict[tuple[int, int], list[Moment]] = {}
        for moment in moved:
            for mind in self.answering:
                if moment[1][mind] >= 0:
                    alike.setdefault((mind, moment[1][mind]), []).append(moment)
        waiting = dict.fromkeys(moved)
        while waiting:
            part = [waiting.popitem()[0]]
            for _, known in part:
                for mind in self.answering:
                    for other in alike.pop((mind, known[mind]), ()):
                        if other in waiting:
                            del waiting[other]
                            part.append(other)
            yield part

    def _make_belief(self, part: Sequence[Moment], moved: Mapping[Moment, int]) -> Belief:
        """Return moments as a belief, in the order of their states. What who answers knows is numbered anew: only
        which moments look alike counts."""
        names: list[dict[int, int]] = [{-1: -1} for _ in self.answering]
        divisor, belief = gcd(*(moved[moment] for moment in part)), list[tuple[Moment, int]]()
        for state, known in sorted(part, key=lambda moment: (self.steps.states[moment[0]], moved[moment])):
            anew = tuple(name.setdefault(k, len(name) - 1) for name, k in zip(names, known, strict=False))
            belief.append(((state, anew + known[len(anew) :]), moved[state, known] // divisor))
        return tuple(belief)

    def _look_ahead(self) -> None:
        """Find for each state which minds act in it or later, and what play is worth at most: if all were seen. Raises
        NotShown if play may come back to a state: then it may do so for ever, and so may beliefs."""
        for number, _ in enumerate(self.steps.states):  # which grows
            self.steps.get_choices(number)
            self._count(1)
        self.ahead[-1] = frozenset(), Fraction(0)  # behind an end
        waiting = list(reversed(range(len(self.steps.states))))
        while waiting:
            later = [number for number in waiting if not self._look_ahead_from_state(number)]
            if len(later) == len(waiting):
                raise NotShown("play may come back to a state")
            waiting = later

    def _look_ahead_from_state(self, number: int) -> bool:
        """Do so for one state, if it is done for those behind it. Return whether it was."""
        choices = self.steps.get_choices(number)
        behind = [self.ahead[to] for to in choices.following if to in self.ahead]
        if len(behind) < len(choices.following):
            return False
        pairs = zip(behind, choices.worth, strict=True)
        worths = [most if worth is None else Fraction(self.sign * worth) for (_, most), worth in pairs]
        minds = frozenset[int]().union(*(acting for acting, _ in behind))
        if choices.actor == CHANCE:
            mean = sum((w * c for w, c in zip(worths, choices.weights, strict=True)), Fraction(0)) / sum(
                choices.weights
            )
            self.ahead[number] = minds, mean
        else:
            self.ahead[number] = minds | {self.mind_of[choices.actor]}, max(worths)
        return True

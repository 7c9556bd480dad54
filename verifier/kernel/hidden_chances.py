"""What play is worth to players who see only what the rules show them, and remember it.

Three kinds of evidence show what is stated, a `BySight`: a chance, or the expected value of a number at the end.

* `BeliefsCertificate`: one seat, or partners who see the same, and nobody against them. What they know of the game is
  how likely each state is behind what they were sent, a *belief*. A step leads from a belief to one for each thing that
  they may be sent; the best action is the one behind which most is to be had. The value is exact.
* `HistoriesCertificate`: the tree of `equilibrium`, which ends where the event happens or the game is over.
  Two sides: a plan for each, and the best answers to them. Partners who do not see the same: all joint plans.
* `ViewsCertificate`: a chance from below. What a seat does depends on no more than what it sees at that moment.

Premises, where they are checked: nobody plays against the seats (`require_no_opponents`); an action is legal in
all states of a belief (`_list_legal_actions_or_raise`); weights of chance are above 0; a belief that comes again behind
itself is refused (`compute_value_of_first_belief`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import compress
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
from playproof.verifier.kernel.equilibrium import (
    MOST_MOMENTS,
    NOT_SHARED,
    EndWorth,
    GameTree,
    SidePlan,
    build_tree_of_histories_or_raise,
    compute_best_joint_plan_value,
    compute_lower_and_upper_game_value,
    make_seat_view_without_secret,
)
from playproof.verifier.kernel.look_alikes import (
    get_information_sent_at_moment,
    get_what_seat_is_sent_of_decision,
    list_changed_views_during_decision,
)
from playproof.verifier.kernel.sight import (
    BySight,
    ChanceBySight,
    State,
    require_no_opponents,
    require_same_subject,
)
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.questions.secrecy import Secret

MOST_BELIEVED = 600_000
"""States of beliefs, each counted in every belief that holds it."""
Sent = tuple[object, ...]
"""What each seat is sent of a step."""
Belief = tuple[tuple[State, Fraction], ...]
"""States in ascending order, each with how likely it is."""


class TooManyBelievedError(NotShown):
    """Raised if players may believe more than is followed."""


# -- beliefs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BeliefsCertificate(Certificate):
    """What best play is worth, from all that the seats may believe. Partners count as one who sees what any of them
    sees: where they do not see the same, that bounds a chance from above alone, and the bound from below is 0."""

    kind: ClassVar[str] = "beliefs"
    about: BySight

    def build_proved_statement(self) -> Statement:
        """State the bounds of what best play is worth."""
        return Statement(self.about)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Compute the value from all beliefs. Raises NotShown if it is another."""
        require_no_opponents(game, self.about)
        require_same_subject(self.about, compute_subject_from_beliefs(game, self.about, context))


def compute_subject_from_beliefs(
    game: Game, about: BySight, context: Context, max_believed: int = MOST_BELIEVED
) -> BySight:
    """Return a subject with its bounds. Raises NotShown as `compute_best_value_over_beliefs` does, and for a number of
    partners who do not see the same."""
    value, do_share = compute_best_value_over_beliefs(game, about.read_end_worth(game, context), max_believed)
    if do_share or isinstance(about, ChanceBySight):
        return about.replace_bounds_by_those_of_worth(value if do_share else Fraction(0), value)
    raise NotShown("partners do not see the same")


def compute_best_value_over_beliefs(
    game: Game, end_worth: EndWorth, max_believed: int = MOST_BELIEVED
) -> tuple[Fraction, bool]:
    """Return what best play is worth to all seats together, if each sees what any of them sees; and whether that is no
    more than each knows itself. Raises NotShown if the rules break, if there are more than `max_believed` states in
    beliefs, or if a belief may come again."""
    grower = _BeliefGraph(game, end_worth, max_believed)
    with raise_rules_errors_as_not_shown():
        grower.add_beliefs_until_none_is_new()
    return grower.compute_value_of_first_belief(), grower.do_seats_share


@dataclass(frozen=True, slots=True)
class _Option:
    """What an action, or chance, leads to: what ends there are worth, and beliefs with how likely they are."""

    ended: Fraction
    following: tuple[tuple[Fraction, int], ...]


class _BeliefGraph:
    """All beliefs that may come, each with what is worth to be done."""

    def __init__(self, game: Game, end_worth: EndWorth, most: int) -> None:
        self.play, self.worth, self.most = Interpreter(game), end_worth, most
        self.eyes = [make_seat_view_without_secret(game, seat) for seat in range(game.players)]
        self.numbers: dict[Belief, int] = {}
        self.beliefs: list[Belief] = []
        self.options: list[list[_Option]] = []
        self.steps: dict[State, dict[int, tuple[State, int | None, Sent]]] = {}
        self.now: dict[State, Sent] = {}
        self.believed = 0
        self.first: _Option
        self.do_seats_share = True

    def add_beliefs_until_none_is_new(self) -> None:
        """Begin with the start, and follow every belief."""
        start = tuple(self.play.start())
        worth = self.worth(start)
        if worth is None:
            self.first = _Option(Fraction(0), ((Fraction(1), self._get_or_assign_belief_number({start: Fraction(1)})),))
        else:
            self.first = _Option(Fraction(worth), ())
        while len(self.options) < len(self.beliefs):
            self.options.append(list(self._iter_options_of_belief(self.beliefs[len(self.options)])))

    def _iter_options_of_belief(self, belief: Belief) -> Iterator[_Option]:
        play = self.play
        legal = self._list_legal_actions_or_raise(belief)
        if play.actor(belief[0][0]) != CHANCE:
            for ident in legal:
                yield self._build_option([(state, ident, chance) for state, chance in belief])
            return
        moves = []
        for state, chance in belief:
            weights = {ident: play.weight(state, ident) for ident in self._get_steps_of_state(state)}
            if min(weights.values()) <= 0:
                raise NotShown("a result of chance has no weight")
            share = chance / sum(weights.values())
            moves += [(state, ident, share * weight) for ident, weight in weights.items()]
        yield self._build_option(moves)

    def _list_legal_actions_or_raise(self, belief: Belief) -> list[int]:
        """Return what may be done in every state of a belief: whoever acts is sent what is refused. Raises NotShown,
        also if nothing may."""
        actors = {self.play.actor(state) for state, _ in belief}
        legal = {tuple(self._get_steps_of_state(state)) for state, _ in belief} if actors != {CHANCE} else {()}
        if len(actors) != 1 or len(legal) != 1:
            raise NotShown("two states that look alike differ in who acts, or in what is legal")
        if not all(self._get_steps_of_state(state) for state, _ in belief):
            raise NotShown("somebody is to act and cannot")
        return list(legal.pop())

    def _build_option(self, moves: Sequence[tuple[State, int, Fraction]]) -> _Option:
        """Return what moves lead to, each of them from a state and with how likely it is."""
        ended, groups = Fraction(0), dict[Sent, dict[State, Fraction]]()
        for state, ident, chance in moves:
            after, worth, sent = self._get_steps_of_state(state)[ident]
            if worth is not None:
                ended += chance * worth
                continue
            group = groups.setdefault(sent, {})
            group[after] = group.get(after, Fraction(0)) + chance
        # A plan says what is done, so who tells these groups apart by what it is sent knows what all of them know.
        for seat in range(len(self.eyes)):
            self.do_seats_share &= len({sent[seat] for sent in groups}) == len(groups)
        following = tuple(
            (sum(group.values(), Fraction(0)), self._get_or_assign_belief_number(group)) for group in groups.values()
        )
        return _Option(ended, following)

    def _get_or_assign_belief_number(self, chances: Mapping[State, Fraction]) -> int:
        total = sum(chances.values(), Fraction(0))
        belief = tuple((state, chances[state] / total) for state in sorted(chances))
        if belief not in self.numbers:
            self.believed += len(belief)
            if self.believed > self.most:
                raise TooManyBelievedError(f"there are more than {self.most:,} states in beliefs")
            self.numbers[belief] = len(self.beliefs)
            self.beliefs.append(belief)
        return self.numbers[belief]

    def _get_steps_of_state(self, state: State) -> dict[int, tuple[State, int | None, Sent]]:
        """Return for each legal action the state behind it, what it is worth if play ends there, and what all seats are
        sent until then."""
        if state not in self.steps:
            self.steps[state] = {ident: self._take_step(state, ident) for ident in self.play.legal(state)}
        return self.steps[state]

    def _take_step(self, state: State, ident: int) -> tuple[State, int | None, Sent]:
        play = self.play
        after = tuple(play.apply(state, ident))
        worth = self.worth(after)
        if worth is not None:
            return after, worth, ()
        sent = tuple(
            (
                get_what_seat_is_sent_of_decision(play, eyes, state, ident),
                tuple(list_changed_views_during_decision(play, eyes, state, ident)),
                now,
            )
            for eyes, now in zip(self.eyes, self._get_information_sent_in_state(after), strict=True)
        )
        return after, None, sent

    def _get_information_sent_in_state(self, state: State) -> Sent:
        if state not in self.now:
            self.now[state] = tuple(get_information_sent_at_moment(self.play, eyes, state) for eyes in self.eyes)
        return self.now[state]

    def compute_value_of_first_belief(self) -> Fraction:
        """Return the value at the start. Raises NotShown if a belief may come again."""
        values: dict[int, Fraction] = {}
        waiting, before = [0] * len(self.options), [list[int]() for _ in self.options]
        for number, options in enumerate(self.options):
            behind = {to for option in options for _, to in option.following}
            waiting[number] = len(behind)
            for to in behind:
                before[to].append(number)
        ready = [number for number, count in enumerate(waiting) if count == 0]
        while ready:
            number = ready.pop()
            values[number] = max(_compute_value_of_option(option, values) for option in self.options[number])
            for earlier in before[number]:
                waiting[earlier] -= 1
                if waiting[earlier] == 0:
                    ready.append(earlier)
        if len(values) < len(self.options):
            raise NotShown("play may come back to where players know no more than before")
        return _compute_value_of_option(self.first, values)


def _compute_value_of_option(option: _Option, values: Mapping[int, Fraction]) -> Fraction:
    return option.ended + sum((chance * values[to] for chance, to in option.following), Fraction(0))


# -- histories --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class HistoriesCertificate(Certificate):
    """What best play is worth, from the tree of what all seats come to know. Two sides: a plan for each, that of seat 0
    first. A team against which nobody plays has no plan here: its best joint plan is computed."""

    kind: ClassVar[str] = "histories"
    about: BySight
    plans: tuple[SidePlan, ...]

    def build_proved_statement(self) -> Statement:
        """State the bounds of what best play is worth."""
        return Statement(self.about)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Compute the bounds from the plans, or the value of the best joint plan. Raises NotShown."""
        seat, partners = self.about.get_seat_and_partners()
        if not 0 <= seat < game.players:
            raise NotShown(f"there is no seat {seat}")
        require_partners_as_in_game(game, seat, partners)
        if len(self.plans) != (2 if len(game.sides) == 2 else 0):
            raise NotShown("expected a plan for each of two sides, and none for a side alone")
        tree = build_tree_to_ends_of_subject(game, self.about, context)
        require_same_subject(self.about, compute_subject_from_tree(game, tree, self.about, self.plans))


def build_tree_to_ends_of_subject(
    game: Game, about: BySight, context: Context, max_nodes: int = MOST_MOMENTS
) -> GameTree:
    """Return all moments up to where play ends for a subject, each end with what it is worth to the first side: below 0
    for what is good for the other. Raises NotShown."""
    worth, seat = about.read_end_worth(game, context), about.get_seat_and_partners()[0]
    sign = 1 if seat in game.get_team_of_seat(0) else -1

    def compute_worth_to_first_side(state: State) -> int | None:
        value = worth(state)
        return None if value is None else sign * value

    return build_tree_of_histories_or_raise(game, max_nodes, compute_worth_to_first_side)


def compute_subject_from_tree(game: Game, tree: GameTree, about: BySight, plans: Sequence[SidePlan]) -> BySight:
    """Return a subject with what its side gets at least by its plan, and at most against the other's; without plans,
    with what the best joint plan of a side alone gives. Raises NotShown."""
    if not plans:
        value = compute_best_joint_plan_value(tree)
        return about.replace_bounds_by_those_of_worth(value, value)
    if not tree.do_teammates_share_all_information:
        raise NotShown(NOT_SHARED)
    low, high = compute_lower_and_upper_game_value(tree, plans)
    if about.get_seat_and_partners()[0] not in game.get_team_of_seat(0):
        low, high = -high, -low
    return about.replace_bounds_by_those_of_worth(low, high)


# -- views ------------------------------------------------------------------------------------------------------

MOST_FOLLOWED, MOST_STEPS = 400_000, 10_000
"""States and decisions that are followed, each state once after every number of decisions."""
_LONG, _FINE = 512, 1 << 200
View = tuple[int, tuple[int, ...], tuple[int, ...]]
"""A seat that is to act, the cells that it sees, and what it may do."""


@dataclass(frozen=True)
class ViewsCertificate(Certificate):
    """The chance is at least `low` if each seat takes, in each view, the action of `actions`; in the order in which the
    views are met. What has not ended after `steps` decisions counts as missed."""

    kind: ClassVar[str] = "views"
    about: ChanceBySight
    actions: tuple[int, ...]
    steps: int

    def build_proved_statement(self) -> Statement:
        """State the bound from below."""
        return Statement(self.about)

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Follow the actions. Raises NotShown if one is not legal, or if they give another chance."""
        require_no_opponents(game, self.about)
        chosen = dict[View, int]()

        def choose_next_action(view: View) -> int:
            if len(chosen) >= len(self.actions) and view not in chosen:
                raise NotShown("the evidence has too few actions for the views that are met")
            return chosen.setdefault(view, self.actions[min(len(chosen), len(self.actions) - 1)])

        worth = self.about.read_end_worth(game, context)
        low = compute_chance_of_actions_by_view(game, worth, choose_next_action, self.steps)
        if len(chosen) != len(self.actions):
            raise NotShown("the evidence has more actions than views are met")
        require_same_subject(self.about, self.about.replace_bounds_by_those_of_worth(low, Fraction(1)))


def compute_chance_of_actions_by_view(
    game: Game, end_worth: EndWorth, choose_action: Callable[[View], int], max_steps: int
) -> Fraction:
    """Return a bound from below of the chance of an event if each seat takes the action that is chosen for what it
    sees. Raises NotShown if that is not legal, or after too many states."""
    if not 0 <= max_steps <= MOST_STEPS:
        raise NotShown(f"expected at most {MOST_STEPS:,} decisions")
    play, count = Interpreter(game), 0
    eyes = [make_seat_view_without_secret(game, seat) for seat in range(game.players)]
    total, level = Fraction(0), {tuple(play.start()): Fraction(1)}
    with raise_rules_errors_as_not_shown():
        for _ in range(max_steps + 1):
            count += len(level)
            if count > MOST_FOLLOWED:
                raise NotShown(f"the actions lead through more than {MOST_FOLLOWED:,} states")
            following: dict[State, Fraction] = {}
            for state, chance in sorted(level.items()):
                value = end_worth(state)
                if value is not None:
                    total += value * chance
                    continue
                for after, share in _iter_successors_by_view(play, eyes, state, choose_action):
                    following[after] = following.get(after, Fraction(0)) + _shorten_downwards(chance * share)
            level = following
    return total


def _iter_successors_by_view(
    play: Interpreter, eyes: Sequence[Secret], state: State, choose_action: Callable[[View], int]
) -> Iterator[tuple[State, Fraction]]:
    """Yield what may follow a state, each with its chance. Raises NotShown."""
    legal, seat = tuple(play.legal(state)), play.actor(state)
    if seat != CHANCE:
        action = choose_action((seat, tuple(compress(state, eyes[seat].shows)), legal))
        if action not in legal:
            raise NotShown("an action is not legal in a state that shows its view")
        yield tuple(play.apply(state, action)), Fraction(1)
        return
    weights = [play.weight(state, ident) for ident in legal]
    if min(weights) <= 0:
        raise NotShown("a result of chance has no weight")
    for ident, weight in zip(legal, weights, strict=True):
        yield tuple(play.apply(state, ident)), Fraction(weight, sum(weights))


def _shorten_downwards(chance: Fraction) -> Fraction:
    """Return a chance, or one a little less whose denominator is short."""
    return chance if chance.denominator.bit_length() <= _LONG else Fraction(int(chance * _FINE), _FINE)

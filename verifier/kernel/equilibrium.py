"""What a game with hidden cards is worth: if two sides play their best, from a plan for each that the
evidence names; and to a team against which nobody plays, by the best joint plan of seats that do not
know the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from playproof.language import CHANCE, Interpreter
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import (
    Certificate,
    NotShown,
    raise_rules_errors_as_not_shown,
    require_partners_as_in_game,
)
from playproof.verifier.kernel.claim_values import (
    CLOSE,
    Decision,
    get_asked_seat_or_first,
    round_middle_to_9_digits_or_none,
)
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.look_alikes import (
    get_information_sent_at_moment,
    get_what_seat_is_sent_of_decision,
    list_changed_views_during_decision,
)
from playproof.verifier.kernel.statements import Statement, Subject
from playproof.verifier.kernel.strict_json import OMITTED
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.secrecy import Secret

MOST_MOMENTS = 1_000_000
SidePlan = tuple[tuple[int, ...], ...]
"""The weight of each action of each information set of a seat, both in the order of the tree."""


@dataclass(frozen=True)
class Equilibrium(Subject):
    """With best play by both sides on what they see and remember, the game is worth between `low` and `high` to
    `seat`, and to each of its `partners`, on average."""

    kind: ClassVar[str] = "equilibrium"
    seat: int
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    def decide_question_if_about_it(self, game: Game, question: Question, context: Context) -> Decision | None:
        """Return what the game is worth to the question's seat, to nine digits, if the bounds are so close."""
        if (
            question.ask != "equilibrium"
            or self.seat != get_asked_seat_or_first(question)
            or self.high - self.low > CLOSE
        ):
            return None
        value = round_middle_to_9_digits_or_none(self.low, self.high)
        return None if value is None else Decision(value)


@dataclass(frozen=True)
class EquilibriumPlansCertificate(Certificate):
    """A plan for each side. The best answers to them give the first side, that of seat 0, `low` at least and `high` at
    most. A side alone has no plan here: its best answer to chance is computed."""

    kind: ClassVar[str] = "plans"
    seat: int
    plans: tuple[SidePlan, ...]
    low: Fraction
    high: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    def build_proved_statement(self) -> Statement:
        """State what the game is worth to the seat."""
        is_first = 0 in (self.seat, *self.partners)
        low, high = (self.low, self.high) if is_first else (-self.high, -self.low)
        return Statement(Equilibrium(self.seat, low, high, partners=self.partners))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Answer each plan as well as can be. Raises NotShown."""
        sides = len(game.sides)
        if sides > 2 or not 0 <= self.seat < game.players:
            raise NotShown(f"expected one player or two, or as many teams, and a seat; found {sides}, {self.seat}")
        require_partners_as_in_game(game, self.seat, self.partners)
        if len(self.plans) != (2 if sides == 2 else 0):
            raise NotShown("expected a plan for each of two sides, and none for a player or side alone")
        made = build_tree_of_histories_or_raise(game)
        if not made.do_teammates_share_all_information:
            raise NotShown(NOT_SHARED)
        low, high = compute_lower_and_upper_game_value(made, self.plans)
        if (low, high) != (self.low, self.high):
            raise NotShown(
                f"the plans bound the value by {low} and {high}, the evidence says {self.low} and {self.high}"
            )


# -- the tree ---------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class TreeNode:
    """A state with what each seat knows. `worth` is what an end is worth to the first side. If play goes
    on, `actor` is the side that acts (0 or 1), in an `information_set`, or chance (-1), with weights. `own_set` is the
    information set of the seat itself, by what it alone knows."""

    worth: int = 0
    actor: int = CHANCE
    information_set: int = -1
    weights: tuple[int, ...] = ()
    following: tuple[int, ...] = ()
    own_set: int = -1


@dataclass(slots=True)
class GameTree:
    """All moments of a game, the start first, each before those that it leads to. `actions` holds for each
    side the actions of its information sets, `own_actions` those of the seats' own ones. `depths` are the places at
    which a step more was taken."""

    moments: list[TreeNode] = field(default_factory=list)
    actions: tuple[list[tuple[int, ...]], list[tuple[int, ...]]] = field(default_factory=lambda: ([], []))
    own_actions: list[tuple[int, ...]] = field(default_factory=list)
    depths: list[int] = field(default_factory=lambda: [0])

    @property
    def do_teammates_share_all_information(self) -> bool:
        """Whether each seat, when it acts, knows what all seats of its side know: what it knows itself is a part of
        that, so the two tell equally many moments apart only if they tell the same ones apart."""
        return len(self.own_actions) == sum(map(len, self.actions))


EndWorth = Callable[[tuple[int, ...]], "int | None"]
"""What a state is worth to the first side if play ends there, else None."""


def build_tree_of_histories_or_raise(
    game: Game, max_nodes: int = MOST_MOMENTS, end_worth: EndWorth | None = None
) -> GameTree:
    """Return all moments of a game, whose ends are worth what the rules give, or what `end_worth` says. Raises NotShown
    if they are more than `max_nodes`, if what both sides get in an end is not 0 together, or not the same for all seats
    of a side, or if the rules break."""
    grower = _TreeBuilder(game, max_nodes, end_worth)
    with raise_rules_errors_as_not_shown():
        grower.build_all_nodes_level_by_level()
    return grower.made


NodeKey = tuple[tuple[int, ...], tuple[int, ...]]
"""A state, and what each seat knows, by number."""
NOT_SHARED = "partners who see different things play against another team, and then no value is known here"


class _TreeBuilder:
    """Follows all histories, a step at a time."""

    def __init__(self, game: Game, most: int, end_worth: EndWorth | None) -> None:
        self.play, self.made, self.most = Interpreter(game), GameTree(), most
        self.end_worth: EndWorth = end_worth or self._get_first_side_payoff_or_none
        self.seats = [make_seat_view_without_secret(game, seat) for seat in range(game.players)]
        self.sides = sorted(tuple(sorted(side)) for side in game.sides)
        self.side_of = {seat: number for number, side in enumerate(self.sides) for seat in side}
        self.sequences: dict[object, int] = {}
        self.sets: tuple[dict[object, int], dict[object, int]] = ({}, {})
        self.own_sets: dict[object, int] = {}
        self.moves: dict[tuple[int, ...], list[tuple[int, tuple[int, ...], tuple[object, ...]]]] = {}
        self.now: dict[tuple[int, ...], list[tuple[object, ...]]] = {}

    def build_all_nodes_level_by_level(self) -> None:
        """Add the moments of each step behind those of the last."""
        if len(self.sides) > 2:
            raise NotShown(f"{len(self.sides)} sides play; best play has a value for two")
        level: list[NodeKey] = [(tuple(self.play.start()), (-1,) * len(self.seats))]
        while level:
            following: dict[NodeKey, int] = {}
            first = len(self.made.moments) + len(level)
            for key in level:
                self.made.moments.append(self._make_node_and_queue_successors(key, following, first))
                if first + len(following) > self.most:
                    raise NotShown(f"there are more than {self.most:,} moments")
            level = list(following)
            self.made.depths.append(first)

    def _make_node_and_queue_successors(
        self, state_and_knowledge: NodeKey, next_level_numbers: dict[NodeKey, int], first_next_number: int
    ) -> TreeNode:
        state, information = state_and_knowledge
        play = self.play
        worth = self.end_worth(state)
        if worth is not None:
            return TreeNode(worth)
        moves, actor = self._list_moves_with_successor_and_reports(state), play.actor(state)
        if not moves:
            raise NotShown("somebody is to act and cannot")
        to = tuple(
            self._get_or_assign_next_node_number(after, information, reports, next_level_numbers) + first_next_number
            for _, after, reports in moves
        )
        if actor == CHANCE:
            weights = tuple(play.weight(state, ident) for ident, _, _ in moves)
            if min(weights) <= 0:
                raise NotShown("a result of chance has no weight")
            return TreeNode(0, CHANCE, -1, weights, to)
        side, now = self.side_of[actor], self._get_information_sent_to_each_seat(state)
        idents = tuple(ident for ident, _, _ in moves)
        own = _get_or_assign_information_set_number(
            self.own_sets, self.made.own_actions, (actor, information[actor], now[actor]), idents
        )
        known = tuple((information[seat], now[seat]) for seat in self.sides[side])
        return TreeNode(
            0,
            side,
            _get_or_assign_information_set_number(self.sets[side], self.made.actions[side], known, idents),
            (),
            to,
            own,
        )

    def _get_first_side_payoff_or_none(self, state: tuple[int, ...]) -> int | None:
        """Return what an end is worth to the first side; None if play goes on. Raises NotShown."""
        if not self.play.terminal(state):
            return None
        payoff_by_seat = self.play.returns(state)
        first, *others = (payoff_by_seat[side[0]] for side in self.sides)
        for side in self.sides:
            if any(payoff_by_seat[seat] != payoff_by_seat[side[0]] for seat in side):
                told = ", ".join(map(str, payoff_by_seat))
                raise NotShown(f"an end is worth {told}, not the same to all seats of a team")
        if others and first + others[0] != 0:
            raise NotShown(f"an end is worth {first} and {others[0]}, which is not 0 together")
        return first

    def _get_or_assign_next_node_number(
        self,
        next_state: tuple[int, ...],
        knowledge_before: Sequence[int],
        reports_by_seat: Sequence[object],
        next_level_numbers: dict[NodeKey, int],
    ) -> int:
        """Return the number of a moment of the next step."""
        learnt = [
            self.sequences.setdefault((seat, knowledge_before[seat], what), len(self.sequences))
            for seat, what in enumerate(reports_by_seat)
        ]
        key: NodeKey = (next_state, tuple(learnt))
        return next_level_numbers.setdefault(key, len(next_level_numbers))

    def _get_information_sent_to_each_seat(self, state: tuple[int, ...]) -> list[tuple[object, ...]]:
        if state not in self.now:
            self.now[state] = [get_information_sent_at_moment(self.play, eyes, state) for eyes in self.seats]
        return self.now[state]

    def _list_moves_with_successor_and_reports(
        self, state: tuple[int, ...]
    ) -> list[tuple[int, tuple[int, ...], tuple[object, ...]]]:
        """Return each legal action with the state behind it, and what each seat is sent until then."""
        if state not in self.moves:
            self.moves[state] = [
                (
                    ident,
                    tuple(self.play.apply(state, ident)),
                    tuple(self._list_report_to_each_seat_of_action(state, ident)),
                )
                for ident in self.play.legal(state)
            ]
        return self.moves[state]

    def _list_report_to_each_seat_of_action(self, state: tuple[int, ...], action_id: int) -> list[object]:
        return [
            (
                now,
                get_what_seat_is_sent_of_decision(self.play, eyes, state, action_id),
                tuple(list_changed_views_during_decision(self.play, eyes, state, action_id)),
            )
            for eyes, now in zip(self.seats, self._get_information_sent_to_each_seat(state), strict=True)
        ]


def _get_or_assign_information_set_number(
    number_by_key: dict[object, int],
    actions_by_set: list[tuple[int, ...]],
    set_key: object,
    legal_actions: tuple[int, ...],
) -> int:
    """Return the number of an information set. Raises NotShown if its moments differ in what is legal."""
    if set_key not in number_by_key:
        number_by_key[set_key] = len(actions_by_set)
        actions_by_set.append(legal_actions)
    if actions_by_set[number_by_key[set_key]] != legal_actions:
        raise NotShown("a seat cannot tell two moments apart in which other actions are legal")
    return number_by_key[set_key]


def make_seat_view_without_secret(game: Game, seat: int) -> Secret:
    """Return which cells a seat sees; nothing in particular is a secret."""
    shows: list[bool] = []
    for field_ in game.fields:
        shows += field_.make_mask_of_cells_seen_by_seat(seat, game.players)
    return Secret(seat, frozenset(), frozenset(), tuple(shows))


# -- best answers -----------------------------------------------------------------------------------------------


def compute_lower_and_upper_game_value(tree: GameTree, plans: Sequence[SidePlan]) -> tuple[Fraction, Fraction]:
    """Return what the first side gets at least by its plan, and at most against the other's; both are the
    value itself for a side alone. Raises NotShown for what is no plan."""
    if not plans:
        value = compute_best_response_value(tree, 0, [])
        return value, value
    first, second = (_plan_weights_to_probabilities(tree, seat, plan) for seat, plan in enumerate(plans))
    return -compute_best_response_value(tree, 1, first), compute_best_response_value(tree, 0, second)


def _plan_weights_to_probabilities(tree: GameTree, seat: int, plan: SidePlan) -> list[tuple[Fraction, ...]]:
    """Return how likely each action of each information set is. Raises NotShown."""
    sets = tree.actions[seat]
    if len(plan) != len(sets):
        raise NotShown(f"seat {seat} has {len(sets):,} information sets, its plan has {len(plan):,}")
    chances = []
    for weights, idents in zip(plan, sets, strict=True):
        if len(weights) != len(idents) or min(weights) < 0 or sum(weights) <= 0:
            raise NotShown("expected a weight for each action, none negative and not all 0")
        chances.append(tuple(Fraction(w, sum(weights)) for w in weights))
    return chances


def compute_best_response_value(
    tree: GameTree, responding_side: int, opponent_probabilities: Sequence[tuple[Fraction, ...]]
) -> Fraction:
    """Return the most that a seat can get on average if the other keeps to its plan.

    All moments of an information set lie at one depth, since a seat is sent something at every step. So
    the sets are decided from the last depth to the first, each for the action that is worth most over all
    its moments, each counted as often as chance and the plan lead there.
    """
    moments, sign = tree.moments, 1 if responding_side == 0 else -1
    chances = [_get_probability_of_each_successor(m, responding_side, opponent_probabilities) for m in moments]
    often = _compute_chance_to_reach_each_node(tree, chances)
    worth = [Fraction(0)] * len(moments)
    for first, last in zip(tree.depths[-2::-1], tree.depths[:0:-1], strict=True):
        chosen = _choose_best_action_per_information_set(tree, responding_side, range(first, last), often, worth)
        for number in range(first, last):
            moment = moments[number]
            if not moment.following:
                worth[number] = Fraction(sign * moment.worth)
            elif moment.actor == responding_side:
                worth[number] = worth[moment.following[chosen[moment.information_set]]]
            else:
                shares = zip(moment.following, chances[number], strict=True)
                worth[number] = sum((worth[to] * chance for to, chance in shares if chance), Fraction(0))
    return worth[0]


def _get_probability_of_each_successor(
    node: TreeNode, responding_side: int, opponent_probabilities: Sequence[tuple[Fraction, ...]]
) -> tuple[Fraction, ...]:
    """Return how likely each step is; 1 for each of the seat's own."""
    if node.actor == CHANCE:
        total = sum(node.weights)
        return tuple(Fraction(w, total) for w in node.weights)
    if node.actor == responding_side:
        return (Fraction(1),) * len(node.following)
    return opponent_probabilities[node.information_set]


def _compute_chance_to_reach_each_node(
    tree: GameTree, successor_chances: Sequence[tuple[Fraction, ...]]
) -> list[Fraction]:
    """Return with what chance each moment is reached, if the players do what leads there."""
    often = [Fraction(1), *[Fraction(0)] * (len(tree.moments) - 1)]
    for number, moment in enumerate(tree.moments):
        for to, chance in zip(moment.following, successor_chances[number], strict=True):
            often[to] += often[number] * chance
    return often


def _choose_best_action_per_information_set(
    tree: GameTree,
    responding_side: int,
    node_numbers: range,
    reach_chances: Sequence[Fraction],
    node_worths: Sequence[Fraction],
) -> dict[int, int]:
    """Return the best action of each information set among these moments, by its place."""
    totals: dict[int, list[Fraction]] = {}
    for number in node_numbers:
        moment = tree.moments[number]
        if moment.following and moment.actor == responding_side:
            sums = totals.setdefault(moment.information_set, [Fraction(0)] * len(moment.following))
            for place, to in enumerate(moment.following):
                sums[place] += reach_chances[number] * node_worths[to]
    return {ident: sums.index(max(sums)) for ident, sums in totals.items()}


# -- team plans ----------------------------------------------------------------------------------------------

MOST_CHOICES = 2_000_000
"""Choices that are tried for a joint plan, at most."""
_MOST_MOMENTS = 50_000
_DEEPEST = 120
NodeGroup = frozenset[int]
"""Moments of one depth that are reached."""


@dataclass(frozen=True)
class JointPlanCertificate(Certificate):
    """The best joint plan of a team against which nobody plays gives it `value`, on average."""

    kind: ClassVar[str] = "joint plan"
    seat: int
    value: Fraction
    partners: tuple[int, ...] = field(default=(), kw_only=True, metadata=OMITTED)

    def build_proved_statement(self) -> Statement:
        """State what the game is worth to the team."""
        return Statement(Equilibrium(self.seat, self.value, self.value, partners=self.partners))

    def require_valid_for_game(self, game: Game, context: Context) -> None:
        """Go through the joint plans. Raises NotShown if the best one has another value."""
        if len(game.sides) != 1 or not 0 <= self.seat < game.players:
            raise NotShown("expected a team against which nobody plays, and a seat")
        require_partners_as_in_game(game, self.seat, self.partners)
        value = compute_best_joint_plan_value(build_tree_of_histories_or_raise(game))
        if value != self.value:
            raise NotShown(f"the best joint plan is worth {value}, the evidence says {self.value}")


def compute_best_joint_plan_value(tree: GameTree, max_choices: int = MOST_CHOICES) -> Fraction:
    """Return what the best joint plan of the first side gives on average, if nobody plays against it. Raises NotShown
    if more than `max_choices` choices would have to be tried."""
    if len(tree.moments) > _MOST_MOMENTS or len(tree.depths) > _DEEPEST:
        raise NotShown(f"a game of more than {_MOST_MOMENTS:,} moments or {_DEEPEST} steps has too many joint plans")
    return _JointPlanSearch(tree, max_choices).compute_best_value_of_node_group(frozenset({0}))


class _JointPlanSearch:
    """The best values of groups of moments. All values are weighted: with the chance to reach each moment."""

    def __init__(self, made: GameTree, most: int) -> None:
        self.made, self.left = made, most
        chances = [_get_probability_of_each_successor(m, m.actor, ()) for m in made.moments]
        self.often = _compute_chance_to_reach_each_node(made, chances)
        self.open = _compute_upper_bound_of_each_node(made, self.often, chances)
        self.below = _compute_information_set_bitmask_by_node(made)
        self.known: dict[NodeGroup, Fraction] = {}

    def compute_best_value_of_node_group(self, group: NodeGroup) -> Fraction:
        """Return the best value of a group. Raises NotShown."""
        return sum(
            (
                self._get_best_value_of_part_cached(part)
                for part in self._iter_parts_without_common_information_set(group)
            ),
            Fraction(0),
        )

    def _iter_parts_without_common_information_set(self, group: NodeGroup) -> Iterator[NodeGroup]:
        """Yield the parts of a group that have no information set in common, at this depth or later."""
        parts: list[tuple[int, list[int]]] = []
        for moment in sorted(group):
            sets, members = self.below[moment], [moment]
            apart: list[tuple[int, list[int]]] = []
            for other_sets, others in parts:
                if sets & other_sets:
                    sets, members = sets | other_sets, others + members
                else:
                    apart.append((other_sets, others))
            parts = [*apart, (sets, members)]
        return (frozenset(members) for _, members in parts)

    def _get_best_value_of_part_cached(self, part: NodeGroup) -> Fraction:
        if part not in self.known:
            self.known[part] = self._compute_best_value_of_part(part)
        return self.known[part]

    def _compute_best_value_of_part(self, part: NodeGroup) -> Fraction:
        """Return the best value of a part over all choices of the information sets in it."""
        moments = self.made.moments
        ended, behind, by_set = Fraction(0), list[int](), dict[int, list[int]]()
        for number in sorted(part):
            moment = moments[number]
            if not moment.following:
                ended += self.often[number] * moment.worth
            elif moment.actor == CHANCE:
                behind += moment.following
            else:
                by_set.setdefault(moment.own_set, []).append(number)
        if not by_set:
            return ended + (self.compute_best_value_of_node_group(frozenset(behind)) if behind else 0)
        return ended + self._compute_best_value_over_choices(list(by_set.values()), behind)

    def _compute_best_value_over_choices(
        self, nodes_by_information_set: Sequence[Sequence[int]], nodes_after_chance: Sequence[int]
    ) -> Fraction:
        """Return the best value of what lies behind, once each of the waiting information sets has chosen."""
        best: Fraction | None = None
        for chosen in self._iter_successors_of_each_joint_choice(nodes_by_information_set):
            reached = frozenset([*nodes_after_chance, *chosen])
            if best is None or sum((self.open[m] for m in reached), Fraction(0)) > best:
                value = self.compute_best_value_of_node_group(reached)
                best = value if best is None else max(best, value)
        assert best is not None
        return best

    def _iter_successors_of_each_joint_choice(
        self, nodes_by_information_set: Sequence[Sequence[int]]
    ) -> Iterator[list[int]]:
        """Yield the moments behind each way to choose an action for each information set. Raises NotShown."""
        moments = self.made.moments
        if not nodes_by_information_set:
            self.left -= 1
            if self.left < 0:
                raise NotShown("the team has too many joint plans")
            yield []
            return
        first, *others = nodes_by_information_set
        for place in range(len(moments[first[0]].following)):
            chosen = [moments[number].following[place] for number in first]
            for more in self._iter_successors_of_each_joint_choice(others):
                yield chosen + more


def _compute_upper_bound_of_each_node(
    tree: GameTree, reach_chances: Sequence[Fraction], successor_chances: Sequence[tuple[Fraction, ...]]
) -> list[Fraction]:
    """Return what each moment would give at most, weighted, if whoever acts knew everything."""
    values = [Fraction(0)] * len(tree.moments)
    for number in reversed(range(len(tree.moments))):
        moment = tree.moments[number]
        if not moment.following:
            values[number] = reach_chances[number] * moment.worth
            continue
        # A moment that several lead to counts in each of them with its share.
        shares = [values[to] / reach_chances[to] if reach_chances[to] else Fraction(0) for to in moment.following]
        if moment.actor == CHANCE:
            mean = sum((s * c for s, c in zip(shares, successor_chances[number], strict=True)), Fraction(0))
            values[number] = reach_chances[number] * mean
        else:
            values[number] = reach_chances[number] * max(shares)
    return values


def _compute_information_set_bitmask_by_node(tree: GameTree) -> list[int]:
    """Return the information sets of the seats at and behind each moment, as the bits of a number."""
    below = [0] * len(tree.moments)
    for number in reversed(range(len(tree.moments))):
        moment = tree.moments[number]
        own = 0 if moment.own_set < 0 else 1 << moment.own_set
        for to in moment.following:
            own |= below[to]
        below[number] = own
    return below

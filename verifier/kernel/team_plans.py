"""What a game is worth to a team against which nobody plays, if its seats do not know the same: the best joint plan.

A *joint plan* says for each information set of each seat which action it takes. What a team gets on average is a mean
over joint plans if its seats draw their actions, so the best joint plan is the best that they can do. There are
finitely many; the kernel goes through them, and leaves out what cannot matter:

* A set of moments is *reached* by the choices made so far. Each moment is reached with a chance that chance alone
  decides: whoever comes there by whatever way has seen the same, and has done the same.
* What a choice is worth is a sum over the moments that it leads to. Two groups of reached moments that have no
  information set in common any more are decided apart (*parts*); a group that was met before has its value already.
* A choice is not followed if even the greatest ends that it leaves open give no more than another one.

The premises, and where they are checked: one side plays, as the description says (`check`); the game is finite, all
seats get the same at each end, and no seat forgets (`equilibrium.tree`); all moments of an information set lie at one
depth, since a seat is sent something at every step.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

from playproof.language import CHANCE
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.context import Context
from playproof.verifier.kernel.equilibrium import (
    Equilibrium,
    GameTree,
    build_history_tree_with_information_sets,
)
from playproof.verifier.kernel.sides import require_partners_as_in_game
from playproof.verifier.kernel.statements import Statement
from playproof.verifier.kernel.strict import OMITTED

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
        value = compute_best_joint_plan_value(build_history_tree_with_information_sets(game))
        if value != self.value:
            raise NotShown(f"the best joint plan is worth {value}, the evidence says {self.value}")


def compute_best_joint_plan_value(tree: GameTree, max_choices: int = MOST_CHOICES) -> Fraction:
    """Return what the best joint plan of the first side gives on average, if nobody plays against it. Raises NotShown
    if more than `most` choices would have to be tried."""
    if len(tree.moments) > _MOST_MOMENTS or len(tree.depths) > _DEEPEST:
        raise NotShown(
            f"a game of more than {_MOST_MOMENTS:,} moments or {_DEEPEST} steps has too many joint plans"
        )
    return _JointPlanSearch(tree, max_choices).compute_best_value_of_node_group(frozenset({0}))


class _JointPlanSearch:
    """The best values of groups of moments. All values are weighted: with the chance to reach each moment."""

    def __init__(self, made: GameTree, most: int) -> None:
        self.made, self.left = made, most
        self.often = compute_chance_to_reach_each_node(made)
        self.open = _compute_upper_bound_of_each_node(made, self.often)
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


def compute_chance_to_reach_each_node(tree: GameTree) -> list[Fraction]:
    """Return with what chance each moment is reached, if the players do what leads there."""
    often = [Fraction(0)] * len(tree.moments)
    often[0] = Fraction(1)
    for number, moment in enumerate(tree.moments):
        total = sum(moment.weights)
        for place, to in enumerate(moment.following):
            share = Fraction(moment.weights[place], total) if moment.actor == CHANCE else Fraction(1)
            often[to] += often[number] * share
    return often


def _compute_upper_bound_of_each_node(tree: GameTree, reach_chances: Sequence[Fraction]) -> list[Fraction]:
    """Return what each moment would give at most, weighted, if whoever acts knew everything."""
    values = [Fraction(0)] * len(tree.moments)
    for number in reversed(range(len(tree.moments))):
        moment = tree.moments[number]
        if not moment.following:
            values[number] = reach_chances[number] * moment.worth
            continue
        # A moment that several lead to counts in each of them with its share.
        shares = [
            values[to] / reach_chances[to] if reach_chances[to] else Fraction(0) for to in moment.following
        ]
        if moment.actor == CHANCE:
            total = sum(moment.weights)
            mean = sum((s * w for s, w in zip(shares, moment.weights, strict=True)), Fraction(0)) / total
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

"""What a game with hidden cards is worth if both play their best: plans by linear programming over sequences.

HiGHS proposes plans in floating point, in a separate process. They are rounded to simple fractions if those
still are best answers to each other, else to fine ones. The kernel bounds the value by the best answers to
both, in fractions, so that a bad plan costs precision and nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from playproof.language import CHANCE
from playproof.language.game import Game
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deciding import CLOSE, get_seat
from playproof.verifier.kernel.equilibrium import (
    MOST_MOMENTS,
    NOT_SHARED,
    EquilibriumPlans,
    GameTree,
    SidePlan,
    bound_value_by_plans,
    build_game_tree,
    compute_best_answer,
)
from playproof.verifier.kernel.sides import list_partners
from playproof.verifier.kernel.team_plans import MOST_CHOICES, JointPlan, compute_best_joint_value
from playproof.verifier.proof.highs import run_highs_program
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.work import spend_work

_SIMPLE = (12, 1_000, 100_000)
"""The greatest denominators of simple fractions, which are tried first."""
_FINE = 1 << 34
_NEVER = 1e-9  # a sequence played less often is never played
_MOMENTS = 5_000  # followed in one unit of work
_METHOD = "linear programming over sequences"
_JOINT = "all joint plans of the team"
_CHOICES = 20_000  # tried in one unit of work


def answer_equilibrium_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return what the game is worth to the question's seat, or to the first, on average."""
    game, seat = case.game, get_seat(question)
    if len(game.sides) > 2:
        who = f"{game.players} players" if len(game.sides) == game.players else f"{len(game.sides)} teams"
        return Conclusion(None, _METHOD, (), f"not supported: {who}; best play has a value for two")
    budget.report_progress("following all histories")
    try:
        made = build_game_tree(game, min(MOST_MOMENTS, int(budget.left * _MOMENTS)))
        spend_work(len(made.moments) / _MOMENTS)
        if not made.is_shared:
            return _answer_team_joint_plan(game, made, seat, budget)
        plans = find_best_plans(made, budget) if len(game.sides) == 2 else ()
    except NotShown as error:
        return Conclusion(None, _METHOD, (), f"not supported: {error}")
    if plans is None:
        return Conclusion(
            None, _METHOD, (), "HiGHS came to no plan: it is not installed, or had too little time"
        )
    low, high = bound_value_by_plans(made, plans)
    certificate = EquilibriumPlans(seat, tuple(plans), low, high, partners=list_partners(game, seat))
    if seat not in game.get_team_of_seat(0):
        low, high = -high, -low
    exactly = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    bound = {**exactly, "exploitability": float(high - low)}
    if high - low > CLOSE:
        return Conclusion(None, _METHOD, ((certificate,),), "the bounds do not meet", bound)
    return Conclusion(round(float((low + high) / 2), 9), _METHOD, ((certificate,),), bound=bound)


def _answer_team_joint_plan(game: Game, game_tree: GameTree, seat: int, budget: Budget) -> Conclusion:
    """Return what the best joint plan of a team whose seats do not know the same is worth, if nobody plays against it;
    else why that is open. What the seats would get if they shared what they know is a bound from above."""
    if len(game.sides) > 1:
        return Conclusion(None, _METHOD, (), f"not supported: {NOT_SHARED}")
    most = compute_best_answer(game_tree, 0, [])
    budget.report_progress("joint plans of the team")
    try:
        value = compute_best_joint_value(game_tree, min(MOST_CHOICES, int(budget.left * _CHOICES)))
    except NotShown as error:
        reason = f"{error}; the bound is what it is worth to partners who tell each other all they see"
        return Conclusion(None, _JOINT, (), reason, {"at most": float(most)})
    certificate = JointPlan(seat, value, partners=list_partners(game, seat))
    bound = {"exactly": str(value), "if all is shared": str(most)}
    return Conclusion(round(float(value), 9), _JOINT, ((certificate,),), bound=bound)


def find_best_plans(game_tree: GameTree, budget: Budget) -> tuple[SidePlan, ...] | None:
    """Return a plan for each seat, whose bounds are as close as can be found; None without HiGHS."""
    form = SequenceForm.from_game_tree(game_tree)
    budget.report_progress(
        f"linear programming over {form.sequences[0]:,} and {form.sequences[1]:,} sequences"
    )
    solved = form.solve_with_highs(max(20.0, min(budget.left, budget.seconds)))
    if solved is None:
        return None
    best: tuple[Fraction, tuple[SidePlan, ...]] | None = None
    for plans in _iter_rounded_plans(form, solved):
        low, high = bound_value_by_plans(game_tree, plans)
        if best is None or high - low < best[0]:
            best = high - low, plans
        if high == low:
            break
    return None if best is None else best[1]


def _iter_rounded_plans(
    form: SequenceForm, frequencies: Sequence[Sequence[float]]
) -> Iterator[tuple[SidePlan, ...]]:
    """Yield the plans that floats stand for, in simpler fractions first."""
    for most in (*_SIMPLE, 0):
        yield tuple(_round_seat_plan(form, seat, played, most) for seat, played in enumerate(frequencies))


def _round_seat_plan(
    form: SequenceForm, seat: int, frequencies: Sequence[float], max_denominator: int
) -> SidePlan:
    """Return how often a seat takes each action of each of its information sets."""
    return tuple(
        _frequencies_to_integer_weights([frequencies[s] for s in sequences], max_denominator)
        for _, sequences in form.sets[seat]
    )


def _frequencies_to_integer_weights(frequencies: Sequence[float], max_denominator: int) -> tuple[int, ...]:
    """Return whole numbers in the ratio of these; all alike where nothing is played."""
    total = sum(frequencies)
    if total < _NEVER:
        return (1,) * len(frequencies)
    if max_denominator == 0:
        return tuple(round(p / total * _FINE) for p in frequencies)
    shares = [Fraction(p / total).limit_denominator(max_denominator) for p in frequencies]
    common = math.lcm(*(share.denominator for share in shares))
    weights = tuple(int(share * common) for share in shares)
    return weights if sum(weights) > 0 else (1,) * len(frequencies)


@dataclass(frozen=True, slots=True)
class SequenceForm:
    """A game as sequences of each seat's own actions; 0 is the empty one. `sets` holds for each information
    set the sequence before it and those that go on from it; `paid` what pairs of sequences are worth to the
    first seat, each as often as chance leads there."""

    sequences: tuple[int, int]
    sets: tuple[list[tuple[int, list[int]]], list[tuple[int, list[int]]]]
    paid: dict[tuple[int, int], float]

    @classmethod
    def from_game_tree(cls, game_tree: GameTree) -> SequenceForm:
        """Return the form of a game's moments."""
        first = [_number_first_sequences(actions) for actions in game_tree.actions]
        before: tuple[list[int], list[int]] = (
            [0] * len(game_tree.actions[0]),
            [0] * len(game_tree.actions[1]),
        )
        taken: list[tuple[int, int]] = [(0, 0)] * len(game_tree.moments)
        often, paid = [0.0] * len(game_tree.moments), dict[tuple[int, int], float]()
        often[0] = 1.0
        for number, moment in enumerate(game_tree.moments):
            if not moment.following:
                paid[taken[number]] = paid.get(taken[number], 0.0) + often[number] * moment.worth
                continue
            if moment.actor != CHANCE:
                before[moment.actor][moment.information_set] = taken[number][moment.actor]
            total = sum(moment.weights)
            for place, to in enumerate(moment.following):
                share = moment.weights[place] / total if moment.actor == CHANCE else 1.0
                often[to] += often[number] * share
                taken[to] = _advance_sequences(
                    taken[number], moment.actor, first, moment.information_set, place
                )
        sets = tuple(
            [
                (before[seat][n], list(range(first[seat][n], first[seat][n] + len(idents))))
                for n, idents in enumerate(game_tree.actions[seat])
            ]
            for seat in range(2)
        )
        counts = tuple(1 + sum(map(len, actions)) for actions in game_tree.actions)
        return cls((counts[0], counts[1]), (sets[0], sets[1]), paid)

    def solve_with_highs(self, seconds: float) -> list[list[float]] | None:
        """Return how much each seat plays of each sequence, as HiGHS finds it; None if it is not installed,
        fails or takes too long."""
        task: dict[str, Any] = {
            "sequences": self.sequences,
            "sets": self.sets,
            "paid": [(i, j, worth) for (i, j), worth in self.paid.items()],
        }
        plans: list[list[float]] | None = run_highs_program("plans", task, seconds)
        return plans or None


def _number_first_sequences(actions: Sequence[Sequence[int]]) -> list[int]:
    """Return the number of the first sequence of each information set."""
    firsts, count = [], 1
    for idents in actions:
        firsts.append(count)
        count += len(idents)
    return firsts


def _advance_sequences(
    sequences: tuple[int, int],
    actor: int,
    first_sequences: Sequence[Sequence[int]],
    information_set: int,
    place: int,
) -> tuple[int, int]:
    """Return the sequences behind a step."""
    if actor == CHANCE:
        return sequences
    number = first_sequences[actor][information_set] + place
    return (number, sequences[1]) if actor == 0 else (sequences[0], number)

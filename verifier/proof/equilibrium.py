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
from playproof.verifier.kernel.deciding import CLOSE, seat_of
from playproof.verifier.kernel.equilibrium import (
    MOST_MOMENTS,
    NOT_SHARED,
    Plan,
    Plans,
    Tree,
    best_answer,
    bounds,
    tree,
)
from playproof.verifier.kernel.sides import partners_of
from playproof.verifier.kernel.team_plans import MOST_CHOICES, JointPlan, best_joint_value
from playproof.verifier.proof.highs import asked
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.work import spend

_SIMPLE = (12, 1_000, 100_000)
"""The greatest denominators of simple fractions, which are tried first."""
_FINE = 1 << 34
_NEVER = 1e-9  # a sequence played less often is never played
_MOMENTS = 5_000  # followed in one unit of work
_METHOD = "linear programming over sequences"
_JOINT = "all joint plans of the team"
_CHOICES = 20_000  # tried in one unit of work


def equilibrium(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Return what the game is worth to the question's seat, or to the first, on average."""
    game, seat = case.game, seat_of(question)
    if len(game.sides) > 2:
        who = f"{game.players} players" if len(game.sides) == game.players else f"{len(game.sides)} teams"
        return Conclusion(None, _METHOD, (), f"not supported: {who}; best play has a value for two")
    budget.say("following all histories")
    try:
        made = tree(game, min(MOST_MOMENTS, int(budget.left * _MOMENTS)))
        spend(len(made.moments) / _MOMENTS)
        if not made.is_shared:
            return _joint(game, made, seat, budget)
        plans = best_plans(made, budget) if len(game.sides) == 2 else ()
    except NotShown as error:
        return Conclusion(None, _METHOD, (), f"not supported: {error}")
    if plans is None:
        return Conclusion(
            None, _METHOD, (), "HiGHS came to no plan: it is not installed, or had too little time"
        )
    low, high = bounds(made, plans)
    certificate = Plans(seat, tuple(plans), low, high, partners=partners_of(game, seat))
    if seat not in game.team_of(0):
        low, high = -high, -low
    exactly = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    bound = {**exactly, "exploitability": float(high - low)}
    if high - low > CLOSE:
        return Conclusion(None, _METHOD, ((certificate,),), "the bounds do not meet", bound)
    return Conclusion(round(float((low + high) / 2), 9), _METHOD, ((certificate,),), bound=bound)


def _joint(game: Game, made: Tree, seat: int, budget: Budget) -> Conclusion:
    """Return what the best joint plan of a team whose seats do not know the same is worth, if nobody plays against it;
    else why that is open. What the seats would get if they shared what they know is a bound from above."""
    if len(game.sides) > 1:
        return Conclusion(None, _METHOD, (), f"not supported: {NOT_SHARED}")
    most = best_answer(made, 0, [])
    budget.say("joint plans of the team")
    try:
        value = best_joint_value(made, min(MOST_CHOICES, int(budget.left * _CHOICES)))
    except NotShown as error:
        reason = f"{error}; the bound is what it is worth to partners who tell each other all they see"
        return Conclusion(None, _JOINT, (), reason, {"at most": float(most)})
    certificate = JointPlan(seat, value, partners=partners_of(game, seat))
    bound = {"exactly": str(value), "if all is shared": str(most)}
    return Conclusion(round(float(value), 9), _JOINT, ((certificate,),), bound=bound)


def best_plans(made: Tree, budget: Budget) -> tuple[Plan, ...] | None:
    """Return a plan for each seat, whose bounds are as close as can be found; None without HiGHS."""
    form = Form.of(made)
    budget.say(f"linear programming over {form.sequences[0]:,} and {form.sequences[1]:,} sequences")
    solved = form.solved(max(20.0, min(budget.left, budget.seconds)))
    if solved is None:
        return None
    best: tuple[Fraction, tuple[Plan, ...]] | None = None
    for plans in _rounded(form, solved):
        low, high = bounds(made, plans)
        if best is None or high - low < best[0]:
            best = high - low, plans
        if high == low:
            break
    return None if best is None else best[1]


def _rounded(form: Form, solved: Sequence[Sequence[float]]) -> Iterator[tuple[Plan, ...]]:
    """Yield the plans that floats stand for, in simpler fractions first."""
    for most in (*_SIMPLE, 0):
        yield tuple(_plan(form, seat, played, most) for seat, played in enumerate(solved))


def _plan(form: Form, seat: int, played: Sequence[float], most: int) -> Plan:
    """Return how often a seat takes each action of each of its information sets."""
    return tuple(_weights([played[s] for s in sequences], most) for _, sequences in form.sets[seat])


def _weights(played: Sequence[float], most: int) -> tuple[int, ...]:
    """Return whole numbers in the ratio of these; all alike where nothing is played."""
    total = sum(played)
    if total < _NEVER:
        return (1,) * len(played)
    if most == 0:
        return tuple(round(p / total * _FINE) for p in played)
    shares = [Fraction(p / total).limit_denominator(most) for p in played]
    common = math.lcm(*(share.denominator for share in shares))
    weights = tuple(int(share * common) for share in shares)
    return weights if sum(weights) > 0 else (1,) * len(played)


@dataclass(frozen=True, slots=True)
class Form:
    """A game as sequences of each seat's own actions; 0 is the empty one. `sets` holds for each information
    set the sequence before it and those that go on from it; `paid` what pairs of sequences are worth to the
    first seat, each as often as chance leads there."""

    sequences: tuple[int, int]
    sets: tuple[list[tuple[int, list[int]]], list[tuple[int, list[int]]]]
    paid: dict[tuple[int, int], float]

    @classmethod
    def of(cls, made: Tree) -> Form:
        """Return the form of a game's moments."""
        first = [_firsts(actions) for actions in made.actions]
        before: tuple[list[int], list[int]] = ([0] * len(made.actions[0]), [0] * len(made.actions[1]))
        taken: list[tuple[int, int]] = [(0, 0)] * len(made.moments)
        often, paid = [0.0] * len(made.moments), dict[tuple[int, int], float]()
        often[0] = 1.0
        for number, moment in enumerate(made.moments):
            if not moment.following:
                paid[taken[number]] = paid.get(taken[number], 0.0) + often[number] * moment.worth
                continue
            if moment.actor != CHANCE:
                before[moment.actor][moment.information_set] = taken[number][moment.actor]
            total = sum(moment.weights)
            for place, to in enumerate(moment.following):
                share = moment.weights[place] / total if moment.actor == CHANCE else 1.0
                often[to] += often[number] * share
                taken[to] = _after(taken[number], moment.actor, first, moment.information_set, place)
        sets = tuple(
            [
                (before[seat][n], list(range(first[seat][n], first[seat][n] + len(idents))))
                for n, idents in enumerate(made.actions[seat])
            ]
            for seat in range(2)
        )
        counts = tuple(1 + sum(map(len, actions)) for actions in made.actions)
        return cls((counts[0], counts[1]), (sets[0], sets[1]), paid)

    def solved(self, seconds: float) -> list[list[float]] | None:
        """Return how much each seat plays of each sequence, as HiGHS finds it; None if it is not installed,
        fails or takes too long."""
        task: dict[str, Any] = {
            "sequences": self.sequences,
            "sets": self.sets,
            "paid": [(i, j, worth) for (i, j), worth in self.paid.items()],
        }
        plans: list[list[float]] | None = asked("plans", task, seconds)
        return plans or None


def _firsts(actions: Sequence[Sequence[int]]) -> list[int]:
    """Return the number of the first sequence of each information set."""
    firsts, count = [], 1
    for idents in actions:
        firsts.append(count)
        count += len(idents)
    return firsts


def _after(
    taken: tuple[int, int], actor: int, first: Sequence[Sequence[int]], information_set: int, place: int
) -> tuple[int, int]:
    """Return the sequences behind a step."""
    if actor == CHANCE:
        return taken
    number = first[actor][information_set] + place
    return (number, taken[1]) if actor == 0 else (taken[0], number)

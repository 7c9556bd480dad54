"""How much luck decides: the chance to reach a target under best play, from a complete exploration.

With `chance: best` the shuffle helps, with `worst` it hinders, with `mean` each result counts with
its probability. One seat wants the target: the one that the claim names (`seat: 1`), else the
first; with it, all who play together with it. All others play against them. A player who goes
round in circles for ever has not reached the target.

Best play on states sees everything in them. If a game hides something, the result is an upper bound
for a player who plays alone, or for players who all play together, and says nothing about players
against each other. The answer is therefore given only to a claim about players who see all cards
(`seeing: all`), to players against nobody whose chance is 0 even so, or if no play at all reaches the
target. `kernel/deciding.py` states the theorem.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.database.errors import InputError
from playproof.language import CHANCE
from playproof.language.explorer import Exploration, Graph, TooLarge, graph
from playproof.language.game import Game
from playproof.verifier.estimates.many_states import Goal
from playproof.verifier.estimates.unproved import PART, growth_of, with_estimates
from playproof.verifier.kernel import layered as layered_chances
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.chance import ChanceBounds
from playproof.verifier.kernel.deciding import hides, plays_alone
from playproof.verifier.kernel.evidence import shows
from playproof.verifier.kernel.layered import (
    CompiledChance,
    LayeredChance,
    Ordered,
    SymmetricChance,
    bounds_by_machine,
    bounds_of_chance,
)
from playproof.verifier.kernel.sides import partners_of
from playproof.verifier.kernel.statements import SEE_ALL, Event
from playproof.verifier.kernel.strict import plain
from playproof.verifier.kernel.symmetry import Renaming
from playproof.verifier.proof.best_play import LUCK, Solution, Vertex, solve
from playproof.verifier.proof.evidence import by_states
from playproof.verifier.proof.layering import Limit, few_states, order_and_alike, order_by_machine, order_of
from playproof.verifier.proof.reach import reach
from playproof.verifier.proof.strategy import followed
from playproof.verifier.proof.unanswered import bound_reached, why
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.strategies import EVALUATION
from playproof.verifier.questions.targets import Target, Targets
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Case
from playproof.verifier.search.portfolio import absent

_MOST = 400_000  # states for which best play is worked out
_FEW = 40_000  # states whose values are worked out in exact fractions first
_CLOSE = Fraction(1, 10**9)
_FOR_WHOLE, _FOR_ROUNDS = 0.5, 0.5  # of what is left, if only the first rounds of a game may be gone through
_MOST_ROUNDS = 30


def luck(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Return the chance of the target: true or false for best and worst luck, a number for the
    mean."""
    target = Targets(case.game, question.where).one(question.of, question.within)
    if target.idents is not None:
        return Conclusion(
            None, "exploration", (), "not supported: luck is asked of endings and conditions, not of actions"
        )
    if question.chance == "best" and plays_alone(case.game):
        return reach(case, question, budget)  # alone, and helped by chance, players do whatever can be done
    given = by_strategies(case, question, budget)
    if given.known:
        return given
    alone = plays_alone(case.game) and question.chance == "mean"
    share = budget.share(1 - PART) if alone else budget
    found = _joined(_of_states(case, question, target, share), given)
    if found.known or not alone:
        return found
    found = _joined(found, _by_evaluation(case, question, budget))
    return with_estimates(case, _goal(question, target), seat_of(target), found, budget)


def _goal(question: Question, target: Target) -> Goal:
    """Return what is asked of as a goal of players. A win of the side that plays alone is what bots want."""
    spec = question.of
    is_win = isinstance(spec, Mapping) and spec.get("outcome") == "win" and set(spec) <= {"outcome", "seat"}
    return Goal(target.condition, is_win=is_win and question.within is None)


def _by_evaluation(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Return the chance, as a bound from below, of who always takes the action behind which the declared evaluation is
    greatest."""
    if case.game.evaluations is None or budget.stopped:
        return Conclusion(None, "", ())
    of = {"target": question.of, "play": [{"most": EVALUATION}], "ties": "first"}
    asked = replace(question, ask="strategy", of=of, given=(), expect=None)
    share = Budget(PART * budget.work / 2, budget.states, budget.games, budget.progress)
    try:
        return by_strategies(case, replace(question, given=(asked,)), share)
    except (NotShown, InputError):
        return Conclusion(None, "", ())


def by_strategies(case: Case, question: Question, budget: Budget) -> Conclusion:
    """Return the chance of the best of the strategies that the question is given: play is at least so good."""
    least, offers = Fraction(0), list[tuple[Certificate, ...]]()
    for claim in question.given:
        if claim.ask != "strategy":
            continue
        made = followed(case, replace(claim, values=question.values, rulings=question.rulings), budget)
        for offer in made.offers:
            below = max(each.statement().about.at_least(case.game, question) for each in offer)
            if below > least:
                least, offers = below, [offer]
    bound: dict[str, Any] = {"at least": float(least)} if least else {}
    if least < 1:
        return Conclusion(None, "strategy", tuple(offers), bound=bound)
    value = 1.0 if question.chance == "mean" else True
    return Conclusion(
        value, "the strategy that it is given is sure of it", tuple(offers), bound={"exactly": "1"}
    )


def _joined(found: Conclusion, given: Conclusion) -> Conclusion:
    """Return what all states give, with the bound from below of the strategies, if that is closer."""
    least = given.bound.get("at least", 0)
    if found.known or found.bound.get("at least", 0) >= least:
        return found
    return replace(
        found, offers=(*found.offers, *given.offers), bound={"at most": 1.0, **found.bound, "at least": least}
    )


def _of_states(case: Case, question: Question, target: Target, budget: Budget) -> Conclusion:
    """Return the chance from all states, or from those of the first rounds."""
    few = case.explored(budget, until=lambda now: now.states > _FEW)
    if not few.complete or few.states > _FEW:
        if plays_alone(case.game):
            growth_of(case, _goal(question, target), budget)
        by_layers = layered(case, question, target, budget)
        if by_layers is not None:
            return by_layers
    seen = case.explored(budget)
    if not seen.complete:
        return Conclusion(None, "exploration", (), why(case, budget), bound_reached(case))
    try:
        team = case.game.team_of(seat_of(target))
        places, start = places_of(seen, target, question.chance, team)
    except TooLarge as error:
        return Conclusion(None, "exploration", (), f"memory: {error}", bound_reached(case))
    event = Event(plain(question.of), plain(question.within))
    bounds = certificate(solve(places), event, question.chance, seat_of(target), start)
    bounds = replace(bounds, partners=partners_of(case.game, seat_of(target)))
    shows(bounds, case.game, case.context)  # that the kernel refuses them would be a defect of the search
    by_bounds = answer(case.game, question, bounds)
    if by_bounds.known or not absent(seen, target):
        return by_bounds
    return Conclusion(_no_chance(question), "exploration", (*by_bounds.offers, by_states(case, event, seen)))


def layered(case: Case, question: Question, target: Target, budget: Budget) -> Conclusion | None:
    """Return the answer by layers, in whole numbers rounded down and up; None if there are too many states, and no
    round can be gone through whole."""
    limit = _limit_of(question)
    rounds = case.game.facts.get("round")
    allowed = budget if limit is not None or rounds is None else budget.share(_FOR_WHOLE)
    if not case.explored(allowed, until=lambda now: now.states > _MOST).complete:
        in_columns = None if limit is None else order_of(case, few_states(allowed), limit=limit)
        if in_columns is not None:
            return _by_order(case, question, target, in_columns, ())
        large = _by_machine(case, question, target, allowed, limit)
        if large is not None:
            return large
    event = Event(plain(question.of), plain(question.within))
    order, alike = order_and_alike(case, allowed, event=event, circles=True, limit=limit)
    if order is not None:
        return _by_order(case, question, target, order, alike)
    return None if limit is not None else _first_rounds(case, question, target, budget)


def _limit_of(question: Question) -> Limit | None:
    """Return beyond which number the event cannot happen, as `within: {rounds: 2}` says; or None."""
    within = question.within
    if not isinstance(within, Mapping) or len(within) != 1:
        return None
    [(number, most)] = within.items()
    return Limit(str(number), most) if isinstance(most, int) and most > 0 else None


def _by_machine(
    case: Case, question: Question, target: Target, budget: Budget, limit: Limit | None
) -> Conclusion | None:
    """Return the chance where compiled code goes through the states; None if it does not, or if they are so few that
    the kernel can do so itself."""
    event, seat = Event(plain(question.of), plain(question.within)), seat_of(target)
    large = order_by_machine(case, budget, event, limit)
    if large is None or large[0].states <= layered_chances.MOST_IN_COLUMNS:
        return None
    order, rise = large
    claimed = CompiledChance(
        event,
        question.chance,
        seat,
        order,
        Fraction(0),
        Fraction(1),
        rise,
        partners=partners_of(case.game, seat),
    )
    try:
        low, high = bounds_by_machine(case.game, claimed, case.context)
    except NotShown as error:
        return Conclusion(None, "layers", (), str(error), bound_reached(case))
    method = f"layers, rounded down and up; {order.states:,} states by compiled code"
    return answer(case.game, question, replace(claimed, low=low, high=high), method)


def _by_order(
    case: Case, question: Question, target: Target, order: Ordered, alike: tuple[Renaming, ...]
) -> Conclusion:
    event, seat = Event(plain(question.of), plain(question.within)), seat_of(target)
    partners = partners_of(case.game, seat)
    claimed = LayeredChance(event, question.chance, seat, order, Fraction(0), Fraction(1), partners=partners)
    if alike:
        claimed = SymmetricChance(
            event, question.chance, seat, order, Fraction(0), Fraction(1), alike, partners=partners
        )
    try:
        low, high = bounds_of_chance(case.game, claimed, case.context)
    except NotShown as error:
        return Conclusion(None, "layers", (), str(error), bound_reached(case))
    bounds = replace(claimed, low=low, high=high)
    proposal = answer(case.game, question, bounds, "layers, rounded down and up")
    return (
        proposal if not alike else replace(proposal, method=f"{proposal.method}; alike things counted once")
    )


def _first_rounds(case: Case, question: Question, target: Target, budget: Budget) -> Conclusion | None:
    """Return bounds from the first rounds, as many as can be gone through: what is won in them, is won. None if not one
    can."""
    name = case.game.facts.get("round")
    if name is None or question.chance == "best":
        return None
    first = int(case.play.value(Targets(case.game).number(name), case.first))
    best: Conclusion | None = None
    for most in range(max(first, 1), first + _MOST_ROUNDS):
        share, limit = budget.share(_FOR_ROUNDS), Limit(name, most)
        order = order_of(case, share, circles=True, limit=limit)
        within = None if order is None else _by_order(case, question, target, order, ())
        within = within or _by_machine(case, question, target, share, limit)
        if within is None:
            break
        best = within
    return best


def _no_chance(question: Question) -> bool | float:
    """Return the answer of a question whose target nobody can reach."""
    return 0.0 if question.chance == "mean" else False


def answer(
    game: Game, question: Question, bounds: ChanceBounds | LayeredChance, method: str = "exploration"
) -> Conclusion:
    """Return the certificate's answer to the question, and for whom it holds."""
    offers = ((bounds,),)
    low, high = bounds.bounds
    blind = hides(game) and question.seeing != "all"  # the players do not see all that best play sees
    if blind and plays_alone(game) and high <= 0:  # who sees less has no more
        return Conclusion(_no_chance(question), method, offers)
    bound: dict[str, Any] = {"whom": f"for {SEE_ALL}"} if hides(game) else {}
    if high - low > _CLOSE:
        return Conclusion(None, method, offers, "the bounds do not meet", {**bound, **_between(low, high)})
    if blind:
        alone = {"at most": _number(high)} if plays_alone(game) else {f"value for {SEE_ALL}": _number(low)}
        reason = f"something is hidden: the chance is known only for {SEE_ALL} (`seeing: all` asks of them)"
        return Conclusion(None, method, offers, reason, {**bound, **alone})
    if question.chance == "mean":
        exactly = {"exactly": str(low)} if low == high else _between(low, high)
        return Conclusion(_number(low), method, offers, bound={**bound, **exactly})
    return Conclusion(low > 0, method, offers, bound=bound)


def _between(low: Fraction, high: Fraction) -> dict[str, Any]:
    return {"at least": float(low), "at most": float(high)}


def _number(value: Fraction) -> float:
    return round(float(value), 9)


def seat_of(target: Target) -> int:
    """Return the seat that wants the target, with its team: the one it names, else the first."""
    spec = target.spec
    return int(spec["seat"]) if isinstance(spec, Mapping) and spec.get("seat") is not None else 0


def certificate(solution: Solution, event: Event, luck: str, seat: int, start: int) -> ChanceBounds:
    """Return the bounds as the kernel reads them, with each value listed once."""
    values = sorted({*solution.lower, *solution.upper})
    number = {value: n for n, value in enumerate(values)}
    return ChanceBounds(
        event,
        luck,
        seat,
        tuple(values),
        tuple(number[v] for v in solution.upper),
        tuple(number[v] for v in solution.lower),
        tuple(solution.ranks),
        start,
    )


# -- from an exploration ------------------------------------------------------------------------------------------


def places_of(seen: Exploration, target: Target, luck: str, seats: Sequence[int]) -> tuple[list[Vertex], int]:
    """Return the explored states, numbered as the kernel numbers them, and the number of the first
    state. Raises TooLarge if there are too many."""
    if seen.states > _MOST:
        raise TooLarge(f"{seen.states:,} states, and best play is worked out for {_MOST:,}")
    net = graph(seen)
    reached = np.zeros(seen.states, dtype=bool)
    reached[seen.rows(target.condition)] = True
    rows = np.lexsort(seen.columns(0, seen.states)[::-1])
    number = np.empty(seen.states, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    return [_place(net, int(row), bool(reached[row]), number, luck, seats) for row in rows], int(number[0])


def _place(
    net: Graph, row: int, reached: bool, number: npt.NDArray[np.int64], luck: str, seats: Sequence[int]
) -> Vertex:
    first, last = int(net.first[row]), int(net.first[row + 1])
    if reached or first == last:
        return Vertex(int(reached), "mean", ())
    edges = tuple(zip(number[net.to[first:last]].tolist(), net.chance[first:last].tolist(), strict=True))
    actor = int(net.actors[row])
    if actor == CHANCE:
        return Vertex(None, LUCK[luck], edges)
    return Vertex(None, "most" if actor in seats else "least", edges)

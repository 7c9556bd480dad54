"""How much luck decides: the chance to reach a target under best play, from a complete exploration.

With `chance: best` the shuffle helps, with `worst` it hinders, with `mean` each result counts with
its probability. One seat wants the target: the one that the claim names (`seat: 1`), else the
first; with it, all who play together with it. All others play against them. A player who goes
round in circles for ever has not reached the target.

Best play on states sees everything in them. If a game hides something, the result is an upper bound
for a player who plays alone, or for players who all play together, and says nothing about players
against each other. The answer is therefore given only to a claim about players who see all cards
(`seeing: all`), to players against nobody whose chance is 0 even so, or if no play at all reaches the
target. `kernel/claim_values.py` states the theorem."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.database.errors import InputError
from playproof.language import CHANCE
from playproof.language.explorer import Exploration, GraphTooLargeError, SuccessorGraph, graph
from playproof.language.game import Game
from playproof.verifier.estimates.estimated_bounds import (
    PART,
    add_estimates_to_open_conclusion,
    estimate_state_count_of_case_or_none,
)
from playproof.verifier.estimates.many_states import Goal
from playproof.verifier.kernel import closed_set_certificate
from playproof.verifier.kernel.certificate import Certificate, NotShown, list_partners_of_seat
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import has_fields_hidden_from_some_player, has_no_opposing_sides
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate, Vector, compute_chance_bounds
from playproof.verifier.kernel.context import Cut
from playproof.verifier.kernel.evidence import check_certificate_to_theorem
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.statements import Event, EventChance
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.proof.best_play import LUCK, BestPlayBounds, Vertex, compute_best_play_bounds
from playproof.verifier.proof.certificate_offers import build_exploration_certificate_excluding_event
from playproof.verifier.proof.explanations import (
    conclude_open_after_exploration,
    get_exploration_progress_as_json,
)
from playproof.verifier.proof.layering import (
    NO_LIMIT,
    find_compiled_layers_or_none,
    find_layers_or_none,
    find_layers_with_renamings_or_none,
    make_budget_for_few_states,
)
from playproof.verifier.proof.plans_by_view import bound_chance_by_views
from playproof.verifier.proof.play_by_sight import answer_chance_by_sight
from playproof.verifier.proof.reach import answer_reach_claim
from playproof.verifier.proof.worth import answer_strategy_claim
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.statement_words import SEE_ALL
from playproof.verifier.questions.strategies import EVALUATION
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import HIDDEN, Conclusion
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.portfolio import is_target_absent_from_exploration

_MOST = 400_000  # states for which best play is worked out
_FEW = 40_000  # states whose values are worked out in exact fractions first
_CLOSE = Fraction(1, 10**9)
_FOR_WHOLE, _FOR_ROUNDS = 0.5, 0.5  # of what is left, if only the first rounds of a game may be gone through
_MOST_ROUNDS = 30
_FOR_VIEWS = 0.5  # of what is left, for play by what is seen


def answer_luck_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the chance of the target: true or false for best and worst luck, a number for the
    mean."""
    target = TargetReader(case.game, question.where).read_single_target_of_spec(question.of, question.within)
    if target.idents is not None:
        return Conclusion(
            None, "exploration", (), "not supported: luck is asked of endings and conditions, not of actions"
        )
    if question.chance == "best" and has_no_opposing_sides(case.game):
        # alone, and helped by chance, players do whatever can be done
        return answer_reach_claim(case, question, budget)
    given = bound_chance_by_strategies_given_to_claim(case, question, budget)
    if given.known:
        return given
    by_sight = answer_chance_by_sight(case, question, get_seat_of_target_or_first(target), budget)
    if by_sight.known:
        return _answer_luck_from_mean_chance(question, by_sight)
    alone = has_no_opposing_sides(case.game) and question.chance == "mean"
    share = budget.make_budget_of_share(1 - PART) if alone else budget
    found = _add_strategy_bound_if_closer(_answer_chance_from_states(case, question, target, share), given)
    found = _add_bounds_by_sight(case, question, target, found, by_sight, budget)
    if found.known or not alone:
        return found
    found = _add_strategy_bound_if_closer(found, _bound_chance_by_evaluation_player(case, question, budget))
    return add_estimates_to_open_conclusion(
        case, _make_goal_of_target(question, target), get_seat_of_target_or_first(target), found, budget
    )


def _answer_luck_from_mean_chance(question: Question, conclusion: Conclusion) -> Conclusion:
    """Return the answer under the question's luck: chance that hinders leaves what is sure."""
    if question.chance == "mean":
        return conclusion
    return replace(conclusion, value=conclusion.bound.get("exactly") == "1", bound={})


def _add_bounds_by_sight(
    case: GameCase, question: Question, target: Target, conclusion: Conclusion, by_sight: Conclusion, budget: Budget
) -> Conclusion:
    """Return an open conclusion about players who do not see all, with the bounds from what they may see."""
    if conclusion.known or question.seeing == "all" or not has_fields_hidden_from_some_player(case.game):
        return conclusion
    if question.chance != "mean":
        return replace(conclusion, offers=(*conclusion.offers, *by_sight.offers))
    event = Event(to_plain_json_data(question.of), to_plain_json_data(question.within))
    seat = get_seat_of_target_or_first(target)
    views = bound_chance_by_views(case, event, seat, budget.make_budget_of_share(_FOR_VIEWS))
    bound, offers = dict(conclusion.bound), conclusion.offers
    for other in (by_sight, views):
        least, most = other.bound.get("at least", 0), other.bound.get("at most", 1)
        if least > bound.get("at least", 0):
            bound["at least"], offers = least, (*offers, *other.offers)
        if most < bound.get("at most", 1):
            bound["at most"], offers = most, (*offers, *other.offers)
    if bound.get("at most", 2) - bound.get("at least", 0) <= _CLOSE:
        return Conclusion(bound["at least"], views.method, offers, bound=bound)
    return replace(conclusion, offers=offers, bound=bound)


def _make_goal_of_target(question: Question, target: Target) -> Goal:
    """Return what is asked of as a goal of players. A win of the side that plays alone is what bots want."""
    spec = question.of
    is_win = isinstance(spec, Mapping) and spec.get("outcome") == "win" and set(spec) <= {"outcome", "seat"}
    return Goal(target.condition, is_win=is_win and question.within is None)


def _bound_chance_by_evaluation_player(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the chance, as a bound from below, of who always takes the action behind which the declared evaluation is
    greatest."""
    if case.game.evaluations is None or budget.stopped:
        return Conclusion(None, "", ())
    of = {"target": question.of, "play": [{"most": EVALUATION}], "ties": "first"}
    asked = replace(question, ask="strategy", of=of, given=(), expect=None)
    share = Budget(PART * budget.work / 2, budget.states, budget.games, budget.progress)
    try:
        return bound_chance_by_strategies_given_to_claim(case, replace(question, given=(asked,)), share)
    except (NotShown, InputError):
        return Conclusion(None, "", ())


def bound_chance_by_strategies_given_to_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the chance of the best of the strategies that the question is given: play is at least so good."""
    least, offers = Fraction(0), list[tuple[Certificate, ...]]()
    for claim in question.given:
        if claim.ask != "strategy":
            continue
        made = answer_strategy_claim(case, replace(claim, values=question.values, rulings=question.rulings), budget)
        for offer in made.offers:
            below = max(
                each.build_proved_statement().about.get_lower_bound_of_asked_chance(case.game, question, case.context)
                for each in offer
            )
            if below > least:
                least, offers = below, [offer]
    bound: dict[str, Any] = {"at least": float(least)} if least else {}
    if least < 1:
        return Conclusion(None, "strategy", tuple(offers), bound=bound)
    value = 1.0 if question.chance == "mean" else True
    return Conclusion(value, "the strategy that it is given is sure of it", tuple(offers), bound={"exactly": "1"})


def _add_strategy_bound_if_closer(conclusion: Conclusion, strategy_conclusion: Conclusion) -> Conclusion:
    """Return what all states give, with the bound from below of the strategies, if that is closer."""
    least = strategy_conclusion.bound.get("at least", 0)
    if conclusion.known or conclusion.bound.get("at least", 0) >= least:
        return conclusion
    return replace(
        conclusion,
        offers=(*conclusion.offers, *strategy_conclusion.offers),
        bound={"at most": 1.0, **conclusion.bound, "at least": least},
    )


def _answer_chance_from_states(case: GameCase, question: Question, target: Target, budget: Budget) -> Conclusion:
    """Return the chance from all states, or from those of the first rounds."""
    few = case.extend_shared_exploration(budget, is_enough=lambda now: now.states > _FEW)
    if not few.complete or few.states > _FEW:
        if has_no_opposing_sides(case.game):
            estimate_state_count_of_case_or_none(
                case, _make_goal_of_target(question, target), budget, budget.work / (1 - PART)
            )
        by_layers = answer_chance_by_layers_or_none(case, question, target, budget)
        if by_layers is not None:
            return by_layers
    seen = case.extend_shared_exploration(budget)
    if not seen.complete:
        return conclude_open_after_exploration(case, budget, "exploration")
    try:
        team = case.game.get_team_of_seat(get_seat_of_target_or_first(target))
        places, start = exploration_to_vertices_and_start_number(seen, target, question.chance, team)
    except GraphTooLargeError as error:
        return Conclusion(None, "exploration", (), f"memory: {error}", get_exploration_progress_as_json(case))
    about = _build_chance_asked_about(case.game, question, target)
    bounds = solution_to_chance_certificate(compute_best_play_bounds(places), about, start)
    check_certificate_to_theorem(
        bounds, case.game, case.context
    )  # that the kernel refuses them would be a defect of the search
    by_bounds = build_conclusion_from_chance_bounds(case.game, question, bounds)
    if by_bounds.known or not is_target_absent_from_exploration(seen, target):
        return by_bounds
    return Conclusion(
        _get_answer_for_unreachable_target(question),
        "exploration",
        (*by_bounds.offers, build_exploration_certificate_excluding_event(case, about.event, seen)),
    )


def _build_chance_asked_about(game: Game, question: Question, target: Target) -> EventChance:
    """Return the chance that a question asks about, of which nothing is known yet."""
    event, seat = (
        Event(to_plain_json_data(question.of), to_plain_json_data(question.within)),
        get_seat_of_target_or_first(target),
    )
    return EventChance(
        event, question.chance, seat, Fraction(0), Fraction(1), partners=list_partners_of_seat(game, seat)
    )


def answer_chance_by_layers_or_none(
    case: GameCase, question: Question, target: Target, budget: Budget
) -> Conclusion | None:
    """Return the answer by layers, in whole numbers rounded down and up; None if there are too many states, and no
    round can be gone through whole."""
    limit, about = _read_number_limit_of_within(question), _build_chance_asked_about(case.game, question, target)
    rounds = case.game.facts.get("round")
    allowed = budget if limit != NO_LIMIT or rounds is None else budget.make_budget_of_share(_FOR_WHOLE)
    most = closed_set_certificate.MOST_IN_COLUMNS
    if not case.extend_shared_exploration(allowed, is_enough=lambda now: now.states > most).complete:
        few = make_budget_for_few_states(allowed)
        in_columns = None if limit == NO_LIMIT else find_layers_or_none(case, few, limit=limit)
        if in_columns is not None:
            return _answer_chance_by_listing(case, question, about, in_columns)
        large = _answer_chance_by_compiled_layers_or_none(case, question, about, allowed, limit)
        if large is not None:
            return large
    listing = find_layers_with_renamings_or_none(case, allowed, event=about.event, allow_cycles=True, limit=limit)
    if listing is not None:
        return _answer_chance_by_listing(case, question, about, listing)
    return None if limit != NO_LIMIT else _bound_chance_by_first_rounds_or_none(case, question, about, budget)


def _read_number_limit_of_within(question: Question) -> Cut:
    """Return beyond which number the event cannot happen, as `within: {rounds: 2}` says."""
    within = question.within
    if not isinstance(within, Mapping) or len(within) != 1:
        return NO_LIMIT
    [(number, most)] = within.items()
    return (str(number), most) if isinstance(most, int) and most > 0 else NO_LIMIT


def _answer_chance_by_compiled_layers_or_none(
    case: GameCase, question: Question, about: EventChance, budget: Budget, limit: Cut
) -> Conclusion | None:
    """Return the chance where compiled code goes through the states; None if it does not, or if they are so few that
    the kernel can do so itself."""
    large = find_compiled_layers_or_none(case, budget, about.event, limit)
    if large is None or large.states <= closed_set_certificate.MOST_IN_COLUMNS:
        return None
    return _answer_chance_by_listing(case, question, about, large)


def _answer_chance_by_listing(case: GameCase, question: Question, about: EventChance, listing: Listing) -> Conclusion:
    """Return the chance that the kernel computes from the states of a listing, or why it does not."""
    try:
        low, high = compute_chance_bounds(case.game, about, listing, case.context)
    except NotShown as error:
        return Conclusion(None, "layers", (), str(error), get_exploration_progress_as_json(case))
    certificate = ClosedSetCertificate(replace(about, low=low, high=high), listing)
    alike = "; alike things counted once" if listing.alike else ""
    by_machine = f"; {listing.states:,} states by compiled code" if listing.rise else ""
    method = f"layers, rounded down and up{by_machine}{alike}"
    return build_conclusion_from_chance_bounds(case.game, question, certificate, method)


def _bound_chance_by_first_rounds_or_none(
    case: GameCase, question: Question, about: EventChance, budget: Budget
) -> Conclusion | None:
    """Return bounds from the first rounds, as many as can be gone through: what is won in them, is won. None if not one
    can."""
    name = case.game.facts.get("round")
    if name is None or question.chance == "best":
        return None
    first = int(case.play.value(TargetReader(case.game).number_text_to_term(name), case.first))
    best: Conclusion | None = None
    for most in range(max(first, 1), first + _MOST_ROUNDS):
        share, limit = budget.make_budget_of_share(_FOR_ROUNDS), (name, most)
        listing = find_layers_or_none(case, share, allow_cycles=True, limit=limit)
        within = None if listing is None else _answer_chance_by_listing(case, question, about, listing)
        within = within or _answer_chance_by_compiled_layers_or_none(case, question, about, share, limit)
        if within is None:
            break
        best = within
    return best


def _get_answer_for_unreachable_target(question: Question) -> bool | float:
    """Return the answer of a question whose target nobody can reach."""
    return 0.0 if question.chance == "mean" else False


def build_conclusion_from_chance_bounds(
    game: Game, question: Question, certificate: ClosedSetCertificate, method: str = "exploration"
) -> Conclusion:
    """Return the certificate's answer to the question, and for whom it holds."""
    offers = ((certificate,),)
    about = certificate.about
    assert isinstance(about, EventChance)
    low, high = about.low, about.high
    blind = (
        has_fields_hidden_from_some_player(game) and question.seeing != "all"
    )  # the players do not see all that best play sees
    if blind and has_no_opposing_sides(game) and high <= 0:  # who sees less has no more
        return Conclusion(_get_answer_for_unreachable_target(question), method, offers)
    bound: dict[str, Any] = {"whom": f"for {SEE_ALL}"} if has_fields_hidden_from_some_player(game) else {}
    if high - low > _CLOSE:
        return Conclusion(
            None, method, offers, "the bounds do not meet", {**bound, **_chance_bounds_to_json(low, high)}
        )
    if blind:
        alone = (
            {"at most": _round_fraction_to_nine_digits(high)}
            if has_no_opposing_sides(game)
            else {f"value for {SEE_ALL}": _round_fraction_to_nine_digits(low)}
        )
        reason = f"{HIDDEN}: the chance is known only for {SEE_ALL} (`seeing: all` asks of them)"
        return Conclusion(None, method, offers, reason, {**bound, **alone})
    if question.chance == "mean":
        exactly = {"exactly": str(low)} if low == high else _chance_bounds_to_json(low, high)
        return Conclusion(_round_fraction_to_nine_digits(low), method, offers, bound={**bound, **exactly})
    return Conclusion(low > 0, method, offers, bound=bound)


def _chance_bounds_to_json(lower_bound: Fraction, upper_bound: Fraction) -> dict[str, Any]:
    return {"at least": float(lower_bound), "at most": float(upper_bound)}


def _round_fraction_to_nine_digits(value: Fraction) -> float:
    return round(float(value), 9)


def get_seat_of_target_or_first(target: Target) -> int:
    """Return the seat that wants the target, with its team: the one it names, else the first."""
    spec = target.spec
    return int(spec["seat"]) if isinstance(spec, Mapping) and spec.get("seat") is not None else 0


def solution_to_chance_certificate(
    solution: BestPlayBounds, about: EventChance, start_number: int
) -> ClosedSetCertificate:
    """Return the certificate of a chance with the bounds of all states, each value listed once; `start_number` is the
    place of the first state."""
    values = sorted({*solution.lower, *solution.upper})
    number = {value: n for n, value in enumerate(values)}
    upper, lower = (tuple(number[v] for v in side) for side in (solution.upper, solution.lower))
    vector = Vector(tuple(values), upper, lower, tuple(solution.ranks))
    stated = replace(about, low=solution.lower[start_number], high=solution.upper[start_number])
    return ClosedSetCertificate(stated, Listing(len(upper)), vector)


# -- from an exploration ------------------------------------------------------------------------------------------


def exploration_to_vertices_and_start_number(
    exploration: Exploration, target: Target, luck: str, seats: Sequence[int]
) -> tuple[list[Vertex], int]:
    """Return the explored states, numbered as the kernel numbers them, and the number of the first
    state. Raises GraphTooLargeError if there are too many."""
    if exploration.states > _MOST:
        raise GraphTooLargeError(f"{exploration.states:,} states, and best play is worked out for {_MOST:,}")
    net = graph(exploration)
    reached = np.zeros(exploration.states, dtype=bool)
    reached[exploration.find_rows_where_condition_holds(target.condition)] = True
    rows = np.lexsort(exploration.unpack_rows_into_columns(0, exploration.states)[::-1])
    number = np.empty(exploration.states, dtype=np.int64)
    number[rows] = np.arange(len(rows))
    return [_build_vertex_of_explored_row(net, int(row), bool(reached[row]), number, luck, seats) for row in rows], int(
        number[0]
    )


def _build_vertex_of_explored_row(
    state_graph: SuccessorGraph,
    row: int,
    is_target_reached: bool,
    kernel_numbers: npt.NDArray[np.int64],
    luck: str,
    seats: Sequence[int],
) -> Vertex:
    first, last = int(state_graph.first[row]), int(state_graph.first[row + 1])
    if is_target_reached or first == last:
        return Vertex(int(is_target_reached), "mean", ())
    edges = tuple(
        zip(kernel_numbers[state_graph.to[first:last]].tolist(), state_graph.chance[first:last].tolist(), strict=True)
    )
    actor = int(state_graph.actors[row])
    if actor == CHANCE:
        return Vertex(None, LUCK[luck], edges)
    return Vertex(None, "most" if actor in seats else "least", edges)

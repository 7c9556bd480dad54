"""Answers to `answer_expected_value_claim`: the expected value of a number at the end of the game, or how
many decisions it takes.

`play: best` is best for the seat and its team, with all others against it; `worst` is the least that the seat can be
brought to, by itself too; `random` means that every player takes each legal action alike often; a list of rules is how
the seat's team plays, as in `ask: strategy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from playproof.language.game import Game
from playproof.verifier.estimates.many_states import Goal
from playproof.verifier.estimates.unproved import add_estimates
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.deciding import has_hidden_fields, has_single_side
from playproof.verifier.kernel.layered import LayerOrder
from playproof.verifier.kernel.statements import SEE_ALL
from playproof.verifier.kernel.strategies import explore_strategy
from playproof.verifier.kernel.strict import Json, to_json
from playproof.verifier.kernel.turns import TurnsWorths
from playproof.verifier.kernel.worths import (
    LayeredWorth,
    LayeredWorths,
    ValueBounds,
    compute_bounds_of_each,
    compute_number_bounds,
)
from playproof.verifier.proof.layering import find_layer_order
from playproof.verifier.proof.strategy import STATE, compute_strategy_state_limit
from playproof.verifier.proof.turns import find_turns_certificate
from playproof.verifier.proof.unanswered import exploration_progress_to_json
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.questions.worth import WorthNumber, read_worth_number
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.work import spend_work

_METHOD = "layers, rounded down and up"
_TURNS = "turns, rounded down"
_BY_RULES = "all that the strategy allows"
_APART = Fraction(1, 10**6)  # what `deciding` takes for one number
_DIGITS = 6


def answer_expected_value_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the expected number, with what each option is worth or how likely each value is if the claim asks so; or
    why it is open."""
    number = read_worth_number(case.game, question.of)
    found = _conclude_exact_number(case, question, number, budget)
    if number.play != "best" or number.term is None or number.after:
        return found
    term = number.term
    return add_estimates(case, Goal(None, term, term.lo, term.hi), number.seat, found, budget)


def _conclude_exact_number(
    case: GameCase, question: Question, number: WorthNumber, budget: Budget
) -> Conclusion:
    """Return the number by what is exact."""
    of = to_json(question.of)
    turns = (
        find_turns_certificate(case, of, budget)
        if number.plan is None and case.explore_if_small(budget) is None
        else None
    )
    if turns is not None:
        certificate, solved = turns
        value, bound = _bounds_to_value_and_json(solved.low, solved.high)
        offers: tuple[tuple[Certificate, ...], ...] = ((certificate,),)
        if number.options:
            offers += ((TurnsWorths(of, certificate.parts, solved.states, solved.each),),)
            bound["options"] = _compute_option_regrets(solved.each, number.play == "worst")
        return Conclusion(value, _TURNS, offers, bound=bound)
    method = _METHOD if number.plan is None else _BY_RULES
    try:
        order = _find_worth_layer_order(case, of, number, budget)
    except NotShown as error:
        return Conclusion(None, method, (), str(error))
    if order is None:
        many = ": the game has too many states" if case.explore_if_small(budget) is None else ""
        reason = f"no measure found that no decision lowers{many}"
        return Conclusion(None, method, (), reason, exploration_progress_to_json(case))
    try:
        low, high = compute_number_bounds(case.game, of, order, case.context)
        each = (
            compute_bounds_of_each(case.game, of, order, case.context)
            if number.options or number.spread
            else ()
        )
    except NotShown as error:
        return Conclusion(None, method, (), str(error))
    value, bound = _bounds_to_value_and_json(low, high)
    if has_hidden_fields(case.game) and number.play in ("best", "worst") and question.seeing != "all":
        return _conclude_open_for_hidden_cards(case.game, number, method, low, high)
    offers = (
        (LayeredWorth(of, order, low, high, partners=number.partners),),
        *(((LayeredWorths(of, order, each, partners=number.partners),),) if each else ()),
    )
    if number.options:
        bound["options"] = _compute_option_regrets(each, number.play == "worst")
    if number.spread:
        bound["spread"] = {value.name: _compute_midpoint(value) for value in each}
    if high - low > _APART:
        reason = "the bounds do not meet: play may go on for ever, and it is open what that is worth"
        return Conclusion(None, method, offers, reason, bound)
    return Conclusion(value, method, offers, bound=bound)


def _conclude_open_for_hidden_cards(
    game: Game, number: WorthNumber, method: str, low: Fraction, high: Fraction
) -> Conclusion:
    """Return why the number stays open where something is hidden. For players against nobody, what players who see all
    cards would get is a bound, and is given as one."""
    bound: dict[str, Any] = {f"value for {SEE_ALL}": _bounds_to_value_and_json(low, high)[0]}
    if has_single_side(game):
        bound = (
            {"at most": round(float(high), 9)}
            if number.play == "best"
            else {"at least": round(float(low), 9)}
        )
    reason = f"something is hidden: the number is known only for {SEE_ALL} (`seeing: all` asks of them)"
    return Conclusion(None, method, (), reason, {"whom": f"for {SEE_ALL}", **bound})


def _find_worth_layer_order(
    case: GameCase, number_spec: Json, number: WorthNumber, budget: Budget
) -> LayerOrder | None:
    """Return how the states lie in layers: those that a list of rules allows are one. Raises NotShown."""
    if number.plan is None:
        return find_layer_order(case, budget, allow_cycles=True, start_actions=number.after)
    graph = explore_strategy(
        case.game, number.plan, number_spec, compute_strategy_state_limit(budget), case.context
    )
    spend_work(len(graph.cells) * STATE)
    return LayerOrder("0", len(graph.cells))


def _bounds_to_value_and_json(low: Fraction, high: Fraction) -> tuple[float, dict[str, Any]]:
    """Return the middle of two bounds, and what is told of them."""
    exact = {"exactly": str(low)} if low == high else {"at least": float(low), "at most": float(high)}
    return round(float((low + high) / 2), 9), exact


def _compute_option_regrets(
    options: Sequence[ValueBounds], lower_is_better: bool
) -> dict[str, dict[str, float]]:
    """Return what each option is worth, and how much less that is than the best one."""
    values = {option.name: _compute_midpoint(option) for option in options}
    best = min(values.values()) if lower_is_better else max(values.values())
    return {
        name: {"worth": value, "regret": round(abs(best - value), _DIGITS)}
        for name, value in sorted(values.items(), key=lambda item: abs(best - item[1]))
    }


def _compute_midpoint(between: ValueBounds) -> float:
    return round(float((between.low + between.high) / 2), _DIGITS)

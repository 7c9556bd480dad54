"""What play is worth: the expected value of a number at the end, from turn to turn where that is possible,
and how good a strategy is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, RulesError
from playproof.language.game import Game
from playproof.verifier.estimates.estimated_bounds import add_estimates_to_open_conclusion
from playproof.verifier.estimates.many_states import Goal
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.claim_values import has_fields_hidden_from_some_player, has_no_opposing_sides
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.state_graphs import FEW_STATES, MOST_STATES, Edges, StateGraph
from playproof.verifier.kernel.strategies import (
    FailingLineCertificate,
    StrategyChance,
    compute_strategy_chance_bounds_at_start,
    compute_strategy_chance_bounds_by_state,
    enumerate_states_under_strategy,
    enumerate_states_under_strategy as all_states,
    list_actions_allowed_by_strategy,
    list_teammates_not_following_strategy,
    read_strategy_and_target_condition,
)
from playproof.verifier.kernel.strict_json import Json, to_plain_json_data
from playproof.verifier.kernel.turn_steps import InnerFieldChanged, TurnFields, list_numbers_of_fields_read_by_rules
from playproof.verifier.kernel.turns import (
    MOST_OUTER,
    TurnsSolution,
    TurnsWorthCertificate,
    TurnsWorthsCertificate,
    compute_expected_value_turn_by_turn,
)
from playproof.verifier.kernel.ways_to_play import WorthNumber
from playproof.verifier.kernel.worths import (
    ExpectedValue,
    ExpectedValues,
    ValueBounds,
    compute_bounds_of_each_option_or_value,
    compute_expected_value_bounds,
)
from playproof.verifier.proof.explanations import get_exploration_progress_as_json
from playproof.verifier.proof.layering import find_layers_or_none
from playproof.verifier.proof.play_by_sight import answer_worth_by_sight
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.statement_words import SEE_ALL
from playproof.verifier.questions.strategies import (
    get_target_of_strategy_or_raise,
    strategy_spec_to_strategy,
    worth_spec_to_number,
)
from playproof.verifier.questions.verdicts import HIDDEN, Conclusion
from playproof.verifier.search.case import INTERPRETED, Budget, GameCase, add_work_units_done

# Answers to `answer_worth_claim`: the expected value of a number at the end of the game, or how
# many decisions it takes.

_METHOD = "layers, rounded down and up"
_TURNS = "turns, rounded down"
_BY_RULES = "all that the strategy allows"
_APART = Fraction(1, 10**6)  # what `deciding` takes for one number
_DIGITS = 6


def answer_worth_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the expected number, with what each option is worth or how likely each value is if the claim asks so; or
    why it is open."""
    number = worth_spec_to_number(case.game, question.of)
    is_plain = number.term is not None and not (number.after or number.options or number.spread)
    if is_plain and number.play in ("best", "worst"):
        by_sight = answer_worth_by_sight(case, question, number, budget)
        if by_sight.known:
            return by_sight
    found = _answer_worth_exactly_or_leave_open(case, question, number, budget)
    if number.play != "best" or number.term is None or number.after:
        return found
    term = number.term
    return add_estimates_to_open_conclusion(case, Goal(None, term, term.lo, term.hi), number.seat, found, budget)


def _answer_worth_exactly_or_leave_open(
    case: GameCase, question: Question, worth_number: WorthNumber, budget: Budget
) -> Conclusion:
    """Return the number by what is exact."""
    of = to_plain_json_data(question.of)
    turns = (
        find_turns_proof_and_solution_or_none(case, of, budget)
        if worth_number.plan is None and case.explore_all_states_or_none_if_many(budget) is None
        else None
    )
    if turns is not None:
        certificate, solved = turns
        value, bound = _bounds_to_middle_and_json(solved.low, solved.high)
        offers: tuple[tuple[Certificate, ...], ...] = ((certificate,),)
        if worth_number.options:
            offers += ((TurnsWorthsCertificate(of, certificate.parts, solved.states, solved.each),),)
            bound["options"] = _compute_worth_and_regret_by_option(solved.each, worth_number.play == "worst")
        return Conclusion(value, _TURNS, offers, bound=bound)
    method = _METHOD if worth_number.plan is None else _BY_RULES
    try:
        listing = _find_listing_for_worth_or_none(case, of, worth_number, budget)
    except NotShown as error:
        return Conclusion(None, method, (), str(error))
    if listing is None:
        many = ": the game has too many states" if case.explore_all_states_or_none_if_many(budget) is None else ""
        reason = f"no measure found that no decision lowers{many}"
        return Conclusion(None, method, (), reason, get_exploration_progress_as_json(case))
    try:
        low, high = compute_expected_value_bounds(case.game, of, listing, case.context)
        each = (
            compute_bounds_of_each_option_or_value(case.game, of, listing, case.context)
            if worth_number.options or worth_number.spread
            else ()
        )
    except NotShown as error:
        return Conclusion(None, method, (), str(error))
    value, bound = _bounds_to_middle_and_json(low, high)
    if (
        has_fields_hidden_from_some_player(case.game)
        and worth_number.play in ("best", "worst")
        and question.seeing != "all"
    ):
        return _conclude_unknown_for_hidden_cards(case.game, worth_number, method, low, high)
    stated = ExpectedValue(of, low, high, partners=worth_number.partners)
    offers = ((ClosedSetCertificate(stated, listing),),)
    if each:
        each_stated = ExpectedValues(of, each, partners=worth_number.partners)
        offers = (*offers, (ClosedSetCertificate(each_stated, listing),))
    if worth_number.options:
        bound["options"] = _compute_worth_and_regret_by_option(each, worth_number.play == "worst")
    if worth_number.spread:
        bound["spread"] = {value.name: _compute_middle_of_value_bounds(value) for value in each}
    if high - low > _APART:
        reason = "the bounds do not meet: play may go on for ever, and it is open what that is worth"
        return Conclusion(None, method, offers, reason, bound)
    return Conclusion(value, method, offers, bound=bound)


def _conclude_unknown_for_hidden_cards(
    game: Game, worth_number: WorthNumber, method: str, lower_bound: Fraction, upper_bound: Fraction
) -> Conclusion:
    """Return why the number stays open where something is hidden. For players against nobody, what players who see all
    cards would get is a bound, and is given as one."""
    bound: dict[str, Any] = {f"value for {SEE_ALL}": _bounds_to_middle_and_json(lower_bound, upper_bound)[0]}
    if has_no_opposing_sides(game):
        bound = (
            {"at most": round(float(upper_bound), 9)}
            if worth_number.play == "best"
            else {"at least": round(float(lower_bound), 9)}
        )
    reason = f"{HIDDEN}: the number is known only for {SEE_ALL} (`seeing: all` asks of them)"
    return Conclusion(None, method, (), reason, {"whom": f"for {SEE_ALL}", **bound})


def _find_listing_for_worth_or_none(
    case: GameCase, number_spec: Json, worth_number: WorthNumber, budget: Budget
) -> Listing | None:
    """Return how the states are listed: layer by layer, or at once those that a list of rules allows. Raises
    NotShown."""
    if worth_number.plan is None:
        return find_layers_or_none(case, budget, allow_cycles=True, start_actions=worth_number.after)
    graph = enumerate_states_under_strategy(
        case.game, worth_number.plan, number_spec, compute_max_strategy_states(budget), case.context
    )
    add_work_units_done(len(graph.cells) * STATE)
    return Listing(len(graph.cells))


def _bounds_to_middle_and_json(lower_bound: Fraction, upper_bound: Fraction) -> tuple[float, dict[str, Any]]:
    """Return the middle of two bounds, and what is told of them."""
    exact = (
        {"exactly": str(lower_bound)}
        if lower_bound == upper_bound
        else {"at least": float(lower_bound), "at most": float(upper_bound)}
    )
    return round(float((lower_bound + upper_bound) / 2), 9), exact


def _compute_worth_and_regret_by_option(
    options: Sequence[ValueBounds], lower_is_better: bool
) -> dict[str, dict[str, float]]:
    """Return what each option is worth, and how much less that is than the best one."""
    values = {option.name: _compute_middle_of_value_bounds(option) for option in options}
    best = min(values.values()) if lower_is_better else max(values.values())
    return {
        name: {"worth": value, "regret": round(abs(best - value), _DIGITS)}
        for name, value in sorted(values.items(), key=lambda item: abs(best - item[1]))
    }


def _compute_middle_of_value_bounds(value_bounds: ValueBounds) -> float:
    return round(float((value_bounds.low + value_bounds.high) / 2), _DIGITS)


# -- turns ---------------------------------------------------------------------------------------------------
# Finds which fields of a game begin each turn anew, so that the kernel can go from turn to turn.

_STATE = 2e-7  # work for an inner state of an outer one


class _WorkExhausted(NotShown):
    """Raised if there is no work left."""


def find_turns_proof_and_solution_or_none(
    case: GameCase, number_spec: Json, budget: Budget
) -> tuple[TurnsWorthCertificate, TurnsSolution] | None:
    """Return the certificate of an expected number or length of a game of turns, with what it was made from; None if it
    is no such game or too large."""
    number = worth_spec_to_number(case.game, number_spec)
    if case.game.players != 1 or number.spread or number.plan is not None:
        return None
    read = list_numbers_of_fields_read_by_rules(case.game)
    named = [f for f in case.game.fields if f.offset >= 2 and f.lo < f.hi and f.number in read]
    asked = read if number.term is None else number.term.reads
    gathering = [f.name for f in named if f.number in asked and not f.shape]
    for gathers in (*gathering, "") if number.term is None else gathering:
        inner = [f.name for f in named if f.name != gathers]
        solved = _solve_turns_refining_fields_or_none(case, number_spec, TurnFields(tuple(inner), gathers), budget)
        if solved is not None:
            return solved
    return None


def _solve_turns_refining_fields_or_none(
    case: GameCase, number_spec: Json, turn_fields: TurnFields, budget: Budget
) -> tuple[TurnsWorthCertificate, TurnsSolution] | None:
    """Return the certificate after whatever may differ between two turns was taken from the inner fields."""

    def count(states: int) -> None:
        add_work_units_done(states * _STATE)
        if budget.left <= 0:
            raise _WorkExhausted("the work that was allowed is done")

    while True:
        try:
            solved = compute_expected_value_turn_by_turn(
                case.game,
                number_spec,
                turn_fields,
                case.context,
                max_states=min(MOST_OUTER, budget.states),
                count_states=count,
            )
        except InnerFieldChanged as error:
            turn_fields = TurnFields(
                tuple(name for name in turn_fields.inner if name != error.name), turn_fields.gathers
            )
        except NotShown:
            return None
        else:
            return TurnsWorthCertificate(number_spec, turn_fields, solved.states, solved.low, solved.high), solved


# -- strategy ------------------------------------------------------------------------------------------------
# How good a strategy is: answers from all states that it allows, which are few beside all states of the
# game.

STATE = 4e-5
"""Work for one state that a strategy allows."""
_GAMES, _LONGEST = 400, 2_000


def answer_strategy_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the chance of who follows the strategy: true or false for the best and worst luck, a number for the
    mean."""
    game, of, within = case.game, to_plain_json_data(question.of), to_plain_json_data(question.within)
    plan = strategy_spec_to_strategy(game, question.of, question.where)  # an error in the claim is said at its place
    get_target_of_strategy_or_raise(game, question.of, question.within, question.where)
    budget.report_progress_line("states that the strategy allows")
    try:
        graph = all_states(game, plan, of, compute_max_strategy_states(budget), case.context)
    except NotShown as error:
        return _refute_strategy_by_games_or_leave_open(case, question, budget, str(error))
    add_work_units_done(len(graph.cells) * STATE)
    bound: dict[str, object] = {"states": len(graph.cells)}
    if question.chance == "worst" and not list_teammates_not_following_strategy(game, plan):
        line = find_line_failing_strategy_or_none(case, of, within, graph)
        if line is not None:
            return Conclusion(False, f"a line of {len(line.idents)} actions that misses it", ((line,),), bound=bound)
    low, high = compute_strategy_chance_bounds_at_start(game, of, within, question.chance, graph, case.context)
    offer = (ClosedSetCertificate(StrategyChance(of, within, question.chance, low, high), Listing(len(graph.cells))),)
    if low == high and question.chance == "mean":
        bound["exactly"] = str(low)
    elif low != high:
        bound |= {"at least": float(low), "at most": float(high)}
    return Conclusion(
        _round_strategy_chance_to_answer(question, low, high), "all that the strategy allows", (offer,), bound=bound
    )


def compute_max_strategy_states(budget: Budget) -> int:
    """Return how many states that a strategy allows a budget suffices for, in columns."""
    return max(int(min(MOST_STATES, budget.states, budget.left / STATE)), FEW_STATES + 1)


def _round_strategy_chance_to_answer(question: Question, lower_bound: Fraction, upper_bound: Fraction) -> bool | float:
    return round(float((lower_bound + upper_bound) / 2), 9) if question.chance == "mean" else lower_bound == 1


def find_line_failing_strategy_or_none(
    case: GameCase, strategy_spec: Json, limit_spec: Json, strategy_graph: StateGraph
) -> FailingLineCertificate | None:
    """Return a line of play that follows the strategy and misses the target; None if there is none."""
    away = (
        compute_strategy_chance_bounds_by_state(
            case.game, strategy_spec, limit_spec, "worst", strategy_graph, case.context
        )[1]
        == 0
    )
    if not away[0]:
        return None
    degree = np.diff(strategy_graph.first)
    before = np.full(len(away), -1)
    before[0] = 0
    front = np.zeros(1, dtype=np.int64)
    while len(front):
        ends = front[degree[front] == 0]
        if len(ends):
            rows = _trace_rows_back_to_start(before, int(ends[0]))
            return _build_failing_line_from_rows(case, strategy_spec, limit_spec, strategy_graph, rows, None)
        edges = strategy_graph.edges[np.isin(strategy_graph.edges[:, 0], front)]
        sources, to = edges[:, 0], edges[:, 2]
        new = away[to] & (before[to] < 0)
        to, places = np.unique(to[new], return_index=True)
        before[to] = sources[new][places]
        front = to
    return _build_failing_line_with_cycle(case, strategy_spec, limit_spec, strategy_graph, away)


def _trace_rows_back_to_start(predecessor_by_row: Edges, row: int) -> list[int]:
    rows = [row]
    while rows[-1]:
        rows.append(int(predecessor_by_row[rows[-1]]))
    return rows[::-1]


def _build_failing_line_with_cycle(
    case: GameCase,
    strategy_spec: Json,
    limit_spec: Json,
    strategy_graph: StateGraph,
    is_target_missed: npt.NDArray[np.bool_],
) -> FailingLineCertificate:
    """Return a line that comes back to a state: without an end, every way on leads to such a state."""
    rows, places = [0], {0: 0}
    while True:
        row = next(
            to for _, to in strategy_graph.list_actions_and_successors_of_state(rows[-1]) if is_target_missed[to]
        )
        rows.append(row)
        if row in places:
            return _build_failing_line_from_rows(case, strategy_spec, limit_spec, strategy_graph, rows, places[row])
        places[row] = len(rows) - 1


def _build_failing_line_from_rows(
    case: GameCase,
    strategy_spec: Json,
    limit_spec: Json,
    strategy_graph: StateGraph,
    rows: Sequence[int],
    cycle_start: int | None,
) -> FailingLineCertificate:
    idents = [
        next(ident for ident, to in strategy_graph.list_actions_and_successors_of_state(row) if to == after)
        for row, after in pairwise(rows)
    ]
    words = tuple(map(case.game.show, idents))
    if cycle_start is None:
        return FailingLineCertificate(strategy_spec, limit_spec, tuple(idents), words)
    return FailingLineCertificate(strategy_spec, limit_spec, tuple(idents), words, cycle_start)


def _refute_strategy_by_games_or_leave_open(
    case: GameCase, question: Question, budget: Budget, reason: str
) -> Conclusion:
    """Answer from games in which the seat follows its strategy and all else is drawn: one that misses the target
    refutes a strategy that is to win whatever happens."""
    of, within = to_plain_json_data(question.of), to_plain_json_data(question.within)
    plan, _ = read_strategy_and_target_condition(case.game, of, within, case.context)
    if (
        question.chance == "worst"
        and "does not see" not in reason
        and not list_teammates_not_following_strategy(case.game, plan)
    ):
        line = _find_failing_random_line_or_none(case, of, within, budget)
        if line is not None:
            offer = FailingLineCertificate(of, within, tuple(line), tuple(map(case.game.show, line)))
            return Conclusion(False, f"a line of {len(line)} actions that misses it", ((offer,),))
    return Conclusion(None, "all that the strategy allows", (), reason)


def _find_failing_random_line_or_none(
    case: GameCase, strategy_spec: Json, limit_spec: Json, budget: Budget
) -> list[int] | None:
    plan, event = read_strategy_and_target_condition(case.game, strategy_spec, limit_spec, case.context)
    play, r = Interpreter(case.game), random.Random(5)
    for _ in range(_GAMES):
        state, line = play.start(), list[int]()
        while len(line) < _LONGEST and budget.left > 0 and not play.value(event, state):
            add_work_units_done(INTERPRETED * 10)
            try:
                left = [] if play.terminal(state) else list_actions_allowed_by_strategy(case.game, plan, state)
                if not left:
                    return line
                line.append(r.choice(left))
                state = play.apply(state, line[-1])
            except RulesError as error:
                if error.code == "PP330":  # 100,000 automatic phases that no budget counts: once is enough
                    return None
                break
    return None

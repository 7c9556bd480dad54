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
from playproof.verifier.estimates.estimated_bounds import add_estimates
from playproof.verifier.estimates.many_states import Goal
from playproof.verifier.kernel.certificate import Certificate, NotShown
from playproof.verifier.kernel.deciding import has_hidden_fields, has_single_side
from playproof.verifier.kernel.exploration import MOST_STATES, Edges, StateGraph
from playproof.verifier.kernel.layered import LayerOrder
from playproof.verifier.kernel.statements import SEE_ALL
from playproof.verifier.kernel.strategies import (
    FEW_ALLOWED,
    FailingLine,
    StrategyCertificate,
    StrategyChance,
    compute_state_bounds,
    compute_strategy_bounds,
    explore_strategy,
    explore_strategy as all_states,
    list_allowed_actions,
    list_helpers,
    read_strategy_and_target,
)
from playproof.verifier.kernel.strict import Json, to_json
from playproof.verifier.kernel.turns import (
    MOST_OUTER,
    InnerFieldChanged,
    TurnFields,
    TurnsSolution,
    TurnsWorth,
    TurnsWorths,
    list_fields_read,
    solve_in_turns,
)
from playproof.verifier.kernel.worths import (
    LayeredWorth,
    LayeredWorths,
    ValueBounds,
    compute_bounds_of_each,
    compute_number_bounds,
)
from playproof.verifier.proof.explanations import exploration_progress_to_json
from playproof.verifier.proof.layering import find_layer_order
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.strategies import (
    WorthNumber,
    read_strategy,
    read_strategy_target,
    read_worth_number,
)
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import INTERPRETED, Budget, GameCase, spend_work

# Answers to `answer_expected_value_claim`: the expected value of a number at the end of the game, or how
# many decisions it takes.

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


# -- turns ---------------------------------------------------------------------------------------------------
# Finds which fields of a game begin each turn anew, so that the kernel can go from turn to turn.

_STATE = 2e-7  # work for an inner state of an outer one


class _WorkExhausted(NotShown):
    """Raised if there is no work left."""


def find_turns_certificate(
    case: GameCase, number_spec: Json, budget: Budget
) -> tuple[TurnsWorth, TurnsSolution] | None:
    """Return the certificate of an expected number or length of a game of turns, with what it was made from; None if it
    is no such game or too large."""
    number = read_worth_number(case.game, number_spec)
    if case.game.players != 1 or number.spread or number.plan is not None:
        return None
    read = list_fields_read(case.game)
    named = [f for f in case.game.fields if f.offset >= 2 and f.lo < f.hi and f.number in read]
    asked = read if number.term is None else number.term.reads
    gathering = [f.name for f in named if f.number in asked and not f.shape]
    for gathers in (*gathering, "") if number.term is None else gathering:
        inner = [f.name for f in named if f.name != gathers]
        solved = _refine_turn_parts(case, number_spec, TurnFields(tuple(inner), gathers), budget)
        if solved is not None:
            return solved
    return None


def _refine_turn_parts(
    case: GameCase, number_spec: Json, parts: TurnFields, budget: Budget
) -> tuple[TurnsWorth, TurnsSolution] | None:
    """Return the certificate after whatever may differ between two turns was taken from the inner fields."""

    def count(states: int) -> None:
        spend_work(states * _STATE)
        if budget.left <= 0:
            raise _WorkExhausted("the work that was allowed is done")

    while True:
        try:
            solved = solve_in_turns(
                case.game,
                number_spec,
                parts,
                case.context,
                max_states=min(MOST_OUTER, budget.states),
                count_states=count,
            )
        except InnerFieldChanged as error:
            parts = TurnFields(tuple(name for name in parts.inner if name != error.name), parts.gathers)
        except NotShown:
            return None
        else:
            return TurnsWorth(number_spec, parts, solved.states, solved.low, solved.high), solved


# -- strategy ------------------------------------------------------------------------------------------------
# How good a strategy is: answers from all states that it allows, which are few beside all states of the
# game.

STATE = 4e-5
"""Work for one state that a strategy allows."""
_GAMES, _LONGEST = 400, 2_000


def answer_strategy_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the chance of who follows the strategy: true or false for the best and worst luck, a number for the
    mean."""
    game, of, within = case.game, to_json(question.of), to_json(question.within)
    plan = read_strategy(game, question.of, question.where)  # an error in the claim is said at its place
    read_strategy_target(game, question.of, question.within, question.where)
    budget.report_progress("states that the strategy allows")
    try:
        graph = all_states(game, plan, of, compute_strategy_state_limit(budget), case.context)
    except NotShown as error:
        return _answer_from_random_games(case, question, budget, str(error))
    spend_work(len(graph.cells) * STATE)
    bound: dict[str, object] = {"states": len(graph.cells)}
    if question.chance == "worst" and not list_helpers(game, plan):
        line = find_failing_line(case, of, within, graph)
        if line is not None:
            return Conclusion(
                False, f"a line of {len(line.idents)} actions that misses it", ((line,),), bound=bound
            )
    low, high = compute_strategy_bounds(game, of, within, question.chance, graph, case.context)
    offer = (StrategyCertificate(StrategyChance(of, within, question.chance, low, high), len(graph.cells)),)
    if low == high and question.chance == "mean":
        bound["exactly"] = str(low)
    elif low != high:
        bound |= {"at least": float(low), "at most": float(high)}
    return Conclusion(
        _round_strategy_value(question, low, high), "all that the strategy allows", (offer,), bound=bound
    )


def compute_strategy_state_limit(budget: Budget) -> int:
    """Return how many states that a strategy allows a budget suffices for, in columns."""
    return max(int(min(MOST_STATES, budget.states, budget.left / STATE)), FEW_ALLOWED + 1)


def _round_strategy_value(question: Question, low: Fraction, high: Fraction) -> bool | float:
    return round(float((low + high) / 2), 9) if question.chance == "mean" else low == 1


def find_failing_line(
    case: GameCase, strategy_spec: Json, within: Json, graph: StateGraph
) -> FailingLine | None:
    """Return a line of play that follows the strategy and misses the target; None if there is none."""
    away = compute_state_bounds(case.game, strategy_spec, within, "worst", graph, case.context)[1] == 0
    if not away[0]:
        return None
    degree = np.diff(graph.first)
    before = np.full(len(away), -1)
    before[0] = 0
    front = np.zeros(1, dtype=np.int64)
    while len(front):
        ends = front[degree[front] == 0]
        if len(ends):
            rows = _trace_back_to_start(before, int(ends[0]))
            return _build_failing_line(case, strategy_spec, within, graph, rows, -1)
        edges = graph.edges[np.isin(graph.edges[:, 0], front)]
        sources, to = edges[:, 0], edges[:, 2]
        new = away[to] & (before[to] < 0)
        to, places = np.unique(to[new], return_index=True)
        before[to] = sources[new][places]
        front = to
    return _build_failing_cycle(case, strategy_spec, within, graph, away)


def _trace_back_to_start(predecessors: Edges, row: int) -> list[int]:
    rows = [row]
    while rows[-1]:
        rows.append(int(predecessors[rows[-1]]))
    return rows[::-1]


def _build_failing_cycle(
    case: GameCase,
    strategy_spec: Json,
    within: Json,
    graph: StateGraph,
    missing_target: npt.NDArray[np.bool_],
) -> FailingLine:
    """Return a line that comes back to a state: without an end, every way on leads to such a state."""
    rows, places = [0], {0: 0}
    while True:
        row = next(to for _, to in graph.list_moves(rows[-1]) if missing_target[to])
        rows.append(row)
        if row in places:
            return _build_failing_line(case, strategy_spec, within, graph, rows, places[row])
        places[row] = len(rows) - 1


def _build_failing_line(
    case: GameCase,
    strategy_spec: Json,
    within: Json,
    graph: StateGraph,
    rows: Sequence[int],
    cycle_start: int,
) -> FailingLine:
    idents = [
        next(ident for ident, to in graph.list_moves(row) if to == after) for row, after in pairwise(rows)
    ]
    return FailingLine(strategy_spec, within, tuple(idents), tuple(map(case.game.show, idents)), cycle_start)


def _answer_from_random_games(case: GameCase, question: Question, budget: Budget, reason: str) -> Conclusion:
    """Answer from games in which the seat follows its strategy and all else is drawn: one that misses the target
    refutes a strategy that is to win whatever happens."""
    of, within = to_json(question.of), to_json(question.within)
    plan, _ = read_strategy_and_target(case.game, of, within)
    if question.chance == "worst" and "does not see" not in reason and not list_helpers(case.game, plan):
        line = _play_until_strategy_fails(case, of, within, budget)
        if line is not None:
            offer = FailingLine(of, within, tuple(line), tuple(map(case.game.show, line)))
            return Conclusion(False, f"a line of {len(line)} actions that misses it", ((offer,),))
    return Conclusion(None, "all that the strategy allows", (), reason)


def _play_until_strategy_fails(
    case: GameCase, strategy_spec: Json, within: Json, budget: Budget
) -> list[int] | None:
    plan, event = read_strategy_and_target(case.game, strategy_spec, within)
    play, r = Interpreter(case.game), random.Random(5)
    for _ in range(_GAMES):
        state, line = play.start(), list[int]()
        while len(line) < _LONGEST and budget.left > 0 and not play.value(event, state):
            spend_work(INTERPRETED * 10)
            try:
                left = [] if play.terminal(state) else list_allowed_actions(case.game, plan, state)
                if not left:
                    return line
                line.append(r.choice(left))
                state = play.apply(state, line[-1])
            except RulesError as error:
                if error.code == "PP330":  # 100,000 automatic phases that no budget counts: once is enough
                    return None
                break
    return None

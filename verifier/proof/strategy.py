"""How good a strategy is: answers from all states that it allows, which are few beside all states of the game.

The kernel goes through them in columns. With the worst luck a line that misses the target refutes the strategy; it is
a shortest one to an end, or else comes back to a state.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from playproof.language import Interpreter, RulesError
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.exploration import MOST_STATES, Edges, StateGraph
from playproof.verifier.kernel.strategies import (
    FEW_ALLOWED,
    FailingLine,
    StrategyCertificate,
    StrategyChance,
    compute_state_bounds,
    compute_strategy_bounds,
    explore_strategy as all_states,
    list_allowed_actions,
    list_helpers,
    read_strategy_and_target,
)
from playproof.verifier.kernel.strict import Json, to_json
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.strategies import read_strategy, read_strategy_target
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.work import INTERPRETED, spend_work

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

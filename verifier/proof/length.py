"""How long games last: a rank that every decision lowers, the longest game of all states, or a line that
comes back to a state."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import z3

from playproof.language import RulesError
from playproof.language.explorer import Exploration, GraphTooLargeError, SuccessorGraph, graph
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.closed_sets import compute_longest_game_length
from playproof.verifier.kernel.formulas import Number, add_numbers, choose_number, compare_numbers, multiply_numbers
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.layers import sweep_layers_requiring_state_count
from playproof.verifier.kernel.state_graphs import compute_longest_path_to_each_row_or_none
from playproof.verifier.kernel.statements import LengthLimit
from playproof.verifier.kernel.transcript import CycleCertificate
from playproof.verifier.kernel.z3_questions import check_solver_unless_stopped
from playproof.verifier.proof.certificate_offers import (
    build_exploration_offer_or_empty_if_many,
    build_transcript_showing_statement,
)
from playproof.verifier.proof.explanations import explain_why_no_answer, get_exploration_progress_as_json
from playproof.verifier.proof.induction import Prover, get_shared_prover
from playproof.verifier.proof.layering import find_layers_with_renamings_or_none
from playproof.verifier.proof.phases_end import WeightedCellValue, format_shifted_sum_of_cell_values
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import INTERPRETED, Budget, GameCase, WorkLimitedSolver, add_work_units_done
from playproof.verifier.search.random_games import sample_small_steps_of_random_games

# -- games that end ------------------------------------------------------------------------------------------
# Answers to `always: ends`: no game goes on for ever, however it is played.

_RANK_SHARE = 0.3


def answer_whether_every_game_ends(case: GameCase, budget: Budget) -> Conclusion:
    """Return whether every game comes to an end, and the length of the longest one where it is known."""
    seen = case.explore_all_states_or_none_if_many(budget)
    if seen is not None:
        return _answer_always_ends_from_all_states(case, seen)
    circle = conclude_endless_by_random_play_or_none(case)
    if circle is not None:
        return circle
    listing = find_layers_with_renamings_or_none(case, budget)
    if listing is not None:
        longest = compute_longest_game_length(sweep_layers_requiring_state_count(case.game, listing, case.context))
        offer = ClosedSetCertificate(LengthLimit(longest), listing)
        return Conclusion(
            True, f"layers: {_format_length_of_longest_game(longest)}", ((offer,),), bound={"longest": longest}
        )
    rank = find_rank_every_step_lowers_or_none(case, budget.make_budget_of_share(_RANK_SHARE))
    if rank is not None:
        steps = rank.compute_upper_bound_on_steps(case)
        number = format_shifted_sum_of_cell_values(case.game, rank.list_weighted_cell_values())
        by_rank = (InvariantCertificate(LengthLimit(steps), numbers=(number,)),)
        return Conclusion(True, "rank", (by_rank,), bound={"no game is longer than": steps})
    seen = case.extend_shared_exploration(budget)
    if seen.complete:
        return _answer_always_ends_from_all_states(case, seen)
    return Conclusion(
        None,
        "layers + rank + exploration",
        (),
        explain_why_no_answer(case, budget),
        get_exploration_progress_as_json(case),
    )


def _answer_always_ends_from_all_states(case: GameCase, exploration: Exploration) -> Conclusion:
    try:
        net = graph(exploration)
    except GraphTooLargeError as error:
        return Conclusion(None, "exploration", (), f"memory: {error}", get_exploration_progress_as_json(case))
    longest = compute_longest_path_length_or_none(net)
    if longest is None:
        return conclude_endless_from_exploration(case, exploration, net)
    offer = build_exploration_offer_or_empty_if_many(LengthLimit(longest), exploration)
    return Conclusion(
        True, f"exploration: {_format_length_of_longest_game(longest)}", (offer,), bound={"longest": longest}
    )


def _format_length_of_longest_game(decision_count: int) -> str:
    return f"the longest game has {decision_count} decisions"


# No game is longer than N decisions: Z3 finds a rank that every decision lowers, and checks it.

_FEW = 16
_WEIGHTS = (1, 2, 4, 16, 256, 4096)
_SOLVE, _STEP = 10.0, 10.0  # work for one question
CellValue = tuple[int, int | None]
"""A cell and one of its values; None for the cell itself, whatever its value is."""
CellValueWeights = dict[CellValue, int]
WeightVariables = dict[CellValue, Any]
"""The unknown weight of a cell's value, or of the cell itself, as a Z3 integer. Several cells may share one weight."""
StateStep = tuple[list[int], list[int]]
"""A small step: the state before it and the state after it."""


@dataclass(frozen=True, slots=True)
class RankFunction:
    """A sum of `weights[cell, value]` for cells with few values and of `weights[cell, None]` times
    the cell for the others."""

    weights: CellValueWeights

    def compute_rank_of_state(self, state: Sequence[int]) -> int:
        """Return the rank of a plain state."""
        return sum(
            w * (state[cell] if value is None else int(state[cell] == value))
            for (cell, value), w in self.weights.items()
        )

    def build_rank_of_open_state(self, state: Sequence[Number]) -> Number:
        """Return the rank of an open state."""
        rank: Number = 0
        for (cell, value), w in self.weights.items():
            held = state[cell]
            if value is None:
                part = multiply_numbers(w, held)
            else:
                part = choose_number(compare_numbers("==", held, value), w, 0)
            rank = add_numbers(rank, part)
        return rank

    def compute_upper_bound_on_steps(self, case: GameCase) -> int:
        """Return the rank at the start minus the least rank that a typed state can have."""
        fields = [f for f in case.game.fields for _ in range(f.size)]
        least = 0
        for cell, f in enumerate(fields):
            mine = {v: w for (c, v), w in self.weights.items() if c == cell}
            if None in mine:
                least += min(mine[None] * f.lo, mine[None] * f.hi)
            elif mine:
                least += min(mine.get(v, 0) for v in range(f.lo, f.hi + 1))
        return self.compute_rank_of_state(case.game.get_state_before_automatic_phases()) - least

    def list_weighted_cell_values(self) -> list[WeightedCellValue]:
        """Return the summands of the rank, by cell and value."""
        return sorted(WeightedCellValue(c, v, w) for (c, v), w in self.weights.items() if w)


def answer_whether_games_end_within(case: GameCase, max_decisions: int, budget: Budget) -> Conclusion:
    """Return whether every game is over after at most so many decisions."""
    rank = find_rank_every_step_lowers_or_none(case, budget)
    span = None if rank is None else rank.compute_upper_bound_on_steps(case)
    if rank is None:
        circle = conclude_endless_by_random_play_or_none(case)
        if circle is not None:
            return circle
    if rank is None or span is None or span > max_decisions:
        return _answer_ends_within_by_exploration(case, max_decisions, budget, span)
    number = format_shifted_sum_of_cell_values(case.game, rank.list_weighted_cell_values())
    return Conclusion(True, "rank", ((InvariantCertificate(LengthLimit(span), numbers=(number,)),),))


def find_rank_every_step_lowers_or_none(case: GameCase, budget: Budget, max_rounds: int = 60) -> RankFunction | None:
    """Return a rank that every small step lowers by at least one, or None. The search first gives
    all cells of an array one weight, then each cell its own; small weights come before large
    ones."""
    return find_rank_prover_steps_lower_or_none(
        get_shared_prover(case, integers=True), case, sample_small_steps_of_random_games(case), budget, max_rounds
    )


def find_rank_prover_steps_lower_or_none(
    prover: Prover, case: GameCase, sample_steps: Sequence[StateStep], budget: Budget, max_rounds: int = 60
) -> RankFunction | None:
    """Find a rank as `find_rank_every_step_lowers_or_none` does, for the prover's own small steps, which may be
    only some of the game's."""
    for together in (True, False):
        names = _make_z3_weight_variables(case, together)
        seen = list(sample_steps)
        for most in _WEIGHTS:
            rank = _find_rank_with_weights_up_to_or_none(prover, names, most, seen, budget, max_rounds)
            if rank is not None or budget.left <= 0:
                return rank
    return None


def _find_rank_with_weights_up_to_or_none(
    prover: Prover,
    weight_variables: WeightVariables,
    max_weight: int,
    learned_steps: list[StateStep],
    budget: Budget,
    max_rounds: int,
) -> RankFunction | None:
    """Return a rank with weights of at most `max_weight`, or None. The steps that exclude other ranks are added to
    `learned_steps`."""
    solver = WorkLimitedSolver(max_work=_SOLVE)
    for w in {w.get_id(): w for w in weight_variables.values()}.values():
        solver.add(w >= -max_weight, w <= max_weight)
    for before, after in learned_steps:
        solver.add(_build_z3_rank_drop_of_step(weight_variables, before, after) >= 1)
    for _ in range(max_rounds):
        if budget.left <= 0 or check_solver_unless_stopped(solver) != z3.sat:
            return None
        model = solver.model()
        weights = {f: model.eval(w, model_completion=True).as_long() for f, w in weight_variables.items()}
        rank = RankFunction({f: w for f, w in weights.items() if w})
        bad = _find_steps_not_lowering_rank_or_none(prover, rank)
        if bad is None:  # Z3 gave no answer, and would give none to the same question again
            return None
        if not bad:
            return rank
        for before, after in bad:
            solver.add(_build_z3_rank_drop_of_step(weight_variables, before, after) >= 1)
        learned_steps += bad
        budget.report_progress_line("looking for a rank")
    return None


def _make_z3_weight_variables(case: GameCase, share_array_weights: bool) -> WeightVariables:
    """Return a weight for each value of each small cell and for each large cell. Cells of one array
    may share theirs."""
    fields = [(f, i) for f in case.game.fields for i in range(f.size)]
    weights: WeightVariables = {}
    for cell, (f, i) in enumerate(fields):
        if f.lo == f.hi:
            continue
        few = f.hi - f.lo < _FEW and bool(f.labels or f.hi - f.lo < 4 or cell < 2)
        place = f"{f.number}" if share_array_weights else f"{f.number}.{i}"
        if not few:
            weights[cell, None] = z3.Int(f"w{place}.-1")
            continue
        for value in range(f.lo, f.hi + 1):
            weights[cell, value] = z3.Int(f"w{place}.{value}")
    return weights


def _build_z3_rank_drop_of_step(
    weight_variables: WeightVariables, state_before: Sequence[int], state_after: Sequence[int]
) -> Any:
    """Return rank(before) - rank(after) as a linear term over the weights."""
    parts = []
    for (cell, value), w in weight_variables.items():
        was, now = state_before[cell], state_after[cell]
        change = was - now if value is None else int(was == value) - int(now == value)
        if change:
            parts.append(change * w)
    return z3.Sum(parts) if parts else z3.IntVal(0)


def _find_steps_not_lowering_rank_or_none(prover: Prover, rank: RankFunction) -> list[StateStep] | None:
    """Return small steps that do not lower the rank, at most one for each move, [] if there is none. Return None if Z3
    gives no answer."""
    steps: list[StateStep] = []
    for move in prover.moves:
        ranks = [rank.build_rank_of_open_state(cells) for cells in (prover.state, move.outcome.after)]
        solver = prover.make_solver_over_states_within_bounds(move.outcome.sound, compare_numbers("<=", *ranks))
        answer = check_solver_unless_stopped(solver)
        if answer == z3.unknown:
            return None
        if answer == z3.sat:
            model = solver.model()
            steps.append(
                (
                    prover.reading.get_state_from_model(prover.state, model),
                    prover.reading.get_state_from_model(move.outcome.after, model),
                )
            )
    return steps


def _answer_ends_within_by_exploration(
    case: GameCase, max_decisions: int, budget: Budget, rank_span: int | None
) -> Conclusion:
    """Answer with the longest path of a complete exploration; a game with a circle has none."""
    seen = case.extend_shared_exploration(budget)
    bound = {
        **get_exploration_progress_as_json(case),
        **({} if rank_span is None else {"no game is longer than": rank_span}),
    }
    if not seen.complete:
        return Conclusion(None, "rank + exploration", (), explain_why_no_answer(case, budget), bound)
    try:
        net = graph(seen)
    except GraphTooLargeError as error:
        return Conclusion(None, "rank + exploration", (), f"memory: {error}", bound)
    depth = compute_longest_path_from_each_row_or_none(net)
    if depth is None:
        return conclude_endless_from_exploration(case, seen, net)
    longest = depth[0]
    if longest <= max_decisions:
        return Conclusion(
            True,
            "exploration",
            (build_exploration_offer_or_empty_if_many(LengthLimit(longest), seen),),
            bound={"longest": longest},
        )
    line = _get_first_actions_of_longest_game(seen, net, depth, max_decisions + 1)
    return Conclusion(
        False,
        "exploration",
        ((build_transcript_showing_statement(case, LengthLimit(max_decisions), line),),),
        bound={"longest": longest},
    )


def _get_first_actions_of_longest_game(
    exploration: Exploration, state_graph: SuccessorGraph, longest_paths: Sequence[int], action_count: int
) -> tuple[int, ...]:
    """Return a line of so many moves from row 0, the first ones of a longest game."""
    rows = [0]
    while len(rows) <= action_count:
        successors = state_graph.to[int(state_graph.first[rows[-1]]) : int(state_graph.first[rows[-1] + 1])].tolist()
        rows.append(max(successors, key=longest_paths.__getitem__))
    return tuple(exploration._find_action_number_between_rows(a, b) for a, b in pairwise(rows))


def compute_longest_path_length_or_none(state_graph: SuccessorGraph) -> int | None:
    """Return the number of decisions and draws on the longest path from row 0, or None if play can
    go in circles."""
    depth = compute_longest_path_from_each_row_or_none(state_graph)
    return None if depth is None else depth[0]


def compute_longest_path_from_each_row_or_none(state_graph: SuccessorGraph) -> list[int] | None:
    """Return the number of decisions and draws on the longest path from each row, or None if play can
    go in circles."""
    rows = len(state_graph.actors)
    sources = np.repeat(np.arange(rows), np.diff(state_graph.first))
    depth = compute_longest_path_to_each_row_or_none(rows, state_graph.to.astype(np.int64), sources)
    return None if depth is None else depth.tolist()


# -- circles -------------------------------------------------------------------------------------------------
# Lines that come back to a state: from random games, and from all states of a game.

_GAMES, _LONGEST = 40, 400


def conclude_endless_by_random_play_or_none(case: GameCase) -> Conclusion | None:
    """Return the answer that games need not end, from a line of some random games; or None."""
    line = _find_cycle_by_random_play_or_none(case)
    return None if line is None else _conclude_endless_with_cycle(case, line)


def conclude_endless_from_exploration(
    case: GameCase, exploration: Exploration, state_graph: SuccessorGraph
) -> Conclusion:
    """Return the answer that games need not end, from all states, some of which lie on a circle."""
    before, rows = _find_row_on_cycle_and_way_back(state_graph)
    path = exploration.list_action_numbers_from_start_to_row(before)
    line = _LineWithCycle([*path, *_list_actions_along_rows(exploration, [before, *rows])], len(path))
    return _conclude_endless_with_cycle(case, line)


class _LineWithCycle(NamedTuple):
    """Actions from the start up to a state that came before: behind the first `cycle_start` of them."""

    action_ids: list[int]
    cycle_start: int


def _conclude_endless_with_cycle(case: GameCase, line: _LineWithCycle) -> Conclusion:
    words = tuple(case.game.show(ident) for ident in line.action_ids)
    offer = (CycleCertificate(line.cycle_start, tuple(line.action_ids), words),)
    round_ = len(line.action_ids) - line.cycle_start
    return Conclusion(False, f"a circle of {round_}", (offer,), bound={"a circle of": round_})


def _find_cycle_by_random_play_or_none(case: GameCase) -> _LineWithCycle | None:
    """Return a line of some random games that comes back to a state, or None."""
    play, r = case.play, random.Random(5)
    for _ in range(_GAMES):
        state, line, first = play.start(), list[int](), dict[tuple[int, ...], int]()
        while len(line) < _LONGEST:
            before = first.setdefault(tuple(state), len(line))
            if before < len(line):
                return _LineWithCycle(line, before)
            add_work_units_done(INTERPRETED)
            try:
                legal = [] if play.terminal(state) else play.legal(state)
                if not legal:
                    break
                line.append(r.choice(legal))
                state = play.apply(state, line[-1])
            except RulesError as error:
                if error.code == "PP330":  # 100,000 automatic phases that no budget counts: once is enough
                    return None
                break
    return None


def _find_row_on_cycle_and_way_back(state_graph: SuccessorGraph) -> tuple[int, list[int]]:
    """Return a row, and the rows of a shortest way from it back to itself. There is a circle: rows from which play
    cannot but end are taken away, and what remains leads to one."""
    waiting, back = [0] * len(state_graph.actors), [list[int]() for _ in state_graph.actors]
    for row in range(len(state_graph.actors)):
        for to in state_graph.to[int(state_graph.first[row]) : int(state_graph.first[row + 1])].tolist():
            back[to].append(row)
            waiting[row] += 1
    ready = [row for row, n in enumerate(waiting) if not n]
    while ready:
        for row in back[ready.pop()]:
            waiting[row] -= 1
            if not waiting[row]:
                ready.append(row)
    met, row = set[int](), 0
    while row not in met:  # from a row that remains, some edge leads to another
        met.add(row)
        row = next(to for to in _list_successor_rows(state_graph, row) if waiting[to])
    return row, _find_shortest_path_back_to_row(state_graph, row)


def _list_successor_rows(state_graph: SuccessorGraph, row: int) -> list[int]:
    rows: list[int] = state_graph.to[int(state_graph.first[row]) : int(state_graph.first[row + 1])].tolist()
    return rows


def _find_shortest_path_back_to_row(state_graph: SuccessorGraph, row_on_cycle: int) -> list[int]:
    """Return the rows of a shortest way from a row back to it, the last of which is the row itself."""
    came = dict[int, int]()
    todo = deque([row_on_cycle])
    while row_on_cycle not in came:
        row = todo.popleft()
        for to in _list_successor_rows(state_graph, row):
            if to not in came:
                came[to] = row
                todo.append(to)
    way = [row_on_cycle]
    while came[way[-1]] != row_on_cycle:
        way.append(came[way[-1]])
    return way[::-1]


def _list_actions_along_rows(exploration: Exploration, path_rows: list[int]) -> list[int]:
    """Return the actions that lead from each row to the next."""
    return [exploration._find_action_number_between_rows(a, b) for a, b in pairwise(path_rows)]

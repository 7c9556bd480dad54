"""Automatic phases end: this module looks for numbers that each of them lowers, and the kernel
checks them.

The numbers are compared in lexicographic order. The first number is the order in which phases
follow each other, as far as it has no circles. For phases in a circle, the next numbers are what
they count (a round, the place in a script, the rest of a pile), then the order of the phases within
one turn of the circle. Small steps choose the numbers: the steps of random games, and those with
which Z3 refutes a choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np
import z3

from playproof.language import Array, Phase, RulesError, Term
from playproof.language.explorer import evaluate_term_in_many_states
from playproof.language.fields import Field
from playproof.language.game import Game
from playproof.verifier.kernel.induction import Lemma, StepChecker
from playproof.verifier.kernel.invariant import InvariantCertificate, build_phase_follows_without_lowering_formula
from playproof.verifier.kernel.statements import PHASES_END, Property
from playproof.verifier.kernel.z3_questions import check_solver_unless_stopped
from playproof.verifier.proof.splitting import list_distinct_conditions_of_lemmas, plan_splits_proving_lowering_or_none
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.formula_solver import FormulaSolver, Z3Translator
from playproof.verifier.search.lines_of_play import choose_dtype_holding_every_cell
from playproof.verifier.search.random_games import sample_small_steps_of_random_games

State = list[int]
StateStep = tuple[State, State]
"""A small step of an automatic phase: the state before it, and the state after it, in which another
automatic phase is due."""
_ROUNDS, _STEP = 80, 20.0  # refutations; work for one question
_MOST_CELLS = 120  # of an array that is added up
_MOST_STEPS = 600


def find_phases_end_certificate_or_none(
    case: GameCase, lemmas: Sequence[Lemma], budget: Budget
) -> InvariantCertificate | None:
    """Return a certificate that automatic phases end, or None if no numbers are found that they
    lower."""
    game, conditions = case.game, list_distinct_conditions_of_lemmas(lemmas)
    numbers = _LoweredNumbersSearch(case, conditions, budget).find_numbers_all_phases_lower_or_none()
    if numbers is None:
        return None
    splits = plan_splits_proving_lowering_or_none(
        case, conditions, [case.context.read_condition(game, text) for text in numbers], budget
    )
    if splits is None:
        return None
    return InvariantCertificate(Property(PHASES_END), tuple(lemmas), splits=splits, numbers=tuple(numbers))


@dataclass
class _LoweredNumbersSearch:
    """The search for numbers that every automatic phase lowers from the states that some conditions
    allow."""

    case: GameCase
    conditions: Sequence[str]
    budget: Budget
    judge: StepChecker = field(init=False)
    counts: dict[str, Term] = field(init=False)
    values: dict[str, list[tuple[int, int]]] = field(init=False)
    steps: list[StateStep] = field(init=False)
    translator: Z3Translator = field(default_factory=Z3Translator)

    def __post_init__(self) -> None:
        game = self.case.game
        self.judge = StepChecker(game, self.conditions, True, (), self.case.context)
        self.counts = {
            text: self.case.context.read_condition(game, text) for text in list_texts_of_candidate_numbers(game)
        }
        self.values = {text: [] for text in self.counts}
        self.steps = []
        self._add_steps_to_learn_from(_sample_steps_between_automatic_phases(self.case))

    def find_numbers_all_phases_lower_or_none(self) -> list[str] | None:
        """Return the numbers, or None if none of those tried will do."""
        for _ in range(_ROUNDS):
            numbers = self._choose_numbers_steps_lower_or_none()
            if numbers is None or self.budget.left <= 0:
                return None
            refuted = list(self._iter_steps_not_lowering_numbers(numbers))
            if not refuted:
                return numbers
            self._add_steps_to_learn_from(refuted)
            self.budget.report_progress_line(f"phases end: {len(numbers)} numbers, {len(self.steps)} steps")
        return None

    def _add_steps_to_learn_from(self, steps: Sequence[StateStep]) -> None:
        if not steps:
            return
        self.steps += steps
        cells = np.array(steps, dtype=choose_dtype_holding_every_cell(self.case.game)).transpose(1, 2, 0)
        for text, term in self.counts.items():
            before, after = (evaluate_term_in_many_states(term, states).tolist() for states in cells)
            self.values[text] += zip(before, after, strict=True)

    def _choose_numbers_steps_lower_or_none(self) -> list[str] | None:
        """Return numbers that every known step lowers, or None if there are none. Each round takes
        the order of the phases, then the number that most of the remaining steps lower and none
        raises."""
        left: list[int] = list(range(len(self.steps)))
        numbers: list[str] = []
        while True:
            edges = {n: (self.steps[n][0][0], self.steps[n][1][0]) for n in left}  # from phase to phase
            weights = _number_phases_falling_along_edges(list(edges.values()))
            if len(set(weights.values())) > 1:
                numbers.append(
                    format_shifted_sum_of_cell_values(
                        self.case.game, [WeightedCellValue(0, phase, weight) for phase, weight in weights.items()]
                    )
                )
                left = [n for n, (phase, after) in edges.items() if weights[phase] == weights[after]]
            if not left:
                return numbers or ["0"]
            best, falling = "", 0
            for text, changes in self.values.items():
                falls = [changes[n][1] < changes[n][0] for n in left]
                if sum(falls) > falling and all(changes[n][1] <= changes[n][0] for n in left):
                    best, falling = text, sum(falls)
            if not best:
                return None
            numbers.append(best)
            left = [n for n in left if self.values[best][n][1] == self.values[best][n][0]]

    def _iter_steps_not_lowering_numbers(self, number_texts: Sequence[str]) -> Iterator[StateStep]:
        """Yield, for each automatic phase, a step that does not lower the numbers, if Z3 finds
        one."""
        judge, terms = self.judge, [self.case.context.read_condition(self.case.game, text) for text in number_texts]
        for phase in self.case.game.phases:
            if not phase.automatic:
                continue
            formulas = [
                *judge.build_bounds_and_condition_formulas(judge.state),
                *judge.get_formulas_of_bad_step(
                    phase, [partial(build_phase_follows_without_lowering_formula, judge.reading, terms)], {}
                ),
            ]
            if any(formula is False for formula in formulas):
                continue
            solver = FormulaSolver(self.translator, _STEP, formulas)
            if check_solver_unless_stopped(solver) == z3.sat:
                yield self._get_phase_step_from_model(phase, solver.model())

    def _get_phase_step_from_model(self, phase: Phase, model: z3.ModelRef) -> StateStep:
        before = [self.translator.get_number_from_model(cell, model) for cell in self.judge.state]
        return before, self.judge.reading.build_symbolic_step(phase, before, ()).after


def _sample_steps_between_automatic_phases(case: GameCase) -> list[StateStep]:
    """Return steps of automatic phases in random games after which another automatic phase is
    due."""
    automatic = {p.number for p in case.game.phases if p.automatic}
    try:
        met = sample_small_steps_of_random_games(case, _MOST_STEPS)
    except RulesError:  # before anybody has acted
        return []

    def due(state: Sequence[int]) -> bool:
        """Return whether the game is not over and an automatic phase comes next."""
        return state[0] in automatic and not state[1]

    return [(list(before), list(after)) for before, after in met if due(before) and due(after)]


# -- numbers ------------------------------------------------------------------------------------------------------


def list_texts_of_candidate_numbers(game: Game) -> list[str]:
    """Return the texts of numbers that steps may lower, each with both signs: single numbers, sums
    of arrays, and counts of array cells that are not 0."""
    texts = [f"`{name}`" for name, term in game.quantities.items() if term.lo < term.hi]
    for name, handle in game.handles.items():
        f = handle.field
        if f.lo == f.hi or f.offset == 0:
            continue
        if not isinstance(handle, Array):
            texts.append(f"`{name}`")
        elif f.size <= _MOST_CELLS:
            cells = [f"`{name}`[{', '.join(map(str, place))}]" for place in product(*map(range, f.shape))]
            texts.append(" + ".join(cells))
            texts.append(" + ".join(f"({cell} != 0)" for cell in cells))
    with_signs: list[str] = []
    for text in texts:
        with_signs += [text, f"-({text})"]
    return with_signs


def format_cell_name_in_condition(game: Game, cell_number: int) -> str:
    """Return a cell's name as conditions write it."""
    f: Field = next(f for f in game.fields if f.offset <= cell_number < f.offset + f.size)
    if not isinstance(game.handles[f.name], Array):
        return f"`{f.name}`"
    place = list(product(*map(range, f.shape)))[cell_number - f.offset]
    return f"`{f.name}`[{', '.join(map(str, place))}]"


class WeightedCellValue(NamedTuple):
    """A summand: the weight if the cell has the value; for the value None the weight times the cell."""

    cell: int
    value: int | None
    weight: int


def format_shifted_sum_of_cell_values(game: Game, weighted_values: Iterable[WeightedCellValue]) -> str:
    """Return the text of a weighted sum. The weights of one cell's values are shifted so that the least is 0; the
    least value of the sum is then easy to see."""
    single: dict[int, dict[int, int]] = {}
    parts = []
    for cell, value, weight in weighted_values:
        if value is None:
            parts.append(f"{weight} * {format_cell_name_in_condition(game, cell)}")
        else:
            single.setdefault(cell, {})[value] = weight
    fields = [f for f in game.fields for _ in range(f.size)]
    for cell, mine in single.items():
        least = min(mine.get(v, 0) for v in range(fields[cell].lo, fields[cell].hi + 1))
        every = {v: mine.get(v, 0) - least for v in range(fields[cell].lo, fields[cell].hi + 1)}
        parts += [f"{w} * ({format_cell_name_in_condition(game, cell)} == {v})" for v, w in every.items() if w]
    return " + ".join(parts) or "0"


def _number_phases_falling_along_edges(phase_edges: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Return a number for each phase that never rises along an edge, and falls along each edge that
    is on no circle."""
    after: dict[int, set[int]] = {}
    for phase, next_phase in phase_edges:
        after.setdefault(phase, set()).add(next_phase)
        after.setdefault(next_phase, set())
    return {phase: len(_find_phase_and_its_successors(after, phase)) for phase in after}


def _find_phase_and_its_successors(successors_by_phase: dict[int, set[int]], phase: int) -> set[int]:
    """Return the phases that can come after a phase, itself included."""
    reached, todo = {phase}, [phase]
    while todo:
        for other in successors_by_phase[todo.pop()] - reached:
            reached.add(other)
            todo.append(other)
    return reached

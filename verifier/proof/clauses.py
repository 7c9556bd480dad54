"""Conditions that nobody wrote: clauses over cells, made from the states that a proof fails in, and sums
that steps seem to leave as they are."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import z3

from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.formulas import Number, Truth, conjoin_formulas, negate_formula
from playproof.verifier.kernel.z3_questions import check_solver_unless_stopped
from playproof.verifier.proof.induction import Prover, get_shared_prover
from playproof.verifier.proof.layering import format_weighted_sum_of_texts
from playproof.verifier.proof.phases_end import format_cell_name_in_condition
from playproof.verifier.proof.weighing import iter_nullspace_basis_modulo_prime
from playproof.verifier.search.case import Budget, Cache, GameCase, add_work_units_done
from playproof.verifier.search.formula_solver import FormulaSolver
from playproof.verifier.search.random_games import sample_states_of_random_games

# Conditions that nobody wrote: clauses over cells, made from the states that a proof fails in.

_FEW, _MOST, _TRIES, _RESTARTS = 12, 80, 6, 5
_LARGEST = 1 << 20  # of the numbers in cells: sums of them fit 64 bits
_STEP = 5.0  # work for one question
_COMPARED = 1 / 500_000_000  # work to compare one cell of one state
Literal = tuple[int, str, int]
"""A cell, a sign (==, <= or >=), and a value."""
Cube = tuple[Literal, ...]
"""All of them together."""
BadFormulaBuilder = Callable[[Prover], list[Truth]]
"""What must never be, as formulas over a prover's open state."""
_HELPS: Cache[str, list[str]] = Cache()
"""Conditions that every step of a case's game keeps."""


def find_inductive_conditions_excluding_or_none(
    case: GameCase, known_conditions: Sequence[str], budget: Budget, make_bad_formulas: BadFormulaBuilder
) -> list[str] | None:
    """Return conditions that every step keeps and that leave no room for what `make_bad_formulas` makes: a few clauses,
    else clauses beside equations. `known_conditions` are conditions that every step keeps. What was made for a case
    helps later."""
    if any(max(abs(f.lo), abs(f.hi)) > _LARGEST for f in case.game.fields):
        return None
    before = _HELPS.get_entries_of_case(case).setdefault("", [])
    helps, sums = list(dict.fromkeys([*known_conditions, *before])), list_equations_true_in_sampled_states(case)
    attempts = _iter_results_of_clause_attempts(case, helps, sums, budget, make_bad_formulas)
    made = next((conditions for conditions in attempts if conditions is not None), None)
    if made is None:
        return None
    before += made
    return [*helps, *made]


def _iter_results_of_clause_attempts(
    case: GameCase,
    known_conditions: Sequence[str],
    equations: Sequence[str],
    budget: Budget,
    make_bad_formulas: BadFormulaBuilder,
) -> Iterator[list[str] | None]:
    """Yield what each attempt comes to. A clause that no step can be made to keep leads on to more and more clauses,
    and which state Z3 names first decides about that; so there are some short attempts before the long one."""
    wrong = make_bad_formulas(get_shared_prover(case))
    for seed in range(_RESTARTS):
        yield ClauseLearner(
            case, known_conditions, budget.make_budget_of_share(0.1), seed=seed
        ).learn_inductive_clauses_excluding_or_none(wrong, _FEW)
    if not equations:
        yield ClauseLearner(case, known_conditions, budget, seed=_RESTARTS).learn_inductive_clauses_excluding_or_none(
            wrong, _MOST
        )
        return
    wrong = make_bad_formulas(get_shared_prover(case, integers=True))
    for seed in range(_RESTARTS):
        yield ClauseLearner(
            case, known_conditions, budget.make_budget_of_share(0.1), list(equations), seed
        ).learn_inductive_clauses_excluding_or_none(wrong, 2 * _FEW)
    yield ClauseLearner(
        case, known_conditions, budget, list(equations), _RESTARTS
    ).learn_inductive_clauses_excluding_or_none(wrong, _MOST)


def build_value_leaves_bounds_formulas(prover: Prover) -> list[Truth]:
    """Return the formulas that a value leaves its bounds."""
    moves = [move.outcome for move in prover.moves]
    return [conjoin_formulas([outcome.legal, fault.when]) for outcome in moves for fault in outcome.faults]


def build_no_legal_action_formulas(prover: Prover) -> list[Truth]:
    """Return the formulas that whoever is to act has no legal action, for each phase."""
    formulas = []
    for phase in prover.case.game.phases:
        if not phase.automatic:
            here = [
                prover.reading.build_comparison_formula("==", prover.state[0], phase.number),
                prover.reading.build_comparison_formula("==", prover.state[1], 0),
            ]
            none = [
                negate_formula(prover.reading.build_action_is_legal_formula(prover.state, n))
                for action in phase.actions
                for n in action.idents
            ]
            formulas.append(conjoin_formulas([*here, *none]))
    return formulas


def make_builder_of_target_formulas(target: Target) -> BadFormulaBuilder:
    """Return the formulas of a target, for `find_inductive_conditions_excluding_or_none`."""
    return lambda p: [conjoin_formulas(p.build_formulas_of_target(target))]


class _BrokenCondition(NamedTuple):
    """A condition that a step breaks (None: the claim itself fails), and what is enough of a state for that step."""

    condition_text: str | None
    cube: Cube


@dataclass(slots=True)
class ClauseLearner:
    """Clauses for one game, beside the conditions `texts`, which every step keeps already, and the equations `sums`,
    which games keep. With `sums`, numbers are read as integers."""

    case: GameCase
    texts: Sequence[str]
    budget: Budget
    sums: list[str] = field(default_factory=list)
    seed: int = 0
    p: Prover = field(init=False)
    met: npt.NDArray[np.int64] = field(init=False)
    cubes: dict[str, Cube] = field(default_factory=dict)
    refuted: set[str] = field(default_factory=set)
    _off_by: dict[Literal, npt.NDArray[np.int16]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.p = get_shared_prover(self.case, integers=bool(self.sums))
        self.met = sample_states_of_random_games(self.case)

    def learn_inductive_clauses_excluding_or_none(
        self, bad_formulas: Sequence[Truth], max_clauses: int
    ) -> list[str] | None:
        """Return clauses and equations that every step keeps and that, with `self.texts`, leave no room for any of the
        bad formulas over the open state; None if `max_clauses` clauses are not enough, or the budget."""
        for _ in range(max_clauses):
            failing = self._find_broken_condition_or_none(bad_formulas)
            if failing is None:
                return [*self.sums, *self.cubes]
            text, cube = failing
            if self.budget.left <= 0:
                return None
            if not cube or self._was_cube_visited_by_games(cube):  # a game came to where a step breaks the condition
                if text is None:
                    return None
                self._drop_refuted_condition(text)
                continue
            larger = [
                c
                for c in self._list_wider_cubes_shortest_first(cube)
                if self._cube_to_opposite_clause_text(c) not in self.refuted
            ]
            # a cube that cannot be widened may need all of its literals: no card is in any place
            whole = (
                [cube]
                if all(next(self._iter_literals_implied_by_widest_first(literal)) == literal for literal in cube)
                else []
            )
            best = next(
                filter(self._is_clause_against_cube_inductive, [*larger, *whole]), larger[-1] if larger else cube
            )
            self.cubes[self._cube_to_opposite_clause_text(best)] = best
            self.budget.report_progress_line(f"conditions from failing steps: {len(self.cubes)}")
        return None

    def _drop_refuted_condition(self, condition_text: str) -> None:
        self.refuted.add(condition_text)
        if condition_text in self.sums:
            self.sums.remove(condition_text)
        else:
            del self.cubes[condition_text]

    # -- failing steps --------------------------------------------------------------------------------------

    def _find_broken_condition_or_none(self, bad_formulas: Sequence[Truth]) -> _BrokenCondition | None:
        """Return a condition that a step breaks; None if nothing is broken."""
        breaks: Iterator[tuple[str | None, Truth]] = chain(
            ((None, wrong) for wrong in bad_formulas),
            ((text, wrong) for text in list(self.sums) for wrong in self._iter_step_breaks_equation_formulas(text)),
            (
                (text, wrong)
                for text, cube in list(self.cubes.items())
                for wrong in self._iter_step_leads_into_cube_formulas(cube)
            ),
        )
        failing = ((text, self._find_bad_cube_or_empty_if_undecided(wrong)) for text, wrong in breaks)
        return next((_BrokenCondition(text, cube) for text, cube in failing if cube is not None), None)

    def _iter_step_breaks_equation_formulas(self, equation: str) -> Iterator[Truth]:
        """Yield, for each kind of step, that an equation does not hold behind it."""
        term = self.p.condition_text_to_term(equation)
        for move in self.p.moves:
            holds = self.p.build_term_holds_formula(term, move.outcome.after)
            yield conjoin_formulas([move.outcome.sound, negate_formula(holds)])

    def _iter_step_leads_into_cube_formulas(self, cube: Cube) -> Iterator[Truth]:
        """Yield, for each kind of step, that it leads into a cube."""
        for move in self.p.moves:
            after = [self._literal_to_formula_on_cells(move.outcome.after, literal) for literal in cube]
            yield conjoin_formulas([move.outcome.sound, *after])

    def _find_bad_cube_or_empty_if_undecided(self, bad_formula: Truth) -> Cube | None:
        """Return what is enough of a state that the conditions allow for the bad formula to hold there, the parameters
        of the action being what they are; () if Z3 gives no answer; None if there is no such state."""
        state = self.p.state
        conditions = [
            self.p.build_term_holds_formula(self.p.condition_text_to_term(t), state)
            for t in (*self.texts, *self.sums, *self.cubes)
        ]
        solver = self.p.make_solver_over_states_within_bounds(*conditions, bad_formula)
        answer = check_solver_unless_stopped(solver)
        if answer != z3.sat:
            return None if answer == z3.unsat else ()
        model, enough = solver.model(), FormulaSolver(self.p.reading.translator, _STEP, tracks=True)
        enough.set("core.minimize", True)
        literals = list(self._iter_bound_or_label_literals_of_state(self.p.reading.get_state_from_model(state, model)))
        own = {cell.args[0] for cell in state if not isinstance(cell, int)}
        enough.add(*(d() == model[d] for d in model.decls() if d.name() not in own))
        enough.add_formulas(negate_formula(bad_formula))
        for number, literal in enumerate(literals):
            enough.track_formula(self._literal_to_formula_on_cells(state, literal), f"l{number}")
        if check_solver_unless_stopped(enough) != z3.unsat:
            return tuple(literals)
        return tuple(sorted(literals[int(str(name)[1:])] for name in enough.unsat_core()))

    def _is_clause_against_cube_inductive(self, cube: Cube) -> bool:
        """Return whether every step keeps a clause, given all conditions and the clause itself."""
        text = self._cube_to_opposite_clause_text(cube)
        self.cubes[text] = cube
        stands = all(
            self._find_bad_cube_or_empty_if_undecided(wrong) is None
            for wrong in self._iter_step_leads_into_cube_formulas(cube)
        )
        del self.cubes[text]
        return stands

    # -- cubes ----------------------------------------------------------------------------------------------

    def _iter_bound_or_label_literals_of_state(self, state: Sequence[int]) -> Iterator[Literal]:
        """Yield what a state says of each cell, in as small parts as possible."""
        names = {f.number for f in self.case.game.phase_fields} | {0}
        for f in self.case.game.fields:
            for cell in range(f.offset, f.offset + f.size):
                value = state[cell]
                if f.number in names or f.labels:
                    yield cell, "==", value
                    continue
                if value < f.hi:
                    yield cell, "<=", value
                if value > f.lo:
                    yield cell, ">=", value

    def _list_wider_cubes_shortest_first(self, cube: Cube) -> list[Cube]:
        """Return some larger cubes that no game came into and that lose nothing more, the shortest first."""
        r, made = random.Random(1000 * self.seed + len(self.cubes)), set[Cube]()
        outside = self._count_failing_literals_by_sampled_state(cube)
        for _ in range(_TRIES):
            parts, off = dict(enumerate(cube)), outside
            order = r.sample(range(len(cube)), len(cube))
            for place in order:
                without = off - self._mark_sampled_states_outside_literal(cube[place])
                for wider in self._iter_literals_implied_by_widest_first(cube[place]):
                    parts[place], off = wider, without + self._mark_sampled_states_outside_literal(wider)
                    if off.all():  # at last with the literal itself
                        break
            for place in order:
                without = off - self._mark_sampled_states_outside_literal(parts[place])
                if without.all():
                    off = without
                    del parts[place]
            made.add(tuple(parts[n] for n in sorted(parts)))
        add_work_units_done(3 * _TRIES * len(cube) * self.met.shape[1] * _COMPARED)
        return sorted(made, key=lambda c: (len(c), c))

    def _iter_literals_implied_by_widest_first(self, literal: Literal) -> Iterator[Literal]:
        """Yield what holds wherever a literal does, the widest first, and at last the literal itself."""
        cell, sign, _ = literal
        f = next(f for f in self.case.game.fields if f.offset <= cell < f.offset + f.size)
        if sign != "==":
            yield cell, sign, f.hi - 1 if sign == "<=" else f.lo + 1
        yield literal

    def _was_cube_visited_by_games(self, cube: Cube) -> bool:
        """Return whether a game came into a cube."""
        add_work_units_done(len(cube) * self.met.shape[1] * _COMPARED)
        return not self._count_failing_literals_by_sampled_state(cube).all()

    def _count_failing_literals_by_sampled_state(self, cube: Cube) -> npt.NDArray[np.int16]:
        """Return for each state of a game how many literals do not hold in it."""
        return sum(map(self._mark_sampled_states_outside_literal, cube), start=np.zeros(self.met.shape[1], np.int16))

    def _mark_sampled_states_outside_literal(self, literal: Literal) -> npt.NDArray[np.int16]:
        """Return 1 for each state of a game in which a literal does not hold, and 0 for the others."""
        if literal not in self._off_by:
            cell, sign, value = literal
            column = self.met[cell]
            off = column != value if sign == "==" else column > value if sign == "<=" else column < value
            self._off_by[literal] = off.astype(np.int16)
        return self._off_by[literal]

    def _literal_to_formula_on_cells(self, cells: Sequence[Number], literal: Literal) -> Truth:
        cell, sign, value = literal
        if sign == ">=":
            return self.p.reading.build_comparison_formula("<=", value, cells[cell])
        return self.p.reading.build_comparison_formula(sign, cells[cell], value)

    def _cube_to_opposite_clause_text(self, cube: Cube) -> str:
        """Return the clause against a cube, as conditions write it."""
        opposite = {"==": "!=", "<=": ">", ">=": "<"}
        game = self.case.game
        return " or ".join(
            f"{format_cell_name_in_condition(game, cell)} {opposite[sign]} {value}" for cell, sign, value in cube
        )


# -- equalities ----------------------------------------------------------------------------------------------
# Sums that steps seem to leave as they are, and that nobody wrote down.

_PRIME = (1 << 31) - 1
_MOST_SUMMANDS, _LARGEST_FACTOR, _MULTIPLES = 200, 64, 12
Summand = tuple[int, int | None]
"""A cell, or (with a value) whether the cell has this value."""


def list_equations_true_in_sampled_states(case: GameCase) -> list[str]:
    """Return equations that hold in all states of some random games."""
    summands = list(_iter_cells_and_cell_values_to_sum(case))
    if len(summands) > _MOST_SUMMANDS:
        return []
    met = _evaluate_summands_in_states(summands, sample_states_of_random_games(case))
    first = met[:, :1]
    return list(_iter_equation_texts_kept_by_rows(case, summands, np.unique((met - first).T, axis=0), first))


def _iter_cells_and_cell_values_to_sum(case: GameCase) -> Iterator[Summand]:
    """Yield each cell, and whether it has its least value, and each phase."""
    for f in case.game.fields:
        for cell in range(f.offset, f.offset + f.size):
            if cell > 1 and f.lo < f.hi and not f.labels:
                yield cell, None
                if f.hi - f.lo > 1:
                    yield cell, f.lo
    for phase in case.game.phases[1:]:
        yield 0, phase.number


def _evaluate_summands_in_states(
    summands: Sequence[Summand], state_columns: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """Return the summands (rows) in states (columns)."""
    return np.array(
        [state_columns[c] if value is None else state_columns[c] == value for c, value in summands], dtype=np.int64
    )


def _iter_equation_texts_kept_by_rows(
    case: GameCase,
    summands: Sequence[Summand],
    difference_rows: npt.NDArray[np.int64],
    first_values: npt.NDArray[np.int64],
) -> Iterator[str]:
    """Yield equations that hold in the first state and that no row, a difference from it, changes. Those whose factors
    are not small are left out."""
    names = [
        format_cell_name_in_condition(case.game, cell)
        if value is None
        else f"({format_cell_name_in_condition(case.game, cell)} == {value})"
        for cell, value in summands
    ]
    sparse = [{n: int(v) for n, v in enumerate(row) if v} for row in difference_rows]
    for solution in iter_nullspace_basis_modulo_prime(sparse, len(summands), _PRIME):
        factors = _scale_vector_to_small_integers_or_none(solution, len(summands))
        if factors is not None and not (difference_rows @ factors).any():
            yield f"{format_weighted_sum_of_texts(names, factors.tolist())} == {int(factors @ first_values[:, 0])}"


def _scale_vector_to_small_integers_or_none(
    solution: dict[int, int], vector_length: int
) -> npt.NDArray[np.int64] | None:
    """Return a vector modulo the prime as small whole numbers, or None if it has no small multiple."""
    for times in range(1, _MULTIPLES + 1):
        row = np.zeros(vector_length, dtype=np.int64)
        for place, value in solution.items():
            row[place] = (value * times + _PRIME // 2) % _PRIME - _PRIME // 2
        if np.abs(row).max() <= _LARGEST_FACTOR:
            return row
    return None

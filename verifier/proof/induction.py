"""Unbounded claims: Z3 finds and checks invariants that hold at the start and that every small step
keeps.

Candidates are linear: `q1 <= a * q2 + b * q3 + c` over the game's quantities and single fields,
fitted to random games. Houdini's method (Flanagan and Leino, "Houdini, an annotation assistant for
ESC/Java", FME 2001) then drops the candidates that a step breaks, until the rest is inductive. Each
automatic phase is a small step of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import z3

from playproof.database.errors import Where
from playproof.language import Term
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.formulas import Truth, disjoin_formulas, negate_formula
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.invariant import build_fault_formula_per_kind, require_legal_action_in_phase
from playproof.verifier.kernel.z3_questions import WORK, check_solver_unless_stopped
from playproof.verifier.proof.certificate_offers import build_reachable_phase_condition_texts
from playproof.verifier.proof.invariant_candidates import (
    propose_linear_conditions_from_samples,
    propose_pace_conditions_greatest_first,
)
from playproof.verifier.questions.conditions import ConditionReader
from playproof.verifier.search.case import Budget, Cache, GameCase
from playproof.verifier.search.formula_solver import FormulaSolver
from playproof.verifier.search.step_readings import OpenStep, OpenStepReading

_STEP = 20.0  # work for one question
_PACES = 0.5  # of the time for a bound, for conditions about how slowly a win comes
ProvedBound = tuple[int, list[str]]
"""A value that a number does not go beyond, and the conditions that show it."""


@dataclass(slots=True)
class Prover:
    """One game's symbolic state and small steps, with a fresh solver for each question.

    Over `integers`, sums of many counts stay sums, which proofs that cards and tokens are conserved
    need. Over bit-vectors, everything else is quicker.
    """

    case: GameCase
    integers: bool = False
    reading: OpenStepReading = field(init=False)
    state: list[Any] = field(init=False)
    moves: list[OpenStep] = field(init=False)

    def __post_init__(self) -> None:
        self.reading = OpenStepReading(self.case.game, self.integers, room=True)
        self.state = self.reading.make_symbolic_state("s")
        self.moves = self.reading.list_symbolic_small_steps(self.state, "s")

    def condition_text_to_term(self, text: str) -> Term:
        """Return a conjunct's text as a term."""
        return ConditionReader(self.case.game, Where("invariant")).condition_text_to_term(text)

    def build_term_holds_formula(self, term: Term, state: Sequence[Any]) -> Truth:
        """Return the condition that a term is true in a state."""
        return self.reading.build_term_holds_formula(term, state)

    def make_solver_over_states_within_bounds(self, *assumed_formulas: Truth) -> FormulaSolver:
        """Return a fresh solver over typed states."""
        within_bounds = self.reading.build_cells_within_bounds_formula(self.state)
        return self.reading.make_solver(_STEP, within_bounds, *assumed_formulas)

    # -- checking -------------------------------------------------------------------------------------------

    def explain_kernel_refusal_or_empty(self, conditions: Sequence[str]) -> str:
        """Return why the kernel does not accept that every step keeps the conjunction, or "" if it does."""
        try:
            self._make_kernel_step_checker(
                [*build_reachable_phase_condition_texts(self.case.game), *conditions], self.integers
            ).require_start_and_steps_keep_conditions(conditions)
        except NotShown as error:
            return str(error)
        return ""

    def describe_places_where_bounds_may_break(self, conditions: Sequence[str]) -> list[str]:
        """Return where a value may leave its bounds in a state that the conjuncts allow, as message
        and place, each once."""
        # what is left of a sum needs integers
        sides = [self._make_kernel_step_checker(conditions, integers) for integers in (True, False)]
        messages: dict[str, None] = {}
        for what in sides[0].reading.iter_actions_and_automatic_phases():
            places = dict.fromkeys((fault.message, fault.place) for fault in sides[0].get_symbolic_step(what).faults)
            for (message, place), wrong in zip(places, build_fault_formula_per_kind(sides[0], what), strict=False):
                if not any(side.ask_z3_whether_step_can_go_wrong(what, [wrong], {}, WORK) == "unsat" for side in sides):
                    messages[f"{message} at {Path(place.file).name}:{place.line}"] = None
        return list(messages)

    def describe_phases_with_possible_dead_end(self, conditions: Sequence[str]) -> list[str]:
        """Return the phases in which a player may have no legal action in a state that the
        conjuncts allow."""
        judge, dead_ends = self._make_kernel_step_checker(conditions, self.integers), list[str]()
        for phase in self.case.game.phases:
            try:
                require_legal_action_in_phase(judge, phase)
            except NotShown as error:
                dead_ends.append(str(error))
        return dead_ends

    def _make_kernel_step_checker(self, conditions: Sequence[str], integers: bool) -> StepChecker:
        """Return the kernel's questions about steps from states in which conditions hold."""
        return StepChecker(self.case.game, conditions, integers, (), self.case.context)

    def _build_condition_holds_formulas(self, conditions: Sequence[str]) -> list[Truth]:
        """Return the conditions that conjuncts hold in the symbolic state."""
        return [self.build_term_holds_formula(self.condition_text_to_term(text), self.state) for text in conditions]

    def do_conditions_exclude_formulas(self, conditions: Sequence[str], *excluded_formulas: Truth) -> bool:
        """Return whether the conjuncts exclude the formulas."""
        solver = self.make_solver_over_states_within_bounds(
            *self._build_condition_holds_formulas(conditions), *excluded_formulas
        )
        return bool(check_solver_unless_stopped(solver) == z3.unsat)

    def build_formulas_of_target(self, target: Target) -> list[Truth]:
        """Return the formulas to refute for a target: its condition and, if the target is an
        action, that the action is legal."""
        condition = self.build_term_holds_formula(target.condition, self.state)
        if target.idents is None:
            return [condition]
        legal = disjoin_formulas(
            self.reading.build_action_is_legal_formula(self.state, i) for i in sorted(target.idents)
        )
        return [condition, legal]

    # -- finding --------------------------------------------------------------------------------------------

    def find_largest_inductive_subset_or_empty(self, candidate_conditions: Sequence[str], budget: Budget) -> list[str]:
        """Return the largest inductive subset of the candidates (Houdini), or [] if the budget runs
        out."""
        terms = {text: self.condition_text_to_term(text) for text in candidate_conditions}
        start = self.case.game.get_state_before_automatic_phases()
        standing = [text for text in candidate_conditions if self.case.play.value(terms[text], start)]
        before = {text: self.build_term_holds_formula(terms[text], self.state) for text in standing}
        changed = True
        while changed and standing:  # what one step loses, other steps can no longer rest on
            changed = False
            for move in self.moves:
                after = {text: self.build_term_holds_formula(terms[text], move.outcome.after) for text in standing}
                lost = self._find_candidates_step_may_break_or_none(move, standing, before, after, budget)
                if lost is None:
                    return []
                if lost:
                    standing, changed = [text for text in standing if text not in lost], True
            budget.report_progress_line(f"invariants: {len(standing)} of {len(candidate_conditions)} candidates stand")
        return standing

    def _find_candidates_step_may_break_or_none(
        self,
        step: OpenStep,
        candidates: list[str],
        formula_before_by_candidate: dict[str, Truth],
        formula_after_by_candidate: dict[str, Truth],
        budget: Budget,
    ) -> set[str] | None:
        """Return the candidates that a step may break, given all of them before it. Return None if
        Z3 gives no answer or the budget runs out."""
        lost: set[str] = set()
        while True:
            alive = [text for text in candidates if text not in lost]
            solver = self.make_solver_over_states_within_bounds(
                step.outcome.sound, *(formula_before_by_candidate[t] for t in alive)
            )
            solver.add_formulas(disjoin_formulas(negate_formula(formula_after_by_candidate[t]) for t in alive))
            answer = check_solver_unless_stopped(solver)
            if answer == z3.unsat:
                return lost
            if answer == z3.unknown or budget.left <= 0:
                return None
            model, after = solver.model(), formula_after_by_candidate
            lost |= {t for t in alive if not self.reading.translator.is_true_in_model(after[t], model)}

    def shrink_inductive_conditions_still_excluding(
        self, conditions: Sequence[str], *excluded_formulas: Truth
    ) -> list[str]:
        """Return a small subset of inductive conjuncts that is inductive by itself and excludes the
        formulas."""
        wanted = set(self._find_excluding_conditions_preferred_first(conditions, list(excluded_formulas)))
        while True:
            more = set(wanted)
            for move in self.moves:
                for text in wanted:
                    broken = negate_formula(
                        self.build_term_holds_formula(self.condition_text_to_term(text), move.outcome.after)
                    )
                    more |= set(
                        self._find_excluding_conditions_preferred_first(
                            conditions, [move.outcome.sound, broken], preferred_texts=more
                        )
                    )
            if more == wanted:
                return self._drop_conditions_not_needed_to_exclude(
                    [t for t in conditions if t in wanted], list(excluded_formulas)
                )
            wanted = more

    def _drop_conditions_not_needed_to_exclude(
        self, conditions: list[str], excluded_formulas: list[Truth]
    ) -> list[str]:
        """Return the conjuncts without those that can be dropped one by one."""
        for text in list(conditions):
            fewer = [t for t in conditions if t != text]
            if self.do_conditions_exclude_formulas(
                fewer, *excluded_formulas
            ) and not self.explain_kernel_refusal_or_empty(fewer):
                conditions = fewer
        return conditions

    def _find_excluding_conditions_preferred_first(
        self, conditions: Sequence[str], excluded_formulas: list[Truth], preferred_texts: Iterable[str] = ()
    ) -> list[str]:
        preferred = [t for t in conditions if t in set(preferred_texts)]
        if preferred and self.do_conditions_exclude_formulas(preferred, *excluded_formulas):
            return (
                preferred
                if len(preferred) == 1
                else self._find_excluding_conditions_or_all_if_undecided(preferred, excluded_formulas)
            )
        return self._find_excluding_conditions_or_all_if_undecided(conditions, excluded_formulas)

    def _find_excluding_conditions_or_all_if_undecided(
        self, conditions: Sequence[str], excluded_formulas: list[Truth]
    ) -> list[str]:
        within_bounds = self.reading.build_cells_within_bounds_formula(self.state)
        solver = FormulaSolver(self.reading.translator, _STEP, [within_bounds, *excluded_formulas], tracks=True)
        flags = {f"c{n}": t for n, t in enumerate(conditions)}
        for name, text in flags.items():
            solver.track_formula(self.build_term_holds_formula(self.condition_text_to_term(text), self.state), name)
        if check_solver_unless_stopped(solver) != z3.unsat:
            return list(conditions)
        return [flags[str(c)] for c in solver.unsat_core()]


_PROVERS: Cache[bool, Prover] = Cache()
"""Provers by whether they reason over integers."""


def get_shared_prover(case: GameCase, integers: bool = False) -> Prover:
    """Return the case's prover, made once for bit-vectors and once for integers."""
    provers = _PROVERS.get_entries_of_case(case)
    if integers not in provers:
        provers[integers] = Prover(case, integers)
    return provers[integers]


def mine_inductive_conditions_or_empty(
    case: GameCase, budget: Budget, extra_lines: Sequence[Sequence[int]] = ()
) -> list[str]:
    """Return inductive conjuncts mined from random games and the given lines."""
    return get_shared_prover(case).find_largest_inductive_subset_or_empty(
        propose_linear_conditions_from_samples(case, extra_lines), budget
    )


def find_conditions_excluding_target_or_none(
    case: GameCase, target: Target, budget: Budget, hint_conditions: Sequence[str] = ()
) -> list[str] | None:
    """Return conditions that show a target out of reach for ever, or None. It tries the fields' bounds
    alone, then invariants from the hints and from mined candidates."""
    if budget.left <= 0:
        return None
    p = get_shared_prover(case)
    try:
        refuted = p.build_formulas_of_target(target)
    except NotShown:  # its numbers are too large for the bits in which the game is read
        return None
    if p.do_conditions_exclude_formulas([], *refuted):
        return []
    texts = p.find_largest_inductive_subset_or_empty(
        [*hint_conditions, *propose_linear_conditions_from_samples(case)], budget
    )
    if texts and p.do_conditions_exclude_formulas(texts, *refuted):
        return p.shrink_inductive_conditions_still_excluding(texts, *refuted)
    return None


def find_proved_lower_bound_or_none(
    case: GameCase,
    target: Target,
    number: Term,
    best_known: int | None,
    budget: Budget,
    extra_lines: Sequence[Sequence[int]] = (),
) -> ProvedBound | None:
    """Return a bound, where the target holds, on the number from below, and conditions that show it; or None. It tries
    how slowly a win comes, then all candidates: for the best known value first, then for smaller bounds."""
    p = get_shared_prover(case)
    bounds = [
        _prove_lower_bound_by_pace_or_none(
            case, target, number, best_known, budget.make_budget_of_share(_PACES), extra_lines
        )
    ]
    if not _is_best_known_value_proved(bounds, best_known) and budget.left > 0:
        texts = mine_inductive_conditions_or_empty(case, budget, extra_lines)
        bounds.append(_find_bound_conditions_imply_or_none(case, target, number, best_known, texts))
    if not _is_best_known_value_proved(bounds, best_known) and budget.left > 0:
        more = dict.fromkeys([*texts, *propose_linear_conditions_from_samples(case, extra_lines, unless_lost=True)])
        bounds.append(
            _find_bound_conditions_imply_or_none(
                case, target, number, best_known, p.find_largest_inductive_subset_or_empty(list(more), budget)
            )
        )
    return max(filter(None, bounds), key=lambda bound: bound[0], default=None)


def _is_best_known_value_proved(bounds: Sequence[ProvedBound | None], best_known: int | None) -> bool:
    """Return whether one of the bounds is the best value that a line reaches."""
    return any(bound is not None and bound[0] == best_known for bound in bounds)


def _prove_lower_bound_by_pace_or_none(
    case: GameCase,
    target: Target,
    number: Term,
    best_known: int | None,
    budget: Budget,
    extra_lines: Sequence[Sequence[int]],
) -> ProvedBound | None:
    """Return the greatest bound that two conditions about how slowly a win comes show, or None."""
    p = get_shared_prover(case)
    holds = p.build_term_holds_formula(target.condition, p.state)
    for pace in propose_pace_conditions_greatest_first(case, number, extra_lines):
        if budget.left <= 0 or pace.least <= number.lo:
            return None
        texts = [pace.needs, pace.grows]
        if best_known is None or pace.least <= best_known:
            excluded = holds, p.build_term_holds_formula(number < pace.least, p.state)
            if (
                p.do_conditions_exclude_formulas(texts, *excluded)
                and p.find_largest_inductive_subset_or_empty(texts, budget) == texts
            ):
                return pace.least, texts
    return None


def _find_bound_conditions_imply_or_none(
    case: GameCase, target: Target, number: Term, best_known: int | None, conditions: Sequence[str]
) -> ProvedBound | None:
    """Return the greatest bound that the conjuncts imply and the conjuncts that it needs, or
    None."""
    p = get_shared_prover(case)
    holds = p.build_term_holds_formula(target.condition, p.state)
    for least in range(number.hi if best_known is None else best_known, number.lo, -1):
        refuted = [holds, p.build_term_holds_formula(number < least, p.state)]
        if p.do_conditions_exclude_formulas(conditions, *refuted):
            return least, p.shrink_inductive_conditions_still_excluding(conditions, *refuted)
    return None

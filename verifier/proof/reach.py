"""Answers to `answer_reach_claim` and `answer_dead_claim`: lines of play show what can happen,
proofs show what cannot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import z3

from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import list_possible_named_events_asked_about
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.statements import Event
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.kernel.weights import WeighingCertificate
from playproof.verifier.kernel.z3_questions import check_solver_unless_stopped
from playproof.verifier.proof.certificate_offers import (
    CertificateOffer,
    MethodProof,
    build_exploration_certificate_excluding_event,
    build_invariant_certificates_excluding_event,
    build_transcript_showing_statement,
    run_in_child_and_merge_its_context_or_none,
    run_in_child_within_budget_or_none,
)
from playproof.verifier.proof.explanations import (
    describe_target_absence_from_states,
    explain_why_no_answer,
    get_exploration_progress_as_json,
)
from playproof.verifier.proof.induction import find_conditions_excluding_target_or_none, get_shared_prover
from playproof.verifier.proof.invariant_candidates import propose_conditions_on_cells_near_target
from playproof.verifier.proof.layering import find_layers_with_renamings_or_none
from playproof.verifier.proof.weighing import (
    does_kernel_accept_certificate,
    explain_why_weighing_excludes_event,
    find_weighing_kernel_accepts_or_none,
)
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, GameCase, record_and_swallow_unexpected_exceptions
from playproof.verifier.search.portfolio import (
    SearchResult,
    is_target_absent_from_exploration,
    search_lines_to_targets_by_all_methods,
)
from playproof.verifier.search.step_readings import OpenStepReading

_BOUNDS = 2.0
_WEIGHTS_SHARE = 0.3  # of the work left
_WORDS_SHARE = 0.7  # of the time left, for a claim's own words, where a first look found nothing
_LAYERS_SHARE = 0.3  # of the work left, for all states in layers, where actions are left that nobody took
_SHARE = 0.5  # of the time left, for mined invariants


def get_round_limit_of_within_or_none(question: Question) -> int | None:
    """Return the bound on rounds in `within` if that is its only bound, else None."""
    if isinstance(question.within, dict) and len(question.within) == 1:
        [(name, most)] = question.within.items()
        return int(most) if name in ("round", "rounds") else None
    return None


def answer_reach_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Answer True with a line of play for each target, or False if a proof excludes one of them."""
    sought = ReachSearch(case, question, budget)
    if not sought.wanted:
        return Conclusion(True, "the family is empty", vacuous=True)
    if sought.no:
        return Conclusion(False, sought.method, sought.offers, bound={"unreachable": sought.no, **sought.because})
    if sought.open:
        return Conclusion(
            None,
            sought.method,
            sought.offers,
            explain_why_no_answer(case, budget),
            {"not found": sought.open, **get_exploration_progress_as_json(case)},
        )
    return Conclusion(True, sought.method, sought.offers)


def answer_dead_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Return the members of a family that can never happen, as a list of names. The list is empty
    if each was seen to happen."""
    sought = ReachSearch(case, question, budget)
    if not sought.wanted:
        return Conclusion([], "the family is empty", vacuous=True)
    gone = sought.no
    if sought.open:
        bound = {"dead": gone, "open": sought.open, **get_exploration_progress_as_json(case)}
        return Conclusion(None, sought.method, sought.offers, explain_why_no_answer(case, budget), bound)
    return Conclusion(gone, sought.method, sought.offers)


@dataclass(frozen=True)
class Goal:
    """One event of a question: as the kernel states it, and as searches read it."""

    event: Event
    target: Target


class ReachSearch:
    """The search for a question's targets, and the proofs against those not found. `no` names the
    targets that a proof excludes; `open` those neither found nor excluded."""

    def __init__(self, case: GameCase, question: Question, budget: Budget) -> None:
        self.case, self.question, self.budget = case, question, budget
        reader, within = TargetReader(case.game, question.where), to_plain_json_data(question.within)
        specs, targets = (
            reader.list_names_and_specs_of_family(question.of),
            reader.read_targets_of_spec(question.of, question.within),
        )
        goals = [Goal(Event(to_plain_json_data(s), within), t) for (_, s), t in zip(specs, targets, strict=True)]
        there = {event.key for _, event in list_possible_named_events_asked_about(case.game, question, case.context)}
        self.wanted = [goal for goal in goals if goal.event.key in there]
        search, proofs = self._search_lines_and_proofs_by_target_name()
        lines = [
            (build_transcript_showing_statement(case, self.wanted[i].event, line),)
            for i, line in sorted(search.lines.items())
        ]
        self.no = [*proofs]
        self.offers: tuple[CertificateOffer, ...] = (*lines, *(proof.offer for proof in proofs.values()))
        answered = {self.wanted[i].target.name for i in search.lines} | proofs.keys()
        self.open = [goal.target.name for goal in self.wanted if goal.target.name not in answered]
        reasons = [proof.because for proof in proofs.values() if proof.because]
        self.because = {"because": "; ".join(reasons)} if reasons else {}
        methods = [*search.method.values(), *(proof.method for proof in proofs.values())]
        self.method = " + ".join(dict.fromkeys(methods))

    def _search_lines_and_proofs_by_target_name(self) -> tuple[SearchResult, dict[str, MethodProof]]:
        """Return the lines found, and the proofs against other targets by their names."""
        case, budget, targets = self.case, self.budget, [goal.target for goal in self.wanted]
        proofs: dict[str, MethodProof] = {}
        if case.explore_all_states_or_none_if_many(budget) is not None:
            search = search_lines_to_targets_by_all_methods(case, targets, budget, play_games=False)
            proofs = prove_goals_unreachable_by_target_name(
                case, self.question, self._list_goals_without_line(search), budget
            )
        else:
            search = search_lines_to_targets_by_all_methods(case, targets, budget, only_first_games=True)
            if len(self.wanted) == 1 and not search.lines:
                proof = self._prove_only_goal_unreachable_or_none(self.wanted[0])
                proofs = {} if proof is None else {targets[0].name: proof}
            elif search.list_positions_of_missing_targets(targets):
                proofs = prove_actions_never_legal_by_layers(case, self._list_goals_without_line(search), budget)
        left = [i for i in search.list_positions_of_missing_targets(targets) if targets[i].name not in proofs]
        if left and (len(self.wanted) > 1 or not proofs):
            others = [targets[i] for i in left]
            more = search_lines_to_targets_by_all_methods(case, others, budget, earlier_result=SearchResult())
            for n, line in more.lines.items():
                search.lines[left[n]], search.method[left[n]] = line, more.method[n]
            still = [self.wanted[left[n]] for n in more.list_positions_of_missing_targets(others)]
            proofs |= prove_goals_unreachable_by_target_name(case, self.question, still, budget)
        return search, proofs

    def _prove_only_goal_unreachable_or_none(self, goal: Goal) -> MethodProof | None:
        """Return a proof by weights or by the claim's own words against the only target; None if there is none."""
        return prove_unreachable_by_weights_or_none(
            self.case, goal.event, goal.target, self.budget
        ) or prove_unreachable_by_claim_conditions_or_none(self.case, self.question, goal, self.budget)

    def _list_goals_without_line(self, search_result: SearchResult) -> list[Goal]:
        """Return the goals that a search has not found."""
        return [
            self.wanted[i]
            for i in search_result.list_positions_of_missing_targets([goal.target for goal in self.wanted])
        ]


def prove_actions_never_legal_by_layers(
    case: GameCase, goals: Sequence[Goal], budget: Budget
) -> dict[str, MethodProof]:
    """Return proofs from all states, layer by layer, that actions are never legal, by the names of their targets."""
    actions = [goal for goal in goals if goal.target.idents is not None]
    if not actions:
        return {}
    proofs: dict[str, MethodProof] = {}
    with record_and_swallow_unexpected_exceptions(case, "layers"):
        listing = find_layers_with_renamings_or_none(case, budget.make_budget_of_share(_LAYERS_SHARE))
        if listing is None:
            return {}
        for goal in actions:
            certificate = ClosedSetCertificate(goal.event, listing)
            if does_kernel_accept_certificate(case, certificate):
                proofs[goal.target.name] = MethodProof("layers", (certificate,))
    return proofs


def prove_unreachable_by_weights_or_none(
    case: GameCase, event: Event, target: Target, budget: Budget
) -> MethodProof | None:
    """Return a proof by weights that excludes a target, or None if there is none."""

    def weigh(own: Budget) -> WeighingCertificate | None:
        return find_weighing_kernel_accepts_or_none(case, event, target, own)

    certificate: WeighingCertificate | None = None
    with record_and_swallow_unexpected_exceptions(case, "weights"):
        certificate = run_in_child_and_merge_its_context_or_none(
            case, weigh, budget.make_budget_of_share(_WEIGHTS_SHARE)
        )
    if certificate is None:
        return None
    return MethodProof("weights", (certificate,), explain_why_weighing_excludes_event(case.game, certificate))


def prove_unreachable_by_claim_conditions_or_none(
    case: GameCase, question: Question, goal: Goal, budget: Budget
) -> MethodProof | None:
    """Return a proof that excludes a target, or None if there is none. It uses the
    fields' bounds alone, or the claim's conditions under `with` and the target's negation: by themselves,
    with conjectures about single cells in each phase, or with the invariants that the game
    declares."""
    target = goal.target
    if is_target_impossible_within_field_bounds(case, target):
        outside = "its numbers cannot be so: it lies outside their bounds"
        return MethodProof("invariant", build_invariant_certificates_excluding_event(case, goal.event, []), outside)
    texts: list[str] = []
    if isinstance(question.of, Mapping):
        texts += [str(text) for text in question.of.get("with", [])]
    texts += list_negated_target_condition_if_any(target)
    if not texts:
        return None

    def prove(b: Budget) -> list[str] | None:
        p = get_shared_prover(case)
        refutation = p.build_formulas_of_target(target)
        conditions = p.find_largest_inductive_subset_or_empty(texts, b)
        if p.do_conditions_exclude_formulas(conditions, *refutation):
            return p.shrink_inductive_conditions_still_excluding(conditions, *refutation)
        conditions = p.find_largest_inductive_subset_or_empty(
            [*texts, *propose_conditions_on_cells_near_target(case, target)], b
        )
        if conditions and p.do_conditions_exclude_formulas(conditions, *refutation):
            return conditions
        # sums of many counts, over which Z3 may take long
        conditions = p.find_largest_inductive_subset_or_empty(
            [*texts, *_list_condition_texts_of_declared_invariants(case)], b
        )
        if conditions and p.do_conditions_exclude_formulas(conditions, *refutation):
            return p.shrink_inductive_conditions_still_excluding(conditions, *refutation)
        return None

    conditions: list[str] | None = None
    with record_and_swallow_unexpected_exceptions(case, "invariant"):
        conditions = run_in_child_within_budget_or_none(prove, budget, _WORDS_SHARE)
    if conditions is None:
        return None
    return MethodProof("invariant", build_invariant_certificates_excluding_event(case, goal.event, conditions))


def is_target_impossible_within_field_bounds(case: GameCase, target: Target) -> bool:
    """Return whether no assignment within the fields' bounds satisfies the target's condition."""
    if target.idents is not None:
        return False
    reading = OpenStepReading(case.game, extra=[target.condition])
    state = reading.make_symbolic_state("b")
    met = reading.build_term_holds_formula(target.condition, state)
    solver = reading.make_solver(_BOUNDS, reading.build_cells_within_bounds_formula(state), met)
    return bool(check_solver_unless_stopped(solver) == z3.unsat)


def _list_condition_texts_of_declared_invariants(case: GameCase) -> list[str]:
    """Return the invariants that the game declares, as conjuncts."""
    return [f"`{name}` == 1" for name in case.game.facts.get("invariants") or {} if name in case.game.quantities]


def list_negated_target_condition_if_any(target: Target) -> list[str]:
    """Return the conjunct that the target does not hold, or [] if the target was not given as a
    formula."""
    spec = target.spec if isinstance(target.spec, Mapping) else {}
    text = spec.get("holds", spec.get("reach"))
    return [f"not ({text})"] if text is not None and target.idents is None else []


def prove_goals_unreachable_by_target_name(
    case: GameCase, question: Question, goals: Sequence[Goal], budget: Budget
) -> dict[str, MethodProof]:
    """Return proofs, by the targets' names, that targets are out of reach, as far as they are found."""
    proofs: dict[str, MethodProof] = {}
    rounds = get_round_limit_of_within_or_none(question)
    for goal in goals:
        proof = _prove_goal_by_exploration_or_none(case, goal, rounds) or _prove_unreachable_by_invariants_or_none(
            case, goal, budget
        )
        if proof is not None:
            proofs[goal.target.name] = proof
    return proofs


def _prove_goal_by_exploration_or_none(case: GameCase, goal: Goal, round_limit: int | None) -> MethodProof | None:
    """Return the proof that the states explored so far exclude the target, since they are all
    states, or all up to a round; or None."""
    seen = case.seen
    if seen is None:
        return None
    if seen.complete and is_target_absent_from_exploration(seen, goal.target):
        words = describe_target_absence_from_states(case, seen, seen.states, goal.target, "")
        return MethodProof("exploration", build_exploration_certificate_excluding_event(case, goal.event, seen), words)
    if round_limit is not None and round_limit in seen.layers and is_target_absent_from_exploration(seen, goal.target):
        words = describe_target_absence_from_states(
            case, seen, seen.layers[round_limit], goal.target, f" within round {round_limit}"
        )
        return MethodProof(
            "exploration", build_exploration_certificate_excluding_event(case, goal.event, seen, round_limit), words
        )
    return None


def _prove_unreachable_by_invariants_or_none(case: GameCase, goal: Goal, budget: Budget) -> MethodProof | None:
    """Return a proof by mined invariants, or None."""
    texts: list[str] | None = None
    with record_and_swallow_unexpected_exceptions(case, "invariant"):
        texts = run_in_child_within_budget_or_none(
            lambda b: find_conditions_excluding_target_or_none(case, goal.target, b), budget, _SHARE
        )
    return (
        None
        if texts is None
        else MethodProof("invariant", build_invariant_certificates_excluding_event(case, goal.event, texts))
    )

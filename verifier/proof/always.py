"""Answers to `never` and `always`: what holds in every state of every game, however long.

`of` is a condition (`{holds: "hearts <= 3"}`, an ending, the name of an invariant that the game
declares) or one of
    bounds        no value ever leaves its field's bounds
    automatic phases end   none of them goes on for ever
    no dead end   the player to act has a legal action
    {ends: N}     every game is over after N decisions at most
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain

from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deciding import build_forbidden_event as opposite_event, get_asked_property
from playproof.verifier.kernel.exploration import explore_game
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.layered import sweep_counted_layers
from playproof.verifier.kernel.statements import ENDS, Event, Property
from playproof.verifier.proof import clauses, grounds
from playproof.verifier.proof.evidence import (
    CertificateOffer,
    build_exploration_excluding_event,
    build_exploration_of_all_states,
    build_invariants_excluding_event,
    build_transcript,
)
from playproof.verifier.proof.grounds import BOUNDS, NO_DEAD_END, PHASES_END
from playproof.verifier.proof.induction import find_unreachability_conditions, get_prover
from playproof.verifier.proof.kernel_submission import (
    run_in_child_sharing_kernel_results,
    submit_certificates_to_kernel,
)
from playproof.verifier.proof.known_layers import has_accepted_lemma
from playproof.verifier.proof.lasts import answer_always_ends_claim
from playproof.verifier.proof.layering import build_layered_certificate, find_layer_order_with_renamings
from playproof.verifier.proof.length import answer_ends_within_claim
from playproof.verifier.proof.linear_candidates import propose_linear_conditions
from playproof.verifier.proof.reach import prove_exclusion_by_weights
from playproof.verifier.proof.splitting import plan_lemma_splits
from playproof.verifier.proof.unanswered import explain_no_answer, exploration_progress_to_json
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import Target, TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import breaking_states
from playproof.verifier.search.case import Budget, GameCase
from playproof.verifier.search.faults import isolate_method
from playproof.verifier.search.portfolio import (
    SearchResult,
    get_random_games,
    is_target_absent,
    search_lines_to_targets,
)

_LAYERS = 0.2  # of the work left, for going through all states before conditions are made
_PROPOSALS = 0.3  # of the work left, for conditions that nobody wrote

__all__ = [
    "BOUNDS",
    "NO_DEAD_END",
    "answer_never_or_always_claim",
    "build_violation_target",
    "list_conditions_of_claim_and_given",
    "list_conditions_written_in_claim",
]


def answer_never_or_always_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Answer True with an invariant or a complete exploration; answer False with a
    game that breaks the claim."""
    name = get_asked_property(question)
    if name == BOUNDS:
        return grounds.answer_bounds_claim(
            case, question, budget, lambda: _answer_bounds_or_no_dead_end(case, BOUNDS, question, budget)
        )
    if name == PHASES_END:
        return _answer_phases_end(case, question, budget)
    if name == NO_DEAD_END:
        return _answer_bounds_or_no_dead_end(case, name, question, budget)
    if question.of == ENDS:
        return answer_always_ends_claim(case, question, budget)
    if isinstance(question.of, Mapping) and "ends" in question.of:
        return answer_ends_within_claim(case, int(question.of["ends"]), budget)
    target = build_violation_target(case, question)
    conditions = list_conditions_of_claim_and_given(question)
    event = opposite_event(question)
    if case.explore_if_small(budget) is not None:
        return _answer_by_exploration(case, event, target, budget)
    search = search_lines_to_targets(case, [target], budget, explore=False)
    if 0 in search.lines:
        return _conclude_false_from_line(case, search, event)
    weighed = prove_exclusion_by_weights(case, event, target, budget)
    if weighed is not None:
        return Conclusion(True, weighed.method, (weighed.offer,), bound={"because": weighed.because})
    with isolate_method(case, "invariant"):
        texts = find_unreachability_conditions(case, target, budget, conditions)
        if texts is not None:
            return Conclusion(True, "invariant", (build_invariants_excluding_event(case, event, texts),))
    with isolate_method(case, "clauses"):
        texts = clauses.find_excluding_conditions(
            case, [], budget.take_share(_PROPOSALS), clauses.make_target_formula_builder(target)
        )
        offer = build_invariants_excluding_event(case, event, texts or [])
        if texts is not None and submit_certificates_to_kernel(case, [offer], budget)[0][0] is not None:
            return Conclusion(True, "invariant", (offer,))
    return _answer_by_exploration(case, event, target, budget)


def _conclude_false_from_line(case: GameCase, search: SearchResult, event: Event) -> Conclusion:
    """Answer False with the line that a search found to the only target."""
    return Conclusion(False, search.method[0], ((build_transcript(case, event, search.lines[0]),),))


def list_conditions_written_in_claim(question: Question) -> list[str]:
    """Return the claim's own words, and those it adds under `with`, as candidate conjuncts. A
    property of the rules has no words of its own."""
    texts: list[str] = []
    if question.ask == "always" and question.of != ENDS and not get_asked_property(question):
        own = _get_claimed_condition_text(question)
        if own:
            texts.append(own)
    if isinstance(question.of, Mapping):
        texts += [str(text) for text in question.of.get("with", [])]
    return texts


def _get_claimed_condition_text(question: Question) -> str:
    """Return the condition of an `always` claim as text, or "" if the claim does not give it as
    text. A bound under `within` limits the states where the condition must hold."""
    text = _extract_condition_text(question.of)
    if not text or question.within is None:
        return text
    if not isinstance(question.within, str):  # a bound that is not written as a condition
        return ""
    return f"not ({question.within}) or ({text})"


def _extract_condition_text(claim_spec: object) -> str:
    """Return the condition that a claim is about as text, or "" if it is an event."""
    if not isinstance(claim_spec, Mapping):
        return str(claim_spec)
    if "holds" in claim_spec:
        return str(claim_spec["holds"])
    if "invariant" in claim_spec:
        return f"`{claim_spec['invariant']}` == 1"
    return ""


def list_conditions_of_claim_and_given(question: Question) -> list[str]:
    """Return the conditions that the given claims state, then those of the claim itself, each once."""
    texts: list[str] = []
    for claim in question.given:
        texts += list_conditions_of_claim_and_given(claim)
    texts += list_conditions_written_in_claim(question)
    return list(dict.fromkeys(texts))


def build_violation_target(case: GameCase, question: Question) -> Target:
    """Return the target that must not happen: the target itself for `never`, its negation for
    `always`."""
    reader = TargetReader(case.game, question.where)
    if question.ask == "never":
        return reader.read_single_target(question.of, question.within)
    return reader.read_single_target({"not": question.of}, question.within)


def _answer_by_exploration(case: GameCase, event: Event, target: Target, budget: Budget) -> Conclusion:
    search = search_lines_to_targets(case, [target], budget, play_games=False)
    if 0 in search.lines:
        return _conclude_false_from_line(case, search, event)
    seen = case.extend_exploration(budget)
    if seen.complete and is_target_absent(seen, target):
        return Conclusion(True, "exploration", (build_exploration_excluding_event(case, event, seen),))
    return Conclusion(
        None,
        "invariant + exploration",
        (),
        explain_no_answer(case, budget),
        exploration_progress_to_json(case),
    )


def _answer_bounds_or_no_dead_end(
    case: GameCase, property_name: str, question: Question, budget: Budget
) -> Conclusion:
    """Answer a claim of bounds or of no dead end: from the claims given; else by going through all
    states, if they are few; else by induction with mined conjuncts; else by going through all states."""
    sets = [list_conditions_of_claim_and_given(claim) for claim in question.given]
    if sets:
        return _prove_property_from_given_claims(case, property_name, question, sets, budget)
    if case.explore_if_small(budget) is not None:
        return (
            _answer_no_dead_end_by_exploration(case, budget)
            if property_name == NO_DEAD_END
            else _prove_property_by_exploration(case, property_name, budget)
        )
    p = get_prover(case)
    faults_of = p.list_possible_bounds_faults if property_name == BOUNDS else p.list_phases_without_action
    texts: list[str] = []
    faults = faults_of(texts)
    if faults:
        texts = p.find_inductive_subset(
            propose_linear_conditions(case, get_random_games(case).notable), budget
        )
        faults = faults_of(texts)
    if not faults:
        return Conclusion(True, "invariant", (_build_property_invariants(property_name, [texts]),))
    in_layers = _prove_property_by_layers(case, property_name, budget.take_share(_LAYERS))
    if in_layers is not None:
        return in_layers
    more = clauses.find_excluding_conditions(
        case, texts, budget.take_share(_PROPOSALS), clauses.build_bounds_violation_formulas
    )
    if property_name == NO_DEAD_END and more is not None:  # what keeps the bounds helps here too
        more = clauses.find_excluding_conditions(
            case, texts, budget.take_share(_PROPOSALS), clauses.build_dead_end_formulas
        )
    if more is not None and not faults_of(more):
        return Conclusion(True, "invariant", (_build_property_invariants(property_name, [more]),))
    in_layers = _prove_property_by_layers(case, property_name, budget)
    if in_layers is not None:
        return in_layers
    if property_name == NO_DEAD_END:
        return _answer_no_dead_end_by_exploration(case, budget)
    through = _prove_property_by_exploration(case, property_name, budget)
    return through if through.known else _conclude_not_inductive(faults)


def _prove_property_by_layers(case: GameCase, property_name: str, budget: Budget) -> Conclusion | None:
    """Answer that a property holds in all states if they lie in layers, and there are not too many."""
    order, alike = find_layer_order_with_renamings(case, budget)
    if order is None or (
        property_name == NO_DEAD_END
        and sweep_counted_layers(case.game, order, case.context, renamings=alike).stuck
    ):
        return None
    return Conclusion(True, "layers", ((build_layered_certificate(Property(property_name), order, alike),),))


def _prove_property_by_exploration(case: GameCase, property_name: str, budget: Budget) -> Conclusion:
    """Answer that a property holds in all states, if all are explored: the kernel goes through them again, and refuses
    what breaks a bound."""
    seen = case.extend_exploration(budget)
    if not seen.complete:
        return Conclusion(
            None, "exploration", (), explain_no_answer(case, budget), exploration_progress_to_json(case)
        )
    try:
        explore_game(case.game, seen.states, case.context)
    except NotShown:  # machine code went on behind a value that left its bounds
        line = breaking_states.find_rule_breaking_line_in_exploration(case, seen)
        if line is not None:
            bound = {"breaks": line.message}
            return Conclusion(
                False,
                "games that break the rules",
                ((grounds.build_breach_transcript(case, line),),),
                bound=bound,
            )
    return Conclusion(True, "exploration", (build_exploration_of_all_states(Property(property_name), seen),))


def _conclude_not_inductive(faults: Sequence[str]) -> Conclusion:
    """Leave the answer open, and say what the conditions leave possible."""
    return Conclusion(None, "invariant", (), "not inductive: " + "; ".join(faults[:5]), {"open": len(faults)})


def _answer_phases_end(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Answer False with a line after which phases run for ever, or True with a complete
    exploration. The search for numbers that the phases lower comes before this."""
    answer = grounds.answer_bounds_claim(case, question, budget, lambda: Conclusion(None, ""))
    if answer.offers:
        return answer
    seen = case.extend_exploration(budget)
    if seen.complete:
        return Conclusion(True, "exploration", (build_exploration_of_all_states(Property(PHASES_END), seen),))
    reason = f"no numbers found that every automatic phase lowers; {explain_no_answer(case, budget)}"
    return Conclusion(None, "rank + exploration", (), reason, exploration_progress_to_json(case))


def _prove_property_from_given_claims(
    case: GameCase, property_name: str, question: Question, condition_sets: list[list[str]], budget: Budget
) -> Conclusion:
    """Say which of the given claims has no proof as an invariant, or what all of them together leave possible.
    If nothing, the kernel was not asked long enough: offer them once more."""
    for number, (claim, texts) in enumerate(zip(question.given, condition_sets, strict=True)):
        shown = has_accepted_lemma(case, list_conditions_written_in_claim(claim))
        if (
            not shown
            and run_in_child_sharing_kernel_results(case, partial(plan_lemma_splits, case, (), texts), budget)
            is None
        ):
            reason = (
                f"work: {budget.work - budget.left:.3g} units gave no proof of `{claim.id}`, which this needs"
            )
            return Conclusion(None, "invariant", (), reason, {"proved of what is given": number})
    together = list(dict.fromkeys(chain.from_iterable(condition_sets)))

    def faults_left(_: Budget) -> list[str]:
        p = get_prover(case)
        return (
            p.list_possible_bounds_faults(together)
            if property_name == BOUNDS
            else p.list_phases_without_action(together)
        )

    faults = run_in_child_sharing_kernel_results(case, faults_left, budget)
    if faults is None:
        return Conclusion(None, "invariant", (), explain_no_answer(case, budget))
    if faults:
        return _conclude_not_inductive(faults)
    return Conclusion(True, "invariant", (_build_property_invariants(property_name, condition_sets),))


def _build_property_invariants(
    property_name: str, condition_sets: Sequence[Sequence[str]]
) -> CertificateOffer:
    """Return the certificates that sets of conditions give a property of the rules, over integers, then over
    bit-vectors."""
    conditions = [tuple(texts) for texts in condition_sets if texts]
    return tuple(
        Invariant(
            Property(property_name), tuple(Lemma(texts, integers, ()) for texts in conditions), integers
        )
        for integers in (True, False)
    )


def _answer_no_dead_end_by_exploration(case: GameCase, budget: Budget) -> Conclusion:
    seen = case.extend_exploration(budget, until=lambda now: now.stuck > 0)
    if seen.stuck:
        line = seen.find_path_to_row(int(seen.facts[6]))  # the first state in which nobody can act
        return Conclusion(False, "exploration", ((build_transcript(case, Property(NO_DEAD_END), line),),))
    if seen.complete:
        return Conclusion(
            True, "exploration", (build_exploration_of_all_states(Property(NO_DEAD_END), seen),)
        )
    return Conclusion(
        None,
        "invariant + exploration",
        (),
        explain_no_answer(case, budget),
        exploration_progress_to_json(case),
    )

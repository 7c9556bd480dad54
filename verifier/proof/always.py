"""Answers to `never` and `always`, what holds in every state of every game, and to `bounds`, the ground of
every proof."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain

from playproof.language.random import make_game_seed
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.claim_terms import Target
from playproof.verifier.kernel.claim_values import (
    build_event_that_must_not_happen as opposite_event,
    get_rules_property_asked_by_always_or_empty,
)
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.induction import Lemma
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.layers import sweep_layers_requiring_state_count
from playproof.verifier.kernel.state_graphs import enumerate_game_states_cached
from playproof.verifier.kernel.statements import BOUNDS, ENDS, NO_DEAD_END, PHASES_END, Event, Property
from playproof.verifier.kernel.transcript import TranscriptCertificate
from playproof.verifier.proof import clauses
from playproof.verifier.proof.certificate_offers import (
    CertificateOffer,
    build_exploration_certificate_excluding_event,
    build_exploration_offer_or_empty_if_many,
    build_invariant_certificates_excluding_event,
    build_transcript_showing_statement,
    find_accepted_index_or_reason_per_list,
    has_kernel_accepted_lemma,
    run_in_child_and_merge_its_context_or_none,
)
from playproof.verifier.proof.explanations import (
    conclude_open_after_exploration,
    explain_why_no_answer,
    get_exploration_progress_as_json,
)
from playproof.verifier.proof.induction import find_conditions_excluding_target_or_none, get_shared_prover
from playproof.verifier.proof.invariant_candidates import propose_linear_conditions_from_samples
from playproof.verifier.proof.layering import find_layers_with_renamings_or_none
from playproof.verifier.proof.length import answer_whether_every_game_ends, answer_whether_games_end_within
from playproof.verifier.proof.reach import prove_unreachable_by_weights_or_none
from playproof.verifier.proof.splitting import plan_lemma_with_splits_or_none
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search import lines_of_play
from playproof.verifier.search.case import Budget, GameCase, record_and_swallow_unexpected_exceptions
from playproof.verifier.search.lines_of_play import GameInProgress
from playproof.verifier.search.portfolio import (
    SearchResult,
    get_shared_random_games,
    is_target_absent_from_exploration,
    search_lines_to_targets_by_all_methods,
)
from playproof.verifier.search.random_games import CuriousPlayer, RandomPlayer

# Answers to `never` and `always`: what holds in every state of every game, however long.

_LAYERS = 0.2  # of the work left, for going through all states before conditions are made
_PROPOSALS = 0.3  # of the work left, for conditions that nobody wrote

__all__ = [
    "BOUNDS",
    "NO_DEAD_END",
    "answer_never_or_always_claim",
    "build_target_that_must_not_happen",
    "list_condition_texts_of_claim_and_given",
    "list_condition_texts_written_in_claim",
]


def answer_never_or_always_claim(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Answer True with an invariant or a complete exploration; answer False with a
    game that breaks the claim."""
    name = get_rules_property_asked_by_always_or_empty(question)
    if name == BOUNDS:
        return refute_rules_property_by_line_or_prove(
            case, question, budget, lambda: _answer_bounds_or_no_dead_end(case, BOUNDS, question, budget)
        )
    if name == PHASES_END:
        return _answer_automatic_phases_end(case, question, budget)
    if name == NO_DEAD_END:
        return _answer_bounds_or_no_dead_end(case, name, question, budget)
    if question.of == ENDS:
        return answer_whether_every_game_ends(case, budget)
    if isinstance(question.of, Mapping) and "ends" in question.of:
        return answer_whether_games_end_within(case, int(question.of["ends"]), budget)
    target = build_target_that_must_not_happen(case, question)
    conditions = list_condition_texts_of_claim_and_given(question)
    event = opposite_event(question)
    if case.explore_all_states_or_none_if_many(budget) is not None:
        return _answer_event_never_happens_by_exploration(case, event, target, budget)
    search = search_lines_to_targets_by_all_methods(case, [target], budget, explore=False)
    if 0 in search.lines:
        return _conclude_false_from_found_line(case, search, event)
    weighed = prove_unreachable_by_weights_or_none(case, event, target, budget)
    if weighed is not None:
        return Conclusion(True, weighed.method, (weighed.offer,), bound={"because": weighed.because})
    with record_and_swallow_unexpected_exceptions(case, "invariant"):
        texts = find_conditions_excluding_target_or_none(case, target, budget, conditions)
        if texts is not None:
            return Conclusion(True, "invariant", (build_invariant_certificates_excluding_event(case, event, texts),))
    with record_and_swallow_unexpected_exceptions(case, "clauses"):
        texts = clauses.find_inductive_conditions_excluding_or_none(
            case, [], budget.make_budget_of_share(_PROPOSALS), clauses.make_builder_of_target_formulas(target)
        )
        offer = build_invariant_certificates_excluding_event(case, event, texts or [])
        if texts is not None and find_accepted_index_or_reason_per_list(case, [offer], budget)[0][0] is not None:
            return Conclusion(True, "invariant", (offer,))
    return _answer_event_never_happens_by_exploration(case, event, target, budget)


def _conclude_false_from_found_line(case: GameCase, search: SearchResult, event: Event) -> Conclusion:
    """Answer False with the line that a search found to the only target."""
    return Conclusion(False, search.method[0], ((build_transcript_showing_statement(case, event, search.lines[0]),),))


def list_condition_texts_written_in_claim(question: Question) -> list[str]:
    """Return the claim's own words, and those it adds under `with`, as candidate conjuncts. A
    property of the rules has no words of its own."""
    texts: list[str] = []
    if question.ask == "always" and question.of != ENDS and not get_rules_property_asked_by_always_or_empty(question):
        own = _get_always_condition_text_or_empty(question)
        if own:
            texts.append(own)
    if isinstance(question.of, Mapping):
        texts += [str(text) for text in question.of.get("with", [])]
    return texts


def _get_always_condition_text_or_empty(question: Question) -> str:
    """Return the condition of an `always` claim as text, or "" if the claim does not give it as
    text. A bound under `within` limits the states where the condition must hold."""
    text = _get_condition_text_or_empty(question.of)
    if not text or question.within is None:
        return text
    if not isinstance(question.within, str):  # a bound that is not written as a condition
        return ""
    return f"not ({question.within}) or ({text})"


def _get_condition_text_or_empty(claim_spec: object) -> str:
    """Return the condition that a claim is about as text, or "" if it is an event."""
    if not isinstance(claim_spec, Mapping):
        return str(claim_spec)
    if "holds" in claim_spec:
        return str(claim_spec["holds"])
    if "invariant" in claim_spec:
        return f"`{claim_spec['invariant']}` == 1"
    return ""


def list_condition_texts_of_claim_and_given(question: Question) -> list[str]:
    """Return the conditions that the given claims state, then those of the claim itself, each once."""
    texts: list[str] = []
    for claim in question.given:
        texts += list_condition_texts_of_claim_and_given(claim)
    texts += list_condition_texts_written_in_claim(question)
    return list(dict.fromkeys(texts))


def build_target_that_must_not_happen(case: GameCase, question: Question) -> Target:
    """Return the target that must not happen: the target itself for `never`, its negation for
    `always`."""
    reader = TargetReader(case.game, question.where)
    if question.ask == "never":
        return reader.read_single_target_of_spec(question.of, question.within)
    return reader.read_single_target_of_spec({"not": question.of}, question.within)


def _answer_event_never_happens_by_exploration(
    case: GameCase, event: Event, target: Target, budget: Budget
) -> Conclusion:
    search = search_lines_to_targets_by_all_methods(case, [target], budget, play_games=False)
    if 0 in search.lines:
        return _conclude_false_from_found_line(case, search, event)
    seen = case.extend_shared_exploration(budget)
    if seen.complete and is_target_absent_from_exploration(seen, target):
        return Conclusion(True, "exploration", (build_exploration_certificate_excluding_event(case, event, seen),))
    return conclude_open_after_exploration(case, budget, "invariant + exploration")


def _answer_bounds_or_no_dead_end(case: GameCase, property_name: str, question: Question, budget: Budget) -> Conclusion:
    """Answer a claim of bounds or of no dead end: from the claims given; else by going through all
    states, if they are few; else by induction with mined conjuncts; else by going through all states."""
    sets = [list_condition_texts_of_claim_and_given(claim) for claim in question.given]
    if sets:
        return _answer_rules_property_from_given_claims(case, property_name, question, sets, budget)
    if case.explore_all_states_or_none_if_many(budget) is not None:
        return (
            _answer_no_dead_end_by_exploration(case, budget)
            if property_name == NO_DEAD_END
            else _answer_rules_property_by_exploration(case, property_name, budget)
        )
    p = get_shared_prover(case)
    faults_of = (
        p.describe_places_where_bounds_may_break
        if property_name == BOUNDS
        else p.describe_phases_with_possible_dead_end
    )
    texts: list[str] = []
    faults = faults_of(texts)
    if faults:
        texts = p.find_largest_inductive_subset_or_empty(
            propose_linear_conditions_from_samples(case, get_shared_random_games(case).notable), budget
        )
        faults = faults_of(texts)
    if not faults:
        return Conclusion(True, "invariant", (_build_invariant_offers_of_property(property_name, [texts]),))
    in_layers = _prove_property_by_layers_or_none(case, property_name, budget.make_budget_of_share(_LAYERS))
    if in_layers is not None:
        return in_layers
    more = clauses.find_inductive_conditions_excluding_or_none(
        case, texts, budget.make_budget_of_share(_PROPOSALS), clauses.build_value_leaves_bounds_formulas
    )
    if property_name == NO_DEAD_END and more is not None:  # what keeps the bounds helps here too
        more = clauses.find_inductive_conditions_excluding_or_none(
            case, texts, budget.make_budget_of_share(_PROPOSALS), clauses.build_no_legal_action_formulas
        )
    if more is not None and not faults_of(more):
        return Conclusion(True, "invariant", (_build_invariant_offers_of_property(property_name, [more]),))
    in_layers = _prove_property_by_layers_or_none(case, property_name, budget)
    if in_layers is not None:
        return in_layers
    if property_name == NO_DEAD_END:
        return _answer_no_dead_end_by_exploration(case, budget)
    through = _answer_rules_property_by_exploration(case, property_name, budget)
    return through if through.known else _conclude_unknown_from_faults(faults)


def _prove_property_by_layers_or_none(case: GameCase, property_name: str, budget: Budget) -> Conclusion | None:
    """Answer that a property holds in all states if they lie in layers, and there are not too many."""
    listing = find_layers_with_renamings_or_none(case, budget)
    if listing is None or (
        property_name == NO_DEAD_END and sweep_layers_requiring_state_count(case.game, listing, case.context).stuck
    ):
        return None
    return Conclusion(True, "layers", ((ClosedSetCertificate(Property(property_name), listing),),))


def _answer_rules_property_by_exploration(case: GameCase, property_name: str, budget: Budget) -> Conclusion:
    """Answer that a property holds in all states, if all are explored: the kernel goes through them again, and refuses
    what breaks a bound."""
    seen = case.extend_shared_exploration(budget)
    if not seen.complete:
        return conclude_open_after_exploration(case, budget, "exploration")
    try:
        enumerate_game_states_cached(case.game, seen.states, case.context)
    except NotShown:  # machine code went on behind a value that left its bounds
        line = lines_of_play.find_first_explored_rule_break_or_none(case, seen)
        if line is not None:
            bound = {"breaks": line.message}
            return Conclusion(
                False, "games that break the rules", ((build_rule_breaking_transcript(case, line),),), bound=bound
            )
    return Conclusion(True, "exploration", (build_exploration_offer_or_empty_if_many(Property(property_name), seen),))


def _conclude_unknown_from_faults(open_faults: Sequence[str]) -> Conclusion:
    """Leave the answer open, and say what the conditions leave possible."""
    return Conclusion(None, "invariant", (), "not inductive: " + "; ".join(open_faults[:5]), {"open": len(open_faults)})


def _answer_automatic_phases_end(case: GameCase, question: Question, budget: Budget) -> Conclusion:
    """Answer False with a line after which phases run for ever, or True with a complete
    exploration. The search for numbers that the phases lower comes before this."""
    answer = refute_rules_property_by_line_or_prove(case, question, budget, lambda: Conclusion(None, ""))
    if answer.offers:
        return answer
    seen = case.extend_shared_exploration(budget)
    if seen.complete:
        return Conclusion(True, "exploration", (build_exploration_offer_or_empty_if_many(Property(PHASES_END), seen),))
    reason = f"no numbers found that every automatic phase lowers; {explain_why_no_answer(case, budget)}"
    return Conclusion(None, "rank + exploration", (), reason, get_exploration_progress_as_json(case))


def _answer_rules_property_from_given_claims(
    case: GameCase, property_name: str, question: Question, condition_sets: list[list[str]], budget: Budget
) -> Conclusion:
    """Say which of the given claims has no proof as an invariant, or what all of them together leave possible.
    If nothing, the kernel was not asked long enough: offer them once more."""
    for number, (claim, texts) in enumerate(zip(question.given, condition_sets, strict=True)):
        shown = has_kernel_accepted_lemma(case, list_condition_texts_written_in_claim(claim))
        if (
            not shown
            and run_in_child_and_merge_its_context_or_none(
                case, partial(plan_lemma_with_splits_or_none, case, (), texts), budget
            )
            is None
        ):
            reason = f"work: {budget.work - budget.left:.3g} units gave no proof of `{claim.id}`, which this needs"
            return Conclusion(None, "invariant", (), reason, {"proved of what is given": number})
    together = list(dict.fromkeys(chain.from_iterable(condition_sets)))

    def faults_left(_: Budget) -> list[str]:
        p = get_shared_prover(case)
        return (
            p.describe_places_where_bounds_may_break(together)
            if property_name == BOUNDS
            else p.describe_phases_with_possible_dead_end(together)
        )

    faults = run_in_child_and_merge_its_context_or_none(case, faults_left, budget)
    if faults is None:
        return Conclusion(None, "invariant", (), explain_why_no_answer(case, budget))
    if faults:
        return _conclude_unknown_from_faults(faults)
    return Conclusion(True, "invariant", (_build_invariant_offers_of_property(property_name, condition_sets),))


def _build_invariant_offers_of_property(
    property_name: str, condition_sets: Sequence[Sequence[str]]
) -> CertificateOffer:
    """Return the certificates that sets of conditions give a property of the rules, over integers, then over
    bit-vectors."""
    conditions = [tuple(texts) for texts in condition_sets if texts]
    return tuple(
        InvariantCertificate(
            Property(property_name), tuple(Lemma(texts, integers, ()) for texts in conditions), integers
        )
        for integers in (True, False)
    )


def _answer_no_dead_end_by_exploration(case: GameCase, budget: Budget) -> Conclusion:
    seen = case.extend_shared_exploration(budget, is_enough=lambda now: now.stuck > 0)
    if seen.stuck:
        line = seen.list_action_numbers_from_start_to_row(int(seen.facts[6]))  # the first state in which nobody can act
        return Conclusion(
            False, "exploration", ((build_transcript_showing_statement(case, Property(NO_DEAD_END), line),),)
        )
    if seen.complete:
        return Conclusion(True, "exploration", (build_exploration_offer_or_empty_if_many(Property(NO_DEAD_END), seen),))
    return conclude_open_after_exploration(case, budget, "invariant + exploration")


# -- grounds -------------------------------------------------------------------------------------------------
# The ground of every proof: no value ever leaves its bounds.

_CONDITIONS = {
    BOUNDS: "no value leaves its bounds",
    PHASES_END: "automatic phases end",
    NO_DEAD_END: "whoever is to act can",
}
_GAMES = 60  # played at random and out of curiosity, for a first look
_LOOK, _LATER_LOOK = 2_000, 40_000  # states gone through from the start
_RUN = 20_260_106


def refute_rules_property_by_line_or_prove(
    case: GameCase, question: Question, budget: Budget, prove: Callable[[], Conclusion]
) -> Conclusion:
    """Answer `always bounds` with a line that breaks them, or with a proof from `prove`. A line that
    only reaches the players' limit of automatic phases breaks nothing."""
    line = _play_games_until_rules_break_or_none(case, budget) or lines_of_play.search_rule_break_breadth_first_or_none(
        case, budget.make_budget_of_share(0.5), _LOOK
    )
    answer = Conclusion(None, "") if line and _does_kernel_confirm_rule_break(case, line) else prove()
    if answer.value is None and not line:
        line = lines_of_play.search_rule_break_breadth_first_or_none(case, budget, _LATER_LOOK)
    if line and answer.value is None:
        return Conclusion(
            False,
            "games that break the rules",
            ((build_rule_breaking_transcript(case, line),),),
            bound={"breaks": line.message},
        )
    return answer


def _does_kernel_confirm_rule_break(case: GameCase, broken_rules: lines_of_play.BrokenRules) -> bool:
    """Return whether a line that ends in an error breaks the rules, as the kernel sees it."""
    try:
        build_rule_breaking_transcript(case, broken_rules).require_valid_for_game(case.game, case.context)
    except NotShown:
        return False
    return True


def build_rule_breaking_transcript(case: GameCase, broken_rules: lines_of_play.BrokenRules) -> TranscriptCertificate:
    """Return the line as evidence."""
    about = Property(PHASES_END if broken_rules.code == "PP330" else BOUNDS)
    return build_transcript_showing_statement(case, about, broken_rules.idents)


def _play_games_until_rules_break_or_none(case: GameCase, budget: Budget) -> lines_of_play.BrokenRules | None:
    """Play some games, and return a line that breaks the rules, or None."""
    curious = CuriousPlayer(make_game_seed(_RUN, 0))
    for game in range(_GAMES):
        if lines_of_play.get_shortest_rule_breaking_line_or_none(case) is not None or budget.left <= 0:
            break
        GameInProgress(case).play_to_end_with_player(curious if game % 2 else RandomPlayer(make_game_seed(_RUN, game)))
    return lines_of_play.get_shortest_rule_breaking_line_or_none(case)


def describe_properties_assumed_not_shown(property_names: Sequence[str]) -> str:
    """Return what an answer takes for granted, in words."""
    return " and ".join(_CONDITIONS[a] for a in property_names) + ", which was not shown"


def get_or_search_rule_break_or_none(case: GameCase, budget: Budget) -> lines_of_play.BrokenRules | None:
    """Return a line that breaks the rules if one is known or quickly found, else None."""
    return lines_of_play.get_shortest_rule_breaking_line_or_none(
        case
    ) or lines_of_play.search_rule_break_breadth_first_or_none(case, budget.make_budget_of_share(0.5), _LOOK)


__all__ = [
    "BOUNDS",
    "NO_DEAD_END",
    "PHASES_END",
    "build_rule_breaking_transcript",
    "describe_properties_assumed_not_shown",
    "get_or_search_rule_break_or_none",
    "refute_rules_property_by_line_or_prove",
]

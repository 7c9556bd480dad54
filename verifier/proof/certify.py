"""Answers a question from the certificates that the kernel accepts, of what a search found or of
what the claim's own words say. The kernel computes the answer from those that it accepted in this
run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from playproof.database.errors import InputError
from playproof.language.game import Game
from playproof.language.machine.native import NoMachineCodeError
from playproof.verifier.kernel.certificate import Certificate, NotShown, Theorem
from playproof.verifier.kernel.claim_values import (
    Decision,
    build_event_of_number_compared_with_value,
    build_event_that_must_not_happen,
    decide_question_from_theorems,
    get_rules_property_asked_by_always_or_empty,
    list_possible_named_events_asked_about,
)
from playproof.verifier.kernel.closed_set_certificate import ClosedSetCertificate
from playproof.verifier.kernel.evidence import (
    EvidenceSetting,
    check_certificate_to_theorem,
    option_values_to_texts,
    read_claim_parts_of_setting,
)
from playproof.verifier.kernel.induction import Lemma, StepChecker
from playproof.verifier.kernel.invariant import InvariantCertificate
from playproof.verifier.kernel.layers import Listing
from playproof.verifier.kernel.state_graphs import COMPILED
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Event, Property, Secrecy
from playproof.verifier.kernel.strict_json import to_plain_json_data
from playproof.verifier.proof.always import (
    list_condition_texts_of_claim_and_given,
    list_condition_texts_written_in_claim,
)
from playproof.verifier.proof.certificate_offers import (
    LAYERS,
    LemmasByConditions,
    build_reachable_phase_condition_texts,
    build_transcript_showing_statement,
    copy_certificate_with_replayed_lines,
    find_accepted_index_or_reason_per_list,
    get_lines_of_certificate_by_field,
    map_conditions_to_lemmas_of_certificate,
    run_in_child_and_merge_its_context_or_none,
    store_lemmas_of_accepted_certificate,
)
from playproof.verifier.proof.extremes import find_best_known_line_or_none
from playproof.verifier.proof.phases_end import find_phases_end_certificate_or_none
from playproof.verifier.proof.reach import list_negated_target_condition_if_any
from playproof.verifier.proof.splitting import (
    list_distinct_conditions_of_lemmas,
    plan_lemma_with_splits_or_none,
    plan_splits_proving_bounds_or_none,
)
from playproof.verifier.questions.claim_check import list_given_claims_then_question
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.statement_words import describe_for_whom_it_holds_or_empty
from playproof.verifier.questions.targets import TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Cache, GameCase
from playproof.verifier.search.portfolio import search_lines_to_targets_by_all_methods

_FOR_WORDS = 0.9  # of a claim's budget
_LEAST_WORK = 60.0  # the kernel's least budget, however small the search's is
_AT_A_GLANCE = 2.0  # for what the given claims may imply
_QUICK_WORK = 10.0  # for a property of the rules that no claim states
_FEW_STATES = 20_000  # explored for such a property
_MOST_CELLS = 300  # of a game whose phases are shown to end without a claim; the largest took 75 s in vain
_NOT_QUICK: Cache[str, bool] = Cache()
"""Properties that little work does not show."""
_REFUSED: Cache[str, float] = Cache()
"""Invariants made for other cards that the kernel did not accept for a case, as text, and the work that it had."""
AcceptedCertificates = list[tuple[Certificate, Theorem]]


@dataclass(frozen=True)
class CertificationOutcome:
    """The kernel's result for a search: the decision, the setting with the accepted certificates,
    and the reasons for refusing others. `assumed` names the properties that the decision takes for
    granted."""

    decision: Decision
    setting: EvidenceSetting
    reasons: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()
    rests: frozenset[str] = frozenset()
    whom: str = ""


class Certifier:
    """Takes one question's proposals to the kernel. `grounds` are certificates of properties that
    the kernel accepted for other claims of the same setting."""

    def __init__(
        self, case: GameCase, question: Question, budget: Budget, grounds: AcceptedCertificates | None = None
    ) -> None:
        self.case, self.question, self.budget = case, question, budget
        self.grounds: AcceptedCertificates = grounds or []
        self.good: AcceptedCertificates = []
        self.reasons: list[str] = []
        self._old_layers: LemmasByConditions = {}

    def try_to_answer_by_earlier_certificates(self, certificates: Sequence[Certificate]) -> bool:
        """Return whether certificates that were made for other cards answer the claim here too. The kernel checks
        each of them against this game, so it does not matter who made them."""
        if not certificates:
            return False
        with suppress(InputError, NoMachineCodeError):  # one may name an action that these cards do not have
            lines, others = (
                [c for c in certificates if bool(get_lines_of_certificate_by_field(c)) is so] for so in (True, False)
            )
            fit = [
                self._keep_accepted_certificates_tell_if_any([[c]])
                or self._keep_accepted_certificates_tell_if_any([[copy_certificate_with_replayed_lines(self.case, c)]])
                for c in lines
            ]
            if all(fit):  # else Z3, which takes longer, is not asked in vain
                refused, work = _REFUSED.get_entries_of_case(self.case), self._kernel_budget.work
                self._offer_certificates_and_remember_refused([c for c in others if refused.get(repr(c), 0.0) < work])
        if self._decide_question_from_accepted().known:
            return True
        self.good, self.reasons = [], []
        for certificate in certificates:  # what does not answer the claim may hold in part
            self._old_layers.update(map_conditions_to_lemmas_of_certificate(self.case.game, certificate))
        return False

    def _offer_certificates_and_remember_refused(self, certificates: Sequence[Certificate]) -> None:
        """Offer certificates that were made for other cards. Those of bounds stand in the files of many claims."""
        self._keep_accepted_certificates_tell_if_any([[certificate] for certificate in certificates])
        good = [certificate for certificate, _ in self.good]
        invariants = (repr(c) for c in certificates if isinstance(c, InvariantCertificate) and c not in good)
        _REFUSED.get_entries_of_case(self.case).update(dict.fromkeys(invariants, self._kernel_budget.work))

    def try_to_answer_by_claim_conditions(self) -> bool:
        """Return whether the claim's own words, with those of the given claims, answer it, so that
        no search is needed."""
        question = self.question
        name = get_rules_property_asked_by_always_or_empty(question)
        if question.ask == "reach":
            return self._try_to_exclude_target_by_given_claims()
        if question.ask in ("minimum", "maximum"):
            return self._try_to_prove_extreme_by_given_claims()
        if question.ask == "secret":
            return self._try_to_prove_secrecy_by_given_claims()
        if question.ask not in ("always", "never"):
            return False
        conditions = list_condition_texts_of_claim_and_given(question)
        if not (name or question.given or conditions):
            return False
        if name and name != PHASES_END and not conditions:  # nothing to start from
            return False
        if name and self.grounds:  # another claim, which rests on this one, has shown it
            self._add_certificates_of_other_claims()
            if self._decide_question_from_accepted().known:
                return True
        if not name and self._try_to_imply_claim_by_given_claims():
            return True
        layers = self._prove_claim_and_given_lemmas_or_none(question)
        if layers is None:
            return False
        if name == BOUNDS:
            self._offer_bounds_invariant_with_splits(layers)
        elif name == PHASES_END:
            tries = [layers] if layers else _list_lemma_sets_without_and_with_phases(self.case.game)
            self._keep_accepted_certificates_tell_if_any(
                [self._list_first_phases_end_certificate_if_any(tries, lambda: self._conditions_budget)]
            )
        else:
            about = Property(name) if name else build_event_that_must_not_happen(question)
            self._keep_accepted_certificates_tell_if_any(
                [_build_invariants_over_integers_and_bitvectors(about, layers)]
            )
        return self._decide_question_from_accepted().known

    def _try_to_imply_claim_by_given_claims(self) -> bool:
        """Return whether the claims given to a claim imply it. Then its words need no layer of their own; one that
        adds words under `with` needs it."""
        question = self.question
        if not question.given or question.ask != "always" or len(list_condition_texts_written_in_claim(question)) > 1:
            return False
        layers = self._prove_claim_and_given_lemmas_or_none(question, include_own=False)
        if layers is not None:
            self._keep_accepted_certificates_tell_if_any(
                [_build_invariants_over_integers_and_bitvectors(build_event_that_must_not_happen(question), layers)],
                Budget(_AT_A_GLANCE),
            )
        return self._decide_question_from_accepted().known

    def _offer_bounds_invariant_with_splits(self, lemmas: tuple[Lemma, ...]) -> None:
        """Offer that the layers keep every value in its bounds, with the splits that this needs."""
        conditions = list_distinct_conditions_of_lemmas(lemmas)
        splits = run_in_child_and_merge_its_context_or_none(
            self.case, lambda b: plan_splits_proving_bounds_or_none(self.case, conditions, b), self._conditions_budget
        )
        if splits is not None:
            self._keep_accepted_certificates_tell_if_any(
                [[InvariantCertificate(Property(BOUNDS), lemmas, splits=splits)]]
            )

    def _try_to_exclude_target_by_given_claims(self) -> bool:
        """Return whether the claims given to a `reach` claim exclude its target, either alone or
        together with the condition that the target never holds. A few games come first, because a
        target that they meet has no such proof."""
        question = self.question
        wanted = (
            list_possible_named_events_asked_about(self.case.game, question, self.case.context)
            if question.given
            else []
        )
        targets = [event.build_condition_and_actions(self.case.game, self.case.context) for _, event in wanted]
        if (
            len(wanted) != 1
            or search_lines_to_targets_by_all_methods(self.case, targets, self.budget, only_first_games=True).lines
        ):
            return False
        for own in ([], list_negated_target_condition_if_any(targets[0])):
            layers = self._prove_claim_and_given_lemmas_or_none(
                replace(question, of={"with": [*list_condition_texts_written_in_claim(question), *own]})
            )
            if layers is not None:
                self._keep_accepted_certificates_tell_if_any(
                    [_build_invariants_over_integers_and_bitvectors(wanted[0][1], layers)]
                )
            if self._decide_question_from_accepted().known:
                return True
        return False

    def _try_to_prove_secrecy_by_given_claims(self) -> bool:
        """Return whether the claims given to a `secret` claim show that every step keeps it. That the
        secret can differ is left to a search."""
        layers = self._prove_claim_and_given_lemmas_or_none(self.question) if self.question.given else None
        if layers is not None:
            about = Secrecy(to_plain_json_data(self.question.of))
            self._keep_accepted_certificates_tell_if_any(
                [[InvariantCertificate(about, layers, integers) for integers in (True, False)]]
            )
        return self._decide_question_from_accepted().known

    def _try_to_prove_extreme_by_given_claims(self) -> bool:
        """Return whether an example given to a `minimum` or `maximum` reaches a value, and the
        conditions given leave no room for a better one."""
        case, question = self.case, self.question
        reached = find_best_known_line_or_none(case, question)
        layers = self._prove_claim_and_given_lemmas_or_none(question) if reached is not None else None
        if reached is None or layers is None:
            return False
        value, line = reached
        beyond = build_event_of_number_compared_with_value(question, "<" if question.ask == "minimum" else ">", value)
        self._keep_accepted_certificates_tell_if_any(
            [
                [
                    build_transcript_showing_statement(
                        case, build_event_of_number_compared_with_value(question, "==", value), line
                    )
                ],
                _build_invariants_over_integers_and_bitvectors(beyond, layers),
            ]
        )
        return self._decide_question_from_accepted().known

    def _prove_claim_and_given_lemmas_or_none(
        self, question: Question, include_own: bool = True
    ) -> tuple[Lemma, ...] | None:
        """Return what the claim (if `include_own`) and the claims given to it say, as layers. Return None if the
        kernel refuses one."""
        layers: list[Lemma] = []
        numbers: dict[str, tuple[int, ...]] = {}
        for claim in list_given_claims_then_question(question):  # the claims given to a claim come before it
            below: set[int] = set()
            for other in claim.given:
                below.update(numbers[other.id])
            on = tuple(sorted(below))
            if list_condition_texts_written_in_claim(claim) and (include_own or claim.id != question.id):
                layer = self._get_or_prove_lemma_or_none(list_condition_texts_written_in_claim(claim), layers, on)
                if layer is None:
                    return None
                layers.append(layer)
                on = (*on, len(layers) - 1)
            numbers[claim.id] = on
        return tuple(layers)

    def _get_or_prove_lemma_or_none(
        self, conditions: Sequence[str], earlier_lemmas: Sequence[Lemma], assumed_lemma_numbers: tuple[int, ...]
    ) -> Lemma | None:
        """Return a layer of conditions that the kernel accepts, with the game's phase conditions
        added if necessary; or None."""
        assumed = [text for n in assumed_lemma_numbers for text in earlier_lemmas[n].conjuncts]
        cache, key = LAYERS.get_entries_of_case(self.case), (tuple(assumed), tuple(conditions))
        if key not in cache:
            old = self._old_layers.get(key)
            layer = self._recheck_earlier_lemma_or_none(assumed, old) or self._plan_lemma_then_with_phases_or_none(
                assumed, conditions, old
            )
            if layer is None:
                return None
            cache[key] = layer
        return replace(cache[key], on=assumed_lemma_numbers)

    def _recheck_earlier_lemma_or_none(
        self, assumed_conditions: Sequence[str], earlier_lemma: Lemma | None
    ) -> Lemma | None:
        """Return a layer that was made for other cards if steps keep it here too, or None."""
        case = self.case

        def find_lemma_kept_here(_: Budget) -> Lemma | None:
            assert earlier_lemma is not None
            with suppress(NotShown, InputError):  # one may name what these cards do not have
                judge = StepChecker(
                    case.game,
                    [*assumed_conditions, *earlier_lemma.conjuncts],
                    earlier_lemma.integers,
                    earlier_lemma.splits,
                    case.context,
                )
                judge.require_start_and_steps_keep_conditions(earlier_lemma.conjuncts)
                return earlier_lemma
            return None

        return (
            None
            if earlier_lemma is None
            else run_in_child_and_merge_its_context_or_none(case, find_lemma_kept_here, self._kernel_budget)
        )

    def _plan_lemma_then_with_phases_or_none(
        self, assumed_conditions: Sequence[str], conditions: Sequence[str], earlier_lemma: Lemma | None
    ) -> Lemma | None:
        """Return a layer of conditions over those assumed, planned first without the game's phase
        conditions and then with them; or None. The `earlier_lemma` is of these conditions, for other cards."""
        case = self.case
        layer = run_in_child_and_merge_its_context_or_none(
            case,
            lambda b: plan_lemma_with_splits_or_none(case, assumed_conditions, conditions, b, earlier_lemma),
            self._conditions_budget,
        )
        of_phases = build_reachable_phase_condition_texts(case.game)
        if layer is not None or not of_phases:
            return layer
        return run_in_child_and_merge_its_context_or_none(
            case,
            lambda b: plan_lemma_with_splits_or_none(
                case, assumed_conditions, [*conditions, *of_phases], b, earlier_lemma
            ),
            self._conditions_budget,
        )

    @property
    def _conditions_budget(self) -> Budget:
        """Return the budget for proofs from the claim's own words. The rest is left to search for a
        line that refutes them."""
        return self.budget.make_budget_of_share(_FOR_WORDS)

    @property
    def _kernel_budget(self) -> Budget:
        """Return the budget for the kernel to check what was proposed."""
        return Budget(max(_LEAST_WORK, self.budget.work))

    def offer_conclusion_to_kernel(self, conclusion: Conclusion) -> CertificationOutcome:
        """Offer a method's certificates to the kernel, and return the outcome."""
        if not self._decide_question_from_accepted().known:
            self._keep_accepted_certificates_tell_if_any(conclusion.offers)
        return self.build_outcome_after_proving_assumptions()

    def tighten_open_bound_from_given_claims(self, conclusion: Conclusion) -> Conclusion:
        """Return the result with a closer bound if an extreme is open between two bounds and the
        given claims prove one."""
        question, least = self.question, self.question.ask == "minimum"
        proved, met = ("at least", "at most") if least else ("at most", "at least")
        if question.ask not in ("minimum", "maximum") or not question.given:
            return conclusion
        if proved not in conclusion.bound or self._decide_question_from_accepted().known:
            return conclusion
        layers, number = (
            self._prove_claim_and_given_lemmas_or_none(question),
            TargetReader(self.case.game, question.where).number_text_to_term(question.of["number"]),
        )
        near, far = conclusion.bound[met], conclusion.bound[proved]
        if near is None:  # no line reaches any value
            near = number.hi if least else number.lo
        others = list(self.good)
        while layers is not None and near != far:
            middle = (near + far + least) // 2  # nothing is beyond `far`; is anything beyond `middle`?
            event = build_event_of_number_compared_with_value(question, "<" if least else ">", middle)
            if self._keep_accepted_certificates_tell_if_any(
                [_build_invariants_over_integers_and_bitvectors(event, layers)]
            ):
                far, self.good = middle, [*others, self.good[-1]]
            else:
                near = middle - 1 if least else middle + 1
        return replace(conclusion, bound={**conclusion.bound, proved: far})

    def build_outcome_after_proving_assumptions(self) -> CertificationOutcome:
        """Return the answer that the accepted certificates give."""
        decision = self._decide_question_from_accepted()
        assumed = decision.list_assumed_but_unproved_properties(self._list_theorems_of_accepted_certificates())
        if assumed:
            self._try_to_prove_assumed_properties_quickly(assumed)
        setting = EvidenceSetting(
            option_values_to_texts(self.question.values),
            option_values_to_texts(self.question.rulings),
            self.case.context.get_game_digest_cached(self.case.game),
            tuple(c for c, _ in self.good),
            read_claim_parts_of_setting(self.case.game, self.question, [c for c, _ in self.good], self.case.context),
        )
        rests = frozenset(c.describe_what_must_be_trusted() for c, _ in self.good)
        return CertificationOutcome(
            decision,
            setting,
            tuple(self.reasons),
            decision.list_assumed_but_unproved_properties(self._list_theorems_of_accepted_certificates()),
            rests,
            describe_for_whom_it_holds_or_empty(self.case.game, self.question, decision),
        )

    @property
    def properties(self) -> AcceptedCertificates:
        """Return the accepted certificates of properties that other claims may rest on."""
        return [(c, s) for c, s in self.good if isinstance(s.about, Property) and s.so and (c, s) not in self.grounds]

    def _list_theorems_of_accepted_certificates(self) -> list[Theorem]:
        return [s for _, s in self.good]

    def _decide_question_from_accepted(self) -> Decision:
        return decide_question_from_theorems(
            self.case.game, self.question, self._list_theorems_of_accepted_certificates(), self.case.context
        )

    def _try_to_prove_assumed_properties_quickly(self, property_names: Sequence[str]) -> None:
        """Add certificates of the properties that the answer assumes, if another claim has shown
        them or little work shows them."""
        self._add_certificates_of_other_claims()
        for name in property_names:
            still_assumed = name in self._decide_question_from_accepted().list_assumed_but_unproved_properties(
                self._list_theorems_of_accepted_certificates()
            )
            if not still_assumed or name in _NOT_QUICK.get_entries_of_case(self.case):
                continue
            tries = self._build_property_certificates_without_conditions(name)
            [(place, _)] = find_accepted_index_or_reason_per_list(self.case, [tries], Budget(_QUICK_WORK))
            if place is None:
                _NOT_QUICK.get_entries_of_case(self.case)[name] = True
            else:
                self.good.append(
                    (tries[place], check_certificate_to_theorem(tries[place], self.case.game, self.case.context))
                )

    def _add_certificates_of_other_claims(self) -> None:
        """Add the certificates that the kernel accepted for other claims. A run checks each of them
        once; `check` checks them for each file."""
        self.good += [ground for ground in self.grounds if ground not in self.good]

    def _build_property_certificates_without_conditions(self, property_name: str) -> list[Certificate]:
        """Return the certificates that may show a property of the rules without conditions from any
        claim."""
        seen = self.case.seen
        if seen is not None and seen.complete and seen.states <= _FEW_STATES:
            return [ClosedSetCertificate(Property(property_name), Listing(seen.states))]
        if property_name != PHASES_END:
            return [InvariantCertificate(Property(property_name))]
        if sum(f.size for f in self.case.game.fields) > _MOST_CELLS:
            return []
        return self._list_first_phases_end_certificate_if_any(
            _list_lemma_sets_without_and_with_phases(self.case.game), lambda: Budget(_QUICK_WORK)
        )

    def _list_first_phases_end_certificate_if_any(
        self, lemma_sets: Sequence[tuple[Lemma, ...]], make_budget: Callable[[], Budget]
    ) -> list[Certificate]:
        """Return the first certificate that automatic phases end, from one of several sets of
        layers, each with a budget of its own; [] if there is none."""
        for layers in lemma_sets:
            certificate = self._find_phases_end_proof_in_child_or_none(layers, make_budget())
            if certificate is not None:
                return [certificate]
        return []

    def _find_phases_end_proof_in_child_or_none(self, lemmas: Sequence[Lemma], budget: Budget) -> Certificate | None:
        """Return a certificate that automatic phases end, or None if no numbers are found that they
        lower."""
        return run_in_child_and_merge_its_context_or_none(
            self.case, lambda b: find_phases_end_certificate_or_none(self.case, lemmas, b), budget
        )

    def _keep_accepted_certificates_tell_if_any(
        self, certificate_lists: Sequence[Sequence[Certificate]], budget: Budget | None = None
    ) -> bool:
        """Keep the first certificate of each list that the kernel accepts, and return whether there
        was one."""
        before = len(self.good)
        answers = find_accepted_index_or_reason_per_list(self.case, certificate_lists, budget or self._kernel_budget)
        for some, (place, reason) in zip(certificate_lists, answers, strict=True):
            if place is not None:
                self.good.append(
                    (some[place], check_certificate_to_theorem(some[place], self.case.game, self.case.context))
                )
                store_lemmas_of_accepted_certificate(self.case, some[place])
            elif reason:
                self.reasons.append(reason)
        return len(self.good) > before


def _build_invariants_over_integers_and_bitvectors(
    statement: Event | Property, lemmas: tuple[Lemma, ...]
) -> list[Certificate]:
    """Return an invariant over integers, then the same over bit-vectors."""
    return [InvariantCertificate(statement, lemmas, integers) for integers in (True, False)]


def _list_lemma_sets_without_and_with_phases(game: Game) -> list[tuple[Lemma, ...]]:
    """Return the two cheapest sets of layers: no conditions, and the conditions on which phases the
    game goes to."""
    of_phases = tuple(build_reachable_phase_condition_texts(game))
    return [(), (Lemma(of_phases, True, ()),)] if of_phases else [()]


def replace_value_by_kernel_outcome(conclusion: Conclusion, outcome: CertificationOutcome) -> Conclusion:
    """Return the result with the value that the kernel computed in place of the method's own."""
    decision = outcome.decision
    same = replace(
        conclusion,
        value=decision.value,
        vacuous=decision.vacuous,
        offers=(),
        settings=(outcome.setting,),
        assumed=outcome.assumed,
        whom=outcome.whom,
    )
    if decision.known:
        compiled = any(COMPILED in rests for rests in outcome.rests)
        method = f"{conclusion.method}, which rests on compiled code" if compiled else conclusion.method
        return replace(same, reason="", method=method)
    if conclusion.known or conclusion.vacuous:
        why = "; ".join(dict.fromkeys(outcome.reasons)) or "no certificate of this kind of evidence"
        # Why it is so was not shown either.
        bound = {name: told for name, told in same.bound.items() if name != "because"}
        return replace(same, reason=f"found, and not confirmed by the kernel: {why}", bound=bound)
    return same

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
from playproof.verifier.kernel.deciding import (
    Decision,
    build_extreme_event,
    build_forbidden_event,
    decide_question,
    get_asked_property,
    list_target_events,
)
from playproof.verifier.kernel.evidence import EvidenceSetting, check_certificate, values_to_texts
from playproof.verifier.kernel.exploration import COMPILED, Exploration
from playproof.verifier.kernel.induction import Lemma, StepChecker
from playproof.verifier.kernel.invariant import Invariant
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END, Event, Property, Secrecy
from playproof.verifier.kernel.strict import to_json
from playproof.verifier.proof.always import (
    list_conditions_of_claim_and_given,
    list_conditions_written_in_claim,
)
from playproof.verifier.proof.certificate_offers import (
    LAYERS,
    LemmasByConditions,
    adapt_certificate_lines_to_case,
    build_reachable_phase_conditions,
    build_transcript,
    extract_certificate_lines,
    index_lemmas_by_conditions,
    run_in_child_sharing_kernel_results,
    store_accepted_lemmas,
    submit_certificates_to_kernel,
)
from playproof.verifier.proof.extremes import find_best_example_line
from playproof.verifier.proof.phases_end import find_phases_end_certificate
from playproof.verifier.proof.reach import negate_target_condition
from playproof.verifier.proof.splitting import list_lemma_conditions, plan_bounds_splits, plan_lemma_splits
from playproof.verifier.questions.claim_check import list_question_with_given_claims
from playproof.verifier.questions.claims import Question, TargetReader
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import Budget, Cache, GameCase
from playproof.verifier.search.portfolio import search_lines_to_targets

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

    def try_earlier_certificates(self, certificates: Sequence[Certificate]) -> bool:
        """Return whether certificates that were made for other cards answer the claim here too. The kernel checks
        each of them against this game, so it does not matter who made them."""
        if not certificates:
            return False
        with suppress(InputError, NoMachineCodeError):  # one may name an action that these cards do not have
            lines, others = (
                [c for c in certificates if bool(extract_certificate_lines(c)) is so] for so in (True, False)
            )
            fit = [
                self._offer_to_kernel([[c]])
                or self._offer_to_kernel([[adapt_certificate_lines_to_case(self.case, c)]])
                for c in lines
            ]
            if all(fit):  # else Z3, which takes longer, is not asked in vain
                refused, work = _REFUSED.get_entries(self.case), self._kernel_budget.work
                self._offer_earlier_certificates([c for c in others if refused.get(repr(c), 0.0) < work])
        if self._decide_from_accepted().known:
            return True
        self.good, self.reasons = [], []
        for certificate in certificates:  # what does not answer the claim may hold in part
            self._old_layers.update(index_lemmas_by_conditions(self.case.game, certificate))
        return False

    def _offer_earlier_certificates(self, certificates: Sequence[Certificate]) -> None:
        """Offer certificates that were made for other cards. Those of bounds stand in the files of many claims."""
        self._offer_to_kernel([[certificate] for certificate in certificates])
        good = [certificate for certificate, _ in self.good]
        invariants = (repr(c) for c in certificates if isinstance(c, Invariant) and c not in good)
        _REFUSED.get_entries(self.case).update(dict.fromkeys(invariants, self._kernel_budget.work))

    def answer_from_claim_conditions(self) -> bool:
        """Return whether the claim's own words, with those of the given claims, answer it, so that
        no search is needed."""
        question = self.question
        name = get_asked_property(question)
        if question.ask == "reach":
            return self._exclude_target_from_given_claims()
        if question.ask in ("minimum", "maximum"):
            return self._prove_extreme_from_given_claims()
        if question.ask == "secret":
            return self._prove_secrecy_from_given_claims()
        if question.ask not in ("always", "never"):
            return False
        conditions = list_conditions_of_claim_and_given(question)
        if not (name or question.given or conditions):
            return False
        if name and name != PHASES_END and not conditions:  # nothing to start from
            return False
        if name and self.grounds:  # another claim, which rests on this one, has shown it
            self._add_ground_certificates()
            if self._decide_from_accepted().known:
                return True
        if not name and self._is_implied_by_given_claims():
            return True
        layers = self._build_lemma_layers(question)
        if layers is None:
            return False
        if name == BOUNDS:
            self._offer_bounds_invariant(layers)
        elif name == PHASES_END:
            tries = [layers] if layers else _list_cheapest_lemma_sets(self.case.game)
            self._offer_to_kernel(
                [self._find_first_phases_end_certificate(tries, lambda: self._conditions_budget)]
            )
        else:
            about = Property(name) if name else build_forbidden_event(question)
            self._offer_to_kernel([_build_integer_and_bitvector_invariants(about, layers)])
        return self._decide_from_accepted().known

    def _is_implied_by_given_claims(self) -> bool:
        """Return whether the claims given to a claim imply it. Then its words need no layer of their own; one that
        adds words under `with` needs it."""
        question = self.question
        if (
            not question.given
            or question.ask != "always"
            or len(list_conditions_written_in_claim(question)) > 1
        ):
            return False
        layers = self._build_lemma_layers(question, include_own=False)
        if layers is not None:
            self._offer_to_kernel(
                [_build_integer_and_bitvector_invariants(build_forbidden_event(question), layers)],
                Budget(_AT_A_GLANCE),
            )
        return self._decide_from_accepted().known

    def _offer_bounds_invariant(self, layers: tuple[Lemma, ...]) -> None:
        """Offer that the layers keep every value in its bounds, with the splits that this needs."""
        conditions = list_lemma_conditions(layers)
        splits = run_in_child_sharing_kernel_results(
            self.case, lambda b: plan_bounds_splits(self.case, conditions, b), self._conditions_budget
        )
        if splits is not None:
            self._offer_to_kernel([[Invariant(Property(BOUNDS), layers, splits=splits)]])

    def _exclude_target_from_given_claims(self) -> bool:
        """Return whether the claims given to a `reach` claim exclude its target, either alone or
        together with the condition that the target never holds. A few games come first, because a
        target that they meet has no such proof."""
        question = self.question
        wanted = list_target_events(self.case.game, question, self.case.context) if question.given else []
        targets = [event.build_target(self.case.game) for _, event in wanted]
        if (
            len(wanted) != 1
            or search_lines_to_targets(self.case, targets, self.budget, only_first_games=True).lines
        ):
            return False
        for own in ([], negate_target_condition(targets[0])):
            layers = self._build_lemma_layers(
                replace(question, of={"with": [*list_conditions_written_in_claim(question), *own]})
            )
            if layers is not None:
                self._offer_to_kernel([_build_integer_and_bitvector_invariants(wanted[0][1], layers)])
            if self._decide_from_accepted().known:
                return True
        return False

    def _prove_secrecy_from_given_claims(self) -> bool:
        """Return whether the claims given to a `secret` claim show that every step keeps it. That the
        secret can differ is left to a search."""
        layers = self._build_lemma_layers(self.question) if self.question.given else None
        if layers is not None:
            about = Secrecy(to_json(self.question.of))
            self._offer_to_kernel([[Invariant(about, layers, integers) for integers in (True, False)]])
        return self._decide_from_accepted().known

    def _prove_extreme_from_given_claims(self) -> bool:
        """Return whether an example given to a `minimum` or `maximum` reaches a value, and the
        conditions given leave no room for a better one."""
        case, question = self.case, self.question
        reached = find_best_example_line(case, question)
        layers = self._build_lemma_layers(question) if reached is not None else None
        if reached is None or layers is None:
            return False
        value, line = reached
        beyond = build_extreme_event(question, "<" if question.ask == "minimum" else ">", value)
        self._offer_to_kernel(
            [
                [build_transcript(case, build_extreme_event(question, "==", value), line)],
                _build_integer_and_bitvector_invariants(beyond, layers),
            ]
        )
        return self._decide_from_accepted().known

    def _build_lemma_layers(self, question: Question, include_own: bool = True) -> tuple[Lemma, ...] | None:
        """Return what the claim (if `own`) and the claims given to it say, as layers. Return None if the
        kernel refuses one."""
        layers: list[Lemma] = []
        numbers: dict[str, tuple[int, ...]] = {}
        for claim in list_question_with_given_claims(question):  # the claims given to a claim come before it
            below: set[int] = set()
            for other in claim.given:
                below.update(numbers[other.id])
            on = tuple(sorted(below))
            if list_conditions_written_in_claim(claim) and (include_own or claim.id != question.id):
                layer = self._build_lemma_layer(list_conditions_written_in_claim(claim), layers, on)
                if layer is None:
                    return None
                layers.append(layer)
                on = (*on, len(layers) - 1)
            numbers[claim.id] = on
        return tuple(layers)

    def _build_lemma_layer(
        self, conditions: Sequence[str], layers: Sequence[Lemma], depends_on: tuple[int, ...]
    ) -> Lemma | None:
        """Return a layer of conditions that the kernel accepts, with the game's phase conditions
        added if necessary; or None."""
        assumed = [text for n in depends_on for text in layers[n].conjuncts]
        cache, key = LAYERS.get_entries(self.case), (tuple(assumed), tuple(conditions))
        if key not in cache:
            old = self._old_layers.get(key)
            layer = self._recheck_earlier_lemma(assumed, old) or self._plan_lemma(assumed, conditions, old)
            if layer is None:
                return None
            cache[key] = layer
        return replace(cache[key], on=depends_on)

    def _recheck_earlier_lemma(
        self, assumed_conditions: Sequence[str], earlier_lemma: Lemma | None
    ) -> Lemma | None:
        """Return a layer that was made for other cards if steps keep it here too, or None."""
        case = self.case

        def kept(_: Budget) -> Lemma | None:
            assert earlier_lemma is not None
            with suppress(NotShown, InputError):  # one may name what these cards do not have
                judge = StepChecker(
                    case.game,
                    [*assumed_conditions, *earlier_lemma.conjuncts],
                    earlier_lemma.integers,
                    earlier_lemma.splits,
                    case.context,
                )
                judge.check_conditions_kept(earlier_lemma.conjuncts)
                return earlier_lemma
            return None

        return (
            None
            if earlier_lemma is None
            else run_in_child_sharing_kernel_results(case, kept, self._kernel_budget)
        )

    def _plan_lemma(
        self, assumed_conditions: Sequence[str], conditions: Sequence[str], earlier_lemma: Lemma | None
    ) -> Lemma | None:
        """Return a layer of conditions over those assumed, planned first without the game's phase
        conditions and then with them; or None. The `old` layer is of these conditions, for other cards."""
        case = self.case
        layer = run_in_child_sharing_kernel_results(
            case,
            lambda b: plan_lemma_splits(case, assumed_conditions, conditions, b, earlier_lemma),
            self._conditions_budget,
        )
        of_phases = build_reachable_phase_conditions(case.game)
        if layer is not None or not of_phases:
            return layer
        return run_in_child_sharing_kernel_results(
            case,
            lambda b: plan_lemma_splits(
                case, assumed_conditions, [*conditions, *of_phases], b, earlier_lemma
            ),
            self._conditions_budget,
        )

    @property
    def _conditions_budget(self) -> Budget:
        """Return the budget for proofs from the claim's own words. The rest is left to search for a
        line that refutes them."""
        return self.budget.take_share(_FOR_WORDS)

    @property
    def _kernel_budget(self) -> Budget:
        """Return the budget for the kernel to check what was proposed."""
        return Budget(max(_LEAST_WORK, self.budget.work))

    def offer_conclusion(self, answer: Conclusion) -> CertificationOutcome:
        """Offer a method's certificates to the kernel, and return the outcome."""
        if not self._decide_from_accepted().known:
            self._offer_to_kernel(answer.offers)
        return self.build_outcome()

    def tighten_open_bound(self, answer: Conclusion) -> Conclusion:
        """Return the result with a closer bound if an extreme is open between two bounds and the
        given claims prove one."""
        question, least = self.question, self.question.ask == "minimum"
        proved, met = ("at least", "at most") if least else ("at most", "at least")
        if question.ask not in ("minimum", "maximum") or not question.given:
            return answer
        if proved not in answer.bound or self._decide_from_accepted().known:
            return answer
        layers, number = (
            self._build_lemma_layers(question),
            TargetReader(self.case.game, question.where).number_to_term(question.of["number"]),
        )
        near, far = answer.bound[met], answer.bound[proved]
        if near is None:  # no line reaches any value
            near = number.hi if least else number.lo
        others = list(self.good)
        while layers is not None and near != far:
            middle = (near + far + least) // 2  # nothing is beyond `far`; is anything beyond `middle`?
            event = build_extreme_event(question, "<" if least else ">", middle)
            if self._offer_to_kernel([_build_integer_and_bitvector_invariants(event, layers)]):
                far, self.good = middle, [*others, self.good[-1]]
            else:
                near = middle - 1 if least else middle + 1
        return replace(answer, bound={**answer.bound, proved: far})

    def build_outcome(self) -> CertificationOutcome:
        """Return the answer that the accepted certificates give."""
        decision = self._decide_from_accepted()
        assumed = decision.list_unproved_grounds(self._list_accepted_theorems())
        if assumed:
            self._add_assumed_properties(assumed)
        setting = EvidenceSetting(
            values_to_texts(self.question.values),
            values_to_texts(self.question.rulings),
            self.case.context.get_game_digest(self.case.game),
            tuple(c for c, _ in self.good),
        )
        rests = frozenset(c.describe_trusted_parts() for c, _ in self.good)
        return CertificationOutcome(
            decision,
            setting,
            tuple(self.reasons),
            decision.list_unproved_grounds(self._list_accepted_theorems()),
            rests,
        )

    @property
    def properties(self) -> AcceptedCertificates:
        """Return the accepted certificates of properties that other claims may rest on."""
        return [
            (c, s)
            for c, s in self.good
            if isinstance(s.about, Property) and s.so and (c, s) not in self.grounds
        ]

    def _list_accepted_theorems(self) -> list[Theorem]:
        return [s for _, s in self.good]

    def _decide_from_accepted(self) -> Decision:
        return decide_question(
            self.case.game, self.question, self._list_accepted_theorems(), self.case.context
        )

    def _add_assumed_properties(self, property_names: Sequence[str]) -> None:
        """Add certificates of the properties that the answer assumes, if another claim has shown
        them or little work shows them."""
        self._add_ground_certificates()
        for name in property_names:
            still_assumed = name in self._decide_from_accepted().list_unproved_grounds(
                self._list_accepted_theorems()
            )
            if not still_assumed or name in _NOT_QUICK.get_entries(self.case):
                continue
            tries = self._build_quick_certificates(name)
            [(place, _)] = submit_certificates_to_kernel(self.case, [tries], Budget(_QUICK_WORK))
            if place is None:
                _NOT_QUICK.get_entries(self.case)[name] = True
            else:
                self.good.append(
                    (tries[place], check_certificate(tries[place], self.case.game, self.case.context))
                )

    def _add_ground_certificates(self) -> None:
        """Add the certificates that the kernel accepted for other claims. A run checks each of them
        once; `check` checks them for each file."""
        self.good += [ground for ground in self.grounds if ground not in self.good]

    def _build_quick_certificates(self, property_name: str) -> list[Certificate]:
        """Return the certificates that may show a property of the rules without conditions from any
        claim."""
        seen = self.case.seen
        if seen is not None and seen.complete and seen.states <= _FEW_STATES:
            return [Exploration(Property(property_name), seen.states)]
        if property_name != PHASES_END:
            return [Invariant(Property(property_name))]
        if sum(f.size for f in self.case.game.fields) > _MOST_CELLS:
            return []
        return self._find_first_phases_end_certificate(
            _list_cheapest_lemma_sets(self.case.game), lambda: Budget(_QUICK_WORK)
        )

    def _find_first_phases_end_certificate(
        self, lemma_sets: Sequence[tuple[Lemma, ...]], budget: Callable[[], Budget]
    ) -> list[Certificate]:
        """Return the first certificate that automatic phases end, from one of several sets of
        layers, each with a budget of its own; [] if there is none."""
        for layers in lemma_sets:
            certificate = self._find_phases_end_certificate(layers, budget())
            if certificate is not None:
                return [certificate]
        return []

    def _find_phases_end_certificate(self, layers: Sequence[Lemma], budget: Budget) -> Certificate | None:
        """Return a certificate that automatic phases end, or None if no numbers are found that they
        lower."""
        return run_in_child_sharing_kernel_results(
            self.case, lambda b: find_phases_end_certificate(self.case, layers, b), budget
        )

    def _offer_to_kernel(
        self, proposals: Sequence[Sequence[Certificate]], budget: Budget | None = None
    ) -> bool:
        """Keep the first certificate of each list that the kernel accepts, and return whether there
        was one."""
        before = len(self.good)
        answers = submit_certificates_to_kernel(self.case, proposals, budget or self._kernel_budget)
        for some, (place, reason) in zip(proposals, answers, strict=True):
            if place is not None:
                self.good.append(
                    (some[place], check_certificate(some[place], self.case.game, self.case.context))
                )
                store_accepted_lemmas(self.case, some[place])
            elif reason:
                self.reasons.append(reason)
        return len(self.good) > before


def _build_integer_and_bitvector_invariants(
    statement: Event | Property, layers: tuple[Lemma, ...]
) -> list[Certificate]:
    """Return an invariant over integers, then the same over bit-vectors."""
    return [Invariant(statement, layers, integers) for integers in (True, False)]


def _list_cheapest_lemma_sets(game: Game) -> list[tuple[Lemma, ...]]:
    """Return the two cheapest sets of layers: no conditions, and the conditions on which phases the
    game goes to."""
    of_phases = tuple(build_reachable_phase_conditions(game))
    return [(), (Lemma(of_phases, True, ()),)] if of_phases else [()]


def apply_outcome_to_conclusion(answer: Conclusion, outcome: CertificationOutcome) -> Conclusion:
    """Return the result with the value that the kernel computed in place of the method's own."""
    decision = outcome.decision
    same = replace(
        answer,
        value=decision.value,
        vacuous=decision.vacuous,
        offers=(),
        settings=(outcome.setting,),
        assumed=outcome.assumed,
        whom=decision.whom,
    )
    if decision.known:
        compiled = any(COMPILED in rests for rests in outcome.rests)
        method = f"{answer.method}, which rests on compiled code" if compiled else answer.method
        return replace(same, reason="", method=method)
    if answer.known or answer.vacuous:
        why = "; ".join(dict.fromkeys(outcome.reasons)) or "no certificate of this kind of evidence"
        # Why it is so was not shown either.
        bound = {name: told for name, told in same.bound.items() if name != "because"}
        return replace(same, reason=f"found, and not confirmed by the kernel: {why}", bound=bound)
    return same

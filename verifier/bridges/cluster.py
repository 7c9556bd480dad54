"""Claims answered by the workers of a Dask cluster. A worker searches; this process checks.

prove("nim", begin=run_on(client))

A worker gets each setting's description, the cards and the claims, and sends back evidence: the text of a file as
`prove` writes it. This process reads that text as strictly as `check` reads a file, has the kernel check each
certificate against the game that it built itself, and computes the value from those that the kernel accepted. So a
worker that errs or lies can leave a claim open, and cannot answer it wrongly. What a worker says besides, such as why a
claim is open, goes with open answers only."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import sha256
from typing import Any

from playproof.database.errors import InputError
from playproof.database.process_memory import make_c_library_keep_freed_memory
from playproof.language import RulesError
from playproof.language.description import digest, read as read_description, write
from playproof.language.options import OptionError
from playproof.referee.cluster import allow_daemon_to_have_children, map_items_on_dask_workers_in_order
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deals import DealEvidence
from playproof.verifier.kernel.evidence import (
    VERSION,
    EvidenceFile,
    get_options_and_rulings_key,
    list_questions_with_names_of_settings,
    parse_evidence_file_text,
)
from playproof.verifier.kernel.strict_json import (
    Unreadable,
    encode_typed_value_as_json,
    to_canonical_json_text,
    to_plain_json_data,
)
from playproof.verifier.proof.certificate_offers import run_in_child_within_budget_or_none
from playproof.verifier.proof.certify import CertificationOutcome, Certifier
from playproof.verifier.proof.counting import OPEN, answer_share_of_winnable_deals_claim, build_deal_sample_of_claim
from playproof.verifier.prove import RunLimits, VerifierRun
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.selection import list_phase_end_claims_bounds_need_first
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.search.case import (
    Budget,
    GameCase,
    GivenGameCase,
    add_work_units_done,
    get_work_units_done,
    limit_z3_to_time_or_work_within_context,
)

_NO_MORE: Any = object()
WorkItem = tuple[Question, int | None]
"""A claim, or the claim with the number of one of its deals."""
DecidedDeal = tuple[DealEvidence | str, float]
"""What is shown of a deal, or why nothing can be, and the work that this took."""


@dataclass(frozen=True)
class WorkerReply:
    """A worker's answer to a claim: the text of its evidence, and what the search says of each setting by its key."""

    evidence: str
    words: Mapping[str, Conclusion]


@dataclass
class WorkerRequest:
    """What a worker needs to answer any of the claims: the case of each setting, by the setting's key."""

    name: str
    errata: bool | str
    cases: Mapping[str, GameCase]
    chosen: Sequence[Question]
    claims: Mapping[str, Question]
    allowance: RunLimits

    def __reduce__(self) -> tuple[Callable[..., WorkerRequest], tuple[Any, ...]]:
        settings = {
            key: (write(case.game), case.values, case.rulings, case.machine) for key, case in self.cases.items()
        }
        cards = next((case.game.cards for case in self.cases.values()), None)
        others = (self.name, self.errata, self.chosen, dict(self.claims), self.allowance)
        return _rebuild_request_in_worker, (settings, cards, *others)

    @cached_property
    def digest(self) -> str:
        """The digest of the descriptions, the cards and the claims."""
        games = {key: [digest(case.game), _get_cards_digest_or_empty(case)] for key, case in self.cases.items()}
        claims = [question.as_json() for question in self.chosen]
        return sha256(to_canonical_json_text([games, claims, list(self.allowance)]).encode()).hexdigest()

    def search_claim_for_evidence(self, question: Question) -> WorkerReply:
        """Answer a claim with a run of its own, so that it does not matter what else this process answers."""
        run = _WorkerRun(self.name, self.errata)
        for _, variant in list_questions_with_names_of_settings(question, self.claims):
            case = self.cases[get_options_and_rulings_key(variant)]
            own = GivenGameCase(self.name, case.game, case.values, case.rulings, case.machine)
            run.set_case_to_answer_question_with(variant, own)
        budget = self.allowance.make_budget_for_claim(question)
        with limit_z3_to_time_or_work_within_context(budget.end):
            for ground in list_phase_end_claims_bounds_need_first(question, self.chosen):
                run.find_certified_conclusion(ground, self.claims, self.allowance.make_budget_for_claim(ground))
            run.answers.clear()
            whole = run.find_certified_conclusion(question, self.claims, budget)
        settings = tuple(setting for conclusion in run.answers.values() for setting in conclusion.settings)
        file = EvidenceFile(VERSION, self.name, self.errata, to_plain_json_data(question.as_json()), settings)
        words = run.answers or {get_options_and_rulings_key(question): whole}
        bare = {key: replace(conclusion, settings=(), offers=()) for key, conclusion in words.items()}
        return WorkerReply(to_canonical_json_text(encode_typed_value_as_json(file)), bare)


def _get_cards_digest_or_empty(case: GameCase) -> str:
    return str(getattr(case.game.cards, "digest", ""))


def _rebuild_request_in_worker(
    settings: Mapping[str, tuple[bytes, dict[str, str], dict[str, str], bool]], cards: Any, *others: Any
) -> WorkerRequest:
    """Return in a worker what the driver sent, with the games as their descriptions have them."""
    name, errata, chosen, claims, allowance = others
    cases = dict[str, GameCase]()
    for key, (description, values, rulings, machine) in settings.items():
        game = read_description(description)
        game.cards = cards
        cases[key] = GivenGameCase(name, game, values, rulings, machine)
    return WorkerRequest(name, errata, cases, chosen, claims, allowance)


def search_claim_or_deal_in_child_or_none(
    request: WorkerRequest, work_item: WorkItem
) -> WorkerReply | DecidedDeal | None:
    """Answer a claim, or decide one of its deals, in a child of a worker; None if the child was ended. Runs in a
    worker."""
    question, number = work_item
    case = request.cases[get_options_and_rulings_key(question)] if number is not None else None
    if case is not None:
        _ = case.compiled, case.play  # once for all children
    allow_daemon_to_have_children()
    make_c_library_keep_freed_memory()

    def in_child(_: Budget) -> Any:
        allow_daemon_to_have_children()
        if case is None or number is None:
            return request.search_claim_for_evidence(question)
        before, budget = get_work_units_done(), request.allowance.make_budget_for_claim(question)
        try:
            return build_deal_sample_of_claim(case, question).search_deal_for_evidence(
                number, budget
            ), get_work_units_done() - before
        except (NotShown, RulesError, OverflowError) as error:
            return str(error), 0.0

    return run_in_child_within_budget_or_none(in_child, request.allowance.make_budget_for_claim(question))


@dataclass
class _WorkerRun(VerifierRun):
    """A run that keeps the answer to each setting, by the setting's key: the first that is known, else the last."""

    answers: dict[str, Conclusion] = field(default_factory=dict)

    def _find_conclusion_for_one_setting(self, question: Question, budget: Budget) -> Conclusion:
        conclusion = super()._find_conclusion_for_one_setting(question, budget)
        key = get_options_and_rulings_key(question)
        if key not in self.answers or not self.answers[key].known:
            self.answers[key] = conclusion
        return conclusion


@dataclass
class ClusterRun(VerifierRun):
    """A run whose searches workers do. Each certificate that they send is checked here."""

    client: Any = None
    sent: deque[tuple[str, int | None]] = field(default_factory=deque)
    replies: Iterator[WorkerReply | DecidedDeal | None] = field(default_factory=lambda: iter(()))
    there: dict[tuple[str, int | None], Any] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)
    """Claims of which no more deals are wanted."""
    at: str = ""
    """The claim that is being answered; its settings may be those of another claim."""

    def prepare_to_answer_questions(
        self, questions: Sequence[Question], claims_by_id: Mapping[str, Question], run_limits: RunLimits
    ) -> None:
        """Send the claims to the workers. Those whose game cannot be built are answered here, which says why."""
        cases, ready = dict[str, GameCase](), list[Question]()
        for question in questions:
            with suppress(RulesError, OptionError, InputError):
                for _, variant in list_questions_with_names_of_settings(question, claims_by_id):
                    if get_options_and_rulings_key(variant) not in cases:
                        cases[get_options_and_rulings_key(variant)] = self.get_or_build_case_of_question(variant)
                before = [*list_phase_end_claims_bounds_need_first(question, questions), question]
                ready += [each for each in before if each not in ready]
        request = WorkerRequest(self.name, self.errata, cases, ready, claims_by_id, run_limits)
        self.replies = map_items_on_dask_workers_in_order(
            self.client, request, search_claim_or_deal_in_child_or_none, self._iter_work_items_and_note_sent(ready)
        )

    def _iter_work_items_and_note_sent(self, questions: Sequence[Question]) -> Iterator[WorkItem]:
        """Yield the work, deal by deal for a sample of deals, and note what was sent."""
        for question in questions:
            numbers = range(int(question.of["deals"])) if question.ask == "deals" else [None]
            for number in numbers:
                if question.id not in self.over:
                    self.sent.append((question.id, number))
                    yield question, number

    def _await_reply_for_current_claim_or_none(self, deal_number: int | None = None) -> Any:
        """Return the reply to the claim that is being answered, and keep those that come before it; None if there is
        none."""
        place = (self.at, deal_number)
        answer: WorkerReply | DecidedDeal | None
        while place not in self.there:
            answer = next(self.replies, _NO_MORE)
            if answer is _NO_MORE:
                return None
            self.there[self.sent.popleft()] = answer
        return self.there[place]

    def find_certified_conclusion(
        self, question: Question, claims_by_id: Mapping[str, Question], budget: Budget
    ) -> Conclusion:
        """Return what the kernel accepts of a worker's answer, once it is there."""
        if self.at:  # one setting of the claim that is being answered
            return super().find_certified_conclusion(question, claims_by_id, budget)
        self.at = question.id
        try:
            if question.ask != "deals":
                self._await_reply_for_current_claim_or_none()
            return super().find_certified_conclusion(question, claims_by_id, budget)
        except KeyboardInterrupt:
            budget.stopped = True
            return Conclusion(None, "", (), "stopped by hand")
        finally:
            self.at = ""

    def _find_conclusion_and_kernel_outcome(
        self, certifier: Certifier, question: Question, budget: Budget
    ) -> tuple[Conclusion, CertificationOutcome]:
        """Offer the worker's certificates for one setting to the kernel, in place of a search."""
        if question.ask == "deals":
            words = answer_share_of_winnable_deals_claim(
                certifier.case, question, budget, self._await_deal_evidence_from_worker
            )
            self.over.add(self.at)
            return words, certifier.offer_conclusion_to_kernel(words)
        reply = self._await_reply_for_current_claim_or_none()
        if reply is None or get_options_and_rulings_key(question) not in reply.words:
            reason = "a worker's process ended before it had an answer"
            return Conclusion(None, "", (), reason), certifier.build_outcome_after_proving_assumptions()
        words = reply.words[get_options_and_rulings_key(question)]
        try:
            settings = parse_evidence_file_text(reply.evidence).settings
        except Unreadable as error:
            return Conclusion(
                None, "", (), f"a worker's evidence cannot be read: {error}"
            ), certifier.build_outcome_after_proving_assumptions()
        certificates = [c for s in settings if s.key == get_options_and_rulings_key(question) for c in s.certificates]
        outcome = certifier.offer_conclusion_to_kernel(replace(words, offers=tuple((each,) for each in certificates)))
        if not outcome.decision.known:
            return replace(words, reason=words.reason and f"a worker: {words.reason}"), outcome
        # Beside a value stands nothing that only the worker says.
        kinds = dict.fromkeys(each.kind for each in outcome.setting.certificates)
        return Conclusion(words.value, f"evidence of a worker: {', '.join(kinds)}"), outcome

    def _await_deal_evidence_from_worker(self, deal_number: int, budget: Budget) -> DealEvidence:
        """Return what a worker shows of a deal, open if the work that is left here would not have sufficed. Raises
        NotShown if the worker cannot decide it."""
        reply = self._await_reply_for_current_claim_or_none(deal_number)
        deal, cost = reply or (OPEN, 0.0)
        if isinstance(deal, str):
            raise NotShown(f"a worker: {deal}")
        before = budget.left
        add_work_units_done(cost)
        return deal if cost <= before else OPEN


def make_factory_of_cluster_or_local_runs(dask_client_or_none: Any) -> Callable[..., VerifierRun]:
    """Return what begins a run on a cluster; a run in this process for None."""
    return VerifierRun if dask_client_or_none is None else partial(ClusterRun, client=dask_client_or_none)

"""`prove` answers a game's claims one by one and writes the evidence for each to a file.

answers = prove("tic_tac_toe", claims=[Question("x wins", "reach", {"outcome": "win", "seat": 0})])
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from playproof.database.errors import (
    Finding,
    InputError,
)
from playproof.language import RulesError
from playproof.language.game import Game
from playproof.language.machine.native import NoMachineCodeError
from playproof.language.options import OptionError, Options
from playproof.language.registry import (
    build,
    get_name_recorded_for_game,
    get_own_output_folder_or_raise,
    load_cards_if_rules_need_them,
)
from playproof.verifier.kernel.certificate import Certificate, NotShown, NumbersTooLarge
from playproof.verifier.kernel.claim_values import get_rules_property_asked_by_always_or_empty
from playproof.verifier.kernel.evidence import (
    VERSION,
    EvidenceFile,
    EvidenceSetting,
    get_options_and_rulings_key,
    option_values_to_texts,
)
from playproof.verifier.kernel.statements import BOUNDS, PHASES_END
from playproof.verifier.kernel.strict_json import encode_typed_value_as_json, to_plain_json_data
from playproof.verifier.kernel.z3_questions import Disagreement
from playproof.verifier.proof import (
    always,
    always as grounds,
    chances,
    counting,
    counting as settings,
    explanations,
    extremes,
    hidden_information,
    laws,
    play_by_sight,
    reach,
    worth,
)
from playproof.verifier.proof.certificate_offers import (
    get_lines_of_certificate_by_field,
    try_to_store_new_step_digests,
    write_json_file_atomically,
)
from playproof.verifier.proof.certify import (
    AcceptedCertificates,
    CertificationOutcome,
    Certifier,
    replace_value_by_kernel_outcome,
)
from playproof.verifier.proof.explanations import get_exploration_progress_as_json
from playproof.verifier.proof.splitting import renumber_split_cells_dropping_missing
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.claims_of_game import (
    load_claims_as_questions_or_raise as load_claims_as_questions_or_raise,
    load_readable_claims_and_findings as load_readable_claims_and_findings,
)
from playproof.verifier.questions.common_claims import build_common_claims_of_game
from playproof.verifier.questions.context import Context
from playproof.verifier.questions.selection import (
    drop_questions_with_mistakes_or_raise,
    list_phase_end_claims_bounds_need_first,
    select_sorted_questions_under_settings_or_raise,
)
from playproof.verifier.questions.verdicts import Answer, Conclusion, decide_verdict_from_value_and_expectation
from playproof.verifier.search import lines_of_play
from playproof.verifier.search.case import (
    WORK,
    Budget,
    GameCase,
    Progress,
    describe_failed_methods_or_empty,
    limit_z3_to_time_or_work_within_context,
)
from playproof.verifier.search.compiled_explorer import CompiledExplorer
from playproof.verifier.search.layer_bounds import propose_bounds_and_ranks_of_layer
from playproof.verifier.search.machine_layers import LastLayersCache
from playproof.verifier.search.portfolio import EarlierLines, store_old_lines_for_next_question

ASKS = {
    "reach": reach.answer_reach_claim,
    "dead": reach.answer_dead_claim,
    "minimum": extremes.answer_minimum_or_maximum_claim,
    "maximum": extremes.answer_minimum_or_maximum_claim,
    "never": always.answer_never_or_always_claim,
    "always": always.answer_never_or_always_claim,
    "luck": chances.answer_luck_claim,
    "step": laws.answer_step_law_claim,
    "example": counting.answer_worked_example_claim,
    "secret": hidden_information.answer_secret_claim,
    "worth": worth.answer_worth_claim,
    "count": counting.answer_state_count_claim,
    "distance": counting.answer_state_distance_claim,
    "equilibrium": play_by_sight.answer_equilibrium_claim,
    "deals": counting.answer_share_of_winnable_deals_claim,
    "strategy": worth.answer_strategy_claim,
    "ledger": counting.answer_ledger_claim_on_cards,
}
"""The function that answers each kind of claim, from the modules of `proof/`."""

_WITHOUT_ALL = ("ledger", "deals", "example")
"""Kinds of claims that are answered without a look at all states of the game."""
_NAMED = (InputError, OptionError, NoMachineCodeError, Disagreement, OSError, MemoryError)
"""Errors that say by themselves why a question stays open."""
NO_FILES = "files: "
STOPPED_BY_HAND = "stopped by hand"
"""The beginning of the reason of a question that stays open because a file cannot be written or read."""
CARRIED = "evidence of other cards, checked for these"
"""The method of an answer whose certificates were made for another version of the cards."""


class RunLimits(NamedTuple):
    """The limits on the answers of a run: on each claim without a budget of its own, on states, and on games."""

    work: float = WORK
    seconds: float | None = None
    states: int = 12_000_000
    games: int = 200_000

    def make_budget_for_claim(self, question: Question, progress: Progress | None = None) -> Budget:
        """Return the budget of one claim."""
        return make_budget_with_work_capped_by_seconds(
            question.budget or self.work, self.seconds, self.states, self.games, progress
        )


@dataclass
class VerifierRun:
    """One run of the verifier over one game. Claims with equal options share a case, which is built
    once."""

    ref: str
    errata: bool | str = True
    output: Path | None = None
    machine: bool | None = None
    cases: dict[str, GameCase] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    grounds: dict[str, AcceptedCertificates] = field(default_factory=dict)
    second: Callable[[str], str] | None = None
    earlier: Mapping[str, EvidenceFile] = field(default_factory=dict)
    """Evidence for claims of this game with other cards: offered to the kernel before anything is searched."""
    files: dict[str, EvidenceFile] = field(default_factory=dict)
    """What the kernel accepted for each claim that was answered."""
    beyond: CompiledExplorer = field(default_factory=CompiledExplorer)
    context: Context = field(default_factory=Context)
    source: Callable[[Question], Game] | None = None
    """The game that evidence for other cards was made for, under a question's setting."""

    def __post_init__(self) -> None:
        self.context = replace(
            self.context,
            second=self.second,
            compiled=self.beyond.explain_why_not_excluded_or_empty,
            propose=propose_bounds_and_ranks_of_layer,
            swept=LastLayersCache(),
        )

    def prepare_to_answer_questions(
        self, questions: Sequence[Question], claims_by_id: Mapping[str, Question], run_limits: RunLimits
    ) -> None:
        """Get ready to answer these questions in this order. This process then does nothing before it is asked."""

    @property
    def name(self) -> str:
        """The name by which evidence names the game."""
        return get_name_recorded_for_game(self.ref)

    def get_or_build_case_of_question(self, question: Question) -> GameCase:
        """Return the case of a question. Settings that yield the same game (such as a ruling set to
        its default) share one case."""
        key = get_options_and_rulings_key(question)
        if key in self.digests and self.digests[key] in self.cases:
            return self.cases[self.digests[key]]
        case = GameCase(
            self.ref,
            option_values_to_texts(question.values),
            option_values_to_texts(question.rulings),
            self.errata,
            self.machine,
        )
        self.digests[key] = self._share_context_and_get_digest(case)
        self._keep_case_and_drop_all_but_first(self.digests[key], case)
        return self.cases[self.digests[key]]

    def _share_context_and_get_digest(self, case: GameCase) -> str:
        """Let a case use what the run has at hand, and return the digest of its game."""
        case.context = self.context
        self.beyond.register_case_for_reuse(case)
        return self.context.get_game_digest_cached(case.game)

    def set_case_to_answer_question_with(self, question: Question, case: GameCase) -> None:
        """Answer a question about this case, in place of the game in the folder."""
        name = self.digests[get_options_and_rulings_key(question)] = self._share_context_and_get_digest(case)
        self.cases[name] = case

    def _keep_case_and_drop_all_but_first(self, game_digest: str, case: GameCase) -> None:
        """Keep the first case, which most claims are about, and the newest one. Drop the others,
        because explorations are large."""
        if game_digest not in self.cases:
            for other in list(self.cases)[1:]:
                del self.cases[other]
            for held in self.cases.values():
                held.forget_exploration_if_incomplete()
            self.cases[game_digest] = case

    def find_certified_conclusion(
        self, question: Question, claims_by_id: Mapping[str, Question], budget: Budget
    ) -> Conclusion:
        """Return what the methods find for a question and the kernel accepts, before the comparison
        with the expected value. Whatever goes wrong leaves this question open, and no other."""
        try:
            if budget.stopped:  # by hand, while a ground of this question was answered
                raise KeyboardInterrupt
            if question.ask in ("same", "tune"):
                return settings.answer_same_or_tune_claim(
                    question, claims_by_id, lambda q, b: self.find_certified_conclusion(q, claims_by_id, b), budget
                )
            return self._find_conclusion_for_one_setting(question, budget)
        except KeyboardInterrupt:
            budget.stopped = True
            return Conclusion(None, "", (), STOPPED_BY_HAND, self._get_exploration_progress_of_question(question))
        except MemoryError:
            return Conclusion(
                None, "", (), "memory: the machine has no more", self._get_exploration_progress_of_question(question)
            )
        except Exception as error:
            return replace(
                make_unknown_conclusion_from_error(error), bound=self._get_exploration_progress_of_question(question)
            )

    def _find_conclusion_for_one_setting(self, question: Question, budget: Budget) -> Conclusion:
        """Answer a question about one setting."""
        case = self.get_or_build_case_of_question(question)
        grounds_of = self.grounds.setdefault(self.digests[get_options_and_rulings_key(question)], [])
        certifier = Certifier(case, question, budget, list(grounds_of))
        try:
            answer = self._find_conclusion_and_name_assumptions(certifier, question, budget)
        except _NAMED:
            raise
        except Exception as error:  # rules that break show before anyone has acted, or where no method caught it
            answer = replace_value_by_kernel_outcome(*self._conclude_from_broken_rules_or_reraise(certifier, error))
        answer = self._explain_open_by_broken_rules_or_faults(certifier, answer)
        grounds_of.extend(certifier.properties)
        return explanations.search_and_add_broken_with_condition(case, question, answer)

    def _list_certificates_of_earlier_evidence(self, question: Question) -> Sequence[Certificate]:
        """Return the certificates that answered this question, under the same setting, for other cards."""
        file = self.earlier.get(question.id)
        settings = [s for s in file.settings if s.key == get_options_and_rulings_key(question)] if file else []
        certificates = [certificate for setting in settings for certificate in setting.certificates]
        if not (certificates and self.source):
            return certificates
        source, game = self.source(question), self.get_or_build_case_of_question(question).game
        return [renumber_split_cells_dropping_missing(certificate, source, game) for certificate in certificates]

    @contextmanager
    def offer_evidence_of_other_setting(
        self, question: Question, accepted_settings: Iterable[EvidenceSetting], game_of_evidence: Game
    ) -> Iterator[None]:
        """Offer the kernel for a question, as long as this lasts, what it accepted in another setting."""
        certificates = tuple(certificate for setting in accepted_settings for certificate in setting.certificates)
        here = EvidenceSetting(
            option_values_to_texts(question.values), option_values_to_texts(question.rulings), "", certificates, ()
        )
        earlier, source = self.earlier, self.source
        self.earlier = {**earlier, question.id: EvidenceFile(VERSION, self.name, self.errata, {}, (here,))}
        self.source = lambda _: game_of_evidence
        try:
            yield
        finally:  # a claim that rests on this one needs its own evidence
            self.earlier, self.source = earlier, source

    def _get_exploration_progress_of_question(self, question: Question) -> dict[str, Any]:
        """Return how far the exploration of a question's game came, {} if there is no such game."""
        case = self.cases.get(self.digests.get(get_options_and_rulings_key(question), ""))
        return {} if case is None else get_exploration_progress_as_json(case)

    def _find_conclusion_and_name_assumptions(
        self, certifier: Certifier, question: Question, budget: Budget
    ) -> Conclusion:
        """Return what the kernel accepts of what is sought, on the condition of what it leans on."""
        conclusion, outcome = self._find_conclusion_and_kernel_outcome(certifier, question, budget)
        case = certifier.case
        if not outcome.assumed:
            return replace_value_by_kernel_outcome(conclusion, outcome)
        broken = grounds.get_or_search_rule_break_or_none(case, budget)
        if broken:
            reason = f"nothing is shown of what lies behind a rule that breaks: {broken.message}"
            return Conclusion(None, conclusion.method, (), reason, conclusion.bound)
        return replace_value_by_kernel_outcome(
            replace(
                conclusion,
                bound={**conclusion.bound, "if": grounds.describe_properties_assumed_not_shown(outcome.assumed)},
            ),
            outcome,
        )

    def _find_conclusion_and_kernel_outcome(
        self, certifier: Certifier, question: Question, budget: Budget
    ) -> tuple[Conclusion, CertificationOutcome]:
        """Try evidence for other cards, then the claim's own words (unless all states were quickly explored),
        then the methods for its kind."""
        case, earlier = certifier.case, self._list_certificates_of_earlier_evidence(question)
        lines = [line for certificate in earlier for line in get_lines_of_certificate_by_field(certificate).values()]
        store_old_lines_for_next_question(
            case, EarlierLines(self.source(question) if self.source else case.game, lines)
        )
        if certifier.try_to_answer_by_earlier_certificates(earlier):
            return Conclusion(None, CARRIED), certifier.build_outcome_after_proving_assumptions()
        if (
            question.ask not in _WITHOUT_ALL
            and case.explore_all_states_or_none_if_many(budget) is None
            and certifier.try_to_answer_by_claim_conditions()
        ):
            return Conclusion(None, "invariant"), certifier.build_outcome_after_proving_assumptions()
        conclusion = ASKS[question.ask](case, question, budget)
        certifier.offer_conclusion_to_kernel(conclusion)
        return certifier.tighten_open_bound_from_given_claims(
            conclusion
        ), certifier.build_outcome_after_proving_assumptions()

    @staticmethod
    def _explain_open_by_broken_rules_or_faults(certifier: Certifier, conclusion: Conclusion) -> Conclusion:
        """Name what left a question open, if it is open and methods failed: rules that break, or faults of methods."""
        if conclusion.known or conclusion.vacuous or conclusion.fault:
            return conclusion
        if certifier.budget.stopped:
            return conclusion
        broken = grounds.get_or_search_rule_break_or_none(certifier.case, certifier.budget)
        if broken is not None:  # states behind a step that the rules cannot carry out mislead methods
            return replace(conclusion, reason=f"the rules break: {broken.message}")
        faults = describe_failed_methods_or_empty(certifier.case)
        if not faults:
            return conclusion
        return replace(
            conclusion,
            reason=f"{conclusion.reason}; PP720 left out by a fault of playproof itself: {faults}",
            fault="PP720",
        )

    @staticmethod
    def _conclude_from_broken_rules_or_reraise(
        certifier: Certifier, error: Exception
    ) -> tuple[Conclusion, CertificationOutcome]:
        """Return the result for a game whose rules break: False, with the line as evidence, for a
        claim that the rules keep their bounds or that phases end; no answer for any other claim.
        Raises the error if the rules do not break: then it is a fault, or the kernel refuses what was found."""
        case, question = certifier.case, certifier.question
        broken = lines_of_play.search_rule_break_breadth_first_or_none(case, certifier.budget)
        if get_rules_property_asked_by_always_or_empty(question) in (BOUNDS, PHASES_END) and broken is not None:
            conclusion = Conclusion(
                False,
                "games that break the rules",
                ((grounds.build_rule_breaking_transcript(case, broken),),),
                bound={"breaks": broken.message},
            )
        elif broken is None and not isinstance(error, RulesError):
            raise error
        else:
            conclusion = Conclusion(None, "", (), f"the rules break: {broken.message if broken else error}")
        return conclusion, certifier.offer_conclusion_to_kernel(conclusion)

    def answer_claim_after_its_grounds(
        self,
        question: Question,
        chosen_questions: Sequence[Question],
        claims_by_id: Mapping[str, Question],
        budget: Budget,
        make_budget: Callable[[Question], Budget],
    ) -> Answer:
        """Return the verdict on one claim, and write its evidence. What its proof rests on is answered first, each
        claim within a budget of its own."""
        with limit_z3_to_time_or_work_within_context(budget.end):
            for ground in list_phase_end_claims_bounds_need_first(question, chosen_questions):
                its_own = make_budget(ground)
                self.find_certified_conclusion(ground, claims_by_id, its_own)
                budget.stopped |= its_own.stopped
            return self.answer_claim_and_write_evidence(question, claims_by_id, budget)

    def answer_claim_and_write_evidence(
        self, question: Question, claims_by_id: Mapping[str, Question], budget: Budget
    ) -> Answer:
        """Return the verdict on one claim, and write its evidence if there is any."""
        began = perf_counter()
        conclusion = self.find_certified_conclusion(question, claims_by_id, budget)
        try_to_store_new_step_digests(self.context.steps)
        path, unwritten = "", ""
        try:
            path = self._write_evidence_and_get_path_or_empty(question, conclusion)
        except OSError as error:  # the answer is known all the same, and so are those to come
            unwritten = f"evidence cannot be written: {error.strerror or error}"
        self.files[question.id] = self._build_evidence_file(question, conclusion)
        return Answer(
            self.name,
            question.id,
            question.ask,
            question.says,
            decide_verdict_from_value_and_expectation(conclusion, question.expect),
            conclusion.value,
            question.expect,
            perf_counter() - began,
            conclusion.method,
            path,
            conclusion.reason,
            conclusion.bound,
            {**question.values, **question.rulings},
            question.of,
            conclusion.assumed,
            conclusion.whom,
            conclusion.fault,
            unwritten,
        )

    def _build_evidence_file(self, question: Question, conclusion: Conclusion) -> EvidenceFile:
        return EvidenceFile(
            VERSION, self.name, self.errata, to_plain_json_data(question.as_json()), conclusion.settings
        )

    def _write_evidence_and_get_path_or_empty(self, question: Question, conclusion: Conclusion) -> str:
        """Write what the kernel accepted, even if it does not answer the claim yet. Return the
        file's path, or "" if nothing was written."""
        if self.output is None or not any(setting.certificates for setting in conclusion.settings):
            return ""
        path = (
            get_own_output_folder_or_raise(self.output, self.ref, claim_ownership=True)
            / "evidence"
            / f"{question.id}.json"
        )
        write_json_file_atomically(path, encode_typed_value_as_json(self._build_evidence_file(question, conclusion)))
        return str(path)


def make_unknown_conclusion_from_error(error: Exception) -> Conclusion:
    """Return the open answer of a question that an error left open. Its reason names the code of the error; an
    error that is not the rules' and not the caller's is a fault of Playproof itself (PP720)."""
    if isinstance(error, RulesError):
        return Conclusion(None, "", (), f"the rules break: {error.code} {error.message}")
    if isinstance(error, OptionError):
        return Conclusion(None, "", (), f"the rules cannot be built: PP803 {error}")
    if isinstance(error, InputError):
        wrong = error.findings[0]
        return Conclusion(None, "", (), f"cannot be read: {wrong.code} {wrong.message}")
    if isinstance(error, OverflowError):
        return Conclusion(None, "", (), f"not supported: a number of the game does not fit 64 bits ({error})")
    if isinstance(error, NoMachineCodeError):
        return Conclusion(None, "", (), f"machine code: PP711 {error}")
    if isinstance(error, OSError):  # such as a full disk, or a cache that may not be written
        file = f"{error.filename}: " if error.filename else ""
        return Conclusion(None, "", (), f"{NO_FILES}{file}{error.strerror or error}")
    if isinstance(error, Disagreement):
        return Conclusion(None, "", (), f"PP718 {error}", fault="PP718")
    if isinstance(error, NumbersTooLarge):
        return Conclusion(None, "", (), f"not supported: {error}")
    if isinstance(error, NotShown):
        return Conclusion(None, "", (), f"PP720 found, and not confirmed by the kernel: {error}", fault="PP720")
    if os.environ.get("PLAYPROOF_TRACEBACK"):
        traceback.print_exception(error)
    return Conclusion(
        None, "", (), f"PP720 a fault of playproof itself: {type(error).__name__}: {error}", fault="PP720"
    )


def load_own_or_common_claims_by_id(
    game_ref: str,
    errata: bool | str = True,
    option_values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    *,
    include_common: bool = False,
    findings_to_extend: list[Finding] | None = None,
) -> dict[str, Question]:
    """Return the questions that a run asks of a game, by id: its own claims, and the common ones too if it has none or
    they are asked for (`include_common`). The options decide which seats and families the common ones are about. What
    is wrong with claims that cannot be read is added to `findings_to_extend`; without it, InputError is raised."""
    own, wrong = load_readable_claims_and_findings(game_ref, errata)
    if wrong and findings_to_extend is None:
        raise InputError(wrong)
    if findings_to_extend is not None:
        findings_to_extend += wrong
    if (own or wrong) and not include_common:
        return own
    game = build(
        game_ref,
        Options(dict(option_values or {}), dict(rulings or {})),
        load_cards_if_rules_need_them(game_ref, errata),
    )
    return {question.id: question for question in build_common_claims_of_game(game)} | own


def prove(
    ref: str,
    values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    *,
    only: Sequence[str] = (),
    claims: Iterable[Question] | None = None,
    work: float = WORK,
    seconds: float | None = None,
    states: int = 12_000_000,
    games: int = 200_000,
    output: Path | None = None,
    errata: bool | str = True,
    progress: Progress | None = None,
    machine: bool | None = None,
    second: Callable[[str], str] | None = None,
    common: bool = False,
    answered: Callable[[Answer], None] | None = None,
    misread: list[Finding] | None = None,
    begin: Callable[..., VerifierRun] | None = None,
) -> list[Answer]:
    """Answer the claims of a game (or those given), in order, and call `answered` with each answer. A game without
    claims is asked the common ones, and so is any game with `common`.

    `values` and `rulings` also choose among the claims: the run leaves out a claim made for another
    value of an option. Raises InputError for an unknown id, and, before it answers any claim, for
    every chosen claim that it cannot understand. With `misread` it answers the others, and adds to that list what is
    wrong with those.

    `work` limits each claim that has no `budget` of its own. It counts steps of play and Z3's own measure, in units of
    about a second of an idle core; a loaded machine needs longer and answers the same. `seconds` is a limit by the
    clock, and the answer says if it was reached. Without `seconds`, the limit is ten times the work and at least ten
    minutes. `second` is another solver, which the kernel also asks (`second.py`). `begin` makes the run, as
    `on_cluster.run_on` does for a cluster.
    """
    questions = (
        load_own_or_common_claims_by_id(ref, errata, values, rulings, include_common=common, findings_to_extend=misread)
        if claims is None
        else {q.id: q for q in claims}
    )
    if misread and not set(only) <= questions.keys():  # what was asked for may be among them
        raise InputError(misread)
    chosen = select_sorted_questions_under_settings_or_raise(ref, questions, only, values or {}, rulings or {})
    chosen = drop_questions_with_mistakes_or_raise(ref, chosen, questions, errata, misread)
    run = (begin or VerifierRun)(ref, errata, output, machine, second=second)
    allowance = RunLimits(work, seconds, states, games)
    run.prepare_to_answer_questions(chosen, questions, allowance)
    answers: list[Answer] = []
    for number, question in enumerate(chosen, 1):
        say = _report_claim_and_make_progress_or_none(progress, f"claim {number:,} of {len(chosen):,}, {question.id}")
        budget = allowance.make_budget_for_claim(question, say)
        make_budget = partial(allowance.make_budget_for_claim, progress=say)
        answers.append(run.answer_claim_after_its_grounds(question, chosen, questions, budget, make_budget))
        if answered is not None:
            answered(answers[-1])
        if budget.stopped:
            break
    return answers


def _report_claim_and_make_progress_or_none(progress: Progress | None, claim_in_words: str) -> Progress | None:
    """Return a callback that says at which claim the work is, and say it; None if nobody listens."""
    if progress is None:
        return None
    progress(claim_in_words)
    return lambda text: progress(f"{claim_in_words}: {text}")


def make_budget_with_work_capped_by_seconds(
    max_work: float, max_seconds: float | None, max_states: int, max_games: int, progress: Progress | None
) -> Budget:
    """Return the budget of one claim. If `max_seconds` is less than `max_work`, methods share out the
    seconds, because no more work fits into them."""
    if max_seconds is None:
        return Budget(max_work, max_states, max_games, progress)
    return Budget(min(max_work, max_seconds), max_states, max_games, progress, max_seconds)


def answers_to_json(answers: Iterable[Answer]) -> dict[str, Any]:
    """Return the answers in the shape of `prove --json`."""
    return {"claims": [a.as_json() for a in answers]}

"""Asks claims of one version of a game, with what is there already offered first, and remembers what a
version answered by the digests of its descriptions."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from playproof.database.worker_processes import measure_cpu_seconds
from playproof.errata.claim_comparison import GameVersions, Selector
from playproof.language.result_store import ResultStore
from playproof.verifier.answer_store import open_answer_store, read_nearest_evidence_or_none
from playproof.verifier.kernel.evidence import EvidenceFile, parse_evidence_file_text
from playproof.verifier.kernel.induction import StepChecker
from playproof.verifier.kernel.strict_json import Unreadable, encode_typed_value_as_json
from playproof.verifier.proof.certificate_offers import write_json_file_atomically
from playproof.verifier.prove import VerifierRun, make_budget_with_work_capped_by_seconds
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.premises import digest_code_deciding_answers, question_to_list_of_all_it_says
from playproof.verifier.questions.selection import list_phase_end_claims_bounds_need_first
from playproof.verifier.questions.verdicts import Answer, Verdict, is_claim_about_winning
from playproof.verifier.search.case import WORK, Budget, Progress, limit_z3_to_time_or_work_within_context

_STATES = 12_000_000
_PATIENCE = 4  # seconds by the clock for one of CPU
_QUICK = ("ledger", "example", "step", "reach", "dead", "count", "same")
"""Kinds of claims that are mostly answered in a moment."""
# kinds of claims that every step must keep; so many of a setting
_STEPWISE, _OFTEN = (("always", "never", "step"), 5)
_HELD = 2  # settings whose games a run holds
_READING = 6.0  # seconds of CPU for reading steps before any claim is asked


@dataclass(frozen=True)
class AnswerWithEvidence:
    """An answer, and the evidence that the kernel accepted for it."""

    answer: Answer
    file: EvidenceFile

    def to_stored_json(self) -> dict[str, Any]:
        """Return the answer and its evidence as they are stored."""
        values = {f.name: getattr(self.answer, f.name) for f in dataclasses.fields(self.answer)}
        return {
            "answer": {**values, "verdict": self.answer.verdict.value},
            "file": encode_typed_value_as_json(self.file),
        }

    @classmethod
    def from_stored_json_or_none(cls, stored_json: Any) -> AnswerWithEvidence | None:
        """Return a stored answer; None if there is none, or one that cannot be read."""
        try:
            values = {**stored_json["answer"], "verdict": Verdict(stored_json["answer"]["verdict"])}
            values["assumed"] = tuple(values["assumed"])
            return cls(Answer(**values), parse_evidence_file_text(json.dumps(stored_json["file"])))
        except (ValueError, KeyError, TypeError, Unreadable):
            return None


def open_store_of_claim_answers() -> ResultStore:
    """Return the store of answers to claims about versions of a game."""
    return open_answer_store("claim", digest_code_deciding_answers())


@dataclass
class CpuBudgetOfCores:
    """Seconds of CPU that each of some cores may spend on claims, in this process and in those that it forks. A forked
    process counts from its first look at the clock, and has what `start_next_part` found left."""

    each: float
    cores: int = 1
    _left: float = field(init=False)
    _began: dict[int, float] = field(default_factory=dict)
    _first: float = field(default_factory=measure_cpu_seconds)

    def __post_init__(self) -> None:
        self._left = self.each
        self._began[os.getpid()] = self._first

    def start_next_part(self) -> None:
        """Count what all processes have spent, those that have ended included, as spent by all cores alike."""
        now = measure_cpu_seconds()
        self._left = self.each - (now - self._first) / self.cores
        self._began = {os.getpid(): now}

    @property
    def seconds_left(self) -> float:
        """The seconds that this process may still spend."""
        began = self._began.setdefault(os.getpid(), measure_cpu_seconds())
        return self._left - (measure_cpu_seconds() - began)


@dataclass(frozen=True)
class ClaimLimits:
    """What each claim may spend, what all may spend together, and whether answers are remembered."""

    work: float = WORK
    seconds: float | None = None
    games: int = 200_000
    memory: ResultStore | None = field(default_factory=open_store_of_claim_answers)
    progress: Progress | None = None
    time: CpuBudgetOfCores | None = None

    @property
    def is_time_used_up(self) -> bool:
        """Whether no time is left."""
        return self.time is not None and self.time.seconds_left <= 0

    def make_budget_for_claim(self, question: Question, share_of_time: float = 1.0) -> Budget:
        """Return the budget of one claim, which may spend a share of the time that is left."""
        work, seconds = question.budget or self.work, self.seconds
        if self.time is not None:
            # What no work is counted for is stopped by the clock, late on a loaded machine too.
            left = max(self.time.seconds_left * share_of_time, 0.1)
            work, seconds = min(work, left), min(seconds or _PATIENCE * left, _PATIENCE * left)
        return make_budget_with_work_capped_by_seconds(work, seconds, _STATES, self.games, self.progress)


@dataclass
class ClaimAsker:
    """One version of a game as it is asked. `proofs` are folders with evidence of earlier runs, the nearest first;
    `output` is where evidence is written, if anywhere."""

    versions: GameVersions
    version: Selector
    run: VerifierRun
    limits: ClaimLimits
    proofs: Sequence[Path] = ()
    output: Path | None = None

    def __post_init__(self) -> None:
        other = self.versions.new if self.version == self.versions.old else self.versions.old
        self.run.source = lambda question: self.versions.get_or_build_game_and_digest(question, other)[0]

    def reuse_stored_answer_and_evidence_or_none(self, question: Question) -> AnswerWithEvidence | None:
        """Return what an earlier run answered for this description, with the evidence written anew."""
        entry = self.read_stored_answer_or_none(self.make_cache_key_of_answer(question))
        return None if entry is None else self._write_evidence_and_set_its_path(question, entry)

    def read_stored_answer_or_none(self, cache_key: str) -> AnswerWithEvidence | None:
        """Return the answer under a key, if answers are stored at all."""
        memory = self.limits.memory
        return (
            AnswerWithEvidence.from_stored_json_or_none(memory.read_stored_result_or_none(cache_key))
            if memory
            else None
        )

    def prove_and_store_claim_or_none_if_late(
        self,
        question: Question,
        all_chosen_claims: Sequence[Question],
        *offered_evidence: EvidenceFile | None,
        share_of_time: float = 1.0,
    ) -> AnswerWithEvidence | None:
        """Answer a claim, and remember the answer. Of the evidence on offer, the first that holds any is checked before
        a search. What a share of the time that is left did not suffice for is None, unless it tells of winning."""
        limits = self.limits
        if limits.is_time_used_up:
            return None
        budget = limits.make_budget_for_claim(question, share_of_time)
        grounds = list_phase_end_claims_bounds_need_first(question, all_chosen_claims)
        offered = {ground.id: self.read_evidence_from_folders_or_none(ground) for ground in grounds}
        offered[question.id] = next(
            filter(_has_certificate, (*offered_evidence, self._read_newest_evidence_or_none(question))), None
        )
        self.run.earlier = {ident: file for ident, file in offered.items() if file is not None}
        answer = self.run.answer_claim_after_its_grounds(
            question, all_chosen_claims, self.versions.claims, budget, limits.make_budget_for_claim
        )
        entry = AnswerWithEvidence(answer, self.run.files[question.id])
        settled = self.is_answer_decided_or_time_unlimited(answer)
        if limits.memory and settled and not (answer.fault or answer.assumed or budget.stopped or budget.late):
            limits.memory.store_result_under_key(self.make_cache_key_of_answer(question), entry.to_stored_json())
            limits.memory.store_result_under_key(
                self._make_cache_key_of_newest_answer(question), entry.to_stored_json()
            )
        return (
            self._write_evidence_and_set_its_path(question, entry)
            if settled or is_claim_about_winning(question)
            else None
        )

    def recheck_stored_evidence_of_ground(self, ground_claim: Question, stored_answer: AnswerWithEvidence) -> None:
        """Let the kernel accept what an earlier run showed of a claim on which other proofs rest."""
        budget = self.limits.make_budget_for_claim(ground_claim)
        self.run.earlier = {ground_claim.id: stored_answer.file}
        with limit_z3_to_time_or_work_within_context(budget.end):
            self.run.find_certified_conclusion(ground_claim, self.versions.claims, budget)

    def is_answer_decided_or_time_unlimited(self, answer: Answer) -> bool:
        """Return whether more time would not help: a claim is decided, or there was no limit of time."""
        return answer.verdict is not Verdict.UNKNOWN or self.limits.time is None

    def preload_step_formulas_of_frequent_settings(self, questions: Sequence[Question]) -> None:
        """Read the steps of the settings that most of the questions are about as formulas. Each proof is checked in a
        child process, which would read them again; it begins with what is read here."""
        settings = dict[str, list[Question]]()
        for question in questions:
            if question.ask in _STEPWISE:
                settings.setdefault(str((question.values, question.rulings)), []).append(question)
        often = sorted((each for each in settings.values() if len(each) >= _OFTEN), key=len, reverse=True)
        end = measure_cpu_seconds() + _READING
        for each in often[:_HELD]:
            case = self.run.get_or_build_case_of_question(each[0])
            for integers in (True, False):
                judge = StepChecker(case.game, (), integers, (), case.context)
                for what in judge.reading.iter_actions_and_automatic_phases():
                    if measure_cpu_seconds() > end:
                        return
                    judge.get_symbolic_step(what)

    def make_cache_key_of_answer(self, question: Question) -> str:
        """Return the name under which an answer is remembered."""
        return self._make_cache_key_or_empty(
            question, self.versions.list_digests_and_cards_deciding_claim(question, self.version)
        )

    def _make_cache_key_of_newest_answer(self, question: Question) -> str:
        """Return the name under which the newest answer is remembered, whatever the cards."""
        return self._make_cache_key_or_empty(question, [str(Path(self.versions.ref).resolve())])

    def _make_cache_key_or_empty(self, question: Question, digests_or_path: Sequence[str]) -> str:
        memory, limits = self.limits.memory, [self.limits.work, str(self.limits.seconds), self.limits.games]
        return (
            memory.make_key_with_premises(question_to_list_of_all_it_says(question), limits, list(digests_or_path))
            if memory
            else ""
        )

    def _read_newest_evidence_or_none(self, question: Question) -> EvidenceFile | None:
        """Return the evidence of the newest answer that is remembered."""
        entry = self.read_stored_answer_or_none(self._make_cache_key_of_newest_answer(question))
        return None if entry is None else entry.file

    def read_evidence_from_folders_or_none(self, question: Question) -> EvidenceFile | None:
        """Return the nearest evidence of earlier runs, None if there is none that can be read."""
        return read_nearest_evidence_or_none(self.proofs, question.id)

    def _write_evidence_and_set_its_path(
        self, question: Question, answer_with_evidence: AnswerWithEvidence
    ) -> AnswerWithEvidence:
        file = replace(answer_with_evidence.file, game=self.run.name, errata=self.version)
        answer = replace(answer_with_evidence.answer, game=self.run.name, says=question.says, evidence="")
        if self.output is not None and _has_certificate(file):
            path = self.output / self.run.name / "evidence" / f"{question.id}.json"
            write_json_file_atomically(path, encode_typed_value_as_json(file))
            answer = replace(answer, evidence=str(path))
        return AnswerWithEvidence(answer, file)


def _has_certificate(file: EvidenceFile | None) -> bool:
    """Return whether there is a certificate in a file; one of an open claim may have none."""
    return file is not None and any(setting.certificates for setting in file.settings)


def sort_claims_quick_first_slow_last(questions: Sequence[Question]) -> list[Question]:
    """Return claims in the order of asking: those first that are mostly answered in a moment, and those last that
    have a budget of their own, because their author found them slow."""
    return sorted(questions, key=lambda question: (question.budget or 0.0, question.ask not in _QUICK))

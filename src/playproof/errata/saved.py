"""A game's claims after a save of its files: which of them the save can touch, and their answers as they are found.

marks = Saved("mine").marks                     # before the save
now = Saved("mine")                             # after it
now.answers(now.touched(marks), marks, Path("output"), 2, print)

A claim is touched if its question changed, or if its rules play otherwise in one of its settings, names apart, or, if
it reads cards, if the cards say something else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from playproof.database.sharing import run_tasks_in_processes
from playproof.errata.asking import ClaimAsker, ClaimLimits, find_evidence_folders, sort_quick_claims_first
from playproof.errata.descriptions import GameVersions
from playproof.verifier.kernel.strict import to_canonical
from playproof.verifier.prove import VerifierRun, load_claims, select_questions
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer
from playproof.verifier.search.case import WORK


@dataclass(frozen=True)
class ClaimFingerprint:
    """What decides a claim's answer. `play` changes if a save can touch the claim; `key` is the name under which the
    answer is remembered."""

    play: str
    key: str


ClaimFingerprints = Mapping[str, ClaimFingerprint]


class SavedGameClaims:
    """A game as its files stand now, and what decides the answer of each of its claims."""

    def __init__(self, ref: str, work: float = WORK) -> None:
        """Read the claims and build the descriptions of all settings. `work` limits each claim as in `prove`. Raises
        InputError, OptionError or RulesError."""
        self.ref, self.claims = ref, load_claims(ref)
        self._asker = ClaimAsker(
            GameVersions(ref, True, True, self.claims), True, VerifierRun(ref), ClaimLimits(work)
        )
        self._questions = select_questions(ref, self.claims, (), {}, {})
        self.marks: ClaimFingerprints = {
            question.id: self._compute_fingerprint(question) for question in self._questions
        }

    def _compute_fingerprint(self, question: Question) -> ClaimFingerprint:
        parts = [
            question.as_json(),
            question.expect,
            self._asker.versions.premises_by_setting(question, True),
        ]
        return ClaimFingerprint(
            sha256(to_canonical(parts).encode()).hexdigest(), self._asker.cache_key(question)
        )

    def find_affected_claims(self, before: ClaimFingerprints) -> list[Question]:
        """Return the claims that the changes since `before` can touch, those first that are mostly soon answered."""
        return sort_quick_claims_first(
            [
                question
                for question in self._questions
                if question.id not in before or before[question.id].play != self.marks[question.id].play
            ]
        )

    def answer_claims(
        self,
        touched: Sequence[Question],
        before: ClaimFingerprints,
        output: Path,
        jobs: int,
        on_answer: Callable[[Answer], None],
    ) -> None:
        """Answer claims by so many processes, and call `tell` with each answer as it is found. Evidence to begin with
        comes from what is remembered of `before`, or from the folder `output`, where `prove` writes it."""
        asker = replace(self._asker, proofs=find_evidence_folders(self.ref, output))

        def answer(question: Question) -> Answer:
            entry = asker.read_remembered_answer(question)
            if entry is None:
                mark = before.get(question.id)
                earlier = asker.read_stored_answer(mark.key) if mark else None
                entry = asker.answer_claim(
                    question,
                    touched,
                    earlier.file if earlier else None,
                    asker.find_earlier_evidence(question),
                )
            assert entry is not None  # only a limit of time leaves a claim without an entry
            return entry.answer

        run_tasks_in_processes(touched, answer, jobs, lambda _, answer: on_answer(answer))

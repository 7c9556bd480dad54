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

from playproof.database.sharing import share
from playproof.errata.asking import Asker, Limits, proofs_of, soon_first
from playproof.errata.descriptions import Versions
from playproof.verifier.kernel.strict import canonical
from playproof.verifier.prove import Run, chosen_of, claims_of
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer
from playproof.verifier.search.case import WORK


@dataclass(frozen=True)
class Mark:
    """What decides a claim's answer. `play` changes if a save can touch the claim; `key` is the name under which the
    answer is remembered."""

    play: str
    key: str


Marks = Mapping[str, Mark]


class Saved:
    """A game as its files stand now, and what decides the answer of each of its claims."""

    def __init__(self, ref: str, work: float = WORK) -> None:
        """Read the claims and build the descriptions of all settings. `work` limits each claim as in `prove`. Raises
        InputError, OptionError or RulesError."""
        self.ref, self.claims = ref, claims_of(ref)
        self._asker = Asker(Versions(ref, True, True, self.claims), True, Run(ref), Limits(work))
        self._questions = chosen_of(ref, self.claims, (), {}, {})
        self.marks: Marks = {question.id: self._mark(question) for question in self._questions}

    def _mark(self, question: Question) -> Mark:
        parts = [question.as_json(), question.expect, self._asker.versions.premises(question, True)]
        return Mark(sha256(canonical(parts).encode()).hexdigest(), self._asker.key(question))

    def touched(self, before: Marks) -> list[Question]:
        """Return the claims that the changes since `before` can touch, those first that are mostly soon answered."""
        return soon_first(
            [
                question
                for question in self._questions
                if question.id not in before or before[question.id].play != self.marks[question.id].play
            ]
        )

    def answers(
        self,
        touched: Sequence[Question],
        before: Marks,
        output: Path,
        jobs: int,
        tell: Callable[[Answer], None],
    ) -> None:
        """Answer claims by so many processes, and call `tell` with each answer as it is found. Evidence to begin with
        comes from what is remembered of `before`, or from the folder `output`, where `prove` writes it."""
        asker, memory = replace(self._asker, proofs=proofs_of(self.ref, output)), self._asker.limits.memory

        def answer(question: Question) -> Answer:
            entry = asker.remembered(question)
            if entry is None:
                mark = before.get(question.id)
                earlier = memory.read(mark.key) if memory and mark else None
                entry = asker.asked(
                    question, touched, earlier.file if earlier else None, asker.kept(question)
                )
            assert entry is not None  # only a limit of time leaves a claim without an entry
            return entry.answer

        share(touched, answer, jobs, lambda _, answer: tell(answer))

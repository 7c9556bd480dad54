"""A game's claims after a save of its files: which of them the save can touch, and their answers as they are found.

marks = Saved("mine").marks                     # before the save
now = Saved("mine")                             # after it
now.answers(now.touched(marks), marks, Path("output"), 2, print)

A claim is touched if its question changed, or if its rules play otherwise in one of its settings, names apart, or, if
it reads cards, if the cards say something else. Answers of earlier runs are remembered (`remembered.py`). The evidence
of the unchanged game is offered to the kernel first, so that a search runs only where it no longer shows the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from playproof.errata.claims import Limits, Side, Versions
from playproof.errata.remembered import Remembered
from playproof.errata.sharing import Workers, can_fork
from playproof.language.registry import name_of
from playproof.verifier.kernel.evidence import File, read
from playproof.verifier.kernel.strict import Unreadable, canonical
from playproof.verifier.prove import Run, chosen_of, claims_of
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer

_SOON = ("ledger", "example", "step", "reach", "dead", "same")
"""Kinds of claims that are mostly answered in a moment, and asked first."""


@dataclass(frozen=True)
class Mark:
    """What decides a claim's answer. `play` changes if a save can touch the claim; `key` is the name under which the
    answer is remembered."""

    play: str
    key: str


Marks = Mapping[str, Mark]


class Saved:
    """A game as its files stand now, and what decides the answer of each of its claims."""

    def __init__(self, ref: str, work: float | None = None) -> None:
        """Read the claims and build the descriptions of all settings. `work` limits each claim as in `prove`. Raises
        InputError, OptionError or RulesError."""
        self.ref, self.claims = ref, claims_of(ref)
        self._limits = Limits(memory=Remembered()) if work is None else Limits(work, memory=Remembered())
        self._versions = Versions(ref, True, True, self.claims)
        self._side = Side(self._versions, True, Run(ref), None)
        self._questions = chosen_of(ref, self.claims, (), {}, {})
        self.marks: Marks = {question.id: self._mark(question) for question in self._questions}

    def _mark(self, question: Question) -> Mark:
        parts = [question.as_json(), question.expect, self._versions.plays(question, True)]
        return Mark(sha256(canonical(parts).encode()).hexdigest(), self._side.key(question, self._limits))

    def touched(self, before: Marks) -> list[Question]:
        """Return the claims that the changes since `before` can touch, those first that are mostly soon answered."""
        changed = [
            question
            for question in self._questions
            if question.id not in before or before[question.id].play != self.marks[question.id].play
        ]
        return sorted(changed, key=lambda question: question.ask not in _SOON)

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

        def answer(question: Question) -> Answer:
            entry = self._side.remembered(question, self._limits)
            if entry is None:
                earlier = self._earlier(question, before, output)
                entry = self._side.asked(question, touched, earlier, self._limits)
            return entry.answer

        if jobs > 1 and can_fork():
            Workers(touched, answer, jobs).join(lambda _, found: tell(found))
            return
        for question in touched:
            tell(answer(question))

    def _earlier(self, question: Question, before: Marks, output: Path) -> File | None:
        memory, mark = self._limits.memory, before.get(question.id)
        entry = memory.read(mark.key) if memory is not None and mark is not None else None
        if entry is not None:
            return entry.file
        path = output / name_of(self.ref) / "evidence" / f"{question.id}.json"
        try:
            return read(path.read_text("utf-8"))
        except (OSError, ValueError, Unreadable):
            return None

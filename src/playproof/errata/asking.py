"""Asks claims of one version of a game, with what is there already offered first.

What a version answered is remembered under the digests of its descriptions (`remembered.py`). Evidence for other cards
is offered to the kernel for these, so that a search runs only where the kernel refuses it: evidence of the other
version, else of an earlier `prove`, else what the game's folder keeps.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import process_time

from playproof.database.game import find_game
from playproof.errata.descriptions import Selector, Versions
from playproof.errata.remembered import Entry, Remembered
from playproof.language.registry import name_of, without_cards
from playproof.verifier.kernel.evidence import File, read
from playproof.verifier.kernel.induction import Inductive
from playproof.verifier.kernel.strict import Unreadable, encode
from playproof.verifier.proof.evidence import write
from playproof.verifier.prove import Run, budget_of, grounds_under
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.sentences import is_win
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import WORK, Budget, Progress
from playproof.verifier.search.work import stopping_at

_STATES = 12_000_000
_PATIENCE = 4  # seconds by the clock for one of CPU
_QUICK = ("ledger", "example", "step", "reach", "dead", "count", "same")
"""Kinds of claims that are mostly answered in a moment."""
_STEPWISE, _OFTEN = (
    ("always", "never", "step"),
    5,
)  # kinds of claims that every step must keep; so many of a setting
_HELD = 2  # settings whose games a run holds
_READING = 6.0  # seconds of CPU for reading steps before any claim is asked


@dataclass
class Time:
    """Seconds of CPU that each process may spend on claims, its children included. A process counts from its first
    look at the clock."""

    each: float
    _began: dict[int, float] = field(default_factory=dict)

    @property
    def left(self) -> float:
        """The seconds that this process may still spend."""
        began = self._began.setdefault(os.getpid(), spent())
        return self.each - (spent() - began)


def spent() -> float:
    """Return the seconds of CPU that this process and its finished children have spent; the children's in ticks of a
    hundredth."""
    times = os.times()
    return process_time() + times.children_user + times.children_system


@dataclass(frozen=True)
class Limits:
    """What each claim may spend, what all may spend together, and whether answers are remembered."""

    work: float = WORK
    seconds: float | None = None
    games: int = 200_000
    memory: Remembered | None = field(default_factory=Remembered)
    progress: Progress | None = None
    time: Time | None = None

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.time is not None and self.time.left <= 0

    def budget(self, question: Question) -> Budget:
        """Return the budget of one claim."""
        work, seconds = question.budget or self.work, self.seconds
        if self.time is not None:
            # What no work is counted for is stopped by the clock, late on a loaded machine too.
            left = max(self.time.left, 0.1)
            work, seconds = min(work, left), min(seconds or _PATIENCE * left, _PATIENCE * left)
        return budget_of(work, seconds, _STATES, self.games, self.progress)


@dataclass
class Asker:
    """One version of a game as it is asked. `proofs` are folders with evidence of earlier runs, the nearest first;
    `output` is where evidence is written, if anywhere."""

    versions: Versions
    version: Selector
    run: Run
    limits: Limits
    proofs: Sequence[Path] = ()
    output: Path | None = None

    def __post_init__(self) -> None:
        other = self.versions.new if self.version == self.versions.old else self.versions.old
        self.run.source = lambda question: self.versions.game(question, other)[0]

    def remembered(self, question: Question) -> Entry | None:
        """Return what an earlier run answered for this description, with the evidence written anew."""
        entry = self.limits.memory.read(self.key(question)) if self.limits.memory else None
        return None if entry is None else self._written(question, entry)

    def asked(self, question: Question, chosen: Sequence[Question], *offers: File | None) -> Entry | None:
        """Answer a claim, and remember the answer. Of the evidence on offer, the first that holds any is checked before
        a search. What time did not suffice for is None, unless it tells of winning."""
        limits = self.limits
        if limits.over:
            return None
        budget, grounds = limits.budget(question), grounds_under(question, chosen)
        offered = {ground.id: self.kept(ground) for ground in grounds}
        offered[question.id] = next(filter(_holds_any, (*offers, self._last(question))), None)
        self.run.earlier = {ident: file for ident, file in offered.items() if file is not None}
        with stopping_at(budget.end):
            for ground in grounds:
                self.run.find(ground, self.versions.claims, limits.budget(ground))
            answer = self.run.answer(question, self.versions.claims, budget)
        entry = Entry(answer, self.run.files[question.id])
        settled = self.settled(answer)
        if (
            limits.memory
            and settled
            and not (answer.fault or answer.assumed or budget.stopped or budget.late)
        ):
            limits.memory.write(self.key(question), entry)
            limits.memory.write(self._last_key(question), entry)
        return self._written(question, entry) if settled or is_win(question) else None

    def show(self, ground: Question, entry: Entry) -> None:
        """Let the kernel accept what an earlier run showed of a claim on which other proofs rest."""
        budget = self.limits.budget(ground)
        self.run.earlier = {ground.id: entry.file}
        with stopping_at(budget.end):
            self.run.find(ground, self.versions.claims, budget)

    def settled(self, answer: Answer) -> bool:
        """Return whether more time would not help: a claim is decided, or there was no limit of time."""
        return answer.verdict is not Verdict.UNKNOWN or self.limits.time is None

    def read_steps(self, questions: Sequence[Question]) -> None:
        """Read the steps of the settings that most of the questions are about as formulas. Each proof is checked in a
        child process, which would read them again; it begins with what is read here."""
        settings = dict[str, list[Question]]()
        for question in questions:
            if question.ask in _STEPWISE:
                settings.setdefault(str((question.values, question.rulings)), []).append(question)
        often = sorted((each for each in settings.values() if len(each) >= _OFTEN), key=len, reverse=True)
        end = spent() + _READING
        for each in often[:_HELD]:
            case = self.run.case(each[0])
            for integers in (True, False):
                judge = Inductive(case.game, (), integers, (), case.context)
                for what in judge.reading.kinds():
                    if spent() > end:
                        return
                    judge.step(what)

    def key(self, question: Question) -> str:
        """Return the name under which an answer is remembered."""
        digests = self.versions.digests(question, self.version)
        return Remembered.key(question, digests, self.limits.work, self.limits.seconds)

    def _last_key(self, question: Question) -> str:
        """Return the name under which the newest answer is remembered, whatever the cards."""
        return Remembered.key(
            question, [str(Path(self.versions.ref).resolve())], self.limits.work, self.limits.seconds
        )

    def _last(self, question: Question) -> File | None:
        """Return the evidence of the newest answer that is remembered."""
        entry = self.limits.memory.read(self._last_key(question)) if self.limits.memory else None
        return None if entry is None else entry.file

    def kept(self, question: Question) -> File | None:
        """Return the nearest evidence of earlier runs, None if there is none that can be read."""
        for folder in self.proofs:
            try:
                return read((folder / f"{question.id}.json").read_text("utf-8"))
            except (OSError, ValueError, Unreadable):
                continue
        return None

    def _written(self, question: Question, entry: Entry) -> Entry:
        file = replace(entry.file, game=self.run.name, errata=self.version)
        answer = replace(entry.answer, game=self.run.name, says=question.says, evidence="")
        if self.output is not None and _holds_any(file):
            path = self.output / self.run.name / "evidence" / f"{question.id}.json"
            write(path, encode(file))
            answer = replace(answer, evidence=str(path))
        return Entry(answer, file)


def _holds_any(file: File | None) -> bool:
    """Return whether there is a certificate in a file; one of an open claim may have none."""
    return file is not None and any(setting.certificates for setting in file.settings)


def proofs_of(ref: str, output: Path) -> tuple[Path, ...]:
    """Return the folders with evidence of a game: where `prove` writes it below `output`, and the game's own."""
    folders = [output / name_of(ref) / "evidence"]
    return (*folders, find_game(ref) / "evidence") if not without_cards(ref) else tuple(folders)


def soon_first(questions: Sequence[Question]) -> list[Question]:
    """Return claims in the order of asking: those first that are mostly answered in a moment, and those last that
    have a budget of their own, because their author found them slow."""
    return sorted(questions, key=lambda question: (question.budget or 0.0, question.ask not in _QUICK))

"""Which claims depend on which options and rulings: each claim under each other choice, one at a time.

If the kernel accepts the same evidence under the other rules, the claim has the value that the evidence shows, and
nothing is searched again: the choice matters to no rule that the evidence rests on. Only what is left is asked anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from playproof.language.options import Options
from playproof.language.registry import build, data_of
from playproof.verifier.kernel.certificate import NotShown
from playproof.verifier.kernel.deciding import decide
from playproof.verifier.kernel.evidence import shows
from playproof.verifier.prove import Run, asked_of, chosen_of, open_by
from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Found
from playproof.verifier.search.case import WORK, Budget, Progress
from playproof.verifier.search.work import RLIMIT

SAME_EVIDENCE, ASKED = "the same evidence holds", "asked again"


@dataclass(frozen=True)
class Choice:
    """One option or ruling, and a value that is not its default."""

    name: str
    value: str
    ruling: bool

    @property
    def text(self) -> str:
        """Return the choice as people write it."""
        return f"{self.name}={self.value}"

    def taken(self, question: Question) -> Question:
        """Return a question under this choice."""
        if self.ruling:
            return replace(question, rulings={**question.rulings, self.name: self.value})
        return replace(question, values={**question.values, self.name: self.value})


@dataclass(frozen=True)
class Under:
    """A claim under one choice: its value there (None: open, and `reason` says why), and `how` that was found."""

    choice: Choice
    value: Any
    vacuous: bool
    how: str
    reason: str = ""


@dataclass(frozen=True)
class Dependence:
    """A claim, its value under the usual choices, and what it is under each other one."""

    question: Question
    usual: Found
    under: tuple[Under, ...]

    def differs(self, under: Under) -> bool:
        """Return whether the claim has another value under a choice, as far as both are known."""
        both_known = self.usual.known and under.value is not None
        return under.vacuous != self.usual.vacuous or (both_known and under.value != self.usual.value)

    @property
    def changed(self) -> list[Under]:
        """Return the choices under which the claim has another value."""
        return [under for under in self.under if self.differs(under)]

    @property
    def open(self) -> list[Under]:
        """Return the choices under which nothing is known of it."""
        return [under for under in self.under if under.value is None and not under.vacuous]


def choices_of(ref: str, question: Question) -> list[Choice]:
    """Return every other value of each option and ruling that the rules ask for and the claim does not name."""
    options = Options(
        {k: str(v) for k, v in question.values.items()}, {k: str(v) for k, v in question.rulings.items()}
    )
    build(ref, options, data_of(ref, True))
    own = [
        Choice(name, value, False)
        for name, values in options.choices.items()
        for value in values[1:]
        if name not in question.values and name not in options.read
    ]
    return own + [
        Choice(name, value, True)
        for name, values in options.read.items()
        for value in values[1:]
        if name not in question.rulings
    ]


def depends(
    ref: str,
    values: Mapping[str, str] | None = None,
    rulings: Mapping[str, str] | None = None,
    *,
    only: Sequence[str] = (),
    work: float = WORK,
    progress: Progress | None = None,
) -> Iterator[Dependence]:
    """Yield what each claim of a game depends on. `work` limits each claim under each choice. Claims over several
    settings (`same`, `tune`) are left out: they say it themselves."""
    known = asked_of(ref, True, values, rulings)
    run = Run(ref)
    for question in chosen_of(ref, known, only, values or {}, rulings or {}):
        if question.ask in ("same", "tune"):
            continue
        usual = run.find(question, known, Budget(question.budget or work, progress=progress))
        under = tuple(
            _under(run, question, choice, usual, known, Budget(question.budget or work, progress=progress))
            for choice in choices_of(ref, question)
        )
        yield Dependence(question, usual, under)


def _under(
    run: Run, question: Question, choice: Choice, usual: Found, known: Mapping[str, Question], budget: Budget
) -> Under:
    """Return what a claim is under a choice."""
    other = choice.taken(question)
    try:
        decided = _by_evidence(run, other, usual, budget)
        if decided is not None:
            return Under(choice, *decided, SAME_EVIDENCE)
    except Exception as error:  # a choice that does not fit the others, or rules that break under it
        return Under(choice, None, False, ASKED, open_by(error).reason)
    again = run.find(other, known, budget)
    value = again.value if again.known else None
    return Under(choice, value, again.vacuous, ASKED, again.reason)


def _by_evidence(run: Run, other: Question, usual: Found, budget: Budget) -> tuple[Any, bool] | None:
    """Return a claim's value under another choice if the evidence of the usual one shows it there too."""
    game = run.case(other).game
    try:
        with run.context.limited(int(budget.left * RLIMIT)):
            shown = [shows(c, game, run.context) for setting in usual.settings for c in setting.certificates]
    except NotShown:
        return None
    decision = decide(game, other, shown, run.context)
    if not decision.known or decision.assumed(shown):
        return None
    return decision.value, decision.vacuous

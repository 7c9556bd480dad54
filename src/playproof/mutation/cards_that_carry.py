"""Which cards carry a "no": each number on each card raised and lowered by one, alone, and the claim asked again.

A card carries the "no" if one of its numbers, changed by one, makes it a "yes" (or a minimum smaller). Each answer is
one of `prove`, with evidence that the kernel accepted; it is not written, since it is about cards that nobody has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError, Where, shorten_path
from playproof.linting.refusals import REFUSALS
from playproof.mutation.values import YamlValueChange, list_changeable_values, read_with_replacement
from playproof.verifier.prove import VerifierRun
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import Budget, Progress
from playproof.verifier.what_if import DeniedClaim, is_better_answer
from playproof.verifier.wording import format_value


@dataclass(frozen=True)
class ChangedNumberAnswer:
    """A number of a card, changed by one, and the answer to the claim with it."""

    value: YamlValueChange
    answer: Answer

    @property
    def text_with_answer(self) -> str:
        """Return the change with its answer: `effects.0.gain.food: 2 for 1: yes`."""
        known = self.answer.verdict is not Verdict.UNKNOWN
        return f"{self.value.change_text}: {format_value(self.answer.value) if known else 'open'}"


@dataclass(frozen=True)
class CardInfluence:
    """A card, and what its numbers do to a "no": those that make it a yes (`better`), those whose answer is `open`, and
    how many were tried."""

    card: str
    better: tuple[ChangedNumberAnswer, ...]
    open: tuple[ChangedNumberAnswer, ...]
    tried: int

    def format_lines(self, name: str) -> str:
        """Return the card under a name as lines, one for each number that matters or is open."""
        return "\n".join(f"{name:<24} {changed.text_with_answer}" for changed in (*self.better, *self.open))

    def as_json(self) -> dict[str, Any]:
        """Return the card as JSON data."""
        better = [
            {"change": changed.value.change_text, "value": changed.answer.value} for changed in self.better
        ]
        return {
            "card": self.card,
            "better": better,
            "open": [changed.value.change_text for changed in self.open],
            "tried": self.tried,
        }


def find_cards_that_decide_denial(
    run: VerifierRun,
    denial: DeniedClaim,
    *,
    only: Sequence[str] = (),
    work: float,
    progress: Progress | None = None,
) -> Iterator[CardInfluence]:
    """Yield each card that the claim's rules read, or those named by `only`, with what its numbers do to a claim that
    is no. Numbers that the rules do not read, and changes that the game refuses, are left out. Raises InputError if no
    card has a number and such a name."""
    by_card: dict[str, list[YamlValueChange]] = {}
    for value in list_changeable_values(run.ref):
        # a list of kinds has no ids
        if value.card and isinstance(value.path[1], str) and value.was.isdecimal():
            by_card.setdefault(value.card, []).append(value)
    unknown = [card for card in only if card not in by_card]
    if unknown:
        message = f"there is no card {', '.join(unknown)} with a number"
        raise InputError.from_single_finding(
            "PP704", Where(shorten_path(Path(run.ref))), message, f"one of: {', '.join(by_card)}"
        )
    if only:
        by_card = {card: by_card[card] for card in only}
    for card, numbers in by_card.items():
        answered = [
            changed
            for value in numbers
            for by in (1, -1)
            if (changed := _answer_with_changed_number(run, denial, value, by, work, progress))
        ]
        if answered:
            better = tuple(each for each in answered if is_better_answer(each.answer, denial.usual))
            still = tuple(each for each in answered if each.answer.verdict is Verdict.UNKNOWN)
            yield CardInfluence(card, better, still, len(answered))


def _answer_with_changed_number(
    run: VerifierRun,
    denial: DeniedClaim,
    value: YamlValueChange,
    increment: int,
    work: float,
    progress: Progress | None,
) -> ChangedNumberAnswer | None:
    """Return the answer to the claim with a number changed by so much; None if the game refuses it, or if the claim's
    rules do not notice."""
    changed = replace(value, other=str(int(value.was) + increment))
    other = VerifierRun(run.ref, machine=run.machine, context=run.context)
    with read_with_replacement(changed):
        try:
            game = other.get_case_for_question(denial.question).game
        except REFUSALS:
            return None
        if other.context.get_game_digest(game) == run.context.get_game_digest(
            run.get_case_for_question(denial.question).game
        ):
            return None
        budget = Budget(denial.question.budget or work, progress=progress)
        budget.report_progress(f"{value.card}: {changed.change_text}")
        return ChangedNumberAnswer(changed, other.answer_question(denial.question, denial.claims, budget))

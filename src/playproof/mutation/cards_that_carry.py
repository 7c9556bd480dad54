"""Which cards carry a "no": each number on each card raised and lowered by one, alone, and the claim asked again.

A card carries the "no" if one of its numbers, changed by one, makes it a "yes" (or a minimum smaller). Each answer is
one of `prove`, with evidence that the kernel accepted; it is not written, since it is about cards that nobody has.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from playproof.database.errors import InputError, Where, short_path
from playproof.linting.refusals import REFUSALS
from playproof.mutation.values import Value, reading, values
from playproof.verifier.prove import Run
from playproof.verifier.questions.verdicts import Answer, Verdict
from playproof.verifier.search.case import Budget, Progress
from playproof.verifier.what_if import Denied, is_better
from playproof.verifier.wording import shown_value


@dataclass(frozen=True)
class Changed:
    """A number of a card, changed by one, and the answer to the claim with it."""

    value: Value
    answer: Answer

    @property
    def words(self) -> str:
        """Return the change with its answer: `effects.0.gain.food: 2 for 1: yes`."""
        known = self.answer.verdict is not Verdict.UNKNOWN
        return f"{self.value.said}: {shown_value(self.answer.value) if known else 'open'}"


@dataclass(frozen=True)
class Carried:
    """A card, and what its numbers do to a "no": those that make it a yes (`better`), those whose answer is `open`, and
    how many were tried."""

    card: str
    better: tuple[Changed, ...]
    open: tuple[Changed, ...]
    tried: int

    def words(self, name: str) -> str:
        """Return the card under a name as lines, one for each number that matters or is open."""
        return "\n".join(f"{name:<24} {changed.words}" for changed in (*self.better, *self.open))

    def as_json(self) -> dict[str, Any]:
        """Return the card as JSON data."""
        better = [{"change": changed.value.said, "value": changed.answer.value} for changed in self.better]
        return {
            "card": self.card,
            "better": better,
            "open": [changed.value.said for changed in self.open],
            "tried": self.tried,
        }


def cards_that_carry(
    run: Run, no: Denied, *, only: Sequence[str] = (), work: float, progress: Progress | None = None
) -> Iterator[Carried]:
    """Yield each card that the claim's rules read, or those named by `only`, with what its numbers do to a claim that
    is no. Numbers that the rules do not read, and changes that the game refuses, are left out. Raises InputError if no
    card has a number and such a name."""
    by_card: dict[str, list[Value]] = {}
    for value in values(run.ref):
        if (
            value.card and isinstance(value.path[1], str) and value.was.isdecimal()
        ):  # a list of kinds has no ids
            by_card.setdefault(value.card, []).append(value)
    unknown = [card for card in only if card not in by_card]
    if unknown:
        message = f"there is no card {', '.join(unknown)} with a number"
        raise InputError.of(
            "PP704", Where(short_path(Path(run.ref))), message, f"one of: {', '.join(by_card)}"
        )
    if only:
        by_card = {card: by_card[card] for card in only}
    for card, numbers in by_card.items():
        answered = [
            changed
            for value in numbers
            for by in (1, -1)
            if (changed := _asked(run, no, value, by, work, progress))
        ]
        if answered:
            better = tuple(each for each in answered if is_better(each.answer, no.usual))
            still = tuple(each for each in answered if each.answer.verdict is Verdict.UNKNOWN)
            yield Carried(card, better, still, len(answered))


def _asked(
    run: Run, no: Denied, value: Value, by: int, work: float, progress: Progress | None
) -> Changed | None:
    """Return the answer to the claim with a number changed by so much; None if the game refuses it, or if the claim's
    rules do not notice."""
    changed = replace(value, other=str(int(value.was) + by))
    other = Run(run.ref, machine=run.machine, context=run.context)
    with reading(changed):
        try:
            game = other.case(no.question).game
        except REFUSALS:
            return None
        if other.context.name(game) == run.context.name(run.case(no.question).game):
            return None
        budget = Budget(no.question.budget or work, progress=progress)
        budget.say(f"{value.card}: {changed.said}")
        return Changed(changed, other.answer(no.question, no.claims, budget))

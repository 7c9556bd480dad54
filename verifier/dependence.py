"""What an option or ruling changes: each claim under it, beside what the claim is as usual."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Any

from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Conclusion
from playproof.verifier.wording import format_value

SAME_RULES, SAME_EVIDENCE, ASKED = "the same rules", "the same evidence holds", "asked again"
LATE = "no time was left for it"
"""The reason of claims that were not looked at to the end."""
_DEEP = "    "


@dataclass(frozen=True)
class NonDefaultChoice:
    """One option or ruling, and a value that is not its default."""

    name: str
    value: str
    ruling: bool

    @property
    def text(self) -> str:
        """Return the choice as people write it."""
        return f"{self.name}={self.value}"

    def apply_to_question(self, question: Question) -> Question:
        """Return a question under this choice."""
        if self.ruling:
            return replace(question, rulings={**question.rulings, self.name: self.value})
        return replace(question, values={**question.values, self.name: self.value})


@dataclass(frozen=True)
class ClaimUnderChoice:
    """A claim under one choice: `usual` is what it is without it; its value there (None: open, and `reason` says why;
    else `reason` says on which condition it is known, if on any), `how` that was found, and whether by an `earlier`
    run."""

    question: Question
    usual: Conclusion
    value: Any
    vacuous: bool
    how: str
    reason: str = ""
    earlier: bool = field(default=False, compare=False)

    @property
    def differs(self) -> bool:
        """Whether the claim has another value than usual, as far as both are known."""
        both_known = self.usual.known and self.value is not None
        return self.vacuous != self.usual.vacuous or (both_known and self.value != self.usual.value)

    @property
    def open(self) -> bool:
        """Whether nothing is known of the claim under the choice."""
        return self.value is None and not self.vacuous

    def format_line(self) -> str:
        """Return how the claim differs, or why it is open, as a line."""
        if self.open:
            return f"  {self.question.id:<28} open: {self.reason}"
        usual, value = self.values
        return f"  {self.question.id:<28} {usual} becomes {value}{self._condition}"

    @property
    def values(self) -> tuple[str, str]:
        """Return what the claim is as usual, and under the choice, as people read it."""
        usual = "empty" if self.usual.vacuous else format_value(self.usual.value)
        return usual, "empty" if self.vacuous else format_value(self.value)

    @property
    def _condition(self) -> str:
        return f", {self.reason}" if self.reason and not self.open else ""

    @property
    def method_with_condition(self) -> str:
        """Return how the claim was found, with the condition on which it is known."""
        return self.how + self._condition

    def as_json(self) -> dict[str, Any]:
        """Return the claim under the choice as JSON data."""
        return {
            "id": self.question.id,
            "usual": self.usual.value,
            "usually_vacuous": self.usual.vacuous,
            "value": self.value,
            "vacuous": self.vacuous,
            "differs": self.differs,
            "how": self.how,
            "reason": self.reason,
            "earlier": self.earlier,
        }

    @classmethod
    def from_json(cls, question: Question, row: Any) -> ClaimUnderChoice | None:
        """Return a claim under a choice as an earlier run answered it; None if there is no such row."""
        try:
            usual = Conclusion(row["usual"], "", (), vacuous=row["usually_vacuous"])
            return cls(question, usual, row["value"], row["vacuous"], row["how"], row["reason"], earlier=True)
        except (KeyError, TypeError):
            return None


@dataclass(frozen=True)
class ClaimsUnderChoice:
    """A choice, and each claim under it."""

    choice: NonDefaultChoice
    claims: tuple[ClaimUnderChoice, ...]

    @property
    def changed(self) -> list[ClaimUnderChoice]:
        """Return the claims that have another value under the choice."""
        return [under for under in self.claims if under.differs]

    @property
    def open(self) -> list[ClaimUnderChoice]:
        """Return the claims of which nothing is known under it."""
        return [under for under in self.claims if under.open]

    def format_text(self) -> str:
        """Return the choice as lines: each claim that differs, each that is open (several with one reason together),
        and how many are the same."""
        reasons = defaultdict[str, list[ClaimUnderChoice]](list)
        for under in self.open:
            reasons[under.reason].append(under)
        late = len(reasons.pop(LATE, []))
        lines = [self.choice.text, *(under.format_line() for under in self.changed)]
        for reason, some in reasons.items():
            lines += (
                [some[0].format_line()] if len(some) == 1 else _format_open_claims_with_reason(reason, some)
            )
        ways = Counter(
            under.method_with_condition for under in self.claims if not under.differs and not under.open
        )
        if ways:
            how = "; ".join(f"{count} {way}" for way, count in ways.items())
            lines.append(f"  the same for {_format_claim_count(ways.total())}: {how}")
        if late:
            lines.append(f"  no time was left for {_format_claim_count(late)}")
        return "\n".join(lines)

    def as_json(self) -> dict[str, Any]:
        """Return the choice with its claims as JSON data."""
        return {"choice": self.choice.text, "claims": [under.as_json() for under in self.claims]}


def _format_open_claims_with_reason(reason: str, open_claims: Sequence[ClaimUnderChoice]) -> list[str]:
    names = ", ".join(under.question.id for under in open_claims)
    return [
        f"  {_format_claim_count(len(open_claims))} open: {reason}",
        *wrap(names, 100, initial_indent=_DEEP, subsequent_indent=_DEEP, break_on_hyphens=False),
    ]


def _format_claim_count(count: int) -> str:
    return "1 claim" if count == 1 else f"{count} claims"

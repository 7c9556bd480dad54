"""Answers and verdicts, which never say more than is known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # whoever reads verdicts does not wait for what checks evidence
    from playproof.verifier.kernel.certificate import Certificate

ESTIMATED, SIZE = "estimated", "size"
"""The names in `bound` of what is estimated, and of what an exact answer would take."""


class Verdict(Enum):
    """The standing of a claim.

    PROVEN     it is true, and the evidence shows it
    REFUTED    it is false, and the evidence shows it
    UNKNOWN    neither was shown; the reason and the bound reached are given
    VACUOUS    it is true of nothing: what it speaks of never happens
    """

    PROVEN = "PROVEN"
    REFUTED = "REFUTED"
    UNKNOWN = "UNKNOWN"
    VACUOUS = "VACUOUS"


@dataclass(frozen=True, slots=True)
class Conclusion:
    """The answer to a claim's question, before it is compared with what the designer expects.

    `value` is the answer (true, a number, a list ...) or None if it is unknown. `offers` are certificates
    for the kernel: for each statement those that may show it, likeliest first. If nothing was decided,
    `reason` and `bound` say why and how far the search came. Once the kernel has checked it, `settings`
    holds the accepted certificates, `assumed` the properties that they lean on and that nothing here
    shows, and `whom` the players for whom the value holds. `fault` is the code of a fault of Playproof
    itself that left the question open, else "".
    """

    value: Any
    method: str
    offers: tuple[tuple[Certificate, ...], ...] = ()
    reason: str = ""
    bound: dict[str, Any] = field(default_factory=dict)
    vacuous: bool = False
    settings: tuple[Any, ...] = ()
    assumed: tuple[str, ...] = ()
    whom: str = ""
    fault: str = ""

    @property
    def known(self) -> bool:
        """Whether the question is decided."""
        return self.value is not None and not self.reason


BROKEN = "with"
"""The name in `bound` of a condition under `with` that a game breaks, with that game."""
UNFIT = "does not fit"
"""The name in `bound` of what an example tells and the rules do not."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A claim's verdict with everything a report needs. `evidence` is the file that `check` checks
    again, or ""; `unwritten` says why it could not be written, or is ""."""

    game: str
    id: str
    ask: str
    says: str
    verdict: Verdict
    value: Any
    expect: Any
    seconds: float
    method: str
    evidence: str
    reason: str = ""
    bound: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    of: Any = None
    assumed: tuple[str, ...] = ()
    whom: str = ""
    fault: str = ""
    unwritten: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the answer in the form that scripts may rely on."""
        return {
            "game": self.game,
            "id": self.id,
            "ask": self.ask,
            "says": self.says,
            "verdict": self.verdict.value,
            "value": self.value,
            "expect": self.expect,
            "seconds": round(self.seconds, 3),
            "method": self.method,
            "evidence": self.evidence,
            "reason": self.reason,
            "bound": self.bound,
            "options": self.options,
            "assumed": list(self.assumed),
            "for": self.whom,
            "fault": self.fault,
            "unwritten": self.unwritten,
        }


class ValuedAnswer(Protocol):
    """The part of an answer that a verdict depends on: a value that is known or not, or a claim
    that is true of nothing."""

    @property
    def value(self) -> Any:
        """The value found."""

    @property
    def vacuous(self) -> bool:
        """Whether the claim is true of nothing."""

    @property
    def known(self) -> bool:
        """Whether the value is known."""


def decide_verdict(answer: ValuedAnswer, expect: Any) -> Verdict:
    """Return the verdict on a claim: the finding compared with `expect`. If `expect` is None, the
    finding itself is the answer."""
    if answer.vacuous:
        return Verdict.VACUOUS
    if not answer.known:
        return Verdict.UNKNOWN
    if expect is None:
        return Verdict.REFUTED if answer.value is False else Verdict.PROVEN
    if (
        isinstance(answer.value, float)
        and isinstance(expect, int | float | str)
        and not isinstance(expect, bool)
    ):
        return Verdict.PROVEN if _is_expected_chance(answer.value, expect) else Verdict.REFUTED
    wanted = [] if expect == "none" else expect
    if isinstance(answer.value, list) and isinstance(wanted, list):  # a list of names has no order
        same = sorted(map(str, answer.value)) == sorted(map(str, wanted))
        return Verdict.PROVEN if same else Verdict.REFUTED
    if isinstance(answer.value, dict) and isinstance(wanted, Mapping):
        wanted = {str(name): number for name, number in wanted.items()}
    return Verdict.PROVEN if answer.value == wanted else Verdict.REFUTED


def _is_expected_chance(value: float, expect: float | str) -> bool:
    """Return whether a chance is the one expected: `31/180`, 0.5, or 0.172222 as `prove` prints it.
    With fewer than six digits the number is exact, since 0.5 does not mean 0.46. What is expected
    to be certain or impossible is."""
    if Fraction(str(expect)) in (0, 1):
        return value == Fraction(str(expect))
    digits = len(str(expect).partition(".")[2])
    off = Fraction(1, 2 * 10**digits) if digits >= _PRINTED else _ROUNDED
    return abs(Fraction(str(value)) - Fraction(str(expect))) <= off  # 1e10 + 0.1 as written, not as stored


_PRINTED = 6
_ROUNDED = Fraction(1, 10**9)
"""Chances are kept to nine digits."""

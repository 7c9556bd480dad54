"""Answers and verdicts, which never say more than is known; in sentences for people, and as commands print
them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from playproof.verifier.questions.claims import Question

if TYPE_CHECKING:
    from playproof.verifier.kernel.certificate import Certificate


# Answers and verdicts, which never say more than is known.

ESTIMATED, SIZE = "estimated", "size"
"""The names in `bound` of what is estimated, and of what an exact answer would take."""
HIDDEN = "something is hidden"
"""How the reason begins where more work is no help: only what players have who see all cards was found."""


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


def decide_verdict_from_value_and_expectation(found_answer: ValuedAnswer, expected_value: Any) -> Verdict:
    """Return the verdict on a claim: the finding compared with `expected_value`. If `expected_value` is None, the
    finding itself is the answer."""
    if found_answer.vacuous:
        return Verdict.VACUOUS
    if not found_answer.known:
        return Verdict.UNKNOWN
    if expected_value is None:
        return Verdict.REFUTED if found_answer.value is False else Verdict.PROVEN
    if (
        isinstance(found_answer.value, float)
        and isinstance(expected_value, int | float | str)
        and not isinstance(expected_value, bool)
    ):
        return Verdict.PROVEN if _does_chance_equal_expected(found_answer.value, expected_value) else Verdict.REFUTED
    wanted = [] if expected_value == "none" else expected_value
    if isinstance(found_answer.value, list) and isinstance(wanted, list):  # a list of names has no order
        same = sorted(map(str, found_answer.value)) == sorted(map(str, wanted))
        return Verdict.PROVEN if same else Verdict.REFUTED
    if isinstance(found_answer.value, dict) and isinstance(wanted, Mapping):
        wanted = {str(name): number for name, number in wanted.items()}
    return Verdict.PROVEN if found_answer.value == wanted else Verdict.REFUTED


def _does_chance_equal_expected(found_chance: float, expected_chance: float | str) -> bool:
    """Return whether a chance is the one expected: `31/180`, 0.5, or 0.172222 as `prove` prints it.
    With fewer than six digits the number is exact, since 0.5 does not mean 0.46. What is expected
    to be certain or impossible is."""
    if Fraction(str(expected_chance)) in (0, 1):
        return found_chance == Fraction(str(expected_chance))
    digits = len(str(expected_chance).partition(".")[2])
    off = Fraction(1, 2 * 10**digits) if digits >= _PRINTED else _ROUNDED
    return (
        abs(Fraction(str(found_chance)) - Fraction(str(expected_chance))) <= off
    )  # 1e10 + 0.1 as written, not as stored


_PRINTED = 6
_ROUNDED = Fraction(1, 10**9)
"""Chances are kept to nine digits."""


# -- sentences -----------------------------------------------------------------------------------------------
# Answers in words: what a person would say about a game after its claims are decided.


def describe_options_or_game(options: Mapping[str, Any], game_name: str) -> str:
    """Return what the sentence is about: the options that pick a part of the game, else the game.

    >>> describe_options_or_game({"chapter": 1}, "a_game")
    'Chapter 1'
    """
    plain = [f"{k} {v}" for k, v in options.items() if not isinstance(v, list) and not k[:1].isupper()]
    text = ", ".join(plain) or f"the game {game_name.replace('_', ' ')}"
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True)
class WinningSummary:
    """Whether a part of the game can be won (None: not known), and how soon at best: between `least` and `most` of a
    unit, which are one number if it is known; None if nothing is."""

    possible: bool | None
    least: int | None = None
    most: int | None = None
    unit: str = ""
    is_open: bool = False

    def __str__(self) -> str:
        if self.possible is None:
            return "was not seen won, nor shown to be lost"
        return f"can be won{self._soonest}" if self.possible else "cannot be won"

    @property
    def _soonest(self) -> str:
        if self.least is None or self.most is None:
            return ""
        count = f"{self.least} to {self.most}" if self.is_open else self.least
        return f", in {count} {self.unit} at best"


def summarize_winning_or_none(answers: Sequence[Answer]) -> WinningSummary | None:
    """Return what is known of winning, or None if no claim asks about it."""
    can, fewest = find_answers_that_summary_covers(answers)
    if can is None and fewest is None:
        return None
    if can is not None:
        possible = None if can.value is None else can.value is not False
    else:
        possible = True if fewest is not None and fewest.value is not None else None
    if fewest is None:
        return WinningSummary(possible)
    unit = str(fewest.of["number"]).replace("_", " ")
    if fewest.value is not None:
        return WinningSummary(possible, fewest.value, fewest.value, unit)
    return WinningSummary(possible, fewest.bound.get("at least"), fewest.bound.get("at most"), unit, is_open=True)


class CoveredAnswers(NamedTuple):
    can_be_won: Answer | None
    fewest: Answer | None


def find_answers_that_summary_covers(answers: Sequence[Answer]) -> CoveredAnswers:
    """Return the claims that a summary of winning is made of: the first that asks whether one can win, and the first
    that asks with how little of a number that has a name; "in 2 6 - cards" says nothing."""
    mine = [answer for answer in answers if is_claim_about_winning(answer)]
    can = next((a for a in mine if a.ask == "reach"), None)
    return CoveredAnswers(can, next((a for a in mine if a.ask == "minimum" and _is_of_named_number(a)), None))


def _is_of_named_number(answer: Answer) -> bool:
    return isinstance(answer.of, Mapping) and str(answer.of.get("number")).isidentifier()


def is_claim_about_winning(claim: Answer | Question) -> bool:
    """Return whether a claim asks about winning."""
    return _is_target_spec_about_winning(claim.of)


def _is_target_spec_about_winning(target_spec: Any) -> bool:
    if not isinstance(target_spec, Mapping):
        return False
    return target_spec.get("outcome") == "win" or _is_target_spec_about_winning(target_spec.get("when"))


# -- wording -------------------------------------------------------------------------------------------------
# Answers in words, as commands print them.

_MOST_NAMED = 6  # rows of cards
_VALUE, _WHOLE = 46, 1_000
_FRACTION = 20  # characters of a fraction that people may want to read


def format_answer_as_lines(answer: Answer) -> str:
    """Return one claim as one line, with more lines if something was expected, assumed or not
    settled."""
    exactly = answer.bound.get("exactly", "") if answer.value is not None else ""
    value = format_value_for_people(answer.value)
    if 0 < len(exactly) <= _FRACTION and exactly != value:
        value += f" = {exactly}"
    value += f" {answer.whom}" if answer.whom else ""
    text = f"{answer.verdict.value:<8} {answer.id:<28} {value:<{_VALUE}} {answer.seconds:7.2f} s  {answer.method}"
    wrong = answer.verdict is Verdict.REFUTED
    expected = (
        f"\n         expected {format_value_for_people(answer.expect)}" if wrong and answer.expect is not None else ""
    )
    more = [text.rstrip() + expected]
    if wrong and answer.ask == "same":
        values: dict[str, object] = answer.bound.get("values", {})
        more += [f"{setting}: {format_value_for_people(each)}" for setting, each in values.items()]
    if UNFIT in answer.bound:
        more.append(f"{UNFIT}: {answer.bound[UNFIT]}")
    if "because" in answer.bound:
        more.append(f"why: {answer.bound['because']}")
    if "breaks" in answer.bound:
        more.append(f"breaks: {answer.bound['breaks']}")
    more += _format_lines_of_options_and_spread(answer)
    if BROKEN in answer.bound:
        more.append(f"what stands under `with` does not hold: {answer.bound[BROKEN]}")
    if answer.assumed:
        more.append(f"if every game keeps: {', '.join(answer.assumed)}; not shown here")
    if answer.reason:
        bound = {name: value for name, value in answer.bound.items() if name not in (ESTIMATED, SIZE)}
        more.append(f"{answer.reason}; bound reached: {format_value_for_people(bound, _WHOLE)}")
        more += _list_lines_on_estimates(answer)
    return "\n         ".join(more)


def _list_lines_on_estimates(answer: Answer) -> list[str]:
    """Return what is estimated of an open answer, and what an exact one would take."""
    lines = [words] if (words := answer.bound.get(ESTIMATED, {}).get("words")) else []
    return [*lines, *([str(answer.bound[SIZE])] if SIZE in answer.bound else [])]


def _format_lines_of_options_and_spread(answer: Answer) -> list[str]:
    """Return a line for each option that a claim asks of, and for each value of a spread."""
    options: dict[str, dict[str, float]] = answer.bound.get("options", {})
    spread: dict[str, float] = answer.bound.get("spread", {})
    lines = [f"{value}: {chance:.6f}" for value, chance in spread.items()]
    for name, each in options.items():
        beside = f"regret {each['regret']:.6f}" if each["regret"] else "best"
        lines.append(f"{name}: {each['worth']:.6f}, {beside}")
    return lines


def format_value_for_people(value: object, max_length: int = _VALUE) -> str:
    """Return a value in words, cut after `most` characters."""
    if value is None or value == {}:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        text = ", ".join(f"{k} {format_value_for_people(v, max_length)}" for k, v in value.items())
    elif isinstance(value, list | tuple):
        text = ", ".join(format_value_for_people(each, max_length) for each in value) or "none"
    else:
        text = _format_six_digits(value) if isinstance(value, float) else str(value)
    return text if len(text) <= max_length else f"{text[: max_length - 4]} ..."


def _format_six_digits(number: float) -> str:
    """Return six digits of a number, or as many as tell it from 1. A number that is rounded has six decimals or more,
    because `expect` takes one with fewer for exact."""
    short = f"{number:.6g}"
    if short == "1" != str(number)[:1]:
        return f"{number:.9f}"
    decimals = 0 if "e+" in short else len(short.partition(".")[2])
    return short if decimals >= 6 or float(short) == number else f"{number:.6f}"


def format_first_breaking_rows(row_names: Sequence[str]) -> str:
    """Return the rows that break a claim, the first few by name."""
    more = len(row_names) - _MOST_NAMED
    return ", ".join(row_names[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def format_answer_value_with_reason(answer: Answer) -> str:
    """Return an answer's value, with the reason of a no in the game's words."""
    because = f", because {answer.bound['because']}" if "because" in answer.bound else ""
    return ("never" if answer.verdict is Verdict.VACUOUS else format_value_for_people(answer.value)) + because

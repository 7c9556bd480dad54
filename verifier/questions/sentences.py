"""Answers in words: what a person would say about a game after its claims are decided.

Chapter 0 can be won, in 2 rounds at best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Verdict


def describe_subject(options: Mapping[str, Any], game: str) -> str:
    """Return what the sentence is about: the options that pick a part of the game, else the game.

    >>> describe_subject({"chapter": 1}, "a_game")
    'Chapter 1'
    """
    plain = [f"{k} {v}" for k, v in options.items() if not isinstance(v, list) and not k[:1].isupper()]
    text = ", ".join(plain) or f"the game {game.replace('_', ' ')}"
    return text[:1].upper() + text[1:]


def answer_to_sentence(answer: Answer) -> str:
    """Return one claim as one sentence, which never says more than its verdict."""
    says = answer.says.rstrip(".") or answer.id
    match answer.verdict:
        case Verdict.UNKNOWN:
            return f"Not known: {says} ({answer.reason}{_describe_bounds(answer.bound)})."
        case Verdict.VACUOUS:
            return f"Empty: {says} (what it speaks of never happens)."
        case Verdict.REFUTED:
            return f"Not so: {says}{_describe_value(answer)}{_describe_condition(answer)}."
    return f"{says}{_describe_value(answer)}{_describe_condition(answer)}."


def _describe_condition(answer: Answer) -> str:
    """Return for whom the answer holds, and the properties that it rests on but that are not
    shown."""
    whom = f", {answer.whom}" if answer.whom else ""
    return whom + (f", if every game keeps: {', '.join(answer.assumed)}" if answer.assumed else "")


def _describe_value(answer: Answer) -> str:
    if answer.value is None or isinstance(answer.value, bool):
        return ""
    if isinstance(answer.value, list):
        return f": {', '.join(map(str, answer.value)) or 'none'}"
    return f": {answer.value}"


def _describe_bounds(bound: Mapping[str, Any]) -> str:
    """Return the known bounds of a number, in words."""
    low, high = bound.get("at least"), bound.get("at most")
    parts = [f"at least {low}" if low is not None else "", f"at most {high}" if high is not None else ""]
    return "".join(f"; {p}" for p in parts if p)


def summarize_answers(answers: Iterable[Answer]) -> list[str]:
    """Return one sentence for each part of the game with a question about winning, followed by what
    can never happen in it."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(describe_subject(answer.options, answer.game), []).append(answer)
    sentences = []
    for name, mine in groups.items():
        win = summarize_winning(mine)
        if win is not None:
            sentences.append(f"{name} {win}.")
        sentences += _list_impossibility_sentences(mine)
    return sentences


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


def summarize_winning(answers: Sequence[Answer]) -> WinningSummary | None:
    """Return what is known of winning, or None if no claim asks about it."""
    can = next((a for a in answers if a.ask == "reach" and is_about_winning(a)), None)
    fewest = next((a for a in answers if a.ask == "minimum" and is_about_winning(a)), None)
    if can is None and fewest is None:
        return None
    if can is not None:
        possible = None if can.value is None else can.value is not False
    else:
        possible = True if fewest is not None and fewest.value is not None else None
    if fewest is None:
        return WinningSummary(possible)
    unit = str(fewest.bound.get("number", "rounds"))
    if fewest.value is not None:
        return WinningSummary(possible, fewest.value, fewest.value, unit)
    return WinningSummary(
        possible, fewest.bound.get("at least"), fewest.bound.get("at most"), unit, is_open=True
    )


def _list_impossibility_sentences(answers: Sequence[Answer]) -> list[str]:
    return [
        f"{name[:1].upper() + name[1:]}: this can never happen."
        for a in answers
        if a.ask == "dead" and isinstance(a.value, list)
        for name in a.value
    ]


def is_about_winning(claim: Answer | Question) -> bool:
    """Return whether a claim asks about winning."""
    return _is_spec_about_winning(claim.of)


def _is_spec_about_winning(spec: Any) -> bool:
    if not isinstance(spec, Mapping):
        return False
    return spec.get("outcome") == "win" or _is_spec_about_winning(spec.get("when"))

"""Answers in words: what a person would say about a game after its claims are decided.

Chapter 0 can be won, in 2 rounds at best.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.verifier.questions.claims import Question
from playproof.verifier.questions.verdicts import Answer, Verdict


def subject(options: Mapping[str, Any], game: str) -> str:
    """Return what the sentence is about: the options that pick a part of the game, else the game.

    >>> subject({"chapter": 1}, "a_game")
    'Chapter 1'
    """
    plain = [f"{k} {v}" for k, v in options.items() if not isinstance(v, list) and not k[:1].isupper()]
    text = ", ".join(plain) or f"the game {game.replace('_', ' ')}"
    return text[:1].upper() + text[1:]


def sentence(answer: Answer) -> str:
    """Return one claim as one sentence, which never says more than its verdict."""
    says = answer.says.rstrip(".") or answer.id
    match answer.verdict:
        case Verdict.UNKNOWN:
            return f"Not known: {says} ({answer.reason}{_between(answer.bound)})."
        case Verdict.VACUOUS:
            return f"Empty: {says} (what it speaks of never happens)."
        case Verdict.REFUTED:
            return f"Not so: {says}{_value(answer)}{_condition(answer)}."
    return f"{says}{_value(answer)}{_condition(answer)}."


def _condition(answer: Answer) -> str:
    """Return for whom the answer holds, and the properties that it rests on but that are not
    shown."""
    whom = f", {answer.whom}" if answer.whom else ""
    return whom + (f", if every game keeps: {', '.join(answer.assumed)}" if answer.assumed else "")


def _value(answer: Answer) -> str:
    if answer.value is None or isinstance(answer.value, bool):
        return ""
    if isinstance(answer.value, list):
        return f": {', '.join(map(str, answer.value)) or 'none'}"
    return f": {answer.value}"


def _between(bound: Mapping[str, Any]) -> str:
    """Return the known bounds of a number, in words."""
    low, high = bound.get("at least"), bound.get("at most")
    parts = [f"at least {low}" if low is not None else "", f"at most {high}" if high is not None else ""]
    return "".join(f"; {p}" for p in parts if p)


def summary(answers: Iterable[Answer]) -> list[str]:
    """Return one sentence for each part of the game with a question about winning, followed by what
    can never happen in it."""
    groups: dict[str, list[Answer]] = {}
    for answer in answers:
        groups.setdefault(subject(answer.options, answer.game), []).append(answer)
    found = []
    for name, mine in groups.items():
        win = _winning(mine)
        if win is not None:
            found.append(f"{name} {win}.")
        found += _dead(mine)
    return found


@dataclass(frozen=True, slots=True)
class _Winning:
    """Whether a part of the game can be won (None: not known), and how soon: `, in 5 rounds at
    best`, or between which bounds (`is_open`)."""

    possible: bool | None
    soonest: str = ""
    is_open: bool = False

    def __str__(self) -> str:
        if self.possible is None:
            return "was not seen won, nor shown to be lost"
        return f"can be won{self.soonest}" if self.possible else "cannot be won"


def _winning(answers: Sequence[Answer]) -> _Winning | None:
    """Return what is known of winning, or None if no claim asks about it."""
    can = next((a for a in answers if a.ask == "reach" and is_win(a)), None)
    fewest = next((a for a in answers if a.ask == "minimum" and is_win(a)), None)
    if can is None and fewest is None:
        return None
    if can is not None:
        possible = None if can.value is None else can.value is not False
    else:
        possible = True if fewest is not None and fewest.value is not None else None
    if fewest is None:
        return _Winning(possible)
    return _Winning(possible, _at_best(fewest), fewest.value is None)


def _at_best(fewest: Answer) -> str:
    unit = str(fewest.bound.get("number", "rounds"))
    if fewest.value is not None:
        return f", in {fewest.value} {unit} at best"
    low, high = fewest.bound.get("at least"), fewest.bound.get("at most")
    return f", in {low} to {high} {unit} at best" if low is not None and high is not None else ""


def _dead(answers: Sequence[Answer]) -> list[str]:
    return [
        f"{name[:1].upper() + name[1:]}: this can never happen."
        for a in answers
        if a.ask == "dead" and isinstance(a.value, list)
        for name in a.value
    ]


def is_win(claim: Answer | Question) -> bool:
    """Return whether a claim asks about winning."""
    return _speaks_of_win(claim.of)


def _speaks_of_win(spec: Any) -> bool:
    if not isinstance(spec, Mapping):
        return False
    return spec.get("outcome") == "win" or _speaks_of_win(spec.get("when"))


def compared(before: Sequence[Answer], after: Sequence[Answer]) -> list[str]:
    """Return what an erratum changes, in words: one sentence per part of the game, and the claims
    whose answer changes."""
    old = {a.id: a for a in before}
    found = []
    for name in dict.fromkeys(subject(a.options, a.game) for a in after):
        mine = [a for a in after if subject(a.options, a.game) == name]
        was = _winning([old[a.id] for a in mine if a.id in old])
        now = _winning(mine)
        if now is not None:
            found.append(f"{name} {_still(was, now)}.")
        for answer in mine:
            found += _moved(old.get(answer.id), answer)
    return found


def _still(was: _Winning | None, now: _Winning) -> str:
    """Return how winning changed: `can still be won, now in 6 rounds at best`."""
    before = None if was is None else was.possible
    if now.possible is None:
        return str(now)
    if not now.possible:
        return {True: "can no longer be won", False: "still cannot be won", None: "cannot be won"}[before]
    if was == now or (was and before and (now.is_open or not was.soonest)):
        return f"can still be won{now.soonest}"
    if before:
        return f"can still be won, now{now.soonest.removeprefix(',')}" if now.soonest else str(now)
    return f"can now be won{now.soonest}"


def _moved(was: Answer | None, now: Answer) -> list[str]:
    """Return sentences on members that came to life or died and on other answers that changed.
    Winning is left out, because the first sentence covers it."""
    if was is None or (is_win(now) and now.ask in ("reach", "minimum")):
        return []
    if now.ask == "dead" and isinstance(now.value, list) and isinstance(was.value, list):
        died = [f"{n}: this can never happen any more." for n in now.value if n not in was.value]
        return died + [f"{n}: this can happen now." for n in was.value if n not in now.value]
    if (was.verdict, was.value) == (now.verdict, now.value):
        return []
    says = now.says.rstrip(".") or now.id
    values = _both(was, now)
    if isinstance(now.value, Mapping) and values:  # the words may speak of other counts than those that moved
        return [f"Counted otherwise: {says}{values}."]
    match was.verdict, now.verdict:
        case Verdict.PROVEN, Verdict.REFUTED:
            return [f"No longer so: {says}{values}."]
        case Verdict.REFUTED, Verdict.PROVEN:
            return [f"Now so: {says}{values}."]
        case (one, other) if one is other and values:
            return [f"{says}{values}."]
    return [f"{says}: was {was.verdict.value}, is {now.verdict.value}{_value(now)}."]


def _both(was: Answer, now: Answer) -> str:
    """Return both values in brackets; of many, those that differ. Nothing if they are no numbers."""
    if _counts(was) and _counts(now):
        return f" ({_plain(now.value)}, was {_plain(was.value)})"
    if not (isinstance(was.value, Mapping) and isinstance(now.value, Mapping)):
        return ""
    names = dict.fromkeys([*now.value, *was.value])
    pairs = [(name, now.value.get(name, 0), was.value.get(name, 0)) for name in names]
    moved = [f"{name}: {after}, was {before}" for name, after, before in pairs if after != before]
    return f" ({'; '.join(moved)})"


def _counts(answer: Answer) -> bool:
    """Return whether the answer is a number."""
    return isinstance(answer.value, int | float) and not isinstance(answer.value, bool)


def _plain(number: float) -> str:
    return f"{number:.6g}"

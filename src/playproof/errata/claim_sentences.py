"""What changed in the answers to claims, in sentences for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from playproof.errata.speech import ENGLISH, Speech
from playproof.verifier.questions.sentences import Winning, is_win, winning
from playproof.verifier.questions.verdicts import Answer, Verdict


def compared(before: Sequence[Answer], after: Sequence[Answer], speech: Speech = ENGLISH) -> list[str]:
    """Return what an erratum changes, in words: one sentence per part of the game, and the claims
    whose answer changes or that still do not hold."""
    old = {a.id: a for a in before}
    sentences = []
    parts = {a.id: speech.part(a.options, a.game) for a in after}
    for name in dict.fromkeys(parts.values()):
        mine = [a for a in after if parts[a.id] == name]
        was = winning([old[a.id] for a in mine if a.id in old])
        now = winning(mine)
        if now is not None:
            sentences.append(_still(was, now, name, speech))
        for answer in mine:
            sentences += _moved(old.get(answer.id), answer, speech)
    return [speech.sentence(text) for text in sentences]


def _still(was: Winning | None, now: Winning, part: str, speech: Speech) -> str:
    """Return how winning changed: `can still be won, now in 6 rounds at best`."""
    before, best = None if was is None else was.possible, _best(now, speech)
    if now.possible is None:
        return speech.say("unseen", part=part)
    if not now.possible:
        return speech.say({True: "no more", False: "still not", None: "cannot"}[before], part=part)
    soonest = f", {best}" if best else ""
    if was == now or (was and before and (now.is_open or not _best(was, speech))):
        return speech.say("still", part=part, soonest=soonest)
    if before:
        return speech.say("still now" if best else "can", part=part, soonest=f" {best}" if best else "")
    return speech.say("can now", part=part, soonest=soonest)


def _best(now: Winning, speech: Speech) -> str:
    """Return how soon one can win: `in 5 rounds at best`; nothing if that is not known."""
    if now.least is None or now.most is None:
        return ""
    count = speech.say("to", low=now.least, high=now.most) if now.is_open else now.least
    return speech.say("at best", count=count, unit=speech.name(now.unit))


def _moved(was: Answer | None, now: Answer, speech: Speech) -> list[str]:
    """Return sentences on members that came to life or died and on other answers that changed.
    Winning is left out, because the first sentence covers it."""
    if was is None or (is_win(now) and now.ask in ("reach", "minimum")):
        return []
    if now.ask == "dead" and isinstance(now.value, list) and isinstance(was.value, list):
        died, born = (
            [n for n in a if n not in b] for a, b in ((now.value, was.value), (was.value, now.value))
        )
        changes = [("died", name) for name in died] + [("born", name) for name in born]
        return [speech.say(key, name=speech.as_written(name)) for key, name in changes]
    claim, values = speech.claim(now), _both(was, now, speech)
    if (was.verdict, was.value) == (now.verdict, now.value):
        lasts = now.verdict is Verdict.REFUTED
        return [speech.say("still false", claim=claim, values=_value(now, speech))] if lasts else []
    if isinstance(now.value, Mapping) and values:  # the words may speak of other counts than those that moved
        return [speech.say("counted", claim=claim, values=values)]
    match was.verdict, now.verdict:
        case Verdict.PROVEN, Verdict.REFUTED:
            return [speech.say("lost", claim=claim, values=values)]
        case Verdict.REFUTED, Verdict.PROVEN:
            return [speech.say("gained", claim=claim, values=values)]
        case (one, other) if one is other and values:
            return [f"{claim}{values}."]
    before, after = (speech.say(answer.verdict.value) for answer in (was, now))
    return [speech.say("verdict", claim=claim, before=before, now=after, value=_value(now, speech))]


def _both(was: Answer, now: Answer, speech: Speech) -> str:
    """Return both values in brackets; of many, those that differ. Nothing if they are no numbers."""
    if _counts(was) and _counts(now):
        return f" ({speech.say('was', now=speech.number(now.value), before=speech.number(was.value))})"
    if not (isinstance(was.value, Mapping) and isinstance(now.value, Mapping)):
        return ""
    names = dict.fromkeys([*now.value, *was.value])
    pairs = [(name, now.value.get(name, 0), was.value.get(name, 0)) for name in names]
    moved = [
        speech.listed(speech.name(str(name)), [speech.say("was", now=after, before=before)])
        for name, after, before in pairs
        if after != before
    ]
    return f" ({speech.say('semicolon').join(moved)})"


def _value(answer: Answer, speech: Speech) -> str:
    """Return a value behind a colon; nothing for yes, no, and what is not known."""
    if answer.value is None or isinstance(answer.value, bool):
        return ""
    if _counts(answer):
        return f"{speech.say('colon')} {speech.number(answer.value)}"
    texts = answer.value if isinstance(answer.value, list) else [answer.value]
    return f"{speech.say('colon')} {', '.join(speech.as_written(str(each)) for each in texts)}"


def _counts(answer: Answer) -> bool:
    """Return whether the answer is a number."""
    return isinstance(answer.value, int | float) and not isinstance(answer.value, bool)

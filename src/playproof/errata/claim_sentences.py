"""What changed in the answers to claims, in sentences for people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from playproof.errata.speech import ENGLISH, DossierLanguage
from playproof.verifier.questions.sentences import WinningSummary, is_about_winning, summarize_winning
from playproof.verifier.questions.verdicts import Answer, Verdict


def describe_answer_changes(
    before: Sequence[Answer], after: Sequence[Answer], speech: DossierLanguage = ENGLISH
) -> list[str]:
    """Return what an erratum changes, in words: one sentence per part of the game, and the claims
    whose answer changes or that still do not hold."""
    old = {a.id: a for a in before}
    sentences = []
    parts = {a.id: speech.name_part_of_game(a.options, a.game) for a in after}
    for name in dict.fromkeys(parts.values()):
        mine = [a for a in after if parts[a.id] == name]
        was = summarize_winning([old[a.id] for a in mine if a.id in old])
        now = summarize_winning(mine)
        if now is not None:
            sentences.append(_describe_winning_change(was, now, name, speech))
        for answer in mine:
            sentences += _describe_answer_change(old.get(answer.id), answer, speech)
    return [speech.capitalize_sentence(text) for text in sentences]


def _describe_winning_change(
    old_winning: WinningSummary | None, new_winning: WinningSummary, part: str, speech: DossierLanguage
) -> str:
    """Return how winning changed: `can still be won, now in 6 rounds at best`."""
    before, best = (
        None if old_winning is None else old_winning.possible,
        _format_soonest_win(new_winning, speech),
    )
    if new_winning.possible is None:
        return speech.format_message("unseen", part=part)
    if not new_winning.possible:
        return speech.format_message({True: "no more", False: "still not", None: "cannot"}[before], part=part)
    soonest = f", {best}" if best else ""
    if old_winning == new_winning or (
        old_winning and before and (new_winning.is_open or not _format_soonest_win(old_winning, speech))
    ):
        return speech.format_message("still", part=part, soonest=soonest)
    if before:
        return speech.format_message(
            "still now" if best else "can", part=part, soonest=f" {best}" if best else ""
        )
    return speech.format_message("can now", part=part, soonest=soonest)


def _format_soonest_win(winning: WinningSummary, speech: DossierLanguage) -> str:
    """Return how soon one can win: `in 5 rounds at best`; nothing if that is not known."""
    if winning.least is None or winning.most is None:
        return ""
    count = (
        speech.format_message("to", low=winning.least, high=winning.most)
        if winning.is_open
        else winning.least
    )
    return speech.format_message("at best", count=count, unit=speech.translate_name(winning.unit))


def _describe_answer_change(
    old_answer: Answer | None, new_answer: Answer, speech: DossierLanguage
) -> list[str]:
    """Return sentences on members that came to life or died and on other answers that changed.
    Winning is left out, because the first sentence covers it."""
    if old_answer is None or (is_about_winning(new_answer) and new_answer.ask in ("reach", "minimum")):
        return []
    if new_answer.ask == "dead" and isinstance(new_answer.value, list) and isinstance(old_answer.value, list):
        died, born = (
            [n for n in a if n not in b]
            for a, b in ((new_answer.value, old_answer.value), (old_answer.value, new_answer.value))
        )
        changes = [("died", name) for name in died] + [("born", name) for name in born]
        return [speech.format_message(key, name=speech.quote_name_from_file(name)) for key, name in changes]
    claim, values = speech.format_claim(new_answer), _format_old_and_new_value(old_answer, new_answer, speech)
    if (old_answer.verdict, old_answer.value) == (new_answer.verdict, new_answer.value):
        lasts = new_answer.verdict is Verdict.REFUTED
        return (
            [
                speech.format_message(
                    "still false", claim=claim, values=_format_value_after_colon(new_answer, speech)
                )
            ]
            if lasts
            else []
        )
    # the words may speak of other counts than those that moved
    if isinstance(new_answer.value, Mapping) and values:
        return [speech.format_message("counted", claim=claim, values=values)]
    match old_answer.verdict, new_answer.verdict:
        case Verdict.PROVEN, Verdict.REFUTED:
            return [speech.format_message("lost", claim=claim, values=values)]
        case Verdict.REFUTED, Verdict.PROVEN:
            return [speech.format_message("gained", claim=claim, values=values)]
        case (one, other) if one is other and values:
            return [f"{claim}{values}."]
    before, after = (speech.format_message(answer.verdict.value) for answer in (old_answer, new_answer))
    return [
        speech.format_message(
            "verdict",
            claim=claim,
            before=before,
            now=after,
            value=_format_value_after_colon(new_answer, speech),
        )
    ]


def _format_old_and_new_value(old_answer: Answer, new_answer: Answer, speech: DossierLanguage) -> str:
    """Return both values in brackets; of many, those that differ. Nothing if they are no numbers."""
    if _is_numeric_answer(old_answer) and _is_numeric_answer(new_answer):
        new_number = speech.format_number(new_answer.value)
        old_number = speech.format_number(old_answer.value)
        return f" ({speech.format_message('was', now=new_number, before=old_number)})"
    if not (isinstance(old_answer.value, Mapping) and isinstance(new_answer.value, Mapping)):
        return ""
    names = dict.fromkeys([*new_answer.value, *old_answer.value])
    pairs = [(name, new_answer.value.get(name, 0), old_answer.value.get(name, 0)) for name in names]
    moved = [
        speech.format_labelled_list(
            speech.translate_name(str(name)), [speech.format_message("was", now=after, before=before)]
        )
        for name, after, before in pairs
        if after != before
    ]
    return f" ({speech.format_message('semicolon').join(moved)})"


def _format_value_after_colon(answer: Answer, speech: DossierLanguage) -> str:
    """Return a value behind a colon; nothing for yes, no, and what is not known."""
    if answer.value is None or isinstance(answer.value, bool):
        return ""
    if _is_numeric_answer(answer):
        return f"{speech.format_message('colon')} {speech.format_number(answer.value)}"
    texts = answer.value if isinstance(answer.value, list) else [answer.value]
    return f"{speech.format_message('colon')} {', '.join(speech.quote_name_from_file(str(each)) for each in texts)}"


def _is_numeric_answer(answer: Answer) -> bool:
    """Return whether the answer is a number."""
    return isinstance(answer.value, int | float) and not isinstance(answer.value, bool)

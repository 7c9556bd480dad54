"""What `errata` tells at a terminal, line by line, and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from playproof.database.patch import Erratum
from playproof.errata.changed_cards import called, words
from playproof.errata.changed_rules import tell_changed_texts, tell_rulings
from playproof.errata.comparison import Comparison
from playproof.errata.dossier import Dossier
from playproof.errata.page import changed_too, counted, ladder, left_behind, who_plays
from playproof.errata.replacement_text import replacement_lines, shorten_list
from playproof.errata.speech import Speech
from playproof.errata.versions import Difference
from playproof.errata.words import say
from playproof.verifier.questions.verdicts import Verdict


def headed(erratum: Erratum, language: str) -> str:
    """Return an erratum's version, date and note in one line."""
    proposed = f", {say(language, 'proposed').lower()}" if erratum.proposed else ""
    return f"{erratum.version} ({erratum.date}{proposed}): {erratum.note.text(language)}"


def changes(erratum: Erratum, differences: Sequence[Difference], speech: Speech) -> Iterator[str]:
    """Yield what changes, card by card."""
    yield headed(erratum, speech.language)
    for difference in differences:
        yield f"\n{called(difference, speech.language, speech.game)}"
        yield from (f"  {text}" for text in words(difference, speech))
    rules = [*tell_changed_texts(erratum, speech), *tell_rulings(erratum, speech)]
    if rules:
        yield f"\n{speech.say('rules')}"
        yield from (f"  {text}" for text in rules)
    if not differences and not rules:
        yield "no card changes"


def effects(
    ref: str,
    dossier: Dossier,
    files: Sequence[Path],
    early: Sequence[str],
    format_value: Callable[[object], str],
) -> Iterator[str]:
    """Yield what the changes do and what is sent, on one page: the sentences but those that stand there (`early`),
    claims that do not hold as they are written, lint, play, relatives and files. `shown` puts a claim's value in
    words."""
    same, speech = dossier.consistent, dossier.speech
    if dossier.claims:
        yield from (text for text in dossier.claims.sentences(speech) if text not in early)
        yield from counted(dossier)
        yield from _claims(dossier.claims, format_value)
        if dossier.claims.waiting or (same and same.claims and same.claims.waiting):
            yield f"ask them with: playproof errata {ref} --erratum {dossier.erratum.version} --within 0"
    yield "\nlint: " + ("nothing new" if not dossier.findings else "")
    yield from (f"  {finding}" for finding in dossier.findings)
    if dossier.played or dossier.ladder:
        yield speech.say("sampled")
    for each in dossier.played:
        yield from (
            speech.listed(who_plays(each, speech), [text]) for text in each.sentences(dossier.language)
        )
    yield from ladder(dossier)
    for ids, others in dossier.families:
        names = shorten_list(others, speech)
        yield speech.say("worded alike", id=", ".join(ids), others=names)
    yield from changed_too(dossier)
    yield from (speech.listed(speech.say("behind"), [text]) for text in left_behind(dossier))
    yield from replacement_lines(dossier)
    yield f"made     {files[0]} and {len(files) - 1} files beside it"


def _claims(claims: Comparison, format_value: Callable[[object], str]) -> Iterator[str]:
    """Yield the claims whose answer is another now, and those that do not hold, a line each."""
    before = {answer.id: answer for answer in claims.before}
    for now in claims.after:
        was = before.get(now.id)
        moved = was is not None and (was.verdict, was.value) != (now.verdict, now.value)
        if was is not None and moved:
            change = f"was {was.verdict.value} {format_value(was.value)}"
        else:
            change = "not asked of the old cards" if was is None else "as before"
        if (moved or now.verdict is not Verdict.PROVEN) and now.id not in claims.waiting:
            yield f"{now.verdict.value:<8} {now.id:<28} {format_value(now.value)}  ({change})"


def as_json(dossier: Dossier, files: Sequence[Path]) -> dict[str, Any]:
    """Return the shape of `errata --json`."""
    erratum = dossier.erratum
    return {
        "version": erratum.version,
        "date": erratum.date,
        "class": dossier.kind,
        "status": "proposed" if erratum.proposed else "issued",
        "note": erratum.note.text(dossier.language),
        "changes": [{"id": d.id, "what": words(d, dossier.speech)} for d in dossier.differences],
        "findings": [f.as_json() for f in dossier.findings],
        **(dossier.claims or Comparison((), ())).as_json(dossier.speech),
        "play": [each.as_json(dossier.language) for each in dossier.played],
        "ladder": [each.as_json() for each in dossier.ladder],
        "family": {ident: list(others) for ident, others in dossier.family.items()},
        "consistent": dossier.consistent.as_json(dossier.speech) if dossier.consistent else None,
        "left_behind": left_behind(dossier),
        "files": [str(file) for file in files],
    }

"""What `errata` tells at a terminal, line by line, and as JSON for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from playproof.database.patch import Erratum
from playproof.errata.changed_cards import card_id_and_title_of_difference, describe_card_difference
from playproof.errata.changed_rules import iter_changed_text_lines, iter_ruling_lines
from playproof.errata.comparison import ClaimComparison
from playproof.errata.dossier import ErratumDossier
from playproof.errata.page import (
    describe_change_on_relatives,
    describe_ladder_changes,
    describe_play_setting,
    describe_untranslated_changes,
    summarize_claim_counts,
)
from playproof.errata.replacement_text import iter_replacement_lines, join_names_shortened
from playproof.errata.speech import DossierLanguage
from playproof.errata.versions import ComponentDifference
from playproof.errata.words import format_message
from playproof.verifier.questions.verdicts import Verdict


def format_erratum_heading(erratum: Erratum, language: str) -> str:
    """Return an erratum's version, date and note in one line."""
    proposed = f", {format_message(language, 'proposed').lower()}" if erratum.proposed else ""
    return f"{erratum.version} ({erratum.date}{proposed}): {erratum.note.text(language)}"


def iter_change_lines(
    erratum: Erratum, differences: Sequence[ComponentDifference], speech: DossierLanguage
) -> Iterator[str]:
    """Yield what changes, card by card."""
    yield format_erratum_heading(erratum, speech.language)
    for difference in differences:
        yield f"\n{card_id_and_title_of_difference(difference, speech.language, speech.game)}"
        yield from (f"  {text}" for text in describe_card_difference(difference, speech))
    rules = [*iter_changed_text_lines(erratum, speech), *iter_ruling_lines(erratum, speech)]
    if rules:
        yield f"\n{speech.format_message('rules')}"
        yield from (f"  {text}" for text in rules)
    if not differences and not rules:
        yield "no card changes"


def iter_effect_lines(
    ref: str,
    dossier: ErratumDossier,
    files: Sequence[Path],
    already_printed: Sequence[str],
    format_value: Callable[[object], str],
) -> Iterator[str]:
    """Yield what the changes do and what is sent, on one page: the sentences but those that stand there (`early`),
    claims that do not hold as they are written, lint, play, relatives and files. `shown` puts a claim's value in
    words."""
    same, speech = dossier.consistent, dossier.speech
    if dossier.claims:
        yield from (text for text in dossier.claims.describe_changes(speech) if text not in already_printed)
        yield from summarize_claim_counts(dossier)
        yield from _iter_claim_lines(dossier.claims, format_value)
        if dossier.claims.waiting or (same and same.claims and same.claims.waiting):
            yield f"ask them with: playproof errata {ref} --erratum {dossier.erratum.version} --within 0"
    yield "\nlint: " + ("nothing new" if not dossier.findings else "")
    yield from (f"  {finding}" for finding in dossier.findings)
    if dossier.played or dossier.ladder:
        yield speech.format_message("sampled")
    for each in dossier.played:
        yield from (
            speech.format_labelled_list(describe_play_setting(each, speech), [text])
            for text in each.describe_differences(dossier.language)
        )
    yield from describe_ladder_changes(dossier)
    for ids, others in dossier.unchanged_relatives_by_group:
        names = join_names_shortened(others, speech)
        yield speech.format_message("worded alike", id=", ".join(ids), others=names)
    yield from describe_change_on_relatives(dossier)
    yield from (
        speech.format_labelled_list(speech.format_message("behind"), [text])
        for text in describe_untranslated_changes(dossier)
    )
    yield from iter_replacement_lines(dossier)
    yield f"made     {files[0]} and {len(files) - 1} files beside it"


def _iter_claim_lines(claims: ClaimComparison, format_value: Callable[[object], str]) -> Iterator[str]:
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


def dossier_summary_to_json(dossier: ErratumDossier, files: Sequence[Path]) -> dict[str, Any]:
    """Return the shape of `errata --json`."""
    erratum = dossier.erratum
    return {
        "version": erratum.version,
        "date": erratum.date,
        "class": dossier.kind,
        "status": "proposed" if erratum.proposed else "issued",
        "note": erratum.note.text(dossier.language),
        "changes": [
            {"id": d.id, "what": describe_card_difference(d, dossier.speech)} for d in dossier.differences
        ],
        "findings": [f.as_json() for f in dossier.findings],
        **(dossier.claims or ClaimComparison((), ())).as_json(dossier.speech),
        "earlier": list(dossier.claims.earlier) if dossier.claims else [],
        "play": [each.as_json(dossier.language) for each in dossier.played],
        "ladder": [each.as_json() for each in dossier.ladder],
        "family": {ident: list(others) for ident, others in dossier.unchanged_relatives_by_card.items()},
        "consistent": dossier.consistent.as_json(dossier.speech) if dossier.consistent else None,
        "left_behind": describe_untranslated_changes(dossier),
        "files": [str(file) for file in files],
    }

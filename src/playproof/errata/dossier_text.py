"""The dossier as text: Markdown to paste into a forum or a repository, lines at a terminal, and a summary
in JSON for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from playproof.database.lint_errata import diff_words
from playproof.database.patch import Change, Erratum
from playproof.errata.changes import (
    card_id_and_title_of_difference,
    describe_card_difference,
    describe_value_changes_not_in_texts,
    find_changed_rule_texts,
    iter_changed_text_lines,
    iter_ruling_lines,
)
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.dossier import (
    ErratumDossier,
    iter_replacement_lines,
    iter_replacement_sections,
    join_names_shortened,
)
from playproof.errata.dossier_language import DossierLanguage, format_message
from playproof.errata.dossier_page import (
    describe_change_on_relatives,
    describe_ladder_changes,
    describe_play_setting,
    describe_printing,
    describe_untranslated_changes,
    format_card_heading,
    iter_effect_sections,
    summarize_claim_counts,
)
from playproof.errata.versions import ComponentDifference
from playproof.referee.notation import strip_markup
from playproof.verifier.questions.verdicts import Verdict

# -- post ----------------------------------------------------------------------------------------------------
# The dossier as Markdown, to paste into a forum or a repository.


def render_dossier_markdown(dossier: ErratumDossier, folder: Path, files: Sequence[Path]) -> str:
    """Return the dossier as Markdown; `files` go with it in its folder."""
    return (
        "\n".join([*_iter_markdown_lines(dossier), *_iter_file_lines(dossier.language, folder, files)]) + "\n"
    )


def _iter_markdown_lines(dossier: ErratumDossier) -> Iterator[str]:
    erratum, language = dossier.erratum, dossier.language
    yield f"# {dossier.title}"
    proposed = f", {format_message(language, 'proposed').lower()}" if erratum.proposed else ""
    who = f". {format_message(language, 'who', name=erratum.authority.name)}" if erratum.authority else ""
    yield f"\n{erratum.date}. {format_message(language, dossier.kind)}{proposed}{who}.\n"
    yield f"> {erratum.note.text(language)}\n"
    if erratum.reason:
        yield f"{erratum.reason.text(language)}\n"
    yield f"## {format_message(language, 'changes')}\n"
    for difference in dossier.cards:
        yield from _iter_card_lines(difference, dossier)
    yield from _iter_rule_change_lines(dossier)
    if not dossier.cards and not find_changed_rule_texts(dossier.file_changes, dossier.speech):
        yield format_message(language, "none") + "\n"
    for title, texts in iter_replacement_sections(dossier):
        yield f"\n## {title}\n"
        if title == format_message(language, "tell"):
            yield from (f"{text}\n" for text in texts)
            yield from (f"* {describe_printing(printing, dossier.speech)}" for printing in erratum.printings)
        else:
            yield from (f"* {text}" for text in texts)
    for title, texts in iter_effect_sections(dossier):
        yield f"\n## {title}\n"
        yield from (f"* {text}" for text in texts)


def _iter_rule_change_lines(dossier: ErratumDossier) -> Iterator[str]:
    """Yield the texts and values of the rules that changed."""
    texts = find_changed_rule_texts(dossier.file_changes, dossier.speech)
    if texts:
        yield f"### {dossier.speech.format_message('rules')}\n"
        yield from (
            f"* {dossier.speech.format_labelled_list(text.where, [_mark_word_changes_markdown(text.old, text.new)])}"
            for text in texts
        )
        yield ""


def _mark_word_changes_markdown(old: object, new: object) -> str:
    """Return both texts in one, words that went struck out and words that came bold."""
    marks = {"same": "{}", "old": "~~{}~~", "new": "**{}**"}
    parts = diff_words(strip_markup(str(old or "")), strip_markup(str(new or "")))
    return " ".join(marks[part.kind].format(part.text) for part in parts)


def _iter_card_lines(difference: ComponentDifference, dossier: ErratumDossier) -> Iterator[str]:
    speech = dossier.speech
    yield f"### {format_card_heading(difference, dossier)}\n"
    for change in difference.texts:
        marked = _mark_word_changes_markdown(change.old, change.new)
        yield f"* {speech.format_labelled_list(speech.label_of_field(change.path, difference.new), [marked])}"
    yield from (f"* {text}" for text in describe_value_changes_not_in_texts(difference, speech))
    yield ""


def _iter_file_lines(language: str, folder: Path, files: Sequence[Path]) -> Iterator[str]:
    if files:
        yield f"\n## {format_message(language, 'files')}\n"
        names = (file.relative_to(folder) for file in files)
        parts = (name.name if name.parent == Path() else f"{name.parent.as_posix()}/" for name in names)
        yield from (f"* `{part}`" for part in dict.fromkeys(parts))


# -- telling -------------------------------------------------------------------------------------------------
# What `errata` tells at a terminal, line by line, and as JSON for scripts.


def format_erratum_heading(erratum: Erratum, language: str) -> str:
    """Return an erratum's version, date and note in one line."""
    proposed = f", {format_message(language, 'proposed').lower()}" if erratum.proposed else ""
    return f"{erratum.version} ({erratum.date}{proposed}): {erratum.note.text(language)}"


def iter_change_lines(
    erratum: Erratum,
    differences: Sequence[ComponentDifference],
    file_changes: Sequence[Change],
    speech: DossierLanguage,
) -> Iterator[str]:
    """Yield what changes, card by card, then in files."""
    yield format_erratum_heading(erratum, speech.language)
    for difference in differences:
        yield f"\n{card_id_and_title_of_difference(difference, speech.language, speech.game)}"
        yield from (f"  {text}" for text in describe_card_difference(difference, speech))
    rules = [*iter_changed_text_lines(file_changes, speech), *iter_ruling_lines(erratum, speech)]
    if rules:
        yield f"\n{speech.format_message('rules')}"
        yield from (f"  {text}" for text in rules)
    if not differences and not rules:
        yield speech.format_message("none")


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

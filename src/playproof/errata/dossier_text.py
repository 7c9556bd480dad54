"""The dossier as text: Markdown to paste into a forum or a repository, lines at a terminal, and a summary
in JSON for scripts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from playproof.database.lint_errata import list_runs_of_kept_and_changed_words
from playproof.database.patch import Change, Erratum
from playproof.errata.changes import (
    format_card_id_and_title_of_difference,
    iter_terminal_lines_of_changed_texts,
    iter_terminal_lines_of_ruling_outcomes,
    list_changed_card_texts_in_language,
    list_changed_texts_of_files,
    list_sentences_on_card_difference,
    list_sentences_on_value_changes_not_in_texts,
)
from playproof.errata.claim_comparison import ClaimComparison
from playproof.errata.dossier import (
    ErratumDossier,
    iter_terminal_lines_of_replacements,
    iter_titles_and_lines_of_replacements,
    join_names_or_first_half,
)
from playproof.errata.dossier_language import DossierLanguage, format_message
from playproof.errata.dossier_page import (
    describe_how_to_tell_printing,
    describe_same_change_on_similar_cards,
    describe_setting_and_bots_of_play,
    format_heading_with_kind_if_mixed,
    iter_titles_and_sentences_of_effects,
    list_sentences_on_claim_counts,
    list_sentences_on_ladder_rungs,
    list_sentences_on_untranslated_texts,
)
from playproof.errata.versions import ComponentDifference
from playproof.verifier.questions.verdicts import Verdict

# -- post ----------------------------------------------------------------------------------------------------
# The dossier as Markdown, to paste into a forum or a repository.


def render_dossier_markdown(dossier: ErratumDossier, post_folder: Path, files_in_folder: Sequence[Path]) -> str:
    """Return the dossier as Markdown; `files_in_folder` go with it in its folder."""
    return (
        "\n".join(
            [
                *_iter_markdown_lines(dossier),
                *_iter_markdown_lines_of_files(dossier.language, post_folder, files_in_folder),
            ]
        )
        + "\n"
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
        yield from _iter_markdown_lines_of_card(difference, dossier)
    yield from _iter_markdown_lines_of_rule_changes(dossier)
    if not dossier.cards and not list_changed_texts_of_files(dossier.file_changes, dossier.speech):
        yield format_message(language, "none") + "\n"
    for title, texts in iter_titles_and_lines_of_replacements(dossier):
        yield f"\n## {title}\n"
        if title == format_message(language, "tell"):
            yield from (f"{text}\n" for text in texts)
            yield from (
                f"* {describe_how_to_tell_printing(printing, dossier.speech)}" for printing in erratum.printings
            )
        else:
            yield from (f"* {text}" for text in texts)
    for title, texts in iter_titles_and_sentences_of_effects(dossier):
        yield f"\n## {title}\n"
        yield from (f"* {text}" for text in texts)


def _iter_markdown_lines_of_rule_changes(dossier: ErratumDossier) -> Iterator[str]:
    """Yield the texts and values of the rules that changed."""
    texts = list_changed_texts_of_files(dossier.file_changes, dossier.speech)
    if texts:
        yield f"### {dossier.speech.format_message('rules')}\n"
        for text in texts:
            merged = _merge_texts_marking_changes_markdown(text.old, text.new)
            yield f"* {dossier.speech.format_label_and_texts(text.where, [merged])}"
        yield ""


def _merge_texts_marking_changes_markdown(old_text: str, new_text: str) -> str:
    """Return both texts in one, words that went struck out and words that came bold."""
    marks = {"same": "{}", "old": "~~{}~~", "new": "**{}**"}
    parts = list_runs_of_kept_and_changed_words(old_text, new_text)
    return " ".join(marks[part.kind].format(part.text) for part in parts)


def _iter_markdown_lines_of_card(difference: ComponentDifference, dossier: ErratumDossier) -> Iterator[str]:
    speech = dossier.speech
    yield f"### {format_heading_with_kind_if_mixed(difference, dossier)}\n"
    for changed in list_changed_card_texts_in_language(difference, speech):
        marked = _merge_texts_marking_changes_markdown(changed.old, changed.new)
        yield f"* {speech.format_label_and_texts(changed.where, [marked])}"
    yield from (f"* {text}" for text in list_sentences_on_value_changes_not_in_texts(difference, speech))
    yield ""


def _iter_markdown_lines_of_files(language: str, post_folder: Path, files: Sequence[Path]) -> Iterator[str]:
    if files:
        yield f"\n## {format_message(language, 'files')}\n"
        names = (file.relative_to(post_folder) for file in files)
        parts = (name.name if name.parent == Path() else f"{name.parent.as_posix()}/" for name in names)
        yield from (f"* `{part}`" for part in dict.fromkeys(parts))


# -- terminal and JSON ---------------------------------------------------------------------------------------
# What `errata` tells at a terminal, line by line, and as JSON for scripts.


def format_erratum_version_date_and_note(erratum: Erratum, language: str) -> str:
    """Return an erratum's version, date and note in one line."""
    proposed = f", {format_message(language, 'proposed').lower()}" if erratum.proposed else ""
    return f"{erratum.version} ({erratum.date}{proposed}): {erratum.note.text(language)}"


def iter_terminal_lines_of_changes(
    erratum: Erratum,
    differences: Sequence[ComponentDifference],
    file_changes: Sequence[Change],
    dossier_language: DossierLanguage,
) -> Iterator[str]:
    """Yield what changes, card by card, then in files."""
    yield format_erratum_version_date_and_note(erratum, dossier_language.language)
    for difference in differences:
        yield (
            f"\n{format_card_id_and_title_of_difference(difference, dossier_language.language, dossier_language.game)}"
        )
        yield from (f"  {text}" for text in list_sentences_on_card_difference(difference, dossier_language))
    rules = [
        *iter_terminal_lines_of_changed_texts(file_changes, dossier_language),
        *iter_terminal_lines_of_ruling_outcomes(erratum, dossier_language),
    ]
    if rules:
        yield f"\n{dossier_language.format_message('rules')}"
        yield from (f"  {text}" for text in rules)
    if not differences and not rules:
        yield dossier_language.format_message("none")


def iter_lines_of_effects_and_files(
    game_ref: str,
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
        yield from (
            text for text in dossier.claims.list_sentences_on_changed_answers(speech) if text not in already_printed
        )
        yield from list_sentences_on_claim_counts(dossier)
        yield from _iter_terminal_lines_of_changed_or_unproven_answers(dossier.claims, format_value)
        if dossier.claims.waiting or (same and same.claims and same.claims.waiting):
            yield f"ask them with: playproof errata {game_ref} --erratum {dossier.erratum.version} --within 0"
    yield "\nlint: " + ("nothing new" if not dossier.findings else "")
    yield from (f"  {finding}" for finding in dossier.findings)
    if dossier.played or dossier.ladder:
        yield speech.format_message("sampled")
    for each in dossier.played:
        yield from (
            speech.format_label_and_texts(describe_setting_and_bots_of_play(each, speech), [text])
            for text in each.describe_differing_figures_or_no_difference(dossier.language)
        )
    yield from list_sentences_on_ladder_rungs(dossier)
    for ids, others in dossier.unchanged_relatives_by_group:
        names = join_names_or_first_half(others, speech)
        yield speech.format_message("worded alike", id=", ".join(ids), others=names)
    yield from describe_same_change_on_similar_cards(dossier)
    yield from (
        speech.format_label_and_texts(speech.format_message("behind"), [text])
        for text in list_sentences_on_untranslated_texts(dossier)
    )
    yield from iter_terminal_lines_of_replacements(dossier)
    yield f"made     {files[0]} and {len(files) - 1} files beside it"


def _iter_terminal_lines_of_changed_or_unproven_answers(
    claims: ClaimComparison, format_value: Callable[[object], str]
) -> Iterator[str]:
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


def dossier_to_json_of_errata_command(dossier: ErratumDossier, files: Sequence[Path]) -> dict[str, Any]:
    """Return the shape of `errata --json`."""
    erratum = dossier.erratum
    return {
        "version": erratum.version,
        "date": erratum.date,
        "class": dossier.kind,
        "status": "proposed" if erratum.proposed else "issued",
        "note": erratum.note.text(dossier.language),
        "changes": [
            {"id": d.id, "what": list_sentences_on_card_difference(d, dossier.speech)} for d in dossier.differences
        ],
        "findings": [f.as_json() for f in dossier.findings],
        **(dossier.claims or ClaimComparison((), ())).as_json(dossier.speech),
        "earlier": list(dossier.claims.earlier) if dossier.claims else [],
        "play": [each.as_json(dossier.language) for each in dossier.played],
        "ladder": [each.as_json() for each in dossier.ladder],
        "family": {ident: list(others) for ident, others in dossier.unchanged_relatives_by_card.items()},
        "consistent": dossier.consistent.as_json(dossier.speech) if dossier.consistent else None,
        "left_behind": list_sentences_on_untranslated_texts(dossier),
        "files": [str(file) for file in files],
    }

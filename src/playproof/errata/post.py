"""The dossier as Markdown, to paste into a forum or a repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from playproof.database.word_changes import diff_words
from playproof.errata.changed_cards import describe_value_changes_not_in_texts
from playproof.errata.changed_rules import find_changed_rule_texts
from playproof.errata.dossier import ErratumDossier
from playproof.errata.page import describe_printing, format_card_heading, iter_effect_sections
from playproof.errata.replacement_text import iter_replacement_sections
from playproof.errata.versions import ComponentDifference
from playproof.errata.words import format_message
from playproof.referee.card_text import strip_markup


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

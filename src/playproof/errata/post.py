"""The dossier as Markdown, to paste into a forum or a repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from playproof.database.word_changes import marked_words
from playproof.errata.changed_cards import unmentioned
from playproof.errata.changed_rules import changed_texts
from playproof.errata.dossier import Dossier
from playproof.errata.page import card_heading, sections, told_by
from playproof.errata.replacement_text import replacement_sections
from playproof.errata.versions import Difference
from playproof.errata.words import say
from playproof.referee.card_text import unmarked


def post(dossier: Dossier, folder: Path, files: Sequence[Path]) -> str:
    """Return the dossier as Markdown; `files` go with it in its folder."""
    return "\n".join([*_lines(dossier), *_files(dossier.language, folder, files)]) + "\n"


def _lines(dossier: Dossier) -> Iterator[str]:
    erratum, language = dossier.erratum, dossier.language
    yield f"# {dossier.title}"
    proposed = f", {say(language, 'proposed').lower()}" if erratum.proposed else ""
    who = f". {say(language, 'who', name=erratum.authority.name)}" if erratum.authority else ""
    yield f"\n{erratum.date}. {say(language, dossier.kind)}{proposed}{who}.\n"
    yield f"> {erratum.note.text(language)}\n"
    if erratum.reason:
        yield f"{erratum.reason.text(language)}\n"
    yield f"## {say(language, 'changes')}\n"
    for difference in dossier.cards:
        yield from _card(difference, dossier)
    yield from _rules(dossier)
    if not dossier.cards and not changed_texts(erratum, dossier.speech):
        yield say(language, "none") + "\n"
    for title, texts in replacement_sections(dossier):
        yield f"\n## {title}\n"
        if title == say(language, "tell"):
            yield from (f"{text}\n" for text in texts)
            yield from (f"* {told_by(printing, dossier.speech)}" for printing in erratum.printings)
        else:
            yield from (f"* {text}" for text in texts)
    for title, texts in sections(dossier):
        yield f"\n## {title}\n"
        yield from (f"* {text}" for text in texts)


def _rules(dossier: Dossier) -> Iterator[str]:
    """Yield the texts and values of the rules that changed."""
    texts = changed_texts(dossier.erratum, dossier.speech)
    if texts:
        yield f"### {dossier.speech.say('rules')}\n"
        yield from (f"* {dossier.speech.listed(text.where, [_mark(text.old, text.new)])}" for text in texts)
        yield ""


def _mark(old: object, new: object) -> str:
    """Return both texts in one, words that went struck out and words that came bold."""
    marks = {"same": "{}", "old": "~~{}~~", "new": "**{}**"}
    parts = marked_words(unmarked(str(old or "")), unmarked(str(new or "")))
    return " ".join(marks[part.kind].format(part.text) for part in parts)


def _card(difference: Difference, dossier: Dossier) -> Iterator[str]:
    speech = dossier.speech
    yield f"### {card_heading(difference, dossier)}\n"
    for change in difference.texts:
        marked = _mark(change.old, change.new)
        yield f"* {speech.listed(speech.label(change.path, difference.new), [marked])}"
    yield from (f"* {text}" for text in unmentioned(difference, speech))
    yield ""


def _files(language: str, folder: Path, files: Sequence[Path]) -> Iterator[str]:
    if files:
        yield f"\n## {say(language, 'files')}\n"
        names = (file.relative_to(folder) for file in files)
        parts = (name.name if name.parent == Path() else f"{name.parent.as_posix()}/" for name in names)
        yield from (f"* `{part}`" for part in dict.fromkeys(parts))

"""The dossier as Markdown, to paste into a forum or a repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from playproof.database.files import sha256_of
from playproof.errata.changed_cards import called, unmentioned
from playproof.errata.dossier import Dossier
from playproof.errata.page import sections, told_by
from playproof.errata.speech import Speech
from playproof.errata.versions import Difference
from playproof.errata.word_changes import marked_words
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
    for difference in dossier.differences:
        yield from _card(difference, dossier.speech)
    if not dossier.differences:
        yield say(language, "none") + "\n"
    yield f"## {say(language, 'tell')}\n\n{say(language, 'mark', mark=dossier.mark)}\n"
    for printing in erratum.printings:
        yield f"* {told_by(printing, dossier.speech)}"
    if dossier.removed:
        yield f"\n## {say(language, 'remove')}\n"
        yield from (f"* {say(language, 'copy', count=count)} {name}" for name, count in dossier.removed)
        if dossier.replaced:
            yield f"\n{say(language, 'put')}"
    for title, texts in sections(dossier):
        yield f"\n## {title}\n"
        yield from (f"* {text}" for text in texts)


def _card(difference: Difference, speech: Speech) -> Iterator[str]:
    yield f"### {called(difference, speech.language, speech.game)}\n"
    for change in difference.texts:
        marks = {"same": "{}", "old": "~~{}~~", "new": "**{}**"}
        parts = marked_words(unmarked(str(change.old or "")), unmarked(str(change.new or "")))
        marked = " ".join(marks[part.kind].format(part.text) for part in parts)
        yield f"* {speech.listed(speech.label(change.path, difference.new), [marked])}"
    yield from (f"* {text}" for text in unmentioned(difference, speech))
    yield ""


def _files(language: str, folder: Path, files: Sequence[Path]) -> Iterator[str]:
    if files:
        yield f"\n## {say(language, 'files')}\n"
        yield from (f"* `{file.relative_to(folder).as_posix()}` sha256 `{sha256_of(file)}`" for file in files)

"""What an erratum changes beside components, in words: numbers, rules, sentences of chapters, and rulings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from playproof.database.patch import Change, Erratum
from playproof.database.patch_targets import FILES
from playproof.database.sheet_cells import format_flow_yaml
from playproof.database.source import YamlNode
from playproof.errata.speech import DossierLanguage


class ChangedText(NamedTuple):
    """A text or value of a file: what it is called, and what it was and is."""

    where: str
    old: str
    new: str


def find_changed_rule_texts(erratum: Erratum, speech: DossierLanguage) -> list[ChangedText]:
    """Return the texts and values of files that an erratum changes, but those of other languages."""
    return [
        ChangedText(
            _describe_change_location(change, speech),
            *(_format_value(node, speech) for node in (change.old, change.new)),
        )
        for change in erratum.changes
        if change.file and _is_change_in_language(change, speech)
    ]


def _is_change_in_language(change: Change, speech: DossierLanguage) -> bool:
    """Return whether a change is of a language, or of none."""
    languages = speech.game.languages if speech.game else ()
    if change.file in FILES:
        last = change.path[-1]
        return last not in languages or last == speech.language
    _, *between, _ = PurePosixPath(change.file).parts
    return (between[0] if between else "en") == speech.language


def _describe_change_location(change: Change, speech: DossierLanguage) -> str:
    """Return what a reader calls a place: a rule by its id, a number by its name, a chapter by its file."""
    if change.file not in FILES:
        return speech.format_message("chapter", name=PurePosixPath(change.file).stem)
    path = [key for key in change.path if key != speech.language]
    if change.file == "rulebook" and path[0] in ("rules", "rulings") and len(path) > 1:
        path = [key for key in path[1:] if key != "text"]
    name = " ".join(path)
    return name if len(path) == 1 and path[0][:1].isupper() else speech.quote_name_from_file(name)


def _format_value(node: YamlNode | None, speech: DossierLanguage) -> str:
    """Return a value as text; of one in several languages, that of the reader."""
    if node is None:
        return ""
    own = node.get(speech.language) if isinstance(node.value, Mapping) else None
    node = own or node
    return " ".join(node.value.split()) if isinstance(node.value, str) else format_flow_yaml(node.data)


def iter_changed_text_lines(erratum: Erratum, speech: DossierLanguage) -> Iterator[str]:
    """Yield a line for each text or value."""
    for text in find_changed_rule_texts(erratum, speech):
        key = "line" if text.new else "without"
        old, new = (side or speech.format_message("nothing") for side in (text.old, text.new))
        yield speech.format_message(key, where=text.where, now=new, before=old)


def iter_ruling_lines(erratum: Erratum, speech: DossierLanguage) -> Iterator[str]:
    """Yield what becomes of each ruling, with the question and why."""
    fates = {"stays": "stays", "falls": "falls", "changes": "becomes"}
    for fate in erratum.rulings:
        ruling = speech.game.rulings.get(fate.id) if speech.game else None
        question = f" {ruling.words.text(speech.language)}" if ruling else ""
        why = f". {fate.why.text(speech.language)}" if fate.why else ""
        becomes = speech.format_message(fates[fate.becomes])
        yield f"{speech.format_labelled_list(f'{fate.id}{question}', [becomes])}{why}"

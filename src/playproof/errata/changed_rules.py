"""What an erratum changes beside components, in words: numbers, rules, sentences of chapters, and rulings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from playproof.database.patch import Change, Erratum
from playproof.database.patch_targets import FILES
from playproof.database.sheet_cells import flow
from playproof.database.source import Node
from playproof.errata.speech import Speech


class ChangedText(NamedTuple):
    """A text or value of a file: what it is called, and what it was and is."""

    where: str
    old: str
    new: str


def changed_texts(erratum: Erratum, speech: Speech) -> list[ChangedText]:
    """Return the texts and values of files that an erratum changes, but those of other languages."""
    return [
        ChangedText(
            _name_place(change, speech), *(_format_value(node, speech) for node in (change.old, change.new))
        )
        for change in erratum.changes
        if change.file and _is_for(change, speech)
    ]


def _is_for(change: Change, speech: Speech) -> bool:
    """Return whether a change is of a language, or of none."""
    languages = speech.game.languages if speech.game else ()
    if change.file in FILES:
        last = change.path[-1]
        return last not in languages or last == speech.language
    _, *between, _ = PurePosixPath(change.file).parts
    return (between[0] if between else "en") == speech.language


def _name_place(change: Change, speech: Speech) -> str:
    """Return what a reader calls a place: a rule by its id, a number by its name, a chapter by its file."""
    if change.file not in FILES:
        return speech.say("chapter", name=PurePosixPath(change.file).stem)
    path = [key for key in change.path if key != speech.language]
    if change.file == "rulebook" and path[0] in ("rules", "rulings") and len(path) > 1:
        path = [key for key in path[1:] if key != "text"]
    name = " ".join(path)
    return name if len(path) == 1 and path[0][:1].isupper() else speech.as_written(name)


def _format_value(node: Node | None, speech: Speech) -> str:
    """Return a value as text; of one in several languages, that of the reader."""
    if node is None:
        return ""
    own = node.get(speech.language) if isinstance(node.value, Mapping) else None
    node = own or node
    return " ".join(node.value.split()) if isinstance(node.value, str) else flow(node.data)


def tell_changed_texts(erratum: Erratum, speech: Speech) -> Iterator[str]:
    """Yield a line for each text or value."""
    for text in changed_texts(erratum, speech):
        key = "line" if text.new else "without"
        old, new = (side or speech.say("nothing") for side in (text.old, text.new))
        yield speech.say(key, where=text.where, now=new, before=old)


def tell_rulings(erratum: Erratum, speech: Speech) -> Iterator[str]:
    """Yield what becomes of each ruling, with the question and why."""
    fates = {"stays": "stays", "falls": "falls", "changes": "becomes"}
    for fate in erratum.rulings:
        ruling = speech.game.rulings.get(fate.id) if speech.game else None
        question = f" {ruling.words.text(speech.language)}" if ruling else ""
        why = f". {fate.why.text(speech.language)}" if fate.why else ""
        yield f"{speech.listed(f'{fate.id}{question}', [speech.say(fates[fate.becomes])])}{why}"

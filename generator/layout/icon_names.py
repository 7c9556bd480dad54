"""The name of each icon as text, so that "2 Food" can be searched, copied and read aloud."""

from __future__ import annotations

from collections.abc import Mapping

from playproof.database.effect_text import pick_language
from playproof.database.vocabulary import Vocabulary
from playproof.generator.type.markup import Run, find_unusual_icon_names, parse_markup

NAME = 4  # words; a longer note on an icon explains it and does not name it


def build_icon_names(vocabulary: Vocabulary, language: str) -> Mapping[str, str]:
    """Return the name of every icon the game knows, in the order of its vocabulary: its term's, else its
    note's, else that of its file.

    An icon that stands for several terms with different names takes none of their names.
    """
    names: dict[str, set[str]] = {}
    for group in vocabulary.terms.values():
        for term in group.values():
            names.setdefault(term.icon, set()).add(term.name(language))
    notes = {icon: pick_language(note, language) for icon, note in vocabulary.spec.icons.items()}
    return {
        icon: _choose_icon_name(icon, names.get(icon, set()), notes.get(icon, "")) for icon in (names | notes)
    }


def to_spoken_text(text: str, names: Mapping[str, str]) -> str:
    """Return a text as it is read aloud, without marks.

    >>> to_spoken_text("pay **2** :food:", {"food": "Food"})
    'pay 2 Food'
    """
    runs = [run for paragraph in parse_markup(text, find_unusual_icon_names(names)) for run in paragraph.runs]
    return "".join(run.text if isinstance(run, Run) else names.get(run.name, run.name) for run in runs)


def _choose_icon_name(icon: str, terms: set[str], note: str) -> str:
    if len(terms) == 1:
        return next(iter(terms))
    if note and len(note.split()) <= NAME:
        return note
    return icon.replace("-", " ")

"""The names of icons as text, so that they can be searched, copied and read aloud, and are not heard twice
where the words beside them say them too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from playproof.database.effect_text import pick_language
from playproof.database.vocabulary import Vocabulary
from playproof.generator.scene import Glyphs, Group, Node, Symbol, Use
from playproof.generator.type.markup import Run, find_unusual_icon_names, parse_markup

# -- doubled names -------------------------------------------------------------------------------------------
# Names of icons that stand beside them in words too: whoever listens shall hear "Lava Golem" once.

ENDING = 2  # letters that a word may have more than the name: Golem, Golems
LONG = 4  # letters of a name that may have such an ending
_BEFORE = re.compile(r"^[\W_]+")
_AFTER = re.compile(r"[\W_]+$")


class _SpokenItem(NamedTuple):
    """What a node says: a line of type, or an icon its name."""

    text: str
    is_icon: bool


def remove_doubled_icon_names(nodes: Sequence[Node], *, whole_lines: bool = False) -> tuple[Node, ...]:
    """Return the nodes, in which no icon says what the words beside it say.

    In a text these words begin or end with the name. With ``whole_lines``, for the elements of a face, they are the
    name and nothing else: beside other words it may tell what the icon costs or gives.
    """
    if not any(isinstance(node, Use | Group) for node in nodes):
        return tuple(nodes)  # most texts have no icon
    said = list(_iter_spoken_items(nodes))
    silent = [each.is_icon and _is_doubled_name(said, at, whole_lines) for at, each in enumerate(said)]
    if not any(silent):
        return tuple(nodes)
    return tuple(_iter_silenced_nodes(nodes, iter(silent)))


def remove_explained_icon_name(nodes: tuple[Node, ...], words: Sequence[Node]) -> tuple[Node, ...]:
    """Return the nodes of a cell of a table. If all they say is the name of one icon, and the words of the next cell
    begin with it, they say nothing."""
    said = [each for each in _iter_spoken_items(nodes) if each.text]
    if len(said) != 1 or not said[0].is_icon:
        return nodes
    beside = [*said, *_iter_spoken_items(words)]
    explained = _begins_with_name(
        _BEFORE.sub("", _join_words_until_icon(beside[1:], len(said[0].text))), said[0].text.casefold()
    )
    return (
        tuple(_iter_silenced_nodes(nodes, iter([True] * len(list(_iter_spoken_items(nodes))))))
        if explained
        else nodes
    )


def _iter_spoken_items(nodes: Sequence[Node]) -> Iterator[_SpokenItem]:
    """Yield what the nodes say in their order: one item for each line, icon and other picture."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield _SpokenItem(node.text, False)
        elif isinstance(node, Group):
            yield from _iter_spoken_items(node.children)
        elif isinstance(node, Use):
            yield (
                _SpokenItem(node.says.text, True)
                if node.says is not None
                else _SpokenItem(_get_symbol_words(node.symbol), False)
            )


@lru_cache(maxsize=4096)
def _get_symbol_words(symbol: Symbol) -> str:
    """Return the words of what cards share, such as a frame with its title."""
    if symbol.picture:
        return ""
    return " ".join(each.text for each in _iter_spoken_items(symbol.children) if each.text)


def _iter_silenced_nodes(nodes: Sequence[Node], silent: Iterator[bool]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, Group):
            yield node._replace(children=tuple(_iter_silenced_nodes(node.children, silent)))
        elif isinstance(node, Glyphs):
            next(silent)
            yield node
        elif isinstance(node, Use):
            yield node._replace(says=None) if next(silent) else node
        else:
            yield node


def _is_doubled_name(said: Sequence[_SpokenItem], at: int, whole_lines: bool) -> bool:
    name = said[at].text.casefold()
    if whole_lines:
        beside = (
            _find_next_spoken_line(said[at + 1 :], name),
            _find_next_spoken_line(said[at - 1 :: -1] if at else (), name),
        )
        return any(_AFTER.sub("", _BEFORE.sub("", text.casefold())) == name for text in beside)
    after = _BEFORE.sub("", _join_words_until_icon(said[at + 1 :], len(name)))
    before = _AFTER.sub(
        "", _join_words_until_icon(said[at - 1 :: -1] if at else (), len(name), backwards=True)
    )
    return _begins_with_name(after, name) or _ends_with_name(before, name)


def _find_next_spoken_line(said: Sequence[_SpokenItem], name: str) -> str:
    """Return the next line that says anything, "" if an icon of another name comes before it."""
    for each in said:
        if each.text and not (each.is_icon and each.text.casefold() == name):
            return "" if each.is_icon else each.text
    return ""


def _join_words_until_icon(said: Sequence[_SpokenItem], length: int, backwards: bool = False) -> str:
    """Return the words up to the next icon, at least so many letters of them if there are."""
    words = ""
    for each in said:
        if each.is_icon or len(words) > length + 2 * ENDING:
            break
        text = each.text.casefold()
        words = f"{text} {words}" if backwards else f"{words} {text}"
    return words


def _begins_with_name(words: str, name: str) -> bool:
    if not words.startswith(name):
        return False
    more = re.match(r"\w*", words[len(name) :])
    assert more is not None  # it matches nothing too
    return len(more[0]) <= (ENDING if len(name) >= LONG else 0)


def _ends_with_name(words: str, name: str) -> bool:
    return words.endswith(name) and not words[: -len(name)][-1:].isalnum()


# The name of each icon as text, so that "2 Food" can be searched, copied and read aloud.

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

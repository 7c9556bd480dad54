"""The names of icons as text, so that they can be searched, copied and read aloud, and are not heard twice
where the words beside them say them too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from playproof.database.effect_text import get_text_or_english_or_first
from playproof.database.vocabulary import Vocabulary
from playproof.generator.scene import Glyphs, Group, Node, Symbol, Use
from playproof.generator.type.markup import Run, parse_markup_to_paragraphs, select_icon_names_with_unusual_characters

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


def remove_icon_names_said_by_text_beside(nodes: Sequence[Node], *, whole_lines: bool = False) -> tuple[Node, ...]:
    """Return the nodes, in which no icon says what the words beside it say.

    In a text these words begin or end with the name. With ``whole_lines``, for the elements of a face, they are the
    name and nothing else: beside other words it may tell what the icon costs or gives.
    """
    if not any(isinstance(node, Use | Group) for node in nodes):
        return tuple(nodes)  # most texts have no icon
    said = list(_iter_texts_and_icons_read_aloud(nodes))
    silent = [each.is_icon and _is_icon_name_said_beside(said, at, whole_lines) for at, each in enumerate(said)]
    if not any(silent):
        return tuple(nodes)
    return tuple(_iter_nodes_without_flagged_icon_names(nodes, iter(silent)))


def remove_icon_name_repeated_in_next_cell(
    cell_nodes: tuple[Node, ...], next_cell_nodes: Sequence[Node]
) -> tuple[Node, ...]:
    """Return the nodes of a cell of a table. If all they say is the name of one icon, and the words of the next cell
    begin with it, they say nothing."""
    said = [each for each in _iter_texts_and_icons_read_aloud(cell_nodes) if each.text]
    if len(said) != 1 or not said[0].is_icon:
        return cell_nodes
    beside = [*said, *_iter_texts_and_icons_read_aloud(next_cell_nodes)]
    explained = _begins_with_name_or_inflected_name(
        _BEFORE.sub("", _join_words_until_icon(beside[1:], len(said[0].text))), said[0].text.casefold()
    )
    return (
        tuple(
            _iter_nodes_without_flagged_icon_names(
                cell_nodes, iter([True] * len(list(_iter_texts_and_icons_read_aloud(cell_nodes))))
            )
        )
        if explained
        else cell_nodes
    )


def _iter_texts_and_icons_read_aloud(nodes: Sequence[Node]) -> Iterator[_SpokenItem]:
    """Yield what the nodes say in their order: one item for each line, icon and other picture."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield _SpokenItem(node.text, False)
        elif isinstance(node, Group):
            yield from _iter_texts_and_icons_read_aloud(node.children)
        elif isinstance(node, Use):
            yield (
                _SpokenItem(node.says.text, True)
                if node.says is not None
                else _SpokenItem(_join_spoken_words_inside_symbol(node.symbol), False)
            )


@lru_cache(maxsize=4096)
def _join_spoken_words_inside_symbol(symbol: Symbol) -> str:
    """Return the words of what cards share, such as a frame with its title."""
    if symbol.picture:
        return ""
    return " ".join(each.text for each in _iter_texts_and_icons_read_aloud(symbol.children) if each.text)


def _iter_nodes_without_flagged_icon_names(nodes: Sequence[Node], silent_flags: Iterator[bool]) -> Iterator[Node]:
    for node in nodes:
        if isinstance(node, Group):
            yield node._replace(children=tuple(_iter_nodes_without_flagged_icon_names(node.children, silent_flags)))
        elif isinstance(node, Glyphs):
            next(silent_flags)
            yield node
        elif isinstance(node, Use):
            yield node._replace(says=None) if next(silent_flags) else node
        else:
            yield node


def _is_icon_name_said_beside(spoken_items: Sequence[_SpokenItem], icon_index: int, whole_lines: bool) -> bool:
    name = spoken_items[icon_index].text.casefold()
    if whole_lines:
        beside = (
            _get_next_text_or_empty_at_other_icon(spoken_items[icon_index + 1 :], name),
            _get_next_text_or_empty_at_other_icon(spoken_items[icon_index - 1 :: -1] if icon_index else (), name),
        )
        return any(_AFTER.sub("", _BEFORE.sub("", text.casefold())) == name for text in beside)
    after = _BEFORE.sub("", _join_words_until_icon(spoken_items[icon_index + 1 :], len(name)))
    before = _AFTER.sub(
        "", _join_words_until_icon(spoken_items[icon_index - 1 :: -1] if icon_index else (), len(name), backwards=True)
    )
    return _begins_with_name_or_inflected_name(after, name) or _ends_with_name(before, name)


def _get_next_text_or_empty_at_other_icon(spoken_items: Sequence[_SpokenItem], name: str) -> str:
    """Return the next line that says anything, "" if an icon of another name comes before it."""
    for each in spoken_items:
        if each.text and not (each.is_icon and each.text.casefold() == name):
            return "" if each.is_icon else each.text
    return ""


def _join_words_until_icon(spoken_items: Sequence[_SpokenItem], least_letters: int, backwards: bool = False) -> str:
    """Return the words up to the next icon, at least so many letters of them if there are."""
    words = ""
    for each in spoken_items:
        if each.is_icon or len(words) > least_letters + 2 * ENDING:
            break
        text = each.text.casefold()
        words = f"{text} {words}" if backwards else f"{words} {text}"
    return words


def _begins_with_name_or_inflected_name(words: str, name: str) -> bool:
    if not words.startswith(name):
        return False
    more = re.match(r"\w*", words[len(name) :])
    assert more is not None  # it matches nothing too
    return len(more[0]) <= (ENDING if len(name) >= LONG else 0)


def _ends_with_name(words: str, name: str) -> bool:
    return words.endswith(name) and not words[: -len(name)][-1:].isalnum()


# The name of each icon as text, so that "2 Food" can be searched, copied and read aloud.

NAME = 4  # words; a longer note on an icon explains it and does not name it


def build_spoken_names_by_icon(vocabulary: Vocabulary, language: str) -> Mapping[str, str]:
    """Return the name of every icon the game knows, in the order of its vocabulary: its term's, else its
    note's, else that of its file.

    An icon that stands for several terms with different names takes none of their names.
    """
    names: dict[str, set[str]] = {}
    for group in vocabulary.terms.values():
        for term in group.values():
            names.setdefault(term.icon, set()).add(term.name(language))
    notes = {icon: get_text_or_english_or_first(note, language) for icon, note in vocabulary.spec.icons.items()}
    return {
        icon: _choose_icon_name_of_term_note_or_file(icon, names.get(icon, set()), notes.get(icon, ""))
        for icon in (names | notes)
    }


def format_text_as_read_aloud(text: str, icon_names: Mapping[str, str]) -> str:
    """Return a text as it is read aloud, without marks.

    >>> format_text_as_read_aloud("pay **2** :food:", {"food": "Food"})
    'pay 2 Food'
    """
    runs = [
        run
        for paragraph in parse_markup_to_paragraphs(text, select_icon_names_with_unusual_characters(icon_names))
        for run in paragraph.runs
    ]
    return "".join(run.text if isinstance(run, Run) else icon_names.get(run.name, run.name) for run in runs)


def _choose_icon_name_of_term_note_or_file(icon: str, term_names: set[str], note: str) -> str:
    if len(term_names) == 1:
        return next(iter(term_names))
    if note and len(note.split()) <= NAME:
        return note
    return icon.replace("-", " ")

"""The table at one moment, as one seat sees it: surfaces, the pieces on them, spots; which of them an
action names, and what it does in the words that they print.

All values are immutable, in millimetres from the top left corner. Nothing here knows how it is
drawn.

Which pieces and spots an action names: those whose words are in the words of the action.

    "play Cracked Idol"         the card of that name
    "excavate blue 1a"          the site of that name, and what lies there

So the actions of a game need no second description for the mouse: their words say where they take
place."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from playproof.database.components import Component, Effect, Either, Option, Words
from playproof.language import Move
from playproof.referee.notation import iter_printed_effects, strip_markup
from playproof.referee.variant import Variant

# The table at one moment, as one seat sees it: surfaces, the pieces on them, spots that actions may name.

Crop = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Picture:
    """One printed face: a component, its side, and the shown part of it (x, y, width, height in
    mm)."""

    component: str
    side: str = "front"
    crop: Crop | None = None


@dataclass(frozen=True, slots=True)
class Surface:
    """A printed board, mat or sheet on the table, a bare place for piles, or a hand. A bare place
    has no picture.

    `seat` is its owner, None for all. `x` and `y` are on the table, in mm.
    """

    key: str
    title: str
    x: float
    y: float
    width: float
    height: float
    picture: Picture | None = None
    seat: int | None = None
    hand: bool = False


@dataclass(frozen=True, slots=True)
class TablePiece:
    """Something printed that lies on a surface. `x` and `y` are its middle on the surface, `turn`
    is in clockwise degrees.

    `key` stays the same while the piece moves. `count` is how many lie here as one (0: not known).
    `words` are its names in actions. `shows` names the fields of the rules that put it here.
    """

    key: str
    surface: str
    picture: Picture
    name: str
    x: float
    y: float
    width: float
    height: float
    turn: float = 0.0
    count: int | None = None
    words: tuple[str, ...] = ()
    shows: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spot:
    """A place on a surface that actions name, empty or not: a box in mm of the surface."""

    key: str
    surface: str
    name: str
    x: float
    y: float
    width: float
    height: float
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Score:
    """A seat's score: `3 points`."""

    seat: int
    title: str
    value: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The whole table. `width` and `height` are in mm. The pieces are in drawing order."""

    width: float
    height: float
    surfaces: tuple[Surface, ...]
    pieces: tuple[TablePiece, ...]
    spots: tuple[Spot, ...]
    scores: tuple[Score, ...] = ()

    def list_pieces_on(self, surface: Surface) -> tuple[TablePiece, ...]:
        """Return the pieces on a surface, from below to above."""
        return tuple(piece for piece in self.pieces if piece.surface == surface.key)

    def list_spots_on(self, surface: Surface) -> tuple[Spot, ...]:
        """Return the named places of a surface."""
        return tuple(spot for spot in self.spots if spot.surface == surface.key)


# -- action targets ------------------------------------------------------------------------------------------
# Which pieces and spots an action names: those whose words are in the words of the action.

_BREAK = re.compile(r"[^\w]+")


def find_action_targets(scene: Scene, moves: Sequence[Move]) -> dict[int, tuple[str, ...]]:
    """Return for each action (by number) the keys of the pieces and spots that it names, in the
    order of the table."""
    keys = index_phrases(scene)
    named: dict[int, tuple[str, ...]] = {}
    for move in moves:
        text = normalize_words(move.text)
        in_order = (key for phrase, things_named in keys.items() if phrase in text for key in things_named)
        named[move.ident] = tuple(dict.fromkeys(in_order))
    return named


def index_phrases(scene: Scene) -> dict[str, list[str]]:
    """Return each phrase that an action may contain, with the keys of the things that it names."""
    keys: dict[str, list[str]] = defaultdict(list)
    for thing in list_pieces_and_spots(scene):
        for words in thing.words:
            phrase = normalize_words(words)
            if len(phrase) > 3:
                keys[phrase].append(thing.key)
    return keys


def list_pieces_and_spots(scene: Scene) -> list[TablePiece | Spot]:
    """Return everything that an action may name."""
    return [*scene.pieces, *scene.spots]


def get_words_of_key(scene: Scene, key: str) -> tuple[str, ...]:
    """Return the words of the piece or spot with this key; empty if there is none."""
    for thing in list_pieces_and_spots(scene):
        if thing.key == key:
            return thing.words
    return ()


@lru_cache(maxsize=20_000)
def normalize_words(text: str) -> str:
    """Return words in small letters with one space around each, so that a search finds only whole
    words.

    >>> normalize_words("Go up, on the LEFT")
    ' go up on the left '
    """
    return f" {_BREAK.sub(' ', text.casefold()).strip()} "


# -- card words ----------------------------------------------------------------------------------------------
# What faces say: whether one prints words worth reading, and what a choice does, in the words that the
# things which it names print, or else in those of its rules.

_NAMES = frozenset({"title", "flavour", "name"})
"""Fields whose words say what a thing is called, and not what it does."""
_TERM = re.compile(r"\*\*([^*]+)\*\*")
_MOST_RULES = 2  # cited for a choice that names nothing printed
_MOST_REMEMBERED = 20_000


class CardWords:
    """The printed words of a game in a language."""

    def __init__(self, variant: Variant, language: str = "en") -> None:
        self._variant, self._language = variant, language
        self._data: Any = variant.data
        self._said: dict[str, str] = {}
        self.wordy = find_wordy_components(self._data.components)

    def has_readable_words(self, picture: Picture) -> bool:
        """Return whether a picture shows the front of something that prints words besides its name."""
        return has_readable_words(self.wordy, picture)

    def format_printed_words(self, picture: Picture) -> str:
        """Return the words of a picture in lines, its title first: texts, and effects with their icons as words; ""
        if it prints none besides its name. Flavour comes last."""
        return self._printed_words[picture.component] if self.has_readable_words(picture) else ""

    @cached_property
    def _printed_words(self) -> dict[str, str]:
        """The words of all components that print some: made at once, so that no page is faster for what another saw."""
        return {ident: self._format_component_words(ident) for ident in sorted(self.wordy)}

    def _format_component_words(self, ident: str) -> str:
        component, language = self._data.components[ident], self._language
        fields = sorted(component.fields.items(), key=lambda field: field[0] in _NAMES)
        lines = list(iter_printed_effects(self._data, component, language))
        for name, value in fields:
            if name != "text":
                lines += [strip_markup(words.text(language)) for words in _iter_texts(value)]
        title = component.fields.get("title")
        name = title.text(language) if isinstance(title, Words) else component.name
        return "\n".join(dict.fromkeys([name, *(line for line in lines if line)]))

    def explain_move(self, move: Move) -> str:
        """Return what a choice does, in lines; "" if nothing printed and no rule says more than its own words."""
        if move.text not in self._said:
            if len(self._said) >= _MOST_REMEMBERED:
                self._said.clear()
            lines = [
                *self._iter_effects_of_named_components(move.text),
                *self._iter_term_explanations(move.text),
            ] or [*self._iter_cited_rules(move.ident)]
            self._said[move.text] = "\n".join(dict.fromkeys(lines))
        return self._said[move.text]

    def _iter_effects_of_named_components(self, text: str) -> Iterator[str]:
        """Yield what the components do that a choice names, unless the choice says it itself."""
        said = normalize_words(text)
        for phrase, name, lines in self._printed:
            if phrase in said and not any(normalize_words(line) in said for line in lines):
                yield f"{name}: {' '.join(lines)}"

    @cached_property
    def _printed(self) -> list[tuple[str, str, list[str]]]:
        """The names and effects of all components that have effects; alike ones once."""
        found: dict[tuple[str, str], tuple[str, str, list[str]]] = {}
        for component in self._data.components.values():
            lines = list(iter_printed_effects(self._data, component, self._language))
            title = component.fields.get("title")
            name = title.text(self._language) if isinstance(title, Words) else component.name
            if lines and len(normalize_words(component.name)) > 3:
                found[component.name, " ".join(lines)] = normalize_words(component.name), name, lines
        return list(found.values())

    def _iter_term_explanations(self, text: str) -> Iterator[str]:
        """Yield the printed lines that explain a term which a choice uses, the term in bold letters; of a term within
        a longer one only the longer."""
        said = normalize_words(text)
        used = {term for term in self._glossary if term in said}
        for term in sorted(used):
            if not any(term != other and term in other for other in used):
                yield self._glossary[term]

    @cached_property
    def _glossary(self) -> dict[str, str]:
        """The printed lines that begin with a term, by the term in the language of the choices."""
        lines: dict[str, str] = {}
        for component in self._data.components.values():
            for name, value in component.fields.items():
                for words in _iter_texts(value) if name not in _NAMES else ():
                    term, own = _TERM.search(words.text("en")), words.text(self._language)
                    here = _TERM.search(own)
                    if term and here and any(map(str.isalpha, term[1])) and own[here.end() :].strip():
                        lines.setdefault(normalize_words(term[1]), strip_markup(own[here.start() :]))
        return lines

    def _iter_cited_rules(self, action_id: int) -> Iterator[str]:
        """Yield the words of the rules that an action cites."""
        rules = getattr(self._data, "rules", {})
        cited = [name for name in self._variant.game.get_action_of_ident(action_id).rules if name in rules]
        for name in cited[:_MOST_RULES]:
            yield strip_markup(str(rules[name].text))


def find_wordy_components(components: Mapping[str, Component]) -> frozenset[str]:
    """Return the ids of the components that print words besides their names."""
    return frozenset(
        ident
        for ident, component in components.items()
        if any(_contains_words(value) for name, value in component.fields.items() if name not in _NAMES)
    )


def has_readable_words(wordy: frozenset[str], picture: Picture) -> bool:
    """Return whether a picture shows the front of one of these components."""
    return picture.component in wordy and picture.side != "back" and not picture.side.startswith("face-")


def _iter_texts(value: Any) -> Iterator[Words]:
    """Yield the texts of a field, however deep."""
    if isinstance(value, Words):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _iter_texts(item)
    elif isinstance(value, tuple | list):
        for item in value:
            yield from _iter_texts(item)


def _contains_words(value: Any) -> bool:
    """Return whether a field holds a text or an effect, however deep."""
    if isinstance(value, Words | Effect | Either | Option):
        return True
    if isinstance(value, Mapping):
        return any(map(_contains_words, value.values()))
    return isinstance(value, tuple | list) and any(map(_contains_words, value))

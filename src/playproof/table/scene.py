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
from playproof.referee.notation import iter_printed_effect_texts, strip_markup_and_name_icons
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
    """A place on a surface that actions name, empty or not: a box in mm of the surface. `prints` is what is printed
    there, in words."""

    key: str
    surface: str
    name: str
    x: float
    y: float
    width: float
    height: float
    words: tuple[str, ...] = ()
    prints: str = ""


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


def map_actions_to_keys_they_name(scene: Scene, moves: Sequence[Move]) -> dict[int, tuple[str, ...]]:
    """Return for each action (by number) the keys of the pieces and spots that it names, in the
    order of the table."""
    keys = map_phrases_to_piece_and_spot_keys(scene)
    named: dict[int, tuple[str, ...]] = {}
    for move in moves:
        text = normalize_for_whole_word_search(move.text)
        in_order = (key for phrase, things_named in keys.items() if phrase in text for key in things_named)
        named[move.ident] = tuple(dict.fromkeys(in_order))
    return named


def map_phrases_to_piece_and_spot_keys(scene: Scene) -> dict[str, list[str]]:
    """Return each phrase that an action may contain, with the keys of the things that it names."""
    keys: dict[str, list[str]] = defaultdict(list)
    for thing in list_pieces_and_spots(scene):
        for words in thing.words:
            phrase = normalize_for_whole_word_search(words)
            if len(phrase) > 3:
                keys[phrase].append(thing.key)
    return keys


def list_pieces_and_spots(scene: Scene) -> list[TablePiece | Spot]:
    """Return everything that an action may name."""
    return [*scene.pieces, *scene.spots]


def get_action_words_of_piece_or_spot(scene: Scene, piece_or_spot_key: str) -> tuple[str, ...]:
    """Return the words of the piece or spot with this key; empty if there is none."""
    for thing in list_pieces_and_spots(scene):
        if thing.key == piece_or_spot_key:
            return thing.words
    return ()


@lru_cache(maxsize=20_000)
def normalize_for_whole_word_search(text: str) -> str:
    """Return words in small letters with one space around each, so that a search finds only whole
    words.

    >>> normalize_for_whole_word_search("Go up, on the LEFT")
    ' go up on the left '
    """
    return f" {_BREAK.sub(' ', text.casefold()).strip()} "


# -- card words ----------------------------------------------------------------------------------------------
# What faces say: whether one prints words worth reading, and what a choice does, in the words that the
# things which it names print, or else in those of its rules.

_NAMES = frozenset({"title", "flavour", "name"})
"""Fields whose words say what a thing is called, and not what it does."""
_SENTENCE = re.compile(r"[.!?]\Z")
_TERM = re.compile(r"\*\*([^*]+)\*\*")
_MOST_RULES = 2  # cited for a choice that names nothing printed
_MOST_REMEMBERED = 20_000


class CardWords:
    """The printed words of a game in a language."""

    def __init__(self, variant: Variant, language: str = "en") -> None:
        self._variant, self._language = variant, language
        self._data: Any = variant.data
        self._said: dict[str, str] = {}
        self.wordy = collect_ids_of_cards_with_words(self._data.components)

    def has_words_besides_name(self, picture: Picture) -> bool:
        """Return whether a picture shows the front of something that prints words besides its name."""
        return is_front_of_wordy_component(self.wordy, picture)

    def format_printed_words_or_empty(self, picture: Picture) -> str:
        """Return the words of a picture in lines, its title first: texts, and effects with their icons as words; ""
        if it prints none besides its name. Flavour comes last."""
        return self._printed_words_by_component[picture.component][0] if self.has_words_besides_name(picture) else ""

    def format_printed_rules_or_empty(self, picture: Picture) -> str:
        """Return the same words without flavour, whole sentences before labels; "" if a picture prints no rule."""
        return self._printed_words_by_component[picture.component][1] if self.has_words_besides_name(picture) else ""

    @cached_property
    def _printed_words_by_component(self) -> dict[str, tuple[str, str]]:
        """The words of all components that print some, with flavour and without: made at once, so that no page is
        faster for what another saw."""
        return {ident: self._format_words_with_and_without_flavour(ident) for ident in sorted(self.wordy)}

    def _format_words_with_and_without_flavour(self, component_id: str) -> tuple[str, str]:
        component, language = self._data.components[component_id], self._language
        rules, flavour = list(iter_printed_effect_texts(self._data, component, language)), list[str]()
        for name, value in component.fields.items():
            if name != "text":
                (flavour if name in _NAMES else rules).extend(
                    strip_markup_and_name_icons(words.text(language)) for words in _iter_words_nested_in_value(value)
                )
        title = component.fields.get("title")
        name = title.text(language) if isinstance(title, Words) else component.name
        rules = [line for line in rules if line]
        whole = dict.fromkeys([name, *rules, *(line for line in flavour if line)])
        said = dict.fromkeys([name, *sorted(rules, key=lambda line: not _SENTENCE.search(line))])
        return "\n".join(whole), "\n".join(said) if len(said) > 1 else ""

    def explain_move_in_words_or_empty(self, move: Move) -> str:
        """Return what a choice does, in lines; "" if nothing printed and no rule says more than its own words."""
        if move.text not in self._said:
            if len(self._said) >= _MOST_REMEMBERED:
                self._said.clear()
            lines = [
                *self._iter_effects_of_named_components(move.text),
                *self._iter_printed_explanations_of_terms(move.text),
            ] or [*self._iter_texts_of_cited_rules(move.ident)]
            self._said[move.text] = "\n".join(dict.fromkeys(lines))
        return self._said[move.text]

    def _iter_effects_of_named_components(self, action_text: str) -> Iterator[str]:
        """Yield what the components do that a choice names, unless the choice says it itself."""
        said = normalize_for_whole_word_search(action_text)
        for phrase, name, lines in self._named_printed_effects:
            if phrase in said and not any(normalize_for_whole_word_search(line) in said for line in lines):
                yield f"{name}: {' '.join(lines)}"

    @cached_property
    def _named_printed_effects(self) -> list[tuple[str, str, list[str]]]:
        """The names and effects of all components that have effects; alike ones once."""
        found: dict[tuple[str, str], tuple[str, str, list[str]]] = {}
        for component in self._data.components.values():
            lines = list(iter_printed_effect_texts(self._data, component, self._language))
            title = component.fields.get("title")
            name = title.text(self._language) if isinstance(title, Words) else component.name
            if lines and len(normalize_for_whole_word_search(component.name)) > 3:
                found[component.name, " ".join(lines)] = (normalize_for_whole_word_search(component.name), name, lines)
        return list(found.values())

    def _iter_printed_explanations_of_terms(self, action_text: str) -> Iterator[str]:
        """Yield the printed lines that explain a term which a choice uses, the term in bold letters; of a term within
        a longer one only the longer."""
        said = normalize_for_whole_word_search(action_text)
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
                for words in _iter_words_nested_in_value(value) if name not in _NAMES else ():
                    term, own = _TERM.search(words.text("en")), words.text(self._language)
                    here = _TERM.search(own)
                    if term and here and any(map(str.isalpha, term[1])) and own[here.end() :].strip():
                        lines.setdefault(
                            normalize_for_whole_word_search(term[1]), strip_markup_and_name_icons(own[here.start() :])
                        )
        return lines

    def _iter_texts_of_cited_rules(self, action_id: int) -> Iterator[str]:
        """Yield the words of the rules that an action cites."""
        rules = getattr(self._data, "rules", {})
        cited = [
            name for name in self._variant.game.get_action_of_ground_action_number(action_id).rules if name in rules
        ]
        for name in cited[:_MOST_RULES]:
            yield strip_markup_and_name_icons(str(rules[name].text))


def collect_ids_of_cards_with_words(components: Mapping[str, Component]) -> frozenset[str]:
    """Return the ids of the components that print words besides their names."""
    return frozenset(
        ident
        for ident, component in components.items()
        if any(_contains_words_or_effects(value) for name, value in component.fields.items() if name not in _NAMES)
    )


def is_front_of_wordy_component(wordy_component_ids: frozenset[str], picture: Picture) -> bool:
    """Return whether a picture shows the front of one of these components."""
    return picture.component in wordy_component_ids and picture.side != "back" and not picture.side.startswith("face-")


def _iter_words_nested_in_value(field_value: Any) -> Iterator[Words]:
    """Yield the texts of a field, however deep."""
    if isinstance(field_value, Words):
        yield field_value
    elif isinstance(field_value, Mapping):
        for item in field_value.values():
            yield from _iter_words_nested_in_value(item)
    elif isinstance(field_value, tuple | list):
        for item in field_value:
            yield from _iter_words_nested_in_value(item)


def _contains_words_or_effects(field_value: Any) -> bool:
    """Return whether a field holds a text or an effect, however deep."""
    if isinstance(field_value, Words | Effect | Either | Option):
        return True
    if isinstance(field_value, Mapping):
        return any(map(_contains_words_or_effects, field_value.values()))
    return isinstance(field_value, tuple | list) and any(map(_contains_words_or_effects, field_value))

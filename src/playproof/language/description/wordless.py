"""A description in two parts: what happens in play, and the words by which people are told of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import Any

from playproof.language.description.writer import write
from playproof.language.game import Game

_OF_CLAIMS = ("families", "own")
_NAMES = "names"


@dataclass(frozen=True)
class WordlessDescription:
    """The rows of a description by section, without words for people and without the choices that the game was built
    with; and these words, each with its place."""

    sections: dict[str, Any]
    words: tuple[tuple[str, str], ...]

    @cached_property
    def digest(self) -> str:
        """A digest of all but the words."""
        return _compute_json_digest(self.sections)

    @cached_property
    def play_digest(self) -> str:
        """A digest of what happens and is learnt in play: without families of things, which only claims read."""
        facts = [fact for fact in self.sections["facts"] if fact[0] not in _OF_CLAIMS]
        return _compute_json_digest({**self.sections, "facts": facts})


def separate_words(game: Game) -> WordlessDescription:
    """Return the description of a game in its two parts."""
    described = json.loads(write(game))
    del described["setting"]
    words = tuple(_iter_and_remove_words(described))
    return WordlessDescription(described, words)


def _compute_json_digest(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def _iter_and_remove_words(described: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Take the words for people out of a description, and yield them with their places."""
    for number, phase in enumerate(described["phases"]):
        yield f"phase {number}", phase.pop("text")
    for number, action in enumerate(described["actions"]):
        yield from _iter_words_with_places(f"action {number}", action.pop("text"))
        for place, parameter in enumerate(action["params"]):
            yield from _iter_words_with_places(f"action {number} parameter {place}", parameter.pop("labels"))
    for number, each in enumerate(described["fields"]):
        yield from _iter_words_with_places(f"field {number}", each.pop("labels"))
    names = [json.dumps(fact[1], sort_keys=True) for fact in described["facts"] if fact[0] == _NAMES]
    described["facts"] = [fact for fact in described["facts"] if fact[0] != _NAMES]
    yield from ((_NAMES, name) for name in names)


def _iter_words_with_places(place: str, words: str | list[str]) -> Iterator[tuple[str, str]]:
    """Yield one word, or each of several with its number."""
    if isinstance(words, str):
        yield place, words
    else:
        yield from ((f"{place}.{number}", word) for number, word in enumerate(words))

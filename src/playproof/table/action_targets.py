"""Which pieces and spots an action names: those whose words are in the words of the action.

    "play Cracked Idol"         the card of that name
    "excavate blue 1a"          the site of that name, and what lies there

So the actions of a game need no second description for the mouse: their words say where they take
place.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from playproof.language import Move
from playproof.table.scene import Scene, Spot, TablePiece

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

"""Find what a card prints of other cards: a layout asks for them by `card(...)`, an effect names
them.

A card that quotes another is printed anew when the other changes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path as FilePath

from playproof.database.components import Component, Words
from playproof.database.errors import Where
from playproof.database.game import Game
from playproof.generator.build.fingerprint import hash_component, hash_parts, to_canonical_text

_ASKED = re.compile(r"\bcard\(([^()]*)\)")
_QUOTED = re.compile(r"""['"]([^'"]+)['"]""")
TABLE = "table.yaml"  # lays out the game's table on the screen; it draws no face


class CardQuotations:
    """Finds the cards that each card of a game quotes, from the layouts and the cards' own
    fields."""

    def __init__(self, game: Game, folder: FilePath) -> None:
        """``folder`` holds the layouts."""
        self._game = game
        self._hashes: dict[str, str] = {}
        self._prints: dict[str, str] = {}
        fields = {name for kind in game.vocabulary.kinds.values() for name in kind.fields}
        files = [file for file in sorted(folder.glob("*.yaml")) if file.name != TABLE]
        expressions: set[str] = set()
        for file in files:
            expressions |= {match[1].strip() for match in _ASKED.finditer(file.read_text("utf-8"))}
        named = {word[1] for text in expressions if (word := _QUOTED.fullmatch(text))}
        self._always = sorted(named & game.components.keys())
        computed = [text for text in expressions - fields if not _QUOTED.fullmatch(text)]
        if computed:  # a layout may ask for any card
            self._always = sorted(game.components)

    def hash_quoted_cards(self, card: Component) -> str:
        """Return a hash of all that is printed of the cards that this card quotes, or "" if it
        quotes none."""
        digest = self._prints.get(card.id)
        if digest is None:
            ids = dict.fromkeys((*self._always, *_iter_mentioned_ids(card.fields, self._game.components)))
            quoted = [self._hash_card(name) for name in ids if name != card.id]
            digest = self._prints[card.id] = hash_parts(*quoted) if quoted else ""
        return digest

    def _hash_card(self, ident: str) -> str:
        digest = self._hashes.get(ident)
        if digest is None:
            digest = self._hashes[ident] = hash_component(self._game.components[ident])
        return digest


def _iter_mentioned_ids(value: object, components: Mapping[str, Component]) -> Iterator[str]:
    """Yield the ids of components that are written anywhere in a value."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _iter_mentioned_ids(inner, components)
    elif isinstance(value, str):
        if value in components:
            yield value
    elif value is not None and not isinstance(value, int | float | Words | Where):
        yield from (word for word in re.findall(r"'([^']+)'", to_canonical_text(value)) if word in components)

"""Compare what two versions of a game print: decided by the drawn faces, not by whose data changed.

A card may print a number of another card, so each face is drawn in both versions. Only those are drawn that can differ:
whose hash of what is printed differs, or all of them where words of the game changed that any face may print.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import Collector
from playproof.generator.layout.bind import STICKERS
from playproof.generator.layout.views import what_faces_print
from playproof.generator.scene.comparison import is_same_face

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.generator.build.press import Press
    from playproof.generator.scene import Face


class FaceChanges:
    """What differs in print between two versions of a game. Each component is compared once in a language."""

    def __init__(self, before: Press, after: Press) -> None:
        self.before, self.after = before, after
        self._differing: dict[tuple[str, str], bool] = {}

    @cached_property
    def candidates(self) -> frozenset[str]:
        """The ids of components that are in both versions, and of which a face may differ."""
        old, new = self.before.game, self.after.game
        both = frozenset(new.components) & frozenset(old.components)
        if what_faces_print(old, with_version=False) != what_faces_print(new, with_version=False):
            return both
        return frozenset(
            ident
            for ident in both
            if self.before.own_print_of(old.components[ident])
            != self.after.own_print_of(new.components[ident])
        )

    def differs(self, ident: str, language: str) -> bool:
        """Return whether a side or look of a component that both versions have is printed otherwise."""
        key = ident, language
        if key not in self._differing:
            self._differing[key] = ident in self.candidates and differs_in_print(
                self.before, self.after, ident, language
            )
        return self._differing[key]


def same_version(old: Game, new: Game) -> Game:
    """Return the old game under the new one's version, so that a layout that prints the version tells no difference."""
    return replace(old, applied=new.applied)


def differs_in_print(before: Press, after: Press, ident: str, language: str) -> bool:
    """Return whether a side or look of a component that both versions have is printed otherwise."""
    new = list(faces_of(after, ident, language))  # first, because the other takes what is the same from it
    old = list(faces_of(before, ident, language))
    return len(old) != len(new) or not all(map(_are_same, old, new))


def faces_of(press: Press, ident: str, language: str) -> Iterator[Face | None]:
    """Yield what is printed of a component: its sides in each look, and the stickers of a die."""
    card = press.game.components[ident]
    if press.looks.layout_for(card, language) is None:
        return
    for variant in press.looks.variants(card):
        for side in press.sides(card):
            yield press.face(card, side, language, Collector(), variant=variant)
    if _has_stickers(press, card):
        yield press.face(card, STICKERS, language, Collector())


def _has_stickers(press: Press, card: Component) -> bool:
    return any(product.stickers and card.kind in product.kinds for product in press.products)


def _are_same(old: Face | None, new: Face | None) -> bool:
    if old is None or new is None:
        return old is new
    return is_same_face(old, new)

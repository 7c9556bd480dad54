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
from playproof.database.errors import FindingCollector
from playproof.generator.layout.bind import STICKERS
from playproof.generator.layout.views import collect_shared_printed_content
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
        if collect_shared_printed_content(old, with_version=False) != collect_shared_printed_content(
            new, with_version=False
        ):
            return both
        return frozenset(
            ident
            for ident in both
            if self.before.hash_content_without_mark(old.components[ident])
            != self.after.hash_content_without_mark(new.components[ident])
        )

    def is_printed_differently(self, ident: str, language: str) -> bool:
        """Return whether a side or look of a component that both versions have is printed otherwise."""
        key = ident, language
        if key not in self._differing:
            self._differing[key] = ident in self.candidates and is_printed_differently(
                self.before, self.after, ident, language
            )
        return self._differing[key]


def copy_with_version_of(old: Game, new: Game) -> Game:
    """Return the old game under the new one's version, so that a layout that prints the version tells no difference."""
    return replace(old, applied=new.applied)


def is_printed_differently(before: Press, after: Press, ident: str, language: str) -> bool:
    """Return whether a side or look of a component that both versions have is printed otherwise."""
    # first, because the other takes what is the same from it
    new = list(iter_component_faces(after, ident, language))
    old = list(iter_component_faces(before, ident, language))
    return len(old) != len(new) or not all(map(_are_same_faces, old, new))


def iter_component_faces(press: Press, ident: str, language: str) -> Iterator[Face | None]:
    """Yield what is printed of a component: its sides in each look, and the stickers of a die."""
    card = press.game.components[ident]
    if press.looks.find_layout(card, language) is None:
        return
    for variant in press.looks.list_variants(card):
        for side in press.list_sides(card):
            yield press.draw_face(card, side, language, FindingCollector(), variant=variant)
    if _has_stickers(press, card):
        yield press.draw_face(card, STICKERS, language, FindingCollector())


def _has_stickers(press: Press, card: Component) -> bool:
    return any(product.stickers and card.kind in product.kinds for product in press.products)


def _are_same_faces(old: Face | None, new: Face | None) -> bool:
    if old is None or new is None:
        return old is new
    return is_same_face(old, new)

"""Compare what two versions of a game print: decided by the drawn faces, not by whose data changed.

A card may print a number of another card, so each face is drawn in both versions. Only those are drawn that can differ:
whose hash of what is printed differs, or all of them where words of the game changed that any face may print.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.errors import Collector
from playproof.generator.build.fingerprint import canonical
from playproof.generator.layout.bind import STICKERS

if TYPE_CHECKING:
    from playproof.database.game import Game
    from playproof.generator.build.press import Press
    from playproof.generator.scene import Face


def same_version(old: Game, new: Game) -> Game:
    """Return the old game under the new one's version, so that a layout that prints the version tells no difference."""
    return replace(old, applied=new.applied)


def reads_alike(old: Game, new: Game) -> bool:
    """Return whether the words, numbers and rulings that any face may print are the same in two versions."""
    return _of_all_faces(old) == _of_all_faces(new)


def _of_all_faces(game: Game) -> str:
    rulings = {ruling.id: ruling.default for ruling in game.rulings.values()}
    facts = (game.titles, dict(game.facts.numbers), game.facts.players, rulings)
    return canonical([*map(str, facts), game.vocabulary.spec.model_dump_json()])


def can_differ(before: Press, after: Press) -> list[str]:
    """Return the ids of components that are in both versions, and of which a face may differ."""
    both = [ident for ident in after.game.components if ident in before.game.components]
    if not reads_alike(before.game, after.game):
        return both
    return [ident for ident in both if _print_of(before, ident) != _print_of(after, ident)]


def _print_of(press: Press, ident: str) -> str:
    return press.own_print_of(press.game.components[ident])


def differs_in_print(before: Press, after: Press, ident: str, language: str) -> bool:
    """Return whether a side or look of a component that both versions have is printed otherwise."""
    old, new = (list(_faces(press, ident, language)) for press in (before, after))
    if len(old) != len(new):
        return True
    return any(_drawn(was, before) != _drawn(now, after) for was, now in zip(old, new, strict=True))


def _faces(press: Press, ident: str, language: str) -> Iterator[Face | None]:
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


def drawing_of(face: Face, press: Press) -> bytes:
    """Return what is compared of a face: faces of two versions share no shaped text, so they are never equal as
    values."""
    from playproof.generator.exports.raster import face_page
    from playproof.generator.pdf import Metadata, pdf_bytes

    page = face_page(face, face.bleed)
    return pdf_bytes([page], metadata=Metadata(""), pool=press.pool)


def _drawn(face: Face | None, press: Press) -> bytes:
    return drawing_of(face, press) if face is not None else b""

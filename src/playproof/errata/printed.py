"""What has to be replaced in a box: everything of which the printed faces differ in two versions of a game.

A card may print a number of another card, a board those of many, and a rulebook those of all. So the faces themselves
are compared (`generator/build/face_changes.py`), in every language and product, and not the values that an erratum
names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from playproof.database.components import Component
from playproof.database.errors import Finding, InputError
from playproof.database.game import Game
from playproof.database.sharing import beside
from playproof.generator.book.play_interface import Plays
from playproof.generator.build.face_changes import can_differ, differs_in_print, drawing_of, same_version
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.build.run import Builder
from playproof.generator.layout.bind import Looks
from playproof.generator.sheets import plan


@dataclass(frozen=True)
class PrintedComponent:
    """A component of which copies leave or join the box. `languages` are those in which its faces differ; a new card
    and one that leaves differ in all."""

    id: str
    old: Component | None
    new: Component | None
    languages: tuple[str, ...]

    @property
    def kind(self) -> str:
        """The kind of component."""
        card = self.new or self.old
        assert card is not None  # it is in one of the two versions
        return card.kind

    def take_out(self, language: str) -> int:
        """Return how many old copies leave a box in a language."""
        before, after = _copies(self.old), _copies(self.new)
        return before if language in self.languages else max(0, before - after)

    def put_in(self, language: str) -> int:
        """Return how many new copies join a box in a language."""
        before, after = _copies(self.old), _copies(self.new)
        return after if language in self.languages else max(0, after - before)


def _copies(card: Component | None) -> int:
    return card.count if card is not None else 0


@dataclass(frozen=True)
class PrintedBook:
    """A rulebook of which pages differ. `pages` count from 1, by the new book; `drawn` are these pages as PDF."""

    name: str
    language: str
    pages: tuple[int, ...]
    drawn: bytes = field(compare=False, repr=False)


Books = Callable[[], tuple[list[PrintedBook], list[Finding]]]
"""Waits for the rulebooks that differ, and why others cannot be printed now."""


@dataclass(frozen=True)
class PrintedBox:
    """A tuckbox that is printed otherwise, or has another size, in some languages."""

    name: str
    languages: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Printed:
    """Both versions of a game as what draws them, and what differs in print. `findings` say which books cannot be
    printed now."""

    before: Builder
    after: Builder
    components: tuple[PrintedComponent, ...]
    books: tuple[PrintedBook, ...] = ()
    boxes: tuple[PrintedBox, ...] = ()
    findings: tuple[Finding, ...] = ()

    def product(self, name: str) -> Product:
        """Return the product of this name."""
        return next(product for product in self.after.press.products if product.name == name)

    def product_of(self, kind: str) -> Product | None:
        """Return the product whose sheets hold a kind of component."""
        return next((p for p in _sheets(self.after.press) if kind in p.kinds), None)

    def changed_in(self, language: str) -> tuple[PrintedComponent, ...]:
        """Return the components of which copies leave or join a box in a language."""
        return tuple(c for c in self.components if c.take_out(language) or c.put_in(language))

    def marks(self, language: str) -> tuple[str, ...]:
        """Return the marks on the new copies in a language, each once."""
        marks = (
            self.after.press.mark(c.new, language) for c in self.components if c.new and c.put_in(language)
        )
        return tuple(dict.fromkeys(filter(None, marks)))


def begin_books(old: Game, new: Game, folder: Path, plays: Plays | None, jobs: int) -> Books:
    """Begin to compare the rulebooks of two versions, beside other work where there are several jobs, and return what
    waits for the result. `plays` plays their examples; without it, books that have some are not compared."""

    def compare_books() -> tuple[list[PrintedBook], list[Finding]]:
        before, after = (Builder(game, folder, plays=plays) for game in (old, new))
        return _compare_books(before, after)

    return beside(compare_books, jobs)


def compare_prints(old: Game, new: Game, folder: Path, books: Books | None = None) -> Printed:
    """Return what differs in print between two versions of a game. `books` waits for what differs in rulebooks."""
    # Traced, because a slip shows whole elements of the layout.
    before, after = (Builder(game, folder, looks=Looks(game, traced=True)) for game in (old, new))
    components = tuple(_compare_components(before.press, after.press))
    boxes = tuple(_compare_boxes(before.press, after.press))
    changed, findings = (books or begin_books(old, new, folder, None, 1))()
    return Printed(before, after, components, tuple(changed), boxes, tuple(findings))


def _sheets(press: Press) -> list[Product]:
    return [p for p in press.products if p.book is None and p.box is None and not p.stickers]


def _compare_components(before: Press, after: Press) -> Iterator[PrintedComponent]:
    """Yield the components that differ in print or number, in the order of the new game."""
    languages, kinds = after.game.languages, {kind for product in _sheets(after) for kind in product.kinds}
    was = before.for_version(same_version(before.game, after.game))
    candidates = {*can_differ(was, after)}
    for ident in dict.fromkeys([*after.game.components, *before.game.components]):
        old, new = before.game.components.get(ident), after.game.components.get(ident)
        if (new or old) is None or (new or old).kind not in kinds:  # type: ignore[union-attr]
            continue
        if old is None or new is None:
            differing: Sequence[str] = languages
        elif ident in candidates:
            differing = [each for each in languages if differs_in_print(was, after, ident, each)]
        else:
            differing = []
        part = PrintedComponent(ident, old, new, tuple(differing))
        if differing or _copies(old) != _copies(new):
            yield part


def _compare_boxes(before: Press, after: Press) -> Iterator[PrintedBox]:
    for product in after.products:
        if product.box is None:
            continue
        differing = [
            language
            for language in after.game.languages
            if _draw_box(before, product, language) != _draw_box(after, product, language)
        ]
        if differing:
            yield PrintedBox(product.name, tuple(differing))


def _draw_box(press: Press, product: Product, language: str) -> bytes:
    cards = press.game.of_kind(*product.kinds)
    piece = press.box(plan(product.sheet), product, cards, language, press.stock_of(product, None))
    return b"%d " % piece.count + drawing_of(piece.front, press)


def _compare_books(before: Builder, after: Builder) -> tuple[list[PrintedBook], list[Finding]]:
    """Return the rulebooks of which pages differ, and why others cannot be printed now."""
    changed, findings = list[PrintedBook](), list[Finding]()
    for product in after.press.products:
        for language in after.press.game.languages if product.book == "rulebook" else ():
            try:
                new = after.books.draw_pages(language)
            except InputError as error:
                findings += [finding for finding in error.findings if finding.code != "PP524"]
                continue
            try:
                old = set(before.books.draw_pages(language))
            except InputError:  # the old book cannot be printed: all of the new one is another
                old = set()
            pages = tuple(number for number, page in enumerate(new, 1) if page not in old)
            if pages:
                drawn = after.books.join_pages(language, pages)
                changed.append(PrintedBook(product.name, language, pages, drawn))
    return changed, list(dict.fromkeys(findings))

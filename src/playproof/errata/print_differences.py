"""What has to be replaced in a box: everything of which the printed faces differ in two versions of a game.

A card may print a number of another card, a board those of many, and a rulebook those of all. So the faces themselves
are compared (`generator/build/version_changes.py`), in every language and product, and not the values that an erratum
names."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from playproof.database.components import Component
from playproof.database.errors import Finding, FindingCollector, InputError
from playproof.database.game import Game
from playproof.database.patch import Erratum
from playproof.database.vocabulary import ICON_MARK
from playproof.database.worker_processes import start_or_defer_work_until_waited
from playproof.errata.stored_checks import (
    StoredChecks,
    bytes_from_base64_text,
    bytes_to_base64_text,
    findings_from_json,
    findings_to_json_or_none,
)
from playproof.generator.book.play_interface import RecordedGamePlayer
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.build.run import Builder
from playproof.generator.scene import Page
from playproof.generator.scene.nodes import are_faces_drawn_and_cut_alike, are_pages_drawn_and_read_alike
from playproof.generator.sheets import Piece, read_sheet_plan_by_name_or_raise
from playproof.linting.played_values import list_smallest_value_changes

_LEAST_CARD, _MOST_CARD = 38.0, 130.0
"""The shortest and the longest side of cards, in mm."""


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

    def count_copies_to_remove(self, language: str) -> int:
        """Return how many old copies leave a box in a language."""
        before, after = _get_copy_count_or_zero(self.old), _get_copy_count_or_zero(self.new)
        return before if language in self.languages else max(0, before - after)

    def count_copies_to_add(self, language: str) -> int:
        """Return how many new copies join a box in a language."""
        before, after = _get_copy_count_or_zero(self.old), _get_copy_count_or_zero(self.new)
        return after if language in self.languages else max(0, after - before)


def _get_copy_count_or_zero(card: Component | None) -> int:
    return card.count if card is not None else 0


@dataclass(frozen=True)
class PrintedBook:
    """A rulebook of which pages differ. `pages` count from 1, by the new book; `drawn` are these pages as PDF. Without
    pages, the new book cannot be printed, and is not compared."""

    name: str
    language: str
    pages: tuple[int, ...]
    drawn: bytes = field(compare=False, repr=False)


BookComparisonResult = Callable[[], tuple[list[PrintedBook], list[Finding]]]
"""Waits for the rulebooks that differ, and why others cannot be printed now."""


@dataclass(frozen=True)
class PrintedBox:
    """A tuckbox that is printed otherwise, or has another size, in some languages."""

    name: str
    languages: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PrintDifferences:
    """Both versions of a game as what draws them, and what differs in print. `findings` say which books cannot be
    printed now."""

    before: Builder
    after: Builder
    components: tuple[PrintedComponent, ...]
    books: tuple[PrintedBook, ...] = ()
    boxes: tuple[PrintedBox, ...] = ()
    findings: tuple[Finding, ...] = ()

    @cached_property
    def presses_with_source_tracing(self) -> tuple[Press, Press]:
        """What draws both versions so that each part of a face says where it is written."""
        press = self.after.press
        return press.create_press_for_other_version(
            self.before.press.game, traced=True
        ), press.create_press_for_other_version(press.game, traced=True)

    def get_product_by_name(self, product_name: str) -> Product:
        """Return the product of this name."""
        return next(product for product in self.after.press.products if product.name == product_name)

    def find_product_of_kind_or_none(self, component_kind: str) -> Product | None:
        """Return the product whose sheets hold a kind of component."""
        of_kind = [p for p in _list_products_printed_on_sheets(self.after.press) if component_kind in p.kinds]
        return min(of_kind, key=lambda product: product.stickers, default=None)

    def is_printed_as_card(self, component: Component, language: str) -> bool:
        """Return whether a component looks like a card: flat, on one sheet, and of a size that a hand holds."""
        product = self.find_product_of_kind_or_none(component.kind)
        looks = self.after.press.looks
        layout = looks.find_layout_for_component_or_none(component, language)
        if layout is None or looks.get_net_kind_or_empty(component) or (product is not None and product.tiled):
            return False
        shorter, longer = sorted((layout.width, layout.height))
        return shorter >= _LEAST_CARD and longer <= _MOST_CARD

    def list_components_with_copies_to_remove_or_add(self, language: str) -> tuple[PrintedComponent, ...]:
        """Return the components of which copies leave or join a box in a language."""
        return tuple(
            c for c in self.components if c.count_copies_to_remove(language) or c.count_copies_to_add(language)
        )

    def list_version_marks_on_new_copies(self, language: str) -> tuple[str, ...]:
        """Return the marks on the new copies in a language, each once."""
        marks = (
            self.after.press.get_errata_mark_to_print_or_empty(c.new, language)
            for c in self.components
            if c.new and c.count_copies_to_add(language)
        )
        return tuple(dict.fromkeys(filter(None, marks)))


def start_rulebook_comparison_and_get_waiter(
    game_before: Game,
    game_after: Game,
    output_folder: Path,
    example_player: RecordedGamePlayer | None,
    jobs: int,
    stored: StoredChecks | None = None,
) -> BookComparisonResult:
    """Begin to compare the rulebooks of two versions, beside other work where there are several jobs, or recall what
    was found, and return what waits for the result. `example_player` plays their examples; without it, books that have
    some are not compared."""

    def compare_books() -> tuple[list[PrintedBook], list[Finding]]:
        return _list_changed_or_unprintable_books(
            *_make_old_and_new_builder(game_before, game_after, output_folder, example_player)
        )

    if stored is None:
        return start_or_defer_work_until_waited(compare_books, jobs)
    check = "rulebooks" if example_player is not None else "rulebooks without examples"
    return stored.start_check_or_recall_result(check, compare_books, jobs, _books_to_json, _books_from_json)


def _books_to_json(found: tuple[list[PrintedBook], list[Finding]]) -> Any:
    books, findings = found
    told = findings_to_json_or_none(findings)
    rows = [[book.name, book.language, list(book.pages), bytes_to_base64_text(book.drawn)] for book in books]
    return None if told is None else [rows, told]


def _books_from_json(data: Any) -> tuple[list[PrintedBook], list[Finding]]:
    rows, told = data
    books = [
        PrintedBook(name, language, tuple(pages), bytes_from_base64_text(drawn))
        for name, language, pages, drawn in rows
    ]
    return books, findings_from_json(told)


def compare_everything_printed_of_versions(
    game_before: Game, game_after: Game, output_folder: Path, wait_for_books: BookComparisonResult | None = None
) -> PrintDifferences:
    """Return what differs in print between two versions of a game. `wait_for_books` waits for what differs in
    rulebooks. Raises InputError for a face that cannot be drawn."""
    wait = wait_for_books or start_rulebook_comparison_and_get_waiter(game_before, game_after, output_folder, None, 1)
    printed = compare_printed_faces_and_boxes(game_before, game_after, output_folder)
    return add_differences_of_rulebooks(printed, wait)


def compare_printed_faces_and_boxes(game_before: Game, game_after: Game, output_folder: Path) -> PrintDifferences:
    """Return what differs in print between two versions of a game, but for their rulebooks. Raises InputError for a
    face that cannot be drawn."""
    before, after = _make_old_and_new_builder(game_before, game_after, output_folder)
    components = tuple(_iter_reprinted_or_recounted_components(game_before, after.press))
    _raise_unless_new_faces_can_be_drawn(after.press, components)
    boxes = tuple(_iter_boxes_printed_differently(before.press, after.press))
    return PrintDifferences(before, after, components, boxes=boxes)


def _raise_unless_new_faces_can_be_drawn(press: Press, printed_components: Sequence[PrintedComponent]) -> None:
    collector = FindingCollector()
    changed = [(part.new, language) for part in printed_components if part.new for language in part.languages]
    for card, language in changed:
        for side in press.list_sides_of_component(card):
            press.draw_face_or_none_and_note_problems(card, side, language, collector)
    collector.raise_if_errors()


def add_differences_of_rulebooks(printed: PrintDifferences, wait_for_books: BookComparisonResult) -> PrintDifferences:
    """Return the differences with those of the rulebooks, for which this waits."""
    books, findings = wait_for_books()
    return replace(printed, books=tuple(books), findings=tuple(findings))


def find_unprinted_change_or_none(
    game_before: Game, erratum: Erratum, printed: PrintDifferences, *, does_play_differ: bool
) -> Finding | None:
    """Return that an erratum changes a value that is played, and nothing that is printed (PP851); or nothing that is
    printed or played, and no word of the rulebook. Both are warnings."""
    if printed.components or printed.books or printed.boxes or not erratum.changes:
        return None
    about, leaves = f"erratum {erratum.version} changes", list_smallest_value_changes(game_before, erratum)
    played = next(((change, leaf) for change, leaf in leaves if leaf.is_played), None)
    if played is not None:
        change, leaf = played
        message = (
            f"{about} `{'.'.join(change.path or leaf.path)}` of {change.target}, and no card, book or box shows it"
        )
        hint = "who has the new print does not know: print the value in a layout, or a sentence in the rulebook"
        return Finding("PP851", change.where, message, hint, severity="warning")
    if does_play_differ or erratum.rulings or any(each.file not in ("", *_FACTS) for each in erratum.changes):
        return None
    hint = "what no layout prints, and notes such as `source` and `rules`, are changed where they stand"
    message = f"{about} nothing that is printed or played"
    return Finding("PP851", erratum.changes[0].where, message, hint, severity="warning")


_FACTS = ("game", "vocabulary")
"""Files of which words are printed here and there, or nowhere."""


def _make_old_and_new_builder(
    game_before: Game, game_after: Game, output_folder: Path, example_player: RecordedGamePlayer | None = None
) -> tuple[Builder, Builder]:
    """Return what draws each version, which share what they shaped."""
    after = Builder(game_after, output_folder, plays=example_player)
    return Builder(
        game_before, output_folder, looks=after.press.looks.copy_for_game_version(game_before), plays=example_player
    ), after


def _list_products_printed_on_sheets(press: Press) -> list[Product]:
    return [p for p in press.products if p.book is None and p.box is None]


def _iter_reprinted_or_recounted_components(old_game: Game, new_press: Press) -> Iterator[PrintedComponent]:
    """Yield the components that differ in print or number, in the order of the new game."""
    game, kinds = (
        new_press.game,
        {kind for product in _list_products_printed_on_sheets(new_press) for kind in product.kinds},
    )
    changes = new_press.get_print_changes_from_other_version(old_game)
    for ident in dict.fromkeys([*game.components, *old_game.components]):
        old, new = old_game.components.get(ident), game.components.get(ident)
        if (new or old) is None or (new or old).kind not in kinds:  # type: ignore[union-attr]
            continue
        both = old is not None and new is not None
        differing = [
            each for each in game.languages if not both or changes.is_component_printed_differently(ident, each)
        ]
        part = PrintedComponent(ident, old, new, tuple(differing))
        if differing or _get_copy_count_or_zero(old) != _get_copy_count_or_zero(new):
            yield part


def _iter_boxes_printed_differently(old_press: Press, new_press: Press) -> Iterator[PrintedBox]:
    for product in new_press.products:
        if product.box is None:
            continue
        differing = [
            language
            for language in new_press.game.languages
            if not _is_box_printed_the_same(
                *(_build_tuckbox_piece_of_product(press, product, language) for press in (old_press, new_press))
            )
        ]
        if differing:
            yield PrintedBox(product.name, tuple(differing))


def _build_tuckbox_piece_of_product(press: Press, product: Product, language: str) -> Piece:
    cards = press.game.of_kind(*product.kinds)
    return press.build_fewest_tuckboxes_that_fit_or_most(
        read_sheet_plan_by_name_or_raise(product.sheet),
        product,
        cards,
        language,
        press.get_card_stock_of_product(product, None),
    )


def _is_box_printed_the_same(old_box: Piece, new_box: Piece) -> bool:
    return old_box.count == new_box.count and are_faces_drawn_and_cut_alike(old_box.front, new_box.front)


def _list_changed_or_unprintable_books(
    old_builder: Builder, new_builder: Builder
) -> tuple[list[PrintedBook], list[Finding]]:
    """Return the rulebooks and credits of which pages differ, and why others cannot be printed now."""
    changed, findings = list[PrintedBook](), list[Finding]()
    old_game, new_game = old_builder.press.game, new_builder.press.game
    for product in new_builder.press.products:
        if product.book is None or (product.book == "credits" and not _can_credits_differ(old_game, new_game)):
            continue
        for language in new_game.languages:
            try:
                new = new_builder.books.compose_book_pages_for_comparison(product, language)
            except InputError as error:
                findings += [finding for finding in error.findings if finding.code != "PP524"]
                changed.append(PrintedBook(product.name, language, (), b""))
                continue
            try:
                old = old_builder.books.compose_book_pages_for_comparison(product, language)
            except InputError:  # the old book cannot be printed: all of the new one is another
                old = []
            pages = tuple(number for number, page in enumerate(new, 1) if not _is_page_printed_among(page, old, number))
            if pages:
                drawn = new_builder.books.render_selected_book_pages_to_pdf(product, language, pages)
                changed.append(PrintedBook(product.name, language, pages, drawn))
    return changed, list(dict.fromkeys(findings))


def _can_credits_differ(old_game: Game, new_game: Game) -> bool:
    """Return whether credits may differ, which say who made the game and the pictures that it shows. To set them, every
    face is drawn, so they are compared only then."""
    sides = (old_game, new_game)
    of_people = [(game.facts.credits, game.facts.notice, game.titles) for game in sides]
    return of_people[0] != of_people[1] or len({frozenset(_iter_picture_names(game)) for game in sides}) > 1


def _iter_picture_names(game: Game) -> Iterator[str]:
    """Yield the icons and pictures that components and words of the vocabulary name."""
    for kind, node in game.nodes.values():
        fields = game.vocabulary.kinds[kind].fields
        pictures = (node.get(name) for name in fields if fields[name].type in ("icon", "image"))
        yield from (str(picture.data) for picture in pictures if picture is not None)
        yield from ICON_MARK.findall(str(node.data))
    yield from ICON_MARK.findall(str(game.vocabulary.node.data))
    yield from (term.icon for group in game.vocabulary.terms.values() for term in group.values() if term.icon)


def _is_page_printed_among(page: Page, old_pages: Sequence[Page], page_number: int) -> bool:
    """Return whether a page is printed alike among others, most likely under its own number."""
    likely_first = sorted(range(len(old_pages)), key=lambda place: abs(place + 1 - page_number))
    return any(are_pages_drawn_and_read_alike(old_pages[place], page) for place in likely_first)

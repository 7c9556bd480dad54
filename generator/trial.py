"""A trial print: draws what `build` draws and keeps nothing. `lint` reports what goes wrong."""

from __future__ import annotations

from collections.abc import Iterator

from playproof.database.components import Component
from playproof.database.errors import Finding, FindingCollector, InputError
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.sheets import parse_paper
from playproof.generator.sheets.impose import find_too_large_pieces
from playproof.generator.sheets.pieces import check_pieces

PAPERS = ("A4", "Letter")
"""The papers that `build` prints on unless told otherwise."""


def run_trial_print(press: Press) -> tuple[Finding, ...]:
    """Return every mistake that a build of the whole game would report, each once."""
    collector = FindingCollector()
    collector.add_findings(_find_kinds_without_layout(press))
    laid_out = {layout.kind for layout in press.looks.layouts}
    drawable = [
        product.model_copy(update={"kinds": [kind for kind in product.kinds if kind in laid_out]})
        for product in press.products
        if product.book is None
    ]
    for language in press.game.languages:
        for product in drawable:
            if press.game.of_kind(*product.kinds):
                collector.add_findings(_find_product_errors(press, product, language))
        collector.add_findings(_find_errors_outside_products(press, laid_out, language))
        collector.add_findings(_find_book_errors(press, language))
    return InputError(collector.findings).findings


def _find_kinds_without_layout(press: Press) -> Iterator[Finding]:
    """Yield one PP505 for each kind of component that no layout draws."""
    laid_out = {layout.kind for layout in press.looks.layouts}
    first: dict[str, Component] = {}
    for component in press.game.components.values():
        first.setdefault(component.kind, component)
    for kind, component in first.items():
        if kind not in laid_out:
            message = f"no layout draws the kind {kind}, so {component.id} and its like cannot be printed"
            yield Finding(
                "PP505", component.where, message, f"write a layout with `kind: {kind}` in layouts/"
            )


def _find_product_errors(press: Press, product: Product, language: str) -> tuple[Finding, ...]:
    try:
        pieces = press.build_product_pieces(product, language, marks=False)  # a mark takes no room
        check_pieces(pieces)
    except InputError as error:
        return error.findings
    if product.tiled:
        return ()
    for name in PAPERS:  # what A4 cannot hold is told once
        large = find_too_large_pieces(
            [piece for piece in pieces if piece.count], press.get_sheet_plan(product.sheet, parse_paper(name))
        )
        if large:
            return tuple(large)
    return ()


def _find_errors_outside_products(press: Press, laid_out: set[str], language: str) -> list[Finding]:
    """Return the mistakes in components that are in no product, or in the virtual tables only."""
    printed = {kind for product in press.products if product.box is None for kind in product.kinds}
    others = [card for card in press.game.components.values() if card.kind in laid_out - printed]
    try:
        press.build_pieces(others, language, marks=False)
    except InputError as error:
        return list(error.findings)
    return []


def _find_book_errors(press: Press, language: str) -> list[Finding]:
    """Return the mistakes in the pages and the cover of a booklet."""
    layout = press.looks.book
    if layout is None or not any(product.book for product in press.products):
        return []
    from playproof.generator.book.flow import LAST, BookTypesetter  # few games have a booklet

    book = BookTypesetter(press.looks, layout, language, press.game.titles.text(language))
    for side in (*layout.sides, LAST):
        book.draw_page_furniture(side)
    return list(book.collector.findings)

"""Files for print shops and virtual tables, from a builder's pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playproof.generator.build.run import Builder
    from playproof.generator.exports.table import Table
    from playproof.generator.sheets import Piece


def for_vendor(builder: Builder, name: str, language: str, products: Sequence[str] | None = None) -> Iterator[Path]:
    """One file or folder a product that this shop can make, in `vendors/NAME`."""
    from playproof.database.errors import InputError
    from playproof.generator.exports.vendor import accepted, write_canvases, write_vendor_pdf
    from playproof.generator.profiles import profile

    shop = profile(name)
    folder = builder.out / "vendors" / name
    refused: list[InputError] = []
    made = 0
    for product, cards in builder.chosen(products, None):
        pieces = builder.pieces(cards, language)
        try:
            accepted(pieces, shop)
        except InputError as error:
            refused.append(error)
            continue
        made += 1
        folder.mkdir(parents=True, exist_ok=True)
        if shop.file == "pdf":
            path = folder / f"{product.name}-{language}.pdf"
            write_vendor_pdf(pieces, shop, path, title=f"{builder.game.titles.text(language)}")
        else:
            path = folder / f"{product.name}-{language}"
            write_canvases(pieces, shop, path)
        yield path
    if not made and refused:
        raise InputError([finding for error in refused for finding in error.findings])


def for_table(builder: Builder, name: str, language: str) -> Path:
    """The whole game for one virtual table, in `tables/NAME`."""
    from playproof.generator.exports import tabletop_playground, tabletop_simulator, vassal

    table = _table(builder, language)
    folder = builder.out / "tables" / name
    folder.mkdir(parents=True, exist_ok=True)
    if name == "vassal":
        return vassal.write(table, folder / f"{builder.game.name}.vmod")
    write = tabletop_simulator.write if name == "tabletop-simulator" else tabletop_playground.write
    return write(table, folder)


def _table(builder: Builder, language: str) -> Table:
    """Every component once: cards as decks by their backs, dice, figures that stand, and the rest loose."""
    from playproof.generator.exports.table import Deck, Table, decks_of

    decks: list[Deck] = []
    loose: list[Piece] = []
    placed: set[str] = set()
    for product, cards in builder.chosen(None, None):
        new = [card for card in cards if card.id not in placed and card.kind not in builder.looks.nets]
        placed |= {card.id for card in new}
        made, rest = decks_of(product.title(language), builder.pieces(new, language))
        decks += made
        loose += rest
    title = builder.game.titles.text(language)
    return Table(title, tuple(decks), tuple(loose), tuple(builder.figures(language)), tuple(builder.dice(language)))

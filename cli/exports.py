"""Files for print shops and virtual tables, from a builder's pieces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generator.build.run import Builder
    from generator.sheets import Piece


def for_vendor(builder: Builder, name: str, language: str) -> Iterator[Path]:
    """One file or folder a product that this shop can make, in `vendors/NAME`."""
    from database.errors import InputError
    from generator.exports.vendor import accepted, write_canvases, write_vendor_pdf
    from generator.profiles import profile

    shop = profile(name)
    folder = builder.out / "vendors" / name
    refused: list[InputError] = []
    made = 0
    for product, cards in builder.chosen(None, None):
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
    from generator.exports import tabletop_playground, tabletop_simulator, vassal
    from generator.exports.table import Deck, Table

    decks: list[Deck] = []
    boards: list[Piece] = []
    for kind, spec in builder.game.vocabulary.kinds.items():
        pieces = builder.pieces(builder.game.of_kind(kind), language)
        backed = [p for p in pieces if p.back is not None and p.size == pieces[0].size]
        boards += [p for p in pieces if p not in backed]
        if backed:
            decks.append(Deck((spec.plural or spec.name).get(language, kind), tuple(backed)))
    table = Table(builder.game.titles.text(language), tuple(decks), tuple(boards))
    folder = builder.out / "tables" / name
    folder.mkdir(parents=True, exist_ok=True)
    if name == "vassal":
        return vassal.write(table, folder / f"{builder.game.name}.vmod")
    write = tabletop_simulator.write if name == "tabletop-simulator" else tabletop_playground.write
    return write(table, folder)

"""Files for print shops and virtual tables, from a builder's pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.generator.files import write_atomically

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.generator.build.run import Builder
    from playproof.generator.exports.prepared import Prepared
    from playproof.generator.exports.virtual_table import Table
    from playproof.generator.profiles import Profile
    from playproof.generator.sheets import Piece


LEFT_OUT = "left-out.txt"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Pieces of one product that a shop does not make: which, and why."""

    product: str
    pieces: tuple[str, ...]
    why: str

    def __str__(self) -> str:
        some = ", ".join(self.pieces[:4]) + (", ..." if len(self.pieces) > 4 else "")
        return f"{self.product}: {self.why}" + (f" ({some})" if some else "")


def for_vendor(
    builder: Builder, name: str, language: str, products: Sequence[str] | None = None
) -> tuple[list[Path], list[LeftOut]]:
    """Files in `vendors/NAME`, one for each product and size that this shop makes; and what was left out, and why.

    What was left out stands in `left-out.txt` beside the files. Raises InputError where the shop makes nothing of it.
    """
    from playproof.database.errors import InputError
    from playproof.generator.exports.vendor import refusals
    from playproof.generator.profiles import profile
    from playproof.generator.sheets.pieces import by_size

    shop = profile(name)
    folder = builder.out / "vendors" / name
    made: list[Path] = []
    left: list[LeftOut] = []
    refused: list[Finding] = []
    for product in (p for p in builder.products if products is None or p.name in products):
        if product.book:
            left.append(LeftOut(product.name, (), f"{shop.title} gets no booklets from here; order it as a booklet"))
            continue
        pieces = builder.pieces_of(product, language)
        reasons = {piece.name: refusals(piece, shop) for piece in pieces}
        refused += [finding for found in reasons.values() for finding in found]
        left += _left_out(product.name, pieces, reasons)
        groups = by_size(piece for piece in pieces if not reasons[piece.name])
        for size, group in groups.items():
            suffix = f"-{size.width:g}x{size.height:g}" if len(groups) > 1 else ""
            path = folder / f"{product.name}{suffix}-{language}"
            try:
                made.append(_written(builder, shop, group, path, language))
            except InputError as error:
                left += [LeftOut(product.name, (), finding.message) for finding in error.findings]
    if not made and refused:
        raise InputError(refused)
    if left and made:
        write_atomically(folder / LEFT_OUT, "".join(f"{one}\n" for one in left).encode())
    return made, left


def _written(builder: Builder, shop: Profile, pieces: Sequence[Piece], path: Path, language: str) -> Path:
    """One file or folder for a shop. Raises InputError for more cards than it takes."""
    from playproof.generator.exports.vendor import write_canvases, write_vendor_pdf

    if shop.file == "pdf":
        path = path.with_name(f"{path.name}.pdf")
        write_vendor_pdf(pieces, shop, path, title=f"{builder.game.titles.text(language)}")
    else:
        write_canvases(pieces, shop, path)
    return path


def _left_out(product: str, pieces: Sequence[Piece], reasons: Mapping[str, Sequence[Finding]]) -> list[LeftOut]:
    """The pieces refused for one reason together, with their size."""
    together: dict[str, list[str]] = {}
    for piece in pieces:
        for finding in reasons[piece.name][:1]:
            said = finding.message.removeprefix(f"{piece.name}: ").removeprefix(f"{piece.name} ")
            hint = f"; {finding.hint}" if finding.hint else ""
            together.setdefault(said + hint, []).append(piece.name)
    return [LeftOut(product, tuple(names), why) for why, names in together.items()]


def for_table(builder: Builder, name: str, language: str, address: str = "") -> Path:
    """The whole game for one virtual table, in `tables/NAME`.

    `address` is where players' machines will find the pictures of Tabletop Simulator; `upload.txt` lists them.
    """
    from playproof.generator.exports import tabletop_playground, tabletop_simulator, vassal

    table = _table(builder, language)
    folder = builder.out / "tables" / name
    folder.mkdir(parents=True, exist_ok=True)
    if name == "vassal":
        return vassal.write(table, folder / f"{builder.game.name}.vmod")
    if name == "tabletop-simulator":
        return tabletop_simulator.write(table, folder, address)
    return tabletop_playground.write(table, folder)


def _table(builder: Builder, language: str) -> Table:
    """Every component once: cards as decks by their backs, dice, figures that stand, and the rest loose."""
    from playproof.generator.exports.virtual_table import Deck, Table, decks_of

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
    return Table(
        title, tuple(decks), tuple(loose), tuple(builder.figures(language)), tuple(builder.dice(language)),
        builder.rulebook(language), _prepared(builder, language),
    )  # fmt: skip


def _prepared(builder: Builder, language: str) -> Prepared:
    """Where the set-up puts what is printed: the table of a new game before its first decision, all hands open.

    A game without rules or without a `table.yaml` has no prepared table.
    """
    from playproof.generator.exports.prepared import Lying, Prepared
    from playproof.referee.match import Match
    from playproof.referee.variant import Variant
    from playproof.rules.registry import UnknownGame
    from playproof.table import Spread
    from playproof.table.placing import NoTable

    try:
        match = Match(Variant(str(builder.game.folder), {}, builder.looks.rulings))
        match.settle()
        scene = Spread(match.variant, builder.looks, language).scene(match.state)
    except (UnknownGame, NoTable):
        return Prepared()
    places: dict[str, list[Lying]] = {}
    corner = {surface.key: (surface.x - scene.width / 2, surface.y - scene.height / 2) for surface in scene.surfaces}
    for surface in scene.surfaces:
        if surface.picture is not None:
            x, y = corner[surface.key]
            middle = Lying(round(x + surface.width / 2, 2), round(y + surface.height / 2, 2))
            places.setdefault(surface.picture.component, []).append(middle)
    for piece in scene.pieces:
        x, y = corner[piece.surface]
        lying = Lying(round(x + piece.x, 2), round(y + piece.y, 2), piece.turn, piece.count or 1)
        places.setdefault(piece.picture.component, []).append(lying)
    grounds = frozenset(surface.picture.component for surface in scene.surfaces if surface.picture is not None)
    laid = {name: tuple(found) for name, found in places.items()}
    return Prepared(scene.width, scene.height, laid, grounds)

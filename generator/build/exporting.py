"""Write files for print shops and virtual tables from a builder's pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from playproof.database.errors import InputError, together
from playproof.database.files import write_atomically
from playproof.generator.type.font_book import drawn_in

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.generator.build.products import Product
    from playproof.generator.build.run import Builder
    from playproof.generator.exports.order import Entry
    from playproof.generator.exports.start_positions import Prepared
    from playproof.generator.exports.virtual_table import VirtualTable
    from playproof.generator.profiles import Profile
    from playproof.generator.sheets import Piece

LEFT_OUT = "left-out.txt"
ADAPTED = "adapted.txt"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Pieces of one product that a shop or a table does not get: their names, the reason, and the
    number of their copies."""

    product: str
    pieces: tuple[str, ...]
    why: str
    copies: int = 0

    def __str__(self) -> str:
        if not self.pieces:
            return f"{self.product}: {self.why}"
        some = ", ".join(self.pieces[:4]) + (", ..." if len(self.pieces) > 4 else "")
        return f"{self.product}: {self.copies} left out, {self.why} ({some})"


@dataclass(frozen=True, slots=True)
class Adaptation:
    """Pieces of one product that a shop gets otherwise than they are: scaled, or turned. `copies` counts them."""

    product: str
    pieces: tuple[str, ...]
    how: str
    copies: int

    def __str__(self) -> str:
        some = ", ".join(self.pieces[:4]) + (", ..." if len(self.pieces) > 4 else "")
        return f"{self.product}: {self.copies} {self.how} ({some})"


class Exported(NamedTuple):
    """What an export wrote, what it left out, and what it wrote otherwise than it is."""

    paths: list[Path]
    left_out: list[LeftOut]
    adapted: list[Adaptation]


Export = Callable[[], Exported]
P = ParamSpec("P")
R = TypeVar("R")


def _in_its_fonts(
    export: Callable[Concatenate[Builder, P], R],
) -> Callable[Concatenate[Builder, P], R]:
    """Let an export draw with the fonts of its game."""

    @wraps(export)
    def drawn(builder: Builder, /, *args: P.args, **named: P.kwargs) -> R:
        with drawn_in(builder.press.looks.fonts):
            return export(builder, *args, **named)

    return drawn


@_in_its_fonts
def for_vendor(builder: Builder, name: str, language: str, products: Sequence[str] | None = None) -> Export:
    """Return what writes files to `vendors/NAME`, one for each product and size that this shop makes.

    `order-LANGUAGE.json` beside the files lists each with its digest, and how often each card is in it;
    `left-out.txt` lists what was left out and why. Raises InputError if the shop makes nothing of it.
    """
    from playproof.generator.exports.vendor import refusals
    from playproof.generator.profiles import profile

    shop = profile(name, option="--vendor")
    accepted: dict[str, list[Piece]] = {}  # by product
    left: list[LeftOut] = []
    refused: list[Finding] = []
    for product in (p for p in builder.press.products if products is None or p.name in products):
        if product.book:
            why = f"{shop.title} gets no booklets from here; {shop.advice.book}"
            left.append(LeftOut(product.name, (), why))
            continue
        pieces = builder.press.pieces_of(product, language)
        if missing := builder.press.missing():  # a shop would print the frame in its place
            raise InputError([replace(finding, severity="error", hint="") for finding in missing])
        reasons = {piece.name: refusals(piece, shop) for piece in pieces}
        for findings in reasons.values():
            refused += findings
        left += _left_out(product.name, pieces, reasons)
        if taken := [piece for piece in pieces if not reasons[piece.name]]:
            accepted[product.name] = taken
    if not accepted and refused:
        raise InputError(together(refused))
    return partial(_to_vendor, builder, shop, language, accepted, left)


@_in_its_fonts
def _to_vendor(
    builder: Builder,
    shop: Profile,
    language: str,
    accepted: Mapping[str, Sequence[Piece]],
    left: list[LeftOut],
) -> Exported:
    from playproof.generator.exports.order import ORDER, entries, write_order

    folder = builder.out / "vendors" / shop.name
    made, adapted = list[Path](), list[Adaptation]()
    ordered: dict[str, Entry] = {}
    for product, pieces in accepted.items():
        for group, path in _by_file(shop, pieces, folder / product, language):
            try:
                made.append(_written(builder, shop, group, path, language))
                ordered |= entries(made[-1], group, folder)
                adapted += _adaptations(shop, product, group)
            except InputError as error:
                names, copies = tuple(piece.name for piece in group), sum(piece.count for piece in group)
                left += [LeftOut(product, names, finding.message, copies) for finding in error.findings]
    if made:
        made.append(
            write_order(folder / ORDER.format(language), builder.press.game.name, shop.title, ordered)
        )
    for name, lines in ((LEFT_OUT, left), (ADAPTED, adapted)):
        if lines and made:
            write_atomically(folder / name, "".join(f"{entry}\n" for entry in lines).encode())
    return Exported(made, left, adapted)


def _adaptations(shop: Profile, product: str, pieces: Sequence[Piece]) -> Iterator[Adaptation]:
    """Yield how pieces of one size are scaled to the shop's product, and how they are turned."""
    from playproof.generator.exports.vendor import product_of, scale_to, turn_of

    size, wanted = pieces[0].size, product_of(pieces[0], shop)
    names, copies = tuple(piece.name for piece in pieces), sum(piece.count for piece in pieces)
    if wanted is None:
        return
    called = f"{shop.name_of(wanted)}, {wanted.size.width:g} x {wanted.size.height:g} mm"
    scale = scale_to(size, wanted)
    if scale != 1:
        how = f"scaled to {scale:.1%}, from {size.width:g} x {size.height:g} mm to its {called}"
        yield Adaptation(product, names, how, copies)
    if turn_of(size, wanted, "front"):
        how = f"turned on their side for its {called}: fronts clockwise, backs the other way"
        yield Adaptation(product, names, how, copies)


def _by_file(
    shop: Profile, pieces: Sequence[Piece], stem: Path, language: str
) -> Iterator[tuple[tuple[Piece, ...], Path]]:
    """Yield the pieces of each size and the path of their file. If the pieces are scaled, the path
    names the shop's product."""
    from playproof.generator.exports.safe_names import slug
    from playproof.generator.exports.vendor import product_of, scale_to
    from playproof.generator.sheets.pieces import by_size

    groups = by_size(pieces)
    for size, group in groups.items():
        product = product_of(group[0], shop)
        suffix = f"-{size.width:g}x{size.height:g}" if len(groups) > 1 else ""
        if product is not None and scale_to(size, product) != 1:
            suffix += f"-{slug(shop.name_of(product))}"
        yield group, stem.with_name(f"{stem.name}{suffix}-{language}")


def _written(builder: Builder, shop: Profile, pieces: Sequence[Piece], path: Path, language: str) -> Path:
    """Write one file or folder for a shop and return its path. Raises InputError if the shop takes
    fewer cards."""
    from playproof.generator.exports.vendor import write_canvases, write_vendor_pdf

    if shop.file == "pdf":
        path = path.with_name(f"{path.name}.pdf")
        write_vendor_pdf(pieces, shop, path, title=f"{builder.press.game.titles.text(language)}")
    else:
        write_canvases(pieces, shop, path)
    return path


def _left_out(
    product: str, pieces: Sequence[Piece], reasons: Mapping[str, Sequence[Finding]]
) -> list[LeftOut]:
    """Return one entry for each reason, with all pieces refused for it. A piece counts under its
    first reason."""
    alike: dict[str, list[Piece]] = {}
    for piece in pieces:
        for finding in reasons[piece.name][:1]:
            hint = f"; {finding.hint}" if finding.hint else ""
            alike.setdefault(finding.message + hint, []).append(piece)
    entries = []
    for why, group in alike.items():
        names, copies = tuple(piece.name for piece in group), sum(piece.count for piece in group)
        entries.append(LeftOut(product, names, why, copies))
    return entries


@_in_its_fonts
def for_table(
    builder: Builder, name: str, language: str, prepared: Prepared, address: str = "", *, apart: bool = False
) -> Export:
    """Return what writes the whole game for one virtual table to `tables/NAME`, laid out as ``prepared`` says; below
    it to a folder of the language, if it stands `apart` from others. Raises InputError if it cannot be made.

    `address` is where players' machines find the pictures of Tabletop Simulator; `upload.txt` lists
    them. `left-out.txt` beside them lists what was left out.
    """
    from playproof.generator.exports.virtual_table import check_table

    table = table_of(builder, language, prepared)
    check_table(table)
    folder = builder.out / "tables" / name / (language if apart else "")
    return partial(_to_table, builder, name, table, folder, address)


@_in_its_fonts
def _to_table(builder: Builder, name: str, table: VirtualTable, folder: Path, address: str) -> Exported:
    from playproof.generator.exports import (
        card_game_simulator,
        playingcards_io,
        tabletop_playground,
        tabletop_simulator as simulator,
        vassal,
    )

    folder.mkdir(parents=True, exist_ok=True)
    left = list(_not_on_a_table(builder, name))
    if name == "card-game-simulator":
        tokens = card_game_simulator.left_out(table)
        names, copies = tuple(piece.name for piece in tokens), sum(piece.count for piece in tokens)
        left += [LeftOut("pieces", names, NO_TOKENS, copies)] if tokens else []
    if name in NO_RULEBOOK and table.rulebook and not address:
        left.append(LeftOut("rulebook", (), NO_RULEBOOK[name]))
    if name == "tabletop-simulator" and not address:
        left.append(LeftOut("pictures", (), ON_THIS_MACHINE))
    if left:
        write_atomically(folder / LEFT_OUT, "".join(f"{entry}\n" for entry in left).encode())
    write = {
        "vassal": lambda: vassal.write(table, folder / f"{builder.press.game.name}.vmod"),
        "tabletop-simulator": lambda: simulator.write(table, folder, address),
        "tabletop-playground": lambda: tabletop_playground.write(table, folder),
        "playingcards-io": lambda: playingcards_io.write(table, folder),
        "card-game-simulator": lambda: card_game_simulator.write(table, folder, address),
    }
    return Exported([write[name]()], left, [])


NO_DICE = ("tabletop-playground", "card-game-simulator")
NOT_ON_SCREEN = {
    "credits": "no program has a place for them; publish them beside the table, since icons and pictures ask for it",
    "box": "a box for cards holds nothing on a screen",
    "stickers": "stickers are for dice of wood or plastic",
    "wedge": "a stand for cards is folded from paper; on a screen cards lie in decks",
    "die": "nothing published says how the program takes a die with faces of its own, and a die that names the wrong "
    "face is worse than none; roll the program's own",
}


NO_TOKENS = "a game of the program holds cards and boards; use the program's own tokens and dice"
NO_RULEBOOK = {
    "playingcards-io": "a room has no place for a PDF; send it to the players",
    "card-game-simulator": "the program shows a rulebook by its address; publish the folder and build again with --url",
}
ON_THIS_MACHINE = (
    "the table names files of this machine, so everybody else sees white cards; upload the files of upload.txt and "
    "build again with --url and their address"
)


def _not_on_a_table(builder: Builder, name: str) -> Iterator[LeftOut]:
    """Yield what a virtual table does not get, with the reason."""
    nets = {layout.kind: layout.net for layout in builder.press.looks.layouts}
    for product in builder.press.products:
        lacks = _lacking(product)
        if lacks:
            yield LeftOut(product.name, (), NOT_ON_SCREEN[lacks])
            continue
        for kind in product.kinds:
            net = nets.get(kind)
            if net == "wedge" or (net == "die" and name in NO_DICE):
                cards = list(builder.press.game.of_kind(kind))
                copies = sum(card.count for card in cards)
                yield LeftOut(product.name, tuple(card.id for card in cards), NOT_ON_SCREEN[net], copies)


def _lacking(product: Product) -> str:
    """Return which product of paper this is that no screen needs, or "" for any other."""
    if product.book == "credits":
        return "credits"
    if product.box:
        return "box"
    return "stickers" if product.stickers else ""


def table_of(builder: Builder, language: str, prepared: Prepared) -> VirtualTable:
    """Return the table with every component once: cards in decks by their backs, dice, standing
    figures, and loose pieces."""
    from playproof.generator.exports.virtual_table import Deck, VirtualTable, decks_of

    press = builder.press
    decks: list[Deck] = []
    loose: list[Piece] = []
    placed: set[str] = set()
    for product, cards in builder.chosen(None, None):
        new = [card for card in cards if card.id not in placed and card.kind not in press.looks.nets]
        placed |= {card.id for card in new}
        made, rest = decks_of(product.titled(language), press.pieces(new, language))
        decks += made
        loose += rest
    figures, dice = tuple(press.figures(language)), tuple(press.dice(language))
    title = press.game.titles.text(language)
    rulebook = builder.books.rulebook(language)
    return VirtualTable(title, tuple(decks), tuple(loose), figures, dice, rulebook, prepared)

"""Write files for print shops and virtual tables from a builder's pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec, TypeVar

from playproof.database.errors import InputError, merge_findings_differing_in_subject
from playproof.database.files import write_file_atomically
from playproof.generator.type.fonts import use_fonts_as_default_within

if TYPE_CHECKING:
    from playproof.database.errors import Finding
    from playproof.generator.build.products import Product
    from playproof.generator.build.run import Builder
    from playproof.generator.exports.vendor import OrderEntry
    from playproof.generator.exports.virtual_table import TableSetup, VirtualTable
    from playproof.generator.sheets import Piece
    from playproof.generator.vendor_profiles import Profile


LEFT_OUT = "left-out.txt"
ADAPTED = "adapted.txt"


@dataclass(frozen=True, slots=True)
class OmittedPieces:
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


class ExportResult(NamedTuple):
    """What an export wrote, what it left out, and what it wrote otherwise than it is."""

    paths: list[Path]
    left_out: list[OmittedPieces]
    adapted: list[Adaptation]


WriteExport = Callable[[], ExportResult]
P = ParamSpec("P")
R = TypeVar("R")


def _decorate_export_to_use_game_fonts(
    export: Callable[Concatenate[Builder, P], R],
) -> Callable[Concatenate[Builder, P], R]:
    """Let an export draw with the fonts of its game."""

    @wraps(export)
    def drawn(builder: Builder, /, *args: P.args, **named: P.kwargs) -> R:
        with use_fonts_as_default_within(builder.press.looks.fonts):
            return export(builder, *args, **named)

    return drawn


@_decorate_export_to_use_game_fonts
def build_function_writing_print_shop_files(
    builder: Builder, shop_name: str, language: str, products: Sequence[str] | None = None
) -> WriteExport:
    """Return what writes files to `vendors/NAME`, one for each product and size that this shop makes.

    `order-LANGUAGE.json` beside the files lists each with its digest, and how often each card is in it;
    `left-out.txt` lists what was left out and why. Raises InputError if the shop makes nothing of it.
    """
    from playproof.generator.exports.vendor import list_reasons_vendor_rejects_piece
    from playproof.generator.vendor_profiles import read_vendor_profile_by_name_or_raise

    shop = read_vendor_profile_by_name_or_raise(shop_name, option_in_message="--vendor")
    accepted: dict[str, list[Piece]] = {}  # by product
    left: list[OmittedPieces] = []
    refused: list[Finding] = []
    for product in (p for p in builder.press.products if products is None or p.name in products):
        if product.book:
            why = f"{shop.title} gets no booklets from here; {shop.advice.book}"
            left.append(OmittedPieces(product.name, (), why))
            continue
        pieces = builder.press.build_all_pieces_of_product(product, language)
        if missing := builder.press.list_missing_picture_findings():  # a shop would print the frame in its place
            raise InputError([replace(finding, severity="error", hint="") for finding in missing])
        reasons = {piece.name: list_reasons_vendor_rejects_piece(piece, shop) for piece in pieces}
        for findings in reasons.values():
            refused += findings
        left += _group_refused_pieces_by_reason(product.name, pieces, reasons)
        if taken := [piece for piece in pieces if not reasons[piece.name]]:
            accepted[product.name] = taken
    if not accepted and refused:
        raise InputError(merge_findings_differing_in_subject(refused))
    return partial(_write_vendor_files, builder, shop, language, accepted, left)


@_decorate_export_to_use_game_fonts
def _write_vendor_files(
    builder: Builder,
    shop: Profile,
    language: str,
    accepted_pieces_by_product: Mapping[str, Sequence[Piece]],
    refused_pieces: Sequence[OmittedPieces],
) -> ExportResult:
    from playproof.generator.exports.vendor import ORDER, build_order_entries_by_relative_path, write_order_manifest

    folder = builder.out / "vendors" / shop.name
    made, left, adapted = list[Path](), list(refused_pieces), list[Adaptation]()
    ordered: dict[str, OrderEntry] = {}
    for product, pieces in accepted_pieces_by_product.items():
        for group, path in _iter_pieces_and_file_path_by_size(shop, pieces, folder / product, language):
            try:
                made.append(_write_vendor_pdf_or_pictures(builder, shop, group, path, language))
                ordered |= build_order_entries_by_relative_path(made[-1], group, folder)
                adapted += _iter_notes_on_scaled_or_turned_pieces(shop, product, group)
            except InputError as error:
                names, copies = tuple(piece.name for piece in group), sum(piece.count for piece in group)
                left += [OmittedPieces(product, names, finding.message, copies) for finding in error.findings]
    if made:
        made.append(write_order_manifest(folder / ORDER.format(language), builder.press.game.name, shop.title, ordered))
    for name, lines in ((LEFT_OUT, left), (ADAPTED, adapted)):
        if lines and made:
            write_file_atomically(folder / name, "".join(f"{entry}\n" for entry in lines).encode())
    return ExportResult(made, left, adapted)


def _iter_notes_on_scaled_or_turned_pieces(
    shop: Profile, product: str, pieces: Sequence[Piece]
) -> Iterator[Adaptation]:
    """Yield how pieces of one size are scaled to the shop's product, and how they are turned."""
    from playproof.generator.exports.vendor import (
        compute_scale_to_fill_product_or_one,
        find_vendor_product_of_piece_or_none,
        get_clockwise_degrees_for_product,
    )

    size, wanted = pieces[0].size, find_vendor_product_of_piece_or_none(pieces[0], shop)
    names, copies = tuple(piece.name for piece in pieces), sum(piece.count for piece in pieces)
    if wanted is None:
        return
    called = f"{shop.get_name_of_own_product(wanted)}, {wanted.size.width:g} x {wanted.size.height:g} mm"
    scale = compute_scale_to_fill_product_or_one(size, wanted)
    if scale != 1:
        how = f"scaled to {scale:.1%}, from {size.width:g} x {size.height:g} mm to its {called}"
        yield Adaptation(product, names, how, copies)
    if get_clockwise_degrees_for_product(size, wanted, "front"):
        how = f"turned on their side for its {called}: fronts clockwise, backs the other way"
        yield Adaptation(product, names, how, copies)


def _iter_pieces_and_file_path_by_size(
    shop: Profile, pieces: Sequence[Piece], stem: Path, language: str
) -> Iterator[tuple[tuple[Piece, ...], Path]]:
    """Yield the pieces of each size and the path of their file. If the pieces are scaled, the path
    names the shop's product."""
    from playproof.generator.exports.vendor import (
        compute_scale_to_fill_product_or_one,
        find_vendor_product_of_piece_or_none,
    )
    from playproof.generator.exports.virtual_table import slugify_name
    from playproof.generator.sheets.pieces import group_pieces_by_trimmed_size

    groups = group_pieces_by_trimmed_size(pieces)
    for size, group in groups.items():
        product = find_vendor_product_of_piece_or_none(group[0], shop)
        suffix = f"-{size.width:g}x{size.height:g}" if len(groups) > 1 else ""
        if product is not None and compute_scale_to_fill_product_or_one(size, product) != 1:
            suffix += f"-{slugify_name(shop.get_name_of_own_product(product))}"
        yield group, stem.with_name(f"{stem.name}{suffix}-{language}")


def _write_vendor_pdf_or_pictures(
    builder: Builder, shop: Profile, pieces: Sequence[Piece], path_without_suffix: Path, language: str
) -> Path:
    """Write one file or folder for a shop and return its path. Raises InputError if the shop takes
    fewer cards."""
    from playproof.generator.exports.vendor import write_vendor_pdf_and_get_pages, write_vendor_pngs_and_delete_old

    if shop.file == "pdf":
        path_without_suffix = path_without_suffix.with_name(f"{path_without_suffix.name}.pdf")
        write_vendor_pdf_and_get_pages(
            pieces, shop, path_without_suffix, title=f"{builder.press.game.titles.text(language)}"
        )
    else:
        write_vendor_pngs_and_delete_old(pieces, shop, path_without_suffix)
    return path_without_suffix


def _group_refused_pieces_by_reason(
    product: str, pieces: Sequence[Piece], refusals_by_piece_name: Mapping[str, Sequence[Finding]]
) -> list[OmittedPieces]:
    """Return one entry for each reason, with all pieces refused for it. A piece counts under its
    first reason."""
    alike: dict[str, list[Piece]] = {}
    for piece in pieces:
        for finding in refusals_by_piece_name[piece.name][:1]:
            hint = f"; {finding.hint}" if finding.hint else ""
            alike.setdefault(finding.message + hint, []).append(piece)
    entries = []
    for why, group in alike.items():
        names, copies = tuple(piece.name for piece in group), sum(piece.count for piece in group)
        entries.append(OmittedPieces(product, names, why, copies))
    return entries


@_decorate_export_to_use_game_fonts
def build_function_writing_table_files(
    builder: Builder,
    program_name: str,
    language: str,
    table_setup: TableSetup,
    base_url: str = "",
    *,
    in_language_folder: bool = False,
) -> WriteExport:
    """Return what writes the whole game for one virtual table to `tables/NAME`, laid out as ``table_setup`` says; below
    it to a folder of the language, with `in_language_folder`. Raises InputError if it cannot be made.

    `base_url` is where players' machines find the pictures of Tabletop Simulator; `upload.txt` lists
    them. `left-out.txt` beside them lists what was left out.
    """
    from playproof.generator.exports.virtual_table import refuse_impossible_virtual_table

    table = build_virtual_table_of_game(builder, language, table_setup)
    refuse_impossible_virtual_table(table)
    folder = builder.out / "tables" / program_name / (language if in_language_folder else "")
    return partial(_write_table_files_and_left_out, builder, program_name, table, folder, base_url)


@_decorate_export_to_use_game_fonts
def _write_table_files_and_left_out(
    builder: Builder, program_name: str, table: VirtualTable, folder: Path, base_url: str
) -> ExportResult:
    from playproof.generator.exports import (
        card_game_simulator,
        playingcards_io,
        tabletop_playground,
        tabletop_simulator as simulator,
        vassal,
    )

    folder.mkdir(parents=True, exist_ok=True)
    left = list(_iter_pieces_omitted_on_virtual_table(builder, program_name))
    if program_name == "card-game-simulator":
        tokens = card_game_simulator.list_tokens_and_figures_left_out(table)
        names, copies = tuple(piece.name for piece in tokens), sum(piece.count for piece in tokens)
        left += [OmittedPieces("pieces", names, NO_TOKENS, copies)] if tokens else []
    if program_name in NO_RULEBOOK and table.rulebook and not base_url:
        left.append(OmittedPieces("rulebook", (), NO_RULEBOOK[program_name]))
    if program_name == "tabletop-simulator" and not base_url:
        left.append(OmittedPieces("pictures", (), ON_THIS_MACHINE))
    if left:
        write_file_atomically(folder / LEFT_OUT, "".join(f"{entry}\n" for entry in left).encode())
    write = {
        "vassal": lambda: vassal.write_vassal_module_file(table, folder / f"{builder.press.game.name}.vmod"),
        "tabletop-simulator": lambda: simulator.write_tabletop_simulator_files(table, folder, base_url),
        "tabletop-playground": lambda: tabletop_playground.write_tabletop_playground_package(table, folder),
        "playingcards-io": lambda: playingcards_io.write_playingcards_room_file(table, folder),
        "card-game-simulator": lambda: card_game_simulator.write_card_game_simulator_folder_and_zip(
            table, folder, base_url
        ),
    }
    return ExportResult([write[program_name]()], left, [])


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


def _iter_pieces_omitted_on_virtual_table(builder: Builder, program_name: str) -> Iterator[OmittedPieces]:
    """Yield what a virtual table does not get, with the reason."""
    nets = {layout.kind: layout.net for layout in builder.press.looks.layouts}
    for product in builder.press.products:
        lacks = _get_paper_only_kind_or_empty(product)
        if lacks:
            yield OmittedPieces(product.name, (), NOT_ON_SCREEN[lacks])
            continue
        for kind in product.kinds:
            net = nets.get(kind)
            if net == "wedge" or (net == "die" and program_name in NO_DICE):
                cards = list(builder.press.game.of_kind(kind))
                copies = sum(card.count for card in cards)
                yield OmittedPieces(product.name, tuple(card.id for card in cards), NOT_ON_SCREEN[net], copies)


def _get_paper_only_kind_or_empty(product: Product) -> str:
    """Return which product of paper this is that no screen needs, or "" for any other."""
    if product.book == "credits":
        return "credits"
    if product.box:
        return "box"
    return "stickers" if product.stickers else ""


def build_virtual_table_of_game(builder: Builder, language: str, table_setup: TableSetup) -> VirtualTable:
    """Return the table with every component once: cards in decks by their backs, dice, standing
    figures, and loose pieces."""
    from playproof.generator.exports.virtual_table import Deck, VirtualTable, split_into_decks_and_loose_pieces

    press = builder.press
    decks: list[Deck] = []
    loose: list[Piece] = []
    placed: set[str] = set()
    for product, cards in builder.select_unboxed_products_with_components(None, None):
        new = [card for card in cards if card.id not in placed and card.kind not in press.looks.nets]
        placed |= {card.id for card in new}
        made, rest = split_into_decks_and_loose_pieces(
            product.get_product_title_or_name(language), press.build_pieces_of_components_or_raise(new, language)
        )
        decks += made
        loose += rest
    figures, dice = (
        tuple(press.build_flat_standee_pieces_or_raise(language)),
        tuple(press.build_virtual_table_dice(language)),
    )
    title = press.game.titles.text(language)
    rulebook = builder.books.render_rulebook_pdf_or_no_bytes(language)
    return VirtualTable(title, tuple(decks), tuple(loose), figures, dice, rulebook, table_setup)

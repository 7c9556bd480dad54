"""Jobs for sheets: each product on each paper, one "Print me" file of all of them, and pictures of
single faces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product as pairs
from pathlib import Path

from playproof.database.components import Component
from playproof.database.effect_text import pick_language
from playproof.database.errors import FindingCollector
from playproof.database.files import make_file_names
from playproof.generator.build.fingerprint import hash_parts
from playproof.generator.build.hand import choose_hand_cards
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.build.workers import FileJob
from playproof.generator.papercraft import CardStock
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.scene import Face, Page
from playproof.generator.sheets import (
    Piece,
    Plan,
    Printer,
    can_fit_on_paper,
    group_by_size,
    impose_board,
    impose_pieces,
    parse_paper,
    split_board_into_tiles,
)
from playproof.generator.sheets.cutting import format_outlines_as_dxf, format_outlines_as_svg
from playproof.generator.sheets.impose import list_outlines_to_cut
from playproof.generator.wording import SheetWording

PRINT_ME = "print-me"  # the name of the file that holds all sheets
NAMED = 5  # components that a sheet's margin names as left out
PREVIEW = 110.0  # dots per inch


class SheetJobFactory:
    """Makes jobs for sheets, below one folder. ``note`` is printed in the margin of each."""

    def __init__(self, press: Press, out: Path, *, printer: Printer | None = None, note: str = "") -> None:
        self.press = press
        self.out = out
        self.printer = printer
        self.note = note
        self.face_dpi = PREVIEW  # dots to the inch of faces as PNG

    def create_sheet_job(
        self,
        product: Product,
        cards: tuple[Component, ...],
        page: str,
        language: str,
        sheet: str | None,
        partial: bool,
    ) -> FileJob:
        """Return the job that makes one product's PDF on one paper in one language.

        A product that is too large for ``sheet`` is laid out by its own sheet plan, and the job's
        note says so. A product without backs is never folded.
        """
        layout, note, stock = (
            self.press.get_sheet_plan(sheet or product.sheet, parse_paper(page)),
            "",
            self.press.get_product_stock(product, sheet),
        )
        # the box itself is not folded like its cards, but it is deeper
        if product.box is not None and stock.folded:
            layout = self.press.get_sheet_plan(product.sheet, parse_paper(page))
        elif layout.backs == "gutterfold" and not self._has_backs_to_fold(product, cards):
            layout, sheet = self.press.get_sheet_plan(product.sheet, parse_paper(page)), None
        elif sheet and not self._fits_on_paper(product, cards, layout, language):
            note = (
                f"{product.name}: too large for {sheet} on {layout.paper.name}; laid out as {product.sheet}"
            )
            layout, sheet = self.press.get_sheet_plan(product.sheet, parse_paper(page)), None
        name = product.name + ("-selection" if partial else "") + (f"-{sheet}" if sheet else "")
        path = self.out / "print" / get_paper_folder_name(page) / f"{name}-{language}.pdf"
        drawn = (
            self._list_box_dimensions(cards, language)
            if product.box is not None
            else list(map(self.press.hash_printed_content, cards))
        )
        print_ = hash_parts(
            self.press.hash_inputs_shared_by_files(language),
            layout,
            self.printer,
            self.note,
            product,
            stock,
            *drawn,
            self.press.list_left_out_components(product),
        )
        group = f"{product.name} {language} {layout.low_ink}"
        return FileJob(
            path,
            print_,
            group,
            2 * len(cards),
            lambda: self._render_sheets(product, cards, layout, language, stock),
            note,
            product.name,
        )

    def create_cut_jobs(
        self, product: Product, cards: tuple[Component, ...], page: str, language: str, sheet: str | None
    ) -> list[FileJob]:
        """Return the jobs that write what a cutting machine cuts, as SVG and as DXF, beside the sheets; none if the
        sheet plan is not for a machine. The sheets that are cut alike have one file, whatever their language."""
        layout = self.press.get_sheet_plan(sheet or product.sheet, parse_paper(page))
        if layout.registration == "none" or product.tiled or product.box is not None:
            return []
        if all(card.kind in self.press.looks.nets for card in cards):
            return []
        sheets = self.create_sheet_job(product, cards, page, language, sheet, False)
        if sheets.note:  # too large for this plan
            return []

        def make(written: Callable[..., bytes]) -> Callable[[], tuple[bytes, int, int]]:
            def made() -> tuple[bytes, int, int]:
                stock = self.press.get_product_stock(product, sheet)
                pieces = self.press.build_pieces_for_plan(layout, product, cards, language, stock)
                size, layers = list_outlines_to_cut(pieces, layout)
                return written(size, layers), 1, _count_copies(pieces)

            return made

        return [
            sheets._replace(path=sheets.path.with_suffix(f".cut.{kind}"), make=make(written), note="")
            for kind, written in (("svg", format_outlines_as_svg), ("dxf", format_outlines_as_dxf))
        ]

    def _list_box_dimensions(self, cards: tuple[Component, ...], language: str) -> list[str]:
        """Return what a box depends on: how many cards it holds, and their sizes."""
        layouts = [self.press.looks.find_layout(card, language) for card in cards]
        sizes = sorted({f"{layout.width} {layout.height}" for layout in layouts if layout is not None})
        return [str(sum(card.count for card in cards)), *sizes]

    def _has_backs_to_fold(self, product: Product, cards: tuple[Component, ...]) -> bool:
        """Return whether the product has backs to fold behind fronts."""
        return (
            product.box is None
            and not product.tiled
            and any("back" in self.press.list_sides(card) for card in cards)
        )

    def _fits_on_paper(
        self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str
    ) -> bool:
        """Return whether every piece of a product fits on the plan's paper. Boards are tiled, so
        they always fit."""
        if product.tiled:
            return True
        if product.box is not None:
            pieces = [self.press.build_tuckbox_piece(layout, product, cards, language, self.press.stock)]
        else:
            pieces = [
                Piece(card.id, face)
                for card in cards
                if (face := self._build_face_of_card_size(card, language)) is not None
            ]
        return can_fit_on_paper(pieces, layout)

    def _build_face_of_card_size(self, card: Component, language: str) -> Face | None:
        """Return a face of the card's size. Only a card that is folded from a net must be drawn to
        know its size."""
        if card.kind in self.press.looks.nets:
            return self.press.draw_face(card, "front", language, FindingCollector())
        layout = self.press.looks.find_layout(card, language)
        return Face(card.id, layout.width, layout.height, ()) if layout is not None else None

    def _render_sheets(
        self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str, stock: CardStock
    ) -> tuple[bytes, int, int]:
        pieces = self.press.build_pieces_for_plan(layout, product, cards, language, stock)
        title = f"{self.press.game.titles.text(language)} · {product.get_title(language)}"
        title = self._format_margin_line(title, self.press.list_left_out_components(product), language)
        pages: list[Page] = []
        if product.tiled:
            for piece in pieces:
                pages += impose_board(piece, layout, title=title, language=language)
            if layout.instructions:
                from playproof.generator.sheets.assembly_page import build_assembly_page

                parted = [
                    piece
                    for piece in _merge_boards_of_same_size(pieces)
                    if len(split_board_into_tiles(piece.front, piece, layout).tiles) > 1
                ]
                pages += [
                    build_assembly_page(piece, layout, title=title, language=language) for piece in parted
                ]
        else:
            pages += impose_pieces(pieces, layout, title=title, printer=self.printer, language=language)
            if layout.instructions:
                from playproof.generator.sheets.instructions import build_instructions_page

                pages.append(build_instructions_page(pieces, layout, title=title, language=language))
        data = render_pdf(pages, metadata=Metadata(title, language=language), pool=self.press.pool)
        return data, len(pages), _count_copies(pieces)

    def create_print_me_job(self, page: str, language: str) -> FileJob:
        """Return the job that makes one file of everything: the contents, how to print and cut
        them, then all sheets."""
        products = [p for p in self.press.products if p.book is None and not p.stickers]
        cards = [card for product in products for card in self.press.list_product_components(product)]
        path = self.out / "print" / get_paper_folder_name(page) / f"{PRINT_ME}-{language}.pdf"
        plans = [self.press.get_sheet_plan(product.sheet, parse_paper(page)) for product in products]
        press = self.press
        prints = map(press.hash_printed_content, cards)
        base = press.hash_inputs_shared_by_files(language)
        missing = sorted(press.left_out)
        print_ = hash_parts(
            base, *plans, self.printer, self.note, press.stock, *press.products, *prints, missing
        )
        group = f"{products[0].name} {language} {plans[0].low_ink}"
        return FileJob(
            path,
            print_,
            group,
            2 * len(cards),
            lambda: self._render_print_me(products, page, language),
            of=PRINT_ME,
        )

    def _render_print_me(
        self, products: Sequence[Product], page: str, language: str
    ) -> tuple[bytes, int, int]:
        from playproof.generator.sheets.gang import ProductToPrint, lay_out_products_on_sheets
        from playproof.generator.sheets.printme import PrintMeContents, build_print_me_pages

        wanted = []
        for product in products:
            layout = self.press.get_sheet_plan(product.sheet, parse_paper(page))
            cards = self.press.list_product_components(product)
            if not cards:
                continue
            stock = self.press.get_product_stock(product, None)
            pieces = self.press.build_pieces_for_plan(layout, product, cards, language, stock)
            other = next((other for other in self.press.products if other.name == product.instead_of), None)
            instead_of = other.get_title(language) if other is not None else ""
            wanted.append(
                ProductToPrint(product.get_title(language), tuple(pieces), layout, product.tiled, instead_of)
            )
        facts, say = self.press.game.facts, SheetWording(language)
        counted = [f"{part.count} {pick_language(part.name, language)}" for part in facts.components]
        if not counted:
            counted = [
                f"{share.title}: {say.format_count('piece', _count_copies(share.pieces))}" for share in wanted
            ]
        also = [f"{need.count} {pick_language(need.name, language)}" for need in facts.also]
        books = [product.get_title(language) for product in self.press.products if product.book == "rulebook"]
        title = self.press.game.titles.text(language)
        left_out = [
            *dict.fromkeys(name for each in products for name in self.press.list_left_out_components(each))
        ]
        title_of_sheets = self._format_margin_line(title, left_out, language)
        parts = lay_out_products_on_sheets(
            wanted, title=title_of_sheets, printer=self.printer, language=language
        )
        pages = build_print_me_pages(
            parts, parse_paper(page), PrintMeContents(title, counted, also, books), language=language
        )
        data = render_pdf(pages, metadata=Metadata(title, language=language), pool=self.press.pool)
        return data, len(pages), sum(_count_copies(share.pieces) for share in wanted)

    def _format_margin_line(self, title: str, left_out: Sequence[str], language: str) -> str:
        """Return the line in the margin of sheets: the title, the note, and which components are left out."""
        words = [title, self.note]
        if left_out:
            named, more = ", ".join(left_out[:NAMED]), len(left_out) - NAMED
            say = SheetWording(language)
            words.append(
                say("without more", names=named, n=more) if more > 0 else say("without", names=named)
            )
        return " · ".join(word for word in words if word)

    def create_face_jobs(
        self, cards: tuple[Component, ...], language: str, formats: Sequence[str], low_ink: bool = False
    ) -> list[FileJob]:
        """Return the jobs that make SVG and PNG pictures of single faces."""
        jobs, ink = [], "-lowink" if low_ink else ""
        names = make_file_names(self.press.game.components)
        for kind in ("svg", "png"):
            if kind not in formats:
                continue
            for card in cards:
                for side, copy in pairs(
                    self.press.list_sides(card), self.press.looks.list_numbered_copies(card)
                ):
                    name = f"{names[card.id]}-{copy}" if copy else names[card.id]
                    path = self.out / kind / language / f"{name}.{side}{ink}.{kind}"
                    dots = self.face_dpi if kind == "png" else 0
                    base, own = (
                        self.press.hash_inputs_shared_by_files(language),
                        self.press.hash_printed_content(card),
                    )
                    print_ = hash_parts(base, kind, side + ink, copy, own, dots)
                    group = f"{card.id} {copy} {side} {language}{ink}"
                    make = self._create_picture_maker(card, side, language, kind, low_ink, copy)
                    jobs.append(FileJob(path, print_, group, 10, make, of=card.id))
        return jobs

    def create_showcase_jobs(
        self, products: Sequence[tuple[Product, tuple[Component, ...]]], language: str
    ) -> list[FileJob]:
        """Return the job that makes a picture of a hand of the products' cards; none if they hold no cards."""
        cards = choose_hand_cards(self.press, products)
        if not cards:
            return []
        print_ = hash_parts(
            self.press.hash_inputs_shared_by_files(language),
            "showcase",
            *map(self.press.hash_printed_content, cards),
        )
        path = self.out / f"showcase-{language}.png"
        return [
            FileJob(path, print_, f"showcase {language}", 40, lambda: self._render_showcase(cards, language))
        ]

    def _render_showcase(self, cards: Sequence[Component], language: str) -> tuple[bytes, int, int]:
        from playproof.generator.exports.raster import encode_png
        from playproof.generator.exports.showcase import draw_showcase

        pieces = self.press.build_pieces(cards, language)
        return encode_png(draw_showcase([piece.front for piece in pieces][: len(cards)])), 1, len(cards)

    def _create_picture_maker(
        self, card: Component, side: str, language: str, kind: str, low_ink: bool, copy: str
    ) -> Callable[[], tuple[bytes, int, int]]:
        def make() -> tuple[bytes, int, int]:
            collector = FindingCollector()
            face = self.press.draw_marked_face(card, side, language, collector, low_ink, copy)
            collector.raise_if_errors()
            assert face is not None  # otherwise check() has raised
            if kind == "svg":
                from playproof.generator.svg import render_face_to_svg

                fonts = self.press.get_renderer(low_ink).fonts
                return render_face_to_svg(face, bleed=face.bleed, fonts=fonts).encode(), 1, 1
            # The outermost cuts of a net run along its edge: without its bleed half of each line is lost.
            bleed = face.bleed if self.press.looks.get_net_kind(card) else 0.0
            return self._render_png(face, bleed), 1, 1

        return make

    def _render_png(self, face: Face, bleed: float) -> bytes:
        from playproof.generator.exports.raster import build_face_page
        from playproof.generator.png import render_pdf_pages_to_png

        data = render_pdf([build_face_page(face, bleed)], metadata=Metadata(face.name), pool=self.press.pool)
        return next(render_pdf_pages_to_png(data, self.face_dpi))


def _merge_boards_of_same_size(pieces: Sequence[Piece]) -> list[Piece]:
    """Return one board of each size, with the count of all boards of that size. Boards of one size
    are assembled alike."""
    return [replace(group[0], count=_count_copies(group)) for group in group_by_size(pieces).values()]


def _count_copies(pieces: Sequence[Piece]) -> int:
    return sum(piece.count for piece in pieces)


def get_paper_folder_name(page: str) -> str:
    """Return a paper's name as the name of a folder."""
    return page.replace("/", "-").replace(" ", "")

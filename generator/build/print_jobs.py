"""Jobs for printed files: each product on each paper, one "Print me" file of all of them, pictures of the
cards, and booklets for reading or for folding and stitching."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product as pairs
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.database.components import Component
from playproof.database.effect_text import pick_language
from playproof.database.errors import FindingCollector
from playproof.database.files import make_file_names
from playproof.generator.build.file_jobs import FileJob, hash_files, hash_parts, to_canonical_text
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.layout.layout_files import Layout
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.papercraft import CardStock
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.scene import Face, Page
from playproof.generator.sheets import (
    Paper,
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
from playproof.generator.sheets.imposition import list_outlines_to_cut
from playproof.generator.sheets.marks import format_outlines_as_dxf, format_outlines_as_svg
from playproof.generator.wording import SheetWording

if TYPE_CHECKING:
    from playproof.generator.book.booklets import UnpaddedBook
    from playproof.generator.book.face_pictures import BookFaceRenderer
    from playproof.generator.book.page_flow import BookPage
    from playproof.generator.book.play_interface import RecordedGamePlayer


# -- sheets --------------------------------------------------------------------------------------------------
# Jobs for sheets: each product on each paper, one "Print me" file of all of them, and pictures of single
# faces.

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
                from playproof.generator.sheets.boards import build_assembly_page

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
        from playproof.generator.sheets.gang_sheets import ProductToPrint, lay_out_products_on_sheets
        from playproof.generator.sheets.instructions import PrintMeContents, build_print_me_pages

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
        from playproof.generator.exports.raster import draw_showcase, encode_png

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
        from playproof.generator.exports.raster import build_face_page, render_pdf_pages_to_png

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


# -- books ---------------------------------------------------------------------------------------------------
# Jobs for booklets: pages for reading, and sheets that are folded and stitched.


class BookletJobFactory:
    """Makes jobs for booklets, below one folder. ``plays`` plays the examples of rulebooks."""

    def __init__(self, press: Press, out: Path, *, plays: RecordedGamePlayer | None = None) -> None:
        self.press = press
        self.out = out
        self.plays = plays
        self.names_rules = False  # whether margins name rules even if the layout does not say so
        self._unfilled: dict[tuple[str, bool, tuple[float, float] | None], UnpaddedBook] = {}
        self._faces: dict[tuple[str, bool], BookFaceRenderer] = {}

    def create_booklet_jobs(
        self, product: Product, papers: Sequence[str], language: str, sheet: str | None
    ) -> list[FileJob]:
        """Return the jobs that make a booklet: single pages for reading, and folded sheets on each
        paper.

        A page is A5 on A4 and half a Letter on Letter. Credits are for reading only.
        """
        low_ink = self.press.is_low_ink_plan(sheet)
        suffix = f"{'-lowink' if low_ink else ''}-{language}.pdf"
        # Credits tell nothing of the game.
        content_print = self._hash_rulebook_inputs(language) if product.book == "rulebook" else ""
        print_ = hash_parts(
            self.press.hash_inputs_shared_by_files(language),
            product,
            low_ink,
            content_print,
            self.names_rules,
        )
        group = (
            f"{product.name} {language} {low_ink}"  # all sizes: the moves are played and the table drawn once
        )
        folder = self.out / "print"
        jobs = [
            FileJob(
                folder / f"{product.name}{suffix}",
                hash_parts(print_, "pages"),
                group,
                10,
                lambda: self._render_booklet(product, language, low_ink, None),
                of=product.name,
            )
        ]
        if product.book == "credits":
            return jobs
        for name in papers:
            on = parse_paper(name)
            own = build_half_sheet_layout(self.press.looks, on)
            for how, folded in (("booklet", True), ("pages", False)):
                if not folded and own is None:
                    continue  # the book's own size is half of this paper: these pages are made above
                path = folder / get_paper_folder_name(name) / f"{product.name}-{how}{suffix}"
                make = partial(self._render_booklet, product, language, low_ink, on, folded)
                jobs.append(FileJob(path, hash_parts(print_, how, on), group, 10, make, of=product.name))
        return jobs

    def _hash_rulebook_inputs(self, language: str) -> str:
        """Return the hash of what rulebooks depend on besides what every file depends on."""
        from playproof.database.rulebook_text import list_document_files

        book = self.press.game.rulebook
        words = hash_files(list(list_document_files(self.press.game.folder, language)))
        played = self.plays.fingerprint_rules(self.press.game.folder) if self.plays is not None else ""
        cards = hash_parts(*map(self.press.hash_printed_content, self.press.game.components.values()))
        edits = to_canonical_text(self.press.game.edits)
        return hash_parts(
            to_canonical_text(book.rules), to_canonical_text(book.rulings), words, played, cards, edits
        )

    def _render_booklet(
        self, product: Product, language: str, low_ink: bool, folded_paper: Paper | None, folded: bool = False
    ) -> tuple[bytes, int, int]:
        """Return a booklet as PDF, with its numbers of pages and cards: single pages, or
        ``folded`` sheets of a paper; both are tagged."""
        from playproof.generator.book import build_credits_pages, impose_saddle_stitched
        from playproof.generator.book.booklets import PAGES, pad_to_page_multiple

        looks = self.press.get_renderer(low_ink)
        if product.book == "credits":
            leaves = build_credits_pages(self.press.game, looks, language)
        else:
            leaves = pad_to_page_multiple(
                self._compose_rulebook_once(
                    language, low_ink, self._get_rulebook_layout(looks, folded_paper)
                ),
                PAGES if folded else 1,
            )
        if folded and folded_paper is not None:
            pages = impose_saddle_stitched(leaves, folded_paper.height, folded_paper.width)
        else:
            pages = [leaf.page for leaf in leaves]
        title = f"{self.press.game.titles.text(language)} · {product.get_title(language)}"
        data = render_pdf(pages, metadata=Metadata(title, language=language), pool=self.press.pool)
        return data, len(pages), 0

    def _get_rulebook_layout(self, looks: LayoutRenderer, folded_paper: Paper | None) -> Layout | None:
        """Return the layout of the rulebook's pages; None if it is that of the looks."""
        layout = build_half_sheet_layout(looks, folded_paper)
        if not self.names_rules or looks.book is None:
            return layout
        return replace(layout or looks.book, rule_ids=True)

    def _compose_rulebook_once(self, language: str, low_ink: bool, layout: Layout | None) -> UnpaddedBook:
        """Return the rulebook's pages, set once for reading and for folding."""
        from playproof.generator.book.booklets import compose_unpadded_rulebook
        from playproof.generator.book.face_pictures import BookFaceRenderer

        key = (language, low_ink, None if layout is None else (layout.width, layout.height))
        if key not in self._unfilled:
            looks = self.press.get_renderer(low_ink)
            faces = self._faces.setdefault((language, low_ink), BookFaceRenderer(looks, language))
            self._unfilled[key] = compose_unpadded_rulebook(
                self.press.game, looks, language, self.plays, layout, faces
            )
        return self._unfilled[key]

    def render_rulebook(self, language: str) -> bytes:
        """Return the rulebook as PDF, or no bytes if no product is a rulebook."""
        books = [product for product in self.press.products if product.book == "rulebook"]
        return self._render_booklet(books[0], language, False, None)[0] if books else b""

    def list_rulebook_pages(self, language: str) -> list[Page]:
        """Return each page of the rulebook, to compare it with those of another version. Raises InputError if the book
        cannot be printed."""
        return [leaf.page for leaf in self._compose_reading_pages(language)]

    def render_selected_pages(self, language: str, numbers: Sequence[int]) -> bytes:
        """Return some pages of the rulebook as one PDF; numbers count from 1."""
        leaves = self._compose_reading_pages(language)
        title = f"{self.press.game.titles.text(language)} · {', '.join(map(str, numbers))}"
        pages = [leaves[number - 1].page for number in numbers]
        return render_pdf(pages, metadata=Metadata(title, language=language), pool=self.press.pool)

    def _compose_reading_pages(self, language: str) -> list[BookPage]:
        from playproof.generator.book.booklets import pad_to_page_multiple

        return pad_to_page_multiple(self._compose_rulebook_once(language, False, None), 1)


def build_half_sheet_layout(looks: LayoutRenderer, folded_paper: Paper | None) -> Layout | None:
    """Return the looks' book layout at the size of half a sheet of a paper. Return None if the book
    has that size already (within 1 mm), or if there is no paper or no book."""
    if folded_paper is None or looks.book is None:
        return None
    if (
        abs(looks.book.width - folded_paper.height / 2) < 1
        and abs(looks.book.height - folded_paper.width) < 1
    ):
        return None
    return replace(looks.book, width=folded_paper.height / 2, height=folded_paper.width)


# -- hand ----------------------------------------------------------------------------------------------------
# Which cards of a game lie in the hand that its showcase picture shows.

MOST = 7  # cards in the hand
SMALLEST, LARGEST = 50.0, 125.0  # mm, the height of what is held in a hand


def choose_hand_cards(
    press: Press, products: Sequence[tuple[Product, Sequence[Component]]]
) -> list[Component]:
    """Return up to seven cards of one size: the size that most cards have, and cards from all through the decks.
    Boards, tokens and what is folded are in nobody's hand."""
    by_size: dict[tuple[float, float], dict[str, Component]] = {}
    for product, cards in products:
        if product.tiled or product.cut_out or product.stickers:
            continue
        for card in cards:
            layout = press.looks.find_layout(card)
            if layout is None or layout.net is not None or layout.outline is not None:
                continue
            if layout.width <= layout.height and SMALLEST <= layout.height <= LARGEST:
                by_size.setdefault((layout.width, layout.height), {})[card.id] = card
    if not by_size:
        return []
    cards_of_size = [*max(by_size.values(), key=len).values()]
    count = min(MOST, len(cards_of_size))
    return [cards_of_size[(2 * number + 1) * len(cards_of_size) // (2 * count)] for number in range(count)]

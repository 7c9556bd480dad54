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
from playproof.database.effect_text import get_text_or_english_or_first
from playproof.database.errors import FindingCollector
from playproof.database.files import make_distinct_file_names
from playproof.generator.build.file_jobs import (
    FileJob,
    RenderedFile,
    hash_file_names_and_contents,
    hash_joined_parts_as_sha256_hex,
    value_to_text_without_file_positions,
)
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.layout.layout_files import Layout
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.papercraft import CardStock
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.generator.scene import Face, Page
from playproof.generator.sheets import (
    Paper,
    Piece,
    Plan,
    Printer,
    build_pages_of_tiled_board,
    can_fit_on_paper,
    group_pieces_by_trimmed_size,
    impose_pieces_on_pages,
    parse_paper_name_or_size_or_raise,
    split_board_into_tiles_or_raise,
)
from playproof.generator.sheets.imposition import build_sheet_size_and_cutting_layers
from playproof.generator.sheets.marks import format_cut_outlines_as_dxf, format_cut_outlines_as_svg
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

    def create_sheets_job_with_fallback_plan(
        self,
        product: Product,
        cards: tuple[Component, ...],
        paper_name: str,
        language: str,
        plan_name: str | None,
        is_selection: bool,
    ) -> FileJob:
        """Return the job that makes one product's PDF on one paper in one language.

        A product that is too large for ``plan_name`` is laid out by its own sheet plan, and the job's
        note says so. A product without backs is never folded.
        """
        layout, note, stock = (
            self.press.read_sheet_plan_by_name(
                plan_name or product.sheet, parse_paper_name_or_size_or_raise(paper_name)
            ),
            "",
            self.press.get_card_stock_of_product(product, plan_name),
        )
        # the box itself is not folded like its cards, but it is deeper
        if product.box is not None and stock.folded:
            layout = self.press.read_sheet_plan_by_name(product.sheet, parse_paper_name_or_size_or_raise(paper_name))
        elif layout.backs == "gutterfold" and not self._has_backs_to_fold(product, cards):
            layout, plan_name = (
                self.press.read_sheet_plan_by_name(product.sheet, parse_paper_name_or_size_or_raise(paper_name)),
                None,
            )
        elif plan_name and not self._fits_every_piece_on_paper(product, cards, layout, language):
            note = f"{product.name}: too large for {plan_name} on {layout.paper.name}; laid out as {product.sheet}"
            layout, plan_name = (
                self.press.read_sheet_plan_by_name(product.sheet, parse_paper_name_or_size_or_raise(paper_name)),
                None,
            )
        name = product.name + ("-selection" if is_selection else "") + (f"-{plan_name}" if plan_name else "")
        path = self.out / "print" / format_paper_name_as_folder_name(paper_name) / f"{name}-{language}.pdf"
        drawn = (
            self._list_card_count_and_sizes_of_box(cards, language)
            if product.box is not None
            else list(map(self.press.hash_printed_content_with_mark, cards))
        )
        print_ = hash_joined_parts_as_sha256_hex(
            self.press.hash_inputs_shared_by_language_files(language),
            layout,
            self.printer,
            self.note,
            product,
            stock,
            *drawn,
            self.press.list_left_out_component_and_file_ids(product),
        )
        group = f"{product.name} {language} {layout.low_ink}"
        return FileJob(
            path,
            print_,
            group,
            2 * len(cards),
            lambda: self._render_product_pdf(product, cards, layout, language, stock),
            note,
            product.name,
        )

    def create_cutting_machine_jobs_or_empty(
        self, product: Product, cards: tuple[Component, ...], paper_name: str, language: str, plan_name: str | None
    ) -> list[FileJob]:
        """Return the jobs that write what a cutting machine cuts, as SVG and as DXF, beside the sheets; none if the
        sheet plan is not for a machine. The sheets that are cut alike have one file, whatever their language."""
        layout = self.press.read_sheet_plan_by_name(
            plan_name or product.sheet, parse_paper_name_or_size_or_raise(paper_name)
        )
        if layout.registration == "none" or product.tiled or product.box is not None:
            return []
        if all(card.kind in self.press.looks.nets for card in cards):
            return []
        sheets = self.create_sheets_job_with_fallback_plan(product, cards, paper_name, language, plan_name, False)
        if sheets.note:  # too large for this plan
            return []

        def make(written: Callable[..., bytes]) -> Callable[[], RenderedFile]:
            def write_outlines_of_pieces() -> RenderedFile:
                stock = self.press.get_card_stock_of_product(product, plan_name)
                pieces = self.press.build_product_pieces_for_sheet_plan(layout, product, cards, language, stock)
                size, layers = build_sheet_size_and_cutting_layers(pieces, layout)
                return RenderedFile(written(size, layers), 1, _count_copies_of_pieces(pieces))

            return write_outlines_of_pieces

        return [
            sheets._replace(path=sheets.path.with_suffix(f".cut.{kind}"), make=make(written), note="")
            for kind, written in (("svg", format_cut_outlines_as_svg), ("dxf", format_cut_outlines_as_dxf))
        ]

    def _list_card_count_and_sizes_of_box(self, cards: tuple[Component, ...], language: str) -> list[str]:
        """Return what a box depends on: how many cards it holds, and their sizes."""
        layouts = [self.press.looks.find_layout_for_component_or_none(card, language) for card in cards]
        sizes = sorted({f"{layout.width} {layout.height}" for layout in layouts if layout is not None})
        return [str(sum(card.count for card in cards)), *sizes]

    def _has_backs_to_fold(self, product: Product, cards: tuple[Component, ...]) -> bool:
        """Return whether the product has backs to fold behind fronts."""
        return (
            product.box is None
            and not product.tiled
            and any("back" in self.press.list_sides_of_component(card) for card in cards)
        )

    def _fits_every_piece_on_paper(
        self, product: Product, cards: tuple[Component, ...], sheet_plan: Plan, language: str
    ) -> bool:
        """Return whether every piece of a product fits on the plan's paper. Boards are tiled, so
        they always fit."""
        if product.tiled:
            return True
        if product.box is not None:
            pieces = [
                self.press.build_fewest_tuckboxes_that_fit_or_most(
                    sheet_plan, product, cards, language, self.press.stock
                )
            ]
        else:
            pieces = [
                Piece(card.id, face)
                for card in cards
                if (face := self._build_face_for_size_or_none(card, language)) is not None
            ]
        return can_fit_on_paper(pieces, sheet_plan)

    def _build_face_for_size_or_none(self, card: Component, language: str) -> Face | None:
        """Return a face of the card's size. Only a card that is folded from a net must be drawn to
        know its size."""
        if card.kind in self.press.looks.nets:
            return self.press.draw_face_or_none_and_note_problems(card, "front", language, FindingCollector())
        layout = self.press.looks.find_layout_for_component_or_none(card, language)
        return Face(card.id, layout.width, layout.height, ()) if layout is not None else None

    def _render_product_pdf(
        self, product: Product, cards: tuple[Component, ...], sheet_plan: Plan, language: str, stock: CardStock
    ) -> RenderedFile:
        pieces = self.press.build_product_pieces_for_sheet_plan(sheet_plan, product, cards, language, stock)
        title = f"{self.press.game.titles.text(language)} · {product.get_product_title_or_name(language)}"
        title = self._format_sheet_margin_line(
            title, self.press.list_left_out_component_and_file_ids(product), language
        )
        pages: list[Page] = []
        if product.tiled:
            for piece in pieces:
                pages += build_pages_of_tiled_board(piece, sheet_plan, title=title, language=language)
            if sheet_plan.instructions:
                from playproof.generator.sheets.boards import build_assembly_page_of_board

                parted = [
                    piece
                    for piece in _list_one_board_per_size_with_counts(pieces)
                    if len(split_board_into_tiles_or_raise(piece.front, piece, sheet_plan).tiles) > 1
                ]
                pages += [
                    build_assembly_page_of_board(piece, sheet_plan, title=title, language=language) for piece in parted
                ]
        else:
            pages += impose_pieces_on_pages(pieces, sheet_plan, title=title, printer=self.printer, language=language)
            if sheet_plan.instructions:
                from playproof.generator.sheets.instructions import build_instructions_page_for_sheets

                pages.append(build_instructions_page_for_sheets(pieces, sheet_plan, title=title, language=language))
        data = render_pages_to_pdf_bytes(
            pages, metadata=Metadata(title, language=language), pool=self.press.shared_pdf_parts
        )
        return RenderedFile(data, len(pages), _count_copies_of_pieces(pieces))

    def create_job_for_file_of_all_products(self, paper_name: str, language: str) -> FileJob:
        """Return the job that makes one file of everything: the contents, how to print and cut
        them, then all sheets."""
        products = [p for p in self.press.products if p.book is None and not p.stickers]
        cards = [card for product in products for card in self.press.list_product_components_not_left_out(product)]
        path = self.out / "print" / format_paper_name_as_folder_name(paper_name) / f"{PRINT_ME}-{language}.pdf"
        plans = [
            self.press.read_sheet_plan_by_name(product.sheet, parse_paper_name_or_size_or_raise(paper_name))
            for product in products
        ]
        press = self.press
        prints = map(press.hash_printed_content_with_mark, cards)
        base = press.hash_inputs_shared_by_language_files(language)
        missing = sorted(press.left_out)
        print_ = hash_joined_parts_as_sha256_hex(
            base, *plans, self.printer, self.note, press.stock, *press.products, *prints, missing
        )
        group = f"{products[0].name} {language} {plans[0].low_ink}"
        return FileJob(
            path,
            print_,
            group,
            2 * len(cards),
            lambda: self._render_pdf_of_all_products(products, paper_name, language),
            of=PRINT_ME,
        )

    def _render_pdf_of_all_products(self, products: Sequence[Product], paper_name: str, language: str) -> RenderedFile:
        from playproof.generator.sheets.gang_sheets import ProductToPrint, lay_out_products_on_fewest_sheets
        from playproof.generator.sheets.instructions import PrintMeContents, build_pages_of_instructions_and_sheets

        wanted = []
        for product in products:
            layout = self.press.read_sheet_plan_by_name(product.sheet, parse_paper_name_or_size_or_raise(paper_name))
            cards = self.press.list_product_components_not_left_out(product)
            if not cards:
                continue
            stock = self.press.get_card_stock_of_product(product, None)
            pieces = self.press.build_product_pieces_for_sheet_plan(layout, product, cards, language, stock)
            other = next((other for other in self.press.products if other.name == product.instead_of), None)
            instead_of = other.get_product_title_or_name(language) if other is not None else ""
            wanted.append(
                ProductToPrint(
                    product.get_product_title_or_name(language), tuple(pieces), layout, product.tiled, instead_of
                )
            )
        facts, say = self.press.game.facts, SheetWording(language)
        counted = [f"{part.count} {get_text_or_english_or_first(part.name, language)}" for part in facts.components]
        if not counted:
            counted = [
                f"{share.title}: {say.format_count_with_noun('piece', _count_copies_of_pieces(share.pieces))}"
                for share in wanted
            ]
        also = [f"{need.count} {get_text_or_english_or_first(need.name, language)}" for need in facts.also]
        books = [
            product.get_product_title_or_name(language) for product in self.press.products if product.book == "rulebook"
        ]
        title = self.press.game.titles.text(language)
        left_out = [
            *dict.fromkeys(name for each in products for name in self.press.list_left_out_component_and_file_ids(each))
        ]
        title_of_sheets = self._format_sheet_margin_line(title, left_out, language)
        parts = lay_out_products_on_fewest_sheets(
            wanted, title=title_of_sheets, printer=self.printer, language=language
        )
        pages = build_pages_of_instructions_and_sheets(
            parts,
            parse_paper_name_or_size_or_raise(paper_name),
            PrintMeContents(title, counted, also, books),
            language=language,
        )
        data = render_pages_to_pdf_bytes(
            pages, metadata=Metadata(title, language=language), pool=self.press.shared_pdf_parts
        )
        return RenderedFile(data, len(pages), sum(_count_copies_of_pieces(share.pieces) for share in wanted))

    def _format_sheet_margin_line(self, title: str, left_out: Sequence[str], language: str) -> str:
        """Return the line in the margin of sheets: the title, the note, and which components are left out."""
        words = [title, self.note]
        if left_out:
            named, more = ", ".join(left_out[:NAMED]), len(left_out) - NAMED
            say = SheetWording(language)
            words.append(say("without more", names=named, n=more) if more > 0 else say("without", names=named))
        return " · ".join(word for word in words if word)

    def create_single_face_picture_jobs(
        self, cards: tuple[Component, ...], language: str, formats: Sequence[str], low_ink: bool = False
    ) -> list[FileJob]:
        """Return the jobs that make SVG and PNG pictures of single faces."""
        jobs, ink = [], "-lowink" if low_ink else ""
        names = make_distinct_file_names(self.press.game.components)
        for kind in ("svg", "png"):
            if kind not in formats:
                continue
            for card in cards:
                for side, copy in pairs(
                    self.press.list_sides_of_component(card), self.press.looks.list_copy_numbers_or_one_empty_text(card)
                ):
                    name = f"{names[card.id]}-{copy}" if copy else names[card.id]
                    path = self.out / kind / language / f"{name}.{side}{ink}.{kind}"
                    dots = self.face_dpi if kind == "png" else 0
                    base, own = (
                        self.press.hash_inputs_shared_by_language_files(language),
                        self.press.hash_printed_content_with_mark(card),
                    )
                    print_ = hash_joined_parts_as_sha256_hex(base, kind, side + ink, copy, own, dots)
                    group = f"{card.id} {copy} {side} {language}{ink}"
                    make = self._build_face_picture_function(card, side, language, kind, low_ink, copy)
                    jobs.append(FileJob(path, print_, group, 10, make, of=card.id))
        return jobs

    def create_hand_picture_job_or_none(
        self, products: Sequence[tuple[Product, tuple[Component, ...]]], language: str
    ) -> FileJob | None:
        """Return the job that makes a picture of a hand of the products' cards; None if they hold no cards."""
        cards = choose_up_to_seven_cards_of_common_size(self.press, products)
        if not cards:
            return None
        print_ = hash_joined_parts_as_sha256_hex(
            self.press.hash_inputs_shared_by_language_files(language),
            "showcase",
            *map(self.press.hash_printed_content_with_mark, cards),
        )
        path = self.out / f"showcase-{language}.png"
        return FileJob(
            path, print_, f"showcase {language}", 40, lambda: self._render_hand_of_cards_png(cards, language)
        )

    def _render_hand_of_cards_png(self, cards: Sequence[Component], language: str) -> RenderedFile:
        from playproof.generator.exports.raster import draw_fanned_hand_of_cards, encode_reproducible_png

        pieces = self.press.build_pieces_of_components_or_raise(cards, language)
        fronts = [piece.front for piece in pieces][: len(cards)]
        return RenderedFile(encode_reproducible_png(draw_fanned_hand_of_cards(fronts)), 1, len(cards))

    def _build_face_picture_function(
        self, card: Component, side: str, language: str, picture_format: str, low_ink: bool, variant: str
    ) -> Callable[[], RenderedFile]:
        def make() -> RenderedFile:
            collector = FindingCollector()
            face = self.press.draw_face_with_errata_mark_or_none(card, side, language, collector, low_ink, variant)
            collector.raise_if_errors()
            assert face is not None  # otherwise check() has raised
            if picture_format == "svg":
                from playproof.generator.svg import render_face_to_svg_text

                fonts = self.press.get_normal_or_low_ink_renderer(low_ink).fonts
                return RenderedFile(render_face_to_svg_text(face, bleed=face.bleed, fonts=fonts).encode(), 1, 1)
            # The outermost cuts of a net run along its edge: without its bleed half of each line is lost.
            bleed = face.bleed if self.press.looks.get_net_kind_or_empty(card) else 0.0
            return RenderedFile(self._render_face_to_png(face, bleed), 1, 1)

        return make

    def _render_face_to_png(self, face: Face, bleed: float) -> bytes:
        from playproof.generator.exports.raster import build_page_of_face_and_bleed, iter_pdf_pages_as_png

        data = render_pages_to_pdf_bytes(
            [build_page_of_face_and_bleed(face, bleed)], metadata=Metadata(face.name), pool=self.press.shared_pdf_parts
        )
        return next(iter_pdf_pages_as_png(data, self.face_dpi))


def _list_one_board_per_size_with_counts(pieces: Sequence[Piece]) -> list[Piece]:
    """Return one board of each size, with the count of all boards of that size. Boards of one size
    are assembled alike."""
    return [
        replace(group[0], count=_count_copies_of_pieces(group))
        for group in group_pieces_by_trimmed_size(pieces).values()
    ]


def _count_copies_of_pieces(pieces: Sequence[Piece]) -> int:
    return sum(piece.count for piece in pieces)


def format_paper_name_as_folder_name(paper_name: str) -> str:
    """Return a paper's name as the name of a folder."""
    return paper_name.replace("/", "-").replace(" ", "")


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
        self, product: Product, papers: Sequence[str], language: str, plan_name: str | None
    ) -> list[FileJob]:
        """Return the jobs that make a booklet: single pages for reading, and folded sheets on each
        paper.

        A page is A5 on A4 and half a Letter on Letter. Credits are for reading only.
        """
        low_ink = self.press.is_low_ink_plan(plan_name)
        suffix = f"{'-lowink' if low_ink else ''}-{language}.pdf"
        # Credits tell nothing of the game.
        content_print = self._hash_inputs_of_rulebooks(language) if product.book == "rulebook" else ""
        print_ = hash_joined_parts_as_sha256_hex(
            self.press.hash_inputs_shared_by_language_files(language), product, low_ink, content_print, self.names_rules
        )
        group = f"{product.name} {language} {low_ink}"  # all sizes: the moves are played and the table drawn once
        folder = self.out / "print"
        jobs = [
            FileJob(
                folder / f"{product.name}{suffix}",
                hash_joined_parts_as_sha256_hex(print_, "pages"),
                group,
                10,
                lambda: self._render_booklet_pdf(product, language, low_ink, None),
                of=product.name,
            )
        ]
        if product.book == "credits":
            return jobs
        for name in papers:
            on = parse_paper_name_or_size_or_raise(name)
            own = build_half_sheet_layout_if_unusual(self.press.looks, on)
            for how, folded in (("booklet", True), ("pages", False)):
                if not folded and own is None:
                    continue  # the book's own size is half of this paper: these pages are made above
                path = folder / format_paper_name_as_folder_name(name) / f"{product.name}-{how}{suffix}"
                make = partial(self._render_booklet_pdf, product, language, low_ink, on, folded)
                jobs.append(
                    FileJob(path, hash_joined_parts_as_sha256_hex(print_, how, on), group, 10, make, of=product.name)
                )
        return jobs

    def _hash_inputs_of_rulebooks(self, language: str) -> str:
        """Return the hash of what rulebooks depend on besides what every file depends on."""
        from playproof.database.rulebook_text import list_rulebook_files_in_reading_order

        book = self.press.game.rulebook
        words = hash_file_names_and_contents(
            list(list_rulebook_files_in_reading_order(self.press.game.folder, language))
        )
        played = self.plays.hash_rules_and_looks_without_cards(self.press.game.folder) if self.plays is not None else ""
        cards = hash_joined_parts_as_sha256_hex(
            *map(self.press.hash_printed_content_with_mark, self.press.game.components.values())
        )
        edits = value_to_text_without_file_positions(self.press.game.edits)
        return hash_joined_parts_as_sha256_hex(
            value_to_text_without_file_positions(book.rules),
            value_to_text_without_file_positions(book.rulings),
            words,
            played,
            cards,
            edits,
        )

    def _render_booklet_pdf(
        self, product: Product, language: str, low_ink: bool, folded_paper: Paper | None, folded: bool = False
    ) -> RenderedFile:
        """Return a booklet as PDF, with its numbers of pages and cards: single pages, or
        ``folded`` sheets of a paper; both are tagged."""
        from playproof.generator.book import build_credits_pages, impose_pages_for_saddle_stitch
        from playproof.generator.book.booklets import PAGES, pad_book_with_note_pages_to_multiple

        looks = self.press.get_normal_or_low_ink_renderer(low_ink)
        if product.book == "credits":
            leaves = build_credits_pages(self.press.game, looks, language)
        else:
            leaves = pad_book_with_note_pages_to_multiple(
                self._get_or_compose_rulebook(
                    language, low_ink, self._get_rulebook_layout_or_none_if_usual(looks, folded_paper)
                ),
                PAGES if folded else 1,
            )
        if folded and folded_paper is not None:
            pages = impose_pages_for_saddle_stitch(leaves, folded_paper.height, folded_paper.width)
        else:
            pages = [leaf.page for leaf in leaves]
        title = f"{self.press.game.titles.text(language)} · {product.get_product_title_or_name(language)}"
        data = render_pages_to_pdf_bytes(
            pages, metadata=Metadata(title, language=language), pool=self.press.shared_pdf_parts
        )
        return RenderedFile(data, len(pages), 0)

    def _get_rulebook_layout_or_none_if_usual(self, looks: LayoutRenderer, folded_paper: Paper | None) -> Layout | None:
        """Return the layout of the rulebook's pages; None if it is that of the looks."""
        layout = build_half_sheet_layout_if_unusual(looks, folded_paper)
        if not self.names_rules or looks.book is None:
            return layout
        return replace(layout or looks.book, rule_ids=True)

    def _get_or_compose_rulebook(self, language: str, low_ink: bool, layout: Layout | None) -> UnpaddedBook:
        """Return the rulebook's pages, set once for reading and for folding."""
        from playproof.generator.book.booklets import compose_rulebook_pages_before_padding
        from playproof.generator.book.face_pictures import BookFaceRenderer

        key = (language, low_ink, None if layout is None else (layout.width, layout.height))
        if key not in self._unfilled:
            looks = self.press.get_normal_or_low_ink_renderer(low_ink)
            faces = self._faces.setdefault((language, low_ink), BookFaceRenderer(looks, language))
            self._unfilled[key] = compose_rulebook_pages_before_padding(
                self.press.game, looks, language, self.plays, layout, faces
            )
        return self._unfilled[key]

    def render_rulebook_pdf_or_no_bytes(self, language: str) -> bytes:
        """Return the rulebook as PDF, or no bytes if no product is a rulebook."""
        books = [product for product in self.press.products if product.book == "rulebook"]
        return self._render_booklet_pdf(books[0], language, False, None).data if books else b""

    def compose_book_pages_for_comparison(self, product: Product, language: str) -> list[Page]:
        """Return each page of a booklet, to compare it with those of another version. Raises InputError if the book
        cannot be printed."""
        return [leaf.page for leaf in self._compose_book_pages_for_reading(product, language)]

    def render_selected_book_pages_to_pdf(self, product: Product, language: str, page_numbers: Sequence[int]) -> bytes:
        """Return some pages of a booklet as one PDF; numbers count from 1."""
        leaves = self._compose_book_pages_for_reading(product, language)
        title = f"{self.press.game.titles.text(language)} · {', '.join(map(str, page_numbers))}"
        pages = [leaves[number - 1].page for number in page_numbers]
        return render_pages_to_pdf_bytes(
            pages, metadata=Metadata(title, language=language), pool=self.press.shared_pdf_parts
        )

    def _compose_book_pages_for_reading(self, product: Product, language: str) -> list[BookPage]:
        from playproof.generator.book.booklets import build_credits_pages, pad_book_with_note_pages_to_multiple

        if product.book == "credits":
            return build_credits_pages(self.press.game, self.press.looks, language)
        return pad_book_with_note_pages_to_multiple(self._get_or_compose_rulebook(language, False, None), 1)


def build_half_sheet_layout_if_unusual(looks: LayoutRenderer, folded_paper: Paper | None) -> Layout | None:
    """Return the looks' book layout at the size of half a sheet of a paper. Return None if the book
    has that size already (within 1 mm), or if there is no paper or no book."""
    if folded_paper is None or looks.book is None:
        return None
    if abs(looks.book.width - folded_paper.height / 2) < 1 and abs(looks.book.height - folded_paper.width) < 1:
        return None
    return replace(looks.book, width=folded_paper.height / 2, height=folded_paper.width)


# -- hand ----------------------------------------------------------------------------------------------------
# Which cards of a game lie in the hand that its showcase picture shows.

MOST = 7  # cards in the hand
SMALLEST, LARGEST = 50.0, 125.0  # mm, the height of what is held in a hand


def choose_up_to_seven_cards_of_common_size(
    press: Press, products: Sequence[tuple[Product, Sequence[Component]]]
) -> list[Component]:
    """Return up to seven cards of one size: the size that most cards have, and cards from all through the decks.
    Boards, tokens and what is folded are in nobody's hand."""
    by_size: dict[tuple[float, float], dict[str, Component]] = {}
    for product, cards in products:
        if product.tiled or product.cut_out or product.stickers:
            continue
        for card in cards:
            layout = press.looks.find_layout_for_component_or_none(card)
            if layout is None or layout.net is not None or layout.round_or_hexagonal_cut_outline is not None:
                continue
            if layout.width <= layout.height and SMALLEST <= layout.height <= LARGEST:
                by_size.setdefault((layout.width, layout.height), {})[card.id] = card
    if not by_size:
        return []
    cards_of_size = [*max(by_size.values(), key=len).values()]
    count = min(MOST, len(cards_of_size))
    return [cards_of_size[(2 * number + 1) * len(cards_of_size) // (2 * count)] for number in range(count)]

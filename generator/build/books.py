"""Jobs for booklets: pages for reading, and sheets that are folded and stitched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.generator.build.fingerprint import hash_files, hash_parts, to_canonical_text
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.build.sheets import get_paper_folder_name
from playproof.generator.build.workers import FileJob
from playproof.generator.layout.bind import LayoutRenderer
from playproof.generator.layout.layout_files import Layout
from playproof.generator.pdf import Metadata, render_pdf
from playproof.generator.scene import Page
from playproof.generator.sheets import Paper, parse_paper

if TYPE_CHECKING:  # a build without booklets does without what they import
    from playproof.generator.book.booklets import UnpaddedBook
    from playproof.generator.book.flow import BookPage
    from playproof.generator.book.pictures import BookFaceRenderer
    from playproof.generator.book.play_interface import RecordedGamePlayer


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
        from playproof.generator.book.binding import PAGES
        from playproof.generator.book.booklets import pad_to_page_multiple

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
        from playproof.generator.book.pictures import BookFaceRenderer

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

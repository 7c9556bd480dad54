"""Jobs for booklets: pages for reading, and sheets that are folded and stitched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from playproof.generator.build.fingerprint import canonical, of_files, together
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.build.sheets import folder_of
from playproof.generator.build.workers import Job
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.layout_files import Layout
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.scene import Page
from playproof.generator.sheets import Paper, paper

if TYPE_CHECKING:  # a build without booklets does without what they import
    from playproof.generator.book.booklets import Unfilled
    from playproof.generator.book.flow import Leaf
    from playproof.generator.book.pictures import Faces
    from playproof.generator.book.play_interface import Plays


class Books:
    """Makes jobs for booklets, below one folder. ``plays`` plays the examples of rulebooks."""

    def __init__(self, press: Press, out: Path, *, plays: Plays | None = None) -> None:
        self.press = press
        self.out = out
        self.plays = plays
        self.names_rules = False  # whether margins name rules even if the layout does not say so
        self._unfilled: dict[tuple[str, bool, tuple[float, float] | None], Unfilled] = {}
        self._faces: dict[tuple[str, bool], Faces] = {}

    def book_jobs(
        self, product: Product, papers: Sequence[str], language: str, sheet: str | None
    ) -> list[Job]:
        """Return the jobs that make a booklet: single pages for reading, and folded sheets on each
        paper.

        A page is A5 on A4 and half a Letter on Letter. Credits are for reading only.
        """
        low_ink = self.press.saves_ink(sheet)
        suffix = f"{'-lowink' if low_ink else ''}-{language}.pdf"
        # Credits tell nothing of the game.
        content_print = self._book_print(language) if product.book == "rulebook" else ""
        print_ = together(self.press.base_print(language), product, low_ink, content_print, self.names_rules)
        group = (
            f"{product.name} {language} {low_ink}"  # all sizes: the moves are played and the table drawn once
        )
        folder = self.out / "print"
        jobs = [
            Job(
                folder / f"{product.name}{suffix}",
                together(print_, "pages"),
                group,
                10,
                lambda: self._pages(product, language, low_ink, None),
                of=product.name,
            )
        ]
        if product.book == "credits":
            return jobs
        for name in papers:
            on = paper(name)
            own = half_of(self.press.looks, on)
            for how, folded in (("booklet", True), ("pages", False)):
                if not folded and own is None:
                    continue  # the book's own size is half of this paper: these pages are made above
                path = folder / folder_of(name) / f"{product.name}-{how}{suffix}"
                make = partial(self._pages, product, language, low_ink, on, folded)
                jobs.append(Job(path, together(print_, how, on), group, 10, make, of=product.name))
        return jobs

    def _book_print(self, language: str) -> str:
        """Return the hash of what rulebooks depend on besides what every file depends on."""
        from playproof.database.rulebook_text import document_files

        book = self.press.game.rulebook
        words = of_files(list(document_files(self.press.game.folder, language)))
        played = self.plays.fingerprint(self.press.game.folder) if self.plays is not None else ""
        cards = together(*map(self.press.print_of, self.press.game.components.values()))
        edits = canonical(self.press.game.edits)
        return together(canonical(book.rules), canonical(book.rulings), words, played, cards, edits)

    def _pages(
        self, product: Product, language: str, low_ink: bool, on: Paper | None, folded: bool = False
    ) -> tuple[bytes, int, int]:
        """Return a booklet as PDF, with its numbers of pages and cards: single pages, or
        ``folded`` sheets of a paper; both are tagged."""
        from playproof.generator.book import credits_book, saddle_stitched
        from playproof.generator.book.binding import PAGES
        from playproof.generator.book.booklets import filled_up

        looks = self.press.looks_for(low_ink)
        if product.book == "credits":
            leaves = credits_book(self.press.game, looks, language)
        else:
            leaves = filled_up(
                self._rulebook(language, low_ink, self._layout(looks, on)), PAGES if folded else 1
            )
        if folded and on is not None:
            pages = saddle_stitched(leaves, on.height, on.width)
        else:
            pages = [leaf.page for leaf in leaves]
        title = f"{self.press.game.titles.text(language)} · {product.titled(language)}"
        data = pdf_bytes(pages, metadata=Metadata(title, language=language), pool=self.press.pool)
        return data, len(pages), 0

    def _layout(self, looks: Looks, on: Paper | None) -> Layout | None:
        """Return the layout of the rulebook's pages; None if it is that of the looks."""
        layout = half_of(looks, on)
        if not self.names_rules or looks.book is None:
            return layout
        return replace(layout or looks.book, rule_ids=True)

    def _rulebook(self, language: str, low_ink: bool, layout: Layout | None) -> Unfilled:
        """Return the rulebook's pages, set once for reading and for folding."""
        from playproof.generator.book.booklets import rulebook_leaves
        from playproof.generator.book.pictures import Faces

        key = (language, low_ink, None if layout is None else (layout.width, layout.height))
        if key not in self._unfilled:
            looks = self.press.looks_for(low_ink)
            faces = self._faces.setdefault((language, low_ink), Faces(looks, language))
            self._unfilled[key] = rulebook_leaves(self.press.game, looks, language, self.plays, layout, faces)
        return self._unfilled[key]

    def rulebook(self, language: str) -> bytes:
        """Return the rulebook as PDF, or no bytes if no product is a rulebook."""
        books = [product for product in self.press.products if product.book == "rulebook"]
        return self._pages(books[0], language, False, None)[0] if books else b""

    def pages_of(self, language: str) -> list[Page]:
        """Return each page of the rulebook, to compare it with those of another version. Raises InputError if the book
        cannot be printed."""
        return [leaf.page for leaf in self._leaves(language)]

    def join_pages(self, language: str, numbers: Sequence[int]) -> bytes:
        """Return some pages of the rulebook as one PDF; numbers count from 1."""
        leaves = self._leaves(language)
        title = f"{self.press.game.titles.text(language)} · {', '.join(map(str, numbers))}"
        pages = [leaves[number - 1].page for number in numbers]
        return pdf_bytes(pages, metadata=Metadata(title, language=language), pool=self.press.pool)

    def _leaves(self, language: str) -> list[Leaf]:
        from playproof.generator.book.booklets import filled_up

        return filled_up(self._rulebook(language, False, None), 1)


def half_of(looks: Looks, on: Paper | None) -> Layout | None:
    """Return the looks' book layout at the size of half a sheet of a paper. Return None if the book
    has that size already (within 1 mm), or if there is no paper or no book."""
    if on is None or looks.book is None:
        return None
    if abs(looks.book.width - on.height / 2) < 1 and abs(looks.book.height - on.width) < 1:
        return None
    return replace(looks.book, width=on.height / 2, height=on.width)

"""Jobs for sheets: each product on each paper, one "Print me" file of all of them, and pictures of
single faces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product as pairs
from pathlib import Path

from playproof.database.components import Component
from playproof.database.effect_text import pick
from playproof.database.errors import Collector
from playproof.database.files import file_names
from playproof.generator.build.fingerprint import together
from playproof.generator.build.hand import hand_of
from playproof.generator.build.press import Press
from playproof.generator.build.products import Product
from playproof.generator.build.workers import Job
from playproof.generator.papercraft import Stock
from playproof.generator.pdf import Metadata, pdf_bytes
from playproof.generator.scene import Face, Page
from playproof.generator.sheets import (
    Piece,
    Plan,
    Printer,
    by_size,
    fits,
    impose,
    impose_board,
    paper,
    tiled,
)
from playproof.generator.sheets.cutting import as_dxf, as_svg
from playproof.generator.sheets.impose import outlines_to_cut
from playproof.generator.wording import Wording

PRINT_ME = "print-me"  # the name of the file that holds all sheets
NAMED = 5  # components that a sheet's margin names as left out
PREVIEW = 110.0  # dots per inch


class Sheets:
    """Makes jobs for sheets, below one folder. ``note`` is printed in the margin of each."""

    def __init__(self, press: Press, out: Path, *, printer: Printer | None = None, note: str = "") -> None:
        self.press = press
        self.out = out
        self.printer = printer
        self.note = note
        self.face_dpi = PREVIEW  # dots to the inch of faces as PNG

    def sheet_job(
        self,
        product: Product,
        cards: tuple[Component, ...],
        page: str,
        language: str,
        sheet: str | None,
        partial: bool,
    ) -> Job:
        """Return the job that makes one product's PDF on one paper in one language.

        A product that is too large for ``sheet`` is laid out by its own sheet plan, and the job's
        note says so. A product without backs is never folded.
        """
        layout, note, stock = (
            self.press.plan(sheet or product.sheet, paper(page)),
            "",
            self.press.stock_of(product, sheet),
        )
        if (
            product.box is not None and stock.folded
        ):  # the box itself is not folded like its cards, but it is deeper
            layout = self.press.plan(product.sheet, paper(page))
        elif layout.backs == "gutterfold" and not self._folds(product, cards):
            layout, sheet = self.press.plan(product.sheet, paper(page)), None
        elif sheet and not self._fits(product, cards, layout, language):
            note = (
                f"{product.name}: too large for {sheet} on {layout.paper.name}; laid out as {product.sheet}"
            )
            layout, sheet = self.press.plan(product.sheet, paper(page)), None
        name = product.name + ("-selection" if partial else "") + (f"-{sheet}" if sheet else "")
        path = self.out / "print" / folder_of(page) / f"{name}-{language}.pdf"
        drawn = (
            self._measures(cards, language)
            if product.box is not None
            else list(map(self.press.print_of, cards))
        )
        print_ = together(
            self.press.base_print(language),
            layout,
            self.printer,
            self.note,
            product,
            stock,
            *drawn,
            self.press.left_out_of(product),
        )
        group = f"{product.name} {language} {layout.low_ink}"
        return Job(
            path,
            print_,
            group,
            2 * len(cards),
            lambda: self._sheets(product, cards, layout, language, stock),
            note,
            product.name,
        )

    def cut_jobs(
        self, product: Product, cards: tuple[Component, ...], page: str, language: str, sheet: str | None
    ) -> list[Job]:
        """Return the jobs that write what a cutting machine cuts, as SVG and as DXF, beside the sheets; none if the
        sheet plan is not for a machine. The sheets that are cut alike have one file, whatever their language."""
        layout = self.press.plan(sheet or product.sheet, paper(page))
        if layout.registration == "none" or product.tiled or product.box is not None:
            return []
        if all(card.kind in self.press.looks.nets for card in cards):
            return []
        sheets = self.sheet_job(product, cards, page, language, sheet, False)
        if sheets.note:  # too large for this plan
            return []

        def make(written: Callable[..., bytes]) -> Callable[[], tuple[bytes, int, int]]:
            def made() -> tuple[bytes, int, int]:
                stock = self.press.stock_of(product, sheet)
                pieces = self.press.pieces_on(layout, product, cards, language, stock)
                size, layers = outlines_to_cut(pieces, layout)
                return written(size, layers), 1, _copies(pieces)

            return made

        return [
            sheets._replace(path=sheets.path.with_suffix(f".cut.{kind}"), make=make(written), note="")
            for kind, written in (("svg", as_svg), ("dxf", as_dxf))
        ]

    def _measures(self, cards: tuple[Component, ...], language: str) -> list[str]:
        """Return what a box depends on: how many cards it holds, and their sizes."""
        layouts = [self.press.looks.layout_for(card, language) for card in cards]
        sizes = sorted({f"{layout.width} {layout.height}" for layout in layouts if layout is not None})
        return [str(sum(card.count for card in cards)), *sizes]

    def _folds(self, product: Product, cards: tuple[Component, ...]) -> bool:
        """Return whether the product has backs to fold behind fronts."""
        return (
            product.box is None
            and not product.tiled
            and any("back" in self.press.sides(card) for card in cards)
        )

    def _fits(self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str) -> bool:
        """Return whether every piece of a product fits on the plan's paper. Boards are tiled, so
        they always fit."""
        if product.tiled:
            return True
        if product.box is not None:
            pieces = [self.press.box(layout, product, cards, language, self.press.stock)]
        else:
            pieces = [
                Piece(card.id, face) for card in cards if (face := self._outline(card, language)) is not None
            ]
        return fits(pieces, layout)

    def _outline(self, card: Component, language: str) -> Face | None:
        """Return a face of the card's size. Only a card that is folded from a net must be drawn to
        know its size."""
        if card.kind in self.press.looks.nets:
            return self.press.face(card, "front", language, Collector())
        layout = self.press.looks.layout_for(card, language)
        return Face(card.id, layout.width, layout.height, ()) if layout is not None else None

    def _sheets(
        self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str, stock: Stock
    ) -> tuple[bytes, int, int]:
        pieces = self.press.pieces_on(layout, product, cards, language, stock)
        title = f"{self.press.game.titles.text(language)} · {product.titled(language)}"
        title = self._with_notes(title, self.press.left_out_of(product), language)
        pages: list[Page] = []
        if product.tiled:
            for piece in pieces:
                pages += impose_board(piece, layout, title=title, language=language)
            if layout.instructions:
                from playproof.generator.sheets.assembly_page import assembly

                parted = [
                    piece for piece in _unlike(pieces) if len(tiled(piece.front, piece, layout).tiles) > 1
                ]
                pages += [assembly(piece, layout, title=title, language=language) for piece in parted]
        else:
            pages += impose(pieces, layout, title=title, printer=self.printer, language=language)
            if layout.instructions:
                from playproof.generator.sheets.instructions import instructions

                pages.append(instructions(pieces, layout, title=title, language=language))
        data = pdf_bytes(pages, metadata=Metadata(title, language=language), pool=self.press.pool)
        return data, len(pages), _copies(pieces)

    def print_me_job(self, page: str, language: str) -> Job:
        """Return the job that makes one file of everything: the contents, how to print and cut
        them, then all sheets."""
        products = [p for p in self.press.products if p.book is None and not p.stickers]
        cards = [card for product in products for card in self.press.cards_of(product)]
        path = self.out / "print" / folder_of(page) / f"{PRINT_ME}-{language}.pdf"
        plans = [self.press.plan(product.sheet, paper(page)) for product in products]
        press = self.press
        prints = map(press.print_of, cards)
        base = press.base_print(language)
        missing = sorted(press.left_out)
        print_ = together(
            base, *plans, self.printer, self.note, press.stock, *press.products, *prints, missing
        )
        group = f"{products[0].name} {language} {plans[0].low_ink}"
        return Job(
            path, print_, group, 2 * len(cards), lambda: self._print_me(products, page, language), of=PRINT_ME
        )

    def _print_me(self, products: Sequence[Product], page: str, language: str) -> tuple[bytes, int, int]:
        from playproof.generator.sheets.gang import Wanted, gang
        from playproof.generator.sheets.printme import Contents, print_me

        wanted = []
        for product in products:
            layout = self.press.plan(product.sheet, paper(page))
            cards = self.press.cards_of(product)
            if not cards:
                continue
            stock = self.press.stock_of(product, None)
            pieces = self.press.pieces_on(layout, product, cards, language, stock)
            other = next((other for other in self.press.products if other.name == product.instead_of), None)
            instead_of = other.titled(language) if other is not None else ""
            wanted.append(Wanted(product.titled(language), tuple(pieces), layout, product.tiled, instead_of))
        facts, say = self.press.game.facts, Wording(language)
        counted = [f"{part.count} {pick(part.name, language)}" for part in facts.components]
        if not counted:
            counted = [f"{share.title}: {say.counted('piece', _copies(share.pieces))}" for share in wanted]
        also = [f"{need.count} {pick(need.name, language)}" for need in facts.also]
        books = [product.titled(language) for product in self.press.products if product.book == "rulebook"]
        title = self.press.game.titles.text(language)
        left_out = [*dict.fromkeys(name for each in products for name in self.press.left_out_of(each))]
        title_of_sheets = self._with_notes(title, left_out, language)
        parts = gang(wanted, title=title_of_sheets, printer=self.printer, language=language)
        pages = print_me(parts, paper(page), Contents(title, counted, also, books), language=language)
        data = pdf_bytes(pages, metadata=Metadata(title, language=language), pool=self.press.pool)
        return data, len(pages), sum(_copies(share.pieces) for share in wanted)

    def _with_notes(self, title: str, left_out: Sequence[str], language: str) -> str:
        """Return the line in the margin of sheets: the title, the note, and which components are left out."""
        words = [title, self.note]
        if left_out:
            named, more = ", ".join(left_out[:NAMED]), len(left_out) - NAMED
            say = Wording(language)
            words.append(
                say("without more", names=named, n=more) if more > 0 else say("without", names=named)
            )
        return " · ".join(word for word in words if word)

    def face_jobs(
        self, cards: tuple[Component, ...], language: str, formats: Sequence[str], low_ink: bool = False
    ) -> list[Job]:
        """Return the jobs that make SVG and PNG pictures of single faces."""
        jobs, ink = [], "-lowink" if low_ink else ""
        names = file_names(self.press.game.components)
        for kind in ("svg", "png"):
            if kind not in formats:
                continue
            for card in cards:
                for side, copy in pairs(self.press.sides(card), self.press.looks.copies(card)):
                    name = f"{names[card.id]}-{copy}" if copy else names[card.id]
                    path = self.out / kind / language / f"{name}.{side}{ink}.{kind}"
                    dots = self.face_dpi if kind == "png" else 0
                    base, own = self.press.base_print(language), self.press.print_of(card)
                    print_ = together(base, kind, side + ink, copy, own, dots)
                    group = f"{card.id} {copy} {side} {language}{ink}"
                    make = self._picture(card, side, language, kind, low_ink, copy)
                    jobs.append(Job(path, print_, group, 10, make, of=card.id))
        return jobs

    def showcase_jobs(
        self, products: Sequence[tuple[Product, tuple[Component, ...]]], language: str
    ) -> list[Job]:
        """Return the job that makes a picture of a hand of the products' cards; none if they hold no cards."""
        cards = hand_of(self.press, products)
        if not cards:
            return []
        print_ = together(self.press.base_print(language), "showcase", *map(self.press.print_of, cards))
        path = self.out / f"showcase-{language}.png"
        return [Job(path, print_, f"showcase {language}", 40, lambda: self._showcase(cards, language))]

    def _showcase(self, cards: Sequence[Component], language: str) -> tuple[bytes, int, int]:
        from playproof.generator.exports.raster import png
        from playproof.generator.exports.showcase import draw_showcase

        pieces = self.press.pieces(cards, language)
        return png(draw_showcase([piece.front for piece in pieces][: len(cards)])), 1, len(cards)

    def _picture(
        self, card: Component, side: str, language: str, kind: str, low_ink: bool, copy: str
    ) -> Callable[[], tuple[bytes, int, int]]:
        def make() -> tuple[bytes, int, int]:
            collector = Collector()
            face = self.press.marked_face(card, side, language, collector, low_ink, copy)
            collector.check()
            assert face is not None  # otherwise check() has raised
            if kind == "svg":
                from playproof.generator.svg import svg_text

                fonts = self.press.looks_for(low_ink).fonts
                return svg_text(face, bleed=face.bleed, fonts=fonts).encode(), 1, 1
            # The outermost cuts of a net run along its edge: without its bleed half of each line is lost.
            bleed = face.bleed if self.press.looks.net(card) else 0.0
            return self._preview(face, bleed), 1, 1

        return make

    def _preview(self, face: Face, bleed: float) -> bytes:
        from playproof.generator.exports.raster import face_page
        from playproof.generator.png import png_pages

        data = pdf_bytes([face_page(face, bleed)], metadata=Metadata(face.name), pool=self.press.pool)
        return next(png_pages(data, self.face_dpi))


def _unlike(pieces: Sequence[Piece]) -> list[Piece]:
    """Return one board of each size, with the count of all boards of that size. Boards of one size
    are assembled alike."""
    return [replace(group[0], count=_copies(group)) for group in by_size(pieces).values()]


def _copies(pieces: Sequence[Piece]) -> int:
    return sum(piece.count for piece in pieces)


def folder_of(page: str) -> str:
    """Return a paper's name as the name of a folder."""
    return page.replace("/", "-").replace(" ", "")

"""`build`: from a game to files. What is current is left alone; nothing is written until all is drawn."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

from playproof.database.components import Component, Words
from playproof.database.document import document_files
from playproof.database.errors import Collector, Finding, InputError, Where, did_you_mean
from playproof.database.game import Game, load_game
from playproof.database.wording import pick
from playproof.generator.build.fingerprint import canonical, of_component, of_files, of_this_room, together
from playproof.generator.build.manifest import Entry, Manifest
from playproof.generator.build.products import Product, read_products
from playproof.generator.build.workers import Job, Made, make_all
from playproof.generator.files import write_atomically
from playproof.generator.layout.bind import PANEL, STICKERS, Looks
from playproof.generator.layout.icon_names import icon_names, spoken
from playproof.generator.layout.looks import LAYOUTS, Layout
from playproof.generator.papercraft import Stock
from playproof.generator.papercraft.tuckbox import COMMON
from playproof.generator.pdf import Metadata, Pool, pdf_bytes
from playproof.generator.scene import Face, Page
from playproof.generator.sheets import (
    Paper,
    Piece,
    Plan,
    Printer,
    by_size,
    fits,
    impose,
    impose_board,
    paper,
    plan,
    select,
    tiled,
)
from playproof.generator.sheets.wording import Wording

if TYPE_CHECKING:  # a build without booklets or tables does without what they import
    from playproof.generator.book.played import Plays
    from playproof.generator.exports.table import Die

Progress = Callable[[str, int, int], None]
PRINT_ME = "print-me"  # the name of the file that holds all sheets
FORMATS = ("pdf", "svg", "png")
MOST_BOXES = 8  # for one deck
PREVIEW = 110.0  # dots per inch


@dataclass(frozen=True, slots=True)
class BuiltFile:
    """One file: where it is, its pages and cards, CPU seconds spent, whether it was made anew, and a note."""

    path: FilePath
    pages: int
    cards: int
    seconds: float
    rebuilt: bool
    note: str = ""


def build(
    game: Game,
    out: FilePath,
    *,
    papers: Sequence[str] = ("A4", "Letter"),
    languages: Sequence[str] = ("en",),
    only: str | None = None,
    products: Sequence[str] | None = None,
    sheet: str | None = None,
    formats: Sequence[str] = ("pdf",),
    printer: Printer | None = None,
    looks: Looks | None = None,
    force: bool = False,
    progress: Progress | None = None,
    workers: int | None = None,
    note: str = "",
    stock: Stock = COMMON,
    removed: Callable[[FilePath], None] | None = None,
    plays: Plays | None = None,
) -> list[BuiltFile]:
    """Make a game's print files below ``out``; returns every file, rebuilt or not.

    ``only`` selects components (``101-110,H01``), ``sheet`` overrides the products' sheet plans, ``formats``
    adds one SVG and one PNG a face; ``note`` is printed in the margin of every sheet (an erratum's version and
    date); ``stock`` is what cards are made of, which makes boxes deeper; ``workers`` None takes the cores that the
    work is worth; ``removed`` hears of each file that went because its product or component is gone; ``plays`` plays
    the examples of rulebooks. Raises InputError with all that is wrong, before anything is written.
    """
    builder = Builder(game, out, looks=looks, printer=printer, note=note, plays=plays, stock=stock)
    jobs = builder.jobs(papers=papers, languages=languages, only=only, products=products, sheet=sheet, formats=formats)
    files = builder.run(jobs, force, progress, workers)
    if removed is not None:
        for path in builder.removed:
            removed(path)
    return files


def _check_call(builder: Builder, products: Sequence[str] | None, languages: Sequence[str]) -> None:
    """Refuse products and languages that the game does not have."""
    collector = Collector()
    for name in products or ():
        known = [product.name for product in builder.products]
        if name not in known:
            hint = did_you_mean(name, known)
            collector.add("PP513", Where("--product"), f'the game has no product "{name}"', hint)
    for language in languages:
        if language not in builder.game.languages:
            hint = did_you_mean(language, builder.game.languages)
            collector.add("PP514", Where("--language"), f'the game is not written in "{language}"', hint)
    collector.check()


class Builder:
    """Builds one game into one folder; kept alive, it draws only the cards that changed."""

    def __init__(
        self,
        game: Game,
        out: FilePath,
        *,
        looks: Looks | None = None,
        printer: Printer | None = None,
        note: str = "",
        plays: Plays | None = None,
        stock: Stock = COMMON,
    ) -> None:
        self.game = game
        self.plays = plays
        self.out = out
        self.looks = looks or Looks(game)
        self.printer = printer
        self.note = note
        self.stock = stock
        self.products = read_products(game, self.looks.folder)
        self.pool = Pool(self.looks.fonts)
        self.removed: list[FilePath] = []  # files of products no longer made, which the last run took away
        self._faces: dict[tuple[object, ...], Face] = {}
        self._low_ink: Looks | None = None
        self._prints: dict[str, tuple[Component, str]] = {}  # by id, the component kept with its hash
        self._pictured = _pictured(game)
        self._layout_print = of_files(_layout_files(self.looks.folder))

    def update(self, game: Game) -> None:
        """Go on with the game as it reads now; faces of cards that stayed the same are kept."""
        if game.vocabulary.spec != self.game.vocabulary.spec:  # what texts and icons say is in all of them
            self._faces.clear()
        self.game = game
        self.looks.update(game)
        self._low_ink = None
        self._pictured = _pictured(game)
        self.products = read_products(game, self.looks.folder)

    def reload(self) -> None:
        """Read the game's folder again and go on with it. Raises InputError, the old game kept, if it is wrong."""
        with uncollected():
            self.update(load_game(self.game.folder))

    def jobs(
        self,
        *,
        papers: Sequence[str] = ("A4", "Letter"),
        languages: Sequence[str] = ("en",),
        only: str | None = None,
        products: Sequence[str] | None = None,
        sheet: str | None = None,
        formats: Sequence[str] = ("pdf",),
    ) -> list[Job]:
        """The files to make; the words are those of `build`. Raises InputError for what the game does not have."""
        _check_call(self, products, languages)
        chosen = self.chosen(products, only)
        if only is not None and not chosen:
            asked = f"{only} in {', '.join(products)}" if products else only
            message = f"nothing of {asked} is in a product that can be printed"
            raise InputError([Finding("PP549", Where("--only"), message)])
        whole = only is None and not products and sheet is None and self._several()
        boxes = self.boxes(products) if only is None else []
        books = [p for p in self.products if p.book and only is None and (not products or p.name in products)]
        return [
            *(job for language in languages for product in books if "pdf" in formats
              for job in self.book_jobs(product, papers, language, sheet)),
            *(self.sheet_job(product, cards, page, language, sheet, only is not None)
              for language in languages for product, cards in [*chosen, *boxes] for page in papers if "pdf" in formats),
            *(self.print_me_job(page, language)
              for language in languages for page in papers if "pdf" in formats and whole),
            *(job for language in languages for product, cards in chosen
              for job in self.face_jobs(cards, language, formats)),
        ]  # fmt: skip

    def _several(self) -> bool:
        """Whether there is more than one product to print, so that one file of all of them saves work."""
        return len([product for product in self.products if product.book is None]) > 1

    def chosen(self, names: Sequence[str] | None, only: str | None) -> list[tuple[Product, tuple[Component, ...]]]:
        """The products asked for, each with the components asked for; products left empty are dropped."""
        ids = tuple(self.game.components)
        wanted = set(select(only, ids)) if only is not None else set(ids)
        listed = [
            (product, tuple(c for c in self.game.of_kind(*product.kinds) if c.id in wanted))
            for product in self.products
            if product.box is None and (names is None or product.name in names)
        ]
        return [(product, cards) for product, cards in listed if cards]

    def boxes(self, names: Sequence[str] | None) -> list[tuple[Product, tuple[Component, ...]]]:
        """The tuckboxes among the products asked for, each with the cards it holds."""
        asked = [p for p in self.products if p.box is not None and (names is None or p.name in names)]
        return [(product, self.game.of_kind(*product.kinds)) for product in asked]

    def sheet_job(
        self,
        product: Product,
        cards: tuple[Component, ...],
        page: str,
        language: str,
        sheet: str | None,
        partial: bool,
    ) -> Job:
        """The job that makes one product's PDF on one paper in one language.

        What is too large for the sheet plan asked for is laid out by the product's own, and says so; and what
        has no backs is never folded.
        """
        layout, note, stock = plan(sheet or product.sheet, on=paper(page)), "", self._stock(product, sheet)
        if product.box is not None and stock.folded:  # the box itself is not folded like its cards, but it is deeper
            layout = plan(product.sheet, on=paper(page))
        elif layout.backs == "gutterfold" and not self._folds(product, cards):
            layout, sheet = plan(product.sheet, on=paper(page)), None
        elif sheet and not self._fits(product, cards, layout, language):
            note = f"{product.name}: too large for {sheet} on {layout.paper.name}; laid out as {product.sheet}"
            layout, sheet = plan(product.sheet, on=paper(page)), None
        name = product.name + ("-selection" if partial else "") + (f"-{sheet}" if sheet else "")
        path = self.out / "print" / _folder(page) / f"{name}-{language}.pdf"
        print_ = together(self._base(language), layout, self.printer, self.note, product, stock,
                          *map(self._print, cards))  # fmt: skip
        group = f"{product.name} {language} {layout.low_ink}"
        return Job(path, print_, group, 2 * len(cards), lambda: self._sheets(product, cards, layout, language, stock),
                   note, product.name)

    def _stock(self, product: Product, sheet: str | None) -> Stock:
        """What the cards of a product are made of; folded sheets are two layers."""
        others = [one for one in self.products if one.box is None and set(one.kinds) & set(product.kinds)]
        sheets = [sheet] if sheet else [one.sheet for one in others]
        return replace(self.stock, folded=any(plan(name).backs == "gutterfold" for name in sheets))

    def _folds(self, product: Product, cards: tuple[Component, ...]) -> bool:
        """Whether there are backs to fold behind fronts."""
        return product.box is None and not product.tiled and any("back" in self._sides(card) for card in cards)

    def _fits(self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str) -> bool:
        """Whether every piece of a product fits on the plan's paper; boards are tiled and always do."""
        if product.tiled:
            return True
        if product.box is not None:
            pieces = [self._box(product, cards, layout, language, self.stock)]
        else:
            pieces = [Piece(card.id, face) for card in cards if (face := self._outline(card, language)) is not None]
        return fits(pieces, layout)

    def _outline(self, card: Component, language: str) -> Face | None:
        """A face of the card's size; only what is folded from a net must be drawn to know it."""
        if card.kind in self.looks.nets:
            return self.face(card, "front", language, Collector())
        known = self.looks.layout_for(card, language)
        return Face(card.id, known.width, known.height, ()) if known is not None else None

    def _box(
        self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str, stock: Stock
    ) -> Piece:
        """The tuckbox of a product that is one; as many alike as it takes for their net to fit on the paper."""
        assert product.box is not None  # asked by those who looked
        for boxes in range(1, MOST_BOXES + 1):
            net = self._looks(layout.low_ink).box(product.box, cards, stock, language, boxes)
            piece = Piece(product.name, net, None, boxes, net="tuckbox")
            if fits([piece], layout):
                break
        return piece

    def book_jobs(self, product: Product, papers: Sequence[str], language: str, sheet: str | None) -> list[Job]:
        """The jobs that make a booklet: one page a page for reading, and folded sheets on each paper.

        On A4 a page is A5, on Letter half a Letter. Credits are for reading only.
        """
        low_ink = bool(sheet) and plan(sheet or "").low_ink
        suffix = f"{'-lowink' if low_ink else ''}-{language}.pdf"
        print_ = together(self._base(language), product, low_ink, self._book_print(language))
        group = f"{product.name} {language} {low_ink}"
        folder = self.out / "print"
        jobs = [Job(folder / f"{product.name}{suffix}", together(print_, "pages"), group, 10,
                    lambda: self._pages(product, language, low_ink, None), of=product.name)]  # fmt: skip
        if product.book == "credits":
            return jobs
        for name in papers:
            on = paper(name)
            own = half_of(self.looks, on)
            for how, folded in (("booklet", True), ("pages", False)):
                if not folded and own is None:
                    continue  # the book's own size is half of this paper: these pages are made above
                path = folder / _folder(name) / f"{product.name}-{how}{suffix}"
                make = partial(self._pages, product, language, low_ink, on, folded)
                jobs.append(Job(path, together(print_, how, on), f"{group} {name}", 10, make, of=product.name))
        return jobs

    def _book_print(self, language: str) -> str:
        """What booklets depend on beside what every file does."""
        book = self.game.rulebook
        words = of_files(list(document_files(self.game.folder, language)))
        played = self.plays.fingerprint(self.game.folder) if self.plays is not None else ""
        cards = together(*map(self._print, self.game.components.values()))
        return together(canonical(book.rules), canonical(book.rulings), words, played, cards)

    def _pages(
        self, product: Product, language: str, low_ink: bool, on: Paper | None, folded: bool = False
    ) -> tuple[bytes, int, int]:
        """A booklet as PDF: its own pages tagged, or ``folded`` sheets of a paper."""
        from playproof.generator.book import credits_book, rulebook_book, saddle_stitched
        from playproof.generator.pdf.reading import readable  # it brings pikepdf

        looks = self._looks(low_ink)
        if product.book == "credits":
            leaves = credits_book(self.game, looks, language)
        else:
            leaves = rulebook_book(self.game, looks, language, self.plays, half_of(looks, on))
        if folded and on is not None:
            pages = saddle_stitched(leaves, on.height, on.width)
        else:
            pages = [leaf.page for leaf in leaves]
        title = f"{self.game.titles.text(language)} · {product.title(language)}"
        data = pdf_bytes(pages, metadata=Metadata(title, language=language), pool=self.pool)
        return (data if folded else readable(data, pages)), len(pages), 0

    def print_me_job(self, page: str, language: str) -> Job:
        """The job that makes one file of everything: what there is, how to print and cut it, then all sheets."""
        products = [p for p in self.products if p.book is None and not p.stickers]
        cards = [card for product in products for card in self.game.of_kind(*product.kinds)]
        path = self.out / "print" / _folder(page) / f"{PRINT_ME}-{language}.pdf"
        plans = [plan(product.sheet, on=paper(page)) for product in products]
        print_ = together(self._base(language), *plans, self.printer, self.note, self.stock, *self.products,
                          *map(self._print, cards))  # fmt: skip
        group = f"{products[0].name} {language} {plans[0].low_ink}"
        return Job(path, print_, group, 2 * len(cards), lambda: self._print_me(products, page, language),
                   of=PRINT_ME)

    def _print_me(self, products: Sequence[Product], page: str, language: str) -> tuple[bytes, int, int]:
        from playproof.generator.sheets.gang import Wanted, gang
        from playproof.generator.sheets.printme import Contents, print_me

        wanted = []
        for product in products:
            layout = plan(product.sheet, on=paper(page))
            cards = self.game.of_kind(*product.kinds)
            pieces = tuple(self._pieces_of(product, cards, layout, language, self._stock(product, None)))
            wanted.append(Wanted(product.title(language), pieces, layout, product.tiled))
        facts, say = self.game.facts, Wording(language)
        counted = [f"{part.count} {pick(part.name, language)}" for part in facts.components] or [
            f"{one.title}: {say.counted('piece', sum(piece.count for piece in one.pieces))}" for one in wanted
        ]
        also = [f"{need.count} {pick(need.name, language)}" for need in facts.also]
        books = [product.title(language) for product in self.products if product.book == "rulebook"]
        title = self.game.titles.text(language)
        parts = gang(wanted, title=title, printer=self.printer, language=language)
        pages = print_me(parts, paper(page), Contents(title, counted, also, books), language=language)
        data = pdf_bytes(pages, metadata=Metadata(title, language=language), pool=self.pool)
        return data, len(pages), sum(piece.count for one in wanted for piece in one.pieces)

    def face_jobs(self, cards: tuple[Component, ...], language: str, formats: Sequence[str]) -> list[Job]:
        """The jobs that make SVG and PNG pictures of single faces."""
        jobs = []
        for kind in ("svg", "png"):
            if kind not in formats:
                continue
            for card in cards:
                for side in self._sides(card):
                    path = self.out / kind / language / f"{card.id}.{side}.{kind}"
                    print_ = together(self._base(language), kind, side, self._print(card))
                    group = f"{card.id} {side} {language}"
                    make = self._picture(card, side, language, kind)
                    jobs.append(Job(path, print_, group, 10, make, of=card.id))
        return jobs

    def run(
        self, jobs: Sequence[Job], force: bool, progress: Progress | None, workers: int | None = 1
    ) -> list[BuiltFile]:
        """Make what is not current. Everything is drawn before anything is written.

        With more than one worker (None: as many as pay) the faces drawn are not kept for the next run.
        """
        with uncollected():
            return self._run(jobs, force, progress, workers)

    def _run(self, jobs: Sequence[Job], force: bool, progress: Progress | None, workers: int | None) -> list[BuiltFile]:
        manifest = Manifest(self.out)
        current = {job.path: None if force else manifest.current(job.path, job.fingerprint) for job in jobs}
        due = [job for job in jobs if current[job.path] is None]
        made: dict[FilePath, Made] = {}
        for number, (job, result) in enumerate(zip(due, make_all(due, workers), strict=True), 1):
            made[job.path] = result
            if progress:
                progress(job.path.name, number, len(due))
        collector = Collector()
        for result in made.values():
            collector.extend(result.findings)
        collector.check()
        for job in due:
            result = made[job.path]
            write_atomically(job.path, result.data)
            manifest.note(job.path, Entry(job.fingerprint, result.pages, result.cards, len(result.data), job.of))
        whole = (PRINT_ME,) if self._several() else ()
        self.removed = manifest.remove_others({*self.game.components, *(p.name for p in self.products), *whole})
        manifest.save()
        return [_reported(job, made.get(job.path), current[job.path]) for job in jobs]

    def face(
        self,
        card: Component,
        side: str,
        language: str,
        collector: Collector,
        low_ink: bool = False,
        variant: str = "",
    ) -> Face | None:
        """A face, drawn once for as long as this builder lives and the card stays as it is."""
        key = (self._print(card), side, language, card.id, low_ink, variant)
        if key not in self._faces:
            drawn = self._looks(low_ink).draw(card, side, language, collector, variant)
            if drawn is None:
                return None
            self._faces[key] = drawn
        return self._faces[key]

    def _looks(self, low_ink: bool) -> Looks:
        """The looks to draw with; those of low ink are read when first asked for."""
        if not low_ink:
            return self.looks
        if self._low_ink is None:
            self._low_ink = Looks(
                self.game, self.looks.folder, self.looks.fonts, low_ink=True, rulings=self.looks.rulings
            )
        return self._low_ink

    def pieces(self, cards: Sequence[Component], language: str, low_ink: bool = False) -> list[Piece]:
        """Components as pieces for the sheets. Raises InputError with all that is wrong with any."""
        collector = Collector()
        pieces = []
        for card in cards:
            for variant, count in self._shares(card, collector):
                faces = [self.face(card, side, language, collector, low_ink, variant) for side in self._sides(card)]
                if faces and faces[0] is not None:
                    back = faces[1] if len(faces) > 1 else None
                    name, title = card.id, self._title(card, language)
                    if variant:
                        name, title = f"{name}-{variant}", f"{title} ({self.looks.variant(card, variant, language)})"
                    pieces.append(Piece(name, faces[0], back, count, card.where, self.looks.net(card), title,
                                        self.looks.pile(card, language)))  # fmt: skip
        collector.check()
        return pieces

    def _shares(self, card: Component, collector: Collector) -> list[tuple[str, int]]:
        """The looks a component's copies come in, and how many copies each has."""
        variants = self.looks.variants(card)
        if card.count % len(variants):
            message = f"{card.id}: {card.count} copies cannot be shared out among {', '.join(variants)}"
            collector.add("PP545", card.where, message)
        return [(variant, card.count // len(variants)) for variant in variants]

    def _stickers(self, cards: Sequence[Component], language: str, low_ink: bool) -> list[Piece]:
        """Dice as strips of stickers."""
        collector = Collector()
        drawn = [(card, self.face(card, STICKERS, language, collector, low_ink)) for card in cards]
        collector.check()
        return [
            Piece(card.id, face, None, card.count, card.where, "stickers") for card, face in drawn if face is not None
        ]

    def figures(self, language: str) -> list[Piece]:
        """What stands on the table, as flat pictures."""
        kinds = [layout.kind for layout in self.looks.layouts if layout.net == "standee"]
        collector = Collector()
        drawn = [(card, self.face(card, PANEL, language, collector)) for card in self.game.of_kind(*kinds)]
        collector.check()
        return [
            Piece(card.id, face, None, card.count, card.where, "", self._title(card, language))
            for card, face in drawn
            if face is not None
        ]

    def dice(self, language: str) -> list[Die]:
        """The dice, each with what its faces say."""
        from playproof.generator.exports.table import Die  # it brings the libraries that draw pixels

        names = icon_names(self.game.vocabulary, language)
        kinds = [layout.kind for layout in self.looks.layouts if layout.net == "die"]
        found = []
        for card in self.game.of_kind(*kinds):
            faces = card.get("faces")
            assert isinstance(faces, tuple)  # else the die could not have been drawn
            said = tuple(spoken(str(face["text"].text(language)), names) for face in faces)
            found.append(Die(self._title(card, language), said, card.count))
        return found

    def _title(self, card: Component, language: str) -> str:
        """What people call a component: its title, else what its fields name (Octopus Hunter, 2), else its id."""
        title = card.get("title")
        if isinstance(title, Words):
            return title.text(language)
        named = list(self._named(card, language))
        return ", ".join(named) if any(not name.isdigit() for name in named) else card.id

    def rulebook(self, language: str) -> bytes:
        """The rulebook as PDF; empty where no product is one."""
        books = [product for product in self.products if product.book == "rulebook"]
        return self._pages(books[0], language, False, None)[0] if books else b""

    def _named(self, card: Component, language: str) -> Iterator[str]:
        """The titles of the components, the names of the terms, and the numbers in a card's fields."""
        for name, spec in self.game.vocabulary.kinds[card.kind].fields.items():
            value = card.get(name)
            if spec.type == "term" and isinstance(value, str):
                yield self.game.vocabulary.group(spec.group or "")[value].name(language)
            elif spec.type == "reference" and value in self.game.components:
                yield self._title(self.game.components[str(value)], language)
            elif spec.type == "integer" and value is not None:
                yield str(value)

    def _print(self, card: Component) -> str:
        """The hash of what is printed of a card. A card that reads as before keeps it: to compare is less work."""
        known = self._prints.get(card.id)
        if known is None or (known[0] is not card and known[0] != card) or card.kind in self._pictured:
            known = self._prints[card.id] = (card, together(of_component(card), *self._pictures(card)))
        return known[1]

    def _pictures(self, card: Component) -> Iterator[str]:
        """The hashes of the picture files that the card's own fields name."""
        for name, field in self.game.vocabulary.kinds[card.kind].fields.items():
            value = card.get(name) if field.type == "image" else None
            if value and (path := self.game.folder / str(value)).is_file():
                yield of_files([path])

    def _sides(self, card: Component) -> tuple[str, ...]:
        return ("front", "back") if self.looks.has_side(card, "back") else ("front",)

    def _base(self, language: str) -> str:
        """What every file of a language depends on beside its own cards."""
        vocabulary = self.game.vocabulary
        return together(
            of_this_room(), self._layout_print, language, self.game.facts, vocabulary.spec, vocabulary.targets,
            sorted(self.looks.rulings.items()),
        )  # fmt: skip

    def _sheets(
        self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str, stock: Stock
    ) -> tuple[bytes, int, int]:
        pieces = self._pieces_of(product, cards, layout, language, stock)
        title = f"{self.game.titles.text(language)} · {product.title(language)}"
        title += f" · {self.note}" if self.note else ""
        pages: list[Page] = []
        if product.tiled:
            for piece in pieces:
                pages += impose_board(piece, layout, title=title, language=language)
            if layout.instructions:
                from playproof.generator.sheets.assembly import assembly

                parted = [piece for piece in _unlike(pieces) if len(tiled(piece.front, piece, layout).tiles) > 1]
                pages += [assembly(piece, layout, title=title, language=language) for piece in parted]
        else:
            pages += impose(pieces, layout, title=title, printer=self.printer, language=language)
            if layout.instructions:
                from playproof.generator.sheets.instructions import instructions

                pages.append(instructions(pieces, layout, title=title, language=language))
        data = pdf_bytes(pages, metadata=Metadata(title, language=language), pool=self.pool)
        return data, len(pages), sum(piece.count for piece in pieces)

    def pieces_of(self, product: Product, language: str) -> list[Piece]:
        """All pieces of a product: cards, boards, stickers, or its box. Raises InputError as `pieces`."""
        cards = self.game.of_kind(*product.kinds)
        return self._pieces_of(product, cards, plan(product.sheet), language, self._stock(product, None))

    def _pieces_of(
        self, product: Product, cards: tuple[Component, ...], layout: Plan, language: str, stock: Stock
    ) -> list[Piece]:
        """What goes on the sheets of a product."""
        if product.box is not None:
            return [self._box(product, cards, layout, language, stock)]
        if product.stickers:
            return self._stickers(cards, language, layout.low_ink)
        pieces = self.pieces(cards, language, layout.low_ink)
        if product.cut_out:
            pieces = [replace(piece, net=piece.net or "drawn") for piece in pieces]
            _check_folds(pieces)
        return pieces

    def _picture(self, card: Component, side: str, language: str, kind: str) -> Callable[[], tuple[bytes, int, int]]:
        def make() -> tuple[bytes, int, int]:
            collector = Collector()
            face = self.face(card, side, language, collector)
            collector.check()
            assert face is not None  # otherwise check() has raised
            if kind == "svg":
                from playproof.generator.svg import svg_text

                return svg_text(face, bleed=face.bleed, fonts=self.looks.fonts).encode(), 1, 1
            return self._preview(face), 1, 1

        return make

    def _preview(self, face: Face) -> bytes:
        from playproof.generator.exports.raster import face_page
        from playproof.generator.png import png_pages

        data = pdf_bytes([face_page(face, 0.0)], metadata=Metadata(face.name), pool=self.pool)
        return next(png_pages(data, PREVIEW))


def half_of(looks: Looks, on: Paper | None) -> Layout | None:
    """The layout of the looks' book on half a sheet of a paper; None where its own size is that within 1 mm."""
    if on is None or looks.book is None:
        return None
    if abs(looks.book.width - on.height / 2) < 1 and abs(looks.book.height - on.width) < 1:
        return None
    return replace(looks.book, width=on.height / 2, height=on.width)


def _pictured(game: Game) -> frozenset[str]:
    """The kinds whose cards name picture files, which may change while the card stays."""
    kinds = game.vocabulary.kinds.items()
    return frozenset(name for name, kind in kinds if any(field.type == "image" for field in kind.fields.values()))


def _check_folds(pieces: Sequence[Piece]) -> None:
    """Raise InputError for nets whose solid lines, which are cut, lie on dashed ones, which are folded."""
    from playproof.generator.papercraft.drawn import cut_folds

    collector = Collector()
    for piece in pieces:
        for fold in cut_folds(piece.front):
            (x1, y1), (x2, y2) = fold.start, fold.end
            ends = f"from ({x1:.1f}, {y1:.1f}) to ({x2:.1f}, {y2:.1f}) mm"
            message = f"{piece.name}: a solid line lies on the fold {ends}"
            collector.add("PP516", piece.where, message, "draw its outline as lines that leave the folds out")
    collector.check()


def _unlike(pieces: Sequence[Piece]) -> list[Piece]:
    """One board of each size, counted as often as there are boards of it: they are put together alike."""
    return [replace(group[0], count=sum(piece.count for piece in group)) for group in by_size(pieces).values()]


def _reported(job: Job, made: Made | None, current: Entry | None) -> BuiltFile:
    if made is not None:
        return BuiltFile(job.path, made.pages, made.cards, made.seconds, True, job.note)
    assert current is not None  # what was not made is current
    return BuiltFile(job.path, current.pages, current.cards, 0.0, False, job.note)


@contextmanager
def uncollected() -> Iterator[None]:
    """Without the cycle collector: scenes have no cycles, and walking a million nodes again and again
    doubles the time of large builds. What was made is not walked later either: it stays or goes by its count."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.freeze()
            gc.enable()


def _layout_files(folder: FilePath) -> list[FilePath]:
    """Every file that a game's looks may draw on."""
    shared = [LAYOUTS / name for name in ("common", "icons", "motifs", "fonts")]
    return [path for root in (folder, *shared) for path in root.rglob("*") if path.is_file()]


def _folder(page: str) -> str:
    """A paper's name as a folder's."""
    return page.replace("/", "-").replace(" ", "")

"""The contents of the booklets: the rulebook from its document, and the credits of the files used.

Without a document the rulebook lists the game's rules by section, then its rulings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from playproof.database.errors import InputError, Where
from playproof.database.game import Game
from playproof.database.rulebook_text import Document, read_document
from playproof.generator.art.credits import credits_of
from playproof.generator.book import data_directives
from playproof.generator.book.chapter_references import reference_findings
from playproof.generator.book.compose import Composer, Pages
from playproof.generator.book.file_usage import used_files
from playproof.generator.book.flow import BLOCK, Book, Leaf, SetBlock
from playproof.generator.book.pictures import Faces
from playproof.generator.book.play_interface import Plays
from playproof.generator.layout.bind import Looks
from playproof.generator.layout.layout_files import Layout
from playproof.generator.wording import words_of

ROUNDS = 6  # how often pages are filled at most until the page numbers printed on them are right
SPARSE = 0.4  # of a page: a last page filled less than this is saved if the white between pieces allows it
FILLINGS = (  # factors of that white, and how many chapters a picture may wait: as it is set, then what is tried
    (1.0, 1),
    (0.85, 1),
    (0.7, 1),
    (1.0, 2),
    (0.85, 2),
    (0.7, 2),
    (0.5, 2),
    (0.5, 3),
)


def rulebook_book(
    game: Game,
    looks: Looks,
    language: str,
    plays: Plays | None = None,
    layout: Layout | None = None,
    pages: int = 1,
) -> list[Leaf]:
    """Return the rulebook's pages. Raises InputError with every problem in it.

    ``plays`` plays the examples; ``layout`` replaces the looks' book layout by one of another size.
    Pages for notes fill the book up to a multiple of ``pages``.
    """
    return filled_up(rulebook_leaves(game, looks, language, plays, layout), pages)


Unfilled = tuple[Book, list[Leaf]]
"""A book, and its pages before any are added to fill its last sheet."""


def filled_up(unfilled: Unfilled, pages: int) -> list[Leaf]:
    """Return the book's pages, with those that fill it up to a multiple of ``pages``."""
    book, leaves = unfilled
    return book.filled_up(leaves, pages, words_of("booklets", book.language)["notes"])


def rulebook_leaves(
    game: Game,
    looks: Looks,
    language: str,
    plays: Plays | None = None,
    layout: Layout | None = None,
    faces: Faces | None = None,
) -> Unfilled:
    """Return the rulebook's pages as `rulebook_book` does, before any are added. Books of several sizes may share
    ``faces``."""
    titles = game.rulebook.title
    title = titles.text(language) if titles else game.titles.text(language)
    book = Book(looks, layout or book_layout(looks), language, title)
    document = read_document(game.folder, language, game.edits)
    if document is None:
        leaves = book.leaves([*_about(book, game), *_rules(book, game), *_rulings(book, game)])
    else:
        leaves = _composed(book, game, document, plays, faces or Faces(looks, language))
    return book, book.tailed(leaves)


def credits_book(game: Game, looks: Looks, language: str) -> list[Leaf]:
    """Return the pages of the credits: people, sources of facts, and the licences of icons,
    pictures and fonts."""
    words = words_of("booklets", language)
    book = Book(
        looks,
        book_layout(looks),
        language,
        f"{game.titles.text(language)}{words['colon']} {words['credits']}",
    )
    heading = book.text(words["credits"], "heading", role="H1", keep=True)
    return book.leaves([heading, *_people(book, game), *_licences(book)], cover=False)


def book_layout(looks: Looks) -> Layout:
    """Return the layout of the game's booklets. Raises InputError if the looks have none."""
    if looks.book is None:
        where = Where(str(looks.folder))
        message = "expected a layout with `book: true` for the booklet, found none"
        raise InputError.of("PP505", where, message, f"write one in {looks.folder}")
    return looks.book


def _composed(book: Book, game: Game, document: Document, plays: Plays | None, faces: Faces) -> list[Leaf]:
    """Return the pages. If the last page is sparse, try less white between pieces to save that
    page, and pictures that wait longer. The fewest pages win, then those whose last is fullest."""
    recorded = None if plays is None else plays.count
    book.collector.extend(reference_findings(game, document, book.looks.icons, recorded))
    book.collector.check()
    composer = Composer(book, game, document, plays, faces)
    best: list[Leaf] = []
    for white, patience in FILLINGS:
        leaves = _settled(book, composer, white, patience)
        if not best or (len(leaves), -_fill(book, leaves[-1])) < (len(best), -_fill(book, best[-1])):
            best = leaves
        if _fill(book, best[-1]) >= SPARSE:
            break
    return best


def _fill(book: Book, leaf: Leaf) -> float:
    """Return the filled share of a page's text area, measured from its top."""
    lowest = max((passage.box.bottom for passage in leaf.passages), default=book.area.y)
    return (lowest - book.area.y) / book.area.height


def _closer(piece: SetBlock, white: float) -> SetBlock:
    return replace(piece, above=piece.above * white) if piece.above >= BLOCK else piece


def _settled(book: Book, composer: Composer, white: float, patience: int) -> list[Leaf]:
    """Fill the pages again until every number on them is right: a longer number may move a line to
    the next page."""
    pages: Pages = {}
    for _ in range(ROUNDS):
        leaves = book.leaves([_closer(piece, white) for piece in composer.pieces(pages)], patience=patience)
        actual = _where(leaves)
        if actual == pages:
            return leaves
        pages = actual
    raise AssertionError("the pages of a book do not settle")  # each round moves a number's width at most


def _where(leaves: list[Leaf]) -> Pages:
    """Return the pages on which each note stands."""
    pages_of_note: dict[str, dict[int, None]] = {}
    for number, leaf in enumerate(leaves, 1):
        for note in leaf.notes:
            pages_of_note.setdefault(note, {})[number] = None
    return {note: tuple(pages) for note, pages in pages_of_note.items()}


# -- without a document -------------------------------------------------------------------------------------------


def _about(book: Book, game: Game) -> Iterator[SetBlock]:
    about = game.facts.about.get(book.language) or game.facts.about.get("en", "")
    if about:
        yield book.text(about, "lead")


def _rules(book: Book, game: Game) -> Iterator[SetBlock]:
    for section, titles in game.rulebook.sections.items():
        yield book.text(titles.text(book.language), "heading", role="H1", above=5, keep=True)
        for rule in game.rules.values():
            if rule.section == section:
                label = rule.id if book.margin else ""
                yield book.text(rule.words.text(book.language), label=label, where=rule.where)


def _rulings(book: Book, game: Game) -> Iterator[SetBlock]:
    if not game.rulings:
        return
    yield book.text(words_of("booklets", book.language)["rulings"], "heading", role="H1", above=5, keep=True)
    for ruling in game.rulings.values():
        chosen = book.looks.rulings.get(ruling.id, ruling.default)
        answer = ruling.option_words[chosen].text(book.language) if chosen in ruling.option_words else ""
        narrowed = data_directives.narrowed(ruling, chosen, book.language)
        text = f"**{ruling.words.text(book.language)}** {answer}{narrowed}"
        yield book.text(text, label=ruling.id, above=1.8, where=ruling.where)


# -- credits ------------------------------------------------------------------------------------------------------


def _people(book: Book, game: Game) -> Iterator[SetBlock]:
    language, words = book.language, words_of("booklets", book.language)
    if game.facts.credits:
        yield book.text(words["people"], "subheading", role="H2", above=4, keep=True)
    for person in game.facts.credits:
        role = person.role.get(language) or person.role.get("en", "")
        licence = f" ({person.licence})" if person.licence else ""
        yield book.text(f"**{person.name}**{words['colon']} {role}{licence}")
    notice = game.facts.notice.get(language) or game.facts.notice.get("en", "")
    if notice:
        yield book.text(words["sources"], "subheading", role="H2", above=4, keep=True)
        yield book.text(notice)


def _licences(book: Book) -> Iterator[SetBlock]:
    """Yield the authors and licences of the pictures and fonts that this game shows, and no
    others."""
    words = words_of("booklets", book.language)
    used = used_files(book)
    for title, key in ((words["icons"], "icons"), (words["fonts"], "fonts")):
        yield book.text(title, "subheading", role="H2", above=4, keep=True)
        places: dict[str, Where] = {}  # names an author of files in two folders once
        for folder in sorted({file.parent for file in used}):
            theirs = (file for file in used if file.parent == folder)
            for credit in credits_of(theirs, key, book.language):
                if credit.files:
                    places.setdefault(credit.line, credit.where)
        yield from (book.text(text, where=where) for text, where in places.items())

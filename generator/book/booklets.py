"""The contents of the booklets: the rulebook from its document, and the credits of the files that its faces
and pages are drawn with; its pages on sheets that are folded once and stapled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath

from playproof.database.errors import FindingCollector, InputError, Where
from playproof.database.game import Game
from playproof.database.rulebook_text import Document, read_rulebook_document
from playproof.generator.art.icons import iter_credits_of_folder_or_raise
from playproof.generator.book import data_directives
from playproof.generator.book.chapter_references import list_broken_references_in_document
from playproof.generator.book.document_composer import DocumentComposer, PagesByNote
from playproof.generator.book.face_pictures import BookFaceRenderer
from playproof.generator.book.page_flow import BLOCK, LAST, TAIL, BookPage, BookTypesetter, TypesetBlock
from playproof.generator.book.play_interface import RecordedGamePlayer
from playproof.generator.layout.layout_files import Layout
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import (
    Colour,
    Glyphs,
    Group,
    Node,
    Page,
    Passage,
    Placement,
    Stroke,
    Transform,
    Use,
    build_line_path,
)
from playproof.generator.type.shaping import BOLD, PLAIN
from playproof.generator.wording import get_words_by_key_or_english_ones

# The contents of the booklets: the rulebook from its document, and the credits of the files used.

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


def build_rulebook_pages_or_raise(
    game: Game,
    looks: LayoutRenderer,
    language: str,
    recorded_game_player: RecordedGamePlayer | None = None,
    layout: Layout | None = None,
    page_multiple: int = 1,
) -> list[BookPage]:
    """Return the rulebook's pages. Raises InputError with every problem in it.

    ``recorded_game_player`` plays the examples; ``layout`` replaces the looks' book layout by one of another size.
    Pages for notes fill the book up to a multiple of ``page_multiple``.
    """
    return pad_book_with_note_pages_to_multiple(
        compose_rulebook_pages_before_padding(game, looks, language, recorded_game_player, layout), page_multiple
    )


UnpaddedBook = tuple[BookTypesetter, list[BookPage]]
"""A book, and its pages before any are added to fill its last sheet."""


def pad_book_with_note_pages_to_multiple(unpadded_book: UnpaddedBook, page_multiple: int) -> list[BookPage]:
    """Return the book's pages, with those that fill it up to a multiple of ``page_multiple``."""
    book, leaves = unpadded_book
    return book.add_note_pages_and_back_up_to_multiple(
        leaves, page_multiple, get_words_by_key_or_english_ones("booklets", book.language)["notes"]
    )


def compose_rulebook_pages_before_padding(
    game: Game,
    looks: LayoutRenderer,
    language: str,
    recorded_game_player: RecordedGamePlayer | None = None,
    layout: Layout | None = None,
    face_renderer: BookFaceRenderer | None = None,
) -> UnpaddedBook:
    """Return the rulebook's pages as `build_rulebook_pages_or_raise` does, before any are added. Books of several
    sizes may share ``face_renderer``."""
    titles = game.rulebook.title
    title = titles.text(language) if titles else game.titles.text(language)
    book = BookTypesetter(looks, layout or get_book_layout_or_raise(looks), language, title)
    document = read_rulebook_document(game.folder, language, game.edits)
    if document is None:
        leaves = book.build_pages_from_blocks_or_raise(
            [
                *_iter_game_description_blocks(book, game),
                *_iter_rule_blocks_by_section(book, game),
                *_iter_chosen_ruling_blocks(book, game),
            ]
        )
    else:
        leaves = _check_document_and_compose_fewest_pages(
            book, game, document, recorded_game_player, face_renderer or BookFaceRenderer(looks, language)
        )
    return book, book.copy_pages_with_tail_picture_if_sparse(leaves)


def build_credits_pages(game: Game, looks: LayoutRenderer, language: str) -> list[BookPage]:
    """Return the pages of the credits: people, sources of facts, and the licences of icons,
    pictures and fonts."""
    words = get_words_by_key_or_english_ones("booklets", language)
    book = BookTypesetter(
        looks,
        get_book_layout_or_raise(looks),
        language,
        f"{game.titles.text(language)}{words['colon']} {words['credits']}",
    )
    heading = book.typeset_paragraph_as_block(words["credits"], "heading", role="H1", keep_with_next=True)
    return book.build_pages_from_blocks_or_raise(
        [heading, *_iter_people_credit_blocks(book, game), *_iter_licence_blocks(book)], with_cover=False
    )


def get_book_layout_or_raise(looks: LayoutRenderer) -> Layout:
    """Return the layout of the game's booklets. Raises InputError if the looks have none."""
    if looks.book is None:
        where = Where(str(looks.folder))
        message = "expected a layout with `book: true` for the booklet, found none"
        raise InputError.from_single_finding("PP505", where, message, f"write one in {looks.folder}")
    return looks.book


def _check_document_and_compose_fewest_pages(
    book: BookTypesetter,
    game: Game,
    document: Document,
    recorded_game_player: RecordedGamePlayer | None,
    face_renderer: BookFaceRenderer,
) -> list[BookPage]:
    """Return the pages. If the last page is sparse, try less white between pieces to save that
    page, and pictures that wait longer. The fewest pages win, then those whose last is fullest."""
    recorded = (
        None
        if recorded_game_player is None
        else partial(recorded_game_player.count_moves_or_raise_if_rejected, cards=game)
    )
    book.collector.add_findings(list_broken_references_in_document(game, document, book.looks.icons, recorded))
    book.collector.raise_if_errors()
    composer = DocumentComposer(book, game, document, recorded_game_player, face_renderer)
    best: list[BookPage] = []
    for white, patience in FILLINGS:
        leaves = _compose_until_page_numbers_settle(book, composer, white, patience)
        if not best or (len(leaves), -_compute_filled_share_of_page(book, leaves[-1])) < (
            len(best),
            -_compute_filled_share_of_page(book, best[-1]),
        ):
            best = leaves
        if _compute_filled_share_of_page(book, best[-1]) >= SPARSE:
            break
    return best


def _compute_filled_share_of_page(book: BookTypesetter, page: BookPage) -> float:
    """Return the filled share of a page's text area, measured from its top."""
    lowest = max((passage.box.bottom for passage in page.passages), default=book.area.y)
    return (lowest - book.area.y) / book.area.height


def _multiply_wide_space_above_block(block: TypesetBlock, factor: float) -> TypesetBlock:
    return replace(block, above=block.above * factor) if block.above >= BLOCK else block


def _compose_until_page_numbers_settle(
    book: BookTypesetter, composer: DocumentComposer, white_factor: float, max_chapters_a_figure_waits: int
) -> list[BookPage]:
    """Fill the pages again until every number on them is right: a longer number may move a line to
    the next page."""
    pages: PagesByNote = {}
    for _ in range(ROUNDS):
        leaves = book.build_pages_from_blocks_or_raise(
            [_multiply_wide_space_above_block(piece, white_factor) for piece in composer.compose_document(pages)],
            max_chapters_waiting=max_chapters_a_figure_waits,
        )
        actual = _map_notes_to_sorted_page_numbers(leaves)
        if actual == pages:
            return leaves
        pages = actual
    raise AssertionError("the pages of a book do not settle")  # each round moves a number's width at most


def _map_notes_to_sorted_page_numbers(leaves: list[BookPage]) -> PagesByNote:
    """Return the pages on which each note stands."""
    pages_of_note: dict[str, dict[int, None]] = {}
    for number, leaf in enumerate(leaves, 1):
        for note in leaf.notes:
            pages_of_note.setdefault(note, {})[number] = None
    return {note: tuple(pages) for note, pages in pages_of_note.items()}


# -- without a document -------------------------------------------------------------------------------------------


def _iter_game_description_blocks(book: BookTypesetter, game: Game) -> Iterator[TypesetBlock]:
    about = game.facts.about.get(book.language) or game.facts.about.get("en", "")
    if about:
        yield book.typeset_paragraph_as_block(about, "lead")


def _iter_rule_blocks_by_section(book: BookTypesetter, game: Game) -> Iterator[TypesetBlock]:
    for section, titles in game.rulebook.sections.items():
        yield book.typeset_paragraph_as_block(
            titles.text(book.language), "heading", role="H1", space_above=5, keep_with_next=True
        )
        for rule in game.rules.values():
            if rule.section == section:
                label = rule.id if book.margin else ""
                yield book.typeset_paragraph_as_block(rule.words.text(book.language), label=label, where=rule.where)


def _iter_chosen_ruling_blocks(book: BookTypesetter, game: Game) -> Iterator[TypesetBlock]:
    if not game.rulings:
        return
    yield book.typeset_paragraph_as_block(
        get_words_by_key_or_english_ones("booklets", book.language)["rulings"],
        "heading",
        role="H1",
        space_above=5,
        keep_with_next=True,
    )
    for ruling in game.rulings.values():
        chosen = book.looks.rulings.get(ruling.id, ruling.default)
        answer = ruling.option_words[chosen].text(book.language) if chosen in ruling.option_words else ""
        narrowed = data_directives.format_narrower_default_reason_or_empty(ruling, chosen, book.language)
        text = f"**{ruling.words.text(book.language)}** {answer}{narrowed}"
        yield book.typeset_paragraph_as_block(text, label=ruling.id, space_above=1.8, where=ruling.where)


# -- credits ------------------------------------------------------------------------------------------------------


def _iter_people_credit_blocks(book: BookTypesetter, game: Game) -> Iterator[TypesetBlock]:
    language, words = book.language, get_words_by_key_or_english_ones("booklets", book.language)
    if game.facts.credits:
        yield book.typeset_paragraph_as_block(
            words["people"], "subheading", role="H2", space_above=4, keep_with_next=True
        )
    for person in game.facts.credits:
        role = person.role.get(language) or person.role.get("en", "")
        licence = f" ({person.licence})" if person.licence else ""
        yield book.typeset_paragraph_as_block(f"**{person.name}**{words['colon']} {role}{licence}")
    notice = game.facts.notice.get(language) or game.facts.notice.get("en", "")
    if notice:
        yield book.typeset_paragraph_as_block(
            words["sources"], "subheading", role="H2", space_above=4, keep_with_next=True
        )
        yield book.typeset_paragraph_as_block(notice)


def _iter_licence_blocks(book: BookTypesetter) -> Iterator[TypesetBlock]:
    """Yield the authors and licences of the pictures and fonts that this game shows, and no
    others."""
    words = get_words_by_key_or_english_ones("booklets", book.language)
    used = draw_everything_to_find_files_used(book)
    for title, key in ((words["icons"], "icons"), (words["fonts"], "fonts")):
        yield book.typeset_paragraph_as_block(title, "subheading", role="H2", space_above=4, keep_with_next=True)
        places: dict[str, Where] = {}  # names an author of files in two folders once
        for folder in sorted({file.parent for file in used}):
            theirs = (file for file in used if file.parent == folder)
            for credit in iter_credits_of_folder_or_raise(theirs, key, book.language):
                if credit.files:
                    places.setdefault(credit.line, credit.where)
        yield from (book.typeset_paragraph_as_block(text, where=where) for text, where in places.items())


# -- binding -------------------------------------------------------------------------------------------------
# Put a book's pages on sheets that are folded once and stapled in the middle.

FOLD = Stroke(Colour.parse_hex_or_cmyk_colour_or_raise("#9a948c"), 0.15)
PAGES = 4  # on a sheet that is folded once
EDGE = 5.0  # mm of paper that home printers may leave white
TICK = 4.0  # mm: the marks that show where to fold and to staple


def impose_pages_for_saddle_stitch(
    book_pages: Sequence[BookPage], sheet_width: float, sheet_height: float
) -> list[Page]:
    """Place the leaves two to a side on sheets of ``sheet_width`` by ``sheet_height`` mm (landscape), fronts
    and backs in turn. Their passages stay tagged, and are read in the order of the leaves.

    Blank pages at the end bring the number of pages to a multiple of four.
    """
    count = len(book_pages) + -len(book_pages) % PAGES
    sides = []
    for sheet in range(count // 4):
        first, last = 2 * sheet, count - 1 - 2 * sheet
        sides.append(_build_sheet_side(book_pages, (last, first), sheet_width, sheet_height))
        sides.append(_build_sheet_side(book_pages, (first + 1, last - 1), sheet_width, sheet_height))
    return sides


def _build_sheet_side(
    book_pages: Sequence[BookPage], left_and_right_page_index: tuple[int, int], sheet_width: float, sheet_height: float
) -> Page:
    middle = sheet_width / 2
    placed: list[Placement] = []
    passages: list[Passage] = []
    for at, x in zip(left_and_right_page_index, (0.0, middle), strict=True):
        if at >= len(book_pages):
            continue  # a blank page
        ground = book_pages[at].face_without_passages
        scale = min(middle / ground.width, sheet_height / ground.height)
        across, down = (middle - ground.width * scale) / 2, (sheet_height - ground.height * scale) / 2
        place = Transform(scale, 0, 0, scale, x + across, down)
        placed.append(Placement(ground, place))
        passages += [each.apply_upright_transform(place)._replace(leaf=at) for each in book_pages[at].passages]
    marks: tuple[Node, ...] = (
        build_line_path(middle, EDGE, middle, EDGE + TICK, FOLD),
        build_line_path(middle, sheet_height - EDGE - TICK, middle, sheet_height - EDGE, FOLD),
    )
    return Page(sheet_width, sheet_height, tuple(placed), marks, passages=tuple(passages))


# -- file usage ----------------------------------------------------------------------------------------------
# Find the files that a game is drawn with: the icons, motifs, pictures and fonts that its faces and
# booklets show.

STYLES = (
    "text", "lead", "heading", "subheading", "small-heading", "box-heading", "caption", "table", "table-head",
    "contents", "component", "face-title", "mark", "label", "marker",
)  # fmt: skip
"""The styles in which booklets set type."""


def draw_everything_to_find_files_used(book: BookTypesetter) -> frozenset[FilePath]:
    """Return the files. To find them, draw every face, the boxes, a page, the cover, and a letter
    in each style of booklets."""
    looks = book.looks
    fonts = {PLAIN, BOLD}  # the sheets' own lettering
    drawn = [*_iter_nodes_of_each_face(looks, book.language), *_iter_nodes_of_each_box_side(looks, book.language)]
    drawn += [book.draw_layout_side_or_part(side) for side in ("front", "back", LAST, TAIL)]
    drawn += [
        book.typeset_text_and_note_problems("a", book.width, style).nodes
        for style in STYLES
        if style in book.layout.styles
    ]
    for nodes in drawn:
        fonts.update(iter_font_keys_in_nodes(nodes))
    return looks.list_picture_files_drawn_so_far(book.language) | {looks.fonts[font].path for font in fonts}


def draw_faces_to_find_font_files_used(looks: LayoutRenderer, language: str) -> frozenset[FilePath]:
    """Return the font files that a game's faces are set in, and the sheets' own."""
    fonts = {PLAIN, BOLD}
    for nodes in _iter_nodes_of_each_face(looks, language):
        fonts.update(iter_font_keys_in_nodes(nodes))
    return frozenset(looks.fonts[font].path for font in fonts)


def _iter_nodes_of_each_face(looks: LayoutRenderer, language: str) -> Iterator[Sequence[Node]]:
    for component in looks.game.components.values():
        layout = looks.find_layout_for_component_or_none(component, language)
        for side in layout.sides if layout is not None else ():
            for variant in looks.list_copy_variants_or_one_empty_text(component):
                face = looks.get_or_draw_face_and_note_problems(component, side, language, FindingCollector(), variant)
                yield face.nodes if face is not None else ()


def _iter_nodes_of_each_box_side(looks: LayoutRenderer, language: str) -> Iterator[Sequence[Node]]:
    for layout in looks.boxes.values():
        for elements in (*layout.sides.values(), *layout.parts.values()):
            drawing = looks.create_drawing_without_component(
                layout, language, looks.game.titles.text(language), FindingCollector()
            )
            drawing.scope["cards"] = 0
            drawing.draw_elements_in_order(elements)
            yield drawing.nodes


def iter_font_keys_in_nodes(nodes: Sequence[Node]) -> Iterator[str]:
    """Yield the key of every font that the nodes use."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield from (shape.font for _, shape in node.pieces)
        elif isinstance(node, Group):
            yield from iter_font_keys_in_nodes(node.children)
        elif isinstance(node, Use):
            yield from iter_font_keys_in_nodes(node.symbol.children)

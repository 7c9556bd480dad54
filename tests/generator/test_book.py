"""Booklets: every rule is stated, pages keep what belongs together, and the file can be walked and read aloud."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from io import BytesIO
from pathlib import Path
from shutil import copytree

import pikepdf
import pypdfium2
import pytest
from pypdfium2 import raw

from playproof.database.errors import InputError
from playproof.database.game import Game, list_names_of_game_folders, load_game
from playproof.database.installation import CARDS
from playproof.database.rulebook_text import Directive, iter_nested_paragraphs, read_rulebook_document
from playproof.generator.book import (
    BookPage,
    BookTypesetter,
    build_credits_pages,
    build_rulebook_pages_or_raise,
    impose_pages_for_saddle_stitch,
)
from playproof.generator.book.booklets import get_book_layout_or_raise
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.pdf import Metadata, render_pages_to_pdf_bytes
from playproof.linting.whole_game import list_all_lint_findings_of_game
from playproof.table.rulebook_games import RefereedGamePlayer
from tests.generator.makers import make_game, make_layouts, texts, words_of

BOOKISH = [name for name in list_names_of_game_folders(CARDS) if (LAYOUTS / name / "booklet.yaml").is_file()]
WRITTEN = [name for name in BOOKISH if read_rulebook_document(CARDS / name) is not None]
LETTERING = {
    "eila": ("Alegreya", "Almendra"),
    "eurydice": ("Alegreya", "Cinzel"),
    "olith": ("Alegreya", "Grenze Gotisch"),
    "opale": ("Alegreya", "Merienda"),
}  # the families that the files of each game embed
# A rulebook speaks to players. These are notes to ourselves.
NOT_RULES = (
    "see ruling",
    "rulebook does not",
    "the designer",
    "not settled",
    "default",
    "TODO",
    "playproof",
    "the data",
)


@cache
def book(name: str, language: str) -> tuple[Game, tuple[BookPage, ...]]:
    game = load_game(name)
    return game, tuple(build_rulebook_pages_or_raise(game, LayoutRenderer(game), language, RefereedGamePlayer()))


@cache
def read(name: str) -> bytes:
    game, leaves = book(name, "en")
    pages = [leaf.page for leaf in leaves]
    return render_pages_to_pdf_bytes(pages, metadata=Metadata(game.title, language="en"))


@pytest.mark.parametrize("name", BOOKISH)
class TestEveryBook:
    def test_every_rule_is_printed_with_its_number_in_every_language(self, name: str) -> None:
        for language in load_game(name).languages:
            game, looks = book(name, language)[0], LayoutRenderer(load_game(name))
            editors = replace(get_book_layout_or_raise(looks), rule_ids=True)
            leaves = build_rulebook_pages_or_raise(game, looks, language, RefereedGamePlayer(), editors)
            printed = {word for leaf in leaves for line in texts(leaf.face) for word in line.split()}
            left_out = {rule.id for rule in game.rules.values() if rule.left_out}
            assert set(game.rules) - left_out <= printed
            assert set(game.rulings) <= printed

    def test_no_page_but_the_last_leaves_a_third_white(self, name: str) -> None:
        for language in load_game(name).languages:
            if read_rulebook_document(CARDS / name, language) is None:
                continue
            layout = get_book_layout_or_raise(LayoutRenderer(load_game(name)))
            for number, leaf in enumerate(book(name, language)[1][1:-1], 2):
                lowest = max(passage.box.bottom for passage in leaf.passages)
                white = (layout.height - layout.safe - lowest) / (layout.height - 2 * layout.safe)
                assert white < 1 / 3, f"page {number} of the {language} book"

    def test_no_page_ends_with_a_heading(self, name: str) -> None:
        for language in load_game(name).languages:
            for leaf in book(name, language)[1][1:]:
                assert leaf.passages[-1].role not in ("H1", "H2"), language

    def test_the_last_page_is_not_left_to_the_index(self, name: str) -> None:
        for language in load_game(name).languages:
            if read_rulebook_document(CARDS / name, language) is None:
                continue  # rules by section have no index
            last = book(name, language)[1][-1]
            lowest = max(each.box.bottom for each in last.passages)
            assert lowest > 0.4 * last.height, f"the {language} book ends on a page that is nearly empty"

    def test_only_a_hidden_mark_names_a_page_without_the_word(self, name: str) -> None:
        if name not in WRITTEN:
            return
        pages = [" ".join(texts(leaf.face)) for leaf in book(name, "en")[1]]
        index = pages[-1].rpartition("Index")[2]
        entries = re.findall(r"\s*(\D+?)\s*\xa0\xa0\s*([\d, ]+)", index)
        named = [(entry, int(page)) for entry, numbers in entries for page in re.findall(r"\d+", numbers)]
        absent = [(entry, page) for entry, page in named if entry.lower() not in pages[page - 1].lower()]
        hidden = "".join(path.read_text("utf-8") for path in (CARDS / name / "rulebook").glob("*.md"))
        assert len(named) > 1.5 * len(entries) > 10
        assert {entry for entry, _ in absent} <= set(re.findall(r"\{index\}`([^`]+)`", hidden))

    def test_nothing_is_drawn_below_the_page(self, name: str) -> None:
        for language in load_game(name).languages:
            for leaf in book(name, language)[1]:
                assert all(each.box.bottom <= leaf.height - leaf.safe + 0.1 for each in leaf.passages), language

    def test_credits_name_every_licence(self, name: str) -> None:
        game = load_game(name)
        printed = " ".join(
            line for leaf in build_credits_pages(game, LayoutRenderer(game), "en") for line in texts(leaf.face)
        )
        for word in ("CC BY 3.0", "SIL Open Font License", "game-icons.net", *LETTERING[name]):
            assert word in printed
        others = {font for fonts in LETTERING.values() for font in fonts} - set(LETTERING[name])
        assert [font for font in sorted({*others, "Noto"}) if font in printed] == [], "credits for type not used"


@pytest.mark.parametrize("name", WRITTEN)
def test_examples_speak_like_people(name: str) -> None:
    """A step is told in the book's words, never in the lines of the recorded game, which name moves for the judge."""
    recorded = {
        line.partition(": ")[2]
        for block in directives(name, "example")
        for line in (CARDS / name / "rulebook" / block.argument).read_text("utf-8").splitlines()
    }
    english = printed_words(name, "en")
    assert [words for words in recorded if len(words) > 20 and words in english] == []
    steps = [step for block in directives(name, "example") for step in iter_nested_paragraphs(block.body) if step.moves]
    assert steps
    assert all(step.spans for step in steps)


def test_a_last_page_with_room_ends_in_a_picture(tmp_path: Path) -> None:
    """The part `tail` begins below the last words, and is left out where they fill the page."""
    made(tmp_path, "# One\n\nA line.\n")
    looks = LayoutRenderer(load_game(tmp_path / "game"), tmp_path / "looks")
    layout = get_book_layout_or_raise(looks)
    part = looks.book and layout.sides["front"][:1]
    assert part
    book = BookTypesetter(looks, replace(layout, parts={"tail": part}), "en", "T")
    few, many = (
        book.build_pages_from_blocks_or_raise([book.typeset_paragraph_as_block("A line.", space_above=3.0)] * count)
        for count in (2, 60)
    )
    for leaves, drawn in ((few, True), (many, False)):
        before = len(leaves[-1].under)
        room = book.area.bottom - max(passage.box.bottom for passage in leaves[-1].passages)
        assert (room > 60) == drawn
        assert (len(book.copy_pages_with_tail_picture_if_sparse(leaves)[-1].under) > before) == drawn


def test_a_fact_in_the_legend_of_icons_keeps_its_distance() -> None:
    assert "discard 1, or roll" in printed_words("eurydice", "en"), "it said discard1"


@pytest.mark.parametrize("names_rules", [False, True])
def test_the_margin_names_rules_only_if_the_layout_says_so(names_rules: bool, tmp_path: Path) -> None:
    game, looks = load_game("eurydice"), tmp_path / "eurydice"
    copytree(LAYOUTS / "eurydice", looks)
    pages = looks / "booklet.yaml"
    if names_rules:
        pages.write_text(pages.read_text(encoding="utf-8") + "\nrule_ids: true\n", encoding="utf-8")
    leaves = build_rulebook_pages_or_raise(game, LayoutRenderer(game, looks), "en", RefereedGamePlayer())
    words = [line for leaf in leaves for line in texts(leaf.face)]
    assert any(re.fullmatch(r"(R\d+ ?)+", line) for line in words) == names_rules
    assert any(line.startswith("A5") for line in words), "rulings are asked for by their ids"
    assert [note for leaf in leaves for note in leaf.notes if note == "rule:R1"]


def printed_words(name: str, language: str) -> str:
    return " ".join(line for leaf in book(name, language)[1] for line in texts(leaf.face))


def directives(name: str, kind: str) -> list[Directive]:
    document = read_rulebook_document(CARDS / name)
    assert document is not None
    return [block for block in document.blocks if isinstance(block, Directive) and block.name == kind]


def test_a_transcript_that_was_edited_is_read_again(tmp_path: Path) -> None:
    """`build --watch` reads the moves as they are now, and refuses a move that became illegal."""
    text = (CARDS / "opale" / "rulebook" / "first-turns.txt").read_text(encoding="utf-8")
    file = tmp_path / "first-turns.txt"
    file.write_text(text, encoding="utf-8")
    played = RefereedGamePlayer()
    moves = played.count_moves_or_raise_if_rejected(file)
    shorter = text.rstrip().rsplit("\n", 1)[0]
    file.write_text(shorter, encoding="utf-8")
    assert played.count_moves_or_raise_if_rejected(file) == moves - 1
    file.write_text(f"{shorter}\nblue: fly to the moon\n", encoding="utf-8")
    with pytest.raises(InputError):
        played.count_moves_or_raise_if_rejected(file)


@pytest.mark.parametrize("name", WRITTEN)
class TestEveryDocument:
    def test_it_is_written_for_players(self, name: str) -> None:
        document = read_rulebook_document(CARDS / name)
        assert document is not None
        text = "\n".join(file.read_text("utf-8") for file in (CARDS / name / "rulebook").glob("*.md"))
        printed = " ".join(line for leaf in book(name, "en")[1] for line in texts(leaf.face))
        for words in NOT_RULES:
            assert words not in text, words
            assert words not in printed, words

    def test_the_numbers_of_pages_are_those_of_the_pages(self, name: str) -> None:
        """Each heading stands on the page that the table of contents and the links print."""
        _game, leaves = book(name, "en")
        stands = {p.anchor: at for at, leaf in enumerate(leaves, 1) for p in leaf.passages if p.anchor}
        entries = [(p, anchor) for leaf in leaves for p in leaf.passages for _, anchor in p.links]
        assert entries
        for passage, anchor in entries:
            printed = " ".join(texts_of(passage.nodes))
            assert re.search(rf"\b{stands[anchor]}\b", printed), (anchor, printed)

    def test_it_names_its_language_and_title_and_is_tagged(self, name: str) -> None:
        with pikepdf.open(BytesIO(read(name))) as pdf:
            assert str(pdf.Root.Lang) == "en"
            assert pdf.Root.MarkInfo.Marked
            assert pdf.Root.ViewerPreferences.DisplayDocTitle
            assert str(pdf.docinfo.Title) == load_game(name).title
            elements = list(structure(pdf.Root.StructTreeRoot.K))
            roles = [str(each.S) for each in elements]
            assert roles.count("/H1") >= 8
            assert all(str(each.Alt).strip() for each in elements if str(each.S) == "/Figure")
            assert "/Figure" in roles
            assert "/P" in roles
            assert "/LI" in roles

    def test_every_mark_of_a_page_has_its_element(self, name: str) -> None:
        with pikepdf.open(BytesIO(read(name))) as pdf:
            numbers = {int(page.StructParents): page for page in pdf.pages if "/StructParents" in page}
            tree = pdf.Root.StructTreeRoot.ParentTree.Nums
            listed = {int(tree[at]): tree[at + 1] for at in range(0, len(tree), 2)}
            assert numbers.keys() == listed.keys()
            for number, page in numbers.items():
                marks = re.findall(rb"/MCID (\d+)", page.Contents.read_bytes())
                assert sorted(map(int, marks)) == list(range(len(listed[number])))

    def test_every_chapter_is_a_bookmark_and_every_link_leads_to_a_page(self, name: str) -> None:
        document = read_rulebook_document(CARDS / name)
        assert document is not None
        with pikepdf.open(BytesIO(read(name))) as pdf:
            with pdf.open_outline() as outline:
                assert len(outline.root) == sum(heading.level == 1 for heading in document.iter_headings())
            known = {page.obj.objgen for page in pdf.pages}
            links = [note for page in pdf.pages for note in page.get("/Annots", [])]
            assert links
            assert all(note.Dest[0].objgen in known for note in links)

    def test_the_same_book_is_the_same_bytes(self, name: str) -> None:
        game, leaves = book(name, "en")
        pages = [leaf.page for leaf in leaves]
        again = render_pages_to_pdf_bytes(pages, metadata=Metadata(game.title, language="en"))
        assert again == read(name)

    def test_half_a_letter_sheet_and_little_ink_hold_it_too(self, name: str) -> None:
        from playproof.generator.build.print_jobs import build_half_sheet_layout_if_unusual
        from playproof.generator.sheets import parse_paper_name_or_size_or_raise

        game = load_game(name)
        looks = LayoutRenderer(game, low_ink=True)
        leaves = build_rulebook_pages_or_raise(
            game,
            looks,
            "en",
            RefereedGamePlayer(),
            build_half_sheet_layout_if_unusual(looks, parse_paper_name_or_size_or_raise("Letter")),
        )
        assert {(round(leaf.width, 2), round(leaf.height, 2)) for leaf in leaves} == {(139.7, 215.9)}

    def test_without_somebody_who_plays_it_says_which_examples_are_missing(self, name: str) -> None:
        game = load_game(name)
        with pytest.raises(InputError, match="PP524"):
            build_rulebook_pages_or_raise(game, LayoutRenderer(game), "en")


def texts_of(nodes: tuple[object, ...]) -> list[str]:
    from playproof.generator.scene import Face

    return texts(Face("passage", 1, 1, nodes))  # type: ignore[arg-type]


def structure(element: pikepdf.Object) -> list[pikepdf.Object]:
    """An element and all below it."""
    below = element.get("/K")
    children = list(below) if isinstance(below, pikepdf.Array) else []
    return [element, *(each for child in children for each in structure(child))]


def test_a_heading_moves_to_the_next_page_with_its_text() -> None:
    game = load_game(BOOKISH[0])
    looks = LayoutRenderer(game)
    assert looks.book is not None
    made = BookTypesetter(looks, looks.book, "en", "t")
    line, heading = (
        made.typeset_paragraph_as_block("one line of text"),
        made.typeset_paragraph_as_block("Heading", "heading", role="H1", keep_with_next=True),
    )
    moved = 0
    for count in range(20, 45):
        leaves = made.build_pages_from_blocks_or_raise([*[line] * count, heading, line, line], with_cover=False)
        assert all(leaf.passages[-1].role == "P" for leaf in leaves)
        moved += leaves[-1].passages[0].role == "H1"
    assert moved


@pytest.mark.parametrize("count", [1, 2, 4, 5, 8, 11])
def test_folded_sheets_read_in_order(count: int) -> None:
    """Each sheet is folded once and laid into the one before: then the pages follow each other, blank ones last."""
    leaves = [BookPage(148.0, 210.0, name=f"p{at}") for at in range(1, count + 1)]
    sides = impose_pages_for_saddle_stitch(leaves, 297.0, 210.0)
    assert len(sides) % 2 == 0
    halves = [
        [next((p.face.name for p in side.placements if (p.transform.e > 100) == right), "") for right in (0, 1)]
        for side in sides
    ]
    first = [halves[at][1] for at in range(0, len(halves), 2)]
    order: list[str] = []
    for sheet, _ in enumerate(first):  # right halves of the fronts and left halves of the backs, going inwards
        order += [halves[2 * sheet][1], halves[2 * sheet + 1][0]]
    for sheet in reversed(range(len(first))):  # and out again
        order += [halves[2 * sheet + 1][1], halves[2 * sheet][0]]
    assert [name for name in order if name] == [leaf.name for leaf in leaves]
    assert order[: len(leaves)] == [leaf.name for leaf in leaves]


def test_a_folded_booklet_is_read_in_the_order_of_its_pages() -> None:
    """Another reader of PDF says which words each mark holds. The tree of the sheets names them once each, in
    the order of the tree of single pages, though sheet 1 holds the first page and the last."""
    name = WRITTEN[0]
    game, leaves = book(name, "en")
    pages = impose_pages_for_saddle_stitch(leaves, 297.0, 210.0)
    folded = render_pages_to_pdf_bytes(pages, metadata=Metadata(game.title, language="en"))
    spoken = read_aloud(folded)
    assert spoken == read_aloud(read(name))
    assert len(spoken) == sum(len(leaf.passages) for leaf in leaves) > 100
    with pikepdf.open(BytesIO(folded)) as pdf:
        assert not pdf.check_pdf_syntax()
        with pikepdf.open(BytesIO(read(name))) as single:
            assert headings(pdf) == headings(single)


def headings(pdf: pikepdf.Pdf) -> list[str]:
    with pdf.open_outline() as outline:
        return [item.title for item in outline.root]


def read_aloud(data: bytes) -> list[tuple[str, str]]:
    """The role and the words of every element of a tagged PDF, in the order of the tree; the words are read by
    PDFium from the marked content that the element names. Each mark is named once."""
    words: dict[tuple[int, int], str] = {}
    with pypdfium2.PdfDocument(data) as document:
        for at, page in enumerate(document):
            layer = page.get_textpage()
            for part in page.get_objects(filter=[raw.FPDF_PAGEOBJ_TEXT], max_depth=1):
                mark = at, raw.FPDFPageObj_GetMarkedContentID(part)
                room = (raw.FPDF_WCHAR * 500)()
                length = raw.FPDFTextObj_GetText(part, layer, room, 1000)
                words[mark] = words.get(mark, "") + bytes(room)[: length - 2].decode("utf-16-le")
    with pikepdf.open(BytesIO(data)) as pdf:
        numbers = {page.obj.objgen: at for at, page in enumerate(pdf.pages)}
        elements = [each for each in structure(pdf.Root.StructTreeRoot.K) if isinstance(each.K, int)]
        marks = [(numbers[each.Pg.objgen], int(each.K)) for each in elements]
        assert len(set(marks)) == len(marks)
        assert {mark for mark in words if mark[1] >= 0} <= set(marks)
        return [(str(each.S), words.get(mark, "")) for each, mark in zip(elements, marks, strict=True)]


def test_a_game_without_a_booklet_layout_gets_the_plain_one(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path / "game"))
    looks = LayoutRenderer(game, make_layouts(tmp_path / "looks"))
    assert looks.book is not None
    assert looks.book.where.file.resolve() == LAYOUTS / "common" / "booklet.yaml"
    assert len(build_rulebook_pages_or_raise(game, looks, "en")) > 1


PAGE = """
book: true
size: a6
safe: 8
styles:
  text: {family: alegreya, size: 9}
  label: {family: alegreya, size: 8}
  mark: {family: alegreya, size: 7}
  table: {family: alegreya, size: 8}
  table-head: {family: alegreya, bold: true, size: 8}
  heading: {family: alegreya, bold: true, size: 14}
  subheading: {family: alegreya, bold: true, size: 11}
  box-heading: {family: alegreya, bold: true, size: 9}
  caption: {family: alegreya, italic: true, size: 8}
  face-title: {family: alegreya, size: 7}
  contents: {family: alegreya, size: 9}
front: {elements: [{text: "{page}", box: {bottom: 1, height: 5}}]}
back: {elements: [{text: "{title}"}]}
"""
CARD = "kind: card\nsize: poker\nfront: {elements: [{shape: rect, box: trim, fill: '#eeeeee'}]}\n"


def test_a_style_takes_what_it_does_not_say_from_the_plain_booklet(tmp_path: Path) -> None:
    game = load_game(make_game(tmp_path / "game"))
    page = PAGE.replace("styles:\n", "styles:\n  lead: {size: 13}\n  contents: {extends: lead}\n", 1)
    page = page.replace("  contents: {family: alegreya, size: 9}\n", "")
    own = LayoutRenderer(game, make_layouts(tmp_path / "own", book=page)).book
    assert own is not None
    lead, contents = own.styles["lead"], own.styles["contents"]
    assert (lead.family.source, lead.italic, lead.size.fixed) == ("alegreya", True, 13.0)
    assert contents.family is None, "it says whom it follows"
    assert own.styles["component"].min.fixed == 8, "and what is not said at all is the plain booklet's"


def made(tmp_path: Path, text: str) -> list[BookPage]:
    """A small game's book with this text."""
    folder = make_game(tmp_path / "game")
    (folder / "rulebook").mkdir()
    (folder / "rulebook" / "1.md").write_text(text, "utf-8")
    game = load_game(folder)
    return build_rulebook_pages_or_raise(
        game, LayoutRenderer(game, make_layouts(tmp_path / "looks", book=PAGE, card=CARD)), "en"
    )


def test_what_floats_lets_the_text_go_on_but_not_past_a_second_chapter() -> None:
    looks = LayoutRenderer(load_game("eurydice"))
    book = BookTypesetter(looks, get_book_layout_or_raise(looks), "en", "T")
    high = book.area.height
    lines = {
        name: replace(book.typeset_paragraph_as_block(name), height=high * 0.3)
        for name in ("first", "second", "third", "fourth")
    }
    chapter = book.typeset_paragraph_as_block("Chapter", "heading", role="H1", keep_with_next=True)
    chapter = replace(chapter, passages=(chapter.passages[0]._replace(level=1),), height=high * 0.05)
    picture = replace(book.typeset_paragraph_as_block("picture"), height=high * 0.6, floats=True)
    pieces = [lines["first"], lines["second"], picture, chapter, lines["third"], chapter, lines["fourth"]]
    pages = [
        [line for line in texts(leaf.face) if len(line) > 2]
        for leaf in book.build_pages_from_blocks_or_raise(pieces, with_cover=False)
    ]
    assert pages[0] == ["first", "second", "Chapter", "third"], "the text fills the page that the picture left"
    assert pages[1] == ["picture", "Chapter", "fourth"], "and the picture is the first of the next"
    short = [lines["first"], lines["second"], picture, chapter, chapter, lines["third"]]
    again = [
        [line for line in texts(leaf.face) if len(line) > 2]
        for leaf in book.build_pages_from_blocks_or_raise(short, with_cover=False)
    ]
    assert again[1][0] == "picture"


def test_a_number_beside_the_picture_of_a_map_takes_room_there(tmp_path: Path) -> None:
    tops = []
    for folder, at in (("on", "0.5 0.9"), ("below", "0.5 1.2")):
        text = f"# One\n\n:::{{map}} a1\n:width: 40\n1. {{at}}`{at}` The pile.\n:::\n"
        (tmp_path / folder).mkdir()
        passages = [passage for leaf in made(tmp_path / folder, text) for passage in leaf.passages]
        (figure,) = [passage for passage in passages if passage.role == "Figure"]
        (item,) = [passage for passage in passages if passage.role == "LI"]
        tops.append(item.box.y - figure.box.y)
    assert tops[1] - tops[0] > 5


def test_a_numbered_list_keeps_its_numbers_in_a_box(tmp_path: Path) -> None:
    steps = "3. Draw.\n4. Discard.\n"
    (tmp_path / "plain").mkdir()
    (tmp_path / "box").mkdir()
    plain = made(tmp_path / "plain", f"# One\n\n{steps}")
    boxed = made(tmp_path / "box", f"# One\n\n:::{{note}}\n{steps}:::\n")
    numbers = [
        [line for leaf in leaves for line in texts(leaf.face) if line in ("3", "4")] for leaves in (plain, boxed)
    ]
    assert numbers == [["3", "4"], ["3", "4"]]


def test_facts_links_and_tables_are_set(tmp_path: Path) -> None:
    text = """# One

There are {fact}`count("card")` cards; see [](#two) and [the second](#two).

| a | b |
|---|---|
| first | {fact}`card("a1").level` |

:::{faces} a1
:::

# Two

- an item
"""
    leaves = made(tmp_path, text)
    printed = " ".join(line for leaf in leaves for line in texts(leaf.face))
    game = load_game(tmp_path / "game")
    assert f"{sum(card.count for card in game.components.values())} cards" in printed
    assert "see page\u00a02" in printed
    assert "(page\u00a02)." in printed
    assert {link[1] for leaf in leaves for p in leaf.passages for link in p.links} == {"two"}
    assert "page" in words_of(render_pages_to_pdf_bytes([leaf.page for leaf in leaves], metadata=Metadata("t")), 1)


WRONG = {
    "a directive nobody made": (":::{facse} a1\n:::", "PP523", 'did you mean "faces"'),
    "a face of nothing": (":::{faces} a9x\n:::", "PP523", "there is no component"),
    "a role nobody made": ("{fcat}`1`", "PP242", 'did you mean "fact"'),
    "a link to nowhere": ("[](#tow)\n\n# Two", "PP243", 'did you mean "two"'),
    "two headings alike": ("# Two\n\n# Two", "PP243", "two headings"),
    "a fact that is none": ("{fact}`count('crad')`", "PP509", "no component"),
    "html": ("<b>no</b>\n\n<div>\n</div>", "PP241", "expected"),
    "moves that are none": ("{moves}`x`", "PP241", "expected moves"),
    "an example without a player": (":::{example} a.txt\n:::", "PP524", "played examples"),
    "an icon nobody drew": ("Gain :sta: twice.", "PP502", 'did you mean "star"'),
    "an icon nobody drew in a heading": ("# Gain :sta:", "PP502", 'did you mean "star"'),
    "a directive left open": (":::{rulings}", "PP241", "expected ::: after `:::{rulings}`"),
    "a directive left open before another": (":::{rulings}\n\n:::{icons}\n:::", "PP241", "after `:::{rulings}`"),
    "a directive that ends in an empty line": (":::{note}\n\nWell.\n\n", "PP241", "after `:::{note}`"),
    "a directive of a longer mark left open": ("::::{note}\n:::{icons}\n:::\n", "PP241", "after `::::{note}`"),
    "an icon that is printed nowhere": (":::{icons}\n- gold: shiny\n:::", "PP523", "printed nowhere"),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_what_is_wrong_is_named_with_its_place(mistake: str, tmp_path: Path) -> None:
    text, code, words = WRONG[mistake]
    with pytest.raises(InputError) as caught:
        made(tmp_path, f"A line.\n\n{text}\n")
    (finding, *_) = [each for each in caught.value.findings if each.code == code]
    assert words in f"{finding.message} {finding.hint}"
    assert str(finding.where.file).endswith("1.md")
    assert finding.where.line >= 3


@pytest.mark.parametrize("pieces", [38, 39, 40, 41, 42, 43])
def test_a_few_lines_over_are_drawn_onto_the_page_before(pieces: int, tmp_path: Path) -> None:
    """However long the text is, its last page is half full, or less white would not have saved it."""
    leaves = made(tmp_path, "\n\n".join(["A line of text."] * pieces))
    closest = sum(p.box.height for leaf in leaves for p in leaf.passages) + pieces * 1.8 * 0.7
    room = (leaves[0].height - 16) * (len(leaves) - 2)  # all pages but the cover and the last
    last = leaves[-1].passages[-1].box.bottom
    assert last > leaves[-1].height / 2 or closest > room


def test_the_reference_describes_every_role_and_directive() -> None:
    from playproof.database.rulebook_text import ROLES
    from playproof.generator.book.document_composer import DIRECTIVE_COMPOSERS

    page = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "rulebooks.md").read_text("utf-8")
    roles, directives = page.split("## Directives")
    assert set(re.findall(r"^\| `\{([a-z]+)\}`", roles, re.MULTILINE)) == set(ROLES)
    assert set(re.findall(r"^\| `\{([a-z]+)\}`", directives, re.MULTILINE)) == set(DIRECTIVE_COMPOSERS)


ROW = "| {n} | words that say what number {n} of this long table means to you |\n"


def test_a_long_table_repeats_its_head_on_every_page(tmp_path: Path) -> None:
    """And no row stands alone below the head that began it, nor the last one on a page of its own."""
    rows = "".join(ROW.format(n=n) for n in range(1, 60))
    leaves = made(tmp_path, f"# One\n\nA table.\n\n| Number | Meaning |\n|---|---|\n{rows}")
    printed = [texts(leaf.face) for leaf in leaves[1:]]
    assert len(printed) > 2
    assert all(page.count("Meaning") == 1 for page in printed)
    assert all(sum("means to you" in line or "long table" in line for line in page) > 1 for page in printed)


@pytest.mark.parametrize("before", range(24, 34))
def test_a_single_line_below_a_heading_stays_with_what_it_leads_to(tmp_path: Path, before: int) -> None:
    filling = "".join(f"Line {n}.\n\n" for n in range(before))
    rows = "".join(ROW.format(n=n) for n in range(3))
    leaves = made(tmp_path, f"# One\n\n{filling}\n# Two\n\nRead it.\n\n| a | b |\n|---|---|\n{rows}")
    (page,) = (texts(leaf.face) for leaf in leaves if "Read it." in texts(leaf.face))
    assert "Two" in page
    assert any("means to you" in line for line in page)


def test_a_booklet_ends_with_pages_for_notes_and_no_white_side(tmp_path: Path) -> None:
    leaves = made(tmp_path, "# One\n\nA line.\n")
    game = load_game(tmp_path / "game")
    folded = build_rulebook_pages_or_raise(game, LayoutRenderer(game, tmp_path / "looks"), "en", page_multiple=4)
    assert [texts(leaf.face) for leaf in folded[1 : len(leaves)]] == [texts(leaf.face) for leaf in leaves[1:]]
    assert len(folded) == 4 != len(leaves)
    assert all("Notes" in texts(leaf.face) for leaf in folded[len(leaves) :])
    assert all(len(side.placements) == 2 for side in impose_pages_for_saddle_stitch(folded, 297.0, 210.0))


def test_the_last_page_to_spare_is_the_back_cover(tmp_path: Path) -> None:
    leaves = made(tmp_path, "# One\n\nA line.\n")
    game = load_game(tmp_path / "game")
    looks = LayoutRenderer(game, tmp_path / "looks")
    layout = get_book_layout_or_raise(looks)
    back = replace(layout, parts={"last": layout.sides["back"]})
    folded = build_rulebook_pages_or_raise(game, looks, "en", layout=back, page_multiple=4)
    ends = ["Notes" if "Notes" in texts(leaf.face) else texts(leaf.face) for leaf in folded[len(leaves) :]]
    assert ends == ["Notes"] * (3 - len(leaves)) + [texts(folded[0].face)]


class Told:
    """Recorded games of three moves each."""

    def hash_rules_and_looks_without_cards(self, game: Path) -> str:
        return ""

    def count_moves_or_raise_if_rejected(self, transcript: Path, cards: Game | None = None) -> int:
        return 3

    def draw_table_after_moves_or_none(self, *_: object) -> None:
        return None


TRANSCRIPT = "playproof transcript 1\ngame: tiny\n\n1 1/one: a\n2 1/one: b\n3 1/one: c\n"
EXAMPLE = ":::{{example}} {}\n1. {{moves}}`{}` One nods.\n:::"
STOPS = {
    "a directive": (":::{facse} a1\n:::", '3:1: PP523 there is no directive {facse} (did you mean "faces"?)'),
    "a component": (":::{faces} a1 a9x\n:::", '3:15: PP523 there is no component "a9x"'),
    "a component in a note": ("::::{note}\n:::{faces} a9x\n:::\n::::", '4:12: PP523 there is no component "a9x"'),
    "a face beside a step": (EXAMPLE.format("1.txt", "3` {faces}`a9x"), '4:23: PP523 there is no component "a9x"'),
    "a fact": ("All {fact}`game.nmubers`.", "3:1: PP503 {fact}`game.nmubers`: there is no field 'nmubers'"),
    "an icon": ("Gain :star: and\na :sta: too.", '4:3: PP502 there is no icon "sta" (did you mean "star"?)'),
    "a directive left open": (":::{faces} a1", "3:1: PP241 expected ::: after"),
    "a transcript": (EXAMPLE.format("2.txt", "1"), "3:14: PP604 expected the file of a transcript below rulebook/"),
    "a transcript that is named by nothing": (":::{scene}\n:::", "3:1: PP604 expected the file of a transcript"),
    "moves": (EXAMPLE.format("1.txt", "3-4"), "4:12: PP524 expected moves from 1 to 3, as 1.txt has, found 3-4"),
    "moves backwards": (EXAMPLE.format("1.txt", "3-2"), "4:12: PP524 expected moves from 1 to 3"),
    "move 0": (EXAMPLE.format("1.txt", "0"), "4:12: PP524 expected moves from 1 to 3, as 1.txt has, found 0"),
    "moves before a scene": (":::{scene} 1.txt board\n:after: 4\n:::", "4:9: PP524 expected at most 3 moves"),
}


@pytest.mark.parametrize("mistake", STOPS)
def test_lint_says_what_stops_the_book_in_the_same_words(mistake: str, tmp_path: Path) -> None:
    text, expected = STOPS[mistake]
    folder = make_game(tmp_path / "game")
    (folder / "rulebook").mkdir()
    (folder / "rulebook" / "1.txt").write_text(TRANSCRIPT, "utf-8")
    (folder / "rulebook" / "1.md").write_text(f"A line.\n\n{text}\n", "utf-8")
    game = load_game(folder)
    with pytest.raises(InputError) as caught:
        build_rulebook_pages_or_raise(
            game, LayoutRenderer(game, make_layouts(tmp_path / "looks", book=PAGE, card=CARD)), "en", Told()
        )
    stopped = [str(finding) for finding in caught.value.findings]
    assert stopped[0].partition("1.md:")[2].startswith(expected)
    try:
        said = [str(finding) for finding in list_all_lint_findings_of_game(str(folder))]
    except InputError as refused:
        said = list(map(str, refused.findings))
    assert set(stopped) <= set(said)


def test_credits_name_who_drew_the_pictures_of_cards_and_no_others(tmp_path: Path) -> None:
    """`image` files are credited as icons and motifs are, in every look that a card's copies have."""
    image = '{image: "art/{variant.id}.svg", box: trim}'
    card = f"kind: card\nsize: poker\nvariants: resource\nfront: {{elements: [{image}]}}\n"
    looks = make_layouts(tmp_path / "looks", book=PAGE, card=card)
    (looks / "art").mkdir()
    entry = "  - {{files: {0}.svg, author: The hand of {0}, licence: MIT, source: here}}\n"
    for name in ("food", "gold", "spare"):
        square = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><path d="M0 0h1v1z"/></svg>'
        (looks / "art" / f"{name}.svg").write_text(square, "utf-8")
    entries = "".join(map(entry.format, ("food", "gold", "spare")))
    (looks / "art" / "credits.yaml").write_text("icons:\n" + entries, "utf-8")
    game = load_game(make_game(tmp_path / "game"))
    leaves = build_credits_pages(game, LayoutRenderer(game, looks), "en")
    printed = " ".join(line for leaf in leaves for line in texts(leaf.face))
    assert [name for name in ("food", "gold", "spare") if f"The hand of {name}" in printed] == ["food", "gold"]

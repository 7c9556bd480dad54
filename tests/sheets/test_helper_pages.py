"""Boards, the calibration sheet and the instructions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pikepdf
import pytest

from playproof.database.errors import InputError
from playproof.generator.pdf import Metadata, write_pdf
from playproof.generator.scene import Glyphs, Group, Page, Use, circle
from playproof.generator.sheets.assembly_page import assembly
from playproof.generator.sheets.backs import Flip
from playproof.generator.sheets.boards import impose_board
from playproof.generator.sheets.calibration import REACH, calibration, targets
from playproof.generator.sheets.impose import impose, layouts
from playproof.generator.sheets.instructions import cuts_in_order, instructions
from playproof.generator.sheets.paper import paper
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import plan
from playproof.generator.wording import Wording, languages, words_of
from tests.sheets.makers import deck, face, piece

HOLE = re.compile(r"{\w+}")
BOARD = Piece("map", face("map", width=420, height=297), count=1)


def words(page: Page) -> str:
    groups = [mark.children if isinstance(mark, Group) else (mark,) for mark in page.marks]
    nodes = [node for group in groups for node in group]
    return " ".join(node.text for node in nodes if isinstance(node, Glyphs))


def test_a_board_is_tiled_and_every_tile_says_where_it_goes() -> None:
    pages = impose_board(BOARD, plan("board"))
    assert [page.label[-2:] for page in pages] == ["A1", "A2", "B1", "B2"]
    assert "tile A1 of B2" in words(pages[0])
    assert "lay over B1 and A2" in words(pages[3])


def test_the_tiles_share_one_picture(tmp_path: Path) -> None:
    file = tmp_path / "board.pdf"
    write_pdf(impose_board(BOARD, plan("board")), file, metadata=Metadata("map"))
    with pikepdf.open(file) as pdf:
        forms = [o for o in pdf.objects if isinstance(o, pikepdf.Stream) and o.get("/Subtype") == "/Form"]
        widths = [float(form.BBox[2] - form.BBox[0]) / 72 * 25.4 for form in forms]
        assert sum(width > 420 for width in widths) == 1


def test_a_board_that_fits_is_one_sheet() -> None:
    small = Piece("mat", face("mat", width=180, height=250), count=2)
    pages = impose_board(small, plan("board"))
    assert len(pages) == 2
    assert "tile" not in words(pages[0])


def test_a_board_on_paper_without_room() -> None:
    with pytest.raises(InputError, match="leave no room"):
        impose_board(BOARD, plan("board", on=paper("30x30mm")))


def test_each_tile_shows_its_own_part() -> None:
    pages = impose_board(BOARD, plan("board"))
    for page in pages:
        (placement,) = page.placements
        (shown,) = placement.face.nodes
        assert isinstance(shown, Group)
        assert isinstance(shown.children[0], Use)
    moves = {(round(p.placements[0].face.nodes[0].transform.e), p.label[-1]) for p in pages}  # type: ignore[union-attr]  # groups, as asserted above
    assert moves == {(2, "1"), (-205, "2")}  # the first begins with its bleed of 2 mm


@pytest.mark.parametrize("turn", [False, True])
@pytest.mark.parametrize("flip", ["long", "short"])
def test_the_scales_lie_behind_the_crosses(turn: bool, flip: Flip) -> None:
    sheet = paper("A4").landscape if turn else paper("A4").portrait
    front, back = calibration(sheet, flip)
    upright = turn == (flip == "short")
    for x, y in targets(sheet):
        place = (sheet.width - x, y) if upright else (x, sheet.height - y)
        boxes = [
            node
            for node in back.marks
            if getattr(node, "commands", ((),))[0] == ("M", (place[0] - REACH, place[1] - REACH))
        ]
        assert boxes, f"no scale behind the cross at {x}, {y}"
    assert len(front.marks) > 15


def test_the_calibration_sheet_says_what_to_write() -> None:
    front, _ = calibration(paper("Letter").portrait, "short")
    assert ".playproof/printer.yaml" in words(front)
    assert "portrait-short: {right: 0.6, down: -0.4}" in words(front)


def test_targets_tell_a_turned_sheet() -> None:
    sheet = paper("A4").portrait
    mirrored = {(sheet.width - x, y) for x, y in targets(sheet)}
    assert mirrored != set(targets(sheet))


@pytest.mark.parametrize(
    ("name", "said"),
    [("home", "turned on the long edge"), ("fold", "fold the backs away"), ("stack", "cut the pile as one"),
     ("bleed", "two cuts between neighbours"), ("lowink", "low-ink")],
)  # fmt: skip
def test_instructions_say_what_this_sheet_needs(name: str, said: str) -> None:
    assert said in words(instructions(deck(20), plan(name), title="A deck"))


def test_assembly_says_how_tiles_are_glued() -> None:
    page = assembly(BOARD, plan("board"), title="The map")
    for said in ("4 sheets of A4", "overlap by 10 mm", "A1", "B2"):
        assert said in words(page)


def test_a_board_of_one_sheet_needs_no_glue() -> None:
    small = Piece("mat", face("mat", width=180, height=250))
    said = words(assembly(small, plan("board"), title="The mat"))
    assert "four edges" in said
    assert "glue" not in said


@pytest.mark.parametrize("size", ["A5", "A4", "110x170mm"])
def test_helper_pages_stay_on_small_paper(size: str) -> None:
    small = [piece("a", width=44, height=67)]
    chosen, tiled = plan("stack", on=paper(size)), plan("board", on=paper(size))
    pages = [instructions(small, chosen, title="A deck"), assembly(BOARD, tiled, title="A long name")]
    for page in pages:
        for node in page.marks:
            if isinstance(node, Glyphs):
                assert node.x >= 0
                assert node.x + node.width <= page.width
                assert node.y <= page.height


def test_instructions_count() -> None:
    page = instructions([piece("a", 10), piece("b")], plan("home"), title="A deck")
    assert "11 cards on 2 sheets of A4" in words(page)


def test_one_card_is_one_card() -> None:
    page = instructions([piece("a")], plan("home"), title="A deck")
    assert "1 card on 1 sheet of A4" in words(page)


def test_round_and_large_things_are_no_cards() -> None:
    large = instructions([piece("a", 3, width=150, height=100)], plan("home"), title="Aids")
    assert "3 pieces on 2 sheets" in words(large)
    token = replace(face("t", width=20, height=20), outline=circle(10, 10, 10))
    said = words(instructions([Piece("t", token)], plan("home"), title="Tokens"))
    assert "1 piece on 1 sheet" in said
    assert "cut every piece round" in said


def test_nets_are_cut_along_their_own_lines() -> None:
    die = Piece("die", face("die", width=74, height=58), net="die")
    said = words(instructions([die], plan("fronts"), title="Dice"))
    assert "1 piece on 1 sheet" in said
    assert "solid lines" in said
    assert "steel rule" not in said


@pytest.mark.parametrize("name", ["home", "fold", "stack", "bleed", "lowink", "fronts"])
def test_helper_pages_in_french_hold_no_english(name: str) -> None:
    page = instructions(deck(20), plan(name), title="Un jeu", language="fr")
    assert "20 cartes sur" in words(page)
    board = assembly(BOARD, plan("board"), title="La carte", language="fr")
    assert "4 feuilles A4" in words(board)
    for english in ("sheet", "cut", "Print", "Glue", "the "):
        assert english not in words(page) + words(board)


def test_margins_in_french() -> None:
    assert "feuille 1 de 2 · rectos" in words(impose([piece("a", 10)], plan("home"), language="fr")[0])
    assert "partie B2 de B2 · à poser sur B1 et A2" in words(
        impose_board(BOARD, plan("board"), language="fr")[3]
    )


def test_every_language_says_the_same_things() -> None:
    holes = {
        language: {key: sorted(HOLE.findall(text)) for key, text in words_of("sheets", language).items()}
        for language in languages()
    }
    assert all(holes_of == holes["en"] for holes_of in holes.values())


def test_an_unknown_language_reads_english() -> None:
    assert Wording("xx")("cut") == "Cut"


def test_a_single_sheet_has_no_more_cuts_than_its_cards_need() -> None:
    (layout,) = layouts(deck(4), plan("home"))
    assert (layout.grid.columns, layout.grid.rows) == (3, 2)
    block, sheet = layout.grid.block, layout.sheet
    assert block.centre == pytest.approx((sheet.width / 2, sheet.height / 2))


def test_cuts_come_across_first_and_all_of_them() -> None:
    grid = layouts(deck(9), plan("bleed"))[0].grid
    ways = [way for way, _ in cuts_in_order(grid)]
    assert ways == ["across"] * 2 * grid.rows + ["down"] * 2 * grid.columns


def test_marks_can_be_left_out() -> None:
    bare = plan("home").model_copy(update={"marks": False, "ruler": False})
    assert len(impose(deck(1), bare)[0].marks) == 1  # the note

"""Boards, the calibration sheet and the instructions."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pikepdf
import pytest

from playproof.database.errors import InputError
from playproof.generator.pdf import Metadata, write_pages_to_pdf_file
from playproof.generator.scene import Glyphs, Group, Page, Use, build_circle_path
from playproof.generator.sheets.boards import build_assembly_page_of_board, build_pages_of_tiled_board
from playproof.generator.sheets.imposition import impose_pieces_on_pages, lay_out_pieces_by_size_or_raise
from playproof.generator.sheets.instructions import (
    build_instructions_page_for_sheets,
    list_cut_directions_and_positions,
)
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.plan import parse_paper_name_or_size_or_raise, read_sheet_plan_by_name_or_raise
from playproof.generator.sheets.printer import (
    REACH,
    build_calibration_front_and_back,
    compute_calibration_cross_positions,
)
from playproof.generator.sheets.slots import Flip
from playproof.generator.wording import SheetWording, get_words_by_key_or_english_ones, list_languages_with_wording
from tests.sheets.makers import deck, face, piece

HOLE = re.compile(r"{\w+}")
BOARD = Piece("map", face("map", width=420, height=297), count=1)


def words(page: Page) -> str:
    groups = [mark.children if isinstance(mark, Group) else (mark,) for mark in page.marks]
    nodes = [node for group in groups for node in group]
    return " ".join(node.text for node in nodes if isinstance(node, Glyphs))


def test_a_board_is_tiled_and_every_tile_says_where_it_goes() -> None:
    pages = build_pages_of_tiled_board(BOARD, read_sheet_plan_by_name_or_raise("board"))
    assert [page.label[-2:] for page in pages] == ["A1", "A2", "B1", "B2"]
    assert "tile A1 of B2" in words(pages[0])
    assert "lay over B1 and A2" in words(pages[3])


def test_the_tiles_share_one_picture(tmp_path: Path) -> None:
    file = tmp_path / "board.pdf"
    write_pages_to_pdf_file(
        build_pages_of_tiled_board(BOARD, read_sheet_plan_by_name_or_raise("board")), file, metadata=Metadata("map")
    )
    with pikepdf.open(file) as pdf:
        forms = [o for o in pdf.objects if isinstance(o, pikepdf.Stream) and o.get("/Subtype") == "/Form"]
        widths = [float(form.BBox[2] - form.BBox[0]) / 72 * 25.4 for form in forms]
        assert sum(width > 420 for width in widths) == 1


def test_a_board_that_fits_is_one_sheet() -> None:
    small = Piece("mat", face("mat", width=180, height=250), count=2)
    pages = build_pages_of_tiled_board(small, read_sheet_plan_by_name_or_raise("board"))
    assert len(pages) == 2
    assert "tile" not in words(pages[0])


def test_a_board_on_paper_without_room() -> None:
    with pytest.raises(InputError, match="leave no room"):
        build_pages_of_tiled_board(
            BOARD, read_sheet_plan_by_name_or_raise("board", target_paper=parse_paper_name_or_size_or_raise("30x30mm"))
        )


def test_each_tile_shows_its_own_part() -> None:
    pages = build_pages_of_tiled_board(BOARD, read_sheet_plan_by_name_or_raise("board"))
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
    sheet = (
        parse_paper_name_or_size_or_raise("A4").landscape if turn else parse_paper_name_or_size_or_raise("A4").portrait
    )
    front, back = build_calibration_front_and_back(sheet, flip)
    upright = turn == (flip == "short")
    for x, y in compute_calibration_cross_positions(sheet):
        place = (sheet.width - x, y) if upright else (x, sheet.height - y)
        boxes = [
            node
            for node in back.marks
            if getattr(node, "commands", ((),))[0] == ("M", (place[0] - REACH, place[1] - REACH))
        ]
        assert boxes, f"no scale behind the cross at {x}, {y}"
    assert len(front.marks) > 15


def test_the_calibration_sheet_says_what_to_write() -> None:
    front, _ = build_calibration_front_and_back(parse_paper_name_or_size_or_raise("Letter").portrait, "short")
    assert ".playproof/printer.yaml" in words(front)
    assert "portrait-short: {right: 0.6, down: -0.4}" in words(front)


def test_targets_tell_a_turned_sheet() -> None:
    sheet = parse_paper_name_or_size_or_raise("A4").portrait
    mirrored = {(sheet.width - x, y) for x, y in compute_calibration_cross_positions(sheet)}
    assert mirrored != set(compute_calibration_cross_positions(sheet))


@pytest.mark.parametrize(
    ("name", "said"),
    [("home", "turned on the long edge"), ("fold", "fold the backs away"), ("stack", "cut the pile as one"),
     ("bleed", "two cuts between neighbours"), ("lowink", "low-ink")],
)  # fmt: skip
def test_instructions_say_what_this_sheet_needs(name: str, said: str) -> None:
    assert said in words(
        build_instructions_page_for_sheets(deck(20), read_sheet_plan_by_name_or_raise(name), title="A deck")
    )


def test_assembly_says_how_tiles_are_glued() -> None:
    page = build_assembly_page_of_board(BOARD, read_sheet_plan_by_name_or_raise("board"), title="The map")
    for said in ("4 sheets of A4", "overlap by 10 mm", "A1", "B2"):
        assert said in words(page)


def test_a_board_of_one_sheet_needs_no_glue() -> None:
    small = Piece("mat", face("mat", width=180, height=250))
    said = words(build_assembly_page_of_board(small, read_sheet_plan_by_name_or_raise("board"), title="The mat"))
    assert "four edges" in said
    assert "glue" not in said


@pytest.mark.parametrize("size", ["A5", "A4", "110x170mm"])
def test_helper_pages_stay_on_small_paper(size: str) -> None:
    small = [piece("a", width=44, height=67)]
    chosen, tiled = (
        read_sheet_plan_by_name_or_raise("stack", target_paper=parse_paper_name_or_size_or_raise(size)),
        read_sheet_plan_by_name_or_raise("board", target_paper=parse_paper_name_or_size_or_raise(size)),
    )
    pages = [
        build_instructions_page_for_sheets(small, chosen, title="A deck"),
        build_assembly_page_of_board(BOARD, tiled, title="A long name"),
    ]
    for page in pages:
        for node in page.marks:
            if isinstance(node, Glyphs):
                assert node.x >= 0
                assert node.x + node.width <= page.width
                assert node.y <= page.height


def test_instructions_count() -> None:
    page = build_instructions_page_for_sheets(
        [piece("a", 10), piece("b")], read_sheet_plan_by_name_or_raise("home"), title="A deck"
    )
    assert "11 cards on 2 sheets of A4" in words(page)


def test_one_card_is_one_card() -> None:
    page = build_instructions_page_for_sheets([piece("a")], read_sheet_plan_by_name_or_raise("home"), title="A deck")
    assert "1 card on 1 sheet of A4" in words(page)


def test_round_and_large_things_are_no_cards() -> None:
    large = build_instructions_page_for_sheets(
        [piece("a", 3, width=150, height=100)], read_sheet_plan_by_name_or_raise("home"), title="Aids"
    )
    assert "3 pieces on 2 sheets" in words(large)
    token = replace(face("t", width=20, height=20), outline=build_circle_path(10, 10, 10))
    said = words(
        build_instructions_page_for_sheets(
            [Piece("t", token)], read_sheet_plan_by_name_or_raise("home"), title="Tokens"
        )
    )
    assert "1 piece on 1 sheet" in said
    assert "cut every piece round" in said


def test_nets_are_cut_along_their_own_lines() -> None:
    die = Piece("die", face("die", width=74, height=58), net="die")
    said = words(build_instructions_page_for_sheets([die], read_sheet_plan_by_name_or_raise("fronts"), title="Dice"))
    assert "1 piece on 1 sheet" in said
    assert "solid lines" in said
    assert "steel rule" not in said


@pytest.mark.parametrize("name", ["home", "fold", "stack", "bleed", "lowink", "fronts"])
def test_helper_pages_in_french_hold_no_english(name: str) -> None:
    page = build_instructions_page_for_sheets(
        deck(20), read_sheet_plan_by_name_or_raise(name), title="Un jeu", language="fr"
    )
    assert "20 cartes sur" in words(page)
    board = build_assembly_page_of_board(
        BOARD, read_sheet_plan_by_name_or_raise("board"), title="La carte", language="fr"
    )
    assert "4 feuilles A4" in words(board)
    for english in ("sheet", "cut", "Print", "Glue", "the "):
        assert english not in words(page) + words(board)


def test_margins_in_french() -> None:
    assert "feuille 1 de 2 · rectos" in words(
        impose_pieces_on_pages([piece("a", 10)], read_sheet_plan_by_name_or_raise("home"), language="fr")[0]
    )
    assert "partie B2 de B2 · à poser sur B1 et A2" in words(
        build_pages_of_tiled_board(BOARD, read_sheet_plan_by_name_or_raise("board"), language="fr")[3]
    )


def test_every_language_says_the_same_things() -> None:
    holes = {
        language: {
            key: sorted(HOLE.findall(text))
            for key, text in get_words_by_key_or_english_ones("sheets", language).items()
        }
        for language in list_languages_with_wording()
    }
    assert all(holes_of == holes["en"] for holes_of in holes.values())


def test_an_unknown_language_reads_english() -> None:
    assert SheetWording("xx")("cut") == "Cut"


def test_a_single_sheet_has_no_more_cuts_than_its_cards_need() -> None:
    (layout,) = lay_out_pieces_by_size_or_raise(deck(4), read_sheet_plan_by_name_or_raise("home"))
    assert (layout.grid.columns, layout.grid.rows) == (3, 2)
    block, sheet = layout.grid.bounds_of_all_trims, layout.sheet
    assert block.centre == pytest.approx((sheet.width / 2, sheet.height / 2))


def test_cuts_come_across_first_and_all_of_them() -> None:
    grid = lay_out_pieces_by_size_or_raise(deck(9), read_sheet_plan_by_name_or_raise("bleed"))[0].grid
    ways = [way for way, _ in list_cut_directions_and_positions(grid)]
    assert ways == ["across"] * 2 * grid.rows + ["down"] * 2 * grid.columns


def test_marks_can_be_left_out() -> None:
    bare = read_sheet_plan_by_name_or_raise("home").model_copy(update={"marks": False, "ruler": False})
    assert len(impose_pieces_on_pages(deck(1), bare)[0].marks) == 1  # the note

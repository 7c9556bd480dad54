"""From pieces to pages."""

from __future__ import annotations

from dataclasses import replace
from math import inf, nan

import pytest

from playproof.database.errors import InputError
from playproof.generator.scene import Page, Placement, Use
from playproof.generator.sheets.imposition import impose_pieces_on_pages, lay_out_pieces_by_size_or_raise
from playproof.generator.sheets.plan import parse_paper_name_or_size_or_raise, read_sheet_plan_by_name_or_raise
from playproof.generator.sheets.printer import Printer
from playproof.generator.sheets.slots import Size
from tests.sheets.makers import deck, face, piece

HOME = read_sheet_plan_by_name_or_raise("home")


def corner(placement: Placement) -> tuple[float, float]:
    return placement.transform.apply(0, 0)


def names(page: Page) -> list[str]:
    return [placement.face.name for placement in page.placements]


def test_fronts_and_backs_alternate() -> None:
    pages = impose_pieces_on_pages(deck(11), HOME)
    assert [page.label for page in pages] == ["fronts 1", "backs 1", "fronts 2", "backs 2"]
    assert names(pages[0]) == [str(n) for n in range(101, 110)]
    assert names(pages[3]) == ["back", "back"]


def test_backs_of_the_last_sheet_lie_behind_its_fronts() -> None:
    _, _, fronts, backs = impose_pieces_on_pages(deck(11), HOME)
    for front, back in zip(fronts.placements, backs.placements, strict=True):
        x, y = corner(front)
        assert corner(back) == pytest.approx((210 - x - 63.5, y))


def test_the_printers_offset_moves_backs_only() -> None:
    printer = Printer({"portrait-long": (0.5, -0.25)})
    plain, moved = (impose_pieces_on_pages(deck(2), HOME), impose_pieces_on_pages(deck(2), HOME, printer=printer))
    assert [corner(p) for p in moved[0].placements] == [corner(p) for p in plain[0].placements]
    assert moved[0].marks[0] == plain[0].marks[0]
    assert moved[1].marks[0] != plain[1].marks[0]
    for before, after in zip(plain[1].placements, moved[1].placements, strict=True):
        x, y = corner(before)
        assert corner(after) == pytest.approx((x + 0.5, y - 0.25))


def test_copies_by_count() -> None:
    assert names(impose_pieces_on_pages([piece("a", 2), piece("b", 0), piece("c")], HOME)[0]) == ["a", "a", "c"]


def test_only_fronts() -> None:
    pages = impose_pieces_on_pages(deck(11), read_sheet_plan_by_name_or_raise("fronts"))
    assert [page.label for page in pages] == ["fronts 1", "fronts 2"]


def test_pieces_without_backs_get_no_back_page() -> None:
    pages = impose_pieces_on_pages([piece("a", back=False)], HOME)
    assert [page.label for page in pages] == ["fronts 1"]


def test_a_card_without_back_leaves_its_place_blank() -> None:
    backs = impose_pieces_on_pages([piece("a"), piece("b", back=False), piece("c")], HOME)[1]
    assert names(backs) == ["a back", "c back"]


def test_stack_order_prints_piles() -> None:
    pages = impose_pieces_on_pages(deck(20), read_sheet_plan_by_name_or_raise("stack"))
    assert names(pages[0])[:3] == ["101", "104", "107"]
    assert [names(page)[0] for page in pages[::2]] == ["101", "102", "103"]


def test_gutterfold_has_backs_on_the_page_of_their_fronts() -> None:
    pages = impose_pieces_on_pages(deck(5), read_sheet_plan_by_name_or_raise("fold"))
    assert {page.label for page in pages} == {"fronts and backs 1", "fronts and backs 2"}
    assert names(pages[0]) == ["101", "102", "103", "104", *["back"] * 4]
    assert (pages[0].width, pages[0].height) == (297, 210)


def test_every_size_has_its_own_sheets() -> None:
    pages = impose_pieces_on_pages([piece("big"), piece("small", width=44, height=67), piece("big too")], HOME)
    assert [names(page) for page in pages[::2]] == [["big", "big too"], ["small"]]


def test_butted_cards_print_no_bleed_and_spaced_cards_print_what_they_have() -> None:
    assert {p.bleed for p in impose_pieces_on_pages(deck(2), HOME)[0].placements} == {0}
    assert {
        p.bleed for p in impose_pieces_on_pages(deck(2), read_sheet_plan_by_name_or_raise("bleed"))[0].placements
    } == {2}
    bare = replace(piece("a"), front=face("a", bleed=0.5), back=None)
    assert {
        p.bleed for p in impose_pieces_on_pages([bare], read_sheet_plan_by_name_or_raise("bleed"))[0].placements
    } == {0.5}


@pytest.mark.parametrize("name", ["A4", "Letter", "A3", "SRA3"])
@pytest.mark.parametrize("sheet", ["home", "bleed", "fold", "stack", "fronts", "lowink"])
def test_ruler_and_note_find_room_on_every_sheet(sheet: str, name: str) -> None:
    bare = read_sheet_plan_by_name_or_raise(sheet, target_paper=parse_paper_name_or_size_or_raise(name)).model_copy(
        update={"ruler": False}
    )
    with_ruler = bare.model_copy(update={"ruler": True})
    for one, other in zip(
        impose_pieces_on_pages(deck(9), bare), impose_pieces_on_pages(deck(9), with_ruler), strict=True
    ):
        assert len(other.marks) == len(one.marks) + 1


def test_sheets_of_a_pile_share_their_marks() -> None:
    first, back, last, _ = impose_pieces_on_pages(deck(11), HOME)
    grid = lay_out_pieces_by_size_or_raise(deck(11), HOME)[0].grid
    for page in (first, back, last):
        (marks, *_) = page.marks
        assert isinstance(marks, Use)
        assert len(marks.symbol.children) == 2 * (len(grid.x_of_vertical_cuts) + len(grid.y_of_horizontal_cuts))
    assert first.marks[0] == last.marks[0]


def test_paper_too_small_names_every_card_size() -> None:
    with pytest.raises(InputError) as error:
        impose_pieces_on_pages([piece("a"), piece("b", width=300, height=400), piece("c", width=500, height=90)], HOME)
    assert [finding.code for finding in error.value.findings] == ["PP542", "PP542"]
    assert "b of 300 x 400 mm does not fit on A4" in str(error.value)


def test_a_card_exactly_as_large_as_the_printable_paper_fits() -> None:
    assert len(impose_pieces_on_pages([piece("a", width=200, height=287)], HOME)) == 2
    with pytest.raises(InputError):
        impose_pieces_on_pages([piece("a", width=200.01, height=287)], HOME)


def test_the_fold_needs_two_halves() -> None:
    tall = piece("a", width=150, height=200)
    assert impose_pieces_on_pages([tall], HOME)
    with pytest.raises(InputError, match="half of A4"):
        impose_pieces_on_pages([tall], read_sheet_plan_by_name_or_raise("fold"))


@pytest.mark.parametrize(
    ("size", "count", "code"),
    [(Size(0, 10), 1, "PP541"), (Size(-1, 10), 1, "PP541"), (Size(nan, 10), 1, "PP541"),
     (Size(inf, 10), 1, "PP541"), (Size(60, 90), -1, "PP545"), (Size(60, 90), 10_001, "PP545")],
)  # fmt: skip
def test_impossible_pieces(size: Size, count: int, code: str) -> None:
    odd = replace(piece("a"), front=face("a", width=size.width, height=size.height), back=None, count=count)
    with pytest.raises(InputError) as error:
        impose_pieces_on_pages([odd, piece("fine")], HOME)
    assert [finding.code for finding in error.value.findings] == [code]


def test_a_back_of_another_size() -> None:
    with pytest.raises(InputError, match=r"back of 60 x 88\.9 mm"):
        impose_pieces_on_pages([replace(piece("a"), back=face("back", width=60))], HOME)


@pytest.mark.parametrize("pieces", [[], [piece("a", 0)]])
def test_nothing_to_print(pieces: list) -> None:  # type: ignore[type-arg]  # an empty list has no item type
    with pytest.raises(InputError, match="nothing to print"):
        impose_pieces_on_pages(pieces, HOME)

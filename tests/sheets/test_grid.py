"""How many cards fit: the published table for home printing, and invariants of every grid."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from playproof.generator.scene import Rect
from playproof.generator.sheets.plan import parse_paper_name_or_size_or_raise
from playproof.generator.sheets.slots import (
    Grid,
    Size,
    Spacing,
    build_fullest_centred_grid,
    choose_orientation_holding_more_cards,
    count_cells_that_fit,
)

# trim, then cards a sheet for bleed 0 (butted), 2 and 3 mm: A4 portrait/landscape, Letter portrait/landscape.
TABLE = [
    (Size(63.5, 88.9), "9/8/9/8", "6/8/6/6", "6/8/4/6"),
    (Size(63, 88), "9/8/9/8", "6/8/6/8", "6/8/4/6"),
    (Size(57.15, 88.9), "9/10/9/8", "9/8/6/8", "9/8/6/8"),
    (Size(70, 120), "4/4/4/3", "4/3/4/3", "4/3/4/3"),
    (Size(44, 68), "16/12/12/18", "12/10/12/10", "12/10/12/10"),
]
A4, LETTER = parse_paper_name_or_size_or_raise("A4").portrait, parse_paper_name_or_size_or_raise("Letter").portrait


@pytest.mark.parametrize(("trim", "butted", "two", "three"), TABLE)
def test_fit_at_five_millimetres(trim: Size, butted: str, two: str, three: str) -> None:
    sheets = (A4, A4.swap_sides(), LETTER, LETTER.swap_sides())
    for bleed, expected in ((0, butted), (2, two), (3, three)):
        counts = [build_fullest_centred_grid(sheet, trim, Spacing(5, bleed)).slot_count for sheet in sheets]
        assert "/".join(map(str, counts)) == expected, f"bleed {bleed}"


def test_nine_poker_cards_stand_where_the_numbers_say() -> None:
    a4, letter = (build_fullest_centred_grid(sheet, Size(63.5, 88.9), Spacing()) for sheet in (A4, LETTER))
    assert a4.origin == pytest.approx((9.75, 15.15))
    assert letter.origin == pytest.approx((12.7, 6.35))


def test_ten_millimetres_of_margin_need_cards_of_63_mm() -> None:
    margin = Spacing(margin=10)
    assert build_fullest_centred_grid(A4, Size(63.5, 88.9), margin).columns == 2
    assert build_fullest_centred_grid(A4, Size(63, 88), margin).slot_count == 9


def test_orientation_is_the_fuller_one() -> None:
    assert choose_orientation_holding_more_cards(A4, Size(63.5, 88.9), Spacing()) == "portrait"
    assert choose_orientation_holding_more_cards(A4, Size(57.15, 88.9), Spacing()) == "landscape"


def test_shared_cuts_are_listed_once() -> None:
    butted = build_fullest_centred_grid(A4, Size(63, 88), Spacing())
    apart = build_fullest_centred_grid(A4, Size(63, 88), Spacing(bleed=2))
    assert len(butted.x_of_vertical_cuts) == butted.columns + 1
    assert len(apart.x_of_vertical_cuts) == 2 * apart.columns


def test_exactly_full_fits_and_a_hair_more_does_not() -> None:
    assert count_cells_that_fit(190.5, 63.5) == 3
    assert count_cells_that_fit(190.4999, 63.5) == 2
    assert count_cells_that_fit(0.1 * 3, 0.1) == 3  # 0.30000000000000004 in binary


lengths = st.floats(10, 200)


@given(lengths, lengths, st.floats(0, 5), st.floats(0, 5), st.floats(0, 15))
def test_cards_never_overlap_nor_leave_the_margin(
    width: float, height: float, bleed: float, gutter: float, margin: float
) -> None:
    grid: Grid = build_fullest_centred_grid(A4, Size(width, height), Spacing(margin, bleed, gutter))
    printed = [grid.get_slot_at_index(i).trim.expand(bleed) for i in range(grid.slot_count)]
    room = Rect(0, 0, *A4).expand(-margin)
    assert all(room.contains(rect, slack=1e-4) for rect in printed)  # a tenth of a micrometre
    assert not any(a.overlaps(b) for i, a in enumerate(printed) for b in printed[:i])

"""Boards larger than the paper."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, strategies as st

from playproof.generator.scene import Rect
from playproof.generator.sheets.boards import (
    OVERLAP,
    Tiling,
    choose_tiling_of_fewest_sheets_or_none,
    split_board_into_tiles_or_raise,
)
from playproof.generator.sheets.marks import EDGE
from playproof.generator.sheets.plan import parse_paper_name_or_size_or_raise, read_sheet_plan_by_name_or_raise
from playproof.generator.sheets.slots import Size
from tests.sheets.makers import piece

A4 = parse_paper_name_or_size_or_raise("A4").portrait


def tiling(width: float, height: float, margin: float = 8) -> Tiling:
    result = choose_tiling_of_fewest_sheets_or_none(Size(width, height), A4, margin)
    assert result is not None
    return result


def test_a_board_that_fits_is_one_tile() -> None:
    assert [tile.name for tile in tiling(190, 270).tiles] == ["A1"]


def test_a_board_that_fits_sideways_is_turned_paper() -> None:
    assert tiling(280, 190).sheet == A4.swap_sides()
    assert len(tiling(280, 190).tiles) == 1


def test_two_sheets_of_a4_for_a_board_of_a3() -> None:
    assert len(tiling(360, 270).tiles) == 2


def test_a_hair_too_large_takes_a_second_sheet() -> None:
    assert len(tiling(210 - 16, 297 - 16).tiles) == 1
    assert len(tiling(210 - 16 + 0.01, 297 - 16).tiles) == 2


def test_no_room() -> None:
    assert choose_tiling_of_fewest_sheets_or_none(Size(500, 500), Size(30, 30), margin=10) is None


@given(st.floats(20, 1500), st.floats(20, 1500), st.floats(0, 30))
def test_tiles_cover_the_board_and_overlap_by_a_strip(width: float, height: float, margin: float) -> None:
    split = tiling(width, height, margin)
    room = Rect(0, 0, *split.sheet).expand(-margin)
    by_place = {(tile.row, tile.column): tile for tile in split.tiles}
    assert len(by_place) == split.rows * split.columns
    for (row, column), tile in by_place.items():
        assert room.contains(tile.at)
        assert (tile.at.width, tile.at.height) == pytest.approx((tile.part.width, tile.part.height))
        right, below = by_place.get((row, column + 1)), by_place.get((row + 1, column))
        assert tile.part.right == pytest.approx(right.part.x + OVERLAP if right else width)
        assert tile.part.bottom == pytest.approx(below.part.y + OVERLAP if below else height)
    assert min(t.part.x for t in split.tiles) == min(t.part.y for t in split.tiles) == 0


@pytest.mark.parametrize(("width", "height"), [(180.0, 250.0), (400.0, 250.0), (580.0, 290.0)])
def test_bleed_is_printed_at_the_boards_own_edges_only(width: float, height: float) -> None:
    split = choose_tiling_of_fewest_sheets_or_none(Size(width, height), A4, 8, bleed=2)
    assert split is not None
    for tile in split.tiles:
        left, top, right, bottom = split.get_left_top_right_bottom_bleed_in_mm(tile)
        assert (left, top) == (2 if tile.column == 0 else 0, 2 if tile.row == 0 else 0)
        assert (right > 0, bottom > 0) == (tile.column == split.columns - 1, tile.row == split.rows - 1)
        printed = split.get_printed_area_of_tile(tile)
        assert all(
            not mark.box.overlaps(printed)
            for mark in (*split.list_cut_marks_of_tile(tile), *split.list_marks_aligning_right_and_lower_tile(tile))
        )


@given(st.floats(250, 900), st.floats(250, 900))
def test_a_tick_is_where_the_neighbour_is_cut(width: float, height: float) -> None:
    split = tiling(width, height)
    assume(split.columns > 1)
    left, right = split.tiles[0], split.tiles[1]
    ticks = {
        mark.x1 - left.at.x + left.part.x
        for mark in split.list_marks_aligning_right_and_lower_tile(left)
        if mark.x1 == mark.x2
    }
    cuts = {mark.x1 - right.at.x + right.part.x for mark in split.list_cut_marks_of_tile(right) if mark.x1 == mark.x2}
    assert ticks
    assert all(any(tick == pytest.approx(cut) for cut in cuts) for tick in ticks)


@given(st.floats(250, 900), st.floats(250, 900))
def test_marks_stay_off_the_picture(width: float, height: float) -> None:
    split = tiling(width, height)
    for tile in split.tiles:
        for mark in (*split.list_cut_marks_of_tile(tile), *split.list_marks_aligning_right_and_lower_tile(tile)):
            assert not mark.box.expand(0.1).overlaps(tile.at)
            assert Rect(0, 0, *split.sheet).contains(mark.box)


@pytest.mark.parametrize("on", ["A4", "Letter", "A5"])
def test_marks_of_tiles_end_where_printers_still_print(on: str) -> None:
    for width, height in ((263.0, 193.0), (190.0, 260.0), (400.0, 300.0)):
        tiling = split_board_into_tiles_or_raise(
            piece("b", 1, width, height).front,
            piece("b", 1, width, height),
            read_sheet_plan_by_name_or_raise("board", target_paper=parse_paper_name_or_size_or_raise(on)),
        )
        reach = Rect(0, 0, *tiling.sheet).expand(-EDGE + 1e-6)
        marks = [
            mark
            for tile in tiling.tiles
            for mark in (*tiling.list_cut_marks_of_tile(tile), *tiling.list_marks_aligning_right_and_lower_tile(tile))
        ]
        assert marks
        assert all(reach.contains(mark.box) for mark in marks)

"""Crop marks: outside, thin, at every cut, and the same lines on both sides of the paper."""

from __future__ import annotations

from itertools import product

import pytest

from playproof.generator.scene import Group, Rect
from playproof.generator.sheets.marks import (
    EDGE,
    GAP,
    LENGTH,
    SHORT,
    STRIP,
    WIDTH,
    build_crop_marks_around_grid,
    mirror_marks_for_back_of_sheet,
    place_ruler_and_note_where_room,
)
from playproof.generator.sheets.plan import parse_paper_name_or_size_or_raise
from playproof.generator.sheets.slots import (
    Flip,
    Grid,
    Segment,
    Size,
    Spacing,
    build_fullest_centred_grid,
    get_axis_printer_turns_sheet_about,
    get_slot_on_back_behind_front_slot,
)

POKER = Size(63.5, 88.9)
CASES = list(product(("A4", "Letter", "A3"), (0.0, 2.0, 3.0), (False, True)))


def grid_of(name: str, bleed: float, turn: bool) -> Grid:
    sheet = parse_paper_name_or_size_or_raise(name).portrait
    return build_fullest_centred_grid(sheet.swap_sides() if turn else sheet, POKER, Spacing(bleed=bleed))


def inked(mark: Segment) -> Rect:
    return mark.box.expand(WIDTH / 2)


def test_width_is_what_makers_ask_for() -> None:
    assert WIDTH == 0.15


@pytest.mark.parametrize(("name", "bleed", "turn"), CASES)
def test_marks_never_touch_bleed(name: str, bleed: float, turn: bool) -> None:
    grid = grid_of(name, bleed, turn)
    bleeds = [grid.get_slot_at_index(i).trim.expand(bleed) for i in range(grid.slot_count)]
    for mark in build_crop_marks_around_grid(grid, bleed):
        assert not any(inked(mark).overlaps(rect) for rect in bleeds)
        assert Rect(0, 0, *grid.sheet).expand(-EDGE).contains(mark.box)


@pytest.mark.parametrize(("name", "bleed", "turn"), CASES)
def test_every_cut_has_a_mark_at_both_ends(name: str, bleed: float, turn: bool) -> None:
    grid = grid_of(name, bleed, turn)
    marks = build_crop_marks_around_grid(grid, bleed)
    upright = [mark.x1 for mark in marks if mark.x1 == mark.x2]
    level = [mark.y1 for mark in marks if mark.y1 == mark.y2]
    assert sorted(upright) == sorted([*grid.x_of_vertical_cuts, *grid.x_of_vertical_cuts])
    assert sorted(level) == sorted([*grid.y_of_horizontal_cuts, *grid.y_of_horizontal_cuts])


def test_marks_are_as_long_as_the_margin_allows() -> None:
    roomy = build_crop_marks_around_grid(grid_of("A4", 0, False), 0)
    assert {round(mark.length, 6) for mark in roomy} == {LENGTH}
    tight = build_crop_marks_around_grid(build_fullest_centred_grid(Size(70, 300), POKER, Spacing(margin=3)), 0)
    across = [mark.length for mark in tight if mark.y1 == mark.y2]
    assert across == pytest.approx([(70 - 63.5) / 2 - GAP - EDGE] * len(across))


def test_marks_leave_room_for_a_ruler_and_a_note_five_millimetres_from_the_edge() -> None:
    grid = build_fullest_centred_grid(Size(210, POKER.height + 2 * (GAP + SHORT + STRIP)), POKER, Spacing())
    marks = build_crop_marks_around_grid(grid, 0)
    assert {round(mark.length, 6) for mark in marks if mark.x1 == mark.x2} == {SHORT}
    notes = place_ruler_and_note_where_room(grid.sheet, [grid.bounds_of_all_trims], marks, "sheet 1", True)
    places = [(note.transform.e, note.transform.f) for note in notes if isinstance(note, Group)]
    assert len(places) == 2
    assert all(5 <= x <= 205 and 5 <= y <= grid.sheet.height - 5 for x, y in places)


@pytest.mark.parametrize("flip", ["long", "short"])
@pytest.mark.parametrize("turn", [False, True])
def test_marks_of_the_back_lie_behind_those_of_the_front(flip: Flip, turn: bool) -> None:
    grid = grid_of("A4", 2, turn)
    # An off-centre grid shows a mirror that is missing; a centred one would hide it.
    grid = Grid(grid.sheet, grid.trim, grid.columns, grid.rows, grid.between, (9.0, 8.0))
    axis = get_axis_printer_turns_sheet_about(grid.sheet, flip)
    backs = [
        get_slot_on_back_behind_front_slot(grid.get_slot_at_index(i), grid.sheet, flip) for i in range(grid.slot_count)
    ]
    marks = mirror_marks_for_back_of_sheet(build_crop_marks_around_grid(grid, 2), grid.sheet, axis)
    cut_at = {round(mark.x1, 6) for mark in marks if mark.x1 == mark.x2}
    assert cut_at == {round(x, 6) for back in backs for x in (back.trim.x, back.trim.right)}
    assert not any(inked(mark).overlaps(back.trim.expand(2)) for mark in marks for back in backs)

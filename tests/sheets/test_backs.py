"""Backs lie behind their fronts: paper is turned and folded by arithmetic apart from the code under test.

A printed card is known by three of its corners (top left, top right, bottom left). The paper's back is
brought to the front's coordinates as a hand would do it; the corners of the back must then lie on those of
the front, seen through the paper: top left of the back behind top right of the front, and so on.
"""

from __future__ import annotations

from itertools import product

import pytest

from playproof.generator.sheets.plan import parse_paper_name_or_size_or_raise
from playproof.generator.sheets.slots import (
    FOLD_GAP,
    Flip,
    Size,
    Slot,
    Spacing,
    build_fullest_centred_grid,
    choose_fold_holding_more_cards,
    get_axis_printer_turns_sheet_about,
    get_slot_on_back_behind_front_slot,
)

POKER = Size(63.5, 88.9)
WAYS = list(product(("A4", "Letter"), (False, True), ("long", "short")))
Point = tuple[float, float]


def corners(slot: Slot) -> tuple[Point, Point, Point]:
    """Where the card's own top left, top right and bottom left corner are on the page."""
    width, height = slot.trim.width, slot.trim.height
    top_left, top_right, bottom_left = (slot.transform.apply(*p) for p in ((0, 0), (width, 0), (0, height)))
    return top_left, top_right, bottom_left


def through_the_paper(front: Slot) -> tuple[Point, Point, Point]:
    """Where a player who turns the card sideways expects the corners of its back."""
    top_left, top_right, bottom_left = corners(front)
    bottom_right = (top_right[0] + bottom_left[0] - top_left[0], top_right[1] + bottom_left[1] - top_left[1])
    return top_right, top_left, bottom_right


def turned(point: Point, sheet: Size, flip: Flip) -> Point:
    """A point of the back page, seen from the front after the printer turned the sheet about that edge."""
    long_edge_is_upright = sheet.height >= sheet.width
    turned_like_a_book = (flip == "long") == long_edge_is_upright
    x, y = point
    return (sheet.width - x, y) if turned_like_a_book else (x, sheet.height - y)


@pytest.mark.parametrize(("name", "turn", "flip"), WAYS)
def test_duplex(name: str, turn: bool, flip: Flip) -> None:
    sheet = parse_paper_name_or_size_or_raise(name).portrait
    sheet = sheet.swap_sides() if turn else sheet
    grid = build_fullest_centred_grid(sheet, POKER, Spacing())
    for index in range(grid.slot_count):
        front = grid.get_slot_at_index(index)
        back = corners(get_slot_on_back_behind_front_slot(front, sheet, flip))
        for corner, expected in zip(back, through_the_paper(front), strict=True):
            assert turned(corner, sheet, flip) == pytest.approx(expected)


def test_the_usual_four_ways() -> None:
    portrait = parse_paper_name_or_size_or_raise("A4").portrait
    assert get_axis_printer_turns_sheet_about(portrait, "long") == "vertical"
    assert get_axis_printer_turns_sheet_about(portrait, "short") == "horizontal"
    assert get_axis_printer_turns_sheet_about(portrait.swap_sides(), "long") == "horizontal"
    assert get_axis_printer_turns_sheet_about(portrait.swap_sides(), "short") == "vertical"


@pytest.mark.parametrize(("trim", "fold"), [(Size(60, 120), "across"), (POKER, "down")])
def test_gutterfold(trim: Size, fold: str) -> None:
    sheet = parse_paper_name_or_size_or_raise("A4").portrait
    folded = choose_fold_holding_more_cards(sheet, trim, Spacing(bleed=2))
    assert folded.fold == fold
    assert folded.fronts.slot_count
    for index in range(folded.fronts.slot_count):
        front = folded.fronts.get_slot_at_index(index)
        for corner, expected in zip(
            corners(folded.get_slot_of_back_folding_onto(index)), through_the_paper(front), strict=True
        ):
            x, y = corner
            landed = (x, sheet.height - y) if fold == "across" else (sheet.width - x, y)
            assert landed == pytest.approx(expected)


def test_the_fold_keeps_its_distance_from_bleed() -> None:
    folded = choose_fold_holding_more_cards(parse_paper_name_or_size_or_raise("A4").portrait, POKER, Spacing(bleed=2))
    bleeds = [folded.fronts.get_slot_at_index(i).trim.expand(2) for i in range(folded.fronts.slot_count)]
    assert folded.fold_line.x1 - max(bleed.right for bleed in bleeds) >= FOLD_GAP

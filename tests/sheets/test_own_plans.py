"""Sheet plans in a game's own folder: fixed places, label sheets, pages of the card's size, gaps, turned cards."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.database.errors import InputError
from playproof.generator.scene import Page, Rect
from playproof.generator.sheets import (
    Plan,
    impose_pieces_on_pages,
    list_sorted_names_of_sheet_plans,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.gang_sheets import ProductToPrint, lay_out_products_on_fewest_sheets
from tests.sheets.makers import deck, piece


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "sheets").mkdir()
    return tmp_path / "sheets"


def written(own: Path, text: str, name: str = "mine") -> Plan:
    (own / f"{name}.yaml").write_text(text)
    return read_sheet_plan_by_name_or_raise(name, game_folder=own)


def places(page: Page) -> list[tuple[float, float]]:
    """Where the upper left corners of the cards' cuts lie."""
    found = []
    for placed in page.placements:
        corners = [placed.transform.apply(x, y) for x, y in ((0, 0), (placed.face.width, placed.face.height))]
        found.append((round(min(x for x, _ in corners), 3), round(min(y for _, y in corners), 3)))
    return found


def test_a_game_has_plans_of_its_own_which_go_before_the_others(own: Path) -> None:
    written(own, "bleed: 1\n", "home")
    assert read_sheet_plan_by_name_or_raise("home", game_folder=own).bleed == 1
    assert read_sheet_plan_by_name_or_raise("home").bleed == 0
    written(own, "rows: 2\n", "mine")
    assert {"mine", "home", "bleed"} <= set(list_sorted_names_of_sheet_plans(game_folder=own))
    assert "mine" not in list_sorted_names_of_sheet_plans()


def test_rows_and_columns_are_as_many_as_the_plan_says(own: Path) -> None:
    pages = impose_pieces_on_pages(deck(5), written(own, "rows: 2\ncolumns: 2\nbacks: none\n"))
    assert [len(page.placements) for page in pages] == [4, 1]
    assert places(pages[0])[0] == places(pages[1])[0], "the last sheet is cut like the others"


def test_labels_lie_where_the_bought_sheet_has_them(own: Path) -> None:
    """Numbers of a common sheet of 24 labels: 70 x 36 mm, three columns, no gaps between columns."""
    labels = written(
        own,
        "paper: A4\nmargin: 0\ncolumns: 3\nrows: 8\nleft: 0\ntop: 4.5\ngutter: 0\ngutter_down: 0.2\n"
        "backs: none\nmarks: false\nruler: false\ninstructions: false\n",
    )
    (page,) = impose_pieces_on_pages([piece("label", 24, 70, 35.8, back=False)], labels)
    corners = places(page)
    assert len(corners) == 24
    assert corners[:4] == [(0, 4.5), (70, 4.5), (140, 4.5), (0, 40.5)]
    assert (
        labels.copy_on_other_paper_unless_fixed(read_sheet_plan_by_name_or_raise("home").paper).paper == labels.paper
    ), "labels stay on their paper"


def test_a_page_of_the_cards_size_has_the_card_and_its_bleed(own: Path) -> None:
    pages = impose_pieces_on_pages([*deck(2), piece("wide", 1, 100, 60)], written(own, "paper: card\nbleed: 3\n"))
    assert len(pages) == 6
    assert [(round(page.width, 1), round(page.height, 1)) for page in pages[::2]] == [(69.5, 94.9)] * 2 + [(106, 66)]
    assert all(places(page) == [(3, 3)] for page in pages)
    assert not any(page.marks for page in pages)


def test_turned_places_are_upside_down_on_both_sides(own: Path) -> None:
    front, back = impose_pieces_on_pages(deck(4), written(own, "rows: 2\ncolumns: 2\nturned: [2]\n"))
    turned_fronts = [placed.transform.a < 0 for placed in front.placements]
    assert turned_fronts == [False, True, False, False]
    assert sum(placed.transform.a < 0 for placed in back.placements) == 1


def test_a_gap_has_its_colour_below_the_cards(own: Path) -> None:
    page = impose_pieces_on_pages(
        deck(4), written(own, 'gutter: 4\nbleed: 1\ngap: "#202020"\nrows: 2\ncolumns: 2\nbacks: none\n')
    )[0]
    ground, *cards = page.placements
    assert ground.face.name == "gap #202020"
    around = Rect(*places(page)[0], ground.face.width, ground.face.height)
    assert len(cards) == 4
    assert all(around.contains(Rect(x - 1, y - 1, 65.5, 90.9)) for x, y in places(page)[1:])


def test_places_that_do_not_fit_and_folds_are_refused(own: Path) -> None:
    with pytest.raises(InputError, match="in the places of the plan mine"):
        impose_pieces_on_pages(deck(4), written(own, "rows: 4\n"))
    with pytest.raises(InputError, match="PP646"):
        written(own, "rows: 2\nbacks: gutterfold\n")
    with pytest.raises(InputError, match="rows"):
        written(own, "rows: 0\n")


def test_in_print_me_fixed_places_stay(own: Path) -> None:
    fixed = written(own, "rows: 2\ncolumns: 2\n")
    (part,) = lay_out_products_on_fewest_sheets([ProductToPrint("Cards", tuple(deck(5)), fixed)])
    assert part.paper_sheet_count == 2
    assert places(part.pages[0])[0] == places(part.pages[2])[0]


def test_lengths_of_a_plan_take_their_units(own: Path) -> None:
    inches = written(
        own, "paper: 8.5x11in\nmargin: 0.25in\nleft: 1cm\ntop: 36pt\ngutter: 24px\nbleed: 2mm\noverlap: 8\n"
    )
    lengths = (inches.margin, inches.left, inches.top, inches.gutter, inches.bleed, inches.overlap)
    assert lengths == pytest.approx((6.35, 10, 12.7, 6.35, 2, 8))
    assert written(own, "paper: 612x792pt\n", "points").paper.portrait == pytest.approx((215.9, 279.4))
    for wrong in ("margin: 5 inches\n", "margin: -1in\n", "rows: 2in\n"):
        with pytest.raises(InputError, match=r"mine\.yaml:1"):
            written(own, wrong)

"""One file of everything: nothing twice, nothing missing, nothing on top of anything, on fewer sheets."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest

from playproof.generator.scene import Page, Rect, Use
from playproof.generator.sheets import (
    Piece,
    impose_pieces_on_pages,
    parse_paper_name_or_size_or_raise,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.gang_sheets import ProductToPrint, StockSheets, lay_out_products_on_fewest_sheets
from playproof.generator.sheets.instructions import PrintMeContents, build_pages_of_instructions_and_sheets
from tests.sheets.makers import face, piece

BLEED = read_sheet_plan_by_name_or_raise("bleed")


def wanted(title: str, *pieces: Piece, on: str = "A4", sheet: str = "bleed", tiled: bool = False) -> ProductToPrint:
    return ProductToPrint(
        title,
        pieces,
        read_sheet_plan_by_name_or_raise(sheet, target_paper=parse_paper_name_or_size_or_raise(on)),
        tiled,
    )


def game(on: str = "A4") -> list[ProductToPrint]:
    return [
        wanted("Heroes", *(piece(f"h{n}") for n in range(9)), on=on),
        wanted("Foes", *(piece(f"f{n}", 2) for n in range(6)), on=on),
        wanted("Hands", *(piece(f"p{n}", 1, 70, 40) for n in range(3)), on=on),
        wanted("Squares", *(piece(f"s{n}", 1, 30, 30) for n in range(4)), on=on),
        wanted("Notes", piece("n", 3, 100, 60, back=False), on=on, sheet="pages"),
        wanted("Map", piece("map", 1, 300, 200, back=False), on=on, sheet="board", tiled=True),
        wanted("Figures", Piece("f", face("f", width=22, height=88), None, 5, net="standee"), on=on, sheet="fronts"),
    ]


def boxes(page: Page) -> list[Rect]:
    found = []
    for placed in page.placements:
        corners = [placed.transform.apply(x, y) for x, y in ((0, 0), (placed.face.width, placed.face.height))]
        (x1, y1), (x2, y2) = corners
        found.append(Rect(min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1)).expand(placed.bleed))
    return found


def fronts(parts: list[StockSheets]) -> Counter[str]:
    pages = [page for part in parts for page in (part.pages[::2] if part.duplex else part.pages)]
    return Counter(placed.face.name for page in pages for placed in page.placements)


@pytest.mark.parametrize("on", ["A4", "Letter", "A3"])
def test_every_piece_is_there_as_often_as_it_counts(on: str) -> None:
    counted = fronts(lay_out_products_on_fewest_sheets(game(on)))
    for product in game(on):
        for one in product.pieces if not product.tiled else ():
            assert counted[one.front.name] == one.count, one.name


@pytest.mark.parametrize("on", ["A4", "Letter", "A3"])
def test_nothing_lies_on_anything_else_and_all_is_on_the_paper(on: str) -> None:
    for part in lay_out_products_on_fewest_sheets(game(on)):
        for page in part.pages:
            placed = boxes(page)
            assert all(Rect(0, 0, page.width, page.height).contains(box) for box in placed)
            assert not any(a.overlaps(b) for at, a in enumerate(placed) for b in placed[at + 1 :])


def test_backs_lie_behind_their_fronts_on_common_sheets() -> None:
    part = next(part for part in lay_out_products_on_fewest_sheets(game()) if part.common)
    for front, back in zip(part.pages[::2], part.pages[1::2], strict=True):
        mirrored = {
            (round(front.width - box.right, 3), round(box.y, 3))
            if front.height > front.width
            else (round(box.x, 3), round(front.height - box.bottom, 3))
            for box in boxes(front)
        }
        assert mirrored == {(round(box.x, 3), round(box.y, 3)) for box in boxes(back)}


def test_leftovers_share_sheets() -> None:
    """Fewer sheets than the products take one by one."""
    together = sum(len(part.pages) for part in lay_out_products_on_fewest_sheets(game()))
    alone = sum(len(impose_pieces_on_pages(one.pieces, one.plan)) for one in game() if not one.tiled)
    boards = sum(len(part.pages) for part in lay_out_products_on_fewest_sheets([one for one in game() if one.tiled]))
    assert together < alone + boards
    assert any(part.common for part in lay_out_products_on_fewest_sheets(game()))


def test_parts_are_what_is_printed_on_one_stock() -> None:
    assert [(part.stock, part.duplex) for part in lay_out_products_on_fewest_sheets(game())] == [
        ("cards", True),
        ("page", False),
        ("board", False),
        ("net", False),
    ]


def test_every_sheet_of_paper_has_its_number_and_says_its_side_only_where_it_has_two() -> None:
    from tests.sheets.test_helper_pages import words

    parts = lay_out_products_on_fewest_sheets(game())
    total = sum(part.paper_sheet_count for part in parts)
    notes = [re.search(r"sheet (\d+) of (\d+)(.*)", words(page)) for part in parts for page in part.pages]
    numbers = Counter(int(note[1]) for note in notes if note)
    duplex = [part for part in parts for _ in part.pages if part.duplex]
    assert len(notes) == sum(numbers.values()), "a page without a number"
    assert sorted(numbers) == list(range(1, total + 1))
    assert {note[2] for note in notes if note} == {str(total)}
    assert sum(count == 2 for count in numbers.values()) == len(duplex) // 2
    for part in parts:
        for page in part.pages:
            assert ("fronts" in words(page) or "backs" in words(page)) == part.duplex


def test_an_alternative_has_sheets_of_its_own_and_says_what_it_stands_in_for() -> None:
    from tests.sheets.test_helper_pages import words

    mats = replace(wanted("Mats", *(piece(f"m{n}") for n in range(9))), instead_of="Map")
    parts = lay_out_products_on_fewest_sheets([*game(), mats])
    assert [(part.titles, part.instead_of) for part in parts if "Mats" in part.titles] == [(["Mats"], "Map")]
    assert parts[-1].titles == ["Mats"]
    first = build_pages_of_instructions_and_sheets(
        parts, parse_paper_name_or_size_or_raise("A4"), PrintMeContents("Game", [])
    )[0]
    assert "Mats. Instead of: Map. Print one of the two." in words(first)


@pytest.mark.parametrize("language", ["en", "fr"])
def test_the_first_pages_say_what_to_do(language: str) -> None:
    from tests.sheets.test_helper_pages import words

    parts = lay_out_products_on_fewest_sheets(game(), language=language)
    pages = build_pages_of_instructions_and_sheets(
        parts,
        parse_paper_name_or_size_or_raise("A4"),
        PrintMeContents("Game", ["27 cards"], ["1 pencil"]),
        language=language,
    )
    own = [page for page in pages if page.label.startswith("instructions")]
    assert len(pages) == len(own) + sum(len(part.pages) for part in parts)
    said = " ".join(words(page) for page in own)
    for expected in ("27 cards", "1 pencil", "Heroes · Foes · Hands · Squares", f"{len(own) + 1}"):
        assert expected in said, expected
    assert "alibra" not in said  # who bought the file has no calibration sheet
    assert all(box.y >= 0 and box.bottom <= page.height for page in own for box in boxes(page))


def test_nets_are_shown_small_beside_how_they_are_folded() -> None:
    parts = lay_out_products_on_fewest_sheets(game())
    own = [
        page
        for page in build_pages_of_instructions_and_sheets(
            parts, parse_paper_name_or_size_or_raise("A4"), PrintMeContents("Game", [])
        )
        if page.label.startswith("instructions")
    ]
    nets = {
        piece.front.nodes for part in parts if part.stock == "net" for layout in part.layouts for piece in layout.cards
    }
    shown = [node for page in own for node in page.marks if isinstance(node, Use) and node.symbol.children in nets]
    assert shown
    assert all(node.symbol.picture for node in shown)  # its type is not there to be read
    assert all(node.transform.a == node.transform.d <= 1 for node in shown)

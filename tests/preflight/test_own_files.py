"""What Playproof prints passes its own preflight."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.generator.exports.vendor import write_vendor_pdf_and_get_pages, write_vendor_pngs_and_delete_old
from playproof.generator.pdf import Metadata, write_pages_to_pdf_file
from playproof.generator.preflight import list_vendor_problems_in_file_or_folder
from playproof.generator.sheets import (
    build_pages_of_tiled_board,
    impose_pieces_on_pages,
    list_sorted_names_of_sheet_plans,
    parse_paper_name_or_size_or_raise,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.instructions import build_instructions_page_for_sheets
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.printer import build_calibration_front_and_back
from playproof.generator.vendor_profiles import (
    list_sorted_names_of_vendor_profiles,
    read_vendor_profile_by_name_or_raise,
)
from tests.sheets.makers import BLUE, RED, deck, face


@pytest.mark.parametrize("name", [name for name in list_sorted_names_of_sheet_plans() if name != "board"])
@pytest.mark.parametrize("on", ["A4", "Letter"])
def test_sheets(name: str, on: str, tmp_path: Path) -> None:
    chosen = read_sheet_plan_by_name_or_raise(name, target_paper=parse_paper_name_or_size_or_raise(on))
    pages = [
        *impose_pieces_on_pages(deck(10), chosen, title="A deck"),
        build_instructions_page_for_sheets(deck(10), chosen, title="A deck"),
    ]
    write_pages_to_pdf_file(pages, tmp_path / "sheets.pdf", metadata=Metadata("A deck"))
    assert (
        list_vendor_problems_in_file_or_folder(tmp_path / "sheets.pdf", read_vendor_profile_by_name_or_raise("home"))
        == []
    )


def test_helper_pages(tmp_path: Path) -> None:
    board = Piece("map", face("map", width=420, height=297))
    pages = [
        *build_calibration_front_and_back(parse_paper_name_or_size_or_raise("A4").portrait, "long"),
        *build_pages_of_tiled_board(board, read_sheet_plan_by_name_or_raise("board")),
    ]
    write_pages_to_pdf_file(pages, tmp_path / "pages.pdf", metadata=Metadata("Pages"))
    assert (
        list_vendor_problems_in_file_or_folder(tmp_path / "pages.pdf", read_vendor_profile_by_name_or_raise("home"))
        == []
    )


@pytest.mark.parametrize("name", [name for name in list_sorted_names_of_vendor_profiles() if name != "home"])
def test_files_for_vendors(name: str, tmp_path: Path) -> None:
    vendor = read_vendor_profile_by_name_or_raise(name)
    back = face("back", BLUE, bleed=3.2)
    pieces = [Piece(str(n), face(str(n), RED, bleed=3.2), back) for n in (101, 102)]
    if vendor.file == "pdf":
        write_vendor_pdf_and_get_pages(pieces, vendor, tmp_path / "deck.pdf", title="A deck")
        assert list_vendor_problems_in_file_or_folder(tmp_path / "deck.pdf", vendor) == []
    else:
        write_vendor_pngs_and_delete_old(pieces, vendor, tmp_path / "deck")
        assert list_vendor_problems_in_file_or_folder(tmp_path / "deck", vendor) == []

"""What Playproof prints passes its own preflight."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.generator.exports.vendor import write_png_per_side_for_vendor, write_vendor_pdf_and_get_pages
from playproof.generator.pdf import Metadata, write_pages_to_pdf_file
from playproof.generator.preflight import find_vendor_problems_in_file_or_folder
from playproof.generator.sheets import (
    build_pages_of_tiled_board,
    impose_pieces_on_pages,
    list_sheet_plan_names,
    parse_paper_name_or_size,
    read_sheet_plan_by_name,
)
from playproof.generator.sheets.instructions import build_instructions_page_for_sheets
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.printer import build_calibration_front_and_back
from playproof.generator.vendor_profiles import list_vendor_profile_names, read_vendor_profile_by_name
from tests.sheets.makers import BLUE, RED, deck, face


@pytest.mark.parametrize("name", [name for name in list_sheet_plan_names() if name != "board"])
@pytest.mark.parametrize("on", ["A4", "Letter"])
def test_sheets(name: str, on: str, tmp_path: Path) -> None:
    chosen = read_sheet_plan_by_name(name, target_paper=parse_paper_name_or_size(on))
    pages = [
        *impose_pieces_on_pages(deck(10), chosen, title="A deck"),
        build_instructions_page_for_sheets(deck(10), chosen, title="A deck"),
    ]
    write_pages_to_pdf_file(pages, tmp_path / "sheets.pdf", metadata=Metadata("A deck"))
    assert find_vendor_problems_in_file_or_folder(tmp_path / "sheets.pdf", read_vendor_profile_by_name("home")) == []


def test_helper_pages(tmp_path: Path) -> None:
    board = Piece("map", face("map", width=420, height=297))
    pages = [
        *build_calibration_front_and_back(parse_paper_name_or_size("A4").portrait, "long"),
        *build_pages_of_tiled_board(board, read_sheet_plan_by_name("board")),
    ]
    write_pages_to_pdf_file(pages, tmp_path / "pages.pdf", metadata=Metadata("Pages"))
    assert find_vendor_problems_in_file_or_folder(tmp_path / "pages.pdf", read_vendor_profile_by_name("home")) == []


@pytest.mark.parametrize("name", [name for name in list_vendor_profile_names() if name != "home"])
def test_files_for_vendors(name: str, tmp_path: Path) -> None:
    vendor = read_vendor_profile_by_name(name)
    back = face("back", BLUE, bleed=3.2)
    pieces = [Piece(str(n), face(str(n), RED, bleed=3.2), back) for n in (101, 102)]
    if vendor.file == "pdf":
        write_vendor_pdf_and_get_pages(pieces, vendor, tmp_path / "deck.pdf", title="A deck")
        assert find_vendor_problems_in_file_or_folder(tmp_path / "deck.pdf", vendor) == []
    else:
        write_png_per_side_for_vendor(pieces, vendor, tmp_path / "deck")
        assert find_vendor_problems_in_file_or_folder(tmp_path / "deck", vendor) == []

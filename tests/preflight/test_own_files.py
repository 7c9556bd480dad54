"""What Playproof prints passes its own preflight."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.generator.exports.vendor import write_side_pictures, write_vendor_pdf
from playproof.generator.pdf import Metadata, write_pdf
from playproof.generator.preflight import preflight_file
from playproof.generator.sheets import impose_board, impose_pieces, list_plan_names, parse_paper, read_plan
from playproof.generator.sheets.instructions import build_instructions_page
from playproof.generator.sheets.pieces import Piece
from playproof.generator.sheets.printer import build_calibration_pages
from playproof.generator.vendor_profiles import list_profile_names, read_profile
from tests.sheets.makers import BLUE, RED, deck, face


@pytest.mark.parametrize("name", [name for name in list_plan_names() if name != "board"])
@pytest.mark.parametrize("on", ["A4", "Letter"])
def test_sheets(name: str, on: str, tmp_path: Path) -> None:
    chosen = read_plan(name, target_paper=parse_paper(on))
    pages = [
        *impose_pieces(deck(10), chosen, title="A deck"),
        build_instructions_page(deck(10), chosen, title="A deck"),
    ]
    write_pdf(pages, tmp_path / "sheets.pdf", metadata=Metadata("A deck"))
    assert preflight_file(tmp_path / "sheets.pdf", read_profile("home")) == []


def test_helper_pages(tmp_path: Path) -> None:
    board = Piece("map", face("map", width=420, height=297))
    pages = [
        *build_calibration_pages(parse_paper("A4").portrait, "long"),
        *impose_board(board, read_plan("board")),
    ]
    write_pdf(pages, tmp_path / "pages.pdf", metadata=Metadata("Pages"))
    assert preflight_file(tmp_path / "pages.pdf", read_profile("home")) == []


@pytest.mark.parametrize("name", [name for name in list_profile_names() if name != "home"])
def test_files_for_vendors(name: str, tmp_path: Path) -> None:
    vendor = read_profile(name)
    back = face("back", BLUE, bleed=3.2)
    pieces = [Piece(str(n), face(str(n), RED, bleed=3.2), back) for n in (101, 102)]
    if vendor.file == "pdf":
        write_vendor_pdf(pieces, vendor, tmp_path / "deck.pdf", title="A deck")
        assert preflight_file(tmp_path / "deck.pdf", vendor) == []
    else:
        write_side_pictures(pieces, vendor, tmp_path / "deck")
        assert preflight_file(tmp_path / "deck", vendor) == []

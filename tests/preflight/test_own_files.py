"""What this house prints passes its own preflight."""

from __future__ import annotations

from pathlib import Path

import pytest

from playproof.generator.exports.vendor import write_canvases, write_vendor_pdf
from playproof.generator.pdf import Metadata, write_pdf
from playproof.generator.preflight import preflight
from playproof.generator.profiles import profile, profiles
from playproof.generator.sheets import impose, impose_board, paper, plan, plans
from playproof.generator.sheets.calibration import calibration
from playproof.generator.sheets.instructions import instructions
from playproof.generator.sheets.pieces import Piece
from tests.sheets.makers import BLUE, RED, deck, face


@pytest.mark.parametrize("name", [name for name in plans() if name != "board"])
@pytest.mark.parametrize("on", ["A4", "Letter"])
def test_sheets(name: str, on: str, tmp_path: Path) -> None:
    chosen = plan(name, on=paper(on))
    pages = [*impose(deck(10), chosen, title="A deck"), instructions(deck(10), chosen, title="A deck")]
    write_pdf(pages, tmp_path / "sheets.pdf", metadata=Metadata("A deck"))
    assert preflight(tmp_path / "sheets.pdf", profile("home")) == []


def test_helper_pages(tmp_path: Path) -> None:
    board = Piece("map", face("map", width=420, height=297))
    pages = [*calibration(paper("A4").portrait, "long"), *impose_board(board, plan("board"))]
    write_pdf(pages, tmp_path / "pages.pdf", metadata=Metadata("Pages"))
    assert preflight(tmp_path / "pages.pdf", profile("home")) == []


@pytest.mark.parametrize("name", [name for name in profiles() if name != "home"])
def test_files_for_vendors(name: str, tmp_path: Path) -> None:
    vendor = profile(name)
    back = face("back", BLUE, bleed=3.2)
    pieces = [Piece(str(n), face(str(n), RED, bleed=3.2), back) for n in (101, 102)]
    if vendor.file == "pdf":
        write_vendor_pdf(pieces, vendor, tmp_path / "deck.pdf", title="A deck")
        assert preflight(tmp_path / "deck.pdf", vendor) == []
    else:
        write_canvases(pieces, vendor, tmp_path / "deck")
        assert preflight(tmp_path / "deck", vendor) == []

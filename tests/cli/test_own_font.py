"""A game with a font of its own: every page that shows its cards draws them with that font, not only its sheets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from playproof.referee.variant import Variant
from playproof.table.edited_game import GameEdition
from playproof.table.faces import FacePictures
from playproof.table.scene import Picture
from playproof.table.table_layout import TableLayout
from tests.cli.conftest import Answer
from tests.generator.makers import words_of
from tests.generator.test_any_font import LETTERS, builder

Call = Callable[..., Answer]
FIRE_DRAGON = "炎竜"

ERRATUM = f"""\
version: "1.1"
date: 2026-11-30
note: {FIRE_DRAGON} {"は強すぎました。" * 20}
changes:
  - {{component: "03", path: title, from: {FIRE_DRAGON}, to: {FIRE_DRAGON}です}}
"""

TABLE = """\
surfaces: {well: {card: "03", at: [0, 0]}}
places: [{shows: [coins], on: well, each: {n: range(coins)}, piece: "03", at: [9, 9]}]
off: {light: not shown, path_bag: not shown}
"""


@pytest.fixture
def game(playproof: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The game that `new` writes, with a Japanese card and a font that the project does not have."""
    monkeypatch.chdir(tmp_path)
    assert playproof("new", "mine").status == 0
    chars = {char: ord(char) for char in f"{FIRE_DRAGON}は強すぎました。です森"}
    fonts = tmp_path / "mine/layouts/fonts"
    fonts.mkdir()
    builder(False, "Boxes", LETTERS | chars).save(fonts / "Boxes-Regular.ttf")
    layout, cards = tmp_path / "mine/layouts/path.yaml", tmp_path / "mine/paths.yaml"
    layout.write_text(layout.read_text("utf-8").replace("family: almendra, bold: true", "family: boxes"), "utf-8")
    cards.write_text(cards.read_text("utf-8").replace("The Old Well", FIRE_DRAGON), "utf-8")
    facts = tmp_path / "mine/game.yaml"
    facts.write_text(facts.read_text("utf-8").replace('title: "Mine"', f"title: {FIRE_DRAGON}の森"), "utf-8")
    return tmp_path / "mine"


def test_margins_of_sheets_and_posts_of_errata_say_what_is_written(playproof: Call, game: Path) -> None:
    """Their type lacked Japanese: titles were left out there, without a word."""
    (game / "errata").mkdir()
    (game / "errata/1.1.yaml").write_text(ERRATUM, "utf-8")
    done = playproof("errata", "mine", "--no-proof", "--games", "0")
    assert done.status == 0, done.err
    post = words_of(Path("output/mine/errata/1.1/post-A4-en.pdf").read_bytes())
    assert f"{FIRE_DRAGON}です" in post
    assert "は強すぎました。" in post
    assert playproof("build", "mine", "--paper", "A4").status == 0
    assert f"{FIRE_DRAGON}?森" in words_of(Path("output/mine/print/A4/path-en.pdf").read_bytes())


def test_reports_show_its_cards(playproof: Call, game: Path) -> None:
    done = playproof("report", "mine", "--games", "10", "--pairs", "2", "--ladder", "none")
    assert done.status == 0, done.err
    assert Path("output/mine/report/report.pdf").read_bytes().startswith(b"%PDF")


def test_the_table_and_the_workshop_show_its_cards(game: Path) -> None:
    (game / "layouts/table.yaml").write_text(TABLE, "utf-8")
    pictures = FacePictures(TableLayout(Variant("./mine")))
    assert b"<svg" in pictures.draw_svg(Picture("03"))
    assert b"<svg" in pictures.draw_face_svg_legible_at_any_width(Picture("03"))
    edition = GameEdition.load_game_and_layouts("./mine")
    assert all(edition.get_face_svg_or_empty(face) for face in edition.iter_printed_faces())

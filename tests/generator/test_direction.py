"""The order in which a line is seen: Unicode annex 9, held against python-bidi, which shares no code with ours."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import resvg_py
from bidi import get_display
from PIL import Image

from playproof.generator.art.svg_read import read_svg_file_as_symbol_or_raise
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.scene import Face, Glyphs, Rect, Symbol, Transform, Use
from playproof.generator.type.direction import compute_embedding_levels, list_indexes_in_visual_order
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.shaping import Shaper
from playproof.generator.type.typesetter import TextBlock, TextStyle, Typesetter
from tests.generator.two_pictures import APART, differ

SIGNS = "aB\u05d0\u05d1\u0627\u062812\u0661\u06f2  ()[]+-%$,.!×\u05b8\u064e/:★「」"


def seen(text: str, right_to_left: bool) -> str:
    levels = compute_embedding_levels(text, right_to_left)
    return "".join(text[at] for at in list_indexes_in_visual_order(levels))


@pytest.mark.parametrize("right_to_left", [False, True])
def test_characters_stand_where_another_program_puts_them(right_to_left: bool) -> None:
    rng = Random(9)
    for _ in range(3000):
        text = "".join(rng.choice(SIGNS) for _ in range(rng.randrange(1, 16))).strip()
        assert seen(text, right_to_left) == get_display(text, base_dir="R" if right_to_left else "L"), ascii(text)


def test_what_is_isolated_is_one_sign_to_the_text_around_it() -> None:
    for text in ("אב \u2066ab (1)\u2069 (2)", "ab \u2067אב 1!\u2069 2!", "\u2068אב\u2069 a\u2068b\u2069 ב"):
        for right_to_left in (False, True):
            assert seen(text, right_to_left) == get_display(text, base_dir="R" if right_to_left else "L")


def lines(text: str, width: float = 80, icons: dict[str, Symbol] | None = None, **style: object) -> TextBlock:
    setter = Typesetter(get_fonts_of_game_in_export_or_project(), icons or {})
    return setter.typeset_text_as_large_as_box_allows(
        text, Rect(10, 0, width, 60), TextStyle(**({"size": 10.0} | style))
    )  # type: ignore[arg-type]


def glyphs_from_left(block: TextBlock) -> str:
    """All characters of one line, as they are seen."""
    found = [
        (node.x + start, shape.text) for node in block.nodes if isinstance(node, Glyphs) for start, shape in node.pieces
    ]
    return "".join(text for _, text in sorted(found))


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("קח 12.", ".12חק"),
        ("(או 2×4)", ")4×2וא("),
        ("קלף12 (3)", ")3(12ףלק"),
        ("קלף (ABC) ו־5!", "!5־ו)ABC(ףלק"),
        ("Take (שלום) 4.", "Take(םולש)4."),
        ("קח **12.** (*בג*, ד)", ")ד,גב(.12חק"),
    ],
)
def test_figures_and_signs_of_a_line_stand_on_their_side(text: str, drawn: str) -> None:
    """A stop after a figure in Hebrew stands on its left, and a word of several styles keeps its order."""
    assert glyphs_from_left(lines(text)) == drawn


def test_figures_of_persian_and_arabic_run_to_the_right() -> None:
    """HarfBuzz guesses that they run as letters of their script do: 12 became 21."""
    font = get_fonts_of_game_in_export_or_project()
    shape = Shaper(font).shape_text_in_font_or_fallback("alegreya-regular", "۱۲۳")
    assert shape.text == "۱۲۳"


def test_each_paragraph_has_its_own_direction_and_even_lines_fill_the_box() -> None:
    block = lines("שלום עולם\nhello (1)", align="left")
    right, left = next(node for node in block.nodes if isinstance(node, Glyphs)), block.nodes[-1]
    assert right.x + right.width == pytest.approx(90)
    assert isinstance(left, Glyphs)
    assert left.x == pytest.approx(10)
    even = lines("שלום עולם שלום עולם שלום עולם שלום", 30, align="justify")
    for node in even.nodes:
        assert isinstance(node, Glyphs)
        assert node.x >= 10 - 1e-6
        assert node.x + node.width <= 40 + 1e-3


def test_an_icon_stands_between_the_words_it_is_read_between() -> None:
    block = lines("קח 12 :dot: עכשיו", icons={"dot": Symbol("dot", Rect(0, 0, 10, 10), ())})
    (icon,) = [node for node in block.nodes if isinstance(node, Use)]
    places = {
        shape.text: node.x + start for node in block.nodes if isinstance(node, Glyphs) for start, shape in node.pieces
    }
    assert places["וישכע"] < icon.transform.e < places["12"] < places["חק"]


def test_text_of_svg_files_has_the_order_that_resvg_gives_it(tmp_path: Path) -> None:
    shaper = Shaper(get_fonts_of_game_in_export_or_project())
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><text x="9" y="60" font-size="20" '
        'font-family="Noto Serif Hebrew">קלף (12).</text></svg>'
    )
    (tmp_path / "text.svg").write_text(text, "utf-8")
    data = resvg_py.svg_to_bytes(
        svg_string=text, width=300, height=300, dpi=96, background="white", skip_system_fonts=True,
        font_files=[str(font.path) for font in shaper.book.fonts.values()],
    )  # fmt: skip
    (tmp_path / "other.png").write_bytes(bytes(data))
    symbol = read_svg_file_as_symbol_or_raise(tmp_path / "text.svg", "text", shaper)
    face = Face("text", 50, 50, (Use(symbol, Transform.scale(50 / symbol.bounds.width)),))
    (ours,) = render_faces_at_exact_pixels([face], (300, 300))
    with Image.open(tmp_path / "other.png") as other:
        assert differ(ours, other.convert("RGB"))[0] < APART / 2

"""The second reader of the suite reads what we write, and notices what readers of PDF would not forgive."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pikepdf
import pytest

from playproof.generator.pdf.font_objects import PdfFont
from playproof.generator.pdf.objects import PdfFileBuilder
from playproof.generator.scene import MM_PER_PT, Glyphs, Rect
from playproof.generator.type.fonts import FONT_FOLDER, Font, FontBook
from playproof.generator.type.typesetter import TextStyle, Typesetter
from tests.generator.strange_decks import SCRIPTS, make_font
from tests.second_reader import Unreadable, _check


def test_it_stands_behind_our_writer() -> None:
    assert PdfFileBuilder.to_pdf_file_bytes.__qualname__.startswith("read_back_from")


@pytest.mark.parametrize("script", SCRIPTS)
def test_each_glyph_stands_where_it_was_meant(script: str, tmp_path: Path) -> None:
    """A line's numbers are read back: where two of them ran into one, all that followed stood elsewhere."""
    make_font(tmp_path / "drawn-Regular.ttf")
    book = FontBook(FONT_FOLDER, tmp_path)
    words, family = SCRIPTS[script]
    block = Typesetter(book, {}).typeset_text_as_large_as_box_allows(
        words, Rect(0, 0, 200, 30), TextStyle(family=family, size=12)
    )
    checked = 0
    for node in block.nodes:
        if isinstance(node, Glyphs):
            font = book[node.pieces[0][1].font]
            shown = f"BT [{PdfFont(font, 'F1').format_tj_array_of_line(node.pieces, node.size)}] TJ ET"
            meant = list(_meant(node))
            assert [glyph for glyph, *_ in meant] == [glyph for glyph, *_ in _read(shown, font, meant)]
            for (glyph, x, up), (_, x_read, up_read) in zip(meant, _read(shown, font, meant), strict=True):
                assert x_read == pytest.approx(x, abs=len(meant) + 2), glyph  # each number is rounded
                assert up_read == pytest.approx(up, abs=0.1), glyph
                checked += 1
    assert checked >= len(words.replace(" ", "")) // 2


def _meant(line: Glyphs) -> Iterator[tuple[int, float, float]]:
    """Each glyph of a line, its place and height in thousandths of an em."""
    for start, shape in line.pieces:
        x = start * 1000 / (line.size * MM_PER_PT)
        offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
        for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
            yield glyph, x + right, up
            x += advance


def _read(shown: str, font: Font, meant: list[tuple[int, float, float]]) -> list[tuple[int, float, float]]:
    """The same as qpdf reads it, without the spaces that stand in gaps."""
    x, up, found = 0.0, 0.0, []
    space = font.hb_font.get_nominal_glyph(0x20)
    wanted = {glyph for glyph, *_ in meant}
    pdf = pikepdf.new()
    for instruction in pikepdf.parse_content_stream(pdf.make_stream(shown.encode())):
        if str(instruction.operator) == "Ts":
            up = float(instruction.operands[0]) / 12 * 1000
        for part in instruction.operands[0] if str(instruction.operator) == "TJ" else ():
            if not isinstance(part, pikepdf.String):
                x -= float(part)
                continue
            code = bytes(part)
            for at in range(0, len(code), 2):
                glyph = int.from_bytes(code[at : at + 2], "big")
                if glyph != space or space in wanted:
                    found.append((glyph, x, up))
                x += font.get_glyph_advance_in_thousandths(glyph)
    return found


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"BT [<0041>-28-77<0042>] TJ ET", "cannot be parsed"),
        (b"BT [<004>] TJ ET", "half a glyph"),
        (b"q 1 0 0 1 0 cm Q", "cm wants"),
        (b"q", "ends without Q"),
        (b"Q", "was not opened"),
        (b"/X1 Do", "do not have"),
        (b"1 2 moveto", "no operator"),
    ],
)
def test_it_notices(content: bytes, said: str) -> None:
    pdf = pikepdf.new()
    with pytest.raises(Unreadable, match=said):
        _check(pdf.make_stream(content), pikepdf.Dictionary())

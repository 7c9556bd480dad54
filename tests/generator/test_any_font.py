"""Fonts as strangers bring them: OpenType, collections, variable fonts, odd files, colours; and what supplies signs."""

from __future__ import annotations

import io
import shutil
from collections.abc import Mapping
from pathlib import Path

import pikepdf
import pytest
import resvg_py
from fontTools.cffLib import CFFFontSet
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTCollection, TTFont
from fontTools.ttLib.tables.TupleVariation import TupleVariation
from PIL import Image, ImageChops, ImageStat

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Face, Glyphs, Rect
from playproof.generator.svg import render_face_to_svg_text
from playproof.generator.type import fonts
from playproof.generator.type.fonts import FONT_FOLDER, FontBook, UnknownFont, load_project_and_game_fonts
from playproof.generator.type.typesetter import TextStyle, Typesetter
from tests.generator.makers import front, make_game, make_layouts, pdf_of, words_of

BOX = [(0, 0), (0, 700), (500, 700), (500, 0)]
LETTERS = {"d": 100, "p": 101, "A": 65, "B": 66, " ": 32}


@pytest.fixture
def own(tmp_path: Path) -> Path:
    (tmp_path / "fonts").mkdir()
    return tmp_path / "fonts"


def builder(cubic: bool, family: str, chars: Mapping[str, int] = LETTERS) -> FontBuilder:
    """A font whose letters are boxes with a notch."""
    made = FontBuilder(1000, isTTF=not cubic)
    names = [".notdef", *(f"c{code}" for code in chars.values())]
    made.setupGlyphOrder(names)
    made.setupCharacterMap({code: f"c{code}" for code in chars.values()})
    drawings = {}
    for name in names:
        pen = T2CharStringPen(600, None) if cubic else TTGlyphPen(None)
        if name != "c32":
            pen.moveTo(BOX[0])
            for point in [*BOX[1:], (250, int(name[1:]) if name[1:].isdigit() else 9)]:
                pen.lineTo(point)
            pen.closePath()
        drawings[name] = pen.getCharString() if cubic else pen.glyph()
    if cubic:
        made.setupCFF(family, {}, drawings, {})
    else:
        made.setupGlyf(drawings)
    made.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    made.setupHorizontalHeader(ascent=800, descent=-200)
    made.setupNameTable({"familyName": family, "styleName": "Regular", "psName": family.replace(" ", "")})
    made.setupOS2(sTypoAscender=800, usWeightClass=400)
    made.setupPost()
    return made


def face_of(book: FontBook, text: str, **style: object) -> Face:
    block = Typesetter(book, {}).typeset_text_as_large_as_box_allows(
        text, Rect(3, 3, 54, 54), TextStyle(**{"size": 24.0, **style})
    )  # type: ignore[arg-type]
    assert not block.problems, block.problems
    return Face("face", 60, 60, block.nodes)


def fonts_in(face: Face) -> list[str]:
    return [shape.font for node in face.nodes if isinstance(node, Glyphs) for _, shape in node.pieces]


def difference(face: Face, book: FontBook) -> float:
    """How far the PDF, as pdfium draws it, and the SVG, as resvg does, are apart: the mean of 255."""
    from playproof.generator.type.fonts import use_fonts_as_default_within

    with use_fonts_as_default_within(book):
        [first] = render_faces_at_exact_pixels([face], (240, 240))
    svg = render_face_to_svg_text(face, fonts=book)
    drawn = Image.open(
        io.BytesIO(bytes(resvg_py.svg_to_bytes(svg_string=svg, width=240, height=240, dpi=96, background="white")))
    )
    apart = ImageChops.difference(first.convert("L"), drawn.convert("L"))
    return float(ImageStat.Stat(apart).mean[0])


def darkness(face: Face, book: FontBook) -> float:
    from playproof.generator.type.fonts import use_fonts_as_default_within

    with use_fonts_as_default_within(book):
        [first] = render_faces_at_exact_pixels([face], (240, 240))
    return 255 - float(ImageStat.Stat(first.convert("L")).mean[0])


class TestFiles:
    def test_an_opentype_font_is_embedded_as_cff(self, own: Path) -> None:
        builder(True, "Boxes").save(own / "Boxes.otf")
        book = load_project_and_game_fonts(own.parent)
        face = face_of(book, "AB AB", family="boxes")
        pdf = pdf_of(face, fonts=book)
        with pikepdf.open(io.BytesIO(pdf)) as document:
            [font] = (
                document.pages[0].Resources.Font.values()
                if "/Font" in document.pages[0].Resources
                else _fonts(document)
            )
            descendant = font.DescendantFonts[0]
            stream = descendant.FontDescriptor.FontFile3
            assert (descendant.Subtype, stream.Subtype) == ("/CIDFontType0", "/CIDFontType0C")
            program = CFFFontSet()
            program.decompile(io.BytesIO(stream.read_bytes()), None)
            assert not hasattr(program[0], "ROS"), "glyph numbers stand for themselves"
            assert [float(width) for width in descendant.W[1]] == [600]
        assert words_of(pdf).strip() == "AB AB"
        assert difference(face, book) < 1.5 < darkness(face, book)

    def test_a_collection_gives_each_of_its_fonts(self, own: Path) -> None:
        several = TTCollection()
        several.fonts = [TTFont(FONT_FOLDER / "AlegreyaSans-Bold.ttf"), TTFont(FONT_FOLDER / "Merienda-Bold.ttf")]
        for number, font in enumerate(several.fonts):
            for name in list(font["name"].names):
                if name.nameID in (1, 16):
                    font["name"].setName(f"Several {number}", name.nameID, 3, 1, 0x409)
        several.save(own / "Several.ttc")
        book = load_project_and_game_fonts(own.parent)
        for family in ("Several 0", "several1"):
            face = face_of(book, "Abc", family=family, bold=True)
            assert difference(face, book) < 1.5 < darkness(face, book)
        assert book["several0-bold"].get_glyph_advance_in_thousandths(40) != book[
            "several1-bold"
        ].get_glyph_advance_in_thousandths(40)

    def test_a_variable_font_has_cuts_by_its_family_name(self, own: Path) -> None:
        made = builder(False, "Boxes Flex")
        made.setupFvar([("wght", 100, 400, 900, "Weight")], [])
        wider = [(0, 0), (0, 0), (90, 0), (90, 0), (0, 0), (0, 0), (200, 0), (0, 0), (0, 0)]
        made.setupGvar(
            {f"c{code}": [TupleVariation({"wght": (0, 1, 1)}, wider)] for code in LETTERS.values() if code != 32}
        )
        made.save(own / "BoxesFlex[wght].TTF")
        book = load_project_and_game_fonts(own.parent)
        regular, bold = (face_of(book, "AB", family="Boxes Flex", bold=bold) for bold in (False, True))
        assert (fonts_in(regular), fonts_in(bold)) == (["boxesflex-regular"], ["boxesflex-bold"])
        assert bold.nodes[0].width > regular.nodes[0].width  # type: ignore[union-attr]
        assert darkness(bold, book) > darkness(regular, book)
        for face in (regular, bold):
            assert difference(face, book) < 1.5, "the PDF holds the cut, not the default"
        assert b"fvar" not in book["boxesflex-bold"].build_font_program_of_glyphs([3])

    def test_an_odd_file_that_nothing_uses_stops_nothing(self, own: Path) -> None:
        (own / "Web.woff2").write_bytes(b"wOF2" + bytes(40))
        (own / "Empty.ttf").write_bytes(b"\0\1\0\0" + bytes(40))
        (own / "Notes.txt").write_text("no font", "utf-8")
        shutil.copy(FONT_FOLDER / "Merienda-Bold.ttf", own / "Loud.TTF")
        book = load_project_and_game_fonts(own.parent)
        assert [finding.message.partition(":")[0] for finding in book.iter_unreadable_font_file_warnings()] == [
            "Empty.ttf",
            "Web.woff2",
        ]
        assert "loud-regular" in book
        with pytest.raises(UnknownFont, match=r"Web\.woff2: expected a TrueType or OpenType font"):
            book["web-regular"]

    def test_a_font_of_colours_alone_says_what_it_cannot_draw(self, own: Path) -> None:
        made = builder(False, "Colours", {"A": 65, "☺": 0x263A})
        made.setupCOLR({"c9786": [("c65", 0)]})
        made.setupCPAL([[(1, 0, 0, 1)]])
        font = made.font
        font["glyf"]["c9786"] = TTGlyphPen(None).glyph()
        font.save(own / "Colours.ttf")
        book = load_project_and_game_fonts(own.parent)
        face = face_of(book, "A ☺", family="colours")
        assert fonts_in(face) == ["colours-regular", "notosanssymbols-regular"]
        assert (
            Typesetter(book, {})
            .typeset_text_as_large_as_box_allows("ꓐ", Rect(0, 0, 9, 9), TextStyle(family="colours"))
            .problems
        )


def _fonts(document: pikepdf.Pdf) -> list[pikepdf.Object]:
    return [
        each for each in document.objects if isinstance(each, pikepdf.Dictionary) and each.get("/Subtype") == "/Type0"
    ]


class TestFallback:
    def test_signs_are_taken_one_by_one(self) -> None:
        book = FontBook(FONT_FOLDER)
        face = face_of(book, "K♥ a⇒b ★✓⚅ 😀", family="merienda", bold=True, size=12.0)
        assert set(fonts_in(face)) == {"merienda-bold", "notosanssymbols-regular", "notoemoji-regular"}
        shapes = [shape for node in face.nodes if isinstance(node, Glyphs) for _, shape in node.pieces]
        assert {shape.text for shape in shapes if shape.font == "merienda-bold"} == {"K", "a", "b"}
        assert words_of(pdf_of(face, fonts=book)).split() == ["K♥", "a⇒b", "★✓⚅", "😀"]
        assert difference(face, book) < 1.5

    @pytest.mark.parametrize(
        "signs", ["♠♣♥♦♤♧♡♢", "★☆✦✪", "✓✔✗✘☐☑☒✅❌", "←↑→↓↔⇐⇒⇔↺↻➔➜", "⚀⚁⚂⚃⚄⚅", "①②⑨❶", "🂡🃁", "👨‍👩‍👧❤️🎲🏆"]
    )
    def test_common_signs_are_drawn_in_every_family(self, signs: str) -> None:
        setter = Typesetter(FontBook(FONT_FOLDER), {})
        for family in ("alegreya", "cinzel"):
            assert (
                setter.typeset_text_as_large_as_box_allows(
                    signs, Rect(0, 0, 90, 30), TextStyle(family=family, bold=True)
                ).problems
                == ()
            )
        assert not setter.shaper.substituted, "signs have no face that would change"

    def test_a_word_stays_in_one_face_and_the_games_own_fonts_come_first(self, own: Path) -> None:
        letters = {char: ord(char) for char in "Łódź dpAB"}
        builder(False, "Polish", letters).save(own / "Polish.ttf")
        own_book = load_project_and_game_fonts(own.parent)
        assert fonts_in(face_of(own_book, "Łódź", family="merienda", bold=True)) == ["polish-regular"]
        assert fonts_in(face_of(FontBook(FONT_FOLDER), "Łódź", family="almendra", bold=True)) == ["alegreya-bold"]

    def test_a_sign_beside_hebrew_stands_on_its_left(self) -> None:
        face = face_of(FontBook(FONT_FOLDER), "קלף♥", family="notoserifhebrew")
        places = {
            shape.font: node.x + start
            for node in face.nodes
            if isinstance(node, Glyphs)
            for start, shape in node.pieces
        }
        assert places["notosanssymbols-regular"] < places["notoserifhebrew-regular"]

    def test_what_no_font_draws_is_refused_at_its_cell(self, tmp_path: Path) -> None:
        game = load_game(make_game(tmp_path / "game"))
        looks = LayoutRenderer(game, make_layouts(tmp_path / "looks", card=front('{text: "ሀሁ ♥"}')))
        with pytest.raises(
            InputError, match=r"PP502 .*no glyph for 'ሀሁ' \(U\+1200 and 1 more\).*fonts/ beside the game's layouts"
        ):
            looks.draw_face_or_raise(game.components["a1"])

    def test_han_letters_are_those_of_the_games_language(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The extra `cjk` brings one collection, with a font for each language."""
        several = TTCollection()
        for name, notch in (("JP", 100), ("KR", 200), ("SC", 300), ("TC", 400), ("HK", 500), ("Mono JP", 600)):
            saved = io.BytesIO()
            builder(True, f"Noto Sans CJK {name}", {"\u65e5": notch, "\u672c": notch + 1}).save(saved)
            several.fonts.append(TTFont(saved))
            cmap = {0x65E5: f"c{notch}", 0x672C: f"c{notch + 1}"}
            for table in several.fonts[-1]["cmap"].tables:
                table.cmap = cmap
        several.save(tmp_path / "NotoSansCJK-Regular.ttc")
        monkeypatch.setattr(fonts, "find_cjk_font_file_or_none", lambda: tmp_path / "NotoSansCJK-Regular.ttc")
        for languages, family in ((["en"], "sc"), (["ja"], "jp"), (["en", "zh-TW"], "tc"), (["ko"], "kr")):
            book = FontBook(FONT_FOLDER, languages=languages)
            face = face_of(book, "\u65e5\u672c", family="alegreya", bold=True)
            assert fonts_in(face) == [f"notosanscjk{family}-regular"]
            assert difference(face, book) < 1.5 < darkness(face, book)

    def test_without_them_the_message_names_the_extra(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fonts, "find_cjk_font_file_or_none", lambda: None)
        game = load_game(make_game(tmp_path / "game"))
        looks = LayoutRenderer(
            game, make_layouts(tmp_path / "looks", card=front('{text: "\ud55c"}')), fonts=FontBook(FONT_FOLDER)
        )
        with pytest.raises(InputError, match=r"PP502 .*playproof\[cjk\].*, or put a font"):
            looks.draw_face_or_raise(game.components["a1"])

"""The PDF back-end: embedded fonts, boxes, text that copies, parts stored once, the same bytes every time."""

from __future__ import annotations

import zlib
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace

import pikepdf
import pypdfium2
import pytest
from PIL import Image as Pillow

from playproof.generator.art.icons import IconLibrary
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.pdf import Metadata, PdfPartPool, render_pages_to_pdf_bytes, write_pages_to_pdf_file
from playproof.generator.scene import (
    BLACK,
    IDENTITY,
    Colour,
    Face,
    Group,
    Image,
    LinearGradient,
    Node,
    Page,
    Path as Shape,
    Placement,
    RadialGradient,
    Rect,
    Stop,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_circle_path,
    build_polygon_path,
    build_rectangle_path,
)
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.typesetter import TextStyle, Typesetter
from tests.generator.makers import page_of, pdf_of, picture_of, words_of

RED, BLUE, WHITE = Colour(1, 0, 0), Colour(0, 0, 1), Colour(1, 1, 1)
GREY = Colour(0.5, 0.5, 0.5)


def face(*nodes: Node, name: str = "face", bleed: float = 0.0) -> Face:
    return Face(name, 12, 8, nodes, bleed)


@pytest.fixture(scope="module")
def setter() -> Typesetter:
    return Typesetter(get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"))


def set_face(setter: Typesetter, text: str, **style: object) -> Face:
    block = setter.typeset_text_as_large_as_box_allows(text, Rect(2, 2, 80, 40), TextStyle(**style))  # type: ignore[arg-type]
    assert not block.problems
    return Face("text", 84, 44, block.nodes)


class TestText:
    def test_it_copies_with_spaces_accents_and_signs(self, setter: Typesetter) -> None:
        text = "Élan vital: fjords, affluent −2 → œuf “quoted” ½"
        assert words_of(pdf_of(set_face(setter, text, size=8))).replace("\r\n", " ") == text

    def test_every_font_is_embedded_and_a_subset(self, setter: Typesetter) -> None:
        pdf = pdf_of(set_face(setter, "Plain **bold** *italic* שלום"))
        with pikepdf.open(BytesIO(pdf)) as document:
            fonts = [each for each in document.objects if _is_font(each)]
            assert len(fonts) == 4
            for font in fonts:
                (descendant,) = font.DescendantFonts
                assert "+" in str(font.BaseFont)
                assert "/FontFile2" in descendant.FontDescriptor
                assert "/ToUnicode" in font
            assert b"Helvetica" not in pdf

    def test_only_the_glyphs_shown_are_embedded(self, setter: Typesetter) -> None:
        assert len(pdf_of(set_face(setter, "aaaa"))) < len(pdf_of(set_face(setter, "abcdefghijklmnop")))

    def test_type_stands_upright(self, setter: Typesetter) -> None:
        block = setter.typeset_text_as_large_as_box_allows("L", Rect(0, 0, 20, 20), TextStyle(size=40))
        picture = picture_of(Face("L", 12, 12, block.nodes)).split("\n")
        dark = [row for row in picture if "#" in row]
        assert dark[-1].count("#") > dark[0].count("#"), "\n".join(picture)


class TestPictures:
    def test_a_square_and_its_line(self) -> None:
        picture = picture_of(
            face(build_rectangle_path(Rect(2, 2, 6, 4), BLACK), build_rectangle_path(Rect(9, 1, 2, 6), GREY))
        )
        assert picture == "\n".join(
            ["............"] + [".........++."] + ["..######.++."] * 4 + [".........++."] + ["............"]
        )

    def test_even_odd_leaves_a_hole(self) -> None:
        outer, inner = build_rectangle_path(Rect(1, 1, 9, 6)), build_rectangle_path(Rect(4, 3, 3, 2))
        ring = Shape((*outer.commands, *inner.commands), BLACK, None, even_odd=True)
        assert picture_of(face(ring)).split("\n")[3] == ".###...###.."

    def test_a_drawing_in_units_of_its_own_is_not_rounded(self) -> None:
        """A unit may be a whole card, or more: here a thousand are 12 mm wide."""
        square = build_rectangle_path(Rect(0.002, 0.002, 0.006, 0.004), BLACK)
        symbol = Symbol("tiny", Rect(0, 0, 0.012, 0.008), (square,))
        tiny, whole = Use(symbol, Transform.scale(1000)), build_rectangle_path(Rect(2, 2, 6, 4), BLACK)
        assert picture_of(face(tiny)) == picture_of(face(whole))

    def test_a_transform_inside_a_clip(self) -> None:
        square = build_rectangle_path(Rect(0, 0, 2, 2), BLACK)
        moved = Group((square,), Transform.scale(2).then(Transform.move(3, 2)))
        clipped = Group((build_rectangle_path(Rect(0, 0, 12, 8), BLACK),), clip=build_rectangle_path(Rect(9, 0, 2, 2)))
        assert picture_of(face(moved, clipped)).split("\n") == [
            ".........##.",
            ".........##.",
            *["...####....."] * 4,
            "............",
            "............",
        ]

    def test_a_rotated_placement_keeps_its_picture(self) -> None:
        card = face(build_rectangle_path(Rect(0, 0, 4, 2), BLACK))
        turned = Placement(card, Transform.rotate(90).then(Transform.move(8, 0)))
        page = render_pages_to_pdf_bytes([Page(8, 12, (turned,))], metadata=Metadata("t"))
        assert page.count(b"/Subtype /Form") == 0  # what is used once stands on the page itself
        wrapped = Face("wrapped", 8, 12, (Group(card.nodes, turned.transform),))
        assert picture_of(wrapped).split("\n")[:5] == ["......##", "......##", "......##", "......##", "........"]

    def test_gradients_run_from_stop_to_stop(self) -> None:
        ramp = LinearGradient(0, 0, 12, 0, (Stop(0, BLACK), Stop(0.5, GREY), Stop(1, WHITE)))
        row = picture_of(face(build_rectangle_path(Rect(0, 0, 12, 8), ramp))).split("\n")[4]
        assert row[0] == "#"
        assert row[-1] == "."
        assert row == "".join(sorted(row, key="#+.".index))
        glow = RadialGradient(6, 4, 4, (Stop(0, BLACK), Stop(1, WHITE)))
        assert picture_of(face(build_rectangle_path(Rect(0, 0, 12, 8), glow))).split("\n")[4][6] == "#"

    def test_a_see_through_group_is_one_layer(self) -> None:
        both = (build_circle_path(5, 4, 3, BLACK), build_circle_path(7, 4, 3, BLACK))
        row = picture_of(face(Group(both, opacity=0.5))).split("\n")[4]
        assert "#" not in row
        assert row.count("+") >= 7

    def test_dashes(self) -> None:
        dashed = Shape((("M", (0, 4)), ("L", (12, 4))), None, Stroke(BLACK, 2, (3, 3)))
        assert picture_of(face(dashed)).split("\n")[3] == "###...###..."

    def test_an_image_is_cropped_in_the_file(self, tmp_path: Path) -> None:
        picture = Pillow.new("RGB", (4, 2), "white")
        picture.putpixel((3, 0), (0, 0, 0))
        picture.putpixel((3, 1), (0, 0, 0))
        picture.save(tmp_path / "p.png")
        whole = face(Image(tmp_path / "p.png", Rect(0, 0, 12, 8)))
        half = face(Image(tmp_path / "p.png", Rect(0, 0, 12, 8), Rect(0.5, 0, 0.5, 1)))
        assert picture_of(whole).split("\n")[4].endswith("###")
        assert picture_of(half).split("\n")[4].endswith("#####")
        with pikepdf.open(BytesIO(pdf_of(half))) as document:
            images = [each for each in document.objects if _is(each, "/Image")]
            assert [int(image.Width) for image in images] == [2]


class TestStructure:
    def test_boxes_are_exact_in_points(self) -> None:
        card = Face("card", 63.5, 88.9, (), 3)
        box = Rect(3, 3, 63.5, 88.9)
        page = Page(69.5, 94.9, (Placement(card, Transform.move(3, 3), 3),), (), box, box.expand(3))
        with pikepdf.open(BytesIO(render_pages_to_pdf_bytes([page], metadata=Metadata("t")))) as document:
            trim = [float(edge) for edge in document.pages[0].TrimBox]
            assert trim[2] - trim[0] == pytest.approx(180)
            assert trim[3] - trim[1] == pytest.approx(252)
            assert [float(edge) for edge in document.pages[0].BleedBox] == [
                float(edge) for edge in document.pages[0].MediaBox
            ]

    def test_a_face_is_stored_once_however_often_it_is_placed(self) -> None:
        card = face(build_circle_path(6, 4, 3, RED))
        placements = tuple(Placement(card, Transform.move(12 * at, 0)) for at in range(9))
        pdf = render_pages_to_pdf_bytes([Page(120, 8, placements)] * 3, metadata=Metadata("t"))
        with pikepdf.open(BytesIO(pdf)) as document:
            assert sum(_is(each, "/Form") for each in document.objects) == 1

    def test_a_large_face_is_compressed_once_for_all_files(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Sheets of two papers and the file of everything hold the same rich cards."""
        lengths: list[int] = []

        def compress(data: bytes, level: int) -> bytes:
            lengths.append(len(data))
            return zlib.compress(data, level)

        counting = SimpleNamespace(compress=compress)
        for module in ("part_pool", "content"):
            monkeypatch.setattr(f"playproof.generator.pdf.{module}.zlib", counting)
        card = face(*(build_circle_path(6, 4, at / 100, RED) for at in range(1, 101)))
        pool = PdfPartPool(get_fonts_of_game_in_export_or_project())
        for paper in (20, 30, 40):
            render_pages_to_pdf_bytes(
                [Page(paper, paper, (Placement(card, IDENTITY),))], metadata=Metadata("t"), pool=pool
            )
        assert sum(length > 4096 for length in lengths) == 1

    def test_a_symbol_is_stored_once(self) -> None:
        symbol = Symbol("dot", Rect(0, 0, 2, 2), (build_circle_path(1, 1, 1, RED),))
        cards = [face(*(Use(symbol, Transform.move(at, 0)) for at in range(3)), name=str(n)) for n in range(3)]
        with pikepdf.open(BytesIO(pdf_of(*cards))) as document:
            assert sum(_is(each, "/Form") for each in document.objects) == 2  # the symbol and the one face

    def test_bleed_is_cut_at_what_the_placement_prints(self) -> None:
        card = Face("card", 4, 4, (build_rectangle_path(Rect(-2, -2, 8, 8), BLACK),), 2)
        for bleed, dark in ((0.0, 16), (1.0, 36), (9.0, 64)):
            placed = Placement(card, Transform.move(4, 4), bleed)
            pdf = render_pages_to_pdf_bytes([Page(12, 12, (placed,))], metadata=Metadata("t"))
            assert _dark_millimetres(pdf) == pytest.approx(dark, rel=0.05)

    def test_the_same_pages_give_the_same_bytes(self, setter: Typesetter, tmp_path: Path) -> None:
        card = set_face(setter, "Same **again** :food:")
        fresh = Typesetter(get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"))
        again = set_face(fresh, "Same **again** :food:")
        write_pages_to_pdf_file([page_of(card)], tmp_path / "a.pdf", metadata=Metadata("test"))
        assert (tmp_path / "a.pdf").read_bytes() == pdf_of(again)

    def test_a_pool_that_has_seen_more_gives_the_same_bytes(self, setter: Typesetter) -> None:
        one, other = set_face(setter, "One"), set_face(setter, "Other words entirely")
        pool = PdfPartPool(get_fonts_of_game_in_export_or_project())
        pdf_of(other, pool=pool)
        assert pdf_of(one, pool=pool) == pdf_of(one)

    @pytest.mark.parametrize("nought", [0.0, -0.0])
    def test_no_nought_has_a_sign_that_depends_on_what_was_drawn_before(self, nought: float) -> None:
        turned = Group((build_rectangle_path(Rect(0, 0, 2, 2), BLACK),), Transform(2.125, nought, nought, 2.125, 1, 1))
        with pikepdf.open(BytesIO(pdf_of(face(turned)))) as document:
            assert b"2.125 0 0 2.125 " in document.pages[0].Contents.read_bytes()

    def test_metadata(self) -> None:
        data = render_pages_to_pdf_bytes([page_of(face())], metadata=Metadata("Théâtre <1>", "A & B", language="fr"))
        with pikepdf.open(BytesIO(data)) as document:
            assert str(document.docinfo.Title) == "Théâtre <1>"
            assert str(document.Root.Lang) == "fr"
            xmp = bytes(document.Root.Metadata.read_bytes()).decode()
            assert "Théâtre &lt;1&gt;" in xmp
            assert "A &amp; B" in xmp


class TestColourSpaces:
    def test_cmyk_files_hold_no_rgb(self, setter: Typesetter, tmp_path: Path) -> None:
        Pillow.new("RGB", (2, 2), "red").save(tmp_path / "p.png")
        ramp = LinearGradient(0, 0, 12, 0, (Stop(0, RED), Stop(1, BLUE)))
        card = face(
            build_rectangle_path(Rect(0, 0, 5, 5), ramp, Stroke(RED, 1)),
            build_polygon_path(((0, 0), (1, 0), (1, 1)), BLUE),
            Image(tmp_path / "p.png", Rect(0, 0, 2, 2)),
        )
        data = pdf_of(card, colour_space="cmyk")
        with pikepdf.open(BytesIO(data)) as document:
            assert not [each for each in document.objects if b"DeviceRGB" in each.unparse()]
            for each in document.objects:
                if _is(each, "/Form"):
                    operators = {str(i.operator) for i in pikepdf.parse_content_stream(each)}
                    assert not operators & {"rg", "RG"}
                    assert {"k", "K"} <= operators

    def test_where_there_is_no_transparency_it_is_refused(self) -> None:
        card = face(Group((build_circle_path(6, 4, 3, RED),), opacity=0.5))
        with pytest.raises(ValueError, match="transparency"):
            pdf_of(card, transparency=False)
        assert pdf_of(face(Group((build_circle_path(6, 4, 3, RED),))), transparency=False)


def _is_font(each: object) -> bool:
    return isinstance(each, pikepdf.Dictionary) and str(each.get("/Subtype", "")) == "/Type0"


def _is(each: object, subtype: str) -> bool:
    return isinstance(each, pikepdf.Stream) and str(each.get("/Subtype", "")) == subtype


def _dark_millimetres(pdf: bytes) -> float:
    with pypdfium2.PdfDocument(pdf) as document:
        image = document[0].render(scale=20 * 25.4 / 72).to_pil().convert("L")
    return sum(level < 128 for level in image.tobytes()) / 400


class TestNames:
    """Icons are found as their names, in their places; print shops get none of it."""

    def face(self) -> Face:
        setter = Typesetter(
            get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"), names={"food": "Attack on Food"}
        )
        return Face(
            "f",
            60,
            20,
            setter.typeset_text_as_large_as_box_allows(
                "pay 2 :food: now", Rect(5, 5, 50, 10), TextStyle(size=10)
            ).nodes,
        )

    def test_a_name_is_searched_and_found_where_its_icon_is(self) -> None:
        face = self.face()
        (icon,) = [node for node in face.nodes if isinstance(node, Use)]
        with pypdfium2.PdfDocument(pdf_of(face)) as document:
            page = document[0].get_textpage()
            found = page.search("2\u00a0Attack on Food now").get_next()
            assert found is not None
            left, _, right, _ = page.get_charbox(found[0] + 3)
        box = icon.symbol.bounds.width * icon.transform.a
        assert left / 72 * 25.4 == pytest.approx(icon.transform.e, abs=0.02)
        assert (right - left) / 72 * 25.4 == pytest.approx(box, abs=0.02)

    def test_it_is_not_seen(self) -> None:
        plain = Face("f", 60, 20, tuple(n._replace(says=None) if isinstance(n, Use) else n for n in self.face().nodes))
        assert picture_of(self.face()) == picture_of(plain)

    def test_a_print_shop_gets_no_names(self) -> None:
        with pypdfium2.PdfDocument(pdf_of(self.face(), colour_space="cmyk")) as document:
            assert "Attack" not in document[0].get_textpage().get_text_range()

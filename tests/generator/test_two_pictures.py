"""Two pictures agree: what is drawn through the PDF by PDFium, and through the SVG by resvg, is one picture. The faces
are those of our games and of decks as strangers bring them (`strange_decks.py`): a sample here, all in `make walks`."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from PIL import Image, ImageChops, ImageStat

from playproof.database.errors import FindingCollector
from playproof.database.game import list_names_of_game_folders, load_game
from playproof.generator.art.picture_files import (
    BadPicture,
    NotDrawableAsVectors,
    read_raster_picture_or_raise_if_broken,
)
from playproof.generator.art.svg_pixels import render_svg_to_png_or_raise
from playproof.generator.art.svg_read import read_svg_file_as_symbol_or_raise
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import BLACK, Face, Glyphs, Image as Placed, Node, Rect, Transform, Use
from playproof.generator.svg import render_face_to_svg_text
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.shaping import Shaper
from playproof.generator.type.typesetter import TextStyle, Typesetter
from tests.generator.made_pictures import FRAMES, KINDS, draw_picture, float_tiff, on_white, write_picture
from tests.generator.strange_decks import CARDS, SCRIPTS, make_deck, make_font
from tests.generator.strange_svg import NOBODY_DRAWS, SVG_KINDS, draw_svg, nobodys
from tests.generator.two_pictures import APART, Compared, beside, compare, differ, drawn_by_resvg

FACES = int(os.environ.get("PLAYPROOF_FACES", "60"))  # of strange decks; `make walks` asks all 2,000
OURS = int(os.environ.get("PLAYPROOF_OUR_FACES", "4"))  # of each side of each game
KEPT = os.environ.get("PLAYPROOF_PICTURES", "")  # a folder for what differs, to look at
LIKE = 6.0  # of 255, the mean difference of a picture from what it should show; JPEG and AVIF are lossy


def _say(compared: Compared) -> str:
    if KEPT:
        beside(compared).save(Path(KEPT) / f"{compared.apart:05.1f} {compared.face.name}.png")
    x, y = compared.place
    return f"{compared.face.name}: {compared.apart:.0f} apart at {x:.0f}, {y:.0f} mm"


def _faces(looks: LayoutRenderer) -> list[Face]:
    """Every front that can be drawn. What a deck of chance sets too large is refused, and no face."""
    faces = []
    for component in looks.game.components.values():
        collector = FindingCollector()
        face = looks.get_or_draw_face_and_note_problems(component, "front", "en", collector)
        if face is not None and not collector.errors:
            faces.append(face)
    return faces


def test_two_pictures_of_strange_decks_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    different, drawn, seed = [], 0, 0
    while drawn < FACES:
        looks = make_deck(tmp_path / f"deck{seed}", seed)
        faces = [replace(face, name=f"deck {seed}, {face.name}") for face in _faces(looks)]
        assert len(faces) > CARDS // 2, f"deck {seed}: most of its cards are refused"
        different += [_say(each) for each in compare(faces, looks.fonts) if each.apart > APART]
        drawn, seed = drawn + len(faces), seed + 1
    if FACES > 100:
        with capsys.disabled():
            print(f"\n{drawn} faces of {seed} decks, {len(different)} differ")
    assert not different, "\n".join(different)


@pytest.mark.parametrize("name", list_names_of_game_folders())
def test_two_pictures_of_our_games_agree(name: str) -> None:
    looks = LayoutRenderer(load_game(name))
    components = [card for card in looks.game.components.values() if not looks.get_net_kind_or_empty(card)]
    different = []
    for side in ("front", "back"):
        sided = [card for card in components if looks.has_side(card, side)]
        step = max(1, len(sided) // OURS)
        faces = [looks.draw_face_or_raise(card, side, looks.game.languages[0]) for card in sided[::step][:OURS]]
        # no boards: a sheet of A3 takes long
        small = [face for face in faces if face.width * face.height < 20_000]
        different += [_say(each) for each in compare(small, looks.fonts) if each.apart > APART]
    assert not different, "\n".join(different)


@pytest.fixture(scope="module")
def shaper() -> Shaper:
    return Shaper(get_fonts_of_game_in_export_or_project())


def _by_pdf(node: Node, width: float, height: float, pixels: tuple[int, int]) -> Image.Image:
    (picture,) = render_faces_at_exact_pixels([Face("picture", width, height, (node,))], pixels)
    return picture


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_of_every_kind_prints_what_it_shows(kind: str, tmp_path: Path) -> None:
    meant = write_picture(kind, Random(kind), tmp_path / kind)
    picture = read_raster_picture_or_raise_if_broken(tmp_path / kind)
    assert (picture.width, picture.height) == meant.size
    assert bool(picture.remarks) == (kind in FRAMES)
    width, height = picture.width / 6, picture.height / 6
    face = Face(kind, width, height, (Placed(tmp_path / kind, Rect(0, 0, width, height)),))
    for drawn in (
        _by_pdf(face.nodes[0], width, height, meant.size),
        drawn_by_resvg(render_face_to_svg_text(face), meant.size),
    ):
        assert max(ImageStat.Stat(ImageChops.difference(drawn, meant)).mean) < LIKE


def test_pictures_that_differ_only_in_what_is_see_through_stay_different(tmp_path: Path) -> None:
    """Black marks of one size; one of them opaque; two of the same pixels in different colours of profile."""
    faces, meant = [], []
    for number in range(6):
        path = tmp_path / f"mark{number}.png"
        meant.append(on_white(draw_picture(Random(number), black=True)))
        draw_picture(Random(number), black=True).save(path)
        faces.append(Face(path.stem, 32, 24, (Placed(path, Rect(0, 0, 32, 24)),)))
    Image.new("RGB", meant[0].size).save(tmp_path / "opaque.png")
    faces.append(Face("opaque", 32, 24, (Placed(tmp_path / "opaque.png", Rect(0, 0, 32, 24)),)))
    meant.append(Image.new("RGB", meant[0].size))
    for drawn, shown in zip(render_faces_at_exact_pixels(faces, meant[0].size), meant, strict=True):
        assert max(ImageStat.Stat(ImageChops.difference(drawn, shown)).mean) < LIKE


def test_a_picture_of_measurements_is_refused_by_name(tmp_path: Path) -> None:
    float_tiff(tmp_path / "heights.tif")
    with pytest.raises(BadPicture, match=r"heights\.tif: .*32 bits"):
        read_raster_picture_or_raise_if_broken(tmp_path / "heights.tif")


@pytest.mark.parametrize("script", SCRIPTS)
def test_words_of_every_script_stand_alike(script: str, tmp_path: Path) -> None:
    """Marks beside the pen, to its left and right, above and below; words from the right."""
    from playproof.generator.type.fonts import FONT_FOLDER, FontBook

    make_font(tmp_path / "drawn-Regular.ttf")
    book = FontBook(FONT_FOLDER, tmp_path)
    words, family = SCRIPTS[script]
    block = Typesetter(book, {}).typeset_text_as_large_as_box_allows(
        words, Rect(2, 2, 56, 36), TextStyle(family=family, size=14, min_size=8)
    )
    assert not block.problems
    assert any(isinstance(node, Glyphs) for node in block.nodes)
    (compared,) = compare([Face(script, 60, 40, block.nodes)], book)
    assert compared.apart < APART / 2, _say(compared)


def _drawn(path: Path, shaper: Shaper) -> Image.Image:
    try:
        symbol = read_svg_file_as_symbol_or_raise(path, path.stem, shaper)
    except NotDrawableAsVectors:
        (path.parent / "pixels.png").write_bytes(render_svg_to_png_or_raise(path, 50, shaper))
        return _by_pdf(Placed(path.parent / "pixels.png", Rect(0, 0, 50, 50)), 50, 50, (300, 300))
    return _by_pdf(Use(symbol, Transform.scale(50 / symbol.bounds.width)), 50, 50, (300, 300))


@pytest.mark.parametrize("kind", SVG_KINDS)
def test_svg_of_every_kind_is_drawn_as_resvg_draws_it(kind: str, tmp_path: Path, shaper: Shaper) -> None:
    import resvg_py

    for number in range(2):
        text = draw_svg(kind, Random(f"{kind} {number}"))
        path = tmp_path / f"{number}.svg"
        path.write_text(text, "utf-8")
        if kind == "measured by style":  # resvg looks at attributes alone
            text = text.replace("rect style", "rect").replace("circle style", "circle").replace('="', " ")
            text = _as_attributes(path.read_text("utf-8"))
        fonts = [str(font.path) for font in shaper.book.fonts.values()]
        data = resvg_py.svg_to_bytes(
            svg_string=text, width=300, height=300, dpi=96, background="white", skip_system_fonts=True,
            font_files=fonts, sans_serif_family="Alegreya Sans",
        )  # fmt: skip
        (tmp_path / "other.png").write_bytes(bytes(data))
        with Image.open(tmp_path / "other.png") as other:
            apart, place = differ(_drawn(path, shaper), other.convert("RGB"))
        assert apart < APART / 2, f"{kind} {number}: {apart:.0f} at {place}"


def _as_attributes(text: str) -> str:
    """The same picture with what its styles say as attributes."""
    import re

    def written(match: re.Match[str]) -> str:
        pairs = (pair.split(":") for pair in match[1].split(";"))
        return " ".join(f'{name}="{value.removesuffix("px")}"' for name, value in pairs)

    return re.sub(r'style="([^"]*)"', written, text)


@pytest.mark.parametrize("name", NOBODY_DRAWS)
def test_what_nobody_draws_is_refused_by_name(name: str, tmp_path: Path, shaper: Shaper) -> None:
    path = tmp_path / "picture.svg"
    path.write_text(nobodys(name), "utf-8")
    with pytest.raises(BadPicture) as refused:
        _drawn(path, shaper)
    assert NOBODY_DRAWS[name][1] in str(refused.value)


def test_the_measure_sees_letters_torn_apart_and_pictures_exchanged() -> None:
    """Faults of the size that the measure is for, and the least that it must let pass."""
    white = Image.new("RGB", (360, 240), "white")
    word = Typesetter(get_fonts_of_game_in_export_or_project(), {}).typeset_text_as_large_as_box_allows(
        "Qua lua", Rect(5, 5, 50, 20), TextStyle(size=12)
    )
    moved = [node._replace(x=node.x + 3) if isinstance(node, Glyphs) else node for node in word.nodes]
    near = [node._replace(x=node.x + 0.15) if isinstance(node, Glyphs) else node for node in word.nodes]
    one, other, close = render_faces_at_exact_pixels(
        [Face("word", 60, 40, tuple(nodes)) for nodes in (word.nodes, moved, near)], white.size
    )
    assert differ(one, other)[0] > APART
    assert differ(one, close)[0] < APART / 2
    assert differ(one, white)[0] > APART
    assert BLACK

"""SVG as drawing programs write it: each file of `drawn/` is in one program's style, and looks as Chromium shows it."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageStat

from playproof.generator.art.picture_files import BadPicture, NotDrawableAsVectors
from playproof.generator.art.svg_pixels import read_png_size_in_pixels, render_svg_to_png_or_raise
from playproof.generator.art.svg_read import parse_svg_bytes_as_symbol_or_raise, read_svg_file_as_symbol_or_raise
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.scene import Face, Group, LinearGradient, Path as Shape, Symbol, Transform, Use
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.shaping import Shaper
from tests.table.conftest import CHROMIUM, QUIET

DRAWN = sorted((Path(__file__).parent / "drawn").glob("*.svg"))
WIDTH, HEIGHT = 240, 336
ALIKE = 1.6  # of 255, the mean difference; letters and edges are smoothed in different ways


@pytest.fixture(scope="module")
def shaper() -> Shaper:
    return Shaper(get_fonts_of_game_in_export_or_project())


def _placed(symbol: Symbol) -> Image.Image:
    box = symbol.bounds
    place = Transform(WIDTH / box.width, 0, 0, HEIGHT / box.height, 0, 0)
    (picture,) = render_faces_at_exact_pixels([Face("picture", WIDTH, HEIGHT, (Use(symbol, place),))], (WIDTH, HEIGHT))
    return picture


def _ours(file: Path, shaper: Shaper) -> Image.Image:
    try:
        return _placed(read_svg_file_as_symbol_or_raise(file, file.stem, shaper))
    except NotDrawableAsVectors:
        data = render_svg_to_png_or_raise(file, 50, shaper)
    with Image.open(BytesIO(data)) as opened:
        rgba = opened.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", rgba.size, "white"), rgba).convert("RGB").resize((WIDTH, HEIGHT))


def _fonts() -> str:
    """The fonts of the files, under the names that the files give them."""
    rules = []
    for name, weight, stem in (
        ("Alegreya", "normal", "Alegreya-Regular"),
        ("Alegreya", "bold", "Alegreya-Bold"),
        ("Alegreya-Bold", "normal", "Alegreya-Bold"),
        ("Alegreya Sans", "bold", "AlegreyaSans-Bold"),
    ):
        data = base64.b64encode((LAYOUTS / "fonts" / f"{stem}.ttf").read_bytes()).decode()
        address = f"data:font/ttf;base64,{data}"
        rules.append(f"@font-face{{font-family:'{name}';font-weight:{weight};src:url({address})}}")
    return "".join(rules)


def _difference(ours: Image.Image, other: Image.Image) -> float:
    return sum(ImageStat.Stat(ImageChops.difference(ours, other)).mean) / 3


@pytest.mark.needs("chromium")
def test_files_of_drawing_programs_look_as_chromium_shows_them(shaper: Shaper) -> None:
    playwright: Any = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.set_content(f"<style>{_fonts()}body{{margin:0}}svg:not(svg svg){{display:block}}</style><div></div>")
        differences = {}
        for file in DRAWN:
            text = file.read_text("utf-8")
            page.evaluate(
                """async ([text, width, height]) => {
                    const place = document.querySelector('div');
                    place.innerHTML = text;
                    const size = place.querySelector('svg').style;
                    [size.width, size.height] = [width + 'px', height + 'px'];
                    place.querySelector('svg').setAttribute('preserveAspectRatio', 'none');
                    place.getBoundingClientRect();
                    await document.fonts.ready;
                }""",
                [text[text.index("<svg") :], WIDTH, HEIGHT],
            )
            with Image.open(BytesIO(page.screenshot())) as shown:
                differences[file.stem] = _difference(_ours(file, shaper), shown.convert("RGB"))
        browser.close()
    assert len(differences) == 6
    assert {name: value for name, value in differences.items() if value >= ALIKE} == {}


def test_the_measure_notices_what_a_reader_may_drop(shaper: Shaper) -> None:
    """Without its clip, its gradient or its text, a picture is farther from itself than `ALIKE`."""
    text = (Path(__file__).parent / "drawn" / "illustrator.svg").read_text("utf-8")
    whole = _placed(parse_svg_bytes_as_symbol_or_raise(text.encode(), "whole", shaper))
    for part, without in (
        ("clip-path:url(#SVGID_2_);", ""),
        ("fill:url(#SVGID_3_);", "fill:#F2CC8F;"),
        ("Orchard", ""),
    ):
        assert part in text
        assert (
            _difference(
                _placed(parse_svg_bytes_as_symbol_or_raise(text.replace(part, without).encode(), "other", shaper)),
                whole,
            )
            > ALIKE
        )


def test_five_of_them_stay_lines_and_areas(shaper: Shaper) -> None:
    refused = {}
    for file in DRAWN:
        try:
            assert read_svg_file_as_symbol_or_raise(file, file.stem, shaper).children
        except NotDrawableAsVectors as error:
            refused[file.stem] = str(error)
    assert refused == {"fading": "'filter' cannot be drawn here"}


def test_of_two_rules_the_nearer_wins_and_important_above_it() -> None:
    body = (
        "<style>.a{fill:red} rect.a{fill:#00f;stroke:#0f0} #x{stroke:red!important}</style>"
        '<rect id="x" class="a" x="1" y="1" width="8" height="8" style="stroke:#00f"/>'
    )
    (shape,) = _symbol(body).children
    assert isinstance(shape, Shape)
    assert shape.fill is not None
    assert shape.stroke is not None
    assert (shape.fill[:3], shape.stroke.colour[:3]) == ((0, 0, 1), (1, 0, 0))


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ('<path d="M0 0h9v9z" style="transform:translate(9px,20px) rotate(45deg)"/>',
         '<path d="M0 0h9v9z" transform="translate(9,20) rotate(45)"/>'),
        ('<path d="M0 0h9v9z" style="fill:#d9d9d9;fill:color(display-p3 0.9 0.1 0.9);fill-opacity:1"/>',
         '<path d="M0 0h9v9z" fill="#d9d9d9"/>'),
        ('<path d="M0 0h9v9z" style="fill:rgb(255 0 51 / 40%)"/>',
         '<path d="M0 0h9v9z" fill="rgba(255,0,51,0.4)"/>'),
        ('<path d="M0 0h9v9z" style="fill:RebeccaPurple"/>', '<path d="M0 0h9v9z" fill="#639"/>'),
        ('<a href="https://example.org/shop" target="_blank"><path d="M0 0h9v9z"/></a>',
         '<path d="M0 0h9v9z"/>'),
        ('<switch><foreignObject requiredExtensions="&ns_ai;" width="1" height="1"/><g><path d="M0 0h9v9z"/></g>'
         "</switch>", '<path d="M0 0h9v9z"/>'),
        ("<style>@font-face{font-family:X;src:url(data:font/ttf;base64,AAAA)}"
         "@media (prefers-color-scheme: dark){path{fill:#fff}}</style>"
         '<path d="M0 0h9v9z"/>', '<path d="M0 0h9v9z"/>'),
    ],
)  # fmt: skip
def test_what_programs_write_newly_or_for_themselves_is_what_it_means_plainly(written: str, plain: str) -> None:
    address = "http://ns.adobe.com/AdobeIllustrator/10.0/"
    kind = f'<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x.dtd" [ <!ENTITY ns_ai "{address}"> ]>'
    frame = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90">{}</svg>'
    ours = parse_svg_bytes_as_symbol_or_raise((kind + frame.format(written)).encode(), "picture").children
    assert ours == parse_svg_bytes_as_symbol_or_raise(frame.format(plain).encode(), "picture").children


def test_a_name_for_more_than_an_address_is_refused() -> None:
    """An entity that holds others lets a small file grow without end."""
    inner = '<!ENTITY a "http://x"><!ENTITY b "&a;&a;">'
    text = f'<!DOCTYPE svg PUBLIC "" "" [{inner}]><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"/>'
    with pytest.raises(BadPicture, match="entities are refused"):
        parse_svg_bytes_as_symbol_or_raise(text.encode(), "picture")


def test_a_skewed_gradient_keeps_its_lines_of_one_colour() -> None:
    """By hand: the ends of the line x = 0..10, skewed by 45 degrees along x, still colour (0, 0) and (10, 0) alike."""
    body = (
        '<linearGradient id="g" gradientUnits="userSpaceOnUse" x1="0" y1="0" x2="10" y2="0"'
        ' gradientTransform="skewX(45)"><stop stop-color="red"/><stop offset="1" stop-color="blue"/></linearGradient>'
        '<rect width="10" height="10" fill="url(#g)"/>'
    )
    (shape,) = _symbol(body).children
    assert isinstance(shape, Shape)
    assert isinstance(shape.fill, LinearGradient)
    assert shape.fill[:4] == pytest.approx((0, 0, 5, -5))


def test_signs_in_a_text_are_taken_from_another_font(shaper: Shaper) -> None:
    def outlines(text: str) -> list[object]:
        body = f'<text y="9" font-size="4" font-family="Merienda" font-weight="bold">{text}</text>'
        return [command for shape in _symbol(body, shaper).children for command in shape.commands]  # type: ignore[union-attr]

    heart = Shaper(get_fonts_of_game_in_export_or_project()).shape_text_in_font_or_fallback(
        "notosanssymbols-regular", "♥", ()
    )
    drawn = get_fonts_of_game_in_export_or_project()["notosanssymbols-regular"].get_glyph_outline(heart.glyphs[0])
    assert len(outlines("K♥")) == len(outlines("K")) + len(drawn)


def test_a_font_that_the_game_lacks_is_named_and_not_replaced(shaper: Shaper, tmp_path: Path) -> None:
    text = '<text y="9" font-family="Myriad Pro">words</text>'
    with pytest.raises(BadPicture, match=r"no font 'Myriad Pro' \(regular\); turn the text into outlines"):
        _symbol(text, shaper)
    (tmp_path / "a.svg").write_text(_svg(f'<g filter="url(#f)">{text}</g>'))
    with pytest.raises(BadPicture, match="Myriad Pro"):
        render_svg_to_png_or_raise(tmp_path / "a.svg", 20, shaper)


@pytest.mark.parametrize(
    "body",
    [
        '<filter id="f"/><image filter="url(#f)" href="/etc/passwd"/>',
        '<filter id="f"/><image filter="url(#f)" href="http://example.org/a.png"/>',
        '<filter id="f"><feImage href="file:///etc/passwd"/></filter><g filter="url(#f)"/>',
        '<filter id="f"/><g filter="url(#f)" onload="x()"/>',
        '<filter id="f"/><g filter="url(#f)"><script>1</script></g>',
        '<filter id="f"/><style>g{filter:url(http://example.org/a.svg#f)}</style><g/>',
    ],
)
def test_as_pixels_too_nothing_is_run_or_fetched(body: str, shaper: Shaper, tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text(_svg(body))
    with pytest.raises(BadPicture, match="refused"):
        render_svg_to_png_or_raise(tmp_path / "a.svg", 20, shaper)


def test_pixels_are_six_hundred_to_the_inch(shaper: Shaper) -> None:
    (file,) = (file for file in DRAWN if file.stem == "fading")
    assert read_png_size_in_pixels(render_svg_to_png_or_raise(file, 25.4, shaper)) == (round(600 * 100 / 140), 600)


def test_a_picture_in_hundredths_of_a_millimetre_keeps_what_is_see_through() -> None:
    """A PDF cuts see-through groups to a square, which such units leave."""
    (group,) = parse_svg_bytes_as_symbol_or_raise(
        _svg('<path d="M5000 5000h900v900z" fill-opacity=".5"/>', 6000).encode(), "far"
    ).children
    assert isinstance(group, Group)
    (shape,) = group.children
    assert isinstance(shape, Shape)
    assert max(max(points, default=0) for _, points in shape.commands) < 2000


def _symbol(body: str, shaper: Shaper | None = None) -> Symbol:
    return parse_svg_bytes_as_symbol_or_raise(_svg(body).encode(), "picture", shaper)


def _svg(body: str, side: int = 10) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}">{body}</svg>'

"""Our reader of SVG against two others: fontTools for paths, resvg for whole pictures."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
import resvg_py
from fontTools.pens.areaPen import AreaPen
from fontTools.pens.basePen import AbstractPen
from fontTools.pens.boundsPen import BoundsPen
from fontTools.svgLib.path import parse_path as other_path
from PIL import Image, ImageChops, ImageStat

from playproof.generator.art.outlines import parse_svg_path_to_absolute_commands
from playproof.generator.art.svg_read import parse_svg_bytes_as_symbol_or_raise, read_svg_file_as_symbol_or_raise
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.scene import Command, Face, Symbol, Transform, Use

FILES = sorted(LAYOUTS.rglob("*.svg"))
SIDE = 128  # pixels
ALIKE = 3.0  # of 255, the mean difference; edges are smoothed in different ways
PATHS = [
    "M0 0l10 5h-3v4q5 5 9-2t4 4zm3 3a4 6 30 1 0 5 5z",
    "M10 80C40 10 65 10 95 80S150 150 180 80",
    "m1 1 2 2 3-3zM20,20A5,9,0,0,1,30,20A5 9 45 11 22 25z",
    "M.5.5-1-1e1 2 3",
]
BODIES = [
    '<g transform="rotate(30 50 50) scale(.8)"><rect x="20" y="10" width="50%" height="40" rx="9" fill="#c40"/></g>',
    '<circle cx="50" cy="50" r="30" fill="none" stroke="#048" stroke-width="9" stroke-dasharray="12 7"/>',
    '<path d="M10 10h80v80h-80zM30 30h40v40h-40z" fill="#360" fill-rule="evenodd"/>',
    '<g fill-opacity=".4"><ellipse cx="40" cy="50" rx="30" ry="20"/><rect x="40" y="40" width="50" height="50"/></g>',
    '<polygon points="50 5 95 90 5 90" display="none"/><polyline points="5 5 50 60 95 5" fill="none" stroke="red"'
    ' stroke-width="6" stroke-linejoin="round" stroke-linecap="round"/>',
    '<g style="fill:#808;opacity:.5"><path d="M10 50a40 25 20 1 1 60 20z"/></g>',
    '<g color="#c00"><circle cx="50" cy="50" r="40" fill="currentColor" stroke="CurrentColor"/></g>',
    '<rect x="20" y="20" width="60" height="60" style="fill:#c40;stroke:#000;stroke-width:24;'
    'paint-order:stroke fill markers"/>',
    '<rect x="5" y="5" width="80" height="40" rx="100"/><rect x="5" y="50" width="80" height="40" rx="30" ry="8"/>',
    '<rect width="90" height="90" fill="url(#nothing) #0a0"/>',
]


def drawn(commands: tuple[Command, ...], pen: AbstractPen) -> None:
    """Our commands with a pen of fontTools."""
    open_ = False
    for letter, points in commands:
        ends = [(points[at], points[at + 1]) for at in range(0, len(points), 2)]
        if letter == "M" and open_:
            pen.endPath()
        {"M": pen.moveTo, "L": pen.lineTo, "C": pen.curveTo, "Z": pen.closePath}[letter](*ends)
        open_ = letter != "Z"
    if open_:
        pen.endPath()


def paths() -> list[str]:
    found = [element.get("d", "") for file in FILES for element in ElementTree.parse(file).iter()]
    return list(dict.fromkeys([*PATHS, *(data for data in found if data)]))


def test_every_path_has_the_bounds_and_the_area_that_fonttools_finds() -> None:
    checked = 0
    for data in paths():
        ours, other = BoundsPen(None), BoundsPen(None)
        drawn(parse_svg_path_to_absolute_commands(data), ours)
        other_path(data, other)
        size = max(1.0, *(abs(edge) for edge in other.bounds))
        assert ours.bounds == pytest.approx(other.bounds, abs=2e-3 * size), data[:80]
        if _closed(data):
            mine, theirs = AreaPen(None), AreaPen(None)
            drawn(parse_svg_path_to_absolute_commands(data), mine)
            other_path(data, theirs)
            assert mine.value == pytest.approx(theirs.value, rel=5e-3, abs=1e-3 * size * size), data[:80]
            checked += 1
    assert checked > 100


def _closed(data: str) -> bool:
    """Whether all of its parts are closed: pens find no area of others."""
    return data.lower().count("m") == data.lower().count("z")


@pytest.mark.parametrize("file", FILES[::6], ids=lambda file: file.stem)
def test_pictures_of_the_house_look_as_resvg_draws_them(file: Path) -> None:
    assert _difference(read_svg_file_as_symbol_or_raise(file), file.read_text("utf-8")) < ALIKE


@pytest.mark.parametrize("body", BODIES)
def test_what_is_easily_misread_looks_as_resvg_draws_it(body: str) -> None:
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{body}</svg>'
    assert _difference(parse_svg_bytes_as_symbol_or_raise(text.encode(), "picture"), text) < ALIKE


def test_a_picture_drawn_wrong_is_noticed() -> None:
    """The measure itself: a dash pattern drawn solid, which our reader did once, is far from alike."""
    text = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100">{BODIES[1]}</svg>'
    solid = text.replace(' stroke-dasharray="12 7"', "")
    assert _difference(parse_svg_bytes_as_symbol_or_raise(solid.encode(), "picture"), text) > ALIKE


def _difference(symbol: Symbol, text: str) -> float:
    """The mean difference of the pixels, of 255."""
    bounds = symbol.bounds
    scale = SIDE / max(bounds.width, bounds.height)
    place = Transform(scale, 0, 0, scale, -bounds.x * scale, -bounds.y * scale)
    width, height = round(bounds.width * scale), round(bounds.height * scale)
    (ours,) = render_faces_at_exact_pixels(
        [Face("picture", bounds.width * scale, bounds.height * scale, (Use(symbol, place),))], (width, height)
    )
    # resvg rounds the sides of a picture without a size: 18.4 x 24 would be drawn as 18 x 24.
    sides = "" if " width=" in text.split(">", 1)[0] else f'width="{width}" height="{height}" '
    text = text.replace("<svg ", f"<svg {sides}", 1)
    data = bytes(resvg_py.svg_to_bytes(svg_string=text, width=width, height=height, background="white"))
    with Image.open(BytesIO(data)) as picture:
        other = picture.convert("RGB").resize((width, height))
    return sum(ImageStat.Stat(ImageChops.difference(ours, other)).mean) / 3


@pytest.mark.parametrize("fit", ["", "xMinYMid", "xMaxYMid meet"])
def test_a_picture_of_another_shape_than_its_view_box_stands_where_it_stands_elsewhere(fit: str) -> None:
    """What lies outside the view box and inside the picture's width shows too."""
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="10 0 50 50" width="40mm" height="20mm"'
        f' preserveAspectRatio="{fit}"><rect x="-20" y="5" width="45" height="20" fill="#c40"/>'
        '<circle cx="50%" cy="25" r="20"/></svg>'
    )
    symbol = parse_svg_bytes_as_symbol_or_raise(text.encode(), "wide")
    assert symbol.bounds.width == pytest.approx(2 * symbol.bounds.height)
    assert _difference(symbol, text.replace("40mm", "128").replace("20mm", "64")) < ALIKE

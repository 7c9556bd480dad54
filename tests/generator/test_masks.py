"""Crops and masks of pictures: what shows is what Pillow says should, through the PDF and through the SVG."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image as Pillow, ImageDraw

from playproof.database.errors import InputError
from playproof.database.game import load_game
from playproof.generator.exports.raster import render_faces_at_exact_pixels
from playproof.generator.layout.layout_renderer import LayoutRenderer
from playproof.generator.scene import Face, Group, Image, Use
from playproof.generator.svg import render_face_to_svg_text
from tests.generator.two_pictures import drawn_by_resvg

RED, GREEN, BLUE, GOLD = (200, 30, 30), (30, 160, 60), (30, 60, 200), (220, 180, 40)
QUARTERS = dict(zip(((0, 0), (1, 0), (0, 1), (1, 1)), (RED, GREEN, BLUE, GOLD), strict=True))
WHITE = (255, 255, 255)


@pytest.fixture
def deck(tmp_path: Path) -> Path:
    """A folder with one picture as JPEG and as SVG, four quarters of four colours, and masks."""
    (tmp_path / "layouts").mkdir()
    picture = Pillow.new("RGB", (400, 400))
    shapes = ""
    for (x, y), colour in QUARTERS.items():
        picture.paste(colour, (200 * x, 200 * y, 200 * x + 200, 200 * y + 200))
        shapes += f'<rect x="{20 * x}" y="{20 * y}" width="20" height="20" fill="rgb{colour}"/>'
    picture.save(tmp_path / "four.jpg", quality=98, subsampling=0)
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">{shapes}</svg>'
    (tmp_path / "four.svg").write_text(svg)
    mask = Pillow.new("L", (100, 100))
    ImageDraw.Draw(mask).rectangle((0, 0, 49, 99), fill=255)
    mask.save(tmp_path / "left-bright.png")
    clear = Pillow.new("RGBA", (100, 100))
    clear.putalpha(mask)
    clear.save(tmp_path / "left-solid.png")
    half = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 2 2"><path d="M0 0H1V2H0Z"/></svg>'
    (tmp_path / "left.svg").write_text(half)
    return tmp_path


def face_with(deck: Path, rows: str = "id,title\na,A\n", **element: Any) -> Face:
    layout = {"kind": "card", "size": [40, 40], "safe": 0, "front": {"elements": [{"box": "trim", **element}]}}
    (deck / "layouts" / "card.yaml").write_text(json.dumps(layout))
    (deck / "card.csv").write_text(rows)
    looks = LayoutRenderer(load_game(deck))
    return looks.draw_face_or_raise(list(looks.game.components.values())[-1])


def colours_of(face: Face, *places: tuple[float, float]) -> list[tuple[int, ...]]:
    """The nearest of the colours above at places in mm, which PDF and SVG agree on."""
    (by_pdf,) = render_faces_at_exact_pixels([face], (160, 160))
    by_svg = drawn_by_resvg(render_face_to_svg_text(face), (160, 160))
    found = []
    for x, y in places:
        seen = [picture.getpixel((round(4 * x), round(4 * y))) for picture in (by_pdf, by_svg)]
        near = [
            min((*QUARTERS.values(), WHITE), key=lambda c: sum(abs(a - b) for a, b in zip(c, one, strict=True)))
            for one in seen
        ]
        assert near[0] == near[1], seen
        found.append(near[0])
    return found


CORNERS = ((1, 1), (39, 1), (1, 39), (39, 39))


@pytest.mark.parametrize("file", ["four.jpg", "four.svg"])
def test_a_crop_shows_a_part_alone(deck: Path, file: str) -> None:
    assert colours_of(face_with(deck, image=file), *CORNERS) == [RED, GREEN, BLUE, GOLD]
    assert colours_of(face_with(deck, image=file, crop=[0.5, 0, 0.5, 0.5]), *CORNERS) == [GREEN] * 4
    wide = face_with(deck, image=file, crop=[0, 0.5, 1, 0.5], fit="contain")
    assert colours_of(wide, (1, 5), (39, 35), (1, 20), (39, 20)) == [WHITE, WHITE, BLUE, GOLD]
    stretched = face_with(deck, image=file, crop=[0, 0.5, 1, 0.5], fit="stretch")
    assert colours_of(stretched, *CORNERS) == [BLUE, GOLD, BLUE, GOLD]


def test_a_crop_may_differ_from_card_to_card(deck: Path) -> None:
    face = face_with(deck, "id,title,left\na,A,0\nb,B,1\n", image="four.jpg", crop=["int(left) / 2", 0, 0.5, 0.5])
    assert colours_of(face, (20, 20)) == [GREEN]


@pytest.mark.parametrize("file", ["four.jpg", "four.svg"])
@pytest.mark.parametrize("mask", ["left-bright.png", "left-solid.png", "left.svg", "M0 0H0.5V1H0Z"])
def test_a_mask_hides_what_it_does_not_show(deck: Path, file: str, mask: str) -> None:
    assert colours_of(face_with(deck, image=file, mask=mask), *CORNERS) == [RED, WHITE, BLUE, WHITE]
    part = face_with(deck, image=file, mask=mask, crop=[0, 0.5, 1, 0.5], fit="contain")
    assert colours_of(part, (1, 20), (15, 15), (39, 20), (1, 1)) == [BLUE, BLUE, WHITE, WHITE]


@pytest.mark.parametrize("file", ["four.jpg", "four.svg"])
@pytest.mark.parametrize("mask", ["ellipse", "circle", "hexagon"])
def test_a_shape_masks_and_the_picture_stays_what_it_is(deck: Path, file: str, mask: str) -> None:
    face = face_with(deck, image=file, mask=mask)
    assert colours_of(face, *CORNERS, (12, 12), (28, 28)) == [WHITE] * 4 + [RED, GOLD]
    kinds = {type(node) for node in walked(face.nodes)}
    assert kinds & {Image, Use} == ({Image} if file == "four.jpg" else {Use})
    assert not any(node.data for node in walked(face.nodes) if isinstance(node, Image))


def walked(nodes: Any) -> list[Any]:
    found = []
    for node in nodes:
        found += [node, *(walked(node.children) if isinstance(node, Group) else ())]
    return found


@pytest.mark.parametrize(
    ("element", "said"),
    [
        (
            {"crop": [0.5, 0, 0.6, 1]},
            r"PP634 card a: expected a crop that lies in the picture, found \[0.5, 0, 0.6, 1\]",
        ),
        ({"crop": [0, 0, 0, 1]}, "PP634"),
        ({"crop": [0, 0, 1]}, "PP206"),
        ({"mask": "elipse"}, 'PP634.*did you mean "ellipse"'),
        ({"mask": "torn.png"}, "PP634.*there is no picture 'torn.png', which `mask` names"),
        ({"mask": "M0 0 Z Z x"}, "cannot work out the path"),
    ],
)
def test_what_cannot_be_used_is_refused_by_name(deck: Path, element: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        face_with(deck, image="four.jpg", **element)

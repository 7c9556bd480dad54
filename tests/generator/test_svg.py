"""The SVG back-end: valid, self-contained, its words readable, the same text every time."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from PIL import Image as Pillow

from playproof.generator.art.icons import IconLibrary
from playproof.generator.layout.layout_files import LAYOUTS
from playproof.generator.scene import (
    BLACK,
    Colour,
    Face,
    Group,
    Image,
    LinearGradient,
    Rect,
    Stop,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_circle_path,
    build_rectangle_path,
)
from playproof.generator.svg import render_face_to_svg_text
from playproof.generator.type.fonts import get_fonts_of_game_in_export_or_project
from playproof.generator.type.typesetter import TextStyle, Typesetter

NS = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def face(tmp_path_factory: pytest.TempPathFactory) -> Face:
    picture = tmp_path_factory.mktemp("art") / "p.png"
    Pillow.new("RGB", (4, 4), "red").save(picture)
    words = Typesetter(
        get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons")
    ).typeset_text_as_large_as_box_allows("Élan :food: twice twice", Rect(2, 2, 40, 20), TextStyle())
    dot = Symbol("dot", Rect(0, 0, 2, 2), (build_circle_path(1, 1, 1, BLACK),))
    ramp = LinearGradient(0, 0, 50, 0, (Stop(0, BLACK), Stop(1, Colour(1, 1, 1))))
    nodes = (
        build_rectangle_path(Rect(-3, -3, 56, 36), ramp, Stroke(BLACK, 0.5, (1, 2), "round", "bevel")),
        *words.nodes,
        *(Use(dot, Transform.move(at, 20)) for at in (5, 10, 15)),
        Group((build_rectangle_path(Rect(0, 0, 5, 5), BLACK),), Transform.rotate(30), build_circle_path(2, 2, 2), 0.5),
        Image(picture, Rect(30, 20, 10, 5), Rect(0.25, 0, 0.5, 1)),
    )
    return Face("card & co", 50, 30, nodes, bleed=3)


def test_it_is_well_formed_and_measured_in_millimetres(face: Face) -> None:
    root = ElementTree.fromstring(render_face_to_svg_text(face, bleed=3))
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("56mm", "36mm", "-3 -3 56 36")
    assert ElementTree.fromstring(render_face_to_svg_text(face)).get("viewBox") == "0 0 50 30"


def test_words_are_outlines_with_their_text_beside(face: Face) -> None:
    root = ElementTree.fromstring(render_face_to_svg_text(face))
    labels = [group.get("aria-label") for group in root.iter(f"{NS}g") if group.get("aria-label")]
    assert "".join(filter(None, labels)).replace(" ", "") == "Élantwicetwice"
    assert not list(root.iter(f"{NS}text"))


def test_an_icon_says_its_name() -> None:
    setter = Typesetter(
        get_fonts_of_game_in_export_or_project(), IconLibrary(LAYOUTS / "icons"), names={"food": "Food"}
    )
    block = setter.typeset_text_as_large_as_box_allows("2 :food:", Rect(0, 0, 40, 20), TextStyle())
    root = ElementTree.fromstring(render_face_to_svg_text(Face("icon", 40, 20, block.nodes)))
    assert [use.get("aria-label") for use in root.iter(f"{NS}use") if use.get("aria-label")] == ["Food"]


def test_what_is_used_often_is_defined_once(face: Face) -> None:
    root = ElementTree.fromstring(render_face_to_svg_text(face))
    defs = next(root.iter(f"{NS}defs"))
    names = [element.get("id") for element in defs]
    assert len(names) == len(set(names))
    uses = [use.get("{http://www.w3.org/1999/xlink}href") for use in root.iter(f"{NS}use")]
    assert all(use and use[1:] in names for use in uses)
    assert len(uses) > len(set(uses))


def test_nothing_refers_outside_the_file(face: Face) -> None:
    for element in ElementTree.fromstring(render_face_to_svg_text(face)).iter():
        for key, value in element.attrib.items():
            if key.endswith("href"):
                assert value.startswith(("#", "data:image/png;base64,"))


def test_the_same_face_gives_the_same_text(face: Face) -> None:
    assert render_face_to_svg_text(face, bleed=3) == render_face_to_svg_text(face, bleed=3)

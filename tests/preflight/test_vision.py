"""Colours for all eyes."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from playproof.generator.preflight.colour_vision import (
    LEAST_DIFFERENCE,
    Swatch,
    colour_to_cielab_as_seen,
    list_findings_on_swatches_looking_alike,
)
from playproof.generator.scene import (
    BLACK,
    WHITE,
    Colour,
    Rect,
    build_circle_path,
    build_polygon_path,
    build_rectangle_path,
)

OKABE_ITO = ["#E69F00", "#56B4E9", "#009E73", "#F0E442", "#0072B2", "#D55E00", "#CC79A7", "#000000"]
CIRCLE = (build_circle_path(5, 5, 4, BLACK),)
SQUARE = (build_rectangle_path(Rect(1, 1, 8, 8), BLACK),)
TRIANGLE = (build_polygon_path(((5, 1), (9, 9), (1, 9)), BLACK),)


def swatch(name: str, colour: str, icon: tuple = ()) -> Swatch:  # type: ignore[type-arg]  # nodes of any kind
    return Swatch(name, Colour.parse_hex_or_cmyk_colour_or_raise(colour), icon)


def codes(*palette: Swatch) -> list[str]:
    return [finding.code for finding in list_findings_on_swatches_looking_alike(palette)]


def test_lab_of_known_colours() -> None:
    assert colour_to_cielab_as_seen(WHITE) == pytest.approx([100, 0, 0], abs=0.01)
    assert colour_to_cielab_as_seen(BLACK) == pytest.approx([0, 0, 0], abs=0.01)
    # sRGB red under D65, a value found in every table.
    assert colour_to_cielab_as_seen(Colour(1, 0, 0)) == pytest.approx([53.24, 80.09, 67.20], abs=0.05)


@pytest.mark.parametrize("kind", ["protan", "deutan", "tritan"])
def test_grey_stays_grey_for_all(kind: str) -> None:
    for level in (0, 0.3, 0.7, 1):
        grey = Colour(level, level, level)
        assert colour_to_cielab_as_seen(grey, kind) == pytest.approx(colour_to_cielab_as_seen(grey), abs=0.6)


def test_red_and_green_of_one_lightness() -> None:
    found = codes(swatch("red", "#c8500a"), swatch("green", "#7d8c0a"))
    assert "PP592" in found


def test_the_palette_made_for_all_passes_for_all() -> None:
    palette = [swatch(colour, colour) for colour in OKABE_ITO]
    assert "PP592" not in codes(*palette)
    nearest = min(
        float(np.linalg.norm(colour_to_cielab_as_seen(one.colour, kind) - colour_to_cielab_as_seen(two.colour, kind)))
        for kind in ("protan", "deutan", "tritan")
        for one, two in combinations(palette, 2)
    )
    assert LEAST_DIFFERENCE < nearest < LEAST_DIFFERENCE + 2  # the limit is set just below it


def test_blue_and_green_for_people_without_blue_cones() -> None:
    found = list_findings_on_swatches_looking_alike([swatch("teal", "#008080"), swatch("blue", "#0a7d9b")])
    assert any("without blue cones" in finding.message for finding in found)


@pytest.mark.parametrize(("darker", "one_grey"), [("#6f6f6f", True), ("#5a5a5a", False)])
def test_grey(darker: str, one_grey: bool) -> None:
    assert ("PP593" in codes(swatch("a", "#808080"), swatch("b", darker))) == one_grey


def test_different_shapes_may_share_a_colour() -> None:
    assert codes(swatch("a", "#808080", CIRCLE), swatch("b", "#808080", TRIANGLE)) == []


def test_the_same_shape_at_another_size_is_the_same_shape() -> None:
    small = (build_circle_path(3, 3, 1.5, BLACK),)
    assert codes(swatch("a", "#808080", CIRCLE), swatch("b", "#808080", small)) != []


def test_a_circle_and_a_square_are_shapes_apart() -> None:
    assert codes(swatch("a", "#808080", CIRCLE), swatch("b", "#808080", SQUARE)) == []


def test_a_mark_left_white_is_a_shape_too() -> None:
    card = build_rectangle_path(Rect(1, 1, 8, 8), Colour.parse_hex_or_cmyk_colour_or_raise("#808080"))
    drop, bar = build_circle_path(5, 6, 2, WHITE), build_rectangle_path(Rect(4.4, 2, 1.2, 6), WHITE)
    assert codes(swatch("a", "#808080", (card, drop)), swatch("b", "#808080", (card, bar))) == []
    assert codes(swatch("a", "#808080", (card, drop)), swatch("b", "#808080", (card, drop))) != []


def test_a_colour_with_icon_and_one_without_are_apart() -> None:
    assert codes(swatch("a", "#808080", CIRCLE), swatch("b", "#808080")) == []


def test_an_icon_that_draws_nothing_has_no_shape_to_tell_it_by() -> None:
    assert (
        codes(
            swatch("a", "#808080", (build_circle_path(5, 5, 4),)), swatch("b", "#808080", (build_circle_path(5, 5, 3),))
        )
        != []
    )


def test_no_colours_no_findings() -> None:
    assert codes() == []

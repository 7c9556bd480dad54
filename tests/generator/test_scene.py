"""Scene values: geometry, colours, inks."""

from __future__ import annotations

from itertools import pairwise
from math import hypot, isclose

import pytest
from hypothesis import given, strategies as st

from playproof.generator.scene import (
    BLACK,
    Colour,
    Path,
    Rect,
    Stroke,
    Transform,
    build_circle_path,
    build_rectangle_path,
    compute_dash_apart_from_corners,
    mm_to_pt,
    pt_to_mm,
)

share = st.floats(0, 1)


def test_points_and_millimetres_are_inverse() -> None:
    assert isclose(pt_to_mm(mm_to_pt(63.5)), 63.5)
    assert isclose(mm_to_pt(63.5), 180)


@pytest.mark.parametrize(
    ("text", "hex_"), [("#f80", "#ff8800"), ("#123456", "#123456"), ("cmyk(0 100 100 0)", "#ff0000")]
)
def test_colours_are_read(text: str, hex_: str) -> None:
    assert Colour.parse_hex_or_cmyk_colour_or_raise(text).hex == hex_


@pytest.mark.parametrize("text", ["red", "#12", "#xyz", "cmyk(1 2 3)", "cmyk(0 0 0 101)", ""])
def test_what_is_no_colour_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"colour|literal"):
        Colour.parse_hex_or_cmyk_colour_or_raise(text)


@given(share, share, share)
def test_inks_stay_below_the_tightest_vendor_limit(red: float, green: float, blue: float) -> None:
    inks = Colour(red, green, blue).to_own_or_converted_cmyk_shares()
    assert sum(inks) <= 2.4 + 1e-9
    assert all(0 <= ink <= 1 + 1e-9 for ink in inks)


def test_authored_inks_are_kept_as_they_are() -> None:
    assert Colour.parse_hex_or_cmyk_colour_or_raise("cmyk(60 40 40 100)").to_own_or_converted_cmyk_shares() == (
        0.6,
        0.4,
        0.4,
        1.0,
    )


def test_black_is_one_ink() -> None:
    assert Colour(0, 0, 0).to_own_or_converted_cmyk_shares() == (0, 0, 0, 1)
    assert Colour(0.5, 0.5, 0.5).to_own_or_converted_cmyk_shares() == (0, 0, 0, 0.5)


@given(st.floats(-360, 360), st.floats(-50, 50), st.floats(-50, 50))
def test_a_turn_keeps_its_centre(degrees: float, x: float, y: float) -> None:
    tx, ty = Transform.rotate(degrees, (x, y)).apply(x, y)
    assert isclose(tx, x, abs_tol=1e-9)
    assert isclose(ty, y, abs_tol=1e-9)


def test_right_angles_are_exact() -> None:
    assert Transform.rotate(90).apply(1, 0) == (0, 1)
    assert Transform.rotate(180).apply(1, 2) == (-1, -2)


@given(st.floats(-9, 9), st.floats(-9, 9))
def test_then_applies_in_reading_order(x: float, y: float) -> None:
    first, second = Transform.scale(2, 3), Transform.rotate(90).then(Transform.move(1, 1))
    assert first.then(second).apply(x, y) == second.apply(*first.apply(x, y))


def test_what_rectangles_share_and_what_holds_them() -> None:
    left, right = Rect(0, 0, 4, 3), Rect(2, 1, 5, 5)
    assert (
        left.intersect_or_get_empty_rectangle(right) == right.intersect_or_get_empty_rectangle(left) == Rect(2, 1, 2, 2)
    )
    assert left.intersect_or_get_empty_rectangle(Rect(9, 9, 1, 1)) == Rect(9, 9, 0, 0)
    assert Rect.build_bounding_box([left, right, Rect(3, -1, 0, 0)]) == Rect(0, -1, 7, 7)


def test_a_rounded_rectangle_stays_inside_its_box() -> None:
    path = build_rectangle_path(Rect(1, 2, 10, 6), radius=50)
    xs = [point for _, points in path.commands for point in points[0::2]]
    ys = [point for _, points in path.commands for point in points[1::2]]
    assert (min(xs), max(xs)) == pytest.approx((1, 11))
    assert (min(ys), max(ys)) == pytest.approx((2, 8))


def test_a_circle_is_round_to_three_hundredths_of_a_percent() -> None:
    path: Path = build_circle_path(0, 0, 1)
    start = path.commands[0][1]
    for letter, points in path.commands[1:]:
        if letter == "C":
            for t in (0.25, 0.5, 0.75):
                x, y = _bezier(start, points, t)
                assert isclose((x * x + y * y) ** 0.5, 1, rel_tol=3e-4)
            start = points[4:]


def _bezier(start: tuple[float, ...], points: tuple[float, ...], t: float) -> tuple[float, float]:
    corners = [start[:2], points[:2], points[2:4], points[4:6]]
    weights = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3]
    x, y = (sum(w * c[axis] for w, c in zip(weights, corners, strict=True)) for axis in (0, 1))
    return x, y


@pytest.mark.parametrize(
    ("points", "dash"), [([(0, 0), (18, 0)], (1, 1)), ([(0, 0), (6, 0), (6, 9)], (2, 1)), ([(0, 0), (7, 7)], (0.5,))]
)
def test_no_dash_with_round_ends_begins_or_ends_at_a_corner(
    points: list[tuple[float, float]], dash: tuple[float, ...]
) -> None:
    """There one program draws the ends of a dash without length, and another nothing."""
    commands = tuple(("L" if at else "M", point) for at, point in enumerate(points))
    path = Path(commands, None, Stroke(BLACK, 1, dash, "round"))
    lengths = compute_dash_apart_from_corners(path)
    assert lengths == pytest.approx(dash, rel=0.03)
    both = lengths * (1 + len(lengths) % 2)
    edges = [sum(both[:at]) for at in range(len(both) + 1)]
    far = 0.0
    for one, other in pairwise(points):
        far += hypot(other[0] - one[0], other[1] - one[1])
        assert min(abs(far % sum(both) - edge) for edge in edges) > 0.01
    flat = path._replace(stroke=Stroke(BLACK, 1, dash, "butt"))
    assert compute_dash_apart_from_corners(flat) == dash

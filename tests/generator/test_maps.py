"""Drawn maps: land, roads and marks grow from a seed and stay where they belong."""

from __future__ import annotations

from itertools import combinations

import pytest

from playproof.generator.layout.draw_maps import (
    MARKS,
    MapMarkColours,
    build_closed_spline_path,
    build_open_spline_path,
    build_random_coast_points,
    build_random_winding_line,
    draw_random_map_marks,
)
from playproof.generator.scene import Colour, Node, Path, Rect

BOX = Rect(10, 20, 90, 60)
INK = MapMarkColours(
    Colour.parse_hex_or_cmyk_colour_or_raise("#223344"), Colour.parse_hex_or_cmyk_colour_or_raise("#ffffff"), 0.3
)


def test_a_coast_stays_in_its_box_and_reaches_its_sides() -> None:
    points = build_random_coast_points(BOX, "north", 4, 8)
    xs, ys = [x for x, _ in points], [y for _, y in points]
    assert min(xs) >= BOX.x
    assert max(xs) <= BOX.right
    assert min(ys) >= BOX.y
    assert max(ys) <= BOX.bottom
    assert max(xs) - min(xs) > BOX.width - 8
    assert max(ys) - min(ys) > BOX.height - 8


def test_one_seed_gives_one_coast_and_another_seed_another() -> None:
    assert build_random_coast_points(BOX, "north", 4, 8) == build_random_coast_points(BOX, "north", 4, 8)
    assert build_random_coast_points(BOX, "north", 4, 8) != build_random_coast_points(BOX, "south", 4, 8)


def test_curves_pass_through_their_points() -> None:
    points = [(0.0, 0.0), (10.0, 5.0), (20.0, 0.0), (30.0, 8.0)]
    assert [command[1][-2:] for command in build_open_spline_path(points)] == points
    ring = [command[1][-2:] for command in build_closed_spline_path(points) if command[0] == "C"]
    assert ring == [*points[1:], points[0]]


def test_a_road_keeps_its_points_and_strays_no_further_than_it_may() -> None:
    way = build_random_winding_line([(0, 10), (30, 10), (60, 10)], "road", 2)
    assert way[0::2] == [(0, 10), (30, 10), (60, 10)]
    assert all(abs(y - 10) <= 2 for _, y in way)
    assert len({y for _, y in way[1::2]}) == 2


def test_marks_leave_free_what_is_to_be_read_and_each_other() -> None:
    free = [Rect(10, 20, 90, 18), Rect(40, 45, 20, 20)]
    found = [draw_random_map_marks(BOX, f"seed {at}", ["hill"], 1, 8, free, INK) for at in range(60)]
    areas = [_area(nodes) for nodes in found if nodes]
    assert len(areas) > 40
    assert not [area for area in areas for keep in free if _touch(area, keep)]
    crowd = draw_random_map_marks(BOX, "crowd", ["tree"], 12, 8, [], INK)
    trees = [_area(crowd[at : at + 3]) for at in range(0, len(crowd), 3)]
    assert len(trees) == 12
    assert not [pair for pair in combinations(trees, 2) if _touch(*pair)]


def test_more_marks_than_have_room_are_left_out() -> None:
    assert 0 < len(draw_random_map_marks(Rect(0, 0, 20, 20), "full", ["tree"], 100, 9, [], INK)) / 3 < 5


@pytest.mark.parametrize("kind", MARKS)
def test_every_mark_stands_within_its_height(kind: str) -> None:
    area = _area(draw_random_map_marks(Rect(0, 0, 12, 12), "alone", [kind], 1, 10, [], INK))
    assert area.width <= 14
    assert area.height <= 12
    assert area.width > 2


def _area(nodes: list[Node]) -> Rect:
    """The box about all points of drawn paths; handles of curves may lie outside it."""
    points = [point for node in nodes for point in _points(node)]
    xs, ys = [x for x, _ in points], [y for _, y in points]
    return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def _points(node: Node) -> list[tuple[float, float]]:
    assert isinstance(node, Path)
    return [(place[-2], place[-1]) for _, place in node.commands if place]


def _touch(first: Rect, second: Rect) -> bool:
    return not (
        first.right <= second.x or second.right <= first.x or first.bottom <= second.y or second.bottom <= first.y
    )

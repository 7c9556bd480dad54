"""Cutting machines: the outlines are where the cards are, read back by ezdxf and ElementTree."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import ezdxf
import pytest

from playproof.generator.scene import BLACK, Face, Rect, build_circle_path, build_rectangle_path
from playproof.generator.sheets import (
    Piece,
    impose_pieces_on_pages,
    parse_paper_name_or_size_or_raise,
    read_sheet_plan_by_name_or_raise,
)
from playproof.generator.sheets.imposition import build_sheet_size_and_cutting_layers
from playproof.generator.sheets.marks import (
    build_registration_mark_nodes,
    format_cut_outlines_as_dxf,
    format_cut_outlines_as_svg,
    is_too_near_registration_marks,
)
from playproof.generator.sheets.slots import Size

POKER = Face("card", 63.5, 88.9, (), bleed=3, corner=3)
TOKEN = Face("token", 20, 20, (), bleed=2, outline=build_circle_path(10, 10, 10))
PIECES = [Piece("card", POKER, count=11), Piece("token", TOKEN, count=3)]
CUT = read_sheet_plan_by_name_or_raise("cut")


def _boxes_of_dxf(data: bytes, height: float) -> dict[str, list[tuple[float, ...]]]:
    """The bounds of each polyline in mm of the sheet, y downwards, by layer."""
    boxes: dict[str, list[tuple[float, ...]]] = {}
    for line in ezdxf.read(io.StringIO(data.decode("ascii"))).modelspace().query("POLYLINE"):
        assert line.is_closed
        xs, ys = zip(*((x, height - y) for x, y, _ in line.points()), strict=True)
        boxes.setdefault(line.dxf.layer, []).append(
            tuple(round(edge, 2) for edge in (min(xs), min(ys), max(xs), max(ys)))
        )
    return {layer: sorted(found) for layer, found in boxes.items()}


def _boxes_of_svg(data: bytes) -> dict[str, list[tuple[float, ...]]]:
    boxes = {}
    for group in ElementTree.fromstring(data):
        found = []
        for path in group:
            numbers = [float(part) for part in re.findall(r"[-\d.]+", path.get("d", ""))]
            xs, ys = numbers[0::2], numbers[1::2]
            found.append(tuple(round(edge, 2) for edge in (min(xs), min(ys), max(xs), max(ys))))
        boxes[group.get("id", "")] = sorted(found)
    return boxes


def test_what_is_cut_is_where_the_cards_are() -> None:
    """The pages say where the fronts of a full sheet are; the files, read by others, say the same."""
    sheet, layers = build_sheet_size_and_cutting_layers(PIECES, CUT)
    assert sheet == Size(297, 210)
    fronts = [page for page in impose_pieces_on_pages(PIECES, CUT) if page.label.startswith("fronts 1")]
    expected: dict[str, list[tuple[float, ...]]] = {}
    for page in fronts:
        for face, place, _ in page.placements:
            box = (place.e, place.f, place.e + face.width, place.f + face.height)
            layer = f"cut-{face.width:g}x{face.height:g}"
            expected.setdefault(layer, []).append(tuple(round(edge, 2) for edge in box))
    expected = {layer: sorted(boxes) for layer, boxes in expected.items()}
    assert {layer: len(boxes) for layer, boxes in expected.items()} == {"cut-63.5x88.9": 8, "cut-20x20": 3}
    assert _boxes_of_dxf(format_cut_outlines_as_dxf(sheet, layers), sheet.height) == expected
    assert _boxes_of_svg(format_cut_outlines_as_svg(sheet, layers)) == expected


def test_a_dxf_is_in_millimetres_and_a_corner_is_round() -> None:
    sheet, layers = build_sheet_size_and_cutting_layers(PIECES[:1], CUT)
    document = ezdxf.read(io.StringIO(format_cut_outlines_as_dxf(sheet, layers).decode("ascii")))
    assert document.header["$INSUNITS"] == 4
    line = document.modelspace().query("POLYLINE")[0]
    corner = min(line.points(), key=lambda point: point[0] - point[1])
    xs = [point[0] for point in line.points()]
    ys = [point[1] for point in line.points()]
    middle = (min(xs) + 3, max(ys) - 3)
    assert ((corner[0] - middle[0]) ** 2 + (corner[1] - middle[1]) ** 2) ** 0.5 == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("size", [(63.5, 88.9), (70, 120), (44, 68), (20, 20), (100, 100)])
@pytest.mark.parametrize("page", ["A4", "Letter"])
def test_nothing_is_printed_near_a_mark(size: tuple[float, float], page: str) -> None:
    chosen = read_sheet_plan_by_name_or_raise("cut", target_paper=parse_paper_name_or_size_or_raise(page))
    face = Face("card", *size, (build_rectangle_path(Rect(0, 0, *size), BLACK),), bleed=3)
    (front, _) = impose_pieces_on_pages([Piece("card", face, face, count=40)], chosen)[:2]
    sheet = Size(front.width, front.height)
    for _, place, bleed in front.placements:
        assert not is_too_near_registration_marks(sheet, Rect(place.e, place.f, *size).expand(bleed))


def test_marks_are_on_fronts_alone() -> None:
    fronts, backs = impose_pieces_on_pages([Piece("card", POKER, POKER)], CUT)
    marks = build_registration_mark_nodes(Size(297, 210))
    assert set(marks) <= set(fronts.marks)
    assert not set(marks) & set(backs.marks)

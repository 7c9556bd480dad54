"""For cutting machines: registration marks on the sheet, and the outlines to cut as SVG and DXF.

A Silhouette looks for a square of 5 mm at the top left and right angles with arms of 20 mm at the top right and
bottom left, drawn 0.3 mm wide, 10 mm from the edges (render_silhouette_regmarks.py of fablabnbg/inkscape-silhouette).
A Cricut draws marks of its own: it takes the same outlines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from playproof.generator.art.svg_geometry import transform_outline
from playproof.generator.scene import BLACK, Command, Face, Node, Path, Rect, Stroke, rectangle
from playproof.generator.sheets.geometry import Segment, Size, Slot

INSET, SQUARE, ARM, PEN = 10.0, 5.0, 20.0, 0.3  # mm
INSIDE = INSET + SQUARE + 2  # mm: a margin that lies inside of all marks
CLEAR = 1.0  # mm of white between a mark and what is printed
PIECES = 16  # straight lines for a curve: a rounded corner of 3 mm is off by less than 0.01 mm

Outline = tuple[Command, ...]


def build_registration_marks(sheet: Size) -> tuple[Node, ...]:
    """Return the marks of a sheet."""
    pen = Stroke(BLACK, PEN)
    square = rectangle(Rect(INSET, INSET, SQUARE, SQUARE), BLACK)
    lines = (
        Path((("M", (arm.x1, arm.y1)), ("L", (arm.x2, arm.y2))), None, pen)
        for arm in list_registration_lines(sheet)
    )
    return (square, *lines)


def list_registration_lines(sheet: Size) -> tuple[Segment, ...]:
    """Return the lines of the marks: two at the top right, two at the bottom left."""
    right, bottom = sheet.width - INSET, sheet.height - INSET
    return (
        Segment(right - ARM, INSET, right, INSET),
        Segment(right, INSET, right, INSET + ARM),
        Segment(INSET, bottom, INSET + ARM, bottom),
        Segment(INSET, bottom - ARM, INSET, bottom),
    )


def overlaps_registration_marks(sheet: Size, printed: Rect) -> bool:
    """Return whether what is printed leaves too little white round a mark."""
    marks = [
        Rect(INSET, INSET, SQUARE, SQUARE),
        *(arm.box.expand(PEN / 2) for arm in list_registration_lines(sheet)),
    ]
    return any(printed.overlaps(mark.expand(CLEAR)) for mark in marks)


def list_cut_outlines(faces: Sequence[tuple[Face, Slot]]) -> list[Outline]:
    """Return the outlines of faces on a sheet, in mm of the sheet."""
    return [
        transform_outline((face.outline or rectangle(face.trim, radius=face.corner)).commands, slot.transform)
        for face, slot in faces
    ]


def format_outlines_as_svg(sheet: Size, layers: dict[str, list[Outline]]) -> bytes:
    """Return the outlines as SVG in millimetres, one group for each size of cards."""
    width, height = f"{sheet.width:g}", f"{sheet.height:g}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}mm" height="{height}mm"'
        f' viewBox="0 0 {width} {height}">'
    ]
    for name, outlines in layers.items():
        lines.append(f'<g id="{escape(name)}" fill="none" stroke="#ff0000" stroke-width="0.1">')
        lines += [f'<path d="{_format_path_data(outline)}"/>' for outline in outlines]
        lines.append("</g>")
    return "\n".join([*lines, "</svg>", ""]).encode()


def _format_path_data(outline: Outline) -> str:
    return " ".join(letter + " ".join(f"{part:.4f}" for part in points) for letter, points in outline)


def format_outlines_as_dxf(sheet: Size, layers: dict[str, list[Outline]]) -> bytes:
    """Return the outlines as closed polylines of a DXF file (release 12, millimetres, y upwards)."""
    tags: list[tuple[int, object]] = [(0, "SECTION"), (2, "HEADER"), (9, "$ACADVER"), (1, "AC1009")]
    tags += [(9, "$INSUNITS"), (70, 4), (0, "ENDSEC"), (0, "SECTION"), (2, "ENTITIES")]
    for name, outlines in layers.items():
        for outline in outlines:
            for part in _iter_closed_polylines(outline):
                tags += [(0, "POLYLINE"), (8, name), (66, 1), (70, 1), (10, 0.0), (20, 0.0), (30, 0.0)]
                for x, y in part:
                    tags += [
                        (0, "VERTEX"),
                        (8, name),
                        (10, f"{x:.4f}"),
                        (20, f"{sheet.height - y:.4f}"),
                        (30, 0.0),
                    ]
                tags += [(0, "SEQEND"), (8, name)]
    tags += [(0, "ENDSEC"), (0, "EOF")]
    return "".join(f"{code}\n{value}\n" for code, value in tags).encode("ascii")


def _iter_closed_polylines(outline: Iterable[Command]) -> Iterator[list[tuple[float, float]]]:
    """Yield each closed part of an outline as the corners of straight lines."""
    part: list[tuple[float, float]] = []
    for letter, points in outline:
        if letter == "M" and part:
            yield _drop_repeated_last_corner(part)
            part = []
        if letter in "ML":
            part.append((points[0], points[1]))
        elif letter == "C":
            part += _iter_curve_points(part[-1], points)
    if part:
        yield _drop_repeated_last_corner(part)


def _drop_repeated_last_corner(part: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the corners without a last one that repeats the first: the polyline is closed already."""
    last, first = part[-1], part[0]
    same = abs(last[0] - first[0]) < 1e-6 and abs(last[1] - first[1]) < 1e-6
    return part[:-1] if same and len(part) > 1 else part


def _iter_curve_points(
    start: tuple[float, float], points: tuple[float, ...]
) -> Iterator[tuple[float, float]]:
    (x0, y0), (x1, y1, x2, y2, x3, y3) = start, points
    for step in range(1, PIECES + 1):
        t = step / PIECES
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        yield a * x0 + b * x1 + c * x2 + d * x3, a * y0 + b * y1 + c * y2 + d * y3

"""Outlines for screens: shorter text, the same points. fontTools reads both."""

from __future__ import annotations

import gzip
import re

from fontTools.pens.recordingPen import RecordingPen
from fontTools.svgLib.path import parse_path

from playproof.generator.svg import render_face_to_svg_text
from playproof.referee import Variant
from playproof.table.drawn_table import draw_face_as_cut
from playproof.table.scene import Picture
from playproof.table.screen_svg import shorten_svg_outlines
from playproof.table.table_layout import TableLayout

_OUTLINES = re.compile(r'\bd="([^"]+)"')
_LETTERS = re.compile(r'\bd="([^"]+)" id="t')


def drawn(outline: str) -> tuple[list[str], list[float]]:
    """What a pen is told to do, and all coordinates; without the way back to the start, which a reader adds where the
    last point is not quite the first."""
    pen = RecordingPen()
    parse_path(outline, pen)
    nexts = [name for name, _ in pen.value[1:]] + [""]
    calls = [call for call, then in zip(pen.value, nexts, strict=True) if (call[0], then) != ("lineTo", "closePath")]
    return [name for name, _ in calls], [number for _, at in calls for point in at for number in point]


def grainless(svg: str) -> str:
    """The picture without its outlines of hundreds of shapes."""
    return _OUTLINES.sub(lambda match: "" if match[1].count("Z") > 60 else match[0], svg)


def test_a_picture_has_the_same_points_and_is_much_smaller() -> None:
    svg = render_face_to_svg_text(draw_face_as_cut(TableLayout(Variant("opale")), Picture("B4-1")))
    short = shorten_svg_outlines(svg)
    assert short.count('d=""') == 2  # of the grain's two colours
    svg, short = grainless(svg), short.replace('d=""', "")
    before, after = _OUTLINES.findall(svg), _OUTLINES.findall(short)
    letters = set(_LETTERS.findall(svg))  # in units of their fonts: a line has 1000 or more
    assert len(before) == len(after) > len(letters) + 50 > 70
    for one, other in zip(before, after, strict=True):
        (calls, there), (same_calls, here) = drawn(one), drawn(other)
        assert calls == same_calls
        off = max(abs(a - b) for a, b in zip(there, here, strict=True))
        assert off < (0.501 if one in letters else 0.00501)  # half of what it is rounded to
    assert _OUTLINES.sub("", svg) == _OUTLINES.sub("", short)
    assert len(gzip.compress(short.encode())) < 0.65 * len(gzip.compress(svg.encode()))


def test_each_command_and_what_has_none() -> None:
    for outline, short in (
        ("M1 2L3 4L5 4L5 9Z", "M1 2l2 2h2v5z"),
        ("M0 0 1 1", "M0 0l1 1"),
        ("M0.5 -0.25L-0.004 0.004", "M.5-.25l-.5 .25"),
        ("M1 1Q2 2 3 1Z", "M1 1q1 1 2 0z"),
        ("M1 1A2 2 0 0 1 3 3", "M1 1A2 2 0 0 1 3 3"),
    ):
        assert shorten_svg_outlines(f'<path d="{outline}"/>') == f'<path d="{short}"/>'
    assert shorten_svg_outlines('<path d="M1.3 2L3.6 4Z" id="t1"/>') == '<path d="M1 2l3 2z" id="t1"/>'


def test_only_many_specks_are_grain() -> None:
    speck, disc = "M{} 1L{} 1.2L1.1 1.1Z", "M1 1C9 1 9 9 1 9Z"
    few, many = "".join(speck.format(1, 1) for _ in range(49)), "".join(speck.format(1, 1) for _ in range(50))
    for outline, left_out in ((few, False), (many, True), (many + disc, False), (disc * 60, False)):
        assert (shorten_svg_outlines(f'<path d="{outline}"/>') == '<path d=""/>') is left_out

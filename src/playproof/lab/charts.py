"""Small charts: bars, intervals, a curve, a scale, a card's worth. Readable without colours.

A chart is a face, as a card is: a page draws it as SVG, a sheet of paper as it draws cards.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from playproof.generator.scene import (
    WHITE,
    Colour,
    Face,
    Group,
    Node,
    Path,
    Rect,
    Stroke,
    Transform,
    build_circle_path,
    build_line_path,
    build_rectangle_path,
    mm_to_pt,
)
from playproof.generator.type.shaping import Anchor, typeset_anchored_text_line
from playproof.lab.estimates import Estimate

INK, SOFT, FILL, GOOD, BAD, RULE = map(
    Colour.parse_hex_or_cmyk_colour_or_raise, ("#26242c", "#8a8578", "#4a6fa5", "#2f7d4f", "#b5482f", "#ddd8ca")
)
_ROW, _MOST_LETTERS = 20, 46
_UNIT, _CELL_UNIT = 0.245, 0.17  # mm: lengths below are counted in these, in a cell of a table in the second


def _build_chart_face(name: str, width: float, height: float, nodes: Sequence[Node], unit: float = _UNIT) -> Face:
    return Face(name, width * unit, height * unit, (Group(tuple(nodes), Transform.scale(unit)),))


def _build_chart_text(
    x: float, y: float, text: str, anchor: Anchor = "start", size: float = 13, colour: Colour = INK
) -> Node:
    return typeset_anchored_text_line(text, x, y, mm_to_pt(size), anchor=anchor, colour=colour)


def _build_chart_bar(x: float, y: float, width: float, height: float, colour: Colour = FILL, radius: float = 0) -> Path:
    return build_rectangle_path(Rect(x, y, width, height), colour, radius=radius)


def draw_bar_chart_with_shares(
    values_by_name: Mapping[str, float], *, total: float, width: int = 640, label_width: int = 250
) -> Face:
    """Draw a bar per row, as long as its share of the greatest, with its share of the total."""
    most, room = max([*values_by_name.values(), 1e-9]), width - label_width - 80
    nodes: list[Node] = []
    for number, (name, value) in enumerate(values_by_name.items()):
        y, length = number * _ROW, room * value / most
        nodes.append(_build_chart_text(label_width - 8, y + 14, _shorten_name_with_ellipsis(name), "end"))
        nodes.append(_build_chart_bar(label_width, y + 3, length, _ROW - 6))
        nodes.append(_build_chart_text(label_width + length + 6, y + 14, f"{100 * value / max(total, 1e-9):.1f} %"))
    return _build_chart_face("shares", width, len(values_by_name) * _ROW, nodes)


def draw_histogram(counts_by_bin_name: Sequence[tuple[str, float]], *, width: int = 640, height: int = 120) -> Face:
    """Draw a histogram: a column per bin; the names of the first, the middle and the last bin below."""
    most, wide = max([*(n for _, n in counts_by_bin_name), 1e-9]), width / max(1, len(counts_by_bin_name))
    nodes: list[Node] = []
    for place, (_, count) in enumerate(counts_by_bin_name):
        tall = (height - 6) * count / most
        nodes.append(_build_chart_bar(place * wide + 1, height - tall, max(1.0, wide - 2), tall))
    if counts_by_bin_name:
        middle = len(counts_by_bin_name) // 2
        nodes.append(_build_chart_text(0, height + 15, counts_by_bin_name[0][0]))
        nodes.append(_build_chart_text((middle + 0.5) * wide, height + 15, counts_by_bin_name[middle][0], "middle"))
        nodes.append(_build_chart_text(width, height + 15, counts_by_bin_name[-1][0], "end"))
    return _build_chart_face("how many games are how long", width, height + 20, nodes)


def draw_effect_with_interval(estimate: Estimate, axis_limit: float, *, significant: bool) -> Face:
    """Draw an effect with its interval on a line with zero in the middle; `axis_limit` is the value at both ends."""
    return _build_chart_face(
        "interval", 200, 20, _build_interval_nodes(estimate, axis_limit, 200, significant), _CELL_UNIT
    )


def _build_interval_nodes(estimate: Estimate, axis_limit: float, width: float, significant: bool) -> list[Node]:
    middle, colour = width / 2, _get_colour_of_effect(estimate, significant)
    nodes: list[Node] = [build_line_path(middle, 2, middle, 18, Stroke(SOFT, 1, (2, 2)))]

    def x(value: float) -> float:
        return middle + max(-1.0, min(1.0, value / axis_limit)) * (middle - 6)

    if estimate.low is not None and estimate.high is not None:
        nodes.append(build_line_path(x(estimate.low), 10, x(estimate.high), 10, Stroke(colour, 3)))
    if estimate.value is not None:
        nodes.append(build_circle_path(x(estimate.value), 10, 4.5, colour))
    return nodes


def draw_card_worth_label(
    value_text: str, effect: Estimate, axis_limit: float, text_below: str, *, significant: bool
) -> Face:
    """Draw what a card is worth, to lie on the lower edge of its printed face: the value, its interval, and a smaller
    line below, which may be empty."""
    width, height = 200, 46 if text_below else 30
    nodes: list[Node] = [_build_chart_bar(0, 0, width, height, WHITE), build_line_path(0, 0, width, 0, Stroke(SOFT, 1))]
    nodes.append(_build_chart_text(66, 22, value_text, "end", 20, _get_colour_of_effect(effect, significant)))
    nodes.append(Group(tuple(_build_interval_nodes(effect, axis_limit, 120, significant)), Transform.move(74, 5)))
    if text_below:
        nodes.append(_build_chart_text(width / 2, 39, text_below, "middle", 11.5))
    return _build_chart_face(f"{value_text} {text_below}", width, height, nodes)


def copy_card_face_with_label(card: Face, label: Face) -> Face:
    """Return a card with a label over its lower edge, as wide as the card."""
    unit = card.width / label.width
    below = Transform(unit, 0, 0, unit, 0, card.height - label.height * unit)
    nodes = (Group((*card.nodes, Group(label.nodes, below)), clip=build_rectangle_path(card.trim, radius=card.corner)),)
    return replace(card, name=f"{card.name}: {label.name}", nodes=nodes, bleed=0.0)


def draw_curve_over_game(values: Sequence[float], *, width: int = 640, height: int = 140) -> Face:
    """Draw values between 0 and 1 from the beginning to the end of a game."""
    left, room, tall = 34, width - 44, height - 10
    nodes: list[Node] = []
    for value in (0, 0.5, 1):
        y = 5 + tall * (1 - value)
        nodes.append(build_line_path(left, y, left + room, y, Stroke(RULE, 1)))
        nodes.append(_build_chart_text(left - 6, y + 4, f"{value:g}", "end"))
    points = [(left + room * k / max(1, len(values) - 1), 5 + tall * (1 - value)) for k, value in enumerate(values)]
    for before, after in pairwise(points):
        nodes.append(build_line_path(*before, *after, Stroke(FILL, 2.5, cap="round")))
    nodes += [build_circle_path(x, y, 3, FILL) for x, y in points]
    nodes.append(_build_chart_text(left, height + 14, "start"))
    nodes.append(_build_chart_text(left + room, height + 14, "end of the game", "end"))
    return _build_chart_face("from the start to the end of a game", width, height + 20, nodes)


def draw_value_on_scale_with_words(
    value: Estimate, text_at_low_end: str, text_at_high_end: str, *, width: int = 640
) -> Face:
    """Draw a value between -1 and 1, with its interval, on a scale with words at both ends."""

    def x(number: float) -> float:
        return 10 + (number + 1) / 2 * (width - 20)

    nodes: list[Node] = [
        _build_chart_bar(10, 10, width - 20, 8, RULE, 4),
        build_line_path(x(0), 5, x(0), 23, Stroke(SOFT, 1)),
        _build_chart_text(10, 40, text_at_low_end),
        _build_chart_text(width - 10, 40, text_at_high_end, "end"),
    ]
    if value.value is not None:
        if value.low is not None and value.high is not None:
            wide = max(1.0, x(value.high) - x(value.low))
            nodes.append(Group((_build_chart_bar(x(value.low), 8, wide, 12),), opacity=0.5))
        nodes.append(build_circle_path(x(value.value), 14, 7, FILL))
    return _build_chart_face(f"between {text_at_low_end} and {text_at_high_end}", width, 46, nodes)


def _get_colour_of_effect(effect: Estimate, significant: bool) -> Colour:
    if not significant:
        return SOFT
    return GOOD if (effect.value or 0.0) > 0 else BAD


def _shorten_name_with_ellipsis(name: str) -> str:
    return name if len(name) <= _MOST_LETTERS else name[: _MOST_LETTERS - 1] + "…"

"""Layers that stand on a ridge: trees, seaweed, corals, columns, standing stones."""

from __future__ import annotations

from collections.abc import Callable
from math import cos, sin
from typing import Literal

from playproof.generator.art.scenery.worlds import Layer, Pair, SceneCanvas, Tone, register_layer_class_as_kind
from playproof.generator.scene import (
    Colour,
    Command,
    Path,
    Rect,
    build_circle_path,
    build_ellipse_path,
    build_polygon_path,
    build_rectangle_path,
)

Kind = Literal["pine", "tree", "cypress", "kelp", "coral", "sponge", "column", "stalagmite", "stone"]
DrawPlant = Callable[[SceneCanvas, float, float, float, Colour], None]


@register_layer_class_as_kind("growth")
class Growth(Layer):
    """Many of one kind or of two, each of its own height. ``size`` is a share of the box's
    height."""

    of: tuple[Kind] | tuple[Kind, Kind]
    foot: float
    colour: Tone
    count: int
    size: float
    odds: float = 0.6
    """The chance of the first kind."""
    sink: Pair = (0.02, 0.08)
    """How far below ``foot`` they stand."""

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        for _ in range(self.count):
            x, y = canvas.box_shares_to_millimetres(
                canvas.random.uniform(0, 1), self.foot + canvas.draw_random_number_in_range(self.sink)
            )
            height = canvas.box.height * self.size * canvas.random.uniform(0.6, 1.1)
            first, *others = self.of
            kind = others[0] if others and canvas.random.random() >= self.odds else first
            _GROW[kind](canvas, x, y, height, colour)


def _add_pine_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    for low, top, wide in ((0.1, 0.6, 0.26), (0.34, 0.82, 0.2), (0.58, 1.0, 0.14)):
        boughs = ((x - wide * height, y - low * height), (x + wide * height, y - low * height), (x, y - top * height))
        canvas.nodes.append(build_polygon_path(boughs, colour))
    stem = Rect(x - height * 0.035, y - height * 0.12, height * 0.07, height * 0.14)
    canvas.nodes.append(build_rectangle_path(stem, colour))


def _add_tree_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    stem = ((x - height * 0.06, y), (x + height * 0.06, y), (x, y - height * 0.6))
    canvas.nodes.append(build_polygon_path(stem, colour))
    canvas.nodes.append(build_ellipse_path(x, y - height * 0.68, height * 0.28, height * 0.34, colour))


def _add_cypress_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    wide = height * 0.11
    flame: list[Command] = [
        ("M", (x, y)),
        ("C", (x - wide * 1.6, y - height * 0.3, x - wide * 0.8, y - height * 0.75, x, y - height)),
        ("C", (x + wide * 0.8, y - height * 0.75, x + wide * 1.6, y - height * 0.3, x, y)),
        ("Z", ()),
    ]
    canvas.nodes.append(Path(tuple(flame), colour))


def _add_kelp_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    """Add a swaying ribbon with leaves on both sides."""
    sway = height * canvas.random.uniform(0.06, 0.12) * (1 if canvas.random.random() < 0.5 else -1)
    wide = height * 0.028
    ribbon: list[Command] = [
        ("M", (x - wide, y)),
        ("C", (x - wide + sway, y - height * 0.33, x - wide - sway, y - height * 0.66, x + sway * 0.5, y - height)),
        ("C", (x + wide - sway, y - height * 0.66, x + wide + sway, y - height * 0.33, x + wide, y)),
        ("Z", ()),
    ]
    canvas.nodes.append(Path(tuple(ribbon), colour))
    for k in range(1, 6):
        up = k / 6.2
        bend = sway * (0.55 - 1.6 * abs(up - 0.33)) if up < 0.6 else -sway * 0.25
        side = 1 if k % 2 else -1
        leaf = (
            (x + bend, y - height * up),
            (x + bend + side * height * 0.11, y - height * (up + 0.085)),
            (x + bend + side * height * 0.015, y - height * (up + 0.075)),
        )
        canvas.nodes.append(build_polygon_path(leaf, colour))


def _add_coral_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    """Add a bush of thick branches with round tips, spread like a fan."""

    def branch(x0: float, y0: float, turn: float, length: float, thick: float, left: int) -> None:
        x1, y1 = x0 + sin(turn) * length, y0 - cos(turn) * length
        dx, dy = cos(turn) * thick, sin(turn) * thick
        foot = ((x0 - dx, y0 - dy), (x0 + dx, y0 + dy))
        tip = ((x1 + dx * 0.85, y1 + dy * 0.85), (x1 - dx * 0.85, y1 - dy * 0.85))
        canvas.nodes.append(build_polygon_path((*foot, *tip), colour))
        canvas.nodes.append(build_circle_path(x1, y1, thick * (1.25 if not left else 0.85), colour))
        for side in (-0.52, 0.0, 0.52) if left else ():
            jitter = canvas.random.uniform(-0.14, 0.14)
            branch(x1, y1, turn + side + jitter, length * 0.62, thick * 0.8, left - 1)

    branch(x, y, canvas.random.uniform(-0.1, 0.1), height * 0.36, height * 0.05, 2)


def _add_sponge_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    """Add three tubes side by side, open at the top."""
    rim = colour.mix_with(canvas.mood.light, 0.22)
    for dx, share in ((-0.2, 0.62), (0.02, 0.85), (0.24, 0.5)):
        tall, wide = height * share, height * 0.11
        tube = (
            (x + dx * height - wide * 0.75, y),
            (x + dx * height + wide * 0.75, y),
            (x + dx * height + wide, y - tall),
            (x + dx * height - wide, y - tall),
        )
        canvas.nodes.append(build_polygon_path(tube, colour))
        canvas.nodes.append(build_ellipse_path(x + dx * height, y - tall, wide, wide * 0.36, rim))


def _add_column_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    """Add a fluted column, whole or broken."""
    wide = height * 0.1
    broken = canvas.random.random() < 0.45
    tall = height * (canvas.random.uniform(0.45, 0.7) if broken else 1)
    canvas.nodes.append(
        build_rectangle_path(Rect(x - wide * 1.35, y - height * 0.05, wide * 2.7, height * 0.07), colour)
    )
    top_left = y - tall + (wide * 0.9 if broken else 0)
    shaft = ((x - wide, y), (x + wide, y), (x + wide * 0.86, y - tall), (x - wide * 0.86, top_left))
    canvas.nodes.append(build_polygon_path(shaft, colour))
    groove = colour.mix_with(canvas.mood.ink, 0.28)
    for share in (-0.45, 0.05, 0.5):
        length = tall - wide * 1.2
        canvas.nodes.append(
            build_rectangle_path(Rect(x + share * wide, y - length, wide * 0.14, length - height * 0.05), groove)
        )
    if not broken:
        canvas.nodes.append(
            build_rectangle_path(Rect(x - wide * 1.3, y - height * 1.03, wide * 2.6, height * 0.055), colour)
        )
        canvas.nodes.append(
            build_rectangle_path(Rect(x - wide * 1.05, y - height * 0.985, wide * 2.1, height * 0.04), colour)
        )


def _add_stalagmite_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    wide = height * 0.2
    cone: list[Command] = [
        ("M", (x - wide, y)),
        ("C", (x - wide * 0.4, y - height * 0.25, x - wide * 0.18, y - height * 0.7, x, y - height)),
        ("C", (x + wide * 0.18, y - height * 0.7, x + wide * 0.4, y - height * 0.25, x + wide, y)),
        ("Z", ()),
    ]
    canvas.nodes.append(Path(tuple(cone), colour))


def _add_standing_stone_to_canvas(canvas: SceneCanvas, x: float, y: float, height: float, colour: Colour) -> None:
    """Add a standing stone with one lit edge."""
    wide = height * canvas.random.uniform(0.16, 0.24)
    lean = canvas.random.uniform(-0.12, 0.12) * height
    left, right = (x - wide * 0.5 + lean, y - height * 0.88), (x + wide * 0.7 + lean, y - height)
    canvas.nodes.append(build_polygon_path(((x - wide, y), (x + wide, y), right, left), colour))
    edge = ((x - wide, y), (x - wide * 0.6, y), (x - wide * 0.2 + lean, y - height * 0.91), left)
    canvas.nodes.append(build_polygon_path(edge, colour.mix_with(canvas.mood.light, 0.18)))


_GROW: dict[str, DrawPlant] = {
    "pine": _add_pine_to_canvas,
    "tree": _add_tree_to_canvas,
    "cypress": _add_cypress_to_canvas,
    "kelp": _add_kelp_to_canvas,
    "coral": _add_coral_to_canvas,
    "sponge": _add_sponge_to_canvas,
    "column": _add_column_to_canvas,
    "stalagmite": _add_stalagmite_to_canvas,
    "stone": _add_standing_stone_to_canvas,
}

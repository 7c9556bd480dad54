"""Layers close to the eye: boughs at the edges of the picture, and a road that leads away."""

from __future__ import annotations

from math import atan2, cos, pi, sin
from typing import Literal

from playproof.generator.art.scenery.canvas import Pair, SceneCanvas, Tone
from playproof.generator.art.scenery.world_file import Layer, register_layer_kind
from playproof.generator.scene import Colour, Command, Path, polygon

Point = tuple[float, float]


@register_layer_kind("boughs")
class Boughs(Layer):
    """What one looks through: boughs with leaves or needles, weed or rock, that grow in from both sides."""

    of: Literal["leaves", "needles", "weed", "rock"] = "leaves"
    count: tuple[int, int] = (3, 4)
    """On each side."""
    band: Pair = (-0.05, 0.7)
    length: Pair = (0.2, 0.34)
    """Of the width."""
    colour: Tone = "near"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        for side in (-1, 1):
            count = canvas.random_count_between(self.count)
            for k in range(count):
                step = (k + canvas.random.uniform(0.1, 0.9)) / count
                height = self.band[0] + step * (self.band[1] - self.band[0])
                start = canvas.point_to_millimetres(0.5 + side * 0.53, height)
                long = canvas.box.width * canvas.random_between(self.length)
                lean = canvas.random.uniform(-0.1, 0.55)
                tip = (start[0] - side * long * cos(lean), start[1] + long * sin(lean))
                canvas.nodes.extend(_BOUGHS[self.of](canvas, start, tip, colour))


def _draw_leafy_bough(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a bough with pairs of pointed leaves."""
    return _draw_bough(canvas, start, tip, colour, pairs=5, length=0.3, width=0.34, lean=0.75)


def _draw_needle_bough(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a bough with many thin needles."""
    return _draw_bough(canvas, start, tip, colour, pairs=13, length=0.22, width=0.14, lean=0.95)


def _draw_bough(
    canvas: SceneCanvas,
    start: Point,
    tip: Point,
    colour: Colour,
    *,
    pairs: int,
    length: float,
    width: float,
    lean: float,
) -> list[Path]:
    dx, dy = tip[0] - start[0], tip[1] - start[1]
    long, turn = (dx * dx + dy * dy) ** 0.5, atan2(dy, dx)
    thick = long * 0.025
    across = (sin(turn) * thick, -cos(turn) * thick)
    stem = ((start[0] + across[0], start[1] + across[1]), tip, (start[0] - across[0], start[1] - across[1]))
    shapes = [polygon(stem, colour)]
    lit = colour.mix_with(canvas.mood.middle, 0.35)
    for k in range(1, pairs + 1):
        share = k / pairs
        foot = (start[0] + dx * share, start[1] + dy * share)
        size = long * length * (1.15 - 0.5 * share) * canvas.random.uniform(0.85, 1.15)
        for side, tone in ((-1, colour), (1, lit)):
            shapes.append(
                _draw_leaf(foot, turn + side * lean * (1 if k < pairs else 0.35), size, width, tone)
            )
    return shapes


def _draw_leaf(foot: Point, angle: float, size: float, width: float, colour: Colour) -> Path:
    """Return a pointed oval that grows from `foot` the way `turn` (in radians) says."""

    def at(along: float, aside: float) -> Point:
        return (
            foot[0] + size * (along * cos(angle) - aside * sin(angle)),
            foot[1] + size * (along * sin(angle) + aside * cos(angle)),
        )

    commands: list[Command] = [
        ("M", foot),
        ("C", (*at(0.3, width), *at(0.7, width * 0.8), *at(1, 0))),
        ("C", (*at(0.7, -width * 0.8), *at(0.3, -width), *foot)),
        ("Z", ()),
    ]
    return Path(tuple(commands), colour)


def _draw_seaweed(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a ribbon of weed that rises at the side, with leaves that float upwards."""
    top = (tip[0], min(start[1], tip[1]) - canvas.height_to_millimetres(0.12))
    return _draw_bough(canvas, start, top, colour, pairs=7, length=0.3, width=0.16, lean=0.5)


def _draw_rock_ledge(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a ledge of rock with a broken edge and one lit side."""
    tall = canvas.height_to_millimetres(0.16)
    away = tip[0] - start[0]
    knots = [
        (start[0], start[1] - tall),
        (
            start[0] + away * canvas.random.uniform(0.35, 0.5),
            start[1] - tall * canvas.random.uniform(0.5, 0.8),
        ),
        (start[0] + away * canvas.random.uniform(0.7, 0.9), start[1] - tall * 0.1),
        (
            start[0] + away * canvas.random.uniform(0.4, 0.6),
            start[1] + tall * canvas.random.uniform(0.3, 0.6),
        ),
        (start[0], start[1] + tall),
    ]
    lit = ((start[0], start[1] - tall), knots[1], knots[2], (start[0] + away * 0.3, start[1] - tall * 0.2))
    return [polygon(tuple(knots), colour), polygon(lit, colour.mix_with(canvas.mood.middle, 0.4))]


_BOUGHS = {
    "leaves": _draw_leafy_bough,
    "needles": _draw_needle_bough,
    "weed": _draw_seaweed,
    "rock": _draw_rock_ledge,
}


@register_layer_kind("road")
class Road(Layer):
    """A way that winds from the foreground to where the motif stands, narrower the farther it is."""

    start: float = 1.0
    end: float = 0.68
    width: Pair = (0.16, 0.22)
    """Half of it at the start, as a share of the width."""
    colour: Tone = "horizon 0.4 light"

    def paint(self, canvas: SceneCanvas) -> None:
        wide, swing = canvas.random_between(self.width), 0.16 * (1 if canvas.random.random() < 0.5 else -1)
        edges: tuple[list[Point], list[Point]] = ([], [])
        for k in range(25):
            share = k / 24
            y = self.start + (self.end - self.start) * share
            middle = 0.5 + swing * sin(share * 2 * pi) * (1 - share)
            half = wide * (1 - share) ** 1.6 + 0.006
            edges[0].append(canvas.point_to_millimetres(middle - half, y))
            edges[1].append(canvas.point_to_millimetres(middle + half, y))
        canvas.nodes.append(polygon((*edges[0], *reversed(edges[1])), canvas.mood.mix_tone(self.colour)))

"""Layers of the ground: ridges near and far, water, stalactites and roots above, grass and stones
in front."""

from __future__ import annotations

from itertools import pairwise
from typing import Literal

from playproof.generator.art.scenery.canvas import (
    Pair,
    SceneCanvas,
    Tone,
    build_smooth_curves,
    build_straight_lines,
)
from playproof.generator.art.scenery.world_file import Layer, register_layer_kind
from playproof.generator.scene import Command, Path, Rect, circle, ellipse, polygon, rectangle


@register_layer_kind("ridge")
class Ridge(Layer):
    """An edge across the picture, filled to its foot: rolling hills, jagged peaks or long dunes."""

    height: float
    swing: float
    colour: Tone
    shape: Literal["hills", "peaks", "dunes"] = "hills"
    caps: Tone | None = None
    """The colour of the snow on peaks."""

    def paint(self, canvas: SceneCanvas) -> None:
        count = {"hills": 4, "peaks": 9, "dunes": 2}[self.shape]
        knots = [
            canvas.point_to_millimetres(k / count, self._choose_knot_height(canvas, k, count))
            for k in range(count + 1)
        ]
        edge = build_straight_lines(knots) if self.shape == "peaks" else build_smooth_curves(knots)
        left, bottom = canvas.box.x, canvas.box.bottom
        commands: list[Command] = [("M", (left, bottom)), ("L", knots[0]), *edge]
        commands += [("L", (canvas.box.right, bottom)), ("Z", ())]
        canvas.nodes.append(Path(tuple(commands), canvas.mood.mix_tone(self.colour)))
        if self.shape == "peaks":
            self._draw_summit_sides(canvas, knots)

    def _choose_knot_height(self, canvas: SceneCanvas, k: int, count: int) -> float:
        if self.shape == "peaks":  # summit and valley take turns
            return self.height + (-1 if k % 2 else 0.55) * canvas.random.uniform(0.35, 1) * self.swing
        return self.height + canvas.random.uniform(-self.swing, self.swing) * (0.6 if k in (0, count) else 1)

    def _draw_summit_sides(self, canvas: SceneCanvas, knots: list[tuple[float, float]]) -> None:
        """Draw the unlit side of each summit, and its cap of snow if the layer has ``caps``."""
        colour = canvas.mood.mix_tone(self.colour)
        shaded = colour.mix_with(canvas.mood.near, 0.22)
        for (_, left_y), (x, y), (right_x, right_y) in zip(knots, knots[1:], knots[2:], strict=False):
            if not (y < left_y and y < right_y):
                continue
            foot = canvas.box.bottom
            lean = (x + (right_x - x) * 0.25, y + (right_y - y) * 0.9)
            canvas.nodes.append(
                polygon(((x, y), (right_x, right_y), (right_x, foot), (lean[0], foot), lean), shaded)
            )
        if self.caps is None:
            return
        snow = canvas.mood.mix_tone(self.caps)
        for (left_x, left_y), (x, y), (right_x, right_y) in zip(knots, knots[1:], knots[2:], strict=False):
            if not (y < left_y and y < right_y):
                continue
            a = (x + (left_x - x) * 0.36, y + (left_y - y) * 0.36)
            b = (x + (right_x - x) * 0.3, y + (right_y - y) * 0.3)
            low = max(a[1], b[1])
            teeth = (
                (x - (x - a[0]) * 0.35, low - (low - y) * 0.3),
                (x + (b[0] - x) * 0.2, low + (low - y) * 0.12),
            )
            canvas.nodes.append(polygon(((x, y), b, teeth[1], teeth[0], a), snow))


@register_layer_kind("water")
class Water(Layer):
    """A level of water to the foot of the picture, with strips of the light on it."""

    height: float
    colour: Tone
    strips: tuple[int, int] = (9, 14)

    def paint(self, canvas: SceneCanvas) -> None:
        left, top = canvas.point_to_millimetres(0, self.height)
        base = canvas.mood.mix_tone(self.colour)
        canvas.nodes.append(rectangle(Rect(left, top, canvas.box.width, canvas.box.bottom - top), base))
        for _ in range(canvas.random_count_between(self.strips)):
            down = canvas.random.random() ** 1.4 * 0.22
            x, y = canvas.point_to_millimetres(
                0.5 + canvas.random.uniform(-0.4, 0.4) * (0.5 + down * 2), self.height + 0.015 + down
            )
            long = canvas.box.width * canvas.random.uniform(0.05, 0.16)
            high = canvas.height_to_millimetres(0.007 + down * 0.03)
            colour = base.mix_with(canvas.mood.light, 0.42 - down)
            canvas.nodes.append(rectangle(Rect(x - long / 2, y, long, high), colour, None, high / 2))


@register_layer_kind("hanging")
class Hanging(Layer):
    """A ceiling with stalactites, or with roots."""

    height: float = 0.07
    swing: float = 0.05
    teeth: tuple[int, int] = (8, 12)
    length: Pair = (0.05, 0.2)
    colour: Tone = "near"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        knots = [
            canvas.point_to_millimetres(
                k / 5, self.height + canvas.random.uniform(-self.swing, self.swing) * 0.6
            )
            for k in range(6)
        ]
        top = canvas.box.y
        commands: list[Command] = [("M", (canvas.box.x, top)), ("L", knots[0]), *build_smooth_curves(knots)]
        commands += [("L", (canvas.box.right, top)), ("Z", ())]
        canvas.nodes.append(Path(tuple(commands), colour))
        for _ in range(canvas.random_count_between(self.teeth)):
            across = canvas.random.random()
            edge = abs(across - 0.5) * 2  # longer at the sides, so that the middle stays open
            x, y = canvas.point_to_millimetres(across, self.height * 0.4)
            tall = canvas.height_to_millimetres(canvas.random_between(self.length)) * (0.45 + 0.9 * edge)
            wide = tall * canvas.random.uniform(0.1, 0.17)
            tooth: list[Command] = [
                ("M", (x - wide, top)),
                ("L", (x + wide, top)),
                ("L", (x + wide, y)),
                ("C", (x + wide * 0.4, y + tall * 0.4, x + wide * 0.2, y + tall * 0.7, x, y + tall)),
                ("C", (x - wide * 0.2, y + tall * 0.7, x - wide * 0.4, y + tall * 0.4, x - wide, y)),
                ("Z", ()),
            ]
            canvas.nodes.append(Path(tuple(tooth), colour))


@register_layer_kind("tufts")
class Tufts(Layer):
    """Blades of grass in tufts along the foreground."""

    foot: float
    count: int = 11
    colour: Tone = "near"

    def paint(self, canvas: SceneCanvas) -> None:
        blades: list[Command] = []
        for _ in range(self.count):
            x, y = canvas.point_to_millimetres(
                canvas.random.random(), self.foot + canvas.random.uniform(0.0, 0.03)
            )
            for lean in (-0.5, 0.0, 0.45):
                height = canvas.box.height * canvas.random.uniform(0.035, 0.06)
                blades += [
                    ("M", (x - height * 0.12, y)),
                    ("L", (x + lean * height, y - height)),
                    ("L", (x + height * 0.12, y)),
                    ("Z", ()),
                ]
        canvas.nodes.append(Path(tuple(blades), canvas.mood.mix_tone(self.colour)))


@register_layer_kind("stones")
class Stones(Layer):
    """Rounded stones, or angular slabs, that lie along the foreground."""

    foot: float
    count: tuple[int, int] = (6, 10)
    size: Pair = (0.02, 0.05)
    shape: Literal["round", "slab"] = "round"
    colour: Tone = "near 0.3 middle"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        lit = colour.mix_with(canvas.mood.light, 0.16)
        for _ in range(canvas.random_count_between(self.count)):
            x, y = canvas.point_to_millimetres(
                canvas.random.random(), self.foot + canvas.random.uniform(0.0, 0.05)
            )
            size = canvas.height_to_millimetres(canvas.random_between(self.size))
            if self.shape == "round":
                canvas.nodes.append(ellipse(x, y, size, size * 0.62, colour))
                canvas.nodes.append(ellipse(x - size * 0.2, y - size * 0.22, size * 0.5, size * 0.22, lit))
            else:
                lean = canvas.random.uniform(-0.3, 0.3) * size
                block = (
                    (x - size, y + size * 0.5),
                    (x - size * 0.8 + lean, y - size * 0.5),
                    (x + size * 0.7 + lean, y - size * 0.7),
                    (x + size * 1.1, y + size * 0.5),
                )
                canvas.nodes.append(polygon(block, colour))
                canvas.nodes.append(polygon((block[1], block[2], (x + size * 0.5, y - size * 0.3)), lit))


@register_layer_kind("shells")
class Shells(Layer):
    """Small shells and starfish on the sand: rounds of two tones."""

    foot: float
    count: tuple[int, int] = (3, 6)
    size: Pair = (0.012, 0.022)
    colour: Tone = "near 0.35 light"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        for _ in range(canvas.random_count_between(self.count)):
            x, y = canvas.point_to_millimetres(
                canvas.random.uniform(0.03, 0.97), self.foot + canvas.random.uniform(0, 0.05)
            )
            size = canvas.height_to_millimetres(canvas.random_between(self.size))
            shape = ((-1, 0), (-0.75, -0.8), (0, -1.15), (0.75, -0.8), (1, 0), (0, 0.45))
            fan = [(x + dx * size, y + dy * size) for dx, dy in shape]
            canvas.nodes.append(polygon(tuple(fan), colour))
            for (ax, ay), (bx, by) in pairwise(fan[1:4]):
                canvas.nodes.append(circle((ax + bx) / 2, (ay + by) / 2, size * 0.16, canvas.mood.near))


@register_layer_kind("steps")
class Steps(Layer):
    """Flagstones: courses that widen towards the front."""

    height: float
    count: int = 3
    colour: Tone = "near"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        for k in range(self.count):
            left, top = canvas.point_to_millimetres(0, self.height + k * 0.045)
            course = Rect(left, top, canvas.box.width, canvas.box.bottom - top)
            canvas.nodes.append(rectangle(course, colour.mix_with(canvas.mood.middle, 0.28 - 0.09 * k)))
            wide = canvas.box.width * (0.16 + 0.05 * k)
            start = left - wide * canvas.random.random()
            joint = colour.mix_with(canvas.mood.ink, 0.35)
            while start < canvas.box.right:
                canvas.nodes.append(
                    rectangle(Rect(start, top, 0.25, canvas.height_to_millimetres(0.045)), joint)
                )
                start += wide * canvas.random.uniform(0.8, 1.25)
            edge = colour.mix_with(canvas.mood.light, 0.22)
            canvas.nodes.append(rectangle(Rect(left, top, canvas.box.width, 0.25), edge))

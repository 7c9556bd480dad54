"""Layers of a picture that is no landscape: light around a portrait, a wall with a window, a cloth
on a table, the shade of what lies there."""

from __future__ import annotations

from math import cos, pi, sin
from typing import Literal

from playproof.generator.art.scenery.worlds import Layer, Pair, SceneCanvas, Tone, register_layer_class_as_kind
from playproof.generator.scene import (
    Colour,
    Command,
    LinearGradient,
    Path,
    Rect,
    Stop,
    build_circle_path,
    build_ellipse_path,
    build_polygon_path,
    build_rectangle_path,
)


@register_layer_class_as_kind("halo")
class Halo(Layer):
    """Light around the head of a portrait: wedges to the edge of the picture, and discs in each other."""

    y: float = 0.42
    radius: float = 0.44
    rays: int = 28
    share: float = 0.16
    """How much light there is in the wedges."""

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        x, y = canvas.box_shares_to_millimetres(0.5, self.y)
        bright = canvas.get_sky_colour_at_y_share(self.y).mix_with(canvas.mood.light, self.share)
        reach = canvas.box.width + canvas.box.height
        turn = canvas.random.random()
        for k in range(0, self.rays, 2):
            a, b = ((k + turn + wide) * 2 * pi / self.rays for wide in (0, 1))
            ends = ((x + reach * cos(a), y + reach * sin(a)), (x + reach * cos(b), y + reach * sin(b)))
            canvas.nodes.append(build_polygon_path(((x, y), *ends), bright))
        size = canvas.height_share_to_millimetres(self.radius) * canvas.ground
        for ring, share in ((1.0, 0.5), (0.93, 0.24), (0.86, 0.62)):
            canvas.nodes.append(
                build_circle_path(
                    x, y, size * ring, canvas.get_sky_colour_at_y_share(self.y).mix_with(canvas.mood.light, share)
                )
            )


@register_layer_class_as_kind("wall")
class Wall(Layer):
    """A wall that fills the picture: of boards, of stones, or bare."""

    of: Literal["boards", "stones", "plain"] = "boards"
    colour: Tone = "middle 0.3 far"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        dark, box = colour.mix_with(canvas.mood.near, 0.5), canvas.box
        stops = (Stop(0, colour.mix_with(canvas.mood.near, 0.3)), Stop(1, colour))
        canvas.nodes.append(
            build_rectangle_path(box, LinearGradient(0, box.y, 0, canvas.box_shares_to_millimetres(0, 0.8)[1], stops))
        )
        if self.of == "boards":
            self._draw_board_joints(canvas, dark)
        elif self.of == "stones":
            self._draw_stone_joints(canvas, dark)

    def _draw_board_joints(self, canvas: SceneCanvas, joint_colour: Colour) -> None:
        x = canvas.box.x
        while x < canvas.box.right:
            canvas.nodes.append(build_rectangle_path(Rect(x, canvas.box.y, 0.3, canvas.box.height), joint_colour))
            x += canvas.box.width * canvas.random.uniform(0.09, 0.13)

    def _draw_stone_joints(self, canvas: SceneCanvas, joint_colour: Colour) -> None:
        tall = canvas.height_share_to_millimetres(0.11)
        for row in range(10):
            top = canvas.box.y + row * tall
            canvas.nodes.append(build_rectangle_path(Rect(canvas.box.x, top, canvas.box.width, 0.3), joint_colour))
            x = canvas.box.x + canvas.box.width * canvas.random.uniform(0, 0.1)
            while x < canvas.box.right:
                canvas.nodes.append(build_rectangle_path(Rect(x, top, 0.3, tall), joint_colour))
                x += canvas.box.width * canvas.random.uniform(0.12, 0.2)


@register_layer_class_as_kind("window")
class Window(Layer):
    """An arch in a wall through which the sky, a hill and the sun or moon are seen."""

    y: float = 0.66
    height: float = 0.56
    width: float = 0.62
    """Of the height."""
    frame: Tone = "near"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        mood = canvas.mood
        x, foot = canvas.box_shares_to_millimetres(0.5, self.y)
        tall = canvas.height_share_to_millimetres(self.height) * canvas.ground
        canvas.nodes.append(
            build_arch_path(
                x, foot, tall * 1.06, tall * self.width * 1.1, mood.get_or_mix_colour_of_tone_words(self.frame)
            )
        )
        stops = (Stop(0, mood.sky), Stop(1, mood.horizon))
        sky = LinearGradient(0, foot - tall, 0, foot, stops)
        half = tall * self.width / 2
        canvas.nodes.append(build_arch_path(x, foot, tall, half * 2, sky))
        radius = half * canvas.random.uniform(0.24, 0.32)
        sun = x + half * canvas.random.uniform(-0.4, 0.4)
        for ring, share in ((1.7, 0.35), (1.0, 1.0)):
            shine = canvas.get_sky_colour_at_y_share(0.3).mix_with(mood.light, share)
            canvas.nodes.append(build_circle_path(sun, foot - tall * 0.56, radius * ring, shine))
        left, right = x - half, x + half
        rise = [tall * canvas.random.uniform(0.16, 0.34) for _ in range(2)]
        hill: list[Command] = [
            ("M", (left, foot)),
            ("L", (left, foot - rise[0])),
            ("C", (left + half * 0.7, foot - rise[0] * 1.5, x, foot - rise[1] * 0.4, right, foot - rise[1])),
            ("L", (right, foot)),
            ("Z", ()),
        ]
        canvas.nodes.append(Path(tuple(hill), mood.far))


def build_arch_path(x: float, foot: float, height: float, width: float, fill: Colour | LinearGradient) -> Path:
    """Return an arch with a round top: `x` is its middle, `foot` the height it stands at."""
    half = width / 2
    spring = foot - height + half
    bend = half * 0.552  # the handle of a cubic curve that follows a quarter of a circle
    commands: list[Command] = [
        ("M", (x - half, foot)),
        ("L", (x - half, spring)),
        ("C", (x - half, spring - bend, x - bend, foot - height, x, foot - height)),
        ("C", (x + bend, foot - height, x + half, spring - bend, x + half, spring)),
        ("L", (x + half, foot)),
        ("Z", ()),
    ]
    return Path(tuple(commands), fill)


@register_layer_class_as_kind("cloth")
class Cloth(Layer):
    """A table with a cloth: its top with a woven border, and the folds that hang in front."""

    height: float = 0.72
    edge: float = 0.86
    colour: Tone = "horizon 0.45 light"
    border: Tone = "middle"
    folds: tuple[int, int] = (7, 10)

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour, border = (
            canvas.mood.get_or_mix_colour_of_tone_words(self.colour),
            canvas.mood.get_or_mix_colour_of_tone_words(self.border),
        )
        left, top = canvas.box_shares_to_millimetres(0, self.height)
        edge = canvas.box_shares_to_millimetres(0, self.edge)[1]
        width = canvas.box.width
        canvas.nodes.append(build_rectangle_path(Rect(left, top, width, edge - top), colour))
        band = (edge - top) * 0.16
        canvas.nodes.append(build_rectangle_path(Rect(left, top + band, width, band), colour.mix_with(border, 0.55)))
        shade = colour.mix_with(canvas.mood.near, 0.28)
        canvas.nodes.append(build_rectangle_path(Rect(left, edge, width, canvas.box.bottom - edge), shade))
        count = canvas.draw_random_integer_in_closed_range(self.folds)
        for k in range(count):
            middle = left + width * (k + canvas.random.uniform(0.3, 0.7)) / count
            half = width / count * canvas.random.uniform(0.18, 0.34)
            fold = ((middle, edge), (middle + half, canvas.box.bottom), (middle - half, canvas.box.bottom))
            canvas.nodes.append(build_polygon_path(fold, shade.mix_with(canvas.mood.near, 0.35)))
        canvas.nodes.append(
            build_rectangle_path(Rect(left, edge - 0.2, width, 0.5), colour.mix_with(canvas.mood.light, 0.4))
        )


@register_layer_class_as_kind("shade")
class Shade(Layer):
    """What a thing darkens of the ground it lies on."""

    foot: float
    width: Pair = (0.2, 0.24)
    """Half of it, as a share of the width."""
    colour: Tone = "horizon 0.6 near"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        x, y = canvas.box_shares_to_millimetres(0.5, self.foot)
        half = canvas.box.width * canvas.draw_random_number_in_range(self.width)
        canvas.nodes.append(
            build_ellipse_path(x, y, half, half * 0.16, canvas.mood.get_or_mix_colour_of_tone_words(self.colour))
        )

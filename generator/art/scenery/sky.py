"""Layers of the air, or of what fills a scene in place of air: sky, light, stars, clouds, birds,
rays, bubbles, mist."""

from __future__ import annotations

from math import cos, pi, sin

from playproof.generator.art.scenery.canvas import Pair, SceneCanvas, Tone
from playproof.generator.art.scenery.world_file import Layer, register_layer_kind
from playproof.generator.scene import (
    WHITE,
    Colour,
    Command,
    LinearGradient,
    Path,
    Rect,
    Stop,
    circle,
    ellipse,
    polygon,
    rectangle,
)


@register_layer_kind("sky")
class Sky(Layer):
    """The whole box, from the colour of the sky to that of the horizon."""

    until: float = 0.75

    def paint(self, canvas: SceneCanvas) -> None:
        top, foot = canvas.point_to_millimetres(0, 0)[1], canvas.point_to_millimetres(0, self.until)[1]
        stops = (Stop(0, canvas.mood.sky), Stop(1, canvas.mood.horizon))
        canvas.nodes.append(rectangle(canvas.box, LinearGradient(0, top, 0, foot, stops)))


@register_layer_kind("disc")
class Disc(Layer):
    """A sun or moon in rings of its own light, behind the middle of the picture."""

    x: Pair = (0.36, 0.64)
    y: Pair = (0.26, 0.38)
    radius: Pair = (0.12, 0.16)
    rings: tuple[Pair, ...] = ((3.4, 0.14), (2.5, 0.26), (1.7, 0.42))
    craters: bool = True

    def paint(self, canvas: SceneCanvas) -> None:
        mood = canvas.mood
        across, height = canvas.random_between(self.x), canvas.random_between(self.y)
        x, y = canvas.point_to_millimetres(across, height)
        radius = canvas.box.height * canvas.random_between(self.radius)
        behind = canvas.sky_colour_at_height(height)
        for ring, share in self.rings:
            canvas.nodes.append(circle(x, y, radius * ring, behind.mix_with(mood.light, share)))
        canvas.nodes.append(circle(x, y, radius, mood.light))
        if mood.night and self.craters:
            shade = mood.light.mix_with(mood.horizon, 0.28)
            for dx, dy, r in ((-0.35, -0.2, 0.2), (0.3, 0.25, 0.26), (0.05, -0.55, 0.12)):
                canvas.nodes.append(circle(x + dx * radius, y + dy * radius, r * radius, shade))


@register_layer_kind("rays")
class Rays(Layer):
    """Shafts of light that fall from above and fade."""

    count: tuple[int, int] = (4, 6)
    lean: Pair = (-0.25, 0.05)
    width: Pair = (0.05, 0.12)
    foot: Pair = (0.65, 0.95)
    share: float = 0.3

    def paint(self, canvas: SceneCanvas) -> None:
        mood = canvas.mood
        top, foot = canvas.point_to_millimetres(0, 0)[1], canvas.point_to_millimetres(0, 0.75)[1]
        bright = (Stop(0, mood.sky.mix_with(mood.light, self.share)), Stop(1, mood.horizon))
        for _ in range(canvas.random_count_between(self.count)):
            start, width = canvas.random.uniform(-0.05, 1.05), canvas.random_between(self.width)
            lean, low = canvas.random_between(self.lean), canvas.random_between(self.foot)
            corners = (
                (start - width * 0.3, 0.0),
                (start + width * 0.3, 0.0),
                (start + lean + width, low),
                (start + lean - width, low),
            )
            points = tuple(canvas.point_to_millimetres(x, y) for x, y in corners)
            canvas.nodes.append(polygon(points, LinearGradient(0, top, 0, foot, bright)))


@register_layer_kind("glow")
class Glow(Layer):
    """A far opening full of light: an arch, ring in ring."""

    x: Pair = (0.4, 0.6)
    y: float = 0.62
    height: Pair = (0.34, 0.44)
    width: float = 0.62
    rings: tuple[Pair, ...] = ((1.9, 0.12), (1.45, 0.28), (1.15, 0.5), (0.8, 0.85))

    def paint(self, canvas: SceneCanvas) -> None:
        across, height = canvas.random_between(self.x), canvas.random_between(self.height)
        for ring, share in self.rings:
            tall = canvas.height_to_millimetres(height) * ring
            half = tall * self.width / 2
            x, y = canvas.point_to_millimetres(across, self.y)
            colour = canvas.sky_colour_at_height(0.4).mix_with(canvas.mood.light, share)
            arch: list[Command] = [
                ("M", (x - half, y)),
                ("L", (x - half, y - tall * 0.45)),
                ("C", (x - half, y - tall * 0.8, x - half * 0.5, y - tall, x, y - tall)),
                ("C", (x + half * 0.5, y - tall, x + half, y - tall * 0.8, x + half, y - tall * 0.45)),
                ("L", (x + half, y)),
                ("Z", ()),
            ]
            canvas.nodes.append(Path(tuple(arch), colour))


@register_layer_kind("stars")
class Stars(Layer):
    """Four-pointed stars, or sparks."""

    count: tuple[int, int] = (9, 15)
    band: Pair = (0.03, 0.5)
    size: Pair = (0.25, 0.7)
    colour: Tone = "light"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        for _ in range(canvas.random_count_between(self.count)):
            x, y = canvas.point_to_millimetres(canvas.random.random(), canvas.random_between(self.band))
            size = canvas.random_between(self.size)
            points = []
            for k in range(8):
                reach = size if k % 2 == 0 else size * 0.34
                points.append((x + reach * sin(k * pi / 4), y - reach * cos(k * pi / 4)))
            canvas.nodes.append(polygon(tuple(points), colour))


@register_layer_kind("clouds")
class Clouds(Layer):
    """Low clouds of four rounds and a flat foot."""

    count: tuple[int, int] = (2, 3)
    band: Pair = (0.08, 0.34)
    size: Pair = (0.045, 0.075)

    def paint(self, canvas: SceneCanvas) -> None:
        for _ in range(canvas.random_count_between(self.count)):
            across, height = canvas.random.uniform(0.02, 0.98), canvas.random_between(self.band)
            colour = canvas.mood.sky.mix_with(canvas.mood.horizon, height).mix_with(WHITE, 0.45)
            x, y = canvas.point_to_millimetres(across, height)
            size = canvas.box.height * canvas.random_between(self.size)
            for dx, dy, r in ((-1.5, 0.1, 0.75), (-0.5, -0.35, 1.0), (0.6, -0.15, 0.85), (1.5, 0.15, 0.6)):
                canvas.nodes.append(circle(x + dx * size, y + dy * size, r * size, colour))
            foot = Rect(x - 2 * size, y, size * 4, size * 0.75)
            canvas.nodes.append(rectangle(foot, colour, None, size * 0.37))


@register_layer_kind("mist")
class Mist(Layer):
    """Level bands of haze with round ends."""

    count: tuple[int, int] = (2, 4)
    band: Pair = (0.5, 0.66)
    size: Pair = (0.018, 0.034)
    length: Pair = (0.3, 0.7)
    colour: Tone = "horizon 0.35 light"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        for _ in range(canvas.random_count_between(self.count)):
            x, y = canvas.point_to_millimetres(
                canvas.random.uniform(-0.1, 0.8), canvas.random_between(self.band)
            )
            high, long = (
                canvas.height_to_millimetres(canvas.random_between(self.size)),
                canvas.box.width * canvas.random_between(self.length),
            )
            canvas.nodes.append(rectangle(Rect(x, y, long, high), colour, None, high / 2))
            second = Rect(x + long * 0.35, y + high * 0.8, long * 0.9, high * 0.8)
            canvas.nodes.append(rectangle(second, colour, None, high * 0.4))


@register_layer_kind("birds")
class Birds(Layer):
    """Birds far away, each a pair of wings."""

    count: tuple[int, int] = (2, 4)
    band: Pair = (0.1, 0.4)
    size: float = 0.02

    def paint(self, canvas: SceneCanvas) -> None:
        for _ in range(canvas.random_count_between(self.count)):
            x, y = canvas.point_to_millimetres(
                canvas.random.uniform(0.08, 0.92), canvas.random_between(self.band)
            )
            colour = canvas.mood.sky.mix_with(canvas.mood.ink, 0.55)
            canvas.nodes.append(_draw_bird(x, y, canvas.box.height * self.size, colour))


def _draw_bird(x: float, y: float, size: float, colour: Colour) -> Path:
    wings: list[Command] = [
        ("M", (x - 2 * size, y - size)),
        ("C", (x - size, y - 1.5 * size, x - 0.3 * size, y - 0.8 * size, x, y)),
        ("C", (x + 0.3 * size, y - 0.8 * size, x + size, y - 1.5 * size, x + 2 * size, y - size)),
        ("C", (x + size, y - size, x + 0.4 * size, y - 0.4 * size, x, y + 0.45 * size)),
        ("C", (x - 0.4 * size, y - 0.4 * size, x - size, y - size, x - 2 * size, y - size)),
        ("Z", ()),
    ]
    return Path(tuple(wings), colour)


@register_layer_kind("bubbles")
class Bubbles(Layer):
    """Strings of bubbles that rise, larger towards the top, each with a spot of light."""

    strings: tuple[int, int] = (2, 4)
    each: tuple[int, int] = (3, 6)
    size: Pair = (0.008, 0.022)

    def paint(self, canvas: SceneCanvas) -> None:
        mood = canvas.mood
        for _ in range(canvas.random_count_between(self.strings)):
            across, height = canvas.random.uniform(0.05, 0.95), canvas.random.uniform(0.45, 0.75)
            for k in range(canvas.random_count_between(self.each)):
                x, y = canvas.point_to_millimetres(
                    across + canvas.random.uniform(-0.02, 0.02), height - 0.07 * k
                )
                radius = canvas.height_to_millimetres(canvas.random_between(self.size)) * (1 + 0.14 * k)
                colour = canvas.sky_colour_at_height(height - 0.07 * k).mix_with(mood.light, 0.4)
                canvas.nodes.append(circle(x, y, radius, colour))
                canvas.nodes.append(circle(x - radius * 0.3, y - radius * 0.3, radius * 0.3, mood.light))


@register_layer_kind("shoal")
class Shoal(Layer):
    """A few fish that swim one way."""

    count: tuple[int, int] = (4, 8)
    band: Pair = (0.14, 0.46)
    size: float = 0.022
    colour: Tone = "far 0.35 sky"

    def paint(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.mix_tone(self.colour)
        away = 1 if canvas.random.random() < 0.5 else -1
        middle, height = canvas.random.uniform(0.2, 0.8), canvas.random_between(self.band)
        for _ in range(canvas.random_count_between(self.count)):
            x, y = canvas.point_to_millimetres(
                middle + canvas.random.uniform(-0.16, 0.16), height + canvas.random.uniform(-0.06, 0.06)
            )
            size = canvas.height_to_millimetres(self.size) * canvas.random.uniform(0.7, 1.2)
            canvas.nodes.append(ellipse(x, y, size * 1.5, size * 0.62, colour))
            tail = (
                (x - away * size * 1.1, y),
                (x - away * size * 2.2, y - size * 0.7),
                (x - away * size * 2.2, y + size * 0.7),
            )
            canvas.nodes.append(polygon(tail, colour))

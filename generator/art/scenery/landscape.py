"""Layers of a landscape, under water too: the ground with ridges, water, grass and stones, and the sky or
what fills its place, with lights, clouds and birds."""

from __future__ import annotations

from itertools import pairwise
from math import cos, pi, sin
from typing import Literal

from playproof.generator.art.scenery.worlds import (
    Layer,
    Pair,
    SceneCanvas,
    Tone,
    build_level_curves_after_first_knot,
    build_lines_to_knots_after_first,
    register_layer_class_as_kind,
)
from playproof.generator.scene import (
    WHITE,
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

# -- land ----------------------------------------------------------------------------------------------------
# Layers of the ground: ridges near and far, water, stalactites and roots above, grass and stones in front.


@register_layer_class_as_kind("ridge")
class Ridge(Layer):
    """An edge across the picture, filled to its foot: rolling hills, jagged peaks or long dunes."""

    height: float
    swing: float
    colour: Tone
    shape: Literal["hills", "peaks", "dunes"] = "hills"
    caps: Tone | None = None
    """The colour of the snow on peaks."""

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        count = {"hills": 4, "peaks": 9, "dunes": 2}[self.shape]
        knots = [
            canvas.box_shares_to_millimetres(k / count, self._choose_random_knot_height(canvas, k, count))
            for k in range(count + 1)
        ]
        edge = (
            build_lines_to_knots_after_first(knots)
            if self.shape == "peaks"
            else build_level_curves_after_first_knot(knots)
        )
        left, bottom = canvas.box.x, canvas.box.bottom
        commands: list[Command] = [("M", (left, bottom)), ("L", knots[0]), *edge]
        commands += [("L", (canvas.box.right, bottom)), ("Z", ())]
        canvas.nodes.append(Path(tuple(commands), canvas.mood.get_or_mix_colour_of_tone_words(self.colour)))
        if self.shape == "peaks":
            self._draw_shaded_sides_and_snow_caps(canvas, knots)

    def _choose_random_knot_height(self, canvas: SceneCanvas, knot_index: int, knot_count: int) -> float:
        if self.shape == "peaks":  # summit and valley take turns
            return self.height + (-1 if knot_index % 2 else 0.55) * canvas.random.uniform(0.35, 1) * self.swing
        return self.height + canvas.random.uniform(-self.swing, self.swing) * (
            0.6 if knot_index in (0, knot_count) else 1
        )

    def _draw_shaded_sides_and_snow_caps(self, canvas: SceneCanvas, knots: list[tuple[float, float]]) -> None:
        """Draw the unlit side of each summit, and its cap of snow if the layer has ``caps``."""
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        shaded = colour.mix_with(canvas.mood.near, 0.22)
        for (_, left_y), (x, y), (right_x, right_y) in zip(knots, knots[1:], knots[2:], strict=False):
            if not (y < left_y and y < right_y):
                continue
            foot = canvas.box.bottom
            lean = (x + (right_x - x) * 0.25, y + (right_y - y) * 0.9)
            canvas.nodes.append(
                build_polygon_path(((x, y), (right_x, right_y), (right_x, foot), (lean[0], foot), lean), shaded)
            )
        if self.caps is None:
            return
        snow = canvas.mood.get_or_mix_colour_of_tone_words(self.caps)
        for (left_x, left_y), (x, y), (right_x, right_y) in zip(knots, knots[1:], knots[2:], strict=False):
            if not (y < left_y and y < right_y):
                continue
            a = (x + (left_x - x) * 0.36, y + (left_y - y) * 0.36)
            b = (x + (right_x - x) * 0.3, y + (right_y - y) * 0.3)
            low = max(a[1], b[1])
            teeth = ((x - (x - a[0]) * 0.35, low - (low - y) * 0.3), (x + (b[0] - x) * 0.2, low + (low - y) * 0.12))
            canvas.nodes.append(build_polygon_path(((x, y), b, teeth[1], teeth[0], a), snow))


@register_layer_class_as_kind("water")
class Water(Layer):
    """A level of water to the foot of the picture, with strips of the light on it."""

    height: float
    colour: Tone
    strips: tuple[int, int] = (9, 14)

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        left, top = canvas.box_shares_to_millimetres(0, self.height)
        base = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        canvas.nodes.append(build_rectangle_path(Rect(left, top, canvas.box.width, canvas.box.bottom - top), base))
        for _ in range(canvas.draw_random_integer_in_closed_range(self.strips)):
            down = canvas.random.random() ** 1.4 * 0.22
            x, y = canvas.box_shares_to_millimetres(
                0.5 + canvas.random.uniform(-0.4, 0.4) * (0.5 + down * 2), self.height + 0.015 + down
            )
            long = canvas.box.width * canvas.random.uniform(0.05, 0.16)
            high = canvas.height_share_to_millimetres(0.007 + down * 0.03)
            colour = base.mix_with(canvas.mood.light, 0.42 - down)
            canvas.nodes.append(build_rectangle_path(Rect(x - long / 2, y, long, high), colour, None, high / 2))


@register_layer_class_as_kind("hanging")
class Hanging(Layer):
    """A ceiling with stalactites, or with roots."""

    height: float = 0.07
    swing: float = 0.05
    teeth: tuple[int, int] = (8, 12)
    length: Pair = (0.05, 0.2)
    colour: Tone = "near"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        knots = [
            canvas.box_shares_to_millimetres(k / 5, self.height + canvas.random.uniform(-self.swing, self.swing) * 0.6)
            for k in range(6)
        ]
        top = canvas.box.y
        commands: list[Command] = [
            ("M", (canvas.box.x, top)),
            ("L", knots[0]),
            *build_level_curves_after_first_knot(knots),
        ]
        commands += [("L", (canvas.box.right, top)), ("Z", ())]
        canvas.nodes.append(Path(tuple(commands), colour))
        for _ in range(canvas.draw_random_integer_in_closed_range(self.teeth)):
            across = canvas.random.random()
            edge = abs(across - 0.5) * 2  # longer at the sides, so that the middle stays open
            x, y = canvas.box_shares_to_millimetres(across, self.height * 0.4)
            tall = canvas.height_share_to_millimetres(canvas.draw_random_number_in_range(self.length)) * (
                0.45 + 0.9 * edge
            )
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


@register_layer_class_as_kind("tufts")
class Tufts(Layer):
    """Blades of grass in tufts along the foreground."""

    foot: float
    count: int = 11
    colour: Tone = "near"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        blades: list[Command] = []
        for _ in range(self.count):
            x, y = canvas.box_shares_to_millimetres(
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
        canvas.nodes.append(Path(tuple(blades), canvas.mood.get_or_mix_colour_of_tone_words(self.colour)))


@register_layer_class_as_kind("stones")
class Stones(Layer):
    """Rounded stones, or angular slabs, that lie along the foreground."""

    foot: float
    count: tuple[int, int] = (6, 10)
    size: Pair = (0.02, 0.05)
    shape: Literal["round", "slab"] = "round"
    colour: Tone = "near 0.3 middle"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        lit = colour.mix_with(canvas.mood.light, 0.16)
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            x, y = canvas.box_shares_to_millimetres(
                canvas.random.random(), self.foot + canvas.random.uniform(0.0, 0.05)
            )
            size = canvas.height_share_to_millimetres(canvas.draw_random_number_in_range(self.size))
            if self.shape == "round":
                canvas.nodes.append(build_ellipse_path(x, y, size, size * 0.62, colour))
                canvas.nodes.append(build_ellipse_path(x - size * 0.2, y - size * 0.22, size * 0.5, size * 0.22, lit))
            else:
                lean = canvas.random.uniform(-0.3, 0.3) * size
                block = (
                    (x - size, y + size * 0.5),
                    (x - size * 0.8 + lean, y - size * 0.5),
                    (x + size * 0.7 + lean, y - size * 0.7),
                    (x + size * 1.1, y + size * 0.5),
                )
                canvas.nodes.append(build_polygon_path(block, colour))
                canvas.nodes.append(build_polygon_path((block[1], block[2], (x + size * 0.5, y - size * 0.3)), lit))


@register_layer_class_as_kind("shells")
class Shells(Layer):
    """Small shells and starfish on the sand: rounds of two tones."""

    foot: float
    count: tuple[int, int] = (3, 6)
    size: Pair = (0.012, 0.022)
    colour: Tone = "near 0.35 light"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            x, y = canvas.box_shares_to_millimetres(
                canvas.random.uniform(0.03, 0.97), self.foot + canvas.random.uniform(0, 0.05)
            )
            size = canvas.height_share_to_millimetres(canvas.draw_random_number_in_range(self.size))
            shape = ((-1, 0), (-0.75, -0.8), (0, -1.15), (0.75, -0.8), (1, 0), (0, 0.45))
            fan = [(x + dx * size, y + dy * size) for dx, dy in shape]
            canvas.nodes.append(build_polygon_path(tuple(fan), colour))
            for (ax, ay), (bx, by) in pairwise(fan[1:4]):
                canvas.nodes.append(build_circle_path((ax + bx) / 2, (ay + by) / 2, size * 0.16, canvas.mood.near))


@register_layer_class_as_kind("steps")
class Steps(Layer):
    """Flagstones: courses that widen towards the front."""

    height: float
    count: int = 3
    colour: Tone = "near"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        for k in range(self.count):
            left, top = canvas.box_shares_to_millimetres(0, self.height + k * 0.045)
            course = Rect(left, top, canvas.box.width, canvas.box.bottom - top)
            canvas.nodes.append(build_rectangle_path(course, colour.mix_with(canvas.mood.middle, 0.28 - 0.09 * k)))
            wide = canvas.box.width * (0.16 + 0.05 * k)
            start = left - wide * canvas.random.random()
            joint = colour.mix_with(canvas.mood.ink, 0.35)
            while start < canvas.box.right:
                canvas.nodes.append(
                    build_rectangle_path(Rect(start, top, 0.25, canvas.height_share_to_millimetres(0.045)), joint)
                )
                start += wide * canvas.random.uniform(0.8, 1.25)
            edge = colour.mix_with(canvas.mood.light, 0.22)
            canvas.nodes.append(build_rectangle_path(Rect(left, top, canvas.box.width, 0.25), edge))


# -- sky -----------------------------------------------------------------------------------------------------
# Layers of the air, or of what fills a scene in place of air: sky, light, stars, clouds, birds, rays,
# bubbles, mist.


@register_layer_class_as_kind("sky")
class Sky(Layer):
    """The whole box, from the colour of the sky to that of the horizon."""

    until: float = 0.75

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        top, foot = (canvas.box_shares_to_millimetres(0, 0)[1], canvas.box_shares_to_millimetres(0, self.until)[1])
        stops = (Stop(0, canvas.mood.sky), Stop(1, canvas.mood.horizon))
        canvas.nodes.append(build_rectangle_path(canvas.box, LinearGradient(0, top, 0, foot, stops)))


@register_layer_class_as_kind("disc")
class Disc(Layer):
    """A sun or moon in rings of its own light, behind the middle of the picture."""

    x: Pair = (0.36, 0.64)
    y: Pair = (0.26, 0.38)
    radius: Pair = (0.12, 0.16)
    rings: tuple[Pair, ...] = ((3.4, 0.14), (2.5, 0.26), (1.7, 0.42))
    craters: bool = True

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        mood = canvas.mood
        across, height = canvas.draw_random_number_in_range(self.x), canvas.draw_random_number_in_range(self.y)
        x, y = canvas.box_shares_to_millimetres(across, height)
        radius = canvas.box.height * canvas.draw_random_number_in_range(self.radius)
        behind = canvas.get_sky_colour_at_y_share(height)
        for ring, share in self.rings:
            canvas.nodes.append(build_circle_path(x, y, radius * ring, behind.mix_with(mood.light, share)))
        canvas.nodes.append(build_circle_path(x, y, radius, mood.light))
        if mood.night and self.craters:
            shade = mood.light.mix_with(mood.horizon, 0.28)
            for dx, dy, r in ((-0.35, -0.2, 0.2), (0.3, 0.25, 0.26), (0.05, -0.55, 0.12)):
                canvas.nodes.append(build_circle_path(x + dx * radius, y + dy * radius, r * radius, shade))


@register_layer_class_as_kind("rays")
class Rays(Layer):
    """Shafts of light that fall from above and fade."""

    count: tuple[int, int] = (4, 6)
    lean: Pair = (-0.25, 0.05)
    width: Pair = (0.05, 0.12)
    foot: Pair = (0.65, 0.95)
    share: float = 0.3

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        mood = canvas.mood
        top, foot = canvas.box_shares_to_millimetres(0, 0)[1], canvas.box_shares_to_millimetres(0, 0.75)[1]
        bright = (Stop(0, mood.sky.mix_with(mood.light, self.share)), Stop(1, mood.horizon))
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            start, width = canvas.random.uniform(-0.05, 1.05), canvas.draw_random_number_in_range(self.width)
            lean, low = canvas.draw_random_number_in_range(self.lean), canvas.draw_random_number_in_range(self.foot)
            corners = (
                (start - width * 0.3, 0.0),
                (start + width * 0.3, 0.0),
                (start + lean + width, low),
                (start + lean - width, low),
            )
            points = tuple(canvas.box_shares_to_millimetres(x, y) for x, y in corners)
            canvas.nodes.append(build_polygon_path(points, LinearGradient(0, top, 0, foot, bright)))


@register_layer_class_as_kind("glow")
class Glow(Layer):
    """A far opening full of light: an arch, ring in ring."""

    x: Pair = (0.4, 0.6)
    y: float = 0.62
    height: Pair = (0.34, 0.44)
    width: float = 0.62
    rings: tuple[Pair, ...] = ((1.9, 0.12), (1.45, 0.28), (1.15, 0.5), (0.8, 0.85))

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        across, height = canvas.draw_random_number_in_range(self.x), canvas.draw_random_number_in_range(self.height)
        for ring, share in self.rings:
            tall = canvas.height_share_to_millimetres(height) * ring
            half = tall * self.width / 2
            x, y = canvas.box_shares_to_millimetres(across, self.y)
            colour = canvas.get_sky_colour_at_y_share(0.4).mix_with(canvas.mood.light, share)
            arch: list[Command] = [
                ("M", (x - half, y)),
                ("L", (x - half, y - tall * 0.45)),
                ("C", (x - half, y - tall * 0.8, x - half * 0.5, y - tall, x, y - tall)),
                ("C", (x + half * 0.5, y - tall, x + half, y - tall * 0.8, x + half, y - tall * 0.45)),
                ("L", (x + half, y)),
                ("Z", ()),
            ]
            canvas.nodes.append(Path(tuple(arch), colour))


@register_layer_class_as_kind("stars")
class Stars(Layer):
    """Four-pointed stars, or sparks."""

    count: tuple[int, int] = (9, 15)
    band: Pair = (0.03, 0.5)
    size: Pair = (0.25, 0.7)
    colour: Tone = "light"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            x, y = canvas.box_shares_to_millimetres(
                canvas.random.random(), canvas.draw_random_number_in_range(self.band)
            )
            size = canvas.draw_random_number_in_range(self.size)
            points = []
            for k in range(8):
                reach = size if k % 2 == 0 else size * 0.34
                points.append((x + reach * sin(k * pi / 4), y - reach * cos(k * pi / 4)))
            canvas.nodes.append(build_polygon_path(tuple(points), colour))


@register_layer_class_as_kind("clouds")
class Clouds(Layer):
    """Low clouds of four rounds and a flat foot."""

    count: tuple[int, int] = (2, 3)
    band: Pair = (0.08, 0.34)
    size: Pair = (0.045, 0.075)

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            across, height = canvas.random.uniform(0.02, 0.98), canvas.draw_random_number_in_range(self.band)
            colour = canvas.mood.sky.mix_with(canvas.mood.horizon, height).mix_with(WHITE, 0.45)
            x, y = canvas.box_shares_to_millimetres(across, height)
            size = canvas.box.height * canvas.draw_random_number_in_range(self.size)
            for dx, dy, r in ((-1.5, 0.1, 0.75), (-0.5, -0.35, 1.0), (0.6, -0.15, 0.85), (1.5, 0.15, 0.6)):
                canvas.nodes.append(build_circle_path(x + dx * size, y + dy * size, r * size, colour))
            foot = Rect(x - 2 * size, y, size * 4, size * 0.75)
            canvas.nodes.append(build_rectangle_path(foot, colour, None, size * 0.37))


@register_layer_class_as_kind("mist")
class Mist(Layer):
    """Level bands of haze with round ends."""

    count: tuple[int, int] = (2, 4)
    band: Pair = (0.5, 0.66)
    size: Pair = (0.018, 0.034)
    length: Pair = (0.3, 0.7)
    colour: Tone = "horizon 0.35 light"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            x, y = canvas.box_shares_to_millimetres(
                canvas.random.uniform(-0.1, 0.8), canvas.draw_random_number_in_range(self.band)
            )
            high, long = (
                canvas.height_share_to_millimetres(canvas.draw_random_number_in_range(self.size)),
                canvas.box.width * canvas.draw_random_number_in_range(self.length),
            )
            canvas.nodes.append(build_rectangle_path(Rect(x, y, long, high), colour, None, high / 2))
            second = Rect(x + long * 0.35, y + high * 0.8, long * 0.9, high * 0.8)
            canvas.nodes.append(build_rectangle_path(second, colour, None, high * 0.4))


@register_layer_class_as_kind("birds")
class Birds(Layer):
    """Birds far away, each a pair of wings."""

    count: tuple[int, int] = (2, 4)
    band: Pair = (0.1, 0.4)
    size: float = 0.02

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            x, y = canvas.box_shares_to_millimetres(
                canvas.random.uniform(0.08, 0.92), canvas.draw_random_number_in_range(self.band)
            )
            colour = canvas.mood.sky.mix_with(canvas.mood.ink, 0.55)
            canvas.nodes.append(_build_bird_path(x, y, canvas.box.height * self.size, colour))


def _build_bird_path(x: float, y: float, size: float, colour: Colour) -> Path:
    wings: list[Command] = [
        ("M", (x - 2 * size, y - size)),
        ("C", (x - size, y - 1.5 * size, x - 0.3 * size, y - 0.8 * size, x, y)),
        ("C", (x + 0.3 * size, y - 0.8 * size, x + size, y - 1.5 * size, x + 2 * size, y - size)),
        ("C", (x + size, y - size, x + 0.4 * size, y - 0.4 * size, x, y + 0.45 * size)),
        ("C", (x - 0.4 * size, y - 0.4 * size, x - size, y - size, x - 2 * size, y - size)),
        ("Z", ()),
    ]
    return Path(tuple(wings), colour)


@register_layer_class_as_kind("bubbles")
class Bubbles(Layer):
    """Strings of bubbles that rise, larger towards the top, each with a spot of light."""

    strings: tuple[int, int] = (2, 4)
    each: tuple[int, int] = (3, 6)
    size: Pair = (0.008, 0.022)

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        mood = canvas.mood
        for _ in range(canvas.draw_random_integer_in_closed_range(self.strings)):
            across, height = canvas.random.uniform(0.05, 0.95), canvas.random.uniform(0.45, 0.75)
            for k in range(canvas.draw_random_integer_in_closed_range(self.each)):
                x, y = canvas.box_shares_to_millimetres(across + canvas.random.uniform(-0.02, 0.02), height - 0.07 * k)
                radius = canvas.height_share_to_millimetres(canvas.draw_random_number_in_range(self.size)) * (
                    1 + 0.14 * k
                )
                colour = canvas.get_sky_colour_at_y_share(height - 0.07 * k).mix_with(mood.light, 0.4)
                canvas.nodes.append(build_circle_path(x, y, radius, colour))
                canvas.nodes.append(build_circle_path(x - radius * 0.3, y - radius * 0.3, radius * 0.3, mood.light))


@register_layer_class_as_kind("shoal")
class Shoal(Layer):
    """A few fish that swim one way."""

    count: tuple[int, int] = (4, 8)
    band: Pair = (0.14, 0.46)
    size: float = 0.022
    colour: Tone = "far 0.35 sky"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        away = 1 if canvas.random.random() < 0.5 else -1
        middle, height = canvas.random.uniform(0.2, 0.8), canvas.draw_random_number_in_range(self.band)
        for _ in range(canvas.draw_random_integer_in_closed_range(self.count)):
            x, y = canvas.box_shares_to_millimetres(
                middle + canvas.random.uniform(-0.16, 0.16), height + canvas.random.uniform(-0.06, 0.06)
            )
            size = canvas.height_share_to_millimetres(self.size) * canvas.random.uniform(0.7, 1.2)
            canvas.nodes.append(build_ellipse_path(x, y, size * 1.5, size * 0.62, colour))
            tail = (
                (x - away * size * 1.1, y),
                (x - away * size * 2.2, y - size * 0.7),
                (x - away * size * 2.2, y + size * 0.7),
            )
            canvas.nodes.append(build_polygon_path(tail, colour))

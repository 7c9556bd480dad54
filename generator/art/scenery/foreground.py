"""Layers close to the eye: the motif of the scene and its companions, boughs at the edges of the picture, a
road that leads away, and the grain of the paper over all."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import atan2, ceil, cos, pi, sin
from random import Random
from typing import Literal

from pydantic import Field

from playproof.generator.art.icons import (
    draw_paths_with_lit_and_shaded_edges,
    filter_path_nodes,
    has_several_fill_colours,
    shade_coloured_figure,
    split_subpaths,
)
from playproof.generator.art.scenery.worlds import Layer, Pair, SceneCanvas, Tone, register_layer_class_as_kind
from playproof.generator.scene import (
    PT_PER_MM,
    Colour,
    Command,
    Group,
    Path,
    Rect,
    Symbol,
    Transform,
    Use,
    build_ellipse_path,
    build_polygon_path,
)

# -- figures -------------------------------------------------------------------------------------------------
# Layers with figures: the motif of the scene, and its companions.

_ROOM = 0.92  # of the width to the nearer side: in a tall picture a figure is as wide as that, and stays whole


@register_layer_class_as_kind("motif")
class Motif(Layer):
    """The motif, a little off the middle: a body with one side in the light and one in the shade."""

    foot: float = 0.9
    height: float = 0.66
    aside: float = 0.06
    inside: Tone | None = None
    """The colour of what the drawing leaves open: eyes, windows, the pages of a book."""
    body: Tone = "near 0.5 ink"
    lit: Tone = "middle 0.45 horizon"
    """The colour of the edges that face the light."""

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        side = canvas.sign_of_motif_side
        if canvas.motif is not None:
            x = 0.5 + self.aside * side
            # a figure faces as it is drawn
            flip = side < 0 and not has_several_fill_colours(filter_path_nodes(canvas.motif.children))
            glow = not canvas.lines
            inside = canvas.mood.get_or_mix_colour_of_tone_words(self.inside) if self.inside is not None else None
            planes = (
                (
                    canvas.mood.get_or_mix_colour_of_tone_words(self.lit),
                    canvas.mood.get_or_mix_colour_of_tone_words(self.body),
                )
                if glow
                else None
            )
            _add_silhouette_to_canvas(
                canvas, canvas.motif, x, self.foot, self.height, flip=flip, inside=inside, lit_and_body_colours=planes
            )


@register_layer_class_as_kind("companion")
class Companion(Layer):
    """A small silhouette of another figure."""

    number: int = Field(default=0, ge=0)
    """Which of the scene's companions it is, from 0."""
    foot: float = 0.97
    height: float = 0.2
    aside: float = 0.33
    """How far from the middle, on the side that the motif leaves free; below 0 on the motif's side."""
    inside: Tone | None = None
    """The colour of what the drawing leaves open: eyes, windows, the pages of a book."""
    colour: Tone = "ink"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        if self.number >= len(canvas.companions):
            return
        x = 0.5 - self.aside * canvas.sign_of_motif_side
        figure = canvas.companions[self.number]
        inside = canvas.mood.get_or_mix_colour_of_tone_words(self.inside) if self.inside is not None else None
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        flip = (canvas.sign_of_motif_side < 0) == (self.aside >= 0)  # it turns to the middle
        _add_silhouette_to_canvas(canvas, figure, x, self.foot, self.height, flip=flip, inside=inside, colour=colour)


def _add_silhouette_to_canvas(
    canvas: SceneCanvas,
    figure: Symbol,
    x: float,
    foot_height: float,
    height: float,
    *,
    flip: bool,
    inside: Colour | None = None,
    colour: Colour | None = None,
    lit_and_body_colours: tuple[Colour, Colour] | None = None,
) -> None:
    """Draw a motif, standing at ``foot_height``, with what it leaves open in the colour ``inside``. It is flat (in the
    mood's ink, if no colour is given), or has a rim of light and two more ``lit_and_body_colours``: a lit one, and
    its body."""
    paths = filter_path_nodes(figure.children)
    coloured = not canvas.lines and has_several_fill_colours(paths)
    size = canvas.box.height * canvas.ground * height
    px, py = canvas.box_shares_to_millimetres(x, foot_height)
    room = 2 * min(x, 1 - x) * canvas.box.width * _ROOM
    scale = min(size / figure.bounds.height, room / figure.bounds.width)
    middle = figure.bounds.width / 2 + figure.bounds.x
    across = -scale if flip else scale
    place = Transform(across, 0, 0, scale, px - middle * across, py - figure.bounds.bottom * scale)
    if coloured:
        _add_coloured_figure_with_shadow_and_rim(canvas, paths, figure.bounds, place, flip)
        return
    if lit_and_body_colours is not None:
        rim = canvas.mood.light.mix_with(canvas.mood.horizon, 0.15)
        shift = Transform.move(0.22, -0.22)
        canvas.nodes.append(Group(_recolour_paths_without_outline(paths, rim), place.then(shift)))
    if inside is not None:
        canvas.nodes.append(Group(_recolour_paths_without_outline(_split_into_solid_subpaths(paths), inside), place))
    ink = colour or canvas.mood.ink
    if lit_and_body_colours is None:
        canvas.nodes.append(Group(_recolour_paths_without_outline(paths, ink), place))
    else:
        toward = (-1.0 if flip else 1.0, -1.0)  # the light: on the right of every picture, where the rim is
        canvas.nodes.append(
            Group(draw_paths_with_lit_and_shaded_edges(paths, *lit_and_body_colours, ink, toward, figure.bounds), place)
        )


def _split_into_solid_subpaths(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return each closed line of the paths as a shape of its own, so that nothing is left open."""
    return tuple(Path(line, path.fill) for path in paths for line in split_subpaths(path))


def _recolour_paths_without_outline(paths: tuple[Path, ...], colour: Colour) -> tuple[Path, ...]:
    return tuple(Path(path.commands, colour, None, path.even_odd) for path in paths)


def _add_coloured_figure_with_shadow_and_rim(
    canvas: SceneCanvas, paths: Sequence[Path], bounds: Rect, place: Transform, flip: bool
) -> None:
    """Draw somebody in their own colours, with the shadow at their feet and a rim of light around them."""
    x, y = bounds.x + bounds.width / 2, bounds.bottom - 0.02 * bounds.height
    feet = build_ellipse_path(
        x, y, bounds.width * 0.5, bounds.height * 0.045, canvas.mood.near.mix_with(canvas.mood.ink, 0.6)
    )
    rim = canvas.mood.light.mix_with(canvas.mood.horizon, 0.15)
    solid = tuple(path for path in paths if path.fill is not None)
    halo = Group(_recolour_paths_without_outline(solid, rim), place.then(Transform.move(0.35, -0.3)))
    toward = (-1.0 if flip else 1.0, -1.0)
    canvas.nodes += [Group((feet,), place), halo, Group(shade_coloured_figure(paths, bounds, toward), place)]


# Layers close to the eye: boughs at the edges of the picture, and a road that leads away.

Point = tuple[float, float]


@register_layer_class_as_kind("boughs")
class Boughs(Layer):
    """What one looks through: boughs with leaves or needles, weed or rock, that grow in from both sides."""

    of: Literal["leaves", "needles", "weed", "rock"] = "leaves"
    count: tuple[int, int] = (3, 4)
    """On each side."""
    band: Pair = (-0.05, 0.7)
    length: Pair = (0.2, 0.34)
    """Of the width."""
    colour: Tone = "near"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        colour = canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
        for side in (-1, 1):
            count = canvas.draw_random_integer_in_closed_range(self.count)
            for k in range(count):
                step = (k + canvas.random.uniform(0.1, 0.9)) / count
                height = self.band[0] + step * (self.band[1] - self.band[0])
                start = canvas.box_shares_to_millimetres(0.5 + side * 0.53, height)
                long = canvas.box.width * canvas.draw_random_number_in_range(self.length)
                lean = canvas.random.uniform(-0.1, 0.55)
                tip = (start[0] - side * long * cos(lean), start[1] + long * sin(lean))
                canvas.nodes.extend(_BOUGHS[self.of](canvas, start, tip, colour))


def _build_leafy_bough_paths(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a bough with pairs of pointed leaves."""
    return _build_bough_paths(canvas, start, tip, colour, pairs=5, length=0.3, width=0.34, lean=0.75)


def _build_needle_bough_paths(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a bough with many thin needles."""
    return _build_bough_paths(canvas, start, tip, colour, pairs=13, length=0.22, width=0.14, lean=0.95)


def _build_bough_paths(
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
    shapes = [build_polygon_path(stem, colour)]
    lit = colour.mix_with(canvas.mood.middle, 0.35)
    for k in range(1, pairs + 1):
        share = k / pairs
        foot = (start[0] + dx * share, start[1] + dy * share)
        size = long * length * (1.15 - 0.5 * share) * canvas.random.uniform(0.85, 1.15)
        for side, tone in ((-1, colour), (1, lit)):
            shapes.append(_build_leaf_path(foot, turn + side * lean * (1 if k < pairs else 0.35), size, width, tone))
    return shapes


def _build_leaf_path(foot: Point, angle: float, size: float, width: float, colour: Colour) -> Path:
    """Return a pointed oval that grows from `foot` the way `angle` (in radians) says."""

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


def _build_seaweed_paths(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a ribbon of weed that rises at the side, with leaves that float upwards."""
    top = (tip[0], min(start[1], tip[1]) - canvas.height_share_to_millimetres(0.12))
    return _build_bough_paths(canvas, start, top, colour, pairs=7, length=0.3, width=0.16, lean=0.5)


def _build_rock_ledge_paths(canvas: SceneCanvas, start: Point, tip: Point, colour: Colour) -> list[Path]:
    """Return a ledge of rock with a broken edge and one lit side."""
    tall = canvas.height_share_to_millimetres(0.16)
    away = tip[0] - start[0]
    knots = [
        (start[0], start[1] - tall),
        (start[0] + away * canvas.random.uniform(0.35, 0.5), start[1] - tall * canvas.random.uniform(0.5, 0.8)),
        (start[0] + away * canvas.random.uniform(0.7, 0.9), start[1] - tall * 0.1),
        (start[0] + away * canvas.random.uniform(0.4, 0.6), start[1] + tall * canvas.random.uniform(0.3, 0.6)),
        (start[0], start[1] + tall),
    ]
    lit = ((start[0], start[1] - tall), knots[1], knots[2], (start[0] + away * 0.3, start[1] - tall * 0.2))
    return [build_polygon_path(tuple(knots), colour), build_polygon_path(lit, colour.mix_with(canvas.mood.middle, 0.4))]


_BOUGHS = {
    "leaves": _build_leafy_bough_paths,
    "needles": _build_needle_bough_paths,
    "weed": _build_seaweed_paths,
    "rock": _build_rock_ledge_paths,
}


@register_layer_class_as_kind("road")
class Road(Layer):
    """A way that winds from the foreground to where the motif stands, narrower the farther it is."""

    start: float = 1.0
    end: float = 0.68
    width: Pair = (0.16, 0.22)
    """Half of it at the start, as a share of the width."""
    colour: Tone = "horizon 0.4 light"

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        wide, swing = (
            canvas.draw_random_number_in_range(self.width),
            0.16 * (1 if canvas.random.random() < 0.5 else -1),
        )
        edges: tuple[list[Point], list[Point]] = ([], [])
        for k in range(25):
            share = k / 24
            y = self.start + (self.end - self.start) * share
            middle = 0.5 + swing * sin(share * 2 * pi) * (1 - share)
            half = wide * (1 - share) ** 1.6 + 0.006
            edges[0].append(canvas.box_shares_to_millimetres(middle - half, y))
            edges[1].append(canvas.box_shares_to_millimetres(middle + half, y))
        canvas.nodes.append(
            build_polygon_path(
                (*edges[0], *reversed(edges[1])), canvas.mood.get_or_mix_colour_of_tone_words(self.colour)
            )
        )


# -- grain ---------------------------------------------------------------------------------------------------
# The tooth of the paper: specks over a whole scene, as a dry brush or a rough sheet leaves them.

TILE = 12.0
"""mm. One tile is drawn once and laid in rows; a smaller one would be seen to repeat."""
_TURNS = tuple(
    (across * a, across * b, c, d)
    for a, b, c, d in ((1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0))
    for across in (1, -1)
)
"""A tile laid in eight ways: turned about its middle, and mirrored."""


@register_layer_class_as_kind("grain")
class Grain(Layer):
    """Specks in one colour, laid over everything that was painted before. Line art has none."""

    colour: Tone = "light"
    count: int = Field(default=60, ge=1, le=400)
    """Specks on a square centimetre."""
    size: Pair = (0.1, 0.26)
    """The least and the greatest length of a speck, in mm whatever the size of the picture."""

    def append_drawn_nodes_to_canvas(self, canvas: SceneCanvas) -> None:
        if canvas.lines:
            return
        tile = _build_paper_grain_tile(canvas.mood.get_or_mix_colour_of_tone_words(self.colour), self.count, self.size)
        box = canvas.box
        for row in range(ceil(box.height / TILE)):
            for column in range(ceil(box.width / TILE)):
                middle = (box.x + (column + 0.5) * TILE, box.y + (row + 0.5) * TILE)
                turn = canvas.random.choice(_TURNS)
                canvas.nodes.append(Use(tile, Transform(*turn, *middle)))


@cache
def _build_paper_grain_tile(
    colour: Colour, specks_per_square_centimetre: int, least_and_greatest_length: Pair
) -> Symbol:
    """Return the specks of one tile, about its middle."""
    random = Random(f"grain/{specks_per_square_centimetre}/{least_and_greatest_length}")
    reach = TILE / 2 - least_and_greatest_length[1]
    commands: list[Command] = []
    for _ in range(round(specks_per_square_centimetre * (TILE / 10) ** 2)):
        x, y = random.uniform(-reach, reach), random.uniform(-reach, reach)
        commands += _build_random_speck_outline(random, x, y, random.uniform(*least_and_greatest_length))
    name = (
        f"grain.{colour.hex}.{specks_per_square_centimetre}.{least_and_greatest_length[0]:g}-"
        f"{least_and_greatest_length[1]:g}"
    )
    return Symbol(name, Rect(-TILE / 2, -TILE / 2, TILE, TILE), (Path(tuple(commands), colour),))


def _round_millimetres_to_tenth_point(length: float) -> float:
    """Return a length (mm) as so many tenths of a point: nobody sees more of a speck, and it is written shorter."""
    return round(length * PT_PER_MM, 1) / PT_PER_MM


def _build_random_speck_outline(random: Random, x: float, y: float, length: float) -> list[Command]:
    """Return a splinter about (x, y): three corners at uneven distances."""
    angle = random.uniform(0, 2 * pi)
    corners = []
    for share in (0.0, 0.36, 0.62):
        reach = length / 2 * random.uniform(0.6, 1)
        turn = angle + share * 2 * pi
        corners.append(
            (
                _round_millimetres_to_tenth_point(x + reach * cos(turn)),
                _round_millimetres_to_tenth_point(y + reach * sin(turn)),
            )
        )
    return [("M", corners[0]), ("L", corners[1]), ("L", corners[2]), ("Z", ())]

"""The tooth of the paper: specks over a whole scene, as a dry brush or a rough sheet leaves them."""

from __future__ import annotations

from functools import cache
from math import ceil, cos, pi, sin
from random import Random

from pydantic import Field

from playproof.generator.art.scenery.canvas import Pair, SceneCanvas, Tone
from playproof.generator.art.scenery.world_file import Layer, register_layer_kind
from playproof.generator.scene import PT_PER_MM, Colour, Command, Path, Rect, Symbol, Transform, Use

TILE = 12.0
"""mm. One tile is drawn once and laid in rows; a smaller one would be seen to repeat."""
_TURNS = tuple(
    (across * a, across * b, c, d)
    for a, b, c, d in ((1, 0, 0, 1), (0, 1, -1, 0), (-1, 0, 0, -1), (0, -1, 1, 0))
    for across in (1, -1)
)
"""A tile laid in eight ways: turned about its middle, and mirrored."""


@register_layer_kind("grain")
class Grain(Layer):
    """Specks in one colour, laid over everything that was painted before. Line art has none."""

    colour: Tone = "light"
    count: int = Field(default=60, ge=1, le=400)
    """Specks on a square centimetre."""
    size: Pair = (0.1, 0.26)
    """The least and the greatest length of a speck, in mm whatever the size of the picture."""

    def paint(self, canvas: SceneCanvas) -> None:
        if canvas.lines:
            return
        tile = _build_speck_tile(canvas.mood.mix_tone(self.colour), self.count, self.size)
        box = canvas.box
        for row in range(ceil(box.height / TILE)):
            for column in range(ceil(box.width / TILE)):
                middle = (box.x + (column + 0.5) * TILE, box.y + (row + 0.5) * TILE)
                turn = canvas.random.choice(_TURNS)
                canvas.nodes.append(Use(tile, Transform(*turn, *middle)))


@cache
def _build_speck_tile(colour: Colour, count: int, size: Pair) -> Symbol:
    """Return the specks of one tile, about its middle."""
    random = Random(f"grain/{count}/{size}")
    reach = TILE / 2 - size[1]
    commands: list[Command] = []
    for _ in range(round(count * (TILE / 10) ** 2)):
        x, y = random.uniform(-reach, reach), random.uniform(-reach, reach)
        commands += _build_speck_outline(random, x, y, random.uniform(*size))
    name = f"grain.{colour.hex}.{count}.{size[0]:g}-{size[1]:g}"
    return Symbol(name, Rect(-TILE / 2, -TILE / 2, TILE, TILE), (Path(tuple(commands), colour),))


def _round_to_tenth_point(length: float) -> float:
    """Return a length (mm) as so many tenths of a point: nobody sees more of a speck, and it is written shorter."""
    return round(length * PT_PER_MM, 1) / PT_PER_MM


def _build_speck_outline(random: Random, x: float, y: float, length: float) -> list[Command]:
    """Return a splinter about (x, y): three corners at uneven distances."""
    angle = random.uniform(0, 2 * pi)
    corners = []
    for share in (0.0, 0.36, 0.62):
        reach = length / 2 * random.uniform(0.6, 1)
        turn = angle + share * 2 * pi
        corners.append(
            (_round_to_tenth_point(x + reach * cos(turn)), _round_to_tenth_point(y + reach * sin(turn)))
        )
    return [("M", corners[0]), ("L", corners[1]), ("L", corners[2]), ("Z", ())]

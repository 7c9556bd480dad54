"""What all layers share: the box, the colours, the random numbers of one scene, and positions in
shares of the box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random
from typing import Annotated

from pydantic import Field

from playproof.generator.scene import Colour, Command, Node, Rect, Symbol

Pair = tuple[float, float]
"""The least and the greatest of what chance picks from."""
_NAME = "(sky|horizon|far|middle|near|light|ink)"
Tone = Annotated[str, Field(pattern=rf"^{_NAME}( 0?\.\d+ {_NAME})?$")]
"""A colour of the mood, `far`, or two mixed: `far 0.55 middle` is far with 0.55 of middle in it."""


@dataclass(frozen=True, slots=True)
class Mood:
    """The colours of a scene, from the top of the sky to the foreground. ``night`` chooses among
    the layers of a world."""

    sky: Colour
    horizon: Colour
    far: Colour
    middle: Colour
    near: Colour
    light: Colour
    night: bool = False
    world: str = "forest"

    @property
    def ink(self) -> Colour:
        """The colour of silhouettes: the foreground's, nearly black."""
        return self.near.mix_with(Colour(0.05, 0.04, 0.08), 0.62)

    def mix_tone(self, tone: Tone) -> Colour:
        """Return a colour of the mood, or a mixture of two of them, as the words say."""
        first, *mixed = tone.split()
        colour: Colour = getattr(self, first)
        return colour.mix_with(getattr(self, mixed[1]), float(mixed[0])) if mixed else colour


@dataclass
class SceneCanvas:
    """One scene while it is painted. Positions and sizes are shares of the box. ``ground`` shortens
    the height where a title covers the rest; ``lines`` says that only outlines are printed."""

    box: Rect
    random: Random
    mood: Mood
    ground: float
    motif: Symbol | None
    companions: Sequence[Symbol]
    """Who else is in the picture, whom the world's layers `companion` place by number."""
    lines: bool = False
    nodes: list[Node] = field(default_factory=list)
    _side: int = 0

    @property
    def motif_side(self) -> int:
        """On which side of the middle the motif stands: -1 or 1, chosen when it is first asked for."""
        if self._side == 0:
            self._side = 1 if self.random.random() < 0.5 else -1
        return self._side

    def point_to_millimetres(self, x: float, y: float) -> tuple[float, float]:
        """Convert a position in shares of the box to millimetres."""
        return (self.box.x + x * self.box.width, self.box.y + y * self.ground * self.box.height)

    def height_to_millimetres(self, share: float) -> float:
        """Convert a share of the box's height to millimetres."""
        return self.box.height * share

    def random_between(self, pair: Pair) -> float:
        """Return a random number between the two."""
        return self.random.uniform(*pair)

    def random_count_between(self, pair: tuple[int, int]) -> int:
        """Return a random whole number between the two, both included."""
        return self.random.randint(*pair)

    def sky_colour_at_height(self, y: float) -> Colour:
        """Return the colour of the open sky at a height (a share, from the top)."""
        return self.mood.sky.mix_with(self.mood.horizon, min(1.0, max(0.0, y / 0.75)))


def build_smooth_curves(knots: Sequence[tuple[float, float]]) -> list[Command]:
    """Return cubic curves through the knots, level at each knot so that they never overshoot."""
    commands: list[Command] = []
    for (ax, ay), (bx, by) in pairwise(knots):
        middle = (ax + bx) / 2
        commands.append(("C", (middle, ay, middle, by, bx, by)))
    return commands


def build_straight_lines(knots: Sequence[tuple[float, float]]) -> list[Command]:
    """Return straight lines through the knots."""
    return [("L", knot) for knot in knots[1:]]

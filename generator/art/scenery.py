"""Generated illustrations: papercut landscapes, layer behind layer, with a silhouette in the light.

The same seed and mood give the same picture. Colours are flat mixtures, never see-through, so that every
print format takes them as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import cos, pi, sin
from random import Random

from playproof.generator.scene import (
    WHITE,
    Colour,
    Command,
    Group,
    LinearGradient,
    Node,
    Path,
    Rect,
    Stop,
    Symbol,
    Transform,
    circle,
    ellipse,
    polygon,
    rectangle,
)


@dataclass(frozen=True, slots=True)
class Mood:
    """The colours of a landscape, from the top of the sky to the foreground; ``night`` puts stars in it."""

    sky: Colour
    horizon: Colour
    far: Colour
    middle: Colour
    near: Colour
    light: Colour
    night: bool = False

    @property
    def ink(self) -> Colour:
        """The colour of silhouettes: the foreground, nearly black."""
        return self.near.mixed(Colour(0.05, 0.04, 0.08), 0.62)


def scenery(
    box: Rect,
    seed: str,
    mood: Mood,
    motif: Symbol | None = None,
    companion: Symbol | None = None,
    ground: float = 1.0,
) -> tuple[Node, ...]:
    """A landscape that fills the box. Nothing reaches beyond it.

    ``ground`` below 1 keeps what matters above that share of the height, where a title covers the rest.
    """
    painter = _Painter(box, Random(f"scenery/{seed}"), mood, ground)
    painter.sky()
    painter.light()
    painter.air()
    painter.hill(0.62, 0.09, mood.far)
    painter.trees(0.60, mood.far.mixed(mood.middle, 0.55), 9, 0.12)
    painter.hill(0.72, 0.07, mood.middle)
    painter.trees(0.70, mood.middle.mixed(mood.near, 0.6), 5, 0.2)
    side = 1 if painter.random.random() < 0.5 else -1
    if motif is not None:
        painter.silhouette(motif, 0.5 + 0.06 * side, 0.9, 0.66, flip=side < 0)
    painter.hill(0.885, 0.035, mood.near)
    painter.grass(0.9)
    if companion is not None:
        painter.silhouette(companion, 0.5 - 0.33 * side, 0.97, 0.2, flip=side < 0, glow=False)
    return (Group(tuple(painter.nodes), clip=rectangle(box)),)


class _Painter:
    """Adds layers from back to front. Heights and widths are shares of the box."""

    def __init__(self, box: Rect, random: Random, mood: Mood, ground: float) -> None:
        self.box = box
        self.ground = ground
        self.random = random
        self.mood = mood
        self.nodes: list[Node] = []
        self.light_x = 0.5

    def at(self, x: float, y: float) -> tuple[float, float]:
        return (self.box.x + x * self.box.width, self.box.y + y * self.ground * self.box.height)

    def sky(self) -> None:
        top, middle = self.at(0, 0)[1], self.at(0, 0.75)[1]
        stops = (Stop(0, self.mood.sky), Stop(1, self.mood.horizon))
        self.nodes.append(rectangle(self.box, LinearGradient(0, top, 0, middle, stops)))

    def light(self) -> None:
        """A sun or moon in rings of its own light, behind the middle of the picture."""
        mood = self.mood
        self.light_x = self.random.uniform(0.36, 0.64)
        height = self.random.uniform(0.26, 0.38)
        x, y = self.at(self.light_x, height)
        radius = self.box.height * self.random.uniform(0.12, 0.16)
        behind = mood.sky.mixed(mood.horizon, height / 0.75)
        for ring, share in ((3.4, 0.14), (2.5, 0.26), (1.7, 0.42)):
            self.nodes.append(circle(x, y, radius * ring, behind.mixed(mood.light, share)))
        self.nodes.append(circle(x, y, radius, mood.light))
        if mood.night:
            shade = mood.light.mixed(mood.horizon, 0.28)
            for dx, dy, r in ((-0.35, -0.2, 0.2), (0.3, 0.25, 0.26), (0.05, -0.55, 0.12)):
                self.nodes.append(circle(x + dx * radius, y + dy * radius, r * radius, shade))

    def air(self) -> None:
        if self.mood.night:
            for _ in range(self.random.randint(9, 15)):
                self._star(self.random.random(), self.random.uniform(0.03, 0.5), self.random.uniform(0.25, 0.7))
            return
        for _ in range(self.random.randint(2, 3)):
            self._cloud(self.random.uniform(0.02, 0.98), self.random.uniform(0.08, 0.34))
        for _ in range(self.random.randint(2, 4)):
            self._bird(self.random.uniform(0.08, 0.92), self.random.uniform(0.1, 0.4))

    def _star(self, x: float, y: float, size: float) -> None:
        px, py = self.at(x, y)
        points = []
        for k in range(8):
            reach = size if k % 2 == 0 else size * 0.34
            points.append((px + reach * sin(k * pi / 4), py - reach * cos(k * pi / 4)))
        self.nodes.append(polygon(tuple(points), self.mood.light))

    def _cloud(self, x: float, y: float) -> None:
        colour = self.mood.sky.mixed(self.mood.horizon, y).mixed(WHITE, 0.45)
        px, py = self.at(x, y)
        size = self.box.height * self.random.uniform(0.045, 0.075)
        for dx, dy, r in ((-1.5, 0.1, 0.75), (-0.5, -0.35, 1.0), (0.6, -0.15, 0.85), (1.5, 0.15, 0.6)):
            self.nodes.append(circle(px + dx * size, py + dy * size, r * size, colour))
        self.nodes.append(rectangle(Rect(px - 2 * size, py, size * 4, size * 0.75), colour, None, size * 0.37))

    def _bird(self, x: float, y: float) -> None:
        px, py = self.at(x, y)
        size = self.box.height * 0.02
        colour = self.mood.sky.mixed(self.mood.ink, 0.55)
        wing: list[Command] = [
            ("M", (px - 2 * size, py - size)),
            ("C", (px - size, py - 1.5 * size, px - 0.3 * size, py - 0.8 * size, px, py)),
            ("C", (px + 0.3 * size, py - 0.8 * size, px + size, py - 1.5 * size, px + 2 * size, py - size)),
            ("C", (px + size, py - size, px + 0.4 * size, py - 0.4 * size, px, py + 0.45 * size)),
            ("C", (px - 0.4 * size, py - 0.4 * size, px - size, py - size, px - 2 * size, py - size)),
            ("Z", ()),
        ]
        self.nodes.append(Path(tuple(wing), colour))

    def hill(self, height: float, swing: float, colour: Colour) -> None:
        """A rolling edge across the picture, filled to its foot."""
        count = 4
        knots = [
            self.at(k / count, height + self.random.uniform(-swing, swing) * (0.6 if k in (0, count) else 1))
            for k in range(count + 1)
        ]
        left, bottom = self.box.x, self.box.bottom
        commands: list[Command] = [("M", (left, bottom)), ("L", knots[0]), *_smooth(knots)]
        commands += [("L", (self.box.right, bottom)), ("Z", ())]
        self.nodes.append(Path(tuple(commands), colour))

    def trees(self, foot: float, colour: Colour, count: int, size: float) -> None:
        """Small trees along a ridge, two kinds, each of its own height."""
        for _ in range(count):
            x, y = self.at(self.random.uniform(0, 1), foot + self.random.uniform(0.02, 0.08))
            height = self.box.height * size * self.random.uniform(0.6, 1.1)
            if self.random.random() < 0.6:
                self._pine(x, y, height, colour)
            else:
                self.nodes.append(
                    polygon(((x - height * 0.06, y), (x + height * 0.06, y), (x, y - height * 0.6)), colour)
                )
                self.nodes.append(ellipse(x, y - height * 0.68, height * 0.28, height * 0.34, colour))

    def _pine(self, x: float, y: float, height: float, colour: Colour) -> None:
        for low, top, wide in ((0.1, 0.6, 0.26), (0.34, 0.82, 0.2), (0.58, 1.0, 0.14)):
            self.nodes.append(
                polygon(
                    (
                        (x - wide * height, y - low * height),
                        (x + wide * height, y - low * height),
                        (x, y - top * height),
                    ),
                    colour,
                )
            )
        stem = Rect(x - height * 0.035, y - height * 0.12, height * 0.07, height * 0.14)
        self.nodes.append(rectangle(stem, colour))

    def grass(self, foot: float) -> None:
        """Blades in tufts along the foreground."""
        colour = self.mood.near
        blades: list[Command] = []
        for _ in range(11):
            x, y = self.at(self.random.random(), foot + self.random.uniform(0.0, 0.03))
            for lean in (-0.5, 0.0, 0.45):
                height = self.box.height * self.random.uniform(0.035, 0.06)
                blades += [
                    ("M", (x - height * 0.12, y)),
                    ("L", (x + lean * height, y - height)),
                    ("L", (x + height * 0.12, y)),
                    ("Z", ()),
                ]
        self.nodes.append(Path(tuple(blades), colour))

    def silhouette(
        self, motif: Symbol, x: float, foot: float, height: float, flip: bool = False, glow: bool = True
    ) -> None:
        """A motif in one dark colour, a rim of light on one side, standing at ``foot``."""
        size = self.box.height * self.ground * height
        px, py = self.at(x, foot)
        scale = size / motif.bounds.height
        place = Transform(
            -scale if flip else scale,
            0,
            0,
            scale,
            px + (motif.bounds.width / 2 + motif.bounds.x) * (scale if flip else -scale),
            py - motif.bounds.bottom * scale,
        )
        paths = _flattened(motif.children)
        if glow:
            rim = self.mood.light.mixed(self.mood.horizon, 0.15)
            shift = Transform.move(-0.22 if flip else 0.22, -0.22)
            self.nodes.append(Group(_painted(paths, rim), place.then(shift)))
        self.nodes.append(Group(_painted(paths, self.mood.ink), place))


def _flattened(nodes: Sequence[Node]) -> tuple[Path, ...]:
    """The paths of a plain picture (motifs hold nothing else)."""
    return tuple(node for node in nodes if isinstance(node, Path))


def _painted(paths: tuple[Path, ...], colour: Colour) -> tuple[Path, ...]:
    return tuple(Path(path.commands, colour, None, path.even_odd) for path in paths)


def _smooth(knots: Sequence[tuple[float, float]]) -> list[Command]:
    """Cubics through the knots, level at each (so that they never overshoot)."""
    commands: list[Command] = []
    for (ax, ay), (bx, by) in pairwise(knots):
        middle = (ax + bx) / 2
        commands.append(("C", (middle, ay, middle, by, bx, by)))
    return commands

"""Layers with figures: the motif of the scene, and its companions."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from playproof.generator.art.scenery.canvas import Canvas, Tone
from playproof.generator.art.scenery.world_file import Layer, layer
from playproof.generator.scene import Colour, Command, Group, Node, Path, Symbol, Transform

_ROOM = (
    0.92  # of the width to the nearer side: in a tall picture a figure is as wide as that, and stays whole
)


@layer("motif")
class Motif(Layer):
    """The silhouette of the motif, a rim of light on one side, a little off the middle."""

    foot: float = 0.9
    height: float = 0.66
    aside: float = 0.06
    inside: Tone | None = None
    """The colour of what the drawing leaves open: eyes, windows, the pages of a book."""

    def paint(self, canvas: Canvas) -> None:
        side = canvas.side
        if canvas.motif is not None:
            x = 0.5 + self.aside * side
            flip, glow = side < 0, not canvas.lines
            inside = canvas.mood.tone(self.inside) if self.inside is not None else None
            _silhouette(canvas, canvas.motif, x, self.foot, self.height, flip=flip, glow=glow, inside=inside)


@layer("companion")
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

    def paint(self, canvas: Canvas) -> None:
        if self.number >= len(canvas.companions):
            return
        x = 0.5 - self.aside * canvas.side
        figure = canvas.companions[self.number]
        inside = canvas.mood.tone(self.inside) if self.inside is not None else None
        colour = canvas.mood.tone(self.colour)
        flip = (canvas.side < 0) == (self.aside >= 0)  # it turns to the middle
        _silhouette(
            canvas, figure, x, self.foot, self.height, flip=flip, glow=False, inside=inside, colour=colour
        )


def _silhouette(
    canvas: Canvas,
    motif: Symbol,
    x: float,
    foot: float,
    height: float,
    *,
    flip: bool,
    glow: bool,
    inside: Colour | None = None,
    colour: Colour | None = None,
) -> None:
    """Draw a motif in one colour (the mood's ink, if none is given), standing at ``foot``, with what it leaves
    open in another."""
    size = canvas.box.height * canvas.ground * height
    px, py = canvas.at(x, foot)
    room = 2 * min(x, 1 - x) * canvas.box.width * _ROOM
    scale = min(size / motif.bounds.height, room / motif.bounds.width)
    middle = motif.bounds.width / 2 + motif.bounds.x
    across = -scale if flip else scale
    place = Transform(across, 0, 0, scale, px - middle * across, py - motif.bounds.bottom * scale)
    paths = _flattened(motif.children)
    if glow:
        rim = canvas.mood.light.mixed(canvas.mood.horizon, 0.15)
        shift = Transform.move(-0.22 if flip else 0.22, -0.22)
        canvas.nodes.append(Group(_painted(paths, rim), place.then(shift)))
    if inside is not None:
        canvas.nodes.append(Group(_painted(_filled(paths), inside), place))
    canvas.nodes.append(Group(_painted(paths, colour or canvas.mood.ink), place))


def _flattened(nodes: Sequence[Node]) -> tuple[Path, ...]:
    """Return the paths among the nodes (motifs hold only paths)."""
    return tuple(node for node in nodes if isinstance(node, Path))


def _filled(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return each closed line of the paths as a shape of its own, so that nothing is left open."""
    shapes: list[Path] = []
    for path in paths:
        line: list[Command] = []
        for command in path.commands:
            if command[0] == "M" and line:
                shapes.append(Path(tuple(line), path.fill))
                line = []
            line.append(command)
        shapes.append(Path(tuple(line), path.fill))
    return tuple(shapes)


def _painted(paths: tuple[Path, ...], colour: Colour) -> tuple[Path, ...]:
    return tuple(Path(path.commands, colour, None, path.even_odd) for path in paths)

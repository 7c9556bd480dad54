"""Layers with figures: the motif of the scene, and its companions."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pydantic import Field

from playproof.generator.art.scenery.canvas import Canvas, Tone
from playproof.generator.art.scenery.world_file import Layer, layer
from playproof.generator.scene import Colour, Command, Group, Node, Path, Rect, Symbol, Transform, rectangle

_ROOM = (
    0.92  # of the width to the nearer side: in a tall picture a figure is as wide as that, and stays whole
)

_LIT, _SHADE = 0.022, 0.055
"""How wide the edges in the light and in the shade are, in shares of a motif's height."""
_EYE = 0.14
"""The size of the largest opening that has no such edges, in shares of a motif's height."""


@layer("motif")
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

    def paint(self, canvas: Canvas) -> None:
        side = canvas.side
        if canvas.motif is not None:
            x = 0.5 + self.aside * side
            flip, glow = side < 0, not canvas.lines
            inside = canvas.mood.tone(self.inside) if self.inside is not None else None
            planes = (canvas.mood.tone(self.lit), canvas.mood.tone(self.body)) if glow else None
            _silhouette(
                canvas, canvas.motif, x, self.foot, self.height, flip=flip, inside=inside, planes=planes
            )


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
        _silhouette(canvas, figure, x, self.foot, self.height, flip=flip, inside=inside, colour=colour)


def _silhouette(
    canvas: Canvas,
    motif: Symbol,
    x: float,
    foot: float,
    height: float,
    *,
    flip: bool,
    inside: Colour | None = None,
    colour: Colour | None = None,
    planes: tuple[Colour, Colour] | None = None,
) -> None:
    """Draw a motif, standing at ``foot``, with what it leaves open in the colour ``inside``. It is flat (in the
    mood's ink, if no colour is given), or has a rim of light and two more ``planes``: a lit one, and its body."""
    size = canvas.box.height * canvas.ground * height
    px, py = canvas.at(x, foot)
    room = 2 * min(x, 1 - x) * canvas.box.width * _ROOM
    scale = min(size / motif.bounds.height, room / motif.bounds.width)
    middle = motif.bounds.width / 2 + motif.bounds.x
    across = -scale if flip else scale
    place = Transform(across, 0, 0, scale, px - middle * across, py - motif.bounds.bottom * scale)
    paths = _flattened(motif.children)
    if planes is not None:
        rim = canvas.mood.light.mixed(canvas.mood.horizon, 0.15)
        shift = Transform.move(-0.22 if flip else 0.22, -0.22)
        canvas.nodes.append(Group(_painted(paths, rim), place.then(shift)))
    if inside is not None:
        canvas.nodes.append(Group(_painted(_filled(paths), inside), place))
    ink = colour or canvas.mood.ink
    if planes is None:
        canvas.nodes.append(Group(_painted(paths, ink), place))
    else:
        high = motif.bounds.height
        toward = (-high if flip else high, -high)  # the light, which stands where the rim is
        canvas.nodes.append(Group(_modelled(paths, *planes, ink, toward, motif.bounds), place))


def _modelled(
    paths: Sequence[Path], lit: Colour, body: Colour, shade: Colour, toward: tuple[float, float], bounds: Rect
) -> tuple[Node, ...]:
    """Return shapes with an edge in the light and one in the shade, each as wide as a share of the motif's
    height. Both follow the outline: they are what a copy, moved along the light, leaves free of its shape."""
    across, down = toward
    light, shadow = (Transform.move(share * across, share * down) for share in (-_LIT, _SHADE))
    ground = bounds.grown(_SHADE * bounds.height)
    nodes: list[Node] = []
    for path in paths:
        solid = tuple(
            command for line in _lines(path) if _size(line) > _EYE * bounds.height for command in line
        )
        copy = Path(solid, body, None, path.even_odd)  # with the same numbers, which a file then stores once
        outside = Path(
            (*solid, *rectangle(ground.moved(-_SHADE * across, -_SHADE * down)).commands), shade, None, True
        )
        planes = (rectangle(bounds, fill=lit), Group((copy,), light), Group((outside,), shadow))
        nodes.append(Group(planes, clip=path))
    return tuple(nodes)


def _size(line: Sequence[Command]) -> float:
    """Return the larger of the width and the height of a closed line and its control points."""
    places = [number for _, place in line for number in place]
    return max(max(numbers) - min(numbers) for numbers in (places[0::2], places[1::2]))


def _flattened(nodes: Sequence[Node]) -> tuple[Path, ...]:
    """Return the paths among the nodes (motifs hold only paths)."""
    return tuple(node for node in nodes if isinstance(node, Path))


def _filled(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return each closed line of the paths as a shape of its own, so that nothing is left open."""
    return tuple(Path(line, path.fill) for path in paths for line in _lines(path))


def _lines(path: Path) -> list[tuple[Command, ...]]:
    """Return the closed lines that a path consists of."""
    starts = [at for at, command in enumerate(path.commands) if command[0] == "M"]
    return [path.commands[start:end] for start, end in pairwise((*starts, len(path.commands)))]


def _painted(paths: tuple[Path, ...], colour: Colour) -> tuple[Path, ...]:
    return tuple(Path(path.commands, colour, None, path.even_odd) for path in paths)

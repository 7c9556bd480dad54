"""Layers with figures: the motif of the scene, and its companions."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from playproof.generator.art.modelling import figure, flattened, is_coloured, lines, modelled
from playproof.generator.art.scenery.canvas import Canvas, Tone
from playproof.generator.art.scenery.world_file import Layer, layer
from playproof.generator.scene import Colour, Group, Path, Rect, Symbol, Transform, ellipse

_ROOM = (
    0.92  # of the width to the nearer side: in a tall picture a figure is as wide as that, and stays whole
)


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
            flip = side < 0 and not is_coloured(
                flattened(canvas.motif.children)
            )  # a figure faces as it is drawn
            glow = not canvas.lines
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
    paths = flattened(motif.children)
    coloured = not canvas.lines and is_coloured(paths)
    size = canvas.box.height * canvas.ground * height
    px, py = canvas.at(x, foot)
    room = 2 * min(x, 1 - x) * canvas.box.width * _ROOM
    scale = min(size / motif.bounds.height, room / motif.bounds.width)
    middle = motif.bounds.width / 2 + motif.bounds.x
    across = -scale if flip else scale
    place = Transform(across, 0, 0, scale, px - middle * across, py - motif.bounds.bottom * scale)
    if coloured:
        _figure(canvas, paths, motif.bounds, place, flip)
        return
    if planes is not None:
        rim = canvas.mood.light.mixed(canvas.mood.horizon, 0.15)
        shift = Transform.move(0.22, -0.22)
        canvas.nodes.append(Group(_painted(paths, rim), place.then(shift)))
    if inside is not None:
        canvas.nodes.append(Group(_painted(_filled(paths), inside), place))
    ink = colour or canvas.mood.ink
    if planes is None:
        canvas.nodes.append(Group(_painted(paths, ink), place))
    else:
        toward = (-1.0 if flip else 1.0, -1.0)  # the light: on the right of every picture, where the rim is
        canvas.nodes.append(Group(modelled(paths, *planes, ink, toward, motif.bounds), place))


def _filled(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return each closed line of the paths as a shape of its own, so that nothing is left open."""
    return tuple(Path(line, path.fill) for path in paths for line in lines(path))


def _painted(paths: tuple[Path, ...], colour: Colour) -> tuple[Path, ...]:
    return tuple(Path(path.commands, colour, None, path.even_odd) for path in paths)


def _figure(canvas: Canvas, paths: Sequence[Path], bounds: Rect, place: Transform, flip: bool) -> None:
    """Draw somebody in their own colours, with the shadow at their feet and a rim of light around them."""
    x, y = bounds.x + bounds.width / 2, bounds.bottom - 0.02 * bounds.height
    feet = ellipse(
        x, y, bounds.width * 0.5, bounds.height * 0.045, canvas.mood.near.mixed(canvas.mood.ink, 0.6)
    )
    rim = canvas.mood.light.mixed(canvas.mood.horizon, 0.15)
    solid = tuple(path for path in paths if path.fill is not None)
    halo = Group(_painted(solid, rim), place.then(Transform.move(0.35, -0.3)))
    toward = (-1.0 if flip else 1.0, -1.0)
    canvas.nodes += [Group((feet,), place), halo, Group(figure(paths, bounds, toward), place)]

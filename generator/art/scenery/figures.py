"""Layers with figures: the motif of the scene, and its companions."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from playproof.generator.art.modelling import (
    has_several_fill_colours,
    select_paths,
    shade_coloured_figure,
    shade_motif_paths,
    split_subpaths,
)
from playproof.generator.art.scenery.canvas import SceneCanvas, Tone
from playproof.generator.art.scenery.world_file import Layer, register_layer_kind
from playproof.generator.scene import Colour, Group, Path, Rect, Symbol, Transform, ellipse

_ROOM = (
    0.92  # of the width to the nearer side: in a tall picture a figure is as wide as that, and stays whole
)


@register_layer_kind("motif")
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

    def paint(self, canvas: SceneCanvas) -> None:
        side = canvas.motif_side
        if canvas.motif is not None:
            x = 0.5 + self.aside * side
            # a figure faces as it is drawn
            flip = side < 0 and not has_several_fill_colours(select_paths(canvas.motif.children))
            glow = not canvas.lines
            inside = canvas.mood.mix_tone(self.inside) if self.inside is not None else None
            planes = (canvas.mood.mix_tone(self.lit), canvas.mood.mix_tone(self.body)) if glow else None
            _draw_silhouette(
                canvas, canvas.motif, x, self.foot, self.height, flip=flip, inside=inside, planes=planes
            )


@register_layer_kind("companion")
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

    def paint(self, canvas: SceneCanvas) -> None:
        if self.number >= len(canvas.companions):
            return
        x = 0.5 - self.aside * canvas.motif_side
        figure = canvas.companions[self.number]
        inside = canvas.mood.mix_tone(self.inside) if self.inside is not None else None
        colour = canvas.mood.mix_tone(self.colour)
        flip = (canvas.motif_side < 0) == (self.aside >= 0)  # it turns to the middle
        _draw_silhouette(canvas, figure, x, self.foot, self.height, flip=flip, inside=inside, colour=colour)


def _draw_silhouette(
    canvas: SceneCanvas,
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
    paths = select_paths(motif.children)
    coloured = not canvas.lines and has_several_fill_colours(paths)
    size = canvas.box.height * canvas.ground * height
    px, py = canvas.point_to_millimetres(x, foot)
    room = 2 * min(x, 1 - x) * canvas.box.width * _ROOM
    scale = min(size / motif.bounds.height, room / motif.bounds.width)
    middle = motif.bounds.width / 2 + motif.bounds.x
    across = -scale if flip else scale
    place = Transform(across, 0, 0, scale, px - middle * across, py - motif.bounds.bottom * scale)
    if coloured:
        _draw_coloured_figure(canvas, paths, motif.bounds, place, flip)
        return
    if planes is not None:
        rim = canvas.mood.light.mix_with(canvas.mood.horizon, 0.15)
        shift = Transform.move(0.22, -0.22)
        canvas.nodes.append(Group(_paint_paths_in_colour(paths, rim), place.then(shift)))
    if inside is not None:
        canvas.nodes.append(Group(_paint_paths_in_colour(_fill_each_subpath(paths), inside), place))
    ink = colour or canvas.mood.ink
    if planes is None:
        canvas.nodes.append(Group(_paint_paths_in_colour(paths, ink), place))
    else:
        toward = (-1.0 if flip else 1.0, -1.0)  # the light: on the right of every picture, where the rim is
        canvas.nodes.append(Group(shade_motif_paths(paths, *planes, ink, toward, motif.bounds), place))


def _fill_each_subpath(paths: tuple[Path, ...]) -> tuple[Path, ...]:
    """Return each closed line of the paths as a shape of its own, so that nothing is left open."""
    return tuple(Path(line, path.fill) for path in paths for line in split_subpaths(path))


def _paint_paths_in_colour(paths: tuple[Path, ...], colour: Colour) -> tuple[Path, ...]:
    return tuple(Path(path.commands, colour, None, path.even_odd) for path in paths)


def _draw_coloured_figure(
    canvas: SceneCanvas, paths: Sequence[Path], bounds: Rect, place: Transform, flip: bool
) -> None:
    """Draw somebody in their own colours, with the shadow at their feet and a rim of light around them."""
    x, y = bounds.x + bounds.width / 2, bounds.bottom - 0.02 * bounds.height
    feet = ellipse(
        x, y, bounds.width * 0.5, bounds.height * 0.045, canvas.mood.near.mix_with(canvas.mood.ink, 0.6)
    )
    rim = canvas.mood.light.mix_with(canvas.mood.horizon, 0.15)
    solid = tuple(path for path in paths if path.fill is not None)
    halo = Group(_paint_paths_in_colour(solid, rim), place.then(Transform.move(0.35, -0.3)))
    toward = (-1.0 if flip else 1.0, -1.0)
    canvas.nodes += [Group((feet,), place), halo, Group(shade_coloured_figure(paths, bounds, toward), place)]

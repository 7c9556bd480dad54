"""Paints a whole scene: the layers of a world from back to front, in colour or as line art."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from playproof.generator.art.scenery import foreground, growth, indoors, landscape
from playproof.generator.art.scenery.worlds import KINDS, LAND, Mood, SceneCanvas, World
from playproof.generator.scene import WHITE, Colour, Group, Node, Path, Rect, Stroke, Symbol, build_rectangle_path

MODULES = (landscape, growth, indoors, foreground)  # importing them registers their layers
LAYERS = KINDS
"""What a world may be made of: kind of layer to its fields."""
_LINE = Colour(0.32, 0.32, 0.32)
_LINE_WIDTH = 0.15  # mm; the thinnest line that home printers draw without gaps


def paint_scenery_clipped_to_box(
    box: Rect,
    seed: str,
    world: World,
    mood: Mood,
    motif: Symbol | None = None,
    companions: Sequence[Symbol] = (),
    land_share: float = 1.0,
    as_line_art: bool = False,
    world_view: str = LAND,
) -> tuple[Node, ...]:
    """Paint a scene that fills the box; the box clips it. A `world_view` is one of the world's.

    A ``land_share`` below 1 keeps the figures and the land above that share of the height, because a
    title covers the rest. With ``as_line_art`` the scene is drawn as outlines on white, which saves ink:
    shapes in front hide those behind.
    """
    canvas = SceneCanvas(box, Random(f"scenery/{seed}"), mood, land_share, motif, companions, as_line_art)
    time = "night" if mood.night else "day"
    for layer in (*world.views[world_view], *world.finish):
        if layer.when in (None, time):
            layer.append_drawn_nodes_to_canvas(canvas)
    nodes = _iter_nodes_as_white_with_outline(canvas.nodes, _LINE_WIDTH) if as_line_art else canvas.nodes
    return (Group(tuple(nodes), clip=build_rectangle_path(box)),)


def _iter_nodes_as_white_with_outline(nodes: Iterable[Node], outline_width: float) -> Iterator[Node]:
    """Yield each shape filled white with a thin edge. `outline_width` is in the units of the group."""
    for node in nodes:
        if isinstance(node, Group):
            drawn = 2 * outline_width / node.transform.d  # figures stand in groups: their lines are stronger
            yield Group(tuple(_iter_nodes_as_white_with_outline(node.children, drawn)), node.transform, node.clip)
        elif isinstance(node, Path):
            yield Path(node.commands, WHITE, Stroke(_LINE, outline_width), node.even_odd)
        else:
            yield node

"""A whole scene: the layers of a world painted one behind the other, in colour or as line art."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random

from playproof.generator.art.scenery import figures, growth, land, sky
from playproof.generator.art.scenery.canvas import Canvas, Mood
from playproof.generator.art.scenery.world_file import KINDS, World
from playproof.generator.scene import WHITE, Colour, Group, Node, Path, Rect, Stroke, Symbol, rectangle

MODULES = (sky, land, growth, figures)  # importing them registers their layers
LAYERS = KINDS
"""What a world may be made of: kind of layer to its fields."""
_LINE = Colour(0.32, 0.32, 0.32)
_LINE_WIDTH = 0.15  # mm; the thinnest line that home printers draw without gaps


def scenery(box: Rect, seed: str, world: World, mood: Mood, motif: Symbol | None = None,
            companion: Symbol | None = None, ground: float = 1.0, lines: bool = False) -> tuple[Node, ...]:
    """A scene that fills the box. Nothing reaches beyond it.

    ``ground`` below 1 keeps what matters above that share of the height, where a title covers the
    rest. With ``lines`` it is drawn in outlines on white paper, for a printer that saves ink: what
    is in front hides what is behind.
    """
    canvas = Canvas(box, Random(f"scenery/{seed}"), mood, ground, motif, companion, lines)
    time = "night" if mood.night else "day"
    for one in world.layers:
        if one.when in (None, time):
            one.paint(canvas)
    nodes = _outlined(canvas.nodes, _LINE_WIDTH) if lines else canvas.nodes
    return (Group(tuple(nodes), clip=rectangle(box)),)


def _outlined(nodes: Iterable[Node], width: float) -> Iterator[Node]:
    """Each shape white with a thin edge. `width` is in the units of the group."""
    for node in nodes:
        if isinstance(node, Group):
            drawn = 2 * width / node.transform.d  # figures stand in groups: their lines are stronger
            yield Group(tuple(_outlined(node.children, drawn)), node.transform, node.clip)
        elif isinstance(node, Path):
            yield Path(node.commands, WHITE, Stroke(_LINE, width), node.even_odd)
        else:
            yield node

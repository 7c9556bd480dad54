"""Light on flat drawings: every shape has an edge in the light, a body, and an edge in the shade."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from playproof.generator.scene import (
    Colour,
    Command,
    Group,
    Node,
    Path,
    Rect,
    Symbol,
    Transform,
    rectangle,
)

_LIT, _SHADE = 0.022, 0.055
"""How wide the edges in the light and in the shade are, in shares of a motif's height."""
_EYE = 0.14
"""The size of the largest opening that has no such edges, in shares of a motif's height."""
_PART = 0.3
"""How wide the shade on a part of a figure is at most, in shares of the part."""
_SMALL = 0.11
"""The size of the largest part of a figure that stays flat, in shares of the figure's height."""
_LINE = 0.7
"""How wide the outline of a figure is, of what its file says: the planes tell its parts apart too."""
_LAMP, _NIGHT = Colour(1.0, 0.96, 0.84), Colour(0.08, 0.06, 0.16)
"""What the lit edges and the outlines of a coloured figure are mixed with."""


def planes(
    path: Path, colours: tuple[Colour, Colour, Colour], toward: tuple[float, float], bounds: Rect, wide: float
) -> Group:
    """Return the shape in three colours: its lit edge, its body and its edge in the shade. Both edges follow the
    outline: they are what a copy, moved along the light, leaves free of its shape. ``wide`` is how wide the shade is,
    ``toward`` where the light comes from."""
    lit, body, shade = colours
    across, down = (part * wide for part in toward)
    thin = _LIT / _SHADE
    light, shadow = Transform.move(-thin * across, -thin * down), Transform.move(across, down)
    ground = bounds.grown(wide)
    solid = tuple(command for line in lines(path) if _size(line) > _EYE * bounds.height for command in line)
    copy = Path(solid, body, None, path.even_odd)  # with the same numbers, which a file then stores once
    outside = Path((*solid, *rectangle(ground.moved(-across, -down)).commands), shade, None, True)
    return Group((rectangle(bounds, fill=lit), Group((copy,), light), Group((outside,), shadow)), clip=path)


def modelled(
    paths: Sequence[Path], lit: Colour, body: Colour, shade: Colour, toward: tuple[float, float], bounds: Rect
) -> tuple[Node, ...]:
    """Return the shapes of a motif in three planes of the same colours."""
    wide = _SHADE * bounds.height
    return tuple(planes(path, (lit, body, shade), toward, bounds, wide) for path in paths)


def is_coloured(paths: Sequence[Path]) -> bool:
    """Return whether a drawing has colours of its own: it is a figure, not a silhouette."""
    return len({path.fill for path in paths if path.fill is not None}) > 1


def figure(drawn: Sequence[Node], bounds: Rect, toward: tuple[float, float]) -> tuple[Node, ...]:
    """Return the parts of a coloured figure in three planes each, under thinner outlines. What is small, or has no
    outline, is a detail on another part and stays as it is."""
    nodes: list[Node] = []
    for node in drawn:
        if not (isinstance(node, Path) and isinstance(node.fill, Colour) and node.stroke is not None):
            nodes.append(node)
            continue
        stroke = node.stroke._replace(width=node.stroke.width * _LINE, colour=node.fill.mixed(_NIGHT, 0.82))
        part, least = node._replace(stroke=stroke), _least(node)
        if least > _SMALL * bounds.height:
            wide = min(2 * _SHADE * bounds.height, _PART * least)
            colours = (node.fill.mixed(_LAMP, 0.42), node.fill, _shaded(node.fill))
            nodes.append(planes(node._replace(stroke=None), colours, toward, bounds, wide))
            part = part._replace(fill=None)
        nodes.append(part)
    return tuple(nodes)


def _shaded(colour: Colour) -> Colour:
    """Return a colour out of the light: darker, and a little cooler, so that pale parts do not turn grey."""
    return Colour(colour.red * 0.72, colour.green * 0.65, colour.blue * 0.74)


def modelled_symbol(symbol: Symbol) -> Symbol:
    """Return a coloured figure in the light, which comes from the upper right as in scenes."""
    nodes = figure(symbol.children, symbol.bounds, (1.0, -1.0))
    return Symbol(f"{symbol.name}.lit", symbol.bounds, nodes, symbol.picture)


def flattened(nodes: Sequence[Node]) -> tuple[Path, ...]:
    """Return the paths among the nodes (motifs and figures hold only paths)."""
    return tuple(node for node in nodes if isinstance(node, Path))


def lines(path: Path) -> list[tuple[Command, ...]]:
    """Return the closed lines that a path consists of."""
    starts = [at for at, command in enumerate(path.commands) if command[0] == "M"]
    return [path.commands[start:end] for start, end in pairwise((*starts, len(path.commands)))]


def _sides(line: Sequence[Command]) -> tuple[float, float]:
    """Return the width and the height of a line and its control points."""
    places = [number for _, place in line for number in place]
    across, down = (max(numbers) - min(numbers) for numbers in (places[0::2], places[1::2]))
    return across, down


def _size(line: Sequence[Command]) -> float:
    return max(_sides(line))


def _least(path: Path) -> float:
    return min(_sides(path.commands))

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


def shade_path_in_planes(
    path: Path,
    colours: tuple[Colour, Colour, Colour],
    light_direction: tuple[float, float],
    bounds: Rect,
    shade_width: float,
) -> Group:
    """Return the shape in three colours: its lit edge, its body and its edge in the shade. Both edges follow the
    outline: they are what a copy, moved along the light, leaves free of its shape. ``wide`` is how wide the shade is,
    ``toward`` where the light comes from."""
    lit, body, shade = colours
    across, down = (part * shade_width for part in light_direction)
    thin = _LIT / _SHADE
    light, shadow = Transform.move(-thin * across, -thin * down), Transform.move(across, down)
    ground = bounds.expand(shade_width)
    solid = tuple(
        command
        for line in split_subpaths(path)
        if _get_longer_extent(line) > _EYE * bounds.height
        for command in line
    )
    copy = Path(solid, body, None, path.even_odd)  # with the same numbers, which a file then stores once
    outside = Path((*solid, *rectangle(ground.translate(-across, -down)).commands), shade, None, True)
    return Group((rectangle(bounds, fill=lit), Group((copy,), light), Group((outside,), shadow)), clip=path)


def shade_motif_paths(
    paths: Sequence[Path],
    lit: Colour,
    body: Colour,
    shade: Colour,
    light_direction: tuple[float, float],
    bounds: Rect,
) -> tuple[Node, ...]:
    """Return the shapes of a motif in three planes of the same colours."""
    wide = _SHADE * bounds.height
    return tuple(
        shade_path_in_planes(path, (lit, body, shade), light_direction, bounds, wide) for path in paths
    )


def has_several_fill_colours(paths: Sequence[Path]) -> bool:
    """Return whether a drawing has colours of its own: it is a figure, not a silhouette."""
    return len({path.fill for path in paths if path.fill is not None}) > 1


def shade_coloured_figure(
    figure_nodes: Sequence[Node], bounds: Rect, light_direction: tuple[float, float]
) -> tuple[Node, ...]:
    """Return the parts of a coloured figure in three planes each, under thinner outlines. What is small, or has no
    outline, is a detail on another part and stays as it is."""
    nodes: list[Node] = []
    for node in figure_nodes:
        if not (isinstance(node, Path) and isinstance(node.fill, Colour) and node.stroke is not None):
            nodes.append(node)
            continue
        stroke = node.stroke._replace(
            width=node.stroke.width * _LINE, colour=node.fill.mix_with(_NIGHT, 0.82)
        )
        part, least = node._replace(stroke=stroke), _get_shorter_extent(node)
        if least > _SMALL * bounds.height:
            wide = min(2 * _SHADE * bounds.height, _PART * least)
            colours = (node.fill.mix_with(_LAMP, 0.42), node.fill, _darken_colour(node.fill))
            nodes.append(
                shade_path_in_planes(node._replace(stroke=None), colours, light_direction, bounds, wide)
            )
            part = part._replace(fill=None)
        nodes.append(part)
    return tuple(nodes)


def _darken_colour(colour: Colour) -> Colour:
    """Return a colour out of the light: darker, and a little cooler, so that pale parts do not turn grey."""
    return Colour(colour.red * 0.72, colour.green * 0.65, colour.blue * 0.74)


def shade_coloured_symbol(symbol: Symbol) -> Symbol:
    """Return a coloured figure in the light, which comes from the upper right as in scenes."""
    nodes = shade_coloured_figure(symbol.children, symbol.bounds, (1.0, -1.0))
    return Symbol(f"{symbol.name}.lit", symbol.bounds, nodes, symbol.picture)


def select_paths(nodes: Sequence[Node]) -> tuple[Path, ...]:
    """Return the paths among the nodes (motifs and figures hold only paths)."""
    return tuple(node for node in nodes if isinstance(node, Path))


def split_subpaths(path: Path) -> list[tuple[Command, ...]]:
    """Return the closed lines that a path consists of."""
    starts = [at for at, command in enumerate(path.commands) if command[0] == "M"]
    return [path.commands[start:end] for start, end in pairwise((*starts, len(path.commands)))]


def _measure_outline_extent(line: Sequence[Command]) -> tuple[float, float]:
    """Return the width and the height of a line and its control points."""
    places = [number for _, place in line for number in place]
    across, down = (max(numbers) - min(numbers) for numbers in (places[0::2], places[1::2]))
    return across, down


def _get_longer_extent(line: Sequence[Command]) -> float:
    return max(_measure_outline_extent(line))


def _get_shorter_extent(path: Path) -> float:
    return min(_measure_outline_extent(path.commands))

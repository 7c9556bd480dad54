"""A face as text, one line per node, for golden files that a reviewer can read in a diff."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from playproof.generator.scene import (
    IDENTITY,
    Colour,
    Face,
    Glyphs,
    Group,
    Image,
    Node,
    Paint,
    Path,
    Stroke,
    Symbol,
    Use,
)

_FEW = 4  # uses of one symbol behind each other; more of them are a pattern, which is counted


def draw_log(face: Face) -> str:
    """Return the drawing of a face as text, with coordinates to a hundredth of a millimetre."""
    head = f"face {face.name} {_n(face.width)} x {_n(face.height)} bleed {_n(face.bleed)}"
    return "\n".join([head, *_lines(face.nodes, "  ")]) + "\n"


def _lines(nodes: tuple[Node, ...], indent: str) -> Iterator[str]:
    for symbol, run in groupby(nodes, lambda node: node.symbol if isinstance(node, Use) else None):
        alike = list(run)
        if symbol is not None and len(alike) > _FEW:
            yield f"{indent}use {_name(symbol)} {len(alike)} times"
        else:
            yield from _each(alike, indent)


def _each(nodes: Iterable[Node], indent: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Glyphs):
            font = node.pieces[0][1].font if node.pieces else ""
            yield f"{indent}text {_n(node.x)} {_n(node.y)} {font} {node.size:g} {node.fill.hex} {node.text!r}"
        elif isinstance(node, Path):
            points = [value for _, values in node.commands for value in values]
            xs, ys = points[0::2], points[1::2]
            box = f"{_n(min(xs))} {_n(min(ys))} {_n(max(xs))} {_n(max(ys))}"
            letters = "".join(letter for letter, _ in node.commands)
            short = letters if len(letters) <= 12 else f"{letters[:9]}...{len(letters)}"
            yield f"{indent}path {box} {short}{_paint(node.fill)}{_stroke(node.stroke)}"
        elif isinstance(node, Use):
            says = f" says {node.says.text!r}" if node.says else ""
            yield f"{indent}use {_name(node.symbol)}{_place(node.transform)}{says}"
        elif isinstance(node, Group):
            clip = " clipped" if node.clip else ""
            yield f"{indent}group{_place(node.transform)}{clip}{f' {node.opacity:g}' if node.opacity < 1 else ''}"
            yield from _lines(node.children, indent + "  ")
        elif isinstance(node, Image):
            yield f"{indent}image {node.file.name} {_n(node.rect.x)} {_n(node.rect.y)}"


def _name(symbol: Symbol) -> str:
    """Return the symbol's name. A symbol that a layout draws once for all cards has a file position
    as its name: that becomes a count of its nodes."""
    if ":" not in symbol.name:
        return symbol.name
    return f"what all cards share ({len(symbol.children)} nodes)"


def _n(value: float) -> str:
    return f"{round(value, 2) + 0:.10g}"


def _place(transform: object) -> str:
    if transform == IDENTITY:
        return ""
    parts = [getattr(transform, name) for name in "abcdef"]
    return " at " + " ".join(f"{round(part, 3) + 0:.6g}" for part in parts)


def _paint(paint: Paint | None) -> str:
    if paint is None:
        return ""
    if isinstance(paint, Colour):
        return f" fill {paint.hex}"
    return " gradient " + " ".join(stop.colour.hex for stop in paint.stops)


def _stroke(stroke: Stroke | None) -> str:
    return f" line {stroke.colour.hex} {_n(stroke.width)}" if stroke else ""

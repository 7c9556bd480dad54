"""What a face draws beyond its canvas: text, icons and pictures there are cut off or never seen.

Decoration may run into the bleed and beyond it. What people read may not: a text or an icon keeps
inside the cut, and a picture inside the bleed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import NamedTuple

from playproof.database.errors import Where
from playproof.generator.scene import (
    IDENTITY,
    MM_PER_PT,
    Glyphs,
    Group,
    Image,
    Node,
    Path,
    Rect,
    Symbol,
    Transform,
    Use,
)

SLACK = 0.05  # mm, from rounding
ASCENT, DESCENT = (
    0.66,
    0.2,
)  # of the type size: from the baseline to the top of capitals, and to the foot of a "p"
PICTURE = "picture."  # how the names of SVG pictures begin


class Lost(NamedTuple):
    """Something that lies beyond the canvas: what it is, beyond which edge, and where its element
    is written (None if the drawing was not traced)."""

    what: str
    edge: str
    where: Where | None

    def message(self, trim: Rect, bleed: float) -> str:
        """Return what is wrong, in words that are the same for all cards drawn alike."""
        size = f"{trim.width:g} x {trim.height:g} mm"
        if self.what == "shape":
            return f"this shape lies beyond the {self.edge} edge of the {size} that are printed, so nobody sees it"
        if self.what == "picture":
            area = f"{size} and {bleed:g} mm of bleed"
            return f"this picture reaches beyond the {self.edge} edge of {area}, and is cut off"
        return f"this {self.what} reaches beyond the {self.edge} edge of {size}, or of a clip, and is cut off"

    @property
    def hint(self) -> str:
        """What mends it."""
        if self.what == "picture":
            return "keep its box within `bleed`, or crop it in a group with `clip: true`"
        return "a box counts from the upper left corner; `right` and `bottom` are distances inwards"


@dataclass(frozen=True, slots=True)
class Canvas:
    """The part of a face that people see. `shape` is what is cut out of the trim; `icons` are the ids of the symbols
    that are icons."""

    trim: Rect
    bleed: Rect
    shape: str  # rect, circle or hexagon
    icons: Set[int]

    def lost(self, nodes: Iterable[Node]) -> Iterator[Lost]:
        """Yield what the nodes draw beyond the canvas."""
        yield from self._walked(nodes, IDENTITY, _View(self.trim, self.bleed, None, False))

    def _walked(self, nodes: Iterable[Node], move: Transform, view: _View) -> Iterator[Lost]:
        pattern: Symbol | None = None  # it has thousands of uses
        for node in nodes:
            if isinstance(node, Use):
                if node.symbol is pattern:
                    continue
                if view.clipped and self._is_pattern(node.symbol):
                    pattern = node.symbol
                else:
                    yield from self._use(node, move, view)
            elif isinstance(node, Glyphs):
                box = move.around(_ink(node))
                if self.shape != "rect" or not view.reading.contains(
                    box, SLACK
                ):  # a faster question than the next
                    yield from self._read("text", box, view)
            elif isinstance(node, Group):
                yield from self._group(node, move, view)
            elif isinstance(node, Image):
                yield from self._picture(move.around(node.rect), view)
            elif not view.clipped and (bounds := _bounds(node)) is not None:
                yield from self._unseen("shape", move.around(bounds), view)

    def _group(self, group: Group, move: Transform, view: _View) -> Iterator[Lost]:
        if group.source:
            view = view._replace(where=group.source[0])
        inner = group.transform.then(move) if move is not IDENTITY else group.transform
        if group.clip is not None:
            window = _bounds(group.clip)
            if window is None:
                return
            seen = inner.around(window)
            yield from self._picture(seen, view)
            view = view._replace(reading=view.reading.common(seen), clipped=True)
        yield from self._walked(group.children, inner, view)

    def _is_pattern(self, symbol: Symbol) -> bool:
        """Return whether a symbol has nothing that people read: it is no icon, and holds only shapes."""
        return id(symbol) not in self.icons and all(isinstance(child, Path) for child in symbol.children)

    def _use(self, use: Use, move: Transform, view: _View) -> Iterator[Lost]:
        inner = use.transform.then(move) if move is not IDENTITY else use.transform
        if id(use.symbol) in self.icons:
            yield from self._read("icon", inner.around(use.symbol.bounds), view)
        elif use.symbol.name.startswith(PICTURE):
            yield from self._picture(inner.around(use.symbol.bounds), view)
        else:
            yield from self._walked(use.symbol.children, inner, view)

    def _read(self, what: str, box: Rect, view: _View) -> Iterator[Lost]:
        """Yield what people read or look for and what the cut or a clip takes away."""
        edge = _beyond(box, view.reading)
        if not edge and self.shape != "rect":
            # An icon seldom fills the corners of its box; a line of text fills its box.
            points = _corners(box) if what == "text" else _middles(box)
            if self.shape == "circle":
                edge = "" if _within_circle(points, self.trim) else "round"
            else:
                edge = "" if _within_hexagon(points, self.trim) else "slanted"
        if edge:
            yield Lost(what, edge, view.where)

    def _picture(self, box: Rect, view: _View) -> Iterator[Lost]:
        edge = "" if view.clipped else _beyond(box, view.printed)
        if edge:
            yield Lost("picture", edge, view.where)

    def _unseen(self, what: str, box: Rect, view: _View) -> Iterator[Lost]:
        """Yield a shape of which nothing is printed."""
        if (
            box.right < view.printed.x
            or box.x > view.printed.right
            or (box.bottom < view.printed.y or box.y > view.printed.bottom)
        ):
            yield Lost(what, _beyond(box, view.printed), view.where)


class _View(NamedTuple):
    """What is seen at a place of the tree: the part for reading, the part that is printed, the
    element's place, and whether a clip limits it on purpose."""

    reading: Rect
    printed: Rect
    where: Where | None
    clipped: bool


def _beyond(box: Rect, canvas: Rect) -> str:
    """Return the edge of the canvas that a box crosses most, or "" if it lies within."""
    if canvas.contains(box, SLACK):  # nearly all do
        return ""
    over = {
        "left": canvas.x - box.x,
        "top": canvas.y - box.y,
        "right": box.right - canvas.right,
        "bottom": box.bottom - canvas.bottom,
    }
    edge = max(over, key=lambda name: over[name])
    return edge if over[edge] > SLACK else ""


def _within_circle(points: Iterable[tuple[float, float]], trim: Rect) -> bool:
    x, y = trim.centre
    radius = min(trim.width, trim.height) / 2 + SLACK
    return all(hypot(across - x, down - y) <= radius for across, down in points)


def _within_hexagon(points: Iterable[tuple[float, float]], trim: Rect) -> bool:
    """Return whether points lie in the hexagon that fills the trim: from the middle of the long sides on, each
    quarter of the longer way takes half of the shorter."""
    x, y = trim.centre
    wide = trim.width >= trim.height
    long, short = (trim.width / 2, trim.height / 2) if wide else (trim.height / 2, trim.width / 2)
    for across, down in points:
        along, aside = (abs(across - x), abs(down - y)) if wide else (abs(down - y), abs(across - x))
        if aside > short + SLACK or along - SLACK > long - aside / short * long / 2:
            return False
    return True


def _corners(box: Rect) -> Iterator[tuple[float, float]]:
    yield from product((box.x, box.right), (box.y, box.bottom))


def _middles(box: Rect) -> Iterator[tuple[float, float]]:
    """Yield the middle of each side."""
    x, y = box.centre
    yield from ((box.x, y), (box.right, y), (x, box.y), (x, box.bottom))


def _bounds(path: Path) -> Rect | None:
    """Return a box around a path and its control points; None for an empty path."""
    numbers = [number for _, place in path.commands for number in place]
    if not numbers:
        return None
    xs, ys = numbers[0::2], numbers[1::2]
    return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


def drawn_boxes(nodes: Iterable[Node], move: Transform = IDENTITY) -> Iterator[tuple[str, Rect]]:
    """Yield the boxes of what nodes draw: "text" for a line, "shape" for a path, a picture, an icon or all that
    a clip holds."""
    for node in nodes:
        if isinstance(node, Glyphs):
            yield "text", move.around(_ink(node))
        elif isinstance(node, Image):
            yield "shape", move.around(node.rect)
        elif isinstance(node, Path):
            box = _bounds(node)
            if box is not None:
                yield "shape", move.around(box)
        elif isinstance(node, Use):
            yield from drawn_boxes(node.symbol.children, node.transform.then(move))
        elif node.clip is not None and (window := _bounds(node.clip)) is not None:
            yield "shape", node.transform.then(move).around(window)
        else:
            yield from drawn_boxes(node.children, node.transform.then(move))


def _ink(line: Glyphs) -> Rect:
    size = line.size * MM_PER_PT
    return Rect(line.x, line.y - ASCENT * size, line.width, (ASCENT + DESCENT) * size)

"""How much ink a face takes. Every element draws through these questions, and none of them asks which sheet it is on:
what is drawn with little ink is decided here alone.
"""

from __future__ import annotations

from playproof.generator.art.svg_geometry import bounds
from playproof.generator.scene import BLACK, WHITE, Colour, Paint, Path, Stroke
from playproof.generator.type.setting import TextStyle

GROUND = 0.6  # of the face: a shape this large is its ground, and low ink leaves it white
PEN = 0.25  # mm: the line that stands for a filled shape
THIN = 1.3  # mm: a band no higher than this is a line already, and no line is wider
DOT = 12.0  # mm2: the pips of a die take little ink


class FullInk:
    """Everything is drawn as the layout says."""

    low = False

    def line(self, colour: Colour) -> Colour:
        """Return the colour of a line."""
        return colour

    def width(self, width: float) -> float:
        """Return the width of a line (mm)."""
        return width

    def type(self, style: TextStyle) -> TextStyle:
        """Return the style of a text."""
        return style

    def ground(self, colour: Colour | None) -> Colour | None:
        """Return the colour of a ground or pattern, which tells nothing by itself; None leaves the paper white."""
        return colour

    def shape(self, outline: Path, fill: Paint | None, stroke: Stroke | None, face: float) -> Path | None:
        """Return a shape on a face of so many mm2. Return None if it has neither fill nor line."""
        return outline._replace(fill=fill, stroke=stroke) if fill is not None or stroke is not None else None

    def shows(self, always: bool) -> bool:
        """Return whether a picture is drawn. ``always`` says that people need it."""
        return True

    def lit(self, lit: bool) -> bool:
        """Return whether a figure stands in the light."""
        return lit


class LowInk(FullInk):
    """White grounds, black type, outlines for colour, scenes in lines, and no pictures but those that people need."""

    low = True

    def line(self, colour: Colour) -> Colour:
        """Darken a pale line, because the dark ground it was meant for is white now."""
        return colour.mixed(BLACK, 0.6) if colour.luminance > 0.5 else colour

    def width(self, width: float) -> float:
        return min(width, THIN)

    def type(self, style: TextStyle) -> TextStyle:
        return style._replace(colour=BLACK, outline=None, shadow=None)

    def ground(self, colour: Colour | None) -> None:
        return None

    def shape(self, outline: Path, fill: Paint | None, stroke: Stroke | None, face: float) -> Path | None:
        """Return a filled shape white, with a line in its colour, dark enough to be seen.

        A ground loses its fill. A narrow band and a small dark dot stay filled.
        """
        if fill is not None:
            area, box = _covered(outline), bounds(outline.commands)
            own = fill if isinstance(fill, Colour) else fill.stops[-1].colour
            dark = own.mixed(BLACK, 0.5 if own.luminance > 0.4 else 0.0)
            if area >= GROUND * face:
                fill = None
            elif min(box.width, box.height) <= THIN or (own == dark and area <= DOT):
                fill = dark
            else:
                fill, stroke = WHITE, stroke or Stroke(dark, PEN)
        return super().shape(outline, fill, stroke, face)

    def shows(self, always: bool) -> bool:
        return always

    def lit(self, lit: bool) -> bool:
        return False


def _covered(outline: Path) -> float:
    """Return the area (mm2) inside an outline. Curves count with their control points."""
    rings: list[list[tuple[float, float]]] = []
    for letter, numbers in outline.commands:
        if letter == "M":
            rings.append([])
        rings[-1] += zip(numbers[0::2], numbers[1::2], strict=True)
    return sum(_inside(ring) for ring in rings)


def _inside(ring: list[tuple[float, float]]) -> float:
    turns = zip(ring, [*ring[1:], *ring[:1]], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in turns)) / 2

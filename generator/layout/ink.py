"""How much ink a face takes. Every element draws through these questions, and none of them asks which sheet it is on:
what is drawn with little ink is decided here alone.
"""

from __future__ import annotations

from playproof.generator.art.svg_geometry import compute_outline_bounds
from playproof.generator.scene import BLACK, WHITE, Colour, Paint, Path, Stroke
from playproof.generator.type.setting import TextStyle

GROUND = 0.6  # of the face: a shape this large is its ground, and low ink leaves it white
PEN = 0.25  # mm: the line that stands for a filled shape
THIN = 1.3  # mm: a band no higher than this is a line already, and no line is wider
DOT = 12.0  # mm2: the pips of a die take little ink


class FullInk:
    """Everything is drawn as the layout says."""

    low = False

    def adapt_line_colour(self, colour: Colour) -> Colour:
        """Return the colour of a line."""
        return colour

    def adapt_line_width(self, width: float) -> float:
        """Return the width of a line (mm)."""
        return width

    def adapt_text_style(self, style: TextStyle) -> TextStyle:
        """Return the style of a text."""
        return style

    def adapt_ground_colour(self, colour: Colour | None) -> Colour | None:
        """Return the colour of a ground or pattern, which tells nothing by itself; None leaves the paper white."""
        return colour

    def build_shape(
        self, outline: Path, fill: Paint | None, stroke: Stroke | None, face_area: float
    ) -> Path | None:
        """Return a shape on a face of so many mm2. Return None if it has neither fill nor line."""
        return outline._replace(fill=fill, stroke=stroke) if fill is not None or stroke is not None else None

    def shows_picture(self, always: bool) -> bool:
        """Return whether a picture is drawn. ``always`` says that people need it."""
        return True

    def is_figure_lit(self, lit: bool) -> bool:
        """Return whether a figure stands in the light."""
        return lit


class LowInk(FullInk):
    """White grounds, black type, outlines for colour, scenes in lines, and no pictures but those that people need."""

    low = True

    def adapt_line_colour(self, colour: Colour) -> Colour:
        """Darken a pale line, because the dark ground it was meant for is white now."""
        return colour.mix_with(BLACK, 0.6) if colour.luminance > 0.5 else colour

    def adapt_line_width(self, width: float) -> float:
        return min(width, THIN)

    def adapt_text_style(self, style: TextStyle) -> TextStyle:
        return style._replace(colour=BLACK, outline=None, shadow=None)

    def adapt_ground_colour(self, colour: Colour | None) -> None:
        return None

    def build_shape(
        self, outline: Path, fill: Paint | None, stroke: Stroke | None, face_area: float
    ) -> Path | None:
        """Return a filled shape white, with a line in its colour, dark enough to be seen.

        A ground loses its fill. A narrow band and a small dark dot stay filled.
        """
        if fill is not None:
            area, box = _compute_outline_area(outline), compute_outline_bounds(outline.commands)
            own = fill if isinstance(fill, Colour) else fill.stops[-1].colour
            dark = own.mix_with(BLACK, 0.5 if own.luminance > 0.4 else 0.0)
            if area >= GROUND * face_area:
                fill = None
            elif min(box.width, box.height) <= THIN or (own == dark and area <= DOT):
                fill = dark
            else:
                fill, stroke = WHITE, stroke or Stroke(dark, PEN)
        return super().build_shape(outline, fill, stroke, face_area)

    def shows_picture(self, always: bool) -> bool:
        return always

    def is_figure_lit(self, lit: bool) -> bool:
        return False


def _compute_outline_area(outline: Path) -> float:
    """Return the area (mm2) inside an outline. Curves count with their control points."""
    rings: list[list[tuple[float, float]]] = []
    for letter, numbers in outline.commands:
        if letter == "M":
            rings.append([])
        rings[-1] += zip(numbers[0::2], numbers[1::2], strict=True)
    return sum(_compute_ring_area(ring) for ring in rings)


def _compute_ring_area(ring: list[tuple[float, float]]) -> float:
    turns = zip(ring, [*ring[1:], *ring[:1]], strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in turns)) / 2

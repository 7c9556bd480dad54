"""The values that pictures are made of: millimetres and points as two types, rectangles and affine maps,
colours on the screen and in ink."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin
from typing import NamedTuple, NewType

# -- units ---------------------------------------------------------------------------------------------------
# Millimetres and points as two types, so that the type checker catches mix-ups.

Mm = NewType("Mm", float)
Pt = NewType("Pt", float)

MM_PER_PT = 25.4 / 72
PT_PER_MM = 72 / 25.4


def pt_to_mm(size: float) -> Mm:
    """Convert points (1/72 inch) to millimetres.

    >>> round(pt_to_mm(72), 3)
    25.4
    """
    return Mm(size * MM_PER_PT)


def mm_to_pt(length: float) -> Pt:
    """Convert millimetres to points (1/72 inch)."""
    return Pt(length * PT_PER_MM)


# -- affine --------------------------------------------------------------------------------------------------
# Rectangles and affine maps.


class Rect(NamedTuple):
    """An upright rectangle: top-left corner, width and height in millimetres."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        return self.x + self.width

    @property
    def bottom(self) -> float:
        return self.y + self.height

    @property
    def centre(self) -> tuple[float, float]:
        return (self.x + self.width / 2, self.y + self.height / 2)

    def expand(self, margin: float) -> Rect:
        """Return this rectangle with ``margin`` added on each of its four sides, or taken away if
        negative."""
        return Rect(self.x - margin, self.y - margin, self.width + 2 * margin, self.height + 2 * margin)

    def translate(self, dx: float, dy: float) -> Rect:
        return Rect(self.x + dx, self.y + dy, self.width, self.height)

    def apply_upright_transform(self, transform_without_turn: Transform) -> Rect:
        """Return the rectangle moved and scaled; ``transform_without_turn`` turns nothing."""
        x, y = transform_without_turn.apply(self.x, self.y)
        return Rect(x, y, transform_without_turn.a * self.width, transform_without_turn.d * self.height)

    def intersect_or_get_empty_rectangle(self, other: Rect) -> Rect:
        """Return what both share; a rectangle of no size if they share nothing."""
        x, y = max(self.x, other.x), max(self.y, other.y)
        right, bottom = min(self.right, other.right), min(self.bottom, other.bottom)
        return Rect(x, y, max(0.0, right - x), max(0.0, bottom - y))

    @staticmethod
    def build_bounding_box(boxes: Sequence[Rect]) -> Rect:
        """Return the least rectangle that holds all of them."""
        x, y = min(box.x for box in boxes), min(box.y for box in boxes)
        return Rect(x, y, max(box.right for box in boxes) - x, max(box.bottom for box in boxes) - y)

    def contains(self, other: Rect, slack: float = 1e-6) -> bool:
        """Return whether the other rectangle lies inside this one, borders included."""
        return (
            other.x >= self.x - slack
            and other.y >= self.y - slack
            and other.x + other.width <= self.x + self.width + slack
            and other.y + other.height <= self.y + self.height + slack
        )

    def overlaps(self, other: Rect, slack: float = 1e-6) -> bool:
        """Return whether the insides meet. A shared edge is no overlap; a line counts as its own
        inside."""
        return (
            self.x < other.x + other.width - slack
            and other.x < self.x + self.width - slack
            and self.y < other.y + other.height - slack
            and other.y < self.y + self.height - slack
        )


class Transform(NamedTuple):
    """The affine map x' = a x + c y + e, y' = b x + d y + f (the order of PDF and SVG)."""

    a: float = 1
    b: float = 0
    c: float = 0
    d: float = 1
    e: float = 0
    f: float = 0

    @classmethod
    def move(cls, x: float, y: float) -> Transform:
        return cls(1, 0, 0, 1, x, y)

    @classmethod
    def scale(cls, x: float, y: float | None = None) -> Transform:
        return cls(x, 0, 0, x if y is None else y, 0, 0)

    @classmethod
    def rotate(cls, degrees: float, about: tuple[float, float] = (0, 0)) -> Transform:
        """Return a clockwise turn (y points down) about a point. Right angles are exact."""
        exact = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
        turn = float(degrees % 360)
        cosine, sine = exact.get(turn) or (cos(radians(turn)), sin(radians(turn)))
        x, y = about
        return cls(cosine, sine, -sine, cosine, x - cosine * x + sine * y, y - sine * x - cosine * y)

    def then(self, after: Transform) -> Transform:
        """Return the map that applies this one first and ``after`` second.

        >>> Transform.scale(2).then(Transform.move(1, 0)).apply(3, 4)
        (7, 8)
        """
        return Transform(
            after.a * self.a + after.c * self.b,
            after.b * self.a + after.d * self.b,
            after.a * self.c + after.c * self.d,
            after.b * self.c + after.d * self.d,
            after.a * self.e + after.c * self.f + after.e,
            after.b * self.e + after.d * self.f + after.f,
        )

    def apply(self, x: float, y: float) -> tuple[float, float]:
        return (self.a * x + self.c * y + self.e, self.b * x + self.d * y + self.f)

    def transform_bounding_box(self, box: Rect) -> Rect:
        """Return the upright rectangle around a box that this map moves."""
        if self is IDENTITY:
            return box
        if not (self.b or self.c) and self.a > 0 < self.d:
            return box.apply_upright_transform(self)
        xs, ys = zip(*(self.apply(x, y) for x in (box.x, box.right) for y in (box.y, box.bottom)), strict=True)
        return Rect(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


IDENTITY = Transform()


# -- colour --------------------------------------------------------------------------------------------------
# Colours on the screen and in ink.

NEUTRAL = 0.17  # between the strongest and the weakest of red, green, blue: below, the eye calls a dark colour grey
DARK = 0.14  # luminance of type that is read as dark on light
SOLID = 0.04  # luminance of what is printed as solid black


class Colour(NamedTuple):
    """A colour as sRGB (0..1), and as CMYK (0..1) if the author gave ink values.

    ``cmyk`` wins in a CMYK document; without it `to_own_or_converted_cmyk_shares` converts.
    """

    red: float
    green: float
    blue: float
    cmyk: tuple[float, float, float, float] | None = None

    @classmethod
    def parse_hex_or_cmyk_colour_or_raise(cls, text: str) -> Colour:
        """Parse ``#rgb``, ``#rrggbb`` or ``cmyk(c m y k)`` in percent. Raises ValueError for other
        text.

        >>> Colour.parse_hex_or_cmyk_colour_or_raise("#ff0000").red
        1.0
        """
        word = text.strip()
        if word.startswith("#"):
            return cls._create_from_hex_digits(word[1:])
        if word.startswith("cmyk(") and word.endswith(")"):
            parts = word[5:-1].replace(",", " ").split()
            values = [float(part.rstrip("%")) / 100 for part in parts]
            if len(values) == 4 and all(0 <= value <= 1 for value in values):
                return cls.create_from_cmyk(*values)
        raise ValueError(f"not a colour: {text!r}")

    @classmethod
    def _create_from_hex_digits(cls, digits: str) -> Colour:
        if len(digits) == 3:
            digits = "".join(digit * 2 for digit in digits)
        if len(digits) != 6:
            raise ValueError(f"not a colour: '#{digits}'")
        red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
        return cls(red, green, blue)

    @classmethod
    def create_from_cmyk(cls, cyan: float, magenta: float, yellow: float, black: float) -> Colour:
        """Return an ink colour; its screen colour is the plain subtractive mixture."""
        screen = [(1 - ink) * (1 - black) for ink in (cyan, magenta, yellow)]
        return cls(screen[0], screen[1], screen[2], (cyan, magenta, yellow, black))

    def to_own_or_converted_cmyk_shares(self, ink_limit: float = 2.4) -> tuple[float, float, float, float]:
        """Return cyan, magenta, yellow and black, 0..1, their sum at most ``ink_limit``.

        Full grey replacement (all common grey becomes black ink) keeps small type in one ink;
        240 % is the tightest vendor limit known to us.
        """
        if self.cmyk is not None:
            return self.cmyk
        black = 1 - max(self.red, self.green, self.blue)
        if black >= 1:
            return (0.0, 0.0, 0.0, 1.0)
        light = 1 - black
        screen = (self.red, self.green, self.blue)
        cyan, magenta, yellow = (max(0.0, (light - part) / light) for part in screen)
        total = cyan + magenta + yellow
        scale = min(1.0, (ink_limit - black) / total) if total else 1.0
        return (cyan * scale, magenta * scale, yellow * scale, black)

    def to_cmyk_for_type(self, ink_limit: float = 2.4) -> tuple[float, float, float, float]:
        """Return the inks for type of this colour: dark greys are black ink alone.

        Small letters of several screened plates blur if one plate is slightly out of place. Inks
        that the author gave, and colours that are visibly not grey, stay as they are.
        """
        parts = (self.red, self.green, self.blue)
        neutral = max(parts) - min(parts) < NEUTRAL and self.luminance < DARK
        if self.cmyk is not None or not neutral:
            return self.to_own_or_converted_cmyk_shares(ink_limit)
        if self.luminance < SOLID:
            return (0.0, 0.0, 0.0, 1.0)
        light = 1.055 * self.luminance ** (1 / 2.4) - 0.055
        return (0.0, 0.0, 0.0, 1 - light)

    def mix_with(self, other: Colour, share: float) -> Colour:
        """Return this colour with ``share`` (0..1) of the other mixed in, in sRGB."""
        keep = 1 - share
        return Colour(
            self.red * keep + other.red * share,
            self.green * keep + other.green * share,
            self.blue * keep + other.blue * share,
        )

    @property
    def luminance(self) -> float:
        """The relative luminance, 0..1 (WCAG 2.2)."""
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (self.red, self.green, self.blue)
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    @property
    def hex(self) -> str:
        """The colour as ``#rrggbb``."""
        return "#" + "".join(f"{round(part * 255):02x}" for part in (self.red, self.green, self.blue))


BLACK = Colour(0, 0, 0)
WHITE = Colour(1, 1, 1)

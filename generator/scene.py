"""The scene: what a picture is, as immutable values in millimetres, y downwards.

A layout makes a scene once; ``generator.pdf``, ``generator.svg`` and ``generator.png`` only draw it.
A `Face` is one side of one component; its own origin is the top-left corner of its trim.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from math import cos, radians, sin
from pathlib import Path as FilePath
from typing import Literal, NewType, TypeAlias

Mm = NewType("Mm", float)
Pt = NewType("Pt", float)

MM_PER_PT = 25.4 / 72
PT_PER_MM = 72 / 25.4


def pt_to_mm(size: float) -> Mm:
    """Points (1/72 inch) as millimetres.

    >>> round(pt_to_mm(72), 3)
    25.4
    """
    return Mm(size * MM_PER_PT)


def mm_to_pt(length: float) -> Pt:
    """Millimetres as points (1/72 inch)."""
    return Pt(length * PT_PER_MM)


@dataclass(frozen=True, slots=True)
class Colour:
    """A colour as sRGB (0..1), and as authored CMYK (0..1) where the author gave ink values.

    ``cmyk`` wins in a CMYK document; without it `inks` converts.
    """

    red: float
    green: float
    blue: float
    cmyk: tuple[float, float, float, float] | None = None

    @classmethod
    def parse(cls, text: str) -> Colour:
        """A colour from ``#rgb``, ``#rrggbb`` or ``cmyk(c m y k)`` in percent; ValueError otherwise.

        >>> Colour.parse("#ff0000").red
        1.0
        """
        word = text.strip()
        if word.startswith("#"):
            return cls._from_hex(word[1:])
        if word.startswith("cmyk(") and word.endswith(")"):
            parts = word[5:-1].replace(",", " ").split()
            values = [float(part.rstrip("%")) / 100 for part in parts]
            if len(values) == 4 and all(0 <= value <= 1 for value in values):
                return cls.from_cmyk(*values)
        raise ValueError(f"not a colour: {text!r}")

    @classmethod
    def _from_hex(cls, digits: str) -> Colour:
        if len(digits) == 3:
            digits = "".join(digit * 2 for digit in digits)
        if len(digits) != 6:
            raise ValueError(f"not a colour: '#{digits}'")
        red, green, blue = (int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))
        return cls(red, green, blue)

    @classmethod
    def from_cmyk(cls, cyan: float, magenta: float, yellow: float, black: float) -> Colour:
        """An ink colour, with the plain subtractive picture of it for screens."""
        screen = [(1 - ink) * (1 - black) for ink in (cyan, magenta, yellow)]
        return cls(screen[0], screen[1], screen[2], (cyan, magenta, yellow, black))

    def inks(self, limit: float = 2.4) -> tuple[float, float, float, float]:
        """Cyan, magenta, yellow and black, 0..1, their sum at most ``limit``.

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
        scale = min(1.0, (limit - black) / total) if total else 1.0
        return (cyan * scale, magenta * scale, yellow * scale, black)

    def mixed(self, other: Colour, share: float) -> Colour:
        """This colour with ``share`` (0..1) of the other mixed in, in sRGB."""
        keep = 1 - share
        return Colour(
            self.red * keep + other.red * share,
            self.green * keep + other.green * share,
            self.blue * keep + other.blue * share,
        )

    @property
    def luminance(self) -> float:
        """Relative luminance, 0..1 (WCAG 2.2)."""
        parts = [
            part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
            for part in (self.red, self.green, self.blue)
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    @property
    def hex(self) -> str:
        """``#rrggbb``."""
        return "#" + "".join(f"{round(part * 255):02x}" for part in (self.red, self.green, self.blue))


BLACK = Colour(0, 0, 0)
WHITE = Colour(1, 1, 1)


@dataclass(frozen=True, slots=True)
class Rect:
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

    def grown(self, by: float) -> Rect:
        """This rectangle with ``by`` added on each of its four sides (negative: taken away)."""
        return Rect(self.x - by, self.y - by, self.width + 2 * by, self.height + 2 * by)

    def moved(self, dx: float, dy: float) -> Rect:
        return Rect(self.x + dx, self.y + dy, self.width, self.height)

    def contains(self, other: Rect, slack: float = 1e-6) -> bool:
        """Whether the other rectangle lies inside this one, borders included."""
        return (
            other.x >= self.x - slack
            and other.y >= self.y - slack
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )


@dataclass(frozen=True, slots=True)
class Transform:
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
        """A clockwise turn (y points down) about a point; right angles are exact."""
        exact = {0.0: (1.0, 0.0), 90.0: (0.0, 1.0), 180.0: (-1.0, 0.0), 270.0: (0.0, -1.0)}
        turn = float(degrees % 360)
        cosine, sine = exact.get(turn) or (cos(radians(turn)), sin(radians(turn)))
        x, y = about
        return cls(cosine, sine, -sine, cosine, x - cosine * x + sine * y, y - sine * x - cosine * y)

    def then(self, after: Transform) -> Transform:
        """The map that does this one first and ``after`` second.

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


IDENTITY = Transform()


@dataclass(frozen=True, slots=True)
class Stop:
    """A colour at a place (0..1) along a gradient."""

    at: float
    colour: Colour


@dataclass(frozen=True, slots=True)
class LinearGradient:
    """Colours changing along the line from (x1, y1) to (x2, y2), held beyond its ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    stops: tuple[Stop, ...]


@dataclass(frozen=True, slots=True)
class RadialGradient:
    """Colours changing from the centre to the radius, held beyond it."""

    x: float
    y: float
    radius: float
    stops: tuple[Stop, ...]


Paint: TypeAlias = Colour | LinearGradient | RadialGradient


@dataclass(frozen=True, slots=True)
class Stroke:
    """A line's colour, width (mm), dashes (mm on, off, ...), ends and corners."""

    colour: Colour
    width: float
    dash: tuple[float, ...] = ()
    cap: Literal["butt", "round", "square"] = "butt"
    join: Literal["miter", "round", "bevel"] = "miter"


# One command of a path: its letter and its absolute coordinates (M and L: x y; C: three points; Z: none).
Command: TypeAlias = tuple[str, tuple[float, ...]]


@dataclass(frozen=True, slots=True)
class Path:
    """A shape of straight and cubic pieces. ``even_odd`` picks the fill rule (else nonzero winding)."""

    commands: tuple[Command, ...]
    fill: Paint | None = None
    stroke: Stroke | None = None
    even_odd: bool = False


@dataclass(frozen=True, eq=False)
class Shape:
    """A piece of text after shaping, at no size yet: one word, commonly. Lengths are thousandths of an em.

    Shared and compared by identity, so that back-ends may keep what they made of it.
    """

    font: str
    glyphs: tuple[int, ...]
    advances: tuple[float, ...]
    chars: tuple[str, ...]  # the text each glyph stands for; "" where the glyph before it says it
    offsets: tuple[tuple[float, float], ...] = ()  # glyph shifts (right, up), empty when all are nought

    @cached_property
    def width(self) -> float:
        return sum(self.advances)

    @cached_property
    def text(self) -> str:
        return "".join(self.chars)


@dataclass(frozen=True, slots=True)
class Glyphs:
    """One line of shaped text in one font, size and colour, its baseline starting at (x, y).

    ``pieces`` are (distance from x in mm, shape), left to right as seen.
    """

    x: float
    y: float
    size: Pt
    fill: Colour
    pieces: tuple[tuple[float, Shape], ...]

    @property
    def text(self) -> str:
        return " ".join(shape.text for _, shape in self.pieces)

    @property
    def width(self) -> float:
        if not self.pieces:
            return 0.0
        start, shape = self.pieces[-1]
        return start + shape.width / 1000 * pt_to_mm(self.size)


@dataclass(frozen=True, slots=True)
class Image:
    """A raster picture placed in ``rect``; ``crop`` is the part shown, as shares of the picture (0..1)."""

    file: FilePath
    rect: Rect
    crop: Rect = Rect(0, 0, 1, 1)


@dataclass(frozen=True, slots=True)
class Group:
    """Nodes drawn together: moved by ``transform``, cut by ``clip`` (after the move), made see-through."""

    children: tuple[Node, ...]
    transform: Transform = IDENTITY
    clip: Path | None = None
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Symbol:
    """A picture used many times and stored once: a PDF form XObject, an SVG symbol.

    ``bounds`` must hold everything it draws. Compared by identity; ``name`` must be unique to its content.
    """

    name: str
    bounds: Rect
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Use:
    """A symbol placed: its own coordinates mapped by ``transform``."""

    symbol: Symbol
    transform: Transform = IDENTITY


Node: TypeAlias = Path | Glyphs | Image | Group | Use


@dataclass(frozen=True, eq=False)
class Face:
    """One side of a component. (0, 0) is the trim's top-left corner; art may reach ``bleed`` mm beyond it.

    ``safe`` is the distance inside the trim that text must keep; ``corner`` the radius a cutter may round to;
    ``outline`` the shape of the die where it is not a rectangle (a token, a foldable).
    """

    name: str
    width: float
    height: float
    nodes: tuple[Node, ...]
    bleed: float = 0.0
    safe: float = 3.0
    corner: float = 0.0
    outline: Path | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def trim(self) -> Rect:
        return Rect(0, 0, self.width, self.height)

    @property
    def bleed_box(self) -> Rect:
        return self.trim.grown(self.bleed)


@dataclass(frozen=True, slots=True)
class Placement:
    """A face on a page: ``transform`` maps the face's millimetres to the page's (from its top-left corner).

    ``bleed`` is how much of the face's bleed is printed here (neighbours that share a cut line have none).
    """

    face: Face
    transform: Transform
    bleed: float = 0.0


@dataclass(frozen=True, slots=True)
class Page:
    """A sheet: its size, what is placed on it, and marks drawn above (cut lines, rulers, notes).

    ``trim_box`` and ``bleed_box`` are the PDF boxes; without them the whole page is both.
    """

    width: float
    height: float
    placements: tuple[Placement, ...] = ()
    marks: tuple[Node, ...] = ()
    trim_box: Rect | None = None
    bleed_box: Rect | None = None
    label: str = ""


def rectangle(rect: Rect, fill: Paint | None = None, stroke: Stroke | None = None, radius: float = 0) -> Path:
    """A rectangle, its corners rounded to ``radius`` mm."""
    if radius <= 0:
        corners = ((rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom))
        return polygon(corners, fill, stroke)
    return Path(tuple(_rounded(rect, min(radius, rect.width / 2, rect.height / 2))), fill, stroke)


# Handle length for a quarter circle drawn as one cubic, as a share of the radius (error below 0.03 %).
KAPPA = 0.5522847498307936


def _rounded(rect: Rect, radius: float) -> Iterator[Command]:
    x, y, right, bottom, inner = rect.x, rect.y, rect.right, rect.bottom, radius * (1 - KAPPA)
    yield ("M", (x + radius, y))
    yield ("L", (right - radius, y))
    yield ("C", (right - inner, y, right, y + inner, right, y + radius))
    yield ("L", (right, bottom - radius))
    yield ("C", (right, bottom - inner, right - inner, bottom, right - radius, bottom))
    yield ("L", (x + radius, bottom))
    yield ("C", (x + inner, bottom, x, bottom - inner, x, bottom - radius))
    yield ("L", (x, y + radius))
    yield ("C", (x, y + inner, x + inner, y, x + radius, y))
    yield ("Z", ())


def ellipse(x: float, y: float, rx: float, ry: float, fill: Paint | None = None, stroke: Stroke | None = None) -> Path:
    """An ellipse about (x, y)."""
    kx, ky = rx * KAPPA, ry * KAPPA
    return Path(
        (
            ("M", (x + rx, y)),
            ("C", (x + rx, y + ky, x + kx, y + ry, x, y + ry)),
            ("C", (x - kx, y + ry, x - rx, y + ky, x - rx, y)),
            ("C", (x - rx, y - ky, x - kx, y - ry, x, y - ry)),
            ("C", (x + kx, y - ry, x + rx, y - ky, x + rx, y)),
            ("Z", ()),
        ),
        fill,
        stroke,
    )


def circle(x: float, y: float, r: float, fill: Paint | None = None, stroke: Stroke | None = None) -> Path:
    """A circle about (x, y)."""
    return ellipse(x, y, r, r, fill, stroke)


def polygon(points: tuple[tuple[float, float], ...], fill: Paint | None = None, stroke: Stroke | None = None) -> Path:
    """A closed shape through the points."""
    first, *rest = points
    commands = (("M", first), *(("L", point) for point in rest), ("Z", ()))
    return Path(commands, fill, stroke)


def line(x1: float, y1: float, x2: float, y2: float, stroke: Stroke) -> Path:
    """A straight line."""
    return Path((("M", (x1, y1)), ("L", (x2, y2))), None, stroke)

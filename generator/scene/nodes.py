"""The nodes of a picture (paths, glyphs, images, groups, symbols), their paints, and faces and
pages."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path as FilePath
from typing import Literal, NamedTuple, TypeAlias

from playproof.database.errors import Where
from playproof.generator.scene.affine import IDENTITY, Rect, Transform
from playproof.generator.scene.colour import Colour
from playproof.generator.scene.units import MM_PER_PT, Pt


class Stop(NamedTuple):
    """A colour at a position (0..1) along a gradient."""

    at: float
    colour: Colour


class LinearGradient(NamedTuple):
    """Colours that change along the line from (x1, y1) to (x2, y2) and stay the same beyond its
    ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    stops: tuple[Stop, ...]


class RadialGradient(NamedTuple):
    """Colours that change from the centre to the radius and stay the same beyond it."""

    x: float
    y: float
    radius: float
    stops: tuple[Stop, ...]


Paint: TypeAlias = Colour | LinearGradient | RadialGradient


MITER = 10.0  # the limit of pointed corners that PDF has by itself; SVG's is 4


class Stroke(NamedTuple):
    """A line's colour, width (mm), dashes (mm on, off, ...), ends and corners. A corner that reaches farther than
    ``limit`` times the width is cut off."""

    colour: Colour
    width: float
    dash: tuple[float, ...] = ()
    cap: Literal["butt", "round", "square"] = "butt"
    join: Literal["miter", "round", "bevel"] = "miter"
    limit: float = MITER


# One command of a path: its letter and its absolute coordinates (M and L: x y; C: three points; Z:
# none).
Command: TypeAlias = tuple[str, tuple[float, ...]]


class Path(NamedTuple):
    """A shape of straight and cubic pieces. ``even_odd`` picks the fill rule (else nonzero
    winding)."""

    commands: tuple[Command, ...]
    fill: Paint | None = None
    stroke: Stroke | None = None
    even_odd: bool = False


@dataclass(frozen=True, eq=False)
class ShapedText:
    """A piece of text after shaping, commonly one word, without a size. Lengths are thousandths of
    an em.

    Shapes are shared and compared by identity, so that a back-end can cache its result for each.
    """

    font: str
    glyphs: tuple[int, ...]
    advances: tuple[float, ...]
    chars: tuple[str, ...]  # the text each glyph stands for; "" where the glyph before it says it
    offsets: tuple[tuple[float, float], ...] = ()  # glyph shifts (right, up), empty when all are 0
    width: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "width", sum(self.advances))

    @cached_property
    def text(self) -> str:
        return "".join(self.chars)


# A line of type: distances from its start (mm) and shapes, left to right as seen.
Pieces: TypeAlias = tuple[tuple[float, ShapedText], ...]


LEAST_SPACE = 0.1  # of an em: a narrower gap between pieces of a line is no space


class Glyphs(NamedTuple):
    """One line of shaped text in one font, size and colour. Its baseline starts at (x, y).

    Its ``pieces`` start at x.
    """

    x: float
    y: float
    size: Pt
    fill: Colour
    pieces: Pieces

    @property
    def text(self) -> str:
        """The words, with a space where there is room for one."""
        em = self.size * MM_PER_PT
        text, end = "", 0.0
        for start, shape in self.pieces:
            text += (" " if text and start - end > LEAST_SPACE * em else "") + shape.text
            end = start + shape.width / 1000 * em
        return text

    @property
    def width(self) -> float:
        if not self.pieces:
            return 0.0
        start, shape = self.pieces[-1]
        return start + shape.width / 1000 * (self.size * MM_PER_PT)


WHOLE = Rect(0, 0, 1, 1)  # all of a picture, in shares of it


class Image(NamedTuple):
    """A raster picture placed in ``rect``; ``crop`` is the part shown, as shares of the picture
    (0..1). ``data`` is the picture as PNG if it was drawn from the file; else the file is the picture."""

    file: FilePath
    rect: Rect
    crop: Rect = WHOLE
    data: bytes = b""

    @property
    def content(self) -> bytes:
        return self.data or self.file.read_bytes()


class Group(NamedTuple):
    """Nodes drawn together: moved by ``transform``, clipped by ``clip`` (after the move), made
    see-through by ``opacity``.

    ``source`` holds the places where files declare them: the element's, then that of the words or
    the picture it shows. Editors and checks use it; it is not printed. ``name`` is its class in SVG.
    """

    children: tuple[Node, ...]
    transform: Transform = IDENTITY
    clip: Path | None = None
    opacity: float = 1.0
    source: tuple[Where, ...] = ()
    name: str = ""


@dataclass(frozen=True, eq=False)
class Symbol:
    """A picture that is used many times and stored once: a PDF form XObject, an SVG symbol.

    ``bounds`` must hold everything that it draws. Symbols are compared by identity; ``name`` must
    be unique to the content. A ``picture`` is a small view of a larger thing, such as a card;
    nobody is meant to read its type.
    """

    name: str
    bounds: Rect
    children: tuple[Node, ...]
    picture: bool = False


class SpokenName(NamedTuple):
    """A picture's name as invisible text in its place, for people who search, copy or listen.

    Its baseline starts at (x, y), beside type of ``size``; it is ``width`` mm wide.
    """

    x: float
    y: float
    size: Pt
    width: float
    text: str


class Use(NamedTuple):
    """A placed symbol; ``transform`` maps its coordinates. An icon has its name in ``says``."""

    symbol: Symbol
    transform: Transform = IDENTITY
    says: SpokenName | None = None


Node: TypeAlias = Path | Glyphs | Image | Group | Use


@dataclass(frozen=True, eq=False)
class Face:
    """One side of a component. (0, 0) is the trim's top-left corner; art may reach ``bleed`` mm
    beyond the trim.

    Text must keep ``safe`` mm inside the trim. A cutter may round the corners to the radius
    ``corner``. ``outline`` is the shape to cut if it is not a rectangle (a token, a foldable).
    ``title`` is what screen readers call it; without one it is decoration.
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
    title: str = ""

    @property
    def trim(self) -> Rect:
        return Rect(0, 0, self.width, self.height)

    @property
    def bleed_box(self) -> Rect:
        return self.trim.expand(self.bleed)

    @property
    def is_round(self) -> bool:
        """Whether it is cut out without corners."""
        return self.outline is not None and all(letter != "L" for letter, _ in self.outline.commands)


class Placement(NamedTuple):
    """A face on a page: ``transform`` maps the face's millimetres to the page's, from its top-left
    corner.

    ``bleed`` is the part of the face's bleed that is printed here; it is 0 for neighbours that
    share a cut line.
    """

    face: Face
    transform: Transform
    bleed: float = 0.0


Role = Literal["H1", "H2", "H3", "P", "LI", "TOCI", "Caption", "Figure"]


class Passage(NamedTuple):
    """A part of a page's text for screen readers: its role, what it draws, its place, and the
    targets of its links.

    ``says`` describes a picture in words. ``anchor`` is the name that links point to; ``title``
    with ``level`` makes a bookmark. ``links`` are (box, anchor). ``leaf`` is the number of its page in the
    booklet, where a sheet holds several pages: they are read by this number.
    """

    role: Role
    nodes: tuple[Node, ...]
    box: Rect
    says: str = ""
    anchor: str = ""
    title: str = ""
    level: int = 0
    links: tuple[tuple[Rect, str], ...] = ()
    leaf: int = 0

    def translate(self, dx: float, dy: float) -> Passage:
        """Return the same passage elsewhere on the page."""
        return self.apply_upright_transform(Transform.move(dx, dy))

    def apply_upright_transform(self, upright: Transform) -> Passage:
        """Return the same passage moved and scaled; ``upright`` turns nothing."""
        links = tuple((box.apply_upright_transform(upright), anchor) for box, anchor in self.links)
        return self._replace(
            nodes=(Group(self.nodes, upright),), box=self.box.apply_upright_transform(upright), links=links
        )


class Page(NamedTuple):
    """A sheet: its size, the faces placed on it, and the marks drawn above them (cut lines, rulers,
    notes).

    ``trim_box`` and ``bleed_box`` are the PDF boxes; by default both are the whole page. A page
    with ``passages`` is text: they are tagged in this order, and everything else is decoration.
    """

    width: float
    height: float
    placements: tuple[Placement, ...] = ()
    marks: tuple[Node, ...] = ()
    trim_box: Rect | None = None
    bleed_box: Rect | None = None
    label: str = ""
    passages: tuple[Passage, ...] = ()

"""The nodes of a picture (paths, glyphs, images, groups, symbols), their paints, faces and pages; common
shapes as paths; and whether two pictures draw the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise, zip_longest
from math import atan2, cos, hypot
from pathlib import Path as FilePath
from typing import Literal, NamedTuple, TypeAlias

from playproof.database.errors import Where
from playproof.generator.scene.values import IDENTITY, MM_PER_PT, Colour, Pt, Rect, Transform

# The nodes of a picture (paths, glyphs, images, groups, symbols), their paints, and faces and pages.


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

    def apply_upright_transform(self, transform_without_turn: Transform) -> Passage:
        """Return the same passage moved and scaled; ``transform_without_turn`` turns nothing."""
        links = tuple((box.apply_upright_transform(transform_without_turn), anchor) for box, anchor in self.links)
        return self._replace(
            nodes=(Group(self.nodes, transform_without_turn),),
            box=self.box.apply_upright_transform(transform_without_turn),
            links=links,
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


# -- shapes --------------------------------------------------------------------------------------------------
# Common shapes as paths.


def build_rectangle_path(
    rect: Rect, fill: Paint | None = None, stroke: Stroke | None = None, radius: float = 0, square_below: bool = False
) -> Path:
    """Return a rectangle, its corners rounded to ``radius`` mm. With ``square_below`` the lower
    corners stay square."""
    if radius <= 0:
        corners = ((rect.x, rect.y), (rect.right, rect.y), (rect.right, rect.bottom), (rect.x, rect.bottom))
        return build_polygon_path(corners, fill, stroke)
    rounded = tuple(_iter_rounded_rectangle_commands(rect, min(radius, rect.width / 2, rect.height / 2)))
    if square_below:
        rounded = (*rounded[:3], ("L", (rect.right, rect.bottom)), ("L", (rect.x, rect.bottom)), *rounded[-3:])
    return Path(rounded, fill, stroke)


# Handle length for a quarter circle drawn as one cubic, as a share of the radius (error below 0.03
# %).
KAPPA = 0.5522847498307936


def _iter_rounded_rectangle_commands(rect: Rect, radius: float) -> Iterator[Command]:
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


def build_ellipse_path(
    x: float,
    y: float,
    horizontal_radius: float,
    vertical_radius: float,
    fill: Paint | None = None,
    stroke: Stroke | None = None,
) -> Path:
    """Return an ellipse about (x, y)."""
    kx, ky = horizontal_radius * KAPPA, vertical_radius * KAPPA
    return Path(
        (
            ("M", (x + horizontal_radius, y)),
            ("C", (x + horizontal_radius, y + ky, x + kx, y + vertical_radius, x, y + vertical_radius)),
            ("C", (x - kx, y + vertical_radius, x - horizontal_radius, y + ky, x - horizontal_radius, y)),
            ("C", (x - horizontal_radius, y - ky, x - kx, y - vertical_radius, x, y - vertical_radius)),
            ("C", (x + kx, y - vertical_radius, x + horizontal_radius, y - ky, x + horizontal_radius, y)),
            ("Z", ()),
        ),
        fill,
        stroke,
    )


def build_circle_path(
    x: float, y: float, radius: float, fill: Paint | None = None, stroke: Stroke | None = None
) -> Path:
    """Return a circle about (x, y)."""
    return build_ellipse_path(x, y, radius, radius, fill, stroke)


def build_polygon_path(
    points: tuple[tuple[float, float], ...], fill: Paint | None = None, stroke: Stroke | None = None
) -> Path:
    """Return a closed shape through the points."""
    first, *rest = points
    commands = (("M", first), *(("L", point) for point in rest), ("Z", ()))
    return Path(commands, fill, stroke)


def build_line_path(x1: float, y1: float, x2: float, y2: float, stroke: Stroke) -> Path:
    """Return a straight line."""
    return Path((("M", (x1, y1)), ("L", (x2, y2))), None, stroke)


def build_hexagon_filling_box(box: Rect) -> Path:
    """Return the hexagon that fills a box: with a flat top in a box that is wider than high, else on its point."""
    x, y = box.centre
    if box.width >= box.height:
        near, far = box.x + box.width / 4, box.right - box.width / 4
        return build_polygon_path(
            ((box.x, y), (near, box.y), (far, box.y), (box.right, y), (far, box.bottom), (near, box.bottom))
        )
    near, far = box.y + box.height / 4, box.bottom - box.height / 4
    return build_polygon_path(
        ((box.x, near), (x, box.y), (box.right, near), (box.right, far), (x, box.bottom), (box.x, far))
    )


DASH_NEAR = 0.02  # mm: how near to a corner a dash may begin or end without anybody drawing it otherwise
DASH_STRETCHES = tuple(1 + step / 500 for step in range(12))


@lru_cache(maxsize=1024)
def compute_dash_apart_from_corners(path: Path) -> tuple[float, ...]:
    """Return the dashes of a path's line (mm), a little longer where one with round or square ends would begin or end
    just at a corner or at the end: of a dash without length, one program draws the ends, and another nothing."""
    stroke = path.stroke
    if stroke is None or not any(stroke.dash):
        return ()
    if stroke.cap == "butt" or any(letter == "C" for letter, _ in path.commands):
        return stroke.dash
    corners = list(_iter_lengths_up_to_corners(path.commands))
    dash = stroke.dash * (1 + len(stroke.dash) % 2)
    period, edges = sum(dash), [sum(dash[:at]) for at in range(len(dash) + 1)]
    for stretch in DASH_STRETCHES:
        places = [corner / stretch % period for corner in corners]
        if not any(abs(place - edge) < DASH_NEAR for place in places for edge in edges):
            return tuple(length * stretch for length in stroke.dash)
    return stroke.dash


def _iter_lengths_up_to_corners(commands: tuple[Command, ...]) -> Iterator[float]:
    """Yield how far each corner and end is from where its part of straight lines begins."""
    start = at = (0.0, 0.0)
    length = 0.0
    for letter, points in commands:
        end = start if letter == "Z" else (points[0], points[1])
        if letter == "M":
            start, length = end, 0.0
        elif end != at:
            length += hypot(end[0] - at[0], end[1] - at[1])
            yield length
        at = end


@lru_cache(maxsize=1024)
def is_drawn_differently_with_other_miter_limit(
    commands: tuple[Command, ...], miter_limit: float, other_miter_limit: float
) -> bool:
    """Return whether a line along the commands looks otherwise with the one limit of pointed corners than with the
    other: whether a corner reaches farther than the less times its width, and not farther than the greater."""
    least, most = sorted((miter_limit, other_miter_limit))
    return least != most and any(least < reach <= most for reach in _iter_miter_lengths_of_corners(commands))


def _iter_miter_lengths_of_corners(commands: tuple[Command, ...]) -> Iterator[float]:
    """Yield how far each corner reaches in widths of the line: 1 / sin(half its angle)."""
    start = at = (0.0, 0.0)
    first: tuple[float, float] | None = None  # the direction in which the part begins
    last: tuple[float, float] | None = None  # the direction in which the line arrives
    for letter, points in commands:
        if letter == "M":
            start = at = (points[0], points[1])
            first = last = None
            continue
        ends = [(points[n], points[n + 1]) for n in range(0, len(points), 2)] if letter != "Z" else [start]
        path = [at, *ends]
        steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(path) if a != b]
        if steps:
            if last is not None:
                yield _compute_miter_length_in_line_widths(last, steps[0])
            first, last = first or steps[0], steps[-1]
        if letter == "Z" and last is not None and first is not None:
            yield _compute_miter_length_in_line_widths(last, first)
            first = last = None
        at = ends[-1]


def _compute_miter_length_in_line_widths(arriving: tuple[float, float], leaving: tuple[float, float]) -> float:
    turn = atan2(
        arriving[0] * leaving[1] - arriving[1] * leaving[0], arriving[0] * leaving[0] + arriving[1] * leaving[1]
    )
    half = cos(turn / 2)
    return 1 / half if half > 1e-9 else float("inf")


# -- comparison ----------------------------------------------------------------------------------------------
# Whether two pictures draw the same. Two versions of a game share no shaped text and no symbols, so that
# their faces are never equal as values, and drawing both as PDF only to compare the bytes costs fifty times
# as much.


def are_faces_drawn_and_cut_alike(old: Face, new: Face) -> bool:
    """Return whether two faces draw the same and are cut alike; names, of icons too, and notes are not drawn."""
    if old is new:
        return True
    size = old.width, old.height, old.bleed, old.corner, old.outline
    return size == (new.width, new.height, new.bleed, new.corner, new.outline) and are_nodes_drawn_alike(
        old.nodes, new.nodes, with_names_of_icons=False
    )


def are_pages_drawn_and_read_alike(old: Page, new: Page) -> bool:
    """Return whether two pages draw and say the same; labels are not drawn."""
    if (old.width, old.height, len(old.placements), len(old.passages)) != (
        new.width,
        new.height,
        len(new.placements),
        len(new.passages),
    ):
        return False
    for was, now in zip(old.placements, new.placements, strict=True):
        if (was.transform, was.bleed) != (now.transform, now.bleed) or not are_faces_drawn_and_cut_alike(
            was.face, now.face
        ):
            return False
    for before, after in zip(old.passages, new.passages, strict=True):
        if before._replace(nodes=()) != after._replace(nodes=()):
            return False
        if not are_nodes_drawn_alike(before.nodes, after.nodes):
            return False
    return are_nodes_drawn_alike(old.marks, new.marks)


def are_nodes_drawn_alike(old: Sequence[Node], new: Sequence[Node], *, with_names_of_icons: bool = True) -> bool:
    """Return whether two sequences of nodes draw the same, wherever files declare them. With their names, icons also
    say the same to who hears a page."""
    if old is new:
        return True
    pairs = zip_longest(_iter_nodes_unwrapping_plain_groups(old), _iter_nodes_unwrapping_plain_groups(new))
    return all(
        was is not None and now is not None and _are_two_nodes_drawn_alike(was, now, with_names_of_icons)
        for was, now in pairs
    )


def _iter_nodes_unwrapping_plain_groups(nodes: Iterable[Node]) -> Iterator[Node]:
    """Yield nodes, and in place of a group that changes nothing those that it holds."""
    for node in nodes:
        if isinstance(node, Group) and node.transform == IDENTITY and node.clip is None and node.opacity == 1:
            yield from _iter_nodes_unwrapping_plain_groups(node.children)
        else:
            yield node


def _are_two_nodes_drawn_alike(old: Node, new: Node, with_names: bool) -> bool:
    if old is new:
        return True
    if isinstance(old, Glyphs) and isinstance(new, Glyphs):
        return old[:-1] == new[:-1] and _are_same_glyph_pieces(old.pieces, new.pieces)
    if isinstance(old, Group) and isinstance(new, Group):
        frames = (old.transform, old.clip, old.opacity), (new.transform, new.clip, new.opacity)
        return frames[0] == frames[1] and are_nodes_drawn_alike(
            old.children, new.children, with_names_of_icons=with_names
        )
    if isinstance(old, Use) and isinstance(new, Use):
        if with_names and old.says != new.says:
            return False
        return old.transform == new.transform and _are_symbols_drawn_alike(old.symbol, new.symbol, with_names)
    return type(old) is type(new) and old == new  # paths and images are equal as values


def _are_same_glyph_pieces(old: Pieces, new: Pieces) -> bool:
    return len(old) == len(new) and all(
        was == now and _are_shaped_texts_equal(before, after)
        for (was, before), (now, after) in zip(old, new, strict=True)
    )


def _are_shaped_texts_equal(old: ShapedText, new: ShapedText) -> bool:
    if old is new:
        return True
    glyphs = (old.font, old.glyphs, old.advances, old.chars, old.offsets)
    return glyphs == (new.font, new.glyphs, new.advances, new.chars, new.offsets)


def _are_symbols_drawn_alike(old: Symbol, new: Symbol, with_names: bool) -> bool:
    if old is new:
        return True
    return old.bounds == new.bounds and are_nodes_drawn_alike(
        old.children, new.children, with_names_of_icons=with_names
    )

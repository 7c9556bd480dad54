"""Content streams: scene nodes as PDF operators, and the parts of a document that streams name."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Protocol

from playproof.generator.art.picture_files import UPRIGHT
from playproof.generator.lazy_dict import LazyDict
from playproof.generator.pdf.font_objects import CODE, SIZE, PdfFont
from playproof.generator.pdf.objects import LEVEL, PdfFileBuilder, Reference, Stream, Value
from playproof.generator.scene import (
    IDENTITY,
    MITER,
    PT_PER_MM,
    Colour,
    Command,
    Glyphs,
    Group,
    Image,
    LinearGradient,
    Node,
    Path,
    Pieces,
    RadialGradient,
    Rect,
    SpokenName,
    Stroke,
    Symbol,
    Transform,
    Use,
    compute_dash_apart_from_corners,
)
from playproof.generator.scene.nodes import WHOLE

# Content streams: scene nodes as PDF operators.

CAPS = {"butt": 0, "round": 1, "square": 2}
JOINS = {"miter": 0, "round": 1, "bevel": 2}
# A path's commands with room for their coordinates.
_COMMANDS = {"M": "{0} {0} m", "L": "{0} {0} l", "C": "{0} {0} {0} {0} {0} {0} c", "Z": "h"}
# The commands by the least size of a path, in points. A drawing has units of its own: one may be a whole card.
_BY_SIZE = [
    (size, {letter: text.format(f"%.{digits}f") for letter, text in _COMMANDS.items()})
    for size, digits in ((20.0, 2), (1.0, 3), (0.0, 6))
]


State = tuple[str, str, tuple[str, float], float]
"""The colours, the font and the origin that a saved drawing comes back to."""


def format_coordinate_to_three_decimals(value: float) -> str:
    """Write a coordinate to a thousandth of a point (0.35 micrometres), without an exponent."""
    return repr(round(value, 3)).removesuffix(".0")


@lru_cache(maxsize=4096)
def _format_matrix_abcd_with_y_flipped(a: float, b: float, c: float, d: float) -> str:
    """Write the four numbers of a map that turns and stretches."""
    return " ".join(_format_number_to_six_decimals(value) for value in (a, -b, -c, d))


@lru_cache(maxsize=256)
def _format_rectangle_operands(rect: Rect, top: float) -> str:
    """Write a rectangle's lower left corner, width and height; the scene's origin is ``top`` points
    up."""
    x, y = (
        format_coordinate_to_three_decimals(rect.x * PT_PER_MM),
        format_coordinate_to_three_decimals(top - rect.bottom * PT_PER_MM),
    )
    return (
        f"{x} {y} {format_coordinate_to_three_decimals(rect.width * PT_PER_MM)} "
        f"{format_coordinate_to_three_decimals(rect.height * PT_PER_MM)}"
    )


@lru_cache(maxsize=8192)
def _format_path_operators(commands: tuple[Command, ...], top: float) -> str:
    """Write a path. All of its numbers are written by one format, a quarter of the time of one by one. A picture that
    cards share, or a book shows too, is written once."""
    points = [coordinate for _, place in commands for coordinate in place]
    points[0::2] = [x * PT_PER_MM for x in points[0::2]]
    points[1::2] = [top - y * PT_PER_MM for y in points[1::2]]
    size = max(max(points[side::2], default=0.0) - min(points[side::2], default=0.0) for side in (0, 1))
    written = next(texts for least, texts in _BY_SIZE if size >= least)
    return " ".join([written[letter] for letter, _ in commands]) % tuple(points)


@lru_cache(maxsize=256)
def _get_cached_font_resource(name: str) -> PdfResource:
    """Return a font as a stream names it."""
    return PdfResource(name, "Font")


@lru_cache(maxsize=256)
def _format_invisible_font_operators(font: str, size: float, width: float) -> str:
    """Write the operators that choose an invisible font, whose one glyph becomes `width` mm wide in
    this type size."""
    size *= SIZE
    return f"/{font} {size:g} Tf 3 Tr {100 * width * PT_PER_MM / size:.3f} Tz"


def _format_number_to_six_decimals(value: float) -> str:
    return f"{round(value, 6) + 0.0:.6f}".rstrip("0").rstrip(".")  # never -0, which is the same key as 0


class ContentStream:
    """One content stream while it is written. ``top`` is the height (mm) of the scene's origin
    above PDF's."""

    def __init__(self, pool: PdfPartSource, top: float = 0.0) -> None:
        self._pool = pool
        self._top = top * PT_PER_MM
        self._out: list[str] = []
        self._fill = self._line = ""
        self._font: tuple[str, float] = ("", 0.0)
        self.parts: dict[str, PdfResource] = {}
        self.lines: list[Pieces] = []  # of type: their glyphs go into the fonts of the document

    def to_uncompressed_bytes(self) -> bytes:
        return "\n".join(self._out).encode("ascii")

    def draw_node(self, node: Node) -> None:
        """Draw a node and its children."""
        if isinstance(node, Glyphs):
            self._draw_line_of_glyphs(node)
        elif isinstance(node, Path):
            self._draw_path_with_its_miter_limit(node)
        elif isinstance(node, Use):
            self._draw_use_of_symbol(node)
        elif isinstance(node, Group):
            self._draw_group_of_nodes(node)
        else:
            self._draw_raster_image(node)

    @contextmanager
    def draw_within_saved_state(
        self, transform: Transform = IDENTITY, clip: Path | Rect | None = None
    ) -> Iterator[None]:
        """Draw inside q ... Q, moved by the transform and then clipped."""
        state = self._save_graphics_state(transform, clip)
        yield
        self._restore_graphics_state(state)

    def _save_graphics_state(self, transform: Transform, clip: Path | Rect | None) -> State:
        state = (self._fill, self._line, self._font, self._top)
        self._out.append("q")
        if transform is not IDENTITY:
            self._out.append(self._format_matrix_operands_with_y_flipped(transform) + " cm")
            self._top = 0.0
        if isinstance(clip, Rect):
            self._out.append(f"{_format_rectangle_operands(clip, self._top)} re W n")
        elif clip is not None:
            self._out.append(_format_path_operators(clip.commands, self._top) + (" W* n" if clip.even_odd else " W n"))
        return state

    def _restore_graphics_state(self, state: State) -> None:
        self._out.append("Q")
        self._fill, self._line, self._font, self._top = state

    @contextmanager
    def draw_within_tagged_content(self, structure_role: str, mark_number: int) -> Iterator[None]:
        """Draw inside marked content that has a role and its number on the page (PDF 32000-1,
        14.7.4)."""
        self._out.append(f"/{structure_role} <</MCID {mark_number}>> BDC")
        yield
        self._out.append("EMC")

    @contextmanager
    def draw_within_words_or_decoration_mark(self, mark_number: int | None, is_tagged_document: bool) -> Iterator[None]:
        """Draw words with their number on the page; without one, decoration. In a document that is
        not ``is_tagged_document``, draw without marks."""
        if not is_tagged_document:
            yield
        elif mark_number is None:
            with self.draw_within_untagged_mark_if_enabled("Artifact", True):
                yield
        else:
            with self.draw_within_tagged_content("P", mark_number):
                yield

    @contextmanager
    def draw_within_untagged_mark_if_enabled(self, tag: str, enabled: bool) -> Iterator[None]:
        """If ``enabled``, draw inside plain marked content: decoration (``Artifact``) or a small
        ``Picture``."""
        if enabled:
            self._out.append(f"/{tag} BMC")
        yield
        if enabled:
            self._out.append("EMC")

    def inline_form_content_into_stream(self, form: Form) -> None:
        """Copy the form's content into this stream, at the current origin."""
        for part in form.parts:
            self.parts[part.name] = part
        self.lines += form.lines
        self._out.append(form.content.decode("ascii"))

    def draw_form_or_image_resource(self, resource: PdfResource) -> None:
        """Draw a form or image at the current origin."""
        self.parts[resource.name] = resource
        self._out.append(f"/{resource.name} Do")

    def _format_matrix_operands_with_y_flipped(self, transform: Transform) -> str:
        """Write the transform between the flipped coordinate systems; the top of the inner one is
        at 0."""
        a, b, c, d, e, f = transform
        return f"{_format_matrix_abcd_with_y_flipped(a, b, c, d)} {e * PT_PER_MM:.3f} {self._top - f * PT_PER_MM:.3f}"

    def _draw_path_with_its_miter_limit(self, path: Path) -> None:
        stroke = path.stroke
        if stroke is not None and stroke.join == "miter" and stroke.limit != MITER:
            state = self._save_graphics_state(IDENTITY, None)
            self._out.append(f"{format_coordinate_to_three_decimals(stroke.limit)} M")
            self._write_fill_and_stroke_of_path(path)
            self._restore_graphics_state(state)
        else:
            self._write_fill_and_stroke_of_path(path)

    def _write_fill_and_stroke_of_path(self, path: Path) -> None:
        outline = _format_path_operators(path.commands, self._top)
        star = "*" if path.even_odd else ""
        fill = path.fill
        if isinstance(fill, Colour):
            self._write_fill_colour_if_changed(self._pool.colours[fill])
        elif fill is not None:
            shading = self._pool.get_or_create_gradient_shading(fill, self._top)
            self.parts[shading.name] = shading
            self._out.append(f"q {outline} W{star} n /{shading.name} sh Q")
            fill = None
        if path.stroke is not None:
            dash = compute_dash_apart_from_corners(path) if path.stroke.dash else ()
            self._write_stroke_if_changed(path.stroke, dash)
        if fill is not None:
            self._out.append(f"{outline} {'B' if path.stroke else 'f'}{star}")
        elif path.stroke is not None:
            self._out.append(f"{outline} S")

    def _write_fill_colour_if_changed(self, operators: str) -> None:
        if operators != self._fill:
            self._out.append(operators)
            self._fill = operators

    def _write_stroke_if_changed(self, stroke: Stroke, dash_lengths: tuple[float, ...]) -> None:
        dash = " ".join(format_coordinate_to_three_decimals(length * PT_PER_MM) for length in dash_lengths)
        operators = (
            f"{self._pool.colours[stroke.colour].upper()} "
            f"{format_coordinate_to_three_decimals(stroke.width * PT_PER_MM)} w"
            f" {CAPS[stroke.cap]} J {JOINS[stroke.join]} j [{dash}] 0 d"
        )
        if operators != self._line:
            self._out.append(operators)
            self._line = operators

    def _draw_line_of_glyphs(self, glyphs: Glyphs) -> None:
        x, y, size, fill, pieces = glyphs
        if not pieces:
            return
        self._write_fill_colour_if_changed(self._pool.type_colours[fill])
        font = self._pool.fonts[pieces[0][1].font]
        self.lines.append(pieces)
        select = ""
        if self._font != (font.name, size):
            self._font = (font.name, size)
            self.parts[font.name] = _get_cached_font_resource(font.name)
            select = f"/{font.name} {format_coordinate_to_three_decimals(size)} Tf "
        right, up = x * PT_PER_MM, self._top - y * PT_PER_MM
        self._out.append(f"BT {select}{right:.3f} {up:.3f} Td [{font.format_tj_array_of_line(pieces, size)}] TJ ET")

    def _draw_use_of_symbol(self, use: Use) -> None:
        symbol, transform, says = use
        part = self._pool.get_or_draw_form_of_symbol(symbol)
        self.parts[part.name] = part
        if transform is IDENTITY and not self._top:
            self._out.append(f"/{part.name} Do")
        else:
            self._out.append(f"q {self._format_matrix_operands_with_y_flipped(transform)} cm /{part.name} Do Q")
        if says is not None and self._pool.speaks:
            self._write_spoken_name_as_invisible_text(says)

    def _write_spoken_name_as_invisible_text(self, says: SpokenName) -> None:
        """Write the picture's name in invisible text (PDF 32000-1, 9.3.6: mode 3), in the picture's
        place and of its width."""
        part = self._pool.get_or_create_font_of_spoken_name(says.text)
        self.parts[part.name] = part
        x, y = says.x * PT_PER_MM, self._top - says.y * PT_PER_MM
        self._out.append(
            f"q BT {_format_invisible_font_operators(part.name, says.size, says.width)} {x:.3f} {y:.3f} Td "
            f"<{CODE}> Tj ET Q"
        )

    def _draw_group_of_nodes(self, group: Group) -> None:
        state = self._save_graphics_state(group.transform if group.transform != IDENTITY else IDENTITY, group.clip)
        if group.opacity >= 1:
            for child in group.children:
                self.draw_node(child)
        else:
            opacity = self._pool.get_or_create_opacity_state_or_raise(group.opacity)
            self.parts[opacity.name] = opacity
            self._out.append(f"/{opacity.name} gs")
            self._out.append(f"1 0 0 1 0 {format_coordinate_to_three_decimals(self._top)} cm")
            self.draw_form_or_image_resource(self._pool.get_or_draw_transparency_group(group.children))
        self._restore_graphics_state(state)

    def _draw_raster_image(self, image: Image) -> None:
        part = self._pool.get_or_encode_image(image)
        self.parts[part.name] = part
        rect, reach = image.rect, part.reach
        cut = "" if reach == WHOLE else f"{_format_rectangle_operands(rect, self._top)} re W n "
        left, top = rect.x + reach.x * rect.width, rect.y + reach.y * rect.height
        rect = Rect(left, top, reach.width * rect.width, reach.height * rect.height)
        width, height = rect.width * PT_PER_MM, rect.height * PT_PER_MM
        left, low = rect.x * PT_PER_MM, self._top - rect.bottom * PT_PER_MM
        a, b, c, d, e, f = part.turn
        square = (a * width, b * height, c * width, d * height, left + e * width, low + f * height)
        self._out.append(f"q {cut}{' '.join(map(format_coordinate_to_three_decimals, square))} cm /{part.name} Do Q")


# -- parts ---------------------------------------------------------------------------------------------------
# Parts of a document that streams name, and what a stream asks of the pool that has them.

PutIntoDocument = Callable[[PdfFileBuilder, Reference], None]


@dataclass(frozen=True, eq=False)
class PdfResource:
    """A resource that a stream names: its category in the resource dictionary, and the function
    that puts it into a document.

    A font has no ``put``: it is written last, with the glyphs that were shown.
    """

    name: str
    category: str
    put: PutIntoDocument | None = None


@dataclass(frozen=True, eq=False)
class PdfPicture(PdfResource):
    """A picture of pixels. ``reach`` is where its pixels lie, in shares of the place that it fills; the matrix
    ``turn`` makes them upright there."""

    reach: Rect = WHOLE
    turn: tuple[int, int, int, int, int, int] = UPRIGHT


@dataclass(frozen=True, eq=False)
class Form(PdfResource):
    """A part that is a content stream, with the parts and lines it uses. A page that is its only
    user takes the stream in."""

    content: bytes = b""
    entries: Mapping[str, Value] = field(default_factory=dict)
    parts: tuple[PdfResource, ...] = ()
    lines: tuple[Pieces, ...] = ()

    @cached_property
    def _compressed_content(self) -> bytes:
        return zlib.compress(self.content, LEVEL)

    def build_form_xobject_stream(self, resources: Value) -> Stream:
        """Return the form XObject for a document, with these resources."""
        return Stream({**self.entries, "Resources": resources}, self._compressed_content)


class PdfPartSource(Protocol):
    """The pool, as a stream sees it: what it needs is drawn when it is first asked for."""

    speaks: bool
    colours: LazyDict[Colour, str]
    type_colours: LazyDict[Colour, str]
    fonts: LazyDict[str, PdfFont]

    def get_or_create_font_of_spoken_name(self, spoken_name: str) -> PdfResource: ...
    def get_or_draw_form_of_symbol(self, symbol: Symbol) -> Form: ...
    def get_or_draw_transparency_group(self, children: Sequence[Node]) -> Form: ...
    def get_or_create_opacity_state_or_raise(self, opacity: float) -> PdfResource: ...
    def get_or_encode_image(self, image: Image) -> PdfPicture: ...
    def get_or_create_gradient_shading(self, paint: LinearGradient | RadialGradient, top: float) -> PdfResource: ...

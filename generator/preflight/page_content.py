"""Reads what a page draws: colours, text sizes, pictures, lines, fonts and graphics states.

Only facts that rules ask for are kept, each once per page, so that a book of ten thousand cards
stays small.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import hypot, sqrt
from typing import Any

import pikepdf

from playproof.generator.preflight.spaces import (
    GREY,
    PdfColourSpace,
    iter_shading_colours,
    parse_colour_space,
)

DEEPEST = 12  # forms in forms; a form that draws itself ends here

Matrix = tuple[float, float, float, float, float, float]
IDENTITY: Matrix = (1, 0, 0, 1, 0, 0)

# The operands of an operator: PDF objects, and Python numbers.
Operands = list[Any]
Operations = list[tuple[Operands, str]]


@dataclass(frozen=True, slots=True)
class PagePaint:
    """A colour that the page paints with."""

    space: PdfColourSpace
    parts: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacedPicture:
    """A placed picture: its object's number, its pixels and its resolution per inch."""

    key: tuple[int, int]
    pixels: tuple[int, int]
    per_inch: float


@dataclass(slots=True)
class PageFacts:
    """The facts of what one page draws."""

    paints: set[PagePaint] = field(default_factory=set)
    texts: set[tuple[str, float]] = field(default_factory=set)  # font's name, size in points as printed
    lines: set[float] = field(default_factory=set)  # widths in points as printed
    pictures: set[PlacedPicture] = field(default_factory=set)
    images: dict[tuple[int, int], pikepdf.Object] = field(default_factory=dict)
    fonts: dict[str, pikepdf.Object] = field(default_factory=dict)
    transparency: set[str] = field(default_factory=set)
    postscript: bool = False


@dataclass(slots=True)
class _GraphicsState:
    """The part of the graphics state that the rules need."""

    matrix: Matrix = IDENTITY
    fill: PagePaint = PagePaint(GREY, (0.0,))
    stroke: PagePaint = PagePaint(GREY, (0.0,))
    width: float = 1.0
    font: str = ""
    size: float = 0.0
    invisible: bool = False


PICTURE = "/Picture"  # a small picture of a card or board: its type and lines are shown, not meant to be read


def multiply_matrices(first: Matrix, second: Matrix) -> Matrix:
    """Return the map that does `first`, then `second` (PDF's order of writing)."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def compute_length_scale(matrix: Matrix) -> float:
    """Return the factor by which the map scales lengths, on the mean of all directions."""
    return sqrt(abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]))


def collect_page_facts(
    page: pikepdf.Object, cache: dict[tuple[int, int], Operations] | None = None
) -> PageFacts:
    """Return the facts of everything the page draws, including forms and patterns."""
    reader = _ContentReader(PageFacts(), cache if cache is not None else {})
    if "/Group" in page:
        reader.facts.transparency.add("page group")
    reader.read_stream(page, page.get("/Resources", pikepdf.Dictionary()), _GraphicsState(), 0)
    return reader.facts


class _ContentReader:
    """Reads one content stream and the streams that it draws."""

    def __init__(self, facts: PageFacts, cache: dict[tuple[int, int], Operations]) -> None:
        self.facts = facts
        self.cache = cache
        self.marks: list[str] = []  # of the content being read, the innermost last
        self.forms: set[tuple[object, ...]] = set()  # that were read, each with what its facts depend on

    def read_stream(
        self, stream: pikepdf.Object, resources: pikepdf.Object, state: _GraphicsState, depth: int
    ) -> None:
        """Read the operators of a page, form or pattern."""
        if depth > DEEPEST:
            return
        stack: list[_GraphicsState] = []
        text: Matrix = IDENTITY
        for operands, word in self._parse_operations(stream):
            if word == "q":
                stack.append(replace(state))
            elif word == "Q":
                state = stack.pop() if stack else state
            elif word == "cm":
                state.matrix = multiply_matrices(_operands_to_matrix(operands), state.matrix)
            elif word == "BT":
                text = IDENTITY
            elif word == "Tm":
                text = _operands_to_matrix(operands)
            elif word == "Tf":
                self._set_font(operands, resources, state)
            elif word == "Tr":
                state.invisible = int(operands[0]) in (3, 7)
            elif word in ("Tj", "TJ", "'", '"'):
                self._note_text(state, text)
            elif word in ("BMC", "BDC"):
                self.marks.append(str(operands[0]))
            elif word == "EMC":
                self.marks.pop()
            elif word == "Do":
                self._read_xobject(str(operands[0]), resources, state, depth)
            else:
                self._read_colour_or_paint_operator(word, operands, resources, state, depth)

    def _parse_operations(self, stream: pikepdf.Object) -> Operations:
        """Return the stream's operations without the outlines of its shapes, which no rule asks for and which are
        most of it. A form that many pages draw is parsed once."""
        key = stream.objgen
        if key in self.cache:
            return self.cache[key]
        instructions = pikepdf.parse_content_stream(stream)
        words = ((instruction, str(instruction.operator)) for instruction in instructions)
        parsed = [(list(instruction.operands), word) for instruction, word in words if word not in _OUTLINES]
        if key != (0, 0) and str(stream.get("/Type", "")) != "/Page":
            self.cache[key] = parsed
        return parsed

    def _read_colour_or_paint_operator(
        self, operator: str, operands: Operands, resources: pikepdf.Object, state: _GraphicsState, depth: int
    ) -> None:
        if operator in _DEVICE_COLOURS:
            paint = PagePaint(PdfColourSpace(_DEVICE_COLOURS[operator]), _operands_to_numbers(operands))
            _set_paint(state, paint, operator.isupper())
        elif operator in ("cs", "CS"):
            space = parse_colour_space(operands[0], resources.get("/ColorSpace"))
            _set_paint(state, PagePaint(space), operator == "CS")
        elif operator in ("sc", "scn", "SC", "SCN"):
            self._read_pattern(operands, resources, state, depth)
            old = state.stroke if operator.isupper() else state.fill
            _set_paint(state, PagePaint(old.space, _operands_to_numbers(operands)), operator.isupper())
        elif operator == "w":
            state.width = _operands_to_numbers(operands)[0]
        elif operator == "gs":
            self._read_graphics_state(str(operands[0]), resources, state)
        elif operator == "sh":
            self._note_shading(_get_named_resource(resources, "/Shading", str(operands[0])), resources)
        elif operator == "INLINE IMAGE":
            self._note_inline_image(operands[0], resources, state)
        else:
            self._note_painted_path(operator, state)

    def _note_painted_path(self, operator: str, state: _GraphicsState) -> None:
        if operator in ("f", "F", "f*", "B", "B*", "b", "b*"):
            self.facts.paints.add(state.fill)
        if operator in ("S", "s", "B", "B*", "b", "b*"):
            self.facts.paints.add(state.stroke)
            if PICTURE not in self.marks:
                self.facts.lines.add(round(state.width * compute_length_scale(state.matrix), 3))

    def _note_text(self, state: _GraphicsState, text: Matrix) -> None:
        if state.invisible:
            return
        both = multiply_matrices(text, state.matrix)
        if PICTURE not in self.marks:
            self.facts.texts.add((state.font, round(state.size * hypot(both[2], both[3]), 2)))
        self.facts.paints.add(state.fill)

    def _set_font(self, operands: Operands, resources: pikepdf.Object, state: _GraphicsState) -> None:
        name = str(operands[0])
        font = _get_named_resource(resources, "/Font", name)
        state.size = _operands_to_numbers(operands[1:])[0]
        state.font = str(font.get("/BaseFont", name)).lstrip("/") if font is not None else name
        if font is not None:
            self.facts.fonts[state.font] = font

    def _read_xobject(self, name: str, resources: pikepdf.Object, state: _GraphicsState, depth: int) -> None:
        form = _get_named_resource(resources, "/XObject", name)
        if form is None:
            return
        kind = str(form.get("/Subtype", ""))
        if kind == "/Image":
            self._note_picture(form, resources, state, form.objgen)
        elif kind == "/PS" or str(form.get("/Subtype2", "")) == "/PS":
            self.facts.postscript = True
        elif kind == "/Form":
            if "/Group" in form and str(form["/Group"].get("/S", "")) == "/Transparency":
                self.facts.transparency.add("group")
            inner = replace(
                state,
                matrix=multiply_matrices(
                    _operands_to_matrix(list(form.get("/Matrix", IDENTITY))), state.matrix
                ),
            )
            if "/Resources" not in form:
                self.read_stream(form, resources, inner, depth + 1)
            elif self._is_first_drawing_of_form(form, inner, depth):
                self.read_stream(form, form["/Resources"], inner, depth + 1)

    def _is_first_drawing_of_form(self, form: pikepdf.Object, state: _GraphicsState, depth: int) -> bool:
        """Return whether the page draws this form in this state for the first time. Its place alone makes no fact."""
        paints = (state.fill, state.stroke, state.width, state.font, state.size, state.invisible)
        key = (form.objgen, depth, PICTURE in self.marks, state.matrix[:4], *paints)
        if key in self.forms:
            return False
        self.forms.add(key)
        return True

    def _note_picture(
        self, image: pikepdf.Object, resources: pikepdf.Object, state: _GraphicsState, key: tuple[int, int]
    ) -> None:
        width, height = int(image.get("/Width", 0)), int(image.get("/Height", 0))
        a, b, c, d, *_ = state.matrix
        across, down = hypot(a, b) / 72, hypot(c, d) / 72
        per_inch = min(width / across if across else 0.0, height / down if down else 0.0)
        self.facts.pictures.add(PlacedPicture(key, (width, height), round(per_inch, 1)))
        self.facts.images[key] = image
        if "/SMask" in image and not isinstance(image.get("/SMask"), pikepdf.Name):
            self.facts.transparency.add("soft mask")
        if image.get("/ImageMask", False):
            self.facts.paints.add(state.fill)
        else:
            self.facts.paints.add(
                PagePaint(parse_colour_space(image.get("/ColorSpace"), resources.get("/ColorSpace")))
            )

    def _note_inline_image(self, image: object, resources: pikepdf.Object, state: _GraphicsState) -> None:
        assert isinstance(image, pikepdf.PdfInlineImage)
        a, b, c, d, *_ = state.matrix
        per_inch = min(image.width / (hypot(a, b) / 72 or 1), image.height / (hypot(c, d) / 72 or 1))
        self.facts.pictures.add(PlacedPicture((0, 0), (image.width, image.height), round(per_inch, 1)))
        name = pikepdf.Name(image.colorspace) if image.colorspace else None
        self.facts.paints.add(PagePaint(parse_colour_space(name, resources.get("/ColorSpace"))))

    def _read_graphics_state(self, name: str, resources: pikepdf.Object, state: _GraphicsState) -> None:
        values = _get_named_resource(resources, "/ExtGState", name)
        if values is None:
            return
        for key in ("/ca", "/CA"):
            if float(values.get(key, 1)) < 1:
                self.facts.transparency.add(f"opacity {float(values[key]):g}")
        if str(values.get("/SMask", "/None")) != "/None":
            self.facts.transparency.add("soft mask")
        mode = values.get("/BM", pikepdf.Name.Normal)
        modes = list(mode) if isinstance(mode, pikepdf.Array) else [mode]
        if any(str(blend) not in ("/Normal", "/Compatible") for blend in modes):
            self.facts.transparency.add(f"blend mode {str(modes[0])[1:]}")
        if "/LW" in values:
            state.width = float(values["/LW"])

    def _read_pattern(
        self, operands: Operands, resources: pikepdf.Object, state: _GraphicsState, depth: int
    ) -> None:
        if not operands or not isinstance(operands[-1], pikepdf.Name):
            return
        pattern = _get_named_resource(resources, "/Pattern", str(operands[-1]))
        if pattern is None:
            return
        if "/Shading" in pattern:
            self._note_shading(pattern["/Shading"], resources)
        elif isinstance(pattern, pikepdf.Stream):
            self.read_stream(pattern, pattern.get("/Resources", resources), replace(state), depth + 1)

    def _note_shading(self, shading: pikepdf.Object | None, resources: pikepdf.Object) -> None:
        if shading is None:
            return
        space = parse_colour_space(shading.get("/ColorSpace"), resources.get("/ColorSpace"))
        self.facts.paints.add(PagePaint(space))
        self.facts.paints.update(PagePaint(space, parts) for parts in iter_shading_colours(shading))


_OUTLINES = frozenset({"m", "l", "c", "v", "y", "h", "re"})
_DEVICE_COLOURS = {
    "g": "DeviceGray", "G": "DeviceGray", "rg": "DeviceRGB", "RG": "DeviceRGB",
    "k": "DeviceCMYK", "K": "DeviceCMYK",
}  # fmt: skip


def _set_paint(state: _GraphicsState, paint: PagePaint, stroking: bool) -> None:
    if stroking:
        state.stroke = paint
    else:
        state.fill = paint


def _get_named_resource(resources: pikepdf.Object, kind: str, name: str) -> pikepdf.Object | None:
    group = resources.get(kind)
    return group.get(name) if group is not None else None


def _operands_to_numbers(operands: Operands) -> tuple[float, ...]:
    return tuple(float(part) for part in operands if not isinstance(part, pikepdf.Name))


def _operands_to_matrix(operands: Operands) -> Matrix:
    numbers = _operands_to_numbers(operands)
    return numbers if len(numbers) == 6 else IDENTITY

"""A PDF opened for preflight: its objects, and what each page draws: colours and their spaces, text sizes,
pictures, lines, fonts and graphics states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import hypot, sqrt
from pathlib import Path
from typing import Any

import pikepdf
import pypdfium2 as pdfium
from PIL import Image

# A PDF opened for preflight: its objects, the facts of each page, the position of its text, its pixels.

Box = tuple[float, float, float, float]  # left, bottom, right, top in points
POINTS_PER_MM = 72 / 25.4


@dataclass
class OpenPdf:
    """One open PDF. In messages, pages count from 1."""

    path: Path
    pdf: pikepdf.Pdf
    renderer: pdfium.PdfDocument
    cache: dict[tuple[int, int], Operations] = field(default_factory=dict)

    @cached_property
    def facts(self) -> list[PageFacts]:
        """The facts of each page."""
        return [collect_facts_of_drawn_page(page.obj, self.cache) for page in self.pdf.pages]

    @property
    def pages(self) -> Iterator[tuple[int, pikepdf.Object, PageFacts]]:
        """Yield the number, dictionary and facts of every page."""
        for number, (page, facts) in enumerate(zip(self.pdf.pages, self.facts, strict=True), 1):
            yield number, page.obj, facts

    def get_page_box_or_none(self, page: pikepdf.Object, box_name: str) -> Box | None:
        """Return a page's box with its corners in order. Only the media and the crop box are
        inherited."""
        value = page.get(box_name)
        above = page
        while value is None and box_name in ("/MediaBox", "/CropBox") and "/Parent" in above:
            above = above["/Parent"]
            value = above.get(box_name)
        if value is None or len(value) != 4:
            return None
        x1, y1, x2, y2 = (float(part) for part in value)
        return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)

    def get_trim_or_next_larger_box_of_page(self, page: pikepdf.Object) -> Box:
        """Return the box that the page is cut to: its trim box, else its art, crop or media box."""
        for name in ("/TrimBox", "/ArtBox", "/CropBox", "/MediaBox"):
            box = self.get_page_box_or_none(page, name)
            if box is not None:
                return box
        return (0.0, 0.0, 612.0, 792.0)

    def list_page_labels_or_empty(self) -> list[str]:
        """Return the pages' labels; an empty list if the file has none."""
        if "/PageLabels" not in self.pdf.Root:
            return []
        return [str(page.label) for page in self.pdf.pages]

    def list_text_boxes_on_page_in_points(self, page_number: int) -> list[Box]:
        """Return the rectangles of the text on a page."""
        text = self.renderer[page_number - 1].get_textpage()
        return [text.get_rect(index) for index in range(text.count_rects())]

    def render_page_to_pixels(self, page_number: int, dots_per_inch: float) -> Image.Image:
        """Return the page as RGB pixels, at this many pixels per inch."""
        rendered: Image.Image = self.renderer[page_number - 1].render(scale=dots_per_inch / 72).to_pil().convert("RGB")
        return rendered


@contextmanager
def open_pdf_for_preflight(path: Path) -> Iterator[OpenPdf]:
    """Open the file for a `with` block. Raises what pikepdf or PDFium raise on a broken file."""
    with pikepdf.open(path) as pdf, pdfium.PdfDocument(path) as renderer:
        yield OpenPdf(path, pdf, renderer)


# -- spaces --------------------------------------------------------------------------------------------------
# Colour spaces of a PDF: their family and base spaces, and how much ink a colour uses.

DEEPEST_SPACE = 8  # a space may stand on another; no sane file nests more

_DEVICE = {
    "/DeviceGray": "DeviceGray", "/G": "DeviceGray",
    "/DeviceRGB": "DeviceRGB", "/RGB": "DeviceRGB",
    "/DeviceCMYK": "DeviceCMYK", "/CMYK": "DeviceCMYK",
    "/Pattern": "Pattern",
}  # fmt: skip
_BY_COMPONENTS = {1: "ICC grey", 3: "ICC RGB", 4: "ICC CMYK"}
RGB_FAMILIES = frozenset({"DeviceRGB", "CalRGB", "ICC RGB", "Lab"})
CMYK_FAMILIES = frozenset({"DeviceCMYK", "ICC CMYK"})


@dataclass(frozen=True, slots=True)
class PdfColourSpace:
    """A colour space: its family and the spaces it is based on (base, alternate)."""

    family: str
    under: PdfColourSpace | None = None

    @property
    def own_and_underlying_families(self) -> tuple[str, ...]:
        """Its own family and the families of all spaces below it."""
        return (self.family, *(self.under.own_and_underlying_families if self.under else ()))

    @property
    def is_rgb(self) -> bool:
        return any(family in RGB_FAMILIES for family in self.own_and_underlying_families)

    @property
    def is_cmyk(self) -> bool:
        return any(family in CMYK_FAMILIES for family in self.own_and_underlying_families)


GREY = PdfColourSpace("DeviceGray")


def parse_pdf_colour_space(
    value: pikepdf.Object | None, named_spaces: pikepdf.Object | None = None, depth: int = 0
) -> PdfColourSpace:
    """Return the space that a name or an array describes. `named_spaces` is the resource dictionary of
    colour spaces."""
    if value is None or depth > DEEPEST_SPACE:
        return PdfColourSpace("unknown")
    if isinstance(value, pikepdf.Name):
        word = str(value)
        if word in _DEVICE:
            return PdfColourSpace(_DEVICE[word])
        if named_spaces is not None and word in named_spaces:
            return parse_pdf_colour_space(named_spaces[word], None, depth + 1)
        return PdfColourSpace("unknown")
    if not isinstance(value, pikepdf.Array) or not len(value):
        return PdfColourSpace("unknown")
    return _parse_colour_space_array(value, named_spaces, depth)


def _parse_colour_space_array(array: pikepdf.Array, named_spaces: pikepdf.Object | None, depth: int) -> PdfColourSpace:
    family = str(array[0])
    if family in _DEVICE:
        return parse_pdf_colour_space(pikepdf.Name(family), named_spaces, depth + 1)
    if family == "/ICCBased" and len(array) > 1:
        return PdfColourSpace(_BY_COMPONENTS.get(int(array[1].get("/N", 0)), "unknown"))
    if family in ("/Indexed", "/I") and len(array) > 1:
        return PdfColourSpace("Indexed", parse_pdf_colour_space(array[1], named_spaces, depth + 1))
    if family in ("/Separation", "/DeviceN") and len(array) > 2:
        return PdfColourSpace(family[1:], parse_pdf_colour_space(array[2], named_spaces, depth + 1))
    return PdfColourSpace(family[1:] if family in ("/CalRGB", "/CalGray", "/Lab") else "unknown")


def compute_ink_percentage_or_zero_for_rgb(space: PdfColourSpace, colour_components: Sequence[float]) -> float:
    """Return the percentage of ink, all plates together. RGB colours count as 0, because their ink
    is unknown."""
    if space.family in RGB_FAMILIES or not colour_components:
        return 0.0
    if space.family in ("DeviceGray", "CalGray", "ICC grey"):
        return (1 - colour_components[0]) * 100
    return sum(colour_components) * 100  # CMYK; tints of spot colours are plates of their own


def iter_end_colours_of_shading(shading: pikepdf.Object) -> Iterator[tuple[float, ...]]:
    """Yield the colours at the ends of a shading's pieces. No colour between two ends is darker
    than both."""
    function = shading.get("/Function")
    functions = list(function) if isinstance(function, pikepdf.Array) else [function]
    while functions:
        piece = functions.pop()
        if piece is None:
            continue
        functions += list(piece.get("/Functions", []))
        for key in ("/C0", "/C1"):
            if key in piece:
                yield tuple(float(part) for part in piece[key])


# -- page content --------------------------------------------------------------------------------------------
# Reads what a page draws: colours, text sizes, pictures, lines, fonts and graphics states.

DEEPEST_FORM = 12  # forms in forms; a form that draws itself ends here

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


def chain_pdf_matrices(first: Matrix, second: Matrix) -> Matrix:
    """Return the map that does `first`, then `second` (PDF's order of writing)."""
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def compute_mean_length_scale_of_matrix(matrix: Matrix) -> float:
    """Return the factor by which the map scales lengths, on the mean of all directions."""
    return sqrt(abs(matrix[0] * matrix[3] - matrix[1] * matrix[2]))


def collect_facts_of_drawn_page(
    page: pikepdf.Object, parsed_forms: dict[tuple[int, int], Operations] | None = None
) -> PageFacts:
    """Return the facts of everything the page draws, including forms and patterns."""
    reader = _ContentReader(PageFacts(), parsed_forms if parsed_forms is not None else {})
    if "/Group" in page:
        reader.facts.transparency.add("page group")
    reader.read_operators_and_note_facts(page, page.get("/Resources", pikepdf.Dictionary()), _GraphicsState(), 0)
    return reader.facts


class _ContentReader:
    """Reads one content stream and the streams that it draws."""

    def __init__(self, facts: PageFacts, cache: dict[tuple[int, int], Operations]) -> None:
        self.facts = facts
        self.cache = cache
        self.marks: list[str] = []  # of the content being read, the innermost last
        self.forms: set[tuple[object, ...]] = set()  # that were read, each with what its facts depend on

    def read_operators_and_note_facts(
        self, stream: pikepdf.Object, resources: pikepdf.Object, state: _GraphicsState, depth: int
    ) -> None:
        """Read the operators of a page, form or pattern."""
        if depth > DEEPEST_FORM:
            return
        stack: list[_GraphicsState] = []
        text: Matrix = IDENTITY
        for operands, word in self._parse_operations_without_outlines(stream):
            if word == "q":
                stack.append(replace(state))
            elif word == "Q":
                state = stack.pop() if stack else state
            elif word == "cm":
                state.matrix = chain_pdf_matrices(_operands_to_matrix_or_identity(operands), state.matrix)
            elif word == "BT":
                text = IDENTITY
            elif word == "Tm":
                text = _operands_to_matrix_or_identity(operands)
            elif word == "Tf":
                self._note_and_set_font(operands, resources, state)
            elif word == "Tr":
                state.invisible = int(operands[0]) in (3, 7)
            elif word in ("Tj", "TJ", "'", '"'):
                self._note_text_size_and_colour(state, text)
            elif word in ("BMC", "BDC"):
                self.marks.append(str(operands[0]))
            elif word == "EMC":
                self.marks.pop()
            elif word == "Do":
                self._note_image_or_read_form(str(operands[0]), resources, state, depth)
            else:
                self._note_colour_or_paint_operator(word, operands, resources, state, depth)

    def _parse_operations_without_outlines(self, stream: pikepdf.Object) -> Operations:
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

    def _note_colour_or_paint_operator(
        self, operator: str, operands: Operands, resources: pikepdf.Object, state: _GraphicsState, depth: int
    ) -> None:
        if operator in _DEVICE_COLOURS:
            paint = PagePaint(PdfColourSpace(_DEVICE_COLOURS[operator]), _operands_to_numbers_without_names(operands))
            _set_fill_or_stroke_paint(state, paint, operator.isupper())
        elif operator in ("cs", "CS"):
            space = parse_pdf_colour_space(operands[0], resources.get("/ColorSpace"))
            _set_fill_or_stroke_paint(state, PagePaint(space), operator == "CS")
        elif operator in ("sc", "scn", "SC", "SCN"):
            self._note_facts_of_pattern(operands, resources, state, depth)
            old = state.stroke if operator.isupper() else state.fill
            _set_fill_or_stroke_paint(
                state, PagePaint(old.space, _operands_to_numbers_without_names(operands)), operator.isupper()
            )
        elif operator == "w":
            state.width = _operands_to_numbers_without_names(operands)[0]
        elif operator == "gs":
            self._note_transparency_of_graphics_state(str(operands[0]), resources, state)
        elif operator == "sh":
            self._note_colours_of_shading(
                _get_named_resource_or_none(resources, "/Shading", str(operands[0])), resources
            )
        elif operator == "INLINE IMAGE":
            self._note_inline_image_resolution_and_colours(operands[0], resources, state)
        else:
            self._note_colours_and_line_of_path(operator, state)

    def _note_colours_and_line_of_path(self, operator: str, state: _GraphicsState) -> None:
        if operator in ("f", "F", "f*", "B", "B*", "b", "b*"):
            self.facts.paints.add(state.fill)
        if operator in ("S", "s", "B", "B*", "b", "b*"):
            self.facts.paints.add(state.stroke)
            if PICTURE not in self.marks:
                self.facts.lines.add(round(state.width * compute_mean_length_scale_of_matrix(state.matrix), 3))

    def _note_text_size_and_colour(self, state: _GraphicsState, text_matrix: Matrix) -> None:
        if state.invisible:
            return
        both = chain_pdf_matrices(text_matrix, state.matrix)
        if PICTURE not in self.marks:
            self.facts.texts.add((state.font, round(state.size * hypot(both[2], both[3]), 2)))
        self.facts.paints.add(state.fill)

    def _note_and_set_font(self, operands: Operands, resources: pikepdf.Object, state: _GraphicsState) -> None:
        name = str(operands[0])
        font = _get_named_resource_or_none(resources, "/Font", name)
        state.size = _operands_to_numbers_without_names(operands[1:])[0]
        state.font = str(font.get("/BaseFont", name)).lstrip("/") if font is not None else name
        if font is not None:
            self.facts.fonts[state.font] = font

    def _note_image_or_read_form(self, name: str, resources: pikepdf.Object, state: _GraphicsState, depth: int) -> None:
        form = _get_named_resource_or_none(resources, "/XObject", name)
        if form is None:
            return
        kind = str(form.get("/Subtype", ""))
        if kind == "/Image":
            self._note_picture_resolution_and_colours(form, resources, state, form.objgen)
        elif kind == "/PS" or str(form.get("/Subtype2", "")) == "/PS":
            self.facts.postscript = True
        elif kind == "/Form":
            if "/Group" in form and str(form["/Group"].get("/S", "")) == "/Transparency":
                self.facts.transparency.add("group")
            inner = replace(
                state,
                matrix=chain_pdf_matrices(
                    _operands_to_matrix_or_identity(list(form.get("/Matrix", IDENTITY))), state.matrix
                ),
            )
            if "/Resources" not in form:
                self.read_operators_and_note_facts(form, resources, inner, depth + 1)
            elif self._record_form_and_state_if_new(form, inner, depth):
                self.read_operators_and_note_facts(form, form["/Resources"], inner, depth + 1)

    def _record_form_and_state_if_new(self, form: pikepdf.Object, state: _GraphicsState, depth: int) -> bool:
        """Return whether the page draws this form in this state for the first time. Its place alone makes no fact."""
        paints = (state.fill, state.stroke, state.width, state.font, state.size, state.invisible)
        key = (form.objgen, depth, PICTURE in self.marks, state.matrix[:4], *paints)
        if key in self.forms:
            return False
        self.forms.add(key)
        return True

    def _note_picture_resolution_and_colours(
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
                PagePaint(parse_pdf_colour_space(image.get("/ColorSpace"), resources.get("/ColorSpace")))
            )

    def _note_inline_image_resolution_and_colours(
        self, image: object, resources: pikepdf.Object, state: _GraphicsState
    ) -> None:
        assert isinstance(image, pikepdf.PdfInlineImage)
        a, b, c, d, *_ = state.matrix
        per_inch = min(image.width / (hypot(a, b) / 72 or 1), image.height / (hypot(c, d) / 72 or 1))
        self.facts.pictures.add(PlacedPicture((0, 0), (image.width, image.height), round(per_inch, 1)))
        name = pikepdf.Name(image.colorspace) if image.colorspace else None
        self.facts.paints.add(PagePaint(parse_pdf_colour_space(name, resources.get("/ColorSpace"))))

    def _note_transparency_of_graphics_state(self, name: str, resources: pikepdf.Object, state: _GraphicsState) -> None:
        values = _get_named_resource_or_none(resources, "/ExtGState", name)
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

    def _note_facts_of_pattern(
        self, operands: Operands, resources: pikepdf.Object, state: _GraphicsState, depth: int
    ) -> None:
        if not operands or not isinstance(operands[-1], pikepdf.Name):
            return
        pattern = _get_named_resource_or_none(resources, "/Pattern", str(operands[-1]))
        if pattern is None:
            return
        if "/Shading" in pattern:
            self._note_colours_of_shading(pattern["/Shading"], resources)
        elif isinstance(pattern, pikepdf.Stream):
            self.read_operators_and_note_facts(pattern, pattern.get("/Resources", resources), replace(state), depth + 1)

    def _note_colours_of_shading(self, shading: pikepdf.Object | None, resources: pikepdf.Object) -> None:
        if shading is None:
            return
        space = parse_pdf_colour_space(shading.get("/ColorSpace"), resources.get("/ColorSpace"))
        self.facts.paints.add(PagePaint(space))
        self.facts.paints.update(PagePaint(space, parts) for parts in iter_end_colours_of_shading(shading))


_OUTLINES = frozenset({"m", "l", "c", "v", "y", "h", "re"})
_DEVICE_COLOURS = {
    "g": "DeviceGray", "G": "DeviceGray", "rg": "DeviceRGB", "RG": "DeviceRGB",
    "k": "DeviceCMYK", "K": "DeviceCMYK",
}  # fmt: skip


def _set_fill_or_stroke_paint(state: _GraphicsState, paint: PagePaint, is_stroke: bool) -> None:
    if is_stroke:
        state.stroke = paint
    else:
        state.fill = paint


def _get_named_resource_or_none(resources: pikepdf.Object, category: str, name: str) -> pikepdf.Object | None:
    group = resources.get(category)
    return group.get(name) if group is not None else None


def _operands_to_numbers_without_names(operands: Operands) -> tuple[float, ...]:
    return tuple(float(part) for part in operands if not isinstance(part, pikepdf.Name))


def _operands_to_matrix_or_identity(operands: Operands) -> Matrix:
    numbers = _operands_to_numbers_without_names(operands)
    return numbers if len(numbers) == 6 else IDENTITY

"""Parts that are drawn once and used again: streams, fonts, gradients, and raster pictures as PDF image
streams."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from io import BytesIO
from itertools import pairwise
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from playproof.generator.art.picture_files import (
    UPRIGHT,
    convert_to_srgb_pixels,
    encode_jpeg,
    get_upright_matrix,
    get_upright_size,
    has_unambiguous_pixels,
)
from playproof.generator.lazy_dict import LazyDict
from playproof.generator.pdf.content import ContentStream, Form, PdfPicture, PdfResource, format_coordinate
from playproof.generator.pdf.font_objects import PdfFont, build_name_font_id, put_name_font
from playproof.generator.pdf.objects import (
    LEVEL,
    Name,
    PdfFileBuilder,
    Reference,
    Stream,
    Value,
    format_pdf_value,
)
from playproof.generator.pdf.structure import list_page_sections
from playproof.generator.scene import (
    PT_PER_MM,
    Colour,
    Face,
    Image,
    LinearGradient,
    Node,
    Page,
    Pieces,
    RadialGradient,
    Rect,
    Stop,
    Symbol,
)
from playproof.generator.scene.nodes import WHOLE

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

    from playproof.generator.type.fonts import FontBook


# -- pool ----------------------------------------------------------------------------------------------------
# Parts that are drawn once and used again: streams, fonts, images, gradients. Each is named by its content.

PICTURE_DPI = 300.0  # dots to the inch: what print shops ask for, and what an eye tells apart at arm's length
# A see-through group has no bounds of its own; this box (mm) is larger than any sheet.
EVERYWHERE = Rect(-2000, -2000, 4000, 4000)


class DrawnPage(NamedTuple):
    """A page's compressed content stream, and the parts and lines it uses."""

    data: bytes
    parts: tuple[PdfResource, ...]
    lines: tuple[Pieces, ...]


class PdfPartPool:
    """The parts drawn for one colour space with one set of fonts. Photographs with many more dots to the inch than
    ``picture_dpi`` are scaled to it; 0 scales none."""

    def __init__(
        self,
        fonts: FontBook,
        colour_space: str = "rgb",
        transparency: bool = True,
        picture_dpi: float = PICTURE_DPI,
    ) -> None:
        self.book = fonts
        self.cmyk = colour_space == "cmyk"
        self.speaks = not self.cmyk  # a print shop reads no icons aloud, and may not know their fonts
        self._transparency = transparency
        self._picture_dpi = picture_dpi
        self.fonts = LazyDict(self._create_font)  # by key
        # the operator that fills in a colour; upper-cased, it strokes
        self.colours = LazyDict(self._format_colour)
        self.type_colours = LazyDict(self._format_type_colour) if self.cmyk else self.colours
        self._numbers = {key: at for at, key in enumerate(sorted(fonts.fonts), 1)}
        self._parts: dict[object, PdfResource] = {}
        self._pictures: dict[object, PdfPicture] = {}
        self._forms: dict[int, Form] = {}  # by the identity of their owners
        self._by_name: dict[str, Form] = {}
        self._contents: dict[int, ContentStream] = {}  # by the identity of the nodes that they draw
        self._kept: list[object] = []  # owners known by identity must live as long as the pool
        self._pages: dict[object, DrawnPage] = {}

    def _format_colour(self, colour: Colour) -> str:
        return _format_fill_operator(
            colour.to_cmyk() if self.cmyk else (colour.red, colour.green, colour.blue)
        )

    def _format_type_colour(self, colour: Colour) -> str:
        """Return the colour operator of type: dark greys are black ink alone."""
        return _format_fill_operator(colour.to_type_cmyk())

    def _create_font(self, key: str) -> PdfFont:
        return PdfFont(self.book[key], f"F{self._numbers[key]}")

    def get_name_font(self, text: str) -> PdfResource:
        """Return the font whose one glyph stands for this name."""
        key = ("name", text)
        if key not in self._parts:
            self._parts[key] = PdfResource(build_name_font_id(text), "Font", partial(put_name_font, text))
        return self._parts[key]

    def draw_page(self, page: Page, inlined_faces: frozenset[str], tagged: bool = False) -> DrawnPage:
        """Return a page's content. Pages with the same faces, places and marks are drawn once.

        Faces named in ``inlined_faces`` occur once in the document: they are drawn on the page itself,
        without an object of their own. In a ``tagged`` document all that is drawn has a number for
        the structure (`list_page_sections`), or is decoration.
        """
        faces = [self.get_face_form(each.face) for each in page.placements]
        places = tuple(
            (form.name, form.name in inlined_faces, each.transform, each.bleed)
            for form, each in zip(faces, page.placements, strict=True)
        )
        sections = (
            {section.placement: section.number for section in list_page_sections(page)} if tagged else {}
        )
        key = (page.height, places, page.marks, page.passages, tagged, *sections)
        drawn = self._pages.get(key)
        if drawn is None:
            content = ContentStream(self, page.height)
            for at, (placement, form) in enumerate(zip(page.placements, faces, strict=True)):
                window = placement.face.trim.expand(min(placement.bleed, placement.face.bleed))
                with (
                    content.within_structure(sections.get(at), tagged),
                    content.within_saved_state(placement.transform, window),
                ):
                    content.copy_form(form) if form.name in inlined_faces else content.draw_resource(form)
            if page.marks:
                with content.within_structure(sections.get(None), tagged):
                    for mark in page.marks:
                        content.draw_node(mark)
            for number, passage in enumerate(page.passages):
                with content.within_tagged_content(passage.role, number):
                    for node in passage.nodes:
                        content.draw_node(node)
            data = zlib.compress(content.to_bytes(), LEVEL)
            drawn = DrawnPage(data, tuple(content.parts.values()), tuple(content.lines))
            self._pages[key] = drawn
        return drawn

    def get_face_form(self, face: Face) -> Form:
        """Return a face as a form."""
        return self._forms.get(id(face)) or self._create_form(face, face.bleed_box, face.nodes)

    def get_symbol_form(self, symbol: Symbol) -> Form:
        return self._forms.get(id(symbol)) or self._create_form(
            symbol, symbol.bounds, symbol.children, symbol.picture
        )

    def get_transparency_group(self, children: Sequence[Node]) -> Form:
        """Return the nodes as one transparency group, so that they become see-through together."""
        group = {"S": Name("Transparency"), "Type": Name("Group")}
        return self._forms.get(id(children)) or self._create_form(
            children, EVERYWHERE, children, more={"Group": group}
        )

    def get_opacity_state(self, share: float) -> PdfResource:
        if not self._transparency:
            raise ValueError("a see-through group cannot be drawn: this file knows no transparency")
        key = ("opacity", share)
        if key not in self._parts:
            entries: Value = {"Type": Name("ExtGState"), "ca": share, "CA": share}
            self._parts[key] = PdfResource(
                _build_opacity_name(share), "ExtGState", partial(_put_value, entries)
            )
        return self._parts[key]

    def get_image(self, image: Image) -> PdfPicture:
        key = (
            image.file,
            _get_file_state(image),
            image.crop,
            image.data,
            image.rect.width,
            image.rect.height,
        )
        if key not in self._pictures:
            stream, mask, reach, turn = encode_image(image, self.cmyk, self._transparency, self._picture_dpi)
            name = "I" + _compute_short_digest(
                *_identify_stream(stream), *(_identify_stream(mask) if mask is not None else ())
            )
            self._pictures[key] = PdfPicture(
                name, "XObject", partial(_put_picture, stream, mask), reach, turn
            )
        return self._pictures[key]

    def get_shading(self, paint: LinearGradient | RadialGradient, top: float) -> PdfResource:
        """Return the gradient in the coordinates of a stream whose scene origin is ``top`` points
        up."""
        key = (paint, top)
        if key not in self._parts:
            name = "S" + _compute_short_digest(repr(key).encode())
            self._parts[key] = PdfResource(
                name, "Shading", partial(_put_value, self._build_gradient(paint, top))
            )
        return self._parts[key]

    def _build_gradient(self, paint: LinearGradient | RadialGradient, top: float) -> Value:
        def place(x: float, y: float) -> list[float]:
            return [round(x * PT_PER_MM, 3), round(top - y * PT_PER_MM, 3)]

        if isinstance(paint, LinearGradient):
            kind, coordinates = 2, [*place(paint.x1, paint.y1), *place(paint.x2, paint.y2)]
        else:
            centre = place(paint.x, paint.y)
            kind, coordinates = 3, [*centre, 0, *centre, round(paint.radius * PT_PER_MM, 3)]
        return {
            "ShadingType": kind,
            "ColorSpace": Name("DeviceCMYK" if self.cmyk else "DeviceRGB"),
            "Coords": coordinates,
            "Function": self._build_blend_function(paint.stops),
            "Extend": [True, True],
        }

    def _build_blend_function(self, stops: Sequence[Stop]) -> Value:
        """Return the function from 0..1 to colours: one linear piece between each two stops."""
        pieces: list[Value] = [
            {
                "FunctionType": 2,
                "Domain": [0, 1],
                "C0": self._get_colour_components(start.colour),
                "C1": self._get_colour_components(end.colour),
                "N": 1,
            }
            for start, end in pairwise(stops)
        ]
        if len(pieces) == 1:
            return pieces[0]
        return {
            "FunctionType": 3,
            "Domain": [0, 1],
            "Functions": pieces,
            "Bounds": [stop.at for stop in stops[1:-1]],
            "Encode": [0, 1] * len(pieces),
        }

    def _get_colour_components(self, colour: Colour) -> list[float]:
        parts = colour.to_cmyk() if self.cmyk else (colour.red, colour.green, colour.blue)
        return [round(part, 4) for part in parts]

    def _create_form(
        self,
        owner: object,
        bounds: Rect,
        nodes: Sequence[Node],
        picture: bool = False,
        more: Mapping[str, Value] | None = None,
    ) -> Form:
        self._kept.append(owner)
        form = _build_form(self._draw_content(nodes), bounds, picture, more or {})
        form = self._forms[id(owner)] = self._by_name.setdefault(form.name, form)  # is compressed once
        return form

    def _draw_content(self, nodes: Sequence[Node]) -> ContentStream:
        """Return the nodes as a stream. A face on a sheet and its picture in a book have the same nodes."""
        content = self._contents.get(id(nodes))
        if content is None:
            self._kept.append(nodes)
            content = self._contents[id(nodes)] = ContentStream(self)
            for node in nodes:
                content.draw_node(node)
        return content


def _build_form(content: ContentStream, bounds: Rect, picture: bool, more: Mapping[str, Value]) -> Form:
    """Return a finished content stream as a form XObject with these bounds (mm)."""
    box = [round(edge * PT_PER_MM, 3) for edge in (bounds.x, -bounds.bottom, bounds.right, -bounds.y)]
    entries: dict[str, Value] = {"Type": Name("XObject"), "Subtype": Name("Form"), "BBox": box}
    entries |= {**more, "Filter": Name("FlateDecode")}
    plain = content.to_bytes()
    if picture:
        plain = b"/Picture BMC\n%s\nEMC" % plain
    name = "X" + _compute_short_digest(plain, repr((box, sorted(more))).encode())
    return Form(name, "XObject", None, plain, entries, tuple(content.parts.values()), tuple(content.lines))


def _identify_stream(stream: Stream) -> tuple[bytes, bytes]:
    """Return what a stream is: its entries (size, colour space, filter) and a digest of its bytes."""
    return format_pdf_value(stream.entries), hashlib.sha256(stream.data).digest()


def _get_file_state(image: Image) -> tuple[int, int] | None:
    """Return what tells a picture's file from its earlier versions: a pool outlives a change of the file."""
    if image.data:
        return None
    state = image.file.stat()
    return state.st_mtime_ns, state.st_size


def _build_opacity_name(share: float) -> str:
    """Return the name of an opacity: its thousandths, or a digest of one that has finer parts."""
    thousandths = round(share * 1000)
    return (
        f"G{thousandths}"
        if thousandths / 1000 == share
        else "G" + _compute_short_digest(repr(share).encode())
    )


def _put_value(value: Value, document: PdfFileBuilder, place: Reference) -> None:
    document.fill_object(place, value)


def _put_picture(stream: Stream, mask: Stream | None, document: PdfFileBuilder, place: Reference) -> None:
    """Put a raster picture and its mask into the document."""
    masked = {"SMask": document.add_object(mask)} if mask is not None else {}
    document.fill_object(place, Stream({**stream.entries, **masked}, stream.data))


def _format_fill_operator(parts: Iterable[float]) -> str:
    """Write the operator that sets the fill colour: three parts are RGB, four are CMYK."""
    numbers = [format_coordinate(part) for part in parts]
    return " ".join(numbers) + (" k" if len(numbers) == 4 else " rg")


def _compute_short_digest(*parts: bytes) -> str:
    """Return ten characters that identify this content."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:10]


# -- images --------------------------------------------------------------------------------------------------
# Raster pictures as PDF image streams; imported only where a picture is drawn.

JPEG_SPACES = {"RGB": "DeviceRGB", "L": "DeviceGray"}
WORTH_SCALING = 1.5  # times the dots that are wanted; less is not worth a second loss
CLOSE = 1e-4  # of a pixel: a crop this near to an edge between pixels lies on it


class EncodedImage(NamedTuple):
    """A picture's stream, and its mask if it is see-through. ``reach`` is where its pixels lie, in shares of the place
    that the crop fills: whole pixels reach beyond a crop that cuts some. ``turn`` makes them upright there."""

    stream: Stream
    mask: Stream | None
    reach: Rect
    turn: tuple[int, int, int, int, int, int] = UPRIGHT


def encode_image(image: Image, cmyk: bool, transparency: bool, dpi: float = 0.0) -> EncodedImage:
    """Return the cropped picture as streams. Without transparency it is laid on white.

    A JPEG stays the file that it is, and the PDF turns it as its EXIF part says and cuts what the crop hides. One with
    more than `WORTH_SCALING` times ``dpi`` dots to the inch is scaled to ``dpi``; 0 scales nothing. Such a one, and
    one that its file gives other colours, becomes a JPEG anew.
    """
    from PIL import Image as pillow

    with pillow.open(BytesIO(image.data) if image.data else image.file) as opened:
        is_jpeg = opened.format in ("JPEG", "MPO") and not image.data
        size = _compute_scaled_size(opened, image, dpi) if is_jpeg else None
        if is_jpeg and size is None and not cmyk and has_unambiguous_pixels(opened, allow_turned=True):
            stream = _build_image_stream(
                opened, JPEG_SPACES[opened.mode], image.file.read_bytes(), "DCTDecode"
            )
            return EncodedImage(stream, None, _compute_reach(image.crop), get_upright_matrix(opened))
        if size is not None:
            opened.draft(opened.mode, _orient_size_as_stored(opened, size))
        picture, reach = _crop_to_whole_pixels(convert_to_srgb_pixels(opened, keep_cmyk=cmyk), image.crop)
    if size is not None:
        picture = _shrink_to_dpi(picture, image, dpi)
    if is_jpeg and not cmyk:  # scaled, or with other colours: pixels without loss would be ten times as large
        return EncodedImage(_encode_jpeg(picture), None, reach)
    mask = None
    if "A" in picture.getbands():
        rgba = picture
        alpha = rgba.getchannel("A")
        if transparency:
            mask = _build_image_stream(
                alpha, "DeviceGray", zlib.compress(alpha.tobytes(), LEVEL), "FlateDecode"
            )
            picture = rgba.convert("RGB")
        else:
            white = pillow.new("RGBA", rgba.size, "white")
            picture = pillow.alpha_composite(white, rgba).convert("RGB")
    if cmyk:
        data = picture.tobytes() if picture.mode == "CMYK" else _convert_to_cmyk(picture.convert("RGB"))
        return EncodedImage(
            _build_image_stream(picture, "DeviceCMYK", zlib.compress(data, LEVEL), "FlateDecode"), mask, reach
        )
    data = picture.convert("RGB").tobytes()
    return EncodedImage(
        _build_image_stream(picture, "DeviceRGB", zlib.compress(data, LEVEL), "FlateDecode"), mask, reach
    )


def _compute_scaled_size(opened: Picture, image: Image, dpi: float) -> tuple[int, int] | None:
    """Return the size in pixels, upright, that the whole picture has at ``dpi``; None if it is not worth scaling."""
    if not dpi:
        return None
    width, height = get_upright_size(opened)
    across = width * image.crop.width / image.rect.width * 25.4  # dots to the inch
    down = height * image.crop.height / image.rect.height * 25.4
    if min(across, down) <= WORTH_SCALING * dpi:
        return None
    share = dpi / min(across, down)
    return ceil(width * share), ceil(height * share)


def _orient_size_as_stored(opened: Picture, size: tuple[int, int]) -> tuple[int, int]:
    """Return an upright size as the file has it, which may lie on its side."""
    return size if get_upright_size(opened) == opened.size else (size[1], size[0])


def _shrink_to_dpi(picture: Picture, image: Image, dpi: float) -> Picture:
    """Return cropped pixels at ``dpi``: a JPEG decoder shrinks by 2, 4 and 8 only."""
    from PIL.Image import Resampling

    share = dpi / min(picture.width / image.rect.width * 25.4, picture.height / image.rect.height * 25.4)
    if share >= 1:
        return picture
    size = (max(1, ceil(picture.width * share)), max(1, ceil(picture.height * share)))
    return picture.resize(size, Resampling.LANCZOS, reducing_gap=2.0)


def _encode_jpeg(picture: Picture) -> Stream:
    plain = picture if picture.mode in JPEG_SPACES else picture.convert("RGB")
    return _build_image_stream(plain, JPEG_SPACES[plain.mode], encode_jpeg(plain), "DCTDecode")


def _compute_reach(crop: Rect) -> Rect:
    """Return where the whole picture lies, in shares of the place that the crop fills."""
    if crop == WHOLE:
        return WHOLE
    return Rect(-crop.x / crop.width, -crop.y / crop.height, 1 / crop.width, 1 / crop.height)


def _crop_to_whole_pixels(picture: Picture, crop: Rect) -> tuple[Picture, Rect]:
    """Return the pixels of which the crop holds a part, and where they lie in shares of the crop."""
    width, height = picture.size
    left, top = floor(crop.x * width + CLOSE), floor(crop.y * height + CLOSE)
    right = min(width, max(ceil(crop.right * width - CLOSE), left + 1))
    bottom = min(height, max(ceil(crop.bottom * height - CLOSE), top + 1))
    if (left, top, right, bottom) == (0, 0, width, height) and crop == WHOLE:
        return picture, WHOLE
    reach = Rect(
        (left / width - crop.x) / crop.width,
        (top / height - crop.y) / crop.height,
        (right - left) / width / crop.width,
        (bottom - top) / height / crop.height,
    )
    return picture.crop((left, top, right, bottom)), reach


def _convert_to_cmyk(picture: Picture, limit: float = 2.4) -> bytes:
    """Convert to CMYK with full grey replacement and a total ink limit, as `Colour.inks` does for
    flat colours."""
    import numpy

    light = numpy.asarray(picture, dtype=numpy.float32) / 255
    brightest = light.max(axis=2, keepdims=True)
    inks = numpy.where(brightest > 0, (brightest - light) / numpy.maximum(brightest, 1e-6), 0)
    black = 1 - brightest
    total = inks.sum(axis=2, keepdims=True)
    inks *= numpy.minimum(1, (limit - black) / numpy.maximum(total, 1e-6))
    together = numpy.concatenate((inks, black), axis=2)
    return bytes(numpy.round(together * 255).astype(numpy.uint8).tobytes())


def _build_image_stream(picture: Picture, space: str, data: bytes, coding: str) -> Stream:
    entries: dict[str, Value] = {
        "Type": Name("XObject"),
        "Subtype": Name("Image"),
        "Width": picture.width,
        "Height": picture.height,
        "BitsPerComponent": 8,
        "ColorSpace": Name(space),
        "Filter": Name(coding),
    }
    return Stream(entries, data)

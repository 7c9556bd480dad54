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
    can_embed_file_bytes_unchanged,
    convert_first_frame_to_upright_srgb,
    encode_jpeg_without_metadata,
    get_pdf_matrix_of_exif_rotation,
    get_size_after_exif_rotation,
)
from playproof.generator.lazy_dict import LazyDict
from playproof.generator.pdf.content import (
    ContentStream,
    Form,
    PdfPicture,
    PdfResource,
    format_coordinate_to_three_decimals,
)
from playproof.generator.pdf.font_objects import (
    PdfFont,
    build_font_resource_name_of_spoken_name,
    put_one_glyph_font_of_spoken_name,
)
from playproof.generator.pdf.objects import (
    LEVEL,
    Name,
    PdfFileBuilder,
    Reference,
    Stream,
    Value,
    format_value_in_pdf_syntax,
)
from playproof.generator.pdf.structure import list_titled_sections_after_passages
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
        self, fonts: FontBook, colour_space: str = "rgb", transparency: bool = True, picture_dpi: float = PICTURE_DPI
    ) -> None:
        self.book = fonts
        self.cmyk = colour_space == "cmyk"
        self.speaks = not self.cmyk  # a print shop reads no icons aloud, and may not know their fonts
        self._transparency = transparency
        self._picture_dpi = picture_dpi
        self.fonts = LazyDict(self._create_font_by_key)  # by key
        # the operator that fills in a colour; upper-cased, it strokes
        self.colours = LazyDict(self._format_fill_colour_operator)
        self.type_colours = LazyDict(self._format_type_fill_colour_operator) if self.cmyk else self.colours
        self._numbers = {key: at for at, key in enumerate(sorted(fonts.fonts), 1)}
        self._parts: dict[object, PdfResource] = {}
        self._pictures: dict[object, PdfPicture] = {}
        self._forms: dict[int, Form] = {}  # by the identity of their owners
        self._by_name: dict[str, Form] = {}
        self._contents: dict[int, ContentStream] = {}  # by the identity of the nodes that they draw
        self._kept: list[object] = []  # owners known by identity must live as long as the pool
        self._pages: dict[object, DrawnPage] = {}

    def _format_fill_colour_operator(self, colour: Colour) -> str:
        return _format_rgb_or_cmyk_fill_operator(
            colour.to_own_or_converted_cmyk_shares() if self.cmyk else (colour.red, colour.green, colour.blue)
        )

    def _format_type_fill_colour_operator(self, colour: Colour) -> str:
        """Return the colour operator of type: dark greys are black ink alone."""
        return _format_rgb_or_cmyk_fill_operator(colour.to_cmyk_for_type())

    def _create_font_by_key(self, font_key: str) -> PdfFont:
        return PdfFont(self.book[font_key], f"F{self._numbers[font_key]}")

    def get_or_create_font_of_spoken_name(self, spoken_name: str) -> PdfResource:
        """Return the font whose one glyph stands for this name."""
        key = ("name", spoken_name)
        if key not in self._parts:
            self._parts[key] = PdfResource(
                build_font_resource_name_of_spoken_name(spoken_name),
                "Font",
                partial(put_one_glyph_font_of_spoken_name, spoken_name),
            )
        return self._parts[key]

    def get_or_draw_page_content(
        self, page: Page, inlined_faces: frozenset[str], is_tagged_document: bool = False
    ) -> DrawnPage:
        """Return a page's content. Pages with the same faces, places and marks are drawn once.

        Faces named in ``inlined_faces`` occur once in the document: they are drawn on the page itself,
        without an object of their own. In a ``is_tagged_document`` document all that is drawn has a number for
        the structure (`list_titled_sections_after_passages`), or is decoration.
        """
        faces = [self.get_or_draw_form_of_face(each.face) for each in page.placements]
        places = tuple(
            (form.name, form.name in inlined_faces, each.transform, each.bleed)
            for form, each in zip(faces, page.placements, strict=True)
        )
        sections = (
            {section.placement: section.number for section in list_titled_sections_after_passages(page)}
            if is_tagged_document
            else {}
        )
        key = (page.height, places, page.marks, page.passages, is_tagged_document, *sections)
        drawn = self._pages.get(key)
        if drawn is None:
            content = ContentStream(self, page.height)
            for at, (placement, form) in enumerate(zip(page.placements, faces, strict=True)):
                window = placement.face.trim.expand(min(placement.bleed, placement.face.bleed))
                with (
                    content.draw_within_words_or_decoration_mark(sections.get(at), is_tagged_document),
                    content.draw_within_saved_state(placement.transform, window),
                ):
                    content.inline_form_content_into_stream(
                        form
                    ) if form.name in inlined_faces else content.draw_form_or_image_resource(form)
            if page.marks:
                with content.draw_within_words_or_decoration_mark(sections.get(None), is_tagged_document):
                    for mark in page.marks:
                        content.draw_node(mark)
            for number, passage in enumerate(page.passages):
                with content.draw_within_tagged_content(passage.role, number):
                    for node in passage.nodes:
                        content.draw_node(node)
            data = zlib.compress(content.to_uncompressed_bytes(), LEVEL)
            drawn = DrawnPage(data, tuple(content.parts.values()), tuple(content.lines))
            self._pages[key] = drawn
        return drawn

    def get_or_draw_form_of_face(self, face: Face) -> Form:
        """Return a face as a form."""
        return self._forms.get(id(face)) or self._draw_and_store_form(face, face.bleed_box, face.nodes)

    def get_or_draw_form_of_symbol(self, symbol: Symbol) -> Form:
        return self._forms.get(id(symbol)) or self._draw_and_store_form(
            symbol, symbol.bounds, symbol.children, symbol.picture
        )

    def get_or_draw_transparency_group(self, children: Sequence[Node]) -> Form:
        """Return the nodes as one transparency group, so that they become see-through together."""
        group = {"S": Name("Transparency"), "Type": Name("Group")}
        return self._forms.get(id(children)) or self._draw_and_store_form(
            children, EVERYWHERE, children, extra_entries={"Group": group}
        )

    def get_or_create_opacity_state_or_raise(self, opacity: float) -> PdfResource:
        if not self._transparency:
            raise ValueError("a see-through group cannot be drawn: this file knows no transparency")
        key = ("opacity", opacity)
        if key not in self._parts:
            entries: Value = {"Type": Name("ExtGState"), "ca": opacity, "CA": opacity}
            self._parts[key] = PdfResource(
                _build_resource_name_of_opacity(opacity), "ExtGState", partial(_fill_reference_with_value, entries)
            )
        return self._parts[key]

    def get_or_encode_image(self, image: Image) -> PdfPicture:
        key = (
            image.file,
            _get_mtime_and_size_of_image_or_none(image),
            image.crop,
            image.data,
            image.rect.width,
            image.rect.height,
        )
        if key not in self._pictures:
            stream, mask, reach, turn = encode_cropped_image(image, self.cmyk, self._transparency, self._picture_dpi)
            name = "I" + _compute_ten_character_digest(
                *_get_entries_and_digest_of_stream(stream),
                *(_get_entries_and_digest_of_stream(mask) if mask is not None else ()),
            )
            self._pictures[key] = PdfPicture(
                name, "XObject", partial(_fill_reference_with_picture_and_mask, stream, mask), reach, turn
            )
        return self._pictures[key]

    def get_or_create_gradient_shading(self, paint: LinearGradient | RadialGradient, top: float) -> PdfResource:
        """Return the gradient in the coordinates of a stream whose scene origin is ``top`` points
        up."""
        key = (paint, top)
        if key not in self._parts:
            name = "S" + _compute_ten_character_digest(repr(key).encode())
            self._parts[key] = PdfResource(
                name,
                "Shading",
                partial(_fill_reference_with_value, self._build_gradient_shading_dictionary(paint, top)),
            )
        return self._parts[key]

    def _build_gradient_shading_dictionary(
        self, paint: LinearGradient | RadialGradient, scene_origin_in_points: float
    ) -> Value:
        def place(x: float, y: float) -> list[float]:
            return [round(x * PT_PER_MM, 3), round(scene_origin_in_points - y * PT_PER_MM, 3)]

        if isinstance(paint, LinearGradient):
            kind, coordinates = 2, [*place(paint.x1, paint.y1), *place(paint.x2, paint.y2)]
        else:
            centre = place(paint.x, paint.y)
            kind, coordinates = 3, [*centre, 0, *centre, round(paint.radius * PT_PER_MM, 3)]
        return {
            "ShadingType": kind,
            "ColorSpace": Name("DeviceCMYK" if self.cmyk else "DeviceRGB"),
            "Coords": coordinates,
            "Function": self._build_colour_function_of_stops(paint.stops),
            "Extend": [True, True],
        }

    def _build_colour_function_of_stops(self, stops: Sequence[Stop]) -> Value:
        """Return the function from 0..1 to colours: one linear piece between each two stops."""
        pieces: list[Value] = [
            {
                "FunctionType": 2,
                "Domain": [0, 1],
                "C0": self._get_rgb_or_cmyk_components(start.colour),
                "C1": self._get_rgb_or_cmyk_components(end.colour),
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

    def _get_rgb_or_cmyk_components(self, colour: Colour) -> list[float]:
        parts = colour.to_own_or_converted_cmyk_shares() if self.cmyk else (colour.red, colour.green, colour.blue)
        return [round(part, 4) for part in parts]

    def _draw_and_store_form(
        self,
        owner: object,
        bounds: Rect,
        nodes: Sequence[Node],
        is_small_picture: bool = False,
        extra_entries: Mapping[str, Value] | None = None,
    ) -> Form:
        self._kept.append(owner)
        form = _build_form_from_content_stream(
            self._get_or_draw_content_stream(nodes), bounds, is_small_picture, extra_entries or {}
        )
        form = self._forms[id(owner)] = self._by_name.setdefault(form.name, form)  # is compressed once
        return form

    def _get_or_draw_content_stream(self, nodes: Sequence[Node]) -> ContentStream:
        """Return the nodes as a stream. A face on a sheet and its picture in a book have the same nodes."""
        content = self._contents.get(id(nodes))
        if content is None:
            self._kept.append(nodes)
            content = self._contents[id(nodes)] = ContentStream(self)
            for node in nodes:
                content.draw_node(node)
        return content


def _build_form_from_content_stream(
    content: ContentStream, bounds: Rect, is_small_picture: bool, extra_entries: Mapping[str, Value]
) -> Form:
    """Return a finished content stream as a form XObject with these bounds (mm)."""
    box = [round(edge * PT_PER_MM, 3) for edge in (bounds.x, -bounds.bottom, bounds.right, -bounds.y)]
    entries: dict[str, Value] = {"Type": Name("XObject"), "Subtype": Name("Form"), "BBox": box}
    entries |= {**extra_entries, "Filter": Name("FlateDecode")}
    plain = content.to_uncompressed_bytes()
    if is_small_picture:
        plain = b"/Picture BMC\n%s\nEMC" % plain
    name = "X" + _compute_ten_character_digest(plain, repr((box, sorted(extra_entries))).encode())
    return Form(name, "XObject", None, plain, entries, tuple(content.parts.values()), tuple(content.lines))


def _get_entries_and_digest_of_stream(stream: Stream) -> tuple[bytes, bytes]:
    """Return what a stream is: its entries (size, colour space, filter) and a digest of its bytes."""
    return format_value_in_pdf_syntax(stream.entries), hashlib.sha256(stream.data).digest()


def _get_mtime_and_size_of_image_or_none(image: Image) -> tuple[int, int] | None:
    """Return what tells a picture's file from its earlier versions: a pool outlives a change of the file."""
    if image.data:
        return None
    state = image.file.stat()
    return state.st_mtime_ns, state.st_size


def _build_resource_name_of_opacity(opacity: float) -> str:
    """Return the name of an opacity: its thousandths, or a digest of one that has finer parts."""
    thousandths = round(opacity * 1000)
    return (
        f"G{thousandths}"
        if thousandths / 1000 == opacity
        else "G" + _compute_ten_character_digest(repr(opacity).encode())
    )


def _fill_reference_with_value(value: Value, document: PdfFileBuilder, reference: Reference) -> None:
    document.fill_reserved_object(reference, value)


def _fill_reference_with_picture_and_mask(
    stream: Stream, mask: Stream | None, document: PdfFileBuilder, reference: Reference
) -> None:
    """Put a raster picture and its mask into the document."""
    masked = {"SMask": document.add_object_and_get_reference(mask)} if mask is not None else {}
    document.fill_reserved_object(reference, Stream({**stream.entries, **masked}, stream.data))


def _format_rgb_or_cmyk_fill_operator(parts: Iterable[float]) -> str:
    """Write the operator that sets the fill colour: three parts are RGB, four are CMYK."""
    numbers = [format_coordinate_to_three_decimals(part) for part in parts]
    return " ".join(numbers) + (" k" if len(numbers) == 4 else " rg")


def _compute_ten_character_digest(*parts: bytes) -> str:
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


def encode_cropped_image(image: Image, to_cmyk: bool, keep_transparency: bool, target_dpi: float = 0.0) -> EncodedImage:
    """Return the cropped picture as streams. Without transparency it is laid on white.

    A JPEG stays the file that it is, and the PDF turns it as its EXIF part says and cuts what the crop hides. One with
    more than `WORTH_SCALING` times ``target_dpi`` dots to the inch is scaled to ``target_dpi``; 0 scales nothing.
    Such a one, and one that its file gives other colours, becomes a JPEG anew.
    """
    from PIL import Image as pillow

    with pillow.open(BytesIO(image.data) if image.data else image.file) as opened:
        is_jpeg = opened.format in ("JPEG", "MPO") and not image.data
        size = _compute_size_to_shrink_to_dpi_or_none(opened, image, target_dpi) if is_jpeg else None
        if (
            is_jpeg
            and size is None
            and not to_cmyk
            and can_embed_file_bytes_unchanged(opened, allow_exif_rotation=True)
        ):
            stream = _build_image_stream(opened, JPEG_SPACES[opened.mode], image.file.read_bytes(), "DCTDecode")
            return EncodedImage(
                stream,
                None,
                _compute_whole_picture_in_shares_of_crop(image.crop),
                get_pdf_matrix_of_exif_rotation(opened),
            )
        if size is not None:
            opened.draft(opened.mode, _orient_upright_size_as_in_file(opened, size))
        picture, reach = _crop_to_whole_pixels_and_get_place(
            convert_first_frame_to_upright_srgb(opened, keep_cmyk=to_cmyk), image.crop
        )
    if size is not None:
        picture = _shrink_cropped_picture_if_above_dpi(picture, image, target_dpi)
    if is_jpeg and not to_cmyk:  # scaled, or with other colours: pixels without loss would be ten times as large
        return EncodedImage(_encode_jpeg_image_stream(picture), None, reach)
    mask = None
    if "A" in picture.getbands():
        rgba = picture
        alpha = rgba.getchannel("A")
        if keep_transparency:
            mask = _build_image_stream(alpha, "DeviceGray", zlib.compress(alpha.tobytes(), LEVEL), "FlateDecode")
            picture = rgba.convert("RGB")
        else:
            white = pillow.new("RGBA", rgba.size, "white")
            picture = pillow.alpha_composite(white, rgba).convert("RGB")
    if to_cmyk:
        data = (
            picture.tobytes() if picture.mode == "CMYK" else _convert_rgb_picture_to_cmyk_bytes(picture.convert("RGB"))
        )
        return EncodedImage(
            _build_image_stream(picture, "DeviceCMYK", zlib.compress(data, LEVEL), "FlateDecode"), mask, reach
        )
    data = picture.convert("RGB").tobytes()
    return EncodedImage(
        _build_image_stream(picture, "DeviceRGB", zlib.compress(data, LEVEL), "FlateDecode"), mask, reach
    )


def _compute_size_to_shrink_to_dpi_or_none(
    file_picture: Picture, placed_image: Image, target_dpi: float
) -> tuple[int, int] | None:
    """Return the size in pixels, upright, that the whole picture has at ``target_dpi``; None if it is not worth
    scaling."""
    if not target_dpi:
        return None
    width, height = get_size_after_exif_rotation(file_picture)
    across = width * placed_image.crop.width / placed_image.rect.width * 25.4  # dots to the inch
    down = height * placed_image.crop.height / placed_image.rect.height * 25.4
    if min(across, down) <= WORTH_SCALING * target_dpi:
        return None
    share = target_dpi / min(across, down)
    return ceil(width * share), ceil(height * share)


def _orient_upright_size_as_in_file(file_picture: Picture, size: tuple[int, int]) -> tuple[int, int]:
    """Return an upright size as the file has it, which may lie on its side."""
    return size if get_size_after_exif_rotation(file_picture) == file_picture.size else (size[1], size[0])


def _shrink_cropped_picture_if_above_dpi(cropped_picture: Picture, placed_image: Image, target_dpi: float) -> Picture:
    """Return cropped pixels at ``target_dpi``: a JPEG decoder shrinks by 2, 4 and 8 only."""
    from PIL.Image import Resampling

    share = target_dpi / min(
        cropped_picture.width / placed_image.rect.width * 25.4, cropped_picture.height / placed_image.rect.height * 25.4
    )
    if share >= 1:
        return cropped_picture
    size = (max(1, ceil(cropped_picture.width * share)), max(1, ceil(cropped_picture.height * share)))
    return cropped_picture.resize(size, Resampling.LANCZOS, reducing_gap=2.0)


def _encode_jpeg_image_stream(picture: Picture) -> Stream:
    plain = picture if picture.mode in JPEG_SPACES else picture.convert("RGB")
    return _build_image_stream(plain, JPEG_SPACES[plain.mode], encode_jpeg_without_metadata(plain), "DCTDecode")


def _compute_whole_picture_in_shares_of_crop(crop: Rect) -> Rect:
    """Return where the whole picture lies, in shares of the place that the crop fills."""
    if crop == WHOLE:
        return WHOLE
    return Rect(-crop.x / crop.width, -crop.y / crop.height, 1 / crop.width, 1 / crop.height)


def _crop_to_whole_pixels_and_get_place(picture: Picture, crop: Rect) -> tuple[Picture, Rect]:
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


def _convert_rgb_picture_to_cmyk_bytes(picture: Picture, ink_limit: float = 2.4) -> bytes:
    """Convert to CMYK with full grey replacement and a total ink limit, as `to_own_or_converted_cmyk_shares` does for
    flat colours."""
    import numpy

    light = numpy.asarray(picture, dtype=numpy.float32) / 255
    brightest = light.max(axis=2, keepdims=True)
    inks = numpy.where(brightest > 0, (brightest - light) / numpy.maximum(brightest, 1e-6), 0)
    black = 1 - brightest
    total = inks.sum(axis=2, keepdims=True)
    inks *= numpy.minimum(1, (ink_limit - black) / numpy.maximum(total, 1e-6))
    together = numpy.concatenate((inks, black), axis=2)
    return bytes(numpy.round(together * 255).astype(numpy.uint8).tobytes())


def _build_image_stream(picture: Picture, colour_space_name: str, encoded_pixels: bytes, filter_name: str) -> Stream:
    entries: dict[str, Value] = {
        "Type": Name("XObject"),
        "Subtype": Name("Image"),
        "Width": picture.width,
        "Height": picture.height,
        "BitsPerComponent": 8,
        "ColorSpace": Name(colour_space_name),
        "Filter": Name(filter_name),
    }
    return Stream(entries, encoded_pixels)

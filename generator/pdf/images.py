"""Raster pictures as PDF image streams; imported only where a picture is drawn."""

from __future__ import annotations

import zlib
from io import BytesIO
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from playproof.generator.art.true_pixels import (
    UPRIGHT,
    convert_to_srgb_pixels,
    encode_jpeg,
    get_upright_matrix,
    get_upright_size,
    has_unambiguous_pixels,
)
from playproof.generator.pdf.objects import LEVEL, Name, Stream, Value
from playproof.generator.scene import Image, Rect
from playproof.generator.scene.nodes import WHOLE

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

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

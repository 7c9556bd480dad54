"""Raster pictures as PDF image streams; imported only where a picture is drawn."""

from __future__ import annotations

import zlib
from io import BytesIO
from math import ceil, floor
from typing import TYPE_CHECKING, NamedTuple

from playproof.generator.art.true_pixels import is_plain, true_pixels
from playproof.generator.pdf.objects import LEVEL, Name, Stream, Value
from playproof.generator.scene import Image, Rect
from playproof.generator.scene.nodes import WHOLE

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

CLOSE = 1e-4  # of a pixel: a crop this near to an edge between pixels lies on it


class Drawn(NamedTuple):
    """A picture's stream, and its mask if it is see-through. ``reach`` is where its pixels lie, in shares of the place
    that the crop fills: whole pixels reach beyond a crop that cuts some."""

    stream: Stream
    mask: Stream | None
    reach: Rect


def image_streams(image: Image, cmyk: bool, transparency: bool) -> Drawn:
    """Return the cropped picture as streams. Without transparency it is laid on white."""
    from PIL import Image as pillow

    with pillow.open(BytesIO(image.data) if image.data else image.file) as opened:
        if _is_plain_jpeg(opened, image, cmyk):
            return Drawn(_stream(opened, "DeviceRGB", image.file.read_bytes(), "DCTDecode"), None, WHOLE)
        picture, reach = _cropped(true_pixels(opened, inks=cmyk), image.crop)
    mask = None
    if "A" in picture.getbands():
        rgba = picture
        alpha = rgba.getchannel("A")
        if transparency:
            mask = _stream(alpha, "DeviceGray", zlib.compress(alpha.tobytes(), LEVEL), "FlateDecode")
            picture = rgba.convert("RGB")
        else:
            white = pillow.new("RGBA", rgba.size, "white")
            picture = pillow.alpha_composite(white, rgba).convert("RGB")
    if cmyk:
        data = picture.tobytes() if picture.mode == "CMYK" else _inks(picture.convert("RGB"))
        return Drawn(
            _stream(picture, "DeviceCMYK", zlib.compress(data, LEVEL), "FlateDecode"), mask, reach
        )
    data = picture.convert("RGB").tobytes()
    return Drawn(_stream(picture, "DeviceRGB", zlib.compress(data, LEVEL), "FlateDecode"), mask, reach)


def _is_plain_jpeg(picture: Picture, image: Image, cmyk: bool) -> bool:
    return picture.format in ("JPEG", "MPO") and picture.mode == "RGB" and image.crop == WHOLE and not cmyk and is_plain(picture)


def _cropped(picture: Picture, crop: Rect) -> tuple[Picture, Rect]:
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


def _inks(picture: Picture, limit: float = 2.4) -> bytes:
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


def _stream(picture: Picture, space: str, data: bytes, coding: str) -> Stream:
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

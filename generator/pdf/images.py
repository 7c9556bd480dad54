"""Raster pictures as PDF image streams; imported only where a picture is drawn."""

from __future__ import annotations

import zlib
from io import BytesIO
from typing import TYPE_CHECKING

from playproof.generator.art.true_pixels import is_plain, true_pixels
from playproof.generator.pdf.objects import LEVEL, Name, Stream, Value
from playproof.generator.scene import Image

if TYPE_CHECKING:
    from PIL.Image import Image as Picture


def image_streams(image: Image, cmyk: bool, transparency: bool) -> tuple[Stream, Stream | None]:
    """Return the cropped picture and its mask, if it is see-through. Without transparency it is
    laid on white."""
    from PIL import Image as pillow

    with pillow.open(BytesIO(image.data) if image.data else image.file) as opened:
        if _is_plain_jpeg(opened, image, cmyk):
            return _stream(opened, "DeviceRGB", image.file.read_bytes(), "DCTDecode"), None
        picture = _cropped(true_pixels(opened, inks=cmyk), image)
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
        return _stream(picture, "DeviceCMYK", zlib.compress(data, LEVEL), "FlateDecode"), mask
    data = picture.convert("RGB").tobytes()
    return _stream(picture, "DeviceRGB", zlib.compress(data, LEVEL), "FlateDecode"), mask


def _is_plain_jpeg(picture: Picture, image: Image, cmyk: bool) -> bool:
    whole = (image.crop.x, image.crop.y, image.crop.width, image.crop.height) == (0, 0, 1, 1)
    return picture.format in ("JPEG", "MPO") and picture.mode == "RGB" and whole and not cmyk and is_plain(picture)


def _cropped(picture: Picture, image: Image) -> Picture:
    width, height = picture.size
    crop = image.crop
    box = (
        round(crop.x * width),
        round(crop.y * height),
        max(round(crop.right * width), round(crop.x * width) + 1),
        max(round(crop.bottom * height), round(crop.y * height) + 1),
    )
    return picture.crop(box)


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

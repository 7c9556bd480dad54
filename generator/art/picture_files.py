"""Raster pictures, checked before a scene refers to them: each is readable, not too large, and
inside a folder."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.generator.art.svg_errors import BadPicture
from playproof.generator.art.true_pixels import PictureRemark, check_printable_pixels, get_upright_size
from playproof.generator.scene import Rect

MOST_PIXELS = 120_000_000  # an A3 sheet at 600 dpi is 70 million


class RasterPicture(NamedTuple):
    """A raster file and its size in pixels, upright. ``data`` is the picture as PNG if it was drawn from the file,
    ``reason`` why. ``remarks`` are what its print does not show of the file."""

    file: FilePath
    width: int
    height: int
    data: bytes = b""
    reason: str = ""
    remarks: tuple[PictureRemark, ...] = ()


def open_picture(file: FilePath) -> RasterPicture:
    """Read the picture's size and decode it once. Raises BadPicture if it is broken or too
    large."""
    from PIL import Image

    try:
        with Image.open(file) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise BadPicture(f"{width} by {height} pixels, at most {MOST_PIXELS} are read")
            size = get_upright_size(image)
            if image.format == "JPEG":  # an eighth of its size shows as well whether all of the file is there
                image.draft(image.mode, (width // 8, height // 8))
            image.load()
            remarks = check_printable_pixels(image)
    except BadPicture as error:
        raise BadPicture(f"{file.name}: {error}") from None
    except Exception as error:  # Pillow raises many kinds for broken files; each means the same to the user
        raise BadPicture(f"{file.name} cannot be read as a picture: {error}") from None
    return RasterPicture(file, *size, remarks=tuple(remarks))


def compute_covering_crop(width: float, height: float, box: Rect, focus: tuple[float, float]) -> Rect:
    """Return the crop (in shares of a picture of this shape) that fills the box without stretching, its centre
    as near the focus as the picture allows."""
    wanted = box.width / box.height
    shape = width / height
    if shape > wanted:
        share = wanted / shape
        return Rect(min(max(focus[0] - share / 2, 0), 1 - share), 0, share, 1)
    share = shape / wanted
    return Rect(0, min(max(focus[1] - share / 2, 0), 1 - share), 1, share)


def fit_centred_in_box(width: float, height: float, box: Rect) -> Rect:
    """Return the largest rectangle of this shape that fits into the middle of the box."""
    scale = min(box.width / width, box.height / height)
    x, y = box.centre
    return Rect(x - width * scale / 2, y - height * scale / 2, width * scale, height * scale)

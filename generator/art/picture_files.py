"""Raster pictures, checked before a scene refers to them: readable, not absurdly large, inside a
folder."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import NamedTuple

from playproof.generator.art.svg_read import BadPicture
from playproof.generator.scene import Rect

MOST_PIXELS = 120_000_000  # an A3 sheet at 600 dpi is 70 million


class Picture(NamedTuple):
    """A raster file and its size in pixels."""

    file: FilePath
    width: int
    height: int


def open_picture(file: FilePath) -> Picture:
    """Read the picture's size and decode it once. Raises BadPicture."""
    from PIL import Image

    try:
        with Image.open(file) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise BadPicture(f"{file.name}: {width} by {height} pixels, at most {MOST_PIXELS} are read")
            image.load()
    except BadPicture:
        raise
    except Exception as error:  # Pillow raises many kinds for broken files; each means the same to the user
        raise BadPicture(f"{file.name} cannot be read as a picture: {error}") from None
    return Picture(file, width, height)


def cover(picture: Picture, box: Rect, focus: tuple[float, float]) -> Rect:
    """The part of the picture (in shares) that fills the box without stretching, kept near the
    focus."""
    wanted = box.width / box.height
    shape = picture.width / picture.height
    if shape > wanted:
        share = wanted / shape
        return Rect(min(max(focus[0] - share / 2, 0), 1 - share), 0, share, 1)
    share = shape / wanted
    return Rect(0, min(max(focus[1] - share / 2, 0), 1 - share), 1, share)


def contain(width: float, height: float, box: Rect) -> Rect:
    """The largest rectangle of the given shape in the middle of the box."""
    scale = min(box.width / width, box.height / height)
    x, y = box.centre
    return Rect(x - width * scale / 2, y - height * scale / 2, width * scale, height * scale)

"""Pixels of which another picture says what is see-through: torn edges, brush strokes, vignettes."""

from __future__ import annotations

from io import BytesIO
from math import ceil
from typing import TYPE_CHECKING

from playproof.generator.art.picture_files import RasterPicture
from playproof.generator.art.true_pixels import convert_to_srgb_pixels, encode_png
from playproof.generator.scene import Rect

if TYPE_CHECKING:
    from PIL.Image import Image as Picture

LEAST_DPI = 300.0  # dots to the inch of the masked picture: its edge is as fine as print shops ask for
MOST_DPI = 450.0  # more is not seen


def render_masked_pixels(
    picture: RasterPicture, crop: Rect, mask: RasterPicture, mask_crop: Rect, size: tuple[float, float]
) -> bytes:
    """Return the ``crop`` of a picture as PNG, see-through where the ``part`` of a mask is.

    Both are shares of their pictures; ``size`` is that of the place they fill, in mm. A mask shows as much as it is
    opaque; one that is opaque everywhere shows as much as it is bright.
    """
    from PIL import ImageChops
    from PIL.Image import Resampling

    pixels = _crop_to_nearest_pixels(_load_pixels(picture), crop).convert("RGBA")
    dots = min(pixels.width / size[0], pixels.height / size[1]) * 25.4
    wanted = dots if LEAST_DPI <= dots <= MOST_DPI else LEAST_DPI
    target = (max(1, ceil(size[0] / 25.4 * wanted)), max(1, ceil(size[1] / 25.4 * wanted)))
    pixels = pixels.resize(target, Resampling.LANCZOS)
    alpha = _crop_to_nearest_pixels(_convert_mask_to_grey(_load_pixels(mask)), mask_crop).resize(
        target, Resampling.LANCZOS
    )
    pixels.putalpha(ImageChops.multiply(pixels.getchannel("A"), alpha))
    return encode_png(pixels)


def _load_pixels(picture: RasterPicture) -> Picture:
    from PIL import Image

    with Image.open(BytesIO(picture.data) if picture.data else picture.file) as opened:
        return convert_to_srgb_pixels(opened)


def _convert_mask_to_grey(mask: Picture) -> Picture:
    """Return how much of a picture a mask shows, as grey."""
    if "A" in mask.getbands():
        alpha = mask.getchannel("A")
        if alpha.getextrema() != (255, 255):
            return alpha
    return mask.convert("RGB").convert("L")


def _crop_to_nearest_pixels(picture: Picture, crop: Rect) -> Picture:
    """Return the pixels that lie in a crop, as nearly as whole pixels can."""
    width, height = picture.size
    left, top = round(crop.x * width), round(crop.y * height)
    right, bottom = max(left + 1, round(crop.right * width)), max(top + 1, round(crop.bottom * height))
    return picture.crop((left, top, right, bottom))

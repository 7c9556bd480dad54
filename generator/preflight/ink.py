"""The ink in pictures, pixel by pixel."""

from __future__ import annotations

from functools import reduce

import numpy as np
import pikepdf
from PIL import Image

from playproof.generator.preflight.spaces import space_of


def heaviest_pixel(image: pikepdf.Object) -> float:
    """Return the percentage of ink at the darkest pixel of a picture; 0 if it cannot be known
    (RGB)."""
    space = space_of(image.get("/ColorSpace"))
    if not space.is_cmyk:
        return 100.0 if space.family == "DeviceGray" else 0.0
    assert isinstance(image, pikepdf.Stream), "pictures are streams"
    picture = pikepdf.PdfImage(image).as_pil_image()
    if picture.mode != "CMYK":
        picture = picture.convert("CMYK")
    return _sum_of_plates(picture)


def _sum_of_plates(picture: Image.Image) -> float:
    plates = [np.asarray(plate, dtype=np.uint16) for plate in picture.split()]
    return float(reduce(np.add, plates).max()) / 255 * 100

"""What of a picture is shown: a crop, and a mask that is a shape or another picture."""

from __future__ import annotations

import re

from playproof.database.errors import did_you_mean
from playproof.generator.art.picture_files import RasterPicture
from playproof.generator.art.svg_errors import BadPicture
from playproof.generator.layout.draw_shapes import build_hexagon, scale_path_to_box
from playproof.generator.layout.drawing import FaceDrawing
from playproof.generator.layout.model import ImageSpec
from playproof.generator.layout.picture_loading import load_picture_as_pixels
from playproof.generator.scene import Path, Rect, ellipse
from playproof.generator.scene.nodes import WHOLE

MASKS = ("ellipse", "circle", "hexagon")
_PATH = re.compile(r"[Mm]\s*-?[\d.]")


class BadMask(Exception):
    """A crop or mask that cannot be used, and the way out."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def evaluate_crop(drawing: FaceDrawing, spec: ImageSpec) -> Rect:
    """Return the part of a picture that is shown, in shares of it. Raises BadMask for one that is not in it."""
    if not spec.crop:
        return WHOLE
    part = Rect(*(number(drawing.scope) for number in spec.crop))
    if part.width <= 0 or part.height <= 0 or not WHOLE.contains(part):
        numbers = ", ".join(f"{number:g}" for number in part)
        message = f"expected a crop that lies in the picture, found [{numbers}]"
        raise BadMask(
            message, "x, y, width and height in shares of the picture: [0, 0, 1, 0.5] is its upper half"
        )
    return part


def load_mask(drawing: FaceDrawing, spec: ImageSpec, box: Rect) -> tuple[RasterPicture | None, Path | None]:
    """Return what hides a part of a picture: another picture, or the outline outside of which nothing is seen; None
    for both if nothing does. Raises BadMask."""
    word = spec.mask(drawing.scope).strip()
    if not word:
        return None, None
    if word in MASKS:
        return None, _build_mask_outline(word, box)
    if _PATH.match(word):
        return None, Path(scale_path_to_box(word, box))
    try:
        mask = load_picture_as_pixels(drawing, word, max(box.width, box.height))
    except BadPicture as error:
        names = did_you_mean(word, MASKS) if "." not in word else ""
        raise BadMask(f"{error}, which `mask` names", names or getattr(error, "hint", "")) from None
    return mask, None


def _build_mask_outline(mask: str, box: Rect) -> Path:
    if mask == "hexagon":
        return build_hexagon(*box.centre, min(box.width, box.height / (3**0.5 / 2)) / 2)
    least = min(box.width, box.height)
    width, height = (least, least) if mask == "circle" else (box.width, box.height)
    return ellipse(*box.centre, width / 2, height / 2)


def render_masked_picture(
    drawing: FaceDrawing, picture: RasterPicture, crop: Rect, mask: RasterPicture, box: Rect, place: Rect
) -> bytes:
    """Return the crop of a picture as PNG with what a mask over the box hides at its place. It is made once however
    often it is shown."""
    from playproof.generator.art.masking import render_masked_pixels  # few games have such pictures

    part = Rect(
        (place.x - box.x) / box.width,
        (place.y - box.y) / box.height,
        place.width / box.width,
        place.height / box.height,
    )
    size = (round(place.width, 4), round(place.height, 4))
    key = ("masked", picture.file, len(picture.data), crop, mask.file, part, size)
    data = drawing.kit.pictures.get(key)
    if not isinstance(data, bytes):
        data = drawing.kit.pictures[key] = render_masked_pixels(picture, crop, mask, part, size)
    return data

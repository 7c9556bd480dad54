"""Checks in pixels that there is colour in the bleed wherever there is colour at the cut."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pikepdf

from playproof.generator.preflight.pdf_file import POINTS_PER_MM, Document

PER_INCH = 100.0  # a millimetre is four pixels
WHITE = 250
LEAST_SHARE = 0.02  # of a side; less is a stray corner

Pixels = npt.NDArray[np.uint8]


def unpainted_sides(document: Document, number: int, page: pikepdf.Object, bleed: float) -> Iterator[str]:
    """Yield the sides (left, right, top, bottom) where colour ends at the cut."""
    trim = document.trim(page)
    window = document.box(page, "/CropBox") or document.box(page, "/MediaBox") or trim  # what PDFium renders
    pixels = np.asarray(document.picture(number, PER_INCH))
    scale = PER_INCH / 72
    left, right = round((trim[0] - window[0]) * scale), round((trim[2] - window[0]) * scale)
    top, bottom = round((window[3] - trim[3]) * scale), round((window[3] - trim[1]) * scale)
    reach = max(1, int(bleed * POINTS_PER_MM * scale) - 1)  # one pixel less: edges are softened
    across, down = slice(max(top, 0), bottom), slice(max(left, 0), right)
    sides = {
        "left": (_at(pixels, left + 1, 1)[across], _at(pixels, left - reach, 1)[across]),
        "right": (_at(pixels, right - 2, 1)[across], _at(pixels, right - 1 + reach, 1)[across]),
        "top": (_at(pixels, top + 1, 0)[down], _at(pixels, top - reach, 0)[down]),
        "bottom": (_at(pixels, bottom - 2, 0)[down], _at(pixels, bottom - 1 + reach, 0)[down]),
    }
    for name, (inside, outside) in sides.items():
        if _share_lost(inside, outside) > LEAST_SHARE:
            yield name


def _at(pixels: Pixels, index: int, axis: int) -> Pixels:
    """Return a row or column of pixels, or the last one if the page ends before the bleed does."""
    nearest = min(max(index, 0), pixels.shape[axis] - 1)
    row: Pixels = np.take(pixels, nearest, axis=axis)
    return row


def _share_lost(inside: Pixels, outside: Pixels) -> float:
    """Return the share of a side that is coloured at the cut and white in the bleed."""
    coloured = inside.min(axis=1) < WHITE
    white = outside.min(axis=1) >= WHITE
    return float((coloured & white).mean()) if len(inside) else 0.0

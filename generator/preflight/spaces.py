"""Colour spaces of a PDF: their family and base spaces, and how much ink a colour uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pikepdf

DEEPEST = 8  # a space may stand on another; no sane file nests more

_DEVICE = {
    "/DeviceGray": "DeviceGray", "/G": "DeviceGray",
    "/DeviceRGB": "DeviceRGB", "/RGB": "DeviceRGB",
    "/DeviceCMYK": "DeviceCMYK", "/CMYK": "DeviceCMYK",
    "/Pattern": "Pattern",
}  # fmt: skip
_BY_COMPONENTS = {1: "ICC grey", 3: "ICC RGB", 4: "ICC CMYK"}
RGB_FAMILIES = frozenset({"DeviceRGB", "CalRGB", "ICC RGB", "Lab"})
CMYK_FAMILIES = frozenset({"DeviceCMYK", "ICC CMYK"})


@dataclass(frozen=True, slots=True)
class PdfColourSpace:
    """A colour space: its family and the spaces it is based on (base, alternate)."""

    family: str
    under: PdfColourSpace | None = None

    @property
    def families(self) -> tuple[str, ...]:
        """Its own family and the families of all spaces below it."""
        return (self.family, *(self.under.families if self.under else ()))

    @property
    def is_rgb(self) -> bool:
        return any(family in RGB_FAMILIES for family in self.families)

    @property
    def is_cmyk(self) -> bool:
        return any(family in CMYK_FAMILIES for family in self.families)


GREY = PdfColourSpace("DeviceGray")


def parse_colour_space(
    value: pikepdf.Object | None, named_spaces: pikepdf.Object | None = None, depth: int = 0
) -> PdfColourSpace:
    """Return the space that a name or an array describes. `named` is the resource dictionary of
    colour spaces."""
    if value is None or depth > DEEPEST:
        return PdfColourSpace("unknown")
    if isinstance(value, pikepdf.Name):
        word = str(value)
        if word in _DEVICE:
            return PdfColourSpace(_DEVICE[word])
        if named_spaces is not None and word in named_spaces:
            return parse_colour_space(named_spaces[word], None, depth + 1)
        return PdfColourSpace("unknown")
    if not isinstance(value, pikepdf.Array) or not len(value):
        return PdfColourSpace("unknown")
    return _parse_array_space(value, named_spaces, depth)


def _parse_array_space(
    array: pikepdf.Array, named_spaces: pikepdf.Object | None, depth: int
) -> PdfColourSpace:
    family = str(array[0])
    if family in _DEVICE:
        return parse_colour_space(pikepdf.Name(family), named_spaces, depth + 1)
    if family == "/ICCBased" and len(array) > 1:
        return PdfColourSpace(_BY_COMPONENTS.get(int(array[1].get("/N", 0)), "unknown"))
    if family in ("/Indexed", "/I") and len(array) > 1:
        return PdfColourSpace("Indexed", parse_colour_space(array[1], named_spaces, depth + 1))
    if family in ("/Separation", "/DeviceN") and len(array) > 2:
        return PdfColourSpace(family[1:], parse_colour_space(array[2], named_spaces, depth + 1))
    return PdfColourSpace(family[1:] if family in ("/CalRGB", "/CalGray", "/Lab") else "unknown")


def compute_ink_percentage(space: PdfColourSpace, parts: Sequence[float]) -> float:
    """Return the percentage of ink, all plates together. RGB colours count as 0, because their ink
    is unknown."""
    if space.family in RGB_FAMILIES or not parts:
        return 0.0
    if space.family in ("DeviceGray", "CalGray", "ICC grey"):
        return (1 - parts[0]) * 100
    return sum(parts) * 100  # CMYK; tints of spot colours are plates of their own


def iter_shading_colours(shading: pikepdf.Object) -> Iterator[tuple[float, ...]]:
    """Yield the colours at the ends of a shading's pieces. No colour between two ends is darker
    than both."""
    function = shading.get("/Function")
    functions = list(function) if isinstance(function, pikepdf.Array) else [function]
    while functions:
        piece = functions.pop()
        if piece is None:
            continue
        functions += list(piece.get("/Functions", []))
        for key in ("/C0", "/C1"):
            if key in piece:
                yield tuple(float(part) for part in piece[key])

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
class Space:
    """A colour space: its family and the spaces it is based on (base, alternate)."""

    family: str
    under: Space | None = None

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


GREY = Space("DeviceGray")


def space_of(value: pikepdf.Object | None, named: pikepdf.Object | None = None, depth: int = 0) -> Space:
    """Return the space that a name or an array describes. `named` is the resource dictionary of
    colour spaces."""
    if value is None or depth > DEEPEST:
        return Space("unknown")
    if isinstance(value, pikepdf.Name):
        word = str(value)
        if word in _DEVICE:
            return Space(_DEVICE[word])
        if named is not None and word in named:
            return space_of(named[word], None, depth + 1)
        return Space("unknown")
    if not isinstance(value, pikepdf.Array) or not len(value):
        return Space("unknown")
    return _array_space(value, named, depth)


def _array_space(array: pikepdf.Array, named: pikepdf.Object | None, depth: int) -> Space:
    family = str(array[0])
    if family in _DEVICE:
        return space_of(pikepdf.Name(family), named, depth + 1)
    if family == "/ICCBased" and len(array) > 1:
        return Space(_BY_COMPONENTS.get(int(array[1].get("/N", 0)), "unknown"))
    if family in ("/Indexed", "/I") and len(array) > 1:
        return Space("Indexed", space_of(array[1], named, depth + 1))
    if family in ("/Separation", "/DeviceN") and len(array) > 2:
        return Space(family[1:], space_of(array[2], named, depth + 1))
    return Space(family[1:] if family in ("/CalRGB", "/CalGray", "/Lab") else "unknown")


def ink_of(space: Space, parts: Sequence[float]) -> float:
    """Return the percentage of ink, all plates together. RGB colours count as 0, because their ink
    is unknown."""
    if space.family in RGB_FAMILIES or not parts:
        return 0.0
    if space.family in ("DeviceGray", "CalGray", "ICC grey"):
        return (1 - parts[0]) * 100
    return sum(parts) * 100  # CMYK; tints of spot colours are plates of their own


def shading_colours(shading: pikepdf.Object) -> Iterator[tuple[float, ...]]:
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

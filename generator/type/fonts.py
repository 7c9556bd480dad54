"""Fonts: what the shaper and the PDF and SVG back-ends need to know of a TrueType or OpenType file.

`font_book.py` finds them by name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path as FilePath

import uharfbuzz as hb

from playproof.generator.scene import Command
from playproof.generator.type.cff_program import build_cff_program

USUAL_HEIGHTS = (0.75, 0.22)  # of letters, in ems, where a font has none
LINING = 0.9  # of the height of capitals: lower figures are of the old style, whose 0 reads as an o


class Font:
    """One font of a file, opened on first use. Lengths are thousandths of an em, y upwards.

    ``index`` is its number in a collection; ``axes`` are the places on the axes of a variable font.
    """

    def __init__(
        self, key: str, path: FilePath, index: int = 0, axes: Mapping[str, float] | None = None
    ) -> None:
        self.key = key
        self.path = path
        self.index = index
        self.axes = dict(axes or {})
        self._advances: dict[int, float] = {}

    def __repr__(self) -> str:
        return f"Font({self.key!r})"

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def face(self) -> hb.Face:
        return hb.Face(self.data, self.index)

    @cached_property
    def hb_font(self) -> hb.Font:
        font = hb.Font(self.face)
        if self.axes:
            font.set_variations(self.axes)
        return font

    @cached_property
    def has_cubic_outlines(self) -> bool:
        """Whether its outlines are PostScript's (CFF), not TrueType's."""
        return not {"CFF ", "CFF2"}.isdisjoint(self.face.table_tags)

    @cached_property
    def _may_lack_outlines(self) -> bool:
        """Whether glyphs may be pictures or layers of colours alone."""
        return not {"CBDT", "sbix", "SVG ", "COLR", "EBDT"}.isdisjoint(self.face.table_tags)

    @cached_property
    def thousandths_per_font_unit(self) -> float:
        """Thousandths of an em in one font unit."""
        return 1000 / int(self.face.upem)

    @cached_property
    def codepoints(self) -> frozenset[int]:
        """The code points that the font draws."""
        return frozenset(self.face.unicodes)

    @cached_property
    def has_ascii(self) -> bool:
        """Whether it draws all of ASCII."""
        return all(self.has_char(chr(code)) for code in range(33, 127))

    def has_char(self, char: str) -> bool:
        """Return whether the font draws a character by an outline. A picture or colours alone are none."""
        if ord(char) not in self.codepoints:
            return False
        return not self._may_lack_outlines or char.isspace() or bool(self.get_outline(self.get_glyph(char)))

    def get_glyph(self, char: str) -> int:
        """Return the glyph of a character, or 0."""
        return int(self.hb_font.get_nominal_glyph(ord(char)) or 0)

    @cached_property
    def letter_heights(self) -> tuple[float, float]:
        """How far tall letters (d) rise above the baseline, and hanging ones (p) reach below it, in ems."""
        if not {ord("d"), ord("p")} <= self.codepoints:  # signs alone
            return USUAL_HEIGHTS
        tall, hanging = (self.hb_font.get_glyph_extents(self.get_glyph(char)) for char in "dp")
        if tall is None or hanging is None or not tall.y_bearing:  # letters that are pictures
            return USUAL_HEIGHTS
        unit = self.thousandths_per_font_unit / 1000
        return tall.y_bearing * unit, -(hanging.y_bearing + hanging.height) * unit

    def _get_metric(self, tag: str, default: float) -> float:
        value = self.hb_font.get_metric_position(hb.OTMetricsTag[tag])
        return value * self.thousandths_per_font_unit if value else default

    @cached_property
    def ascent(self) -> float:
        return float(self.hb_font.get_font_extents("ltr").ascender) * self.thousandths_per_font_unit

    @cached_property
    def descent(self) -> float:
        """How far letters reach below the baseline, as a positive number."""
        return -float(self.hb_font.get_font_extents("ltr").descender) * self.thousandths_per_font_unit

    @cached_property
    def cap_height(self) -> float:
        return self._get_metric("CAP_HEIGHT", 660.0)

    @cached_property
    def underline(self) -> tuple[float, float]:
        """How deep below the baseline a line under letters runs, and how thick it is, in ems."""
        depth = -self._get_metric("UNDERLINE_OFFSET", -100.0) / 1000
        return depth, max(self._get_metric("UNDERLINE_SIZE", 50.0) / 1000, 0.01)

    @cached_property
    def has_lining_figures(self) -> bool:
        """Whether its figures are as high as capitals, by default or by the feature ``lnum``."""
        features = self.face.get_language_feature_tags("GSUB", 0)  # of its first script
        return "lnum" in features or self._measure_char_height("0") >= LINING * self._measure_char_height("H")

    def _measure_char_height(self, char: str) -> float:
        extents = self.hb_font.get_glyph_extents(self.hb_font.get_nominal_glyph(ord(char)) or 0)
        return float(extents.y_bearing) if extents else 0.0

    @cached_property
    def bounds(self) -> tuple[int, int, int, int]:
        """The box that holds every glyph (left, bottom, right, top), read from the ``head``
        table."""
        head = bytes(self.face.reference_table("head").data)
        corners = [int.from_bytes(head[at : at + 2], "big", signed=True) for at in (36, 38, 40, 42)]
        left, bottom, right, top = (round(corner * self.thousandths_per_font_unit) for corner in corners)
        return (left, bottom, right, top)

    @cached_property
    def postscript_name(self) -> str:
        name = self.face.get_name(hb.OTNameIdPredefined.POSTSCRIPT_NAME)
        return str(name or self.key).replace(" ", "")

    @cached_property
    def family(self) -> str:
        """The name of the family, as the file says it."""
        names = hb.OTNameIdPredefined
        return str(
            self.face.get_name(names.TYPOGRAPHIC_FAMILY) or self.face.get_name(names.FONT_FAMILY) or self.key
        )

    def get_advance(self, glyph: int) -> float:
        width = self._advances.get(glyph)
        if width is None:
            width = self._advances[glyph] = (
                self.hb_font.get_glyph_h_advance(glyph) * self.thousandths_per_font_unit
            )
        return width

    def get_outline(self, glyph: int) -> tuple[Command, ...]:
        """Return the glyph's shape, y upwards, with quadratic curves raised to cubic."""
        pen = _OutlineCollector(self.thousandths_per_font_unit)
        pen.collect_outline(self.hb_font, glyph)
        return tuple(pen.commands)

    def build_subset(self, glyphs: Iterable[int]) -> bytes:
        """Return a font program with only these glyphs, which keep their numbers: a TrueType file, or bare CFF if its
        outlines are cubic. A variable font becomes one that varies no more."""
        if self.has_cubic_outlines:
            return build_cff_program(self, sorted(glyphs))
        wanted = hb.SubsetInput()
        wanted.sets(hb.SubsetInputSets.GLYPH_INDEX).set(set(glyphs))
        wanted.flags = (
            hb.SubsetFlags.RETAIN_GIDS
            | hb.SubsetFlags.NO_HINTING
            | hb.SubsetFlags.NOTDEF_OUTLINE
            | hb.SubsetFlags.NO_LAYOUT_CLOSURE
        )
        for tag in ("GSUB", "GPOS", "GDEF", "name", "OS/2", "post", "cmap", "DSIG", "STAT", "kern"):
            wanted.sets(hb.SubsetInputSets.DROP_TABLE_TAG).add(int.from_bytes(tag.ljust(4).encode(), "big"))
        if self.face.has_var_data:
            wanted.pin_all_axes_to_default(self.face)
            for axis, place in self.axes.items():
                wanted.pin_axis_location(self.face, axis, place)
        return bytes(hb.subset(self.face, wanted).blob.data)


class _OutlineCollector:
    """Collects a glyph's contours as path commands."""

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self.commands: list[Command] = []
        self._at = (0.0, 0.0)

    def collect_outline(self, font: hb.Font, glyph: int) -> None:
        funcs = hb.DrawFuncs()
        funcs.set_move_to_func(lambda x, y, _: self._append_command("M", x, y))
        funcs.set_line_to_func(lambda x, y, _: self._append_command("L", x, y))
        funcs.set_cubic_to_func(lambda *points: self._append_command("C", *points[:6]))
        funcs.set_quadratic_to_func(lambda cx, cy, x, y, _: self._append_quadratic(cx, cy, x, y))
        funcs.set_close_path_func(lambda _: self.commands.append(("Z", ())))
        font.draw_glyph(glyph, funcs, None)

    def _append_command(self, letter: str, *points: float) -> None:
        self._at = (points[-2], points[-1])
        self.commands.append((letter, tuple(point * self.unit for point in points)))

    def _append_quadratic(self, cx: float, cy: float, x: float, y: float) -> None:
        ax, ay = self._at
        self._append_command(
            "C",
            ax + (cx - ax) * 2 / 3,
            ay + (cy - ay) * 2 / 3,
            x + (cx - x) * 2 / 3,
            y + (cy - y) * 2 / 3,
            x,
            y,
        )

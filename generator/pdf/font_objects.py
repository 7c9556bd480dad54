"""Fonts in the PDF: composite fonts addressed by glyph number, subset and embedded, and the invisible fonts
that say a picture's name as text."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping

from playproof.generator.lazy_dict import LazyDict
from playproof.generator.pdf.objects import (
    LEVEL,
    Name,
    PdfFileBuilder,
    Raw,
    Reference,
    Stream,
    Value,
    build_compressed_stream,
)
from playproof.generator.scene import MM_PER_PT, Pieces, Pt, ShapedText
from playproof.generator.type.fonts import Font

# Fonts in the PDF: composite fonts addressed by glyph number, subset and embedded, with a map back to text.

# Gaps wider than this (thousandths of an em) hold a space character, so that text copies with its
# spaces.
SPACE_FROM = 100


class PdfFont:
    """One font. It writes shapes as text operators and remembers them, and it embeds the glyphs
    that a document shows."""

    def __init__(self, font: Font, name: str) -> None:
        self.name = name
        self._font = font
        self._shown = LazyDict(self._create_cache_of_formatted_shapes)  # shapes as they are shown, by size
        self._last: tuple[tuple[int, ...], int, bytes] = ((), 0, b"")
        space = font.hb_font.get_nominal_glyph(0x20)
        self._space = int(space) if space is not None else None
        self._wide = font.get_glyph_advance_in_thousandths(self._space) if self._space is not None else 0.0
        self._gaps: dict[int, str] = {}  # by how much less than a space's own width they are

    def format_tj_array_of_line(self, pieces: Pieces, size: Pt) -> str:
        """Return the content of a TJ array that shows the pieces of a line (`Glyphs`) from its
        start."""
        scale = 1000 / (size * MM_PER_PT)
        encoded = self._shown[size]
        parts: list[str] = []
        at = last = 0.0
        between = ""
        for place, shape in pieces:
            start = place * scale
            gap = start - at
            if not -1e-6 < gap - last < 1e-6:  # all gaps of a line are alike, commonly
                last, between = gap, self._format_gap_as_space_glyph_or_offset(gap) if abs(gap) >= 0.5 else ""
            parts.append(between + encoded[shape])
            at = start + shape.width
        return "".join(parts).replace("><", "")

    def _create_cache_of_formatted_shapes(self, type_size: Pt) -> LazyDict[ShapedText, str]:
        """Return the remembered shapes of one size. The size matters only for glyphs that are
        raised or lowered."""
        return LazyDict(
            lambda shape: (
                self._format_shape_glyph_by_glyph(shape, type_size)
                if shape.offsets
                else self._format_shape_with_kerning(shape)
            )
        )

    def _format_gap_as_space_glyph_or_offset(self, gap: float) -> str:
        if gap < SPACE_FROM or self._space is None:
            return f"{-gap:.0f}"
        less = round(self._wide - gap)
        text = self._gaps.get(less)
        if text is None:
            text = self._gaps[less] = f"<{self._space:04x}>" + (str(less) if less else "")
        return text

    def _format_shape_with_kerning(self, shape: ShapedText) -> str:
        """Return glyph numbers in hexadecimal, with an adjustment after each glyph whose advance is
        not the font's own (kerning)."""
        parts = ["<"]
        for glyph, advance in zip(shape.glyphs, shape.advances, strict=True):
            parts.append(f"{glyph:04x}")
            kern = self._font.get_glyph_advance_in_thousandths(glyph) - advance
            if abs(kern) >= 0.5:
                parts.append(f">{kern:.0f}<")
        parts.append(">")
        shown = "".join(parts).replace("<>", "")
        return shown if shown.endswith(">") else f"{shown} "  # what follows may be a number too

    def _format_shape_glyph_by_glyph(self, shape: ShapedText, type_size: float) -> str:
        """Write each glyph by itself, for marks that do not sit at the pen. Spaces stand between numbers, also
        before the first and after the last: what comes before and after may be a number too."""
        parts: list[str] = []
        for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, shape.offsets, strict=True):
            back = self._font.get_glyph_advance_in_thousandths(glyph) - advance + right
            rise = f"] TJ {up / 1000 * type_size:.3f} Ts [ " if up else ""
            parts.append(f"{rise}{-right:.0f} <{glyph:04x}> {back:.0f}{' ] TJ 0 Ts [' if up else ''}")
        return f" {' '.join(parts)} "

    def embed_subset_for_shapes(
        self, document: PdfFileBuilder, font_reference: Reference, shapes: Iterable[ShapedText]
    ) -> None:
        """Put the subset that these shapes need at ``font_reference``, which is the font's in this
        document."""
        texts = self._map_shown_glyphs_to_texts(shapes)
        length, data = self._get_subset_length_and_compressed_bytes(tuple(texts))
        base = Name(f"{_build_six_letter_subset_tag(self._font.key, tuple(texts), data)}+{self._font.postscript_name}")
        # Bare CFF names glyphs by their numbers; TrueType is told to (PDF 32000-1, 9.7.4.2).
        is_cff = self._font.has_cubic_outlines
        about: dict[str, Value] = {"Subtype": Name("CIDFontType0C")} if is_cff else {"Length1": length}
        file = document.add_object_and_get_reference(Stream({**about, "Filter": Name("FlateDecode")}, data))
        mapped: dict[str, Value] = {} if is_cff else {"CIDToGIDMap": Name("Identity")}
        descendant = document.add_object_and_get_reference(
            {
                "Type": Name("Font"),
                "Subtype": Name("CIDFontType0" if is_cff else "CIDFontType2"),
                "BaseFont": base,
                "CIDSystemInfo": {"Registry": "Adobe", "Ordering": "Identity", "Supplement": 0},
                "FontDescriptor": document.add_object_and_get_reference(self._build_font_descriptor(base, file)),
                "W": self._format_glyph_widths(texts),
                **mapped,
            }
        )
        document.fill_reserved_object(
            font_reference,
            {
                "Type": Name("Font"),
                "Subtype": Name("Type0"),
                "BaseFont": base,
                "Encoding": Name("Identity-H"),
                "DescendantFonts": [descendant],
                "ToUnicode": document.add_object_and_get_reference(_build_to_unicode_map(texts, 4)),
            },
        )

    def _get_subset_length_and_compressed_bytes(self, glyphs: tuple[int, ...]) -> tuple[int, bytes]:
        """Return the subset's length and its compressed bytes. The last subset is remembered for a
        rebuild with the same glyphs."""
        if self._last[0] != glyphs:
            data = self._font.build_font_program_of_glyphs({0, *glyphs})
            self._last = (glyphs, len(data), zlib.compress(data, LEVEL))
        return self._last[1:]

    def _map_shown_glyphs_to_texts(self, shapes: Iterable[ShapedText]) -> dict[int, str]:
        """Return each glyph shown with its text, in order; a glyph with several texts has the least
        of them that is not empty."""
        texts: dict[int, str] = {self._space: " "} if self._space is not None else {}
        for shape in shapes:
            for glyph, text in zip(shape.glyphs, shape.chars, strict=True):
                earlier = texts.get(glyph)
                if not earlier or (text and text < earlier):
                    texts[glyph] = text
        return dict(sorted(texts.items()))

    def _build_font_descriptor(self, font_name: Name, font_file: Reference) -> Value:
        font = self._font
        return {
            "Type": Name("FontDescriptor"),
            "FontName": font_name,
            "Flags": 4,  # symbolic: the font brings its own encoding
            "FontBBox": font.bounds,
            "ItalicAngle": -12 if "italic" in font.key else 0,
            "Ascent": round(font.ascent),
            "Descent": -round(font.descent),
            "CapHeight": round(font.cap_height),
            "StemV": 120 if "bold" in font.key else 80,
            "FontFile3" if font.has_cubic_outlines else "FontFile2": font_file,
        }

    def _format_glyph_widths(self, glyphs: Iterable[int]) -> Raw:
        """Return the advances as raw PDF text, because hundreds of small arrays would be slow."""
        items = (f"{glyph} [{round(self._font.get_glyph_advance_in_thousandths(glyph), 2):g}]" for glyph in glyphs)
        return Raw(f"[{' '.join(items)}]".encode())


def _build_to_unicode_map(texts_by_code: Mapping[int, str], hex_digits: int) -> Stream:
    """Return the text of each code of a font, whose codes have so many digits (PDF 32000-1, 9.10.3)."""
    lines = [
        f"<{code:0{hex_digits}x}> <{text.encode('utf-16-be').hex()}>" for code, text in texts_by_code.items() if text
    ]
    blocks = [
        f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar"
        for block in (lines[at : at + 100] for at in range(0, len(lines), 100))
    ]
    codes = f"1 begincodespacerange <{'0' * hex_digits}> <{'f' * hex_digits}> endcodespacerange\n"
    return build_compressed_stream((CMAP_START + codes + "\n".join(blocks) + CMAP_END).encode())


CMAP_START = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap
/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def
/CMapName /Adobe-Identity-UCS def /CMapType 2 def
"""
CMAP_END = """
endcmap CMapName currentdict /CMap defineresource pop end end
"""


def _build_six_letter_subset_tag(font_key: str, glyphs: tuple[int, ...], subset_bytes: bytes) -> str:
    """Return six capital letters that identify this subset (PDF 32000-1, 9.6.4), the same in every
    build. Another version of the font file has another tag: programs that join files go by it."""
    digest = hashlib.sha256(repr((font_key, glyphs)).encode() + subset_bytes).digest()
    return "".join(chr(65 + byte % 26) for byte in digest[:6])


# -- picture names -------------------------------------------------------------------------------------------
# Names of pictures as text: one font per name, with one glyph that draws nothing and stands for the whole
# name.

# Readers guess the size of a Type 3 font by its x, which in letters is half as wide as the type is
# large; and by a glyph's width what gap after it is a space. Both come out right for an x as wide
# as its font, at half the size of the type beside it (tried with PDFium and Poppler on the cards of
# Playproof).
CODE, GLYPH = "78", "x"
SIZE = 0.5  # of the type beside it
BOX = (0, -500, 1000, 1800)  # thousandths of that, so as deep and as high as letters commonly are


def build_font_resource_name_of_spoken_name(spoken_name: str) -> str:
    """Return the name of the font in content streams, the same in every file."""
    return "N" + hashlib.sha256(spoken_name.encode()).hexdigest()[:10]


def put_one_glyph_font_of_spoken_name(spoken_name: str, document: PdfFileBuilder, font_reference: Reference) -> None:
    """Put at `font_reference` the Type 3 font (9.6.5) whose one glyph stands for the name."""
    glyph = Stream({}, f"{BOX[2]} 0 {' '.join(map(str, BOX))} d1".encode())
    document.fill_reserved_object(
        font_reference,
        {
            "Type": Name("Font"),
            "Subtype": Name("Type3"),
            "FontBBox": BOX,
            "FontMatrix": Raw(b"[0.001 0 0 0.001 0 0]"),
            "CharProcs": {GLYPH: document.add_object_and_get_reference(glyph)},
            "Encoding": {"Type": Name("Encoding"), "Differences": [int(CODE, 16), Name(GLYPH)]},
            "FirstChar": int(CODE, 16),
            "LastChar": int(CODE, 16),
            "Widths": [BOX[2]],
            "Resources": {},
            "ToUnicode": document.add_object_and_get_reference(_build_to_unicode_map({int(CODE, 16): spoken_name}, 2)),
        },
    )

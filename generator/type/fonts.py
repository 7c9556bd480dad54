"""Fonts: what the shaper and the PDF and SVG back-ends need to know of a font file, and the fonts of
folders, by name."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, lru_cache
from pathlib import Path as FilePath
from typing import TYPE_CHECKING

import uharfbuzz as hb

from playproof.database.errors import (
    Finding,
    Where,
    make_nearest_or_possible_words_hint,
    make_path_relative_to_working_folder,
)
from playproof.generator.scene import Command

# Fonts: what the shaper and the PDF and SVG back-ends need to know of a TrueType or OpenType file.

USUAL_HEIGHTS = (0.75, 0.22)  # of letters, in ems, where a font has none
LINING = 0.9  # of the height of capitals: lower figures are of the old style, whose 0 reads as an o


class Font:
    """One font of a file, opened on first use. Lengths are thousandths of an em, y upwards.

    ``index`` is its number in a collection; ``axes`` are the places on the axes of a variable font.
    """

    def __init__(self, key: str, path: FilePath, index: int = 0, axes: Mapping[str, float] | None = None) -> None:
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
    def may_lack_outlines(self) -> bool:
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
        return all(self.has_outline_for_character(chr(code)) for code in range(33, 127))

    def has_outline_for_character(self, character: str) -> bool:
        """Return whether the font draws a character by an outline. A picture or colours alone are none."""
        if ord(character) not in self.codepoints:
            return False
        return (
            not self.may_lack_outlines
            or character.isspace()
            or bool(self.get_glyph_outline(self.get_glyph_number_of_character_or_zero(character)))
        )

    def get_glyph_number_of_character_or_zero(self, character: str) -> int:
        """Return the glyph of a character, or 0."""
        return int(self.hb_font.get_nominal_glyph(ord(character)) or 0)

    @cached_property
    def ascender_and_descender_height_in_ems(self) -> tuple[float, float]:
        """How far tall letters (d) rise above the baseline, and hanging ones (p) reach below it, in ems."""
        if not {ord("d"), ord("p")} <= self.codepoints:  # signs alone
            return USUAL_HEIGHTS
        tall, hanging = (
            self.hb_font.get_glyph_extents(self.get_glyph_number_of_character_or_zero(char)) for char in "dp"
        )
        if tall is None or hanging is None or not tall.y_bearing:  # letters that are pictures
            return USUAL_HEIGHTS
        unit = self.thousandths_per_font_unit / 1000
        return tall.y_bearing * unit, -(hanging.y_bearing + hanging.height) * unit

    def _get_metric_in_thousandths_or_default(self, tag: str, default: float) -> float:
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
        return self._get_metric_in_thousandths_or_default("CAP_HEIGHT", 660.0)

    @cached_property
    def underline(self) -> tuple[float, float]:
        """How deep below the baseline a line under letters runs, and how thick it is, in ems."""
        depth = -self._get_metric_in_thousandths_or_default("UNDERLINE_OFFSET", -100.0) / 1000
        return depth, max(self._get_metric_in_thousandths_or_default("UNDERLINE_SIZE", 50.0) / 1000, 0.01)

    @cached_property
    def has_lining_figures(self) -> bool:
        """Whether its figures are as high as capitals, by default or by the feature ``lnum``."""
        features = self.face.get_language_feature_tags("GSUB", 0)  # of its first script
        return "lnum" in features or self._measure_character_height_in_font_units(
            "0"
        ) >= LINING * self._measure_character_height_in_font_units("H")

    def _measure_character_height_in_font_units(self, char: str) -> float:
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
        return str(self.face.get_name(names.TYPOGRAPHIC_FAMILY) or self.face.get_name(names.FONT_FAMILY) or self.key)

    def get_glyph_advance_in_thousandths(self, glyph: int) -> float:
        width = self._advances.get(glyph)
        if width is None:
            width = self._advances[glyph] = self.hb_font.get_glyph_h_advance(glyph) * self.thousandths_per_font_unit
        return width

    def get_glyph_outline(self, glyph: int) -> tuple[Command, ...]:
        """Return the glyph's shape, y upwards, with quadratic curves raised to cubic."""
        pen = _OutlineCollector(self.thousandths_per_font_unit)
        pen.collect_glyph_outline(self.hb_font, glyph)
        return tuple(pen.commands)

    def build_font_program_of_glyphs(self, glyphs: Iterable[int]) -> bytes:
        """Return a font program with only these glyphs, which keep their numbers: a TrueType file, or bare CFF if its
        outlines are cubic. A variable font becomes one that varies no more."""
        if self.has_cubic_outlines:
            return build_cff_program_of_glyphs(self, sorted(glyphs))
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

    def collect_glyph_outline(self, font: hb.Font, glyph: int) -> None:
        funcs = hb.DrawFuncs()
        funcs.set_move_to_func(lambda x, y, _: self._append_scaled_command("M", x, y))
        funcs.set_line_to_func(lambda x, y, _: self._append_scaled_command("L", x, y))
        funcs.set_cubic_to_func(lambda *points: self._append_scaled_command("C", *points[:6]))
        funcs.set_quadratic_to_func(lambda cx, cy, x, y, _: self._append_quadratic_as_cubic(cx, cy, x, y))
        funcs.set_close_path_func(lambda _: self.commands.append(("Z", ())))
        font.draw_glyph(glyph, funcs, None)

    def _append_scaled_command(self, letter: str, *points: float) -> None:
        self._at = (points[-2], points[-1])
        self.commands.append((letter, tuple(point * self.unit for point in points)))

    def _append_quadratic_as_cubic(self, cx: float, cy: float, x: float, y: float) -> None:
        ax, ay = self._at
        self._append_scaled_command(
            "C", ax + (cx - ax) * 2 / 3, ay + (cy - ay) * 2 / 3, x + (cx - x) * 2 / 3, y + (cy - y) * 2 / 3, x, y
        )


# -- font book -----------------------------------------------------------------------------------------------
# The fonts of folders, by name.

FONT_FOLDER = FilePath(__file__).resolve().parents[2] / "layouts" / "fonts"
FONT_FILES = (".ttf", ".otf", ".ttc", ".otc", ".woff", ".woff2")
_READABLE = (b"\x00\x01\x00\x00", b"true", b"OTTO", b"ttcf")
"""What files begin with that hold TrueType, OpenType and a collection of either."""
_REGULAR, _BOLD, _BOLD_FROM = 400.0, 700.0, 600.0
"""Weights of cuts, and the least that passes for bold."""
_CUTS = {
    (True, True): ("bolditalic", "bold", "italic", "regular"),
    (True, False): ("bold", "regular"),
    (False, True): ("italic", "regular"),
    (False, False): ("regular", "bold"),
}
FALLBACKS = ("alegreya", "alegreyasans", "notoserifhebrew")
"""The families that supply letters which the text's own font and the game's others lack. Alegreya draws Latin (Polish
and Vietnamese too), Greek and Cyrillic."""
SIGNS = ("notosanssymbols", "notoemoji")
"""The families that supply signs: suits, stars, checks, arrows, dice; then all emoji, in one colour."""


CJK_PACKAGE, CJK_FILE = "noto_cjk_sans_otc", "NotoSansCJK-Regular.ttc"
"""The package of the extra `cjk`, and its file: a collection with a font for each way to write Han letters."""
CJK_FAMILIES = {
    "zh": "notosanscjksc", "ja": "notosanscjkjp", "ko": "notosanscjkkr", "zh-tw": "notosanscjktc",
    "zh-hant": "notosanscjktc", "zh-hk": "notosanscjkhk",
}  # fmt: skip
"""The families of that collection, by the language of a game: the same letter has other strokes in each."""


class UnknownFont(KeyError):
    """No font has this key; ``keys`` lists those that exist, and ``odd`` is why a file of that name cannot be read."""

    def __init__(self, key: str, keys: Iterable[str], odd: str = "") -> None:
        super().__init__(key)
        self.key = key
        self.keys = tuple(sorted(keys))
        self.odd = odd

    def __str__(self) -> str:
        family, _, cut = self.key.rpartition("-")
        cuts = [
            key.rpartition("-")[2]
            for key in self.keys
            if key.rpartition("-")[0] == normalise_family_name_for_key(family)
        ]
        if self.odd:
            return self.odd
        if cuts:
            return f"the family has {' and '.join(cuts)}, and no {cut}"
        families = list(dict.fromkeys(key.rpartition("-")[0] for key in self.keys))
        return make_nearest_or_possible_words_hint(family, families)


class FontBook:
    """The fonts of folders, by key. Those of a game (``own``) win over those of all games. Of the families for Han
    letters, that of the first of the ``languages`` that has one is asked first."""

    def __init__(self, *folders: FilePath, own: FilePath | None = None, languages: Sequence[str] = ()) -> None:
        self.fonts: dict[str, Font] = {}
        self.own: dict[str, None] = {}  # the families of the game, by name
        self.odd: dict[FilePath, str] = {}  # files that are no fonts, and why
        for folder in folders:
            for path in sorted(folder.glob("*.ttf")):
                key = _build_font_key_from_file_name(path)
                self.fonts[key] = Font(key, path)
        self.fonts |= {font.key: font for font in _load_cjk_fonts()}
        spoken = [family for code in languages if (family := find_cjk_family_of_language_or_empty(code))]
        self.han = tuple(dict.fromkeys((*spoken, *CJK_FAMILIES.values())))  # the families, the most fitting first
        if own is not None and own.is_dir():
            self._add_game_fonts_and_note_unreadable(own)

    def __getitem__(self, key: str) -> Font:
        try:
            return self.fonts[key]
        except KeyError:
            raise UnknownFont(key, self.fonts, self._explain_unreadable_family_file_or_empty(key)) from None

    def __contains__(self, key: object) -> bool:
        return key in self.fonts

    def get_key_of_nearest_cut_or_missing_key(self, family: str, bold: bool, italic: bool) -> str:
        """Return the key of a family's cut, or of the nearest it has; of one that does not exist if it has none."""
        spellings = dict.fromkeys((family.lower(), normalise_family_name_for_key(family)))
        keys = [f"{name}-{cut}" for name in spellings for cut in _CUTS[bold, italic]]
        return next((key for key in keys if key in self.fonts), keys[0])

    def iter_fallback_fonts_game_fonts_first(self, wanted_cut: str) -> Iterator[Font]:
        """Yield the fonts for letters that a font lacks: the game's own, then FALLBACKS, then those for Han letters. Of
        each family the same cut, then the same weight, then regular."""
        for family in (*self.own, *FALLBACKS, *self.han):
            weight = "bold" if "bold" in wanted_cut else "regular"
            for key in dict.fromkeys((f"{family}-{wanted_cut}", f"{family}-{weight}", f"{family}-regular")):
                if key in self.fonts:
                    yield self.fonts[key]

    def iter_sign_fonts(self) -> Iterator[Font]:
        """Yield the fonts for signs that no other font has."""
        yield from (self.fonts[key] for family in SIGNS if (key := f"{family}-regular") in self.fonts)

    def iter_unreadable_font_file_warnings(self) -> Iterator[Finding]:
        """Yield a warning for each file of the game that is no font. Nothing uses it: that would be an error."""
        for path, why in self.odd.items():
            yield Finding("PP521", Where(make_path_relative_to_working_folder(path), 0), why, _CONVERT, "warning")

    def _add_game_fonts_and_note_unreadable(self, folder: FilePath) -> None:
        named: dict[str, tuple[float, Font]] = {}  # by key, the font nearest to the weight of its cut
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() not in FONT_FILES or not path.is_file():
                continue
            why = _explain_unreadable_font_file_or_empty(path)
            if why:
                self.odd[path] = why
                continue
            key = _build_font_key_from_file_name(path)
            self.fonts[key] = Font(key, path)
            for distance, font in _iter_weight_distances_and_fonts_of_file(path):
                if font.key not in named or distance < named[font.key][0]:
                    named[font.key] = (distance, font)
        for key, (_, font) in named.items():
            self.own[key.rpartition("-")[0]] = None
            if key not in self.fonts or self.fonts[key].path.parent != folder:
                self.fonts[key] = font

    def _explain_unreadable_family_file_or_empty(self, font_key: str) -> str:
        wanted = normalise_family_name_for_key(font_key.rpartition("-")[0])
        return next(
            (
                f"{why}; {_CONVERT}"
                for path, why in self.odd.items()
                if wanted in normalise_family_name_for_key(path.stem)
            ),
            "",
        )


_CONVERT = "convert it, or take the family's TrueType or OpenType files"


def normalise_family_name_for_key(name: str) -> str:
    """Return a family's name as keys have it.

    >>> normalise_family_name_for_key("Noto Sans JP")
    'notosansjp'
    """
    return "".join(char for char in name.casefold() if char not in " -_")


def find_family_that_draws_letters(book: FontBook, family: str, is_bold: bool, letters: Collection[str]) -> str:
    """Return the family if its cut draws all of the letters, else the one among those that supply letters which draws
    the most of them."""

    def count_drawn(name: str) -> int:
        font = book[book.get_key_of_nearest_cut_or_missing_key(name, is_bold, False)]
        return sum(map(font.has_outline_for_character, letters))

    others = [name for name in (*FALLBACKS, *book.han) if f"{name}-regular" in book]
    return family if count_drawn(family) == len(letters) else max((family, *others), key=count_drawn)


def _build_font_key_from_file_name(path: FilePath) -> str:
    key = path.stem.lower()
    return key if "-" in key else f"{key}-regular"  # a family of one font names no cut


def _explain_unreadable_font_file_or_empty(path: FilePath) -> str:
    """Return why a file is no font that can be printed, or ""."""
    data = path.read_bytes()
    if data[:4] not in _READABLE:
        return f"{path.name}: expected a TrueType or OpenType font, found something else"
    try:
        face = hb.Face(data)
    except hb.HarfBuzzError:
        return f"{path.name}: this font cannot be read"
    if not face.glyph_count or not face.upem or not face.unicodes:
        return f"{path.name}: this font has no characters"
    return ""


def _iter_weight_distances_and_fonts_of_file(path: FilePath) -> Iterator[tuple[float, Font]]:
    """Yield the fonts of a file by the names in it, and how far the weight of each is from that of its cut."""
    face = hb.Face(path.read_bytes())
    for index in range(max(1, face.count)):
        font = Font("", path, index)
        axes = {axis.tag: axis for axis in font.face.axis_infos} if font.face.has_var_data else {}
        family, slanted = (normalise_family_name_for_key(font.family), _list_italic_flags_with_axis_values(font, axes))
        if "wght" in axes:
            least, most = axes["wght"].min_value, axes["wght"].max_value
            weights = [min(max(_REGULAR, least), most), *([min(_BOLD, most)] if most >= _BOLD_FROM else [])]
        else:
            weights = [float(font.hb_font.get_style_value(hb.StyleTag.WEIGHT))]
        for weight in weights:
            for italic, tilt in slanted:
                bold = weight >= _BOLD_FROM
                places = tilt | ({"wght": weight} if "wght" in axes else {})
                cut = ("bold" if bold else "") + ("italic" if italic else "") or "regular"
                named = Font(f"{family}-{cut}", path, index, places)
                yield abs(weight - (_BOLD if bold else _REGULAR)), named


def _list_italic_flags_with_axis_values(
    font: Font, axes: dict[str, hb.OTVarAxisInfo]
) -> list[tuple[bool, dict[str, float]]]:
    """Return whether a font is italic; for one with an axis for that, upright and italic with their places."""
    subfamily = str(font.face.get_name(hb.OTNameIdPredefined.FONT_SUBFAMILY) or "").lower()
    if "italic" in subfamily or "oblique" in subfamily:
        return [(True, {})]
    if "ital" in axes and axes["ital"].max_value >= 1:
        return [(False, {}), (True, {"ital": 1.0})]
    if "slnt" in axes and axes["slnt"].min_value < 0:
        return [(False, {}), (True, {"slnt": axes["slnt"].min_value})]
    return [(False, {})]


def load_project_and_game_fonts(looks_folder: FilePath, languages: Sequence[str] = ()) -> FontBook:
    """Return the fonts for a game's looks: the project's own and those of the game's `fonts/`, which win."""
    own = looks_folder / "fonts"
    writes_han = any(map(find_cjk_family_of_language_or_empty, languages))
    if own.is_dir() or writes_han:
        return FontBook(FONT_FOLDER, own=own, languages=languages)
    return get_fonts_of_game_in_export_or_project()


def find_cjk_family_of_language_or_empty(code: str) -> str:
    """Return the family that writes Han letters as a language does, "" for one that has none.

    >>> find_cjk_family_of_language_or_empty("zh-TW")
    'notosanscjktc'
    """
    word = code.lower().replace("_", "-")
    return CJK_FAMILIES.get(word) or CJK_FAMILIES.get(word.partition("-")[0], "")


def find_cjk_font_file_or_none() -> FilePath | None:
    """Return the file that the extra `cjk` brings, None without it."""
    spec = importlib.util.find_spec(CJK_PACKAGE)
    file = FilePath(spec.origin).parent / CJK_FILE if spec is not None and spec.origin else None
    return file if file is not None and file.is_file() else None


def _load_cjk_fonts() -> tuple[Font, ...]:
    """Return the fonts of the collection for Han letters, by their names in it; none without the extra `cjk`."""
    file = find_cjk_font_file_or_none()
    return _read_cjk_fonts_of_file(file) if file is not None else ()


@lru_cache(maxsize=2)
def _read_cjk_fonts_of_file(file: FilePath) -> tuple[Font, ...]:
    """Return the fonts. Books share them: what one has read, all have."""
    wanted, data = set(CJK_FAMILIES.values()), file.read_bytes()
    fonts = [Font("", file, index) for index in range(hb.Face(data).count)]
    for font in fonts:
        font.data = data  # one copy in memory for all of them
        font.key = f"{normalise_family_name_for_key(font.family)}-regular"
    return tuple(font for font in fonts if font.key.removesuffix("-regular") in wanted)


_of_the_game: ContextVar[FontBook | None] = ContextVar("fonts", default=None)


@contextmanager
def use_fonts_as_default_within(fonts: FontBook) -> Iterator[None]:
    """Let `get_fonts_of_game_in_export_or_project` be those of a game inside the `with` block: exports hand on faces,
    which name their fonts."""
    before = _of_the_game.set(fonts)
    try:
        yield
    finally:
        _of_the_game.reset(before)


def get_fonts_of_game_in_export_or_project() -> FontBook:
    """Return the fonts of the game that is exported, else the project's own (layouts/fonts)."""
    return _of_the_game.get() or _load_project_fonts()


@lru_cache(maxsize=1)
def _load_project_fonts() -> FontBook:
    return FontBook(FONT_FOLDER)


# -- cff program ---------------------------------------------------------------------------------------------
# A PostScript font program (CFF) of some glyphs, made from their outlines.

if TYPE_CHECKING:
    pass


def build_cff_program_of_glyphs(font: Font, glyphs: Sequence[int]) -> bytes:
    """Return the program. Glyph numbers stay; those between are blank. Units are thousandths of an em."""
    from fontTools.fontBuilder import FontBuilder  # few games bring such a font

    count = max(glyphs, default=0) + 1
    names = [".notdef", *(f"g{number}" for number in range(1, count))]
    wanted = set(glyphs)
    builder = FontBuilder(1000, isTTF=False)
    builder.setupGlyphOrder(names)
    drawings = {name: _build_cff_charstring(font, at if at in wanted else None) for at, name in enumerate(names)}
    builder.setupCFF(font.postscript_name, {}, drawings, {})
    written = io.BytesIO()
    builder.font["CFF "].cff.compile(written, builder.font, isCFF2=False)
    return written.getvalue()


def _build_cff_charstring(font: Font, glyph: int | None) -> object:
    """Return a glyph as a charstring; None draws nothing."""
    from fontTools.pens.t2CharStringPen import T2CharStringPen

    if glyph is None:
        return T2CharStringPen(0, None).getCharString()
    pen = T2CharStringPen(font.get_glyph_advance_in_thousandths(glyph), None, roundTolerance=0.01)
    is_open = False
    for letter, numbers in font.get_glyph_outline(glyph):
        points = list(zip(numbers[0::2], numbers[1::2], strict=True))
        if letter == "M":
            if is_open:
                pen.closePath()
            pen.moveTo(points[0])
            is_open = True
        elif letter == "L":
            pen.lineTo(points[0])
        elif letter == "C":
            pen.curveTo(*points)
        elif is_open:
            pen.closePath()
            is_open = False
    if is_open:
        pen.closePath()
    return pen.getCharString()

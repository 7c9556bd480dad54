"""Fonts: what the shaper and the PDF and SVG back-ends need to know of a TrueType file.

A font's key is its file's stem in lower case: ``Alegreya-BoldItalic.ttf`` is
``alegreya-bolditalic``, and ``Lobster.ttf`` is ``lobster-regular``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property, lru_cache
from pathlib import Path as FilePath

import uharfbuzz as hb

from playproof.database.errors import Collector, Where, short_path
from playproof.generator.scene import Command

FONT_FOLDER = FilePath(__file__).resolve().parents[2] / "layouts" / "fonts"


FONT_FILES = (".ttf", ".otf", ".ttc", ".woff", ".woff2")
TRUETYPE = (b"\x00\x01\x00\x00", b"true")  # what a file with quadratic outlines begins with
LINING = 0.9  # of the height of capitals: lower figures are of the old style, whose 0 reads as an o


class UnknownFont(KeyError):
    """No font has this key; ``known`` lists the keys that exist."""

    def __init__(self, key: str, keys: Iterable[str]) -> None:
        super().__init__(key)
        self.key = key
        self.keys = tuple(sorted(keys))

    def __str__(self) -> str:
        return f"no font {self.key!r}; there are {', '.join(self.keys)}"


class Font:
    """One TrueType file, opened on first use. Lengths are thousandths of an em, y upwards."""

    def __init__(self, key: str, path: FilePath) -> None:
        self.key = key
        self.path = path
        self._advances: dict[int, float] = {}

    def __repr__(self) -> str:
        return f"Font({self.key!r})"

    @cached_property
    def data(self) -> bytes:
        return self.path.read_bytes()

    @cached_property
    def face(self) -> hb.Face:
        return hb.Face(self.data)

    @cached_property
    def hb_font(self) -> hb.Font:
        return hb.Font(self.face)

    @cached_property
    def unit(self) -> float:
        """Thousandths of an em in one font unit."""
        return 1000 / int(self.face.upem)

    @cached_property
    def codepoints(self) -> frozenset[int]:
        """The code points that the font draws."""
        return frozenset(self.face.unicodes)

    def _metric(self, tag: str, otherwise: float) -> float:
        value = self.hb_font.get_metric_position(hb.OTMetricsTag[tag])
        return value * self.unit if value else otherwise

    @cached_property
    def ascent(self) -> float:
        return float(self.hb_font.get_font_extents("ltr").ascender) * self.unit

    @cached_property
    def descent(self) -> float:
        """How far letters reach below the baseline, as a positive number."""
        return -float(self.hb_font.get_font_extents("ltr").descender) * self.unit

    @cached_property
    def cap_height(self) -> float:
        return self._metric("CAP_HEIGHT", 660.0)

    @cached_property
    def lining(self) -> bool:
        """Whether its figures are as high as capitals, by default or by the feature ``lnum``."""
        features = self.face.get_language_feature_tags("GSUB", 0)  # of its first script
        return "lnum" in features or self._height("0") >= LINING * self._height("H")

    def _height(self, char: str) -> float:
        extents = self.hb_font.get_glyph_extents(self.hb_font.get_nominal_glyph(ord(char)) or 0)
        return float(extents.y_bearing) if extents else 0.0

    @cached_property
    def bounds(self) -> tuple[int, int, int, int]:
        """The box that holds every glyph (left, bottom, right, top), read from the ``head``
        table."""
        head = bytes(self.face.reference_table("head").data)
        corners = [int.from_bytes(head[at : at + 2], "big", signed=True) for at in (36, 38, 40, 42)]
        left, bottom, right, top = (round(corner * self.unit) for corner in corners)
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

    def advance(self, glyph: int) -> float:
        width = self._advances.get(glyph)
        if width is None:
            width = self._advances[glyph] = self.hb_font.get_glyph_h_advance(glyph) * self.unit
        return width

    def outline(self, glyph: int) -> tuple[Command, ...]:
        """Return the glyph's shape, y upwards, with quadratic curves raised to cubic."""
        pen = _Outline(self.unit)
        pen.draw(self.hb_font, glyph)
        return tuple(pen.commands)

    def subset(self, glyphs: Iterable[int]) -> bytes:
        """Return a TrueType file with only these glyphs, which keep their numbers."""
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
        return bytes(hb.subset(self.face, wanted).blob.data)


class _Outline:
    """Collects a glyph's contours as path commands."""

    def __init__(self, unit: float) -> None:
        self.unit = unit
        self.commands: list[Command] = []
        self._at = (0.0, 0.0)

    def draw(self, font: hb.Font, glyph: int) -> None:
        funcs = hb.DrawFuncs()
        funcs.set_move_to_func(lambda x, y, _: self._add("M", x, y))
        funcs.set_line_to_func(lambda x, y, _: self._add("L", x, y))
        funcs.set_cubic_to_func(lambda *points: self._add("C", *points[:6]))
        funcs.set_quadratic_to_func(lambda cx, cy, x, y, _: self._quadratic(cx, cy, x, y))
        funcs.set_close_path_func(lambda _: self.commands.append(("Z", ())))
        font.draw_glyph(glyph, funcs, None)

    def _add(self, letter: str, *points: float) -> None:
        self._at = (points[-2], points[-1])
        self.commands.append((letter, tuple(point * self.unit for point in points)))

    def _quadratic(self, cx: float, cy: float, x: float, y: float) -> None:
        ax, ay = self._at
        self._add(
            "C",
            ax + (cx - ax) * 2 / 3,
            ay + (cy - ay) * 2 / 3,
            x + (cx - x) * 2 / 3,
            y + (cy - y) * 2 / 3,
            x,
            y,
        )


class FontBook:
    """The fonts of one or more folders, by key."""

    def __init__(self, *folders: FilePath) -> None:
        self.fonts: dict[str, Font] = {}
        for folder in folders:
            for path in sorted(folder.glob("*.ttf")):
                key = path.stem.lower()
                key = key if "-" in key else f"{key}-regular"  # a family of one font names no cut
                self.fonts[key] = Font(key, path)

    def __getitem__(self, key: str) -> Font:
        try:
            return self.fonts[key]
        except KeyError:
            raise UnknownFont(key, self.fonts) from None

    def __contains__(self, key: object) -> bool:
        return key in self.fonts


def fonts_of(folder: FilePath) -> FontBook:
    """Return the fonts for a game's looks: the project's own and those of the game's `fonts/`,
    which win.

    Raises InputError if a font file there is not TrueType.
    """
    own = folder / "fonts"
    if not own.is_dir():
        return default_fonts()
    collector = Collector()
    for path in sorted(own.iterdir()):
        is_font = path.suffix.lower() in FONT_FILES and path.is_file()
        if is_font and (path.suffix != ".ttf" or path.read_bytes()[:4] not in TRUETYPE):
            message = f"{path.name}: expected a TrueType font (.ttf), found something else"
            hint = "convert it, or take the family's TrueType files"
            collector.add("PP521", Where(short_path(path)), message, hint)
    collector.check()
    return FontBook(FONT_FOLDER, own)


_of_the_game: ContextVar[FontBook | None] = ContextVar("fonts", default=None)


@contextmanager
def drawn_in(fonts: FontBook) -> Iterator[None]:
    """Let `default_fonts` be those of a game inside the `with` block: exports hand on faces, which name their fonts."""
    before = _of_the_game.set(fonts)
    try:
        yield
    finally:
        _of_the_game.reset(before)


def default_fonts() -> FontBook:
    """Return the fonts of the game that is exported, else the project's own (layouts/fonts)."""
    return _of_the_game.get() or _own_fonts()


@lru_cache(maxsize=1)
def _own_fonts() -> FontBook:
    return FontBook(FONT_FOLDER)

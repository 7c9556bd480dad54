"""The fonts of folders, by name.

A font's key is its file's stem in lower case: ``Alegreya-BoldItalic.ttf`` is ``alegreya-bolditalic``, and
``Lobster.ttf`` is ``lobster-regular``. A font that a game brings has a second key by the names in the file, with a
regular and a bold cut of a variable font: ``Inter[wght].ttf`` is also ``inter-regular`` and ``inter-bold``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path as FilePath

import uharfbuzz as hb

from playproof.database.errors import Finding, Where, did_you_mean, shorten_path
from playproof.generator.type.fonts import Font

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
            if key.rpartition("-")[0] == normalise_family_name(family)
        ]
        if self.odd:
            return self.odd
        if cuts:
            return f"the family has {' and '.join(cuts)}, and no {cut}"
        families = list(dict.fromkeys(key.rpartition("-")[0] for key in self.keys))
        return did_you_mean(family, families)


class FontBook:
    """The fonts of folders, by key. Those of a game (``own``) win over those of all games."""

    def __init__(self, *folders: FilePath, own: FilePath | None = None) -> None:
        self.fonts: dict[str, Font] = {}
        self.own: dict[str, None] = {}  # the families of the game, by name
        self.odd: dict[FilePath, str] = {}  # files that are no fonts, and why
        for folder in folders:
            for path in sorted(folder.glob("*.ttf")):
                key = _build_file_key(path)
                self.fonts[key] = Font(key, path)
        if own is not None and own.is_dir():
            self._add_game_fonts(own)

    def __getitem__(self, key: str) -> Font:
        try:
            return self.fonts[key]
        except KeyError:
            raise UnknownFont(key, self.fonts, self._explain_unreadable_key(key)) from None

    def __contains__(self, key: object) -> bool:
        return key in self.fonts

    def find_cut_key(self, family: str, bold: bool, italic: bool) -> str:
        """Return the key of a family's cut, or of the nearest it has; of one that does not exist if it has none."""
        spellings = dict.fromkeys((family.lower(), normalise_family_name(family)))
        keys = [f"{name}-{cut}" for name in spellings for cut in _CUTS[bold, italic]]
        return next((key for key in keys if key in self.fonts), keys[0])

    def iter_fallback_fonts(self, cut: str) -> Iterator[Font]:
        """Yield the fonts for letters that a font lacks: the game's own, then FALLBACKS. Of each family the same cut,
        then the same weight, then regular."""
        for family in (*self.own, *FALLBACKS):
            weight = "bold" if "bold" in cut else "regular"
            for key in dict.fromkeys((f"{family}-{cut}", f"{family}-{weight}", f"{family}-regular")):
                if key in self.fonts:
                    yield self.fonts[key]

    def iter_sign_fonts(self) -> Iterator[Font]:
        """Yield the fonts for signs that no other font has."""
        yield from (self.fonts[key] for family in SIGNS if (key := f"{family}-regular") in self.fonts)

    def find_unreadable_files(self) -> Iterator[Finding]:
        """Yield a warning for each file of the game that is no font. Nothing uses it: that would be an error."""
        for path, why in self.odd.items():
            yield Finding("PP521", Where(shorten_path(path), 0), why, _CONVERT, "warning")

    def _add_game_fonts(self, folder: FilePath) -> None:
        named: dict[str, tuple[float, Font]] = {}  # by key, the font nearest to the weight of its cut
        for path in sorted(folder.iterdir()):
            if path.suffix.lower() not in FONT_FILES or not path.is_file():
                continue
            why = _explain_unreadable_file(path)
            if why:
                self.odd[path] = why
                continue
            key = _build_file_key(path)
            self.fonts[key] = Font(key, path)
            for distance, font in _iter_named_cuts(path):
                if font.key not in named or distance < named[font.key][0]:
                    named[font.key] = (distance, font)
        for key, (_, font) in named.items():
            self.own[key.rpartition("-")[0]] = None
            if key not in self.fonts or self.fonts[key].path.parent != folder:
                self.fonts[key] = font

    def _explain_unreadable_key(self, key: str) -> str:
        wanted = normalise_family_name(key.rpartition("-")[0])
        return next(
            (
                f"{why}; {_CONVERT}"
                for path, why in self.odd.items()
                if wanted in normalise_family_name(path.stem)
            ),
            "",
        )


_CONVERT = "convert it, or take the family's TrueType or OpenType files"


def normalise_family_name(name: str) -> str:
    """Return a family's name as keys have it.

    >>> normalise_family_name("Noto Sans JP")
    'notosansjp'
    """
    return "".join(char for char in name.casefold() if char not in " -_")


def _build_file_key(path: FilePath) -> str:
    key = path.stem.lower()
    return key if "-" in key else f"{key}-regular"  # a family of one font names no cut


def _explain_unreadable_file(path: FilePath) -> str:
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


def _iter_named_cuts(path: FilePath) -> Iterator[tuple[float, Font]]:
    """Yield the fonts of a file by the names in it, and how far the weight of each is from that of its cut."""
    face = hb.Face(path.read_bytes())
    for index in range(max(1, face.count)):
        font = Font("", path, index)
        axes = {axis.tag: axis for axis in font.face.axis_infos} if font.face.has_var_data else {}
        family, slanted = normalise_family_name(font.family), _list_slants(font, axes)
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


def _list_slants(font: Font, axes: dict[str, hb.OTVarAxisInfo]) -> list[tuple[bool, dict[str, float]]]:
    """Return whether a font is italic; for one with an axis for that, upright and italic with their places."""
    subfamily = str(font.face.get_name(hb.OTNameIdPredefined.FONT_SUBFAMILY) or "").lower()
    if "italic" in subfamily or "oblique" in subfamily:
        return [(True, {})]
    if "ital" in axes and axes["ital"].max_value >= 1:
        return [(False, {}), (True, {"ital": 1.0})]
    if "slnt" in axes and axes["slnt"].min_value < 0:
        return [(False, {}), (True, {"slnt": axes["slnt"].min_value})]
    return [(False, {})]


def load_game_fonts(folder: FilePath) -> FontBook:
    """Return the fonts for a game's looks: the project's own and those of the game's `fonts/`, which win."""
    own = folder / "fonts"
    return FontBook(FONT_FOLDER, own=own) if own.is_dir() else get_default_fonts()


_of_the_game: ContextVar[FontBook | None] = ContextVar("fonts", default=None)


@contextmanager
def use_fonts(fonts: FontBook) -> Iterator[None]:
    """Let `get_default_fonts` be those of a game inside the `with` block: exports hand on faces, which name
    their fonts."""
    before = _of_the_game.set(fonts)
    try:
        yield
    finally:
        _of_the_game.reset(before)


def get_default_fonts() -> FontBook:
    """Return the fonts of the game that is exported, else the project's own (layouts/fonts)."""
    return _of_the_game.get() or _load_project_fonts()


@lru_cache(maxsize=1)
def _load_project_fonts() -> FontBook:
    return FontBook(FONT_FOLDER)

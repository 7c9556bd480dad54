"""Words: what a line is filled with. A word is atoms (shapes and icons) that no line end may part."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from playproof.generator.scene import Shape, Symbol
from playproof.generator.type.markup import IconRun, Paragraph, Run
from playproof.generator.type.shaping import Features, Shaper

CLOSE = ",.;:!?)"  # what stands close to the icon before it
NEAR = 0.88  # of an icon's width: icons have white about them
SPACES = re.compile(r"([ \t]+)")
NUMBER = re.compile(r"[+\u2212-]?(\d+|X)[,.;:]?")
SHORT = 2  # letters of a word that is never left before an icon at a line's end: a, an, or
FIGURES = re.compile(r"(\d+)")
FIGURE_FAMILY = "alegreya"  # its figures are as tall as capitals
_DIGIT = re.compile(r"\d")


class IconAtom(NamedTuple):
    """An icon as wide and high as the type asks: lengths in thousandths of an em above the baseline.

    ``says`` is its name as text, "" where it has none.
    """

    symbol: Symbol
    width: float
    height: float
    bottom: float
    says: str


class Gap(NamedTuple):
    """A space that no line end may take: between an icon and the words it belongs to."""

    width: float


Atom = Shape | IconAtom | Gap


class Word(NamedTuple):
    """Atoms side by side; width in thousandths of an em. ``space`` follows unless a line ends here."""

    atoms: tuple[Atom, ...]
    width: float
    space: float
    text: str


def _names(icon: str, word: str) -> bool:
    """Whether a word begins the icon's name: the icon of Food before "Food"."""
    first = icon.split(" ")[0].lower()
    return bool(first) and word.lower().rstrip(",.;:!?").startswith(first)


@dataclass(frozen=True, slots=True)
class Typeface:
    """The four fonts of a family as one text uses them, and the icons it may name."""

    family: str
    bold: bool
    italic: bool
    features: Features
    icon_scale: float

    def font(self, shaper: Shaper, bold: bool, italic: bool) -> str:
        """The font key for a run; a family without that cut gives the nearest it has."""
        bold, italic = bold or self.bold, italic != self.italic
        cuts = {
            (True, True): ("bolditalic", "bold", "italic", "regular"),
            (True, False): ("bold", "regular"),
            (False, True): ("italic", "regular"),
            (False, False): ("regular", "bold"),
        }[(bold, italic)]
        keys = [f"{self.family}-{cut}" for cut in cuts]
        return next((key for key in keys if key in shaper.book), keys[0])


class WordMaker:
    """Makes the words of paragraphs in one face; remembers plain words and icons."""

    def __init__(
        self, shaper: Shaper, face: Typeface, icons: Mapping[str, Symbol], names: Mapping[str, str]
    ) -> None:
        self.shaper = shaper
        self.face = face
        self.icons = icons
        self.names = names
        self.fonts = {
            (bold, italic): face.font(shaper, bold, italic) for bold in (True, False) for italic in (True, False)
        }
        self.base = self.fonts[(False, False)]
        self.space = shaper.shape(self.base, " ", face.features).width
        self._plain: dict[tuple[str, str], Word] = {}
        self._icons: dict[str, IconAtom] = {}

    def words(self, paragraph: Paragraph) -> list[Word]:
        """The paragraph's words in order; the last has no space after it."""
        words: list[Word] = []
        joined: list[Atom] = []
        texts: list[str] = []

        def close(space: float) -> None:
            if joined:
                width = sum(atom.width for atom in joined)
                words.append(Word(tuple(joined), width, space, "".join(texts)))
                joined.clear()
                texts.clear()

        for run in paragraph.runs:
            if isinstance(run, IconRun):
                joined.append(self.icon(run.name))
                texts.append(f":{run.name}:")
                continue
            font = self.fonts[(run.bold, run.italic)]
            for part in SPACES.split(run.text):
                if not part:
                    continue
                if part[0] in " \t":
                    close(self.space)
                else:
                    if part[0] in CLOSE and joined and isinstance(joined[-1], IconAtom):
                        joined[-1] = joined[-1]._replace(width=joined[-1].width * NEAR)
                    joined += self._shapes(font, part)
                    texts.append(part)
        close(0.0)
        if words and words[-1].space:
            words[-1] = words[-1]._replace(space=0.0)
        return self._kept_together(words)

    def _shapes(self, font: str, text: str) -> list[Atom]:
        """The text in its font; figures that would hang among the letters are taken from a font that has others."""
        if not _DIGIT.search(text) or self.shaper.book[font].lining:
            return [self.shaper.shape(font, text, self.face.features)]
        figures = self._figures(font)
        parts = (part for part in FIGURES.split(text) if part)
        return [self.shaper.shape(figures if part[0].isdigit() else font, part, self.face.features) for part in parts]

    def _figures(self, font: str) -> str:
        """The font whose figures stand as high as capitals beside this one."""
        wanted = FIGURE_FAMILY + ("-bold" if "bold" in font else "-regular")
        return wanted if wanted in self.shaper.book else font

    def _kept_together(self, words: list[Word]) -> list[Word]:
        """The words, an icon joined to the number, sign or short word before it, or to its own name after it."""
        kept: list[Word] = []
        for word in words:
            if kept and kept[-1].space and self._belong(kept[-1], word):
                before = kept.pop()
                atoms = (*before.atoms, Gap(before.space), *word.atoms)
                width = before.width + before.space + word.width
                word = Word(atoms, width, word.space, f"{before.text} {word.text}")
            kept.append(word)
        return kept

    def _belong(self, one: Word, other: Word) -> bool:
        before, after = one.atoms[-1], other.atoms[0]
        if isinstance(after, IconAtom) and isinstance(before, Shape):
            return bool(NUMBER.fullmatch(before.text)) or len(before.text) <= SHORT
        if isinstance(before, IconAtom) and isinstance(after, Shape):
            return bool(NUMBER.fullmatch(after.text)) or _names(before.says, after.text)
        return False

    def plain(self, text: str, font: str, space: float) -> Word:
        """A word of one shape."""
        shape = self.shaper.shape(font, text, self.face.features)
        return Word((shape,), shape.width, space, text)

    def icon(self, name: str) -> IconAtom:
        """The icon at the height of the capitals, centred on them. KeyError if there is no such icon."""
        known = self._icons.get(name)
        if known is None:
            symbol = self.icons[name]
            capitals = self.shaper.book[self.base].cap_height
            height = capitals * self.face.icon_scale
            width = height * symbol.bounds.width / symbol.bounds.height
            says = self.names.get(name, "")
            known = self._icons[name] = IconAtom(symbol, width, height, (capitals - height) / 2, says)
        return known

    def problems(self, paragraphs: tuple[Paragraph, ...]) -> list[str]:
        """Characters no font draws and icons nobody drew, in words."""
        found = []
        for paragraph in paragraphs:
            for run in paragraph.runs:
                if isinstance(run, IconRun):
                    if run.name not in self.icons:
                        found.append(f"there is no icon {run.name!r}")
                elif not run.text.isascii():
                    found += self._missing(run)
        return list(dict.fromkeys(found))

    def _missing(self, run: Run) -> list[str]:
        font = self.fonts[(run.bold, run.italic)]
        missing = "".join(self.shaper.missing(font, word) for word in run.text.split())
        return [f"the font {font} has no glyph for {char!r} (U+{ord(char):04X})" for char in dict.fromkeys(missing)]

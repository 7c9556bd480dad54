"""Words, which fill a line. A word is a row of atoms (shapes and icons) that no line end may
split."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

from playproof.generator.lazy_dict import Remembered
from playproof.generator.scene import Shape, Symbol
from playproof.generator.type.markup import IconRun, Paragraph, Run
from playproof.generator.type.shaping import Features, Shaper

CLOSE = ",.;:!?)"  # marks that stand close to the icon before them
NEAR = 0.88  # of an icon's width, before such a mark: icons have white about them
BLANK = " \t"
NUMBER = re.compile(r"[+\u2212-]?(\d+|X)[,.;:]?")
ENDS = ".,;:!?)…"  # marks that end a clause: an icon after one begins the next clause
FIGURES = re.compile(r"(\d+)")
FIGURE_FAMILY = "alegreya"  # its figures are as tall as capitals
_DIGIT = re.compile(r"\d")


class IconAtom(NamedTuple):
    """An icon as wide and high as the type asks. Lengths are thousandths of an em; ``bottom`` is
    measured upwards from the baseline.

    ``says`` is its name as text, or "" if it has none.
    """

    symbol: Symbol
    width: float
    height: float
    bottom: float
    says: str


class Gap(NamedTuple):
    """A space at which no line may end, between an icon and the words it belongs to."""

    width: float


Atom = Shape | IconAtom | Gap


class Word(NamedTuple):
    """Atoms side by side, with their width in thousandths of an em. ``space`` follows unless a line
    ends here."""

    atoms: tuple[Atom, ...]
    width: float
    space: float
    text: str


@lru_cache(maxsize=8192)
def _tells(icon: str, word: str) -> bool:
    """Return whether a word after an icon is its number, or begins its name: the icon of Food
    before "Food"."""
    first = icon.split(" ")[0].lower()
    named = bool(first) and word.lower().rstrip(",.;:!?").startswith(first)
    return named or bool(NUMBER.fullmatch(word))


class Typeface(NamedTuple):
    """The family of one text, whether it is bold or italic, its font features, and the scale of its
    icons."""

    family: str
    bold: bool
    italic: bool
    features: Features
    icon_scale: float

    def font(self, shaper: Shaper, bold: bool, italic: bool) -> str:
        """Return the font key for a run. A family without that cut gives the nearest it has."""
        bold, italic = bold or self.bold, italic != self.italic
        cuts = {
            (True, True): ("bolditalic", "bold", "italic", "regular"),
            (True, False): ("bold", "regular"),
            (False, True): ("italic", "regular"),
            (False, False): ("regular", "bold"),
        }[(bold, italic)]
        keys = [f"{self.family}-{cut}" for cut in cuts]
        return next((key for key in keys if key in shaper.book), keys[0])


def loosened(word: Word) -> list[Word]:
    """Split a word that is too wide for its line where icons are joined to it."""
    parts: list[list[Atom]] = [[]]
    spaces = []
    for atom in word.atoms:
        if isinstance(atom, Gap):
            parts.append([])
            spaces.append(atom.width)
        else:
            parts[-1].append(atom)
    texts = word.text.split(" ")
    return [
        Word(tuple(atoms), sum(atom.width for atom in atoms), space, text)
        for atoms, space, text in zip(parts, [*spaces, word.space], texts, strict=True)
    ]


def _joined(first: Word, other: Word) -> Word:
    """Return two words as one, with no space between. A closing mark stands close to the icon
    before it."""
    before = first.atoms[-1]
    atoms, width = first.atoms, first.width
    if isinstance(before, IconAtom) and isinstance(other.atoms[0], Shape) and other.text[0] in CLOSE:
        near = before._replace(width=before.width * NEAR)
        atoms, width = (*atoms[:-1], near), width - before.width + near.width
    return Word((*atoms, *other.atoms), width + other.width, other.space, first.text + other.text)


class WordMaker:
    """Makes the words of paragraphs in one face, and remembers plain words and icons."""

    def __init__(
        self, shaper: Shaper, face: Typeface, icons: Mapping[str, Symbol], names: Mapping[str, str]
    ) -> None:
        self.shaper = shaper
        self.face = face
        self.icons = icons
        self.names = names
        self.fonts = {
            (bold, italic): face.font(shaper, bold, italic)
            for bold in (True, False)
            for italic in (True, False)
        }
        self.base = self.fonts[(False, False)]
        self.space = shaper.shape(self.base, " ", face.features).width
        self._plain = {font: Remembered(partial(self._said, font)) for font in self.fonts.values()}
        self._icons = Remembered(self._icon)
        self._gaps = Remembered(Gap)

    def words(self, paragraph: Paragraph) -> list[Word]:
        """Return the paragraph's words in order. The last has no space after it."""
        words: list[Word] = []
        icons: list[int] = []  # which words have icons
        open_ = False  # whether what follows without a space belongs to the last word
        for run in paragraph.runs:
            if isinstance(run, IconRun):
                added = [self._icons[run.name]]
                before, after = open_, True
                icons.append(len(words) - open_)
            else:
                text = run.text
                plain_words = self._plain[self.fonts[(run.bold, run.italic)]]
                added = [plain_words[part] for part in text.replace("\t", " ").split(" ") if part]
                before, after = open_ and text[0] not in BLANK, text[-1] not in BLANK
            if before and added:
                words[-1] = _joined(words[-1], added.pop(0))
            words += added
            open_ = after
        if words:
            atoms, width, _, letters = words[-1]
            words[-1] = Word(atoms, width, 0.0, letters)
        return self._kept_together(words, icons) if icons else words

    def _said(self, font: str, text: str) -> Word:
        """Return a plain word of one font."""
        atoms = tuple(self.shapes(font, text))
        return Word(atoms, sum([atom.width for atom in atoms]), self.space, text)

    def shapes(self, font: str, text: str) -> list[Atom]:
        """Return the text in its font. If the font's figures are lower than capitals, another font
        draws the figures."""
        if not _DIGIT.search(text) or self.shaper.book[font].lining:
            return [self.shaper.shape(font, text, self.face.features)]
        figures = self._figures(font)
        parts = (part for part in FIGURES.split(text) if part)
        return [
            self.shaper.shape(figures if part[0].isdigit() else font, part, self.face.features)
            for part in parts
        ]

    def _figures(self, font: str) -> str:
        """Return the font that draws figures as high as capitals beside this one."""
        wanted = FIGURE_FAMILY + ("-bold" if "bold" in font else "-regular")
        return wanted if wanted in self.shaper.book else font

    def _kept_together(self, words: list[Word], icons: Sequence[int]) -> list[Word]:
        """Return the words, with each icon joined to the word it belongs to. ``icons`` are the
        indexes of the words with icons."""
        joined: list[Word] = []
        done = 0
        for at in sorted({near for icon in icons for near in (icon, icon + 1)}):
            if not 0 < at < len(words):
                continue
            joined += words[done:at]
            done = at + 1
            before, word = joined[-1], words[at]
            if self._belong(before, word, words[at + 1] if at + 1 < len(words) else None):
                joined.pop()
                atoms = (*before.atoms, self._gaps[before.space], *word.atoms)
                width = before.width + before.space + word.width
                word = Word(atoms, width, word.space, f"{before.text} {word.text}")
            joined.append(word)
        return joined + words[done:]

    def _belong(self, word: Word, other: Word, following: Word | None) -> bool:
        """Return whether no line may end between two words, because an icon in one belongs to the
        other.

        An icon belongs to its own name or number after it. Otherwise it belongs to the word before
        it. If a clause or another icon ends there, it belongs to the word after it.
        """
        before, after = word.atoms[-1], other.atoms[0]
        if isinstance(after, IconAtom):
            if not isinstance(before, Shape) or before.text[-1:] in ENDS:
                return False
            following_atom = following.atoms[0] if following is not None and len(other.atoms) == 1 else None
            named = isinstance(following_atom, Shape) and _tells(after.says, following_atom.text)
            return not named or bool(NUMBER.fullmatch(before.text))
        if not isinstance(before, IconAtom):
            return False
        return len(word.atoms) == 1 or (isinstance(after, Shape) and _tells(before.says, after.text))

    def plain(self, text: str, font: str, space: float) -> Word:
        """Return a word of one shape."""
        shape = self.shaper.shape(font, text, self.face.features)
        return Word((shape,), shape.width, space, text)

    def _icon(self, name: str) -> Word:
        """Return the icon as a word, scaled from the height of the capitals and centred on them.
        Raises KeyError if there is no such icon."""
        symbol = self.icons[name]
        capitals = self.shaper.book[self.base].cap_height
        height = capitals * self.face.icon_scale
        width = height * symbol.bounds.width / symbol.bounds.height
        says = self.names.get(name, "")
        atom = IconAtom(symbol, width, height, (capitals - height) / 2, says)
        written = f":{name}:".replace(" ", "\u00a0")  # a space of a name parts no words
        return Word((atom,), width, self.space, written)

    def problems(self, paragraphs: tuple[Paragraph, ...]) -> list[str]:
        """Return the characters that no font draws and the icons that do not exist, in words."""
        problems: list[str] = []
        for paragraph in paragraphs:
            for run in paragraph.runs:
                if isinstance(run, IconRun):
                    if run.name not in self.icons:
                        problems.append(f"there is no icon {run.name!r}")
                elif not run.text.isascii():
                    problems += self._missing(run)
        return list(dict.fromkeys(problems)) if problems else problems

    def _missing(self, run: Run) -> list[str]:
        font = self.fonts[(run.bold, run.italic)]
        missing = "".join(self.shaper.missing(font, word) for word in run.text.split())
        return [
            f"the font {font} has no glyph for {char!r} (U+{ord(char):04X})"
            for char in dict.fromkeys(missing)
        ]

"""Shaping: turn a word in a font into a `Shape` once, and look it up after that."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import uharfbuzz as hb

from playproof.generator.scene import Shape
from playproof.generator.type.fonts import Font, FontBook

Features = tuple[str, ...]

# Figures as tall as capitals, because they stand beside icons of that height.
USUAL: Features = ("lnum",)

# The families that supply characters the text's own font lacks, in the text's own cut if they
# have it. Alegreya draws Latin (Polish and Vietnamese too), Greek and Cyrillic, Noto Hebrew; a game
# brings fonts for other scripts.
FALLBACKS = ("alegreya", "alegreyasans", "notoserifhebrew")


class Shaper:
    """Turns words into shapes and remembers them; finds characters that no font draws."""

    def __init__(self, book: FontBook, fallbacks: Iterable[str] = FALLBACKS) -> None:
        self.book = book
        self._fallbacks = tuple(fallbacks)
        self.substituted: dict[
            tuple[str, str], list[str]
        ] = {}  # words by the font asked for and the font taken
        self._known: dict[tuple[str, str, Features], Shape] = {}
        self._missing: dict[tuple[str, str], str] = {}

    def shape(self, font: str, text: str, features: Features = USUAL) -> Shape:
        """Return the text as one shape, in the font or in the first fallback that draws all of
        it."""
        key = (font, text, features)
        shape = self._known.get(key)
        if shape is None:
            chosen = self._drawing(self.book[font], text)
            if chosen.key != font:
                self.substituted.setdefault((font, chosen.key), []).append(text)
            shape = self._known[key] = _shape(chosen, text, features)
        return shape

    def missing(self, font: str, text: str) -> str:
        """Return the characters of the text that neither the font nor a fallback draws."""
        key = (font, text)
        missing = self._missing.get(key)
        if missing is None:
            missing = self._missing[key] = self._find_missing(self.book[font], text)
        return missing

    def _drawing(self, font: Font, text: str) -> Font:
        if self._draws(font, text):
            return font
        return next((other for other in self._others(font) if self._draws(other, text)), font)

    def _others(self, font: Font) -> Iterator[Font]:
        """Yield the fallback fonts: for each family the same cut, then the same weight, then
        regular."""
        cut = font.key.partition("-")[2]
        for family in self._fallbacks:
            for key in dict.fromkeys(
                (
                    f"{family}-{cut}",
                    f"{family}-bold" if "bold" in cut else f"{family}-regular",
                    f"{family}-regular",
                )
            ):
                if key in self.book:
                    yield self.book[key]

    def _find_missing(self, font: Font, text: str) -> str:
        if self._draws(self._drawing(font, text), text):
            return ""
        return "".join(dict.fromkeys(char for char in text if not _drawn(font, char)))

    @staticmethod
    def _draws(font: Font, text: str) -> bool:
        return text.isascii() or all(_drawn(font, char) for char in text)


def _drawn(font: Font, char: str) -> bool:
    """Return whether the font has the character. Spaces, joiners and direction marks need no
    glyph."""
    return ord(char) in font.codepoints or char in "\u00a0\u202f\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"


def _shape(font: Font, text: str, features: Features) -> Shape:
    buffer = hb.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    hb.shape(font.hb_font, buffer, dict.fromkeys(features, True))
    infos, positions = buffer.glyph_infos, buffer.glyph_positions
    unit = font.unit
    moved = any(position.x_offset or position.y_offset for position in positions)
    return Shape(
        font.key,
        tuple([info.codepoint for info in infos]),
        tuple([position.x_advance * unit for position in positions]),
        _texts(text, [info.cluster for info in infos]),
        tuple((p.x_offset * unit, p.y_offset * unit) for p in positions) if moved else (),
    )


def _texts(text: str, clusters: list[int]) -> tuple[str, ...]:
    """Return the text of each glyph. The first glyph of a cluster has all of the cluster's
    characters; the others have none."""
    if clusters == list(range(len(text))):
        return tuple(text)
    starts = sorted(set(clusters))
    ends = dict(zip(starts, [*starts[1:], len(text)], strict=True))
    begun: set[int] = set()
    texts = []
    for cluster in clusters:
        texts.append("" if cluster in begun else text[cluster : ends[cluster]])
        begun.add(cluster)
    return tuple(texts)

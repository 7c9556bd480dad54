"""Shaping: turn a word in a font into a `ShapedText` once, and look it up after that; and short lines of
text in the fonts of the helper pages."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

import uharfbuzz as hb

from playproof.generator.scene import BLACK, Colour, Glyphs, Group, Pt, ShapedText, pt_to_mm
from playproof.generator.type.direction import (
    compute_embedding_levels,
    has_right_to_left_characters,
    list_indexes_in_visual_order,
    split_text_at_level_changes,
    starts_in_right_to_left_script,
)
from playproof.generator.type.fonts import Font, FontBook, get_fonts_of_game_in_export_or_project
from playproof.generator.type.lines import find_break_indexes_without_spaces

# Shaping: turn a word in a font into a `ShapedText` once, and look it up after that.

Features = tuple[str, ...]

# Figures as tall as capitals, because they stand beside icons of that height.
USUAL: Features = ("lnum",)


_LIGATURES = ("liga", "clig", "dlig")


class TextPiece(NamedTuple):
    """A part of a text, and the key of the font that draws it."""

    font: str
    text: str


class Shaper:
    """Turns words into shapes and remembers them; finds characters that no font draws."""

    def __init__(self, book: FontBook) -> None:
        self.book = book
        self.substituted: dict[tuple[str, str], list[str]] = {}  # words by the font asked for and the font taken
        self._known: dict[tuple[str, str, Features, float, bool], ShapedText] = {}
        self._missing: dict[tuple[str, str], str] = {}
        self._pieces: dict[tuple[str, str], tuple[TextPiece, ...]] = {}

    def shape_text_in_font_or_fallback(
        self,
        font_key: str,
        text: str,
        features: Features = USUAL,
        tracking: float = 0.0,
        is_right_to_left: bool = False,
    ) -> ShapedText:
        """Return the text as one shape, in the font or in the first fallback that draws all of
        it. ``tracking`` (thousandths of an em) is added behind each letter. All of the text runs one way: that of its
        level (`direction.py`), which letters alone do not tell."""
        key = (font_key, text, features, tracking, is_right_to_left)
        shape = self._known.get(key)
        if shape is None:
            chosen = self._find_fallback_drawing_text_or_same(self.book[font_key], text)
            wanted = dict.fromkeys(features, True) | (dict.fromkeys(_LIGATURES, False) if tracking else {})
            shape = self._known[key] = _shape_with_harfbuzz(chosen, text, wanted, tracking, is_right_to_left)
        return shape

    def split_text_by_font_that_draws_it(self, font_key: str, text: str) -> tuple[TextPiece, ...]:
        """Return the text in parts, each with the font that draws it. A word with letters that its font lacks is set
        in another as a whole, if one has all of them; a sign alone is taken from another."""
        key = (font_key, text)
        pieces = self._pieces.get(key)
        if pieces is None:
            pieces = self._pieces[key] = self._split_text_into_font_pieces(self.book[font_key], text)
        return pieces

    def join_characters_that_no_font_draws(self, font_key: str, text: str) -> str:
        """Return the characters of the text that neither the font nor a fallback draws."""
        key = (font_key, text)
        missing = self._missing.get(key)
        if missing is None:
            missing = self._missing[key] = self._join_characters_no_font_draws(font_key, text)
        return missing

    def _find_fallback_drawing_text_or_same(self, font: Font, text: str) -> Font:
        if _can_draw_text(font, text):
            return font
        return next((other for other in self._iter_fallback_and_sign_fonts(font) if _can_draw_text(other, text)), font)

    def _iter_fallback_and_sign_fonts(self, font: Font) -> Iterator[Font]:
        yield from self.book.iter_fallback_fonts_game_fonts_first(font.key.rpartition("-")[2])
        yield from self.book.iter_sign_fonts()

    def _split_text_into_font_pieces(self, font: Font, text: str) -> tuple[TextPiece, ...]:
        if _can_draw_text(font, text):
            return (TextPiece(font.key, text),)
        clusters = _split_into_character_clusters(text)
        lacking = [cluster for cluster in clusters if not _can_draw_text(font, cluster)]
        letters = "".join(cluster for cluster in clusters if _is_letter_or_digit_cluster(cluster))
        base = font
        if any(map(_is_letter_or_digit_cluster, lacking)):
            fallbacks = self.book.iter_fallback_fonts_game_fonts_first(font.key.rpartition("-")[2])
            base = next((other for other in fallbacks if _can_draw_text(other, letters)), font)
        chosen = [
            base if _can_draw_text(base, cluster) else self._find_fallback_drawing_text_or_same(font, cluster)
            for cluster in clusters
        ]
        self._note_fallback_fonts_of_word(font, text, clusters, chosen)
        pieces: list[TextPiece] = []
        for cluster, each in zip(clusters, chosen, strict=True):
            if pieces and pieces[-1].font == each.key:
                pieces[-1] = TextPiece(each.key, pieces[-1].text + cluster)
            else:
                pieces.append(TextPiece(each.key, cluster))
        return tuple(pieces)

    def _note_fallback_fonts_of_word(
        self, font: Font, text: str, clusters: Sequence[str], cluster_fonts: Sequence[Font]
    ) -> None:
        """Note a word with letters that another font than its own draws. A sign has no face that would change."""
        taken = [
            each.key
            for cluster, each in zip(clusters, cluster_fonts, strict=True)
            if _is_letter_or_digit_cluster(cluster)
        ]
        for key in dict.fromkeys(taken):
            if key != font.key:
                self.substituted.setdefault((font.key, key), []).append(text)

    def _join_characters_no_font_draws(self, font: str, text: str) -> str:
        lacking = (
            char
            for piece in self.split_text_by_font_that_draws_it(font, text)
            for char in piece.text
            if not _can_draw_or_ignore_character(self.book[piece.font], char)
        )
        return "".join(dict.fromkeys(lacking))


def _can_draw_text(font: Font, text: str) -> bool:
    if text.isascii() and font.has_ascii:
        return True
    return all(_can_draw_or_ignore_character(font, char) for char in text)


def _is_letter_or_digit_cluster(cluster: str) -> bool:
    """Return whether a cluster is of letters or figures, and no sign."""
    kind = unicodedata.category(cluster[0])
    return kind[0] in "LM" or kind == "Nd"


def _split_into_character_clusters(text: str) -> list[str]:
    """Return what a reader takes for characters: a letter with its marks, an emoji of several parts."""
    from icu4py.breakers import CharacterBreaker  # most texts have all letters in their font

    return list(CharacterBreaker(text, "en"))


_NEEDS_NO_GLYPH = frozenset(
    "\u00a0\u202f\u200b\u200c\u200d\u200e\u200f\u2060\u00ad\u2066\u2067\u2068\u2069\ufe0e\ufe0f"
)
"""Spaces, joiners, marks of direction, and those that ask for a sign in colours or without."""


def _can_draw_or_ignore_character(font: Font, char: str) -> bool:
    return char in _NEEDS_NO_GLYPH or font.has_outline_for_character(char)


def _shape_with_harfbuzz(
    font: Font, text: str, features: Mapping[str, bool], tracking: float, is_right_to_left: bool
) -> ShapedText:
    buffer = hb.Buffer()
    buffer.add_str(text)
    buffer.guess_segment_properties()
    buffer.direction = "rtl" if is_right_to_left else "ltr"  # figures of a right-to-left script run to the right
    hb.shape(font.hb_font, buffer, dict(features))
    infos, positions = buffer.glyph_infos or [], buffer.glyph_positions or []  # None without a character
    unit = font.thousandths_per_font_unit
    moved = any(position.x_offset or position.y_offset for position in positions)
    return ShapedText(
        font.key,
        tuple([info.codepoint for info in infos]),
        _compute_glyph_advances_with_tracking(font, infos, positions, tracking),
        _assign_texts_to_glyphs(text, [info.cluster for info in infos]),
        tuple((p.x_offset * unit, p.y_offset * unit) for p in positions) if moved else (),
    )


def _compute_glyph_advances_with_tracking(
    font: Font, infos: Sequence[Any], positions: Sequence[Any], tracking: float
) -> tuple[float, ...]:
    """Return how far each glyph moves the pen. Tracking follows the last glyph of each letter with its marks."""
    advances = [position.x_advance * font.thousandths_per_font_unit for position in positions]
    if tracking:
        for at, info in enumerate(infos):
            if at + 1 == len(infos) or infos[at + 1].cluster != info.cluster:
                advances[at] += tracking
    return tuple(advances)


def _assign_texts_to_glyphs(text: str, clusters: list[int]) -> tuple[str, ...]:
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


# -- labels and rulers ---------------------------------------------------------------------------------------
# Short lines of text in the sheet's margin and on its helper pages: labels, rulers, instructions.

PLAIN, BOLD = "alegreyasans-regular", "alegreyasans-bold"
Anchor = Literal["start", "middle", "end"]


def shape_line_as_seen(text: str, font: str = PLAIN) -> tuple[ShapedText, ...]:
    """Shape a line: its parts from left to right, each in one font and one direction. Letters that the font lacks come
    from a fallback; "?" stands for a letter that no font draws."""
    return _shape_line_with_fonts_of_book(get_fonts_of_game_in_export_or_project(), text, font)


@lru_cache(maxsize=4096)
def _shape_line_with_fonts_of_book(book: FontBook, text: str, font: str) -> tuple[ShapedText, ...]:
    if _can_draw_text(book[font], text) and not has_right_to_left_characters(text):
        return (_shape_without_ligatures(book[font], text, is_right_to_left=False),)
    shaper = Shaper(book)
    lacking = shaper.join_characters_that_no_font_draws(font, text)
    drawable = "".join("?" if char in lacking else char for char in text)
    levels = compute_embedding_levels(drawable, starts_in_right_to_left_script(drawable))
    runs = split_text_at_level_changes(drawable, levels)
    parts: list[ShapedText] = []
    for index in list_indexes_in_visual_order([level for _, level in runs]):
        run, level = runs[index]
        pieces = shaper.split_text_by_font_that_draws_it(font, run)
        parts += [
            _shape_without_ligatures(book[piece.font], piece.text, is_right_to_left=level % 2 == 1)
            for piece in (reversed(pieces) if level % 2 else pieces)
        ]
    return tuple(parts)


def _shape_without_ligatures(font: Font, text: str, *, is_right_to_left: bool) -> ShapedText:
    # One glyph a character: a ligature would leave the text of its second letter without a glyph.
    wanted = {"liga": False, "clig": False, "lnum": True}
    return _shape_with_harfbuzz(font, text, wanted, 0.0, is_right_to_left)


def measure_text_line_width_in_mm(text: str, size: float, font: str = PLAIN) -> float:
    """Return the width in mm of a line of text at `size` points."""
    return sum(part.width for part in shape_line_as_seen(text, font)) / 1000 * pt_to_mm(size)


def typeset_anchored_text_line(
    text: str, x: float, y: float, size: float, *, font: str = PLAIN, anchor: Anchor = "start", colour: Colour = BLACK
) -> Glyphs | Group:
    """Return one line with its baseline at `y` that starts, is centred or ends at `x` (mm); `size`
    is in points."""
    shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor]
    parts = shape_line_as_seen(text, font)
    starts = list(accumulate((part.width / 1000 * pt_to_mm(size) for part in parts), initial=0.0))
    left = x - shift * starts[-1]
    nodes = [
        Glyphs(left + start, y, Pt(size), colour, ((0.0, part),)) for start, part in zip(starts, parts, strict=False)
    ]
    return nodes[0] if len(nodes) == 1 else Group(tuple(nodes))


def iter_lines_wrapped_to_width(text: str, width_mm: float, size_pt: float, font: str = PLAIN) -> Iterator[str]:
    """Break the text at spaces into lines no wider than `width_mm` mm. A longer word is broken where its script allows
    it, else it gets a line of its own."""
    line = ""
    for word in text.split(" "):  # a no-break space does not part words
        longer = f"{line} {word}".strip()
        if line and measure_text_line_width_in_mm(longer, size_pt, font) > width_mm:
            yield line
            line = word
        else:
            line = longer
        if measure_text_line_width_in_mm(line, size_pt, font) > width_mm:
            *full, line = _break_long_word(line, width_mm, size_pt, font)
            yield from full
    if line:
        yield line


def _break_long_word(word: str, width_mm: float, size_pt: float, font: str) -> list[str]:
    """Return a word without spaces in lines, broken where Unicode annex 14 allows it: Japanese has no spaces."""
    ends = [*sorted(find_break_indexes_without_spaces(word, "en")), len(word)]
    lines = [""]
    for start, end in pairwise((0, *ends)):
        longer = lines[-1] + word[start:end]
        if lines[-1] and measure_text_line_width_in_mm(longer, size_pt, font) > width_mm:
            lines.append(word[start:end])
        else:
            lines[-1] = longer
    return lines

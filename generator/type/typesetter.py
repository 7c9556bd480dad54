"""Set text: a string, a box and a style give glyphs and icons in millimetres, with outlines and shadows as
shapes below them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from math import ceil
from typing import Literal, NamedTuple

from playproof.generator.art.outlines import transform_outline
from playproof.generator.scene import (
    BLACK,
    Colour,
    Command,
    Glyphs,
    Node,
    Path,
    Pt,
    Rect,
    ShapedText,
    SpokenName,
    Stroke,
    Symbol,
    Transform,
    Use,
    build_rectangle_path,
    pt_to_mm,
)
from playproof.generator.type.direction import starts_in_right_to_left_script
from playproof.generator.type.fonts import FontBook
from playproof.generator.type.icon_names import remove_icon_names_said_by_text_beside
from playproof.generator.type.lines import (
    find_least_ragged_line_starts,
    find_line_start_indexes_greedily,
    find_line_starts_with_shortest_long_line,
)
from playproof.generator.type.markup import (
    Paragraph,
    Run,
    add_typographic_punctuation,
    parse_markup_to_paragraphs,
    select_icon_names_with_unusual_characters,
)
from playproof.generator.type.shaping import USUAL, Features, Shaper
from playproof.generator.type.words import (
    IconAtom,
    StyledAtom,
    StyleSpan,
    Typeface,
    Word,
    WordMaker,
    list_words_in_visual_order,
    replace_span_signs_by_run_styles,
    split_word_at_joined_icons,
)

# -- setting -------------------------------------------------------------------------------------------------
# Set text: a string, a box and a style give glyphs and icons in millimetres.

Align = Literal["left", "centre", "right", "justify"]
Valign = Literal["top", "middle", "bottom"]

STEP = 0.25  # points between the sizes tried when fitting
BULLET_INDENT = 900.0  # thousandths of an em
ORPHAN = 0.25  # of a line: a last word no wider than this should not stand alone
SHORT = 24  # characters: names of kinds, numbers, headings
PART = 0.95  # of a paragraph's length that is sure to need its lines
LEAST_ROOM = 0.25  # of a line: with less left over, a word is not hyphenated into it


class TextStyle(NamedTuple):
    """How a text looks. Sizes in points; ``leading`` and ``gap`` (between paragraphs) in ems."""

    family: str = "alegreya"
    size: float = 9.0
    min_size: float | None = None
    colour: Colour = BLACK
    bold: bool = False
    italic: bool = False
    align: Align = "left"
    valign: Valign = "top"
    leading: float = 1.2
    gap: float = 0.35
    balance: bool = False
    hyphenate: bool = False
    icon_scale: float = 1.25
    features: Features = USUAL
    steps: tuple[float, ...] = ()
    """The only sizes to try, the largest first; without them type shrinks in quarter points."""
    tracking: float = 0.0
    """What is added between letters, in ems."""
    underline: bool = False
    outline: Stroke | None = None
    """A line around the letters; its width is what is seen of it beside them."""
    shadow: Shadow | None = None


class TextBlock(NamedTuple):
    """A text after setting: its nodes, the size taken (points), the box it fills (mm), its number
    of lines, and its problems."""

    nodes: tuple[Node, ...]
    size: float
    box: Rect
    lines: int
    problems: tuple[str, ...] = ()


class ReplacedFontCut(NamedTuple):
    """A cut (bold, italic) that words of a family ask for, and the one that they are set in."""

    family: str
    wanted: str
    used: str


class _TypesetLine(NamedTuple):
    words: Sequence[Word]
    natural: float  # its width with the spaces that its words ask for; lengths in thousandths of an em
    alone: str  # the word if it is the only one, which may be too wide
    scale: float  # how many times the text's size its largest letters are, and so its height
    indent: float
    last: bool
    bullet: bool
    gap_before: bool
    is_right_to_left: bool = False  # whether it is read from the right, as its paragraph is


def _format_name_of_font_cut(style: TextStyle, bold: bool, italic: bool) -> str:
    """Return the name of the cut that a run of a style asks for."""
    bold, italic = bold or style.bold, italic != style.italic
    return f"{'bold' if bold else ''}{'italic' if italic else ''}" or "regular"


class Typesetter:
    """Sets texts in one language with one set of fonts and icons, and remembers what it shaped."""

    def __init__(
        self, book: FontBook, icons: Mapping[str, Symbol], language: str = "en", names: Mapping[str, str] | None = None
    ) -> None:
        """``names`` gives the names of icons in that language, for those who search, copy or
        listen."""
        self.shaper = Shaper(book)
        self.icons = icons
        self._unusual = select_icon_names_with_unusual_characters(
            icons
        )  # names of icons that `parse_markup_to_paragraphs` must be told
        self.language = language
        self.names = names or {}
        self._measures: dict[Typeface, _FaceMeasure] = {}
        self._short: dict[tuple[str, Rect, TextStyle, Sequence[StyleSpan]], TextBlock] = {}

    def typeset_text_as_large_as_box_allows(
        self, text: str, box: Rect, style: TextStyle, spans: Sequence[StyleSpan] = ()
    ) -> TextBlock:
        """Set the text into the box, as large as the style and the box allow. A short text, which
        games repeat, is set once. ``spans`` are what the signs of spans in it mean."""
        if len(text) > SHORT:
            return self._typeset_with_outline_and_shadow(text, box, style, spans)
        key = (text, box, style, spans)
        block = self._short.get(key)
        if block is None:
            block = self._short[key] = self._typeset_with_outline_and_shadow(text, box, style, spans)
        return block

    def _typeset_with_outline_and_shadow(
        self, text: str, box: Rect, style: TextStyle, spans: Sequence[StyleSpan]
    ) -> TextBlock:
        block = self._typeset_at_largest_fitting_size(text, box, style, spans)
        if style.outline is None and style.shadow is None:
            return block
        below = iter_shadow_and_outline_paths(block.nodes, self.shaper.book, style.outline, style.shadow)
        return block._replace(nodes=(*below, *block.nodes))

    def _typeset_at_largest_fitting_size(
        self, text: str, box: Rect, style: TextStyle, spans: Sequence[StyleSpan]
    ) -> TextBlock:
        measure = self._get_or_create_face_measure(style)
        maker = measure.maker
        paragraphs = parse_markup_to_paragraphs(add_typographic_punctuation(text, self.language), self._unusual)
        if spans:
            paragraphs = replace_span_signs_by_run_styles(paragraphs, spans)
        problems = maker.describe_why_paragraphs_cannot_be_set(paragraphs)
        if problems:
            return TextBlock((), style.size, Rect(box.x, box.y, 0, 0), 0, tuple(problems))
        words = [maker.build_words_of_paragraph(paragraph) for paragraph in paragraphs]
        extents = [_measure_paragraph_extent(content) for content in words]
        for size in style.steps or _list_type_sizes_largest_first(style.size, style.min_size):
            em = pt_to_mm(size)
            if measure.is_too_high_for_box_however_broken(extents, em, box, style):
                continue  # lines need not be broken to know that
            lines = self._break_paragraphs_into_lines(paragraphs, words, box.width / em * 1000, style, maker)
            if measure.do_lines_fit_in_box(lines, em, box, style):
                return self._draw_lines_as_text_block(lines, size, box, style, measure, ())
        lines = self._break_paragraphs_into_lines(paragraphs, words, box.width / em * 1000, style, maker)
        problem = measure.describe_why_lines_do_not_fit(lines, size, box, style)
        return self._draw_lines_as_text_block(lines, size, box, style, measure, (problem,))

    def list_replaced_font_cuts(self, text: str, style: TextStyle) -> list[ReplacedFontCut]:
        """Return the cuts that words ask for and that their family does not have."""
        fonts = self._get_or_create_face_measure(style).maker.fonts
        family = style.family.lower()
        wanted = {cut: key for cut, key in fonts.items() if key != f"{family}-{_format_name_of_font_cut(style, *cut)}"}
        if not wanted:
            return []
        paragraphs = parse_markup_to_paragraphs(add_typographic_punctuation(text, self.language), self._unusual)
        asked = {
            (run.bold, run.italic)
            for paragraph in paragraphs
            for run in paragraph.runs
            if isinstance(run, Run) and run.text.strip()
        }
        return [
            ReplacedFontCut(family, _format_name_of_font_cut(style, *cut), key.partition("-")[2])
            for cut, key in wanted.items()
            if cut in asked
            and _format_name_of_font_cut(style, *cut) != "regular"  # a family may be bold alone, as for titles
        ]

    def _get_or_create_face_measure(self, style: TextStyle) -> _FaceMeasure:
        face = Typeface(
            style.family.lower(), style.bold, style.italic, style.features, style.icon_scale, style.tracking * 1000
        )
        measure = self._measures.get(face)
        if measure is None:
            measure = self._measures[face] = _FaceMeasure(
                WordMaker(self.shaper, face, self.icons, self.names, self.language)
            )
        return measure

    def _break_paragraphs_into_lines(
        self,
        paragraphs: tuple[Paragraph, ...],
        words: list[list[Word]],
        line_width: float,
        style: TextStyle,
        maker: WordMaker,
    ) -> list[_TypesetLine]:
        lines: list[_TypesetLine] = []
        for number, (paragraph, content) in enumerate(zip(paragraphs, words, strict=True)):
            indent = BULLET_INDENT if paragraph.bullet else 0.0
            turned = starts_in_right_to_left_script(paragraph.text)
            room = line_width - indent
            loose = _split_too_wide_words(content, room)
            broken = (
                _split_words_at_syllables_to_fill_lines(loose, room, maker, self.language) if style.hyphenate else loose
            )
            widths, spaces = [word.width for word in broken], [word.space for word in broken]
            starts = _find_line_starts_for_alignment(broken, widths, spaces, room, style)
            for at, (start, end) in enumerate(pairwise([*starts, len(broken)])):
                first, last = at == 0, end == len(broken)
                on_line = maker.merge_unspaced_words_and_add_hyphen(broken[start:end], style.align == "justify")
                natural = sum([word.width for word in on_line]) + sum([word.space for word in on_line[:-1]])
                natural -= maker.face.tracking if on_line else 0.0  # nothing follows the last letter
                alone = broken[start].text if end == start + 1 else ""
                scale = _get_largest_letter_scale_on_line(on_line)
                bullet = paragraph.bullet and first
                gap = first and number > 0
                lines.append(_TypesetLine(on_line, natural, alone, scale, indent, last, bullet, gap, turned))
            if not starts:
                lines.append(_TypesetLine((), 0.0, "", 1.0, 0.0, True, False, number > 0))
        return lines

    def _draw_lines_as_text_block(
        self,
        lines: list[_TypesetLine],
        size: float,
        box: Rect,
        style: TextStyle,
        measure: _FaceMeasure,
        problems: tuple[str, ...],
    ) -> TextBlock:
        em = pt_to_mm(size)
        top = measure.compute_letter_top_of_first_line(lines, em, box, style)
        pen = _LinePen(box.x, size, style.colour)
        y = top + measure.ascent * em * lines[0].scale
        widest = 0.0
        for number, line in enumerate(lines):
            if number:
                y += em * (style.leading * line.scale + (style.gap if line.gap_before else 0))
            widest = max(widest, self._draw_line_and_get_natural_width(pen, line, y, em, box, style, measure))
        height = y - top + measure.descent * em * lines[-1].scale
        return TextBlock(
            remove_icon_names_said_by_text_beside(pen.nodes),
            size,
            Rect(box.x, top, widest, height),
            len(lines),
            tuple(filter(None, problems)),
        )

    def _draw_line_and_get_natural_width(
        self,
        pen: _LinePen,
        line: _TypesetLine,
        y: float,
        em: float,
        box: Rect,
        style: TextStyle,
        measure: _FaceMeasure,
    ) -> float:
        """Draw one line with its baseline at ``y``. Return its width in mm."""
        words, natural, is_right_to_left = line.words, line.natural, line.is_right_to_left
        room = box.width / em * 1000 - line.indent
        stretch = 0.0
        if style.align == "justify" and not line.last and len(words) > 1:
            stretch = (room - natural) / (len(words) - 1)
        width = natural + stretch * (len(words) - 1) if words else natural
        x = _compute_start_of_aligned_line(style.align, is_right_to_left, room, width) + (
            0 if is_right_to_left else line.indent
        )
        if line.bullet:
            bullet = measure.maker.build_single_shape_word("•", measure.maker.base, 0)
            at = box.width / em * 1000 - bullet.width if is_right_to_left else line.indent - bullet.width * 1.6
            pen.nodes.append(
                Glyphs(
                    box.x + at / 1000 * em, y, pen.size, style.colour, ((0.0, _get_shape_of_one_shape_word(bullet)),)
                )
            )
        pen.draw_words(list_words_in_visual_order(words) if words and words[0].levels else words, x, y, stretch)
        if style.underline and words:
            pen.draw_underline(x, width, y, measure.underline)
        return (natural + line.indent) / 1000 * em


class _LinePen:
    """Draws words: neighbouring shapes of one font become one `Glyphs` node, and icons become
    uses."""

    def __init__(self, left: float, size: float, colour: Colour) -> None:
        self.nodes: list[Node] = []
        self.size = Pt(size)
        self._left = left
        self._em = pt_to_mm(size) / 1000
        self._colour = colour

    def draw_words(self, words: Sequence[Word], x: float, y: float, extra_space: float) -> None:
        """Draw the words of a line from ``x`` on."""
        em, start = self._em, x
        look: tuple[str, StyleSpan | None] = ("", None)
        pieces: list[tuple[float, ShapedText]] = []
        for atoms, _, space, *_ in words:
            for atom in atoms:
                if type(atom) is ShapedText or type(atom) is StyledAtom:
                    shape, span = (atom.shape, atom.span) if isinstance(atom, StyledAtom) else (atom, None)
                    if (shape.font, span) != look:
                        self._append_glyphs_of_one_style(pieces, start, y, look[1])
                        pieces, look, start = [], (shape.font, span), x
                    pieces.append(((x - start) * em, shape))
                elif type(atom) is IconAtom:
                    if atom.says:  # its name is read between the words that it stands between
                        self._append_glyphs_of_one_style(pieces, start, y, look[1])
                        pieces, look = [], ("", None)
                    self._draw_icon(atom, x, y)
                x += atom.width
            x += space + extra_space
        self._append_glyphs_of_one_style(pieces, start, y, look[1])

    def _append_glyphs_of_one_style(
        self, pieces: list[tuple[float, ShapedText]], start: float, y: float, span: StyleSpan | None
    ) -> None:
        if pieces:
            size = self.size if span is None else Pt(self.size * span.scale)
            colour = (span.colour if span is not None else None) or self._colour
            self.nodes.append(Glyphs(self._left + start * self._em, y, size, colour, tuple(pieces)))

    def draw_underline(self, x: float, width: float, y: float, depth_and_thickness: tuple[float, float]) -> None:
        """Draw a line below letters from ``x`` on, as the font places it (its depth and thickness, in ems)."""
        depth, thick = (part * 1000 * self._em for part in depth_and_thickness)
        area = Rect(self._left + x * self._em, y + depth - thick / 2, width * self._em, thick)
        self.nodes.append(build_rectangle_path(area, self._colour))

    def _draw_icon(self, atom: IconAtom, x: float, y: float) -> None:
        em = self._em
        bounds = atom.symbol.bounds
        scale = atom.height * em / bounds.height
        left, top = self._left + x * em, y - (atom.bottom + atom.height) * em
        place = Transform(scale, 0, 0, scale, left - bounds.x * scale, top - bounds.y * scale)
        says = SpokenName(left, y, self.size, atom.width * em, atom.says) if atom.says else None
        self.nodes.append(Use(atom.symbol, place, says))


class _ParagraphExtent(NamedTuple):
    """How long a paragraph is on one line, and its widest space, in thousandths of an em."""

    natural: float
    space: float

    def compute_lower_bound_of_line_count(self, line_width: float) -> int:
        """Return a number of lines that no way to break the paragraph goes below. A line end saves a space, and
        PART leaves room for what hyphens and split icons change."""
        return max(1, ceil((self.natural * PART + self.space) / (line_width + self.space))) if line_width > 0 else 1


def _measure_paragraph_extent(words: Sequence[Word]) -> _ParagraphExtent:
    spaces = [word.space for word in words[:-1]]
    return _ParagraphExtent(sum(word.width for word in words) + sum(spaces), max(spaces, default=0.0))


class _FaceMeasure:
    """Heights of a face in ems: how far its tall letters rise above the baseline, and how far its
    hanging ones reach below it.

    In its methods ``em`` is the length of an em in mm.
    """

    def __init__(self, maker: WordMaker) -> None:
        self.maker = maker
        font = maker.shaper.book[maker.base]
        self.ascent, self.descent = font.ascender_and_descender_height_in_ems
        self.capitals = font.cap_height / 1000
        self.underline = font.underline

    def compute_height_of_lines(self, lines: list[_TypesetLine], em: float, style: TextStyle) -> float:
        gaps = sum([line.gap_before for line in lines])
        below = sum([line.scale for line in lines[1:]])
        letters = self.ascent * lines[0].scale + self.descent * lines[-1].scale
        return (below * style.leading + gaps * style.gap + letters) * em

    def do_lines_fit_in_box(self, lines: list[_TypesetLine], em: float, box: Rect, style: TextStyle) -> bool:
        return self.compute_height_of_lines(
            lines, em, style
        ) <= box.height + 1e-6 and not self.get_first_too_wide_word_or_empty(lines, em, box)

    def is_too_high_for_box_however_broken(
        self, extents: Sequence[_ParagraphExtent], em: float, box: Rect, style: TextStyle
    ) -> bool:
        """Return whether the text is too high for the box wherever its lines are broken."""
        room = box.width / em * 1000
        least_lines = sum(extent.compute_lower_bound_of_line_count(room) for extent in extents)
        gaps = max(0, len(extents) - 1)
        ems = (least_lines - 1) * style.leading + gaps * style.gap + self.ascent + self.descent
        return ems * em > box.height + 1e-6

    def get_first_too_wide_word_or_empty(self, lines: list[_TypesetLine], em: float, box: Rect) -> str:
        """Return the first word that is wider than the box, or "" if there is none."""
        limit = box.width / em * 1000 + 1e-3
        for line in lines:
            if line.alone and line.natural + line.indent > limit:
                return line.alone
        return ""

    def compute_letter_top_of_first_line(
        self, lines: list[_TypesetLine], em: float, box: Rect, style: TextStyle
    ) -> float:
        """Return where the tall letters of the first line begin. A text in the middle is centred by
        its capitals, as eyes see it."""
        height = self.compute_height_of_lines(lines, em, style)
        if style.valign == "bottom":
            return box.bottom - height
        if style.valign == "middle":
            above, below = (self.ascent - self.capitals) * em, self.descent * em
            middle = box.y + (box.height - (height - above - below)) / 2 - above
            return min(max(middle, box.y), max(box.y, box.bottom - height))
        return box.y

    def describe_why_lines_do_not_fit(self, lines: list[_TypesetLine], size: float, box: Rect, style: TextStyle) -> str:
        em = pt_to_mm(size)
        word = self.get_first_too_wide_word_or_empty(lines, em, box)
        if word:
            return f"at {size:g} pt the word {word!r} is wider than its box of {box.width:.1f} mm"
        height = self.compute_height_of_lines(lines, em, style)
        return (
            f"at {size:g} pt, its least size, the text is {height:.1f} mm high ({len(lines)} lines)"
            f" and its box {box.height:.1f} mm"
        )


@lru_cache(maxsize=256)
def _list_type_sizes_largest_first(size: float, min_size: float | None) -> list[float]:
    """Return the sizes to try, from the largest to the least."""
    least = min(min_size or size, size)
    count = int((size - least) / STEP + 1e-9)
    sizes = [size - STEP * at for at in range(count + 1)]
    return sizes if sizes[-1] <= least + 1e-9 else [*sizes, least]


def _split_too_wide_words(words: list[Word], line_width: float) -> list[Word]:
    """Return the words. A word that is too wide for a line is split from the icons joined to it."""
    if max([word.width for word in words], default=0.0) <= line_width:
        return words
    parts: list[Word] = []
    for word in words:
        if word.width > line_width:
            parts += split_word_at_joined_icons(word)
        else:
            parts.append(word)
    return parts


def _find_line_starts_for_alignment(
    words: list[Word], widths: list[float], spaces: list[float], line_width: float, style: TextStyle
) -> list[int]:
    hyphens = [word.hyphen for word in words] if any(word.hyphen for word in words) else ()
    if style.align == "justify":
        return find_least_ragged_line_starts(widths, spaces, line_width, hyphens)
    if style.balance:
        return find_line_starts_with_shortest_long_line(widths, spaces, line_width, hyphens)
    return _move_word_beside_lone_short_last_word(
        find_line_start_indexes_greedily(widths, spaces, line_width, hyphens), widths, line_width
    )


def _move_word_beside_lone_short_last_word(starts: list[int], widths: list[float], line_width: float) -> list[int]:
    """Return the starts of the lines. A short word alone on the last line gets the word before it
    beside it."""
    if len(starts) < 2 or starts[-1] != len(widths) - 1 or widths[-1] > line_width * ORPHAN:
        return starts
    if starts[-1] - starts[-2] < 3 or widths[-2] + widths[-1] > line_width * 0.7:
        return starts
    return [*starts[:-1], starts[-1] - 1]


def _compute_start_of_aligned_line(
    align: Align, is_right_to_left: bool, line_width: float, words_width: float
) -> float:
    """Return where a line begins, in thousandths of an em from the left of its room."""
    if align == "centre":
        return (line_width - words_width) / 2
    if align == "right" or is_right_to_left:
        return line_width - words_width
    return 0.0


def _get_largest_letter_scale_on_line(words: Sequence[Word]) -> float:
    """Return how many times the text's size the largest letters of a line are, at least 1."""
    return max([atom.span.scale for word in words for atom in word.atoms if type(atom) is StyledAtom], default=1.0)


def _get_shape_of_one_shape_word(word: Word) -> ShapedText:
    shape = word.atoms[0]
    assert isinstance(shape, ShapedText)
    return shape


def _split_words_at_syllables_to_fill_lines(
    words: list[Word], line_width: float, maker: WordMaker, language: str
) -> list[Word]:
    """Return the words. A word that would leave a wide gap at a line's end, or is wider than a line,
    is split at a syllable."""
    done: list[Word] = []
    used = 0.0
    for word in words:
        rest = word
        while (left := line_width - used - (done[-1].space if used else 0.0)) < rest.width:
            has_room = not used or left > line_width * LEAST_ROOM
            parts = _hyphenate_plain_word_or_none(rest, left, maker, language) if has_room else None
            if parts:
                done.append(parts[0])
                rest = parts[1]
            elif not used:
                break
            used = 0.0
        used += rest.width + (done[-1].space if used else 0.0)
        done.append(rest)
    return done


def _hyphenate_plain_word_or_none(
    word: Word, available_width: float, maker: WordMaker, language: str
) -> tuple[Word, Word] | None:
    """Split a word in two. The first half, with its hyphen, is the longest that fits in
    ``available_width``, the room of the line. Return None if none fits."""
    if len(word.atoms) != 1 or not isinstance(word.atoms[0], ShapedText):
        return None
    if any(level % 2 for level in word.levels):
        return None  # pyphen parts no words of scripts that run to the left
    font = word.atoms[0].font
    for head, tail in _list_syllable_splits_longest_head_first(language, word.text):
        begun = maker.build_single_shape_word(head, font, 0.0)._replace(levels=word.levels)
        first = maker.copy_word_noting_width_of_hyphen(begun)
        if first.width + first.hyphen <= available_width:
            rest = maker.build_single_shape_word(tail, font, word.space)
            return first, rest._replace(hyphen=word.hyphen, levels=word.levels, space_level=word.space_level)
    return None


@lru_cache(maxsize=8192)
def _list_syllable_splits_longest_head_first(language: str, word: str) -> tuple[tuple[str, str], ...]:
    """Return the ways to split a word, the longest head first. Only a word of letters, apart from
    punctuation at its end, is split."""
    import pyphen

    name = pyphen.language_fallback(language)
    core = word.rstrip(".,;:!?")
    if name is None or not core.isalpha():
        return ()
    tail = word[len(core) :]
    return tuple((head, rest + tail) for head, rest in pyphen.Pyphen(lang=name).iterate(core))


# -- effects -------------------------------------------------------------------------------------------------
# Outlines and shadows of text, as shapes below it: the text itself stays text, said and found once.


class Shadow(NamedTuple):
    """A copy of letters below them: its colour, and how far it lies to the right and down (mm)."""

    colour: Colour
    right: float
    down: float


def iter_shadow_and_outline_paths(
    nodes: Iterable[Node], book: FontBook, outline: Stroke | None, shadow: Shadow | None
) -> Iterator[Path]:
    """Yield the shapes that lie below a text: first its shadow, then a line around its letters. The outline's width
    is what is seen of it beside the letters; a shadow is that of the letters with their outline."""
    lines = [node for node in nodes if isinstance(node, Glyphs)]
    wide = outline._replace(width=2 * outline.width) if outline is not None else None
    if shadow is not None:
        line = wide._replace(colour=shadow.colour) if wide is not None else None
        for glyphs in lines:
            yield Path(_build_outline_of_glyph_line(glyphs, book, shadow.right, shadow.down), shadow.colour, line)
    if wide is not None:
        for glyphs in lines:
            yield Path(_build_outline_of_glyph_line(glyphs, book), wide.colour, wide)


def _build_outline_of_glyph_line(
    glyphs: Glyphs, book: FontBook, right: float = 0.0, down: float = 0.0
) -> tuple[Command, ...]:
    """Return the outlines of a line of type, moved."""
    scale = pt_to_mm(glyphs.size) / 1000
    commands: list[Command] = []
    for start, shape in glyphs.pieces:
        x = glyphs.x + right + start
        offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
        for glyph, advance, (aside, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
            place = Transform(scale, 0, 0, -scale, x + aside * scale, glyphs.y + down - up * scale)
            commands += transform_outline(book[shape.font].get_glyph_outline(glyph), place)
            x += advance * scale
    return tuple(commands)

"""Words, which fill a line: rows of atoms (shapes and icons) that no line end may part, and the parts of a
text in a colour or size of their own."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

from playproof.generator.lazy_dict import LazyDict
from playproof.generator.scene import Colour, ShapedText, Symbol
from playproof.generator.type.direction import (
    ICON,
    compute_embedding_levels,
    has_right_to_left_characters,
    list_indexes_in_visual_order,
    split_text_at_level_changes,
    starts_in_right_to_left_script,
)
from playproof.generator.type.lines import (
    JOINER,
    SOFT_HYPHEN,
    ZERO_WIDTH_SPACE,
    find_break_indexes_without_spaces,
    strip_break_signs_and_tell_soft_hyphen,
)
from playproof.generator.type.markup import IconRun, Paragraph, Run
from playproof.generator.type.shaping import Features, Shaper

# Words, which fill a line. A word is a row of atoms (shapes and icons) that no line end may split.

CLOSE = ",.;:!?)"  # marks that stand close to the icon before them
NEAR = 0.88  # of an icon's width, before such a mark: icons have white about them
BLANK = " \t"
NUMBER = re.compile(r"[+\u2212-]?(\d+|X)[,.;:]?")
ENDS = ".,;:!?)…"  # marks that end a clause: an icon after one begins the next clause
FIGURES = re.compile(r"(\d+)")
SHOWN_LETTERS = 12  # of those that no font draws
FIGURE_FAMILY = "alegreya"  # its figures are as tall as capitals
CONTROLS = re.compile(f"[{SOFT_HYPHEN}{ZERO_WIDTH_SPACE}]")
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


class NoBreakGap(NamedTuple):
    """A space at which no line may end, between an icon and the words it belongs to."""

    width: float


class StyledAtom(NamedTuple):
    """A shape in a colour (None is the text's) and size of its own."""

    shape: ShapedText
    span: StyleSpan
    width: float


ShapeAtom = ShapedText | StyledAtom
Atom = ShapedText | StyledAtom | IconAtom | NoBreakGap


def _get_shape_of_text_atom_or_none(atom: Atom | None) -> ShapedText | None:
    if isinstance(atom, StyledAtom):
        return atom.shape
    return atom if isinstance(atom, ShapedText) else None


def _get_span_of_styled_atom_or_none(atom: Atom) -> StyleSpan | None:
    return atom.span if isinstance(atom, StyledAtom) else None


def _wrap_shape_in_span_if_any(shape: ShapedText, span: StyleSpan | None) -> ShapeAtom:
    return shape if span is None else StyledAtom(shape, span, shape.width * span.scale)


class Word(NamedTuple):
    """Atoms side by side, with their width in thousandths of an em. ``space`` follows unless a line
    ends here; it is 0 inside what is written without a space. ``hyphen`` is the width of the hyphen
    that is printed if a line ends here, or 0. Atoms stand in the order in which they are read; ``levels`` say which
    way each runs (`direction.py`), and are empty where all of a paragraph runs to the right."""

    atoms: tuple[Atom, ...]
    width: float
    space: float
    text: str
    hyphen: float = 0.0
    levels: tuple[int, ...] = ()
    space_level: int = 0


@lru_cache(maxsize=8192)
def _is_word_number_or_name_of_icon(icon_name: str, word: str) -> bool:
    """Return whether a word after an icon is its number, or begins its name: the icon of Food
    before "Food"."""
    first = icon_name.split(" ")[0].lower()
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
    tracking: float = 0.0  # thousandths of an em

    def find_font_key_of_run(self, shaper: Shaper, bold: bool, italic: bool) -> str:
        """Return the font key for a run. A family without that cut gives the nearest it has."""
        return shaper.book.get_key_of_nearest_cut_or_missing_key(self.family, bold or self.bold, italic != self.italic)


def split_word_at_joined_icons(word: Word) -> list[Word]:
    """Split a word that is too wide for its line where icons are joined to it."""
    starts = [0, *(at + 1 for at, atom in enumerate(word.atoms) if isinstance(atom, NoBreakGap))]
    ends = [*(start - 1 for start in starts[1:]), len(word.atoms)]
    parts = []
    for start, end, text in zip(starts, ends, word.text.split(" "), strict=True):
        atoms, levels = word.atoms[start:end], word.levels[start:end]
        space, level = word.space, word.space_level
        if end < len(word.atoms):
            space, level = word.atoms[end].width, word.levels[end] if word.levels else 0
        parts.append(Word(atoms, sum(atom.width for atom in atoms), space, text, levels=levels, space_level=level))
    return parts


def _join_runs_with_icons_as_joiners(paragraph: Paragraph) -> str:
    """Return a paragraph as one text, in which an icon is a sign that no line ends beside."""
    return "".join([JOINER if isinstance(run, IconRun) else run.text for run in paragraph.runs])


def _compute_levels_of_paragraph_or_empty(paragraph: Paragraph) -> tuple[int, ...]:
    """Return the level of each character of a paragraph in which something runs to the left, else nothing. An icon is
    one character."""
    text = "".join([ICON if isinstance(run, IconRun) else run.text for run in paragraph.runs])
    if not has_right_to_left_characters(text):
        return ()
    return compute_embedding_levels(text, starts_in_right_to_left_script(text))


def _copy_word_in_span_style(word: Word, span: StyleSpan | None) -> Word:
    """Return a plain word in the colour and size of a span."""
    if span is None:
        return word
    atoms = tuple(
        _wrap_shape_in_span_if_any(atom, span) if isinstance(atom, ShapedText) else atom for atom in word.atoms
    )
    return word._replace(atoms=atoms, width=sum([atom.width for atom in atoms]), space=word.space * span.scale)


def _is_east_asian_wide_character(char: str) -> bool:
    return bool(char) and unicodedata.east_asian_width(char) in "WF"


def _join_words_without_space(first: Word, other: Word) -> Word:
    """Return two words as one, with no space between. A closing mark stands close to the icon
    before it."""
    before = first.atoms[-1]
    atoms, width = first.atoms, first.width
    if isinstance(before, IconAtom) and isinstance(other.atoms[0], ShapedText) and other.text[0] in CLOSE:
        near = before._replace(width=before.width * NEAR)
        atoms, width = (*atoms[:-1], near), width - before.width + near.width
    return other._replace(
        atoms=(*atoms, *other.atoms),
        width=width + other.width,
        text=first.text + other.text,
        levels=(*first.levels, *other.levels),
    )


def _read_text_of_shape(shape: ShapedText, level: int) -> str:
    """Return the text of a shape as it is read: its glyphs stand as they are seen."""
    return "".join(reversed(shape.chars)) if level % 2 else shape.text


def list_words_in_visual_order(words: Sequence[Word]) -> list[Word]:
    """Return the words of a line with their atoms in the order in which they are seen from left to right. There are as
    many spaces between words as before."""
    parts: list[tuple[Atom, int, bool]] = []  # with its level, and whether it is the space between two words
    for number, word in enumerate(words):
        parts += [(atom, level, False) for atom, level in zip(word.atoms, word.levels, strict=True)]
        if number + 1 < len(words):
            parts.append((NoBreakGap(word.space), word.space_level, True))
    seen: list[Word] = []
    atoms: list[Atom] = []
    for at in list_indexes_in_visual_order([level for _, level, _ in parts]):
        atom, _, is_space = parts[at]
        if is_space:
            seen.append(Word(tuple(atoms), sum([each.width for each in atoms]), atom.width, ""))
            atoms = []
        else:
            atoms.append(atom)
    return [*seen, Word(tuple(atoms), sum([each.width for each in atoms]), 0.0, "")]


class WordMaker:
    """Makes the words of paragraphs in one face, and remembers plain words and icons."""

    def __init__(
        self,
        shaper: Shaper,
        face: Typeface,
        icons: Mapping[str, Symbol],
        names: Mapping[str, str],
        language: str = "en",
    ) -> None:
        self.language = language
        self.shaper = shaper
        self.face = face
        self.icons = icons
        self.names = names
        self.fonts = {
            (bold, italic): face.find_font_key_of_run(shaper, bold, italic)
            for bold in (True, False)
            for italic in (True, False)
        }
        self.base = self.fonts[(False, False)]
        self.space = self.shape_text_with_face_features(self.base, " ").width
        self._plain = {font: LazyDict(partial(self._build_word_of_one_font, font)) for font in self.fonts.values()}
        self._icons = LazyDict(self._build_icon_word)
        self._gaps = LazyDict(NoBreakGap)

    def build_words_of_paragraph(self, paragraph: Paragraph) -> list[Word]:
        """Return the paragraph's words in order. The last has no space after it."""
        words: list[Word] = []
        icons: list[int] = []  # which words have icons
        open_ = False  # whether what follows without a space belongs to the last word
        start = 0
        joined = _join_runs_with_icons_as_joiners(paragraph)
        breaks = find_break_indexes_without_spaces(joined, self.language)
        levels = _compute_levels_of_paragraph_or_empty(paragraph)
        for run in paragraph.runs:
            if isinstance(run, IconRun):
                added = [self._icons[run.name]]
                if levels:
                    space_level = levels[min(start + 1, len(levels) - 1)]
                    added = [added[0]._replace(levels=levels[start : start + 1], space_level=space_level)]
                before, after = open_, True
                icons.append(len(words) - open_)
                start += len(JOINER)
            else:
                text = run.text
                added = self._build_run_words(run, start, breaks, levels)
                before, after = open_ and text[0] not in BLANK, text[-1] not in BLANK
                if run.span is not None and added and after:
                    added[-1] = added[-1]._replace(space=self.space)  # the next run begins with it
                if before and start in breaks:
                    words[-1], before = words[-1]._replace(space=0.0), False
                start += len(text)
            if before and added:
                words[-1] = _join_words_without_space(words[-1], added.pop(0))
            words += added
            open_ = after and (open_ or bool(added) or before)
        if words:
            words[-1] = words[-1]._replace(space=0.0, hyphen=0.0)
        return self._join_icons_to_words(words, icons) if icons else words

    def _build_run_words(
        self, run: Run, start_in_paragraph: int, break_indexes: Set[int], levels: Sequence[int]
    ) -> list[Word]:
        """Return the words of a run that begins at ``start_in_paragraph`` of its paragraph. What is written
        without a space is parted where a line may end."""
        font = self.fonts[(run.bold, run.italic)]
        plain_words = self._plain[font]
        parts = run.text.replace("\t", " ").split(" ")
        if not break_indexes and not levels and not CONTROLS.search(run.text):
            plain = [plain_words[part] for part in parts if part]
            return plain if run.span is None else [_copy_word_in_span_style(word, run.span) for word in plain]
        words: list[Word] = []
        for part in parts:
            cuts = [at for at in range(1, len(part)) if start_in_paragraph + at in break_indexes]
            for begin, end in pairwise([0, *cuts, len(part)]):
                text, is_soft = strip_break_signs_and_tell_soft_hyphen(part[begin:end])
                if text:
                    piece = slice(start_in_paragraph + begin, start_in_paragraph + end)
                    word = (
                        self._build_word_of_levels(font, part[begin:end], levels[piece])
                        if levels
                        else plain_words[text]
                    )
                    space_at = min(start_in_paragraph + end, len(levels) - 1)
                    words.append(
                        _copy_word_in_span_style(word, run.span)._replace(
                            space=self.space if end == len(part) else 0.0,
                            space_level=levels[space_at] if levels else 0,
                        )
                    )
                if words and is_soft:
                    words[-1] = self.copy_word_noting_width_of_hyphen(words[-1])
            start_in_paragraph += len(part) + 1
        return words

    def _build_word_of_levels(self, font: str, text: str, levels: Sequence[int]) -> Word:
        """Return a plain word whose parts run to the right or to the left, in the order in which they are read."""
        atoms: list[Atom] = []
        atom_levels: list[int] = []
        for part, level in split_text_at_level_changes(text, levels):
            bare, _ = strip_break_signs_and_tell_soft_hyphen(part)
            shapes = self.shape_text_with_lining_figures(font, bare, level % 2 == 1) if bare else []
            atoms += shapes
            atom_levels += [level] * len(shapes)
        whole, _ = strip_break_signs_and_tell_soft_hyphen(text)
        return Word(tuple(atoms), sum([atom.width for atom in atoms]), self.space, whole, levels=tuple(atom_levels))

    def copy_word_noting_width_of_hyphen(self, word: Word) -> Word:
        """Return a word behind which a line may end with a hyphen."""
        hyphenated = self._copy_word_with_hyphen_or_none(word)
        return word if hyphenated is None else word._replace(hyphen=hyphenated.width - word.width)

    def _copy_word_with_hyphen_or_none(self, word: Word) -> Word | None:
        """Return a word with a hyphen behind it, or None if it does not end in letters."""
        return (
            self._merge_pieces_of_word_or_none(word, Word((), 0.0, word.space, "-"))
            if isinstance(word.atoms[-1], ShapedText)
            else None
        )

    def merge_unspaced_words_and_add_hyphen(self, words: Sequence[Word], justify: bool) -> Sequence[Word]:
        """Return the words of one line: what is written without a space is one word again, shaped as one, and a
        hyphen stands at the end if one is wanted there. Justified signs of Chinese and its like stay apart."""
        if words[-1].hyphen == 0.0 and all(word.space for word in words[:-1]):
            return words
        done = [words[0]]
        for word in words[1:]:
            before = done[-1]
            is_apart = before.space or (
                justify
                and _is_east_asian_wide_character(before.text[-1:])
                and _is_east_asian_wide_character(word.text[:1])
            )
            merged = None if is_apart else self._merge_pieces_of_word_or_none(before, word)
            done[-1:] = [before, word] if merged is None else [merged]
        if done[-1].hyphen:
            done[-1] = self._copy_word_with_hyphen_or_none(done[-1]) or done[-1]
        return done

    def _merge_pieces_of_word_or_none(self, first: Word, other: Word) -> Word | None:
        """Return two pieces of one word as one: letters that meet are shaped together. ``other`` without atoms is
        its text in the font before it."""
        before, after = first.atoms[-1], other.atoms[0] if other.atoms else None
        atoms = (*first.atoms, *other.atoms)
        levels = (*first.levels, *other.levels)
        level = first.levels[-1] if levels else 0
        shape, next_shape = _get_shape_of_text_atom_or_none(before), _get_shape_of_text_atom_or_none(after)
        is_alike = next_shape is None or (
            shape is not None
            and shape.font == next_shape.font
            and (not levels or level == other.levels[0])
            and _get_span_of_styled_atom_or_none(before) == _get_span_of_styled_atom_or_none(atoms[len(first.atoms)])
        )
        if shape is not None and is_alike and (after is None or next_shape is not None):
            letters = _read_text_of_shape(shape, level)
            letters += other.text if next_shape is None else _read_text_of_shape(next_shape, level)
            middle = _wrap_shape_in_span_if_any(
                self.shape_text_with_face_features(shape.font, letters, level % 2 == 1),
                _get_span_of_styled_atom_or_none(before),
            )
            atoms = (*first.atoms[:-1], middle, *other.atoms[1:])
            levels = (*first.levels, *other.levels[1:])
        return other._replace(
            atoms=atoms, width=sum([atom.width for atom in atoms]), text=first.text + other.text, levels=levels
        )

    def _build_word_of_one_font(self, font: str, text: str) -> Word:
        """Return a plain word of one font."""
        atoms = tuple(self.shape_text_with_lining_figures(font, text))
        return Word(atoms, sum([atom.width for atom in atoms]), self.space, text)

    def shape_text_with_lining_figures(self, font: str, text: str, is_right_to_left: bool = False) -> list[Atom]:
        """Return the text in its font, in the order in which it is read. If the font's figures are lower than
        capitals, another font draws the figures."""
        if not _DIGIT.search(text) or self.shaper.book[font].has_lining_figures:
            pieces = list(self.shaper.split_text_by_font_that_draws_it(font, text))
        else:
            figures = self._get_lining_figure_font_or_same(font)
            parts = (part for part in FIGURES.split(text) if part)
            pieces = [
                piece
                for part in parts
                for piece in self.shaper.split_text_by_font_that_draws_it(figures if part[0].isdigit() else font, part)
            ]
        return [self.shape_text_with_face_features(piece.font, piece.text, is_right_to_left) for piece in pieces]

    def shape_text_with_face_features(self, font: str, text: str, is_right_to_left: bool = False) -> ShapedText:
        """Return a text as one shape, with the features and the tracking of this face."""
        return self.shaper.shape_text_in_font_or_fallback(
            font, text, self.face.features, self.face.tracking, is_right_to_left
        )

    def _get_lining_figure_font_or_same(self, font: str) -> str:
        """Return the font that draws figures as high as capitals beside this one."""
        wanted = FIGURE_FAMILY + ("-bold" if "bold" in font else "-regular")
        return wanted if wanted in self.shaper.book else font

    def _join_icons_to_words(self, words: list[Word], indexes_of_words_with_icons: Sequence[int]) -> list[Word]:
        """Return the words, with each icon joined to the word it belongs to. ``indexes_of_words_with_icons`` are the
        indexes of the words with icons."""
        joined: list[Word] = []
        done = 0
        for at in sorted({near for icon in indexes_of_words_with_icons for near in (icon, icon + 1)}):
            if not 0 < at < len(words):
                continue
            joined += words[done:at]
            done = at + 1
            before, word = joined[-1], words[at]
            if self._must_icon_and_word_stay_on_one_line(before, word, words[at + 1] if at + 1 < len(words) else None):
                joined.pop()
                word = word._replace(
                    atoms=(*before.atoms, self._gaps[before.space], *word.atoms),
                    width=before.width + before.space + word.width,
                    text=f"{before.text} {word.text}",
                    hyphen=0.0,
                    levels=(*before.levels, before.space_level, *word.levels) if word.levels else (),
                )
            joined.append(word)
        return joined + words[done:]

    def _must_icon_and_word_stay_on_one_line(self, word: Word, other: Word, following: Word | None) -> bool:
        """Return whether no line may end between two words, because an icon in one belongs to the
        other.

        An icon belongs to its own name or number after it. Otherwise it belongs to the word before
        it. If a clause or another icon ends there, it belongs to the word after it.
        """
        before, after = word.atoms[-1], other.atoms[0]
        if isinstance(after, IconAtom):
            if not isinstance(before, ShapedText) or before.text[-1:] in ENDS:
                return False
            following_atom = following.atoms[0] if following is not None and len(other.atoms) == 1 else None
            named = isinstance(following_atom, ShapedText) and _is_word_number_or_name_of_icon(
                after.says, following_atom.text
            )
            return not named or bool(NUMBER.fullmatch(before.text))
        if not isinstance(before, IconAtom):
            return False
        return len(word.atoms) == 1 or (
            isinstance(after, ShapedText) and _is_word_number_or_name_of_icon(before.says, after.text)
        )

    def build_single_shape_word(self, text: str, font: str, space: float) -> Word:
        """Return a word of one shape."""
        shape = self.shape_text_with_face_features(font, text)
        return Word((shape,), shape.width, space, text)

    def _build_icon_word(self, name: str) -> Word:
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

    def describe_why_paragraphs_cannot_be_set(self, paragraphs: tuple[Paragraph, ...]) -> list[str]:
        """Return the characters that no font draws and the icons that do not exist, in words."""
        problems: list[str] = []
        joined = self._find_first_joined_letter_or_empty(paragraphs) if self.face.tracking else ""
        if joined:
            problems.append(f"tracking would part letters that are joined, such as {joined!r}: leave it out here")
        for paragraph in paragraphs:
            for run in paragraph.runs:
                if isinstance(run, IconRun):
                    if run.name not in self.icons:
                        problems.append(f"there is no icon {run.name!r}")
                elif not run.text.isascii():
                    problems += self._list_sentence_on_missing_glyphs(run)
        return list(dict.fromkeys(problems)) if problems else problems

    def _find_first_joined_letter_or_empty(self, paragraphs: tuple[Paragraph, ...]) -> str:
        """Return the first letter of a script that joins its letters, or ""."""
        letters = (char for each in paragraphs for run in each.runs if isinstance(run, Run) for char in run.text)
        return next((char for char in letters if unicodedata.bidirectional(char) == "AL"), "")

    def _list_sentence_on_missing_glyphs(self, run: Run) -> list[str]:
        """Return one sentence on all letters of a run that no font draws; nothing if there are none."""
        font = self.fonts[(run.bold, run.italic)]
        missing = "".join(self.shaper.join_characters_that_no_font_draws(font, word) for word in run.text.split())
        letters = list(dict.fromkeys(missing))
        if not letters:
            return []
        others = f" and {len(letters) - 1} more" if len(letters) > 1 else ""
        more = "..." if len(letters) > SHOWN_LETTERS else ""
        return [
            f"the font {font} has no glyph for {''.join(letters[:SHOWN_LETTERS]) + more!r} "
            f"(U+{ord(letters[0]):04X}{others}), nor has one beside it: "
            + ("install the fonts for them (`pip install 'playproof[cjk]'`), or " if _is_east_asian(letters) else "")
            + "put a font that has such letters into fonts/ beside the game's layouts"
        ]


def _is_east_asian(letters: Iterable[str]) -> bool:
    """Return whether letters are of Chinese, Japanese or Korean, for which there is an extra."""
    names = (unicodedata.name(letter, "") for letter in letters)
    return any(name.startswith(("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "BOPOMOFO")) for name in names)


# -- spans ---------------------------------------------------------------------------------------------------
# Parts of a text in a colour or size of their own.

_FIRST, _LAST, _CLOSE = 0x10F000, 0x10F7FF, 0x10FFFD
MOST_SPANS = _LAST - _FIRST + 1
_SIGN = re.compile(f"([{chr(_FIRST)}-{chr(_LAST)}{chr(_CLOSE)}])")


class StyleSpan(NamedTuple):
    """What letters have of their own: a colour, or None; and how many times the size of their text they are."""

    colour: Colour | None = None
    scale: float = 1.0


PLAIN = StyleSpan()


def get_sign_that_opens_span(span_number: int) -> str:
    """Return the sign that opens a span, by its number in the text."""
    return chr(_FIRST + span_number)


CLOSING = chr(_CLOSE)


def replace_span_signs_by_run_styles(
    paragraphs: Iterable[Paragraph], spans: Sequence[StyleSpan]
) -> tuple[Paragraph, ...]:
    """Return paragraphs whose runs know their spans, without the signs. An inner span keeps of the outer one what it
    does not say itself."""
    stack = [PLAIN]
    done = []
    for paragraph in paragraphs:
        runs: list[Run | IconRun] = []
        for run in paragraph.runs:
            if isinstance(run, IconRun):
                runs.append(run)
                continue
            for part in _SIGN.split(run.text):
                if _SIGN.fullmatch(part) is None:
                    if part:
                        runs.append(run._replace(text=part, span=stack[-1] if stack[-1] != PLAIN else None))
                elif part == CLOSING:
                    del stack[max(1, len(stack) - 1) :]
                else:
                    own, outer = spans[ord(part) - _FIRST], stack[-1]
                    scale = own.scale if own.scale != 1 else outer.scale
                    stack.append(StyleSpan(own.colour or outer.colour, scale))
        done.append(paragraph._replace(runs=tuple(runs)))
    return tuple(done)

"""Text of SVG pictures as outlines, in the fonts that the game has (SVG 1.1, 10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple
from unicodedata import category, combining
from xml.etree.ElementTree import Element

from playproof.generator.art.outlines import transform_outline
from playproof.generator.art.picture_files import NotDrawableAsVectors
from playproof.generator.scene import Command, ShapedText, Transform
from playproof.generator.type.direction import (
    compute_embedding_levels,
    list_indexes_in_visual_order,
    split_text_at_level_changes,
)
from playproof.generator.type.shaping import Shaper

GENERIC = {"serif": "alegreya", "sans-serif": "alegreyasans", "cursive": "merienda"}
UNDRAWN = {  # what would move or change letters, and the values that change nothing
    "textLength": (), "rotate": ("0",), "font": (), "shape-inside": (), "dominant-baseline": ("auto", "alphabetic"),
    "baseline-shift": ("baseline", "0"), "inline-size": ("0", "auto"), "direction": ("ltr",),
    "word-spacing": ("normal", "0", "0px"), "text-transform": ("none",), "font-variant": ("normal",),
    "font-variant-caps": ("normal",), "font-stretch": ("normal",), "writing-mode": ("lr", "lr-tb", "horizontal-tb"),
    "text-decoration": ("none",), "text-decoration-line": ("none",), "font-feature-settings": ("normal",),
    "font-variation-settings": ("normal",), "font-variant-ligatures": ("normal",), "font-variant-numeric": ("normal",),
    "font-variant-east-asian": ("normal",), "font-variant-position": ("normal",), "text-shadow": ("none",),
    "text-indent": ("0", "0px"), "font-kerning": ("auto", "normal"), "font-size-adjust": ("none",),
}  # fmt: skip
HOW = (
    "turn the text into outlines (Inkscape: Path, Object to Path; Illustrator: Type, Create Outlines), "
    "or put the font's file into fonts/ beside the game's layouts"
)


class _TextStyle(NamedTuple):
    """What a piece of text inherits."""

    family: str = "serif"
    size: float = 16.0
    weight: str = "400"
    slant: str = "normal"
    anchor: str = "start"
    spacing: float = 0.0
    preserve: bool = False


class OutlinedTextRun(NamedTuple):
    """Words of one element at one place: the element decides their paint."""

    element: Element
    commands: tuple[Command, ...]


Property = Callable[[Element, str], str]
Length = Callable[[str], float]


def list_outlines_of_text_runs_or_raise(
    text_element: Element,
    parents: Sequence[Element],
    get_property: Property,
    parse_length: Length,
    shaper: Shaper | None,
) -> list[OutlinedTextRun]:
    """Return the outlines of a ``text`` element, which inherits of its ``parents``, the outermost first. Raises
    ValueError for a font that the game does not have."""
    if shaper is None:
        raise NotDrawableAsVectors("text cannot be drawn here; turn it into outlines")
    return _TextOutliner(get_property, parse_length, shaper).outline_text_and_children(text_element, parents)


class _TextOutliner:
    """Follows the text's position from element to element."""

    def __init__(self, property_of: Property, length_of: Length, shaper: Shaper) -> None:
        self.property_of, self.length_of, self.shaper = property_of, length_of, shaper
        self.x = self.y = 0.0
        # words whose anchor is not settled, each with where it ends and where its last letter does
        self.open: list[tuple[Element, tuple[Command, ...], float, float]] = []
        self.anchor = "start"
        self.start = 0.0
        self.element_count = 1
        self.made: list[OutlinedTextRun] = []
        self.blank = True  # whether a space here would be a second one

    def outline_text_and_children(self, text_element: Element, parents: Sequence[Element]) -> list[OutlinedTextRun]:
        style = _TextStyle()
        self.element_count = sum(1 for part in text_element.iter() if part.text or part.tail)
        for parent in parents:
            self._refuse_what_would_change_letters(parent)
            style = self._merge_own_style_into_inherited(parent, style)
        self._outline_element_and_children(text_element, style, is_outermost=True)
        self._align_words_by_their_anchor(is_end_of_text=True)
        return self.made

    def _outline_element_and_children(
        self, element: Element, inherited_style: _TextStyle, is_outermost: bool = False
    ) -> None:
        tag = str(element.tag).rpartition("}")[2]
        if tag != "tspan" and not is_outermost:
            raise NotDrawableAsVectors(f"{tag!r} in a text cannot be drawn here")
        self._refuse_what_would_change_letters(element)
        pen = self._merge_own_style_into_inherited(element, inherited_style)
        self._move_pen_to_element_position(element, pen)
        self._outline_words_at_pen(element, element.text or "", pen)
        for child in element:
            if self.property_of(child, "display") != "none":
                self._outline_element_and_children(child, pen)
            self._outline_words_at_pen(element, child.tail or "", pen)

    def _refuse_what_would_change_letters(self, element: Element) -> None:
        for name, plain in UNDRAWN.items():
            if (word := self.property_of(element, name)) and word not in (*plain, "inherit"):
                raise NotDrawableAsVectors(f"text with {name!r} {word!r} cannot be drawn here")

    def _merge_own_style_into_inherited(self, element: Element, inherited_style: _TextStyle) -> _TextStyle:
        def word(name: str, default: str) -> str:
            own = self.property_of(element, name)
            return default if own in ("", "inherit") else own

        spacing = word("letter-spacing", "")
        space = element.get("{http://www.w3.org/XML/1998/namespace}space", "")
        style = _TextStyle(
            word("font-family", inherited_style.family),
            _parse_font_size(word("font-size", ""), inherited_style.size, self.length_of),
            resolve_font_weight(word("font-weight", ""), inherited_style.weight),
            word("font-style", inherited_style.slant),
            word("text-anchor", inherited_style.anchor),
            inherited_style.spacing if not spacing else self._parse_letter_spacing(spacing),
            space == "preserve" if space else inherited_style.preserve,
        )
        if style.size <= 0:
            raise NotDrawableAsVectors("text without a size cannot be drawn here")
        return style

    def _parse_letter_spacing(self, word: str) -> float:
        return 0.0 if word == "normal" else self.length_of(word)

    def _move_pen_to_element_position(self, element: Element, style: _TextStyle) -> None:
        """Begin anew where the element says a place; single places for letters are not drawn."""
        places = {name: element.get(name, "").replace(",", " ").split() for name in ("x", "y", "dx", "dy")}
        if any(len(values) > 1 for values in places.values()):
            raise NotDrawableAsVectors("text with a place for each letter cannot be drawn here")
        x, y, dx, dy = (self.length_of(values[0]) if values else None for values in places.values())
        if x is not None or y is not None:
            self._align_words_by_their_anchor()
            self.x = self.x if x is None else x
            self.y = self.y if y is None else y
            self.start, self.anchor, self.blank = self.x, style.anchor, True
        self.x += dx or 0.0
        self.y += dy or 0.0

    def _outline_words_at_pen(self, element: Element, text: str, style: _TextStyle) -> None:
        text = re.sub(r"[\n\t\r]", " ", text)
        if not style.preserve:
            text = re.sub(" +", " ", text.lstrip(" ") if self.blank else text)
        if not text:
            return
        self.blank = text.endswith(" ")
        font = find_listed_font_key_or_raise(style.family, self.shaper, style.weight, style.slant)
        if lacking := self.shaper.join_characters_that_no_font_draws(font, text):
            raise ValueError(f"no font draws {lacking!r}")
        self._refuse_letters_that_reach_beyond_their_element(element, text, font, style)
        if not self.open:
            self.anchor = style.anchor  # of the first letter
        commands: list[Command] = []
        for shape in self._iter_shapes_in_visual_order(font, text, style.spacing / style.size * 1000):
            commands += self._iter_glyph_outlines_and_move_pen(shape, style.size / 1000)
        drawn = text.rstrip(" ")
        trailing = 0.0
        if drawn != text and not style.preserve:
            trailing = self.shaper.shape_text_in_font_or_fallback(font, " ", ()).width * style.size / 1000
        last = self.x - style.spacing  # what is spaced is between letters, not behind them
        end = last - trailing if drawn or not self.open else self.open[-1][3]
        self.open.append((element, tuple(commands), last, end))

    def _iter_shapes_in_visual_order(self, font: str, text: str, tracking: float) -> Iterator[ShapedText]:
        """Yield the shapes of a text from left to right, as they are seen. A text of SVG runs to the right.
        ``tracking`` is in thousandths of an em."""
        levels = compute_embedding_levels(text, is_right_to_left=False)
        parts = [
            (piece, level)
            for part, level in split_text_at_level_changes(text, levels)
            for piece in self.shaper.split_text_by_font_that_draws_it(font, part)
        ]
        for at in list_indexes_in_visual_order([level for _, level in parts]):
            piece, level = parts[at]
            yield self.shaper.shape_text_in_font_or_fallback(
                piece.font, piece.text, (), tracking, is_right_to_left=level % 2 == 1
            )

    def _iter_glyph_outlines_and_move_pen(self, shape: ShapedText, scale: float) -> Iterator[Command]:
        """Yield the outlines of a shape at the pen, and move the pen behind it."""
        offsets = shape.offsets or ((0.0, 0.0),) * len(shape.glyphs)
        for glyph, advance, (right, up) in zip(shape.glyphs, shape.advances, offsets, strict=True):
            place = Transform(scale, 0, 0, -scale, self.x + right * scale, self.y - up * scale)
            yield from transform_outline(self.shaper.book[shape.font].get_glyph_outline(glyph), place)
            self.x += advance * scale

    def _refuse_letters_that_reach_beyond_their_element(
        self, element: Element, text: str, font: str, style: _TextStyle
    ) -> None:
        """Raise NotDrawableAsVectors for words that are more than one letter after another to the right."""
        levels = compute_embedding_levels(text, is_right_to_left=False)
        is_part = self.element_count > 1
        if is_part and (any(levels) or combining(text[0]) or category(text[0]) in ("Mc", "Cf")):
            raise NotDrawableAsVectors("words of several parts with letters that join or turn cannot be drawn here")
        if style.spacing and any(levels):
            raise NotDrawableAsVectors("spaced letters that run to the left cannot be drawn here")
        own = [self.shaper.book[font], *self.shaper.book.iter_fallback_fonts_game_fonts_first("regular")]
        for char in set(text) if any(one.may_lack_outlines for one in own) else ():
            if any(ord(char) in one.codepoints and not one.has_outline_for_character(char) for one in own):
                raise NotDrawableAsVectors(f"{char!r} of a font of colours cannot be drawn here")

    def _align_words_by_their_anchor(self, is_end_of_text: bool = False) -> None:
        """Move the words since the last place by what their anchor says. A space before the next place counts."""
        if self.open:
            *_, end, end_of_letters = self.open[-1]
            width = (end_of_letters if is_end_of_text else end) - self.start
            left = {"middle": width / 2, "end": width}.get(self.anchor, 0.0)
            for element, commands, *_ in self.open:
                self.made.append(OutlinedTextRun(element, transform_outline(commands, Transform.move(-left, 0))))
            self.open = []


def _parse_font_size(text: str, inherited_size: float, parse_length: Length) -> float:
    if not text:
        return inherited_size
    if text.endswith("ex") or text[:1].isalpha():
        raise NotDrawableAsVectors(f"text of the size {text!r} cannot be drawn here")
    if text.endswith(("%", "em")):
        number = float(text.removesuffix("%").removesuffix("em"))
        return inherited_size * (number / 100 if text.endswith("%") else number)
    return parse_length(text)


WEIGHT_NAMES = {
    100: "thin", 200: "extralight", 300: "light", 500: "medium", 600: "semibold", 800: "extrabold", 900: "black",
}  # fmt: skip
HEAVIER = ((350, 400), (550, 700), (1001, 900))
LIGHTER = ((550, 100), (750, 400), (1001, 700))
"""What ``bolder`` and ``lighter`` make of an inherited weight below each bound (CSS Fonts 4, 2.2)."""


def resolve_font_weight(word: str, inherited: str) -> str:
    """Return a weight as a number from 1 to 1000, of CSS's word and the weight around it. A word that is no weight
    changes nothing."""
    around = float(inherited)
    if word in ("bolder", "lighter"):
        steps = HEAVIER if word == "bolder" else LIGHTER
        heavier = next(weight for bound, weight in steps if around < bound)
        return str(max(heavier, around) if word == "bolder" else min(heavier, around))
    number = {"normal": "400", "bold": "700"}.get(word, word)
    return number if number.replace(".", "", 1).isdigit() and 1 <= float(number) <= 1000 else inherited


def find_listed_font_key_or_raise(family_list: str, shaper: Shaper, weight: str = "400", slant: str = "normal") -> str:
    """Return the key of the first of the families that the game has, in the text's cut. Raises ValueError if it has
    none."""
    heavy = float(resolve_font_weight(weight, "400"))
    italic = "italic" if slant in ("italic", "oblique") else ""
    cut = ("bold" if heavy >= 600 else "") + italic or "regular"
    exact = WEIGHT_NAMES.get(int(heavy), "")
    families = [name.strip().strip("'\"") for name in family_list.split(",")]
    for key in _iter_possible_font_keys(families, cut, exact and exact + italic):
        if key in shaper.book:
            return key
    raise ValueError(f"the game has no font {families[0]!r} ({cut}); {HOW}")


def _iter_possible_font_keys(families: list[str], cut: str, exact_cut: str = "") -> Iterator[str]:
    """Yield the keys that the families may have: by family and cut, or by the name of one cut (``Alegreya-Bold``).
    ``exact_cut`` is that of a weight beside regular and bold, which wins where the family has it."""
    for family in families:
        name = GENERIC.get(family.lower(), family).replace(" ", "").lower()
        if exact_cut:
            yield f"{name}-{exact_cut}"
        yield f"{name}-{cut}"
        yield name

"""A first layout for the cards of a sheet, from what its columns are for, as their values show: it prints
at once, and is a file that its author goes on with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Literal, NamedTuple

from playproof.database.game import Game
from playproof.database.sheet_cells import (
    NAMES,
    is_design_note_heading,
    is_design_note_heading_above_texts,
    is_heading_of_card_titles,
    is_heading_of_ids_or_numbers,
    is_likely_note_heading,
    normalize_heading,
    split_heading_into_casefolded_words,
)
from playproof.generator.art.picture_files import PICTURE_SUFFIXES
from playproof.generator.layout.model import SIZES
from playproof.generator.type.fonts import FontBook, find_family_that_draws_letters

# A first layout for the cards of a sheet, from what its columns are for: it prints at once, and is a file
# that its designer goes on from.

PICTURES = "pictures"
"""The folder of a game that a drafted layout looks for pictures in."""
SMALLEST_CARD, LARGEST_CARD = 30.0, 300.0
"""The sides that a drafted card may have, in mm."""
_BAND = 16.0  # mm from the upper edge: the title stands in it
_LEAST_SCALE = 0.6
_STATS, _STATS_IN_ROW, _MOST_STATS = 14.5, 5, 10
_LINE = 6.0  # mm: a row of short texts
_WITH_PICTURE = ((0.43, 9.5), (0.38, 9.0), (0.33, 8.5), (0.29, 8.0), (0.22, 7.0))
_WITHOUT = ((0.0, 9.0), (0.0, 8.0), (0.0, 7.0))
"""The height of the picture, as a share of the card's, and the least size of the main text, to try in this order."""
_MOST_LOST = 1.3  # times: a picture of other proportions is shown whole, and not cut to its box
_LISTED = 10.0  # mm: a number of a card that has only numbers
_FOOT = 4.0  # mm from the lower edge, without numbers
_WIDEST_NOTE = 140  # letters of a text that is set in the middle
_IN_QUOTES = str.maketrans("'\"{}\\\n", "’”()/ ")
_PALETTES = (
    {"ink": "#2b2a33", "paper": "#f7f2e6", "dark": "#24463a", "accent": "#d9a441"},
    {"ink": "#2b2a33", "paper": "#f6f0ea", "dark": "#5a2d4c", "accent": "#e0a64b"},
    {"ink": "#26282f", "paper": "#f1f3ee", "dark": "#2c3f66", "accent": "#dcae54"},
    {"ink": "#2e2a26", "paper": "#f7f0e4", "dark": "#6b3a22", "accent": "#d8a94a"},
)


class DraftSizes(NamedTuple):
    """How much room a draft gives: the name of the card's size, its width and height, the picture's height and the
    least size of the main text, in mm and points."""

    size: str
    width: float
    height: float
    picture: float
    least: float


def iter_draft_sizes_best_looking_first(has_picture: bool, size: CardSize | None = None) -> Iterator[DraftSizes]:
    """Yield the measures to try, the best looking first: the last have room for much text. If a size is asked for,
    all have it."""
    sizes = [size] if size else [CardSize(name, *SIZES[name]) for name in ("poker", "tarot", "a6")]
    for name, width, height in sizes:
        shares = (*_WITH_PICTURE, (0.15, 7.0)) if has_picture and size else _WITH_PICTURE if has_picture else _WITHOUT
        for share, least in shares:
            yield DraftSizes(name, width, height, round(share * height, 1), least)


class CardSize(NamedTuple):
    """A size of cards: its name or `[width, height]`, as a layout writes it, and its width and height in mm."""

    name: str
    width: float
    height: float


def parse_card_size_or_none(text: str) -> CardSize | None:
    """Return the size that a name of a layout means, or `70x120` in mm; None for any other text.

    >>> parse_card_size_or_none("70 x 120mm")
    CardSize(name='[70, 120]', width=70.0, height=120.0)
    """
    name = re.sub(r"[\s_]+", "-", text.strip().casefold())
    if name in SIZES:
        return CardSize(name, *SIZES[name])
    sides = re.fullmatch(r"(\d+(?:[.,]\d+)?) ?[x×*,] ?(\d+(?:[.,]\d+)?) ?(?:mm)?", text.strip().casefold())
    if sides is None:
        return None
    width, height = (float(side.replace(",", ".")) for side in sides.groups())
    is_card = min(width, height) >= SMALLEST_CARD and max(width, height) <= LARGEST_CARD
    return CardSize(f"[{width:g}, {height:g}]", width, height) if is_card else None


_STYLE_FONT = re.compile(r"family: (\w+)(, bold: true)?")


class LayoutDraft(NamedTuple):
    """A layout as YAML, and the columns that it does not show."""

    text: str
    left_out: tuple[SheetColumn, ...]


def draft_layout_yaml(
    kind: str,
    columns: Sequence[SheetColumn],
    sizes: DraftSizes,
    *,
    picture_suffix: str = "",
    picture_aspect: float = 0,
    palette_number: int = 0,
    fonts: FontBook | None = None,
) -> LayoutDraft:
    """Return a layout for a kind. ``picture_suffix`` is what the names of pictures leave out, ``picture_aspect``
    how many times as wide as high they are (0 if they differ), and ``palette_number`` chooses the colours. Its styles
    take families of ``fonts`` that draw the letters of the cards."""
    drafter = _LayoutDrafter(kind, columns, sizes, picture_suffix, picture_aspect, palette_number)
    drafter.fonts = fonts
    return drafter.build_layout_draft()


class _LayoutDrafter:
    def __init__(
        self, kind: str, columns: Sequence[SheetColumn], measure: DraftSizes, suffix: str, aspect: float, number: int
    ) -> None:
        self.kind, self.measure, self.suffix, self.aspect = kind, measure, suffix, aspect
        self.fonts: FontBook | None = None
        self.palette = _PALETTES[number % len(_PALETTES)]
        self.columns = columns
        self.titles, self.pictures, self.colours = (
            self._list_columns_of_role(role) for role in ("title", "picture", "colour")
        )
        self.numbers, self.texts, self.keys = (self._list_columns_of_role(role) for role in ("number", "text", "key"))
        lines = [column for column in columns if column.role in ("line", "flag")] + self.titles[1:]
        self.lines = [*_iter_columns_with_room_in_a_line(lines)]
        self.texts += [column for column in lines if column not in self.lines]
        self.stats = self.numbers[:_MOST_STATS]
        # What a poker card has room for is smaller on a smaller card.
        self.scale = max(_LEAST_SCALE, min(1.0, measure.width / 63.5, measure.height / 88.9))
        self.band, self.line_height = round(_BAND * self.scale, 1), round(_LINE * max(0.8, self.scale), 1)
        self.margin = round(max(3.5, 5 * self.scale), 1)
        label = round(max(3.4, 3.8 * self.scale), 1)
        self.label_box = (round(2.6 * self.scale, 1), label)
        self.stats_height = round(_STATS * self.scale, 1)

    def _list_columns_of_role(self, role: str) -> list[SheetColumn]:
        return [column for column in self.columns if column.role == role]

    def build_layout_draft(self) -> LayoutDraft:
        """Return the layout."""
        left_out = [
            *self._list_columns_of_role("address"),
            *self._list_columns_of_role("note"),
            *self._list_columns_of_role("data"),
            *self.pictures[1:],
            *self.colours[1:],
            *self.numbers[_MOST_STATS:],
        ]
        colours = ", ".join(f'{name}: "{value}"' for name, value in self.palette.items())
        front = list(self._iter_front_element_yaml_lines())
        star = round(26 * self.scale, 1)
        lines = [
            f"# How a {self.kind} looks, in millimetres: drafted from the headings of the sheet, and yours to change.",
            f"kind: {self.kind}",
            f"size: {self.measure.size}",
            "bleed: 3.2",
            "safe: 3",
            "corner: 3",
            "min_type: 7",
            "",
            f"colours: {{{colours}}}",
            "",
            "styles:",
            *self._list_style_yaml_lines_used_on_front(front),
            "",
            "front:",
            "  elements:",
            *(f"    - {element}" for element in front),
            "",
            "back:",
            "  elements:",
            "    - {shape: rect, box: bleed, fill: dark}",
            "    - {frame: double, box: {inset: 5}, colour: accent}",
            f"    - {{icon: star, box: {{width: {star:g}, height: {star:g}, centre: both}}}}",
        ]
        return LayoutDraft("\n".join(lines) + "\n", tuple(left_out))

    def _list_style_yaml_lines_used_on_front(self, front_elements: Sequence[str]) -> list[str]:
        """Return the styles that some element of the front has."""
        elements = "\n".join(front_elements)
        return [
            _STYLE_FONT.sub(self._choose_font_that_draws_the_cards, style)
            for style in self._iter_all_style_yaml_lines()
            if f"style: {style.split(':')[0].strip()}}}" in elements
        ]

    def _choose_font_that_draws_the_cards(self, font: re.Match[str]) -> str:
        """Return the family and cut of a style, or of one that draws more of the cards' letters."""
        if self.fonts is None:
            return font[0]
        values = (value for column in self.columns for value in column.values)
        letters = {char for value in values for char in value if not char.isascii() and char.isalnum()}
        family = find_family_that_draws_letters(self.fonts, font[1], bool(font[2]), letters)
        has_cut = family == font[1] or f"{family}-bold" in self.fonts
        return f"family: {family}{font[2] or '' if has_cut else ''}"

    def _iter_all_style_yaml_lines(self) -> Iterator[str]:
        middle = "align: centre, valign: middle, balance: true"
        least_title = 9 if self.measure.least > 7 and self.scale == 1 else 7
        longest = max((column.letter_count_of_longest_value for column in self.texts), default=0)
        main = middle if longest <= _WIDEST_NOTE else "align: left, valign: middle"
        size = max(self._scale_type_size_to_card(16 if longest <= 60 else 13), self.measure.least)
        title, line, number = map(self._scale_type_size_to_card, (17, 10, 21))
        bold = "family: almendra, bold: true"
        yield f"  title: {{{bold}, size: {title}, min: {least_title}, colour: paper, {middle}}}"
        sizes = f"[{size}, {round(size + self.measure.least) / 2:g}, {self.measure.least:g}]"
        yield f"  main: {{family: alegreya, sizes: {sizes}, colour: ink, {main}}}"
        yield f"  line: {{family: alegreyasans, bold: true, size: {line}, min: 7, colour: dark, {middle}}}"
        yield "  entry: {family: alegreyasans, size: 12, min: 7, colour: ink, align: left, valign: middle}"
        yield "  value: {family: almendra, bold: true, size: 19, min: 8, colour: dark, align: right, valign: middle}"
        yield f"  alone: {{{bold}, size: 26, min: 9, colour: dark, {middle}}}"
        yield f"  number: {{{bold}, size: {number}, min: 7, colour: paper, {middle}}}"
        yield f"  label: {{family: alegreyasans, size: 8, min: 7, colour: paper, {middle}}}"
        yield "  large: {family: almendra, bold: true, size: 60, min: 20, colour: dark, align: centre, valign: middle}"
        yield "  key: {family: alegreyasans, size: 7, colour: ink, align: right, valign: middle}"

    def _scale_type_size_to_card(self, size: float) -> float:
        """Return a size of type as the card has room for, in points."""
        return max(7, round(size * self.scale))

    @property
    def _height_of_title_band(self) -> float:
        """Return where the part below the title begins; without a title, or with nothing else, there is no band."""
        return self.band if self.titles and not self._is_title_alone else 0.0

    @property
    def _sides(self) -> str:
        return f"x: {self.margin:g}, right: {self.margin:g}"

    @property
    def _are_lines_alone(self) -> bool:
        return not (self.stats or self.texts or self.pictures)

    @property
    def _is_title_alone(self) -> bool:
        return not (self.stats or self.texts or self.pictures or self.lines)

    @property
    def _number_columns_in_rows(self) -> list[list[SheetColumn]]:
        """Return the numbers in rows at the foot of the card."""
        shown = self.stats if self.texts or self.pictures else []
        wide = _STATS_IN_ROW if len(shown) <= _STATS_IN_ROW else -(-len(shown) // 2)
        return [shown[at : at + wide] for at in range(0, len(shown), wide)]

    @property
    def _height_of_number_rows(self) -> float:
        """Return how far the numbers reach from the lower edge."""
        return len(self._number_columns_in_rows) * self.stats_height if self._number_columns_in_rows else _FOOT

    def _iter_front_element_yaml_lines(self) -> Iterator[str]:
        dark = self._get_band_colour_as_yaml()
        yield "{shape: rect, box: bleed, fill: paper}"
        if self._is_title_alone:
            yield "{frame: line, box: {inset: 4}, colour: accent}"
            if self.titles:
                yield f'{{text: "{{{self.titles[0].name}}}", box: {{x: 7, right: 7, y: 8, bottom: 8}}, style: alone}}'
        elif self.titles:
            top = round(max(2.5, 3.5 * self.scale), 1)
            title_box = f"{{{self._sides}, y: {top:g}, height: {self.band - top - 1.5:g}}}"
            yield f"{{shape: rect, box: {{inside: bleed, height: {self.band + 3.2:g}}}, fill: {dark}}}"
            yield f"{{shape: rect, box: {{x: -3.2, right: -3.2, y: {self.band:g}, height: 0.8}}, fill: accent}}"
            yield f'{{text: "{{{self.titles[0].name}}}", box: {title_box}, style: title}}'
        yield from self._iter_picture_element_yaml_lines()
        yield from self._iter_text_or_number_yaml_lines()
        if self.lines and not self._are_lines_alone:
            box = f"{{{self._sides}, bottom: {self._height_of_number_rows + 0.7:g}, height: {self.line_height:g}}}"
            yield f'{{text: "{self._join_short_text_columns_as_template(self.lines)}", box: {box}, style: line}}'
        yield from self._iter_number_band_yaml_lines_at_foot(dark)
        if self.keys:
            bottom = self._height_of_number_rows + 0.5 if self._number_columns_in_rows else 3.2
            box = f"{{right: 4, width: {round(29 * self.scale):g}, bottom: {bottom:g}, height: 3.5}}"
            yield f'{{text: "{{{self.keys[0].name}}}", box: {box}, style: key}}'

    def _get_band_colour_as_yaml(self) -> str:
        """Return the colour of the bands: a column of colours decides it."""
        if not self.colours:
            return "dark"
        name = self.colours[0].name
        return f"\"{{{name} if {name} else 'dark'}}\""

    @property
    def _height_below_middle_part(self) -> float:
        """Return how far the middle part ends from the lower edge."""
        return self._height_of_number_rows + (self.line_height + 1.4 if self.lines else 2.0)

    def _iter_picture_element_yaml_lines(self) -> Iterator[str]:
        if not self.pictures:
            return
        name = f"{PICTURES}/{{{self.pictures[0].name}}}{self.suffix}"
        top = self._height_of_title_band + 3
        room = max(1.0, self.measure.height - top - self._height_below_middle_part)
        height = round(min(self.measure.picture, room) if self.texts else room, 1)
        box = f"{{x: 4, right: 4, y: {top:g}, height: {height:g}}}"
        lost = (self.measure.width - 8) / height / self.aspect if self.aspect else 0.0
        fit = "cover" if 1 / _MOST_LOST <= lost <= _MOST_LOST else "contain"
        yield f'{{image: "{name}", name: art, box: {box}, fit: {fit}, radius: 1.5}}'

    def _iter_text_or_number_yaml_lines(self) -> Iterator[str]:
        bottom = f"bottom: {self._height_below_middle_part:g}"
        if not self.texts and not self.pictures:
            yield from self._iter_number_yaml_lines_without_text()
        if not self.texts:
            return
        place = "below: art, gap: 2" if self.pictures else f"y: {self._height_of_title_band + 3.5:g}"
        yield (
            f'{{text: "{self._join_long_text_columns_as_template()}", box: {{{self._sides}, {place}, '
            f"{bottom}}}, style: main}}"
        )

    def _iter_number_yaml_lines_without_text(self) -> Iterator[str]:
        """Yield the numbers of a card that has no text: one is large, several stand in lines."""
        top, bottom = self._height_of_title_band + 4.0, self._height_below_middle_part + 1.0
        room = self.measure.height - top - bottom
        if self._are_lines_alone and self.lines:
            box = f"{{x: 6, right: 6, y: {top:g}, bottom: {_FOOT + 4:g}}}"
            yield f'{{text: "{self._join_short_text_columns_as_template(self.lines)}", box: {box}, style: alone}}'
        if len(self.stats) == 1:
            [only] = self.stats
            box = f"{{x: 5, right: 5, y: {top:g}, height: {room - 8:.4g}}}"
            yield f'{{text: "{{{only.shown or only.name}}}", box: {box}, style: large}}'
            box = f"{{x: 5, right: 5, bottom: {bottom + 1:g}, height: 6}}"
            yield f'{{text: "{_escape_heading_in_quoted_template(only.heading)}", box: {box}, style: line}}'
            return
        high = min(_LISTED, room / max(1, len(self.stats)))
        for place, column in enumerate(self.stats):
            y = f"y: {top + (room - high * len(self.stats)) / 2 + place * high:.4g}, height: {high:.4g}"
            yield (
                f'{{text: "{_escape_heading_in_quoted_template(column.heading)}", box: {{x: 7, width: '
                f"36, {y}}}, style: entry}}"
            )
            yield f'{{text: "{{{column.name}}}", box: {{right: 7, width: 14, {y}}}, style: value}}'
            if place:
                rule = y.rpartition(", ")[0]
                yield f"{{shape: rect, box: {{x: 7, right: 7, {rule}, height: 0.25}}, fill: accent}}"

    def _join_long_text_columns_as_template(self) -> str:
        """Return the long texts as one: what is told besides the rules stands last, in italic."""
        flavour = [column for column in self.texts if _is_flavour_column(column)]
        main = [column for column in self.texts if column not in flavour]
        parts = [f"{{{column.shown or column.name}}}" for column in main]
        for column in flavour:
            is_plain = all("\n" not in value and "*" not in value for value in column.values)
            hole = f"{{{column.shown or column.name}}}"
            parts.append(f"*{hole}*" if is_plain else hole)
        return "\\n".join(parts)

    def _join_short_text_columns_as_template(self, columns: Sequence[SheetColumn]) -> str:
        """Return short texts with dots between those that a card has."""
        written = ""
        before: list[str] = []
        for column in columns:
            condition = column.condition
            if before:
                any_before = before[0] if len(before) == 1 else f"({' or '.join(before)})"
                written += f"{{' · ' if {any_before} and {condition} else ''}}"
            is_flag = column.role == "flag"
            shown = (
                f"'{_escape_heading_in_quoted_expression(column.heading)}' if {condition} else ''"
                if is_flag
                else column.shown or column.name
            )
            written += f"{{{shown}}}"
            before.append(condition)
        return written

    def _iter_number_band_yaml_lines_at_foot(self, band_colour: str) -> Iterator[str]:
        rows = self._number_columns_in_rows
        if not rows:
            return
        high = len(rows) * self.stats_height
        label_bottom, label_height = self.label_box
        number_height = self.stats_height - label_bottom - label_height - 0.3
        yield (
            f"{{shape: rect, box: {{x: -3.2, right: -3.2, bottom: -3.2, height: {high + 3.2:g}}}, fill: {band_colour}}}"
        )
        for at, row in enumerate(rows):
            wide = (self.measure.width - 6) / len(row)
            bottom = high - (at + 1) * self.stats_height
            for place, column in enumerate(row):
                x = f"x: {3 + place * wide:.4g}, width: {wide:.4g}"
                shown = "" if column.is_always_filled else f'if: "{column.name} or {column.name} == 0", '
                number_bottom = bottom + label_bottom + label_height - 0.2
                number = f"box: {{{x}, bottom: {number_bottom:g}, height: {number_height:g}}}"
                label = f"box: {{{x}, bottom: {bottom + label_bottom:g}, height: {label_height:g}}}"
                yield f'{{text: "{{{column.name}}}", {shown}{number}, style: number}}'
                yield f'{{text: "{_escape_heading_in_quoted_template(column.heading)}", {shown}{label}, style: label}}'


def _iter_columns_with_room_in_a_line(columns: Sequence[SheetColumn]) -> Iterator[SheetColumn]:
    """Yield the columns of short texts that one line of a card has room for, the first ones first."""
    letters = 0
    for column in columns:
        letters += len(column.heading) if column.role == "flag" else column.letter_count_of_longest_value
        if letters > _LETTERS_OF_LINE:
            return
        letters += 3  # the dot between two
        yield column


def _is_flavour_column(column: SheetColumn) -> bool:
    return any(word.startswith(FLAVOUR) for word in split_heading_into_casefolded_words(column.heading))


def _escape_heading_in_quoted_expression(heading: str) -> str:
    """Return a heading as it stands within quotes of an expression within quotes of YAML."""
    return heading.translate(_IN_QUOTES)


def _escape_heading_in_quoted_template(heading: str) -> str:
    """Return a heading as a text of a layout within quotes of YAML."""
    return (
        heading.replace("\\", "\\\\\\\\").replace('"', '\\"').replace("{", "{{").replace("}", "}}").replace("\n", " ")
    )


# -- column roles --------------------------------------------------------------------------------------------
# What each column of a sheet of cards is for, as its values show: a title, a picture, a number, a text.

ColumnRole = Literal[
    "title", "picture", "number", "key", "flag", "colour", "line", "text", "note", "data", "address", "blank"
]

PICTURE_NAME = re.compile(rf"[^\n]{{1,200}}({'|'.join(map(re.escape, PICTURE_SUFFIXES))})", re.IGNORECASE)
_PICTURE_WORDS = frozenset(
    [
        *("picture", "image", "art", "artwork", "illustration", "img", "pic", "photo", "bild", "bilddatei", "grafik"),
        *("foto", "imagen", "ilustración", "imagem", "ilustração", "immagine", "illustrazione", "figura"),
        *("afbeelding", "plaatje", "illustratie", "obrazek", "obraz", "ilustracja", "grafika", "bilde", "billede"),
    ]
)
_STAT = re.compile(r"[-+±×x]?\d{1,4}(?:[./:-]\d{1,3})?[+%]?|[XYZ*∞?-]")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")
_ADDRESS = re.compile(r"https?://\S+")
_DATA = re.compile(r'\s*(\{\s*("[^"]*"\s*:.*)?\}|\[\s*([\[{"].*)?\])\s*', re.DOTALL)
"""JSON for a program, as `{"op": "draw"}`, which no player reads."""
_YES = ("yes", "true", "x", "✓", "✔")
_FLAG = re.compile(f"no|false|{'|'.join(_YES)}", re.IGNORECASE)
FLAVOUR = ("flavour", "flavor", "quote", "lore", "zitat", "citat", "citaat", "citaz", "citação", "cytat")
"""Beginnings of headings of what is told beside a card's rules."""
_LONGEST_KEY = 10
"""Letters of an id that players may read, in the corner of a card; longer ones are for programs."""
LONGEST_LINE = 28
_LETTERS_OF_LINE = 60
"""Letters of a text that still stands in one line of a card, and of several such in the smallest type."""
_MOSTLY = 0.6


class SheetColumn(NamedTuple):
    """A property of a kind: its heading in the sheet, its role, and its values as texts, of which a card may have
    none. `condition` is the expression that says whether a card has a value; for a flag, whether it says yes."""

    name: str
    heading: str
    role: ColumnRole
    values: tuple[str, ...]
    condition: str = ""
    shown: str = ""
    """The expression that a text prints, where it is not the name."""

    @property
    def letter_count_of_longest_value(self) -> int:
        """Return the letters of its longest value."""
        return max(map(len, self.values), default=0)

    @property
    def is_always_filled(self) -> bool:
        """Return whether every card has a value."""
        return all(self.values)


def list_sheet_columns_with_roles(
    game: Game, kind: str, is_picture: Callable[[str], bool] = lambda _: False
) -> list[SheetColumn]:
    """Return the columns of a kind in the order of its sheet, each with its role. ``is_picture`` says whether a picture
    is called so: some people leave the suffix out."""
    headings = _map_properties_to_sheet_headings(game, kind)
    columns = []
    for name in game.vocabulary.kinds[kind].fields:
        values = tuple(_field_value_to_text(card.get(name)) for card in game.of_kind(kind))
        heading = headings.get(name, name.replace("_", " "))
        role = _guess_column_role_from_values(name, heading, values, is_picture)
        of_type = game.vocabulary.kinds[kind].fields[name].type
        is_text = role == "flag" and of_type != "flag"
        condition = _format_expression_testing_for_yes(name, values) if is_text else name
        shown = f"join({name} or [], ', ')" if of_type == "list" else ""
        columns.append(SheetColumn(name, heading, role, values, condition, shown))
    called_by = game.vocabulary.kinds[kind].called_by
    columns = [each._replace(role="title") if each.name == called_by else each for each in columns]
    return _mark_one_column_as_title(_mark_note_columns_unless_only_text(columns))


def _mark_note_columns_unless_only_text(columns: list[SheetColumn]) -> list[SheetColumn]:
    """Return columns of which those are notes that are called so. `Notes` alone are the text of a card that has no
    other."""
    words = ("line", "text")
    texts = [
        column
        for column in columns
        if column.role in words
        and not is_design_note_heading_above_texts(column.heading)
        and not is_heading_of_card_titles(column.heading)
    ]
    has_text = any(not is_likely_note_heading(column.heading) for column in texts)
    return [column._replace(role="note") if _is_note_column(column, has_text) else column for column in columns]


_STATUS_HEADINGS = frozenset(("status", "state", "stand", "état", "etat", "estado", "stato", "stav"))
_STATUS = frozenset(
    (
        *(
            "ok",
            "done",
            "todo",
            "to do",
            "wip",
            "draft",
            "final",
            "ready",
            "made",
            "tested",
            "playtested",
            "printed",
            "idea",
        ),
        *("new", "check", "open", "fertig", "offen", "entwurf", "prüfen", "neu", "getestet", "fait", "à faire", "fini"),
        *(
            "brouillon",
            "hecho",
            "pendiente",
            "listo",
            "borrador",
            "feito",
            "pronto",
            "rascunho",
            "fatto",
            "da fare",
            "?",
            "x",
        ),
    )
)
"""What a designer says of her work on a card, and no player of the card."""


def _is_note_column(column: SheetColumn, has_text: bool) -> bool:
    """Return whether a column is called as notes are. One of numbers that is called `Ideas` is none."""
    said = {value.casefold() for value in column.values if value}
    if normalize_heading(column.heading) in _STATUS_HEADINGS and said <= _STATUS:
        return True
    if column.role not in ("line", "text", "flag"):
        return column.role == "number" and is_design_note_heading(column.heading)
    return is_design_note_heading_above_texts(column.heading) or (has_text and is_likely_note_heading(column.heading))


def _map_properties_to_sheet_headings(game: Game, kind: str) -> Mapping[str, str]:
    """Return the heading of each property, without its language."""
    sheets = (sheet for sheet in game.facts.sheets if sheet.kind == kind)
    named = ((str(name).split(".")[0], heading) for sheet in sheets for heading, name in sheet.columns.items() if name)
    return {name: heading.strip() for name, heading in reversed(list(named))}


def _format_expression_testing_for_yes(name: str, values: Sequence[str]) -> str:
    """Return the expression that says whether a text says yes."""
    yes = sorted({value for value in values if value.casefold() in _YES})
    return f"{name} in [{', '.join(repr(value) for value in yes)}]"


def _field_value_to_text(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    if isinstance(value, bool):
        return "yes" if value else ""
    return "" if value is None else str(value).strip()


def _guess_column_role_from_values(
    name: str, heading: str, values: Sequence[str], is_picture: Callable[[str], bool]
) -> ColumnRole:
    filled = [value for value in values if value]
    if not filled:
        return "blank"
    if name in NAMES:
        return "title"
    tests: list[tuple[ColumnRole, Callable[[str], object], float]] = [
        ("picture", PICTURE_NAME.fullmatch, _MOSTLY),
        ("address", _ADDRESS.fullmatch, _MOSTLY),
        ("colour", _COLOUR.fullmatch, 1.0),
        ("data", _DATA.fullmatch, 1.0),
    ]
    for role, test, share in tests:
        if sum(1 for value in filled if test(value)) >= share * len(filled):
            return role
    if _PICTURE_WORDS.intersection(split_heading_into_casefolded_words(heading)) and any(map(is_picture, filled)):
        return "picture"
    if all(_STAT.fullmatch(value) for value in filled) and any(any(map(str.isdigit, value)) for value in filled):
        return "key" if is_heading_of_ids_or_numbers(heading) and len(set(filled)) == len(values) else "number"
    if all(map(_FLAG.fullmatch, filled)):
        return "flag"
    if is_heading_of_ids_or_numbers(heading) and len(set(filled)) == len(values):
        return "key" if max(map(len, filled)) <= _LONGEST_KEY else "data"
    is_flavour = any(word.startswith(FLAVOUR) for word in split_heading_into_casefolded_words(heading))
    return (
        "text"
        if is_flavour or max(map(len, filled)) > LONGEST_LINE or any("\n" in value for value in filled)
        else "line"
    )


def _mark_one_column_as_title(columns: list[SheetColumn]) -> list[SheetColumn]:
    """Return columns of which one is the title, if any can be: the one that is called so, or whose heading has a word
    for it, as `Card Name`; else the line that tells most cards apart."""
    if any(column.role == "title" for column in columns):
        return columns
    called = [
        column
        for column in columns
        if is_heading_of_card_titles(column.heading) and column.role in ("line", "text", "key", "flag", "number")
    ]
    called.sort(key=lambda column: column.role in ("flag", "number"))  # `Nombre de joueurs` is no name
    if called:
        return [column._replace(role="title") if column is called[0] else column for column in columns]
    lines = [column for column in columns if column.role == "line"]
    if not lines:
        return columns
    best = max(lines, key=lambda column: len(set(column.values)))
    if len(set(best.values)) < 2:
        return columns
    return [column._replace(role="title") if column is best else column for column in columns]


def find_common_suffix_or_empty(names: Sequence[str]) -> str:
    """Return the suffix that all these names of picture files have, "" if they differ."""
    suffixes = {PurePosixPath(name).suffix for name in names}
    return suffixes.pop() if len(suffixes) == 1 else ""

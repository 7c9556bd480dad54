"""Draw text, icons, rows of icons and tables; and find what a text holds that looks like markup and is
none."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html.entities import html5
from typing import Any, NamedTuple

from playproof.database.errors import Where, make_hint_for_unknown_icon
from playproof.generator.layout.drawing import FaceDrawing, register_element_drawer
from playproof.generator.layout.layout_files import Element
from playproof.generator.layout.model import IconSpec, IconsSpec, StyleSpec, TableSpec, TextSpec
from playproof.generator.layout.text_styles import (
    BadSpan,
    NoSuchFont,
    NoSuchName,
    is_style_same_for_every_card,
    replace_inline_spans_by_signs_and_list,
)
from playproof.generator.scene import (
    Pt,
    Rect,
    SpokenName,
    Symbol,
    Transform,
    Use,
    build_line_path,
    build_rectangle_path,
    mm_to_pt,
    pt_to_mm,
)
from playproof.generator.type.fonts import UnknownFont
from playproof.generator.type.markup import (
    IconRun,
    parse_markup_to_paragraphs,
    select_icon_names_with_unusual_characters,
)
from playproof.generator.type.typesetter import TextBlock, TextStyle

# Draw text, icons, rows of icons and tables.

SPOKEN = 9.0  # pt, at most: like the type it stands beside, so that both are read as one line
MIDDLE = 0.32  # of the size: how far capitals' baseline lies below their middle


@register_element_drawer(TextSpec)
def draw_text_element(drawing: FaceDrawing, spec: TextSpec, element: Element, box: Rect) -> Rect:
    """Set the text. Words that do not fit or cannot be drawn are an error at their own place."""
    words = spec.text(drawing.scope)
    if not words.strip():
        return Rect(box.x, box.y, box.width, 0)
    try:
        block = typeset_text_and_record_size(drawing, words, box, spec.style)
    except BadSpan as error:
        drawing.add_finding_about_card(
            error.code, drawing.find_place_of_words_in_card_or_layout(spec.text, element), error
        )
        return box
    _add_remarks_on_doubtful_markup(drawing, words, drawing.find_place_of_words_in_card_or_layout(spec.text, element))
    _add_remarks_on_missing_font_cuts(
        drawing, words, spec.style, drawing.find_place_of_words_in_card_or_layout(spec.text, element)
    )
    for problem in block.problems:
        place = drawing.find_place_of_words_in_card_or_layout(spec.text, element)
        name = spec.name or spec.text.source
        code = get_finding_code_of_text_problem(problem)
        cure = "shorten it, enlarge its box, or lower the `min` of its style; " if code == "PP501" else ""
        drawing.add_finding_about_card(code, place, f"{name}: {problem}", f"{cure}the layout is at {element.where}")
    drawing.nodes.extend(block.nodes)
    if block.problems:
        drawing.unfitting.extend(block.nodes)
    drawing.natural.append((box, block.box.height))
    return Rect(box.x, block.box.y, box.width, block.box.height)


def get_finding_code_of_text_problem(problem: str) -> str:
    """Return the code of what the typesetter says is wrong."""
    if problem.startswith("tracking"):
        return "PP639"
    return "PP502" if problem.startswith(("there is no icon", "the font")) else "PP501"


def typeset_text_and_record_size(drawing: FaceDrawing, text: str, box: Rect, style: str | StyleSpec) -> TextBlock:
    """Set the words in a style of the layout. Raises NoSuchFont if its family has no file, and
    NoSuchName if the style does not exist or is smaller than the layout's least type."""
    style = drawing.fill_holes_in_style_name(style)
    chosen = _resolve_text_style_for_ink(drawing, style)
    try:
        text, spans = replace_inline_spans_by_signs_and_list(text, drawing, chosen)
        limit = drawing.kit.limits.get(style) if isinstance(style, str) else None
        if limit is not None:
            chosen = chosen._replace(size=limit, min_size=limit, steps=())
        block = drawing.kit.typesetter.typeset_text_as_large_as_box_allows(text, box, chosen, spans)
        if isinstance(style, str):
            drawing.kit.face_sizes.setdefault(style, set()).add(block.size)
            drawing.kit.sizes.setdefault((drawing.layout.kind, style), set()).add(block.size)
        return block
    except UnknownFont as error:
        raise NoSuchFont(f"there is no font family {chosen.family!r}", str(error)) from None


def _add_remarks_on_missing_font_cuts(drawing: FaceDrawing, text: str, style: str | StyleSpec, where: Where) -> None:
    """Say which bold or italic words are printed in another cut, because their family has none of theirs."""
    for family, wanted, used in drawing.kit.typesetter.list_replaced_font_cuts(
        text, _resolve_text_style_for_ink(drawing, style)
    ):
        message = f"the family {family} has no {wanted}; words that ask for it are printed in its {used}"
        hint = "take another family for them, or bring its font in fonts/"
        drawing.add_remark_once("PP632", where, message, hint, key=("PP632", family, wanted))


def _add_remarks_on_doubtful_markup(drawing: FaceDrawing, text: str, where: Where) -> None:
    """Say what in a text looks like markup and prints as it stands."""
    for doubt in list_text_that_only_looks_like_markup(text, drawing.kit.icons):
        drawing.add_remark_once("PP633" if doubt.of_icon else "PP631", where, doubt.message, doubt.hint)


def _resolve_text_style_for_ink(drawing: FaceDrawing, style_or_name: str | StyleSpec) -> TextStyle:
    """Return the style to set a text in. A style that no card changes is computed once."""
    layout, styles = drawing.layout, drawing.kit.styles
    key = (id(layout.styles), layout.min_type, style_or_name if isinstance(style_or_name, str) else id(style_or_name))
    if key in styles:
        return styles[key]
    chosen = drawing.kit.ink.get_text_style_to_print(drawing.resolve_style_name_or_spec(style_or_name))
    if layout.min_type is not None:
        chosen = _raise_min_size_refuse_small_type(chosen, layout.min_type)
    if is_style_same_for_every_card(style_or_name, layout.styles):
        styles[key] = chosen
        drawing.kit.owners.append((layout.styles, style_or_name))
    return chosen


def _raise_min_size_refuse_small_type(style: TextStyle, minimum: float) -> TextStyle:
    if style.size < minimum:
        raise NoSuchName(f"the type is {style.size:g} pt and this layout's least is {minimum:g} pt")
    steps = tuple(size for size in style.steps if size >= minimum)
    if style.min_size is not None and style.min_size < minimum:
        return style._replace(min_size=minimum, steps=steps)
    return style


@register_element_drawer(IconSpec)
def draw_icon_element(drawing: FaceDrawing, spec: IconSpec, element: Element, box: Rect) -> Rect:
    """Draw one icon, whole, in the middle of its box."""
    name = spec.icon(drawing.scope)
    if name:
        symbol = _get_icon_symbol_or_raise(drawing, name)
        if spec.colour is not None:
            symbol = drawing.kit.icons.recolour_black_of_icon(name, drawing.resolve_line_colour_for_ink(spec.colour))
        elif drawing.kit.ink.is_figure_printed_lit(spec.lit):
            symbol = drawing.kit.icons.get_icon_with_lit_edges(name)
        drawing.nodes.append(
            _place_icon_with_spoken_name_in_box(symbol, box, drawing.kit.typesetter.names.get(name, ""))
        )
    return box


@register_element_drawer(IconsSpec)
def draw_icon_row_element(drawing: FaceDrawing, spec: IconsSpec, element: Element, box: Rect) -> Rect:
    """Draw a row of icons."""
    names = [_get_icon_name_of_item(item) for item in drawing.evaluate_to_items_or_range_of_count(spec.icons)]
    symbols = [_get_icon_symbol_or_raise(drawing, name) for name in names]
    size, gap = spec.size(drawing.scope), spec.gap(drawing.scope)
    widths = [size * symbol.bounds.width / symbol.bounds.height for symbol in symbols]
    total = sum(widths) + gap * max(len(widths) - 1, 0)
    free = {"left": 0.0, "centre": (box.width - total) / 2, "right": box.width - total}[spec.align]
    if total > box.width + 1e-6:
        drawing.add_finding_about_card(
            "PP511", element.where, f"{len(symbols)} icons are wider than {box.width:.1f} mm"
        )
    x, y = box.x + free, box.y + (box.height - size) / 2
    for name, symbol, width in zip(names, symbols, widths, strict=True):
        drawing.nodes.append(
            _place_icon_with_spoken_name_in_box(
                symbol, Rect(x, y, width, size), drawing.kit.typesetter.names.get(name, "")
            )
        )
        x += width + gap
    return Rect(box.x + free, y, total, size)


def _get_icon_name_of_item(item: Any) -> str:
    return str(getattr(item, "icon", item))


def _get_icon_symbol_or_raise(drawing: FaceDrawing, name: str) -> Symbol:
    if name not in drawing.kit.icons:
        raise NoSuchName(f"there is no icon {name!r}", make_hint_for_unknown_icon(name, drawing.kit.icons))
    return drawing.kit.icons[name]


def _place_icon_with_spoken_name_in_box(symbol: Symbol, box: Rect, spoken_name: str) -> Use:
    """Return the symbol in the middle of the box, as large as the box allows. Its name lies in the
    same place."""
    bounds = symbol.bounds
    scale = min(box.width / bounds.width, box.height / bounds.height)
    x, y = box.centre
    left = x - (bounds.x + bounds.width / 2) * scale
    top = y - (bounds.y + bounds.height / 2) * scale
    place = Transform(scale, 0, 0, scale, left, top)
    if not spoken_name:
        return Use(symbol, place)
    size = min(SPOKEN, mm_to_pt(bounds.height * scale))
    baseline = y + pt_to_mm(size) * MIDDLE
    width = bounds.width * scale
    return Use(symbol, place, SpokenName(x - width / 2, baseline, Pt(size), width, spoken_name))


@register_element_drawer(TableSpec)
def draw_table_element(drawing: FaceDrawing, spec: TableSpec, element: Element, box: Rect) -> Rect:
    """Draw rows as high as their highest cell, with rules between them."""
    shares = sum(column.share for column in spec.columns)
    widths = [box.width * column.share / shares for column in spec.columns]
    y = box.y
    if any(column.heading.source for column in spec.columns):
        headings = [column.heading(drawing.scope) for column in spec.columns]
        styles: list[str | StyleSpec] = [spec.heading_style] * len(headings)
        y = _draw_table_row_and_get_next_top(drawing, headings, styles, widths, y, box, spec)
    for number, item in enumerate(drawing.evaluate_to_items_or_range_of_count(spec.table)):
        inner = drawing.create_drawing_for_inner_area(box, {spec.as_: item, "index": number})
        cells = [column.cell(inner.scope) for column in spec.columns]
        top = y
        at = len(drawing.nodes)
        y = _draw_table_row_and_get_next_top(
            drawing, cells, [column.style for column in spec.columns], widths, y, box, spec
        )
        shade = drawing.resolve_ground_colour_or_none_for_white(spec.shade)
        if shade is not None and number % 2 == 0:
            drawing.nodes.insert(at, build_rectangle_path(Rect(box.x, top, box.width, y - top), shade))
        stroke = drawing.resolve_stroke_for_ink_or_none(spec.rule)
        if stroke:
            drawing.nodes.append(build_line_path(box.x, y, box.right, y, stroke))
    if y > box.bottom + 1e-6:
        drawing.add_finding_about_card(
            "PP511", element.where, f"the table is {y - box.y:.1f} mm high, its box {box.height:.1f}"
        )
    return Rect(box.x, box.y, box.width, y - box.y)


def _draw_table_row_and_get_next_top(
    drawing: FaceDrawing,
    cell_texts: list[str],
    styles: list[str | StyleSpec],
    widths: list[float],
    y: float,
    box: Rect,
    spec: TableSpec,
) -> float:
    """Draw one row. Return where the next begins."""
    x, lowest = box.x, y
    for words, style, width in zip(cell_texts, styles, widths, strict=True):
        inner = Rect(x + spec.pad, y + spec.pad, width - 2 * spec.pad, max(box.bottom - y, 1.0))
        if words.strip():
            block = typeset_text_and_record_size(drawing, words, inner, style)
            _add_remarks_on_doubtful_markup(drawing, words, drawing.place)
            _add_remarks_on_missing_font_cuts(drawing, words, style, drawing.place)
            for problem in block.problems:
                drawing.add_finding_about_card(
                    get_finding_code_of_text_problem(problem), drawing.place, f"table cell {words[:30]!r}: {problem}"
                )
            drawing.nodes.extend(block.nodes)
            lowest = max(lowest, block.box.bottom)
        x += width
    return lowest + spec.pad


# -- doubtful markup -----------------------------------------------------------------------------------------
# What a text holds that looks like markup and is none: tags, named characters, line ends in letters, names
# of icons that are written otherwise. All of it prints as it stands; somebody should hear of it.

_TAG = re.compile(
    r"</?(?:a|b|big|blockquote|br|center|code|color|div|em|font|h[1-6]|hr|i|img|li|mark|ol|p|s|small|span|strike"
    r"|strong|sub|sup|table|td|th|tr|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_BACKSLASHED = re.compile(r"\\[nrt](?![a-z])|\\[nrt](?=[A-Z])")
_USUAL = re.compile(r"[a-z][a-z0-9-]*")
_COLONS = re.compile(r"(?<!\\):([^\s:](?:[^:\n]{0,38}[^\s:])?)(?=:)")
_LIKE_A_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+")
_CURES = {
    "br": "write a line end in the text itself (in a spreadsheet: Alt+Enter)",
    "p": "write a line end in the text itself (in a spreadsheet: Alt+Enter)",
    "b": "write **bold**",
    "strong": "write **bold**",
    "i": "write *italic*",
    "em": "write *italic*",
    "li": "begin the line with a dash and a space",
    "img": "write the name of an icon between colons, :name:",
}
_MARKUP = "take it out; the marks are **bold**, *italic* and :icon:"


class DoubtfulMarkup(NamedTuple):
    """Something that prints as it stands and was perhaps meant otherwise, and the way out."""

    message: str
    hint: str
    of_icon: bool = False


def list_text_that_only_looks_like_markup(text: str, icon_names: Collection[str]) -> list[DoubtfulMarkup]:
    """Return what in a text looks like markup and is none. ``icon_names`` are the names of all icons.

    >>> list_text_that_only_looks_like_markup("a<br>b", ())[0].message
    "'<br>' prints as it stands"
    """
    if not any(sign in text for sign in "<&\\:"):
        return []
    return list(
        dict.fromkeys(
            (*_iter_html_tags_and_entities_in_text(text), *_iter_misspelt_icon_names_in_text(text, icon_names))
        )
    )


def _iter_html_tags_and_entities_in_text(text: str) -> Iterator[DoubtfulMarkup]:
    for tag in _TAG.findall(text):
        name = re.sub(r"[^a-z0-9].*", "", tag.strip("</>").lower())
        yield DoubtfulMarkup(f"{tag!r} prints as it stands", _CURES.get(name, _MARKUP))
    for entity in _ENTITY.findall(text):
        char = _decode_html_entity_or_empty(entity)
        if char:
            yield DoubtfulMarkup(
                f"{entity!r} prints as it stands",
                f"write the character itself, {_format_character_with_code_points(char)}",
            )
    for found in _BACKSLASHED.findall(text):
        cure = _CURES["br"] if found[1] != "t" else "write a space"
        yield DoubtfulMarkup(f"{found!r} prints as it stands".replace("\\\\", "\\"), cure)


def _decode_html_entity_or_empty(entity: str) -> str:
    name = entity[1:]
    if not name.startswith("#"):
        return html5.get(name, "")
    digits = name[1:-1]
    number = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
    return chr(number) if 0 < number < 0x110000 else ""


def _format_character_with_code_points(char: str) -> str:
    codes = " ".join(f"U+{ord(each):04X}" for each in char)
    return f"{char} ({codes})" if char.isprintable() and char.strip() else codes


def _iter_misspelt_icon_names_in_text(text: str, icon_names: Collection[str]) -> Iterator[DoubtfulMarkup]:
    """Yield names between colons that are no icon's, but nearly one's, or look like a name and like nothing else."""
    if text.count(":") < 2:
        return
    names = _COLONS.findall(text)
    if "\\" not in text and all(name in icon_names and _USUAL.fullmatch(name) for name in names):
        return  # nearly every text: what follows costs more than setting its type
    unusual = select_icon_names_with_unusual_characters(icon_names)
    drawn = {
        run.name
        for paragraph in parse_markup_to_paragraphs(text, unusual)
        for run in paragraph.runs
        if isinstance(run, IconRun)
    }
    plain = {_normalise_icon_name_for_comparison(name): name for name in icon_names}
    for name in names:
        if name in drawn:
            continue
        near = plain.get(_normalise_icon_name_for_comparison(name))
        if near is not None:
            yield DoubtfulMarkup(f"':{name}:' prints as it stands", f"the icon's name is :{near}:", of_icon=True)
        elif _LIKE_A_NAME.fullmatch(name):
            hint = make_hint_for_unknown_icon(name, icon_names)
            yield DoubtfulMarkup(f"':{name}:' prints as it stands", hint, of_icon=True)


def _normalise_icon_name_for_comparison(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().lower())

"""Style sheets inside an SVG picture, written out: each element gets, in its ``style`` attribute, what the sheets say
of it. Parsing and selectors are those of tinycss2 and cssselect2."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import count
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element

from playproof.generator.art.svg_errors import BadPicture, NotDrawableAsVectors


class _Declaration(NamedTuple):
    """One ``name: value`` with what decides between several of one name: the greatest wins."""

    important: bool
    specificity: tuple[int, ...]  # of its selector; an element's own ``style`` is above all sheets
    order: int
    name: str
    value: str


INLINE = (1 << 16,)
_WIDE = "color("  # a colour for screens of more colours, as Figma writes it behind the plain one
_SPACED = re.compile(r"(rgb|hsl)a?\([^,]+\)\Z|rebeccapurple\Z", re.IGNORECASE)  # newer words for a colour
_MEASURES = frozenset(["x", "y", "width", "height", "rx", "ry", "cx", "cy", "r"])
_UNIT = re.compile(r"(?<=\d)(px|deg)\b")


def write_out_styles(root: Element) -> None:
    """Take the ``style`` elements out of the picture and write their declarations where they apply. Raises ValueError
    for a sheet that cannot be read, or that would fetch something."""
    sheets = [
        (parent, child)
        for parent in root.iter()
        for child in parent
        if child.tag.rpartition("}")[2] == "style"
    ]
    if sheets:
        _apply_style_sheets(root, sheets)
    for element in root.iter():
        _normalise_inline_style(element)


def _normalise_inline_style(element: Element) -> None:
    """Write an element's own declarations as every reader of SVG 1.1 reads them."""
    written = element.get("style")
    if written is None:
        return
    declarations = []
    for name, colon, value in (declaration.partition(":") for declaration in written.split(";")):
        word = value.strip()
        if name.strip() == "transform-box" and word != "view-box":
            raise BadPicture(f"`transform-box: {word}` cannot be drawn: apply the transform to the shape")
        if name.strip() == "d":
            raise BadPicture("nobody draws the path ('d') of a style; write it as an attribute")
        if name.strip() == "transform":
            element.set("transform", _UNIT.sub("", word))
        elif name.strip() in _MEASURES:  # CSS may say these; readers of SVG 1.1 look at the attribute
            element.set(name.strip(), _UNIT.sub("", word))
        elif not word.startswith(_WIDE):
            declarations.append(
                f"{name}{colon}{_convert_colour_to_rgba(word) if _SPACED.match(word) else value}"
            )
    element.set("style", ";".join(declarations))


def _convert_colour_to_rgba(word: str) -> str:
    from tinycss2.color4 import parse_color

    colour = parse_color(word)
    if colour is None or isinstance(colour, str):
        return word
    shares = [f"{round(share * 255)}" for share in colour.to("srgb").coordinates]
    return f"rgba({','.join(shares)},{float(colour.alpha):.3f})"


def _apply_style_sheets(root: Element, sheets: list[tuple[Element, Element]]) -> None:
    text = "\n".join("".join(sheet.itertext()) for _, sheet in sheets)
    for parent, sheet in sheets:
        parent.remove(sheet)
    import cssselect2  # few pictures have style sheets

    matcher = cssselect2.Matcher()
    order = count()
    for selector, declarations in _iter_style_rules(text, order):
        matcher.add_selector(selector, declarations)
    for wrapped in cssselect2.ElementWrapper.from_xml_root(root).iter_subtree():
        element: Element = wrapped.etree_element
        winners = [
            item._replace(specificity=specificity)
            for specificity, _, _, declarations in matcher.match(wrapped)
            for item in declarations
        ]
        if winners:
            winners += _iter_declarations(element.get("style", ""), order, INLINE)
            chosen = {item.name: item.value for item in sorted(winners)}
            element.set("style", ";".join(f"{name}:{value}" for name, value in chosen.items()))


def _iter_style_rules(text: str, order: Iterator[int]) -> Iterator[tuple[Any, list[_Declaration]]]:
    import cssselect2
    import tinycss2

    for rule in tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True):
        if rule.type == "error":
            raise ValueError(f"style sheet, line {rule.source_line}: {rule.message}")
        if rule.type == "at-rule":
            dark = "prefers-color-scheme: dark" in tinycss2.serialize(rule.prelude)
            if rule.lower_at_keyword in ("charset", "namespace", "font-face") or dark:
                continue  # text in a font that the game lacks is refused where it stands
            raise NotDrawableAsVectors(
                f"style sheet, line {rule.source_line}: '@{rule.at_keyword}' cannot be drawn here"
            )
        declarations = list(_iter_declarations(tinycss2.serialize(rule.content), order))
        try:
            selectors = cssselect2.compile_selector_list(rule.prelude)
        except cssselect2.SelectorError as error:
            raise ValueError(f"style sheet, line {rule.source_line}: {error}") from None
        for selector in selectors:
            yield selector, declarations


def _iter_declarations(
    text: str, order: Iterator[int], specificity: tuple[int, ...] = ()
) -> Iterator[_Declaration]:
    import tinycss2

    for item in tinycss2.parse_declaration_list(text, skip_comments=True, skip_whitespace=True):
        if item.type == "declaration":
            value = tinycss2.serialize(item.value).strip()
            if not value.startswith(_WIDE):
                yield _Declaration(item.important, specificity, next(order), item.lower_name, value)

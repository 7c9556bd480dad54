"""Text styles: specs that extend each other become `TextStyle` values; and inline colour and size, such as
`[[red 120%|words]]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from playproof.database.errors import make_nearest_or_possible_words_hint
from playproof.generator.layout.expression import MM_PER, Expression, ExpressionError, Number, Scope, Template
from playproof.generator.layout.model import LARGEST_TYPE, StyleSpec
from playproof.generator.scene import Colour, Stroke
from playproof.generator.type.typesetter import Shadow, TextStyle
from playproof.generator.type.words import CLOSING, MOST_SPANS, StyleSpan, get_sign_that_opens_span

if TYPE_CHECKING:
    from playproof.generator.layout.drawing import FaceDrawing


# -- styles --------------------------------------------------------------------------------------------------
# Text styles: specs that extend each other become `TextStyle` values.

PLAIN = TextStyle()
DIRECT = (
    "family", "bold", "italic", "align", "valign", "leading", "gap", "balance", "hyphenate", "icon_scale",
    "tracking", "underline",
)  # fmt: skip
_WORKED_OUT = ("family", "size", "min", "bold", "italic", "underline", "colour")
"""What may be an expression."""


class NoSuchName(ExpressionError):
    """A colour, style or part that the layout does not have."""

    code = "PP503"


class NoSuchFont(ExpressionError):
    """A font family that has no file."""

    code = "PP508"


def resolve_text_style_or_raise(
    style_or_name: str | StyleSpec,
    styles: Mapping[str, StyleSpec],
    resolve_colour: Callable[[Template], Colour],
    scope: Scope,
    extends_depth: int = 0,
) -> TextStyle:
    """Return the style of a name or an inline spec, for the card that the scope is of. Raises NoSuchName if a style
    does not exist or extends itself."""
    if isinstance(style_or_name, str):
        if style_or_name not in styles:
            if style_or_name == "text":
                return PLAIN
            raise NoSuchName(
                f"there is no style {style_or_name!r}", make_nearest_or_possible_words_hint(style_or_name, styles)
            )
        spec = styles[style_or_name]
    else:
        spec = style_or_name
    if extends_depth > 20:
        raise NoSuchName(f"the styles extend each other in a circle at {spec.extends!r}")
    base = (
        resolve_text_style_or_raise(spec.extends, styles, resolve_colour, scope, extends_depth + 1)
        if spec.extends
        else PLAIN
    )
    changes: dict[str, Any] = {
        name: _evaluate_style_value_if_expression(value, scope)
        for name in DIRECT
        if (value := getattr(spec, name)) is not None
    }
    changes |= _evaluate_type_size_fields_in_spec(spec, scope)
    if spec.colour is not None:
        changes["colour"] = resolve_colour(spec.colour)
    if spec.features is not None:
        changes["features"] = tuple(spec.features)
    if spec.outline is not None:
        changes["outline"] = Stroke(resolve_colour(spec.outline.colour), spec.outline.width, join="round")
    if spec.shadow is not None:
        changes["shadow"] = Shadow(resolve_colour(spec.shadow.colour), spec.shadow.x, spec.shadow.y)
    return base._replace(**changes)


def _evaluate_type_size_fields_in_spec(spec: StyleSpec, scope: Scope) -> dict[str, Any]:
    """Return what a spec says of the size of type."""
    sizes: dict[str, Any] = {}
    if spec.size is not None or spec.min is not None:
        sizes["steps"] = ()
    if spec.size is not None:
        sizes |= {"size": _evaluate_type_size_or_raise_if_large(spec.size, scope), "min_size": None}
    if spec.min is not None:
        sizes["min_size"] = _evaluate_type_size_or_raise_if_large(spec.min, scope)
    if spec.sizes is not None:
        steps = tuple(sorted(spec.sizes, reverse=True))
        sizes |= {"size": steps[0], "min_size": steps[-1], "steps": steps}
    return sizes


def _evaluate_style_value_if_expression(value: Any, scope: Scope) -> Any:
    """Return the value of an expression or a template for a card, or the value itself."""
    if isinstance(value, Expression):
        return bool(value(scope))
    return value(scope) if isinstance(value, Template) else value


def _evaluate_type_size_or_raise_if_large(size: Number, scope: Scope) -> float:
    value = size(scope)
    if not 0 < value <= LARGEST_TYPE:
        raise ExpressionError(f"expected a size of type of at most {LARGEST_TYPE} pt, found {value:g}")
    return value


def is_style_same_for_every_card(style_or_name: str | StyleSpec, styles: Mapping[str, StyleSpec]) -> bool:
    """Return whether a style that `resolve_text_style_or_raise` could make is the same for every card: nothing in it
    has a hole."""
    if isinstance(style_or_name, str) and "{" in style_or_name:
        return False
    spec = styles.get(style_or_name) if isinstance(style_or_name, str) else style_or_name
    if spec is None:
        return True
    parts = [spec, *filter(None, (spec.outline, spec.shadow))]
    values = (getattr(part, name, None) for part in parts for name in _WORKED_OUT)
    constant = not any(isinstance(value, Expression) or not getattr(value, "constant", True) for value in values)
    return constant and (not spec.extends or is_style_same_for_every_card(spec.extends, styles))


# -- text spans ----------------------------------------------------------------------------------------------
# Inline colour and size: `[[red|words]]`, `[[14pt|words]]`, `[[red 120%|words]]`.

_MARK = re.compile(r"\\(?P<plain>[\[\]])|\[\[(?P<head>[^\[\]|\n]{1,80})\||(?P<close>\]\])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(%|mm|cm|in|pt|px)")


class BadSpan(ExpressionError):
    """A part of a text in a colour or size that does not exist, or that does not end."""

    code = "PP638"


def replace_inline_spans_by_signs_and_list(
    text: str, drawing: FaceDrawing, style: TextStyle
) -> tuple[str, tuple[StyleSpan, ...]]:
    """Return a text with its spans as signs, and what each of them means. Raises BadSpan."""
    if "[[" not in text:
        return text, ()
    spans: list[StyleSpan] = []
    pieces: list[str] = []
    at, open_ = 0, 0
    for match in _MARK.finditer(text):
        pieces.append(text[at : match.start()])
        at = match.end()
        if match["plain"]:
            pieces.append(match["plain"])
        elif match["head"]:
            pieces.append(get_sign_that_opens_span(len(spans)))
            spans.append(_parse_span_colour_and_size(match["head"], drawing, style))
            open_ += 1
        elif open_:
            pieces.append(CLOSING)
            open_ -= 1
        else:
            pieces.append(match["close"])
    if open_ or len(spans) > MOST_SPANS:
        raise BadSpan(f"expected `]]` behind each `[[...|` of {text[:40]!r}", "write \\[ for the sign itself")
    return "".join([*pieces, text[at:]]), tuple(spans)


def _parse_span_colour_and_size(head: str, drawing: FaceDrawing, style: TextStyle) -> StyleSpan:
    """Return what the words before the bar of a span mean."""
    span = StyleSpan()
    for word in re.findall(r"\w+\([^)]*\)|\S+", head):
        size = _SIZE.fullmatch(word)
        if size is not None:
            span = span._replace(scale=_compute_span_size_factor_or_raise(float(size[1]), size[2], drawing, style))
        else:
            span = span._replace(colour=_resolve_span_colour_for_ink(word, head, drawing, style))
    return span


def _compute_span_size_factor_or_raise(number: float, unit: str, drawing: FaceDrawing, style: TextStyle) -> float:
    """Return how many times the text's own size a size is."""
    scale = number / 100 if unit == "%" else number * MM_PER[unit] / MM_PER["pt"] / style.size
    least, smallest = drawing.layout.min_type, (style.min_size or style.size) * scale
    if not 0 < style.size * scale <= LARGEST_TYPE:
        raise BadSpan(f"expected a size of at most {LARGEST_TYPE} pt, found {number:g}{unit}")
    if least is not None and smallest < least - 1e-9:
        raise BadSpan(
            f"{number:g}{unit} is {smallest:.3g} pt where the text is smallest; this layout's least is {least:g} pt"
        )
    return scale


def _resolve_span_colour_for_ink(colour_word: str, head: str, drawing: FaceDrawing, style: TextStyle) -> Colour:
    colour = drawing.layout.colours.get(colour_word)
    if colour is None:
        try:
            colour = Colour.parse_hex_or_cmyk_colour_or_raise(colour_word)
        except ValueError:
            hint = make_nearest_or_possible_words_hint(colour_word, drawing.layout.colours)
            more = f"{hint}; " if hint else "write it as #rrggbb, or name it under the layout's `colours`; "
            message = f"there is no colour {colour_word!r} for `[[{head}|`"
            raise BadSpan(message, f"{more}a size is written 14pt or 120%; write \\[ for the sign itself") from None
    return drawing.kit.ink.get_text_style_to_print(style._replace(colour=colour)).colour

"""Inline colour and size: `[[red|words]]`, `[[14pt|words]]`, `[[red 120%|words]]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playproof.database.errors import did_you_mean
from playproof.generator.layout.expression import MM_PER, ExpressionError
from playproof.generator.layout.model import LARGEST_TYPE
from playproof.generator.scene import Colour
from playproof.generator.type.setting import TextStyle
from playproof.generator.type.spans import CLOSING, MOST_SPANS, StyleSpan, get_opening_sign

if TYPE_CHECKING:
    from playproof.generator.layout.drawing import FaceDrawing

_MARK = re.compile(r"\\(?P<plain>[\[\]])|\[\[(?P<head>[^\[\]|\n]{1,80})\||(?P<close>\]\])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(%|mm|cm|in|pt|px)")


class BadSpan(ExpressionError):
    """A part of a text in a colour or size that does not exist, or that does not end."""

    code = "PP638"


def parse_inline_spans(
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
            pieces.append(get_opening_sign(len(spans)))
            spans.append(_parse_span_head(match["head"], drawing, style))
            open_ += 1
        elif open_:
            pieces.append(CLOSING)
            open_ -= 1
        else:
            pieces.append(match["close"])
    if open_ or len(spans) > MOST_SPANS:
        raise BadSpan(f"expected `]]` behind each `[[...|` of {text[:40]!r}", "write \\[ for the sign itself")
    return "".join([*pieces, text[at:]]), tuple(spans)


def _parse_span_head(head: str, drawing: FaceDrawing, style: TextStyle) -> StyleSpan:
    """Return what the words before the bar of a span mean."""
    span = StyleSpan()
    for word in re.findall(r"\w+\([^)]*\)|\S+", head):
        size = _SIZE.fullmatch(word)
        if size is not None:
            span = span._replace(scale=_compute_span_scale(float(size[1]), size[2], drawing, style))
        else:
            span = span._replace(colour=_resolve_span_colour(word, head, drawing, style))
    return span


def _compute_span_scale(number: float, unit: str, drawing: FaceDrawing, style: TextStyle) -> float:
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


def _resolve_span_colour(word: str, head: str, drawing: FaceDrawing, style: TextStyle) -> Colour:
    colour = drawing.layout.colours.get(word)
    if colour is None:
        try:
            colour = Colour.parse(word)
        except ValueError:
            hint = did_you_mean(word, drawing.layout.colours)
            more = f"{hint}; " if hint else ""
            message = f"there is no colour {word!r} for `[[{head}|`"
            raise BadSpan(
                message, f"{more}a size is written 14pt or 120%; write \\[ for the sign itself"
            ) from None
    return drawing.kit.ink.adapt_text_style(style._replace(colour=colour)).colour

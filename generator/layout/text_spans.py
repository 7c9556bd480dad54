"""Inline colour and size: `[[red|words]]`, `[[14pt|words]]`, `[[red 120%|words]]`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from playproof.database.errors import did_you_mean
from playproof.generator.layout.expression import MM_PER, ExpressionError
from playproof.generator.layout.model import LARGEST_TYPE
from playproof.generator.scene import Colour
from playproof.generator.type.setting import TextStyle
from playproof.generator.type.spans import CLOSING, MOST_SPANS, Span, opening

if TYPE_CHECKING:
    from playproof.generator.layout.drawing import Drawing

_MARK = re.compile(r"\\(?P<plain>[\[\]])|\[\[(?P<head>[^\[\]|\n]{1,80})\||(?P<close>\]\])")
_SIZE = re.compile(r"(\d+(?:\.\d+)?)(%|mm|cm|in|pt|px)")


class BadSpan(ExpressionError):
    """A part of a text in a colour or size that does not exist, or that does not end."""

    code = "PP638"


def read_spans(words: str, drawing: Drawing, style: TextStyle) -> tuple[str, tuple[Span, ...]]:
    """Return a text with its spans as signs, and what each of them means. Raises BadSpan."""
    if "[[" not in words:
        return words, ()
    spans: list[Span] = []
    pieces: list[str] = []
    at, open_ = 0, 0
    for match in _MARK.finditer(words):
        pieces.append(words[at : match.start()])
        at = match.end()
        if match["plain"]:
            pieces.append(match["plain"])
        elif match["head"]:
            pieces.append(opening(len(spans)))
            spans.append(_span_of(match["head"], drawing, style))
            open_ += 1
        elif open_:
            pieces.append(CLOSING)
            open_ -= 1
        else:
            pieces.append(match["close"])
    if open_ or len(spans) > MOST_SPANS:
        raise BadSpan(
            f"expected `]]` behind each `[[...|` of {words[:40]!r}", "write \\[ for the sign itself"
        )
    return "".join([*pieces, words[at:]]), tuple(spans)


def _span_of(head: str, drawing: Drawing, style: TextStyle) -> Span:
    """Return what the words before the bar of a span mean."""
    span = Span()
    for word in re.findall(r"\w+\([^)]*\)|\S+", head):
        size = _SIZE.fullmatch(word)
        if size is not None:
            span = span._replace(scale=_scale_of(float(size[1]), size[2], drawing, style))
        else:
            span = span._replace(colour=_colour_of(word, head, drawing, style))
    return span


def _scale_of(number: float, unit: str, drawing: Drawing, style: TextStyle) -> float:
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


def _colour_of(word: str, head: str, drawing: Drawing, style: TextStyle) -> Colour:
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
    return drawing.kit.ink.type(style._replace(colour=colour)).colour

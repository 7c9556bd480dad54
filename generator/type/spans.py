"""Parts of a text in a colour or size of their own.

`[[red|words]]` has been read by the layout, which knows its colours: here a span is a sign that opens it, one of the
private characters of Unicode's last plane, and one that closes it. Both pass through the markup as letters do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from playproof.generator.scene import Colour
from playproof.generator.type.markup import IconRun, Paragraph, Run

_FIRST, _LAST, _CLOSE = 0x10F000, 0x10F7FF, 0x10FFFD
MOST_SPANS = _LAST - _FIRST + 1
_SIGN = re.compile(f"([{chr(_FIRST)}-{chr(_LAST)}{chr(_CLOSE)}])")


class StyleSpan(NamedTuple):
    """What letters have of their own: a colour, or None; and how many times the size of their text they are."""

    colour: Colour | None = None
    scale: float = 1.0


PLAIN = StyleSpan()


def get_opening_sign(number: int) -> str:
    """Return the sign that opens a span, by its number in the text."""
    return chr(_FIRST + number)


CLOSING = chr(_CLOSE)


def apply_spans(paragraphs: Iterable[Paragraph], spans: Sequence[StyleSpan]) -> tuple[Paragraph, ...]:
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

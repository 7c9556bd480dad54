"""Typographic punctuation: curled quotes, and spaces at which no line ends."""

from __future__ import annotations

import re

HELD = "\u00a0"  # a space no line ends at
NARROW_BEFORE = ("fr",)  # languages that set a space before ; ! ? and inside guillemets

APOSTROPHE = re.compile(r"(?<=\w)'(?=\w|\s|$)|'(?=\d\ds\b)")
QUOTED = re.compile(r'"([^"\n]*)"')
COUNTED = re.compile(r" (?<=[\dX] )(?=:[a-z])")
FRENCH = re.compile(r"(?<=«) | (?=»)| (?=[;!?])| (?=:(?:\s|$))")


def typographic(text: str, language: str = "en") -> str:
    """Return the text with curled quotes, and with a no-break space between a number and its icon.

    >>> typographic('Take the owl\\'s "gift", 2 :food:')
    'Take the owl’s “gift”, 2\\xa0:food:'
    """
    if "'" in text:
        text = APOSTROPHE.sub("’", text)
    if '"' in text:
        text = QUOTED.sub(r"“\1”", text)
    if ":" in text:
        text = COUNTED.sub(HELD, text)
    if language in NARROW_BEFORE:
        text = FRENCH.sub(HELD, text)
    return text

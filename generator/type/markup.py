"""The markup of card text: ``**bold**``, ``*italic*``, ``:icon-name:``, and bullets (a line that
begins with a dash and a space).

A backslash takes the meaning from the character after it. A colon pair that holds anything but a
plain icon name is text, so "12:30" and "Note: this" need no backslash.

Typographic punctuation is added before a text is read: curled quotes, and spaces at which no line ends.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playproof.generator.type.spans import Span

# Empty groups name the mark that was found. Each branch begins with its own character, which the
# search looks for at once.
TOKEN = re.compile(r"\\(?P<plain>.)|\*\*(?P<bold>)|\*(?P<italic>)|:(?P<icon>[a-z][a-z0-9-]*):")


class Run(NamedTuple):
    """Characters in one style. ``span`` is their own colour and size (`spans.py`), if they have any."""

    text: str
    bold: bool = False
    italic: bool = False
    span: Span | None = None


class IconRun(NamedTuple):
    """An icon among the words."""

    name: str


class Paragraph(NamedTuple):
    """One line of the source."""

    runs: tuple[Run | IconRun, ...]
    bullet: bool = False


@lru_cache(maxsize=4096)
def parse_markup(text: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a text. Bold and italic may cross line ends.

    >>> parse_markup("pay **2** :food:")[0].runs[1]
    Run(text='2', bold=True, italic=False)
    """
    bold = italic = False
    paragraphs = []
    for source in text.split("\n"):
        bullet = source.startswith(("- ", "• "))
        runs, bold, italic = _runs(source[2:] if bullet else source, bold, italic)
        paragraphs.append(Paragraph(tuple(runs), bullet))
    return tuple(paragraphs)


def _runs(source: str, bold: bool, italic: bool) -> tuple[list[Run | IconRun], bool, bool]:
    runs: list[Run | IconRun] = []
    pending = ""
    at = 0
    for match in TOKEN.finditer(source):
        pending += source[at : match.start()]
        at = match.end()
        kind = match.lastgroup
        if kind == "plain":
            pending += match["plain"]
            continue
        if pending:
            runs.append(Run(pending, bold, italic))
            pending = ""
        if kind == "icon":
            runs.append(IconRun(match["icon"]))
        elif kind == "bold":
            bold = not bold
        else:
            italic = not italic
    pending += source[at:]
    if pending:
        runs.append(Run(pending, bold, italic))
    return runs, bold, italic


_TAG = re.compile(r"(?<!\\)\[\[([^\[\]|]*)\|")


def without_tags(text: str) -> str:
    """Return a text without the marks of spans, as it is read aloud.

    >>> without_tags("pay [[red|two]] coins")
    'pay two coins'
    """
    if "[[" not in text:
        return text
    return _TAG.sub("", text).replace("]]", "")


def plain_text(text: str) -> str:
    """Return the text without its marks, with icons by name in brackets."""
    paragraphs = []
    for paragraph in parse_markup(without_tags(text)):
        words = [run.text if isinstance(run, Run) else f"[{run.name}]" for run in paragraph.runs]
        paragraphs.append("".join(words))
    return "\n".join(paragraphs)


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

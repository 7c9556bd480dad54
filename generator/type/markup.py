"""The markup of card text: ``**bold**``, ``*italic*``, ``:icon-name:``, and bullets (a line that
begins with a dash and a space).

A mark that has no partner is text: a star with spaces on both sides, a footnote's star, the stars inside a word.
A backslash takes the meaning from a mark after it; before a letter, a digit or a space it is text. A colon pair
that holds anything but an icon's name is text, so "12:30" and "Note: this" need no backslash.

Typographic punctuation is added before a text is read: curled quotes, and spaces at which no line ends.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from playproof.generator.type.words import StyleSpan

# Empty groups name the mark that was found. Each branch begins with its own character, which the
# search looks for at once.
_TOKEN = r"\\(?P<plain>[!-/:-@\[-`{-~])|\*\*(?P<bold>)|\*(?P<italic>)|:(?P<icon>[a-z][a-z0-9-]*%s):"
_USUAL_NAME = re.compile(r"[a-z][a-z0-9-]*")
_STARS = re.compile(r"\*+")
_SPACELESS = 0x2E80  # from here on stand the scripts that write no spaces between words
_THAI_TO_LAO = range(0x0E00, 0x0F00)


class Run(NamedTuple):
    """Characters in one style. ``span`` is their own colour and size (`spans.py`), if they have any."""

    text: str
    bold: bool = False
    italic: bool = False
    span: StyleSpan | None = None


class IconRun(NamedTuple):
    """An icon among the words."""

    name: str


class Paragraph(NamedTuple):
    """One line of the source."""

    runs: tuple[Run | IconRun, ...]
    bullet: bool = False

    @property
    def text(self) -> str:
        """Its words, without icons."""
        return "".join([run.text for run in self.runs if isinstance(run, Run)])


class _StyleMark:
    """One ``**`` or ``*`` while its partner is looked for."""

    __slots__ = ("at", "closes", "in_run_of", "is_paired", "kind", "may_close", "may_open", "touches_words")

    def __init__(self, kind: str, at: int, run: tuple[int, int, int], before: str, after: str) -> None:
        self.kind = kind
        self.at = at  # in its line
        self.in_run_of = run  # the paragraph, start and end of the stars that it is one of
        self.touches_words = _is_word_character_of_spaced_script(before) and _is_word_character_of_spaced_script(after)
        self.may_open = bool(after.strip())
        self.may_close = bool(before.strip())
        self.is_paired = self.closes = False


_Token = str | IconRun | _StyleMark


def select_icon_names_with_unusual_characters(icons: Iterable[str]) -> frozenset[str]:
    """Return the names of icons that hold more than small letters, digits and dashes. `parse_markup_to_paragraphs`
    knows those alone that it is given: "12:30:45" is no icon unless there is an icon "30"."""
    return frozenset(name for name in icons if not _USUAL_NAME.fullmatch(name))


@lru_cache(maxsize=64)
def _build_token_pattern(unusual_icon_names: frozenset[str]) -> re.Pattern[str]:
    others = sorted(map(re.escape, unusual_icon_names), key=lambda name: (-len(name), name))
    return re.compile(_TOKEN % "".join(f"|{name}" for name in others))


@lru_cache(maxsize=4096)
def parse_markup_to_paragraphs(text: str, unusual_icon_names: frozenset[str] = frozenset()) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a text. Bold and italic may cross line ends. ``unusual_icon_names`` are the
    `select_icon_names_with_unusual_characters` of icons that there are.

    >>> parse_markup_to_paragraphs("pay **2** :food:")[0].runs[1]
    Run(text='2', bold=True, italic=False, span=None)
    >>> parse_markup_to_paragraphs("2 * 3 * 4*")[0].runs
    (Run(text='2 * 3 * 4*', bold=False, italic=False, span=None),)
    """
    pattern = _build_token_pattern(unusual_icon_names)
    bullets, tokens = [], []
    for number, source in enumerate(text.split("\n")):
        bullet = source.startswith(("- ", "• "))
        bullets.append(bullet)
        tokens.append(list(_iter_texts_icons_and_marks_of_line(source[2:] if bullet else source, number, pattern)))
    for kind in ("bold", "italic"):
        _pair_style_marks_in_place(
            [token for line in tokens for token in line if isinstance(token, _StyleMark) and token.kind == kind]
        )
    return tuple(_iter_paragraphs(bullets, tokens))


def _iter_texts_icons_and_marks_of_line(line: str, line_number: int, pattern: re.Pattern[str]) -> Iterable[_Token]:
    """Yield a line's text, icons and marks in order."""
    at = run_start = run_end = 0
    for match in pattern.finditer(line):
        if match.start() > at:
            yield line[at : match.start()]
        at = match.end()
        kind = match.lastgroup
        if kind == "plain":
            yield match["plain"]
        elif kind == "icon":
            yield IconRun(match["icon"])
        else:
            if match.start() >= run_end and (stars := _STARS.match(line, match.start())):
                run_start, run_end = stars.span()
            before, after = line[:run_start][-1:], line[run_end : run_end + 1]
            yield _StyleMark(kind or "", match.start(), (line_number, run_start, run_end), before, after)
    if at < len(line):
        yield line[at:]


def _is_word_character_of_spaced_script(char: str) -> bool:
    """Return whether a character is a letter or figure of a script that writes spaces between words."""
    return char.isalnum() and ord(char) < _SPACELESS and ord(char) not in _THAI_TO_LAO


def _pair_style_marks_in_place(marks: list[_StyleMark]) -> None:
    """Find the partners among the marks of one kind: each that closes has the nearest that is open. A mark inside a
    word closes, and opens only what follows one that it closed there."""
    opened: list[_StyleMark] = []
    closed: _StyleMark | None = None
    for mark in marks:
        if opened and mark.may_close and mark.in_run_of != opened[-1].in_run_of:
            opened.pop().is_paired = mark.is_paired = mark.closes = True
            closed = mark
        elif mark.may_open and (not mark.touches_words or (closed is not None and closed.in_run_of == mark.in_run_of)):
            opened.append(mark)


def _iter_paragraphs(bullets: list[bool], tokens_by_line: list[list[_Token]]) -> Iterable[Paragraph]:
    depth = {"bold": 0, "italic": 0}  # what is bold inside of what is bold stays bold
    for bullet, line in zip(bullets, tokens_by_line, strict=True):
        runs: list[Run | IconRun] = []
        pending = ""
        for token in line:
            if isinstance(token, str):
                pending += token
                continue
            if isinstance(token, _StyleMark) and not token.is_paired:
                pending += "**" if token.kind == "bold" else "*"
                continue
            if pending:
                runs.append(Run(pending, depth["bold"] > 0, depth["italic"] > 0))
                pending = ""
            if isinstance(token, IconRun):
                runs.append(token)
            else:
                depth[token.kind] += -1 if token.closes else 1
        if pending:
            runs.append(Run(pending, depth["bold"] > 0, depth["italic"] > 0))
        yield Paragraph(tuple(runs), bullet)


class MarkPlace(NamedTuple):
    """Where a mark with a partner stands in a text, and how long it is."""

    at: int
    length: int
    closes: bool


def list_paired_marks_or_empty_if_crossed(text: str) -> list[MarkPlace]:
    """Return the marks of a text that have a partner, in order; nothing if two pairs cross.

    >>> [mark.at for mark in list_paired_marks_or_empty_if_crossed("2 * **3**")]
    [4, 7]
    """
    lines = text.split("\n")
    tokens = [
        list(_iter_texts_icons_and_marks_of_line(line, number, _build_token_pattern(frozenset())))
        for number, line in enumerate(lines)
    ]
    starts = [sum(len(line) + 1 for line in lines[:number]) for number in range(len(lines))]
    marks = [
        (start + token.at, token)
        for start, line in zip(starts, tokens, strict=True)
        for token in line
        if isinstance(token, _StyleMark)
    ]
    for kind in ("bold", "italic"):
        _pair_style_marks_in_place([mark for _, mark in marks if mark.kind == kind])
    return _list_nested_mark_places_or_empty([(at, mark) for at, mark in marks if mark.is_paired])


def _list_nested_mark_places_or_empty(paired_marks: list[tuple[int, _StyleMark]]) -> list[MarkPlace]:
    """Return paired marks as they nest: of three stars that close two marks, those of the inner one come first."""
    places: list[MarkPlace] = []
    opened: list[str] = []
    waiting = ""  # the kind of a mark whose stars the inner one has taken
    for at, mark in paired_marks:
        kind = mark.kind
        if not mark.closes:
            opened.append(kind)
            places.append(MarkPlace(at, _get_mark_length(kind), closes=False))
            continue
        inner = opened.pop()
        if inner != kind and not waiting and opened and opened[-1] == kind:
            waiting = kind
        elif inner != kind and waiting == inner and at == places[-1].at + _get_mark_length(waiting):
            waiting = ""
        elif inner != kind:
            return []
        start = places[-1].at + places[-1].length if waiting == "" and inner != kind else at
        places.append(MarkPlace(start, _get_mark_length(inner), closes=True))
    return [] if waiting else places


def _get_mark_length(kind: str) -> int:
    return 2 if kind == "bold" else 1


_TAG = re.compile(r"(?<!\\)\[\[([^\[\]|]*)\|")


def strip_colour_and_size_spans(text: str) -> str:
    """Return a text without the marks of spans, as it is read aloud.

    >>> strip_colour_and_size_spans("pay [[red|two]] coins")
    'pay two coins'
    """
    if "[[" not in text:
        return text
    return _TAG.sub("", text).replace("]]", "")


def markup_to_plain_text_with_icon_names(text: str) -> str:
    """Return the text without its marks, with icons by name in brackets."""
    paragraphs = []
    for paragraph in parse_markup_to_paragraphs(strip_colour_and_size_spans(text)):
        words = [run.text if isinstance(run, Run) else f"[{run.name}]" for run in paragraph.runs]
        paragraphs.append("".join(words))
    return "\n".join(paragraphs)


HELD = "\u00a0"  # a space no line ends at
NARROW_BEFORE = ("fr",)  # languages that set a space before ; ! ? and inside guillemets

APOSTROPHE = re.compile(r"(?<=\w)'(?=\w|\s|$)|'(?=\d\ds\b)")
QUOTED = re.compile(r'"([^"\n]*)"')
COUNTED = re.compile(r" (?<=[\dX] )(?=:[a-z])")
FRENCH = re.compile(r"(?<=«) | (?=»)| (?=[;!?])| (?=:(?:\s|$))")


def add_typographic_punctuation(text: str, language: str = "en") -> str:
    """Return the text with curled quotes, and with a no-break space between a number and its icon.

    >>> add_typographic_punctuation('Take the owl\\'s "gift", 2 :food:')
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

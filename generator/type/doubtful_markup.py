"""What a text holds that looks like markup and is none: tags, named characters, line ends in letters, names of icons
that are written otherwise. All of it prints as it stands; somebody should hear of it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from html.entities import html5
from typing import NamedTuple

from playproof.database.icon_hints import make_icon_hint
from playproof.generator.type.markup import IconRun, find_unusual_icon_names, parse_markup

_TAG = re.compile(
    r"</?(?:a|b|big|blockquote|br|center|code|color|div|em|font|h[1-6]|hr|i|img|li|mark|ol|p|s|small|span|strike"
    r"|strong|sub|sup|table|td|th|tr|u|ul)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|[A-Za-z][A-Za-z0-9]*);")
_BACKSLASHED = re.compile(r"\\[nrt](?![a-z])|\\[nrt](?=[A-Z])")
_USUAL = re.compile(r"[a-z][a-z0-9-]*")
_COLONS = re.compile(r":([^\s:](?:[^:\n]{0,38}[^\s:])?)(?=:)")
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


def find_doubtful_markup(text: str, icons: Collection[str]) -> list[DoubtfulMarkup]:
    """Return what in a text looks like markup and is none. ``icons`` are the names of all icons.

    >>> find_doubtful_markup("a<br>b", ())[0].message
    "'<br>' prints as it stands"
    """
    if not any(sign in text for sign in "<&\\:"):
        return []
    return list(dict.fromkeys((*_find_tags_and_entities(text), *_find_doubtful_icon_names(text, icons))))


def _find_tags_and_entities(text: str) -> Iterator[DoubtfulMarkup]:
    for tag in _TAG.findall(text):
        name = re.sub(r"[^a-z0-9].*", "", tag.strip("</>").lower())
        yield DoubtfulMarkup(f"{tag!r} prints as it stands", _CURES.get(name, _MARKUP))
    for entity in _ENTITY.findall(text):
        char = _decode_entity(entity)
        if char:
            yield DoubtfulMarkup(
                f"{entity!r} prints as it stands", f"write the character itself, {_format_char(char)}"
            )
    for found in _BACKSLASHED.findall(text):
        cure = _CURES["br"] if found[1] != "t" else "write a space"
        yield DoubtfulMarkup(f"{found!r} prints as it stands".replace("\\\\", "\\"), cure)


def _decode_entity(entity: str) -> str:
    name = entity[1:]
    if not name.startswith("#"):
        return html5.get(name, "")
    digits = name[1:-1]
    number = int(digits[1:], 16) if digits[0] in "xX" else int(digits)
    return chr(number) if 0 < number < 0x110000 else ""


def _format_char(char: str) -> str:
    codes = " ".join(f"U+{ord(each):04X}" for each in char)
    return f"{char} ({codes})" if char.isprintable() and char.strip() else codes


def _find_doubtful_icon_names(text: str, icons: Collection[str]) -> Iterator[DoubtfulMarkup]:
    """Yield names between colons that are no icon's, but nearly one's, or look like a name and like nothing else."""
    if text.count(":") < 2:
        return
    names = _COLONS.findall(text)
    if "\\" not in text and all(name in icons and _USUAL.fullmatch(name) for name in names):
        return  # nearly every text: what follows costs more than setting its type
    unusual = find_unusual_icon_names(icons)
    drawn = {
        run.name
        for paragraph in parse_markup(text, unusual)
        for run in paragraph.runs
        if isinstance(run, IconRun)
    }
    plain = {_normalise_icon_name(name): name for name in icons}
    for name in names:
        if name in drawn:
            continue
        near = plain.get(_normalise_icon_name(name))
        if near is not None:
            yield DoubtfulMarkup(
                f"':{name}:' prints as it stands", f"the icon's name is :{near}:", of_icon=True
            )
        elif _LIKE_A_NAME.fullmatch(name):
            hint = make_icon_hint(name, icons)
            yield DoubtfulMarkup(f"':{name}:' prints as it stands", hint, of_icon=True)


def _normalise_icon_name(name: str) -> str:
    return re.sub(r"[\s_-]+", "-", name.strip().lower())

"""Outlines of SVG for screens: rounded to hundredths, letters to a thousandth of their height or so, and written from
point to point, as short as they can be. The grain of a paper is left out: its specks are smaller than a pixel, and they
are a tenth of a card's picture.

Outlines are most of a picture. From point to point the same numbers come again and again, so that a compressed
picture is a quarter to a third smaller, and not a point lies elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

_OUTLINE = re.compile(r'\bd="([^"]+)"( id="t\d+")?')  # the printer calls letters t1, t2, ...
_TOKEN = re.compile(r"[A-Za-z]|-?\d+(?:\.\d+)?(?:e-?\d+)?")
_NUMBERS = {"M": 2, "L": 2, "C": 6, "Q": 4, "Z": 0}  # of each command that the printer writes
_PARTS = 100  # of a mm
_SPECKS, _SPECK = 50, 0.3  # so many closed shapes in one outline, each at most so many mm large, are grain
_PARTS_OF_LETTERS = 1  # of a font's unit


def shorten_svg_outlines(svg: str) -> str:
    """Return the picture with shorter outlines. One with a command that the printer does not write stays as it is.

    >>> shorten_svg_outlines('<path d="M1.23456 2L3 4.0001L3 5C3 6 4 6 4.5 6Z" x="1.23456"/>')
    '<path d="M1.23 2l1.77 2v1c0 1 1 1 1.5 1z" x="1.23456"/>'
    """
    return _OUTLINE.sub(_shorten_outline_match, svg)


def _shorten_outline_match(match: re.Match[str]) -> str:
    letter = match[2] or ""
    if match[1].count("M") >= _SPECKS and all(_is_speck(shape) for shape in match[1].split("M")[1:]):
        return 'd=""'
    return f'd="{_shorten_outline(match[1], _PARTS_OF_LETTERS if letter else _PARTS)}"{letter}'


def _is_speck(shape: str) -> bool:
    numbers = [float(token) for token in _TOKEN.findall(shape) if not token.isalpha()]
    return all(max(side) - min(side) <= _SPECK for side in (numbers[::2], numbers[1::2]))


@lru_cache(maxsize=8_192)  # letters, icons and frames come again on every face of a game
def _shorten_outline(outline: str, parts: int) -> str:
    tokens = _TOKEN.findall(outline)
    if any(token.isalpha() and token not in _NUMBERS for token in tokens):
        return outline
    text, last = "", ""
    for command, numbers in _iter_relative_commands(tokens, parts):
        if command != last:
            text += command
        for at, number in enumerate(numbers):
            short = _format_short_number(number, parts)
            first = at == 0 and command != last
            text += short if first or short[0] == "-" else f" {short}"
        last = "" if command in "Mz" else command
    return text


def _iter_relative_commands(tokens: Sequence[str], parts: int) -> Iterator[tuple[str, list[int]]]:
    """Yield the commands with their numbers in parts of a unit, each but the first from where the last one ended."""
    here, start, at, command = [0, 0], [0, 0], 0, ""
    while at < len(tokens):
        if tokens[at].isalpha():
            command, at = tokens[at], at + 1
        count = _NUMBERS[command]
        there = [round(float(token) * parts) for token in tokens[at : at + count]]
        at += count
        step = [place - here[n % 2] for n, place in enumerate(there)]
        here = there[-2:] or start
        match command:
            case "Z":
                yield "z", []
            case "M":
                start, command = here, "L"  # of further points
                yield "M", there
            case "L" if step[1] == 0:
                yield "h", step[:1]
            case "L" if step[0] == 0:
                yield "v", step[1:]
            case _:
                yield command.lower(), step


def _format_short_number(number: int, parts: int) -> str:
    """Return so many parts as a number of units, without a 0 before the point."""
    whole, rest = divmod(abs(number), parts)
    decimals = f".{rest:02}".rstrip("0") if rest else ""
    return ("-" if number < 0 else "") + (f"{whole or ''}{decimals}" if number else "0")

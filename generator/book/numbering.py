"""Check that numbering runs on: numbered headings, numbered cells of a table, icons named by a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from playproof.database.errors import Finding
from playproof.database.game import Game
from playproof.database.number_words import numbers_in
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    Paragraph,
    TableBlock,
    paragraphs_of,
    shown,
)

_NUMBERED = re.compile(r"(\d{1,18}) +(.+)")
_BOLD = re.compile(r"\*\*(\d{1,18})\*\*")
_ICON = re.compile(r"([a-z][a-z-]*-(\d{1,18})): (.*)", re.DOTALL)


def numbering_findings(game: Game, document: Document) -> Iterator[Finding]:
    """PP532: headings and cells that begin with a number count from 1 on, or name a component by its
    id and title; an icon with a number in its name is told with that number."""
    yield from _headings(game, document)
    for block in _blocks(document.blocks):
        if isinstance(block, TableBlock):
            for column in zip(*block.rows, strict=True):
                cells = [cell for cell in column if _BOLD.match(shown(cell.spans))]
                yield from _counted([(cell, int(_BOLD.findall(shown(cell.spans))[0])) for cell in cells])
        if isinstance(block, Directive) and block.name == "icons":
            for item in paragraphs_of(block.body):
                yield from _icon(item, document.language)


def _headings(game: Game, document: Document) -> Iterator[Finding]:
    """Headings below one heading are counted together."""
    above: dict[int, list[tuple[Paragraph, int]]] = {}
    for heading in document.headings():
        for level in [level for level in above if level > heading.level]:
            yield from _counted(above.pop(level))
        match = _NUMBERED.match(shown(heading.spans))
        if match and not _titled(game, match[1], match[2], document.language):
            paragraph = Paragraph(heading.spans, (), heading.where)
            above.setdefault(heading.level, []).append((paragraph, int(match[1])))
    for siblings in above.values():
        yield from _counted(siblings)


def _titled(game: Game, number: str, words: str, language: str) -> bool:
    component = game.components.get(number)
    title = component.title if component else None
    return title is not None and words.startswith(title.text(language))


def _counted(numbered: Sequence[tuple[Paragraph, int]]) -> Iterator[Finding]:
    for expected, (paragraph, number) in enumerate(numbered, 1):
        if number != expected:
            message = f"expected the number {expected}, as these count from 1 on, found {number}"
            yield Finding(
                "PP532", paragraph.where, message, "a heading may also name a component: its id and title"
            )
            return


def _icon(item: Paragraph, language: str) -> Iterator[Finding]:
    match = _ICON.match(shown(item.spans))
    if match and int(match[2]) not in numbers_in(match[3], language):
        message = f"the icon {match[1]} is told without its number {match[2]}"
        yield Finding("PP532", item.where, message)


def _blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Directive):
            yield from _blocks(block.body)

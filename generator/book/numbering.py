"""Check that numbering runs on: numbered headings, numbered cells of a table, icons named by a number."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from playproof.database.errors import Finding
from playproof.database.game import Game
from playproof.database.number_words import count_numbers
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    Paragraph,
    TableBlock,
    get_plain_words,
    iter_paragraphs,
)

_NUMBERED = re.compile(r"(\d{1,18}) +(.+)")
_BOLD = re.compile(r"\*\*(\d{1,18})\*\*")
_ICON = re.compile(r"([a-z][a-z-]*-(\d{1,18})): (.*)", re.DOTALL)


def find_numbering_errors(game: Game, document: Document) -> Iterator[Finding]:
    """PP532: headings and cells that begin with a number count from 1 on, or name a component by its
    id and title; an icon with a number in its name is told with that number."""
    yield from _check_heading_numbers(game, document)
    for block in _iter_nested_blocks(document.blocks):
        if isinstance(block, TableBlock):
            for column in zip(*block.rows, strict=True):
                cells = [cell for cell in column if _BOLD.match(get_plain_words(cell.spans))]
                yield from _check_numbers_count_up(
                    [(cell, int(_BOLD.findall(get_plain_words(cell.spans))[0])) for cell in cells]
                )
        if isinstance(block, Directive) and block.name == "icons":
            for item in iter_paragraphs(block.body):
                yield from _check_icon_number(item, document.language)


def _check_heading_numbers(game: Game, document: Document) -> Iterator[Finding]:
    """Headings below one heading are counted together."""
    above: dict[int, list[tuple[Paragraph, int]]] = {}
    for heading in document.iter_headings():
        for level in [level for level in above if level > heading.level]:
            yield from _check_numbers_count_up(above.pop(level))
        match = _NUMBERED.match(get_plain_words(heading.spans))
        if match and not _names_component_with_title(game, match[1], match[2], document.language):
            paragraph = Paragraph(heading.spans, (), heading.where)
            above.setdefault(heading.level, []).append((paragraph, int(match[1])))
    for siblings in above.values():
        yield from _check_numbers_count_up(siblings)


def _names_component_with_title(game: Game, number: str, heading_text: str, language: str) -> bool:
    component = game.components.get(number)
    title = component.title if component else None
    return title is not None and heading_text.startswith(title.text(language))


def _check_numbers_count_up(numbered: Sequence[tuple[Paragraph, int]]) -> Iterator[Finding]:
    for expected, (paragraph, number) in enumerate(numbered, 1):
        if number != expected:
            message = f"expected the number {expected}, as these count from 1 on, found {number}"
            yield Finding(
                "PP532", paragraph.where, message, "a heading may also name a component: its id and title"
            )
            return


def _check_icon_number(item: Paragraph, language: str) -> Iterator[Finding]:
    match = _ICON.match(get_plain_words(item.spans))
    if match and int(match[2]) not in count_numbers(match[3], language):
        message = f"the icon {match[1]} is told without its number {match[2]}"
        yield Finding("PP532", item.where, message)


def _iter_nested_blocks(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Directive):
            yield from _iter_nested_blocks(block.body)

"""Check that what a book tells of a recorded game has the numbers of that game.

The generator cannot play. A transcript is text, and names cards, places and numbers in the words of
the moves, so its lines are read as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from playproof.database.errors import Finding
from playproof.database.game import Game
from playproof.database.number_words import count_numbers, find_number_texts
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    NumberSpan,
    Paragraph,
    iter_paragraphs,
)
from playproof.database.source import read_content
from playproof.generator.book.handwritten_numbers import (
    is_component_id,
    list_typed_numbers,
    shows_recorded_game,
)
from playproof.generator.book.number_exemptions import GAP
from playproof.generator.book.number_places import find_number_place
from playproof.generator.book.play_interface import find_recorded_game_file

_NAME = re.compile(r"\b([^\W\d_]+) (\d+)")
_SEAT = re.compile(r"seat \d+: ")
_HINT = "the moves of a step stand in its {moves}"


def find_numbers_not_in_recorded_game(game: Game, document: Document) -> Iterator[Finding]:
    """PP531: a step of an example tells numbers of the moves that it shows. The caption of a scene tells
    how many play."""
    for block in _iter_recorded_game_directives(document.blocks):
        transcript = find_recorded_game_file(game.folder / "rulebook", block.argument)
        if transcript is None:
            continue  # the book is not made then, and says why
        try:
            lines = read_content(transcript).decode("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        seats, moves = parse_transcript_lines(lines)
        for paragraph in iter_paragraphs(block.body):
            yield from _check_step_numbers(game, paragraph, moves, seats, document.language, transcript)


def parse_transcript_lines(lines: list[str]) -> tuple[int, list[str]]:
    """Return how many play a recorded game, and its moves as they are written."""
    seats = sum(bool(_SEAT.match(line)) for line in lines)
    head = next((n for n, line in enumerate(lines) if not line.strip()), 0)
    return seats, [line for line in lines[head:] if line.strip() and not line.startswith("#")]


def _check_step_numbers(
    game: Game, paragraph: Paragraph, moves: list[str], seats: int, language: str, transcript: Path
) -> Iterator[Finding]:
    if paragraph.moves is None:
        marked = [span.text for span in paragraph.spans if isinstance(span, NumberSpan)]
        told_numbers = [number for text in marked for number in find_number_texts(text, language)]
        shown_moves: list[str] = []
        what = "has as many players"
        move_numbers = {str(seats)}
    else:
        first, last = paragraph.moves
        told_numbers = _list_numbers_outside_number_marks(paragraph, language)
        shown_moves = moves[first - 1 : last]
        what = f"has in the moves {first} to {last}"
        move_numbers = set[str]()
    move_numbers |= {number for line in shown_moves for number in re.findall(r"\d+", line)}
    yield from _find_numbered_names_not_in_moves(game, paragraph, shown_moves, transcript)
    for number in (number for number in told_numbers if not is_component_id(game, number)):
        value = next(iter(count_numbers(number, language)))
        if number not in move_numbers and str(value) not in move_numbers:
            listed = ", ".join(sorted(move_numbers)) or "no number"
            message = f'the number "{number}" is told of {transcript.name}, which {what}: {listed}'
            yield Finding("PP531", find_number_place(paragraph.where, number), message, _HINT)


def _find_numbered_names_not_in_moves(
    game: Game, paragraph: Paragraph, moves: list[str], transcript: Path
) -> Iterator[Finding]:
    """Names such as `player 2` that the moves have with other numbers only."""
    words = "".join(span if isinstance(span, str) else GAP for span in paragraph.spans)
    lines = "\n".join(moves).lower()
    for label, number in _NAME.findall(words.lower()):
        others = set(re.findall(rf"\b{re.escape(label)} (\d+)", lines))
        if others and number not in others and not is_component_id(game, number):
            listed = ", ".join(f"{label} {other}" for other in sorted(others))
            message = f'"{label} {number}" is told of {transcript.name}, whose moves here have {listed}'
            yield Finding("PP531", find_number_place(paragraph.where, number), message, _HINT)


def _list_numbers_outside_number_marks(paragraph: Paragraph, language: str) -> list[str]:
    words = Paragraph(
        tuple(span for span in paragraph.spans if not isinstance(span, NumberSpan)), (), paragraph.where
    )
    return list_typed_numbers(words, language)


def _iter_recorded_game_directives(blocks: tuple[Block, ...]) -> Iterator[Directive]:
    for block in blocks:
        if isinstance(block, Directive):
            if shows_recorded_game(block):
                yield block
            else:
                yield from _iter_recorded_game_directives(block.body)

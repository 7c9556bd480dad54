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
from playproof.database.number_words import numbers_in, spelt
from playproof.database.rulebook_text import Block, Directive, Document, Number, Paragraph, paragraphs_of
from playproof.database.source import content
from playproof.generator.book.handwritten_numbers import named, recounts, typed_numbers
from playproof.generator.book.number_exemptions import GAP
from playproof.generator.book.number_places import exact_place
from playproof.generator.book.play_interface import recorded_file

_NAME = re.compile(r"\b([^\W\d_]+) (\d+)")
_SEAT = re.compile(r"seat \d+: ")
_HINT = "the moves of a step stand in its {moves}"


def replay_findings(game: Game, document: Document) -> Iterator[Finding]:
    """PP531: a step of an example tells numbers of the moves that it shows. The caption of a scene tells
    how many play."""
    for block in _shown(document.blocks):
        transcript = recorded_file(game.folder / "rulebook", block.argument)
        if transcript is None:
            continue  # the book is not made then, and says why
        try:
            lines = content(transcript).decode("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError):
            continue
        seats, moves = read_lines(lines)
        for paragraph in paragraphs_of(block.body):
            yield from _of_step(game, paragraph, moves, seats, document.language, transcript)


def read_lines(lines: list[str]) -> tuple[int, list[str]]:
    """Return how many play a recorded game, and its moves as they are written."""
    seats = sum(bool(_SEAT.match(line)) for line in lines)
    head = next((n for n, line in enumerate(lines) if not line.strip()), 0)
    return seats, [line for line in lines[head:] if line.strip() and not line.startswith("#")]


def _of_step(
    game: Game, paragraph: Paragraph, moves: list[str], seats: int, language: str, transcript: Path
) -> Iterator[Finding]:
    if paragraph.moves is None:
        marked = [span.text for span in paragraph.spans if isinstance(span, Number)]
        told_numbers = [number for text in marked for number in spelt(text, language)]
        shown_moves: list[str] = []
        what = "has as many players"
        move_numbers = {str(seats)}
    else:
        first, last = paragraph.moves
        told_numbers = _names(paragraph, language)
        shown_moves = moves[first - 1 : last]
        what = f"has in the moves {first} to {last}"
        move_numbers = set[str]()
    move_numbers |= {number for line in shown_moves for number in re.findall(r"\d+", line)}
    yield from _other_names(game, paragraph, shown_moves, transcript)
    for number in (number for number in told_numbers if not named(game, number)):
        value = next(iter(numbers_in(number, language)))
        if number not in move_numbers and str(value) not in move_numbers:
            listed = ", ".join(sorted(move_numbers)) or "no number"
            message = f'the number "{number}" is told of {transcript.name}, which {what}: {listed}'
            yield Finding("PP531", exact_place(paragraph.where, number), message, _HINT)


def _other_names(game: Game, paragraph: Paragraph, moves: list[str], transcript: Path) -> Iterator[Finding]:
    """Names such as `player 2` that the moves have with other numbers only."""
    words = "".join(span if isinstance(span, str) else GAP for span in paragraph.spans)
    lines = "\n".join(moves).lower()
    for label, number in _NAME.findall(words.lower()):
        others = set(re.findall(rf"\b{re.escape(label)} (\d+)", lines))
        if others and number not in others and not named(game, number):
            listed = ", ".join(f"{label} {other}" for other in sorted(others))
            message = f'"{label} {number}" is told of {transcript.name}, whose moves here have {listed}'
            yield Finding("PP531", exact_place(paragraph.where, number), message, _HINT)


def _names(paragraph: Paragraph, language: str) -> list[str]:
    words = Paragraph(
        tuple(span for span in paragraph.spans if not isinstance(span, Number)), (), paragraph.where
    )
    return typed_numbers(words, language)


def _shown(blocks: tuple[Block, ...]) -> Iterator[Directive]:
    for block in blocks:
        if isinstance(block, Directive):
            if recounts(block):
                yield block
            else:
                yield from _shown(block.body)

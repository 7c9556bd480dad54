"""Check that what a chapter names is there: directives, components, icons, recorded games and their
moves. A book is made only if it is, and lint says so before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from playproof.database.errors import Finding, InputError, Where, make_nearest_or_possible_words_hint
from playproof.database.game import Game
from playproof.database.patch import describe_missing_component_with_hint
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    FactSpan,
    Paragraph,
    Span,
    iter_nested_paragraphs,
)
from playproof.generator.book import data_directives, display_directives
from playproof.generator.book.document_composer import DIRECTIVE_COMPOSERS
from playproof.generator.book.play_interface import find_recorded_game_inside_folder_or_none
from playproof.generator.book.typed_numbers import find_word_place_or_paragraph_start
from playproof.generator.type.markup import IconRun, parse_markup_to_paragraphs

DIRECTIVES = (data_directives, display_directives)
"""Importing the modules has registered their directives."""
CountRecordedMoves = Callable[[Path], int]
"""How many moves a transcript has. Raises InputError if it cannot be read."""


def list_broken_references_in_document(
    game: Game, document: Document, drawable_icons: Collection[str], count_recorded_moves: CountRecordedMoves | None
) -> list[Finding]:
    """Return the findings. `drawable_icons` are the names that can be drawn; without `count_recorded_moves`, recorded
    games are not looked at."""
    headings = [Paragraph(heading.spans, (), heading.where) for heading in document.iter_headings()]
    findings: list[Finding] = []
    for paragraph in (*headings, *document.iter_paragraphs_of_document()):
        findings += _find_unknown_icons(paragraph, drawable_icons)
        findings += _find_unknown_component_references(game, paragraph.faces, paragraph.where)
    for directive in _iter_directives_at_any_depth(document.blocks):
        findings += _find_unknown_directive_or_component(game, directive)
        if count_recorded_moves is not None and directive.name in ("example", "scene"):
            findings += _find_missing_transcript_or_moves(document.folder, directive, count_recorded_moves)
    return findings


def _find_unknown_icons(paragraph: Paragraph, drawable_icons: Collection[str]) -> Iterator[Finding]:
    """PP502: every icon can be drawn."""
    for span in paragraph.spans:
        for line in parse_markup_to_paragraphs(_get_typed_text_or_empty_of_fact(span)):
            for run in line.runs:
                if isinstance(run, IconRun) and run.name not in drawable_icons:
                    place = find_word_place_or_paragraph_start(paragraph.where, f":{run.name}:")
                    hint = make_nearest_or_possible_words_hint(run.name, sorted(drawable_icons))
                    yield Finding("PP502", place, f'there is no icon "{run.name}"', hint)


def _find_unknown_directive_or_component(game: Game, directive: Directive) -> Iterator[Finding]:
    """PP523: the directive exists, and the components that it shows."""
    if directive.name not in DIRECTIVE_COMPOSERS:
        yield Finding(
            "PP523",
            directive.where,
            f"there is no directive {{{directive.name}}}",
            make_nearest_or_possible_words_hint(directive.name, DIRECTIVE_COMPOSERS),
        )
    elif directive.name in ("faces", "map"):
        yield from _find_unknown_component_references(game, directive.argument.split(), directive.where)


def _find_unknown_component_references(game: Game, refs: Sequence[str], where: Where) -> Iterator[Finding]:
    for ref in refs:
        name = ref.partition(":")[0]
        if name not in game.components:
            yield Finding(
                "PP523",
                find_word_place_or_paragraph_start(where, name),
                *describe_missing_component_with_hint(game, name),
            )


def _find_missing_transcript_or_moves(
    folder: Path, directive: Directive, count_recorded_moves: CountRecordedMoves
) -> Iterator[Finding]:
    """PP604: the transcript that a directive names is there. PP524: it has the moves that are shown."""
    name = next(iter(directive.argument.split()), "")
    file = find_recorded_game_inside_folder_or_none(folder, name)
    if file is None:
        transcripts = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.txt"))
        yield Finding(
            "PP604",
            find_word_place_or_paragraph_start(directive.where, name) if name else directive.where,
            f'expected the file of a transcript below {folder.name}/, found "{name}"',
            make_nearest_or_possible_words_hint(name, transcripts) or "`save FILE` in `playproof play` writes one",
        )
        return
    try:
        count = count_recorded_moves(file)
    except InputError as error:
        yield from error.findings
        return
    for paragraph in iter_nested_paragraphs(directive.body):
        if paragraph.moves is None:
            continue
        first, last = paragraph.moves
        if not 1 <= first <= last <= count:
            moves = str(first) if first == last else f"{first}-{last}"
            yield Finding(
                "PP524",
                find_word_place_or_paragraph_start(paragraph.where, moves),
                f"expected moves from 1 to {count}, as {name} has, found {moves}",
            )
    after = directive.options.get("after", "")
    if after.isdigit() and int(after) > count:
        yield Finding(
            "PP524",
            find_word_place_or_paragraph_start(directive.where, after),
            f"expected at most {count} moves, as {name} has, found {after}",
        )


def _iter_directives_at_any_depth(blocks: Sequence[Block]) -> Iterator[Directive]:
    for block in blocks:
        if isinstance(block, Directive):
            yield block
            yield from _iter_directives_at_any_depth(block.body)


def _get_typed_text_or_empty_of_fact(span: Span) -> str:
    """Return the words of a span that people typed; a fact's come from the data."""
    return span if isinstance(span, str) else "" if isinstance(span, FactSpan) else span.text

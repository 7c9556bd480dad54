"""Check that what a chapter names is there: directives, components, icons, recorded games and their
moves. A book is made only if it is, and lint says so before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path

from playproof.database.errors import Finding, InputError, Where, did_you_mean
from playproof.database.game import Game
from playproof.database.rulebook_text import Block, Directive, Document, Fact, Paragraph, Span, paragraphs_of
from playproof.generator.book import data_directives, display_directives
from playproof.generator.book.compose import MAKERS
from playproof.generator.book.number_places import exact_place
from playproof.generator.book.play_interface import recorded_file
from playproof.generator.type.markup import IconRun, parse_markup

DIRECTIVES = (data_directives, display_directives)
"""Importing the modules has registered their directives."""
Recorded = Callable[[Path], int]
"""How many moves a transcript has. Raises InputError if it cannot be read."""


def reference_findings(
    game: Game, document: Document, icons: Collection[str], recorded: Recorded | None
) -> list[Finding]:
    """Return the findings. `icons` are the names that can be drawn; without `recorded`, recorded games
    are not looked at."""
    headings = [Paragraph(heading.spans, (), heading.where) for heading in document.headings()]
    findings: list[Finding] = []
    for paragraph in (*headings, *document.paragraphs()):
        findings += _icons(paragraph, icons)
        findings += _components(game, paragraph.faces, paragraph.where)
    for directive in _directives(document.blocks):
        findings += _directive(game, directive)
        if recorded is not None and directive.name in ("example", "scene"):
            findings += _played(document.folder, directive, recorded)
    return findings


def _icons(paragraph: Paragraph, icons: Collection[str]) -> Iterator[Finding]:
    """PP502: every icon can be drawn."""
    for span in paragraph.spans:
        for line in parse_markup(_text(span)):
            for run in line.runs:
                if isinstance(run, IconRun) and run.name not in icons:
                    place = exact_place(paragraph.where, f":{run.name}:")
                    hint = did_you_mean(run.name, sorted(icons))
                    yield Finding("PP502", place, f'there is no icon "{run.name}"', hint)


def _directive(game: Game, directive: Directive) -> Iterator[Finding]:
    """PP523: the directive exists, and the components that it shows."""
    if directive.name not in MAKERS:
        yield Finding(
            "PP523",
            directive.where,
            f"there is no directive {{{directive.name}}}",
            did_you_mean(directive.name, MAKERS),
        )
    elif directive.name in ("faces", "map"):
        yield from _components(game, directive.argument.split(), directive.where)


def _components(game: Game, refs: Sequence[str], where: Where) -> Iterator[Finding]:
    for ref in refs:
        name = ref.partition(":")[0]
        if name not in game.components:
            yield Finding(
                "PP523",
                exact_place(where, name),
                f'there is no component "{name}"',
                did_you_mean(name, game.components),
            )


def _played(folder: Path, directive: Directive, recorded: Recorded) -> Iterator[Finding]:
    """PP604: the transcript that a directive names is there. PP524: it has the moves that are shown."""
    name = next(iter(directive.argument.split()), "")
    file = recorded_file(folder, name)
    if file is None:
        transcripts = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.txt"))
        yield Finding(
            "PP604",
            exact_place(directive.where, name) if name else directive.where,
            f'expected the file of a transcript below {folder.name}/, found "{name}"',
            did_you_mean(name, transcripts) or "`save FILE` in `playproof play` writes one",
        )
        return
    try:
        count = recorded(file)
    except InputError as error:
        yield from error.findings
        return
    for paragraph in paragraphs_of(directive.body):
        if paragraph.moves is None:
            continue
        first, last = paragraph.moves
        if not 1 <= first <= last <= count:
            moves = str(first) if first == last else f"{first}-{last}"
            yield Finding(
                "PP524",
                exact_place(paragraph.where, moves),
                f"expected moves from 1 to {count}, as {name} has, found {moves}",
            )
    after = directive.options.get("after", "")
    if after.isdigit() and int(after) > count:
        yield Finding(
            "PP524",
            exact_place(directive.where, after),
            f"expected at most {count} moves, as {name} has, found {after}",
        )


def _directives(blocks: Sequence[Block]) -> Iterator[Directive]:
    for block in blocks:
        if isinstance(block, Directive):
            yield block
            yield from _directives(block.body)


def _text(span: Span) -> str:
    """Return the words of a span that people typed; a fact's come from the data."""
    return span if isinstance(span, str) else "" if isinstance(span, Fact) else span.text

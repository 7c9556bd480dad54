"""Check that the chapters of all languages tell the same numbers, after their facts are evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.lint_text import same_numbers
from playproof.database.rulebook_text import Block, Document, Fact, Heading, Paragraph, paragraphs_of
from playproof.generator.book.fact_values import fact_scope, fact_text, said_of
from playproof.generator.layout.expression import ExpressionError


@dataclass(frozen=True)
class Said:
    """A part of a chapter: its first words, what it says, and where it begins."""

    title: str
    parts: tuple[tuple[str, Where], ...]

    @property
    def text(self) -> str:
        """All words of the part."""
        return "\n".join(text for text, _ in self.parts)


def fact_findings(game: Game, document: Document) -> Iterator[Finding]:
    """PP503 and PP509: each fact of the chapters can be evaluated."""
    scope = fact_scope(game, document.language)
    for paragraph in _all(document):
        for span in paragraph.spans:
            if isinstance(span, Fact):
                try:
                    fact_text(span.source, scope)
                except ExpressionError as error:
                    yield Finding(
                        error.code, paragraph.where, f"{{fact}}`{span.source}`: {error}", error.hint
                    )


def translation_findings(game: Game, documents: Sequence[Document]) -> Iterator[Finding]:
    """A section of the chapters tells the same numbers in every language. Sections are compared in
    order. Where the languages have different headings, the whole books are compared."""
    if not documents:
        return
    first_language, first_sections = documents[0].language, _sections(game, documents[0])
    for document in documents[1:]:
        sections, theirs = _sections(game, document), first_sections
        if len(theirs) != len(sections):
            theirs, sections = [_joined(theirs)], [_joined(sections)]
        for section, namesake in zip(sections, theirs, strict=True):
            yield from _compared(section, document.language, namesake, first_language)


def _compared(mine: Said, language: str, theirs: Said, other: str) -> Iterator[Finding]:
    """Compare paragraph by paragraph where both have as many."""
    if len(mine.parts) != len(theirs.parts):
        places = {language: mine.parts[0][1], other: theirs.parts[0][1]}
        yield from same_numbers(f'"{mine.title}"', {other: theirs.text, language: mine.text}, places)
        return
    for (text, where), (other_text, there) in zip(mine.parts, theirs.parts, strict=True):
        texts = {other: other_text, language: text}
        yield from same_numbers(f'"{mine.title}"', texts, {language: where, other: there})


def _sections(game: Game, document: Document) -> list[Said]:
    scope = fact_scope(game, document.language)
    sections = [Said("", ())]
    for block in document.blocks:
        if isinstance(block, Heading):
            words = "".join(said_of(span, scope) for span in block.spans)
            sections.append(Said(words, ((words, block.where),)))
        else:
            parts = tuple((_words(each, scope), each.where) for each in paragraphs_of([block]))
            sections[-1] = Said(sections[-1].title, (*sections[-1].parts, *parts))
    return [section for section in sections if section.parts]


def _joined(sections: Sequence[Said]) -> Said:
    return Said(sections[0].title, tuple(part for section in sections for part in section.parts))


def _words(paragraph: Paragraph, scope: Mapping[str, Any]) -> str:
    return "".join(said_of(span, scope) for span in paragraph.spans)


def _all(document: Document) -> Iterator[Paragraph]:
    headings: list[Block] = [Paragraph(heading.spans, (), heading.where) for heading in document.headings()]
    return paragraphs_of([*headings, *document.blocks])

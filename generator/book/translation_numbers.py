"""Check that the chapters of all languages tell the same numbers, after their facts are evaluated."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.lint_text import iter_different_number_findings
from playproof.database.rulebook_text import Block, Document, FactSpan, Heading, Paragraph, iter_paragraphs
from playproof.generator.book.fact_values import build_fact_scope, evaluate_fact_text, get_printed_text
from playproof.generator.layout.expression import ExpressionError


@dataclass(frozen=True)
class ChapterSection:
    """A part of a chapter: its first words, what it says, and where it begins."""

    title: str
    parts: tuple[tuple[str, Where], ...]

    @property
    def text(self) -> str:
        """All words of the part."""
        return "\n".join(text for text, _ in self.parts)


def find_facts_without_value(game: Game, document: Document) -> Iterator[Finding]:
    """PP503 and PP509: each fact of the chapters can be evaluated."""
    scope = build_fact_scope(game, document.language)
    for paragraph in _iter_headings_and_paragraphs(document):
        for span in paragraph.spans:
            if isinstance(span, FactSpan):
                try:
                    evaluate_fact_text(span.source, scope)
                except ExpressionError as error:
                    yield Finding(
                        error.code, paragraph.where, f"{{fact}}`{span.source}`: {error}", error.hint
                    )


def find_numbers_differing_between_translations(
    game: Game, documents: Sequence[Document]
) -> Iterator[Finding]:
    """A section of the chapters tells the same numbers in every language. Sections are compared in
    order. Where the languages have different headings, the whole books are compared."""
    if not documents:
        return
    first_language, first_sections = documents[0].language, _split_into_sections(game, documents[0])
    for document in documents[1:]:
        sections, theirs = _split_into_sections(game, document), first_sections
        if len(theirs) != len(sections):
            theirs, sections = [_join_sections(theirs)], [_join_sections(sections)]
        for section, namesake in zip(sections, theirs, strict=True):
            yield from _compare_sections(section, document.language, namesake, first_language)


def _compare_sections(
    mine: ChapterSection, language: str, theirs: ChapterSection, other: str
) -> Iterator[Finding]:
    """Compare paragraph by paragraph where both have as many."""
    if len(mine.parts) != len(theirs.parts):
        places = {language: mine.parts[0][1], other: theirs.parts[0][1]}
        yield from iter_different_number_findings(
            f'"{mine.title}"', {other: theirs.text, language: mine.text}, places
        )
        return
    for (text, where), (other_text, there) in zip(mine.parts, theirs.parts, strict=True):
        texts = {other: other_text, language: text}
        yield from iter_different_number_findings(f'"{mine.title}"', texts, {language: where, other: there})


def _split_into_sections(game: Game, document: Document) -> list[ChapterSection]:
    scope = build_fact_scope(game, document.language)
    sections = [ChapterSection("", ())]
    for block in document.blocks:
        if isinstance(block, Heading):
            words = "".join(get_printed_text(span, scope) for span in block.spans)
            sections.append(ChapterSection(words, ((words, block.where),)))
        else:
            parts = tuple(
                (_get_printed_paragraph_text(each, scope), each.where) for each in iter_paragraphs([block])
            )
            sections[-1] = ChapterSection(sections[-1].title, (*sections[-1].parts, *parts))
    return [section for section in sections if section.parts]


def _join_sections(sections: Sequence[ChapterSection]) -> ChapterSection:
    return ChapterSection(sections[0].title, tuple(part for section in sections for part in section.parts))


def _get_printed_paragraph_text(paragraph: Paragraph, scope: Mapping[str, Any]) -> str:
    return "".join(get_printed_text(span, scope) for span in paragraph.spans)


def _iter_headings_and_paragraphs(document: Document) -> Iterator[Paragraph]:
    headings: list[Block] = [
        Paragraph(heading.spans, (), heading.where) for heading in document.iter_headings()
    ]
    return iter_paragraphs([*headings, *document.blocks])

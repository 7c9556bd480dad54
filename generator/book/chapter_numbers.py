"""Check that the chapters tell the numbers of the game: lint for every number in a rulebook's
prose.

A `{fact}` takes its number from the data, so it cannot be wrong. The short text of a rule is plain
words. Lint checks its numbers against the chapters that state the rule, where facts are evaluated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.number_words import count_numbers, find_quantity_texts
from playproof.database.rulebook_text import (
    Directive,
    Document,
    IndexSpan,
    LinkSpan,
    Paragraph,
    Span,
    read_document,
)
from playproof.generator.book.fact_values import build_fact_scope, get_printed_text
from playproof.generator.book.handwritten_numbers import (
    find_typed_numbers_not_in_rules,
    find_unknown_numbered_names,
)
from playproof.generator.book.number_exemptions import (
    GAP,
    blank_uncounted_numbers,
    build_numbered_name_pattern,
)
from playproof.generator.book.numbering import find_numbering_errors
from playproof.generator.book.replay_numbers import find_numbers_not_in_recorded_game
from playproof.generator.book.rule_citations import find_citation_number_errors
from playproof.generator.book.translation_numbers import (
    find_facts_without_value,
    find_numbers_differing_between_translations,
)


def find_chapter_number_errors(game: Game) -> list[Finding]:
    """Return the findings about typed numbers that should be facts, about rules whose numbers the
    chapters do not tell, and about components that say other numbers than the rules they cite."""
    findings = find_citation_number_errors(game)
    read = [read_document(game.folder, language, game.edits) for language in game.languages]
    documents = [document for document in read if document is not None]
    for document in documents:
        findings += find_typed_numbers_in_prose(game, document)
        findings += find_rule_numbers_missing_in_chapters(game, document)
        for check in (
            find_facts_without_value,
            find_typed_numbers_not_in_rules,
            find_unknown_numbered_names,
            find_numbers_not_in_recorded_game,
            find_numbering_errors,
        ):
            findings += check(game, document)
    findings += find_numbers_differing_between_translations(game, documents)
    return sorted(findings, key=lambda f: (str(f.where.file), f.where.line, f.where.column, f.code))


def find_typed_numbers_in_prose(game: Game, document: Document) -> Iterator[Finding]:
    """PP527: a number in prose is a fact, or is marked as one that no data holds."""
    names = build_numbered_name_pattern(game, document.language)
    headings = (Paragraph(heading.spans, (), heading.where) for heading in document.iter_headings())
    for paragraph in (*document.iter_paragraphs(), *headings):
        text = blank_uncounted_numbers(_join_typed_text(paragraph.spans), names)
        for number in find_quantity_texts(text, document.language):
            hint = f"{{fact}}`...`, or {{number}}`{number}` where no data holds it"
            message = f'the number "{number}" is typed into the text'
            yield Finding("PP527", paragraph.where, message, hint)


def find_rule_numbers_missing_in_chapters(game: Game, document: Document) -> Iterator[Finding]:
    """PP528: the chapters that state a rule or a ruling tell each number of its short text. An
    option that is not the default may say another number if its name says it."""
    language = document.language
    told_numbers = _count_numbers_told_per_rule(game, document)
    for rule in game.rules.values():
        if not rule.left_out and rule.id in told_numbers:
            words = rule.words.texts.get(language, "")
            yield from _find_numbers_missing_in_chapters(
                rule.id, words, set(told_numbers[rule.id]), language, rule.where
            )
            yield from _find_misplaced_numbers(rule.id, words, told_numbers[rule.id], language, rule.where)
    names = build_numbered_name_pattern(game, language)
    for ruling in game.rulings.values():
        settled = [rule.id for rule in game.rules.values() if rule.ruling == ruling.id]
        at_hand = set[int]().union(*(told_numbers.get(name, Counter()) for name in (ruling.id, *settled)))
        printed = (ruling.words, ruling.option_words.get(ruling.default), ruling.narrowed)
        words = " ".join(text.texts.get(language, "") for text in printed if text is not None)
        yield from _find_numbers_missing_in_chapters(ruling.id, words, at_hand, language, ruling.where)
        for option, option_words in ruling.option_words.items():
            if option != ruling.default:
                # names are English in every language
                named = set(count_numbers(option.replace("-", " "), "en"))
                words = names.sub(GAP, option_words.texts.get(language, ""))
                yield from _find_numbers_missing_in_chapters(
                    f"{ruling.id} {option}", words, at_hand | named, language, option_words.where
                )


def _count_numbers_told_per_rule(game: Game, document: Document) -> dict[str, Counter[int]]:
    """Return the numbers that the chapters tell of each rule and ruling, with how often they tell
    them."""
    told_numbers: dict[str, Counter[int]] = {}
    for rules, numbers in _iter_stated_rules_and_numbers(
        game, document, build_fact_scope(game, document.language)
    ):
        for name in rules:
            told_numbers.setdefault(name, Counter()).update(numbers)
    return told_numbers


def _find_numbers_missing_in_chapters(
    name: str, rule_text: str, told_numbers: set[int], language: str, where: Where
) -> Iterator[Finding]:
    for number in sorted(set(count_numbers(rule_text, language)) - told_numbers):
        listed = ", ".join(map(str, sorted(told_numbers))) or "no number"
        message = f"{name} says {number} ({language}), the chapters that state it say {listed}"
        yield Finding("PP528", where, message)


def _find_misplaced_numbers(
    name: str, rule_text: str, told_numbers: Counter[int], language: str, where: Where
) -> Iterator[Finding]:
    """Yield a finding if a number stands in another's place: the text says 9 hearts and 9 clubs,
    and the chapters tell 9 and 8."""
    numbers = count_numbers(rule_text, language)
    left_out = ", ".join(map(str, sorted((told_numbers - numbers).elements())))
    for number in sorted(numbers):
        if told_numbers[number] and numbers[number] > told_numbers[number] and left_out:
            own, theirs = numbers[number], told_numbers[number]
            message = f"{name} says {number} {own} times ({language}), the chapters {theirs}, and {left_out}"
            yield Finding("PP528", where, message)


def _join_typed_text(spans: tuple[Span, ...]) -> str:
    """Return what a paragraph types; a link and an entry of the index type their words too."""
    return "".join(_get_typed_text(span) for span in spans)


def _get_typed_text(span: Span) -> str:
    if isinstance(span, IndexSpan):
        return span.text if span.entry in span.text else f"{span.text} {span.entry}"
    return span if isinstance(span, str) else span.text if isinstance(span, LinkSpan) else GAP


def _iter_stated_rules_and_numbers(
    game: Game, document: Document, scope: Mapping[str, Any]
) -> Iterator[tuple[tuple[str, ...], Counter[int]]]:
    """Yield the rules that a paragraph or a directive states, and the numbers that it tells."""
    language = document.language
    for rules, paragraph in document.iter_rule_paragraphs():
        text = "".join(get_printed_text(span, scope) for span in paragraph.spans)
        yield rules, count_numbers(text, language)
    for block in document.blocks:
        if isinstance(block, Directive) and block.name == "components" and "rules" in block.options:
            counts = Counter(part.count for part in game.facts.components)
            yield tuple(block.options["rules"].split()), counts

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
from playproof.database.number_words import numbers_in, written
from playproof.database.rulebook_text import Directive, Document, Entry, Link, Paragraph, Span, read_document
from playproof.generator.book.fact_values import fact_scope, said_of
from playproof.generator.book.handwritten_numbers import stated, unnamed
from playproof.generator.book.number_exemptions import GAP, bare, names_of
from playproof.generator.book.numbering import numbering
from playproof.generator.book.replay_numbers import recounted
from playproof.generator.book.rule_citations import cited
from playproof.generator.book.translation_numbers import translated, unworked


def told(game: Game) -> list[Finding]:
    """Return the findings about typed numbers that should be facts, about rules whose numbers the
    chapters do not tell, and about components that say other numbers than the rules they cite."""
    found = cited(game)
    read = [read_document(game.folder, language) for language in game.languages]
    documents = [document for document in read if document is not None]
    for document in documents:
        found += typed(game, document)
        found += untold(game, document)
        for check in (unworked, stated, unnamed, recounted, numbering):
            found += check(game, document)
    found += translated(game, documents)
    return sorted(found, key=lambda f: (str(f.where.file), f.where.line, f.where.column, f.code))


def typed(game: Game, document: Document) -> Iterator[Finding]:
    """PP527: a number in prose is a fact, or is marked as one that no data holds."""
    names = names_of(game, document.language)
    headings = (Paragraph(heading.spans, (), heading.where) for heading in document.headings())
    for paragraph in (*document.paragraphs(), *headings):
        text = bare(_words(paragraph.spans), names)
        for number in written(text, document.language):
            hint = f"{{fact}}`...`, or {{number}}`{number}` where no data holds it"
            message = f'the number "{number}" is typed into the text'
            yield Finding("PP527", paragraph.where, message, hint)


def untold(game: Game, document: Document) -> Iterator[Finding]:
    """PP528: the chapters that state a rule or a ruling tell each number of its short text. An
    option that is not the default may say another number if its name says it."""
    language, known = document.language, _known(game, document)
    for rule in game.rules.values():
        if not rule.left_out and rule.id in known:
            words = rule.words.texts.get(language, "")
            yield from _missing(rule.id, words, set(known[rule.id]), language, rule.where)
            yield from _twice(rule.id, words, known[rule.id], language, rule.where)
    names = names_of(game, language)
    for ruling in game.rulings.values():
        settled = [rule.id for rule in game.rules.values() if rule.ruling == ruling.id]
        at_hand = set[int]().union(*(known.get(name, Counter()) for name in (ruling.id, *settled)))
        printed = (ruling.words, ruling.option_words.get(ruling.default), ruling.narrowed)
        words = " ".join(each.texts.get(language, "") for each in printed if each is not None)
        yield from _missing(ruling.id, words, at_hand, language, ruling.where)
        for option, said in ruling.option_words.items():
            if option != ruling.default:
                named = set(numbers_in(option.replace("-", " "), "en"))  # names are English in every language
                words = names.sub(GAP, said.texts.get(language, ""))
                yield from _missing(f"{ruling.id} {option}", words, at_hand | named, language, said.where)


def _known(game: Game, document: Document) -> dict[str, Counter[int]]:
    """Return the numbers that the chapters tell of each rule and ruling, with how often they tell
    them."""
    known: dict[str, Counter[int]] = {}
    for rules, numbers in _stated(game, document, fact_scope(game, document.language)):
        for name in rules:
            known.setdefault(name, Counter()).update(numbers)
    return known


def _missing(name: str, words: str, known: set[int], language: str, where: Where) -> Iterator[Finding]:
    for number in sorted(set(numbers_in(words, language)) - known):
        listed = ", ".join(map(str, sorted(known))) or "no number"
        message = f"{name} says {number} ({language}), the chapters that state it say {listed}"
        yield Finding("PP528", where, message)


def _twice(name: str, words: str, told: Counter[int], language: str, where: Where) -> Iterator[Finding]:
    """Yield a finding if a number stands in another's place: the text says 9 hearts and 9 clubs,
    and the chapters tell 9 and 8."""
    said = numbers_in(words, language)
    left_out = ", ".join(map(str, sorted((told - said).elements())))
    for number in sorted(said):
        if told[number] and said[number] > told[number] and left_out:
            message = f"{name} says {number} {said[number]} times ({language}), the chapters {told[number]}"
            message += f", and {left_out}"
            yield Finding("PP528", where, message)


def _words(spans: tuple[Span, ...]) -> str:
    """Return what a paragraph types; a link and an entry of the index type their words too."""
    return "".join(_typed_by(span) for span in spans)


def _typed_by(span: Span) -> str:
    if isinstance(span, Entry):
        return span.text if span.entry in span.text else f"{span.text} {span.entry}"
    return span if isinstance(span, str) else span.text if isinstance(span, Link) else GAP


def _stated(game: Game, document: Document, scope: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Counter[int]]]:
    """Yield the rules that a paragraph or a directive states, and the numbers that it tells."""
    language = document.language
    for rules, paragraph in document.stating():
        said = "".join(said_of(span, scope) for span in paragraph.spans)
        yield rules, numbers_in(said, language)
    for block in document.blocks:
        if isinstance(block, Directive) and block.name == "components" and "rules" in block.options:
            counts = Counter(part.count for part in game.facts.components)
            yield tuple(block.options["rules"].split()), counts

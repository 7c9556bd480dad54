"""Do the chapters tell the numbers of the game? What lint asks of every number in a rulebook's prose.

A number that the data holds is a `{fact}`, so it cannot be wrong. The short text of a rule is plain words; its numbers
are held against the chapters that state the rule, where they are worked out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.rulebook_text import Directive, Document, Fact, Paragraph, Span, read_document
from playproof.generator.book.fact_values import fact_functions, fact_text
from playproof.generator.book.wording import NUMBERS, ORDINALS
from playproof.generator.layout.expression import ExpressionError
from playproof.generator.layout.views import Viewer

GAP = "\x00"  # where something that is no typed word stands
_SIGNED = re.compile(r"[+−-]\d+")  # the way a card writes, as an example of it
_LEADING = re.compile(r"^\W*\d+\W*(?=\s|$)")  # the number of a step or of a heading
_DIGITS = re.compile(r"(?<![\w#-])\d+(?!\w)")


def told(game: Game) -> list[Finding]:
    """Every number that is typed where the data should speak, and every rule whose numbers its chapters do not tell."""
    found: list[Finding] = []
    for language in game.languages:
        document = read_document(game.folder, language)
        if document is not None:
            found += typed(game, document)
            found += untold(game, document)
    return sorted(found, key=lambda f: (str(f.where.file), f.where.line, f.where.column, f.code))


def typed(game: Game, document: Document) -> Iterator[Finding]:
    """PP527: a number in prose is a fact, or is marked as one that no data holds."""
    names = _names(game, document.language)
    headings = (Paragraph(heading.spans, (), heading.where) for heading in document.headings())
    for paragraph in (*document.paragraphs(), *headings):
        text = names.sub(GAP, _SIGNED.sub(GAP, _LEADING.sub(GAP, _words(paragraph.spans))))
        for number in _spelt(text, document.language):
            hint = f"{{fact}}`...`, or {{number}}`{number}` where no data holds it"
            message = f'the number "{number}" is typed into the text'
            yield Finding("PP527", paragraph.where, message, hint)


def untold(game: Game, document: Document) -> Iterator[Finding]:
    """PP528: each number in a rule's short text, or in a ruling as it is printed, is told where chapters state it."""
    scope = _scope(game, document.language)
    known: dict[str, Counter[int]] = {}
    for rules, numbers in _stated(game, document, scope):
        for name in rules:
            known.setdefault(name, Counter()).update(numbers)
    for rule in game.rules.values():
        if not rule.left_out and rule.id in known:
            words = rule.words.texts.get(document.language, "")
            yield from _missing(rule.id, words, set(known[rule.id]), document.language, rule.where)
            yield from _twice(rule.id, words, known[rule.id], document.language, rule.where)
    for ruling in game.rulings.values():
        settled = [rule.id for rule in game.rules.values() if rule.ruling == ruling.id]
        at_hand = set[int]().union(*(known.get(name, Counter()) for name in (ruling.id, *settled)))
        printed = (ruling.words, ruling.option_words.get(ruling.default), ruling.narrowed)
        words = " ".join(each.texts.get(document.language, "") for each in printed if each is not None)
        yield from _missing(ruling.id, words, at_hand, document.language, ruling.where)


def _missing(name: str, words: str, known: set[int], language: str, where: Where) -> Iterator[Finding]:
    for number in sorted(set(numbers_in(words, language)) - known):
        listed = ", ".join(map(str, sorted(known))) or "no number"
        message = f"{name} says {number} ({language}), the chapters that state it say {listed}"
        yield Finding("PP528", where, message)


def _twice(name: str, words: str, told: Counter[int], language: str, where: Where) -> Iterator[Finding]:
    """A number in another's place: 9 hearts and 9 clubs, where the chapters tell 9 and 8."""
    said = numbers_in(words, language)
    left_out = ", ".join(str(number) for number in sorted(told) if not said[number])
    for number in sorted(said):
        if told[number] and said[number] > told[number] and left_out:
            message = f"{name} says {number} {said[number]} times ({language}), the chapters {told[number]}"
            message += f", and {left_out}"
            yield Finding("PP528", where, message)


def numbers_in(text: str, language: str) -> Counter[int]:
    """The numbers of a text, in digits or letters. "One" and "first" in letters are none: they are articles and order.

    >>> sorted(numbers_in("The third of 12 cards, one by one", "en"))
    [3, 12]
    """
    return Counter(_value(number, language) for number in _spelt(text, language))


def _spelt(text: str, language: str) -> list[str]:
    """The numbers of a text as they are written, in order."""
    words = _letters(language)
    pattern = re.compile(rf"{_DIGITS.pattern}|\b(?:{'|'.join(words)})\b", re.IGNORECASE)
    return pattern.findall(text)


def _value(number: str, language: str) -> int:
    return int(number) if number.isdigit() else _letters(language)[number.lower()]


def _letters(language: str) -> Mapping[str, int]:
    """Numbers from two on by their words."""
    cardinal = {word: value for value, word in enumerate(NUMBERS.get(language, ())) if value > 1}
    return cardinal | {word: value for value, word in enumerate(ORDINALS.get(language, ())) if value > 1}


def _names(game: Game, language: str) -> re.Pattern[str]:
    """What reads like a number and is a name: `level 4`, `spots 2, 3 and 5`, the id of a card."""
    labels = "|".join(map(re.escape, game.rulebook.labels.get(language, ())))
    number = rf"(?:\d+|{GAP})"
    row = rf"\b(?:{labels})\s+\W*{number}(?:(?:,\s*|\s+\w+\s+){number})*(?!\w)" if labels else r"(?!)"
    ids = "|".join(re.escape(ref) for ref in game.components if len(ref) > 2)
    return re.compile(rf"{row}|\b(?:{ids})\b" if ids else row, re.IGNORECASE)


def _words(spans: tuple[Span, ...]) -> str:
    return "".join(span if isinstance(span, str) else GAP for span in spans)


def _stated(game: Game, document: Document, scope: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], Counter[int]]]:
    """The rules that a paragraph or a directive states, and the numbers that it tells."""
    language = document.language
    for rules, paragraph in document.stating():
        said = "".join(_said(span, scope) for span in paragraph.spans)
        yield rules, numbers_in(said, language)
    for block in document.blocks:
        if isinstance(block, Directive) and block.name == "components" and "rules" in block.options:
            counts = Counter(part.count for part in game.facts.components)
            yield tuple(block.options["rules"].split()), counts


def _said(span: Span, scope: Mapping[str, Any]) -> str:
    if isinstance(span, str):
        return span
    if isinstance(span, Fact):
        try:
            return fact_text(span.source, scope)
        except ExpressionError:
            return ""  # the book is not made then, and says why
    return span.text


def _scope(game: Game, language: str) -> Mapping[str, Any]:
    return {**Viewer(game, language).scope_of(_Plain, {}), **fact_functions(game, language)}


class _Plain:
    """A layout without words and tables."""

    tables: Mapping[str, Any] = {}
    words: Mapping[str, Any] = {}


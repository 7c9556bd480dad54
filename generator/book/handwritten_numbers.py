"""Check the numbers that people type into chapters: names such as `level 4`, and numbers that no data holds.

Facts come from the data. What is typed comes from nowhere, so it is held against the rules that the
paragraph states.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from playproof.database.components import Words
from playproof.database.errors import Finding, did_you_mean
from playproof.database.game import Game
from playproof.database.number_words import numbers_in, spelt
from playproof.database.rulebook_text import Block, Directive, Document, Number, Paragraph, paragraphs_of
from playproof.generator.book.number_exemptions import GAP, names_of, unsigned
from playproof.generator.book.number_places import exact_place


def rule_number_findings(game: Game, document: Document) -> Iterator[Finding]:
    """PP530: a typed number in a paragraph that states rules is said by one of them, or is the id of
    a component."""
    for rules, paragraph in document.stating():
        rule_numbers = _of_rules(game, rules, document.language)
        for number in typed_numbers(paragraph, document.language):
            if not named(game, number) and not rule_numbers >= set(numbers_in(number, document.language)):
                listed = ", ".join(map(str, sorted(rule_numbers - {1}))) or "no number"
                cited = ", ".join(rules)
                message = (
                    f'the number "{number}" is typed into a text that states {cited}, which say {listed}'
                )
                yield Finding(
                    "PP530",
                    exact_place(paragraph.where, number),
                    message,
                    f"{{fact}}`...`, or {{rule}}`...` with the rule that says {number}",
                )


def name_findings(game: Game, document: Document) -> Iterator[Finding]:
    """PP530: a name such as `level 4` is known: a rule of `rulebook.yaml` says a name with this number.
    Rules without any names know none to compare."""
    language = document.language
    names = names_of(game, language)
    texts = [short_text.texts.get(language, "") for short_text in _short_texts(game)]
    rule_names = {number for text in texts for number in _numbers_of_names(text, names)}
    for paragraph in paragraphs_of([block for block in document.blocks if not recounts(block)]):
        for number in _numbers_of_names(_words(paragraph), names):
            if rule_names and number not in rule_names and not named(game, number):
                message = f'no rule or ruling has the name that "{number}" is part of'
                hint = did_you_mean(number, sorted(rule_names))
                yield Finding("PP530", exact_place(paragraph.where, number), message, hint)


def typed_numbers(paragraph: Paragraph, language: str) -> list[str]:
    """Return the numbers that are typed into a paragraph, in digits or letters, without signed values
    and the number of a step."""
    marked = [span.text for span in paragraph.spans if isinstance(span, Number)]
    return [number for text in (unsigned(_words(paragraph)), *marked) for number in spelt(text, language)]


def recounts(block: Block) -> bool:
    """Return whether a block shows a recorded game."""
    return isinstance(block, Directive) and block.name in ("example", "scene")


def named(game: Game, number: str) -> bool:
    """Return whether a number is the id of a component, such as `006`."""
    return number in game.components


def _of_rules(game: Game, rules: Sequence[str], language: str) -> set[int]:
    """Return the numbers of these rules and rulings, and of the rulings that read these rules."""
    settled = [game.rules[rule].ruling for rule in rules if rule in game.rules]
    rulings = [game.rulings[name] for name in (*rules, *settled) if name in game.rulings]
    texts = [game.rules[rule].words for rule in rules if rule in game.rules]
    texts += [words for ruling in rulings for words in (ruling.words, *ruling.option_words.values())]
    return {1, *(number for words in texts for number in numbers_in(words.texts.get(language, ""), language))}


def _short_texts(game: Game) -> Iterator[Words]:
    yield from (rule.words for rule in game.rules.values())
    for ruling in game.rulings.values():
        yield from (ruling.words, *ruling.option_words.values())


def _numbers_of_names(text: str, names: re.Pattern[str]) -> Iterator[str]:
    for name in names.findall(text):
        if name[0].isalpha() and not re.search(r"\w*[^\W\d]\w*\d", name):  # `H01` is a card
            yield from re.findall(r"\d+", name)


def _words(paragraph: Paragraph) -> str:
    return "".join(span if isinstance(span, str) else GAP for span in paragraph.spans)

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
from playproof.database.number_words import count_numbers, find_number_texts
from playproof.database.rulebook_text import (
    Block,
    Directive,
    Document,
    NumberSpan,
    Paragraph,
    iter_paragraphs,
)
from playproof.generator.book.number_exemptions import (
    GAP,
    blank_signed_and_step_numbers,
    build_numbered_name_pattern,
)
from playproof.generator.book.number_places import find_number_place


def find_typed_numbers_not_in_rules(game: Game, document: Document) -> Iterator[Finding]:
    """PP530: a typed number in a paragraph that states rules is said by one of them, or is the id of
    a component."""
    for rules, paragraph in document.iter_rule_paragraphs():
        rule_numbers = _collect_numbers_of_rules(game, rules, document.language)
        for number in list_typed_numbers(paragraph, document.language):
            if not is_component_id(game, number) and not rule_numbers >= set(
                count_numbers(number, document.language)
            ):
                listed = ", ".join(map(str, sorted(rule_numbers - {1}))) or "no number"
                cited = ", ".join(rules)
                message = (
                    f'the number "{number}" is typed into a text that states {cited}, which say {listed}'
                )
                yield Finding(
                    "PP530",
                    find_number_place(paragraph.where, number),
                    message,
                    f"{{fact}}`...`, or {{rule}}`...` with the rule that says {number}",
                )


def find_unknown_numbered_names(game: Game, document: Document) -> Iterator[Finding]:
    """PP530: a name such as `level 4` is known: a rule of `rulebook.yaml` says a name with this number.
    Rules without any names know none to compare."""
    language = document.language
    names = build_numbered_name_pattern(game, language)
    texts = [short_text.texts.get(language, "") for short_text in _iter_rule_and_ruling_texts(game)]
    rule_names = {number for text in texts for number in _iter_numbers_in_names(text, names)}
    for paragraph in iter_paragraphs([block for block in document.blocks if not shows_recorded_game(block)]):
        for number in _iter_numbers_in_names(_join_typed_text(paragraph), names):
            if rule_names and number not in rule_names and not is_component_id(game, number):
                message = f'no rule or ruling has the name that "{number}" is part of'
                hint = did_you_mean(number, sorted(rule_names))
                yield Finding("PP530", find_number_place(paragraph.where, number), message, hint)


def list_typed_numbers(paragraph: Paragraph, language: str) -> list[str]:
    """Return the numbers that are typed into a paragraph, in digits or letters, without signed values
    and the number of a step."""
    marked = [span.text for span in paragraph.spans if isinstance(span, NumberSpan)]
    return [
        number
        for text in (blank_signed_and_step_numbers(_join_typed_text(paragraph)), *marked)
        for number in find_number_texts(text, language)
    ]


def shows_recorded_game(block: Block) -> bool:
    """Return whether a block shows a recorded game."""
    return isinstance(block, Directive) and block.name in ("example", "scene")


def is_component_id(game: Game, number: str) -> bool:
    """Return whether a number is the id of a component, such as `006`."""
    return number in game.components


def _collect_numbers_of_rules(game: Game, rules: Sequence[str], language: str) -> set[int]:
    """Return the numbers of these rules and rulings, and of the rulings that read these rules."""
    settled = [game.rules[rule].ruling for rule in rules if rule in game.rules]
    rulings = [game.rulings[name] for name in (*rules, *settled) if name in game.rulings]
    texts = [game.rules[rule].words for rule in rules if rule in game.rules]
    texts += [words for ruling in rulings for words in (ruling.words, *ruling.option_words.values())]
    return {
        1,
        *(number for words in texts for number in count_numbers(words.texts.get(language, ""), language)),
    }


def _iter_rule_and_ruling_texts(game: Game) -> Iterator[Words]:
    yield from (rule.words for rule in game.rules.values())
    for ruling in game.rulings.values():
        yield from (ruling.words, *ruling.option_words.values())


def _iter_numbers_in_names(text: str, names: re.Pattern[str]) -> Iterator[str]:
    for name in names.findall(text):
        if name[0].isalpha() and not re.search(r"\w*[^\W\d]\w*\d", name):  # `H01` is a card
            yield from re.findall(r"\d+", name)


def _join_typed_text(paragraph: Paragraph) -> str:
    return "".join(span if isinstance(span, str) else GAP for span in paragraph.spans)

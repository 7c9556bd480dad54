"""Lint of claims: what a claim says in words is held against what it asks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil, floor

from playproof.database.claims_yaml import Claim
from playproof.database.components import iter_effects
from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.number_words import count_numbers
from playproof.database.source import YamlData

_NOT_ASKED = frozenset({"ask", "says", "rules", "budget"})
"""The keys of a claim whose numbers are no part of the question."""
_ROUGHLY = Fraction(1, 4)
_MOST_TIMES = 1000
_STRICT = re.compile(r"([<>])\s*(\d{1,18})(?!\d)")


def iter_claim_number_findings(game: Game) -> Iterator[Finding]:
    """PP250: a number that a claim says stands in its question, in the rules that it cites, or, if it
    cites none, in the data. A strict comparison also has the next number: `coins > 4` begins at 5."""
    data = frozenset[int]()
    for claim in game.claims.values():
        numbers = {
            language: set(count_numbers(text, language))
            for language, text in get_sentences_by_language(claim, game).items()
        }
        if not any(numbers.values()) or (claim.ask == "luck" and not _is_valid_chance(claim.expect)):
            continue
        if not claim.rules and not data:
            data = collect_data_numbers(game)
        founded = _collect_cited_numbers(claim, game) if claim.rules else data
        unfounded = set().union(*numbers.values()) - founded
        if unfounded:  # a recorded game is long: read it where it is needed
            founded = (
                founded
                | collect_question_numbers(claim, game)
                | (_list_numbers_near_chance(claim.expect) if claim.ask == "luck" else set())
            )
        for language, in_text in numbers.items():
            for number in sorted(in_text - founded):
                cites = f"the rules it cites ({', '.join(claim.rules)})" if claim.rules else "the data"
                message = f"claim `{claim.id}` says {number} ({language}), which neither its question nor {cites} have"
                yield Finding(
                    "PP250",
                    _get_sentence_place(claim, language),
                    message,
                    "mend the number, or cite the rule that says it: `rules: [...]`",
                )


def get_sentences_by_language(claim: Claim, game: Game) -> dict[str, str]:
    """Return the sentence of a claim by language; a bare text is in the game's first language."""
    sentence = claim.data["says"]
    if isinstance(sentence, dict):
        return {language: str(text) for language, text in sentence.items()}
    return {game.languages[0]: str(sentence)}


def collect_data_numbers(game: Game) -> frozenset[int]:
    """Return the whole numbers of all components, of their effects and of `game.yaml`."""
    numbers = set(_iter_whole_numbers(game.node.data))
    for component in game.components.values():
        numbers |= {component.count, *_iter_whole_numbers(component.fields)}
        numbers.update(
            n
            for value in component.fields.values()
            for each in iter_effects(value)
            for n in _iter_whole_numbers(each.args)
        )
    return frozenset(numbers)


def collect_question_numbers(claim: Claim, game: Game) -> set[int]:
    """Return the numbers of a claim's question, and of the rulings that it names; not those of
    `get_sentences_by_language`."""
    words = " ".join(_iter_texts({key: value for key, value in claim.data.items() if key not in _NOT_ASKED}))
    numbers = {int(number) for number in re.findall(r"(?<!\w)\d{1,18}(?!\d)", words)}
    numbers |= {int(number) + (1 if sign == ">" else -1) for sign, number in _STRICT.findall(words)}
    for language in game.languages:
        numbers |= set(count_numbers(words, language))
    return numbers | _collect_ruling_numbers(game, re.findall(r"\w+", words))


def _is_valid_chance(expect: YamlData) -> bool:
    """Return whether what a claim expects of luck can be read, or is left out; other claims are refused elsewhere."""
    try:
        return expect is None or 0 <= Fraction(str(expect)) <= 1
    except (ValueError, ZeroDivisionError):
        return False


def _list_numbers_near_chance(chance: YamlData) -> set[int]:
    """Return the numbers that tell a chance roughly: "less than once in five times" of 31/180, and
    "17 percent"."""
    try:
        odds = Fraction(str(chance))
    except (ValueError, ZeroDivisionError):
        return set()  # the claim is refused elsewhere
    about = {times for times in range(2, _MOST_TIMES) if abs(odds * times - 1) <= _ROUGHLY}
    return about | {floor(odds * 100), ceil(odds * 100)}


def _collect_cited_numbers(claim: Claim, game: Game) -> frozenset[int]:
    rules = [game.rules[name] for name in claim.rules if name in game.rules]
    texts = [item for rule in rules for item in rule.words.texts.items()]
    numbers = {number for language, text in texts for number in count_numbers(text, language)}
    return frozenset(numbers | _collect_ruling_numbers(game, [rule.ruling for rule in rules if rule.ruling]))


def _collect_ruling_numbers(game: Game, names: list[str]) -> set[int]:
    rulings = [game.rulings[name] for name in names if name in game.rulings]
    wordings = [words for ruling in rulings for words in (ruling.words, *ruling.option_words.values())]
    return {
        number
        for words in wordings
        for language, text in words.texts.items()
        for number in count_numbers(text, language)
    }


def _iter_texts(value: YamlData) -> Iterator[str]:
    """Yield every key and every value of a claim's data as text."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _iter_texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _iter_texts(each)
    elif value is not None:
        yield str(value)


def _iter_whole_numbers(value: object) -> Iterator[int]:
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping | tuple | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _iter_whole_numbers(each)


def _get_sentence_place(claim: Claim, language: str) -> Where:
    sentence = claim.node.get_nearest(["says"])
    entry = sentence.entries.get(language)
    return entry.node.where if entry else sentence.where

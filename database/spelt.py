"""Numbers in texts, as digits or as words, in each language whose number words are known here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

NUMBERS = {
    "en": ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
           "eleven", "twelve"),
    "fr": ("aucun", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix",
           "onze", "douze"),
}

ORDINALS = {
    "en": ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
           "tenth"),
    "fr": ("", "premier", "deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième",
           "huitième", "neuvième", "dixième"),
}  # fmt: skip

_DIGITS = re.compile(r"(?<![\w#-])\d+(?!\w)")


def number_word(number: object, language: str) -> str:
    """A number as prose has it: small ones in letters.

    >>> number_word(3, "en"), number_word(20, "en")
    ('three', '20')
    """
    known = NUMBERS.get(language, NUMBERS["en"])
    return known[number] if isinstance(number, int) and 0 <= number < len(known) else str(number)


def ordinal_word(number: object, language: str) -> str:
    """The ordinal of a number as prose has it: small ones in letters.

    >>> ordinal_word(3, "en"), ordinal_word(20, "en"), ordinal_word(4, "fr")
    ('third', '20.', 'quatrième')
    """
    known = ORDINALS.get(language, ORDINALS["en"])
    return known[number] if isinstance(number, int) and 0 < number < len(known) else f"{number}."


def numbers_in(text: str, language: str) -> Counter[int]:
    """The numbers of a text, in digits or letters. "One" and "first" in letters are none: they are
    articles and order.

    >>> sorted(numbers_in("The third of 12 cards, one by one", "en"))
    [3, 12]
    """
    return Counter(_value(number, language) for number in spelt(text, language))


def spelt(text: str, language: str) -> list[str]:
    """Return the numbers of a text as they are written, in order."""
    words = _letters(language)
    pattern = re.compile(rf"{_DIGITS.pattern}|\b(?:{'|'.join(words)})\b", re.IGNORECASE)
    return pattern.findall(text)


def _value(number: str, language: str) -> int:
    return int(number) if number.isdigit() else _letters(language)[number.lower()]


def _letters(language: str) -> Mapping[str, int]:
    """Return the numbers from two on by their words."""
    cardinal = {word: value for value, word in enumerate(NUMBERS.get(language, ())) if value > 1}
    return cardinal | {word: value for value, word in enumerate(ORDINALS.get(language, ())) if value > 1}

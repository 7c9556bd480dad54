"""Numbers in texts, as digits or as words, in each language whose number words are known here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

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

_READ_TOO = {
    "en": {"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
           "nineteen": 19, "twenty": 20, "eleventh": 11, "twelfth": 12},
    "fr": {"treize": 13, "quatorze": 14, "quinze": 15, "seize": 16, "vingt": 20, "second": 2, "seconde": 2,
           "onzième": 11, "douzième": 12},
}  # fmt: skip
"""Words that are read as numbers and never written by `number_word` or `ordinal_word`."""
_TIMES = {"en": {"twice": 2, "thrice": 3}}
_LOOSE = {"en": {"both": 2}}
"""Words that say a number in some places only: "both of you", and "both shuffle and draw"."""

_DIGITS = r"(?<![\w#-])\d+(?!\w)"


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

    >>> sorted(numbers_in("The third of 12 cards, one by one", "en")), sorted(numbers_in("3 von zwölf Karten", "de"))
    ([3, 12], [3])
    """
    return Counter(_value(number, language) for number in spelt(text, language))


def signed_numbers(text: str, language: str) -> list[int]:
    """Return all numbers of a short text such as a face of a die, with their signs; digits count in
    `x5` too. A text that is one word may also say "one".

    >>> signed_numbers("−1", "en"), signed_numbers("**x5**", "en"), signed_numbers("One!", "en")
    ([-1], [5], [1])
    """
    if re.sub(r"[\W_]", "", text).lower() in NUMBERS.get(language, ())[1:2]:
        return [1]
    words = _letters(language)
    found = _found(text, r"[+−-]?\d+", words)
    return [words[each.lower()] if each.lower() in words else int(each.replace("−", "-")) for each in found]


def unlike(text: str, language: str, other: str, other_language: str) -> tuple[list[int], list[int]]:
    """Compare two translations. Return the numbers that only the first text tells, and those that
    only the other tells. Digits count wherever they stand, as in `H01`.

    >>> unlike("twice 3 of both", "en", "deux fois 4 des deux", "fr")
    ([3], [4])
    """
    mine, theirs = _figures(text, language), _figures(other, other_language)
    surplus = mine - theirs - _loose(other, other_language)
    missing = theirs - mine - _loose(text, language)
    return sorted(surplus.elements()), sorted(missing.elements())


def _figures(text: str, language: str) -> Counter[int]:
    words = {**_letters(language), **_TIMES.get(language, {})}
    found = _found(text, r"\d+", words)
    return Counter(int(each) if each.isdigit() else words[each.lower()] for each in found)


def _loose(text: str, language: str) -> Counter[int]:
    known = _LOOSE.get(language, {})
    return Counter(known[word] for word in re.findall(r"\w+", text.lower()) if word in known)


def spelt(text: str, language: str) -> list[str]:
    """Return the numbers of a text as they are written, in order."""
    return _found(text, _DIGITS, _letters(language))


def _found(text: str, digits: str, words: Iterable[str]) -> list[str]:
    """Return what these patterns find, in order; a language may have no words here."""
    return re.findall("|".join([digits, *(rf"\b{word}\b" for word in words)]), text, re.IGNORECASE)


def _value(number: str, language: str) -> int:
    return int(number) if number.isdigit() else _letters(language)[number.lower()]


def _letters(language: str) -> Mapping[str, int]:
    """Return the numbers from two on by their words."""
    cardinal = {word: value for value, word in enumerate(NUMBERS.get(language, ())) if value > 1}
    ordinal = {word: value for value, word in enumerate(ORDINALS.get(language, ())) if value > 1}
    return cardinal | ordinal | _READ_TOO.get(language, {})

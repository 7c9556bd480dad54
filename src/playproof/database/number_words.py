"""Numbers in texts, as digits or as words, in each language whose number words are known here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any

from playproof.database.source import read

_FILE = Path(__file__).with_suffix(".yaml")


@dataclass(frozen=True)
class NumberWords:
    """The number words of a language, as number_words.yaml has them; those of other languages are empty."""

    cardinals: Sequence[str] = ()
    ordinals: Sequence[str] = ()
    others: Mapping[str, int] = field(default_factory=dict)
    endings: str = ""
    times: Mapping[str, int] = field(default_factory=dict)
    loose: Mapping[str, int] = field(default_factory=dict)
    tens: Mapping[str, int] = field(default_factory=dict)
    joints: Sequence[str] = ()
    units_first: bool = False
    large: Mapping[str, int] = field(default_factory=dict)
    first: Mapping[str, int] = field(default_factory=dict)
    amounts: Sequence[str] = ()


@cache
def _every() -> Mapping[str, NumberWords]:
    data: Any = read(_FILE).data
    return {language: NumberWords(**words) for language, words in data.items()}


def languages_with_words() -> tuple[str, ...]:
    """Return the languages whose number words are known here, sorted."""
    return tuple(sorted(_every()))


def words_of(language: str) -> NumberWords:
    """Return the number words of a language, whose region does not matter."""
    return _every().get(language.partition("-")[0], NumberWords())


_AFTER = r"(?:x|×|st|nd|rd|th|er|re|e|ème|mm|cm)?"
_MARKS = "²³¹⁰⁴-⁹₀-₉¼-¾⅐-⅞①-⑳❶-❿"
_THOUSANDS = r"\d{1,3}(?:[,'’\u00a0\u202f]\d{3})+(?!\w)"  # 1,000
_ANY_DIGITS = rf"(?<!\d){_THOUSANDS}|\d+"
_DIGITS = (
    rf"(?<![\w#-]){_THOUSANDS}"
    rf"|(?<![\w#-])[x×]?\d+{_AFTER}(?!\w)|(?<![\w-])#\d+(?!\w)"  # x7, 7th, #7
    r"|(?<![\w#-])\d+(?=[x×]\d)|(?<=\d[x×-])\d+(?!\w)"  # both of 3x7, the second of 3-7
)
_LONGEST = 18
"""The digits of the longest number that YAML files may hold; no text counts with more."""


def read_in_letters(language: str) -> bool:
    """Return whether the number words of a language, without its region, are known here.

    >>> read_in_letters("de-AT"), read_in_letters("ja")
    (True, False)
    """
    return bool(words_of(language).cardinals)


def number_word(number: object, language: str) -> str:
    """A number as prose has it: small ones in letters, if this language has words here.

    >>> number_word(3, "en"), number_word(20, "en"), number_word(6, "ja")
    ('three', '20', '6')
    """
    words = words_of(language).cardinals
    return words[number] if isinstance(number, int) and 0 <= number < len(words) else str(number)


def ordinal_word(number: object, language: str) -> str:
    """The ordinal of a number as prose has it: small ones in letters, if this language has words here.

    >>> ordinal_word(3, "en"), ordinal_word(20, "en"), ordinal_word(4, "fr")
    ('third', '20.', 'quatrième')
    """
    words = words_of(language).ordinals
    return words[number] if isinstance(number, int) and 0 < number < len(words) else f"{number}."


def numbers_in(text: str, language: str) -> Counter[int]:
    """The numbers of a text, in digits or letters. "One" and "first" in letters are none: they are
    articles and order.

    >>> sorted(numbers_in("The third of 12 cards, one by one", "en")), sorted(numbers_in("3 von zwölf Karten", "de"))
    ([3, 12], [3, 12])
    """
    return Counter(_value(number, language) for number in spelt(text, language))


def signed_numbers(text: str, language: str) -> list[int]:
    """Return all numbers of a short text such as a face of a die, with their signs; digits count in
    `x5` too. A text that is one word may also say "one".

    >>> signed_numbers("−1", "en"), signed_numbers("**x5**", "en"), signed_numbers("One!", "en")
    ([-1], [5], [1])
    """
    if re.sub(r"[\W_]", "", text).lower() in words_of(language).cardinals[1:2]:
        return [1]
    words = _letters(language)
    figures = _found(text, r"[+−-]?\d+", words, language)
    return [words[each.lower()] if each.lower() in words else int(each.replace("−", "-")) for each in figures]


def unlike(text: str, language: str, other: str, other_language: str) -> tuple[list[int], list[int]]:
    """Compare two translations. Return the numbers that only the first text tells, and those that
    only the other tells. Digits count wherever they stand, as in `H01`. Letters count where both
    languages have number words; beside another language they only explain its digits.

    >>> unlike("twice 3 of both", "en", "deux fois 4 des deux", "fr")
    ([3], [4])
    >>> unlike("3 枚を 12 枚から", "ja", "four of twelve cards", "en")
    ([3], [])
    """
    mine, theirs = _figures(text, language), _figures(other, other_language)
    surplus = mine - theirs - _loose(other, other_language)
    missing = theirs - mine - _loose(text, language)
    if not (read_in_letters(language) and read_in_letters(other_language)):
        surplus &= _digits(text)
        missing &= _digits(other)
    return sorted(surplus.elements()), sorted(missing.elements())


def _figures(text: str, language: str) -> Counter[int]:
    words = {**_letters(language), **words_of(language).times}
    figures = _found(text, _ANY_DIGITS, words, language)
    return Counter(words[each.lower()] if each.lower() in words else _whole(each) for each in figures)


def _digits(text: str) -> Counter[int]:
    return Counter(map(_whole, _found(text, _ANY_DIGITS, (), "")))


def _loose(text: str, language: str) -> Counter[int]:
    values = words_of(language).loose
    words = (word if word in values else word.lower() for word in re.findall(r"\w+", text))
    return Counter(values[word] for word in words if word in values)


@lru_cache(10_000)  # texts are held against claims, components and other texts
def spelt(text: str, language: str) -> tuple[str, ...]:
    """Return the numbers of a text as they are written, in order."""
    return tuple(_found(text, _DIGITS, _letters(language), language))


def written(text: str, language: str) -> list[str]:
    """Return all that tells how many in a text, in order: numbers as `spelt` has them, and also `½`, `²`, "twice"
    and "a dozen".

    >>> written("Half of the ② cards, twice 10², ½ Coin", "en")
    ['Half', '②', 'twice', '10', '²', '½']
    """
    own = words_of(language)
    marks = rf"{_DIGITS}|(?<![\w#-])\d+(?=[{_MARKS}])|[{_MARKS}]"
    return _found(text, marks, (*_letters(language), *own.times, *own.amounts), language)


def _found(text: str, digits: str, words: Iterable[str], language: str) -> list[str]:
    """Return what these patterns find, in order; a language may have no words here. A longer word
    goes first: "twenty-seven" is one number. A word that is a noun with a capital letter is read
    without one."""
    matches: list[str] = _pattern(digits, tuple(words), tuple(words_of(language).loose)).findall(text)
    return [each for each in matches if sum(map(str.isdigit, each)) <= _LONGEST]


@cache
def _pattern(digits: str, words: tuple[str, ...], loose: tuple[str, ...]) -> re.Pattern[str]:
    small = [word for word in words if word.capitalize() in loose]
    by_start: dict[str, list[str]] = {}  # hundreds of words: most texts are left after three letters
    for word in sorted(set(words) - set(small), key=lambda word: (-len(word), word)):
        by_start.setdefault(word[:3], []).append(word[3:])
    listed = [f"{start}(?:{'|'.join(rest)})" for start, rest in by_start.items()]
    listed += [f"(?-i:{word})" for word in small]
    # One look at a character settles most places of a text: neither a figure nor a word begins there.
    figures = rf"(?=[\dx×#+−{_MARKS}-])(?:{digits})"
    first = "".join({re.escape(word[0]) for word in words})
    return re.compile(
        rf"{figures}|(?=[{first}])\b(?:{'|'.join(listed)})\b" if words else figures, re.IGNORECASE
    )


def _value(number: str, language: str) -> int:
    value = _letters(language).get(number.lower())
    return _whole(number) if value is None else value


def _whole(written: str) -> int:
    return int("".join(filter(str.isdigit, written)))


@cache
def _letters(language: str) -> Mapping[str, int]:
    """Return the numbers from two on by their words, also by words of two parts."""
    words, small = words_of(language), _small(words_of(language))
    digits = [(word, value) for word, value in small.items() if value < 10]
    units = [(word, value) for word, value in {**small, **words.first}.items() if value < 20]
    large, tens = dict[str, int](), dict[str, int]()
    for name, unit in words.large.items():
        large |= {f"{word} {name}": value * unit for word, value in digits}
    for (ten, number), joint in product(words.tens.items(), words.joints):
        for word, value in units:
            both = f"{word}{joint}{ten}" if words.units_first else f"{ten}{joint}{word}"
            tens[both] = number + value
    every = {**small, **words.large, **words.tens, **large, **tens}
    return {word: value for word, value in every.items() if word not in words.loose}


def _small(words: NumberWords) -> dict[str, int]:
    cardinal = {word: value for value, word in enumerate(words.cardinals) if value > 1}
    ordinal = {word: value for value, word in enumerate(words.ordinals) if value > 1}
    every = {**cardinal, **ordinal, **words.others}
    ended = {
        word + end: value for word, value in every.items() if word.endswith("te") for end in words.endings
    }
    return every | ended

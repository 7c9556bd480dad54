"""Numbers in texts, as digits or as words, in each language whose number words are known here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from playproof.database.source import read_yaml_file

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
def _load_number_words_by_language() -> Mapping[str, NumberWords]:
    data: Any = read_yaml_file(_FILE).data
    return {language: NumberWords(**words) for language, words in data.items()}


def list_languages_with_number_words() -> tuple[str, ...]:
    """Return the languages whose number words are known here, sorted."""
    return tuple(sorted(_load_number_words_by_language()))


def get_number_words(language: str) -> NumberWords:
    """Return the number words of a language, whose region does not matter."""
    return _load_number_words_by_language().get(language.partition("-")[0], NumberWords())


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


def has_number_words(language: str) -> bool:
    """Return whether the number words of a language, without its region, are known here.

    >>> has_number_words("de-AT"), has_number_words("ja")
    (True, False)
    """
    return bool(get_number_words(language).cardinals)


def format_number_in_letters_if_small(number: object, language: str) -> str:
    """A number as prose has it: small ones in letters, if this language has words here.

    >>> [format_number_in_letters_if_small(n, language) for n, language in ((3, "en"), (20, "en"), (6, "ja"))]
    ['three', '20', '6']
    """
    words = get_number_words(language).cardinals
    return words[number] if isinstance(number, int) and 0 <= number < len(words) else str(number)


def format_ordinal_in_letters_if_small(number: object, language: str) -> str:
    """The ordinal of a number as prose has it: small ones in letters, if this language has words here.

    >>> [format_ordinal_in_letters_if_small(n, language) for n, language in ((3, "en"), (20, "en"), (4, "fr"))]
    ['third', '20.', 'quatrième']
    """
    words = get_number_words(language).ordinals
    return words[number] if isinstance(number, int) and 0 < number < len(words) else f"{number}."


def count_numbers_except_word_one(text: str, language: str) -> Counter[int]:
    """The numbers of a text, in digits or letters. "One" and "first" in letters are none: they are
    articles and order.

    >>> sorted(count_numbers_except_word_one("The third of 12 cards, one by one", "en"))
    [3, 12]
    >>> sorted(count_numbers_except_word_one("3 von zwölf Karten", "de"))
    [3, 12]
    """
    return Counter(
        _parse_number_in_digits_or_letters(number, language)
        for number in list_numbers_as_written_except_one(text, language)
    )


def list_signed_numbers_in_short_text(text: str, language: str) -> list[int]:
    """Return all numbers of a short text such as a face of a die, with their signs; digits count in
    `x5` too. A text that is one word may also say "one".

    >>> [list_signed_numbers_in_short_text(text, "en") for text in ("−1", "**x5**", "One!")]
    [[-1], [5], [1]]
    """
    if re.sub(r"[\W_]", "", text).lower() in get_number_words(language).cardinals[1:2]:
        return [1]
    words = _map_words_to_numbers_above_one(language)
    figures = _list_number_matches_in_order(text, r"[+−-]?\d+", words, language)
    return [words[each.lower()] if each.lower() in words else int(each.replace("−", "-")) for each in figures]


class UnmatchedNumbers(NamedTuple):
    only_in_text: list[int]
    only_in_other_text: list[int]


def list_numbers_only_in_each_translation(
    text: str, language: str, other_text: str, other_language: str
) -> UnmatchedNumbers:
    """Compare two translations. Return the numbers that only the first text tells, and those that
    only the other tells. Digits count wherever they stand, as in `H01`. Letters count where both
    languages have number words; beside another language they only explain its digits.

    >>> list_numbers_only_in_each_translation("twice 3 of both", "en", "deux fois 4 des deux", "fr")
    UnmatchedNumbers(only_in_text=[3], only_in_other_text=[4])
    >>> list_numbers_only_in_each_translation("3 枚を 12 枚から", "ja", "four of twelve cards", "en")
    UnmatchedNumbers(only_in_text=[3], only_in_other_text=[])
    """
    mine, theirs = (
        _count_numbers_with_words_like_twice(text, language),
        _count_numbers_with_words_like_twice(other_text, other_language),
    )
    surplus = mine - theirs - _count_ambiguous_number_words(other_text, other_language)
    missing = theirs - mine - _count_ambiguous_number_words(text, language)
    if not (has_number_words(language) and has_number_words(other_language)):
        surplus &= _count_numbers_written_in_digits(text)
        missing &= _count_numbers_written_in_digits(other_text)
    return UnmatchedNumbers(sorted(surplus.elements()), sorted(missing.elements()))


def _count_numbers_with_words_like_twice(text: str, language: str) -> Counter[int]:
    words = {**_map_words_to_numbers_above_one(language), **get_number_words(language).times}
    figures = _list_number_matches_in_order(text, _ANY_DIGITS, words, language)
    return Counter(
        words[each.lower()] if each.lower() in words else _join_digits_of_text_to_number(each) for each in figures
    )


def _count_numbers_written_in_digits(text: str) -> Counter[int]:
    return Counter(map(_join_digits_of_text_to_number, _list_number_matches_in_order(text, _ANY_DIGITS, (), "")))


def _count_ambiguous_number_words(text: str, language: str) -> Counter[int]:
    values = get_number_words(language).loose
    words = (word if word in values else word.lower() for word in re.findall(r"\w+", text))
    return Counter(values[word] for word in words if word in values)


@lru_cache(10_000)  # texts are held against claims, components and other texts
def list_numbers_as_written_except_one(text: str, language: str) -> tuple[str, ...]:
    """Return the numbers of a text as they are written, in order."""
    return tuple(_list_number_matches_in_order(text, _DIGITS, _map_words_to_numbers_above_one(language), language))


def list_quantities_as_written(text: str, language: str) -> list[str]:
    """Return all that tells how many in a text, in order: numbers as `list_numbers_as_written_except_one` has them, and
    also `½`, `²`, "twice" and "a dozen".

    >>> list_quantities_as_written("Half of the ② cards, twice 10², ½ Coin", "en")
    ['Half', '②', 'twice', '10', '²', '½']
    """
    own = get_number_words(language)
    marks = rf"{_DIGITS}|(?<![\w#-])\d+(?=[{_MARKS}])|[{_MARKS}]"
    return _list_number_matches_in_order(
        text, marks, (*_map_words_to_numbers_above_one(language), *own.times, *own.amounts), language
    )


def _list_number_matches_in_order(
    text: str, digits_pattern: str, number_words: Iterable[str], language: str
) -> list[str]:
    """Return what these patterns find, in order; a language may have no words here. A longer word
    goes first: "twenty-seven" is one number. A word that is a noun with a capital letter is read
    without one."""
    matches: list[str] = _compile_number_pattern(
        digits_pattern, tuple(number_words), tuple(get_number_words(language).loose)
    ).findall(text)
    return [each for each in matches if sum(map(str.isdigit, each)) <= _LONGEST]


@cache
def _compile_number_pattern(
    digits_pattern: str, number_words: tuple[str, ...], ambiguous_words: tuple[str, ...]
) -> re.Pattern[str]:
    small = [word for word in number_words if word.capitalize() in ambiguous_words]
    by_start: dict[str, list[str]] = {}  # hundreds of words: most texts are left after three letters
    for word in sorted(set(number_words) - set(small), key=lambda word: (-len(word), word)):
        by_start.setdefault(word[:3], []).append(word[3:])
    listed = [f"{start}(?:{'|'.join(rest)})" for start, rest in by_start.items()]
    listed += [f"(?-i:{word})" for word in small]
    # One look at a character settles most places of a text: neither a figure nor a word begins there.
    figures = rf"(?=[\dx×#+−{_MARKS}-])(?:{digits_pattern})"
    first = "".join({re.escape(word[0]) for word in number_words})
    return re.compile(rf"{figures}|(?=[{first}])\b(?:{'|'.join(listed)})\b" if number_words else figures, re.IGNORECASE)


def _parse_number_in_digits_or_letters(written_number: str, language: str) -> int:
    value = _map_words_to_numbers_above_one(language).get(written_number.lower())
    return _join_digits_of_text_to_number(written_number) if value is None else value


def _join_digits_of_text_to_number(written: str) -> int:
    return int("".join(filter(str.isdigit, written)))


@cache
def _map_words_to_numbers_above_one(language: str) -> Mapping[str, int]:
    """Return the numbers from two on by their words, also by words of two parts."""
    words, small = get_number_words(language), _map_small_words_to_numbers_above_one(get_number_words(language))
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


def _map_small_words_to_numbers_above_one(words: NumberWords) -> dict[str, int]:
    cardinal = {word: value for value, word in enumerate(words.cardinals) if value > 1}
    ordinal = {word: value for value, word in enumerate(words.ordinals) if value > 1}
    every = {**cardinal, **ordinal, **words.others}
    ended = {word + end: value for word, value in every.items() if word.endswith("te") for end in words.endings}
    return every | ended

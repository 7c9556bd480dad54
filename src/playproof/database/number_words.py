"""Numbers in texts, as digits or as words, in each language whose number words are known here."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

NUMBERS = {
    "en": ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
           "twelve"),
    "fr": ("aucun", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze",
           "douze"),
    "de": ("null", "ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf",
           "zwölf"),
    "es": ("cero", "un", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once",
           "doce"),
}  # fmt: skip

ORDINALS = {
    "en": ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth",
           "tenth"),
    "fr": ("", "premier", "deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième",
           "huitième", "neuvième", "dixième"),
    "de": ("", "erste", "zweite", "dritte", "vierte", "fünfte", "sechste", "siebte", "achte", "neunte",
           "zehnte"),
    "es": ("", "primero", "segundo", "tercero", "cuarto", "quinto", "sexto", "séptimo", "octavo",
           "noveno", "décimo"),
}  # fmt: skip

_READ_TOO = {
    "en": {"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18,
           "nineteen": 19, "twenty": 20, "eleventh": 11, "twelfth": 12},
    "fr": {"treize": 13, "quatorze": 14, "quinze": 15, "seize": 16, "vingt": 20, "second": 2, "seconde": 2,
           "onzième": 11, "douzième": 12},
    "de": {"dreizehn": 13, "vierzehn": 14, "fünfzehn": 15, "sechzehn": 16, "siebzehn": 17, "achtzehn": 18,
           "neunzehn": 19, "zwanzig": 20,
           "siebente": 7, "elfte": 11, "zwölfte": 12},
    "es": {"trece": 13, "catorce": 14, "quince": 15, "dieciséis": 16, "diecisiete": 17, "dieciocho": 18,
           "diecinueve": 19, "veinte": 20,
           "segunda": 2, "tercer": 3, "tercera": 3, "cuarta": 4, "quinta": 5, "sexta": 6, "séptima": 7,
           "octava": 8, "novena": 9, "décima": 10, "undécimo": 11, "undécima": 11, "duodécimo": 12, "duodécima": 12},
}  # fmt: skip
"""Words that are read as numbers and never written by `number_word` or `ordinal_word`."""
_ENDINGS = {"de": "nmrs"}
"""Letters that an ordinal may end in besides: "dem zweiten Feld"."""
_TIMES = {
    "en": {"twice": 2, "thrice": 3},
    "de": {"zweimal": 2, "dreimal": 3, "viermal": 4, "fünfmal": 5, "sechsmal": 6, "siebenmal": 7, "achtmal": 8,
           "neunmal": 9, "zehnmal": 10, "elfmal": 11, "zwölfmal": 12},
}  # fmt: skip
_LOOSE = {
    "en": {"both": 2},
    "de": {"beide": 2, "beiden": 2, "beider": 2, "beides": 2, "doppelt": 2, "doppelte": 2, "doppelten": 2,
           "achte": 8, "achten": 8, "Acht": 8, "Elf": 11},
    "es": {"ambos": 2, "ambas": 2, "doble": 2},
}  # fmt: skip
"""Words that say a number in some places only: "both of you", and "both shuffle and draw"; "das achte
Feld", and "achte auf den Wind". A capital letter matters: "elf Karten", and "der Elf"."""

_TENS = {
    "en": {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80,
           "ninety": 90},
    "fr": {"vingt": 20, "trente": 30, "quarante": 40, "cinquante": 50, "soixante": 60, "quatre-vingt": 80},
    "de": {"zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60, "siebzig": 70, "achtzig": 80,
           "neunzig": 90},
    "es": {"treinta": 30, "cuarenta": 40, "cincuenta": 50, "sesenta": 60, "setenta": 70, "ochenta": 80,
           "noventa": 90},
}  # fmt: skip
_JOINT = {"en": ("-",), "fr": ("-", " et ", "-et-"), "de": ("und",), "es": (" y ",)}
"""What stands between the tens and the rest: `twenty-seven`, `vingt et un`."""
_UNITS_FIRST = ("de",)
_LARGE = {
    "en": {"hundred": 100, "thousand": 1000}, "fr": {"cent": 100, "cents": 100, "mille": 1000},
    "de": {"hundert": 100, "tausend": 1000}, "es": {"cien": 100, "ciento": 100, "mil": 1000},
}  # fmt: skip
_MORE = {
    "en": {"thirteenth": 13, "fourteenth": 14, "fifteenth": 15, "sixteenth": 16, "seventeenth": 17,
           "eighteenth": 18, "nineteenth": 19, "twentieth": 20, "thirtieth": 30},
    "fr": {"dix-sept": 17, "dix-huit": 18, "dix-neuf": 19, "quatre-vingts": 80, "vingtième": 20},
    "es": {"veintiuno": 21, "veintidós": 22, "veintitrés": 23, "veinticuatro": 24, "veinticinco": 25,
           "veintiséis": 26, "veintisiete": 27, "veintiocho": 28, "veintinueve": 29},
}  # fmt: skip

_AFTER = r"(?:x|×|st|nd|rd|th|er|re|e|ème|mm|cm)?"
_FIRST = {
    "en": {"one": 1, "first": 1},
    "fr": {"un": 1, "une": 1, "unième": 1},
    "de": {"ein": 1},
    "es": {"un": 1, "uno": 1, "una": 1},
}
"""What is one only after the tens."""
_AMOUNTS = {
    "en": ("half", "halves", "double", "doubled", "triple", "pair", "pairs", "couple", "dozen", "dozens"),
    "fr": ("demi", "demie", "moitié", "double", "triple", "paire", "paires", "douzaine", "douzaines",
           "dizaine"),
}  # fmt: skip
"""Words that say how many and are compared with nothing: "double-sided" is no 2."""
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
    return _main(language) in NUMBERS


def number_word(number: object, language: str) -> str:
    """A number as prose has it: small ones in letters, if this language has words here.

    >>> number_word(3, "en"), number_word(20, "en"), number_word(6, "ja")
    ('three', '20', '6')
    """
    words = NUMBERS.get(_main(language), ())
    return words[number] if isinstance(number, int) and 0 <= number < len(words) else str(number)


def ordinal_word(number: object, language: str) -> str:
    """The ordinal of a number as prose has it: small ones in letters, if this language has words here.

    >>> ordinal_word(3, "en"), ordinal_word(20, "en"), ordinal_word(4, "fr")
    ('third', '20.', 'quatrième')
    """
    words = ORDINALS.get(_main(language), ())
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
    if re.sub(r"[\W_]", "", text).lower() in NUMBERS.get(_main(language), ())[1:2]:
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
    words = {**_letters(language), **_TIMES.get(_main(language), {})}
    figures = _found(text, _ANY_DIGITS, words, language)
    return Counter(words[each.lower()] if each.lower() in words else _whole(each) for each in figures)


def _digits(text: str) -> Counter[int]:
    return Counter(map(_whole, _found(text, _ANY_DIGITS, (), "")))


def _loose(text: str, language: str) -> Counter[int]:
    values = _LOOSE.get(_main(language), {})
    words = (word if word in values else word.lower() for word in re.findall(r"\w+", text))
    return Counter(values[word] for word in words if word in values)


def spelt(text: str, language: str) -> list[str]:
    """Return the numbers of a text as they are written, in order."""
    return _found(text, _DIGITS, _letters(language), language)


def written(text: str, language: str) -> list[str]:
    """Return all that tells how many in a text, in order: numbers as `spelt` has them, and also `½`, `²`, "twice"
    and "a dozen".

    >>> written("Half of the ② cards, twice 10², ½ Coin", "en")
    ['Half', '②', 'twice', '10', '²', '½']
    """
    main = _main(language)
    marks = rf"{_DIGITS}|(?<![\w#-])\d+(?=[{_MARKS}])|[{_MARKS}]"
    return _found(text, marks, (*_letters(main), *_TIMES.get(main, ()), *_AMOUNTS.get(main, ())), main)


def _found(text: str, digits: str, words: Iterable[str], language: str) -> list[str]:
    """Return what these patterns find, in order; a language may have no words here. A longer word
    goes first: "twenty-seven" is one number. A word that is a noun with a capital letter is read
    without one."""
    matches: list[str] = _pattern(digits, tuple(words), tuple(_LOOSE.get(_main(language), ()))).findall(text)
    return [each for each in matches if sum(map(str.isdigit, each)) <= _LONGEST]


@cache
def _pattern(digits: str, words: tuple[str, ...], loose: tuple[str, ...]) -> re.Pattern[str]:
    small = [word for word in words if word.capitalize() in loose]
    by_start: dict[str, list[str]] = {}  # hundreds of words: most texts are left after three letters
    for word in sorted(set(words) - set(small), key=lambda word: (-len(word), word)):
        by_start.setdefault(word[:3], []).append(word[3:])
    listed = [f"{start}(?:{'|'.join(rest)})" for start, rest in by_start.items()]
    listed += [f"(?-i:{word})" for word in small]
    return re.compile(rf"{digits}|\b(?:{'|'.join(listed)})\b" if words else digits, re.IGNORECASE)


def _value(number: str, language: str) -> int:
    value = _letters(language).get(number.lower())
    return _whole(number) if value is None else value


def _whole(written: str) -> int:
    return int("".join(filter(str.isdigit, written)))


@cache
def _letters(language: str) -> Mapping[str, int]:
    """Return the numbers from two on by their words, also by words of two parts."""
    main = _main(language)
    small = _small(main)
    large = {
        f"{word} {name}": value * unit
        for name, unit in _LARGE.get(main, {}).items()
        for word, value in small.items()
        if value < 10
    }
    units = {**small, **_FIRST.get(main, {})}
    tens = {
        (f"{word}{joint}{ten}" if main in _UNITS_FIRST else f"{ten}{joint}{word}"): number + value
        for ten, number in _TENS.get(main, {}).items()
        for joint in _JOINT[main]
        for word, value in units.items()
        if value < 20
    }
    read = small | _LARGE.get(main, {}) | _TENS.get(main, {}) | large | tens
    return {word: value for word, value in read.items() if word not in _LOOSE.get(main, {})}


def _small(main: str) -> dict[str, int]:
    cardinal = {word: value for value, word in enumerate(NUMBERS.get(main, ())) if value > 1}
    ordinal = {word: value for value, word in enumerate(ORDINALS.get(main, ())) if value > 1}
    read = cardinal | ordinal | _READ_TOO.get(main, {}) | _MORE.get(main, {})
    return read | {
        word + end: value
        for word, value in read.items()
        if word.endswith("te")
        for end in _ENDINGS.get(main, "")
    }


def _main(language: str) -> str:
    """Return a language without its region."""
    return language.partition("-")[0]

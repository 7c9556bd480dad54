"""The booklets' own words; a language without them reads English."""

from __future__ import annotations

WORDS = {
    "en": {
        "box": "In the box", "rulings": "Questions and rulings", "icons": "Icons and pictures", "fonts": "Type",
        "people": "People", "credits": "Credits", "sources": "Where facts come from", "page": "page",
        "example": "Example", "chance": "Chance", "colon": ":",
        "narrowed": "Why not more:", "notes": "Notes",
    },
    "fr": {
        "box": "Dans la boîte", "rulings": "Questions et décisions", "icons": "Icônes et images", "fonts": "Caractères",
        "people": "Personnes", "credits": "Crédits", "sources": "D'où viennent les faits", "page": "page",
        "example": "Exemple", "chance": "Hasard", "colon": " :",
        "narrowed": "Pourquoi pas plus :", "notes": "Notes",
    },
}  # fmt: skip

NUMBERS = {
    "en": ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    "fr": ("aucun", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf", "dix", "onze", "douze"),
}

ORDINALS = {
    "en": ("", "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"),
    "fr": ("", "premier", "deuxième", "troisième", "quatrième", "cinquième", "sixième", "septième", "huitième",
           "neuvième", "dixième"),
}  # fmt: skip


def words_of(language: str) -> dict[str, str]:
    """What the booklet itself says in a language."""
    return WORDS.get(language, WORDS["en"])


def number_word(number: object, language: str) -> str:
    """A number as prose has it: small ones in letters.

    >>> number_word(3, "en"), number_word(20, "en")
    ('three', '20')
    """
    known = NUMBERS.get(language, NUMBERS["en"])
    return known[number] if isinstance(number, int) and 0 <= number < len(known) else str(number)


def ordinal_word(number: object, language: str) -> str:
    """The place of a number in a row, in letters where it is small.

    >>> ordinal_word(3, "en"), ordinal_word(20, "en"), ordinal_word(4, "fr")
    ('third', '20.', 'quatrième')
    """
    known = ORDINALS.get(language, ORDINALS["en"])
    return known[number] if isinstance(number, int) and 0 < number < len(known) else f"{number}."

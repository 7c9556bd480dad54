"""The words in which a dossier speaks, in the languages of its readers: those of `layouts/wording/`. Readers of other
languages get English."""

from __future__ import annotations

from playproof.generator.wording import get_wording


def has_message(key: str, language: str = "en") -> bool:
    """Return whether there are words for something. A language without a file has the English ones."""
    return key in get_wording("errata", language)


def speaks_english(language: str) -> bool:
    """Return whether readers of a language get English words."""
    return get_wording("errata", language) is get_wording("errata", "en")


def format_message(language: str, key: str, **values: object) -> str:
    """Return a word or sentence with its values filled in."""
    return get_wording("errata", language)[key].format(**values)


def format_number(language: str, value: float, form: str) -> str:
    """Return a number in the format `form` of Python, as the language writes it: 1,234.5 is 1 234,5 in French."""
    marks = str.maketrans(".,", format_message(language, "decimal") + format_message(language, "thousands"))
    return f"{value:{form}}".translate(marks)

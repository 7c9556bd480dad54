"""The languages that a game may name: codes as in BCP 47."""

from __future__ import annotations

import re

from playproof.database.errors import Collector
from playproof.database.source import Node

_CODE = re.compile(r"[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|\d{3}))?")
"""A language in two or three small letters, then a script and a region if they matter: `pt-BR`."""
_NAMES = {
    "cs": "Czech Čeština", "da": "Danish Dansk", "de": "German Deutsch Allemand Alemán",
    "el": "Greek Ελληνικά", "en": "English Englisch Anglais Inglés", "es": "Spanish Español Spanisch Espagnol",
    "fi": "Finnish Suomi", "fr": "French Français Französisch Francés", "hu": "Hungarian Magyar",
    "it": "Italian Italiano Italienisch Italien", "ja": "Japanese 日本語", "ko": "Korean 한국어",
    "nl": "Dutch Nederlands Niederländisch", "no": "Norwegian Norsk", "pl": "Polish Polski Polnisch",
    "pt": "Portuguese Português Portugiesisch", "ro": "Romanian Română", "ru": "Russian Русский Russisch",
    "sv": "Swedish Svenska", "tr": "Turkish Türkçe", "uk": "Ukrainian Українська", "zh": "Chinese 中文 Chinesisch",
}  # fmt: skip
"""Names that people write for a code."""
_CODES = {name.casefold(): code for code, names in _NAMES.items() for name in names.split()}


def languages_of(game: Node, collector: Collector) -> tuple[str, ...]:
    """Return the languages that game.yaml names, even if other parts of it are wrong. Note one PP206
    finding for all that are no codes."""
    declared = game.get("languages")
    items = [item for item in declared.items if isinstance(item.value, str)] if declared else []
    wrong = [item for item in items if not _CODE.fullmatch(str(item.value))]
    if wrong:
        values = ", ".join(f'"{item.value}"' for item in wrong)
        fixes = [_fixed(str(item.value)) for item in wrong]
        hint = f"did you mean {', '.join(fixes)}?" if all(fixes) else ""
        collector.add(
            "PP206",
            wrong[0].where,
            f"`languages`: expected codes of languages, such as de or pt-BR, found {values}",
            hint,
        )
    return tuple(str(item.value) for item in items) or ("en",)


def _fixed(word: str) -> str:
    """Return the code that a word stands for, or "".

    >>> _fixed("German"), _fixed("DE"), _fixed("pt_br"), _fixed("Klingon")
    ('de', 'de', 'pt-BR', '')
    """
    language, *region = re.split(r"[-_]", word)
    code = "-".join([language.lower(), *map(str.upper, region)])
    return _CODES.get(word.casefold(), "") or (code if _CODE.fullmatch(code) else "")

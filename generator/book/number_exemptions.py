"""Find numbers in a text that count nothing: names of places and cards, signed values, step
numbers."""

from __future__ import annotations

import re

from playproof.database.game import Game

GAP = "\x00"  # stands for anything that is not a typed word
_SIGNED = re.compile(r"(?<![\w#])[+−-]\d+")  # a signed number, as cards print it
_JOINING = "and|or|to|et|ou|à|und|oder|bis|y|o|a"
_LEADING = re.compile(r"^\W*\d+\W*(?=\s|$)")  # the number of a step or of a heading


def blank_uncounted_numbers(text: str, names: re.Pattern[str]) -> str:
    """Return the text with a gap for each number that counts nothing: a name, a signed value as
    cards print it, or the number of a step."""
    return names.sub(GAP, blank_signed_and_step_numbers(text))


def blank_signed_and_step_numbers(text: str) -> str:
    """Return the text with a gap for each signed value and for the number of a step."""
    return _SIGNED.sub(GAP, _LEADING.sub(GAP, text))


def build_numbered_name_pattern(game: Game, language: str) -> re.Pattern[str]:
    """Return a pattern for numbers that are names: `level 4`, `spots 2, 3 and 5`, the id of a card.
    `level 2 costs 2` holds one name."""
    labels = "|".join(map(re.escape, game.rulebook.labels.get(language, ())))
    number = rf"(?:\d+|{GAP})"
    row = (
        rf"\b(?:{labels})\s+\W*{number}(?:(?:,\s*|\s+(?:{_JOINING})\s+){number})*(?!\w)"
        if labels
        else r"(?!)"
    )
    ids = "|".join(re.escape(ref) for ref in game.components if len(ref) > 2)
    return re.compile(rf"{row}|\b(?:{ids})\b" if ids else row, re.IGNORECASE)

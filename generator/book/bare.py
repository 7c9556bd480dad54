"""What reads like a number in a text and counts nothing: names of places and cards, signs, numbers of steps."""

from __future__ import annotations

import re

from playproof.database.game import Game

GAP = "\x00"  # where something that is no typed word stands
_SIGNED = re.compile(r"[+−-]\d+")  # the way a card writes, as an example of it
_JOINING = "and|or|to|et|ou|à"
_LEADING = re.compile(r"^\W*\d+\W*(?=\s|$)")  # the number of a step or of a heading


def bare(text: str, names: re.Pattern[str]) -> str:
    """A text with gaps for the numbers that count nothing: names, signs as cards write them, the number of a step."""
    return names.sub(GAP, _SIGNED.sub(GAP, _LEADING.sub(GAP, text)))


def names_of(game: Game, language: str) -> re.Pattern[str]:
    """What reads like a number and is a name: `level 4`, `spots 2, 3 and 5`, the id of a card. `level 2 costs 2` names
    one level."""
    labels = "|".join(map(re.escape, game.rulebook.labels.get(language, ())))
    number = rf"(?:\d+|{GAP})"
    row = rf"\b(?:{labels})\s+\W*{number}(?:(?:,\s*|\s+(?:{_JOINING})\s+){number})*(?!\w)" if labels else r"(?!)"
    ids = "|".join(re.escape(ref) for ref in game.components if len(ref) > 2)
    return re.compile(rf"{row}|\b(?:{ids})\b" if ids else row, re.IGNORECASE)

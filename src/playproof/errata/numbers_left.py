"""Words of a changed component that still say the old number: "one stone" beside a goal that now asks for two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from playproof.database.components import Component, Words
from playproof.database.errors import Finding
from playproof.database.game import Game
from playproof.database.lint_quantities import quantities_of
from playproof.database.number_words import numbers_in, words_of
from playproof.database.vocabulary import Term
from playproof.errata.versions import Difference

_NEAR = 2
"""How many words may stand between a number and what it counts."""


def numbers_left(old: Game, new: Game, differences: Sequence[Difference]) -> Iterator[Finding]:
    """PP836: a text of a changed component says the number that it had, and not the one that it has (a warning)."""
    for difference in differences:
        if difference.old is None or difference.new is None:
            continue
        was, now = (
            {(q.field, q.term.id if q.term else ""): q for q in quantities_of(game.vocabulary, card)}
            for game, card in ((old, difference.old), (new, difference.new))
        )
        for key, quantity in now.items():
            before = was[key].number if key in was else 0
            if before != quantity.number:
                yield from _left(difference.new, quantity.field, quantity.term, before, quantity.number)


def _left(card: Component, field: str, term: Term | None, before: int, after: int) -> Iterator[Finding]:
    written = {name: words for name, words in card.fields.items() if isinstance(words, Words)}
    for name, words in written.items():
        for language, text in words.texts.items():
            if _says(text, language, term, before) and not _says(text, language, term, after):
                what = f" {term.name('en', before)}" if term else ""
                message = f"`{name}` of {card.id} still says {before}{what}: `{field}` is {after} now, and was {before}"
                hint = "change the text with the number, if it speaks of this number"
                yield Finding("PP836", words.place(language), message, hint, severity="warning")


def _says(text: str, language: str, term: Term | None, number: int) -> bool:
    """Return whether a text says a number: of a term near the words for it, else anywhere from two on."""
    if term is None:
        return number > 1 and numbers_in(text, language)[number] > 0
    tokens = re.findall(r"\w+", text.casefold())
    names = {
        each.casefold().split()[place]
        for n in (1, 2)
        for each in [term.name(language, n)]
        for place in (0, -1)
    }
    called = [place for place, token in enumerate(tokens) if token in names]
    counted = [place for place, token in enumerate(tokens) if _is_number(token, language, number)]
    return any(0 < there - here <= _NEAR + 1 for here in counted for there in called)


def _is_number(token: str, language: str, number: int) -> bool:
    """Return whether one word is a number, `one` too."""
    if number == 1:
        words = words_of(language)
        return token == "1" or token in words.cardinals[1:2] or words.first.get(token) == 1
    return numbers_in(token, language)[number] > 0

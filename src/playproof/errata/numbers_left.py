"""Words of a changed component that still say the old number: "one stone" beside a goal that now asks for two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from playproof.database.components import Component, Words
from playproof.database.errors import Finding
from playproof.database.game import Game
from playproof.database.lint_quantities import iter_quantities
from playproof.database.number_words import count_numbers, get_number_words
from playproof.database.vocabulary import Term
from playproof.errata.versions import ComponentDifference

_NEAR = 2
"""How many words may stand between a number and what it counts."""


def find_outdated_numbers_in_texts(
    old: Game, new: Game, differences: Sequence[ComponentDifference]
) -> Iterator[Finding]:
    """PP836: a text of a changed component says the number that it had, and not the one that it has (a warning)."""
    for difference in differences:
        if difference.old is None or difference.new is None:
            continue
        was, now = (
            {(q.field, q.term.id if q.term else ""): q for q in iter_quantities(game.vocabulary, card)}
            for game, card in ((old, difference.old), (new, difference.new))
        )
        for key, quantity in now.items():
            before = was[key].number if key in was else 0
            if before != quantity.number:
                yield from _find_outdated_number_in_card(
                    difference.new, quantity.field, quantity.term, before, quantity.number
                )


def _find_outdated_number_in_card(
    card: Component, field: str, term: Term | None, old_number: int, new_number: int
) -> Iterator[Finding]:
    written = {name: words for name, words in card.fields.items() if isinstance(words, Words)}
    for name, words in written.items():
        for language, text in words.texts.items():
            if _mentions_number(text, language, term, old_number) and not _mentions_number(
                text, language, term, new_number
            ):
                what = f" {term.name('en', old_number)}" if term else ""
                message = (
                    f"`{name}` of {card.id} still says {old_number}{what}: "
                    f"`{field}` is {new_number} now, and was {old_number}"
                )
                hint = "change the text with the number, if it speaks of this number"
                yield Finding("PP836", words.get_place(language), message, hint, severity="warning")


def _mentions_number(text: str, language: str, term: Term | None, number: int) -> bool:
    """Return whether a text says a number: of a term near the words for it, else anywhere from two on."""
    if term is None:
        return number > 1 and count_numbers(text, language)[number] > 0
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
        words = get_number_words(language)
        return token == "1" or token in words.cardinals[1:2] or words.first.get(token) == 1
    return count_numbers(token, language)[number] > 0

"""Check the numbers of short rules where no chapter states them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from playproof.database.errors import Finding
from playproof.database.game import Game as Cards
from playproof.database.lint_claims import asked, numbers_of_data
from playproof.database.rulebook_text import document_files
from playproof.database.spelt import numbers_in
from playproof.rules.language import Game


def unfounded(game: Game, cards: Cards) -> Iterator[Finding]:
    """PP356: a number in a rule of a rulebook without chapters, which no claim that cites the rule, no
    field of that rule and no data have. A rule that no claim cites may have the numbers of any claim."""
    if any(document_files(cards.folder, language) for language in cards.languages):
        return  # PP528 holds the rules against the chapters, PP247 the languages against each other
    founded, data = _founded(game, cards), _data(cards)
    cited = {rule for claim in cards.claims.values() for rule in claim.rules}
    anywhere = set[int]().union(*(asked(claim, cards) for claim in cards.claims.values()))
    for rule in cards.rules.values():
        known = data | founded.get(rule.id, set()) | (set() if rule.id in cited else anywhere)
        for language in cards.languages if not rule.left_out else ():
            for number in sorted(set(numbers_in(rule.words.texts.get(language, ""), language)) - known):
                message = f"{rule.id} says {number} ({language}), which no claim that cites {rule.id}, no field of "
                yield Finding("PP356", rule.words.place(language), f"{message}{rule.id} and no data have",
                              f"mend the number, or cite {rule.id} in a claim that asks about {number}")


def _founded(game: Game, cards: Cards) -> dict[str, set[int]]:
    """Return by rule the numbers of the claims that cite it, and the bounds and first values of its
    fields."""
    found: dict[str, set[int]] = {}
    for claim in cards.claims.values():
        for rule in claim.rules:
            found.setdefault(rule, set()).update(asked(claim, cards))
    for held in game.fields:
        for rule in held.rules:
            found.setdefault(rule, set()).update((held.lo, held.hi, *held.start))
    return found


def _data(cards: Cards) -> set[int]:
    """Return the numbers of the data, and how many components each kind has."""
    counts = Counter[str]()
    for component in cards.components.values():
        counts[component.kind] += component.count
    return {1, *counts.values(), *numbers_of_data(cards)}


__all__ = ["unfounded"]

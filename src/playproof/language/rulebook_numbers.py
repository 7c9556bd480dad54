"""Check the numbers of rules: against the list of components, and where no chapter states a rule, against its
claims, fields and data."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from playproof.database.errors import Finding
from playproof.database.game import Game as Cards
from playproof.database.game_yaml import Declared
from playproof.database.lint import list_declared_components
from playproof.database.lint_claims import collect_data_numbers, collect_question_numbers
from playproof.database.number_words import count_numbers
from playproof.database.rulebook import Rule
from playproof.database.rulebook_text import list_document_files
from playproof.language.game import Game

_WHOLE = {
    "en": ("the", "all", "these"),
    "fr": ("les", "ces"),
    "de": ("die", "alle", "den", "aller", "diese"),
    "es": ("los", "las", "todos", "todas"),
}
"""Words before a number that speak of all there are: "shuffle the six path cards"."""


def iter_unfounded_number_findings(game: Game, cards: Cards) -> Iterator[Finding]:
    """PP356: a number in a rule of a rulebook without chapters, which no claim that cites the rule, no
    field of that rule and no data have. A rule that no claim cites may have the numbers of any claim. Before
    the name of components a number has to be more: how many there are."""
    founded, data = _collect_founded_numbers(game, cards), _collect_data_numbers(cards)
    if any(list_document_files(cards.folder, language) for language in cards.languages):
        # PP528 holds the rules against the chapters, PP247 the languages against each other.
        for rule in cards.rules.values():
            if rule.left_out:
                continue
            own = founded.get(rule.id, set())
            for language in cards.languages:
                for _, finding in _iter_miscounted_component_findings(rule, language, cards, own, None):
                    yield finding
        return
    cited = {rule for claim in cards.claims.values() for rule in claim.rules}
    anywhere = set[int]().union(*(collect_question_numbers(claim, cards) for claim in cards.claims.values()))
    for rule in cards.rules.values():
        if rule.left_out:
            continue
        own = founded.get(rule.id, set())
        accounted = data | own
        if rule.id not in cited:
            accounted |= anywhere
        for language in cards.languages:
            text = rule.words.texts.get(language, "")
            unknown = sorted(set(count_numbers(text, language)) - accounted)
            for number in unknown:
                message = (
                    f"{rule.id} says {number} ({language}), which no claim that cites {rule.id}, no field of "
                )
                yield Finding(
                    "PP356",
                    rule.words.get_place(language),
                    f"{message}{rule.id} and no data have",
                    f"mend the number, or cite {rule.id} in a claim that asks about {number}",
                )
            for number, finding in _iter_miscounted_component_findings(rule, language, cards, own, data):
                if number not in unknown:
                    yield finding


def _iter_miscounted_component_findings(
    rule: Rule, language: str, cards: Cards, own: set[int], data: set[int] | None
) -> Iterator[tuple[int, Finding]]:
    """Yield each number before the name of components that is neither how many there are nor founded by this
    rule, with its finding. Unless the words speak of all of them, it may also be a number of the `data`, or
    any number if there are none."""
    for declared in cards.facts.components:
        name = declared.name.get(language, "")
        for number, whole in _iter_numbers_before_name(name, rule.words.texts.get(language, ""), language):
            some = not whole and (data is None or number in data)
            if not some and number not in _find_valid_counts(declared, cards) | own:
                message = f"{rule.id} says {number} {name} ({language}), the list of components has {declared.count}"
                yield (
                    number,
                    Finding(
                        "PP356",
                        rule.words.get_place(language),
                        message,
                        f"mend the number, or cite {rule.id} in a claim that asks about {number}",
                    ),
                )


def _find_valid_counts(declared: Declared, cards: Cards) -> set[int]:
    """Return how many components a line of the list has, how many each of its sets has, and how many each
    player gets of them. If there are more or fewer cards than the list says, lint tells that of the list; their
    number counts here too."""
    players = cards.facts.players
    sharers = {1, declared.sets} | (set(range(players.min, players.max + 1)) if players else set())
    totals = {declared.count, sum(component.count for component in list_declared_components(cards, declared))}
    return {total // n for total in totals for n in sharers if total % n == 0}


def _iter_numbers_before_name(name: str, text: str, language: str) -> Iterator[tuple[int, bool]]:
    """Yield each number that stands right before a name in a text, and whether a word before it speaks of
    all there are."""
    if not name or name.lower() not in text.lower():  # few texts name a component
        return
    for match in re.finditer(rf"(?:(\S+)\s+)?(\S+)\s+{re.escape(name)}(?!\w)", text, re.IGNORECASE):
        whole = (match[1] or "").casefold() in _WHOLE.get(language.partition("-")[0], ())
        for number in count_numbers(match[2], language):
            yield number, whole


def _collect_founded_numbers(game: Game, cards: Cards) -> Mapping[str, set[int]]:
    """Return by rule the numbers of the claims that cite it, and the bounds and first values of its
    fields."""
    numbers: dict[str, set[int]] = {}
    for claim in cards.claims.values():
        its_own = collect_question_numbers(claim, cards) if claim.rules else ()
        for rule in claim.rules:
            numbers.setdefault(rule, set()).update(its_own)
    for held in game.fields:
        for rule in held.rules:
            numbers.setdefault(rule, set()).update((held.lo, held.hi, *held.start))
    return numbers


def _collect_data_numbers(cards: Cards) -> set[int]:
    """Return the numbers of the data, and how many components each kind has."""
    counts = Counter[str]()
    for component in cards.components.values():
        counts[component.kind] += component.count
    return {1, *counts.values(), *collect_data_numbers(cards)}

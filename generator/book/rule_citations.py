"""Check that components say the numbers of the rules they cite. Lint does this for texts that are
not made from effects.

A reference sheet repeats rules. `chapter_findings` checks the rules of `rulebook.yaml` against the
chapters; this module checks the components that repeat those rules against the rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from playproof.database.components import Component, Words, iter_effects
from playproof.database.effect_text import find_icons
from playproof.database.errors import Finding, Where, did_you_mean, merge_same_findings
from playproof.database.game import Game
from playproof.database.number_words import count_numbers
from playproof.generator.book.number_exemptions import blank_uncounted_numbers, build_numbered_name_pattern

_IN_NAME = re.compile(r"\d{1,18}")


def find_citation_number_errors(game: Game) -> list[Finding]:
    """Return the PP529 findings: numbers in a component's texts that neither its cited rules nor
    its fields have, and numbers of cited rules that the citing part does not say. A game without
    rules has no findings."""
    findings: list[Finding] = []
    for language in game.languages if game.rules else ():
        names = build_numbered_name_pattern(game, language)
        for component in game.components.values():
            if not _has_effects_in_fields(component):  # effects tell their own numbers
                findings += _check_component_citations(game, component, language, names)
    return merge_same_findings(findings)


def _has_effects_in_fields(component: Component) -> bool:
    return any(True for value in component.fields.values() for _ in iter_effects(value))


def _check_component_citations(
    game: Game, component: Component, language: str, names: re.Pattern[str]
) -> Iterator[Finding]:
    own = {1, *_iter_whole_numbers(component.fields)}  # of a single thing a rule says "a" or "one"
    text = component.fields.get("text")
    if isinstance(text, Words):
        ruled = _collect_numbers_of_rules(game, component.rules, language, names)
        yield from _find_uncited_numbers(component, component.rules, (text,), own | ruled, language, names)
    for part in _iter_records(component):
        rules = _get_cited_rules(part)
        words = tuple(wording for field in part.values() for wording in _iter_words(field))
        ruled = _collect_numbers_of_rules(game, rules or component.rules, language, names)
        yield from _find_uncited_numbers(
            component, rules or component.rules, words, own | ruled, language, names
        )
        if words and rules:
            yield from _find_unknown_cited_rules(game, component, rules, words[0].where)
            text_of_part = " ".join(wording.texts.get(language, "") for wording in words)
            told_numbers = set(count_numbers(text_of_part, language))
            for number in sorted(ruled - told_numbers):
                message = f"cites {', '.join(rules)} and does not say {number} ({language})"
                hint = "cite the rules whose numbers are said there"
                yield Finding("PP529", words[0].where, message, hint, about=(component.id,))


def _get_cited_rules(part: Mapping[str, object]) -> tuple[str, ...]:
    """Return the rules that a record cites; a field `rules` of another type is something else."""
    rules = part.get("rules")
    if not isinstance(rules, tuple) or not all(isinstance(rule, str) for rule in rules):
        return ()
    return rules


def _find_uncited_numbers(
    component: Component,
    rules: Sequence[str],
    texts: Sequence[Words],
    allowed: set[int],
    language: str,
    names: re.Pattern[str],
) -> Iterator[Finding]:
    for words in texts:
        text = words.texts.get(language, "")
        # An icon shows the number in its name: `:draw-2:`.
        icon_numbers = {int(number) for icon in find_icons(text) for number in _IN_NAME.findall(icon)}
        for number in sorted(
            set(count_numbers(blank_uncounted_numbers(text, names), language)) - allowed - icon_numbers
        ):
            source = ", ".join(rules) or "no rule"
            listed = ", ".join(map(str, sorted(allowed)))
            message = f"says {number} ({language}), what it cites ({source}) and has: {listed}"
            hint = "`rules: [...]` names the rules of which the text speaks"
            yield Finding("PP529", words.where, message, hint, about=(component.id,))


def _find_unknown_cited_rules(
    game: Game, component: Component, rules: Sequence[str], where: Where
) -> Iterator[Finding]:
    for rule in rules:
        if rule not in game.rules:
            message = f"cites {rule}, which the rulebook does not have"
            yield Finding("PP529", where, message, did_you_mean(rule, game.rules), about=(component.id,))


def _collect_numbers_of_rules(
    game: Game, rules: Sequence[str], language: str, names: re.Pattern[str]
) -> set[int]:
    texts = [game.rules[rule].words.texts.get(language, "") for rule in rules if rule in game.rules]
    return {
        number for text in texts for number in count_numbers(blank_uncounted_numbers(text, names), language)
    }


def _iter_records(component: Component) -> Iterator[Mapping[str, object]]:
    """Yield the records of a component, such as the sections of a reference sheet."""
    for value in component.fields.values():
        yield from (part for part in value if isinstance(part, Mapping)) if isinstance(value, tuple) else ()


def _iter_words(field: object) -> Iterator[Words]:
    for words in field if isinstance(field, tuple) else (field,):
        if isinstance(words, Words):
            yield words


def _iter_whole_numbers(value: object) -> Iterator[int]:
    """Yield every whole number in a value, such as a component's fields."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping | tuple):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from _iter_whole_numbers(each)

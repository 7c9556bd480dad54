"""Lint of numbers: what a claim says in words is held against what it asks, and what cards ask for
against what the box holds.

A goal that asks for six stones of which the box holds five cannot be reached; no search is needed to know it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from playproof.database.claims_yaml import Claim
from playproof.database.components import Component, iter_effects_nested_in_value
from playproof.database.errors import Finding, Where
from playproof.database.game import Game
from playproof.database.number_words import count_numbers_except_word_one
from playproof.database.source import YamlData
from playproof.database.vocabulary import Term, Vocabulary
from playproof.database.yaml_models import FieldSpec

# -- lint claims ---------------------------------------------------------------------------------------------
# Lint of claims: what a claim says in words is held against what it asks.

_NOT_ASKED = frozenset({"ask", "says", "rules", "budget"})
"""The keys of a claim whose numbers are no part of the question."""
_ROUGHLY = Fraction(1, 4)
_MOST_TIMES = 1000
_STRICT = re.compile(r"([<>])\s*(\d{1,18})(?!\d)")


def iter_unfounded_claim_number_findings(game: Game) -> Iterator[Finding]:
    """PP250: a number that a claim says stands in its question, in the rules that it cites, or, if it
    cites none, in the data. A strict comparison also has the next number: `coins > 4` begins at 5."""
    data = frozenset[int]()
    for claim in game.claims.values():
        numbers = {
            language: set(count_numbers_except_word_one(text, language))
            for language, text in get_claim_sentence_by_language(claim, game).items()
        }
        if not any(numbers.values()) or (claim.ask == "luck" and not _is_chance_missing_or_valid(claim.expect)):
            continue
        if not claim.rules and not data:
            data = collect_numbers_of_components_and_facts(game)
        founded = _collect_numbers_cited_by_claim(claim, game) if claim.rules else data
        unfounded = set().union(*numbers.values()) - founded
        if unfounded:  # a recorded game is long: read it where it is needed
            founded = (
                founded
                | collect_numbers_in_question_and_rulings(claim, game)
                | (_list_numbers_describing_chance(claim.expect) if claim.ask == "luck" else set())
            )
        for language, in_text in numbers.items():
            for number in sorted(in_text - founded):
                cites = f"the rules it cites ({', '.join(claim.rules)})" if claim.rules else "the data"
                message = f"claim `{claim.id}` says {number} ({language}), which neither its question nor {cites} have"
                yield Finding(
                    "PP250",
                    _get_sentence_place(claim, language),
                    message,
                    "mend the number, or cite the rule that says it: `rules: [...]`",
                )


def get_claim_sentence_by_language(claim: Claim, game: Game) -> dict[str, str]:
    """Return the sentence of a claim by language; a bare text is in the game's first language."""
    sentence = claim.data["says"]
    if isinstance(sentence, dict):
        return {language: str(text) for language, text in sentence.items()}
    return {game.languages[0]: str(sentence)}


def collect_numbers_of_components_and_facts(game: Game) -> frozenset[int]:
    """Return the whole numbers of all components, of their effects and of `game.yaml`."""
    numbers = set(iter_nested_whole_numbers(game.node.data))
    for component in game.components.values():
        numbers |= {component.count, *iter_nested_whole_numbers(component.fields)}
        numbers.update(
            n
            for value in component.fields.values()
            for each in iter_effects_nested_in_value(value)
            for n in iter_nested_whole_numbers(each.args)
        )
    return frozenset(numbers)


def collect_numbers_in_question_and_rulings(claim: Claim, game: Game) -> set[int]:
    """Return the numbers of a claim's question, and of the rulings that it names; not those of
    `get_claim_sentence_by_language`."""
    words = " ".join(
        _iter_keys_and_values_as_text({key: value for key, value in claim.data.items() if key not in _NOT_ASKED})
    )
    numbers = {int(number) for number in re.findall(r"(?<!\w)\d{1,18}(?!\d)", words)}
    numbers |= {int(number) + (1 if sign == ">" else -1) for sign, number in _STRICT.findall(words)}
    for language in game.languages:
        numbers |= set(count_numbers_except_word_one(words, language))
    return numbers | _collect_numbers_in_existing_rulings(game, re.findall(r"\w+", words))


def _is_chance_missing_or_valid(expect: YamlData) -> bool:
    """Return whether what a claim expects of luck can be read, or is left out; other claims are refused elsewhere."""
    try:
        return expect is None or 0 <= Fraction(str(expect)) <= 1
    except (ValueError, ZeroDivisionError):
        return False


def _list_numbers_describing_chance(chance: YamlData) -> set[int]:
    """Return the numbers that tell a chance roughly: "less than once in five times" of 31/180, and
    "17 percent"."""
    try:
        odds = Fraction(str(chance))
    except (ValueError, ZeroDivisionError):
        return set()  # the claim is refused elsewhere
    about = {times for times in range(2, _MOST_TIMES) if abs(odds * times - 1) <= _ROUGHLY}
    return about | {floor(odds * 100), ceil(odds * 100)}


def _collect_numbers_cited_by_claim(claim: Claim, game: Game) -> frozenset[int]:
    rules = [game.rules[name] for name in claim.rules if name in game.rules]
    texts = [item for rule in rules for item in rule.words.texts.items()]
    numbers = {number for language, text in texts for number in count_numbers_except_word_one(text, language)}
    return frozenset(
        numbers | _collect_numbers_in_existing_rulings(game, [rule.ruling for rule in rules if rule.ruling])
    )


def _collect_numbers_in_existing_rulings(game: Game, ruling_ids: list[str]) -> set[int]:
    rulings = [game.rulings[name] for name in ruling_ids if name in game.rulings]
    wordings = [words for ruling in rulings for words in (ruling.words, *ruling.option_words.values())]
    return {
        number
        for words in wordings
        for language, text in words.texts.items()
        for number in count_numbers_except_word_one(text, language)
    }


def _iter_keys_and_values_as_text(value: YamlData) -> Iterator[str]:
    """Yield every key and every value of a claim's data as text."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield str(key)
            yield from _iter_keys_and_values_as_text(each)
    elif isinstance(value, list):
        for each in value:
            yield from _iter_keys_and_values_as_text(each)
    elif value is not None:
        yield str(value)


def iter_nested_whole_numbers(value: object) -> Iterator[int]:
    """Yield every whole number in a value, in its mappings and lists."""
    if isinstance(value, int) and not isinstance(value, bool):
        yield value
    elif isinstance(value, Mapping | tuple | list):
        for each in value.values() if isinstance(value, Mapping) else value:
            yield from iter_nested_whole_numbers(each)


def _get_sentence_place(claim: Claim, language: str) -> Where:
    sentence = claim.node.get_node_or_nearest_ancestor(["says"])
    entry = sentence.entries.get(language)
    return entry.node.where if entry else sentence.where


# -- lint quantities -----------------------------------------------------------------------------------------
# What cards ask for beside what the box holds, and what cards give: counted before anybody plays.


@dataclass(frozen=True)
class Quantity:
    """A number of a component: how many of a `term` a `field` says, or a number of its own if that is None. `asks` says
    whether a player needs so many."""

    field: str
    term: Term | None
    number: int
    asks: bool


def iter_quantities_of_component(vocabulary: Vocabulary, component: Component) -> Iterator[Quantity]:
    """Yield the numbers of a component: how often its lists name a term, its amounts, its whole numbers, and the
    amounts of its effects, each field's together."""
    for name, spec in vocabulary.kinds[component.kind].fields.items():
        yield from _iter_field_quantities(vocabulary, name, spec, component.get(name))


def _iter_field_quantities(
    vocabulary: Vocabulary, field_name: str, spec: FieldSpec, value: object
) -> Iterator[Quantity]:
    match spec.type:
        case "integer" if isinstance(value, int):
            yield Quantity(
                field_name, _find_term_in_any_group(vocabulary, spec.counts), value, asks=spec.counts is not None
            )
        case "amounts" if isinstance(value, Mapping):
            group = vocabulary.group(spec.group or "")
            yield from (Quantity(field_name, group[term], int(n), not spec.gives) for term, n in value.items())
        case "list" if isinstance(value, tuple) and spec.of is not None and spec.of.type == "term":
            group = vocabulary.group(spec.of.group or "")
            yield from (Quantity(field_name, group[term], n, asks=True) for term, n in Counter(value).items())
        case "record" if isinstance(value, Mapping):
            for key, inner in (spec.fields or {}).items():
                yield from _iter_field_quantities(vocabulary, f"{field_name}.{key}", inner, value.get(key))
        case "effects" | "options":
            yield from _iter_effect_quantities(vocabulary, field_name, value)


def _iter_effect_quantities(vocabulary: Vocabulary, field_name: str, value: object) -> Iterator[Quantity]:
    """Yield what the effects of a field move together, by effect and term, and their other whole numbers."""
    totals = Counter[tuple[str, str, str]]()
    for effect in iter_effects_nested_in_value(value):
        for argument, spec in vocabulary.effects[effect.op].args.items():
            given = effect.args.get(argument)
            if spec.type == "amounts" and isinstance(given, Mapping):
                totals.update({(effect.op, spec.group or "", term): int(n) for term, n in given.items()})
            elif spec.type == "integer" and isinstance(given, int):
                totals[effect.op, "", argument] += given
    for (op, group, term), number in totals.items():
        yield Quantity(f"{field_name}.{op}", vocabulary.group(group).get(term), number, asks=False)


def _find_term_in_any_group(vocabulary: Vocabulary, term_name: str | None) -> Term | None:
    return (
        next((group[term_name] for group in vocabulary.terms.values() if term_name in group), None)
        if term_name
        else None
    )


def iter_unmet_demand_findings(game: Game) -> Iterator[Finding]:
    """PP835: no component asks for more of a term than the box holds, and something gives what is asked for; and a
    warning if what all its fields ask for together is more than that, or than what is given if each gives once."""
    given = _count_terms_given_or_none(game)
    for component in game.components.values():
        asks = defaultdict[str, list[Quantity]](list)
        for quantity in iter_quantities_of_component(game.vocabulary, component):
            if quantity.term is not None and quantity.asks and quantity.number > 0:
                asks[quantity.term.id].append(quantity)
        for of_term in asks.values():
            yield from _iter_unmet_demand_findings_of_term(game, component, of_term, given)


def _iter_unmet_demand_findings_of_term(
    game: Game, component: Component, quantities: Sequence[Quantity], given_amounts: Counter[str] | None
) -> Iterator[Finding]:
    """Yield what is wrong with what the fields of a component ask of one term."""
    term = quantities[0].term
    held = _count_term_in_box(game, term) if term is not None else None
    if term is None or held is None:
        return
    wrong = [ask for ask in quantities if ask.number > held]
    for ask in wrong:
        message = f"{_describe_asked_amounts(component, [ask])}, and the box holds {held}"
        hint = f"`{' + '.join(map(str, term.spec.supply or ()))}` says how many there are"
        yield Finding("PP835", component.where, message, hint)
    total = sum(ask.number for ask in quantities)
    if not wrong and total > held:
        message = f"{_describe_asked_amounts(component, quantities)} together, and the box holds {held}"
        yield Finding("PP835", component.where, message, "a mistake if all are needed at once", "warning")
    elif not wrong and given_amounts is not None and given_amounts[term.id] == 0:
        message = f"{_describe_asked_amounts(component, quantities)}, and no component gives any"
        hint = "what says `gives: true` in vocabulary.yaml gives its amounts"
        yield Finding("PP835", component.where, message, hint)
    elif not wrong and given_amounts is not None and given_amounts[term.id] < total:
        message = (
            f"{_describe_asked_amounts(component, quantities)}, and all components give "
            f"{given_amounts[term.id]} if each gives once"
        )
        yield Finding("PP835", component.where, message, "a mistake if none gives twice", "warning")


def _describe_asked_amounts(component: Component, quantities: Sequence[Quantity]) -> str:
    """Return which fields ask, and for how much of their term together."""
    term, total = quantities[0].term, sum(ask.number for ask in quantities)
    fields = " and ".join(f"`{ask.field}`" for ask in quantities)
    verb = "asks" if len(quantities) == 1 else "ask"
    return f"{fields} of {component.id} {verb} for {total} {term.name('en', total) if term else ''}"


def _count_term_in_box(game: Game, term: Term) -> int | None:
    """Return how many of a term the box holds; None if no `supply` says it."""
    numbers = [game.number(part) for part in term.spec.supply or ()]
    return sum(n for n in numbers if n is not None) if numbers and None not in numbers else None


def _count_terms_given_or_none(game: Game) -> Counter[str] | None:
    """Return how much of each term all copies of the cards give, each once; None if the vocabulary says of nothing
    that it gives."""
    vocabulary = game.vocabulary
    declared = [kind.fields for kind in vocabulary.kinds.values()]
    declared += [effect.args for effect in vocabulary.effects.values()]
    if not any(spec.gives for fields in declared for spec in fields.values()):
        return None
    given = Counter[str]()
    for component in game.components.values():
        of_card = _count_terms_given_by_fields(vocabulary.kinds[component.kind].fields, component.fields)
        for value in component.fields.values():
            for effect in iter_effects_nested_in_value(value):
                of_card.update(_count_terms_given_by_fields(vocabulary.effects[effect.op].args, effect.args))
        given.update({term: amount * component.count for term, amount in of_card.items()})
    return given


def _count_terms_given_by_fields(declared: Mapping[str, FieldSpec], values: Mapping[str, object]) -> Counter[str]:
    """Return what some fields or arguments give."""
    given = Counter[str]()
    for name, spec in declared.items():
        value = values.get(name)
        if spec.gives and isinstance(value, Mapping):
            given.update({term: int(n) for term, n in value.items()})
        elif spec.gives and isinstance(value, str):
            given[value] += 1
    return given

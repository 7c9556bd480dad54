"""What cards ask for beside what the box holds, and what cards give: counted before anybody plays.

A goal that asks for six stones of which the box holds five cannot be reached; no search is needed to know it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from playproof.database.components import Component, iter_effects
from playproof.database.errors import Finding
from playproof.database.field_types import FieldSpec
from playproof.database.game import Game
from playproof.database.vocabulary import Term, Vocabulary


@dataclass(frozen=True)
class Quantity:
    """A number of a component: how many of a `term` a `field` says, or a number of its own if that is None. `asks` says
    whether a player needs so many."""

    field: str
    term: Term | None
    number: int
    asks: bool


def iter_quantities(vocabulary: Vocabulary, component: Component) -> Iterator[Quantity]:
    """Yield the numbers of a component: how often its lists name a term, its amounts, its whole numbers, and the
    amounts of its effects, each field's together."""
    for name, spec in vocabulary.kinds[component.kind].fields.items():
        yield from _iter_field_quantities(vocabulary, name, spec, component.get(name))


def _iter_field_quantities(
    vocabulary: Vocabulary, name: str, spec: FieldSpec, value: object
) -> Iterator[Quantity]:
    match spec.type:
        case "integer" if isinstance(value, int):
            yield Quantity(name, _find_term(vocabulary, spec.counts), value, asks=spec.counts is not None)
        case "amounts" if isinstance(value, Mapping):
            group = vocabulary.group(spec.group or "")
            yield from (Quantity(name, group[term], int(n), not spec.gives) for term, n in value.items())
        case "list" if isinstance(value, tuple) and spec.of is not None and spec.of.type == "term":
            group = vocabulary.group(spec.of.group or "")
            yield from (Quantity(name, group[term], n, asks=True) for term, n in Counter(value).items())
        case "record" if isinstance(value, Mapping):
            for key, inner in (spec.fields or {}).items():
                yield from _iter_field_quantities(vocabulary, f"{name}.{key}", inner, value.get(key))
        case "effects" | "options":
            yield from _iter_effect_quantities(vocabulary, name, value)


def _iter_effect_quantities(vocabulary: Vocabulary, name: str, value: object) -> Iterator[Quantity]:
    """Yield what the effects of a field move together, by effect and term, and their other whole numbers."""
    totals = Counter[tuple[str, str, str]]()
    for effect in iter_effects(value):
        for argument, spec in vocabulary.effects[effect.op].args.items():
            given = effect.args.get(argument)
            if spec.type == "amounts" and isinstance(given, Mapping):
                totals.update({(effect.op, spec.group or "", term): int(n) for term, n in given.items()})
            elif spec.type == "integer" and isinstance(given, int):
                totals[effect.op, "", argument] += given
    for (op, group, term), number in totals.items():
        yield Quantity(f"{name}.{op}", vocabulary.group(group).get(term), number, asks=False)


def _find_term(vocabulary: Vocabulary, name: str | None) -> Term | None:
    return next((group[name] for group in vocabulary.terms.values() if name in group), None) if name else None


def iter_unmet_demand_findings(game: Game) -> Iterator[Finding]:
    """PP835: no component asks for more of a term than the box holds, and something gives what is asked for; and a
    warning if what all its fields ask for together is more than that, or than what is given if each gives once."""
    given = _count_given(game)
    for component in game.components.values():
        asks = defaultdict[str, list[Quantity]](list)
        for quantity in iter_quantities(game.vocabulary, component):
            if quantity.term is not None and quantity.asks and quantity.number > 0:
                asks[quantity.term.id].append(quantity)
        for of_term in asks.values():
            yield from _iter_excessive_amount_findings(game, component, of_term, given)


def _iter_excessive_amount_findings(
    game: Game, component: Component, quantities: Sequence[Quantity], given_amounts: Counter[str] | None
) -> Iterator[Finding]:
    """Yield what is wrong with what the fields of a component ask of one term."""
    term = quantities[0].term
    held = _count_held(game, term) if term is not None else None
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


def _count_held(game: Game, term: Term) -> int | None:
    """Return how many of a term the box holds; None if no `supply` says it."""
    numbers = [game.number(part) for part in term.spec.supply or ()]
    return sum(n for n in numbers if n is not None) if numbers and None not in numbers else None


def _count_given(game: Game) -> Counter[str] | None:
    """Return how much of each term all copies of the cards give, each once; None if the vocabulary says of nothing
    that it gives."""
    vocabulary = game.vocabulary
    declared = [kind.fields for kind in vocabulary.kinds.values()]
    declared += [effect.args for effect in vocabulary.effects.values()]
    if not any(spec.gives for fields in declared for spec in fields.values()):
        return None
    given = Counter[str]()
    for component in game.components.values():
        of_card = _count_given_by_fields(vocabulary.kinds[component.kind].fields, component.fields)
        for value in component.fields.values():
            for effect in iter_effects(value):
                of_card.update(_count_given_by_fields(vocabulary.effects[effect.op].args, effect.args))
        given.update({term: amount * component.count for term, amount in of_card.items()})
    return given


def _count_given_by_fields(declared: Mapping[str, FieldSpec], values: Mapping[str, object]) -> Counter[str]:
    """Return what some fields or arguments give."""
    given = Counter[str]()
    for name, spec in declared.items():
        value = values.get(name)
        if spec.gives and isinstance(value, Mapping):
            given.update({term: int(n) for term, n in value.items()})
        elif spec.gives and isinstance(value, str):
            given[value] += 1
    return given

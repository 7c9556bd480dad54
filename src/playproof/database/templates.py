"""Checks that the vocabulary's templates name only what their form fills in. A name that nothing
fills in would be printed as it is typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from playproof.database.errors import Collector, did_you_mean
from playproof.database.field_types import FieldSpec
from playproof.database.source import Node
from playproof.database.vocabulary import EffectSpec, VocabularySpec

HOLE = re.compile(r"\{([^{}.]+)(?:\.([^{}]+))?\}")
"""A place in a template: `{name}`, `{name.field}`, or `{name.field.group}`, the name of the term that a field says."""
_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_PRINTED = ("text", "words", "integer", "choice", "term", "icon", "image", "reference", "any")
"""The types of fields whose values a template can print."""

Offer: TypeAlias = Mapping[str, Sequence[str]]  # what may stand in a template: names, and the fields of each
Words: TypeAlias = Mapping[str, str]


def check_templates(spec: VocabularySpec, node: Node, collector: Collector) -> None:
    """Note a PP220 finding for each template, in each language, that names something else than its
    form offers."""
    for path, words, offer in _templates(spec):
        for language, text in words.items():
            for braces in _BRACES.findall(text):
                if not _offered(braces, offer):
                    collector.add(
                        "PP220",
                        node.at([*path, language]).where,
                        f"`{'.'.join(path)}`: expected {_forms(offer)}, found {braces}",
                        did_you_mean(braces.strip("{} "), _names(offer)),
                    )


def _templates(spec: VocabularySpec) -> Iterator[tuple[list[str], Words, Offer]]:
    """Yield every text of the vocabulary that is printed, with its path and what its form offers."""
    for name, effect in spec.effects.items():
        offer = _of_effect(spec, effect)
        if offer is not None:
            yield ["effects", name, "text"], effect.text, offer
            yield ["effects", name, "words"], effect.words or {}, offer
    needs: Offer = {"needs": _fields(spec, spec.options.needs), "effects": ()}
    joins: Mapping[str, Offer] = {"cost": {"cost": (), "effects": ()}, "needs": needs}
    for style, wording in (("wording", spec.wording), ("words", spec.words)):
        for form in type(wording).model_fields:
            yield [style, form], getattr(wording, form), joins.get(form, {})
    for group, members in spec.terms.items():
        for name, term in members.items():
            yield ["terms", group, name, "name"], term.name, {}
            yield ["terms", group, name, "plural"], term.plural or {}, {}
    for name, kind in spec.kinds.items():
        yield ["kinds", name, "name"], kind.name, {}
        yield ["kinds", name, "plural"], kind.plural or {}, {}
    for name, words in spec.icons.items():
        yield ["icons", name], words, {}


def _of_effect(spec: VocabularySpec, effect: EffectSpec) -> Offer | None:
    """Return the names of an effect's templates: its arguments, or what `each` repeats. Return None if
    `each` repeats nothing, which is a finding of its own."""
    if effect.each is None:
        return {name: _fields(spec, arg.kinds or ()) for name, arg in effect.args.items()}
    repeated = effect.args.get(effect.each)
    if repeated is not None and repeated.type == "list":
        return {"one": _fields(spec, (repeated.of.kinds if repeated.of else None) or ())}
    return {"n": (), "term": ()} if repeated is not None and repeated.type == "amounts" else None


def _fields(spec: VocabularySpec, kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the fields that a template can read of a component of these kinds."""
    declared: dict[str, FieldSpec] = {}
    for kind in kinds:
        declared |= spec.kinds[kind].fields if kind in spec.kinds else {}
    own = [name for name, field in declared.items() if field.type in _PRINTED]
    named = [f"{name}.{group}" for name, field in declared.items() for group in _groups(spec, field)]
    return tuple(dict.fromkeys(["title", *own, *named, "kind", "count"])) if declared else ()


def _groups(spec: VocabularySpec, field: FieldSpec) -> list[str]:
    """Return the groups of terms that name every value of a field: its own, or any that has all its choices."""
    if field.type == "term":
        return [field.group or ""]
    return [
        group for group, terms in spec.terms.items() if field.choices and terms.keys() >= set(field.choices)
    ]


def _offered(braces: str, offer: Offer) -> bool:
    match = HOLE.fullmatch(braces)
    return match is not None and match[1] in offer and (match[2] is None or match[2] in offer[match[1]])


def _forms(offer: Offer) -> str:
    """Return what may stand in a template, as a message says it."""
    forms = [f"{{{name}}} or {{{name}.field}}" if fields else f"{{{name}}}" for name, fields in offer.items()]
    return " or ".join(forms) or "no {name} here"


def _names(offer: Offer) -> list[str]:
    return [
        each for name, fields in offer.items() for each in (name, *(f"{name}.{field}" for field in fields))
    ]

"""Checks that the vocabulary's templates name only what their form fills in. A name that nothing
fills in would be printed as it is typed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from playproof.database.errors import FindingCollector, did_you_mean
from playproof.database.field_types import FieldSpec
from playproof.database.source import YamlNode
from playproof.database.vocabulary import EffectSpec, VocabularySpec

HOLE = re.compile(r"\{([^{}.]+)(?:\.([^{}]+))?\}")
"""A place in a template: `{name}`, `{name.field}`, or `{name.field.group}`, the name of the term that a field says."""
_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_PRINTED = ("text", "words", "integer", "choice", "term", "icon", "image", "reference", "any")
"""The types of fields whose values a template can print."""

# what may stand in a template: names, and the fields of each
TemplateOffer: TypeAlias = Mapping[str, Sequence[str]]
TextByLanguage: TypeAlias = Mapping[str, str]


def check_templates(spec: VocabularySpec, node: YamlNode, collector: FindingCollector) -> None:
    """Note a PP220 finding for each template, in each language, that names something else than its
    form offers."""
    for path, words, offer in _iter_templates(spec):
        for language, text in words.items():
            for braces in _BRACES.findall(text):
                if not _is_offered(braces, offer):
                    collector.add_finding(
                        "PP220",
                        node.get_nearest([*path, language]).where,
                        f"`{'.'.join(path)}`: expected {_format_offer(offer)}, found {braces}",
                        did_you_mean(braces.strip("{} "), _list_offered_names(offer)),
                    )


def _iter_templates(spec: VocabularySpec) -> Iterator[tuple[list[str], TextByLanguage, TemplateOffer]]:
    """Yield every text of the vocabulary that is printed, with its path and what its form offers."""
    for name, effect in spec.effects.items():
        offer = _get_effect_offer(spec, effect)
        if offer is not None:
            yield ["effects", name, "text"], effect.text, offer
            yield ["effects", name, "words"], effect.words or {}, offer
    needs: TemplateOffer = {"needs": _list_readable_fields(spec, spec.options.needs), "effects": ()}
    joins: Mapping[str, TemplateOffer] = {"cost": {"cost": (), "effects": ()}, "needs": needs}
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


def _get_effect_offer(spec: VocabularySpec, effect: EffectSpec) -> TemplateOffer | None:
    """Return the names of an effect's templates: its arguments, or what `each` repeats. Return None if
    `each` repeats nothing, which is a finding of its own."""
    if effect.each is None:
        return {name: _list_readable_fields(spec, arg.kinds or ()) for name, arg in effect.args.items()}
    repeated = effect.args.get(effect.each)
    if repeated is not None and repeated.type == "list":
        return {"one": _list_readable_fields(spec, (repeated.of.kinds if repeated.of else None) or ())}
    return {"n": (), "term": ()} if repeated is not None and repeated.type == "amounts" else None


def _list_readable_fields(spec: VocabularySpec, kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the fields that a template can read of a component of these kinds."""
    declared: dict[str, FieldSpec] = {}
    for kind in kinds:
        declared |= spec.kinds[kind].fields if kind in spec.kinds else {}
    own = [name for name, field in declared.items() if field.type in _PRINTED]
    named = [
        f"{name}.{group}" for name, field in declared.items() for group in _list_naming_groups(spec, field)
    ]
    return tuple(dict.fromkeys(["title", *own, *named, "kind", "count"])) if declared else ()


def _list_naming_groups(spec: VocabularySpec, field: FieldSpec) -> list[str]:
    """Return the groups of terms that name every value of a field: its own, or any that has all its choices."""
    if field.type == "term":
        return [field.group or ""]
    return [
        group for group, terms in spec.terms.items() if field.choices and terms.keys() >= set(field.choices)
    ]


def _is_offered(braces: str, offer: TemplateOffer) -> bool:
    match = HOLE.fullmatch(braces)
    return match is not None and match[1] in offer and (match[2] is None or match[2] in offer[match[1]])


def _format_offer(offer: TemplateOffer) -> str:
    """Return what may stand in a template, as a message says it."""
    forms = [f"{{{name}}} or {{{name}.field}}" if fields else f"{{{name}}}" for name, fields in offer.items()]
    return " or ".join(forms) or "no {name} here"


def _list_offered_names(offer: TemplateOffer) -> list[str]:
    return [
        each for name, fields in offer.items() for each in (name, *(f"{name}.{field}" for field in fields))
    ]

"""Reads `vocabulary.yaml`, and checks that its parts name each other rightly."""

from __future__ import annotations

import re

from playproof.database.errors import FindingCollector, did_you_mean
from playproof.database.field_types import FieldSpec
from playproof.database.source import YamlNode
from playproof.database.templates import check_templates
from playproof.database.validation import validate_node
from playproof.database.vocabulary import Term, Vocabulary, VocabularySpec


def read_vocabulary(
    node: YamlNode, languages: tuple[str, ...], collector: FindingCollector
) -> Vocabulary | None:
    """Check a vocabulary's node; return None after noting errors."""
    spec = validate_node(VocabularySpec, node, collector)
    if spec is None:
        return None
    before = len(collector.errors)
    for path, declared in _list_all_fields(spec):
        _check_field_names(spec, node, path, declared, collector)
    _check_patterns_and_effects(spec, node, collector)
    _check_terms(spec, node, collector)
    check_templates(spec, node, collector)
    if len(collector.errors) > before:
        return None
    terms = {
        group: {name: Term(name, group, term) for name, term in members.items()}
        for group, members in spec.terms.items()
    }
    return Vocabulary(spec, terms, languages, node)


def _list_all_fields(spec: VocabularySpec) -> list[tuple[list[str], FieldSpec]]:
    """Return every declared field with its path in the file, including nested ones."""
    fields: list[tuple[list[str], FieldSpec]] = []

    def walk(path: list[str], declared: FieldSpec) -> None:
        fields.append((path, declared))
        if declared.of:
            walk([*path, "of"], declared.of)
        for name, inner in (declared.fields or {}).items():
            walk([*path, "fields", name], inner)

    for name, kind in spec.kinds.items():
        for key, declared in kind.fields.items():
            walk(["kinds", name, "fields", key], declared)
    for name, effect in spec.effects.items():
        for key, declared in effect.args.items():
            walk(["effects", name, "args", key], declared)
    return fields


def _check_field_names(
    spec: VocabularySpec, node: YamlNode, path: list[str], declared: FieldSpec, collector: FindingCollector
) -> None:
    """Check that a field names only existing groups and kinds, and compares only fields of those
    kinds."""
    if declared.group is not None and declared.group not in spec.terms:
        where = node.get_nearest([*path, "group"]).where
        collector.add_finding(
            "PP219",
            where,
            f'no group of terms is called "{declared.group}"',
            did_you_mean(declared.group, spec.terms),
        )
    for index, kind in enumerate(declared.kinds or []):
        if kind not in spec.kinds:
            where = node.get_nearest([*path, "kinds", index]).where
            collector.add_finding(
                "PP219", where, f'no kind is called "{kind}"', did_you_mean(kind, spec.kinds)
            )
    fields = {name for kind in declared.kinds or [] if kind in spec.kinds for name in spec.kinds[kind].fields}
    compared: list[tuple[list[str | int], str]] = [
        (["same", n], name) for n, name in enumerate(declared.same or [])
    ]
    compared += [(["where", name], name) for name in declared.where or {}]
    for at, name in compared:
        if name not in fields:
            collector.add_finding(
                "PP219",
                node.get_nearest([*path, *at]).where,
                f'no kind that may be named here has a field "{name}"',
                did_you_mean(name, fields),
            )


def _check_terms(spec: VocabularySpec, node: YamlNode, collector: FindingCollector) -> None:
    """Check that a term's `store` and `of` are terms too, of its own group or another."""
    every = {name for members in spec.terms.values() for name in members}
    for group, members in spec.terms.items():
        for name, term in members.items():
            for key, value in (("store", term.store), ("of", term.of)):
                if value is not None and value not in every:
                    where = node.get_nearest(["terms", group, name, key]).where
                    collector.add_finding(
                        "PP219", where, f'no term is called "{value}"', did_you_mean(value, every)
                    )


def _check_patterns_and_effects(spec: VocabularySpec, node: YamlNode, collector: FindingCollector) -> None:
    for name, kind in spec.kinds.items():
        try:
            re.compile(kind.id)
        except re.error as error:
            where = node.get_nearest(["kinds", name, "id"]).where
            collector.add_finding("PP219", where, f"`id` is not a regular expression: {error}")
    for name, effect in spec.effects.items():
        if effect.each is not None and effect.each not in effect.args:
            where = node.get_nearest(["effects", name, "each"]).where
            collector.add_finding(
                "PP219",
                where,
                f'`each` names no argument: "{effect.each}"',
                did_you_mean(effect.each, effect.args),
            )
        elif effect.each is not None and effect.args[effect.each].type not in ("amounts", "list"):
            where = node.get_nearest(["effects", name, "each"]).where
            collector.add_finding(
                "PP219",
                where,
                f"`each` repeats amounts or a list, "
                f"and `{effect.each}` is of type {effect.args[effect.each].type}",
            )
    pay = spec.options.pay
    if pay is not None and not (pay in spec.effects and spec.effects[pay].cost):
        costs = [op for op, effect in spec.effects.items() if effect.cost]
        where = node.get_nearest(["options", "pay"]).where
        collector.add_finding(
            "PP219", where, f'no effect marked as a cost is called "{pay}"', did_you_mean(pay, costs)
        )
    if spec.options.to not in spec.terms and any(
        declared.type == "options" for _, declared in _list_all_fields(spec)
    ):
        where = node.get_nearest(["options", "to"]).where
        collector.add_finding(
            "PP219",
            where,
            f'no group of terms is called "{spec.options.to}"',
            did_you_mean(spec.options.to, spec.terms),
        )

"""Reads the rules and rulings of `rulebook.yaml`, and checks that what the data refers to exists:
rules, components in the right deck, images inside the folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from playproof.database.component_models import (
    Converter,
    Reference,
    SourceSpec,
    provenance_from_node_or_empty,
    words_by_language_from_node,
)
from playproof.database.components import Component, NameUse, Provenance, Words
from playproof.database.errors import Finding, FindingCollector, Where, make_nearest_or_possible_words_hint
from playproof.database.source import YamlEntry, YamlNode
from playproof.database.vocabulary import Vocabulary, WordsSpec
from playproof.database.yaml_models import StrictModel, validate_node_or_record_findings

if TYPE_CHECKING:
    from playproof.database.claims_yaml import Claim


# Reads the rules and rulings of `rulebook.yaml`.


class RuleSpec(StrictModel):
    """One atomic rule."""

    text: WordsSpec
    section: str
    place: str = ""
    ruling: str = Field(default="", description="the ruling that settles what the rulebook leaves open")
    left_out: str = Field(default="", description="why this rule does not apply here")
    source: SourceSpec = Field(default={})


class RulingSpec(StrictModel):
    """One question that the rulebook leaves open."""

    question: WordsSpec
    default: str = ""
    options: dict[str, WordsSpec] = Field(default={})
    why: str = ""
    full: str = Field(default="", description="the option that reads a confirmed rule in full; the others narrow it")
    narrowed: WordsSpec = Field(default={}, description="why the default is not the full reading, as it is printed")
    source: SourceSpec = Field(default={})


class RulebookSpec(StrictModel):
    """The whole of `rulebook.yaml`."""

    title: WordsSpec = Field(default={})
    source: SourceSpec = Field(default={})
    sections: dict[str, WordsSpec] = Field(default={})
    rules: Annotated[dict[str, RuleSpec], Field(min_length=1)]
    rulings: dict[str, RulingSpec] = Field(default={})
    labels: dict[str, list[str]] = Field(
        default={}, description="words before which a number is a name, as in `level 4`, by language"
    )


@dataclass(frozen=True, slots=True)
class Rule:
    """One atomic rule. `text` is its English sentence, `words` has all languages, `left_out` says
    why it is unused."""

    id: str
    text: str
    words: Words
    section: str
    place: str
    ruling: str
    left_out: str
    source: Provenance
    where: Where = field(compare=False)


@dataclass(frozen=True, slots=True)
class Ruling:
    """One open question, the project's default answer, and the options to select with `--ruling
    ID=OPTION`.

    `question` and `options` are English; `words` and `option_words` have every language. `full`
    names the option that does not narrow a confirmed rule; `narrowed` says, in every language, why
    the default does.
    """

    id: str
    question: str
    default: str
    options: Mapping[str, str]
    why: str
    source: Provenance
    words: Words
    option_words: Mapping[str, Words]
    where: Where = field(compare=False)
    full: str = ""
    narrowed: Words | None = None

    def copy_with_answer(self, answer: RulingAnswer) -> Ruling:
        """Return the ruling with another option in force. Why the old default was narrower says nothing of the new."""
        if answer.option == self.default:
            return self
        narrowed = answer.why if self.full and answer.option != self.full else None
        return replace(self, default=answer.option, narrowed=narrowed)


@dataclass(frozen=True, slots=True)
class RulingAnswer:
    """The option of a ruling that errata put in force, and why, if they say so."""

    option: str
    why: Words | None = None


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules and rulings of a game, the titles of the sections, and the words after which a
    number is a name."""

    title: Words | None
    sections: Mapping[str, Words]
    rules: Mapping[str, Rule]
    rulings: Mapping[str, Ruling]
    labels: Mapping[str, Sequence[str]]

    def copy_with_ruling_answers(self, answers_by_ruling: Mapping[str, RulingAnswer]) -> Rulebook:
        """Return the rulebook with other answers in force for some rulings, by id."""
        others = {ident: self.rulings[ident].copy_with_answer(answer) for ident, answer in answers_by_ruling.items()}
        return replace(self, rulings={**self.rulings, **others}) if others else self


EMPTY = Rulebook(None, {}, {}, {}, {})


def read_rulebook_or_empty(node: YamlNode, collector: FindingCollector) -> Rulebook:
    """Check and convert a rulebook; return an empty one after noting errors."""
    spec = validate_node_or_record_findings(RulebookSpec, node, collector)
    if spec is None:
        return EMPTY
    source = node.get("source")
    rulebook = Rulebook(
        title=_read_words_or_none(node.get("title")),
        sections={
            key: words_by_language_from_node(entry.node) for key, entry in _list_entries_under_key(node, "sections")
        },
        rules={key: _build_rule(key, entry.node, source) for key, entry in _list_entries_under_key(node, "rules")},
        rulings={key: _build_ruling(key, entry.node) for key, entry in _list_entries_under_key(node, "rulings")},
        labels=spec.labels,
    )
    _record_wrong_rulings_and_sections(rulebook, collector)
    return rulebook


def _list_entries_under_key(node: YamlNode, key: str) -> list[tuple[str, YamlEntry]]:
    child = node.get(key)
    return list(child.entries.items()) if child else []


def _read_words_or_none(node: YamlNode | None) -> Words | None:
    return words_by_language_from_node(node) if node else None


def _read_english_text_or_empty(node: YamlNode, key: str) -> str:
    child = node.get(key)
    return str(words_by_language_from_node(child)) if child else ""


def _build_rule(rule_id: str, node: YamlNode, default_source: YamlNode | None) -> Rule:
    text = words_by_language_from_node(node.get_node_or_nearest_ancestor(["text"]))
    return Rule(
        id=rule_id,
        text=str(text),
        words=text,
        section=_read_english_text_or_empty(node, "section"),
        place=_read_english_text_or_empty(node, "place"),
        ruling=_read_english_text_or_empty(node, "ruling"),
        left_out=_read_english_text_or_empty(node, "left_out"),
        source=provenance_from_node_or_empty(node.get("source") or default_source),
        where=node.where,
    )


def _build_ruling(ruling_id: str, node: YamlNode) -> Ruling:
    question = words_by_language_from_node(node.get_node_or_nearest_ancestor(["question"]))
    options = {
        name: words_by_language_from_node(entry.node) for name, entry in _list_entries_under_key(node, "options")
    }
    return Ruling(
        id=ruling_id,
        question=str(question),
        default=_read_english_text_or_empty(node, "default"),
        options={name: str(text) for name, text in options.items()},
        why=_read_english_text_or_empty(node, "why"),
        source=provenance_from_node_or_empty(node.get("source")),
        words=question,
        option_words=options,
        where=node.where,
        full=_read_english_text_or_empty(node, "full"),
        narrowed=_read_words_or_none(node.get("narrowed")),
    )


def _record_wrong_rulings_and_sections(rulebook: Rulebook, collector: FindingCollector) -> None:
    """Check that each default is one of the options and that each rule names existing rulings and
    sections."""
    for ruling in rulebook.rulings.values():
        for what, option in (("default", ruling.default), ("full reading", ruling.full)):
            if option and option not in ruling.options:
                message = f'{ruling.id}: the {what} "{option}" is not one of the options'
                collector.add_finding(
                    "PP218", ruling.where, message, make_nearest_or_possible_words_hint(option, ruling.options)
                )
    for rule in rulebook.rules.values():
        if rule.ruling and rule.ruling not in rulebook.rulings:
            message = f'{rule.id} names the ruling "{rule.ruling}", which does not exist'
            collector.add_finding(
                "PP210", rule.where, message, make_nearest_or_possible_words_hint(rule.ruling, rulebook.rulings)
            )
        if rulebook.sections and rule.section not in rulebook.sections:
            message = f'{rule.id} stands in the section "{rule.section}", which does not exist'
            collector.add_finding(
                "PP210", rule.where, message, make_nearest_or_possible_words_hint(rule.section, rulebook.sections)
            )


# -- references ----------------------------------------------------------------------------------------------
# Checks the references in the data: components that exist, in the right deck; images inside the folder.

OfComponent = Callable[[str, Sequence[Finding]], None]
"""Hears what is wrong with a component, by its id."""


def record_broken_references_and_images(
    converter: Converter,
    vocabulary: Vocabulary,
    folder: Path,
    components_without_copies: Mapping[str, Component],
    collector: FindingCollector,
    report_findings_of_component: OfComponent,
) -> None:
    """Check all references that the converter recorded; `components_without_copies` are the components without a
    copy. `report_findings_of_component` hears what is wrong with each component."""
    for reference in converter.references:
        if reference.owner in components_without_copies:
            continue
        before = len(collector.findings)
        _record_broken_reference(reference, vocabulary, components_without_copies, collector)
        if collector.findings[before:]:
            report_findings_of_component(reference.owner, collector.findings[before:])
    for image in converter.images:
        before = len(collector.findings)
        _record_missing_or_outside_image(image, folder, collector)
        if collector.findings[before:]:
            report_findings_of_component(image.owner, collector.findings[before:])


def record_unknown_rules_cited_by_components(
    components: Mapping[str, Component],
    nodes: Mapping[str, YamlNode],
    vocabulary: Vocabulary,
    rulebook: Rulebook,
    collector: FindingCollector,
    report_findings_of_component: OfComponent,
) -> None:
    """Check that every rule cited by a component or an effect exists. What a file's defaults
    cite is told once; `nodes` are the components as written."""
    if not rulebook.rules:
        return  # it could not be read; that has been reported
    cited = [
        (c.id, nodes[c.id].get_node_or_nearest_ancestor(["rules", index]).where, rule)
        for c in components.values()
        for index, rule in enumerate(c.rules)
    ]
    for op, effect in vocabulary.effects.items():
        for index, rule in enumerate(effect.rules):
            cited.append(
                (op, vocabulary.node.get_node_or_nearest_ancestor(["effects", op, "rules", index]).where, rule)
            )
    for owner, finding in _record_and_list_unknown_rules(cited, rulebook, collector):
        if owner in components:
            report_findings_of_component(owner, [finding])


def record_unknown_rules_cited_by_claims(
    claims: Mapping[str, Claim], rulebook: Rulebook, collector: FindingCollector
) -> None:
    """Check that every rule cited by a claim exists, if there is a rulebook that could be read."""
    if rulebook.rules:
        cited = [
            (f"claim `{claim.id}`", claim.node.get_node_or_nearest_ancestor(["rules", index]).where, rule)
            for claim in claims.values()
            for index, rule in enumerate(claim.rules)
        ]
        _record_and_list_unknown_rules(cited, rulebook, collector)


def _record_and_list_unknown_rules(
    citations: Iterable[tuple[str, Where, str]], rulebook: Rulebook, collector: FindingCollector
) -> list[tuple[str, Finding]]:
    """Note each rule that does not exist. Return what was noted, each with who cites it."""
    noted = []
    reported = set[tuple[Where, str]]()
    for owner, where, rule in citations:
        if rule not in rulebook.rules and (where, rule) not in reported:
            reported.add((where, rule))
            message = f"{owner} cites the rule {rule}, which is not in the rulebook"
            collector.add_finding("PP210", where, message, make_nearest_or_possible_words_hint(rule, rulebook.rules))
            noted.append((owner, collector.findings[-1]))
    return noted


def _record_broken_reference(
    reference: Reference,
    vocabulary: Vocabulary,
    components_without_copies: Mapping[str, Component],
    collector: FindingCollector,
) -> None:
    targets, spec = vocabulary.targets, reference.spec
    kinds = spec.kinds or list(vocabulary.kinds)
    target = targets.get(reference.name)
    if reference.name in components_without_copies:
        message = (
            f"{reference.owner_with_option_letter} names {reference.name}, which is no longer in the "
            f"box: it has 0 copies"
        )
        hint = f"change {reference.owner_with_option_letter} too, or leave {reference.name} in the box"
        collector.add_finding("PP833", reference.where, message, hint)
        return
    if target is None:
        suitable = [key for key, fields in targets.items() if fields["kind"] in kinds]
        message = f'{reference.owner} names "{reference.name}", but no {" or ".join(kinds)} has that number'
        collector.add_finding(
            "PP210", reference.where, message, make_nearest_or_possible_words_hint(reference.name, suitable)
        )
        return
    if target["kind"] not in kinds:
        expected = " or ".join(kinds)
        message = f'{reference.owner} names "{reference.name}", which is a {target["kind"]}; expected a {expected}'
        collector.add_finding("PP212", reference.where, message)
        return
    for key, allowed in (spec.where or {}).items():
        value = target.get(key)
        if value not in allowed:
            message = (
                f'{reference.owner} calls "{reference.name}", which lies in no deck to call from: '
                f"its `{key}` is {value or 'missing'}; expected {' or '.join(allowed)}"
            )
            collector.add_finding("PP212", reference.where, message)


def _record_missing_or_outside_image(image: NameUse, folder: Path, collector: FindingCollector) -> None:
    """Check that an image lies inside the game's folder, after following links."""
    inside = folder.resolve()
    path = Path(image.name)
    try:
        target = (inside / path).resolve()
    except (OSError, RuntimeError):  # Python 3.13 and older ones call a circle by two names
        message = f'the image "{image.name}" of {image.owner} is a link that leads in a circle'
        collector.add_finding("PP213", image.where, message)
        return
    if path.is_absolute() or not target.is_relative_to(inside):
        message = f'the image "{image.name}" of {image.owner} lies outside the game\'s folder'
        collector.add_finding("PP213", image.where, message, "copy it into the folder and name it from there")
    elif not target.is_file():
        pictures = [p.relative_to(inside).as_posix() for p in sorted(target.parent.glob("*")) if p.is_file()]
        message = f'there is no image "{image.name}" in the game\'s folder'
        collector.add_finding("PP213", image.where, message, make_nearest_or_possible_words_hint(image.name, pictures))

"""Reads the rules and rulings of `rulebook.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import Field

from playproof.database.components import Provenance, Words
from playproof.database.convert import provenance_from_node, words_from_node
from playproof.database.errors import FindingCollector, Where, did_you_mean
from playproof.database.field_types import StrictModel
from playproof.database.models import SourceSpec
from playproof.database.source import YamlEntry, YamlNode
from playproof.database.validation import validate_node
from playproof.database.vocabulary import WordsSpec


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
    full: str = Field(
        default="", description="the option that reads a confirmed rule in full; the others narrow it"
    )
    narrowed: WordsSpec = Field(
        default={}, description="why the default is not the full reading, as it is printed"
    )
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


@dataclass(frozen=True, slots=True)
class Rulebook:
    """All rules and rulings of a game, the titles of the sections, and the words after which a
    number is a name."""

    title: Words | None
    sections: Mapping[str, Words]
    rules: Mapping[str, Rule]
    rulings: Mapping[str, Ruling]
    labels: Mapping[str, Sequence[str]]

    def replace_ruling_defaults(self, options_by_ruling: Mapping[str, str]) -> Rulebook:
        """Return the rulebook with other defaults for some rulings, by id."""
        others = {
            ident: replace(self.rulings[ident], default=option) for ident, option in options_by_ruling.items()
        }
        return replace(self, rulings={**self.rulings, **others}) if others else self


EMPTY = Rulebook(None, {}, {}, {}, {})


def read_rulebook(node: YamlNode, collector: FindingCollector) -> Rulebook:
    """Check and convert a rulebook; return an empty one after noting errors."""
    spec = validate_node(RulebookSpec, node, collector)
    if spec is None:
        return EMPTY
    source = node.get("source")
    rulebook = Rulebook(
        title=_convert_optional_words(node.get("title")),
        sections={key: words_from_node(entry.node) for key, entry in _list_entries(node, "sections")},
        rules={key: _build_rule(key, entry.node, source) for key, entry in _list_entries(node, "rules")},
        rulings={key: _build_ruling(key, entry.node) for key, entry in _list_entries(node, "rulings")},
        labels=spec.labels,
    )
    _check_rulings_and_sections(rulebook, collector)
    return rulebook


def _list_entries(node: YamlNode, key: str) -> list[tuple[str, YamlEntry]]:
    child = node.get(key)
    return list(child.entries.items()) if child else []


def _convert_optional_words(node: YamlNode | None) -> Words | None:
    return words_from_node(node) if node else None


def _read_text(node: YamlNode, key: str) -> str:
    child = node.get(key)
    return str(words_from_node(child)) if child else ""


def _build_rule(key: str, node: YamlNode, source: YamlNode | None) -> Rule:
    text = words_from_node(node.get_nearest(["text"]))
    return Rule(
        id=key,
        text=str(text),
        words=text,
        section=_read_text(node, "section"),
        place=_read_text(node, "place"),
        ruling=_read_text(node, "ruling"),
        left_out=_read_text(node, "left_out"),
        source=provenance_from_node(node.get("source") or source),
        where=node.where,
    )


def _build_ruling(key: str, node: YamlNode) -> Ruling:
    question = words_from_node(node.get_nearest(["question"]))
    options = {name: words_from_node(entry.node) for name, entry in _list_entries(node, "options")}
    return Ruling(
        id=key,
        question=str(question),
        default=_read_text(node, "default"),
        options={name: str(text) for name, text in options.items()},
        why=_read_text(node, "why"),
        source=provenance_from_node(node.get("source")),
        words=question,
        option_words=options,
        where=node.where,
        full=_read_text(node, "full"),
        narrowed=_convert_optional_words(node.get("narrowed")),
    )


def _check_rulings_and_sections(rulebook: Rulebook, collector: FindingCollector) -> None:
    """Check that each default is one of the options and that each rule names existing rulings and
    sections."""
    for ruling in rulebook.rulings.values():
        for what, option in (("default", ruling.default), ("full reading", ruling.full)):
            if option and option not in ruling.options:
                message = f'{ruling.id}: the {what} "{option}" is not one of the options'
                collector.add_finding("PP218", ruling.where, message, did_you_mean(option, ruling.options))
    for rule in rulebook.rules.values():
        if rule.ruling and rule.ruling not in rulebook.rulings:
            message = f'{rule.id} names the ruling "{rule.ruling}", which does not exist'
            collector.add_finding("PP210", rule.where, message, did_you_mean(rule.ruling, rulebook.rulings))
        if rulebook.sections and rule.section not in rulebook.sections:
            message = f'{rule.id} stands in the section "{rule.section}", which does not exist'
            collector.add_finding("PP210", rule.where, message, did_you_mean(rule.section, rulebook.sections))

"""Reads the rules and rulings of `rulebook.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated

from pydantic import Field

from playproof.database.components import Provenance, Words
from playproof.database.convert import provenance, words
from playproof.database.errors import Collector, Where, did_you_mean
from playproof.database.field_types import Strict
from playproof.database.models import SourceSpec
from playproof.database.source import Entry, Node
from playproof.database.validation import check
from playproof.database.vocabulary import WordsSpec


class RuleSpec(Strict):
    """One atomic rule."""

    text: WordsSpec
    section: str
    place: str = ""
    ruling: str = Field(default="", description="the ruling that settles what the rulebook leaves open")
    left_out: str = Field(default="", description="why this rule does not apply here")
    source: SourceSpec = Field(default={})


class RulingSpec(Strict):
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


class RulebookSpec(Strict):
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

    def with_defaults(self, chosen: Mapping[str, str]) -> Rulebook:
        """Return the rulebook with other defaults for some rulings, by id."""
        others = {ident: replace(self.rulings[ident], default=option) for ident, option in chosen.items()}
        return replace(self, rulings={**self.rulings, **others}) if others else self


EMPTY = Rulebook(None, {}, {}, {}, {})


def read_rulebook(node: Node, collector: Collector) -> Rulebook:
    """Check and convert a rulebook; return an empty one after noting errors."""
    spec = check(RulebookSpec, node, collector)
    if spec is None:
        return EMPTY
    source = node.get("source")
    rulebook = Rulebook(
        title=_optional_words(node.get("title")),
        sections={key: words(entry.node) for key, entry in _entries(node, "sections")},
        rules={key: _rule(key, entry.node, source) for key, entry in _entries(node, "rules")},
        rulings={key: _ruling(key, entry.node) for key, entry in _entries(node, "rulings")},
        labels=spec.labels,
    )
    _check_links(rulebook, collector)
    return rulebook


def _entries(node: Node, key: str) -> list[tuple[str, Entry]]:
    child = node.get(key)
    return list(child.entries.items()) if child else []


def _optional_words(node: Node | None) -> Words | None:
    return words(node) if node else None


def _text(node: Node, key: str) -> str:
    child = node.get(key)
    return str(words(child)) if child else ""


def _rule(key: str, node: Node, source: Node | None) -> Rule:
    text = words(node.at(["text"]))
    return Rule(
        id=key,
        text=str(text),
        words=text,
        section=_text(node, "section"),
        place=_text(node, "place"),
        ruling=_text(node, "ruling"),
        left_out=_text(node, "left_out"),
        source=provenance(node.get("source") or source),
        where=node.where,
    )


def _ruling(key: str, node: Node) -> Ruling:
    question = words(node.at(["question"]))
    options = {name: words(entry.node) for name, entry in _entries(node, "options")}
    return Ruling(
        id=key,
        question=str(question),
        default=_text(node, "default"),
        options={name: str(text) for name, text in options.items()},
        why=_text(node, "why"),
        source=provenance(node.get("source")),
        words=question,
        option_words=options,
        where=node.where,
        full=_text(node, "full"),
        narrowed=_optional_words(node.get("narrowed")),
    )


def _check_links(rulebook: Rulebook, collector: Collector) -> None:
    """Check that each default is one of the options and that each rule names existing rulings and
    sections."""
    for ruling in rulebook.rulings.values():
        for what, option in (("default", ruling.default), ("full reading", ruling.full)):
            if option and option not in ruling.options:
                message = f'{ruling.id}: the {what} "{option}" is not one of the options'
                collector.add("PP218", ruling.where, message, did_you_mean(option, ruling.options))
    for rule in rulebook.rules.values():
        if rule.ruling and rule.ruling not in rulebook.rulings:
            message = f'{rule.id} names the ruling "{rule.ruling}", which does not exist'
            collector.add("PP210", rule.where, message, did_you_mean(rule.ruling, rulebook.rulings))
        if rulebook.sections and rule.section not in rulebook.sections:
            message = f'{rule.id} stands in the section "{rule.section}", which does not exist'
            collector.add("PP210", rule.where, message, did_you_mean(rule.section, rulebook.sections))

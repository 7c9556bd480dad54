"""A game's own words, declared in its `vocabulary.yaml`: terms, effects, and kinds of component."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import BeforeValidator, Field

from playproof.database.errors import Collector, did_you_mean
from playproof.database.field_types import FieldDecl, FieldSpec, Strict
from playproof.database.source import Node
from playproof.database.templates import check_templates
from playproof.database.validation import check


def _english(value: object) -> object:
    """Convert a bare text to an English one."""
    return {"en": value} if isinstance(value, str) else value


WordsSpec = Annotated[dict[str, str], BeforeValidator(_english, json_schema_input_type=str | dict[str, str])]


class TermSpec(Strict):
    """One word of the game: a resource, a zone, a colour, a moment."""

    name: WordsSpec
    plural: WordsSpec | None = None
    icon: str | None = None
    colour: str | None = Field(default=None, pattern=r"^#[0-9a-fA-F]{6}$")
    supply: list[str | int] | None = Field(
        default=None, description="quantities that exist: `food.count`, or numbers"
    )
    limit: list[str | int] | None = Field(default=None, description="quantities that can be held at most")
    store: str | None = Field(default=None, description="the term in whose `limit` this one shares")
    short: bool = Field(default=False, description="a cost in this may be paid short")
    of: str | None = Field(default=None, description="the broader term this belongs to")


class EffectSpec(Strict):
    """One effect: its arguments, and its templates in icons (`text`) and in plain words
    (`words`)."""

    args: dict[str, FieldDecl] = Field(default={})
    each: str | None = Field(
        default=None, description="the `amounts` argument for whose entries the text repeats"
    )
    cost: bool = Field(default=False, description="may stand in `pay`")
    text: WordsSpec
    words: WordsSpec | None = None
    rules: list[str] = Field(default=[])


class KindSpec(Strict):
    """One kind of component."""

    name: WordsSpec
    plural: WordsSpec | None = None
    id: str = r".+"
    fields: dict[str, FieldDecl] = Field(default={})


class OptionSpec(Strict):
    """The parts of a card's lettered options."""

    letters: list[str] = Field(default=["A", "B", "C", "D"], min_length=1)
    to: str = Field(default="zone", description="the group of terms a destination comes from")
    pay: str | None = Field(
        default=None, description="the effect that `pay: {term: number}` stands for; else `pay` lists effects"
    )
    needs: list[str] = Field(default=[], description="the kinds of component an option may need")


class WordingSpec(Strict):
    """The templates that join effects into a line of text."""

    join: WordsSpec = Field(default={"en": ", "})
    either: WordsSpec = Field(default={"en": " / "})
    any_of: WordsSpec = Field(default={"en": " or "})
    cost: WordsSpec = Field(default={"en": "{cost} → {effects}"})
    needs: WordsSpec = Field(default={"en": "{needs}: {effects}"})
    nothing: WordsSpec = Field(default={"en": "–"})


class VocabularySpec(Strict):
    """The whole of `vocabulary.yaml`."""

    terms: dict[str, Annotated[dict[str, TermSpec], Field(min_length=1)]]
    effects: dict[str, EffectSpec] = Field(default={})
    kinds: dict[str, KindSpec]
    options: OptionSpec = OptionSpec()
    wording: WordingSpec = WordingSpec()
    words: WordingSpec = WordingSpec()
    icons: dict[str, WordsSpec] = Field(
        default={}, description="icons that belong to no term, and what each means"
    )


def is_singular(n: int, language: str) -> bool:
    """Return whether a language counts `n` things in the singular. French does so with zero.

    >>> is_singular(0, "fr"), is_singular(0, "en"), is_singular(1, "en")
    (True, False, True)
    """
    return n == 1 or (n == 0 and language.partition("-")[0] == "fr")


@dataclass(frozen=True, slots=True)
class Term:
    """One word of the game and where it was declared."""

    id: str
    group: str
    spec: TermSpec

    @property
    def icon(self) -> str:
        """The icon's name; by default the term's own id."""
        return self.spec.icon or self.id

    def name(self, language: str, n: int = 1) -> str:
        """Return the term's name in a language, or in English if that is missing; for more than one,
        its plural."""
        names = self.spec.plural if self.spec.plural and not is_singular(n, language) else self.spec.name
        return names.get(language) or names.get("en") or self.id


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A game's terms, effects and kinds. `targets` holds the plain fields of its components, for
    wording."""

    spec: VocabularySpec
    terms: Mapping[str, Mapping[str, Term]]
    languages: tuple[str, ...]
    node: Node
    targets: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def effects(self) -> Mapping[str, EffectSpec]:
        """Declared effects by name."""
        return self.spec.effects

    @property
    def kinds(self) -> Mapping[str, KindSpec]:
        """Declared kinds of component by name."""
        return self.spec.kinds

    @property
    def icons(self) -> frozenset[str]:
        """Every icon name the game knows."""
        return frozenset(self.spec.icons) | {t.icon for group in self.terms.values() for t in group.values()}

    def group(self, name: str) -> Mapping[str, Term]:
        """Return the terms of a group; empty if there is no such group."""
        return self.terms.get(name, {})


def read_vocabulary(node: Node, languages: tuple[str, ...], collector: Collector) -> Vocabulary | None:
    """Check a vocabulary's node; return None after noting errors."""
    spec = check(VocabularySpec, node, collector)
    if spec is None:
        return None
    before = len(collector.errors)
    for path, declared in _all_fields(spec):
        _check_field(spec, node, path, declared, collector)
    _check_patterns(spec, node, collector)
    _check_terms(spec, node, collector)
    check_templates(spec, node, collector)
    if len(collector.errors) > before:
        return None
    terms = {
        group: {name: Term(name, group, term) for name, term in members.items()}
        for group, members in spec.terms.items()
    }
    return Vocabulary(spec, terms, languages, node)


def _all_fields(spec: VocabularySpec) -> list[tuple[list[str], FieldSpec]]:
    """Return every declared field with its path in the file, including nested ones."""
    found: list[tuple[list[str], FieldSpec]] = []

    def walk(path: list[str], declared: FieldSpec) -> None:
        found.append((path, declared))
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
    return found


def _check_field(
    spec: VocabularySpec, node: Node, path: list[str], declared: FieldSpec, collector: Collector
) -> None:
    """Check that a field names only existing groups and kinds, and compares only fields of those
    kinds."""
    if declared.group is not None and declared.group not in spec.terms:
        where = node.at([*path, "group"]).where
        collector.add(
            "PP219",
            where,
            f'no group of terms is called "{declared.group}"',
            did_you_mean(declared.group, spec.terms),
        )
    for index, kind in enumerate(declared.kinds or []):
        if kind not in spec.kinds:
            where = node.at([*path, "kinds", index]).where
            collector.add("PP219", where, f'no kind is called "{kind}"', did_you_mean(kind, spec.kinds))
    fields = {name for kind in declared.kinds or [] if kind in spec.kinds for name in spec.kinds[kind].fields}
    compared: list[tuple[list[str | int], str]] = [
        (["same", n], name) for n, name in enumerate(declared.same or [])
    ]
    compared += [(["where", name], name) for name in declared.where or {}]
    for at, name in compared:
        if name not in fields:
            collector.add(
                "PP219",
                node.at([*path, *at]).where,
                f'no kind that may be named here has a field "{name}"',
                did_you_mean(name, fields),
            )


def _check_terms(spec: VocabularySpec, node: Node, collector: Collector) -> None:
    """Check that a term's `store` and `of` are terms too, of its own group or another."""
    every = {name for members in spec.terms.values() for name in members}
    for group, members in spec.terms.items():
        for name, term in members.items():
            for key, value in (("store", term.store), ("of", term.of)):
                if value is not None and value not in every:
                    where = node.at(["terms", group, name, key]).where
                    collector.add("PP219", where, f'no term is called "{value}"', did_you_mean(value, every))


def _check_patterns(spec: VocabularySpec, node: Node, collector: Collector) -> None:
    for name, kind in spec.kinds.items():
        try:
            re.compile(kind.id)
        except re.error as error:
            where = node.at(["kinds", name, "id"]).where
            collector.add("PP219", where, f"`id` is not a regular expression: {error}")
    for name, effect in spec.effects.items():
        if effect.each is not None and effect.each not in effect.args:
            where = node.at(["effects", name, "each"]).where
            collector.add(
                "PP219",
                where,
                f'`each` names no argument: "{effect.each}"',
                did_you_mean(effect.each, effect.args),
            )
        elif effect.each is not None and effect.args[effect.each].type not in ("amounts", "list"):
            where = node.at(["effects", name, "each"]).where
            collector.add(
                "PP219",
                where,
                f"`each` repeats amounts or a list, "
                f"and `{effect.each}` is of type {effect.args[effect.each].type}",
            )
    pay = spec.options.pay
    if pay is not None and not (pay in spec.effects and spec.effects[pay].cost):
        costs = [op for op, effect in spec.effects.items() if effect.cost]
        where = node.at(["options", "pay"]).where
        collector.add(
            "PP219", where, f'no effect marked as a cost is called "{pay}"', did_you_mean(pay, costs)
        )
    if spec.options.to not in spec.terms and any(
        declared.type == "options" for _, declared in _all_fields(spec)
    ):
        where = node.at(["options", "to"]).where
        collector.add(
            "PP219",
            where,
            f'no group of terms is called "{spec.options.to}"',
            did_you_mean(spec.options.to, spec.terms),
        )

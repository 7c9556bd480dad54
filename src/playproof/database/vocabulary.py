"""A game's own words, declared in its `vocabulary.yaml`: terms, effects and kinds of component, read
and checked so that its parts and templates name each other rightly."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field

from playproof.database.errors import FindingCollector, make_nearest_or_possible_words_hint
from playproof.database.source import YamlNode
from playproof.database.yaml_models import (
    FieldDecl,
    FieldSpec,
    FileName,
    Reader,
    StrictModel,
    validate_node_or_record_findings,
)

# -- vocabulary yaml -----------------------------------------------------------------------------------------
# Reads `vocabulary.yaml`, and checks that its parts name each other rightly.


def read_vocabulary_or_record_findings(
    node: YamlNode, languages: tuple[str, ...], collector: FindingCollector
) -> Vocabulary | None:
    """Check a vocabulary's node; return None after noting errors."""
    spec = validate_node_or_record_findings(VocabularySpec, node, collector)
    if spec is None:
        return None
    before = len(collector.errors)
    for path, declared in _list_all_fields_with_paths(spec):
        _record_unknown_names_in_field(spec, node, path, declared, collector)
    _record_wrong_patterns_effects_and_options(spec, node, collector)
    _record_unknown_terms_named_by_terms(spec, node, collector)
    record_unknown_names_in_templates(spec, node, collector)
    if len(collector.errors) > before:
        return None
    terms = {
        group: {name: Term(name, group, term) for name, term in members.items()}
        for group, members in spec.terms.items()
    }
    return Vocabulary(spec, terms, languages, node)


def _list_all_fields_with_paths(spec: VocabularySpec) -> list[tuple[list[str], FieldSpec]]:
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


def _record_unknown_names_in_field(
    spec: VocabularySpec, node: YamlNode, path: list[str], declared: FieldSpec, collector: FindingCollector
) -> None:
    """Check that a field names only existing groups and kinds, and compares only fields of those
    kinds."""
    if declared.group is not None and declared.group not in spec.terms:
        where = node.get_node_or_nearest_ancestor([*path, "group"]).where
        collector.add_finding(
            "PP219",
            where,
            f'no group of terms is called "{declared.group}"',
            make_nearest_or_possible_words_hint(declared.group, spec.terms),
        )
    for index, kind in enumerate(declared.kinds or []):
        if kind not in spec.kinds:
            where = node.get_node_or_nearest_ancestor([*path, "kinds", index]).where
            collector.add_finding(
                "PP219", where, f'no kind is called "{kind}"', make_nearest_or_possible_words_hint(kind, spec.kinds)
            )
    fields = {name for kind in declared.kinds or [] if kind in spec.kinds for name in spec.kinds[kind].fields}
    compared: list[tuple[list[str | int], str]] = [(["same", n], name) for n, name in enumerate(declared.same or [])]
    compared += [(["where", name], name) for name in declared.where or {}]
    for at, name in compared:
        if name not in fields:
            collector.add_finding(
                "PP219",
                node.get_node_or_nearest_ancestor([*path, *at]).where,
                f'no kind that may be named here has a field "{name}"',
                make_nearest_or_possible_words_hint(name, fields),
            )


def _record_unknown_terms_named_by_terms(spec: VocabularySpec, node: YamlNode, collector: FindingCollector) -> None:
    """Check that a term's `store` and `of` are terms too, of its own group or another."""
    every = {name for members in spec.terms.values() for name in members}
    for group, members in spec.terms.items():
        for name, term in members.items():
            for key, value in (("store", term.store), ("of", term.of)):
                if value is not None and value not in every:
                    where = node.get_node_or_nearest_ancestor(["terms", group, name, key]).where
                    collector.add_finding(
                        "PP219",
                        where,
                        f'no term is called "{value}"',
                        make_nearest_or_possible_words_hint(value, every),
                    )


def _record_wrong_patterns_effects_and_options(
    spec: VocabularySpec, node: YamlNode, collector: FindingCollector
) -> None:
    for name, kind in spec.kinds.items():
        try:
            re.compile(kind.id)
        except re.error as error:
            where = node.get_node_or_nearest_ancestor(["kinds", name, "id"]).where
            collector.add_finding("PP219", where, f"`id` is not a regular expression: {error}")
    for name, effect in spec.effects.items():
        if effect.each is not None and effect.each not in effect.args:
            where = node.get_node_or_nearest_ancestor(["effects", name, "each"]).where
            collector.add_finding(
                "PP219",
                where,
                f'`each` names no argument: "{effect.each}"',
                make_nearest_or_possible_words_hint(effect.each, effect.args),
            )
        elif effect.each is not None and effect.args[effect.each].type not in ("amounts", "list"):
            where = node.get_node_or_nearest_ancestor(["effects", name, "each"]).where
            collector.add_finding(
                "PP219",
                where,
                f"`each` repeats amounts or a list, and `{effect.each}` is of type {effect.args[effect.each].type}",
            )
    pay = spec.options.pay
    if pay is not None and not (pay in spec.effects and spec.effects[pay].cost):
        costs = [op for op, effect in spec.effects.items() if effect.cost]
        where = node.get_node_or_nearest_ancestor(["options", "pay"]).where
        collector.add_finding(
            "PP219",
            where,
            f'no effect marked as a cost is called "{pay}"',
            make_nearest_or_possible_words_hint(pay, costs),
        )
    if spec.options.to not in spec.terms and any(
        declared.type == "options" for _, declared in _list_all_fields_with_paths(spec)
    ):
        where = node.get_node_or_nearest_ancestor(["options", "to"]).where
        collector.add_finding(
            "PP219",
            where,
            f'no group of terms is called "{spec.options.to}"',
            make_nearest_or_possible_words_hint(spec.options.to, spec.terms),
        )


# A game's own words, declared in its `vocabulary.yaml`: terms, effects, and kinds of component.


def wrap_bare_text_as_mapping(value: object, language: str = "en") -> object:
    """Convert a bare text to one in a language, and a bare number too: it is refused as no text, and not as no
    mapping."""
    return {language: value} if isinstance(value, str | int | float) else value


WordsSpec = Annotated[
    dict[str, str], BeforeValidator(wrap_bare_text_as_mapping, json_schema_input_type=str | dict[str, str])
]


class TermSpec(StrictModel):
    """One word of the game: a resource, a zone, a colour, a moment."""

    name: WordsSpec
    plural: WordsSpec | None = None
    icon: str | None = None
    colour: str | None = Field(default=None, pattern=r"^#[0-9a-fA-F]{6}$")
    supply: list[str | int] | None = Field(default=None, description="quantities that exist: `food.count`, or numbers")
    limit: list[str | int] | None = Field(default=None, description="quantities that can be held at most")
    store: str | None = Field(default=None, description="the term in whose `limit` this one shares")
    short: bool = Field(default=False, description="a cost in this may be paid short")
    of: str | None = Field(default=None, description="the broader term this belongs to")


class EffectSpec(StrictModel):
    """One effect: its arguments, and its templates in icons (`text`) and in plain words
    (`words`)."""

    args: dict[str, FieldDecl] = Field(default={})
    each: str | None = Field(default=None, description="the `amounts` argument for whose entries the text repeats")
    cost: bool = Field(default=False, description="may stand in `pay`")
    text: WordsSpec
    words: WordsSpec | None = None
    rules: list[str] = Field(default=[])


class KindSpec(StrictModel):
    """One kind of component."""

    name: WordsSpec
    plural: WordsSpec | None = None
    id: str = r".+"
    read_by: Reader | None = Field(
        default=None, description="who reads its fields and its number of copies, where they do not say it"
    )
    count_read_by: Reader | None = Field(
        default=None, description="who reads its number of copies; left out, as `read_by`, else `both`"
    )
    called_by: str | None = Field(
        default=None, description="the field that says what one is called, if it has neither `title` nor `name`"
    )
    fields: dict[str, FieldDecl] = Field(default={})


class OptionSpec(StrictModel):
    """The parts of a card's lettered options."""

    letters: list[str] = Field(default=["A", "B", "C", "D"], min_length=1)
    to: str = Field(default="zone", description="the group of terms a destination comes from")
    pay: str | None = Field(
        default=None, description="the effect that `pay: {term: number}` stands for; else `pay` lists effects"
    )
    needs: list[str] = Field(default=[], description="the kinds of component an option may need")


class WordingSpec(StrictModel):
    """The templates that join effects into a line of text."""

    join: WordsSpec = Field(default={"en": ", "})
    either: WordsSpec = Field(default={"en": " / "})
    any_of: WordsSpec = Field(default={"en": " or "})
    cost: WordsSpec = Field(default={"en": "{cost} → {effects}"})
    needs: WordsSpec = Field(default={"en": "{needs}: {effects}"})
    nothing: WordsSpec = Field(default={"en": "–"})


class VocabularySpec(StrictModel):
    """The whole of `vocabulary.yaml`."""

    terms: dict[str, Annotated[dict[str, TermSpec], Field(min_length=1)]] = Field(default={})
    effects: dict[str, EffectSpec] = Field(default={})
    kinds: dict[FileName, KindSpec]
    options: OptionSpec = OptionSpec()
    wording: WordingSpec = WordingSpec()
    words: WordingSpec = WordingSpec()
    icons: dict[str, WordsSpec] = Field(default={}, description="icons that belong to no term, and what each means")


def is_singular(count: int, language: str) -> bool:
    """Return whether a language counts `count` things in the singular. French does so with zero.

    >>> is_singular(0, "fr"), is_singular(0, "en"), is_singular(1, "en")
    (True, False, True)
    """
    return count == 1 or (count == 0 and language.partition("-")[0] == "fr")


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

    def name(self, language: str, count: int = 1) -> str:
        """Return the term's name in a language, or in English if that is missing; for more than one,
        its plural."""
        names = self.spec.plural if self.spec.plural and not is_singular(count, language) else self.spec.name
        return names.get(language) or names.get("en") or self.id


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """A game's terms, effects and kinds. `targets` holds the plain fields of its components, for
    wording."""

    spec: VocabularySpec
    terms: Mapping[str, Mapping[str, Term]]
    languages: tuple[str, ...]
    node: YamlNode
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

    @property
    def language_of_bare_text(self) -> str:
        """English, or the first language of a game that has no English."""
        return "en" if "en" in self.languages else self.languages[0]

    def group(self, name: str) -> Mapping[str, Term]:
        """Return the terms of a group; empty if there is no such group."""
        return self.terms.get(name, {})


# -- templates -----------------------------------------------------------------------------------------------
# Checks that the vocabulary's templates name only what their form fills in. A name that nothing fills in
# would be printed as it is typed.

HOLE = re.compile(r"\{([^{}.]+)(?:\.([^{}]+))?\}")
"""A place in a template: `{name}`, `{name.field}`, or `{name.field.group}`, the name of the term that a field says."""
ICON_MARK = re.compile(r":([A-Za-z][\w-]*):")
"""An icon in a text, by its name: what the press takes for one where there is an icon so called. Names with spaces, or
that begin with a digit, are found by the press alone, which knows the icons that there are."""
_BRACES = re.compile(r"\{[^{}]*\}|[{}]")
_PRINTED = ("text", "words", "integer", "choice", "term", "icon", "image", "reference", "any")
"""The types of fields whose values a template can print."""

# what may stand in a template: names, and the fields of each
TemplateOffer: TypeAlias = Mapping[str, Sequence[str]]
TextByLanguage: TypeAlias = Mapping[str, str]


def record_unknown_names_in_templates(spec: VocabularySpec, node: YamlNode, collector: FindingCollector) -> None:
    """Note a PP220 finding for each template, in each language, that names something else than its
    form offers."""
    for path, words, offer in _iter_templates_with_offered_names(spec):
        for language, text in words.items():
            for braces in _BRACES.findall(text):
                if not _is_placeholder_offered(braces, offer):
                    collector.add_finding(
                        "PP220",
                        node.get_node_or_nearest_ancestor([*path, language]).where,
                        f"`{'.'.join(path)}`: expected {_format_offered_names(offer)}, found {braces}",
                        make_nearest_or_possible_words_hint(braces.strip("{} "), _list_offered_names(offer)),
                    )


def _iter_templates_with_offered_names(
    spec: VocabularySpec,
) -> Iterator[tuple[list[str], TextByLanguage, TemplateOffer]]:
    """Yield every text of the vocabulary that is printed, with its path and what its form offers."""
    for name, effect in spec.effects.items():
        offer = _get_names_offered_to_effect_templates(spec, effect)
        if offer is not None:
            yield ["effects", name, "text"], effect.text, offer
            yield ["effects", name, "words"], effect.words or {}, offer
    needs: TemplateOffer = {"needs": _list_fields_readable_in_templates(spec, spec.options.needs), "effects": ()}
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


def _get_names_offered_to_effect_templates(spec: VocabularySpec, effect: EffectSpec) -> TemplateOffer | None:
    """Return the names of an effect's templates: its arguments, or what `each` repeats. Return None if
    `each` repeats nothing, which is a finding of its own."""
    if effect.each is None:
        return {name: _list_fields_readable_in_templates(spec, arg.kinds or ()) for name, arg in effect.args.items()}
    repeated = effect.args.get(effect.each)
    if repeated is not None and repeated.type == "list":
        return {"one": _list_fields_readable_in_templates(spec, (repeated.of.kinds if repeated.of else None) or ())}
    return {"n": (), "term": ()} if repeated is not None and repeated.type == "amounts" else None


def _list_fields_readable_in_templates(spec: VocabularySpec, kinds: Iterable[str]) -> tuple[str, ...]:
    """Return the fields that a template can read of a component of these kinds."""
    declared: dict[str, FieldSpec] = {}
    for kind in kinds:
        declared |= spec.kinds[kind].fields if kind in spec.kinds else {}
    own = [name for name, field in declared.items() if field.type in _PRINTED]
    named = [
        f"{name}.{group}" for name, field in declared.items() for group in _list_groups_naming_all_values(spec, field)
    ]
    return tuple(dict.fromkeys(["title", *own, *named, "kind", "count"])) if declared else ()


def _list_groups_naming_all_values(spec: VocabularySpec, field: FieldSpec) -> list[str]:
    """Return the groups of terms that name every value of a field: its own, or any that has all its choices."""
    if field.type == "term":
        return [field.group or ""]
    return [group for group, terms in spec.terms.items() if field.choices and terms.keys() >= set(field.choices)]


def _is_placeholder_offered(placeholder: str, offer: TemplateOffer) -> bool:
    match = HOLE.fullmatch(placeholder)
    return match is not None and match[1] in offer and (match[2] is None or match[2] in offer[match[1]])


def _format_offered_names(offer: TemplateOffer) -> str:
    """Return what may stand in a template, as a message says it."""
    forms = [f"{{{name}}} or {{{name}.field}}" if fields else f"{{{name}}}" for name, fields in offer.items()]
    return " or ".join(forms) or "no {name} here"


def _list_offered_names(offer: TemplateOffer) -> list[str]:
    return [each for name, fields in offer.items() for each in (name, *(f"{name}.{field}" for field in fields))]

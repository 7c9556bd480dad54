"""Turns checked YAML nodes into the values of components.py and records the references in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import get_args

from playproof.database.components import (
    Effect,
    Either,
    NameUse,
    Option,
    PlacedText,
    Provenance,
    Source,
    SourceKind,
    Step,
    Words,
)
from playproof.database.field_types import FieldSpec
from playproof.database.models import EITHER
from playproof.database.source import YamlNode
from playproof.database.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class Reference(NameUse):
    """A place that names a component, with the field that says which components are allowed, and the letter of the
    option in which it stands, if it stands in one."""

    spec: FieldSpec = field(compare=False)
    letter: str = field(default="", compare=False)

    @property
    def namer(self) -> str:
        """The component that names the other, with the letter of the option."""
        return f"{self.owner} {self.letter}" if self.letter else self.owner


@dataclass(slots=True)
class Converter:
    """Converts nodes that a model has already accepted, so it does not check their types again."""

    vocabulary: Vocabulary
    owner: str = ""
    letter: str = ""
    references: list[Reference] = field(default_factory=list)
    images: list[NameUse] = field(default_factory=list)
    icons: list[NameUse] = field(default_factory=list)

    def convert_fields(self, declared: dict[str, FieldSpec], node: YamlNode) -> dict[str, object]:
        """Return a value for each declared field; None or () for an absent optional one."""
        return {key: self.convert_optional(spec, node.get(key)) for key, spec in declared.items()}

    def convert_optional(self, spec: FieldSpec, node: YamlNode | None) -> object:
        """The value of a field that may be absent."""
        if node is None:
            return () if spec.type in ("list", "effects", "options") else None
        return self.convert_value(spec, node)

    def convert_value(self, spec: FieldSpec, node: YamlNode) -> object:
        """The value of a field, by its declared type."""
        match spec.type:
            case "words":
                return words_from_node(node)
            case "text":
                return PlacedText.with_place(str(node.value), node.where)
            case "effects":
                return self.convert_steps(node)
            case "options":
                return tuple(
                    self.convert_option(letter, entry.node) for letter, entry in node.entries.items()
                )
            case "list":
                return tuple(self.convert_value(spec.of, item) for item in node.items) if spec.of else ()
            case "map":
                inner = spec.of or spec
                return {key: self.convert_value(inner, entry.node) for key, entry in node.entries.items()}
            case "record":
                return self.convert_fields(spec.fields or {}, node)
        self._record_named_thing(spec, node)
        return node.data

    def _record_named_thing(self, spec: FieldSpec, node: YamlNode) -> None:
        """Record the component, image or icon that this value names."""
        if spec.type == "reference":
            self.references.append(Reference(self.owner, str(node.value), node.where, spec, self.letter))
        elif spec.type == "image":
            self.images.append(NameUse(self.owner, str(node.value), node.where))
        elif spec.type == "icon":
            self.icons.append(NameUse(self.owner, str(node.value), node.where))

    def convert_steps(self, node: YamlNode) -> tuple[Step, ...]:
        """Return a list of effects and slashes."""
        return tuple(self._convert_step(item) for item in node.items)

    def _convert_step(self, node: YamlNode) -> Step:
        either = node.get(EITHER)
        if either is None:
            return self.convert_effect(node)
        alternatives = tuple(
            tuple(self.convert_effect(item) for item in alternative.items) for alternative in either.items
        )
        return Either(alternatives, node.where)

    def convert_effect(self, node: YamlNode) -> Effect:
        """One effect: `{name: argument}` or `{name: {argument: value, ...}}`."""
        (op, entry), *_ = node.entries.items()
        declared = self.vocabulary.effects[op].args
        if len(declared) == 1:
            (name, spec), *_ = declared.items()
            return Effect(op, {name: self.convert_value(spec, entry.node)}, entry.key_where)
        return Effect(op, self.convert_fields(declared, entry.node), entry.key_where)

    def convert_option(self, letter: str, node: YamlNode) -> Option:
        """One lettered option."""
        self.letter = letter
        needs, pay, do, to, text = (node.get(key) for key in ("needs", "pay", "do", "to", "text"))
        if needs is not None:
            spec = FieldSpec(type="reference", kinds=self.vocabulary.spec.options.needs)
            self.references.append(Reference(self.owner, str(needs.value), needs.where, spec, letter))
        made = Option(
            letter=letter,
            needs=str(needs.value) if needs else "",
            cost=self._convert_cost(pay) if pay else (),
            effects=self.convert_steps(do) if do else (),
            to=str(to.value) if to else "",
            text=words_from_node(text) if text else None,
            where=node.where,
        )
        self.letter = ""
        return made

    def _convert_cost(self, node: YamlNode) -> tuple[Effect, ...]:
        """Return what must be paid, written as `{term: number}`, or as a list of effects if the
        vocabulary declares no `pay` effect."""
        op = self.vocabulary.spec.options.pay
        if op is None:
            return tuple(self.convert_effect(item) for item in node.items)
        (name, spec), *_ = self.vocabulary.effects[op].args.items()
        return (Effect(op, {name: self.convert_value(spec, node)}, node.where),)


def words_from_node(node: YamlNode) -> Words:
    """Return text in several languages; a bare text is English."""
    if isinstance(node.value, str):
        return Words({"en": node.value}, node.where)
    return Words(
        {language: str(entry.node.value) for language, entry in node.entries.items()},
        node.where,
        {language: entry.node.where for language, entry in node.entries.items()},
    )


_KINDS: dict[str, SourceKind] = {kind: kind for kind in get_args(SourceKind)}


def provenance_from_node(node: YamlNode | None) -> Provenance:
    """Return the sources of facts that `source:` names."""
    if node is None:
        return Provenance()
    if isinstance(node.value, str):
        return Provenance((Source(_KINDS[node.value]),)) if node.value in _KINDS else Provenance()
    sources = [
        Source(_KINDS[kind], str(entry.node.value or ""))
        for kind, entry in node.entries.items()
        if kind in _KINDS
    ]
    return Provenance(tuple(sources))

"""Pydantic models made from a vocabulary, one for each kind of component, for effects and for options,
and the values of components.py made from the nodes that they have checked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import BeforeValidator, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

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
from playproof.database.source import YamlNode
from playproof.database.vocabulary import Vocabulary, wrap_bare_text_as_mapping
from playproof.database.yaml_models import FieldSpec, StrictModel

# -- models --------------------------------------------------------------------------------------------------
# Builds pydantic models from a vocabulary: one for each kind of component, for effects and for options.

EITHER = "either"


def _make_list_type(item_type: Any) -> Any:
    """Return `list[item]` for a type made at run time (so Any throughout)."""
    return GenericAlias(list, (item_type,))


def _make_dict_type(key_type: Any, value_type: Any) -> Any:
    """Return `dict[key, value]` for types made at run time."""
    return GenericAlias(dict, (key_type, value_type))


def _make_literal_type(allowed_words: Iterable[str]) -> Any:
    """Return `Literal[...]` of words known at run time."""
    literal: Any = Literal
    return literal[tuple(allowed_words) or ("",)]  # a game without zones has no options to send there


def _rename_fields_by_number_with_aliases(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields for create_model under names of our own, each with the declared name as its alias: a game may
    call a property `copy`, `schema`, `class` or `model_config`, which a model has or Python reserves."""
    return {
        f"field_{number}": (Annotated[annotation, Field(alias=name)], default)
        for number, (name, (annotation, default)) in enumerate(fields.items())
    }


def _create_strict_pydantic_model(name: str, fields: Mapping[str, Any]) -> type[StrictModel]:
    """Return a strict model of a mapping with these keys, whatever they are called."""
    model: type[StrictModel] = create_model(name, __base__=StrictModel, **_rename_fields_by_number_with_aliases(fields))
    return model


class OneEffect(StrictModel):
    """Base of the effect models: a mapping with exactly one key, the effect's name."""

    ops: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _require_single_known_effect_name(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            raise PydanticCustomError(
                "PP205", "expected an effect, as in `- {op}: ...`", {"op": (*cls.ops, "effect")[0]}
            )
        candidates = {"candidates": " ".join(cls.ops)}
        for key in value:
            if key not in cls.ops:
                raise PydanticCustomError("PP207", 'there is no effect "{key}" here', {"key": key, **candidates})
        if len(value) != 1:
            raise PydanticCustomError(
                "PP215", "expected one effect per item, found {n}: begin each with a dash", {"n": len(value)}
            )
        return value


def _expand_source_shorthand_or_raise(value: object) -> object:
    """`source: mine` is short for `source: {mine: ""}`."""
    if isinstance(value, str):
        value = {value: ""}
    if isinstance(value, Mapping):
        for kind, place in value.items():
            if kind in ("rulebook", "public") and not place:
                raise PydanticCustomError("PP216", "a `{kind}` source needs a place or an address", {"kind": kind})
    return value


_Sources = dict[SourceKind, str]

_Short = Literal["mine", "playproof"]

SourceSpec = Annotated[
    _Sources, BeforeValidator(_expand_source_shorthand_or_raise, json_schema_input_type=_Short | _Sources)
]


_latest = dict[str, "ComponentModels"]()


def get_or_make_component_models(vocabulary: Vocabulary) -> ComponentModels:
    """Return the models of a vocabulary. The latest are kept as long as it says the same: to make them takes half of
    the time of a load, and most loads read the same vocabulary with other errata or cards."""
    content = f"{vocabulary.languages} {vocabulary.spec.model_dump_json()}"
    if content not in _latest:
        _latest.clear()
        _latest[content] = ComponentModels(vocabulary)
    return _latest[content]


class ComponentModels:
    """The models of one game. `kinds` has one for each kind of component."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        effects = vocabulary.effects
        self.plain = self._make_model_of_exactly_one_effect("PlainEffect", list(effects))
        self.cost = self._make_model_of_exactly_one_effect("CostEffect", [op for op, e in effects.items() if e.cost])
        self.effect = self._make_model_of_exactly_one_effect("Effect", list(effects), allow_alternatives=True)
        self.option = self._make_lettered_option_model()
        common: dict[str, Any] = {
            "count": (Annotated[int, Field(ge=0, le=1000)], 1),
            "source": (SourceSpec, Field(default_factory=dict)),
            # what cannot change need not be copied for each component
            "rules": (list[str], Field(default=())),
        }
        self.kinds = {
            name: _create_strict_pydantic_model(name, {**common, **self._make_pydantic_fields_by_name(kind.fields)})
            for name, kind in vocabulary.kinds.items()
        }

    def _make_pydantic_fields_by_name(self, specs: Mapping[str, FieldSpec]) -> dict[str, Any]:
        return {key: self.make_pydantic_type_and_default(spec) for key, spec in specs.items()}

    def make_pydantic_type_and_default(self, spec: FieldSpec) -> Any:
        """Return the (annotation, default) pair for create_model. Any: pydantic's own signature."""
        annotation = self.make_accepted_type_of_field(spec)
        return (annotation, ...) if spec.required else (annotation, Field(default=None))

    def make_accepted_type_of_field(self, spec: FieldSpec) -> Any:
        """Return the Python type that a declared field accepts. Any: types made at run time have no
        static type."""
        make = getattr(self, f"_make_{spec.type}_type", None)
        if make is not None:
            return make(spec)
        return {"flag": bool, "icon": str, "image": str, "reference": str, "number": float, "any": Any}[spec.type]

    def _make_text_type(self, spec: FieldSpec) -> Any:
        return Annotated[str, Field(min_length=1 if spec.min is None else spec.min, max_length=spec.max)]

    def _make_words_type(self, spec: FieldSpec) -> Any:
        text = Annotated[str, Field(min_length=1)]
        texts = _make_dict_type(_make_literal_type(self.vocabulary.languages), text)
        wrap = partial(wrap_bare_text_as_mapping, language=self.vocabulary.language_of_bare_text)
        return Annotated[texts, BeforeValidator(wrap, json_schema_input_type=text | texts)]

    def _make_integer_type(self, spec: FieldSpec) -> Any:
        return Annotated[int, Field(ge=spec.min, le=spec.max)]

    def _make_choice_type(self, spec: FieldSpec) -> Any:
        return _make_literal_type(spec.choices or ())

    def _make_term_type(self, spec: FieldSpec) -> Any:
        return _make_literal_type(self.vocabulary.group(spec.group or ""))

    def _make_amounts_type(self, spec: FieldSpec) -> Any:
        amount = Annotated[int, Field(ge=1 if spec.min is None else spec.min, le=spec.max)]
        return Annotated[_make_dict_type(self._make_term_type(spec), amount), Field(min_length=1)]

    def _make_effects_type(self, spec: FieldSpec) -> Any:
        return _make_list_type(self.effect)

    def _make_options_type(self, spec: FieldSpec) -> Any:
        letters = _make_literal_type(self.vocabulary.spec.options.letters)
        return Annotated[_make_dict_type(letters, self.option), Field(min_length=1)]

    def _make_list_type(self, spec: FieldSpec) -> Any:
        assert spec.of is not None  # FieldSpec refuses a list without it
        return Annotated[
            _make_list_type(self.make_accepted_type_of_field(spec.of)), Field(min_length=spec.min, max_length=spec.max)
        ]

    def _make_map_type(self, spec: FieldSpec) -> Any:
        assert spec.of is not None  # FieldSpec refuses a map without it
        keys = self._make_term_type(spec) if spec.group else str
        return _make_dict_type(keys, self.make_accepted_type_of_field(spec.of))

    def _make_record_type(self, spec: FieldSpec) -> Any:
        return _create_strict_pydantic_model("Record", self._make_pydantic_fields_by_name(spec.fields or {}))

    def _make_model_of_exactly_one_effect(
        self, name: str, effect_names: list[str], allow_alternatives: bool = False
    ) -> type[OneEffect]:
        """Return a model with one optional field for each effect; exactly one must be present."""
        fields: dict[str, Any] = {
            op: (self._make_type_of_effect_arguments(op), Field(default=None)) for op in effect_names
        }
        if allow_alternatives:
            alternatives = _make_list_type(_make_list_type(self.plain))
            fields[EITHER] = (Annotated[alternatives, Field(min_length=2)], Field(default=None))
        model: type[OneEffect] = create_model(name, __base__=OneEffect, **_rename_fields_by_number_with_aliases(fields))
        model.ops = tuple(fields)
        model.model_config["json_schema_extra"] = {"minProperties": 1, "maxProperties": 1}
        return model

    def _make_type_of_effect_arguments(self, effect_name: str) -> Any:
        """Return the type of an effect's arguments: True for none, the argument's own type for one,
        a mapping for several."""
        declared = self.vocabulary.effects[effect_name].args
        if not declared:
            return Literal[True]
        if len(declared) == 1:
            return self.make_accepted_type_of_field(next(iter(declared.values())))
        return _create_strict_pydantic_model(effect_name, self._make_pydantic_fields_by_name(declared))

    def _make_lettered_option_model(self) -> type[StrictModel]:
        group = self.vocabulary.group(self.vocabulary.spec.options.to)
        zones = _make_literal_type(group) if group else str  # a game without options may have no zones
        pay = self.vocabulary.spec.options.pay
        costs = self._make_type_of_effect_arguments(pay) if pay else _make_list_type(self.cost)
        fields: dict[str, Any] = {
            "needs": (str, Field(default="")),
            "pay": (costs, Field(default=None)),
            "do": (_make_list_type(self.effect), Field(default=[])),
            "to": (zones, ...),
            "text": (self._make_words_type(FieldSpec(type="words")), Field(default=None)),
        }
        model: type[StrictModel] = create_model("Option", __base__=StrictModel, **fields)
        return model


# -- convert -------------------------------------------------------------------------------------------------
# Turns checked YAML nodes into the values of components.py and records the references in them.


@dataclass(frozen=True, slots=True)
class Reference(NameUse):
    """A place that names a component, with the field that says which components are allowed, and the letter of the
    option in which it stands, if it stands in one."""

    spec: FieldSpec = field(compare=False)
    letter: str = field(default="", compare=False)

    @property
    def owner_with_option_letter(self) -> str:
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

    def convert_declared_fields_by_name(self, declared: dict[str, FieldSpec], node: YamlNode) -> dict[str, object]:
        """Return a value for each declared field; None or () for an absent optional one."""
        return {key: self.convert_field_or_empty_default(spec, node.get(key)) for key, spec in declared.items()}

    def convert_field_or_empty_default(self, spec: FieldSpec, node: YamlNode | None) -> object:
        """The value of a field that may be absent."""
        if node is None:
            return () if spec.type in ("list", "effects", "options") else None
        return self.convert_value_and_note_names(spec, node)

    def convert_value_and_note_names(self, spec: FieldSpec, node: YamlNode) -> object:
        """The value of a field, by its declared type."""
        match spec.type:
            case "words":
                return words_by_language_from_node(node, self.vocabulary.language_of_bare_text)
            case "text":
                return PlacedText.create_at_place(str(node.value), node.where)
            case "effects":
                return self.convert_effects_and_alternatives(node)
            case "options":
                return tuple(self.convert_lettered_option(letter, entry.node) for letter, entry in node.entries.items())
            case "list":
                return tuple(self.convert_value_and_note_names(spec.of, item) for item in node.items) if spec.of else ()
            case "map":
                inner = spec.of or spec
                return {
                    key: self.convert_value_and_note_names(inner, entry.node) for key, entry in node.entries.items()
                }
            case "record":
                return self.convert_declared_fields_by_name(spec.fields or {}, node)
        self._record_name_of_component_image_or_icon(spec, node)
        return node.data

    def _record_name_of_component_image_or_icon(self, spec: FieldSpec, node: YamlNode) -> None:
        """Record the component, image or icon that this value names."""
        if spec.type == "reference":
            self.references.append(Reference(self.owner, str(node.value), node.where, spec, self.letter))
        elif spec.type == "image":
            self.images.append(NameUse(self.owner, str(node.value), node.where))
        elif spec.type == "icon":
            self.icons.append(NameUse(self.owner, str(node.value), node.where))

    def convert_effects_and_alternatives(self, node: YamlNode) -> tuple[Step, ...]:
        """Return a list of effects and slashes."""
        return tuple(self._convert_effect_or_alternatives(item) for item in node.items)

    def _convert_effect_or_alternatives(self, node: YamlNode) -> Step:
        either = node.get(EITHER)
        if either is None:
            return self.convert_single_effect(node)
        alternatives = tuple(
            tuple(self.convert_single_effect(item) for item in alternative.items) for alternative in either.items
        )
        return Either(alternatives, node.where)

    def convert_single_effect(self, node: YamlNode) -> Effect:
        """One effect: `{name: argument}` or `{name: {argument: value, ...}}`."""
        (op, entry), *_ = node.entries.items()
        declared = self.vocabulary.effects[op].args
        if len(declared) == 1:
            (name, spec), *_ = declared.items()
            return Effect(op, {name: self.convert_value_and_note_names(spec, entry.node)}, entry.key_where)
        return Effect(op, self.convert_declared_fields_by_name(declared, entry.node), entry.key_where)

    def convert_lettered_option(self, letter: str, node: YamlNode) -> Option:
        """One lettered option."""
        self.letter = letter
        needs, pay, do, to, text = (node.get(key) for key in ("needs", "pay", "do", "to", "text"))
        if needs is not None:
            spec = FieldSpec(type="reference", kinds=self.vocabulary.spec.options.needs)
            self.references.append(Reference(self.owner, str(needs.value), needs.where, spec, letter))
        made = Option(
            letter=letter,
            needs=str(needs.value) if needs else "",
            cost=self._convert_accepted_cost_to_effects(pay) if pay else (),
            effects=self.convert_effects_and_alternatives(do) if do else (),
            to=str(to.value) if to else "",
            text=words_by_language_from_node(text, self.vocabulary.language_of_bare_text) if text else None,
            where=node.where,
        )
        self.letter = ""
        return made

    def _convert_accepted_cost_to_effects(self, node: YamlNode) -> tuple[Effect, ...]:
        """Return what must be paid, written as `{term: number}`, or as a list of effects if the
        vocabulary declares no `pay` effect."""
        op = self.vocabulary.spec.options.pay
        if op is None:
            return tuple(self.convert_single_effect(item) for item in node.items)
        (name, spec), *_ = self.vocabulary.effects[op].args.items()
        return (Effect(op, {name: self.convert_value_and_note_names(spec, node)}, node.where),)


def words_by_language_from_node(node: YamlNode, language_of_bare_text: str = "en") -> Words:
    """Return text in several languages; a bare text is in the language that is given."""
    if isinstance(node.value, str):
        return Words({language_of_bare_text: node.value}, node.where)
    return Words(
        {language: str(entry.node.value) for language, entry in node.entries.items()},
        node.where,
        {language: entry.node.where for language, entry in node.entries.items()},
    )


_KINDS: dict[str, SourceKind] = {kind: kind for kind in get_args(SourceKind)}


def provenance_from_node_or_empty(node: YamlNode | None) -> Provenance:
    """Return the sources of facts that `source:` names."""
    if node is None:
        return Provenance()
    if isinstance(node.value, str):
        return Provenance((Source(_KINDS[node.value]),)) if node.value in _KINDS else Provenance()
    sources = [
        Source(_KINDS[kind], str(entry.node.value or "")) for kind, entry in node.entries.items() if kind in _KINDS
    ]
    return Provenance(tuple(sources))

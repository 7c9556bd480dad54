"""Builds pydantic models from a vocabulary: one for each kind of component, for effects and for
options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import GenericAlias
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, create_model, model_validator
from pydantic_core import PydanticCustomError

from playproof.database.components import SourceKind
from playproof.database.field_types import FieldSpec, Strict
from playproof.database.vocabulary import Vocabulary, english

EITHER = "either"


def _list_of(item: Any) -> Any:
    """Return `list[item]` for a type made at run time (so Any throughout)."""
    return GenericAlias(list, (item,))


def _dict_of(key: Any, value: Any) -> Any:
    """Return `dict[key, value]` for types made at run time."""
    return GenericAlias(dict, (key, value))


def _one_of(words: Iterable[str]) -> Any:
    """Return `Literal[...]` of words known at run time."""
    literal: Any = Literal
    return literal[tuple(words) or ("",)]  # a game without zones has no options to send there


def _under_aliases(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return fields for create_model under names of our own, each with the declared name as its alias: a game may
    call a property `copy`, `schema`, `class` or `model_config`, which a model has or Python reserves."""
    return {
        f"field_{number}": (Annotated[annotation, Field(alias=name)], default)
        for number, (name, (annotation, default)) in enumerate(fields.items())
    }


def _create_strict(name: str, fields: Mapping[str, Any]) -> type[Strict]:
    """Return a strict model of a mapping with these keys, whatever they are called."""
    model: type[Strict] = create_model(name, __base__=Strict, **_under_aliases(fields))
    return model


class OneEffect(Strict):
    """Base of the effect models: a mapping with exactly one key, the effect's name."""

    ops: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="before")
    @classmethod
    def _one_known_key(cls, value: object) -> object:
        if not isinstance(value, Mapping):
            raise PydanticCustomError(
                "PP205", "expected an effect, as in `- {op}: ...`", {"op": (*cls.ops, "effect")[0]}
            )
        candidates = {"candidates": " ".join(cls.ops)}
        for key in value:
            if key not in cls.ops:
                raise PydanticCustomError(
                    "PP207", 'there is no effect "{key}" here', {"key": key, **candidates}
                )
        if len(value) != 1:
            raise PydanticCustomError(
                "PP215", "expected one effect per item, found {n}: begin each with a dash", {"n": len(value)}
            )
        return value


def _source(value: object) -> object:
    """`source: mine` is short for `source: {mine: ""}`."""
    if isinstance(value, str):
        value = {value: ""}
    if isinstance(value, Mapping):
        for kind, place in value.items():
            if kind in ("rulebook", "public") and not place:
                raise PydanticCustomError(
                    "PP216", "a `{kind}` source needs a place or an address", {"kind": kind}
                )
    return value


_Sources = dict[SourceKind, str]

_Short = Literal["mine", "playproof"]

SourceSpec = Annotated[_Sources, BeforeValidator(_source, json_schema_input_type=_Short | _Sources)]


_latest = dict[str, "Models"]()


def models_of(vocabulary: Vocabulary) -> Models:
    """Return the models of a vocabulary. The latest are kept as long as it says the same: to make them takes half of
    the time of a load, and most loads read the same vocabulary with other errata or cards."""
    content = f"{vocabulary.languages} {vocabulary.spec.model_dump_json()}"
    if content not in _latest:
        _latest.clear()
        _latest[content] = Models(vocabulary)
    return _latest[content]


class Models:
    """The models of one game. `kinds` has one for each kind of component."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        effects = vocabulary.effects
        self.plain = self._effect_model("PlainEffect", list(effects))
        self.cost = self._effect_model("CostEffect", [op for op, e in effects.items() if e.cost])
        self.effect = self._effect_model("Effect", list(effects), either=True)
        self.option = self._option_model()
        common: dict[str, Any] = {
            "count": (Annotated[int, Field(ge=0, le=1000)], 1),
            "source": (SourceSpec, Field(default_factory=dict)),
            "rules": (
                list[str],
                Field(default=()),
            ),  # what cannot change need not be copied for each component
        }
        self.kinds = {
            name: _create_strict(name, {**common, **self._declared(kind.fields)})
            for name, kind in vocabulary.kinds.items()
        }

    def _declared(self, specs: Mapping[str, FieldSpec]) -> dict[str, Any]:
        return {key: self.field(spec) for key, spec in specs.items()}

    def field(self, spec: FieldSpec) -> Any:
        """Return the (annotation, default) pair for create_model. Any: pydantic's own signature."""
        annotation = self.annotation(spec)
        return (annotation, ...) if spec.required else (annotation, Field(default=None))

    def annotation(self, spec: FieldSpec) -> Any:
        """Return the Python type that a declared field accepts. Any: types made at run time have no
        static type."""
        make = getattr(self, f"_{spec.type}", None)
        if make is not None:
            return make(spec)
        return {"flag": bool, "icon": str, "image": str, "reference": str, "number": float, "any": Any}[
            spec.type
        ]

    def _text(self, spec: FieldSpec) -> Any:
        return Annotated[str, Field(min_length=1 if spec.min is None else spec.min, max_length=spec.max)]

    def _words(self, spec: FieldSpec) -> Any:
        text = Annotated[str, Field(min_length=1)]
        texts = _dict_of(_one_of(self.vocabulary.languages), text)
        return Annotated[texts, BeforeValidator(english, json_schema_input_type=text | texts)]

    def _integer(self, spec: FieldSpec) -> Any:
        return Annotated[int, Field(ge=spec.min, le=spec.max)]

    def _choice(self, spec: FieldSpec) -> Any:
        return _one_of(spec.choices or ())

    def _term(self, spec: FieldSpec) -> Any:
        return _one_of(self.vocabulary.group(spec.group or ""))

    def _amounts(self, spec: FieldSpec) -> Any:
        amount = Annotated[int, Field(ge=1 if spec.min is None else spec.min, le=spec.max)]
        return Annotated[_dict_of(self._term(spec), amount), Field(min_length=1)]

    def _effects(self, spec: FieldSpec) -> Any:
        return _list_of(self.effect)

    def _options(self, spec: FieldSpec) -> Any:
        letters = _one_of(self.vocabulary.spec.options.letters)
        return Annotated[_dict_of(letters, self.option), Field(min_length=1)]

    def _list(self, spec: FieldSpec) -> Any:
        assert spec.of is not None  # FieldSpec refuses a list without it
        return Annotated[_list_of(self.annotation(spec.of)), Field(min_length=spec.min, max_length=spec.max)]

    def _map(self, spec: FieldSpec) -> Any:
        assert spec.of is not None  # FieldSpec refuses a map without it
        keys = self._term(spec) if spec.group else str
        return _dict_of(keys, self.annotation(spec.of))

    def _record(self, spec: FieldSpec) -> Any:
        return _create_strict("Record", self._declared(spec.fields or {}))

    def _effect_model(self, name: str, ops: list[str], either: bool = False) -> type[OneEffect]:
        """Return a model with one optional field for each effect; exactly one must be present."""
        fields: dict[str, Any] = {op: (self._arguments(op), Field(default=None)) for op in ops}
        if either:
            alternatives = _list_of(_list_of(self.plain))
            fields[EITHER] = (Annotated[alternatives, Field(min_length=2)], Field(default=None))
        model: type[OneEffect] = create_model(name, __base__=OneEffect, **_under_aliases(fields))
        model.ops = tuple(fields)
        model.model_config["json_schema_extra"] = {"minProperties": 1, "maxProperties": 1}
        return model

    def _arguments(self, op: str) -> Any:
        """Return the type of an effect's arguments: True for none, the argument's own type for one,
        a mapping for several."""
        declared = self.vocabulary.effects[op].args
        if not declared:
            return Literal[True]
        if len(declared) == 1:
            return self.annotation(next(iter(declared.values())))
        return _create_strict(op, self._declared(declared))

    def _option_model(self) -> type[Strict]:
        group = self.vocabulary.group(self.vocabulary.spec.options.to)
        zones = _one_of(group) if group else str  # a game without options may have no zones
        pay = self.vocabulary.spec.options.pay
        costs = self._arguments(pay) if pay else _list_of(self.cost)
        fields: dict[str, Any] = {
            "needs": (str, Field(default="")),
            "pay": (costs, Field(default=None)),
            "do": (_list_of(self.effect), Field(default=[])),
            "to": (zones, ...),
            "text": (self._words(FieldSpec(type="words")), Field(default=None)),
        }
        model: type[Strict] = create_model("Option", __base__=Strict, **fields)
        return model

"""The types that a vocabulary may give to a field.

    text       a line of text                      words      text in each language: {en: ..., fr: ...}
    integer    a whole number, min and max         number     a decimal number
    flag       true or false                       choice     one of a list of words (`of`)
    term       a term of a group (`group`)         amounts    {term: number} for terms of a group
    icon       the name of an icon                 image      a file inside the game's folder
    reference  the id of a component (`kinds`)     effects    a list of effects
    options    lettered options of a card          list, map, record: of other fields
    any        free data

A field is written as the name of its type, or as a mapping:
`{type: integer, min: 1, max: 8, required: false}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

TypeName = Literal[
    "text", "words", "integer", "number", "flag", "choice", "term", "amounts", "icon", "image",
    "reference", "effects", "options", "list", "map", "record", "any",
]  # fmt: skip


Reader = Literal["rules", "print", "both"]
"""Who reads a value of a component: the rules of the game, what is printed, or both."""

FileName = Annotated[str, Field(pattern=r"^[\w-][\w .+-]*$")]
"""A name after which a file is called, such as a claim's, a kind's or a product's: it leads to no other folder."""


class StrictModel(BaseModel):
    """The base of all models here: it refuses undeclared fields and silent conversions."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True, defer_build=True
    )


def _expand_type_name(value: object) -> object:
    """`title: words` is short for `title: {type: words}`."""
    return {"type": value} if isinstance(value, str) else value


class FieldSpec(StrictModel):
    """One declared field: its type and its bounds."""

    type: TypeName
    required: bool = True
    about: str = ""
    name: dict[str, str] = Field(default={}, description="what a reader calls it, by language")
    read_by: Reader | None = Field(
        default=None,
        description="who reads it; left out, `print` for texts, icons and images, and `both` for all else",
    )
    min: int | None = None
    max: int | None = None
    choices: Annotated[list[str], Field(min_length=1)] | None = None
    group: str | None = None
    kinds: list[str] | None = None
    where: dict[str, list[str]] | None = Field(
        default=None, description="reference: values the named fields of the target may have"
    )
    same: list[str] | None = Field(
        default=None,
        description="reference: fields in which the target should agree with the component that names it",
    )
    counts: str | None = Field(
        default=None, description="integer: the term of which it says how many are needed, as `heart`"
    )
    gives: bool = Field(
        default=False, description="amounts or term: what it says comes to a player, and is not asked of one"
    )
    of: FieldDecl | None = None
    fields: dict[str, FieldDecl] | None = None

    @model_validator(mode="after")
    def _check_required_parts(self) -> FieldSpec:
        needed = {
            "choice": "choices",
            "term": "group",
            "amounts": "group",
            "reference": "kinds",
            "list": "of",
            "map": "of",
            "record": "fields",
        }.get(self.type)
        if needed and getattr(self, needed) is None:
            raise PydanticCustomError(
                "PP219", "a field of type {type} needs `{needed}`", {"type": self.type, "needed": needed}
            )
        if self.type in ("text", "list") and min(self.min or 0, self.max or 0) < 0:
            raise PydanticCustomError("PP219", "a length cannot be negative")
        return self

    def get_child_field(self, key: str | int) -> FieldSpec | None:
        """Return the field below this one with this key or index, or None if this type has none."""
        if self.type == "record" and self.fields is not None:
            return self.fields.get(str(key))
        if self.type in ("list", "map"):
            return self.of
        return None


FieldDecl = Annotated[
    FieldSpec, BeforeValidator(_expand_type_name, json_schema_input_type=TypeName | FieldSpec)
]
FieldSpec.model_rebuild()

Fields = Mapping[str, FieldSpec]
JsonSchema = dict[str, Any]
